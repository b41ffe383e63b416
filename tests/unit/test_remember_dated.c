/*
 * test_remember_dated.c - relative days become dates, in the zone of who says them; what has no day of
 * its own gets none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/clock.h"
#include "remember/draft.h"

#define SAID INT64_C(1791190800000) /* 2026-10-05, a Monday, 09:00 UTC */

/* The content as it is kept; *ret_event: its event time, "" for none. */
static const char *kept(struct mn_arena *arena, const char *content, const char *type,
                        const char *zone, int64_t said_ms, char ret_event[32])
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_error err;

    m.content = content;
    m.type = type;
    m.created_at_ms = said_ms;
    if (mn_date_wants(&m, arena))
        assert_int_equal(mn_date(&m, zone, arena, &err), MNEME_OK);
    ret_event[0] = '\0';
    if (m.event_time_ms)
        mn_time_print(m.event_time_ms, ret_event, 32);
    return m.content;
}

struct row {
    const char *said, *kept, *event;
};

static void assert_rows(const struct row *rows, size_t count, const char *zone)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        char event[32];
        const char *text = kept(arena, rows[i].said, "fact", zone, SAID, event);
        const char *want = rows[i].kept ? rows[i].kept : rows[i].said;

        if (!strcmp(text, want) && !strcmp(event, rows[i].event))
            continue;
        print_message("%s\n    '%s' %s\n", rows[i].said, text, event);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
#define ASSERT_ROWS(rows, zone) assert_rows(rows, sizeof(rows) / sizeof *(rows), zone)

static void a_relative_day_gets_its_date(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "The audit is next Friday.", "The audit is next Friday (2026-10-16).",
          "2026-10-16T00:00:00Z" },
        { "The audit is this Friday.", "The audit is this Friday (2026-10-09).",
          "2026-10-09T00:00:00Z" },
        { "The demo is tomorrow at ten.", "The demo is tomorrow (2026-10-06) at ten.",
          "2026-10-06T00:00:00Z" },
        { "The pump broke yesterday.", "The pump broke yesterday (2026-10-04).",
          "2026-10-04T00:00:00Z" },
        { "We lost yesterday's backup.", "We lost yesterday's (2026-10-04) backup.",
          "2026-10-04T00:00:00Z" },
        { "The lease ends next month.", "The lease ends next month (2026-11).",
          "2026-11-01T00:00:00Z" },
        { "We move offices next week.", "We move offices next week (2026-10-12 to 2026-10-18).",
          "2026-10-12T00:00:00Z" },
        { "The fair was last year.", "The fair was last year (2025).", "2025-01-01T00:00:00Z" },
        { "The server crashed 3 days ago.", "The server crashed 3 days ago (2026-10-02).",
          "2026-10-02T00:00:00Z" },
        { "The audit is on Friday.", "The audit is on Friday (2026-10-09).", "2026-10-09T00:00:00Z" },
        { "The server crashed on Friday.", "The server crashed on Friday (2026-10-02).",
          "2026-10-02T00:00:00Z" },
        { "The review was moved to Thursday.", "The review was moved to Thursday (2026-10-08).",
          "2026-10-08T00:00:00Z" },
        { "下周三开评审会", "下周三（2026-10-14）开评审会", "2026-10-14T00:00:00Z" },
        { "服务器昨天崩溃了", "服务器昨天（2026-10-04）崩溃了", "2026-10-04T00:00:00Z" },
        { "租约下个月到期", "租约下个月（2026-11）到期", "2026-11-01T00:00:00Z" },
        { "评审会推迟到周五", "评审会推迟到周五（2026-10-09）", "2026-10-09T00:00:00Z" },
        { "我们下周搬办公室", "我们下周（2026-10-12 至 2026-10-18）搬办公室", "2026-10-12T00:00:00Z" },
        { "去年的展会在上海", "去年（2025）的展会在上海", "2025-01-01T00:00:00Z" },
    };

    ASSERT_ROWS(rows, "");
}

