/*
 * test_search_scan.c - the loops over vectors: exact, and the same whichever way they are done.
 */
#include "search/scan.h"
#include "search/scan_avx2.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 517
#define STRIDE 96
#define K 20

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

static void skip_without_avx2(void)
{
    if (!mn_scan_avx2())
        skip();
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

/* ---- halves ---- */

static void halves_are_those_of_the_standard(void **state)
{
    static const struct {
        float value;
        uint16_t half;
    } known[] = {
        { 0, 0 },
        { -0.0f, 0x8000 },
        { 1, 0x3c00 },
        { -2, 0xc000 },
        { 65504, 0x7bff },
        { 65519.996f, 0x7bff },
        { 65520, 0x7c00 },
        { 1e30f, 0x7c00 },
        { 0x1p-14f, 0x400 },
        { 0x1p-24f, 1 },
        { 0x1p-25f, 0 },
        { 0x1.8p-25f, 1 },
        { 1.00048828125f, 0x3c00 }, /* a tie goes to the even one, below ... */
        { 1.00146484375f, 0x3c02 }, /* ... and above */
        { 0x1.ffep-15f, 0x400 },    /* rounds up into the next power */
        { 0.333251953125f, 0x3555 },
    };
    float eight[8] = { 0 };
    uint16_t half[8];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        eight[0] = known[i].value;
        mn_scan_plain.to_half(eight, 8, half);
        assert_int_equal(half[0], known[i].half);
    }
}

static void every_half_becomes_a_float_and_itself_again(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 65536; first += 8) {
        uint16_t half[8], again[8];
        float value[8], other[8];

        for (uint32_t i = 0; i < 8; i++)
            half[i] = (uint16_t)(first + i);
        mn_scan_plain.from_half(half, 8, value);
        mn_scan_plain.to_half(value, 8, again);
        for (uint32_t i = 0; i < 8; i++)
            if (!isnan(value[i]))
                assert_int_equal(half[i], again[i]);
        if (!mn_scan_avx2())
            continue;
        mn_scan_avx2()->from_half(half, 8, other);
        assert_memory_equal(value, other, sizeof value); /* NaN too */
    }
}

static void both_ways_round_to_halves_alike(void **state)
{
    (void)state;
    skip_without_avx2();
    for (int round = 0; round < 40000; round++) {
        float from[8];
        uint16_t plain[8], avx2[8];

        for (int i = 0; i < 8; i++) {
            uint32_t bits = (uint32_t)next_random();

            if (round % 2) /* the range that vectors have, and its ties */
                bits = (bits & 0x8fffe000u) | 0x30000000u | (uint32_t)(next_random() % 3) << 12;
            memcpy(&from[i], &bits, sizeof bits);
        }
        mn_scan_plain.to_half(from, 8, plain);
        mn_scan_avx2()->to_half(from, 8, avx2);
        assert_memory_equal(plain, avx2, sizeof plain);
    }
}

/* ---- scanning ---- */

struct rows {
    int8_t code[ROWS * STRIDE];
    float scale[ROWS];
    float bias[ROWS];
    int8_t request[STRIDE];
};

static struct rows *rows_new(int8_t extreme)
{
    struct rows *rows = malloc(sizeof *rows);

    assert_non_null(rows);
    for (size_t i = 0; i < sizeof rows->code; i++)
        rows->code[i] = extreme ? extreme : (int8_t)((int)(next_random() % 255) - 127);
    for (size_t i = 0; i < STRIDE; i++)
        rows->request[i] = extreme ? (int8_t)-extreme : (int8_t)((int)(next_random() % 255) - 127);
    for (size_t i = 0; i < ROWS; i++) {
        rows->scale[i] = 0.001f + next_float() * 0.0005f;
        rows->bias[i] = next_float();
    }
    return rows;
}

static struct mn_best scan_all(const struct mn_scan *scan, const struct rows *rows,
                               const uint64_t *allowed, struct mn_scored *item)
{
    struct mn_scan_rows scanned = { rows->code, STRIDE, rows->scale, rows->bias };
    struct mn_scan_request request = { rows->request, 0.01f, 0.25f };
    struct mn_best best = { item, 0, K };
    size_t words = (ROWS + 63) / 64;

    for (size_t w = 0; w < words; w += MN_SCAN_WORDS)
        scan->top(&scanned, w * 64, allowed + w,
                  words - w < MN_SCAN_WORDS ? words - w : MN_SCAN_WORDS, &request, 0x80000000u,
                  &best);
    return best;
}

static void allow(uint64_t allowed[ROWS / 64 + 1], unsigned of_100)
{
    memset(allowed, 0, (ROWS / 64 + 1) * sizeof *allowed);
    for (size_t row = 0; row < ROWS; row++)
        if (next_random() % 100 < of_100)
            allowed[row / 64] |= UINT64_C(1) << (row % 64);
}

