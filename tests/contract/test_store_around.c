/*
 * test_store_around.c - what stands around memories: usage, events, rules, checkpoints, edges.
 */
#include "contract/store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

/* ---- usage ---- */

static void usage_stands_beside_the_row(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mneme_usage usage = { .tenant_id = "t",
                                 .memory_id = "m",
                                 .last_accessed_at_ms = 50,
                                 .access_count = 3,
                                 .used_count = 1,
                                 .confidence = -1.0 };
    struct mn_write replace = { .kind = MN_WRITE_USAGE, .usage = &usage };
    struct mn_write add = { .kind = MN_WRITE_USAGE_ADD, .usage = &usage };
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");
    struct mn_written written = { 0 };
    struct mn_row got;

    row->memory_key = "k";
    assert_int_equal(fixture_commit_one(f, replace, T0, NULL), MNEME_INVALID);
    assert_string_equal(f->err.field, "memory_id");
    ASSERT_OK(
        fixture_commit_one(f, add, T0, &written)); /* buffered, and meanwhile the row was erased */
    assert_true(written.unchanged);

    fixture_put(f, row);
    ASSERT_OK(fixture_commit_one(f, replace, T0, NULL));
    usage.last_accessed_at_ms = 40;
    ASSERT_OK(fixture_commit_one(f, add, T0, NULL));
    got = fixture_get(f, "t", "ann", "m");
    assert_int_equal(got.access_count, 6);
    assert_int_equal(got.used_count, 2);
    assert_int_equal(got.last_accessed_at_ms, 50);
    assert_true(got.confidence == row->confidence);
    assert_int_equal(fixture_by_key(f, &ann, "k").count, 1);

    usage.confidence = 0.59;
    ASSERT_OK(fixture_commit_one(f, replace, T0, NULL));
    got = fixture_get(f, "t", "ann", "m");
    assert_true(got.confidence == 0.59);
    assert_true(got.memory.confidence == row->confidence);
    assert_int_equal(got.access_count, 3);
    assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);
    assert_int_equal(got.memory.revision, 1);
    assert_int_equal(fixture_history_count(f, "ann", "m"), 0);
    assert_int_equal(fixture_all_changes(f).count, 2); /* indexes hold the confidence */
    ASSERT_OK(fixture_commit_one(f, replace, T0, NULL));
    assert_int_equal(fixture_all_changes(f).count, 2);

    row->confirmed_at_ms = T0; /* somebody said that it is right: nothing computed before holds */
    ASSERT_OK(fixture_try_put(f, row, MN_REVISION_ANY));
    got = fixture_get(f, "t", "ann", "m");
    assert_true(got.confidence == row->confidence);
    assert_int_equal(got.access_count, 3);
}

static void the_importance_before_a_review_is_kept_until_somebody_gives_another(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");
    const struct mn_review review = { "t", "m", 0.5 };
    const struct mn_review gone = { "t", "gone", 0.5 };
    struct mn_write kept = { .kind = MN_WRITE_REVIEW, .review = &review };
    struct mn_write lost = { .kind = MN_WRITE_REVIEW, .review = &gone };
    struct mn_write edit = { .kind = MN_WRITE_MEMORY,
                             .expected_revision = MN_REVISION_ANY,
                             .memory = row };
    struct mn_commit_result result = { 0 };
    struct mn_written written = { 0 };

    ASSERT_OK(fixture_commit_one(f, lost, T0, &written));
    assert_true(written.unchanged);
    row->importance = 0.5;
    fixture_put(f, row);
    assert_true(fixture_get(f, "t", "ann", "m").importance_base < 0);
    row->importance = 0.75;
    ASSERT_OK(fixture_commit_two(f, kept, edit, &result)); /* the row's own write comes first */
    assert_true(fixture_get(f, "t", "ann", "m").importance_base == 0.5);
    row->title = "another";
    ASSERT_OK(fixture_try_put(f, row, MN_REVISION_ANY));
    assert_true(fixture_get(f, "t", "ann", "m").importance_base == 0.5);
    row->importance = 0.25;
    ASSERT_OK(fixture_try_put(f, row, MN_REVISION_ANY));
    assert_true(fixture_get(f, "t", "ann", "m").importance_base < 0);
}

