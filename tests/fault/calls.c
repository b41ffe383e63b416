/*
 * calls.c - the store that public calls are run on while something fails, and what must hold of it
 * afterwards.
 *
 * The calls stand beside this, in a file for each kind, each so that it can be run again and again. What
 * a call needs beforehand it makes with the faults paused, so that only the call itself is hit.
 *
 * Tests start from a store with three memories in which every call has been done once. It is kept as a
 * folder and had anew for each failure or for a few dozen of them: else it grows with each of some
 * thousand failures, and calls that look through all of it never come to their end.
 */
#include "fault/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

const struct fault_group *const fault_groups[] = {
    &fault_files,   &fault_keys,    &fault_tenant_keys, &fault_sweeps,
    &fault_writing, &fault_reading, &fault_upkeep,
};
const size_t fault_group_count = sizeof fault_groups / sizeof *fault_groups;

struct store_folder fault_folder;
struct mneme *fault_handle;

/* ---- what calls need beforehand ---- */

struct mneme_memory faults_memory(const char *id, const char *content)
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

void faults_put(struct mneme *handle, const struct mneme_memory *memory)
{
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = memory };
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;
    long failing = faults_pause();

    change.now_ms = FAULT_NOW;
    if (mneme_write(handle, &record, 1, &change, NULL, NULL, &err) != MNEME_OK)
        fail_msg("with nothing failing: %s", err.message);
    faults_resume(failing);
}

struct mneme_answer *faults_answer(void)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;
    long failing = faults_pause();

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = "Which quay do the harbour pilots use?";
    request.now_ms = FAULT_NOW;
    if (mneme_retrieve(fault_handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("with nothing failing: %s", err.message);
    faults_resume(failing);
    return answer;
}

void faults_catch_up(void)
{
    mneme_answer_free(faults_answer());
}

/* ---- what must hold afterwards ---- */

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(size_t *)context;
    return 0;
}

void faults_assert_kept(const char *name, long at)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_parsed *row = NULL;
    struct mneme_error err;
    size_t count = 0;

    for (int i = 1; i <= 3; i++) {
        char id[16];

        (void)snprintf(id, sizeof id, "m-%d", i);
        if (mneme_get(fault_handle, "t", "ann", id, &row, &err) != MNEME_OK)
            fail_msg("%s, failure %ld: %s is lost: %s", name, at, id, err.message);
        mneme_parsed_free(row);
    }
    filter.tenant_id = "t";
    filter.user_id = "ann";
    filter.with_all_statuses = 1;
    assert_int_equal(mneme_list_memories(fault_handle, &filter, count_row, &count, &err), MNEME_OK);
    assert_true(count >= 3);
}

void faults_assert_whole(const char *name, long at)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open_v2(fault_folder.store, &db, SQLITE_OPEN_READONLY, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    if (strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0)
        fail_msg("%s, failure %ld: %s", name, at, sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
}

/* ---- the store ---- */

static int remember_three(struct mneme_error *err)
{
    for (int i = 1; i <= 3; i++) {
        char id[16], content[64];

        (void)snprintf(id, sizeof id, "m-%d", i);
        (void)snprintf(content, sizeof content, "harbour pilots know quay %d", i);
        struct mneme_memory m = faults_memory(id, content);
        if (mneme_remember(fault_handle, &m, NULL, NULL, err) != MNEME_OK)
            return -1;
    }
    return 0;
}

static int do_each_once(struct mneme_error *err)
{
    for (size_t i = 0; i < fault_group_count; i++)
        for (size_t k = 0; k < fault_groups[i]->count; k++)
            if (fault_groups[i]->calls[k].call(err) != MNEME_OK) {
                print_message("%s: ", fault_groups[i]->calls[k].name);
                return -1;
            }
    return 0;
}

static void close_all(void)
{
    faults_close_keyed();
    mneme_close(fault_handle);
    fault_handle = NULL;
}

int faults_set_up(const char *name)
{
    struct mneme_error err;

    if (store_folder_make(&fault_folder, name) != 0)
        return -1;
    if (store_folder_open(&fault_folder, &fault_handle, &err) != MNEME_OK ||
        remember_three(&err) != 0 || do_each_once(&err) != 0) {
        print_message("%s\n", err.message);
        return -1;
    }
    close_all();
    return store_folder_keep(&fault_folder) == 0 ? faults_renew() : -1;
}

int faults_renew(void)
{
    struct mneme_error err;

    close_all();
    return store_folder_renew(&fault_folder) == 0 &&
                   store_folder_open(&fault_folder, &fault_handle, &err) == MNEME_OK
               ? 0
               : -1;
}

int faults_tear_down(void)
{
    close_all();
    return store_folder_remove(&fault_folder);
}
