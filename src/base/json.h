/*
 * json.h - JSON at the edges.
 *
 * Reading: yyjson behind a document that checks depth (64) and size, so that hostile input is
 * refused before it is walked; readers take fields by name and fail with that name. Writing: a
 * small writer over mn_buf that escapes, places commas, and cannot produce malformed JSON when used
 * in order; the buffer is marked failed by what it cannot write (no memory, nested too deep).
 */
#ifndef MN_BASE_JSON_H
#define MN_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <yyjson.h>

#include "base/arena.h"
#include "base/str.h"

#define MN_JSON_DEPTH_MAX 64
#define MN_JSON_BYTES_MAX ((size_t)8388608) /* MNEME_LINE_BYTES_MAX; one more is MNEME_LIMIT */

/*
 * Strict RFC 8259 UTF-8; the root must be an object; no NUL in texts, no key twice in an object.
 * Too deep or too long is MNEME_LIMIT, the rest MNEME_INVALID. Free with mn_json_free().
 */
enum mneme_status mn_json_parse(const char *name, const char *text, size_t bytes,
                                yyjson_doc **ret_doc, struct mneme_error *err);
/* The same with a limit of the caller's. */
enum mneme_status mn_json_parse_within(const char *name, const char *text, size_t bytes,
                                       size_t bytes_max, yyjson_doc **ret_doc,
                                       struct mneme_error *err);
void mn_json_free(yyjson_doc **doc); /* accepts a NULL document; for MN_CLEANUP */
#define MN_JSON_AUTO MN_CLEANUP(mn_json_free) yyjson_doc *

/*
 * One field of an object. Absent and null leave *ret as it is. Wrong types, texts with NUL, numbers
 * out of range are MNEME_INVALID and name the field. Texts and lists are copied into the arena.
 */
enum mneme_status mn_json_text(yyjson_val *object, const char *field, size_t bytes_max,
                               struct mn_arena *arena, const char **ret, struct mneme_error *err);
enum mneme_status mn_json_number(yyjson_val *object, const char *field, double low, double high,
                                 double *ret, struct mneme_error *err);
enum mneme_status mn_json_integer(yyjson_val *object, const char *field, int64_t low, int64_t high,
                                  int64_t *ret, struct mneme_error *err);
enum mneme_status mn_json_bool(yyjson_val *object, const char *field, int *ret,
                               struct mneme_error *err);
enum mneme_status mn_json_time(yyjson_val *object, const char *field, int64_t *ret_ms,
                               struct mneme_error *err);
/* Array of texts -> item and count. */
enum mneme_status mn_json_texts(yyjson_val *object, const char *field, size_t items_max,
                                size_t bytes_max, struct mn_arena *arena,
                                const char *const **ret_item, size_t *ret_count,
                                struct mneme_error *err);
/* An object field, written back as compact JSON text. */
enum mneme_status mn_json_object_text(yyjson_val *object, const char *field, size_t bytes_max,
                                      struct mn_arena *arena, const char **ret,
                                      struct mneme_error *err);
/* The first member of the object that is none of `known` (ends with NULL): MNEME_INVALID, named. */
enum mneme_status mn_json_only(yyjson_val *object, const char *const *known,
                               struct mneme_error *err);

/*
 * The next quoted string of a JSON text from *at on, a key or a value, without its quotes; false behind
 * the last one. It points into the text; where it is escaped, into `room`, which is emptied for each.
 * Without memory for that it is given as it is escaped, and `room` is marked failed.
 */
bool mn_json_next_string(struct mn_str json, size_t *at, struct mn_buf *room,
                         struct mn_str *ret_string);

/* What a report of our own says: "" and 0 where the field is not there. */
static inline const char *mn_json_text_of(yyjson_val *object, const char *field)
{
    return mn_or_empty(yyjson_get_str(yyjson_obj_get(object, field)));
}
static inline long long mn_json_integer_of(yyjson_val *object, const char *field)
{
    return (long long)yyjson_get_sint(yyjson_obj_get(object, field));
}

/* Writing. Values inside an object are preceded by mn_json_key(). */
struct mn_json_writer {
    struct mn_buf *out;
    int depth;
    bool comma[MN_JSON_DEPTH_MAX]; /* whether a comma is due at this depth */
    bool after_key;
};
void mn_json_open(struct mn_json_writer *w, char bracket);  /* '{' or '[' */
void mn_json_close(struct mn_json_writer *w, char bracket); /* '}' or ']' */
void mn_json_key_of(struct mn_json_writer *w, const char *key, size_t bytes);
void mn_json_put_text(struct mn_json_writer *w, const char *text); /* NULL: "" */
void mn_json_put_str(struct mn_json_writer *w, struct mn_str text);
void mn_json_put_integer(struct mn_json_writer *w, int64_t value);
void mn_json_put_number(struct mn_json_writer *w, double value, int decimals); /* NaN: null */
void mn_json_put_bool(struct mn_json_writer *w, bool value);
void mn_json_put_null(struct mn_json_writer *w);
void mn_json_put_time(struct mn_json_writer *w, int64_t at_ms); /* 0: null */
void mn_json_put_raw(struct mn_json_writer *w, const char *json);

/* Most keys are literals, whose length the compiler knows here. */
static inline void mn_json_key(struct mn_json_writer *w, const char *key)
{
    mn_json_key_of(w, key, strlen(key));
}

/* key + value in one call */
static inline void mn_json_field_text(struct mn_json_writer *w, const char *key, const char *text)
{
    mn_json_key(w, key);
    mn_json_put_text(w, text);
}

static inline void mn_json_field_integer(struct mn_json_writer *w, const char *key, int64_t value)
{
    mn_json_key(w, key);
    mn_json_put_integer(w, value);
}

static inline void mn_json_field_number(struct mn_json_writer *w, const char *key, double value,
                                        int decimals)
{
    mn_json_key(w, key);
    mn_json_put_number(w, value, decimals);
}

static inline void mn_json_field_bool(struct mn_json_writer *w, const char *key, bool value)
{
    mn_json_key(w, key);
    mn_json_put_bool(w, value);
}

static inline void mn_json_field_time(struct mn_json_writer *w, const char *key, int64_t at_ms)
{
    mn_json_key(w, key);
    mn_json_put_time(w, at_ms);
}

#endif
