/*
 * test_search_suite.c - see test_search_suite.h. Scores are worked out here by the formulas of the
 * header, with figures that can be followed by hand.
 */
#include "test_search_suite.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/units.h"
#include "text/synonyms.h"

#define NEAR 2e-3 /* vectors are held as halves */
#define ALL_TYPES (~(mn_type_set)0)

static search_maker maker;
static bool answers_full_arena;

/* ---- a small world ---- */

static const struct mn_partition ANN = { "t", "ann" };
static const struct mn_partition SHARED = { "t", "" };

struct world {
    struct mn_search *search;
    struct mn_arena *arena;
    struct mn_access access;
    struct mn_hits hits;
};

static struct world world_new(const struct mn_space *space)
{
    static const struct mn_space none = { 0 };
    struct world w = { .search = maker(space ? space : &none),
                       .arena = mn_arena_new(SIZE_MAX),
                       .access = ann_access() };

    assert_non_null(w.search);
    assert_non_null(w.arena);
    return w;
}

static void world_free(struct world *w)
{
    mn_search_free(w->search);
    mn_arena_free(w->arena);
}

static void feed(struct world *w, struct mn_partition partition, const struct mn_unit *units,
                 size_t count)
{
    assert_int_equal(w->search->ops->apply(w->search, partition, true, units, count, NULL, 0, "1",
                                           NULL),
                     MNEME_OK);
}

/* Both partitions of ann, the shared one empty. */
static void feed_ann(struct world *w, const struct mn_unit *units, size_t count)
{
    feed(w, ANN, units, count);
    feed(w, SHARED, NULL, 0);
}

static struct mn_query query(struct world *w, const char *text, struct mn_terms *terms)
{
    if (*text)
        assert_int_equal(mn_text_query_terms(w->arena, text, strlen(text), terms, NULL), MNEME_OK);
    return (struct mn_query){ .access = &w->access,
                              .text_types = ALL_TYPES,
                              .vector_types = ALL_TYPES,
                              .terms = terms,
                              .language = MN_LANGUAGE_EN,
                              .text_k = 10,
                              .vector_k = 10 };
}

static void ask(struct world *w, const char *text)
{
    struct mn_terms terms = { 0 };
    struct mn_query q = query(w, text, &terms);

    assert_int_equal(w->search->ops->top(w->search, &q, w->arena, &w->hits, NULL), MNEME_OK);
}

static const struct mn_hit *hit(const struct world *w, const char *id)
{
    for (size_t i = 0; i < w->hits.count; i++)
        if (!strcmp(w->hits.item[i].unit->id, id))
            return &w->hits.item[i];
    return NULL;
}

static double idf(double n, double df)
{
    return log(1 + (n - df + 0.5) / (df + 0.5));
}

/* ---- partitions and their position ---- */

static void a_partition_is_there_once_its_cursor_is(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "apple"), a_unit(ANN, "b", "banana") };
    const char *cursor = "untouched";

    (void)state;
    assert_int_equal(w.search->ops->position(w.search, ANN, w.arena, &cursor, NULL),
                     MNEME_NOT_FOUND);
    assert_string_equal(cursor, "untouched");
    feed(&w, SHARED, NULL, 0);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 0);
    assert_true(w.hits.partial);

    assert_int_equal(w.search->ops->apply(w.search, ANN, true, units, 1, NULL, 0, "", NULL),
                     MNEME_OK);
    assert_int_equal(w.search->ops->position(w.search, ANN, w.arena, &cursor, NULL),
                     MNEME_NOT_FOUND);
    ask(&w, "apple"); /* half a build answers nothing */
    assert_int_equal(w.hits.count, 0);
    assert_true(w.hits.partial);

    assert_int_equal(w.search->ops->apply(w.search, ANN, false, units + 1, 1, NULL, 0, "17", NULL),
                     MNEME_OK);
    assert_int_equal(w.search->ops->position(w.search, ANN, w.arena, &cursor, NULL), MNEME_OK);
    assert_string_equal(cursor, "17");
    ask(&w, "apple banana");
    assert_int_equal(w.hits.count, 2);
    assert_false(w.hits.partial);

    w.search->ops->drop(w.search, ANN);
    assert_int_equal(w.search->ops->position(w.search, ANN, w.arena, &cursor, NULL),
                     MNEME_NOT_FOUND);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 0);
    assert_true(w.hits.partial);
    world_free(&w);
}

static void what_was_never_fed_from_the_start_is_refused(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit apple = a_unit(ANN, "a", "apple");
    const char *cursor;

    (void)state;
    assert_int_equal(w.search->ops->apply(w.search, ANN, false, &apple, 1, NULL, 0, "2", NULL),
                     MNEME_NOT_FOUND);
    assert_int_equal(w.search->ops->position(w.search, ANN, w.arena, &cursor, NULL),
                     MNEME_NOT_FOUND);
    world_free(&w);
}

