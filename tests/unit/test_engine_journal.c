/*
 * test_engine_journal.c - what waits to be written: nothing is lost because a commit failed, and what
 * the store refuses goes alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/journal.h"
#include "fakes/fake_store.h"
#include "fakes/store_folder.h"
#include "memory/record.h"

#define NOW INT64_C(1790000000000)
#define COUNT_MAX (INT64_C(1) << 53)

static struct store_folder folder;
static struct mn_world world;
static struct mn_journal *journal;

static int64_t now(void)
{
    return NOW;
}

static struct mn_store *open_store(void)
{
    struct mn_store_options options = { .path = folder.store, .create = true };
    struct mn_store *store = NULL;
    struct mneme_error err;

    assert_int_equal(mn_store_sqlite_open(&options, &store, &err), MNEME_OK);
    return store;
}

static enum mneme_status put(struct mn_write write)
{
    struct mn_written written;
    struct mn_commit commit = { .write = &write, .count = 1, .now_ms = NOW };
    struct mn_commit_result result = { .written = &written };

    assert_int_equal(world.store->ops->commit(world.store, &commit, 1, &result, NULL), MNEME_OK);
    return result.status;
}

static void put_memory(struct mn_arena *arena)
{
    struct mneme_memory m = MNEME_MEMORY_INIT, row;
    struct mneme_error err;

    m.id = "m-1";
    m.tenant_id = "t";
    m.user_id = "ann";
    m.content = "the pilots use quay nine";
    assert_int_equal(mn_memory_complete(&m, NOW, arena, &row, &err), MNEME_OK);
    assert_int_equal(put((struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = &row }), MNEME_OK);
}

/* An answer that brought m-1 comes in. */
static void add(const char *trace_id)
{
    static const struct mneme_identity identity = { .tenant_id = "t", .user_id = "ann" };
    struct mneme_memory m = { .id = "m-1" };
    struct mneme_item item = { .memory = &m };
    struct mneme_answer answer = { .item = &item, .item_count = 1 };

    answer.trace_id = trace_id;
    answer.trace = "{}";
    mn_journal_add(journal, &identity, NOW, &answer);
}

static bool stored(const char *trace_id)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *json = NULL;

    return world.store->ops->trace_get(world.store, "t", trace_id, arena, &json, NULL) == MNEME_OK;
}

static int64_t accesses(void)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_row row;

    assert_int_equal(world.store->ops->memory_get(world.store, (struct mn_partition){ "t", "ann" },
                                                  "m-1", arena, &row, NULL),
                     MNEME_OK);
    return row.access_count;
}

static void a_flush_that_fails_keeps_what_waits_in_its_order(void **state)
{
    struct mneme_error err;

    (void)state;
    add("trc-1");
    add("trc-2");
    fake_store_fail(world.store, 1, MNEME_UNAVAILABLE);
    assert_int_equal(mn_journal_flush(journal, &world, &err), MNEME_UNAVAILABLE);
    assert_int_equal(mn_journal_waiting(journal), 2);
    add("trc-3");
    fake_store_fail(world.store, 1, MNEME_UNAVAILABLE);
    assert_int_equal(mn_journal_flush(journal, &world, &err), MNEME_UNAVAILABLE);
    assert_int_equal(mn_journal_waiting(journal), 3);
    assert_int_equal(mn_journal_flush(journal, &world, &err), MNEME_OK);
    assert_int_equal(mn_journal_waiting(journal), 0);
    assert_true(stored("trc-1") && stored("trc-2") && stored("trc-3"));
    assert_int_equal(accesses(), 3);
}

static void of_what_never_can_be_written_the_oldest_is_given_up(void **state)
{
    char trace_id[32];

    (void)state;
    fake_store_fail_from(world.store, 1, MNEME_UNAVAILABLE);
    for (int i = 0; i < 1500; i++) {
        snprintf(trace_id, sizeof trace_id, "trc-%d", i);
        add(trace_id);
        if (i % 400 == 0)
            assert_int_equal(mn_journal_flush(journal, &world, NULL), MNEME_UNAVAILABLE);
    }
    assert_int_equal(mn_journal_waiting(journal), 1024);
    fake_store_fail(world.store, 0, MNEME_OK);
    assert_int_equal(mn_journal_flush(journal, &world, NULL), MNEME_OK);
    assert_false(stored("trc-475"));
    assert_true(stored("trc-476") && stored("trc-1499"));
}

static void counts_end_where_json_ends(void **state)
{
    const struct mneme_usage usage = { .tenant_id = "t",
                                       .memory_id = "m-1",
                                       .access_count = COUNT_MAX - 1,
                                       .used_count = INT64_MAX,
                                       .confidence = -1.0 };

    (void)state;
    assert_int_equal(put((struct mn_write){ .kind = MN_WRITE_USAGE, .usage = &usage }), MNEME_OK);
    for (int i = 0; i < 3; i++) {
        add("trc-1");
        assert_int_equal(mn_journal_flush(journal, &world, NULL), MNEME_OK);
        assert_int_equal(accesses(), COUNT_MAX);
    }
}

static int set_up(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    if (store_folder_make(&folder, "journal") != 0)
        return -1;
    world = (struct mn_world){ .store = fake_store_new(open_store()), .now_ms = now };
    journal = mn_journal_new();
    put_memory(arena);
    return world.store && journal ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mn_journal_free(journal);
    mn_store_free(world.store);
    return store_folder_remove(&folder);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_flush_that_fails_keeps_what_waits_in_its_order),
        CASE(of_what_never_can_be_written_the_oldest_is_given_up),
        CASE(counts_end_where_json_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
