/*
 * when_en.c - time phrases in English.
 */
#include <string.h>

#include "text/calendar.h"
#include "text/letters.h"
#include "text/when_read.h"

static bool word(const char **at, const char *literal)
{
    const char *p = *at;

    if (!mn_when_eat(&p, literal) || mn_letter_word(*p))
        return false;
    *at = p;
    return true;
}

/* A word and the space behind it. */
static bool lead(const char **at, const char *literal)
{
    const char *p = *at;

    if (!word(&p, literal) || *p != ' ')
        return false;
    *at = p + 1;
    return true;
}

static struct mn_str letters(const char *at)
{
    struct mn_str found = { at, 0 };

    while (mn_letter_latin(at[found.bytes]))
        found.bytes++;
    return found;
}

static bool english_count(const char **at, int *ret_count)
{
    static const char *const WORD[] = { "one",   "two",   "three", "four", "five",   "six",
                                        "seven", "eight", "nine",  "ten",  "eleven", "twelve" };

    if (mn_letter_digit(**at)) {
        const char *p = *at;

        if (!mn_calendar_number(&p, ret_count) || *p++ != ' ' || *ret_count > MN_WHEN_COUNT_MAX)
            return false;
        *at = p;
        return true;
    }
    for (int i = 0; i < 12; i++) {
        if (lead(at, WORD[i])) {
            *ret_count = i + 1;
            return true;
        }
    }
    if (lead(at, "a couple of") || lead(at, "couple of") || lead(at, "couple")) {
        *ret_count = 2;
        return true;
    }
    if (lead(at, "a few") || lead(at, "few") || lead(at, "several")) {
        *ret_count = MN_WHEN_FEW;
        return true;
    }
    *ret_count = 1;
    return lead(at, "a") || lead(at, "an");
}

static enum mn_when_unit english_unit(const char **at)
{
    static const struct {
        const char *name;
        enum mn_when_unit unit;
    } UNIT[] = { { "hour", MN_WHEN_UNIT_HOUR },       { "day", MN_WHEN_UNIT_DAY },
                 { "week", MN_WHEN_UNIT_WEEK },       { "month", MN_WHEN_UNIT_MONTH },
                 { "quarter", MN_WHEN_UNIT_QUARTER }, { "year", MN_WHEN_UNIT_YEAR } };

    for (size_t i = 0; i < sizeof UNIT / sizeof UNIT[0]; i++) {
        const char *p = *at;

        if (mn_when_eat(&p, UNIT[i].name)) {
            (void)(*p == 's' && p++);
            if (!mn_letter_word(*p)) {
                *at = p;
                return UNIT[i].unit;
            }
        }
    }
    return MN_WHEN_UNIT_NONE;
}

static bool english_fixed(const char **at, struct mn_when_meaning *m)
{
    static const struct {
        const char *words;
        int offset; /* days */
    } FIXED[] = { { "the day before yesterday", -2 },
                  { "day before yesterday", -2 },
                  { "the day after tomorrow", 2 },
                  { "day after tomorrow", 2 },
                  { "yesterday", -1 },
                  { "last night", -1 },
                  { "today", 0 },
                  { "tonight", 0 },
                  { "this morning", 0 },
                  { "this afternoon", 0 },
                  { "this evening", 0 },
                  { "tomorrow", 1 } };

    for (size_t i = 0; i < sizeof FIXED / sizeof FIXED[0]; i++) {
        if (word(at, FIXED[i].words)) {
            *m = mn_when_block(MN_WHEN_UNIT_DAY, FIXED[i].offset);
            return true;
        }
    }
    return false;
}

/* A day of the month, with or without st, nd, rd, th. */
static bool english_day(const char **at, int *ret_day)
{
    const char *p = *at;

    if (!mn_when_digits(&p, 1, ret_day) && !mn_when_digits(&p, 2, ret_day))
        return false;
    if (!mn_when_eat(&p, "st") && !mn_when_eat(&p, "nd") && !mn_when_eat(&p, "rd"))
        (void)mn_when_eat(&p, "th");
    if (mn_letter_word(*p) || *ret_day < 1 || *ret_day > 31)
        return false;
    *at = p;
    return true;
}

/* " 2026", ", 2026", " of 2026" if it follows. */
static void english_year(const char **at, int *year)
{
    const char *p = *at;

    (void)mn_when_eat(&p, ",");
    if (!mn_when_eat(&p, " of ") && !mn_when_eat(&p, " "))
        return;
    if (mn_when_year(&p, year) && mn_when_ends(p))
        *at = p;
    else
        *year = 0;
}

