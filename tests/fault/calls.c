/*
 * calls.c - every public call, each so that it can be run again and again.
 *
 * What a call needs beforehand it makes with the faults paused, so that only the call itself is hit.
 */
#include "fault/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOW INT64_C(1790000000000)

struct store_folder fault_folder;
struct mneme *fault_handle;
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

static enum mneme_status call_open(struct mneme_error *err)
{
    struct mneme *opened = NULL;
    enum mneme_status status = store_folder_open(&fault_folder, &opened, err);

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
    enum mneme_status status = mneme_retrieve(fault_handle, &request, &answer, err);
    assert_true((status == MNEME_OK) == (answer != NULL));
    mneme_answer_free(answer);
    return status;
}

/* With the faults paused. */
static struct mneme_answer *answer_whole(void)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = "Which quay do the harbour pilots use?";
    request.now_ms = NOW;
    assert_int_equal(mneme_retrieve(fault_handle, &request, &answer, &err), MNEME_OK);
    return answer;
}

static enum mneme_status call_explain(struct mneme_error *err)
{
    long failing = faults_pause();
    struct mneme_answer *answer = answer_whole();
    char *explained = NULL;

    faults_resume(failing);
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
    long failing = faults_pause();

    /* With the index up to date: one that fails to catch up would have more to do each time. */
    assert_int_equal(call_retrieve(err), MNEME_OK);
    faults_resume(failing);
    snprintf(content, sizeof content, "the harbour has quay number %ld", rounds++);
    struct mneme_memory m = sample("", content);
    m.memory_key = m.value = "";
    change.now_ms = NOW;
    return mneme_remember(fault_handle, &m, &change, &receipt, err);
}

static enum mneme_status call_edit(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    char content[64];

    snprintf(content, sizeof content, "pilots use quay %ld", rounds++);
    struct mneme_memory m = sample("m-3", content); /* the one that holds: former ones stay */
    change.now_ms = NOW;
    return mneme_edit(fault_handle, &m, &change, &receipt, err);
}

static enum mneme_status call_forget(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    return mneme_forget(fault_handle, "t", "ann", "m-2", &change, &receipt, err);
}

static enum mneme_status observe(const char *text, const char *speaker, int64_t now_ms,
                                 struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_receipt receipt;

    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = "s";
    event.role = "user";
    event.speaker = speaker;
    event.text = text;
    change.now_ms = now_ms;
    return mneme_observe(fault_handle, &event, 1, &change, &receipt, err);
}

static enum mneme_status call_observe(struct mneme_error *err)
{
    return observe("the pilots wait at the harbour", "Ann", 0, err);
}

/* A turn that is drawn from, of which the memory or its rival is there or not. */
static enum mneme_status call_observe_and_draw(struct mneme_error *err)
{
    char text[64];
    long failing = faults_pause();

    assert_int_equal(call_retrieve(err), MNEME_OK);
    faults_resume(failing);
    snprintf(text, sizeof text, "Remember that pilot boat %ld is moored at the quay.", rounds++);
    return observe(text, NULL, NOW, err);
}

/* Where it cannot be done nothing is told as done, and the turn is there all the same. */
static enum mneme_status call_observe_an_order(struct mneme_error *err)
{
    char text[64];
    long failing = faults_pause();

    snprintf(text, sizeof text, "Remember that tug %ld is called Otto.", rounds);
    assert_int_equal(observe(text, NULL, NOW, err), MNEME_OK);
    faults_resume(failing);
    snprintf(text, sizeof text, "Forget what I said about tug %ld.", rounds++);
    return observe(text, NULL, NOW, err);
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
    long failing = faults_pause();

    snprintf(key, sizeof key, "boat.%ld", rounds++);
    change.now_ms = NOW;
    for (int i = 0; i < 2; i++) {
        struct mneme_memory m = sample("", i ? "the boat is red" : "the boat is blue");

        m.memory_key = key;
        m.authority = i ? MNEME_MODEL_INFERENCE : MNEME_EXPLICIT_USER;
        assert_int_equal(mneme_remember(fault_handle, &m, &change, ret_rival, &err), MNEME_OK);
    }
    assert_int_equal(ret_rival->outcome, MNEME_RIVAL);
    snprintf(id, MNEME_ID_BYTES_MAX + 8, "clr_%s", ret_rival->id);
    faults_resume(failing);
}

