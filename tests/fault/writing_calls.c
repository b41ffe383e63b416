/*
 * writing_calls.c - the calls that write memories, turns and what a user is asked.
 *
 * Each writes something of its own each time: what is there already would be found unchanged, and the
 * failures would hit no write. Those that compare it with what is known have the index brought up to
 * date first, as one that fails to catch up would have more to do each time.
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

static long rounds; /* so that each time has a name of its own */

static enum mneme_status call_remember(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    char content[64];

    faults_catch_up();
    snprintf(content, sizeof content, "the harbour has quay number %ld", rounds++);
    struct mneme_memory m = faults_memory("", content);
    m.memory_key = m.value = "";
    change.now_ms = FAULT_NOW;
    return mneme_remember(fault_handle, &m, &change, &receipt, err);
}

static enum mneme_status call_edit(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    char content[64];

    snprintf(content, sizeof content, "pilots use quay %ld", rounds++);
    /* The one that holds: former ones stay. */
    struct mneme_memory m = faults_memory("m-3", content);
    change.now_ms = FAULT_NOW;
    return mneme_edit(fault_handle, &m, &change, &receipt, err);
}

static enum mneme_status call_forget(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    char id[32];

    (void)snprintf(id, sizeof id, "left-%ld", rounds++);
    struct mneme_memory m = faults_memory(id, "to be forgotten");
    m.memory_key = m.value = "";
    faults_put(fault_handle, &m);
    return mneme_forget(fault_handle, "t", "ann", id, &change, &receipt, err);
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

    faults_catch_up();
    snprintf(text, sizeof text, "Remember that pilot boat %ld is moored at the quay.", rounds++);
    return observe(text, NULL, FAULT_NOW, err);
}

/* Where it cannot be done nothing is told as done, and the turn is there all the same. */
static enum mneme_status call_observe_an_order(struct mneme_error *err)
{
    char text[64];
    long failing = faults_pause();

    snprintf(text, sizeof text, "Remember that tug %ld is called Otto.", rounds);
    assert_int_equal(observe(text, NULL, FAULT_NOW, err), MNEME_OK);
    faults_resume(failing);
    snprintf(text, sizeof text, "Forget what I said about tug %ld.", rounds++);
    return observe(text, NULL, FAULT_NOW, err);
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
    change.now_ms = FAULT_NOW;
    for (int i = 0; i < 2; i++) {
        struct mneme_memory m = faults_memory("", i ? "the boat is red" : "the boat is blue");

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
    enum mneme_status status =
        mneme_clarifications(fault_handle, "t", "ann", keep_question, id, err);
    assert_true(status != MNEME_OK || id[0]);
    return status;
}

static enum mneme_status call_clarify(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt, rival;
    char id[MNEME_ID_BYTES_MAX + 8];

    open_question(&rival, id);
    change.now_ms = FAULT_NOW;
    return mneme_clarify(fault_handle, "t", "ann", id, rival.id, &change, &receipt, err);
}

static enum mneme_status call_confirm(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    change.now_ms = FAULT_NOW + ++rounds;
    return mneme_confirm(fault_handle, "t", "ann", "m-3", &change, &receipt, err);
}

static enum mneme_status call_write(struct mneme_error *err)
{
    static const char *const forms[] = {
        "{\"id\":\"m-9-%ld\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"type\":\"fact\","
        "\"scope_kind\":\"user\",\"scope_id\":\"ann\",\"content\":\"quay nine\"}",
        "{\"kind\":\"task_state\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"session_id\":\"s\","
        "\"task_id\":\"task-1\",\"state\":{\"pending_action\":\"moor %ld\"}}",
        "{\"kind\":\"rule\",\"tenant_id\":\"t\",\"memory_id\":\"m-1\",\"trigger_type\":\"regex\","
        "\"trigger_value\":\"quay %ld\"}",
        "{\"kind\":\"edge\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"source\":\"harbour\","
        "\"relation\":\"has\",\"target\":\"quay %ld\",\"provenance\":[\"m-1\"]}",
    };
    char line[256];
    struct mneme_parsed *parsed[4] = { NULL };
    struct mneme_record records[4];
    struct mneme_change change = MNEME_CHANGE_INIT;
    enum mneme_status status = MNEME_OK;

    rounds++;
    change.admin = 1;
    for (int i = 0; i < 4 && status == MNEME_OK; i++) {
        int bytes = snprintf(line, sizeof line, forms[i], rounds);

        status = mneme_record_parse(line, (size_t)bytes, NULL, &parsed[i], err);
        if (status == MNEME_OK)
            records[i] = *mneme_parsed_record(parsed[i]);
    }
    if (status == MNEME_OK)
        status = mneme_write(fault_handle, records, 4, &change, NULL, NULL, err);
    for (int i = 0; i < 4; i++)
        mneme_parsed_free(parsed[i]);
    return status;
}

static const struct fault_call calls[] = {
    { "mneme_remember", call_remember },
    { "mneme_edit", call_edit },
    { "mneme_observe", call_observe },
    { "mneme_observe, drawn from", call_observe_and_draw },
    { "mneme_observe, an order to forget", call_observe_an_order },
    { "mneme_write, mneme_record_parse", call_write },
    { "mneme_clarifications", call_clarifications },
    { "mneme_clarify", call_clarify },
    { "mneme_confirm", call_confirm },
    { "mneme_forget", call_forget },
};
const struct fault_group fault_writing = {
    .name = "writing",
    .calls = calls,
    .count = sizeof calls / sizeof *calls,
};