/* "may 3rd, 2026", "may 2026", "3 may 2026", "may" where `bare` allows it. */
static bool english_month(const char **at, bool bare, struct mn_when_meaning *m)
{
    const char *p = *at;
    struct mn_when_meaning date = { .shape = MN_WHEN_SHAPE_DATE };
    struct mn_str name;

    if (english_day(&p, &date.day)) {
        if (!mn_when_eat(&p, " of ") && !mn_when_eat(&p, " "))
            return false;
    }
    name = letters(p);
    date.month = mn_calendar_month(name);
    if (!date.month || mn_letter_word(p[name.bytes]))
        return false;
    p += name.bytes;
    (void)(name.bytes == 3 && *p == '.' && p[1] == ' ' && p++);
    if (!date.day) {
        const char *behind = p;

        if (mn_when_eat(&behind, " ") && english_day(&behind, &date.day) && mn_when_ends(behind))
            p = behind;
        else
            date.day = 0;
    }
    english_year(&p, &date.year);
    if ((!date.day && !date.year && !bare) || !mn_when_ends(p))
        return false;
    if (!date.day && !date.year && p[0] == ' ' && p[1] >= '0' && p[1] <= '9')
        return false; /* "September 45" is no day, and not the month either */
    *at = p;
    *m = date;
    return true;
}

/* "q3 2026", "the third quarter", "2026 q3". */
static bool english_quarter(const char **at, bool bare, struct mn_when_meaning *m)
{
    static const char *const ORDINAL[] = { "first quarter", "second quarter", "third quarter",
                                           "fourth quarter" };
    struct mn_when_meaning quarter = { .shape = MN_WHEN_SHAPE_QUARTER };
    const char *p = *at;

    if (mn_when_year(&p, &quarter.year) && !mn_when_eat(&p, " "))
        return false;
    for (int i = 0; i < 4 && !quarter.day; i++) {
        if (word(&p, ORDINAL[i])) {
            quarter.day = i + 1;
            bare = true;
        }
    }
    if (!quarter.day && p[0] == 'q' && p[1] >= '1' && p[1] <= '4' && !mn_letter_word(p[2])) {
        quarter.day = p[1] - '0';
        p += 2;
    }
    if (!quarter.day)
        return false;
    if (!quarter.year)
        english_year(&p, &quarter.year);
    if ((!quarter.year && !bare) || !mn_when_ends(p))
        return false;
    *at = p;
    *m = quarter;
    return true;
}

/* What follows last, past, this, next, ... */
static bool english_relative(const char **at, struct mn_when_meaning *m)
{
    static const struct {
        const char *word;
        enum mn_when_pick pick;
        bool spans; /* "past week" is the last seven days */
    } FIRST[] = {
        { "last", MN_WHEN_PICK_LAST, false },    { "previous", MN_WHEN_PICK_LAST, false },
        { "past", MN_WHEN_PICK_LAST, true },     { "this", MN_WHEN_PICK_THIS, false },
        { "current", MN_WHEN_PICK_THIS, false }, { "next", MN_WHEN_PICK_NEXT, false },
        { "coming", MN_WHEN_PICK_NEXT, false },  { "upcoming", MN_WHEN_PICK_NEXT, false }
    };
    const char *p = *at;
    size_t i = 0;
    int sign;
    int count = 1;
    enum mn_when_unit unit;
    int weekday;

    while (i < sizeof FIRST / sizeof FIRST[0] && !lead(&p, FIRST[i].word))
        i++;
    if (i == sizeof FIRST / sizeof FIRST[0])
        return false;
    sign = FIRST[i].pick == MN_WHEN_PICK_LAST ? -1 : FIRST[i].pick == MN_WHEN_PICK_NEXT ? 1 : 0;
    *at = p;
    if (sign != 0 && english_count(&p, &count)) {
        unit = english_unit(&p);
        *at = p;
        *m = mn_when_span(unit, sign * count);
        return unit != MN_WHEN_UNIT_NONE;
    }
    p = *at;
    if (word(at, "weekend")) {
        *m = (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_WEEKEND, .offset = sign };
        return true;
    }
    unit = english_unit(at);
    if (unit != MN_WHEN_UNIT_NONE) {
        *m = FIRST[i].spans ? mn_when_span(unit, -1) : mn_when_block(unit, sign);
        return unit > MN_WHEN_UNIT_DAY ||
               FIRST[i].spans; /* "the last day of ..." is no day of ours */
    }
    weekday = mn_calendar_weekday(letters(p));
    if (weekday) {
        *at = p + letters(p).bytes;
        *m = (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_WEEKDAY,
                                       .day = weekday,
                                       .pick = FIRST[i].pick };
        return true;
    }
    if (!english_month(at, true, m))
        return false;
    m->pick = FIRST[i].pick;
    return true;
}

