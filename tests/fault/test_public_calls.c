/*
 * test_public_calls.c - every public call with each of its allocations failing in turn.
 *
 * malloc, calloc and realloc of the library and of what is linked into it go through the wraps below.
 * A call is repeated with the first, the second, ... allocation failing, until it runs through. Each
 * time it must either succeed (what failed was dispensable) or fail with a status, leave its outputs
 * untouched, leak nothing (the sanitizer sees to that) and leave the store as usable as before. A write
 * that failed must be there wholly or not at all.
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

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define NOW INT64_C(1790000000000)

/* ---- the failing allocator ---- */

static long fail_at;  /* 0: never; n: the n-th allocation from now */
static long seen;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);

static int fails(void)
{
    return fail_at && ++seen == fail_at;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
    return fails() ? NULL : __real_realloc(at, bytes);
}

/* ---- the store under test ---- */

static struct store_folder folder;
static struct mneme *handle;
static long rounds;

static struct mneme_memory sample(const char *id, const char *content)
{
    static const char *const words[] = { "harbour", "码头" };
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.id = id;
    m.tenant_id = "t";
    m.user_id = "ann";
    m.type = "fact";
    m.memory_key = "harbour.quay";
    m.value = content;
    m.content = content;
    m.keywords = (struct mneme_list){ words, 2 };
    m.entities = (struct mneme_list){ words, 2 };
    return m;
}

/* ---- the calls: each runs once, and says whether it succeeded ---- */

typedef enum mneme_status (*call_fn)(struct mneme_error *err);

static enum mneme_status call_open(struct mneme_error *err)
{
    struct mneme *opened = NULL;
    enum mneme_status status = store_folder_open(&folder, &opened, err);

    assert_true((status == MNEME_OK) == (opened != NULL));
    mneme_close(opened);
    return status;
}

static enum mneme_status call_retrieve(struct mneme_error *err)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.identity.task_id = "task-1";
    request.text = "Which quay do the harbour pilots use? 港口引航员用哪个码头？";
    request.now_ms = NOW;
    enum mneme_status status = mneme_retrieve(handle, &request, &answer, err);
    assert_true((status == MNEME_OK) == (answer != NULL));
    mneme_answer_free(answer);
    return status;
}

static enum mneme_status call_explain(struct mneme_error *err)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    char *explained = NULL;
    long failing = fail_at;

    fail_at = 0;
    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = "Which quay do the harbour pilots use?";
    request.now_ms = NOW;
    assert_int_equal(mneme_retrieve(handle, &request, &answer, err), MNEME_OK);
    fail_at = failing;
    enum mneme_status status = mneme_trace_explain(answer->trace, &explained, err);
    assert_true((status == MNEME_OK) == (explained != NULL));
    mneme_free(explained);
    mneme_answer_free(answer);
    return status;
}

static enum mneme_status call_remember(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    char content[64];
    long failing = fail_at;

    /* With the index up to date: one that fails to catch up would have more to do each time. */
    fail_at = 0;
    assert_int_equal(call_retrieve(err), MNEME_OK);
    fail_at = failing;
    snprintf(content, sizeof content, "the harbour has quay number %ld", rounds++);
    struct mneme_memory m = sample("", content);
    m.memory_key = m.value = "";
    change.now_ms = NOW;
    return mneme_remember(handle, &m, &change, &receipt, err);
}

static enum mneme_status call_edit(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    char content[64];

    snprintf(content, sizeof content, "pilots use quay %ld", rounds++);
    struct mneme_memory m = sample("m-1", content);
    change.now_ms = NOW;
    return mneme_edit(handle, &m, &change, &receipt, err);
}

static enum mneme_status call_forget(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    return mneme_forget(handle, "t", "ann", "m-2", &change, &receipt, err);
}

static enum mneme_status call_observe(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_receipt receipt;

    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = "s";
    event.role = "user";
    event.speaker = "Ann";
    event.text = "the pilots wait at the harbour";
    return mneme_observe(handle, &event, 1, &change, &receipt, err);
}

/* A turn that is drawn from, of which the memory or its rival is there or not. */
static enum mneme_status call_observe_and_draw(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_receipt receipt;
    char text[64];
    long failing = fail_at;

    fail_at = 0; /* as before a remember */
    assert_int_equal(call_retrieve(err), MNEME_OK);
    fail_at = failing;
    snprintf(text, sizeof text, "Remember that pilot boat %ld is moored at the quay.", rounds++);
    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = "s";
    event.role = "user";
    event.text = text;
    change.now_ms = NOW;
    return mneme_observe(handle, &event, 1, &change, &receipt, err);
}

