/*
 * test_text_tokens.c - counts against those of the encodings' own libraries, and the bound.
 *
 * The expected counts come from the npm package js-tiktoken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "text/bound.h"
#include "text/tokens.h"

static struct mn_tokens *o200k;
static struct mn_tokens *cl100k;
static struct mn_tokens *estimate;

static int open_all(void **state)
{
    (void)state;
    return mn_tokens_new("o200k", &o200k, NULL) != MNEME_OK ||
           mn_tokens_new("cl100k", &cl100k, NULL) != MNEME_OK ||
           mn_tokens_new("estimate", &estimate, NULL) != MNEME_OK;
}

static int free_all(void **state)
{
    (void)state;
    mn_tokens_free(o200k);
    mn_tokens_free(cl100k);
    mn_tokens_free(estimate);
    mn_tokens_free(NULL);
    return 0;
}

static void counts_are_those_of_the_encodings(void **state)
{
    static const struct {
        const char *text;
        size_t o200k, cl100k;
    } CASE[] = {
        { "", 0, 0 },
        { "hello world", 2, 2 },
        { "The nightly backup must never run from a laptop.", 10, 10 },
        { "访问日志保留 30 天。", 8, 13 },
        { "支付网关超时的处理：先查熔断开关，再把回调切到备用线路。", 24, 30 },
        { "db-config.json createdByAgent ERR_4041 3.1.2", 16, 15 },
        { "don't WON'T it's I'll we've", 6, 10 },
        { "line one\n\n\tline two  \r\n", 6, 6 },
        { "😀👩\u200d👩\u200d👧 café naïve", 12, 18 },
        { "1234567890", 4, 4 },
        { "<|endoftext|>", 7, 7 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        size_t bytes = strlen(CASE[i].text);
        size_t o = mn_tokens_count(o200k, CASE[i].text, bytes);
        size_t c = mn_tokens_count(cl100k, CASE[i].text, bytes);

        if (o != CASE[i].o200k || c != CASE[i].cl100k)
            fail_msg("%s: %zu %zu", CASE[i].text, o, c);
    }
}

/* Text of one unit over and over; `at` takes count * strlen(unit) bytes. */
static size_t repeat(char *at, const char *unit, size_t count)
{
    size_t bytes = strlen(unit);

    for (size_t i = 0; i < count; i++)
        memcpy(at + i * bytes, unit, bytes);
    return bytes * count;
}

static void long_words_are_merged_like_short_ones(void **state)
{
    static char text[200000];

    (void)state;
    assert_int_equal(mn_tokens_count(o200k, text, repeat(text, "x", 200)), 25);
    assert_int_equal(mn_tokens_count(cl100k, text, repeat(text, "x", 200)), 25);
    assert_int_equal(mn_tokens_count(o200k, text, repeat(text, "中", 300)), 300);
    /* without a border, and far from quadratic */
    assert_int_equal(mn_tokens_count(o200k, text, repeat(text, "a", 200000)), 25000);
    assert_int_equal(mn_tokens_count(cl100k, text, repeat(text, "A", 200000)), 25000);
    memset(text, ' ', 3000);
    text[3000] = 'x';
    assert_int_equal(mn_tokens_count(o200k, text, 3001), 25);
}

static void ill_formed_bytes_cost_one_each(void **state)
{
    (void)state;
    assert_int_equal(mn_tokens_count(o200k, "hello\xff\xfe world", 13), 4);
    assert_int_equal(mn_tokens_count(o200k, "\xe4\xb8", 2), 2);
    assert_int_equal(mn_tokens_count(o200k, "\xff", 1), 1);
}

/* ---- no memory ---- */

static bool no_memory;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return no_memory ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return no_memory ? NULL : __real_calloc(count, bytes);
}

static void without_memory_no_handle_and_no_undercount(void **state)
{
    char text[1000];
    struct mn_tokens *tokens = NULL;
    enum mneme_status status;
    size_t count;

    (void)state;
    memset(text, 'x', sizeof text);
    no_memory = true;
    status = mn_tokens_new("o200k", &tokens, NULL);
    count = mn_tokens_count(o200k, text, sizeof text); /* one long word */
    no_memory = false;
    assert_int_equal(status, MNEME_LIMIT);
    assert_null(tokens);
    assert_int_equal(count, sizeof text);
    assert_int_equal(mn_tokens_count(o200k, text, sizeof text), 125);
}

/* Of a length that is kept, on either side of it, and as a part of a longer one. */
static void a_text_counted_before_costs_the_same(void **state)
{
    char text[5000];

    (void)state;
    for (size_t i = 0; i < sizeof text; i += 10)
        memcpy(text + i, "abcd efgh ", 10);
    for (size_t bytes = 120; bytes <= sizeof text; bytes += bytes < 140 ? 10 : 1200) {
        size_t count = mn_tokens_count(o200k, text, bytes);

        assert_int_equal(mn_tokens_count(o200k, text, bytes), count);
        text[0] = '!'; /* no part of a token any more */
        assert_true(mn_tokens_count(o200k, text, bytes) != count);
        text[0] = 'a';
        assert_int_equal(mn_tokens_count(o200k, text, bytes), count);
    }
}

