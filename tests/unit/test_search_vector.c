/*
 * test_search_vector.c - what rows are chosen by is near what they score, for every kind of row,
 * and what they score is the formula's.
 */
#include "search/vector_index.h"
#include "search/rotation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DIM 61
#define ROWS 400
#define SHARE 0.3f
#define K 20

static uint64_t random_state = 88172645463325252u;

static float next_float(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (float)((double)(random_state >> 11) / 9007199254740992.0 * 2 - 1);
}

/* Near `mean`, as vectors of one language are, and of length 1. */
static void make_vector(const float *mean, float *vector)
{
    double sum = 0;

    for (size_t i = 0; i < DIM; i++) {
        vector[i] = mean[i] + next_float() * 0.12f;
        sum += (double)vector[i] * (double)vector[i];
    }
    for (size_t i = 0; i < DIM; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
}

struct setting {
    struct mn_vector_space space;
    struct mn_vector_index index;
    float request_mean[MN_LANGUAGE_COUNT][DIM];
    float passage_mean[MN_LANGUAGE_COUNT][DIM];
    float row[ROWS][DIM];
};

static enum mn_language language_of(size_t row)
{
    return (enum mn_language)(row % MN_LANGUAGE_COUNT);
}

static bool is_turn(size_t row)
{
    return row % 5 == 0;
}

static struct setting *setting_new(const struct mn_scan *scan)
{
    struct setting *s = calloc(1, sizeof *s);
    struct mn_space space = { .dim = DIM, .own_mean_share = SHARE, .partition_k = K };
    float theme[DIM];

    assert_non_null(s);
    for (size_t i = 0; i < DIM; i++)
        theme[i] = next_float() * 0.05f; /* what all of this partition is about */
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        for (size_t i = 0; i < DIM; i++) {
            s->passage_mean[l][i] = next_float() * 0.15f;
            s->request_mean[l][i] = s->passage_mean[l][i] + next_float() * 0.03f;
        }
        space.request_mean[l] = s->request_mean[l];
        space.passage_mean[l] = s->passage_mean[l];
    }
    assert_int_equal(mn_vector_space_make(&space, &s->space, NULL), MNEME_OK);
    assert_true(mn_vector_index_init(&s->index, &s->space, scan));
    for (size_t row = 0; row < ROWS; row++) {
        float mean[DIM];

        for (size_t i = 0; i < DIM; i++)
            mean[i] = s->passage_mean[language_of(row)][i] + theme[i];
        make_vector(mean, s->row[row]);
        assert_true(mn_vector_index_add(&s->index, s->row[row], language_of(row), is_turn(row)));
    }
    mn_vector_index_recentre(&s->index);
    return s;
}

static void setting_free(struct setting *s)
{
    mn_vector_index_release(&s->index);
    mn_vector_space_release(&s->space);
    free(s);
}

