/*
 * test_text_analyze.c - terms, language, words in text, edit distance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "text/analyze.h"
#include "text/words.h"

/* "word =exact _han": the terms in order, with their kinds. */
static char *print_terms(struct mn_arena *arena, const char *text)
{
    struct mn_terms terms = { 0 };
    char *printed = mn_arena_copy(arena, "");

    assert_int_equal(mn_text_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    for (size_t i = 0; i < terms.count; i++) {
        const struct mn_term *t = &terms.item[i];

        printed = mn_arena_printf(arena, "%s%s%s%.*s", printed, i ? " " : "",
                                  t->kind == MN_TERM_HAN     ? "_"
                                  : t->kind == MN_TERM_EXACT ? "="
                                                             : "",
                                  (int)t->text.bytes, t->text.at);
    }
    return printed;
}

static void has_terms(const char *text, const char *expected)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    assert_string_equal(print_terms(arena, text), expected);
}

static void english_is_stemmed_without_stop_words(void **state)
{
    (void)state;
    has_terms("", "");
    has_terms("The the of and", "");
    has_terms("The users prefer running scripts", "user prefer run script");
    has_terms("Don't stop: the user's dogs’ bones", "stop user dog bone");
    has_terms("a b 7", "b 7");
    has_terms("café Straße", "café strass");
}

static void chinese_is_indexed_by_pairs_and_single_characters(void **state)
{
    (void)state;
    has_terms("数据库", "_数 数据 _据 据库 _库");
    has_terms("上海的会议", "上海 _海 会议 _议"); /* 上 and 会 are grammar, 的 is in no pair */
    has_terms("的数据了", "_数 数据 _据");
    has_terms("在上", ""); /* both are grammar */
    has_terms("茶", "_茶");
    has_terms("的", "");
    has_terms("網關", "_网 网关 _关");
}

static void other_scripts_without_spaces_are_indexed_by_pairs(void **state)
{
    (void)state;
    has_terms("おはよう", "おは はよ よう");
    has_terms("의존성", "의존 존성");
    has_terms("あ", "あ");
}

static void what_is_joined_is_an_exact_term_beside_its_parts(void **state)
{
    (void)state;
    has_terms("db-config.json", "db config json =db-config.json");
    has_terms("exit_code.", "exit code =exit_code");
    has_terms("3.1.2", "3 1 2 =3.1.2");
    has_terms("3.12", "3 12 =3.12");
    has_terms("ＥＲＲ＿４０４１", "err 4041 =err_4041");
    has_terms("/etc/mneme/config.toml:",
              "etc mneme config toml =config.toml =etc/mneme/config.toml");
    has_terms("well...done wait--what", "well done wait");
    has_terms("C++ and C# a#1", "c =c++ c =c# 1 =a#1");
}

static void camel_case_is_parted_and_kept_whole(void **state)
{
    (void)state;
    has_terms("createdByAgent", "=createdbyagent createdbyag creat agent");
    has_terms("GitHub", "=github github git hub");
    has_terms("NWPathMonitor", "=nwpathmonitor nwpathmonitor nw path monitor");
    has_terms("APIs", "api");
    has_terms("DROP TABLE", "drop tabl");
    has_terms("iOS", "=ios io os");
}

/* The terms that a star marks, as print_terms prints them. */
static void begins(const char *text, const char *expected)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_terms terms = { 0 };
    char *printed = mn_arena_copy(arena, "");

    assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    for (size_t i = 0; i < terms.count; i++)
        if (terms.item[i].begins)
            printed = mn_arena_printf(arena, "%s%s%.*s ", printed,
                                      terms.item[i].kind == MN_TERM_EXACT ? "=" : "",
                                      (int)terms.item[i].text.bytes, terms.item[i].text.at);
    assert_string_equal(printed, expected);
}

static void a_star_behind_a_word_marks_what_only_begins(void **state)
{
    (void)state;
    begins("kuber* pods", "kuber ");
    begins("ERR_CONN*", "conn =err_conn ");
    begins("src/search/part*.c is", "part =src/search/part ");
    begins("getUser*", "=getuser user ");
    begins("*bold* **bold** a*b 3 * 4 kuber", "");
    begins("数据*", "");
}

