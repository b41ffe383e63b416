/*
 * test_store_log_faults.c - each write, sync, cut and look at the length fails in turn below the
 * layer that gathers, under somebody who goes on after every statement that fails.
 *
 * The same statements go to a database in memory, as far as they succeeded. After each of them that
 * fails, and at the end, the store holds what that one holds: to the connection that wrote, to
 * another one, and to whoever opens the files as they lie there. To the last one a commit that
 * failed may be there as a whole, when it was told as uncertain.
 *
 *   test_store_log_faults [every]   short of every: one write of seven
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/joined_log.h"
#include "store/sqlite_db.h"

#define FAILURES_MAX 4000
#define DIGEST_BYTES 20000
#define SHORT_STEP 7

static long writes_step;

/* ---- a disk that fails ---- */

enum operation { WRITES, SYNCS, CUTS, LENGTHS };
static const char *const operation_names[] = { "write", "sync", "cut", "length" };

static sqlite3_vfs *system_files;
static enum operation failing;
static int failing_code;
static long fail_at; /* 0: none; 1: the next */
static long seen;
static bool looking; /* nothing fails meanwhile */

struct disk_file {
    sqlite3_file base;
    _Alignas(8) char real[]; /* as SQLite aligns files */
};

static sqlite3_file *real_of(sqlite3_file *file)
{
    return (sqlite3_file *)((struct disk_file *)file)->real;
}

static bool fails(enum operation operation)
{
    return fail_at && !looking && operation == failing && ++seen == fail_at;
}

static int disk_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int disk_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), bytes, count, at);
}

static int disk_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    return fails(WRITES) ? failing_code
                         : real_of(file)->pMethods->xWrite(real_of(file), bytes, count, at);
}

static int disk_cut(sqlite3_file *file, sqlite3_int64 bytes)
{
    return fails(CUTS) ? failing_code : real_of(file)->pMethods->xTruncate(real_of(file), bytes);
}

/* What is written is there for whoever looks; nothing here loses its power. */
static int disk_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return fails(SYNCS) ? failing_code : SQLITE_OK;
}

static int disk_length(sqlite3_file *file, sqlite3_int64 *ret_bytes)
{
    return fails(LENGTHS) ? failing_code
                          : real_of(file)->pMethods->xFileSize(real_of(file), ret_bytes);
}

static int disk_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int disk_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int disk_reserved(sqlite3_file *file, int *ret_reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_reserved);
}

static int disk_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int disk_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int disk_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int disk_shared(sqlite3_file *file, int region, int bytes, int grow, void volatile **ret_at)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), region, bytes, grow, ret_at);
}

static int disk_shared_lock(sqlite3_file *file, int first, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), first, count, flags);
}

static void disk_shared_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int disk_shared_end(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static const sqlite3_io_methods disk_methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_cut,
    .xSync = disk_sync,
    .xFileSize = disk_length,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_reserved,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_device,
    .xShmMap = disk_shared,
    .xShmLock = disk_shared_lock,
    .xShmBarrier = disk_shared_barrier,
    .xShmUnmap = disk_shared_end,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    int code;

    (void)vfs;
    file->pMethods = NULL;
    code = system_files->xOpen(system_files, name, real_of(file), flags, ret_flags);
    if (real_of(file)->pMethods)
        file->pMethods = &disk_methods;
    return code;
}

/* Under the system's name, so that the layer that gathers stands on it. */
static int put_disk_below(void **state)
{
    static sqlite3_vfs disk;

    (void)state;
    if (sqlite3_initialize() != SQLITE_OK)
        return -1;
    system_files = sqlite3_vfs_find("unix");
    disk = *system_files;
    disk.pNext = NULL;
    disk.szOsFile += (int)sizeof(struct disk_file);
    disk.xOpen = disk_open;
    return sqlite3_vfs_register(&disk, 1) == SQLITE_OK && mn_joined_log_vfs() ? 0 : -1;
}

/* ---- a store, and what it should hold ---- */

