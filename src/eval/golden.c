/*
 * golden.c - each case is asked twice in a store of its data, and every expectation checked.
 *
 * Most cases share one store with all rows. A case that names its candidates gets a store that holds
 * only those, and what needs no other; cases with the same candidates share it. The big store comes
 * first: it embeds all texts and requests, so that with a cache of embeddings the small ones never
 * load the model.
 */
#include "eval/golden.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "eval/expect.h"
#include "eval/hard_rules.h"

#define REPORT_BYTES_MAX ((size_t)256 << 20)
#define CASE_BYTES_MAX ((size_t)64 << 20)
#define VECTOR_DIM_MAX 4096

/* One run over a folder. */
struct run {
    const struct mn_golden *golden;
    const struct mn_eval_setup *setup;
    FILE *progress;
    struct mn_golden_report *report;
    bool *done; /* of each case */
    bool explain;
};

/* ---- the store of a case ---- */

static bool same_store(const struct mn_golden_case *a, const struct mn_golden_case *b)
{
    if (a->candidates_given != b->candidates_given || a->candidates.count != b->candidates.count)
        return false;
    for (size_t i = 0; i < a->candidates.count; i++)
        if (!mn_list_holds(&b->candidates, a->candidates.item[i]))
            return false;
    return true;
}

/* Needs the record no memory that this store lacks? */
static bool belongs(const struct mn_golden_case *c, const struct mneme_record *record)
{
    switch (record->kind) {
    case MNEME_RECORD_MEMORY:
        return mn_golden_holds(c, record->memory->id);
    case MNEME_RECORD_RULE:
        return mn_golden_holds(c, record->rule->memory_id);
    case MNEME_RECORD_EDGE:
        for (size_t i = 0; i < record->edge->provenance.count; i++)
            if (!mn_golden_holds(c, record->edge->provenance.item[i]))
                return false;
        return true;
    case MNEME_RECORD_TASK_STATE:
        return true;
    case MNEME_RECORD_NONE:
    case MNEME_RECORD_EVENT:
    case MNEME_RECORD_USAGE:
        break;
    }
    return false;
}

static enum mneme_status fill_store(const struct run *run, const struct mn_golden_case *c,
                                    struct mn_scratch *store, struct mneme_error *err)
{
    const struct mn_golden *golden = run->golden;
    MN_ARENA_AUTO arena = mn_arena_new(CASE_BYTES_MAX);
    struct mneme_record *records = mn_arena_array(arena, struct mneme_record, golden->rows.count + 1);
    struct mneme_rule *rules = mn_arena_array(arena, struct mneme_rule, golden->rows.count + 1);
    size_t count = 0;

    if (!records || !rules)
        return mn_fail_memory(err);
    for (size_t i = 0; i < golden->rows.count; i++) {
        const struct mneme_record *record = mneme_parsed_record(golden->rows.item[i]);

        if (!belongs(c, record))
            continue;
        records[count] = *record;
        if (record->kind == MNEME_RECORD_RULE) {
            rules[count] = *record->rule;
            rules[count].tenant_id = mn_golden_memory(golden, record->rule->memory_id)->tenant_id;
            records[count].rule = &rules[count];
        }
        count++;
    }
    return mn_scratch_load(store, records, count, err);
}

/* What the small stores will ask goes into the cache of embeddings now. */
static void embed_requests(const struct run *run, const struct mn_scratch *store)
{
    float vector[VECTOR_DIM_MAX];
    size_t dim = mneme_model_dim(store->handle);
    struct mneme_error ignored;

    if (mn_empty(run->setup->cache_path) || !dim || dim > VECTOR_DIM_MAX)
        return;
    for (size_t i = 0; i < run->golden->cases.count; i++)
        if (run->golden->cases.item[i].candidates_given && !run->done[i])
            mneme_embed(store->handle, run->golden->cases.item[i].request.text, 1, vector, dim,
                        &ignored);
}

/* ---- one case ---- */

static enum mneme_status add_failure(struct run *run, size_t at, const char *expectation,
                                     const char *got, struct mneme_error *err)
{
    struct mn_golden_report *report = run->report;
    struct mn_golden_failure *failure = mn_array_add(report->arena, &report->failed);
    const char *kept = mn_arena_copy(report->arena, got);

    if (!failure || !kept)
        return mn_fail_memory(err);
    *failure = (struct mn_golden_failure){ run->golden->cases.item[at].id, expectation, kept };
    return MNEME_OK;
}