static void units_are_replaced_dropped_and_reset(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "apple"), a_unit(ANN, "b", "banana") };
    struct mn_unit changed = a_unit(ANN, "a", "cherry");
    struct mn_unit other = a_unit(ANN, "c", "date palm");
    const char *const gone[] = { "b", "never there" };
    const char *const both[] = { "a" };
    struct mn_search_stats stats;

    (void)state;
    feed_ann(&w, units, 2);
    assert_int_equal(w.search->ops->apply(w.search, ANN, false, &changed, 1, gone, 2, "2", NULL),
                     MNEME_OK);
    ask(&w, "apple banana cherry");
    assert_int_equal(w.hits.count, 1);
    assert_string_equal(w.hits.item[0].unit->memory.content, "cherry");
    w.search->ops->stats(w.search, &stats);
    assert_int_equal(stats.units, 1);
    assert_int_equal(stats.partitions, 2);
    assert_true(stats.bytes > 0);

    /* dropping comes first: what is in both stays */
    assert_int_equal(w.search->ops->apply(w.search, ANN, false, units, 1, both, 1, "3", NULL),
                     MNEME_OK);
    ask(&w, "apple cherry");
    assert_int_equal(w.hits.count, 1);
    assert_string_equal(w.hits.item[0].unit->memory.content, "apple");

    feed(&w, ANN, &other, 1);
    ask(&w, "apple date");
    assert_int_equal(w.hits.count, 1);
    assert_string_equal(w.hits.item[0].unit->id, "c");
    world_free(&w);
}

static void one_id_twice_in_a_batch_leaves_the_later(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "apple"), a_unit(ANN, "a", "banana") };

    (void)state;
    feed_ann(&w, units, 2);
    ask(&w, "apple banana");
    assert_int_equal(w.hits.count, 1);
    assert_string_equal(w.hits.item[0].unit->memory.content, "banana");
    world_free(&w);
}

static void foreign_units_are_refused_and_nothing_changes(void **state)
{
    float vector[3] = { 1, 0, 0 };
    struct mn_space space = { .dim = 4 };
    struct world w = world_new(&space);
    struct mn_unit fine = a_unit(ANN, "a", "apple");
    struct mn_unit bad[4] = { a_unit(ANN, "b", "banana"), a_unit(ANN, "b", "banana"),
                              a_unit(ANN, "", "banana"), a_unit(ANN, "b", "banana") };

    (void)state;
    bad[0].memory.tenant_id = "t2";
    bad[1].memory.user_id = "bob";
    bad[3].vector = vector;
    bad[3].vector_dim = 3;
    feed_ann(&w, &fine, 1);
    for (size_t i = 0; i < 4; i++) {
        struct mn_unit units[] = { a_unit(ANN, "c", "cherry"), bad[i] };
        const char *const dropped[] = { "a" };
        const char *cursor;

        assert_int_equal(w.search->ops->apply(w.search, ANN, false, units, 2, dropped, 1, "9",
                                              NULL),
                         MNEME_INVALID);
        ask(&w, "apple banana cherry");
        assert_int_equal(w.hits.count, 1);
        assert_string_equal(w.hits.item[0].unit->id, "a");
        assert_int_equal(w.search->ops->position(w.search, ANN, w.arena, &cursor, NULL), MNEME_OK);
        assert_string_equal(cursor, "1");
    }
    world_free(&w);
}

/* ---- isolation ---- */

static void a_request_reaches_its_own_and_the_shared_partition_alone(void **state)
{
    static const struct mn_partition BOB = { "t", "bob" }, OTHER = { "t2", "ann" },
                                     OTHER_SHARED = { "t2", "" };
    struct world w = world_new(NULL);
    struct mn_unit mine = a_unit(ANN, "mine", "apple"), ours = a_unit(SHARED, "ours", "apple");
    struct mn_unit his = a_unit(BOB, "his", "apple"), theirs = a_unit(OTHER, "theirs", "apple");
    struct mn_unit far = a_unit(OTHER_SHARED, "far", "apple");
    const char *const ids[] = { "mine", "ours", "his", "theirs", "far" };
    struct mn_terms terms = { 0 };
    struct mn_query q;

    (void)state;
    feed(&w, ANN, &mine, 1);
    feed(&w, SHARED, &ours, 1);
    feed(&w, BOB, &his, 1);
    feed(&w, OTHER, &theirs, 1);
    feed(&w, OTHER_SHARED, &far, 1);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 2);
    assert_false(hit(&w, "mine")->shared);
    assert_true(hit(&w, "ours")->shared);
    q = query(&w, "apple", &terms);
    assert_int_equal(w.search->ops->score(w.search, &q, ids, 5, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    assert_non_null(hit(&w, "mine"));
    assert_non_null(hit(&w, "ours"));
    world_free(&w);
}

static void what_is_named_beside_a_search_comes_scored_if_it_may_be_seen(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "found", "apple"), a_unit(ANN, "named", "pear apple"),
                               a_unit(ANN, "hidden", "apple") };
    static const char *const also[] = { "named", "hidden", "found", "nowhere" };
    struct mn_terms terms = { 0 };
    struct mn_query q;

    (void)state;
    units[1].memory.type = "incident";
    units[2].memory.sensitivity = MNEME_CONFIDENTIAL;
    feed_ann(&w, units, 3);
    q = query(&w, "apple", &terms);
    q.text_types = q.vector_types = MN_TYPE_BIT(mn_type_find("fact"));
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 1);
    q.also = also;
    q.also_count = 4;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    assert_int_equal(hit(&w, "found")->text_rank, 1);
    assert_int_equal(hit(&w, "named")->text_rank, 0);
    assert_true(hit(&w, "named")->text > 0);
    world_free(&w);
}

