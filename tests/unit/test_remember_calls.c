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

static void an_end_is_reported_with_and_without_a_subject(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "已经修好了登录的 bug", MN_CALL_DONE,
          "已经修好了登录的 bug" },
        { "登录问题修好了", MN_CALL_DONE,
          "登录问题修好了" },
        { "登录的 bug 已经修复", MN_CALL_DONE,
          "登录的 bug 已经修复" },
        { "刚刚部署了 2.3 版本", MN_CALL_DONE,
          "刚刚部署了 2.3 版本" },
        { "新版本已经发布", MN_CALL_DONE,
          "新版本已经发布" },
        { "Fixed the login bug", MN_CALL_DONE,
          "I fixed the login bug" },
        { "The login bug is fixed", MN_CALL_DONE,
          "The login bug is fixed" },
        { "Deployed version 2.3 to production", MN_CALL_DONE,
          "I deployed version 2.3 to production" },
        { "The payment timeout is resolved", MN_CALL_DONE,
          "The payment timeout is resolved" },
        { "Fixed the flaky test in CI", MN_CALL_DONE,
          "I fixed the flaky test in CI" },
        { "Merged the release branch", MN_CALL_DONE,
          "I merged the release branch" },
        { "修好了支付接口的超时", MN_CALL_DONE,
          "修好了支付接口的超时" },
        { "修复了内存泄漏", MN_CALL_DONE,
          "修复了内存泄漏" },
        { "CI 修好了", MN_CALL_DONE,
          "CI 修好了" },
        { "部署到生产了", MN_CALL_DONE,
          "部署到生产了" },
        { "昨天发布了 1.4 版", MN_CALL_DONE,
          "昨天发布了 1.4 版" },
        { "线上的 bug 都修完了", MN_CALL_DONE,
          "线上的 bug 都修完了" },
    };

    ASSERT_DRAWN(rows);
}

static void everyday_talk_draws_nothing(void **state)
{
    (void)state;
    static const char *const nothing[] = {
        "I'm now using the laptop outside",
        "Your code is wrong",
        "remember the milk",
        "My boss is German",
        "My doctor is kind",
        "My teacher is a nice person",
        "I'm now using the bathroom",
        "I now use this chair",
        "We're now running late",
        "I'm now working on the slides",
        "I now live in fear",
        "I have moved on to the next question",
        "We use the stairs",
        "I use it every day",
        "Remember the good old days",
        "remember me?",
        "Do you remember the movie",
        "Don't forget your umbrella",
        "I forgot my keys",
        "The code is broken",
        "Your explanation is fine",
        "That answer is great",
        "I decided to take a nap",
        "We decided to order pizza",
        "I finished my coffee",
        "I finished reading the paper",
        "Let's go with the blue one for now",
        "I love how quiet it is here",
        "I like your hat",
        "I prefer not to say",
        "Call me later",
        "Call me tomorrow",
        "I work for hours without a break",
        "I live in the moment",
        "I moved to the couch",
        "The meeting was long",
        "We moved the table to the kitchen",
        "Actually, I'm fine",
        "Actually the weather is nice today",
        "No, the blue one",
        "I changed my mind about lunch",
        "I no longer feel sick",
        "The cat is done eating",
        "I fixed dinner",
        "我现在在外面用笔记本",
        "你的代码错了",
        "我老板是德国人",
        "我的医生很好",
        "我决定去睡觉了",
        "我们决定点披萨",
        "我改主意了，午饭吃面",
        "我喝完咖啡了",
        "吃完饭了",
        "以后再说吧",
        "我记得那部电影",
        "你还记得我吗",
        "别忘了带伞",
        "叫我一声",
        "我在家工作",
        "我在路上",
        "我住在当下",
        "其实今天天气不错",
        "我现在用手机打字",
        "我们用楼梯吧",
        "我已经不困了",
        "我不再生气了",
        "修好了椅子",
        "车修好了",
        "洗衣机修好了",
        "我喜欢今天的天气",
        "我叫了外卖",
        "我叫车了",
        "这个问题解决不了",
        "还没修好登录的 bug",
        "Your answer was wrong",
        "That answer is wrong!",
        "I changed my mind",
        "Remember sunscreen",
        "Don't forget the keys",
        "Remember to smile",
        "I'm now in a meeting",
        "I'm now on the train",
        "We're now using the other door",
        "I now use the bus",
        "Actually it's raining",
        "Actually that's funny",
        "Actually I'm tired",
        "No, the left one",
        "No, it's fine",
        "I love this song",
        "I like your idea",
        "I hate Mondays",
        "I dislike the weather",
        "I prefer the red one today",
        "We agreed it was fun",
        "They decided to leave",
        "I decided not to go",
        "Let's go with the second one",
        "The soup is done",
        "All the cookies are done",
        "I just finished my homework",
        "I finished the game",
        "Fixed my bike",
        "The car is fixed",
        "I solved the crossword",
        "I resolved to be kinder",
        "We shipped the parcel",
        "I submitted my tax return",
        "My friend works at Google",
        "I work from home today",
        "I live upstairs",
        "Call me if you need anything",
        "Call me back",
        "My name is on the list",
        "From now on it gets easier",
        "Every time I see it I laugh",
        "Always a pleasure",
        "Never again!",
        "Stop using that word, haha",
        "我现在很忙",
        "我现在在开会",
        "我现在用公司电脑",
        "我用完了",
        "我住酒店",
        "我叫醒了他",
        "我叫你呢",
        "我改变主意了",
        "我们决定走路去",
        "我决定早点睡",
        "其实我很累",
        "其实还好",
        "不对吧",
        "汤做好了",
        "作业写完了",
        "游戏打完了",
        "把门修好了",
        "自行车修好了",
        "我喜欢这首歌",
        "我不喜欢下雨",
        "我习惯了",
        "以后见",
        "以后会好的",
        "每次都这样",
        "别再哭了",
        "记得吃饭",
        "记得早点回家",
        "我老板很严格",
        "我妹妹是医生",
        "我同事是日本人",
    };

    ASSERT_NOTHING(nothing);
}

static void what_is_right_behind_a_bare_verdict_is_kept(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "Your code is wrong. Use tabs.", MN_CALL_CORRECTION, "Use tabs." },
        { "Your code was wrong, use tabs", MN_CALL_FEEDBACK, "Your code was wrong, use tabs" },
        { "Remember the deploy window is 10 to 16", MN_CALL_ORDER, "The deploy window is 10 to 16" },
        { "提交前记得跑测试", MN_CALL_ORDER, "提交前记得跑测试" },
    };

    ASSERT_DRAWN(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_is_reported_with_and_without_a_subject),
        cmocka_unit_test(everyday_talk_draws_nothing),
        cmocka_unit_test(what_is_right_behind_a_bare_verdict_is_kept),
        cmocka_unit_test(feedback_is_kept_in_its_words),
        cmocka_unit_test(an_order_for_next_time_is_a_standing_one),
        cmocka_unit_test(a_correction_is_what_is_right),
        cmocka_unit_test(what_was_switched_and_moved_is_a_correction),
        cmocka_unit_test(a_semicolon_parts_nothing_that_belongs_together),
        cmocka_unit_test(a_cure_alone_points_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
