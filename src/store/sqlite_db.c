/*
 * sqlite_db.c - one connection: opened with its key and settings, its statements kept.
 *
 * Statements are kept in a table under the address of their text, which is static.
 *
 * SQLite says "file is not a database" of a foreign file, a damaged one, one under another key and
 * one under none. The first bytes tell them apart: the cipher leaves bytes 16 to 23 of the header
 * in clear. They are read through SQLite's own file, because closing any other descriptor of the
 * database would drop the locks this process holds on it.
 */
#include "store/sqlite_db.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/file_reads.h"
#include "store/joined_log.h"
#include "store/sqlite_stmt.h"

#define STATEMENTS_MAX 256 /* a power of two, well above their number */

struct mn_sqlite {
    sqlite3 *handle;
    bool unread; /* a read failed: the transaction goes back, and pages in memory are read again */
    struct {
        const char *sql;
        struct mn_stmt stmt;
    } kept[STATEMENTS_MAX];
};

/* ---- errors ---- */

static enum mneme_status fail_unread(struct mneme_error *err)
{
    return mn_fail(err, MNEME_UNAVAILABLE, "the store cannot be read: the disk fails");
}

bool mn_sqlite_unread(struct mn_sqlite *db)
{
    bool unread = mn_file_reads_failed();

    db->unread = db->unread || unread;
    return unread;
}

bool mn_sqlite_is_spoiled(const struct mn_sqlite *db)
{
    return db->unread;
}

/* No room, in the words of the system: also for the shared memory beside the store, which readers want
 * too, and beyond a quota or the limit of this process. */
static bool has_no_room(struct mn_sqlite *db, int code)
{
    int why = db && db->handle ? sqlite3_system_errno(db->handle) : 0;

    if (code == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE)
        return true;
    return (code & 0xff) == SQLITE_IOERR && (why == ENOSPC || why == EDQUOT || why == EFBIG);
}

enum mneme_status mn_sqlite_fail(struct mn_sqlite *db, int code, struct mneme_error *err)
{
    const char *why = db && db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);

    if (code == SQLITE_IOERR_NOMEM)
        return mn_fail_memory(err);
    if (db ? mn_sqlite_unread(db) : mn_file_reads_failed())
        return fail_unread(err);
    if (has_no_room(db, code))
        return mn_fail(err, MNEME_UNAVAILABLE, "the store cannot grow: the disk is full");
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return mn_fail_memory(err);
    case SQLITE_TOOBIG:
        return mn_fail(err, MNEME_LIMIT, "the store cannot hold so much in one row");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return mn_fail(err, MNEME_UNAVAILABLE, "the store is busy: another process holds it");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return mn_fail(err, MNEME_FORBIDDEN, "the store cannot be written (%s)", why);
    case SQLITE_CONSTRAINT:
        return mn_fail(err, MNEME_CONFLICT, "the store holds such a row already");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR: /* statements are tested: a table or column is not as it should be */
        return mn_fail(err, MNEME_CORRUPT, "the store is damaged (%s)", why);
    default:
        return mn_fail(err, MNEME_UNAVAILABLE, "the store does not answer (%s)", why);
    }
}

/* ---- opening ---- */

/* "file:" and the path, with what has a meaning in a URI escaped. */
static enum mneme_status make_uri(const char *path, struct mn_buf *uri, struct mneme_error *err)
{
    mn_buf_text(uri, "file:");
    for (; *path; path++) {
        if (*path == '%' || *path == '?' || *path == '#')
            mn_buf_printf(uri, "%%%02x", (unsigned)(unsigned char)*path);
        else
            mn_buf_char(uri, *path);
    }
    mn_buf_text(uri, "?immutable=1");
    return uri->failed ? mn_fail_memory(err) : MNEME_OK;
}

static int open_immutable(const char *path, sqlite3 **ret_handle)
{
    MN_BUF_AUTO uri = { 0 };

    if (make_uri(path, &uri, NULL) != MNEME_OK)
        return SQLITE_NOMEM;
    return sqlite3_open_v2(uri.at, ret_handle,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                               SQLITE_OPEN_EXRESCODE,
                           NULL);
}

/* Why is it "not a database"? */
static enum mneme_status judge_header(const char *path, bool with_key, struct mneme_error *err)
{
    static const char plain[] = "SQLite format 3";
    unsigned char head[24] = { 0 };
    sqlite3_file *file = NULL;
    sqlite3 *handle = NULL;
    bool read = false;
    unsigned page;

