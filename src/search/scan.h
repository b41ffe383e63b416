/*
 * scan.h - the inner loops over vectors: one way in plain C, one for AVX2.
 *
 * Rows are held twice: as signed bytes to choose from, as half floats (IEEE 754 binary16) to score
 * exactly. Both ways give the same bits: integer sums are exact, float sums are taken in one order.
 * Row lengths are padded with zeros to a multiple of MN_SCAN_PAD.
 */
#ifndef MN_SEARCH_SCAN_H
#define MN_SEARCH_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "search/best.h"

#define MN_SCAN_PAD 32
#define MN_SCAN_WORDS 4      /* scanned by one call: rows that stay near while others use them */
#define MN_SCAN_CODE_MAX 127 /* codes lie in -127..127: -128 has no counterpart */

struct mn_scan_rows {
    const int8_t *code;
    size_t stride;
    const float *scale; /* one a row */
    const float *bias;
};

/* score = dot(code, row's code) * row's scale * scale + row's bias * bias */
struct mn_scan_request {
    const int8_t *code; /* stride bytes */
    float scale;
    float bias;
};

struct mn_scan {
    const char *name;
    /* Offers each row from `first` on whose bit is set in `allowed` (up to MN_SCAN_WORDS words of
     * 64 rows each), as row | tag. */
    void (*top)(const struct mn_scan_rows *rows, size_t first, const uint64_t *allowed,
                size_t words, const struct mn_scan_request *request, uint32_t tag,
                struct mn_best *best);
    /* Dot products of one row of halves with three vectors. */
    void (*dots)(const uint16_t *half, size_t stride, const float *const vector[3], float ret[3]);
    /* Of floats: what mn_scan_dot() says, to the bit. */
    float (*dot)(const float *a, const float *b, size_t count);
    /* Round to nearest even, and back; count a multiple of 8. */
    void (*to_half)(const float *from, size_t count, uint16_t *to);
    void (*from_half)(const uint16_t *from, size_t count, float *to);
};

extern const struct mn_scan mn_scan_plain;

/* The fastest this processor has. */
const struct mn_scan *mn_scan_here(void);

/* Dot product of floats; count a multiple of 8. */
float mn_scan_dot(const float *a, const float *b, size_t count);

/* Bytes from floats: to[i] = round(from[i] / scale). Returns the scale; 0 for a zero vector. */
float mn_scan_quantise(const float *from, size_t count, int8_t *to);

#endif
