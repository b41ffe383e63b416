/*
 * test_base_err.c - the message names its field, fits, and is text whatever was quoted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"

static void failing_returns_the_status_and_sets_the_message_and_its_field(void **state)
{
    struct mneme_error err = {.uncertain = 1};

    (void)state;
    assert_int_equal(mn_fail(&err, MNEME_INVALID, "valid_until: %s", "not a date"), MNEME_INVALID);
    assert_int_equal(err.status, MNEME_INVALID);
    assert_int_equal(err.uncertain, 0);
    assert_string_equal(err.field, "valid_until");
    assert_string_equal(err.message, "valid_until: not a date");
}

static void a_field_may_be_a_path_and_is_at_most_63_bytes(void **state)
{
    struct mneme_error err;
    char name[65];

    (void)state;
    (void)mn_fail(&err, MNEME_INVALID, "identity.roles[3]: empty");
    assert_string_equal(err.field, "identity.roles[3]");

    memset(name, 'x', sizeof name);
    name[63] = '\0';
    (void)mn_fail(&err, MNEME_INVALID, "%s: empty", name);
    assert_string_equal(err.field, name);
    name[63] = 'x';
    name[64] = '\0';
    (void)mn_fail(&err, MNEME_INVALID, "%s: empty", name);
    assert_string_equal(err.field, "");
}

static void a_message_without_a_name_in_front_has_no_field(void **state)
{
    static const char *const MESSAGES[] = {"", ": x", "the store is locked", "two words: x"};
    struct mneme_error err;

    (void)state;
    for (size_t i = 0; i < sizeof MESSAGES / sizeof *MESSAGES; i++) {
        (void)mn_fail(&err, MNEME_LIMIT, "earlier: message");
        (void)mn_fail(&err, MNEME_LIMIT, "%s", MESSAGES[i]);
        assert_string_equal(err.message, MESSAGES[i]);
        assert_string_equal(err.field, "");
    }
}

static void a_message_is_at_most_399_bytes_and_cut_between_code_points(void **state)
{
    struct mneme_error err;
    char text[500];

    (void)state;
    for (size_t before = 0; before < 4; before++) {
        memset(text, 'a', before);
        text[before] = '\0';
        while (strlen(text) + 4 <= 480)
            strcat(text, "\xf0\x9f\x98\x80");
        (void)mn_fail(&err, MNEME_INVALID, "%s", text);
        assert_int_equal(strlen(err.message), before + (399 - before) / 4 * 4);
        assert_true(mn_utf8_valid(err.message, strlen(err.message)));
        assert_memory_equal(err.message, text, strlen(err.message));
    }
    memset(text, 'a', 399);
    text[399] = '\0';
    (void)mn_fail(&err, MNEME_INVALID, "%s", text);
    assert_string_equal(err.message, text);
    strcpy(text + 399, "b");
    (void)mn_fail(&err, MNEME_INVALID, "%s", text);
    assert_int_equal(strlen(err.message), 399);
}

static void what_is_quoted_cannot_break_the_line_or_the_encoding(void **state)
{
    struct mneme_error err;

    (void)state;
    (void)mn_fail(&err, MNEME_INVALID, "x: '%s'", "a\nb\x1b\xff\xe4\xb8");
    assert_string_equal(err.message, "x: 'a b ?" "?" "?'");
}

static void a_message_may_quote_the_one_it_replaces(void **state)
{
    struct mneme_error err;

    (void)state;
    (void)mn_fail(&err, MNEME_INVALID, "content: empty");
    (void)mn_fail(&err, MNEME_INVALID, "line 7: %s", err.message);
    assert_string_equal(err.message, "line 7: content: empty");
}

static void failing_without_an_error_only_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(mn_fail(NULL, MNEME_CONFLICT, "x: %d", 1), MNEME_CONFLICT);
    assert_int_equal(mn_fail_memory(NULL), MNEME_LIMIT);
    mn_error_clear(NULL);
}

static void running_out_of_memory_is_a_limit_and_no_field_is_wrong(void **state)
{
    struct mneme_error err;

    (void)state;
    assert_int_equal(mn_fail_memory(&err), MNEME_LIMIT);
    assert_string_equal(err.message, "memory: cannot allocate");
    assert_string_equal(err.field, "");
    mn_error_clear(&err);
    assert_int_equal(err.status, MNEME_OK);
    assert_string_equal(err.message, "");
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(mneme_status_name(MNEME_OK), "ok");
    assert_string_equal(mneme_status_name(MNEME_NOT_FOUND), "not found");
    assert_string_equal(mneme_status_name(MNEME_CORRUPT), "corrupt");
    assert_string_equal(mneme_status_name((enum mneme_status)(MNEME_CORRUPT + 1)), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_returns_the_status_and_sets_the_message_and_its_field),
        cmocka_unit_test(a_field_may_be_a_path_and_is_at_most_63_bytes),
        cmocka_unit_test(a_message_without_a_name_in_front_has_no_field),
        cmocka_unit_test(a_message_is_at_most_399_bytes_and_cut_between_code_points),
        cmocka_unit_test(what_is_quoted_cannot_break_the_line_or_the_encoding),
        cmocka_unit_test(a_message_may_quote_the_one_it_replaces),
        cmocka_unit_test(failing_without_an_error_only_returns_the_status),
        cmocka_unit_test(running_out_of_memory_is_a_limit_and_no_field_is_wrong),
        cmocka_unit_test(every_status_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
