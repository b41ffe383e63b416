/*
 * scan_avx2.h - the loops for processors with AVX2.
 */
#ifndef MN_SEARCH_SCAN_AVX2_H
#define MN_SEARCH_SCAN_AVX2_H

#include "search/scan.h"

/* NULL where this processor, or the one compiled for, has none. */
const struct mn_scan *mn_scan_avx2(void);

#if defined(__AVX2__)

#include <immintrin.h>

/* What scan_avx512.c takes from here. */
void mn_scan_dots_avx2(const uint8_t *coarse, const uint8_t *rest, size_t stride,
                       const int16_t *const vector[3], int32_t ret[3]);
float mn_scan_dot_avx2(const float *a, const float *b, size_t count);
/* Scores from the sums of 16 even and 16 odd rows and the tail of their block. */
uint32_t mn_scan_scores_avx2(__m256i even, __m256i odd, const uint8_t *tail,
                             const struct mn_sift_request *request, float least,
                             float score[MN_SIFT_ROWS]);

#endif

#endif
