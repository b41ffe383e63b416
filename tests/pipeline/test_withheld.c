/*
 * test_withheld.c - a turn that is withheld stays so, and comes back with its memory, wherever it was
 * meanwhile: in the archive, or in an export.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"
#include "pipeline/turns.h"

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

#define ASSERT_OK_IN(f, call)                                                                      \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", (f)->err.message);                                                      \
    } while (0)

/* ---- what was drawn from a turn that is away ---- */

static void draw(struct fixture *f, const char *user, const char *id, const char *turn)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.id = id;
    m.tenant_id = "acme";
    m.user_id = user;
    m.content = "Otto is a crane at the northern quay.";
    m.provenance = (struct mneme_list){ &turn, 1 };
    ASSERT_OK(mneme_remember(f->handle, &m, &change, NULL, &f->err));
}

static void forget(struct fixture *f, const char *id)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    ASSERT_OK(mneme_forget(f->handle, "acme", "ann", id, &change, NULL, &f->err));
}

static void bring_back(struct fixture *f, const char *session)
{
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", session, NULL, &f->err));
}

static void what_was_forgotten_stays_withheld_through_the_archive(void **state)
{
    struct fixture *f = *state;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    draw(f, "ann", "mem-1", "evt-1");
    forget(f, "mem-1");
    turns_archive(f, "ann", "s1");
    bring_back(f, "s1");
    assert_false(turns_recalled(f, "ann", "Where does the crane Otto stand?", "Otto"));
    assert_non_null(strstr(turns_in_store(f, "ann").text, "\"withheld\":true"));
    fixture_set_status(f, "mem-1", MNEME_ACTIVE, 0);
    assert_null(strstr(turns_in_store(f, "ann").text, "not_recallable"));
}

static void what_is_forgotten_meanwhile_withholds_a_turn_that_is_away(void **state)
{
    struct fixture *f = *state;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    turns_say(f, "bob", "s1", "evt-2", "The crane Otto stands at the northern quay.");
    draw(f, "ann", "mem-1", "evt-1");
    draw(f, "ann", "mem-2", "evt-2"); /* of another's turn: says nothing of it */
    turns_archive(f, "ann", "s1");
    turns_archive(f, "bob", "s1");
    forget(f, "mem-1");
    forget(f, "mem-2");
    bring_back(f, "s1");
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "bob", "s1", NULL, &f->err));
    assert_false(turns_recalled(f, "ann", "Where does the crane Otto stand?", "Otto"));
    assert_true(turns_recalled(f, "bob", "Where does the crane Otto stand?", "Otto"));

    /* And the other way round: withheld when it left, not any more when it is back. */
    turns_archive(f, "ann", "s1");
    fixture_set_status(f, "mem-1", MNEME_ACTIVE, 0);
    bring_back(f, "s1");
    assert_null(strstr(turns_in_store(f, "ann").text, "not_recallable"));
}

static void a_turn_kept_as_evidence_comes_back_as_that(void **state)
{
    struct fixture *f = *state;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;

    event.id = "evt-1";
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "s1";
    event.text = "The crane Otto stands at the northern quay.";
    event.not_recallable = 1;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    draw(f, "ann", "mem-1", "evt-1");
    turns_archive(f, "ann", "s1");
    forget(f, "mem-1");
    bring_back(f, "s1");
    fixture_set_status(f, "mem-1", MNEME_ACTIVE, 0);
    assert_non_null(strstr(turns_in_store(f, "ann").text, "\"not_recallable\":true"));
    assert_null(strstr(turns_in_store(f, "ann").text, "withheld"));
}

struct found {
    const char *word;
    bool is;
};

static int find_edge(void *context, const struct mneme_record *record)
{
    struct found *found = context;

    found->is = found->is || (record->kind == MNEME_RECORD_EDGE &&
                              !strcmp(record->edge->target, found->word));
    return 0;
}

static bool has_edge(struct fixture *f, const char *target)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct found found = { target, false };

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    ASSERT_OK(mneme_export(f->handle, &filter, find_edge, &found, &f->err));
    return found.is;
}

