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
static const struct mneme_memory plain = MNEME_MEMORY_INIT; /* nothing but the text was given */

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
    assert_int_equal(mn_dedupe(draft, &rows, NULL, NULL, said_at_ms, NOW, false, arena, &verdict,
                               &err),
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
    draft.applies_to = (struct mneme_pairs){ &(struct mneme_pair){ "os", "ios" }, 1 };
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

static void what_is_planned_is_no_rival_but_an_end(void **state)
{
    (void)state;
    const int64_t moment = 60000; /* what is dated no later than that was meant for now */
    struct mneme_memory there = row("a", "city", "Rome", "I live in Rome.");
    struct mneme_memory draft = row("b", "city", "Oslo", "I live in Oslo.");

    there.created_at_ms = NOW - DAY;
    there.valid_from_ms = NOW + moment + 1;
    assert_int_equal(decide(&draft, &there, 0).planned_ms, NOW + moment + 1);
    assert_int_equal(decide(&draft, &there, 0).ended_count, 0);
    assert_int_equal(decide(&draft, &there, 0).rival_count, 0);
    draft.valid_from_ms = there.valid_from_ms;
    assert_int_equal(decide(&draft, &there, draft.valid_from_ms + 1).ended_count, 1);
    draft.valid_from_ms = 0;
    draft.supersedes = "a";
    assert_int_equal(decide(&draft, &there, 0).ended_count, 1);
    draft.supersedes = "";
    there.valid_from_ms = NOW + moment;
    assert_int_equal(decide(&draft, &there, 0).planned_ms, 0);
    assert_int_equal(decide(&draft, &there, 0).ended_count, 1);

    /* Of a draft with an older clock the row is no plan either: it began as it was written. */
    there.valid_from_ms = NOW + DAY;
    there.created_at_ms = NOW + DAY - moment;
    assert_int_equal(decide(&draft, &there, 0).ended_count, 1);
}

static void what_only_its_case_or_height_tells_apart_is_another_memory(void **state)
{
    (void)state;
    static const char *const pair[][2] = { { "Tell US about it", "Tell us about it" },
                                           { "The limit is 20 MB", "The limit is 20 Mb" },
                                           { "The area is 5²", "The area is 52" } };

    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        struct mneme_memory there = row("a", "", "", pair[i][0]);
        struct mneme_memory draft = row("b", "", "", pair[i][1]);
        struct mneme_memory keyed = row("a", "limit", "20 MB", pair[i][0]);
        struct mneme_memory again = row("b", "limit", "20 MB", pair[i][1]);
        struct mneme_memory rival = row("b", "limit", "20 Mb", pair[i][1]);

        assert_string_equal(there.content_hash, draft.content_hash);
        assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
        assert_int_equal(decide(&again, &keyed, 0).act, MN_ACT_MERGE);
        assert_int_equal(decide(&rival, &keyed, 0).act, MN_ACT_INSERT);
        assert_int_equal(decide(&rival, &keyed, 0).ended_count, 1);
    }
}

static void a_permission_closes_what_was_open_and_nothing_opens_it_again(void **state)
{
    (void)state;
    struct mneme_memory open = row("a", "", "", "The vault is at pier nine.");
    struct mneme_memory closed = row("b", "", "", "The vault is at pier nine.");

    closed.requires_permission = "vault";
    assert_int_equal(decide(&closed, &open, 0).act, MN_ACT_CONFIRM);
    assert_int_equal(decide(&open, &closed, 0).act, MN_ACT_INSERT);
    closed.authority = MNEME_MODEL_INFERENCE; /* may not withdraw what the user said */
    assert_int_equal(decide(&closed, &open, 0).act, MN_ACT_INSERT);
}

static void a_draft_joins_only_a_row_that_holds_when_it_does(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "", "", "The office is closed.");
    struct mneme_memory draft = row("b", "", "", "The office is closed.");

    draft.valid_until_ms = NOW;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft.valid_until_ms = NOW + 1;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_CONFIRM);
    draft.valid_from_ms = there.valid_until_ms = NOW + 10;
    draft.valid_until_ms = 0;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft.valid_from_ms = NOW + 9;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_CONFIRM);
    there.valid_until_ms = draft.valid_from_ms = 0;
    there.valid_from_ms = NOW + 1;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    there.valid_from_ms = NOW;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_CONFIRM);
    draft.status = MNEME_DEPRECATED;
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft.status = MNEME_ACTIVE;
    draft.supersedes = "a";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
    draft.supersedes = "z";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_CONFIRM);
    there.supersedes = "y";
    assert_int_equal(decide(&draft, &there, 0).act, MN_ACT_INSERT);
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

