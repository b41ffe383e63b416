/*
 * test_token_match.c - the best likeness of each word: against an oracle in double, and the same
 * bits whichever way it is done.
 */
#include "search/token_match.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_TOKENS 40

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void fill(float numbers[MN_TOKEN_AXES])
{
    for (int i = 0; i < MN_TOKEN_AXES; i++)
        numbers[i] = (float)((double)(next_random() >> 11) / 9007199254740992.0 * 2 - 1);
}

static double number_of(const unsigned char *code, int axis)
{
    const unsigned char *masks = code + MN_TOKEN_NUMBER_BYTES;
    int given = masks[axis / 8] >> (axis % 8) & 1;

    return masks[MN_TOKEN_AXES / 8 + axis / 8] >> (axis % 8) & 1 ? -given : given;
}

static double cosine(const unsigned char *request, const unsigned char *code)
{
    double dot = 0, of_request = 0, of_code = 0;

    for (int i = 0; i < MN_TOKEN_AXES; i++) {
        double a = (signed char)request[MN_TOKEN_NUMBER_BYTES + i], b = number_of(code, i);

        dot += a * b;
        of_request += a * a;
        of_code += b * b;
    }
    return of_request > 0 && of_code > 0 ? dot / sqrt(of_request * of_code) : 0;
}

struct texts {
    size_t asked;
    unsigned char request[(MN_TOKENS_REQUEST_MAX + 1) * MN_TOKEN_REQUEST_BYTES];
    unsigned char text[TEXT_TOKENS * MN_TOKEN_PASSAGE_BYTES];
};

static void make(struct texts *t, size_t asked)
{
    float numbers[MN_TOKEN_AXES];

    t->asked = asked;
    for (size_t i = 0; i < asked; i++) {
        fill(numbers);
        mn_token_code_request((uint32_t)i, numbers, t->request + i * MN_TOKEN_REQUEST_BYTES);
    }
    for (size_t i = 0; i < TEXT_TOKENS; i++) {
        fill(numbers);
        mn_token_code_passage((uint32_t)(2 * i), numbers, t->text + i * MN_TOKEN_PASSAGE_BYTES);
    }
    memset(t->text + MN_TOKEN_NUMBER_BYTES, 0, MN_TOKEN_AXES / 4); /* one without any number */
}

static void check(const struct texts *t, const struct mn_token_way *way)
{
    struct mn_arena *arena = mn_arena_new(1 << 20);
    struct mn_token_request request;
    struct mneme_error err;
    float best[MN_TOKENS_REQUEST_MAX], plain[MN_TOKENS_REQUEST_MAX];
    bool has[MN_TOKENS_REQUEST_MAX], plain_has[MN_TOKENS_REQUEST_MAX];
    size_t count = t->asked < MN_TOKENS_REQUEST_MAX ? t->asked : MN_TOKENS_REQUEST_MAX;

    assert_int_equal(mn_token_request_make(t->request, t->asked * MN_TOKEN_REQUEST_BYTES, arena,
                                           &request, &err),
                     MNEME_OK);
    assert_int_equal(request.count, count);
    mn_token_match_in(way, &request, t->text, sizeof t->text, best, has);
    mn_token_match_in(&mn_token_plain, &request, t->text, sizeof t->text, plain, plain_has);
    assert_memory_equal(best, plain, count * sizeof *best);
    assert_memory_equal(has, plain_has, sizeof has);
    for (size_t i = 0; i < count; i++) {
        double most = 0;

        for (size_t k = 0; k < TEXT_TOKENS; k++)
            most = fmax(most, cosine(t->request + i * MN_TOKEN_REQUEST_BYTES,
                                     t->text + k * MN_TOKEN_PASSAGE_BYTES));
        assert_float_equal(best[i], (float)most, 1e-5f);
        assert_int_equal(has[i], i % 2 == 0);
    }
    mn_arena_free(arena);
}

/* In plain C and in every way that runs here. */
static void check_all(const struct texts *t)
{
    const struct mn_token_way *const ways[] = { &mn_token_plain, mn_token_avx512(), mn_token_avx2(),
                                                mn_token_neon() };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i])
            check(t, ways[i]);
}

static void each_word_has_the_best_of_the_text_in_every_way(void **state)
{
    static const size_t asked[] = { 0, 1, 7, 8, 9, 16, 17, 63, 64, 65 }; /* 65: one is not read */
    static struct texts texts;

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        make(&texts, asked[i]);
        check_all(&texts);
    }
}

/* The largest sums there can be: 128 numbers of 127. */
static void the_largest_codes_stay_inside_their_types(void **state)
{
    static struct texts texts;
    float numbers[MN_TOKEN_AXES];

    (void)state;
    make(&texts, 16);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < MN_TOKEN_AXES; i++)
            numbers[i] = (float)sign;
        mn_token_code_request(0, numbers, texts.request);
        mn_token_code_passage(2, numbers, texts.text + MN_TOKEN_PASSAGE_BYTES);
        check_all(&texts);
    }
}

static void a_text_without_tokens_is_like_nothing(void **state)
{
    static struct texts texts;
    struct mn_arena *arena = mn_arena_new(1 << 20);
    struct mn_token_request request;
    struct mneme_error err;
    float best[MN_TOKENS_REQUEST_MAX];
    bool has[MN_TOKENS_REQUEST_MAX];

    (void)state;
    make(&texts, 3);
    assert_int_equal(mn_token_request_make(texts.request, sizeof texts.request, arena, &request, &err),
                     MNEME_OK);
    mn_token_match(&request, NULL, 0, best, has);
    for (size_t i = 0; i < MN_TOKENS_REQUEST_MAX; i++)
        assert_true(best[i] >= 0 && best[i] <= 0 && !has[i]);
    mn_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_has_the_best_of_the_text_in_every_way),
        cmocka_unit_test(the_largest_codes_stay_inside_their_types),
        cmocka_unit_test(a_text_without_tokens_is_like_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
