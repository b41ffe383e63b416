/*
 * test_memory_record.c - what a record must be, and what is derived where it says nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "memory/record.h"

#define NOW_MS INT64_C(1790000000000)

static struct mneme_memory good(void)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = "t";
    m.user_id = "ann";
    m.content = "Prefers Python for scripts.";
    return m;
}

static void refused(const struct mneme_memory *m, enum mneme_status status, const char *field)
{
    struct mneme_error err = { 0 };

    assert_int_equal(mn_memory_check(m, &err), status);
    assert_string_equal(err.field, field);
    assert_int_equal(strncmp(err.message, field, strlen(field)), 0);
}

static char *text_of(size_t bytes)
{
    char *text = malloc(bytes + 1);

    memset(text, 'x', bytes);
    text[bytes] = '\0';
    return text;
}

static void little_is_needed(void **state)
{
    struct mneme_memory m = good();

    (void)state;
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.content = "";
    refused(&m, MNEME_INVALID, "content");
    m.content = " \n\t\xe3\x80\x80\xe2\x80\x8b"; /* nothing to see */
    refused(&m, MNEME_INVALID, "content");
    m.content = NULL;
    refused(&m, MNEME_INVALID, "content");
    m = good();
    m.tenant_id = NULL;
    refused(&m, MNEME_INVALID, "tenant_id");
}

/* One byte more than the limit is refused; the limit itself is not. */
static void limit_is(struct mneme_memory *m, const char **member, size_t limit, const char *field)
{
    const char *before = *member;
    char *text = text_of(limit + 1);

    *member = text;
    refused(m, MNEME_LIMIT, field);
    text[limit] = '\0';
    assert_int_equal(mn_memory_check(m, NULL), MNEME_OK);
    *member = before;
    free(text);
}

static void every_text_has_its_limit(void **state)
{
    struct mneme_memory m = good();

    (void)state;
    m.memory_key = "k";
    limit_is(&m, &m.id, MNEME_ID_BYTES_MAX, "id");
    limit_is(&m, &m.tenant_id, MNEME_ID_BYTES_MAX, "tenant_id");
    limit_is(&m, &m.user_id, MNEME_ID_BYTES_MAX, "user_id");
    limit_is(&m, &m.agent_id, MNEME_ID_BYTES_MAX, "agent_id");
    limit_is(&m, &m.memory_key, MNEME_NAME_BYTES_MAX, "memory_key");
    limit_is(&m, &m.value, MNEME_TEXT_BYTES_MAX, "value");
    limit_is(&m, &m.title, MNEME_NAME_BYTES_MAX, "title");
    limit_is(&m, &m.content, MNEME_TEXT_BYTES_MAX, "content");
    limit_is(&m, &m.summary, MNEME_TEXT_BYTES_MAX, "summary");
    limit_is(&m, &m.category, MNEME_NAME_BYTES_MAX, "category");
    limit_is(&m, &m.project, MNEME_NAME_BYTES_MAX, "project");
    limit_is(&m, &m.module, MNEME_NAME_BYTES_MAX, "module");
    limit_is(&m, &m.requires_permission, MNEME_ID_BYTES_MAX, "requires_permission");
    limit_is(&m, &m.supersedes, MNEME_ID_BYTES_MAX, "supersedes");
    m.scope_kind = MNEME_SCOPE_REPO;
    m.scope_id = "r";
    limit_is(&m, &m.scope_id, MNEME_ID_BYTES_MAX, "scope_id");
}

static void lists_have_limits_and_no_empty_items(void **state)
{
    static const char *item[MNEME_LIST_ITEMS_MAX + 1];
    struct mneme_memory m = good();
    char *name = text_of(MNEME_NAME_BYTES_MAX + 1);

    (void)state;
    for (size_t i = 0; i <= MNEME_LIST_ITEMS_MAX; i++)
        item[i] = "word";
    m.keywords = (struct mneme_list){ item, MNEME_LIST_ITEMS_MAX };
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.keywords.count++;
    refused(&m, MNEME_LIMIT, "keywords");
    m.keywords = (struct mneme_list){ NULL, 0 };
    m.entities = (struct mneme_list){ item, 8 };
    item[7] = "";
    refused(&m, MNEME_INVALID, "entities[7]");
    item[7] = "\xc3";
    refused(&m, MNEME_INVALID, "entities[7]");
    item[7] = name;
    refused(&m, MNEME_LIMIT, "entities[7]");
    name[MNEME_NAME_BYTES_MAX] = '\0';
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    item[7] = "word";
    m.entities.count = 0;
    m.applies_to =
        (struct mneme_pairs){ (struct mneme_pair[]){ { "os", "ios" }, { "os", "x" } }, 2 };
    refused(&m, MNEME_INVALID, "applies_to");
    m.applies_to.count = 1;
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    free(name);
}

