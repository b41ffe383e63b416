/*
 * test_archive.c - turns out of the store and back: whole, sealed, erased wherever they are, and never in
 * neither of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "engine/handle.h"
#include "engine/tenants.h"
#include "pipeline/fixture.h"
#include "pipeline/turns.h"

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

/* ---- looking ---- */

struct listed {
    size_t count;
    char session[64], state[16], object[64];
    int64_t turns;
};

static int note(void *context, const struct mneme_archived *file)
{
    struct listed *l = context;

    l->count++;
    (void)snprintf(l->session, sizeof l->session, "%s", file->session_id);
    (void)snprintf(l->state, sizeof l->state, "%s", file->state);
    (void)snprintf(l->object, sizeof l->object, "%s", file->object);
    l->turns = file->turns;
    return 0;
}

static struct listed list(struct fixture *f, const char *user)
{
    struct listed l = { 0 };

    ASSERT_OK(mneme_archive_list(f->handle, "acme", user, note, &l, &f->err));
    return l;
}

/* Files in the archive, all stores together; *first: the path of one. */
static size_t files_in(const struct fixture *f, char *first, size_t bytes)
{
    DIR *above = opendir(f->archive);
    struct dirent *store, *file;
    size_t count = 0;

    while (above && (store = readdir(above))) {
        char path[512];

        if (store->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", f->archive, store->d_name);
        DIR *dir = opendir(path);
        while (dir && (file = readdir(dir))) {
            if (file->d_name[0] == '.')
                continue;
            count++;
            if (first)
                (void)snprintf(first, bytes, "%s/%s", path, file->d_name);
        }
        if (dir)
            closedir(dir);
    }
    if (above)
        closedir(above);
    return count;
}

static char *erase(struct fixture *f, enum mneme_erase_scope scope, const char *user,
                   const char *id, int with_evidence)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = scope;
    what.tenant_id = "acme";
    what.user_id = user;
    what.id = id;
    what.with_evidence = with_evidence;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    return receipt;
}

static bool verified(struct fixture *f, const char *receipt)
{
    int clean = -1;

    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    return clean == 1;
}

/* ---- out and back ---- */

static void archived_turns_leave_recall_and_come_back_as_they_were(void **state)
{
    struct fixture *f = *state;
    struct gathered before, after;
    struct listed l;
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    turns_say(f, "ann", "s1", "evt-2", "The crane Berta stands at the southern quay.");
    turns_say(f, "ann", "s2", "evt-3", "The ferry sails at noon.");
    before = turns_in_store(f, "ann");
    assert_true(turns_recalled(f, "ann", "Where does the crane Otto stand?", "Otto"));

    assert_int_equal(turns_archive(f, "ann", "s1"), 2);
    assert_int_equal(turns_archive(f, "ann", "s1"), 0); /* nothing is left to move */
    l = list(f, "ann");
    assert_int_equal(l.count, 1);
    assert_string_equal(l.session, "s1");
    assert_string_equal(l.state, "whole");
    assert_int_equal(l.turns, 2);
    assert_int_equal(list(f, "bob").count, 0);
    assert_int_equal(files_in(f, NULL, 0), 1);
    assert_false(turns_recalled(f, "ann", "Where does the crane Otto stand?", "Otto"));
    assert_true(turns_recalled(f, "ann", "When does the ferry sail?", "noon"));
    assert_null(strstr(turns_in_store(f, "ann").text, "Otto"));

    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err));
    assert_int_equal(turns, 2);
    after = turns_in_store(f, "ann");
    assert_string_equal(after.text, before.text);
    assert_true(turns_recalled(f, "ann", "Where does the crane Otto stand?", "Otto"));
    assert_int_equal(list(f, "ann").count, 0);
    assert_int_equal(files_in(f, NULL, 0), 0);
    assert_int_equal(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err),
                     MNEME_NOT_FOUND);
}

