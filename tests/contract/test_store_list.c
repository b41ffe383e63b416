/*
 * test_store_list.c - the whole: lists, traces, limits, threads.
 */
#include "contract/store_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

/* ---- lists, traces ---- */

struct seen {
    char text[4096]; /* "memory:id " ... */
    size_t count;
    size_t stop_after;
    const char *last;
    char last_id[64];
    bool in_order;
    int64_t access_count;
};

static int see(void *context, const struct mneme_record *record)
{
    struct seen *seen = context;
    const char *id = "";

    if (record->kind == MNEME_RECORD_MEMORY) {
        id = record->memory->id;
        seen->in_order = seen->in_order && strcmp(seen->last_id, id) < 0;
        (void)snprintf(seen->last_id, sizeof seen->last_id, "%s", id);
        if (record->usage)
            seen->access_count += record->usage->access_count;
    } else if (record->kind == MNEME_RECORD_EVENT) {
        id = record->event->id;
    } else if (record->kind == MNEME_RECORD_RULE) {
        id = record->rule->id;
    } else if (record->kind == MNEME_RECORD_TASK_STATE) {
        id = record->task_state->task_id;
    } else if (record->kind == MNEME_RECORD_EDGE) {
        id = record->edge->source;
    }
    if (seen->count < 40)
        (void)snprintf(seen->text + strlen(seen->text), sizeof seen->text - strlen(seen->text),
                       "%d:%s ", record->kind, id);
    seen->count++;
    return seen->stop_after > 0 && seen->count == seen->stop_after;
}

static struct seen list(struct fixture *f, struct mneme_filter filter, bool memories_only,
                        size_t stop_after)
{
    struct seen seen = { .stop_after = stop_after, .in_order = true };

    filter.size = sizeof filter;
    filter.tenant_id = "t";
    ASSERT_OK(f->store->ops->list(f->store, &filter, memories_only, see, &seen, &f->err));
    return seen;
}

