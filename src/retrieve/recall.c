/*
 * recall.c - stage 4: candidates from every source, each with both raw scores.
 *
 * The order matters twice. The index is brought up to the store's position before it is asked, so
 * that a committed write of any process is seen. And the embedding of the request, by far the
 * dearest step, is started first on the host's executor and waited for only when the vectors are
 * asked; without an executor it simply runs first. What the user asked lately is known already.
 *
 * All that is asked of the store is answered from one state of it, unless something has to be waited
 * for: the index that is brought up, an embedding on another thread. What is asked behind that is
 * answered from one later state.
 *
 * What fails is left out and named: no model means no vectors (a degraded answer where one was
 * given and does not load), no index means the structured rows
 * of every type stand in for it. Only the store cannot be missing.
 */
#include "retrieve/sources.h"

#include <string.h>

#include <mneme/mneme.h>

#include "base/clock.h"
#include "index/index.h"
#include "memory/record.h"
#include "model/model.h"
#include "model/recent.h"

#define LISTS_MAX 64 /* times the usual length of a list, where it is crowded */

/* ---- the request's vector, perhaps on another thread ---- */

struct embedding {
    struct mn_model *model;
    const char *text;
    float *vector;
    struct mn_buf codes; /* of its tokens */
    char key[MN_SHA256_HEX_BYTES]; /* among those that were asked last; "": none */
    bool known;
    enum mneme_status status;
    struct mneme_error error;
    int64_t us;
};

static void embed(void *argument)
{
    struct embedding *e = argument;
    int64_t begun_us = mn_clock_monotonic_us();

    e->status = mn_model_embed_tokens(e->model, MN_EMBED_REQUEST, e->text, e->vector, &e->codes,
                                      &e->error);
    e->us = mn_clock_monotonic_us() - begun_us;
}

static bool lends_executor(const struct mn_world *world)
{
    return world->executor && world->executor->start && world->executor->wait;
}

static void *embed_start(const struct mn_world *world, struct embedding *e)
{
    if (!e->vector || e->known)
        return NULL;
    if (lends_executor(world))
        return world->executor->start(world->executor->context, embed, e);
    embed(e);
    return NULL;
}

static const float *embed_wait(const struct mn_world *world, struct embedding *e, void *started,
                               struct mn_trace *trace)
{
    if (!e->vector || e->known)
        return e->vector;
    if (lends_executor(world))
        world->executor->wait(world->executor->context, started);
    trace->embed_us = e->us;
    if (e->status == MNEME_OK) {
        mn_recent_keep(world->recent, e->key, e->model->profile.dim, e->vector,
                       (struct mn_str){ e->codes.at, e->codes.bytes });
        return e->vector;
    }
    trace->source[MN_SOURCE_VECTOR].silent = mn_arena_copy(trace->arena, e->error.message);
    mn_trace_degraded(trace, "vector: %s", e->error.message);
    return NULL;
}

/* Does anything of this plan read vectors? */
static bool needs_vector(const struct mn_plan *plan)
{
    for (int source = 0; source < MN_SOURCE_COUNT; source++)
        if (plan->probes[source] && source != MN_SOURCE_RULE)
            return true;
    return false;
}

static void embed_release(struct embedding *e)
{
    mn_buf_release(&e->codes);
}

static enum mneme_status embed_prepare(const struct mn_sourcing *s, struct embedding *e,
                                       struct mneme_error *err)
{
    *e = (struct embedding){ .model = s->world->model, .text = s->plan->search_text };
    if (!needs_vector(s->plan))
        return MNEME_OK;
    if (!s->world->model) {
        const char *why = mn_empty(s->world->model_status) ? "model: none" : s->world->model_status;

        s->trace->source[MN_SOURCE_VECTOR].silent = why;
        (s->world->model_given ? mn_trace_degraded : mn_trace_note)(
            s->trace, "vector: no answer (%s)", why);
        return MNEME_OK;
    }
    const struct mn_model_profile *profile = &s->world->model->profile;

    e->vector = mn_arena_array(s->arena, float, profile->dim);
    if (!e->vector)
        return mn_fail_memory(err);
    e->known = mn_recent_key(profile, s->access->tenant, s->access->user, e->text, e->key) &&
               mn_recent_find(s->world->recent, e->key, profile->dim, e->vector, &e->codes);
    return MNEME_OK;
}

static bool is_waited_for(const struct mn_world *world, const struct embedding *e)
{
    return e->vector && !e->known && lends_executor(world);
}

