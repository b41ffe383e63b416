/*
 * test_erase_whole.c - every table, every field: what an erasure leaves of one user, or of one
 * session, looked at in the database itself; and that a check of the receipt sees what is planted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"
#include "store/store.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- filling ---- */

/* One record; each @ of the line becomes the mark. */
static void put_at(struct fixture *f, const char *mark, const char *line, int64_t now_ms)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *parsed = NULL;
    struct mneme_record record;
    char whole[4096];
    size_t at = 0;

    for (; *line; line++)
        at += (size_t)snprintf(whole + at, sizeof whole - at, "%.*s", *line == '@' ? 99 : 1,
                               *line == '@' ? mark : line);
    if (mneme_record_parse(whole, at, NULL, &parsed, &f->err) != MNEME_OK)
        fail_msg("%s: %s", f->err.message, whole);
    record = *mneme_parsed_record(parsed);
    change.admin = 1;
    change.now_ms = now_ms;
    change.actor = "operator";
    change.reason = mark;
    if (mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s: %s", f->err.message, whole);
    mneme_parsed_free(parsed);
}

static void put(struct fixture *f, const char *mark, const char *line)
{
    put_at(f, mark, line, NOW);
}

static void ask(struct fixture *f, const char *user, const char *session)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.identity.session_id = session;
    request.text = "Where does the ferry pilot moor at night?";
    request.now_ms = NOW;
    if (mneme_retrieve(f->handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    mneme_answer_free(answer);
}

static void say(struct fixture *f, const char *user, const char *mark, const char *key,
                const char *value, const char *format)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    char text[256], name[64], of[64];

    (void)snprintf(text, sizeof text, format, mark);
    (void)snprintf(name, sizeof name, "%s.%s", mark, value);
    (void)snprintf(of, sizeof of, "%s.%s", key, mark);
    m.tenant_id = "acme";
    m.user_id = user;
    m.type = "fact";
    m.memory_key = of;
    m.value = name;
    m.content = text;
    m.authority = MNEME_EXPLICIT_USER;
    m.confidence = 0.7;
    change.now_ms = NOW;
    change.idempotency_key = name;
    if (mneme_remember(f->handle, &m, &change, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    m.authority = MNEME_MODEL_INFERENCE; /* may not replace what was said: a rival, and a question */
    (void)snprintf(name, sizeof name, "%s.other", mark);
    (void)snprintf(text, sizeof text, "Somebody thinks %s is not so.", mark);
    change.idempotency_key = name;
    if (mneme_remember(f->handle, &m, &change, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* A turn that an extractor has still to read; nobody asks it to. */
static void leave_unread(struct fixture *f, const char *user, const char *mark)
{
    struct mneme_options options = fixture_options(f, f->path);
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme *reading = NULL;
    char session[64], text[128];

    (void)snprintf(session, sizeof session, "ses-%s", mark);
    (void)snprintf(text, sizeof text, "The lighthouse of %s is white.", mark);
    options.extractor_path = "http://127.0.0.1:9/v1";
    ASSERT_OK(mneme_open(&options, &reading, &f->err));
    event.tenant_id = "acme";
    event.user_id = user;
    event.session_id = session;
    event.role = "user";
    event.text = text;
    event.event_time_ms = NOW;
    change.now_ms = NOW;
    change.project_id = mark;
    ASSERT_OK(mneme_observe(reading, &event, 1, &change, NULL, &f->err));
    mneme_close(reading);
}

/* A life in which every field of every kind of row is filled. */
static void live(struct fixture *f, const char *user, const char *mark)
{
    static const char *const lines[] = {
        "{\"kind\":\"event\",\"id\":\"evt-@\",\"session_id\":\"ses-@\",\"role\":\"user\","
        "\"speaker\":\"Speaker @\",\"text\":\"We met the harbour master @ on a Tuesday.\","
        "\"attributes\":{\"place\":\"@\"},",
        "{\"kind\":\"memory\",\"id\":\"mem-@\",\"type\":\"fact\",\"memory_key\":\"key.@\","
        "\"value\":\"value @\",\"title\":\"Title @\",\"content\":\"The ferry pilot moors at @.\","
        "\"summary\":\"Summary @\",\"keywords\":[\"k@\"],\"usage_scenario\":[\"u @\"],"
        "\"entities\":[\"e @\"],\"category\":\"c@\",\"project\":\"p@\",\"module\":\"m@\","
        "\"scope_kind\":\"project\",\"scope_id\":\"project-@\",\"agent_id\":\"agent-@\","
        "\"requires_permission\":\"perm-@\",\"applies_to\":{\"tool-@\":\">=1\"},"
        "\"provenance\":[\"evt-@\"],\"attributes\":{\"a\":\"@\"},",
        "{\"kind\":\"memory\",\"id\":\"mem-2-@\",\"type\":\"fact\",\"scope_kind\":\"user\","
        "\"content\":\"The ferry pilot moors at night at @.\",",
        "{\"kind\":\"rule\",\"id\":\"rule-@\",\"memory_id\":\"mem-@\",\"trigger_type\":\"keyword\","
        "\"trigger_value\":\"trigger @\",",
        "{\"kind\":\"task_state\",\"session_id\":\"ses-@\",\"task_id\":\"task-@\","
        "\"state\":{\"pending_action\":\"@\"},",
        "{\"kind\":\"edge\",\"id\":\"edge-@\",\"source\":\"source @\",\"relation\":\"knows @\","
        "\"target\":\"target @\",\"source_aliases\":[\"alias @\"],\"provenance\":[\"mem-@\"],",
    };

    for (int twice = 0; twice < 2; twice++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            char whole[2048];

            if (twice && i != 2) /* the second time only for a former row */
                continue;
            (void)snprintf(whole, sizeof whole, "%s%s\"tenant_id\":\"acme\"%s%s%s}", lines[i],
                           twice ? "\"title\":\"once more @\"," : "", i == 3 ? "" : ",\"user_id\":\"",
                           i == 3 ? "" : user, i == 3 ? "" : "\"");
            put(f, mark, whole);
        }
    say(f, user, mark, "home", "first", "It is said that %s is so.");
    leave_unread(f, user, mark);
    {
        char turn[512], session[64];

        (void)snprintf(session, sizeof session, "old-%s", mark);
        (void)snprintf(turn, sizeof turn,
                       "{\"kind\":\"event\",\"id\":\"evt-old-@\",\"session_id\":\"old-@\","
                       "\"role\":\"user\",\"text\":\"Long ago @ was burnt.\","
                       "\"tenant_id\":\"acme\",\"user_id\":\"%s\"}",
                       user);
        put(f, mark, turn);
        ASSERT_OK(mneme_archive_session(f->handle, "acme", user, session, NULL, &f->err));
    }
    ask(f, user, "");
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
}

/* ---- looking into the database ---- */

static sqlite3 *look_in(const struct fixture *f)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    return db;
}

/* Rows of the table with the mark in some column. */
static size_t rows_with(sqlite3 *db, const char *table, const char *mark)
{
    char sql[128];
    sqlite3_stmt *stmt = NULL;
    size_t count = 0;

    (void)snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        bool has = false;

        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const void *bytes = sqlite3_column_blob(stmt, i);
            size_t length = (size_t)sqlite3_column_bytes(stmt, i);

            has = has || (bytes && memmem(bytes, length, mark, strlen(mark)));
        }
        count += has;
    }
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    return count;
}

/* Every table; new ones must be added here, and to the erasure. filled: they hold the mark before. */
static const struct {
    const char *name;
    bool filled;
} tables[] = {
    { "api_keys", false },      { "archive_objects", true }, { "archived_ids", true },
    { "audit", false },       { "audit_names", false },
    { "changes", true },        { "clarifications", true }, { "edges", true },
    { "entities", true },       { "events", true },       { "extractions", true },
    { "history", true },        { "index_state", false }, { "jobs", false },
    { "memories", true },       { "mentions", false },
    { "meta", false },          { "requests", true },     { "rules", true },
    { "segments", false },      { "sessions", true },       { "task_states", true },  { "tombstones", false },
    { "traces", true },         { "usage", true },        { "vectors", false },
};
#define TABLES (sizeof tables / sizeof *tables)

static void every_table_is_known(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db = look_in(f);
    sqlite3_stmt *stmt = NULL;
    size_t count = 0;

    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name FROM sqlite_schema WHERE type = 'table' "
                                        "AND name NOT LIKE 'sqlite_%' ORDER BY name",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(stmt) == SQLITE_ROW; count++) {
        assert_true(count < TABLES);
        assert_string_equal((const char *)sqlite3_column_text(stmt, 0), tables[count].name);
    }
    assert_int_equal(count, TABLES);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
}

static char *erase(struct fixture *f, enum mneme_erase_scope scope, const char *user,
                   const char *id)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = scope;
    what.tenant_id = "acme";
    what.user_id = user;
    what.id = id;
    what.now_ms = NOW + 1000;
    if (mneme_erase(f->handle, &what, &receipt, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    if (!strstr(receipt, "\"clean\":true"))
        fail_msg("%s", receipt);
    return receipt;
}

static bool verified(struct fixture *f, const char *receipt)
{
    int clean = -1;

    if (mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    return clean == 1;
}

static long count_in(const char *receipt, const char *kind)
{
    char name[64];
    const char *at;

    (void)snprintf(name, sizeof name, "\"%s\":", kind);
    at = strstr(receipt, name);
    assert_non_null(at);
    return strtol(at + strlen(name), NULL, 10);
}

static void of_an_erased_user_no_row_of_any_table_says_a_word(void **state)
{
    struct fixture *f = *state;
    size_t kept[TABLES];
    sqlite3 *db;

    live(f, "user-1", "Xanadu");
    live(f, "user-2", "Yangon");
    db = look_in(f);
    for (size_t i = 0; i < TABLES; i++) {
        if ((rows_with(db, tables[i].name, "Xanadu") > 0) != tables[i].filled)
            fail_msg("%s: %zu rows have the mark", tables[i].name,
                     rows_with(db, tables[i].name, "Xanadu"));
        kept[i] = rows_with(db, tables[i].name, "Yangon");
    }
    (void)sqlite3_close(db);
    mneme_free(erase(f, MNEME_ERASE_USER, "user-1", NULL));

    db = look_in(f);
    for (size_t i = 0; i < TABLES; i++) {
        if (rows_with(db, tables[i].name, "Xanadu"))
            fail_msg("%s holds a row of the erased", tables[i].name);
        assert_int_equal(rows_with(db, tables[i].name, "Yangon"), kept[i]);
        if (strcmp(tables[i].name, "changes") != 0) /* one row there wakes the indexes */
            assert_int_equal(rows_with(db, tables[i].name, "user-1"), 0);
    }
    assert_int_equal(rows_with(db, "changes", "user-1"), 1);
    (void)sqlite3_close(db);
}

static void of_an_erased_session_nothing_is_left_but_what_others_say(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db;

    live(f, "user-1", "Xanadu");
    ask(f, "user-1", "ses-Xanadu");
    mneme_free(erase(f, MNEME_ERASE_SESSION, "user-1", "ses-Xanadu"));
    db = look_in(f);
    assert_int_equal(rows_with(db, "events", "Xanadu"), 0);
    assert_int_equal(rows_with(db, "sessions", "ses-Xanadu"), 0);
    assert_int_equal(rows_with(db, "task_states", "Xanadu"), 0);
    assert_int_equal(rows_with(db, "rules", "Xanadu"), 0); /* of a memory that was drawn from it */
    assert_int_equal(rows_with(db, "edges", "Xanadu"), 0);
    assert_int_equal(rows_with(db, "entities", "Xanadu"), 0);
    for (size_t i = 0; i < TABLES; i++) {
        assert_int_equal(rows_with(db, tables[i].name, "ses-Xanadu"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "evt-Xanadu"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "mem-Xanadu"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "task-Xanadu"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "rule-Xanadu"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "edge-Xanadu"), 0);
    }
    assert_int_equal(rows_with(db, "memories", "mem-2-Xanadu"), 1);
    (void)sqlite3_close(db);
}

/* ---- what was drawn from several ---- */

static void check_memory(struct fixture *f, const char *id, const char *content, int64_t revision)
{
    struct mneme_parsed *row = NULL;

    if (mneme_get(f->handle, "acme", "user-1", id, &row, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    assert_string_equal(mneme_parsed_record(row)->memory->content, content);
    assert_int_equal(mneme_parsed_record(row)->memory->revision, revision);
    mneme_parsed_free(row);
}

static void a_memory_that_took_in_an_erased_text_says_what_it_said_before(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db;
    char *receipt;

    put(f, "", "{\"kind\":\"event\",\"id\":\"evt-1\",\"session_id\":\"s1\",\"role\":\"user\","
               "\"text\":\"The pilot moors at pier four.\",\"tenant_id\":\"acme\","
               "\"user_id\":\"user-1\"}");
    put(f, "", "{\"kind\":\"event\",\"id\":\"evt-2\",\"session_id\":\"s2\",\"role\":\"user\","
               "\"text\":\"The pilot moors at pier four, since Xanadu burnt.\","
               "\"tenant_id\":\"acme\",\"user_id\":\"user-1\"}");
#define MERGED                                                                                     \
    "\"tenant_id\":\"acme\",\"user_id\":\"user-1\",\"type\":\"fact\",\"scope_kind\":\"user\","
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-1\"," MERGED
               "\"content\":\"The pilot moors at pier four.\",\"provenance\":[\"evt-1\"]}");
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-1\"," MERGED
               "\"content\":\"The pilot moors at pier four. Since Xanadu burnt.\","
               "\"keywords\":[\"Xanadu\"],\"provenance\":[\"evt-1\",\"evt-2\",\"merged:12ab\"]}");
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-1\"," MERGED
               "\"content\":\"The pilot moors at pier four. Since Xanadu burnt.\",\"title\":\"Pier\","
               "\"provenance\":[\"evt-1\",\"evt-2\",\"merged:12ab\"]}");
    /* stated without evidence, and confirmed by what goes */
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-2\"," MERGED
               "\"content\":\"The harbour is closed on Mondays.\"}");
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-2\"," MERGED
               "\"content\":\"The harbour is closed on Mondays, because of Xanadu.\","
               "\"provenance\":[\"evt-2\"]}");
    /* drawn from both at once */
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-3\"," MERGED
               "\"content\":\"There is a pier four.\",\"provenance\":[\"evt-1\",\"evt-2\"]}");
    receipt = erase(f, MNEME_ERASE_SESSION, "user-1", "s2");
    assert_int_equal(count_in(receipt, "taken_back"), 2);
    assert_int_equal(count_in(receipt, "provenance_shortened"), 1);
    assert_int_equal(count_in(receipt, "memories"), 0);
    assert_int_equal(count_in(receipt, "history"), 1);
    check_memory(f, "m-1", "The pilot moors at pier four.", 4);
    check_memory(f, "m-2", "The harbour is closed on Mondays.", 3);
    check_memory(f, "m-3", "There is a pier four.", 2);
    db = look_in(f);
    for (size_t i = 0; i < TABLES; i++) {
        assert_int_equal(rows_with(db, tables[i].name, "Xanadu"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "evt-2"), 0);
        assert_int_equal(rows_with(db, tables[i].name, "merged:"), 0);
    }
    (void)sqlite3_close(db);
    assert_true(verified(f, receipt));
    mneme_free(receipt);
}

