/*
 * picked.h - rows that were chosen, on their way to becoming hits.
 *
 * A row's number carries in its highest bit which view it is in, so that one list can hold rows of both.
 */
#ifndef MN_SEARCH_PICKED_H
#define MN_SEARCH_PICKED_H

#include "search/partition_query.h"
#include "search/text_request.h"

#define MN_VIEW_BIT 31
#define MN_ROW_MASK ((UINT32_C(1) << MN_VIEW_BIT) - 1)

struct mn_picked {
    uint32_t row; /* with its view */
    uint32_t text_rank;
    uint32_t vector_rank;
    bool has_text, has_vector; /* the scores below are known */
    struct mn_text_score text;
    double vector; /* F; NAN: none */
    double cosine;
    double order; /* what it is ranked by */
    uint32_t passage; /* the best of the item; 0: none */
};

/* The request as the indexes of both views have it, and what that was made of. */
struct mn_query_kept {
    struct mn_text_request text;
    struct mn_vector_request vector[MN_VIEWS_MAX];
    bool has_vector; /* the request has one that can be compared */

    const struct mn_terms *terms;
    const float *request_vector;
    const struct mn_partition_index *index[MN_VIEWS_MAX];
    uint64_t state[MN_VIEWS_MAX];
    size_t view_count;
};

/* All that one call chose. */
struct mn_picking {
    const struct mn_views *views;
    const struct mn_query_kept *prepared;
    struct mn_picked *item;
    size_t count;
    struct mn_picked *spare; /* room for as many, to sort */
};

static inline size_t mn_picked_view(uint32_t row)
{
    return row >> MN_VIEW_BIT;
}

/* The row of an id in one of the views; false when it is in none. */
bool mn_picked_find(const struct mn_views *views, const char *id, uint32_t *ret_row);
/* Each once: what is known stays. */
void mn_picked_score_text(const struct mn_picking *of, struct mn_picked *picked);
void mn_picked_score_vector(const struct mn_picking *of, struct mn_picked *picked);
/* The row of the item that a row is or is a passage of, in its view. */
size_t mn_picked_item(const struct mn_picking *of, uint32_t row);
/* A row that was chosen twice becomes one, passages become their item. */
void mn_picking_unite(struct mn_picking *of);

#endif
