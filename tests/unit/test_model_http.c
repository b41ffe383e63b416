/*
 * test_model_http.c - a model at a URL: what is asked, what is taken, and what happens when it is
 * down, slow or wrong. The service is a thread of this process, on the loopback.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mneme/mneme.h>

#include "base/clock.h"
#include "fakes/fake_service.h"
#include "model/model.h"

#define PROFILE                                                                                    \
    "{\"name\": \"small-embedder\", \"dim\": 3, \"request_prefix\": \"query: \","                      \
    " \"passage_prefix\": \"passage: \", \"tokens_max\": 4}"
#define VECTOR "{\"data\": [{\"index\": 0, \"embedding\": [3, 0, 4.0]}]}"

struct fixture {
    struct fake_service *service;
    struct mn_model *model;
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
    return mn_model_http_new(f->url, "s3cret", PROFILE, &f->model, NULL) != MNEME_OK;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    mn_model_free(f->model);
    fake_service_free(f->service);
    free(f);
    return 0;
}

static void the_service_gets_prefix_name_and_key_and_gives_a_vector_of_length_1(void **state)
{
    struct fixture *f = *state;
    float vector[3];
    char asked[4096];

    fake_service_answer(f->service, 200, VECTOR, 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "ＲＥＤＩＳ \"x\"", vector, NULL),
                     MNEME_OK);
    assert_true(fabsf(vector[0] - 0.6f) < 1e-6f && vector[1] == 0 && fabsf(vector[2] - 0.8f) < 1e-6f);
    fake_service_last(f->service, asked, sizeof asked);
    assert_memory_equal(asked, "POST /v1/embeddings HTTP/1.1\r\n", 30);
    assert_non_null(strstr(asked, "Authorization: Bearer s3cret\r\n"));
    assert_non_null(strstr(asked, "\r\n\r\n{\"model\":\"small-embedder\",\"input\":[\"query: redis "
                                  "\\\"x\\\"\"]}"));
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_PASSAGE, "b", vector, NULL), MNEME_OK);
    fake_service_last(f->service, asked, sizeof asked);
    assert_non_null(strstr(asked, "[\"passage: b\"]"));
}

static void a_long_text_is_cut_to_what_the_tokens_may_hold(void **state)
{
    struct fixture *f = *state;
    float vector[3];
    char asked[4096];

    fake_service_answer(f->service, 200, VECTOR, 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_PASSAGE,
                                    "0123456789012345678901234567890123", vector, NULL),
                     MNEME_OK);
    fake_service_last(f->service, asked, sizeof asked);
    assert_non_null(strstr(asked, "[\"passage: 01234567890123456789012345678901\"]")); /* 32 */
}

static void what_is_no_vector_of_the_profile_is_refused(void **state)
{
    static const struct {
        int status;
        const char *body;
        enum mneme_status wanted;
    } CASES[] = {
        { 200, "{\"data\": [{\"embedding\": [1, 0]}]}", MNEME_INVALID },
        { 200, "{\"data\": [{\"embedding\": [1, 0, 0, 0]}]}", MNEME_INVALID },
        { 200, "{\"data\": [{\"embedding\": [0, 0, 0]}]}", MNEME_CORRUPT },
        { 200, "{\"data\": []}", MNEME_CORRUPT },
        { 200, "not json", MNEME_INVALID },
        { 404, VECTOR, MNEME_INVALID },
        { 302, VECTOR, MNEME_INVALID },
    };
    struct fixture *f = *state;
    float vector[3] = { 9, 9, 9 };

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        fake_service_answer(f->service, CASES[i].status, CASES[i].body, 0);
        assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, NULL),
                         CASES[i].wanted);
        assert_int_equal(fake_service_calls(f->service), i + 1);
    }
    assert_true(vector[0] == 9); /* untouched */
    fake_service_answer(f->service, 200, VECTOR, 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, NULL), MNEME_OK);
}

static void an_answer_without_an_end_is_cut_off(void **state)
{
    struct fixture *f = *state;
    static char body[70001]; /* more than 65536 + 3 * 64; stays: the service may still be sending it */
    float vector[3];

    memset(body, ' ', sizeof body - 1);
    fake_service_answer(f->service, 200, body, 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, NULL), MNEME_LIMIT);
}

