/*
 * test_search_document.c - a document holds all of its unit, and lives as long as somebody holds it.
 */
#include "search/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/record.h"

/* Every string of the record, each with its own text: a field forgotten in document.c points to the
 * arena it came from, freed by then, which AddressSanitizer sees. */
static struct mn_unit full_unit(void)
{
    static const char *const words[] = { "w1", "w2", "w3" };
    static const struct mneme_pair pairs[] = { { "os", "linux" }, { "python", ">=3" } };

    return (struct mn_unit){
        .kind = MN_UNIT_PASSAGE,
        .id = "id",
        .parent_id = "parent",
        .memory = { .size = sizeof(struct mneme_memory),
                    .id = "parent",
                    .tenant_id = "tenant",
                    .user_id = "user",
                    .agent_id = "agent",
                    .scope_kind = MNEME_SCOPE_REPO,
                    .scope_id = "scope",
                    .type = "fact",
                    .memory_key = "key",
                    .value = "value",
                    .title = "title",
                    .content = "content",
                    .summary = "summary",
                    .keywords = { words, 1 },
                    .usage_scenario = { words, 2 },
                    .entities = { words, 3 },
                    .category = "category",
                    .project = "project",
                    .module = "module",
                    .authority = MNEME_EXPLICIT_USER,
                    .confidence = 0.5,
                    .importance = 0.25,
                    .sensitivity = MNEME_SECRET,
                    .requires_permission = "permission",
                    .risk = MNEME_RISK_HIGH,
                    .applies_to = { pairs, 2 },
                    .valid_from_ms = 1,
                    .valid_until_ms = 2,
                    .event_time_ms = 3,
                    .status = MNEME_ACTIVE,
                    .version = 4,
                    .supersedes = "older",
                    .revision = 5,
                    .content_hash =
                        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                    .provenance = { words + 1, 1 },
                    .created_at_ms = 6,
                    .updated_at_ms = 7,
                    .confirmed_at_ms = 8,
                    .attributes = "{\"a\":1}" },
        .confidence = 0.75,
        .is_event = true,
        .session_id = "session",
        .order = 9,
        .speaker = "speaker",
        .vector = (const float *)words,
        .vector_dim = 4
    };
}