    if (open_immutable(path, &handle) == SQLITE_OK &&
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file)
        read = file->pMethods->xRead(file, head, sizeof head, 0) == SQLITE_OK;
    (void)sqlite3_close(handle);

    if (read && memcmp(head, plain, sizeof plain) == 0) {
        if (with_key)
            return mn_fail(err, MNEME_FORBIDDEN, "key: the store at %s is not encrypted", path);
        return mn_fail(err, MNEME_CORRUPT, "the store at %s is damaged: its header is wrong", path);
    }
    page = (unsigned)head[16] << 8 | head[17];
    if (read && (page == 1 || (page >= 512 && (page & (page - 1)) == 0)) && head[21] == 64 &&
        head[22] == 32 && head[23] == 32) {
        if (with_key)
            return mn_fail(err, MNEME_FORBIDDEN, "key: wrong for the store at %s", path);
        return mn_fail(err, MNEME_FORBIDDEN, "key: missing; the store at %s is encrypted", path);
    }
    return mn_fail(err, MNEME_CORRUPT, "%s is not a mneme store", path);
}

static int settle(sqlite3 *handle)
{
    static const char *const settings[] = { SQL_SQLITE_SET_SYNCHRONOUS,
                                            SQL_SQLITE_SET_SECURE_DELETE, SQL_SQLITE_SET_CACHE_SIZE,
                                            SQL_SQLITE_SET_LOG_LIMIT,
                                            SQL_SQLITE_SCHEMA_COUNT /* reads the header */ };
    int code = SQLITE_OK;

    (void)sqlite3_busy_timeout(handle, MN_SQLITE_WAIT_MS);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    /* A plan that looks at what is bound is made anew with every binding. */
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof settings / sizeof *settings; i++)
        code = sqlite3_exec(handle, settings[i], NULL, NULL, NULL);
    return code;
}

enum mneme_status mn_sqlite_connect(const char *path, enum mn_sqlite_mode mode, const void *key,
                                    size_t key_bytes, struct mn_sqlite **ret_db,
                                    struct mneme_error *err)
{
    MN_SQLITE_AUTO db = calloc(1, sizeof *db);
    int flags = mode == MN_SQLITE_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int code;

    if (!db)
        return mn_fail_memory(err);
    mn_file_reads_begin();
    (void)mn_file_reads_failed();
    if (mode == MN_SQLITE_IMMUTABLE)
        code = open_immutable(path, &db->handle);
    else
        code = sqlite3_open_v2(path, &db->handle,
                               flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                               mode == MN_SQLITE_WRITE ? mn_joined_log_vfs() : NULL);
    if (code == SQLITE_OK && mode == MN_SQLITE_WRITE && mn_joined_log_vfs())
        mn_joined_log_watch(db->handle);
    if (code == SQLITE_OK && key_bytes > 0)
        code = sqlite3_key(db->handle, key, (int)key_bytes);
    if (code == SQLITE_OK)
        code = settle(db->handle);
    if (mn_file_reads_failed())
        return fail_unread(err);
    if ((code & 0xff) == SQLITE_CANTOPEN)
        return mn_fail(err, MNEME_FORBIDDEN, "the store at %s cannot be opened (%s)", path,
                       sqlite3_errmsg(db->handle));
    if (code == SQLITE_NOTADB)
        return judge_header(path, key_bytes > 0, err);
    if (code != SQLITE_OK)
        return mn_sqlite_fail(db, code, err);
    *ret_db = db;
    db = NULL;
    return MNEME_OK;
}

void mn_sqlite_free(struct mn_sqlite *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < STATEMENTS_MAX; i++) {
        (void)sqlite3_finalize(db->kept[i].stmt.handle);
        free(db->kept[i].stmt.asked);
    }
    (void)sqlite3_close(db->handle);
    free(db);
}

void mn_sqlite_free_at(struct mn_sqlite **db)
{
    mn_sqlite_free(*db);
    *db = NULL;
}

sqlite3 *mn_sqlite_handle(struct mn_sqlite *db)
{
    return db->handle;
}

void mn_sqlite_merge_at_close(struct mn_sqlite *db)
{
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
}

/* ---- statements ---- */

enum mneme_status mn_sqlite_script(struct mn_sqlite *db, const char *sql, struct mneme_error *err)
{
    int code;

    (void)mn_file_reads_failed();
    code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return mn_sqlite_fail(db, code, err);
    return mn_sqlite_unread(db) ? fail_unread(err) : MNEME_OK;
}

