/*
 * scan_avx2.c - 32 bytes at a time.
 *
 * Four bits: the multiplier takes unsigned by signed bytes and adds neighbours into 16 bits. A pair
 * is at most 2 * 15 * 127 = 3810, so that eight of them fit before they are widened.
 *
 * One bit: a byte shuffle looks 32 rows up in a table of 16 sums at once. Four sums of at most 63
 * fit into a byte; then even and odd rows are added up in 16 bits each, 1024 sums at most.
 *
 * This file is compiled for AVX2 whatever the rest is; nothing here runs before mn_scan_avx2() has
 * asked the processor.
 */
#include "search/scan_avx2.h"

#if defined(__AVX2__)

#define FETCH_AHEAD 12         /* rows; 2.3 KB at 192 bytes each */
#define FETCH_BLOCK_AHEAD 3072 /* bytes */

static inline __m256i load(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

/* Adds 64 numbers' products up in sixteen sums of 16 bits. */
static inline __m256i add_products(__m256i sum, __m256i coarse, __m256i first, __m256i second)
{
    const __m256i low = _mm256_set1_epi8(15);
    __m256i a = _mm256_maddubs_epi16(_mm256_and_si256(coarse, low), first);
    __m256i b = _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(coarse, 4), low), second);

    return _mm256_add_epi16(sum, _mm256_add_epi16(a, b));
}

static inline __m256i widen(__m256i sum, __m256i pairs)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

static __m128i dot_of_four(const uint8_t *const row[4], const int8_t *request, size_t stride)
{
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;

    for (size_t i = 0; i < stride;) {
        size_t end = stride - i < 256 ? stride : i + 256;
        __m256i e = _mm256_setzero_si256(), f = e, g = e, h = e;

        for (; i < end; i += 64) {
            __m256i first = load(request + i), second = load(request + i + 32);

            e = add_products(e, load(row[0] + i / 2), first, second);
            f = add_products(f, load(row[1] + i / 2), first, second);
            g = add_products(g, load(row[2] + i / 2), first, second);
            h = add_products(h, load(row[3] + i / 2), first, second);
        }
        a = widen(a, e);
        b = widen(b, f);
        c = widen(c, g);
        d = widen(d, h);
    }
    __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

static void offer_four(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                       const struct mn_scan_request *request, uint32_t tag, struct mn_best *best)
{
    uint32_t r[4];
    float score[4];

    for (size_t i = 0; i < 4; i++) /* the last ones may be fewer: repeat one, do not offer it */
        r[i] = list[i < count ? i : count - 1];
    const uint8_t *const row[4] = { mn_scan_row(rows, r[0]), mn_scan_row(rows, r[1]),
                                    mn_scan_row(rows, r[2]), mn_scan_row(rows, r[3]) };
    __m128i dot = dot_of_four(row, request->code, rows->stride);
    __m128i twice = _mm_sub_epi32(_mm_add_epi32(dot, dot), _mm_set1_epi32(15 * request->code_sum));
    struct mn_scan_factors by[4];

    for (size_t i = 0; i < 4; i++)
        by[i] = mn_scan_factors_of(row[i], rows->stride);
    __m128 scale = _mm_setr_ps(by[0].scale, by[1].scale, by[2].scale, by[3].scale);
    __m128 bias = _mm_setr_ps(by[0].bias, by[1].bias, by[2].bias, by[3].bias);
    __m128 sum = _mm_add_ps(
        _mm_mul_ps(_mm_mul_ps(_mm_cvtepi32_ps(twice), scale), _mm_set1_ps(request->scale)),
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

static void offer_avx2(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                       const struct mn_scan_request *request, uint32_t tag, struct mn_best *best)
{
    for (size_t i = 0; i < count && i < FETCH_AHEAD; i++)
        mn_scan_fetch(rows, list[i]);
    for (size_t i = 0; i < count; i += 4) {
        for (size_t ahead = i + FETCH_AHEAD; ahead < i + FETCH_AHEAD + 4 && ahead < count; ahead++)
            mn_scan_fetch(rows, list[ahead]);
        offer_four(rows, list + i, count - i < 4 ? count - i : 4, request, tag, best);
    }
}

/* Scores of eight rows; a bit for each that reaches `least`. */
static inline uint32_t score_eight(__m128i sums, const uint8_t *scale, const uint8_t *bias,
                                   const struct mn_sift_request *request, __m256 least, float *to)
{
    __m256 sum = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sums));
    __m256i upper[2] = {
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)scale)),
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)bias)),
    };
    __m256 by = _mm256_add_ps(_mm256_mul_ps(sum, _mm256_set1_ps(request->step)),
                              _mm256_set1_ps(request->base));
    __m256 score = _mm256_add_ps(
        _mm256_mul_ps(by, _mm256_castsi256_ps(_mm256_slli_epi32(upper[0], 16))),
        _mm256_mul_ps(_mm256_castsi256_ps(_mm256_slli_epi32(upper[1], 16)),
                      _mm256_set1_ps(request->bias)));

    _mm256_storeu_ps(to, score);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(score, least, _CMP_GE_OQ));
}

