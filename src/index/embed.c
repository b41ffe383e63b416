/*
 * embed.c - vectors behind the change log.
 *
 * What has no vector of the model's profile, or one made of an older text, is embedded and committed
 * as a row of its own beside the unit; the change row that comes with it brings the vector into the
 * index. Nothing here locks the writer: a writer that waits calls mn_index_embed_units() after its own
 * commit.
 */
#include "index/index.h"

#include <string.h>

#include "base/hash.h"
#include "memory/record.h"
#include "store/store.h"

#define ARENA_BYTES_MAX ((size_t)256 << 20)
#define VECTORS_AT_ONCE 64

/* Embeds one unit into `row`; its vector and hash live in the arena. */
static enum mneme_status embed_unit(struct mn_world *world, const struct mn_unit *unit,
                                    struct mn_arena *arena, struct mn_vector_row *row,
                                    struct mneme_error *err)
{
    const char *text = NULL;
    size_t dim = world->model->profile.dim;
    float *vector = mn_arena_array(arena, float, dim);
    char *hash = mn_arena_alloc(arena, MN_SHA256_HEX_BYTES);

    if (!vector || !hash)
        return mn_fail_memory(err);
    MN_TRY(mn_memory_embed_text(&unit->memory, unit->is_event ? unit->speaker : NULL, arena, &text,
                                err));
    if (!mn_sha256_hex(text, strlen(text), hash))
        return mn_fail_memory(err);
    MN_TRY(mn_model_embed(world->model, MN_EMBED_PASSAGE, text, vector, err));
    *row = (struct mn_vector_row){
        .partition = { unit->memory.tenant_id, unit->memory.user_id },
        .unit_id = unit->id,
        .profile = world->model->profile.vectors_hash,
        .text_hash = hash,
        .dim = dim,
        .vector = vector,
    };
    return MNEME_OK;
}

static enum mneme_status commit_vectors(struct mn_world *world, const struct mn_vector_row *rows,
                                        size_t count, struct mn_arena *arena,
                                        struct mneme_error *err)
{
    struct mn_write *writes = mn_arena_array(arena, struct mn_write, count);
    struct mn_written *written = mn_arena_array(arena, struct mn_written, count);

    if (!writes || !written)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        writes[i] = (struct mn_write){ .kind = MN_WRITE_VECTOR, .vector = &rows[i] };
    struct mn_commit commit = { .write = writes, .count = count, .now_ms = world->now_ms() };
    struct mn_commit_result result = { .written = written };
    MN_TRY(world->store->ops->commit(world->store, &commit, 1, &result, err));
    if (result.status != MNEME_OK && err)
        *err = result.error;
    return result.status;
}

static enum mneme_status embed_units(struct mn_world *world, const struct mn_units *units,
                                     struct mn_arena *arena, size_t *ret_done,
                                     struct mneme_error *err)
{
    struct mneme_error first;
    enum mneme_status first_status = MNEME_OK;
    size_t done = 0;

    mn_error_clear(&first);
    for (size_t at = 0; at < units->count; at += VECTORS_AT_ONCE) {
        struct mn_vector_row rows[VECTORS_AT_ONCE];
        size_t end = at + VECTORS_AT_ONCE < units->count ? at + VECTORS_AT_ONCE : units->count;
        size_t count = 0;

        for (size_t i = at; i < end; i++) {
            struct mneme_error one;
            enum mneme_status status = embed_unit(world, &units->item[i], arena, &rows[count], &one);

            if (status == MNEME_OK) {
                count++;
            } else if (first_status == MNEME_OK) {
                first_status = status;
                first = one;
            }
        }
        if (count)
            MN_TRY(commit_vectors(world, rows, count, arena, err));
        done += count;
    }
    *ret_done = done;
    if (done || first_status == MNEME_OK)
        return MNEME_OK;
    if (err)
        *err = first;
    return first_status;
}

enum mneme_status mn_index_embed_missing(struct mn_world *world, size_t limit, size_t *ret_done,
                                         struct mneme_error *err)
{
    if (!world->model) {
        *ret_done = 0;
        return MNEME_OK;
    }
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_units units = { 0 };

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->units_without_vector(world->store, world->model->profile.vectors_hash, limit,
                                                   arena, &units, err));
    return embed_units(world, &units, arena, ret_done, err);
}

enum mneme_status mn_index_embed_units(struct mn_world *world, struct mn_partition partition,
                                       const char *const *ids, size_t count,
                                       struct mneme_error *err)
{
    if (!world->model || !count)
        return MNEME_OK;
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_units all = { 0 }, lacking = { 0 };
    size_t done = 0;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->units_get(world->store, partition, ids, count,
                                        world->model->profile.vectors_hash, arena, &all, err));
    for (size_t i = 0; i < all.count; i++)
        if (!all.item[i].vector)
            all.item[lacking.count++] = all.item[i];
    lacking.item = all.item;
    return embed_units(world, &lacking, arena, &done, err);
}
