/*
 * test_crash_points.c - a process is killed at random points of what it does to a store.
 *
 * usage: test_crash_points KILLS [SEED]         the seed is printed
 *
 * Kills are shared out among five works: writing, recalling while the index is brought up,
 * migrating an old file, erasing a user, and the maintenance of mneme_run_due(). After each: the
 * store opens in less than a second and is whole, what is derived agrees with the rows, all that was
 * acknowledged is there, what was acknowledged as erased is not, and a store loaded afresh from its
 * export gives the same answers.
 */
#include "crash/afresh.h"
#include "crash/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"

#define ROWS_BEFORE 40
#define OPEN_US_MAX 1000000 /* of CPU, under sanitizers; without them a few milliseconds */
#define WORK_WRITES 12
#define READY (-2) /* told when the work begins */

enum work { WORK_WRITE, WORK_INDEX, WORK_MIGRATE, WORK_ERASE, WORK_DUE, WORK_COUNT };
/* How long it takes, up to WORK_WRITES things done: the kill falls somewhere into that time.
 * Measured once. */
static int64_t work_us[WORK_COUNT];

static int kills = 50;
static uint64_t seed = 1;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- what is written ---- */

static void name_row(const char *user, int number, char content[160])
{
    (void)snprintf(content, 160, "Item %d of %s: the harbour crane lifts crate %d.", number, user,
                   number * 7);
}

static void make_row(const char *user, int number, char content[160],
                     struct mneme_memory *ret_memory)
{
    name_row(user, number, content);
    *ret_memory = (struct mneme_memory)MNEME_MEMORY_INIT;
    ret_memory->tenant_id = "acme";
    ret_memory->user_id = user;
    ret_memory->type = "fact";
    ret_memory->content = content;
}

static void remember(struct mneme *handle, const char *user, int number)
{
    struct mneme_memory memory;
    struct mneme_error err;
    char content[160];

    make_row(user, number, content, &memory);
    if (mneme_remember(handle, &memory, NULL, NULL, &err) != MNEME_OK) {
        fprintf(stderr, "remember: %s\n", err.message);
        _exit(3);
    }
}

/* ---- works, each in a process of its own; `told` gets a number for each thing done ---- */

static void tell(int told, int number)
{
    if (write(told, &number, sizeof number) != (ssize_t)sizeof number)
        _exit(4);
}

static void erase_user(struct mneme *handle, int told)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme_error err;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = "bob";
    if (mneme_erase(handle, &what, &receipt, &err) != MNEME_OK)
        _exit(5);
    mneme_free(receipt);
    tell(told, 0);
}

static void work_on(const struct place *place, enum work work, int told)
{
    struct mneme_error err;
    struct mneme *handle;
    char xml[8192];
    size_t left;

    if (work == WORK_MIGRATE)
        tell(told, READY);
    handle = place_open(place->file);
    if (work != WORK_MIGRATE)
        tell(told, READY);
    switch (work) {
    case WORK_ERASE:
        erase_user(handle, told);
        break;
    case WORK_MIGRATE:
        mneme_close(handle);
        tell(told, 0);
        break;
    default:
        for (int i = ROWS_BEFORE;; i++) {
            remember(handle, "ann", i);
            tell(told, i);
            if (work == WORK_INDEX)
                afresh_ask(handle, "ann", "Which crate does the harbour crane lift?", xml);
            if (work == WORK_DUE && mneme_run_due(handle, 100, &left, &err) != MNEME_OK)
                _exit(6);
        }
    }
    pause();
}