/* Would an agent without memory do? Its mode is not asked for: there is no gate. */
static enum mneme_status passes_without_memory(const struct run *run, size_t at,
                                               struct mn_arena *arena, bool *ret_passes,
                                               struct mneme_error *err)
{
    const struct mn_golden_case *c = &run->golden->cases.item[at];
    const struct mneme_answer nothing = { .mode = c->expect.mode, .xml = "", .trace = "{}" };
    MN_JSON_AUTO trace = NULL;
    struct mn_outcome outcome;
    bool passes = true;

    MN_TRY(mn_outcome_make(run->golden, c, &nothing, &nothing, arena, &trace, &outcome, err));
    for (size_t i = 0; i < mn_expectation_count && passes; i++)
        passes = mn_expectations[i].got(&outcome) == NULL;
    *ret_passes = passes;
    return MNEME_OK;
}

static enum mneme_status check_outcome(struct run *run, size_t at, const struct mn_outcome *outcome,
                                       bool *ret_passed, struct mneme_error *err)
{
    bool passed = true;

    for (size_t i = 0; i < mn_expectation_count; i++) {
        const char *got = mn_expectations[i].got(outcome);

        if (!got)
            continue;
        passed = false;
        MN_TRY(add_failure(run, at, mn_expectations[i].name, got, err));
    }
    *ret_passed = passed;
    return MNEME_OK;
}

static enum mneme_status explain(struct run *run, const struct mneme_answer *answer,
                                 struct mneme_error *err)
{
    char *text = NULL;

    MN_TRY(mneme_trace_explain(answer->trace, &text, err));
    run->report->explanation = mn_arena_printf(run->report->arena, "%s\n%s\n", text,
                                               mn_or_empty(answer->xml));
    mneme_free(text);
    return run->report->explanation ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status judge(struct run *run, size_t at, struct mn_scratch *store,
                               const struct mneme_answer *answer, const struct mneme_answer *again,
                               int64_t added_us, struct mneme_error *err)
{
    const struct mn_golden_case *c = &run->golden->cases.item[at];
    MN_ARENA_AUTO arena = mn_arena_new(CASE_BYTES_MAX);
    MN_JSON_AUTO trace = NULL;
    struct mn_outcome outcome;
    bool passed = false, without_memory = false;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(mn_outcome_make(run->golden, c, answer, again, arena, &trace, &outcome, err));
    MN_TRY(check_outcome(run, at, &outcome, &passed, err));
    MN_TRY(passes_without_memory(run, at, arena, &without_memory, err));
    run->report->passed += passed;
    run->report->leak_count += mn_outcome_leaks(&outcome);
    if (run->explain)
        MN_TRY(explain(run, answer, err));
    return mn_metrics_add(&run->report->metrics, &outcome, passed, without_memory,
                          mneme_token_count(store->handle, c->request.text), added_us, err);
}

static void free_answer(struct mneme_answer **answer)
{
    mneme_answer_free(*answer);
}
#define ANSWER_AUTO MN_CLEANUP(free_answer) struct mneme_answer *

static enum mneme_status run_case(struct run *run, size_t at, struct mn_scratch *store,
                                  struct mneme_error *err)
{
    const struct mneme_request *request = &run->golden->cases.item[at].request;
    ANSWER_AUTO answer = NULL;
    ANSWER_AUTO again = NULL;
    struct mneme_error why;
    int64_t begun_us;
    int64_t added_us;

    run->done[at] = true;
    run->report->case_count++;
    if (run->progress && !run->explain) {
        fprintf(run->progress, "\r%zu of %zu cases", run->report->case_count,
                run->golden->cases.count);
        fflush(run->progress);
    }
    begun_us = mn_clock_monotonic_us();
    enum mneme_status status = mneme_retrieve(store->handle, request, &answer, &why);
    added_us = mn_clock_monotonic_us() - begun_us;
    if (status == MNEME_OK)
        status = mneme_retrieve(store->handle, request, &again, &why);
    if (status != MNEME_OK)
        return add_failure(run, at, "retrieve", why.message, err);
    return judge(run, at, store, answer, again, added_us, err);
}

/* ---- all cases ---- */

/* The case at `first` and those that share its store. */
static enum mneme_status run_store(struct run *run, size_t first, struct mneme_error *err)
{
    const struct mn_golden *golden = run->golden;
    const struct mn_golden_case *c = &golden->cases.item[first];
    MN_SCRATCH_AUTO store = { 0 };

