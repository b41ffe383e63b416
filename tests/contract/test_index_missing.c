/*
 * test_index_missing.c - vectors that nobody waits for: a new profile, changes behind it, a kill on
 * the way, texts that the model refuses.
 */
#include "contract/store_fixture.h"

#include <stdio.h>
#include <string.h>

#include "fakes/fake_model.h"
#include "index/index.h"

#define MINUTE INT64_C(60000)
#define MEMORIES 7
#define EVENTS 4

static int64_t now_ms = T0;

static int64_t clock_of_test(void)
{
    return now_ms;
}

struct bench {
    struct fixture *f;
    struct mn_world world;
};

static struct bench set_up(struct fixture *f)
{
    struct bench bench = { .f = f };
    char id[16];

    now_ms = T0;
    for (int i = 0; i < MEMORIES; i++) {
        (void)snprintf(id, sizeof id, "m-%d", i);
        fixture_put(f, fixture_memory_of(f, "t", i % 2 ? "bob" : "ann", id, "the harbour crane"));
    }
    for (int i = 0; i < EVENTS; i++) {
        (void)snprintf(id, sizeof id, "e-%d", i);
        ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", id, "s", "we met"), NULL));
    }
    bench.world.store = f->store;
    bench.world.model = fake_model_new(16);
    bench.world.index = mn_index_new();
    bench.world.now_ms = clock_of_test;
    assert_non_null(bench.world.model);
    assert_non_null(bench.world.index);
    return bench;
}

static void tear_down(struct bench *bench)
{
    mn_index_free(bench->world.index);
    mn_model_free(bench->world.model);
}

static size_t embed(struct bench *bench, size_t limit)
{
    size_t done = 99;

    ASSERT_OK(mn_index_embed_missing(&bench->world, limit, &done, &bench->f->err));
    return done;
}

static size_t parked(struct bench *bench)
{
    size_t count = 99;

    ASSERT_OK(mn_index_parked(&bench->world, &count, &bench->f->err));
    return count;
}

static size_t lacking(struct bench *bench, const char *profile)
{
    const struct mn_unit_place before_all = { false, "", "", "" };
    struct mn_units units = { 0 };

    ASSERT_OK(bench->f->store->ops->units_without_vector(
        bench->f->store, profile, &before_all, 100, bench->f->arena, &units, &bench->f->err));
    return units.count;
}

static const char *position_of(struct bench *bench)
{
    static struct mn_cursor cursor;

    ASSERT_OK(bench->f->store->ops->index_position(
        bench->f->store, mn_index_profile(&bench->world), &cursor, &bench->f->err));
    return cursor.text;
}

static void all_units_are_embedded_piece_by_piece_and_then_what_changes(void **state)
{
    struct bench bench = set_up(*state);
    struct mn_cursor position;

    assert_string_equal(position_of(&bench), "");
    assert_int_equal(embed(&bench, 4), 4);
    assert_int_equal(embed(&bench, 4), 4); /* the last memories and the first event */
    assert_string_equal(position_of(&bench), "");
    assert_int_equal(embed(&bench, 4), 3);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 0);
    assert_string_not_equal(position_of(&bench), "");
    assert_int_equal(embed(&bench, 100), 0); /* past the changes that its own vectors made */
    ASSERT_OK(bench.f->store->ops->position(bench.f->store, &position, &bench.f->err));
    assert_string_equal(position_of(&bench), position.text);

    fixture_put(bench.f, fixture_memory_of(bench.f, "t", "bob", "m-1", "another text"));
    fixture_put(bench.f, fixture_memory_of(bench.f, "t", "ann", "m-9", "a new one"));
    fixture_put(bench.f, fixture_memory_of(bench.f, "t", "ann", "m-9", "a new one, once more"));
    assert_int_equal(embed(&bench, 1), 1);
    assert_int_equal(embed(&bench, 100), 1);
    assert_int_equal(embed(&bench, 100), 0);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 0);
    assert_int_equal(fake_model_calls(bench.world.model), MEMORIES + EVENTS + 2);
    tear_down(&bench);
}

static void whoever_is_killed_on_the_way_embeds_nothing_twice(void **state)
{
    struct bench bench = set_up(*state);

    assert_int_equal(embed(&bench, 5), 5);
    mn_index_free(bench.world.index);
    bench.world.index = mn_index_new(); /* as another process would begin */
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS - 5);
    assert_int_equal(fake_model_calls(bench.world.model), MEMORIES + EVENTS);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 0);
    tear_down(&bench);
}

