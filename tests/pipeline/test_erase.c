/*
 * test_erase.c - erasing for good, through the public calls, on stores of SQLite.
 *
 * What is in the files is looked at here, byte by byte, without any of the code under test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "base/arena.h"
#include "pipeline/fixture.h"
#include "store/store.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define MEMORIES 300

/* ---- a store in a folder of its own ---- */

static const char *const ends[] = { "", "-wal", "-shm", ".lock" };

/* Do the files hold it? They are read as they are, while the store is open. */
static bool files_hold(const struct fixture *f, const char *text)
{
    bool held = false;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char command[256];
        FILE *pipe;
        char *bytes = NULL;
        size_t count = 0;

        /* by another process: closing a descriptor of the file here would drop its locks */
        (void)snprintf(command, sizeof command, "cat '%s%s' 2>/dev/null", f->path, ends[i]);
        pipe = popen(command, "r");
        assert_non_null(pipe);
        for (;;) {
            char *grown = realloc(bytes, count + 65536);
            size_t got;

            assert_non_null(grown);
            bytes = grown;
            got = fread(bytes + count, 1, 65536, pipe);
            count += got;
            if (got == 0)
                break;
        }
        (void)pclose(pipe);
        held = held || memmem(bytes, count, text, strlen(text)) != NULL;
        free(bytes);
    }
    return held;
}

/* ---- filling ---- */

