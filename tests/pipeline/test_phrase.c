/*
 * test_phrase.c - what the request quotes counts where it stands as quoted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/candidates.h"
#include "retrieve/stages.h"
#include "retrieve/trace.h"

#define NEAR(value, expected) assert_float_equal((float)(value), (float)(expected), 0.00001f)

static void lean(const char *request, struct mn_candidate *item, size_t count)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_candidates found = { item, count, count };
    struct mn_trace trace = { .arena = arena };
    struct mn_plan plan = { 0 };

    assert_int_equal(mn_mention_find(arena, request, &plan.mentions, NULL), MNEME_OK);
    assert_int_equal(mn_phrase_lean(&plan, arena, &found, &trace, NULL), MNEME_OK);
    for (size_t i = 0; i < count; i++) /* the arena goes with this function */
        item[i].conversation = item[i].context ? (double)item[i].context->signal[MN_SIGNAL_TURN] : 0;
}

static void who_holds_the_quoted_words_gains_half_of_what_is_missing(void **state)
{
    struct mneme_memory fits = a_memory("a", "fact", "It fails with Exit  Code 2, they say.");
    struct mneme_memory mixed = a_memory("b", "fact", "Exit the code review after 2 hours.");
    struct mneme_memory longer = a_memory("c", "fact", "It fails with exit code 23.");
    struct mneme_memory titled = a_memory("d", "fact", "See there.");
    struct mn_candidate item[] = { a_candidate(&fits), a_candidate(&mixed), a_candidate(&longer),
                                   a_candidate(&titled) };

    (void)state;
    titled.title = "exit code 2";
    for (size_t i = 0; i < 4; i++)
        item[i].text = item[i].coverage = 0.6;
    lean("What does “exit code 2” mean?", item, 4);
    NEAR(item[0].text, 0.8);
    NEAR(item[0].coverage, 0.8);
    NEAR(item[1].text, 0.6);
    NEAR(item[2].text, 0.6); /* a word border */
    NEAR(item[3].text, 0.8);
}

static void several_quotations_have_a_share_each(void **state)
{
    struct mneme_memory both = a_memory("a", "fact", "网络超时 when the disk full light is on");
    struct mneme_memory one = a_memory("b", "fact", "disk full");
    struct mn_candidate item[] = { a_candidate(&both), a_candidate(&one) };

    (void)state;
    lean("「網絡超時」 and \"disk full\" and \"the\"", item, 2);
    NEAR(item[0].text, 0.5);
    NEAR(item[1].text, 0.25);
}

static void a_turn_gains_the_best_of_the_pool(void **state)
{
    struct mneme_memory quoted = a_memory("a", "event", "they said red fox jumps");
    struct mneme_memory other = a_memory("b", "event", "a fox, red, red");
    struct mn_context context[] = { { .signal = { [MN_SIGNAL_TURN] = 1 } },
                                    { .signal = { [MN_SIGNAL_TURN] = 3 } } };
    struct mn_candidate item[] = { a_candidate(&quoted), a_candidate(&other) };

    (void)state;
    item[0].context = &context[0];
    item[1].context = &context[1];
    lean("who said \"red fox\"?", item, 2);
    NEAR(item[0].conversation, 4);
    NEAR(item[1].conversation, 3);
    NEAR(context[0].signal[MN_SIGNAL_TURN], 1); /* it is another's */
}

static void without_a_quotation_nothing_changes(void **state)
{
    struct mneme_memory memory = a_memory("a", "fact", "exit code 2");
    struct mn_candidate item[] = { a_candidate(&memory) };

    (void)state;
    item[0].text = 0.5;
    lean("exit code 2 isn't \"\"", item, 1);
    NEAR(item[0].text, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_holds_the_quoted_words_gains_half_of_what_is_missing),
        cmocka_unit_test(several_quotations_have_a_share_each),
        cmocka_unit_test(a_turn_gains_the_best_of_the_pool),
        cmocka_unit_test(without_a_quotation_nothing_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