static void text_is_utf8_and_ids_hold_no_control_characters(void **state)
{
    struct mneme_memory m = good();

    (void)state;
    m.content = "caf\xe9";
    refused(&m, MNEME_INVALID, "content");
    m = good();
    m.title = "\xed\xa0\x80"; /* a surrogate */
    refused(&m, MNEME_INVALID, "title");
    m = good();
    m.user_id = "ann\x01";
    refused(&m, MNEME_INVALID, "user_id");
    m.user_id = "ann\x7f";
    refused(&m, MNEME_INVALID, "user_id");
    m.user_id = "ann\n"; /* would make a line of its own wherever ids are printed */
    refused(&m, MNEME_INVALID, "user_id");
    m = good();
    m.content = "a terminal says \x1b[31mred";
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
}

static void numbers_are_numbers_in_their_range(void **state)
{
    struct mneme_memory m = good();

    (void)state;
    m.confidence = (double)NAN;
    refused(&m, MNEME_INVALID, "confidence");
    m.confidence = 1.0;
    m.importance = 1.0000001;
    refused(&m, MNEME_INVALID, "importance");
    m.importance = (double)INFINITY;
    refused(&m, MNEME_INVALID, "importance");
    m.importance = 0.0;
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.version = -1;
    refused(&m, MNEME_INVALID, "version");
    m = good();
    m.sensitivity = (enum mneme_sensitivity)5;
    refused(&m, MNEME_INVALID, "sensitivity");
    m = good();
    m.status = (enum mneme_memory_status) - 1;
    refused(&m, MNEME_INVALID, "status");
    m = good();
    m.event_time_ms = INT64_MAX;
    refused(&m, MNEME_INVALID, "event_time");
    m.event_time_ms = INT64_C(253402300799999); /* the last of 9999 */
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.event_time_ms++;
    refused(&m, MNEME_INVALID, "event_time");
    m = good();
    m.content_hash = "abc";
    refused(&m, MNEME_INVALID, "content_hash");
}

static void a_scope_has_an_id_exactly_when_it_is_not_global(void **state)
{
    struct mneme_memory m = good();

    (void)state;
    m.scope_id = "p";
    refused(&m, MNEME_INVALID, "scope_kind");
    m.scope_kind = MNEME_SCOPE_GLOBAL;
    refused(&m, MNEME_INVALID, "scope_id");
    m.scope_id = "";
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    for (int scope = MNEME_SCOPE_PROJECT; scope <= MNEME_SCOPE_SESSION; scope++) {
        m.scope_kind = (enum mneme_scope)scope;
        m.scope_id = NULL;
        refused(&m, MNEME_INVALID, "scope_id");
        m.scope_id = "x";
        assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    }
    m.scope_kind = MNEME_SCOPE_USER;
    refused(&m, MNEME_INVALID, "scope_id");
    m.scope_id = "ann";
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.scope_id = ""; /* derived */
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
}

static void shared_rows_stand_in_four_scopes(void **state)
{
    struct mneme_memory m = good();

    (void)state;
    m.user_id = "";
    for (int scope = MNEME_SCOPE_GLOBAL; scope <= MNEME_SCOPE_SESSION; scope++) {
        m.scope_kind = (enum mneme_scope)scope;
        m.scope_id = scope == MNEME_SCOPE_GLOBAL ? "" : "x";
        if (scope == MNEME_SCOPE_USER || scope == MNEME_SCOPE_SESSION)
            refused(&m, MNEME_INVALID, "scope_kind");
        else
            assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    }
}

