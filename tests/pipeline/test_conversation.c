/*
 * test_conversation.c - one figure from many signals.
 */
#include "retrieve/conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#define NEAR(value, expected) assert_float_equal((float)(value), (float)(expected), 0.00001f)

static void signals_are_scaled_by_the_pool_and_summed(void **state)
{
    struct mn_context context[3] = {
        { .signal = { [MN_SIGNAL_TURN] = 4, [MN_SIGNAL_SELF] = 1 } }, /* 2.39 + 0.83 */
        { .signal = { [MN_SIGNAL_TURN] = 2, [MN_SIGNAL_EDGE] = 2 } }, /* 1.195 + 1.26 */
        { .signal = { [MN_SIGNAL_ENDS_ASKING] = 1 } },                /* -0.37 */
    };
    struct mn_candidate item[] = {
        { .context = &context[0] }, { .context = &context[1] }, { .context = &context[2] }, { 0 }
    };
    struct mn_candidates found = { item, 4, 4 };

    (void)state;
    mn_conversation_score(&found);
    NEAR(item[0].conversation, 1);
    NEAR(item[1].conversation, (1.195 + 1.26) / (2.39 + 0.83));
    NEAR(item[2].conversation, 0);
    NEAR(item[3].conversation, 0);
}

static void vectors_change_the_weights_and_count_by_their_range(void **state)
{
    struct mn_context context[3] = {
        { .has_vector = true, .signal = { [MN_SIGNAL_VECTOR] = 0.5f } },
        { .has_vector = true, .signal = { [MN_SIGNAL_VECTOR] = 0.1f } },
        { .has_vector = true,
          .signal = { [MN_SIGNAL_VECTOR] = -0.3f, [MN_SIGNAL_SELF] = 1 } }, /* 0.91 */
    };
    struct mn_candidate item[] = { { .context = &context[0] },
                                   { .context = &context[1] },
                                   { .context = &context[2] } };
    struct mn_candidates found = { item, 3, 3 };

    (void)state;
    mn_conversation_score(&found);
    NEAR(item[0].conversation, 1);
    NEAR(item[1].conversation, 0.5);
    NEAR(item[2].conversation, 0.91 / 3.37);
}

static void a_pool_without_any_signal_has_no_best(void **state)
{
    struct mn_context context[2] = { { 0 }, { 0 } };
    struct mn_candidate item[] = { { .context = &context[0] }, { .context = &context[1] } };
    struct mn_candidates found = { item, 2, 2 };

    (void)state;
    mn_conversation_score(&found);
    NEAR(item[0].conversation, 0);
    found.count = 0;
    mn_conversation_score(&found);
}

static void lengths_count_in_spreads_of_the_pool(void **state)
{
    struct mn_context context[2] = {
        { .signal = { [MN_SIGNAL_LETTERS] = 5, [MN_SIGNAL_SELF] = 1 } },
        { .signal = { [MN_SIGNAL_LETTERS] = 3, [MN_SIGNAL_SELF] = 1 } },
    };
    struct mn_candidate item[] = { { .context = &context[0] }, { .context = &context[1] } };
    struct mn_candidates found = { item, 2, 2 };

    (void)state;
    mn_conversation_score(&found);
    NEAR(item[0].conversation, (0.83 - 0.28) / (0.83 + 0.28));
    NEAR(item[1].conversation, 1);
}

static void turns_share_the_relevance_they_have_by_themselves(void **state)
{
    struct mn_context context[3] = {
        { .signal = { [MN_SIGNAL_SELF] = 1 } },
        { .signal = { [MN_SIGNAL_EDGE] = 2 } },
        { .signal = { [MN_SIGNAL_EDGE] = 1 } },
    };
    struct mneme_memory memory[] = { { .id = "a" }, { .id = "b" }, { .id = "c" }, { .id = "d" } };
    struct mn_candidate item[] = { { .memory = &memory[0], .context = &context[0] },
                                   { .memory = &memory[1], .context = &context[1] },
                                   { .memory = &memory[2], .context = &context[2] },
                                   { .memory = &memory[3] } };
    struct mn_candidates found = { item, 4, 4 };
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_ARENA_AUTO full = mn_arena_new(0);

    (void)state;
    item[0].parts.relevance = 0.9;
    item[1].parts.relevance = 0.2;
    item[2].parts.relevance = 0.4;
    item[3].parts.relevance = 0.3;
    assert_int_equal(mn_conversation_apply(&found, full, NULL), MNEME_LIMIT);
    NEAR(item[0].parts.relevance, 0.9);
    assert_int_equal(mn_conversation_apply(&found, arena, NULL), MNEME_OK);
    NEAR(item[1].parts.relevance, 0.999 * 0.9 + 0.001);               /* 1.26 */
    NEAR(item[0].parts.relevance, 0.999 * 0.4 + 0.001 * 0.83 / 1.26); /* 0.83 */
    NEAR(item[2].parts.relevance, 0.999 * 0.2 + 0.001 * 0.63 / 1.26); /* 0.63 */
    NEAR(item[3].parts.relevance, 0.3);
}

static void every_signal_is_told_as_it_is_weighed(void **state)
{
    struct mn_context context[2] = {
        { .signal = { [MN_SIGNAL_TURN] = 4, [MN_SIGNAL_LETTERS] = 5, [MN_SIGNAL_EDGE] = 2 } },
        { .signal = { [MN_SIGNAL_TURN] = 1, [MN_SIGNAL_LETTERS] = 3 } },
    };
    struct mneme_memory memory[] = { { .id = "a" }, { .id = "b" }, { .id = "fact" } };
    struct mn_candidate item[] = { { .memory = &memory[0], .context = &context[0] },
                                   { .memory = &memory[1], .context = &context[1] },
                                   { .memory = &memory[2] } };
    struct mn_candidates found = { item, 3, 3 };
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_ARENA_AUTO full = mn_arena_new(0);
    struct mn_trace trace = { .arena = arena };
    struct mn_trace no_room = { .arena = full };

    (void)state;
    mn_conversation_tell(&found, &trace);
    assert_false(trace.truncated);
    assert_ptr_equal(strstr(trace.signals, "{\"names\":[\"turn\",\"around_3\","), trace.signals);
    assert_non_null(strstr(trace.signals, "\"weights\":[2.39,1.32,"));
    assert_non_null(strstr(trace.signals, "\"turns\":{\"a\":[1,0,0,0,0,0,0,0,0,1,0,0,0,0,0,2,"));
    assert_non_null(strstr(trace.signals, ",\"b\":[0.25,0,0,0,0,0,0,0,0,-1,0,"));
    assert_null(strstr(trace.signals, "fact"));
    context[1].has_vector = true;
    mn_conversation_tell(&found, &trace);
    assert_non_null(strstr(trace.signals, "\"weights\":[1.29,1.1,"));
    mn_conversation_tell(&found, &no_room);
    assert_null(no_room.signals);
    assert_true(no_room.truncated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_scaled_by_the_pool_and_summed),
        cmocka_unit_test(vectors_change_the_weights_and_count_by_their_range),
        cmocka_unit_test(a_pool_without_any_signal_has_no_best),
        cmocka_unit_test(lengths_count_in_spreads_of_the_pool),
        cmocka_unit_test(turns_share_the_relevance_they_have_by_themselves),
        cmocka_unit_test(every_signal_is_told_as_it_is_weighed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
