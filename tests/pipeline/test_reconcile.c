/*
 * test_reconcile.c - what is derived is damaged by hand, part by part; it is found, named and put
 * right, and nothing is found in a store that nobody damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yyjson.h>

#include <mneme/mneme.h>

#include "engine/handle.h"
#include "fakes/fake_model.h"
#include "pipeline/fixture.h"
#include "search/search.h"
#include "store/store.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- a store with something of everything ---- */

static void write_line(struct fixture *f, const char *line)
{
    struct mneme_parsed *parsed = NULL;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_record record;

    if (mneme_record_parse(line, strlen(line), NULL, &parsed, &f->err) != MNEME_OK)
        fail_msg("%s: %s", f->err.message, line);
    record = *mneme_parsed_record(parsed);
    change.admin = 1;
    if (record.kind != MNEME_RECORD_EVENT) /* a session that is going on is not drawn from */
        change.now_ms = NOW;
    if (mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s: %s", f->err.message, line);
    mneme_parsed_free(parsed);
}

static void say(struct fixture *f, const char *content, enum mneme_authority authority)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.memory_key = "boat.colour";
    m.content = content;
    m.authority = authority;
    change.now_ms = NOW;
    ASSERT_OK(mneme_remember(f->handle, &m, &change, NULL, &f->err));
}

static void recall(struct fixture *f)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = "Which quay do the harbour pilots use?";
    request.now_ms = NOW;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    mneme_answer_free(answer);
}

static size_t run_all(struct fixture *f)
{
    size_t left = 1, rounds = 0;

    for (; left; rounds++)
        ASSERT_OK(mneme_run_due(f->handle, 100, &left, &f->err));
    ASSERT_OK(mneme_run_due(f->handle, 100, &left, &f->err)); /* past its own vectors' changes */
    return rounds;
}

static int set_up(void **state)
{
    struct fixture *f;

    if (fixture_set_up(state) != 0)
        return 1;
    f = *state;
    (void)fixture_give_model(f, "fake", 16);
    write_line(f, "{\"id\":\"m-1\",\"tenant_id\":\"acme\",\"user_id\":\"ann\",\"type\":\"fact\","
                  "\"content\":\"The harbour pilots use quay one.\"}");
    write_line(f, "{\"id\":\"m-2\",\"tenant_id\":\"acme\",\"user_id\":\"ann\",\"type\":\"fact\","
                  "\"content\":\"The office closes at six.\"}");
    write_line(f, "{\"id\":\"s-1\",\"tenant_id\":\"acme\",\"type\":\"repository_rule\","
                  "\"content\":\"Moor at the quay.\"}");
    write_line(f, "{\"kind\":\"rule\",\"id\":\"r-1\",\"tenant_id\":\"acme\",\"memory_id\":\"m-1\","
                  "\"trigger_type\":\"keyword\",\"trigger_value\":\"quay\"}");
    write_line(f, "{\"kind\":\"edge\",\"id\":\"x-1\",\"tenant_id\":\"acme\",\"user_id\":\"ann\","
                  "\"source\":\"harbour\",\"relation\":\"has\",\"target\":\"quay\","
                  "\"source_aliases\":[\"port\"],\"provenance\":[\"m-1\"]}");
    for (int i = 0; i < 3; i++) {
        char line[256];

        (void)snprintf(line, sizeof line,
                       "{\"id\":\"e-%d\",\"tenant_id\":\"acme\",\"user_id\":\"ann\","
                       "\"session_id\":\"s\",\"role\":\"user\",\"text\":\"turn %d\"}", i, i);
        write_line(f, line);
    }
    say(f, "The boat is blue.", MNEME_EXPLICIT_USER);
    say(f, "The boat is red.", MNEME_MODEL_INFERENCE); /* a rival: an open question */
    recall(f);
    (void)run_all(f);
    return 0;
}

/* ---- the report ---- */

struct report {
    int clean;
    yyjson_doc *doc;
};

