/*
 * when.c - time phrases.
 *
 * Two steps. Reading finds the first place where a phrase stands and says what it means in words of
 * the calendar ("weeks, one back"); it knows no clock. Resolving turns that into whole local days
 * of the zone and those into instants; ICU's calendar is opened only then, since most texts name no
 * time.
 *
 * Choices where people differ. A month or day without a year is the latest one that has begun; a
 * day within the coming month is that one. "Last Friday" is the nearest Friday before today, 上周五
 * the Friday of the week before. "Past 3 days" begins with the day three days back and ends with
 * today. "A few" is 5, of days 7. Vague words (recently, 最近) name no range. A name that is also a
 * word (may, march) needs a preposition, a day or a year beside it.
 */
#include "text/when.h"

#include <stdio.h>
#include <string.h>

#include <unicode/ucal.h>

#include "base/clock.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/when_read.h"

#define NAMED_DAY_AHEAD_MAX 31
#define ZONE_UNITS_MAX 64
#define BEFORE_GREGORIAN_MS (-8.64e15)

struct local {
    UCalendar *calendar;
    int64_t now_ms;
    int64_t today; /* days since 1970-01-01 of the zone */
    int year, month, day;
};

struct range {
    int64_t from; /* days, half open */
    int64_t until;
};

static UCalendar *open_calendar(const char *zone)
{
    UChar id[ZONE_UNITS_MAX + 1] = { 'U', 'T', 'C', 0 };
    UErrorCode status = U_ZERO_ERROR;
    UCalendar *calendar;

    if (zone && zone[0] && strlen(zone) <= ZONE_UNITS_MAX)
        u_uastrcpy(id, zone);
    calendar = ucal_open(id, -1, "en", UCAL_GREGORIAN, &status);
    if (U_FAILURE(status))
        return NULL;
    ucal_setGregorianChange(calendar, BEFORE_GREGORIAN_MS, &status); /* no Julian days */
    return calendar;
}

static bool look_at_clock(struct local *local)
{
    UErrorCode status = U_ZERO_ERROR;

    ucal_setMillis(local->calendar, (double)local->now_ms, &status);
    local->year = ucal_get(local->calendar, UCAL_YEAR, &status);
    local->month = ucal_get(local->calendar, UCAL_MONTH, &status) + 1;
    local->day = ucal_get(local->calendar, UCAL_DATE, &status);
    local->today = mn_days_from_civil(local->year, local->month, local->day);
    return U_SUCCESS(status);
}

/* The first instant of a local day. */
static int64_t day_begins_ms(const struct local *local, int64_t days)
{
    UErrorCode status = U_ZERO_ERROR;
    int year, month, day;
    double ms;

    mn_civil_from_days(days, &year, &month, &day);
    ucal_clear(local->calendar);
    ucal_setDate(local->calendar, year, month - 1, day, &status);
    ms = ucal_getMillis(local->calendar, &status);
    return U_SUCCESS(status) ? (int64_t)ms : days * MN_DAY_MS;
}

/* The first day of the month `offset` months from that of year and month. */
static int64_t month_begins(int year, int month, int offset)
{
    int months = year * 12 + month - 1 + offset;

    return mn_days_from_civil(months / 12, months % 12 + 1, 1);
}

static int64_t monday_of(int64_t days)
{
    return days - (days % 7 + 7 + 3) % 7; /* 1970-01-01 was a Thursday */
}

static struct range block_range(const struct local *local, enum mn_when_unit unit, int offset)
{
    int64_t monday = monday_of(local->today) + INT64_C(7) * offset;
    int quarter = (local->month - 1) / 3 * 3 + 1;

    switch (unit) {
    case MN_WHEN_UNIT_WEEK:
        return (struct range){ monday, monday + 7 };
    case MN_WHEN_UNIT_MONTH:
        return (struct range){ month_begins(local->year, local->month, offset),
                               month_begins(local->year, local->month, offset + 1) };
    case MN_WHEN_UNIT_QUARTER:
        return (struct range){ month_begins(local->year, quarter, 3 * offset),
                               month_begins(local->year, quarter, 3 * offset + 3) };
    case MN_WHEN_UNIT_YEAR:
        return (struct range){ mn_days_from_civil(local->year + offset, 1, 1),
                               mn_days_from_civil(local->year + offset + 1, 1, 1) };
    default:
        return (struct range){ local->today + offset, local->today + offset + 1 };
    }
}

/* The same day `count` units from today, the last of its month where that has no such day. */
static int64_t shifted(const struct local *local, enum mn_when_unit unit, int count)
{
    int months = unit == MN_WHEN_UNIT_MONTH     ? count
                 : unit == MN_WHEN_UNIT_QUARTER ? 3 * count
                                                : 12 * count;
    int64_t first;
    int64_t next;

    if (unit == MN_WHEN_UNIT_DAY || unit == MN_WHEN_UNIT_WEEK)
        return local->today + (int64_t)count * (unit == MN_WHEN_UNIT_WEEK ? 7 : 1);
    first = month_begins(local->year, local->month, months);
    next = month_begins(local->year, local->month, months + 1);
    return first + local->day - 1 < next ? first + local->day - 1 : next - 1;
}