enum mneme_status mn_sqlite_prepare(struct mn_sqlite *db, const char *sql,
                                    struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    size_t slot = ((uintptr_t)sql >> 3) * 31 % STATEMENTS_MAX;
    struct mn_stmt *stmt;
    int code;

    for (size_t tries = 0; db->kept[slot].sql && db->kept[slot].sql != sql; tries++) {
        if (tries == STATEMENTS_MAX)
            return mn_fail(err, MNEME_LIMIT, "too many statements");
        slot = (slot + 1) % STATEMENTS_MAX;
    }
    stmt = &db->kept[slot].stmt;
    if (!db->kept[slot].sql) {
        (void)mn_file_reads_failed();
        code =
            sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt->handle, NULL);
        if (code != SQLITE_OK)
            return mn_sqlite_fail(db, code, err);
        if (mn_sqlite_unread(db)) { /* what it made of the schema is made of what was not read */
            (void)sqlite3_finalize(stmt->handle);
            stmt->handle = NULL;
            return fail_unread(err);
        }
        stmt->parameters = sqlite3_bind_parameter_count(stmt->handle);
        stmt->asked = calloc((size_t)stmt->parameters + 1, sizeof *stmt->asked);
        if (!stmt->asked) {
            (void)sqlite3_finalize(stmt->handle);
            stmt->handle = NULL;
            return mn_fail_memory(err);
        }
        stmt->db = db;
        db->kept[slot].sql = sql;
    }
    stmt->bound = 0;
    stmt->failed = false;
    *ret_stmt = stmt;
    return MNEME_OK;
}

void mn_stmt_reset_at(struct mn_stmt **stmt)
{
    if (!*stmt)
        return;
    (void)sqlite3_reset((*stmt)->handle);
    (void)sqlite3_clear_bindings((*stmt)->handle);
    *stmt = NULL;
}

/* Behind a failed read a connection can only go back; it is closed when nobody uses it. */
static enum mneme_status refuse_spoiled(const struct mn_stmt *stmt, struct mneme_error *err)
{
    (void)mn_file_reads_failed();
    if (!stmt->db->unread || strncmp(sqlite3_sql(stmt->handle), "ROLLBACK", 8) == 0)
        return MNEME_OK;
    return fail_unread(err);
}

enum mneme_status mn_sqlite_step(struct mn_stmt *stmt, bool *ret_row, struct mneme_error *err)
{
    int code = SQLITE_NOMEM;

    MN_TRY(refuse_spoiled(stmt, err));
    if (!stmt->failed)
        code = sqlite3_step(stmt->handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        if (sqlite3_txn_state(stmt->db->handle, "main") != SQLITE_TXN_WRITE)
            mn_joined_log_let_go(stmt->db->handle);
        return mn_sqlite_fail(stmt->db, code, err);
    }
    if (mn_sqlite_unread(stmt->db))
        return fail_unread(err);
    *ret_row = code == SQLITE_ROW;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_done(struct mn_stmt *stmt, struct mneme_error *err)
{
    bool row;

    return mn_sqlite_step(stmt, &row, err);
}

enum mneme_status mn_sqlite_run(struct mn_sqlite *db, const char *sql, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, sql, &stmt, err));
    return mn_sqlite_done(stmt, err);
}

/* Behind the wait for the disk SQLite still writes down where the commit's pages are. */
enum mneme_status mn_sqlite_keep(struct mn_sqlite *db, struct mneme_error *err)
{
    enum mneme_status status = mn_sqlite_run(db, SQL_SQLITE_COMMIT, err);
    int code = sqlite3_errcode(db->handle) & 0xff;

    if (status != MNEME_OK && err)
        err->uncertain = code == SQLITE_IOERR || code == SQLITE_NOMEM;
    return status;
}

enum mneme_status mn_sqlite_end(struct mn_sqlite *db, enum mneme_status status,
                                struct mneme_error *err)
{
    if (status == MNEME_OK)
        status = mn_sqlite_keep(db, err);
    if (!sqlite3_get_autocommit(db->handle))
        (void)mn_sqlite_run(db, SQL_SQLITE_ROLLBACK, NULL);
    return status;
}

size_t mn_stmt_columns(const struct mn_stmt *stmt)
{
    return (size_t)sqlite3_column_count(stmt->handle);
}

int mn_sqlite_changed(struct mn_sqlite *db)
{
    return sqlite3_changes(db->handle);
}

int64_t mn_sqlite_changed_ever(struct mn_sqlite *db)
{
    return sqlite3_total_changes64(db->handle);
}