/* ---- an old file ---- */

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* As the store reckons it: over the text of its own tables. */
static void put_schema_hash(sqlite3 *db)
{
    MN_BUF_AUTO schema = { 0 };
    sqlite3_stmt *stmt = NULL;
    char hash[MN_SHA256_HEX_BYTES];
    char sql[200];

    assert_int_equal(sqlite3_prepare_v2(db, SQL_SQLITE_SCHEMA, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        mn_buf_printf(&schema, "%s\n", (const char *)sqlite3_column_text(stmt, 0));
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    assert_true(mn_sha256_hex(schema.at, schema.bytes, hash));
    (void)snprintf(sql, sizeof sql, "INSERT INTO meta VALUES ('schema_hash', '%s')", hash);
    run_sql(db, sql);
}

/* The store as the first version would have left it, with the same memories. */
static void age_store(const struct place *place)
{
    static const struct mn_sql_migration migrations[] = SQL_SQLITE_MIGRATIONS;
    char old[128], sql[200];
    sqlite3 *db = NULL;

    (void)snprintf(old, sizeof old, "%s/old", place->folder);
    assert_int_equal(sqlite3_open(old, &db), SQLITE_OK);
    run_sql(db, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; BEGIN");
    run_sql(db, migrations[0].text);
    run_sql(db, "COMMIT; INSERT INTO meta VALUES ('store_id', '0badcafe')");
    put_schema_hash(db);
    (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS present", place->file);
    run_sql(db, sql);
    run_sql(db, "BEGIN; INSERT INTO memories SELECT * FROM present.memories;"
                "INSERT INTO changes SELECT * FROM present.changes; COMMIT; DETACH present");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(rename(old, place->file), 0);
}

static void fill(const struct place *place, enum work work)
{
    static char content[2 * ROWS_BEFORE][160];
    static struct mneme_memory memory[2 * ROWS_BEFORE];
    struct mneme_record record[2 * ROWS_BEFORE];
    struct mneme_error err;
    struct mneme *handle;

    place_clear(place);
    handle = place_open(place->file);
    for (int i = 0; i < 2 * ROWS_BEFORE; i++) {
        make_row(i % 2 ? "bob" : "ann", i / 2, content[i], &memory[i]);
        record[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &memory[i] };
    }
    if (mneme_write(handle, record, 2 * ROWS_BEFORE, NULL, NULL, NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    mneme_close(handle);
    if (work == WORK_MIGRATE)
        age_store(place);
}

/* ---- what is left ---- */

static struct mneme *open_in_time(const struct place *place)
{
    int64_t start_us = mn_clock_cpu_us();
    struct mneme *handle = place_open(place->file);

    assert_true(mn_clock_cpu_us() - start_us < OPEN_US_MAX);
    return handle;
}

static size_t of_user(const struct rows *rows, const char *user, int count)
{
    size_t found = 0;
    char content[160];

    for (int i = 0; i < count; i++) {
        name_row(user, i, content);
        found += rows_with(rows, content);
    }
    return found;
}

static void check_store(const struct place *place, enum work work, int last)
{
    static const struct afresh_request requests[] = {
        { "ann", "Which crate does the harbour crane lift?" },
        { "bob", "What was item 17 about?" },
        { "ann", "crate 140" },
    };
    struct mneme *handle = open_in_time(place);
    char integrity[200];
    struct rows rows;
    size_t of_bob;

    rows_read(handle, &rows);
    assert_int_equal(of_user(&rows, "ann", ROWS_BEFORE), ROWS_BEFORE);
    if (work != WORK_ERASE && work != WORK_MIGRATE && last >= 0)
        assert_int_equal(of_user(&rows, "ann", last + 1), last + 1);
    of_bob = of_user(&rows, "bob", ROWS_BEFORE);
    if (work == WORK_ERASE && last >= 0)
        assert_int_equal(of_bob, 0);
    else if (work == WORK_ERASE) /* all or nothing */
        assert_true(of_bob == 0 || of_bob == ROWS_BEFORE);
    else
        assert_int_equal(of_bob, ROWS_BEFORE);
    rows_free(&rows);
    afresh_check(handle, place_open_afresh(place), requests, sizeof requests / sizeof *requests);
    mneme_close(handle);
    place_check_integrity(place->file, integrity);
    assert_string_equal(integrity, "ok");
}

struct child {
    pid_t process;
    int told;
};

/* Returns when its work begins. */
static struct child begin_child(const struct place *place, enum work work)
{
    struct child child;
    int told[2], number = 0;

    assert_int_equal(pipe(told), 0);
    child = (struct child){ fork(), told[0] };
    if (child.process == 0) {
        (void)close(told[0]);
        work_on(place, work, told[1]);
        _exit(0);
    }
    (void)close(told[1]);
    assert_int_equal(read(child.told, &number, sizeof number), sizeof number);
    assert_int_equal(number, READY);
    return child;
}

/* The last number that it told; -1: none. */
static int kill_child(const struct child *child)
{
    int last = -1;
    int number, status;

    assert_int_equal(kill(child->process, SIGKILL), 0);
    while (read(child->told, &number, sizeof number) == (ssize_t)sizeof number)
        last = number;
    (void)close(child->told);
    assert_int_equal(waitpid(child->process, &status, 0), child->process);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return last;
}

static int64_t measure(const struct place *place, enum work work)
{
    int things = work == WORK_MIGRATE || work == WORK_ERASE ? 1 : WORK_WRITES;
    struct child child = begin_child(place, work);
    int64_t start_us = mn_clock_cpu_us();
    int number;

    for (int i = 0; i < things; i++)
        assert_int_equal(read(child.told, &number, sizeof number), sizeof number);
    start_us = mn_clock_cpu_us() - start_us;
    (void)kill_child(&child);
    return start_us;
}

static int kill_at_random(const struct place *place, enum work work)
{
    struct child child = begin_child(place, work);
    int64_t pause_us = (int64_t)(next_random() % (uint64_t)(work_us[work] * 5 / 4 + 1));
    struct timespec pause = { pause_us / 1000000, pause_us % 1000000 * 1000 };

    (void)nanosleep(&pause, NULL);
    return kill_child(&child);
}

static void a_store_survives_being_killed_at_any_point(void **state)
{
    struct place place = place_make();
    int done[WORK_COUNT] = { 0 };

    (void)state;
    for (int work = 0; work < WORK_COUNT; work++) {
        fill(&place, (enum work)work);
        work_us[work] = measure(&place, (enum work)work);
    }
    for (int i = 0; i < kills; i++) {
        enum work work = (enum work)(i % WORK_COUNT);
        int last;

        fill(&place, work);
        last = kill_at_random(&place, work);
        check_store(&place, work, last);
        done[work] += last >= 0;
    }
    printf(
        "kills %d; something was acknowledged before it in %d writes, %d recalls, %d migrations, "
        "%d erasures, %d maintenances\n",
        kills, done[0], done[1], done[2], done[3], done[4]);
    place_remove(&place);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        a_store_survives_being_killed_at_any_point) };

    if (argc > 1)
        kills = atoi(argv[1]);
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)mn_clock_now_ms();
    printf("seed %llu\n", (unsigned long long)seed);
    seed = seed ? seed : 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