static void a_list_holds_what_was_asked_for(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *deleted = fixture_memory_of(f, "t", "ann", "c", "deleted");
    struct mneme_memory *scoped = fixture_memory_of(f, "t", "ann", "e", "scoped");
    struct mneme_rule rule = { .size = sizeof rule,
                               .id = "r",
                               .tenant_id = "t",
                               .memory_id = "b",
                               .trigger_type = MNEME_TRIGGER_ALWAYS };
    struct mneme_edge edge = MNEME_EDGE_INIT;
    struct mneme_usage usage = { .tenant_id = "t", .memory_id = "a", .access_count = 4 };
    struct mneme_filter bad = MNEME_FILTER_INIT;

    deleted->status = MNEME_DELETED;
    scoped->scope_kind = MNEME_SCOPE_REPO;
    scoped->scope_id = "r-1";
    scoped->type = "skill";
    fixture_put(f, fixture_memory_of(f, "t", "ann", "a", "text"));
    fixture_put(f, fixture_memory_of(f, "t", "", "b", "shared"));
    fixture_put(f, deleted);
    fixture_put(f, fixture_memory_of(f, "t", "bob", "d", "bob's"));
    fixture_put(f, scoped);
    fixture_put(f, fixture_memory_of(f, "t2", "ann", "f", "another tenant's"));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "ev", "s", "hi"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "bob", "ev2", "s", "hi"), NULL));
    ASSERT_OK(
        fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_RULE, .rule = &rule }, T0, NULL));
    ASSERT_OK(fixture_put_state(f, "ann", "s", "{}", 1, NULL));
    ASSERT_OK(fixture_put_state(f, "bob", "s", "{}", 1, NULL));
    edge.tenant_id = "t";
    edge.user_id = "bob";
    edge.source = "x";
    edge.relation = "is";
    edge.target = "y";
    ASSERT_OK(
        fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_EDGE, .edge = &edge }, T0, NULL));
    ASSERT_OK(fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_USAGE, .usage = &usage },
                                 T0, NULL));

    assert_string_equal(list(f, (struct mneme_filter){ .user_id = "ann" }, true, 0).text,
                        "1:a 1:e ");
    assert_int_equal(list(f, (struct mneme_filter){ .user_id = "ann" }, true, 0).access_count, 4);
    assert_string_equal(
        list(f, (struct mneme_filter){ .user_id = "ann", .with_all_statuses = 1, .with_shared = 1 },
             true, 0)
            .text,
        "1:a 1:b 1:c 1:e ");
    assert_string_equal(
        list(f, (struct mneme_filter){ .user_id = "ann", .status = MNEME_DELETED }, true, 0).text,
        "1:c ");
    assert_string_equal(
        list(f, (struct mneme_filter){ .user_id = "ann", .type = "skill" }, true, 0).text, "1:e ");
    assert_string_equal(list(f,
                             (struct mneme_filter){ .user_id = "ann",
                                                    .scope_kind = MNEME_SCOPE_REPO,
                                                    .scope_id = "r-1" },
                             true, 0)
                            .text,
                        "1:e ");
    assert_string_equal(
        list(f, (struct mneme_filter){ .user_id = "ann", .with_shared = 1 }, false, 0).text,
        "1:a 1:b 1:e 2:ev 3:r 4:task ");
    assert_string_equal(
        list(f, (struct mneme_filter){ .all_users = 1, .with_shared = 1 }, false, 0).text,
        "1:a 1:b 1:d 1:e 2:ev 2:ev2 3:r 4:task 4:task 5:x ");
    assert_string_equal(list(f, (struct mneme_filter){ .all_users = 1 }, false, 0).text,
                        "1:a 1:d 1:e 2:ev 2:ev2 4:task 4:task 5:x ");
    assert_string_equal(
        list(f, (struct mneme_filter){ .all_users = 1, .with_shared = 1, .rows_max = 6 }, false, 0)
            .text,
        "1:a 1:b 1:d 1:e 2:ev 2:ev2 ");
    assert_int_equal(
        list(f, (struct mneme_filter){ .all_users = 1, .with_shared = 1 }, false, 5).count, 5);

    bad.tenant_id = "t";
    assert_int_equal(f->store->ops->list(f->store, &bad, true, see, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "user_id");
}

static void a_long_list_comes_whole_and_in_order(void **state)
{
    struct fixture *f = *state;
    struct mn_write writes[701] = { 0 };
    struct mn_written written[701];
    struct mn_commit commit = fixture_request_of(writes, COUNT(writes), T0);
    struct mn_commit_result result = { .written = written };
    struct seen seen;

    for (size_t i = 0; i < COUNT(writes); i++) {
        const char *id = mn_arena_printf(f->arena, "m-%04zu", i * 7919 % 701);

        writes[i] =
            (struct mn_write){ .kind = MN_WRITE_MEMORY,
                               .memory = fixture_memory_of(f, "t", i % 3 ? "ann" : "", id, id) };
    }
    ASSERT_OK(f->store->ops->commit(f->store, &commit, 1, &result, &f->err));
    ASSERT_OK(result.status);
    seen = list(f, (struct mneme_filter){ .user_id = "ann", .with_shared = 1 }, true, 0);
    assert_int_equal(seen.count, 701);
    assert_true(seen.in_order);
    seen = list(f, (struct mneme_filter){ .all_users = 1, .with_shared = 1 }, true, 0);
    assert_int_equal(seen.count, 701);
    assert_true(seen.in_order);
    seen = list(f, (struct mneme_filter){ .user_id = "ann" }, true, 0);
    assert_int_equal(seen.count, 701 - 234);
}

