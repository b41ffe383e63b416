/*
 * second_step.c - once more, by what the request tells only through another.
 *
 * "In which city does Tom's sister live?" shares little with "Ann lives in Lyon". Where the request
 * asks so (text/through.h decides) and one of the best found says who that is ("Tom's sister is
 * Ann"), the request is read again with the name in that place: the index is asked for its words,
 * and the graph walked from the name. Of "my sister's husband" the husband may be named, or first
 * the sister and then hers: so up to HOPS_MAX names, one after the other. Each brings at most
 * MN_STEP_BRINGS_MAX candidates, and only texts that hold the name; they pass the same walls and
 * stages as all others. Their score by words is that of the request as read again, where it is the
 * better one. The request is not embedded again, which would cost more than all the rest: they are
 * as near as the memory that gave the name, one hop further, where that is nearer. A time told
 * through what happened then is the last step (back_then.c), of the request as it reads by then.
 * Requests that ask otherwise pay for the reading of their words alone (docs/decisions/0014).
 */
#include "retrieve/sources.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "graph/graph.h"
#include "model/model.h"
#include "retrieve/rank.h"
#include "text/fold.h"
#include "text/through.h"

#define FIRST 8
#define HOPS_MAX 3
#define REQUEST_BYTES_MAX 1000 /* a longer one is more than one question */

struct hop {
    struct mn_through through;
    struct mn_str name;
    const char *from; /* id of the memory that says it; NULL: none does */
    double vector;    /* of that; 0 without */
};

static enum mneme_status fold_cased(struct mn_arena *arena, const char *text,
                                    struct mn_str *ret_folded, struct mneme_error *err)
{
    *ret_folded = mn_fold_cased(arena, text, strlen(text));
    return ret_folded->at ? MNEME_OK : mn_fail_memory(err);
}

size_t mn_step_first(struct mn_sourcing *s, struct mn_candidate **first, size_t most)
{
    struct mn_candidates *found = &s->pool->found;
    struct mn_model_profile none;
    size_t count = 0;

    mn_model_profile_none(&none);
    mn_rank_raw(s->plan, s->world->model ? &s->world->model->profile : &none, found);
    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];
        size_t at = count;

        if (c->replaced || c->is_checkpoint)
            continue;
        while (at > 0 && c->raw_relevance > first[at - 1]->raw_relevance)
            at--;
        if (at == most)
            continue;
        count += count < most;
        memmove(&first[at + 1], &first[at], (count - at - 1) * sizeof *first);
        first[at] = c;
    }
    return count;
}

enum mneme_status mn_step_said(struct mn_sourcing *s, struct mn_candidate *const *first, size_t count,
                               const struct mneme_memory **said, struct mneme_error *err)
{
    const char **ids = mn_arena_array(s->arena, const char *, count + 1);
    struct mn_store *store = s->world->store;
    struct mn_rows rows = { 0 };
    size_t id_count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        said[i] = first[i]->memory;
        if (!first[i]->is_event)
            ids[id_count++] = said[i]->id;
    }
    if (!s->access->as_of_ms || !id_count)
        return MNEME_OK;
    MN_TRY(store->ops->memories_as_of(store, s->access, ids, id_count, s->arena, &rows, err));
    for (size_t r = 0; r < rows.count; r++)
        for (size_t i = 0; i < count; i++)
            if (mn_same(said[i]->id, rows.item[r].memory.id))
                said[i] = &rows.item[r].memory;
    return MNEME_OK;
}

struct mn_trace_step *mn_step_told(struct mn_sourcing *s, enum mn_step by, const char *from)
{
    struct mn_trace_step *step;

    if (s->trace->second.step_count == MN_STEPS_MAX)
        return NULL;
    step = &s->trace->second.step[s->trace->second.step_count++];
    *step = (struct mn_trace_step){ .by = by, .from = from };
    return step;
}

/* Who is meant, by one of the first: the one at the end of the chain, else at its first link. */
static enum mneme_status find_name(struct mn_sourcing *s, struct hop *hop, struct mneme_error *err)
{
    const struct mn_through asked[] = { hop->through, mn_through_first(&hop->through) };
    struct mn_candidate *first[FIRST];
    const struct mneme_memory *said[FIRST];
    struct mn_str text[FIRST];
    size_t count = mn_step_first(s, first, FIRST);

    MN_TRY(mn_step_said(s, first, count, said, err));
    for (size_t i = 0; i < count; i++)
        MN_TRY(fold_cased(s->arena, mn_or_empty(said[i]->content), &text[i], err));
    for (size_t a = 0; a < (hop->through.relation_count > 1 ? 2 : 1); a++)
        for (size_t i = 0; i < count; i++) {
            if (!mn_through_named(text[i], first[i]->speaker, &asked[a], &hop->name))
                continue;
            hop->through = asked[a];
            hop->from = first[i]->memory->id;
            hop->vector = first[i]->has_vector ? first[i]->vector : 0;
            return MNEME_OK;
        }
    return MNEME_OK;
}

