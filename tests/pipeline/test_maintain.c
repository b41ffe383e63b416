/*
 * test_maintain.c - maintenance through the public calls: what it does, that doing it again changes
 * nothing, that it goes on where it was cut short, and that it brings nothing back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/fixture.h"

#define DAY INT64_C(86400000)
#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- doing ---- */

static struct mneme_memory memory_of(const char *id, const char *content)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.id = id;
    m.type = "fact";
    m.scope_kind = MNEME_SCOPE_USER;
    m.scope_id = "ann";
    m.content = content;
    m.created_at_ms = m.updated_at_ms = NOW;
    return m;
}

static void put(struct fixture *f, const struct mneme_memory *memory, const struct mneme_usage *usage)
{
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = memory, .usage = usage };
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.now_ms = NOW;
    change.admin = 1;
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
}

struct seen {
    struct mneme_job job[16];
    char name[16][32];
    size_t count;
};

static void note(void *context, const struct mneme_job *job)
{
    struct seen *seen = context;

    assert_true(seen->count < 16);
    seen->job[seen->count] = *job;
    (void)snprintf(seen->name[seen->count++], sizeof *seen->name, "%s", job->name);
}

static struct mneme_job run(struct fixture *f, const char *name, int64_t now_ms, size_t pieces,
                            int all)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct seen seen = { 0 };

    what.job = name;
    what.now_ms = now_ms;
    what.pieces_max = pieces;
    what.all = all;
    ASSERT_OK(mneme_maintain(f->handle, &what, note, &seen, NULL, &f->err));
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.name[0], name);
    return seen.job[0];
}

static struct mneme_memory read_back(struct fixture *f, const char *id, struct mneme_parsed **row)
{
    ASSERT_OK(mneme_get(f->handle, "acme", "ann", id, row, &f->err));
    return *mneme_parsed_record(*row)->memory;
}

static bool recalls(struct fixture *f, const char *text, const char *content, int64_t now_ms,
                    int64_t as_of_ms)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    bool found = false;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = now_ms;
    request.as_of_ms = as_of_ms;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    for (size_t i = 0; i < answer->item_count; i++)
        found = found || !strcmp(answer->item[i].memory->content, content);
    mneme_answer_free(answer);
    return found;
}

static void erase(struct fixture *f, const char *id)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = id;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    mneme_free(receipt);
}

/* ---- decay ---- */

static void an_inference_that_nobody_confirms_is_recalled_no_more(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "The ferry terminal keeps its spare tickets in the harbour office.";
    struct mneme_memory m = memory_of("m-1", text);

    m.authority = MNEME_MODEL_INFERENCE;
    m.confidence = 0.8;
    put(f, &m, NULL);
    assert_true(recalls(f, "Where are the spare ferry tickets?", text, NOW + DAY, 0));
    struct mneme_job job = run(f, "decay", NOW + 80 * DAY, 0, 0);
    assert_int_equal(job.state, MNEME_JOB_DONE);
    assert_int_equal(job.looked, 1);
    assert_int_equal(job.changed, 1);
    assert_int_equal(job.due_at_ms, NOW + 81 * DAY);
    assert_false(recalls(f, "Where are the spare ferry tickets?", text, NOW + 80 * DAY, 0));

    /* Again, and again by force: nothing changes. */
    assert_int_equal(run(f, "decay", NOW + 80 * DAY, 0, 0).state, MNEME_JOB_NOT_DUE);
    job = run(f, "decay", NOW + 80 * DAY, 0, 1);
    assert_int_equal(job.looked, 1);
    assert_int_equal(job.changed, 0);

    /* Who confirms it has it back at once. */
    struct mneme_parsed *row = NULL;
    struct mneme_change change = MNEME_CHANGE_INIT;
    m = read_back(f, "m-1", &row);
    m.confirmed_at_ms = change.now_ms = NOW + 80 * DAY;
    ASSERT_OK(mneme_edit(f->handle, &m, &change, NULL, &f->err));
    mneme_parsed_free(row);
    assert_true(recalls(f, "Where are the spare ferry tickets?", text, NOW + 80 * DAY, 0));
}

