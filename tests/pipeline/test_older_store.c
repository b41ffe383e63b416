/*
 * test_older_store.c - a store as an older version left it: opened, it is brought to the present form,
 * keeps what it knew, and comes up to what it lacked by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <mneme/mneme.h>

#include "base/hash.h"
#include "base/str.h"
#include "pipeline/fixture.h"
#include "sql/sqlite.gen.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define OLDER 9 /* the last schema in which four indexes held the ids of archived turns */

static const struct mn_sql_migration migrations[] = SQL_SQLITE_MIGRATIONS;

static void run(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
}

/* As the store signs its tables. */
static void sign(sqlite3 *db)
{
    MN_BUF_AUTO schema = { 0 };
    char hash[MN_SHA256_HEX_BYTES], sql[256];
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_prepare_v2(db, SQL_SQLITE_SCHEMA, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        mn_buf_printf(&schema, "%s\n", (const char *)sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    assert_true(mn_sha256_hex(schema.at, schema.bytes, hash));
    (void)snprintf(sql, sizeof sql, "INSERT INTO meta VALUES ('store_id', '0badcafe'),"
                                    " ('schema_hash', '%s')", hash);
    run(db, sql);
}

static int set_up(void **state)
{
    int code = fixture_set_up_folder(state);
    struct fixture *f = *state;
    sqlite3 *db = NULL;

    if (code)
        return code;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    run(db, "PRAGMA journal_mode = wal");
    for (size_t i = 0; i < OLDER; i++)
        run(db, migrations[i].text);
    run(db, "INSERT INTO archive_objects VALUES"
            " ('acme', 'ann', 'f1', 's1', 2, 0, 1, 3, 99, 'd1', 5),"
            " ('acme', 'ann', 'f2', 's2', 2, 0, 0, 1, 99, 'd2', 5),"
            " ('acme', 'bob', 'f3', 's1', 2, 0, 0, 1, 99, 'd3', 5),"
            " ('other', 'ann', 'f4', 's1', 2, 0, 0, 1, 99, 'd4', 5)");
    run(db, "INSERT INTO archived_events VALUES ('acme', 'ann', 'e1', 's1', 'f1'),"
            " ('acme', 'ann', 'e2', 's1', 'f1'), ('acme', 'ann', 'e3', 's2', 'f2'),"
            " ('acme', 'bob', 'e4', 's1', 'f3'), ('other', 'ann', 'e1', 's1', 'f4'),"
            " ('acme', 'ann', 'e9', 's9', 'lost')");
    run(db, "INSERT INTO index_state VALUES ('a model', '', '', '', 0, 0, '', 0, 5),"
            " ('a model', 'acme', 'ann', 'm1', 0, 0, '', 2, 5)");
    sign(db);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return chmod(f->path, 0600);
}

/* Whether it is sound; `told` is the whole report. */
static int examine(const struct fixture *f, char *told, size_t bytes)
{
    struct mneme_options options = fixture_options(f, f->path);
    struct mneme_error err;
    char *report = NULL;
    int sound = -1;

    ASSERT_OK(mneme_doctor(&options, NULL, &sound, &report, &err));
    (void)snprintf(told, bytes, "%s", report);
    mneme_free(report);
    return sound;
}

static enum mneme_status observe(struct fixture *f, const char *user, const char *session,
                                 const char *id, struct mneme_receipt *receipt)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    event.tenant_id = "acme";
    event.user_id = user;
    event.session_id = session;
    event.id = id;
    event.text = "The ferry was late.";
    return mneme_observe(f->handle, &event, 1, &change, receipt, &f->err);
}

static void archived_ids_stay_taken_and_each_has_its_file(void **state)
{
    struct fixture *f = *state;
    struct mneme_receipt receipt;

    fixture_open(f);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM archived_events"), 5);
    assert_int_equal(
        fixture_sql_number(f, "SELECT count(*) FROM archived_events e JOIN archive_objects o"
                              " USING (tenant, owner, object) WHERE e.session_id = o.session_id"),
        5);
    assert_int_equal(fixture_sql_number(f, "SELECT kept FROM archive_objects WHERE object = 'f1'"),
                     2);
    assert_int_equal(fixture_sql_number(f, "SELECT sum(kept) FROM archive_objects"), 5);
    assert_int_equal(fixture_sql_number(f, "SELECT count(DISTINCT number) FROM archive_objects"), 4);
    ASSERT_OK(observe(f, "ann", "s1", "e2", &receipt));
    assert_int_equal(receipt.outcome, MNEME_UNCHANGED);
    assert_int_equal(observe(f, "ann", "s2", "e2", &receipt), MNEME_CONFLICT);
    assert_int_equal(observe(f, "ann", "s1", "e4", &receipt), MNEME_CONFLICT);
    assert_int_equal(observe(f, "ann", "s9", "e9", &receipt), MNEME_CONFLICT);
    ASSERT_OK(observe(f, "ann", "s1", "e5", &receipt));
    assert_int_equal(receipt.outcome, MNEME_INSERTED);
}

static void an_erasure_finds_them_by_session_and_by_user(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    fixture_open(f);
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "e1";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"archived\":1"));
    mneme_free(receipt);
    assert_int_equal(fixture_sql_number(f, "SELECT state FROM archive_objects WHERE object = 'f1'"),
                     4);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM archived_ids WHERE id = 'e1'"), 1);
    what.scope = MNEME_ERASE_USER;
    what.id = NULL;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"archived\":2"));
    mneme_free(receipt);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM archived_events"), 2);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM archive_objects WHERE state = 3"),
                     2);

    /* Whose the turn of an unknown file was, nobody can tell: it goes with the tenant. */
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM archived_ids WHERE id = 'e9'"), 1);
    what.scope = MNEME_ERASE_TENANT;
    what.user_id = NULL;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    mneme_free(receipt);
    assert_int_equal(
        fixture_sql_number(f, "SELECT count(*) FROM archived_ids WHERE tenant = 'acme'"), 0);
    assert_int_equal(
        fixture_sql_number(f, "SELECT count(*) FROM archived_ids WHERE tenant = 'other'"), 1);
}

/* Without its position a model's index goes over all units once; what it refused is still known. */
static void vectors_are_looked_for_once_more(void **state)
{
    struct fixture *f = *state;
    char told[8192];

    assert_int_equal(examine(f, told, sizeof told), 1);
    assert_non_null(strstr(told, "\"pending\":[{\"what\":\"version\""));
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM index_state WHERE unit = ''"), 1);
    fixture_open(f);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM index_state WHERE unit = ''"), 0);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM index_state WHERE unit = 'm1'"), 1);
    mneme_close(f->handle);
    f->handle = NULL;
    assert_int_equal(examine(f, told, sizeof told), 0); /* what was refused is of no memory here */
    assert_non_null(strstr(told, "\"pending\":[]"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(archived_ids_stay_taken_and_each_has_its_file),
        CASE(an_erasure_finds_them_by_session_and_by_user),
        CASE(vectors_are_looked_for_once_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
