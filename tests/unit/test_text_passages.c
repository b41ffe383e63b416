/*
 * test_text_passages.c - long texts are cut where they pause, and nothing of them is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "text/passages.h"

/* `part`, again and again, to so many bytes at most. */
static char *repeated(const char *part, size_t bytes)
{
    char *text = calloc(1, bytes + 1);
    size_t some = strlen(part);

    assert_non_null(text);
    for (size_t at = 0; at + some <= bytes; at += some)
        memcpy(text + at, part, some);
    return text;
}

static void assert_whole(const char *text)
{
    size_t bytes = strlen(text), at = 0;
    size_t count = mn_text_passage_count(bytes);

    assert_true(count > 0);
    for (size_t i = 1; i <= count; i++) {
        struct mn_passage p = mn_text_passage(text, bytes, i);

        assert_int_equal(p.from, at);
        assert_true(p.bytes >= 100 && p.bytes <= 1400);
        assert_true(mn_utf8_valid(text + p.from, p.bytes));
        at += p.bytes;
    }
    assert_int_equal(at, bytes);
}

static void a_text_of_1200_bytes_is_one_and_one_more_makes_two(void **state)
{
    (void)state;
    assert_int_equal(mn_text_passage_count(0), 0);
    assert_int_equal(mn_text_passage_count(MN_PASSAGE_TEXT_BYTES_MAX), 0);
    assert_int_equal(mn_text_passage_count(MN_PASSAGE_TEXT_BYTES_MAX + 1), 2);
    assert_int_equal(mn_text_passage_count(1801), 3);
    assert_int_equal(mn_text_passage_count(65536), 73);
    assert_int_equal(mn_text_passage_count(SIZE_MAX / 2), MN_PASSAGES_MAX);
}

static void passages_are_the_whole_text_whatever_it_is(void **state)
{
    static const char *const parts[] = { "a", "word ", "A short sentence. ", "我们在上海。",
                                         "汉", "line\n",  "paragraph.\n\n",    "   ",
                                         "é", "\xf0\x9f\x8c\xb5" };

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t bytes = 1230; bytes < 70000; bytes += bytes / 3 + 7) {
            char *text = repeated(parts[i], bytes > 65536 ? 65536 : bytes);

            assert_whole(text);
            free(text);
        }
}

/* A text of 1,500 bytes whose middle is at `place`; the first passage ends there. */
static void cuts_at(const char *around, size_t before)
{
    char *text = repeated("x", 1500);
    size_t at = 750 + 100 - before;

    memcpy(text + at, around, strlen(around));
    assert_int_equal(mn_text_passage(text, 1500, 1).bytes, at + before);
    free(text);
}

static void cuts_stand_behind_paragraphs_lines_sentences_and_words(void **state)
{
    (void)state;
    cuts_at("a\n\nb", 3);
    cuts_at("a\nb", 2);
    cuts_at("ends. And", 6);
    cuts_at("ends.\" And", 7);
    cuts_at("好。好", 6);
    cuts_at("好。」好", 9);
    cuts_at("a b", 2);
}

static void a_better_place_further_away_is_taken_and_none_too_far(void **state)
{
    char *text = repeated("x", 1500);

    (void)state;
    text[749] = ' ';
    memcpy(text + 900, ". ", 2);
    assert_int_equal(mn_text_passage(text, 1500, 1).bytes, 902);
    memcpy(text + 900, "xx", 2);
    memcpy(text + 974, ". ", 2); /* ends 226 away: one past the reach */
    assert_int_equal(mn_text_passage(text, 1500, 1).bytes, 750);
    memcpy(text + 973, ". x", 3);
    assert_int_equal(mn_text_passage(text, 1500, 1).bytes, 975);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_of_1200_bytes_is_one_and_one_more_makes_two),
        cmocka_unit_test(passages_are_the_whole_text_whatever_it_is),
        cmocka_unit_test(cuts_stand_behind_paragraphs_lines_sentences_and_words),
        cmocka_unit_test(a_better_place_further_away_is_taken_and_none_too_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
