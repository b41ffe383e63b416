/*
 * test_failing_segments.c - an index that is kept in the store and loaded from it, with each
 * allocation, store call and file operation of that failing in turn.
 *
 * The short loops of the public calls are too small for a segment, which begins at a thousand units.
 * After each failure: a status with a message, the same answer to the same request as from rows, and
 * the same step succeeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/handle.h"
#include "fakes/fake_store.h"
#include "index/index.h"
#include "index/state.h"
#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define MEMORIES 1000 /* from here on an index is kept */
#define SPARSE_FROM 12
#define FAILURES_MAX 100000

/* ---- what fails ---- */

enum kind { KIND_NONE, KIND_MEMORY, KIND_STORE, KIND_DISK };

static enum kind kind;
static long fail_at, seen; /* 1: the next */

static bool fails(enum kind of)
{
    return kind == of && ++seen == fail_at;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
ssize_t __real_pwrite64(int fd, const void *bytes, size_t count, off_t at);
ssize_t __real_pread64(int fd, void *bytes, size_t count, off_t at);
int __real_fdatasync(int fd);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pread64(int fd, void *bytes, size_t count, off_t at);
int __wrap_fdatasync(int fd);

void *__wrap_malloc(size_t bytes)
{
    return fails(KIND_MEMORY) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails(KIND_MEMORY) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
    return fails(KIND_MEMORY) ? NULL : __real_realloc(at, bytes);
}

static bool disk_fails(void)
{
    if (!fails(KIND_DISK))
        return false;
    errno = EIO;
    return true;
}

ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    return disk_fails() ? -1 : __real_pwrite64(fd, bytes, count, at);
}

ssize_t __wrap_pread64(int fd, void *bytes, size_t count, off_t at)
{
    return disk_fails() ? -1 : __real_pread64(fd, bytes, count, at);
}

int __wrap_fdatasync(int fd)
{
    return disk_fails() ? -1 : __real_fdatasync(fd);
}

static void arm(struct mn_world *world, enum kind of, long at)
{
    seen = 0;
    fail_at = at;
    kind = of;
    fake_store_fail(world->store, of == KIND_STORE ? (size_t)at : 0, MNEME_UNAVAILABLE);
}

/* Nothing fails any more. Did anything? */
static bool disarm(struct mn_world *world)
{
    bool failed = kind == KIND_STORE ? fake_store_calls(world->store) >= (size_t)fail_at
                                     : seen >= fail_at;

    kind = KIND_NONE;
    fake_store_fail(world->store, 0, MNEME_OK);
    return failed;
}

/* ---- the store ---- */

static const struct mn_partition OWN = { "acme", "ann" };

static void ask(struct fixture *f, char ret[4096])
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    size_t at = 0;

    request.identity.tenant_id = OWN.tenant;
    request.identity.user_id = OWN.owner;
    request.text = "Where is the ferry of line7 moored, harbour number357?";
    request.mode = MNEME_MODE_HYBRID;
    request.now_ms = NOW;
    if (mneme_retrieve(f->handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    for (size_t i = 0; i < answer->item_count; i++)
        at += (size_t)snprintf(ret + at, 4096 - at, "%s %.17g\n", answer->item[i].memory->id,
                               answer->item[i].score);
    ret[at] = '\0';
    assert_non_null(strstr(ret, "mem-357 "));
    assert_int_equal(answer->degraded, 0);
    mneme_answer_free(answer);
}

static int set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    struct fixture *f = *state;
    struct mn_store *fake = fake_store_new(f->handle->world.store);

    if (!fake)
        return -1;
    f->handle->world.store = fake;
    fixture_fill(f, MEMORIES);
    return 0;
}

/* ---- the steps ---- */

static bool is_due(struct mn_world *world)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 16);
    struct mn_partition partition;

    assert_non_null(arena);
    return world->search->ops->due(world->search, arena, &partition);
}

static enum mneme_status keep(struct mn_world *world, struct mneme_error *err)
{
    size_t done = 0;

    MN_TRY(mn_index_keep_segments(world, 1, &done, err));
    assert_true(done == 1 || (kind == KIND_MEMORY && is_due(world))); /* or left for the next time */
    return MNEME_OK;
}

static enum mneme_status load(struct mn_world *world, struct mneme_error *err)
{
    return mn_index_load_segment(world, OWN, err);
}

/* Runs a step with the first, the second ... operation of a kind failing, until none does. */
static void survives(struct fixture *f, enum kind of,
                     enum mneme_status (*step)(struct mn_world *world, struct mneme_error *err),
                     void (*prepare)(struct fixture *f), long least)
{
    struct mn_world *world = &f->handle->world;
    char before[4096], after[4096];
    long at, failures = 0;

    ask(f, before);
    for (at = 1; at < FAILURES_MAX; at += 1 + (at > SPARSE_FROM ? at / 6 : 0)) {
        struct mneme_error err = { 0 };

        prepare(f);
        arm(world, of, at);
        enum mneme_status status = step(world, &err);
        bool failed = disarm(world);
        if (!failed) {
            assert_int_equal(status, MNEME_OK);
            break;
        }
        failures += status != MNEME_OK;
        if (status != MNEME_OK && (err.status != status || !err.message[0]))
            fail_msg("failure %ld: status %d without its message", at, status);
        ask(f, after);
        assert_string_equal(after, before);
        prepare(f);
        if (status != MNEME_OK && step(world, &err) != MNEME_OK)
            fail_msg("after failure %ld it fails again: %s", at, err.message);
    }
    print_message("%ld operations, %ld of those that failed fail the step\n", at - 1, failures);
    assert_true(failures >= least);
    ask(f, after);
    assert_string_equal(after, before);
}

static void be_due(struct fixture *f)
{
    char answer[4096];

    if (is_due(&f->handle->world))
        return;
    assert_int_equal(mn_index_rebuild(&f->handle->world, OWN, &f->err), MNEME_OK);
    ask(f, answer);
    assert_true(is_due(&f->handle->world));
}

static void be_forgotten(struct fixture *f)
{
    f->handle->world.search->ops->drop(f->handle->world.search, OWN);
}

static void keeping_survives_each_failing_allocation(void **state)
{
    survives(*state, KIND_MEMORY, keep, be_due, 3);
}

static void keeping_survives_each_failing_store_call(void **state)
{
    survives(*state, KIND_STORE, keep, be_due, 1);
}

static void keeping_survives_a_broken_disk(void **state)
{
    survives(*state, KIND_DISK, keep, be_due, 1);
}

static void keep_once(struct fixture *f)
{
    be_due(f);
    if (keep(&f->handle->world, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

static void loading_survives_each_failing_allocation(void **state)
{
    keep_once(*state);
    survives(*state, KIND_MEMORY, load, be_forgotten, 10);
}

static void loading_survives_each_failing_store_call(void **state)
{
    keep_once(*state);
    survives(*state, KIND_STORE, load, be_forgotten, 1);
}

static void loading_survives_a_broken_disk(void **state)
{
    keep_once(*state);
    survives(*state, KIND_DISK, load, be_forgotten, 0); /* its pages may all be in SQLite's cache */
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(keeping_survives_each_failing_allocation),
        CASE(keeping_survives_each_failing_store_call),
        CASE(keeping_survives_a_broken_disk),
        CASE(loading_survives_each_failing_allocation),
        CASE(loading_survives_each_failing_store_call),
        CASE(loading_survives_a_broken_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
