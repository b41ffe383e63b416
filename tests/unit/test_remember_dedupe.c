/*
 * test_remember_dedupe.c - a draft beside what is there, and two rows made one, from literals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "memory/record.h"
#include "remember/draft.h"

#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)

static struct mn_arena *arena;

static struct mneme_memory row(const char *id, const char *key, const char *value,
                               const char *content)
{
    struct mneme_memory m = MNEME_MEMORY_INIT, whole;
    struct mneme_error err;

    m.id = id;
    m.tenant_id = "t";
    m.user_id = "ann";
    m.type = "fact";
    m.memory_key = key;
    m.value = value;
    m.content = content;
    assert_int_equal(mn_memory_complete(&m, NOW - DAY, arena, &whole, &err), MNEME_OK);
    whole.revision = 1;
    return whole;
}

static struct mn_verdict decide(const struct mneme_memory *draft, const struct mneme_memory *there,
                                int64_t said_at_ms)
{
    struct mn_row *item = mn_arena_one(arena, struct mn_row);
    struct mn_rows rows = { item, 1, 1 };
    struct mn_verdict verdict = { 0 };
    struct mneme_error err;

    *item = (struct mn_row){ .memory = *there, .confidence = there->confidence };
    assert_int_equal(mn_dedupe(draft, &rows, NULL, said_at_ms, NOW, false, arena, &verdict, &err),
                     MNEME_OK);
    return verdict;
}

static void the_same_text_confirms_and_another_is_new(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "", "", "The harbour office closes at six.");
    struct mneme_memory same = row("b", "", "", "the harbour  office closes at SIX.");
    struct mneme_memory other = row("b", "", "", "The harbour office opens at seven.");

    assert_int_equal(decide(&same, &there, 0).act, MN_ACT_CONFIRM);
    assert_int_equal(decide(&other, &there, 0).act, MN_ACT_INSERT);
}

static void the_same_text_elsewhere_is_another_memory(void **state)
{
    (void)state;
    const struct mneme_memory there = row("a", "", "", "The office closes at six.");
    struct mneme_memory draft = row("b", "", "", "The office closes at six.");

    draft.user_id = "bob";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft = row("b", "", "", "The office closes at six.");
    draft.agent_id = "coder";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft = row("b", "", "", "The office closes at six.");
    draft.scope_kind = MNEME_SCOPE_PROJECT;
    draft.scope_id = "shop";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft = row("b", "", "", "The office closes at six.");
    draft.requires_permission = "payroll";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft = row("b", "", "", "The office closes at six.");
    draft.type = "incident";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
}

static void what_has_ended_is_not_confirmed(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "", "", "The office is closed.");
    struct mneme_memory draft = row("b", "", "", "The office is closed.");

    there.valid_until_ms = NOW;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    there.valid_until_ms = NOW + 1;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_CONFIRM);
}

static void one_key_and_one_value_is_one_memory(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "user.city", "Rome", "I live in Rome");
    struct mneme_memory draft = row("b", "user.city", "rome", "Rome has been my home since May");

    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_MERGE);
}

static void a_rewording_merges_and_a_changed_number_does_not(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "", "", "Backups are kept for 30 days");
    struct mneme_memory reworded = row("b", "", "", "The backups are kept for 30 days");
    struct mneme_memory changed = row("b", "", "", "Backups are kept for 180 days");

    assert_int_equal(decide(&reworded, &there, 0).act, MN_ACT_MERGE);
    assert_int_equal(decide(&changed, &there, 0).act, MN_ACT_INSERT);
    assert_int_equal(decide(&changed, &there, 0).ended_count, 0);
}

static void a_new_value_supersedes_by_tier_and_time(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "user.city", "Paris", "I live in Paris");
    struct mneme_memory draft = row("b", "user.city", "Rome", "I live in Rome");
    struct mn_verdict v = decide(&draft, &there, 0);

    assert_int_equal(v.act, MN_ACT_INSERT);
    assert_int_equal(v.ended_count, 1);
    assert_string_equal(v.ended[0]->memory.id, "a");
    assert_int_equal(v.rival_count, 0);

    v = decide(&draft, &there, there.updated_at_ms + 1);
    assert_int_equal(v.ended_count, 1);
    v = decide(&draft, &there, there.updated_at_ms - 1);
    assert_int_equal(v.act, MN_ACT_PAST);
    assert_int_equal(v.ended_count, 0);
    assert_int_equal(v.past_until_ms, there.updated_at_ms);
    v = decide(&draft, &there, there.updated_at_ms);
    assert_int_equal(v.act, MN_ACT_INSERT);
    assert_int_equal(v.rival_count, 1);
}

static void an_inference_never_replaces_a_statement(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "user.city", "Paris", "I live in Paris");
    struct mneme_memory draft = row("b", "user.city", "Rome", "The user lives in Rome");
    struct mn_verdict v;

    draft.authority = MNEME_MODEL_INFERENCE;
    draft.confidence = 0.9;
    v = decide(&draft, &there, 0);
    assert_int_equal(v.ended_count, 0);
    assert_int_equal(v.rival_count, 1);
    v = decide(&draft, &there, NOW);
    assert_int_equal(v.rival_count, 1);

    /* ... and a statement replaces an inference, even a dated one that is younger. */
    v = decide(&there, &draft, 0);
    assert_int_equal(v.ended_count, 1);
}