static int keep_question(void *context, const struct mneme_clarification *open)
{
    snprintf(context, 128, "%s", open->id);
    return 0;
}

/* With nothing failing: a rival of what the user said, and the question that it opens. */
static void open_question(struct mneme_receipt *ret_rival, char id[MNEME_ID_BYTES_MAX + 8])
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;
    char key[32];
    long failing = fail_at;

    fail_at = 0;
    snprintf(key, sizeof key, "boat.%ld", rounds++);
    change.now_ms = NOW;
    for (int i = 0; i < 2; i++) {
        struct mneme_memory m = sample("", i ? "the boat is red" : "the boat is blue");

        m.memory_key = key;
        m.authority = i ? MNEME_MODEL_INFERENCE : MNEME_EXPLICIT_USER;
        assert_int_equal(mneme_remember(handle, &m, &change, ret_rival, &err), MNEME_OK);
    }
    assert_int_equal(ret_rival->outcome, MNEME_RIVAL);
    snprintf(id, MNEME_ID_BYTES_MAX + 8, "clr_%s", ret_rival->id);
    fail_at = failing;
}

static enum mneme_status call_clarifications(struct mneme_error *err)
{
    static bool open;
    struct mneme_receipt rival;
    char id[MNEME_ID_BYTES_MAX + 8] = "";

    if (!open)
        open_question(&rival, id);
    open = true;
    enum mneme_status status = mneme_clarifications(handle, "t", "ann", keep_question, id, err);
    assert_true(status != MNEME_OK || id[0]);
    return status;
}

static enum mneme_status call_clarify(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt, rival;
    char id[MNEME_ID_BYTES_MAX + 8];

    open_question(&rival, id);
    change.now_ms = NOW;
    return mneme_clarify(handle, "t", "ann", id, rival.id, &change, &receipt, err);
}

static enum mneme_status call_confirm(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    change.now_ms = NOW + ++rounds;
    return mneme_confirm(handle, "t", "ann", "m-3", &change, &receipt, err);
}

static enum mneme_status call_write(struct mneme_error *err)
{
    static const char *const lines[] = {
        "{\"id\":\"m-9\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"type\":\"fact\","
        "\"scope_kind\":\"user\",\"scope_id\":\"ann\",\"content\":\"quay nine\"}",
        "{\"kind\":\"task_state\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"session_id\":\"s\","
        "\"task_id\":\"task-1\",\"state\":{\"pending_action\":\"moor\"}}",
        "{\"kind\":\"rule\",\"tenant_id\":\"t\",\"memory_id\":\"m-1\",\"trigger_type\":\"regex\","
        "\"trigger_value\":\"quay\"}",
        "{\"kind\":\"edge\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"source\":\"harbour\","
        "\"relation\":\"has\",\"target\":\"quay\",\"provenance\":[\"m-1\"]}",
    };
    struct mneme_parsed *parsed[4] = { NULL };
    struct mneme_record records[4];
    struct mneme_change change = MNEME_CHANGE_INIT;
    enum mneme_status status = MNEME_OK;

    change.admin = 1;
    for (int i = 0; i < 4 && status == MNEME_OK; i++) {
        status = mneme_record_parse(lines[i], strlen(lines[i]), NULL, &parsed[i], err);
        if (status == MNEME_OK)
            records[i] = *mneme_parsed_record(parsed[i]);
    }
    if (status == MNEME_OK)
        status = mneme_write(handle, records, 4, &change, NULL, NULL, err);
    for (int i = 0; i < 4; i++)
        mneme_parsed_free(parsed[i]);
    return status;
}

static int keep_going(void *context, const struct mneme_record *record)
{
    struct mneme_error err;
    char *json = NULL;

    (void)context;
    if (mneme_record_print(record, &json, &err) != MNEME_OK)
        assert_null(json);
    mneme_free(json);
    return 0;
}

static int keep_going_back(void *context, const struct mneme_memory *former, const char *actor,
                           const char *reason, int64_t changed_at_ms)
{
    (void)context, (void)actor, (void)reason, (void)changed_at_ms;
    assert_non_null(former->id);
    return 0;
}

static enum mneme_status call_get(struct mneme_error *err)
{
    struct mneme_parsed *row = NULL;
    enum mneme_status status = mneme_get(handle, "t", "ann", "m-1", &row, err);