static double cosine(const float *x, const double *mx, const float *y, const double *my)
{
    double xx = 0, yy = 0, xy = 0;

    for (size_t i = 0; i < DIM; i++) {
        double a = (double)x[i] - mx[i], b = (double)y[i] - my[i];

        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xy / sqrt(xx * yy);
}

static void own_mean(const struct setting *s, enum mn_language l, double *mean)
{
    size_t count = 0;

    for (size_t i = 0; i < DIM; i++)
        mean[i] = (double)s->passage_mean[l][i] * K;
    for (size_t row = 0; row < ROWS; row++) {
        if (language_of(row) != l)
            continue;
        count++;
        for (size_t i = 0; i < DIM; i++)
            mean[i] += (double)s->row[row][i];
    }
    for (size_t i = 0; i < DIM; i++)
        mean[i] /= (double)(count + K);
}

static double by_the_book(const struct setting *s, const float *q, enum mn_language lq, size_t row)
{
    double own_q[DIM], own_p[DIM], q_mean[DIM], p_mean[DIM];
    enum mn_language lp = language_of(row);

    own_mean(s, lq, own_q);
    own_mean(s, lp, own_p);
    for (size_t i = 0; i < DIM; i++) {
        q_mean[i] = (double)s->request_mean[lq][i];
        p_mean[i] = (double)s->passage_mean[lp][i];
    }
    double a = cosine(q, own_q, s->row[row], own_p);
    double b = cosine(q, q_mean, s->row[row], p_mean);
    return is_turn(row) ? a : (double)SHARE * a + (double)(1 - SHARE) * b;
}

static void rows_are_chosen_by_nearly_what_they_score(void **state)
{
    struct setting *s = setting_new(mn_scan_here());
    float *room = malloc(mn_vector_request_floats(&s->space) * sizeof *room);
    uint64_t allowed[ROWS / 64 + 1];
    double worst_exact = 0, worst_estimate = 0;

    (void)state;
    assert_non_null(room);
    memset(allowed, 0xff, sizeof allowed);
    for (size_t n = 0; n < 9; n++) {
        enum mn_language lq = (enum mn_language)(n % MN_LANGUAGE_COUNT);
        struct mn_vector_request request;
        struct mn_scored item[MN_LANGUAGE_COUNT][ROWS];
        struct mn_best best[MN_LANGUAGE_COUNT];
        float q[DIM];
        size_t offered = 0;

        make_vector(s->request_mean[lq], q);
        for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
            best[l] = (struct mn_best){ item[l], 0, ROWS };
        assert_true(mn_vector_request_make(&s->index, q, lq, room, &request));
        mn_vector_index_scan(&s->index, &request, allowed, 0, best);
        for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
            for (size_t i = 0; i < best[l].count; i++) {
                size_t row = best[l].item[i].row;
                float f, plain;

                assert_int_equal(language_of(row), l);
                mn_vector_index_exact(&s->index, &request, row, &f, &plain);
                worst_exact = fmax(worst_exact, fabs((double)f - by_the_book(s, q, lq, row)));
                worst_estimate = fmax(worst_estimate, fabs((double)(best[l].item[i].score - f)));
                offered++;
            }
        }
        assert_int_equal(offered, ROWS);
    }
    assert_true(worst_exact < 5e-4);
    assert_true(worst_estimate < 0.08);
    free(room);
    setting_free(s);
}

/* Rows in clusters, half as near to each other as to themselves; a request is one of them. */
static void rows_that_signs_leave_hold_the_best_of_many(void **state)
{
    enum { MANY = 4000, NUMBERS = 256, CLUSTERS = 100, LIST = 32, REQUESTS = 20 };
    struct mn_space given = { .dim = NUMBERS, .own_mean_share = SHARE, .partition_k = K };
    struct mn_vector_space space;
    struct mn_vector_index index;
    float(*centre)[NUMBERS] = malloc(CLUSTERS * sizeof *centre), (*row)[NUMBERS];
    uint64_t allowed[MANY / 64 + 1];
    size_t found = 0;

    (void)state;
    assert_int_equal(mn_vector_space_make(&given, &space, NULL), MNEME_OK);
    assert_true(mn_vector_index_init(&index, &space, mn_scan_here()));
    row = malloc(MANY * sizeof *row);
    float *room = malloc(mn_vector_request_floats(&space) * sizeof *room);
    assert_true(centre && row && room);
    for (size_t i = 0; i < CLUSTERS * NUMBERS; i++)
        centre[i / NUMBERS][i % NUMBERS] = next_float();
    for (size_t i = 0; i < MANY; i++) {
        for (size_t d = 0; d < NUMBERS; d++)
            row[i][d] = centre[i % CLUSTERS][d] + next_float();
        assert_true(mn_vector_index_add(&index, row[i], MN_LANGUAGE_ZH, false));
    }
    mn_vector_index_recentre(&index);
    memset(allowed, 0xff, sizeof allowed);
    for (size_t i = 0; i < MANY; i += 3) /* a third is not allowed */
        allowed[i / 64] &= ~(UINT64_C(1) << i % 64);
    for (size_t i = 1; i < MANY; i += 30) /* nor are those that left */
        mn_vector_index_remove(&index, i);
    for (size_t n = 0; n < REQUESTS; n++) {
        struct mn_vector_request request;
        struct mn_scored item[MN_LANGUAGE_COUNT][LIST], ten[10];
        struct mn_best best[MN_LANGUAGE_COUNT], truth = { ten, 0, 10 };

        for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
            best[l] = (struct mn_best){ item[l], 0, LIST };
        assert_true(
            mn_vector_request_make(&index, row[n * 7 + 2], MN_LANGUAGE_ZH, room, &request));
        mn_vector_index_scan(&index, &request, allowed, 0, best);
        for (size_t i = 0; i < MANY; i++) {
            float f, plain;

            if (!mn_vector_index_has(&index, i) || !(allowed[i / 64] >> (i % 64) & 1))
                continue;
            mn_vector_index_exact(&index, &request, i, &f, &plain);
            mn_best_offer(&truth, f, (uint32_t)i);
        }
        assert_int_equal(best[MN_LANGUAGE_ZH].count, LIST);
        for (size_t j = 0; j < LIST; j++) {
            size_t at = item[MN_LANGUAGE_ZH][j].row;

            assert_true(mn_vector_index_has(&index, at) && allowed[at / 64] >> (at % 64) & 1);
            for (size_t i = 0; i < 10; i++)
                found += ten[i].row == at;
        }
    }
    assert_true(found >= REQUESTS * 10 * 99 / 100);
    mn_vector_index_release(&index);
    mn_vector_space_release(&space);
    free(centre);
    free(row);
    free(room);
}

