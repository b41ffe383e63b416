/*
 * missing.c - vectors that nobody waits for: brought up to the store's position, piece by piece.
 *
 * The vectors of a profile are an index that lies in the store, with a position there. Behind it
 * the changes say which units to look at; standing where the store stands there is nothing to do,
 * and nothing is read. A profile that is new here, or was away for longer than changes are kept,
 * begins with a walk over all units, in order, at whose end the position is the one that the walk
 * began at. Killed on the way, the next walk passes quickly over what has its vector. Meanwhile
 * recall uses the vectors that are there: a profile's own, never another's.
 *
 * A turn whose vector is there and the codes of its tokens are not is embedded again. Behind the
 * changes both are looked for. The codes of a profile have a position too, which says no more than
 * that the walk for them is over: it goes over the turns that lack them, after that for the vectors.
 *
 * A text that the model refuses is counted and passed over, tried again after a minute, two, four
 * ... and left alone after PARKED_AFTER times; mn_index_parked() tells how many. A model that does
 * not answer at all stops the work where it is.
 */
#include <string.h>

#include "base/str.h"
#include "index/index.h"
#include "index/state.h"
#include "model/model.h"

#define PARKED_AFTER 5
#define ARENA_BYTES_MAX ((size_t)256 << 20)

/* ---- how far it has come ---- */

static enum mneme_status put_row(struct mn_world *world, const struct mn_index_row *row,
                                 struct mneme_error *err)
{
    struct mn_write write = { .kind = MN_WRITE_INDEX, .index = row };
    struct mn_written written;
    struct mn_commit commit = { .write = &write, .count = 1, .now_ms = world->now_ms() };

    return mn_store_commit_one(world->store, &commit, &written, err);
}

static enum mneme_status move_to(struct mn_world *world, const char *index,
                                 const struct mn_cursor *cursor, struct mneme_error *err)
{
    const struct mn_index_row row = { .index = index, .cursor = cursor->text };

    return put_row(world, &row, err);
}

/* ---- behind the changes ---- */

/* Which of the units lack something; those that do, in front. */
static enum mneme_status find_lacking(struct mn_world *world, struct mn_partition partition,
                                      struct mn_units *units, struct mn_arena *arena,
                                      struct mneme_error *err)
{
    const char *tokens = mn_index_tokens_profile(world);
    struct mn_str *codes = mn_arena_array(arena, struct mn_str, units->count + 1);
    const char **ids = mn_arena_array(arena, const char *, units->count + 1);
    size_t lacking = 0;

    if (!codes || !ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < units->count; i++)
        ids[i] = units->item[i].id;
    if (tokens[0])
        MN_TRY(world->store->ops->tokens_get(world->store, partition, ids, units->count,
                                             mn_index_profile(world), tokens, arena, codes, err));
    for (size_t i = 0; i < units->count; i++) {
        const struct mn_unit *unit = &units->item[i];

        if (mn_index_lacks_vectors(unit) || (tokens[0] && unit->is_event && !codes[i].at))
            units->item[lacking++] = *unit;
    }
    units->count = lacking;
    return MNEME_OK;
}

/* Units of one partition that lack a vector, or turns the codes of their tokens, are embedded. */
static enum mneme_status embed_some(struct mn_world *world, struct mn_partition partition,
                                    const char *const *ids, size_t count, struct mn_arena *arena,
                                    size_t *done, struct mneme_error *err)
{
    struct mn_units units = { 0 };
    size_t made = 0;

    if (!count)
        return MNEME_OK;
    MN_TRY(world->store->ops->units_get(world->store, partition, ids, count,
                                        mn_index_profile(world), arena, &units, err));
    MN_TRY(find_lacking(world, partition, &units, arena, err));
    MN_TRY(mn_embed_units(world, &units, mn_index_profile(world), arena, &made, err));
    *done += made;
    return MNEME_OK;
}

static bool same_partition(struct mn_partition a, struct mn_partition b)
{
    return !strcmp(a.tenant, b.tenant) && !strcmp(a.owner, b.owner);
}

