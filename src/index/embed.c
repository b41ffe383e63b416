/*
 * embed.c - vectors behind the change log.
 *
 * What has no vector of the model's profile, or one made of an older text, is embedded and committed
 * as a row of its own beside the unit; the change row that comes with it brings the vector into the
 * index. Nothing here locks the writer: a writer that waits calls mn_index_embed_units() after its own
 * commit; for what nobody waits see missing.c.
 *
 * Of turns the codes of their tokens are kept as well, where the model gives them: they come out of
 * the same run, and go into the same commit.
 *
 * One text after the other. Considered: several in one run of the model; it takes as long (bench_import).
 */
#include "index/index.h"

#include <string.h>

#include "base/hash.h"
#include "index/state.h"
#include "memory/record.h"
#include "store/store.h"

#define ARENA_BYTES_MAX ((size_t)256 << 20)
#define VECTORS_AT_ONCE 64

/* The codes of a turn's tokens, in the arena; *ret_tokens stays NULL where there are none. */
static enum mneme_status make_vector(struct mn_world *world, const struct mn_unit *unit,
                                     enum mn_embed_kind kind, const char *text,
                                     struct mn_arena *arena, float *vector,
                                     const struct mn_str **ret_tokens, struct mneme_error *err)
{
    struct mn_str *tokens = mn_arena_one(arena, struct mn_str);
    MN_BUF_AUTO codes = { 0 };

    if (!unit->is_event || !mn_model_gives_tokens(world->model))
        return mn_model_embed(world->model, kind, text, vector, err);
    MN_TRY(mn_model_embed_tokens(world->model, kind, text, vector, &codes, err));
    if (tokens)
        *tokens = (struct mn_str){
            mn_arena_copy_n(arena, codes.at ? codes.at : "", codes.bytes), codes.bytes
        };
    if (!tokens || !tokens->at)
        return mn_fail_memory(err);
    *ret_tokens = tokens;
    return MNEME_OK;
}

/* The vectors of an item's passages, one behind the other. */
static enum mneme_status embed_passages(struct mn_world *world, const struct mn_unit *item,
                                        size_t count, struct mn_arena *arena, float *vector,
                                        struct mneme_error *err)
{
    size_t dim = world->model->profile.dim;

    for (size_t i = 1; i <= count; i++) {
        const char *text = NULL;
        struct mn_unit passage;

        MN_TRY(mn_index_passage(item, i, arena, &passage, err));
        MN_TRY(mn_memory_embed_text(&passage.memory, item->is_event ? item->speaker : NULL, arena,
                                    &text, err));
        MN_TRY(mn_model_embed(world->model, MN_EMBED_PASSAGE, text, vector + (i - 1) * dim, err));
    }
    return MNEME_OK;
}

/* Embeds one item into `row`; its vectors and hash live in the arena. Who waits for it does not wait
 * for its passages, which the background adds. */
static enum mneme_status embed_unit(struct mn_world *world, const struct mn_unit *unit,
                                    enum mn_embed_kind kind,
                                    struct mn_arena *arena, struct mn_vector_row *row,
                                    struct mneme_error *err)
{
    const struct mn_str *tokens = NULL;
    const char *text = NULL;
    size_t dim = world->model->profile.dim;
    bool whole = kind == MN_EMBED_PASSAGE;
    size_t passages = whole ? mn_index_passage_count(unit) : 0;
    float *vector = mn_arena_array(arena, float, (1 + passages) * dim);
    char *hash = mn_arena_alloc(arena, MN_SHA256_HEX_BYTES);

    if (!vector || !hash)
        return mn_fail_memory(err);
    MN_TRY(mn_memory_embed_text(&unit->memory, unit->is_event ? unit->speaker : NULL, arena, &text,
                                err));
    if (!mn_sha256_hex(text, strlen(text), hash))
        return mn_fail_memory(err);
    MN_TRY(make_vector(world, unit, kind, text, arena, vector, &tokens, err));
    if (passages)
        MN_TRY(embed_passages(world, unit, passages, arena, vector + dim, err));
    *row = (struct mn_vector_row){
        .partition = mn_partition_of(&unit->memory),
        .unit_id = unit->id,
        .profile = world->model->profile.vectors_hash,
        .text_hash = hash,
        .dim = dim,
        .vector = vector,
        .tokens_profile = world->model->profile.tokens_hash,
        .tokens = tokens,
        .passage_count = passages,
    };
    return MNEME_OK;
}

