/*
 * test_merge.c - stage 6: what is one memory, what are two, and who survives.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/candidates.h"
#include "retrieve/stages.h"

#define TEA "Green tea in the morning is what I like best."
#define TEA_REWORDED "Green tea in the morning is what I always like best."

static struct mn_model_profile profile;
static struct mn_trace trace;

/* Merges the candidates of these memories, `cosine` between any two of them (NAN: no vectors). */
static void merge(struct mn_arena *arena, struct mn_candidates *found, float cosine)
{
    float *value = mn_arena_array(arena, float, found->count * found->count);
    struct mn_similarity similarity = { cosine == cosine ? found->count : 0, value };

    profile.duplicate_cosine = 0.80f;
    trace = (struct mn_trace){ .arena = arena };
    for (size_t i = 0; i < found->count * found->count; i++)
        value[i] = cosine;
    for (size_t i = 0; i < found->count && cosine == cosine; i++) {
        found->item[i].similarity_at = i;
        found->item[i].has_vector = true;
    }
    assert_int_equal(mn_merge_apply(&similarity, &profile, arena, found, &trace, NULL), MNEME_OK);
    assert_int_equal(trace.deduplicated_count, found->count);
}

static size_t left_of_two(const struct mneme_memory *a, const struct mneme_memory *b, float cosine)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mn_candidate item[] = { a_candidate(a), a_candidate(b) };
    struct mn_candidates found = { item, 2, 2 };

    merge(arena, &found, cosine);
    return found.count;
}

static void what_only_a_case_or_a_height_tells_apart_stays_two(void **state)
{
    static const char *const pair[][2] = { { "The limit is 20 MB", "The limit is 20 Mb" },
                                           { "Ask US first", "Ask us first" },
                                           { "The area is 5²", "The area is 52" } };

    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        struct mneme_memory a = an_answer("m-a", "", "", pair[i][0]);
        struct mneme_memory b = an_answer("m-b", "", "", pair[i][1]);
        struct mneme_memory c = an_answer("m-c", "limit", "20 MB", "At most so much.");
        struct mneme_memory d = an_answer("m-d", "limit", "20 Mb", "No more than that.");

        a.content_hash = b.content_hash = "one";
        assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
        b.content = a.content;
        assert_int_equal(left_of_two(&a, &b, 1.0f), 1);
        assert_int_equal(left_of_two(&c, &d, 1.0f), 2);
    }
}

static void one_key_and_one_value_in_three_phrasings_are_one_and_the_strongest_survives(
    void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory a = an_answer("m-a", "style", "concise", "Keep answers short.");
    struct mneme_memory b = an_answer("m-b", "style", "Concise ", "Come to the point at once.");
    struct mneme_memory c = an_answer("m-c", "style", "concise", "I like engineers' prose.");
    struct mneme_memory other = an_answer("m-d", "tone", "concise", "The tone should be concise.");

    (void)state;
    c.confidence = 1.0;
    struct mn_candidate item[] = { a_candidate(&a), a_candidate(&b), a_candidate(&c),
                                   a_candidate(&other) };
    struct mn_candidates found = { item, 4, 4 };
    item[0].text = 0.4;
    item[0].coverage = 0.3;
    item[0].found[MN_SOURCE_TEXT] = (struct mn_finding){ .rank = 2, .raw = 0.4 };
    item[1].raw_relevance = 0.7;
    item[1].path_confidence = 0.5;
    item[2].text = 0.1;
    merge(arena, &found, NAN);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.item[0].memory->id, "m-c");
    assert_int_equal(found.item[0].merged_count, 2);
    assert_string_equal(found.item[0].merged_from[0], "m-a");
    assert_string_equal(found.item[0].merged_from[1], "m-b");
    assert_true(found.item[0].text == 0.4 && found.item[0].coverage == 0.3);
    assert_true(found.item[0].raw_relevance == 0.7 && found.item[0].path_confidence == 0.5);
    assert_int_equal(found.item[0].found[MN_SOURCE_TEXT].rank, 2);
    assert_string_equal(found.item[1].memory->id, "m-d");
    assert_int_equal(found.item[1].merged_count, 0);
    assert_null(found.item[1].merged_from);
    assert_int_equal(trace.reason_count[MN_REASON_MERGED], 2);
    assert_string_equal(trace.rejections.item[0].by, "m-c");
}

static void one_key_with_two_values_never_merges_however_alike_the_texts(void **state)
{
    struct mneme_memory a = an_answer("m-a", "dose", "20 mg", TEA);
    struct mneme_memory b = an_answer("m-b", "dose", "25 mg", TEA);

    (void)state;
    a.content_hash = b.content_hash = "same";
    assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
    b.value = "20 mg";
    assert_int_equal(left_of_two(&a, &b, NAN), 1);
}

