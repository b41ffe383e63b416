/*
 * test_memory_faults.c - each allocation fails in turn: a status, nothing lost, outputs untouched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "memory/record.h"
#include "memory/rule.h"

/* Wrapped at link time. Counts down to the allocation that fails; negative: none does. */
static int until_failure = -1;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool fails_now(void)
{
    if (until_failure < 0)
        return false;
    return until_failure-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails_now() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails_now() ? NULL : __real_realloc(old, bytes);
}

static const char LINE[] =
    "{\"id\":\"m1\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"content\":\"C\",\"keywords\":[\"x\"],"
    "\"applies_to\":{\"os\":\"ios\"},\"used_count\":2,\"attributes\":{\"a\":[1]},"
    "\"vector\":[0.5,1]}";

/* Calls `once` with the first, second, ... allocation failing until it succeeds untouched by one.
 */
static int fail_each(enum mneme_status (*once)(struct mneme_error *err))
{
    for (int at = 0; at < 1000; at++) {
        struct mneme_error err = { 0 };
        enum mneme_status status;
        bool failed;

        until_failure = at;
        status = once(&err);
        failed = until_failure < 0;
        until_failure = -1;
        if (!failed) {
            assert_int_equal(status, MNEME_OK);
            return at;
        }
        if (status != MNEME_LIMIT || err.status != MNEME_LIMIT || err.message[0] == '\0')
            fail_msg("allocation %d: status %d, '%s'", at, status, err.message);
    }
    fail_msg("a thousand allocations");
    return 0;
}

static enum mneme_status parse_once(struct mneme_error *err)
{
    struct mneme_parsed *parsed = NULL;
    enum mneme_status status = mneme_record_parse(LINE, strlen(LINE), NULL, &parsed, err);

    assert_int_equal(status == MNEME_OK, parsed != NULL);
    mneme_parsed_free(parsed);
    return status;
}

static struct mneme_parsed *whole;

static enum mneme_status print_once(struct mneme_error *err)
{
    char *json = NULL;
    enum mneme_status status = mneme_record_print(mneme_parsed_record(whole), &json, err);

    assert_int_equal(status == MNEME_OK, json != NULL);
    mneme_free(json);
    return status;
}

static enum mneme_status copy_once(struct mneme_error *err)
{
    struct mneme_parsed *copy = NULL;
    enum mneme_status status = mn_parsed_of(mneme_parsed_record(whole), &copy, err);

    assert_int_equal(status == MNEME_OK, copy != NULL);
    mneme_parsed_free(copy);
    return status;
}

static enum mneme_status check_and_complete_once(struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory memory = { .size = 77 };
    const char *text = "untouched";
    enum mneme_status status = mn_memory_check(mneme_parsed_record(whole)->memory, err);

    if (status == MNEME_OK)
        status = mn_memory_complete(mneme_parsed_record(whole)->memory, 1, arena, &memory, err);
    assert_int_equal(status == MNEME_OK, memory.size != 77);
    if (status == MNEME_OK)
        status = mn_memory_embed_text(&memory, "Ann", arena, &text, err);
    return status;
}

static enum mneme_status event_once(struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_memory memory;

    event.text = "x";
    event.attributes = "{\"a\": 1}";
    MN_TRY(mn_event_complete(&event, 1, arena, &event, err));
    return mn_event_as_memory(&event, arena, &memory, err);
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    whole = NULL;
    assert_int_equal(mneme_record_parse(LINE, strlen(LINE), NULL, &whole, NULL), MNEME_OK);
    assert_true(fail_each(parse_once) >= 3);
    assert_true(fail_each(print_once) >= 3);
    assert_true(fail_each(copy_once) >= 3);
    assert_true(fail_each(check_and_complete_once) >= 3);
    assert_true(fail_each(event_once) >= 3);
    mneme_parsed_free(whole);
}

static void a_rule_fires_when_memory_runs_out(void **state)
{
    static const struct mneme_signals none = { 0 };
    struct mn_trigger_input input = { "hello", "hello", "", &none, NULL };
    struct mneme_rule rule = MNEME_RULE_INIT;

    (void)state;
    rule.trigger_type = MNEME_TRIGGER_KEYWORD;
    rule.trigger_value = "fare";
    assert_false(mn_rule_fires(&rule, &input));
    until_failure = 0;
    assert_true(mn_rule_fires(&rule, &input));
    until_failure = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_allocations_are_a_status),
        cmocka_unit_test(a_rule_fires_when_memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
