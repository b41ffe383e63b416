/*
 * test_eval_expect.c - each expectation of a golden case: an answer that holds it, one that does not;
 * the hard rules at their limits; and the metrics over a few answers, as literals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/expect.h"
#include "eval/hard_rules.h"
#include "eval/metrics.h"

#define LIST(...)                                                                                  \
    ((struct mneme_list){ (const char *[]){ __VA_ARGS__ },                                         \
                          sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(const char *) })
#define NOW 2000

/* ---- a small world ---- */

static const struct mneme_memory own = {
    .id = "own", .tenant_id = "t", .user_id = "ann", .type = "fact", .content = "The lift is red.",
    .scope_kind = MNEME_SCOPE_USER, .scope_id = "ann", .confidence = 0.9, .created_at_ms = 100 };
static const struct mneme_memory rule = {
    .id = "rule", .tenant_id = "t", .user_id = "ann", .type = "project_constraint",
    .content = "Close the gate.", .scope_kind = MNEME_SCOPE_PROJECT, .scope_id = "p",
    .confidence = 0.9, .created_at_ms = 100 };
static const struct mneme_memory foreign = {
    .id = "foreign", .tenant_id = "t", .user_id = "bob", .type = "fact",
    .content = "Bob's door code is 7.", .scope_kind = MNEME_SCOPE_USER, .scope_id = "bob",
    .confidence = 0.9, .created_at_ms = 100 };
static const struct mneme_memory one = {
    .id = "one", .tenant_id = "t", .user_id = "ann", .type = "fact", .memory_key = "k",
    .value = "1", .content = "It is one.", .scope_kind = MNEME_SCOPE_USER, .scope_id = "ann",
    .confidence = 0.7, .created_at_ms = 100 };
static const struct mneme_memory two = {
    .id = "two", .tenant_id = "t", .user_id = "ann", .type = "fact", .memory_key = "k",
    .value = "2", .content = "It is two.", .scope_kind = MNEME_SCOPE_USER, .scope_id = "ann",
    .confidence = 0.7, .created_at_ms = 100 };
static const struct mneme_memory *rows[] = { &own, &rule, &foreign, &one, &two };

static const struct mneme_task_state checkpoint = {
    .size = sizeof checkpoint, .tenant_id = "t", .user_id = "ann", .session_id = "s", .task_id = "k",
    .state = "{\"pending_action\": \"paint the cabin door\"}" };
static struct mn_golden_state states[] = { { "check", &checkpoint } };
static const struct mn_golden golden = { .memories = { rows, 5, 5 }, .states = { states, 1, 1 } };

/* What the engine makes of a checkpoint. */
static const struct mneme_memory shown_checkpoint = {
    .id = "checkpoint:s/k", .tenant_id = "t", .user_id = "ann", .type = "task_state",
    .content = "pending_action: paint the cabin door",
    .attributes = "{\"session_id\": \"s\", \"task_id\": \"k\"}" };

static struct mn_golden_case base_case(void)
{
    struct mn_golden_case c = { .id = "case", .request = MNEME_REQUEST_INIT };

    c.request.text = "What colour is the lift?";
    c.request.now_ms = NOW;
    c.request.identity = (struct mneme_identity){ .tenant_id = "t", .user_id = "ann",
                                                  .task_id = "k", .project_id = "p" };
    c.expect.max_prompt_tokens = c.expect.max_items = -1;
    return c;
}

static const struct mneme_item items[] = {
    { .memory = &own, .score = 0.8 },
    { .memory = &rule, .score = 0.6, .forced = 1 },
};
static const char *xml = "<agent_memory><facts><memory id=\"own\">The lift is red.</memory></facts>"
                         "<constraints><memory id=\"rule\">Close the gate.</memory></constraints>"
                         "</agent_memory>";
static const char *trace =
    "{\"selected\": [{\"id\": \"own\", \"parts\": {\"freshness\": 0.5, \"scope\": 0.7}}],"
    " \"rejected\": [{\"id\": \"one\", \"stage\": \"budget\", \"reason\": \"floor\", \"score\": 0.25,"
    "   \"parts\": {\"scope\": 0.55}}],"
    " \"others\": {\"expired\": [\"two\"]}, \"stages_us\": {\"gate\": 10, \"recall\": 300},"
    " \"embed_us\": 20}";