static void a_turn_that_is_away_is_not_taken_twice_and_lends_its_id_to_nobody(void **state)
{
    struct fixture *f = *state;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_event again = MNEME_EVENT_INIT;
    struct mneme_receipt receipt;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    turns_archive(f, "ann", "s1");
    again.id = "evt-1";
    again.tenant_id = "acme";
    again.user_id = "ann";
    again.session_id = "s1";
    again.text = "The crane Otto stands at the northern quay.";
    ASSERT_OK(mneme_observe(f->handle, &again, 1, &change, &receipt, &f->err));
    assert_int_equal(receipt.outcome, MNEME_UNCHANGED);
    m.id = "evt-1";
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.content = "Something else.";
    assert_int_equal(mneme_remember(f->handle, &m, &change, &receipt, &f->err), MNEME_CONFLICT);
    turns_say(f, "ann", "s1", "evt-2", "A later turn of the same session.");
    assert_int_equal(turns_archive(f, "ann", "s1"), 1);
    assert_int_equal(list(f, "ann").count, 2);
}

static void what_belongs_to_a_turn_that_is_away_is_no_difference(void **state)
{
    struct fixture *f = *state;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_usage used = { 0 };
    struct mneme_record record = { .kind = MNEME_RECORD_USAGE, .usage = &used };
    char *report = NULL;
    int clean = 0;

    event.id = "evt-1";
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "s1";
    event.text = "The crane Otto stands at the northern quay.";
    change.idempotency_key = "said once";
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    used.tenant_id = "acme";
    used.memory_id = "evt-1";
    used.used_count = 3;
    used.confidence = -1.0;
    change.idempotency_key = NULL;
    change.admin = 1;
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
    assert_int_equal(turns_archive(f, "ann", "s1"), 1);
    ASSERT_OK(mneme_reconcile(f->handle, NULL, &clean, &report, &f->err));
    if (!clean)
        fail_msg("%s", report);
    mneme_free(report);
}

/* ---- a place that fails ---- */

static void an_archive_that_does_not_answer_loses_nothing_and_is_asked_again(void **state)
{
    struct fixture *f = *state;
    FILE *blocks = fopen(f->archive, "w"); /* a file where the folder should be */
    struct listed l;
    size_t turns = 0;

    assert_non_null(blocks);
    fclose(blocks);
    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    assert_int_equal(mneme_archive_session(f->handle, "acme", "ann", "s1", &turns, &f->err),
                     MNEME_UNAVAILABLE);
    assert_non_null(strstr(f->err.message, "archive"));
    assert_true(turns_recalled(f, "ann", "Where does the crane Otto stand?", "Otto"));
    assert_int_equal(list(f, "ann").count, 0); /* nothing was begun */

    assert_int_equal(unlink(f->archive), 0);
    assert_int_equal(turns_archive(f, "ann", "s1"), 1);
    ASSERT_OK(mneme_run_due(f->handle, 10, NULL, &f->err));
    l = list(f, "ann");
    assert_int_equal(l.count, 1);
    assert_string_equal(l.state, "whole");
}

static void damage(const char *path, long at)
{
    FILE *file = fopen(path, "r+");
    int byte;

    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    (void)fputc(byte ^ 1, file);
    fclose(file);
}

static void a_damaged_file_brings_nothing_back(void **state)
{
    struct fixture *f = *state;
    char path[512], moved[600];
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    turns_archive(f, "ann", "s1");
    assert_int_equal(files_in(f, path, sizeof path), 1);
    damage(path, 60);
    assert_int_equal(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err),
                     MNEME_CORRUPT);
    assert_string_equal(turns_in_store(f, "ann").text, "");
    damage(path, 60); /* as it was */
    (void)snprintf(moved, sizeof moved, "%s.moved", path);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err),
                     MNEME_NOT_FOUND);
    assert_int_equal(rename(moved, path), 0);
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err));
    assert_int_equal(turns, 1);
}

/* ---- sealed ---- */

