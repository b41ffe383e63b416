/*
 * vector_segment.c - vectors as they are searched, as bytes: columns behind each other.
 *
 * Signs are made again from the coarse codes; their scales, which take a decoding to find, are kept.
 */
#include <math.h>
#include <string.h>

#include "search/packed.h"
#include "search/vector_index.h"

/* In a row of four bits. */
#define SCALE_AT(stride) ((stride) / 2 + offsetof(struct mn_scan_factors, scale))
#define BIAS_AT(stride) ((stride) / 2 + offsetof(struct mn_scan_factors, bias))

static size_t row_bytes(size_t stride)
{
    return 1 + stride / 2 + mn_vector_rest_size(stride) + 2 * sizeof(float);
}

/* So many bytes of each row, `every` so many bytes apart. What stands in the place of a row without a
 * vector is nobody's, or was somebody's: zeros. */
static void put_column(const struct mn_vector_index *index, size_t rows, const uint8_t *column,
                       size_t every, size_t bytes, struct mn_buf *out)
{
    static const char zeros[64];

    for (size_t row = 0; row < rows; row++) {
        if (index->group[row] != MN_VECTOR_GROUP_NONE) {
            mn_buf_put(out, column + row * every, bytes);
            continue;
        }
        for (size_t left = bytes, some; left; left -= some) {
            some = left < sizeof zeros ? left : sizeof zeros;
            mn_buf_put(out, zeros, some);
        }
    }
}

void mn_vector_index_save(const struct mn_vector_index *index, struct mn_buf *out)
{
    size_t rows = index->count < index->room ? index->count : index->room;
    size_t stride = index->space->stride;
    size_t coarse = mn_scan_row_bytes(stride), rest = mn_vector_rest_size(stride);

    mn_packed_put_number(out, index->space->dim);
    mn_packed_put_number(out, rows);
    if (!rows)
        return;
    mn_buf_put(out, index->group, rows);
    put_column(index, rows, index->coarse, coarse, stride / 2, out);
    put_column(index, rows, index->rest, rest, rest, out);
    put_column(index, rows, index->coarse + SCALE_AT(stride), coarse, sizeof(float), out);
    put_column(index, rows, index->coarse + BIAS_AT(stride), coarse, sizeof(float), out);
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++)
        for (size_t place = 0; place < index->signs[g].count; place++) {
            float scale = mn_vector_signs_scale(&index->signs[g], stride, place);

            mn_buf_put(out, &scale, sizeof scale);
        }
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        mn_buf_put(out, index->sum[l], stride * sizeof(double));
        mn_buf_put(out, index->own_mean[l], stride * sizeof(float));
        mn_packed_put_number(out, index->mean_rows[l]);
        mn_buf_put(out, &index->ratio[l], sizeof(float));
    }
}

static bool all_finite(const float *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

static bool rests_finite(const struct mn_vector_index *index, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        const struct mn_vector_rest *rest = mn_vector_rest_of(index, row);

        if (index->group[row] != MN_VECTOR_GROUP_NONE &&
            (!isfinite(rest->step) || !isfinite(rest->length)))
            return false;
    }
    return true;
}

static bool factors_finite(const struct mn_vector_index *index, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        struct mn_scan_factors by = mn_vector_factors_of(index, row);

        if (!isfinite(by.scale) || !isfinite(by.bias))
            return false;
    }
    return true;
}

static void copy_column(struct mn_packed *in, size_t rows, uint8_t *column, size_t every,
                        size_t bytes)
{
    for (size_t row = 0; row < rows; row++)
        mn_packed_copy(in, column + row * every, bytes);
}

static bool load_columns(struct mn_vector_index *index, size_t rows, struct mn_packed *in)
{
    size_t stride = index->space->stride, coarse = mn_scan_row_bytes(stride);

    mn_packed_copy(in, index->group, rows);
    copy_column(in, rows, index->coarse, coarse, stride / 2);
    mn_packed_copy(in, index->rest, rows * mn_vector_rest_size(stride));
    copy_column(in, rows, index->coarse + SCALE_AT(stride), coarse, sizeof(float));
    copy_column(in, rows, index->coarse + BIAS_AT(stride), coarse, sizeof(float));
    return !in->bad && rests_finite(index, rows) && factors_finite(index, rows);
}

/* The rows of one group, which are in order of their places. */
static bool load_group(struct mn_vector_index *index, size_t group, const uint8_t *language,
                       size_t rows, struct mn_packed *in)
{
    struct mn_vector_signs *signs = &index->signs[group];
    size_t stride = index->space->stride;

    for (size_t row = 0; row < rows; row++) {
        float scale;

        if (index->group[row] != group)
            continue;
        mn_packed_copy(in, &scale, sizeof scale);
        if (mn_vector_group_language(group) != language[row] || !isfinite(scale) ||
            !mn_vector_signs_reserve(signs, stride))
            return false;
        index->in_group[group][row / 64] |= UINT64_C(1) << (row % 64);
        index->group_rows[group]++;
        mn_vector_signs_add(signs, stride, (uint32_t)row, mn_vector_coarse_of(index, row));
        mn_vector_signs_place(signs, stride, signs->count - 1, scale,
                              mn_vector_factors_of(index, row).bias);
    }
    return !in->bad;
}

static bool load_means(struct mn_vector_index *index, struct mn_packed *in)
{
    size_t stride = index->space->stride;

    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        mn_packed_copy(in, index->sum[l], stride * sizeof(double));
        mn_packed_copy(in, index->own_mean[l], stride * sizeof(float));
        index->mean_rows[l] = (size_t)mn_packed_number(in);
        mn_packed_copy(in, &index->ratio[l], sizeof(float));
        for (size_t i = 0; i < stride; i++)
            if (!isfinite(index->sum[l][i]))
                return false;
        if (!all_finite(index->own_mean[l], stride) || !isfinite(index->ratio[l]) ||
            index->mean_rows[l] > UINT32_MAX)
            return false;
    }
    return !in->bad;
}

bool mn_vector_index_load(struct mn_vector_index *index, const uint8_t *language, size_t count,
                          struct mn_packed *in)
{
    uint64_t dim = mn_packed_number(in), rows = mn_packed_number(in);

    index->count = count;
    if (in->bad || dim != index->space->dim || rows > count || (!dim && rows))
        return false;
    if (!rows)
        return true;
    if (rows > (size_t)(in->end - in->at) / row_bytes(index->space->stride) ||
        !mn_vector_index_room(index, (size_t)rows) || !load_columns(index, (size_t)rows, in))
        return false;
    for (size_t row = 0; row < rows; row++)
        if (index->group[row] != MN_VECTOR_GROUP_NONE && index->group[row] >= MN_VECTOR_GROUPS)
            return false;
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++)
        if (!load_group(index, g, language, (size_t)rows, in))
            return false;
    return load_means(index, in);
}
