/*
 * test_store_fake.c - the failing fake: it is the store it wraps, and fails the call it was told
 * to.
 */
#include "contract/store_fixture.h"

#include "fakes/fake_store.h"

static void the_call_that_was_named_fails_and_no_other(void **state)
{
    struct fixture *f = *state;
    struct mn_cursor cursor;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");
    struct mn_commit_result result = { 0 };
    struct mn_commit commit = fixture_request_of(NULL, 0, T0);

    f->store = fake_store_new(f->store);
    assert_non_null(f->store);
    fixture_put(f, row);
    assert_int_equal(fake_store_calls(f->store), 1);
    assert_string_equal(fixture_get(f, "t", "ann", "m").memory.content, "text");
    assert_int_equal(fixture_all_changes(f).count, 1);
    assert_int_equal(fake_store_calls(f->store), 3);

    fake_store_fail(f->store, 2, MNEME_UNAVAILABLE);
    ASSERT_OK(f->store->ops->position(f->store, &cursor, &f->err));
    assert_int_equal(f->store->ops->commit(f->store, &commit, 1, &result, &f->err),
                     MNEME_UNAVAILABLE);
    assert_int_equal(f->err.status, MNEME_UNAVAILABLE);
    ASSERT_OK(f->store->ops->position(f->store, &cursor, &f->err));
    assert_int_equal(fake_store_calls(f->store), 3);

    fake_store_fail_from(f->store, 1, MNEME_CORRUPT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(f->store->ops->position(f->store, &cursor, NULL), MNEME_CORRUPT);
    fake_store_fail(f->store, 0, MNEME_OK);
    ASSERT_OK(f->store->ops->position(f->store, &cursor, &f->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_call_that_was_named_fails_and_no_other),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
