/*
 * sweep_calls.c - the calls that go through every row of a store, to erase or to put right.
 *
 * What is erased is put there first each time. What they cost grows with the store: see calls.c.
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

#define CLEAN_BEFORE 7 /* and after a call that fails */

static long rounds; /* so that each time has a name of its own */

static enum mneme_status erase_one(char **ret_receipt, struct mneme_error *err)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char id[32];

    (void)snprintf(id, sizeof id, "gone-%ld", rounds++);
    struct mneme_memory m = faults_memory(id, "to be erased");
    m.memory_key = m.value = "";
    faults_put(fault_handle, &m);
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "t";
    what.user_id = "ann";
    what.id = id;
    what.now_ms = FAULT_NOW;
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

/* A report is there when the call succeeds, and only then, and says that the store is clean; one whose
 * archive could not be looked at is not, and says so. Frees it. */
static enum mneme_status look_at(enum mneme_status status, int clean, char *report,
                                 const struct mneme_error *err)
{
    assert_true((status == MNEME_OK) == (report != NULL));
    bool unseen = status == MNEME_OK && clean == 0 && strstr(report, "\"archive_seen\":false");
    if (!unseen && clean != (status == MNEME_OK ? 1 : CLEAN_BEFORE))
        fail_msg("clean is %d: %s", clean, report ? report : err->message);
    mneme_free(report);
    return status;
}

static enum mneme_status call_erase_verify(struct mneme_error *err)
{
    static char *receipt;
    char *report = NULL;
    int clean = CLEAN_BEFORE;
    long failing = faults_pause();

    if (!receipt)
        assert_int_equal(erase_one(&receipt, err), MNEME_OK);
    faults_resume(failing);
    enum mneme_status status = mneme_erase_verify(fault_handle, receipt, &clean, &report, err);
    return look_at(status, clean, report, err);
}

static enum mneme_status call_rebuild(struct mneme_error *err)
{
    char *report = NULL;
    enum mneme_status status = mneme_rebuild(fault_handle, NULL, &report, err);

    assert_true((status == MNEME_OK) == (report != NULL));
    mneme_free(report);
    return status;
}

static enum mneme_status call_reconcile(struct mneme_error *err)
{
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    char *report = NULL;
    int clean = CLEAN_BEFORE;

    how.repair = 1;
    enum mneme_status status = mneme_reconcile(fault_handle, &how, &clean, &report, err);
    return look_at(status, clean, report, err);
}

static const struct fault_call calls[] = {
    { "mneme_erase", call_erase },
    { "mneme_erase_verify", call_erase_verify },
    { "mneme_rebuild", call_rebuild },
    { "mneme_reconcile", call_reconcile },
};
const struct fault_group fault_sweeps = {
    .name = "sweeps",
    .calls = calls,
    .count = sizeof calls / sizeof *calls,
};
