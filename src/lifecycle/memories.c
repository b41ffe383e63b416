/*
 * memories.c - pieces of the jobs that go over memories: decay, review, expiry.
 *
 * Each writes only rows that are another than before, and each row in a group of its own: one that was
 * changed or erased since it was read is left to the next run.
 */
#include <string.h>

#include "base/array.h"
#include "lifecycle/age.h"
#include "lifecycle/jobs.h"

#define ROWS 250 /* of one piece */

enum mneme_status mn_piece_walk(struct mn_piece *piece, struct mn_rows *ret_rows,
                                struct mneme_error *err)
{
    MN_TRY(piece->world->store->ops->memories_after(piece->world->store, &piece->after, ROWS,
                                                    piece->arena, ret_rows, err));
    piece->looked += (int64_t)ret_rows->count;
    piece->ended = ret_rows->count < ROWS;
    if (ret_rows->count > 0) {
        const struct mneme_memory *last = &ret_rows->item[ret_rows->count - 1].memory;

        piece->after = (struct mn_unit_place){ false, last->tenant_id, last->user_id, last->id };
    }
    return MNEME_OK;
}

/* ---- decay ---- */

static enum mneme_status add_confidence(struct mn_piece *piece, const struct mn_row *row,
                                        double confidence, struct mneme_error *err)
{
    struct mneme_usage *usage = mn_arena_one(piece->arena, struct mneme_usage);
    struct mn_write *write = mn_arena_one(piece->arena, struct mn_write);

    if (!usage || !write)
        return mn_fail_memory(err);
    *usage = (struct mneme_usage){ .tenant_id = row->memory.tenant_id,
                                   .memory_id = row->memory.id,
                                   .confidence = confidence,
                                   .confidence_computed_at_ms = piece->now_ms };
    *write = (struct mn_write){ .kind = MN_WRITE_USAGE_ADD, .usage = usage };
    return mn_piece_add(piece, write, 1, "", err);
}

enum mneme_status mn_piece_decay(struct mn_piece *piece, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };

    MN_TRY(mn_piece_walk(piece, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        double confidence = mn_age_confidence(&rows.item[i], piece->now_ms);

        if (mn_age_moved(rows.item[i].confidence, confidence))
            MN_TRY(add_confidence(piece, &rows.item[i], confidence, err));
    }
    return MNEME_OK;
}

/* ---- review ---- */

static enum mneme_status add_importance(struct mn_piece *piece, const struct mn_row *row,
                                        double importance, struct mneme_error *err)
{
    struct mneme_memory *memory = mn_arena_one(piece->arena, struct mneme_memory);
    struct mn_review *review = mn_arena_one(piece->arena, struct mn_review);
    struct mn_write *writes = mn_arena_array(piece->arena, struct mn_write, 2);
    double base = mn_age_importance_base(row);

    if (!memory || !review || !writes)
        return mn_fail_memory(err);
    *memory = row->memory;
    memory->importance = importance;
    *review = (struct mn_review){ memory->tenant_id, memory->id,
                                  importance == base ? -1.0 : base };
    writes[0] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                   .expected_revision = memory->revision,
                                   .memory = memory };
    writes[1] = (struct mn_write){ .kind = MN_WRITE_REVIEW, .review = review };
    return mn_piece_add(piece, writes, 2, "importance follows use", err);
}

enum mneme_status mn_piece_review(struct mn_piece *piece, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };

    MN_TRY(mn_piece_walk(piece, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        double importance = mn_age_importance(&rows.item[i], piece->now_ms);

        if (importance != rows.item[i].memory.importance)
            MN_TRY(add_importance(piece, &rows.item[i], importance, err));
    }
    return MNEME_OK;
}

/* ---- expiry ---- */

/* Has another memory taken its place? */
static enum mneme_status is_replaced(struct mn_piece *piece, const struct mneme_memory *memory,
                                     bool *ret_replaced, struct mneme_error *err)
{
    const char *scope = memory->scope_id;
    const struct mn_access access = {
        .tenant = memory->tenant_id,
        .user = memory->user_id,
        .agent = memory->agent_id,
        .session = memory->scope_kind == MNEME_SCOPE_SESSION ? scope : "",
        .task = memory->scope_kind == MNEME_SCOPE_TASK ? scope : "",
        .project = memory->scope_kind == MNEME_SCOPE_PROJECT ? scope : "",
        .repository = memory->scope_kind == MNEME_SCOPE_REPO ? scope : "",
        .clearance = MNEME_SECRET,
        .at_ms = piece->now_ms,
    };
    struct mn_rows rows = { 0 };

    MN_TRY(piece->world->store->ops->memories_successors(piece->world->store, &access, &memory->id,
                                                         1, piece->arena, &rows, err));
    *ret_replaced = rows.count > 0;
    return MNEME_OK;
}

/* What has expired is forgotten, as by hand: out of every index, its row kept in the history. What was
 * to hold until its successor does is superseded by now. */
enum mneme_status mn_piece_expire(struct mn_piece *piece, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };

    MN_TRY(piece->world->store->ops->memories_ended(piece->world->store, piece->now_ms, ROWS,
                                                    piece->arena, &rows, err));
    piece->looked += (int64_t)rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        struct mneme_memory *memory = mn_arena_one(piece->arena, struct mneme_memory);
        struct mn_write *write = mn_arena_one(piece->arena, struct mn_write);

        bool replaced = false;

        if (!memory || !write)
            return mn_fail_memory(err);
        *memory = rows.item[i].memory;
        MN_TRY(is_replaced(piece, memory, &replaced, err));
        memory->status = replaced ? MNEME_SUPERSEDED : MNEME_DELETED;
        memory->updated_at_ms = piece->now_ms;
        *write = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                    .expected_revision = memory->revision,
                                    .memory = memory };
        MN_TRY(mn_piece_add(piece, write, 1, "its validity has ended", err));
    }
    return MNEME_OK;
}
