/*
 * test_public_calls.c - every public call with each of its allocations failing in turn.
 *
 * malloc, calloc and realloc of the library and of what is linked into it go through the wraps below.
 * A call is repeated with the first, the second, ... allocation failing, until it runs through. Each
 * time it must either succeed (what failed was dispensable) or fail with a status, leave its outputs
 * untouched, leak nothing (the sanitizer sees to that) and leave the store as usable as before: what it
 * held is there, and the same call succeeds when nothing fails. A write that failed must be there wholly
 * or not at all.
 *
 * It goes through this twice: on a new handle and store each time, where the schema is read, statements are
 * prepared and the index is loaded within the call; and on a handle that has done the call before, which
 * has to go on after one failure for the next (unless the call opens what it works on, and both are one).
 *
 *   test_public_calls [every [GROUP]]   short of every: not all behind the first allocations;
 *                                       GROUP: of the calls that run (calls.h)
 */
#include "fault/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALLOCATIONS_MAX 60000 /* of one call */
#define SPARSE_FROM 100       /* the short form leaves out some behind that, */
#define SPARSE_FROM_NEW 10    /* on a new handle, which begins with what all calls do */
#define RENEW_EVERY 48        /* failures on a handle that has done the call */
#define WHOLE_EVERY 16        /* failures: the store is checked from end to end */

static bool sparse = true;
static const char *only_group; /* NULL: all */

/* ---- the failing allocator ---- */

static long fail_at;  /* 0: never; n: the n-th allocation from now */
static long seen;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);

static int fails(void)
{
    return fail_at && ++seen == fail_at;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
    return fails() ? NULL : __real_realloc(at, bytes);
}

long faults_pause(void)
{
    long paused = fail_at;

    fail_at = 0;
    return paused;
}

void faults_resume(long paused)
{
    fail_at = paused;
}

/* ---- the loop ---- */

static long failed_count; /* in all calls */

static void start(const struct fault_call *call, bool again)
{
    struct mneme_error err;

    assert_int_equal(faults_renew(), 0);
    if (again && call->call(&err) != MNEME_OK)
        fail_msg("%s fails where nothing failed: %s", call->name, err.message);
}

/* No write is there by half: its derived rows and its entries of the audit are what the rows say. */
static void assert_agrees(const struct fault_call *call, long at)
{
    struct mneme_error err;
    char *report = NULL;
    int clean = 0, sound = 0;

    if (mneme_reconcile(fault_handle, NULL, &clean, &report, &err) != MNEME_OK || !clean)
        fail_msg("%s, allocation %ld: %s", call->name, at, report ? report : err.message);
    mneme_free(report);
    if (mneme_audit_verify(fault_handle, NULL, &sound, NULL, &err) != MNEME_OK || !sound)
        fail_msg("%s, allocation %ld: the audit is not sound", call->name, at);
}

/* With the at-th allocation failing. Was there one? */
static bool fail_one(const struct fault_call *call, long at, enum mneme_status *ret_status)
{
    struct mneme_error err = { 0 };

    seen = 0;
    fail_at = at;
    enum mneme_status status = call->call(&err);
    long reached = seen;
    fail_at = 0;
    *ret_status = status;
    if (status != MNEME_OK && (err.status != status || !err.message[0]))
        fail_msg("%s, allocation %ld: status %d without its message", call->name, at, status);
    if (reached < at) {
        if (status != MNEME_OK) /* it would never have come to its later allocations */
            fail_msg("%s fails where nothing failed: %s", call->name, err.message);
        return false;
    }
    faults_assert_kept(call->name, at);
    if (status != MNEME_OK && call->call(&err) != MNEME_OK)
        fail_msg("%s, after failure %ld it fails again: %s", call->name, at, err.message);
    return true;
}

/* The store is had anew for each `renew_every` failures; `again`: on a handle that has done the call. */
static void survives_each_failure(const struct fault_call *call, long renew_every, bool again)
{
    const long sparse_from = again ? SPARSE_FROM : SPARSE_FROM_NEW;
    long failed = 0, failures = 0, at;
    time_t started = time(NULL);
    enum mneme_status status;

    for (at = 1; at < ALLOCATIONS_MAX; at += 1 + (sparse && at > sparse_from ? at / 8 : 0)) {
        if (failed % renew_every == 0)
            start(call, again);
        if (!fail_one(call, at, &status))
            break;
        failed++;
        failures += status != MNEME_OK;
        if (failed % WHOLE_EVERY == 0) {
            faults_assert_whole(call->name, at);
            assert_agrees(call, at);
        }
    }
    faults_assert_whole(call->name, at);
    assert_agrees(call, at);
    failed_count += failed;
    print_message("%-45s %5ld allocations failed, %5ld of them the call, %4ld s\n", call->name,
                  failed, failures, (long)(time(NULL) - started));
    assert_true(at < ALLOCATIONS_MAX);
}

