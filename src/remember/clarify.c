/*
 * clarify.c - the answer to an open question: one of the memories holds, the others held until now.
 *
 * The one that is kept is confirmed and becomes the latest version; the others get an end and stay in
 * the history. All of it is one commit, and needs what editing each of the rows needs: nobody settles
 * a question against an administrator's word but an administrator.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/array.h"
#include "remember/draft.h"
#include "store/store.h"

struct settling {
    struct mn_world *world;
    const struct mneme_change *change;
    struct mn_arena *arena;
    struct mn_partition partition;
    int64_t now_ms;
    struct {
        struct mneme_memory *item; /* as they shall be, the kept one first */
        size_t count, room;
    } rows;
};

static enum mneme_status find_question(const struct settling *s, const char *id,
                                       const struct mn_clarification **ret_question,
                                       struct mneme_error *err)
{
    struct mn_clarifications open = { 0 };

    MN_TRY(s->world->store->ops->clarifications(s->world->store, s->partition, s->arena, &open,
                                                err));
    for (size_t i = 0; i < open.count; i++) {
        if (!mn_same(open.item[i].id, id))
            continue;
        *ret_question = &open.item[i];
        return MNEME_OK;
    }
    return mn_fail(err, MNEME_NOT_FOUND, "id: there is no open question %.200s", id);
}

/* One that was erased or withdrawn meanwhile is no rival any more. *ret_row: NULL then. */
static enum mneme_status read_active(struct settling *s, const char *id,
                                     struct mneme_memory **ret_row, struct mneme_error *err)
{
    struct mn_row row;
    enum mneme_status status = s->world->store->ops->memory_get(s->world->store, s->partition, id,
                                                                s->arena, &row, err);

    *ret_row = NULL;
    if (status == MNEME_NOT_FOUND ||
        (status == MNEME_OK && row.memory.status != MNEME_ACTIVE))
        return MNEME_OK;
    MN_TRY(status);
    *ret_row = mn_array_add(s->arena, &s->rows);
    if (!*ret_row)
        return mn_fail_memory(err);
    **ret_row = row.memory;
    return MNEME_OK;
}

static enum mneme_status settle_rows(struct settling *s, const struct mn_clarification *question,
                                     const char *keep_id, struct mneme_error *err)
{
    struct mneme_memory *row = NULL;
    bool named = false;

    for (size_t i = 0; i < question->memory_ids.count; i++)
        named = named || mn_same(question->memory_ids.item[i], keep_id);
    if (!named)
        return mn_fail(err, MNEME_INVALID, "keep: %.200s is none of the memories in question",
                       keep_id);
    MN_TRY(read_active(s, keep_id, &row, err));
    if (!row)
        return mn_fail(err, MNEME_INVALID, "keep: %.200s is not active any more", keep_id);
    for (size_t i = 0; i < question->memory_ids.count; i++) {
        if (mn_same(question->memory_ids.item[i], keep_id))
            continue;
        MN_TRY(read_active(s, question->memory_ids.item[i], &row, err));
        if (!row)
            continue;
        row->status = MNEME_SUPERSEDED;
        row->updated_at_ms = s->now_ms;
        if (!row->valid_until_ms || row->valid_until_ms > s->now_ms)
            row->valid_until_ms = s->now_ms > row->valid_from_ms ? s->now_ms
                                                                 : row->valid_from_ms + 1;
        if (s->rows.item[0].version <= row->version)
            s->rows.item[0].version = row->version + 1;
    }
    struct mneme_memory *kept = &s->rows.item[0];
    kept->confirmed_at_ms = s->now_ms;
    kept->confidence = mn_join_surer(kept->confidence);
    return MNEME_OK;
}

/* Each row as it was is what is asked whether it may be changed. */
static enum mneme_status may_settle(const struct settling *s, struct mneme_error *err)
{
    for (size_t i = 0; i < s->rows.count; i++)
        MN_TRY(mn_authorise(&s->rows.item[i], &s->rows.item[i], s->change->admin, err));
    return MNEME_OK;
}

enum mneme_status mn_remember_clarify(struct mn_world *world, struct mn_partition partition,
                                      const char *question_id, const char *keep_id,
                                      const struct mneme_change *change, struct mn_arena *arena,
                                      struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct settling s = { .world = world,
                          .change = change,
                          .arena = arena,
                          .partition = partition,
                          .now_ms = mn_change_now(world, change) };
    const struct mn_clarification *question = NULL;
    struct mn_clarification closed;
    struct mneme_receipt receipt = { .outcome = MNEME_UPDATED };

    MN_TRY(find_question(&s, question_id, &question, err));
    MN_TRY(settle_rows(&s, question, keep_id, err));
    MN_TRY(may_settle(&s, err));
    struct mn_write *writes = mn_arena_array(arena, struct mn_write, s.rows.count + 1);
    struct mn_written *written = mn_arena_array(arena, struct mn_written, s.rows.count + 1);
    if (!writes || !written)
        return mn_fail_memory(err);
    for (size_t i = 0; i < s.rows.count; i++)
        writes[i] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                       .expected_revision = s.rows.item[i].revision,
                                       .memory = &s.rows.item[i] };
    closed = *question;
    closed.resolved = true;
    writes[s.rows.count] =
        (struct mn_write){ .kind = MN_WRITE_CLARIFICATION, .clarification = &closed };

    struct mn_commit commit = { .write = writes,
                                .count = s.rows.count + 1,
                                .actor = mn_or_empty(change->actor),
                                .reason = mn_empty(change->reason) ? "clarified" : change->reason,
                                .now_ms = s.now_ms };
    MN_TRY(mn_store_commit_one(world->store, &commit, written, err));
    receipt.revision = written[0].revision;
    strncpy(receipt.id, keep_id, sizeof receipt.id - 1);
    *ret_receipt = receipt;
    return MNEME_OK;
}
