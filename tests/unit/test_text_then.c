/*
 * test_text_then.c - times told by what happened then, and how they are reckoned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/then.h"

#define DAY INT64_C(86400000)
#define NOON (DAY / 2)
#define MAY_20 INT64_C(1779235200000) /* 2026-05-20, a Wednesday */

static void assert_slice(struct mn_str slice, const char *expected)
{
    if (slice.bytes != strlen(expected) || memcmp(slice.at, expected, slice.bytes) != 0)
        fail_msg("%.*s is not %s", (int)slice.bytes, slice.at, expected);
}

static void a_time_told_by_an_event_is_read_with_its_parts(void **state)
{
    static const struct {
        const char *request, *phrase, *event;
        enum mn_then_side side;
        int days, away;
    } CASE[] = {
        { "What else happened on the day I adopted Luna?", "on the day I adopted Luna",
          "I adopted Luna", MN_THEN_SAME, 1, 0 },
        { "On the day of the move, who was helping?", "On the day of the move", "the move",
          MN_THEN_SAME, 1, 0 },
        { "On the same day as my interview, what did I eat?", "On the same day as my interview",
          "my interview", MN_THEN_SAME, 1, 0 },
        { "what did I do the week after the Berlin trip", "the week after the Berlin trip",
          "the Berlin trip", MN_THEN_AFTER, 7, 0 },
        { "Who was there the day before Tom's wedding?", "the day before Tom's wedding",
          "Tom's wedding", MN_THEN_BEFORE, 1, 0 },
        { "What did I buy two days before the exam?", "two days before the exam", "the exam",
          MN_THEN_BEFORE, 1, 2 },
        { "What happened a few weeks after I moved", "a few weeks after I moved", "I moved",
          MN_THEN_AFTER, 35, 0 },
        { "What happened 3 months after the launch?", "3 months after the launch", "the launch",
          MN_THEN_AFTER, 30, 3 },
        { "Whom did I meet during the Berlin trip?", "during the Berlin trip", "the Berlin trip",
          MN_THEN_DURING, 7, 0 },
        { "What went wrong right after the launch?", "right after the launch", "the launch",
          MN_THEN_AFTER, 7, 0 },
        { "我搬家那天还发生了什么?", "我搬家那天", "我搬家", MN_THEN_SAME, 1, 0 },
        { "请问领养露娜的当天我还做了什么", "领养露娜的当天", "领养露娜", MN_THEN_SAME, 1, 0 },
        { "柏林旅行后的一周我做了什么?", "柏林旅行后的一周", "柏林旅行", MN_THEN_AFTER, 7, 0 },
        { "考试前一天我见了谁?", "考试前一天", "考试", MN_THEN_BEFORE, 1, 0 },
        { "考试前三天我见了谁?", "考试前三天", "考试", MN_THEN_BEFORE, 3, 0 },
        { "考试三天前我见了谁?", "考试三天前", "考试", MN_THEN_BEFORE, 1, 3 },
        { "考试两个月之后发生了什么?", "考试两个月之后", "考试", MN_THEN_AFTER, 30, 2 },
        { "考试的第二天发生了什么?", "考试的第二天", "考试", MN_THEN_AFTER, 1, 0 },
        { "搬家的那天天气怎么样?", "搬家的那天", "搬家", MN_THEN_SAME, 1, 0 },
        { "考完驾照第二天我的手机怎么了?", "考完驾照第二天", "考完驾照", MN_THEN_AFTER, 1, 0 },
        { "我搬家那天是谁帮忙的?", "我搬家那天", "我搬家", MN_THEN_SAME, 1, 0 },
        { "How was the day I moved?", "the day I moved", "I moved", MN_THEN_SAME, 1, 0 },
        { "柏林旅行期间我租过什么?", "柏林旅行期间", "柏林旅行", MN_THEN_DURING, 1, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct mn_then then;
        bool asked = mn_then_asked(mn_str_of(CASE[i].request), &then);

        if (asked != (CASE[i].side != 0))
            fail_msg("%s", CASE[i].request);
        if (!asked)
            continue;
        assert_slice(then.phrase, CASE[i].phrase);
        assert_slice(then.event, CASE[i].event);
        assert_int_equal(then.side, CASE[i].side);
        assert_int_equal(then.days, CASE[i].days);
        assert_int_equal(then.away, CASE[i].away);
    }
}

static void other_requests_tell_none(void **state)
{
    static const char *const CASE[] = {
        "What happened the day before yesterday?",
        "What did John do the week before August 3, 2023?",
        "What was said on the first day of the week?",
        "What should I check the day before a release?",
        "Remind me two days before the deadline.",
        "How many days did the move take?",
        "What did I do that day?",
        "What did I do during the day?",
        "What did I learn during class?",
        "What did I do during the summer?",
        "When did I call during the Berlin trip?",
        "What was the date of the Berlin trip?",
        "Do you know what was the day I moved?",
        "我搬家那天是几号?",
        "面试那天是星期几?",
        "那天我做了什么?",
        "昨天那天我做了什么?",
        "发布前一天应该检查什么?",
        "我很期待那天晚上。",
        "三天后要做什么?",
        "",
    };
    struct mn_then then;

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++)
        if (mn_then_asked(mn_str_of(CASE[i]), &then))
            fail_msg("told: %s by %.*s", CASE[i], (int)then.event.bytes, then.event.at);
}

