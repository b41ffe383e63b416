/*
 * test_failing_world.c - every public call with each of its store calls, its file operations and its
 * model calls failing in turn.
 *
 * Store calls fail in a table of functions before the real one; file operations in the linker's wraps
 * of what SQLite and the library write, read, cut and sync with, as a full disk and as a broken one;
 * model calls in the fake model. After each failure: the status is named and the message says what
 * failed, the rows that were acknowledged are there, the file is whole, and the same call again
 * succeeds. The handle has done the call before and has to go on after one failure for the next; but a
 * broken disk is met by a new one each time, as the other has in memory what there is to read.
 *
 *   test_failing_world [every [PATTERN]]   short of every: not all behind the first failures;
 *                                          PATTERN: of the tests that run
 */
#include "fault/calls.h"

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
#include <sys/stat.h>
#include <unistd.h>

#include "engine/handle.h"
#include "fakes/fake_model.h"
#include "fakes/fake_store.h"
#include "model/model.h"
#include "search/search.h"

#define FAILURES_MAX 20000
#define SPARSE_FROM 40 /* the short form leaves out some behind that */
#define RENEW_EVERY 48 /* failures on one store and handle */

static bool sparse = true;

/* ---- what fails ---- */

enum kind { KIND_STORE, KIND_FULL, KIND_BROKEN, KIND_MODEL, KIND_COUNT };
static const char *const kind_names[] = { "store calls", "writes on a full disk",
                                          "operations on a broken disk", "model calls" };

static enum kind kind;
static bool armed;
static long fail_at; /* 1: the next */
static long seen;
static bool failed_before_pause;
static size_t model_calls; /* before it was armed */

static bool fails_now(void)
{
    return armed && ++seen == fail_at;
}

#define WRAP(result, name, parameters, arguments, writes)                                          \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        if ((kind == KIND_BROKEN || (kind == KIND_FULL && (writes))) && fails_now()) {             \
            errno = kind == KIND_FULL ? ENOSPC : EIO;                                              \
            return -1;                                                                             \
        }                                                                                          \
        return __real_##name arguments;                                                            \
    }

WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at),
     true)
WRAP(ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count), true)
WRAP(ssize_t, pread64, (int fd, void *bytes, size_t count, off_t at), (fd, bytes, count, at), false)
WRAP(int, ftruncate64, (int fd, off_t bytes), (fd, bytes), true)
WRAP(int, fdatasync, (int fd), (fd), false)
WRAP(int, fsync, (int fd), (fd), false)
WRAP(int, link, (const char *from, const char *to), (from, to), true)
WRAP(int, rename, (const char *from, const char *to), (from, to), true)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), true)

static void arm(long at)
{
    struct mneme *handle = fault_handle;

    seen = 0;
    fail_at = at;
    armed = true;
    if (kind == KIND_STORE)
        fake_store_fail(handle->world.store, (size_t)at, MNEME_UNAVAILABLE);
    if (kind == KIND_MODEL)
        fake_model_fail_after(handle->world.model, (size_t)at - 1, MNEME_UNAVAILABLE);
    model_calls = fake_model_calls(handle->world.model);
}

/* Nothing fails any more. Did anything? */
static bool disarm(void)
{
    struct mneme *handle = fault_handle;
    bool failed = seen >= fail_at;

    armed = false;
    if (kind == KIND_STORE)
        failed = fake_store_calls(handle->world.store) >= (size_t)fail_at;
    else if (kind == KIND_MODEL)
        failed = fake_model_calls(handle->world.model) - model_calls >= (size_t)fail_at;
    fake_store_fail(handle->world.store, 0, MNEME_OK);
    fake_model_fail_after(handle->world.model, 0, MNEME_OK);
    return failed;
}

/* The call may have got some way before it needs something made. */
long faults_pause(void)
{
    long paused = armed ? fail_at : 0;

    if (armed)
        failed_before_pause = disarm();
    return paused;
}

/* Counts from the beginning again, unless it failed before. */
void faults_resume(long paused)
{
    if (paused && !failed_before_pause)
        arm(paused);
}

