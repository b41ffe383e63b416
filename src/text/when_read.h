/*
 * when_read.h - what a time phrase means, in words of the calendar, before any clock is looked at.
 */
#ifndef MN_TEXT_WHEN_READ_H
#define MN_TEXT_WHEN_READ_H

#include <stdbool.h>

#include "base/str.h"

enum mn_when_unit {
    MN_WHEN_UNIT_NONE = 0,
    MN_WHEN_UNIT_HOUR,
    MN_WHEN_UNIT_DAY,
    MN_WHEN_UNIT_WEEK,
    MN_WHEN_UNIT_MONTH,
    MN_WHEN_UNIT_QUARTER,
    MN_WHEN_UNIT_YEAR
};

enum mn_when_shape {
    MN_WHEN_SHAPE_BLOCK = 1, /* the whole day, week, ... `offset` units from this one */
    MN_WHEN_SHAPE_SPAN,      /* the last (offset < 0) or next -offset units, today with them */
    MN_WHEN_SHAPE_WEEKDAY,   /* day 1..7 */
    MN_WHEN_SHAPE_WEEKEND,   /* Saturday and Sunday of the week `offset` weeks from this one */
    MN_WHEN_SHAPE_DATE,      /* year, month, day as far as known */
    MN_WHEN_SHAPE_QUARTER    /* quarter 1..4 of the year */
};

enum mn_when_pick {
    MN_WHEN_PICK_LATEST = 0,
    MN_WHEN_PICK_LAST,
    MN_WHEN_PICK_THIS,
    MN_WHEN_PICK_NEXT
};
enum mn_when_side {
    MN_WHEN_SIDE_WITHIN = 0,
    MN_WHEN_SIDE_SINCE,
    MN_WHEN_SIDE_BEFORE,
    MN_WHEN_SIDE_AFTER
};

struct mn_when_meaning {
    enum mn_when_shape shape;
    enum mn_when_unit unit;
    int offset;
    int year;         /* 0: not said */
    int month;        /* 0: not said */
    int day;          /* of the month, of the week (1 is Monday), or the quarter; 0: not said */
    bool in_week;     /* MN_WHEN_SHAPE_WEEKDAY: of the week `offset`, else by `pick` */
    bool year_offset; /* MN_WHEN_SHAPE_DATE: `offset` years from this one */
    enum mn_when_pick pick;
    enum mn_when_side side;
};

/* A phrase at *at, moved behind it. `text` is where the text begins: Chinese looks back. */
bool mn_when_english(const char **at, struct mn_when_meaning *m);
bool mn_when_chinese(const char *text, const char **at, struct mn_when_meaning *m);

/* What both readers use. */
#define MN_WHEN_COUNT_MAX 1200              /* units back; more is no phrase but a number */
#define MN_WHEN_FEW (MN_WHEN_COUNT_MAX + 1) /* as many as was not said */

bool mn_when_eat_rest(const char **at, const char *literal);
/* Nearly every literal is tried in vain: its first byte says so. */
static inline bool mn_when_eat(const char **at, const char *literal)
{
    return **at == *literal && mn_when_eat_rest(at, literal);
}
bool mn_when_ends(const char *at);                 /* no word, version or identifier goes on here */
bool mn_when_year(const char **at, int *ret_year); /* 1900..2199 */
bool mn_when_digits(const char **at, int count, int *ret_value); /* exactly so many */
bool mn_when_iso_date(const char **at,
                      struct mn_when_meaning *m); /* 2026-09-12, 2026/9/12, 2026-09 */
struct mn_when_meaning mn_when_block(enum mn_when_unit unit, int offset);
struct mn_when_meaning mn_when_span(enum mn_when_unit unit, int count);

#endif
