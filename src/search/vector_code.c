/*
 * vector_code.c - rounding, and the layouts that the loops of scan.h read.
 */
#include "search/vector_code.h"

#include <math.h>
#include <string.h>

#define CODES 4096
#define SMALLEST 1e-30f

static float largest_of(const float *from, size_t count)
{
    float largest = 0;

    for (size_t i = 0; i < count; i++)
        largest = fabsf(from[i]) > largest ? fabsf(from[i]) : largest;
    return largest;
}

/* ---- rows ---- */

float mn_vector_code(const float *direction, size_t stride, uint8_t *coarse, uint8_t *rest)
{
    float largest = largest_of(direction, stride);
    float per_unit = largest > SMALLEST ? (CODES / 2 - 0.5f) / largest : 0;

    for (size_t i = 0; i < stride; i += 64) {
        for (size_t j = 0; j < 32; j++) {
            int first = (int)(direction[i + j] * per_unit + CODES / 2);
            int second = (int)(direction[i + 32 + j] * per_unit + CODES / 2);

            coarse[i / 2 + j] = (uint8_t)(first >> 8 | (second >> 8) << 4);
            rest[i + j] = (uint8_t)first;
            rest[i + 32 + j] = (uint8_t)second;
        }
    }
    return per_unit > 0 ? 1 / per_unit : 0;
}

void mn_vector_decode(const uint8_t *coarse, const uint8_t *rest, size_t stride, float step,
                      float *to)
{
    for (size_t i = 0; i < stride; i += 64) {
        for (size_t j = 0; j < 32; j++) {
            int first = (coarse[i / 2 + j] & 15) << 8 | rest[i + j];
            int second = (coarse[i / 2 + j] >> 4) << 8 | rest[i + 32 + j];

            to[i + j] = ((float)first - (CODES / 2 - 0.5f)) * step;
            to[i + 32 + j] = ((float)second - (CODES / 2 - 0.5f)) * step;
        }
    }
}

void mn_vector_code_scales(const float *decoded, const uint8_t *coarse, size_t stride,
                           float *ret_coarse, float *ret_signs)
{
    float lane[8] = { 0 }, size[8] = { 0 };
    float whole = 0, signs = 0;

    for (size_t i = 0; i < stride; i += 64) {
        for (size_t j = 0; j < 32; j++) {
            float a = decoded[i + j], b = decoded[i + 32 + j];

            lane[j % 8] += ((float)(coarse[i / 2 + j] & 15) - 7.5f) * a;
            lane[j % 8] += ((float)(coarse[i / 2 + j] >> 4) - 7.5f) * b;
            size[j % 8] += fabsf(a) + fabsf(b);
        }
    }
    for (size_t j = 0; j < 8; j++) {
        whole += lane[j];
        signs += size[j];
    }
    *ret_coarse = whole > SMALLEST ? 0.5f / whole : 0;
    *ret_signs = signs > SMALLEST ? 1 / signs : 0;
}

void mn_vector_code_signs(const uint8_t *coarse, size_t stride, size_t place, uint8_t *block)
{
    for (size_t i = 0; i < stride; i += 8) {
        const uint8_t *from = coarse + i / 64 * 32 + i % 32;
        uint8_t mask = i & 32 ? 128 : 8, signs = 0;

        for (size_t j = 0; j < 8; j++)
            signs |= (uint8_t)((from[j] & mask) != 0) << j;
        block[i / 8 * MN_SIFT_ROWS + place] = signs;
    }
}

/* ---- requests ---- */

float mn_vector_code_bytes(const float *from, size_t count, int8_t *to)
{
    float largest = largest_of(from, count);

    if (largest < SMALLEST) {
        memset(to, 0, count);
        return 0;
    }
    float per_unit = (float)MN_SCAN_CODE_MAX / largest;
    for (size_t i = 0; i < count; i++)
        to[i] = (int8_t)(from[i] * per_unit + (from[i] < 0 ? -0.5f : 0.5f));
    return largest / (float)MN_SCAN_CODE_MAX;
}

float mn_vector_code_fine(const float *from, size_t stride, int16_t *to)
{
    float largest = largest_of(from, stride), most = (float)mn_scan_fine_max(stride);

    if (largest < SMALLEST) {
        memset(to, 0, stride * sizeof *to);
        return 0;
    }
    float per_unit = most / largest;
    for (size_t i = 0; i < stride; i++)
        to[mn_scan_place(i)] = (int16_t)(from[i] * per_unit + (from[i] < 0 ? -0.5f : 0.5f));
    return largest / most;
}

void mn_vector_code_tables(const float *from, size_t stride, uint8_t *table, float *ret_step,
                           float *ret_base)
{
    static const uint8_t ORDER[4] = { 0, 8, 4, 12 };
    float most = 0, base = 0;

    for (size_t i = 0; i < stride; i += 4) {
        float size = fabsf(from[i]) + fabsf(from[i + 1]) + fabsf(from[i + 2]) + fabsf(from[i + 3]);

        most = size > most ? size : most;
        base -= size;
    }
    float per_unit = most > SMALLEST ? MN_SIFT_MOST / (2 * most) : 0;
    for (size_t t = 0; t < stride / 4; t++, table += MN_SIFT_TABLE) {
        const float *four = from + t / 4 * 16 + ORDER[t % 4];
        float sum[16] = { 0 }; /* above the least of the table */

        for (size_t bit = 0; bit < 4; bit++)
            sum[0] += four[bit] < 0 ? -2 * four[bit] : 0;
        for (size_t bit = 0; bit < 4; bit++)
            for (size_t way = 0; way < (size_t)1 << bit; way++)
                sum[way + ((size_t)1 << bit)] = sum[way] + 2 * four[bit];
        for (size_t way = 0; way < 16; way++)
            table[way] = table[way + 16] = (uint8_t)(int)(sum[way] * per_unit + 0.5f);
    }
    *ret_step = per_unit > 0 ? 1 / per_unit : 0;
    *ret_base = base;
}
