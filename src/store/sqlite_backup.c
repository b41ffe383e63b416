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
#include "store/part_file.h"
#include "store/sqlite_store.h"

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

static enum mneme_status begin(const char *path, struct mn_part_file *part, struct mneme_error *err)
{
    if (access(path, F_OK) == 0)
        return mn_fail(err, MNEME_CONFLICT, "file: %s is there already", path);
    MN_TRY(check_beside(path, err));
    return mn_part_file_begin(path, part, err);
}

static enum mneme_status keep(struct mn_part_file *part, const char *path, struct mneme_error *err)
{
    MN_TRY(check_beside(path, err));
    return mn_part_file_keep(part, path, err);
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
    (void)mn_sqlite_unread(from);
    code = sqlite3_backup_step(backup, -1);
    (void)sqlite3_backup_finish(backup);
    if (mn_sqlite_unread(from))
        return mn_fail(err, MNEME_UNAVAILABLE, "the store cannot be read: the disk fails");
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

enum mneme_status mn_sqlite_copy(struct mn_sqlite *from, const char *path, const void *key,
                                 size_t key_bytes, const void *new_key, size_t new_key_bytes,
                                 struct mneme_error *err)
{
    MN_SQLITE_AUTO to = NULL;
    int code = SQLITE_OK;

    MN_TRY(mn_sqlite_connect(path, MN_SQLITE_WRITE, key, key_bytes, &to, err));
    MN_TRY(mn_sqlite_run(to, SQL_SQLITE_SET_PAGE_SIZE, err));
    MN_TRY(copy_pages(from, to, err));
    if (new_key_bytes > 0) /* before there is a log: its pages could not be written under two keys */
        code = sqlite3_rekey(mn_sqlite_handle(to), new_key, (int)new_key_bytes);
    if (code != SQLITE_OK)
        return mn_sqlite_fail(to, code, err);
    MN_TRY(check_whole(to, err));
    MN_TRY(mn_sqlite_run(to, SQL_SQLITE_SET_JOURNAL_MODE, err));
    mn_sqlite_merge_at_close(to); /* and so no log is left */
    return MNEME_OK;
}

enum mneme_status mn_sqlite_backup(struct mn_store *store, const char *path, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_PART_FILE_AUTO part = { 0 };
    MN_KEY_AUTO key = { 0 };

    MN_TRY(begin(path, &part, err));
    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_store_key_copy(reading.store, &key, err));
    MN_TRY(mn_sqlite_copy(reading.db, part.path.at, key.at, key.bytes, NULL, 0, err));
    return keep(&part, path, err);
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
    MN_PART_FILE_AUTO part = { 0 };
    enum mneme_status status;

    if (!from_path)
        return mn_fail(err, MNEME_NOT_FOUND, "file: there is no %s (%s)", backup_path,
                       strerror(errno));
    status = mn_sqlite_connect(from_path, MN_SQLITE_IMMUTABLE, options->key, options->key_bytes,
                               &from, err);
    free(from_path);
    MN_TRY(status);
    MN_TRY(check_backup(from, backup_path, err));
    MN_TRY(begin(options->path, &part, err));
    MN_TRY(mn_sqlite_copy(from, part.path.at, options->key, options->key_bytes, NULL, 0,
                          err));
    made.path = part.path.at;
    made.create = made.read_only = false;
    MN_TRY(mn_store_sqlite_open(&made, &store, err));
    status = mn_store_note(store, "restore", actor, now_ms, err);
    mn_store_free(store);
    MN_TRY(status);
    return keep(&part, options->path, err);
}
