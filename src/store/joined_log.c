/*
 * joined_log.c - a layer of SQLite's files that gathers what is written to a log.
 *
 * It stands below the layer that enciphers, so that what is gathered is what the file will hold.
 * Only logs are wrapped; other files are the system's own. What was gathered is written when the log
 * is to be made durable, measured or cut, goes on somewhere else or grows too long. A commit is seen
 * by others when SQLite says so in the log's index, which it does after that.
 *
 * Who reads gets what was gathered from memory, and nothing is written for him: the layer that
 * enciphers tells nobody that a read failed, so that a page that was not read would be taken for one
 * of zeros, and what was lost would be committed. A write that fails is told by the call that needed
 * it. What was gathered stays and is read as before, but cannot be written or made durable any more.
 * A transaction that is taken back lets go of what it gathered before another one may write to the
 * place.
 *
 * A log that grows makes the file system write down its new length with each commit, which takes the disk
 * as long again as the commit itself. So it grows ahead, by as much as it has and at most a few commits, in
 * zeros: no frame, to whoever reads it. Where they cannot be written it grows by what is needed.
 */
#include "store/joined_log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define NAME "mneme"
#define ENCIPHERED_NAME "multipleciphers-" NAME
#define GATHERED_MAX ((size_t)1 << 20)
#define WRITTEN_MAX ((size_t)1 << 16) /* in one call; SQLite's own file takes 128 KiB less one byte */
#define AHEAD_MIN ((sqlite3_int64)1 << 16) /* a shorter log is one of few commits */
#define AHEAD_MAX ((sqlite3_int64)1 << 19)
#define LET_GO 0x6d6e6c67 /* a file control of this layer's own: the transaction was taken back */

static sqlite3_vfs *below;

struct log_file {
    sqlite3_file base;
    char *gathered; /* NULL: no memory yet, or none */
    size_t bytes;
    size_t room;
    sqlite3_int64 at; /* where the first of them goes */
    sqlite3_int64 length; /* of the file, as far as is known: it may be longer */
    int failed; /* what a write of this transaction failed with, after which it cannot be committed */
    _Alignas(8) char real[]; /* the file of the layer below; as SQLite aligns files */
};

static sqlite3_file *real_of(sqlite3_file *file)
{
    return (sqlite3_file *)((struct log_file *)file)->real;
}

/* Behind `end`, where the file ended before that. */
static void grow_ahead(struct log_file *log, sqlite3_int64 end)
{
    static const char zeros[WRITTEN_MAX];
    sqlite3_file *real = real_of(&log->base);
    sqlite3_int64 until = end + (end < AHEAD_MAX ? end : AHEAD_MAX);

    for (; end < until; end = log->length) {
        sqlite3_int64 left = until - end;
        int count = (int)(left < (sqlite3_int64)WRITTEN_MAX ? left : (sqlite3_int64)WRITTEN_MAX);

        if (real->pMethods->xWrite(real, zeros, count, end) != SQLITE_OK)
            return;
        log->length = end + count;
    }
}

static int write_gathered(struct log_file *log)
{
    sqlite3_file *real = real_of(&log->base);
    size_t bytes = log->bytes;
    sqlite3_int64 end = log->at + (sqlite3_int64)bytes;
    bool grows = false;
    int code = SQLITE_OK;

    if (log->failed || !bytes)
        return log->failed;
    if (end > log->length) {
        code = real->pMethods->xFileSize(real, &log->length);
        grows = end > log->length;
    }
    for (size_t done = 0; code == SQLITE_OK && done < bytes; done += WRITTEN_MAX) {
        size_t left = bytes - done;

        code = real->pMethods->xWrite(real, log->gathered + done,
                                      (int)(left < WRITTEN_MAX ? left : WRITTEN_MAX),
                                      log->at + (sqlite3_int64)done);
    }
    if (code == SQLITE_OK && grows) {
        log->length = end;
        if (end >= AHEAD_MIN)
            grow_ahead(log, end);
    }
    if (code == SQLITE_OK)
        log->bytes = 0;
    log->failed = code;
    return code;
}

