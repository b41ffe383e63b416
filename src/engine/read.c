/*
 * read.c - the public calls that show what is remembered: one row, lists, exports, history.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/str.h"
#include "memory/record.h"
#include "memory/type.h"
#include "store/store.h"

/* A row of the user's own, else of the tenant's shared partition; *partition says which. */
static enum mneme_status find_row(struct mneme *handle, struct mn_partition *partition,
                                  const char *memory_id, struct mn_arena *arena,
                                  struct mn_row *ret_row, struct mneme_error *err)
{
    struct mn_store *store = handle->world.store;

    if (mn_empty(partition->tenant) || mn_empty(memory_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(partition->tenant) ? "tenant_id" : "id");
    enum mneme_status status =
        store->ops->memory_get(store, *partition, memory_id, arena, ret_row, err);
    if (status == MNEME_NOT_FOUND && partition->owner[0]) {
        partition->owner = "";
        status = store->ops->memory_get(store, *partition, memory_id, arena, ret_row, err);
    }
    return status;
}

enum mneme_status mneme_get(struct mneme *handle, const char *tenant_id, const char *user_id,
                            const char *memory_id, struct mneme_parsed **ret_row,
                            struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_row, "ret_row", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_get(inner, tenant_id, user_id, memory_id, ret_row, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_partition partition = { mn_or_empty(tenant_id), mn_or_empty(user_id) };
    struct mn_row row;

    MN_TRY(find_row(handle, &partition, memory_id, arena, &row, err));
    struct mneme_usage usage = {
        .tenant_id = row.memory.tenant_id,
        .memory_id = row.memory.id,
        .last_accessed_at_ms = row.last_accessed_at_ms,
        .access_count = row.access_count,
        .used_count = row.used_count,
        .confidence = row.confidence != row.memory.confidence ? row.confidence : -1.0,
    };
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY,
                                   .memory = &row.memory,
                                   .usage = &usage };
    return mn_parsed_of(&record, ret_row, err);
}

static enum mneme_status check_filter(const struct mneme_filter *filter,
                                      struct mneme_filter *ret_filter, struct mneme_error *err)
{
    struct mneme_filter known = MNEME_FILTER_INIT;

    MN_CHECK_SIZE(filter, "filter", err);
    memcpy(&known, filter, filter->size);
    if (mn_empty(known.tenant_id))
        return mn_fail(err, MNEME_INVALID, "tenant_id: is empty");
    if (mn_empty(known.user_id) && !known.all_users && !known.with_shared)
        return mn_fail(err, MNEME_INVALID, "user_id: is empty; say all_users to see every owner");
    if (!mn_empty(known.type))
        MN_TRY(mn_type_known("type", known.type, err));
    if ((unsigned)known.scope_kind > MNEME_SCOPE_SESSION)
        return mn_fail(err, MNEME_INVALID, "scope_kind: %d is not a kind", (int)known.scope_kind);
    if ((unsigned)known.status > MNEME_DELETED)
        return mn_fail(err, MNEME_INVALID, "status: %d is not a status", (int)known.status);
    *ret_filter = known;
    return MNEME_OK;
}

enum mneme_status mneme_list_memories(struct mneme *handle, const struct mneme_filter *filter,
                                      mneme_row_fn row, void *context, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(row, "row", err);
    MN_ROUTED(handle, filter ? filter->tenant_id : NULL, false,
              mneme_list_memories(inner, filter, row, context, err));
    struct mneme_filter known;

    MN_TRY(check_filter(filter, &known, err));
    return handle->world.store->ops->list(handle->world.store, &known, true, row, context, err);
}

enum mneme_status mneme_export(struct mneme *handle, const struct mneme_filter *filter,
                               mneme_row_fn row, void *context, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(row, "row", err);
    MN_ROUTED(handle, filter ? filter->tenant_id : NULL, false,
              mneme_export(inner, filter, row, context, err));
    struct mneme_filter known;

    MN_TRY(check_filter(filter, &known, err));
    return handle->world.store->ops->list(handle->world.store, &known, false, row, context, err);
}

enum mneme_status mneme_history(struct mneme *handle, const char *tenant_id, const char *user_id,
                                const char *memory_id, mneme_history_fn row, void *context,
                                struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(row, "row", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_history(inner, tenant_id, user_id, memory_id, row, context, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_store *store = handle->world.store;
    struct mn_partition partition = { mn_or_empty(tenant_id), mn_or_empty(user_id) };
    struct mn_history_rows rows = { 0 };
    struct mn_row present;

    MN_TRY(find_row(handle, &partition, memory_id, arena, &present, err));
    MN_TRY(store->ops->history(store, partition, memory_id, arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++)
        if (row(context, &rows.item[i].memory, rows.item[i].actor, rows.item[i].reason,
                rows.item[i].changed_at_ms))
            break;
    return MNEME_OK;
}

enum mneme_status mneme_versions(struct mneme *handle, const char *tenant_id, const char *user_id,
                                 const char *memory_id, mneme_row_fn row, void *context,
                                 struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(row, "row", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_versions(inner, tenant_id, user_id, memory_id, row, context, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_store *store = handle->world.store;
    struct mn_partition partition = { mn_or_empty(tenant_id), mn_or_empty(user_id) };
    struct mn_rows rows = { 0 };
    struct mn_row present;

    MN_TRY(find_row(handle, &partition, memory_id, arena, &present, err));
    MN_TRY(store->ops->memories_line(store, partition, memory_id, arena, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        const struct mneme_record record = { .kind = MNEME_RECORD_MEMORY,
                                             .memory = &rows.item[i].memory };

        if (row(context, &record))
            break;
    }
    return MNEME_OK;
}

enum mneme_status mneme_clarifications(struct mneme *handle, const char *tenant_id,
                                       const char *user_id, mneme_clarification_fn row,
                                       void *context, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(row, "row", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_clarifications(inner, tenant_id, user_id, row, context, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_store *store = handle->world.store;
    struct mn_clarifications open = { 0 };

    if (mn_empty(tenant_id))
        return mn_fail(err, MNEME_INVALID, "tenant_id: is empty");
    MN_TRY(store->ops->clarifications(
        store, (struct mn_partition){ tenant_id, mn_or_empty(user_id) }, arena, &open, err));
    for (size_t i = 0; i < open.count; i++) {
        const struct mn_clarification *c = &open.item[i];
        const struct mneme_clarification given = { c->id,       c->memory_key, c->memory_ids,
                                                   c->question, c->blocking,   c->created_at_ms };

        if (row(context, &given))
            break;
    }
    return MNEME_OK;
}
