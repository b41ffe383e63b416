/*
 * steps.c - the wraps, and the process.
 */
#include "crash/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static long planned;   /* the step at which it dies; 0: none */
static long steps;     /* taken */
static long steps_end; /* planned, once they count */

void steps_count(void)
{
    steps = 0;
    steps_end = planned;
}

static bool dies_here(void)
{
    return ++steps == steps_end;
}

static void die(void)
{
    (void)kill(getpid(), SIGKILL);
}

ssize_t __real_pwrite64(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    if (dies_here()) {
        if (steps % 2)
            (void)!__real_pwrite64(fd, bytes, count / 2, at);
        die();
    }
    return __real_pwrite64(fd, bytes, count, at);
}

ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (dies_here()) {
        if (steps % 2)
            (void)!__real_write(fd, bytes, count / 2);
        die();
    }
    return __real_write(fd, bytes, count);
}

#define WRAP(result, name, parameters, arguments)                                                  \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        if (dies_here())                                                                           \
            die();                                                                                 \
        return __real_##name arguments;                                                            \
    }
WRAP(int, ftruncate64, (int fd, off_t size), (fd, size))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(int, link, (const char *from, const char *to), (from, to))
WRAP(int, unlink, (const char *name), (name))

void steps_run(void (*work)(void *context), void *context, long end, long *ret_steps)
{
    int told[2], status = 0;
    pid_t child;

    assert_int_equal(pipe(told), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(told[0]);
        planned = end;
        work(context);
        if (__real_write(told[1], &steps, sizeof steps) != (ssize_t)sizeof steps)
            _exit(4);
        die();
    }
    (void)close(told[1]);
    if (read(told[0], ret_steps, sizeof *ret_steps) != (ssize_t)sizeof *ret_steps)
        *ret_steps = -1;
    (void)close(told[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
