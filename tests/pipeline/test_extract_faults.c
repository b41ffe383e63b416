/*
 * test_extract_faults.c - turns read by a language model, with each allocation failing in turn: the call
 * fails with a status, or the turn waits on as failed, or it was read. Never is it lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "engine/handle.h"
#include "model/chat.h"
#include "pipeline/served.h"

static long fail_at; /* 0: never; n: the n-th allocation from now */
static long seen;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);

static int fails(void)
{
    return fail_at && ++seen == fail_at;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
    return fails() ? NULL : __real_realloc(at, bytes);
}

static struct served *talk; /* of all cases */

static int set_up(void **state)
{
    if (served_set_up(state) != 0)
        return 1;
    talk = *state;
    served_answers(talk, "[{\"turn\":1,\"quote\":\"the tug is blue\",\"kind\":\"semantic\","
                         "\"content\":\"The tug is blue.\",\"entities\":[\"tug\"],"
                         "\"relations\":[{\"source\":\"tug\",\"relation\":\"is\","
                         "\"target\":\"blue\"}]}]");
    return 0;
}

static enum mneme_status observe(long round, char session[32], struct mneme_error *err)
{
    struct mneme_event event = MNEME_EVENT_INIT;

    (void)snprintf(session, 32, "x-%ld", round);
    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = session;
    event.role = "user";
    event.text = "As you see the tug is blue.";
    return mneme_observe(talk->handle, &event, 1, NULL, NULL, err);
}

static int count_waiting(void *context, const struct mneme_extraction *waiting)
{
    (void)waiting;
    ++*(size_t *)context;
    return 0;
}

static size_t waiting(const char *session, enum mneme_status *ret_status, struct mneme_error *err)
{
    size_t count = 0;

    *ret_status = mneme_extractions(talk->handle, "t", "ann", session, count_waiting, &count, err);
    return count;
}

static void a_turn_is_read_or_waits_on(void **state)
{
    struct mneme_read read = MNEME_READ_INIT;
    enum mneme_status status;
    struct mneme_error err;
    char session[32];
    long failures = 0;

    (void)state;
    for (long at = 1, reached = at; reached >= at - 1 && at < 20000; at++) {
        read = (struct mneme_read)MNEME_READ_INIT;
        assert_int_equal(observe(at, session, &err), MNEME_OK);
        seen = 0;
        fail_at = at;
        status = mneme_extract(talk->handle, "t", "ann", session, &read, &err);
        reached = seen;
        fail_at = 0;
        if (status != MNEME_OK) {
            failures++;
            assert_int_equal(err.status, status);
            assert_true(err.message[0]);
            assert_int_equal(read.turns + read.failed, 0); /* untouched */
        } else {
            assert_int_equal(read.turns + read.failed, 1);
        }
        if (read.turns == 0) {
            size_t left = waiting(session, &status, &err);

            if (left != 1 || status != MNEME_OK)
                fail_msg("allocation %ld: %zu wait; %s", at, left, status ? err.message : "");
        }
    }
    assert_true(failures > 0);
    if (read.turns != 1) /* the last time nothing failed */
        fail_msg("%s", read.first_failure.message);
}

static void what_waits_is_listed_or_the_call_fails(void **state)
{
    enum mneme_status status = MNEME_OK;
    struct mneme_error err;
    char session[32];
    long failures = 0;

    (void)state;
    if (observe(0, session, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    for (long at = 1, reached = at; reached >= at - 1 && at < 1000; at++) {
        seen = 0;
        fail_at = at;
        size_t count = waiting(session, &status, &err);
        reached = seen;
        fail_at = 0;
        failures += status != MNEME_OK;
        if (status == MNEME_OK)
            assert_int_equal(count, 1);
    }
    assert_true(failures > 0);
    assert_int_equal(status, MNEME_OK);
}

static int count_summary(void *context, const struct mneme_record *record)
{
    *(size_t *)context += strcmp(record->memory->type, "session_summary") == 0;
    return 0;
}

static size_t summaries(const char *session)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_error err;
    size_t count = 0;

    filter.tenant_id = "t";
    filter.user_id = session; /* each session has a user of its own */
    if (mneme_list_memories(talk->handle, &filter, count_summary, &count, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    return count;
}

static int count_event(void *context, const struct mneme_record *record)
{
    *(size_t *)context += record->kind == MNEME_RECORD_EVENT;
    return 0;
}

static size_t events(const char *user)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_error err;
    size_t count = 0;

    filter.tenant_id = "t";
    filter.user_id = user;
    if (mneme_export(talk->handle, &filter, count_event, &count, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    return count;
}

static void end_a_talk(long round, char user[32])
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;

    (void)snprintf(user, 32, "user-%ld", round);
    event.tenant_id = "t";
    event.user_id = user;
    event.session_id = "s";
    event.role = "user";
    event.text = "As you see the tug is blue.";
    change.without_drafts = 1;
    if (mneme_observe(talk->handle, &event, 1, &change, NULL, &err) != MNEME_OK ||
        mneme_end_session(talk->handle, "t", user, "s", NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
}

static void a_session_is_drawn_from_once_or_waits_on(void **state)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_error err;
    char user[32];
    long failures = 0, waited = 0;

    (void)state;
    served_answers(talk, "[{\"turn\":1,\"quote\":\"the tug is blue\",\"kind\":\"decision\","
                         "\"content\":\"The tug is blue.\"}]");
    what.job = "compress";
    for (long at = 1, reached = at; reached >= at - 1 && at < 20000; at++) {
        enum mneme_status status;
        size_t drawn;

        end_a_talk(at, user);
        talk->handle->world.chat->left_alone_until_us = 0;
        seen = 0;
        fail_at = at;
        status = mneme_maintain(talk->handle, &what, NULL, NULL, NULL, &err);
        reached = seen;
        fail_at = 0;
        if (status != MNEME_OK) {
            failures++;
            assert_true(err.message[0]);
        }
        drawn = summaries(user);
        assert_true(drawn <= 1);
        assert_int_equal(events(user), 1);
        waited += drawn == 0;
        if (drawn == 0) { /* it waits, or the rules found nothing in it */
            assert_int_equal(mneme_maintain(talk->handle, &what, NULL, NULL, NULL, &err), MNEME_OK);
            assert_true(summaries(user) <= 1);
        }
    }
    assert_true(failures > 0);
    assert_true(waited > 0);
    assert_int_equal(summaries(user), 1); /* the last time nothing failed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_read_or_waits_on),
        cmocka_unit_test(what_waits_is_listed_or_the_call_fails),
        cmocka_unit_test(a_session_is_drawn_from_once_or_waits_on),
    };

    return cmocka_run_group_tests(tests, set_up, served_tear_down);
}
