/*
 * str.h - slices of UTF-8, and a buffer that grows.
 *
 * `mn_str` borrows: it points into somebody's text and need not end with NUL. `mn_buf` owns; it
 * keeps a NUL behind its bytes and remembers a failed allocation, so that a writer checks once, at
 * the end.
 */
#ifndef MN_BASE_STR_H
#define MN_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct mn_str {
    const char *at;
    size_t bytes;
};

#define MN_STR(literal) ((struct mn_str){(literal), sizeof(literal) - 1})

struct mn_str mn_str_of(const char *text); /* NULL gives the empty slice */
bool mn_str_equal(struct mn_str a, struct mn_str b);
/* Equal but for the case of Latin letters, in every locale. */
bool mn_str_alike(struct mn_str a, struct mn_str b);
/* The same to one of a list that ends with NULL. */
bool mn_str_alike_any(struct mn_str text, const char *const *list);
bool mn_str_ends(struct mn_str text, const char *with);

/* For NUL-terminated fields, where NULL and "" are the same absent value. */
static inline bool mn_empty(const char *text)
{
    return !text || !*text;
}
static inline const char *mn_or_empty(const char *text)
{
    return text ? text : "";
}
static inline bool mn_same(const char *a, const char *b)
{
    a = mn_or_empty(a);
    b = mn_or_empty(b);
    return a == b || (*a == *b && strcmp(a, b) == 0);
}

/*
 * The next code point of well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms), or -1 for
 * a byte that begins none. *at moves behind what was read; a bad byte is one byte long.
 */
static inline int32_t mn_utf8_next(const char *text, size_t bytes, size_t *at);
int32_t mn_utf8_next_wide(const char *text, size_t bytes, size_t *at); /* the same, not inline */
/* Bytes written, 1..4; what is no code point becomes U+FFFD. */
size_t mn_utf8_put(int32_t code_point, char out[4]);
bool mn_utf8_valid(const char *text, size_t bytes);
/* The largest length <= bytes_max at which the text may be cut without splitting a code point. */
size_t mn_utf8_cut(const char *text, size_t bytes, size_t bytes_max);

/* Most text is ASCII, and most readers go through it character by character. */
static inline int32_t mn_utf8_next(const char *text, size_t bytes, size_t *at)
{
    if (*at < bytes && (unsigned char)text[*at] < 0x80)
        return text[(*at)++];
    return mn_utf8_next_wide(text, bytes, at);
}

struct mn_buf {
    char *at; /* NULL until the first byte; NUL-terminated */
    size_t bytes;
    size_t room;
    bool failed;
};

/* So many bytes more, for the caller to fill; NULL when there is no memory. */
char *mn_buf_take(struct mn_buf *buf, size_t count);
void mn_buf_put(struct mn_buf *buf, const void *bytes, size_t count);
void mn_buf_text(struct mn_buf *buf, const char *text); /* NULL adds nothing */
void mn_buf_char(struct mn_buf *buf, char c);
void mn_buf_printf(struct mn_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mn_buf_reset(struct mn_buf *buf);   /* empty, room kept */
void mn_buf_release(struct mn_buf *buf); /* frees; usable again; for MN_CLEANUP */
#define MN_BUF_AUTO MN_CLEANUP(mn_buf_release) struct mn_buf

#endif
