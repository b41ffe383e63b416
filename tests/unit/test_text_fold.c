/*
 * test_text_fold.c - one spelling for what reads the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/analyze.h"
#include "text/fold.h"

static void folds(const char *text, const char *expected)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    assert_string_equal(mn_text_fold(arena, text, strlen(text)), expected);
}

static void folding_lowers_case_and_collapses_white_space(void **state)
{
    (void)state;
    folds("", "");
    folds("Hello  World", "hello world");
    folds(" \t\r\n a \n\n b \v", "a b");
    folds("a\x01\x02z\x7f", "az");
    folds("中　文\u00a0x", "中 文 x");
    folds("　é　　", "é");
}

static void folding_makes_one_of_width_and_compatibility_forms(void **state)
{
    (void)state;
    folds("ＥＲＲ＿４０４１", "err_4041");
    folds("ﬁne ① ℃ …", "fine 1 °c ...");
    folds("（中文）：「好」", "(中文):「好」");
    folds("cafe\u0301", "caf\u00e9");
    folds("\u03a3\u03a3 Straße", "\u03c3\u03c3 strasse");
    folds("e\u0301\u0323", "\u1eb9\u0301"); /* marks in canonical order */
    folds("\ufdfa", "صلى الله عليه وسلم");  /* one character becomes eighteen */
}

static void folding_turns_traditional_into_simplified(void **state)
{
    (void)state;
    folds("支付網關超時該怎麼處理", "支付网关超时该怎么处理");
    folds("後裡裏髮發鐘鍾乾著", "后里里发发钟钟干着");
    folds("\uf900\u8c48", "岂岂"); /* a compatibility ideograph and its plain form */
    folds("支付网关", "支付网关");
}

static void folding_drops_what_is_invisible(void **state)
{
    (void)state;
    folds("ig\u200bno\u00adre\u2060 p\u200dre\ufeffv\u200e", "ignore prev");
    folds("忽\u200b略\ufe0f", "忽略");
    folds("a\U000e0041b", "ab"); /* a tag character */
}

static void folding_replaces_ill_formed_bytes(void **state)
{
    (void)state;
    folds("a\xff"
          "B",
          "a\ufffd"
          "b");
    folds("\xe4\xb8", "\ufffd\ufffd"); /* cut short: two bytes that begin nothing */
    folds("\xc0\xafx", "\ufffd\ufffdx");
    folds("\xed\xa0\x80", "\ufffd\ufffd\ufffd"); /* a surrogate */
}

static void folding_twice_changes_nothing(void **state)
{
    static const char *const TEXT[] = { "Straße ＥＲＲ 網關 ﬁ", "İstanbul ǅ ß ﬀ",
                                        "e\u0301\u0323 Å Ω" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < sizeof TEXT / sizeof TEXT[0]; i++) {
        char *once = mn_text_fold(arena, TEXT[i], strlen(TEXT[i]));

        assert_string_equal(mn_text_fold(arena, once, strlen(once)), once);
    }
}

static void a_cased_fold_keeps_capitals_and_straightens_apostrophes(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *text = "Ｄon’t  網 Ω";
    struct mn_str cased = mn_fold_cased(arena, text, strlen(text));

    (void)state;
    assert_string_equal(cased.at, "Don't 网 Ω");
    assert_int_equal(cased.bytes, strlen(cased.at));
}

/* ---- no memory ---- */

static int allocations_left = -1; /* -1: as many as are asked for */

void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return __real_malloc(bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return __real_realloc(old, bytes);
}

static void folding_without_memory_gives_null(void **state)
{
    static char text[3000];
    int failed = 0;

    (void)state;
    for (size_t i = 0; i + 2 <= sizeof text - 1; i += 2)
        memcpy(text + i, "é", 2);
    for (int allowed = 0; allowed < 20; allowed++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        char *folded;

        allocations_left = allowed;
        folded = mn_text_fold(arena, text, sizeof text - 2);
        allocations_left = -1;
        failed += folded == NULL;
        if (folded)
            assert_int_equal(strlen(folded), sizeof text - 2);
    }
    assert_in_range(failed, 1, 19);
}

static void folding_into_a_full_arena_gives_null(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(16);

    (void)state;
    assert_null(mn_text_fold(arena, "seventeen letters", 17));
    assert_null(mn_text_fold(arena, "五个以上的汉字在这里", 30));
    assert_null(mn_fold_cased(arena, "seventeen letters", 17).at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_lowers_case_and_collapses_white_space),
        cmocka_unit_test(folding_makes_one_of_width_and_compatibility_forms),
        cmocka_unit_test(folding_turns_traditional_into_simplified),
        cmocka_unit_test(folding_drops_what_is_invisible),
        cmocka_unit_test(folding_replaces_ill_formed_bytes),
        cmocka_unit_test(folding_twice_changes_nothing),
        cmocka_unit_test(a_cased_fold_keeps_capitals_and_straightens_apostrophes),
        cmocka_unit_test(folding_without_memory_gives_null),
        cmocka_unit_test(folding_into_a_full_arena_gives_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
