/*
 * retrieve.c - one retrieval, as a table of contents.
 *
 * Read mn_retrieve() from the top: each line is a stage, given what it reads and the place of what
 * it makes. The stages are declared in stages.h in this order, one file each. What the answer shows
 * is gathered at the end. Nothing durable is written here: the engine journals the trace.
 */
#include "retrieve/retrieve.h"

#include <string.h>

#include "base/clock.h"
#include "model/model.h"
#include "store/store.h"
#include "text/tokens.h"

/* ---- what the stages share ---- */

static void begin(struct mn_retrieval *r, const struct mn_world *world,
                  const struct mneme_request *request, struct mn_arena *arena,
                  struct mn_model_profile *none)
{
    mn_model_profile_none(none);
    *r = (struct mn_retrieval){
        .request = request,
        .arena = arena,
        .profile = world->model ? &world->model->profile : none,
        .model_name = world->model ? world->model->profile.name : "",
        .trace.arena = arena,
    };
    mn_id_make("trc", world->now_ms(), r->trace.id); /* whatever the request takes for now */
}

/* What the request itself costs, so that the trace can tell the memories' share of the prompt. */
static size_t request_tokens(const struct mn_world *world, const struct mneme_request *request)
{
    const char *dialogue = mn_or_empty(request->signals.dialogue);

    return mn_tokens_count(world->tokens, request->text, strlen(request->text)) +
           mn_tokens_count(world->tokens, dialogue, strlen(dialogue));
}

/* Ends a stage: adds the time since *begun_us to it, and begins the next. */
static void stage_done(struct mn_retrieval *r, enum mn_stage stage, int64_t *begun_us)
{
    int64_t now_us = mn_clock_monotonic_us();

    r->trace.stage_us[stage] += now_us - *begun_us;
    *begun_us = now_us;
}

/* ---- the answer ---- */

static enum mneme_status answer_items(const struct mn_retrieval *r, struct mneme_answer *answer,
                                      struct mneme_error *err)
{
    struct mneme_item *item = mn_arena_array(r->arena, struct mneme_item, r->selection.count + 1);

    if (!item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < r->selection.count; i++) {
        const struct mn_candidate *c = &r->selection.item[i];

        item[i] = (struct mneme_item){
            .memory = c->memory,
            .score = c->parts.final,
            .relevance = c->parts.relevance,
            .confidence = c->confidence,
            .forced = c->forced,
            .suspicious = c->suspicious,
            .shortened = c->shortened || c->excerpt,
            .section = mn_section_name(mn_assemble_section(c)),
            .reason = mn_or_empty(c->why),
            .text = mn_assemble_text(c),
            .merged_from = { c->merged_from, c->merged_count },
            .replaced_by = mn_or_empty(c->replaced_by),
        };
    }
    answer->item = item;
    answer->item_count = r->selection.count;
    return MNEME_OK;
}

static enum mneme_status answer_conflicts(const struct mn_retrieval *r, struct mneme_answer *answer,
                                          struct mneme_error *err)
{
    struct mneme_conflict *conflict =
        mn_arena_array(r->arena, struct mneme_conflict, r->conflicts.count + 1);

    if (!conflict)
        return mn_fail_memory(err);
    for (size_t i = 0; i < r->conflicts.count; i++) {
        const struct mn_conflict *c = &r->conflicts.item[i];

        conflict[i] = (struct mneme_conflict){
            .memory_key = c->memory_key,
            .ids = { c->ids, c->id_count },
            .withheld = { c->withheld, c->withheld_count },
            .needs_clarification = c->needs_clarification,
            .blocking = c->blocking,
            .question = mn_or_empty(c->question),
        };
    }
    answer->conflict = conflict;
    answer->conflict_count = r->conflicts.count;
    return MNEME_OK;
}

static enum mneme_status answer_make(const struct mn_retrieval *r, struct mneme_answer *ret_answer,
                                     struct mneme_error *err)
{
    struct mneme_answer answer = {
        .trace_id = mn_arena_copy(r->arena, r->trace.id),
        .mode = r->gate.mode,
        .mode_reason = r->gate.reason,
        .intent = mn_or_empty(r->gate.intent),
        .xml = mn_or_empty(r->selection.xml),
        .markdown = r->markdown,
        .json = r->json,
        .tokens_used = r->selection.tokens_used,
        .budget_exceeded = r->selection.budget_exceeded,
        .degraded = r->trace.degraded,
    };

