/*
 * test_search_context.c - each signal of a small conversation, worked out by hand.
 *
 * Six turns of s1 and one of s2; every text is chosen so that a signal has few figures. Lengths:
 * a turn's words, and two of its head (a speaker; of dated ones day and year too).
 */
#include "search/search.h"
#include "text/synonyms.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define DIM 8
#define NEAR 2e-3f
#define DAY_MS INT64_C(86400000)
#define MAY_8 (INT64_C(19485) * DAY_MS) /* 2023-05-08 */

static const struct {
    const char *id, *session, *speaker, *text;
    int64_t order, at_ms;
    float vector[DIM];
} TURNS[] = {
    { "a", "s1", "Ann", "apple tree?", 0, MAY_8, { 1, 0 } },
    { "b", "s1", "Bob", "I like Oak and banana", 1, MAY_8, { 0, 1 } },
    { "c", "s1", "Ann", "yesterday two cherry", 2, MAY_8, { 1, 1 } },
    { "d", "s1", "Bob", "damson", 3, MAY_8, { 0 } },
    { "e", "s1", "Ann", "elder", 4, MAY_8, { -1, 0 } },
    { "f", "s1", "Bob", "fig", 5, MAY_8, { 0, -1 } },
    { "g", "s2", "Cid", "grape", 0, 0, { 1, 0 } },
};
#define TURN_COUNT (sizeof TURNS / sizeof TURNS[0])

struct world {
    struct mn_search *search;
    struct mn_arena *arena;
    struct mn_contexts contexts;
};

static int set_up(void **state)
{
    static struct world w;
    static const float nowhere[DIM] = { 0 };
    struct mn_space space = { .dim = DIM, .own_mean_share = 0.3f, .partition_k = 1e9f };
    struct mn_unit units[TURN_COUNT];

    space.request_mean[MN_LANGUAGE_EN] = space.passage_mean[MN_LANGUAGE_EN] = nowhere;
    w = (struct world){ .arena = mn_arena_new(SIZE_MAX) };
    assert_int_equal(mn_search_memory_new(&space, SIZE_MAX, &w.search, NULL), MNEME_OK);
    for (size_t i = 0; i < TURN_COUNT; i++) {
        struct mn_unit *u = &units[i];

        *u = (struct mn_unit){ .id = TURNS[i].id,
                               .parent_id = TURNS[i].id,
                               .memory = MNEME_MEMORY_INIT,
                               .confidence = 1,
                               .is_event = true,
                               .session_id = TURNS[i].session,
                               .order = TURNS[i].order,
                               .speaker = TURNS[i].speaker,
                               .vector = TURNS[i].vector,
                               .vector_dim = DIM };
        u->memory.id = TURNS[i].id;
        u->memory.tenant_id = "t";
        u->memory.user_id = "ann";
        u->memory.scope_kind = MNEME_SCOPE_GLOBAL;
        u->memory.type = "event";
        u->memory.content = TURNS[i].text;
        u->memory.event_time_ms = TURNS[i].at_ms;
        u->memory.created_at_ms = 1;
    }
    assert_int_equal(w.search->ops->apply(w.search, (struct mn_partition){ "t", "ann" }, true,
                                          units, TURN_COUNT, NULL, 0, "1", NULL),
                     MNEME_OK);
    assert_int_equal(w.search->ops->apply(w.search, (struct mn_partition){ "t", "" }, true, NULL, 0,
                                          NULL, 0, "1", NULL),
                     MNEME_OK);
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

static void ask_at(struct world *w, const char *text, int64_t at_ms, const float *vector,
                   const char *const *ids, size_t count)
{
    struct mn_access access = { .tenant = "t",
                                .user = "ann",
                                .agent = "",
                                .session = "",
                                .task = "",
                                .project = "",
                                .repository = "",
                                .clearance = MNEME_INTERNAL,
                                .at_ms = at_ms };
    struct mn_terms terms = { 0 };
    struct mn_inquiry inquiry = mn_inquiry_read(text);
    struct mn_query query = { .access = &access,
                              .terms = &terms,
                              .language = MN_LANGUAGE_EN,
                              .vector = vector,
                              .inquiry = &inquiry };

    assert_int_equal(mn_text_query_terms(w->arena, text, strlen(text), &terms, NULL), MNEME_OK);
    assert_int_equal(w->search->ops->context(w->search, &query, ids, count, w->arena, &w->contexts,
                                             NULL),
                     MNEME_OK);
}

static const char *const ALL[] = { "a", "b", "c", "d", "e", "f", "g" };

static void ask(struct world *w, const char *text)
{
    ask_at(w, text, MAY_8 + DAY_MS, NULL, ALL, 7);
    assert_int_equal(w->contexts.count, 7);
}

static float signal(const struct world *w, const char *id, enum mn_signal signal)
{
    for (size_t i = 0; i < w->contexts.count; i++)
        if (!strcmp(w->contexts.item[i].id, id))
            return w->contexts.item[i].signal[signal];
    fail_msg("no context of %s", id);
    return NAN;
}

static void is(const struct world *w, const char *id, enum mn_signal which, double expected)
{
    float found = signal(w, id, which);

    if (!(fabs((double)found - expected) < (double)NEAR))
        fail_msg("%s: signal %d is %g, not %g", id, which, (double)found, expected);
}

static double idf(double n, double df)
{
    return log(1 + (n - df + 0.5) / (df + 0.5));
}

static double bm25(double weight, double tf, double length, double mean, double k1, double b)
{
    return weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean));
}

