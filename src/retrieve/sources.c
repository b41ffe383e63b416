/*
 * sources.c - structured, task state, full text and vector, graph, rule.
 *
 * Each asks one question, already filtered where it is asked, and adds what comes back to the pool
 * with its rank and its own raw score. A source that fails is silent: the trace names it and the
 * others go on. Those that ask the store alone are the exception (structured, task state, rule):
 * without it there is no answer, and a rule that could not be looked up would be a rule ignored, so
 * their failure is the request's.
 */
#include "retrieve/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "graph/graph.h"
#include "graph/aliases.h"
#include "memory/record.h"
#include "memory/rule.h"
#include "text/analyze.h"

#define TASK_TEXT_BYTES_MAX 4096 /* of one checkpoint's fields */

static void set_finding(struct mn_candidate *c, enum mn_source source, size_t rank, double raw)
{
    if (!c->found[source].rank || rank < c->found[source].rank) {
        c->found[source].rank = rank;
        c->found[source].raw = raw;
    }
}

/* ---- structured ---- */

enum mneme_status mn_source_structured(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    mn_type_set types = s->plan->asked;
    struct mn_rows rows = { 0 };

    if (!s->plan->of_the_user) /* of whom the facts are listed, too, and looked for by no likeness */
        types &= mn_types_found_by(MN_FOUND_STRUCTURED);
    if (!types)
        return MNEME_OK;
    MN_TRY(store->ops->memories_structured(store, s->access, types, s->plan->probe_limit, s->arena,
                                           &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
        set_finding(c, MN_SOURCE_STRUCTURED, i + 1, 1.0);
    }
    s->trace->source[MN_SOURCE_STRUCTURED].count = rows.count;
    s->structured_is_cut = rows.count >= s->plan->probe_limit;
    return MNEME_OK;
}

/* ---- task state ---- */

static const char *const task_fields_default[] = { "pending_action", "selected_files",
                                                   "tool_results" };

/* The fields asked for, "name: value" a line; values that are not texts as JSON. */
static enum mneme_status task_text(const struct mn_sourcing *s, const char *state,
                                   const char **ret_text, struct mneme_error *err)
{
    const char *const *field = task_fields_default;
    size_t field_count = sizeof task_fields_default / sizeof *task_fields_default;
    MN_JSON_AUTO doc = NULL;
    MN_BUF_AUTO text = { 0 };

    if (s->request->task_fields.count) {
        field = s->request->task_fields.item;
        field_count = s->request->task_fields.count;
    }
    MN_TRY(mn_json_parse("task state", state, strlen(state), &doc, err));
    for (size_t i = 0; i < field_count; i++) {
        yyjson_val *value = yyjson_obj_get(yyjson_doc_get_root(doc), field[i]);

        if (!value || yyjson_is_null(value))
            continue;
        mn_buf_printf(&text, "%s%s: ", text.bytes ? "\n" : "", field[i]);
        if (yyjson_is_str(value)) {
            mn_buf_put(&text, yyjson_get_str(value), yyjson_get_len(value));
            continue;
        }
        char *json = yyjson_val_write(value, 0, NULL);
        if (!json)
            return mn_fail_memory(err);
        mn_buf_text(&text, json);
        free(json);
    }
    if (text.failed)
        return mn_fail_memory(err);
    *ret_text =
        mn_arena_copy_n(s->arena, text.at ? text.at : "",
                        mn_utf8_cut(text.at ? text.at : "", text.bytes, TASK_TEXT_BYTES_MAX));
    return *ret_text ? MNEME_OK : mn_fail_memory(err);
}

/* A checkpoint as a candidate: type task_state, scope task, confirmed_system, confidence 1. */
static enum mneme_status add_checkpoint(struct mn_sourcing *s, const struct mneme_task_state *state,
                                        size_t rank, struct mneme_error *err)
{
    struct mn_row *row = mn_arena_one(s->arena, struct mn_row);
    struct mneme_memory like = MNEME_MEMORY_INIT;
    MN_BUF_AUTO attributes = { 0 };
    struct mn_json_writer w = { .out = &attributes };
    struct mn_candidate *c = NULL;
    const char *text = NULL;

    MN_TRY(task_text(s, state->state, &text, err));
    if (!text[0])
        return MNEME_OK;
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", state->session_id);
    mn_json_field_text(&w, "task_id", state->task_id);
    mn_json_close(&w, '}');
    if (!row || attributes.failed)
        return mn_fail_memory(err);
    like.id = mn_arena_printf(s->arena, "checkpoint:%s/%s", state->session_id, state->task_id);
    like.tenant_id = state->tenant_id;
    like.user_id = state->user_id;
    like.scope_kind = MNEME_SCOPE_TASK;
    like.scope_id = state->task_id;
    like.type = "task_state";
    like.content = text;
    like.authority = MNEME_CONFIRMED_SYSTEM;
    like.confidence = 1.0;
    like.importance = 0.5;
    like.sensitivity = MNEME_INTERNAL;
    like.risk = MNEME_RISK_NORMAL;
    like.status = MNEME_ACTIVE;
    like.version = 1;
    like.created_at_ms = state->updated_at_ms;
    like.updated_at_ms = state->updated_at_ms;
    like.attributes = attributes.at;
    if (!like.id)
        return mn_fail_memory(err);
    MN_TRY(mn_memory_copy(&like, s->arena, &row->memory, err));
    row->confidence = 1.0;
    MN_TRY(mn_pool_add_row(s->pool, row, &c, err));
    c->is_checkpoint = true;
    set_finding(c, MN_SOURCE_TASK_STATE, rank, 1.0);
    return MNEME_OK;
}

enum mneme_status mn_source_task_state(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    mn_type_set types = s->plan->asked & mn_types_found_by(MN_FOUND_TASK);
    struct mn_task_states states = { 0 };
    struct mn_rows rows = { 0 };
    size_t rank = 0;

    if (!types || !s->access->task[0])
        return MNEME_OK;
    MN_TRY(store->ops->task_states(store, s->access, s->arena, &states, err));
    for (size_t i = 0; i < states.count; i++)
        MN_TRY(add_checkpoint(s, &states.item[i], ++rank, err));
    MN_TRY(store->ops->memories_structured(store, s->access, types, s->plan->probe_limit, s->arena,
                                           &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
        set_finding(c, MN_SOURCE_TASK_STATE, ++rank, 1.0);
    }
    s->trace->source[MN_SOURCE_TASK_STATE].count = rank;
    return MNEME_OK;
}

/* ---- full text and vector ---- */

/*
 * Lengths of the lists, for the usual depth of the ranking: at most 160 candidates together where the
 * units have two languages. Longer ones cost their share and find no more: with 200, 100 and 100 the
 * recall at 10 of conversations is the same within .002 (bench/RESULTS.md). Who asks for a deeper
 * ranking has longer lists.
 */
#define USUAL_DEPTH 30
#define TEXT_LIST 48
#define VECTOR_LIST 32 /* per language of the units */
#define AROUND_LIST 48 /* turns that stand among those found by text */

static size_t list_length(const struct mn_sourcing *s, size_t usual)
{
    size_t deeper = s->plan->depth > USUAL_DEPTH ? s->plan->depth - USUAL_DEPTH : 0;

    return (usual + 4 * deeper) * s->lists;
}

struct mn_query mn_source_query(struct mn_sourcing *s)
{
    return (struct mn_query){
        .access = s->access,
        .text_types = s->plan->asked & mn_types_found_by(MN_FOUND_TEXT),
        .vector_types = s->plan->asked & mn_types_found_by(MN_FOUND_VECTOR),
        .after_ms = s->plan->after_ms,
        .before_ms = s->plan->before_ms,
        .terms = &s->plan->terms,
        .language = s->plan->language,
        .vector = s->vector,
        .text_k = list_length(s, TEXT_LIST),
        .vector_k = list_length(s, VECTOR_LIST),
        .around_k = list_length(s, AROUND_LIST),
        .inquiry = &s->plan->inquiry,
        .kept = &s->kept,
    };
}

/* What other sources brought: the index scores it in the same breath. */
static enum mneme_status ids_without_scores(const struct mn_sourcing *s,
                                            const char *const **ret_ids, size_t *ret_count,
                                            struct mneme_error *err)
{
    const char **ids = mn_arena_array(s->arena, const char *, s->pool->found.count + 1);
    size_t count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < s->pool->found.count; i++) {
        const struct mn_candidate *c = &s->pool->found.item[i];

        if (!c->scored && !c->is_checkpoint)
            ids[count++] = c->memory->id;
    }
    *ret_ids = ids;
    *ret_count = count;
    return MNEME_OK;
}

enum mneme_status mn_source_search(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_query query = mn_source_query(s);
    struct mn_hits hits = { 0 };

    if (!s->plan->probes[MN_SOURCE_TEXT])
        query.text_types = 0;
    if (!s->plan->probes[MN_SOURCE_VECTOR])
        query.vector_types = 0;
    if (!query.text_types && !query.vector_types)
        return MNEME_OK;
    MN_TRY(ids_without_scores(s, &query.also, &query.also_count, err));
    MN_TRY(s->world->search->ops->top(s->world->search, &query, s->arena, &hits, err));
    s->trace->source[MN_SOURCE_TEXT].count = 0;
    s->trace->source[MN_SOURCE_VECTOR].count = 0;
    for (size_t i = 0; i < hits.count; i++) {
        const struct mn_hit *h = &hits.item[i];
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_hit(s->pool, h, &c, err));
        if (h->text_rank) {
            set_finding(c, MN_SOURCE_TEXT, h->text_rank, h->text);
            s->trace->source[MN_SOURCE_TEXT].count++;
        }
        if (h->vector_rank) {
            set_finding(c, MN_SOURCE_VECTOR, h->vector_rank, h->vector);
            s->trace->source[MN_SOURCE_VECTOR].count++;
        }
    }
    if (hits.partial)
        mn_trace_degraded(s->trace, "index: a partition was not loaded");
    return MNEME_OK;
}

