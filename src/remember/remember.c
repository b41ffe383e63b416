/*
 * remember.c - the write path of one memory, of a correction, of a withdrawal, and of a turn.
 *
 * Every way in is the same short walk: check, classify, authorise, look for secrets, complete, see
 * whether it is there already, commit, embed. Rows to load as they are (records.c) skip only the
 * look-up of duplicates. The commit is durable when it returns; the embedding follows it and may fail
 * without taking the memory back: the text is found by its words at once, and the vector comes with
 * the next mneme_run_due().
 */
#include "remember/remember.h"

#include <string.h>

#include "base/array.h"
#include "index/index.h"
#include "memory/record.h"
#include "store/store.h"

static int64_t change_now(const struct mn_world *world, const struct mneme_change *change)
{
    return change->now_ms ? change->now_ms : world->now_ms();
}

/* Commits writes that stand or fall together. */
static enum mneme_status commit_all(struct mn_world *world, const struct mn_write *writes,
                                    size_t count, const struct mneme_change *change,
                                    struct mn_arena *arena, struct mn_written **ret_written,
                                    struct mneme_error *err)
{
    struct mn_written *written = mn_arena_array(arena, struct mn_written, count);
    struct mn_commit commit = {
        .write = writes,
        .count = count,
        .actor = mn_or_empty(change->actor),
        .reason = mn_or_empty(change->reason),
        .now_ms = change_now(world, change),
    };
    struct mn_commit_result result = { .written = written };

    if (!written)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->commit(world->store, &commit, 1, &result, err));
    if (result.status != MNEME_OK) {
        if (err)
            *err = result.error;
        return result.status;
    }
    *ret_written = written;
    return MNEME_OK;
}

/* The memory is stored; a vector that does not come now comes later. */
static void embed_now(struct mn_world *world, const struct mneme_change *change,
                      struct mn_partition partition, const char *const *ids, size_t count)
{
    struct mneme_error ignored;

    if (!change->without_embedding)
        mn_index_embed_units(world, partition, ids, count, &ignored);
}

static void fill_receipt(struct mneme_receipt *receipt, enum mneme_outcome outcome, const char *id,
                         int64_t revision)
{
    receipt->outcome = outcome;
    receipt->revision = revision;
    strncpy(receipt->id, id, sizeof receipt->id - 1);
    receipt->id[sizeof receipt->id - 1] = '\0';
}

/* ---- one memory ---- */

static bool list_has(const struct mneme_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->item[i], text))
            return true;
    return false;
}

/* Evidence that the row does not have yet is appended; false when there is none. */
static enum mneme_status join_provenance(struct mneme_memory *row, const struct mneme_list *more,
                                         struct mn_arena *arena, bool *ret_grew,
                                         struct mneme_error *err)
{
    const char **joined =
        mn_arena_array(arena, const char *, row->provenance.count + more->count + 1);
    size_t count = row->provenance.count;

    if (!joined)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        joined[i] = row->provenance.item[i];
    for (size_t i = 0; i < more->count; i++)
        if (!list_has(&row->provenance, more->item[i]))
            joined[count++] = more->item[i];
    *ret_grew = count > row->provenance.count;
    row->provenance = (struct mneme_list){ joined, count };
    return MNEME_OK;
}

/* The text is there already: independent evidence raises its confidence, repetition changes nothing. */
static enum mneme_status confirm(struct mn_world *world, const struct mn_row *there,
                                 const struct mneme_memory *again,
                                 const struct mneme_change *change, struct mn_arena *arena,
                                 struct mneme_receipt *receipt, struct mneme_error *err)
{
    struct mneme_memory row = there->memory;
    struct mn_written *written = NULL;
    bool grew = false;

    MN_TRY(join_provenance(&row, &again->provenance, arena, &grew, err));
    if (!grew) {
        fill_receipt(receipt, MNEME_CONFIRMED, row.id, row.revision);
        return MNEME_OK;
    }
    row.confidence = row.confidence + 0.1 > 1.0 ? 1.0 : row.confidence + 0.1;
    row.confirmed_at_ms = change_now(world, change);
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = there->memory.revision,
                              .memory = &row };
    MN_TRY(commit_all(world, &write, 1, change, arena, &written, err));
    fill_receipt(receipt, MNEME_CONFIRMED, row.id, written[0].revision);
    return MNEME_OK;
}

