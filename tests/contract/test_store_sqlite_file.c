/*
 * test_store_sqlite_file.c - the file: made, opened, refused, shared between processes, survived.
 *
 * Where opening is refused, every byte of the folder is what it was.
 */
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "base/hash.h"
#include "memory/record.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define NOBODY 65534
#define T0 INT64_C(1700000000000)

struct place {
    char folder[64];
    char file[96];
    struct mneme_error err;
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    assert_non_null(place);
    (void)snprintf(place->folder, sizeof place->folder, "/tmp/mneme-file-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    (void)snprintf(place->file, sizeof place->file, "%s/store.mneme", place->folder);
    *state = place;
    return 0;
}

static void empty_place(const struct place *place)
{
    DIR *folder;
    struct dirent *entry;
    char name[400];

    folder = opendir(place->folder);
    while (folder && (entry = readdir(folder))) {
        (void)snprintf(name, sizeof name, "%s/%s", place->folder, entry->d_name);
        (void)unlink(name);
    }
    if (folder)
        (void)closedir(folder);
}

static int remove_place(void **state)
{
    struct place *place = *state;

    (void)chmod(place->folder, 0700);
    empty_place(place);
    (void)rmdir(place->folder);
    free(place);
    return 0;
}

static enum mneme_status open_with(struct place *place, struct mn_store_options options,
                                   struct mn_store **ret_store)
{
    options.path = place->file;
    return mn_store_sqlite_open(&options, ret_store, &place->err);
}

static struct mn_store *create(struct place *place, const char *key)
{
    struct mn_store *store = NULL;

    ASSERT_OK(open_with(place,
                        (struct mn_store_options){
                            .create = true, .key = key, .key_bytes = key ? strlen(key) : 0 },
                        &store));
    return store;
}

static bool put(struct mn_store *store, const char *id, const char *content)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory given = MNEME_MEMORY_INIT;
    struct mneme_memory whole;
    struct mn_written written = { 0 };
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = &whole };
    struct mn_commit commit = { .write = &write, .count = 1, .now_ms = T0 };
    struct mn_commit_result result = { .written = &written };

    given.tenant_id = "t";
    given.user_id = "ann";
    given.id = id;
    given.type = "fact";
    given.content = content;
    return mn_memory_complete(&given, T0, arena, &whole, NULL) == MNEME_OK &&
           store->ops->commit(store, &commit, 1, &result, NULL) == MNEME_OK &&
           result.status == MNEME_OK;
}

static bool has(struct mn_store *store, const char *id)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_row row;

    return store->ops->memory_get(store, (struct mn_partition){ "t", "ann" }, id, arena, &row,
                                  NULL) == MNEME_OK;
}

/* Names, sizes, times and bytes of all files of the folder, as one hash. */
static void look_at(const struct place *place, char hash[MN_SHA256_HEX_BYTES])
{
    struct dirent **entry = NULL;
    int count = scandir(place->folder, &entry, NULL, alphasort);
    MN_BUF_AUTO all = { 0 };

    for (int i = 0; i < count; i++) {
        char name[400];
        char bytes[4096];
        struct stat found;
        ssize_t read_bytes;
        int fd;

        (void)snprintf(name, sizeof name, "%s/%s", place->folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && stat(name, &found) == 0) {
            mn_buf_printf(&all, "%s %lld %lld.%ld\n", entry[i]->d_name, (long long)found.st_size,
                          (long long)found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
            fd = open(name, O_RDONLY);
            while (fd >= 0 && (read_bytes = read(fd, bytes, sizeof bytes)) > 0)
                mn_buf_put(&all, bytes, (size_t)read_bytes);
            if (fd >= 0)
                (void)close(fd);
        }
        free(entry[i]);
    }
    free(entry);
    assert_true(mn_sha256_hex(all.at ? all.at : "", all.bytes, hash));
}

/* Opening fails like this, for writing, with create, and for reading only, and touches nothing. */
static void assert_refused(struct place *place, const char *key, enum mneme_status status,
                           const char *words)
{
    char before[MN_SHA256_HEX_BYTES];
    char after[MN_SHA256_HEX_BYTES];

    look_at(place, before);
    for (int i = 0; i < 3; i++) {
        struct mn_store *store = NULL;
        struct mn_store_options options = {
            .create = i == 1, .read_only = i == 2, .key = key, .key_bytes = key ? strlen(key) : 0
        };

        assert_int_equal(open_with(place, options, &store), status);
        assert_null(store);
        if (!strstr(place->err.message, words))
            fail_msg("'%s' does not say '%s'", place->err.message, words);
        look_at(place, after);
        assert_string_equal(before, after);
    }
}

static void write_bytes(const struct place *place, long offset, const void *bytes, size_t count)
{
    int fd = open(place->file, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, count, offset), count);
    assert_int_equal(close(fd), 0);
}