static void put(struct fixture *f, const char *user, const char *id, const char *content,
                const char *evidence)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    const char *items[2] = { evidence };
    char *comma = evidence ? strchr(evidence, ',') : NULL;
    char first[128];

    m.tenant_id = "acme";
    m.user_id = user;
    m.id = id;
    m.type = "fact";
    m.content = content;
    m.entities = (struct mneme_list){ &user, user[0] ? 1 : 0 };
    if (comma) {
        (void)snprintf(first, sizeof first, "%.*s", (int)(comma - evidence), evidence);
        items[0] = first;
        items[1] = comma + 1;
    }
    m.provenance = (struct mneme_list){ items, evidence ? comma ? 2 : 1 : 0 };
    change.admin = 1;
    change.now_ms = NOW;
    if (mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

static void put_event(struct fixture *f, const char *user, const char *session, const char *id,
                      const char *text)
{
    struct mneme_event e = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    e.tenant_id = "acme";
    e.user_id = user;
    e.session_id = session;
    e.id = id;
    e.role = "user";
    e.text = text;
    change.now_ms = NOW;
    change.without_drafts = 1;
    if (mneme_observe(f->handle, &e, 1, &change, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

static void put_around(struct fixture *f, const char *user, const char *memory)
{
    char rule_id[64];
    struct mneme_rule rule = MNEME_RULE_INIT;
    struct mneme_task_state state = MNEME_TASK_STATE_INIT;
    struct mneme_edge edge = MNEME_EDGE_INIT;
    char text[128], target[64];
    struct mneme_record records[] = { { .kind = MNEME_RECORD_RULE, .rule = &rule },
                                      { .kind = MNEME_RECORD_TASK_STATE, .task_state = &state },
                                      { .kind = MNEME_RECORD_EDGE, .edge = &edge } };
    struct mneme_change change = MNEME_CHANGE_INIT;

    (void)snprintf(rule_id, sizeof rule_id, "rule-of-%s", user);
    (void)snprintf(text, sizeof text, "{\"pending_action\":\"%s repaints the long jetty\"}", user);
    (void)snprintf(target, sizeof target, "jetty painted by %s", user);
    rule.id = rule_id;
    rule.tenant_id = "acme";
    rule.memory_id = memory;
    rule.trigger_type = MNEME_TRIGGER_KEYWORD;
    rule.trigger_value = "jetty";
    state.tenant_id = "acme";
    state.user_id = user;
    state.session_id = "session-1";
    state.task_id = "task-1";
    state.state = text;
    edge.tenant_id = "acme";
    edge.user_id = user;
    edge.source = user;
    edge.relation = "paints";
    edge.target = target;
    edge.provenance = (struct mneme_list){ &memory, 1 };
    change.admin = 1;
    change.now_ms = NOW;
    if (mneme_write(f->handle, records, 3, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

static const char *const users[] = { "ann-of-acme", "bob-of-acme", "cem-of-acme" };

static const char *id_of(const char *user, size_t number)
{
    static char id[2][64];
    static int at;

    at = !at;
    (void)snprintf(id[at], sizeof id[at], "mem-%s-%zu", user, number);
    return id[at];
}

/* The same life three times over, but for a word. */
static void fill(struct fixture *f)
{
    for (size_t i = 0; i < MEMORIES; i++) {
        for (size_t u = 0; u < 3; u++) {
            char text[256];

            (void)snprintf(text, sizeof text,
                           "On pier %zu the ferry pilot moors at night, says %s. 夜里引航员把船停在第%zu号码头，"
                           "这是%s说的。",
                           i, users[u], i, users[u]);
            put(f, users[u], id_of(users[u], i), text, NULL);
            if (i % 3)
                continue;
            (void)snprintf(text, sizeof text, "Pier %zu is closed for repairs, %s was told.", i,
                           users[u]);
            put(f, users[u], id_of(users[u], i), text, NULL); /* the former one is history */
        }
    }
    for (size_t u = 0; u < 3; u++) {
        char id[64], text[128];

        (void)snprintf(id, sizeof id, "evt-%s", users[u]);
        (void)snprintf(text, sizeof text, "We met the harbour master, %s and I, on a Tuesday.",
                       users[u]);
        put_event(f, users[u], "session-1", id, text);
        put_around(f, users[u], id_of(users[u], 1));
    }
}

static size_t recalled(struct fixture *f, const char *user, const char *text)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;
    size_t count;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.text = text;
    request.now_ms = NOW;
    if (mneme_retrieve(f->handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    count = answer->item_count;
    mneme_answer_free(answer);
    return count;
}

/* ---- everything of an owner, as one text ---- */

struct dump {
    char *text;
    size_t bytes;
};

static int dump_row(void *context, const struct mneme_record *record)
{
    struct dump *dump = context;
    char *json = NULL;
    size_t bytes;

    ASSERT_OK(mneme_record_print(record, &json, NULL));
    bytes = strlen(json);
    dump->text = realloc(dump->text, dump->bytes + bytes + 2);
    assert_non_null(dump->text);
    memcpy(dump->text + dump->bytes, json, bytes);
    memcpy(dump->text + dump->bytes + bytes, "\n", 2);
    dump->bytes += bytes + 1;
    mneme_free(json);
    return 0;
}

static char *dump_of(struct fixture *f, const char *user)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct dump dump = { NULL, 0 };

    filter.tenant_id = "acme";
    filter.user_id = user;
    filter.with_all_statuses = 1;
    ASSERT_OK(mneme_export(f->handle, &filter, dump_row, &dump, &f->err));
    return dump.text;
}

static size_t lines(const char *text)
{
    size_t count = 0;

    for (; text && *text; text++)
        count += *text == '\n';
    return count;
}

/* ---- erasing ---- */

static enum mneme_status try_erase(struct fixture *f, enum mneme_erase_scope scope,
                                   const char *user, const char *id, char **ret_receipt)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;

    what.scope = scope;
    what.tenant_id = "acme";
    what.user_id = user;
    what.id = id;
    what.now_ms = NOW + 1000;
    return mneme_erase(f->handle, &what, ret_receipt, &f->err);
}

static char *erase(struct fixture *f, enum mneme_erase_scope scope, const char *user,
                   const char *id)
{
    char *receipt = NULL;

    if (try_erase(f, scope, user, id, &receipt) != MNEME_OK)
        fail_msg("%s", f->err.message);
    if (!strstr(receipt, "\"clean\":true"))
        fail_msg("%s", receipt);
    return receipt;
}

static bool verified(struct fixture *f, const char *receipt)
{
    char *report = NULL;
    int clean = -1;

    if (mneme_erase_verify(f->handle, receipt, &clean, &report, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    assert_non_null(report);
    mneme_free(report);
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

static void one_of_three_alike_leaves_the_others_whole(void **state)
{
    struct fixture *f = *state;
    char *before[3], *receipt, *after;
    char text[128];

    fill(f);
    for (size_t u = 0; u < 3; u++)
        assert_true(recalled(f, users[u], "Where does the ferry pilot moor at night?") > 0);
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err)); /* writes the traces, keeps old ones */
    for (size_t u = 0; u < 3; u++) {
        before[u] = dump_of(f, users[u]);
        assert_int_equal(lines(before[u]), MEMORIES + 4);
    }
    receipt = erase(f, MNEME_ERASE_USER, users[0], NULL);
    assert_int_equal(count_in(receipt, "memories"), MEMORIES);
    assert_int_equal(count_in(receipt, "history"), MEMORIES / 3);
    assert_int_equal(count_in(receipt, "events"), 1);
    assert_int_equal(count_in(receipt, "task_states"), 1);
    assert_int_equal(count_in(receipt, "rules"), 1);
    assert_int_equal(count_in(receipt, "edges"), 1);
    assert_int_equal(count_in(receipt, "traces"), 1);
    assert_null(strstr(receipt, "ferry pilot"));

    assert_null(dump_of(f, users[0]));
    for (size_t u = 1; u < 3; u++) {
        after = dump_of(f, users[u]);
        assert_string_equal(after, before[u]);
        assert_true(recalled(f, users[u], "Where does the ferry pilot moor at night?") > 0);
        free(after);
        (void)snprintf(text, sizeof text, "moors at night, says %s", users[u]);
        assert_true(files_hold(f, text));
    }
    assert_int_equal(recalled(f, users[0], "Where does the ferry pilot moor at night?"), 0);
    assert_false(files_hold(f, "says ann-of-acme"));
    assert_false(files_hold(f, "这是ann-of-acme"));
    assert_false(files_hold(f, "master, ann-of-acme"));
    assert_false(files_hold(f, "ann-of-acme repaints"));
    assert_false(files_hold(f, "jetty painted by ann"));
    for (size_t i = 0; i < MEMORIES; i += 17)
        assert_false(files_hold(f, id_of(users[0], i)));
    assert_false(files_hold(f, "evt-ann"));
    assert_false(files_hold(f, "rule-of-ann"));

    assert_true(verified(f, receipt));
    mneme_close(f->handle);
    fixture_open(f);
    assert_true(verified(f, receipt));
    assert_false(files_hold(f, "says ann-of-acme"));
    mneme_free(receipt);
    for (size_t u = 0; u < 3; u++)
        free(before[u]);
}

static void receipts_that_were_changed_or_are_of_another_store_are_refused(void **state)
{
    struct fixture *f = *state;
    struct fixture other;
    void *other_state = NULL;
    char *receipt, *foreign;
    int clean = -1;

    put(f, "ann", "mem-1-of-ann", "The winter timetable begins on the first of November.", NULL);
    receipt = erase(f, MNEME_ERASE_MEMORY, "ann", "mem-1-of-ann");
    assert_true(verified(f, receipt));
    for (size_t at = 5; at < strlen(receipt); at += 7) {
        char kept = receipt[at];

        receipt[at] = kept == '1' ? '2' : '1';
        assert_true(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err) != MNEME_OK);
        assert_int_equal(clean, -1);
        receipt[at] = kept;
    }
    assert_int_equal(mneme_erase_verify(f->handle, "{}", &clean, NULL, &f->err), MNEME_INVALID);
    assert_int_equal(mneme_erase_verify(f->handle, "", &clean, NULL, &f->err), MNEME_INVALID);

    assert_int_equal(fixture_set_up(&other_state), 0);
    other = *(struct fixture *)other_state;
    put(&other, "ann", "mem-1-of-ann", "The winter timetable begins on the first of November.",
        NULL);
    foreign = erase(&other, MNEME_ERASE_MEMORY, "ann", "mem-1-of-ann");
    assert_int_equal(mneme_erase_verify(f->handle, foreign, &clean, NULL, &f->err),
                     MNEME_FORBIDDEN);
    mneme_free(foreign);
    mneme_free(receipt);
    (void)fixture_tear_down(&other_state);
}

static void what_is_said_again_is_no_breach_but_what_was_restored_is(void **state)
{
    static const char text[] = "The summer timetable ends on the last Sunday of September.";
    struct fixture *f = *state;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    char *receipt;

    put(f, "ann", "mem-1-of-ann", text, NULL);
    put(f, "bob", "mem-1-of-bob", text, NULL);
    receipt = erase(f, MNEME_ERASE_USER, "ann", NULL);
    assert_true(verified(f, receipt));

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.id = "mem-2-of-ann";
    m.content = text;
    m.created_at_ms = NOW + 5000;
    change.now_ms = NOW + 5000;
    change.admin = 1;
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
    assert_true(verified(f, receipt)); /* ann may say it again */
    m.id = "mem-3-of-ann";
    m.created_at_ms = NOW - 5000; /* from a backup */
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
    assert_false(verified(f, receipt));
    mneme_free(receipt);
}

/* ---- old copies ---- */

/* Rows of all lengths, written again and again: pages split, and keep what moved elsewhere. */
static void old_copies_in_split_pages_are_found_and_go(void **state)
{
    struct fixture *f = *state;
    uint64_t random = 7;
    size_t anew = 0;

    for (size_t i = 0; i < 1500; i++) {
        char id[32], user[16], text[2048];
        size_t at, words;
        unsigned u;

        random = random * 6364136223846793005u + 1442695040888963407u;
        u = (unsigned)(random >> 40) % 8;
        (void)snprintf(user, sizeof user, "user-%u", u);
        (void)snprintf(id, sizeof id, "mem-%u-%u", u, (unsigned)(random >> 50) % 90);
        at = (size_t)snprintf(text, sizeof text, "Number %zu of user %u:", i, u);
        words = 3 + (size_t)(random >> 33) % 150;
        for (size_t w = 0; w < words; w++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            at += (size_t)snprintf(text + at, sizeof text - at, " u%uw%u", u,
                                   (unsigned)(random >> 40) % 5000);
        }
        put(f, user, id, text, NULL);
    }
    for (unsigned u = 0; u < 8; u++) {
        char user[16], words[16];
        char *receipt;

        (void)snprintf(user, sizeof user, "user-%u", u);
        (void)snprintf(words, sizeof words, " u%uw1", u);
        assert_true(files_hold(f, words));
        receipt = erase(f, MNEME_ERASE_USER, user, NULL);
        anew += strstr(receipt, "\"file_written_anew\":true") != NULL;
        assert_false(files_hold(f, words));
        mneme_free(receipt);
    }
    assert_true(anew > 0); /* else this test shows nothing */
}

/* ---- provenance ---- */

static bool is_there(struct fixture *f, const char *user, const char *id)
{
    struct mneme_parsed *row = NULL;
    enum mneme_status status = mneme_get(f->handle, "acme", user, id, &row, &f->err);

    mneme_parsed_free(row);
    assert_true(status == MNEME_OK || status == MNEME_NOT_FOUND);
    return status == MNEME_OK;
}

static void what_was_drawn_from_erased_evidence_alone_goes_too(void **state)
{
    struct fixture *f = *state;
    struct mneme_parsed *row = NULL;
    const struct mneme_memory *m;
    char *receipt;

    put_event(f, "ann", "first", "evt-first-1", "I moved to the third floor last week.");
    put_event(f, "ann", "second", "evt-second-1", "The lift stops at the third floor.");
    put(f, "ann", "mem-only", "Ann lives on the third floor now.", "evt-first-1");
    put(f, "ann", "mem-of-only", "Ann has to climb stairs every day.", "mem-only");
    put(f, "ann", "mem-both", "The third floor is where Ann is found.", "evt-first-1,evt-second-1");
    put(f, "ann", "mem-other", "Nothing is known of the cellar.", NULL);
    put(f, "", "mem-shared", "Somebody new moved to the third floor.", "evt-first-1");
    put_around(f, "ann", "mem-both");

    receipt = erase(f, MNEME_ERASE_SESSION, "ann", "first");
    assert_int_equal(count_in(receipt, "events"), 1);
    assert_int_equal(count_in(receipt, "memories"), 3);
    assert_int_equal(count_in(receipt, "sessions"), 1);
    assert_int_equal(count_in(receipt, "edges"), 0);
    assert_int_equal(count_in(receipt, "provenance_shortened"), 1);
    assert_false(is_there(f, "ann", "mem-only"));
    assert_false(is_there(f, "ann", "mem-of-only"));
    assert_false(is_there(f, "ann", "mem-shared"));
    assert_true(is_there(f, "ann", "mem-other"));
    ASSERT_OK(mneme_get(f->handle, "acme", "ann", "mem-both", &row, &f->err));
    m = mneme_parsed_record(row)->memory;
    assert_int_equal(m->provenance.count, 1);
    assert_string_equal(m->provenance.item[0], "evt-second-1");
    assert_int_equal(m->revision, 2);
    mneme_parsed_free(row);
    mneme_free(receipt);

    receipt = erase(f, MNEME_ERASE_SESSION, "ann", "second");
    assert_false(is_there(f, "ann", "mem-both"));
    assert_int_equal(count_in(receipt, "edges"), 1);
    assert_int_equal(count_in(receipt, "rules"), 1);
    assert_int_equal(count_in(receipt, "entities"), 2);
    assert_false(files_hold(f, "third floor"));
    mneme_free(receipt);
}

static void the_events_of_a_memory_go_when_asked_for(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    put_event(f, "ann", "first", "evt-first-1", "My locker has the number forty two.");
    put_event(f, "ann", "first", "evt-first-2", "The weather was dull all day long.");
    put(f, "ann", "mem-locker", "Ann has locker number forty two.", "evt-first-1");
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "mem-locker";
    what.with_evidence = 1;
    what.preview = 1;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_int_equal(count_in(receipt, "events"), 1);
    assert_non_null(strstr(receipt, "\"preview\":true"));
    assert_true(is_there(f, "ann", "mem-locker"));
    mneme_free(receipt);
    what.preview = 0;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_int_equal(count_in(receipt, "events"), 1);
    assert_int_equal(count_in(receipt, "memories"), 1);
    assert_false(files_hold(f, "forty two"));
    assert_true(files_hold(f, "weather was dull"));
    mneme_free(receipt);
}

/* ---- nothing comes back ---- */

static void what_was_erased_cannot_be_written_again(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_event e = MNEME_EVENT_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    const char *evidence = "evt-1-of-ann";

    put(f, "ann", "mem-1-of-ann", "The gate code changes every Monday.", NULL);
    put_event(f, "ann", "first", "evt-1-of-ann", "The gate code is changed every Monday.");
    mneme_free(erase(f, MNEME_ERASE_USER, "ann", NULL));

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.id = "mem-1-of-ann";
    m.content = "The gate code changes every Monday.";
    change.now_ms = NOW;
    assert_int_equal(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err),
                     MNEME_CONFLICT);
    assert_string_equal(f->err.field, "id");
    m.user_id = "bob"; /* ids are the tenant's */
    assert_int_equal(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err),
                     MNEME_CONFLICT);
    m.tenant_id = "globex"; /* another tenant's are other ids */
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.id = "mem-2-of-ann";
    m.provenance = (struct mneme_list){ &evidence, 1 };
    assert_int_equal(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err),
                     MNEME_CONFLICT);
    assert_string_equal(f->err.field, "provenance");

    e.tenant_id = "acme";
    e.user_id = "ann";
    e.session_id = "first";
    e.id = "evt-1-of-ann";
    e.role = "user";
    e.text = "The gate code is changed every Monday.";
    assert_int_equal(mneme_observe(f->handle, &e, 1, &change, NULL, &f->err), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "id");
    assert_null(dump_of(f, "ann"));
}

static void a_vector_that_comes_late_is_not_kept(void **state)
{
    struct fixture *f = *state;
    struct mn_store *store = NULL;
    struct mn_store_options options = { .path = f->path };
    const float vector[4] = { 1, 0, 0, 0 };
    const struct mn_vector_row late = { { "acme", "ann" }, "mem-1-of-ann", "profile",
                                        "0123456789abcdef",  4, vector, NULL, NULL, 0 };
    const struct mn_write write = { .kind = MN_WRITE_VECTOR, .vector = &late };
    const struct mn_commit commit = { .write = &write, .count = 1, .actor = "", .reason = "" };
    struct mn_written written = { 0 };
    struct mn_commit_result result = { .written = &written };

    put(f, "ann", "mem-1-of-ann", "The gate code changes every Monday.", NULL);
    mneme_free(erase(f, MNEME_ERASE_MEMORY, "ann", "mem-1-of-ann"));
    ASSERT_OK(mn_store_sqlite_open(&options, &store, &f->err));
    ASSERT_OK(store->ops->commit(store, &commit, 1, &result, &f->err));
    assert_int_equal(result.status, MNEME_OK);
    assert_true(written.unchanged);
    mn_store_free(store);
}

/* ---- while others work ---- */

struct worker {
    struct fixture *f;
    atomic_bool *stop;
    atomic_bool *erased;
    size_t late; /* memories brought by recalls that began after the erasure */
    size_t rounds;
};

static void *recall_all_the_time(void *argument)
{
    struct worker *w = argument;

    while (!atomic_load(w->stop)) {
        bool erased = atomic_load(w->erased);
        size_t count = recalled(w->f, users[0], "Where does the ferry pilot moor at night?");

        w->late += erased ? count : 0;
        w->rounds++;
    }
    return NULL;
}

static void a_recall_that_begins_later_brings_nothing(void **state)
{
    struct fixture *f = *state;
    atomic_bool stop = false, erased = false;
    struct worker worker[2] = { { f, &stop, &erased, 0, 0 }, { f, &stop, &erased, 0, 0 } };
    pthread_t thread[2];
    char *receipt;

    fill(f);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, recall_all_the_time, &worker[i]), 0);
    usleep(50000);
    receipt = erase(f, MNEME_ERASE_USER, users[0], NULL);
    atomic_store(&erased, true);
    usleep(50000);
    atomic_store(&stop, true);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_true(worker[i].rounds > 0);
        assert_int_equal(worker[i].late, 0);
    }
    ASSERT_OK(mneme_run_due(f->handle, 1, NULL, &f->err)); /* traces that waited */
    assert_true(verified(f, receipt));
    assert_false(files_hold(f, "says ann-of-acme"));
    mneme_free(receipt);
}

