/*
 * test_crash_writers.c - four processes of four threads write one store, and one of them is killed.
 *
 * usage: test_crash_writers [WRITES]         250 a thread
 *
 * Every tenth write of a thread answers one of a few keys that all threads share. The process that
 * is killed has half of its writes acknowledged by then. What was acknowledged is there once, each
 * key has one row that holds, and the file is whole.
 */
#include "crash/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 4
#define THREADS 4
#define KEYS 5

static int writes = 250;

struct ack {
    int process, thread, number;
};

static void name_write(const struct ack *ack, char content[160])
{
    (void)snprintf(content, 160, "Note %d-%d-%d: the harbour office keeps its own ledger.",
                   ack->process, ack->thread, ack->number);
}

/* ---- a writing process ---- */

struct thread {
    pthread_t thread;
    struct mneme *handle;
    struct ack ack;
    int told;
};

static void *write_all(void *argument)
{
    struct thread *self = argument;

    for (int i = 0; i < writes; i++) {
        struct mneme_memory memory = MNEME_MEMORY_INIT;
        struct mneme_error err;
        char content[160], key[32], value[32];

        self->ack.number = i;
        name_write(&self->ack, content);
        memory.tenant_id = "acme";
        memory.user_id = "ann";
        memory.type = "fact";
        memory.content = content;
        if (i % 10 == 0) {
            (void)snprintf(key, sizeof key, "harbour.ledger.%d", i / 10 % KEYS);
            (void)snprintf(value, sizeof value, "%d-%d-%d", self->ack.process, self->ack.thread, i);
            memory.memory_key = key;
            memory.value = value;
        }
        if (mneme_remember(self->handle, &memory, NULL, NULL, &err) != MNEME_OK) {
            fprintf(stderr, "write: %s\n", err.message);
            _exit(3);
        }
        if (write(self->told, &self->ack, sizeof self->ack) != (ssize_t)sizeof self->ack)
            _exit(4);
    }
    return NULL;
}

static void run_process(const struct place *place, int process, int told)
{
    struct mneme *handle = place_open(place->file);
    struct thread thread[THREADS];

    for (int i = 0; i < THREADS; i++) {
        thread[i] = (struct thread){ .handle = handle, .ack = { process, i, 0 }, .told = told };
        if (pthread_create(&thread[i].thread, NULL, write_all, &thread[i]))
            _exit(5);
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(thread[i].thread, NULL);
    mneme_close(handle);
    _exit(0);
}

/* ---- the test ---- */

struct acks {
    struct ack item[PROCESSES * THREADS * 2000];
    size_t count;
};

static pid_t begin_process(const struct place *place, int process, const int told[2])
{
    pid_t child = fork();

    if (child == 0) {
        (void)close(told[0]);
        run_process(place, process, told[1]);
    }
    return child;
}

/* Reads what is acknowledged, and kills the first process when it is half way. */
static void listen(int told, pid_t victim, struct acks *acks)
{
    int of_victim = 0;
    struct ack ack;

    while (read(told, &ack, sizeof ack) == (ssize_t)sizeof ack) {
        acks->item[acks->count++] = ack;
        of_victim += ack.process == 0;
        if (ack.process == 0 && of_victim == THREADS * writes / 2)
            assert_int_equal(kill(victim, SIGKILL), 0);
    }
}

static void check_store(const struct place *place, const struct acks *acks)
{
    struct mneme *handle = place_open(place->file);
    char content[160], integrity[200];
    struct rows rows;

    rows_read(handle, &rows);
    for (size_t i = 0; i < acks->count; i++) {
        name_write(&acks->item[i], content);
        if (rows_with(&rows, content) != 1)
            fail_msg("'%s' is there %zu times", content, rows_with(&rows, content));
    }
    for (int k = 0; k < KEYS; k++) {
        char key[32];
        size_t active = 0;

        (void)snprintf(key, sizeof key, "harbour.ledger.%d", k);
        for (size_t i = 0; i < rows.count; i++)
            active += rows.item[i].status == MNEME_ACTIVE && !strcmp(rows.item[i].key, key);
        if (active != 1)
            fail_msg("%zu rows hold for %s", active, key);
    }
    rows_free(&rows);
    mneme_close(handle);
    place_check_integrity(place->file, integrity);
    assert_string_equal(integrity, "ok");
}

static void what_was_acknowledged_is_there_once(void **state)
{
    static struct acks acks;
    struct place place = place_make();
    pid_t child[PROCESSES];
    int told[2];

    (void)state;
    acks.count = 0;
    assert_int_equal(pipe(told), 0);
    for (int i = 0; i < PROCESSES; i++)
        child[i] = begin_process(&place, i, told);
    (void)close(told[1]);
    listen(told[0], child[0], &acks);
    (void)close(told[0]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;

        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        if (i == 0)
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        else
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_true(acks.count >= (size_t)((PROCESSES - 1) * THREADS * writes));
    check_store(&place, &acks);
    place_remove(&place);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_was_acknowledged_is_there_once) };

    if (argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) <= 2000)
        writes = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