static struct report reconcile(struct fixture *f, int repair)
{
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    struct report report = { .clean = -1 };
    char *json = NULL;

    how.repair = repair;
    how.now_ms = NOW;
    how.actor = "operator";
    if (mneme_reconcile(f->handle, &how, &report.clean, &json, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    report.doc = yyjson_read(json, strlen(json), 0);
    assert_non_null(report.doc);
    mneme_free(json);
    return report;
}

static int64_t figure(const struct report *report, const char *part, const char *field)
{
    size_t i, max;
    yyjson_val *p;

    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(report->doc), "parts"), i, max, p)
        if (!strcmp(yyjson_get_str(yyjson_obj_get(p, "part")), part))
            return yyjson_get_sint(yyjson_obj_get(p, field));
    fail_msg("no part %s", part);
    return -1;
}

/* Parts that differ, all of them together. */
static int64_t all_that_differ(const struct report *report)
{
    int64_t sum = 0;
    size_t i, max;
    yyjson_val *p;

    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(report->doc), "parts"), i, max, p)
        sum += yyjson_get_sint(yyjson_obj_get(p, "differ"));
    return sum;
}

static void assert_clean(struct fixture *f)
{
    struct report report = reconcile(f, 0);

    assert_int_equal(all_that_differ(&report), 0);
    assert_int_equal(report.clean, 1);
    yyjson_doc_free(report.doc);
}

/* ---- the cases ---- */

static void a_store_that_nobody_damaged_is_clean(void **state)
{
    struct fixture *f = *state;
    struct report report = reconcile(f, 0);

    assert_int_equal(report.clean, 1);
    assert_int_equal(figure(&report, "text_hashes", "rows"), 5);
    assert_int_equal(figure(&report, "event_hashes", "rows"), 3);
    assert_int_equal(figure(&report, "vectors", "rows"), 8);
    assert_int_equal(figure(&report, "lost_vectors", "rows"), 8);
    assert_int_equal(figure(&report, "rules", "rows"), 1);
    assert_int_equal(figure(&report, "edges", "rows"), 1);
    assert_int_equal(figure(&report, "entities", "rows"), 2);
    assert_int_equal(figure(&report, "sessions", "rows"), 1);
    assert_int_equal(figure(&report, "questions", "rows"), 1);
    assert_true(figure(&report, "usage", "rows") >= 1);
    yyjson_doc_free(report.doc);
    report = reconcile(f, 1); /* nothing to repair */
    assert_int_equal(report.clean, 1);
    yyjson_doc_free(report.doc);
}

