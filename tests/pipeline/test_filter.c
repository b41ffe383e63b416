/*
 * test_filter.c - the second wall, by literals: every hard rule, replaced memories, the mode's
 * types. What the rules are is tested in test_memory_access; here, that they are asked, counted and
 * named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "retrieve/stages.h"

#define NOW_MS INT64_C(1792000000000)
#define ITEMS_MAX 16

/* A request of ann's in hybrid mode, its candidates, and its trace. */
struct scene {
    struct mn_arena *arena;
    struct mn_access access;
    struct mn_plan plan;
    struct mn_candidate item[ITEMS_MAX];
    struct mn_candidates found;
    struct mn_trace trace;
};

static void scene_init(struct scene *scene)
{
    struct mneme_identity identity = { .tenant_id = "t", .user_id = "ann", .project_id = "p" };

    *scene = (struct scene){ .arena = mn_arena_new(1 << 20) };
    assert_int_equal(mn_access_make(&identity, NOW_MS, 0, &scene->access, NULL), MNEME_OK);
    scene->plan.asked = mn_types_of_mode(MNEME_MODE_HYBRID);
    scene->found.item = scene->item;
    scene->trace.arena = scene->arena;
}

static void scene_release(struct scene *scene)
{
    mn_arena_free(scene->arena);
}
#define SCENE_AUTO MN_CLEANUP(scene_release) struct scene

static struct mneme_memory memory_of(const char *id)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;

    memory.id = id;
    memory.tenant_id = "t";
    memory.user_id = "ann";
    memory.agent_id = "";
    memory.scope_kind = MNEME_SCOPE_PROJECT;
    memory.scope_id = "p";
    memory.type = "fact";
    memory.content = "text";
    memory.authority = MNEME_EXPLICIT_USER;
    memory.confidence = 0.9;
    memory.sensitivity = MNEME_INTERNAL;
    memory.status = MNEME_ACTIVE;
    memory.version = 1;
    memory.created_at_ms = 1000;
    memory.updated_at_ms = 1000;
    memory.requires_permission = "";
    memory.supersedes = "";
    return memory;
}

static struct mn_candidate *add(struct scene *scene, const struct mneme_memory *memory)
{
    struct mn_candidate *c = &scene->item[scene->found.count++];

    assert_true(scene->found.count <= ITEMS_MAX);
    *c = (struct mn_candidate){ .memory = memory, .confidence = memory->confidence };
    return c;
}

static void apply(struct scene *scene, const struct mneme_memory *const *successors, size_t count)
{
    mn_filter_apply(&scene->access, &scene->plan, successors, count, &scene->found, &scene->trace);
}

static void assert_kept(const struct scene *scene, const char *ids)
{
    char kept[256] = "";

    for (size_t i = 0; i < scene->found.count; i++) {
        strcat(kept, scene->found.item[i].memory->id);
        strcat(kept, " ");
    }
    assert_string_equal(kept, ids);
    assert_int_equal(scene->trace.eligible_count, scene->found.count);
}

static enum mn_reason reason_of(const struct scene *scene, const char *id)
{
    for (size_t i = 0; i < scene->trace.rejections.count; i++) {
        const struct mn_rejection *r = &scene->trace.rejections.item[i];

        if (strcmp(r->candidate.memory->id, id) == 0) {
            assert_int_equal(r->stage, MN_STAGE_FILTER);
            return r->reason;
        }
    }
    return MN_REASON_NONE;
}

static void every_hard_rule_has_its_reason_and_the_order_stays(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory memories[12];
    static const enum mn_reason expected[12] = {
        MN_REASON_NONE,        MN_REASON_OTHER_TENANT,  MN_REASON_OTHER_USER,
        MN_REASON_OTHER_AGENT, MN_REASON_OUT_OF_SCOPE,  MN_REASON_PERMISSION,
        MN_REASON_SENSITIVITY, MN_REASON_NOT_YET_VALID, MN_REASON_EXPIRED,
        MN_REASON_REVOKED,     MN_REASON_DEPRECATED,    MN_REASON_NONE,
    };
    static const char *const ids[12] = {
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"
    };

    (void)state;
    scene_init(&scene);
    for (size_t i = 0; i < 12; i++)
        memories[i] = memory_of(ids[i]);
    memories[1].tenant_id = "t2";
    memories[2].user_id = "bob";
    memories[3].agent_id = "other";
    memories[4].scope_id = "p2";
    memories[5].requires_permission = "billing";
    memories[6].sensitivity = MNEME_CONFIDENTIAL;
    memories[7].valid_from_ms = NOW_MS + 1;
    memories[8].valid_until_ms = NOW_MS;
    memories[9].status = MNEME_REVOKED;
    memories[10].status = MNEME_DEPRECATED;
    for (size_t i = 0; i < 12; i++)
        add(&scene, &memories[i]);
    apply(&scene, NULL, 0);
    assert_kept(&scene, "a l ");
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(reason_of(&scene, ids[i]), expected[i]);
    /* Tenant, user, agent, scope, permission, clearance: the first wall should have held these. */
    assert_int_equal(scene.trace.first_wall_leaks, 6);
    assert_int_equal(scene.trace.reason_count[MN_REASON_EXPIRED], 1);
}