/* ---- the zone in which time phrases are read ---- */

enum mneme_status mn_source_zone(struct mn_sourcing *s, struct mneme_error *err)
{
    static const char *const key = "user.timezone";
    struct mn_rows rows = { 0 };

    if (s->plan->zone[0])
        return MNEME_OK;
    MN_TRY(s->world->store->ops->memories_by_key(s->world->store, s->access, &key, 1, NULL,
                                                 s->arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        const char *zone = rows.item[i].memory.value;

        if (mn_when_zone_known(zone)) {
            mn_plan_read_time(s->plan,
                              s->request->now_ms ? s->request->now_ms : s->access->at_ms, zone);
            break;
        }
    }
    return MNEME_OK;
}

/* ---- running sources ---- */

static void state_end(struct mn_store **store)
{
    (*store)->ops->reads_end(*store);
}

static void let_go(struct mn_sourcing *s)
{
    state_end(&s->world->store);
    s->let_go = true;
}

typedef enum mneme_status (*source_fn)(struct mn_sourcing *s, struct mneme_error *err);

/* Runs one source and times it. A failure is the source's silence, unless it must answer. */
static enum mneme_status run(struct mn_sourcing *s, enum mn_source source, source_fn ask,
                             bool must_answer, struct mneme_error *err)
{
    struct mn_trace_source *t = &s->trace->source[source];
    int64_t begun_us = mn_clock_monotonic_us();
    struct mneme_error failed;

    if (!s->plan->probes[source])
        return MNEME_OK;
    mn_error_clear(&failed);
    t->asked = true;
    enum mneme_status status = ask(s, &failed);
    t->us += mn_clock_monotonic_us() - begun_us;
    if (status == MNEME_OK)
        return MNEME_OK;
    if (must_answer || status == MNEME_LIMIT) {
        if (err)
            *err = failed;
        return status;
    }
    t->silent = mn_arena_copy(s->arena, failed.message);
    mn_trace_degraded(s->trace, "%s: %s", mn_source_name(source), failed.message);
    return MNEME_OK;
}

/* Without an index: rows of every asked type by the structured query. */
static enum mneme_status stand_in_for_index(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };

    MN_TRY(s->world->store->ops->memories_structured(s->world->store, s->access, s->plan->asked,
                                                     s->plan->probe_limit, s->arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
    }
    return MNEME_OK;
}

/* Text and vector lists, then scores for what the other sources brought; false: no index. */
static enum mneme_status ask_index(struct mn_sourcing *s, bool *ret_answered,
                                   struct mneme_error *err)
{
    enum mn_source source = s->plan->probes[MN_SOURCE_TEXT] ? MN_SOURCE_TEXT : MN_SOURCE_VECTOR;
    bool silent_before = s->trace->source[source].silent != NULL;

    MN_TRY(run(s, source, mn_source_search, false, err));
    s->trace->source[MN_SOURCE_VECTOR].asked = s->plan->probes[MN_SOURCE_VECTOR] && s->vector;
    *ret_answered = silent_before || !s->trace->source[source].silent;
    return MNEME_OK;
}

/* The candidates' successors and the other answers to their keys, and those of what that brought.
 */
static enum mneme_status complete(struct mn_sourcing *s, struct mneme_error *err)
{
    size_t count;

    do {
        count = s->pool->found.count;
        MN_TRY(mn_source_successors(s, err));
        MN_TRY(mn_verify_keys(s, err));
    } while (s->pool->found.count > count);
    return MNEME_OK;
}

/* Asks the index, and what belongs to its answer; further down while that is one thing many times.
 */
static enum mneme_status find_alike(struct mn_sourcing *s, bool *index_answers,
                                    struct mneme_error *err)
{
    bool asks_index = needs_vector(s->plan);

