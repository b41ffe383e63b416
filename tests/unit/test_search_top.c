/*
 * test_search_top.c - on many rows, where lists are cut short and rows are chosen by bytes: what
 * comes is what scoring every row would have chosen, at any width of the filter.
 */
#include "search/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/search_corpus.h"

#define OWN_UNITS 2500
#define SHARED_UNITS 700
#define REQUESTS 40
#define TEXT_K 25
#define VECTOR_K 12

struct setting {
    struct mn_search *search;
    struct corpus own, shared;
};

static void feed(struct mn_search *search, struct mn_partition partition, const struct corpus *c)
{
    /* in two parts, so that the means were made of fewer rows than there are */
    size_t first = c->count * 9 / 10;

    assert_int_equal(search->ops->apply(search, partition, true, c->unit, first, NULL, 0, "", NULL),
                     MNEME_OK);
    assert_int_equal(search->ops->apply(search, partition, false, c->unit + first, c->count - first,
                                        NULL, 0, "1", NULL),
                     MNEME_OK);
}

static int set_up(void **state)
{
    static const float mean[CORPUS_DIM] = { 0.4f, 0.4f, 0.4f, 0.4f };
    static const struct mn_partition own = { "t", "u" }, shared = { "t", "" };
    struct mn_space space = { .dim = CORPUS_DIM, .own_mean_share = 0.3f, .partition_k = 20 };
    struct setting *s = malloc(sizeof *s);

    assert_non_null(s);
    space.request_mean[MN_LANGUAGE_EN] = space.passage_mean[MN_LANGUAGE_EN] = mean;
    assert_int_equal(mn_search_memory_new(&space, SIZE_MAX, &s->search, NULL), MNEME_OK);
    s->own = corpus_new(own, "own", OWN_UNITS, 7);
    s->shared = corpus_new(shared, "shared", SHARED_UNITS, 11);
    feed(s->search, own, &s->own);
    feed(s->search, shared, &s->shared);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;

    mn_search_free(s->search);
    corpus_free(&s->own);
    corpus_free(&s->shared);
    free(s);
    return 0;
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static const struct mn_unit *unit_at(const struct setting *s, size_t n)
{
    return n < OWN_UNITS ? &s->own.unit[n] : &s->shared.unit[n - OWN_UNITS];
}

/* Scores of all rows that may be seen, best first. */
static size_t all_scores(const struct setting *s, const struct mn_query *query, bool by_text,
                         enum mn_language language, double *score)
{
    static const char *ids[OWN_UNITS + SHARED_UNITS];
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct mn_hits hits;
    size_t count = 0, total = 0;

    for (size_t n = 0; n < OWN_UNITS + SHARED_UNITS; n++)
        if (unit_at(s, n)->memory.scope_kind == MNEME_SCOPE_GLOBAL ||
            !strcmp(unit_at(s, n)->memory.scope_id, query->access->repository))
            ids[total++] = unit_at(s, n)->id;
    assert_int_equal(s->search->ops->score(s->search, query, ids, total, arena, &hits, NULL),
                     MNEME_OK);
    assert_int_equal(hits.count, total);
    for (size_t i = 0; i < hits.count; i++) {
        const struct mn_hit *hit = &hits.item[i];

        if (by_text && hit->text > 0)
            score[count++] = hit->text;
        if (!by_text && hit->has_vector && hit->language == language)
            score[count++] = hit->vector;
    }
    if (count)
        qsort(score, count, sizeof *score, falling);
    return count;
}

static void check_text(const struct setting *s, const struct mn_query *query,
                       const struct mn_hits *hits)
{
    static double every[OWN_UNITS + SHARED_UNITS];
    double came[TEXT_K];
    size_t wanted = all_scores(s, query, true, MN_LANGUAGE_EN, every), count = 0;

    for (size_t i = 0; i < hits->count; i++)
        if (hits->item[i].text_rank)
            came[hits->item[i].text_rank - 1] = hits->item[i].text, count++;
    wanted = wanted < TEXT_K ? wanted : TEXT_K;
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < count; i++)
        if (fabs(came[i] - every[i]) > 1e-6)
            fail_msg("rank %zu: %.9f came, %.9f is there", i + 1, came[i], every[i]);
}

static double check_vectors(const struct setting *s, const struct mn_query *query,
                            const struct mn_hits *hits)
{
    static double every[OWN_UNITS + SHARED_UNITS];
    size_t found = 0, wanted = 0;

    for (enum mn_language l = 0; l < MN_LANGUAGE_COUNT; l++) {
        size_t count = all_scores(s, query, false, l, every);
        size_t k = count < 10 ? count : 10, came = 0;

        for (size_t i = 0; i < hits->count; i++) {
            const struct mn_hit *hit = &hits->item[i];

            if (!hit->vector_rank || hit->language != l)
                continue;
            came++;
            found += k && hit->vector >= every[k - 1];
        }
        assert_int_equal(came, count < VECTOR_K ? count : VECTOR_K);
        wanted += k;
    }
    return wanted ? (double)found / (double)wanted : 1;
}