static void in_the_archive_no_word_can_be_read_without_the_store(void **state)
{
    struct fixture *f = *state;
    char path[512], bytes[4096];

    turns_say(f, "ann", "s1", "evt-secret",
              "Xanadu is where the crane Otto stands, and stands, and stands.");
    turns_archive(f, "ann", "s1");
    assert_int_equal(files_in(f, path, sizeof path), 1);
    FILE *file = fopen(path, "r");
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(count > 45 && count < sizeof bytes);
    assert_memory_equal(bytes, "mneme archive 1\n", 16);
    assert_null(memmem(bytes, count, "Xanadu", 6));
    assert_null(memmem(bytes, count, "stands", 6));
    assert_null(memmem(bytes, count, "ann", 3));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

/* ---- erasing ---- */

static void an_erased_session_leaves_the_archive_too(void **state)
{
    struct fixture *f = *state;
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay of Westpier.");
    turns_say(f, "ann", "s2", "evt-2", "The crane Berta stands at the southern quay of Westpier.");
    turns_archive(f, "ann", "s1");
    turns_archive(f, "ann", "s2");
    assert_int_equal(files_in(f, NULL, 0), 2);
    char *receipt = erase(f, MNEME_ERASE_SESSION, "ann", "s1", 0);
    assert_non_null(strstr(receipt, "\"archived\":1"));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    assert_int_equal(files_in(f, NULL, 0), 1);
    assert_true(verified(f, receipt));
    assert_int_equal(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err),
                     MNEME_NOT_FOUND);
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", "s2", &turns, &f->err));
    assert_non_null(strstr(turns_in_store(f, "ann").text, "Berta"));
    mneme_free(receipt);
}

static void one_erased_turn_is_taken_out_of_its_file(void **state)
{
    struct fixture *f = *state;
    struct listed before, after;
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay of Westpier.");
    turns_say(f, "ann", "s1", "evt-2", "The crane Berta stands at the southern quay of Westpier.");
    turns_archive(f, "ann", "s1");
    before = list(f, "ann");
    char *receipt = erase(f, MNEME_ERASE_MEMORY, "ann", "evt-1", 0);
    assert_non_null(strstr(receipt, "\"clean\":true"));
    after = list(f, "ann");
    assert_int_equal(after.count, 1);
    assert_string_equal(after.state, "whole");
    assert_int_equal(after.turns, 1);
    assert_string_not_equal(after.object, before.object);
    assert_int_equal(files_in(f, NULL, 0), 1);
    assert_true(verified(f, receipt));
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err));
    assert_int_equal(turns, 1);
    assert_null(strstr(turns_in_store(f, "ann").text, "Otto"));
    assert_non_null(strstr(turns_in_store(f, "ann").text, "Berta"));
    mneme_free(receipt);
}

static void evidence_in_the_archive_goes_with_its_memory(void **state)
{
    struct fixture *f = *state;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    const char *const evidence[] = { "evt-1" };

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay of Westpier.");
    turns_archive(f, "ann", "s1");
    m.id = "mem-1";
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.content = "Otto is a crane.";
    m.provenance = (struct mneme_list){ evidence, 1 };
    ASSERT_OK(mneme_remember(f->handle, &m, &change, NULL, &f->err));
    mneme_free(erase(f, MNEME_ERASE_MEMORY, "ann", "mem-1", 1));
    assert_int_equal(files_in(f, NULL, 0), 0);
    assert_int_equal(list(f, "ann").count, 0);
}

static void an_erased_user_or_tenant_leaves_the_archive_and_others_stay(void **state)
{
    struct fixture *f = *state;
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    turns_say(f, "bob", "s1", "evt-2", "The crane Otto stands at the northern quay.");
    turns_archive(f, "ann", "s1");
    turns_archive(f, "bob", "s1");
    char *receipt = erase(f, MNEME_ERASE_USER, "ann", NULL, 0);
    assert_int_equal(files_in(f, NULL, 0), 1);
    assert_true(verified(f, receipt));
    mneme_free(receipt);
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "bob", "s1", &turns, &f->err));
    assert_int_equal(turns_archive(f, "bob", "s1"), 1);
    mneme_free(erase(f, MNEME_ERASE_TENANT, NULL, NULL, 0));
    assert_int_equal(files_in(f, NULL, 0), 0);
}