static bool is_asked_for(const struct fault_group *group)
{
    return !only_group || strcmp(group->name, only_group) == 0;
}

static void run_all(long renew_every, bool again)
{
    failed_count = 0;
    for (size_t i = 0; i < fault_group_count; i++)
        for (size_t k = 0; k < fault_groups[i]->count; k++)
            if (!(again && fault_groups[i]->opens) && is_asked_for(fault_groups[i]))
                survives_each_failure(&fault_groups[i]->calls[k], renew_every, again);
    print_message("%ld allocations failed\n", failed_count);
}

static void every_call_survives_every_failing_allocation_on_a_new_handle(void **state)
{
    (void)state;
    run_all(1, false);
}

static void every_call_survives_every_failing_allocation_on_one_that_has_done_it(void **state)
{
    (void)state;
    run_all(RENEW_EVERY, true);
}

/* ---- that none is left out ---- */

/* As a word: mneme_remember is not in "mneme_remember_check". */
static bool names(const char *calls, const char *name)
{
    size_t bytes = strlen(name);

    for (const char *at = calls; (at = strstr(at, name)); at += bytes)
        if (at[bytes] != '_' && !islower((unsigned char)at[bytes]))
            return true;
    return false;
}

static size_t groups_with(const char *name)
{
    size_t groups = 0;

    for (size_t i = 0; i < fault_group_count; i++) {
        bool found = false;

        for (size_t k = 0; k < fault_groups[i]->count; k++)
            found = found || names(fault_groups[i]->calls[k].name, name);
        groups += found;
    }
    return groups;
}

/* Whoever adds a public call adds it to the loop. */
static void every_public_call_is_in_one_group(void **state)
{
    static const char *const headers[] = { "admin.h", "memory.h", "mneme.h", "remember.h",
                                           "retrieve.h" };
    size_t calls = 0;

    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char path[512], line[512], name[128];
        FILE *header;

        (void)snprintf(path, sizeof path, "%s/include/mneme/%s", MN_SOURCE_DIR, headers[i]);
        header = fopen(path, "r");
        assert_non_null(header);
        while (fgets(line, sizeof line, header)) {
            if (sscanf(line, "MNEME_API enum mneme_status %127[a-z_](", name) != 1)
                continue;
            if (groups_with(name) != 1)
                fail_msg("%s is in %zu groups (tests/fault/*_calls.c)", name, groups_with(name));
            calls++;
        }
        (void)fclose(header);
    }
    assert_true(calls > 30);
}

/* MN_FAULT_GROUPS is what ctest has an entry of the long form for, a space behind each. */
static void every_group_has_a_long_form(void **state)
{
    size_t asked_for = 0;
    char groups[256] = "";

    (void)state;
    for (size_t i = 0; i < fault_group_count; i++) {
        size_t bytes = strlen(groups);

        (void)snprintf(groups + bytes, sizeof groups - bytes, "%s ", fault_groups[i]->name);
        asked_for += is_asked_for(fault_groups[i]);
    }
    assert_string_equal(groups, MN_FAULT_GROUPS);
    assert_true(asked_for > 0); /* one of a name that there is */
}

static int set_up(void **state)
{
    (void)state;
    return faults_set_up("fault");
}

static int tear_down(void **state)
{
    (void)state;
    return faults_tear_down();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_call_is_in_one_group),
        cmocka_unit_test(every_group_has_a_long_form),
        cmocka_unit_test(every_call_survives_every_failing_allocation_on_one_that_has_done_it),
        cmocka_unit_test(every_call_survives_every_failing_allocation_on_a_new_handle),
    };

    sparse = argc < 2 || strcmp(argv[1], "every") != 0;
    only_group = argc > 2 ? argv[2] : NULL;
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* minutes pass from line to line */
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
