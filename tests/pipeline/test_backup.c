/*
 * test_backup.c - a store copied while it is written, put back, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

static void open_it(struct fixture *f, const char *path, bool create)
{
    struct mneme_options options = fixture_options(f, path);

    options.create = create;
    if (mneme_open(&options, &f->handle, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* Names in the folder. */
static size_t files_in(const struct fixture *f)
{
    DIR *folder = opendir(f->folder);
    struct dirent *entry;
    size_t count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

static enum mneme_status put(struct mneme *handle, int number, struct mneme_error *err)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record records[2];
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory twin;
    char id[2][32], text[512];

    (void)snprintf(id[0], sizeof id[0], "m-%d-a", number);
    (void)snprintf(id[1], sizeof id[1], "m-%d-b", number);
    (void)snprintf(text, sizeof text, "The harbour master writes note %d. %0400d", number, number);
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.content = text;
    m.id = id[0];
    twin = m;
    twin.id = id[1];
    records[0] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &m };
    records[1] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &twin };
    change.now_ms = NOW;
    return mneme_write(handle, records, 2, &change, NULL, NULL, err);
}

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(size_t *)context;
    return 0;
}

static size_t rows_of(struct mneme *handle)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    size_t count = 0;

    filter.tenant_id = "acme";
    filter.all_users = 1;
    ASSERT_OK(mneme_list_memories(handle, &filter, count_row, &count, NULL));
    return count;
}

static void restore(struct fixture *f)
{
    const struct mneme_options options = fixture_options(f, f->again);

    if (mneme_restore(&options, f->file, "operator", &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* The restored store has so many rows, and a chain that is whole. */
static void check_again(struct fixture *f, size_t rows)
{
    struct fixture again = *f;
    int sound = 0;

    open_it(&again, f->again, false);
    assert_int_equal(rows_of(again.handle), rows);
    ASSERT_OK(mneme_audit_verify(again.handle, NULL, &sound, NULL, &f->err));
    assert_int_equal(sound, 1);
    ASSERT_OK(put(again.handle, 5000, &f->err));
    assert_int_equal(rows_of(again.handle), rows + 2);
    mneme_close(again.handle);
}

/* ---- */

static void what_is_copied_comes_back(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 20; i++)
        ASSERT_OK(put(f->handle, i, &f->err));
    ASSERT_OK(mneme_backup(f->handle, f->file, "operator", &f->err));
    ASSERT_OK(put(f->handle, 99, &f->err));
    restore(f);
    check_again(f, 40);
    assert_int_equal(rows_of(f->handle), 42);
}

static void an_encrypted_store_is_copied_under_its_key(void **state)
{
    struct fixture *f = *state;
    struct mneme_options wrong;

    mneme_close(f->handle);
    assert_int_equal(unlink(f->path), 0);
    f->key = "open sesame";
    open_it(f, f->path, true);
    ASSERT_OK(put(f->handle, 1, &f->err));
    ASSERT_OK(mneme_backup(f->handle, f->file, "operator", &f->err));
    wrong = fixture_options(f, f->again);
    wrong.key = "shut sesame";
    assert_int_equal(mneme_restore(&wrong, f->file, "", &f->err), MNEME_FORBIDDEN);
    assert_string_equal(f->err.field, "key");
    wrong.key = NULL;
    wrong.key_bytes = 0;
    assert_int_equal(mneme_restore(&wrong, f->file, "", &f->err), MNEME_FORBIDDEN);
    assert_int_not_equal(access(f->again, F_OK), 0);
    restore(f);
    check_again(f, 2);
}

struct writer {
    struct mneme *handle;
    atomic_bool stop;
    int written;
};

static void *write_all_the_time(void *argument)
{
    struct writer *w = argument;
    struct mneme_error err;

    while (!atomic_load(&w->stop))
        if (put(w->handle, w->written + 100, &err) == MNEME_OK)
            w->written++;
    return NULL;
}

static void a_copy_made_while_others_write_has_one_state(void **state)
{
    struct fixture *f = *state;
    struct writer w = { .handle = f->handle };
    pthread_t thread;
    struct fixture again = *f;

    for (int i = 0; i < 50; i++)
        ASSERT_OK(put(f->handle, i, &f->err));
    assert_int_equal(pthread_create(&thread, NULL, write_all_the_time, &w), 0);
    for (int i = 0; i < 5; i++) {
        size_t rows;

        (void)unlink(f->file);
        ASSERT_OK(mneme_backup(f->handle, f->file, "operator", &f->err));
        open_it(&again, f->file, false);
        rows = rows_of(again.handle);
        assert_true(rows >= 100);
        assert_int_equal(rows % 2, 0); /* two of each request */
        mneme_close(again.handle);
    }
    atomic_store(&w.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(w.written > 0);
}

static void nothing_that_is_there_is_written_over(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->path);

    ASSERT_OK(put(f->handle, 1, &f->err));
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    assert_int_equal(mneme_backup(f->handle, f->file, "", &f->err), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "file");
    assert_int_equal(mneme_backup(f->handle, "", "", &f->err), MNEME_INVALID);
    assert_int_equal(mneme_backup(f->handle, "/nowhere/at/all", "", &f->err), MNEME_NOT_FOUND);
    assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_CONFLICT);
    options = fixture_options(f, f->again);
    assert_int_equal(mneme_restore(&options, "/nowhere", "", &f->err), MNEME_NOT_FOUND);
    assert_int_equal(rows_of(f->handle), 2);
}

static void touch(char name[160], const char *path, const char *end)
{
    (void)snprintf(name, 160, "%s%s", path, end);
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void beside_what_an_older_store_left_none_is_made(void **state)
{
    static const char *const ends[] = { "-wal", "-shm", "-journal" };
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->again);
    struct mneme *made = NULL;
    char name[160];

    ASSERT_OK(put(f->handle, 1, &f->err));
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    options.create = true;
    for (size_t i = 0; i < 3; i++) {
        touch(name, f->again, ends[i]);
        assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_CONFLICT);
        assert_non_null(strstr(f->err.message, name));
        assert_non_null(strstr(f->err.message, "away together"));
        assert_int_equal(mneme_backup(f->handle, f->again, "", &f->err), MNEME_CONFLICT);
        assert_int_equal(mneme_open(&options, &made, &f->err), MNEME_CONFLICT);
        assert_non_null(strstr(f->err.message, name));
        assert_int_not_equal(access(f->again, F_OK), 0);
        assert_int_equal(unlink(name), 0);
    }
    touch(name, f->again, ".lock");
    int fd = open(name, O_RDWR);
    struct flock turn = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

    assert_int_equal(fcntl(fd, F_OFD_SETLK, &turn), 0);
    assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_CONFLICT);
    assert_non_null(strstr(f->err.message, name));
    assert_int_equal(close(fd), 0);
    ASSERT_OK(mneme_restore(&options, f->file, "", &f->err)); /* a lock that nobody holds */
}

