/*
 * pool.c - candidates by id, so that each is one whichever sources bring it.
 */
#include "retrieve/sources.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"

#define SLOTS_FIRST 2048
#define CANDIDATES_FIRST (SLOTS_FIRST / 2)
#define FREE UINT32_MAX
#define LANGUAGE_UNREAD ((enum mn_language)MN_LANGUAGE_COUNT)

enum mneme_status mn_pool_init(struct mn_pool *pool, struct mn_arena *arena,
                               struct mneme_error *err)
{
    struct mn_pool_slot *slot = mn_arena_room(arena, SLOTS_FIRST * sizeof *slot);
    struct mn_candidate *item = mn_arena_room(arena, CANDIDATES_FIRST * sizeof *item);

    if (!slot || !item)
        return mn_fail_memory(err);
    memset(slot, 0xff, SLOTS_FIRST * sizeof *slot);
    *pool = (struct mn_pool){ .arena = arena,
                              .found = { .item = item, .room = CANDIDATES_FIRST },
                              .slot = slot,
                              .slot_count = SLOTS_FIRST };
    return MNEME_OK;
}

void mn_pool_read_languages(struct mn_pool *pool)
{
    for (size_t i = 0; i < pool->found.count; i++) {
        struct mn_candidate *c = &pool->found.item[i];

        if (c->language == LANGUAGE_UNREAD)
            c->language = mn_text_language(c->memory->content, strlen(c->memory->content));
    }
}

static uint32_t hash_of(const char *id)
{
    return (uint32_t)mn_hash64(id, strlen(id), 0);
}

/* The slot that holds the id, or the free one where it belongs. */
static struct mn_pool_slot *slot_of(const struct mn_pool *pool, const char *id, uint32_t hash)
{
    size_t at = hash & (pool->slot_count - 1);

    while (pool->slot[at].at != FREE &&
           (pool->slot[at].hash != hash ||
            strcmp(pool->found.item[pool->slot[at].at].memory->id, id) != 0))
        at = (at + 1) & (pool->slot_count - 1);
    return &pool->slot[at];
}

struct mn_candidate *mn_pool_find(const struct mn_pool *pool, const char *id)
{
    uint32_t at = slot_of(pool, id, hash_of(id))->at;

    return at == FREE ? NULL : &pool->found.item[at];
}

static enum mneme_status grow_slots(struct mn_pool *pool, struct mneme_error *err)
{
    struct mn_pool grown = *pool;

    grown.slot_count *= 2;
    grown.slot = mn_arena_room(pool->arena, grown.slot_count * sizeof *grown.slot);
    if (!grown.slot)
        return mn_fail_memory(err);
    memset(grown.slot, 0xff, grown.slot_count * sizeof *grown.slot);
    for (size_t i = 0; i < pool->slot_count; i++) {
        size_t at = pool->slot[i].hash & (grown.slot_count - 1);

        if (pool->slot[i].at == FREE)
            continue;
        while (grown.slot[at].at != FREE)
            at = (at + 1) & (grown.slot_count - 1);
        grown.slot[at] = pool->slot[i];
    }
    *pool = grown;
    return MNEME_OK;
}

/* A new candidate of this memory. */
static enum mneme_status add(struct mn_pool *pool, const struct mneme_memory *memory,
                             struct mn_candidate **ret_candidate, struct mneme_error *err)
{
    uint32_t hash = hash_of(memory->id);

    if ((pool->found.count + 1) * 2 > pool->slot_count)
        MN_TRY(grow_slots(pool, err));
    struct mn_candidate *made = mn_array_add(pool->arena, &pool->found);
    if (!made)
        return mn_fail_memory(err);
    made->memory = memory;
    made->speaker = "";
    made->session_id = "";
    made->similarity_at = SIZE_MAX;
    /* The new element stands in the array already: look its slot up by the id without meeting it. */
    *slot_of(pool, memory->id, hash) =
        (struct mn_pool_slot){ (uint32_t)(pool->found.count - 1), hash };
    *ret_candidate = made;
    return MNEME_OK;
}

enum mneme_status mn_pool_add_row(struct mn_pool *pool, const struct mn_row *row,
                                  struct mn_candidate **ret_candidate, struct mneme_error *err)
{
    struct mn_candidate *c = mn_pool_find(pool, row->memory.id);

    if (!c) {
        MN_TRY(add(pool, &row->memory, &c, err));
        c->language = LANGUAGE_UNREAD;
    }
    c->memory = &row->memory;
    c->confidence = row->confidence;
    c->last_accessed_at_ms = row->last_accessed_at_ms;
    c->shared = !row->memory.user_id[0];
    c->from_truth = true;
    *ret_candidate = c;
    return MNEME_OK;
}

enum mneme_status mn_pool_add_hit(struct mn_pool *pool, const struct mn_hit *hit,
                                  struct mn_candidate **ret_candidate, struct mneme_error *err)
{
    struct mn_candidate *c = mn_pool_find(pool, hit->unit->parent_id);

    if (!c) {
        MN_TRY(add(pool, &hit->unit->memory, &c, err));
        c->confidence = hit->unit->confidence;
        c->shared = hit->shared;
    }
    c->scored = true;
    c->is_event = hit->unit->is_event;
    c->speaker = hit->unit->speaker;
    c->session_id = hit->unit->session_id;
    c->order = hit->unit->order;
    c->language = hit->language;
    c->passage = hit->passage;
    if (hit->text > c->text) {
        c->text = hit->text;
        c->coverage = hit->coverage;
    }
    if (hit->has_vector && (!c->has_vector || hit->vector > c->vector)) {
        c->has_vector = true;
        c->vector = hit->vector;
    }
    *ret_candidate = c;
    return MNEME_OK;
}
