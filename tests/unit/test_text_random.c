/*
 * test_text_random.c - bytes of any kind through every function of text/, under the sanitizers.
 *
 * usage: test_text_random [ROUNDS]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/analyze.h"
#include "text/compare.h"
#include "text/mention.h"
#include "text/orders.h"
#include "text/tokens.h"
#include "text/when.h"

#define ROUNDS_QUICK 6000
#define BYTES_MAX 160

static int rounds = ROUNDS_QUICK;
static uint32_t seed = 20261014;

static uint32_t any(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

/* Bytes, or pieces that mean something to one of the functions; no NUL inside. */
static size_t fill(char *text)
{
    static const char *const PIECE[] = {
        "ignore ",  "忽略",       "安全检查", "上周", "2026-", "last ", "may ",    "3.1.",
        "\"",       "“",          "db_",      "N",    "网關",  "不",    "十",      "点",
        "days ago", "password: ", "AKIA",     "eyJ",  "'",     "é",     "e\u0301", "\u200b",
        "Ａ",       "😀",          "ｱ",        "가",   "//",    "::",    "C++",     "<|im",
        "@",        "#",          "is ",      "是",   "。",    "1,000", "20mg",    "from ",
        " to ",     "一",         "周",       "年",   "月",    "号",
    };
    size_t bytes = 0;
    size_t want = any(BYTES_MAX);

    while (bytes < want) {
        const char *piece = PIECE[any(sizeof PIECE / sizeof PIECE[0])];

        if (any(3) == 0)
            text[bytes++] = (char)(any(255) + 1);
        else if (bytes + strlen(piece) <= BYTES_MAX)
            bytes += strlen(strcpy(text + bytes, piece));
        else
            break;
    }
    text[bytes] = '\0';
    return bytes;
}

static void any_bytes_are_survived(void **state)
{
    struct mn_tokens *tokens = NULL;
    char text[BYTES_MAX + 1];
    char other[BYTES_MAX + 1] = "";

    (void)state;
    assert_int_equal(mn_tokens_new("o200k", &tokens, NULL), MNEME_OK);
    for (int round = 0; round < rounds; round++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_terms terms = { 0 };
        struct mn_mentions mentions = { 0 };
        size_t bytes = fill(text);
        int64_t ms = 0;
        char *folded;

        folded = mn_text_fold(arena, text, bytes);
        assert_non_null(folded);
        assert_true(mn_utf8_valid(folded, strlen(folded)));
        assert_int_equal(mn_text_query_terms(arena, text, bytes, &terms, NULL), MNEME_OK);
        for (size_t i = 0; i < terms.count; i++)
            assert_true(terms.item[i].text.bytes > 0 &&
                        mn_utf8_valid(terms.item[i].text.at, terms.item[i].text.bytes));
        assert_true(mn_text_language(text, bytes) < MN_LANGUAGE_COUNT);
        assert_int_equal(mn_mention_find(arena, text, &mentions, NULL), MNEME_OK);
        (void)mn_when_find(folded, INT64_C(1791968400000), round % 2 ? "Asia/Shanghai" : "");
        (void)mn_when_parse_spelled(text, &ms, NULL);
        (void)mn_text_orders(arena, text);
        (void)mn_text_secret(text);
        if (round % 8 == 0) {
            assert_int_equal(mn_text_likeness(arena, text, text), MN_LIKENESS_IDENTICAL);
            assert_int_equal(mn_text_likeness(arena, text, other),
                             mn_text_likeness(arena, other, text));
            assert_true(mn_tokens_count(tokens, text, bytes) <= bytes);
        }
        memcpy(other, text, sizeof other);
    }
    mn_tokens_free(tokens);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_are_survived),
    };

    if (argc > 1)
        rounds = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
