/*
 * lock_file.c - fcntl's locks of the open file description, so that a lock belongs to the open file
 * and not to the process: two handles in one process exclude each other too, and no other close()
 * gives it away.
 *
 * Two bytes are locked. The first is the turn; the second is the place of the one who comes next.
 * Who wants to write waits for that place and then for the turn. A process that writes without
 * pause therefore cannot take turn after turn while another one waits: the place is not free for
 * it.
 *
 * Waiting for a lock has no time limit, and a library must not use alarms: so it is tried, with
 * short pauses.
 */
#include "store/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

#define BYTE_TURN 0
#define BYTE_NEXT 1
#define PAUSE_MIN_US 20
#define PAUSE_MAX_US 1000

enum mneme_status mn_lock_file_open(const char *store_path, struct mn_lock_file *lock,
                                    struct mneme_error *err)
{
    MN_BUF_AUTO path = { 0 };
    struct stat store;
    mode_t mode = stat(store_path, &store) == 0 ? store.st_mode & 0666 : 0600;

    mn_buf_printf(&path, "%s.lock", store_path);
    if (path.failed)
        return mn_fail_memory(err);
    lock->fd = open(path.at, O_RDWR | O_CREAT | O_CLOEXEC, mode);
    if (lock->fd >= 0)
        return MNEME_OK;
    return mn_fail(err, errno == EMFILE || errno == ENFILE ? MNEME_UNAVAILABLE : MNEME_FORBIDDEN,
                   "the lock file %s cannot be opened (%s)", path.at, strerror(errno));
}

void mn_lock_file_close(struct mn_lock_file *lock)
{
    if (lock->fd >= 0)
        (void)close(lock->fd);
    lock->fd = -1;
}

static bool try_byte(const struct mn_lock_file *lock, off_t byte, short type)
{
    struct flock range = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

    return fcntl(lock->fd, F_OFD_SETLK, &range) == 0;
}

static enum mneme_status take_byte(const struct mn_lock_file *lock, off_t byte, int64_t until_us,
                                   int wait_ms, struct mneme_error *err)
{
    long pause_us = PAUSE_MIN_US;

    while (!try_byte(lock, byte, F_WRLCK)) {
        struct timespec pause = { 0, pause_us * 1000 };

        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return mn_fail(err, MNEME_UNAVAILABLE, "the store's lock file does not answer (%s)",
                           strerror(errno));
        if (mn_clock_monotonic_us() >= until_us)
            return mn_fail(err, MNEME_UNAVAILABLE,
                           "the store is busy: another process has been writing for %d s",
                           wait_ms / 1000);
        (void)nanosleep(&pause, NULL);
        pause_us = pause_us < PAUSE_MAX_US / 2 ? pause_us * 2 : PAUSE_MAX_US;
    }
    return MNEME_OK;
}

enum mneme_status mn_lock_file_take(struct mn_lock_file *lock, int wait_ms, struct mneme_error *err)
{
    int64_t until_us = mn_clock_monotonic_us() + (int64_t)wait_ms * 1000;
    enum mneme_status status;

    MN_TRY(take_byte(lock, BYTE_NEXT, until_us, wait_ms, err));
    status = take_byte(lock, BYTE_TURN, until_us, wait_ms, err);
    (void)try_byte(lock, BYTE_NEXT, F_UNLCK);
    return status;
}

void mn_lock_file_give(struct mn_lock_file *lock)
{
    (void)try_byte(lock, BYTE_TURN, F_UNLCK);
}
