/*
 * vector_index.c - rows in twelve bits a number, read in three steps.
 *
 * Only B's rows are held. With c = p - P, both cosines come of the same code:
 *
 *   B = prior . n(c)
 *   A = own . (c + P - M) / |p - M| = |c| / |p - M| (own . n(c)) + own . (P - M) / |p - M|
 *
 * Centring before rounding matters: vectors of such models share a large mean, and bits spent on it
 * are lost to what tells texts apart.
 *
 * What all rows are chosen by takes some 250 bytes of 384 numbers: four bits each, the signs once
 * more, a scale and a bias right behind the four bits. The rest lies apart and is read of what was
 * chosen. Arrays grow by one in 32: slack is memory as well.
 */
#include "search/vector_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/rotation.h"
#include "search/vector_code.h"

#define LENGTH_MIN 1e-6f /* shorter is no direction */

static size_t rows_of(const struct mn_vector_index *index, size_t language)
{
    return index->group_rows[language] + index->group_rows[MN_LANGUAGE_COUNT + language];
}

static float length_of(const float *vector, size_t stride)
{
    float squared = mn_scan_dot(vector, vector, stride);

    return squared > LENGTH_MIN * LENGTH_MIN ? sqrtf(squared) : 0;
}

float mn_vector_centre(const float *from, const float *mean, size_t stride, float *to)
{
    for (size_t i = 0; i < stride; i++)
        to[i] = from[i] - mean[i];
    float length = length_of(to, stride), inverse = length > 0 ? 1 / length : 0;
    for (size_t i = 0; i < stride; i++)
        to[i] *= inverse;
    return length;
}

bool mn_vector_turn(const struct mn_vector_space *space, const float *vector, float *to)
{
    memcpy(to, vector, space->dim * sizeof(float));
    memset(to + space->dim, 0, (space->stride - space->dim) * sizeof(float));
    float squared = mn_scan_dot(to, to, space->stride);
    if (!isfinite(squared) || squared < LENGTH_MIN * LENGTH_MIN)
        return false;
    float length = sqrtf(squared);
    for (size_t i = 0; i < space->dim; i++)
        to[i] /= length;
    mn_rotation_apply(space->turn, space->stride, to);
    return true;
}

/* ---- rows ---- */

bool mn_vector_index_init(struct mn_vector_index *index, const struct mn_vector_space *space,
                          const struct mn_scan *scan)
{
    memset(index, 0, sizeof *index);
    index->space = space;
    index->scan = scan;
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
        index->ratio[l] = 1;
    if (!space->dim)
        return true;
    index->work = malloc(3 * space->stride * sizeof(float));
    if (!index->work)
        return false;
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        index->sum[l] = calloc(space->stride, sizeof(double));
        index->own_mean[l] = calloc(space->stride, sizeof(float));
        if (!index->sum[l] || !index->own_mean[l]) {
            mn_vector_index_release(index);
            return false;
        }
        memcpy(index->own_mean[l], space->passage_mean[l], space->stride * sizeof(float));
    }
    return true;
}

void mn_vector_index_release(struct mn_vector_index *index)
{
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        free(index->sum[l]);
        free(index->own_mean[l]);
    }
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
        free(index->in_group[g]);
        mn_vector_signs_release(&index->signs[g]);
    }
    free(index->coarse);
    free(index->rest);
    free(index->group);
    free(index->work);
    memset(index, 0, sizeof *index);
}

static bool grow(void *column, size_t room, size_t bytes)
{
    void *grown = realloc(*(void **)column, room * bytes);

    if (!grown)
        return false;
    *(void **)column = grown;
    return true;
}

bool mn_vector_index_room(struct mn_vector_index *index, size_t rows)
{
    size_t stride = index->space->stride;
    size_t room = index->room;

    if (rows <= index->room)
        return true;
    while (room < rows)
        room = mn_vector_room_after(room);
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
        if (!grow(&index->in_group[g], room / 64, sizeof(uint64_t)))
            return false;
        memset(index->in_group[g] + index->room / 64, 0,
               (room - index->room) / 64 * sizeof(uint64_t));
    }
    if (!grow(&index->coarse, room, mn_scan_row_bytes(stride)) ||
        !grow(&index->rest, room, mn_vector_rest_size(stride)) || !grow(&index->group, room, 1))
        return false;
    memset(index->group + index->room, MN_VECTOR_GROUP_NONE, room - index->room);
    index->room = room;
    return true;
}