static void after_a_failure_the_service_is_left_alone(void **state)
{
    struct fixture *f = *state;
    struct mneme_error first, second;
    float vector[3];

    fake_service_answer(f->service, 503, "", 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, &first),
                     MNEME_UNAVAILABLE);
    fake_service_answer(f->service, 200, VECTOR, 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, &second),
                     MNEME_UNAVAILABLE);
    assert_string_equal(first.message, second.message);
    assert_non_null(strstr(first.message, "answered with status 503"));
    assert_int_equal(fake_service_calls(f->service), 1);
}

static void a_slow_service_costs_a_second_once(void **state)
{
    struct fixture *f = *state;
    struct mneme_error err;
    float vector[3];
    int64_t begun_us = mn_clock_monotonic_us();

    fake_service_answer(f->service, 200, VECTOR, 1500);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, &err),
                     MNEME_UNAVAILABLE);
    assert_non_null(strstr(err.message, "did not answer within 1000 ms"));
    assert_true(mn_clock_monotonic_us() - begun_us >= 990000); /* its clock ticks in milliseconds */
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "b", vector, &err),
                     MNEME_UNAVAILABLE);
    assert_int_equal(fake_service_calls(f->service), 1); /* the second was not sent */
}

static void a_writer_waits_for_a_second_and_nobody_for_longer(void **state)
{
    struct fixture *f = *state;
    struct mn_model *other = NULL;
    struct mneme_error err;
    float vector[3];
    int64_t begun_us = mn_clock_monotonic_us();

    fake_service_answer(f->service, 200, VECTOR, 1300);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_PASSAGE_AWAITED, "a", vector, &err),
                     MNEME_UNAVAILABLE);
    assert_true(mn_clock_monotonic_us() - begun_us < 1290000);
    assert_int_equal(mn_model_http_new(f->url, "", PROFILE, &other, NULL), MNEME_OK);
    assert_int_equal(mn_model_embed(other, MN_EMBED_PASSAGE, "a", vector, &err), MNEME_OK);
    mn_model_free(other);
}

static void a_refused_key_is_said_to_be_one(void **state)
{
    struct fixture *f = *state;
    float vector[3];

    fake_service_answer(f->service, 401, "{}", 0);
    assert_int_equal(mn_model_embed(f->model, MN_EMBED_REQUEST, "a", vector, NULL),
                     MNEME_FORBIDDEN);
}

static void a_password_in_the_url_stands_in_no_message(void **state)
{
    static const char *const NO_URLS[] = { "ftp://ann:s3cret@host/v1", "ftp://s3cret@a@host/v1" };
    struct fixture *f = *state;
    struct mn_model *model = NULL;
    struct mneme_error err;
    char url[96], wanted[128];
    float vector[3];
    int port = fake_service_port(f->service);

    snprintf(url, sizeof url, "http://ann:s3cret@127.0.0.1:%d/v1/@x", port);
    assert_int_equal(mn_model_http_new(url, "", PROFILE, &model, NULL), MNEME_OK);
    fake_service_answer(f->service, 503, "", 0);
    assert_int_equal(mn_model_embed(model, MN_EMBED_REQUEST, "a", vector, &err), MNEME_UNAVAILABLE);
    snprintf(wanted, sizeof wanted, "http://127.0.0.1:%d/v1/@x/embeddings answered with status 503",
             port);
    assert_string_equal(err.message, wanted);
    mn_model_free(model);
    for (size_t i = 0; i < sizeof NO_URLS / sizeof *NO_URLS; i++) {
        assert_int_equal(mn_model_http_new(NO_URLS[i], "", PROFILE, &model, &err), MNEME_INVALID);
        assert_non_null(strstr(err.message, "ftp://host/v1/embeddings is neither"));
    }
}

static void tokens_are_not_known(void **state)
{
    struct fixture *f = *state;
    size_t count = 7;

    assert_int_equal(mn_model_count_tokens(f->model, "a", &count, NULL), MNEME_UNAVAILABLE);
    assert_int_equal(count, 7);
}

