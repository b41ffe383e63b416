/*
 * then_range.c - from the days of an event to the days that are meant.
 *
 * All in whole days of the zone. What stands beside an event is reckoned from its first or last day;
 * so many weeks or months away is meant roughly, and gives the whole unit around that day.
 */
#include "text/then.h"

#include "text/when.h"

#define BESIDE_DAYS_MAX 21 /* a longer event has no day to reckon from */
#define DURING_DAYS_MAX 62
#define DAY_MS INT64_C(86400000)

/* The first instant of the day `days` days from that of `at_ms`. */
static bool day_from(int64_t at_ms, int days, const char *zone, int64_t *ret_ms)
{
    struct mn_when today = mn_when_find("today", at_ms, zone);

    if (today.found && days) /* from noon, where days of 23 hours do not count */
        today = mn_when_find("today", today.from_ms + DAY_MS / 2 + days * DAY_MS, zone);
    *ret_ms = today.from_ms;
    return today.found;
}

bool mn_then_range(const struct mn_then *then, int64_t from_ms, int64_t until_ms, const char *zone,
                   int64_t *ret_from_ms, int64_t *ret_until_ms)
{
    bool beside = then->side == MN_THEN_BEFORE || then->side == MN_THEN_AFTER;
    int64_t longest_ms = DAY_MS * (beside                           ? BESIDE_DAYS_MAX
                                   : then->side == MN_THEN_DURING ? DURING_DAYS_MAX
                                                                  : then->days + 2);
    int64_t first_ms = 0, last_ms = 0;
    int from = 0;

    if (until_ms - from_ms > longest_ms)
        return false;
    if (then->side == MN_THEN_SAME && then->days > 1) {
        static const char *const block[] = { "this week", "this month", "this year" };
        struct mn_when when = mn_when_find(block[(then->days > 7) + (then->days > 30)], from_ms, zone);

        *ret_from_ms = when.from_ms;
        *ret_until_ms = when.until_ms;
        return when.found;
    }
    if (!day_from(from_ms, 0, zone, &first_ms) || !day_from(until_ms - 1, 0, zone, &last_ms))
        return false;
    if (!beside) {
        *ret_from_ms = first_ms;
        return day_from(last_ms, 1, zone, ret_until_ms);
    }
    if (then->side == MN_THEN_AFTER)
        from = then->away ? then->days * then->away - then->days / 2 : 1;
    else
        from = -(then->away ? then->days * then->away + then->days / 2 : then->days);
    int64_t base_ms = then->side == MN_THEN_AFTER ? last_ms : first_ms;
    return day_from(base_ms, from, zone, ret_from_ms) &&
           day_from(base_ms, from + then->days, zone, ret_until_ms);
}