bool mn_vector_index_has(const struct mn_vector_index *index, size_t row)
{
    return row < index->room && index->group[row] != MN_VECTOR_GROUP_NONE;
}

/* A row's numbers while they are worked on. */
struct row {
    uint8_t *coarse;
    struct mn_vector_rest *rest;
    float *direction; /* n(p - P), as the code says it */
    float *vector;    /* p, as the code says it */
};

static struct row row_at(const struct mn_vector_index *index, size_t row)
{
    size_t stride = index->space->stride;

    return (struct row){
        .coarse = index->coarse + row * mn_scan_row_bytes(stride),
        .rest = (struct mn_vector_rest *)(void *)(index->rest + row * mn_vector_rest_size(stride)),
        .direction = index->work + stride,
        .vector = index->work + 2 * stride,
    };
}

/* What all later figures are made of: never the vector that was given. */
static struct row decode(const struct mn_vector_index *index, size_t row)
{
    const float *prior = index->space->passage_mean[mn_vector_group_language(index->group[row])];
    struct row r = row_at(index, row);

    mn_vector_decode(r.coarse, r.rest->code, index->space->stride, r.rest->step, r.direction);
    for (size_t i = 0; i < index->space->stride; i++)
        r.vector[i] = prior[i] + r.rest->length * r.direction[i];
    return r;
}

/* What depends on the partition's own mean, of a decoded row; `place` is where its signs stand. */
static void place_row(struct mn_vector_index *index, size_t row, const struct row *r, size_t place)
{
    size_t group = index->group[row], stride = index->space->stride;
    const float *mean = index->own_mean[mn_vector_group_language(group)];
    float *away = index->work;
    float scale, signs;

    for (size_t i = 0; i < stride; i++)
        away[i] = r->vector[i] - mean[i];
    float length = length_of(away, stride), inverse = length > 0 ? 1 / length : 0;
    float ratio = mn_vector_group_is_turns(group) ? r->rest->length * inverse : 1;
    mn_vector_code_scales(r->direction, r->coarse, stride, &scale, &signs);
    const struct mn_scan_factors factors = { scale * ratio, inverse };
    memcpy(r->coarse + stride / 2, &factors, sizeof factors);
    mn_vector_signs_place(&index->signs[group], stride, place, signs * ratio, inverse);
}

bool mn_vector_index_add(struct mn_vector_index *index, const float *vector,
                         enum mn_language language, bool is_turn)
{
    size_t row = index->count, stride = index->space->stride;
    size_t group = (is_turn ? MN_LANGUAGE_COUNT : 0) + (size_t)language;

    if (!vector || !index->space->dim || !mn_vector_turn(index->space, vector, index->work)) {
        if (row < index->room)
            index->group[row] = MN_VECTOR_GROUP_NONE;
        index->count++;
        return true;
    }
    if (!mn_vector_index_room(index, index->count + 1) ||
        !mn_vector_signs_reserve(&index->signs[group], stride))
        return false;
    index->count++;
    index->group[row] = (uint8_t)group;
    index->in_group[group][row / 64] |= UINT64_C(1) << (row % 64);
    struct row r = row_at(index, row);
    r.rest->length = mn_vector_centre(index->work, index->space->passage_mean[language], stride,
                                      r.direction);
    r.rest->step = mn_vector_code(r.direction, stride, r.coarse, r.rest->code);
    r = decode(index, row);
    for (size_t i = 0; i < stride; i++)
        index->sum[language][i] += (double)r.vector[i];
    index->group_rows[group]++;
    mn_vector_signs_add(&index->signs[group], stride, (uint32_t)row, r.coarse);
    place_row(index, row, &r, index->signs[group].count - 1);
    return true;
}