static struct range span_range(const struct local *local, enum mn_when_unit unit, int count)
{
    int64_t other = shifted(local, unit, count);

    return count < 0 ? (struct range){ other, local->today + 1 }
                     : (struct range){ local->today, other + 1 };
}

static struct range weekday_range(const struct local *local, const struct mn_when_meaning *m)
{
    int64_t day = monday_of(local->today) + m->day - 1;

    if (m->in_week)
        day += INT64_C(7) * m->offset;
    else if (m->pick == MN_WHEN_PICK_NEXT)
        day += 7;
    else if (m->pick != MN_WHEN_PICK_THIS &&
             (day > local->today || (m->pick == MN_WHEN_PICK_LAST && day == local->today)))
        day -= 7;
    return (struct range){ day, day + 1 };
}

/* The year that a month or day without one belongs to. */
static int year_of(const struct local *local, int month, int day, enum mn_when_pick pick)
{
    bool ahead =
        day ? mn_days_from_civil(local->year, month, day) > local->today + NAMED_DAY_AHEAD_MAX
            : month > local->month;

    switch (pick) {
    case MN_WHEN_PICK_THIS:
        return local->year;
    case MN_WHEN_PICK_LAST:
        return month < local->month ? local->year : local->year - 1;
    case MN_WHEN_PICK_NEXT:
        return month > local->month ? local->year : local->year + 1;
    default:
        return ahead ? local->year - 1 : local->year;
    }
}

static bool date_range(const struct local *local, const struct mn_when_meaning *m,
                       struct range *ret_range)
{
    int year = m->year_offset ? local->year + m->offset : m->year;
    int64_t first;

    if (m->shape == MN_WHEN_SHAPE_QUARTER) {
        if (m->day > 4)
            return false;
        if (!year)
            year = (m->day - 1) * 3 + 1 > local->month ? local->year - 1 : local->year;
        first = mn_days_from_civil(year, (m->day - 1) * 3 + 1, 1);
        *ret_range = (struct range){ first, month_begins(year, (m->day - 1) * 3 + 1, 3) };
        return true;
    }
    if (!m->month) {
        *ret_range =
            (struct range){ mn_days_from_civil(year, 1, 1), mn_days_from_civil(year + 1, 1, 1) };
        return true;
    }
    if (m->month > 12)
        return false;
    if (!year)
        year = year_of(local, m->month, m->day, m->pick);
    if (m->day > mn_calendar_days_of_month(year, m->month))
        return false;
    first = mn_days_from_civil(year, m->month, m->day ? m->day : 1);
    *ret_range = (struct range){ first, m->day ? first + 1 : month_begins(year, m->month, 1) };
    return true;
}

static bool day_range(const struct local *local, const struct mn_when_meaning *m,
                      struct range *ret_range)
{
    int64_t monday = monday_of(local->today);

    switch (m->shape) {
    case MN_WHEN_SHAPE_BLOCK:
        *ret_range = block_range(local, m->unit, m->offset);
        return true;
    case MN_WHEN_SHAPE_SPAN:
        *ret_range = span_range(local, m->unit, m->offset);
        return true;
    case MN_WHEN_SHAPE_WEEKDAY:
        *ret_range = weekday_range(local, m);
        return true;
    case MN_WHEN_SHAPE_WEEKEND:
        *ret_range = (struct range){ monday + INT64_C(7) * m->offset + 5,
                                     monday + INT64_C(7) * m->offset + 7 };
        return true;
    default:
        return date_range(local, m, ret_range);
    }
}

static bool resolve(const struct mn_when_meaning *m, int64_t now_ms, const char *zone,
                    struct mn_when *when)
{
    const int64_t hour_ms = MN_DAY_MS / 24;
    struct local local = { .now_ms = now_ms };
    struct range range;
    bool found;

    if (m->unit == MN_WHEN_UNIT_HOUR) {
        int64_t then_ms = now_ms + m->offset * hour_ms;

        if (m->shape == MN_WHEN_SHAPE_BLOCK) { /* around that hour */
            when->from_ms = then_ms - hour_ms / 2;
            when->until_ms = then_ms + hour_ms / 2;
        } else {
            when->from_ms = then_ms < now_ms ? then_ms : now_ms;
            when->until_ms = (then_ms > now_ms ? then_ms : now_ms) + 1;
        }
        return true;
    }
    local.calendar = open_calendar(zone);
    if (!local.calendar)
        return false;
    found = look_at_clock(&local) && day_range(&local, m, &range);
    if (found && m->side == MN_WHEN_SIDE_SINCE)
        range.until = range.from <= local.today ? local.today + 1 : range.until;
    if (found && m->side == MN_WHEN_SIDE_AFTER)
        range = (struct range){ range.until,
                                range.until <= local.today ? local.today + 1 : range.until + 1 };
    if (found && m->side == MN_WHEN_SIDE_BEFORE)
        range = (struct range){ mn_days_from_civil(1, 1, 1), range.from };
    if (found) {
        when->from_ms = day_begins_ms(&local, range.from);
        when->until_ms = day_begins_ms(&local, range.until);
    }
    ucal_close(local.calendar);
    return found;
}