static enum mneme_status call_clarifications(struct mneme_error *err)
{
    static bool open;
    struct mneme_receipt rival;
    char id[MNEME_ID_BYTES_MAX + 8] = "";

    if (!open)
        open_question(&rival, id);
    open = true;
    enum mneme_status status = mneme_clarifications(fault_handle, "t", "ann", keep_question, id, err);
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
    return mneme_clarify(fault_handle, "t", "ann", id, rival.id, &change, &receipt, err);
}

static enum mneme_status call_confirm(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    change.now_ms = NOW + ++rounds;
    return mneme_confirm(fault_handle, "t", "ann", "m-3", &change, &receipt, err);
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
        status = mneme_write(fault_handle, records, 4, &change, NULL, NULL, err);
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
    enum mneme_status status = mneme_get(fault_handle, "t", "ann", "m-1", &row, err);

    assert_true((status == MNEME_OK) == (row != NULL));
    mneme_parsed_free(row);
    return status;
}

static enum mneme_status call_list(struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "t";
    filter.user_id = "ann";
    return mneme_list_memories(fault_handle, &filter, keep_going, NULL, err);
}

static enum mneme_status call_export(struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "t";
    filter.all_users = 1;
    filter.with_shared = 1;
    filter.with_all_statuses = 1;
    return mneme_export(fault_handle, &filter, keep_going, NULL, err);
}

static enum mneme_status call_history(struct mneme_error *err)
{
    return mneme_history(fault_handle, "t", "ann", "m-1", keep_going_back, NULL, err);
}

static enum mneme_status call_versions(struct mneme_error *err)
{
    return mneme_versions(fault_handle, "t", "ann", "m-1", keep_going, NULL, err);
}

static enum mneme_status call_remember_check(struct mneme_error *err)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;

    memory.tenant_id = "t";
    memory.user_id = "ann";
    memory.content = "I live in Paris.";
    return mneme_remember_check(fault_handle, &memory, NULL, err);
}

static enum mneme_status call_run_due(struct mneme_error *err)
{
    return mneme_run_due(fault_handle, 10, NULL, err);
}

static enum mneme_status call_end_session(struct mneme_error *err)
{
    return mneme_end_session(fault_handle, "t", "ann", "s", NULL, err);
}

/* Of a task of its own each time, with one memory. */
static enum mneme_status call_close_task(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    char id[32], task[32];
    long failing = faults_pause();
    size_t ended = 7;

    (void)snprintf(id, sizeof id, "of-task-%ld", rounds);
    (void)snprintf(task, sizeof task, "closed-%ld", rounds++);
    struct mneme_memory m = sample(id, "the pilots wait for the tide");
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    m.memory_key = m.value = "";
    m.scope_kind = MNEME_SCOPE_TASK;
    m.scope_id = task;
    change.now_ms = NOW;
    assert_int_equal(mneme_write(fault_handle, &record, 1, &change, NULL, NULL, err), MNEME_OK);
    faults_resume(failing);
    change.now_ms = NOW + 1;
    enum mneme_status status =
        mneme_close_task(fault_handle, "t", "ann", task, &change, &ended, err);
    assert_int_equal(ended, status == MNEME_OK ? 1 : 7);
    return status;
}

static int keep_reading_grains(void *context, const struct mneme_grain *grain)
{
    (void)context;
    (void)grain;
    return 0;
}

static enum mneme_status call_granularity(struct mneme_error *err)
{
    return mneme_granularity(fault_handle, "t", "ann", 0, NULL, keep_reading_grains, NULL, err);
}

static enum mneme_status call_maintain(struct mneme_error *err)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;

    what.all = 1;
    return mneme_maintain(fault_handle, &what, NULL, NULL, NULL, err);
}

static enum mneme_status call_reconcile(struct mneme_error *err)
{
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    char *report = NULL;
    int clean = 7;

