/*
 * test_store_together.c - reads that belong together, and commits that are handed over at once.
 */
#include "contract/store_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "memory/record.h"

#define LARGE_ROWS 200 /* of 60 KB: more than is gathered, and more than SQLite keeps in memory */
#define LARGE_BYTES 60000

static const char *position_of(struct fixture *f, struct mn_store *store)
{
    struct mn_cursor *cursor = mn_arena_one(f->arena, struct mn_cursor);

    ASSERT_OK(store->ops->position(store, cursor, &f->err));
    return cursor->text;
}

static void put_in(struct fixture *f, struct mn_store *store, const char *id)
{
    struct mn_store *own = f->store;

    f->store = store;
    (void)fixture_put(f, fixture_memory_of(f, "t", "ann", id, id));
    f->store = own;
}

static void reads_that_belong_together_see_one_state(void **state)
{
    struct fixture *f = *state;
    struct mn_store *store = f->store;
    const char *before, *within;

    f->again = store_engine.open_again(f->context);
    put_in(f, store, "m-1");
    before = position_of(f, store);
    store->ops->reads_begin(store);
    assert_string_equal(position_of(f, store), before);
    put_in(f, f->again, "m-2");
    within = position_of(f, store);
    assert_true(strcmp(position_of(f, f->again), before) != 0); /* another handle's reads are its own */
    store->ops->reads_begin(store); /* a second one begins nothing */
    assert_string_equal(position_of(f, store), within);
    store->ops->reads_end(store);
    store->ops->reads_end(store);
    assert_string_equal(within, before);
    assert_true(strcmp(position_of(f, store), before) != 0);
    put_in(f, store, "m-3"); /* and it writes on top of what the other one wrote */
    assert_string_equal(position_of(f, store), position_of(f, f->again));
}

static void a_state_that_is_held_keeps_nobody_from_writing(void **state)
{
    struct fixture *f = *state;
    struct mn_store *store = f->store;
    const struct mn_access access = { .tenant = "t", .user = "ann", .at_ms = T0 };
    const char *const ids[] = { "m-1", "m-2" };
    const char *before, *within, *still;
    struct mn_rows rows = { 0 };

    put_in(f, store, "m-1");
    before = position_of(f, store);
    store->ops->state_begin(store);
    within = position_of(f, store);
    put_in(f, store, "m-2"); /* where reads_begin() would have the writer in hand */
    still = position_of(f, store);
    ASSERT_OK(store->ops->memories_get(store, &access, ids, 2, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 1);
    store->ops->reads_end(store);
    assert_string_equal(within, before);
    assert_string_equal(still, before);
    assert_true(strcmp(position_of(f, store), before) != 0);
    ASSERT_OK(store->ops->memories_get(store, &access, ids, 2, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 2);
}

static void every_thread_can_hold_a_state_in_its_turn(void **state)
{
    struct fixture *f = *state;
    struct mn_store *store = f->store;
    struct mn_cursor cursor;

    for (int i = 0; i < 20; i++) { /* more than there are readers: each comes back */
        store->ops->state_begin(store);
        store->ops->state_begin(store);
        ASSERT_OK(store->ops->position(store, &cursor, &f->err));
        store->ops->reads_end(store);
        store->ops->reads_end(store);
    }
}

static void *read_in_a_thread(void *context)
{
    struct fixture *f = context;
    struct mn_cursor cursor;

    return f->store->ops->position(f->store, &cursor, &f->err) == MNEME_OK ? f : NULL;
}

static void other_threads_read_meanwhile(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    void *done = NULL;

    put_in(f, f->store, "m-1");
    f->store->ops->reads_begin(f->store);
    assert_int_equal(pthread_create(&thread, NULL, read_in_a_thread, f), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    f->store->ops->reads_end(f->store);
    assert_ptr_equal(done, f);
}

/* Row i says its number, and then the same letter to its end. */
static void write_large(char *text, int i)
{
    int digits = snprintf(text, LARGE_BYTES + 1, "%06d ", i);

    memset(text + digits, 'a' + i % 26, (size_t)(LARGE_BYTES - digits));
    text[LARGE_BYTES] = '\0';
}

static void a_commit_of_many_megabytes_is_there_to_the_last_byte(void **state)
{
    struct fixture *f = *state;
    struct mn_write write[LARGE_ROWS];
    struct mn_written written[LARGE_ROWS];
    struct mn_commit_result result = { .written = written };
    static char text[LARGE_BYTES + 1];

    for (int i = 0; i < LARGE_ROWS; i++) {
        char *id = mn_arena_printf(f->arena, "m-%d", i);

        write_large(text, i);
        write[i] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                      .expected_revision = MN_REVISION_NEW,
                                      .memory = fixture_memory_of(f, "t", "ann", id, text) };
    }
    struct mn_commit commit = fixture_request_of(write, LARGE_ROWS, T0);

    ASSERT_OK(f->store->ops->commit(f->store, &commit, 1, &result, &f->err));
    ASSERT_OK(result.status);
    f->again = store_engine.open_again(f->context);
    for (int i = 0; i < LARGE_ROWS; i++) {
        MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 20);
        struct mn_row row;

        write_large(text, i);
        ASSERT_OK(f->again->ops->memory_get(f->again, (struct mn_partition){ "t", "ann" },
                                            write[i].memory->id, arena, &row, &f->err));
        assert_string_equal(row.memory.content, text);
    }
}

/* What the writer knows of the file it forgets with a request that was refused, and with one that
 * another handle wrote. */
static void a_refused_request_and_another_handle_do_not_mislead_the_writer(void **state)
{
    struct fixture *f = *state;
    struct mn_audit_state audit = { 0 };

    f->again = store_engine.open_again(f->context);
    for (int i = 0; i < 3; i++) {
        char *id = mn_arena_printf(f->arena, "m-%d", i);
        const struct mneme_memory *row = fixture_memory_of(f, "t", "ann", id, id);

        (void)fixture_put(f, row);
        assert_int_equal(fixture_try_put(f, row, MN_REVISION_NEW), MNEME_CONFLICT);
        assert_string_equal(f->err.field, "id");
        put_in(f, f->again, mn_arena_printf(f->arena, "other-%d", i));
    }
    ASSERT_OK(f->store->ops->audit_verify(f->store, NULL, &audit, &f->err));
    assert_int_equal(audit.fault, MN_AUDIT_SOUND);
    assert_int_equal(audit.count, 6);
    assert_int_equal(fixture_all_changes(f).count, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(reads_that_belong_together_see_one_state),
        CASE(a_state_that_is_held_keeps_nobody_from_writing),
        CASE(every_thread_can_hold_a_state_in_its_turn),
        CASE(other_threads_read_meanwhile),
        CASE(a_commit_of_many_megabytes_is_there_to_the_last_byte),
        CASE(a_refused_request_and_another_handle_do_not_mislead_the_writer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
