/*
 * test_remember_calls.c - feedback, corrections and what belongs together: what is drawn from turns of
 * both languages, word for word, and what must draw nothing.
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
    enum mn_call call;
    const char *content; /* of the one draft */
};

static void assert_drawn(const struct row *rows, size_t count)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_calls calls = turn_heard(arena, rows[i].turn, "user");
        struct mn_drafts drafts = turn_drawn(arena, rows[i].turn, "user", NULL);

        if (calls.count == 1 && calls.item[0].call == rows[i].call && drafts.count == 1 &&
            !strcmp(drafts.item[0].content, rows[i].content))
            continue;
        print_message("%s\n    %zu calls, %s; %zu drafts '%s'\n", rows[i].turn, calls.count,
                      calls.count ? turn_call_name(calls.item[0].call) : "", drafts.count,
                      drafts.count ? drafts.item[0].content : "");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
#define ASSERT_DRAWN(rows) assert_drawn(rows, sizeof(rows) / sizeof *(rows))

static void assert_nothing(const char *const *turns, size_t count)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_drafts drafts = turn_drawn(arena, turns[i], "user", NULL);

        if (!drafts.count)
            continue;
        print_message("%s\n    '%s'\n", turns[i], drafts.item[0].content);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
#define ASSERT_NOTHING(turns) assert_nothing(turns, sizeof(turns) / sizeof *(turns))

static void feedback_is_kept_in_its_words(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "Your answer was wrong, use UTC.", MN_CALL_FEEDBACK, "Your answer was wrong, use UTC." },
        { "That answer was too long.", MN_CALL_FEEDBACK, "That answer was too long." },
        { "Your last summary was a bit too vague.", MN_CALL_FEEDBACK,
          "Your last summary was a bit too vague." },
        { "This explanation is hard to follow, start with an example.", MN_CALL_FEEDBACK,
          "This explanation is hard to follow, start with an example." },
        { "I didn't like that formatting, use tables instead.", MN_CALL_FEEDBACK,
          "I didn't like that formatting, use tables instead." },
        { "I'm not a fan of those bullet points.", MN_CALL_FEEDBACK,
          "I'm not a fan of those bullet points." },
        { "Be shorter.", MN_CALL_FEEDBACK, "Be shorter." },
        { "You should have asked before deleting the branch.", MN_CALL_FEEDBACK,
          "You should have asked before deleting the branch." },
        { "You forgot to run the tests.", MN_CALL_FEEDBACK, "You forgot to run the tests." },
        { "你刚才的回答不对，应该用 UTC。", MN_CALL_FEEDBACK, "你刚才的回答不对，应该用 UTC。" },
        { "这个回答太长了。", MN_CALL_FEEDBACK, "这个回答太长了。" },
        { "我不喜欢这种格式，请用表格。", MN_CALL_FEEDBACK, "我不喜欢这种格式，请用表格。" },
        { "你忘了跑测试。", MN_CALL_FEEDBACK, "你忘了跑测试。" },
    };
    static const char *const nothing[] = {
        "My teacher said my answer was too short.",
        "Was your answer too long?",
        "The meeting was too long.",
        "That was a long meeting.",
        "I didn't like that movie.",
        "I don't like the weather here.",
        "You should have seen it!",
        "You forgot your umbrella.",
        "You didn't come yesterday.",
        "Be careful on the road.",
        "他的回答太长了",
        "我不喜欢这种天气",
        "你忘了带伞吧",
        "这部电影太长了",
    };

    ASSERT_DRAWN(rows);
    ASSERT_NOTHING(nothing);
}