static void another_profile_is_embedded_anew_and_nothing_is_mixed(void **state)
{
    struct bench bench = set_up(*state);
    char former[sizeof bench.world.model->profile.vectors_hash];
    const char *ids[] = { "m-0" };
    struct mn_units units = { 0 };

    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    memcpy(former, bench.world.model->profile.vectors_hash, sizeof former);
    strcpy(bench.world.model->profile.vectors_hash, "another");
    assert_int_equal(lacking(&bench, "another"), MEMORIES + EVENTS);
    assert_int_equal(embed(&bench, 3), 3);
    ASSERT_OK(bench.f->store->ops->units_get(bench.f->store, (struct mn_partition){ "t", "bob" },
                                             &(const char *){ "m-1" }, 1, "another", bench.f->arena,
                                             &units, &bench.f->err));
    assert_null(units.item[0].vector); /* not yet, and no other stands in for it */
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS - 3);
    assert_int_equal(lacking(&bench, "another"), 0);
    assert_int_equal(lacking(&bench, former), 0);
    ASSERT_OK(bench.f->store->ops->units_get(bench.f->store, (struct mn_partition){ "t", "ann" },
                                             ids, 1, "another", bench.f->arena, &units,
                                             &bench.f->err));
    assert_non_null(units.item[0].vector);
    tear_down(&bench);
}

static void what_is_refused_waits_and_is_left_alone_in_the_end(void **state)
{
    struct bench bench = set_up(*state);
    size_t calls;

    fake_model_fail_after(bench.world.model, MEMORIES + EVENTS - 2, MNEME_INVALID);
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS - 2); /* no write waits, none fails */
    assert_string_not_equal(position_of(&bench), "");
    fake_model_fail_after(bench.world.model, 0, MNEME_INVALID);
    calls = fake_model_calls(bench.world.model);
    for (int failures = 1; failures < 5; failures++) {
        now_ms += (MINUTE << (failures - 1)) - 1;
        assert_int_equal(embed(&bench, 100), 0);
        assert_int_equal(fake_model_calls(bench.world.model), calls);
        assert_int_equal(parked(&bench), 0);
        now_ms += 1;
        assert_int_equal(embed(&bench, 100), 0);
        calls += 2;
        assert_int_equal(fake_model_calls(bench.world.model), calls);
    }
    assert_int_equal(parked(&bench), 2);
    now_ms += 1000 * MINUTE;
    fake_model_fail_after(bench.world.model, 1000, MNEME_OK);
    assert_int_equal(embed(&bench, 100), 0); /* parked */
    assert_int_equal(parked(&bench), 2);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 2);
    tear_down(&bench);
}

static void what_failed_once_is_made_up_for(void **state)
{
    struct bench bench = set_up(*state);

    fake_model_fail_after(bench.world.model, MEMORIES - 1, MNEME_INVALID);
    assert_int_equal(embed(&bench, 100), MEMORIES - 1);
    fake_model_fail_after(bench.world.model, 1000, MNEME_OK);
    now_ms += MINUTE;
    assert_int_equal(embed(&bench, 2), 2);
    assert_int_equal(embed(&bench, 100), EVENTS + 1 - 2);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 0);
    now_ms += 1000 * MINUTE;
    assert_int_equal(embed(&bench, 100), 0);
    assert_int_equal(parked(&bench), 0);
    tear_down(&bench);
}

static void a_model_that_does_not_answer_loses_nothing(void **state)
{
    struct bench bench = set_up(*state);
    size_t done = 99;

    fake_model_fail_after(bench.world.model, 3, MNEME_UNAVAILABLE);
    assert_int_equal(mn_index_embed_missing(&bench.world, 100, &done, &bench.f->err),
                     MNEME_UNAVAILABLE);
    assert_int_equal(done, 99);
    assert_string_equal(position_of(&bench), "");
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), MEMORIES + EVENTS - 3);
    fake_model_fail_after(bench.world.model, 1000, MNEME_OK);
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS - 3);
    tear_down(&bench);
}

static void a_position_that_is_too_old_begins_a_walk(void **state)
{
    struct bench bench = set_up(*state);
    const struct mn_retention keep = { .now_ms = T0 + 1000 };
    bool more;

    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    assert_int_equal(embed(&bench, 100), 0);
    fixture_put(bench.f, fixture_memory_of(bench.f, "t", "ann", "m-8", "a new one"));
    fixture_put(bench.f, fixture_memory_of(bench.f, "t", "ann", "m-9", "another new one"));
    ASSERT_OK(bench.f->store->ops->prune(bench.f->store, &keep, 1000, &more, &bench.f->err));
    assert_int_equal(embed(&bench, 100), 2);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 0);
    tear_down(&bench);
}

/* ---- codes of turns' tokens ---- */

static void take_tokens(struct bench *bench)
{
    mn_model_free(bench->world.model);
    bench->world.model = fake_model_with_tokens(16);
    assert_non_null(bench->world.model);
}