static void the_same_text_is_one_for_one_section_and_compatible_keys(void **state)
{
    struct mneme_memory a = a_memory("m-a", "fact", "Alpha.");
    struct mneme_memory b = a_memory("m-b", "fact", "Beta.");

    (void)state;
    a.content_hash = "h1";
    b.content_hash = "h2";
    assert_int_equal(left_of_two(&a, &b, NAN), 2);
    b.content_hash = "h1";
    b.content = "alpha.";
    assert_int_equal(left_of_two(&a, &b, NAN), 1);
    b.user_id = "";
    assert_int_equal(left_of_two(&a, &b, NAN), 1);
    b.type = "project_constraint";
    assert_int_equal(left_of_two(&a, &b, NAN), 2);
    a.type = "repository_rule";
    assert_int_equal(left_of_two(&a, &b, NAN), 1);
    a.memory_key = "one";
    assert_int_equal(left_of_two(&a, &b, NAN), 1);
    b.memory_key = "two";
    assert_int_equal(left_of_two(&a, &b, NAN), 2);
}

static void the_same_incident_on_two_days_is_two(void **state)
{
    struct mneme_memory a = a_memory("m-a", "incident", "The database was down.");
    struct mneme_memory b = a_memory("m-b", "incident", "The database was down.");

    (void)state;
    a.content_hash = b.content_hash = "h";
    a.event_time_ms = b.event_time_ms = NOW_MS;
    assert_int_equal(left_of_two(&a, &b, 1.0f), 1);
    b.event_time_ms = NOW_MS - DAY_MS;
    assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
}

static void turns_merge_only_where_one_speaker_repeats_himself_in_one_session(void **state)
{
    static const struct {
        const char *session, *speaker, *hash;
        size_t left;
    } second[] = {
        { "s1", "Ann", "h", 1 },
        { "s2", "Ann", "h", 2 },
        { "s1", "Bob", "h", 2 },
        { "s1", "Ann", "other", 2 },
    };
    struct mneme_memory a = a_memory("m-a", "event", TEA);
    struct mneme_memory b = a_memory("m-b", "event", TEA " ");

    (void)state;
    a.content_hash = "h";
    b.event_time_ms = NOW_MS;
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
        struct mn_candidate item[] = { a_candidate(&a), a_candidate(&b) };
        struct mn_candidates found = { item, 2, 2 };

        b.content_hash = second[i].hash;
        item[0].is_event = item[1].is_event = true;
        item[0].session_id = "s1";
        item[0].speaker = "Ann";
        item[1].session_id = second[i].session;
        item[1].speaker = second[i].speaker;
        merge(arena, &found, 1.0f);
        assert_int_equal(found.count, second[i].left);
    }
}

static void a_turn_never_stands_for_the_memory_drawn_from_it(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory turn = a_memory("m-a", "event", TEA);
    struct mneme_memory drawn = a_memory("m-b", "event", TEA);
    struct mn_candidate item[] = { a_candidate(&turn), a_candidate(&drawn) };
    struct mn_candidates found = { item, 2, 2 };

    (void)state;
    turn.content_hash = drawn.content_hash = "h";
    item[0].is_event = true;
    merge(arena, &found, 1.0f);
    assert_int_equal(found.count, 2);
}