static void the_limits_of_validity_and_confidence_are_inside(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory from = memory_of("from");
    struct mneme_memory until = memory_of("until");
    struct mneme_memory low = memory_of("low");
    struct mneme_memory enough = memory_of("enough");

    (void)state;
    scene_init(&scene);
    from.valid_from_ms = NOW_MS;
    until.valid_until_ms = NOW_MS + 1;
    add(&scene, &from);
    add(&scene, &until);
    add(&scene, &low)->confidence = 0.59; /* as usage has it; the row still says 0.9 */
    add(&scene, &enough)->confidence = 0.60;
    apply(&scene, NULL, 0);
    assert_kept(&scene, "from until enough ");
    assert_int_equal(reason_of(&scene, "low"), MN_REASON_LOW_CONFIDENCE);
    assert_int_equal(scene.trace.first_wall_leaks, 0);
}

static void a_candidate_is_hidden_by_a_candidate_that_replaces_it(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory a = memory_of("a");
    struct mneme_memory b = memory_of("b");
    struct mneme_memory c = memory_of("c");

    (void)state;
    scene_init(&scene);
    b.supersedes = "a";
    c.supersedes = "b";
    add(&scene, &c);
    add(&scene, &b); /* rejected before a is looked at, and hides it all the same */
    add(&scene, &a);
    apply(&scene, NULL, 0);
    assert_kept(&scene, "c ");
    assert_int_equal(reason_of(&scene, "a"), MN_REASON_SUPERSEDED);
    assert_int_equal(reason_of(&scene, "b"), MN_REASON_SUPERSEDED);
    assert_string_equal(scene.trace.rejections.item[0].by, "c");
}

static void only_a_successor_the_identity_may_see_hides(void **state)
{
    struct {
        const char *tenant, *user;
        enum mneme_sensitivity sensitivity;
        int64_t valid_from_ms;
        bool hides;
    } cases[] = {
        { "t", "ann", MNEME_INTERNAL, 0, true },
        { "t", "ann", MNEME_SECRET, 0, false },
        { "t", "ann", MNEME_INTERNAL, NOW_MS + 1, false },
        { "t", "", MNEME_INTERNAL, 0, false }, /* of another owner: the shared partition */
        { "t", "bob", MNEME_INTERNAL, 0, false },
        { "t2", "ann", MNEME_INTERNAL, 0, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCENE_AUTO scene;
        struct mneme_memory a = memory_of("a");
        struct mneme_memory b = memory_of("b");
        const struct mneme_memory *successors[] = { &b };

        scene_init(&scene);
        b.supersedes = "a";
        b.tenant_id = cases[i].tenant;
        b.user_id = cases[i].user;
        b.sensitivity = cases[i].sensitivity;
        b.valid_from_ms = cases[i].valid_from_ms;
        add(&scene, &a);
        apply(&scene, successors, 1);
        assert_kept(&scene, cases[i].hides ? "" : "a ");
    }
}

static void a_row_marked_superseded_is_out_though_its_successor_is_hidden(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory a = memory_of("a");

    (void)state;
    scene_init(&scene);
    a.status = MNEME_SUPERSEDED;
    add(&scene, &a);
    apply(&scene, NULL, 0);
    assert_kept(&scene, "");
    assert_int_equal(reason_of(&scene, "a"), MN_REASON_SUPERSEDED);
}

static void a_memory_does_not_replace_itself(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory a = memory_of("a");
    struct mneme_memory again = memory_of("a");
    const struct mneme_memory *successors[] = { &again };

    (void)state;
    scene_init(&scene);
    a.supersedes = "a";
    again.supersedes = "a";
    add(&scene, &a);
    apply(&scene, successors, 1);
    assert_kept(&scene, "a ");
}

static void types_the_mode_does_not_ask_for_stay_out_unless_forced(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory fact = memory_of("fact");
    struct mneme_memory rule = memory_of("rule");
    struct mneme_memory forced = memory_of("forced");
    struct mneme_memory foreign = memory_of("foreign");

    (void)state;
    scene_init(&scene);
    scene.plan.asked = mn_types_of_mode(MNEME_MODE_STRUCTURED_ONLY);
    rule.type = "repository_rule";
    foreign.user_id = "bob";
    add(&scene, &fact);
    add(&scene, &rule);
    add(&scene, &forced)->forced = true;
    add(&scene, &foreign)->forced = true; /* forced, and still not hers */
    apply(&scene, NULL, 0);
    assert_kept(&scene, "rule forced ");
    assert_int_equal(reason_of(&scene, "fact"), MN_REASON_MODE);
    assert_int_equal(reason_of(&scene, "foreign"), MN_REASON_OTHER_USER);
}

static void a_trace_without_an_arena_still_counts(void **state)
{
    SCENE_AUTO scene;
    struct mneme_memory theirs = memory_of("theirs");

    (void)state;
    scene_init(&scene);
    scene.trace.arena = NULL;
    theirs.user_id = "bob";
    add(&scene, &theirs);
    apply(&scene, NULL, 0);
    assert_kept(&scene, "");
    assert_int_equal(scene.trace.reason_count[MN_REASON_OTHER_USER], 1);
    assert_int_equal(scene.trace.first_wall_leaks, 1);
    assert_int_equal(scene.trace.rejections.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hard_rule_has_its_reason_and_the_order_stays),
        cmocka_unit_test(the_limits_of_validity_and_confidence_are_inside),
        cmocka_unit_test(a_candidate_is_hidden_by_a_candidate_that_replaces_it),
        cmocka_unit_test(only_a_successor_the_identity_may_see_hides),
        cmocka_unit_test(a_row_marked_superseded_is_out_though_its_successor_is_hidden),
        cmocka_unit_test(a_memory_does_not_replace_itself),
        cmocka_unit_test(types_the_mode_does_not_ask_for_stay_out_unless_forced),
        cmocka_unit_test(a_trace_without_an_arena_still_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
