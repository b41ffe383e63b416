/*
 * sqlite_backup.c - the store as a whole in another file, and back.
 *
 * The copy is made by SQLite, page by page from one state of the store, while others read and write;
 * encrypted under the store's own key. It is made under another name, checked, and only then given the
 * name that was asked for, which must be free: so a file of that name is always whole, and neither a
 * full disk nor a crash touches what was there. A copy that is put back goes the same way and is
 * opened, brought to the present form and checked before it gets its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

/* A file under a name of its own; what is left of it goes when it is not kept. */
struct part {
    struct mn_buf path;
};

static void part_remove(struct part *part)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", ".lock" };
    size_t bytes = part->path.bytes;

    for (size_t i = 0; bytes > 0 && i < sizeof ends / sizeof *ends; i++) {
        MN_BUF_AUTO name = { 0 };

        mn_buf_printf(&name, "%.*s%s", (int)bytes, part->path.at, ends[i]);
        if (!name.failed)
            (void)unlink(name.at);
    }
    mn_buf_release(&part->path);
}
#define PART_AUTO MN_CLEANUP(part_remove) struct part

static enum mneme_status cannot(const char *path, struct mneme_error *err)
{
    int why = errno;

    if (why == EEXIST)
        return mn_fail(err, MNEME_CONFLICT, "file: %s is there already", path);
    if (why == ENOENT || why == ENOTDIR)
        return mn_fail(err, MNEME_NOT_FOUND, "file: there is no folder for %s", path);
    if (why == EACCES || why == EPERM || why == EROFS)
        return mn_fail(err, MNEME_FORBIDDEN, "file: %s cannot be made (%s)", path, strerror(why));
    return mn_fail(err, MNEME_UNAVAILABLE, "file: %s cannot be made (%s)", path, strerror(why));
}

/* What another store of this name left would be taken for this one's. */
static enum mneme_status check_beside(const char *path, struct mneme_error *err)
{
    MN_BUF_AUTO name = { 0 };
    struct mn_lock_file lock = { .fd = -1 };
    enum mneme_status status;

    MN_TRY(mn_sqlite_check_beside(path, err));
    mn_buf_printf(&name, "%s.lock", path);
    if (name.failed)
        return mn_fail_memory(err);
    if (access(name.at, F_OK) != 0)
        return MNEME_OK;
    MN_TRY(mn_lock_file_open(path, &lock, err));
    status = mn_lock_file_take(&lock, 0, NULL);
    mn_lock_file_close(&lock);
    if (status == MNEME_OK)
        return MNEME_OK;
    return mn_fail(err, MNEME_CONFLICT,
                   "file: %s is held by a process that uses another store of this name; stop it "
                   "first",
                   name.at);
}

static enum mneme_status part_make(const char *path, struct part *part, struct mneme_error *err)
{
    int fd;

    if (access(path, F_OK) == 0) {
        errno = EEXIST;
        return cannot(path, err);
    }
    MN_TRY(check_beside(path, err));
    mn_buf_printf(&part->path, "%s.part-XXXXXX", path);
    if (part->path.failed)
        return mn_fail_memory(err);
    fd = mkstemp(part->path.at); /* mode 0600 */
    if (fd < 0) {
        part->path.bytes = 0;
        return cannot(path, err);
    }
    (void)close(fd); /* nobody else has opened it */
    return MNEME_OK;
}

static bool sync_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        (void)close(fd);
    return done;
}

/* Gives it the name, which nobody has taken meanwhile. */
static enum mneme_status part_keep(struct part *part, const char *path, struct mneme_error *err)
{
    MN_BUF_AUTO folder = { 0 };
    MN_BUF_AUTO log = { 0 };
    const char *slash = strrchr(path, '/');

