/*
 * scan.c - the loops in plain C, and the choice among the ways.
 *
 * A flat scan with the filter inside, no graph: at the sizes of one owner's memory it is exact
 * after a short rescoring, costs nothing to build, forgets at once, and gets faster as the filter
 * gets narrower, where graph indexes lose results or time. The processor waits for memory, not for
 * arithmetic: so what is read of every row is as short as it can be.
 */
#include "search/scan.h"

#include <string.h>

#include "search/scan_avx2.h"
#include "search/scan_avx512.h"
#include "search/scan_neon.h"

static int32_t dot_coarse(const uint8_t *coarse, const int8_t *code, size_t stride)
{
    int32_t sum = 0;

    for (size_t i = 0; i < stride; i += 64)
        for (size_t j = 0; j < 32; j++)
            sum += (coarse[i / 2 + j] & 15) * code[i + j] +
                   (coarse[i / 2 + j] >> 4) * code[i + 32 + j];
    return sum;
}

static void offer_plain(const struct mn_scan_rows *rows, const uint32_t *list, size_t count,
                        const struct mn_scan_request *request, uint32_t tag, struct mn_best *best)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = mn_scan_row(rows, list[i]);
        struct mn_scan_factors by = mn_scan_factors_of(row, rows->stride);
        int32_t dot = dot_coarse(row, request->code, rows->stride);
        float score = (float)(2 * dot - 15 * request->code_sum) * by.scale * request->scale +
                      by.bias * request->bias;

        if (score >= mn_best_least(best))
            mn_best_offer(best, score, list[i] | tag);
    }
}

static float float_of_upper(uint16_t upper)
{
    uint32_t bits = (uint32_t)upper << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t sift_plain(const uint8_t *block, size_t stride,
                           const struct mn_sift_request *request, float least,
                           float score[MN_SIFT_ROWS])
{
    const uint8_t *tail = block + stride / 8 * MN_SIFT_ROWS;
    uint32_t found = 0;

    for (size_t r = 0; r < MN_SIFT_ROWS; r++) {
        const uint8_t *table = request->table;
        uint16_t upper[2];
        uint32_t sum = 0;

        for (size_t i = 0; i < stride / 8; i += 2, table += 4 * MN_SIFT_TABLE) {
            uint8_t first = block[i * MN_SIFT_ROWS + r], second = block[(i + 1) * MN_SIFT_ROWS + r];

            sum += (uint32_t)table[first & 15] + table[MN_SIFT_TABLE + (second & 15)] +
                   table[2 * MN_SIFT_TABLE + (first >> 4)] +
                   table[3 * MN_SIFT_TABLE + (second >> 4)];
        }
        memcpy(&upper[0], tail + r * sizeof upper[0], sizeof upper[0]);
        memcpy(&upper[1], tail + (MN_SIFT_ROWS + r) * sizeof upper[0], sizeof upper[0]);
        score[r] = ((float)(int32_t)sum * request->step + request->base) * float_of_upper(upper[0]) +
                   float_of_upper(upper[1]) * request->bias;
        found |= (uint32_t)(score[r] >= least) << r;
    }
    return found;
}

static void dots_plain(const uint8_t *coarse, const uint8_t *rest, size_t stride,
                       const int16_t *const vector[3], int32_t ret[3])
{
    int32_t sum[3] = { 0 };

    for (size_t i = 0; i < stride; i++) {
        unsigned byte = coarse[i / 64 * 32 + i % 32];
        int32_t code = (int32_t)((i & 32 ? byte >> 4 : byte & 15) << 8 | rest[i]) - 2048;

        for (size_t v = 0; v < 3; v++)
            sum[v] += code * vector[v][mn_scan_place(i)];
    }
    memcpy(ret, sum, sizeof sum);
}

/* Eight running sums, added up as a vector unit does it. */
static float sum_of_lanes(const float lane[8])
{
    float low = lane[0] + lane[4], high = lane[2] + lane[6];
    float odd_low = lane[1] + lane[5], odd_high = lane[3] + lane[7];

    return (low + high) + (odd_low + odd_high);
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
    .offer = offer_plain,
    .sift = sift_plain,
    .dots = dots_plain,
    .dot = mn_scan_dot,
};

const struct mn_scan *mn_scan_here(void)
{
    const struct mn_scan *const ways[] = { mn_scan_avx512(), mn_scan_avx2(), mn_scan_neon() };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i])
            return ways[i];
    return &mn_scan_plain;
}