static void what_has_no_day_of_its_own_is_left(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "The depot opens at six.", NULL, "" },
        { "The audit is on 2026-11-03.", NULL, "" },
        { "The treaty is of 8 May 2023.", NULL, "" },
        { "Every Friday we deploy.", NULL, "" },
        { "We always read yesterday's log.", NULL, "" },
        { "每周五发布", NULL, "" },
        { "我们总是看昨天的日志", NULL, "" },
        { "Friday is the name of the cat.", NULL, "" },
        { "The shop has been open since last week.", NULL, "" },
        { "Three hours ago it rained.", NULL, "" },
        { "Recently the queue was full.", NULL, "" },
        { "The launch is on 3 May.", NULL, "" }, /* of which year? */
        { "The launch was on 3 May.", "The launch was on 3 May (2026-05-03).",
          "2026-05-03T00:00:00Z" },
        { "The audit is next Friday (2026-10-16).", NULL, "2026-10-16T00:00:00Z" },
    };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    static const char *const types[] = { "user_preference", "repository_rule",
                                         "successful_procedure", "session_summary" };
    char event[32];

    ASSERT_ROWS(rows, "");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        assert_string_equal(kept(arena, "Read the log of yesterday.", types[i], "", SAID, event),
                            "Read the log of yesterday.");
}

static void the_day_is_that_of_the_speaker_s_zone(void **state)
{
    (void)state;
    static const struct row shanghai[] = {
        { "The demo is tomorrow.", "The demo is tomorrow (2026-10-06).", "2026-10-05T16:00:00Z" },
    };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const int64_t late_ms = SAID + INT64_C(8) * 3600000; /* 17:00 UTC: the 6th in Shanghai */
    char event[32];

    ASSERT_ROWS(shanghai, "Asia/Shanghai");
    assert_string_equal(kept(arena, "The demo is tomorrow.", "fact", "Asia/Shanghai", late_ms, event),
                        "The demo is tomorrow (2026-10-07).");
    assert_string_equal(kept(arena, "The demo is tomorrow.", "fact", "", late_ms, event),
                        "The demo is tomorrow (2026-10-06).");
}

/* A day that cannot be written would be one that no export can tell. */
static void a_day_behind_the_last_year_is_left(void **state)
{
    static const int64_t last_ms[] = { INT64_C(253402128000000), INT64_C(253402300799999) };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    char event[32];

    (void)state;
    for (size_t i = 0; i < sizeof last_ms / sizeof *last_ms; i++) {
        assert_string_equal(kept(arena, "The demo is tomorrow.", "fact", "", last_ms[i], event),
                            "The demo is tomorrow.");
        assert_string_equal(event, "");
    }
    assert_string_equal(kept(arena, "The demo is tomorrow.", "fact", "",
                             INT64_C(253402041600000) - 1, event),
                        "The demo is tomorrow (9999-12-29).");
    assert_string_equal(event, "9999-12-29T00:00:00Z");
}

static void a_key_and_a_time_of_one_s_own_keep_their_event_time(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_error err;

    m.content = "I moved to Lisbon last year.";
    m.type = "fact";
    m.memory_key = "user.city";
    m.created_at_ms = SAID;
    assert_true(mn_date_wants(&m, arena));
    assert_int_equal(mn_date(&m, "", arena, &err), MNEME_OK);
    assert_string_equal(m.content, "I moved to Lisbon last year (2025).");
    assert_int_equal(m.event_time_ms, 0);

    m.memory_key = "";
    m.event_time_ms = 7;
    m.content = "The pump broke yesterday.";
    assert_int_equal(mn_date(&m, "", arena, &err), MNEME_OK);
    assert_int_equal(m.event_time_ms, 7);

    m.id = "mine";
    assert_false(mn_date_wants(&m, arena)); /* what brings its own id is meant as it is */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relative_day_gets_its_date),
        cmocka_unit_test(what_has_no_day_of_its_own_is_left),
        cmocka_unit_test(the_day_is_that_of_the_speaker_s_zone),
        cmocka_unit_test(a_day_behind_the_last_year_is_left),
        cmocka_unit_test(a_key_and_a_time_of_one_s_own_keep_their_event_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
