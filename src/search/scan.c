/*
 * scan.c - the loops in plain C, and the choice among the ways.
 *
 * A flat scan with the filter inside, no graph: at the sizes of one owner's memory it is exact
 * after a short rescoring, costs nothing to build, forgets at once, and gets faster as the filter
 * gets narrower, where graph indexes lose results or time. Choosing on bytes reads a quarter of
 * what floats need; the processor waits for memory, not for arithmetic.
 */
#include "search/scan.h"

#include <math.h>
#include <string.h>

#include "search/scan_avx2.h"

static int32_t dot_bytes(const int8_t *a, const int8_t *b, size_t count)
{
    int32_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (int32_t)a[i] * b[i];
    return sum;
}

static void top_plain(const struct mn_scan_rows *rows, size_t first, const uint64_t *allowed,
                      size_t words, const struct mn_scan_request *request, uint32_t tag,
                      struct mn_best *best)
{
    for (size_t w = 0; w < words; w++) {
        for (uint64_t bits = allowed[w]; bits; bits &= bits - 1) {
            size_t row = first + w * 64 + (size_t)__builtin_ctzll(bits);
            int32_t dot = dot_bytes(rows->code + row * rows->stride, request->code, rows->stride);
            float score =
                (float)dot * rows->scale[row] * request->scale + rows->bias[row] * request->bias;

            if (score >= mn_best_least(best))
                mn_best_offer(best, score, (uint32_t)row | tag);
        }
    }
}

static float float_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 31u;
    uint32_t fraction = half & 1023u;
    uint32_t bits;
    float value;

    if (exponent == 0) { /* zero, or too small for the implied one */
        value = ldexpf((float)fraction, -24);
        return sign ? -value : value;
    }
    if (exponent == 31)
        bits = sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0);
    else
        bits = sign | (exponent + 112u) << 23 | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The fraction shifted right by `shift`, ties to even. A carry into the exponent is right. */
static uint32_t rounded(uint32_t fraction, unsigned shift)
{
    uint32_t half = 1u << (shift - 1);
    uint32_t rest = fraction & ((1u << shift) - 1);
    uint32_t kept = fraction >> shift;

    return kept + (rest > half || (rest == half && (kept & 1u)));
}

static uint16_t half_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;

    if (magnitude > 0x7f800000u) /* NaN stays one */
        return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
    if (magnitude >= 0x477ff000u) /* rounds past the largest */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude >= 0x38800000u) /* normal */
        return (uint16_t)(sign | rounded(magnitude - 0x38000000u, 13));
    if (magnitude < 0x33000000u) /* rounds to zero */
        return (uint16_t)sign;
    return (uint16_t)(sign |
                      rounded((magnitude & 0x7fffffu) | 0x800000u, 126u - (magnitude >> 23)));
}

static void to_half_plain(const float *from, size_t count, uint16_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = half_of_float(from[i]);
}

static void from_half_plain(const uint16_t *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = float_of_half(from[i]);
}

/* Eight running sums, added up as the vector unit does it. */
static float sum_of_lanes(const float lane[8])
{
    float low = lane[0] + lane[4], high = lane[2] + lane[6];
    float odd_low = lane[1] + lane[5], odd_high = lane[3] + lane[7];

    return (low + high) + (odd_low + odd_high);
}

static void dots_plain(const uint16_t *half, size_t stride, const float *const vector[3],
                       float ret[3])
{
    float lane[3][8] = { { 0 } };

    for (size_t i = 0; i < stride; i += 8) {
        for (size_t j = 0; j < 8; j++) {
            float value = float_of_half(half[i + j]);

            for (size_t v = 0; v < 3; v++)
                lane[v][j] += value * vector[v][i + j];
        }
    }
    for (size_t v = 0; v < 3; v++)
        ret[v] = sum_of_lanes(lane[v]);
}

float mn_scan_dot(const float *a, const float *b, size_t count)
{
    float lane[8] = { 0 };

    for (size_t i = 0; i < count; i += 8)
        for (size_t j = 0; j < 8; j++)
            lane[j] += a[i + j] * b[i + j];
    return sum_of_lanes(lane);
}

const struct mn_scan mn_scan_plain = {
    .name = "plain",
    .top = top_plain,
    .dots = dots_plain,
    .dot = mn_scan_dot,
    .to_half = to_half_plain,
    .from_half = from_half_plain,
};

const struct mn_scan *mn_scan_here(void)
{
    const struct mn_scan *avx2 = mn_scan_avx2();

    return avx2 ? avx2 : &mn_scan_plain;
}

float mn_scan_quantise(const float *from, size_t count, int8_t *to)
{
    float largest = 0;

    for (size_t i = 0; i < count; i++) {
        float size = from[i] < 0 ? -from[i] : from[i];

        largest = size > largest ? size : largest;
    }
    if (largest < 1e-30f) {
        memset(to, 0, count);
        return 0;
    }
    float per_unit = (float)MN_SCAN_CODE_MAX / largest;
    for (size_t i = 0; i < count; i++)
        to[i] = (int8_t)(from[i] * per_unit + (from[i] < 0 ? -0.5f : 0.5f));
    return largest / (float)MN_SCAN_CODE_MAX;
}
