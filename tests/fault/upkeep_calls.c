/*
 * upkeep_calls.c - the calls of a host that is idle, of what has ended, and of whoever looks after a store.
 *
 * What waits, the session and the task are made anew each time with nothing failing, so that there is
 * something to do. The audit of a store and its report read all of it, and stand here because they
 * change nothing.
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

static enum mneme_status call_run_due(struct mneme_error *err)
{
    faults_catch_up(); /* its trace waits */
    return mneme_run_due(fault_handle, 10, NULL, err);
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

/* Of a session of its own each time, with one turn. */
static enum mneme_status call_end_session(struct mneme_error *err)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    char session[32];
    long failing = faults_pause();

    (void)snprintf(session, sizeof session, "ended-%ld", rounds++);
    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = session;
    event.text = "The pilots went home when the fog was gone.";
    assert_int_equal(mneme_observe(fault_handle, &event, 1, NULL, NULL, err), MNEME_OK);
    faults_resume(failing);
    return mneme_end_session(fault_handle, "t", "ann", session, NULL, err);
}

/* Of a task of its own each time, with one memory. */
static enum mneme_status call_close_task(struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    char id[32], task[32];
    size_t ended = 7;

    (void)snprintf(id, sizeof id, "of-task-%ld", rounds);
    (void)snprintf(task, sizeof task, "closed-%ld", rounds++);
    struct mneme_memory m = faults_memory(id, "the pilots wait for the tide");
    m.memory_key = m.value = "";
    m.scope_kind = MNEME_SCOPE_TASK;
    m.scope_id = task;
    faults_put(fault_handle, &m);
    change.now_ms = FAULT_NOW + 1;
    enum mneme_status status =
        mneme_close_task(fault_handle, "t", "ann", task, &change, &ended, err);
    assert_int_equal(ended, status == MNEME_OK ? 1 : 7);
    return status;
}

static enum mneme_status call_maintain(struct mneme_error *err)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;

    what.all = 1;
    return mneme_maintain(fault_handle, &what, NULL, NULL, NULL, err);
}

/* Without an extractor it says so. */
static enum mneme_status call_extract(struct mneme_error *err)
{
    struct mneme_read read = MNEME_READ_INIT;
    enum mneme_status status = mneme_extract(fault_handle, "t", "ann", "s", &read, err);

    return status == MNEME_UNAVAILABLE && strstr(err->message, "extractor") ? MNEME_OK : status;
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

static const struct fault_call calls[] = {
    { "mneme_run_due", call_run_due },
    { "mneme_archive_session, mneme_archive_restore", call_archive },
    { "mneme_archive_list", call_archive_list },
    { "mneme_end_session", call_end_session },
    { "mneme_close_task", call_close_task },
    { "mneme_maintain", call_maintain },
    { "mneme_extract", call_extract },
    { "mneme_health_report", call_health },
    { "mneme_audit_list", call_audit_list },
    { "mneme_audit_verify", call_audit_verify },
};
const struct fault_group fault_upkeep = {
    .name = "upkeep",
    .calls = calls,
    .count = sizeof calls / sizeof *calls,
};
