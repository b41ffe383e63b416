/*
 * test_identify.c - the first stage refuses what later stages rely on never to see, and names it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "retrieve/stages.h"

#define NOW_MS INT64_C(1792000000000)

static struct mneme_request good_request(void)
{
    struct mneme_request request = MNEME_REQUEST_INIT;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = "hello";
    return request;
}

static void assert_refused(const struct mneme_request *request, enum mneme_status status,
                           const char *field)
{
    struct mn_access access = { .tenant = "untouched" };
    struct mneme_error err = { 0 };

    assert_int_equal(mn_identify(request, NOW_MS, &access, &err), status);
    assert_string_equal(err.field, field);
    assert_string_equal(access.tenant, "untouched");
}

static struct mn_access accepted(const struct mneme_request *request)
{
    struct mn_access access = { 0 };
    struct mneme_error err = { 0 };

    if (mn_identify(request, NOW_MS, &access, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    return access;
}

static char *text_of(size_t bytes)
{
    char *text = malloc(bytes + 1);

    assert_non_null(text);
    memset(text, 'a', bytes);
    text[bytes] = 0;
    return text;
}

static void the_access_is_complete_and_judges_at_now_or_as_of(void **state)
{
    struct mneme_request request = good_request();

    (void)state;
    struct mn_access access = accepted(&request);
    assert_string_equal(access.tenant, "t");
    assert_string_equal(access.user, "ann");
    assert_string_equal(access.agent, "");
    assert_int_equal(access.clearance, MNEME_INTERNAL);
    assert_int_equal(access.at_ms, NOW_MS);
    request.now_ms = NOW_MS - 5;
    assert_int_equal(accepted(&request).at_ms, NOW_MS - 5);
    request.as_of_ms = NOW_MS - 5;
    assert_int_equal(accepted(&request).at_ms, NOW_MS - 5);
    request.as_of_ms = NOW_MS - 4;
    assert_refused(&request, MNEME_INVALID, "as_of");
}

static void without_tenant_or_user_nothing_is_asked(void **state)
{
    struct mneme_request request = good_request();

    (void)state;
    request.identity.tenant_id = "";
    assert_refused(&request, MNEME_INVALID, "tenant_id");
    request = good_request();
    request.identity.user_id = NULL;
    assert_refused(&request, MNEME_INVALID, "user_id");
}

static void the_text_is_utf8_of_one_byte_to_its_limit(void **state)
{
    struct mneme_request request = good_request();
    char *longest = text_of(MNEME_TEXT_BYTES_MAX);
    char *too_long = text_of(MNEME_TEXT_BYTES_MAX + 1);

    (void)state;
    request.text = NULL;
    assert_refused(&request, MNEME_INVALID, "text");
    request.text = "";
    assert_refused(&request, MNEME_INVALID, "text");
    request.text = "a\xff";
    assert_refused(&request, MNEME_INVALID, "text");
    request.text = "a";
    accepted(&request);
    request.text = longest;
    accepted(&request);
    request.text = too_long;
    assert_refused(&request, MNEME_LIMIT, "text");
    free(longest);
    free(too_long);
}

static void a_request_of_another_size_is_refused(void **state)
{
    struct mneme_request request = good_request();

    (void)state;
    request.size = 0;
    assert_refused(&request, MNEME_INVALID, "size");
    request.size = sizeof request + 8;
    assert_refused(&request, MNEME_INVALID, "size");
}

static void enumerations_end_where_they_end(void **state)
{
    struct mneme_request request = good_request();

    (void)state;
    request.mode = MNEME_MODE_HYBRID;
    request.consistency = MNEME_CONSISTENCY_READ_MODEL;
    request.profile = MNEME_PROFILE_RECENCY;
    request.identity.clearance = MNEME_SECRET;
    accepted(&request);
    request.mode = (enum mneme_mode)(MNEME_MODE_HYBRID + 1);
    assert_refused(&request, MNEME_INVALID, "mode");
    request = good_request();
    request.consistency = (enum mneme_consistency)(MNEME_CONSISTENCY_READ_MODEL + 1);
    assert_refused(&request, MNEME_INVALID, "consistency");
    request = good_request();
    request.profile = (enum mneme_profile)(MNEME_PROFILE_RECENCY + 1);
    assert_refused(&request, MNEME_INVALID, "profile");
    request = good_request();
    request.identity.clearance = (enum mneme_sensitivity)(MNEME_SECRET + 1);
    assert_refused(&request, MNEME_INVALID, "clearance");
}

static void zones_must_be_known_and_ranges_must_not_be_empty(void **state)
{
    struct mneme_request request = good_request();

    (void)state;
    request.identity.timezone = "Asia/Shanghai";
    accepted(&request);
    request.identity.timezone = "Asia/Nowhere";
    assert_refused(&request, MNEME_INVALID, "timezone");
    request.identity.timezone = "../../etc/passwd";
    assert_refused(&request, MNEME_INVALID, "timezone");
    request = good_request();
    request.after_ms = 10;
    request.before_ms = 11;
    accepted(&request);
    request.before_ms = 10;
    assert_refused(&request, MNEME_INVALID, "after");
}

static void lists_hold_texts_and_not_too_many(void **state)
{
    static const char *items[MNEME_LIST_ITEMS_MAX + 1];
    struct mneme_request request = good_request();

    (void)state;
    for (size_t i = 0; i <= MNEME_LIST_ITEMS_MAX; i++)
        items[i] = "p";
    request.identity.permissions = (struct mneme_list){ items, MNEME_LIST_ITEMS_MAX };
    accepted(&request);
    request.identity.permissions.count++;
    assert_refused(&request, MNEME_LIMIT, "permissions");
    request = good_request();
    request.signals.paths = (struct mneme_list){ NULL, 1 };
    assert_refused(&request, MNEME_INVALID, "paths");
    request = good_request();
    request.types_required = (struct mneme_list){ (const char *const[]){ "incident", "fact" }, 2 };
    accepted(&request);
    request.types_required =
        (struct mneme_list){ (const char *const[]){ "incident", "rumour" }, 2 };
    assert_refused(&request, MNEME_INVALID, "types_required");
    request = good_request();
    request.evidence = (struct mneme_list){ (const char *const[]){ "ok", NULL }, 2 };
    assert_refused(&request, MNEME_INVALID, "evidence");
    request = good_request();
    request.identity.environment =
        (struct mneme_pairs){ (const struct mneme_pair[]){ { "", "3" } }, 1 };
    assert_refused(&request, MNEME_INVALID, "environment");
}

static void budgets_have_their_limits(void **state)
{
    struct mneme_request request = good_request();

    (void)state;
    request.items_max = 100000;
    request.tokens_max = 10000000;
    accepted(&request);
    request.items_max = 100001;
    assert_refused(&request, MNEME_LIMIT, "items_max");
    request = good_request();
    request.tokens_max = 10000001;
    assert_refused(&request, MNEME_LIMIT, "tokens_max");
    request = good_request();
    request.depth = SIZE_MAX;
    assert_refused(&request, MNEME_LIMIT, "depth");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_access_is_complete_and_judges_at_now_or_as_of),
        cmocka_unit_test(without_tenant_or_user_nothing_is_asked),
        cmocka_unit_test(the_text_is_utf8_of_one_byte_to_its_limit),
        cmocka_unit_test(a_request_of_another_size_is_refused),
        cmocka_unit_test(enumerations_end_where_they_end),
        cmocka_unit_test(zones_must_be_known_and_ranges_must_not_be_empty),
        cmocka_unit_test(lists_hold_texts_and_not_too_many),
        cmocka_unit_test(budgets_have_their_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