static void positions_count_words_and_characters(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *text = "the quick 数据 fox";
    struct mn_terms terms = { 0 };

    (void)state;
    assert_int_equal(mn_text_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    assert_int_equal(terms.count, 5);
    assert_int_equal(terms.item[0].position, 1); /* the stop word has one, too */
    assert_int_equal(terms.item[1].position, 2); /* 数 */
    assert_int_equal(terms.item[2].position, 2); /* 数据 */
    assert_int_equal(terms.item[3].position, 3); /* 据 */
    assert_int_equal(terms.item[4].position, 4);
    assert_float_equal(terms.item[0].weight, 1, 0);
    assert_float_equal(terms.item[1].weight, 0.5, 0);
}

static void equal_terms_have_equal_hashes_and_kinds_differ(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_terms terms = { 0 };

    (void)state;
    assert_int_equal(mn_text_terms(arena, "runs", 4, &terms, NULL), MNEME_OK);
    assert_int_equal(mn_text_terms(arena, "RUNNING", 7, &terms, NULL), MNEME_OK);
    assert_int_equal(mn_text_terms(arena, "aB", 2, &terms, NULL), MNEME_OK);
    assert_int_equal(terms.count, 4);
    assert_true(terms.item[0].hash == terms.item[1].hash);
    assert_string_equal(terms.item[2].text.at, terms.item[3].text.at);
    assert_true(terms.item[2].hash != terms.item[3].hash); /* exact and word */
}

static void a_request_asks_for_each_term_once(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *text = "run runs 数据 running 数据 fox";
    struct mn_terms terms = { 0 };

    (void)state;
    assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    assert_int_equal(terms.count, 5); /* run 数 数据 据 fox */
    assert_int_equal(terms.item[0].position, 0);
    assert_int_equal(terms.item[4].position, 7);
}

static void a_full_arena_is_a_limit_and_changes_nothing(void **state)
{
    static const char TEXT[] = "Repeated entries of Straße and 数据库 in db-config.json";

    (void)state;
    for (size_t bytes = 0; bytes < 3000; bytes += 16) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);
        struct mn_terms terms = { 0 };
        struct mneme_error err = { 0 };

        if (mn_text_query_terms(arena, TEXT, sizeof TEXT - 1, &terms, &err) == MNEME_OK) {
            assert_int_equal(terms.count, 12);
            assert_true(bytes > 500);
            return;
        }
        assert_int_equal(err.status, MNEME_LIMIT);
        assert_int_equal(terms.count, 0);
        assert_null(terms.item);
    }
    fail_msg("3000 bytes are enough");
}

static void language_is_told_by_han_characters_and_latin_words(void **state)
{
    static const struct {
        const char *text;
        enum mn_language language;
    } CASE[] = { { "", MN_LANGUAGE_OTHER },
                 { "123 !", MN_LANGUAGE_OTHER },
                 { "hello", MN_LANGUAGE_EN },
                 { "茶", MN_LANGUAGE_ZH },
                 { "use 中文 here", MN_LANGUAGE_EN }, /* 2 characters, 2 words */
                 { "用 Python", MN_LANGUAGE_EN },     /* 1 character, 1 word */
                 { "用于 Python", MN_LANGUAGE_ZH },   /* 2 characters, 1 word */
                 { "a b c d e f 中文字", MN_LANGUAGE_EN },
                 { "a b c d e f 四个汉字", MN_LANGUAGE_ZH },
                 { "Привет", MN_LANGUAGE_OTHER },
                 { "おはようございます", MN_LANGUAGE_OTHER } };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        if (mn_text_language(CASE[i].text, strlen(CASE[i].text)) != CASE[i].language)
            fail_msg("%s", CASE[i].text);
    }
}

static void latin_needles_are_found_at_word_borders_only(void **state)
{
    (void)state;
    assert_true(mn_text_contains("drop table now", "drop table"));
    assert_false(mn_text_contains("raindrop table", "drop table"));
    assert_false(mn_text_contains("drop tables", "drop table"));
    assert_true(mn_text_contains("raindrop drop", "drop"));
    assert_true(mn_text_contains("db-config.json", "config"));
    assert_false(mn_text_contains("my_config", "config"));
    assert_true(mn_text_contains("数据库端口", "据库"));
    assert_true(mn_text_contains("用port端口", "port"));
    assert_false(mn_text_contains("anything", ""));
}

static unsigned distance(const char *a, const char *b, unsigned max)
{
    unsigned d = mn_text_distance(mn_str_of(a), mn_str_of(b), max);

    assert_int_equal(d, mn_text_distance(mn_str_of(b), mn_str_of(a), max));
    return d;
}

