/*
 * chance.h - seeded numbers for made-up data: the same in every run.
 */
#ifndef MN_BENCH_CHANCE_H
#define MN_BENCH_CHANCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define CHANCE_SEED UINT64_C(88172645463325252)

struct chance {
    uint64_t state; /* begin with any number but 0 */
};

static inline uint64_t chance_next(struct chance *chance)
{
    chance->state ^= chance->state << 13;
    chance->state ^= chance->state >> 7;
    chance->state ^= chance->state << 17;
    return chance->state;
}

static inline double chance_uniform(struct chance *chance)
{
    return (double)(chance_next(chance) >> 11) / 9007199254740992.0;
}

/* Nearly normal, of variance 1: the sum of four. */
static inline float chance_normal(struct chance *chance)
{
    double sum = chance_uniform(chance) + chance_uniform(chance) + chance_uniform(chance) +
                 chance_uniform(chance);

    return (float)((sum - 2) * 1.7320508);
}

static inline void unit_length(float *vector, size_t dim)
{
    double sum = 0;

    for (size_t i = 0; i < dim; i++)
        sum += (double)vector[i] * (double)vector[i];
    for (size_t i = 0; i < dim; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
}

#endif
