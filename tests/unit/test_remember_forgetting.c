/*
 * test_remember_forgetting.c - orders to forget: what they are about, and what sounds like one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "unit/turns.h"

static void an_order_to_forget_says_what(void **state)
{
    (void)state;
    static const struct {
        const char *turn;
        enum mn_call call;
        const char *said;
    } rows[] = {
        { "Forget what I said about Berlin.", MN_CALL_FORGET, "Berlin" },
        { "Please forget everything I told you about my old job", MN_CALL_FORGET, "my old job" },
        { "Can you forget what I told you about Berlin, please?", MN_CALL_FORGET, "Berlin" },
        { "Delete everything you know about the Otto project please", MN_CALL_FORGET, "the Otto project" },
        { "Forget everything about Berlin for now", MN_CALL_FORGET, "Berlin" },
        { "Forget my old address.", MN_CALL_FORGET, "old address" },
        { "Forget that I live in Berlin.", MN_CALL_TAKEN_BACK, "I live in Berlin" },
        { "忘掉我说的关于柏林的事", MN_CALL_FORGET, "柏林" },
        { "请忘记我之前说的关于柏林的一切吧", MN_CALL_FORGET, "柏林" },
        { "把关于柏林的事都忘掉吧", MN_CALL_FORGET, "柏林" },
        { "删除所有关于柏林的记忆", MN_CALL_FORGET, "柏林" },
        { "忘掉我的旧地址", MN_CALL_FORGET, "旧地址" },
        { "忘记我住在柏林这件事", MN_CALL_TAKEN_BACK, "我住在柏林" },
        { "请忘掉我说的关于柏林的事，好吗？", MN_CALL_FORGET, "柏林" },
        { "Delete your memories of Berlin.", MN_CALL_FORGET, "Berlin" },
    };
    int wrong = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_calls calls = turn_heard(arena, rows[i].turn, "user");
        struct mn_drafts drafts = turn_drawn(arena, rows[i].turn, "user", NULL);

        if (calls.count == 1 && calls.item[0].call == rows[i].call && !drafts.count &&
            drafts.forget.count == 1 && !strcmp(drafts.forget.item[0].said.at, rows[i].said))
            continue;
        print_message("%s\n    %zu calls, '%s'\n", rows[i].turn, calls.count,
                      calls.count ? calls.item[0].said.at : "");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void what_sounds_like_one_orders_nothing(void **state)
{
    (void)state;
    static const char *const turns[] = {
        "Forget it.",
        "Never mind, forget about it.",
        "Forget that.",
        "I forgot what I said about Berlin.",
        "Did you forget what I said about Berlin?",
        "What if I said forget everything about Berlin?",
        "If I say forget what I said about Berlin, do it.",
        "He said \"forget what I said about Berlin\".",
        "Delete everything about Berlin in the README.",
        "Remove all of the tests on Windows.",
        "I'll never forget what you said about Berlin.",
        "忘了吧",
        "忘了告诉你，关于柏林的会不开了吗？",
        "忘记带伞了",
        "我忘了我说过什么",
        "我忘了关于柏林的事",
        "忘了我的伞",
        "删掉柏林.txt",
        "删除关于页面",
        "如果我说忘掉关于柏林的事呢",
        "你忘了我说的关于柏林的事了吗？",
        "忘记我之前说的关于柏林的事了没有？",
        "Clear the memory of the device before the update.",
        "Remove the note on line 5.",
    };
    int wrong = 0;

    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_drafts drafts = turn_drawn(arena, turns[i], "user", NULL);

        if (drafts.forget.count)
            print_message("%s\n    '%s'\n", turns[i], drafts.forget.item[0].said.at);
        wrong += drafts.forget.count > 0;
    }
    assert_int_equal(wrong, 0);
}

static void only_the_user_orders(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    assert_int_equal(turn_heard(arena, "Forget what I said about Berlin.", "assistant").count, 0);
    assert_int_equal(turn_heard(arena, "Forget what I said about Berlin.", "tool_result").count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_to_forget_says_what),
        cmocka_unit_test(what_sounds_like_one_orders_nothing),
        cmocka_unit_test(only_the_user_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
