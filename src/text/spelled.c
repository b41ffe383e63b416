/*
 * spelled.c - instants as people and data sets spell them.
 *
 * What is not RFC 3339 is read piece by piece, in any order: a clock time, a day, a month by name
 * or number, a year of four digits; filler (on, at, of, weekday, commas, brackets) is passed over.
 * Each piece may come once and all of the date must come. 5/6/2023 is refused: half of the world
 * reads it the other way.
 */
#include <string.h>

#include "base/clock.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/when.h"

#define SPELLED_BYTES_MAX 64

struct pieces {
    int year, month, day;     /* -1: not seen */
    int hour, minute, second; /* hour -1: not seen */
    int half;                 /* 0, or 12 after noon; -1: not seen */
    bool zoned;
    int offset_minutes;
};

static bool set(int *piece, int value, int low, int high)
{
    if (*piece != -1 || value < low || value > high)
        return false;
    *piece = value;
    return true;
}

static bool eat(const char **at, const char *literal)
{
    size_t bytes = strlen(literal);

    if (strncmp(*at, literal, bytes) != 0)
        return false;
    *at += bytes;
    return true;
}

static int digits(const char **at)
{
    int value = 0;

    for (int i = 0; i < 6 && mn_letter_digit(**at); i++, (*at)++)
        value = value * 10 + (**at - '0');
    return value;
}

/* ":21", ":21:05", ":21:05.250" behind the hour. */
static bool read_clock(const char **at, int hour, struct pieces *p)
{
    int minute;
    int second = 0;

    *at += 1;
    if (!mn_letter_digit(**at))
        return false;
    minute = digits(at);
    if (**at == ':') {
        *at += 1;
        second = digits(at);
        if (**at == '.') {
            *at += 1;
            (void)digits(at);
        }
    }
    if (minute > 59 || second > 59)
        return false;
    p->minute = minute;
    p->second = second;
    return set(&p->hour, hour, 0, 23);
}

/* "-05-20" behind a year. */
static bool read_ymd(const char **at, int year, struct pieces *p)
{
    char mark = **at;
    int month;

    *at += 1;
    month = digits(at);
    if (**at != mark || !mn_letter_digit((*at)[1]))
        return false;
    *at += 1;
    return set(&p->year, year, 1, 9999) && set(&p->month, month, 1, 12) &&
           set(&p->day, digits(at), 1, 31);
}

static bool read_number(const char **at, struct pieces *p)
{
    const char *start = *at;
    int value = digits(at);
    size_t length = (size_t)(*at - start);

    if (**at == ':')
        return length <= 2 && read_clock(at, value, p);
    if (length == 4 && (**at == '-' || **at == '/' || **at == '.') && mn_letter_digit((*at)[1]))
        return read_ymd(at, value, p);
    if (eat(at, "年"))
        return set(&p->year, value, 1, 9999);
    if (eat(at, "月"))
        return set(&p->month, value, 1, 12);
    if (eat(at, "日") || eat(at, "号"))
        return set(&p->day, value, 1, 31);
    if (eat(at, "时") || eat(at, "点"))
        return set(&p->hour, value, 0, 23);
    if (eat(at, "分"))
        return (p->minute = value) <= 59;
    if (length == 4)
        return set(&p->year, value, 1, 9999);
    if (length > 2 || **at == '/' || **at == '-' || **at == '.')
        return false;
    if (strncmp(*at, "am", 2) == 0 || strncmp(*at, "pm", 2) == 0 || strncmp(*at, " am", 3) == 0 ||
        strncmp(*at, " pm", 3) == 0)
        return set(&p->hour, value, 1, 12);
    if (!eat(at, "st") && !eat(at, "nd") && !eat(at, "rd"))
        (void)eat(at, "th");
    return set(&p->day, value, 1, 31);
}

static bool read_offset(const char **at, struct pieces *p)
{
    int sign = **at == '-' ? -1 : 1;
    int hours;
    int minutes;

    *at += 1;
    hours = digits(at);
    if (hours > 23 || **at != ':')
        return false;
    *at += 1;
    minutes = digits(at);
    if (p->zoned || minutes > 59)
        return false;
    p->zoned = true;
    p->offset_minutes = sign * (hours * 60 + minutes);
    return true;
}

static bool read_word(const char **at, struct pieces *p)
{
    static const char *const FILLER[] = { "on",  "at",  "of",  "the", "t",   "z",   "utc", "gmt",
                                          "mon", "tue", "wed", "thu", "fri", "sat", "sun" };
    struct mn_str word = { *at, 0 };
    int month;

    while (mn_letter_latin(word.at[word.bytes]))
        word.bytes++;
    *at += word.bytes;
    month = mn_calendar_month(word);
    if (month)
        return set(&p->month, month, 1, 12);
    if (mn_str_equal(word, MN_STR("am")) || mn_str_equal(word, MN_STR("pm")))
        return set(&p->half, word.at[0] == 'p' ? 12 : 0, 0, 12);
    for (size_t i = 0; i < sizeof FILLER / sizeof FILLER[0]; i++) {
        if (mn_str_equal(word, mn_str_of(FILLER[i])))
            return true;
    }
    return mn_calendar_weekday(word) != 0;
}

static bool read_piece(const char **at, struct pieces *p)
{
    if (mn_letter_digit(**at))
        return read_number(at, p);
    if (mn_letter_latin(**at))
        return read_word(at, p);
    if (**at == '+' || **at == '-')
        return p->hour != -1 && read_offset(at, p);
    if (eat(at, "上午"))
        return set(&p->half, 0, 0, 12);
    return eat(at, "下午") && set(&p->half, 12, 0, 12);
}

static bool read_pieces(const char *at, struct pieces *p)
{
    while (*at) {
        if (strchr(" ,()[]", *at))
            at++;
        else if (!read_piece(&at, p))
            return false;
    }
    return p->year != -1 && p->month != -1 && p->day != -1;
}

enum mneme_status mn_when_parse_spelled(const char *text, int64_t *ret_ms, struct mneme_error *err)
{
    struct pieces p = { -1, -1, -1, -1, 0, 0, -1, false, 0 };
    char lower[SPELLED_BYTES_MAX + 1];
    size_t bytes = text ? strlen(text) : 0;
    int64_t ms;

    if (mn_time_parse("time", text, ret_ms, NULL) == MNEME_OK)
        return MNEME_OK;
    if (bytes == 0 || bytes > SPELLED_BYTES_MAX)
        return mn_fail(err, MNEME_INVALID, "time: %zu bytes, expected 1 to %d", bytes,
                       SPELLED_BYTES_MAX);
    for (size_t i = 0; i <= bytes; i++)
        lower[i] = mn_letter_to_lower(text[i]);
    if (!read_pieces(lower, &p))
        return mn_fail(err, MNEME_INVALID, "time: '%s' is no instant that can be read", text);
    if (p.day > mn_calendar_days_of_month(p.year, p.month) ||
        (p.half != -1 && (p.hour < 0 || p.hour > 12 || (p.hour == 0 && p.half == 12))))
        return mn_fail(err, MNEME_INVALID, "time: '%s' does not exist", text);
    if (p.half != -1)
        p.hour = p.hour % 12 + p.half;
    if (p.hour == -1)
        p.hour = 0;
    ms = mn_days_from_civil(p.year, p.month, p.day) * MN_DAY_MS +
         ((p.hour * 60 + p.minute - p.offset_minutes) * INT64_C(60) + p.second) * 1000;
    *ret_ms = ms ? ms : 1; /* 0 means absent */
    return MNEME_OK;
}