struct place {
    char folder[64];
    char file[96], copy[96];
    const char *key;
    struct mn_sqlite *writer, *other;
    sqlite3 *wanted; /* in memory */
    char if_committed[DIGEST_BYTES]; /* what a commit that failed would have made of it; "" */
};

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t count;

    assert_non_null(out);
    while (in && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        assert_int_equal(fwrite(bytes, 1, count, out), count);
    if (in)
        (void)fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void remove_files(const char *file)
{
    static const char *const endings[] = { "", "-wal", "-shm", "-journal" };
    char name[128];

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        (void)snprintf(name, sizeof name, "%s%s", file, endings[i]);
        (void)unlink(name);
    }
}

static struct mn_sqlite *connect_to(const char *file, const char *key)
{
    struct mn_sqlite *db = NULL;
    struct mneme_error err;

    if (mn_sqlite_connect(file, MN_SQLITE_WRITE, key, key ? strlen(key) : 0, &db, &err) != MNEME_OK)
        fail_msg("it is not opened: %s", err.message);
    assert_int_equal(mn_sqlite_script(db, "PRAGMA cache_size = 8", &err), MNEME_OK);
    return db;
}

static void digest(sqlite3 *db, const char *who, char ret_digest[DIGEST_BYTES])
{
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT ifnull(group_concat(id || ':' || v || ':' ||"
                                        " length(x) || ':' || (x = replace(hex(zeroblob(700)),"
                                        " '00', printf('%04d', v)))), '')"
                                        " FROM (SELECT * FROM t ORDER BY id)",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    if (sqlite3_step(stmt) != SQLITE_ROW)
        fail_msg("%s %ld fails with %d: %s reads nothing: %s", operation_names[failing], fail_at,
                 failing_code, who, sqlite3_errmsg(db));
    (void)snprintf(ret_digest, DIGEST_BYTES, "%s", (const char *)sqlite3_column_text(stmt, 0));
    assert_true(strlen(ret_digest) < DIGEST_BYTES - 1);
    (void)sqlite3_finalize(stmt);
}

static bool is_whole(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    bool whole;

    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL), SQLITE_OK);
    whole = sqlite3_step(stmt) == SQLITE_ROW &&
            strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0;
    (void)sqlite3_finalize(stmt);
    return whole;
}

static bool holds(sqlite3 *db, const char *who, const char *wanted, const char *or_else)
{
    char found[DIGEST_BYTES];

    digest(db, who, found);
    return (strcmp(found, wanted) == 0 || (or_else[0] && strcmp(found, or_else) == 0)) &&
           is_whole(db);
}

/* What the files hold for somebody who finds them after a kill. */
static bool lies_there(struct place *p, const char *wanted)
{
    struct mn_sqlite *found;
    char log[112], copied_log[112];
    bool held;

    (void)snprintf(log, sizeof log, "%s-wal", p->file);
    (void)snprintf(copied_log, sizeof copied_log, "%s-wal", p->copy);
    copy_file(p->file, p->copy);
    copy_file(log, copied_log);
    found = connect_to(p->copy, p->key);
    held = holds(mn_sqlite_handle(found), "who finds it", wanted, p->if_committed);
    mn_sqlite_free(found);
    remove_files(p->copy);
    return held;
}

static void holds_what_it_should(struct place *p, const char *behind)
{
    char wanted[DIGEST_BYTES];
    const char *wrong = NULL;

    if (!sqlite3_get_autocommit(p->wanted))
        return; /* looked at when the transaction ends */
    looking = true;
    digest(p->wanted, "the other", wanted);
    if (!holds(mn_sqlite_handle(p->writer), "the writer", wanted, ""))
        wrong = "to the writer";
    else if (!holds(mn_sqlite_handle(p->other), "another", wanted, ""))
        wrong = "to another connection";
    else if (!lies_there(p, wanted))
        wrong = "in its files";
    looking = false;
    if (wrong)
        fail_msg("%s %ld fails with %d: behind \"%.60s\" the store holds something else %s",
                 operation_names[failing], fail_at, failing_code, behind, wrong);
}