static void what_asks_of_nothing_in_particular_is_open(void **state)
{
    static const char *const OPEN[][2] = {
        { "What did I do ", "?" },
        { "What happened ", "?" },
        { "What else was going on ", "" },
        { "", "我做了什么?" },
        { "", "发生了什么事?" },
    };
    static const char *const NOT[][2] = {
        { "What did we decide ", "?" },   { "What should I do ", "?" }, { "", "" },
        { "Who came to dinner ", "?" },   { "", "我吃了什么?" },       { "", "我应该做什么?" },
        { "When did it happen ", "?" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof OPEN / sizeof OPEN[0]; i++)
        if (!mn_then_open(mn_str_of(OPEN[i][0]), mn_str_of(OPEN[i][1])))
            fail_msg("%s%s", OPEN[i][0], OPEN[i][1]);
    for (size_t i = 0; i < sizeof NOT / sizeof NOT[0]; i++)
        if (mn_then_open(mn_str_of(NOT[i][0]), mn_str_of(NOT[i][1])))
            fail_msg("%s%s", NOT[i][0], NOT[i][1]);
}

static void the_time_is_reckoned_from_the_days_of_the_event(void **state)
{
    static const struct {
        enum mn_then_side side;
        int days, away;
        int from, until; /* days from 20 May */
    } CASE[] = {
        { MN_THEN_SAME, 1, 0, 0, 1 },     { MN_THEN_AFTER, 1, 0, 1, 2 },
        { MN_THEN_BEFORE, 1, 0, -1, 0 },  { MN_THEN_AFTER, 7, 0, 1, 8 },
        { MN_THEN_BEFORE, 7, 0, -7, 0 },  { MN_THEN_AFTER, 1, 3, 3, 4 },
        { MN_THEN_BEFORE, 1, 3, -3, -2 }, { MN_THEN_AFTER, 7, 2, 11, 18 },
        { MN_THEN_SAME, 7, 0, -2, 5 },    { MN_THEN_SAME, 30, 0, -19, 12 },
        { MN_THEN_DURING, 7, 0, 0, 1 },
    };
    int64_t from = 0, until = 0;

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        const struct mn_then then = { .side = CASE[i].side,
                                      .days = CASE[i].days,
                                      .away = CASE[i].away };

        assert_true(mn_then_range(&then, MAY_20 + NOON, MAY_20 + NOON + 1, "", &from, &until));
        if (from != MAY_20 + CASE[i].from * DAY || until != MAY_20 + CASE[i].until * DAY)
            fail_msg("%zu: %lld to %lld", i, (long long)((from - MAY_20) / DAY),
                     (long long)((until - MAY_20) / DAY));
    }
}

static void days_are_those_of_the_zone(void **state)
{
    const struct mn_then day = { .side = MN_THEN_SAME, .days = 1 };
    int64_t from = 0, until = 0;

    (void)state; /* 20 May 17:00 in UTC is 21 May 01:00 in Shanghai */
    assert_true(mn_then_range(&day, MAY_20 + 17 * DAY / 24, MAY_20 + 17 * DAY / 24 + 1,
                              "Asia/Shanghai", &from, &until));
    assert_int_equal(from, MAY_20 + 16 * DAY / 24);
    assert_int_equal(until, MAY_20 + 40 * DAY / 24);
}

static void of_an_event_that_is_too_long_nothing_is_reckoned(void **state)
{
    const struct mn_then day = { .side = MN_THEN_SAME, .days = 1 };
    const struct mn_then after = { .side = MN_THEN_AFTER, .days = 1 };
    const struct mn_then during = { .side = MN_THEN_DURING, .days = 1 };
    int64_t from = 5, until = 5;

    (void)state;
    assert_true(mn_then_range(&day, MAY_20, MAY_20 + 3 * DAY, "", &from, &until));
    assert_false(mn_then_range(&day, MAY_20, MAY_20 + 3 * DAY + 1, "", &from, &until));
    assert_true(mn_then_range(&after, MAY_20, MAY_20 + 21 * DAY, "", &from, &until));
    assert_int_equal(from, MAY_20 + 21 * DAY);
    assert_false(mn_then_range(&after, MAY_20, MAY_20 + 21 * DAY + 1, "", &from, &until));
    assert_true(mn_then_range(&during, MAY_20, MAY_20 + 62 * DAY, "", &from, &until));
    assert_int_equal(until, MAY_20 + 62 * DAY);
    assert_false(mn_then_range(&during, MAY_20, MAY_20 + 62 * DAY + 1, "", &from, &until));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_told_by_an_event_is_read_with_its_parts),
        cmocka_unit_test(other_requests_tell_none),
        cmocka_unit_test(what_asks_of_nothing_in_particular_is_open),
        cmocka_unit_test(the_time_is_reckoned_from_the_days_of_the_event),
        cmocka_unit_test(days_are_those_of_the_zone),
        cmocka_unit_test(of_an_event_that_is_too_long_nothing_is_reckoned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
