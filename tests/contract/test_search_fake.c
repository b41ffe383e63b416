/*
 * test_search_fake.c - the failing index is an index while it is not told to fail, and does what it
 * is told.
 */
#include "fakes/fake_search.h"
#include "test_search_suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct mn_search *make(const struct mn_space *space)
{
    struct mn_search *real = NULL;

    assert_int_equal(mn_search_memory_new(space, (size_t)1 << 30, &real, NULL), MNEME_OK);
    return fake_search_new(real);
}

static void it_fails_and_is_stale_as_told(void **state)
{
    static const struct mn_space none = { 0 };
    static const struct mn_partition own = { "t", "ann" }, shared = { "t", "" };
    struct mn_search *search = make(&none);
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct mn_unit unit = { .id = "a", .memory = MNEME_MEMORY_INIT };
    struct mneme_memory older = MNEME_MEMORY_INIT;
    const struct mneme_memory *const olders[] = { &older };
    struct mn_access access = {
        .tenant = "t", .user = "ann", .clearance = MNEME_INTERNAL, .at_ms = 1
    };
    struct mn_query query = { .access = &access };
    const char *const ids[] = { "a" };
    const char *cursor;
    struct mn_hits hits;

    (void)state;
    unit.memory.id = older.id = "a";
    unit.memory.tenant_id = "t";
    unit.memory.user_id = "ann";
    unit.memory.scope_kind = MNEME_SCOPE_GLOBAL;
    unit.memory.content = "new";
    unit.confidence = 1;
    older.content = "old";
    assert_int_equal(search->ops->apply(search, own, true, &unit, 1, NULL, 0, "5", NULL), MNEME_OK);
    assert_int_equal(search->ops->apply(search, shared, true, NULL, 0, NULL, 0, "5", NULL),
                     MNEME_OK);
    fake_search_stale_position(search, "3");
    assert_int_equal(search->ops->position(search, own, arena, &cursor, NULL), MNEME_OK);
    assert_string_equal(cursor, "3");
    fake_search_stale_documents(search, olders, 1);
    assert_int_equal(search->ops->score(search, &query, ids, 1, arena, &hits, NULL), MNEME_OK);
    assert_int_equal(hits.count, 1);
    assert_string_equal(hits.item[0].unit->memory.content, "old");
    assert_int_equal(fake_search_calls(search), 4);

    fake_search_fail_after(search, 1, MNEME_UNAVAILABLE);
    assert_int_equal(search->ops->position(search, own, arena, &cursor, NULL), MNEME_OK);
    assert_int_equal(search->ops->position(search, own, arena, &cursor, NULL), MNEME_UNAVAILABLE);
    assert_int_equal(search->ops->top(search, &query, arena, &hits, NULL), MNEME_UNAVAILABLE);
    fake_search_fail_after(search, 0, MNEME_OK);
    assert_int_equal(search->ops->top(search, &query, arena, &hits, NULL), MNEME_OK);
    mn_search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_fails_and_is_stale_as_told) };
    int failed = search_suite_run("fake before the one in memory", make, true);

    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
