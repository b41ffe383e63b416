/*
 * scan_avx512.h - the loops for processors with AVX-512 (F, BW, VL, VNNI).
 */
#ifndef MN_SEARCH_SCAN_AVX512_H
#define MN_SEARCH_SCAN_AVX512_H

#include "search/scan.h"

/* NULL where this processor, or the one compiled for, has none. */
const struct mn_scan *mn_scan_avx512(void);

#endif
