/*
 * test_search_segment.c - a partition as bytes and back: the same answers, and nothing but its own
 * bytes is taken for it.
 *
 * tests/fakes/search_play.c saves and loads in the midst of its stories as well, against a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/search_corpus.h"
#include "search/search.h"

#define UNITS 300

static const struct mn_partition OWN = { "t", "a" }, SHARED = { "t", "" };

struct fixture {
    struct mn_arena *arena;
    struct corpus corpus;
    struct mn_buf bytes;
};

static struct mn_search *engine(size_t dim)
{
    static const float mean[CORPUS_DIM] = { 0.4f, 0.4f };
    struct mn_space space = { .dim = dim, .own_mean_share = 0.3f, .partition_k = 20 };
    struct mn_search *search = NULL;

    space.request_mean[MN_LANGUAGE_EN] = space.passage_mean[MN_LANGUAGE_EN] = dim ? mean : NULL;
    assert_int_equal(mn_search_memory_new(&space, SIZE_MAX, &search, NULL), MNEME_OK);
    assert_int_equal(search->ops->apply(search, SHARED, true, NULL, 0, NULL, 0, "1", NULL),
                     MNEME_OK);
    return search;
}

static void feed(struct mn_search *search, bool reset, const struct mn_unit *unit, size_t count,
                 const char *cursor)
{
    assert_int_equal(search->ops->apply(search, OWN, reset, unit, count, NULL, 0, cursor, NULL),
                     MNEME_OK);
}

static void save(struct fixture *f, struct mn_search *search)
{
    const char *cursor = NULL;

    f->bytes.bytes = 0;
    assert_int_equal(search->ops->save(search, OWN, "p", f->arena, &cursor, &f->bytes, NULL),
                     MNEME_OK);
    assert_string_equal(cursor, "7");
}

static enum mneme_status load(struct mn_search *search, const char *profile, const void *bytes,
                              size_t count)
{
    return search->ops->load(search, OWN, profile, (struct mn_str){ bytes, count }, NULL);
}

/* Everything that is told about everything, as one number. */
static uint64_t ask(struct mn_search *search, const struct corpus *corpus, size_t nth)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    const struct mn_access access = { .tenant = "t",
                                      .user = "a",
                                      .agent = "",
                                      .session = "",
                                      .task = "",
                                      .project = "",
                                      .repository = "ten",
                                      .clearance = MNEME_INTERNAL,
                                      .at_ms = 10 };
    const char *text = corpus->unit[nth].memory.content;
    const struct mn_inquiry inquiry = { 0 };
    struct mn_terms terms = { 0 };
    struct mn_hits hits = { 0 };
    struct mn_contexts contexts = { 0 };
    const char *ids[2 * UNITS];
    uint64_t sum = 0;

    assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    const struct mn_query query = { .access = &access,
                                    .text_types = ~(mn_type_set)0,
                                    .vector_types = ~(mn_type_set)0,
                                    .terms = &terms,
                                    .language = MN_LANGUAGE_EN,
                                    .vector = corpus->unit[nth].vector,
                                    .text_k = UNITS / 2,
                                    .vector_k = UNITS / 4,
                                    .around_k = 20,
                                    .inquiry = &inquiry };
    assert_int_equal(search->ops->top(search, &query, arena, &hits, NULL), MNEME_OK);
    assert_true(hits.count > 0 && hits.count <= 2 * UNITS);
    for (size_t i = 0; i < hits.count; i++) {
        const struct mn_hit *hit = &hits.item[i];
        const double figure[5] = { hit->text, hit->bm25, hit->coverage, hit->vector, hit->cosine };

        ids[i] = hit->unit->id;
        for (size_t j = 0; j < 5; j++) {
            uint64_t bits;

            memcpy(&bits, &figure[j], sizeof bits);
            sum = sum * 31 + bits;
        }
        sum = sum * 31 + hit->text_rank * 7 + hit->vector_rank * 3 + hit->language;
        for (const char *c = hit->unit->memory.content; *c; c++)
            sum = sum * 31 + (uint8_t)*c;
    }
    assert_int_equal(search->ops->context(search, &query, ids, hits.count, arena, &contexts, NULL),
                     MNEME_OK);
    for (size_t i = 0; i < contexts.count; i++)
        for (size_t s = 0; s < MN_SIGNAL_COUNT; s++) {
            uint32_t bits;

            memcpy(&bits, &contexts.item[i].signal[s], sizeof bits);
            sum = sum * 31 + bits;
        }
    return sum;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mn_search *search = engine(CORPUS_DIM);

    *state = f;
    f->arena = mn_arena_new(SIZE_MAX);
    f->corpus = corpus_new(OWN, "a", UNITS, 11);
    for (size_t i = 0; i < UNITS; i++)
        f->corpus.unit[i].speaker = i % 3 ? "Ann" : "小王";
    feed(search, true, f->corpus.unit, UNITS, "7");
    save(f, search);
    mn_search_free(search);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    mn_buf_release(&f->bytes);
    corpus_free(&f->corpus);
    mn_arena_free(f->arena);
    free(f);
    return 0;
}

