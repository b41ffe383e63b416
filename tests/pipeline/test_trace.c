/*
 * test_trace.c - the record of a retrieval: complete, without a word of anybody's text, and
 * readable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "retrieve/retrieve.h"

#define NOW_MS INT64_C(1792000000000)

/* A finished retrieval, by literals. */
struct scene {
    struct mn_arena *arena;
    struct mneme_request request;
    struct mn_model_profile profile;
    struct mneme_memory chosen;
    struct mneme_memory lost;
    struct mn_candidate selected;
    struct mn_conflict conflict;
    struct mn_retrieval r;
};

static void scene_init(struct scene *s)
{
    static const char *twin[] = { "mem-twin" };
    static const char *rivals[] = { "mem-200", "mem-500" };
    struct mneme_identity identity = { .tenant_id = "t", .user_id = "ann", .project_id = "lunest" };

    memset(s, 0, sizeof *s);
    s->arena = mn_arena_new(1 << 22);
    s->request = (struct mneme_request)MNEME_REQUEST_INIT;
    s->request.text = "Which rooftop lantern glows yesterday?";
    strcpy(s->profile.name, "profile-a");
    strcpy(s->profile.hash, "0123456789abcdef");
    s->profile.floor_question = 0.25f;
    s->profile.floor_text_only = 0.2f;
    s->chosen = (struct mneme_memory){ .id = "mem-chosen",
                                       .type = "repository_rule",
                                       .scope_kind = MNEME_SCOPE_REPO,
                                       .scope_id = "lunest-ios",
                                       .authority = MNEME_EXPLICIT_USER,
                                       .content = "pomegranate secret",
                                       .title = "pomegranate title" };
    s->lost = s->chosen;
    s->lost.id = "mem-lost";
    s->lost.type = "fact";
    s->selected = (struct mn_candidate){
        .memory = &s->chosen,
        .confidence = 0.9,
        .forced = true,
        .rule_trigger = "regex",
        .has_vector = true,
        .vector = 0.5,
        .text = 0.25,
        .raw_relevance = 0.625,
        .tokens = 33,
        .why = "is brought by a rule whose trigger fired",
        .merged_from = twin,
        .merged_count = 1,
        .found = { [MN_SOURCE_TEXT] = { 2, 7.5, 0.75 }, [MN_SOURCE_RULE] = { 1, 1.0, 1.0 } },
        .parts = { .relevance = 0.77,
                   .task_fit = 0.5,
                   .scope = 0.95,
                   .authority = 1.0,
                   .freshness = 0.98,
                   .confidence = 0.9,
                   .final = 0.8125 },
    };
    s->conflict = (struct mn_conflict){ .memory_key = "refund.limit",
                                        .ids = rivals,
                                        .id_count = 2,
                                        .withheld = rivals,
                                        .withheld_count = 2,
                                        .needs_clarification = true,
                                        .blocking = true,
                                        .question = "pomegranate 200 or 500?" };
    s->r =
        (struct mn_retrieval){ .request = &s->request,
                               .arena = s->arena,
                               .profile = &s->profile,
                               .model_name = "model-a",
                               .selection = { .item = &s->selected, .count = 1, .tokens_used = 90 },
                               .conflicts = { .item = &s->conflict, .count = 1 } };
    assert_int_equal(mn_access_make(&identity, NOW_MS, 0, &s->r.access, NULL), MNEME_OK);
    assert_int_equal(mn_gate_decide(&s->request, s->arena, &s->r.gate, NULL), MNEME_OK);
    assert_int_equal(mn_plan_make(&s->request, &s->r.access, &s->r.gate, s->arena, &s->r.plan,
                                  NULL),
                     MNEME_OK);
    s->r.trace.arena = s->arena;
    strcpy(s->r.trace.id, "trc_1");
    s->r.trace.candidate_count = 27;
    s->r.trace.eligible_count = 11;
    s->r.trace.deduplicated_count = 8;
    s->r.trace.ranked_count = 7;
    s->r.trace.source[MN_SOURCE_TEXT] = (struct mn_trace_source){ true, 12, 340, NULL };
    s->r.trace.source[MN_SOURCE_VECTOR] = (struct mn_trace_source){ true, 0, 10, "model: none" };
    s->r.trace.stage_us[MN_STAGE_RANK] = 1500;
    s->r.trace.request_tokens = 10;
    s->r.trace.index_position = "41";
}

static void scene_release(struct scene *s)
{
    mn_arena_free(s->arena);
}
#define SCENE_AUTO MN_CLEANUP(scene_release) struct scene

static void reject(struct scene *s, const char *id, double score, enum mn_reason reason,
                   const char *by)
{
    struct mneme_memory *memory = mn_arena_one(s->arena, struct mneme_memory);
    struct mn_candidate c = { .memory = memory, .parts = { .final = score } };

    *memory = s->lost;
    memory->id = id;
    mn_trace_reject(&s->r.trace, &c, MN_STAGE_BUDGET, reason, by);
}

