/*
 * sqlite_open.c - from a path to a connection that can be trusted.
 *
 * Opening a file in WAL mode makes files beside it and may replay a log, so a file is first looked
 * at as if it could not change: foreign, damaged, encrypted under another key, or made by a newer
 * version, it is refused before anything is touched. Only where a log is left (a writer is at work,
 * or died) the look may be at a page half written, and the opened connection decides; closing it again
 * replays nothing.
 *
 * A new file is made empty with the permissions of private data, then filled in one transaction
 * behind the lock file. Killed in between, it is still empty: opening it with `create` goes on.
 *
 * The schema is fixed by a hash over its own text, kept in the file: a table that was altered by
 * hand is noticed at opening and not by the first query that fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/hash.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

#define APPLICATION_ID 0x6d6e656d /* as 0001_init.sql sets it */

static const struct mn_sql_migration migrations[] = SQL_SQLITE_MIGRATIONS;
#define VERSION ((int64_t)(sizeof migrations / sizeof *migrations))

/* ---- what the file says of itself ---- */

enum mneme_status mn_sqlite_integer(struct mn_sqlite *db, const char *sql, int64_t *ret_value,
                                    struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, sql, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    *ret_value = row ? mn_read_integer(&reader) : 0;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_meta(struct mn_sqlite *db, const char *name, char *text,
                                 size_t text_bytes, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(4096);
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_META_GET, &stmt, err));
    mn_bind_text(stmt, ":name", name);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    (void)snprintf(text, text_bytes, "%s", row ? mn_read_text(&reader) : "");
    return mn_read_end(&reader, err);
}

enum mneme_status mn_sqlite_meta_put(struct mn_sqlite *db, const char *name, const char *value,
                                     struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_META_PUT, &stmt, err));
    mn_bind_text(stmt, ":name", name);
    mn_bind_text(stmt, ":value", value);
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status hash_schema(struct mn_sqlite *db, char hash[MN_SHA256_HEX_BYTES],
                                     struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    MN_BUF_AUTO schema = { 0 };
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_SCHEMA, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        mn_buf_text(&schema, mn_read_text(&reader));
        mn_buf_char(&schema, '\n');
        MN_TRY(mn_read_end(&reader, err));
    }
    if (schema.failed || !mn_sha256_hex(mn_or_empty(schema.at), schema.bytes, hash))
        return mn_fail_memory(err);
    return MNEME_OK;
}

static enum mneme_status judge(struct mn_sqlite *db, const char *path, int64_t *ret_version,
                               struct mneme_error *err)
{
    char hash[MN_SHA256_HEX_BYTES];
    char kept[MN_SHA256_HEX_BYTES];
    int64_t application = 0;
    int64_t version = 0;
    int64_t tables = 0;

    MN_TRY(mn_sqlite_integer(db, SQL_SQLITE_APPLICATION_ID, &application, err));
    MN_TRY(mn_sqlite_integer(db, SQL_SQLITE_USER_VERSION, &version, err));
    MN_TRY(mn_sqlite_integer(db, SQL_SQLITE_SCHEMA_COUNT, &tables, err));
    *ret_version = version;
    if (application == 0 && version == 0 && tables == 0)
        return MNEME_OK;
    if (application != APPLICATION_ID)
        return mn_fail(err, MNEME_CORRUPT, "%s is a database, but not a mneme store", path);
    if (version > VERSION)
        return mn_fail(
            err, MNEME_CORRUPT,
            "the store at %s was made by a newer version of mneme (schema %lld, this one "
            "knows %lld)",
            path, (long long)version, (long long)VERSION);
    MN_TRY(mn_sqlite_meta(db, "schema_hash", kept, sizeof kept, err));
    MN_TRY(hash_schema(db, hash, err));
    if (version < 1 || strcmp(hash, kept) != 0)
        return mn_fail(err, MNEME_CORRUPT,
                       "the store at %s is damaged: its tables are not those of schema %lld", path,
                       (long long)version);
    return MNEME_OK;
}

