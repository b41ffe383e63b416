/*
 * confirm.c - somebody says that a memory is right.
 *
 * The row grows surer and its age begins anew; its text, and so updated_at, stays. It needs what
 * editing the row needs. A row that was withdrawn is not confirmed back: that is an edit.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/str.h"
#include "remember/draft.h"
#include "store/store.h"

/* The user's own, else the tenant's shared one. */
static enum mneme_status read_row(struct mn_world *world, struct mn_partition partition,
                                  const char *memory_id, struct mn_arena *arena,
                                  struct mn_row *ret_row, struct mneme_error *err)
{
    enum mneme_status status =
        world->store->ops->memory_get(world->store, partition, memory_id, arena, ret_row, err);

    if (status == MNEME_NOT_FOUND && partition.owner[0])
        status = world->store->ops->memory_get(world->store,
                                               (struct mn_partition){ partition.tenant, "" },
                                               memory_id, arena, ret_row, err);
    return status;
}

enum mneme_status mn_remember_confirm(struct mn_world *world, struct mn_partition partition,
                                      const char *memory_id, const struct mneme_change *change,
                                      struct mn_arena *arena, struct mneme_receipt *ret_receipt,
                                      struct mneme_error *err)
{
    struct mneme_receipt receipt = { .outcome = MNEME_UPDATED };
    struct mn_written written;
    struct mn_row row;

    MN_TRY(read_row(world, partition, memory_id, arena, &row, err));
    struct mneme_memory *memory = &row.memory;
    if (change->if_revision && change->if_revision != memory->revision)
        return mn_fail(err, MNEME_CONFLICT, "revision: the row has %lld, not %lld: read it again",
                       (long long)memory->revision, (long long)change->if_revision);
    MN_TRY(mn_authorise(memory, memory, change->admin, err));
    memory->confirmed_at_ms = mn_change_now(world, change);
    memory->confidence = mn_join_surer(memory->confidence);

    const struct mn_write write = { .kind = MN_WRITE_MEMORY,
                                    .expected_revision = memory->revision,
                                    .memory = memory };
    const struct mn_commit commit = { .write = &write,
                                      .count = 1,
                                      .actor = mn_or_empty(change->actor),
                                      .reason = mn_empty(change->reason) ? "confirmed"
                                                                         : change->reason,
                                      .now_ms = memory->confirmed_at_ms,
                                      .own_links = !change->admin };
    MN_TRY(mn_store_commit_one(world->store, &commit, &written, err));
    if (written.unchanged)
        receipt.outcome = MNEME_UNCHANGED;
    receipt.revision = written.revision;
    strncpy(receipt.id, memory->id, sizeof receipt.id - 1);
    *ret_receipt = receipt;
    return MNEME_OK;
}