/* ---- jobs ---- */

static void a_job_is_moved_by_who_read_it_last(void **state)
{
    struct fixture *f = *state;
    struct mn_job_row row = { .name = "walk", .due_at_ms = 5, .tenant = "t", .owner = "ann",
                              .id = "m" };
    const struct mn_write write = { .kind = MN_WRITE_JOB, .job = &row };
    struct mn_job_rows rows = { 0 };

    ASSERT_OK(fixture_commit_one(f, write, T0, NULL));
    assert_int_equal(fixture_commit_one(f, write, T0, NULL), MNEME_CONFLICT);
    row.revision = 1;
    row.looked = 7;
    ASSERT_OK(fixture_commit_one(f, write, T0, NULL));
    assert_int_equal(fixture_commit_one(f, write, T0, NULL), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "revision");
    ASSERT_OK(f->store->ops->jobs(f->store, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.item[0].revision, 2);
    assert_int_equal(rows.item[0].looked, 7);
    assert_int_equal(rows.item[0].due_at_ms, 5);
    assert_string_equal(rows.item[0].id, "m");
}

static void active_memories_are_walked_over_in_order_and_those_that_ended_found(void **state)
{
    struct fixture *f = *state;
    struct mn_unit_place after = { false, "", "", "" };
    struct mneme_memory *ending = fixture_memory_of(f, "t", "ann", "a-2", "ends");
    struct mneme_memory *gone = fixture_memory_of(f, "t", "ann", "a-3", "gone");
    struct mn_rows rows = { 0 };

    ending->valid_until_ms = 100;
    gone->valid_until_ms = 100;
    gone->status = MNEME_DELETED;
    fixture_put(f, fixture_memory_of(f, "t2", "ann", "a-1", "another tenant's"));
    fixture_put(f, fixture_memory_of(f, "t", "bob", "a-0", "bob's"));
    fixture_put(f, ending);
    fixture_put(f, gone);
    ASSERT_OK(f->store->ops->memories_after(f->store, &after, 2, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.item[0].memory.id, "a-2");
    assert_string_equal(rows.item[1].memory.id, "a-0");
    after = (struct mn_unit_place){ false, "t", "bob", "a-0" };
    ASSERT_OK(f->store->ops->memories_after(f->store, &after, 2, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.tenant_id, "t2");
    ASSERT_OK(f->store->ops->memories_ended(f->store, 99, 9, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 0);
    ASSERT_OK(f->store->ops->memories_ended(f->store, 100, 9, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.id, "a-2");
}

/* ---- sessions ---- */

static void a_session_is_wanted_until_it_is_drawn_from(void **state)
{
    struct fixture *f = *state;
    const struct mn_partition ann = { "t", "ann" };
    struct mn_session_wanted wanted = { .idle_since_ms = T0 - 1, .turns_max = 2 };
    struct mn_session_wanted kept = { .kept = true };
    struct mn_task_states states = { 0 };
    struct mn_sessions found = { 0 };
    struct mn_session session = { 0 };

    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-1", "s", "one"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-2", "s", "two"), NULL));
    ASSERT_OK(f->store->ops->sessions_wanted(f->store, &wanted, 9, f->arena, &found, &f->err));
    assert_int_equal(found.count, 0);
    wanted.idle_since_ms = T0;
    ASSERT_OK(f->store->ops->sessions_wanted(f->store, &wanted, 9, f->arena, &found, &f->err));
    assert_int_equal(found.count, 1);
    wanted.idle_since_ms = 0;
    wanted.turns_max = 1;
    ASSERT_OK(f->store->ops->sessions_wanted(f->store, &wanted, 9, f->arena, &found, &f->err));
    assert_int_equal(found.count, 1);
    session = found.item[0];
    assert_int_equal(session.event_count, 2);
    assert_int_equal(session.last_place, 1);
    assert_int_equal(session.recorded_at_ms, T0);
    assert_int_equal(session.compressed_place, -1);

    struct mn_session_move move = { .was = &session, .now = session };
    move.now.compressed_place = 1;
    move.now.compressed_count = 2;
    ASSERT_OK(fixture_commit_one(
        f, (struct mn_write){ .kind = MN_WRITE_SESSION, .session = &move }, T0, NULL));
    assert_int_equal(fixture_commit_one(
                         f, (struct mn_write){ .kind = MN_WRITE_SESSION, .session = &move }, T0,
                         NULL),
                     MNEME_CONFLICT);
    wanted.idle_since_ms = T0;
    ASSERT_OK(f->store->ops->sessions_wanted(f->store, &wanted, 9, f->arena, &found, &f->err));
    assert_int_equal(found.count, 0);
    ASSERT_OK(f->store->ops->sessions_wanted(f->store, &kept, 9, f->arena, &found, &f->err));
    assert_int_equal(found.count, 1);

    ASSERT_OK(fixture_put_state(f, "ann", "s", "{}", 10, NULL));
    ASSERT_OK(f->store->ops->session_get(f->store, ann, "s", f->arena, &session, &states, &f->err));
    assert_int_equal(session.compressed_place, 1);
    assert_int_equal(states.count, 1);
    assert_int_equal(states.revision[0], 1);
    assert_int_equal(f->store->ops->session_get(f->store, ann, "none", f->arena, &session, &states,
                                                &f->err),
                     MNEME_NOT_FOUND);
}

/* ---- events ---- */

static void events_take_their_place_in_the_session(void **state)
{
    struct fixture *f = *state;
    struct mn_written written = { 0 };
    struct mn_units units = { 0 };
    struct mneme_event *event = fixture_event_of(f, "t", "ann", "e-5", "s", "fifth");

    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-1", "s", "one"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-2", "s", "two"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-3", "other", "three"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "bob", "e-4", "s", "four"), NULL));
    event->order = 10;
    ASSERT_OK(fixture_put_event(f, event, NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-6", "s", "six"), NULL));

    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-1", "s", "one"), &written));
    assert_true(written.unchanged);
    assert_int_equal(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-1", "s", "else"),
                                       NULL),
                     MNEME_CONFLICT);
    assert_string_equal(f->err.field, "id");

    ASSERT_OK(f->store->ops->units_scan(f->store, (struct mn_partition){ "t", "ann" }, "", 100, "",
                                        f->arena, &units, &f->err));
    assert_int_equal(units.count, 5);
    assert_int_equal(units.item[0].order, 0);
    assert_int_equal(units.item[1].order, 1);
    assert_int_equal(units.item[2].order, 0);
    assert_int_equal(units.item[3].order, 10);
    assert_int_equal(units.item[4].order, 11);
    assert_true(units.item[0].is_event);
    assert_string_equal(units.item[0].speaker, "Ann");
    assert_string_equal(units.item[0].session_id, "s");
    assert_string_equal(units.item[0].memory.type, "event");
    assert_string_equal(units.item[0].memory.content, "one");
}

static void turns_of_a_session_are_read_in_their_order(void **state)
{
    struct fixture *f = *state;
    const struct mn_partition ann = { "t", "ann" };
    struct mn_event_place after = { -1, "" };
    struct mn_events events = { 0 };
    struct mneme_event *late = fixture_event_of(f, "t", "ann", "e-1", "s", "at five as well");
    struct mneme_event *fifth = fixture_event_of(f, "t", "ann", "e-9", "s", "at five");

    late->order = fifth->order = 5;
    fifth->role = "assistant";
    ASSERT_OK(fixture_put_event(f, fifth, NULL));
    ASSERT_OK(fixture_put_event(f, late, NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-2", "s", "at six"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e-3", "s-2", "other"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "bob", "e-4", "s", "bob's"), NULL));

    ASSERT_OK(f->store->ops->session_events(f->store, ann, "s", after, 2, f->arena, &events,
                                            &f->err));
    assert_int_equal(events.count, 2);
    assert_string_equal(events.item[0].id, "e-1");
    assert_string_equal(events.item[1].id, "e-9");
    assert_string_equal(events.item[1].role, "assistant");
    after = (struct mn_event_place){ events.item[1].order, events.item[1].id };
    ASSERT_OK(f->store->ops->session_events(f->store, ann, "s", after, 2, f->arena, &events,
                                            &f->err));
    assert_int_equal(events.count, 1);
    assert_string_equal(events.item[0].text, "at six");
    assert_int_equal(events.item[0].order, 6);
    ASSERT_OK(f->store->ops->session_events(f->store, ann, "none", after, 2, f->arena, &events,
                                            &f->err));
    assert_int_equal(events.count, 0);
}

/* ---- rules ---- */

static void a_rule_belongs_to_its_memory_s_owner(void **state)
{
    struct fixture *f = *state;
    struct mneme_rule rule = { .size = sizeof rule,
                               .tenant_id = "t",
                               .memory_id = "m",
                               .trigger_type = MNEME_TRIGGER_KEYWORD,
                               .trigger_value = "deploy",
                               .priority = 5 };
    struct mneme_rule shared = rule;
    struct mn_write write = { .kind = MN_WRITE_RULE, .rule = &rule };
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_access bob = fixture_access_of("t", "bob");
    struct mn_rules rules = { 0 };
    struct mn_commit_result result = { 0 };
    struct mn_written written = { 0 };

    fixture_put(f, fixture_memory_of(f, "t2", "ann", "m", "another tenant's"));
    assert_int_equal(fixture_commit_one(f, write, T0, NULL), MNEME_INVALID);
    assert_string_equal(f->err.field, "memory_id");
    assert_int_equal(fixture_commit_two(f, write,
                                        (struct mn_write){
                                            .kind = MN_WRITE_MEMORY,
                                            .memory =
                                                fixture_memory_of(f, "t", "ann", "m", "text") },
                                        &result),
                     MNEME_OK);
    fixture_put(f, fixture_memory_of(f, "t", "", "everyone", "text"));
    shared.memory_id = "everyone";
    shared.priority = 9;
    shared.id = "r-shared";
    ASSERT_OK(fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_RULE, .rule = &shared }, T0,
                                 &written));
    assert_int_equal(written.revision, 1);

    ASSERT_OK(f->store->ops->rules_active(f->store, &ann, f->arena, &rules, &f->err));
    assert_int_equal(rules.count, 2);
    assert_string_equal(rules.item[0].memory_id, "everyone");
    assert_string_equal(rules.owner[0], "");
    assert_string_equal(rules.item[1].memory_id, "m");
    assert_string_equal(rules.item[1].trigger_value, "deploy");
    assert_string_equal(rules.owner[1], "ann");
    assert_true(rules.item[1].id[0] != '\0');
    ASSERT_OK(f->store->ops->rules_active(f->store, &bob, f->arena, &rules, &f->err));
    assert_int_equal(rules.count, 1);

    ASSERT_OK(fixture_commit_one(f, write, T0, &written));
    assert_true(written.unchanged);
    rule.id = "r-shared"; /* not to be taken over by another owner's memory */
    assert_int_equal(fixture_commit_one(f, write, T0, NULL), MNEME_CONFLICT);
    shared.disabled = 1;
    ASSERT_OK(fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_RULE, .rule = &shared }, T0,
                                 &written));
    assert_int_equal(written.revision, 2);
    assert_true(written.replaced);
    ASSERT_OK(f->store->ops->rules_active(f->store, &bob, f->arena, &rules, &f->err));
    assert_int_equal(rules.count, 0);
}

