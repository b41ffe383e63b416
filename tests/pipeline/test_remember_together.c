/*
 * test_remember_together.c - many writers at once, threads of one handle and whole processes: the same
 * text is one memory all the same, and no acknowledged write is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define WRITERS 6
#define TEXTS 30

static struct store_folder folder;

/* The same in another case; the same in other words. */
static const char *const CASES[] = { "buoy number %d is painted red", "Buoy number %d is painted red",
                                     "BUOY NUMBER %d IS PAINTED RED" };
static const char *const WORDINGS[] = { "The key of lock %d rotates every ninety days.",
                                        "The key of lock %d is rotated every 90 days.",
                                        "Key of lock %d rotates every ninety days" };

/* Writes all texts, each writer from another one on, each as it says them, with a source of its own. */
static enum mneme_status write_all(struct mneme *handle, const char *const said[3], int writer,
                                   struct mneme_error *err)
{

    for (int i = 0; i < TEXTS; i++) {
        struct mneme_memory m = MNEME_MEMORY_INIT;
        struct mneme_receipt receipt;
        char content[64], source[32];
        const char *sources[] = { source };

        snprintf(content, sizeof content, said[writer % 3], (i + writer * 5) % TEXTS);
        snprintf(source, sizeof source, "witness-%d", writer);
        m.tenant_id = "t";
        m.user_id = "ann";
        m.content = content;
        m.provenance = (struct mneme_list){ sources, 1 };
        enum mneme_status status = mneme_remember(handle, &m, NULL, &receipt, err);

        if (status != MNEME_OK)
            return status;
    }
    return MNEME_OK;
}

struct counted {
    int rows;
    int sources;
};

static int count_row(void *context, const struct mneme_record *record)
{
    struct counted *counted = context;

    counted->rows++;
    for (size_t i = 0; i < record->memory->provenance.count; i++) /* "merged:" is none */
        counted->sources += !strncmp(record->memory->provenance.item[i], "witness-", 8);
    return 0;
}

/* One row for each text, and in it every writer as a source. */
static void assert_each_once(struct mneme *handle)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct counted counted = { 0, 0 };
    struct mneme_error err;

    filter.tenant_id = "t";
    filter.user_id = "ann";
    filter.with_all_statuses = 1;
    assert_int_equal(mneme_list_memories(handle, &filter, count_row, &counted, &err), MNEME_OK);
    assert_int_equal(counted.rows, TEXTS);
    assert_int_equal(counted.sources, TEXTS * WRITERS);
}

struct writer {
    struct mneme *handle;
    const char *const *said;
    int number;
    enum mneme_status status;
    struct mneme_error err;
};

static void *run_writer(void *argument)
{
    struct writer *writer = argument;

    writer->status = write_all(writer->handle, writer->said, writer->number, &writer->err);
    return NULL;
}

static void write_by_threads(const char *const said[3])
{
    struct writer writer[WRITERS] = { 0 };
    pthread_t thread[WRITERS];
    struct mneme *handle = NULL;
    struct mneme_error err;

    assert_int_equal(store_folder_open(&folder, &handle, &err), MNEME_OK);
    for (int i = 0; i < WRITERS; i++) {
        writer[i].handle = handle;
        writer[i].said = said;
        writer[i].number = i;
        assert_int_equal(pthread_create(&thread[i], NULL, run_writer, &writer[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < WRITERS; i++)
        if (writer[i].status != MNEME_OK)
            fail_msg("%s", writer[i].err.message);
    assert_each_once(handle);
    mneme_close(handle);
}

static void threads_that_say_the_same_make_one_memory(void **state)
{
    (void)state;
    write_by_threads(CASES);
}

static void threads_that_reword_each_other_make_one_memory(void **state)
{
    (void)state;
    write_by_threads(WORDINGS);
}

static void write_by_processes(const char *const said[3])
{
    pid_t process[WRITERS];
    struct mneme *handle = NULL;
    struct mneme_error err;

    for (int i = 0; i < WRITERS; i++) {
        process[i] = fork();
        assert_true(process[i] >= 0);
        if (process[i])
            continue;
        int failed = store_folder_open(&folder, &handle, &err) != MNEME_OK ||
                     write_all(handle, said, i, &err) != MNEME_OK;
        if (failed)
            fprintf(stderr, "writer %d: %s\n", i, err.message);
        mneme_close(handle);
        _exit(failed);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;

        assert_int_equal(waitpid(process[i], &status, 0), process[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(store_folder_open(&folder, &handle, &err), MNEME_OK);
    assert_each_once(handle);
    mneme_close(handle);
}

static void processes_that_say_the_same_make_one_memory(void **state)
{
    (void)state;
    write_by_processes(CASES);
}

static void processes_that_reword_each_other_make_one_memory(void **state)
{
    (void)state;
    write_by_processes(WORDINGS);
}

static int set_up(void **state)
{
    (void)state;
    return store_folder_make(&folder, "together");
}

static int tear_down(void **state)
{
    (void)state;
    return store_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_that_say_the_same_make_one_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(threads_that_reword_each_other_make_one_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(processes_that_reword_each_other_make_one_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(processes_that_say_the_same_make_one_memory, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
