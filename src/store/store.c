/*
 * store.c - what every caller asks of any store in the same way.
 */
#include "store/store.h"

#include "base/err.h"

enum mneme_status mn_store_commit_one(struct mn_store *store, const struct mn_commit *commit,
                                      struct mn_written *ret_written, struct mneme_error *err)
{
    struct mn_commit_result result = { .written = ret_written };

    MN_TRY(store->ops->commit(store, commit, 1, &result, err));
    if (result.status != MNEME_OK && err)
        *err = result.error;
    return result.status;
}

enum mneme_status mn_store_note(struct mn_store *store, const char *action, const char *actor,
                                int64_t now_ms, struct mneme_error *err)
{
    return mn_store_note_lost(store, action, actor, 0, now_ms, err);
}

enum mneme_status mn_store_note_lost(struct mn_store *store, const char *action, const char *actor,
                                     int64_t lost, int64_t now_ms, struct mneme_error *err)
{
    const struct mn_audit_note note = { .at_ms = now_ms,
                                        .partition = { "", "" },
                                        .actor = actor,
                                        .action = action,
                                        .trace_id = "",
                                        .lost = lost };
    const struct mn_write write = { .kind = MN_WRITE_AUDIT, .audit = &note };
    const struct mn_commit commit = {
        .write = &write, .count = 1, .actor = actor, .reason = "", .now_ms = now_ms
    };
    struct mn_written written = { 0 };

    return mn_store_commit_one(store, &commit, &written, err);
}

void mn_store_free(struct mn_store *store)
{
    if (store)
        store->ops->free(store);
}
