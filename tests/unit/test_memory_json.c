/*
 * test_memory_json.c - records as lines: read, refused by name, printed, read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/fields.h"
#include "memory/record.h"

/* A parsed line that frees itself. */
static void free_parsed(struct mneme_parsed **parsed)
{
    mneme_parsed_free(*parsed);
}
#define PARSED_AUTO MN_CLEANUP(free_parsed) struct mneme_parsed *

static struct mneme_parsed *parse(const char *json)
{
    struct mneme_parsed *parsed = NULL;
    struct mneme_error err = { 0 };

    if (mneme_record_parse(json, strlen(json), NULL, &parsed, &err) != MNEME_OK)
        fail_msg("%s\n  in %s", err.message, json);
    return parsed;
}

static void refused(const char *json, enum mneme_status status, const char *field)
{
    struct mneme_parsed *parsed = NULL;
    struct mneme_error err = { 0 };

    if (mneme_record_parse(json, strlen(json), NULL, &parsed, &err) != status)
        fail_msg("status %d (%s) for %s", err.status, err.message, json);
    assert_string_equal(err.field, field);
    assert_null(parsed);
}

static void same(const struct mneme_record *a, const struct mneme_record *b)
{
    assert_int_equal(a->kind, b->kind);
    switch (a->kind) {
    case MNEME_RECORD_MEMORY:
        assert_true(mn_fields_same(&mn_memory_fields, a->memory, b->memory));
        assert_string_equal(a->memory->id, b->memory->id);
        assert_string_equal(a->memory->content_hash, b->memory->content_hash);
        assert_int_equal(a->memory->version, b->memory->version);
        assert_int_equal(a->memory->revision, b->memory->revision);
        assert_int_equal(a->memory->created_at_ms, b->memory->created_at_ms);
        assert_int_equal(a->memory->updated_at_ms, b->memory->updated_at_ms);
        assert_int_equal(a->memory->confirmed_at_ms, b->memory->confirmed_at_ms);
        break;
    case MNEME_RECORD_EVENT:
        assert_true(mn_fields_same(&mn_event_fields, a->event, b->event));
        assert_string_equal(a->event->id, b->event->id);
        break;
    case MNEME_RECORD_RULE:
        assert_true(mn_fields_same(&mn_rule_fields, a->rule, b->rule));
        assert_string_equal(a->rule->id, b->rule->id);
        break;
    case MNEME_RECORD_TASK_STATE:
        assert_true(mn_fields_same(&mn_task_state_fields, a->task_state, b->task_state));
        assert_int_equal(a->task_state->updated_at_ms, b->task_state->updated_at_ms);
        break;
    case MNEME_RECORD_EDGE:
        assert_true(mn_fields_same(&mn_edge_fields, a->edge, b->edge));
        assert_string_equal(a->edge->id, b->edge->id);
        break;
    case MNEME_RECORD_USAGE:
    case MNEME_RECORD_NONE:
        break;
    }
    assert_int_equal(a->usage == NULL, b->usage == NULL);
    if (a->usage) {
        assert_true(mn_fields_same(&mn_usage_key_fields, a->usage, b->usage));
        assert_true(mn_fields_same(&mn_usage_fields, a->usage, b->usage));
    }
    assert_int_equal(a->vector_dim, b->vector_dim);
    for (size_t i = 0; i < a->vector_dim; i++)
        assert_true(a->vector[i] == b->vector[i]);
}