/* What is left after rows went and were squeezed out is what was never added with them. */
static void squeezed_rows_are_those_that_stayed(void **state)
{
    struct setting *s = setting_new(mn_scan_here());
    struct mn_vector_index fresh;
    uint64_t alive[ROWS / 64 + 1] = { 0 }, allowed[ROWS / 64 + 1];
    float *room = malloc(2 * mn_vector_request_floats(&s->space) * sizeof *room);
    struct mn_vector_request a, b;
    struct mn_scored item[2][MN_LANGUAGE_COUNT][ROWS];
    struct mn_best best[2][MN_LANGUAGE_COUNT];

    (void)state;
    assert_non_null(room);
    assert_true(mn_vector_index_init(&fresh, &s->space, mn_scan_here()));
    for (size_t row = 0; row < ROWS; row++) {
        if (row % 3 == 1) {
            mn_vector_index_remove(&s->index, row);
            continue;
        }
        alive[row / 64] |= UINT64_C(1) << (row % 64);
        assert_true(mn_vector_index_add(&fresh, s->row[row], language_of(row), is_turn(row)));
    }
    mn_vector_index_compact(&s->index, alive);
    mn_vector_index_recentre(&s->index);
    mn_vector_index_recentre(&fresh);
    assert_int_equal(s->index.count, fresh.count);
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
        assert_int_equal(s->index.signs[g].count, fresh.signs[g].count);
        if (fresh.signs[g].count)
            assert_memory_equal(s->index.signs[g].row, fresh.signs[g].row,
                                fresh.signs[g].count * sizeof(uint32_t));
    }
    memset(allowed, 0xff, sizeof allowed);
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        best[0][l] = (struct mn_best){ item[0][l], 0, ROWS };
        best[1][l] = (struct mn_best){ item[1][l], 0, ROWS };
    }
    assert_true(mn_vector_request_make(&s->index, s->row[5], MN_LANGUAGE_EN, room, &a));
    assert_true(mn_vector_request_make(&fresh, s->row[5], MN_LANGUAGE_EN,
                                       room + mn_vector_request_floats(&s->space), &b));
    mn_vector_index_scan(&s->index, &a, allowed, 0, best[0]);
    mn_vector_index_scan(&fresh, &b, allowed, 0, best[1]);
    for (size_t row = 0; row < fresh.count; row++) {
        float f[2], plain[2];

        mn_vector_index_exact(&s->index, &a, row, &f[0], &plain[0]);
        mn_vector_index_exact(&fresh, &b, row, &f[1], &plain[1]);
        assert_float_equal(f[0], f[1], 1e-5);
        assert_float_equal(plain[0], plain[1], 1e-5);
    }
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
        assert_int_equal(best[0][l].count, best[1][l].count);
    mn_vector_index_release(&fresh);
    free(room);
    setting_free(s);
}