static void rows_that_the_access_refuses_are_not_found(void **state)
{
    struct world w = world_new(NULL);
    struct mneme_pair python = { "python", ">=3.12" };
    struct mneme_pair stated = { "python", "3.9" };
    struct mn_unit units[12];
    const char *ids[12];
    struct mn_terms terms = { 0 };
    struct mn_query q;
    static const char *const NAME[12] = {
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"
    };

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        units[i] = a_unit(ANN, NAME[i], "apple");
        ids[i] = NAME[i];
    }
    units[1].memory.agent_id = "helper";
    units[2].memory.scope_kind = MNEME_SCOPE_PROJECT;
    units[2].memory.scope_id = "other";
    units[3].memory.sensitivity = MNEME_CONFIDENTIAL;
    units[4].memory.requires_permission = "deploy";
    units[5].memory.applies_to = (struct mneme_pairs){ &python, 1 };
    units[6].memory.valid_from_ms = 1001;
    units[7].memory.valid_until_ms = 1000;
    units[8].memory.status = MNEME_SUPERSEDED;
    units[9].confidence = 0.59;
    units[10].memory.authority = MNEME_AUTHORITY_REVOKED;
    units[11].memory.valid_from_ms = 1000; /* at the limits: holds */
    units[11].memory.valid_until_ms = 1001;
    units[11].confidence = 0.60;
    w.access.environment = (struct mneme_pairs){ &stated, 1 };
    feed_ann(&w, units, 12);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 2);
    assert_non_null(hit(&w, "a"));
    assert_non_null(hit(&w, "l"));
    q = query(&w, "apple", &terms);
    assert_int_equal(w.search->ops->score(w.search, &q, ids, 12, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    world_free(&w);
}

static void the_past_sees_what_was_superseded_and_not_what_was_not_made_yet(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "old", "apple"), a_unit(ANN, "new", "apple") };

    (void)state;
    units[0].memory.status = MNEME_SUPERSEDED;
    units[1].memory.created_at_ms = 501;
    feed_ann(&w, units, 2);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 1);
    assert_non_null(hit(&w, "new"));
    w.access.at_ms = w.access.as_of_ms = 500;
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 1);
    assert_non_null(hit(&w, "old"));
    w.access.at_ms = w.access.as_of_ms = 501;
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 2);
    world_free(&w);
}

static void types_and_event_times_filter(void **state)
{
    float vector[4] = { 1, 0, 0, 0 };
    struct mn_space space = { .dim = 4 };
    struct world w = world_new(&space);
    struct mn_unit units[] = { a_unit(ANN, "fact", "apple"), a_unit(ANN, "incident", "apple"),
                               a_unit(ANN, "invented", "apple") };
    const char *const ids[] = { "fact", "incident", "invented" };
    struct mn_terms terms = { 0 };
    struct mn_query q;

    (void)state;
    units[1].memory.type = "incident";
    units[2].memory.type = "a type of the configuration"; /* counts as a fact */
    for (size_t i = 0; i < 3; i++) {
        units[i].memory.event_time_ms = (int64_t)i * 100; /* the first has none */
        units[i].vector = vector;
        units[i].vector_dim = 4;
    }
    feed_ann(&w, units, 3);
    q = query(&w, "apple", &terms);
    q.text_types = MN_TYPE_BIT(mn_type_find("incident"));
    q.vector_types = MN_TYPE_BIT(mn_type_find("fact"));
    q.vector = vector;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 3);
    assert_int_equal(hit(&w, "incident")->text_rank, 1);
    assert_int_equal(hit(&w, "incident")->vector_rank, 0);
    assert_true(hit(&w, "incident")->has_vector); /* whatever brought it, it has both scores */
    assert_int_equal(hit(&w, "fact")->text_rank, 0);
    assert_true(hit(&w, "fact")->text > 0);
    assert_true(hit(&w, "fact")->vector_rank > 0);
    assert_true(hit(&w, "invented")->vector_rank > 0);
    assert_int_equal(w.search->ops->score(w.search, &q, ids, 3, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 3); /* of any type */

    q = query(&w, "apple", &terms);
    q.after_ms = 100;
    q.before_ms = 200;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 1);
    assert_non_null(hit(&w, "incident"));
    assert_int_equal(w.search->ops->score(w.search, &q, ids, 3, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 1);
    q.after_ms = 101;
    q.before_ms = 0;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 1);
    assert_non_null(hit(&w, "invented"));
    world_free(&w);
}

/* ---- text ---- */

