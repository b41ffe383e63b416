/*
 * glance.h - how alike two texts look, where no vectors can say.
 *
 * Pure, and cheap enough for every pair among the best: it nominates duplicates and measures
 * redundancy, it decides nothing (text/compare.h does).
 */
#ifndef MN_TEXT_GLANCE_H
#define MN_TEXT_GLANCE_H

#include <stdbool.h>
#include <stdint.h>

#define MN_GLANCE_WORDS 16 /* 1,024 bits */
#define MN_GLANCE_BYTES_MAX 480 /* of the text that are looked at */

struct mn_glance {
    uint64_t bits[MN_GLANCE_WORDS];
    unsigned count; /* of bits set */
};

struct mn_glance mn_glance_at(const char *text);

/* 0..1: what they share of the one that has more; 0 when either is empty. */
double mn_glance_share(const struct mn_glance *a, const struct mn_glance *b);
/* Told by their counts alone: false, and they share less. */
bool mn_glance_may_share(const struct mn_glance *a, const struct mn_glance *b, double share);

#endif