static void a_rotation_keeps_lengths_and_spreads_what_stands_in_one_number(void **state)
{
    static const size_t STRIDE[] = { 64, 192, 384, 1024 };

    (void)state;
    for (size_t n = 0; n < sizeof STRIDE / sizeof STRIDE[0]; n++) {
        size_t stride = STRIDE[n];
        float *turn = malloc(MN_ROTATION_ROUNDS * stride * sizeof *turn);
        float *one = calloc(stride, sizeof *one), *other = calloc(stride, sizeof *other);
        double dot = 0, length = 0, largest = 0;

        assert_true(turn && one && other);
        mn_rotation_make(stride, turn);
        one[3] = 1;
        other[3] = 0.6f;
        other[stride - 1] = 0.8f;
        mn_rotation_apply(turn, stride, one);
        mn_rotation_apply(turn, stride, other);
        for (size_t i = 0; i < stride; i++) {
            dot += (double)one[i] * (double)other[i];
            length += (double)other[i] * (double)other[i];
            largest = fmax(largest, fabs((double)one[i]));
        }
        assert_float_equal(dot, 0.6, 1e-5);
        assert_float_equal(length, 1, 1e-5);
        assert_true(largest < 5 / sqrt((double)stride));
        free(turn);
        free(one);
        free(other);
    }
}

static void rows_without_direction_have_no_vector(void **state)
{
    struct setting *s = setting_new(&mn_scan_plain);
    float bad[DIM] = { 0 };

    (void)state;
    assert_true(mn_vector_index_add(&s->index, NULL, MN_LANGUAGE_EN, false));
    assert_true(mn_vector_index_add(&s->index, bad, MN_LANGUAGE_EN, false));
    bad[3] = NAN;
    assert_true(mn_vector_index_add(&s->index, bad, MN_LANGUAGE_EN, false));
    bad[3] = INFINITY;
    assert_true(mn_vector_index_add(&s->index, bad, MN_LANGUAGE_EN, false));
    assert_int_equal(s->index.count, ROWS + 4);
    assert_true(mn_vector_index_has(&s->index, ROWS - 1));
    for (size_t row = ROWS; row < ROWS + 5; row++)
        assert_false(mn_vector_index_has(&s->index, row));
    setting_free(s);
}

static void means_are_made_anew_when_rows_have_grown_by_a_quarter(void **state)
{
    struct setting *s = setting_new(&mn_scan_plain);
    size_t then = s->index.mean_rows[MN_LANGUAGE_EN];

    (void)state;
    assert_int_equal(then, 133);
    for (size_t i = 0; i < 33; i++)
        assert_true(mn_vector_index_add(&s->index, s->row[0], MN_LANGUAGE_EN, false));
    mn_vector_index_recentre(&s->index); /* 166 of 133: not yet */
    assert_int_equal(s->index.mean_rows[MN_LANGUAGE_EN], then);
    assert_true(mn_vector_index_add(&s->index, s->row[0], MN_LANGUAGE_EN, false));
    mn_vector_index_recentre(&s->index);
    assert_int_equal(s->index.mean_rows[MN_LANGUAGE_EN], 167);
    setting_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_chosen_by_nearly_what_they_score),
        cmocka_unit_test(rows_that_signs_leave_hold_the_best_of_many),
        cmocka_unit_test(squeezed_rows_are_those_that_stayed),
        cmocka_unit_test(a_rotation_keeps_lengths_and_spreads_what_stands_in_one_number),
        cmocka_unit_test(rows_without_direction_have_no_vector),
        cmocka_unit_test(means_are_made_anew_when_rows_have_grown_by_a_quarter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
