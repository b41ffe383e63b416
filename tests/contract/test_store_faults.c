/*
 * test_store_faults.c - every allocation of every call fails in turn.
 *
 * The call then says MNEME_LIMIT, a write has not happened, outputs are as they were, and the next
 * call on the same handle works.
 */
#include "contract/store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

#define CALLS_MAX 20000 /* allocations of one call, and more than that */

/* ---- malloc and its like, by the linker ---- */

static long left = -1; /* allocations before the one that fails; negative: none does */
static bool failed;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);

static bool fails_now(void)
{
    if (left < 0 || left-- > 0)
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails_now() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
    return fails_now() ? NULL : __real_realloc(at, bytes);
}

/* ---- loops ---- */

typedef enum mneme_status (*call_fn)(struct fixture *f, struct mn_arena *arena, int round);

/* Runs `call` with its first allocation failing, then its second, until none is left to fail. */
static void fail_in_turn(struct fixture *f, call_fn call)
{
    for (int round = 0; round < CALLS_MAX; round++) {
        MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 24);
        enum mneme_status status;

        left = round;
        failed = false;
        status = call(f, arena, round);
        left = -1;
        if (!failed) {
            assert_int_equal(status, MNEME_OK);
            return;
        }
        if (status != MNEME_OK && status != MNEME_LIMIT)
            fail_msg("allocation %d: %s (%s)", round, mneme_status_name(status), f->err.message);
        left = -1;
        assert_int_equal(call(f, arena, round), MNEME_OK); /* and now it works */
    }
    fail_msg("it never ends");
}

static const char *id_of(char id[32], int round)
{
    (void)snprintf(id, 32, "m-%d", round);
    return id;
}

static enum mneme_status write_memory(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mneme_memory given = MNEME_MEMORY_INIT;
    static const char *const words[] = { "a", "b" };
    static const struct mneme_pair pairs[] = { { "python", ">=3" } };
    struct mneme_memory whole;
    struct mn_written written = { .revision = 77 };
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = &whole };
    struct mn_commit commit = fixture_request_of(&write, 1, T0);
    struct mn_commit_result result = { .written = &written };
    long armed = left;
    enum mneme_status status;
    char id[32];

    left = -1;
    given.tenant_id = "t";
    given.user_id = "ann";
    given.id = id_of(id, round);
    given.type = "fact";
    given.content = "text";
    given.keywords = (struct mneme_list){ words, 2 };
    given.applies_to = (struct mneme_pairs){ pairs, 1 };
    ASSERT_OK(mn_memory_complete(&given, T0, arena, &whole, NULL));
    left = armed;
    status = f->store->ops->commit(f->store, &commit, 1, &result, &f->err);
    left = -1;
    if (status == MNEME_OK)
        status = result.status;
    if (status != MNEME_OK) {
        struct mn_row row;

        assert_int_equal(f->store->ops->memory_get(f->store, (struct mn_partition){ "t", "ann" },
                                                   id, arena, &row, NULL),
                         MNEME_NOT_FOUND);
    }
    return status;
}

static enum mneme_status read_rows(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_rows rows = { .count = 77 };
    const char *key = "k";
    enum mneme_status status;

    (void)round;
    status = f->store->ops->memories_by_key(f->store, &ann, &key, 1, NULL, arena, &rows, &f->err);
    assert_int_equal(rows.count, status == MNEME_OK ? 1 : 77);
    if (status == MNEME_OK)
        status = f->store->ops->memories_structured(f->store, &ann, ~UINT64_C(0), 10, arena, &rows,
                                                    &f->err);
    return status;
}

static enum mneme_status read_the_past(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_rows rows = { .count = 77 };
    const char *key = "k";
    enum mneme_status status;

    (void)round;
    ann.as_of_ms = ann.at_ms = T0 + 1;
    status = f->store->ops->memories_by_key(f->store, &ann, &key, 1, NULL, arena, &rows, &f->err);
    assert_int_equal(rows.count, status == MNEME_OK ? 1 : 77);
    return status;
}

static enum mneme_status read_units(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mn_units units = { .count = 77 };
    enum mneme_status status;

    (void)round;
    status = f->store->ops->units_scan(f->store, (struct mn_partition){ "t", "ann" }, "", 10, "p",
                                       arena, &units, &f->err);
    assert_int_equal(units.count, status == MNEME_OK ? 2 : 77);
    return status;
}

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(int *)context;
    return 0;
}

static enum mneme_status read_list(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    int rows = 0;

    (void)arena;
    (void)round;
    filter.tenant_id = "t";
    filter.user_id = "ann";
    filter.with_shared = 1;
    return f->store->ops->list(f->store, &filter, false, count_row, &rows, &f->err);
}

static enum mneme_status read_changes(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mn_cursor start = { "" };
    struct mn_changes changes = { .count = 77 };
    enum mneme_status status;

    (void)round;
    status = f->store->ops->changes_after(f->store, NULL, &start, 10, arena, &changes, &f->err);
    assert_int_equal(changes.count, status == MNEME_OK ? 2 : 77);
    return status;
}

static enum mneme_status open_another(struct fixture *f, struct mn_arena *arena, int round)
{
    struct mn_store *again = store_engine.open_again(f->context);

    (void)arena;
    (void)round;
    if (!again)
        return MNEME_LIMIT;
    mn_store_free(again);
    return MNEME_OK;
}

static void every_allocation_may_fail(void **state)
{
    static const call_fn calls[] = { write_memory, read_rows,    read_the_past, read_units,
                                     read_list,    read_changes, open_another };
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");

    row->memory_key = "k";
    fixture_put(f, row);
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e", "s", "hi"), NULL));
    for (size_t i = 1; i < COUNT(calls); i++)
        fail_in_turn(f, calls[i]);
    fail_in_turn(f, calls[0]);
    fixture_put(f, fixture_memory_of(f, "t", "ann", "last", "text"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_allocation_may_fail),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
