/*
 * fake_search.c - see fake_search.h.
 */
#include "fakes/fake_search.h"

#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

struct fake {
    struct mn_search search;
    struct mn_search *real;
    size_t calls;
    size_t fail_after;
    enum mneme_status status;
    const char *cursor;
    const struct mneme_memory *const *memory;
    size_t memory_count;
};

static struct fake *fake_of(struct mn_search *search)
{
    return (struct fake *)(void *)search;
}

/* Counts the call; the real engine, or NULL and *ret_status when it is to fail. */
static struct mn_search *next_call(struct mn_search *search, enum mneme_status *ret_status,
                                   struct mneme_error *err)
{
    struct fake *fake = fake_of(search);

    if (fake->calls++ < fake->fail_after || fake->status == MNEME_OK)
        return fake->real;
    *ret_status = mn_fail(err, fake->status, "index: told to fail");
    return NULL;
}

static enum mneme_status fake_apply(struct mn_search *search, struct mn_partition partition,
                                    bool reset, const struct mn_unit *units, size_t unit_count,
                                    const char *const *dropped, size_t dropped_count,
                                    const char *cursor, struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->apply(real, partition, reset, units, unit_count, dropped,
                                   dropped_count, cursor, err)
                : status;
}

static enum mneme_status fake_position(struct mn_search *search, struct mn_partition partition,
                                       struct mn_arena *arena, const char **ret_cursor,
                                       struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);
    const char *cursor;

    if (!real)
        return status;
    MN_TRY(real->ops->position(real, partition, arena, &cursor, err));
    if (fake_of(search)->cursor) {
        cursor = mn_arena_copy(arena, fake_of(search)->cursor);
        if (!cursor)
            return mn_fail_memory(err);
    }
    *ret_cursor = cursor;
    return MNEME_OK;
}

static enum mneme_status make_stale(const struct fake *fake, struct mn_hits *hits,
                                    struct mn_arena *arena, struct mneme_error *err)
{
    for (size_t i = 0; i < hits->count; i++) {
        for (size_t j = 0; j < fake->memory_count; j++) {
            struct mn_unit *stale = NULL;

            if (strcmp(hits->item[i].unit->memory.id, fake->memory[j]->id) != 0)
                continue;
            stale = mn_arena_one(arena, struct mn_unit);
            if (!stale)
                return mn_fail_memory(err);
            *stale = *hits->item[i].unit;
            MN_TRY(mn_memory_copy(fake->memory[j], arena, &stale->memory, err));
            hits->item[i].unit = stale;
        }
    }
    return MNEME_OK;
}

static enum mneme_status fake_top(struct mn_search *search, const struct mn_query *query,
                                  struct mn_arena *arena, struct mn_hits *ret_hits,
                                  struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);
    struct mn_hits hits;

    if (!real)
        return status;
    MN_TRY(real->ops->top(real, query, arena, &hits, err));
    MN_TRY(make_stale(fake_of(search), &hits, arena, err));
    *ret_hits = hits;
    return MNEME_OK;
}

static enum mneme_status fake_score(struct mn_search *search, const struct mn_query *query,
                                    const char *const *ids, size_t count, struct mn_arena *arena,
                                    struct mn_hits *ret_hits, struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);
    struct mn_hits hits;

    if (!real)
        return status;
    MN_TRY(real->ops->score(real, query, ids, count, arena, &hits, err));
    MN_TRY(make_stale(fake_of(search), &hits, arena, err));
    *ret_hits = hits;
    return MNEME_OK;
}

static enum mneme_status fake_context(struct mn_search *search, const struct mn_query *query,
                                      const char *const *ids, size_t count, struct mn_arena *arena,
                                      struct mn_contexts *ret_contexts, struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->context(real, query, ids, count, arena, ret_contexts, err) : status;
}

