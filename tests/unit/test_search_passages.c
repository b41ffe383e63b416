/*
 * test_search_passages.c - a long item is found by its best passage, and its passages share its fate.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fakes/units.h"
#include "search/search.h"

#define DIM 2
#define ALL_TYPES (~(mn_type_set)0)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

static const struct mn_partition ANN = { "t", "ann" };
static const float EAST[DIM] = { 1, 0 }, NORTH[DIM] = { 0, 1 }, WEST[DIM] = { -1, 0 };

struct world {
    struct mn_search *search;
    struct mn_arena *arena;
    struct mn_access access;
    struct mn_hits hits;
    struct mn_terms terms;
};

static struct mn_search *engine(void)
{
    static float zeros[DIM];
    struct mn_space space = { .dim = DIM };
    struct mn_search *search = NULL;

    for (int l = 0; l < MN_LANGUAGE_COUNT; l++)
        space.request_mean[l] = space.passage_mean[l] = zeros;
    ASSERT_OK(mn_search_memory_new(&space, SIZE_MAX, &search, NULL));
    return search;
}

static int set_up(void **state)
{
    static struct world w;

    w = (struct world){ .search = engine(),
                        .arena = mn_arena_new(SIZE_MAX),
                        .access = ann_access() };
    ASSERT_OK(w.search->ops->apply(w.search, (struct mn_partition){ "t", "" }, true, NULL, 0, NULL, 0,
                                   "1", NULL));
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;

    mn_search_free(w->search);
    mn_arena_free(w->arena);
    return 0;
}

static struct mn_unit item(const char *id, const char *content, const float *vector)
{
    struct mn_unit u = a_unit(ANN, id, content);

    u.vector = vector;
    u.vector_dim = vector ? DIM : 0;
    return u;
}

static struct mn_unit passage(const struct mn_unit *of, const char *id, const char *content,
                              const float *vector)
{
    struct mn_unit u = *of;

    u.kind = MN_UNIT_PASSAGE;
    u.id = id;
    u.memory.content = content;
    u.vector = vector;
    u.vector_dim = vector ? DIM : 0;
    return u;
}

static void feed(struct world *w, const struct mn_unit *units, size_t count)
{
    ASSERT_OK(w->search->ops->apply(w->search, ANN, true, units, count, NULL, 0, "1", NULL));
}

static struct mn_query query(struct world *w, const char *text, const float *vector)
{
    w->terms = (struct mn_terms){ 0 };
    if (*text)
        ASSERT_OK(mn_text_query_terms(w->arena, text, strlen(text), &w->terms, NULL));
    return (struct mn_query){ .access = &w->access,
                              .text_types = ALL_TYPES,
                              .vector_types = ALL_TYPES,
                              .terms = &w->terms,
                              .vector = vector,
                              .language = MN_LANGUAGE_EN,
                              .text_k = 10,
                              .vector_k = 10 };
}

static void ask(struct world *w, const char *text, const float *vector)
{
    struct mn_query q = query(w, text, vector);

    ASSERT_OK(w->search->ops->top(w->search, &q, w->arena, &w->hits, NULL));
}

static const struct mn_hit *hit(const struct world *w, const char *id)
{
    for (size_t i = 0; i < w->hits.count; i++)
        if (!strcmp(w->hits.item[i].unit->id, id))
            return &w->hits.item[i];
    return NULL;
}

/* A long text in two passages between two short ones. */
static void feed_long(struct world *w)
{
    struct mn_unit units[5] = { item("a", "apple", WEST), item("long", "pear plum fig quince", WEST) };

    units[2] = passage(&units[1], "long#1", "pear plum", NORTH);
    units[3] = passage(&units[1], "long#2", "fig quince", EAST);
    units[4] = item("z", "zucchini", WEST);
    feed(w, units, 5);
}

