/*
 * test_store_log.c - the log grows ahead of what is written to it, and nobody who reads it can tell;
 * what was gathered for it and not committed is never seen.
 */
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "memory/record.h"
#include "store/joined_log.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define T0 INT64_C(1700000000000)
#define COMMITS 60 /* of eight pages and more: half of what is merged into the file at once */

struct place {
    char folder[64];
    char file[96], log[104];
    char copy[96], copied_log[104];
};

static int make_place(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    assert_non_null(p);
    (void)snprintf(p->folder, sizeof p->folder, "/tmp/mneme-log-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    (void)snprintf(p->file, sizeof p->file, "%s/store", p->folder);
    (void)snprintf(p->log, sizeof p->log, "%s-wal", p->file);
    (void)snprintf(p->copy, sizeof p->copy, "%s/copy", p->folder);
    (void)snprintf(p->copied_log, sizeof p->copied_log, "%s-wal", p->copy);
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    static const char *const endings[] = { "", "-wal", "-shm", ".lock" };
    struct place *p = *state;
    char name[128];

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        (void)snprintf(name, sizeof name, "%s%s", p->file, endings[i]);
        (void)unlink(name);
        (void)snprintf(name, sizeof name, "%s%s", p->copy, endings[i]);
        (void)unlink(name);
    }
    (void)rmdir(p->folder);
    free(p);
    return 0;
}

static struct mn_store *open_at(const char *path, const char *key)
{
    const struct mn_store_options options = {
        .path = path, .create = true, .key = key, .key_bytes = key ? strlen(key) : 0
    };
    struct mn_store *store = NULL;
    struct mneme_error err;

    ASSERT_OK(mn_store_sqlite_open(&options, &store, &err));
    return store;
}

/* Memories from `first` on, in one commit; content NULL: their ids. */
static enum mneme_status put_some(struct mn_store *store, int first, size_t count,
                                  const char *content)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)64 << 20);
    struct mneme_memory *whole = mn_arena_array(arena, struct mneme_memory, count);
    struct mn_write *write = mn_arena_array(arena, struct mn_write, count);
    struct mn_written *written = mn_arena_array(arena, struct mn_written, count);
    const struct mn_commit commit = { .write = write, .count = count, .now_ms = T0 };
    struct mneme_error err;

    for (size_t i = 0; i < count; i++) {
        struct mneme_memory given = MNEME_MEMORY_INIT;

        given.tenant_id = "t";
        given.user_id = "ann";
        given.id = mn_arena_printf(arena, "m-%d", first + (int)i);
        given.content = content ? content : given.id;
        given.type = "fact";
        ASSERT_OK(mn_memory_complete(&given, T0, arena, &whole[i], &err));
        write[i] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                      .expected_revision = MN_REVISION_NEW,
                                      .memory = &whole[i] };
    }
    return mn_store_commit_one(store, &commit, written, &err);
}

static enum mneme_status put(struct mn_store *store, int number)
{
    return put_some(store, number, 1, NULL);
}

static int64_t change_count(struct mn_store *store)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const struct mn_cursor first = { "" };
    struct mn_changes changes;
    struct mneme_error err;

    ASSERT_OK(store->ops->changes_after(store, NULL, &first, SIZE_MAX, arena, &changes, &err));
    return (int64_t)changes.count;
}

static int64_t bytes_of(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 ? (int64_t)found.st_size : 0;
}

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t count;

    assert_non_null(in);
    assert_non_null(out);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        assert_int_equal(fwrite(bytes, 1, count, out), count);
    (void)fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* As it would lie there after a kill. */
static void holds_all_as_it_lies_there(struct place *p, const char *key)
{
    struct mn_store *store = open_at(p->file, key);
    struct mn_store *again;
    int64_t length = 0;
    int grown = 0;

    for (int i = 0; i < COMMITS; i++) {
        ASSERT_OK(put(store, i));
        grown += bytes_of(p->log) != length;
        length = bytes_of(p->log);
    }
    assert_in_range(grown, 2, COMMITS / 4);
    copy_file(p->file, p->copy);
    copy_file(p->log, p->copied_log);
    again = open_at(p->copy, key);
    assert_int_equal(change_count(again), COMMITS);
    ASSERT_OK(put(again, COMMITS));
    assert_int_equal(change_count(again), COMMITS + 1);
    mn_store_free(again);
    mn_store_free(store);
}

static void a_log_that_has_grown_ahead_holds_what_was_committed(void **state)
{
    holds_all_as_it_lies_there(*state, NULL);
}

static void so_does_an_enciphered_one(void **state)
{
    holds_all_as_it_lies_there(*state, "a key of sixteen or more bytes");
}

static void limit_files_to(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_disk_without_room_for_more_than_the_commits_takes_them(void **state)
{
    struct place *p = *state;
    struct mn_store *store = open_at(p->file, NULL);
    int written = 0;

    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    ASSERT_OK(put(store, written++));
    int64_t length = bytes_of(p->log);
    limit_files_to((rlim_t)length + 100000); /* a commit, and less than the log would grow */
    while (bytes_of(p->log) == length)
        ASSERT_OK(put(store, written++));
    while (put(store, written) == MNEME_OK)
        written++;
    assert_int_equal(change_count(store), written);
    limit_files_to(RLIM_INFINITY);
    ASSERT_OK(put(store, written++));
    assert_int_equal(change_count(store), written);
    mn_store_free(store);
}

/* ---- transactions that are taken back ---- */

static sqlite3 *connect_to(const struct place *p, const char *key)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open_v2(p->file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                     mn_joined_log_vfs()),
                     SQLITE_OK);
    mn_joined_log_watch(db);
    if (key)
        assert_int_equal(sqlite3_key(db, key, (int)strlen(key)), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                      "PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static int run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) & 0xff;
}