static void an_order_for_next_time_is_a_standing_one(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "Please be shorter next time.", MN_CALL_STANDING, "Be shorter next time." },
        { "Next time, run the tests first.", MN_CALL_STANDING, "Next time, run the tests first." },
        { "Next time please don't touch the lock file.", MN_CALL_STANDING,
          "Next time please don't touch the lock file." },
        { "Good, but next time ask me before you push.", MN_CALL_STANDING,
          "Good, but next time ask me before you push." },
        { "Run the linter first next time.", MN_CALL_STANDING, "Run the linter first next time." },
        { "下次请先跑测试。", MN_CALL_STANDING, "下次请先跑测试。" },
        { "下次别直接推送到主分支", MN_CALL_STANDING, "下次别直接推送到主分支" },
        { "下一次回答简短一点", MN_CALL_STANDING, "下一次回答简短一点" },
        { "很好，不过下次先问我", MN_CALL_STANDING, "下次先问我" },
    };
    static const char *const nothing[] = {
        "Next time I will bring my umbrella.",
        "See you next time!",
        "Next time we meet it will be summer.",
        "The next time the train is late I'll walk.",
        "Let's have dinner next time.",
        "Maybe next time.",
        "What should I do next time?",
        "下次再聊",
        "下次见",
        "下次一起吃饭吧",
        "下次我去北京再说",
        "下次什么时候来？",
    };

    ASSERT_DRAWN(rows);
    ASSERT_NOTHING(nothing);
}

static void a_correction_is_what_is_right(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "No, that's wrong. We use pnpm, not npm.", MN_CALL_CORRECTION, "We use pnpm, not npm." },
        { "That's not right. The staging port is 8443.", MN_CALL_CORRECTION,
          "The staging port is 8443." },
        { "Wait, no, that is incorrect: the port is 8443.", MN_CALL_CORRECTION, "The port is 8443." },
        { "Correction: the demo is on the third floor.", MN_CALL_CORRECTION,
          "The demo is on the third floor." },
        { "Scratch that, my office is in Porto.", MN_CALL_CORRECTION, "My office is in Porto." },
        { "No, my office is in Porto.", MN_CALL_CORRECTION, "My office is in Porto." },
        { "Your answer was wrong. Use UTC in all reports.", MN_CALL_CORRECTION,
          "Use UTC in all reports." },
        { "You misunderstood me. I live in Lisbon.", MN_CALL_STATEMENT, "I live in Lisbon." },
        { "不对。我们用的是 pnpm。", MN_CALL_CORRECTION, "我们用的是 pnpm。" },
        { "不，你记错了。端口是 8443。", MN_CALL_CORRECTION, "端口是 8443。" },
        { "更正：演示在三楼。", MN_CALL_CORRECTION, "演示在三楼。" },
        { "你说错了，端口是 8443", MN_CALL_CORRECTION, "端口是 8443" },
    };
    static const char *const nothing[] = {
        "No, that's wrong.",
        "That's not right. Can you check again?",
        "That's wrong, try again.",
        "You're wrong. Look at the log once more.",
        "That's wrong. Thanks anyway!",
        "That is wrong. If it were so, we would know.",
        "No, I don't think so.",
        "No, I'm fine.",
        "No, that's all.",
        "Actually, that's fine.",
        "Sorry, I was late.",
        "No problem.",
        "不对。",
        "不对，再检查一下",
        "你记错了吧？",
        "不，我不知道",
        "不是我",
    };

    ASSERT_DRAWN(rows);
    ASSERT_NOTHING(nothing);
}

