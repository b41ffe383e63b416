/*
 * test_search_scan.c - the loops over vectors: exact, and the same whichever way they are done.
 */
#include "search/scan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/scan_play.h"
#include "search/scan_avx2.h"
#include "search/scan_avx512.h"
#include "search/scan_neon.h"
#include "search/vector_code.h"

#define TAG UINT32_C(0x80000000)

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static float next_float(void)
{
    return (float)((double)(next_random() >> 11) / 9007199254740992.0 * 2 - 1);
}

/* ---- the k best ---- */

static void the_best_are_kept_and_of_equals_the_lower_row(void **state)
{
    static const float score[] = { 3, 1, 2, 3, 5, 3, 0 };
    struct mn_scored item[3];
    struct mn_best best = { item, 0, 3 };
    bool seen[7] = { false };

    (void)state;
    assert_true(isinf(mn_best_least(&best)));
    for (uint32_t row = 7; row-- > 0;) /* whatever the order */
        mn_best_offer(&best, score[row], row);
    assert_int_equal(best.count, 3);
    assert_float_equal(mn_best_least(&best), 3, 0);
    for (size_t i = 0; i < 3; i++)
        seen[item[i].row] = true;
    assert_true(seen[4] && seen[0] && seen[3]);
}

static void with_no_room_nothing_is_kept(void **state)
{
    struct mn_best best = { NULL, 0, 0 };

    (void)state;
    mn_best_offer(&best, 1, 1);
    assert_int_equal(best.count, 0);
    assert_true(mn_best_least(&best) > 1e30f);
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

static void a_shortlist_keeps_the_best_whatever_the_order(void **state)
{
    enum { MANY = 1000 };
    uint64_t room[2 * 90], all[MANY];

    (void)state;
    for (int round = 0; round < 60; round++) {
        size_t keep = 1 + next_random() % 90, many = keep + next_random() % (MANY - keep);
        struct mn_shortlist list = { room, 0, keep, -INFINITY };

        for (uint32_t row = 0; row < many; row++) {
            float score = round % 3 == 0   ? (float)row          /* each better than all before */
                          : round % 3 == 1 ? (float)(row % 7) - 3 /* many alike */
                                           : next_float();

            all[row] = mn_scored_key(score, row);
            if (score >= list.least)
                mn_shortlist_offer(&list, score, row);
        }
        mn_shortlist_cut(&list);
        qsort(all, many, sizeof *all, by_key);
        qsort(list.key, list.count, sizeof *list.key, by_key);
        assert_int_equal(list.count, keep);
        assert_memory_equal(list.key, all, keep * sizeof *all);
    }
}

static void keys_order_scores_and_of_equals_the_lower_row_first(void **state)
{
    static const float score[] = { -INFINITY, -2, -1e-30f, 0, 1e-30f, 0.5f, 3, INFINITY };

    (void)state;
    for (size_t i = 0; i + 1 < sizeof score / sizeof score[0]; i++) {
        assert_true(mn_scored_key(score[i], 0) < mn_scored_key(score[i + 1], UINT32_MAX));
        assert_true(mn_scored_key(score[i], 8) < mn_scored_key(score[i], 7));
        assert_int_equal(mn_scored_key_row(mn_scored_key(score[i], 7 + TAG)), 7 + TAG);
    }
    assert_true(mn_scored_key(-0.0f, 5) == mn_scored_key(0.0f, 5));
}

/* ---- the ways ---- */

static void the_four_bits_of_a_row_are_chosen_by(void **state)
{
    struct mn_scored item[2];
    struct mn_best best = { item, 0, 2 };
    struct {
        uint8_t code[32];
        struct mn_scan_factors by;
    } row[3] = { { .by = { 1, 0 } }, { .by = { 1, 0 } }, { .by = { 2, -1 } } };
    int8_t code[64] = { 0 };
    const uint32_t list[3] = { 0, 1, 2 };
    const struct mn_scan_rows rows = { (const uint8_t *)row, 64 };
    const struct mn_scan_request request = { code, 10 - 4, 0.5f, 3 };

    (void)state;
    code[1] = 10;
    code[33] = -4;
    assert_int_equal(sizeof row[0], mn_scan_row_bytes(64));
    row[1].code[1] = 15;          /* 15 at number 1, 0 at number 33 */
    row[2].code[1] = 8 | 12 << 4; /* 8 and 12 */
    mn_scan_plain.offer(&rows, list, 3, &request, TAG, &best);
    /* 2 * dot - 15 * 6: -90, 210, -26 */
    assert_int_equal(best.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_float_equal(item[i].score, (item[i].row == (1 | TAG) ? 105 : -29), 1e-6);
    assert_true((item[0].row ^ item[1].row) == (1 ^ 2));
}

static void signs_pick_from_the_tables_and_a_row_that_reaches_the_least_is_in(void **state)
{
    enum { BYTES = 64 / 8 * MN_SIFT_ROWS };
    uint8_t block[BYTES + 4 * MN_SIFT_ROWS] = { 0 }, table[16 * MN_SIFT_TABLE] = { 0 };
    const struct mn_sift_request request = { table, 0.5f, 1, 2 };
    float score[MN_SIFT_ROWS];

    (void)state;
    table[3] = 7;                          /* numbers 0 to 3 */
    table[MN_SIFT_TABLE + 9] = 11;         /* 8 to 11 */
    table[6 * MN_SIFT_TABLE + 1] = 13;     /* 20 to 23 */
    block[5] = 3;                          /* row 5 */
    block[MN_SIFT_ROWS + 5] = 9;           /* its numbers 8 to 15 */
    block[2 * MN_SIFT_ROWS + 5] = 1 << 4;  /* its numbers 20 to 23 */
    block[BYTES + 2 * 5 + 1] = 0x40;       /* its scale: 2 */
    block[BYTES + 64 + 2 * 5 + 1] = 0xc0;  /* its bias: -2 */
    assert_int_equal(mn_scan_plain.sift(block, 64, &request, 29, score), UINT32_C(1) << 5);
    assert_float_equal(score[5], (31 * 0.5 + 1) * 2 - 2 * 2, 1e-6);
    assert_int_equal(mn_scan_plain.sift(block, 64, &request, 29.01f, score), 0);
    assert_int_equal(mn_scan_plain.sift(block, 64, &request, 0, score), UINT32_MAX);
}

static void twelve_bits_are_multiplied_where_their_numbers_stand(void **state)
{
    uint8_t coarse[32] = { 0 }, rest[64] = { 0 };
    int16_t one[64] = { 0 }, none[64] = { 0 }, sum[64];
    const int16_t *const vector[3] = { one, none, sum };
    int32_t ret[3];

    (void)state;
    coarse[9] = 15 << 4; /* number 41 */
    rest[41] = 255;
    one[mn_scan_place(41)] = -1000;
    for (size_t i = 0; i < 64; i++)
        sum[i] = 1;
    mn_scan_plain.dots(coarse, rest, 64, vector, ret);
    assert_int_equal(ret[0], -1000 * (4095 - 2048));
    assert_int_equal(ret[1], 0);
    assert_int_equal(ret[2], 63 * -2048 + 2047);
}

static void every_number_has_one_place(void **state)
{
    bool taken[128] = { false };

    (void)state;
    for (size_t i = 0; i < 128; i++) {
        assert_false(taken[mn_scan_place(i)]);
        taken[mn_scan_place(i)] = true;
    }
}

static void all_ways_of_this_processor_are_alike_to_the_bit(void **state)
{
    const struct mn_scan *const ways[] = { mn_scan_avx512(), mn_scan_avx2(), mn_scan_neon() };
    size_t played = 0;

    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (int round = 0; ways[w] && round < 400; round++) {
            uint64_t seed[2] = { next_random(), next_random() };

            scan_play(ways[w], (const uint8_t *)seed, sizeof seed);
            played++;
        }
    }
    if (!played)
        skip();
}

/* ---- codes ---- */

static void bytes_keep_the_largest_and_round_the_rest(void **state)
{
    float from[4] = { 2, -1, 0.0079f, 0 };
    int8_t to[4];

    (void)state;
    assert_float_equal(mn_vector_code_bytes(from, 4, to), 2.0f / 127, 1e-7);
    assert_int_equal(to[0], 127);
    assert_int_equal(to[1], -64); /* 63.5 goes away from zero */
    assert_int_equal(to[2], 1);
    assert_int_equal(to[3], 0);
    from[0] = -4;
    mn_vector_code_bytes(from, 4, to);
    assert_int_equal(to[0], -127);
    memset(from, 0, sizeof from);
    assert_float_equal(mn_vector_code_bytes(from, 4, to), 0, 0);
    assert_int_equal(to[0], 0);
}

static void directions_keep_twelve_bits(void **state)
{
    float from[128], to[128], scale, signs;
    uint8_t coarse[64], rest[128];
    double dot = 0, absolute = 0;

    (void)state;
    for (size_t i = 0; i < 128; i++)
        from[i] = next_float() / 8;
    from[70] = -0.25f; /* the largest */
    float step = mn_vector_code(from, 128, coarse, rest);
    assert_float_equal(step, 0.25 / 2047.5, 1e-9);
    mn_vector_decode(coarse, rest, 128, step, to);
    assert_float_equal(to[70], -0.25f, 1e-6);
    for (size_t i = 0; i < 128; i++) {
        assert_true(fabsf(to[i] - from[i]) <= step * 0.51f);
        dot += ((double)(i & 32 ? coarse[i / 64 * 32 + i % 32] >> 4
                                : coarse[i / 64 * 32 + i % 32] & 15) -
                7.5) *
               (double)to[i];
        absolute += fabs((double)to[i]);
    }
    mn_vector_code_scales(to, coarse, 128, &scale, &signs);
    assert_float_equal(scale, 0.5 / dot, 1e-4 / dot);
    assert_float_equal(signs, 1 / absolute, 1e-4 / absolute);
    memset(from, 0, sizeof from);
    assert_float_equal(mn_vector_code(from, 128, coarse, rest), 0, 0);
    mn_vector_decode(coarse, rest, 128, 0, to);
    assert_float_equal(to[3], 0, 0);
}

static void tables_say_nearly_what_signs_are_worth(void **state)
{
    float from[64], score[MN_SIFT_ROWS], unit[64], step, base;
    uint8_t coarse[32], rest[64], table[16 * MN_SIFT_TABLE];
    uint8_t block[64 / 8 * MN_SIFT_ROWS + 4 * MN_SIFT_ROWS] = { 0 };

    (void)state;
    for (size_t i = 0; i < 64; i++)
        from[i] = next_float();
    mn_vector_code_tables(from, 64, table, &step, &base);
    for (size_t row = 0; row < MN_SIFT_ROWS; row++) {
        double worth = 0;

        for (size_t i = 0; i < 64; i++) {
            unit[i] = next_float();
            worth += unit[i] > 0 ? (double)from[i] : -(double)from[i];
        }
        mn_vector_code(unit, 64, coarse, rest);
        mn_vector_code_signs(coarse, 64, row, block);
        block[64 / 8 * MN_SIFT_ROWS + 2 * row] = 0x80; /* a scale of 1 */
        block[64 / 8 * MN_SIFT_ROWS + 2 * row + 1] = 0x3f;
        const struct mn_sift_request request = { table, step, base, 0 };
        mn_scan_plain.sift(block, 64, &request, -1e9f, score);
        assert_float_equal(score[row], worth, 16 * 0.51 * (double)step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_are_kept_and_of_equals_the_lower_row),
        cmocka_unit_test(with_no_room_nothing_is_kept),
        cmocka_unit_test(a_shortlist_keeps_the_best_whatever_the_order),
        cmocka_unit_test(keys_order_scores_and_of_equals_the_lower_row_first),
        cmocka_unit_test(the_four_bits_of_a_row_are_chosen_by),
        cmocka_unit_test(signs_pick_from_the_tables_and_a_row_that_reaches_the_least_is_in),
        cmocka_unit_test(twelve_bits_are_multiplied_where_their_numbers_stand),
        cmocka_unit_test(every_number_has_one_place),
        cmocka_unit_test(all_ways_of_this_processor_are_alike_to_the_bit),
        cmocka_unit_test(bytes_keep_the_largest_and_round_the_rest),
        cmocka_unit_test(directions_keep_twelve_bits),
        cmocka_unit_test(tables_say_nearly_what_signs_are_worth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
