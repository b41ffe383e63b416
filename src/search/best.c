/*
 * best.c - a binary heap, worst on top; and a list that is cut at its k-th by parting it around a
 * guess, as quicksort does, on the side where the k-th lies.
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

static float score_of(uint64_t key)
{
    uint32_t bits = (uint32_t)(key >> 32);
    float score;

    bits ^= bits >> 31 ? UINT32_C(1) << 31 : UINT32_MAX;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t held = *a;

    *a = *b;
    *b = held;
}

/* Moves the middle one of the first, the one halfway and the last to the last place. */
static void guess_middle(uint64_t *key, size_t first, size_t end)
{
    uint64_t *a = &key[first], *b = &key[first + (end - first) / 2], *c = &key[end - 1];

    if ((*a < *b) != (*a < *c))
        swap(a, c);
    else if ((*b < *a) != (*b < *c))
        swap(b, c);
}

/* Better ones than the last to the front; returns its place, behind them. Swaps each one, so that
 * nothing hangs on what cannot be foretold. */
static size_t part(uint64_t *key, size_t first, size_t end)
{
    uint64_t guess = key[end - 1];
    size_t better = first;

    for (size_t i = first; i + 1 < end; i++) {
        uint64_t one = key[i];

        key[i] = key[better];
        key[better] = one;
        better += one > guess;
    }
    key[end - 1] = key[better];
    key[better] = guess;
    return better;
}

void mn_shortlist_cut(struct mn_shortlist *list)
{
    size_t first = 0, end = list->count; /* what may stand on the wrong side of the cut */

    if (list->count <= list->keep)
        return;
    while (first < list->keep && list->keep < end) {
        guess_middle(list->key, first, end);
        size_t at = part(list->key, first, end);

        if (at < list->keep)
            first = at + 1;
        else
            end = at;
    }
    list->count = list->keep;
    uint64_t least = list->key[0];
    for (size_t i = 1; i < list->count; i++)
        least = list->key[i] < least ? list->key[i] : least;
    list->least = score_of(least);
}
