/*
 * test_search_universe.c - every identity of the small universe finds by text, by vector and by id
 * the rows that the oracle allows, and no other.
 */
#include "search/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/universe.h"

#define DIM 8

static struct universe_memory *rows;
static size_t row_count;

/* Every partition that a row names, fed with its rows. Some rows are not well formed: an index that
 * is handed one must hide it as well. */
static void feed_all(struct mn_search *search)
{
    static const float vector[DIM] = { 0.5f, 0.5f, 0.5f, 0.5f };
    struct mn_unit *units = malloc(row_count * sizeof *units);
    bool *fed = calloc(row_count, sizeof *fed);

    assert_true(units && fed);
    for (size_t first = 0; first < row_count; first++) {
        const struct mneme_memory *m = &rows[first].memory;
        struct mn_partition partition = { m->tenant_id, m->user_id ? m->user_id : "" };
        size_t count = 0;

        for (size_t i = first; i < row_count && !fed[first]; i++) {
            const struct mneme_memory *other = &rows[i].memory;

            if (strcmp(other->tenant_id, partition.tenant) ||
                strcmp(other->user_id ? other->user_id : "", partition.owner))
                continue;
            fed[i] = i != first;
            units[count++] = (struct mn_unit){ .id = rows[i].id,
                                               .parent_id = rows[i].id,
                                               .memory = *other,
                                               .confidence = -1,
                                               .session_id = "",
                                               .speaker = "",
                                               .vector = vector,
                                               .vector_dim = DIM };
        }
        if (!fed[first])
            assert_int_equal(search->ops->apply(search, partition, true, units, count, NULL, 0, "1",
                                                NULL),
                             MNEME_OK);
    }
    free(units);
    free(fed);
}

static void each_identity_finds_what_it_may_and_nothing_else(void **state)
{
    struct mn_space space = { .dim = DIM };
    static const float vector[DIM] = { 1 };
    struct mn_search *search = NULL;
    const char **ids;
    unsigned char *found;
    size_t seen = 0;

    (void)state;
    row_count = universe_memory_count();
    rows = malloc(row_count * sizeof *rows);
    ids = malloc(row_count * sizeof *ids);
    found = malloc(row_count);
    assert_true(rows && ids && found);
    for (size_t i = 0; i < row_count; i++) {
        universe_memory(i, &rows[i]);
        ids[i] = rows[i].id;
    }
    assert_int_equal(mn_search_memory_new(&space, SIZE_MAX, &search, NULL), MNEME_OK);
    feed_all(search);

    for (size_t a = 0; a < universe_access_count(); a++) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        struct mn_access access = universe_access(a);
        struct mn_terms terms = { 0 };
        struct mn_query query = { .access = &access,
                                  .text_types = ~(mn_type_set)0,
                                  .vector_types = ~(mn_type_set)0,
                                  .terms = &terms,
                                  .language = MN_LANGUAGE_EN,
                                  .vector = vector,
                                  .text_k = row_count,
                                  .vector_k = row_count };
        struct mn_hits hits;

        assert_int_equal(mn_text_query_terms(arena, "universe", 8, &terms, NULL), MNEME_OK);
        assert_int_equal(search->ops->top(search, &query, arena, &hits, NULL), MNEME_OK);
        memset(found, 0, row_count);
        for (size_t i = 0; i < hits.count; i++)
            found[universe_memory_index(hits.item[i].unit->id)] =
                (unsigned char)((hits.item[i].text_rank ? 1 : 0) +
                                (hits.item[i].vector_rank ? 2 : 0));
        for (size_t i = 0; i < row_count; i++) {
            bool allowed = universe_allows(&access, &rows[i].memory);

            if (found[i] != (allowed ? 3 : 0))
                fail_msg("identity %zu, row %zu: %d", a, i, found[i]);
            seen += allowed;
        }
        if (a % 16)
            continue;
        assert_int_equal(search->ops->score(search, &query, ids, row_count, arena, &hits, NULL),
                         MNEME_OK);
        for (size_t i = 0; i < hits.count; i++)
            if (!found[universe_memory_index(hits.item[i].unit->id)])
                fail_msg("identity %zu has a score of row %s", a, hits.item[i].unit->id);
    }
    assert_true(seen > 1000);
    mn_search_free(search);
    free(rows);
    free(ids);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_identity_finds_what_it_may_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