/* "friday next week". */
static bool english_weekday(const char **at, struct mn_when_meaning *m)
{
    static const char *const WEEK[] = { " last week", " this week", " next week" };
    struct mn_str name = letters(*at);
    int weekday = mn_calendar_weekday(name);
    const char *p = *at + name.bytes;

    for (int i = 0; weekday && i < 3; i++) {
        if (mn_when_eat(&p, WEEK[i])) {
            *at = p;
            *m = (struct mn_when_meaning){
                .shape = MN_WHEN_SHAPE_WEEKDAY, .day = weekday, .in_week = true, .offset = i - 1
            };
            return true;
        }
    }
    return false;
}

static bool english_ago(const char **at, struct mn_when_meaning *m)
{
    int count;
    enum mn_when_unit unit;

    if (!english_count(at, &count))
        return false;
    unit = english_unit(at);
    if (unit == MN_WHEN_UNIT_NONE || !mn_when_eat(at, " ago"))
        return false;
    *m = count == MN_WHEN_FEW ? mn_when_span(unit, -MN_WHEN_FEW) : mn_when_block(unit, -count);
    return true;
}

/* "in 3 days", "two weeks from now". */
static bool english_ahead(const char **at, struct mn_when_meaning *m)
{
    bool in = lead(at, "in");
    int count;
    enum mn_when_unit unit;

    if (!english_count(at, &count))
        return false;
    unit = english_unit(at);
    if (unit == MN_WHEN_UNIT_NONE || (!in && !mn_when_eat(at, " from now")))
        return false;
    *m = count == MN_WHEN_FEW ? mn_when_span(unit, MN_WHEN_FEW) : mn_when_block(unit, count);
    return true;
}

/* What may stand behind a preposition only: a bare month, weekday or year. */
static bool english_bare(const char **at, bool on, struct mn_when_meaning *m)
{
    const char *p = *at;
    int weekday = mn_calendar_weekday(letters(p));
    int year;

    (void)(lead(&p, "early") || lead(&p, "late") || lead(&p, "mid") || mn_when_eat(&p, "mid-"));
    if (english_month(&p, true, m) || english_quarter(&p, true, m)) {
        *at = p;
        return true;
    }
    p = *at;
    if (on && english_weekday(&p, m)) {
        *at = p;
        return true;
    }
    if (weekday && on) {
        *at = p + letters(p).bytes;
        *m = (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_WEEKDAY,
                                       .day = weekday,
                                       .pick = MN_WHEN_PICK_LATEST };
        return true;
    }
    if (!on && mn_when_year(&p, &year) && mn_when_ends(p)) {
        *at = p;
        *m = (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_DATE, .year = year };
        return true;
    }
    return false;
}

/* Phrases that say by themselves that they are times. */
static bool english_free(const char **at, struct mn_when_meaning *m)
{
    static bool (*const READ[])(const char **, struct mn_when_meaning *) = {
        english_fixed, english_weekday, english_relative, english_ago
    };
    const char *p;

    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++) {
        p = *at;
        if (READ[i](&p, m) && mn_when_ends(p)) {
            *at = p;
            return true;
        }
    }
    p = *at;
    if (!english_month(&p, false, m) && !english_quarter(&p, false, m))
        return false;
    *at = p;
    return true;
}

bool mn_when_english(const char **at, struct mn_when_meaning *m)
{
    static const struct {
        const char *word;
        enum mn_when_side side;
        bool on; /* goes with weekdays, not with years */
    } PREPOSITION[] = {
        { "since", MN_WHEN_SIDE_SINCE, true },    { "after", MN_WHEN_SIDE_AFTER, true },
        { "before", MN_WHEN_SIDE_BEFORE, true },  { "in", MN_WHEN_SIDE_WITHIN, false },
        { "during", MN_WHEN_SIDE_WITHIN, false }, { "of", MN_WHEN_SIDE_WITHIN, false },
        { "for", MN_WHEN_SIDE_WITHIN, false },    { "from", MN_WHEN_SIDE_WITHIN, false },
        { "by", MN_WHEN_SIDE_WITHIN, false },     { "until", MN_WHEN_SIDE_WITHIN, false },
        { "on", MN_WHEN_SIDE_WITHIN, true }
    };
    const char *p = *at;

    if (english_ahead(&p, m) && mn_when_ends(p)) { /* before "in May" */
        *at = p;
        return true;
    }
    p = *at;
    for (size_t i = 0; i < sizeof PREPOSITION / sizeof PREPOSITION[0]; i++) {
        bool dated = PREPOSITION[i].side != MN_WHEN_SIDE_WITHIN;
        bool found;

        if (!lead(&p, PREPOSITION[i].word))
            continue;
        (void)lead(&p, "the");
        found = english_bare(&p, PREPOSITION[i].on, m) ||
                (dated &&
                 (english_bare(&p, false, m) || english_free(&p, m) || mn_when_iso_date(&p, m)));
        if (found && mn_when_ends(p)) {
            m->side = PREPOSITION[i].side;
            *at = p;
            return true;
        }
        return false;
    }
    return english_free(at, m);
}