/* They stand behind those of the structured query: these were chosen by scope, which comes first.
 */
enum mneme_status mn_source_structured_alike(struct mn_sourcing *s, struct mneme_error *err)
{
    size_t *count = &s->trace->source[MN_SOURCE_STRUCTURED].count;
    struct mn_query query = mn_source_query(s);
    struct mn_hits hits = { 0 };

    if (!s->structured_is_cut)
        return MNEME_OK;
    query.text_types = s->plan->asked & mn_types_found_by(MN_FOUND_STRUCTURED);
    query.vector_types = query.text_types;
    query.around_k = 0;
    MN_TRY(s->world->search->ops->top(s->world->search, &query, s->arena, &hits, err));
    for (size_t i = 0; i < hits.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_hit(s->pool, &hits.item[i], &c, err));
        if (!c->found[MN_SOURCE_STRUCTURED].rank)
            set_finding(c, MN_SOURCE_STRUCTURED, ++*count, 1.0);
    }
    return MNEME_OK;
}

/* Fewer than the plan's depth of what the source brought differ in text and are not replaced. */
static bool is_monotonous(const struct mn_sourcing *s, enum mn_source source, const char **seen)
{
    size_t seen_count = 0;

    for (size_t i = 0; i < s->pool->found.count && seen_count < s->plan->depth; i++) {
        const struct mn_candidate *c = &s->pool->found.item[i];
        size_t at = 0;

        if (!c->found[source].rank || c->replaced)
            continue;
        while (at < seen_count && strcmp(seen[at], c->memory->content_hash) != 0)
            at++;
        if (at == seen_count)
            seen[seen_count++] = c->memory->content_hash;
    }
    return seen_count < s->plan->depth;
}