static void a_turn_goes_into_what_was_drawn_from_it_unless_it_says_more(void **state)
{
    static const char *const source[] = { "e-1" };
    static const char *const none[] = { "e-9" };
    static const struct {
        const char *turn, *first, *second;
        size_t left;
    } rows[] = {
        { "Please remember that the spare key hangs behind the boiler.",
          "The spare key hangs behind the boiler.", NULL, 1 },
        { "请记住备用钥匙挂在锅炉后面。", "备用钥匙挂在锅炉后面。", NULL, 1 },
        { "Remember that the spare key hangs behind the boiler. Bob has the other one.",
          "The spare key hangs behind the boiler.", NULL, 2 },
        { "The spare key hangs behind the boiler. From now on, lock the cellar at night.",
          "The spare key hangs behind the boiler.", "Lock the cellar at night.", 2 },
        { "The spare key hangs behind the boiler. From now on, lock the cellar at night.",
          "The spare key hangs behind the boiler.", NULL, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
        struct mneme_memory turn = an_answer("e-1", "", "", rows[i].turn);
        struct mneme_memory first = an_answer("m-1", "", "", rows[i].first);
        struct mneme_memory second = an_answer("m-2", "", "", rows[i].second);
        struct mn_candidate item[] = { a_candidate(&turn), a_candidate(&first),
                                       a_candidate(&second) };
        struct mn_candidates found = { item, rows[i].second ? 3 : 2, 3 };

        item[0].is_event = true;
        item[0].raw_relevance = 0.9;
        first.provenance = (struct mneme_list){ source, 1 };
        second.provenance = first.provenance;
        merge(arena, &found, NAN);
        assert_int_equal(found.count, rows[i].left);
        if (rows[i].left == (rows[i].second ? 2u : 1u)) {
            assert_string_equal(found.item[0].memory->id, "m-1");
            assert_string_equal(found.item[0].merged_from[0], "e-1");
            assert_true(found.item[0].raw_relevance == 0.9); /* it is as good an answer */
        }
    }

    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory turn = an_answer("e-1", "", "", "Remember that tea is hot.");
    struct mneme_memory other = an_answer("m-1", "", "", "Tea is hot.");
    struct mn_candidate item[] = { a_candidate(&turn), a_candidate(&other) };
    struct mn_candidates found = { item, 2, 2 };

    item[0].is_event = true;
    other.provenance = (struct mneme_list){ none, 1 }; /* drawn from another turn */
    merge(arena, &found, NAN);
    assert_int_equal(found.count, 2);
    other.provenance = (struct mneme_list){ source, 1 };
    other.user_id = "bob"; /* another's */
    merge(arena, &found, NAN);
    assert_int_equal(found.count, 2);
}

static void what_went_into_a_turn_goes_on_with_it(void **state)
{
    static const char *const source[] = { "e-1" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory a = an_answer("e-1", "", "", "Remember that tea is hot.");
    struct mneme_memory b = an_answer("e-2", "", "", "Remember that tea is hot.");
    struct mneme_memory drawn = an_answer("m-1", "", "", "Tea is hot.");
    struct mn_candidate item[] = { a_candidate(&a), a_candidate(&b), a_candidate(&drawn) };
    struct mn_candidates found = { item, 3, 3 };

    (void)state;
    item[0].is_event = item[1].is_event = true;
    a.confidence = 1.0;
    a.content_hash = b.content_hash = "tea";
    drawn.provenance = (struct mneme_list){ source, 1 };
    merge(arena, &found, NAN);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.item[0].memory->id, "m-1");
    assert_int_equal(found.item[0].merged_count, 2);
}

static void a_rewording_is_nominated_at_the_profile_s_cosine_and_not_below(void **state)
{
    struct mneme_memory a = a_memory("m-a", "fact", TEA);
    struct mneme_memory b = a_memory("m-b", "fact", TEA_REWORDED);

    (void)state;
    assert_int_equal(left_of_two(&a, &b, 0.80f), 1);
    assert_int_equal(left_of_two(&a, &b, 0.7999f), 2);
    assert_int_equal(left_of_two(&a, &b, NAN), 1); /* nominated by its looks */
    b.scope_id = "elsewhere";
    assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
    b.scope_id = a.scope_id;
    b.user_id = "";
    assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
    b.user_id = a.user_id;
    b.type = "incident";
    assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
    b.type = a.type;
    a.memory_key = "one";
    assert_int_equal(left_of_two(&a, &b, 1.0f), 1);
    b.memory_key = "two";
    assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
}

static void rivals_never_merge_however_near_their_vectors(void **state)
{
    static const char *const pair[][2] = {
        { "The ferry leaves at 9 from the east pier.",
          "The ferry leaves at 10 from the east pier." },
        { "码头自助终端允许游客模式登录。", "码头自助终端禁止游客模式登录。" },
        { "At Westpier the Aurora hands its passengers over to the Borealis.",
          "At Westpier the Borealis hands its passengers over to the Aurora." },
    };

    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        struct mneme_memory a = a_memory("m-a", "fact", pair[i][0]);
        struct mneme_memory b = a_memory("m-b", "fact", pair[i][1]);

        assert_int_equal(left_of_two(&a, &b, 1.0f), 2);
    }
}

static void a_forced_duplicate_survives_a_stronger_unforced_one(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory weak = an_answer("m-a", "k", "v", "Weak.");
    struct mneme_memory strong = an_answer("m-b", "k", "v", "Strong.");
    struct mn_candidate item[2];
    struct mn_candidates found = { item, 2, 2 };

    (void)state;
    weak.authority = MNEME_MODEL_INFERENCE;
    item[0] = a_candidate(&strong);
    item[1] = a_candidate(&weak);
    item[1].forced = true;
    merge(arena, &found, NAN);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.item[0].memory->id, "m-a");
}

static void a_survivor_without_a_key_answers_the_key_it_took_in(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory plain = a_memory("m-a", "user_preference", "Tea.");
    struct mneme_memory keyed = an_answer("m-b", "drink", "tea", "Tea.");
    struct mneme_memory rival = an_answer("m-c", "drink", "coffee", "Tea.");
    struct mn_candidate item[3];
    struct mn_candidates found = { item, 3, 3 };

    (void)state;
    plain.content_hash = keyed.content_hash = rival.content_hash = "h";
    keyed.authority = rival.authority = MNEME_MODEL_INFERENCE;
    rival.confidence = 0.8;
    item[0] = a_candidate(&plain);
    item[1] = a_candidate(&keyed);
    item[2] = a_candidate(&rival);
    merge(arena, &found, 1.0f);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.item[0].memory->id, "m-a");
    assert_ptr_equal(found.item[0].answer, &keyed);
    assert_string_equal(found.item[1].memory->id, "m-c");
}