static void traces_are_kept_per_tenant(void **state)
{
    struct fixture *f = *state;
    struct mn_trace_row trace = { "t", "ann", "tr-1", T0, "{\"version\":1}" };
    struct mn_write write = { .kind = MN_WRITE_TRACE, .trace = &trace };
    const char *json = NULL;

    ASSERT_OK(fixture_commit_one(f, write, T0, NULL));
    ASSERT_OK(f->store->ops->trace_get(f->store, "t", "tr-1", f->arena, &json, &f->err));
    assert_string_equal(json, "{\"version\":1}");
    json = NULL;
    assert_int_equal(f->store->ops->trace_get(f->store, "t2", "tr-1", f->arena, &json, &f->err),
                     MNEME_NOT_FOUND);
    assert_null(json);
    assert_int_equal(fixture_all_changes(f).count, 0);
}

/* ---- limits and threads ---- */

static void a_full_arena_is_a_limit_and_leaves_the_outputs_alone(void **state)
{
    struct fixture *f = *state;
    MN_ARENA_AUTO small = mn_arena_new(600);
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_rows rows = { .count = 77 };
    struct mn_units units = { .count = 77 };
    const char *ids[] = { "m" };

    fixture_put(f,
                fixture_memory_of(f, "t", "ann", "m", "a text that needs some room in the arena"));
    assert_int_equal(f->store->ops->memories_get(f->store, &ann, ids, 1, small, &rows, &f->err),
                     MNEME_LIMIT);
    assert_int_equal(rows.count, 77);
    assert_int_equal(f->store->ops->units_scan(f->store, (struct mn_partition){ "t", "ann" }, "", 9,
                                               "", small, &units, &f->err),
                     MNEME_LIMIT);
    assert_int_equal(units.count, 77);
    rows.count = 0;
    ASSERT_OK(f->store->ops->memories_get(f->store, &ann, ids, 1, f->arena, &rows, &f->err));
}

struct worker {
    struct fixture *f;
    int number;
    int failures;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct mn_store *store = worker->f->store;
    char user[16];

    (void)snprintf(user, sizeof user, "user-%d", worker->number);
    for (int i = 0; i < 40; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mneme_memory given = MNEME_MEMORY_INIT;
        struct mneme_memory whole;
        struct mn_written written = { 0 };
        struct mn_write write = { .kind = MN_WRITE_MEMORY,
                                  .expected_revision = MN_REVISION_NEW,
                                  .memory = &whole };
        struct mn_commit commit = fixture_request_of(&write, 1, T0);
        struct mn_commit_result result = { .written = &written };
        struct mn_access access = fixture_access_of("t", user);
        struct mn_rows rows = { 0 };

        given.tenant_id = "t";
        given.user_id = user;
        given.type = "fact";
        given.content = mn_arena_printf(arena, "text %d", i);
        if (mn_memory_complete(&given, T0, arena, &whole, NULL) != MNEME_OK ||
            store->ops->commit(store, &commit, 1, &result, NULL) != MNEME_OK ||
            result.status != MNEME_OK ||
            store->ops->memories_structured(store, &access, ~UINT64_C(0), 1000, arena, &rows,
                                            NULL) != MNEME_OK ||
            rows.count != (size_t)i + 1)
            worker->failures++;
    }
    return NULL;
}

static void several_threads_share_a_handle(void **state)
{
    struct fixture *f = *state;
    struct worker workers[12];
    pthread_t thread[12];

    for (int i = 0; i < 12; i++) {
        workers[i] = (struct worker){ .f = f, .number = i };
        assert_int_equal(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 12; i++) {
        (void)pthread_join(thread[i], NULL);
        assert_int_equal(workers[i].failures, 0);
    }
    assert_int_equal(fixture_all_changes(f).count, 12 * 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_list_holds_what_was_asked_for),
        CASE(a_long_list_comes_whole_and_in_order),
        CASE(traces_are_kept_per_tenant),
        CASE(a_full_arena_is_a_limit_and_leaves_the_outputs_alone),
        CASE(several_threads_share_a_handle),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