/* The request with the name in the place of the phrase. */
static enum mneme_status read_again(struct mn_arena *arena, const struct hop *hop,
                                    struct mn_str *request, struct mneme_error *err)
{
    const struct mn_str phrase = hop->through.phrase;
    const char *again =
        mn_arena_printf(arena, "%.*s%.*s%s", (int)(phrase.at - request->at), request->at,
                        (int)hop->name.bytes, hop->name.at, phrase.at + phrase.bytes);

    if (!again)
        return mn_fail_memory(err);
    *request = mn_str_of(again);
    return MNEME_OK;
}

/* What holds the name among the best by the words of the request as read again. */
static enum mneme_status ask_again(struct mn_sourcing *s, struct mn_str request, const char *name,
                                   double vector, struct mn_trace_step *step,
                                   struct mneme_error *err)
{
    struct mn_query query = mn_source_query(s);
    struct mn_query_kept *kept = NULL;
    struct mn_terms terms = { 0 };
    struct mn_hits hits = { 0 };

    MN_TRY(mn_text_query_terms(s->arena, request.at, request.bytes, &terms, err));
    query.terms = &terms;
    query.kept = &kept;
    query.vector_types = 0;
    query.text_k = MN_STEP_BRINGS_MAX;
    query.around_k = 0;
    MN_TRY(s->world->search->ops->top(s->world->search, &query, s->arena, &hits, err));
    for (size_t i = 0; i < hits.count && step->count < MN_STEP_BRINGS_MAX; i++) {
        const char *content = mn_or_empty(hits.item[i].unit->memory.content);
        const char *folded = mn_text_fold(s->arena, content, strlen(content));
        struct mn_candidate *c = NULL;

        if (!folded)
            return mn_fail_memory(err);
        if (!hits.item[i].text_rank || !mn_text_contains(folded, name))
            continue;
        MN_TRY(mn_pool_add_hit(s->pool, &hits.item[i], &c, err));
        if (c->has_vector && c->vector < vector)
            c->vector = vector;
        c->step = MN_STEP_NAME;
        step->count++;
    }
    return MNEME_OK;
}

/* One name, and what it brings; the request then reads with it. */
static enum mneme_status hop_on(struct mn_sourcing *s, struct hop *hop, struct mn_str *request,
                                struct mneme_error *err)
{
    const char *name = mn_text_fold(s->arena, hop->name.at, hop->name.bytes);
    struct mn_trace_step *step = mn_step_told(s, MN_STEP_NAME, hop->from);

    if (!name)
        return mn_fail_memory(err);
    if (!step)
        return MNEME_OK;
    step->name_hash = mn_hash64(name, strlen(name), 0);
    MN_TRY(read_again(s->arena, hop, request, err));
    MN_TRY(ask_again(s, *request, name, hop->vector * MN_GRAPH_HOP_FACTOR, step, err));
    if (s->plan->probes[MN_SOURCE_GRAPH])
        MN_TRY(mn_source_graph_from(s, name, MN_STEP_BRINGS_MAX, &step->count, err));
    return MNEME_OK;
}

static enum mneme_status step_on(struct mn_sourcing *s, struct mn_str *request,
                                 struct mneme_error *err)
{
    for (int hops = 0; hops < HOPS_MAX; hops++) {
        struct hop hop = { 0 };

        if (!mn_through_asked(*request, &hop.through))
            return MNEME_OK;
        s->trace->second.fired = true;
        MN_TRY(find_name(s, &hop, err));
        if (!hop.from)
            return MNEME_OK;
        MN_TRY(hop_on(s, &hop, request, err));
    }
    return MNEME_OK;
}

enum mneme_status mn_source_second_step(struct mn_sourcing *s, struct mneme_error *err)
{
    int64_t begun_us = mn_clock_monotonic_us();
    struct mn_str request;

    if (!s->plan->probes[MN_SOURCE_TEXT] || strlen(s->plan->search_text) > REQUEST_BYTES_MAX)
        return MNEME_OK;
    MN_TRY(fold_cased(s->arena, s->plan->search_text, &request, err));
    enum mneme_status status = step_on(s, &request, err);
    if (status == MNEME_OK)
        status = mn_source_back_then(s, request, err);
    if (s->trace->second.fired)
        s->trace->second.us = mn_clock_monotonic_us() - begun_us;
    return status;
}
