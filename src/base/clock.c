/*
 * clock.c - the calendar by arithmetic, RFC 3339 by hand, UUIDv7 in order.
 *
 * The calendar counts from March, so that the leap day is the last of its year and a month's start
 * is a straight line (153 days in five months). No libc call reads or prints a date: those know
 * locales and time zones, and we want neither.
 *
 * Ids made in one process within one millisecond are in order: the 12 bits behind the time count up
 * (RFC 9562, 6.2 method 1) and spill into the time when they run over. A clock that steps back a
 * little, as when two threads read it and arrive in the other order, does not undo this; a caller
 * who hands in a time further back has his way.
 */
#include "base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <mneme/memory.h>

#include "base/str.h"

#define DAYS_TO_1970 719468 /* from 0000-03-01 */
#define DAYS_OF_400_YEARS 146097
#define ID_STEP_BACK_MS 100
#define ID_PREFIX_BYTES_MAX (MN_ID_BYTES - 1 - 37)

static int64_t read_us(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t mn_clock_now_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

int64_t mn_clock_monotonic_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t mn_clock_cpu_us(void)
{
    return read_us(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- the calendar ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t mn_days_from_civil(int year, int month, int day)
{
    int64_t y = (int64_t)year - (month <= 2); /* years begin in March */
    int64_t era = floor_div(y, 400);
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

    return era * DAYS_OF_400_YEARS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
           day_of_year - DAYS_TO_1970;
}

void mn_civil_from_days(int64_t days, int *year, int *month, int *day)
{
    int64_t since = days + DAYS_TO_1970;
    int64_t era = floor_div(since, DAYS_OF_400_YEARS);
    int64_t day_of_era = since - era * DAYS_OF_400_YEARS;
    /* leap days before this one are taken out, put in and taken out: 4, 100 and 400 years */
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;

    *day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

static int days_of_month(int year, int month)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return month == 2 && leap ? 29 : DAYS[month - 1];
}

/* ---- RFC 3339 ---- */

/* Exactly `digits` digits; moves on behind them. */
static bool read_digits(const char **at, int digits, int *ret_value)
{
    int value = 0;

    for (int i = 0; i < digits; i++) {
        char c = (*at)[i];

        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (c - '0');
    }
    *at += digits;
    *ret_value = value;
    return true;
}

static bool read_char(const char **at, char c)
{
    if (**at != c)
        return false;
    *at += 1;
    return true;
}

static bool read_date(const char **at, int *year, int *month, int *day)
{
    return read_digits(at, 4, year) && read_char(at, '-') && read_digits(at, 2, month) &&
           read_char(at, '-') && read_digits(at, 2, day);
}

/* ".5", ".123456": cut to milliseconds, towards the past. */
static bool read_fraction(const char **at, int *ret_ms)
{
    int digits = 0;
    int ms = 0;

    for (; **at >= '0' && **at <= '9'; *at += 1, digits++) {
        if (digits < 3)
            ms = ms * 10 + (**at - '0');
    }
    if (digits == 0)
        return false;
    for (int i = digits; i < 3; i++)
        ms *= 10;
    *ret_ms = ms;
    return true;
}

struct time_of_day {
    int hour, minute, second, ms;
    int offset_minutes;
};

static bool read_time(const char **at, struct time_of_day *ret_time)
{
    struct time_of_day t = {0};
    int sign;
    int hours;
    int minutes;

    if (!read_digits(at, 2, &t.hour) || !read_char(at, ':') || !read_digits(at, 2, &t.minute) ||
        !read_char(at, ':') || !read_digits(at, 2, &t.second))
        return false;
    if (read_char(at, '.') && !read_fraction(at, &t.ms))
        return false;
    if (**at == '+' || **at == '-') {
        sign = **at == '-' ? -1 : 1;
        *at += 1;
        if (!read_digits(at, 2, &hours) || !read_char(at, ':') || !read_digits(at, 2, &minutes) ||
            hours > 23 || minutes > 59)
            return false;
        t.offset_minutes = sign * (hours * 60 + minutes);
    } else if (**at == 'Z' || **at == 'z') {
        *at += 1;
    }
    *ret_time = t;
    return true;
}

enum mneme_status mn_time_parse(const char *name, const char *text, int64_t *ret_ms,
                                struct mneme_error *err)
{
    const char *at = mn_or_empty(text);
    struct time_of_day t = {0};
    int year, month, day;
    int64_t ms;
    bool read = read_date(&at, &year, &month, &day);

    if (read && *at != '\0') {
        read = *at == 'T' || *at == 't' || *at == ' ';
        at += read;
        read = read && read_time(&at, &t) && *at == '\0';
    }
    if (!read)
        return mn_fail(err, MNEME_INVALID,
                       "%s: '%.40s' is not a time such as 2026-10-14T09:00:00Z or a date such as "
                       "2026-10-14",
                       name, mn_or_empty(text));
    if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
        return mn_fail(err, MNEME_INVALID, "%s: '%.40s' names no day of the calendar", name, text);
    if (t.second == 60)
        return mn_fail(err, MNEME_INVALID, "%s: '%.40s' is a leap second, which cannot be stored",
                       name, text);
    if (t.hour > 23 || t.minute > 59 || t.second > 59)
        return mn_fail(err, MNEME_INVALID, "%s: '%.40s' names no time of the day", name, text);

    ms = mn_days_from_civil(year, month, day) * MN_DAY_MS +
         ((t.hour * 60 + t.minute - t.offset_minutes) * INT64_C(60) + t.second) * 1000 + t.ms;
    if (ms < mn_days_from_civil(0, 1, 1) * MN_DAY_MS ||
        ms >= mn_days_from_civil(10000, 1, 1) * MN_DAY_MS)
        return mn_fail(err, MNEME_INVALID, "%s: '%.40s' is outside the years 0000 to 9999 in UTC",
                       name, text);
    *ret_ms = ms ? ms : 1; /* 0 means absent */
    return MNEME_OK;
}

#define SECONDS "2026-10-14T09:00:00Z"

/* Two digits of a number below 100. */
static char *put_two(char *to, int number, char behind)
{
    to[0] = (char)('0' + number / 10);
    to[1] = (char)('0' + number % 10);
    to[2] = behind;
    return to + 3;
}

char *mn_time_print(int64_t at_ms, char *buffer, size_t buffer_bytes)
{
    int64_t days = floor_div(at_ms, MN_DAY_MS);
    int ms_of_day = (int)((at_ms % MN_DAY_MS + MN_DAY_MS) % MN_DAY_MS);
    int second = ms_of_day / 1000;
    int year, month, day;
    char fraction[8] = "";

    mn_civil_from_days(days, &year, &month, &day);
    if (ms_of_day % 1000 == 0 && year >= 0 && year <= 9999 && buffer_bytes > sizeof SECONDS) {
        char *to = put_two(put_two(buffer, year / 100, ' ') - 1, year % 100, '-');

        to = put_two(put_two(to, month, '-'), day, 'T');
        to = put_two(put_two(to, second / 3600, ':'), second / 60 % 60, ':');
        *put_two(to, second % 60, 'Z') = '\0';
        return buffer;
    }
    if (ms_of_day % 1000)
        (void)snprintf(fraction, sizeof fraction, ".%03d", ms_of_day % 1000);
    (void)snprintf(buffer, buffer_bytes, "%04d-%02d-%02dT%02d:%02d:%02d%sZ", year, month, day,
                   second / 3600, second / 60 % 60, second % 60, fraction);
    return buffer;
}

enum mneme_status mneme_time_parse(const char *text, int64_t *ret_ms, struct mneme_error *err)
{
    if (!ret_ms || !text)
        return mn_fail(err, MNEME_INVALID, "%s: is NULL", text ? "ret_ms" : "text");
    return mn_time_parse("time", text, ret_ms, err);
}

char *mneme_time_print(int64_t at_ms, char *buffer, size_t buffer_bytes)
{
    return mn_time_print(at_ms, buffer, buffer_bytes);
}

/* ---- ids ---- */

static struct {
    pthread_mutex_t mutex;
    int64_t asked_ms; /* the time of the last call */
    uint64_t stamp;   /* its 48 bits of time and 12 of counting */
} last_id = {PTHREAD_MUTEX_INITIALIZER, -1, 0};

/* Where the kernel gives none (getrandom came with Linux 3.17), ids differ by time and place. */
static void fill_random(uint64_t random[2])
{
    if (getrandom(random, 2 * sizeof random[0], 0) == (ssize_t)(2 * sizeof random[0]))
        return;
    random[0] = (uint64_t)read_us(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15);
    random[1] = random[0] ^ ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)&random;
}

static uint64_t next_stamp(int64_t now_ms, uint64_t random)
{
    /* the top bit of the counter begins as 0: at least 2048 ids before it spills */
    uint64_t fresh = ((uint64_t)now_ms << 12) | (random & 0x7ff);
    uint64_t stamp;

    (void)pthread_mutex_lock(&last_id.mutex);
    if (now_ms > last_id.asked_ms) {
        stamp = fresh > last_id.stamp ? fresh : last_id.stamp + 1;
        last_id.asked_ms = now_ms;
    } else if (now_ms > last_id.asked_ms - ID_STEP_BACK_MS) {
        stamp = last_id.stamp + 1;
    } else {
        stamp = fresh;
        last_id.asked_ms = now_ms;
    }
    last_id.stamp = stamp;
    (void)pthread_mutex_unlock(&last_id.mutex);
    return stamp;
}

static char *put_hex(char *to, uint64_t value, int digits)
{
    for (int i = digits; i-- > 0; value >>= 4)
        to[i] = "0123456789abcdef"[value & 0xf];
    return to + digits;
}

void mn_id_make(const char *prefix, int64_t now_ms, char id[MN_ID_BYTES])
{
    const int64_t now_max_ms = (INT64_C(1) << 48) - 1;
    uint64_t random[2];
    uint64_t stamp;

    assert(strlen(prefix) <= ID_PREFIX_BYTES_MAX);
    if (now_ms < 0)
        now_ms = 0;
    if (now_ms > now_max_ms)
        now_ms = now_max_ms;
    fill_random(random);
    stamp = next_stamp(now_ms, random[0]);
    id = stpcpy(id, prefix);
    *id++ = '_';
    id = put_hex(id, stamp >> 28, 8);
    *id++ = '-';
    id = put_hex(id, stamp >> 12, 4);
    *id++ = '-';
    id = put_hex(id, 0x7000 | (stamp & 0xfff), 4); /* a UUID of version 7 */
    *id++ = '-';
    id = put_hex(id, 0x8000 | (random[1] >> 48 & 0x3fff), 4);
    *id++ = '-';
    *put_hex(id, random[1], 12) = '\0';
}
