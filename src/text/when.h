/*
 * when.h - time phrases: "yesterday", "last week", "上个月", "3 days ago", "in two weeks", 三天后, "in May",
 * "2026-09".
 *
 * Pure: read against the instant and the zone it is given. Weeks begin on Monday. Ranges are half
 * open. Also: the instants conversations are stamped with ("1:56 pm on 8 May, 2023").
 */
#ifndef MN_TEXT_WHEN_H
#define MN_TEXT_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum mn_when_said {
    MN_WHEN_ABSOLUTE = 1, /* "8 May 2023": the same whenever it is read */
    MN_WHEN_RELATIVE,     /* "tomorrow", "last week", 下周三: of the day it is said */
    MN_WHEN_BARE,         /* "on Friday", "3 May": of the past or to come, it does not say */
    MN_WHEN_OPEN          /* a span with an open end ("since May"), or hours */
};

struct mn_when {
    bool found;
    enum mn_when_said said;
    int64_t from_ms; /* from <= t < until */
    int64_t until_ms;
    struct mn_str phrase; /* in the text that was given */
};

/* The first phrase of the (folded) text that names a range. zone: IANA name, "" is UTC. */
struct mn_when mn_when_find(const char *folded, int64_t now_ms, const char *zone);

/* The days of the zone that [from, until) covers, as "2026-10-16", "2026-10", "2026", or the first and
 * the last with `between` between them. False when the calendar does not open. */
#define MN_WHEN_DAYS_BYTES 40
bool mn_when_days(int64_t from_ms, int64_t until_ms, const char *zone, const char *between,
                  char ret_days[MN_WHEN_DAYS_BYTES]);

/* Is this an IANA zone the time zone data knows? */
bool mn_when_zone_known(const char *zone);

/* An instant as people and data sets spell it; UTC where no zone is given. RFC 3339, "2023-12-25",
 * "2023/05/20 (Sat) 02:21", "1:56 pm on 8 May, 2023", "8 May 2023", "2023年5月8日". */
enum mneme_status mn_when_parse_spelled(const char *text, int64_t *ret_ms, struct mneme_error *err);

#endif
