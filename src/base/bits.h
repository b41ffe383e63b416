/*
 * bits.h - counting and gathering bits without an instruction that not every processor has.
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

/* Bit `bit` of each of eight bytes, the first one's lowest. The product brings each to its place in the
 * highest byte; nothing else that it adds reaches there. */
static inline uint64_t mn_bits_gather(const uint8_t bytes[8], unsigned bit)
{
    uint64_t all = (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
                   (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
                   (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;

    return (all >> bit & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

#endif
