/*
 * test_rerank_recall.c - a recall with a cross-encoder behind its ranking: whose order holds, and what
 * happens when it is silent. The service is a thread of this process, on the loopback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/mneme.h>

#include "fakes/fake_service.h"
#include "fakes/store_folder.h"

#define NOW INT64_C(1767225600000)
#define REQUEST "Which harbour does the ferry leave from?"

static struct store_folder folder;
static struct fake_service *service;
static struct mneme *handle;

static void open_with(const char *rerank, int timeout_ms)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_error err;

    options.store_path = folder.store;
    options.create = 1;
    options.tokenizer = "estimate";
    options.rerank_path = rerank;
    options.rerank_model = "judge";
    options.rerank_timeout_ms = timeout_ms;
    if (mneme_open(&options, &handle, &err) != MNEME_OK)
        fail_msg("%s", err.message);
}

static void remember(const char *id, const char *text)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_error err;

    change.now_ms = NOW;
    m.tenant_id = "t";
    m.user_id = "ann";
    m.id = id;
    m.type = "fact";
    m.title = "Title";
    m.content = text;
    if (mneme_remember(handle, &m, &change, NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
}

static int start(void **state)
{
    (void)state;
    char url[64];

    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    service = fake_service_new();
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", fake_service_port(service));
    if (store_folder_make(&folder, "rerank") != 0)
        return 1;
    open_with(url, 400);
    remember("a", "The ferry leaves from the old harbour.");
    remember("b", "The ferry to the island leaves from the new harbour pier.");
    remember("c", "A ferry ticket costs nine coins.");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    mneme_close(handle);
    fake_service_free(service);
    return store_folder_remove(&folder);
}

/* The ids in their order, as "abc"; the trace in `trace`. */
static void recall(const char *text, char *order, char *trace, size_t trace_bytes, int *degraded)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW;
    request.mode = MNEME_MODE_HYBRID;
    request.without_limits = 1;
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < answer->item_count; i++)
        *order++ = answer->item[i].memory->id[0];
    *order = '\0';
    snprintf(trace, trace_bytes, "%s", answer->trace);
    *degraded = answer->degraded;
    mneme_answer_free(answer);
}

#define RESULTS(a, b, c)                                                                           \
    "{\"results\": [{\"index\": 0, \"relevance_score\": " #a "}, {\"index\": 1,"                      \
    " \"relevance_score\": " #b "}, {\"index\": 2, \"relevance_score\": " #c "}]}"

static void the_order_is_the_cross_encoders_and_asking_again_asks_nobody(void **state)
{
    char before[8], order[8], trace[32768], asked[8192];
    int degraded;

    (void)state;
    fake_service_answer(service, 200, RESULTS(3, 2, 1), 0);
    recall(REQUEST, before, trace, sizeof trace, &degraded);
    assert_int_equal(strlen(before), 3); /* likes each as it was ranked */
    assert_false(degraded);
    assert_int_equal(fake_service_calls(service), 1);
    fake_service_last(service, asked, sizeof asked);
    assert_non_null(strstr(asked, "\"query\":\"" REQUEST "\""));
    assert_non_null(strstr(asked, "\"Title\\nA ferry ticket costs nine coins.\""));
    assert_non_null(strstr(trace, "\"rerank\":{\"model\":\"judge\",\"count\":3,"));
    assert_non_null(strstr(trace, "\"cached\":false}"));
    assert_non_null(strstr(trace, "\"rerank\":3"));

    fake_service_answer(service, 200, RESULTS(1, 2, 3), 0);
    recall(REQUEST, order, trace, sizeof trace, &degraded);
    assert_string_equal(order, before);
    assert_non_null(strstr(trace, "\"cached\":true}"));
    assert_int_equal(fake_service_calls(service), 1);

    recall(REQUEST " Tell me.", order, trace, sizeof trace, &degraded);
    assert_int_equal(fake_service_calls(service), 2);
    assert_int_equal(order[0], before[2]);
    assert_int_equal(order[1], before[1]);
    assert_int_equal(order[2], before[0]);
}