static enum mneme_status fake_adjacent(struct mn_search *search, const struct mn_access *access,
                                       const char *const *ids, size_t count,
                                       struct mn_arena *arena, const struct mn_unit **ret,
                                       struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->adjacent(real, access, ids, count, arena, ret, err) : status;
}

static enum mneme_status fake_similarity(struct mn_search *search, const struct mn_access *access,
                                         const char *const *ids, size_t count, float *ret,
                                         struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->similarity(real, access, ids, count, ret, err) : status;
}

static enum mneme_status fake_digest(struct mn_search *search, struct mn_partition partition,
                                     struct mn_arena *arena, struct mn_digest *ret_digest,
                                     const char **ret_cursor, struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->digest(real, partition, arena, ret_digest, ret_cursor, err) : status;
}

static enum mneme_status fake_beside(struct mn_search *search, struct mn_partition partition,
                                     bool reset, const struct mn_unit *units, size_t unit_count,
                                     const char *const *dropped, size_t dropped_count,
                                     const char *cursor, struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->beside(real, partition, reset, units, unit_count, dropped,
                                    dropped_count, cursor, err)
                : status;
}

static enum mneme_status fake_adopt(struct mn_search *search, struct mn_partition partition,
                                    struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->adopt(real, partition, err) : status;
}

static enum mneme_status fake_save(struct mn_search *search, struct mn_partition partition,
                                   const char *profile, struct mn_arena *arena,
                                   const char **ret_cursor, struct mn_buf *out,
                                   struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->save(real, partition, profile, arena, ret_cursor, out, err) : status;
}

static enum mneme_status fake_load(struct mn_search *search, struct mn_partition partition,
                                   const char *profile, struct mn_str bytes,
                                   struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    struct mn_search *real = next_call(search, &status, err);

    return real ? real->ops->load(real, partition, profile, bytes, err) : status;
}

static bool fake_due(struct mn_search *search, struct mn_arena *arena,
                     struct mn_partition *ret_partition)
{
    struct mn_search *real = fake_of(search)->real;

    return real->ops->due(real, arena, ret_partition);
}

static void fake_drop(struct mn_search *search, struct mn_partition partition)
{
    struct mn_search *real = fake_of(search)->real;

    real->ops->drop(real, partition);
}

static void fake_stats(struct mn_search *search, struct mn_search_stats *ret_stats)
{
    struct mn_search *real = fake_of(search)->real;

    real->ops->stats(real, ret_stats);
}

static void fake_free(struct mn_search *search)
{
    mn_search_free(fake_of(search)->real);
    free(fake_of(search));
}

static const struct mn_search_ops fake_ops = {
    .apply = fake_apply,
    .position = fake_position,
    .top = fake_top,
    .score = fake_score,
    .context = fake_context,
    .adjacent = fake_adjacent,
    .similarity = fake_similarity,
    .digest = fake_digest,
    .beside = fake_beside,
    .adopt = fake_adopt,
    .save = fake_save,
    .load = fake_load,
    .due = fake_due,
    .drop = fake_drop,
    .stats = fake_stats,
    .free = fake_free,
};

struct mn_search *fake_search_new(struct mn_search *real)
{
    struct fake *fake = calloc(1, sizeof *fake);

    if (!fake)
        return NULL;
    fake->search.ops = &fake_ops;
    fake->real = real;
    return &fake->search;
}

void fake_search_fail_after(struct mn_search *search, size_t calls, enum mneme_status status)
{
    fake_of(search)->fail_after = fake_of(search)->calls + calls;
    fake_of(search)->status = status;
}

size_t fake_search_calls(const struct mn_search *search)
{
    return ((const struct fake *)(const void *)search)->calls;
}

void fake_search_stale_position(struct mn_search *search, const char *cursor)
{
    fake_of(search)->cursor = cursor;
}

void fake_search_stale_documents(struct mn_search *search,
                                 const struct mneme_memory *const *memories, size_t count)
{
    fake_of(search)->memory = memories;
    fake_of(search)->memory_count = count;
}
