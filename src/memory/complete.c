/*
 * complete.c - what is absent, derived: the row as it will be kept.
 *
 * A copy, so that the caller's struct stays his. JSON of the caller is written compactly, since
 * rows travel one a line and are compared as text. The one thing here that is not a function of its
 * arguments is a new id, whose random bits come from the system.
 *
 * An authority that nobody gave is the user's own: remembering is an explicit act, and what a model
 * or a tool writes is marked so by who lets it write. The confidences follow the order of
 * authority; only the model's lies near the 0.60 below which nothing is recalled, and whatever way it
 * comes in, it is no surer than 0.9 until somebody confirms it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "memory/fields.h"
#include "memory/record.h"

#define IMPORTANCE_DEFAULT 0.5
#define INFERRED_MAX 0.9 /* confidence of what a model inferred and nobody confirmed */
#define TYPE_DEFAULT "fact"
#define ROLE_DEFAULT "user"
#define ORIGIN_DEFAULT "stated"
#define DERIVED_HEX_DIGITS 32

static double confidence_of(enum mneme_authority authority)
{
    switch (authority) {
    case MNEME_EXPLICIT_USER:
    case MNEME_EXPLICIT_ADMIN:
    case MNEME_CONFIRMED_SYSTEM:
        return 0.95;
    case MNEME_TOOL_OBSERVATION:
        return 0.80;
    case MNEME_AUTHORITY_NONE:
    case MNEME_MODEL_INFERENCE:
    case MNEME_AUTHORITY_REVOKED:
        break;
    }
    return 0.70;
}

static enum mneme_status give_id(const char *prefix, int64_t now_ms, struct mn_arena *arena,
                                 const char **id, struct mneme_error *err)
{
    char made[MN_ID_BYTES];

    if (!mn_empty(*id))
        return MNEME_OK;
    mn_id_make(prefix, now_ms, made);
    *id = mn_arena_copy(arena, made);
    return *id ? MNEME_OK : mn_fail_memory(err);
}

/* {"a": 1} as {"a":1}; absent as {}. */
static enum mneme_status make_compact(const char *name, struct mn_arena *arena, const char **json,
                                      struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    char *written;

    if (mn_empty(*json) || strcmp(*json, "{}") == 0) {
        *json = "{}";
        return MNEME_OK;
    }
    MN_TRY(mn_json_parse(name, *json, strlen(*json), &doc, err));
    written = yyjson_write(doc, YYJSON_WRITE_NOFLAG, NULL);
    *json = written ? mn_arena_copy(arena, written) : NULL;
    free(written);
    return *json ? MNEME_OK : mn_fail_memory(err);
}

enum mneme_status mn_memory_complete(const struct mneme_memory *memory, int64_t now_ms,
                                     struct mn_arena *arena, struct mneme_memory *ret_memory,
                                     struct mneme_error *err)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    MN_TRY(mn_struct_take("memory", memory, sizeof m, &m, err));
    MN_TRY(mn_fields_copy(&mn_memory_fields, &m, arena, &m, err));
    MN_TRY(give_id("mem", now_ms, arena, &m.id, err));
    MN_TRY(make_compact("attributes", arena, &m.attributes, err));
    MN_TRY(mn_memory_hash(m.content, arena, &m.content_hash, err));
    if (m.scope_kind == MNEME_SCOPE_NONE)
        m.scope_kind = mn_empty(m.user_id) ? MNEME_SCOPE_GLOBAL : MNEME_SCOPE_USER;
    if (m.scope_kind == MNEME_SCOPE_USER && mn_empty(m.scope_id))
        m.scope_id = m.user_id;
    if (mn_empty(m.type))
        m.type = TYPE_DEFAULT;
    if (m.authority == MNEME_AUTHORITY_NONE)
        m.authority = MNEME_EXPLICIT_USER;
    if (m.confidence < 0)
        m.confidence = confidence_of(m.authority);
    if (m.authority == MNEME_MODEL_INFERENCE && !m.confirmed_at_ms && m.confidence > INFERRED_MAX)
        m.confidence = INFERRED_MAX;
    if (m.importance < 0)
        m.importance = IMPORTANCE_DEFAULT;
    if (m.sensitivity == MNEME_SENSITIVITY_NONE)
        m.sensitivity = MNEME_INTERNAL;
    if (m.risk == MNEME_RISK_NONE)
        m.risk = MNEME_RISK_NORMAL;
    if (m.status == MNEME_STATUS_NONE)
        m.status = MNEME_ACTIVE;
    if (m.version == 0)
        m.version = 1;
    if (m.created_at_ms == 0)
        m.created_at_ms = now_ms;
    if (m.updated_at_ms == 0)
        m.updated_at_ms = m.created_at_ms;
    *ret_memory = m;
    return MNEME_OK;
}

