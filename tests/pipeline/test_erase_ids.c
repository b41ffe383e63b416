/*
 * test_erase_ids.c - an erased id is looked for as a whole: neither part of another id is taken for it,
 * nor is it missed where JSON writes it otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

static void put(struct fixture *f, const char *user, const char *agent, const char *id,
                const char *content)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    m.tenant_id = "acme";
    m.user_id = user;
    m.agent_id = agent;
    m.id = id;
    m.content = content;
    change.actor = "the-harbour-note-clerk";
    if (mneme_remember(f->handle, &m, &change, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* A recall whose trace is in the store afterwards. */
static void ask(struct fixture *f, const char *user, const char *agent)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.identity.agent_id = agent;
    request.text = "When does the harbour office close, and when does the ferry leave?";
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    mneme_answer_free(answer);
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
}

static char *erase(struct fixture *f, const char *user, const char *id)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = user;
    what.id = id;
    if (mneme_erase(f->handle, &what, &receipt, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    return receipt;
}

/* Whether it is clean; the report holds what it must say. */
static void check(struct fixture *f, const char *receipt, int clean, const char *said)
{
    char *report = NULL;
    int found_clean = -1;

    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &found_clean, &report, &f->err));
    if (found_clean != clean || !strstr(report, said))
        fail_msg("%s", report);
    mneme_free(report);
}

static void part_of_another_id_is_not_the_erased_one(void **state)
{
    struct fixture *f = *state;
    char *receipt;

    put(f, "ann", NULL, "harbour-note", "The harbour office closes at six.");
    put(f, "ann", NULL, "harbour-note-2", "The ferry leaves when the harbour gate is open.");
    put(f, "harbour-note-crew", "harbour-note-bot", "ferry", "The ferry leaves at nine.");
    ask(f, "ann", NULL);
    receipt = erase(f, "ann", "harbour-note");
    assert_non_null(strstr(receipt, "\"traces\":1"));
    check(f, receipt, 1, "\"ids_in_traces\":0,\"ids_in_bytes\":0");
    ask(f, "ann", NULL);
    ask(f, "harbour-note-crew", "harbour-note-bot");
    check(f, receipt, 1, "\"ids_in_traces\":0,\"ids_in_bytes\":0");
    fixture_sql(f, "UPDATE traces SET json = replace(json, '\"harbour-note-2\"', '\"harbour-note\"')"
                   " WHERE user = 'ann'");
    check(f, receipt, 0, "\"ids_in_traces\":1");
    mneme_free(receipt);
}

static void names_alone_may_hold_it(void **state)
{
    struct fixture *f = *state;
    char *receipt;

    put(f, "ann", NULL, "harbour-note", "The harbour office closes at six.");
    put(f, "harbour-note-crew", "harbour-note-bot", "ferry", "The ferry leaves at nine.");
    receipt = erase(f, "ann", "harbour-note");
    assert_non_null(strstr(receipt, "\"file_written_anew\":false"));
    check(f, receipt, 1, "\"ids_in_traces\":0,\"ids_in_bytes\":0");
    mneme_free(receipt);
}

static void an_id_that_json_escapes_leaves_the_traces_too(void **state)
{
    static const char id[] = "the \"old\" harbour\\note";
    struct fixture *f = *state;
    char *receipt;

    put(f, "ann", NULL, id, "The harbour office closes at six.");
    ask(f, "ann", NULL);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM traces"), 1);
    receipt = erase(f, "ann", id);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM traces"), 0);
    check(f, receipt, 1, "\"ids_in_traces\":0");
    put(f, "ann", NULL, "another", "The harbour office closes at six.");
    ask(f, "ann", NULL);
    fixture_sql(f, "UPDATE traces SET json = "
                   "replace(json, '\"another\"', '\"the \\\"old\\\" harbour\\\\note\"')");
    check(f, receipt, 0, "\"ids_in_traces\":1");
    mneme_free(receipt);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(part_of_another_id_is_not_the_erased_one),
        CASE(names_alone_may_hold_it),
        CASE(an_id_that_json_escapes_leaves_the_traces_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
