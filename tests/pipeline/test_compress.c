/*
 * test_compress.c - sessions that have ended, through the public calls: what is drawn from them, once,
 * where their turns go, and that nothing that was erased comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/handle.h"
#include "lifecycle/archive.h"
#include "lifecycle/compress.h"
#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define MINUTE INT64_C(60000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- doing ---- */

static void say_in(struct fixture *f, const char *session, const char *task, const char *id,
                   const char *text)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    event.id = id;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = session;
    event.role = "user";
    event.text = text;
    event.event_time_ms = change.now_ms = NOW;
    change.without_drafts = 1;
    change.task_id = task;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
}

static void say(struct fixture *f, const char *session, const char *id, const char *text)
{
    say_in(f, session, NULL, id, text);
}

static void say_all(struct fixture *f, const char *session)
{
    say(f, session, "e-1", "The billing service drops invoices when the billing service restarts.");
    say(f, session, "e-2", "We decided to use NATS for the billing service because Kafka is heavy.");
    say(f, session, "e-3", "We still need to write the rollback script.");
    say(f, session, "e-4", "I finished the invoice migration.");
}

static void note(void *context, const struct mneme_job *job)
{
    struct mneme_job *into = context;

    *into = *job;
}

static struct mneme_job run(struct fixture *f, const char *name, int64_t now_ms)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_job job = { 0 };

    what.job = name;
    what.now_ms = now_ms;
    ASSERT_OK(mneme_maintain(f->handle, &what, note, &job, NULL, &f->err));
    return job;
}

struct counts {
    size_t summaries, events, states;
    char state[256], task[64];
};

static int count(void *context, const struct mneme_record *record)
{
    struct counts *counts = context;

    counts->summaries += record->kind == MNEME_RECORD_MEMORY &&
                         !strcmp(record->memory->type, "session_summary");
    counts->events += record->kind == MNEME_RECORD_EVENT;
    if (record->kind == MNEME_RECORD_TASK_STATE) {
        counts->states++;
        strncpy(counts->state, record->task_state->state, sizeof counts->state - 1);
        strncpy(counts->task, record->task_state->task_id, sizeof counts->task - 1);
    }
    return 0;
}

static struct counts count_all(struct fixture *f)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct counts counts = { 0 };

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    ASSERT_OK(mneme_export(f->handle, &filter, count, &counts, &f->err));
    return counts;
}

static void erase(struct fixture *f, enum mneme_erase_scope scope, const char *id)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = scope;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = id;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    mneme_free(receipt);
}

/* ---- when ---- */

static void a_session_is_drawn_from_once_when_it_has_ended(void **state)
{
    struct fixture *f = *state;

    say_all(f, "s-1");
    assert_int_equal(run(f, "compress", NOW + 30 * MINUTE - 1).looked, 0);
    struct mneme_job job = run(f, "compress", NOW + 30 * MINUTE);
    assert_int_equal(job.state, MNEME_JOB_DONE);
    assert_int_equal(job.looked, 4);
    assert_int_equal(job.changed, 1);
    struct counts counts = count_all(f);
    assert_int_equal(counts.summaries, 3);
    assert_int_equal(counts.events, 4); /* without an archive they stay */
    assert_int_equal(counts.states, 1);
    assert_string_equal(counts.state,
                        "{\"pending_action\":\"We still need to write the rollback script\","
                        "\"pending_from\":[\"e-3\"]}");
    assert_int_equal(run(f, "compress", NOW + 60 * MINUTE).changed, 0);
    assert_int_equal(count_all(f).summaries, 3);

    /* It goes on: what is new is drawn from, and nothing else. */
    say(f, "s-1", "e-5", "The root cause was an expired certificate on the gateway.");
    job = run(f, "compress", NOW + 60 * MINUTE);
    assert_int_equal(job.looked, 1);
    assert_int_equal(count_all(f).summaries, 4);
}