/* At one instant: between two looks another process may fill the file. */
enum mneme_status mn_sqlite_check_version(struct mn_sqlite *db, const char *path,
                                          int64_t *ret_version, struct mneme_error *err)
{
    bool alone = sqlite3_get_autocommit(mn_sqlite_handle(db)) != 0;
    if (!alone)
        return judge(db, path, ret_version, err);
    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_READ, err));
    return mn_sqlite_end(db, judge(db, path, ret_version, err), err);
}

/* ---- making and bringing up to date ---- */

static enum mneme_status migrate_inside(struct mn_sqlite *db, int64_t version,
                                        struct mneme_error *err)
{
    char hash[MN_SHA256_HEX_BYTES];
    char id[9];
    uint32_t random;

    for (int64_t next = version; next < VERSION; next++)
        MN_TRY(mn_sqlite_script(db, migrations[next].text, err));
    if (version == 0) {
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
        (void)snprintf(id, sizeof id, "%08x", random);
        MN_TRY(mn_sqlite_meta_put(db, "store_id", id, err));
    }
    MN_TRY(hash_schema(db, hash, err));
    return mn_sqlite_meta_put(db, "schema_hash", hash, err);
}

/* All migrations that are due, in one transaction. */
static enum mneme_status migrate(struct mn_sqlite *db, const char *path, struct mneme_error *err)
{
    enum mneme_status status;
    int64_t version = 0;

    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_WRITE, err));
    /* another process may have been faster */
    status = mn_sqlite_check_version(db, path, &version, err);
    if (status == MNEME_OK)
        status = migrate_inside(db, version, err);
    return mn_sqlite_end(db, status, err);
}

static enum mneme_status begin_log(struct mn_sqlite *db, const char *path, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(4096);
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_SET_JOURNAL_MODE, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    if (row && strcmp(mn_read_text(&reader), "wal") == 0)
        return MNEME_OK;
    return mn_fail(err, MNEME_UNAVAILABLE,
                   "the store at %s cannot keep a write-ahead log there (no shared memory?)", path);
}

/* With the lock in hand: the file may be empty, or another process may have filled it meanwhile. */
static enum mneme_status fill(const struct mn_store_options *options, const char *path,
                              struct mn_sqlite **ret_db, struct mneme_error *err)
{
    MN_SQLITE_AUTO db = NULL;
    int64_t version = 0;

    MN_TRY(mn_sqlite_connect(path, MN_SQLITE_WRITE, options->key, options->key_bytes, &db, err));
    MN_TRY(mn_sqlite_check_version(db, path, &version, err));
    if (version == 0) {
        MN_TRY(mn_sqlite_run(db, SQL_SQLITE_SET_PAGE_SIZE, err));
        MN_TRY(begin_log(db, path, err));
    }
    if (version < VERSION) {
        MN_TRY(migrate(db, path, err));
        /* so that the file itself tells its version, also while a log lies beside it */
        MN_TRY(mn_sqlite_run(db, SQL_SQLITE_CHECKPOINT, err));
        /* this connection was there before the figures that its plans need */
        MN_TRY(mn_sqlite_run(db, SQL_SQLITE_LOAD_STATISTICS, err));
    }
    *ret_db = db;
    db = NULL;
    return MNEME_OK;
}

static enum mneme_status make_empty(const char *path, struct mneme_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0) {
        (void)close(fd); /* nobody else has opened it: no lock of this process is lost */
        return MNEME_OK;
    }
    if (errno == EEXIST)
        return MNEME_OK;
    if (errno == EACCES || errno == EPERM || errno == EROFS)
        return mn_fail(err, MNEME_FORBIDDEN, "the folder of %s cannot be written (%s)", path,
                       strerror(errno));
    return mn_fail(err, MNEME_UNAVAILABLE, "the store %s cannot be made (%s)", path,
                   strerror(errno));
}

/* Behind the lock file, which is kept open in *lock. */
static enum mneme_status make_or_migrate(const struct mn_store_options *options, const char *path,
                                         struct mn_lock_file *lock, struct mn_sqlite **ret_db,
                                         struct mneme_error *err)
{
    enum mneme_status status;