static void fields_do_not_contradict_each_other(void **state)
{
    struct mneme_memory m = good();
    struct mneme_error err = { 0 };

    (void)state;
    m.value = "python";
    refused(&m, MNEME_INVALID, "value");
    m.memory_key = "user.language";
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.valid_from_ms = 2000;
    m.valid_until_ms = 2000;
    refused(&m, MNEME_INVALID, "valid_until");
    m.valid_until_ms = 2001;
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.supersedes = "mem_1";
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.id = "mem_1";
    refused(&m, MNEME_INVALID, "supersedes");
    m = good();
    m.attributes = "[1]";
    refused(&m, MNEME_INVALID, "attributes");
    m.attributes = "{\"a\":NaN}";
    refused(&m, MNEME_INVALID, "attributes");
    m.attributes = "{\"a\":1}";
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    m.type = "preference";
    assert_int_equal(mn_memory_check(&m, &err), MNEME_INVALID);
    assert_string_equal(err.field, "type");
    assert_non_null(strstr(err.message, "'preference'"));
    assert_non_null(strstr(err.message, "user_preference, "));
    assert_non_null(strstr(err.message, ", session_summary"));
}

static void structs_of_older_callers_are_taken_over_and_newer_ones_refused(void **state)
{
    struct mneme_memory m = good();
    struct mneme_memory whole;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    m.confirmed_at_ms = 5;
    m.attributes = "no JSON: not read";
    m.size = offsetof(struct mneme_memory, confirmed_at_ms);
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    assert_int_equal(mn_memory_complete(&m, NOW_MS, arena, &whole, NULL), MNEME_OK);
    assert_int_equal(whole.size, sizeof whole);
    assert_int_equal(whole.confirmed_at_ms, 0);
    assert_string_equal(whole.attributes, "{}");
    m.size = 0;
    refused(&m, MNEME_INVALID, "size");
    m.size = sizeof m + 8;
    refused(&m, MNEME_INVALID, "size");
    m.size = sizeof m - 4;
    refused(&m, MNEME_INVALID, "size");
}

static void what_is_absent_is_derived(void **state)
{
    struct mneme_memory m = good();
    struct mneme_memory whole;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    assert_int_equal(mn_memory_complete(&m, NOW_MS, arena, &whole, NULL), MNEME_OK);
    assert_int_equal(strncmp(whole.id, "mem_", 4), 0);
    assert_int_equal(strlen(whole.id), 40);
    assert_int_equal(whole.scope_kind, MNEME_SCOPE_USER);
    assert_string_equal(whole.scope_id, "ann");
    assert_string_equal(whole.type, "fact");
    assert_int_equal(whole.authority, MNEME_EXPLICIT_USER);
    assert_true(whole.confidence == 0.95);
    assert_true(whole.importance == 0.5);
    assert_int_equal(whole.sensitivity, MNEME_INTERNAL);
    assert_int_equal(whole.risk, MNEME_RISK_NORMAL);
    assert_int_equal(whole.status, MNEME_ACTIVE);
    assert_int_equal(whole.version, 1);
    assert_int_equal(whole.revision, 0);
    assert_int_equal(whole.created_at_ms, NOW_MS);
    assert_int_equal(whole.updated_at_ms, NOW_MS);
    assert_int_equal(whole.confirmed_at_ms, 0);
    assert_string_equal(whole.attributes, "{}");
    assert_int_equal(strlen(whole.content_hash), 64);
    assert_string_equal(whole.value, "");
    assert_string_equal(whole.agent_id, "");
    assert_int_equal(mn_memory_check(&whole, NULL), MNEME_OK);
}

static void what_is_given_stays(void **state)
{
    struct mneme_memory m = good();
    struct mneme_memory whole;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    m.id = "mine";
    m.user_id = "";
    m.type = "incident";
    m.authority = MNEME_MODEL_INFERENCE;
    m.importance = 0;
    m.sensitivity = MNEME_PUBLIC;
    m.status = MNEME_SUPERSEDED;
    m.version = 4;
    m.created_at_ms = 10;
    m.attributes = " { \"b\" : [ 1 , 2.5 ],\n \"a\":\"x\" } ";
    m.content_hash = "0123456789012345678901234567890123456789012345678901234567890123";
    assert_int_equal(mn_memory_complete(&m, NOW_MS, arena, &whole, NULL), MNEME_OK);
    assert_string_equal(whole.id, "mine");
    assert_int_equal(whole.scope_kind, MNEME_SCOPE_GLOBAL); /* shared */
    assert_string_equal(whole.scope_id, "");
    assert_true(whole.confidence == 0.70);
    assert_true(whole.importance == 0);
    assert_int_equal(whole.sensitivity, MNEME_PUBLIC);
    assert_int_equal(whole.status, MNEME_SUPERSEDED);
    assert_int_equal(whole.version, 4);
    assert_int_equal(whole.created_at_ms, 10);
    assert_int_equal(whole.updated_at_ms, 10);
    assert_string_equal(whole.attributes, "{\"b\":[1,2.5],\"a\":\"x\"}");
    assert_string_not_equal(whole.content_hash, m.content_hash); /* of the text, always */
    assert_ptr_not_equal(whole.content, m.content);
    assert_true(mn_memory_same_row(&whole, &whole));
}

