/*
 * around.c - each chosen turn gives those near it a share of its score; who gets most comes along.
 *
 * The sums stand in a small hash table: few rows of all get one.
 */
#include "search/around.h"

#include <stdlib.h>

#define AROUND 3
#define SPREAD UINT32_C(2654435761) /* 2^32 by the golden ratio: rows follow each other */

struct sum {
    uint32_t number; /* the row with its view, + 1; 0: nobody's */
    float share;
};

struct sums {
    struct sum *item;
    size_t slots; /* a power of two */
};

static void sums_release(struct sums *sums)
{
    free(sums->item);
}

/* Where a row's sum stands, or has its place: there is always one. */
static struct sum *sum_of(const struct sums *sums, uint32_t row)
{
    size_t at = (row * SPREAD >> 8) & (sums->slots - 1);

    while (sums->item[at].number && sums->item[at].number != row + 1)
        at = (at + 1) & (sums->slots - 1);
    return &sums->item[at];
}

static void add(const struct sums *sums, uint32_t row, float share)
{
    struct sum *sum = sum_of(sums, row);

    sum->number = row + 1;
    sum->share += share;
}

static uint32_t item_of(const struct mn_picking *of, uint32_t row)
{
    return (row & ~MN_ROW_MASK) | (uint32_t)mn_picked_item(of, row);
}

/* Of a turn a step further away counts less. */
static void spread(const struct mn_picking *of, const struct mn_picked *from,
                   const struct sums *sums)
{
    const struct mn_session_table *table = &of->views->index[mn_picked_view(from->row)]->sessions;
    const uint32_t view = from->row & ~MN_ROW_MASK;
    uint32_t row = (uint32_t)mn_picked_item(of, from->row), before = row, after = row;

    if (!mn_session_table_is_turn(table, row))
        return;
    for (int step = 1; step <= AROUND; step++) {
        float share = (float)from->order / (float)step;

        before = before == MN_ROW_NONE ? before : mn_session_turn_of(table, before)->before;
        after = after == MN_ROW_NONE ? after : mn_session_turn_of(table, after)->after;
        if (before != MN_ROW_NONE)
            add(sums, before | view, share);
        if (after != MN_ROW_NONE)
            add(sums, after | view, share);
    }
}

enum mneme_status mn_around_offer(const struct mn_picking *of, const struct mn_picked *picked,
                                  size_t count, uint64_t *const *allowed, struct mn_best *best,
                                  struct mneme_error *err)
{
    MN_CLEANUP(sums_release) struct sums sums = { .slots = 1 };

    while (sums.slots < 2 * (2 * AROUND + 1) * count)
        sums.slots *= 2;
    sums.item = calloc(sums.slots, sizeof *sums.item);
    if (!sums.item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        spread(of, &picked[i], &sums);
    for (size_t i = 0; i < count; i++)
        sum_of(&sums, item_of(of, picked[i].row))->share = 0;
    for (size_t i = 0; i < sums.slots; i++) {
        uint32_t row = sums.item[i].number - 1;

        if (sums.item[i].share > 0 &&
            allowed[mn_picked_view(row)][(row & MN_ROW_MASK) / 64] >> (row % 64) & 1)
            mn_best_offer(best, sums.item[i].share, row);
    }
    return MNEME_OK;
}