static bool resumes(struct fixture *f, const char *word)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.identity.task_id = "t-1";
    request.text = "Continue where we left off";
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    bool found = strstr(answer->xml, word) != NULL;
    mneme_answer_free(answer);
    return found;
}

/* A checkpoint and an edge. */
static void write_what_stands_on(struct fixture *f, const char *turn)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_task_state task = MNEME_TASK_STATE_INIT;
    struct mneme_edge edge = MNEME_EDGE_INIT;
    const struct mneme_record records[] = {
        { .kind = MNEME_RECORD_TASK_STATE, .task_state = &task },
        { .kind = MNEME_RECORD_EDGE, .edge = &edge },
    };

    task.tenant_id = edge.tenant_id = "acme";
    task.user_id = edge.user_id = "ann";
    task.session_id = "s1";
    task.task_id = "t-1";
    task.state = "{\"pending_action\":\"Paint the crane Otto\",\"pending_from\":[\"evt-1\"]}";
    edge.source = "Otto";
    edge.relation = "stands_at";
    edge.target = "northern quay";
    edge.provenance = (struct mneme_list){ &turn, 1 };
    ASSERT_OK(mneme_write(f->handle, records, 2, &change, NULL, NULL, &f->err));
}

static void what_stands_on_a_turn_that_is_away_is_withheld_with_it(void **state)
{
    struct fixture *f = *state;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    draw(f, "ann", "mem-1", "evt-1");
    write_what_stands_on(f, "evt-1");
    turns_archive(f, "ann", "s1");
    assert_true(resumes(f, "Paint the crane"));
    assert_true(has_edge(f, "northern quay"));
    forget(f, "mem-1");
    assert_false(resumes(f, "Paint the crane"));
    assert_false(has_edge(f, "northern quay"));
    fixture_set_status(f, "mem-1", MNEME_ACTIVE, 0);
    assert_true(resumes(f, "Paint the crane"));
    assert_true(has_edge(f, "northern quay"));
}

static int write_again(void *context, const struct mneme_record *record)
{
    struct fixture *other = context;
    struct mneme_change change = MNEME_CHANGE_INIT;
    char *json = NULL;
    struct mneme_parsed *line = NULL;

    change.admin = 1;
    ASSERT_OK_IN(other, mneme_record_print(record, &json, &other->err));
    ASSERT_OK_IN(other, mneme_record_parse(json, strlen(json), NULL, &line, &other->err));
    ASSERT_OK_IN(other, mneme_write(other->handle, mneme_parsed_record(line), 1, &change, NULL, NULL,
                                    &other->err));
    mneme_parsed_free(line);
    mneme_free(json);
    return 0;
}

static void what_was_forgotten_stays_withheld_through_export_and_import(void **state)
{
    struct fixture *f = *state;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_options options = fixture_options(f, f->again);
    struct fixture other = *f;

    turns_say(f, "ann", "s1", "evt-1", "The crane Otto stands at the northern quay.");
    draw(f, "ann", "mem-1", "evt-1");
    forget(f, "mem-1");
    options.create = 1;
    ASSERT_OK(mneme_open(&options, &other.handle, &f->err));
    filter.tenant_id = "acme";
    filter.user_id = "ann";
    filter.with_all_statuses = 1;
    ASSERT_OK(mneme_export(f->handle, &filter, write_again, &other, &f->err));
    assert_false(turns_recalled(&other, "ann", "Where does the crane Otto stand?", "Otto"));
    assert_string_equal(turns_in_store(&other, "ann").text, turns_in_store(f, "ann").text);
    fixture_set_status(&other, "mem-1", MNEME_ACTIVE, 0);
    assert_null(strstr(turns_in_store(&other, "ann").text, "not_recallable"));
    mneme_close(other.handle);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_was_forgotten_stays_withheld_through_the_archive),
        TEST(what_is_forgotten_meanwhile_withholds_a_turn_that_is_away),
        TEST(what_stands_on_a_turn_that_is_away_is_withheld_with_it),
        TEST(a_turn_kept_as_evidence_comes_back_as_that),
        TEST(what_was_forgotten_stays_withheld_through_export_and_import),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