static void each_part_that_is_damaged_is_found_and_put_right(void **state)
{
    static const struct {
        const char *part;
        int64_t differ;
        const char *sql;
    } damage[] = {
        { "text_hashes", 1, "UPDATE memories SET content_hash = 'x' WHERE id = 'm-1'" },
        { "text_hashes", 2, "UPDATE memories SET embed_hash = '' WHERE id IN ('m-1', 'm-2')" },
        { "text_hashes", 1, "UPDATE memories SET content = 'Another.' WHERE id = 'm-2'" },
        { "event_hashes", 1, "UPDATE events SET embed_hash = 'x' WHERE id = 'e-1'" },
        { "vectors", 1, "UPDATE vectors SET vector = zeroblob(32) WHERE unit = 'm-1'" },
        { "vectors", 1, "UPDATE vectors SET vector = x'ffff' WHERE unit = 'm-1'" },
        { "vectors", 1, "UPDATE vectors SET dim = 15 WHERE unit = 'e-2'" },
        { "vectors", 1, "UPDATE vectors SET unit = 'nobody' WHERE unit = 'm-2'" },
        { "usage", 1,
          "INSERT INTO usage (tenant, memory_id, last_accessed_at_ms, access_count, used_count, "
          "confidence, confidence_computed_at_ms) VALUES ('acme', 'gone', 1, 1, 1, -1.0, 0)" },
        { "rules", 1, "UPDATE rules SET owner = 'bob'" },
        { "rules", 1, "UPDATE rules SET memory_id = 'gone'" },
        { "entities", 1, "INSERT INTO entities VALUES ('acme', 'bob', 'crane', '', '[]')" },
        { "entities", 1, "DELETE FROM entities WHERE name = 'quay'" },
        { "mentions", 1, "INSERT INTO mentions VALUES ('acme', 'ann', 'quay', 'gone')" },
        { "sessions", 1, "DELETE FROM sessions" },
        { "sessions", 1, "UPDATE sessions SET event_count = 2" },
        { "sessions", 1, "UPDATE sessions SET last_place = 1" },
        { "questions", 1,
          "UPDATE clarifications SET memory_ids = '[\"m-1\",\"gone\"]'" },
        { "requests", 1, "INSERT INTO requests VALUES ('acme', 'ann', 'k', 1, 'gone', 1, 1790000000000)" },
        { "index_state", 1,
          "INSERT INTO index_state VALUES ('p', 'acme', 'ann', 'gone', 0, 0, '', 5, 0)" },
        { "index_state", 1, "UPDATE index_state SET position = position + 1000 WHERE unit = ''" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        struct report report;

        fixture_sql(f, damage[i].sql);
        report = reconcile(f, 0);
        if (figure(&report, damage[i].part, "differ") != damage[i].differ || report.clean)
            fail_msg("not found: %s", damage[i].sql);
        yyjson_doc_free(report.doc);
        report = reconcile(f, 1);
        if (figure(&report, damage[i].part, "repaired") != damage[i].differ)
            fail_msg("not repaired: %s", damage[i].sql);
        yyjson_doc_free(report.doc);
        (void)run_all(f); /* what was lost of the vectors */
        assert_clean(f);
    }
}

#define COUNT_VECTORS "SELECT count(*) FROM vectors"

static void vectors_that_were_lost_are_made_again(void **state)
{
    struct fixture *f = *state;
    struct report report;

    fixture_sql(f, "DELETE FROM vectors WHERE unit IN ('m-1', 'e-0')");
    (void)run_all(f); /* nobody knows of it */
    assert_int_equal(fixture_sql_number(f, COUNT_VECTORS), 6);
    report = reconcile(f, 1);
    assert_int_equal(figure(&report, "lost_vectors", "differ"), 2);
    assert_int_equal(figure(&report, "lost_vectors", "repaired"), 2);
    assert_int_equal(report.clean, 1);
    yyjson_doc_free(report.doc);
    (void)run_all(f);
    assert_int_equal(fixture_sql_number(f, COUNT_VECTORS), 8);
    assert_clean(f);
}

static void an_edge_that_stands_on_what_was_erased_goes(void **state)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct fixture *f = *state;
    struct report report;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "m-1";
    what.now_ms = NOW + 1;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    mneme_free(receipt);
    assert_clean(f);
    fixture_sql(f, "INSERT INTO edges VALUES ('acme', 'ann', 'x-9', 'a', 'b', 'c', '', 1.0, 0, 0, "
                   "'[\"m-1\"]', 1, 1, 1)");
    report = reconcile(f, 1);
    assert_int_equal(figure(&report, "edges", "differ"), 1);
    assert_int_equal(figure(&report, "edges", "repaired"), 1);
    yyjson_doc_free(report.doc);
    assert_clean(f);
}

