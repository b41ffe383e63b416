/*
 * store_key.c - a key from a file, from the environment or from a command's standard output.
 *
 * The bytes go straight from the descriptor into the caller's buffer, which is wiped on every way
 * out; no stream and no growing buffer keeps a copy. A command runs in a process group of its own with
 * nothing on its standard input, so that all of it can be ended when it takes too long.
 */
#include "cli/store_key.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

extern char **environ;

void cli_key_wipe(struct cli_key *key)
{
    explicit_bzero(key, sizeof *key);
}

/* Line ends behind the key are no part of it. */
static enum mneme_status trim(struct cli_key *key, const char *named, struct mneme_error *err)
{
    while (key->bytes > 0 && strchr("\r\n", key->text[key->bytes - 1]))
        key->text[--key->bytes] = '\0';
    if (key->bytes == 0)
        return mn_fail(err, MNEME_INVALID, "%s: the key is empty", named);
    return MNEME_OK;
}

/* ---- a descriptor to its end ---- */

enum got { GOT_END, GOT_TOO_MUCH, GOT_TOO_LATE, GOT_FAULT };

/* until_us 0: however long it takes. */
static enum got read_all(int fd, int64_t until_us, struct cli_key *key)
{
    for (;;) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int64_t left_ms = until_us ? (until_us - mn_clock_monotonic_us()) / 1000 : -1;
        char beyond;
        ssize_t got;

        if (until_us && left_ms <= 0)
            return GOT_TOO_LATE;
        if (poll(&ready, 1, (int)left_ms) < 0 && errno != EINTR)
            return GOT_FAULT;
        if (!ready.revents)
            continue;
        if (key->bytes == CLI_KEY_BYTES_MAX) {
            got = read(fd, &beyond, 1);
            if (got > 0)
                return GOT_TOO_MUCH;
        } else {
            got = read(fd, key->text + key->bytes, CLI_KEY_BYTES_MAX - key->bytes);
        }
        if (got == 0)
            return GOT_END;
        if (got < 0 && errno != EINTR)
            return GOT_FAULT;
        if (got > 0)
            key->bytes += (size_t)got;
    }
}

/* ---- a file ---- */

static enum mneme_status from_file(const char *named, const char *path, struct cli_key *key,
                                   struct mneme_error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    enum got got;

    if (fd < 0)
        return mn_fail(err, MNEME_NOT_FOUND, "%s: cannot read %s", named, path);
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        (void)close(fd);
        return mn_fail(err, MNEME_INVALID, "%s: %s is a folder, not a file", named, path);
    }
    got = read_all(fd, 0, key);
    if (!is_input)
        (void)close(fd);
    if (got == GOT_TOO_MUCH)
        return mn_fail(err, MNEME_LIMIT, "%s: %s has more than %d bytes", named, path,
                       CLI_KEY_BYTES_MAX);
    if (got != GOT_END)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: reading %s failed", named, path);
    return trim(key, named, err);
}

/* ---- a command ---- */

