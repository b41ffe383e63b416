/*
 * test_used.c - which memories of a recall were used: kept with its trace, counted once, and what comes
 * of it: confidence, importance, and who may say so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)
#define REQUEST "Where are the spare ferry tickets?"
#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

static void put(struct fixture *f, const char *id, const char *content, enum mneme_authority said_by)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;

    m.id = id;
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.content = content;
    m.authority = said_by;
    m.confidence = 0.8;
    m.importance = 0.5;
    m.created_at_ms = change.now_ms = NOW;
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
}

static int set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    put(*state, "m-1", "The spare ferry tickets are in the harbour office.", MNEME_MODEL_INFERENCE);
    put(*state, "m-2", "The crane is red.", MNEME_EXPLICIT_USER);
    return 0;
}

/* The trace's id; m-1 is brought. */
static void recall(struct fixture *f, int64_t now_ms, char trace_id[64])
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = REQUEST;
    request.now_ms = now_ms;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_int_equal(answer->item_count, 1);
    assert_string_equal(answer->item[0].memory->id, "m-1");
    (void)snprintf(trace_id, 64, "%s", answer->trace_id);
    mneme_answer_free(answer);
}

static enum mneme_status report(struct fixture *f, const char *user, const char *trace_id,
                                const char *id, const char *by, int64_t now_ms, size_t *ret_counted)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_use use = MNEME_USE_INIT;

    change.now_ms = now_ms;
    use.tenant_id = "acme";
    use.user_id = user;
    use.trace_id = trace_id;
    use.memory_ids = (struct mneme_list){ &id, 1 };
    use.by = by;
    return mneme_report_use(f->handle, &use, &change, ret_counted, &f->err);
}

static struct mneme_usage usage_of(struct fixture *f, const char *id)
{
    struct mneme_parsed *row = NULL;

    ASSERT_OK(mneme_get(f->handle, "acme", "ann", id, &row, &f->err));
    struct mneme_usage usage = *mneme_parsed_record(row)->usage;
    mneme_parsed_free(row);
    return usage;
}

static void what_was_used_is_counted_once_a_recall(void **state)
{
    struct fixture *f = *state;
    char first[64], second[64];
    char *trace = NULL, *explained = NULL;
    size_t counted = 7;

    recall(f, NOW + DAY, first);
    ASSERT_OK(report(f, "ann", first, "m-1", "answer-7", NOW + DAY, &counted)); /* not flushed yet */
    assert_int_equal(counted, 1);
    assert_int_equal(usage_of(f, "m-1").used_count, 1);
    fixture_reopen(f);
    ASSERT_OK(report(f, "ann", first, "m-1", "tool-9", NOW + 2 * DAY, &counted));
    assert_int_equal(counted, 0);
    assert_int_equal(usage_of(f, "m-1").used_count, 1);
    recall(f, NOW + DAY, second);
    ASSERT_OK(report(f, "ann", second, "m-1", NULL, NOW + DAY, &counted));
    assert_int_equal(counted, 1);
    assert_int_equal(usage_of(f, "m-1").used_count, 2);
    assert_int_equal(usage_of(f, "m-1").access_count, 2);

    ASSERT_OK(mneme_trace_get(f->handle, "acme", "ann", first, &trace, &f->err));
    assert_non_null(strstr(trace, "\"used\":[{\"id\":\"m-1\",\"by\":\"answer-7\",\"at_ms\":1790086400000}]"));
    ASSERT_OK(mneme_trace_explain(trace, &explained, &f->err));
    assert_non_null(strstr(explained, "\nUsed\n  m-1  by answer-7\n"));
    mneme_free(explained);
    mneme_free(trace);
}

static void who_uses_what_has_decayed_has_it_back(void **state)
{
    struct mneme_maintenance decay = MNEME_MAINTENANCE_INIT;
    struct fixture *f = *state;
    char trace_id[64];

    recall(f, NOW + DAY, trace_id); /* its age begins anew */
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err));
    decay.job = "decay";
    decay.now_ms = NOW + 20 * DAY;
    ASSERT_OK(mneme_maintain(f->handle, &decay, NULL, NULL, NULL, &f->err));
    assert_true(usage_of(f, "m-1").confidence < 0.79);
    assert_true(usage_of(f, "m-1").confidence > 0.6);
    ASSERT_OK(report(f, "ann", trace_id, "m-1", "", NOW + 20 * DAY, NULL));
    assert_float_equal(usage_of(f, "m-1").confidence, -1.0, 0); /* as written */
    recall(f, NOW + 20 * DAY, trace_id);
    struct mneme_parsed *row = NULL;
    ASSERT_OK(mneme_get(f->handle, "acme", "ann", "m-1", &row, &f->err));
    assert_float_equal(mneme_parsed_record(row)->memory->confidence, 0.8, 1e-9);
    mneme_parsed_free(row);
}

