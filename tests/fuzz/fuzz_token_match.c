/*
 * fuzz_token_match.c - a fuzzer's bytes as codes of a request and of a text, matched in every way that
 * runs here and in plain C: the same bits.
 *
 * The first byte says how many tokens are asked, the second how many the text has; what they lack of
 * bytes is drawn from a generator that the others seeded. The same bytes as they are, which need not
 * be whole codes, are looked over as well.
 *
 * Built a second time with the instructions of AVX-512 played by plain C, and by scripts/check_neon
 * for another processor.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/token_match.h"

#define ASKED_MAX (MN_TOKENS_REQUEST_MAX + 2) /* two more than are read */
#define TOKENS_MAX 12 /* a text's tokens come one by one: more of them tell nothing new */
#define MASK_BYTES (MN_TOKEN_AXES / 8)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct source {
    const uint8_t *data;
    size_t size;
    uint64_t state;
};

static uint8_t next(struct source *s)
{
    if (s->size) {
        s->size--;
        s->state = (s->state ^ *s->data) * UINT64_C(0x100000001b3);
        return *s->data++;
    }
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    s->state ^= s->state << 17;
    return (uint8_t)(s->state >> 32);
}

/* A block of exactly its size, so that a read of one byte too many is seen. */
static unsigned char *draw(struct source *s, size_t bytes)
{
    unsigned char *made = malloc(bytes ? bytes : 1);
    unsigned kind = next(s) % 8; /* extremes as well */

    if (!made)
        abort();
    for (size_t i = 0; i < bytes; i++)
        made[i] = kind == 0 ? 127 : kind == 1 ? 0 : kind == 2 ? 255 : next(s);
    return made;
}

/* A request's numbers lie in -127..127. */
static unsigned char *draw_request(struct source *s, size_t count)
{
    unsigned char *made = draw(s, count * MN_TOKEN_REQUEST_BYTES);

    for (size_t i = 0; i < count * MN_TOKEN_REQUEST_BYTES; i++)
        if (i % MN_TOKEN_REQUEST_BYTES >= MN_TOKEN_NUMBER_BYTES && made[i] == 128)
            made[i] = 129;
    for (size_t t = 0; t < count; t++) /* so that some tokens are the same */
        made[t * MN_TOKEN_REQUEST_BYTES + 1] &= 1;
    return made;
}

static unsigned char *draw_text(struct source *s, size_t count)
{
    unsigned char *made = draw(s, count * MN_TOKEN_PASSAGE_BYTES);

    for (size_t t = 0; t < count; t++) {
        unsigned char *code = made + t * MN_TOKEN_PASSAGE_BYTES;
        unsigned char *given = code + MN_TOKEN_NUMBER_BYTES;

        for (size_t i = 0; i < MASK_BYTES; i++)
            given[MASK_BYTES + i] &= given[i];
        code[1] &= 1;
    }
    return made;
}

static void check(bool good, const struct mn_token_way *way, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_token_match: %s and plain: another %s\n", way->name, what);
    abort();
}

static void compare(const struct mn_token_way *way, const struct mn_token_request *request,
                    const unsigned char *text, size_t bytes)
{
    float ours[MN_TOKENS_REQUEST_MAX], theirs[MN_TOKENS_REQUEST_MAX];
    bool has[MN_TOKENS_REQUEST_MAX], theirs_has[MN_TOKENS_REQUEST_MAX];

    mn_token_match_in(&mn_token_plain, request, text, bytes, ours, has);
    mn_token_match_in(way, request, text, bytes, theirs, theirs_has);
    check(!memcmp(ours, theirs, request->count * sizeof *ours), way, "likeness");
    check(!memcmp(has, theirs_has, sizeof has), way, "word");
    for (size_t t = 0; t < request->count; t++)
        check(ours[t] >= 0 && ours[t] <= 1.0001f, &mn_token_plain, "bound");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mn_token_way *const ways[] = { mn_token_avx512(), mn_token_avx2(),
                                                mn_token_neon() };
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct source s = { data, size, 88172645463325252u };
    size_t asked = next(&s) % (ASKED_MAX + 1), tokens = next(&s) % (TOKENS_MAX + 1);
    unsigned char *codes = draw_request(&s, asked), *text = draw_text(&s, tokens);
    size_t bytes = tokens * MN_TOKEN_PASSAGE_BYTES;
    struct mn_token_request request;

    mn_token_codes_whole(data, size);
    if (!mn_token_codes_whole(text, bytes) ||
        mn_token_request_make(codes, asked * MN_TOKEN_REQUEST_BYTES, arena, &request, NULL) !=
            MNEME_OK)
        abort();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i])
            compare(ways[i], &request, text, bytes);
    free(codes);
    free(text);
    return 0;
}
