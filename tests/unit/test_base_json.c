/*
 * test_base_json.c - what is refused and by which name; what is written is read back the same.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static yyjson_doc *parsed(const char *text)
{
    yyjson_doc *doc = NULL;
    struct mneme_error err = {0};

    if (mn_json_parse("body", text, strlen(text), &doc, &err) != MNEME_OK)
        fail_msg("%s: %s", text, err.message);
    return doc;
}

static void assert_refused(const char *text, size_t bytes, enum mneme_status status,
                           const char *field)
{
    yyjson_doc *doc = NULL;
    struct mneme_error err = {0};

    if (mn_json_parse("body", text, bytes, &doc, &err) != status || strcmp(err.field, field) != 0)
        fail_msg("%.60s: status %d, field '%s': %s", text, err.status, err.field, err.message);
    assert_null(doc);
}

static void only_one_strict_object_is_a_document(void **state)
{
    static const char *const CASES[] = {
        "", " ", "{", "{}x", "{} {}", "[]", "1", "null", "\"x\"", "{\"a\":1,}", "{a:1}", "{'a':1}",
        "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":1e999}", "{\"a\":01}", "{\"a\":+1}",
        "{\"a\":.5}", "{/**/}", "{\"a\":\"\xff\"}", "{\"a\":\"\xed\xa0\x80\"}",
        "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\n\"}",
        "\xef\xbb\xbf{}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_refused(CASES[i], strlen(CASES[i]), MNEME_INVALID, "body");
    assert_refused(NULL, 0, MNEME_INVALID, "body");
    assert_refused("{}\0", 3, MNEME_INVALID, "body");
    assert_int_equal(mn_json_parse("body", "[]", 2, NULL, NULL), MNEME_INVALID);
}

