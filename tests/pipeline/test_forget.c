/*
 * test_forget.c - what is forgotten is told by nothing: not by the turn it was drawn from, not by the
 * edges that stand on it; and all of it is there again with the memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- doing ---- */

static struct mneme_change at(int64_t now_ms)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.now_ms = now_ms;
    return change;
}

static void say(struct fixture *f, const char *id, const char *text, int not_recallable)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = at(NOW);

    event.id = id;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "talk";
    event.role = "user";
    event.text = text;
    event.event_time_ms = NOW;
    event.not_recallable = not_recallable;
    change.without_drafts = 1;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
}

/* A memory drawn from the turn (NULL: of none). */
static void keep(struct fixture *f, const char *id, const char *text, const char *turn)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_change change = at(NOW);
    struct mneme_receipt receipt;

    m.id = id;
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.content = text;
    m.provenance = (struct mneme_list){ &turn, turn ? 1 : 0 };
    ASSERT_OK(mneme_remember(f->handle, &m, &change, &receipt, &f->err));
}

static void link(struct fixture *f, const char *source, const char *target, const char *memory)
{
    struct mneme_edge edge = MNEME_EDGE_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_EDGE, .edge = &edge };

    edge.tenant_id = "acme";
    edge.user_id = "ann";
    edge.source = source;
    edge.relation = "owns";
    edge.target = target;
    edge.provenance = (struct mneme_list){ &memory, memory ? 1 : 0 };
    ASSERT_OK(mneme_write(f->handle, &record, 1, NULL, NULL, NULL, &f->err));
}

static void forget(struct fixture *f, const char *id)
{
    struct mneme_change change = at(NOW + DAY);
    struct mneme_receipt receipt;

    ASSERT_OK(mneme_forget(f->handle, "acme", "ann", id, &change, &receipt, &f->err));
}

/* ---- asking ---- */

struct asked {
    bool found;      /* the id was brought */
    bool candidate;  /* a source offered it */
};

static struct asked ask_at(struct fixture *f, const char *text, const char *id, int64_t as_of_ms)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct asked asked = { 0 };
    char quoted[64];

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW + 2 * DAY;
    request.as_of_ms = as_of_ms;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    for (size_t i = 0; i < answer->item_count; i++)
        asked.found = asked.found || !strcmp(answer->item[i].memory->id, id);
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", id);
    asked.candidate = strstr(answer->trace, quoted) != NULL;
    mneme_answer_free(answer);
    return asked;
}

static struct asked ask(struct fixture *f, const char *text, const char *id)
{
    return ask_at(f, text, id, 0);
}

struct listed {
    const char *of; /* an event's id, or an edge's target */
    size_t count;
    int not_recallable;
};

static int note(void *context, const struct mneme_record *record)
{
    struct listed *listed = context;

    if (record->kind == MNEME_RECORD_EVENT && !strcmp(record->event->id, listed->of)) {
        listed->count++;
        listed->not_recallable = record->event->not_recallable;
    }
    listed->count += record->kind == MNEME_RECORD_EDGE && !strcmp(record->edge->target, listed->of);
    return 0;
}

static struct listed export_of(struct fixture *f, const char *of)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct listed listed = { .of = of };

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    filter.with_all_statuses = 1;
    ASSERT_OK(mneme_export(f->handle, &filter, note, &listed, &f->err));
    return listed;
}

/* ---- turns ---- */

#define QUESTION "When does the lighthouse at Skagen close?"

static void a_turn_is_withheld_with_what_was_drawn_from_it_and_back_with_it(void **state)
{
    struct fixture *f = *state;

    say(f, "e-1", "Remember that the lighthouse at Skagen closes at nine.", 0);
    say(f, "e-2", "The lighthouse at Skagen is closed for repairs.", 0);
    keep(f, "m-1", "The lighthouse at Skagen closes at nine.", "e-1");
    assert_true(ask(f, QUESTION, "e-1").found || ask(f, QUESTION, "e-1").candidate);

    forget(f, "m-1");
    assert_false(ask(f, QUESTION, "e-1").candidate);
    assert_false(ask(f, QUESTION, "m-1").candidate);
    assert_true(ask(f, QUESTION, "e-2").candidate); /* nothing was drawn from it */
    assert_int_equal(export_of(f, "e-1").count, 1); /* it is there, as evidence */
    assert_int_equal(export_of(f, "e-1").not_recallable, 2);

    fixture_set_status(f, "m-1", MNEME_ACTIVE, NOW + DAY);
    assert_true(ask(f, QUESTION, "e-1").candidate);
    assert_int_equal(export_of(f, "e-1").not_recallable, 0);
    fixture_set_status(f, "m-1", MNEME_REVOKED, NOW + DAY);
    assert_false(ask(f, QUESTION, "e-1").candidate);
}

