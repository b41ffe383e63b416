/*
 * test_store_guard.c - a guard lets pass what nobody wrote of since the look, whether the handle itself
 * wrote meanwhile, another one did, or so many that the file has to be asked.
 */
#include "contract/store_fixture.h"

#include <string.h>

#include "memory/record.h"
#include "store/fresh_rows.h"

#define LOOK "The deploy window of the shop is Tuesday morning at nine."
#define REWORDED "The deploy window of the shop is on Tuesday morning at nine."
#define ELSE "Ann keeps her bicycle in the cellar of the old house."

static struct mneme_memory *keyed(struct fixture *f, const char *owner, const char *id,
                                  const char *content, const char *key)
{
    struct mneme_memory *row = fixture_memory_of(f, "t", owner, id, content);

    row->memory_key = key;
    return row;
}

static struct mn_guard look(struct fixture *f, const struct mneme_memory *draft)
{
    struct mn_cursor *position = mn_arena_one(f->arena, struct mn_cursor);
    struct mn_rows rows = { 0 };
    struct mn_guard guard = { .partition = { draft->tenant_id, draft->user_id },
                              .content_hash = draft->content_hash,
                              .memory_key = draft->memory_key,
                              .like = draft,
                              .position = position->text };

    ASSERT_OK(f->store->ops->memories_alike(f->store, draft, f->arena, &rows, &guard.mark, &f->err));
    ASSERT_OK(f->store->ops->position(f->store, position, &f->err));
    return guard;
}

static enum mneme_status put_guarded(struct fixture *f, const struct mn_guard *guard)
{
    const struct mn_write writes[] = {
        { .kind = MN_WRITE_GUARD, .guard = guard },
        { .kind = MN_WRITE_MEMORY, .expected_revision = MN_REVISION_NEW, .memory = guard->like },
    };
    struct mn_commit commit = fixture_request_of(writes, 2, T0);
    struct mn_written written[2];

    return mn_store_commit_one(f->store, &commit, written, &f->err);
}

/* Who writes between the look and the commit. */
enum who { SELF, SELF_AND_MANY_MORE, OTHER, WHO_COUNT };

static void write_meanwhile(struct fixture *f, enum who who, const struct mneme_memory *row)
{
    struct mn_store *own = f->store;

    if (who == OTHER)
        f->store = f->again;
    (void)fixture_put(f, row);
    for (int i = 0; who == SELF_AND_MANY_MORE && i < MN_FRESH_ROWS; i++)
        (void)fixture_put(f, fixture_memory_of(f, "t", "bob", mn_arena_printf(f->arena, "%s-%d", row->id, i),
                                               ELSE));
    f->store = own;
}

static void expect(struct fixture *f, const struct mneme_memory *meanwhile, enum mneme_status status)
{
    for (int who = SELF; who < WHO_COUNT; who++) {
        struct mneme_memory row = *meanwhile;
        char *draft_id = mn_arena_printf(f->arena, "draft-%s-%d", meanwhile->id, who);
        struct mneme_memory *draft = keyed(f, "ann", draft_id, LOOK, "deploy.window");

        (void)fixture_put(f, fixture_memory_of(f, "t", "bob",
                                               mn_arena_printf(f->arena, "%s-first", draft_id), ELSE));
        struct mn_guard guard = look(f, draft);

        row.id = mn_arena_printf(f->arena, "%s-%d", meanwhile->id, who);
        write_meanwhile(f, (enum who)who, &row);
        assert_int_equal(put_guarded(f, &guard), status);
        if (status == MNEME_CONFLICT) {
            assert_string_equal(f->err.field, "revision");
            guard = look(f, draft); /* who looks again sees it */
            ASSERT_OK(put_guarded(f, &guard));
        }
    }
}

static int open_two(void **state)
{
    int failed = fixture_open(state);
    struct fixture *f = *state;

    if (!failed)
        f->again = store_engine.open_again(f->context);
    return failed;
}
#define CASE_OF_TWO(test) cmocka_unit_test_setup_teardown(test, open_two, fixture_close)

