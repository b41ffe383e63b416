/*
 * half.c - half floats by integer arithmetic, so that no instruction set is asked for.
 *
 * Unpacking shifts exponent and mantissa into place and multiplies by 2^112, which corrects the
 * difference of the exponents' offsets and makes subnormal halves right without a branch; compilers
 * turn the loop into vector code. Infinities never get in, so they need no case.
 */
#include "store/half.h"

#include <math.h>
#include <string.h>

#define HALF_MAX 65504.0f

static uint16_t pack_one(float value)
{
    uint32_t bits;
    uint32_t sign;
    uint32_t rest;
    float magnitude;

    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits < 0x38800000u) { /* below 2^-14: subnormal; adding 0.5 lets the sum do the rounding */
        memcpy(&magnitude, &bits, sizeof magnitude);
        magnitude += 0.5f;
        memcpy(&rest, &magnitude, sizeof rest);
        return (uint16_t)(sign | (rest - 0x3f000000u));
    }
    rest = bits - 0x38000000u;
    rest += 0x0fffu + ((rest >> 13) & 1u);
    return (uint16_t)(sign | (rest >> 13));
}

bool mn_half_pack(const float *from, size_t count, uint16_t *to)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(from[i]) <= HALF_MAX))
            return false;
        to[i] = pack_one(from[i]);
    }
    return true;
}

void mn_half_unpack(const void *from, size_t count, float *to)
{
    const unsigned char *at = from;

    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        uint32_t magnitude;
        uint32_t sign;
        float value;
        uint32_t bits;

        memcpy(&half, at + i * sizeof half, sizeof half);
        magnitude = (uint32_t)(half & 0x7fffu) << 13;
        sign = (uint32_t)(half & 0x8000u) << 16;
        memcpy(&value, &magnitude, sizeof value);
        value *= 0x1p112f;
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
        memcpy(&to[i], &bits, sizeof bits);
    }
}
