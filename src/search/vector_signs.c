/*
 * vector_signs.c - blocks of 32 rows, and the way through them.
 *
 * The filter is asked only of rows whose score is good enough: most are not, and a block is scored
 * as a whole anyway. Where few rows pass the filter a search goes to them directly
 * (vector_index.c).
 */
#include "search/vector_signs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/fetch.h"
#include "search/vector_code.h"

#define FETCH_ROWS_AHEAD 256 /* their numbers: a second stream beside the blocks, read here and there */

void mn_vector_signs_release(struct mn_vector_signs *signs)
{
    free(signs->block);
    free(signs->row);
    memset(signs, 0, sizeof *signs);
}

bool mn_vector_signs_reserve(struct mn_vector_signs *signs, size_t stride)
{
    size_t room = mn_vector_room_after(signs->room), bytes = mn_sift_block_bytes(stride);

    if (signs->count < signs->room)
        return true;
    uint32_t *row = realloc(signs->row, room * sizeof *row);
    if (!row)
        return false;
    signs->row = row;
    uint8_t *block = realloc(signs->block, room / MN_SIFT_ROWS * bytes);
    if (!block)
        return false;
    signs->block = block;
    memset(block + signs->room / MN_SIFT_ROWS * bytes, 0,
           (room - signs->room) / MN_SIFT_ROWS * bytes);
    signs->room = room;
    return true;
}

static uint8_t *block_of(const struct mn_vector_signs *signs, size_t stride, size_t place)
{
    return signs->block + place / MN_SIFT_ROWS * mn_sift_block_bytes(stride);
}

void mn_vector_signs_add(struct mn_vector_signs *signs, size_t stride, uint32_t row,
                         const uint8_t *coarse)
{
    size_t place = signs->count++;

    signs->row[place] = row;
    mn_vector_code_signs(coarse, stride, place % MN_SIFT_ROWS, block_of(signs, stride, place));
}

/* Rounded to the upper half of a float. */
static uint16_t upper_half(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x8000u) >> 16);
}

void mn_vector_signs_place(struct mn_vector_signs *signs, size_t stride, size_t place, float scale,
                           float bias)
{
    const uint16_t upper[2] = { upper_half(scale), upper_half(bias) };
    uint8_t *at = block_of(signs, stride, place) + stride / 8 * MN_SIFT_ROWS +
                  place % MN_SIFT_ROWS * sizeof upper[0];

    memcpy(at, &upper[0], sizeof upper[0]);
    memcpy(at + MN_SIFT_ROWS * sizeof upper[0], &upper[1], sizeof upper[1]);
}

float mn_vector_signs_scale(const struct mn_vector_signs *signs, size_t stride, size_t place)
{
    const uint8_t *at = block_of(signs, stride, place) + stride / 8 * MN_SIFT_ROWS +
                        place % MN_SIFT_ROWS * sizeof(uint16_t);
    uint16_t upper;
    float value;

    memcpy(&upper, at, sizeof upper);
    uint32_t bits = (uint32_t)upper << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* All that a block says of a row, to another place. */
static void move(struct mn_vector_signs *signs, size_t stride, size_t from, size_t to)
{
    const uint8_t *source = block_of(signs, stride, from);
    uint8_t *target = block_of(signs, stride, to);
    size_t tail = stride / 8 * MN_SIFT_ROWS, a = from % MN_SIFT_ROWS, b = to % MN_SIFT_ROWS;

    for (size_t line = 0; line < tail; line += MN_SIFT_ROWS)
        target[line + b] = source[line + a];
    for (size_t line = tail; line < mn_sift_block_bytes(stride); line += 2 * MN_SIFT_ROWS)
        memcpy(target + line + 2 * b, source + line + 2 * a, 2);
}

void mn_vector_signs_compact(struct mn_vector_signs *signs, size_t stride, const uint64_t *alive,
                             const uint64_t *in_group)
{
    size_t kept = 0, word = 0, before = 0; /* alive in the words before */

    for (size_t place = 0; place < signs->count; place++) { /* rows ascend */
        uint32_t row = signs->row[place];
        uint64_t bit = UINT64_C(1) << row % 64;

        for (; word < row / 64; word++)
            before += mn_bits_count(alive[word]);
        if (!(alive[word] & in_group[word] & bit))
            continue;
        if (kept != place)
            move(signs, stride, place, kept);
        signs->row[kept++] = (uint32_t)before + mn_bits_count(alive[word] & (bit - 1));
    }
    signs->count = kept;
}

void mn_vector_signs_sift(const struct mn_vector_signs *signs, const struct mn_scan *scan,
                          size_t stride, const struct mn_sift_request *request,
                          const uint64_t *allowed, const uint64_t *in_group,
                          struct mn_shortlist *list)
{
    size_t bytes = mn_sift_block_bytes(stride);
    const uint8_t *block = signs->block;
    float score[MN_SIFT_ROWS];

    for (size_t first = 0; first < signs->count; first += MN_SIFT_ROWS, block += bytes) {
        for (size_t i = 0; i < MN_SIFT_ROWS; i += 64 / sizeof *signs->row)
            mn_fetch(signs->row + first + FETCH_ROWS_AHEAD + i);
        uint32_t found = scan->sift(block, stride, request, list->least, score);

        if (signs->count - first < MN_SIFT_ROWS)
            found &= (UINT32_C(1) << (signs->count - first)) - 1;
        for (; found; found &= found - 1) {
            unsigned i = (unsigned)__builtin_ctz(found);
            uint32_t row = signs->row[first + i];

            if (allowed[row / 64] & in_group[row / 64] & UINT64_C(1) << row % 64)
                mn_shortlist_offer(list, score[i], row);
        }
    }
    mn_shortlist_cut(list);
}

size_t mn_vector_signs_bytes(const struct mn_vector_signs *signs, size_t stride)
{
    return signs->room / MN_SIFT_ROWS * mn_sift_block_bytes(stride) +
           signs->room * sizeof *signs->row;
}