    MN_TRY(mn_scratch_open(run->setup, &store, err));
    run->report->model_status = mn_arena_copy(run->report->arena,
                                              mneme_model_status(store.handle));
    MN_TRY(fill_store(run, c, &store, err));
    if (!c->candidates_given)
        embed_requests(run, &store);
    for (size_t i = first; i < golden->cases.count; i++)
        if (!run->done[i] && same_store(c, &golden->cases.item[i]))
            MN_TRY(run_case(run, i, &store, err));
    return MNEME_OK;
}

static enum mneme_status run_stores(struct run *run, bool with_candidates, struct mneme_error *err)
{
    for (size_t i = 0; i < run->golden->cases.count; i++)
        if (!run->done[i] && run->golden->cases.item[i].candidates_given == with_candidates)
            MN_TRY(run_store(run, i, err));
    return MNEME_OK;
}

/* Failures were found store by store; they are told in the order of the cases. */
static enum mneme_status sort_failures(struct run *run, struct mneme_error *err)
{
    struct mn_golden_report *report = run->report;
    struct mn_golden_failure *sorted =
        mn_arena_array(report->arena, struct mn_golden_failure, report->failed.count + 1);
    size_t count = 0;

    if (!sorted)
        return mn_fail_memory(err);
    for (size_t i = 0; i < run->golden->cases.count; i++)
        for (size_t j = 0; j < report->failed.count; j++)
            if (report->failed.item[j].case_id == run->golden->cases.item[i].id)
                sorted[count++] = report->failed.item[j];
    for (size_t i = 0; i < count; i++) {
        sorted[i].case_id = mn_arena_copy(report->arena, sorted[i].case_id);
        if (!sorted[i].case_id)
            return mn_fail_memory(err);
    }
    report->failed.item = sorted;
    return MNEME_OK;
}

/* Only one case: all others count as done. */
static enum mneme_status choose(struct run *run, const char *case_id, struct mneme_error *err)
{
    bool found = false;

    for (size_t i = 0; i < run->golden->cases.count; i++) {
        run->done[i] = case_id && !mn_same(run->golden->cases.item[i].id, case_id);
        found |= !run->done[i];
    }
    run->explain = case_id != NULL;
    if (found)
        return MNEME_OK;
    return case_id ? mn_fail(err, MNEME_NOT_FOUND, "case: there is no %s", case_id)
                   : mn_fail(err, MNEME_INVALID, "cases.jsonl: holds no case");
}

static enum mneme_status run_all(struct run *run, const char *case_id, struct mneme_error *err)
{
    struct mn_golden_report *report = run->report;

    report->arena = mn_arena_new(REPORT_BYTES_MAX);
    report->metrics.arena = report->arena;
    report->explanation = report->model_status = "";
    run->done = mn_arena_array(report->arena, bool, run->golden->cases.count + 1);
    if (!run->done)
        return mn_fail_memory(err);
    MN_TRY(choose(run, case_id, err));
    MN_TRY(run_stores(run, false, err));
    MN_TRY(run_stores(run, true, err));
    if (run->progress && !run->explain)
        fprintf(run->progress, "\r%30s\r", "");
    return sort_failures(run, err);
}

enum mneme_status mn_golden_run(const char *folder, const struct mn_eval_setup *setup,
                                const char *case_id, FILE *progress,
                                struct mn_golden_report *ret_report, struct mneme_error *err)
{
    MN_CLEANUP(mn_golden_release) struct mn_golden golden = { 0 };
    struct mn_golden_report report = { 0 };
    struct run run = { .golden = &golden,
                       .setup = setup,
                       .progress = progress,
                       .report = &report };

    MN_TRY(mn_golden_read(folder, &golden, err));
    enum mneme_status status = run_all(&run, case_id, err);
    if (status == MNEME_OK)
        *ret_report = report;
    else
        mn_golden_report_release(&report);
    return status;
}

void mn_golden_report_release(struct mn_golden_report *report)
{
    mn_arena_free(report->arena);
    *report = (struct mn_golden_report){ 0 };
}

void mn_golden_report_put(struct mn_json_writer *w, struct mn_golden_report *report)
{
    mn_json_open(w, '{');
    mn_json_field_integer(w, "cases", (int64_t)report->case_count);
    mn_json_field_integer(w, "passed", (int64_t)report->passed);
    mn_json_key(w, "failed");
    mn_json_open(w, '[');
    for (size_t i = 0; i < report->failed.count; i++) {
        mn_json_open(w, '{');
        mn_json_field_text(w, "case_id", report->failed.item[i].case_id);
        mn_json_field_text(w, "expectation", report->failed.item[i].expectation);
        mn_json_field_text(w, "got", report->failed.item[i].got);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
    mn_json_key(w, "metrics");
    mn_metrics_put(w, &report->metrics);
    mn_json_close(w, '}');
}