static void a_walk_goes_on_where_it_was_cut_short(void **state)
{
    struct fixture *f = *state;
    char id[32];

    for (int i = 0; i < 600; i++) {
        struct mneme_memory m;

        (void)snprintf(id, sizeof id, "m-%04d", i);
        m = memory_of(id, id);
        m.authority = MNEME_MODEL_INFERENCE;
        put(f, &m, NULL);
    }
    struct mneme_job job = run(f, "decay", NOW + 50 * DAY, 1, 0);
    assert_int_equal(job.state, MNEME_JOB_LEFT);
    assert_int_equal(job.looked, 250);
    mneme_close(f->handle);
    fixture_open(f);
    job = run(f, "decay", NOW + 50 * DAY, 1, 0);
    assert_int_equal(job.state, MNEME_JOB_LEFT);
    assert_int_equal(job.looked, 250);

    erase(f, "m-0000"); /* its place named somebody: the walk begins anew */
    job = run(f, "decay", NOW + 50 * DAY, 0, 0);
    assert_int_equal(job.state, MNEME_JOB_DONE);
    assert_int_equal(job.looked, 599);
    assert_int_equal(job.changed, 100);
}

struct runner {
    struct mneme *handle;
    long changed;
};

static void add_changed(void *context, const struct mneme_job *job)
{
    ((struct runner *)context)->changed += (long)job->changed;
}

static void *keep_running(void *context)
{
    struct runner *runner = context;
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_error err;

    what.job = "decay";
    what.now_ms = NOW + 50 * DAY;
    what.pieces_max = 1;
    for (int i = 0; i < 12; i++)
        if (mneme_maintain(runner->handle, &what, add_changed, runner, NULL, &err) != MNEME_OK)
            runner->changed = -1000000;
    return NULL;
}