    how.repair = 1;
    enum mneme_status status = mneme_reconcile(fault_handle, &how, &clean, &report, err);
    assert_true((status == MNEME_OK) == (report != NULL));
    /* One whose archive could not be looked at is not clean, and says so. */
    bool unseen = status == MNEME_OK && clean == 0 && strstr(report, "\"archive_seen\":false");
    if (!unseen && clean != (status == MNEME_OK ? 1 : 7))
        fail_msg("clean is %d: %s", clean, report ? report : err->message);
    mneme_free(report);
    return status;
}

static enum mneme_status call_rebuild(struct mneme_error *err)
{
    char *report = NULL;
    enum mneme_status status = mneme_rebuild(fault_handle, NULL, &report, err);

    assert_true((status == MNEME_OK) == (report != NULL));
    mneme_free(report);
    return status;
}

static enum mneme_status call_health(struct mneme_error *err)
{
    char *report = NULL;
    int healthy = 7;
    enum mneme_status status = mneme_health_report(fault_handle, NULL, &healthy, &report, err);

    assert_true((status == MNEME_OK) == (report != NULL));
    assert_true((status == MNEME_OK) == (healthy != 7));
    mneme_free(report);
    return status;
}

static enum mneme_status call_trace_get(struct mneme_error *err)
{
    long failing = faults_pause();
    struct mneme_answer *answer = answer_whole();
    char *json = NULL;

    if (rounds++ % 2) /* from the store, or from what waits */
        assert_int_equal(mneme_run_due(fault_handle, 0, NULL, err), MNEME_OK);
    faults_resume(failing);
    enum mneme_status status =
        mneme_trace_get(fault_handle, "t", "ann", answer->trace_id, &json, err);
    assert_true((status == MNEME_OK) == (json != NULL));
    mneme_free(json);
    mneme_answer_free(answer);
    return status;
}

static enum mneme_status call_report_use(struct mneme_error *err)
{
    long failing = faults_pause();
    struct mneme_answer *answer = answer_whole();
    struct mneme_use use = MNEME_USE_INIT;
    const char *id;
    size_t counted = 7;

    assert_true(answer->item_count > 0);
    id = answer->item[0].memory->id;
    use.tenant_id = "t";
    use.user_id = "ann";
    use.trace_id = answer->trace_id;
    use.memory_ids = (struct mneme_list){ &id, 1 };
    use.by = "answer";
    faults_resume(failing);
    enum mneme_status status = mneme_report_use(fault_handle, &use, NULL, &counted, err);
    assert_int_equal(counted, status == MNEME_OK ? 1 : 7);
    mneme_answer_free(answer);
    return status;
}

static int keep_entry(void *context, const struct mneme_audit_entry *entry)
{
    (void)context;
    assert_true(entry->seq > 0);
    return 0;
}

static enum mneme_status call_audit_list(struct mneme_error *err)
{
    return mneme_audit_list(fault_handle, "t", "ann", "m-1", keep_entry, NULL, err);
}

static enum mneme_status call_audit_verify(struct mneme_error *err)
{
    char *report = NULL;
    int sound = 7;
    enum mneme_status status = mneme_audit_verify(fault_handle, NULL, &sound, &report, err);

    assert_true((status == MNEME_OK) == (report != NULL));
    assert_int_equal(sound, status == MNEME_OK ? 1 : 7);
    mneme_free(report);
    return status;
}

static enum mneme_status call_backup(struct mneme_error *err)
{
    char file[128];

    (void)snprintf(file, sizeof file, "%s/backup-%ld", fault_folder.path, rounds++);
    enum mneme_status status = mneme_backup(fault_handle, file, "operator", err);
    assert_true(status != MNEME_OK || access(file, F_OK) == 0);
    (void)unlink(file);
    return status;
}

static enum mneme_status call_restore(struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    static char backup[128];
    char file[128];
    long failing = faults_pause();

    if (!backup[0]) {
        (void)snprintf(backup, sizeof backup, "%s/backup", fault_folder.path);
        assert_int_equal(mneme_backup(fault_handle, backup, "operator", err), MNEME_OK);
    }
    faults_resume(failing);
    (void)snprintf(file, sizeof file, "%s/restored-%ld", fault_folder.path, rounds++);
    options.store_path = file;
    enum mneme_status status = mneme_restore(&options, backup, "operator", err);
    failing = faults_pause();
    if (status == MNEME_OK || access(file, F_OK) == 0) { /* there only when it is whole */
        struct mneme *restored = NULL;
        struct mneme_error why;

        options.tokenizer = "estimate";
        assert_int_equal(mneme_open(&options, &restored, &why), MNEME_OK);
        mneme_close(restored);
        (void)unlink(file);
    }
    faults_resume(failing);
    return status;
}