    MN_TRY(make_empty(path, err));
    MN_TRY(mn_lock_file_open(path, lock, err));
    status = mn_lock_file_take(lock, MN_SQLITE_WAIT_MS, err);
    if (status == MNEME_OK) {
        status = fill(options, path, ret_db, err);
        mn_lock_file_give(lock);
    }
    if (status != MNEME_OK)
        mn_lock_file_close(lock);
    return status;
}

/* ---- looking before touching ---- */

static bool has_log(const char *path)
{
    MN_BUF_AUTO log = { 0 };
    struct stat found;

    mn_buf_printf(&log, "%s-wal", path);
    return !log.failed && stat(log.at, &found) == 0;
}

enum mneme_status mn_sqlite_check_beside(const char *path, struct mneme_error *err)
{
    static const char *const ends[] = { "-wal", "-journal", "-shm" };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        MN_BUF_AUTO name = { 0 };

        mn_buf_printf(&name, "%s%s", path, ends[i]);
        if (name.failed)
            return mn_fail_memory(err);
        /* the store may be in the making, by another process */
        if (access(name.at, F_OK) == 0 && access(path, F_OK) != 0)
            return mn_fail(err, MNEME_CONFLICT,
                           "file: %s is there without its store %s and may hold rows of it; put "
                           "that back, or move all files of this name away together",
                           name.at, path);
    }
    return MNEME_OK;
}

/* A file that is empty has no log: the first page of a store is in its file before it has one. */
static enum mneme_status check_no_log(const char *path, struct mneme_error *err)
{
    MN_BUF_AUTO name = { 0 };
    struct stat log;

    mn_buf_printf(&name, "%s-wal", path);
    if (name.failed)
        return mn_fail_memory(err);
    if (stat(name.at, &log) != 0 || log.st_size == 0)
        return MNEME_OK;
    return mn_fail(err, MNEME_CONFLICT,
                   "file: %s is empty and %s may hold rows of what it was; put that back, or move all "
                   "files of this name away together",
                   path, name.at);
}

