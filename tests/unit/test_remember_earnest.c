/*
 * test_remember_earnest.c - what a turn holds and its speaker does not state: texts that a task carries,
 * jokes, wishes, other people's words, things of the moment. None of it may become a memory; beside it
 * stands what is meant, in nearly the same words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "unit/turns.h"

static void assert_counts(const char *const *turns, size_t count, size_t wanted)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_drafts drafts = turn_drawn(arena, turns[i], "user", NULL);

        if (drafts.count == wanted)
            continue;
        print_message("%s\n    %zu '%s'\n", turns[i], drafts.count,
                      drafts.count ? drafts.item[0].content : "");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
#define ASSERT_EACH_GIVES(wanted, turns) assert_counts(turns, sizeof(turns) / sizeof *(turns), wanted)

static void what_a_task_carries_is_nobody_s_statement(void **state)
{
    (void)state;
    static const char *const carried[] = {
        "Write a story where the hero says: I moved to Paris.",
        "Write an email saying that the meeting was moved to Thursday",
        "Draft a message: we decided to postpone the release",
        "Summarize: The team decided to use Go. The deploy is done.",
        "Fix the sentence: I always use tabs and spaces",
        "Tell me a joke about programmers who always use tabs",
        "User: I live in Paris. Assistant: We decided to use Go.",
        "帮我写一封邮件，说会议改到周四了",
        "写一个故事，主角说他决定离开",
        "翻译成英文：我们决定用 Rust",
        "把这句翻译成英文：以后都要准时",
        "助手：我们决定用 Rust",
    };
    static const char *const meant[] = {
        "Summarize this PR. From now on, answer in Chinese.",
        "From now on, write emails in German.",
        "Always translate my mails into French.",
        "We decided to write the story in Go.",
        "翻译一下这段。以后都用中文回答我",
        "以后写邮件都用德语",
    };

    ASSERT_EACH_GIVES(0, carried);
    ASSERT_EACH_GIVES(1, meant);
}

static void a_joke_is_not_kept_and_takes_back_what_it_followed(void **state)
{
    (void)state;
    static const char *const jokes[] = {
        "Haha, from now on call me Batman, just kidding",
        "From now on call me Batman. Just kidding!",
        "Let's go with the flow haha",
        "I hate that answer lol",
        "Actually I'm joking",
        "开玩笑的，以后叫我蝙蝠侠",
        "以后叫我蝙蝠侠。开玩笑的！",
    };
    static const char *const meant[] = {
        "From now on call me Ann.",
        "以后叫我小安",
        "From now on call me Ann. The weather is nice. Just kidding!",
    };

    ASSERT_EACH_GIVES(0, jokes);
    ASSERT_EACH_GIVES(1, meant);
}

static void what_did_not_happen_is_not_reported(void **state)
{
    (void)state;
    static const char *const unreal[] = {
        "We almost decided to use Kafka but it's too heavy",
        "I don't think we decided to use MongoDB",
        "We never agreed on weekly releases",
        "I dreamed that we decided to use COBOL",
        "We should have decided to use Go",
        "I'd be happy if they fixed the bug by Friday",
        "We will have deployed by Friday",
        "I wish we had switched to Go",
        "If I lived in Rome I would walk every day",
        "The root cause is still unknown",
        "我们差点决定用 Kafka",
        "我梦见我们决定用 COBOL",
        "要是我住在罗马就好了",
        "根因还不清楚",
        "问题出在哪里还不知道",
    };
    static const char *const real[] = {
        "We decided not to use Kafka",
        "I fixed the bug by pinning the clock",
        "The root cause was a full disk",
        "我们决定不用 Kafka 了",
        "根因是磁盘满了",
    };

    ASSERT_EACH_GIVES(0, unreal);
    ASSERT_EACH_GIVES(1, real);
}

static void what_others_say_orders_and_describes_nobody_else(void **state)
{
    (void)state;
    static const char *const others[] = {
        "My boss always says: never deploy on Friday",
        "My boss prefers Java",
        "The error message says: never call this function twice",
        "According to the README, always run make first",
        "He told me: always use tabs",
        "She said \"from now on use Rust\"",
        "老板说以后都要写周报",
        "我老板更喜欢 Java",
        "文档里说一律用 UTF-8",
        "你说过以后都用中文",
    };
    static const char *const own[] = {
        "I told you: always use tabs",
        "Never deploy on Friday",
        "Remember that my boss says never deploy on Friday",
        "一律用 UTF-8",
    };

    ASSERT_EACH_GIVES(0, others);
    ASSERT_EACH_GIVES(1, own);
}

static void what_is_of_the_moment_is_not_kept(void **state)
{
    (void)state;
    static const char *const once[] = {
        "For this poem, never use the letter e",
        "Just this once, don't run the tests ever",
        "Never do that again!",
        "Don't do that again",
        "Stop asking me that",
        "Don't ever change!",
        "I prefer not to answer",
        "I prefer to stay home today",
        "I finished reading the novel",
        "其实我不是很喜欢",
        "我更喜欢你昨天的发型",
        "就这一次，别再用表格",
        "别再说了",
        "每次都是这样",
    };
    static const char *const lasting[] = {
        "In this repo, never use tabs",
        "Never push to main again",
        "Stop asking me to confirm every step",
        "I prefer Rust to Go",
        "I'd rather you answer in short",
        "别再用表格了",
        "每次提交前都要跑测试",
    };

    ASSERT_EACH_GIVES(0, once);
    ASSERT_EACH_GIVES(1, lasting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_task_carries_is_nobody_s_statement),
        cmocka_unit_test(a_joke_is_not_kept_and_takes_back_what_it_followed),
        cmocka_unit_test(what_did_not_happen_is_not_reported),
        cmocka_unit_test(what_others_say_orders_and_describes_nobody_else),
        cmocka_unit_test(what_is_of_the_moment_is_not_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