static void texts_with_nul_are_refused_wherever_they_stand(void **state)
{
    static const struct {
        const char *text;
        const char *field;
    } CASES[] = {
        {"{\"title\":\"a\\u0000b\"}", "title"},
        {"{\"a\":{\"title\":\"\\u0000\"}}", "title"},
        {"{\"keywords\":[\"x\",\"\\u0000\"]}", "keywords"},
        {"{\"title\\u0000x\":1}", "title"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_refused(CASES[i].text, strlen(CASES[i].text), MNEME_INVALID, CASES[i].field);
}

static void a_key_given_twice_is_refused_by_name_in_small_and_large_objects(void **state)
{
    (void)state;
    assert_refused("{\"a\":1,\"a\":1}", 13, MNEME_INVALID, "a");
    assert_refused("{\"x\":[{\"user\":1,\"user\":2}]}", 27, MNEME_INVALID, "user");
    assert_refused("{\"a\":1,\"\\u0061\":1}", 18, MNEME_INVALID, "a");
    for (int count = 14; count < 20; count++) { /* both ways of comparing, and where they meet */
        MN_BUF_AUTO buf = {0};
        MN_JSON_AUTO doc = NULL;

        mn_buf_text(&buf, "{");
        for (int i = 0; i < count; i++)
            mn_buf_printf(&buf, "%s\"key%d\":0", i ? "," : "", i);
        mn_buf_text(&buf, "}");
        doc = parsed(buf.at);
        buf.at[buf.bytes - 1] = ',';
        mn_buf_text(&buf, "\"key3\":0}");
        assert_refused(buf.at, buf.bytes, MNEME_INVALID, "key3");
    }
}

static void half_a_million_keys_are_compared_in_little_time(void **state)
{
    MN_BUF_AUTO buf = {0};
    yyjson_doc *doc = NULL;

    (void)state;
    mn_buf_text(&buf, "{");
    for (int i = 0; i < 500000; i++)
        mn_buf_printf(&buf, "\"%07d\":0,", i);
    mn_buf_text(&buf, "\"x\":0}");
    assert_int_equal(mn_json_parse("body", buf.at, buf.bytes, &doc, NULL), MNEME_OK);
    mn_json_free(&doc);
    assert_null(doc);
}

static void nest(struct mn_buf *buf, int depth, const char *open, const char *inner,
                 const char *close)
{
    mn_buf_reset(buf);
    mn_buf_text(buf, "{\"a\":");
    for (int i = 1; i < depth; i++)
        mn_buf_text(buf, open);
    mn_buf_text(buf, inner);
    for (int i = 1; i < depth; i++)
        mn_buf_text(buf, close);
    mn_buf_text(buf, "}");
}

static void sixty_four_levels_are_read_and_one_more_is_refused(void **state)
{
    MN_BUF_AUTO buf = {0};
    yyjson_doc *doc;

    (void)state;
    nest(&buf, MN_JSON_DEPTH_MAX, "[", "1", "]");
    doc = parsed(buf.at);
    mn_json_free(&doc);
    nest(&buf, MN_JSON_DEPTH_MAX + 1, "[", "", "]");
    assert_refused(buf.at, buf.bytes, MNEME_LIMIT, "body");
    nest(&buf, MN_JSON_DEPTH_MAX, "{\"b\":", "1", "}");
    doc = parsed(buf.at);
    mn_json_free(&doc);
    nest(&buf, MN_JSON_DEPTH_MAX + 1, "{\"b\":", "{}", "}");
    assert_refused(buf.at, buf.bytes, MNEME_LIMIT, "body");
    nest(&buf, 1000000, "[", "", "]");
    assert_refused(buf.at, buf.bytes, MNEME_LIMIT, "body");
}

static void a_document_may_have_eight_mebibytes_and_not_one_more(void **state)
{
    char *text = malloc(MN_JSON_BYTES_MAX + 1);
    yyjson_doc *doc = NULL;

    (void)state;
    assert_non_null(text);
    memset(text, ' ', MN_JSON_BYTES_MAX + 1);
    memcpy(text, "{}", 2);
    assert_int_equal(mn_json_parse("body", text, MN_JSON_BYTES_MAX, &doc, NULL), MNEME_OK);
    mn_json_free(&doc);
    assert_refused(text, MN_JSON_BYTES_MAX + 1, MNEME_LIMIT, "body");
    free(text);
}

static void absent_and_null_fields_leave_the_output(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1000);
    MN_JSON_AUTO doc = parsed("{\"n\":null}");
    yyjson_val *root = yyjson_doc_get_root(doc);

    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *field = i ? "n" : "absent";
        const char *text = "before";
        const char *const *item = NULL;
        double number = 1.5;
        int64_t integer = 7;
        int truth = 9;
        size_t count = 3;

        assert_int_equal(mn_json_text(root, field, 10, arena, &text, NULL), MNEME_OK);
        assert_int_equal(mn_json_object_text(root, field, 10, arena, &text, NULL), MNEME_OK);
        assert_string_equal(text, "before");
        assert_int_equal(mn_json_number(root, field, 0, 1, &number, NULL), MNEME_OK);
        assert_true(number == 1.5);
        assert_int_equal(mn_json_integer(root, field, 0, 1, &integer, NULL), MNEME_OK);
        assert_int_equal(mn_json_time(root, field, &integer, NULL), MNEME_OK);
        assert_int_equal(integer, 7);
        assert_int_equal(mn_json_bool(root, field, &truth, NULL), MNEME_OK);
        assert_int_equal(truth, 9);
        assert_int_equal(mn_json_texts(root, field, 1, 1, arena, &item, &count, NULL), MNEME_OK);
        assert_int_equal(count, 3);
    }
}