static struct mneme_answer base_answer(void)
{
    return (struct mneme_answer){ .mode = MNEME_MODE_HYBRID, .mode_reason = "in doubt",
                                  .item = items, .item_count = 2, .xml = xml, .trace = trace,
                                  .tokens_used = 60 };
}

/* What the named expectation got; NULL when it holds. In the arena. */
static const char *got(const char *name, const struct mn_golden_case *c,
                       const struct mneme_answer *answer, struct mn_arena *arena)
{
    struct mneme_answer again = *answer;
    struct mn_outcome outcome;
    MN_JSON_AUTO doc = NULL;

    assert_int_equal(mn_outcome_make(&golden, c, answer, &again, arena, &doc, &outcome, NULL),
                     MNEME_OK);
    for (size_t i = 0; i < mn_expectation_count; i++)
        if (!strcmp(mn_expectations[i].name, name))
            return mn_expectations[i].got(&outcome);
    fail_msg("there is no expectation %s", name);
    return NULL;
}

#define HOLDS(name) assert_null(got(name, &c, &answer, arena))
#define FAILS(name, words) assert_string_equal(got(name, &c, &answer, arena), words)
#define WORLD                                                                                      \
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);                                                   \
    struct mn_golden_case c = base_case();                                                         \
    struct mneme_answer answer = base_answer();                                                    \
    (void)state

/* ---- what is in it ---- */

static void a_case_that_expects_nothing_is_held_by_a_good_answer(void **state)
{
    WORLD;

    for (size_t i = 0; i < mn_expectation_count; i++)
        HOLDS(mn_expectations[i].name);
}

static void the_mode_is_compared(void **state)
{
    WORLD;

    c.expect.mode = MNEME_MODE_HYBRID;
    HOLDS("mode");
    c.expect.mode = MNEME_MODE_NONE;
    FAILS("mode", "hybrid (in doubt)");
}

static void what_is_required_and_missing_is_told_with_its_fate(void **state)
{
    WORLD;

    c.expect.required = LIST("own", "rule");
    HOLDS("required_memory_ids");
    c.expect.required = LIST("own", "one", "two", "check");
    FAILS("required_memory_ids", "missing: one (floor at budget, score 0.250), two (expired), "
                                 "checkpoint:s/k (was no candidate)");
}

static void what_is_forbidden_may_not_be_there_even_as_text(void **state)
{
    WORLD;

    c.expect.forbidden = LIST("foreign", "one", "check");
    HOLDS("forbidden_memory_ids");
    c.expect.forbidden = LIST("own");
    FAILS("forbidden_memory_ids", "in the result: own");
    c.expect.forbidden = LIST("foreign", "check");
    answer.xml = "<agent_memory><facts><memory id=\"own\">The lift is red. Bob&apos;s door code is 7."
                 "</memory><memory id=\"rule\">paint the cabin door</memory></facts></agent_memory>";
    FAILS("forbidden_memory_ids", "in the result: foreign as text, check as text");
}

static void order_is_by_score_and_the_absent_rank_last(void **state)
{
    WORLD;

    c.expect.order = LIST("own", "rule", "one", "two");
    HOLDS("order");
    c.expect.order = LIST("rule", "own");
    FAILS("order", "own above rule");
    c.expect.order = LIST("one", "own");
    FAILS("order", "own above one");
    c.expect.order = LIST("two", "one");
    HOLDS("order");
}

static void exactly_means_this_set(void **state)
{
    WORLD;

    c.expect.exactly_given = true;
    c.expect.exactly = LIST("rule", "own");
    HOLDS("exactly");
    c.expect.exactly = LIST("own");
    FAILS("exactly", "own, rule");
    c.expect.exactly = LIST("own", "rule", "one");
    FAILS("exactly", "own, rule");
    c.expect.exactly = (struct mneme_list){ 0 };
    FAILS("exactly", "own, rule");
}