static void text_scores_are_those_of_the_formula(void **state)
{
    static const char *const keywords[] = { "banana" };
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "apple apple cherry"), a_unit(ANN, "b", "cherry"),
                               a_unit(ANN, "c", "plum") };
    double ia = idf(3, 1), ib = idf(3, 1), ic = idf(3, 2), i = ia + ib + ic;
    /* weighted lengths: 3, 1 + 1.5 (keyword), 1 + 2 (title) */
    double average = (3 + 2.5 + 3) / 3;
    double norm_a = 1.2 * (0.25 + 0.75 * 3 / average);
    double norm_b = 1.2 * (0.25 + 0.75 * 2.5 / average);
    double bm25_a = ia * 2 * 2.2 / (2 + norm_a) + ic * 1 * 2.2 / (1 + norm_a);
    double bm25_b = ib * 1.5 * 2.2 / (1.5 + norm_b) + ic * 1 * 2.2 / (1 + norm_b);

    (void)state;
    units[1].memory.keywords = (struct mneme_list){ keywords, 1 };
    units[2].memory.title = "pear";
    feed_ann(&w, units, 3);
    ask(&w, "apple, banana and cherry");
    assert_int_equal(w.hits.count, 2);
    assert_float_equal(w.hits.term_weight_sum, i, 1e-6);
    assert_float_equal(hit(&w, "a")->coverage, (ia + ic) / i, 1e-6);
    assert_float_equal(hit(&w, "a")->bm25, bm25_a, 1e-5);
    assert_float_equal(hit(&w, "a")->text, 0.5 * (ia + ic) / i + 0.5 * bm25_a / i, 1e-5);
    assert_float_equal(hit(&w, "b")->bm25, bm25_b, 1e-5);
    assert_float_equal(hit(&w, "b")->coverage, (ib + ic) / i, 1e-6);
    assert_false(hit(&w, "a")->has_vector);
    assert_int_equal(hit(&w, "a")->text_rank + hit(&w, "b")->text_rank, 3);
    world_free(&w);
}

static void statistics_are_summed_over_both_partitions_and_exact_after_changes(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit mine[] = { a_unit(ANN, "a", "apple"), a_unit(ANN, "b", "apple"),
                              a_unit(ANN, "c", "apple") };
    struct mn_unit ours = a_unit(SHARED, "d", "apple plum");
    struct mn_unit changed = a_unit(ANN, "b", "plum");
    const char *const gone[] = { "c" };
    /* what is left: a apple, b plum, d apple plum */
    double average = 4.0 / 3, norm = 1.2 * (0.25 + 0.75 * 1 / average);

    (void)state;
    feed(&w, ANN, mine, 3);
    feed(&w, SHARED, &ours, 1);
    assert_int_equal(w.search->ops->apply(w.search, ANN, false, &changed, 1, gone, 1, "2", NULL),
                     MNEME_OK);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 2);
    assert_float_equal(w.hits.term_weight_sum, idf(3, 2), 1e-6);
    assert_float_equal(hit(&w, "a")->bm25, idf(3, 2) * 2.2 / (1 + norm), 1e-5);
    world_free(&w);
}

static void turns_are_scored_by_their_own_kind_and_know_who_spoke_and_when(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "apple"), a_unit(ANN, "b", "apple"),
                               a_unit(ANN, "c", "今天我们一起去苹果园") };
    /* of turns: 1 + speaker 1 + day and year 2 (a month that is also a word of grammar is none) */
    double n = 0;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        units[i].is_event = true;
        units[i].memory.type = "event";
        units[i].memory.event_time_ms = INT64_C(1683554400000); /* 2023-05-08T14:00Z */
    }
    units[0].speaker = "Caroline";
    units[0].session_id = "s1";
    units[0].order = 7;
    units[2].memory.event_time_ms = INT64_C(-86400001); /* 1969-12-30 */
    feed_ann(&w, units, 3);
    ask(&w, "Caroline");
    assert_int_equal(w.hits.count, 1);
    assert_string_equal(w.hits.item[0].unit->speaker, "Caroline");
    assert_string_equal(w.hits.item[0].unit->session_id, "s1");
    assert_int_equal(w.hits.item[0].unit->order, 7);
    ask(&w, "2023");
    assert_int_equal(w.hits.count, 2);
    ask(&w, "1969年12月30日");
    assert_non_null(hit(&w, "c"));

    feed_ann(&w, units + 1, 1); /* alone: its length is the average */
    ask(&w, "apple");
    n = idf(1, 1) * 1.9 / (1 + 0.9);
    assert_float_equal(w.hits.item[0].bm25, n, 1e-5);
    world_free(&w);
}

static void chinese_is_found_and_single_characters_weigh_half(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "数据库迁移失败"), a_unit(ANN, "b", "苹果") };

    (void)state;
    feed_ann(&w, units, 2);
    ask(&w, "數據庫"); /* traditional: three characters, two pairs */
    assert_int_equal(w.hits.count, 1);
    assert_non_null(hit(&w, "a"));
    assert_float_equal(w.hits.term_weight_sum, idf(2, 1) * (2 + 3 * 0.5), 1e-6);
    assert_float_equal(hit(&w, "a")->coverage, 1, 1e-6);
    assert_int_equal(hit(&w, "a")->language, MN_LANGUAGE_ZH);
    world_free(&w);
}