static void change_with_sqlite(const struct place *place, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(place->file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- making and opening ---- */

static void a_missing_file_is_not_found_unless_it_is_to_be_made(void **state)
{
    struct place *place = *state;
    struct mn_store *store = NULL;
    char before[MN_SHA256_HEX_BYTES];
    char after[MN_SHA256_HEX_BYTES];
    struct stat made;

    look_at(place, before);
    assert_int_equal(open_with(place, (struct mn_store_options){ 0 }, &store), MNEME_NOT_FOUND);
    assert_int_equal(open_with(place,
                               (struct mn_store_options){ .create = true, .read_only = true },
                               &store),
                     MNEME_NOT_FOUND);
    look_at(place, after);
    assert_string_equal(before, after);

    mn_store_free(create(place, NULL));
    assert_int_equal(stat(place->file, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0600);
    ASSERT_OK(open_with(place, (struct mn_store_options){ 0 }, &store));
    mn_store_free(store);
}

static void a_missing_folder_is_not_found(void **state)
{
    struct place *place = *state;
    struct mn_store *store = NULL;

    (void)snprintf(place->file, sizeof place->file, "%s/none/store.mneme", place->folder);
    assert_int_equal(open_with(place, (struct mn_store_options){ .create = true }, &store),
                     MNEME_NOT_FOUND);
    (void)snprintf(place->file, sizeof place->file, "%s", place->folder);
    assert_int_equal(open_with(place, (struct mn_store_options){ .create = true }, &store),
                     MNEME_CORRUPT);
    place->file[0] = '\0';
    assert_int_equal(open_with(place, (struct mn_store_options){ .create = true }, &store),
                     MNEME_INVALID);
}

static void rows_are_there_after_closing(void **state)
{
    struct place *place = *state;
    struct mn_store *store = create(place, NULL);
    struct mn_store *reader = NULL;

    assert_true(put(store, "m", "text"));
    ASSERT_OK(open_with(place, (struct mn_store_options){ .read_only = true }, &reader));
    assert_true(has(reader, "m"));
    assert_false(put(reader, "n", "text"));
    mn_store_free(store);
    assert_true(has(reader, "m"));
    mn_store_free(reader);
    store = create(place, NULL);
    assert_true(has(store, "m"));
    mn_store_free(store);
}

static void a_making_that_was_interrupted_is_taken_up(void **state)
{
    struct place *place = *state;
    struct mn_store *store = NULL;

    write_bytes(place, 0, "", 0); /* an empty file */
    assert_int_equal(open_with(place, (struct mn_store_options){ 0 }, &store), MNEME_NOT_FOUND);
    assert_int_equal(open_with(place, (struct mn_store_options){ .read_only = true }, &store),
                     MNEME_NOT_FOUND);
    mn_store_free(create(place, NULL));
    ASSERT_OK(open_with(place, (struct mn_store_options){ 0 }, &store));
    mn_store_free(store);

    assert_int_equal(unlink(place->file), 0);
    change_with_sqlite(place, "PRAGMA journal_mode = WAL;"); /* a page without tables */
    assert_int_equal(open_with(place, (struct mn_store_options){ 0 }, &store), MNEME_NOT_FOUND);
    mn_store_free(create(place, NULL));
}

/* ---- what is refused ---- */

static void foreign_files_are_refused(void **state)
{
    struct place *place = *state;
    char noise[4096];

    write_bytes(place, 0, "hello, this is a text\n", 22);
    assert_refused(place, NULL, MNEME_CORRUPT, "not a mneme store");
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 31 + 7);
    write_bytes(place, 0, noise, sizeof noise);
    assert_refused(place, NULL, MNEME_CORRUPT, "not a mneme store");
    assert_refused(place, "a key", MNEME_CORRUPT, "not a mneme store");
    assert_int_equal(unlink(place->file), 0);
    change_with_sqlite(place, "CREATE TABLE notes (text); INSERT INTO notes VALUES ('hi');");
    assert_refused(place, NULL, MNEME_CORRUPT, "not a mneme store");
    change_with_sqlite(place, "PRAGMA application_id = 42; PRAGMA user_version = 1;");
    assert_refused(place, NULL, MNEME_CORRUPT, "not a mneme store");
}

static void a_newer_schema_is_refused(void **state)
{
    struct place *place = *state;

    mn_store_free(create(place, NULL));
    change_with_sqlite(place, "PRAGMA user_version = 1000;");
    assert_refused(place, NULL, MNEME_CORRUPT, "newer version");
}

static void an_altered_schema_is_refused(void **state)
{
    struct place *place = *state;

    mn_store_free(create(place, NULL));
    change_with_sqlite(place, "ALTER TABLE memories ADD COLUMN surprise TEXT;");
    assert_refused(place, NULL, MNEME_CORRUPT, "damaged");
}

static void a_damaged_header_is_refused(void **state)
{
    struct place *place = *state;
    struct stat whole;

    mn_store_free(create(place, NULL));
    write_bytes(place, 40, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
    write_bytes(place, 21, "\x01\x01\x01", 3);
    assert_refused(place, NULL, MNEME_CORRUPT, "damaged");
    assert_int_equal(unlink(place->file), 0);

    mn_store_free(create(place, NULL));
    assert_int_equal(stat(place->file, &whole), 0);
    assert_int_equal(truncate(place->file, whole.st_size / 2), 0);
    assert_refused(place, NULL, MNEME_CORRUPT, "damaged");
    assert_int_equal(truncate(place->file, 100), 0);
    assert_refused(place, NULL, MNEME_CORRUPT, "");
}

static void damage_further_in_is_told_when_it_is_met(void **state)
{
    struct place *place = *state;
    struct mn_store *store = create(place, NULL);
    MN_ARENA_AUTO arena = mn_arena_new(1 << 24);
    char noise[8192];
    char id[16];
    struct stat whole;
    struct mn_units units = { 0 };
    enum mneme_status status;

    for (int i = 0; i < 400; i++) {
        (void)snprintf(id, sizeof id, "m-%d", i);
        assert_true(put(store, id, "a text that fills pages with rows"));
    }
    mn_store_free(store);
    assert_int_equal(stat(place->file, &whole), 0);
    memset(noise, 0x5a, sizeof noise);
    for (long at = 20 * 8192; at + 8192 <= whole.st_size; at += 8192) /* behind the schema */
        write_bytes(place, at, noise, sizeof noise);
    status = open_with(place, (struct mn_store_options){ 0 }, &store);
    if (status == MNEME_OK) {
        status = store->ops->units_scan(store, (struct mn_partition){ "t", "ann" }, "", 1000, "",
                                        arena, &units, &place->err);
        mn_store_free(store);
    }
    assert_int_equal(status, MNEME_CORRUPT);
}

/* ---- keys ---- */

static void a_key_opens_what_it_closed_and_nothing_else_does(void **state)
{
    struct place *place = *state;
    struct mn_store *store = create(place, "correct horse");
    char bytes[65536] = "";
    int fd;
    ssize_t count;

    assert_true(put(store, "m", "the unmistakable text"));
    mn_store_free(store);
    assert_refused(place, "correct hors", MNEME_FORBIDDEN, "wrong");
    assert_refused(place, "correct horse ", MNEME_FORBIDDEN, "wrong");
    assert_refused(place, NULL, MNEME_FORBIDDEN, "encrypted");
    store = create(place, "correct horse");
    assert_true(has(store, "m"));
    mn_store_free(store);

    fd = open(place->file, O_RDONLY);
    while ((count = read(fd, bytes, sizeof bytes)) > 0)
        assert_null(memmem(bytes, (size_t)count, "unmistakable", 12));
    assert_int_equal(close(fd), 0);
}

static void a_key_does_not_open_a_store_without_one(void **state)
{
    struct place *place = *state;

    mn_store_free(create(place, NULL));
    assert_refused(place, "key", MNEME_FORBIDDEN, "not encrypted");
}

/* ---- rights ---- */

/* Runs `body` as a user who owns nothing, in a process of its own; its result is the exit status.
 */
static int as_nobody(struct place *place, int (*body)(struct place *place))
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(99);
        _exit(body(place));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int open_for_writing(struct place *place)
{
    struct mn_store *store = NULL;

    return (int)open_with(place, (struct mn_store_options){ .create = true }, &store);
}

static int open_for_reading(struct place *place)
{
    struct mn_store *store = NULL;
    enum mneme_status status =
        open_with(place, (struct mn_store_options){ .read_only = true }, &store);
    bool found;

    if (status != MNEME_OK)
        return (int)status;
    found = has(store, "m");
    mn_store_free(store);
    return found ? 0 : 50;
}

static void a_folder_that_cannot_be_written_is_read_only(void **state)
{
    struct place *place = *state;
    struct mn_store *store;
    char before[MN_SHA256_HEX_BYTES];
    char after[MN_SHA256_HEX_BYTES];

    assert_int_equal(chmod(place->folder, 0555), 0);
    assert_int_equal(as_nobody(place, open_for_writing), MNEME_FORBIDDEN);
    assert_int_equal(chmod(place->folder, 0755), 0);
    store = create(place, NULL);
    assert_true(put(store, "m", "text"));
    mn_store_free(store);
    assert_int_equal(chmod(place->file, 0444), 0);
    assert_int_equal(chmod(place->folder, 0555), 0);

    look_at(place, before);
    assert_int_equal(as_nobody(place, open_for_writing), MNEME_FORBIDDEN);
    assert_int_equal(as_nobody(place, open_for_reading), 0);
    look_at(place, after);
    assert_string_equal(before, after);
    assert_int_equal(chmod(place->file, 0000), 0);
    assert_int_equal(as_nobody(place, open_for_reading), MNEME_FORBIDDEN);
}

static void a_reader_without_rights_reads_beside_a_writer(void **state)
{
    struct place *place = *state;
    struct mn_store *store = create(place, NULL);

    assert_true(put(store, "m", "text"));
    assert_int_equal(chmod(place->file, 0444), 0);
    {
        char name[110];

        (void)snprintf(name, sizeof name, "%s-wal", place->file);
        assert_int_equal(chmod(name, 0444), 0);
        (void)snprintf(name, sizeof name, "%s-shm", place->file);
        assert_int_equal(chmod(name, 0444), 0);
    }
    assert_int_equal(chmod(place->folder, 0555), 0);
    assert_int_equal(as_nobody(place, open_for_reading), 0);
    mn_store_free(store);
}

/* ---- several processes ---- */

static int write_hundred(struct place *place)
{
    struct mn_store *store = NULL;
    char id[32];

    if (open_with(place, (struct mn_store_options){ .create = true }, &store) != MNEME_OK)
        return 1;
    for (int i = 0; i < 100; i++) {
        (void)snprintf(id, sizeof id, "m-%d-%d", (int)getpid(), i);
        if (!put(store, id, "text") || !has(store, id))
            return 2;
    }
    mn_store_free(store);
    return 0;
}

/* Another process makes the store just before the statement number `at` of a connection. */
struct interruption {
    struct place *place;
    int at, seen;
    int wanted; /* a byte into it, and the process begins */
    pid_t maker;
};

/* Forked before a connection is there: one does not bear it. */
static void start_maker(struct interruption *self)
{
    int wanted[2];
    char go;

    assert_int_equal(pipe(wanted), 0);
    self->wanted = wanted[1];
    self->maker = fork();
    assert_true(self->maker >= 0);
    if (self->maker > 0) {
        (void)close(wanted[0]);
        return;
    }
    (void)close(wanted[1]);
    if (read(wanted[0], &go, 1) == 1)
        mn_store_free(create(self->place, NULL));
    _exit(0);
}

static bool is_made(const char *file)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db = NULL;
    bool made = sqlite3_open(file, &db) == SQLITE_OK &&
                sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL) == SQLITE_OK &&
                sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0) > 0;

    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return made;
}

