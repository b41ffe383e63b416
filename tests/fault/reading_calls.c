/*
 * reading_calls.c - the calls that find, tell and list, and what is told about an answer.
 *
 * They ask for what the store of calls.c holds, and for an answer that is made with nothing failing where
 * the call is about one. None gives half of an output: it is there when the call succeeds and only then.
 */
#include "fault/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

static enum mneme_status call_retrieve(struct mneme_error *err)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.identity.task_id = "task-1";
    request.text = "Which quay do the harbour pilots use? 港口引航员用哪个码头？";
    request.now_ms = FAULT_NOW;
    enum mneme_status status = mneme_retrieve(fault_handle, &request, &answer, err);
    assert_true((status == MNEME_OK) == (answer != NULL));
    mneme_answer_free(answer);
    return status;
}

static enum mneme_status call_explain(struct mneme_error *err)
{
    struct mneme_answer *answer = faults_answer();
    char *explained = NULL;
    enum mneme_status status = mneme_trace_explain(answer->trace, &explained, err);
    assert_true((status == MNEME_OK) == (explained != NULL));
    mneme_free(explained);
    mneme_answer_free(answer);
    return status;
}

/* From the store, or from what waits to be written there. */
static enum mneme_status get_trace(bool waits, struct mneme_error *err)
{
    long failing = faults_pause();
    struct mneme_answer *answer = faults_answer();
    char *json = NULL;

    if (!waits)
        assert_int_equal(mneme_run_due(fault_handle, 0, NULL, err), MNEME_OK);
    faults_resume(failing);
    enum mneme_status status =
        mneme_trace_get(fault_handle, "t", "ann", answer->trace_id, &json, err);
    assert_true((status == MNEME_OK) == (json != NULL));
    mneme_free(json);
    mneme_answer_free(answer);
    return status;
}

static enum mneme_status call_trace_get(struct mneme_error *err)
{
    return get_trace(false, err);
}

static enum mneme_status call_trace_get_waiting(struct mneme_error *err)
{
    return get_trace(true, err);
}

static enum mneme_status call_report_use(struct mneme_error *err)
{
    long failing = faults_pause();
    struct mneme_answer *answer = faults_answer();
    struct mneme_use use = MNEME_USE_INIT;
    const char *id;
    size_t counted = 7;

    assert_true(answer->item_count > 0);
    id = answer->item[0].memory->id;
    use.tenant_id = "t";
    use.user_id = "ann";
    use.trace_id = answer->trace_id;
    use.memory_ids = (struct mneme_list){ &id, 1 };
    use.by = "answer";
    faults_resume(failing);
    enum mneme_status status = mneme_report_use(fault_handle, &use, NULL, &counted, err);
    assert_int_equal(counted, status == MNEME_OK ? 1 : 7);
    mneme_answer_free(answer);
    return status;
}

static int keep_going(void *context, const struct mneme_record *record)
{
    struct mneme_error err;
    char *json = NULL;

    (void)context;
    if (mneme_record_print(record, &json, &err) != MNEME_OK)
        assert_null(json);
    mneme_free(json);
    return 0;
}

static int keep_going_back(void *context, const struct mneme_memory *former, const char *actor,
                           const char *reason, int64_t changed_at_ms)
{
    (void)context, (void)actor, (void)reason, (void)changed_at_ms;
    assert_non_null(former->id);
    return 0;
}

static enum mneme_status call_get(struct mneme_error *err)
{
    struct mneme_parsed *row = NULL;
    enum mneme_status status = mneme_get(fault_handle, "t", "ann", "m-1", &row, err);

    assert_true((status == MNEME_OK) == (row != NULL));
    mneme_parsed_free(row);
    return status;
}

static enum mneme_status call_list(struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "t";
    filter.user_id = "ann";
    return mneme_list_memories(fault_handle, &filter, keep_going, NULL, err);
}

static enum mneme_status call_export(struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "t";
    filter.all_users = 1;
    filter.with_shared = 1;
    filter.with_all_statuses = 1;
    return mneme_export(fault_handle, &filter, keep_going, NULL, err);
}

static enum mneme_status call_history(struct mneme_error *err)
{
    return mneme_history(fault_handle, "t", "ann", "m-1", keep_going_back, NULL, err);
}

static enum mneme_status call_versions(struct mneme_error *err)
{
    return mneme_versions(fault_handle, "t", "ann", "m-1", keep_going, NULL, err);
}

static enum mneme_status call_remember_check(struct mneme_error *err)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;

    memory.tenant_id = "t";
    memory.user_id = "ann";
    memory.content = "I live in Paris.";
    return mneme_remember_check(fault_handle, &memory, NULL, err);
}

static int keep_reading_grains(void *context, const struct mneme_grain *grain)
{
    (void)context;
    (void)grain;
    return 0;
}

static enum mneme_status call_granularity(struct mneme_error *err)
{
    return mneme_granularity(fault_handle, "t", "ann", 0, NULL, keep_reading_grains, NULL, err);
}

static int keep_extraction(void *context, const struct mneme_extraction *extraction)
{
    (void)context, (void)extraction;
    return 0;
}

static enum mneme_status call_extractions(struct mneme_error *err)
{
    return mneme_extractions(fault_handle, "t", "ann", NULL, keep_extraction, NULL, err);
}

static enum mneme_status call_embed(struct mneme_error *err)
{
    float vector[FAULT_DIM];
    enum mneme_status status = mneme_embed(fault_handle, "a quay", 1, vector, FAULT_DIM, err);

    return status == MNEME_UNAVAILABLE && !mneme_model_dim(fault_handle) ? MNEME_OK : status;
}

static enum mneme_status call_token_states(struct mneme_error *err)
{
    float states[2 * FAULT_DIM];
    size_t count = 0;
    enum mneme_status status =
        mneme_token_states(fault_handle, "a quay", 1, states, 2, &count, err);

    return status == MNEME_UNAVAILABLE && !mneme_model_dim(fault_handle) ? MNEME_OK : status;
}

static enum mneme_status call_times(struct mneme_error *err)
{
    int64_t at_ms = 0;

    enum mneme_status status = mneme_time_parse("2026-10-14T09:00:00Z", &at_ms, err);
    return status == MNEME_OK ? mneme_time_parse_spelled("8 May 2023", &at_ms, err) : status;
}

static const struct fault_call calls[] = {
    { "mneme_retrieve", call_retrieve },
    { "mneme_trace_explain", call_explain },
    { "mneme_trace_get", call_trace_get },
    { "mneme_trace_get, of one that waits", call_trace_get_waiting },
    { "mneme_report_use", call_report_use },
    { "mneme_get", call_get },
    { "mneme_list_memories", call_list },
    { "mneme_export, mneme_record_print", call_export },
    { "mneme_history", call_history },
    { "mneme_versions", call_versions },
    { "mneme_remember_check", call_remember_check },
    { "mneme_granularity", call_granularity },
    { "mneme_extractions", call_extractions },
    { "mneme_embed", call_embed },
    { "mneme_token_states", call_token_states },
    { "mneme_time_parse, mneme_time_parse_spelled", call_times },
};
const struct fault_group fault_reading = {
    .name = "reading",
    .calls = calls,
    .count = sizeof calls / sizeof *calls,
};
