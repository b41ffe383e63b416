/*
 * test_remember_rules.c - the pure parts of writing: classification, authorisation, secrets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "remember/remember.h"

static struct mneme_memory memory(const char *content)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = "t";
    m.user_id = "ann";
    m.content = content;
    m.sensitivity = MNEME_INTERNAL;
    m.authority = MNEME_EXPLICIT_USER;
    return m;
}

static void the_type_is_told_by_cues_in_both_languages(void **state)
{
    (void)state;
    static const struct {
        const char *content;
        const char *type;
    } rows[] = { { "I prefer short answers.", "user_preference" },
                 { "写脚本时我更喜欢 Python", "user_preference" },
                 { "Never push to main.", "project_constraint" },
                 { "禁止直接改生产库", "project_constraint" },
                 { "We decided on PostgreSQL.", "previous_decision" },
                 { "最后决定用 Go", "previous_decision" },
                 { "The gateway crashed at night.", "incident" },
                 { "The office is in Porto.", "fact" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mneme_memory m = memory(rows[i].content);

        mn_classify(&m);
        assert_string_equal(m.type, rows[i].type);
        assert_int_equal(m.scope_kind, MNEME_SCOPE_USER);
        assert_string_equal(m.scope_id, "ann");
    }
}

static void what_was_given_is_left_alone(void **state)
{
    (void)state;
    struct mneme_memory m = memory("I prefer short answers.");

    m.type = "fact";
    m.scope_kind = MNEME_SCOPE_REPO;
    m.scope_id = "shop";
    mn_classify(&m);
    assert_string_equal(m.type, "fact");
    assert_int_equal(m.scope_kind, MNEME_SCOPE_REPO);
    assert_string_equal(m.scope_id, "shop");
}

static void an_admins_word_and_shared_rows_need_a_grant(void **state)
{
    (void)state;
    struct mneme_memory m = memory("x");
    struct mneme_error err;

    assert_int_equal(mn_authorise(&m, NULL, 0, &err), MNEME_OK);
    m.authority = MNEME_EXPLICIT_ADMIN;
    assert_int_equal(mn_authorise(&m, NULL, 0, &err), MNEME_FORBIDDEN);
    assert_string_equal(err.field, "authority");
    assert_int_equal(mn_authorise(&m, NULL, 1, &err), MNEME_OK);
    m.authority = MNEME_EXPLICIT_USER;
    m.user_id = "";
    assert_int_equal(mn_authorise(&m, NULL, 0, &err), MNEME_FORBIDDEN);
    assert_string_equal(err.field, "user_id");
}

static void lowering_a_sensitivity_needs_a_grant_raising_it_none(void **state)
{
    (void)state;
    struct mneme_memory former = memory("x"), m = memory("x");
    struct mneme_error err;

    former.sensitivity = MNEME_CONFIDENTIAL;
    assert_int_equal(mn_authorise(&m, &former, 0, &err), MNEME_FORBIDDEN);
    assert_string_equal(err.field, "sensitivity");
    m.sensitivity = MNEME_SECRET;
    assert_int_equal(mn_authorise(&m, &former, 0, &err), MNEME_OK);
}

static void a_secret_is_refused_unless_it_is_asked_for(void **state)
{
    (void)state;
    struct mneme_memory m = memory("the key is AKIAIOSFODNN7EXAMPLE");
    struct mneme_error err;

    assert_int_equal(mn_guard_secrets(&m, 0, &err), MNEME_INVALID);
    assert_string_equal(err.field, "content");
    assert_null(strstr(err.message, "AKIA"));
    assert_int_equal(m.sensitivity, MNEME_INTERNAL);
    assert_int_equal(mn_guard_secrets(&m, 1, &err), MNEME_OK);
    assert_int_equal(m.sensitivity, MNEME_SECRET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_type_is_told_by_cues_in_both_languages),
        cmocka_unit_test(what_was_given_is_left_alone),
        cmocka_unit_test(an_admins_word_and_shared_rows_need_a_grant),
        cmocka_unit_test(lowering_a_sensitivity_needs_a_grant_raising_it_none),
        cmocka_unit_test(a_secret_is_refused_unless_it_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
