/*
 * token_codes.c - the nearest way to write a state in few bits.
 *
 * Of all vectors of -1, 0 and 1 the one with the highest cosine to a state has the state's k
 * largest numbers, with their signs, for some k: the sum of their sizes divided by the root of k
 * says which. So there is no threshold to choose.
 */
#include "text/token_codes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MASK_BYTES (MN_TOKEN_AXES / 8)

struct sized {
    float size;
    int at;
};

static int larger_first(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;

    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return (a->at > b->at) - (a->at < b->at);
}

static void put_number(uint32_t token, unsigned char *to)
{
    for (int i = 0; i < MN_TOKEN_NUMBER_BYTES; i++)
        to[i] = (unsigned char)(token >> (8 * i));
}

uint32_t mn_token_code_number(const unsigned char *code)
{
    uint32_t number = 0;

    for (int i = 0; i < MN_TOKEN_NUMBER_BYTES; i++)
        number |= (uint32_t)code[i] << (8 * i);
    return number;
}

/* The largest; 0 where all are zero, or one is no number. */
static float largest(const float *state)
{
    float most = 0;

    for (int i = 0; i < MN_TOKEN_AXES; i++) {
        if (!isfinite(state[i]))
            return 0;
        most = fmaxf(most, fabsf(state[i]));
    }
    return most;
}

void mn_token_code_passage(uint32_t token, const float *state, unsigned char *to)
{
    unsigned char *given = to + MN_TOKEN_NUMBER_BYTES, *negative = given + MASK_BYTES;
    struct sized sized[MN_TOKEN_AXES];
    double sum = 0, best = 0;
    int kept = 0;

    put_number(token, to);
    memset(given, 0, (size_t)2 * MASK_BYTES);
    if (largest(state) <= 0)
        return;
    for (int i = 0; i < MN_TOKEN_AXES; i++)
        sized[i] = (struct sized){ fabsf(state[i]), i };
    qsort(sized, MN_TOKEN_AXES, sizeof *sized, larger_first);
    for (int k = 0; k < MN_TOKEN_AXES; k++) {
        sum += (double)sized[k].size;
        if (sum * sum / (k + 1) > best) {
            best = sum * sum / (k + 1);
            kept = k + 1;
        }
    }
    for (int k = 0; k < kept; k++) {
        int at = sized[k].at;

        given[at / 8] |= (unsigned char)(1U << (at % 8));
        if (state[at] < 0)
            negative[at / 8] |= (unsigned char)(1U << (at % 8));
    }
}

void mn_token_code_request(uint32_t token, const float *state, unsigned char *to)
{
    float most = largest(state);

    put_number(token, to);
    for (int i = 0; i < MN_TOKEN_AXES; i++) {
        long code = most > 0 ? lrintf(state[i] / most * 127) : 0;

        to[MN_TOKEN_NUMBER_BYTES + i] = (unsigned char)(signed char)code;
    }
}

bool mn_token_codes_whole(const void *bytes, size_t count)
{
    const unsigned char *code = bytes;

    if (count % MN_TOKEN_PASSAGE_BYTES ||
        count / MN_TOKEN_PASSAGE_BYTES > (size_t)MN_TOKENS_PASSAGE_MAX)
        return false;
    for (; count; count -= MN_TOKEN_PASSAGE_BYTES, code += MN_TOKEN_PASSAGE_BYTES)
        for (int i = 0; i < MASK_BYTES; i++)
            if (code[MN_TOKEN_NUMBER_BYTES + MASK_BYTES + i] & ~code[MN_TOKEN_NUMBER_BYTES + i])
                return false;
    return true;
}