static void an_index_that_holds_something_else_is_built_anew(void **state)
{
    struct fixture *f = *state;
    struct mn_search *search = f->handle->world.search;
    const struct mn_partition ann = { "acme", "ann" };
    struct mn_arena *arena = mn_arena_new(1 << 20);
    const char *gone = "m-1", *cursor = NULL;
    struct mn_digest digest;
    struct report report;

    recall(f); /* brings it up */
    ASSERT_OK(search->ops->position(search, ann, arena, &cursor, &f->err));
    ASSERT_OK(search->ops->apply(search, ann, false, NULL, 0, &gone, 1, cursor, &f->err));
    report = reconcile(f, 0);
    assert_int_equal(report.clean, 0);
    assert_int_equal(all_that_differ(&report), 0); /* the store is as it was */
    yyjson_doc_free(report.doc);
    report = reconcile(f, 1);
    assert_int_equal(report.clean, 1);
    yyjson_doc_free(report.doc);
    assert_clean(f);
    ASSERT_OK(search->ops->digest(search, ann, arena, &digest, &cursor, &f->err));
    assert_int_equal(digest.units, 7);
    assert_int_equal(digest.vectors, 7);
    mn_arena_free(arena);
}

static void looking_changes_nothing_and_is_allowed_read_only(void **state)
{
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->path);
    int clean = 7;

    fixture_sql(f, "UPDATE memories SET content_hash = 'x' WHERE id = 'm-1'");
    mneme_close(f->handle);
    options.read_only = 1;
    ASSERT_OK(mneme_open(&options, &f->handle, &f->err));
    ASSERT_OK(mneme_reconcile(f->handle, NULL, &clean, NULL, &f->err));
    assert_int_equal(clean, 0);
    how.repair = 1;
    clean = 7;
    assert_int_equal(mneme_reconcile(f->handle, &how, &clean, NULL, &f->err), MNEME_FORBIDDEN);
    assert_string_equal(f->err.field, "store");
    assert_int_equal(clean, 7);
    how.size = 0;
    assert_int_equal(mneme_reconcile(f->handle, &how, &clean, NULL, &f->err), MNEME_INVALID);
    assert_int_equal(mneme_rebuild(f->handle, NULL, NULL, &f->err), MNEME_FORBIDDEN);
}

static void a_rebuild_serves_meanwhile_and_loses_nothing(void **state)
{
    struct mneme_rebuilding how = MNEME_REBUILDING_INIT;
    struct fixture *f = *state;
    struct mn_search *search = f->handle->world.search;
    const struct mn_partition ann = { "acme", "ann" };
    struct mn_arena *arena = mn_arena_new(1 << 20);
    struct mn_digest before, after;
    const char *cursor = NULL;
    char *json = NULL;

    recall(f);
    ASSERT_OK(search->ops->digest(search, ann, arena, &before, &cursor, &f->err));
    fixture_sql(f, "UPDATE memories SET content_hash = 'x' WHERE id = 'm-1'");
    how.with_vectors = 1;
    ASSERT_OK(mneme_rebuild(f->handle, &how, &json, &f->err));
    assert_non_null(strstr(json, "\"repaired\":1"));
    assert_non_null(strstr(json, "\"indexes\":2"));
    assert_non_null(strstr(json, "\"embedded\":8"));
    mneme_free(json);
    recall(f);
    ASSERT_OK(search->ops->digest(search, ann, arena, &after, &cursor, &f->err));
    assert_memory_equal(&before, &after, sizeof before);
    (void)run_all(f);
    assert_clean(f);
    mn_arena_free(arena);
}