static void a_denial_ends_what_it_denies_and_nothing_else(void **state)
{
    (void)state;
    struct mneme_memory draft = row("b", "k", "no longer dark", "I no longer prefer dark mode.");
    struct mneme_memory denied = row("a", "k", "dark", "I prefer dark mode.");
    struct mneme_memory another = row("a", "k", "light", "I prefer light mode.");
    struct mneme_memory denial = row("a", "k", "no longer light", "I no longer prefer light mode.");
    struct mn_verdict v = decide(&draft, &denied, 0);

    assert_int_equal(v.ended_count, 1);
    assert_false(v.keyless);
    v = decide(&draft, &another, 0);
    assert_int_equal(v.act, MN_ACT_INSERT);
    assert_int_equal(v.ended_count + v.rival_count, 0);
    assert_true(v.keyless);
    v = decide(&draft, &denial, 0);
    assert_int_equal(v.ended_count, 1);
    v = decide(&another, &draft, 0); /* and what is said anew ends the denial */
    assert_int_equal(v.ended_count, 1);
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
    assert_int_equal(mn_join(&there, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_false(grew);
    draft.provenance = (struct mneme_list){ source, 1 };
    assert_int_equal(mn_join(&there, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_true(grew);
    assert_float_equal(joined.confidence, 0.85, 1e-9);
    assert_int_equal(joined.confirmed_at_ms, NOW);
    assert_string_equal(joined.content, "Tea is hot");
    assert_int_equal(joined.updated_at_ms, there.updated_at_ms);
    assert_int_equal(mn_join(&joined, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_false(grew);
    joined.confidence = 0.95;
    joined.provenance.count = 0;
    assert_int_equal(mn_join(&joined, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
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
    assert_int_equal(mn_join(&there, &draft, NULL, MN_ACT_MERGE, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_true(grew);
    assert_string_equal(joined.id, "a");
    assert_string_equal(joined.content, "I live in Rome Rome has been my home since May");
    assert_int_equal(joined.provenance.count, 1);
    assert_int_equal(strncmp(joined.provenance.item[0], "merged:", 7), 0);
    assert_string_equal(joined.provenance.item[0] + 7, draft.content_hash);
    assert_float_equal(joined.importance, 0.9, 1e-9);
    assert_int_equal(joined.updated_at_ms, NOW);
    assert_int_equal(mn_join(&joined, &draft, &plain, MN_ACT_MERGE, NOW, arena, &again, &grew, &err),
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
    assert_int_equal(mn_join(&there, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_float_equal(joined.confidence, 0.9, 1e-9);
    assert_int_equal(joined.confirmed_at_ms, 0);
    draft.authority = MNEME_EXPLICIT_USER;
    draft.confidence = 0.95;
    assert_int_equal(mn_join(&there, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_int_equal(joined.authority, MNEME_EXPLICIT_USER);
    assert_int_equal(joined.confirmed_at_ms, NOW);
}

/* Joins a draft whose every field is said with a row that has others. */
static struct mneme_memory join_all(enum mneme_authority there_is, enum mneme_authority draft_is)
{
    static const char *const old[] = { "pier" };
    static const char *const new[] = { "vault", "pier" };
    struct mneme_memory there = row("a", "", "", "The vault is at pier nine.");
    struct mneme_memory draft = row("b", "vault.place", "pier nine", "The vault is at pier nine.");
    struct mneme_memory joined;
    struct mneme_error err;
    bool grew = false;

    there.authority = there_is;
    there.title = "Vault";
    there.category = "places";
    there.keywords = (struct mneme_list){ old, 1 };
    there.attributes = "{\"a\":1,\"b\":1}";
    there.confidence = 0.7;
    there.importance = 0.4;
    draft.authority = draft_is;
    draft.title = "The vault";
    draft.summary = "vault: pier nine";
    draft.category = "secrets";
    draft.project = "harbour";
    draft.module = "safe";
    draft.keywords = (struct mneme_list){ new, 2 };
    draft.attributes = "{\"b\":2,\"c\":[3]}";
    draft.confidence = 0.8;
    draft.importance = 0.9;
    draft.sensitivity = MNEME_SECRET;
    draft.risk = MNEME_RISK_HIGH;
    draft.valid_until_ms = NOW + DAY;
    draft.event_time_ms = NOW - DAY;
    draft.supersedes = "z";
    assert_int_equal(mn_join(&there, &draft, NULL, MN_ACT_MERGE, NOW, arena, &joined, &grew, &err),
                     MNEME_OK);
    assert_true(grew);
    return joined;
}

static void nothing_said_beside_a_known_text_is_dropped(void **state)
{
    (void)state;
    struct mneme_memory m = join_all(MNEME_EXPLICIT_USER, MNEME_EXPLICIT_USER);

    assert_string_equal(m.id, "a");
    assert_string_equal(m.memory_key, "vault.place");
    assert_string_equal(m.value, "pier nine");
    assert_string_equal(m.title, "The vault");
    assert_string_equal(m.summary, "vault: pier nine");
    assert_string_equal(m.category, "secrets");
    assert_string_equal(m.project, "harbour");
    assert_string_equal(m.module, "safe");
    assert_string_equal(m.attributes, "{\"a\":1,\"b\":2,\"c\":[3]}");
    assert_int_equal(m.keywords.count, 2);
    assert_int_equal(m.sensitivity, MNEME_SECRET);
    assert_int_equal(m.risk, MNEME_RISK_HIGH);
    assert_int_equal(m.valid_until_ms, NOW + DAY);
    assert_int_equal(m.updated_at_ms, NOW);
    assert_int_equal(m.event_time_ms, NOW - DAY);
    assert_string_equal(m.supersedes, "z");
    assert_float_equal(m.importance, 0.9, 1e-9);
    assert_int_equal(join_all(MNEME_EXPLICIT_USER, MNEME_EXPLICIT_ADMIN).authority,
                     MNEME_EXPLICIT_ADMIN);
    m = join_all(MNEME_MODEL_INFERENCE, MNEME_EXPLICIT_USER);
    assert_int_equal(m.authority, MNEME_EXPLICIT_USER);
    assert_int_equal(m.confirmed_at_ms, NOW);
}

static void an_inference_only_fills_what_a_statement_leaves_open(void **state)
{
    (void)state;
    static const enum mneme_authority weaker[][2] = {
        { MNEME_EXPLICIT_USER, MNEME_MODEL_INFERENCE },
        { MNEME_EXPLICIT_ADMIN, MNEME_EXPLICIT_USER },
        { MNEME_CONFIRMED_SYSTEM, MNEME_EXPLICIT_USER },
    };

    for (size_t i = 0; i < sizeof weaker / sizeof *weaker; i++) {
        struct mneme_memory m = join_all(weaker[i][0], weaker[i][1]);

        assert_int_equal(m.authority, weaker[i][0]);
        assert_string_equal(m.title, "Vault");
        assert_string_equal(m.category, "places");
        assert_string_equal(m.project, "harbour");
        assert_string_equal(m.attributes, "{\"a\":1,\"b\":1,\"c\":[3]}");
        assert_int_equal(m.sensitivity, MNEME_SECRET);
        assert_int_equal(m.valid_until_ms, 0);
        assert_float_equal(m.importance, 0.4, 1e-9);
    }
}

static void what_was_not_given_raises_nothing(void **state)
{
    (void)state;
    struct mneme_memory there = row("a", "", "", "Tea is hot");
    struct mneme_memory draft = row("b", "", "", "Tea is hot");
    struct mneme_memory joined;
    struct mneme_error err;
    bool grew = true;

    there.importance = 0.2;
    there.confidence = 0.7;
    assert_int_equal(
        mn_join(&there, &draft, &plain, MN_ACT_CONFIRM, NOW, arena, &joined, &grew, &err), MNEME_OK);
    assert_false(grew);
    assert_float_equal(joined.importance, 0.2, 1e-9);
    assert_float_equal(joined.confidence, 0.7, 1e-9);
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
        CASE(what_is_planned_is_no_rival_but_an_end),
        CASE(what_only_its_case_or_height_tells_apart_is_another_memory),
        CASE(a_permission_closes_what_was_open_and_nothing_opens_it_again),
        CASE(a_draft_joins_only_a_row_that_holds_when_it_does),
        CASE(one_key_and_one_value_is_one_memory),
        CASE(a_rewording_merges_and_a_changed_number_does_not),
        CASE(a_denial_ends_what_it_denies_and_nothing_else),
        CASE(a_new_value_supersedes_by_tier_and_time),
        CASE(an_inference_never_replaces_a_statement),
        CASE(unsure_or_risky_equals_without_a_date_are_left_open),
        CASE(an_administrators_word_is_replaced_by_an_administrators),
        CASE(evidence_counts_once_for_each_source),
        CASE(a_merged_row_says_what_both_say),
        CASE(an_inference_that_is_repeated_stays_one),
        CASE(nothing_said_beside_a_known_text_is_dropped),
        CASE(an_inference_only_fills_what_a_statement_leaves_open),
        CASE(what_was_not_given_raises_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
