/*
 * bits.h - counting bits without an instruction that not every processor has.
 */
#ifndef MN_BASE_BITS_H
#define MN_BASE_BITS_H

#include <stdint.h>

/* By pairs, fours and eights; the product adds up the eights. */
static inline unsigned mn_bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