enum mneme_status mn_event_complete(const struct mneme_event *event, int64_t now_ms,
                                    struct mn_arena *arena, struct mneme_event *ret_event,
                                    struct mneme_error *err)
{
    struct mneme_event e = MNEME_EVENT_INIT;

    MN_TRY(mn_struct_take("event", event, sizeof e, &e, err));
    MN_TRY(mn_fields_copy(&mn_event_fields, &e, arena, &e, err));
    MN_TRY(give_id("evt", now_ms, arena, &e.id, err));
    MN_TRY(make_compact("attributes", arena, &e.attributes, err));
    if (mn_empty(e.role))
        e.role = ROLE_DEFAULT;
    if (e.event_time_ms == 0)
        e.event_time_ms = now_ms;
    *ret_event = e;
    return MNEME_OK;
}

/* "rul_" and the first half of the SHA-256 of what makes the row this one; parts end with NUL,
 * which no part holds. The same row has the same id wherever and however often it is loaded. */
static enum mneme_status derive_id(const char *prefix, const char *const *parts, size_t count,
                                   struct mn_arena *arena, const char **id, struct mneme_error *err)
{
    MN_BUF_AUTO all = { 0 };
    char hex[MN_SHA256_HEX_BYTES];

    if (!mn_empty(*id))
        return MNEME_OK;
    for (size_t i = 0; i < count; i++)
        mn_buf_put(&all, mn_or_empty(parts[i]), strlen(mn_or_empty(parts[i])) + 1);
    if (all.failed || !mn_sha256_hex(all.at, all.bytes, hex))
        return mn_fail_memory(err);
    *id = mn_arena_printf(arena, "%s_%.*s", prefix, DERIVED_HEX_DIGITS, hex);
    return *id ? MNEME_OK : mn_fail_memory(err);
}

enum mneme_status mn_rule_complete(const struct mneme_rule *rule, struct mn_arena *arena,
                                   struct mneme_rule *ret_rule, struct mneme_error *err)
{
    struct mneme_rule r = MNEME_RULE_INIT;

    MN_TRY(mn_struct_take("rule", rule, sizeof r, &r, err));
    MN_TRY(mn_fields_copy(&mn_rule_fields, &r, arena, &r, err));
    const char *const parts[] = { r.tenant_id, r.memory_id, mneme_trigger_name(r.trigger_type),
                                  r.trigger_value };
    MN_TRY(derive_id("rul", parts, sizeof parts / sizeof parts[0], arena, &r.id, err));
    *ret_rule = r;
    return MNEME_OK;
}

enum mneme_status mn_task_state_complete(const struct mneme_task_state *state, int64_t now_ms,
                                         struct mn_arena *arena, struct mneme_task_state *ret_state,
                                         struct mneme_error *err)
{
    struct mneme_task_state s = MNEME_TASK_STATE_INIT;

    MN_TRY(mn_struct_take("task_state", state, sizeof s, &s, err));
    MN_TRY(mn_fields_copy(&mn_task_state_fields, &s, arena, &s, err));
    MN_TRY(make_compact("state", arena, &s.state, err));
    if (s.updated_at_ms == 0)
        s.updated_at_ms = now_ms;
    *ret_state = s;
    return MNEME_OK;
}

enum mneme_status mn_edge_complete(const struct mneme_edge *edge, struct mn_arena *arena,
                                   struct mneme_edge *ret_edge, struct mneme_error *err)
{
    struct mneme_edge e = MNEME_EDGE_INIT;

    MN_TRY(mn_struct_take("edge", edge, sizeof e, &e, err));
    MN_TRY(mn_fields_copy(&mn_edge_fields, &e, arena, &e, err));
    const char *const parts[] = { e.tenant_id, e.user_id, e.source, e.relation, e.target };
    MN_TRY(derive_id("edg", parts, sizeof parts / sizeof parts[0], arena, &e.id, err));
    if (mn_empty(e.origin))
        e.origin = ORIGIN_DEFAULT;
    if (e.confidence < 0)
        e.confidence = 1.0;
    *ret_edge = e;
    return MNEME_OK;
}
