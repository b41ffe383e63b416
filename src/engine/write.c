/*
 * write.c - the public writing calls: structs are brought to today's shape, one arena a call, and
 * remember/ does the work.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/str.h"
#include "lifecycle/compress.h"
#include "lifecycle/grain.h"
#include "memory/record.h"
#include "remember/remember.h"

#define NOW_MAX_MS INT64_C(253402300799999) /* the last millisecond of the year 9999 */

/* Who changes and why: goes into the history as it is. */
static enum mneme_status check_said(const char *name, const char *text, struct mneme_error *err)
{
    size_t bytes = strlen(mn_or_empty(text));

    if (bytes > MNEME_NAME_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu bytes, at most %d", name, bytes,
                       MNEME_NAME_BYTES_MAX);
    if (!mn_utf8_valid(mn_or_empty(text), bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not UTF-8", name);
    return MNEME_OK;
}

/* Every writing call begins the same way. */
static enum mneme_status begin_write(const struct mneme *handle, const struct mneme_change *change,
                                     struct mneme_change *ret_change, struct mneme_error *err)
{
    struct mneme_change known = MNEME_CHANGE_INIT;

    if (change) {
        MN_CHECK_SIZE(change, "change", err);
        memcpy(&known, change, change->size);
    }
    MN_TRY(check_said("actor", known.actor, err));
    MN_TRY(check_said("reason", known.reason, err));
    if (known.now_ms < 0 || known.now_ms > NOW_MAX_MS)
        return mn_fail(err, MNEME_INVALID, "now_ms: is outside the years 1970 to 9999");
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    *ret_change = known;
    return MNEME_OK;
}

/* ---- whose file ---- */

static const char *tenant_of_record(const struct mneme_record *r)
{
    switch (r->kind) {
    case MNEME_RECORD_MEMORY:
        return r->memory ? r->memory->tenant_id : NULL;
    case MNEME_RECORD_EVENT:
        return r->event ? r->event->tenant_id : NULL;
    case MNEME_RECORD_RULE:
        return r->rule ? r->rule->tenant_id : NULL;
    case MNEME_RECORD_TASK_STATE:
        return r->task_state ? r->task_state->tenant_id : NULL;
    case MNEME_RECORD_EDGE:
        return r->edge ? r->edge->tenant_id : NULL;
    case MNEME_RECORD_USAGE:
        return r->usage ? r->usage->tenant_id : NULL;
    case MNEME_RECORD_NONE:
        break;
    }
    return NULL;
}

/* Those of one call stand or fall together, so they are of one file. */
static enum mneme_status check_one_tenant(const char *first, const char *other, struct mneme_error *err)
{
    if (mn_same(mn_or_empty(first), mn_or_empty(other)))
        return MNEME_OK;
    return mn_fail(err, MNEME_INVALID,
                   "tenant_id: one call writes for one tenant where each has a file of its own");
}

static enum mneme_status route_records(struct mneme *front, const struct mneme_record *records,
                                       size_t count, struct mn_route *ret_route,
                                       struct mneme_error *err)
{
    const char *tenant = records && count ? tenant_of_record(records) : NULL;

    for (size_t i = 1; records && i < count; i++)
        MN_TRY(check_one_tenant(tenant, tenant_of_record(&records[i]), err));
    return mn_route_begin(front, tenant, true, ret_route, err);
}

static enum mneme_status route_events(struct mneme *front, const struct mneme_event *events,
                                      size_t count, struct mn_route *ret_route,
                                      struct mneme_error *err)
{
    const char *tenant = events && count ? events->tenant_id : NULL;

    for (size_t i = 1; events && i < count; i++)
        MN_TRY(check_one_tenant(tenant, events[i].tenant_id, err));
    return mn_route_begin(front, tenant, true, ret_route, err);
}

/* ---- the calls ---- */

enum mneme_status mneme_remember(struct mneme *handle, const struct mneme_memory *memory,
                                 const struct mneme_change *change,
                                 struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, memory ? memory->tenant_id : NULL, true,
              mneme_remember(inner, memory, change, ret_receipt, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_receipt receipt;
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    MN_TRY(mn_remember(&handle->world, memory, &known, arena, &receipt, err));
    if (ret_receipt)
        *ret_receipt = receipt;
    return MNEME_OK;
}

enum mneme_status mneme_remember_check(struct mneme *handle, const struct mneme_memory *memory,
                                       const struct mneme_change *change, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_change known;
    struct mneme_memory draft;

    MN_TRY(begin_write(handle, change, &known, err));
    return mn_remember_check(memory, &known, arena, &draft, err);
}

enum mneme_status mneme_observe(struct mneme *handle, const struct mneme_event *events,
                                size_t count, const struct mneme_change *change,
                                struct mneme_receipt *ret_receipts, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    if (handle->tenants) {
        MN_ROUTE_AUTO route = { 0 };

        MN_TRY(route_events(handle, events, count, &route, err));
        return mneme_observe(route.handle, events, count, change, ret_receipts, err);
    }
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_event *known_events = mn_arena_array(arena, struct mneme_event, count + 1);
    struct mneme_change known;

    if (!known_events)
        return mn_fail_memory(err);
    MN_TRY(begin_write(handle, change, &known, err));
    if (count && !events)
        return mn_fail(err, MNEME_INVALID, "events: is NULL");
    for (size_t i = 0; i < count; i++)
        MN_TRY(mn_event_adopt(&events[i], &known_events[i], err));
    return mn_remember_events(&handle->world, known_events, count, &known, arena, ret_receipts,
                              err);
}

enum mneme_status mneme_end_session(struct mneme *handle, const char *tenant_id,
                                    const char *user_id, const char *session_id,
                                    const struct mneme_change *change, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, true,
              mneme_end_session(inner, tenant_id, user_id, session_id, change, err));
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    if (mn_empty(tenant_id) || mn_empty(session_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id) ? "tenant_id" : "session_id");
    MN_TRY(mn_session_end(&handle->world,
                          (struct mn_partition){ tenant_id, mn_or_empty(user_id) }, session_id,
                          mn_or_empty(known.actor),
                          known.now_ms ? known.now_ms : handle->world.now_ms(), err));
    handle->idle_at_ms = 0; /* there is something to do */
    return MNEME_OK;
}

enum mneme_status mneme_granularity(struct mneme *handle, const char *tenant_id,
                                    const char *user_id, int apply,
                                    const struct mneme_change *change, mneme_grain_fn row,
                                    void *context, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, apply != 0,
              mneme_granularity(inner, tenant_id, user_id, apply, change, row, context, err));
    struct mneme_change known = MNEME_CHANGE_INIT;

    if (apply || change)
        MN_TRY(begin_write(handle, change, &known, err));
    if (mn_empty(tenant_id))
        return mn_fail(err, MNEME_INVALID, "tenant_id: is empty");
    return mn_grain_report(&handle->world, (struct mn_partition){ tenant_id, mn_or_empty(user_id) },
                           apply != 0, &known, row, context, err);
}

enum mneme_status mneme_edit(struct mneme *handle, const struct mneme_memory *memory,
                             const struct mneme_change *change, struct mneme_receipt *ret_receipt,
                             struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, memory ? memory->tenant_id : NULL, true,
              mneme_edit(inner, memory, change, ret_receipt, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_receipt receipt;
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    MN_TRY(mn_remember_edit(&handle->world, memory, &known, arena, &receipt, err));
    if (ret_receipt)
        *ret_receipt = receipt;
    return MNEME_OK;
}

enum mneme_status mneme_forget(struct mneme *handle, const char *tenant_id, const char *user_id,
                               const char *memory_id, const struct mneme_change *change,
                               struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, true,
              mneme_forget(inner, tenant_id, user_id, memory_id, change, ret_receipt, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_receipt receipt;
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    if (mn_empty(tenant_id) || mn_empty(memory_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id) ? "tenant_id" : "id");
    MN_TRY(mn_remember_forget(&handle->world, tenant_id, mn_or_empty(user_id), memory_id, &known,
                              arena, &receipt, err));
    if (ret_receipt)
        *ret_receipt = receipt;
    return MNEME_OK;
}

enum mneme_status mneme_confirm(struct mneme *handle, const char *tenant_id, const char *user_id,
                                const char *memory_id, const struct mneme_change *change,
                                struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, true,
              mneme_confirm(inner, tenant_id, user_id, memory_id, change, ret_receipt, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_receipt receipt;
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    if (mn_empty(tenant_id) || mn_empty(memory_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id) ? "tenant_id" : "id");
    MN_TRY(mn_remember_confirm(&handle->world,
                               (struct mn_partition){ tenant_id, mn_or_empty(user_id) }, memory_id,
                               &known, arena, &receipt, err));
    if (ret_receipt)
        *ret_receipt = receipt;
    return MNEME_OK;
}

enum mneme_status mneme_clarify(struct mneme *handle, const char *tenant_id, const char *user_id,
                                const char *question_id, const char *keep_id,
                                const struct mneme_change *change,
                                struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, true,
              mneme_clarify(inner, tenant_id, user_id, question_id, keep_id, change, ret_receipt, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mneme_receipt receipt;
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    if (mn_empty(tenant_id) || mn_empty(question_id) || mn_empty(keep_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id)     ? "tenant_id"
                       : mn_empty(question_id) ? "id"
                                               : "keep");
    MN_TRY(mn_remember_clarify(&handle->world,
                               (struct mn_partition){ tenant_id, mn_or_empty(user_id) },
                               question_id, keep_id, &known, arena, &receipt, err));
    if (ret_receipt)
        *ret_receipt = receipt;
    return MNEME_OK;
}

enum mneme_status mneme_write(struct mneme *handle, const struct mneme_record *records,
                              size_t count, const struct mneme_change *change,
                              struct mneme_receipt *ret_receipts, size_t *ret_failed,
                              struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    if (handle->tenants) {
        MN_ROUTE_AUTO route = { 0 };

        MN_TRY(route_records(handle, records, count, &route, err));
        return mneme_write(route.handle, records, count, change, ret_receipts, ret_failed, err);
    }
    /* Rows are copied once, vectors and lists included: a call may be larger than a single write. */
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX * 8);
    struct mneme_change known;

    MN_TRY(begin_write(handle, change, &known, err));
    if (count && !records)
        return mn_fail(err, MNEME_INVALID, "records: is NULL");
    return mn_remember_records(&handle->world, records, count, &known, arena, ret_receipts,
                               ret_failed, err);
}
