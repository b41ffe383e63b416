/*
 * best.c - a binary heap, worst on top.
 */
#include "search/best.h"

static void sift_down(struct mn_scored *item, size_t count, size_t at)
{
    struct mn_scored moved = item[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= count)
            break;
        if (child + 1 < count && mn_scored_worse(item[child + 1], item[child]))
            child++;
        if (!mn_scored_worse(item[child], moved))
            break;
        item[at] = item[child];
        at = child;
    }
    item[at] = moved;
}

void mn_best_offer(struct mn_best *best, float score, uint32_t row)
{
    struct mn_scored offered = { score, row };

    if (best->count < best->room) {
        size_t at = best->count++;

        while (at && mn_scored_worse(offered, best->item[(at - 1) / 2])) {
            best->item[at] = best->item[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        best->item[at] = offered;
    } else if (best->room && mn_scored_worse(best->item[0], offered)) {
        best->item[0] = offered;
        sift_down(best->item, best->count, 0);
    }
}