static void fields_of_the_wrong_type_are_refused_by_name(void **state)
{
    static const char *const VALUES[] = {"\"x\"", "1", "1.5", "true", "[]", "[1]", "{}"};
    enum { TEXT, NUMBER, INTEGER, BOOL, TIME, TEXTS, OBJECT, READERS };
    static const char *const ACCEPTED[READERS] = {
        [TEXT] = "\"x\"", [NUMBER] = "1 1.5", [INTEGER] = "1", [BOOL] = "true",
        [TIME] = "",      [TEXTS] = "[]",     [OBJECT] = "{}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1000);
        char text[64];
        MN_JSON_AUTO doc = NULL;
        yyjson_val *root;

        (void)snprintf(text, sizeof text, "{\"the_field\":%s}", VALUES[i]);
        doc = parsed(text);
        root = yyjson_doc_get_root(doc);
        for (int reader = 0; reader < READERS; reader++) {
            struct mneme_error err = {0};
            const char *string = "before";
            const char *const *item = NULL;
            double number = -1;
            int64_t integer = -1;
            int truth = -1;
            size_t count = 77;
            enum mneme_status status[READERS] = {MNEME_OK};
            bool accepted = strstr(ACCEPTED[reader], VALUES[i]) &&
                            !(reader == INTEGER && VALUES[i][1] == '.');

            if (reader == TEXT)
                status[reader] = mn_json_text(root, "the_field", 9, arena, &string, &err);
            else if (reader == NUMBER)
                status[reader] = mn_json_number(root, "the_field", 0, 9, &number, &err);
            else if (reader == INTEGER)
                status[reader] = mn_json_integer(root, "the_field", 0, 9, &integer, &err);
            else if (reader == BOOL)
                status[reader] = mn_json_bool(root, "the_field", &truth, &err);
            else if (reader == TIME)
                status[reader] = mn_json_time(root, "the_field", &integer, &err);
            else if (reader == TEXTS)
                status[reader] =
                    mn_json_texts(root, "the_field", 9, 9, arena, &item, &count, &err);
            else
                status[reader] = mn_json_object_text(root, "the_field", 9, arena, &string, &err);
            if (status[reader] != (accepted ? MNEME_OK : MNEME_INVALID))
                fail_msg("reader %d, value %s: %s", reader, VALUES[i], err.message);
            if (!accepted) {
                assert_memory_equal(err.field, "the_field", 9);
                assert_string_equal(string, "before");
                assert_true(number == -1 && integer == -1 && truth == -1 && count == 77 && !item);
            }
        }
    }
}

static void a_text_may_have_its_maximum_and_not_one_byte_more(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1000);
    MN_JSON_AUTO doc = parsed("{\"title\":\"\\u4e2d\\n1\",\"object\":{ \"a\" : [1, 2.5] }}");
    yyjson_val *root = yyjson_doc_get_root(doc);
    struct mneme_error err;
    const char *text = NULL;

    (void)state;
    assert_int_equal(mn_json_text(root, "title", 5, arena, &text, &err), MNEME_OK);
    assert_string_equal(text, "\xe4\xb8\xad\n1");
    assert_int_equal(mn_json_text(root, "title", 4, arena, &text, &err), MNEME_LIMIT);
    assert_string_equal(err.message, "title: 5 bytes, at most 4");
    assert_string_equal(err.field, "title");

    assert_int_equal(mn_json_object_text(root, "object", 13, arena, &text, &err), MNEME_OK);
    assert_string_equal(text, "{\"a\":[1,2.5]}");
    assert_int_equal(mn_json_object_text(root, "object", 12, arena, &text, &err), MNEME_LIMIT);
    assert_string_equal(err.message, "object: 13 bytes, at most 12");
}

