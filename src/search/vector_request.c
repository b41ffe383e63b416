/*
 * vector_request.c - a request's way through the rows: sift by signs, choose by four bits, score.
 *
 * The second term of A is a constant of the language times one number a row. The first would need a
 * second dot product, because |c| / |p - M| differs from row to row; choosing takes its mean
 * instead, and so needs one: F ~ ((1 - a) prior + a ratio own) . n(c) + a shift / |p - M|. For
 * turns a is 1 and nothing is approximated. The ratio varies by a few hundredths, which moves the
 * estimate less than rounding to four bits does; the rows chosen are scored from all twelve.
 *
 * Signs tell much less than four bits, but eight times as many rows go by in the time. So where
 * many rows are allowed, signs leave a few hundred of them for the four bits to choose from. How
 * many are left is measured (docs/decisions/0008): what is lost then is less than one in a hundred
 * of the best ten.
 */
#include <math.h>

#include "base/bits.h"
#include "search/vector_code.h"
#include "search/vector_index.h"

#define SIFTED_DIM 256      /* of fewer numbers signs tell too little */
#define SIFTED_FROM 2000    /* allowed rows; fewer are read directly */
#define SIFTED_SHARE 8      /* of a group's rows at least one in so many is allowed */
#define SIFTED_EACH 3       /* left, for every row that is to be scored exactly, ... */
#define SIFTED_MORE 200     /* ... and more, ... */
#define SIFTED_OF_ROWS 100  /* ... and one in so many of all, ... */
#define SIFTED_MAX 3072     /* ... but no more than these */

enum { PRIOR, OWN, RAW };

size_t mn_vector_request_floats(const struct mn_vector_space *space)
{
    size_t stride = space->stride;

    return 3 * stride + (2 * SIFTED_MAX * sizeof(uint64_t) + 3 * stride * sizeof(int16_t) +
                         MN_VECTOR_GROUPS * stride + stride / 4 * MN_SIFT_TABLE) /
                            sizeof(float);
}

bool mn_vector_request_make(const struct mn_vector_index *index, const float *vector,
                            enum mn_language language, float *room,
                            struct mn_vector_request *ret_request)
{
    const struct mn_vector_space *space = index->space;
    size_t stride = space->stride;
    struct mn_vector_request r = { .prior = room,
                                   .own = room + stride,
                                   .mixed = room + 2 * stride,
                                   .sifted = (uint64_t *)(void *)(room + 3 * stride) };
    const float *const fine[3] = { r.prior, r.own, r.mixed };

    if (!space->dim || !mn_vector_turn(space, vector, r.mixed))
        return false;
    int16_t *next = (int16_t *)(void *)(r.sifted + 2 * SIFTED_MAX);
    mn_vector_centre(r.mixed, space->request_mean[language], stride, r.prior);
    mn_vector_centre(r.mixed, index->own_mean[language], stride, r.own);
    for (size_t i = 0; i < 3; i++) {
        r.fine[i] = next + i * stride;
        int32_t sum = 0;

        r.fine_scale[i] = mn_vector_code_fine(fine[i], stride, r.fine[i]);
        for (size_t j = 0; j < stride; j++)
            sum += r.fine[i][j];
        r.fine_half[i] = 0.5f * (float)sum;
    }
    r.code = (int8_t *)(next + 3 * stride);
    r.table = (uint8_t *)r.code + MN_VECTOR_GROUPS * stride;
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        const float *prior = space->passage_mean[l];

        r.raw_offset[l] = index->scan->dot(r.mixed, prior, stride);
        r.shift[l] = index->scan->dot(r.own, prior, stride) -
                     index->scan->dot(r.own, index->own_mean[l], stride);
    }
    *ret_request = r;
    return true;
}

/* ---- choosing ---- */

static float share_of(const struct mn_vector_index *index, size_t group)
{
    return mn_vector_group_is_turns(group) ? 1 : index->space->own_mean_share;
}

/* What the rows of a group are compared with; stays in request->mixed. */
static void mix(const struct mn_vector_index *index, const struct mn_vector_request *request,
                size_t group)
{
    float share = share_of(index, group);
    float own = share == 1 ? 1 : share * index->ratio[mn_vector_group_language(group)];

    for (size_t i = 0; i < index->space->stride; i++)
        request->mixed[i] = (1 - share) * request->prior[i] + own * request->own[i];
}

static float bias_of(const struct mn_vector_index *index, const struct mn_vector_request *request,
                     size_t group)
{
    return share_of(index, group) * request->shift[mn_vector_group_language(group)];
}

static struct mn_scan_request group_request(const struct mn_vector_index *index,
                                            const struct mn_vector_request *request, size_t group)
{
    size_t stride = index->space->stride;
    int8_t *code = request->code + group * stride;
    struct mn_scan_request made = { .code = code, .bias = bias_of(index, request, group) };

    mix(index, request, group);
    made.scale = mn_vector_code_bytes(request->mixed, stride, code);
    for (size_t i = 0; i < stride; i++)
        made.code_sum += code[i];
    return made;
}