static enum mneme_status spawn(const char *named, const char *command, int output, pid_t *ret_child,
                               struct mneme_error *err)
{
    char shell[] = "sh", of_text[] = "-c";
    char *const arguments[] = { shell, of_text, (char *)command, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int code = posix_spawn_file_actions_init(&files);

    if (code != 0)
        return mn_fail_memory(err);
    code = posix_spawnattr_init(&how);
    if (code != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return mn_fail_memory(err);
    }
    code = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    if (code == 0)
        code = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (code == 0)
        code = posix_spawn(ret_child, "/bin/sh", &files, &how, arguments, environ);
    (void)posix_spawnattr_destroy(&how);
    (void)posix_spawn_file_actions_destroy(&files);
    if (code != 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: cannot be run (%s)", named, strerror(code));
    return MNEME_OK;
}

/* Waits for it, at most until until_us and not at all when it is to end now: then all of its group is
 * ended, and *ret_late says so. The exit code; -1: ended by a signal. */
static int end_child(pid_t child, bool now, int64_t until_us, bool *ret_late)
{
    int status = 0;
    pid_t done = 0;

    while (!now && done == 0) {
        struct timespec pause = { 0, 2000000 };

        done = waitpid(child, &status, WNOHANG);
        if (done < 0 && errno == EINTR)
            done = 0;
        now = done == 0 && mn_clock_monotonic_us() >= until_us;
        if (done == 0 && !now)
            (void)nanosleep(&pause, NULL);
    }
    *ret_late = now;
    if (now) {
        (void)kill(-child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static enum mneme_status judge(const char *named, enum got got, int code, struct mneme_error *err)
{
    if (got == GOT_TOO_MUCH)
        return mn_fail(err, MNEME_LIMIT, "%s: gives more than %d bytes", named, CLI_KEY_BYTES_MAX);
    if (got == GOT_TOO_LATE)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: did not end in %d s", named,
                       CLI_KEY_COMMAND_MS / 1000);
    if (got == GOT_FAULT)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: its output cannot be read", named);
    if (code > 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: ended with code %d", named, code);
    if (code < 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: was ended by a signal", named);
    return MNEME_OK;
}

static enum mneme_status from_command(const char *named, const char *command, struct cli_key *key,
                                      struct mneme_error *err)
{
    int64_t until_us = mn_clock_monotonic_us() + CLI_KEY_COMMAND_MS * INT64_C(1000);
    enum mneme_status status;
    int ends[2];
    bool late = false;
    enum got got;
    pid_t child;
    int code;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s: cannot be run (%s)", named, strerror(errno));
    status = spawn(named, command, ends[1], &child, err);
    (void)close(ends[1]);
    if (status == MNEME_OK) {
        got = read_all(ends[0], until_us, key);
        code = end_child(child, got != GOT_END, until_us, &late);
        status = judge(named, got == GOT_END && late ? GOT_TOO_LATE : got, code, err);
    }
    (void)close(ends[0]);
    return status == MNEME_OK ? trim(key, named, err) : status;
}

/* ---- one of them ---- */

static enum mneme_status from_environment(const struct cli_key_source *source, struct cli_key *key,
                                          struct mneme_error *err)
{
    const char *text = getenv(source->text_variable);
    const char *file = getenv(source->file_variable);
    const char *command = getenv(source->command_variable);

    if (!mn_empty(text) + !mn_empty(file) + !mn_empty(command) > 1)
        return mn_fail(err, MNEME_INVALID, "of $%s, $%s and $%s only one may be set",
                       source->text_variable, source->file_variable, source->command_variable);
    if (!mn_empty(file))
        return from_file(source->file_option, file, key, err);
    if (!mn_empty(command))
        return from_command(source->command_option, command, key, err);
    if (mn_empty(text))
        return MNEME_OK;
    if (strlen(text) > CLI_KEY_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "$%s: more than %d bytes", source->text_variable,
                       CLI_KEY_BYTES_MAX);
    key->bytes = strlen(text);
    memcpy(key->text, text, key->bytes);
    return trim(key, source->text_variable, err);
}

static enum mneme_status get(const struct cli_key_source *source, struct cli_key *key,
                             struct mneme_error *err)
{
    if (!mn_empty(source->file) && !mn_empty(source->command))
        return mn_fail(err, MNEME_INVALID, "%s: goes without %s", source->file_option,
                       source->command_option);
    if (!mn_empty(source->file))
        return from_file(source->file_option, source->file, key, err);
    if (!mn_empty(source->command))
        return from_command(source->command_option, source->command, key, err);
    return from_environment(source, key, err);
}

enum mneme_status cli_key_get(const struct cli_key_source *source, struct cli_key *ret_key,
                              struct mneme_error *err)
{
    CLI_KEY_AUTO key = { 0 };

    MN_TRY(get(source, &key, err));
    memcpy(ret_key, &key, sizeof key);
    return MNEME_OK;
}