    mn_buf_printf(&log, "%s-wal", part->path.at);
    mn_buf_put(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    mn_buf_char(&folder, '.');
    if (folder.failed || log.failed)
        return mn_fail_memory(err);
    if (access(log.at, F_OK) == 0) /* the file alone would not be all of it */
        return mn_fail(err, MNEME_UNAVAILABLE, "file: %s could not be merged with its log", path);
    MN_TRY(check_beside(path, err));
    if (!sync_path(part->path.at, O_RDONLY))
        return mn_fail(err, MNEME_UNAVAILABLE, "file: %s cannot be made durable", path);
    if (link(part->path.at, path) != 0)
        return cannot(path, err);
    if (!sync_path(folder.at, O_RDONLY | O_DIRECTORY))
        return mn_fail(err, MNEME_UNAVAILABLE, "file: the folder of %s cannot be made durable", path);
    return MNEME_OK;
}

/* ---- copying ---- */

static enum mneme_status copy_pages(struct mn_sqlite *from, struct mn_sqlite *to,
                                    struct mneme_error *err)
{
    sqlite3_backup *backup =
        sqlite3_backup_init(mn_sqlite_handle(to), "main", mn_sqlite_handle(from), "main");
    int code;

    if (!backup)
        return mn_sqlite_fail(to, sqlite3_errcode(mn_sqlite_handle(to)), err);
    code = sqlite3_backup_step(backup, -1);
    (void)sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? MNEME_OK : mn_sqlite_fail(to, code, err);
}

/* Every page and row, and every index against its table. */
static enum mneme_status check_whole(struct mn_sqlite *db, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 20);
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    const char *found;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_INTEGRITY_CHECK, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    found = row ? mn_read_text(&reader) : "nothing in it";
    MN_TRY(mn_read_end(&reader, err));
    if (strcmp(found, "ok") != 0)
        return mn_fail(err, MNEME_CORRUPT, "file: the copy is damaged (%.200s)", found);
    return MNEME_OK;
}

/* Into an empty file, which then is a store that is closed. */
static enum mneme_status copy(struct mn_sqlite *from, const char *path, const void *key,
                              size_t key_bytes, struct mneme_error *err)
{
    MN_SQLITE_AUTO to = NULL;

    MN_TRY(mn_sqlite_connect(path, MN_SQLITE_WRITE, key, key_bytes, &to, err));
    MN_TRY(mn_sqlite_run(to, SQL_SQLITE_SET_PAGE_SIZE, err));
    MN_TRY(copy_pages(from, to, err));
    MN_TRY(check_whole(to, err));
    MN_TRY(mn_sqlite_run(to, SQL_SQLITE_SET_JOURNAL_MODE, err));
    mn_sqlite_merge_at_close(to); /* and so no log is left */
    return MNEME_OK;
}

enum mneme_status mn_sqlite_backup(struct mn_store *store, const char *path, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    PART_AUTO part = { 0 };

    MN_TRY(part_make(path, &part, err));
    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(copy(reading.db, part.path.at, reading.store->key, reading.store->key_bytes, err));
    return part_keep(&part, path, err);
}

/* ---- putting back ---- */

static enum mneme_status check_backup(struct mn_sqlite *from, const char *path,
                                      struct mneme_error *err)
{
    int64_t version = 0;

    MN_TRY(mn_sqlite_check_version(from, path, &version, err));
    if (version == 0)
        return mn_fail(err, MNEME_NOT_FOUND, "file: %s is no backup: it holds no store", path);
    return MNEME_OK;
}

enum mneme_status mn_store_sqlite_restore(const struct mn_store_options *options,
                                          const char *backup_path, const char *actor,
                                          int64_t now_ms, struct mneme_error *err)
{
    char *from_path = realpath(backup_path, NULL);
    MN_SQLITE_AUTO from = NULL;
    struct mn_store_options made = *options;
    struct mn_store *store = NULL;
    PART_AUTO part = { 0 };
    enum mneme_status status;

    if (!from_path)
        return mn_fail(err, MNEME_NOT_FOUND, "file: there is no %s (%s)", backup_path,
                       strerror(errno));
    status = mn_sqlite_connect(from_path, MN_SQLITE_IMMUTABLE, options->key, options->key_bytes,
                               &from, err);
    free(from_path);
    MN_TRY(status);
    MN_TRY(check_backup(from, backup_path, err));
    MN_TRY(part_make(options->path, &part, err));
    MN_TRY(copy(from, part.path.at, options->key, options->key_bytes, err));
    made.path = part.path.at;
    made.create = made.read_only = false;
    MN_TRY(mn_store_sqlite_open(&made, &store, err));
    status = mn_store_note(store, "restore", actor, now_ms, err);
    mn_store_free(store);
    MN_TRY(status);
    return part_keep(&part, options->path, err);
}