static void a_link_inside_one_owner_is_one_memory_and_across_owners_nothing(void **state)
{
    struct mneme_memory old = a_memory("m-a", "fact", "Nordwerk services the ramp.");
    struct mneme_memory new = a_memory("m-b", "fact", "Kaihilfe looks after the motor now.");

    (void)state;
    new.supersedes = "m-a";
    assert_int_equal(left_of_two(&old, &new, NAN), 1);
    new.user_id = "";
    assert_int_equal(left_of_two(&old, &new, NAN), 2);
    new.user_id = old.user_id;
    new.supersedes = "m-b";
    assert_int_equal(left_of_two(&old, &new, NAN), 2);
}

static void a_checkpoint_never_merges(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory a = an_answer("m-a", "k", "v", TEA);
    struct mneme_memory b = an_answer("m-b", "k", "v", TEA);
    struct mn_candidate item[] = { a_candidate(&a), a_candidate(&b) };
    struct mn_candidates found = { item, 2, 2 };

    (void)state;
    a.content_hash = b.content_hash = "h";
    item[0].is_checkpoint = item[1].is_checkpoint = true;
    merge(arena, &found, 1.0f);
    assert_int_equal(found.count, 2);
}

static void the_order_of_what_stays_is_kept_and_nothing_is_nothing(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mneme_memory memory[] = { a_memory("m-3", "fact", "Three boats."),
                                     a_memory("m-1", "fact", "One harbour."),
                                     a_memory("m-2", "fact", "Two winds.") };
    struct mn_candidate item[] = { a_candidate(&memory[0]), a_candidate(&memory[1]),
                                   a_candidate(&memory[2]) };
    struct mn_candidates found = { item, 3, 3 };

    (void)state;
    merge(arena, &found, 0.0f);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.item[0].memory->id, "m-3");
    assert_string_equal(found.item[2].memory->id, "m-2");
    found.count = 0;
    merge(arena, &found, NAN);
    assert_int_equal(found.count, 0);
}

static void no_memory_is_a_status_and_changes_nothing(void **state)
{
    struct mneme_memory a = an_answer("m-a", "k", "v", "Alpha.");
    struct mneme_memory b = an_answer("m-b", "k", "v", "Beta.");
    struct mn_similarity none = { 0 };

    (void)state;
    for (size_t bytes = 0; bytes < 1 << 16; bytes += 64) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);
        struct mn_candidate item[] = { a_candidate(&a), a_candidate(&b) };
        struct mn_candidates found = { item, 2, 2 };
        struct mn_trace counts = { 0 };

        if (mn_merge_apply(&none, &profile, arena, &found, &counts, NULL) == MNEME_OK) {
            assert_true(bytes > 0);
            return;
        }
        assert_int_equal(found.count, 2);
        assert_null(found.item[0].merged_from);
        assert_int_equal(counts.reason_count[MN_REASON_MERGED], 0);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_a_case_or_a_height_tells_apart_stays_two),
        cmocka_unit_test(
            one_key_and_one_value_in_three_phrasings_are_one_and_the_strongest_survives),
        cmocka_unit_test(one_key_with_two_values_never_merges_however_alike_the_texts),
        cmocka_unit_test(the_same_text_is_one_for_one_section_and_compatible_keys),
        cmocka_unit_test(the_same_incident_on_two_days_is_two),
        cmocka_unit_test(turns_merge_only_where_one_speaker_repeats_himself_in_one_session),
        cmocka_unit_test(a_turn_never_stands_for_the_memory_drawn_from_it),
        cmocka_unit_test(a_turn_goes_into_what_was_drawn_from_it_unless_it_says_more),
        cmocka_unit_test(what_went_into_a_turn_goes_on_with_it),
        cmocka_unit_test(a_rewording_is_nominated_at_the_profile_s_cosine_and_not_below),
        cmocka_unit_test(rivals_never_merge_however_near_their_vectors),
        cmocka_unit_test(a_forced_duplicate_survives_a_stronger_unforced_one),
        cmocka_unit_test(a_survivor_without_a_key_answers_the_key_it_took_in),
        cmocka_unit_test(a_link_inside_one_owner_is_one_memory_and_across_owners_nothing),
        cmocka_unit_test(a_checkpoint_never_merges),
        cmocka_unit_test(the_order_of_what_stays_is_kept_and_nothing_is_nothing),
        cmocka_unit_test(no_memory_is_a_status_and_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
