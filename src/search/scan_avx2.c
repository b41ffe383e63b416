/*
 * scan_avx2.c - 32 bytes at a time, four rows side by side.
 *
 * The multiplier takes unsigned by signed bytes and adds neighbours into 16 bits. So the request's
 * sign is moved onto the row: |q| * (row * sign q). With codes within +-127 a pair is at most
 * 2 * 127 * 127 = 32258, and nothing saturates.
 *
 * Allowed rows are first listed by number: the four rows of a step may lie apart, no
 * work is spent on the others between them, and the list says which rows to fetch ahead.
 *
 * This file is compiled for AVX2 whatever the rest is; nothing here runs before mn_scan_avx2() has
 * asked the processor.
 */
#include "search/scan_avx2.h"

#if defined(__AVX2__) && defined(__F16C__)

#include <immintrin.h>

#define FETCH_AHEAD 12 /* rows; 4.5 KB at 384 bytes each */

/* Products of one row added up in eight sums of 32 bits. */
static inline __m256i add_products(__m256i sum, const int8_t *row, __m256i q, __m256i q_size)
{
    __m256i code = _mm256_loadu_si256((const __m256i *)(const void *)row);
    __m256i pairs = _mm256_maddubs_epi16(q_size, _mm256_sign_epi8(code, q));

    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

static __m128i dot_of_four(const int8_t *const row[4], const int8_t *request, size_t stride)
{
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;

    for (size_t i = 0; i < stride; i += 32) {
        __m256i q = _mm256_loadu_si256((const __m256i *)(const void *)(request + i));
        __m256i q_size = _mm256_abs_epi8(q);

        a = add_products(a, row[0] + i, q, q_size);
        b = add_products(b, row[1] + i, q, q_size);
        c = add_products(c, row[2] + i, q, q_size);
        d = add_products(d, row[3] + i, q, q_size);
    }
    __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

static size_t list_rows(const uint64_t *allowed, size_t words, size_t first, uint32_t *list)
{
    size_t count = 0;

    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = allowed[w]; bits; bits &= bits - 1)
            list[count++] = (uint32_t)(first + w * 64 + (size_t)__builtin_ctzll(bits));
    return count;
}

static inline void fetch(const int8_t *row, size_t stride)
{
    for (size_t i = 0; i < stride; i += 64)
        _mm_prefetch((const char *)row + i, _MM_HINT_T0);
}

static void offer_four(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                       const struct mn_scan_request *request, uint32_t tag, struct mn_best *best)
{
    uint32_t r[4];
    float score[4];

    for (size_t i = 0; i < 4; i++) /* the last ones may be fewer: repeat one, do not offer it */
        r[i] = list[i < count ? i : count - 1];
    const int8_t *const row[4] = { rows->code + r[0] * rows->stride,
                                   rows->code + r[1] * rows->stride,
                                   rows->code + r[2] * rows->stride,
                                   rows->code + r[3] * rows->stride };
    __m128 dot = _mm_cvtepi32_ps(dot_of_four(row, request->code, rows->stride));
    __m128 scale =
        _mm_setr_ps(rows->scale[r[0]], rows->scale[r[1]], rows->scale[r[2]], rows->scale[r[3]]);
    __m128 bias =
        _mm_setr_ps(rows->bias[r[0]], rows->bias[r[1]], rows->bias[r[2]], rows->bias[r[3]]);
    __m128 sum = _mm_add_ps(_mm_mul_ps(_mm_mul_ps(dot, scale), _mm_set1_ps(request->scale)),
                            _mm_mul_ps(bias, _mm_set1_ps(request->bias)));

    int keep =
        _mm_movemask_ps(_mm_cmpge_ps(sum, _mm_set1_ps(mn_best_least(best)))) & ((1 << count) - 1);
    if (!keep)
        return;
    _mm_storeu_ps(score, sum);
    for (; keep; keep &= keep - 1) {
        int i = __builtin_ctz((unsigned)keep);

        mn_best_offer(best, score[i], r[i] | tag);
    }
}

static void top_avx2(const struct mn_scan_rows *rows, size_t first, const uint64_t *allowed,
                     size_t words, const struct mn_scan_request *request, uint32_t tag,
                     struct mn_best *best)
{
    uint32_t list[MN_SCAN_WORDS * 64];
    size_t count = list_rows(allowed, words, first, list);

    for (size_t i = 0; i < count && i < FETCH_AHEAD; i++)
        fetch(rows->code + list[i] * rows->stride, rows->stride);
    for (size_t i = 0; i < count; i += 4) {
        for (size_t ahead = i + FETCH_AHEAD; ahead < i + FETCH_AHEAD + 4 && ahead < count; ahead++)
            fetch(rows->code + list[ahead] * rows->stride, rows->stride);
        offer_four(rows, list + i, count - i < 4 ? count - i : 4, request, tag, best);
    }
}

static inline float sum_of_lanes(__m256 lanes)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));

    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

static void dots_avx2(const uint16_t *half, size_t stride, const float *const vector[3],
                      float ret[3])
{
    __m256 a = _mm256_setzero_ps(), b = a, c = a;

    for (size_t i = 0; i < stride; i += 8) {
        __m256 value = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(half + i)));

        a = _mm256_add_ps(a, _mm256_mul_ps(value, _mm256_loadu_ps(vector[0] + i)));
        b = _mm256_add_ps(b, _mm256_mul_ps(value, _mm256_loadu_ps(vector[1] + i)));
        c = _mm256_add_ps(c, _mm256_mul_ps(value, _mm256_loadu_ps(vector[2] + i)));
    }
    ret[0] = sum_of_lanes(a);
    ret[1] = sum_of_lanes(b);
    ret[2] = sum_of_lanes(c);
}

static float dot_avx2(const float *a, const float *b, size_t count)
{
    __m256 sum = _mm256_setzero_ps();

    for (size_t i = 0; i < count; i += 8)
        sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
    return sum_of_lanes(sum);
}

static void to_half_avx2(const float *from, size_t count, uint16_t *to)
{
    for (size_t i = 0; i < count; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
}

static void from_half_avx2(const uint16_t *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(
                                     _mm_loadu_si128((const __m128i *)(const void *)(from + i))));
}

static const struct mn_scan scan_avx2 = {
    .name = "avx2",
    .top = top_avx2,
    .dots = dots_avx2,
    .dot = dot_avx2,
    .to_half = to_half_avx2,
    .from_half = from_half_avx2,
};

const struct mn_scan *mn_scan_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") ? &scan_avx2 : NULL;
}

#else

const struct mn_scan *mn_scan_avx2(void)
{
    return NULL;
}

#endif