static int by_score(const void *a, const void *b)
{
    const struct mn_scored *x = a, *y = b;

    return mn_scored_worse(*x, *y) - mn_scored_worse(*y, *x);
}

static void a_scan_finds_the_best_allowed_rows(void **state)
{
    static const unsigned share[] = { 100, 10, 1, 0 };

    (void)state;
    for (int round = 0; round < 12; round++) {
        struct rows *rows = rows_new(0);
        uint64_t allowed[ROWS / 64 + 1];
        struct mn_scored item[K], all[ROWS];
        size_t count = 0;

        allow(allowed, share[round % 4]);
        for (size_t row = 0; row < ROWS; row++) {
            int32_t dot = 0;

            for (size_t i = 0; i < STRIDE; i++)
                dot += rows->code[row * STRIDE + i] * rows->request[i];
            if (allowed[row / 64] >> (row % 64) & 1)
                all[count++] = (struct mn_scored){ (float)dot * rows->scale[row] * 0.01f +
                                                       rows->bias[row] * 0.25f,
                                                   (uint32_t)row | 0x80000000u };
        }
        struct mn_best best = scan_all(&mn_scan_plain, rows, allowed, item);
        qsort(all, count, sizeof *all, by_score);
        qsort(item, best.count, sizeof *item, by_score);
        assert_int_equal(best.count, count < K ? count : K);
        assert_memory_equal(item, all, best.count * sizeof *item);
        free(rows);
    }
}

static void both_ways_scan_alike_to_the_bit(void **state)
{
    static const unsigned share[] = { 100, 50, 10, 1 };

    (void)state;
    skip_without_avx2();
    for (int round = 0; round < 40; round++) {
        struct rows *rows = rows_new(round < 2 ? (round ? -127 : 127) : 0); /* at the limits */
        uint64_t allowed[ROWS / 64 + 1];
        struct mn_scored plain[K], avx2[K];

        allow(allowed, share[round % 4]);
        size_t a = scan_all(&mn_scan_plain, rows, allowed, plain).count;
        size_t b = scan_all(mn_scan_avx2(), rows, allowed, avx2).count;
        assert_int_equal(a, b);
        assert_memory_equal(plain, avx2, a * sizeof *plain);
        free(rows);
    }
}

static void both_ways_score_alike_to_the_bit(void **state)
{
    (void)state;
    skip_without_avx2();
    for (int round = 0; round < 200; round++) {
        float vector[3][STRIDE], from[STRIDE], plain[3], avx2[3];
        uint16_t half[STRIDE];

        for (size_t i = 0; i < STRIDE; i++) {
            from[i] = next_float();
            for (size_t v = 0; v < 3; v++)
                vector[v][i] = next_float();
        }
        const float *const three[3] = { vector[0], vector[1], vector[2] };
        mn_scan_plain.to_half(from, STRIDE, half);
        mn_scan_plain.dots(half, STRIDE, three, plain);
        mn_scan_avx2()->dots(half, STRIDE, three, avx2);
        assert_memory_equal(plain, avx2, sizeof plain);
        assert_true(mn_scan_avx2()->dot(from, vector[0], STRIDE) ==
                    mn_scan_dot(from, vector[0], STRIDE));
        assert_true(fabsf(plain[0] - mn_scan_dot(from, vector[0], STRIDE)) < 0.05f);
    }
}

static void bytes_keep_the_largest_and_round_the_rest(void **state)
{
    float from[4] = { 2, -1, 0.0079f, 0 };
    int8_t to[4];

    (void)state;
    assert_float_equal(mn_scan_quantise(from, 4, to), 2.0f / 127, 1e-7);
    assert_int_equal(to[0], 127);
    assert_int_equal(to[1], -64); /* 63.5 goes away from zero */
    assert_int_equal(to[2], 1);
    assert_int_equal(to[3], 0);
    from[0] = -4;
    mn_scan_quantise(from, 4, to);
    assert_int_equal(to[0], -127);
    memset(from, 0, sizeof from);
    assert_float_equal(mn_scan_quantise(from, 4, to), 0, 0);
    assert_int_equal(to[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_are_kept_and_of_equals_the_lower_row),
        cmocka_unit_test(with_no_room_nothing_is_kept),
        cmocka_unit_test(halves_are_those_of_the_standard),
        cmocka_unit_test(every_half_becomes_a_float_and_itself_again),
        cmocka_unit_test(both_ways_round_to_halves_alike),
        cmocka_unit_test(a_scan_finds_the_best_allowed_rows),
        cmocka_unit_test(both_ways_scan_alike_to_the_bit),
        cmocka_unit_test(both_ways_score_alike_to_the_bit),
        cmocka_unit_test(bytes_keep_the_largest_and_round_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
