/*
 * trace_print.c - the record of a retrieval as JSON.
 *
 * Ids, types, scores, reasons and the hashes of the request's terms; no word of anybody's text.
 * docs/trace.md describes every field; a change that a reader could stumble over raises
 * MN_TRACE_VERSION. Of what was rejected the best are printed with all their scores, the others only
 * as ids by reason, so that every candidate's fate is there and a trace stays small.
 */
#include "retrieve/retrieve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "retrieve/excerpt.h"
#include "retrieve/floor.h"

#define BEST_REJECTED 20
#define BYTES_USUAL 20000 /* of a trace */
#define OTHERS_MAX 1000 /* ids; more only counts */

static void put_hash(struct mn_json_writer *w, uint64_t hash)
{
    char hex[17];

    snprintf(hex, sizeof hex, "%016" PRIx64, hash);
    mn_json_put_text(w, hex);
}

static void put_ids(struct mn_json_writer *w, const char *key, const char *const *ids, size_t count)
{
    mn_json_key(w, key);
    mn_json_open(w, '[');
    for (size_t i = 0; i < count; i++)
        mn_json_put_text(w, ids[i]);
    mn_json_close(w, ']');
}

static void put_types(struct mn_json_writer *w, const char *key, mn_type_set types)
{
    mn_json_key(w, key);
    mn_json_open(w, '[');
    for (int type = 0; type < mn_type_count(); type++) {
        if (types & MN_TYPE_BIT(type))
            mn_json_put_text(w, mn_type_at(type)->name);
    }
    mn_json_close(w, ']');
}

/* "repo:lunest-ios", "global". */
static void put_scope(struct mn_json_writer *w, enum mneme_scope scope, const char *scope_id)
{
    MN_BUF_AUTO text = { 0 };

    mn_buf_text(&text, mneme_scope_name(scope));
    if (!mn_empty(scope_id)) {
        mn_buf_char(&text, ':');
        mn_buf_text(&text, scope_id);
    }
    if (text.failed)
        w->out->failed = true;
    mn_json_field_text(w, "scope", text.at);
}

static void put_identity(struct mn_json_writer *w, const struct mn_access *access)
{
    mn_json_key(w, "identity");
    mn_json_open(w, '{');
    mn_json_field_text(w, "tenant", access->tenant);
    mn_json_field_text(w, "user", access->user);
    mn_json_field_text(w, "agent", access->agent);
    mn_json_field_text(w, "session", access->session);
    mn_json_field_text(w, "task", access->task);
    mn_json_field_text(w, "project", access->project);
    mn_json_field_text(w, "repository", access->repository);
    mn_json_field_text(w, "clearance", mneme_sensitivity_name(access->clearance));
    mn_json_close(w, '}');
}

static void put_mode(struct mn_json_writer *w, const struct mn_gate *gate)
{
    mn_json_key(w, "mode");
    mn_json_open(w, '{');
    mn_json_field_text(w, "name", mneme_mode_name(gate->mode));
    mn_json_field_text(w, "why", gate->reason);
    mn_json_field_text(w, "intent", gate->intent);
    mn_json_field_bool(w, "payload", gate->has_payload);
    mn_json_field_bool(w, "statement", gate->is_statement);
    mn_json_field_bool(w, "own_ways", gate->own_ways);
    mn_json_field_bool(w, "back_reference", gate->back_reference);
    mn_json_close(w, '}');
}

static const char *language_name(enum mn_language language)
{
    return language == MN_LANGUAGE_ZH ? "zh" : language == MN_LANGUAGE_EN ? "en" : "other";
}

static void put_plan(struct mn_json_writer *w, const struct mn_plan *plan)
{
    mn_json_key(w, "plan");
    mn_json_open(w, '{');
    mn_json_field_text(w, "language", language_name(plan->language));
    mn_json_key(w, "word_hashes");
    mn_json_open(w, '[');
    for (size_t i = 0; i < plan->terms.count; i++)
        put_hash(w, plan->terms.item[i].hash);
    mn_json_close(w, ']');
    mn_json_field_integer(w, "other_names", (int64_t)plan->terms.forms.count);
    mn_json_field_integer(w, "mentions", (int64_t)plan->mentions.count);
    mn_json_field_integer(w, "topics", (int64_t)plan->topic_count);
    put_types(w, "asked_types", plan->asked);
    put_types(w, "wanted_types", plan->wanted);
    mn_json_key(w, "sources");
    mn_json_open(w, '[');
    for (int source = 0; source < MN_SOURCE_COUNT; source++) {
        if (plan->probes[source])
            mn_json_put_text(w, mn_source_name(source));
    }
    mn_json_close(w, ']');
    mn_json_field_integer(w, "probe_limit", (int64_t)plan->probe_limit);
    mn_json_field_integer(w, "depth", (int64_t)plan->depth);
    mn_json_field_text(w, "timezone", mn_empty(plan->zone) ? "UTC" : plan->zone);
    mn_json_key(w, "time_phrase");
    if (plan->when.found) {
        mn_json_open(w, '{');
        mn_json_field_time(w, "from", plan->when.from_ms);
        mn_json_field_time(w, "until", plan->when.until_ms);
        mn_json_close(w, '}');
    } else {
        mn_json_put_null(w);
    }
    mn_json_field_time(w, "after", plan->after_ms);
    mn_json_field_time(w, "before", plan->before_ms);
    mn_json_close(w, '}');
}

