/*
 * token_match_avx512.c - four products of bytes added up at once (VNNI), for sixteen sums.
 *
 * As in token_match_avx2.c four of the text's numbers are held against four of each of a group's
 * eight tokens, here of two steps side by side. The text's are laid out for that once and serve all
 * groups; products go to 32 bits at once, so that none can overflow.
 *
 * Nothing here runs before mn_token_avx512() has asked the processor.
 */
#include "search/token_match.h"

#include "search/avx512.h"

#if defined(MN_AVX512)

#include <string.h>

#define MASK_BYTES (MN_TOKEN_AXES / 8)
#define PAIRS (MN_TOKEN_AXES / 8) /* of steps */
#define GROUP_BYTES (MN_TOKEN_GROUP * MN_TOKEN_AXES)

static inline __m512i load(const void *at)
{
    return _mm512_loadu_si512(at);
}

static void avx512_unit(const unsigned char *masks, uint8_t unit[MN_TOKEN_AXES])
{
    const __m512i one = _mm512_set1_epi8(1), two = _mm512_set1_epi8(2);

    for (size_t i = 0; i < MN_TOKEN_AXES; i += 64) {
        uint64_t given, negative;

        memcpy(&given, masks + i / 8, sizeof given);
        memcpy(&negative, masks + MASK_BYTES + i / 8, sizeof negative);
        __m512i whole = _mm512_mask_add_epi8(one, given, one, one);
        _mm512_storeu_si512(unit + i, _mm512_mask_sub_epi8(whole, negative, whole, two));
    }
}

/* Of each two steps the first one's four numbers eight times, then the second one's. */
static inline void lay_out(const uint8_t unit[MN_TOKEN_AXES], __m512i pair[PAIRS])
{
    const __m512i first = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(1), 1);

    for (size_t half = 0; half < 2; half++) {
        __m512i numbers = load(unit + 64 * half), from = first;

        for (size_t i = 0; i < PAIRS / 2; i++) {
            pair[PAIRS / 2 * half + i] = _mm512_permutexvar_epi32(from, numbers);
            from = _mm512_add_epi32(from, _mm512_set1_epi32(2));
        }
    }
}

static inline void raise_group(__m512i sums, const int32_t *taken_off, __m256 scale, float *best)
{
    __m256i dots =
        _mm256_add_epi32(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64(sums, 1));
    __m256 much;

    dots = _mm256_sub_epi32(dots, _mm256_loadu_si256((const __m256i *)(const void *)taken_off));
    much = _mm256_mul_ps(_mm256_cvtepi32_ps(dots), scale);
    _mm256_storeu_ps(best, _mm256_max_ps(much, _mm256_loadu_ps(best)));
}

static void avx512_raise(const struct mn_token_request *request, const uint8_t unit[MN_TOKEN_AXES],
                         float scale, float *best)
{
    const int8_t *code = request->code;
    __m256 by = _mm256_set1_ps(scale);
    __m512i pair[PAIRS];

    lay_out(unit, pair);
    for (size_t g = 0; g < request->groups; g++, code += GROUP_BYTES) {
        __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a; /* none waits for another */

        for (size_t i = 0; i < PAIRS; i += 4) {
            a = _mm512_dpbusd_epi32(a, pair[i], load(code + 64 * i));
            b = _mm512_dpbusd_epi32(b, pair[i + 1], load(code + 64 * (i + 1)));
            c = _mm512_dpbusd_epi32(c, pair[i + 2], load(code + 64 * (i + 2)));
            d = _mm512_dpbusd_epi32(d, pair[i + 3], load(code + 64 * (i + 3)));
        }
        __m512i sums = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
        raise_group(sums, request->sum + g * MN_TOKEN_GROUP, by, best + g * MN_TOKEN_GROUP);
    }
}

static const struct mn_token_way AVX512 = { "avx512", avx512_unit, avx512_raise };

const struct mn_token_way *mn_token_avx512(void)
{
    return mn_avx512_here() ? &AVX512 : NULL;
}

#else

const struct mn_token_way *mn_token_avx512(void)
{
    return NULL;
}

#endif
