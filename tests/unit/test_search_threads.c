/*
 * test_search_threads.c - many read while one feeds and partitions come and go.
 *
 * Every state a feeder leaves has the same sum, so a reader that sees half a change sees another
 * one.
 */
#include "search/search.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/search_corpus.h"

#define READERS 2
#define ROUNDS 60
#define PAIRS 20

struct stage {
    struct mn_search *search;
    atomic_bool over;
    atomic_size_t answers, wrong;
};

/* Units 2 i and 2 i + 1 hold one word between them: "apple" is in exactly PAIRS of them. */
static void make_pairs(struct corpus *c, size_t round)
{
    for (size_t i = 0; i < 2 * PAIRS; i++)
        c->unit[i].memory.content = (i + round + i / 2) % 2 ? "apple" : "banana";
}

static void *read_on(void *argument)
{
    struct stage *stage = argument;

    while (!atomic_load(&stage->over)) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        struct mn_access access = { .tenant = "t",
                                    .user = "a",
                                    .agent = "",
                                    .session = "",
                                    .task = "",
                                    .project = "",
                                    .repository = "",
                                    .clearance = MNEME_INTERNAL,
                                    .at_ms = 10 };
        static const float vector[CORPUS_DIM] = { 1 };
        struct mn_terms terms = { 0 };
        struct mn_query query = { .access = &access,
                                  .text_types = ~(mn_type_set)0,
                                  .vector_types = ~(mn_type_set)0,
                                  .terms = &terms,
                                  .language = MN_LANGUAGE_EN,
                                  .vector = vector,
                                  .text_k = 2 * PAIRS,
                                  .vector_k = 5 };
        struct mn_hits hits;
        size_t apples = 0;
        const char *const ids[] = { "a-0", "a-1" };
        float same[4];
        struct mn_contexts contexts;

        mn_text_query_terms(arena, "apple", 5, &terms, NULL);
        if (stage->search->ops->top(stage->search, &query, arena, &hits, NULL) != MNEME_OK)
            atomic_fetch_add(&stage->wrong, 1);
        for (size_t i = 0; i < hits.count; i++)
            apples += hits.item[i].text > 0;
        if (!hits.partial && apples != PAIRS)
            atomic_fetch_add(&stage->wrong, 1);
        stage->search->ops->similarity(stage->search, &access, ids, 2, same, NULL);
        stage->search->ops->context(stage->search, &query, ids, 2, arena, &contexts, NULL);
        atomic_fetch_add(&stage->answers, 1);
    }
    return NULL;
}

static void readers_never_see_half_a_change(void **state)
{
    static const struct mn_partition own = { "t", "a" }, shared = { "t", "" }, other = { "t", "b" };
    struct corpus c = corpus_new(own, "a", 2 * PAIRS, 3), b = corpus_new(other, "b", 100, 4);
    struct mn_space space = { .dim = CORPUS_DIM, .own_mean_share = 0.3f, .partition_k = 20 };
    struct stage stage = { 0 };
    pthread_t reader[READERS];

    (void)state;
    for (size_t i = 0; i < c.count; i++) {
        c.unit[i].memory.scope_kind = MNEME_SCOPE_GLOBAL;
        c.unit[i].memory.scope_id = "";
    }
    assert_int_equal(mn_search_memory_new(&space, 400000, &stage.search, NULL), MNEME_OK);
    struct mn_search *search = stage.search;
    search->ops->apply(search, shared, true, NULL, 0, NULL, 0, "1", NULL);
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, read_on, &stage), 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        make_pairs(&c, round);
        if (round % 10 == 0) { /* from the start, in two steps */
            search->ops->apply(search, own, true, c.unit, PAIRS, NULL, 0, "", NULL);
            search->ops->apply(search, own, false, c.unit + PAIRS, PAIRS, NULL, 0, "1", NULL);
        } else {
            search->ops->apply(search, own, false, c.unit, c.count, NULL, 0, "2", NULL);
        }
        if (round % 7 == 0)
            search->ops->apply(search, other, true, b.unit, b.count, NULL, 0, "1", NULL);
        if (round % 13 == 0)
            search->ops->drop(search, other);
        if (round % 29 == 28)
            search->ops->drop(search, own);
    }
    atomic_store(&stage.over, true);
    for (size_t i = 0; i < READERS; i++)
        pthread_join(reader[i], NULL);
    assert_true(atomic_load(&stage.answers) > 0);
    assert_int_equal(atomic_load(&stage.wrong), 0);
    mn_search_free(search);
    corpus_free(&c);
    corpus_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(readers_never_see_half_a_change) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