/* Texts are looked over in pieces; what has to be escaped is seen in each place of each. */
static void what_has_to_be_escaped_is_found_wherever_it_stands(void **state)
{
    static const char marks[] = { '"', '\\', '\n', 0x01, 0x1f };

    (void)state;
    for (size_t bytes = 1; bytes <= 26; bytes++) {
        for (size_t at = 0; at < bytes; at++) {
            for (size_t m = 0; m < sizeof marks; m++) {
                char text[32] = "abcdefghijklmnopqrstuvwxyz";
                MN_BUF_AUTO out = { 0 };
                MN_JSON_AUTO doc = NULL;
                struct mn_json_writer w = { .out = &out };
                struct mneme_error err;

                text[at] = marks[m];
                text[bytes] = '\0';
                mn_json_open(&w, '{');
                mn_json_field_text(&w, "first", "");
                mn_json_field_text(&w, text, text);
                mn_json_close(&w, '}');
                assert_int_equal(mn_json_parse("it", out.at, out.bytes, &doc, &err), MNEME_OK);
                assert_string_equal(mn_json_text_of(yyjson_doc_get_root(doc), text), text);
            }
        }
    }
}

static void numbers_are_held_to_their_range_ends_included(void **state)
{
    MN_JSON_AUTO doc = parsed("{\"zero\":0,\"one\":1.0,\"over\":1.0000001,\"minus\":-0.1,"
                              "\"half\":0.5,\"big\":9223372036854775807,"
                              "\"bigger\":9223372036854775808,\"least\":-9223372036854775808,"
                              "\"e\":3e2,\"far\":1e300}");
    yyjson_val *root = yyjson_doc_get_root(doc);
    struct mneme_error err;
    double number = 7;
    int64_t integer = 7;

    (void)state;
    assert_int_equal(mn_json_number(root, "zero", 0, 1, &number, &err), MNEME_OK);
    assert_true(number == 0);
    assert_int_equal(mn_json_number(root, "one", 0, 1, &number, &err), MNEME_OK);
    assert_true(number == 1);
    assert_int_equal(mn_json_number(root, "over", 0, 1, &number, &err), MNEME_INVALID);
    assert_string_equal(err.message, "over: must be from 0 to 1");
    assert_int_equal(mn_json_number(root, "minus", 0, 1, &number, &err), MNEME_INVALID);
    assert_true(number == 1);

    assert_int_equal(mn_json_integer(root, "one", 0, 1, &integer, &err), MNEME_OK);
    assert_int_equal(integer, 1);
    assert_int_equal(mn_json_integer(root, "e", 0, 300, &integer, &err), MNEME_OK);
    assert_int_equal(integer, 300);
    assert_int_equal(mn_json_integer(root, "e", 0, 299, &integer, &err), MNEME_INVALID);
    assert_string_equal(err.message, "e: must be a whole number from 0 to 299");
    assert_int_equal(mn_json_integer(root, "e", 301, 400, &integer, &err), MNEME_INVALID);
    assert_int_equal(mn_json_integer(root, "half", 0, 1, &integer, &err), MNEME_INVALID);
    assert_int_equal(mn_json_integer(root, "far", 0, INT64_MAX, &integer, &err), MNEME_INVALID);
    assert_int_equal(mn_json_integer(root, "big", 0, INT64_MAX, &integer, &err), MNEME_OK);
    assert_true(integer == INT64_MAX);
    assert_int_equal(mn_json_integer(root, "bigger", INT64_MIN, INT64_MAX, &integer, &err),
                     MNEME_INVALID);
    assert_int_equal(mn_json_integer(root, "least", INT64_MIN, 0, &integer, &err), MNEME_OK);
    assert_true(integer == INT64_MIN);
}