/* ---- checkpoints ---- */

static void checkpoints_come_own_session_first_then_newest(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_task_states states = { 0 };
    struct mn_written written = { 0 };

    ASSERT_OK(fixture_put_state(f, "ann", "s-1", "{\"n\":1}", 10, NULL));
    ASSERT_OK(fixture_put_state(f, "ann", "s-2", "{\"n\":2}", 30, NULL));
    ASSERT_OK(fixture_put_state(f, "ann", "s-3", "{\"n\":3}", 20, NULL));
    ASSERT_OK(fixture_put_state(f, "bob", "s-1", "{\"n\":4}", 40, NULL));
    ASSERT_OK(f->store->ops->task_states(f->store, &ann, f->arena, &states, &f->err));
    assert_int_equal(states.count, 0);
    ann.task = "task";
    ann.session = "s-1";
    ASSERT_OK(f->store->ops->task_states(f->store, &ann, f->arena, &states, &f->err));
    assert_int_equal(states.count, 3);
    assert_string_equal(states.item[0].state, "{\"n\":1}");
    assert_string_equal(states.item[1].state, "{\"n\":2}");
    assert_string_equal(states.item[2].state, "{\"n\":3}");
    ann.session = "";
    ASSERT_OK(f->store->ops->task_states(f->store, &ann, f->arena, &states, &f->err));
    assert_string_equal(states.item[0].state, "{\"n\":2}");

    ASSERT_OK(fixture_put_state(f, "ann", "s-1", "{\"n\":1}", 10, &written));
    assert_true(written.unchanged);
    ASSERT_OK(fixture_put_state(f, "ann", "s-1", "{\"n\":1}", 50, &written));
    assert_int_equal(written.revision, 2);
    ASSERT_OK(f->store->ops->task_states(f->store, &ann, f->arena, &states, &f->err));
    assert_int_equal(states.item[0].updated_at_ms, 50);
}