static enum mneme_status embed_changed(struct mn_world *world, const struct mn_changes *changes,
                                       struct mn_arena *arena, size_t *done,
                                       struct mneme_error *err)
{
    const char **ids = mn_arena_array(arena, const char *, changes->count + 1);
    struct mn_partition partition = { "", "" };
    size_t count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < changes->count; i++) {
        const struct mn_change *c = &changes->item[i];

        if (c->kind != MN_CHANGE_MEMORY && c->kind != MN_CHANGE_EVENT)
            continue;
        if (count && !same_partition(partition, c->partition)) {
            MN_TRY(embed_some(world, partition, ids, count, arena, done, err));
            count = 0;
        }
        partition = c->partition;
        if (!count || strcmp(ids[count - 1], c->id))
            ids[count++] = c->id;
    }
    return embed_some(world, partition, ids, count, arena, done, err);
}

/* *ret_whole: at the store's position. Looks at as many changes at once as may be embedded. */
static enum mneme_status follow(struct mn_world *world, struct mn_cursor *cursor, size_t limit,
                                size_t *done, bool *ret_too_old, struct mneme_error *err)
{
    bool more = true;

    *ret_too_old = false;
    while (more && *done < limit) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        struct mn_changes changes = { 0 };

        if (!arena)
            return mn_fail_memory(err);
        MN_TRY(world->store->ops->changes_after(world->store, NULL, cursor, limit - *done, arena,
                                                &changes, err));
        *ret_too_old = changes.too_old;
        if (changes.too_old)
            return MNEME_OK;
        MN_TRY(embed_changed(world, &changes, arena, done, err));
        more = changes.more;
        if (!strcmp(cursor->text, changes.next.text))
            return MNEME_OK;
        *cursor = changes.next;
        MN_TRY(move_to(world, mn_index_profile(world), cursor, err));
    }
    return MNEME_OK;
}

/* ---- over all units ---- */

static void end_walk(struct mn_walk *walk)
{
    mn_arena_free(walk->arena);
    *walk = (struct mn_walk){ 0 };
}

/* Also in place of the former place. */
static enum mneme_status set_place(struct mn_walk *walk, bool is_event, const char *tenant,
                                   const char *owner, const char *id, struct mneme_error *err)
{
    struct mn_arena *arena = mn_arena_new(16384);
    const struct mn_unit_place place = { is_event, mn_arena_copy(arena, tenant),
                                         mn_arena_copy(arena, owner), mn_arena_copy(arena, id) };

    if (!place.tenant || !place.owner || !place.id) {
        mn_arena_free(arena);
        return mn_fail_memory(err);
    }
    mn_arena_free(walk->arena);
    walk->arena = arena;
    walk->after = place;
    return MNEME_OK;
}

/* For the vectors, or for the codes of turns' tokens: over what lacks a row of the profile. */
static enum mneme_status walk_on(struct mn_world *world, const char *profile, bool turns_alone,
                                 size_t limit, size_t *done, struct mneme_error *err)
{
    struct mn_walk *walk = &world->index->walk;
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_units units = { 0 };
    size_t made = 0;

    if (!arena)
        return mn_fail_memory(err);
    if (walk->for_tokens != turns_alone)
        end_walk(walk);
    if (!walk->arena) {
        MN_TRY(world->store->ops->position(world->store, &walk->start, err));
        MN_TRY(set_place(walk, turns_alone, "", "", "", err));
        walk->for_tokens = turns_alone;
    }
    MN_TRY(world->store->ops->units_without_vector(world->store, profile, &walk->after, limit,
                                                   arena, &units, err));
    MN_TRY(mn_embed_units(world, &units, mn_index_profile(world), arena, &made, err));
    *done += made;
    if (units.count == limit) {
        const struct mn_unit *last = &units.item[units.count - 1];

        return set_place(walk, last->is_event, last->memory.tenant_id, last->memory.user_id,
                         last->id, err);
    }
    MN_TRY(move_to(world, profile, &walk->start, err));
    end_walk(walk);
    return MNEME_OK;
}

/* ---- what failed before ---- */

static enum mneme_status forget_unit(struct mn_world *world, const struct mn_index_row *failed,
                                     struct mneme_error *err)
{
    struct mn_index_row row = *failed;

    row.failures = 0;
    return put_row(world, &row, err);
}

static enum mneme_status try_unit(struct mn_world *world, const struct mn_index_row *failed,
                                  size_t *done, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_units units = { 0 };
    size_t made = 0;

    MN_TRY(world->store->ops->units_get(world->store, failed->partition, &failed->unit, 1,
                                        mn_index_profile(world), arena, &units, err));
    if (units.count == 0 || !mn_index_lacks_vectors(&units.item[0]))
        return forget_unit(world, failed, err);
    MN_TRY(mn_embed_units(world, &units, mn_index_profile(world), arena, &made, err));
    *done += made;
    return MNEME_OK;
}

