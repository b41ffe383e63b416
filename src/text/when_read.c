/*
 * when_read.c - what reading time phrases needs in either language.
 */
#include "text/when_read.h"

#include <string.h>

#include "text/letters.h"

#define FEW_UNITS 5
#define FEW_DAYS 7

bool mn_when_eat_rest(const char **at, const char *literal)
{
    size_t bytes = strlen(literal);

    if (strncmp(*at, literal, bytes) != 0)
        return false;
    *at += bytes;
    return true;
}

/* A phrase may not end inside a word, a version or an identifier. */
bool mn_when_ends(const char *at)
{
    if (mn_letter_word(at[0]))
        return false;
    return !((at[0] == '-' || at[0] == '.') && mn_letter_word(at[1]));
}

/* Exactly `count` digits. */
bool mn_when_digits(const char **at, int count, int *ret_value)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        if (!mn_letter_digit((*at)[i]))
            return false;
        value = value * 10 + ((*at)[i] - '0');
    }
    if (mn_letter_digit((*at)[count]))
        return false;
    *at += count;
    *ret_value = value;
    return true;
}

bool mn_when_year(const char **at, int *ret_year)
{
    const char *p = *at;
    int year;

    if (!mn_when_digits(&p, 4, &year) || year < 1900 || year > 2199)
        return false;
    *at = p;
    *ret_year = year;
    return true;
}

/* 2026-09-12, 2026/9/12, 2026-09. */
bool mn_when_iso_date(const char **at, struct mn_when_meaning *m)
{
    const char *p = *at;
    struct mn_when_meaning date = { .shape = MN_WHEN_SHAPE_DATE };
    char mark;

    if (!mn_when_year(&p, &date.year) || (*p != '-' && *p != '/' && *p != '.'))
        return false;
    mark = *p++;
    if (!mn_when_digits(&p, 2, &date.month) && !(mark != '-' && mn_when_digits(&p, 1, &date.month)))
        return false;
    if (*p == mark) {
        p++;
        if (!mn_when_digits(&p, 2, &date.day) && !(mark != '-' && mn_when_digits(&p, 1, &date.day)))
            return false;
        if (*p == 't' && mn_letter_digit(p[1])) { /* a time of that day */
            while (mn_letter_word(*p) || *p == ':' || *p == '.' || *p == '+')
                p++;
        }
    } else if (mark != '-') {
        return false; /* 2026/9 and 2026.9 are no months */
    }
    if (!mn_when_ends(p))
        return false;
    *at = p;
    *m = date;
    return true;
}

struct mn_when_meaning mn_when_block(enum mn_when_unit unit, int offset)
{
    return (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_BLOCK, .unit = unit, .offset = offset };
}

struct mn_when_meaning mn_when_span(enum mn_when_unit unit, int count)
{
    int few = unit == MN_WHEN_UNIT_DAY ? FEW_DAYS : FEW_UNITS;

    if (count == MN_WHEN_FEW || count == -MN_WHEN_FEW)
        count = count < 0 ? -few : few;
    return (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_SPAN, .unit = unit, .offset = count };
}
