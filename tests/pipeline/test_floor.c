/*
 * test_floor.c - what is worth showing at all, at the limits and one past them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <mneme/error.h>

#include "fakes/candidates.h"
#include "retrieve/floor.h"

struct setting {
    struct mneme_request request;
    struct mn_access access;
    struct mn_plan plan;
    struct mn_model_profile profile;
    enum mn_reason reason; /* of the last answer that was no */
    const char *why;       /* of the last that was yes */
};

static int set_up(void **state)
{
    static struct setting s;

    s = (struct setting){
        .request = MNEME_REQUEST_INIT,
        .access = { .tenant = "t",
                    .user = "ann",
                    .agent = "",
                    .session = "s",
                    .task = "job",
                    .project = "p",
                    .repository = "r",
                    .clearance = MNEME_INTERNAL,
                    .at_ms = NOW_MS },
        .plan = { .folded = "",
                  .search_text = "",
                  .language = MN_LANGUAGE_EN,
                  .zone = "",
                  .intent = "",
                  .depth = 30,
                  .asked = mn_types_of_mode(MNEME_MODE_HYBRID) },
        .profile = { .floor_question = 0.25f, .floor_statement = 0.15f, .floor_text_only = 0.2f },
    };
    *state = &s;
    return 0;
}

static bool passes(struct setting *s, const struct mn_candidate *c)
{
    const char *why = NULL;
    enum mn_reason reason = MN_REASON_NONE;
    bool yes = mn_floor_passes(&s->request, &s->access, &s->plan, &s->profile, c, &reason, &why);

    assert_int_equal(yes, why != NULL);
    assert_int_equal(yes, reason == MN_REASON_NONE);
    s->reason = reason;
    s->why = why;
    return yes;
}

static bool bears(const struct setting *s, const struct mn_candidate *c)
{
    return mn_floor_bears(&s->request, &s->access, &s->plan, &s->profile, c);
}

static void what_similarity_brought_passes_at_the_floor_and_not_below(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "fact", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    c.has_vector = true;
    c.raw_relevance = 0.25;
    assert_true(passes(s, &c));
    c.raw_relevance = 0.2499;
    assert_false(passes(s, &c));
    assert_int_equal(s->reason, MN_REASON_FLOOR);
    s->plan.is_statement = true;
    assert_true(passes(s, &c));
    c.raw_relevance = 0.15;
    assert_true(passes(s, &c));
    c.raw_relevance = 0.1499;
    assert_false(passes(s, &c));
    c.has_vector = false;
    c.text = 0.2;
    assert_true(passes(s, &c));
    c.text = 0.1999;
    assert_false(passes(s, &c));
}

static void a_forced_memory_passes_whatever_it_is_like(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "fact", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    assert_false(passes(s, &c));
    c.forced = true;
    assert_true(passes(s, &c));
    assert_string_equal(s->why, "is brought by a rule whose trigger fired");
}

static void the_state_of_the_task_at_hand_passes(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "task_state", "Half done.");
    struct mn_candidate c = a_candidate(&m);

    m.scope_kind = MNEME_SCOPE_TASK;
    m.scope_id = "job";
    assert_true(passes(s, &c));
    m.scope_id = "jobs";
    assert_false(passes(s, &c));
    c.is_checkpoint = true;
    assert_true(passes(s, &c));
}

static void constraints_of_what_is_stated_always_pass_and_wider_ones_do_not(void **state)
{
    static const struct {
        enum mneme_scope scope;
        const char *id;
        bool passes;
    } row[] = {
        { MNEME_SCOPE_TASK, "job", true },    { MNEME_SCOPE_SESSION, "s", true },
        { MNEME_SCOPE_REPO, "r", true },      { MNEME_SCOPE_PROJECT, "p", true },
        { MNEME_SCOPE_PROJECT, "p2", false }, { MNEME_SCOPE_USER, "ann", false },
        { MNEME_SCOPE_GLOBAL, "", false },
    };
    static const char *const type[] = { "project_constraint", "repository_rule" };
    struct setting *s = *state;

    for (size_t i = 0; i < sizeof row / sizeof row[0] * 2; i++) {
        struct mneme_memory m = a_memory("m-a", type[i % 2], "Alpha.");
        struct mn_candidate c = a_candidate(&m);

        m.scope_kind = row[i / 2].scope;
        m.scope_id = row[i / 2].id;
        assert_int_equal(passes(s, &c), row[i / 2].passes);
        assert_int_equal(bears(s, &c), row[i / 2].passes);
        c.suspicious = true; /* has no such privilege */
        assert_false(passes(s, &c));
        m.type = "user_preference";
        c.suspicious = false;
        assert_false(passes(s, &c));
    }
}

