/*
 * vector_index.c - bytes to choose from, halves to score with.
 *
 * Only B's rows are held as bytes. With c = p - P, both cosines come of the same bytes:
 *
 *   B = prior . n(c)
 *   A = own . (c + P - M) / |p - M| = |c| / |p - M| (own . n(c)) + own . (P - M) / |p - M|
 *
 * The second term of A is a constant of the language times one number a row. The first would need a
 * second dot product, because |c| / |p - M| differs from row to row; the scan takes its mean
 * instead, and so needs one: F ~ ((1 - a) prior + a ratio own) . n(c) + a shift / |p - M|. For
 * turns a is 1 and nothing is approximated. The ratio varies by a few hundredths, which moves the
 * estimate less than rounding to bytes does; the rows chosen are scored exactly from the halves.
 *
 * Centring before rounding matters: vectors of such models share a large mean, and bytes spent on
 * it are lost to what tells texts apart.
 */
#include "search/vector_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FIRST 64
#define LENGTH_MIN 1e-6f /* shorter is no direction */

static bool group_is_turns(size_t group)
{
    return group >= MN_LANGUAGE_COUNT;
}

static size_t group_language(size_t group)
{
    return group % MN_LANGUAGE_COUNT;
}

static size_t rows_of(const struct mn_vector_index *index, size_t language)
{
    return index->group_rows[language] + index->group_rows[MN_LANGUAGE_COUNT + language];
}

static float inverse_length(float squared)
{
    return squared > LENGTH_MIN * LENGTH_MIN ? 1.0f / sqrtf(squared) : 0;
}

/* to = n(from - mean); the inverse of the length that was divided by. */
static float centre(const float *from, const float *mean, size_t stride, float *to)
{
    for (size_t i = 0; i < stride; i++)
        to[i] = from[i] - mean[i];
    float inverse = inverse_length(mn_scan_dot(to, to, stride));
    for (size_t i = 0; i < stride; i++)
        to[i] *= inverse;
    return inverse;
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
    index->work = malloc(2 * space->stride * sizeof(float));
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
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++)
        free(index->in_group[g]);
    free(index->code);
    free(index->half);
    free(index->code_scale);
    free(index->scan_scale);
    free(index->inverse_prior);
    free(index->inverse_own);
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

static bool row_room(struct mn_vector_index *index)
{
    size_t stride = index->space->stride;
    size_t room = index->room ? index->room * 2 : ROWS_FIRST;

    if (index->count < index->room)
        return true;
    while (room <= index->count)
        room *= 2;
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
        if (!grow(&index->in_group[g], room / 64, sizeof(uint64_t)))
            return false;
        memset(index->in_group[g] + index->room / 64, 0,
               (room - index->room) / 64 * sizeof(uint64_t));
    }
    if (!grow(&index->code, room, stride) || !grow(&index->half, room, stride * sizeof(uint16_t)) ||
        !grow(&index->code_scale, room, sizeof(float)) ||
        !grow(&index->scan_scale, room, sizeof(float)) ||
        !grow(&index->inverse_prior, room, sizeof(float)) ||
        !grow(&index->inverse_own, room, sizeof(float)) || !grow(&index->group, room, 1))
        return false;
    memset(index->group + index->room, MN_VECTOR_GROUP_NONE, room - index->room);
    index->room = room;
    return true;
}

bool mn_vector_index_has(const struct mn_vector_index *index, size_t row)
{
    return row < index->room && index->group[row] != MN_VECTOR_GROUP_NONE;
}

/* What depends on the partition's own mean. `vector`: the row's, as halves hold it; the second row
 * of index->work is spent. */
static void place_row(struct mn_vector_index *index, size_t row, const float *vector)
{
    const float *mean = index->own_mean[group_language(index->group[row])];
    float *away = index->work + index->space->stride;

    for (size_t i = 0; i < index->space->stride; i++)
        away[i] = vector[i] - mean[i];
    index->inverse_own[row] = inverse_length(mn_scan_dot(away, away, index->space->stride));
    index->scan_scale[row] = index->code_scale[row];
    if (group_is_turns(index->group[row]))
        index->scan_scale[row] *=
            index->inverse_prior[row] > 0 ? index->inverse_own[row] / index->inverse_prior[row] : 0;
}