static enum mneme_status try_again(struct mn_world *world, size_t limit, size_t *done,
                                   struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_index_rows failed = { 0 };
    size_t parked = 0;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->index_failed(world->store, mn_index_profile(world), PARKED_AFTER,
                                           world->now_ms(), limit, arena, &failed, &parked, err));
    for (size_t i = 0; i < failed.count; i++)
        MN_TRY(try_unit(world, &failed.item[i], done, err));
    return MNEME_OK;
}

/* ---- all of it ---- */

static bool on_walk(const struct mn_world *world, bool for_tokens)
{
    const struct mn_walk *walk = &world->index->walk;

    return walk->arena && walk->for_tokens == for_tokens;
}

/* Once the vectors are there: the codes of tokens of turns that were embedded without. */
static enum mneme_status tokens_missing(struct mn_world *world, size_t limit, size_t *done,
                                        struct mneme_error *err)
{
    const char *tokens = mn_index_tokens_profile(world);
    struct mn_cursor cursor;

    if (!tokens[0])
        return MNEME_OK;
    MN_TRY(world->store->ops->index_position(world->store, tokens, &cursor, err));
    return cursor.text[0] ? MNEME_OK : walk_on(world, tokens, true, limit - *done, done, err);
}

static enum mneme_status embed_missing(struct mn_world *world, size_t limit, size_t *done,
                                       struct mneme_error *err)
{
    struct mn_cursor cursor;
    bool too_old = false;

    MN_TRY(try_again(world, limit, done, err));
    MN_TRY(world->store->ops->index_position(world->store, mn_index_profile(world), &cursor, err));
    if (*done < limit && cursor.text[0] && !on_walk(world, false))
        MN_TRY(follow(world, &cursor, limit, done, &too_old, err));
    if (*done < limit && (!cursor.text[0] || too_old || on_walk(world, false)))
        MN_TRY(walk_on(world, mn_index_profile(world), false, limit - *done, done, err));
    return *done < limit && !on_walk(world, false) ? tokens_missing(world, limit, done, err)
                                                   : MNEME_OK;
}

enum mneme_status mn_index_embed_missing(struct mn_world *world, size_t limit, size_t *ret_done,
                                         struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    size_t done = 0;

    if (world->model && limit) {
        (void)pthread_mutex_lock(&world->index->embedding);
        status = embed_missing(world, limit, &done, err);
        (void)pthread_mutex_unlock(&world->index->embedding);
    }
    if (status == MNEME_OK)
        *ret_done = done;
    return status;
}

enum mneme_status mn_index_parked(struct mn_world *world, size_t *ret_parked,
                                  struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(4096);
    struct mn_index_rows none = { 0 };

    *ret_parked = 0;
    if (!arena)
        return mn_fail_memory(err);
    if (!world->model)
        return MNEME_OK;
    return world->store->ops->index_failed(world->store, mn_index_profile(world), PARKED_AFTER, 0,
                                           0, arena, &none, ret_parked, err);
}

enum mneme_status mn_index_parked_units(struct mn_world *world, size_t limit,
                                        struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                        struct mneme_error *err)
{
    if (!world->model) {
        *ret_rows = (struct mn_index_rows){ 0 };
        return MNEME_OK;
    }
    return world->store->ops->index_parked(world->store, mn_index_profile(world), PARKED_AFTER,
                                           limit, arena, ret_rows, err);
}

/* One that is refused again stays parked. */
static enum mneme_status retry(struct mn_world *world, size_t *tried, size_t *done,
                               struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_index_rows parked = { 0 };

    MN_TRY(mn_index_parked_units(world, SIZE_MAX, arena, &parked, err));
    *tried = parked.count;
    for (size_t i = 0; i < parked.count; i++)
        MN_TRY(try_unit(world, &parked.item[i], done, err));
    return MNEME_OK;
}

enum mneme_status mn_index_retry_parked(struct mn_world *world, size_t *ret_tried, size_t *ret_done,
                                        struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    size_t tried = 0, done = 0;

    if (world->model) {
        (void)pthread_mutex_lock(&world->index->embedding);
        status = retry(world, &tried, &done, err);
        (void)pthread_mutex_unlock(&world->index->embedding);
    }
    if (status != MNEME_OK)
        return status;
    *ret_tried = tried;
    *ret_done = done;
    return MNEME_OK;
}