static void a_word_that_is_nowhere_is_read_as_the_nearest_that_is(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "kubernetes"), a_unit(ANN, "b", "plum"),
                               a_unit(ANN, "c", "openssl-3.0.8") };

    (void)state;
    feed_ann(&w, units, 3);
    ask(&w, "kubernetse"); /* two letters changed places */
    assert_int_equal(w.hits.count, 1);
    assert_float_equal(hit(&w, "a")->coverage, 0.7, 1e-6);
    assert_float_equal(w.hits.term_weight_sum, idf(3, 1), 1e-6);
    ask(&w, "kubrnets"); /* two edits, eight letters */
    assert_int_equal(w.hits.count, 1);
    ask(&w, "kbrnets"); /* three */
    assert_int_equal(w.hits.count, 0);
    ask(&w, "plim"); /* too short to be guessed at */
    assert_int_equal(w.hits.count, 0);
    world_free(&w);
}

static void a_word_that_is_there_is_not_guessed_at(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "banana"), a_unit(ANN, "b", "bandana") };

    (void)state;
    feed_ann(&w, units, 2);
    ask(&w, "banana");
    assert_int_equal(w.hits.count, 1);
    assert_non_null(hit(&w, "a"));
    world_free(&w);
}

static void a_star_finds_what_begins_so_and_an_identifier_needs_none(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "kubernetes"), a_unit(ANN, "b", "kubelet"),
                               a_unit(ANN, "c", "ERR_CONNECTION_RESET"), a_unit(ANN, "d", "plum") };

    (void)state;
    feed_ann(&w, units, 4);
    ask(&w, "kube*");
    assert_int_equal(w.hits.count, 2);
    assert_float_equal(hit(&w, "a")->coverage, 1, 1e-6); /* said so, and no guess */
    assert_float_equal(w.hits.term_weight_sum, idf(4, 2), 1e-6);
    ask(&w, "kube");
    assert_int_equal(w.hits.count, 0);
    ask(&w, "err_conn"); /* of three terms, err is there, and the whole begins one that is */
    assert_int_equal(w.hits.count, 1);
    assert_float_equal(hit(&w, "c")->coverage, 1.7 * idf(4, 1) / (2 * idf(4, 1) + idf(4, 0)), 1e-6);
    world_free(&w);
}

static void another_name_of_a_term_is_found_by_it(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "a", "kubernetes rocks"), a_unit(ANN, "b", "k8s"),
                               a_unit(ANN, "c", "continuous rocks"),
                               a_unit(ANN, "d", "continuous integration") };
    struct mn_terms terms = { 0 };

    (void)state;
    feed_ann(&w, units, 4);
    struct mn_query q = query(&w, "k8s ci", &terms);
    const char *const cluster[] = { "k8s", "kubernetes" };
    const char *const build[] = { "ci", "continuous integration" };
    assert_int_equal(mn_synonyms_group(w.arena, "k8s ci", cluster, 2, &terms, NULL), MNEME_OK);
    assert_int_equal(mn_synonyms_group(w.arena, "k8s ci", build, 2, &terms, NULL), MNEME_OK);
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 3); /* c has one of two words */
    assert_null(hit(&w, "c"));
    assert_float_equal(w.hits.term_weight_sum, idf(4, 2) + idf(4, 1), 1e-6);
    assert_float_equal(hit(&w, "a")->coverage, idf(4, 2) / (idf(4, 2) + idf(4, 1)), 1e-6);
    assert_float_equal(hit(&w, "b")->coverage, hit(&w, "a")->coverage, 1e-6);
    assert_float_equal(hit(&w, "d")->coverage, idf(4, 1) / (idf(4, 2) + idf(4, 1)), 1e-6);
    world_free(&w);
}

static void no_more_than_k_come_and_the_best_of_them(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "one", "apple"), a_unit(ANN, "two", "apple apple"),
                               a_unit(ANN, "three", "apple apple apple"),
                               a_unit(SHARED, "four", "apple apple apple apple") };
    struct mn_terms terms = { 0 };
    struct mn_query q;

    (void)state;
    feed(&w, ANN, units, 3);
    feed(&w, SHARED, units + 3, 1);
    q = query(&w, "apple", &terms);
    q.text_k = 2;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    assert_int_equal(hit(&w, "four")->text_rank, 1);
    assert_int_equal(hit(&w, "three")->text_rank, 2);
    q.text_k = 0;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    world_free(&w);
}

static void what_happened_in_a_time_comes_however_unlike_the_earliest_first(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit units[] = { a_unit(ANN, "late", "apple"), a_unit(ANN, "first", "banana"),
                               a_unit(ANN, "out", "cherry"), a_unit(ANN, "never", "date"),
                               a_unit(SHARED, "second", "elder") };
    struct mn_terms terms = { 0 };
    struct mn_query q;

    (void)state;
    units[0].memory.event_time_ms = 1000 * 60000;
    units[1].memory.event_time_ms = 200 * 60000;
    units[2].memory.event_time_ms = 2000 * 60000;
    units[4].memory.event_time_ms = 300 * 60000;
    feed(&w, ANN, units, 4);
    feed(&w, SHARED, units + 4, 1);
    q = query(&w, "", &terms);
    q.after_ms = 200 * 60000;
    q.before_ms = 2000 * 60000;
    q.dated_k = 2;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    assert_non_null(hit(&w, "first"));
    assert_non_null(hit(&w, "second"));
    q.dated_k = 4;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 3);
    assert_non_null(hit(&w, "late"));
    q.text_types = 0; /* of a type that is not asked for */
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    q = query(&w, "", &terms); /* no time is asked for */
    q.dated_k = 4;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    world_free(&w);
}