static void an_item_is_found_once_by_the_vector_of_its_best_passage(void **state)
{
    struct world *w = *state;

    feed_long(w);
    ask(w, "", EAST);
    assert_int_equal(w->hits.count, 3);
    const struct mn_hit *found = hit(w, "long");
    assert_non_null(found);
    assert_true(found->cosine > 0.99);
    assert_float_equal((float)found->vector, 1 - 0.05 * sqrt(2 * log(2)), 0.002); /* of two */
    assert_int_equal(found->vector_rank, 1);
    assert_int_equal(found->passage, 2);
    assert_int_equal(found->unit->kind, MN_UNIT_ITEM);
    assert_string_equal(found->unit->memory.content, "pear plum fig quince");
    assert_int_equal(hit(w, "a")->passage, 0);
    assert_true(hit(w, "a")->vector < 0);
    ask(w, "", NORTH);
    assert_int_equal(hit(w, "long")->passage, 1);
    ask(w, "", WEST); /* as a whole it is nearest; the passage told is the nearer of the two */
    assert_true(hit(w, "long")->vector > 0.99);
    assert_int_equal(hit(w, "long")->passage, 1);
}

static void words_are_counted_where_they_stand_together(void **state)
{
    struct world *w = *state;

    feed_long(w);
    ask(w, "fig quince", NULL);
    assert_int_equal(w->hits.count, 1);
    double together = hit(w, "long")->text;
    assert_int_equal(hit(w, "long")->passage, 2);
    assert_int_equal(hit(w, "long")->text_rank, 1);
    ask(w, "pear quince", NULL); /* in two passages: the whole has both */
    assert_true(hit(w, "long")->coverage > 0.99);
    assert_true(hit(w, "long")->text < together);
}

/* Passages are no documents: one holds a word, and none the other. */
static void a_long_text_makes_none_of_its_words_common(void **state)
{
    struct world *w = *state;
    double held = log(1 + 0.5 / 1.5), missed = log(1 + 1.5 / 0.5);
    struct mn_unit units[4] = { item("long", "pear plum fig quince", NULL) };

    for (size_t i = 1; i < 4; i++)
        units[i] = passage(&units[0], "long#", "pear plum", NULL);
    feed(w, units, 4);
    ask(w, "pear zucchini", NULL);
    assert_float_equal(hit(w, "long")->coverage, held / (held + missed), 1e-6);
    feed(w, units, 1);
    ask(w, "pear zucchini", NULL);
    assert_float_equal(hit(w, "long")->coverage, held / (held + missed), 1e-6);
}

static void what_is_said_of_it_does_not_depend_on_how_it_was_found(void **state)
{
    static const char *const ids[] = { "long", "long#2", "a" };
    struct world *w = *state;
    struct mn_hits named = { 0 };

    feed_long(w);
    ask(w, "pear", EAST);
    struct mn_query q = query(w, "pear", EAST);
    ASSERT_OK(w->search->ops->score(w->search, &q, ids, 3, w->arena, &named, NULL));
    assert_int_equal(named.count, 2); /* a passage has no id of its own */
    for (size_t i = 0; i < named.count; i++) {
        const struct mn_hit *top = hit(w, named.item[i].unit->id);

        assert_true(named.item[i].text == top->text && named.item[i].vector == top->vector &&
                    named.item[i].coverage == top->coverage &&
                    named.item[i].passage == top->passage);
    }
}

static void passages_leave_with_their_item_and_change_with_it(void **state)
{
    static const char *const dropped[] = { "long" };
    struct world *w = *state;
    struct mn_unit again = item("long", "pear", WEST);

    feed_long(w);
    ASSERT_OK(w->search->ops->apply(w->search, ANN, false, &again, 1, NULL, 0, "2", NULL));
    ask(w, "quince", EAST);
    assert_true(hit(w, "long")->vector < 0);
    assert_int_equal(hit(w, "long")->passage, 0);
    assert_true(hit(w, "long")->text == 0);
    feed_long(w);
    ASSERT_OK(w->search->ops->apply(w->search, ANN, false, NULL, 0, dropped, 1, "2", NULL));
    ask(w, "quince", EAST);
    assert_int_equal(w->hits.count, 2);
    assert_null(hit(w, "long"));
}

static void a_passage_stands_behind_its_item_or_is_refused(void **state)
{
    struct world *w = *state;
    struct mn_unit units[3] = { item("a", "apple", NULL), item("b", "banana", NULL) };

    units[2] = passage(&units[0], "a#1", "apple", NULL);
    assert_int_equal(w->search->ops->apply(w->search, ANN, true, units, 3, NULL, 0, "1", NULL),
                     MNEME_INVALID);
    assert_int_equal(w->search->ops->apply(w->search, ANN, true, units + 2, 1, NULL, 0, "1", NULL),
                     MNEME_INVALID);
}

