/*
 * str.c - UTF-8 by the table of RFC 3629, and a buffer that doubles.
 *
 * The decoder is the only one in the project: validity, cutting and walking all agree because they
 * read the same table. A run of ASCII is checked eight bytes at a time, since most of what is
 * validated is ASCII or long.
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/memory.h>

#define BUF_BYTES_FIRST 256

struct mn_str mn_str_of(const char *text)
{
    return text ? (struct mn_str){text, strlen(text)} : (struct mn_str){"", 0};
}

bool mn_str_equal(struct mn_str a, struct mn_str b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool mn_str_alike(struct mn_str a, struct mn_str b)
{
    size_t i = 0;

    if (a.bytes != b.bytes)
        return false;
    while (i < a.bytes && to_lower(a.at[i]) == to_lower(b.at[i]))
        i++;
    return i == a.bytes;
}

bool mn_str_alike_any(struct mn_str text, const char *const *list)
{
    for (; *list; list++) {
        const char *at = *list;
        size_t i = 0;

        while (i < text.bytes && at[i] && to_lower(text.at[i]) == to_lower(at[i]))
            i++;
        if (i == text.bytes && !at[i])
            return true;
    }
    return false;
}

bool mn_str_ends(struct mn_str text, const char *with)
{
    size_t bytes = strlen(with);

    return text.bytes >= bytes && !memcmp(text.at + text.bytes - bytes, with, bytes);
}

/* ---- UTF-8 ---- */

/*
 * The second byte carries what the lead byte alone cannot exclude: overlong forms (E0, F0),
 * surrogates (ED) and what lies beyond U+10FFFF (F4).
 */
int32_t mn_utf8_next_wide(const char *text, size_t bytes, size_t *at)
{
    const unsigned char *s = (const unsigned char *)text + *at;
    size_t left = bytes - *at;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t more;
    int32_t code_point;

    if (*at >= bytes)
        return -1;
    *at += 1;
    if (s[0] < 0x80)
        return s[0];
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return -1;
    if (s[0] < 0xe0) {
        more = 1;
        code_point = s[0] & 0x1f;
    } else if (s[0] < 0xf0) {
        more = 2;
        code_point = s[0] & 0x0f;
        low = s[0] == 0xe0 ? 0xa0 : 0x80;
        high = s[0] == 0xed ? 0x9f : 0xbf;
    } else {
        more = 3;
        code_point = s[0] & 0x07;
        low = s[0] == 0xf0 ? 0x90 : 0x80;
        high = s[0] == 0xf4 ? 0x8f : 0xbf;
    }
    if (left <= more)
        return -1;
    for (size_t i = 1; i <= more; i++) {
        if (s[i] < low || s[i] > high)
            return -1;
        code_point = (code_point << 6) | (s[i] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    *at += more;
    return code_point;
}

size_t mn_utf8_put(int32_t code_point, char out[4])
{
    uint32_t c = (uint32_t)code_point;

    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | (c >> 6));
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | (c >> 12));
        out[1] = (char)(0x80 | ((c >> 6) & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (c >> 18));
    out[1] = (char)(0x80 | ((c >> 12) & 0x3f));
    out[2] = (char)(0x80 | ((c >> 6) & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

bool mn_utf8_valid(const char *text, size_t bytes)
{
    size_t at = 0;

    while (at < bytes) {
        uint64_t word;

        while (bytes - at >= sizeof word) {
            memcpy(&word, text + at, sizeof word);
            if (word & UINT64_C(0x8080808080808080))
                break;
            at += sizeof word;
        }
        if (at < bytes && mn_utf8_next(text, bytes, &at) < 0)
            return false;
    }
    return true;
}

size_t mn_utf8_cut(const char *text, size_t bytes, size_t bytes_max)
{
    if (bytes <= bytes_max)
        return bytes;
    for (size_t back = 0; back <= 3 && back <= bytes_max; back++) {
        if (((unsigned char)text[bytes_max - back] & 0xc0) != 0x80)
            return bytes_max - back;
    }
    return bytes_max; /* not UTF-8: nothing to keep whole */
}

/* ---- the buffer ---- */

/* Room for `count` more and the NUL. */
static bool reserve(struct mn_buf *buf, size_t count)
{
    size_t room = buf->room ? buf->room : BUF_BYTES_FIRST;
    char *grown;

    if (buf->failed)
        return false;
    if (count >= SIZE_MAX / 2 - buf->bytes) {
        buf->failed = true;
        return false;
    }
    if (buf->at && buf->bytes + count + 1 <= buf->room)
        return true;
    while (room < buf->bytes + count + 1)
        room *= 2;
    grown = realloc(buf->at, room);
    if (!grown) {
        buf->failed = true;
        return false;
    }
    buf->at = grown;
    buf->room = room;
    return true;
}

char *mn_buf_take(struct mn_buf *buf, size_t count)
{
    bool fits = !buf->failed && buf->bytes < buf->room && count < buf->room - buf->bytes;

    if (!fits && !reserve(buf, count))
        return NULL;
    char *taken = buf->at + buf->bytes;
    buf->bytes += count;
    buf->at[buf->bytes] = '\0';
    return taken;
}

void mn_buf_put(struct mn_buf *buf, const void *bytes, size_t count)
{
    char *to = count ? mn_buf_take(buf, count) : NULL;

    if (to)
        memcpy(to, bytes, count);
}

void mn_buf_text(struct mn_buf *buf, const char *text)
{
    if (text)
        mn_buf_put(buf, text, strlen(text));
}

void mn_buf_char(struct mn_buf *buf, char c)
{
    if ((buf->failed || buf->bytes + 2 > buf->room) && !reserve(buf, 1))
        return;
    buf->at[buf->bytes++] = c;
    buf->at[buf->bytes] = '\0';
}

void mn_buf_printf(struct mn_buf *buf, const char *format, ...)
{
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0) {
        buf->failed = true;
        return;
    }
    if (count == 0 || !reserve(buf, (size_t)count))
        return;
    va_start(arguments, format);
    (void)vsnprintf(buf->at + buf->bytes, (size_t)count + 1, format, arguments);
    va_end(arguments);
    buf->bytes += (size_t)count;
}

void mn_buf_reset(struct mn_buf *buf)
{
    buf->bytes = 0;
    buf->failed = false;
    if (buf->at)
        buf->at[0] = '\0';
}

void mn_buf_release(struct mn_buf *buf)
{
    free(buf->at);
    *buf = (struct mn_buf){0};
}

/* What mneme hands out as a plain string is a buffer's bytes. */
void mneme_free(void *text)
{
    free(text);
}