static void what_was_switched_and_moved_is_a_correction(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "I switched from Vim to Helix.", MN_CALL_CORRECTION, "I switched from Vim to Helix." },
        { "We moved from Jenkins to Buildkite.", MN_CALL_CORRECTION,
          "We moved from Jenkins to Buildkite." },
        { "Our team migrated from Oracle to PostgreSQL in spring.", MN_CALL_CORRECTION, NULL },
        { "We no longer use Jenkins.", MN_CALL_CORRECTION, "We no longer use Jenkins." },
        { "The team no longer uses Slack.", MN_CALL_CORRECTION, "The team no longer uses Slack." },
        { "This repo no longer supports Python 3.9.", MN_CALL_CORRECTION,
          "This repo no longer supports Python 3.9." },
        { "We now deploy with Nomad.", MN_CALL_CORRECTION, "We now deploy with Nomad." },
        { "The review meeting was moved to Thursday.", MN_CALL_CORRECTION,
          "The review meeting was moved to Thursday." },
        { "The release has been postponed until Monday.", MN_CALL_CORRECTION, NULL },
        { "其实会议改到周四了。", MN_CALL_CORRECTION, "其实会议改到周四了。" },
        { "评审会推迟到周五", MN_CALL_CORRECTION, "评审会推迟到周五" },
        { "我们从 Jenkins 迁移到 Buildkite 了", MN_CALL_CORRECTION, "我们从 Jenkins 迁移到 Buildkite 了" },
        { "我从 Vim 换成 Helix 了", MN_CALL_CORRECTION, "我从 Vim 换成 Helix 了" },
        { "后端服务不再支持旧接口", MN_CALL_CORRECTION, "后端服务不再支持旧接口" },
    };
    static const char *const nothing[] = {
        "I moved from the sofa to the bed.",
        "The cat moved from one chair to another chair.",
        "Could the meeting be moved to Thursday?",
        "I want the meeting moved to Thursday.",
        "I can no longer wait.",
        "It is no longer raining.",
        "The train is now at the station.",
        "其实我觉得不错",
        "我们从早上聊到晚上",
        "会议改到周四了吗",
    };
    struct row fixed[sizeof rows / sizeof *rows];

    memcpy(fixed, rows, sizeof rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!fixed[i].content)
            fixed[i].content = fixed[i].turn;
    ASSERT_DRAWN(fixed);
    ASSERT_NOTHING(nothing);
}

static void a_semicolon_parts_nothing_that_belongs_together(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "The root cause was a stale DNS cache; flushing it fixed the problem.", MN_CALL_RECOVERED,
          "The root cause was a stale DNS cache; flushing it fixed the problem." },
        { "The root cause was a stale DNS cache. Flushing it fixed the problem.", MN_CALL_RECOVERED,
          "The root cause was a stale DNS cache. Flushing it fixed the problem." },
        { "We saw a stale DNS cache; flushing it solved the issue.", MN_CALL_RECOVERED,
          "We saw a stale DNS cache; flushing it solved the issue." },
        { "Remember that the depot opens at six; the gate code is on the board.", MN_CALL_ORDER,
          "The depot opens at six; the gate code is on the board." },
        { "We decided to use NATS; Kafka is too heavy for us.", MN_CALL_DECISION,
          "We decided to use NATS; Kafka is too heavy for us." },
        { "根因是 DNS 缓存过期；清掉之后就好了。", MN_CALL_RECOVERED,
          "根因是 DNS 缓存过期；清掉之后就好了。" },
        { "记住仓库六点开门；门禁密码写在黑板上。", MN_CALL_ORDER, "仓库六点开门；门禁密码写在黑板上。" },
        { "Remember that the depot opens at six; thanks!", MN_CALL_ORDER, "The depot opens at six" },
        { "Remember that the depot opens at six; what else is new?", MN_CALL_ORDER,
          "The depot opens at six" },
    };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_drafts two =
        turn_drawn(arena, "Remember that the depot opens at six; from now on answer in Chinese.",
                   "user", NULL);

    ASSERT_DRAWN(rows);
    assert_int_equal(two.count, 2); /* what calls by itself is a memory of its own */
    assert_string_equal(two.item[0].content, "The depot opens at six");
    assert_string_equal(two.item[1].content, "Answer in Chinese.");
}

static void a_cure_alone_points_elsewhere(void **state)
{
    (void)state;
    static const char *const nothing[] = {
        "I fixed it.",
        "Something fixed it.",
        "Running in the rain fixed my mood.",
    };

    ASSERT_NOTHING(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feedback_is_kept_in_its_words),
        cmocka_unit_test(an_order_for_next_time_is_a_standing_one),
        cmocka_unit_test(a_correction_is_what_is_right),
        cmocka_unit_test(what_was_switched_and_moved_is_a_correction),
        cmocka_unit_test(a_semicolon_parts_nothing_that_belongs_together),
        cmocka_unit_test(a_cure_alone_points_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
