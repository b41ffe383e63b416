/*
 * packed.h - numbers in few bytes, texts that can be shown as they lie there; and reading them from
 * bytes that nobody vouches for.
 *
 * A number has seven bits a byte, the lowest first; the highest bit says that there are more. A text
 * is its length, its bytes and a NUL. A reader never goes behind the end: what does not fit makes
 * the reading bad, and reads as 0 or "".
 */
#ifndef MN_SEARCH_PACKED_H
#define MN_SEARCH_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#define MN_PACKED_NUMBER_BYTES_MAX 10

static inline char *mn_pack_number(char *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *out++ = (char)(number | 0x80);
    *out++ = (char)number;
    return out;
}

static inline char *mn_pack_text(char *out, const char *text)
{
    size_t bytes = strlen(text);

    out = mn_pack_number(out, bytes);
    memcpy(out, text, bytes + 1);
    return out + bytes + 1;
}

static inline void mn_packed_put_number(struct mn_buf *buf, uint64_t number)
{
    char bytes[MN_PACKED_NUMBER_BYTES_MAX];

    mn_buf_put(buf, bytes, (size_t)(mn_pack_number(bytes, number) - bytes));
}

static inline void mn_packed_put_text(struct mn_buf *buf, const char *text)
{
    mn_packed_put_number(buf, strlen(text));
    mn_buf_put(buf, text, strlen(text) + 1);
}

struct mn_packed {
    const char *at;
    const char *end;
    bool bad;
};

static inline uint64_t mn_packed_number(struct mn_packed *p)
{
    uint64_t number = 0;

    for (unsigned shift = 0; p->at < p->end && shift < 64; shift += 7) {
        uint8_t byte = (uint8_t)*p->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    p->bad = true;
    return 0;
}

/* So many bytes; NULL when there are fewer. */
static inline const char *mn_packed_bytes(struct mn_packed *p, uint64_t bytes)
{
    const char *at = p->at;

    if (bytes > (size_t)(p->end - p->at)) {
        p->bad = true;
        return NULL;
    }
    p->at += bytes;
    return at;
}

static inline const char *mn_packed_text(struct mn_packed *p)
{
    uint64_t bytes = mn_packed_number(p);
    const char *text = bytes < SIZE_MAX ? mn_packed_bytes(p, bytes + 1) : NULL;

    if (text && text[bytes])
        p->bad = true;
    return text && !p->bad ? text : "";
}

/* Copies so many bytes; zeros when there are fewer. */
static inline void mn_packed_copy(struct mn_packed *p, void *to, size_t bytes)
{
    const char *from = mn_packed_bytes(p, bytes);

    if (from)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

/* How many items follow, of so many bytes each at least. */
static inline size_t mn_packed_count(struct mn_packed *p, size_t bytes_each)
{
    uint64_t count = mn_packed_number(p);

    if (count > (size_t)(p->end - p->at) / bytes_each) {
        p->bad = true;
        return 0;
    }
    return (size_t)count;
}

#endif
