/*
 * test_text_when.c - time phrases against a fixed now, and instants as people spell them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "text/analyze.h"
#include "text/when.h"

static int64_t at(const char *text)
{
    int64_t ms = 0;

    if (mn_time_parse("time", text, &ms, NULL) != MNEME_OK)
        fail_msg("%s", text);
    return ms;
}

static struct mn_when find(struct mn_arena *arena, const char *text, const char *now,
                           const char *zone)
{
    return mn_when_find(mn_text_fold(arena, text, strlen(text)), at(now), zone);
}

/* Wednesday, 14 October 2026, 09:00 UTC. NULL: no phrase. */
static const struct phrase {
    const char *text, *phrase, *from, *until;
} PHRASE[] = {
    { "What incidents did we have last month?", "last month", "2026-09-01", "2026-10-01" },
    { "上周线上出过什么故障？", "上周", "2026-10-05", "2026-10-12" },
    { "As agreed last week, bring this", "last week", "2026-10-05", "2026-10-12" },
    { "may I ask you in the meeting", NULL, NULL, NULL },
    { "in September 45", NULL, NULL, NULL },
    { "in May", "in may", "2026-05-01", "2026-06-01" },
    { "in May 2026", "in may 2026", "2026-05-01", "2026-06-01" },
    { "in december", "in december", "2025-12-01", "2026-01-01" },
    { "on May 3rd, 2025", "on may 3rd, 2025", "2025-05-03", "2025-05-04" },
    { "8 May, 2023", "8 may, 2023", "2023-05-08", "2023-05-09" },
    { "last friday", "last friday", "2026-10-09", "2026-10-10" },
    { "on Friday", "on friday", "2026-10-09", "2026-10-10" },
    { "next friday", "next friday", "2026-10-23", "2026-10-24" },
    { "this friday", "this friday", "2026-10-16", "2026-10-17" },
    { "friday next week", "friday next week", "2026-10-23", "2026-10-24" },
    { "on Friday this week", "on friday this week", "2026-10-16", "2026-10-17" },
    { "monday last week", "monday last week", "2026-10-05", "2026-10-06" },
    { "on Fridays by appointment", NULL, NULL, NULL },
    { "3 days ago", "3 days ago", "2026-10-11", "2026-10-12" },
    { "two weeks ago", "two weeks ago", "2026-09-28", "2026-10-05" },
    { "a month ago", "a month ago", "2026-09-01", "2026-10-01" },
    { "a few days ago", "a few days ago", "2026-10-07", "2026-10-15" },
    { "in 3 days", "in 3 days", "2026-10-17", "2026-10-18" },
    { "in two weeks", "in two weeks", "2026-10-26", "2026-11-02" },
    { "a month from now", "a month from now", "2026-11-01", "2026-12-01" },
    { "in a year", "in a year", "2027-01-01", "2028-01-01" },
    { "in 1200 days", "in 1200 days", "2030-01-26", "2030-01-27" },
    { "in 1201 days", NULL, NULL, NULL },
    { "in 3 days-long talks", NULL, NULL, NULL },
    { "in three steps", NULL, NULL, NULL },
    { "past 3 days", "past 3 days", "2026-10-11", "2026-10-15" },
    { "the past week", "past week", "2026-10-07", "2026-10-15" },
    { "last 6 months", "last 6 months", "2026-04-14", "2026-10-15" },
    { "since yesterday", "since yesterday", "2026-10-13", "2026-10-15" },
    { "before 2024", "before 2024", "0001-01-01", "2024-01-01" },
    { "after May", "after may", "2026-06-01", "2026-10-15" },
    { "since last week", "since last week", "2026-10-05", "2026-10-15" },
    { "in 2025", "in 2025", "2025-01-01", "2026-01-01" },
    { "2026-09-12", "2026-09-12", "2026-09-12", "2026-09-13" },
    { "2026-09", "2026-09", "2026-09-01", "2026-10-01" },
    { "2026年12月31日", "2026年12月31日", "2026-12-31", "2027-01-01" },
    { "2026年13月45日", NULL, NULL, NULL },
    { "2026年13月", NULL, NULL, NULL },
    { "2026年0月", NULL, NULL, NULL },
    { "2026年9月31日", NULL, NULL, NULL },
    { "9月32日", NULL, NULL, NULL },
    { "9月0日", NULL, NULL, NULL },
    { "2026年第4季度", "2026年第4季度", "2026-10-01", "2027-01-01" },
    { "2026年第5季度", NULL, NULL, NULL },
    { "2026-13-45", NULL, NULL, NULL },
    { "2024-02-30", NULL, NULL, NULL },
    { "9月45日", NULL, NULL, NULL },
    { "去年2月30日", NULL, NULL, NULL },
    { "on Feb 30", NULL, NULL, NULL },
    { "february 30, 2025", NULL, NULL, NULL },
    { "since 31 april", NULL, NULL, NULL },
    { "2026-09-31", NULL, NULL, NULL },
    { "build-2026-09-12", NULL, NULL, NULL },
    { "2026/9/2 见面", "2026/9/2", "2026-09-02", "2026-09-03" },
    { "3.1.2 version", NULL, NULL, NULL },
    { "q3 2026", "q3 2026", "2026-07-01", "2026-10-01" },
    { "the third quarter", "third quarter", "2026-07-01", "2026-10-01" },
    { "last night", "last night", "2026-10-13", "2026-10-14" },
    { "the day before yesterday", "the day before yesterday", "2026-10-12", "2026-10-13" },
    { "2 hours ago", "2 hours ago", "2026-10-14T06:30:00Z", "2026-10-14T07:30:00Z" },
    { "last weekend", "last weekend", "2026-10-10", "2026-10-12" },
    { "last march", "last march", "2026-03-01", "2026-04-01" },
    { "march on", NULL, NULL, NULL },
    { "week after week", NULL, NULL, NULL },
    { "上周五", "上周五", "2026-10-09", "2026-10-10" },
    { "上上周", "上上周", "2026-09-28", "2026-10-05" },
    { "下个星期一", "下个星期一", "2026-10-19", "2026-10-20" },
    { "上周末", "上周末", "2026-10-10", "2026-10-12" },
    { "本月", "本月", "2026-10-01", "2026-11-01" },
    { "上个月", "上个月", "2026-09-01", "2026-10-01" },
    { "去年", "去年", "2025-01-01", "2026-01-01" },
    { "去年5月", "去年5月", "2025-05-01", "2025-06-01" },
    { "去年十二月二十五日", "去年十二月二十五日", "2025-12-25", "2025-12-26" },
    { "今年", "今年", "2026-01-01", "2027-01-01" },
    { "五月", "五月", "2026-05-01", "2026-06-01" },
    { "五月份", "五月份", "2026-05-01", "2026-06-01" },
    { "五个月前", "五个月前", "2026-05-01", "2026-06-01" },
    { "三天前", "三天前", "2026-10-11", "2026-10-12" },
    { "三天后", "三天后", "2026-10-17", "2026-10-18" },
    { "两周之后", "两周之后", "2026-10-26", "2026-11-02" },
    { "一个月以后", "一个月以后", "2026-11-01", "2026-12-01" },
    { "三年后端经验", NULL, NULL, NULL },
    { "工作三年后", NULL, NULL, NULL },
    { "第三天后", NULL, NULL, NULL },
    { "五年前端经验", NULL, NULL, NULL },
    { "五年前写的前端", "五年前", "2021-01-01", "2022-01-01" },
    { "请在15日前提交", NULL, NULL, NULL },
    { "三日前", "三日前", "2026-10-11", "2026-10-12" },
    { "会议室预定需要提前两天", NULL, NULL, NULL },
    { "比赛前两天不要熬夜", NULL, NULL, NULL },
    { "我前两天买了车", "前两天", "2026-10-07", "2026-10-15" },
    { "用了将近三天", NULL, NULL, NULL },
    { "附近三天门", NULL, NULL, NULL },
    { "半年前", "半年前", "2026-04-01", "2026-05-01" },
    { "最近一周", "最近一周", "2026-10-07", "2026-10-15" },
    { "最近的巡检记录", NULL, NULL, NULL },
    { "过去30天", "过去30天", "2026-09-14", "2026-10-15" },
    { "近三天", "近三天", "2026-10-11", "2026-10-15" },
    { "这两天", "这两天", "2026-10-12", "2026-10-15" },
    { "前几天", "前几天", "2026-10-07", "2026-10-15" },
    { "2026年9月12日", "2026年9月12日", "2026-09-12", "2026-09-13" },
    { "二零二六年九月", "二零二六年九月", "2026-09-01", "2026-10-01" },
    { "9月12日", "9月12日", "2026-09-12", "2026-09-13" },
    { "10月20日", "10月20日", "2026-10-20", "2026-10-21" },
    { "12月25日", "12月25日", "2025-12-25", "2025-12-26" },
    { "2025年", "2025年", "2025-01-01", "2026-01-01" },
    { "第三季度", "第三季度", "2026-07-01", "2026-10-01" },
    { "上季度", "上季度", "2026-07-01", "2026-10-01" },
    { "目前天气", NULL, NULL, NULL },
    { "晚上周五", NULL, NULL, NULL },
    { "登上月球", NULL, NULL, NULL },
    { "本周期", NULL, NULL, NULL },
    { "上周一共", "上周", "2026-10-05", "2026-10-12" },
    { "昨天出了什么故障", "昨天", "2026-10-13", "2026-10-14" },
    { "大前天", "大前天", "2026-10-11", "2026-10-12" },
    { "三天之前", "三天之前", "2026-10-11", "2026-10-12" },
    { "上周以来", "上周以来", "2026-10-05", "2026-10-15" },
    { "自从去年以来", "自从去年以来", "2025-01-01", "2026-10-15" },
    { "从上周开始", "从上周开始", "2026-10-05", "2026-10-15" },
    { "2024年以前", "2024年以前", "0001-01-01", "2024-01-01" },
    { "说明天气", NULL, NULL, NULL },
    { "一共十二个月", NULL, NULL, NULL },
    { "十一月", "十一月", "2025-11-01", "2025-12-01" },
    { "updated yesterday.", "yesterday", "2026-10-13", "2026-10-14" },
    { "v2026-09-12.log", NULL, NULL, NULL },
    { "today's plan", "today", "2026-10-14", "2026-10-15" },
    { "next 2 weeks", "next 2 weeks", "2026-10-14", "2026-10-29" },
    { "月报里的日期写成 2026-10-14 这种格式", "2026-10-14", "2026-10-14", "2026-10-15" },
    { "翻译成英文：“按照上周的决定，周五不发布。”", "上周", "2026-10-05", "2026-10-12" },
    { "周五不发布", NULL, NULL, NULL },
    { "sept 12", "sept 12", "2026-09-12", "2026-09-13" },
    { "12 sept 2026", "12 sept 2026", "2026-09-12", "2026-09-13" },
};