static bool folder_is_writable(const char *path)
{
    MN_BUF_AUTO folder = { 0 };
    const char *slash = strrchr(path, '/');

    mn_buf_put(&folder, path, (size_t)(slash - path) + 1);
    return !folder.failed && faccessat(AT_FDCWD, folder.at, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Is it what it was, and was nobody at it meanwhile? */
static bool is_still(const char *path, const struct stat *was)
{
    struct stat is;

    return !has_log(path) && stat(path, &is) == 0 && is.st_ino == was->st_ino &&
           is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
           is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

/* *ret_db is NULL where a writer was at it and the look may have failed because of that. */
static enum mneme_status look(const struct mn_store_options *options, const char *path,
                              int64_t *ret_version, struct mn_sqlite **ret_db,
                              struct mneme_error *err)
{
    MN_SQLITE_AUTO db = NULL;
    bool written = has_log(path);
    enum mneme_status status;
    struct stat was = { 0 };

    written = stat(path, &was) != 0 || written;
    status =
        mn_sqlite_connect(path, MN_SQLITE_IMMUTABLE, options->key, options->key_bytes, &db, err);
    if (status == MNEME_OK)
        status = mn_sqlite_check_version(db, path, ret_version, err);
    if (status != MNEME_OK && status != MNEME_LIMIT && (written || !is_still(path, &was)))
        return MNEME_OK;
    MN_TRY(status);
    *ret_db = db;
    db = NULL;
    return MNEME_OK;
}

static enum mneme_status check_file(const struct mn_store_options *options, const char *path,
                                    bool *ret_empty, struct mneme_error *err)
{
    struct stat found;
    int wanted = options->read_only ? R_OK : R_OK | W_OK;

    *ret_empty = true;
    if (stat(path, &found) != 0) {
        if (errno == ENOENT && options->create && !options->read_only)
            return mn_sqlite_check_beside(path, err);
        return mn_fail(err, errno == ENOENT ? MNEME_NOT_FOUND : MNEME_FORBIDDEN,
                       "there is no store at %s (%s)", path, strerror(errno));
    }
    if (!S_ISREG(found.st_mode))
        return mn_fail(err, MNEME_CORRUPT, "%s is not a mneme store: it is no file", path);
    if (faccessat(AT_FDCWD, path, wanted, AT_EACCESS) != 0)
        return mn_fail(err, MNEME_FORBIDDEN, "the store at %s cannot be %s (%s)", path,
                       options->read_only ? "read" : "written", strerror(errno));
    if (!options->read_only && !folder_is_writable(path))
        return mn_fail(err, MNEME_FORBIDDEN,
                       "the folder of %s cannot be written; open the store read only", path);
    *ret_empty = found.st_size == 0;
    return MNEME_OK;
}

static enum mneme_status open_to_read(const struct mn_store_options *options, const char *path,
                                      struct mn_sqlite *looked, struct mn_sqlite **ret_db,
                                      enum mn_sqlite_mode *ret_mode, struct mneme_error *err)
{
    MN_SQLITE_AUTO db = looked;
    int64_t version = 0;

    if (db && !has_log(path) && !folder_is_writable(path)) {
        *ret_mode = MN_SQLITE_IMMUTABLE; /* no log can be begun: nobody writes */
    } else {
        mn_sqlite_free(db);
        db = NULL;
        *ret_mode = MN_SQLITE_READ;
        MN_TRY(mn_sqlite_connect(path, MN_SQLITE_READ, options->key, options->key_bytes, &db, err));
    }
    MN_TRY(mn_sqlite_check_version(db, path, &version, err));
    if (version == 0)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no store at %s: the file is empty", path);
    if (version < VERSION)
        return mn_fail(err, MNEME_FORBIDDEN,
                       "version: the store at %s is of an older version; open it once for writing", path);
    *ret_db = db;
    db = NULL;
    return MNEME_OK;
}

static enum mneme_status open_to_write(const struct mn_store_options *options, const char *path,
                                       struct mn_lock_file *lock, struct mn_sqlite **ret_db,
                                       struct mneme_error *err)
{
    MN_SQLITE_AUTO db = NULL;
    int64_t version = 0;

    MN_TRY(mn_sqlite_connect(path, MN_SQLITE_WRITE, options->key, options->key_bytes, &db, err));
    MN_TRY(mn_sqlite_check_version(db, path, &version, err));
    if (version == 0 && !options->create)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no store at %s: its making was interrupted",
                       path);
    if (version < VERSION) {
        mn_sqlite_free(db);
        db = NULL;
        return make_or_migrate(options, path, lock, ret_db, err);
    }
    MN_TRY(mn_lock_file_open(path, lock, err));
    *ret_db = db;
    db = NULL;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_open(const struct mn_store_options *options, const char *path,
                                 struct mn_lock_file *lock, struct mn_sqlite **ret_db,
                                 enum mn_sqlite_mode *ret_mode, struct mneme_error *err)
{
    MN_SQLITE_AUTO looked = NULL;
    struct mn_sqlite *taken;
    int64_t version = 0;
    bool empty = false;

    MN_TRY(check_file(options, path, &empty, err));
    *ret_mode = MN_SQLITE_READ;
    if (empty)
        MN_TRY(check_no_log(path, err));
    if (empty && options->create && !options->read_only)
        return make_or_migrate(options, path, lock, ret_db, err);
    if (empty)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no store at %s: the file is empty", path);

    MN_TRY(look(options, path, &version, &looked, err));
    if (looked && version == 0 && !options->create && !has_log(path))
        return mn_fail(err, MNEME_NOT_FOUND, "there is no store at %s: its making was interrupted",
                       path);
    if (!options->read_only)
        return open_to_write(options, path, lock, ret_db, err);
    taken = looked;
    looked = NULL;
    return open_to_read(options, path, taken, ret_db, ret_mode, err);
}