static void nothing_asked_and_nothing_there_are_no_errors(void **state)
{
    struct mn_space space = { .dim = 4 };
    float zero[4] = { 0 }, one[4] = { 1, 0, 0, 0 };
    struct world w = world_new(&space);
    struct mn_unit apple = a_unit(ANN, "a", "apple"), empty = a_unit(ANN, "b", "");
    struct mn_terms terms = { 0 };
    struct mn_query q;
    const char *const ids[] = { "a", "b", "c" };

    (void)state;
    feed_ann(&w, NULL, 0);
    ask(&w, "apple");
    assert_int_equal(w.hits.count, 0);
    assert_false(w.hits.partial);
    ask(&w, "");
    assert_int_equal(w.hits.count, 0);
    assert_float_equal(w.hits.term_weight_sum, 0, 0);

    empty.vector = zero; /* no direction: none */
    empty.vector_dim = 4;
    feed(&w, ANN, (struct mn_unit[]){ apple, empty }, 2);
    q = query(&w, "", &terms);
    q.terms = NULL;
    q.vector = one;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    q.vector = zero;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    assert_int_equal(w.search->ops->score(w.search, &q, ids, 3, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    assert_false(hit(&w, "b")->has_vector);
    assert_int_equal(w.search->ops->score(w.search, &q, ids, 0, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    world_free(&w);
}

/* ---- vectors ---- */

#define DIM 5 /* not a multiple of anything */

static double norm(const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < DIM; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double cosine_without(const float *x, const double *mx, const float *y, const double *my)
{
    double a[DIM], b[DIM], sum = 0;

    for (size_t i = 0; i < DIM; i++) {
        a[i] = (double)x[i] - mx[i];
        b[i] = (double)y[i] - my[i];
        sum += a[i] * b[i];
    }
    return sum / norm(a) / norm(b);
}

static const float EN_REQUEST[DIM] = { 0.5f, 0.1f, 0, 0, 0 };
static const float EN_PASSAGE[DIM] = { 0.4f, 0.2f, 0, 0, 0 };
static const float ZH_REQUEST[DIM] = { 0.1f, 0, 0.5f, 0, 0 };
static const float ZH_PASSAGE[DIM] = { 0, 0.1f, 0.6f, 0, 0 };
static const float ASKED[DIM] = { 0.6f, 0, 0, 0.8f, 0 };
static const float NEAR_IT[DIM] = { 0.48f, 0.36f, 0, 0.8f, 0 };
static const float FAR[DIM] = { 0.6f, 0.8f, 0, 0, 0 };
static const float CHINESE[DIM] = { 0, 0, 0.6f, 0.8f, 0 };

static struct mn_space space_of_two_languages(void)
{
    struct mn_space space = { .dim = DIM, .own_mean_share = 0.3f, .partition_k = 2 };

    space.request_mean[MN_LANGUAGE_EN] = EN_REQUEST;
    space.passage_mean[MN_LANGUAGE_EN] = EN_PASSAGE;
    space.request_mean[MN_LANGUAGE_ZH] = ZH_REQUEST;
    space.passage_mean[MN_LANGUAGE_ZH] = ZH_PASSAGE;
    return space;
}

static void units_of_two_languages(struct mn_unit units[3])
{
    static const float *const VECTOR[3] = { NEAR_IT, FAR, CHINESE };

    units[0] = a_unit(ANN, "near", "apple");
    units[1] = a_unit(ANN, "far", "banana");
    units[2] = a_unit(ANN, "zh", "苹果和香蕉");
    for (size_t i = 0; i < 3; i++) {
        units[i].vector = VECTOR[i];
        units[i].vector_dim = DIM;
    }
}

static void vector_scores_are_those_of_the_formula(void **state)
{
    struct mn_space space = space_of_two_languages();
    struct world w = world_new(&space);
    struct mn_unit units[3];
    struct mn_terms terms = { 0 };
    struct mn_query q;
    double qe[DIM], pe[DIM], pz[DIM], own_en[DIM], own_zh[DIM];

    (void)state;
    units_of_two_languages(units);
    feed_ann(&w, units, 3);
    q = query(&w, "", &terms);
    q.vector = ASKED;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 3);
    for (size_t i = 0; i < DIM; i++) {
        qe[i] = (double)EN_REQUEST[i];
        pe[i] = (double)EN_PASSAGE[i];
        pz[i] = (double)ZH_PASSAGE[i];
        own_en[i] = ((double)NEAR_IT[i] + (double)FAR[i] + 2 * pe[i]) / 4;
        own_zh[i] = ((double)CHINESE[i] + 2 * pz[i]) / 3;
    }
    assert_float_equal(hit(&w, "near")->vector,
                       0.3 * cosine_without(ASKED, own_en, NEAR_IT, own_en) +
                           0.7 * cosine_without(ASKED, qe, NEAR_IT, pe),
                       NEAR);
    assert_float_equal(hit(&w, "far")->vector,
                       0.3 * cosine_without(ASKED, own_en, FAR, own_en) +
                           0.7 * cosine_without(ASKED, qe, FAR, pe),
                       NEAR);
    assert_float_equal(hit(&w, "zh")->vector,
                       0.3 * cosine_without(ASKED, own_en, CHINESE, own_zh) +
                           0.7 * cosine_without(ASKED, qe, CHINESE, pz),
                       NEAR);
    assert_float_equal(hit(&w, "near")->cosine, 0.6 * 0.48 + 0.64, NEAR);
    assert_int_equal(hit(&w, "zh")->vector_rank, 1);
    assert_int_equal(hit(&w, "near")->vector_rank, 2);
    assert_int_equal(hit(&w, "far")->vector_rank, 3);
    assert_int_equal(hit(&w, "far")->text_rank, 0);
    assert_true(hit(&w, "zh")->has_vector);
    assert_null(hit(&w, "zh")->unit->vector); /* the document comes without it */
    world_free(&w);
}

static void turns_are_compared_by_the_partitions_own_mean(void **state)
{
    struct mn_space space = space_of_two_languages();
    struct world w = world_new(&space);
    struct mn_unit units[3];
    struct mn_terms terms = { 0 };
    struct mn_query q;
    double own[DIM];

    (void)state;
    units_of_two_languages(units);
    units[0].is_event = true;
    feed_ann(&w, units, 2);
    q = query(&w, "", &terms);
    q.vector = ASKED;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    for (size_t i = 0; i < DIM; i++)
        own[i] = ((double)NEAR_IT[i] + (double)FAR[i] + 2 * (double)EN_PASSAGE[i]) / 4;
    assert_float_equal(hit(&w, "near")->vector, cosine_without(ASKED, own, NEAR_IT, own), NEAR);
    world_free(&w);
}

static void each_language_has_a_list_of_its_own(void **state)
{
    struct mn_space space = space_of_two_languages();
    struct world w = world_new(&space);
    struct mn_unit units[3];
    struct mn_terms terms = { 0 };
    struct mn_query q;

    (void)state;
    units_of_two_languages(units);
    feed_ann(&w, units, 3);
    q = query(&w, "", &terms);
    q.vector = ASKED;
    q.vector_k = 1;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 2);
    assert_non_null(hit(&w, "near"));
    assert_non_null(hit(&w, "zh"));
    q.vector_k = 0;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 0);
    world_free(&w);
}

static void similarity_compares_passages_by_the_constants(void **state)
{
    struct mn_space space = space_of_two_languages();
    struct world w = world_new(&space);
    struct mn_unit units[4];
    const char *const ids[] = { "near", "far", "none", "zh", "absent" };
    float found[25];
    double pe[DIM], pz[DIM];

    (void)state;
    units_of_two_languages(units);
    units[3] = a_unit(ANN, "none", "cherry");
    feed_ann(&w, units, 4);
    assert_int_equal(w.search->ops->similarity(w.search, &w.access, ids, 5, found, NULL), MNEME_OK);
    for (size_t i = 0; i < DIM; i++) {
        pe[i] = (double)EN_PASSAGE[i];
        pz[i] = (double)ZH_PASSAGE[i];
    }
    assert_float_equal(found[0], 1, NEAR);
    assert_float_equal(found[1], cosine_without(NEAR_IT, pe, FAR, pe), NEAR);
    assert_float_equal(found[5], cosine_without(NEAR_IT, pe, FAR, pe), NEAR);
    assert_float_equal(found[3], cosine_without(NEAR_IT, pe, CHINESE, pz), NEAR);
    for (size_t i = 0; i < 5; i++)
        assert_true(isnan(found[2 * 5 + i]) && isnan(found[i * 5 + 4]));
    world_free(&w);
}

static void without_a_space_vectors_are_not_looked_at(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit apple = a_unit(ANN, "a", "apple");
    struct mn_terms terms = { 0 };
    struct mn_query q;
    const char *const ids[] = { "a" };
    float found[1];

    (void)state;
    apple.vector = ASKED;
    apple.vector_dim = DIM;
    feed_ann(&w, &apple, 1);
    q = query(&w, "apple", &terms);
    q.vector = ASKED;
    assert_int_equal(w.search->ops->top(w.search, &q, w.arena, &w.hits, NULL), MNEME_OK);
    assert_int_equal(w.hits.count, 1);
    assert_false(w.hits.item[0].has_vector);
    assert_int_equal(w.search->ops->similarity(w.search, &w.access, ids, 1, found, NULL), MNEME_OK);
    assert_true(isnan(found[0]));
    world_free(&w);
}

/* ---- documents ---- */

static void documents_are_whole_and_outlive_the_index(void **state)
{
    static const char *const words[] = { "one", "two" };
    static const struct mneme_pair pairs[] = { { "os", "linux" } };
    struct world w = world_new(NULL);
    struct mn_unit u = a_unit(ANN, "a", "apple");
    const struct mneme_memory *m;

    (void)state;
    u.memory.title = "title";
    u.memory.keywords = (struct mneme_list){ words, 2 };
    u.memory.provenance = (struct mneme_list){ words, 1 };
    u.memory.applies_to = (struct mneme_pairs){ pairs, 1 };
    u.memory.attributes = "{}";
    u.memory.importance = 0.7;
    u.memory.revision = 12;
    feed_ann(&w, &u, 1);
    ask(&w, "apple");
    w.search->ops->drop(w.search, ANN);
    assert_int_equal(w.hits.count, 1);
    assert_int_equal(w.hits.item[0].unit->kind, MN_UNIT_ITEM);
    assert_string_equal(w.hits.item[0].unit->parent_id, "a");
    m = &w.hits.item[0].unit->memory;
    assert_string_equal(m->title, "title");
    assert_string_equal(m->content, "apple");
    assert_string_equal(m->memory_key, ""); /* absent strings are empty, not NULL */
    assert_string_equal(m->tenant_id, "t");
    assert_int_equal(m->keywords.count, 2);
    assert_string_equal(m->keywords.item[1], "two");
    assert_string_equal(m->provenance.item[0], "one");
    assert_string_equal(m->applies_to.item[0].name, "os");
    assert_string_equal(m->applies_to.item[0].value, "linux");
    assert_string_equal(m->attributes, "{}");
    assert_int_equal(m->revision, 12);
    assert_float_equal(m->importance, 0.7, 0);
    world_free(&w);
}

static void a_full_arena_is_a_status_and_leaves_the_output(void **state)
{
    struct world w = world_new(NULL);
    struct mn_unit apple = a_unit(ANN, "a", "apple");
    struct mn_terms terms = { 0 };
    struct mn_query q;
    struct mn_hits hits = { .count = 77 };

    (void)state;
    if (!answers_full_arena) {
        world_free(&w);
        skip();
    }
    feed_ann(&w, &apple, 1);
    q = query(&w, "apple", &terms);
    for (size_t bytes = 0;; bytes += 16) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);
        enum mneme_status status = w.search->ops->top(w.search, &q, arena, &hits, NULL);

        if (status == MNEME_OK)
            break;
        assert_int_equal(status, MNEME_LIMIT);
        assert_int_equal(hits.count, 77);
    }
    assert_int_equal(hits.count, 1);
    world_free(&w);
}