/* The row's vector with length 1, through halves and back: what all later figures are made of. */
static bool unit_length(const struct mn_vector_index *index, const float *vector, float *unit,
                        uint16_t *half)
{
    size_t dim = index->space->dim, stride = index->space->stride;

    memcpy(unit, vector, dim * sizeof(float));
    memset(unit + dim, 0, (stride - dim) * sizeof(float));
    float squared = mn_scan_dot(unit, unit, stride);
    if (!isfinite(squared) || squared < LENGTH_MIN * LENGTH_MIN)
        return false;
    float length = sqrtf(squared);
    for (size_t i = 0; i < dim; i++)
        unit[i] /= length;
    if (half) {
        index->scan->to_half(unit, stride, half);
        index->scan->from_half(half, stride, unit);
    }
    return true;
}

bool mn_vector_index_add(struct mn_vector_index *index, const float *vector,
                         enum mn_language language, bool is_turn)
{
    const struct mn_vector_space *space = index->space;
    size_t row = index->count, stride = space->stride;
    float *unit = index->work;

    if (!vector || !space->dim) {
        if (row < index->room)
            index->group[row] = MN_VECTOR_GROUP_NONE;
        index->count++;
        return true;
    }
    if (!row_room(index))
        return false;
    index->count++;
    index->group[row] = MN_VECTOR_GROUP_NONE;
    if (unit_length(index, vector, unit, index->half + row * stride)) {
        size_t group = (is_turn ? MN_LANGUAGE_COUNT : 0) + (size_t)language;

        index->group[row] = (uint8_t)group;
        index->in_group[group][row / 64] |= UINT64_C(1) << (row % 64);
        index->inverse_prior[row] =
            centre(unit, space->passage_mean[language], stride, unit + stride);
        index->code_scale[row] =
            mn_scan_quantise(unit + stride, stride, index->code + row * stride);
        for (size_t i = 0; i < space->dim; i++)
            index->sum[language][i] += (double)unit[i];
        index->group_rows[group]++;
        place_row(index, row, unit);
    }
    return true;
}

void mn_vector_index_remove(struct mn_vector_index *index, size_t row)
{
    size_t stride = index->space->stride;

    if (!mn_vector_index_has(index, row))
        return;
    size_t group = index->group[row], language = group_language(group);

    index->scan->from_half(index->half + row * stride, stride, index->work);
    for (size_t i = 0; i < stride; i++)
        index->sum[language][i] -= (double)index->work[i];
    index->group_rows[group]--;
    index->in_group[group][row / 64] &= ~(UINT64_C(1) << (row % 64));
    index->group[row] = MN_VECTOR_GROUP_NONE;
}