static int ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int number = -1;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        number = sqlite3_column_int(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return number;
}

/* Seventy rows of a page each: more than the cache holds, so that the log gets some before the end. */
static const char many[] = "INSERT INTO t SELECT randomblob(3000) FROM"
                           " (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                           "  WHERE i < 70) SELECT i FROM n)";

static void another_writer_goes_on_where_it_began(struct place *p, const char *key)
{
    sqlite3 *one = connect_to(p, key);
    sqlite3 *other;

    assert_int_equal(run(one, "CREATE TABLE t (x)"), SQLITE_OK);
    other = connect_to(p, key);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(run(one, "BEGIN"), SQLITE_OK);
        assert_int_equal(run(one, many), SQLITE_OK);
        assert_int_equal(run(one, "ROLLBACK"), SQLITE_OK);
        assert_int_equal(run(other, many), SQLITE_OK);
        assert_int_equal(ask(one, "SELECT count(length(x)) FROM t"), 70 * i);
        assert_int_equal(ask(other, "SELECT count(*) FROM pragma_integrity_check"
                                    " WHERE integrity_check = 'ok'"),
                         1);
    }
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(sqlite3_close(one), SQLITE_OK);
}

static void what_was_taken_back_is_not_written_over_what_another_wrote(void **state)
{
    another_writer_goes_on_where_it_began(*state, NULL);
}

static void nor_is_what_was_enciphered(void **state)
{
    another_writer_goes_on_where_it_began(*state, "a key of sixteen or more bytes");
}

static bool disk_is_full;

ssize_t __real_pwrite64(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    if (disk_is_full)
        errno = ENOSPC;
    return disk_is_full ? -1 : __real_pwrite64(fd, bytes, count, at);
}

static sqlite3_file *log_of(sqlite3 *db)
{
    sqlite3_file *file = NULL;

    assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file),
                     SQLITE_OK);
    assert_non_null(file);
    return file;
}

static void a_transaction_that_lost_a_write_is_never_durable(void **state)
{
    struct place *p = *state;
    sqlite3 *db = connect_to(p, NULL);

    assert_int_equal(run(db, "CREATE TABLE t (x)"), SQLITE_OK);
    assert_int_equal(run(db, many), SQLITE_OK);
    assert_int_equal(run(db, "BEGIN"), SQLITE_OK);
    assert_int_equal(run(db, many), SQLITE_OK);
    sqlite3_file *file = log_of(db);
    disk_is_full = true;
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_FULL);
    disk_is_full = false;
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_FULL);
    assert_int_equal(run(db, "COMMIT"), SQLITE_FULL);
    assert_true(sqlite3_get_autocommit(db)); /* taken back */
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
    assert_int_equal(ask(db, "SELECT count(length(x)) FROM t"), 70);
    assert_int_equal(run(db, many), SQLITE_OK);
    assert_int_equal(ask(db, "SELECT count(length(x)) FROM t"), 140);
    assert_int_equal(ask(db, "SELECT count(*) FROM pragma_integrity_check"
                             " WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void what_cannot_be_written_is_read_as_it_was_gathered(void **state)
{
    struct place *p = *state;
    sqlite3 *db = connect_to(p, NULL);

    assert_int_equal(run(db, "CREATE TABLE t (x)"), SQLITE_OK);
    assert_int_equal(run(db, many), SQLITE_OK);
    assert_int_equal(run(db, "BEGIN"), SQLITE_OK);
    assert_int_equal(run(db, many), SQLITE_OK);
    disk_is_full = true;
    assert_int_equal(ask(db, "SELECT sum(length(x)) FROM t"), 140 * 3000);
    assert_int_equal(run(db, "COMMIT"), SQLITE_FULL);
    disk_is_full = false;
    assert_int_equal(ask(db, "SELECT sum(length(x)) FROM t"), 70 * 3000);
    assert_int_equal(ask(db, "SELECT count(*) FROM pragma_integrity_check"
                             " WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void what_is_let_go_is_not_written(void **state)
{
    static const char zeros[8192];
    struct place *p = *state;
    sqlite3 *db = connect_to(p, NULL);

    assert_int_equal(run(db, "CREATE TABLE t (x)"), SQLITE_OK);
    sqlite3_file *file = log_of(db);
    int64_t length = bytes_of(p->log);
    assert_int_equal(file->pMethods->xWrite(file, zeros, sizeof zeros, length), SQLITE_OK);
    mn_joined_log_let_go(db);
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
    assert_int_equal(bytes_of(p->log), length);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Of 12 MB; 10 MiB is the most that stays. */
static void what_one_commit_made_of_the_log_is_given_back(void **state)
{
    struct place *p = *state;
    struct mn_store *store = open_at(p->file, NULL);
    char text[60001];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ASSERT_OK(put_some(store, 2, 200, text));
    assert_true(bytes_of(p->log) > 12000000);
    ASSERT_OK(put(store, 1)); /* the first behind the merging */
    assert_int_equal(bytes_of(p->log), 10 << 20);
    mn_store_free(store);
    store = open_at(p->file, NULL);
    assert_int_equal(change_count(store), 201);
    mn_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_log_that_has_grown_ahead_holds_what_was_committed,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(so_does_an_enciphered_one, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_disk_without_room_for_more_than_the_commits_takes_them,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_was_taken_back_is_not_written_over_what_another_wrote,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(nor_is_what_was_enciphered, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_transaction_that_lost_a_write_is_never_durable,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_read_as_it_was_gathered,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_is_let_go_is_not_written, make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_one_commit_made_of_the_log_is_given_back, make_place,
                                        remove_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