static void two_at_once_do_nothing_twice(void **state)
{
    struct fixture *f = *state;
    const struct mneme_options options = fixture_options(f, f->path);
    struct runner runners[2] = { { f->handle, 0 }, { NULL, 0 } };
    pthread_t thread;
    char id[32];

    for (int i = 0; i < 600; i++) {
        struct mneme_memory m;

        (void)snprintf(id, sizeof id, "m-%04d", i);
        m = memory_of(id, id);
        m.authority = MNEME_MODEL_INFERENCE;
        put(f, &m, NULL);
    }
    ASSERT_OK(mneme_open(&options, &runners[1].handle, &f->err));
    assert_int_equal(pthread_create(&thread, NULL, keep_running, &runners[1]), 0);
    (void)keep_running(&runners[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    mneme_close(runners[1].handle);
    runners[0].changed += run(f, "decay", NOW + 50 * DAY, 0, 0).changed; /* what is left, if any */
    assert_int_equal(runners[0].changed + runners[1].changed, 600);
}

/* ---- review ---- */

static void use_moves_importance_and_no_second_review_does(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = memory_of("m-1", "The lighthouse is painted every spring.");
    struct mneme_usage usage = { .last_accessed_at_ms = NOW, .access_count = 3, .used_count = 3,
                                 .confidence = -1.0 };
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;

    m.importance = 0.5;
    put(f, &m, &usage);
    assert_int_equal(run(f, "review", NOW + DAY, 0, 0).changed, 1);
    m = read_back(f, "m-1", &row);
    assert_true(fabs(m.importance - 0.7) < 1e-9);
    assert_int_equal(m.updated_at_ms, NOW);
    assert_int_equal(m.revision, 2);
    assert_int_equal(run(f, "review", NOW + 2 * DAY, 0, 0).state, MNEME_JOB_NOT_DUE);
    assert_int_equal(run(f, "review", NOW + 8 * DAY, 0, 0).changed, 0);

    m.importance = 0.2; /* what somebody gives anew is what is computed from */
    ASSERT_OK(mneme_edit(f->handle, &m, &change, NULL, &f->err));
    mneme_parsed_free(row);
    assert_int_equal(run(f, "review", NOW + 8 * DAY, 0, 1).changed, 1);
    m = read_back(f, "m-1", &row);
    assert_true(fabs(m.importance - 0.4) < 1e-9);
    mneme_parsed_free(row);
}

/* ---- expiry ---- */

static void what_has_expired_leaves_the_indexes_and_stays_in_the_past(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "The harbour crane is out of order until the inspection.";
    struct mneme_memory m = memory_of("m-1", text);
    struct mneme_parsed *row = NULL;

    m.valid_until_ms = NOW + 2 * DAY;
    put(f, &m, NULL);
    struct mneme_job job = run(f, "expire", NOW + 2 * DAY - 1, 0, 0);
    assert_int_equal(job.changed, 0);
    assert_int_equal(job.ended_at_ms, 0); /* nothing to do is not written down */
    assert_true(recalls(f, "Does the harbour crane work?", text, NOW + 2 * DAY - 1, 0));
    job = run(f, "expire", NOW + 2 * DAY, 0, 0);
    assert_int_equal(job.state, MNEME_JOB_DONE);
    assert_int_equal(job.changed, 1);
    m = read_back(f, "m-1", &row);
    assert_int_equal(m.status, MNEME_DELETED);
    mneme_parsed_free(row);
    assert_int_equal(run(f, "expire", NOW + 2 * DAY, 0, 0).looked, 0);
    assert_false(recalls(f, "Does the harbour crane work?", text, NOW + 3 * DAY, 0));
    assert_true(recalls(f, "Does the harbour crane work?", text, NOW + 3 * DAY, NOW + DAY));
}

/* ---- procedures ---- */

static void put_in_repo(struct fixture *f, const char *id, const char *type, const char *repo,
                        const char *key, const char *value)
{
    static const struct mneme_pair wanted[] = { { "python", "<3.13" } };
    struct mneme_memory m = memory_of(id, id);

    m.type = type;
    m.scope_kind = repo ? MNEME_SCOPE_REPO : MNEME_SCOPE_USER;
    m.scope_id = repo ? repo : "ann";
    m.memory_key = key;
    m.value = value;
    if (!key)
        m.applies_to = (struct mneme_pairs){ wanted, 1 };
    put(f, &m, NULL);
}

static enum mneme_memory_status status_of(struct fixture *f, const char *id)
{
    struct mneme_parsed *row = NULL;
    enum mneme_memory_status status = read_back(f, id, &row).status;

    mneme_parsed_free(row);
    return status;
}

static void what_was_kept_for_a_task_ends_with_it(void **state)
{
    struct fixture *f = *state;
    struct mneme_change change = MNEME_CHANGE_INIT;
    static const char hired[] = "The crane of the quay is hired until the launch.";
    struct mneme_memory m = memory_of("m-1", hired), other = memory_of("m-2", "The other quay is free.");
    struct mneme_memory ruled = memory_of("m-3", "Nobody climbs the crane."), ended = m;
    struct mneme_parsed *row = NULL;
    size_t count = 7;

    m.scope_kind = other.scope_kind = ruled.scope_kind = MNEME_SCOPE_TASK;
    m.scope_id = ruled.scope_id = "t-1";
    other.scope_id = "t-10";
    ruled.authority = MNEME_EXPLICIT_ADMIN;
    put(f, &m, NULL);
    put(f, &other, NULL);
    put(f, &ruled, NULL);
    ended = m;
    ended.id = "m-4";
    ended.content = "The tide table of March.";
    ended.valid_until_ms = NOW + DAY;
    put(f, &ended, NULL);
    change.now_ms = NOW + 2 * DAY;
    ASSERT_OK(mneme_close_task(f->handle, "acme", "bob", "t-1", &change, &count, &f->err));
    assert_int_equal(count, 0);
    ASSERT_OK(mneme_close_task(f->handle, "acme", "ann", "t-1", &change, &count, &f->err));
    assert_int_equal(count, 1); /* not the administrator's, not what had ended */
    assert_int_equal(read_back(f, "m-1", &row).valid_until_ms, NOW + 2 * DAY);
    mneme_parsed_free(row);
    assert_int_equal(read_back(f, "m-2", &row).valid_until_ms, 0);
    mneme_parsed_free(row);
    assert_int_equal(read_back(f, "m-3", &row).valid_until_ms, 0);
    mneme_parsed_free(row);
    assert_int_equal(read_back(f, "m-4", &row).valid_until_ms, NOW + DAY);
    mneme_parsed_free(row);
    ASSERT_OK(mneme_close_task(f->handle, "acme", "ann", "t-1", &change, &count, &f->err));
    assert_int_equal(count, 0);
    change.admin = 1;
    ASSERT_OK(mneme_close_task(f->handle, "acme", "ann", "t-1", &change, &count, &f->err));
    assert_int_equal(count, 1);
}

static void a_procedure_whose_environment_has_changed_is_deprecated(void **state)
{
    struct fixture *f = *state;

    put_in_repo(f, "shop", "successful_procedure", "shop", NULL, NULL);
    put_in_repo(f, "tool", "skill", "tool", NULL, NULL);
    put_in_repo(f, "fact", "fact", "shop", NULL, NULL);
    put_in_repo(f, "anywhere", "skill", NULL, NULL, NULL);
    assert_int_equal(run(f, "deprecate", NOW, 0, 1).changed, 0); /* nobody has said what it is */

    put_in_repo(f, "now-shop", "fact", "shop", "environment.python", "3.13");
    put_in_repo(f, "now-tool", "fact", "tool", "environment.python", "3.12.7");
    put_in_repo(f, "now-mine", "fact", NULL, "environment.python", "3.13");
    assert_int_equal(run(f, "deprecate", NOW, 0, 1).changed, 2);
    assert_int_equal(status_of(f, "shop"), MNEME_DEPRECATED);
    assert_int_equal(status_of(f, "tool"), MNEME_ACTIVE); /* its own repository's word is narrower */
    assert_int_equal(status_of(f, "fact"), MNEME_ACTIVE);
    assert_int_equal(status_of(f, "anywhere"), MNEME_DEPRECATED);
    assert_int_equal(run(f, "deprecate", NOW, 0, 1).changed, 0);
}

/* ---- all of them ---- */

static void input_that_is_wrong_is_named(void **state)
{
    struct fixture *f = *state;
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;

    what.job = "dance";
    assert_int_equal(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "job");
    what.job = "";
    what.time_max_ms = -1;
    assert_int_equal(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "time_max_ms");
    what.time_max_ms = 0;
    what.now_ms = -1;
    assert_int_equal(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err), MNEME_INVALID);
    what.now_ms = 0;
    what.size = 0;
    assert_int_equal(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err), MNEME_INVALID);
    ASSERT_OK(mneme_maintain(f->handle, NULL, NULL, NULL, NULL, &f->err));
}