static void empty_means_neither_items_nor_a_block(void **state)
{
    WORLD;

    c.expect.empty = true;
    FAILS("empty", "own, rule");
    answer.item_count = 0;
    FAILS("empty", "a block without a memory");
    answer.xml = "";
    HOLDS("empty");
}

static void a_checkpoint_is_known_by_its_session_and_task(void **state)
{
    const struct mneme_item item[] = { { .memory = &shown_checkpoint } };
    WORLD;

    answer.item = item;
    answer.item_count = 1;
    answer.xml = "<a><task_state><memory id=\"checkpoint:s/k\">paint the cabin door</memory>"
                 "</task_state></a>";
    c.expect.required = LIST("check");
    HOLDS("required_memory_ids");
    HOLDS("hard_rules");
    HOLDS("one_element_per_item");
    c.request.identity.task_id = "another";
    FAILS("hard_rules", "check is out_of_scope");
}

/* ---- conflicts ---- */

static void a_question_names_its_key_its_rivals_and_whether_it_blocks(void **state)
{
    struct mneme_conflict conflict = { .memory_key = "k", .ids = LIST("one", "two"),
                                       .withheld = LIST("one", "two"),
                                       .needs_clarification = 1, .question = "Which?" };
    WORLD;

    c.expect.clarify_keys = LIST("k");
    FAILS("clarify_keys", "k is no conflict");
    answer.conflict = &conflict;
    answer.conflict_count = 1;
    HOLDS("clarify_keys");
    HOLDS("blocking_keys");
    conflict.blocking = 1;
    FAILS("blocking_keys", "k is blocking");
    c.expect.blocking_keys = LIST("k");
    HOLDS("blocking_keys");
    conflict.question = "";
    FAILS("clarify_keys", "k is not asked");
    conflict.question = "Which?";
    conflict.ids = LIST("one");
    FAILS("clarify_keys", "k does not name its rivals");
    conflict.ids = LIST("one", "own");
    FAILS("clarify_keys", "k does not name its rivals");

    c.expect.unasked_keys = LIST("k");
    FAILS("unasked_keys", "asked: k");
    conflict.needs_clarification = 0;
    HOLDS("unasked_keys");
}

static void a_conflict_names_whom_it_withholds(void **state)
{
    struct mneme_conflict conflict = { .memory_key = "k", .ids = LIST("one", "two") };
    const struct mneme_pair why[] = { { "two", "forced_rival" } };
    WORLD;

    c.expect.conflict_keys = LIST("k");
    c.expect.reasons = (struct mneme_pairs){ why, 1 };
    FAILS("conflict_keys", "k is no conflict");
    answer.conflict = &conflict;
    answer.conflict_count = 1;
    FAILS("conflict_keys", "k names none withheld, two is not said to be withheld");
    conflict.withheld = LIST("two");
    HOLDS("conflict_keys");
}

static void a_survivor_took_in_just_those(void **state)
{
    struct mneme_item merged[] = { { .memory = &own, .merged_from = LIST("own", "one") } };
    struct mn_golden_merge wanted[] = { { "own", LIST("one") } };
    WORLD;

    answer.item = merged;
    answer.item_count = 1;
    c.expect.merged = wanted;
    c.expect.merged_count = 1;
    HOLDS("merged");
    merged[0].merged_from = LIST("one", "two");
    FAILS("merged", "own took in two");
    merged[0].merged_from = (struct mneme_list){ 0 };
    FAILS("merged", "own did not take in one");
    wanted[0].survivor = "two";
    FAILS("merged", "two (expired)");
}

/* ---- flags and numbers ---- */

static void flags_stand_in_the_item_and_in_the_block(void **state)
{
    struct mneme_item flagged[] = { items[0], items[1] };
    WORLD;

    answer.item = flagged;
    c.expect.suspicious = LIST("rule", "one");
    c.expect.plain = LIST("own");
    FAILS("suspicious_ids", "not flagged: rule");
    flagged[1].suspicious = 1;
    FAILS("suspicious_ids", "not flagged: rule"); /* the block does not say so */
    answer.xml = "<a><facts><memory id=\"own\">The lift is red.</memory>"
                 "<memory id=\"rule\" suspicious=\"true\">Close the gate.</memory></facts></a>";
    HOLDS("suspicious_ids");
    HOLDS("plain_ids");
    flagged[0].suspicious = 1;
    FAILS("plain_ids", "flagged: own");
}

