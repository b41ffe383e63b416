/*
 * scan_neon.c - 16 bytes at a time, for 64 bit ARM, which always has it.
 *
 * Four bits: products of signed bytes go to 16 bits, each at most 15 * 127, and are widened after
 * sixteen of them. One bit: a table look-up of 16 rows at once, as in scan_avx2.c; both halves of a
 * block have their own sums.
 */
#include "search/scan_neon.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define FETCH_AHEAD 8          /* rows */
#define FETCH_BLOCK_AHEAD 3072 /* bytes */

static int32_t dot_coarse(const uint8_t *coarse, const int8_t *code, size_t stride)
{
    const uint8x16_t low = vdupq_n_u8(15);
    int32x4_t sum = vdupq_n_s32(0);

    for (size_t i = 0; i < stride; i += 64) {
        for (size_t j = 0; j < 32; j += 16) {
            uint8x16_t both = vld1q_u8(coarse + i / 2 + j);
            int8x16_t first = vreinterpretq_s8_u8(vandq_u8(both, low));
            int8x16_t second = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
            int8x16_t a = vld1q_s8(code + i + j), b = vld1q_s8(code + i + 32 + j);
            int16x8_t pairs = vmull_s8(vget_low_s8(first), vget_low_s8(a));

            pairs = vmlal_s8(pairs, vget_high_s8(first), vget_high_s8(a));
            pairs = vmlal_s8(pairs, vget_low_s8(second), vget_low_s8(b));
            pairs = vmlal_s8(pairs, vget_high_s8(second), vget_high_s8(b));
            sum = vpadalq_s16(sum, pairs);
        }
    }
    return vaddvq_s32(sum);
}

static void offer_neon(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                       const struct mn_scan_request *request, uint32_t tag, struct mn_best *best)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = mn_scan_row(rows, list[i]);

        if (i + FETCH_AHEAD < count)
            mn_scan_fetch(rows, list[i + FETCH_AHEAD]);
        struct mn_scan_factors by = mn_scan_factors_of(row, rows->stride);
        int32_t dot = dot_coarse(row, request->code, rows->stride);
        float score = (float)(2 * dot - 15 * request->code_sum) * by.scale * request->scale +
                      by.bias * request->bias;

        if (score >= mn_best_least(best))
            mn_best_offer(best, score, list[i] | tag);
    }
}

/* Four scores; a bit for each that reaches `least`. */
static inline uint32_t score_four(uint32x4_t sums, const uint8_t *tail,
                                  const struct mn_sift_request *request, float least, float *to)
{
    static const uint32_t BIT[4] = { 1, 2, 4, 8 };
    uint16x4_t scale = vreinterpret_u16_u8(vld1_u8(tail));
    uint16x4_t bias = vreinterpret_u16_u8(vld1_u8(tail + 2 * MN_SIFT_ROWS));
    float32x4_t sum = vcvtq_f32_s32(vreinterpretq_s32_u32(sums));
    float32x4_t by = vaddq_f32(vmulq_f32(sum, vdupq_n_f32(request->step)),
                               vdupq_n_f32(request->base));
    float32x4_t score = vaddq_f32(
        vmulq_f32(by, vreinterpretq_f32_u32(vshll_n_u16(scale, 16))),
        vmulq_f32(vreinterpretq_f32_u32(vshll_n_u16(bias, 16)), vdupq_n_f32(request->bias)));

    vst1q_f32(to, score);
    return vaddvq_u32(vandq_u32(vcgeq_f32(score, vdupq_n_f32(least)), vld1q_u32(BIT)));
}