static void a_turn_stays_until_the_last_memory_of_it_is_forgotten(void **state)
{
    struct fixture *f = *state;

    say(f, "e-1", "The lighthouse at Skagen closes at nine, and its keeper is Jens.", 0);
    keep(f, "m-1", "The lighthouse at Skagen closes at nine.", "e-1");
    keep(f, "m-2", "The keeper of the lighthouse at Skagen is Jens.", "e-1");
    forget(f, "m-1");
    assert_true(ask(f, QUESTION, "e-1").candidate);
    fixture_set_status(f, "m-2", MNEME_SUPERSEDED, NOW + DAY); /* replaced is not forgotten */
    assert_true(ask(f, QUESTION, "e-1").candidate);
    forget(f, "m-2");
    assert_false(ask(f, QUESTION, "e-1").candidate);
    keep(f, "m-3", "Jens keeps the lighthouse at Skagen.", "e-1"); /* said anew, of this turn */
    assert_true(ask(f, QUESTION, "e-1").candidate);
}

static void a_turn_that_was_evidence_only_stays_that(void **state)
{
    struct fixture *f = *state;

    say(f, "e-1", "The lighthouse at Skagen closes at nine.", 1);
    keep(f, "m-1", "The lighthouse at Skagen closes at nine.", "e-1");
    forget(f, "m-1");
    fixture_set_status(f, "m-1", MNEME_ACTIVE, NOW + DAY);
    assert_int_equal(export_of(f, "e-1").not_recallable, 1);
    assert_false(ask(f, QUESTION, "e-1").candidate);
}

static void the_turn_of_what_has_expired_stays(void **state)
{
    struct fixture *f = *state;
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_change change = at(NOW);
    struct mneme_receipt receipt;
    const char *turn = "e-1";

    say(f, "e-1", "Until tomorrow the lighthouse at Skagen closes at nine.", 0);
    m.id = "m-1";
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.content = "The lighthouse at Skagen closes at nine.";
    m.valid_until_ms = NOW + DAY;
    m.provenance = (struct mneme_list){ &turn, turn ? 1 : 0 };
    ASSERT_OK(mneme_remember(f->handle, &m, &change, &receipt, &f->err));
    what.job = "expire";
    what.now_ms = NOW + 2 * DAY;
    ASSERT_OK(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err));
    assert_false(ask(f, QUESTION, "m-1").candidate);
    assert_true(ask(f, QUESTION, "e-1").candidate);
}

static int count_naming_nine(void *context, const struct mneme_record *record)
{
    size_t *count = context;

    *count += strstr(record->memory->content, "nine") != NULL;
    return 0;
}

static void a_withheld_turn_is_in_no_summary_of_its_session(void **state)
{
    struct fixture *f = *state;
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    size_t telling = 0;

    say(f, "e-1", "We decided that the lighthouse at Skagen closes at nine.", 0);
    say(f, "e-2", "We decided to use NATS for the billing service because Kafka is heavy.", 0);
    say(f, "e-3", "I finished the invoice migration of the billing service.", 0);
    keep(f, "m-1", "The lighthouse at Skagen closes at nine.", "e-1");
    forget(f, "m-1");
    ASSERT_OK(mneme_end_session(f->handle, "acme", "ann", "talk", NULL, &f->err));
    what.job = "compress";
    what.now_ms = NOW + 2 * DAY;
    ASSERT_OK(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err));
    filter.tenant_id = "acme";
    filter.user_id = "ann";
    filter.type = "session_summary";
    ASSERT_OK(mneme_list_memories(f->handle, &filter, count_naming_nine, &telling, &f->err));
    assert_int_equal(telling, 0);
}

static bool pending_is_told(struct fixture *f)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.identity.task_id = "talk";
    request.text = "Continue where we left off";
    request.now_ms = NOW + 2 * DAY;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    bool told = strstr(answer->xml, "rollback script") != NULL;
    mneme_answer_free(answer);
    return told;
}

struct ids {
    char item[8][64];
    size_t count;
};

static int note_id(void *context, const struct mneme_record *record)
{
    struct ids *ids = context;

    assert_true(ids->count < 8);
    (void)snprintf(ids->item[ids->count++], sizeof *ids->item, "%s", record->memory->id);
    return 0;
}