static void a_section_is_read_from_the_block(void **state)
{
    WORLD;

    c.expect.outside_constraints = LIST("own", "one");
    HOLDS("outside_constraints");
    c.expect.outside_constraints = LIST("rule");
    FAILS("outside_constraints", "in constraints: rule");
}

static void bounds_hold_at_the_limit_and_fail_one_past_it(void **state)
{
    struct mn_golden_bound bound[] = { { "fact", 1 } };
    WORLD;

    c.expect.max_prompt_tokens = 60;
    HOLDS("max_prompt_tokens");
    c.expect.max_prompt_tokens = 59;
    FAILS("max_prompt_tokens", "60");
    c.expect.max_items = 2;
    HOLDS("max_items");
    c.expect.max_items = 1;
    FAILS("max_items", "2");
    c.expect.bound = bound;
    c.expect.bound_count = 1;
    HOLDS("max_of_type");
    bound[0].most = 0;
    FAILS("max_of_type", "1 of fact");
    c.expect.budget_exceeded = true;
    FAILS("budget_exceeded", "not said");
    answer.budget_exceeded = 1;
    HOLDS("budget_exceeded");
    c.expect.forbidden_text = LIST("lift");
    FAILS("forbidden_text", "in the block: lift");
}

static void score_parts_are_those_of_the_trace(void **state)
{
    struct mn_golden_part part[] = { { "own", "freshness", 0.502 }, { "one", "scope", 0.55 } };
    WORLD;

    c.expect.part = part;
    c.expect.part_count = 2;
    HOLDS("score_parts");
    part[0].value = 0.5025;
    FAILS("score_parts", "own freshness 0.5000");
    part[0].id = "two";
    FAILS("score_parts", "two (expired)");
}

/* ---- of every case ---- */

static void items_stay_within_the_budget_unless_all_are_forced(void **state)
{
    struct mneme_item both[] = { items[0], items[1] };
    WORLD;

    answer.item = both;
    c.request.items_max = 2;
    HOLDS("items_within_budget");
    c.request.items_max = 1;
    FAILS("items_within_budget", "2 items, 1 of them forced, at most 1");
    both[0].forced = 1;
    HOLDS("items_within_budget");
}

static void the_block_holds_one_element_an_item(void **state)
{
    WORLD;

    answer.xml = "<a><memory id=\"own\"/></a>";
    FAILS("one_element_per_item", "1 elements for 2 items, 0 elements of rule");
    answer.xml = "<a><memory id=\"own\"/><memory id=\"own\"/></a>";
    FAILS("one_element_per_item", "2 elements of own, 0 elements of rule");
    answer.xml = "<a><memory id=\"own\">";
    assert_non_null(strstr(got("xml", &c, &answer, arena), "not closed"));
}

static void what_breaks_a_hard_rule_is_named(void **state)
{
    const struct mneme_item item[] = { { .memory = &foreign } };
    WORLD;

    answer.item = item;
    answer.item_count = 1;
    FAILS("hard_rules", "foreign is other_user, foreign is out_of_scope");
    c.request.identity.user_id = "bob";
    HOLDS("hard_rules");
    c.candidates_given = true;
    c.candidates = LIST("own");
    FAILS("hard_rules", "foreign is not in the store");
}

static void a_second_run_gives_the_same(void **state)
{
    struct mneme_answer again = base_answer();
    struct mn_outcome outcome;
    MN_JSON_AUTO doc = NULL;
    const char *(*repeatable)(const struct mn_outcome *) =
        mn_expectations[mn_expectation_count - 1].got;
    WORLD;

    assert_int_equal(
        mn_outcome_make(&golden, &c, &answer, &again, arena, &doc, &outcome, NULL), MNEME_OK);
    assert_string_equal(mn_expectations[mn_expectation_count - 1].name, "repeatable");
    assert_null(repeatable(&outcome));
    again.tokens_used++;
    assert_non_null(repeatable(&outcome));
    again.tokens_used--;
    const struct mneme_item other[] = { items[1], items[0] };
    again.item = other;
    assert_string_equal(repeatable(&outcome), "other items or scores for the same request");
}