static void distance_counts_edits_up_to_its_maximum(void **state)
{
    (void)state;
    assert_int_equal(distance("", "", 0), 0);
    assert_int_equal(distance("abc", "abc", 0), 0);
    assert_int_equal(distance("abc", "abd", 0), 1);
    assert_int_equal(distance("creatdbyagent", "createdbyagent", 2), 1);
    assert_int_equal(distance("abcd", "abdc", 2), 1); /* a transposition */
    assert_int_equal(distance("ca", "abc", 4), 3);    /* restricted: not 2 */
    assert_int_equal(distance("kitten", "sitting", 3), 3);
    assert_int_equal(distance("kitten", "sitting", 2), 3);
    assert_int_equal(distance("", "abc", 3), 3);
    assert_int_equal(distance("", "abcd", 3), 4);
    assert_int_equal(distance("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                              "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", 32),
                     32);
}

/* Up to 64 letters fit into one number; one more is counted another way. */
static void distance_counts_as_well_in_long_words(void **state)
{
    (void)state;
    for (size_t bytes = 63; bytes <= 66; bytes++) {
        char a[80] = "", b[80] = "";

        memset(a, 'x', bytes);
        memset(b, 'x', bytes);
        assert_int_equal(distance(a, b, 2), 0);
        a[bytes - 1] = 'y';
        assert_int_equal(distance(a, b, 2), 1);
        b[bytes - 2] = 'y';
        assert_int_equal(distance(a, b, 2), 1); /* a transposition */
        a[0] = 'z';
        assert_int_equal(distance(a, b, 2), 2);
        assert_int_equal(distance(a, b + 1, 2), 2);
        a[1] = 'z';
        assert_int_equal(distance(a, b, 2), 3);
    }
}

/* The whole table, without a band. */
static unsigned slow_distance(const char *a, const char *b)
{
    unsigned d[16][16];
    size_t n = strlen(a);
    size_t m = strlen(b);

    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            unsigned best = (unsigned)(i + j);

            if (i > 0 && d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (j > 0 && d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 0 && j > 0 && d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) < best)
                best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

static void the_banded_distance_is_that_of_the_whole_table(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[2][12];

        for (int t = 0; t < 2; t++) {
            size_t bytes;

            random = random * 1664525 + 1013904223;
            bytes = random >> 24 & 7;
            for (size_t i = 0; i < bytes; i++) {
                random = random * 1664525 + 1013904223;
                text[t][i] = (char)('a' + (random >> 28) % 3);
            }
            text[t][bytes] = '\0';
        }
        for (unsigned max = 0; max < 5; max++) {
            unsigned slow = slow_distance(text[0], text[1]);

            assert_int_equal(distance(text[0], text[1], max), slow > max ? max + 1 : slow);
        }
    }
}

static void the_lists_are_in_order(void **state)
{
    static const char HAN[] = "的了吗呢您都还里上下不与";

    (void)state;
    assert_int_equal(mn_words_han(0x7684), MN_HAN_STRICT);  /* 的 */
    assert_int_equal(mn_words_han(0x4e0a), MN_HAN_FUNC);    /* 上 */
    assert_int_equal(mn_words_han(0x6d77), MN_HAN_CONTENT); /* 海 */
    for (size_t at = 0; at < sizeof HAN - 1;)
        assert_int_not_equal(mn_words_han(mn_utf8_next(HAN, sizeof HAN - 1, &at)), MN_HAN_CONTENT);
    assert_true(mn_words_stop("the", 3));
    assert_true(mn_words_stop("themselves", 10));
    assert_true(mn_words_stop("yourselves", 10));
    assert_false(mn_words_stop("th", 2));
    assert_false(mn_words_stop("then we", 7));
    assert_false(mn_words_stop("kernel", 6));
    assert_false(mn_words_stop("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(english_is_stemmed_without_stop_words),
        cmocka_unit_test(chinese_is_indexed_by_pairs_and_single_characters),
        cmocka_unit_test(other_scripts_without_spaces_are_indexed_by_pairs),
        cmocka_unit_test(what_is_joined_is_an_exact_term_beside_its_parts),
        cmocka_unit_test(camel_case_is_parted_and_kept_whole),
        cmocka_unit_test(a_star_behind_a_word_marks_what_only_begins),
        cmocka_unit_test(positions_count_words_and_characters),
        cmocka_unit_test(equal_terms_have_equal_hashes_and_kinds_differ),
        cmocka_unit_test(a_request_asks_for_each_term_once),
        cmocka_unit_test(a_full_arena_is_a_limit_and_changes_nothing),
        cmocka_unit_test(language_is_told_by_han_characters_and_latin_words),
        cmocka_unit_test(latin_needles_are_found_at_word_borders_only),
        cmocka_unit_test(distance_counts_as_well_in_long_words),
        cmocka_unit_test(distance_counts_edits_up_to_its_maximum),
        cmocka_unit_test(the_banded_distance_is_that_of_the_whole_table),
        cmocka_unit_test(the_lists_are_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