static void a_preference_passes_by_the_plan_when_its_type_is_wanted_and_something_is_met(
    void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "user_preference", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    c.overlap = 0.01;
    assert_false(passes(s, &c));
    s->plan.wanted = MN_TYPE_BIT(mn_type_find("user_preference"));
    assert_true(passes(s, &c));
    assert_true(bears(s, &c));
    c.overlap = 0;
    assert_false(passes(s, &c));
    c.coverage = 0.1;
    assert_true(passes(s, &c));
    c.coverage = 0.0999;
    assert_false(passes(s, &c));
    m.type = "fact"; /* is found by similarity, and so needs it */
    s->plan.wanted = MN_TYPE_BIT(mn_type_find("fact"));
    c.overlap = 1;
    assert_false(passes(s, &c));
}

static void a_cue_to_the_user_s_ways_lets_preferences_pass_and_asks_nothing(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "user_preference", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    s->plan.own_ways = true;
    assert_true(passes(s, &c));
    assert_false(bears(s, &c));
    m.type = "project_constraint";
    assert_false(passes(s, &c));
}

static void where_only_structured_types_are_asked_for_they_pass_as_such(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "user_preference", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    s->plan.asked = mn_types_of_mode(MNEME_MODE_STRUCTURED_ONLY);
    assert_true(passes(s, &c));
    assert_false(bears(s, &c));
    m.type = "fact"; /* came with its key */
    assert_false(passes(s, &c));
    m.type = "user_preference";
    s->plan.asked |= MN_TYPE_BIT(mn_type_find("fact"));
    assert_false(passes(s, &c));
    s->plan.asked = 0;
    assert_false(passes(s, &c));
}

static void what_happened_in_the_time_asked_for_passes_when_its_type_is_wanted(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "incident", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    s->plan.wanted = MN_TYPE_BIT(mn_type_find("incident"));
    s->plan.when =
        (struct mn_when){ .found = true, .from_ms = NOW_MS - DAY_MS, .until_ms = NOW_MS };
    m.event_time_ms = NOW_MS - DAY_MS;
    assert_true(passes(s, &c));
    m.event_time_ms = NOW_MS - DAY_MS - 1;
    assert_false(passes(s, &c));
    m.event_time_ms = NOW_MS - 1;
    assert_true(passes(s, &c));
    c.suspicious = true;
    assert_false(passes(s, &c));
    c.suspicious = false;
    s->plan.wanted = 0;
    assert_false(passes(s, &c));
    s->plan.wanted = MN_TYPE_BIT(mn_type_find("incident"));
    m.event_time_ms = NOW_MS;
    assert_false(passes(s, &c));
    m.event_time_ms = 0;
    s->plan.when.from_ms = -1;
    assert_false(passes(s, &c));
}

static void what_only_the_graph_brought_needs_a_path(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "fact", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    c.found[MN_SOURCE_GRAPH].rank = 1;
    c.path_confidence = 0.4;
    assert_true(passes(s, &c));
    assert_true(bears(s, &c));
    c.path_confidence = 0.3999;
    assert_false(passes(s, &c));
    assert_int_equal(s->reason, MN_REASON_PATH);
    c.found[MN_SOURCE_TEXT].rank = 200; /* another one brought it too: then it is not close */
    assert_false(passes(s, &c));
    assert_int_equal(s->reason, MN_REASON_FLOOR);
    c.text = 0.2;
    assert_true(passes(s, &c));
}

static void the_group_of_a_key_and_limits_that_are_off_let_pass(void **state)
{
    struct setting *s = *state;
    struct mneme_memory m = a_memory("m-a", "fact", "Alpha.");
    struct mn_candidate c = a_candidate(&m);

    c.key_passes = true;
    assert_true(passes(s, &c));
    c.key_passes = false;
    s->request.without_limits = 1;
    assert_true(passes(s, &c));
    assert_string_equal(s->why, "comes in because limits are off");
    assert_false(bears(s, &c));
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_similarity_brought_passes_at_the_floor_and_not_below),
        TEST(a_forced_memory_passes_whatever_it_is_like),
        TEST(the_state_of_the_task_at_hand_passes),
        TEST(constraints_of_what_is_stated_always_pass_and_wider_ones_do_not),
        TEST(a_preference_passes_by_the_plan_when_its_type_is_wanted_and_something_is_met),
        TEST(a_cue_to_the_user_s_ways_lets_preferences_pass_and_asks_nothing),
        TEST(where_only_structured_types_are_asked_for_they_pass_as_such),
        TEST(what_happened_in_the_time_asked_for_passes_when_its_type_is_wanted),
        TEST(what_only_the_graph_brought_needs_a_path),
        TEST(the_group_of_a_key_and_limits_that_are_off_let_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
