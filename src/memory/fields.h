/*
 * fields.h - every field of every record, once: name, kind, place, limit.
 *
 * Checking, copying, comparing, reading and printing all walk these tables, so that a field that is
 * added here is validated, kept and exported, and one that is not does not exist.
 */
#ifndef MN_MEMORY_FIELDS_H
#define MN_MEMORY_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <mneme/retrieve.h>

#include "base/arena.h"
#include "memory/names.h"

enum mn_field_kind {
    MN_FIELD_ID = 1,  /* const char *: ids, keys, names; no control characters */
    MN_FIELD_TEXT,    /* const char * */
    MN_FIELD_HASH,    /* const char *: 64 lower-case hex digits */
    MN_FIELD_OBJECT,  /* const char *: a JSON object */
    MN_FIELD_LIST,    /* struct mneme_list of texts that are not empty; limit is that of one */
    MN_FIELD_PAIRS,   /* struct mneme_pairs; limit is that of one name or value */
    MN_FIELD_ENUM,    /* an enumeration with names; 0 is not given */
    MN_FIELD_SHARE,   /* double 0..1; negative is not given */
    MN_FIELD_TIME,    /* int64_t milliseconds, years 0000 to 9999; 0 is not given */
    MN_FIELD_COUNT,   /* int64_t, 0 and more */
    MN_FIELD_PLACE,   /* int64_t, 0 and more; negative is not given */
    MN_FIELD_INTEGER, /* int64_t */
    MN_FIELD_FLAG,    /* int: true or false */
    MN_FIELD_OFF,     /* int: in JSON a status, "active" (0) or "disabled" (1) */
    MN_FIELD_SECOND,  /* int, which another field has as a flag: 2, true where it is that */
    MN_FIELD_IGNORED  /* no place in the struct: read past in JSON, never written */
};

enum {
    MN_FIELD_STAMP = 1, /* of one copy of the row: left out of mn_fields_same() */
    MN_FIELD_SHOWN = 2  /* printed also when empty: absent, a reader would put a default there */
};

struct mn_field {
    const char *name; /* as in JSON and in messages */
    enum mn_field_kind kind;
    unsigned flags;
    size_t offset;
    size_t limit; /* bytes */
    const struct mn_names *names;
};

struct mn_fields {
    const struct mn_field *item;
    size_t count;
};

extern const struct mn_fields mn_memory_fields;
extern const struct mn_fields mn_event_fields;
extern const struct mn_fields mn_rule_fields;
extern const struct mn_fields mn_task_state_fields;
extern const struct mn_fields mn_edge_fields;
extern const struct mn_fields mn_usage_key_fields; /* whose usage */
extern const struct mn_fields mn_usage_fields;     /* the rest: stands beside a memory */
extern const struct mn_fields mn_identity_fields;

/* Each field by itself against its kind and limit; the first fault, named. `record` is whole. */
enum mneme_status mn_fields_check(const struct mn_fields *fields, const void *record,
                                  struct mneme_error *err);
/* Its times alone: some are worked out from others, and what cannot be printed is not exported. */
enum mneme_status mn_fields_check_times(const struct mn_fields *fields, const void *record,
                                        struct mneme_error *err);

/* Deep copies field by field into ret_record, whose other bytes stay. NULL texts become "". May
 * copy a record onto itself: its strings then live in the arena. On failure ret_record is half
 * done. */
enum mneme_status mn_fields_copy(const struct mn_fields *fields, const void *record,
                                 struct mn_arena *arena, void *ret_record, struct mneme_error *err);

/* Equal in every field but stamps; NULL and "" are equal, order of lists and pairs counts. */
bool mn_fields_same(const struct mn_fields *fields, const void *a, const void *b);

/* Whether the field holds anything but "not given". */
bool mn_field_given(const struct mn_field *field, const void *record);

/* "content: is empty" unless the text holds something to see. */
enum mneme_status mn_field_must(const char *name, const char *text, struct mneme_error *err);

/*
 * A public struct as its caller's version of mneme knows it: the first `size` bytes of `given` over
 * *ret_whole, which holds this version's _INIT. MNEME_INVALID when the size is 0, more than ours,
 * or would cut a field. `type` is its name behind mneme_.
 */
enum mneme_status mn_struct_take(const char *type, const void *given, size_t whole_bytes,
                                 void *ret_whole, struct mneme_error *err);

#endif
