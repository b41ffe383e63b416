/*
 * test_memory_access.c - what the exhaustive test cannot vary: hostile ids, limits, environments,
 * confidence, and which reason is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "memory/access.h"

static const struct mn_access ANN = {
    .tenant = "t",
    .user = "ann",
    .agent = "a1",
    .project = "p",
    .clearance = MNEME_INTERNAL,
    .at_ms = 1500,
};

static struct mneme_memory anns(void)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = "t";
    m.user_id = "ann";
    m.scope_kind = MNEME_SCOPE_GLOBAL;
    m.authority = MNEME_EXPLICIT_USER;
    m.confidence = 0.9;
    return m;
}

static const char *why(const struct mn_access *access, const struct mneme_memory *m)
{
    enum mn_reason reason = MN_REASON_NONE;
    bool allowed = mn_access_allows(access, m, -1.0, &reason);

    assert_int_equal(allowed, reason == MN_REASON_NONE);
    return mn_reason_name(reason);
}

static void an_identity_without_tenant_or_user_is_refused(void **state)
{
    struct mneme_error err = { 0 };
    struct mneme_identity who = { .user_id = "ann" };
    struct mn_access access = { .at_ms = 7 };

    (void)state;
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_INVALID);
    assert_string_equal(err.field, "tenant_id");
    who = (struct mneme_identity){ .tenant_id = "t", .user_id = "" };
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_INVALID);
    assert_string_equal(err.field, "user_id");
    assert_int_equal(mn_access_make(NULL, 1, 0, &access, &err), MNEME_INVALID);
    assert_int_equal(access.at_ms, 7); /* untouched */
}

static void an_identity_gets_its_defaults_and_its_instant(void **state)
{
    struct mneme_identity who = { .tenant_id = "t", .user_id = "ann" };
    struct mn_access access;

    (void)state;
    assert_int_equal(mn_access_make(&who, 50, 0, &access, NULL), MNEME_OK);
    assert_string_equal(access.agent, "");
    assert_string_equal(access.repository, "");
    assert_int_equal(access.clearance, MNEME_INTERNAL);
    assert_int_equal(access.at_ms, 50);
    assert_int_equal(access.as_of_ms, 0);
    assert_int_equal(mn_access_make(&who, 50, 20, &access, NULL), MNEME_OK);
    assert_int_equal(access.at_ms, 20);
    assert_int_equal(access.as_of_ms, 20);
}

static void ids_of_an_identity_have_a_limit(void **state)
{
    static char id[MNEME_ID_BYTES_MAX + 2];
    struct mneme_identity who = { .tenant_id = "t", .user_id = "ann", .task_id = id };
    struct mneme_error err = { 0 };
    struct mn_access access;

    (void)state;
    memset(id, 'x', MNEME_ID_BYTES_MAX);
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_OK);
    id[MNEME_ID_BYTES_MAX] = 'x';
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_LIMIT);
    assert_string_equal(err.field, "task_id");
}

static void an_identity_is_checked_field_by_field(void **state)
{
    static const char *const permissions[] = { "a", "" };
    struct mneme_identity who = { .tenant_id = "t", .user_id = "a\xff" };
    struct mneme_error err = { 0 };
    struct mn_access access;

    (void)state;
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_INVALID);
    assert_string_equal(err.field, "user_id");
    who.user_id = "ann";
    who.permissions = (struct mneme_list){ permissions, 2 };
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_INVALID);
    assert_string_equal(err.field, "permissions[1]");
    who.permissions.count = 1;
    who.clearance = (enum mneme_sensitivity)5;
    assert_int_equal(mn_access_make(&who, 1, 0, &access, &err), MNEME_INVALID);
    assert_string_equal(err.field, "clearance");
}

static void ids_are_compared_whole_never_as_patterns_or_prefixes(void **state)
{
    static const char *const HOSTILE[] = {
        "%",  "_nn", "an",   "anna",   "ANN",   "ann ",
        "a%", "*",   "ann/", "ann'--", "ann:x", "\xef\xbd\x81nn"
    };
    struct mneme_memory m = anns();

    (void)state;
    for (size_t i = 0; i < sizeof HOSTILE / sizeof HOSTILE[0]; i++) {
        struct mn_access access = ANN;

        access.user = HOSTILE[i];
        assert_string_equal(why(&access, &m), "other_user");
        access = ANN;
        access.tenant = HOSTILE[i];
        assert_string_equal(why(&access, &m), "other_tenant");
        m.user_id = HOSTILE[i];
        assert_string_equal(why(&ANN, &m), "other_user");
        m.user_id = "ann";
    }
    /* e with acute accent, composed and decomposed, are two ids */
    m.scope_kind = MNEME_SCOPE_PROJECT;
    m.scope_id = "caf\xc3\xa9";
    struct mn_access access = ANN;
    access.project = "cafe\xcc\x81";
    assert_string_equal(why(&access, &m), "out_of_scope");
    access.project = "caf\xc3\xa9";
    assert_string_equal(why(&access, &m), "");
}