/* As by a clock that was wrong for a day. */
static void a_run_far_ahead_keeps_no_later_one_from_being_due(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(run(f, "decay", NOW + 3650 * DAY, 0, 0).state, MNEME_JOB_DONE);
    assert_int_equal(run(f, "decay", NOW + 3649 * DAY, 0, 0).state, MNEME_JOB_DONE);
    assert_int_equal(run(f, "decay", NOW, 0, 0).state, MNEME_JOB_DONE);
    assert_int_equal(run(f, "decay", NOW + DAY - 1, 0, 0).state, MNEME_JOB_NOT_DUE);
    assert_int_equal(run(f, "decay", NOW + DAY, 0, 0).state, MNEME_JOB_DONE);
}

static void an_item_tells_the_confidence_in_force_and_as_written(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = memory_of("m-1", "The pier is closed.");
    struct mneme_usage usage = { .tenant_id = "acme", .memory_id = "m-1", .confidence = 0.7 };
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    m.confidence = 0.9;
    put(f, &m, &usage);
    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = "Is the pier closed?";
    request.now_ms = NOW;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_int_equal(answer->item_count, 1);
    assert_true(answer->item[0].confidence == 0.7);
    assert_true(answer->item[0].memory->confidence == 0.9);
    assert_non_null(strstr(answer->xml, "confidence=\"0.7"));
    mneme_answer_free(answer);
}

static void a_recall_as_of_long_ago_keeps_its_trace(void **state)
{
    struct fixture *f = *state;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    char *json = NULL;
    size_t left = 1;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = "Is the pier closed?";
    request.now_ms = 1;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    while (left)
        ASSERT_OK(mneme_run_due(f->handle, 100, &left, &f->err));
    ASSERT_OK(mneme_trace_get(f->handle, "acme", "ann", answer->trace_id, &json, &f->err));
    mneme_free(json);
    mneme_answer_free(answer);
}

static void what_is_due_is_done_in_passing_too(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = memory_of("m-1", "The pier is closed.");
    struct mneme_parsed *row = NULL;
    size_t left = 1;

    m.valid_from_ms = m.created_at_ms = m.updated_at_ms = 1;
    m.valid_until_ms = 2;
    put(f, &m, NULL);
    ASSERT_OK(mneme_run_due(f->handle, 0, &left, &f->err));
    m = read_back(f, "m-1", &row);
    assert_int_equal(m.status, MNEME_ACTIVE);
    mneme_parsed_free(row);
    ASSERT_OK(mneme_run_due(f->handle, 100, &left, &f->err));
    assert_int_equal(left, 0);
    m = read_back(f, "m-1", &row);
    assert_int_equal(m.status, MNEME_DELETED);
    mneme_parsed_free(row);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_run_far_ahead_keeps_no_later_one_from_being_due),
        CASE(an_item_tells_the_confidence_in_force_and_as_written),
        CASE(a_recall_as_of_long_ago_keeps_its_trace),
        CASE(an_inference_that_nobody_confirms_is_recalled_no_more),
        CASE(a_walk_goes_on_where_it_was_cut_short),
        CASE(two_at_once_do_nothing_twice),
        CASE(use_moves_importance_and_no_second_review_does),
        CASE(what_has_expired_leaves_the_indexes_and_stays_in_the_past),
        CASE(what_was_kept_for_a_task_ends_with_it),
        CASE(a_procedure_whose_environment_has_changed_is_deprecated),
        CASE(input_that_is_wrong_is_named),
        CASE(what_is_due_is_done_in_passing_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
