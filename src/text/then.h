/*
 * then.h - a time that a request tells by what happened then: "the day I adopted Luna", 我搬家那天.
 *
 * Pure. English and Chinese. A text is as mn_fold_cased() leaves it, with its NUL. When the event was is for its
 * memory to say; from that day the time that is meant is reckoned here.
 */
#ifndef MN_TEXT_THEN_H
#define MN_TEXT_THEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum mn_then_side {
    MN_THEN_DURING = 1, /* the days of the event */
    MN_THEN_SAME,       /* the day, week, month or year it was in */
    MN_THEN_BEFORE,
    MN_THEN_AFTER
};

struct mn_then {
    struct mn_str phrase; /* "the week after the Berlin trip" */
    struct mn_str event;  /* "the Berlin trip" */
    enum mn_then_side side;
    int days; /* how long: 1, 7, 30, 365 or a multiple */
    int away; /* so many times `days` before or after it; 0: right beside it */
};

/* Does the request ask what was at such a time? Not where it orders or plans something, nor where
 * the event is itself a date. The first such phrase counts. */
bool mn_then_asked(struct mn_str request, struct mn_then *ret_then);

/* Does this, the rest of a request that names a time, ask what happened, and of nothing in particular:
 * "what did I do", 我做了什么? */
bool mn_then_open(struct mn_str before, struct mn_str behind);

/* That time, in whole days of the zone, where the event was within [from, until). False: that is
 * too long to tell which is meant. */
bool mn_then_range(const struct mn_then *then, int64_t from_ms, int64_t until_ms, const char *zone,
                   int64_t *ret_from_ms, int64_t *ret_until_ms);

#endif
