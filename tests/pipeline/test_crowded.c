/*
 * test_crowded.c - what is there in great number does not hide what was asked for.
 *
 * Lists of candidates are limited. Whole retrievals without a model, over stores where one thing
 * fills a list: versions of one memory, rows of one type, the same text again and again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define NOW INT64_C(1790000000000)
#define ROWS_MAX 512

static struct store_folder folder;
static struct mneme *handle;

/* ---- rows ---- */

struct rows {
    struct mneme_memory memory[ROWS_MAX];
    struct mneme_record record[ROWS_MAX];
    char text[ROWS_MAX][96];
    char id[ROWS_MAX][32];
    size_t count;
};

static struct mneme_memory *add(struct rows *rows, const char *user, const char *type,
                                const char *text)
{
    size_t i = rows->count++;
    struct mneme_memory *m = &rows->memory[i];

    assert_true(rows->count <= ROWS_MAX);
    snprintf(rows->text[i], sizeof rows->text[i], "%s", text);
    snprintf(rows->id[i], sizeof rows->id[i], "%s-%03zu", user, i);
    *m = (struct mneme_memory)MNEME_MEMORY_INIT;
    m->tenant_id = "t";
    m->user_id = user;
    m->scope_kind = MNEME_SCOPE_USER;
    m->scope_id = user;
    m->type = type;
    m->id = rows->id[i];
    m->content = rows->text[i];
    m->authority = MNEME_EXPLICIT_USER;
    m->confidence = 1;
    m->importance = 0.5;
    rows->record[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = m };
    return m;
}

static void load(const struct rows *rows)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;
    size_t failed = 0;

    change.now_ms = NOW;
    if (mneme_write(handle, rows->record, rows->count, &change, NULL, &failed, &err) != MNEME_OK)
        fail_msg("record %zu: %s", failed, err.message);
}

/* Ids of the answer, a space behind each. */
static const char *recall(const char *user, const char *text)
{
    static char ids[512];
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "t";
    request.identity.user_id = user;
    request.text = text;
    request.now_ms = NOW;
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    ids[0] = 0;
    for (size_t i = 0; i < answer->item_count; i++) {
        strcat(ids, answer->item[i].memory->id);
        strcat(ids, " ");
    }
    mneme_answer_free(answer);
    return ids;
}

/* ---- versions of one memory ---- */

/* A chain of `count`, each in the place of the one before. */
static void load_chain(struct rows *rows, const char *user, size_t count)
{
    char text[96];

    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "The zeppelin is moored at mast number %zu.", i);
        struct mneme_memory *m = add(rows, user, "fact", text);

        if (i)
            m->supersedes = rows->id[i - 1];
    }
    load(rows);
}

static void the_last_of_a_chain_is_found_however_long_it_is(void **state)
{
    static struct rows at_limit, beyond, far_beyond;

    (void)state;
    load_chain(&at_limit, "al", 201); /* 200 are replaced */
    assert_string_equal(recall("al", "Where is the zeppelin moored?"), "al-200 ");
    load_chain(&beyond, "bo", 202);
    assert_string_equal(recall("bo", "Where is the zeppelin moored?"), "bo-201 ");
    load_chain(&far_beyond, "cy", ROWS_MAX);
    assert_string_equal(recall("cy", "Where is the zeppelin moored?"), "cy-511 ");
}

static void the_last_that_may_be_seen_ends_the_chain(void **state)
{
    static struct rows rows;

    (void)state;
    load_chain(&rows, "di", 3);
    rows.memory[2].sensitivity = MNEME_SECRET;
    rows.memory[2].revision = 0;
    load(&rows);
    assert_string_equal(recall("di", "Where is the zeppelin moored?"), "di-001 ");
}

static void a_circle_of_links_is_never_loaded(void **state)
{
    static struct rows rows;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        add(&rows, "ed", "fact", "The zeppelin left on a Tuesday.");
    for (size_t i = 0; i < 3; i++)
        rows.memory[i].supersedes = rows.id[(i + 2) % 3];
    assert_int_equal(mneme_write(handle, rows.record, rows.count, &change, NULL, NULL, &err),
                     MNEME_INVALID);
    assert_string_equal(err.field, "supersedes");
    rows.memory[0].supersedes = "";
    load(&rows);
    assert_string_equal(recall("ed", "The zeppelin left on a Tuesday, did it?"), "ed-002 ");
}