static void put_for_erasing(const char *id)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = sample(id, "to be erased");
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_error err;
    long failing = faults_pause();

    change.now_ms = NOW;
    m.memory_key = m.value = "";
    assert_int_equal(mneme_write(fault_handle, &record, 1, &change, NULL, NULL, &err), MNEME_OK);
    faults_resume(failing);
}

static enum mneme_status erase_one(char **ret_receipt, struct mneme_error *err)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char id[32];

    (void)snprintf(id, sizeof id, "gone-%ld", rounds++);
    put_for_erasing(id);
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "t";
    what.user_id = "ann";
    what.id = id;
    what.now_ms = NOW;
    return mneme_erase(fault_handle, &what, ret_receipt, err);
}

static enum mneme_status call_erase(struct mneme_error *err)
{
    char *receipt = NULL;
    enum mneme_status status = erase_one(&receipt, err);

    assert_true((status == MNEME_OK) == (receipt != NULL));
    mneme_free(receipt);
    return status;
}

static enum mneme_status call_erase_verify(struct mneme_error *err)
{
    static char *receipt;
    char *report = NULL;
    int clean = 7;
    long failing = faults_pause();

    if (!receipt)
        assert_int_equal(erase_one(&receipt, err), MNEME_OK);
    faults_resume(failing);
    enum mneme_status status = mneme_erase_verify(fault_handle, receipt, &clean, &report, err);
    assert_true((status == MNEME_OK) == (report != NULL));
    /* One whose archive could not be looked at is not clean, and says so. */
    bool unseen = status == MNEME_OK && clean == 0 && strstr(report, "\"archive_seen\":false");
    if (!unseen && clean != (status == MNEME_OK ? 1 : 7))
        fail_msg("clean is %d: %s", clean, report ? report : err->message);
    mneme_free(report);
    return status;
}

static enum mneme_status call_doctor(struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char *report = NULL;
    int sound = 7;

    options.store_path = fault_folder.store;
    options.tokenizer = "estimate";
    enum mneme_status status = mneme_doctor(&options, NULL, &sound, &report, err);
    assert_true((status == MNEME_OK) == (report != NULL));
    mneme_free(report);
    return status;
}

static enum mneme_status call_embed(struct mneme_error *err)
{
    float vector[FAULT_DIM];
    enum mneme_status status = mneme_embed(fault_handle, "a quay", 1, vector, FAULT_DIM, err);

    return status == MNEME_UNAVAILABLE && !mneme_model_dim(fault_handle) ? MNEME_OK : status;
}

static enum mneme_status call_token_states(struct mneme_error *err)
{
    float states[2 * FAULT_DIM];
    size_t count = 0;
    enum mneme_status status =
        mneme_token_states(fault_handle, "a quay", 1, states, 2, &count, err);

    return status == MNEME_UNAVAILABLE && !mneme_model_dim(fault_handle) ? MNEME_OK : status;
}

static enum mneme_status call_times(struct mneme_error *err)
{
    int64_t at_ms = 0;

    enum mneme_status status = mneme_time_parse("2026-10-14T09:00:00Z", &at_ms, err);
    return status == MNEME_OK ? mneme_time_parse_spelled("8 May 2023", &at_ms, err) : status;
}

static int keep_extraction(void *context, const struct mneme_extraction *extraction)
{
    (void)context, (void)extraction;
    return 0;
}

static enum mneme_status call_extractions(struct mneme_error *err)
{
    return mneme_extractions(fault_handle, "t", "ann", NULL, keep_extraction, NULL, err);
}

/* Without an extractor it says so. */
static enum mneme_status call_extract(struct mneme_error *err)
{
    struct mneme_read read = MNEME_READ_INIT;
    enum mneme_status status = mneme_extract(fault_handle, "t", "ann", "s", &read, err);

    return status == MNEME_UNAVAILABLE && strstr(err->message, "extractor") ? MNEME_OK : status;
}

/* ---- a store of its own for the key that changes ---- */