static void what_is_no_backup_is_named(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->again);
    char name[160];

    touch(name, f->folder, "/empty");
    assert_int_equal(mneme_restore(&options, name, "", &f->err), MNEME_NOT_FOUND);
    assert_non_null(strstr(f->err.message, name));
    assert_null(strstr(f->err.message, ".part-"));
    FILE *file = fopen(name, "wb");

    for (int i = 0; i < 1000; i++)
        assert_true(fputs("a letter, and no store\n", file) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_not_equal(mneme_restore(&options, name, "", &f->err), MNEME_OK);
    assert_non_null(strstr(f->err.message, name));
    assert_null(strstr(f->err.message, ".part-"));
}

static void overwrite(const char *path, long at, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "r+b");

    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void a_damaged_a_newer_or_a_foreign_file_makes_no_store(void **state)
{
    static const char noise[4096] = "noise";
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->again);
    sqlite3 *db = NULL;
    size_t files;

    for (int i = 0; i < 50; i++)
        ASSERT_OK(put(f->handle, i, &f->err));
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    files = files_in(f);
    for (int page = 2; page <= 20; page += 3) {
        (void)unlink(f->file);
        ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
        overwrite(f->file, page * 8192L, noise, sizeof noise);
        enum mneme_status status = mneme_restore(&options, f->file, "", &f->err);
        if (status != MNEME_CORRUPT)
            fail_msg("page %d: %d %s", page, status, f->err.message);
    }
    (void)unlink(f->file);
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    assert_int_equal(sqlite3_open(f->file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1000", NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
    assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_CORRUPT);
    assert_non_null(strstr(f->err.message, "newer"));
    overwrite(f->file, 0, noise, sizeof noise);
    assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_CORRUPT);
    assert_int_equal(files_in(f), files); /* nothing is left of the attempts */
}

/* In a process that may write no file larger than so. */
static int limited(struct fixture *f, rlim_t bytes, bool put_back)
{
    const struct mneme_options options = fixture_options(f, f->again);
    pid_t child = fork();
    int how = 0;

    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = { bytes, bytes };
        struct mneme_error err;

        (void)signal(SIGXFSZ, SIG_IGN);
        (void)setrlimit(RLIMIT_FSIZE, &limit);
        _exit((int)mneme_restore(&options, put_back ? f->file : f->path, "", &err));
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static void a_full_disk_leaves_nothing_behind(void **state)
{
    struct fixture *f = *state;
    size_t files;

    for (int i = 0; i < 200; i++)
        ASSERT_OK(put(f->handle, i, &f->err));
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    mneme_close(f->handle);
    f->handle = NULL;
    files = files_in(f);
    for (rlim_t bytes = 4096; bytes <= 131072; bytes *= 4) {
        assert_int_equal(limited(f, bytes, true), MNEME_UNAVAILABLE);
        assert_int_not_equal(access(f->again, F_OK), 0);
        assert_int_equal(files_in(f), files);
    }
    restore(f);
    check_again(f, 400);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_copied_comes_back),
        CASE(an_encrypted_store_is_copied_under_its_key),
        CASE(a_copy_made_while_others_write_has_one_state),
        CASE(nothing_that_is_there_is_written_over),
        CASE(beside_what_an_older_store_left_none_is_made),
        CASE(what_is_no_backup_is_named),
        CASE(a_damaged_a_newer_or_a_foreign_file_makes_no_store),
        CASE(a_full_disk_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