static int interrupt(unsigned what, void *context, void *stmt, void *text)
{
    const struct timespec moment = { 0, 1000000 };
    struct interruption *self = context;

    (void)what;
    (void)stmt;
    (void)text;
    if (++self->seen != self->at)
        return 0;
    assert_int_equal(write(self->wanted, "", 1), 1);
    while (!is_made(self->place->file))
        (void)nanosleep(&moment, NULL);
    return 0;
}

static void a_store_that_is_made_while_another_process_looks_is_no_foreign_file(void **state)
{
    struct place *place = *state;
    bool reached = true;

    for (int at = 1; reached; at++) {
        struct interruption interruption = { .place = place, .at = at };
        struct mn_sqlite *db = NULL;
        sqlite3 *empty = NULL;
        int64_t version = -1;
        int code = 0;

        assert_int_equal(sqlite3_open(place->file, &empty), SQLITE_OK);
        assert_int_equal(sqlite3_exec(empty, "PRAGMA journal_mode = WAL", NULL, NULL, NULL),
                         SQLITE_OK);
        assert_int_equal(sqlite3_close(empty), SQLITE_OK);
        start_maker(&interruption);
        ASSERT_OK(mn_sqlite_connect(place->file, MN_SQLITE_WRITE, NULL, 0, &db, &place->err));
        assert_int_equal(sqlite3_trace_v2(mn_sqlite_handle(db), SQLITE_TRACE_STMT, interrupt,
                                          &interruption),
                         SQLITE_OK);
        if (mn_sqlite_check_version(db, place->file, &version, &place->err) != MNEME_OK)
            fail_msg("%d: %s", at, place->err.message);
        reached = interruption.seen >= at;
        assert_true(version >= 0);
        assert_true(reached || at > 3); /* as many statements as it looks with */
        mn_sqlite_free(db);
        (void)close(interruption.wanted);
        assert_int_equal(waitpid(interruption.maker, &code, 0), interruption.maker);
        assert_int_equal(code, 0);
        empty_place(place);
    }
}