static int note_summary(void *context, const struct mneme_record *record)
{
    char *all = context;

    if (record->kind == MNEME_RECORD_MEMORY && !strcmp(record->memory->type, "session_summary"))
        (void)strncat(all, record->memory->content, 1000);
    return 0;
}

static void what_was_drawn_when_it_was_said_is_not_told_again(void **state)
{
    static const char *const texts[] = { "We decided to use NATS for the billing service.",
                                         "From now on answer in short sentences.",
                                         "The audit of the billing service is done tomorrow.",
                                         "I added the partial index to the billing service." };
    struct fixture *f = *state;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    char all[8192] = "";

    change.now_ms = NOW;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mneme_event event = MNEME_EVENT_INIT;

        event.tenant_id = "acme";
        event.user_id = "ann";
        event.session_id = "s-1";
        event.role = "user";
        event.text = texts[i];
        event.event_time_ms = NOW;
        ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    }
    assert_int_equal(run(f, "compress", NOW + 30 * MINUTE).changed, 1);
    filter.tenant_id = "acme";
    filter.user_id = "ann";
    ASSERT_OK(mneme_export(f->handle, &filter, note_summary, all, &f->err));
    assert_null(strstr(all, "NATS"));
    assert_null(strstr(all, "short sentences"));
    assert_non_null(strstr(all, "I added the partial index to the billing service"));
}

static void who_ends_a_session_need_not_wait(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;
    struct mneme_receipt receipt;

    say_all(f, "s-1");
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.scope_kind = MNEME_SCOPE_SESSION;
    m.scope_id = "s-1";
    m.content = "In this session answers are in French.";
    change.now_ms = NOW;
    ASSERT_OK(mneme_remember(f->handle, &m, &change, &receipt, &f->err));
    assert_int_equal(mneme_end_session(f->handle, "acme", "ann", "none", &change, &f->err),
                     MNEME_NOT_FOUND);
    assert_int_equal(mneme_end_session(f->handle, "", "ann", "s-1", &change, &f->err),
                     MNEME_INVALID);
    ASSERT_OK(mneme_end_session(f->handle, "acme", "ann", "s-1", &change, &f->err));
    assert_int_equal(run(f, "compress", NOW + 1).changed, 1);
    assert_int_equal(run(f, "expire", NOW + 1).changed, 1); /* what died with the session */
    ASSERT_OK(mneme_get(f->handle, "acme", "ann", receipt.id, &row, &f->err));
    assert_int_equal(mneme_parsed_record(row)->memory->status, MNEME_DELETED);
    mneme_parsed_free(row);
}

static void a_session_without_an_end_is_drawn_from_as_it_goes(void **state)
{
    struct fixture *f = *state;
    struct mneme_event *events = calloc(1001, sizeof *events);
    struct mneme_change change = MNEME_CHANGE_INIT;

    assert_non_null(events);
    for (size_t i = 0; i < 1001; i++) {
        struct mneme_event event = MNEME_EVENT_INIT;

        event.tenant_id = "acme";
        event.user_id = "ann";
        event.session_id = "s-1";
        event.role = "user";
        event.text = i == 500 ? "We decided to use NATS for billing." : "ok";
        events[i] = event;
    }
    change.now_ms = NOW;
    change.without_drafts = 1;
    ASSERT_OK(mneme_observe(f->handle, events, 1000, &change, NULL, &f->err));
    assert_int_equal(run(f, "compress", NOW + 1).looked, 0);
    ASSERT_OK(mneme_observe(f->handle, events + 1000, 1, &change, NULL, &f->err));
    struct mneme_job job = run(f, "compress", NOW + 1);
    assert_int_equal(job.looked, 999); /* nobody knows whether the last place is whole */
    assert_int_equal(job.state, MNEME_JOB_DONE);
    assert_int_equal(count_all(f).summaries, 1);
    free(events);
}

/* ---- the checkpoint ---- */

