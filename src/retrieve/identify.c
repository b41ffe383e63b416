/*
 * identify.c - stage 1: who asks, and is the request well formed?
 *
 * Everything behind this stage may rely on what it checked: texts are UTF-8 and within their
 * limits, lists hold no NULL, enumerations are known, the zone exists. Who may see what is decided
 * in memory/access.c; here the identity only becomes complete.
 */
#include "retrieve/stages.h"

#include <string.h>

#define ITEMS_MAX 100000
#define TOKENS_MAX 10000000

/* A text that may be absent. */
static enum mneme_status check_text(const char *name, const char *text, size_t bytes_max,
                                    struct mneme_error *err)
{
    size_t bytes = text ? strnlen(text, bytes_max + 1) : 0;

    if (bytes > bytes_max)
        return mn_fail(err, MNEME_LIMIT, "%s: longer than %zu bytes", name, bytes_max);
    if (bytes && !mn_utf8_valid(text, bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not UTF-8", name);
    return MNEME_OK;
}

static enum mneme_status check_list(const char *name, const struct mneme_list *list,
                                    size_t bytes_max, struct mneme_error *err)
{
    if (list->count > MNEME_LIST_ITEMS_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu items, at most %d", name, list->count,
                       MNEME_LIST_ITEMS_MAX);
    if (list->count && !list->item)
        return mn_fail(err, MNEME_INVALID, "%s: has a count but no items", name);
    for (size_t i = 0; i < list->count; i++) {
        if (mn_empty(list->item[i]))
            return mn_fail(err, MNEME_INVALID, "%s: item %zu is empty", name, i + 1);
        MN_TRY(check_text(name, list->item[i], bytes_max, err));
    }
    return MNEME_OK;
}

static enum mneme_status check_types(const char *name, const struct mneme_list *types,
                                     struct mneme_error *err)
{
    MN_TRY(check_list(name, types, MNEME_NAME_BYTES_MAX, err));
    for (size_t i = 0; i < types->count; i++)
        MN_TRY(mn_type_known(name, types->item[i], err));
    return MNEME_OK;
}

static enum mneme_status check_environment(const struct mneme_pairs *environment,
                                           struct mneme_error *err)
{
    if (environment->count > MNEME_LIST_ITEMS_MAX)
        return mn_fail(err, MNEME_LIMIT, "environment: %zu entries, at most %d", environment->count,
                       MNEME_LIST_ITEMS_MAX);
    if (environment->count && !environment->item)
        return mn_fail(err, MNEME_INVALID, "environment: has a count but no entries");
    for (size_t i = 0; i < environment->count; i++) {
        if (mn_empty(environment->item[i].name))
            return mn_fail(err, MNEME_INVALID, "environment: entry %zu has no name", i + 1);
        MN_TRY(check_text("environment", environment->item[i].name, MNEME_NAME_BYTES_MAX, err));
        MN_TRY(check_text("environment", environment->item[i].value, MNEME_NAME_BYTES_MAX, err));
    }
    return MNEME_OK;
}

static enum mneme_status check_choice(const char *name, int value, int last,
                                      struct mneme_error *err)
{
    if (value < 0 || value > last)
        return mn_fail(err, MNEME_INVALID, "%s: %d is none of its values", name, value);
    return MNEME_OK;
}

static enum mneme_status check_number(const char *name, size_t value, size_t most,
                                      struct mneme_error *err)
{
    if (value > most)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu, at most %zu", name, value, most);
    return MNEME_OK;
}

static enum mneme_status check_identity(const struct mneme_identity *identity,
                                        struct mneme_error *err)
{
    const struct {
        const char *name;
        const char *id;
    } ids[] = {
        { "tenant_id", identity->tenant_id },
        { "user_id", identity->user_id },
        { "agent_id", identity->agent_id },
        { "session_id", identity->session_id },
        { "task_id", identity->task_id },
        { "project_id", identity->project_id },
        { "repository_id", identity->repository_id },
    };

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        MN_TRY(check_text(ids[i].name, ids[i].id, MNEME_ID_BYTES_MAX, err));
    MN_TRY(check_text("locale", identity->locale, MNEME_NAME_BYTES_MAX, err));
    MN_TRY(check_text("timezone", identity->timezone, MNEME_NAME_BYTES_MAX, err));
    if (!mn_empty(identity->timezone) && !mn_when_zone_known(identity->timezone))
        return mn_fail(err, MNEME_INVALID, "timezone: '%.60s' is no zone of the time zone data",
                       identity->timezone);
    MN_TRY(check_choice("clearance", (int)identity->clearance, MNEME_SECRET, err));
    MN_TRY(check_list("permissions", &identity->permissions, MNEME_NAME_BYTES_MAX, err));
    return check_environment(&identity->environment, err);
}

static enum mneme_status check_times(const struct mneme_request *request, int64_t now_ms,
                                     struct mneme_error *err)
{
    if (request->now_ms < 0)
        return mn_fail(err, MNEME_INVALID, "now: lies before 1970");
    if (request->as_of_ms < 0)
        return mn_fail(err, MNEME_INVALID, "as_of: lies before 1970");
    if (request->as_of_ms > now_ms)
        return mn_fail(err, MNEME_INVALID, "as_of: lies in the future");
    if (request->after_ms && request->before_ms && request->after_ms >= request->before_ms)
        return mn_fail(err, MNEME_INVALID, "after: not earlier than before");
    return MNEME_OK;
}

static enum mneme_status check_sizes(const struct mneme_request *request, struct mneme_error *err)
{
    MN_TRY(check_number("items_max", request->items_max, ITEMS_MAX, err));
    MN_TRY(check_number("per_type_max", request->per_type_max, ITEMS_MAX, err));
    MN_TRY(check_number("depth", request->depth, ITEMS_MAX, err));
    return check_number("tokens_max", request->tokens_max, TOKENS_MAX, err);
}

static enum mneme_status check_signals(const struct mneme_signals *signals, struct mneme_error *err)
{
    MN_TRY(check_text("tool", signals->tool, MNEME_NAME_BYTES_MAX, err));
    MN_TRY(check_text("task_type", signals->task_type, MNEME_NAME_BYTES_MAX, err));
    MN_TRY(check_list("paths", &signals->paths, MNEME_NAME_BYTES_MAX, err));
    MN_TRY(check_text("dialogue", signals->dialogue, MNEME_JSON_BYTES_MAX, err));
    return check_text("tool_results", signals->tool_results, MNEME_JSON_BYTES_MAX, err);
}

enum mneme_status mn_identify(const struct mneme_request *request, int64_t now_ms,
                              struct mn_access *ret_access, struct mneme_error *err)
{
    if (request->size != sizeof *request)
        return mn_fail(err, MNEME_INVALID, "size: %zu, %zu is this version's (MNEME_REQUEST_INIT)",
                       request->size, sizeof *request);
    if (mn_empty(request->text))
        return mn_fail(err, MNEME_INVALID, "text: is empty");
    if (request->now_ms)
        now_ms = request->now_ms;
    MN_TRY(check_text("text", request->text, MNEME_TEXT_BYTES_MAX, err));
    MN_TRY(check_identity(&request->identity, err));
    MN_TRY(check_times(request, now_ms, err));
    MN_TRY(check_choice("mode", (int)request->mode, MNEME_MODE_HYBRID, err));
    MN_TRY(check_text("intent", request->intent, MNEME_NAME_BYTES_MAX, err));
    MN_TRY(
        check_choice("consistency", (int)request->consistency, MNEME_CONSISTENCY_READ_MODEL, err));
    MN_TRY(check_choice("profile", (int)request->profile, MNEME_PROFILE_RECENCY, err));
    MN_TRY(check_signals(&request->signals, err));
    MN_TRY(check_list("task_fields", &request->task_fields, MNEME_NAME_BYTES_MAX, err));
    MN_TRY(check_types("types_required", &request->types_required, err));
    MN_TRY(check_types("types_excluded", &request->types_excluded, err));
    MN_TRY(check_sizes(request, err));
    MN_TRY(check_list("evidence", &request->evidence, MNEME_TEXT_BYTES_MAX, err));
    return mn_access_make(&request->identity, now_ms, request->as_of_ms, ret_access, err);
}
