/*
 * test_eval_token_axes.c - the axes along which states are spread most, the widest first.
 */
#include "eval/token_axes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAR(value, expected) assert_float_equal((float)(value), (float)(expected), 1e-5f)

static struct mn_token_axes axes_of(size_t dim, struct mn_arena *arena)
{
    struct mn_token_axes axes;
    struct mneme_error err;

    assert_int_equal(mn_token_axes_init(dim, arena, &axes, &err), MNEME_OK);
    return axes;
}

/* Along (3, 4) / 5 by 10, along (-4, 3) / 5 by 1, around (7, 0); the third number never differs. */
static void the_widest_axis_comes_first_and_points_up(void **state)
{
    static const float states[] = {
        7 + 6, 8, 2, 7 - 6, -8, 2, 7 - 0.8f, 0.6f, 2, 7 + 0.8f, -0.6f, 2,
    };
    struct mn_arena *arena = mn_arena_new(1 << 20);
    struct mn_token_axes axes = axes_of(3, arena);
    double mean[3], found[6];
    struct mneme_error err;

    (void)state;
    mn_token_axes_add(&axes, states, 1);
    mn_token_axes_add(&axes, states + 3, 3);
    assert_int_equal(axes.count, 4);
    assert_int_equal(mn_token_axes_find(&axes, 2, arena, mean, found, &err), MNEME_OK);
    NEAR(mean[0], 7);
    NEAR(mean[1], 0);
    NEAR(mean[2], 2);
    NEAR(found[0], 0.6);
    NEAR(found[1], 0.8);
    NEAR(found[2], 0);
    NEAR(found[3], 0.8);
    NEAR(found[4], -0.6);
    NEAR(found[5], 0);
    mn_arena_free(arena);
}

static void axes_without_any_spread_are_square_to_the_others_all_the_same(void **state)
{
    static const float states[] = { 1, 0, 0, -1, 0, 0 };
    struct mn_arena *arena = mn_arena_new(1 << 20);
    struct mn_token_axes axes = axes_of(3, arena);
    double mean[3], found[9];
    struct mneme_error err;

    (void)state;
    mn_token_axes_add(&axes, states, 2);
    assert_int_equal(mn_token_axes_find(&axes, 3, arena, mean, found, &err), MNEME_OK);
    NEAR(found[0], 1);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            NEAR(found[3 * a] * found[3 * b] + found[3 * a + 1] * found[3 * b + 1] +
                     found[3 * a + 2] * found[3 * b + 2],
                 a == b);
    mn_arena_free(arena);
}

static void no_states_or_more_axes_than_dimensions_are_refused(void **state)
{
    static const float states[] = { 1, 2 };
    struct mn_arena *arena = mn_arena_new(1 << 20);
    struct mn_token_axes axes = axes_of(2, arena);
    double mean[2], found[6];
    struct mneme_error err;

    (void)state;
    assert_int_equal(mn_token_axes_find(&axes, 2, arena, mean, found, &err), MNEME_INVALID);
    mn_token_axes_add(&axes, states, 1);
    assert_int_equal(mn_token_axes_find(&axes, 3, arena, mean, found, &err), MNEME_INVALID);
    assert_int_equal(mn_token_axes_find(&axes, 2, arena, mean, found, &err), MNEME_OK);
    mn_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_axis_comes_first_and_points_up),
        cmocka_unit_test(axes_without_any_spread_are_square_to_the_others_all_the_same),
        cmocka_unit_test(no_states_or_more_axes_than_dimensions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