static void lists_of_texts_are_held_to_their_limits_and_name_the_item(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1000);
    MN_JSON_AUTO doc = parsed("{\"k\":[\"a\",\"\",\"ccc\"],\"mixed\":[\"a\",null],\"none\":[]}");
    yyjson_val *root = yyjson_doc_get_root(doc);
    struct mneme_error err;
    const char *const *item = NULL;
    size_t count = 7;

    (void)state;
    assert_int_equal(mn_json_texts(root, "k", 3, 2, arena, &item, &count, &err), MNEME_LIMIT);
    assert_string_equal(err.message, "k[2]: 3 bytes, at most 2");
    assert_string_equal(err.field, "k[2]");
    assert_int_equal(mn_json_texts(root, "k", 2, 3, arena, &item, &count, &err), MNEME_LIMIT);
    assert_string_equal(err.message, "k: 3 items, at most 2");
    assert_int_equal(mn_json_texts(root, "mixed", 3, 3, arena, &item, &count, &err), MNEME_INVALID);
    assert_string_equal(err.field, "mixed[1]");
    assert_int_equal(count, 7);
    assert_null(item);

    assert_int_equal(mn_json_texts(root, "k", 3, 3, arena, &item, &count, &err), MNEME_OK);
    assert_int_equal(count, 3);
    assert_string_equal(item[0], "a");
    assert_string_equal(item[1], "");
    assert_string_equal(item[2], "ccc");
    assert_int_equal(mn_json_texts(root, "none", 0, 3, arena, &item, &count, &err), MNEME_OK);
    assert_int_equal(count, 0);
}

static void times_are_read_by_name(void **state)
{
    MN_JSON_AUTO doc = parsed("{\"at\":\"2026-10-14\",\"bad\":\"2026-02-30\"}");
    yyjson_val *root = yyjson_doc_get_root(doc);
    struct mneme_error err;
    int64_t ms = 7;

    (void)state;
    assert_int_equal(mn_json_time(root, "bad", &ms, &err), MNEME_INVALID);
    assert_string_equal(err.field, "bad");
    assert_int_equal(ms, 7);
    assert_int_equal(mn_json_time(root, "at", &ms, &err), MNEME_OK);
    assert_int_equal(ms, 1791936000000);
}

static void a_field_nobody_knows_is_named(void **state)
{
    static const char *const KNOWN[] = {"a", "b", NULL};
    MN_JSON_AUTO good = parsed("{\"b\":1,\"a\":2}");
    MN_JSON_AUTO bad = parsed("{\"a\":1,\"ab\":2}");
    struct mneme_error err;

    (void)state;
    assert_int_equal(mn_json_only(yyjson_doc_get_root(good), KNOWN, &err), MNEME_OK);
    assert_int_equal(mn_json_only(yyjson_doc_get_root(bad), KNOWN, &err), MNEME_INVALID);
    assert_string_equal(err.field, "ab");
}

/* Each size of arena up to the one that suffices stands for one allocation that fails. */
static void an_arena_too_small_for_a_field_is_a_limit_and_leaves_the_output(void **state)
{
    MN_JSON_AUTO doc = parsed("{\"k\":[\"a\",\"bb\"],\"t\":\"text\",\"o\":{}}");
    yyjson_val *root = yyjson_doc_get_root(doc);
    size_t refused = 0;

    (void)state;
    for (size_t bytes_max = 0;; bytes_max++) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes_max);
        struct mneme_error err;
        const char *const *item = NULL;
        size_t count = 7;
        const char *text = NULL;

        if (mn_json_texts(root, "k", 9, 9, arena, &item, &count, &err) == MNEME_OK)
            break;
        refused++;
        assert_int_equal(err.status, MNEME_LIMIT);
        assert_null(item);
        assert_int_equal(count, 7);
        if (bytes_max == 0) {
            assert_int_equal(mn_json_text(root, "t", 9, arena, &text, &err), MNEME_LIMIT);
            assert_int_equal(mn_json_object_text(root, "o", 9, arena, &text, &err), MNEME_LIMIT);
            assert_null(text);
        }
    }
    assert_true(refused > 16);
}