static void another_text_of_a_memory_is_read_anew(void **state)
{
    char order[8], trace[32768];
    int degraded;

    (void)state;
    fake_service_answer(service, 200, RESULTS(3, 2, 1), 0);
    recall(REQUEST, order, trace, sizeof trace, &degraded);
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;
    struct mneme_error err;

    change.now_ms = NOW + 1;
    assert_int_equal(mneme_get(handle, "t", "ann", "a", &row, &err), MNEME_OK);
    struct mneme_memory m = *mneme_parsed_record(row)->memory;
    m.content = "The ferry leaves from the old harbour at nine.";
    m.summary = m.content_hash = NULL;
    if (mneme_edit(handle, &m, &change, NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    mneme_parsed_free(row);
    recall(REQUEST, order, trace, sizeof trace, &degraded);
    assert_int_equal(fake_service_calls(service), 2);
}

static void ask_as(const char *user)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "t";
    request.identity.user_id = user;
    request.text = REQUEST;
    request.now_ms = NOW;
    request.mode = MNEME_MODE_HYBRID;
    request.without_limits = 1;
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_int_equal(answer->item_count, 2);
    mneme_answer_free(answer);
}

/* Who asks what another has asked of the same memories is answered no faster. */
static void what_one_user_asked_is_kept_from_another(void **state)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;

    (void)state;
    m.tenant_id = "t";
    m.type = "fact";
    change.admin = 1;
    change.now_ms = NOW;
    for (int i = 0; i < 2; i++) {
        m.id = i ? "shared-1" : "shared-2";
        m.content = i ? "The ferry of all leaves from the old harbour." : "A ferry lies in each harbour.";
        assert_int_equal(mneme_write(handle, &record, 1, &change, NULL, NULL, &err), MNEME_OK);
    }
    fake_service_answer(service, 200,
                        "{\"results\": [{\"index\": 0, \"relevance_score\": 1},"
                        " {\"index\": 1, \"relevance_score\": 2}]}", 0);
    ask_as("bob");
    assert_int_equal(fake_service_calls(service), 1);
    ask_as("bob");
    assert_int_equal(fake_service_calls(service), 1);
    ask_as("eve");
    assert_int_equal(fake_service_calls(service), 2);
}

static void a_service_that_fails_leaves_the_order_and_the_trace_says_so(void **state)
{
    static const struct {
        int status;
        const char *body;
        int delay_ms;
    } BAD[] = {
        { 500, "{}", 0 },
        { 200, "garbage", 0 },
        { 200, "{\"results\": [{\"index\": 0, \"relevance_score\": 1}]}", 0 },
        { 200, RESULTS(1, 2, 3), 2000 },
    };
    char with[8], without[8], trace[32768], url[64];
    int degraded;

    (void)state;
    mneme_close(handle);
    open_with("none", 0);
    recall(REQUEST, without, trace, sizeof trace, &degraded);
    assert_false(degraded);
    assert_null(strstr(trace, "\"rerank\""));
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        mneme_close(handle);
        snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", fake_service_port(service));
        open_with(url, 200);
        fake_service_answer(service, BAD[i].status, BAD[i].body, BAD[i].delay_ms);
        recall(REQUEST, with, trace, sizeof trace, &degraded);
        assert_string_equal(with, without);
        assert_true(degraded);
        assert_non_null(strstr(trace, "\"cached\":false,\"silent\":\""));
        assert_non_null(strstr(trace, "\"notes\":[\"vector: "));
    }
}

static void one_that_is_not_there_is_said_in_each_trace(void **state)
{
    char order[8], trace[32768];
    int degraded;

    (void)state;
    assert_string_equal(mneme_rerank_status(handle), "");
    mneme_close(handle);
    open_with("/nowhere/judge.gguf", 0);
    assert_string_equal(mneme_rerank_status(handle),
                        "rerank: cannot open /nowhere/judge.gguf: No such file or directory");
    recall(REQUEST, order, trace, sizeof trace, &degraded);
    assert_int_equal(strlen(order), 3);
    assert_true(degraded);
    assert_non_null(strstr(trace, "\"rerank: cannot open /nowhere/judge.gguf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_order_is_the_cross_encoders_and_asking_again_asks_nobody, start, stop),
        cmocka_unit_test_setup_teardown(another_text_of_a_memory_is_read_anew, start, stop),
        cmocka_unit_test_setup_teardown(what_one_user_asked_is_kept_from_another, start, stop),
        cmocka_unit_test_setup_teardown(
            a_service_that_fails_leaves_the_order_and_the_trace_says_so, start, stop),
        cmocka_unit_test_setup_teardown(one_that_is_not_there_is_said_in_each_trace, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