static void a_full_arena_is_a_status_and_leaves_the_output_alone(void **state)
{
    struct mneme_memory m = good();
    struct mneme_memory whole = { .size = 77 };
    enum mneme_status status = MNEME_LIMIT;
    size_t bytes = 0;

    (void)state;
    for (; status == MNEME_LIMIT && bytes < 100000; bytes += 16) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);

        status = mn_memory_complete(&m, NOW_MS, arena, &whole, NULL);
        if (status == MNEME_LIMIT)
            assert_int_equal(whole.size, 77);
    }
    assert_int_equal(status, MNEME_OK);
    assert_true(bytes > 64);
}

static void the_hash_is_of_the_words_not_of_their_layout(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *a = NULL;
    const char *b = NULL;
    const char *c = NULL;

    (void)state;
    assert_int_equal(mn_memory_hash("Use  Python\n3", arena, &a, NULL), MNEME_OK);
    assert_int_equal(mn_memory_hash("use python 3", arena, &b, NULL), MNEME_OK);
    assert_int_equal(mn_memory_hash("use python 4", arena, &c, NULL), MNEME_OK);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    assert_int_equal(strlen(a), 64);
}

static void the_value_speaks_for_the_key_else_the_content(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory m = good();
    struct mneme_memory n = good();

    (void)state;
    m.value = "Python";
    n.value = "ｐｙｔｈｏｎ ";
    assert_string_equal(mn_memory_value(&m, arena), mn_memory_value(&n, arena));
    m.value = "";
    n.value = "Prefers python for scripts.";
    assert_string_equal(mn_memory_value(&m, arena), mn_memory_value(&n, arena));
    assert_null(mn_memory_value(&m, NULL));
}

static void rows_are_the_same_but_for_their_stamps(void **state)
{
    static const char *const words[] = { "a", "b" };
    struct mneme_memory m = good();
    struct mneme_memory n = good();

    (void)state;
    n.id = "other";
    n.version = 7;
    n.revision = 3;
    n.created_at_ms = n.updated_at_ms = n.confirmed_at_ms = 9;
    n.agent_id = "";
    assert_true(mn_memory_same_row(&m, &n));
    n.valid_until_ms = 9;
    assert_false(mn_memory_same_row(&m, &n));
    n = good();
    n.keywords = (struct mneme_list){ words, 2 };
    assert_false(mn_memory_same_row(&m, &n));
    m.keywords = (struct mneme_list){ words, 1 };
    assert_false(mn_memory_same_row(&m, &n));
    m.keywords = (struct mneme_list){ words, 2 };
    assert_true(mn_memory_same_row(&m, &n));
    n.scope_id = "x";
    assert_false(mn_memory_same_row(&m, &n));
}

static void an_event_becomes_an_episodic_memory(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_event e = MNEME_EVENT_INIT;
    struct mneme_event whole;
    struct mneme_memory m;

    (void)state;
    e.tenant_id = "t";
    e.user_id = "ann";
    e.session_id = "s-1";
    e.speaker = "Ann \"A\"";
    e.text = "We moved to Go.";
    e.order = 3;
    assert_int_equal(mn_event_check(&e, NULL), MNEME_OK);
    assert_int_equal(mn_event_complete(&e, NOW_MS, arena, &whole, NULL), MNEME_OK);
    assert_int_equal(strncmp(whole.id, "evt_", 4), 0);
    assert_string_equal(whole.role, "user");
    assert_int_equal(whole.event_time_ms, NOW_MS);
    assert_int_equal(mn_event_as_memory(&whole, arena, &m, NULL), MNEME_OK);
    assert_string_equal(m.id, whole.id);
    assert_string_equal(m.type, "event");
    assert_int_equal(m.scope_kind, MNEME_SCOPE_USER);
    assert_string_equal(m.scope_id, "ann");
    assert_string_equal(m.content, e.text);
    assert_true(m.confidence == 1.0);
    assert_int_equal(m.authority, MNEME_EXPLICIT_USER);
    assert_int_equal(m.event_time_ms, NOW_MS);
    assert_string_equal(m.attributes, "{\"session_id\":\"s-1\",\"role\":\"user\","
                                      "\"speaker\":\"Ann \\\"A\\\"\",\"order\":3}");
    assert_int_equal(mn_memory_check(&m, NULL), MNEME_OK);
    whole.role = "assistant";
    assert_int_equal(mn_event_as_memory(&whole, arena, &m, NULL), MNEME_OK);
    assert_int_equal(m.authority, MNEME_MODEL_INFERENCE);
    whole.role = "tool_result";
    assert_int_equal(mn_event_as_memory(&whole, arena, &m, NULL), MNEME_OK);
    assert_int_equal(m.authority, MNEME_TOOL_OBSERVATION);
}

