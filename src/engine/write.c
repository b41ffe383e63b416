/*
 * write.c - the public writing calls: structs are brought to today's shape, one arena a call, and
 * remember/ does the work.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "lifecycle/compress.h"
#include "lifecycle/grain.h"
#include "lifecycle/task.h"
#include "memory/record.h"
#include "remember/remember.h"
#include "store/store.h"

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
    MN_ROUTED(handle, tenant_id, false,
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

enum mneme_status mneme_close_task(struct mneme *handle, const char *tenant_id,
                                   const char *user_id, const char *task_id,
                                   const struct mneme_change *change, size_t *ret_ended,
                                   struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_close_task(inner, tenant_id, user_id, task_id, change, ret_ended, err));
    struct mneme_change known;
    size_t ended = 0;

    MN_TRY(begin_write(handle, change, &known, err));
    if (mn_empty(tenant_id) || mn_empty(task_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id) ? "tenant_id" : "task_id");
    MN_TRY(mn_task_close(&handle->world, (struct mn_partition){ tenant_id, mn_or_empty(user_id) },
                         task_id, &known, &ended, err));
    if (ret_ended)
        *ret_ended = ended;
    return MNEME_OK;
}

enum mneme_status mneme_granularity(struct mneme *handle, const char *tenant_id,
                                    const char *user_id, int apply,
                                    const struct mneme_change *change, mneme_grain_fn row,
                                    void *context, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_ROUTED(handle, tenant_id, false,
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
    MN_ROUTED(handle, memory ? memory->tenant_id : NULL, false,
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
    MN_ROUTED(handle, tenant_id, false,
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
    MN_ROUTED(handle, tenant_id, false,
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
    MN_ROUTED(handle, tenant_id, false,
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

/* ---- use ---- */

static enum mneme_status check_use(const struct mneme_use *use, struct mneme_error *err)
{
    if (mn_empty(use->tenant_id) || mn_empty(use->trace_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(use->tenant_id) ? "tenant_id" : "trace_id");
    if (use->memory_ids.count == 0 || !use->memory_ids.item)
        return mn_fail(err, MNEME_INVALID, "memory_ids: is empty");
    if (use->memory_ids.count > MNEME_LIST_ITEMS_MAX)
        return mn_fail(err, MNEME_LIMIT, "memory_ids: %zu items, at most %d", use->memory_ids.count,
                       MNEME_LIST_ITEMS_MAX);
    return check_said("by", use->by, err);
}

/* What was not brought cannot have been used. */
static enum mneme_status check_brought(const struct mneme_use *use, const char *trace,
                                       struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    yyjson_val *selected;

    MN_TRY(mn_json_parse("trace", trace, strlen(trace), &doc, err));
    selected = yyjson_obj_get(yyjson_doc_get_root(doc), "selected");
    for (size_t i = 0; i < use->memory_ids.count; i++) {
        const char *id = mn_or_empty(use->memory_ids.item[i]);
        size_t at, count;
        yyjson_val *item;
        bool brought = false;

        yyjson_arr_foreach(selected, at, count, item)
            brought = brought || yyjson_equals_str(yyjson_obj_get(item, "id"), id);
        if (!brought)
            return mn_fail(err, MNEME_INVALID, "memory_ids: %.200s is not among what %.80s brought",
                           id, use->trace_id);
    }
    return MNEME_OK;
}

static enum mneme_status write_uses(struct mneme *handle, const struct mneme_use *use,
                                    const struct mneme_change *change, size_t *ret_counted,
                                    struct mneme_error *err)
{
    size_t count = use->memory_ids.count, counted = 0;
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_use_row *rows = mn_arena_array(arena, struct mn_use_row, count);
    struct mn_write *writes = mn_arena_array(arena, struct mn_write, count + 1);
    struct mn_written *written = mn_arena_array(arena, struct mn_written, count + 1);
    int64_t now_ms = mn_change_now(&handle->world, change);
    struct mn_audit_note note = { .at_ms = now_ms,
                                  .partition = { use->tenant_id, mn_or_empty(use->user_id) },
                                  .actor = mn_or_empty(change->actor),
                                  .action = "use",
                                  .trace_id = use->trace_id,
                                  .ids = use->memory_ids };
    const struct mn_commit commit = { .write = writes, .count = count + 1, .now_ms = now_ms };

    if (!rows || !writes || !written)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct mn_use_row){ use->tenant_id, use->trace_id, use->memory_ids.item[i],
                                       mn_or_empty(use->by), now_ms };
        writes[i] = (struct mn_write){ .kind = MN_WRITE_USE, .use = &rows[i] };
    }
    writes[count] = (struct mn_write){ .kind = MN_WRITE_AUDIT, .audit = &note };
    MN_TRY(mn_store_commit_one(handle->world.store, &commit, written, err));
    for (size_t i = 0; i < count; i++)
        counted += !written[i].unchanged;
    if (ret_counted)
        *ret_counted = counted;
    return MNEME_OK;
}

enum mneme_status mneme_report_use(struct mneme *handle, const struct mneme_use *use,
                                   const struct mneme_change *change, size_t *ret_counted,
                                   struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(use, "use", err);
    MN_ROUTED(handle, use->tenant_id, false,
              mneme_report_use(inner, use, change, ret_counted, err));
    struct mneme_use known = MNEME_USE_INIT;
    struct mneme_change how;
    char *trace = NULL;

    MN_CHECK_SIZE(use, "use", err);
    memcpy(&known, use, use->size);
    MN_TRY(check_use(&known, err));
    MN_TRY(begin_write(handle, change, &how, err));
    MN_TRY(mn_journal_flush(handle->journal, &handle->world, err)); /* the trace may wait there */
    MN_TRY(mneme_trace_get(handle, known.tenant_id, known.user_id, known.trace_id, &trace, err));
    enum mneme_status status = check_brought(&known, trace, err);
    mneme_free(trace);
    MN_TRY(status);
    return write_uses(handle, &known, &how, ret_counted, err);
}
