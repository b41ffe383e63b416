/*
 * archived.c - the public calls about turns outside the store, and how the archive of a handle is opened.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/str.h"
#include "lifecycle/archive.h"
#include "lifecycle/blobs.h"
#include "store/store.h"

#define TURNS_AT_ONCE 4096
#define REGION "us-east-1"

/* ---- opening ---- */

static bool is_region(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static enum mneme_status open_place(const struct mneme_options *options, struct mn_blobs **ret_blobs,
                                    struct mneme_error *err)
{
    const struct mn_http_signature signature = {
        .region = mn_empty(options->archive_region) ? REGION : options->archive_region,
        .access_key = mn_or_empty(options->archive_access_key),
        .secret_key = mn_or_empty(options->archive_secret_key),
        .session_token = options->archive_session_token,
    };

    if (!strstr(options->archive, "://"))
        return mn_blobs_folder_new(options->archive, ret_blobs, err);
    if (!is_region(signature.region))
        return mn_fail(err, MNEME_INVALID, "archive_region: is no name of a region");
    return mn_blobs_s3_new(options->archive, &signature, ret_blobs, err);
}

enum mneme_status mn_engine_open_archive(struct mneme *handle, const struct mneme_options *options,
                                         struct mneme_error *err)
{
    struct mn_blobs *blobs = NULL;

    if (mn_empty(options->archive))
        return MNEME_OK;
    MN_TRY(open_place(options, &blobs, err));
    return mn_archive_files_new(blobs, &handle->world.archive, err);
}

void mn_engine_settle_archive(struct mneme *handle, int64_t now_ms)
{
    struct mn_archive *archive = handle->world.archive;
    struct mneme_error later;
    size_t left = 0;

    if (archive && archive->ops->settle)
        (void)archive->ops->settle(archive, &handle->world, now_ms, &left, &later);
}

/* ---- turns of one session ---- */

static enum mneme_status check_session(struct mneme *handle, const char *tenant_id,
                                       const char *session_id, struct mneme_error *err)
{
    if (!handle)
        return mn_fail(err, MNEME_INVALID, "handle: is NULL");
    if (mn_empty(tenant_id) || mn_empty(session_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id) ? "tenant_id" : "session_id");
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (!handle->world.archive)
        return mn_fail(err, MNEME_INVALID, "archive: the store was opened without one");
    return MNEME_OK;
}

/* Nothing to move is a success; a session that never was is not. */
static enum mneme_status check_known(struct mneme *handle, struct mn_partition partition,
                                     const char *session_id, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_session session;
    struct mn_task_states states;

    return handle->world.store->ops->session_get(handle->world.store, partition, session_id, arena,
                                                 &session, &states, err);
}

enum mneme_status mneme_archive_session(struct mneme *handle, const char *tenant_id,
                                        const char *user_id, const char *session_id,
                                        size_t *ret_turns, struct mneme_error *err)
{
    MN_ROUTED(handle, tenant_id, false,
              mneme_archive_session(inner, tenant_id, user_id, session_id, ret_turns, err));
    size_t turns = 0, taken = 0;

    MN_TRY(check_session(handle, tenant_id, session_id, err));
    MN_TRY(check_known(handle, (struct mn_partition){ tenant_id, mn_or_empty(user_id) }, session_id,
                       err));
    const struct mn_archive_span span = { .partition = { tenant_id, mn_or_empty(user_id) },
                                          .session_id = session_id,
                                          .last_place = INT64_MAX };
    struct mn_archive *archive = handle->world.archive;
    do {
        MN_TRY(archive->ops->take(archive, &handle->world, &span, TURNS_AT_ONCE,
                                  handle->world.now_ms(), &taken, err));
        turns += taken;
    } while (taken);
    if (ret_turns)
        *ret_turns = turns;
    return MNEME_OK;
}

enum mneme_status mneme_archive_restore(struct mneme *handle, const char *tenant_id,
                                        const char *user_id, const char *session_id,
                                        size_t *ret_turns, struct mneme_error *err)
{
    MN_ROUTED(handle, tenant_id, false,
              mneme_archive_restore(inner, tenant_id, user_id, session_id, ret_turns, err));
    size_t turns = 0;

    MN_TRY(check_session(handle, tenant_id, session_id, err));
    struct mn_archive *archive = handle->world.archive;
    MN_TRY(archive->ops->restore(archive, &handle->world,
                                 (struct mn_partition){ tenant_id, mn_or_empty(user_id) },
                                 session_id, handle->world.now_ms(), &turns, err));
    if (!turns)
        return mn_fail(err, MNEME_NOT_FOUND, "session_id: nothing of %.200s is in the archive",
                       session_id);
    if (ret_turns)
        *ret_turns = turns;
    return MNEME_OK;
}

/* ---- what is there ---- */

static const char *state_name(enum mn_archive_state state)
{
    switch (state) {
    case MN_ARCHIVE_MAKING:
        return "pending";
    case MN_ARCHIVE_WHOLE:
        return "whole";
    case MN_ARCHIVE_DOOMED:
        return "removing";
    case MN_ARCHIVE_SHORTEN:
        return "rewriting";
    }
    return "";
}

enum mneme_status mneme_archive_list(struct mneme *handle, const char *tenant_id,
                                     const char *user_id, mneme_archived_fn row, void *context,
                                     struct mneme_error *err)
{
    MN_ROUTED(handle, tenant_id, false,
              mneme_archive_list(inner, tenant_id, user_id, row, context, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    const struct mn_partition own = { mn_or_empty(tenant_id), mn_or_empty(user_id) };
    const struct mn_partition nobody = { "", "" };
    const struct mn_partition *only[] = { &own, &nobody };

    if (!handle || !row || mn_empty(tenant_id))
        return mn_fail(err, MNEME_INVALID, "%s: %s",
                       !handle ? "handle"
                       : !row  ? "row"
                               : "tenant_id",
                       !handle || !row ? "is NULL" : "is empty");
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        struct mn_archive_objects objects = { 0 };

        MN_TRY(handle->world.store->ops->archive_objects(handle->world.store, only[i], NULL, arena,
                                                         &objects, err));
        for (size_t k = 0; k < objects.count; k++) {
            const struct mn_archive_object *o = &objects.item[k];
            const struct mneme_archived archived = {
                .session_id = o->session_id,
                .object = o->object,
                .state = state_name(o->state),
                .turns = o->event_count,
                .bytes = o->bytes,
                .at_ms = o->at_ms,
            };

            if (row(context, &archived))
                return MNEME_OK;
        }
    }
    return MNEME_OK;
}
