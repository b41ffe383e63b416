/*
 * test_memory_tables.c - types, weights, names and reasons: their figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "memory/reason.h"
#include "memory/type.h"
#include "memory/weight.h"

static void types_age_and_stand_as_the_contract_says(void **state)
{
    static const struct {
        const char *name;
        double half_life_days;
        const char *section;
        enum mn_kind kind;
    } wanted[] = {
        { "user_preference", 365, "preferences", MN_KIND_SEMANTIC },
        { "project_constraint", 180, "constraints", MN_KIND_SEMANTIC },
        { "repository_rule", 90, "constraints", MN_KIND_SEMANTIC },
        { "previous_decision", 90, "decisions", MN_KIND_SEMANTIC },
        { "fact", 90, "facts", MN_KIND_SEMANTIC },
        { "successful_procedure", 60, "procedures", MN_KIND_PROCEDURAL },
        { "skill", 60, "procedures", MN_KIND_PROCEDURAL },
        { "incident", 45, "previous_incidents", MN_KIND_EPISODIC },
        { "event", 30, "events", MN_KIND_EPISODIC },
        { "session_summary", 30, "events", MN_KIND_EPISODIC },
        { "task_state", 2, "task_state", MN_KIND_WORKING },
    };

    (void)state;
    assert_int_equal(mn_type_count(), sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const struct mn_type *type = mn_type_of(wanted[i].name);

        assert_string_equal(type->name, wanted[i].name);
        assert_true(type->half_life_days == wanted[i].half_life_days);
        assert_string_equal(mn_section_name(type->section), wanted[i].section);
        assert_int_equal(type->kind, wanted[i].kind);
        assert_ptr_equal(mn_type_at(mn_type_find(wanted[i].name)), type);
    }
}

static void a_type_nobody_knows_is_a_semantic_one_of_90_days(void **state)
{
    const struct mn_type *type = mn_type_of("recipe");

    (void)state;
    assert_int_equal(mn_type_find("recipe"), MN_TYPE_NONE);
    assert_int_equal(mn_type_find(""), MN_TYPE_NONE);
    assert_int_equal(mn_type_find("Fact"), MN_TYPE_NONE);
    assert_true(type->half_life_days == 90);
    assert_int_equal(type->kind, MN_KIND_SEMANTIC);
    assert_string_equal(mn_section_name(type->section), "facts");
    assert_ptr_equal(mn_type_of(NULL), type);
    assert_ptr_equal(mn_type_at(mn_type_count()), type);
}

static mn_type_set set_of(const char *const *names, size_t count)
{
    mn_type_set types = 0;

    for (size_t i = 0; i < count; i++)
        types |= MN_TYPE_BIT(mn_type_find(names[i]));
    return types;
}
#define SET(...)                                                                                   \
    set_of((const char *const[]){ __VA_ARGS__ },                                                   \
           sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

static void each_mode_asks_for_its_types(void **state)
{
    mn_type_set all = MN_TYPE_BIT(mn_type_count()) - 1;

    (void)state;
    assert_int_equal(mn_types_of_mode(MNEME_MODE_NONE), 0);
    assert_int_equal(mn_types_of_mode(MNEME_MODE_HYBRID), all);
    assert_int_equal(mn_types_of_mode(MNEME_MODE_STRUCTURED_ONLY),
                     SET("user_preference", "project_constraint", "repository_rule", "task_state"));
    assert_int_equal(mn_types_of_mode(MNEME_MODE_EPISODIC_ONLY),
                     SET("incident", "successful_procedure", "skill", "previous_decision", "event",
                         "session_summary"));
}

static void each_source_finds_its_types(void **state)
{
    mn_type_set all = MN_TYPE_BIT(mn_type_count()) - 1;
    mn_type_set told = SET("previous_decision", "fact", "incident", "successful_procedure", "skill",
                           "event", "session_summary");

    (void)state;
    assert_int_equal(mn_types_found_by(MN_FOUND_STRUCTURED),
                     SET("user_preference", "project_constraint", "repository_rule"));
    assert_int_equal(mn_types_found_by(MN_FOUND_TASK), SET("task_state"));
    assert_int_equal(mn_types_found_by(MN_FOUND_TEXT), told);
    assert_int_equal(mn_types_found_by(MN_FOUND_VECTOR), told);
    assert_int_equal(mn_types_found_by(MN_FOUND_GRAPH), all & ~SET("task_state"));
    assert_int_equal(mn_types_found_by(MN_FOUND_RULE), all);
}

static void scope_and_authority_weigh_as_the_contract_says(void **state)
{
    (void)state;
    assert_true(mn_scope_weight(MNEME_SCOPE_TASK) == 1.00);
    assert_true(mn_scope_weight(MNEME_SCOPE_SESSION) == 1.00);
    assert_true(mn_scope_weight(MNEME_SCOPE_REPO) == 0.95);
    assert_true(mn_scope_weight(MNEME_SCOPE_PROJECT) == 0.85);
    assert_true(mn_scope_weight(MNEME_SCOPE_USER) == 0.70);
    assert_true(mn_scope_weight(MNEME_SCOPE_GLOBAL) == 0.55);
    assert_true(mn_scope_weight(MNEME_SCOPE_NONE) == 0.30);
    assert_true(mn_authority_weight(MNEME_EXPLICIT_USER) == 1.00);
    assert_true(mn_authority_weight(MNEME_EXPLICIT_ADMIN) == 1.00);
    assert_true(mn_authority_weight(MNEME_CONFIRMED_SYSTEM) == 0.95);
    assert_true(mn_authority_weight(MNEME_TOOL_OBSERVATION) == 0.75);
    assert_true(mn_authority_weight(MNEME_MODEL_INFERENCE) == 0.45);
    assert_true(mn_authority_weight(MNEME_AUTHORITY_REVOKED) == 0.30);
    assert_int_equal(mn_authority_tier(MNEME_CONFIRMED_SYSTEM), 2);
    assert_int_equal(mn_authority_tier(MNEME_TOOL_OBSERVATION), 1);
    assert_int_equal(mn_authority_tier(MNEME_MODEL_INFERENCE), 0);
    assert_int_equal(mn_scope_width(MNEME_SCOPE_GLOBAL), 0);
    assert_int_equal(mn_scope_width(MNEME_SCOPE_USER), 1);
    assert_int_equal(mn_scope_width(MNEME_SCOPE_PROJECT), 2);
    assert_int_equal(mn_scope_width(MNEME_SCOPE_REPO), 3);
    assert_int_equal(mn_scope_width(MNEME_SCOPE_TASK), 4);
    assert_int_equal(mn_scope_width(MNEME_SCOPE_SESSION), 4);
}

static void names_go_both_ways(void **state)
{
    (void)state;
    for (int i = MNEME_SCOPE_GLOBAL; i <= MNEME_SCOPE_SESSION; i++)
        assert_int_equal(mneme_scope_of(mneme_scope_name((enum mneme_scope)i)), i);
    for (int i = MNEME_EXPLICIT_USER; i <= MNEME_AUTHORITY_REVOKED; i++)
        assert_int_equal(mneme_authority_of(mneme_authority_name((enum mneme_authority)i)), i);
    for (int i = MNEME_PUBLIC; i <= MNEME_SECRET; i++)
        assert_int_equal(mneme_sensitivity_of(mneme_sensitivity_name((enum mneme_sensitivity)i)),
                         i);
    for (int i = MNEME_ACTIVE; i <= MNEME_DELETED; i++)
        assert_int_equal(mneme_memory_status_of(
                             mneme_memory_status_name((enum mneme_memory_status)i)),
                         i);
    for (int i = MNEME_TRIGGER_INTENT; i <= MNEME_TRIGGER_ALWAYS; i++)
        assert_int_equal(mneme_trigger_of(mneme_trigger_name((enum mneme_trigger)i)), i);
    for (int i = MNEME_MODE_AUTO; i <= MNEME_MODE_HYBRID; i++)
        assert_int_equal(mneme_mode_of(mneme_mode_name((enum mneme_mode)i)), i);
    assert_string_equal(mneme_scope_name(MNEME_SCOPE_REPO), "repo");
    assert_string_equal(mneme_authority_name(MNEME_TOOL_OBSERVATION), "tool_observation");
    assert_string_equal(mneme_trigger_name(MNEME_TRIGGER_PATH_GLOB), "path_glob");
    assert_string_equal(mneme_risk_name(MNEME_RISK_HIGH), "high");
    assert_string_equal(mneme_mode_name(MNEME_MODE_STRUCTURED_ONLY), "structured_only");
    assert_string_equal(mneme_profile_name(MNEME_PROFILE_BALANCED), "balanced");
}

static void names_of_nothing_are_empty_and_unknown_names_are_none(void **state)
{
    (void)state;
    assert_string_equal(mneme_scope_name(MNEME_SCOPE_NONE), "");
    assert_string_equal(mneme_scope_name((enum mneme_scope)7), "");
    assert_string_equal(mneme_mode_name((enum mneme_mode)5), "");
    assert_string_equal(mneme_profile_name((enum mneme_profile)4), "");
    assert_int_equal(mneme_scope_of("Repo"), MNEME_SCOPE_NONE);
    assert_int_equal(mneme_scope_of(""), MNEME_SCOPE_NONE);
    assert_int_equal(mneme_scope_of(NULL), MNEME_SCOPE_NONE);
    assert_int_equal(mneme_mode_of("both"), MNEME_MODE_AUTO);
}

static void six_reasons_are_leaks(void **state)
{
    int leak_count = 0;

    (void)state;
    for (int i = 0; i < MN_REASON_COUNT; i++)
        leak_count += mn_reason_is_leak((enum mn_reason)i);
    assert_int_equal(leak_count, 6);
    assert_true(mn_reason_is_leak(MN_REASON_SENSITIVITY));
    assert_false(mn_reason_is_leak(MN_REASON_ENVIRONMENT));
    assert_string_equal(mn_reason_name(MN_REASON_NOT_YET_VALID), "not_yet_valid");
    assert_string_equal(mn_reason_words(MN_REASON_EXPIRED), "is no longer valid");
    assert_string_equal(mn_reason_name(MN_REASON_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_age_and_stand_as_the_contract_says),
        cmocka_unit_test(a_type_nobody_knows_is_a_semantic_one_of_90_days),
        cmocka_unit_test(each_mode_asks_for_its_types),
        cmocka_unit_test(each_source_finds_its_types),
        cmocka_unit_test(scope_and_authority_weigh_as_the_contract_says),
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(names_of_nothing_are_empty_and_unknown_names_are_none),
        cmocka_unit_test(six_reasons_are_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