/* How many turns have codes beside their vector; of memories none may have. */
static size_t with_tokens(struct bench *bench)
{
    const char *ids[] = { "e-0", "e-1", "e-2", "e-3", "m-0", "m-2" };
    struct mn_str codes[6];
    size_t count = 0;

    ASSERT_OK(bench->f->store->ops->tokens_get(
        bench->f->store, (struct mn_partition){ "t", "ann" }, ids, 6,
        mn_index_profile(&bench->world), mn_index_tokens_profile(&bench->world), bench->f->arena,
        codes, &bench->f->err));
    for (size_t i = 0; i < 4; i++) {
        count += codes[i].at != NULL;
        if (codes[i].at)
            assert_int_equal(codes[i].bytes, 6 * MN_TOKEN_PASSAGE_BYTES); /* day, speaker, "we met" */
    }
    assert_null(codes[4].at);
    assert_null(codes[5].at);
    return count;
}

static void turns_get_their_tokens_with_their_vector(void **state)
{
    struct bench bench = set_up(*state);

    take_tokens(&bench);
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    assert_int_equal(with_tokens(&bench), EVENTS);
    assert_int_equal(embed(&bench, 100), 0);
    assert_int_equal(embed(&bench, 100), 0);
    assert_int_equal(fake_model_calls(bench.world.model), MEMORIES + EVENTS);
    tear_down(&bench);
}

static void turns_that_were_embedded_without_are_made_up_for(void **state)
{
    struct bench bench = set_up(*state);
    size_t done;

    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    take_tokens(&bench); /* whose vectors are the same ones */
    assert_int_equal(with_tokens(&bench), 0);
    assert_int_equal(embed(&bench, 3), 3);
    assert_int_equal(with_tokens(&bench), 3);
    mn_index_free(bench.world.index);
    bench.world.index = mn_index_new(); /* as another process would begin */
    done = embed(&bench, 3);
    assert_int_equal(done, 1);
    assert_int_equal(with_tokens(&bench), EVENTS);
    assert_int_equal(embed(&bench, 100), 0);
    assert_int_equal(fake_model_calls(bench.world.model), EVENTS);
    tear_down(&bench);
}

static void other_axes_are_made_anew_and_the_vectors_stay(void **state)
{
    struct bench bench = set_up(*state);
    char former[sizeof bench.world.model->profile.tokens_hash];
    int64_t dropped = 0;

    take_tokens(&bench);
    (void)snprintf(former, sizeof former, "%s", bench.world.model->profile.tokens_hash);
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    (void)snprintf(bench.world.model->profile.tokens_hash,
                   sizeof bench.world.model->profile.tokens_hash, "%s.other",
                   bench.world.model->profile.vectors_hash);
    assert_int_equal(with_tokens(&bench), 0);
    assert_int_equal(embed(&bench, 100), EVENTS);
    assert_int_equal(with_tokens(&bench), EVENTS);
    (void)snprintf(bench.world.model->profile.tokens_hash, sizeof former, "%s", former);
    assert_int_equal(with_tokens(&bench), EVENTS);
    (void)snprintf(bench.world.model->profile.tokens_hash, sizeof former, "%s.other",
                   bench.world.model->profile.vectors_hash);
    ASSERT_OK(mn_index_drop_other_models(&bench.world, &dropped, &bench.f->err));
    assert_int_equal(dropped, EVENTS); /* of the former axes */
    assert_int_equal(with_tokens(&bench), EVENTS);
    assert_int_equal(lacking(&bench, mn_index_profile(&bench.world)), 0);
    (void)snprintf(bench.world.model->profile.tokens_hash, sizeof former, "%s", former);
    assert_int_equal(with_tokens(&bench), 0);
    tear_down(&bench);
}

/* A vector of a turn's text, with codes or without. */
static void put_vector(struct bench *bench, const char *id, const struct mn_str *codes)
{
    const float vector[16] = { 1 };
    struct mn_written written;
    struct mn_units units = { 0 };

    ASSERT_OK(bench->f->store->ops->units_get(bench->f->store, (struct mn_partition){ "t", "ann" },
                                              &id, 1, "", bench->f->arena, &units, &bench->f->err));
    const struct mn_vector_row row = { { "t", "ann" },
                                       id,
                                       mn_index_profile(&bench->world),
                                       fixture_embed_hash(bench->f, &units.item[0].memory,
                                                          units.item[0].speaker),
                                       16,
                                       vector,
                                       mn_index_tokens_profile(&bench->world),
                                       codes,
                                       0 };
    ASSERT_OK(fixture_commit_one(bench->f,
                                 (struct mn_write){ .kind = MN_WRITE_VECTOR, .vector = &row },
                                 now_ms, &written));
}