void mn_vector_index_remove(struct mn_vector_index *index, size_t row)
{
    if (!mn_vector_index_has(index, row))
        return;
    size_t group = index->group[row], language = mn_vector_group_language(group);
    const struct row r = decode(index, row);

    for (size_t i = 0; i < index->space->stride; i++)
        index->sum[language][i] -= (double)r.vector[i];
    index->group_rows[group]--;
    index->in_group[group][row / 64] &= ~(UINT64_C(1) << (row % 64));
    index->group[row] = MN_VECTOR_GROUP_NONE;
}

void mn_vector_index_compact(struct mn_vector_index *index, const uint64_t *alive)
{
    size_t stride = index->space->stride, kept = 0;
    size_t coarse = mn_scan_row_bytes(stride), rest = mn_vector_rest_size(stride);

    for (size_t g = 0; index->room && g < MN_VECTOR_GROUPS; g++) {
        mn_vector_signs_compact(&index->signs[g], stride, alive, index->in_group[g]);
        memset(index->in_group[g], 0, index->room / 64 * sizeof(uint64_t));
    }
    for (size_t row = 0; row < index->count; row++) {
        if (!(alive[row / 64] >> (row % 64) & 1))
            continue;
        if (mn_vector_index_has(index, row)) {
            size_t group = index->group[row];

            memmove(index->coarse + kept * coarse, index->coarse + row * coarse, coarse);
            memmove(index->rest + kept * rest, index->rest + row * rest, rest);
            index->group[kept] = (uint8_t)group;
            index->in_group[group][kept / 64] |= UINT64_C(1) << (kept % 64);
        } else if (kept < index->room) {
            index->group[kept] = MN_VECTOR_GROUP_NONE;
        }
        kept++;
    }
    for (size_t row = kept; row < index->count && row < index->room; row++)
        index->group[row] = MN_VECTOR_GROUP_NONE;
    index->count = kept;
}

/* The rows of a group placed by M as it is now; the sum of |p - P| / |p - M|. */
static double place_group(struct mn_vector_index *index, size_t group)
{
    const struct mn_vector_signs *signs = &index->signs[group];
    double ratios = 0;

    for (size_t place = 0; place < signs->count; place++) {
        size_t row = signs->row[place];

        if (!(index->in_group[group][row / 64] >> (row % 64) & 1)) /* removed since */
            continue;
        const struct row r = decode(index, row);
        place_row(index, row, &r, place);
        if (r.rest->length > 0)
            ratios += (double)(r.rest->length * mn_vector_factors_of(index, row).bias);
    }
    return ratios;
}

/* M of one language from its rows, and the rows placed by it. */
static void recentre_language(struct mn_vector_index *index, size_t language)
{
    const struct mn_vector_space *space = index->space;
    double k = (double)space->partition_k, rows = (double)rows_of(index, language);

    for (size_t i = 0; i < space->stride; i++) {
        double prior = (double)space->passage_mean[language][i];

        index->own_mean[language][i] =
            rows + k > 0 ? (float)((index->sum[language][i] + k * prior) / (rows + k))
                         : (float)prior;
    }
    index->mean_rows[language] = rows_of(index, language);
    double ratios = place_group(index, language) + place_group(index, MN_LANGUAGE_COUNT + language);
    index->ratio[language] = rows > 0 ? (float)(ratios / rows) : 1;
}

void mn_vector_index_recentre(struct mn_vector_index *index)
{
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        size_t now = rows_of(index, l), then = index->mean_rows[l];

        if (now != then && (now * 4 >= then * 5 || now * 5 <= then * 4))
            recentre_language(index, l);
    }
}

size_t mn_vector_index_rest_bytes(const struct mn_vector_index *index)
{
    return index->room * mn_vector_rest_size(index->space->stride);
}

size_t mn_vector_index_bytes(const struct mn_vector_index *index)
{
    size_t stride = index->space->stride;
    size_t bytes = index->room * (mn_scan_row_bytes(stride) + 1) +
                   index->room / 64 * MN_VECTOR_GROUPS * sizeof(uint64_t) +
                   MN_LANGUAGE_COUNT * stride * (sizeof(double) + sizeof(float)) +
                   3 * stride * sizeof(float) + mn_vector_index_rest_bytes(index);

    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++)
        bytes += mn_vector_signs_bytes(&index->signs[g], stride);
    return bytes;
}
