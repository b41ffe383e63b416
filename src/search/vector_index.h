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
 *
 * All vectors in here are turned (rotation.h).
 */
#ifndef MN_SEARCH_VECTOR_INDEX_H
#define MN_SEARCH_VECTOR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fetch.h"
#include "base/str.h"
#include "search/best.h"
#include "search/scan.h"
#include "search/vector_signs.h"
#include "search/vector_space.h"

/* Rows of one language and kind are scanned together: one request in bytes serves them all. */
#define MN_VECTOR_GROUPS (2 * MN_LANGUAGE_COUNT)
#define MN_VECTOR_GROUP_NONE 255

/* What is read of a row that was chosen; behind it stand stride bytes, n(p - P) but for its first
 * four bits. */
struct mn_vector_rest {
    float step;   /* of the code */
    float length; /* |p - P| */
    uint8_t code[];
};

struct mn_vector_index {
    const struct mn_vector_space *space;
    const struct mn_scan *scan;
    size_t count; /* rows, those without a vector included */
    size_t room;  /* a multiple of 64; 0 while no row has had a vector */

    uint8_t *coarse;                      /* n(p - P), its first four bits: mn_vector_rows_of() */
    uint8_t *rest;                        /* struct mn_vector_rest, one a row */
    uint8_t *group;                       /* MN_VECTOR_GROUP_NONE: no vector */
    uint64_t *in_group[MN_VECTOR_GROUPS]; /* one bit a row */
    struct mn_vector_signs signs[MN_VECTOR_GROUPS];

    size_t group_rows[MN_VECTOR_GROUPS];
    double *sum[MN_LANGUAGE_COUNT];      /* of the rows' vectors */
    float *own_mean[MN_LANGUAGE_COUNT];  /* M */
    size_t mean_rows[MN_LANGUAGE_COUNT]; /* how many rows M was made of */
    float ratio[MN_LANGUAGE_COUNT];      /* mean of |p - P| / |p - M| when M was made */

    float *work; /* three rows of floats, for whoever changes the index */
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
/* Of these, what is read only of rows that were chosen. */
size_t mn_vector_index_rest_bytes(const struct mn_vector_index *index);

static inline size_t mn_vector_group_language(size_t group)
{
    return group % MN_LANGUAGE_COUNT;
}

static inline bool mn_vector_group_is_turns(size_t group)
{
    return group >= MN_LANGUAGE_COUNT;
}

static inline size_t mn_vector_rest_size(size_t stride)
{
    return sizeof(struct mn_vector_rest) + stride;
}

static inline const struct mn_vector_rest *mn_vector_rest_of(const struct mn_vector_index *index,
                                                             size_t row)
{
    return (const struct mn_vector_rest *)(const void *)(index->rest +
                                                         row * mn_vector_rest_size(
                                                                   index->space->stride));
}

static inline struct mn_scan_rows mn_vector_rows_of(const struct mn_vector_index *index)
{
    return (struct mn_scan_rows){ index->coarse, index->space->stride };
}

static inline const uint8_t *mn_vector_coarse_of(const struct mn_vector_index *index, size_t row)
{
    const struct mn_scan_rows rows = mn_vector_rows_of(index);

    return mn_scan_row(&rows, row);
}

/* Scale: of the coarse code, of a turn times |p - P| / |p - M|. Bias: 1 / |p - M|, 0 for 0. */
static inline struct mn_scan_factors mn_vector_factors_of(const struct mn_vector_index *index,
                                                          size_t row)
{
    return mn_scan_factors_of(mn_vector_coarse_of(index, row), index->space->stride);
}

/* ---- in a segment: vector_segment.c ---- */

struct mn_packed;
/* Of an index without dead rows. */
void mn_vector_index_save(const struct mn_vector_index *index, struct mn_buf *out);
/* Into an index that is empty; there are so many rows, of these languages. False: they are none, of
 * another space, or malloc fails. */
bool mn_vector_index_load(struct mn_vector_index *index, const uint8_t *language, size_t rows,
                          struct mn_packed *in);
/* Room for so many rows; false when malloc fails. */
bool mn_vector_index_room(struct mn_vector_index *index, size_t rows);

/* n(from) less its mean, and the length that was divided by. */
float mn_vector_centre(const float *from, const float *mean, size_t stride, float *to);
/* The vector turned and of length 1; false when it has no direction. */
bool mn_vector_turn(const struct mn_vector_space *space, const float *vector, float *to);

/* ---- a request: vector_request.c ---- */

/* A request as one index sees it. */
struct mn_vector_request {
    float *prior;                         /* n(q - Q), stride floats each */
    float *own;                           /* n(q - M) */
    float *mixed;                         /* room for what a group is scanned with */
    int16_t *fine[3];                     /* prior, own and q itself in eleven bits */
    float fine_scale[3];
    float fine_half[3];                   /* half the sum of each: codes are k - 2047.5 */
    float raw_offset[MN_LANGUAGE_COUNT];  /* q . P */
    float shift[MN_LANGUAGE_COUNT];       /* own . (P - M) */
    int8_t *code;                         /* stride bytes for each group */
    uint8_t *table;                       /* of the group that is sifted */
    uint64_t *sifted;                     /* rows that are left of it */
};

/* Floats of room for one request. */
size_t mn_vector_request_floats(const struct mn_vector_space *space);

/* False when the request has no direction. */
bool mn_vector_request_make(const struct mn_vector_index *index, const float *vector,
                            enum mn_language language, float *room,
                            struct mn_vector_request *ret_request);

/* Offers to the list of each language those allowed rows that are among its best by an estimate of
 * F; all of them where they are few. */
void mn_vector_index_scan(const struct mn_vector_index *index,
                          const struct mn_vector_request *request, const uint64_t *allowed,
                          uint32_t tag, struct mn_best best[MN_LANGUAGE_COUNT]);

/* Asks for what mn_vector_index_exact() reads of the row ahead of it. */
static inline void mn_vector_index_fetch(const struct mn_vector_index *index, size_t row)
{
    const struct mn_scan_rows rows = mn_vector_rows_of(index);

    mn_scan_fetch(&rows, row);
    mn_fetch_bytes(mn_vector_rest_of(index, row), mn_vector_rest_size(rows.stride));
}

/* F and the plain cosine of a row that has a vector, to four decimals. */
void mn_vector_index_exact(const struct mn_vector_index *index,
                           const struct mn_vector_request *request, size_t row, float *ret_f,
                           float *ret_cosine);

/* n(p - P) of a row that has a vector, as floats. */
void mn_vector_index_centred(const struct mn_vector_index *index, size_t row, float *ret);

#endif
