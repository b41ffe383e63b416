/*
 * test_public_calls.c - every public call with each of its allocations failing in turn.
 *
 * malloc, calloc and realloc of the library and of what is linked into it go through the wraps below.
 * A call is repeated with the first, the second, ... allocation failing, until it runs through. Each
 * time it must either succeed (what failed was dispensable) or fail with a status, leave its outputs
 * untouched, leak nothing (the sanitizer sees to that) and leave the store as usable as before. A write
 * that failed must be there wholly or not at all.
 */
#include "fault/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARSE_FROM 500 /* the short form leaves out some behind that */
#define ALLOCATIONS_MAX 60000 /* of one call: erasing, with its scan, has some 20,000 */

static bool sparse = true;

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

static void survives_each_failure(const struct fault_call *call)
{
    long failures = 0, at;

    for (at = 1; at < ALLOCATIONS_MAX; at += 1 + (sparse && at > SPARSE_FROM ? at / 50 : 0)) {
        struct mneme_error err = { 0 };

        seen = 0;
        fail_at = at;
        enum mneme_status status = call->call(&err);
        long reached = seen;
        fail_at = 0;
        if (status != MNEME_OK) {
            failures++;
            if (err.status != status || !err.message[0])
                fail_msg("%s, allocation %ld: status %d without its message", call->name, at,
                         status);
        }
        if (reached < at) {
            if (status != MNEME_OK) /* it would never have come to its later allocations */
                fail_msg("%s fails where nothing failed: %s", call->name, err.message);
            break;
        }
    }
    print_message("%-45s %5ld allocations, %ld of them fail the call\n", call->name, at - 1,
                  failures);
    assert_true(at < ALLOCATIONS_MAX);
}

static void every_call_survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t i = 0; i < fault_call_count; i++)
        survives_each_failure(&fault_calls[i]);
}

/* Whoever adds a public call adds it to the loop. */
static void every_public_call_is_in_the_loop(void **state)
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
            bool found = false;

            if (sscanf(line, "MNEME_API enum mneme_status %127[a-z_](", name) != 1)
                continue;
            for (size_t k = 0; k < fault_call_count; k++)
                found = found || strstr(fault_calls[k].name, name);
            if (!found)
                fail_msg("%s is not in the loop (tests/fault/calls.c)", name);
            calls++;
        }
        (void)fclose(header);
    }
    assert_true(calls > 30);
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
        cmocka_unit_test(every_public_call_is_in_the_loop),
        cmocka_unit_test(every_call_survives_every_failing_allocation),
    };

    sparse = argc < 2 || strcmp(argv[1], "every") != 0;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
