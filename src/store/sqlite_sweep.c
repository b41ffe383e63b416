/*
 * sqlite_sweep.c - after an erasure: the files put in order, and everything that is left shown, as
 * bytes and as texts.
 *
 * Deleted rows are overwritten in their pages and freed pages with zeros, but only the log holds those
 * pages until it is merged: so it is merged and cut to nothing. What a page held in its gaps when it
 * was split long ago is not a deleted row, and stays; the scan finds it, and then the whole file is
 * written anew.
 *
 * Pages are read through SQLite's own file, below its cache: that decrypts them, and closing a
 * descriptor of our own would drop the locks of this process. The same holds for the shared memory.
 * The log and the lock file have no locks of that kind.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/file_reads.h"
#include "store/sqlite_store.h"

#define PIECE_BYTES 65536
#define SHARED_REGION_BYTES 32768 /* as SQLite maps its log's index */

/* ---- putting in order ---- */

enum mneme_status mn_sqlite_merge_log(struct mn_sqlite *db, struct mneme_error *err)
{
    int64_t busy = 0;

    MN_TRY(mn_sqlite_integer(db, SQL_SQLITE_CHECKPOINT, &busy, err));
    if (busy)
        return mn_fail(err, MNEME_UNAVAILABLE,
                       "the store's log cannot be merged: another process has been reading for %d s",
                       MN_SQLITE_WAIT_MS / 1000);
    return MNEME_OK;
}

static enum mneme_status forget_mark(struct mn_sqlite *db, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_META_REMOVE, &stmt, err));
    mn_bind_text(stmt, ":name", MN_META_UNSETTLED);
    MN_TRY(mn_sqlite_done(stmt, err));
    mn_stmt_reset_at(&stmt);
    return mn_sqlite_merge_log(db, err);
}

static enum mneme_status compact(struct mn_sqlite *db, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_COMPACT, err));
    return mn_sqlite_merge_log(db, err);
}

static enum mneme_status settle(struct mn_sqlite *db, enum mn_settle step, struct mneme_error *err)
{
    char mark[32];

    switch (step) {
    case MN_SETTLE_LOG:
        return mn_sqlite_merge_log(db, err);
    case MN_SETTLE_COMPACT:
        return compact(db, err);
    case MN_SETTLE_DONE:
        return forget_mark(db, err);
    case MN_SETTLE_REST:
        break;
    }
    MN_TRY(mn_sqlite_meta(db, MN_META_UNSETTLED, mark, sizeof mark, err));
    if (mark[0] == '\0')
        return MNEME_OK;
    MN_TRY(compact(db, err));
    return forget_mark(db, err);
}

enum mneme_status mn_sqlite_erase_settle(struct mn_store *store, enum mn_settle step,
                                         struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    enum mneme_status status;

    MN_TRY(mn_turn_begin(self, err));
    status = settle(self->writer, step, err);
    mn_turn_end(self);
    return status;
}

enum mneme_status mn_sqlite_erase_key(struct mn_store *store, struct mn_arena *arena,
                                      const char **ret_key, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    char key[128];
    const char *copy;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_meta(reading.db, MN_META_RECEIPT_KEY, key, sizeof key, err));
    copy = mn_arena_copy(arena, key);
    if (!copy)
        return mn_fail_memory(err);
    *ret_key = copy;
    return MNEME_OK;
}

/* ---- bytes ---- */

static enum mneme_status page_bytes(struct mn_sqlite *db, int *ret_bytes, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_PAGE_SIZE, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    *ret_bytes = row ? (int)mn_read_integer(&reader) : 0;
    if (*ret_bytes < 512 || *ret_bytes > PIECE_BYTES)
        return mn_fail(err, MNEME_CORRUPT, "the store is damaged: pages of %d bytes", *ret_bytes);
    return MNEME_OK;
}

static enum mneme_status read_pages(struct mn_sqlite *db, sqlite3_file *file, void *page,
                                    mn_bytes_fn piece, void *context, struct mneme_error *err)
{
    sqlite3_int64 bytes = 0;
    int step = 0;
    int code;

    MN_TRY(page_bytes(db, &step, err));
    (void)mn_file_reads_failed();
    code = file->pMethods->xFileSize(file, &bytes);
    for (sqlite3_int64 at = 0; code == SQLITE_OK && at + step <= bytes; at += step) {
        code = file->pMethods->xRead(file, page, step, at);
        if (code == SQLITE_OK)
            piece(context, "store", page, (size_t)step);
    }
    if (code == SQLITE_OK && mn_file_reads_failed())
        code = SQLITE_IOERR_READ;
    return code == SQLITE_OK ? MNEME_OK : mn_sqlite_fail(db, code, err);
}

static void read_shared(sqlite3_file *file, mn_bytes_fn piece, void *context)
{
    void volatile *region = NULL;

    if (file->pMethods->iVersion < 2)
        return;
    for (int i = 0; file->pMethods->xShmMap(file, i, SHARED_REGION_BYTES, 0, &region) == SQLITE_OK &&
                    region;
         i++)
        piece(context, "shared memory", (const void *)(uintptr_t)region, SHARED_REGION_BYTES);
}

