/*
 * json_write.c - JSON written in order, piece by piece.
 *
 * Most of what is written are texts without anything to escape and numbers of a few places: each
 * has a way of its own, in one piece and without the C library's formatting.
 *
 * Numbers are written without the locale's decimal point.
 */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_number.h"

#define DECIMALS_MAX 17
#define SHORT_MAX 1e6 /* 1e12 when scaled: a double then tells more than four places apart */

/* ---- numbers as text ---- */

/* Digits of the number up to `end`; where they begin. */
static char *print_digits(uint64_t number, char *end)
{
    do
        *--end = (char)('0' + number % 10);
    while (number /= 10);
    return end;
}

/*
 * The numbers of a trace: a few places, not large. Bytes written; 0 for others, and where it takes the
 * exact value to say which way to round.
 */
static size_t print_short(double value, int decimals, char text[MN_JSON_NUMBER_BYTES])
{
    static const double scale[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
    char digits[32];
    char *end = digits + sizeof digits;

    if (value == 0) { /* as many are */
        memcpy(text, "0", 2);
        return 1;
    }
    if (decimals >= (int)(sizeof scale / sizeof *scale) || !(fabs(value) < SHORT_MAX))
        return 0;
    double scaled = fabs(value) * scale[decimals];
    uint64_t number = (uint64_t)(int64_t)scaled; /* one instruction less than straight */
    double rest = scaled - (double)number;
    if (fabs(rest - 0.5) < 1e-4)
        return 0;
    number += rest > 0.5;
    char *from = end;
    bool is_negative = value < 0 && number;
    for (; decimals > 0; decimals--, number /= 10) {
        if (number % 10 || from != end) /* no zeros at the end */
            *--from = (char)('0' + number % 10);
    }
    if (from != end)
        *--from = '.';
    from = print_digits(number, from);
    if (is_negative)
        *--from = '-';
    memcpy(text, from, (size_t)(end - from));
    text[end - from] = '\0';
    return (size_t)(end - from);
}

size_t mn_json_print_number(double value, int decimals, char text[MN_JSON_NUMBER_BYTES])
{
    char *from;
    char *to;

    decimals = decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
    size_t bytes = print_short(value, decimals, text);
    if (bytes)
        return bytes;
    (void)snprintf(text, MN_JSON_NUMBER_BYTES, "%.*f", decimals, value);
    if (!isfinite(value))
        return strlen(text);
    to = text + (text[0] == '-');
    to += strspn(to, "0123456789");
    if (*to != '\0') {
        from = to + strcspn(to, "0123456789"); /* behind the point, which may have several bytes */
        *to++ = '.';
        memmove(to, from, strlen(from) + 1);
        for (to += strlen(to); to[-1] == '0'; to--)
            ;
        if (to[-1] == '.')
            to--;
        *to = '\0';
    }
    if (strcmp(text, "-0") == 0)
        memcpy(text, "0", 2);
    return strlen(text);
}

/* ---- writing ---- */

static void before_value(struct mn_json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0)
        return;
    if (w->comma[w->depth - 1])
        mn_buf_char(w->out, ',');
    w->comma[w->depth - 1] = true;
}

void mn_json_open(struct mn_json_writer *w, char bracket)
{
    before_value(w);
    if (w->depth >= MN_JSON_DEPTH_MAX) {
        w->out->failed = true; /* what cannot be read back is not written */
        return;
    }
    mn_buf_char(w->out, bracket);
    w->comma[w->depth++] = false;
}

void mn_json_close(struct mn_json_writer *w, char bracket)
{
    if (w->depth <= 0) {
        w->out->failed = true;
        return;
    }
    w->depth--;
    mn_buf_char(w->out, bracket);
}

static bool is_clean(char c)
{
    return (unsigned char)c < 0x80 && c >= 0x20 && c != '"' && c != '\\';
}

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight bytes that stand in JSON as they are: of each the highest bit says that it does not. */
static bool are_clean(uint64_t eight)
{
    uint64_t quote = eight ^ EACH_BYTE('"'), backslash = eight ^ EACH_BYTE('\\');
    uint64_t low = (eight - EACH_BYTE(0x20)) | (quote - EACH_BYTE(1)) | (backslash - EACH_BYTE(1));

    return !((eight | low) & EACH_BYTE(0x80));
}