static enum mneme_status commit_rows(struct mn_world *world, const struct mn_write *writes,
                                     size_t count, struct mn_arena *arena, struct mneme_error *err)
{
    struct mn_written *written = mn_arena_array(arena, struct mn_written, count + 1);
    struct mn_commit commit = { .write = writes, .count = count, .now_ms = world->now_ms() };

    if (!written)
        return mn_fail_memory(err);
    if (!count)
        return MNEME_OK;
    return mn_store_commit_one(world->store, &commit, written, err);
}

/* One after the other: what is refused, and why first. */
struct batch {
    struct mn_vector_row vector[VECTORS_AT_ONCE];
    struct mn_index_row refused[VECTORS_AT_ONCE];
    struct mn_write write[VECTORS_AT_ONCE];
    size_t vectors, refusals, writes;
    struct mneme_error first;
};

/* The text's fault, and not the model's? */
static bool is_refusal(enum mneme_status status)
{
    return status == MNEME_INVALID || status == MNEME_LIMIT;
}

static enum mneme_status add_unit(struct mn_world *world, const struct mn_unit *unit,
                                  const char *index, struct mn_arena *arena, struct batch *batch,
                                  struct mneme_error *err)
{
    struct mn_vector_row *vector = &batch->vector[batch->vectors];
    struct mneme_error why;
    enum mneme_status status = embed_unit(
        world, unit, index ? MN_EMBED_PASSAGE : MN_EMBED_PASSAGE_AWAITED, arena, vector, &why);

    if (status == MNEME_OK) {
        batch->vectors++;
        batch->write[batch->writes++] =
            (struct mn_write){ .kind = MN_WRITE_VECTOR, .vector = vector };
        return MNEME_OK;
    }
    if (batch->first.status == MNEME_OK)
        batch->first = why;
    if (!index)
        return MNEME_OK;
    if (!is_refusal(status)) {
        if (err)
            *err = why;
        return status;
    }
    batch->refused[batch->refusals] = (struct mn_index_row){
        .index = index,
        .partition = mn_partition_of(&unit->memory),
        .unit = unit->id,
        .failures = 1,
    };
    batch->write[batch->writes++] =
        (struct mn_write){ .kind = MN_WRITE_INDEX, .index = &batch->refused[batch->refusals++] };
    return MNEME_OK;
}

enum mneme_status mn_embed_units(struct mn_world *world, const struct mn_units *units,
                                 const char *index, struct mn_arena *arena, size_t *ret_done,
                                 struct mneme_error *err)
{
    struct batch *batch = mn_arena_one(arena, struct batch);
    enum mneme_status status = MNEME_OK;
    size_t done = 0;

    if (!batch)
        return mn_fail_memory(err);
    mn_error_clear(&batch->first);
    for (size_t at = 0; status == MNEME_OK && at < units->count; at += VECTORS_AT_ONCE) {
        size_t end = at + VECTORS_AT_ONCE < units->count ? at + VECTORS_AT_ONCE : units->count;

        batch->vectors = batch->refusals = batch->writes = 0;
        for (size_t i = at; status == MNEME_OK && i < end; i++)
            status = add_unit(world, &units->item[i], index, arena, batch, err);
        MN_TRY(commit_rows(world, batch->write, batch->writes, arena, err));
        done += batch->vectors;
    }
    *ret_done = done;
    if (status != MNEME_OK || index || done || batch->first.status == MNEME_OK)
        return status;
    if (err)
        *err = batch->first;
    return batch->first.status;
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
    return mn_embed_units(world, &lacking, NULL, arena, &done, err);
}