/* ---- what comes late ---- */

static void a_trace_of_an_erased_user_or_session_comes_too_late(void **state)
{
    struct fixture *f = *state;
    struct fixture other = *f;
    sqlite3 *db;

    put(f, "", "{\"kind\":\"event\",\"id\":\"evt-1\",\"session_id\":\"s-one\",\"role\":\"user\","
               "\"text\":\"Nothing.\",\"tenant_id\":\"acme\",\"user_id\":\"user-2\"}");
    fixture_open(&other);
    ask(&other, "user-1", ""); /* which brings nothing, and so names nothing */
    ask(&other, "user-2", "s-one");
    ask(&other, "user-2", "s-two");
    mneme_free(erase(f, MNEME_ERASE_USER, "user-1", NULL));
    mneme_free(erase(f, MNEME_ERASE_SESSION, "user-2", "s-one"));
    mneme_close(other.handle);
    db = look_in(f);
    assert_int_equal(rows_with(db, "traces", "user-1"), 0);
    assert_int_equal(rows_with(db, "traces", "s-one"), 0);
    assert_int_equal(rows_with(db, "traces", "s-two"), 1);
    (void)sqlite3_close(db);
}

static void a_question_about_an_erased_memory_comes_too_late(void **state)
{
    static const char *const ids[] = { "m-kept", "m-erased" };
    struct fixture *f = *state;
    struct mn_store_options options = { .path = f->path };
    const struct mn_clarification late = { .partition = { "acme", "user-1" },
                                           .id = "q-1",
                                           .memory_key = "home",
                                           .memory_ids = { ids, 2 },
                                           .question = "Which?" };
    const struct mn_write write = { .kind = MN_WRITE_CLARIFICATION, .clarification = &late };
    const struct mn_commit commit = { .write = &write, .count = 1, .actor = "", .reason = "" };
    struct mn_written written = { 0 };
    struct mn_commit_result result = { .written = &written };
    struct mn_store *store = NULL;
    sqlite3 *db;

    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-erased\",\"tenant_id\":\"acme\","
               "\"user_id\":\"user-1\",\"type\":\"fact\",\"content\":\"Gone.\"}");
    mneme_free(erase(f, MNEME_ERASE_MEMORY, "user-1", "m-erased"));
    ASSERT_OK(mn_store_sqlite_open(&options, &store, &f->err));
    ASSERT_OK(store->ops->commit(store, &commit, 1, &result, &f->err));
    ASSERT_OK(result.status);
    assert_true(written.unchanged);
    mn_store_free(store);
    db = look_in(f);
    assert_int_equal(rows_with(db, "clarifications", "m-erased"), 0);
    (void)sqlite3_close(db);
}

