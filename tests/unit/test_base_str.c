/*
 * test_base_str.c - UTF-8 against a validator written the slow way, and the growing buffer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

/* The definition, read aloud: decode by the lead byte, then refuse what has a shorter form. */
static int32_t slow_next(const unsigned char *s, size_t left)
{
    static const int32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = s[0] < 0x80             ? 1
                   : (s[0] & 0xe0) == 0xc0 ? 2
                   : (s[0] & 0xf0) == 0xe0 ? 3
                   : (s[0] & 0xf8) == 0xf0 ? 4
                                           : 0;
    int32_t c;

    if (bytes == 0 || bytes > left)
        return -1;
    c = bytes == 1 ? s[0] : s[0] & (0x7f >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < LEAST[bytes] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return -1;
    return c;
}

static uint64_t random_state = 88172645463325252U;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static void assert_decodes_like_the_definition(const char *text, size_t bytes)
{
    bool valid = true;

    for (size_t at = 0; at < bytes;) {
        size_t start = at;
        int32_t expected = slow_next((const unsigned char *)text + start, bytes - start);
        char back[4];

        assert_int_equal(mn_utf8_next(text, bytes, &at), expected);
        if (expected < 0) {
            assert_int_equal(at, start + 1);
            valid = false;
        } else {
            assert_int_equal(mn_utf8_put(expected, back), at - start);
            assert_memory_equal(back, text + start, at - start);
        }
    }
    assert_int_equal(mn_utf8_valid(text, bytes), valid);
}

static void every_pair_of_bytes_and_many_random_texts_decode_by_the_definition(void **state)
{
    /* bytes that stand at the borders of the table, and two plain ones */
    static const unsigned char BYTES[] = {
        0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
        0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 'a',  'z',
    };
    char text[24];

    (void)state;
    for (int i = 0; i < 65536; i++) {
        text[0] = (char)(i >> 8);
        text[1] = (char)i;
        assert_decodes_like_the_definition(text, 2);
    }
    for (int i = 0; i < 200000; i++) {
        size_t bytes = next_random() % sizeof text;

        for (size_t j = 0; j < bytes; j++)
            text[j] = (char)BYTES[next_random() % sizeof BYTES];
        assert_decodes_like_the_definition(text, bytes);
    }
}

static void every_code_point_survives_writing_and_reading(void **state)
{
    (void)state;
    for (int32_t c = 0; c <= 0x10ffff; c++) {
        char text[4];
        size_t at = 0;
        size_t bytes = mn_utf8_put(c, text);

        if (c >= 0xd800 && c <= 0xdfff) {
            assert_memory_equal(text, "\xef\xbf\xbd", 3);
            continue;
        }
        assert_int_equal(mn_utf8_next(text, bytes, &at), c);
        assert_int_equal(at, bytes);
        at = 0;
        if (bytes > 1)
            assert_int_equal(mn_utf8_next(text, bytes - 1, &at), -1);
    }
}

static void what_is_no_code_point_is_written_as_the_replacement(void **state)
{
    char text[4];

    (void)state;
    assert_int_equal(mn_utf8_put(0x110000, text), 3);
    assert_memory_equal(text, "\xef\xbf\xbd", 3);
    assert_int_equal(mn_utf8_put(-1, text), 3);
}

static void reading_at_the_end_gives_nothing_and_stays(void **state)
{
    size_t at = 2;

    (void)state;
    assert_int_equal(mn_utf8_next("ab", 2, &at), -1);
    assert_int_equal(at, 2);
    assert_true(mn_utf8_valid("", 0));
    assert_true(mn_utf8_valid(NULL, 0));
}

static void a_cut_never_splits_a_code_point(void **state)
{
    static const char TEXT[] = "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80";
    static const size_t EXPECTED[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};

    (void)state;
    for (size_t bytes_max = 0; bytes_max < sizeof EXPECTED / sizeof *EXPECTED; bytes_max++)
        assert_int_equal(mn_utf8_cut(TEXT, sizeof TEXT - 1, bytes_max), EXPECTED[bytes_max]);
    assert_int_equal(mn_utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
    assert_int_equal(mn_utf8_cut("\x80\x80\x80", 3, 2), 2);
}

static void null_and_the_empty_text_are_the_same_absent_value(void **state)
{
    (void)state;
    assert_true(mn_empty(NULL));
    assert_true(mn_empty(""));
    assert_false(mn_empty("x"));
    assert_true(mn_same(NULL, ""));
    assert_true(mn_same("x", "x"));
    assert_false(mn_same("x", NULL));
    assert_string_equal(mn_or_empty(NULL), "");
    assert_int_equal(mn_str_of(NULL).bytes, 0);
    assert_true(mn_str_equal(mn_str_of("ab"), (struct mn_str){"abc", 2}));
    assert_false(mn_str_equal(mn_str_of("ab"), mn_str_of("ac")));
    assert_true(mn_str_equal((struct mn_str){NULL, 0}, mn_str_of("")));
}

static void words_are_alike_but_for_the_case_of_latin_letters(void **state)
{
    static const char *const list[] = { "german", "德国人", NULL };

    (void)state;
    assert_true(mn_str_alike(MN_STR("The UK"), MN_STR("the uk")));
    assert_false(mn_str_alike(MN_STR("ab"), MN_STR("abc")));
    assert_false(mn_str_alike(MN_STR("[a"), MN_STR("{a"))); /* a bit apart, as letters are */
    assert_false(mn_str_alike(MN_STR("É"), MN_STR("é")));
    assert_true(mn_str_alike((struct mn_str){NULL, 0}, MN_STR("")));
    assert_true(mn_str_alike_any(MN_STR("GERMAN"), list));
    assert_true(mn_str_alike_any(MN_STR("德国人"), list));
    assert_false(mn_str_alike_any(MN_STR("germans"), list));
    assert_false(mn_str_alike_any((struct mn_str){NULL, 0}, list));
    assert_true(mn_str_ends(MN_STR("程序员"), "员"));
    assert_true(mn_str_ends(MN_STR("员"), "员"));
    assert_false(mn_str_ends(MN_STR("员"), "程序员"));
    assert_false(mn_str_ends((struct mn_str){NULL, 0}, "员"));
}

static void a_buffer_grows_and_always_ends_with_nul(void **state)
{
    MN_BUF_AUTO buf = {0};

    (void)state;
    assert_null(buf.at);
    mn_buf_text(&buf, NULL);
    mn_buf_text(&buf, "");
    mn_buf_printf(&buf, "%s", "");
    assert_null(buf.at);
    for (int i = 0; i < 1000; i++) {
        size_t before = buf.bytes;

        mn_buf_text(&buf, "ab");
        mn_buf_char(&buf, 'c');
        mn_buf_printf(&buf, "%03d", i);
        assert_int_equal(buf.bytes, before + 6);
        assert_int_equal(strlen(buf.at), buf.bytes);
    }
    assert_string_equal(buf.at + 5994, "abc999");
    assert_false(buf.failed);
}

static void a_buffer_keeps_its_room_when_reset_and_gives_it_back_when_released(void **state)
{
    struct mn_buf buf = {0};
    size_t room;

    (void)state;
    mn_buf_text(&buf, "abc");
    room = buf.room;
    mn_buf_reset(&buf);
    assert_int_equal(buf.bytes, 0);
    assert_int_equal(buf.room, room);
    assert_string_equal(buf.at, "");
    mn_buf_release(&buf);
    assert_null(buf.at);
    mn_buf_text(&buf, "again");
    assert_string_equal(buf.at, "again");
    mn_buf_release(&buf);
}

static void a_buffer_that_failed_keeps_what_it_had_and_takes_no_more(void **state)
{
    MN_BUF_AUTO buf = {0};

    (void)state;
    mn_buf_text(&buf, "kept");
    mn_buf_put(&buf, "", SIZE_MAX);
    assert_true(buf.failed);
    mn_buf_text(&buf, "lost");
    assert_string_equal(buf.at, "kept");
    mn_buf_reset(&buf);
    mn_buf_text(&buf, "again");
    assert_string_equal(buf.at, "again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_bytes_and_many_random_texts_decode_by_the_definition),
        cmocka_unit_test(every_code_point_survives_writing_and_reading),
        cmocka_unit_test(what_is_no_code_point_is_written_as_the_replacement),
        cmocka_unit_test(reading_at_the_end_gives_nothing_and_stays),
        cmocka_unit_test(a_cut_never_splits_a_code_point),
        cmocka_unit_test(null_and_the_empty_text_are_the_same_absent_value),
        cmocka_unit_test(words_are_alike_but_for_the_case_of_latin_letters),
        cmocka_unit_test(a_buffer_grows_and_always_ends_with_nul),
        cmocka_unit_test(a_buffer_keeps_its_room_when_reset_and_gives_it_back_when_released),
        cmocka_unit_test(a_buffer_that_failed_keeps_what_it_had_and_takes_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
