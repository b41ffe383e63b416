/*
 * test_open_together.c - many processes open one new path at the same moment, and each writes a row.
 *
 * usage: test_open_together [ROUNDS]         10, of each kind
 *
 * Whoever comes while another one makes the store waits or goes on with it: none is refused, no row is
 * lost, and there is one store.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define PROCESSES 8
#define LATE_MAX_US 40000

static int rounds = 10;

struct kind {
    const char *key; /* NULL: plain */
    int per_tenant;
};

static enum mneme_status open_it(const struct store_folder *folder, const struct kind *kind,
                                 struct mneme **ret_handle, struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    options.store_path = folder->store;
    options.create = 1;
    options.tokenizer = "estimate";
    options.key = kind->key;
    options.key_bytes = kind->key ? strlen(kind->key) : 0;
    options.per_tenant = kind->per_tenant;
    return mneme_open(&options, ret_handle, err);
}

/* Of a process of its own; the exit code says how far it came. */
static void open_and_write(const struct store_folder *folder, const struct kind *kind, int number,
                           int late_us, int begin)
{
    struct timespec late = { 0, late_us * 1000L };
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme *handle = NULL;
    struct mneme_error err;
    char content[64], go;

    (void)snprintf(content, sizeof content, "Berth %d is let to the pilots.", number);
    memory.tenant_id = "acme";
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = content;
    if (read(begin, &go, 1) < 0) /* the end of the pipe: all at once */
        _exit(2);
    (void)nanosleep(&late, NULL);
    if (open_it(folder, kind, &handle, &err) != MNEME_OK) {
        fprintf(stderr, "open: %s\n", err.message);
        _exit(3);
    }
    if (mneme_remember(handle, &memory, NULL, NULL, &err) != MNEME_OK) {
        fprintf(stderr, "write: %s\n", err.message);
        _exit(4);
    }
    mneme_close(handle);
    _exit(0);
}

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(size_t *)context;
    return 0;
}

static void check_rows(const struct store_folder *folder, const struct kind *kind)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme *handle = NULL;
    struct mneme_error err;
    size_t count = 0;
    int clean = 0;

    if (open_it(folder, kind, &handle, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    filter.tenant_id = "acme";
    filter.user_id = "ann";
    assert_int_equal(mneme_list_memories(handle, &filter, count_row, &count, &err), MNEME_OK);
    assert_int_equal(count, PROCESSES);
    assert_int_equal(mneme_reconcile(handle, NULL, &clean, NULL, &err), MNEME_OK);
    assert_int_equal(clean, 1);
    mneme_close(handle);
}

/* Half of them at once, the others anywhere in the making of it. */
static int late_us(int round, int number)
{
    return number % 2 ? (round * 7919 + number * 3571) % LATE_MAX_US : 0;
}

static void open_together(const struct kind *kind)
{
    for (int round = 0; round < rounds; round++) {
        struct store_folder folder;
        pid_t process[PROCESSES];
        int begin[2];

        assert_int_equal(store_folder_make(&folder, "together"), 0);
        assert_int_equal(pipe(begin), 0);
        for (int i = 0; i < PROCESSES; i++) {
            process[i] = fork();
            assert_true(process[i] >= 0);
            if (process[i] == 0) {
                (void)close(begin[1]);
                open_and_write(&folder, kind, i, late_us(round, i), begin[0]);
            }
        }
        (void)close(begin[0]);
        (void)close(begin[1]);
        for (int i = 0; i < PROCESSES; i++) {
            int status = 0;

            assert_int_equal(waitpid(process[i], &status, 0), process[i]);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                fail_msg("round %d, process %d: %x", round, i, (unsigned)status);
        }
        check_rows(&folder, kind);
        assert_int_equal(store_folder_remove(&folder), 0);
    }
}

static void a_plain_file(void **state)
{
    (void)state;
    open_together(&(struct kind){ NULL, 0 });
}

static void an_encrypted_file(void **state)
{
    (void)state;
    open_together(&(struct kind){ "the harbour master's word", 0 });
}

static void a_folder_of_files(void **state)
{
    (void)state;
    open_together(&(struct kind){ NULL, 1 });
}

static void a_folder_of_files_with_keys(void **state)
{
    (void)state;
    open_together(&(struct kind){ "the harbour master's word", 1 });
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_file),
        cmocka_unit_test(an_encrypted_file),
        cmocka_unit_test(a_folder_of_files),
        cmocka_unit_test(a_folder_of_files_with_keys),
    };

    if (argc > 1)
        rounds = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
