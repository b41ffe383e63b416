/*
 * test_conversation.c - one figure from many signals.
 */
#include "retrieve/conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_scaled_by_the_pool_and_summed),
        cmocka_unit_test(vectors_change_the_weights_and_count_by_their_range),
        cmocka_unit_test(a_pool_without_any_signal_has_no_best),
        cmocka_unit_test(lengths_count_in_spreads_of_the_pool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