static void a_row_without_what_it_must_have_is_seen_by_nobody(void **state)
{
    struct mneme_memory m = anns();
    struct mn_access nobody = ANN;

    (void)state;
    m.scope_kind = MNEME_SCOPE_NONE;
    assert_string_equal(why(&ANN, &m), "out_of_scope");
    m.scope_kind = MNEME_SCOPE_TASK; /* no task is open, and the row names none */
    assert_string_equal(why(&ANN, &m), "out_of_scope");
    m.scope_id = "";
    assert_string_equal(why(&ANN, &m), "out_of_scope");
    m = anns();
    m.tenant_id = "";
    nobody.tenant = "";
    assert_string_equal(why(&nobody, &m), "other_tenant");
    m = anns();
    m.status = (enum mneme_memory_status)9;
    assert_string_equal(why(&ANN, &m), "deleted");
    m = anns();
    m.sensitivity = (enum mneme_sensitivity)9;
    assert_string_equal(why(&ANN, &m), "sensitivity");
}

static void what_is_not_given_reads_as_internal_and_active(void **state)
{
    struct mneme_memory m = anns();
    struct mn_access low = ANN;

    (void)state;
    assert_string_equal(why(&ANN, &m), "");
    low.clearance = MNEME_PUBLIC;
    assert_string_equal(why(&low, &m), "sensitivity");
    low.clearance = MNEME_SENSITIVITY_NONE;
    assert_string_equal(why(&low, &m), "");
}

static void confidence_is_that_of_usage_and_the_limit_is_060(void **state)
{
    struct mneme_memory m = anns();
    enum mn_reason reason = MN_REASON_NONE;

    (void)state;
    assert_true(mn_access_holds(&ANN, &m, 0.60, &reason));
    assert_false(mn_access_holds(&ANN, &m, 0.5999, &reason));
    assert_int_equal(reason, MN_REASON_LOW_CONFIDENCE);
    assert_false(mn_access_holds(&ANN, &m, (double)NAN, &reason));
    m.confidence = 0.60;
    assert_true(mn_access_holds(&ANN, &m, -1.0, &reason));
    m.confidence = 0.59;
    assert_false(mn_access_holds(&ANN, &m, -1.0, &reason));
    assert_true(mn_access_holds(&ANN, &m, 0.7, &reason));
}

static void the_first_reason_is_told_reach_before_state_before_time(void **state)
{
    static const char *const NEEDS = "billing.read";
    struct mneme_memory m = anns();

    (void)state;
    m.confidence = 0.1;
    assert_string_equal(why(&ANN, &m), "low_confidence");
    m.valid_until_ms = 1500;
    assert_string_equal(why(&ANN, &m), "expired");
    m.status = MNEME_SUPERSEDED;
    assert_string_equal(why(&ANN, &m), "superseded");
    m.authority = MNEME_AUTHORITY_REVOKED;
    assert_string_equal(why(&ANN, &m), "revoked");
    m.applies_to = (struct mneme_pairs){ &(struct mneme_pair){ "os", "ios" }, 1 };
    struct mn_access access = ANN;
    access.environment = (struct mneme_pairs){ &(struct mneme_pair){ "os", "linux" }, 1 };
    assert_string_equal(why(&access, &m), "environment");
    m.sensitivity = MNEME_SECRET;
    assert_string_equal(why(&access, &m), "sensitivity");
    m.requires_permission = NEEDS;
    assert_string_equal(why(&access, &m), "permission");
    m.scope_kind = MNEME_SCOPE_PROJECT;
    m.scope_id = "q";
    assert_string_equal(why(&access, &m), "out_of_scope");
    m.agent_id = "a2";
    assert_string_equal(why(&access, &m), "other_agent");
    m.user_id = "bob";
    assert_string_equal(why(&access, &m), "other_user");
    m.tenant_id = "u";
    assert_string_equal(why(&access, &m), "other_tenant");
}