/* ---- hard rules ---- */

static void validity_is_half_open(void **state)
{
    struct mneme_memory m = own;
    WORLD;

    (void)answer;
    m.valid_from_ms = NOW;
    m.valid_until_ms = NOW + 1;
    assert_int_equal(mn_hard_broken(&golden, &c, &m), 0);
    m.valid_from_ms = NOW + 1;
    assert_int_equal(mn_hard_broken(&golden, &c, &m), 1 << MN_HARD_NOT_YET_VALID);
    m.valid_from_ms = 0;
    m.valid_until_ms = NOW;
    assert_int_equal(mn_hard_broken(&golden, &c, &m), 1 << MN_HARD_EXPIRED);
    (void)arena;
}

static void each_hard_rule_is_seen(void **state)
{
    static const struct mneme_pair stated[] = { { "python", "3.12.1" }, { "os", "iOS" } };
    const struct {
        enum mn_hard_rule rule;
        struct mneme_memory m;
    } broken[] = {
        { MN_HARD_OTHER_TENANT, { .tenant_id = "u" } },
        { MN_HARD_OTHER_USER, { .tenant_id = "t", .user_id = "annabel" } },
        { MN_HARD_OTHER_AGENT, { .tenant_id = "t", .agent_id = "a" } },
        { MN_HARD_OUT_OF_SCOPE, { .tenant_id = "t", .scope_kind = MNEME_SCOPE_REPO,
                                  .scope_id = "r" } },
        { MN_HARD_PERMISSION, { .tenant_id = "t", .requires_permission = "x" } },
        { MN_HARD_SENSITIVITY, { .tenant_id = "t", .sensitivity = MNEME_CONFIDENTIAL } },
        { MN_HARD_REVOKED, { .tenant_id = "t", .authority = MNEME_AUTHORITY_REVOKED } },
        { MN_HARD_REVOKED, { .tenant_id = "t", .status = MNEME_REVOKED } },
        { MN_HARD_DELETED, { .tenant_id = "t", .status = MNEME_DELETED } },
        { MN_HARD_DEPRECATED, { .tenant_id = "t", .status = MNEME_DEPRECATED } },
        { MN_HARD_SUPERSEDED, { .tenant_id = "t", .status = MNEME_SUPERSEDED } },
    };
    WORLD;

    (void)answer;
    (void)arena;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct mneme_memory m = broken[i].m;

        m.id = "m";
        m.confidence = 0.6;
        assert_int_equal(mn_hard_broken(&golden, &c, &m), 1 << broken[i].rule);
    }
    struct mneme_memory m = { .id = "m", .tenant_id = "t", .confidence = 0.59 };
    assert_int_equal(mn_hard_broken(&golden, &c, &m), 1 << MN_HARD_LOW_CONFIDENCE);

    static const struct { const char *name, *wanted; bool fits; } environments[] = {
        { "python", ">=3.12", true },  { "python", ">=3.12.2", false }, { "python", "<3.12.1", false },
        { "python", "<=3.12.1", true }, { "python", ">=3.9, <4", true }, { "python", "!=3.12.1", false },
        { "os", "ios", true },         { "os", "android", false },      { "db", "sqlite", true },
    };
    c.request.identity.environment = (struct mneme_pairs){ stated, 2 };
    m.confidence = 0.9;
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        const struct mneme_pair wanted[] = { { environments[i].name, environments[i].wanted } };

        m.applies_to = (struct mneme_pairs){ wanted, 1 };
        assert_int_equal(mn_hard_broken(&golden, &c, &m) == 0, environments[i].fits);
    }
}