static void several_processes_make_and_write_one_file(void **state)
{
    struct place *place = *state;
    struct mn_store *store;
    struct mn_changes changes = { 0 };
    struct mn_cursor start = { "" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 24);
    pid_t child[4];

    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(write_hundred(place));
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;

        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    store = create(place, NULL);
    ASSERT_OK(store->ops->changes_after(store, NULL, &start, 1000, arena, &changes, &place->err));
    assert_int_equal(changes.count, 400);
    mn_store_free(store);
}

/* Writes rows and tells each that was acknowledged, until it is killed. */
static void write_until_killed(struct place *place, int told)
{
    struct mn_store *store = NULL;
    char id[32];

    if (open_with(place, (struct mn_store_options){ .create = true }, &store) != MNEME_OK)
        _exit(1);
    for (int i = 0;; i++) {
        (void)snprintf(id, sizeof id, "m-%d-%d", (int)getpid(), i);
        if (!put(store, id, "text") || write(told, &i, sizeof i) != (ssize_t)sizeof i)
            _exit(2);
    }
}

static void what_was_acknowledged_survives_a_kill(void **state)
{
    struct place *place = *state;

    for (int round = 0; round < 8; round++) {
        int told[2];
        int number;
        int last = -1;
        char id[32];
        pid_t child;
        struct mn_store *store;
        struct timespec pause = { 0, (20 + round * 7) * 1000000L };

        assert_int_equal(pipe(told), 0);
        child = fork();
        if (child == 0)
            write_until_killed(place, told[1]);
        (void)close(told[1]);
        if (round > 1) /* the first two are killed while the file is made, or soon after */
            assert_int_equal(read(told[0], &last, sizeof last), sizeof last);
        pause.tv_nsec = round == 0 ? 1000000 : pause.tv_nsec;
        (void)nanosleep(&pause, NULL);
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        while (read(told[0], &number, sizeof number) == (ssize_t)sizeof number)
            last = number;
        (void)close(told[0]);

        store = create(place, NULL);
        for (int i = 0; i <= last; i++) {
            (void)snprintf(id, sizeof id, "m-%d-%d", (int)child, i);
            assert_true(has(store, id));
        }
        assert_true(put(store, "again", "writing goes on"));
        mn_store_free(store);
    }
}

