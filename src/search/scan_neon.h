/*
 * scan_neon.h - the loops for processors with NEON (64 bit ARM).
 */
#ifndef MN_SEARCH_SCAN_NEON_H
#define MN_SEARCH_SCAN_NEON_H

#include "search/scan.h"

/* NULL where this processor, or the one compiled for, has none. */
const struct mn_scan *mn_scan_neon(void);

#endif