static void a_checkpoint_keeps_what_the_agent_says_itself(void **state)
{
    struct fixture *f = *state;
    struct mneme_task_state task = MNEME_TASK_STATE_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_TASK_STATE, .task_state = &task };

    task.tenant_id = "acme";
    task.user_id = "ann";
    task.session_id = "s-1";
    task.task_id = "t-1";
    task.state = "{\"selected_files\":[\"a.c\"]}";
    ASSERT_OK(mneme_write(f->handle, &record, 1, NULL, NULL, NULL, &f->err));
    say_all(f, "s-1");
    (void)run(f, "compress", NOW + 30 * MINUTE);
    struct counts counts = count_all(f);
    assert_int_equal(counts.states, 1);
    assert_string_equal(counts.state,
                        "{\"selected_files\":[\"a.c\"],"
                        "\"pending_action\":\"We still need to write the rollback script\","
                        "\"pending_from\":[\"e-3\"]}");

    task.state = "{\"pending_action\":\"ask Bob\"}";
    ASSERT_OK(mneme_write(f->handle, &record, 1, NULL, NULL, NULL, &f->err));
    say(f, "s-1", "e-6", "We still need to paint the fence.");
    (void)run(f, "compress", NOW + 90 * MINUTE);
    assert_string_equal(count_all(f).state, "{\"pending_action\":\"ask Bob\"}");
}

static void what_is_pending_goes_to_the_task_it_was_said_in(void **state)
{
    struct fixture *f = *state;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    say_all(f, "s-1");
    (void)run(f, "compress", NOW + 30 * MINUTE);
    assert_string_equal(count_all(f).task, "s-1"); /* nobody said which */
    erase(f, MNEME_ERASE_SESSION, "s-1");
    say_in(f, "s-2", "t-0", "f-1", "The billing service drops invoices when the billing service restarts.");
    say_in(f, "s-2", "t-1", "f-2", "I finished the invoice migration.");
    say_in(f, "s-2", NULL, "f-3", "We still need to write the rollback script.");
    (void)run(f, "compress", NOW + 30 * MINUTE);
    assert_int_equal(count_all(f).states, 1);
    assert_string_equal(count_all(f).task, "t-1");
    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.identity.task_id = "t-1";
    request.text = "Continue where we left off";
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_non_null(strstr(answer->xml, "We still need to write the rollback script"));
    assert_null(strstr(answer->xml, "pending_from"));
    mneme_answer_free(answer);
}

/* ---- erasing ---- */

static void with_a_turn_goes_what_is_pending_by_its_word(void **state)
{
    struct fixture *f = *state;
    struct mneme_task_state task = MNEME_TASK_STATE_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_TASK_STATE, .task_state = &task };

    say_all(f, "s-1");
    (void)run(f, "compress", NOW + 30 * MINUTE);
    erase(f, MNEME_ERASE_MEMORY, "e-2"); /* another turn's word */
    assert_non_null(strstr(count_all(f).state, "rollback script"));
    erase(f, MNEME_ERASE_MEMORY, "e-3");
    assert_int_equal(count_all(f).states, 0); /* it said nothing else */

    task.tenant_id = "acme";
    task.user_id = "ann";
    task.session_id = task.task_id = "s-2";
    task.state = "{\"selected_files\":[\"a.c\"]}";
    ASSERT_OK(mneme_write(f->handle, &record, 1, NULL, NULL, NULL, &f->err));
    say(f, "s-2", "f-1", "The crane hoists drop crates when the crane hoists restart.");
    say(f, "s-2", "f-2", "We still need to paint the fence.");
    say(f, "s-2", "f-3", "I finished the crane inspection.");
    (void)run(f, "compress", NOW + 90 * MINUTE);
    assert_non_null(strstr(count_all(f).state, "paint the fence"));
    erase(f, MNEME_ERASE_MEMORY, "f-2");
    assert_string_equal(count_all(f).state, "{\"selected_files\":[\"a.c\"]}");
}

