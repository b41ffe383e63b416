/*
 * health.h - what figures mean: which of them call for somebody, and what he should do.
 */
#ifndef MN_LIFECYCLE_HEALTH_H
#define MN_LIFECYCLE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

enum mn_figure {
    MN_FIGURE_MEMORIES = 0,
    MN_FIGURE_GROWTH, /* of a month against the month before; the one before that counts too */
    MN_FIGURE_HIT_RATE,
    MN_FIGURE_LATENCY_MS,
    MN_FIGURE_DUPLICATES,
    MN_FIGURE_UPDATES, /* a day, over the last seven */
    MN_FIGURE_BURST,   /* of the last day */
    MN_FIGURE_STALE,
    MN_FIGURE_CONTRADICTORY,
    MN_FIGURE_NEVER_RECALLED,
    MN_FIGURE_LOOPS,
    MN_FIGURE_VECTORS_MISSING,
    MN_FIGURE_COUNT
};

struct mn_figure_limit {
    const char *name;
    const char *goal; /* in words; "": none */
    double low, high; /* below or above that: an alarm; NaN: no limit on that side */
    const char *cure;
    bool of_user; /* the limit is one user's: what a tenant has in all is not held against it */
};
extern const struct mn_figure_limit mn_figure_limits[MN_FIGURE_COUNT];

/* NaN: cannot be known. with_model: vectors are made at all. */
double mn_figure_of(const struct mn_health_user *user, enum mn_figure figure, bool with_model);
bool mn_figure_alarms(enum mn_figure figure, double value);

#endif
