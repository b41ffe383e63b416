/*
 * test_search_columns.c - terms that many rows have stand in columns, which say of each row what its
 * own terms say.
 */
#include "search/text_columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/text_index.h"

enum { OFTEN = 7, ALWAYS = 8 }; /* hashes of two terms */

static void add(struct mn_text_index *index, uint8_t often)
{
    struct mn_text_entry term[] = { { .term = { .hash = ALWAYS }, .halves = 2 },
                                            { .term = { .hash = OFTEN }, .halves = often } };
    struct mn_text_document document = { .item = term, .count = often ? 2 : 1, .length = 2 };

    assert_true(mn_text_index_add(index, &document));
}

/* `with` rows that have the term, and others up to `rows`. */
static void fill(struct mn_text_index *index, size_t with, size_t rows)
{
    for (size_t row = index->count; row < rows; row++)
        add(index, row < with ? (uint8_t)(2 + row % 3) : 0);
    mn_text_columns_choose(index);
}

static const uint8_t *column(const struct mn_text_index *index, uint64_t hash)
{
    return mn_text_columns_of(&index->columns, mn_text_index_find(index, hash));
}

static uint8_t told(const struct mn_text_index *index, uint64_t hash, size_t row)
{
    return mn_text_column_halves(index, column(index, hash), mn_text_index_find(index, hash), row);
}

static void a_term_of_an_eighth_of_32_rows_has_a_column(void **state)
{
    struct mn_text_index fewer = { 0 }, rarer = { 0 }, enough = { 0 };

    (void)state;
    fill(&fewer, 31, 31);
    assert_null(column(&fewer, OFTEN));
    fill(&rarer, 3, 32);
    assert_null(column(&rarer, OFTEN));
    assert_non_null(column(&rarer, ALWAYS));
    fill(&enough, 4, 32);
    assert_non_null(column(&enough, OFTEN));
    mn_text_index_release(&fewer);
    mn_text_index_release(&rarer);
    mn_text_index_release(&enough);
}

static void a_column_tells_of_rows_before_and_after_it_was_made(void **state)
{
    struct mn_text_index index = { 0 };

    (void)state;
    fill(&index, 100, 300);
    fill(&index, 0, 310);
    add(&index, 5);
    assert_int_equal(told(&index, OFTEN, 0), 2);
    assert_int_equal(told(&index, OFTEN, 98), 4);
    assert_int_equal(told(&index, OFTEN, 99), 2);
    assert_int_equal(told(&index, OFTEN, 100), 0);
    assert_int_equal(told(&index, OFTEN, 309), 0);
    assert_int_equal(told(&index, OFTEN, 310), 5);
    assert_int_equal(told(&index, ALWAYS, 310), 2);
    mn_text_index_release(&index);
}

static void a_term_loses_its_column_when_less_than_a_sixteenth_has_it(void **state)
{
    struct mn_text_index index = { 0 };

    (void)state;
    fill(&index, 32, 256);
    fill(&index, 32, 512);
    assert_non_null(column(&index, OFTEN));
    fill(&index, 32, 639); /* not looked at: fewer than a quarter more */
    assert_non_null(column(&index, OFTEN));
    fill(&index, 32, 640);
    assert_null(column(&index, OFTEN));
    assert_non_null(column(&index, ALWAYS));
    mn_text_index_release(&index);
}

static void a_copy_without_some_rows_has_columns_of_its_own(void **state)
{
    struct mn_text_index index = { 0 }, copy = { 0 };
    uint32_t row_map[600];

    (void)state;
    fill(&index, 400, 600);
    for (uint32_t row = 0, kept = 0; row < 600; row++)
        row_map[row] = row % 2 ? kept++ : UINT32_MAX;
    for (size_t row = 0; row < 600; row += 2)
        mn_text_index_remove(&index, row);
    assert_true(mn_text_index_copy(&index, row_map, &copy));
    mn_text_columns_choose(&copy);
    assert_int_equal(copy.count, 300);
    assert_int_equal(told(&copy, OFTEN, 0), 3);   /* row 1 */
    assert_int_equal(told(&copy, OFTEN, 199), 2); /* row 399 */
    assert_int_equal(told(&copy, OFTEN, 200), 0);
    mn_text_index_release(&index);
    mn_text_index_release(&copy);
}

