/*
 * test_search_document.c - a document holds all of its unit, and lives as long as somebody holds it.
 */
#include "search/document.h"

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
    struct mn_document *document = mn_document_new(&passing);
    mn_arena_free(arena);
    assert_non_null(document);
    compare(&document->unit, &given);
    assert_null(document->unit.vector);
    assert_int_equal(document->unit.vector_dim, 0);
    mn_document_release(document);
    mn_document_release(NULL);
}

static void a_held_document_outlives_its_maker_until_the_arena_ends(void **state)
{
    struct mn_unit given = full_unit();
    struct mn_document *document = mn_document_new(&given);
    struct mn_arena *arena = mn_arena_new(SIZE_MAX);
    struct mn_documents_held *held = mn_documents_held_new(arena, 2);

    (void)state;
    assert_non_null(document);
    assert_non_null(held);
    const struct mn_unit *unit = mn_document_hold(held, document);
    assert_ptr_equal(mn_document_hold(held, document), unit);
    assert_int_equal(atomic_load(&document->users), 3);
    mn_document_release(document);
    compare(unit, &given); /* the sanitizer would see that it was freed */
    assert_int_equal(atomic_load(&document->users), 2);
    mn_arena_free(arena); /* and that it was not */
}

static void absent_strings_become_empty(void **state)
{
    struct mn_unit given = { .memory = MNEME_MEMORY_INIT };
    struct mn_document *document = mn_document_new(&given);

    (void)state;
    assert_non_null(document);
    assert_string_equal(document->unit.id, "");
    assert_string_equal(document->unit.speaker, "");
    assert_string_equal(document->unit.memory.attributes, "");
    assert_int_equal(document->unit.memory.keywords.count, 0);
    assert_int_equal(document->unit.memory.applies_to.count, 0);
    mn_document_release(document);
}

static void a_full_arena_holds_nothing(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(64);

    (void)state;
    assert_null(mn_documents_held_new(arena, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_holds_all_of_its_unit),
        cmocka_unit_test(a_held_document_outlives_its_maker_until_the_arena_ends),
        cmocka_unit_test(absent_strings_become_empty),
        cmocka_unit_test(a_full_arena_holds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
