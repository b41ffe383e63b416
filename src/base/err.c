/*
 * err.c - the message, made once.
 *
 * A message may quote what the outside sent, and may be too long: it is formatted aside (an
 * argument may be the very message it replaces), cut between code points, and cleaned of bytes that
 * are no UTF-8 and of control characters, so that a log line stays one line and a JSON answer stays
 * JSON.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* A code point more than fits, so that what vsnprintf() cut can be cut again, between two. */
#define FORMATTED_BYTES (sizeof(((struct mneme_error *)0)->message) + 4)

static void clean(char *text)
{
    size_t bytes = strlen(text);
    size_t at = 0;

    while (at < bytes) {
        size_t start = at;
        int32_t code_point = mn_utf8_next(text, bytes, &at);

        if (code_point < 0)
            text[start] = '?';
        else if (code_point < 0x20 || code_point == 0x7f)
            text[start] = ' ';
    }
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '[' || c == ']';
}

/* "valid_until: not a date" is about the field valid_until. */
static void name_field(struct mneme_error *err)
{
    size_t bytes = 0;

    while (is_name(err->message[bytes]))
        bytes++;
    if (bytes == 0 || bytes >= sizeof err->field || err->message[bytes] != ':')
        bytes = 0;
    memcpy(err->field, err->message, bytes);
    err->field[bytes] = '\0';
}

enum mneme_status mn_fail(struct mneme_error *err, enum mneme_status status, const char *format,
                          ...)
{
    char formatted[FORMATTED_BYTES] = "";
    size_t bytes;
    va_list arguments;

    if (!err)
        return status;
    va_start(arguments, format);
    (void)vsnprintf(formatted, sizeof formatted, format, arguments);
    va_end(arguments);
    formatted[sizeof formatted - 1] = '\0';

    bytes = mn_utf8_cut(formatted, strlen(formatted), sizeof err->message - 1);
    memcpy(err->message, formatted, bytes);
    err->message[bytes] = '\0';
    clean(err->message);
    name_field(err);
    err->status = status;
    err->uncertain = 0;
    return status;
}

enum mneme_status mn_fail_memory(struct mneme_error *err)
{
    (void)mn_fail(err, MNEME_LIMIT, "memory: cannot allocate");
    if (err)
        err->field[0] = '\0'; /* no input is wrong */
    return MNEME_LIMIT;
}

void mn_error_clear(struct mneme_error *err)
{
    if (err)
        memset(err, 0, sizeof *err);
}

const char *mneme_status_name(enum mneme_status status)
{
    switch (status) {
    case MNEME_OK:
        return "ok";
    case MNEME_INVALID:
        return "invalid";
    case MNEME_NOT_FOUND:
        return "not found";
    case MNEME_CONFLICT:
        return "conflict";
    case MNEME_FORBIDDEN:
        return "forbidden";
    case MNEME_LIMIT:
        return "limit";
    case MNEME_UNAVAILABLE:
        return "unavailable";
    case MNEME_CORRUPT:
        return "corrupt";
    }
    return "unknown";
}