static void a_writer_places_commas_and_brackets(void **state)
{
    MN_BUF_AUTO buf = {0};
    struct mn_json_writer w = {.out = &buf};

    (void)state;
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "text", "x");
    mn_json_field_text(&w, "nothing", NULL);
    mn_json_field_integer(&w, "least", INT64_MIN);
    mn_json_field_number(&w, "score", 0.25, 4);
    mn_json_field_bool(&w, "yes", true);
    mn_json_field_time(&w, "at", 1791968400000);
    mn_json_field_time(&w, "never", 0);
    mn_json_key(&w, "list");
    mn_json_open(&w, '[');
    mn_json_open(&w, '[');
    mn_json_close(&w, ']');
    mn_json_open(&w, '{');
    mn_json_close(&w, '}');
    mn_json_put_null(&w);
    mn_json_put_raw(&w, "{\"raw\":1}");
    mn_json_put_raw(&w, NULL);
    mn_json_put_str(&w, (struct mn_str){"abc", 2});
    mn_json_put_str(&w, (struct mn_str){NULL, 0});
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    assert_false(buf.failed);
    assert_string_equal(buf.at, "{\"text\":\"x\",\"nothing\":\"\",\"least\":-9223372036854775808,"
                                "\"score\":0.25,\"yes\":true,\"at\":\"2026-10-14T09:00:00Z\","
                                "\"never\":null,"
                                "\"list\":[[],{},null,{\"raw\":1},null,\"ab\",\"\"]}");
}

static void every_text_written_is_read_back_the_same(void **state)
{
    char text[0x80 + 16];
    size_t bytes = 0;
    MN_BUF_AUTO buf = {0};
    struct mn_json_writer w = {.out = &buf};
    yyjson_doc *doc;
    yyjson_val *value;

    (void)state;
    for (int c = 0; c < 0x80; c++)
        text[bytes++] = (char)c;
    memcpy(text + bytes, "\xc2\x80\xe4\xb8\xad\xe2\x80\xa8\xf4\x8f\xbf\xbf", 12);
    bytes += 12;
    mn_json_open(&w, '{');
    mn_json_key(&w, "a \"quoted\" key\\");
    mn_json_put_str(&w, (struct mn_str){text, bytes});
    mn_json_close(&w, '}');

    doc = yyjson_read(buf.at, buf.bytes, 0);
    assert_non_null(doc);
    value = yyjson_obj_get(yyjson_doc_get_root(doc), "a \"quoted\" key\\");
    assert_int_equal(yyjson_get_len(value), bytes);
    assert_memory_equal(yyjson_get_str(value), text, bytes);
    yyjson_doc_free(doc);
}

