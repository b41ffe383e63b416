/*
 * best.h - the k best of many, in one pass.
 *
 * A heap with the worst kept on top. The order is total (score, then the lower row), so that the
 * same rows are kept whatever the order in which they are offered.
 */
#ifndef MN_SEARCH_BEST_H
#define MN_SEARCH_BEST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mn_scored {
    float score; /* never NaN */
    uint32_t row;
};

struct mn_best {
    struct mn_scored *item; /* lent; as many as room */
    size_t count;
    size_t room;
};

static inline bool mn_scored_worse(struct mn_scored a, struct mn_scored b)
{
    return a.score < b.score || (a.score == b.score && a.row > b.row);
}

/* What a score must reach to be kept; -INFINITY while there is room. */
static inline float mn_best_least(const struct mn_best *best)
{
    if (best->count < best->room)
        return -INFINITY;
    return best->room ? best->item[0].score : INFINITY;
}

/* Keeps it if it is among the best so far. With room 0 nothing is kept. */
void mn_best_offer(struct mn_best *best, float score, uint32_t row);

#endif
