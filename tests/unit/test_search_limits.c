/*
 * test_search_limits.c - partitions leave when there is no room, broken ones when there is no
 * memory.
 *
 * Calls of malloc, calloc and realloc go through this file (WRAP), which can refuse one.
 */
#include "search/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/search_corpus.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);

static size_t calls_left = SIZE_MAX; /* until one is refused */

static bool refused(void)
{
    if (calls_left == SIZE_MAX)
        return false;
    return calls_left-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return refused() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return refused() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return refused() ? NULL : __real_realloc(block, bytes);
}

#define UNITS 90 /* more than the first room of rows */

static const float MEAN[CORPUS_DIM] = { 0.4f, 0.4f };

static struct mn_search *engine(size_t bytes_max)
{
    struct mn_space space = { .dim = CORPUS_DIM, .own_mean_share = 0.3f, .partition_k = 20 };
    struct mn_search *search = NULL;

    space.request_mean[MN_LANGUAGE_EN] = space.passage_mean[MN_LANGUAGE_EN] = MEAN;
    assert_int_equal(mn_search_memory_new(&space, bytes_max, &search, NULL), MNEME_OK);
    return search;
}

static struct mn_partition owned(const char *owner)
{
    return (struct mn_partition){ "t", owner };
}

static bool is_loaded(struct mn_search *search, const char *owner)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    const char *cursor;

    return search->ops->position(search, owned(owner), arena, &cursor, NULL) == MNEME_OK;
}

static void load(struct mn_search *search, const char *owner)
{
    struct corpus c = corpus_new(owned(owner), owner, UNITS, 3);

    assert_int_equal(search->ops->apply(search, owned(owner), true, c.unit, c.count, NULL, 0, "1",
                                        NULL),
                     MNEME_OK);
    corpus_free(&c);
}

static struct mn_search_stats stats_of(struct mn_search *search)
{
    struct mn_search_stats stats;

    search->ops->stats(search, &stats);
    return stats;
}

static void the_least_recently_used_leaves_when_there_is_no_room(void **state)
{
    struct mn_search *search = engine(SIZE_MAX);
    size_t one;

    (void)state;
    load(search, "a");
    one = stats_of(search).bytes;
    assert_true(one > UNITS * 3 * CORPUS_DIM);
    mn_search_free(search);

    search = engine(one * 3 + one / 2); /* three fit */
    load(search, "a");
    load(search, "b");
    load(search, "c");
    assert_int_equal(stats_of(search).partitions, 3);
    assert_true(is_loaded(search, "a")); /* used: b is the oldest now */
    load(search, "d");
    assert_int_equal(stats_of(search).partitions, 3);
    assert_int_equal(stats_of(search).units, 3 * UNITS);
    assert_true(stats_of(search).bytes <= one * 3 + one / 2);
    assert_false(is_loaded(search, "b"));
    assert_true(is_loaded(search, "a") && is_loaded(search, "c") && is_loaded(search, "d"));
    load(search, "b");
    assert_true(is_loaded(search, "b"));
    mn_search_free(search);
}

static void the_two_used_last_stay_whatever_the_limit(void **state)
{
    struct mn_search *search = engine(0);

    (void)state;
    load(search, "a");
    assert_true(is_loaded(search, "a"));
    load(search, "");
    assert_true(is_loaded(search, "a") && is_loaded(search, ""));
    load(search, "b");
    assert_int_equal(stats_of(search).partitions, 2);
    assert_true(is_loaded(search, "") && is_loaded(search, "b"));
    mn_search_free(search);
}