static void a_successor_counts_only_where_it_may_be_seen(void **state)
{
    struct mneme_memory newer = own;
    const struct mneme_memory *with[] = { &own, &newer };
    const struct mn_golden both = { .memories = { with, 2, 2 } };
    WORLD;

    (void)answer;
    (void)arena;
    newer.id = "newer";
    newer.supersedes = "own";
    assert_int_equal(mn_hard_broken(&both, &c, &own), 1 << MN_HARD_SUPERSEDED);
    newer.sensitivity = MNEME_SECRET; /* hidden from this identity */
    assert_int_equal(mn_hard_broken(&both, &c, &own), 0);
    newer.sensitivity = MNEME_INTERNAL;
    newer.user_id = ""; /* another owner's link means nothing */
    newer.scope_kind = MNEME_SCOPE_GLOBAL;
    assert_int_equal(mn_hard_broken(&both, &c, &own), 0);
}

/* ---- metrics ---- */

static void percentiles_are_samples_by_nearest_rank(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_samples samples = { 0 };

    (void)state;
    assert_true(mn_samples_percentile(&samples, 0.5) <= 0);
    for (int i = 100; i >= 1; i--)
        assert_true(mn_samples_add(arena, &samples, i));
    assert_int_equal((int)mn_samples_percentile(&samples, 0.50), 50);
    assert_int_equal((int)mn_samples_percentile(&samples, 0.95), 95);
    assert_int_equal((int)mn_samples_percentile(&samples, 0.99), 99);
    assert_int_equal((int)mn_samples_percentile(&samples, 1.00), 100);
    samples.count = 1;
    assert_int_equal((int)mn_samples_percentile(&samples, 0.99), 1);
}

static void shares_are_counted_over_all_cases(void **state)
{
    const struct mneme_pair why[] = { { "one", "clarify" }, { "two", "clarify" },
                                      { "foreign", "other_user" } };
    const struct mneme_item leaking[] = { { .memory = &foreign }, { .memory = &one } };
    struct mneme_answer bad = { .item = leaking, .item_count = 2, .trace = "{}", .tokens_used = 40,
                                .xml = "<a><memory id=\"foreign\"/><memory id=\"one\"/></a>" };
    struct mn_metrics m = { 0 };
    struct mn_outcome outcome;
    MN_JSON_AUTO doc = NULL;
    MN_JSON_AUTO other_doc = NULL;
    WORLD;

    m.arena = arena;
    c.expect.required = LIST("own", "one");
    c.expect.clarify_keys = LIST("k");
    c.expect.reasons = (struct mneme_pairs){ why, 3 };
    assert_int_equal(
        mn_outcome_make(&golden, &c, &answer, &answer, arena, &doc, &outcome, NULL), MNEME_OK);
    assert_int_equal(mn_metrics_add(&m, &outcome, true, false, 10, 1500, NULL), MNEME_OK);
    assert_int_equal(
        mn_outcome_make(&golden, &c, &bad, &bad, arena, &other_doc, &outcome, NULL), MNEME_OK);
    assert_int_equal(mn_metrics_add(&m, &outcome, false, true, 10, 2500, NULL), MNEME_OK);

    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    mn_metrics_put(&w, &m);
    assert_string_equal(
        out.at,
        "{\"precision_at_k\":0.5,\"useful_recall\":0.5,\"stale_rate\":0,"
        "\"conflict_error_rate\":0.5,\"clarification_accuracy\":0,\"leakage_rate\":0.5,"
        "\"empty_retrieval_accuracy\":null,\"memories_per_prompt\":2,\"tokens_per_prompt\":50,"
        "\"prompt_share\":0.8333,\"tokens_per_passed_case\":100,"
        "\"stages_ms\":{\"gate\":{\"p50\":0.01,\"p95\":0.01,\"p99\":0.01},"
        "\"recall\":{\"p50\":0.3,\"p95\":0.3,\"p99\":0.3},"
        "\"embed\":{\"p50\":0,\"p95\":0.02,\"p99\":0.02}},"
        "\"added_ms\":{\"p50\":1.5,\"p95\":2.5,\"p99\":2.5},"
        "\"baseline\":{\"passed\":1,\"useful_recall\":0,\"clarification_accuracy\":0,"
        "\"empty_retrieval_accuracy\":null,\"tokens_per_prompt\":10}}");
}

/* ---- cases ---- */