static void what_is_loaded_answers_as_what_was_built(void **state)
{
    struct fixture *f = *state;
    struct mn_search *built = engine(CORPUS_DIM), *loaded = engine(CORPUS_DIM);
    const char *cursor = NULL;

    feed(built, true, f->corpus.unit, UNITS, "7");
    assert_int_equal(load(loaded, "p", f->bytes.at, f->bytes.bytes), MNEME_OK);
    assert_int_equal(loaded->ops->position(loaded, OWN, f->arena, &cursor, NULL), MNEME_OK);
    assert_string_equal(cursor, "7");
    for (size_t nth = 0; nth < 40; nth++)
        assert_true(ask(built, &f->corpus, nth) == ask(loaded, &f->corpus, nth));
    mn_search_free(built);
    mn_search_free(loaded);
}

static void both_go_on_alike(void **state)
{
    struct fixture *f = *state;
    struct corpus more = corpus_new(OWN, "a", 120, 5); /* the first hundred and twenty change */
    struct mn_search *built = engine(CORPUS_DIM), *loaded = engine(CORPUS_DIM);
    const char *gone[] = { "a-200", "a-201", "a-299" };

    feed(built, true, f->corpus.unit, UNITS, "7");
    assert_int_equal(load(loaded, "p", f->bytes.at, f->bytes.bytes), MNEME_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal((i ? built : loaded)
                             ->ops->apply(i ? built : loaded, OWN, false, more.unit, 120, gone, 3,
                                          "8", NULL),
                         MNEME_OK);
    for (size_t nth = 0; nth < 40; nth++)
        assert_true(ask(built, &more, nth) == ask(loaded, &more, nth));
    corpus_free(&more);
    mn_search_free(built);
    mn_search_free(loaded);
}

static void what_has_left_is_in_no_segment(void **state)
{
    static const char word[] = "xyzzyplughword";
    struct fixture *f = *state;
    struct mn_search *search = engine(CORPUS_DIM);
    struct mn_unit unit = f->corpus.unit[0];
    const char *id = "secret";

    unit.id = unit.parent_id = unit.memory.id = id;
    unit.memory.content = "the xyzzyplughword stands here";
    feed(search, true, f->corpus.unit, UNITS, "7");
    feed(search, false, &unit, 1, "7");
    save(f, search);
    assert_non_null(memmem(f->bytes.at, f->bytes.bytes, word, strlen(word)));
    assert_int_equal(search->ops->apply(search, OWN, false, NULL, 0, &id, 1, "7", NULL), MNEME_OK);
    save(f, search);
    assert_null(memmem(f->bytes.at, f->bytes.bytes, word, strlen(word)));
    assert_null(memmem(f->bytes.at, f->bytes.bytes, id, strlen(id)));
    mn_search_free(search);
}

static void anothers_bytes_are_not_loaded(void **state)
{
    static const struct mn_partition others[] = { { "t", "b" }, { "u", "a" }, { "t", "" } };
    struct fixture *f = *state;
    struct mn_search *search = engine(CORPUS_DIM), *without = engine(0);
    const struct mn_str bytes = { f->bytes.at, f->bytes.bytes };

    assert_int_equal(load(search, "q", f->bytes.at, f->bytes.bytes), MNEME_INVALID);
    assert_int_equal(load(search, "", f->bytes.at, f->bytes.bytes), MNEME_INVALID);
    assert_int_equal(load(without, "p", f->bytes.at, f->bytes.bytes), MNEME_INVALID);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(search->ops->load(search, others[i], "p", bytes, NULL), MNEME_INVALID);
    mn_search_free(search);
    mn_search_free(without);
}

static void every_cut_and_every_flipped_bit_is_seen(void **state)
{
    struct fixture *f = *state;
    struct mn_search *search = engine(CORPUS_DIM);

    for (size_t count = 0; count < f->bytes.bytes; count += count < 200 ? 1 : 97)
        assert_int_equal(load(search, "p", f->bytes.at, count), MNEME_INVALID);
    for (size_t at = 0; at < f->bytes.bytes; at += at < 200 ? 1 : 61) {
        f->bytes.at[at] = (char)(f->bytes.at[at] ^ 1 << at % 8);
        assert_int_equal(load(search, "p", f->bytes.at, f->bytes.bytes), MNEME_INVALID);
        f->bytes.at[at] = (char)(f->bytes.at[at] ^ 1 << at % 8);
    }
    assert_int_equal(load(search, "p", f->bytes.at, f->bytes.bytes), MNEME_OK);
    mn_search_free(search);
}

/* What is there stays when other bytes are refused. */
static void refused_bytes_leave_the_partition_as_it_is(void **state)
{
    struct fixture *f = *state;
    struct mn_search *search = engine(CORPUS_DIM);

    feed(search, true, f->corpus.unit, UNITS, "7");
    uint64_t before = ask(search, &f->corpus, 1);
    assert_int_equal(load(search, "p", f->bytes.at, 10), MNEME_INVALID);
    assert_true(ask(search, &f->corpus, 1) == before);
    mn_search_free(search);
}

static void a_partition_is_due_from_a_thousand_units_and_again_after_an_eighth(void **state)
{
    struct fixture *f = *state;
    struct corpus many = corpus_new(OWN, "m", 1000, 3);
    struct mn_search *search = engine(CORPUS_DIM);
    struct mn_partition due = { NULL, NULL };

    feed(search, true, many.unit, 999, "7");
    assert_false(search->ops->due(search, f->arena, &due));
    feed(search, false, many.unit + 999, 1, "7");
    assert_true(search->ops->due(search, f->arena, &due));
    assert_string_equal(due.tenant, "t");
    assert_string_equal(due.owner, "a");
    save(f, search);
    assert_false(search->ops->due(search, f->arena, &due));
    feed(search, false, many.unit, 62, "7");
    assert_false(search->ops->due(search, f->arena, &due));
    feed(search, false, many.unit, 63, "7");
    assert_true(search->ops->due(search, f->arena, &due));
    assert_int_equal(load(search, "p", f->bytes.at, f->bytes.bytes), MNEME_OK);
    assert_false(search->ops->due(search, f->arena, &due));
    corpus_free(&many);
    mn_search_free(search);
}

static void nothing_is_saved_of_what_is_not_loaded(void **state)
{
    struct fixture *f = *state;
    struct mn_search *search = engine(CORPUS_DIM);
    const char *cursor = "as it was";

    assert_int_equal(search->ops->save(search, OWN, "p", f->arena, &cursor, &f->bytes, NULL),
                     MNEME_NOT_FOUND);
    feed(search, true, f->corpus.unit, 10, ""); /* more is to come */
    assert_int_equal(search->ops->save(search, OWN, "p", f->arena, &cursor, &f->bytes, NULL),
                     MNEME_NOT_FOUND);
    assert_string_equal(cursor, "as it was");
    mn_search_free(search);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_loaded_answers_as_what_was_built),
        CASE(both_go_on_alike),
        CASE(what_has_left_is_in_no_segment),
        CASE(anothers_bytes_are_not_loaded),
        CASE(every_cut_and_every_flipped_bit_is_seen),
        CASE(refused_bytes_leave_the_partition_as_it_is),
        CASE(a_partition_is_due_from_a_thousand_units_and_again_after_an_eighth),
        CASE(nothing_is_saved_of_what_is_not_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