/* ---- edges ---- */

static void edges_keep_the_names_of_their_ends(void **state)
{
    struct fixture *f = *state;
    static const char *const first[] = { "GPU", "显卡" };
    static const char *const second[] = { "显卡", "graphics card" };
    static const char *const source[] = { "mem-1" };
    struct mneme_edge edge = MNEME_EDGE_INIT;
    struct mn_write write = { .kind = MN_WRITE_EDGE, .edge = &edge };
    struct mn_partition shared = { "t", "" };
    struct mn_partition ann = { "t", "ann" };
    struct mn_edges edges = { 0 };
    struct mn_written written = { 0 };

    edge.tenant_id = "t";
    edge.source = "Docker";
    edge.relation = "has_issue";
    edge.target = "gpu";
    edge.target_aliases = (struct mneme_list){ first, 2 };
    edge.provenance = (struct mneme_list){ source, 1 };
    ASSERT_OK(fixture_commit_one(f, write, T0, &written));
    assert_int_equal(written.revision, 1);
    ASSERT_OK(fixture_commit_one(f, write, T0, &written));
    assert_true(written.unchanged);
    edge.target_aliases = (struct mneme_list){ second, 2 };
    ASSERT_OK(fixture_commit_one(f, write, T0, &written));
    assert_int_equal(written.revision, 2);

    ASSERT_OK(f->store->ops->edges(f->store, shared, false, f->arena, &edges, &f->err));
    assert_int_equal(edges.count, 1);
    assert_true(edges.item[0].id[0] != '\0');
    assert_string_equal(edges.item[0].source, "Docker");
    assert_int_equal(edges.item[0].source_aliases.count, 0);
    assert_int_equal(edges.item[0].target_aliases.count, 3);
    assert_string_equal(edges.item[0].target_aliases.item[2], "graphics card");
    assert_true(edges.item[0].confidence == 1.0);
    assert_string_equal(edges.item[0].provenance.item[0], "mem-1");
    ASSERT_OK(f->store->ops->edges(f->store, ann, false, f->arena, &edges, &f->err));
    assert_int_equal(edges.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(usage_stands_beside_the_row),
        CASE(the_importance_before_a_review_is_kept_until_somebody_gives_another),
        CASE(a_job_is_moved_by_who_read_it_last),
        CASE(active_memories_are_walked_over_in_order_and_those_that_ended_found),
        CASE(a_session_is_wanted_until_it_is_drawn_from),
        CASE(events_take_their_place_in_the_session),
        CASE(turns_of_a_session_are_read_in_their_order),
        CASE(a_rule_belongs_to_its_memory_s_owner),
        CASE(checkpoints_come_own_session_first_then_newest),
        CASE(edges_keep_the_names_of_their_ends),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