static void many_partitions_are_found_again(void **state)
{
    struct mn_search *search = engine(SIZE_MAX);
    char owner[16];

    (void)state;
    for (int i = 0; i < 300; i++) {
        snprintf(owner, sizeof owner, "u%d", i);
        assert_int_equal(search->ops->apply(search, owned(owner), true, NULL, 0, NULL, 0, owner,
                                            NULL),
                         MNEME_OK);
    }
    assert_int_equal(stats_of(search).partitions, 300);
    for (int i = 0; i < 300; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        const char *cursor;

        snprintf(owner, sizeof owner, "u%d", i);
        assert_int_equal(search->ops->position(search, owned(owner), arena, &cursor, NULL),
                         MNEME_OK);
        assert_string_equal(cursor, owner);
    }
    for (int i = 0; i < 300; i += 2) {
        snprintf(owner, sizeof owner, "u%d", i);
        search->ops->drop(search, owned(owner));
    }
    assert_int_equal(stats_of(search).partitions, 150);
    assert_false(is_loaded(search, "u0"));
    assert_true(is_loaded(search, "u299"));
    mn_search_free(search);
}

static void replaced_and_dropped_rows_give_their_room_back(void **state)
{
    struct mn_search *search = engine(SIZE_MAX);
    struct corpus c = corpus_new(owned("a"), "a", UNITS, 5);
    size_t bytes;

    (void)state;
    assert_int_equal(search->ops->apply(search, owned("a"), true, c.unit, c.count, NULL, 0, "1",
                                        NULL),
                     MNEME_OK);
    for (int round = 0; round < 4; round++)
        search->ops->apply(search, owned("a"), false, c.unit, c.count, NULL, 0, "1", NULL);
    bytes = stats_of(search).bytes;
    for (int round = 0; round < 50; round++)
        search->ops->apply(search, owned("a"), false, c.unit, c.count, NULL, 0, "1", NULL);
    assert_int_equal(stats_of(search).units, UNITS);
    assert_true(stats_of(search).bytes <= bytes);
    corpus_free(&c);
    mn_search_free(search);
}

/* ---- without memory ---- */

/* What a request finds, as one number; SIZE_MAX when it fails. */
static size_t ask(struct mn_search *search, const char *text, const float *vector,
                  bool *ret_partial)
{
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
    struct mn_terms terms = { 0 };
    struct mn_query query = { .access = &access,
                              .text_types = ~(mn_type_set)0,
                              .vector_types = ~(mn_type_set)0,
                              .terms = &terms,
                              .language = MN_LANGUAGE_EN,
                              .vector = vector,
                              .text_k = 10,
                              .vector_k = 5,
                              .around_k = 5 };
    struct mn_hits hits = { .count = 4711 };
    struct mn_contexts contexts = { .count = 4711 };
    const char *ids[64];
    size_t sum = 0;

    if (mn_text_query_terms(arena, text, strlen(text), &terms, NULL) != MNEME_OK)
        return SIZE_MAX;
    enum mneme_status status = search->ops->top(search, &query, arena, &hits, NULL);
    if (status != MNEME_OK) {
        assert_int_equal(status, MNEME_LIMIT);
        assert_int_equal(hits.count, 4711);
        return SIZE_MAX;
    }
    assert_in_range(hits.count, 0, 64);
    for (size_t i = 0; i < hits.count; i++) {
        ids[i] = hits.item[i].unit->id;
        sum += (i + 1) * (size_t)(1e6 * hits.item[i].text) + strlen(ids[i]);
    }
    status = search->ops->context(search, &query, ids, hits.count, arena, &contexts, NULL);
    if (status != MNEME_OK) {
        assert_int_equal(status, MNEME_LIMIT);
        assert_int_equal(contexts.count, 4711);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < contexts.count; i++)
        sum += (size_t)(1e3 * (double)contexts.item[i].signal[MN_SIGNAL_BODY_6]);
    *ret_partial = hits.partial;
    return sum;
}

