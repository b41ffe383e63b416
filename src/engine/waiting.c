/*
 * waiting.c - the extractor, and the public calls about turns that it has still to read.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/str.h"
#include "lifecycle/summary_asked.h"
#include "model/chat.h"
#include "model/model.h"
#include "remember/remember.h"
#include "store/store.h"

/* ---- the extractor ---- */

/* What the handle has no extractor for, sessions wait for a while (lifecycle/compress.h). */
static enum mneme_status extractor_ready(void *context, struct mn_world *world,
                                         struct mneme_error *err)
{
    (void)world;
    return mn_fail(err, MNEME_UNAVAILABLE, "%s", (const char *)context);
}

static void miss_extractor(struct mneme *handle, const char *why)
{
    memcpy(handle->extractor_status, why, strlen(why) + 1);
    handle->extractor_missed.ready = extractor_ready;
    handle->extractor_missed.context = handle->extractor_status;
    handle->world.summarise = &handle->extractor_missed;
}

void mn_engine_open_extractor(struct mneme *handle, const struct mneme_options *options)
{
    const char *path = options->extractor_path;
    struct mneme_error failed = { 0 };
    enum mneme_status status;

    if (mn_empty(path) || !strcmp(path, "none")) {
        strcpy(handle->extractor_status, "extractor: none is configured");
        return;
    }
    if (!strcmp(path, "elsewhere")) {
        miss_extractor(handle, "extractor: another process has it");
        return;
    }
    status = mn_model_is_url(path)
                 ? mn_chat_http_new(path, options->extractor_key, options->extractor_model,
                                    options->extractor_timeout_ms, &handle->world.chat, &failed)
                 : mn_chat_llama_new(path, options->extractor_timeout_ms, &handle->world.chat,
                                     &failed);
    if (status == MNEME_OK) {
        handle->world.summarise = &mn_summarise_asked;
        return;
    }
    handle->world.chat = NULL;
    miss_extractor(handle, failed.message);
}

/* ---- what waits for it ---- */

static enum mneme_status check_whose(const char *tenant_id, const char *user_id,
                                     const char *session_id, struct mneme_error *err)
{
    if (mn_empty(tenant_id))
        return mn_fail(err, MNEME_INVALID, "tenant_id: is empty");
    if (mn_empty(user_id) && !mn_empty(session_id))
        return mn_fail(err, MNEME_INVALID, "user_id: whose session is it?");
    return MNEME_OK;
}

/* Of all users: NULL. */
static struct mn_partition partition_of(const char *tenant_id, const char *user_id)
{
    return (struct mn_partition){ tenant_id, mn_empty(user_id) ? NULL : user_id };
}

enum mneme_status mneme_extractions(struct mneme *handle, const char *tenant_id,
                                    const char *user_id, const char *session_id,
                                    mneme_extraction_fn row, void *context, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(row, "row", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_extractions(inner, tenant_id, user_id, session_id, row, context, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX * 8);
    struct mn_extractions rows = { 0 };
    struct mn_store *store = handle->world.store;

    MN_TRY(check_whose(tenant_id, user_id, session_id, err));
    MN_TRY(store->ops->extractions(store, partition_of(tenant_id, user_id),
                                   mn_empty(session_id) ? NULL : session_id, SIZE_MAX, arena, &rows,
                                   err));
    for (size_t i = 0; i < rows.count; i++) {
        const struct mn_extraction *x = &rows.item[i];
        const struct mneme_extraction waiting = { .event_id = x->event.id,
                                                  .session_id = x->event.session_id,
                                                  .state = x->attempts ? "failed" : "pending",
                                                  .reason = x->reason,
                                                  .attempts = x->attempts,
                                                  .due_at_ms = x->due_at_ms,
                                                  .queued_at_ms = x->queued_at_ms,
                                                  .user_id = x->event.user_id };

        if (row(context, &waiting))
            break;
    }
    return MNEME_OK;
}

enum mneme_status mneme_extract(struct mneme *handle, const char *tenant_id, const char *user_id,
                                const char *session_id, struct mneme_read *ret_read,
                                struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_extract(inner, tenant_id, user_id, session_id, ret_read, err));
    struct mneme_read report = MNEME_READ_INIT;

    if (ret_read)
        MN_CHECK_SIZE(ret_read, "read", err);
    MN_TRY(check_whose(tenant_id, user_id, session_id, err));
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (!handle->world.chat)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s", handle->extractor_status);
    MN_TRY(mn_read_asked(&handle->world, partition_of(tenant_id, user_id),
                         mn_empty(session_id) ? NULL : session_id, &report, err));
    if (ret_read) {
        report.size = ret_read->size;
        memcpy(ret_read, &report, ret_read->size);
    }
    return MNEME_OK;
}