static void what_may_not_be_seen_is_not_found_by_a_passage(void **state)
{
    struct world *w = *state;
    struct mn_unit units[2] = { item("long", "pear plum", WEST) };

    units[0].memory.sensitivity = MNEME_SECRET;
    units[1] = passage(&units[0], "long#1", "pear", EAST);
    feed(w, units, 2);
    ask(w, "pear", EAST);
    assert_int_equal(w->hits.count, 0);
}

/* A turn's passages are none of its session. */
static void a_long_turn_is_one_turn(void **state)
{
    static const char *const ids[] = { "t1", "t2" };
    struct world *w = *state;
    struct mn_contexts contexts = { 0 };
    struct mn_unit units[4];

    units[0] = item("t1", "pear plum", WEST);
    units[2] = item("t2", "fig", WEST);
    for (int i = 0; i < 4; i += 2) {
        units[i].is_event = true;
        units[i].session_id = "s";
        units[i].order = i;
        units[i].memory.type = "event";
        units[i].memory.event_time_ms = 1000;
    }
    units[1] = passage(&units[0], "t1#1", "plum", EAST);
    units[3] = passage(&units[2], "t2#1", "fig", NORTH);
    feed(w, units, 4);
    ask(w, "plum", EAST);
    assert_int_equal(hit(w, "t1")->passage, 1);
    struct mn_query q = query(w, "plum", NULL);
    ASSERT_OK(w->search->ops->context(w->search, &q, ids, 2, w->arena, &contexts, NULL));
    assert_int_equal(contexts.count, 2);
}

/* Many long ones written over and over: rows die and are squeezed out, and one kept as a segment
 * answers the same. */
static void rows_squeezed_out_or_kept_answer_the_same(void **state)
{
    struct world *w = *state;
    struct mn_search *other = engine();
    struct mn_unit units[3];
    MN_BUF_AUTO bytes = { 0 };
    const char *cursor = NULL;
    char id[16], one[16], two[16], text[32];

    feed(w, NULL, 0);
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 100; i++) {
            (void)snprintf(id, sizeof id, "m%d", i);
            (void)snprintf(one, sizeof one, "m%d#1", i);
            (void)snprintf(two, sizeof two, "m%d#2", i);
            (void)snprintf(text, sizeof text, "number%d", i);
            units[0] = item(id, text, NORTH);
            units[1] = passage(&units[0], one, "apple", WEST);
            units[2] = passage(&units[0], two, text, EAST);
            ASSERT_OK(w->search->ops->apply(w->search, ANN, false, units, 3, NULL, 0, "2", NULL));
        }
    ask(w, "number42", EAST);
    assert_int_equal(hit(w, "m42")->passage, 2);
    assert_int_equal(hit(w, "m42")->text_rank, 1);
    double text_score = hit(w, "m42")->text;

    ASSERT_OK(w->search->ops->save(w->search, ANN, "p", w->arena, &cursor, &bytes, NULL));
    ASSERT_OK(other->ops->apply(other, (struct mn_partition){ "t", "" }, true, NULL, 0, NULL, 0, "1",
                                NULL));
    ASSERT_OK(
        other->ops->load(other, ANN, "p", (struct mn_str){ bytes.at, bytes.bytes }, NULL));
    mn_search_free(w->search);
    w->search = other;
    ask(w, "number42", EAST);
    assert_int_equal(hit(w, "m42")->passage, 2);
    assert_true(hit(w, "m42")->text == text_score);
    units[0] = item("m42", "new", WEST);
    ASSERT_OK(w->search->ops->apply(w->search, ANN, false, units, 1, NULL, 0, "3", NULL));
    ask(w, "number42", NULL);
    assert_null(hit(w, "m42"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_item_is_found_once_by_the_vector_of_its_best_passage,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_are_counted_where_they_stand_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_text_makes_none_of_its_words_common, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_said_of_it_does_not_depend_on_how_it_was_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(passages_leave_with_their_item_and_change_with_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_passage_stands_behind_its_item_or_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_may_not_be_seen_is_not_found_by_a_passage, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_long_turn_is_one_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_squeezed_out_or_kept_answer_the_same, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