void mn_vector_index_compact(struct mn_vector_index *index, const uint64_t *alive)
{
    size_t stride = index->space->stride, kept = 0;

    for (size_t g = 0; index->room && g < MN_VECTOR_GROUPS; g++)
        memset(index->in_group[g], 0, index->room / 64 * sizeof(uint64_t));
    for (size_t row = 0; row < index->count; row++) {
        if (!(alive[row / 64] >> (row % 64) & 1))
            continue;
        if (mn_vector_index_has(index, row)) {
            size_t group = index->group[row];

            memmove(index->code + kept * stride, index->code + row * stride, stride);
            memmove(index->half + kept * stride, index->half + row * stride,
                    stride * sizeof(uint16_t));
            index->code_scale[kept] = index->code_scale[row];
            index->scan_scale[kept] = index->scan_scale[row];
            index->inverse_prior[kept] = index->inverse_prior[row];
            index->inverse_own[kept] = index->inverse_own[row];
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

/* M of one language from its rows, and the rows placed by it. */
static void recentre_language(struct mn_vector_index *index, size_t language)
{
    const struct mn_vector_space *space = index->space;
    double k = (double)space->partition_k, rows = (double)rows_of(index, language);
    double ratios = 0;

    for (size_t i = 0; i < space->dim; i++) {
        double prior = (double)space->passage_mean[language][i];

        index->own_mean[language][i] =
            rows + k > 0 ? (float)((index->sum[language][i] + k * prior) / (rows + k))
                         : (float)prior;
    }
    index->mean_rows[language] = rows_of(index, language);
    for (size_t row = 0; row < index->count && row < index->room; row++) {
        if (index->group[row] == MN_VECTOR_GROUP_NONE ||
            group_language(index->group[row]) != language)
            continue;
        index->scan->from_half(index->half + row * space->stride, space->stride, index->work);
        place_row(index, row, index->work);
        if (index->inverse_prior[row] > 0)
            ratios += (double)(index->inverse_own[row] / index->inverse_prior[row]);
    }
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

size_t mn_vector_index_bytes(const struct mn_vector_index *index)
{
    size_t stride = index->space->stride;

    return index->room * (3 * stride + 4 * sizeof(float) + 1) +
           index->room / 64 * MN_VECTOR_GROUPS * sizeof(uint64_t) +
           MN_LANGUAGE_COUNT * stride * (sizeof(double) + sizeof(float)) +
           2 * stride * sizeof(float);
}

/* ---- a request ---- */

size_t mn_vector_request_floats(const struct mn_vector_space *space)
{
    return 4 * space->stride + MN_VECTOR_GROUPS * space->stride / sizeof(float);
}

bool mn_vector_request_make(const struct mn_vector_index *index, const float *vector,
                            enum mn_language language, float *room,
                            struct mn_vector_request *ret_request)
{
    const struct mn_vector_space *space = index->space;
    size_t stride = space->stride;
    struct mn_vector_request r = { .raw = room,
                                   .prior = room + stride,
                                   .own = room + 2 * stride,
                                   .mixed = room + 3 * stride,
                                   .code = (int8_t *)(room + 4 * stride) };

    if (!space->dim || !unit_length(index, vector, r.raw, NULL))
        return false;
    centre(r.raw, space->request_mean[language], stride, r.prior);
    centre(r.raw, index->own_mean[language], stride, r.own);
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        r.prior_offset[l] = mn_scan_dot(r.prior, space->passage_mean[l], stride);
        r.own_offset[l] = mn_scan_dot(r.own, index->own_mean[l], stride);
        r.shift[l] = mn_scan_dot(r.own, space->passage_mean[l], stride) - r.own_offset[l];
    }
    *ret_request = r;
    return true;
}

/* What the rows of a group are scanned with. */
static struct mn_scan_request group_request(const struct mn_vector_index *index,
                                            const struct mn_vector_request *request, size_t group)
{
    size_t stride = index->space->stride, language = group_language(group);
    float share = group_is_turns(group) ? 1 : index->space->own_mean_share;
    float own = group_is_turns(group) ? 1 : share * index->ratio[language];
    int8_t *code = request->code + group * stride;

    for (size_t i = 0; i < stride; i++)
        request->mixed[i] = (1 - share) * request->prior[i] + own * request->own[i];
    return (struct mn_scan_request){ .code = code,
                                     .scale = mn_scan_quantise(request->mixed, stride, code),
                                     .bias = share * request->shift[language] };
}

void mn_vector_index_scan(const struct mn_vector_index *index,
                          const struct mn_vector_request *request, const uint64_t *allowed,
                          uint32_t tag, struct mn_best best[MN_LANGUAGE_COUNT])
{
    const struct mn_scan_rows rows = { index->code, index->space->stride, index->scan_scale,
                                       index->inverse_own };
    struct mn_scan_request asked[MN_VECTOR_GROUPS];
    size_t words = ((index->count < index->room ? index->count : index->room) + 63) / 64;

    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++)
        if (index->group_rows[g])
            asked[g] = group_request(index, request, g);
    /* Groups by turns over a stretch of rows: memory is read once, in order. */
    for (size_t w = 0; w < words; w += MN_SCAN_WORDS) {
        size_t left = words - w < MN_SCAN_WORDS ? words - w : MN_SCAN_WORDS;

        for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
            uint64_t bits[MN_SCAN_WORDS], any = 0;

            for (size_t i = 0; i < left; i++)
                any |= bits[i] = allowed[w + i] & index->in_group[g][w + i];
            if (any)
                index->scan->top(&rows, w * 64, bits, left, &asked[g], tag,
                                 &best[group_language(g)]);
        }
    }
}

void mn_vector_index_exact(const struct mn_vector_index *index,
                           const struct mn_vector_request *request, size_t row, float *ret_f,
                           float *ret_cosine)
{
    size_t group = index->group[row], language = group_language(group);
    float share = group_is_turns(group) ? 1 : index->space->own_mean_share;
    const float *const vector[3] = { request->raw, request->prior, request->own };
    float found[3];

    index->scan->dots(index->half + row * index->space->stride, index->space->stride, vector,
                      found);
    float b = (found[1] - request->prior_offset[language]) * index->inverse_prior[row];
    float a = (found[2] - request->own_offset[language]) * index->inverse_own[row];
    *ret_f = share * a + (1 - share) * b;
    *ret_cosine = found[0];
}

void mn_vector_index_centred(const struct mn_vector_index *index, size_t row, float *ret)
{
    const struct mn_vector_space *space = index->space;
    size_t language = group_language(index->group[row]);

    index->scan->from_half(index->half + row * space->stride, space->stride, ret);
    centre(ret, space->passage_mean[language], space->stride, ret);
}