static const char *print(struct scene *s, yyjson_doc **ret_doc)
{
    struct mneme_error err = { 0 };
    const char *json = NULL;

    assert_int_equal(mn_trace_print(&s->r, s->arena, &json, &err), MNEME_OK);
    if (mn_json_parse("trace", json, strlen(json), ret_doc, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    return json;
}

static yyjson_val *field(yyjson_doc *doc, const char *pointer)
{
    yyjson_val *value = yyjson_doc_ptr_get(doc, pointer);

    if (!value)
        fail_msg("no %s", pointer);
    return value;
}

static void assert_text(yyjson_doc *doc, const char *pointer, const char *expected)
{
    assert_true(yyjson_is_str(field(doc, pointer)));
    assert_string_equal(yyjson_get_str(field(doc, pointer)), expected);
}

static void assert_number(yyjson_doc *doc, const char *pointer, double expected)
{
    double value = yyjson_get_num(field(doc, pointer));

    if (value < expected - 0.00005 || value > expected + 0.00005)
        fail_msg("%s: %f, not %f", pointer, value, expected);
}

static void a_trace_says_everything_that_was_decided(void **state)
{
    SCENE_AUTO s;
    MN_JSON_AUTO doc = NULL;

    (void)state;
    scene_init(&s);
    reject(&s, "mem-lost", 0.41, MN_REASON_FLOOR, NULL);
    reject(&s, "mem-twin", 0.31, MN_REASON_MERGED, "mem-chosen");
    s.r.trace.rejections.item[0].candidate.text = 0.125;
    mn_trace_note(&s.r.trace, "text: %d terms", 4);
    mn_trace_degraded(&s.r.trace, "vector: %s", "model: none");
    print(&s, &doc);

    assert_number(doc, "/version", MN_TRACE_VERSION);
    assert_text(doc, "/trace_id", "trc_1");
    assert_text(doc, "/mode/name", "hybrid");
    assert_text(doc, "/mode/why", "in doubt, every source");
    assert_text(doc, "/identity/project", "lunest");
    assert_text(doc, "/plan/language", "en");
    assert_int_equal(yyjson_arr_size(field(doc, "/plan/word_hashes")), s.r.plan.terms.count);
    assert_int_equal(strlen(yyjson_get_str(field(doc, "/plan/word_hashes/0"))), 16);
    assert_true(yyjson_is_obj(field(doc, "/plan/time_phrase")));
    assert_text(doc, "/plan/timezone", "UTC");
    assert_int_equal(yyjson_arr_size(field(doc, "/plan/sources")), 6);
    assert_number(doc, "/plan/probe_limit", 200);
    assert_number(doc, "/plan/depth", 30);
    assert_text(doc, "/sources/2/name", "text");
    assert_number(doc, "/sources/2/count", 12);
    assert_number(doc, "/sources/2/us", 340);
    assert_text(doc, "/sources/3/silent", "model: none");
    assert_number(doc, "/counts/candidate", 27);
    assert_number(doc, "/counts/eligible", 11);
    assert_number(doc, "/counts/deduplicated", 8);
    assert_number(doc, "/counts/ranked", 7);
    assert_number(doc, "/counts/selected", 1);
    assert_number(doc, "/rejections/floor", 1);
    assert_number(doc, "/rejections/merged", 1);
    assert_number(doc, "/first_wall_leaks", 0);

    assert_text(doc, "/selected/0/id", "mem-chosen");
    assert_text(doc, "/selected/0/scope", "repo:lunest-ios");
    assert_text(doc, "/selected/0/section", "constraints");
    assert_text(doc, "/selected/0/selection_reason", "is brought by a rule whose trigger fired");
    assert_text(doc, "/selected/0/trigger", "regex");
    assert_text(doc, "/selected/0/merged_from/0", "mem-twin");
    assert_number(doc, "/selected/0/tokens", 33);
    assert_number(doc, "/selected/0/score", 0.8125);
    assert_number(doc, "/selected/0/parts/relevance", 0.77);
    assert_number(doc, "/selected/0/parts/freshness", 0.98);
    assert_number(doc, "/selected/0/raw/relevance", 0.625);
    assert_number(doc, "/selected/0/raw/vector", 0.5);
    assert_number(doc, "/selected/0/found_by/text/rank", 2);
    assert_number(doc, "/selected/0/found_by/text/raw", 7.5);
    assert_number(doc, "/selected/0/found_by/text/scaled", 0.75);
    assert_text(doc, "/rejected/0/id", "mem-lost");
    assert_text(doc, "/rejected/0/reason", "floor");
    assert_text(doc, "/rejected/0/stage", "budget");
    assert_true(yyjson_is_null(field(doc, "/rejected/0/raw/vector")));
    assert_number(doc, "/rejected/0/raw/text", 0.125);
    assert_number(doc, "/rejected/0/floor", 0.2);
    assert_null(yyjson_doc_ptr_get(doc, "/rejected/1/floor"));
    assert_text(doc, "/rejected/1/by", "mem-chosen");
    assert_text(doc, "/merges/0/survivor", "mem-chosen");
    assert_text(doc, "/conflicts/0/memory_key", "refund.limit");
    assert_true(yyjson_get_bool(field(doc, "/conflicts/0/blocking")));
    assert_number(doc, "/budget/tokens_used", 90);
    assert_number(doc, "/budget/tokens_max", 700);
    assert_number(doc, "/budget/prompt_share", 0.9);
    assert_number(doc, "/stages_us/rank", 1500);
    assert_text(doc, "/model/profile_hash", "0123456789abcdef");
    assert_text(doc, "/index_position", "41");
    assert_text(doc, "/notes/0", "text: 4 terms");
    assert_text(doc, "/notes/1", "vector: model: none");
    assert_true(yyjson_get_bool(field(doc, "/degraded")));
    assert_false(yyjson_get_bool(field(doc, "/truncated")));
}

static void a_trace_holds_no_word_of_a_memory_or_of_the_request(void **state)
{
    SCENE_AUTO s;
    MN_JSON_AUTO doc = NULL;

    (void)state;
    scene_init(&s);
    reject(&s, "mem-lost", 0.41, MN_REASON_FLOOR, NULL);
    const char *json = print(&s, &doc);
    assert_null(strstr(json, "pomegranate"));
    assert_null(strstr(json, "rooftop"));
    assert_null(strstr(json, "lantern"));
    assert_null(strstr(json, "glow"));
}

static void the_best_twenty_rejected_have_scores_and_the_others_their_reason(void **state)
{
    SCENE_AUTO s;
    MN_JSON_AUTO doc = NULL;

    (void)state;
    scene_init(&s);
    for (int i = 0; i < 22; i++)
        reject(&s, mn_arena_printf(s.arena, "m%02d", i), (i * 7 % 22) / 100.0,
               i % 2 ? MN_REASON_CUT : MN_REASON_BUDGET, NULL);
    print(&s, &doc);
    yyjson_val *rejected = field(doc, "/rejected");
    assert_int_equal(yyjson_arr_size(rejected), 20);
    for (size_t i = 0; i < 20; i++) {
        double score = yyjson_get_num(yyjson_obj_get(yyjson_arr_get(rejected, i), "score"));

        assert_true(score > 0.2099 - (double)i / 100 && score < 0.2101 - (double)i / 100);
    }
    /* 0 and 0.01 are left: m00 and, as 19 * 7 % 22 is 1, m19. */
    assert_text(doc, "/others/budget/0", "m00");
    assert_text(doc, "/others/cut/0", "m19");
    assert_number(doc, "/rejections/cut", 11);
    assert_number(doc, "/rejections/budget", 11);
}

static void a_trace_without_room_goes_on_counting_and_says_so(void **state)
{
    SCENE_AUTO s;
    MN_ARENA_AUTO small = mn_arena_new(2000);
    struct mneme_memory memory = { .id = "m", .type = "fact" };
    struct mn_candidate c = { .memory = &memory };
    MN_JSON_AUTO doc = NULL;

    (void)state;
    scene_init(&s);
    s.r.trace.arena = small;
    for (int i = 0; i < 100; i++)
        mn_trace_reject(&s.r.trace, &c, MN_STAGE_FILTER, MN_REASON_EXPIRED, NULL);
    assert_int_equal(s.r.trace.reason_count[MN_REASON_EXPIRED], 100);
    assert_true(s.r.trace.rejections.count < 100);
    print(&s, &doc);
    assert_number(doc, "/rejections/expired", 100);
    assert_true(yyjson_get_bool(field(doc, "/truncated")));
}

static void a_long_note_is_cut_between_characters(void **state)
{
    SCENE_AUTO s;
    char text[1000];

    (void)state;
    scene_init(&s);
    for (size_t i = 0; i < 999; i += 3)
        memcpy(text + i, "字", 3);
    text[999] = 0;
    mn_trace_note(&s.r.trace, "x%s", text);
    assert_int_equal(s.r.trace.notes.count, 1);
    const char *note = s.r.trace.notes.item[0];
    assert_true(mn_utf8_valid(note, strlen(note)));
    assert_in_range(strlen(note), 490, 500);
}

static void explain_reads_the_json_alone_and_says_it_in_words(void **state)
{
    SCENE_AUTO s;
    MN_JSON_AUTO doc = NULL;
    struct mneme_error err = { 0 };
    char *text = NULL;

    (void)state;
    scene_init(&s);
    reject(&s, "mem-lost", 0.41, MN_REASON_FLOOR, NULL);
    reject(&s, "mem-far", 0.395, MN_REASON_FLOOR, NULL);
    struct mn_candidate *far = &s.r.trace.rejections.item[1].candidate;
    far->has_vector = true;
    far->raw_relevance = 0.12;
    mn_trace_degraded(&s.r.trace, "vector: no answer");
    const char *json = print(&s, &doc);
    assert_int_equal(mneme_trace_explain(json, &text, &err), MNEME_OK);
    static const char *const says[] = {
        "Trace trc_1",
        "tenant t, user ann, project lunest",
        "Mode  hybrid: in doubt, every source",
        "DEGRADED",
        "Chosen: 1 of 27 candidates, 90 of 700 tokens",
        "0.812  mem-chosen  repository_rule       repo:lunest-ios, explicit_user, FORCED",
        "why: is brought by a rule whose trigger fired (trigger: regex); says the same as mem-twin",
        "relevance 0.77, fit 0.50, scope 0.95, authority 1.00, freshness 0.98, confidence 0.90; "
        "found by text 2, rule 1",
        "0.410  mem-lost    fact                  is not close enough to the request: text 0.00, "
        "wanted 0.20 (floor, budget)",
        "0.395  mem-far     fact                  is not close enough to the request: relevance 0.12, "
        "wanted 0.25 (floor, budget)",
        "refund.limit: mem-200, mem-500; withheld mem-200, mem-500; ASK THE USER",
        "text           12 found      0.34 ms",
        "vector      SILENT: model: none",
        "Note   vector: no answer",
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        if (!strstr(text, says[i]))
            fail_msg("not said: %s\n%s", says[i], text);
    }
    free(text);
}

static void the_time_of_vectors_stands_with_the_text_that_was_asked_together_with_them(void **state)
{
    SCENE_AUTO s;
    MN_JSON_AUTO doc = NULL;
    char *text = NULL;

    (void)state;
    scene_init(&s);
    s.r.trace.source[MN_SOURCE_VECTOR] = (struct mn_trace_source){ true, 7, 0, NULL };
    assert_int_equal(mneme_trace_explain(print(&s, &doc), &text, NULL), MNEME_OK);
    if (!strstr(text, "vector          7 found     (with text)\n"))
        fail_msg("%s", text);
    free(text);
}

static void what_is_no_trace_is_refused_and_a_poor_one_is_read(void **state)
{
    static const char *const bad[] = {
        "", "x", "[]", "{}", "{\"version\":2}", "{\"version\":\"1\"}"
    };
    static const char *const poor[] = {
        "{\"version\":1}",
        "{\"version\":1,\"selected\":[1,null,{}],\"rejected\":{},\"sources\":\"x\",\"notes\":[3]}",
        "{\"version\":1,\"rejections\":[1],\"stages_us\":7,\"conflicts\":[{\"ids\":[{}]}],\"mode\":[]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mneme_error err = { 0 };
        char *text = NULL;

        assert_int_equal(mneme_trace_explain(bad[i], &text, &err), MNEME_INVALID);
        assert_null(text);
    }
    for (size_t i = 0; i < sizeof poor / sizeof *poor; i++) {
        char *text = NULL;

        assert_int_equal(mneme_trace_explain(poor[i], &text, NULL), MNEME_OK);
        free(text);
    }
}

static void every_stage_and_source_has_a_name(void **state)
{
    (void)state;
    for (int stage = 0; stage < MN_STAGE_COUNT; stage++)
        assert_true(mn_stage_name((enum mn_stage)stage)[0]);
    for (int source = 0; source < MN_SOURCE_COUNT; source++)
        assert_true(mn_source_name((enum mn_source)source)[0]);
    assert_string_equal(mn_stage_name(MN_STAGE_COUNT), "");
    assert_string_equal(mn_source_name(MN_SOURCE_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_says_everything_that_was_decided),
        cmocka_unit_test(a_trace_holds_no_word_of_a_memory_or_of_the_request),
        cmocka_unit_test(the_best_twenty_rejected_have_scores_and_the_others_their_reason),
        cmocka_unit_test(a_trace_without_room_goes_on_counting_and_says_so),
        cmocka_unit_test(a_long_note_is_cut_between_characters),
        cmocka_unit_test(explain_reads_the_json_alone_and_says_it_in_words),
        cmocka_unit_test(
            the_time_of_vectors_stands_with_the_text_that_was_asked_together_with_them),
        cmocka_unit_test(what_is_no_trace_is_refused_and_a_poor_one_is_read),
        cmocka_unit_test(every_stage_and_source_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