static void what_is_pending_by_the_word_of_a_withheld_turn_is_not_told(void **state)
{
    struct fixture *f = *state;
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct ids summaries = { .count = 0 };

    say(f, "e-1", "The billing service drops invoices when the billing service restarts.", 0);
    say(f, "e-2", "We still need to write the rollback script.", 0);
    say(f, "e-3", "I finished the invoice migration of the billing service.", 0);
    ASSERT_OK(mneme_end_session(f->handle, "acme", "ann", "talk", NULL, &f->err));
    what.job = "compress";
    what.now_ms = NOW + 2 * DAY;
    ASSERT_OK(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err));
    assert_true(pending_is_told(f));
    keep(f, "m-1", "The rollback script is to be written.", "e-2");
    filter.tenant_id = "acme";
    filter.user_id = "ann";
    filter.type = "session_summary";
    ASSERT_OK(mneme_list_memories(f->handle, &filter, note_id, &summaries, &f->err));
    assert_true(summaries.count > 0);
    for (size_t i = 0; i < summaries.count; i++)
        forget(f, summaries.item[i]);
    assert_true(pending_is_told(f)); /* one memory still says where it comes from */
    forget(f, "m-1");
    assert_false(pending_is_told(f));
    fixture_set_status(f, "m-1", MNEME_ACTIVE, NOW + DAY);
    assert_true(pending_is_told(f));
}

/* ---- edges ---- */

static void an_edge_goes_with_the_memories_that_say_so_and_comes_back(void **state)
{
    struct fixture *f = *state;

    keep(f, "m-1", "Tom owns the boat.", NULL);
    keep(f, "m-2", "Its mooring costs forty crowns.", NULL);
    link(f, "Tom", "Heron", "m-1");
    link(f, "Heron", "Berth 7", "m-2");
    assert_true(ask(f, "What about Tom?", "m-2").candidate);
    assert_int_equal(export_of(f, "Heron").count, 1);

    forget(f, "m-1");
    assert_false(ask(f, "What about Tom?", "m-1").candidate); /* not even offered */
    assert_false(ask(f, "What about Tom?", "m-2").candidate);
    assert_true(ask(f, "What about Heron?", "m-2").candidate);
    assert_int_equal(export_of(f, "Heron").count, 0);
    assert_int_equal(export_of(f, "Berth 7").count, 1);

    fixture_set_status(f, "m-1", MNEME_ACTIVE, NOW + DAY);
    assert_true(ask(f, "What about Tom?", "m-2").candidate);
    assert_int_equal(export_of(f, "Heron").count, 1);
}

static void an_edge_of_what_was_replaced_holds_in_the_past_only(void **state)
{
    struct fixture *f = *state;

    keep(f, "m-1", "Tom owns the boat.", NULL);
    keep(f, "m-2", "Its mooring costs forty crowns.", NULL);
    link(f, "Tom", "Heron", "m-1");
    link(f, "Heron", "Berth 7", "m-2");
    fixture_set_status(f, "m-1", MNEME_SUPERSEDED, NOW + DAY);
    assert_false(ask(f, "What about Tom?", "m-2").candidate);
    assert_true(ask_at(f, "What about Tom?", "m-2", NOW + 1).candidate);
    assert_int_equal(export_of(f, "Heron").count, 1); /* it is history, not withdrawn */
}

static void an_edge_with_other_evidence_or_none_stays(void **state)
{
    struct fixture *f = *state;

    keep(f, "m-2", "Its mooring costs forty crowns.", NULL);
    link(f, "Tom", "Heron", NULL);
    link(f, "Heron", "Berth 7", "m-2");
    assert_true(ask(f, "What about Tom?", "m-2").candidate);
    assert_int_equal(export_of(f, "Heron").count, 1);
    link(f, "Tom", "Kite", "https://example.org/ships"); /* a document cannot be forgotten */
    assert_int_equal(export_of(f, "Kite").count, 1);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_turn_is_withheld_with_what_was_drawn_from_it_and_back_with_it),
        CASE(a_turn_stays_until_the_last_memory_of_it_is_forgotten),
        CASE(a_turn_that_was_evidence_only_stays_that),
        CASE(the_turn_of_what_has_expired_stays),
        CASE(a_withheld_turn_is_in_no_summary_of_its_session),
        CASE(what_is_pending_by_the_word_of_a_withheld_turn_is_not_told),
        CASE(an_edge_goes_with_the_memories_that_say_so_and_comes_back),
        CASE(an_edge_of_what_was_replaced_holds_in_the_past_only),
        CASE(an_edge_with_other_evidence_or_none_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