static void put_sources(struct mn_json_writer *w, const struct mn_trace *trace)
{
    mn_json_key(w, "sources");
    mn_json_open(w, '[');
    for (int source = 0; source < MN_SOURCE_COUNT; source++) {
        const struct mn_trace_source *s = &trace->source[source];

        mn_json_open(w, '{');
        mn_json_field_text(w, "name", mn_source_name(source));
        mn_json_field_bool(w, "asked", s->asked);
        mn_json_field_integer(w, "count", (int64_t)s->count);
        mn_json_field_integer(w, "us", s->us);
        if (s->silent)
            mn_json_field_text(w, "silent", s->silent);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
}

static void put_counts(struct mn_json_writer *w, const struct mn_retrieval *r)
{
    const struct mn_trace *trace = &r->trace;

    mn_json_key(w, "counts");
    mn_json_open(w, '{');
    mn_json_field_integer(w, "candidate", (int64_t)trace->candidate_count);
    mn_json_field_integer(w, "eligible", (int64_t)trace->eligible_count);
    mn_json_field_integer(w, "deduplicated", (int64_t)trace->deduplicated_count);
    mn_json_field_integer(w, "ranked", (int64_t)trace->ranked_count);
    mn_json_field_integer(w, "selected", (int64_t)r->selection.count);
    mn_json_close(w, '}');
    mn_json_key(w, "rejections");
    mn_json_open(w, '{');
    for (int reason = MN_REASON_NONE + 1; reason < MN_REASON_COUNT; reason++) {
        if (trace->reason_count[reason])
            mn_json_field_integer(w, mn_reason_name(reason), (int64_t)trace->reason_count[reason]);
    }
    mn_json_close(w, '}');
    mn_json_field_integer(w, "first_wall_leaks", (int64_t)trace->first_wall_leaks);
}

/* Where it was found, and everything it scored. */
static void put_scores(struct mn_json_writer *w, const struct mn_candidate *c)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {
        { "relevance", c->parts.relevance }, { "task_fit", c->parts.task_fit },
        { "scope", c->parts.scope },         { "authority", c->parts.authority },
        { "freshness", c->parts.freshness }, { "confidence", c->parts.confidence },
        { "recency", c->parts.recency },     { "importance", c->parts.importance },
        { "conflict", c->parts.conflict },   { "redundancy", c->parts.redundancy },
        { "suspicion", c->parts.suspicion },
    };

    mn_json_field_number(w, "score", c->parts.final, 4);
    mn_json_key(w, "parts");
    mn_json_open(w, '{');
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        mn_json_field_number(w, parts[i].name, parts[i].value, 4);
    mn_json_close(w, '}');
    mn_json_key(w, "raw");
    mn_json_open(w, '{');
    mn_json_field_number(w, "relevance", c->raw_relevance, 4);
    mn_json_field_number(w, "text", c->text, 4);
    mn_json_field_number(w, "coverage", c->coverage, 4);
    mn_json_key(w, "vector");
    if (c->has_vector)
        mn_json_put_number(w, c->vector, 4);
    else
        mn_json_put_null(w);
    mn_json_field_number(w, "path_confidence", c->path_confidence, 4);
    if (c->has_rerank)
        mn_json_field_number(w, "rerank", c->rerank, 4);
    mn_json_close(w, '}');
    mn_json_key(w, "found_by");
    mn_json_open(w, '{');
    for (int source = 0; source < MN_SOURCE_COUNT; source++) {
        if (!c->found[source].rank)
            continue;
        mn_json_key(w, mn_source_name(source));
        mn_json_open(w, '{');
        mn_json_field_integer(w, "rank", (int64_t)c->found[source].rank);
        mn_json_field_number(w, "raw", c->found[source].raw, 4);
        mn_json_field_number(w, "scaled", c->found[source].scaled, 4);
        mn_json_close(w, '}');
    }
    mn_json_close(w, '}');
    mn_json_field_bool(w, "by_key", c->by_key);
}

