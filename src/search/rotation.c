/*
 * rotation.c - flips signs by chance, then adds and subtracts every number with every other.
 *
 * The second is a Hadamard transform, n log n additions, over the largest power of two that fits:
 * by turns at the front and at the back, which overlap, so that all numbers meet. A random matrix
 * would do the same with n squared products.
 */
#include "search/rotation.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SEED UINT64_C(0x9e3779b97f4a7c15) /* part of what codes mean: they are compared by it */

typedef float four __attribute__((vector_size(16)));

static size_t span_of(size_t stride)
{
    size_t span = 64;

    while (span * 2 <= stride)
        span *= 2;
    return span;
}

void mn_rotation_make(size_t stride, float *turn)
{
    size_t span = span_of(stride);
    float share = 1.0f / sqrtf((float)span); /* a transform lengthens by the root of its span */
    uint64_t state = SEED;

    for (size_t round = 0; round < MN_ROTATION_ROUNDS; round++) {
        size_t first = round % 2 ? stride - span : 0;

        for (size_t i = 0; i < stride; i++) {
            float size = i >= first && i < first + span ? share : 1;

            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            turn[round * stride + i] = state >> 63 ? -size : size;
        }
    }
}

/* Sums and differences within each four. */
static four mixed(four v)
{
    v = __builtin_shufflevector(v, v, 0, 0, 2, 2) +
        __builtin_shufflevector(v, v, 1, 1, 3, 3) * (four){ 1, -1, 1, -1 };
    return __builtin_shufflevector(v, v, 0, 1, 0, 1) +
           __builtin_shufflevector(v, v, 2, 3, 2, 3) * (four){ 1, 1, -1, -1 };
}

static four load(const float *at)
{
    four v;

    memcpy(&v, at, sizeof v);
    return v;
}

static void store(float *at, four v)
{
    memcpy(at, &v, sizeof v);
}

static void transform(float *at, size_t span)
{
    for (size_t i = 0; i < span; i += 4)
        store(at + i, mixed(load(at + i)));
    for (size_t half = 4; half < span; half *= 2) {
        for (size_t i = 0; i < span; i += 2 * half) {
            for (size_t j = i; j < i + half; j += 4) {
                four a = load(at + j), b = load(at + j + half);

                store(at + j, a + b);
                store(at + j + half, a - b);
            }
        }
    }
}

void mn_rotation_apply(const float *turn, size_t stride, float *vector)
{
    size_t span = span_of(stride);

    for (size_t round = 0; round < MN_ROTATION_ROUNDS; round++) {
        for (size_t i = 0; i < stride; i++)
            vector[i] *= turn[round * stride + i];
        transform(vector + (round % 2 ? stride - span : 0), span);
    }
}