/* ---- days as they are written ---- */

static bool day_of(struct local *local, int64_t at_ms)
{
    local->now_ms = at_ms;
    return look_at_clock(local);
}

/* Of the years 0001 to 9999 in every zone: what is outside has no date of four digits. */
#define FIRST_WRITTEN_MS INT64_C(-62135424000000)
#define LAST_WRITTEN_MS INT64_C(253402128000000)

bool mn_when_days(int64_t from_ms, int64_t until_ms, const char *zone, const char *between,
                  char ret_days[MN_WHEN_DAYS_BYTES])
{
    bool written = from_ms >= FIRST_WRITTEN_MS && until_ms <= LAST_WRITTEN_MS;
    struct local first = { .calendar = written ? open_calendar(zone) : NULL };
    struct local last = first;
    bool known = first.calendar && day_of(&first, from_ms) && day_of(&last, until_ms - 1);
    bool whole = known && first.day == 1 &&
                 last.day == mn_calendar_days_of_month(last.year, last.month) &&
                 first.year == last.year;

    if (first.calendar)
        ucal_close(first.calendar);
    if (!known)
        return false;
    if (whole && first.month == 1 && last.month == 12)
        (void)snprintf(ret_days, MN_WHEN_DAYS_BYTES, "%04d", first.year);
    else if (whole && first.month == last.month)
        (void)snprintf(ret_days, MN_WHEN_DAYS_BYTES, "%04d-%02d", first.year, first.month);
    else if (first.today == last.today)
        (void)snprintf(ret_days, MN_WHEN_DAYS_BYTES, "%04d-%02d-%02d", first.year, first.month,
                       first.day);
    else
        (void)snprintf(ret_days, MN_WHEN_DAYS_BYTES, "%04d-%02d-%02d%s%04d-%02d-%02d", first.year,
                       first.month, first.day, between, last.year, last.month, last.day);
    return true;
}

/* ---- finding ---- */

static enum mn_when_said said_of(const struct mn_when_meaning *m)
{
    if (m->side != MN_WHEN_SIDE_WITHIN || m->unit == MN_WHEN_UNIT_HOUR ||
        (m->shape == MN_WHEN_SHAPE_SPAN && (m->offset == -MN_WHEN_FEW || m->offset == MN_WHEN_FEW)))
        return MN_WHEN_OPEN;
    switch (m->shape) {
    case MN_WHEN_SHAPE_BLOCK:
    case MN_WHEN_SHAPE_SPAN:
    case MN_WHEN_SHAPE_WEEKEND:
        return MN_WHEN_RELATIVE;
    case MN_WHEN_SHAPE_WEEKDAY:
        return m->in_week || m->pick != MN_WHEN_PICK_LATEST ? MN_WHEN_RELATIVE : MN_WHEN_BARE;
    case MN_WHEN_SHAPE_DATE:
    case MN_WHEN_SHAPE_QUARTER:
        break;
    }
    if (m->year_offset || (!m->year && m->pick != MN_WHEN_PICK_LATEST))
        return MN_WHEN_RELATIVE;
    return m->year ? MN_WHEN_ABSOLUTE : MN_WHEN_BARE;
}

static bool begins_word(const char *text, const char *at)
{
    if (at == text)
        return true;
    return !mn_letter_word(at[-1]) &&
           !((at[-1] == '-' || at[-1] == '.' || at[-1] == '/') && mn_letter_digit(*at));
}

struct mn_when mn_when_find(const char *folded, int64_t now_ms, const char *zone)
{
    struct mn_when when = { 0 };

    for (const char *at = folded; *at; at++) {
        struct mn_when_meaning m = { 0 };
        const char *end = at;
        unsigned char lead_byte = (unsigned char)*at;
        bool read = false;

        if (lead_byte >= 0xc0 || (mn_letter_digit(*at) && begins_word(folded, at)))
            read = mn_when_chinese(folded, &end, &m);
        if (!read && lead_byte < 0x80 && mn_letter_word(*at) && begins_word(folded, at)) {
            end = at;
            m = (struct mn_when_meaning){ 0 };
            read = mn_when_english(&end, &m) || (end = at, mn_when_iso_date(&end, &m));
        }
        if (!read || !resolve(&m, now_ms, zone, &when))
            continue;
        when.found = true;
        when.said = said_of(&m);
        when.phrase = (struct mn_str){ at, (size_t)(end - at) };
        return when;
    }
    return when;
}

bool mn_when_zone_known(const char *zone)
{
    UChar id[ZONE_UNITS_MAX + 1];
    UChar canonical[ZONE_UNITS_MAX + 1];
    UBool system = false;
    UErrorCode status = U_ZERO_ERROR;

    if (!zone || zone[0] == '\0' || strlen(zone) > ZONE_UNITS_MAX ||
        strcmp(zone, "Etc/Unknown") == 0)
        return false;
    u_uastrcpy(id, zone);
    (void)ucal_getCanonicalTimeZoneID(id, -1, canonical, ZONE_UNITS_MAX, &system, &status);
    return U_SUCCESS(status) && system;
}
