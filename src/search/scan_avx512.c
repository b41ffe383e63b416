/*
 * scan_avx512.c - 64 bytes at a time; products of bytes added up four at once (VNNI).
 *
 * Sums are those of scan_avx2.c in twice the width. What is left to do for each row or block is done
 * there, by AVX2, which such processors have as well.
 */
#include "search/scan_avx512.h"

#include "search/avx512.h"
#include "search/scan_avx2.h"

#if defined(MN_AVX512)

#define FETCH_AHEAD 12         /* rows; 2.3 KB at 192 bytes each */
#define FETCH_BLOCK_AHEAD 3072 /* bytes */

static inline __m512i load(const void *at)
{
    return _mm512_loadu_si512(at);
}

/* Two loads of 32 bytes, one behind the other, of which the second may be none. */
static inline __m512i load_halves(const void *first, const void *second)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)first);
    __m256i high =
        second ? _mm256_loadu_si256((const __m256i *)second) : _mm256_setzero_si256();

    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* Adds 128 numbers' products up in sixteen sums. */
static inline __m512i add_products(__m512i sum, __m512i coarse, __m512i first, __m512i second)
{
    const __m512i low = _mm512_set1_epi8(15);

    sum = _mm512_dpbusd_epi32(sum, _mm512_and_si512(coarse, low), first);
    return _mm512_dpbusd_epi32(sum, _mm512_and_si512(_mm512_srli_epi16(coarse, 4), low), second);
}

static inline __m256i fold(__m512i sum)
{
    return _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
}

static __m128i dot_of_four(const uint8_t *const row[4], const int8_t *request, size_t stride)
{
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;

    for (size_t i = 0; i < stride; i += 128) {
        bool whole = stride - i >= 128; /* else 64 are left */
        __m512i first = load_halves(request + i, whole ? request + i + 64 : NULL);
        __m512i second = load_halves(request + i + 32, whole ? request + i + 96 : NULL);
        __m512i code[4];

        for (size_t r = 0; r < 4; r++)
            code[r] = whole ? load(row[r] + i / 2) : load_halves(row[r] + i / 2, NULL);
        a = add_products(a, code[0], first, second);
        b = add_products(b, code[1], first, second);
        c = add_products(c, code[2], first, second);
        d = add_products(d, code[3], first, second);
    }
    __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(fold(a), fold(b)),
                                    _mm256_hadd_epi32(fold(c), fold(d)));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

static void offer_four(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                       const struct mn_scan_request *request, uint32_t tag, struct mn_best *best)
{
    uint32_t r[4];
    int32_t dot[4];

    for (size_t i = 0; i < 4; i++) /* the last ones may be fewer: repeat one, do not offer it */
        r[i] = list[i < count ? i : count - 1];
    const uint8_t *const row[4] = { mn_scan_row(rows, r[0]), mn_scan_row(rows, r[1]),
                                    mn_scan_row(rows, r[2]), mn_scan_row(rows, r[3]) };
    _mm_storeu_si128((__m128i *)(void *)dot, dot_of_four(row, request->code, rows->stride));
    for (size_t i = 0; i < count; i++) {
        struct mn_scan_factors by = mn_scan_factors_of(row[i], rows->stride);
        float score = (float)(2 * dot[i] - 15 * request->code_sum) * by.scale * request->scale +
                      by.bias * request->bias;

        if (score >= mn_best_least(best))
            mn_best_offer(best, score, r[i] | tag);
    }
}

static void offer_avx512(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
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

/* 64 bytes of a block are 16 numbers of 32 rows; their four tables lie as the bytes do. */
static inline __m512i look_up(const uint8_t *block, const uint8_t *table)
{
    const __m512i low = _mm512_set1_epi8(15);
    __m512i signs = load(block);

    mn_fetch(block + FETCH_BLOCK_AHEAD);
    return _mm512_add_epi8(
        _mm512_shuffle_epi8(load(table), _mm512_and_si512(signs, low)),
        _mm512_shuffle_epi8(load(table + 64),
                            _mm512_and_si512(_mm512_srli_epi16(signs, 4), low)));
}

static uint32_t sift_avx512(const uint8_t *block, size_t stride,
                            const struct mn_sift_request *request, float least,
                            float score[MN_SIFT_ROWS])
{
    const uint8_t *table = request->table, *at = block;
    const uint8_t *tail = block + stride / 8 * MN_SIFT_ROWS;
    __m512i wide = _mm512_setzero_si512(), wide_odd = wide;

    for (; at < tail; at += 128, table += 8 * MN_SIFT_TABLE) {
        __m512i four = _mm512_add_epi8(look_up(at, table),
                                       look_up(at + 64, table + 4 * MN_SIFT_TABLE));

        wide = _mm512_add_epi16(wide, four);
        wide_odd = _mm512_add_epi16(wide_odd, _mm512_srli_epi16(four, 8));
    }
    __m256i all = _mm256_add_epi16(_mm512_castsi512_si256(wide),
                                   _mm512_extracti64x4_epi64(wide, 1));
    __m256i odd = _mm256_add_epi16(_mm512_castsi512_si256(wide_odd),
                                   _mm512_extracti64x4_epi64(wide_odd, 1));
    __m256i even = _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8));
    return mn_scan_scores_avx2(even, odd, tail, request, least, score);
}

static const struct mn_scan scan_avx512 = {
    .name = "avx512",
    .offer = offer_avx512,
    .sift = sift_avx512,
    .dots = mn_scan_dots_avx2,
    .dot = mn_scan_dot_avx2,
};

const struct mn_scan *mn_scan_avx512(void)
{
    return mn_avx512_here() && mn_scan_avx2() ? &scan_avx512 : NULL;
}

#else

const struct mn_scan *mn_scan_avx512(void)
{
    return NULL;
}

#endif