/* What is wrong is named: a field, the store, the model, or the file. */
static bool names_it(const struct mneme_error *err)
{
    return err->field[0] || strstr(err->message, "store") || strstr(err->message, "model") ||
           strstr(err->message, fault_folder.path) || strstr(err->message, "disk");
}

/* ---- the loop ---- */

/* Fakes between the handle and its store and model. */
static int put_fakes_in(void)
{
    const struct mn_space space = { .dim = FAULT_DIM, .own_mean_share = 0.5F, .partition_k = 8 };
    struct mn_world *world = &fault_handle->world;
    struct mn_store *fake = fake_store_new(world->store);
    struct mneme_error err;

    if (!fake)
        return -1;
    world->store = fake;
    world->model = fake_model_with_tokens(FAULT_DIM);
    fault_handle->model_status[0] = '\0';
    mn_search_free(world->search);
    world->search = NULL;
    return world->model && mn_search_memory_new(&space, (size_t)1 << 28, &world->search, &err) ==
                               MNEME_OK
               ? 0
               : -1;
}

static void start(const struct fault_call *call)
{
    struct mneme_error err;

    assert_int_equal(faults_renew(), 0);
    assert_int_equal(put_fakes_in(), 0);
    if (kind != KIND_BROKEN && call->call(&err) != MNEME_OK)
        fail_msg("%s fails where nothing failed: %s", call->name, err.message);
}

static void survives_each_failure(const struct fault_call *call)
{
    long failed_count = 0, failures = 0, at;
    struct mneme_error err;

    for (at = 1; at < FAILURES_MAX; at += 1 + (sparse && at > SPARSE_FROM ? at / 8 : 0)) {
        if (kind == KIND_BROKEN || failed_count++ % RENEW_EVERY == 0)
            start(call);
        memset(&err, 0, sizeof err);
        failed_before_pause = false;
        arm(at);
        enum mneme_status status = call->call(&err);
        bool failed = failed_before_pause || disarm();

        if (!failed) {
            if (status != MNEME_OK)
                fail_msg("%s fails where nothing failed: %s", call->name, err.message);
            break;
        }
        if (status != MNEME_OK) {
            failures++;
            if (err.status != status || !err.message[0] || !names_it(&err))
                fail_msg("%s, failure %ld: status %s, message \"%s\"", call->name, at,
                         mneme_status_name(status), err.message);
        }
        faults_assert_kept(call->name, at);
        if (at % 8 == 1)
            faults_assert_whole(call->name, at);
        if (status != MNEME_OK && call->call(&err) != MNEME_OK)
            fail_msg("%s, after failure %ld it fails again: %s", call->name, at, err.message);
    }
    print_message("%-45s %4ld %s, %ld of them fail the call\n", call->name, at - 1,
                  kind_names[kind], failures);
    assert_true(at < FAILURES_MAX);
    faults_assert_whole(call->name, at);
}

static void run_all(enum kind what)
{
    kind = what;
    for (size_t i = 0; i < fault_group_count; i++)
        for (size_t k = 0; k < fault_groups[i]->count; k++)
            survives_each_failure(&fault_groups[i]->calls[k]);
}

static void every_call_survives_every_failing_store_call(void **state)
{
    (void)state;
    run_all(KIND_STORE);
}

static void every_call_survives_a_full_disk(void **state)
{
    (void)state;
    run_all(KIND_FULL);
}

static void every_call_survives_a_broken_disk(void **state)
{
    (void)state;
    run_all(KIND_BROKEN);
}

static void every_call_survives_every_failing_model_call(void **state)
{
    (void)state;
    run_all(KIND_MODEL);
}

static int set_up(void **state)
{
    (void)state;
    return faults_set_up("world");
}

static int tear_down(void **state)
{
    (void)state;
    return faults_tear_down();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_survives_every_failing_store_call),
        cmocka_unit_test(every_call_survives_a_full_disk),
        cmocka_unit_test(every_call_survives_a_broken_disk),
        cmocka_unit_test(every_call_survives_every_failing_model_call),
    };

    sparse = argc < 2 || strcmp(argv[1], "every") != 0;
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