static void what_the_model_refused_too_often_is_named_and_tried_again(void **state)
{
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    struct fixture *f = *state;
    struct mn_model *model = f->handle->world.model;
    char *json = NULL;
    int clean = 0;

    fixture_sql(f, "INSERT INTO index_state SELECT index_name, 'acme', 'ann', 'm-2', 0, 0, '', 5, 0 "
                   "FROM index_state WHERE unit = ''");
    fixture_sql(f, "DELETE FROM vectors WHERE unit = 'm-2'");
    f->handle->world.search->ops->drop(f->handle->world.search,
                                       (struct mn_partition){ "acme", "ann" });
    ASSERT_OK(mneme_reconcile(f->handle, &how, &clean, &json, &f->err));
    assert_int_equal(clean, 1); /* it is known, and waits for somebody */
    assert_non_null(strstr(json, "\"parked\":1"));
    assert_non_null(strstr(json, "\"id\":\"m-2\",\"failures\":5"));
    mneme_free(json);

    how.retry_parked = 1;
    fake_model_fail_after(model, 0, MNEME_INVALID);
    ASSERT_OK(mneme_reconcile(f->handle, &how, &clean, &json, &f->err));
    assert_non_null(strstr(json, "\"id\":\"m-2\",\"failures\":6"));
    assert_non_null(strstr(json, "\"retried\":1,\"embedded\":0"));
    mneme_free(json);
    fake_model_fail_after(model, 0, MNEME_UNAVAILABLE);
    assert_int_equal(mneme_reconcile(f->handle, &how, &clean, NULL, &f->err), MNEME_UNAVAILABLE);
    fake_model_fail_after(model, 1000, MNEME_OK);
    ASSERT_OK(mneme_reconcile(f->handle, &how, &clean, &json, &f->err));
    assert_non_null(strstr(json, "\"parked\":0"));
    assert_non_null(strstr(json, "\"retried\":1,\"embedded\":1"));
    mneme_free(json);
    assert_int_equal(fixture_sql_number(f, COUNT_VECTORS), 8);
}

/* ---- rebuilt while others write and ask ---- */

#define WRITES 40

static void *write_and_ask(void *context)
{
    struct fixture *f = context;
    size_t missed = 0;

    for (int i = 0; i < WRITES; i++) {
        struct mneme_change change = MNEME_CHANGE_INIT;
        struct mneme_memory m = MNEME_MEMORY_INIT;
        struct mneme_request request = MNEME_REQUEST_INIT;
        struct mneme_answer *answer = NULL;
        struct mneme_error err;
        char text[64], id[16];
        bool found = false;

        (void)snprintf(id, sizeof id, "w-%d", i);
        (void)snprintf(text, sizeof text, "Lighter number%d lies at buoy%d.", i, i * 31);
        m.id = id;
        m.tenant_id = "acme";
        m.user_id = "ann";
        m.type = "fact";
        m.content = text;
        change.now_ms = request.now_ms = NOW + i;
        if (mneme_remember(f->handle, &m, &change, NULL, &err) != MNEME_OK)
            return (void *)(uintptr_t)1000;
        request.identity.tenant_id = "acme";
        request.identity.user_id = "ann";
        request.text = text;
        if (mneme_retrieve(f->handle, &request, &answer, &err) != MNEME_OK)
            return (void *)(uintptr_t)2000;
        for (size_t k = 0; k < answer->item_count; k++)
            found = found || !strcmp(answer->item[k].memory->id, id);
        missed += !found;
        mneme_answer_free(answer);
    }
    return (void *)(uintptr_t)missed;
}

static void who_writes_while_it_is_rebuilt_sees_his_own(void **state)
{
    struct fixture *f = *state;
    pthread_t writer;
    void *missed = NULL;

    recall(f);
    assert_int_equal(pthread_create(&writer, NULL, write_and_ask, f), 0);
    for (int i = 0; i < 30; i++)
        ASSERT_OK(mneme_rebuild(f->handle, NULL, NULL, &f->err));
    assert_int_equal(pthread_join(writer, &missed), 0);
    assert_int_equal((uintptr_t)missed, 0);
    (void)run_all(f);
    assert_clean(f);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_store_that_nobody_damaged_is_clean),
        CASE(each_part_that_is_damaged_is_found_and_put_right),
        CASE(vectors_that_were_lost_are_made_again),
        CASE(an_edge_that_stands_on_what_was_erased_goes),
        CASE(an_index_that_holds_something_else_is_built_anew),
        CASE(looking_changes_nothing_and_is_allowed_read_only),
        CASE(a_rebuild_serves_meanwhile_and_loses_nothing),
        CASE(what_the_model_refused_too_often_is_named_and_tried_again),
        CASE(who_writes_while_it_is_rebuilt_sees_his_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