static int write_one(struct place *place)
{
    struct mn_store *store = NULL;
    bool written;

    if (open_with(place, (struct mn_store_options){ 0 }, &store) != MNEME_OK)
        return 1;
    written = put(store, "m", "text");
    mn_store_free(store);
    return written ? 0 : 2;
}

static void a_writer_waits_for_its_turn(void **state)
{
    struct place *place = *state;
    struct timespec pause = { 0, 100000000 };
    struct flock turn = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
    char name[110];
    int status = -1;
    pid_t child;
    int lock;

    mn_store_free(create(place, NULL));
    (void)snprintf(name, sizeof name, "%s.lock", place->file);
    lock = open(name, O_RDWR | O_CLOEXEC);
    assert_true(lock >= 0);
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &turn), 0);
    child = fork();
    if (child == 0) {
        (void)close(lock);
        _exit(write_one(place));
    }
    (void)nanosleep(&pause, NULL);
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    turn.l_type = F_UNLCK;
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &turn), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(close(lock), 0);
}

static int write_with_key(struct place *place)
{
    struct mn_store *store = NULL;
    struct mn_store_options options = { .create = true, .key = "key", .key_bytes = 3 };

    return open_with(place, options, &store) == MNEME_OK && put(store, "m", "text") ? 0 : 1;
}