/* Does all of it stand in JSON as it is? Read at both ends, in pieces that may overlap. */
static bool is_all_clean(const char *text, size_t bytes)
{
    uint64_t eight;
    uint32_t begin, end;

    if (bytes >= sizeof eight) {
        for (size_t at = 0; at < bytes; at += sizeof eight) {
            memcpy(&eight, text + (bytes - at < sizeof eight ? bytes - sizeof eight : at),
                   sizeof eight);
            if (!are_clean(eight))
                return false;
        }
        return true;
    }
    if (bytes >= sizeof begin) {
        memcpy(&begin, text, sizeof begin);
        memcpy(&end, text + bytes - sizeof end, sizeof end);
        return are_clean((uint64_t)end << 32 | begin);
    }
    for (size_t at = 0; at < bytes; at++)
        if (!is_clean(text[at]))
            return false;
    return true;
}

/* Escapes what RFC 8259 asks for; a byte that is no UTF-8 becomes U+FFFD. */
static void put_quoted(struct mn_buf *out, const char *text, size_t bytes)
{
    size_t clean_from = 0;
    size_t at = 0;

    if (is_all_clean(text, bytes)) { /* nearly always */
        char *room = mn_buf_take(out, bytes + 2);

        if (!room)
            return;
        room[0] = room[bytes + 1] = '"';
        memcpy(room + 1, text, bytes);
        return;
    }
    mn_buf_char(out, '"');
    while (at < bytes) {
        size_t start = at;
        int32_t c;

        if (is_clean(text[at])) {
            at++;
            continue;
        }
        c = mn_utf8_next(text, bytes, &at);
        if (c >= 0x80)
            continue;
        mn_buf_put(out, text + clean_from, start - clean_from);
        clean_from = at;
        if (c < 0)
            mn_buf_text(out, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            mn_buf_put(out, (const char[]){'\\', (char)c}, 2);
        else if (c == '\n')
            mn_buf_text(out, "\\n");
        else if (c == '\t')
            mn_buf_text(out, "\\t");
        else if (c == '\r')
            mn_buf_text(out, "\\r");
        else
            mn_buf_printf(out, "\\u%04x", (unsigned)c);
    }
    mn_buf_put(out, text + clean_from, bytes - clean_from);
    mn_buf_char(out, '"');
}

void mn_json_key_of(struct mn_json_writer *w, const char *key, size_t bytes)
{
    bool comma = !w->after_key && w->depth > 0 && w->comma[w->depth - 1];

    if (comma && is_all_clean(key, bytes)) { /* nearly always: in one piece */
        char *room = mn_buf_take(w->out, bytes + 4);

        if (room) {
            memcpy(room, ",\"", 2);
            memcpy(room + 2, key, bytes);
            memcpy(room + 2 + bytes, "\":", 2);
        }
        w->after_key = true;
        return;
    }
    before_value(w);
    put_quoted(w->out, key, bytes);
    mn_buf_char(w->out, ':');
    w->after_key = true;
}

void mn_json_put_text(struct mn_json_writer *w, const char *text)
{
    mn_json_put_str(w, mn_str_of(text));
}

void mn_json_put_str(struct mn_json_writer *w, struct mn_str text)
{
    before_value(w);
    put_quoted(w->out, mn_or_empty(text.at), text.bytes);
}

void mn_json_put_integer(struct mn_json_writer *w, int64_t value)
{
    char digits[24];
    char *end = digits + sizeof digits;
    char *from = print_digits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, end);

    if (value < 0)
        *--from = '-';
    before_value(w);
    mn_buf_put(w->out, from, (size_t)(end - from));
}

void mn_json_put_number(struct mn_json_writer *w, double value, int decimals)
{
    char text[MN_JSON_NUMBER_BYTES];

    if (!isfinite(value)) {
        mn_json_put_null(w);
        return;
    }
    before_value(w);
    size_t bytes = mn_json_print_number(value, decimals, text);
    mn_buf_put(w->out, text, bytes);
}

void mn_json_put_bool(struct mn_json_writer *w, bool value)
{
    before_value(w);
    mn_buf_put(w->out, value ? "true" : "false", value ? 4 : 5);
}

void mn_json_put_null(struct mn_json_writer *w)
{
    before_value(w);
    mn_buf_put(w->out, "null", 4);
}

void mn_json_put_time(struct mn_json_writer *w, int64_t at_ms)
{
    char text[32];

    if (at_ms)
        mn_json_put_text(w, mn_time_print(at_ms, text, sizeof text));
    else
        mn_json_put_null(w);
}

void mn_json_put_raw(struct mn_json_writer *w, const char *json)
{
    before_value(w);
    mn_buf_text(w->out, mn_empty(json) ? "null" : json);
}
