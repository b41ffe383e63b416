/*
 * vector_index.h - the vectors of one partition's rows, and a request's way through them.
 *
 * A request q and a row p of length 1 are compared after taking off what all texts share:
 *
 *   B = n(q - Q[lq]) . n(p - P[lp])     constants of the model, by language and kind of text
 *   A = n(q - M[lq]) . n(p - M[lp])     the partition's own mean, drawn towards P by k
 *   F = a A + (1 - a) B                 a: own_mean_share; 1 for turns of conversations
 *
 * n(x) is x / |x|, and 0 for 0. The store of conversations is about one life, and its own mean
 * tells what all of it is about; a store of distinct memories is too small and too even for that.
 */
#ifndef MN_SEARCH_VECTOR_INDEX_H
#define MN_SEARCH_VECTOR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/best.h"
#include "search/scan.h"
#include "search/vector_space.h"

/* Rows of one language and kind are scanned together: one request in bytes serves them all. */
#define MN_VECTOR_GROUPS (2 * MN_LANGUAGE_COUNT)
#define MN_VECTOR_GROUP_NONE 255

struct mn_vector_index {
    const struct mn_vector_space *space;
    const struct mn_scan *scan;
    size_t count; /* rows, those without a vector included */
    size_t room;  /* a multiple of 64; 0 while no row has had a vector */

    int8_t *code;                         /* n(p - P), stride bytes a row */
    uint16_t *half;                       /* p, stride halves a row */
    float *code_scale;                    /* of a row's bytes */
    float *scan_scale;                    /* the same, of a turn times |p - P| / |p - M| */
    float *inverse_prior;                 /* 1 / |p - P|, 0 for 0 */
    float *inverse_own;                   /* 1 / |p - M|, 0 for 0 */
    uint8_t *group;                       /* MN_VECTOR_GROUP_NONE: no vector */
    uint64_t *in_group[MN_VECTOR_GROUPS]; /* one bit a row */

    size_t group_rows[MN_VECTOR_GROUPS];
    double *sum[MN_LANGUAGE_COUNT];      /* of the rows' vectors */
    float *own_mean[MN_LANGUAGE_COUNT];  /* M */
    size_t mean_rows[MN_LANGUAGE_COUNT]; /* how many rows M was made of */
    float ratio[MN_LANGUAGE_COUNT];      /* mean of |p - P| / |p - M| when M was made */

    float *work; /* two rows of floats, for whoever changes the index */
};

bool mn_vector_index_init(struct mn_vector_index *index, const struct mn_vector_space *space,
                          const struct mn_scan *scan);
void mn_vector_index_release(struct mn_vector_index *index);

/* Adds row `count`. vector NULL, or of no direction (zero, not finite): the row has none. False
 * when malloc fails; the rows are as they were. */
bool mn_vector_index_add(struct mn_vector_index *index, const float *vector,
                         enum mn_language language, bool is_turn);
void mn_vector_index_remove(struct mn_vector_index *index, size_t row);
/* Squeezes out rows whose bit in `alive` is not set. */
void mn_vector_index_compact(struct mn_vector_index *index, const uint64_t *alive);
/* After changes: makes the partition's means anew once their rows have grown or shrunk by a
 * quarter. */
void mn_vector_index_recentre(struct mn_vector_index *index);

bool mn_vector_index_has(const struct mn_vector_index *index, size_t row);
size_t mn_vector_index_bytes(const struct mn_vector_index *index);

/* A request as one index sees it. */
struct mn_vector_request {
    float *raw;                            /* q, stride floats each */
    float *prior;                          /* n(q - Q) */
    float *own;                            /* n(q - M) */
    float prior_offset[MN_LANGUAGE_COUNT]; /* prior . P */
    float own_offset[MN_LANGUAGE_COUNT];   /* own . M */
    float shift[MN_LANGUAGE_COUNT];        /* own . (P - M) */
    float *mixed; /* room for what a group is scanned with, as floats and as bytes */
    int8_t *code; /* stride bytes for each group */
};

/* Floats of room for one request. */
size_t mn_vector_request_floats(const struct mn_vector_space *space);

/* False when the request has no direction. */
bool mn_vector_request_make(const struct mn_vector_index *index, const float *vector,
                            enum mn_language language, float *room,
                            struct mn_vector_request *ret_request);

/* Offers the allowed rows to the list of their language, by an estimate of F. */
void mn_vector_index_scan(const struct mn_vector_index *index,
                          const struct mn_vector_request *request, const uint64_t *allowed,
                          uint32_t tag, struct mn_best best[MN_LANGUAGE_COUNT]);

/* Asks for the row's halves ahead of mn_vector_index_exact(). */
static inline void mn_vector_index_fetch(const struct mn_vector_index *index, size_t row)
{
    const char *half = (const char *)(index->half + row * index->space->stride);

    for (size_t i = 0; i < index->space->stride * sizeof(uint16_t); i += 64)
        __builtin_prefetch(half + i);
}

/* F and the plain cosine of a row that has a vector. */
void mn_vector_index_exact(const struct mn_vector_index *index,
                           const struct mn_vector_request *request, size_t row, float *ret_f,
                           float *ret_cosine);

/* n(p - P) of a row that has a vector, as floats. */
void mn_vector_index_centred(const struct mn_vector_index *index, size_t row, float *ret);

#endif