static void unsure_or_risky_equals_without_a_date_are_left_open(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "user.city", "Paris", "Perhaps in Paris");
    struct mneme_memory draft = row("b", "user.city", "Rome", "Perhaps in Rome");

    there.confidence = draft.confidence = 0.79;
    assert_int_equal(decide(&draft, &there, 0).rival_count, 1);
    draft.confidence = 0.80;
    assert_int_equal(decide(&draft, &there, 0).ended_count, 1);
    draft.risk = MNEME_RISK_HIGH;
    assert_int_equal(decide(&draft, &there, 0).rival_count, 1);
    assert_int_equal(decide(&draft, &there, NOW).ended_count, 1);
    draft.supersedes = "a";
    assert_int_equal(decide(&draft, &there, 0).ended_count, 1);
}

static void an_administrators_word_is_replaced_by_an_administrators(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "deploy.region", "eu", "Deploy to eu");
    struct mneme_memory draft = row("b", "deploy.region", "us", "Deploy to us");

    there.authority = MNEME_EXPLICIT_ADMIN;
    assert_int_equal(decide(&draft, &there, NOW).rival_count, 1);
    draft.supersedes = "a";
    assert_int_equal(decide(&draft, &there, NOW).rival_count, 1);
    draft.authority = MNEME_EXPLICIT_ADMIN;
    assert_int_equal(decide(&draft, &there, NOW).ended_count, 1);
}

/* ---- joining ---- */

static void evidence_counts_once_for_each_source(void **state)
{
    (void)state;
    static const char *const source[] = { "e1" };
    struct mneme_memory there = row("a", "", "", "Tea is hot");
    struct mneme_memory draft = row("b", "", "", "tea is hot");
    struct mneme_memory joined;
    struct mneme_error err;
    bool grew = true;

    there.confidence = 0.75;
    assert_int_equal(mn_join(&there, &draft, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_false(grew);
    draft.provenance = (struct mneme_list){ source, 1 };
    assert_int_equal(mn_join(&there, &draft, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_true(grew);
    assert_float_equal(joined.confidence, 0.85, 1e-9);
    assert_int_equal(joined.confirmed_at_ms, NOW);
    assert_string_equal(joined.content, "Tea is hot");
    assert_int_equal(joined.updated_at_ms, there.updated_at_ms);
    assert_int_equal(mn_join(&joined, &draft, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_false(grew);
    joined.confidence = 0.95;
    joined.provenance.count = 0;
    assert_int_equal(mn_join(&joined, &draft, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_float_equal(joined.confidence, 1.0, 1e-9);
}

static void a_merged_row_says_what_both_say(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "user.city", "Rome", "I live in Rome");
    struct mneme_memory draft = row("b", "user.city", "Rome", "Rome has been my home since May");
    struct mneme_memory joined, again;
    struct mneme_error err;
    bool grew = false;

    draft.importance = 0.9;
    assert_int_equal(mn_join(&there, &draft, MN_ACT_MERGE, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_true(grew);
    assert_string_equal(joined.id, "a");
    assert_string_equal(joined.content, "I live in Rome Rome has been my home since May");
    assert_int_equal(joined.provenance.count, 1);
    assert_int_equal(strncmp(joined.provenance.item[0], "merged:", 7), 0);
    assert_string_equal(joined.provenance.item[0] + 7, draft.content_hash);
    assert_float_equal(joined.importance, 0.9, 1e-9);
    assert_int_equal(joined.updated_at_ms, NOW);
    assert_int_equal(mn_join(&joined, &draft, MN_ACT_MERGE, NOW, arena, &again, &grew, &err),
                     MNEME_OK);
    assert_false(grew);
}

static void an_inference_that_is_repeated_stays_one(void **state)
{
    (void)state;
    static const char *const source[] = { "e1" };
    struct mneme_memory there = row("a", "", "", "Tea is hot");
    struct mneme_memory draft = row("b", "", "", "Tea is hot");
    struct mneme_memory joined;
    struct mneme_error err;
    bool grew = false;

    there.authority = draft.authority = MNEME_MODEL_INFERENCE;
    there.confidence = draft.confidence = 0.85;
    draft.provenance = (struct mneme_list){ source, 1 };
    assert_int_equal(mn_join(&there, &draft, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_float_equal(joined.confidence, 0.9, 1e-9);
    assert_int_equal(joined.confirmed_at_ms, 0);
    draft.authority = MNEME_EXPLICIT_USER;
    draft.confidence = 0.95;
    assert_int_equal(mn_join(&there, &draft, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_int_equal(joined.authority, MNEME_EXPLICIT_USER);
    assert_int_equal(joined.confirmed_at_ms, NOW);
}

static int set_up(void **state)
{
    (void)state;
    arena = mn_arena_new(8 << 20);
    return arena ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mn_arena_free(arena);
    return 0;
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_same_text_confirms_and_another_is_new),
        CASE(the_same_text_elsewhere_is_another_memory),
        CASE(what_has_ended_is_not_confirmed),
        CASE(one_key_and_one_value_is_one_memory),
        CASE(a_rewording_merges_and_a_changed_number_does_not),
        CASE(a_new_value_supersedes_by_tier_and_time),
        CASE(an_inference_never_replaces_a_statement),
        CASE(unsure_or_risky_equals_without_a_date_are_left_open),
        CASE(an_administrators_word_is_replaced_by_an_administrators),
        CASE(evidence_counts_once_for_each_source),
        CASE(a_merged_row_says_what_both_say),
        CASE(an_inference_that_is_repeated_stays_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