static int become_newer_in_the_log(struct place *place)
{
    sqlite3 *db = NULL;

    return sqlite3_open(place->file, &db) == SQLITE_OK &&
                   sqlite3_exec(db, "PRAGMA user_version = 1000;", NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : 1;
}

/* In a process that dies without closing what it opened. */
static void do_and_die(struct place *place, int (*body)(struct place *place))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(body(place));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* With a log beside the file; the shared memory is made anew from it by whoever comes, and left
 * out. */
static void assert_log_stays(struct place *place, const char *key, enum mneme_status refusal)
{
    struct mn_store_options options = { .key = key, .key_bytes = key ? strlen(key) : 0 };
    struct mn_store *store = NULL;
    char before[MN_SHA256_HEX_BYTES];
    char after[MN_SHA256_HEX_BYTES];
    char name[110];

    (void)snprintf(name, sizeof name, "%s-wal", place->file);
    assert_int_equal(access(name, F_OK), 0);
    (void)snprintf(name, sizeof name, "%s-shm", place->file);
    (void)unlink(name);
    look_at(place, before);
    assert_int_equal(open_with(place, options, &store), refusal);
    (void)unlink(name);
    look_at(place, after);
    assert_string_equal(before, after);
}

static void a_refusal_does_not_replay_a_log_that_is_left(void **state)
{
    struct place *place = *state;
    struct mn_store *store = NULL;

    do_and_die(place, write_with_key);
    assert_log_stays(place, "kez", MNEME_FORBIDDEN);
    assert_log_stays(place, NULL, MNEME_FORBIDDEN);
    ASSERT_OK(open_with(place, (struct mn_store_options){ .key = "key", .key_bytes = 3 }, &store));
    assert_true(has(store, "m"));
    mn_store_free(store);

    assert_int_equal(unlink(place->file), 0);
    mn_store_free(create(place, NULL));
    do_and_die(place, become_newer_in_the_log);
    assert_log_stays(place, NULL, MNEME_CORRUPT);
}

/* ---- the log of changes ---- */

static void a_log_that_was_cut_says_so(void **state)
{
    struct place *place = *state;
    struct mn_store *store = create(place, NULL);
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_cursor start = { "" };
    struct mn_cursor last;
    struct mn_changes changes = { 0 };

    assert_true(put(store, "a", "text"));
    assert_true(put(store, "b", "text"));
    ASSERT_OK(store->ops->changes_after(store, NULL, &start, 1, arena, &changes, &place->err));
    ASSERT_OK(store->ops->position(store, &last, &place->err));
    change_with_sqlite(place, "DELETE FROM changes WHERE seq = 1;");
    start = changes.next; /* behind what was cut */
    ASSERT_OK(store->ops->changes_after(store, NULL, &start, 9, arena, &changes, &place->err));
    assert_false(changes.too_old);
    assert_int_equal(changes.count, 1);
    start.text[0] = '\0';
    ASSERT_OK(store->ops->changes_after(store, NULL, &start, 9, arena, &changes, &place->err));
    assert_true(changes.too_old);
    change_with_sqlite(place, "DELETE FROM changes;");
    ASSERT_OK(store->ops->changes_after(store, NULL, &start, 9, arena, &changes, &place->err));
    assert_true(changes.too_old);
    ASSERT_OK(store->ops->changes_after(store, NULL, &last, 9, arena, &changes, &place->err));
    assert_false(changes.too_old);
    assert_true(put(store, "c", "text"));
    ASSERT_OK(store->ops->changes_after(store, NULL, &last, 9, arena, &changes, &place->err));
    assert_false(changes.too_old);
    assert_int_equal(changes.count, 1);
    mn_store_free(store);
}

/* ---- the statements ---- */

static void every_statement_fits_the_schema(void **state)
{
    static const struct mn_sql_statement statements[] = SQL_SQLITE_STATEMENTS;
    struct place *place = *state;
    sqlite3 *db = NULL;

    mn_store_free(create(place, NULL));
    assert_int_equal(sqlite3_open(place->file, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        sqlite3_stmt *stmt = NULL;
        const char *rest = NULL;

        if (sqlite3_prepare_v2(db, statements[i].text, -1, &stmt, &rest) != SQLITE_OK)
            fail_msg("%s: %s", statements[i].name, sqlite3_errmsg(db));
        assert_int_equal(strspn(rest, " \n"), strlen(rest)); /* one statement, not two */
        assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void plan_of(sqlite3 *db, const char *sql, struct mn_buf *plan)
{
    sqlite3_stmt *stmt = NULL;

    mn_buf_reset(plan);
    mn_buf_printf(plan, "EXPLAIN QUERY PLAN %s", sql);
    assert_int_equal(sqlite3_prepare_v2(db, plan->at, -1, &stmt, NULL), SQLITE_OK);
    mn_buf_reset(plan);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        mn_buf_printf(plan, "%s\n", (const char *)sqlite3_column_text(stmt, 3));
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
}

static void hot_statements_use_their_index(void **state)
{
    static const struct {
        const char *sql;
        const char *plan;
    } hot[] = {
        { SQL_SQLITE_MEMORY_GET, "PRIMARY KEY (tenant=? AND owner=? AND id=?)" },
        { SQL_SQLITE_MEMORY_OWNER, "memories_id (tenant=? AND id=?)" },
        { SQL_SQLITE_IDS_OF_SCOPE,
          "memories_scope (tenant=? AND owner=? AND scope_kind=? AND scope_id=? AND type=?)" },
        { SQL_SQLITE_IDS_OF_KEY, "memories_key (tenant=? AND owner=? AND memory_key=?)" },
        { SQL_SQLITE_LINKS_OF_PARTITION, "memories_supersedes (tenant=? AND owner=?" },
        { SQL_SQLITE_TURNS_REPLACED, "memories_supersedes (tenant=? AND owner=?" },
        { SQL_SQLITE_TURNS_REPLACED, "SEARCH m USING PRIMARY KEY (tenant=? AND owner=? AND id=?)" },
        { SQL_SQLITE_LINKS_TO, "memories_supersedes (tenant=? AND owner=? AND supersedes=?)" },
        { SQL_SQLITE_HISTORY_AS_OF, "PRIMARY KEY (tenant=? AND owner=? AND id=?)" },
        { SQL_SQLITE_UNIT_MEMORIES_SCAN, "PRIMARY KEY (tenant=? AND owner=? AND id>?)" },
        { SQL_SQLITE_UNIT_EVENTS_SCAN, "PRIMARY KEY (tenant=? AND owner=? AND id>?)" },
        { SQL_SQLITE_UNIT_MEMORIES_WITHOUT_VECTOR, "PRIMARY KEY ((tenant,owner,id)>(?,?,?))" },
        { SQL_SQLITE_UNIT_EVENTS_WITHOUT_VECTOR, "PRIMARY KEY ((tenant,owner,id)>(?,?,?))" },
        { SQL_SQLITE_CHANGES_AFTER, "INTEGER PRIMARY KEY (rowid>?)" },
        { SQL_SQLITE_CHANGES_AFTER_OF_PARTITION,
          "changes_partition (tenant=? AND owner=? AND rowid>?)" },
        { SQL_SQLITE_TASK_STATES_OF_TASK, "task_states_task (tenant=? AND owner=? AND task_id=?)" },
        { SQL_SQLITE_SESSION_EVENTS,
          "events_session (tenant=? AND owner=? AND session_id=? AND (place,id)>(?,?))" },
        { SQL_SQLITE_RULES_ACTIVE, "PRIMARY KEY (tenant=? AND owner=?)" },
        { SQL_SQLITE_LIST_EVENTS, "PRIMARY KEY (tenant=? AND (owner,id)>(?,?))" },
    };
    struct place *place = *state;
    MN_BUF_AUTO plan = { 0 };
    sqlite3 *db = NULL;

    mn_store_free(create(place, NULL));
    assert_int_equal(sqlite3_open(place->file, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof hot / sizeof *hot; i++) {
        plan_of(db, hot[i].sql, &plan);
        if (!strstr(plan.at, hot[i].plan))
            fail_msg("%s\nis done by\n%snot by %s", hot[i].sql, plan.at, hot[i].plan);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        CASE(a_missing_file_is_not_found_unless_it_is_to_be_made),
        CASE(a_missing_folder_is_not_found),
        CASE(rows_are_there_after_closing),
        CASE(a_making_that_was_interrupted_is_taken_up),
        CASE(foreign_files_are_refused),
        CASE(a_newer_schema_is_refused),
        CASE(an_altered_schema_is_refused),
        CASE(a_damaged_header_is_refused),
        CASE(damage_further_in_is_told_when_it_is_met),
        CASE(a_key_opens_what_it_closed_and_nothing_else_does),
        CASE(a_key_does_not_open_a_store_without_one),
        CASE(a_folder_that_cannot_be_written_is_read_only),
        CASE(a_reader_without_rights_reads_beside_a_writer),
        CASE(a_store_that_is_made_while_another_process_looks_is_no_foreign_file),
        CASE(several_processes_make_and_write_one_file),
        CASE(what_was_acknowledged_survives_a_kill),
        CASE(a_writer_waits_for_its_turn),
        CASE(a_refusal_does_not_replay_a_log_that_is_left),
        CASE(a_log_that_was_cut_says_so),
        CASE(every_statement_fits_the_schema),
        CASE(hot_statements_use_their_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
