/*
 * calendar.h - the English names of months and days, and reading numbers as people write them.
 */
#ifndef MN_TEXT_CALENDAR_H
#define MN_TEXT_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Of folded words. May is 5, "sept" 9; Monday is 1, Sunday 7; 0: no such name. */
int mn_calendar_month(struct mn_str word);
int mn_calendar_weekday(struct mn_str word); /* whole names */

int mn_calendar_days_of_month(int year, int month);

/* 12, 十二, 三十, 两; for years also 二零二六. Moves *at behind it. At most 9999. */
bool mn_calendar_number(const char **at, int *ret_number);

#endif