static void the_same_text_is_refused(void **state)
{
    expect(*state, keyed(*state, "ann", "m", LOOK, ""), MNEME_CONFLICT);
}

static void the_same_key_is_refused(void **state)
{
    expect(*state, keyed(*state, "ann", "m", ELSE, "deploy.window"), MNEME_CONFLICT);
}

static void other_words_of_the_same_are_refused(void **state)
{
    expect(*state, keyed(*state, "ann", "m", REWORDED, ""), MNEME_CONFLICT);
}

static void another_text_without_a_key_passes(void **state)
{
    expect(*state, keyed(*state, "ann", "m", ELSE, ""), MNEME_OK);
}

static void another_owner_passes(void **state)
{
    expect(*state, keyed(*state, "bob", "m", LOOK, "deploy.window"), MNEME_OK);
}

static void other_words_in_another_scope_pass(void **state)
{
    struct mneme_memory *row = keyed(*state, "ann", "m", REWORDED, "");

    row->scope_kind = MNEME_SCOPE_REPO;
    row->scope_id = "shop";
    expect(*state, row, MNEME_OK);
}

static void other_words_that_hold_no_more_pass(void **state)
{
    struct mneme_memory *row = keyed(*state, "ann", "m", REWORDED, "");

    row->status = MNEME_SUPERSEDED;
    expect(*state, row, MNEME_OK);
}

/* The look saw it, and what was decided rests on it. */
static void a_row_that_lost_its_key_meanwhile_is_noticed(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *draft = keyed(f, "ann", "draft", LOOK, "deploy.window");
    struct mneme_memory *row = keyed(f, "ann", "m", ELSE, "deploy.window");

    (void)fixture_put(f, row);
    struct mn_guard guard = look(f, draft);

    row->memory_key = "";
    ASSERT_OK(fixture_try_put(f, row, 1));
    assert_int_equal(put_guarded(f, &guard), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "revision");
}

/* Nothing that was refused is remembered as written. */
static void a_refused_row_refuses_nobody(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *taken = keyed(f, "ann", "m", ELSE, "");
    struct mneme_memory *draft = keyed(f, "ann", "draft", LOOK, "deploy.window");
    struct mn_commit_result result[2] = { 0 };

    (void)fixture_put(f, taken);
    struct mn_guard guard = look(f, draft);
    const struct mn_write writes[] = {
        { .kind = MN_WRITE_MEMORY, .memory = keyed(f, "ann", "n", REWORDED, "deploy.window") },
        { .kind = MN_WRITE_MEMORY, .expected_revision = MN_REVISION_NEW, .memory = taken },
        { .kind = MN_WRITE_MEMORY, .memory = keyed(f, "bob", "o", ELSE, "") },
    };
    struct mn_written written[2][2];
    const struct mn_commit commits[] = { fixture_request_of(writes, 2, T0),
                                         fixture_request_of(writes + 2, 1, T0) };

    result[0].written = written[0];
    result[1].written = written[1];
    ASSERT_OK(f->store->ops->commit(f->store, commits, 2, result, &f->err));
    assert_int_equal(result[0].status, MNEME_CONFLICT);
    ASSERT_OK(result[1].status);
    ASSERT_OK(put_guarded(f, &guard));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_OF_TWO(the_same_text_is_refused),
        CASE_OF_TWO(the_same_key_is_refused),
        CASE_OF_TWO(other_words_of_the_same_are_refused),
        CASE_OF_TWO(another_text_without_a_key_passes),
        CASE_OF_TWO(another_owner_passes),
        CASE_OF_TWO(other_words_in_another_scope_pass),
        CASE_OF_TWO(other_words_that_hold_no_more_pass),
        CASE(a_row_that_lost_its_key_meanwhile_is_noticed),
        CASE(a_refused_row_refuses_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
