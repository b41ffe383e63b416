/*
 * successors.c - what stands in the place of what was found.
 *
 * A request meets the words of a memory that has been replaced as often as those of the one that
 * replaced it. The filter hides the former (filter.c); here the latter becomes a candidate, so that
 * it is judged and scored by itself. Of a chain it is the last row that this identity may see, and
 * the rows between are only walked over: a rule that was reworded a thousand times is one memory.
 *
 * The turn that a replaced memory was drawn from happened all the same, and stays. But who asks about
 * now must not take it for what holds, so that it says what stands in the place of what it told
 * (`replaced_by`), provided that this identity may see that; and that becomes a candidate, too.
 */
#include "retrieve/sources.h"

#include "base/array.h"

#define LINKS_MAX 4096 /* rows walked over on the way to the ends of chains */

/* The candidate that this row stands in place of; NULL: it replaces none, or another owner's. */
static struct mn_candidate *replaced_by(const struct mn_pool *pool, const struct mneme_memory *row)
{
    struct mn_candidate *c = mn_pool_find(pool, row->supersedes);

    return c && c->memory != row && mn_same(c->memory->user_id, row->user_id) ? c : NULL;
}

static enum mneme_status successors_of(struct mn_sourcing *s, const struct mn_pool *pool,
                                       size_t from, struct mn_rows *ret_rows,
                                       struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    const char **ids = mn_arena_array(s->arena, const char *, pool->found.count - from + 1);
    size_t id_count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = from; i < pool->found.count; i++)
        if (!pool->found.item[i].is_event && !pool->found.item[i].is_checkpoint)
            ids[id_count++] = pool->found.item[i].memory->id;
    *ret_rows = (struct mn_rows){ 0 };
    if (!id_count)
        return MNEME_OK;
    return store->ops->memories_successors(store, s->access, ids, id_count, s->arena, ret_rows,
                                           err);
}

/* Marks what the rows replace. Those that are new are added to `walked`. */
static enum mneme_status walk(struct mn_pool *pool, struct mn_pool *walked, struct mn_rows *rows,
                              struct mneme_error *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct mn_candidate *former = replaced_by(pool, &rows->item[i].memory);
        struct mn_candidate *c = NULL;

        if (former)
            former->replaced = true;
        MN_TRY(mn_pool_add_row(walked, &rows->item[i], &c, err));
    }
    return MNEME_OK;
}

static enum mneme_status add_end(struct mn_sourcing *s, const struct mn_candidate *end,
                                 struct mneme_error *err)
{
    struct mn_row *row = mn_arena_one(s->arena, struct mn_row);
    struct mn_candidate *c = NULL;

    if (!row)
        return mn_fail_memory(err);
    row->memory = *end->memory;
    row->confidence = end->confidence;
    row->last_accessed_at_ms = end->last_accessed_at_ms;
    return mn_pool_add_row(s->pool, row, &c, err);
}

/* From these rows on to the ends of their chains, which become candidates. Every row is asked once,
 * so that a circle of them ends. */
static enum mneme_status add_ends(struct mn_sourcing *s, struct mn_rows *rows,
                                  struct mneme_error *err)
{
    struct mn_pool walked;
    size_t asked = 0;

    MN_TRY(mn_pool_init(&walked, s->arena, err));
    MN_TRY(walk(s->pool, &walked, rows, err));
    while (asked < walked.found.count && walked.found.count < LINKS_MAX) {
        size_t from = asked;

        asked = walked.found.count;
        MN_TRY(successors_of(s, &walked, from, rows, err));
        MN_TRY(walk(&walked, &walked, rows, err));
    }
    if (asked < walked.found.count)
        mn_trace_degraded(s->trace, "links: not followed beyond %d rows", LINKS_MAX);
    for (size_t i = 0; i < walked.found.count; i++)
        if (!walked.found.item[i].replaced)
            MN_TRY(add_end(s, &walked.found.item[i], err));
    return MNEME_OK;
}

/* ---- turns ---- */

/* Marks the turns of these pairs whose successor is the candidate. */
static void mark_turns(const struct mn_pool *pool, const struct mneme_list *pairs,
                       const struct mn_candidate *successor)
{
    for (size_t i = 0; i + 1 < pairs->count; i += 2) {
        struct mn_candidate *turn = mn_same(pairs->item[i + 1], successor->memory->id)
                                        ? mn_pool_find(pool, pairs->item[i])
                                        : NULL;

        if (turn)
            turn->replaced_by = successor->memory->id;
    }
}

/* What stands in the place of what the turns told, as it is or was: read and judged by itself. */
static enum mneme_status add_in_place(struct mn_sourcing *s, const struct mneme_list *pairs,
                                      struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    const char **ids = mn_arena_array(s->arena, const char *, pairs->count);
    struct mn_rows rows = { 0 };
    size_t id_count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 1; i < pairs->count; i += 2)
        ids[id_count++] = pairs->item[i];
    MN_TRY((s->access->as_of_ms ? store->ops->memories_as_of : store->ops->memories_get)(
        store, s->access, ids, id_count, s->arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        enum mn_reason reason = MN_REASON_NONE;
        struct mn_candidate *c = NULL;

        if (!mn_access_allows(s->access, &rows.item[i].memory, rows.item[i].confidence, &reason))
            continue;
        MN_TRY(mn_pool_add_row(s->pool, &rows.item[i], &c, err));
        mark_turns(s->pool, pairs, c);
    }
    return MNEME_OK;
}

static enum mneme_status replace_turns(struct mn_sourcing *s, size_t from, struct mneme_error *err)
{
    struct mn_store *store = s->world->store;
    size_t count = s->pool->found.count;
    const char **turns = mn_arena_array(s->arena, const char *, count - from + 1);
    struct mneme_list pairs = { 0 };
    size_t turn_count = 0;

    if (!turns)
        return mn_fail_memory(err);
    for (size_t i = from; i < count; i++)
        if (s->pool->found.item[i].is_event)
            turns[turn_count++] = s->pool->found.item[i].memory->id;
    if (turn_count)
        MN_TRY(store->ops->turns_replaced(store, s->access, turns, turn_count, s->arena, &pairs,
                                          err));
    return pairs.count ? add_in_place(s, &pairs, err) : MNEME_OK;
}

enum mneme_status mn_source_successors(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };
    size_t from = s->linked;

    MN_TRY(replace_turns(s, from, err));
    MN_TRY(successors_of(s, s->pool, from, &rows, err));
    s->linked = s->pool->found.count;
    for (size_t i = 0; i < rows.count; i++) {
        const struct mneme_memory **successor = mn_array_add(s->arena, &s->successors);

        if (!successor)
            return mn_fail_memory(err);
        *successor = &rows.item[i].memory;
    }
    return rows.count ? add_ends(s, &rows, err) : MNEME_OK;
}
