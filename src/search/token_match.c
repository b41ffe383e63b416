/*
 * token_match.c - what all ways share, and the plain one.
 *
 * A text's number is -1, 0 or 1; with one added it is an unsigned half of what processors multiply
 * fastest, and what that adds to a product is the sum of the request's numbers, taken off again.
 */
#include "search/token_match.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

#define MASK_BYTES (MN_TOKEN_AXES / 8)

static size_t place_of(size_t token, size_t axis)
{
    size_t group = token / MN_TOKEN_GROUP, in_group = token % MN_TOKEN_GROUP;

    return group * MN_TOKEN_GROUP * MN_TOKEN_AXES + axis / 4 * 4 * MN_TOKEN_GROUP + in_group * 4 +
           axis % 4;
}

enum mneme_status mn_token_request_make(const void *codes, size_t bytes, struct mn_arena *arena,
                                        struct mn_token_request *ret_request,
                                        struct mneme_error *err)
{
    struct mn_token_request request = { .count = bytes / MN_TOKEN_REQUEST_BYTES };
    const unsigned char *from = codes;
    int8_t *code;

    if (request.count > MN_TOKENS_REQUEST_MAX)
        request.count = MN_TOKENS_REQUEST_MAX;
    request.groups = (request.count + MN_TOKEN_GROUP - 1) / MN_TOKEN_GROUP;
    code = mn_arena_array(arena, int8_t, (request.groups + 1) * MN_TOKEN_GROUP * MN_TOKEN_AXES);
    if (!code)
        return mn_fail_memory(err);
    for (size_t t = 0; t < request.count; t++, from += MN_TOKEN_REQUEST_BYTES) {
        int32_t squares = 0;

        request.number[t] = mn_token_code_number(from);
        for (size_t a = 0; a < MN_TOKEN_AXES; a++) {
            int8_t one = (int8_t)from[MN_TOKEN_NUMBER_BYTES + a];

            code[place_of(t, a)] = one;
            request.sum[t] += one;
            squares += one * one;
        }
        request.scale[t] = squares ? 1 / sqrtf((float)squares) : 0;
    }
    request.code = code;
    *ret_request = request;
    return MNEME_OK;
}

/* 1 / length of a code: how many of its numbers are not 0. */
static float length_scale(const unsigned char *masks)
{
    uint64_t words[MASK_BYTES / sizeof(uint64_t)];
    unsigned given = 0;

    memcpy(words, masks, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        given += mn_bits_count(words[i]);
    return given ? 1 / sqrtf((float)given) : 0;
}

void mn_token_match_in(const struct mn_token_way *way, const struct mn_token_request *request,
                       const void *codes, size_t bytes, float best[MN_TOKENS_REQUEST_MAX],
                       bool has[MN_TOKENS_REQUEST_MAX])
{
    const unsigned char *code = codes, *end = code + bytes;
    uint8_t unit[MN_TOKEN_AXES];

    memset(best, 0, MN_TOKENS_REQUEST_MAX * sizeof *best);
    memset(has, 0, MN_TOKENS_REQUEST_MAX * sizeof *has);
    for (; code < end; code += MN_TOKEN_PASSAGE_BYTES) {
        const unsigned char *masks = code + MN_TOKEN_NUMBER_BYTES;
        uint32_t number = mn_token_code_number(code);

        way->unit(masks, unit);
        way->raise(request, unit, length_scale(masks), best);
        for (size_t t = 0; t < request->count; t++)
            has[t] = has[t] || request->number[t] == number;
    }
    for (size_t t = 0; t < request->count; t++)
        best[t] *= request->scale[t];
}

void mn_token_match(const struct mn_token_request *request, const void *codes, size_t bytes,
                    float best[MN_TOKENS_REQUEST_MAX], bool has[MN_TOKENS_REQUEST_MAX])
{
    mn_token_match_in(mn_token_here(), request, codes, bytes, best, has);
}

const struct mn_token_way *mn_token_here(void)
{
    const struct mn_token_way *const ways[] = { mn_token_avx512(), mn_token_avx2(),
                                                mn_token_neon() };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i])
            return ways[i];
    return &mn_token_plain;
}

/* ---- plainly ---- */

static void plain_unit(const unsigned char *masks, uint8_t unit[MN_TOKEN_AXES])
{
    for (size_t a = 0; a < MN_TOKEN_AXES; a++) {
        int given = masks[a / 8] >> (a % 8) & 1;
        int negative = masks[MASK_BYTES + a / 8] >> (a % 8) & 1;

        unit[a] = (uint8_t)(1 + given - 2 * negative);
    }
}

static void plain_raise(const struct mn_token_request *request, const uint8_t unit[MN_TOKEN_AXES],
                        float scale, float *best)
{
    for (size_t t = 0; t < request->count; t++) {
        int32_t dot = -request->sum[t];

        for (size_t a = 0; a < MN_TOKEN_AXES; a++)
            dot += unit[a] * request->code[place_of(t, a)];
        float much = (float)dot * scale;

        best[t] = much > best[t] ? much : best[t];
    }
}

const struct mn_token_way mn_token_plain = { "plain", plain_unit, plain_raise };