/* Words of a..g: 2 4(like, oak, banana: 3) ...; heads: a speaker, a day and a year; of g alone a
 * speaker. */
#define A_LENGTH (2 + 3)
#define B_LENGTH (3 + 3)
#define C_LENGTH (3 + 3)
#define D_LENGTH (1 + 3)
#define G_LENGTH (1 + 1)
#define S1_LENGTH (A_LENGTH + B_LENGTH + C_LENGTH + 3 * D_LENGTH)
#define BODIES (2 + 3 + 3 + 1 + 1 + 1 + 1)

static void words_count_in_the_turn_its_windows_and_its_session(void **state)
{
    struct world *w = *state;
    double weight = idf(7, 1), all = S1_LENGTH + G_LENGTH;

    ask(w, "cherry");
    is(w, "c", MN_SIGNAL_TURN, bm25(weight, 1, C_LENGTH, all / 7, 0.9, 0.4));
    is(w, "b", MN_SIGNAL_TURN, 0);
    /* windows of 3 hold 4 5 6 6 5 4 and 1 turns, of 6 all 6 and 1 */
    is(w, "f", MN_SIGNAL_AROUND_3,
       bm25(weight, 1, C_LENGTH + 3 * D_LENGTH, all / 7 * 31 / 7, 0.9, 0.4));
    is(w, "a", MN_SIGNAL_AROUND_3,
       bm25(weight, 1, A_LENGTH + B_LENGTH + C_LENGTH + D_LENGTH, all / 7 * 31 / 7, 0.9, 0.4));
    is(w, "g", MN_SIGNAL_AROUND_3, 0);
    is(w, "a", MN_SIGNAL_SESSION, bm25(weight, 1, S1_LENGTH, all / 2, 1.2, 0.75));
    is(w, "g", MN_SIGNAL_SESSION, 0);
    is(w, "f", MN_SIGNAL_BODY_6,
       bm25(weight, 1, BODIES - 1, (double)BODIES / 7 * 37 / 7, 0.9, 0.4));
}