static bool make_room(struct log_file *log, size_t bytes)
{
    size_t room = log->room ? log->room : (size_t)64 << 10;
    char *more;

    while (room < bytes)
        room *= 2;
    if (room == log->room)
        return true;
    more = realloc(log->gathered, room);
    if (!more)
        return false;
    log->gathered = more;
    log->room = room;
    return true;
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    struct log_file *log = (struct log_file *)file;
    size_t more = (size_t)count;
    int code = log->failed;

    if (code == SQLITE_OK && log->bytes &&
        (at != log->at + (sqlite3_int64)log->bytes || log->bytes + more > GATHERED_MAX))
        code = write_gathered(log);
    if (code == SQLITE_OK && (more > GATHERED_MAX || !make_room(log, log->bytes + more))) {
        code = write_gathered(log);
        return code == SQLITE_OK ? real_of(file)->pMethods->xWrite(real_of(file), bytes, count, at)
                                 : code;
    }
    if (code != SQLITE_OK)
        return code;
    if (!log->bytes)
        log->at = at;
    memcpy(log->gathered + log->bytes, bytes, more);
    log->bytes += more;
    return SQLITE_OK;
}

/* What was gathered lies over what the file holds; a file that ends before it is one with a gap. */
static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at)
{
    const struct log_file *log = (struct log_file *)file;
    sqlite3_int64 end = at + count;
    sqlite3_int64 gathered_end = log->at + (sqlite3_int64)log->bytes;
    sqlite3_int64 from = at > log->at ? at : log->at;
    sqlite3_int64 until = end < gathered_end ? end : gathered_end;
    int code = SQLITE_OK;

    if (!log->bytes || from >= until)
        return real_of(file)->pMethods->xRead(real_of(file), bytes, count, at);
    if (from > at || until < end)
        code = real_of(file)->pMethods->xRead(real_of(file), bytes, count, at);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
        return code;
    memcpy((char *)bytes + (from - at), log->gathered + (from - log->at), (size_t)(until - from));
    return until == end ? SQLITE_OK : code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct log_file *log = (struct log_file *)file;
    int code = write_gathered(log);

    log->length = size < log->length ? size : log->length;
    return code == SQLITE_OK ? real_of(file)->pMethods->xTruncate(real_of(file), size) : code;
}

static int log_sync(sqlite3_file *file, int flags)
{
    int code = write_gathered((struct log_file *)file);

    return code == SQLITE_OK ? real_of(file)->pMethods->xSync(real_of(file), flags) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    int code = write_gathered((struct log_file *)file);

    return code == SQLITE_OK ? real_of(file)->pMethods->xFileSize(real_of(file), ret_size) : code;
}

/* What was not made durable was no commit. */
static int log_close(sqlite3_file *file)
{
    free(((struct log_file *)file)->gathered);
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int log_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int log_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int log_is_reserved(sqlite3_file *file, int *ret_reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_reserved);
}

static int log_control(sqlite3_file *file, int operation, void *argument)
{
    struct log_file *log = (struct log_file *)file;

    if (operation == LET_GO) {
        log->bytes = 0;
        log->failed = SQLITE_OK;
        return SQLITE_OK;
    }
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int log_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int log_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_is_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_device,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    struct log_file *log = (struct log_file *)file;
    int code;

    (void)vfs;
    if (!(flags & SQLITE_OPEN_WAL))
        return below->xOpen(below, name, file, flags, ret_flags);
    memset(log, 0, sizeof *log);
    code = below->xOpen(below, name, real_of(file), flags, ret_flags);
    if (code == SQLITE_OK)
        file->pMethods = &log_methods;
    return code;
}

/* ---- transactions that are taken back ---- */

void mn_joined_log_let_go(sqlite3 *handle)
{
    sqlite3_file *file = NULL;

    if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK &&
        file && file->pMethods)
        (void)file->pMethods->xFileControl(file, LET_GO, NULL);
}

static void taken_back(void *handle)
{
    mn_joined_log_let_go(handle);
}

void mn_joined_log_watch(sqlite3 *handle)
{
    (void)sqlite3_rollback_hook(handle, taken_back, handle);
}

/* ---- its place ---- */

static bool installed;

static void install(void)
{
    static sqlite3_vfs joined;

    if (sqlite3_initialize() != SQLITE_OK)
        return;
    below = sqlite3_vfs_find("unix");
    if (!below)
        return;
    joined = *below; /* its functions but one; they do not look whose they are */
    joined.zName = NAME;
    joined.pNext = NULL;
    joined.szOsFile = below->szOsFile + (int)sizeof(struct log_file);
    joined.xOpen = open_file;
    installed = sqlite3_vfs_register(&joined, 0) == SQLITE_OK &&
                sqlite3mc_vfs_create(NAME, 0) == SQLITE_OK;
}

const char *mn_joined_log_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install);
    return installed ? ENCIPHERED_NAME : NULL;
}