/* parse(print(x)) is x, and print gives one line. */
static void goes_round(const struct mneme_record *record)
{
    struct mneme_error err = { 0 };
    char *json = NULL;

    if (mneme_record_print(record, &json, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_null(strpbrk(json, "\n\r"));
    PARSED_AUTO again = parse(json);
    same(record, mneme_parsed_record(again));
    mneme_free(json);
}

static void prints(const struct mneme_record *record, const char *wanted)
{
    char *json = NULL;

    assert_int_equal(mneme_record_print(record, &json, NULL), MNEME_OK);
    assert_string_equal(json, wanted);
    mneme_free(json);
}

static const char FULL[] =
    "{\"id\":\"m1\",\"tenant_id\":\"t\",\"user_id\":\"ann\",\"agent_id\":\"a\","
    "\"scope_kind\":\"repo\",\"scope_id\":\"r\",\"type\":\"fact\",\"memory_key\":\"k\","
    "\"value\":\"v\",\"title\":\"T\",\"content\":\"C \\u5220\\\"\\n\",\"summary\":\"S\","
    "\"keywords\":[\"x\",\"y\"],\"usage_scenario\":[\"u\"],\"entities\":[\"e\"],"
    "\"category\":\"c\",\"project\":\"p\",\"module\":\"m\",\"authority\":\"tool_observation\","
    "\"confidence\":0.30000000000000004,\"importance\":0,\"sensitivity\":\"secret\","
    "\"requires_permission\":\"billing.read\",\"risk\":\"high\","
    "\"applies_to\":{\"python\":\">=3.12\",\"os\":\"ios\"},"
    "\"valid_from\":\"2026-01-01\",\"valid_until\":\"2026-12-31T23:59:59.999+08:00\","
    "\"event_time\":\"1969-12-31T23:59:59Z\",\"status\":\"superseded\",\"version\":3,"
    "\"supersedes\":\"m0\",\"revision\":2,\"content_hash\":"
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\","
    "\"provenance\":[\"evt_1\"],\"created_at\":\"2026-01-01T00:00:00Z\","
    "\"updated_at\":\"2026-01-02T00:00:00Z\",\"confirmed_at\":\"2026-01-03T00:00:00Z\","
    "\"last_accessed_at\":\"2026-02-01T00:00:00Z\",\"access_count\":7,\"used_count\":2,"
    "\"decayed_confidence\":0.1,\"confidence_computed_at\":\"2026-02-02T00:00:00Z\","
    "\"attributes\":{\"a\":[1,{\"b\":null}]},\"vector\":[0.1,-2,3e-30]}";

static void every_field_of_a_memory_is_read_and_printed(void **state)
{
    PARSED_AUTO parsed = parse(FULL);
    const struct mneme_record *record = mneme_parsed_record(parsed);
    const struct mneme_memory *m = record->memory;

    (void)state;
    assert_int_equal(record->kind, MNEME_RECORD_MEMORY);
    for (size_t i = 0; i < mn_memory_fields.count; i++)
        assert_true(mn_field_given(&mn_memory_fields.item[i], m));
    for (size_t i = 0; i < mn_usage_fields.count; i++)
        assert_true(mn_field_given(&mn_usage_fields.item[i], record->usage));
    assert_string_equal(m->content, "C \xe5\x88\xa0\"\n");
    assert_int_equal(m->scope_kind, MNEME_SCOPE_REPO);
    assert_int_equal(m->authority, MNEME_TOOL_OBSERVATION);
    assert_int_equal(m->status, MNEME_SUPERSEDED);
    assert_int_equal(m->risk, MNEME_RISK_HIGH);
    assert_true(m->confidence == 0.1 + 0.2);
    assert_true(m->importance == 0);
    assert_int_equal(m->keywords.count, 2);
    assert_string_equal(m->keywords.item[1], "y");
    assert_string_equal(m->applies_to.item[0].name, "python");
    assert_string_equal(m->applies_to.item[0].value, ">=3.12");
    assert_int_equal(m->event_time_ms, -1000);
    assert_string_equal(m->attributes, "{\"a\":[1,{\"b\":null}]}");
    assert_string_equal(record->usage->memory_id, "m1");
    assert_string_equal(record->usage->tenant_id, "t");
    assert_int_equal(record->vector_dim, 3);
    assert_true(record->vector[0] == 0.1F);
    goes_round(record);
}

static void what_is_absent_stays_absent(void **state)
{
    PARSED_AUTO parsed = parse("{\"content\":\"x\",\"scope_kind\":null,\"authority\":\"\","
                               "\"valid_from\":null,\"keywords\":[],\"attributes\":{},"
                               "\"last_accessed_at\":null,\"access_count\":0,\"used_count\":0}");
    const struct mneme_record *record = mneme_parsed_record(parsed);

    (void)state;
    assert_int_equal(record->memory->scope_kind, MNEME_SCOPE_NONE);
    assert_int_equal(record->memory->authority, MNEME_AUTHORITY_NONE);
    assert_true(record->memory->confidence < 0);
    assert_string_equal(record->memory->title, "");
    assert_null(record->usage);
    prints(record, "{\"kind\":\"memory\",\"tenant_id\":\"\",\"user_id\":\"\",\"agent_id\":\"\","
                   "\"content\":\"x\",\"attributes\":{}}");
    goes_round(record);
}

static void fields_tell_the_kind_and_the_kind_overrules_them(void **state)
{
    static const struct {
        const char *json;
        enum mneme_record_kind kind;
    } row[] = {
        { "{\"content\":\"x\"}", MNEME_RECORD_MEMORY },
        { "{\"trigger_type\":\"always\",\"memory_id\":\"m\"}", MNEME_RECORD_RULE },
        { "{\"id\":\"c\",\"task_id\":\"k\",\"state\":{\"a\":1}}", MNEME_RECORD_TASK_STATE },
        { "{\"source\":\"a\",\"relation\":\"r\",\"target\":\"b\"}", MNEME_RECORD_EDGE },
        { "{\"session_id\":\"s\",\"text\":\"hi\"}", MNEME_RECORD_EVENT },
        { "{\"kind\":\"event\",\"text\":\"hi\"}", MNEME_RECORD_EVENT },
        { "{\"kind\":\"usage\",\"memory_id\":\"m\",\"used_count\":1}", MNEME_RECORD_USAGE },
        { "{\"kind\":\"memory\"}", MNEME_RECORD_MEMORY },
        { "{}", MNEME_RECORD_MEMORY },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        PARSED_AUTO parsed = parse(row[i].json);

        assert_int_equal(mneme_parsed_record(parsed)->kind, row[i].kind);
        goes_round(mneme_parsed_record(parsed));
    }
    refused("{\"kind\":\"memory\",\"text\":\"hi\",\"session_id\":\"s\"}", MNEME_INVALID, "text");
    refused("{\"kind\":\"note\"}", MNEME_INVALID, "kind");
    refused("{\"kind\":1}", MNEME_INVALID, "kind");
}

static void the_other_kinds_go_round(void **state)
{
    static const char *const line[] = {
        "{\"kind\":\"event\",\"id\":\"e\",\"tenant_id\":\"t\",\"user_id\":\"u\",\"agent_id\":\"a\","
        "\"session_id\":\"s\",\"role\":\"tool_call\",\"speaker\":\"S\",\"text\":\"x\","
        "\"event_time\":\"2026-01-01T00:00:00.001Z\",\"order\":0,\"not_recallable\":true,"
        "\"attributes\":{\"a\":1}}",
        "{\"kind\":\"rule\",\"id\":\"r\",\"tenant_id\":\"t\",\"memory_id\":\"m\","
        "\"trigger_type\":\"path_glob\",\"trigger_value\":\"**/x\",\"priority\":-5,"
        "\"status\":\"disabled\"}",
        "{\"kind\":\"task_state\",\"tenant_id\":\"t\",\"user_id\":\"u\",\"session_id\":\"s\","
        "\"task_id\":\"k\",\"state\":{\"pending_action\":\"x\"},"
        "\"updated_at\":\"2026-01-01T00:00:00Z\"}",
        "{\"kind\":\"edge\",\"id\":\"g\",\"tenant_id\":\"t\",\"user_id\":\"\",\"source\":\"a\","
        "\"relation\":\"r\",\"target\":\"b\",\"source_aliases\":[\"A\"],\"target_aliases\":[\"B\"],"
        "\"origin\":\"inferred\",\"confidence\":0.7,\"valid_from\":\"2026-01-01T00:00:00Z\","
        "\"valid_until\":\"2026-02-01T00:00:00Z\",\"provenance\":[\"m\"]}",
        "{\"kind\":\"usage\",\"tenant_id\":\"t\",\"memory_id\":\"m\","
        "\"last_accessed_at\":\"2026-01-01T00:00:00Z\",\"access_count\":3,\"used_count\":1,"
        "\"decayed_confidence\":0.5,\"confidence_computed_at\":\"2026-01-01T00:00:00Z\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        PARSED_AUTO parsed = parse(line[i]);

        prints(mneme_parsed_record(parsed), line[i]); /* the contract's spelling, byte by byte */
    }
}

static void bad_input_is_refused_by_name(void **state)
{
    (void)state;
    refused("", MNEME_INVALID, "record");
    refused("[]", MNEME_INVALID, "record");
    refused("{\"content\":\"x\"", MNEME_INVALID, "record");
    refused("{\"content\":\"\xff\"}", MNEME_INVALID, "record");
    refused("{\"content\":\"a\\u0000b\"}", MNEME_INVALID, "content");
    refused("{\"content\":1}", MNEME_INVALID, "content");
    refused("{\"colour\":\"red\"}", MNEME_INVALID, "colour");
    refused("{\"content\":\"a\",\"content\":\"b\"}", MNEME_INVALID, "content");
    refused("{\"authority\":\"boss\"}", MNEME_INVALID, "authority");
    refused("{\"authority\":[\"boss\"]}", MNEME_INVALID, "authority");
    refused("{\"scope_kind\":\"Repo\"}", MNEME_INVALID, "scope_kind");
    refused("{\"status\":\"gone\"}", MNEME_INVALID, "status");
    refused("{\"risk\":\"low\"}", MNEME_INVALID, "risk");
    refused("{\"confidence\":1.5}", MNEME_INVALID, "confidence");
    refused("{\"confidence\":-0.1}", MNEME_INVALID, "confidence");
    refused("{\"confidence\":NaN}", MNEME_INVALID, "record");
    refused("{\"confidence\":\"high\"}", MNEME_INVALID, "confidence");
    refused("{\"version\":1.5}", MNEME_INVALID, "version");
    refused("{\"version\":-1}", MNEME_INVALID, "version");
    refused("{\"valid_from\":\"soon\"}", MNEME_INVALID, "valid_from");
    refused("{\"valid_from\":\"2026-02-29\"}", MNEME_INVALID, "valid_from");
    refused("{\"valid_until\":1790000000}", MNEME_INVALID, "valid_until");
    refused("{\"keywords\":\"a\"}", MNEME_INVALID, "keywords");
    refused("{\"keywords\":[\"a\",1]}", MNEME_INVALID, "keywords[1]");
    refused("{\"keywords\":[\"a\",\"\"]}", MNEME_INVALID, "keywords[1]");
    refused("{\"applies_to\":{\"python\":3.12}}", MNEME_INVALID, "applies_to");
    refused("{\"applies_to\":[]}", MNEME_INVALID, "applies_to");
    refused("{\"attributes\":\"{}\"}", MNEME_INVALID, "attributes");
    refused("{\"content_hash\":\"ABC\"}", MNEME_INVALID, "content_hash");
    refused("{\"user_id\":\"a\\u0001\"}", MNEME_INVALID, "user_id");
    refused("{\"vector\":[]}", MNEME_INVALID, "vector");
    refused("{\"vector\":{}}", MNEME_INVALID, "vector");
    refused("{\"vector\":[1,\"2\"]}", MNEME_INVALID, "vector[1]");
    refused("{\"vector\":[1e300]}", MNEME_INVALID, "vector[0]");
    refused("{\"vector\":[null]}", MNEME_INVALID, "vector[0]");
    refused("{\"kind\":\"rule\",\"status\":\"on\"}", MNEME_INVALID, "status");
    refused("{\"kind\":\"rule\",\"vector\":[1]}", MNEME_INVALID, "vector");
    refused("{\"kind\":\"event\",\"used_count\":1}", MNEME_INVALID, "used_count");
    refused("{\"kind\":\"event\",\"not_recallable\":1}", MNEME_INVALID, "not_recallable");
    refused("{\"kind\":\"edge\",\"scope_kind\":\"repo\"}", MNEME_INVALID, "scope_kind");
}

/* {"FIELD":"xxx...": `bytes` of them */
static char *long_line(const char *field, size_t bytes)
{
    char *line = malloc(bytes + 64);
    int head = sprintf(line, "{\"%s\":\"", field);

    memset(line + head, 'x', bytes);
    strcpy(line + head + bytes, "\"}");
    return line;
}

static void long_texts_are_refused_by_name_one_byte_past_the_limit(void **state)
{
    static const struct {
        const char *field;
        size_t limit;
    } row[] = { { "id", MNEME_ID_BYTES_MAX },
                { "title", MNEME_NAME_BYTES_MAX },
                { "content", MNEME_TEXT_BYTES_MAX } };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char *line = long_line(row[i].field, row[i].limit);

        mneme_parsed_free(parse(line));
        free(line);
        line = long_line(row[i].field, row[i].limit + 1);
        refused(line, MNEME_LIMIT, row[i].field);
        free(line);
    }
}

static void a_line_of_10_mb_is_refused(void **state)
{
    char *line = long_line("content", 10 * 1000 * 1000);

    (void)state;
    refused(line, MNEME_LIMIT, "record");
    free(line);
}

static void defaults_fill_what_a_line_does_not_name(void **state)
{
    struct mneme_memory defaults = MNEME_MEMORY_INIT;
    const char *mine = "{\"content\":\"x\",\"tenant_id\":\"other\"}";
    const char *shared = "{\"content\":\"x\",\"user_id\":\"\",\"agent_id\":null}";
    const char *rule = "{\"trigger_type\":\"always\",\"memory_id\":\"m\"}";
    struct mneme_parsed *parsed = NULL;

    (void)state;
    defaults.tenant_id = "t";
    defaults.user_id = "ann";
    defaults.agent_id = "a1";
    assert_int_equal(mneme_record_parse(mine, strlen(mine), &defaults, &parsed, NULL), MNEME_OK);
    assert_string_equal(mneme_parsed_record(parsed)->memory->tenant_id, "other");
    assert_string_equal(mneme_parsed_record(parsed)->memory->user_id, "ann");
    assert_string_equal(mneme_parsed_record(parsed)->memory->agent_id, "a1");
    mneme_parsed_free(parsed);
    assert_int_equal(mneme_record_parse(shared, strlen(shared), &defaults, &parsed, NULL),
                     MNEME_OK);
    assert_string_equal(mneme_parsed_record(parsed)->memory->tenant_id, "t");
    assert_string_equal(mneme_parsed_record(parsed)->memory->user_id, "");
    assert_string_equal(mneme_parsed_record(parsed)->memory->agent_id, "");
    mneme_parsed_free(parsed);
    assert_int_equal(mneme_record_parse(rule, strlen(rule), &defaults, &parsed, NULL), MNEME_OK);
    assert_string_equal(mneme_parsed_record(parsed)->rule->tenant_id, "");
    mneme_parsed_free(parsed);
}

static void what_could_not_be_read_is_not_printed(void **state)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_error err = { 0 };
    float vector[] = { 0, NAN };
    char *json = NULL;

    (void)state;
    m.content = "\xff";
    assert_int_equal(mneme_record_print(&record, &json, &err), MNEME_INVALID);
    assert_string_equal(err.field, "content");
    m.content = "x";
    m.attributes = "{\"a\":\n 1}";
    goes_round(&(struct mneme_record){ .kind = MNEME_RECORD_MEMORY,
                                       .memory = &(struct mneme_memory){ .size = sizeof m,
                                                                         .content = "x",
                                                                         .confidence = -1,
                                                                         .importance = -1,
                                                                         .id = "",
                                                                         .content_hash = "" } });
    record.vector = vector;
    record.vector_dim = 2;
    assert_int_equal(mneme_record_print(&record, &json, &err), MNEME_INVALID);
    assert_string_equal(err.field, "vector[1]");
    record = (struct mneme_record){ .kind = MNEME_RECORD_EVENT, .memory = &m };
    assert_int_equal(mneme_record_print(&record, &json, &err), MNEME_INVALID);
    assert_string_equal(err.field, "kind");
    record.kind = MNEME_RECORD_NONE;
    assert_int_equal(mneme_record_print(&record, &json, &err), MNEME_INVALID);
    assert_null(json);
}

