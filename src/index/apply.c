/*
 * apply.c - brings a partition index up to the store's position.
 *
 * The cursor is taken before the rows are read: what changes meanwhile is read twice, which is
 * harmless because a unit replaces itself, and is never missed. A log that no longer reaches back to
 * the index's cursor means building anew. Building and catching up are done under one lock a handle;
 * a partition that stands where the store stands, the usual case, needs none.
 */
#include "index/index.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "index/state.h"
#include "model/recent.h"
#include "search/search.h"
#include "store/store.h"

#define SCAN_UNITS 512     /* rows read at once while building */
#define CHANGES_AT_ONCE 1024
#define CHANGES_TOGETHER 64 /* of any partition, read once for two of them */
#define ARENA_BYTES_MAX ((size_t)256 << 20)

struct mn_index *mn_index_new(void)
{
    struct mn_index *index = calloc(1, sizeof *index);

    if (!index)
        return NULL;
    (void)pthread_mutex_init(&index->building, NULL); /* default attributes: cannot fail */
    (void)pthread_mutex_init(&index->embedding, NULL);
    return index;
}

void mn_index_free(struct mn_index *index)
{
    if (!index)
        return;
    pthread_mutex_destroy(&index->building);
    pthread_mutex_destroy(&index->embedding);
    mn_arena_free(index->walk.arena);
    free(index);
}

const char *mn_index_profile(const struct mn_world *world)
{
    return world->model ? world->model->profile.vectors_hash : "";
}

const char *mn_index_tokens_profile(const struct mn_world *world)
{
    return world->model && mn_model_gives_tokens(world->model) ? world->model->profile.tokens_hash
                                                               : "";
}

static enum mneme_status build(struct mn_world *world, struct mn_partition partition,
                               struct mneme_error *err)
{
    struct mn_cursor start;
    MN_BUF_AUTO after = { 0 };
    bool reset = true;

    MN_TRY(world->store->ops->position(world->store, &start, err));
    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        struct mn_units units = { 0 };

        if (!arena)
            return mn_fail_memory(err);
        MN_TRY(world->store->ops->units_scan(world->store, partition, after.at ? after.at : "",
                                             SCAN_UNITS, mn_index_profile(world), arena, &units,
                                             err));
        struct mn_units searched = { 0 };
        bool more = units.count == SCAN_UNITS;

        MN_TRY(mn_index_add_passages(&units, arena, &searched, err));
        MN_TRY(world->search->ops->apply(world->search, partition, reset, searched.item,
                                         searched.count, NULL, 0, more ? "" : start.text, err));
        if (!more)
            return MNEME_OK;
        reset = false;
        mn_buf_reset(&after);
        mn_buf_text(&after, units.item[units.count - 1].id);
        if (after.failed)
            return mn_fail_memory(err);
    }
}

bool mn_index_holds_erasure(const struct mn_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->item[i].kind == MN_CHANGE_ERASE)
            return true;
    return false;
}

enum mneme_status mn_index_changed_units(const struct mn_changes *changes, struct mn_arena *arena,
                                         const char ***ret_ids, size_t *ret_count,
                                         struct mneme_error *err)
{
    const char **ids = mn_arena_array(arena, const char *, changes->count + 1);
    size_t count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < changes->count; i++) {
        const struct mn_change *c = &changes->item[i];
        bool seen = false;

        if (c->kind != MN_CHANGE_MEMORY && c->kind != MN_CHANGE_EVENT &&
            c->kind != MN_CHANGE_VECTOR)
            continue;
        /* A memory and its vector change side by side: looking a few back finds the repetition. */
        for (size_t b = count; b > 0 && count - b < 4 && !seen; b--)
            seen = !strcmp(ids[b - 1], c->id);
        if (!seen)
            ids[count++] = c->id;
    }
    *ret_ids = ids;
    *ret_count = count;
    return MNEME_OK;
}

static enum mneme_status apply_changes(struct mn_world *world, struct mn_partition partition,
                                       const struct mn_changes *changes, struct mn_arena *arena,
                                       struct mneme_error *err)
{
    struct mn_units units = { 0 };
    const char **ids = NULL;
    size_t id_count = 0;

    MN_TRY(mn_index_changed_units(changes, arena, &ids, &id_count, err));
    if (id_count)
        MN_TRY(world->store->ops->units_get(world->store, partition, ids, id_count,
                                            mn_index_profile(world), arena, &units, err));
    MN_TRY(mn_index_add_passages(&units, arena, &units, err));
    /* Those asked for and not given have left. Dropping comes first, so dropping all is right. */
    return world->search->ops->apply(world->search, partition, false, units.item, units.count, ids,
                                     id_count, changes->next.text, err);
}

/* Under the building lock. */
static enum mneme_status bring_up(struct mn_world *world, struct mn_partition partition,
                                  const char *target, struct mn_arena *arena,
                                  struct mneme_error *err)
{
    const char *position = NULL;