static void neighbours_of_memories_are_checked_too(void **state)
{
    struct mneme_error err = { 0 };
    struct mneme_event e = MNEME_EVENT_INIT;
    struct mneme_rule r = MNEME_RULE_INIT;
    struct mneme_task_state s = MNEME_TASK_STATE_INIT;
    struct mneme_edge g = MNEME_EDGE_INIT;
    struct mneme_usage u = { .tenant_id = "t", .memory_id = "m", .confidence = -1 };

    (void)state;
    e.tenant_id = "t";
    e.session_id = "s";
    e.text = "x";
    assert_int_equal(mn_event_check(&e, &err), MNEME_INVALID);
    assert_string_equal(err.field, "user_id");
    e.user_id = "ann";
    e.role = "narrator";
    assert_int_equal(mn_event_check(&e, &err), MNEME_INVALID);
    assert_string_equal(err.field, "role");

    r.tenant_id = "t";
    r.memory_id = "m";
    assert_int_equal(mn_rule_check(&r, &err), MNEME_INVALID);
    assert_string_equal(err.field, "trigger_type");
    r.trigger_type = MNEME_TRIGGER_ALWAYS;
    assert_int_equal(mn_rule_check(&r, &err), MNEME_OK);
    r.trigger_type = MNEME_TRIGGER_REGEX;
    assert_int_equal(mn_rule_check(&r, &err), MNEME_INVALID);
    r.trigger_value = "a(";
    assert_int_equal(mn_rule_check(&r, &err), MNEME_INVALID);
    assert_string_equal(err.field, "trigger_value");
    r.trigger_value = "a";
    assert_int_equal(mn_rule_check(&r, &err), MNEME_OK);

    s.tenant_id = "t";
    s.user_id = "ann";
    s.session_id = "s";
    s.task_id = "k";
    assert_int_equal(mn_task_state_check(&s, &err), MNEME_INVALID);
    assert_string_equal(err.field, "state");
    s.state = "\"text\"";
    assert_int_equal(mn_task_state_check(&s, &err), MNEME_INVALID);
    s.state = "{}";
    assert_int_equal(mn_task_state_check(&s, &err), MNEME_OK);

    g.tenant_id = "t";
    g.source = "Docker";
    g.relation = "has_issue";
    assert_int_equal(mn_edge_check(&g, &err), MNEME_INVALID);
    assert_string_equal(err.field, "target");
    g.target = "GPU";
    assert_int_equal(mn_edge_check(&g, &err), MNEME_OK);
    g.confidence = (double)NAN;
    assert_int_equal(mn_edge_check(&g, &err), MNEME_INVALID);
    assert_string_equal(err.field, "confidence");
    g.confidence = 1;
    g.origin = "guessed";
    assert_int_equal(mn_edge_check(&g, &err), MNEME_INVALID);
    assert_string_equal(err.field, "origin");

    assert_int_equal(mn_usage_check(&u, &err), MNEME_OK);
    u.used_count = -1;
    assert_int_equal(mn_usage_check(&u, &err), MNEME_INVALID);
    assert_string_equal(err.field, "used_count");
}