static void names_are_checked(void **state)
{
    struct mn_tokens *tokens = NULL;
    struct mneme_error err = { 0 };

    (void)state;
    assert_int_equal(mn_tokens_new("gpt2", &tokens, &err), MNEME_INVALID);
    assert_string_equal(err.field, "tokenizer");
    assert_int_equal(mn_tokens_new("", &tokens, NULL), MNEME_INVALID);
    assert_int_equal(mn_tokens_new(NULL, &tokens, NULL), MNEME_INVALID);
    assert_null(tokens);
    assert_string_equal(mn_tokens_name(o200k), "o200k");
    assert_string_equal(mn_tokens_name(estimate), "estimate");
}

/* Two bytes that are one token: exactly one comes back, since nothing else could be merged. */
static bool is_token(const struct mn_tokens *tokens, unsigned char a, unsigned char b)
{
    /* a lead byte and half a character are no text, so that the pair is asked for inside one */
    char text[8] = { (char)a, (char)b };

    return mn_tokens_count(tokens, text, 2) == 1;
}

static void pairs_the_bound_relies_on_are_tokens(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 128; a++) {
        for (unsigned b = 0; b < 128; b++) {
            if (!mn_bound_pair((unsigned char)a, (unsigned char)b))
                continue;
            if (!is_token(o200k, (unsigned char)a, (unsigned char)b) ||
                !is_token(cl100k, (unsigned char)a, (unsigned char)b))
                fail_msg("'%c%c' is not one token", (int)a, (int)b);
        }
    }
    for (int number = 0; number < 1000; number++) {
        char digits[4] = { (char)('0' + number / 100), (char)('0' + number / 10 % 10),
                           (char)('0' + number % 10) };

        assert_int_equal(mn_tokens_count(o200k, digits, 3), 1);
        assert_int_equal(mn_tokens_count(cl100k, digits, 3), 1);
        assert_int_equal(mn_tokens_count(o200k, digits + 1, 2), 1);
        assert_int_equal(mn_tokens_count(cl100k, digits + 1, 2), 1);
    }
}

static void a_character_whose_first_bytes_are_a_token_costs_two_at_most(void **state)
{
    (void)state;
    for (int32_t c = 0x2000; c <= 0xffef; c++) {
        char text[4];
        size_t bytes;

        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        bytes = mn_utf8_put(c, text);
        if (mn_tokens_count(o200k, text, bytes) > mn_bound_tokens(text, bytes) ||
            mn_tokens_count(cl100k, text, bytes) > mn_bound_tokens(text, bytes))
            fail_msg("U+%04X", (unsigned)c);
    }
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

static void no_text_costs_more_than_the_estimate(void **state)
{
    static const char *const PIECE[] = {
        "the",    " ",    "  ", "\n",   "\r\n", "'s",   "'ll", "don't", "Zq",  "XQZJ",
        "123",    "4",    "的", "中文", "熔",   "䶮",   "，",  "！",    "é",   "ß",
        "😀",      "-",    "==", "/",    ".",    "qzxj", "gk",  "http",  "://", "ＥＲＲ",
        "\u0301", "１２", "²",  "おは", "한국", "\t",   "_id", "aB",    "'",   "\xff",
    };
    uint32_t random = 7;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        char text[1024];
        size_t bytes = 0;
        size_t pieces = next_random(&random) % 60;
        size_t bound;

        for (size_t i = 0; i < pieces; i++) {
            if (next_random(&random) % 3 == 0) {
                text[bytes++] = (char)(next_random(&random) % 95 + 32);
            } else {
                const char *piece = PIECE[next_random(&random) % (sizeof PIECE / sizeof PIECE[0])];

                memcpy(text + bytes, piece, strlen(piece));
                bytes += strlen(piece);
            }
        }
        bound = mn_tokens_count(estimate, text, bytes);
        assert_true(bound <= bytes);
        if (mn_tokens_count(o200k, text, bytes) > bound ||
            mn_tokens_count(cl100k, text, bytes) > bound)
            fail_msg("%.*s", (int)bytes, text);
    }
}

static void estimates_are_what_the_rule_says(void **state)
{
    (void)state;
    assert_int_equal(mn_bound_tokens("", 0), 0);
    assert_int_equal(mn_bound_tokens("a", 1), 1);
    assert_int_equal(mn_bound_tokens("ab", 2), 1);      /* a pair */
    assert_int_equal(mn_bound_tokens("abcd", 4), 3);    /* alone, pair, alone */
    assert_int_equal(mn_bound_tokens("gk", 2), 2);      /* no pair of both encodings */
    assert_int_equal(mn_bound_tokens("1234567", 7), 3); /* threes */
    assert_int_equal(mn_bound_tokens("AB", 2), 2);
    assert_int_equal(mn_bound_tokens("数", 3), 2); /* its first two bytes are a token */
    assert_int_equal(mn_bound_tokens("䶮", 3), 3); /* its are not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_encodings),
        cmocka_unit_test(long_words_are_merged_like_short_ones),
        cmocka_unit_test(ill_formed_bytes_cost_one_each),
        cmocka_unit_test(without_memory_no_handle_and_no_undercount),
        cmocka_unit_test(a_text_counted_before_costs_the_same),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(pairs_the_bound_relies_on_are_tokens),
        cmocka_unit_test(a_character_whose_first_bytes_are_a_token_costs_two_at_most),
        cmocka_unit_test(no_text_costs_more_than_the_estimate),
        cmocka_unit_test(estimates_are_what_the_rule_says),
    };

    return cmocka_run_group_tests(tests, open_all, free_all);
}
