/*
 * picked.c - what chosen rows score, and one of each item.
 *
 * Passages are rows like others until all are chosen. Then each makes place for its item, which is
 * given the best that it and its passages score, of all of them and not of the chosen ones alone: so
 * what is said of an item does not depend on how it was found. The best of many likenesses is high by
 * chance, so that much is taken off it; without that a question to short passages is answered by long
 * ones (cmrc2018-zh-dev, R@1 .989 for .991 at either .05 or .1).
 */
#include "search/picked.h"

#include <math.h>

#include "base/sort.h"

#define LUCK 0.05 /* of one likeness among many: this, times sqrt(2 ln n), the best of n has by chance */
#define TEXT_SHARE 0.5 /* of the score by words beside that by vector */

/* ---- one row ---- */

bool mn_picked_find(const struct mn_views *views, const char *id, uint32_t *ret_row)
{
    for (size_t v = 0; v < views->count; v++) {
        size_t row = mn_partition_index_find(views->index[v], id);

        if (row != SIZE_MAX) {
            *ret_row = (uint32_t)row | (uint32_t)v << MN_VIEW_BIT;
            return true;
        }
    }
    return false;
}

void mn_picked_score_text(const struct mn_picking *of, struct mn_picked *picked)
{
    if (!picked->has_text)
        picked->text =
            mn_text_request_score(&of->prepared->text, mn_picked_view(picked->row),
                                  picked->row & MN_ROW_MASK);
    picked->has_text = true;
}

void mn_picked_score_vector(const struct mn_picking *of, struct mn_picked *picked)
{
    size_t v = mn_picked_view(picked->row);
    const struct mn_vector_index *index = &of->views->index[v]->vector;
    float f = NAN, cosine = 0;

    if (picked->has_vector)
        return;
    if (of->prepared->has_vector && mn_vector_index_has(index, picked->row & MN_ROW_MASK))
        mn_vector_index_exact(index, &of->prepared->vector[v], picked->row & MN_ROW_MASK, &f,
                              &cosine);
    picked->vector = (double)f;
    picked->cosine = (double)cosine;
    picked->has_vector = true;
}

size_t mn_picked_item(const struct mn_picking *of, uint32_t row)
{
    return mn_partition_index_item(of->views->index[mn_picked_view(row)], row & MN_ROW_MASK);
}

/* ---- passages ---- */

static bool has_passages(const struct mn_views *views)
{
    for (size_t v = 0; v < views->count; v++)
        if (views->index[v]->passage)
            return true;
    return false;
}

/* By what the whole of a score is made of (retrieve/rank_raw.c), as near as is known here. */
static double worth(const struct mn_picked *picked)
{
    return (isnan(picked->vector) ? 0 : picked->vector) + TEXT_SHARE * picked->text.text;
}

/* Gives an item the best that it and its passages score. */
static void score_passages(const struct mn_picking *of, struct mn_picked *item)
{
    const struct mn_partition_index *index = of->views->index[mn_picked_view(item->row)];
    size_t count = mn_partition_index_passages(index, item->row & MN_ROW_MASK);
    double luck = LUCK * sqrt(2 * log((double)(count ? count : 1))), best = 0;

    if (!count)
        return;
    mn_picked_score_text(of, item);
    mn_picked_score_vector(of, item);
    for (size_t i = 1; i <= count; i++) {
        struct mn_picked passage = { .row = item->row + (uint32_t)i };

        mn_picked_score_text(of, &passage);
        mn_picked_score_vector(of, &passage);
        if (i == 1 || worth(&passage) > best) {
            best = worth(&passage);
            item->passage = (uint32_t)i;
        }
        if (passage.text.text > item->text.text)
            item->text = passage.text;
        passage.vector -= luck;
        if (!isnan(passage.vector) && !(passage.vector <= item->vector)) {
            item->vector = passage.vector;
            item->cosine = passage.cosine;
        }
    }
}

static size_t first_of(size_t a, size_t b)
{
    return a && (!b || a < b) ? a : b;
}

/* Rows in order: an item before its passages. */
static void unite_passages(struct mn_picking *of)
{
    struct mn_picked *picked = of->item;
    size_t kept = 0;

    for (size_t i = 0; i < of->count; i++) {
        uint32_t item = (picked[i].row & ~MN_ROW_MASK) | (uint32_t)mn_picked_item(of, picked[i].row);

        if (kept && picked[kept - 1].row == item) {
            picked[kept - 1].text_rank =
                (uint32_t)first_of(picked[kept - 1].text_rank, picked[i].text_rank);
            picked[kept - 1].vector_rank =
                (uint32_t)first_of(picked[kept - 1].vector_rank, picked[i].vector_rank);
        } else if (item == picked[i].row) {
            picked[kept++] = picked[i];
        } else {
            picked[kept++] = (struct mn_picked){ .row = item,
                                              .text_rank = picked[i].text_rank,
                                              .vector_rank = picked[i].vector_rank };
        }
    }
    of->count = kept;
    for (size_t i = 0; i < kept; i++)
        score_passages(of, &picked[i]);
}

/* ---- uniting ---- */

static inline bool is_before(const struct mn_picked *a, const struct mn_picked *b)
{
    return a->row < b->row;
}
MN_SORT_OF(sort_by_row, struct mn_picked, is_before)

void mn_picking_unite(struct mn_picking *of)
{
    struct mn_picked *picked = of->item;
    size_t kept = 0;

    sort_by_row(picked, of->count, of->spare);
    for (size_t i = 0; i < of->count; i++) {
        if (kept && picked[kept - 1].row == picked[i].row) {
            picked[kept - 1].text_rank |= picked[i].text_rank; /* one of the two is 0 */
            picked[kept - 1].vector_rank |= picked[i].vector_rank;
            if (picked[i].has_text)
                picked[kept - 1].text = picked[i].text;
            if (picked[i].has_vector) {
                picked[kept - 1].vector = picked[i].vector;
                picked[kept - 1].cosine = picked[i].cosine;
            }
            picked[kept - 1].has_text |= picked[i].has_text;
            picked[kept - 1].has_vector |= picked[i].has_vector;
        } else {
            picked[kept++] = picked[i];
        }
    }
    of->count = kept;
    if (has_passages(of->views))
        unite_passages(of);
}