static void cached_vectors_go_also_where_there_is_no_model(void **state)
{
    struct fixture *f = *state;
    struct stat about;
    char *receipt;
    FILE *file = fopen(f->cache, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite("mnemevc1\x04\0\0\0\0\0\0\0and a vector of what was said", 1, 45, file),
                     45);
    assert_int_equal(fclose(file), 0);
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-1\",\"tenant_id\":\"acme\","
               "\"user_id\":\"user-1\",\"type\":\"fact\",\"content\":\"Gone.\"}");
    receipt = erase(f, MNEME_ERASE_USER, "user-1", NULL);
    assert_int_equal(stat(f->cache, &about), 0);
    assert_int_equal(about.st_size, 16);
    mneme_free(receipt);

    file = fopen(f->cache, "wb"); /* something else: not touched, and the receipt says so */
    assert_non_null(file);
    assert_int_equal(fputs("These are my notes, twenty bytes and more.", file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    put(f, "", "{\"kind\":\"memory\",\"id\":\"m-2\",\"tenant_id\":\"acme\","
               "\"user_id\":\"user-1\",\"type\":\"fact\",\"content\":\"Gone as well.\"}");
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    what.scope = MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = "user-1";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":false"));
    assert_non_null(strstr(receipt, "is no cache of vectors"));
    assert_int_equal(stat(f->cache, &about), 0);
    assert_int_equal(about.st_size, 42);
    mneme_free(receipt);
}

