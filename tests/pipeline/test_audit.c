/*
 * test_audit.c - the audit through the public calls: what gets an entry, what is in it, what an erasure
 * leaves of it, and that whatever is done to it by other means is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- doing ---- */

static enum mneme_status put(struct fixture *f, const char *user, const char *id,
                             const char *content, enum mneme_memory_status status)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;

    m.tenant_id = "acme";
    m.user_id = user;
    m.id = id;
    m.type = "fact";
    m.content = content;
    m.status = status;
    change.now_ms = NOW;
    change.actor = "operator";
    change.reason = "because of the ferry";
    return mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err);
}

static void ask(struct fixture *f, const char *user, const char *text)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.identity.agent_id = "helper";
    request.text = text;
    request.now_ms = NOW + 5;
    if (mneme_retrieve(f->handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    mneme_answer_free(answer);
}

static void erase_user(struct fixture *f, const char *user)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = user;
    what.actor = "operator";
    what.now_ms = NOW + 10;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    mneme_free(receipt);
}

/* ---- reading: one line an entry ---- */

struct lines {
    char text[8192];
    size_t count;
};

static int add_line(void *context, const struct mneme_audit_entry *e)
{
    struct lines *lines = context;
    size_t at = strlen(lines->text);

    lines->count++;
    (void)snprintf(lines->text + at, sizeof lines->text - at, "%lld %s %s/%s by %s %s\n",
                   (long long)e->seq, e->action, e->tenant_id, e->user_id, e->actor, e->detail);
    return 0;
}

static struct lines list(struct fixture *f, const char *tenant, const char *user, const char *id)
{
    struct lines lines = { "", 0 };

    ASSERT_OK(mneme_audit_list(f->handle, tenant, user, id, add_line, &lines, &f->err));
    return lines;
}

static int sound(struct fixture *f, const char *noted, char **ret_report)
{
    int is_sound = -1;

    if (mneme_audit_verify(f->handle, noted, &is_sound, ret_report, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    return is_sound;
}

/* ---- what gets an entry ---- */

static void a_write_a_recall_and_an_erasure_have_an_entry_each(void **state)
{
    struct fixture *f = *state;
    struct lines lines;

    assert_int_equal(list(f, "", "", "").count, 0);
    assert_int_equal(sound(f, NULL, NULL), 1);
    ASSERT_OK(put(f, "ann", "m-1", "The ferry leaves at nine.", MNEME_ACTIVE));
    ASSERT_OK(put(f, "ann", "m-1", "The ferry leaves at ten.", MNEME_ACTIVE));
    ASSERT_OK(put(f, "ann", "m-1", "The ferry leaves at ten.", MNEME_ACTIVE)); /* unchanged */
    assert_int_equal(put(f, "bob", "m-1", "Taken.", MNEME_ACTIVE), MNEME_CONFLICT);
    ASSERT_OK(put(f, "ann", "m-1", "The ferry leaves at ten.", MNEME_DELETED));
    ASSERT_OK(put(f, "ann", "m-2", "The ferry has two decks.", MNEME_ACTIVE));
    assert_int_equal(list(f, "", "", "").count, 4);

    ask(f, "ann", "How many decks has the ferry?");
    assert_int_equal(list(f, "", "", "").count, 4); /* a recall writes nothing durable */
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
    erase_user(f, "ann");
    lines = list(f, "", "", "");
    assert_int_equal(lines.count, 6);
    assert_non_null(strstr(lines.text, "1 write acme/ by operator {\"new\":[\"memory:"));
    assert_non_null(strstr(lines.text, "2 write acme/ by operator {\"changed\":[\"memory:"));
    assert_non_null(strstr(lines.text, "3 write acme/ by operator {\"forgotten\":[\"memory:"));
    assert_non_null(strstr(lines.text, "5 recall acme/ by helper {\"trace\":\""));
    assert_non_null(strstr(lines.text, "6 erase acme/ by operator {\"scope\":\"user\",\"memories\":2"));
    assert_null(strstr(lines.text, "ann")); /* she is erased */
    assert_null(strstr(lines.text, "ferry"));
    assert_null(strstr(lines.text, "m-1"));
    assert_int_equal(sound(f, NULL, NULL), 1);
}

static void entries_are_found_by_whom_and_what_they_are_about(void **state)
{
    struct fixture *f = *state;
    struct lines lines;

    ASSERT_OK(put(f, "ann", "m-1", "The ferry leaves at nine.", MNEME_ACTIVE));
    ASSERT_OK(put(f, "bob", "m-2", "The ferry leaves at ten.", MNEME_ACTIVE));
    ask(f, "bob", "When does the ferry leave?");
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
    lines = list(f, "acme", "bob", "");
    assert_int_equal(lines.count, 2);
    assert_non_null(strstr(lines.text, "2 write acme/bob by operator"));
    assert_non_null(strstr(lines.text, "3 recall acme/bob by helper"));
    assert_int_equal(list(f, "acme", "", "m-1").count, 1);
    assert_int_equal(list(f, "acme", "", "m-2").count, 2);
    assert_int_equal(list(f, "acme", "ann", "m-2").count, 0);
    assert_int_equal(list(f, "globex", "", "").count, 0);
    assert_int_equal(mneme_audit_list(f->handle, "", "bob", "", add_line, &lines, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "tenant_id");

    /* the digests stay when the names go */
    erase_user(f, "bob");
    lines = list(f, "acme", "bob", "");
    assert_int_equal(lines.count, 3);
    assert_null(strstr(lines.text, "acme/bob"));
    lines = list(f, "acme", "ann", "");
    assert_non_null(strstr(lines.text, "1 write acme/ann by operator"));
}

static void rows_of_one_request_are_one_entry_a_partition(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m[4];
    struct mneme_record records[4];
    struct mneme_change change = MNEME_CHANGE_INIT;
    const char *ids[] = { "m-0", "m-1", "m-2", "m-3" };
    struct lines lines;

    for (size_t i = 0; i < 4; i++) {
        m[i] = (struct mneme_memory)MNEME_MEMORY_INIT;
        m[i].tenant_id = "acme";
        m[i].user_id = i % 2 ? "ann" : "bob";
        m[i].id = ids[i];
        m[i].type = "fact";
        m[i].content = ids[i];
        records[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &m[i] };
    }
    change.now_ms = NOW;
    ASSERT_OK(mneme_write(f->handle, records, 4, &change, NULL, NULL, &f->err));
    assert_int_equal(list(f, "", "", "").count, 2);
    for (size_t i = 0; i < 4; i++) {
        lines = list(f, "acme", "", ids[i]);
        assert_int_equal(lines.count, 1);
        assert_non_null(strstr(lines.text, i % 2 ? "acme/ann" : "acme/bob"));
    }
}

static void recalls_that_could_not_be_kept_are_counted(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 1024 + 3; i++)
        ask(f, "ann", "hello!");
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
    struct lines lines = list(f, "", "", "");
    assert_int_equal(lines.count, 1025);
    ask(f, "ann", "hello!");
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
    assert_int_equal(list(f, "acme", "ann", "").count, 1025);

    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT detail FROM audit WHERE tenant = ''", -1, &stmt,
                                        NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "{\"lost\":3}");
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
}

/* ---- what is done to it ---- */

static int by_hand(struct fixture *f, const char *sql, bool with_triggers)
{
    sqlite3 *db = NULL;
    int code;

    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, with_triggers, NULL);
    code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    (void)sqlite3_close(db);
    return code;
}