static void put_what(struct mn_json_writer *w, const struct mn_candidate *c)
{
    const struct mneme_memory *m = c->memory;

    mn_json_field_text(w, "id", m->id);
    mn_json_field_text(w, "type", m->type);
    put_scope(w, m->scope_kind, m->scope_id);
    mn_json_field_text(w, "authority", mneme_authority_name(m->authority));
    mn_json_field_bool(w, "shared", c->shared);
    mn_json_field_bool(w, "from_truth", c->from_truth);
    if (c->step)
        mn_json_field_text(w, "second_step", mn_step_name(c->step));
    mn_json_field_bool(w, "forced", c->forced);
    if (c->forced)
        mn_json_field_text(w, "trigger", c->rule_trigger);
    if (c->replaced_by)
        mn_json_field_text(w, "replaced_by", c->replaced_by);
    mn_json_field_bool(w, "suspicious", c->suspicious);
    if (c->orders_noted)
        mn_json_field_bool(w, "orders_noted", true);
    if (c->passage) {
        mn_json_key(w, "passage");
        mn_json_open(w, '{');
        mn_json_field_integer(w, "best", (int64_t)c->passage);
        mn_json_field_integer(w, "of", (int64_t)mn_excerpt_passages(c));
        mn_json_close(w, '}');
    }
}