static void another_handle_drops_it_from_its_index(void **state)
{
    struct fixture *f = *state;
    struct fixture second = *f;

    fill(f);
    fixture_open(&second);
    assert_true(recalled(&second, users[0], "Where does the ferry pilot moor at night?") > 0);
    assert_true(recalled(&second, users[1], "Where does the ferry pilot moor at night?") > 0);
    mneme_free(erase(f, MNEME_ERASE_USER, users[0], NULL));
    assert_int_equal(recalled(&second, users[0], "Where does the ferry pilot moor at night?"), 0);
    assert_true(recalled(&second, users[1], "Where does the ferry pilot moor at night?") > 0);
    mneme_close(second.handle); /* its traces name what was erased: they are not written */
    assert_false(files_hold(f, id_of(users[0], 1)));
}

/* ---- cut short ---- */

static void an_erasure_that_was_cut_short_is_finished(void **state)
{
    struct fixture *f = *state;
    pid_t child;
    int how = 0;

    fill(f);
    mneme_close(f->handle);
    f->handle = NULL;
    child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* the rows go, and then the process does */
        struct mn_store_options options = { .path = f->path };
        struct mneme_erasure what = MNEME_ERASURE_INIT;
        struct mn_store *store = NULL;
        struct mn_erased erased;
        struct mn_arena *arena = mn_arena_new((size_t)1 << 30);

        what.scope = MNEME_ERASE_USER;
        what.tenant_id = "acme";
        what.user_id = users[0];
        what.id = what.actor = "";
        what.now_ms = NOW;
        _exit(mn_store_sqlite_open(&options, &store, NULL) == MNEME_OK &&
                      store->ops->erase(store, &what, arena, &erased, NULL) == MNEME_OK
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    assert_true(files_hold(f, "says ann-of-acme"));

    fixture_open(f);
    assert_null(dump_of(f, users[0]));
    ASSERT_OK(mneme_run_due(f->handle, 1, NULL, &f->err));
    assert_false(files_hold(f, "says ann-of-acme"));
    assert_false(files_hold(f, id_of(users[0], 1)));
    assert_true(files_hold(f, "says bob-of-acme"));
    mneme_free(erase(f, MNEME_ERASE_USER, users[0], NULL)); /* once more is harmless */
}

/* ---- encrypted ---- */

struct search {
    const char *text;
    bool found;
};

static void search_piece(void *context, const char *part, const void *bytes, size_t count)
{
    struct search *search = context;

    (void)part;
    search->found = search->found || memmem(bytes, count, search->text, strlen(search->text));
}

static void an_encrypted_store_is_looked_through_decrypted(void **state)
{
    struct fixture *f = *state;
    struct search bob = { "moors at night, says bob", false };
    struct search ann = { "moors at night, says ann", false };
    struct mn_store_options options = { .path = f->path };
    struct mn_store *store = NULL;
    char *receipt;

    mneme_close(f->handle);
    assert_int_equal(unlink(f->path), 0);
    f->key = "open sesame";
    fixture_open(f);
    fill(f);
    receipt = erase(f, MNEME_ERASE_USER, users[0], NULL);
    assert_true(verified(f, receipt));
    assert_false(files_hold(f, "says bob-of-acme"));

    options.key = f->key;
    options.key_bytes = strlen(f->key);
    ASSERT_OK(mn_store_sqlite_open(&options, &store, &f->err));
    ASSERT_OK(store->ops->bytes(store, search_piece, &bob, &f->err));
    ASSERT_OK(store->ops->bytes(store, search_piece, &ann, &f->err));
    assert_true(bob.found); /* so the pages were read in clear */
    assert_false(ann.found);
    mn_store_free(store);
    mneme_free(receipt);
}

/* ---- the rest ---- */

static void a_tenant_goes_as_a_whole_and_no_other(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;
    char *receipt = NULL;

    fill(f);
    put(f, "", "mem-shared-1", "The whole company sails on Wednesdays.", NULL);
    m.tenant_id = "globex";
    m.user_id = "ann-of-globex";
    m.id = id_of(users[0], 1);
    m.type = "fact";
    m.content = "On pier 1 the ferry pilot moors at night, says ann-of-acme.";
    change.now_ms = NOW;
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
    what.scope = MNEME_ERASE_TENANT;
    what.tenant_id = "acme";
    what.now_ms = NOW + 1000;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    assert_int_equal(count_in(receipt, "memories"), 3 * MEMORIES + 1);
    assert_true(verified(f, receipt));
    assert_false(files_hold(f, "says bob-of-acme"));
    assert_false(files_hold(f, "sails on Wednesdays"));
    ASSERT_OK(mneme_get(f->handle, "globex", "ann-of-globex", id_of(users[0], 1), &row, &f->err));
    mneme_parsed_free(row);
    mneme_free(receipt);
}

static void nothing_is_erased_by_an_empty_field(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    put(f, "ann", "mem-1-of-ann", "The gate code changes every Monday.", NULL);
    put(f, "", "mem-shared-1", "The whole company sails on Wednesdays.", NULL);
    assert_int_equal(mneme_erase(f->handle, &what, &receipt, &f->err), MNEME_INVALID);
    assert_int_equal(try_erase(f, MNEME_ERASE_USER, "", NULL, &receipt), MNEME_INVALID);
    assert_string_equal(f->err.field, "user_id");
    assert_int_equal(try_erase(f, MNEME_ERASE_USER, NULL, NULL, &receipt), MNEME_INVALID);
    assert_int_equal(try_erase(f, MNEME_ERASE_TENANT, "ann", NULL, &receipt), MNEME_INVALID);
    assert_int_equal(try_erase(f, MNEME_ERASE_MEMORY, "ann", "", &receipt), MNEME_INVALID);
    assert_string_equal(f->err.field, "id");
    assert_int_equal(try_erase(f, MNEME_ERASE_MEMORY, "bob", "mem-1-of-ann", &receipt),
                     MNEME_NOT_FOUND);
    assert_int_equal(try_erase(f, MNEME_ERASE_MEMORY, "ann", "*", &receipt), MNEME_NOT_FOUND);
    assert_int_equal(try_erase(f, MNEME_ERASE_SESSION, "ann", "none", &receipt), MNEME_NOT_FOUND);
    what.scope = MNEME_ERASE_TENANT;
    assert_int_equal(mneme_erase(f->handle, &what, &receipt, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "tenant_id");
    assert_null(receipt);
    assert_true(is_there(f, "ann", "mem-1-of-ann"));
    assert_true(is_there(f, "ann", "mem-shared-1"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_of_three_alike_leaves_the_others_whole),
        CASE(receipts_that_were_changed_or_are_of_another_store_are_refused),
        CASE(what_is_said_again_is_no_breach_but_what_was_restored_is),
        CASE(old_copies_in_split_pages_are_found_and_go),
        CASE(what_was_drawn_from_erased_evidence_alone_goes_too),
        CASE(the_events_of_a_memory_go_when_asked_for),
        CASE(what_was_erased_cannot_be_written_again),
        CASE(a_vector_that_comes_late_is_not_kept),
        CASE(a_recall_that_begins_later_brings_nothing),
        CASE(another_handle_drops_it_from_its_index),
        CASE(an_erasure_that_was_cut_short_is_finished),
        CASE(an_encrypted_store_is_looked_through_decrypted),
        CASE(a_tenant_goes_as_a_whole_and_no_other),
        CASE(nothing_is_erased_by_an_empty_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
