/*
 * test_second_step.c - what is said of somebody by name is found where the request does not name
 * them. Whole retrievals without a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)

static void say(struct fixture *f, const char *user, const char *id, const char *text)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    size_t failed = 0;

    m.tenant_id = "t";
    m.user_id = m.scope_id = user;
    m.scope_kind = MNEME_SCOPE_USER;
    m.type = "fact";
    m.id = id;
    m.content = text;
    m.authority = MNEME_EXPLICIT_USER;
    m.confidence = 1;
    m.importance = 0.5;
    change.now_ms = NOW;
    if (mneme_write(f->handle, &record, 1, &change, NULL, &failed, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* Is `id` in ann's answer, and does the trace hold `told`? */
static bool finds(struct fixture *f, const char *text, const char *id, const char *told)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    bool found = false;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW;
    if (mneme_retrieve(f->handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    for (size_t i = 0; i < answer->item_count; i++)
        found = found || !strcmp(answer->item[i].memory->id, id);
    if (!strstr(answer->trace, told))
        fail_msg("%s: %s", told, answer->trace);
    mneme_answer_free(answer);
    return found;
}

static void world(struct fixture *f)
{
    say(f, "ann", "who", "Tom's sister is Clara.");
    say(f, "ann", "clara", "Clara lives in Lyon.");
    say(f, "ann", "tom", "Tom lives in Graz.");
    say(f, "ann", "bob", "Bob lives in the city of Turin.");
    say(f, "ann", "eva", "Eva lives in the city of Porto.");
    say(f, "ann", "kim", "Kim and Tom live in a city.");
    say(f, "bea", "theirs", "Clara lives in the city of Cork.");
    say(f, "ann", "zh-who", "李雷的姐姐叫周敏。");
    say(f, "ann", "zh-min", "周敏住在杭州。");
    say(f, "ann", "zh-lei", "李雷住在成都。");
}

static void the_name_that_the_first_results_give_brings_what_is_said_of_it(void **state)
{
    struct fixture *f = *state;

    world(f);
    assert_true(finds(f, "In which city does Tom's sister live?", "clara",
                      "\"second_step\":{\"fired\":true,\"from\":\"who\",\"name_hash\":\""));
    assert_true(finds(f, "李雷的姐姐住在哪个城市？", "zh-min",
                      "\"second_step\":{\"fired\":true,\"from\":\"zh-who\",\"name_hash\":\""));
}

static void what_another_user_says_of_that_name_stays_theirs(void **state)
{
    struct fixture *f = *state;

    world(f);
    assert_false(finds(f, "In which city does Tom's sister live?", "theirs", "\"brought\":2,"));
}

static void without_the_relation_or_the_name_nothing_is_brought(void **state)
{
    struct fixture *f = *state;

    world(f);
    assert_true(finds(f, "In which city does Tom live?", "kim", "\"second_step\":{\"fired\":false}"));
    assert_false(finds(f, "In which city does Bob's sister live?", "clara",
                       "\"second_step\":{\"fired\":true,\"brought\":0,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_name_that_the_first_results_give_brings_what_is_said_of_it, fixture_set_up,
            fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_another_user_says_of_that_name_stays_theirs,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(without_the_relation_or_the_name_nothing_is_brought,
                                        fixture_set_up, fixture_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
