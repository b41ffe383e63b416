/*
 * verify.c - what the sources brought, brought up to the truth.
 *
 * An index says where to look; whether what it says still holds is the store's to say. `candidate`
 * reads every row again. `mixed`, the default, trusts the index for ordinary memories, because it
 * was brought up to the store's position before it was asked, and reads constraints, rules, high
 * risk and what needs a permission again. `read_model` takes the index's own document as long as
 * the index stands where the store stands, and asks the truth when it is behind. A row that is not
 * there any more is dropped as stale; one that changed is replaced.
 */
#include "retrieve/sources.h"

#include <string.h>

static bool is_from_truth(const void *context, const char *id)
{
    const struct mn_candidate *c = mn_pool_find(context, id);

    return c && c->from_truth;
}

enum mneme_status mn_verify_keys(struct mn_sourcing *s, struct mneme_error *err)
{
    const struct mn_had_rows had = { is_from_truth, s->pool };
    struct mn_store *store = s->world->store;
    size_t found_count = s->pool->found.count;
    const char **keys = mn_arena_array(s->arena, const char *, found_count + 1);
    struct mn_rows rows = { 0 };
    size_t key_count = 0;

    if (!keys)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found_count; i++) {
        const char *key = s->pool->found.item[i].memory->memory_key;
        bool added = false;

        if (!mn_empty(key))
            MN_TRY(mn_key_set_add(&s->keys, s->arena, key, &added, err));
        if (added)
            keys[key_count++] = key;
    }
    if (!key_count)
        return MNEME_OK;
    /* What is read already is the same row, unless the state was let go, or a past one is asked. */
    MN_TRY(store->ops->memories_by_key(store, s->access, keys, key_count,
                                       s->let_go || s->access->as_of_ms ? NULL : &had, s->arena,
                                       &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        bool known = mn_pool_find(s->pool, rows.item[i].memory.id) != NULL;
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
        c->by_key = c->by_key || !known;
    }
    return MNEME_OK;
}

/* Does this consistency want the canonical row of the candidate? */
static bool wants_truth(const struct mn_sourcing *s, const struct mn_candidate *c,
                        bool index_is_current)
{
    const struct mneme_memory *m = c->memory;

    if (c->from_truth || c->is_event)
        return false; /* events are written once and never edited */
    /* Recency by last access is usage, which no index holds. */
    if (s->request->profile == MNEME_PROFILE_BALANCED ||
        s->request->profile == MNEME_PROFILE_RECENCY)
        return true;
    switch (s->request->consistency) {
    case MNEME_CONSISTENCY_CANDIDATE:
        return true;
    case MNEME_CONSISTENCY_READ_MODEL:
        return !index_is_current;
    case MNEME_CONSISTENCY_MIXED:
        break;
    }
    return !index_is_current || m->risk == MNEME_RISK_HIGH || !mn_empty(m->requires_permission) ||
           mn_type_of(m->type)->section == MN_SECTION_CONSTRAINTS;
}

static void drop_stale(struct mn_sourcing *s, const char *const *asked, size_t asked_count)
{
    struct mn_candidates *found = &s->pool->found;
    size_t kept = 0;

    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];
        bool was_asked = false;

        for (size_t a = 0; a < asked_count && !was_asked; a++)
            was_asked = asked[a] == c->memory->id;
        if (was_asked && !c->from_truth)
            mn_trace_reject(s->trace, c, MN_STAGE_RECALL, MN_REASON_STALE_INDEX, NULL);
        else
            found->item[kept++] = *c;
    }
    found->count = kept;
}

enum mneme_status mn_verify_rows(struct mn_sourcing *s, bool index_is_current,
                                 struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    struct mn_candidates *found = &s->pool->found;
    const char **ids = mn_arena_array(s->arena, const char *, found->count + 1);
    struct mn_rows rows = { 0 };
    size_t id_count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++)
        if (wants_truth(s, &found->item[i], index_is_current))
            ids[id_count++] = found->item[i].memory->id;
    if (!id_count)
        return MNEME_OK;
    MN_TRY(store->ops->memories_get(store, s->access, ids, id_count, s->arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
    }
    /* The pool's slots are not asked after this: dropping may move its rows. */
    drop_stale(s, ids, id_count);
    return MNEME_OK;
}

enum mneme_status mn_verify_as_of(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    struct mn_candidates *found = &s->pool->found;
    const char **ids = mn_arena_array(s->arena, const char *, found->count + 1);
    struct mn_rows rows = { 0 };
    size_t id_count = 0;

    if (!s->access->as_of_ms)
        return MNEME_OK;
    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++)
        if (!found->item[i].is_event && !found->item[i].is_checkpoint)
            ids[id_count++] = found->item[i].memory->id;
    if (!id_count)
        return MNEME_OK;
    MN_TRY(store->ops->memories_as_of(store, s->access, ids, id_count, s->arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
    }
    return MNEME_OK;
}