static void the_head_is_no_body_and_names_are_no_words(void **state)
{
    struct world *w = *state;

    ask(w, "cherry of Ann in 2023");
    assert_true((double)signal(w, "d", MN_SIGNAL_TURN) > 0);              /* its year */
    is(w, "d", MN_SIGNAL_COVERED_1, idf(7, 1) / (idf(7, 1) + idf(7, 6))); /* c stands beside it */
    is(w, "f", MN_SIGNAL_COVERED_1, 0);
    is(w, "f", MN_SIGNAL_BODY_6,
       bm25(idf(7, 1), 1, BODIES - 1, (double)BODIES / 7 * 37 / 7, 0.9, 0.4));
    ask(w, "Ann"); /* no other word is left */
    is(w, "b", MN_SIGNAL_COVERED_1, 1);
    is(w, "g", MN_SIGNAL_COVERED_1, 0);
}

static void pairs_follow_each_other_closely_also_into_the_next_turn(void **state)
{
    struct world *w = *state;

    ask(w, "apple tree");
    is(w, "a", MN_SIGNAL_PAIRS_1, idf(7, 1));
    is(w, "b", MN_SIGNAL_PAIRS_1, idf(7, 1));
    is(w, "c", MN_SIGNAL_PAIRS_1, 0);
    ask(w, "tree apple");
    is(w, "a", MN_SIGNAL_PAIRS_1, 0);
    ask(w, "tree banana"); /* of two turns */
    is(w, "a", MN_SIGNAL_PAIRS_1, idf(7, 1));
    is(w, "c", MN_SIGNAL_PAIRS_1, 0); /* a is two away */
}

static void an_answer_is_found_by_its_question(void **state)
{
    struct world *w = *state;

    ask(w, "apple");
    is(w, "b", MN_SIGNAL_AFTER_QUESTION, 1);
    is(w, "b", MN_SIGNAL_ANSWERS, bm25(idf(7, 1), 1, 2, (double)BODIES / 7, 0.9, 0.4));
    is(w, "c", MN_SIGNAL_AFTER_QUESTION, 0);
    is(w, "g", MN_SIGNAL_AFTER_QUESTION, 0);
    ask(w, "banana");
    is(w, "b", MN_SIGNAL_ANSWERS, 0);
}

static void the_one_speaker_named_is_told(void **state)
{
    struct world *w = *state;

    ask(w, "what of Ann");
    is(w, "a", MN_SIGNAL_SPEAKER, 1);
    is(w, "b", MN_SIGNAL_SPEAKER, 0);
    ask(w, "what of Anna"); /* nearly */
    is(w, "a", MN_SIGNAL_SPEAKER, 1);
    ask(w, "Ann and Bob");
    is(w, "a", MN_SIGNAL_SPEAKER, 0);
    ask(w, "nobody");
    is(w, "a", MN_SIGNAL_SPEAKER, 0);
}

static void a_speaker_is_named_by_an_alias(void **state)
{
    struct world *w = *state;
    const char *const names[] = { "bob", "shorty" };
    struct mn_access access = { .tenant = "t", .user = "ann", .agent = "", .session = "",
                                .task = "", .project = "", .repository = "",
                                .clearance = MNEME_INTERNAL, .at_ms = MAY_8 };
    struct mn_inquiry inquiry = mn_inquiry_read("what of shorty");
    struct mn_terms terms = { 0 };
    struct mn_query query = { .access = &access,
                              .terms = &terms,
                              .language = MN_LANGUAGE_EN,
                              .inquiry = &inquiry };

    assert_int_equal(mn_text_query_terms(w->arena, "what of shorty", 14, &terms, NULL), MNEME_OK);
    assert_int_equal(mn_synonyms_group(w->arena, "what of shorty", names, 2, &terms, NULL),
                     MNEME_OK);
    assert_int_equal(w->search->ops->context(w->search, &query, ALL, 7, w->arena, &w->contexts,
                                             NULL),
                     MNEME_OK);
    is(w, "b", MN_SIGNAL_SPEAKER, 1);
    is(w, "a", MN_SIGNAL_SPEAKER, 0);
}