/* ---- rows of one type ---- */

static void load_preferences(struct rows *rows, const char *user, size_t count)
{
    char text[96];

    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "I prefer colour number %zu.", i);
        add(rows, user, "user_preference", text);
    }
    add(rows, user, "user_preference", "I prefer tabs in Makefiles.");
    load(rows);
}

static void the_preference_that_is_meant_is_found_among_many(void **state)
{
    static struct rows at_limit, beyond;

    (void)state;
    load_preferences(&at_limit, "fay", 199);
    assert_string_equal(recall("fay", "Should I use tabs in Makefiles?"), "fay-199 ");
    load_preferences(&beyond, "gus", 400);
    assert_string_equal(recall("gus", "Should I use tabs in Makefiles?"), "gus-400 ");
}

/* ---- rules that take long ---- */

static void a_slow_pattern_is_told_and_takes_nothing_from_the_others(void **state)
{
    static struct rows rows;
    static struct mneme_rule rule[12];
    static char long_text[8192];
    struct mneme_record record[12];
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        struct mneme_memory *m = add(&rows, "ivy", "repository_rule", "A rule of the house.");

        snprintf(rows.text[i], sizeof rows.text[i], "Rule of the house number %zu.", i);
        rule[i] = (struct mneme_rule)MNEME_RULE_INIT;
        rule[i].tenant_id = "t";
        rule[i].memory_id = m->id;
        rule[i].trigger_type = MNEME_TRIGGER_REGEX;
        rule[i].trigger_value = i < 11 ? "(a+)+b$" : "zebra$";
        record[i] = (struct mneme_record){ .kind = MNEME_RECORD_RULE, .rule = &rule[i] };
    }
    load(&rows);
    change.now_ms = NOW;
    change.admin = 1;
    if (mneme_write(handle, record, 12, &change, NULL, NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    memset(long_text, 'a', 8000);
    strcpy(long_text + 8000, " zebra");
    request.identity.tenant_id = "t";
    request.identity.user_id = "ivy";
    request.text = long_text;
    request.now_ms = NOW;
    assert_int_equal(mneme_retrieve(handle, &request, &answer, &err), MNEME_OK);
    assert_int_equal(answer->item_count, 1);
    assert_string_equal(answer->item[0].memory->id, "ivy-011");
    assert_true(answer->item[0].forced);
    assert_true(answer->degraded);
    assert_non_null(strstr(answer->trace, "the pattern of ivy-000 took too long"));
    assert_non_null(strstr(answer->trace, "the pattern of ivy-010 took too long"));
    mneme_answer_free(answer);
}

/* ---- the same text ---- */

static void a_text_that_is_there_many_times_leaves_room_for_others(void **state)
{
    static struct rows rows;
    const char *ids;

    (void)state;
    for (size_t i = 0; i < 400; i++)
        add(&rows, "hal", "fact", "The nightly backup of the turbine finished.");
    add(&rows, "hal", "fact",
        "A much longer note about the turbine: its backup was moved from one week to another, "
        "cold.");
    load(&rows);
    ids = recall("hal", "backup of the turbine");
    assert_non_null(strstr(ids, "hal-400"));
}

/* ---- store ---- */

static int set_up(void **state)
{
    struct mneme_error err;

    (void)state;
    if (store_folder_make(&folder, "crowded") != 0)
        return -1;
    return store_folder_open(&folder, &handle, &err) == MNEME_OK ? 0 : -1;
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
        cmocka_unit_test(the_last_of_a_chain_is_found_however_long_it_is),
        cmocka_unit_test(the_last_that_may_be_seen_ends_the_chain),
        cmocka_unit_test(a_circle_of_links_is_never_loaded),
        cmocka_unit_test(the_preference_that_is_meant_is_found_among_many),
        cmocka_unit_test(a_slow_pattern_is_told_and_takes_nothing_from_the_others),
        cmocka_unit_test(a_text_that_is_there_many_times_leaves_room_for_others),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