enum mneme_status mn_remember(struct mn_world *world, const struct mneme_memory *memory,
                              const struct mneme_change *change, struct mn_arena *arena,
                              struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct mneme_memory draft, row;
    struct mneme_receipt receipt = { 0 };
    struct mn_written *written = NULL;
    struct mn_rows same = { 0 };

    MN_TRY(mn_memory_adopt(memory, &draft, err));
    mn_classify(&draft);
    MN_TRY(mn_memory_check(&draft, err));
    MN_TRY(mn_authorise(&draft, NULL, change->admin, err));
    MN_TRY(mn_guard_secrets(&draft, change->allow_secrets, err));
    MN_TRY(mn_memory_complete(&draft, change_now(world, change), arena, &row, err));
    if (row.authority == MNEME_MODEL_INFERENCE && row.confidence > 0.9 && !row.confirmed_at_ms)
        row.confidence = 0.9;

    if (mn_empty(memory->id)) {
        MN_TRY(world->store->ops->memories_by_hash(world->store, &row, arena, &same, err));
        if (same.count) {
            MN_TRY(confirm(world, &same.item[0], &row, change, arena, &receipt, err));
            *ret_receipt = receipt;
            return MNEME_OK;
        }
    }
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_NEW,
                              .memory = &row };
    MN_TRY(commit_all(world, &write, 1, change, arena, &written, err));
    fill_receipt(&receipt, MNEME_INSERTED, row.id, written[0].revision);
    embed_now(world, change, (struct mn_partition){ row.tenant_id, row.user_id }, &row.id, 1);
    *ret_receipt = receipt;
    return MNEME_OK;
}

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

/* Writes `row` over the former one; updated_at moves only with content, value, validity or status. */
static enum mneme_status replace(struct mn_world *world, const struct mneme_memory *former,
                                 struct mneme_memory *row, const struct mneme_change *change,
                                 struct mn_arena *arena, struct mneme_receipt *ret_receipt,
                                 struct mneme_error *err)
{
    struct mn_written *written = NULL;
    bool moved = strcmp(former->content, row->content) || strcmp(former->value, row->value) ||
                 former->valid_from_ms != row->valid_from_ms ||
                 former->valid_until_ms != row->valid_until_ms || former->status != row->status;

    row->created_at_ms = former->created_at_ms;
    row->updated_at_ms = moved ? change_now(world, change) : former->updated_at_ms;
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = former->revision,
                              .memory = row };
    MN_TRY(commit_all(world, &write, 1, change, arena, &written, err));
    fill_receipt(ret_receipt, written[0].unchanged ? MNEME_UNCHANGED : MNEME_UPDATED, row->id,
                 written[0].revision);
    return MNEME_OK;
}

enum mneme_status mn_remember_edit(struct mn_world *world, const struct mneme_memory *memory,
                                   const struct mneme_change *change, struct mn_arena *arena,
                                   struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct mneme_memory draft, row;
    struct mneme_receipt receipt = { 0 };
    struct mn_row former;

    MN_TRY(mn_memory_adopt(memory, &draft, err));
    if (mn_empty(draft.id))
        return mn_fail(err, MNEME_INVALID, "id: which memory is to be changed?");
    MN_TRY(mn_memory_check(&draft, err));
    MN_TRY(read_former(world, draft.tenant_id, draft.user_id, draft.id, change, arena, &former,
                       err));
    MN_TRY(mn_guard_secrets(&draft, change->allow_secrets, err));
    MN_TRY(mn_memory_complete(&draft, change_now(world, change), arena, &row, err));
    MN_TRY(mn_authorise(&row, &former.memory, change->admin, err));
    MN_TRY(replace(world, &former.memory, &row, change, arena, &receipt, err));
    embed_now(world, change, (struct mn_partition){ row.tenant_id, row.user_id }, &row.id, 1);
    *ret_receipt = receipt;
    return MNEME_OK;
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
    MN_TRY(mn_authorise(&former.memory, &former.memory, change->admin, err));
    row = former.memory;
    row.status = MNEME_DELETED;
    MN_TRY(replace(world, &former.memory, &row, change, arena, &receipt, err));
    *ret_receipt = receipt;
    return MNEME_OK;
}
