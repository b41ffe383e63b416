/*
 * correct.c - a memory is changed by hand, or withdrawn.
 *
 * The row is read, changed and written over itself, its former state kept in the history; whoever wrote
 * in between makes it fail. A withdrawal is a change of status, so that it can be taken back.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/str.h"
#include "index/index.h"
#include "memory/record.h"
#include "remember/draft.h"
#include "store/store.h"
#include "text/passages.h"

/* ---- a correction ---- */

static enum mneme_status read_former(struct mn_world *world, const char *tenant_id,
                                     const char *user_id, const char *memory_id,
                                     const struct mneme_change *change, struct mn_arena *arena,
                                     struct mn_row *ret_row, struct mneme_error *err)
{
    struct mn_row row;

    MN_TRY(world->store->ops->memory_get(world->store,
                                         (struct mn_partition){ tenant_id, mn_or_empty(user_id) },
                                         memory_id, arena, &row, err));
    if (change->if_revision && change->if_revision != row.memory.revision)
        return mn_fail(err, MNEME_CONFLICT,
                       "revision: the row has %lld, not %lld: read it again and retry",
                       (long long)row.memory.revision, (long long)change->if_revision);
    *ret_row = row;
    return MNEME_OK;
}

/* Writes `row` over the former one; updated_at moves only with content, value, validity or status.
 * request_key: kept with what it was answered; "": none. */
static enum mneme_status replace(struct mn_world *world, const struct mneme_memory *former,
                                 struct mneme_memory *row, const char *request_key,
                                 const struct mneme_change *change,
                                 struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct mn_written written[2];
    bool same = mn_memory_same_row(former, row) && former->version == row->version &&
                former->confirmed_at_ms == row->confirmed_at_ms;
    bool moved = strcmp(former->content, row->content) || strcmp(former->value, row->value) ||
                 former->valid_from_ms != row->valid_from_ms ||
                 former->valid_until_ms != row->valid_until_ms || former->status != row->status;

    row->created_at_ms = former->created_at_ms;
    row->updated_at_ms = moved ? mn_change_now(world, change) : former->updated_at_ms;
    struct mn_request_row request = { .partition = mn_partition_of(row),
                                      .key = request_key,
                                      .outcome = same ? MNEME_UNCHANGED : MNEME_UPDATED,
                                      .id = row->id,
                                      .revision = former->revision + !same };
    struct mn_write writes[] = { { .kind = MN_WRITE_MEMORY,
                                   .expected_revision = former->revision,
                                   .memory = row,
                                   .forgets = true },
                                 { .kind = MN_WRITE_REQUEST, .request = &request } };
    const struct mn_commit commit = { .write = writes,
                                      .count = mn_empty(request_key) ? 1 : 2,
                                      .actor = mn_or_empty(change->actor),
                                      .reason = mn_or_empty(change->reason),
                                      .now_ms = mn_change_now(world, change),
                                      .own_links = !change->admin };

    MN_TRY(mn_store_commit_one(world->store, &commit, written, err));
    mn_receipt_fill(ret_receipt, written[0].unchanged ? MNEME_UNCHANGED : MNEME_UPDATED, row->id,
                    written[0].revision);
    if (strcmp(former->content, row->content))
        ret_receipt->parts = mn_text_passage_count(strlen(row->content));
    return MNEME_OK;
}

/* A key that was read from the former words is read again from the new ones; what was given by hand
 * stays. */
static void read_key_again(struct mneme_memory *draft, const struct mneme_memory *former,
                           struct mn_arena *arena)
{
    struct mn_keyed was, is;

    if (mn_empty(former->memory_key) || mn_same(draft->content, former->content) ||
        !mn_same(draft->memory_key, former->memory_key) ||
        !(mn_empty(draft->value) || mn_same(draft->value, former->value)) ||
        !mn_key_of(arena, former->content, &was) || !mn_same(was.key, former->memory_key))
        return;
    if (!mn_key_of(arena, draft->content, &is))
        is = (struct mn_keyed){ "", "", false };
    draft->memory_key = is.key;
    draft->value = is.value;
}

/* A row that comes back must not stand beside another that answers its key now. */
static enum mneme_status check_key_free(struct mn_world *world, const struct mneme_memory *former,
                                        const struct mneme_memory *row, struct mn_arena *arena,
                                        struct mneme_error *err)
{
    struct mn_rows alike = { 0 };
    struct mn_alike_mark mark;