static void the_best_come_at_any_width_of_the_filter(void **state)
{
    struct setting *s = *state;
    double recall = 0;
    size_t asked = 0;

    for (size_t n = 0; n < REQUESTS; n++) {
        static const char *const repository[] = { "", "ten", "hundred" };
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        struct mn_access access = { .tenant = "t",
                                    .user = "u",
                                    .agent = "",
                                    .session = "",
                                    .task = "",
                                    .project = "",
                                    .repository = repository[n % 3],
                                    .clearance = MNEME_INTERNAL,
                                    .at_ms = 10 };
        struct mn_terms terms = { 0 };
        const char *text = corpus_text(&s->own, 1 + corpus_random(&s->own) % 12, n % 2);
        struct mn_query query = { .access = &access,
                                  .text_types = ~(mn_type_set)0,
                                  .vector_types = ~(mn_type_set)0,
                                  .terms = &terms,
                                  .language = n % 2 ? MN_LANGUAGE_ZH : MN_LANGUAGE_EN,
                                  .vector = corpus_vector(&s->own),
                                  .text_k = TEXT_K,
                                  .vector_k = VECTOR_K };
        struct mn_hits hits;

        assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
        assert_int_equal(s->search->ops->top(s->search, &query, arena, &hits, NULL), MNEME_OK);
        check_text(s, &query, &hits);
        recall += check_vectors(s, &query, &hits);
        asked++;
    }
    assert_true(recall / (double)asked >= 0.99);
}

static void same_scores(struct mn_search *search, const struct mn_query *query,
                        const char *const *ids, size_t count, struct mn_arena *arena)
{
    struct mn_query afresh = *query;
    struct mn_hits hits, expected;

    afresh.kept = NULL;
    assert_int_equal(search->ops->score(search, query, ids, count, arena, &hits, NULL), MNEME_OK);
    assert_int_equal(search->ops->score(search, &afresh, ids, count, arena, &expected, NULL),
                     MNEME_OK);
    assert_int_equal(hits.count, expected.count);
    assert_true(hits.term_weight_sum > 0);
    assert_true(hits.term_weight_sum == expected.term_weight_sum);
    for (size_t i = 0; i < hits.count; i++) {
        assert_string_equal(hits.item[i].unit->id, expected.item[i].unit->id);
        assert_true(hits.item[i].text == expected.item[i].text);
        assert_true(hits.item[i].vector == expected.item[i].vector);
    }
}

/* Of the request itself, and of the rows: a term becomes rarer, rows move when dead ones leave. */
static void what_is_kept_for_the_next_question_is_made_again_after_a_change(void **state)
{
    struct setting *s = *state;
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    const struct mn_partition own = { "t", "u" };
    const struct mn_access access = { .tenant = "t",
                                      .user = "u",
                                      .agent = "",
                                      .session = "",
                                      .task = "",
                                      .project = "",
                                      .repository = "",
                                      .clearance = MNEME_INTERNAL,
                                      .at_ms = 10 };
    struct mn_terms terms = { 0 }, others = { 0 };
    const char *text = corpus_text(&s->own, 8, 0), *other = corpus_text(&s->own, 8, 1);
    struct mn_query_kept *kept = NULL, *before = NULL;
    struct mn_query query = { .access = &access,
                              .terms = &terms,
                              .language = MN_LANGUAGE_EN,
                              .vector = corpus_vector(&s->own),
                              .kept = &kept };
    const char *ids[200], *dropped[OWN_UNITS / 2];

    for (size_t i = 0; i < 200; i++)
        ids[i] = s->own.unit[i].id;
    for (size_t i = 0; i < OWN_UNITS / 2; i++)
        dropped[i] = s->own.unit[OWN_UNITS - 1 - i].id;
    assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    assert_int_equal(mn_text_query_terms(arena, other, strlen(other), &others, NULL), MNEME_OK);
    same_scores(s->search, &query, ids, 200, arena);
    before = kept;
    same_scores(s->search, &query, ids, 200, arena);
    assert_ptr_equal(kept, before);

    assert_int_equal(
        s->search->ops->apply(s->search, own, false, NULL, 0, dropped, 1, "2", NULL), MNEME_OK);
    same_scores(s->search, &query, ids, 200, arena);
    assert_ptr_not_equal(kept, before);
    before = kept;
    assert_int_equal(s->search->ops->apply(s->search, own, false, NULL, 0, dropped, OWN_UNITS / 2,
                                           "3", NULL),
                     MNEME_OK);
    same_scores(s->search, &query, ids, 200, arena);
    assert_ptr_not_equal(kept, before);
    before = kept;
    query.terms = &others;
    same_scores(s->search, &query, ids, 200, arena);
    assert_ptr_not_equal(kept, before);
    before = kept;
    query.vector = corpus_vector(&s->own);
    same_scores(s->search, &query, ids, 200, arena);
    assert_ptr_not_equal(kept, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_come_at_any_width_of_the_filter),
        cmocka_unit_test(what_is_kept_for_the_next_question_is_made_again_after_a_change),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
