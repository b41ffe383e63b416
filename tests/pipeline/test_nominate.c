/*
 * test_nominate.c - look-alikes that words do not bring to light: a vector nominates them, and the rules
 * of text decide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/mneme.h>

#include "fakes/fake_service.h"
#include "fakes/store_folder.h"

#define CROWD 12 /* more than words nominate */
#define OLDER "Tests must pass before a merge."

struct fixture {
    struct store_folder folder;
    struct fake_service *service;
    struct mneme *handle;
    struct mneme_error err;
};

/* Texts on what comes before a merge point one way, all others another. */
static const char *choose(const char *request)
{
    return strstr(request, "before a merge") ? "{\"data\":[{\"embedding\":[1,0.1,0]}]}"
                                             : "{\"data\":[{\"embedding\":[-0.1,0.2,1]}]}";
}

static int start(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char url[64], profile[96];

    if (!f || store_folder_make(&f->folder, "nominate"))
        return 1;
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    f->service = fake_service_new();
    fake_service_choose(f->service, choose);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", fake_service_port(f->service));
    (void)snprintf(profile, sizeof profile, "%.60s/profile", f->folder.path);
    FILE *file = fopen(profile, "w");
    if (!file)
        return 1;
    fputs("{\"name\":\"small\",\"dim\":3,\"tokens_max\":64}", file);
    fclose(file);
    options.store_path = f->folder.store;
    options.create = 1;
    options.tokenizer = "estimate";
    options.model_path = url;
    options.profile_path = profile;
    *state = f;
    return mneme_open(&options, &f->handle, &f->err) != MNEME_OK;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    mneme_close(f->handle);
    fake_service_free(f->service);
    int failed = store_folder_remove(&f->folder);
    free(f);
    return failed;
}

static enum mneme_outcome remember(struct fixture *f, const char *content, bool without_embedding)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    change.without_embedding = without_embedding;
    memory.tenant_id = "t";
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = content;
    if (mneme_remember(f->handle, &memory, &change, &receipt, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    return receipt.outcome;
}

/* Of these each has more of the words, and none says the same. */
static void fill(struct fixture *f)
{
    assert_int_equal(remember(f, OLDER, false), MNEME_INSERTED);
    for (int i = 0; i < CROWD; i++) {
        char text[128];

        (void)snprintf(text, sizeof text, "Merge tests pass, pass, pass: merge train %d merges tests.", i);
        assert_int_equal(remember(f, text, false), MNEME_INSERTED);
    }
}

static void a_vector_brings_a_rewording_to_light(void **state)
{
    struct fixture *f = *state;

    fill(f);
    assert_int_equal(remember(f, "before a merge, tests have to pass", true), MNEME_INSERTED);
    assert_int_equal(remember(f, "Tests need to pass before a merge.", false), MNEME_MERGED);
}

static void near_by_vector_alone_is_not_the_same(void **state)
{
    struct fixture *f = *state;

    fill(f);
    assert_int_equal(remember(f, "Tests need not pass before a merge.", false), MNEME_INSERTED);
    assert_int_equal(remember(f, "Linters must pass before a merge.", false), MNEME_INSERTED);
    assert_int_equal(remember(f, "Two people approve before a merge.", false), MNEME_INSERTED);
}

static void a_memory_is_embedded_once(void **state)
{
    struct fixture *f = *state;
    size_t calls;

    assert_int_equal(remember(f, OLDER, false), MNEME_INSERTED);
    calls = fake_service_calls(f->service);
    assert_int_equal(calls, 1);
    assert_int_equal(remember(f, OLDER, false), MNEME_CONFIRMED);
    assert_int_equal(fake_service_calls(f->service), calls);
    assert_int_equal(mneme_run_due(f->handle, 10, NULL, &f->err), MNEME_OK);
    assert_int_equal(fake_service_calls(f->service), calls);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_vector_brings_a_rewording_to_light),
        TEST(near_by_vector_alone_is_not_the_same),
        TEST(a_memory_is_embedded_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
