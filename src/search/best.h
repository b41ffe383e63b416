/*
 * best.h - the k best of many, in one pass: few of them, or hundreds.
 *
 * Few stand in a heap with the worst kept on top. Hundreds are collected until there are twice as
 * many as wanted, and then cut. The order is total (score, then the lower row), so that the same
 * rows are kept whatever the order in which they are offered.
 */
#ifndef MN_SEARCH_BEST_H
#define MN_SEARCH_BEST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* A score and its row as one number, of which the larger is better: higher, or of equals the lower
 * row. */
static inline uint64_t mn_scored_key(float score, uint32_t row)
{
    uint32_t bits;

    score += 0.0f; /* -0 is no less than 0 */
    memcpy(&bits, &score, sizeof bits);
    bits ^= bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31;
    return (uint64_t)bits << 32 | (uint32_t)~row;
}

static inline uint32_t mn_scored_key_row(uint64_t key)
{
    return ~(uint32_t)key;
}

struct mn_shortlist {
    uint64_t *key; /* lent; twice as many as kept */
    size_t count;
    size_t keep; /* at least 1 */
    float least; /* what a score must reach to be looked at; begin with -INFINITY */
};

/* Keeps the best `keep` of what is there. */
void mn_shortlist_cut(struct mn_shortlist *list);

static inline void mn_shortlist_offer(struct mn_shortlist *list, float score, uint32_t row)
{
    list->key[list->count++] = mn_scored_key(score, row);
    if (list->count == 2 * list->keep)
        mn_shortlist_cut(list);
}

#endif