static struct mneme *keyed_handle;
static char keyed_key[80]; /* that it has; one that needs no stretching, as each round makes several */

static enum mneme_status open_keyed(const char *key, int create, struct mneme **ret_handle)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char path[160];

    (void)snprintf(path, sizeof path, "%s/keyed.mneme", fault_folder.path);
    options.store_path = path;
    options.create = create;
    options.key = key;
    options.key_bytes = strlen(key);
    options.tokenizer = "estimate";
    return mneme_open(&options, ret_handle, NULL);
}

static void make_keyed(void)
{
    struct mneme_memory m = sample("m-keyed", "harbour pilots know the key");

    (void)snprintf(keyed_key, sizeof keyed_key, "raw:%064lx", rounds++);
    assert_int_equal(open_keyed(keyed_key, 1, &keyed_handle), MNEME_OK);
    assert_int_equal(mneme_remember(keyed_handle, &m, NULL, NULL, NULL), MNEME_OK);
}

static bool opens_whole(const char *key)
{
    struct mneme_parsed *row = NULL;
    struct mneme *handle = NULL;
    enum mneme_status status = open_keyed(key, 0, &handle);
    int sound = 0;

    if (status != MNEME_OK) {
        assert_int_equal(status, MNEME_FORBIDDEN);
        return false;
    }
    assert_int_equal(mneme_get(handle, "t", "ann", "m-keyed", &row, NULL), MNEME_OK);
    mneme_parsed_free(row);
    assert_int_equal(mneme_audit_verify(handle, NULL, &sound, NULL, NULL), MNEME_OK);
    assert_int_equal(sound, 1);
    mneme_close(handle);
    return true;
}

/* Wherever it fails, the store opens with one of both keys, and with the old one unless it says that it
 * was changed. */
static enum mneme_status call_rotate_key(struct mneme_error *err)
{
    long failing = faults_pause();
    char key[80];

    if (!keyed_handle)
        make_keyed();
    (void)snprintf(key, sizeof key, "raw:%064lx", rounds++);
    faults_resume(failing);
    enum mneme_status status = mneme_rotate_key(keyed_handle, key, strlen(key), "operator", err);
    failing = faults_pause();
    bool changed = status == MNEME_OK || strstr(err->message, "was changed");
    bool under_new = opens_whole(key);
    assert_int_equal(opens_whole(keyed_key), !under_new);
    assert_int_equal(under_new, changed);
    if (under_new)
        memcpy(keyed_key, key, sizeof keyed_key);
    if (under_new && status != MNEME_OK) { /* it has to be opened again */
        mneme_close(keyed_handle);
        assert_int_equal(open_keyed(keyed_key, 0, &keyed_handle), MNEME_OK);
    }
    faults_resume(failing);
    return status;
}

/* Wherever it fails, the turn is in one of both: it is there when it is observed again. */
static enum mneme_status call_archive(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    static bool observed;
    struct mneme_receipt receipt;
    long failing = faults_pause();
    size_t turns = 0;

    event.id = "evt-archived";
    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = "archived";
    event.text = "The quay was long and the fog was thick.";
    change.without_drafts = 1;
    assert_int_equal(mneme_observe(fault_handle, &event, 1, &change, &receipt, err), MNEME_OK);
    assert_true(!observed || receipt.outcome == MNEME_UNCHANGED);
    observed = true;
    faults_resume(failing);
    enum mneme_status status =
        mneme_archive_session(fault_handle, "t", "ann", "archived", &turns, err);
    if (status == MNEME_OK)
        status = mneme_archive_restore(fault_handle, "t", "ann", "archived", &turns, err);
    failing = faults_pause();
    (void)mneme_archive_restore(fault_handle, "t", "ann", "archived", &turns, NULL);
    faults_resume(failing);
    return status;
}

static int keep_listing(void *context, const struct mneme_archived *file)
{
    (void)context, (void)file;
    return 0;
}

static enum mneme_status call_archive_list(struct mneme_error *err)
{
    return mneme_archive_list(fault_handle, "t", "ann", keep_listing, NULL, err);
}

/* Of a store of its own, with files and keys for tenants. */
static struct mneme *tenants_handle;

