/*
 * scan.h - the inner loops over vectors: in plain C, and for the vector units of processors.
 *
 * A row's numbers are held in twelve bits each, in three steps that each refine the one before
 * (vector_code.h): their signs, to sift many rows; their first four bits, to choose; the other
 * eight, to score what was chosen. All ways give the same bits: integer sums are exact, float sums
 * are taken in one order. Rows are padded to a multiple of MN_SCAN_PAD numbers.
 */
#ifndef MN_SEARCH_SCAN_H
#define MN_SEARCH_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/fetch.h"
#include "search/best.h"

#define MN_SCAN_PAD 64
#define MN_SCAN_STRIDE_MAX 4096 /* for which all sums below stay inside their types */
#define MN_SCAN_CODE_MAX 127    /* codes of a request lie in -127..127 */

/* ---- to choose: four bits a number ---- */

/* Behind a row's code. */
struct mn_scan_factors {
    float scale;
    float bias;
};

struct mn_scan_rows {
    const uint8_t *coarse; /* mn_scan_row_bytes() each: stride / 2 bytes of code, in each 32 of which
                            * the low halves are the first 32 numbers, the high halves the next,
                            * 0..15; then the factors. */
    size_t stride;
};

/* One behind the other, so that a row's factors come with its code. */
static inline size_t mn_scan_row_bytes(size_t stride)
{
    return stride / 2 + sizeof(struct mn_scan_factors);
}

static inline const uint8_t *mn_scan_row(const struct mn_scan_rows *rows, size_t row)
{
    return rows->coarse + row * mn_scan_row_bytes(rows->stride);
}

static inline struct mn_scan_factors mn_scan_factors_of(const uint8_t *row, size_t stride)
{
    struct mn_scan_factors factors;

    memcpy(&factors, row + stride / 2, sizeof factors);
    return factors;
}

/* score = (2 dot(row's code, code) - 15 code_sum) * row's scale * scale + row's bias * bias */
struct mn_scan_request {
    const int8_t *code; /* stride numbers */
    int32_t code_sum;
    float scale;
    float bias;
};

/* Asks for what is read of a row. */
static inline void mn_scan_fetch(const struct mn_scan_rows *rows, size_t row)
{
    mn_fetch_bytes(mn_scan_row(rows, row), mn_scan_row_bytes(rows->stride));
}

/* ---- to sift: one bit a number, 32 rows side by side ---- */

#define MN_SIFT_ROWS 32
#define MN_SIFT_TABLE 32 /* bytes of one: 16 sums, twice */
#define MN_SIFT_MOST 63  /* the largest sum in a table: four of them fit into a byte */

/*
 * A block: for each 8 numbers 32 bytes, one a row, the first four numbers' signs in the low half;
 * then 32 scales and 32 biases, as the upper halves of floats.
 */
static inline size_t mn_sift_block_bytes(size_t stride)
{
    return stride / 8 * MN_SIFT_ROWS + 2 * MN_SIFT_ROWS * sizeof(uint16_t);
}

/*
 * A table holds, for every way four signs may be set, what the request makes of it. For each 16
 * numbers there are four: of the numbers 0 to 3, 8 to 11, 4 to 7, 12 to 15.
 *
 * score = (sum of what the row's signs pick * step + base) * row's scale + row's bias * bias
 */
struct mn_sift_request {
    const uint8_t *table; /* stride / 4 of them */
    float step;
    float base;
    float bias;
};

/* ---- the ways ---- */

struct mn_scan {
    const char *name;
    /* Offers the listed rows, as row | tag. */
    void (*offer)(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                  const struct mn_scan_request *request, uint32_t tag, struct mn_best *best);
    /* Scores a block. Returns a bit for each row that reaches `least`; unless it returns 0, all
     * scores are set. */
    uint32_t (*sift)(const uint8_t *block, size_t stride, const struct mn_sift_request *request,
                     float least, float score[MN_SIFT_ROWS]);
    /* Dot products of a row's twelve bits, less 2048, with three vectors; the vectors' numbers stand
     * where mn_scan_place() says and lie within mn_scan_fine_max(). */
    void (*dots)(const uint8_t *coarse, const uint8_t *rest, size_t stride,
                 const int16_t *const vector[3], int32_t ret[3]);
    /* Of floats: what mn_scan_dot() says, to the bit. */
    float (*dot)(const float *a, const float *b, size_t count);
};

extern const struct mn_scan mn_scan_plain;

/* The fastest this processor has. */
const struct mn_scan *mn_scan_here(void);

/* Where the i-th number of a vector stands for dots(): two registers of bytes, woven into one of
 * twice the width, come out in this order. */
static inline size_t mn_scan_place(size_t i)
{
    return (i & ~(size_t)24) | (i & 8) << 1 | (i & 16) >> 1;
}

/* With it, products of 2048 by this add up to less than 2^31 over the whole stride. */
static inline int mn_scan_fine_max(size_t stride)
{
    return stride <= 1024 ? 1023 : 255;
}

/* Dot product of floats; count a multiple of 8. */
float mn_scan_dot(const float *a, const float *b, size_t count);

#endif
