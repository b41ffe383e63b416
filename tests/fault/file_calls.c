/*
 * file_calls.c - the calls on the file of a store: opened, copied, put back, examined.
 *
 * A copy and a store that is put back are there only when they are whole.
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

static long rounds; /* so that each time has a name of its own */

static enum mneme_status call_open(struct mneme_error *err)
{
    struct mneme *opened = NULL;
    enum mneme_status status = store_folder_open(&fault_folder, &opened, err);

    assert_true((status == MNEME_OK) == (opened != NULL));
    mneme_close(opened);
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

static const struct fault_call calls[] = {
    { "mneme_open", call_open },
    { "mneme_backup", call_backup },
    { "mneme_restore", call_restore },
    { "mneme_doctor", call_doctor },
};
const struct fault_group fault_files = {
    .name = "files",
    .calls = calls,
    .count = sizeof calls / sizeof *calls,
    .opens = true,
};