    assert_true((status == MNEME_OK) == (row != NULL));
    mneme_parsed_free(row);
    return status;
}

static enum mneme_status call_list(struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "t";
    filter.user_id = "ann";
    return mneme_list_memories(handle, &filter, keep_going, NULL, err);
}

static enum mneme_status call_export(struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "t";
    filter.all_users = 1;
    filter.with_shared = 1;
    filter.with_all_statuses = 1;
    return mneme_export(handle, &filter, keep_going, NULL, err);
}

static enum mneme_status call_history(struct mneme_error *err)
{
    return mneme_history(handle, "t", "ann", "m-1", keep_going_back, NULL, err);
}

static enum mneme_status call_run_due(struct mneme_error *err)
{
    return mneme_run_due(handle, 10, NULL, err);
}

static enum mneme_status call_maintain(struct mneme_error *err)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;

    what.all = 1;
    return mneme_maintain(handle, &what, NULL, NULL, NULL, err);
}

static enum mneme_status call_reconcile(struct mneme_error *err)
{
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    char *report = NULL;
    int clean = 7;

    how.repair = 1;
    enum mneme_status status = mneme_reconcile(handle, &how, &clean, &report, err);
    assert_true((status == MNEME_OK) == (report != NULL));
    assert_int_equal(clean, status == MNEME_OK ? 1 : 7);
    mneme_free(report);
    return status;
}

static enum mneme_status call_rebuild(struct mneme_error *err)
{
    char *report = NULL;
    enum mneme_status status = mneme_rebuild(handle, NULL, &report, err);

    assert_true((status == MNEME_OK) == (report != NULL));
    mneme_free(report);
    return status;
}

static enum mneme_status call_health(struct mneme_error *err)
{
    char *report = NULL;
    int healthy = 7;
    enum mneme_status status = mneme_health_report(handle, NULL, &healthy, &report, err);

    assert_true((status == MNEME_OK) == (report != NULL));
    assert_true((status == MNEME_OK) == (healthy != 7));
    mneme_free(report);
    return status;
}

/* ---- the loop ---- */

static void survives_each_failure(const char *name, call_fn call)
{
    long failures = 0, at;

    for (at = 1; at < 20000; at++) {
        struct mneme_error err = { 0 };

        seen = 0;
        fail_at = at;
        enum mneme_status status = call(&err);
        long reached = seen;
        fail_at = 0;
        if (status != MNEME_OK) {
            failures++;
            if (err.status != status || !err.message[0])
                fail_msg("%s, allocation %ld: status %d without its message", name, at, status);
        }
        if (reached < at)
            break;
    }
    print_message("%-10s %5ld allocations, %ld of them fail the call\n", name, at - 1, failures);
    assert_true(at < 20000);
    assert_int_equal(call_retrieve(NULL), MNEME_OK);
}

static void every_call_survives_every_failing_allocation(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        call_fn call;
    } calls[] = { { "open", call_open },         { "remember", call_remember },
                  { "edit", call_edit },         { "observe", call_observe },
                  { "write", call_write },       { "retrieve", call_retrieve },
                  { "explain", call_explain },   { "get", call_get },
                  { "list", call_list },         { "export", call_export },
                  { "history", call_history },   { "run_due", call_run_due },
                  { "maintain", call_maintain },
                  { "observe and draw", call_observe_and_draw },
                  { "clarifications", call_clarifications },
                  { "reconcile", call_reconcile }, { "rebuild", call_rebuild },
                  { "health", call_health },
                  { "clarify", call_clarify },   { "confirm", call_confirm },
                  { "forget", call_forget } };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        survives_each_failure(calls[i].name, calls[i].call);
}

static int set_up(void **state)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    struct mneme_error err;

    (void)state;
    if (store_folder_make(&folder, "fault") != 0)
        return -1;
    if (store_folder_open(&folder, &handle, &err) != MNEME_OK)
        return -1;
    for (int i = 1; i <= 3; i++) {
        char id[16], content[64];

        snprintf(id, sizeof id, "m-%d", i);
        snprintf(content, sizeof content, "harbour pilots know quay %d", i);
        struct mneme_memory m = sample(id, content);
        if (mneme_remember(handle, &m, &change, &receipt, &err) != MNEME_OK) {
            print_message("%s\n", err.message);
            return -1;
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mneme_close(handle);
    return store_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