static void a_vector_that_came_without_is_followed_by_its_tokens(void **state)
{
    struct bench bench = set_up(*state);

    take_tokens(&bench);
    put_vector(&bench, "e-0", NULL);
    assert_int_equal(embed(&bench, MEMORIES + EVENTS - 1), MEMORIES + EVENTS - 1);
    assert_int_equal(with_tokens(&bench), EVENTS - 1);
    assert_int_equal(embed(&bench, 100), 1); /* once the vectors are there */
    ASSERT_OK(fixture_put_event(bench.f, fixture_event_of(bench.f, "t", "ann", "e-4", "s", "we left"),
                                NULL));
    put_vector(&bench, "e-4", NULL);
    assert_int_equal(embed(&bench, 100), 1); /* behind the changes */
    assert_int_equal(embed(&bench, 100), 0);
    tear_down(&bench);
}

/* Bytes of a turn's codes, as this handle reads them. */
static size_t code_bytes(struct bench *bench, struct mn_store *store, const char *id)
{
    struct mn_str codes = { NULL, 0 };

    ASSERT_OK(store->ops->tokens_get(store, (struct mn_partition){ "t", "ann" }, &id, 1,
                                     mn_index_profile(&bench->world),
                                     mn_index_tokens_profile(&bench->world), bench->f->arena, &codes,
                                     &bench->f->err));
    return codes.bytes;
}

static void codes_that_were_read_are_read_anew_once_the_turn_has_others(void **state)
{
    struct bench bench = set_up(*state);
    struct mn_store *first = bench.f->store, *second;
    char bytes[2 * MN_TOKEN_PASSAGE_BYTES] = { 1 };
    const struct mn_str others = { bytes, sizeof bytes };
    const struct mn_partition bobs = { "t", "bob" };
    const char *turn = "e-1";
    struct mn_str codes = { NULL, 0 };

    take_tokens(&bench);
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    bench.f->again = second = store_engine.open_again(bench.f->context);
    assert_non_null(second);
    for (int time = 0; time < 2; time++) { /* read, then as they were kept */
        assert_int_equal(code_bytes(&bench, first, "e-1"), 6 * MN_TOKEN_PASSAGE_BYTES);
        assert_int_equal(code_bytes(&bench, second, "e-1"), 6 * MN_TOKEN_PASSAGE_BYTES);
        assert_int_equal(with_tokens(&bench), EVENTS);
        ASSERT_OK(first->ops->tokens_get(first, bobs, &turn, 1, mn_index_profile(&bench.world),
                                         mn_index_tokens_profile(&bench.world), bench.f->arena,
                                         &codes, &bench.f->err));
        assert_null(codes.at); /* the turn is not his */
    }
    put_vector(&bench, "e-1", &others);
    assert_int_equal(code_bytes(&bench, first, "e-1"), sizeof bytes);
    assert_int_equal(code_bytes(&bench, second, "e-1"), sizeof bytes);
    assert_int_equal(code_bytes(&bench, second, "e-2"), 6 * MN_TOKEN_PASSAGE_BYTES);
    tear_down(&bench);
}

static void lost_codes_are_found_and_made_again(void **state)
{
    struct bench bench = set_up(*state);
    const struct mn_str damaged = { "abc", 3 };
    struct mn_reconciled found;

    take_tokens(&bench);
    assert_int_equal(embed(&bench, 100), MEMORIES + EVENTS);
    assert_int_equal(embed(&bench, 100), 0);
    put_vector(&bench, "e-1", &damaged);
    ASSERT_OK(bench.f->store->ops->reconcile(bench.f->store, mn_index_profile(&bench.world),
                                             mn_index_tokens_profile(&bench.world), true, now_ms,
                                             bench.f->arena, &found, &bench.f->err));
    assert_int_equal(found.part[MN_DERIVED_VECTOR].differ, 1);
    assert_int_equal(found.part[MN_DERIVED_VECTOR].repaired, 1);
    assert_int_equal(with_tokens(&bench), EVENTS - 1);
    assert_int_equal(embed(&bench, 100), 1);
    assert_int_equal(with_tokens(&bench), EVENTS);
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_units_are_embedded_piece_by_piece_and_then_what_changes),
        CASE(whoever_is_killed_on_the_way_embeds_nothing_twice),
        CASE(another_profile_is_embedded_anew_and_nothing_is_mixed),
        CASE(what_is_refused_waits_and_is_left_alone_in_the_end),
        CASE(what_failed_once_is_made_up_for),
        CASE(a_model_that_does_not_answer_loses_nothing),
        CASE(a_position_that_is_too_old_begins_a_walk),
        CASE(turns_get_their_tokens_with_their_vector),
        CASE(turns_that_were_embedded_without_are_made_up_for),
        CASE(other_axes_are_made_anew_and_the_vectors_stay),
        CASE(a_vector_that_came_without_is_followed_by_its_tokens),
        CASE(codes_that_were_read_are_read_anew_once_the_turn_has_others),
        CASE(lost_codes_are_found_and_made_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
