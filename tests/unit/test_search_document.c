/*
 * test_search_document.c - a document holds all of its unit and a copy points nowhere else.
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
 * freed document, which AddressSanitizer sees. */
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

static void a_copy_outlives_its_document(void **state)
{
    struct mn_unit given = full_unit(), copy;
    struct mn_document *document = mn_document_new(&given);
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);

    (void)state;
    assert_non_null(document);
    compare(&document->unit, &given);
    assert_true(mn_document_copy(document, arena, &copy));
    memset(document, 0xee, document->bytes);
    free(document);
    compare(&copy, &given);
    assert_null(copy.vector);
    assert_int_equal(copy.vector_dim, 0);
}

static void absent_strings_become_empty(void **state)
{
    struct mn_unit given = { .memory = MNEME_MEMORY_INIT }, copy;
    struct mn_document *document = mn_document_new(&given);
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);

    (void)state;
    assert_non_null(document);
    assert_true(mn_document_copy(document, arena, &copy));
    free(document);
    assert_string_equal(copy.id, "");
    assert_string_equal(copy.speaker, "");
    assert_string_equal(copy.memory.attributes, "");
    assert_int_equal(copy.memory.keywords.count, 0);
    assert_int_equal(copy.memory.applies_to.count, 0);
}

static void a_full_arena_is_told(void **state)
{
    struct mn_unit given = full_unit(), copy = { .order = 77 };
    struct mn_document *document = mn_document_new(&given);
    MN_ARENA_AUTO arena = mn_arena_new(64);

    (void)state;
    assert_non_null(document);
    assert_false(mn_document_copy(document, arena, &copy));
    assert_int_equal(copy.order, 77);
    free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_outlives_its_document),
        cmocka_unit_test(absent_strings_become_empty),
        cmocka_unit_test(a_full_arena_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
