/*
 * token_match_avx2.c - eight of the request's tokens at a time.
 *
 * Four of the text's numbers are held against four of each of the eight: the multiplier adds two
 * neighbours into 16 bits, at most 2 * 2 * 127 = 508 a pair, and 32 of these fit. One more step
 * adds the halves of each token up, so that nothing has to be added across the register.
 *
 * This file is compiled for AVX2 whatever the rest is; nothing here runs before mn_token_avx2() has
 * asked the processor.
 */
#include "search/token_match.h"

#if defined(__AVX2__)

#include <immintrin.h>
#include <string.h>

#define MASK_BYTES (MN_TOKEN_AXES / 8)
#define STEPS (MN_TOKEN_AXES / 4)
#define GROUP_BYTES (MN_TOKEN_GROUP * MN_TOKEN_AXES)

_Static_assert(STEPS * 2 * 2 * 127 <= INT16_MAX, "sums fit into 16 bits");

/* A byte of ones for each bit that is set. */
static inline __m256i spread(const unsigned char *bits)
{
    const __m256i byte_of = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                             2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit_of = _mm256_set1_epi64x((long long)0x8040201008040201ULL);
    int32_t four;

    memcpy(&four, bits, sizeof four);
    __m256i all = _mm256_shuffle_epi8(_mm256_set1_epi32(four), byte_of);

    return _mm256_cmpeq_epi8(_mm256_and_si256(all, bit_of), bit_of);
}

static void avx2_unit(const unsigned char *masks, uint8_t unit[MN_TOKEN_AXES])
{
    const __m256i one = _mm256_set1_epi8(1);

    for (size_t i = 0; i < MN_TOKEN_AXES; i += 32) {
        __m256i given = spread(masks + i / 8), negative = spread(masks + MASK_BYTES + i / 8);
        __m256i whole = _mm256_sub_epi8(one, given); /* all ones are -1 */

        whole = _mm256_add_epi8(whole, _mm256_add_epi8(negative, negative));
        _mm256_storeu_si256((__m256i *)(unit + i), whole);
    }
}

static inline __m256i load(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

static inline __m256i four_of(const uint8_t *unit, size_t step)
{
    int32_t four;

    memcpy(&four, unit + 4 * step, sizeof four);
    return _mm256_set1_epi32(four);
}

static inline void raise_group(__m256i sums, const int32_t *taken_off, __m256 scale, float *best)
{
    __m256i dots = _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
    __m256 much;

    dots = _mm256_sub_epi32(dots, load(taken_off));
    much = _mm256_mul_ps(_mm256_cvtepi32_ps(dots), scale);
    _mm256_storeu_ps(best, _mm256_max_ps(much, _mm256_loadu_ps(best)));
}

static void avx2_raise(const struct mn_token_request *request, const uint8_t unit[MN_TOKEN_AXES],
                       float scale, float *best)
{
    const int8_t *code = request->code;
    __m256 by = _mm256_set1_ps(scale);

    /* Two groups at once: an odd last one has a group of zeros behind it. */
    for (size_t g = 0; g < request->groups; g += 2, code += 2 * GROUP_BYTES) {
        __m256i a = _mm256_setzero_si256(), b = a;

        for (size_t i = 0; i < STEPS; i++) {
            __m256i four = four_of(unit, i);

            a = _mm256_add_epi16(a, _mm256_maddubs_epi16(four, load(code + 32 * i)));
            b = _mm256_add_epi16(b, _mm256_maddubs_epi16(four, load(code + GROUP_BYTES + 32 * i)));
        }
        raise_group(a, request->sum + g * MN_TOKEN_GROUP, by, best + g * MN_TOKEN_GROUP);
        if (g + 1 < request->groups)
            raise_group(b, request->sum + (g + 1) * MN_TOKEN_GROUP, by,
                        best + (g + 1) * MN_TOKEN_GROUP);
    }
}

static const struct mn_token_way AVX2 = { "avx2", avx2_unit, avx2_raise };

const struct mn_token_way *mn_token_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? &AVX2 : NULL;
}

#else

const struct mn_token_way *mn_token_avx2(void)
{
    return NULL;
}

#endif