static void bytes_that_are_no_text_are_written_as_the_replacement(void **state)
{
    MN_BUF_AUTO buf = {0};
    struct mn_json_writer w = {.out = &buf};

    (void)state;
    mn_json_put_text(&w, "a\xff\xe4\xb8z\xed\xa0\x80");
    assert_string_equal(buf.at, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"
                                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void assert_written(double value, int decimals, const char *expected)
{
    MN_BUF_AUTO buf = {0};
    struct mn_json_writer w = {.out = &buf};

    mn_json_put_number(&w, value, decimals);
    assert_string_equal(buf.at, expected);
}

static void assert_numbers(void)
{
    assert_written(0.5, 4, "0.5");
    assert_written(0.123456, 4, "0.1235");
    assert_written(100, 2, "100");
    assert_written(1200, 0, "1200");
    assert_written(1.0 / 3, 6, "0.333333");
    assert_written(-2.50, 3, "-2.5");
    assert_written(-0.0, 3, "0");
    assert_written(-0.0001, 3, "0");
    assert_written(0.9996, 3, "1");
    assert_written(NAN, 3, "null");
    assert_written(INFINITY, 3, "null");
    assert_written(-INFINITY, 3, "null");
    assert_written(3.7, -1, "4");
    assert_written(0.5, 99, "0.5");
}

static void numbers_have_fixed_places_and_no_trailing_zeros(void **state)
{
    MN_BUF_AUTO buf = {0};
    struct mn_json_writer w = {.out = &buf};

    (void)state;
    assert_numbers();
    mn_json_put_number(&w, -1.7976931348623157e308, 17);
    assert_int_equal(buf.bytes, 310);
    assert_true(strtod(buf.at, NULL) == -1.7976931348623157e308);
}

static void numbers_do_not_follow_the_locale(void **state)
{
    static const char *const LOCALES[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "de_DE"};
    bool found = false;

    (void)state;
    for (size_t i = 0; i < sizeof LOCALES / sizeof *LOCALES && !found; i++)
        found = setlocale(LC_NUMERIC, LOCALES[i]) != NULL;
    if (!found)
        skip();
    assert_numbers();
    (void)setlocale(LC_NUMERIC, "C");
}

static void writing_deeper_than_can_be_read_fails_the_buffer(void **state)
{
    MN_BUF_AUTO buf = {0};
    struct mn_json_writer w = {.out = &buf};

    (void)state;
    for (int i = 0; i < MN_JSON_DEPTH_MAX; i++)
        mn_json_open(&w, '[');
    assert_false(buf.failed);
    mn_json_put_integer(&w, 1);
    for (int i = 0; i < 1000; i++)
        mn_json_open(&w, '[');
    assert_true(buf.failed);
    for (int i = 0; i < 2000; i++)
        mn_json_close(&w, ']');
    mn_json_put_integer(&w, 1);
    assert_int_equal(w.depth, 0);
    assert_true(buf.failed);
}

static void strings_of_a_text_come_whole_and_unescaped(void **state)
{
    static const char json[] = "{\"a\":[\"b c\",1,\"\"],\"d\\\"e\":\"\\u00e9\\\\\"}";
    static const char *const want[] = { "a", "b c", "", "d\"e", "\xc3\xa9\\" };
    MN_BUF_AUTO room = { 0 };
    struct mn_str string;
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(mn_json_next_string(mn_str_of(json), &at, &room, &string));
        assert_int_equal(string.bytes, strlen(want[i]));
        assert_memory_equal(string.at, want[i], string.bytes);
    }
    assert_false(mn_json_next_string(mn_str_of(json), &at, &room, &string));
    at = 0;
    assert_false(mn_json_next_string(mn_str_of("\"cut \\"), &at, &room, &string));
    assert_false(mn_json_next_string(mn_str_of(""), &at, &room, &string));
    assert_false(room.failed);
    assert_true(mn_json_next_string(mn_str_of("\"no \\q\""), &at, &room, &string));
    assert_true(room.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_strict_object_is_a_document),
        cmocka_unit_test(texts_with_nul_are_refused_wherever_they_stand),
        cmocka_unit_test(a_key_given_twice_is_refused_by_name_in_small_and_large_objects),
        cmocka_unit_test(half_a_million_keys_are_compared_in_little_time),
        cmocka_unit_test(sixty_four_levels_are_read_and_one_more_is_refused),
        cmocka_unit_test(a_document_may_have_eight_mebibytes_and_not_one_more),
        cmocka_unit_test(absent_and_null_fields_leave_the_output),
        cmocka_unit_test(fields_of_the_wrong_type_are_refused_by_name),
        cmocka_unit_test(a_text_may_have_its_maximum_and_not_one_byte_more),
        cmocka_unit_test(what_has_to_be_escaped_is_found_wherever_it_stands),
        cmocka_unit_test(numbers_are_held_to_their_range_ends_included),
        cmocka_unit_test(lists_of_texts_are_held_to_their_limits_and_name_the_item),
        cmocka_unit_test(times_are_read_by_name),
        cmocka_unit_test(a_field_nobody_knows_is_named),
        cmocka_unit_test(an_arena_too_small_for_a_field_is_a_limit_and_leaves_the_output),
        cmocka_unit_test(a_writer_places_commas_and_brackets),
        cmocka_unit_test(every_text_written_is_read_back_the_same),
        cmocka_unit_test(bytes_that_are_no_text_are_written_as_the_replacement),
        cmocka_unit_test(numbers_have_fixed_places_and_no_trailing_zeros),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(strings_of_a_text_come_whole_and_unescaped),
        cmocka_unit_test(writing_deeper_than_can_be_read_fails_the_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
