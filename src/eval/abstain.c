/*
 * abstain.c - every request is asked twice: once for the answer, once for its cost.
 */
#include "eval/abstain.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "eval/lines.h"
#include "eval/progress.h"
#include "eval/text_pool.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)

static const char *const COLUMNS[] = { "empty", NULL };

struct query {
    const char *id;
    const char *kind;
    const char *text;
    bool deserves; /* something */
};

struct abstaining {
    const struct mn_abstain_options *options;
    struct mn_abstain_report *report;
    struct mn_golden golden;
    struct {
        struct query *item;
        size_t count, room;
    } queries;
};

static enum mneme_status read_query(void *context, struct mn_str line, struct mneme_error *err)
{
    struct abstaining *a = context;
    struct mn_arena *arena = a->report->arena;
    struct query *query = mn_array_add(arena, &a->queries);
    MN_JSON_AUTO doc = NULL;

    if (!query)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("query", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(mn_json_text(root, "id", MNEME_ID_BYTES_MAX, arena, &query->id, err));
    MN_TRY(mn_json_text(root, "kind", MNEME_NAME_BYTES_MAX, arena, &query->kind, err));
    MN_TRY(mn_json_text(root, "query", MNEME_TEXT_BYTES_MAX, arena, &query->text, err));
    return mn_empty(query->text) ? mn_fail(err, MNEME_INVALID, "query: is empty") : MNEME_OK;
}

/* Cases that want a memory, each text once; what mode none returns is a rule's, and no rule is here. */
static enum mneme_status add_cases(struct abstaining *a, struct mneme_error *err)
{
    for (size_t i = 0; i < a->golden.cases.count; i++) {
        const struct mn_golden_case *c = &a->golden.cases.item[i];
        bool known = false;

        for (size_t j = 0; j < a->queries.count; j++)
            known = known || mn_same(a->queries.item[j].text, c->request.text);
        if (known || !c->expect.required.count || c->expect.mode == MNEME_MODE_NONE)
            continue;
        struct query *query = mn_array_add(a->report->arena, &a->queries);
        if (!query)
            return mn_fail_memory(err);
        *query = (struct query){ c->id, "cases", c->request.text, true };
    }
    return MNEME_OK;
}

static void put_line(struct mn_buf *out, const struct query *query,
                     const struct mneme_answer *answer)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", query->id);
    mn_json_field_text(&w, "kind", query->kind);
    mn_json_field_text(&w, "query", query->text);
    mn_json_field_text(&w, "mode", mneme_mode_name(answer->mode));
    mn_json_key(&w, "items");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < answer->item_count; i++) {
        mn_json_open(&w, '{');
        mn_json_field_text(&w, "id", answer->item[i].memory->id);
        mn_json_field_text(&w, "reason", answer->item[i].reason);
        mn_json_close(&w, '}');
    }
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
}

static enum mneme_status add_deciding(struct abstaining *a, const struct mneme_answer *answer,
                                      struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    int64_t gate_us = 0, budget_us = 0;

    MN_TRY(mn_json_parse("trace", answer->trace, strlen(answer->trace), &doc, err));
    yyjson_val *us = yyjson_obj_get(yyjson_doc_get_root(doc), "stages_us");
    MN_TRY(mn_json_integer(us, "gate", 0, INT64_MAX, &gate_us, err));
    MN_TRY(mn_json_integer(us, "budget", 0, INT64_MAX, &budget_us, err));
    return mn_samples_add(a->report->arena, &a->report->deciding_us, (double)(gate_us + budget_us))
               ? MNEME_OK
               : mn_fail_memory(err);
}

static enum mneme_status ask(struct abstaining *a, const struct mn_text_pool *pool,
                             const struct query *query, struct mn_buf *out, struct mneme_error *err)
{
    struct mn_tally *tally = &a->report->tally;
    struct mneme_request request = mn_text_pool_request(pool, query->text);
    struct mneme_answer *answer = NULL;

    MN_TRY(mneme_retrieve(pool->store.handle, &request, &answer, err));
    const double empty[] = { answer->item_count == 0 };
    put_line(out, query, answer);
    mneme_answer_free(answer);
    answer = NULL;

    int64_t begun_us = mn_clock_cpu_us();
    MN_TRY(mneme_retrieve(pool->store.handle, &request, &answer, err));
    double spent_us = (double)(mn_clock_cpu_us() - begun_us);
    enum mneme_status status = answer->item_count ? MNEME_OK : add_deciding(a, answer, err);
    mneme_answer_free(answer);
    MN_TRY(status);

    bool good = mn_samples_add(a->report->arena, &a->report->cpu_us, spent_us) &&
                (query->deserves || mn_tally_add(tally, "rejected", empty)) &&
                (mn_empty(query->kind) || mn_tally_add(tally, query->kind, empty));
    return good ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status run(struct abstaining *a, struct mneme_error *err)
{
    MN_TEXT_POOL_AUTO pool = { 0 };
    MN_BUF_AUTO out = { 0 };
    const struct mn_abstain_options *options = a->options;

    MN_TRY(mn_golden_read(options->folder, &a->golden, err));
    MN_TRY(mn_lines_read(options->queries_path, true, read_query, a, err));
    MN_TRY(add_cases(a, err));
    MN_TRY(mn_text_pool_open_golden(&a->golden, &options->setup, &pool, err));
    a->report->memories = a->golden.memories.count;
    a->report->model_status = mn_arena_copy(a->report->arena, pool.model_status);
    if (!a->report->model_status)
        return mn_fail_memory(err);
    for (size_t i = 0; i < a->queries.count; i++) {
        MN_TRY(ask(a, &pool, &a->queries.item[i], &out, err));
        mn_progress_tell(options->progress, "requests", i + 1, a->queries.count);
    }
    return options->out_path ? mn_lines_write(options->out_path, &out, err) : MNEME_OK;
}

enum mneme_status mn_abstain_run(const struct mn_abstain_options *options,
                                 struct mn_abstain_report *ret_report, struct mneme_error *err)
{
    struct mn_abstain_report report = { .arena = mn_arena_new(ARENA_BYTES_MAX) };
    struct abstaining a = { .options = options, .report = &report };
    enum mneme_status status;

    report.tally = (struct mn_tally){ .arena = report.arena, .column = COLUMNS };
    status = report.arena ? run(&a, err) : mn_fail_memory(err);
    mn_golden_release(&a.golden);
    if (status == MNEME_OK)
        *ret_report = report;
    else
        mn_abstain_report_release(&report);
    return status;
}

void mn_abstain_report_release(struct mn_abstain_report *report)
{
    mn_arena_free(report->arena);
    *report = (struct mn_abstain_report){ 0 };
}
