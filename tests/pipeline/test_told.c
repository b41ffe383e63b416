/*
 * test_told.c - a conversation with a store behind it: what observing a turn tells of, and what a recall
 * tells afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1791190800000) /* 2026-10-05, a Monday, 09:00 UTC */
#define DAY INT64_C(86400000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define TOLD_MAX 16

struct told {
    struct {
        char id[MNEME_ID_BYTES_MAX + 1], content[256], supersedes[64];
        int64_t event_time_ms;
        enum mneme_outcome outcome;
    } item[TOLD_MAX];
    size_t count;
};

static void note(void *context, const struct mneme_memory *memory,
                 const struct mneme_receipt *receipt)
{
    struct told *told = context;

    assert_true(told->count < TOLD_MAX);
    strcpy(told->item[told->count].id, receipt->id);
    (void)snprintf(told->item[told->count].content, 256, "%s", memory->content);
    (void)snprintf(told->item[told->count].supersedes, 64, "%s", memory->supersedes);
    told->item[told->count].event_time_ms = memory->event_time_ms;
    told->item[told->count++].outcome = receipt->outcome;
}

static struct told say_at(struct fixture *f, const char *text, int64_t now_ms)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct told told = { .count = 0 };

    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "talk";
    event.role = "user";
    event.text = text;
    event.event_time_ms = now_ms;
    change.now_ms = now_ms;
    change.drawn = note;
    change.drawn_context = &told;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    return told;
}

static struct told say(struct fixture *f, const char *text)
{
    return say_at(f, text, NOW);
}

/* ---- what is told of a turn ---- */

static void a_memory_is_told_once_a_turn_as_it_stands_in_the_store(void **state)
{
    struct fixture *f = *state;
    struct told told = say(f, "Remember that the audit is next Friday. Remember that the audit is next "
                              "Friday. Remember that the tug is called Otto.");

    assert_int_equal(told.count, 2);
    assert_string_equal(told.item[0].content, "The audit is next Friday (2026-10-16).");
    assert_int_equal(told.item[0].outcome, MNEME_INSERTED);
    assert_int_equal(told.item[0].event_time_ms, INT64_C(1792108800000)); /* 2026-10-16 */
    assert_string_equal(told.item[1].content, "The tug is called Otto.");
    assert_int_equal(told.item[1].event_time_ms, 0);
    assert_string_not_equal(told.item[0].id, told.item[1].id);

    told = say(f, "Remember that the tug is called Otto."); /* in another turn it is told again */
    assert_int_equal(told.count, 1);
    assert_int_equal(told.item[0].outcome, MNEME_CONFIRMED);
}

/* The parts of a turn that is cut are one turn. */
static void a_long_turn_tells_of_a_memory_once(void **state)
{
    static char turn[8192];
    struct fixture *f = *state;

    strcpy(turn, "Remember that the tug is called Otto. ");
    for (int i = 0; i < 100; i++)
        strcat(turn, "The weather on the quay was as grey as ever. ");
    strcat(turn, "Remember that the tug is called Otto.");
    assert_int_equal(say(f, turn).count, 1);
}

/* ---- what takes the place of what ---- */

static void a_moved_meeting_ends_the_day_it_had(void **state)
{
    static const char *const talks[][2] = {
        { "Remember that the meeting with Dr. Lee is on Tuesday.",
          "The meeting with Dr. Lee has been moved to Thursday." },
        { "记住会议在周二", "会议改到周四了" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < 2; i++) {
        struct told first = say(f, talks[i][0]), second = say_at(f, talks[i][1], NOW + 3600000);

        assert_int_equal(first.count, 1);
        assert_int_equal(first.item[0].event_time_ms, INT64_C(1791244800000)); /* 2026-10-06 */
        assert_int_equal(second.count, 1);
        assert_int_equal(second.item[0].outcome, MNEME_SUPERSEDES);
        assert_string_equal(second.item[0].supersedes, first.item[0].id);
        assert_int_equal(second.item[0].event_time_ms, INT64_C(1791417600000)); /* 2026-10-08 */
    }
    /* Thursday of another week is another day. */
    struct told again = say_at(f, "会议改到周四了", NOW + 14 * DAY);
    assert_int_equal(again.item[0].outcome, MNEME_SUPERSEDES);
    /* Another room ends no day. */
    again = say_at(f, "会议改到三号会议室", NOW + 14 * DAY);
    assert_int_equal(again.item[0].outcome, MNEME_INSERTED);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_memory_is_told_once_a_turn_as_it_stands_in_the_store),
        CASE(a_long_turn_tells_of_a_memory_once),
        CASE(a_moved_meeting_ends_the_day_it_had),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