/* No memories that were recalled: they stand with the event, and nowhere else in the trace. */
static void put_neighbours(struct mn_json_writer *w, const struct mn_candidate *event)
{
    const struct mn_candidate *const beside[2] = { event->before, event->after };

    if (!event->before && !event->after)
        return;
    mn_json_key(w, "neighbours");
    mn_json_open(w, '[');
    for (size_t i = 0; i < 2; i++) {
        if (!beside[i])
            continue;
        mn_json_open(w, '{');
        mn_json_field_text(w, "id", beside[i]->memory->id);
        mn_json_field_text(w, "place", i ? "after" : "before");
        mn_json_field_text(w, "reason", "neighbour");
        mn_json_field_integer(w, "tokens", (int64_t)beside[i]->tokens);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
}

static void put_selected(struct mn_json_writer *w, const struct mn_selection *selection)
{
    mn_json_key(w, "selected");
    mn_json_open(w, '[');
    for (size_t i = 0; i < selection->count; i++) {
        const struct mn_candidate *c = &selection->item[i];

        mn_json_open(w, '{');
        put_what(w, c);
        mn_json_field_text(w, "section", mn_section_name(mn_assemble_section(c)));
        mn_json_field_text(w, "selection_reason", c->why);
        mn_json_field_bool(w, "shortened", c->shortened);
        if (c->excerpt && !c->shortened) {
            mn_json_key(w, "shown");
            mn_json_open(w, '{');
            mn_json_field_integer(w, "first", (int64_t)c->excerpt_first);
            mn_json_field_integer(w, "last", (int64_t)c->excerpt_last);
            mn_json_close(w, '}');
        }
        mn_json_field_integer(w, "tokens", (int64_t)c->tokens);
        put_neighbours(w, c);
        put_ids(w, "merged_from", c->merged_from, c->merged_count);
        put_scores(w, c);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
}

/* Better: nearer to having been chosen. */
static bool was_better(const struct mn_rejection *a, const struct mn_rejection *b)
{
    if (a->candidate.parts.final > b->candidate.parts.final)
        return true;
    if (a->candidate.parts.final < b->candidate.parts.final)
        return false;
    return a->candidate.raw_relevance > b->candidate.raw_relevance;
}

/* Indices of the best, best first; equal ones in the order in which they left. */
static size_t best_rejected(const struct mn_trace *trace, size_t best[BEST_REJECTED])
{
    size_t count = 0;

    for (size_t i = 0; i < trace->rejections.count; i++) {
        const struct mn_rejection *r = &trace->rejections.item[i];
        size_t at = count;

        while (at > 0 && was_better(r, &trace->rejections.item[best[at - 1]]))
            at--;
        if (at == BEST_REJECTED)
            continue;
        if (count < BEST_REJECTED)
            count++;
        memmove(&best[at + 1], &best[at], (count - at - 1) * sizeof *best);
        best[at] = i;
    }
    return count;
}

static bool is_among(const size_t *best, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++) {
        if (best[i] == index)
            return true;
    }
    return false;
}

static void put_rejected(struct mn_json_writer *w, const struct mn_retrieval *retrieval)
{
    const struct mn_trace *trace = &retrieval->trace;
    size_t best[BEST_REJECTED];
    size_t best_count = best_rejected(trace, best);
    size_t others = 0;

    mn_json_key(w, "rejected");
    mn_json_open(w, '[');
    for (size_t i = 0; i < best_count; i++) {
        const struct mn_rejection *r = &trace->rejections.item[best[i]];

        mn_json_open(w, '{');
        put_what(w, &r->candidate);
        mn_json_field_text(w, "stage", mn_stage_name(r->stage));
        mn_json_field_text(w, "reason", mn_reason_name(r->reason));
        if (r->by)
            mn_json_field_text(w, "by", r->by);
        if (r->reason == MN_REASON_FLOOR)
            mn_json_field_number(
                w, "floor", mn_floor_of(&retrieval->plan, retrieval->profile, &r->candidate), 4);
        put_scores(w, &r->candidate);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
    mn_json_key(w, "others");
    mn_json_open(w, '{');
    for (int reason = MN_REASON_NONE + 1; reason < MN_REASON_COUNT; reason++) {
        bool any = false;

        for (size_t i = 0; trace->reason_count[reason] && i < trace->rejections.count; i++) {
            const struct mn_rejection *r = &trace->rejections.item[i];

            if ((int)r->reason != reason || others >= OTHERS_MAX || is_among(best, best_count, i))
                continue;
            if (!any) {
                mn_json_key(w, mn_reason_name(reason));
                mn_json_open(w, '[');
                any = true;
            }
            mn_json_put_text(w, r->candidate.memory->id);
            others++;
        }
        if (any)
            mn_json_close(w, ']');
    }
    mn_json_close(w, '}');
}

static void put_merges(struct mn_json_writer *w, const struct mn_selection *selection)
{
    mn_json_key(w, "merges");
    mn_json_open(w, '[');
    for (size_t i = 0; i < selection->count; i++) {
        const struct mn_candidate *c = &selection->item[i];

        if (!c->merged_count)
            continue;
        mn_json_open(w, '{');
        mn_json_field_text(w, "survivor", c->memory->id);
        put_ids(w, "merged", c->merged_from, c->merged_count);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
}

/* The question stays out: it may say what the memories say. */
static void put_conflicts(struct mn_json_writer *w, const struct mn_conflicts *conflicts)
{
    mn_json_key(w, "conflicts");
    mn_json_open(w, '[');
    for (size_t i = 0; i < conflicts->count; i++) {
        const struct mn_conflict *c = &conflicts->item[i];

        mn_json_open(w, '{');
        mn_json_field_text(w, "memory_key", c->memory_key);
        put_ids(w, "ids", c->ids, c->id_count);
        put_ids(w, "withheld", c->withheld, c->withheld_count);
        mn_json_field_bool(w, "needs_clarification", c->needs_clarification);
        mn_json_field_bool(w, "blocking", c->blocking);
        mn_json_field_bool(w, "asked", !mn_empty(c->question));
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
}

static void put_budget(struct mn_json_writer *w, const struct mn_retrieval *r)
{
    size_t used = r->selection.tokens_used;

    mn_json_key(w, "budget");
    mn_json_open(w, '{');
    mn_json_field_integer(w, "tokens_used", (int64_t)used);
    mn_json_field_integer(w, "tokens_max", (int64_t)mn_budget_tokens_max(r->request));
    mn_json_key(w, "prompt_share");
    if (r->trace.request_tokens)
        mn_json_put_number(w, (double)used / (double)(used + r->trace.request_tokens), 3);
    else
        mn_json_put_null(w);
    mn_json_field_bool(w, "exceeded", r->selection.budget_exceeded);
    mn_json_close(w, '}');
}

static void put_rerank(struct mn_json_writer *w, const struct mn_trace *trace)
{
    if (!trace->rerank.model)
        return;
    mn_json_key(w, "rerank");
    mn_json_open(w, '{');
    mn_json_field_text(w, "model", trace->rerank.model);
    mn_json_field_integer(w, "count", (int64_t)trace->rerank.count);
    mn_json_field_integer(w, "us", trace->rerank.us);
    mn_json_field_bool(w, "cached", trace->rerank.cached);
    if (trace->rerank.silent)
        mn_json_field_text(w, "silent", trace->rerank.silent);
    mn_json_close(w, '}');
}

static void put_tokens(struct mn_json_writer *w, const struct mn_trace *trace)
{
    if (!trace->tokens.turns)
        return;
    mn_json_key(w, "tokens");
    mn_json_open(w, '{');
    mn_json_field_integer(w, "turns", (int64_t)trace->tokens.turns);
    mn_json_field_integer(w, "measured", (int64_t)trace->tokens.measured);
    mn_json_field_integer(w, "us", trace->tokens.us);
    mn_json_close(w, '}');
}

static void put_step(struct mn_json_writer *w, const struct mn_trace_step *step)
{
    mn_json_open(w, '{');
    mn_json_field_text(w, "by", mn_step_name(step->by));
    mn_json_field_text(w, "from", step->from);
    if (step->by == MN_STEP_NAME) {
        mn_json_key(w, "name_hash");
        put_hash(w, step->name_hash);
    } else {
        mn_json_field_time(w, "after", step->from_ms);
        mn_json_field_time(w, "before", step->until_ms);
    }
    mn_json_field_integer(w, "brought", (int64_t)step->count);
    mn_json_close(w, '}');
}

static void put_second_step(struct mn_json_writer *w, const struct mn_trace *trace)
{
    mn_json_key(w, "second_step");
    mn_json_open(w, '{');
    mn_json_field_bool(w, "fired", trace->second.fired);
    if (trace->second.fired) {
        mn_json_key(w, "steps");
        mn_json_open(w, '[');
        for (size_t i = 0; i < trace->second.step_count; i++)
            put_step(w, &trace->second.step[i]);
        mn_json_close(w, ']');
        mn_json_field_integer(w, "us", trace->second.us);
    }
    mn_json_close(w, '}');
}

static void put_engine(struct mn_json_writer *w, const struct mn_retrieval *r)
{
    const struct mn_trace *trace = &r->trace;

    mn_json_key(w, "stages_us");
    mn_json_open(w, '{');
    for (int stage = 0; stage < MN_STAGE_COUNT; stage++)
        mn_json_field_integer(w, mn_stage_name(stage), trace->stage_us[stage]);
    mn_json_close(w, '}');
    mn_json_field_integer(w, "embed_us", trace->embed_us);
    mn_json_key(w, "model");
    mn_json_open(w, '{');
    mn_json_field_text(w, "name", r->model_name);
    mn_json_field_text(w, "profile", r->profile ? r->profile->name : "");
    mn_json_field_text(w, "profile_hash", r->profile ? r->profile->hash : "");
    mn_json_close(w, '}');
    mn_json_field_text(w, "index_position", trace->index_position);
    mn_json_key(w, "notes");
    mn_json_open(w, '[');
    for (size_t i = 0; i < trace->notes.count; i++)
        mn_json_put_text(w, trace->notes.item[i]);
    mn_json_close(w, ']');
    mn_json_field_bool(w, "degraded", trace->degraded);
    mn_json_field_bool(w, "truncated", trace->truncated);
}

enum mneme_status mn_trace_print(const struct mn_retrieval *retrieval, struct mn_arena *arena,
                                 const char **ret_json, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    char *json;

    mn_buf_take(&out, BYTES_USUAL); /* grown once */
    mn_buf_reset(&out);
    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "version", MN_TRACE_VERSION);
    mn_json_field_text(&w, "trace_id", retrieval->trace.id);
    mn_json_field_time(&w, "at", retrieval->access.at_ms);
    mn_json_field_time(&w, "as_of", retrieval->access.as_of_ms);
    mn_json_field_text(&w, "profile", mneme_profile_name(retrieval->request->profile));
    put_identity(&w, &retrieval->access);
    put_mode(&w, &retrieval->gate);
    put_plan(&w, &retrieval->plan);
    put_sources(&w, &retrieval->trace);
    put_counts(&w, retrieval);
    put_selected(&w, &retrieval->selection);
    put_rejected(&w, retrieval);
    put_merges(&w, &retrieval->selection);
    put_conflicts(&w, &retrieval->conflicts);
    put_budget(&w, retrieval);
    put_second_step(&w, &retrieval->trace);
    put_tokens(&w, &retrieval->trace);
    put_rerank(&w, &retrieval->trace);
    put_engine(&w, retrieval);
    if (retrieval->trace.signals) {
        mn_json_key(&w, "signals");
        mn_json_put_raw(&w, retrieval->trace.signals);
    }
    mn_json_close(&w, '}');
    if (out.failed)
        return mn_fail_memory(err);
    json = mn_arena_copy_n(arena, out.at, out.bytes);
    if (!json)
        return mn_fail_memory(err);
    *ret_json = json;
    return MNEME_OK;
}
