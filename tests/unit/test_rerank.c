/*
 * test_rerank.c - a cross-encoder at a URL: what is asked, what is taken, what is refused, and what
 * is kept of it. The service is a thread of this process, on the loopback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fakes/fake_service.h"
#include "model/rerank.h"

static const char *const TEXT[] = { "tea \"green\"", "coffee" };

struct fixture {
    struct fake_service *service;
    struct mn_reranker *reranker;
    char url[64];
};

static int start(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    f->service = fake_service_new();
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d/v1", fake_service_port(f->service));
    *state = f;
    return mn_reranker_http_new(f->url, "s3cret", "judge", &f->reranker, NULL) != MNEME_OK;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    mn_reranker_free(f->reranker);
    fake_service_free(f->service);
    free(f);
    return 0;
}

static void results_come_in_any_order_and_find_their_places(void **state)
{
    struct fixture *f = *state;
    double score[2] = { 0, 0 };
    char asked[4096];

    fake_service_answer(f->service, 200,
                        "{\"results\": [{\"index\": 1, \"relevance_score\": 2.5},"
                        " {\"index\": 0, \"relevance_score\": -1}]}",
                        0);
    assert_int_equal(mn_rerank(f->reranker, "what to drink", TEXT, 2, 5000, score, NULL), MNEME_OK);
    assert_true(score[0] == -1 && score[1] == 2.5);
    fake_service_last(f->service, asked, sizeof asked);
    assert_memory_equal(asked, "POST /v1/rerank HTTP/1.1\r\n", 26);
    assert_non_null(strstr(asked, "Authorization: Bearer s3cret\r\n"));
    assert_non_null(strstr(asked, "\r\n\r\n{\"model\":\"judge\",\"query\":\"what to drink\","
                                  "\"documents\":[\"tea \\\"green\\\"\",\"coffee\"],\"top_n\":2}"));
}

static void an_answer_without_one_figure_for_each_text_is_refused(void **state)
{
    static const char *const BODY[] = {
        "no json",
        "{}",
        "{\"results\": {}}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}]}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}, {\"index\": 0,"
        " \"relevance_score\": 1}]}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}, {\"index\": 2,"
        " \"relevance_score\": 1}]}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}, {\"index\": -1,"
        " \"relevance_score\": 1}]}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}, {\"index\": 1,"
        " \"relevance_score\": \"high\"}]}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}, {\"index\": 1}]}",
        "{\"results\": [{\"index\": 0, \"relevance_score\": 1}, {\"index\": 1,"
        " \"relevance_score\": 1}, {\"index\": 2, \"relevance_score\": 1}]}",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof BODY / sizeof BODY[0]; i++) {
        double score[2] = { 7, 7 };
        struct mneme_error err;

        fake_service_answer(f->service, 200, BODY[i], 0);
        enum mneme_status status = mn_rerank(f->reranker, "q", TEXT, 2, 5000, score, &err);
        assert_true(status == MNEME_CORRUPT || status == MNEME_INVALID);
        assert_true(err.message[0]);
        assert_true(score[0] == 7 && score[1] == 7);
    }
    assert_int_equal(fake_service_calls(f->service), sizeof BODY / sizeof BODY[0]);
}

static void one_that_is_down_is_left_alone(void **state)
{
    struct fixture *f = *state;
    double score[2];

    fake_service_answer(f->service, 500, "{}", 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(mn_rerank(f->reranker, "q", TEXT, 2, 5000, score, NULL),
                         MNEME_UNAVAILABLE);
    assert_int_equal(fake_service_calls(f->service), 1);
}

static void one_that_is_slow_is_given_up(void **state)
{
    struct fixture *f = *state;
    double score[2];

    fake_service_answer(f->service, 200, "{}", 3000);
    int64_t begun_us = mn_clock_monotonic_us();
    assert_int_equal(mn_rerank(f->reranker, "q", TEXT, 2, 50, score, NULL), MNEME_UNAVAILABLE);
    assert_true(mn_clock_monotonic_us() - begun_us < 2500000);
}

static void a_key_that_is_refused_is_said(void **state)
{
    struct fixture *f = *state;
    double score[2];

    fake_service_answer(f->service, 401, "{}", 0);
    assert_int_equal(mn_rerank(f->reranker, "q", TEXT, 2, 5000, score, NULL), MNEME_FORBIDDEN);
}

static void a_call_has_one_to_a_hundred_texts(void **state)
{
    struct fixture *f = *state;
    const char *text[MN_RERANK_TEXTS_MAX + 1] = { 0 };
    double score[MN_RERANK_TEXTS_MAX + 1];

    assert_int_equal(mn_rerank(f->reranker, "q", text, 0, 50, score, NULL), MNEME_LIMIT);
    assert_int_equal(mn_rerank(f->reranker, "q", text, MN_RERANK_TEXTS_MAX + 1, 50, score, NULL),
                     MNEME_LIMIT);
    assert_int_equal(fake_service_calls(f->service), 0);
}

static void urls_end_with_the_call(void **state)
{
    static const char *const URL[] = { "http://127.0.0.1:%d/v1/", "http://127.0.0.1:%d/v1/rerank" };
    struct fixture *f = *state;
    char asked[4096], url[64];

    fake_service_answer(f->service, 200, "{}", 0);
    for (size_t i = 0; i < 2; i++) {
        struct mn_reranker *reranker = NULL;
        double score[1];

        snprintf(url, sizeof url, URL[i], fake_service_port(f->service));
        assert_int_equal(mn_reranker_http_new(url, NULL, NULL, &reranker, NULL), MNEME_OK);
        assert_int_equal(mn_rerank(reranker, "q", TEXT, 1, 5000, score, NULL), MNEME_CORRUPT);
        fake_service_last(f->service, asked, sizeof asked);
        assert_memory_equal(asked, "POST /v1/rerank HTTP/1.1\r\n", 26);
        assert_null(strstr(asked, "\"model\""));
        mn_reranker_free(reranker);
    }
    struct mn_reranker *none = NULL;
    assert_int_equal(mn_reranker_http_new("ftp://x", NULL, NULL, &none, NULL), MNEME_INVALID);
    assert_null(none);
    mn_reranker_free(NULL);
}

static void what_was_said_is_found_by_its_digest_and_its_count(void **state)
{
    struct mn_rerank_cache *cache = mn_rerank_cache_new();
    const double said[] = { 1, 2, 3 };
    double score[3] = { 0 };
    char digest[32];

    (void)state;
    assert_false(mn_rerank_cache_find(cache, "a", 2, score));
    mn_rerank_cache_keep(cache, "a", 2, said);
    assert_true(mn_rerank_cache_find(cache, "a", 2, score));
    assert_true(score[0] == 1 && score[1] == 2 && score[2] == 0);
    assert_false(mn_rerank_cache_find(cache, "a", 3, score));
    assert_false(mn_rerank_cache_find(cache, "b", 2, score));
    for (int i = 0; i < 255; i++) { /* 256 are kept */
        snprintf(digest, sizeof digest, "other %d", i);
        mn_rerank_cache_keep(cache, digest, 3, said);
    }
    assert_true(mn_rerank_cache_find(cache, "a", 2, score));
    mn_rerank_cache_keep(cache, "one more", 3, said);
    assert_false(mn_rerank_cache_find(cache, "a", 2, score));
    assert_true(mn_rerank_cache_find(cache, "other 0", 3, score));
    mn_rerank_cache_free(cache);
    mn_rerank_cache_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_come_in_any_order_and_find_their_places, start, stop),
        cmocka_unit_test_setup_teardown(an_answer_without_one_figure_for_each_text_is_refused, start,
                                        stop),
        cmocka_unit_test_setup_teardown(one_that_is_down_is_left_alone, start, stop),
        cmocka_unit_test_setup_teardown(one_that_is_slow_is_given_up, start, stop),
        cmocka_unit_test_setup_teardown(a_key_that_is_refused_is_said, start, stop),
        cmocka_unit_test_setup_teardown(a_call_has_one_to_a_hundred_texts, start, stop),
        cmocka_unit_test_setup_teardown(urls_end_with_the_call, start, stop),
        cmocka_unit_test(what_was_said_is_found_by_its_digest_and_its_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