int search_suite_run(const char *engine, search_maker make, bool full_arena)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_partition_is_there_once_its_cursor_is),
        cmocka_unit_test(what_was_never_fed_from_the_start_is_refused),
        cmocka_unit_test(units_are_replaced_dropped_and_reset),
        cmocka_unit_test(one_id_twice_in_a_batch_leaves_the_later),
        cmocka_unit_test(foreign_units_are_refused_and_nothing_changes),
        cmocka_unit_test(a_request_reaches_its_own_and_the_shared_partition_alone),
        cmocka_unit_test(what_is_named_beside_a_search_comes_scored_if_it_may_be_seen),
        cmocka_unit_test(rows_that_the_access_refuses_are_not_found),
        cmocka_unit_test(the_past_sees_what_was_superseded_and_not_what_was_not_made_yet),
        cmocka_unit_test(types_and_event_times_filter),
        cmocka_unit_test(text_scores_are_those_of_the_formula),
        cmocka_unit_test(statistics_are_summed_over_both_partitions_and_exact_after_changes),
        cmocka_unit_test(turns_are_scored_by_their_own_kind_and_know_who_spoke_and_when),
        cmocka_unit_test(chinese_is_found_and_single_characters_weigh_half),
        cmocka_unit_test(a_word_that_is_nowhere_is_read_as_the_nearest_that_is),
        cmocka_unit_test(a_word_that_is_there_is_not_guessed_at),
        cmocka_unit_test(a_star_finds_what_begins_so_and_an_identifier_needs_none),
        cmocka_unit_test(another_name_of_a_term_is_found_by_it),
        cmocka_unit_test(no_more_than_k_come_and_the_best_of_them),
        cmocka_unit_test(what_happened_in_a_time_comes_however_unlike_the_earliest_first),
        cmocka_unit_test(nothing_asked_and_nothing_there_are_no_errors),
        cmocka_unit_test(vector_scores_are_those_of_the_formula),
        cmocka_unit_test(turns_are_compared_by_the_partitions_own_mean),
        cmocka_unit_test(each_language_has_a_list_of_its_own),
        cmocka_unit_test(similarity_compares_passages_by_the_constants),
        cmocka_unit_test(without_a_space_vectors_are_not_looked_at),
        cmocka_unit_test(documents_are_whole_and_outlive_the_index),
        cmocka_unit_test(a_full_arena_is_a_status_and_leaves_the_output),
    };

    maker = make;
    answers_full_arena = full_arena;
    return cmocka_run_group_tests_name(engine, tests, NULL, NULL);
}