    if (!answer.trace_id)
        return mn_fail_memory(err);
    MN_TRY(answer_items(r, &answer, err));
    MN_TRY(answer_conflicts(r, &answer, err));
    MN_TRY(mn_trace_print(r, r->arena, &answer.trace, err));
    *ret_answer = answer;
    return MNEME_OK;
}

/* ---- the eleven stages ---- */

enum mneme_status mn_retrieve(struct mn_world *world, const struct mneme_request *request,
                              struct mn_arena *arena, struct mneme_answer *ret_answer,
                              struct mneme_error *err)
{
    int64_t now_ms = request->now_ms ? request->now_ms : world->now_ms();
    int64_t at_us = mn_clock_monotonic_us();
    struct mn_successors successors = { 0 };
    struct mn_model_profile none;
    struct mn_retrieval r;

    begin(&r, world, request, arena, &none);

    MN_TRY(mn_identify(request, now_ms, &r.access, err));
    r.trace.request_tokens = request_tokens(world, request);
    stage_done(&r, MN_STAGE_IDENTIFY, &at_us);

    MN_TRY(mn_gate_decide(request, arena, &r.gate, err));
    stage_done(&r, MN_STAGE_GATE, &at_us);

    MN_TRY(mn_plan_make(request, &r.access, &r.gate, arena, &r.plan, err));
    stage_done(&r, MN_STAGE_PLAN, &at_us);

    MN_TRY(
        mn_recall(world, request, &r.access, &r.plan, arena, &r.found, &successors, &r.trace, err));
    MN_TRY(mn_phrase_lean(&r.plan, arena, &r.found, &r.trace, err));
    mn_trace_expect(&r.trace, r.found.count);
    stage_done(&r, MN_STAGE_RECALL, &at_us);

    mn_filter_apply(&r.access, &r.plan, successors.item, successors.count, &r.found, &r.trace);
    stage_done(&r, MN_STAGE_FILTER, &at_us);

    mn_rank_raw(&r.plan, r.profile, &r.found);
    /* Pairs are compared among so many of the best, for all that may reach the end of ranking. */
    size_t among = r.plan.depth + r.plan.depth / 2;
    MN_TRY(mn_recall_similarity(world, &r.access, &r.found, among, arena, &r.similarity, err));
    MN_TRY(mn_merge_apply(&r.similarity, r.profile, arena, &r.found, &r.trace, err));
    stage_done(&r, MN_STAGE_MERGE, &at_us);

    MN_TRY(mn_rank_apply(request, &r.access, &r.plan, r.profile, arena, &r.found, &r.trace, err));
    MN_TRY(mn_reorder_apply(world, request, &r.access, &r.plan, arena, &r.found, &r.trace, err));
    stage_done(&r, MN_STAGE_RANK, &at_us);

    MN_TRY(mn_resolve_apply(request, &r.access, &r.plan, r.profile, arena, &r.found, &r.conflicts,
                            &r.trace, err));
    stage_done(&r, MN_STAGE_RESOLVE, &at_us);

    MN_TRY(mn_budget_choose(request, &r.access, &r.plan, r.profile, &r.similarity, world->tokens,
                            arena, &r.found, &r.selection, &r.trace, err));
    MN_TRY(mn_neighbours_add(world, request, &r.access, &r.plan, arena, &r.selection, &r.trace,
                             err));
    stage_done(&r, MN_STAGE_BUDGET, &at_us);

    MN_TRY(mn_assemble_markdown(r.selection.item, r.selection.count, &r.selection.evidence, arena,
                                &r.markdown, err));
    MN_TRY(mn_assemble_json(r.selection.item, r.selection.count, &r.selection.evidence, arena,
                            &r.json, err));
    stage_done(&r, MN_STAGE_ASSEMBLE, &at_us);

    return answer_make(&r, ret_answer, err);
}