static void with_a_turn_goes_what_was_drawn_from_it(void **state)
{
    struct fixture *f = *state;

    say_all(f, "s-1");
    (void)run(f, "compress", NOW + 30 * MINUTE);
    erase(f, MNEME_ERASE_MEMORY, "e-4"); /* one of two that the actions stand on */
    assert_int_equal(count_all(f).summaries, 2);
    erase(f, MNEME_ERASE_SESSION, "s-1");
    struct counts counts = count_all(f);
    assert_int_equal(counts.summaries, 0);
    assert_int_equal(counts.events, 0);
    assert_int_equal(counts.states, 0);
}

/* Erases the session between the job's reading and its writing. */
struct lender {
    struct fixture *f;
    int calls;
    enum mneme_status status;
    const char *content;
    const char *source;
};

static enum mneme_status draw(void *context, struct mn_world *world,
                              const struct mn_session *session, const struct mn_events *turns,
                              struct mn_arena *arena, struct mn_summary *ret_summary,
                              struct mneme_error *err)
{
    struct lender *lender = context;
    struct mneme_memory *draft = mn_arena_one(arena, struct mneme_memory);
    const char **source = mn_arena_array(arena, const char *, 2);

    (void)world;
    (void)session;
    lender->calls++;
    if (lender->status != MNEME_OK)
        return mn_fail(err, lender->status, "no answer");
    if (!lender->content)
        erase(lender->f, MNEME_ERASE_SESSION, "s-1");
    *draft = (struct mneme_memory)MNEME_MEMORY_INIT;
    draft->content = lender->content ? lender->content : turns->item[0].text;
    draft->user_id = "bob";
    draft->authority = MNEME_EXPLICIT_ADMIN;
    source[0] = lender->source ? lender->source : turns->item[0].id;
    draft->provenance = (struct mneme_list){ source, 1 };
    *ret_summary = (struct mn_summary){ .drafts = { draft, 1 }, .pending = "", .by = "a lender" };
    return MNEME_OK;
}

static void what_is_erased_while_a_job_runs_does_not_come_back(void **state)
{
    struct fixture *f = *state;
    struct lender lender = { .f = f };
    const struct mn_summarise lent = { .draw = draw, .context = &lender };

    say_all(f, "s-1");
    f->handle->world.summarise = &lent;
    struct mneme_job job = run(f, "compress", NOW + 30 * MINUTE);
    assert_int_equal(lender.calls, 1);
    assert_int_equal(job.changed, 0);
    assert_int_equal(job.state, MNEME_JOB_LEFT);
    assert_int_equal(count_all(f).summaries, 0);
    assert_int_equal(run(f, "compress", NOW + 30 * MINUTE).state, MNEME_JOB_DONE);
    assert_int_equal(count_all(f).summaries, 0);
}

/* ---- another way of drawing ---- */

static void what_is_lent_may_say_only_what_the_turns_hold(void **state)
{
    struct fixture *f = *state;
    struct lender lender = { .f = f, .content = "Billing moves to NATS." };
    const struct mn_summarise lent = { .draw = draw, .context = &lender };

    f->handle->world.summarise = &lent;
    say_all(f, "s-1");
    (void)run(f, "compress", NOW + 30 * MINUTE);
    assert_int_equal(count_all(f).summaries, 1); /* Ann's, whatever owner it gave */

    lender.source = "e-of-somebody-else";
    say(f, "s-2", "f-1", "We decided to paint the fence.");
    (void)run(f, "compress", NOW + 60 * MINUTE);
    assert_int_equal(count_all(f).summaries, 1);

    lender.status = MNEME_CORRUPT; /* then rules do it */
    say(f, "s-3", "g-1", "We decided to paint the barn.");
    (void)run(f, "compress", NOW + 60 * MINUTE);
    assert_int_equal(count_all(f).summaries, 2);
}