    enum mneme_status status =
        world->search->ops->position(world->search, partition, arena, &position, err);
    if (status == MNEME_NOT_FOUND) {
        struct mneme_error ignored;

        if (mn_index_load_segment(world, partition, &ignored) != MNEME_OK)
            return build(world, partition, err);
        status = world->search->ops->position(world->search, partition, arena, &position, err);
    }
    MN_TRY(status);
    while (strcmp(position, target)) {
        MN_ARENA_AUTO scratch = mn_arena_new(ARENA_BYTES_MAX);
        struct mn_changes changes = { 0 };
        struct mn_cursor cursor;

        if (!scratch)
            return mn_fail_memory(err);
        snprintf(cursor.text, sizeof cursor.text, "%s", position);
        MN_TRY(world->store->ops->changes_after(world->store, &partition, &cursor, CHANGES_AT_ONCE,
                                                scratch, &changes, err));
        if (changes.too_old || mn_index_holds_erasure(&changes)) {
            mn_recent_clear(world->recent); /* another process may have erased */
            return build(world, partition, err);
        }
        MN_TRY(apply_changes(world, partition, &changes, scratch, err));
        if (!changes.more)
            break;
        MN_TRY(world->search->ops->position(world->search, partition, arena, &position, err));
    }
    return MNEME_OK;
}

static bool stands_at(struct mn_world *world, struct mn_partition partition, const char *target,
                      struct mn_arena *arena)
{
    const char *at = NULL;
    struct mneme_error ignored;

    return world->search->ops->position(world->search, partition, arena, &at, &ignored) ==
               MNEME_OK &&
           !strcmp(at, target);
}

/* ---- the own partition and the shared one ---- */

static enum mneme_status only_of(const struct mn_changes *all, struct mn_partition partition,
                                 struct mn_arena *arena, struct mn_changes *ret_changes,
                                 struct mneme_error *err)
{
    struct mn_changes only = { .item = mn_arena_array(arena, struct mn_change, all->count + 1),
                               .next = all->next };

    if (!only.item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < all->count; i++)
        if (mn_same(all->item[i].partition.tenant, partition.tenant) &&
            mn_same(all->item[i].partition.owner, partition.owner))
            only.item[only.count++] = all->item[i];
    *ret_changes = only;
    return MNEME_OK;
}

/* Both are mostly at one position, and little has changed since: that is read once. *ret_done: they have
 * what there was. */
static enum mneme_status bring_up_together(struct mn_world *world,
                                           const struct mn_partition partitions[2],
                                           struct mn_arena *arena, bool *ret_done,
                                           struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(ARENA_BYTES_MAX);
    const char *position = NULL;
    struct mn_changes changes = { 0 }, only = { 0 };
    struct mn_cursor cursor;
    struct mneme_error ignored;

    *ret_done = false;
    if (mn_same(partitions[0].owner, partitions[1].owner) ||
        world->search->ops->position(world->search, partitions[0], arena, &position, &ignored) !=
            MNEME_OK ||
        !stands_at(world, partitions[1], position, arena))
        return MNEME_OK;
    if (!scratch)
        return mn_fail_memory(err);
    snprintf(cursor.text, sizeof cursor.text, "%s", position);
    MN_TRY(world->store->ops->changes_after(world->store, NULL, &cursor, CHANGES_TOGETHER, scratch,
                                            &changes, err));
    if (changes.too_old || changes.more || mn_index_holds_erasure(&changes))
        return MNEME_OK;
    for (int i = 0; i < 2; i++) {
        MN_TRY(only_of(&changes, partitions[i], scratch, &only, err));
        MN_TRY(apply_changes(world, partitions[i], &only, scratch, err));
    }
    *ret_done = true;
    return MNEME_OK;
}

static enum mneme_status bring_up_each(struct mn_world *world,
                                       const struct mn_partition partitions[2], const char *target,
                                       struct mn_arena *arena, struct mneme_error *err)
{
    bool done = false;

    MN_TRY(bring_up_together(world, partitions, arena, &done, err));
    for (int i = 0; i < 2 && !done; i++)
        if (!stands_at(world, partitions[i], target, arena))
            MN_TRY(bring_up(world, partitions[i], target, arena, err));
    return MNEME_OK;
}

bool mn_index_is_current(struct mn_world *world, const struct mn_access *access,
                         struct mn_arena *arena, const char **ret_position)
{
    const struct mn_partition own = { access->tenant, access->user };
    const struct mn_partition shared = { access->tenant, "" };
    struct mn_cursor target;
    struct mneme_error ignored;

    if (world->store->ops->position(world->store, &target, &ignored) != MNEME_OK ||
        !stands_at(world, own, target.text, arena) || !stands_at(world, shared, target.text, arena))
        return false;
    const char *position = mn_arena_copy(arena, target.text);
    if (!position)
        return false;
    *ret_position = position;
    return true;
}

enum mneme_status mn_index_catch_up(struct mn_world *world, const struct mn_access *access,
                                    struct mn_arena *arena, const char **ret_position,
                                    struct mneme_error *err)
{
    const struct mn_partition partitions[2] = { { access->tenant, access->user },
                                                { access->tenant, "" } };
    struct mn_cursor target;

    MN_TRY(world->store->ops->position(world->store, &target, err));
    char *position = mn_arena_copy(arena, target.text);
    if (!position)
        return mn_fail_memory(err);

    if (!stands_at(world, partitions[0], target.text, arena) ||
        !stands_at(world, partitions[1], target.text, arena)) {
        /* Who has the writer in hand lets go of it before he waits. */
        bool let_go = pthread_mutex_trylock(&world->index->building) != 0;

        if (let_go) {
            world->store->ops->reads_end(world->store);
            pthread_mutex_lock(&world->index->building);
            world->store->ops->state_begin(world->store);
        }
        enum mneme_status status = bring_up_each(world, partitions, target.text, arena, err);
        if (let_go)
            world->store->ops->reads_end(world->store);
        pthread_mutex_unlock(&world->index->building);
        MN_TRY(status);
    }
    *ret_position = position;
    return MNEME_OK;
}
