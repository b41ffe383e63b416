/*
 * test_base_arena.c - zeroed, aligned, apart, up to the limit and not one piece past it; and the
 * arrays that grow in it.
 */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"

#define PIECE alignof(max_align_t) /* what the smallest allocation counts */

static void pieces_are_zeroed_aligned_and_do_not_overlap(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)64 << 20);
    unsigned char *piece[3000];
    size_t total = 0;

    (void)state;
    for (size_t i = 0; i < 3000; i++) {
        size_t bytes = i * 7919 % 5000 + 1;

        piece[i] = mn_arena_alloc(arena, bytes);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % PIECE, 0);
        for (size_t j = 0; j < bytes; j++)
            assert_int_equal(piece[i][j], 0);
        memset(piece[i], (int)(i % 255 + 1), bytes);
        total += (bytes + PIECE - 1) / PIECE * PIECE;
    }
    assert_int_equal(mn_arena_bytes(arena), total);
    for (size_t i = 0; i < 3000; i++) {
        for (size_t j = 0; j < i * 7919 % 5000 + 1; j++)
            assert_int_equal(piece[i][j], i % 255 + 1);
    }
}

static void pieces_larger_than_a_chunk_come_zeroed_and_leave_the_chunk_in_use(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)16 << 20);
    char *first = mn_arena_copy(arena, "first");
    char *large = mn_arena_alloc(arena, (size_t)5 << 20);
    char *second = mn_arena_copy(arena, "second");

    (void)state;
    assert_non_null(large);
    assert_int_equal(large[0], 0);
    assert_int_equal(large[((size_t)5 << 20) - 1], 0);
    assert_ptr_equal(second, first + PIECE);
}

static void the_limit_is_reached_exactly_and_smaller_pieces_still_fit_after_a_refusal(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(10 * PIECE);

    (void)state;
    assert_non_null(mn_arena_alloc(arena, 9 * PIECE));
    assert_null(mn_arena_alloc(arena, PIECE + 1));
    assert_non_null(mn_arena_alloc(arena, PIECE));
    assert_null(mn_arena_alloc(arena, 1));
    assert_null(mn_arena_copy(arena, ""));
    assert_null(mn_arena_printf(arena, "%d", 1));
    assert_int_equal(mn_arena_bytes(arena), 10 * PIECE);
}

static void sizes_that_overflow_are_refused(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);

    (void)state;
    assert_null(mn_arena_alloc(arena, SIZE_MAX));
    assert_null(mn_arena_calloc(arena, SIZE_MAX / 2, 3));
    assert_null(mn_arena_copy_n(arena, "x", SIZE_MAX));
    assert_int_equal(mn_arena_bytes(arena), 0);
}

static void nothing_at_all_is_still_a_piece_of_its_own(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(2 * PIECE);
    void *one = mn_arena_alloc(arena, 0);
    void *two = mn_arena_array(arena, int, 0);

    (void)state;
    assert_non_null(one);
    assert_non_null(two);
    assert_ptr_not_equal(one, two);
}

static void copies_end_with_nul_and_null_is_the_empty_text(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1000);

    (void)state;
    assert_string_equal(mn_arena_copy(arena, "abc"), "abc");
    assert_string_equal(mn_arena_copy(arena, NULL), "");
    assert_string_equal(mn_arena_copy_n(arena, "abcdef", 3), "abc");
    assert_string_equal(mn_arena_copy_n(arena, NULL, 3), "");
    assert_string_equal(mn_arena_printf(arena, "%s-%d", "x", 7), "x-7");
}

static void a_missing_arena_is_a_full_one(void **state)
{
    struct mn_arena *none = NULL;

    (void)state;
    assert_null(mn_arena_alloc(none, 1));
    assert_null(mn_arena_copy(none, "x"));
    assert_null(mn_arena_printf(none, "x"));
    assert_int_equal(mn_arena_bytes(none), 0);
    mn_arena_free(none);
    mn_arena_free_at(&none);
}

static void an_array_keeps_its_items_while_it_grows(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 20);
    struct {
        int64_t *item;
        size_t count, room;
    } numbers = {0};

    (void)state;
    for (int64_t i = 0; i < 1000; i++) {
        int64_t *number = mn_array_add(arena, &numbers);

        assert_non_null(number);
        assert_int_equal(*number, 0);
        *number = i;
    }
    assert_int_equal(numbers.count, 1000);
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(numbers.item[i], i);
}

static void an_array_that_cannot_grow_stays_as_it_is(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(8 * sizeof(int64_t) + 8);
    struct {
        int64_t *item;
        size_t count, room;
    } numbers = {0};

    (void)state;
    for (int64_t i = 0; i < 8; i++)
        *mn_array_add(arena, &numbers) = i;
    assert_null(mn_array_add(arena, &numbers));
    assert_int_equal(numbers.count, 8);
    assert_int_equal(numbers.room, 8);
    assert_int_equal(numbers.item[7], 7);
}

static void note_end(void *what)
{
    char **at = what;

    *(*at)++ = 'x';
}

static void note_other_end(void *what)
{
    char **at = what;

    *(*at)++ = 'y';
}

static void what_was_to_be_called_at_the_end_is_called_last_first(void **state)
{
    struct mn_arena *arena = mn_arena_new(4 * PIECE);
    char called[8] = "", *at = called;

    (void)state;
    assert_true(mn_arena_at_end(arena, note_end, &at));
    assert_true(mn_arena_at_end(arena, note_other_end, &at));
    assert_false(mn_arena_at_end(arena, note_end, &at)); /* no room */
    assert_string_equal(called, "");
    mn_arena_free(arena);
    assert_string_equal(called, "yx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_do_not_overlap),
        cmocka_unit_test(pieces_larger_than_a_chunk_come_zeroed_and_leave_the_chunk_in_use),
        cmocka_unit_test(the_limit_is_reached_exactly_and_smaller_pieces_still_fit_after_a_refusal),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(nothing_at_all_is_still_a_piece_of_its_own),
        cmocka_unit_test(copies_end_with_nul_and_null_is_the_empty_text),
        cmocka_unit_test(a_missing_arena_is_a_full_one),
        cmocka_unit_test(what_was_to_be_called_at_the_end_is_called_last_first),
        cmocka_unit_test(an_array_keeps_its_items_while_it_grows),
        cmocka_unit_test(an_array_that_cannot_grow_stays_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
