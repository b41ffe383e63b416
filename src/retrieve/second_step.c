/*
 * second_step.c - once more, by the name of somebody the request speaks of only through another.
 *
 * "In which city does Tom's sister live?" shares little with "Ann lives in Lyon". Where the request
 * asks so (text/through.h decides) and one of the best three found says who that is ("Tom's sister
 * is Ann"), the request is read again with the name in that place: the index is asked for its
 * words, and the graph walked from the name. At most STEP_MAX candidates more, and only texts that
 * hold the name; they pass the same walls and stages as all others. Their score by words is that of
 * the request as read again, where it is the better one. The request is not embedded again, which
 * would cost more than all the rest: they are as near as the memory that gave the name, one hop
 * further, where that is nearer. Requests that ask otherwise pay for the reading of their words
 * alone (docs/decisions/0014).
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

#define FIRST 3
#define STEP_MAX 16
#define REQUEST_BYTES_MAX 1000 /* a longer one is more than one question */

struct step {
    struct mn_str request; /* folded, in its case */
    struct mn_through through;
    struct mn_str name;
    double vector; /* of the memory that says it; 0 without */
};

static enum mneme_status fold_cased(struct mn_arena *arena, const char *text,
                                    struct mn_str *ret_folded, struct mneme_error *err)
{
    *ret_folded = mn_fold_cased(arena, text, strlen(text));
    return ret_folded->at ? MNEME_OK : mn_fail_memory(err);
}

/* The best by raw relevance; what was replaced says nothing. */
static size_t first_of(const struct mn_candidates *found, const struct mn_candidate *first[FIRST])
{
    size_t count = 0;

    for (size_t i = 0; i < found->count; i++) {
        const struct mn_candidate *c = &found->item[i];
        size_t at = count;

        if (c->replaced || c->is_checkpoint)
            continue;
        while (at > 0 && c->raw_relevance > first[at - 1]->raw_relevance)
            at--;
        if (at == FIRST)
            continue;
        count += count < FIRST;
        memmove(&first[at + 1], &first[at], (count - at - 1) * sizeof *first);
        first[at] = c;
    }
    return count;
}

/* Who is meant, by one of the first; .name.bytes stays 0 where none says it. */
static enum mneme_status find_name(struct mn_sourcing *s, struct step *step,
                                   struct mneme_error *err)
{
    const struct mn_model_profile *profile = s->world->model ? &s->world->model->profile : NULL;
    const struct mn_candidate *first[FIRST];
    struct mn_model_profile none;

    mn_model_profile_none(&none);
    mn_rank_raw(s->plan, profile ? profile : &none, &s->pool->found);
    size_t count = first_of(&s->pool->found, first);
    for (size_t i = 0; i < count; i++) {
        struct mn_str text;

        MN_TRY(fold_cased(s->arena, mn_or_empty(first[i]->memory->content), &text, err));
        if (!mn_through_named(text, first[i]->speaker, &step->through, &step->name))
            continue;
        s->trace->second.from = first[i]->memory->id;
        step->vector = first[i]->has_vector ? first[i]->vector : 0;
        return MNEME_OK;
    }
    return MNEME_OK;
}

/* The request with the name in the place of the phrase. */
static char *read_again(struct mn_arena *arena, const struct step *step)
{
    const struct mn_str phrase = step->through.phrase;

    return mn_arena_printf(arena, "%.*s%.*s%s", (int)(phrase.at - step->request.at),
                           step->request.at, (int)step->name.bytes, step->name.at,
                           phrase.at + phrase.bytes);
}

/* What holds the name among the best by the words of the request as read again. */
static enum mneme_status ask_again(struct mn_sourcing *s, const char *request, const char *name,
                                   double vector, struct mneme_error *err)
{
    struct mn_query query = mn_source_query(s);
    struct mn_query_kept *kept = NULL;
    struct mn_terms terms = { 0 };
    struct mn_hits hits = { 0 };

    MN_TRY(mn_text_query_terms(s->arena, request, strlen(request), &terms, err));
    query.terms = &terms;
    query.kept = &kept;
    query.vector_types = 0;
    query.text_k = STEP_MAX;
    query.around_k = 0;
    MN_TRY(s->world->search->ops->top(s->world->search, &query, s->arena, &hits, err));
    for (size_t i = 0; i < hits.count && s->trace->second.count < STEP_MAX; i++) {
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
        s->trace->second.count++;
    }
    return MNEME_OK;
}

static enum mneme_status step_on(struct mn_sourcing *s, struct step *step, struct mneme_error *err)
{
    MN_TRY(find_name(s, step, err));
    if (!step->name.bytes)
        return MNEME_OK;
    const char *name = mn_text_fold(s->arena, step->name.at, step->name.bytes);
    const char *request = read_again(s->arena, step);

    if (!name || !request)
        return mn_fail_memory(err);
    s->trace->second.name_hash = mn_hash64(name, strlen(name), 0);
    MN_TRY(ask_again(s, request, name, step->vector * MN_GRAPH_HOP_FACTOR, err));
    if (s->plan->probes[MN_SOURCE_GRAPH])
        MN_TRY(mn_source_graph_from(s, name, STEP_MAX, &s->trace->second.count, err));
    return MNEME_OK;
}

enum mneme_status mn_source_second_step(struct mn_sourcing *s, struct mneme_error *err)
{
    int64_t begun_us = mn_clock_monotonic_us();
    struct step step = { 0 };

    if (!s->plan->probes[MN_SOURCE_TEXT] || strlen(s->plan->search_text) > REQUEST_BYTES_MAX)
        return MNEME_OK;
    MN_TRY(fold_cased(s->arena, s->plan->search_text, &step.request, err));
    if (!mn_through_asked(step.request, &step.through))
        return MNEME_OK;
    s->trace->second.fired = true;
    enum mneme_status status = step_on(s, &step, err);
    s->trace->second.us = mn_clock_monotonic_us() - begun_us;
    return status;
}
