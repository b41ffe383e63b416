/*
 * nominate.c - which of the rows that are there may say the same as a draft?
 *
 * An index brings them: the best by words, and the nearest by vector where the draft has one. They only
 * stand for comparison; rules of text decide (dedupe.c). The index is brought up to the store first, and
 * how far it had come is told: what is written behind that it could not know of.
 */
#include "remember/remember.h"

#include <string.h>

#include "index/index.h"
#include "memory/type.h"
#include "model/model.h"
#include "search/search.h"
#include "text/analyze.h"

/* Rows compared by text, at some 70 us each: so many by words, and by vector of each language. By
 * BM25, however little they share: in a small partition the words that are new weigh most, so that
 * a share of all says nothing. */
#define NOMINATED_MAX 8

/* The draft's vector as a request's: an index centres requests by another mean than passages. NULL:
 * there is none. */
static const float *as_request(const struct mn_world *world, const float *vector,
                               enum mn_language language, struct mn_arena *arena)
{
    const struct mn_model_profile *profile = vector ? &world->model->profile : NULL;
    float *moved = profile ? mn_arena_array(arena, float, profile->dim) : NULL;

    for (size_t i = 0; moved && i < profile->dim; i++)
        moved[i] = vector[i] - profile->passage_mean[language][i] +
                   profile->request_mean[language][i];
    return moved;
}

enum mneme_status mn_nominate(struct mn_world *world, const struct mneme_memory *draft,
                              const float *vector, int64_t now_ms, struct mn_arena *arena,
                              const char **ret_position, struct mn_rows *ret_near,
                              struct mn_rows *ret_close, struct mneme_error *err)
{
    const char *permission = draft->requires_permission;
    const char *scope = draft->scope_id;
    struct mn_access access = {
        .tenant = draft->tenant_id,
        .user = draft->user_id,
        .agent = draft->agent_id,
        .session = draft->scope_kind == MNEME_SCOPE_SESSION ? scope : "",
        .task = draft->scope_kind == MNEME_SCOPE_TASK ? scope : "",
        .project = draft->scope_kind == MNEME_SCOPE_PROJECT ? scope : "",
        .repository = draft->scope_kind == MNEME_SCOPE_REPO ? scope : "",
        .clearance = MNEME_SECRET,
        .permissions = { &permission, mn_empty(permission) ? 0 : 1 },
        .at_ms = now_ms,
    };
    int type = mn_type_find(draft->type);
    enum mn_language language = mn_text_language(draft->content, strlen(draft->content));
    struct mn_terms terms = { 0 };
    struct mn_query query = {
        .access = &access,
        .text_types = MN_TYPE_BIT(type == MN_TYPE_NONE ? mn_type_find("fact") : type),
        .terms = &terms,
        .language = language,
        .text_k = NOMINATED_MAX,
        .vector_types = MN_TYPE_BIT(type == MN_TYPE_NONE ? mn_type_find("fact") : type),
        .vector = as_request(world, vector, language, arena),
        .vector_k = NOMINATED_MAX,
    };
    struct mn_hits hits = { 0 };
    struct mn_rows near = { 0 }, close = { 0 };
    const char **by_words, **by_vector;
    size_t words = 0, vectors = 0;

    MN_TRY(mn_index_catch_up(world, &access, arena, ret_position, err));
    MN_TRY(mn_text_query_terms(arena, draft->content, strlen(draft->content), &terms, err));
    for (size_t i = 0; i < terms.count; i++)
        terms.item[i].text = (struct mn_str){ NULL, 0 }; /* what is misspelt here is another word */
    MN_TRY(world->search->ops->top(world->search, &query, arena, &hits, err));
    by_words = mn_arena_array(arena, const char *, hits.count + 1);
    by_vector = mn_arena_array(arena, const char *, hits.count + 1);
    if (!by_words || !by_vector)
        return mn_fail_memory(err);
    for (size_t i = 0; i < hits.count; i++) {
        const struct mn_hit *hit = &hits.item[i];

        if (hit->unit->is_event)
            continue;
        if (hit->vector_rank && hit->vector_rank <= NOMINATED_MAX &&
            hit->vector >= (double)world->model->profile.duplicate_cosine)
            by_vector[vectors++] = hit->unit->id;
        else if (hit->text_rank && hit->coverage > 0)
            by_words[words++] = hit->unit->id;
    }
    if (words)
        MN_TRY(world->store->ops->memories_get(world->store, &access, by_words, words, arena, &near,
                                               err));
    if (vectors)
        MN_TRY(world->store->ops->memories_get(world->store, &access, by_vector, vectors, arena,
                                               &close, err));
    *ret_near = near;
    *ret_close = close;
    return MNEME_OK;
}