static void five_writes(struct fixture *f)
{
    static const char *const ids[] = { "m-1", "m-2", "m-3", "m-4", "m-5" };

    for (size_t i = 0; i < 5; i++)
        ASSERT_OK(put(f, "ann", ids[i], ids[i], MNEME_ACTIVE));
    assert_int_equal(sound(f, NULL, NULL), 1);
}

static void entries_cannot_be_changed_or_removed_by_mistake(void **state)
{
    struct fixture *f = *state;

    five_writes(f);
    assert_int_equal(by_hand(f, "DELETE FROM audit WHERE seq = 5", true), SQLITE_CONSTRAINT);
    assert_int_equal(by_hand(f, "UPDATE audit SET actor = '' WHERE seq = 5", true),
                     SQLITE_CONSTRAINT);
    assert_int_equal(sound(f, NULL, NULL), 1);
}

static void what_is_done_to_the_chain_by_hand_is_found(void **state)
{
    static const struct {
        const char *sql;
        const char *fault;
        int at;
    } cases[] = {
        { "UPDATE audit SET at_ms = at_ms + 1 WHERE seq = 3", "changed", 3 },
        { "UPDATE audit SET actor = '' WHERE seq = 1", "changed", 1 },
        { "UPDATE audit SET owner = tenant WHERE seq = 5", "changed", 5 },
        { "UPDATE audit SET action = 'recall' WHERE seq = 2", "changed", 2 },
        { "UPDATE audit SET detail = '{}' WHERE seq = 4", "changed", 4 },
        { "UPDATE audit SET hash = (SELECT hash FROM audit WHERE seq = 1) WHERE seq = 2", "changed",
          2 },
        { "DELETE FROM audit WHERE seq = 1", "missing", 1 },
        { "DELETE FROM audit WHERE seq = 3", "missing", 3 },
        { "DELETE FROM audit WHERE seq = 5", "cut", 5 },
        { "DELETE FROM audit", "cut", 1 },
        { "UPDATE audit SET seq = -1 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3;"
          "UPDATE audit SET seq = 3 WHERE seq = -1",
          "changed", 2 },
        { "INSERT INTO audit SELECT 6, at_ms, tenant, owner, actor, action, detail, hash FROM audit "
          "WHERE seq = 5",
          "changed", 6 },
    };
    struct fixture *f = *state;
    char *report = NULL;
    char wanted[64];

    five_writes(f);
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
    assert_int_equal(by_hand(f, "CREATE TABLE kept AS SELECT * FROM audit", true), SQLITE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(by_hand(f, cases[i].sql, false), SQLITE_OK);
        assert_int_equal(sound(f, NULL, &report), 0);
        (void)snprintf(wanted, sizeof wanted, "\"fault\":\"%s\",\"at\":%d}", cases[i].fault,
                       cases[i].at);
        if (!strstr(report, wanted))
            fail_msg("%s: %s", cases[i].sql, report);
        mneme_free(report);
        assert_int_equal(by_hand(f, "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept;"
                                    "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'audit'",
                                 false),
                         SQLITE_OK);
        assert_int_equal(sound(f, NULL, NULL), 1);
    }
}

