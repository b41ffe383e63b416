/*
 * token_match_neon.c - eight of the request's tokens at a time, for 64 bit ARM.
 *
 * As in token_match_avx2.c: four of the text's numbers are held against four of each token. Products
 * go to 16 bits, at most 2 * 127 = 254 each, and 32 of these fit; two pairwise additions leave one
 * sum a token.
 */
#include "search/token_match.h"

#if defined(__aarch64__)

#include <arm_neon.h>
#include <string.h>

#define MASK_BYTES (MN_TOKEN_AXES / 8)
#define STEPS (MN_TOKEN_AXES / 4)
#define STEP_BYTES (4 * MN_TOKEN_GROUP)

_Static_assert(STEPS * 2 * 127 <= INT16_MAX, "sums fit into 16 bits");

/* A byte of ones for each bit of two bytes that is set. */
static inline uint8x16_t spread(const unsigned char *bits)
{
    const uint8x8_t bit_of = vcreate_u8(UINT64_C(0x8040201008040201));

    return vcombine_u8(vtst_u8(vdup_n_u8(bits[0]), bit_of), vtst_u8(vdup_n_u8(bits[1]), bit_of));
}

static void neon_unit(const unsigned char *masks, uint8_t unit[MN_TOKEN_AXES])
{
    for (size_t i = 0; i < MN_TOKEN_AXES; i += 16) {
        uint8x16_t given = spread(masks + i / 8), negative = spread(masks + MASK_BYTES + i / 8);
        uint8x16_t whole = vsubq_u8(vdupq_n_u8(1), given); /* all ones are -1 */

        vst1q_u8(unit + i, vaddq_u8(whole, vaddq_u8(negative, negative)));
    }
}

static inline int8x8_t four_twice(const uint8_t *unit, size_t step)
{
    uint32_t four;

    memcpy(&four, unit + 4 * step, sizeof four);
    return vreinterpret_s8_u32(vdup_n_u32(four));
}

/* Raises four tokens, of whose products there are four sums each in `first` and `second`. */
static inline void raise_four(int16x8_t first, int16x8_t second, const int32_t *taken_off,
                              float32x4_t scale, float *best)
{
    int32x4_t dots = vpaddq_s32(vpaddlq_s16(first), vpaddlq_s16(second));
    float32x4_t were = vld1q_f32(best);
    float32x4_t much = vmulq_f32(vcvtq_f32_s32(vsubq_s32(dots, vld1q_s32(taken_off))), scale);

    vst1q_f32(best, vbslq_f32(vcgtq_f32(much, were), much, were));
}

static void neon_raise(const struct mn_token_request *request, const uint8_t unit[MN_TOKEN_AXES],
                       float scale, float *best)
{
    const int8_t *code = request->code;
    float32x4_t by = vdupq_n_f32(scale);

    for (size_t g = 0; g < request->groups * MN_TOKEN_GROUP; g += MN_TOKEN_GROUP) {
        int16x8_t sum[4] = { vdupq_n_s16(0), vdupq_n_s16(0), vdupq_n_s16(0), vdupq_n_s16(0) };

        for (size_t i = 0; i < STEPS; i++, code += STEP_BYTES) {
            int8x8_t four = four_twice(unit, i);

            for (size_t pair = 0; pair < 4; pair++)
                sum[pair] = vmlal_s8(sum[pair], four, vld1_s8(code + 8 * pair));
        }
        raise_four(sum[0], sum[1], request->sum + g, by, best + g);
        raise_four(sum[2], sum[3], request->sum + g + 4, by, best + g + 4);
    }
}

static const struct mn_token_way NEON = { "neon", neon_unit, neon_raise };

const struct mn_token_way *mn_token_neon(void)
{
    return &NEON;
}

#else

const struct mn_token_way *mn_token_neon(void)
{
    return NULL;
}

#endif