    if (row->status != MNEME_ACTIVE || former->status == MNEME_ACTIVE || mn_empty(row->memory_key))
        return MNEME_OK;
    MN_TRY(world->store->ops->memories_alike(world->store, row, arena, &alike, &mark, err));
    for (size_t i = 0; i < alike.count; i++) {
        const struct mneme_memory *other = &alike.item[i].memory;

        if (mn_same(other->memory_key, row->memory_key) && !mn_same(other->id, row->id))
            return mn_fail(err, MNEME_CONFLICT,
                           "status: %.200s answers %.100s now; withdraw it first, or remember the "
                           "former words again",
                           other->id, row->memory_key);
    }
    return MNEME_OK;
}

/* The draft was checked. */
static enum mneme_status edit_once(struct mn_world *world, struct mneme_memory draft,
                                   const char *request_key, const struct mneme_change *change,
                                   struct mn_arena *arena, struct mneme_receipt *ret_receipt,
                                   struct mneme_error *err)
{
    struct mneme_receipt receipt = { 0 };
    struct mneme_error ignored;
    struct mneme_memory row;
    struct mn_row former;

    MN_TRY(read_former(world, draft.tenant_id, draft.user_id, draft.id, change, arena, &former,
                       err));
    read_key_again(&draft, &former.memory, arena);
    if (draft.sensitivity == MNEME_SENSITIVITY_NONE) /* rules may have chosen it */
        draft.sensitivity = former.memory.sensitivity;
    MN_TRY(mn_guard_secrets(&draft, change->allow_secrets, err));
    MN_TRY(mn_memory_complete(&draft, mn_change_now(world, change), arena, &row, err));
    /* What was revoked and stays as it is asks for nothing: revoking it again needs no grant. */
    if (former.memory.status == MNEME_REVOKED && mn_memory_same_row(&former.memory, &row)) {
        mn_receipt_fill(ret_receipt, MNEME_UNCHANGED, former.memory.id, former.memory.revision);
        return MNEME_OK;
    }
    MN_TRY(mn_authorise(&row, &former.memory, change->admin, err));
    MN_TRY(check_key_free(world, &former.memory, &row, arena, err));
    MN_TRY(replace(world, &former.memory, &row, request_key, change, &receipt, err));
    if (!change->without_embedding) /* what does not come now comes later */
        mn_index_embed_units(world, mn_partition_of(&row), &row.id, 1, &ignored);
    *ret_receipt = receipt;
    return MNEME_OK;
}

enum mneme_status mn_remember_edit(struct mn_world *world, const struct mneme_memory *memory,
                                   const struct mneme_change *change, struct mn_arena *arena,
                                   struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct mneme_memory draft;
    struct mneme_error failed;
    const char *key = NULL;
    bool answered = false;

    MN_TRY(mn_memory_adopt(memory, &draft, err));
    if (mn_empty(draft.id))
        return mn_fail(err, MNEME_INVALID, "id: which memory is to be changed?");
    MN_TRY(mn_memory_check(&draft, err));
    MN_TRY(mn_request_key("edit", change, 0, arena, &key, err));
    MN_TRY(mn_request_answered(world, mn_partition_of(&draft), key, change, arena, ret_receipt,
                               &answered, err));
    if (answered)
        return MNEME_OK;
    enum mneme_status status = edit_once(world, draft, key, change, arena, ret_receipt, &failed);
    if (status == MNEME_CONFLICT && *key) /* somebody was faster with the same call? */
        MN_TRY(mn_request_answered(world, mn_partition_of(&draft), key, change, arena, ret_receipt,
                                   &answered, err));
    if (status != MNEME_OK && !answered && err)
        *err = failed;
    return answered ? MNEME_OK : status;
}

/* ---- a withdrawal ---- */

enum mneme_status mn_remember_forget(struct mn_world *world, const char *tenant_id,
                                     const char *user_id, const char *memory_id,
                                     const struct mneme_change *change, struct mn_arena *arena,
                                     struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct mneme_receipt receipt = { 0 };
    struct mneme_memory row;
    struct mn_row former;

    MN_TRY(read_former(world, tenant_id, user_id, memory_id, change, arena, &former, err));
    if (former.memory.status == MNEME_REVOKED) { /* withdrawn already, and for good */
        mn_receipt_fill(ret_receipt, MNEME_UNCHANGED, former.memory.id, former.memory.revision);
        return MNEME_OK;
    }
    MN_TRY(mn_authorise(&former.memory, &former.memory, change->admin, err));
    row = former.memory;
    row.status = MNEME_DELETED;
    MN_TRY(replace(world, &former.memory, &row, "", change, &receipt, err));
    *ret_receipt = receipt;
    return MNEME_OK;
}