static void compare(const struct mn_unit *a, const struct mn_unit *b)
{
    char *x = NULL, *y = NULL;
    struct mneme_error err = { 0 };
    const struct mneme_record record_a = { .kind = MNEME_RECORD_MEMORY, .memory = &a->memory };
    const struct mneme_record record_b = { .kind = MNEME_RECORD_MEMORY, .memory = &b->memory };

    if (mneme_record_print(&record_a, &x, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_int_equal(mneme_record_print(&record_b, &y, NULL), MNEME_OK);
    assert_string_equal(x, y);
    mneme_free(x);
    mneme_free(y);
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->parent_id, b->parent_id);
    assert_string_equal(a->session_id, b->session_id);
    assert_string_equal(a->speaker, b->speaker);
    assert_true(a->kind == b->kind && a->is_event == b->is_event && a->order == b->order);
    assert_float_equal(a->confidence, b->confidence, 0);
}

static void a_document_holds_all_of_its_unit(void **state)
{
    struct mn_arena *arena = mn_arena_new(SIZE_MAX);
    struct mn_unit given = full_unit(), passing = given;

    (void)state;
    assert_int_equal(mn_memory_copy(&given.memory, arena, &passing.memory, NULL), MNEME_OK);
    passing.id = mn_arena_copy(arena, given.id);
    passing.parent_id = mn_arena_copy(arena, given.parent_id);
    passing.session_id = mn_arena_copy(arena, given.session_id);
    passing.speaker = mn_arena_copy(arena, given.speaker);
    struct mn_documents *documents = mn_documents_new();
    struct mn_unit read;

    assert_non_null(documents);
    uint32_t at = mn_documents_add(documents, &passing);
    mn_arena_free(arena);
    assert_true(at);
    arena = mn_arena_new(SIZE_MAX);
    assert_true(mn_documents_read(documents, at, arena, &read));
    compare(&read, &given);
    assert_null(read.vector);
    assert_int_equal(read.vector_dim, 0);
    assert_string_equal(mn_documents_id(documents, at), "id");
    mn_documents_release(documents);
    mn_documents_release(NULL);
    mn_arena_free(arena);
}

static void figures_come_back_as_they_were_whatever_they_are(void **state)
{
    static const int64_t instants[] = { 0, 1, -1, INT64_MAX, INT64_MIN, INT64_C(1790000000000) };
    static const double shares[] = { 0, 0.5, 1, 0.07, 1.0 / 3, 0.005, 1.5, -1, 1e-300 };
    struct mn_documents *documents = mn_documents_new();

    (void)state;
    assert_non_null(documents);
    for (size_t i = 0; i < sizeof instants / sizeof *instants; i++)
        for (size_t j = 0; j < sizeof shares / sizeof *shares; j++) {
            MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
            struct mn_unit given = { .id = "x", .memory = MNEME_MEMORY_INIT }, read;

            given.memory.created_at_ms = instants[i];
            given.memory.updated_at_ms = instants[(i + 1) % 6];
            given.memory.valid_from_ms = instants[(i + 2) % 6];
            given.memory.valid_until_ms = instants[(i + 3) % 6];
            given.memory.event_time_ms = instants[(i + 4) % 6];
            given.memory.version = instants[i];
            given.order = instants[(i + 5) % 6];
            given.memory.confidence = shares[j];
            given.memory.importance = given.confidence = shares[(j + 1) % 9];
            uint32_t at = mn_documents_add(documents, &given);
            assert_true(at && mn_documents_read(documents, at, arena, &read));
            assert_true(read.memory.created_at_ms == given.memory.created_at_ms &&
                        read.memory.updated_at_ms == given.memory.updated_at_ms &&
                        read.memory.valid_from_ms == given.memory.valid_from_ms &&
                        read.memory.valid_until_ms == given.memory.valid_until_ms &&
                        read.memory.event_time_ms == given.memory.event_time_ms &&
                        read.memory.version == given.memory.version &&
                        read.order == given.order);
            assert_float_equal(read.memory.confidence, given.memory.confidence, 0);
            assert_float_equal(read.memory.importance, given.memory.importance, 0);
            assert_float_equal(read.confidence, given.confidence, 0);
        }
    mn_documents_release(documents);
}

static void a_hash_that_is_no_digest_stays_as_it_is(void **state)
{
    static const char *const hashes[] = {
        "", "0123", "ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef0123456789",
        "g123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    };
    struct mn_documents *documents = mn_documents_new();

    (void)state;
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        struct mn_unit given = { .id = "x", .memory = MNEME_MEMORY_INIT }, read;

        given.memory.content_hash = hashes[i];
        uint32_t at = mn_documents_add(documents, &given);
        assert_true(at && mn_documents_read(documents, at, arena, &read));
        assert_string_equal(read.memory.content_hash, hashes[i]);
    }
    mn_documents_release(documents);
}

static void names_that_repeat_are_kept_once(void **state)
{
    struct mn_documents *documents = mn_documents_new();
    struct mn_unit unit = full_unit();
    size_t before;

    (void)state;
    assert_true(mn_documents_add(documents, &unit));
    before = mn_documents_bytes(documents);
    for (int i = 0; i < 100; i++) /* each has more than 200 bytes by itself */
        assert_true(mn_documents_add(documents, &unit));
    assert_true(mn_documents_bytes(documents) < before + 100 * 260);
    mn_documents_release(documents);
}

static void what_is_held_outlives_the_index_until_the_arena_ends(void **state)
{
    struct mn_unit given = full_unit(), read;
    struct mn_documents *documents = mn_documents_new();
    struct mn_arena *arena = mn_arena_new(SIZE_MAX);
    uint32_t at = mn_documents_add(documents, &given);

    (void)state;
    assert_true(at);
    assert_true(mn_documents_hold(documents, arena));
    assert_true(mn_documents_read(documents, at, arena, &read));
    mn_documents_release(documents);
    compare(&read, &given); /* the sanitizer would see that it was freed */
    mn_arena_free(arena);   /* and that it was not */
}

static void absent_strings_become_empty(void **state)
{
    struct mn_unit given = { .memory = MNEME_MEMORY_INIT }, read;
    struct mn_documents *documents = mn_documents_new();
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    uint32_t at = mn_documents_add(documents, &given);

    (void)state;
    assert_true(at && mn_documents_read(documents, at, arena, &read));
    assert_string_equal(read.id, "");
    assert_string_equal(read.speaker, "");
    assert_string_equal(read.memory.attributes, "");
    assert_int_equal(read.memory.keywords.count, 0);
    assert_int_equal(read.memory.applies_to.count, 0);
    mn_documents_release(documents);
}

static void a_full_arena_holds_nothing(void **state)
{
    struct mn_documents *documents = mn_documents_new();
    struct mn_unit given = full_unit(), read;
    MN_ARENA_AUTO arena = mn_arena_new(1);
    uint32_t at = mn_documents_add(documents, &given);

    (void)state;
    assert_false(mn_documents_hold(documents, arena));
    assert_false(mn_documents_read(documents, at, arena, &read));
    mn_documents_release(documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_holds_all_of_its_unit),
        cmocka_unit_test(figures_come_back_as_they_were_whatever_they_are),
        cmocka_unit_test(a_hash_that_is_no_digest_stays_as_it_is),
        cmocka_unit_test(names_that_repeat_are_kept_once),
        cmocka_unit_test(what_is_held_outlives_the_index_until_the_arena_ends),
        cmocka_unit_test(absent_strings_become_empty),
        cmocka_unit_test(a_full_arena_holds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
