/*
 * test_remember_schedule.c - when and where a known thing takes place: which key and value a sentence
 * gives, what is drawn from its change and on which day, and what tells of none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "unit/turns.h"

struct row {
    const char *turn;
    const char *key, *value, *content; /* of the one draft, dated */
};

static void a_change_of_day_or_place_is_drawn_with_its_day(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "The meeting with Dr. Lee has been moved to Thursday", "schedule.meeting_with_dr._lee.time",
          "2026-10-08 thursday", "The meeting with Dr. Lee has been moved to Thursday (2026-10-08)" },
        { "My appointment with Dr. Lee moved from Tuesday to Thursday",
          "schedule.appointment_with_dr._lee.time", "2026-10-08 thursday",
          "My appointment with Dr. Lee moved from Tuesday to Thursday (2026-10-08)" },
        { "By the way, the interview was rescheduled from Monday to Wednesday at 3pm.",
          "schedule.interview.time", "2026-10-07 wednesday at 3pm",
          "By the way, the interview was rescheduled from Monday to Wednesday (2026-10-07) at 3pm." },
        { "I moved my appointment with Dr. Lee from Tuesday to Friday next week",
          "schedule.appointment_with_dr._lee.time", "2026-10-16 friday next week",
          "I moved my appointment with Dr. Lee from Tuesday to Friday next week (2026-10-16)" },
        { "Our launch slipped to November 12", "schedule.launch.time", "2026-11-12 november 12",
          "Our launch slipped to November 12 (2026-11-12)" },
        { "The deadline changed from May 5 to May 12.", "schedule.deadline.time",
          "2027-05-12 may 12", "The deadline changed from May 5 to May 12 (2027-05-12)." },
        { "The release has been postponed until Monday.", "schedule.release.time",
          "2026-10-12 monday", "The release has been postponed until Monday (2026-10-12)." },
        { "Standup has moved to 10:30", "schedule.standup.time", "10:30", NULL },
        { "The review moved to room 4", "schedule.review.place", "room 4", NULL },
        { "The workshop has been cancelled", "schedule.workshop.time", "cancelled", NULL },
        { "会议改到周四了", "schedule.会议.time", "2026-10-08 周四", "会议改到周四（2026-10-08）了" },
        { "看牙医的预约从周二改到了周四", "schedule.看牙医的预约.time", "2026-10-08 周四",
          "看牙医的预约从周二改到了周四（2026-10-08）" },
        { "我把会议改到下周三了", "schedule.会议.time", "2026-10-14 下周三",
          "我把会议改到下周三（2026-10-14）了" },
        { "其实和李博士的会议挪到了周四下午三点", "schedule.和李博士的会议.time",
          "2026-10-08 周四下午三点", "其实和李博士的会议挪到了周四（2026-10-08）下午三点" },
        { "产品发布推迟到11月12号", "schedule.产品发布.time", "2026-11-12 11月12号",
          "产品发布推迟到11月12号（2026-11-12）" },
        { "下周的评审会取消了", "schedule.评审会.time", "2026-10-12 至 2026-10-18 cancelled",
          "下周（2026-10-12 至 2026-10-18）的评审会取消了" },
        { "面试改成线上了", "schedule.面试.place", "线上", NULL },
    };
    int wrong = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_drafts drafts = turn_drawn(arena, rows[i].turn, "user", NULL);
        struct mneme_error err;
        bool same = drafts.count == 1 && drafts.item[0].memory_key && drafts.item[0].value;

        if (same) {
            struct mneme_memory *m = &drafts.item[0];

            m->created_at_ms = TURN_SAID;
            if (mn_date_wants(m, arena))
                assert_int_equal(mn_date(m, "", arena, &err), MNEME_OK);
            same = !strcmp(m->memory_key, rows[i].key) && !strcmp(m->value, rows[i].value) &&
                   !strcmp(m->content, rows[i].content ? rows[i].content : rows[i].turn) &&
                   !strcmp(m->type, "fact") && !m->valid_until_ms;
        }
        if (same)
            continue;
        print_message("%s\n    %zu: %s = %s '%s'\n", rows[i].turn, drafts.count,
                      drafts.count ? drafts.item[0].memory_key : "",
                      drafts.count ? drafts.item[0].value : "",
                      drafts.count ? drafts.item[0].content : "");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void what_has_not_changed_is_not_drawn(void **state)
{
    (void)state;
    static const char *const turns[] = {
        "The meeting hasn't been moved to Thursday yet",
        "Could we move the meeting to Thursday?",
        "I want the meeting moved to Thursday",
        "If the meeting is moved to Thursday I can't come",
        "The exam might be postponed to June",
        "Dr. Lee's office called.",
        "The demo is on Friday.",
        "会议可能改到周四",
        "要不要把会议改到周四？",
        "希望评审会推迟到下周",
        "他会改到周四的",
        "会议没有改到周四",
        "会议在周二",
    };
    int wrong = 0;

    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_drafts drafts = turn_drawn(arena, turns[i], "user", NULL);

        if (drafts.count)
            print_message("%s\n    '%s'\n", turns[i], drafts.item[0].content);
        wrong += drafts.count > 0;
    }
    assert_int_equal(wrong, 0);
}

/* What was said before answers the same key, so that the change ends it. */
static void a_plan_and_its_change_answer_one_key(void **state)
{
    (void)state;
    static const struct {
        const char *sentence, *key; /* NULL: none */
    } rows[] = {
        { "The meeting with Dr. Lee is on Tuesday", "schedule.meeting_with_dr._lee.time" },
        { "My appointment with Dr. Lee is tomorrow at 9:00", "schedule.appointment_with_dr._lee.time" },
        { "The meeting is in room 4", "schedule.meeting.place" },
        { "会议在周二", "schedule.会议.time" },
        { "我们的评审会定在下周三", "schedule.评审会.time" },
        { "和李博士的会议是周二下午三点", "schedule.和李博士的会议.time" },
        { "A meeting is on Friday", NULL },        /* another one each time */
        { "Every meeting is on Friday", NULL },
        { "The meeting is important", NULL },
        { "The release pipeline moved to GitHub Actions", NULL },
        { "我在上海开会", NULL },
        { "功能上线是好事", NULL },
    };
    int wrong = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_keyed keyed = { "", "", false };
        bool found = mn_key_of(arena, rows[i].sentence, &keyed);

        if (found == (rows[i].key != NULL) &&
            (!found || (!strcmp(keyed.key, rows[i].key) && !keyed.states)))
            continue;
        print_message("%s\n    %s = %s\n", rows[i].sentence, keyed.key, keyed.value);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void a_clause_of_more_than_512_bytes_says_nothing_of_a_thing(void **state)
{
    (void)state;
    static const char said[] = " the meeting moved to thursday";

    for (size_t bytes = 512; bytes <= 513; bytes++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_keyed keyed;
        char text[514];

        for (size_t i = 0; i < bytes; i++)
            text[i] = i % 8 == 7 ? ' ' : 'z';
        memcpy(text + bytes - strlen(said), said, sizeof said);
        assert_int_equal(mn_key_of(arena, text, &keyed), bytes == 512);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_day_or_place_is_drawn_with_its_day),
        cmocka_unit_test(what_has_not_changed_is_not_drawn),
        cmocka_unit_test(a_plan_and_its_change_answer_one_key),
        cmocka_unit_test(a_clause_of_more_than_512_bytes_says_nothing_of_a_thing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