static void use_moves_importance_with_the_next_review(void **state)
{
    struct mneme_maintenance review = MNEME_MAINTENANCE_INIT;
    struct fixture *f = *state;
    struct mneme_parsed *row = NULL;
    char trace_id[64];

    recall(f, NOW + DAY, trace_id);
    ASSERT_OK(report(f, "ann", trace_id, "m-1", "", NOW + DAY, NULL));
    review.job = "review";
    review.now_ms = NOW + 8 * DAY;
    ASSERT_OK(mneme_maintain(f->handle, &review, NULL, NULL, NULL, &f->err));
    ASSERT_OK(mneme_get(f->handle, "acme", "ann", "m-1", &row, &f->err));
    assert_float_equal(mneme_parsed_record(row)->memory->importance, 0.6, 1e-9);
    mneme_parsed_free(row);
}

static void only_what_ones_own_recall_brought_was_used(void **state)
{
    struct fixture *f = *state;
    char trace_id[64], long_name[MNEME_NAME_BYTES_MAX + 2];
    struct mneme_use use = MNEME_USE_INIT;
    size_t counted = 7;

    recall(f, NOW + DAY, trace_id);
    assert_int_equal(report(f, "ann", trace_id, "m-2", "", NOW, &counted), MNEME_INVALID);
    assert_string_equal(f->err.field, "memory_ids");
    assert_int_equal(report(f, "ann", trace_id, NULL, "", NOW, &counted), MNEME_INVALID);
    assert_int_equal(report(f, "bob", trace_id, "m-1", "", NOW, &counted), MNEME_NOT_FOUND);
    assert_int_equal(report(f, "*", trace_id, "m-1", "", NOW, &counted), MNEME_NOT_FOUND);
    assert_int_equal(report(f, "ann", "trc_none", "m-1", "", NOW, &counted), MNEME_NOT_FOUND);
    assert_int_equal(report(f, "ann", "", "m-1", "", NOW, &counted), MNEME_INVALID);
    assert_string_equal(f->err.field, "trace_id");
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(report(f, "ann", trace_id, "m-1", long_name, NOW, &counted), MNEME_LIMIT);
    assert_string_equal(f->err.field, "by");
    assert_int_equal(counted, 7);
    use.tenant_id = "acme";
    use.user_id = "ann";
    use.trace_id = trace_id;
    assert_int_equal(mneme_report_use(f->handle, &use, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "memory_ids");
    assert_int_equal(usage_of(f, "m-1").used_count, 0);
    long_name[MNEME_NAME_BYTES_MAX] = '\0';
    ASSERT_OK(report(f, "ann", trace_id, "m-1", long_name, NOW, &counted));
    assert_int_equal(counted, 1);
}

static void of_what_was_erased_no_use_is_told(void **state)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct fixture *f = *state;
    char *receipt = NULL;
    char trace_id[64];
    int clean = 0;

    recall(f, NOW + DAY, trace_id);
    ASSERT_OK(report(f, "ann", trace_id, "m-1", "answer-7", NOW + DAY, NULL));
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "m-1";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    mneme_free(receipt);
    assert_int_equal(report(f, "ann", trace_id, "m-1", "answer-7", NOW, NULL), MNEME_NOT_FOUND);
}

static int keep_use(void *context, const struct mneme_audit_entry *entry)
{
    int *entries = context;

    *entries += !strcmp(entry->action, "use") && strstr(entry->detail, "\"trace\":") != NULL;
    return 0;
}

static void who_reported_it_is_in_the_audit(void **state)
{
    struct fixture *f = *state;
    char trace_id[64];
    int entries = 0;

    recall(f, NOW + DAY, trace_id);
    ASSERT_OK(report(f, "ann", trace_id, "m-1", "", NOW + DAY, NULL));
    ASSERT_OK(mneme_audit_list(f->handle, "acme", "ann", "m-1", keep_use, &entries, &f->err));
    assert_int_equal(entries, 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_used_is_counted_once_a_recall),
        CASE(who_uses_what_has_decayed_has_it_back),
        CASE(use_moves_importance_with_the_next_review),
        CASE(only_what_ones_own_recall_brought_was_used),
        CASE(of_what_was_erased_no_use_is_told),
        CASE(who_reported_it_is_in_the_audit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