static void attributes_are_printed_in_one_line(void **state)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };

    (void)state;
    m.attributes = "{\n  \"a\" : 1\r\n}";
    prints(&record, "{\"kind\":\"memory\",\"tenant_id\":\"\",\"user_id\":\"\",\"agent_id\":\"\","
                    "\"attributes\":{\"a\":1}}");
}

static void a_number_too_small_to_be_told_from_nothing_is_printed_without_a_sign(void **state)
{
    PARSED_AUTO parsed = parse("{\"tenant_id\":\"\",\"user_id\":\"\",\"importance\":-0.0,"
                               "\"vector\":[0.5,-23e-67,-0]}");

    (void)state;
    prints(mneme_parsed_record(parsed),
           "{\"kind\":\"memory\",\"tenant_id\":\"\",\"user_id\":\"\",\"agent_id\":\"\","
           "\"importance\":0,\"vector\":[0.5,0,0]}");
}

static void a_copy_outlives_what_it_was_made_from(void **state)
{
    struct mneme_parsed *copy = NULL;
    struct mneme_parsed *parsed = parse(FULL);
    PARSED_AUTO wanted = parse(FULL);

    (void)state;
    assert_int_equal(mn_parsed_of(mneme_parsed_record(parsed), &copy, NULL), MNEME_OK);
    mneme_parsed_free(parsed);
    same(mneme_parsed_record(copy), mneme_parsed_record(wanted));
    mneme_parsed_free(copy);
    mneme_parsed_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_memory_is_read_and_printed),
        cmocka_unit_test(what_is_absent_stays_absent),
        cmocka_unit_test(fields_tell_the_kind_and_the_kind_overrules_them),
        cmocka_unit_test(the_other_kinds_go_round),
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(long_texts_are_refused_by_name_one_byte_past_the_limit),
        cmocka_unit_test(a_line_of_10_mb_is_refused),
        cmocka_unit_test(defaults_fill_what_a_line_does_not_name),
        cmocka_unit_test(what_could_not_be_read_is_not_printed),
        cmocka_unit_test(attributes_are_printed_in_one_line),
        cmocka_unit_test(a_number_too_small_to_be_told_from_nothing_is_printed_without_a_sign),
        cmocka_unit_test(a_copy_outlives_what_it_was_made_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