static void phrases_name_their_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PHRASE / sizeof PHRASE[0]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        const struct phrase *p = &PHRASE[i];
        struct mn_when when = find(arena, p->text, "2026-10-14T09:00:00Z", "");

        if (when.found != (p->phrase != NULL))
            fail_msg("%s: %s", p->text, when.found ? "found" : "not found");
        if (!when.found)
            continue;
        if (!mn_str_equal(when.phrase, mn_str_of(p->phrase)) || when.from_ms != at(p->from) ||
            when.until_ms != at(p->until)) {
            char from[32];
            char until[32];

            fail_msg("%s: [%.*s] %s .. %s", p->text, (int)when.phrase.bytes, when.phrase.at,
                     mn_time_print(when.from_ms, from, sizeof from),
                     mn_time_print(when.until_ms, until, sizeof until));
        }
    }
}

static void a_day_begins_where_the_zone_says(void **state)
{
    static const struct {
        const char *text, *now, *zone, *from, *until;
    } CASE[] = {
        { "昨天出了什么故障？", "2026-10-14T01:00:00Z", "Asia/Shanghai", "2026-10-12T16:00:00Z",
          "2026-10-13T16:00:00Z" },
        { "昨天出了什么故障？", "2026-10-14T01:00:00Z", "America/Phoenix", "2026-10-12T07:00:00Z",
          "2026-10-13T07:00:00Z" },
        { "yesterday", "2026-10-14T01:00:00Z", "No/Where", "2026-10-13", "2026-10-14" },
        { "today", "2026-10-14T20:00:00Z", "Asia/Kolkata", "2026-10-14T18:30:00Z",
          "2026-10-15T18:30:00Z" },
        /* the day the clocks go back has 25 hours */
        { "yesterday", "2026-11-02T12:00:00Z", "America/New_York", "2026-11-01T04:00:00Z",
          "2026-11-02T05:00:00Z" },
        /* weeks begin on Monday: Sunday belongs to the week before */
        { "last week", "2026-10-18T12:00:00Z", "UTC", "2026-10-05", "2026-10-12" },
        { "last week", "2026-10-19T12:00:00Z", "UTC", "2026-10-12", "2026-10-19" },
        { "last month", "2026-01-31T12:00:00Z", "UTC", "2025-12-01", "2026-01-01" },
        { "past month", "2026-03-31T12:00:00Z", "UTC", "2026-02-28", "2026-04-01" },
        { "last friday", "2026-10-16T12:00:00Z", "UTC", "2026-10-09", "2026-10-10" },
        { "on friday", "2026-10-16T12:00:00Z", "UTC", "2026-10-16", "2026-10-17" },
        { "in october", "2026-10-01T00:00:00Z", "UTC", "2026-10-01", "2026-11-01" },
        { "in october", "2026-09-30T23:59:59Z", "UTC", "2025-10-01", "2025-11-01" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_when when = find(arena, CASE[i].text, CASE[i].now, CASE[i].zone);

        assert_true(when.found);
        if (when.from_ms != at(CASE[i].from) || when.until_ms != at(CASE[i].until))
            fail_msg("%s, %s, %s", CASE[i].text, CASE[i].now, CASE[i].zone);
    }
}

static void only_zones_of_the_data_are_known(void **state)
{
    (void)state;
    assert_true(mn_when_zone_known("UTC"));
    assert_true(mn_when_zone_known("Asia/Shanghai"));
    assert_true(mn_when_zone_known("Europe/Berlin"));
    assert_false(mn_when_zone_known(""));
    assert_false(mn_when_zone_known(NULL));
    assert_false(mn_when_zone_known("No/Where"));
    assert_false(mn_when_zone_known("GMT+8"));
    assert_false(mn_when_zone_known("Etc/Unknown"));
    assert_false(
        mn_when_zone_known("a/name/that/is/much/longer/than/any/zone/of/the/data/could/be"));
}

static void instants_are_read_as_people_spell_them(void **state)
{
    static const struct {
        const char *text, *expected; /* NULL: refused */
    } CASE[] = {
        { "1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z" },
        { "12:05 am on 1 January, 2024", "2024-01-01T00:05:00Z" },
        { "12:05 pm on 1 January, 2024", "2024-01-01T12:05:00Z" },
        { "2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00Z" },
        { "2023-12-25", "2023-12-25T00:00:00Z" },
        { "2026-10-14T09:00:00+08:00", "2026-10-14T01:00:00Z" },
        { "2026-10-14T09:00Z", "2026-10-14T09:00:00Z" },
        { "2026-10-14 09:00 +02:00", "2026-10-14T07:00:00Z" },
        { "8 May 2023", "2023-05-08T00:00:00Z" },
        { "May 8, 2023", "2023-05-08T00:00:00Z" },
        { "Mon, 3rd of Apr 2023 at 8 am", "2023-04-03T08:00:00Z" },
        { "2023年5月8日", "2023-05-08T00:00:00Z" },
        { "2023年5月8日 下午3:05", "2023-05-08T15:05:00Z" },
        { "2023年5月8日14时30分", "2023-05-08T14:30:00Z" },
        { "29 Feb 2024", "2024-02-29T00:00:00Z" },
        { "29 Feb 2023", NULL },
        { "5/6/2023", NULL },
        { "May 2023", NULL },
        { "8 8 May 2023", NULL },
        { "13:00 pm on 8 May 2023", NULL },
        { "25:00 on 8 May 2023", NULL },
        { "20230508", NULL },
        { "yesterday", NULL },
        { "", NULL },
        { "8 May 2023 and what else was said then, at length, on that one day", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        int64_t ms = 42;
        struct mneme_error err = { 0 };
        enum mneme_status status = mn_when_parse_spelled(CASE[i].text, &ms, &err);

        if (status != (CASE[i].expected ? MNEME_OK : MNEME_INVALID) ||
            ms != (CASE[i].expected ? at(CASE[i].expected) : 42))
            fail_msg("%s: %d %s", CASE[i].text, (int)status, err.message);
    }
    assert_int_equal(mn_when_parse_spelled(NULL, &(int64_t){ 0 }, NULL), MNEME_INVALID);
}

static void the_epoch_is_never_zero(void **state)
{
    int64_t ms = 0;

    (void)state;
    assert_int_equal(mn_when_parse_spelled("1 January 1970", &ms, NULL), MNEME_OK);
    assert_int_equal(ms, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phrases_name_their_ranges),
        cmocka_unit_test(a_day_begins_where_the_zone_says),
        cmocka_unit_test(only_zones_of_the_data_are_known),
        cmocka_unit_test(instants_are_read_as_people_spell_them),
        cmocka_unit_test(the_epoch_is_never_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
