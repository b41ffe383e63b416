/*
 * age.h - what time and use make of a memory: its confidence and its importance now. Pure.
 *
 * Both are computed from what the row says and from when and how often it was recalled or used, never
 * from an earlier result: computing again changes nothing.
 */
#ifndef MN_LIFECYCLE_AGE_H
#define MN_LIFECYCLE_AGE_H

#include <stdint.h>

#include "store/store.h"

/* Days in which a confidence falls to half of what it was: that of the type (memory/type.h), but at
 * least 30 and at most 90. */
double mn_age_half_life_days(const char *type);

/*
 * The confidence at now_ms: the row's own, halved for each half-life since the memory was last written,
 * confirmed, recalled or used; after one half-life without any of that, the half-life is half as long.
 * What has an end that lies ahead does not decay, and only an unconfirmed model's inference falls below
 * 0.60: everything else stops there, or where it already stood.
 */
double mn_age_confidence(const struct mn_row *row, int64_t now_ms);

/* Of two confidences: is it worth writing the new one? Where they are 0.02 apart, or one of them is
 * recalled and the other is not. */
bool mn_age_moved(double there, double now);

/*
 * The importance at now_ms: what somebody gave it, raised by use (0.1 for the first, 0.3 at most) and by
 * bare recalls (0.05 from the 16th on), lowered by 0.1 when nothing recalled it for 90 days and by 0.2
 * after 180; in steps of 0.05, from 0.1 to 1. An administrator's word and what is of high risk is not
 * lowered.
 */
double mn_age_importance(const struct mn_row *row, int64_t now_ms);
/* What somebody gave it. */
double mn_age_importance_base(const struct mn_row *row);

#endif