static void ids_of_rules_and_edges_follow_from_what_they_say(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_rule r = MNEME_RULE_INIT;
    struct mneme_rule a, b, c;
    struct mneme_edge g = MNEME_EDGE_INIT;
    struct mneme_edge edge;

    (void)state;
    r.tenant_id = "t";
    r.memory_id = "m";
    r.trigger_type = MNEME_TRIGGER_KEYWORD;
    r.trigger_value = "fare";
    assert_int_equal(mn_rule_complete(&r, arena, &a, NULL), MNEME_OK);
    r.priority = 9;
    assert_int_equal(mn_rule_complete(&r, arena, &b, NULL), MNEME_OK);
    r.tenant_id = "tm";
    r.memory_id = "";
    assert_int_equal(mn_rule_complete(&r, arena, &c, NULL), MNEME_OK);
    assert_string_equal(a.id, b.id);
    assert_string_not_equal(a.id, c.id);
    assert_int_equal(strncmp(a.id, "rul_", 4), 0);
    assert_int_equal(strlen(a.id), 36);
    g.tenant_id = "t";
    g.source = "a";
    g.relation = "r";
    g.target = "b";
    assert_int_equal(mn_edge_complete(&g, arena, &edge, NULL), MNEME_OK);
    assert_true(edge.confidence == 1.0);
    assert_string_equal(edge.origin, "stated");
    assert_int_equal(strncmp(edge.id, "edg_", 4), 0);
}

static const char *embedded(struct mneme_memory *m, const char *speaker, struct mn_arena *arena)
{
    const char *text = NULL;

    assert_int_equal(mn_memory_embed_text(m, speaker, arena, &text, NULL), MNEME_OK);
    return text;
}

static void the_embedded_text_is_title_content_and_usage(void **state)
{
    static const char *const uses[] = { "writing  scripts", "choosing a language" };
    static const char *const uses_zh[] = { "写脚本" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory m = good();

    (void)state;
    m.content = "  Prefers\n\tPython. ";
    assert_string_equal(embedded(&m, "", arena), "Prefers Python.");
    m.title = "Language";
    m.usage_scenario = (struct mneme_list){ uses, 2 };
    assert_string_equal(embedded(&m, NULL, arena),
                        "Language. Prefers Python. writing scripts. choosing a language");
    m.title = "语言";
    m.content = "写数据处理脚本时偏好 Python";
    m.usage_scenario = (struct mneme_list){ uses_zh, 1 };
    assert_string_equal(embedded(&m, NULL, arena), "语言。写数据处理脚本时偏好 Python。写脚本");
}

static void an_events_text_begins_with_day_and_speaker(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory m = good();

    (void)state;
    m.type = "event";
    m.event_time_ms = mn_days_from_civil(2023, 5, 8) * MN_DAY_MS + 5;
    m.content = "I went hiking.";
    assert_string_equal(embedded(&m, "Caroline", arena), "8 May 2023. Caroline: I went hiking.");
    assert_string_equal(embedded(&m, "", arena), "8 May 2023. I went hiking.");
    m.content = "我们去爬山了";
    assert_string_equal(embedded(&m, "小明", arena), "2023年5月8日。小明：我们去爬山了");
    m.type = "incident";
    assert_string_equal(embedded(&m, "", arena), "我们去爬山了");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_is_needed),
        cmocka_unit_test(every_text_has_its_limit),
        cmocka_unit_test(lists_have_limits_and_no_empty_items),
        cmocka_unit_test(text_is_utf8_and_ids_hold_no_control_characters),
        cmocka_unit_test(numbers_are_numbers_in_their_range),
        cmocka_unit_test(a_scope_has_an_id_exactly_when_it_is_not_global),
        cmocka_unit_test(shared_rows_stand_in_four_scopes),
        cmocka_unit_test(fields_do_not_contradict_each_other),
        cmocka_unit_test(structs_of_older_callers_are_taken_over_and_newer_ones_refused),
        cmocka_unit_test(what_is_absent_is_derived),
        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(a_full_arena_is_a_status_and_leaves_the_output_alone),
        cmocka_unit_test(the_hash_is_of_the_words_not_of_their_layout),
        cmocka_unit_test(the_value_speaks_for_the_key_else_the_content),
        cmocka_unit_test(rows_are_the_same_but_for_their_stamps),
        cmocka_unit_test(an_event_becomes_an_episodic_memory),
        cmocka_unit_test(neighbours_of_memories_are_checked_too),
        cmocka_unit_test(ids_of_rules_and_edges_follow_from_what_they_say),
        cmocka_unit_test(the_embedded_text_is_title_content_and_usage),
        cmocka_unit_test(an_events_text_begins_with_day_and_speaker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