bool mn_source_is_crowded(const struct mn_sourcing *s)
{
    const struct mn_trace_source *source = s->trace->source;
    const char **seen = mn_arena_array(s->arena, const char *, s->plan->depth + 1);

    return seen && ((source[MN_SOURCE_TEXT].count >= list_length(s, TEXT_LIST) &&
                     is_monotonous(s, MN_SOURCE_TEXT, seen)) ||
                    (source[MN_SOURCE_VECTOR].count >= list_length(s, VECTOR_LIST) &&
                     is_monotonous(s, MN_SOURCE_VECTOR, seen)));
}

enum mneme_status mn_verify_scores(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_query query = mn_source_query(s);
    const char *const *ids = NULL;
    struct mn_hits hits = { 0 };
    size_t id_count = 0;

    MN_TRY(ids_without_scores(s, &ids, &id_count, err));
    if (!id_count)
        return MNEME_OK;
    MN_TRY(s->world->search->ops->score(s->world->search, &query, ids, id_count, s->arena, &hits,
                                        err));
    for (size_t i = 0; i < hits.count; i++) {
        struct mn_candidate *c = NULL;

        if (mn_pool_find(s->pool, hits.item[i].unit->parent_id))
            MN_TRY(mn_pool_add_hit(s->pool, &hits.item[i], &c, err));
    }
    return MNEME_OK;
}