    for (s->lists = 1;; s->lists *= 4) {
        if (asks_index)
            MN_TRY(ask_index(s, index_answers, err));
        if (!*index_answers)
            MN_TRY(stand_in_for_index(s, err));
        if (asks_index && *index_answers && s->lists == 1)
            MN_TRY(run(s, MN_SOURCE_STRUCTURED, mn_source_structured_alike, false, err));
        MN_TRY(complete(s, err));
        if (!asks_index || !*index_answers || s->lists >= LISTS_MAX || !mn_source_is_crowded(s))
            return MNEME_OK;
    }
}

/* From the best found; what that brings is made complete and scored as all else is. */
static enum mneme_status step_again(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mneme_error failed;

    mn_error_clear(&failed);
    enum mneme_status status = mn_source_second_step(s, &failed);
    if (status == MNEME_OK && s->trace->second.step_count) {
        status = complete(s, &failed);
        if (status == MNEME_OK)
            status = mn_verify_scores(s, &failed);
    }
    if (status == MNEME_LIMIT && err)
        *err = failed;
    else if (status != MNEME_OK)
        mn_trace_degraded(s->trace, "second step: %s", failed.message);
    return status == MNEME_LIMIT ? status : MNEME_OK;
}

/* Those that ask the store alone. */
static enum mneme_status ask_store(struct mn_sourcing *s, struct mneme_error *err)
{
    if (s->plan->when.found)
        MN_TRY(mn_source_zone(s, err));
    MN_TRY(run(s, MN_SOURCE_STRUCTURED, mn_source_structured, true, err));
    MN_TRY(run(s, MN_SOURCE_TASK_STATE, mn_source_task_state, true, err));
    MN_TRY(run(s, MN_SOURCE_RULE, mn_source_rule, true, err));
    return run(s, MN_SOURCE_GRAPH, mn_source_graph, false, err);
}

/* False: there is no index to ask. Another thread may be bringing it up, and is not waited for with the
 * store's state in hand. */
static bool bring_up_index(struct mn_sourcing *s)
{
    struct mn_world *world = s->world;
    struct mneme_error failed;

    mn_error_clear(&failed);
    if (mn_index_is_current(world, s->access, s->arena, &s->trace->index_position))
        return true;
    let_go(s);
    if (mn_index_catch_up(world, s->access, s->arena, &s->trace->index_position, &failed) ==
        MNEME_OK)
        return true;
    mn_trace_degraded(s->trace, "index: %s", failed.message);
    return false;
}

enum mneme_status mn_recall(struct mn_world *world, const struct mneme_request *request,
                            const struct mn_access *access, struct mn_plan *plan,
                            struct mn_arena *arena, struct mn_candidates *ret_found,
                            struct mn_successors *ret_successors, struct mn_trace *trace,
                            struct mneme_error *err)
{
    struct mn_pool pool;
    struct mn_sourcing s = { .world = world,
                             .request = request,
                             .access = access,
                             .plan = plan,
                             .arena = arena,
                             .trace = trace,
                             .pool = &pool,
                             .lists = 1 };
    MN_CLEANUP(embed_release) struct embedding embedding = { 0 };
    struct mneme_error failed;
    bool index_answers = true;

    mn_error_clear(&failed);
    MN_TRY(mn_pool_init(&pool, arena, err));
    MN_TRY(embed_prepare(&s, &embedding, err));
    void *started = embed_start(world, &embedding);

    /* From here on the embedding must be waited for before anything is returned. */
    MN_CLEANUP(state_end) struct mn_store *store = world->store;
    store->ops->state_begin(store);
    enum mneme_status status = ask_store(&s, err);
    if (status == MNEME_OK && needs_vector(plan))
        index_answers = bring_up_index(&s);
    if (is_waited_for(world, &embedding))
        let_go(&s);
    s.vector = embed_wait(world, &embedding, started, trace);
    if (s.vector)
        s.codes = (struct mn_str){ embedding.codes.at, embedding.codes.bytes };
    MN_TRY(status);
    store->ops->state_begin(store);

    bool index_is_current = index_answers;
    MN_TRY(find_alike(&s, &index_answers, err));
    if (index_answers && needs_vector(plan) && mn_verify_scores(&s, &failed) != MNEME_OK)
        mn_trace_degraded(trace, "index: %s", failed.message);
    if (index_answers && needs_vector(plan))
        MN_TRY(step_again(&s, err));
    if (access->as_of_ms) {
        MN_TRY(run(&s, MN_SOURCE_TEXT, mn_source_past, false, err));
        MN_TRY(complete(&s, err));
    }
    MN_TRY(mn_verify_as_of(&s, err));
    MN_TRY(mn_verify_rows(&s, index_is_current, err));
    if (index_answers && needs_vector(plan) && mn_source_surroundings(&s, &failed) != MNEME_OK)
        mn_trace_degraded(trace, "index: %s", failed.message);
    if (mn_source_token_likeness(&s, &failed) != MNEME_OK)
        mn_trace_degraded(trace, "tokens: %s", failed.message);
    mn_pool_read_languages(&pool);
    trace->candidate_count = pool.found.count;
    *ret_found = pool.found;
    *ret_successors = s.successors;
    return MNEME_OK;
}