static void a_column_tells_each_frequency_as_it_is(void **state)
{
    static const uint8_t halves[] = { 1, 14, 15, 16, 255 };
    struct mn_text_index index = { 0 };

    (void)state;
    fill(&index, 50, 100);
    for (size_t i = 0; i < sizeof halves; i++) {
        add(&index, halves[i]); /* into the column */
        assert_int_equal(told(&index, OFTEN, 100 + i), halves[i]);
        assert_int_equal(told(&index, ALWAYS, 100 + i), 2);
    }
    mn_text_columns_release(&index.columns);
    mn_text_columns_choose(&index); /* out of the postings */
    for (size_t i = 0; i < sizeof halves; i++)
        assert_int_equal(told(&index, OFTEN, 100 + i), halves[i]);
    assert_int_equal(told(&index, OFTEN, 99), 0);
    mn_text_index_release(&index);
}

enum { TERMS = MN_TEXT_COLUMNS_MAX + 2, FIRST_HASH = 100, HAVE = 20 };

/* Rows up to `rows`; term t has HAVE + t of the first 64 and `more[t]` of the others. */
static void fill_steps(struct mn_text_index *index, size_t rows, const size_t more[TERMS])
{
    for (size_t row = index->count; row < rows; row++) {
        struct mn_text_entry term[TERMS];
        struct mn_text_document document = { .item = term, .length = 2 };

        for (size_t t = 0; t < TERMS; t++)
            if (row < 64 ? row < HAVE + t : row - 64 < more[t])
                term[document.count++] =
                    (struct mn_text_entry){ .term = { .hash = FIRST_HASH + t }, .halves = 2 };
        assert_true(mn_text_index_add(index, &document));
    }
    mn_text_columns_choose(index);
}

static void the_terms_that_most_rows_have_get_the_columns(void **state)
{
    struct mn_text_index index = { 0 };
    size_t more[TERMS] = { [0] = 8, [1] = 6 };

    (void)state;
    fill_steps(&index, 64, more);
    assert_int_equal(index.columns.count, MN_TEXT_COLUMNS_MAX);
    assert_null(column(&index, FIRST_HASH));
    assert_null(column(&index, FIRST_HASH + 1));
    for (uint64_t t = 2; t < TERMS; t++)
        assert_non_null(column(&index, FIRST_HASH + t));

    /* 22 rows have the rarest of them: 28 are a quarter more, 27 are not. */
    fill_steps(&index, 80, more);
    assert_int_equal(index.columns.count, MN_TEXT_COLUMNS_MAX);
    assert_non_null(column(&index, FIRST_HASH));
    assert_null(column(&index, FIRST_HASH + 1));
    assert_null(column(&index, FIRST_HASH + 2));
    assert_int_equal(told(&index, FIRST_HASH, 19), 2);
    assert_int_equal(told(&index, FIRST_HASH, 20), 0);
    assert_int_equal(told(&index, FIRST_HASH, 71), 2);
    assert_int_equal(told(&index, FIRST_HASH, 72), 0);
    mn_text_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_term_of_an_eighth_of_32_rows_has_a_column),
        cmocka_unit_test(a_column_tells_of_rows_before_and_after_it_was_made),
        cmocka_unit_test(a_term_loses_its_column_when_less_than_a_sixteenth_has_it),
        cmocka_unit_test(a_copy_without_some_rows_has_columns_of_its_own),
        cmocka_unit_test(a_column_tells_each_frequency_as_it_is),
        cmocka_unit_test(the_terms_that_most_rows_have_get_the_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
