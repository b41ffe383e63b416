/*
 * test_budget.c - stage 9: what goes in, in which order, and that the tokens hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <mneme/error.h>

#include "fakes/candidates.h"
#include "retrieve/stages.h"
#include "text/tokens.h"

#define NEAR(value, expected) assert_float_equal((float)(value), (float)(expected), 0.00001f)
#define ROWS 12

/* Facts that differ, best first, all close to the request. */
struct setting {
    struct mneme_request request;
    struct mn_access access;
    struct mn_plan plan;
    struct mn_model_profile profile;
    struct mn_similarity similarity;
    float cosine[ROWS * ROWS];
    struct mn_tokens *tokens;
    struct mn_trace trace;
    struct mn_arena *arena;
    struct mneme_memory memory[ROWS];
    struct mn_candidate item[ROWS];
    struct mn_candidates found;
    struct mn_selection selection;
};

static int set_up(void **state)
{
    static const char *const id[ROWS] = { "m-00", "m-01", "m-02", "m-03", "m-04", "m-05",
                                          "m-06", "m-07", "m-08", "m-09", "m-10", "m-11" };
    static const char *const type[ROWS] = { "fact", "previous_decision", "event", "skill" };
    static struct setting s;

    s = (struct setting){
        .request = MNEME_REQUEST_INIT,
        .access = { .tenant = "t",
                    .user = "ann",
                    .agent = "",
                    .session = "",
                    .task = "job",
                    .project = "",
                    .repository = "",
                    .clearance = MNEME_INTERNAL,
                    .at_ms = NOW_MS },
        .plan = { .folded = "",
                  .search_text = "",
                  .language = MN_LANGUAGE_EN,
                  .zone = "",
                  .intent = "",
                  .depth = 30,
                  .asked = mn_types_of_mode(MNEME_MODE_HYBRID) },
        .profile = { .floor_question = 0.25f, .floor_statement = 0.15f, .floor_text_only = 0.2f },
        .arena = mn_arena_new(1 << 28),
    };
    assert_int_equal(mn_tokens_new("o200k", &s.tokens, NULL), MNEME_OK);
    s.trace.arena = s.arena;
    s.similarity = (struct mn_similarity){ ROWS, s.cosine };
    for (size_t i = 0; i < ROWS; i++) {
        s.memory[i] = a_memory(id[i], type[i % 4], "The harbour keeps its lights on at night.");
        s.item[i] = a_candidate(&s.memory[i]);
        s.item[i].text = 0.5;
        s.item[i].parts.final = 0.9 - 0.05 * (double)i;
        s.item[i].parts.relevance = 0.5;
        s.item[i].similarity_at = i;
    }
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;

    mn_tokens_free(s->tokens);
    mn_arena_free(s->arena);
    return 0;
}

static void choose(struct setting *s, size_t count)
{
    struct mn_candidate *item = mn_arena_array(s->arena, struct mn_candidate, ROWS);

    memcpy(item, s->item, count * sizeof *item);
    s->found = (struct mn_candidates){ item, count, ROWS };
    s->trace = (struct mn_trace){ .arena = s->arena };
    assert_int_equal(mn_budget_choose(&s->request, &s->access, &s->plan, &s->profile,
                                      &s->similarity, s->tokens, s->arena, &s->found, &s->selection,
                                      &s->trace, NULL),
                     MNEME_OK);
    if (s->request.without_limits)
        return;
    assert_int_equal(s->selection.tokens_used,
                     mn_tokens_count(s->tokens, s->selection.xml, strlen(s->selection.xml)));
    assert_int_equal(s->selection.count + s->trace.rejections.count, count);
}

static const struct mn_candidate *chosen(const struct setting *s, const char *id)
{
    for (size_t i = 0; i < s->selection.count; i++)
        if (strcmp(s->selection.item[i].memory->id, id) == 0)
            return &s->selection.item[i];
    return NULL;
}

static void assert_order(const struct setting *s, const char *ids)
{
    char have[256] = "";

    for (size_t i = 0; i < s->selection.count; i++) {
        strcat(have, i ? " " : "");
        strcat(have, s->selection.item[i].memory->id);
    }
    assert_string_equal(have, ids);
}