static void a_turn_tells_of_itself(void **state)
{
    struct world *w = *state;

    ask(w, "nothing");
    is(w, "a", MN_SIGNAL_LETTERS, log(1 + 11));
    is(w, "g", MN_SIGNAL_INFORMATION, 2 * idf(7, 1));
    is(w, "d", MN_SIGNAL_INFORMATION, idf(7, 1) + idf(7, 3) + 2 * idf(7, 6));
    is(w, "a", MN_SIGNAL_ASKS, 1);
    is(w, "a", MN_SIGNAL_ENDS_ASKING, 1);
    is(w, "b", MN_SIGNAL_ASKS, 0);
    is(w, "b", MN_SIGNAL_SELF, 1);
    is(w, "a", MN_SIGNAL_SELF, 0);
    is(w, "b", MN_SIGNAL_NAMES, 1.0 / 3);
    is(w, "a", MN_SIGNAL_EDGE, 1);
    is(w, "b", MN_SIGNAL_EDGE, 0);
    is(w, "f", MN_SIGNAL_EDGE, 1);
    is(w, "g", MN_SIGNAL_EDGE, 2);
}

static void times_and_numbers_count_when_they_are_asked_for(void **state)
{
    struct world *w = *state;

    ask(w, "when");
    is(w, "c", MN_SIGNAL_WHEN_RELATIVE, 1);
    is(w, "c", MN_SIGNAL_WHEN_TIME, 1);
    is(w, "c", MN_SIGNAL_MANY_NUMBER, 0);
    is(w, "b", MN_SIGNAL_WHEN_TIME, 0);
    ask(w, "how many");
    is(w, "c", MN_SIGNAL_WHEN_TIME, 0);
    is(w, "c", MN_SIGNAL_MANY_NUMBER, 1);
    ask(w, "on 9 May");
    is(w, "a", MN_SIGNAL_DATE, 1);
    is(w, "g", MN_SIGNAL_DATE, 0); /* it has none */
}

static void vectors_are_smoothed_over_neighbours_and_sessions(void **state)
{
    static const float right[DIM] = { 1, 0 };
    struct world *w = *state;
    double half = sqrt(0.5);

    ask_at(w, "", MAY_8 + DAY_MS, right, ALL, 7);
    assert_true(w->contexts.item[0].has_vector);
    assert_false(w->contexts.item[3].has_vector); /* d has no direction */
    is(w, "a", MN_SIGNAL_VECTOR, 1);
    is(w, "c", MN_SIGNAL_VECTOR, half);
    is(w, "e", MN_SIGNAL_VECTOR, -1);
    is(w, "d", MN_SIGNAL_VECTOR, 0);
    assert_float_equal(signal(w, "a", MN_SIGNAL_VECTOR_SMOOTH), 1 + 0.25 * half, 2e-2);
    assert_float_equal(signal(w, "c", MN_SIGNAL_VECTOR_SMOOTH), half + 0.25 - 0.25, 2e-2);
    assert_float_equal(signal(w, "d", MN_SIGNAL_VECTOR_SMOOTH), 0.5 * half - 0.5, 2e-2);
    assert_float_equal(signal(w, "f", MN_SIGNAL_VECTOR_SESSION), (1 + half) / 3, 2e-2);
    is(w, "g", MN_SIGNAL_VECTOR_SESSION, 1);
    ask(w, "apple");
    is(w, "a", MN_SIGNAL_VECTOR, 0);
    assert_false(w->contexts.item[0].has_vector);
}