/* ---- rows of given ids, for graph and rule ---- */

static enum mneme_status add_ids(struct mn_sourcing *s, const char *const *ids, size_t count,
                                 struct mneme_error *err)
{
    struct mn_rows rows = { 0 };

    if (!count)
        return MNEME_OK;
    MN_TRY(s->world->store->ops->memories_get(s->world->store, s->access, ids, count, s->arena,
                                              &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
    }
    return MNEME_OK;
}

/* ---- graph ---- */

/* Those of the identity's own and of the shared partition. */
static enum mneme_status read_edges(struct mn_sourcing *s, struct mn_edges edges[2],
                                    struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    const struct mn_partition own = { s->access->tenant, s->access->user };
    const struct mn_partition shared = { s->access->tenant, "" };
    bool past = s->access->as_of_ms != 0;

    MN_TRY(store->ops->edges(store, own, past, s->arena, &edges[0], err));
    return store->ops->edges(store, shared, past, s->arena, &edges[1], err);
}

/* Each that no better path brought already. */
static enum mneme_status add_finds(struct mn_sourcing *s, const struct mn_graph_finds *finds,
                                   size_t most, double factor, size_t *count,
                                   struct mneme_error *err)
{
    const char **ids = mn_arena_array(s->arena, const char *, finds->count + 1);

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < finds->count; i++)
        ids[i] = finds->item[i].memory_id;
    MN_TRY(add_ids(s, ids, finds->count < most ? finds->count : most, err));
    for (size_t i = 0; i < finds->count && i < most; i++) {
        struct mn_candidate *c = mn_pool_find(s->pool, finds->item[i].memory_id);
        double confidence = finds->item[i].path_confidence * factor;

        if (!c || c->path_confidence >= confidence)
            continue;
        c->path_confidence = confidence;
        set_finding(c, MN_SOURCE_GRAPH, ++s->trace->source[MN_SOURCE_GRAPH].count, confidence);
        ++*count;
    }
    return MNEME_OK;
}

enum mneme_status mn_source_graph(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_edges edges[2] = { { 0 }, { 0 } };
    struct mn_graph_finds finds = { 0 };
    size_t count = 0;

    MN_TRY(read_edges(s, edges, err));
    MN_TRY(mn_graph_aliases(edges, 2, s->plan->folded, s->access->at_ms, s->arena, &s->plan->terms,
                          err));
    MN_TRY(mn_graph_walk(edges, 2, s->plan->folded, s->access->at_ms, s->arena, &finds, err));
    return add_finds(s, &finds, finds.count, 1, &count, err);
}

enum mneme_status mn_source_graph_from(struct mn_sourcing *s, const char *name, size_t most,
                                       size_t *count, struct mneme_error *err)
{
    struct mn_edges edges[2] = { { 0 }, { 0 } };
    struct mn_graph_finds finds = { 0 };

    MN_TRY(read_edges(s, edges, err));
    MN_TRY(mn_graph_walk(edges, 2, name, s->access->at_ms, s->arena, &finds, err));
    return add_finds(s, &finds, *count < most ? most - *count : 0, MN_GRAPH_HOP_FACTOR, count, err);
}