static void open_tenants(void)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_error err;
    char path[160];

    (void)snprintf(path, sizeof path, "%s/tenants", fault_folder.path);
    options.store_path = path;
    options.create = options.per_tenant = 1;
    options.key = "master";
    options.key_bytes = 6;
    options.tokenizer = "estimate";
    assert_int_equal(mneme_open(&options, &tenants_handle, &err), MNEME_OK);
    struct mneme_memory m = sample("m-tenant", "harbour pilots know the tenant");
    assert_int_equal(mneme_remember(tenants_handle, &m, NULL, NULL, &err), MNEME_OK);
}

static enum mneme_status call_rotate_tenant_key(struct mneme_error *err)
{
    long paused = faults_pause();

    if (!tenants_handle)
        open_tenants();
    faults_resume(paused);
    enum mneme_status status = mneme_rotate_tenant_key(tenants_handle, "t", "operator", err);
    if (status != MNEME_OK && strstr(err->message, "was changed"))
        status = MNEME_OK;
    return status;
}

const struct fault_call fault_calls[] = {
    { "mneme_open", call_open },
    /* Before the others make the store large: each page is read and written. */
    { "mneme_backup", call_backup },
    { "mneme_restore", call_restore },
    { "mneme_rotate_key", call_rotate_key },
    { "mneme_erase", call_erase },
    { "mneme_erase_verify", call_erase_verify },
    { "mneme_doctor", call_doctor },
    { "mneme_rebuild", call_rebuild },
    { "mneme_reconcile", call_reconcile },
    { "mneme_remember", call_remember },
    { "mneme_edit", call_edit },
    { "mneme_observe", call_observe },
    { "mneme_observe, drawn from", call_observe_and_draw },
    { "mneme_observe, an order to forget", call_observe_an_order },
    { "mneme_write, mneme_record_parse", call_write },
    { "mneme_retrieve", call_retrieve },
    { "mneme_trace_explain", call_explain },
    { "mneme_trace_get", call_trace_get },
    { "mneme_report_use", call_report_use },
    { "mneme_get", call_get },
    { "mneme_list_memories", call_list },
    { "mneme_export, mneme_record_print", call_export },
    { "mneme_history", call_history },
    { "mneme_versions", call_versions },
    { "mneme_remember_check", call_remember_check },
    { "mneme_run_due", call_run_due },
    { "mneme_archive_session, mneme_archive_restore", call_archive },
    { "mneme_archive_list", call_archive_list },
    { "mneme_end_session", call_end_session },
    { "mneme_close_task", call_close_task },
    { "mneme_granularity", call_granularity },
    { "mneme_maintain", call_maintain },
    { "mneme_clarifications", call_clarifications },
    { "mneme_clarify", call_clarify },
    { "mneme_confirm", call_confirm },
    { "mneme_forget", call_forget },
    { "mneme_extractions", call_extractions },
    { "mneme_extract", call_extract },
    { "mneme_embed", call_embed },
    { "mneme_token_states", call_token_states },
    { "mneme_time_parse, mneme_time_parse_spelled", call_times },
    { "mneme_health_report", call_health },
    { "mneme_audit_list", call_audit_list },
    { "mneme_audit_verify", call_audit_verify },
    { "mneme_rotate_tenant_key", call_rotate_tenant_key },
};
const size_t fault_call_count = sizeof fault_calls / sizeof *fault_calls;

int faults_set_up(const char *name)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    struct mneme_error err;

    if (store_folder_make(&fault_folder, name) != 0 ||
        store_folder_open(&fault_folder, &fault_handle, &err) != MNEME_OK)
        return -1;
    for (int i = 1; i <= 3; i++) {
        char id[16], content[64];

        (void)snprintf(id, sizeof id, "m-%d", i);
        (void)snprintf(content, sizeof content, "harbour pilots know quay %d", i);
        struct mneme_memory m = sample(id, content);
        if (mneme_remember(fault_handle, &m, &change, &receipt, &err) != MNEME_OK) {
            print_message("%s\n", err.message);
            return -1;
        }
    }
    return 0;
}

int faults_tear_down(void)
{
    mneme_close(tenants_handle);
    mneme_close(keyed_handle);
    tenants_handle = keyed_handle = NULL;
    mneme_close(fault_handle);
    return store_folder_remove(&fault_folder);
}