static void an_erasure_waits_for_an_archive_that_is_away_and_says_so(void **state)
{
    struct fixture *f = *state;
    char away[128];
    struct listed l;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay of Westpier.");
    turns_archive(f, "ann", "s1");
    (void)snprintf(away, sizeof away, "%s.away", f->archive);
    assert_int_equal(rename(f->archive, away), 0);
    char *receipt = erase(f, MNEME_ERASE_USER, "ann", NULL, 0);
    assert_null(strstr(receipt, "\"clean\":true"));
    assert_non_null(strstr(receipt, "archive"));
    assert_false(verified(f, receipt));
    l = list(f, "bob"); /* nothing tells any more whose it was */
    assert_string_equal(l.state, "removing");
    assert_string_equal(l.session, "");

    assert_int_equal(rename(away, f->archive), 0);
    assert_int_equal(files_in(f, NULL, 0), 1);
    ASSERT_OK(mneme_run_due(f->handle, 10, NULL, &f->err));
    assert_int_equal(files_in(f, NULL, 0), 0);
    assert_true(verified(f, receipt));
    mneme_free(receipt);
}

static void an_empty_place_is_not_taken_for_the_archive(void **state)
{
    struct fixture *f = *state;
    char away[128];
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay of Westpier.");
    turns_say(f, "bob", "s2", "evt-2", "The crane Berta stands at the southern quay of Westpier.");
    turns_archive(f, "ann", "s1");
    (void)snprintf(away, sizeof away, "%s.away", f->archive);
    assert_int_equal(rename(f->archive, away), 0);
    assert_int_equal(mkdir(f->archive, 0700), 0); /* as the folder of a disk that is not mounted */
    assert_int_equal(mneme_archive_session(f->handle, "acme", "bob", "s2", &turns, &f->err),
                     MNEME_UNAVAILABLE);
    assert_string_equal(f->err.field, "archive");
    char *receipt = erase(f, MNEME_ERASE_USER, "ann", NULL, 0);
    assert_null(strstr(receipt, "\"clean\":true"));
    assert_non_null(strstr(receipt, "its disk is not there"));
    assert_false(verified(f, receipt));
    assert_string_equal(list(f, "ann").state, "removing");
    assert_int_equal(files_in(f, NULL, 0), 0);

    assert_int_equal(rmdir(f->archive), 0);
    assert_int_equal(rename(away, f->archive), 0);
    assert_false(verified(f, receipt));
    ASSERT_OK(mneme_run_due(f->handle, 10, NULL, &f->err));
    assert_int_equal(files_in(f, NULL, 0), 0);
    assert_int_equal(list(f, "ann").count, 0);
    assert_true(verified(f, receipt));
    assert_int_equal(turns_archive(f, "bob", "s2"), 1);
    mneme_free(receipt);
}

static void files_younger_than_a_backup_that_was_put_back_are_erased_with_their_user(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options;

    if (getenv("MN_TEST_PER_TENANT"))
        skip(); /* its backups are files */
    ASSERT_OK(mneme_backup(f->handle, f->file, NULL, &f->err));
    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay of Westpier.");
    turns_archive(f, "ann", "s1");
    turns_say(f, "ann", "s0", "evt-0", "An older turn.");
    mneme_close(f->handle);
    f->handle = NULL;
    options = fixture_options(f, f->again);
    /* the name in the archive and its key are made with the first file: a backup from before has none */
    ASSERT_OK(mneme_restore(&options, f->file, NULL, &f->err));
    fixture_open(f);
    assert_int_equal(unlink(f->file), 0);
    ASSERT_OK(mneme_backup(f->handle, f->file, NULL, &f->err)); /* knows the name, and s1 */
    turns_say(f, "ann", "s2", "evt-2", "The crane Berta stands at the southern quay of Westpier.");
    turns_archive(f, "ann", "s2");
    assert_int_equal(files_in(f, NULL, 0), 2);
    mneme_close(f->handle);
    f->handle = NULL;
    assert_int_equal(unlink(f->again), 0);
    ASSERT_OK(mneme_restore(&options, f->file, NULL, &f->err));
    options = fixture_options(f, f->again);
    ASSERT_OK(mneme_open(&options, &f->handle, &f->err));
    assert_int_equal(list(f, "ann").count, 1); /* of s2 it knows nothing */
    mneme_free(erase(f, MNEME_ERASE_USER, "ann", NULL, 0));
    assert_int_equal(files_in(f, NULL, 0), 0);
}