/* ---- rule ---- */

static int by_priority(const void *left, const void *right)
{
    const struct mneme_rule *a = *(const struct mneme_rule *const *)left;
    const struct mneme_rule *b = *(const struct mneme_rule *const *)right;

    if (a->priority != b->priority)
        return a->priority < b->priority ? 1 : -1;
    return strcmp(a->memory_id, b->memory_id);
}

/* Does it fire, with at most so many of the steps that are left? */
static bool fires_within(const struct mneme_rule *rule, const struct mn_trigger_input *input,
                         int64_t most, bool *ret_ran_out)
{
    struct mn_rule_steps *all = input->steps;
    struct mn_trigger_input one = *input;
    struct mn_rule_steps steps = { .left = all->left < most ? all->left : most };
    int64_t given = steps.left;

    one.steps = &steps;
    bool fires = mn_rule_fires(rule, &one);
    all->left -= given - steps.left;
    *ret_ran_out = steps.ran_out;
    return fires;
}

/*
 * Which fire, in no order. A regular expression may run out of steps. Of half of them each rule has
 * its share, so that none can take away those of another; what is left is shared by those that ran
 * out. What is still not known is told.
 */
static void evaluate(struct mn_sourcing *s, const struct mn_rules *rules,
                     const struct mn_trigger_input *input, const struct mneme_rule **fired,
                     size_t *ret_count)
{
    int64_t share = input->steps->left / 2 / (int64_t)(rules->count + 1);
    const struct mneme_rule **open = fired + rules->count; /* grows down, as `fired` grows up */
    size_t count = 0, open_count = 0;
    bool ran_out = false;

    for (size_t i = 0; i < rules->count; i++) {
        if (fires_within(&rules->item[i], input, share, &ran_out))
            fired[count++] = &rules->item[i];
        else if (ran_out)
            *(open - ++open_count) = &rules->item[i];
    }
    for (size_t i = open_count; i > 0; i--) {
        const struct mneme_rule *rule = *(open - i);

        if (fires_within(rule, input, input->steps->left / (int64_t)i, &ran_out))
            fired[count++] = rule;
        else if (ran_out)
            mn_trace_degraded(s->trace, "rule: the pattern of %s took too long", rule->memory_id);
    }
    *ret_count = count;
}

enum mneme_status mn_source_rule(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_rule_steps steps = { .left = MN_RULE_STEPS_MAX };
    struct mn_store *store = s->world->store;
    struct mn_trigger_input input = {
        .text = s->request->text,
        .folded = s->plan->folded,
        .intent = s->plan->intent,
        .signals = &s->request->signals,
        .steps = &steps,
    };
    struct mn_rules rules = { 0 };

    MN_TRY(store->ops->rules_active(store, s->access, s->arena, &rules, err));
    const struct mneme_rule **fired =
        mn_arena_array(s->arena, const struct mneme_rule *, rules.count + 1);
    const char **ids = mn_arena_array(s->arena, const char *, rules.count + 1);
    size_t count = 0;
    if (!fired || !ids)
        return mn_fail_memory(err);
    evaluate(s, &rules, &input, fired, &count);
    if (count)
        qsort(fired, count, sizeof *fired, by_priority);
    for (size_t i = 0; i < count; i++)
        ids[i] = fired[i]->memory_id;
    MN_TRY(add_ids(s, ids, count, err));
    for (size_t i = 0; i < count; i++) {
        struct mn_candidate *c = mn_pool_find(s->pool, ids[i]);

        if (!c || c->forced)
            continue;
        c->forced = true;
        c->rule_priority = fired[i]->priority;
        c->rule_trigger = mneme_trigger_name(fired[i]->trigger_type);
        set_finding(c, MN_SOURCE_RULE, i + 1, (double)fired[i]->priority);
        s->trace->source[MN_SOURCE_RULE].count++;
    }
    return MNEME_OK;
}