static uint32_t sift_neon(const uint8_t *block, size_t stride,
                          const struct mn_sift_request *request, float least,
                          float score[MN_SIFT_ROWS])
{
    const uint8x16_t low = vdupq_n_u8(15);
    const uint8_t *table = request->table, *at = block;
    const uint8_t *tail = block + stride / 8 * MN_SIFT_ROWS;
    uint16x8_t sum[4] = { vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0) };
    uint32_t found = 0;

    for (; at < tail; at += 64, table += 4 * MN_SIFT_TABLE) {
        uint8x16_t a = vld1q_u8(table), b = vld1q_u8(table + 32);
        uint8x16_t c = vld1q_u8(table + 64), d = vld1q_u8(table + 96);

        mn_fetch(at + FETCH_BLOCK_AHEAD);
        for (size_t h = 0; h < 2; h++) {
            uint8x16_t first = vld1q_u8(at + 16 * h), second = vld1q_u8(at + 32 + 16 * h);
            uint8x16_t four = vaddq_u8(vaddq_u8(vqtbl1q_u8(a, vandq_u8(first, low)),
                                                vqtbl1q_u8(b, vandq_u8(second, low))),
                                       vaddq_u8(vqtbl1q_u8(c, vshrq_n_u8(first, 4)),
                                                vqtbl1q_u8(d, vshrq_n_u8(second, 4))));

            sum[2 * h] = vaddw_u8(sum[2 * h], vget_low_u8(four));
            sum[2 * h + 1] = vaddw_u8(sum[2 * h + 1], vget_high_u8(four));
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        uint16x8_t eight = sum[i / 2];
        uint16x4_t half = i % 2 ? vget_high_u16(eight) : vget_low_u16(eight);

        found |= score_four(vmovl_u16(half), tail + 8 * i, request, least, score + 4 * i) << 4 * i;
    }
    return found;
}

static void dots_neon(const uint8_t *coarse, const uint8_t *rest, size_t stride,
                      const int16_t *const vector[3], int32_t ret[3])
{
    const int16x8_t middle = vdupq_n_s16(2048);
    int32x4_t sum[3] = { vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0) };

    for (size_t i = 0; i < stride; i += 16) {
        uint8x16_t both = vld1q_u8(coarse + i / 64 * 32 + i % 32), lower = vld1q_u8(rest + i);
        uint8x16_t upper = i & 32 ? vshrq_n_u8(both, 4) : vandq_u8(both, vdupq_n_u8(15));
        int16x8_t first = vreinterpretq_s16_u8(vzip1q_u8(lower, upper));
        int16x8_t second = vreinterpretq_s16_u8(vzip2q_u8(lower, upper));

        first = vsubq_s16(first, middle);
        second = vsubq_s16(second, middle);
        for (size_t v = 0; v < 3; v++) {
            int16x8_t a = vld1q_s16(vector[v] + mn_scan_place(i));
            int16x8_t b = vld1q_s16(vector[v] + mn_scan_place(i + 8));

            sum[v] = vmlal_s16(sum[v], vget_low_s16(first), vget_low_s16(a));
            sum[v] = vmlal_s16(sum[v], vget_high_s16(first), vget_high_s16(a));
            sum[v] = vmlal_s16(sum[v], vget_low_s16(second), vget_low_s16(b));
            sum[v] = vmlal_s16(sum[v], vget_high_s16(second), vget_high_s16(b));
        }
    }
    for (size_t v = 0; v < 3; v++)
        ret[v] = vaddvq_s32(sum[v]);
}

static float dot_neon(const float *a, const float *b, size_t count)
{
    float32x4_t low = vdupq_n_f32(0), high = low;

    for (size_t i = 0; i < count; i += 8) {
        low = vaddq_f32(low, vmulq_f32(vld1q_f32(a + i), vld1q_f32(b + i)));
        high = vaddq_f32(high, vmulq_f32(vld1q_f32(a + i + 4), vld1q_f32(b + i + 4)));
    }
    float32x4_t four = vaddq_f32(low, high); /* in the order of mn_scan_dot() */
    float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}

static const struct mn_scan scan_neon = {
    .name = "neon",
    .offer = offer_neon,
    .sift = sift_neon,
    .dots = dots_neon,
    .dot = dot_neon,
};

const struct mn_scan *mn_scan_neon(void)
{
    return &scan_neon;
}

#else

const struct mn_scan *mn_scan_neon(void)
{
    return NULL;
}

#endif