static void a_name_that_is_not_of_its_digest_is_found(void **state)
{
    static const char *const cases[] = {
        "UPDATE audit_names SET name = 'eve' WHERE name = 'ann'",
        "UPDATE audit_names SET tenant = 'globex' WHERE name = ''",
        "UPDATE audit_names SET digest = lower(hex(zeroblob(16))) WHERE name = 'ann'",
        "INSERT INTO audit_names SELECT tenant, 'eve', digest FROM audit_names WHERE name = 'ann'",
    };
    struct fixture *f = *state;
    char *report = NULL;

    five_writes(f);
    assert_int_equal(by_hand(f, "CREATE TABLE kept AS SELECT * FROM audit_names", true), SQLITE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(by_hand(f, cases[i], true), SQLITE_OK);
        assert_int_equal(sound(f, NULL, &report), 0);
        if (!strstr(report, "\"fault\":\"name\",\"at\":0}"))
            fail_msg("%s: %s", cases[i], report);
        mneme_free(report);
        assert_int_equal(by_hand(f, "DELETE FROM audit_names; INSERT INTO audit_names SELECT * FROM kept",
                                 true),
                         SQLITE_OK);
        assert_int_equal(sound(f, NULL, NULL), 1);
    }
    assert_int_equal(by_hand(f, "DELETE FROM audit_names", true), SQLITE_OK);
    assert_int_equal(sound(f, NULL, NULL), 1); /* as after an erasure */
}

/* The end that was noted shows even what was cut off together with every trace of it. */
static void a_noted_end_is_missed(void **state)
{
    struct fixture *f = *state;
    char *report = NULL;
    char noted[80];
    const char *end;

    five_writes(f);
    assert_int_equal(sound(f, NULL, &report), 1);
    end = strstr(report, "\"end\":\"");
    assert_non_null(end);
    (void)snprintf(noted, sizeof noted, "%.66s", end + 7);
    mneme_free(report);
    assert_int_equal(sound(f, noted, NULL), 1);
    ASSERT_OK(put(f, "ann", "m-6", "m-6", MNEME_ACTIVE));
    assert_int_equal(sound(f, noted, NULL), 1);
    assert_int_equal(by_hand(f, "DELETE FROM audit WHERE seq > 4;"
                                "UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'",
                             false),
                     SQLITE_OK);
    assert_int_equal(sound(f, NULL, NULL), 1);
    assert_int_equal(sound(f, noted, &report), 0);
    assert_non_null(strstr(report, "\"fault\":\"other\",\"at\":5"));
    mneme_free(report);
    int is_sound = -1;
    assert_int_equal(mneme_audit_verify(f->handle, "5:abc", &is_sound, NULL, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "noted");
    assert_int_equal(mneme_audit_verify(f->handle, "", &is_sound, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "noted");
    assert_int_equal(is_sound, -1);
}

static void two_handles_make_one_chain(void **state)
{
    struct fixture *f = *state;
    struct fixture other = *f;

    fixture_open(&other);
    for (int i = 0; i < 10; i++) {
        char id[16];

        (void)snprintf(id, sizeof id, "m-%d", i);
        ASSERT_OK(put(i % 2 ? f : &other, "ann", id, id, MNEME_ACTIVE));
    }
    ask(&other, "ann", "hello!");
    mneme_close(other.handle);
    assert_int_equal(list(f, "acme", "", "").count, 11);
    assert_int_equal(sound(f, NULL, NULL), 1);
}

static void names_that_another_handle_forgot_are_kept_again(void **state)
{
    struct fixture *f = *state;
    struct fixture other = *f;

    fixture_open(&other);
    ASSERT_OK(put(f, "ann", "m-1", "m-1", MNEME_ACTIVE));
    erase_user(&other, "ann");
    assert_null(strstr(list(f, "acme", "", "").text, "acme/ann"));
    ASSERT_OK(put(f, "ann", "m-2", "m-2", MNEME_ACTIVE));
    assert_non_null(strstr(list(f, "acme", "", "").text, "acme/ann by operator"));
    mneme_close(other.handle);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_write_a_recall_and_an_erasure_have_an_entry_each),
        CASE(entries_are_found_by_whom_and_what_they_are_about),
        CASE(rows_of_one_request_are_one_entry_a_partition),
        CASE(recalls_that_could_not_be_kept_are_counted),
        CASE(entries_cannot_be_changed_or_removed_by_mistake),
        CASE(what_is_done_to_the_chain_by_hand_is_found),
        CASE(a_name_that_is_not_of_its_digest_is_found),
        CASE(a_noted_end_is_missed),
        CASE(two_handles_make_one_chain),
        CASE(names_that_another_handle_forgot_are_kept_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