static void chinese_turns_are_read_alike(void **state)
{
    static const char *const ids[] = { "甲", "乙" };
    static const char *const text[] = { "你喜欢苹果吗？", "我昨天买了三个香蕉" };
    struct world *w = *state;
    struct mn_unit units[2];

    for (size_t i = 0; i < 2; i++) {
        units[i] = (struct mn_unit){ .id = ids[i],
                                     .parent_id = ids[i],
                                     .memory = MNEME_MEMORY_INIT,
                                     .confidence = 1,
                                     .is_event = true,
                                     .session_id = "s9",
                                     .order = (int64_t)i,
                                     .speaker = i ? "小明" : "李雷" };
        units[i].memory.tenant_id = "t";
        units[i].memory.user_id = "ann";
        units[i].memory.scope_kind = MNEME_SCOPE_GLOBAL;
        units[i].memory.type = "event";
        units[i].memory.content = text[i];
        units[i].memory.event_time_ms = MAY_8;
        units[i].memory.created_at_ms = 1;
    }
    assert_int_equal(w->search->ops->apply(w->search, (struct mn_partition){ "t", "ann" }, false,
                                           units, 2, NULL, 0, "2", NULL),
                     MNEME_OK);
    ask_at(w, "小明什么时候买了苹果，有多少？5月8日？", MAY_8 + DAY_MS, NULL, ids, 2);
    assert_int_equal(w->contexts.count, 2);
    is(w, "乙", MN_SIGNAL_SPEAKER, 1);
    is(w, "甲", MN_SIGNAL_SPEAKER, 0);
    is(w, "乙", MN_SIGNAL_SELF, 1);
    is(w, "乙", MN_SIGNAL_WHEN_RELATIVE, 1);
    is(w, "乙", MN_SIGNAL_AFTER_QUESTION, 1);
    is(w, "甲", MN_SIGNAL_ENDS_ASKING, 1);
    is(w, "乙", MN_SIGNAL_DATE, 1);
    assert_true((double)signal(w, "乙", MN_SIGNAL_ANSWERS) > 0); /* 苹果 */
    assert_true((double)signal(w, "乙", MN_SIGNAL_AROUND_3) > 0);
    is(w, "乙", MN_SIGNAL_LETTERS, log(1 + 9));
}

static void only_turns_that_are_there_have_a_context(void **state)
{
    static const char *const ids[] = { "none", "c", "gone" };
    struct world *w = *state;
    struct mn_unit fact = { .id = "gone", .parent_id = "gone", .memory = MNEME_MEMORY_INIT };

    fact.memory.tenant_id = "t";
    fact.memory.user_id = "ann";
    fact.memory.scope_kind = MNEME_SCOPE_GLOBAL;
    fact.memory.type = "fact";
    fact.memory.content = "cherry";
    fact.memory.created_at_ms = 1;
    fact.memory.confidence = fact.confidence = 1;
    assert_int_equal(w->search->ops->apply(w->search, (struct mn_partition){ "t", "ann" }, false,
                                           &fact, 1, NULL, 0, "2", NULL),
                     MNEME_OK);
    ask_at(w, "cherry", MAY_8 + DAY_MS, NULL, ids, 3);
    assert_int_equal(w->contexts.count, 1);
    assert_ptr_equal(w->contexts.item[0].id, ids[1]);
}

static void more_words_than_are_looked_at_are_no_error(void **state)
{
    struct world *w = *state;
    char text[2048] = "apple tree oak banana cherry damson elder fig grape yesterday two like";

    for (int i = 0; i < 60; i++)
        strcat(text, i % 2 ? " applf" : " 2023 8");
    ask(w, text);
    assert_true((double)signal(w, "a", MN_SIGNAL_TURN) > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(words_count_in_the_turn_its_windows_and_its_session),
        TEST(the_head_is_no_body_and_names_are_no_words),
        TEST(pairs_follow_each_other_closely_also_into_the_next_turn),
        TEST(an_answer_is_found_by_its_question),
        TEST(the_one_speaker_named_is_told),
        TEST(a_speaker_is_named_by_an_alias),
        TEST(a_turn_tells_of_itself),
        TEST(times_and_numbers_count_when_they_are_asked_for),
        TEST(vectors_are_smoothed_over_neighbours_and_sessions),
        TEST(chinese_turns_are_read_alike),
        TEST(only_turns_that_are_there_have_a_context),
        TEST(more_words_than_are_looked_at_are_no_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