static const char *long_text(struct setting *s, size_t sentences)
{
    char *text = mn_arena_alloc(s->arena, sentences * 64 + 1);

    for (size_t i = 0; i < sentences; i++)
        sprintf(text + strlen(text), "Step %zu: check the pump and write down what it says. ", i);
    return text;
}

/* One that cannot be cut: it has no passages. */
static const char *long_word(struct setting *s, size_t bytes)
{
    char *text = mn_arena_alloc(s->arena, bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        text[i] = (char)('a' + i * i % 26);
    text[bytes] = '\0';
    return text;
}

/* ---- caps ---- */

static void six_go_in_and_the_rest_has_no_room(void **state)
{
    struct setting *s = *state;

    s->request.tokens_max = 10000;
    s->request.per_type_max = 12;
    choose(s, 7);
    assert_order(s, "m-00 m-01 m-02 m-03 m-04 m-05");
    assert_int_equal(s->trace.reason_count[MN_REASON_BUDGET], 1);
    s->request.items_max = 1;
    choose(s, 7);
    assert_order(s, "m-00");
    assert_string_equal(s->selection.item[0].section_name, "facts");
    assert_non_null(s->selection.item[0].why);
}

static void three_of_a_type_go_in_and_the_fourth_is_capped(void **state)
{
    struct setting *s = *state;

    s->request.tokens_max = 10000;
    for (size_t i = 0; i < 4; i++)
        s->memory[i].type = "fact";
    s->memory[4].type = s->memory[5].type = "fictional"; /* those of no known type are one type */
    s->memory[6].type = "also fictional";
    s->request.per_type_max = 0;
    choose(s, 7);
    assert_order(s, "m-00 m-01 m-02 m-04 m-05 m-06");
    assert_int_equal(s->trace.reason_count[MN_REASON_TYPE_CAP], 1);
    s->request.per_type_max = 1;
    choose(s, 7);
    assert_order(s, "m-00 m-04");
    assert_int_equal(s->trace.reason_count[MN_REASON_TYPE_CAP], 5);
}

static void what_does_not_pass_the_floor_leaves_and_nothing_is_a_result(void **state)
{
    struct setting *s = *state;

    s->item[0].text = 0.1;
    choose(s, 1);
    assert_int_equal(s->selection.count, 0);
    assert_string_equal(s->selection.xml, "");
    assert_int_equal(s->selection.tokens_used, 0);
    assert_false(s->selection.budget_exceeded);
    assert_int_equal(s->trace.reason_count[MN_REASON_FLOOR], 1);
    choose(s, 0);
    assert_string_equal(s->selection.xml, "");
}

/* ---- choosing ---- */

static void what_repeats_a_chosen_one_comes_after_what_does_not(void **state)
{
    struct setting *s = *state;

    s->request.items_max = 2;
    s->cosine[0 * ROWS + 1] = s->cosine[1 * ROWS + 0] = 0.9f;
    choose(s, 3);
    assert_order(s, "m-00 m-02"); /* 0.7 * 0.80 against 0.7 * 0.85 - 0.3 * 0.9 */
    s->cosine[0 * ROWS + 1] = s->cosine[1 * ROWS + 0] = 0.1f;
    choose(s, 3);
    assert_order(s, "m-00 m-01"); /* 0.595 - 0.03 against 0.56 */
    NEAR(chosen(s, "m-01")->parts.redundancy, 0.03);
    NEAR(chosen(s, "m-01")->parts.final, 0.85);
    NEAR(chosen(s, "m-00")->parts.redundancy, 0);
}

static void without_vectors_looks_tell_what_repeats(void **state)
{
    struct setting *s = *state;

    s->similarity.count = 0;
    s->request.items_max = 2;
    s->memory[2].content = "Crew lists go to the purser by noon.";
    choose(s, 3);
    assert_order(s, "m-00 m-02");
}

static void importance_breaks_ties(void **state)
{
    struct setting *s = *state;

    s->request.items_max = 1;
    s->item[1].parts.final = s->item[0].parts.final;
    s->memory[1].importance = 0.6;
    choose(s, 2);
    assert_order(s, "m-01");
}

static void an_open_role_gets_a_start_but_not_at_any_price(void **state)
{
    struct setting *s = *state;

    s->request.items_max = 1;
    s->memory[1].type = "incident";
    s->item[1].parts.final = s->item[0].parts.final - 0.07;
    choose(s, 2);
    assert_order(s, "m-01"); /* 0.05 / 0.7 = 0.0714 */
    s->item[1].parts.final = s->item[0].parts.final - 0.072;
    choose(s, 2);
    assert_order(s, "m-00");
    s->item[1].parts.final = s->item[0].parts.final - 0.07;
    s->item[1].parts.relevance = 0.12; /* under a quarter of the best */
    choose(s, 2);
    assert_order(s, "m-00");
    s->memory[1].type = "user_preference"; /* an inferred one fills no role */
    s->item[1].parts.relevance = 0.5;
    s->memory[1].authority = MNEME_MODEL_INFERENCE;
    choose(s, 2);
    assert_order(s, "m-00");
    s->memory[1].authority = MNEME_EXPLICIT_USER;
    choose(s, 2);
    assert_order(s, "m-01");
}

static void one_filled_role_is_no_longer_open(void **state)
{
    struct setting *s = *state;

    s->request.items_max = 2;
    s->memory[0].type = s->memory[1].type = "incident";
    s->item[2].parts.final = s->item[1].parts.final + 0.01;
    choose(s, 3);
    assert_order(s, "m-00 m-02");
}

/* ---- forced ---- */

static void forced_ones_come_first_by_priority_and_count(void **state)
{
    struct setting *s = *state;

    s->request.tokens_max = 10000;
    s->request.items_max = 3;
    s->request.per_type_max = 1;
    s->memory[5].type = s->memory[6].type = "fact";
    s->item[5].forced = s->item[6].forced = true;
    s->item[6].rule_priority = 10;
    s->item[5].text = s->item[6].text = 0;
    choose(s, 7);
    assert_order(s, "m-06 m-05 m-01"); /* the cap of facts is used up twice over */
    s->request.items_max = 1;
    choose(s, 7);
    assert_order(s, "m-06 m-05");
}

static void forced_ones_that_alone_exceed_the_tokens_go_in_alone_and_whole(void **state)
{
    struct setting *s = *state;

    s->request.tokens_max = 200;
    s->memory[0].content = long_text(s, 30);
    s->memory[0].summary = "Check the pump.";
    s->item[0].forced = true;
    choose(s, 2);
    assert_order(s, "m-00");
    assert_true(s->selection.budget_exceeded);
    assert_true(s->selection.tokens_used > 200);
    assert_false(s->selection.item[0].shortened);
    assert_int_equal(s->trace.reason_count[MN_REASON_BUDGET], 1);
    s->request.tokens_max = s->selection.tokens_used;
    choose(s, 2);
    assert_false(s->selection.budget_exceeded);
    s->request.tokens_max--;
    choose(s, 2);
    assert_true(s->selection.budget_exceeded);
}

/* ---- tokens ---- */

static void a_block_that_just_fits_goes_in_and_one_token_less_does_not(void **state)
{
    struct setting *s = *state;
    size_t whole = 0;

    s->request.tokens_max = 10000;
    choose(s, 6);
    whole = s->selection.tokens_used;
    assert_int_equal(s->selection.count, 6);
    s->request.tokens_max = whole;
    choose(s, 6);
    assert_int_equal(s->selection.count, 6);
    assert_int_equal(s->selection.tokens_used, whole);
    s->request.tokens_max = whole - 1;
    choose(s, 6);
    assert_int_equal(s->selection.count, 5);
    assert_true(s->selection.tokens_used < whole);
}

static void the_tokens_hold_for_every_budget_in_english_and_chinese(void **state)
{
    static const char *const text[] = {
        "支付网关超时的处理：先查熔断开关，再把回调切到备用线路。<确认> & 记录",
        "A\n\nB\r\n<tag> \"q\"",
        "max_retry_count is 5; a value above 8 trips the breaker.",
        "🚢🚢🚢 ﷽ ｆｕｌｌ",
    };
    static const char *const type[] = { "fact",  "incident", "user_preference",
                                        "skill", "event",    "project_constraint" };
    struct setting *s = *state;

    s->request.items_max = ROWS;
    s->plan.own_ways = true;
    for (size_t i = 0; i < ROWS; i++) {
        s->memory[i].type = type[i % 6];
        s->memory[i].content = text[i % 4];
        s->memory[i].summary = i % 3 ? "" : "Short.";
        s->memory[i].importance = 0.1 * (double)(i % 5);
    }
    for (size_t tokens = 1; tokens < 1000; tokens++) {
        s->request.tokens_max = tokens;
        choose(s, ROWS);
        assert_true(s->selection.tokens_used <= tokens);
        assert_false(s->selection.budget_exceeded);
    }
    assert_int_equal(s->selection.count, ROWS);
}

static void what_is_too_long_goes_in_as_its_summary_or_not_at_all(void **state)
{
    struct setting *s = *state;

    s->request.tokens_max = 350;
    s->memory[0].content = long_text(s, 100);
    s->memory[0].summary = "Check the pump at every step.";
    choose(s, 2);
    assert_order(s, "m-00 m-01");
    assert_true(chosen(s, "m-00")->shortened);
    assert_false(chosen(s, "m-01")->shortened);
    assert_non_null(strstr(s->selection.xml, "at every step"));
    assert_null(strstr(s->selection.xml, "Step 3"));
    s->memory[0].summary = "";
    s->memory[0].content = long_word(s, 1200);
    choose(s, 2);
    assert_order(s, "m-01"); /* a smaller one further down still fits */
    assert_int_equal(s->trace.reason_count[MN_REASON_BUDGET], 1);
}

/* The best passage is sure of its place; those beside it come for what is left, the next one first. */
static void a_long_text_goes_in_by_passages_while_there_is_room(void **state)
{
    struct setting *s = *state;
    size_t before = 0;

    s->memory[0].content = long_text(s, 100);
    s->item[0].passage = 3;
    for (size_t tokens = 500; tokens < 2500; tokens += 50) {
        s->request.tokens_max = tokens;
        choose(s, 1);
        if (!s->selection.count)
            continue;
        const struct mn_candidate *c = chosen(s, "m-00");

        assert_false(c->shortened);
        assert_true(s->selection.tokens_used <= tokens && s->selection.tokens_used >= before);
        before = s->selection.tokens_used;
        if (!c->excerpt)
            continue;
        assert_true(c->excerpt_first <= 3 && c->excerpt_last >= 3);
        assert_true(c->excerpt_first == 3 || c->excerpt_last == 6); /* before it: the end is there */
        assert_int_equal(strncmp(c->excerpt, "… ", strlen("… ")) == 0, c->excerpt_first > 1);
        assert_non_null(strstr(s->selection.xml, c->excerpt));
    }
    assert_int_equal(s->selection.count, 1);
    assert_null(chosen(s, "m-00")->excerpt); /* all of it has room at last */
    assert_non_null(strstr(s->selection.xml, s->memory[0].content));
}

static void the_less_important_makes_room_by_its_summary(void **state)
{
    struct setting *s = *state;

    s->request.tokens_max = 500;
    s->memory[0].content = s->memory[1].content = long_text(s, 22);
    s->memory[0].summary = s->memory[1].summary = "Check the pump at every step.";
    s->memory[1].importance = 0.9;
    choose(s, 2);
    assert_true(chosen(s, "m-00")->shortened);
    assert_false(chosen(s, "m-01")->shortened);
    s->memory[1].importance = 0.5;
    choose(s, 2);
    assert_false(chosen(s, "m-00")->shortened);
    assert_true(chosen(s, "m-01")->shortened);
    s->memory[1].importance =
        0.9; /* shortening would not be enough: nothing is shortened in vain */
    s->memory[1].content = long_word(s, 1200);
    s->memory[1].summary = "";
    choose(s, 2);
    assert_order(s, "m-00");
    assert_false(chosen(s, "m-00")->shortened);
}

/* ---- evidence ---- */

static void evidence_takes_what_is_left(void **state)
{
    static const char *const piece[] = { "The manual says: lights on.", "Page 2 says so too.",
                                         "Page 3 is about pumps." };
    struct setting *s = *state;
    size_t with_two = 0;

    s->request.evidence = (struct mneme_list){ piece, 3 };
    choose(s, 1);
    assert_int_equal(s->selection.evidence.count, 3);
    assert_non_null(strstr(s->selection.xml, "about pumps"));
    s->request.evidence.count = 2;
    choose(s, 1);
    with_two = s->selection.tokens_used;
    s->request.evidence.count = 3;
    s->request.tokens_max = with_two;
    choose(s, 1);
    assert_int_equal(s->selection.count, 1);
    assert_int_equal(s->selection.evidence.count, 2);
    assert_int_equal(s->selection.tokens_used, with_two);
    assert_int_equal(s->trace.notes.count, 1);
    s->request.tokens_max = with_two - 1;
    choose(s, 1);
    assert_int_equal(s->selection.evidence.count, 1);
    s->request.tokens_max = 0;
    choose(s, 0); /* evidence alone makes a block */
    assert_int_equal(s->selection.evidence.count, 3);
    assert_non_null(strstr(s->selection.xml, "lights on"));
}

/* ---- the rest ---- */

static void without_limits_everything_goes_in_and_no_block_is_built(void **state)
{
    struct setting *s = *state;

    s->request.without_limits = 1;
    s->request.items_max = 1;
    s->request.tokens_max = 1;
    s->item[3].text = 0;
    choose(s, ROWS);
    assert_int_equal(s->selection.count, ROWS);
    assert_string_equal(s->selection.item[ROWS - 1].memory->id, "m-11");
    assert_string_equal(s->selection.xml, "");
    assert_int_equal(s->selection.tokens_used, 0);
    assert_int_equal(s->trace.rejections.count, 0);
    assert_string_equal(s->selection.item[3].why, "comes in because limits are off");
}

static void no_memory_is_a_status(void **state)
{
    struct setting *s = *state;
    struct mn_selection untouched = { .count = 99 };

    for (size_t bytes = 0; bytes < 1 << 20; bytes += 512) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);
        struct mn_candidate item[] = { s->item[0], s->item[1] };
        struct mn_candidates found = { item, 2, 2 };
        struct mn_trace counts = { 0 };

        if (mn_budget_choose(&s->request, &s->access, &s->plan, &s->profile, &s->similarity,
                             s->tokens, arena, &found, &untouched, &counts, NULL) == MNEME_OK) {
            assert_true(bytes > 0);
            assert_int_equal(untouched.count, 2);
            return;
        }
        assert_int_equal(untouched.count, 99);
    }
    fail();
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(six_go_in_and_the_rest_has_no_room),
        TEST(three_of_a_type_go_in_and_the_fourth_is_capped),
        TEST(what_does_not_pass_the_floor_leaves_and_nothing_is_a_result),
        TEST(what_repeats_a_chosen_one_comes_after_what_does_not),
        TEST(without_vectors_looks_tell_what_repeats),
        TEST(importance_breaks_ties),
        TEST(an_open_role_gets_a_start_but_not_at_any_price),
        TEST(one_filled_role_is_no_longer_open),
        TEST(forced_ones_come_first_by_priority_and_count),
        TEST(forced_ones_that_alone_exceed_the_tokens_go_in_alone_and_whole),
        TEST(a_block_that_just_fits_goes_in_and_one_token_less_does_not),
        TEST(the_tokens_hold_for_every_budget_in_english_and_chinese),
        TEST(what_is_too_long_goes_in_as_its_summary_or_not_at_all),
        TEST(a_long_text_goes_in_by_passages_while_there_is_room),
        TEST(the_less_important_makes_room_by_its_summary),
        TEST(evidence_takes_what_is_left),
        TEST(without_limits_everything_goes_in_and_no_block_is_built),
        TEST(no_memory_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
