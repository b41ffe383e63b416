/*
 * test_store_universe.c - isolation, exhaustively: every row of the small universe is stored,
 * everyone in it asks, and what the store gives is what the oracle allows, row by row.
 *
 * Rows that are not well formed are not stored; nobody is to see them anyway.
 *
 * A store asks twice, in its query and by access.c for each row, and each must do alone. Called
 * with "first-wall" the program is linked with an access.c that allows everything, so that the
 * query answers for itself: for the present, since the past is left to access.c.
 */
#include "contract/store_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes/universe.h"
#include "memory/record.h"

#define BATCH 1000
#define KEY "the.key"
#define OLD "the-old-one" /* what all rows of a partition replace */
#define ARENA_BYTES ((size_t)1 << 30)

static struct mn_store *store;
static void *context;
static struct universe_memory *row; /* by index */
static bool *stored;
static size_t row_count;
static bool first_wall_only;

/* ---- storing ---- */

static void commit(const struct mn_write *writes, size_t count)
{
    struct mn_written written[BATCH] = { 0 };
    struct mn_commit commit = { .write = writes, .count = count, .now_ms = 1 };
    struct mn_commit_result result = { .written = written };
    struct mneme_error err = { 0 };

    if (store->ops->commit(store, &commit, 1, &result, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    if (result.status != MNEME_OK)
        fail_msg("%s", result.error.message);
}

/* A row in each partition that the others replace; of a type and scope that nobody asks for here.
 */
static void store_replaced(void)
{
    static const char *const tenants[] = { "north", "south" };
    static const char *const owners[] = { "", "ann", "bob" };
    struct mneme_memory old[6];
    char id[6][32];
    struct mn_write writes[6];

    for (size_t i = 0; i < 6; i++) {
        universe_memory(0, &row[0]);
        old[i] = row[0].memory;
        (void)snprintf(id[i], sizeof id[i], OLD "-%s", owners[i % 3]);
        old[i].id = id[i];
        old[i].tenant_id = tenants[i / 3];
        old[i].user_id = owners[i % 3];
        old[i].scope_kind = MNEME_SCOPE_REPO;
        old[i].scope_id = "nowhere";
        writes[i] = (struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = &old[i] };
    }
    commit(writes, 6);
}

static const char *replaced_by(const struct mneme_memory *memory)
{
    if (memory->user_id[0] == '\0')
        return OLD "-";
    return strcmp(memory->user_id, "ann") == 0 ? OLD "-ann" : OLD "-bob";
}

static int store_universe(void **state)
{
    struct mn_write writes[BATCH];
    size_t count = 0;

    (void)state;
    store = store_engine.open_empty(&context);
    row_count = universe_memory_count();
    row = calloc(row_count, sizeof *row);
    stored = calloc(row_count, sizeof *stored);
    if (!store || !row || !stored)
        return -1;
    store_replaced();
    for (size_t i = 0; i < row_count; i++) {
        universe_memory(i, &row[i]);
        if (mn_memory_check(&row[i].memory, NULL) != MNEME_OK)
            continue;
        stored[i] = true;
        row[i].memory.memory_key = KEY;
        row[i].memory.supersedes = replaced_by(&row[i].memory);
        writes[count++] = (struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = &row[i].memory };
        if (count == BATCH) {
            commit(writes, count);
            count = 0;
        }
    }
    commit(writes, count);
    return 0;
}

static int throw_away(void **state)
{
    (void)state;
    mn_store_free(store);
    store_engine.throw_away(context);
    free(row);
    free(stored);
    return 0;
}

/* ---- asking ---- */

static void assert_allowed(const char *read, size_t a, const struct mn_access *access,
                           const bool *allowed, const struct mn_rows *rows, bool *seen)
{
    memset(seen, 0, row_count * sizeof *seen);
    for (size_t i = 0; i < rows->count; i++) {
        size_t index = universe_memory_index(rows->item[i].memory.id);

        if (index >= row_count || seen[index])
            fail_msg("%s, access %zu: %s twice or unknown", read, a, rows->item[i].memory.id);
        seen[index] = true;
    }
    for (size_t i = 0; i < row_count; i++) {
        if (seen[i] != allowed[i])
            fail_msg("%s, access %zu (%s/%s): row %zu of %s/%s is %s", read, a, access->tenant,
                     access->user, i, row[i].memory.tenant_id, row[i].memory.user_id,
                     seen[i] ? "shown but not allowed" : "allowed but not shown");
    }
}

/* Of the past, which is slow, each asker asks one of the three questions. */
static bool asks(const struct mn_access *access, size_t a, size_t question)
{
    return access->as_of_ms == 0 || (a * 7 + a / 480) % 3 == question;
}

static void every_read_gives_what_the_oracle_allows(void **state)
{
    static const char *const key = KEY;
    static const char *const ids[] = { OLD "-", OLD "-ann", OLD "-bob" };
    bool *allowed = calloc(row_count, sizeof *allowed);
    bool *seen = calloc(row_count, sizeof *seen);
    size_t allowed_count = 0;

    (void)state;
    for (size_t a = 0; a < universe_access_count(); a++) {
        struct mn_access access = universe_access(a);
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES);
        struct mn_rows rows = { 0 };
        struct mneme_error err = { 0 };

        if (first_wall_only && access.as_of_ms)
            continue;
        for (size_t i = 0; i < row_count; i++) {
            allowed[i] = stored[i] && universe_allows(&access, &row[i].memory);
            allowed_count += allowed[i];
        }
        if (asks(&access, a, 0)) {
            rows = (struct mn_rows){ 0 };
            assert_int_equal(store->ops->memories_structured(store, &access, ~UINT64_C(0), SIZE_MAX,
                                                             arena, &rows, &err),
                             MNEME_OK);
            assert_allowed("structured", a, &access, allowed, &rows, seen);
        }
        if (asks(&access, a, 1)) {
            rows = (struct mn_rows){ 0 };
            assert_int_equal(store->ops->memories_by_key(store, &access, &key, 1, NULL, arena, &rows,
                                                         &err),
                             MNEME_OK);
            assert_allowed("by key", a, &access, allowed, &rows, seen);
        }
        if (asks(&access, a, 2)) {
            rows = (struct mn_rows){ 0 };
            assert_int_equal(store->ops->memories_successors(store, &access, ids, 3, arena, &rows,
                                                             &err),
                             MNEME_OK);
            assert_allowed("successors", a, &access, allowed, &rows, seen);
        }
    }
    assert_true(allowed_count > universe_access_count());
    free(allowed);
    free(seen);
}

/* What an index is built from: whole partitions, of which access.c lets through the allowed rows.
 */
static void units_hold_a_partition_and_access_does_the_rest(void **state)
{
    bool *allowed = calloc(row_count, sizeof *allowed);

    (void)state;
    for (size_t a = 0; a < universe_access_count(); a += 7) {
        struct mn_access access = universe_access(a);
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES);
        const char *const owner[] = { access.user, "" };
        enum mn_reason reason;

        memset(allowed, 0, row_count * sizeof *allowed);
        for (size_t o = 0; o < 2; o++) {
            struct mn_partition partition = { access.tenant, owner[o] };
            struct mn_units units = { 0 };

            assert_int_equal(store->ops->units_scan(store, partition, "", SIZE_MAX, "", arena,
                                                    &units, NULL),
                             MNEME_OK);
            for (size_t i = 0; i < units.count; i++) {
                const struct mn_unit *unit = &units.item[i];

                assert_string_equal(unit->memory.tenant_id, partition.tenant);
                assert_string_equal(unit->memory.user_id, partition.owner);
                if (strncmp(unit->id, OLD, strlen(OLD)) != 0 &&
                    mn_access_allows(&access, &unit->memory, unit->confidence, &reason))
                    allowed[universe_memory_index(unit->id)] = true;
            }
        }
        for (size_t i = 0; i < row_count; i++) {
            if (allowed[i] != (stored[i] && universe_allows(&access, &row[i].memory)))
                fail_msg("access %zu: row %zu", a, i);
        }
    }
    free(allowed);
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_read_gives_what_the_oracle_allows),
        cmocka_unit_test(units_hold_a_partition_and_access_does_the_rest),
    };
    const struct CMUnitTest first_wall[] = {
        cmocka_unit_test(every_read_gives_what_the_oracle_allows),
    };

    first_wall_only = count > 1 && strcmp(argument[1], "first-wall") == 0;
    if (first_wall_only)
        return cmocka_run_group_tests(first_wall, store_universe, throw_away);
    return cmocka_run_group_tests(tests, store_universe, throw_away);
}