static void without_a_profile_or_a_url_there_is_no_model(void **state)
{
    struct mn_model *model = NULL;
    struct mneme_error err;

    (void)state;
    assert_int_equal(mn_model_http_new("http://127.0.0.1:1/v1", "", NULL, &model, &err),
                     MNEME_INVALID);
    assert_string_equal(err.field, "profile_path");
    assert_int_equal(mn_model_http_new("ftp://127.0.0.1/v1", "", PROFILE, &model, NULL),
                     MNEME_INVALID);
    assert_int_equal(mn_model_http_new("http://127.0.0.1:1/v1", "a\r\nX: y", PROFILE, &model, NULL),
                     MNEME_INVALID);
    assert_null(model);
}

/* ---- the whole engine ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct mneme_answer *ask(struct mneme *handle)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = "Which colour has the cable lift?";
    request.mode = MNEME_MODE_HYBRID;
    assert_int_equal(mneme_retrieve(handle, &request, &answer, NULL), MNEME_OK);
    return answer;
}

static void recall_goes_on_without_the_service_and_says_so(void **state)
{
    struct fixture *f = *state;
    char folder[] = "/tmp/mneme-test-XXXXXX";
    char store[64], profile[64], lock[72];
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;
    struct mneme *handle = NULL;

    assert_non_null(mkdtemp(folder));
    snprintf(store, sizeof store, "%s/s", folder);
    snprintf(lock, sizeof lock, "%s/s.lock", folder);
    snprintf(profile, sizeof profile, "%s/p.json", folder);
    write_file(profile, PROFILE);
    options.store_path = store;
    options.create = 1;
    options.model_path = f->url;
    options.profile_path = profile;
    options.tokenizer = "estimate";
    assert_int_equal(mneme_open(&options, &handle, NULL), MNEME_OK);
    assert_string_equal(mneme_model_status(handle), "");
    assert_string_equal(mneme_model_name(handle), "small-embedder");
    memory.tenant_id = "t";
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = "The cable lift has the colour red.";
    fake_service_answer(f->service, 200, VECTOR, 0);
    assert_int_equal(mneme_remember(handle, &memory, &change, &receipt, NULL), MNEME_OK);
    assert_int_equal(fake_service_calls(f->service), 1);

    struct mneme_answer *answer = ask(handle);
    assert_int_equal(answer->degraded, 0);
    assert_int_equal(answer->item_count, 1);
    mneme_answer_free(answer);
    mneme_close(handle);

    fake_service_answer(f->service, 503, "", 0);
    assert_int_equal(mneme_open(&options, &handle, NULL), MNEME_OK);
    answer = ask(handle);
    assert_int_equal(answer->item_count, 1); /* by its words */
    assert_int_equal(answer->degraded, 1);
    assert_non_null(strstr(answer->trace, "answered with status 503"));
    mneme_answer_free(answer);
    mneme_close(handle);

    /* One that hangs holds a write for a second; the vector follows. */
    fake_service_answer(f->service, 200, VECTOR, 1800);
    assert_int_equal(mneme_open(&options, &handle, NULL), MNEME_OK);
    memory.user_id = "bob";
    int64_t begun_us = mn_clock_monotonic_us();
    assert_int_equal(mneme_remember(handle, &memory, &change, &receipt, NULL), MNEME_OK);
    assert_in_range(mn_clock_monotonic_us() - begun_us, 1000000, 2500000);
    mneme_close(handle);
    unlink(store);
    unlink(profile);
    unlink(lock);
    assert_int_equal(rmdir(folder), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_service_gets_prefix_name_and_key_and_gives_a_vector_of_length_1),
        TEST(a_long_text_is_cut_to_what_the_tokens_may_hold),
        TEST(what_is_no_vector_of_the_profile_is_refused),
        TEST(an_answer_without_an_end_is_cut_off),
        TEST(after_a_failure_the_service_is_left_alone),
        TEST(a_slow_service_costs_a_second_once),
        TEST(a_writer_waits_for_a_second_and_nobody_for_longer),
        TEST(a_refused_key_is_said_to_be_one),
        TEST(a_password_in_the_url_stands_in_no_message),
        TEST(tokens_are_not_known),
        TEST(recall_goes_on_without_the_service_and_says_so),
        cmocka_unit_test(without_a_profile_or_a_url_there_is_no_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