/* A file beside the store's, which need not be there. */
static enum mneme_status read_beside(const char *store_path, const char *end, const char *part,
                                     void *room, mn_bytes_fn piece, void *context,
                                     struct mneme_error *err)
{
    MN_BUF_AUTO path = { 0 };
    ssize_t got = -1;
    int fd;

    mn_buf_printf(&path, "%s%s", store_path, end);
    if (path.failed)
        return mn_fail_memory(err);
    fd = open(path.at, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return MNEME_OK;
    while (fd >= 0 && (got = read(fd, room, PIECE_BYTES)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        piece(context, part, room, (size_t)got);
    }
    if (fd >= 0)
        (void)close(fd);
    if (got < 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s cannot be read (%s)", path.at, strerror(errno));
    return MNEME_OK;
}

enum mneme_status mn_sqlite_bytes(struct mn_store *store, mn_bytes_fn piece, void *context,
                                  struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_ARENA_AUTO arena = mn_arena_new(2 * PIECE_BYTES);
    void *room = mn_arena_alloc(arena, PIECE_BYTES);
    sqlite3_file *file = NULL;
    const char *path;

    if (!room)
        return mn_fail_memory(err);
    MN_TRY(mn_reading_begin(store, &reading, err));
    if (sqlite3_file_control(mn_sqlite_handle(reading.db), "main", SQLITE_FCNTL_FILE_POINTER,
                             &file) != SQLITE_OK ||
        !file || !file->pMethods)
        return mn_fail(err, MNEME_UNAVAILABLE, "the store's file cannot be read as it is");
    path = reading.store->path;
    MN_TRY(read_pages(reading.db, file, room, piece, context, err));
    read_shared(file, piece, context);
    MN_TRY(read_beside(path, "-wal", "log", room, piece, context, err));
    return read_beside(path, ".lock", "lock", room, piece, context, err);
}

/* ---- texts ---- */

static const struct {
    const char *sql;
    enum mn_kept_kind kind;
} tables[] = {
    { SQL_SQLITE_KEPT_MEMORIES, MN_KEPT_MEMORY },
    { SQL_SQLITE_KEPT_HISTORY, MN_KEPT_HISTORY },
    { SQL_SQLITE_KEPT_EVENTS, MN_KEPT_EVENT },
    { SQL_SQLITE_KEPT_VECTORS, MN_KEPT_VECTOR },
    { SQL_SQLITE_KEPT_TRACES, MN_KEPT_TRACE },
    { SQL_SQLITE_KEPT_USAGE, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_CHANGES, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_MENTIONS, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_RULES, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_EDGES, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_ENTITIES, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_TASK_STATES, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_CLARIFICATIONS, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_SESSIONS, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_REQUESTS, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_EXTRACTIONS, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_ARCHIVED, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_ARCHIVE_OBJECTS, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_AUDIT, MN_KEPT_OTHER },
    { SQL_SQLITE_KEPT_AUDIT_NAMES, MN_KEPT_OTHER },
};

/* tenant, owner, id, created_at_ms, how many of the texts were written as such, the texts. */
static enum mneme_status give_row(struct mn_stmt *stmt, enum mn_kept_kind kind, mn_kept_fn text,
                                  void *context, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 20);
    struct mn_reader reader = { .stmt = stmt, .arena = arena };
    struct mn_kept_text kept = { .kind = kind };
    size_t said;

    kept.tenant = mn_read_text(&reader);
    kept.owner = mn_read_text(&reader);
    kept.id = mn_read_text(&reader);
    kept.created_at_ms = mn_read_integer(&reader);
    said = (size_t)mn_read_integer(&reader);
    MN_TRY(mn_read_end(&reader, err));
    kept.text = mn_str_of(kept.id);
    text(context, &kept);
    for (size_t i = 0; i + 5 < mn_stmt_columns(stmt); i++) {
        kept.text.at = mn_read_bytes(&reader, &kept.text.bytes);
        kept.said = i < said;
        if (kept.text.at)
            text(context, &kept);
    }
    return MNEME_OK;
}

enum mneme_status mn_sqlite_texts(struct mn_store *store, const char *tenant, mn_kept_fn text,
                                  void *context, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };

    MN_TRY(mn_reading_begin(store, &reading, err));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        MN_STMT_AUTO stmt = NULL;
        bool row = false;

        MN_TRY(mn_sqlite_prepare(reading.db, tables[i].sql, &stmt, err));
        if (tenant)
            mn_bind_text(stmt, ":tenant", tenant);
        else
            mn_bind_null(stmt, ":tenant");
        for (;;) {
            MN_TRY(mn_sqlite_step(stmt, &row, err));
            if (!row)
                break;
            MN_TRY(give_row(stmt, tables[i].kind, text, context, err));
        }
    }
    return MNEME_OK;
}