uint32_t mn_scan_scores_avx2(__m256i even, __m256i odd, const uint8_t *tail,
                             const struct mn_sift_request *request, float least,
                             float score[MN_SIFT_ROWS])
{
    __m256i first = _mm256_unpacklo_epi16(even, odd), second = _mm256_unpackhi_epi16(even, odd);
    const __m128i sums[4] = { _mm256_castsi256_si128(first), _mm256_castsi256_si128(second),
                              _mm256_extracti128_si256(first, 1),
                              _mm256_extracti128_si256(second, 1) };
    uint32_t found = 0;

    for (unsigned i = 0; i < 4; i++)
        found |= score_eight(sums[i], tail + 16 * i, tail + 64 + 16 * i, request,
                             _mm256_set1_ps(least), score + 8 * i)
                 << 8 * i;
    _mm256_zeroupper(); /* where registers are handed in the compiler leaves it undone */
    return found;
}

static uint32_t sift_avx2(const uint8_t *block, size_t stride,
                          const struct mn_sift_request *request, float least,
                          float score[MN_SIFT_ROWS])
{
    const __m256i low = _mm256_set1_epi8(15);
    const uint8_t *table = request->table, *at = block;
    const uint8_t *tail = block + stride / 8 * MN_SIFT_ROWS;
    __m256i all = _mm256_setzero_si256(), odd = all; /* all: even + 256 odd, less what overflows */

    for (; at < tail; at += 64, table += 4 * MN_SIFT_TABLE) {
        __m256i first = load(at), second = load(at + 32);

        mn_fetch(at + FETCH_BLOCK_AHEAD);
        __m256i a = _mm256_shuffle_epi8(load(table), _mm256_and_si256(first, low));
        __m256i b = _mm256_shuffle_epi8(load(table + 32), _mm256_and_si256(second, low));
        __m256i c = _mm256_shuffle_epi8(load(table + 64),
                                        _mm256_and_si256(_mm256_srli_epi16(first, 4), low));
        __m256i d = _mm256_shuffle_epi8(load(table + 96),
                                        _mm256_and_si256(_mm256_srli_epi16(second, 4), low));
        __m256i four = _mm256_add_epi8(_mm256_add_epi8(a, b), _mm256_add_epi8(c, d));

        all = _mm256_add_epi16(all, four);
        odd = _mm256_add_epi16(odd, _mm256_srli_epi16(four, 8));
    }
    __m256i even = _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8));
    return mn_scan_scores_avx2(even, odd, tail, request, least, score);
}

/* Thirty-two numbers' products with one vector. */
static inline __m256i add_dots(__m256i sum, __m256i first, __m256i second, const int16_t *vector)
{
    return _mm256_add_epi32(sum, _mm256_add_epi32(_mm256_madd_epi16(first, load(vector)),
                                                  _mm256_madd_epi16(second, load(vector + 16))));
}

void mn_scan_dots_avx2(const uint8_t *coarse, const uint8_t *rest, size_t stride,
                       const int16_t *const vector[3], int32_t ret[3])
{
    const __m256i low = _mm256_set1_epi8(15), middle = _mm256_set1_epi16(2048);
    __m256i a = _mm256_setzero_si256(), b = a, c = a;

    for (size_t i = 0; i < stride; i += 32) {
        __m256i upper = load(coarse + i / 64 * 32), lower = load(rest + i);

        upper = _mm256_and_si256(i & 32 ? _mm256_srli_epi16(upper, 4) : upper, low);
        __m256i first = _mm256_sub_epi16(_mm256_unpacklo_epi8(lower, upper), middle);
        __m256i second = _mm256_sub_epi16(_mm256_unpackhi_epi8(lower, upper), middle);
        a = add_dots(a, first, second, vector[0] + i);
        b = add_dots(b, first, second, vector[1] + i);
        c = add_dots(c, first, second, vector[2] + i);
    }
    __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, c));
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    ret[0] = _mm_extract_epi32(sum, 0);
    ret[1] = _mm_extract_epi32(sum, 1);
    ret[2] = _mm_extract_epi32(sum, 2);
}

static inline float sum_of_lanes(__m256 lanes)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));

    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

float mn_scan_dot_avx2(const float *a, const float *b, size_t count)
{
    __m256 sum = _mm256_setzero_ps();

    for (size_t i = 0; i < count; i += 8)
        sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
    return sum_of_lanes(sum);
}

static const struct mn_scan scan_avx2 = {
    .name = "avx2",
    .offer = offer_avx2,
    .sift = sift_avx2,
    .dots = mn_scan_dots_avx2,
    .dot = mn_scan_dot_avx2,
};

const struct mn_scan *mn_scan_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? &scan_avx2 : NULL;
}

#else

const struct mn_scan *mn_scan_avx2(void)
{
    return NULL;
}

#endif