/* The rows of a group that its signs leave, offered by their four bits. */
static void sift_group(const struct mn_vector_index *index,
                       const struct mn_vector_request *request,
                       const struct mn_scan_request *asked, size_t group, size_t keep,
                       const uint64_t *allowed, uint32_t tag, struct mn_best *best)
{
    const struct mn_scan_rows rows = mn_vector_rows_of(index);
    struct mn_sift_request sifting = { .table = request->table, .bias = asked->bias };
    struct mn_shortlist list = { request->sifted, 0, keep, -INFINITY };
    uint32_t row[SIFTED_MAX];

    mix(index, request, group);
    mn_vector_code_tables(request->mixed, rows.stride, request->table, &sifting.step,
                          &sifting.base);
    mn_vector_signs_sift(&index->signs[group], index->scan, rows.stride, &sifting, allowed,
                         index->in_group[group], &list);
    for (size_t i = 0; i < list.count; i++)
        row[i] = mn_scored_key_row(list.key[i]);
    index->scan->offer(&rows, row, list.count, asked, tag, best);
}

/* How many rows of a group its signs leave of `count`, for a list of `room`; 0: all, they are read
 * directly. */
static size_t sifted(const struct mn_vector_index *index, size_t group, size_t count, size_t room)
{
    size_t rows = index->signs[group].count;

    if (index->space->dim < SIFTED_DIM || count < SIFTED_FROM || count * SIFTED_SHARE < rows)
        return 0;

    size_t keep = SIFTED_EACH * room + SIFTED_MORE;
    if (keep > SIFTED_MAX)
        return 0;
    keep += rows / SIFTED_OF_ROWS;
    keep = keep < SIFTED_MAX ? keep : SIFTED_MAX;
    return 2 * keep <= count ? keep : 0;
}

#define WORDS 4 /* of 64 rows each: they stay near while others use them */

/* Groups by turns over a stretch of rows: memory is read once, in order. */
static void choose(const struct mn_vector_index *index, const bool *groups,
                   const struct mn_scan_request *asked, const uint64_t *allowed, size_t words,
                   uint32_t tag, struct mn_best best[MN_LANGUAGE_COUNT])
{
    const struct mn_scan_rows rows = mn_vector_rows_of(index);
    uint32_t list[WORDS * 64];

    for (size_t w = 0; w < words; w += WORDS) {
        size_t end = words - w < WORDS ? words : w + WORDS;

        for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
            size_t count = 0;

            for (size_t i = w; groups[g] && i < end; i++)
                for (uint64_t bits = allowed[i] & index->in_group[g][i]; bits; bits &= bits - 1)
                    list[count++] = (uint32_t)(i * 64 + (size_t)__builtin_ctzll(bits));
            if (count)
                index->scan->offer(&rows, list, count, &asked[g], tag,
                                   &best[mn_vector_group_language(g)]);
        }
    }
}

void mn_vector_index_scan(const struct mn_vector_index *index,
                          const struct mn_vector_request *request, const uint64_t *allowed,
                          uint32_t tag, struct mn_best best[MN_LANGUAGE_COUNT])
{
    size_t words = ((index->count < index->room ? index->count : index->room) + 63) / 64;
    struct mn_scan_request asked[MN_VECTOR_GROUPS];
    bool directly[MN_VECTOR_GROUPS] = { false };

    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
        struct mn_best *list = &best[mn_vector_group_language(g)];
        size_t count = 0;

        if (!index->group_rows[g])
            continue;
        for (size_t w = 0; w < words; w++)
            count += mn_bits_count(allowed[w] & index->in_group[g][w]);
        if (!count)
            continue;
        size_t keep = sifted(index, g, count, list->room);
        asked[g] = group_request(index, request, g);
        if (keep)
            sift_group(index, request, &asked[g], g, keep, allowed, tag, list);
        directly[g] = !keep;
    }
    choose(index, directly, asked, allowed, words, tag, best);
}

/* ---- scoring ---- */

void mn_vector_index_exact(const struct mn_vector_index *index,
                           const struct mn_vector_request *request, size_t row, float *ret_f,
                           float *ret_cosine)
{
    size_t group = index->group[row], language = mn_vector_group_language(group);
    size_t stride = index->space->stride;
    float share = share_of(index, group);
    const struct mn_vector_rest *rest = mn_vector_rest_of(index, row);
    const int16_t *const vector[3] = { request->fine[PRIOR], request->fine[OWN],
                                       request->fine[RAW] };
    int32_t dot[3];
    float found[3];

    index->scan->dots(mn_vector_coarse_of(index, row), rest->code, stride, vector, dot);
    for (size_t i = 0; i < 3; i++)
        found[i] = ((float)dot[i] + request->fine_half[i]) * rest->step * request->fine_scale[i];
    float a = (found[OWN] * rest->length + request->shift[language]) *
              mn_vector_factors_of(index, row).bias;
    *ret_f = share * a + (1 - share) * found[PRIOR];
    *ret_cosine = request->raw_offset[language] + found[RAW] * rest->length;
}

void mn_vector_index_centred(const struct mn_vector_index *index, size_t row, float *ret)
{
    size_t stride = index->space->stride;
    const struct mn_vector_rest *rest = mn_vector_rest_of(index, row);

    mn_vector_decode(mn_vector_coarse_of(index, row), rest->code, stride, rest->step, ret);
}