static void each_allocation_of_a_feeding_may_fail(void **state)
{
    struct corpus before = corpus_new(owned("a"), "a", UNITS, 5);
    struct corpus after = corpus_new(owned("a"), "a", 150, 6);
    struct mn_search *whole = engine(SIZE_MAX);
    const float *vector = corpus_vector(&after);
    const char *text = corpus_text(&after, 6, 0);
    size_t found_before, found_after, failures = 0;
    bool partial;

    (void)state;
    whole->ops->apply(whole, owned(""), true, NULL, 0, NULL, 0, "1", NULL);
    whole->ops->apply(whole, owned("a"), true, before.unit, before.count, NULL, 0, "1", NULL);
    found_before = ask(whole, text, vector, &partial);
    whole->ops->apply(whole, owned("a"), false, after.unit, after.count, NULL, 0, "2", NULL);
    found_after = ask(whole, text, vector, &partial);
    mn_search_free(whole);

    for (size_t fail = 0;; fail += fail < 200 ? 1 : 37) {
        struct mn_search *search = engine(SIZE_MAX);

        search->ops->apply(search, owned(""), true, NULL, 0, NULL, 0, "1", NULL);
        search->ops->apply(search, owned("a"), true, before.unit, before.count, NULL, 0, "1", NULL);
        calls_left = fail;
        enum mneme_status status = search->ops->apply(search, owned("a"), false, after.unit,
                                                      after.count, NULL, 0, "2", NULL);
        bool done = calls_left != SIZE_MAX && calls_left > 0 && status == MNEME_OK;
        calls_left = SIZE_MAX;

        size_t found = ask(search, text, vector, &partial);
        if (status == MNEME_OK) { /* also when only squeezing out had to wait */
            assert_int_equal(found, found_after);
        } else {
            assert_int_equal(status, MNEME_LIMIT);
            failures++;
            if (is_loaded(search, "a"))
                assert_int_equal(found, found_before);
            else
                assert_true(partial && found == 0);
        }
        mn_search_free(search);
        if (done)
            break;
    }
    assert_true(failures > 100);
    corpus_free(&before);
    corpus_free(&after);
}

static void each_allocation_of_a_request_may_fail(void **state)
{
    struct corpus c = corpus_new(owned("a"), "a", UNITS, 5);
    struct mn_search *search = engine(SIZE_MAX);
    const float *vector = corpus_vector(&c);
    const char *text = corpus_text(&c, 6, 0);
    bool partial;

    (void)state;
    search->ops->apply(search, owned(""), true, NULL, 0, NULL, 0, "1", NULL);
    search->ops->apply(search, owned("a"), true, c.unit, c.count, NULL, 0, "1", NULL);
    size_t expected = ask(search, text, vector, &partial);
    for (size_t fail = 0;; fail++) {
        calls_left = fail;
        size_t found = ask(search, text, vector, &partial);
        bool done = calls_left != SIZE_MAX && calls_left > 0;
        calls_left = SIZE_MAX;

        assert_true(found == SIZE_MAX || found == expected);
        if (done && found == expected)
            break;
    }
    mn_search_free(search);
    corpus_free(&c);
}

static void an_engine_without_memory_is_a_status(void **state)
{
    struct mn_space space = { .dim = CORPUS_DIM };
    struct mn_search *search = NULL;
    size_t fail = 0;
    enum mneme_status status;

    (void)state;
    do {
        calls_left = fail++;
        status = mn_search_memory_new(&space, 1, &search, NULL);
        calls_left = SIZE_MAX;
        assert_true(status == MNEME_OK || (status == MNEME_LIMIT && !search));
    } while (status != MNEME_OK);
    assert_true(fail > 2);
    mn_search_free(search);
    mn_search_free(NULL);
    search = NULL;
    space.dim = 4097;
    assert_int_equal(mn_search_memory_new(&space, 1, &search, NULL), MNEME_LIMIT);
    assert_null(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_used_leaves_when_there_is_no_room),
        cmocka_unit_test(the_two_used_last_stay_whatever_the_limit),
        cmocka_unit_test(many_partitions_are_found_again),
        cmocka_unit_test(replaced_and_dropped_rows_give_their_room_back),
        cmocka_unit_test(each_allocation_of_a_feeding_may_fail),
        cmocka_unit_test(each_allocation_of_a_request_may_fail),
        cmocka_unit_test(an_engine_without_memory_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
