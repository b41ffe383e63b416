/*
 * test_models.c - another embedding model, of the same dimension and of another one: recall goes on
 * while its vectors are made, no vector of the one is ever beside one of the other, and whoever is
 * killed on the way goes on where he was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "engine/handle.h"
#include "fakes/fake_model.h"
#include "index/index.h"
#include "pipeline/fixture.h"
#include "search/search.h"
#include "store/store.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define ROWS 40

static void fill(struct fixture *f)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.now_ms = NOW;
    change.without_embedding = 1;
    for (int i = 0; i < ROWS; i++) {
        struct mneme_memory m = MNEME_MEMORY_INIT;
        struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
        char id[16], content[80];

        (void)snprintf(id, sizeof id, "m-%02d", i);
        (void)snprintf(content, sizeof content, "crane %d lifts the crate of ship %d", i, i * 7);
        m.tenant_id = "acme";
        m.user_id = "ann";
        m.id = id;
        m.type = "fact";
        m.content = content;
        ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
    }
}

static void embed_all(struct fixture *f)
{
    size_t left = 1;

    while (left)
        ASSERT_OK(mneme_run_due(f->handle, 64, &left, &f->err));
}

/* The best answer is told by text or by vector; it must be there either way. */
static void assert_serves(struct fixture *f)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    bool found = false;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = "What does crane 17 lift?";
    request.now_ms = NOW;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    for (size_t i = 0; i < answer->item_count; i++)
        found = found || !strcmp(answer->item[i].memory->id, "m-17");
    assert_true(found);
    mneme_answer_free(answer);
}

/*
 * Every vector that the index compares is the one that the model in force gives for that text: its
 * cosine with that is 1. Of another model's it would be anything else.
 */
static size_t assert_own_vectors(struct fixture *f)
{
    struct mn_world *world = &f->handle->world;
    const struct mn_access access = { .tenant = "acme", .user = "ann", .clearance = MNEME_SECRET,
                                      .at_ms = NOW };
    struct mn_arena *arena = mn_arena_new((size_t)64 << 20);
    const char *position = NULL;
    size_t held = 0;

    ASSERT_OK(mn_index_catch_up(world, &access, arena, &position, &f->err));
    for (int i = 0; i < ROWS; i++) {
        float vector[64];
        char id[16], content[80];
        const char *ids[] = { id };
        struct mn_terms terms = { 0 };
        struct mn_query query = { .access = &access, .terms = &terms, .vector = vector,
                                  .vector_types = ~(mn_type_set)0, .vector_k = 1 };
        struct mn_hits hits = { 0 };

        (void)snprintf(id, sizeof id, "m-%02d", i);
        (void)snprintf(content, sizeof content, "crane %d lifts the crate of ship %d", i, i * 7);
        ASSERT_OK(mn_model_embed(world->model, MN_EMBED_PASSAGE, content, vector, &f->err));
        ASSERT_OK(world->search->ops->score(world->search, &query, ids, 1, arena, &hits, &f->err));
        assert_int_equal(hits.count, 1);
        if (!hits.item[0].has_vector)
            continue;
        assert_true(hits.item[0].cosine > 0.999);
        held++;
    }
    mn_arena_free(arena);
    return held;
}

static void take_over(struct fixture *f, size_t dim)
{
    size_t left = 1, held = 0;

    fill(f);
    (void)fixture_give_model(f, "old", 16);
    embed_all(f);
    assert_int_equal(assert_own_vectors(f), ROWS);

    (void)fixture_give_model(f, "new", dim);
    assert_serves(f);
    assert_int_equal(assert_own_vectors(f), 0); /* and none of the old ones */
    while (left) {
        size_t before = held;

        ASSERT_OK(mneme_run_due(f->handle, 7, &left, &f->err));
        held = assert_own_vectors(f);
        assert_true(held >= before);
        assert_serves(f);
    }
    assert_int_equal(held, ROWS);

    (void)fixture_give_model(f, "old", 16); /* and back: its vectors are still there */
    embed_all(f);
    assert_int_equal(fake_model_calls(f->handle->world.model), 0);
    assert_int_equal(assert_own_vectors(f), ROWS);
}

static void one_of_another_dimension_takes_over(void **state)
{
    take_over(*state, 48);
}

static void one_of_the_same_dimension_takes_over(void **state)
{
    take_over(*state, 16);
}

static void vectors_of_other_models_go_when_they_are_told_to(void **state)
{
    struct mneme_rebuilding how = MNEME_REBUILDING_INIT;
    struct fixture *f = *state;
    char *json = NULL;

    fill(f);
    how.drop_other_models = 1;
    assert_int_equal(mneme_rebuild(f->handle, &how, NULL, &f->err), MNEME_UNAVAILABLE);
    (void)fixture_give_model(f, "old", 16);
    embed_all(f);
    (void)fixture_give_model(f, "new", 48);
    assert_int_equal(mneme_rebuild(f->handle, &how, NULL, &f->err), MNEME_CONFLICT);
    embed_all(f);
    ASSERT_OK(mneme_rebuild(f->handle, &how, &json, &f->err));
    assert_non_null(strstr(json, "\"dropped_vectors\":40"));
    mneme_free(json);
    assert_int_equal(assert_own_vectors(f), ROWS);
    (void)fixture_give_model(f, "old", 16);
    assert_int_equal(assert_own_vectors(f), 0);
}

/* Embeds a few at a time until it is killed; a byte for each round. */
static void embed_until_killed(struct fixture *f, int told)
{
    fixture_open(f);
    (void)fixture_give_model(f, "new", 48);
    for (;;) {
        if (mneme_run_due(f->handle, 3, NULL, &f->err) != MNEME_OK || write(told, "x", 1) != 1)
            _exit(1);
        (void)usleep(2000);
    }
}

static void who_is_killed_while_embedding_goes_on_where_he_was(void **state)
{
    struct fixture *f = *state;

    fill(f);
    (void)fixture_give_model(f, "old", 16);
    embed_all(f);
    mneme_close(f->handle);
    f->handle = NULL;
    for (int kills = 0; kills < 4; kills++) {
        int told[2], status;
        char byte;
        pid_t child;

        assert_int_equal(pipe(told), 0);
        child = fork();
        if (child == 0)
            embed_until_killed(f, told[1]);
        (void)close(told[1]);
        for (int i = 0; i < 3; i++)
            assert_int_equal(read(told[0], &byte, 1), 1);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        (void)close(told[0]);
    }
    fixture_open(f);
    (void)fixture_give_model(f, "new", 48);
    size_t held = assert_own_vectors(f);
    assert_true(held >= 4 * 3 * 3);
    size_t calls = fake_model_calls(f->handle->world.model);
    embed_all(f);
    assert_int_equal(fake_model_calls(f->handle->world.model) - calls, ROWS - held);
    assert_int_equal(assert_own_vectors(f), ROWS);
    assert_serves(f);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_of_another_dimension_takes_over),
        CASE(one_of_the_same_dimension_takes_over),
        CASE(vectors_of_other_models_go_when_they_are_told_to),
        CASE(who_is_killed_while_embedding_goes_on_where_he_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
