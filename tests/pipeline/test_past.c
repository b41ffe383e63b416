/*
 * test_past.c - what was known at an instant is found by the words it had then.
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

#define JANUARY INT64_C(1767225600000)
#define DAY INT64_C(86400000)
#define NOW (JANUARY + 60 * DAY)

static struct store_folder folder;
static struct mneme *handle;

/* ---- calls ---- */

static struct mneme_change change_at(int64_t now_ms)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.now_ms = now_ms;
    return change;
}

static void remember(const char *user, const char *id, const char *text, int64_t now_ms)
{
    struct mneme_change change = change_at(now_ms);
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt = { 0 };
    struct mneme_error err;

    m.tenant_id = "t";
    m.user_id = user;
    m.id = id;
    m.type = "fact";
    m.content = text;
    if (mneme_remember(handle, &m, &change, &receipt, &err) != MNEME_OK)
        fail_msg("%s", err.message);
}

/* Text NULL: as it is. */
static void edit(const char *user, const char *id, const char *text,
                 enum mneme_memory_status status, int64_t now_ms)
{
    struct mneme_change change = change_at(now_ms);
    struct mneme_receipt receipt = { 0 };
    struct mneme_parsed *row = NULL;
    struct mneme_error err;

    change.admin = 1;
    if (mneme_get(handle, "t", user, id, &row, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    struct mneme_memory m = *mneme_parsed_record(row)->memory;
    if (text) {
        m.content = text;
        m.title = m.summary = m.value = m.content_hash = NULL;
    }
    m.status = status;
    if (mneme_edit(handle, &m, &change, &receipt, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    mneme_parsed_free(row);
}

static void forget(const char *user, const char *id, int64_t now_ms)
{
    struct mneme_change change = change_at(now_ms);
    struct mneme_receipt receipt = { 0 };
    struct mneme_error err;

    assert_int_equal(mneme_forget(handle, "t", user, id, &change, &receipt, &err), MNEME_OK);
}

/* Texts of the answer, a bar behind each. */
static const char *recall(const char *user, const char *text, int64_t as_of_ms)
{
    static char texts[1024];
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "t";
    request.identity.user_id = user;
    request.text = text;
    request.now_ms = NOW;
    request.as_of_ms = as_of_ms;
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_false(answer->degraded);
    texts[0] = 0;
    for (size_t i = 0; i < answer->item_count; i++) {
        strcat(texts, answer->item[i].memory->content);
        strcat(texts, "|");
    }
    mneme_answer_free(answer);
    return texts;
}

/* ---- tests ---- */

static void a_memory_is_found_by_the_words_it_had_and_not_by_those_it_got(void **state)
{
    (void)state;
    remember("ann", "mascot", "The mascot is an otter.", JANUARY);
    remember("ann", "other", "The harbour closes at dusk.", JANUARY);
    edit("ann", "mascot", "The emblem is a heron.", MNEME_ACTIVE, JANUARY + 10 * DAY);

    assert_string_equal(recall("ann", "mascot otter", JANUARY + DAY), "The mascot is an otter.|");
    assert_string_equal(recall("ann", "emblem heron", JANUARY + DAY), "");
    assert_string_equal(recall("ann", "mascot otter", JANUARY + 10 * DAY), "");
    assert_string_equal(recall("ann", "emblem heron", JANUARY + 10 * DAY),
                        "The emblem is a heron.|");
    assert_string_equal(recall("ann", "emblem heron", 0), "The emblem is a heron.|");
    assert_string_equal(recall("ann", "mascot otter", JANUARY - 1), "");
    assert_string_equal(recall("bob", "mascot otter", JANUARY + DAY), "");
}

static void what_was_forgotten_since_was_known_before(void **state)
{
    (void)state;
    remember("cy", "pin", "The regatta starts at the old pier.", JANUARY);
    forget("cy", "pin", JANUARY + 10 * DAY);

    assert_string_equal(recall("cy", "Where does the regatta start?", JANUARY + 10 * DAY - 1),
                        "The regatta starts at the old pier.|");
    assert_string_equal(recall("cy", "Where does the regatta start?", JANUARY + 10 * DAY), "");
    assert_string_equal(recall("cy", "Where does the regatta start?", 0), "");
}

static void what_was_deprecated_since_held_before_and_what_was_revoked_did_not(void **state)
{
    (void)state;
    remember("di", "a", "The crane lifts nine tons.", JANUARY);
    edit("di", "a", NULL, MNEME_DEPRECATED, JANUARY + 10 * DAY);
    assert_string_equal(recall("di", "crane lifts tons", JANUARY + DAY),
                        "The crane lifts nine tons.|");
    assert_string_equal(recall("di", "crane lifts tons", JANUARY + 11 * DAY), "");
    edit("di", "a", NULL, MNEME_REVOKED, JANUARY + 20 * DAY);
    assert_string_equal(recall("di", "crane lifts tons", JANUARY + DAY), "");
}

/* Four passages, of which the third tells of the pump; the block has room for one. */
static void a_long_memory_is_shown_by_the_passage_that_answers_as_it_was_then(void **state)
{
    static char manual[8192], sentence[128];
    static const char *const about[] = { "harbour wall", "signal lamp", "bilge pump", "anchor chain" };
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int line = 0; line < 18; line++) {
            (void)snprintf(sentence, sizeof sentence, "Rule %d of the %s is kept in drawer %d. ", line,
                           about[i], line + 3);
            strcat(manual, sentence);
        }
    remember("ed", "manual", manual, JANUARY);
    edit("ed", "manual", "The manual is gone.", MNEME_ACTIVE, JANUARY + 10 * DAY);

    request.identity.tenant_id = "t";
    request.identity.user_id = "ed";
    request.text = "What are the rules of the bilge pump?";
    request.now_ms = NOW;
    request.as_of_ms = JANUARY + DAY;
    request.tokens_max = 900;
    assert_int_equal(mneme_retrieve(handle, &request, &answer, &err), MNEME_OK);
    assert_int_equal(answer->item_count, 1);
    assert_non_null(strstr(answer->item[0].text, "of the bilge pump is kept"));
    assert_null(strstr(answer->item[0].text, "of the harbour wall is kept"));
    mneme_answer_free(answer);
}

/* ---- store ---- */

static int set_up(void **state)
{
    struct mneme_error err;

    (void)state;
    if (store_folder_make(&folder, "past") != 0)
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
        cmocka_unit_test(a_memory_is_found_by_the_words_it_had_and_not_by_those_it_got),
        cmocka_unit_test(what_was_forgotten_since_was_known_before),
        cmocka_unit_test(what_was_deprecated_since_held_before_and_what_was_revoked_did_not),
        cmocka_unit_test(a_long_memory_is_shown_by_the_passage_that_answers_as_it_was_then),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
