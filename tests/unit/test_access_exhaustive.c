/*
 * test_access_exhaustive.c - access.c against the oracle, over the whole small universe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "fakes/universe.h"
#include "memory/record.h"

#define ROWS_MAX 60000
#define ASKED_MAX 1000

static struct universe_memory row[ROWS_MAX];
static size_t row_count;
static struct mn_access asked[ASKED_MAX];
static size_t asked_count;

static int build_universe(void **state)
{
    (void)state;
    row_count = universe_memory_count();
    asked_count = universe_access_count();
    if (row_count > ROWS_MAX || asked_count > ASKED_MAX)
        return -1;
    for (size_t a = 0; a < asked_count; a++)
        asked[a] = universe_access(a);
    for (size_t i = 0; i < row_count; i++)
        universe_memory(i, &row[i]);
    return 0;
}

static void access_allows_what_the_oracle_allows_and_nothing_else(void **state)
{
    size_t allowed_count = 0;

    (void)state;
    assert_int_equal(row_count, 55836);
    assert_int_equal(asked_count, 960);
    for (size_t a = 0; a < asked_count; a++) {
        for (size_t m = 0; m < row_count; m++) {
            enum mn_reason reason = MN_REASON_NONE;
            bool allowed = mn_access_allows(&asked[a], &row[m].memory, -1.0, &reason);

            if (allowed != universe_allows(&asked[a], &row[m].memory))
                fail_msg("access %zu and %s: %s (%s)", a, row[m].id,
                         allowed ? "allowed" : "refused", mn_reason_name(reason));
            if (allowed != (reason == MN_REASON_NONE))
                fail_msg("access %zu and %s: reason '%s'", a, row[m].id, mn_reason_name(reason));
            allowed_count += allowed;
        }
    }
    assert_true(allowed_count > asked_count); /* the universe is not empty */
}

static void access_made_from_an_identity_is_the_same(void **state)
{
    (void)state;
    for (size_t a = 0; a < asked_count; a++) {
        int64_t as_of_ms;
        struct mneme_identity identity = universe_identity(a, &as_of_ms);
        const struct mn_access *wanted = &asked[a];
        struct mn_access made;

        assert_int_equal(mn_access_make(&identity, UNIVERSE_NOW_MS, as_of_ms, &made, NULL),
                         MNEME_OK);
        assert_int_equal(made.at_ms, wanted->at_ms);
        assert_int_equal(made.as_of_ms, wanted->as_of_ms);
        assert_int_equal(made.clearance, wanted->clearance);
        assert_int_equal(made.permissions.count, wanted->permissions.count);
        for (int scope = MNEME_SCOPE_NONE; scope <= MNEME_SCOPE_SESSION; scope++)
            assert_string_equal(mn_access_scope_id(&made, (enum mneme_scope)scope),
                                mn_access_scope_id(wanted, (enum mneme_scope)scope));
    }
}

static void rows_that_no_store_may_hold_are_seen_by_nobody(void **state)
{
    size_t refused_count = 0;

    (void)state;
    for (size_t m = 0; m < row_count; m++) {
        struct mneme_error err;

        if (mn_memory_check(&row[m].memory, &err) == MNEME_OK)
            continue;
        refused_count++;
        assert_true(strcmp(err.field, "scope_kind") == 0 || strcmp(err.field, "scope_id") == 0);
        for (size_t a = 0; a < asked_count; a++)
            assert_false(universe_allows(&asked[a], &row[m].memory));
    }
    assert_int_equal(refused_count,
                     row_count / 33 * 6); /* shared in 4 scopes; 2 x another user's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(access_allows_what_the_oracle_allows_and_nothing_else),
        cmocka_unit_test(access_made_from_an_identity_is_the_same),
        cmocka_unit_test(rows_that_no_store_may_hold_are_seen_by_nobody),
    };

    return cmocka_run_group_tests(tests, build_universe, NULL);
}
