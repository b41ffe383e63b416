/*
 * file_locks.c - F_SETLK becomes F_OFD_SETLK for the bytes of the log's index.
 *
 * SQLite has one descriptor of the index for each file and process, and counts in memory who of its
 * connections holds what; so for the index a lock of the descriptor means what one of the process
 * means. The file itself is opened once for each connection; there SQLite needs what POSIX locks do
 * (one descriptor gives back what another took), and the guard stands beside them.
 *
 * The bytes are part of SQLite's file format: 120 to 128 of the index (eight locks, and the one
 * that says it is in use), and 510 bytes behind 0x40000002 of the file (shared).
 */
#include "store/file_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#define INDEX_FIRST 120
#define INDEX_END 129
#define SHARED_FIRST 0x40000002
#define SHARED_BYTES 510
#define GUARD_TRIES 1000 /* one a millisecond */

/* ---- the log's index ---- */

static int ofd_command(int command)
{
    switch (command) {
    case F_SETLK:
        return F_OFD_SETLK;
    case F_SETLKW:
        return F_OFD_SETLKW;
    case F_GETLK:
        return F_OFD_GETLK;
    default:
        return -1;
    }
}

static bool is_of_index(const struct flock *range)
{
    return range->l_whence == SEEK_SET && range->l_start >= INDEX_FIRST && range->l_len > 0 &&
           range->l_start + range->l_len <= INDEX_END;
}

/* As fcntl(2) is declared; SQLite gives a lock, or a number. */
static int lock_or_else(int fd, int command, ...)
{
    va_list arguments;
    int code;

    va_start(arguments, command);
    if (ofd_command(command) >= 0) {
        struct flock *range = va_arg(arguments, struct flock *);

        if (is_of_index(range)) {
            range->l_pid = 0;
            command = ofd_command(command);
        }
        code = fcntl(fd, command, range);
    } else {
        code = fcntl(fd, command, va_arg(arguments, int));
    }
    va_end(arguments);
    return code;
}

static void install(void)
{
    sqlite3_vfs *vfs = NULL;

    (void)sqlite3_initialize();
    vfs = sqlite3_vfs_find("unix");
    if (vfs && vfs->iVersion >= 3)
        (void)vfs->xSetSystemCall(vfs, "fcntl", (sqlite3_syscall_ptr)lock_or_else);
}

void mn_file_locks_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install);
}

/* ---- the file ---- */

static bool lock_shared(int fd, short type)
{
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = SHARED_FIRST, .l_len = SHARED_BYTES
    };

    return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

enum mneme_status mn_file_guard_open(const char *store_path, struct mn_file_guard *guard,
                                     struct mneme_error *err)
{
    int fd = open(store_path, O_RDONLY | O_CLOEXEC);
    struct stat about;

    if (fd < 0)
        return mn_fail(err,
                       errno == EMFILE || errno == ENFILE ? MNEME_UNAVAILABLE : MNEME_FORBIDDEN,
                       "the store at %s cannot be opened (%s)", store_path, strerror(errno));
    for (int tries = 0; !lock_shared(fd, F_RDLCK); tries++) {
        struct timespec pause = { 0, 1000000 };

        if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || tries == GUARD_TRIES) {
            (void)mn_fail(err, MNEME_UNAVAILABLE, "the store at %s cannot be locked (%s)",
                          store_path, strerror(errno));
            (void)close(fd);
            return MNEME_UNAVAILABLE;
        }
        (void)nanosleep(&pause, NULL);
    }
    if (fstat(fd, &about) != 0) {
        (void)mn_fail(err, MNEME_UNAVAILABLE, "the store at %s cannot be looked at (%s)", store_path,
                      strerror(errno));
        (void)close(fd);
        return MNEME_UNAVAILABLE;
    }
    *guard = (struct mn_file_guard){ fd, about.st_dev, about.st_ino };
    return MNEME_OK;
}

bool mn_file_guard_holds(const struct mn_file_guard *guard, const char *store_path)
{
    struct stat about;

    return guard->fd < 0 || (stat(store_path, &about) == 0 && about.st_dev == guard->device &&
                             about.st_ino == guard->number);
}

void mn_file_guard_yield(struct mn_file_guard *guard)
{
    if (guard->fd >= 0)
        (void)lock_shared(guard->fd, F_UNLCK);
}

void mn_file_guard_close(struct mn_file_guard *guard)
{
    if (guard->fd >= 0)
        (void)close(guard->fd);
    guard->fd = -1;
}