/* ---- planted ---- */

static void run_sql(struct fixture *f, const char *sql)
{
    sqlite3 *db = look_in(f);
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    (void)sqlite3_close(db);
}

static void what_is_planted_afterwards_is_found_each_time(void **state)
{
    static const struct {
        const char *plant;
        const char *remove;
    } cases[] = {
        /* an id in a row, in a former row's place, in a trace, in bytes that no row accounts for */
        { "INSERT INTO usage VALUES ('acme', 'mem-Xanadu', 1, 1, 1, -1.0, 0, -1.0)",
          "DELETE FROM usage WHERE memory_id = 'mem-Xanadu'" },
        { "INSERT INTO traces (tenant, trace_id, user, at_ms, json) VALUES ('acme', 't-1', 'user-2', 1, '{\"id\":\"mem-2-Xanadu\"}')",
          "DELETE FROM traces WHERE trace_id = 't-1'" },
        { "INSERT INTO meta VALUES ('note', 'saw evt-Xanadu there')",
          "DELETE FROM meta WHERE name = 'note'" },
        /* a whole text under another id, older than the erasure */
        { "INSERT INTO events VALUES ('acme', 'user-1', 'evt-new', '', 's', 0, 'user', '', "
          "'We met the harbour master Xanadu on a Tuesday.', 5, 1, '{}', 5, '')",
          "DELETE FROM events WHERE id = 'evt-new'" },
    };
    struct fixture *f = *state;
    char *receipt;

    live(f, "user-1", "Xanadu");
    live(f, "user-2", "Yangon");
    receipt = erase(f, MNEME_ERASE_USER, "user-1", NULL);
    assert_true(verified(f, receipt));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(f, cases[i].plant);
        if (verified(f, receipt))
            fail_msg("not found: %s", cases[i].plant);
        run_sql(f, cases[i].remove);
        run_sql(f, "PRAGMA wal_checkpoint(TRUNCATE)");
        if (!verified(f, receipt))
            fail_msg("still found: %s", cases[i].plant);
    }
    mneme_free(receipt);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_table_is_known),
        CASE(of_an_erased_user_no_row_of_any_table_says_a_word),
        CASE(of_an_erased_session_nothing_is_left_but_what_others_say),
        CASE(a_memory_that_took_in_an_erased_text_says_what_it_said_before),
        CASE(a_trace_of_an_erased_user_or_session_comes_too_late),
        CASE(a_question_about_an_erased_memory_comes_too_late),
        CASE(cached_vectors_go_also_where_there_is_no_model),
        CASE(what_is_planted_afterwards_is_found_each_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