/* ---- bad input ---- */

static enum mneme_status try_step(struct mneme *handle, const struct mn_archive_row *row,
                                  struct mneme_error *err)
{
    MN_ROUTED(handle, "acme", false, try_step(inner, row, err));
    const struct mn_write write = { .kind = MN_WRITE_ARCHIVE, .archive = row };
    const struct mn_commit commit = {
        .write = &write, .count = 1, .actor = "archive", .reason = "", .now_ms = 1
    };
    struct mn_written written;

    return mn_store_commit_one(handle->world.store, &commit, &written, err);
}

/* Whatever a caller believes of the steps before. */
static void a_file_that_has_turns_is_not_given_up(void **state)
{
    struct fixture *f = *state;
    const struct mn_events none = { 0 };
    size_t turns = 0;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    assert_int_equal(turns_archive(f, "ann", "s1"), 1);
    const struct listed l = list(f, "ann");
    const struct mn_archive_object object = { .partition = { "acme", "ann" },
                                              .session_id = "s1",
                                              .object = l.object };
    static const enum mn_archive_step steps[] = { MN_ARCHIVE_DOOM, MN_ARCHIVE_BACK };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct mn_archive_row row = { steps[i], &object, &none, NULL };

        assert_int_equal(try_step(f->handle, &row, &f->err), MNEME_CONFLICT);
        assert_string_equal(f->err.field, "object");
    }
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err));
    assert_int_equal(turns, 1);
}

static void what_is_missing_is_named(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->again);
    struct mneme *without = NULL;
    size_t turns = 0;

    assert_int_equal(mneme_archive_session(NULL, "acme", "ann", "s1", &turns, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "handle");
    assert_int_equal(mneme_archive_session(f->handle, "", "ann", "s1", &turns, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "tenant_id");
    assert_int_equal(mneme_archive_restore(f->handle, "acme", "ann", NULL, &turns, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "session_id");
    assert_int_equal(mneme_archive_list(f->handle, "acme", "ann", NULL, NULL, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "row");

    options.create = 1;
    options.archive = "ftp://user:hush@host/bucket";
    assert_int_equal(mneme_open(&options, &without, &f->err), MNEME_FORBIDDEN); /* no keys */
    assert_null(strstr(f->err.message, "hush"));
    options.archive_access_key = "key";
    options.archive_secret_key = "hush";
    assert_int_equal(mneme_open(&options, &without, &f->err), MNEME_INVALID);
    assert_null(strstr(f->err.message, "hush"));
    options.archive = "http://127.0.0.1:1";
    assert_int_equal(mneme_open(&options, &without, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "archive");
    options.archive = NULL;
    ASSERT_OK(mneme_open(&options, &without, &f->err));
    assert_int_equal(mneme_archive_session(without, "acme", "ann", "s1", &turns, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "archive");
    mneme_close(without);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(archived_turns_leave_recall_and_come_back_as_they_were),
        TEST(a_turn_that_is_away_is_not_taken_twice_and_lends_its_id_to_nobody),
        TEST(what_belongs_to_a_turn_that_is_away_is_no_difference),
        TEST(an_archive_that_does_not_answer_loses_nothing_and_is_asked_again),
        TEST(a_damaged_file_brings_nothing_back),
        TEST(in_the_archive_no_word_can_be_read_without_the_store),
        TEST(an_erased_session_leaves_the_archive_too),
        TEST(one_erased_turn_is_taken_out_of_its_file),
        TEST(evidence_in_the_archive_goes_with_its_memory),
        TEST(an_erased_user_or_tenant_leaves_the_archive_and_others_stay),
        TEST(an_erasure_waits_for_an_archive_that_is_away_and_says_so),
        TEST(an_empty_place_is_not_taken_for_the_archive),
        TEST(files_younger_than_a_backup_that_was_put_back_are_erased_with_their_user),
        TEST(a_file_that_has_turns_is_not_given_up),
        TEST(what_is_missing_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
