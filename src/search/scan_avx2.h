/*
 * scan_avx2.h - the loops for processors with AVX2 and F16C.
 */
#ifndef MN_SEARCH_SCAN_AVX2_H
#define MN_SEARCH_SCAN_AVX2_H

#include "search/scan.h"

/* NULL where this processor, or the one compiled for, has none. */
const struct mn_scan *mn_scan_avx2(void);

#endif
