/*
 * test_lifecycle_age.c - confidence and importance as time and use leave them, by literals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lifecycle/age.h"

#define DAY INT64_C(86400000)
#define T0 (1000 * DAY)
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static struct mn_row row_of(const char *type, enum mneme_authority authority, double confidence)
{
    return (struct mn_row){ .memory = { .type = type,
                                        .authority = authority,
                                        .confidence = confidence,
                                        .importance = 0.5,
                                        .created_at_ms = T0,
                                        .updated_at_ms = T0 },
                            .confidence = confidence,
                            .importance_base = -1.0 };
}

static void half_lives_lie_between_thirty_and_ninety_days(void **state)
{
    (void)state;
    NEAR(mn_age_half_life_days("user_preference"), 90);
    NEAR(mn_age_half_life_days("project_constraint"), 90);
    NEAR(mn_age_half_life_days("fact"), 90);
    NEAR(mn_age_half_life_days("skill"), 60);
    NEAR(mn_age_half_life_days("incident"), 45);
    NEAR(mn_age_half_life_days("session_summary"), 30);
    NEAR(mn_age_half_life_days("task_state"), 30);
    NEAR(mn_age_half_life_days("something else"), 90);
}

static void a_supposition_halves_in_one_half_life_and_twice_as_fast_when_nobody_recalls_it(void **state)
{
    (void)state;
    struct mn_row row = row_of("fact", MNEME_MODEL_INFERENCE, 0.8);

    NEAR(mn_age_confidence(&row, T0 - DAY), 0.8);
    NEAR(mn_age_confidence(&row, T0), 0.8);
    NEAR(mn_age_confidence(&row, T0 + 45 * DAY), 0.8 * sqrt(0.5));
    NEAR(mn_age_confidence(&row, T0 + 90 * DAY), 0.4);
    NEAR(mn_age_confidence(&row, T0 + 135 * DAY), 0.2);
    NEAR(mn_age_confidence(&row, T0 + 180 * DAY), 0.1);
}

static void a_recall_restores_to_the_base_and_no_further(void **state)
{
    (void)state;
    struct mn_row row = row_of("fact", MNEME_MODEL_INFERENCE, 0.8);

    row.confidence = 0.4; /* as the job left it: not what is computed from */
    row.last_accessed_at_ms = T0 + 100 * DAY;
    row.access_count = 50;
    NEAR(mn_age_confidence(&row, T0 + 100 * DAY), 0.8);
    NEAR(mn_age_confidence(&row, T0 + 190 * DAY), 0.4);
}

static void only_an_unconfirmed_inference_falls_below_the_limit(void **state)
{
    (void)state;
    struct mn_row stated = row_of("fact", MNEME_EXPLICIT_USER, 0.9);
    struct mn_row confirmed = row_of("fact", MNEME_MODEL_INFERENCE, 0.9);
    struct mn_row low = row_of("fact", MNEME_TOOL_OBSERVATION, 0.5);

    confirmed.memory.confirmed_at_ms = T0;
    NEAR(mn_age_confidence(&stated, T0 + 45 * DAY), 0.9 * sqrt(0.5));
    NEAR(mn_age_confidence(&stated, T0 + 900 * DAY), 0.6);
    NEAR(mn_age_confidence(&confirmed, T0 + 900 * DAY), 0.6);
    NEAR(mn_age_confidence(&low, T0 + 900 * DAY), 0.5);
    confirmed.memory.confirmed_at_ms = T0 + 900 * DAY;
    NEAR(mn_age_confidence(&confirmed, T0 + 900 * DAY), 0.9);
}

static void an_end_that_lies_ahead_beats_decay(void **state)
{
    (void)state;
    struct mn_row row = row_of("fact", MNEME_MODEL_INFERENCE, 0.8);

    row.memory.valid_until_ms = T0 + 91 * DAY;
    NEAR(mn_age_confidence(&row, T0 + 90 * DAY), 0.8);
    row.memory.valid_until_ms = T0 + 90 * DAY;
    NEAR(mn_age_confidence(&row, T0 + 90 * DAY), 0.4);
}

static void small_moves_are_not_written_but_where_they_decide(void **state)
{
    (void)state;
    assert_false(mn_age_moved(0.8, 0.79));
    assert_true(mn_age_moved(0.8, 0.78 - 1e-9));
    assert_true(mn_age_moved(0.601, 0.599));
    assert_true(mn_age_moved(0.599, 0.601));
    assert_false(mn_age_moved(0.6, 0.6));
}

static void use_raises_importance_and_neglect_lowers_it(void **state)
{
    (void)state;
    struct mn_row row = row_of("fact", MNEME_EXPLICIT_USER, 0.9);

    NEAR(mn_age_importance(&row, T0 + 89 * DAY), 0.5);
    NEAR(mn_age_importance(&row, T0 + 90 * DAY), 0.4);
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.3);
    row.memory.importance = 0.15;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.1);
    row.memory.importance = 0.05;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.05);

    row.memory.importance = 0.5;
    row.last_accessed_at_ms = T0 + 180 * DAY;
    row.used_count = 1;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.6);
    row.used_count = 3;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.7);
    row.used_count = 1000;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.8);
    row.access_count = 15;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.8);
    row.access_count = 16;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 0.85);
    row.memory.importance = 0.9;
    NEAR(mn_age_importance(&row, T0 + 180 * DAY), 1.0);
}

static void importance_is_computed_from_what_was_given(void **state)
{
    (void)state;
    struct mn_row row = row_of("fact", MNEME_EXPLICIT_USER, 0.9);

    row.memory.importance = 0.7; /* as a review left it */
    row.importance_base = 0.5;
    row.used_count = 3;
    NEAR(mn_age_importance(&row, T0), 0.7);
    row.used_count = 0;
    NEAR(mn_age_importance(&row, T0), 0.5);
}

static void what_is_of_high_risk_is_not_lowered(void **state)
{
    (void)state;
    struct mn_row row = row_of("fact", MNEME_EXPLICIT_ADMIN, 0.9);

    NEAR(mn_age_importance(&row, T0 + 900 * DAY), 0.5);
    row.memory.authority = MNEME_EXPLICIT_USER;
    row.memory.risk = MNEME_RISK_HIGH;
    NEAR(mn_age_importance(&row, T0 + 900 * DAY), 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_lives_lie_between_thirty_and_ninety_days),
        cmocka_unit_test(
            a_supposition_halves_in_one_half_life_and_twice_as_fast_when_nobody_recalls_it),
        cmocka_unit_test(a_recall_restores_to_the_base_and_no_further),
        cmocka_unit_test(only_an_unconfirmed_inference_falls_below_the_limit),
        cmocka_unit_test(an_end_that_lies_ahead_beats_decay),
        cmocka_unit_test(small_moves_are_not_written_but_where_they_decide),
        cmocka_unit_test(use_raises_importance_and_neglect_lowers_it),
        cmocka_unit_test(importance_is_computed_from_what_was_given),
        cmocka_unit_test(what_is_of_high_risk_is_not_lowered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