static void make_store(struct place *p, const char *key)
{
    static const char schema[] =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER NOT NULL, x TEXT)";
    struct mneme_error err;
    FILE *file;

    remove_files(p->file);
    file = fopen(p->file, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    p->key = key;
    p->if_committed[0] = '\0';
    p->writer = connect_to(p->file, key);
    assert_int_equal(mn_sqlite_run(p->writer, "PRAGMA journal_mode = WAL", &err), MNEME_OK);
    assert_int_equal(mn_sqlite_run(p->writer, schema, &err), MNEME_OK);
    p->other = connect_to(p->file, key);
    assert_int_equal(sqlite3_open(":memory:", &p->wanted), SQLITE_OK);
    assert_int_equal(sqlite3_exec(p->wanted, schema, NULL, NULL, NULL), SQLITE_OK);
}

static void close_store(struct place *p)
{
    mn_sqlite_free(p->other);
    mn_sqlite_free(p->writer);
    (void)sqlite3_close(p->wanted);
}

static int make_place(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    assert_non_null(p);
    (void)snprintf(p->folder, sizeof p->folder, "/tmp/mneme-log-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    (void)snprintf(p->file, sizeof p->file, "%s/store", p->folder);
    (void)snprintf(p->copy, sizeof p->copy, "%s/copy", p->folder);
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    struct place *p = *state;

    remove_files(p->file);
    remove_files(p->copy);
    (void)rmdir(p->folder);
    free(p);
    return 0;
}

/* ---- who goes on ---- */

#define TEXT(v) "replace(hex(zeroblob(700)), '00', printf('%04d', " v "))" /* half a page */
#define ROWS(first, last, v)                                                                       \
    "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT " #first " UNION ALL SELECT i + 1 FROM n"        \
    " WHERE i < " #last ") SELECT i, " v ", " TEXT(v) " FROM n"

/* More than the cache holds at each step, so that the log gets some before the end. '*': of the
 * other connection. */
static const char *const statements[] = {
    ROWS(1, 30, "i"),
    "BEGIN",
    "UPDATE t SET v = v + 100, x = " TEXT("v + 100"),
    "SELECT count(length(x)) FROM t",
    "SAVEPOINT a",
    ROWS(31, 50, "i"),
    "DELETE FROM t WHERE id % 3 = 0",
    "ROLLBACK TO a",
    "SELECT count(length(x)) FROM t",
    ROWS(51, 60, "i"),
    "UPDATE t SET v = v + 1, x = " TEXT("v + 1") " WHERE id % 2 = 0",
    "RELEASE a",
    "COMMIT",
    "*UPDATE t SET v = v + 1000, x = " TEXT("v + 1000") " WHERE id < 12",
    "BEGIN",
    "UPDATE t SET v = v + 2000, x = " TEXT("v + 2000"),
    "SELECT count(length(x)) FROM t",
    "ROLLBACK",
    "*" ROWS(70, 80, "i"),
    "SELECT count(length(x)) FROM t",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "BEGIN",
    "DELETE FROM t WHERE id % 4 = 1",
    ROWS(90, 110, "i"),
    "COMMIT",
    "PRAGMA wal_checkpoint",
    "*UPDATE t SET v = v + 7, x = " TEXT("v + 7"),
    "VACUUM",
    "*DELETE FROM t WHERE id % 5 = 2",
    "UPDATE t SET v = v + 9, x = " TEXT("v + 9"),
};

/* What the statement would have made, had it not failed where it commits. */
static void keep_if_committed(struct place *p, const char *sql, bool may_be_there)
{
    bool alone = sqlite3_get_autocommit(p->wanted) != 0;

    if (alone && strncmp(sql, "PRAGMA", 6) != 0 && strcmp(sql, "VACUUM") != 0) {
        assert_int_equal(sqlite3_exec(p->wanted, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
        (void)sqlite3_exec(p->wanted, sql, NULL, NULL, NULL);
    }
    p->if_committed[0] = '\0';
    if (may_be_there)
        digest(p->wanted, "the other", p->if_committed);
    if (!sqlite3_get_autocommit(p->wanted))
        assert_int_equal(sqlite3_exec(p->wanted, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
}

/* Whether it failed. In the writer's transaction nobody else writes. */
static bool run(struct place *p, const char *sql)
{
    struct mn_sqlite *db = sql[0] == '*' ? p->other : p->writer;
    const char *text = sql + (sql[0] == '*');
    bool is_commit = strcmp(text, "COMMIT") == 0;
    struct mneme_error err;
    enum mneme_status status = is_commit ? mn_sqlite_keep(db, &err) : mn_sqlite_run(db, text, &err);
    bool alone = sqlite3_get_autocommit(mn_sqlite_handle(db)) != 0;

    if (status == MNEME_OK) {
        if (sqlite3_exec(p->wanted, text, NULL, NULL, NULL) != SQLITE_OK)
            fail_msg("\"%.60s\" succeeds where it should not: %s", text,
                     sqlite3_errmsg(p->wanted));
        if (alone)
            p->if_committed[0] = '\0';
    } else if (alone) {
        keep_if_committed(p, text, !is_commit || err.uncertain);
    }
    return status != MNEME_OK;
}

/* Whether anything failed that has been told. */
static bool goes_on(struct place *p)
{
    bool told = false;

    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (!run(p, statements[i]))
            continue;
        told = true;
        holds_what_it_should(p, statements[i]);
    }
    holds_what_it_should(p, "the last");
    return told;
}

static void each_fails_in_turn(struct place *p, const char *key, enum operation operation, int code)
{
    long step = operation == WRITES ? writes_step : 1;
    long told = 0, at;

    failing = operation;
    failing_code = code;
    for (at = 1; at < FAILURES_MAX; at += step) {
        make_store(p, key);
        seen = 0;
        fail_at = at;
        told += goes_on(p);
        bool failed = seen >= fail_at;
        fail_at = 0;
        close_store(p);
        if (!failed)
            break;
    }
    print_message("%s: %ld failures of %ld are told\n", operation_names[operation], told,
                  (at - 1) / step);
    assert_in_range(at, 1 + step, FAILURES_MAX - 1);
}

static void a_full_disk_loses_no_part_of_a_commit(void **state)
{
    each_fails_in_turn(*state, NULL, WRITES, SQLITE_FULL);
}

static void nor_does_one_that_cannot_be_written(void **state)
{
    each_fails_in_turn(*state, NULL, WRITES, SQLITE_IOERR_WRITE);
}

static void nor_does_a_full_one_of_an_enciphered_store(void **state)
{
    each_fails_in_turn(
        *state, "raw:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", WRITES,
        SQLITE_FULL);
}

static void nor_does_one_that_cannot_make_durable(void **state)
{
    each_fails_in_turn(*state, NULL, SYNCS, SQLITE_IOERR_FSYNC);
}

static void nor_does_who_has_no_memory_behind_that(void **state)
{
    each_fails_in_turn(*state, NULL, SYNCS, SQLITE_NOMEM);
}

static void nor_does_one_that_cannot_cut(void **state)
{
    each_fails_in_turn(*state, NULL, CUTS, SQLITE_IOERR_TRUNCATE);
}

static void nor_does_one_that_cannot_tell_a_length(void **state)
{
    each_fails_in_turn(*state, NULL, LENGTHS, SQLITE_IOERR_FSTAT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_full_disk_loses_no_part_of_a_commit),
        TEST(nor_does_one_that_cannot_be_written),
        TEST(nor_does_a_full_one_of_an_enciphered_store),
        TEST(nor_does_one_that_cannot_make_durable),
        TEST(nor_does_who_has_no_memory_behind_that),
        TEST(nor_does_one_that_cannot_cut),
        TEST(nor_does_one_that_cannot_tell_a_length),
    };

    writes_step = argc > 1 && strcmp(argv[1], "every") == 0 ? 1 : SHORT_STEP;
    return cmocka_run_group_tests(tests, put_disk_below, NULL);
}