static void a_session_waits_an_hour_for_who_does_not_answer(void **state)
{
    struct fixture *f = *state;
    struct lender lender = { .f = f, .status = MNEME_UNAVAILABLE };
    const struct mn_summarise lent = { .draw = draw, .context = &lender };
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    int left = 1;

    f->handle->world.summarise = &lent;
    say_all(f, "s-1");
    struct mneme_job job = run(f, "compress", NOW + 90 * MINUTE - 1);
    assert_int_equal(job.state, MNEME_JOB_LEFT);
    assert_int_equal(job.changed, 0);
    assert_int_equal(count_all(f).summaries, 0);
    what.now_ms = NOW + 90 * MINUTE - 1; /* nobody is told to call again at once */
    ASSERT_OK(mneme_maintain(f->handle, &what, NULL, NULL, &left, &f->err));
    assert_int_equal(left, 0);
    assert_int_equal(lender.calls, 2);

    assert_int_equal(run(f, "compress", NOW + 90 * MINUTE).state, MNEME_JOB_DONE);
    assert_int_equal(count_all(f).summaries, 3);
    lender.status = MNEME_OK;
    lender.content = "Billing moves to NATS.";
    assert_int_equal(run(f, "compress", NOW + 120 * MINUTE).looked, 0); /* once */
}

/* ---- the archive ---- */

struct fake_archive {
    struct mn_archive base;
    enum mneme_status status;
    size_t left;
    int calls;
    int64_t last_place;
};

static enum mneme_status take(struct mn_archive *archive, struct mn_world *world,
                              const struct mn_archive_span *span, size_t events_max,
                              int64_t now_ms, size_t *ret_taken, struct mneme_error *err)
{
    struct fake_archive *self = (struct fake_archive *)archive;

    (void)world;
    (void)now_ms;
    assert_string_equal(span->session_id, "s-1");
    self->calls++;
    self->last_place = span->last_place;
    if (self->status != MNEME_OK)
        return mn_fail(err, self->status, "the archive is away");
    *ret_taken = self->left < events_max ? self->left : events_max;
    self->left -= *ret_taken;
    return MNEME_OK;
}

static void compressed_turns_are_handed_over_until_none_is_left(void **state)
{
    static const struct mn_archive_ops ops = { .take = take };
    struct fixture *f = *state;
    struct fake_archive archive = { .base = { &ops }, .status = MNEME_UNAVAILABLE, .left = 700 };
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;

    struct mn_archive *own = f->handle->world.archive;

    f->handle->world.archive = &archive.base;
    say_all(f, "s-1");
    assert_int_equal(run(f, "archive", NOW + 30 * MINUTE).looked, 0);
    (void)run(f, "compress", NOW + 30 * MINUTE);
    what.job = "archive";
    assert_int_equal(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err),
                     MNEME_UNAVAILABLE);
    archive.status = MNEME_OK;
    struct mneme_job job = run(f, "archive", NOW + 30 * MINUTE);
    assert_int_equal(job.looked, 700);
    assert_int_equal(job.state, MNEME_JOB_DONE);
    assert_int_equal(archive.last_place, 3);
    assert_int_equal(archive.calls, 1 + 3);
    assert_int_equal(run(f, "archive", NOW + 30 * MINUTE).looked, 0);
    assert_int_equal(archive.calls, 1 + 3);
    f->handle->world.archive = own;
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_session_is_drawn_from_once_when_it_has_ended),
        CASE(what_was_drawn_when_it_was_said_is_not_told_again),
        CASE(who_ends_a_session_need_not_wait),
        CASE(a_session_without_an_end_is_drawn_from_as_it_goes),
        CASE(a_checkpoint_keeps_what_the_agent_says_itself),
        CASE(what_is_pending_goes_to_the_task_it_was_said_in),
        CASE(with_a_turn_goes_what_is_pending_by_its_word),
        CASE(with_a_turn_goes_what_was_drawn_from_it),
        CASE(what_is_erased_while_a_job_runs_does_not_come_back),
        CASE(what_is_lent_may_say_only_what_the_turns_hold),
        CASE(a_session_waits_an_hour_for_who_does_not_answer),
        CASE(compressed_turns_are_handed_over_until_none_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