static void a_flat_case_is_read_like_a_full_one(void **state)
{
    static const char flat[] =
        "{\"case_id\": \"f\", \"request\": \"Go on.\", \"context\": {\"tenant_id\": \"t\","
        " \"user_id\": \"ann\"}, \"candidate_memory_ids\": [\"own\"], \"required_memory_ids\":"
        " [\"own\"], \"expected_mode\": \"hybrid\", \"expected_clarification\": [\"k\"],"
        " \"max_prompt_tokens\": 500}";
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_golden_case c;

    (void)state;
    assert_int_equal(mn_golden_case_parse(mn_str_of(flat), arena, &c, NULL), MNEME_OK);
    assert_string_equal(c.request.identity.user_id, "ann");
    assert_true(c.candidates_given);
    assert_int_equal(c.expect.mode, MNEME_MODE_HYBRID);
    assert_string_equal(c.expect.required.item[0], "own");
    assert_string_equal(c.expect.clarify_keys.item[0], "k");
    assert_int_equal(c.expect.max_prompt_tokens, 500);
    assert_int_equal(c.expect.max_items, -1);
}

static void a_case_with_an_unknown_field_is_refused(void **state)
{
    static const char *const wrong[] = {
        "{\"case_id\": \"f\", \"request\": \"x\", \"context\": {\"tenant_id\": \"t\"}, \"expects\": {}}",
        "{\"case_id\": \"f\", \"request\": \"x\", \"context\": {\"tenant\": \"t\"}, \"expect\": {}}",
        "{\"case_id\": \"f\", \"request\": \"x\", \"context\": {}, \"expect\": {\"required\": []}}",
        "{\"case_id\": \"f\", \"request\": \"x\", \"context\": {}, \"expect\": {\"mode\": \"some\"}}",
        "{\"case_id\": \"f\", \"request\": \"x\", \"context\": {}, \"now\": \"soon\", \"expect\": {}}",
        "{\"case_id\": \"f\", \"context\": {}, \"expect\": {}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_golden_case c;
        struct mneme_error err;

        assert_int_equal(mn_golden_case_parse(mn_str_of(wrong[i]), arena, &c, &err), MNEME_INVALID);
        assert_true(err.field[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_that_expects_nothing_is_held_by_a_good_answer),
        cmocka_unit_test(the_mode_is_compared),
        cmocka_unit_test(what_is_required_and_missing_is_told_with_its_fate),
        cmocka_unit_test(what_is_forbidden_may_not_be_there_even_as_text),
        cmocka_unit_test(order_is_by_score_and_the_absent_rank_last),
        cmocka_unit_test(exactly_means_this_set),
        cmocka_unit_test(empty_means_neither_items_nor_a_block),
        cmocka_unit_test(a_checkpoint_is_known_by_its_session_and_task),
        cmocka_unit_test(a_question_names_its_key_its_rivals_and_whether_it_blocks),
        cmocka_unit_test(a_conflict_names_whom_it_withholds),
        cmocka_unit_test(a_survivor_took_in_just_those),
        cmocka_unit_test(flags_stand_in_the_item_and_in_the_block),
        cmocka_unit_test(a_section_is_read_from_the_block),
        cmocka_unit_test(bounds_hold_at_the_limit_and_fail_one_past_it),
        cmocka_unit_test(score_parts_are_those_of_the_trace),
        cmocka_unit_test(items_stay_within_the_budget_unless_all_are_forced),
        cmocka_unit_test(the_block_holds_one_element_an_item),
        cmocka_unit_test(what_breaks_a_hard_rule_is_named),
        cmocka_unit_test(a_second_run_gives_the_same),
        cmocka_unit_test(validity_is_half_open),
        cmocka_unit_test(each_hard_rule_is_seen),
        cmocka_unit_test(a_successor_counts_only_where_it_may_be_seen),
        cmocka_unit_test(percentiles_are_samples_by_nearest_rank),
        cmocka_unit_test(shares_are_counted_over_all_cases),
        cmocka_unit_test(a_flat_case_is_read_like_a_full_one),
        cmocka_unit_test(a_case_with_an_unknown_field_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