static void an_environment_nobody_states_is_no_mismatch(void **state)
{
    static const struct mneme_pair wanted[] = { { "os", "ios" }, { "ios", ">=17" } };
    static const struct mneme_pair stated[] = { { "ios", "16.4" }, { "OS", "linux" } };
    struct mneme_memory m = anns();
    struct mn_access access = ANN;

    (void)state;
    m.applies_to = (struct mneme_pairs){ wanted, 2 };
    assert_string_equal(why(&access, &m), "");
    access.environment = (struct mneme_pairs){ stated, 1 };
    assert_string_equal(why(&access, &m), "environment");
    access.environment = (struct mneme_pairs){ stated + 1, 1 }; /* another name: unknown */
    assert_string_equal(why(&access, &m), "");
    access.environment = (struct mneme_pairs){ &(struct mneme_pair){ "os", "" }, 1 };
    assert_string_equal(why(&access, &m), "");
}

static void versions_are_compared_number_by_number(void **state)
{
    static const struct {
        const char *stated, *wanted;
        bool satisfied;
    } row[] = {
        { "3.12.1", ">=3.12", true },
        { "3.12", ">=3.12", true },
        { "3.11.9", ">=3.12", false },
        { "3.9", ">=3.12", false },
        { "3.12.0", "==3.12", true },
        { "3.12.1", "==3.12", false },
        { "3.12.1", "!=3.12", true },
        { "3.12", "!=3.12.0", false },
        { "17", "<16", false },
        { "15.9", "<16", true },
        { "16", "<16", false },
        { "16", "<=16", true },
        { "16.0.1", "<=16", false },
        { "16.0.1", ">16", true },
        { "16", ">16", false },
        { "4", ">=2,<5", true },
        { "5", ">=2,<5", false },
        { "1.9", " >= 2 , < 5 ", false },
        { "v20.1", ">=18", true },
        { "ios", "ios", true },
        { "iOS", "ios", true },
        { "android", "ios", false },
        { "ios", "", true },
        { "ios", "ios,", true },
        { "ios", "==ios", true },
        { "linux", "==ios", false },
        { "linux", "!=ios", true },
        { "1.2", "1.2", true },
        { "1.2.0", "1.2", false },
        { "0010", "==10", true },
        { "99999999999999999999999", ">99999999999999999999998", true },
        { "stable", ">=1", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (mn_environment_satisfies(row[i].stated, row[i].wanted) != row[i].satisfied)
            fail_msg("%s against %s", row[i].stated, row[i].wanted);
    }
}

static void as_of_judges_the_past_but_withdrawal_is_of_now(void **state)
{
    struct mn_access past = ANN;
    struct mneme_memory m = anns();

    (void)state;
    past.as_of_ms = past.at_ms = 1000;
    m.created_at_ms = 1000;
    assert_string_equal(why(&past, &m), "");
    m.created_at_ms = 1001;
    assert_string_equal(why(&past, &m), "not_yet_valid");
    assert_string_equal(why(&ANN, &m), ""); /* the present does not ask when it was made */
    m = anns();
    m.status = MNEME_SUPERSEDED;
    assert_string_equal(why(&past, &m), "");
    m.status = MNEME_DEPRECATED;
    assert_string_equal(why(&past, &m), "deprecated");
    m.status = MNEME_DELETED;
    assert_string_equal(why(&past, &m), "deleted");
    m.status = MNEME_REVOKED;
    assert_string_equal(why(&past, &m), "revoked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_identity_without_tenant_or_user_is_refused),
        cmocka_unit_test(an_identity_gets_its_defaults_and_its_instant),
        cmocka_unit_test(ids_of_an_identity_have_a_limit),
        cmocka_unit_test(an_identity_is_checked_field_by_field),
        cmocka_unit_test(ids_are_compared_whole_never_as_patterns_or_prefixes),
        cmocka_unit_test(a_row_without_what_it_must_have_is_seen_by_nobody),
        cmocka_unit_test(what_is_not_given_reads_as_internal_and_active),
        cmocka_unit_test(confidence_is_that_of_usage_and_the_limit_is_060),
        cmocka_unit_test(the_first_reason_is_told_reach_before_state_before_time),
        cmocka_unit_test(an_environment_nobody_states_is_no_mismatch),
        cmocka_unit_test(versions_are_compared_number_by_number),
        cmocka_unit_test(as_of_judges_the_past_but_withdrawal_is_of_now),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
