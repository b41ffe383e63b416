/*
 * record.c - what a record must be, whatever store keeps it.
 *
 * First every field by itself, over the table of fields; then what fields say of each other. The
 * first fault is told, by the name of its field. A caller compiled against an older version gives a
 * shorter struct: it is taken over whole first, so that what it does not know reads as "not given".
 */
#include "memory/record.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "memory/fields.h"
#include "memory/rule.h"
#include "memory/type.h"
#include "text/compare.h"

static const char *const ROLES[] = { "user", "assistant", "tool_call", "tool_result", "feedback" };
static const char *const ORIGINS[] = { "extracted", "stated", "inferred" };
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static bool is_one_of(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (mn_same(names[i], name))
            return true;
    }
    return false;
}

static enum mneme_status check_window(int64_t from_ms, int64_t until_ms, struct mneme_error *err)
{
    if (from_ms && until_ms && until_ms <= from_ms)
        return mn_fail(err, MNEME_INVALID, "valid_until: must be after valid_from");
    return MNEME_OK;
}

/* ---- memories ---- */

static enum mneme_status check_type(const char *type, struct mneme_error *err)
{
    return mn_empty(type) ? MNEME_OK : mn_type_known("type", type, err);
}

static enum mneme_status check_scope(const struct mneme_memory *memory, struct mneme_error *err)
{
    bool shared = mn_empty(memory->user_id);
    bool has_id = !mn_empty(memory->scope_id);
    const char *name = mneme_scope_name(memory->scope_kind);

    switch (memory->scope_kind) {
    case MNEME_SCOPE_NONE:
        if (has_id)
            return mn_fail(err, MNEME_INVALID, "scope_kind: must be given beside a scope_id");
        return MNEME_OK;
    case MNEME_SCOPE_GLOBAL:
        if (has_id)
            return mn_fail(err, MNEME_INVALID, "scope_id: must be empty in scope global");
        return MNEME_OK;
    case MNEME_SCOPE_USER:
    case MNEME_SCOPE_SESSION:
        if (shared)
            return mn_fail(err, MNEME_INVALID,
                           "scope_kind: a shared memory (no user_id) has scope global, project, "
                           "repo or task, not %s",
                           name);
        break;
    case MNEME_SCOPE_PROJECT:
    case MNEME_SCOPE_REPO:
    case MNEME_SCOPE_TASK:
        break;
    }
    if (memory->scope_kind == MNEME_SCOPE_USER) {
        if (has_id && !mn_same(memory->scope_id, memory->user_id))
            return mn_fail(err, MNEME_INVALID, "scope_id: in scope user it is the user_id");
        return MNEME_OK;
    }
    if (!has_id)
        return mn_fail(err, MNEME_INVALID, "scope_id: must say which %s", name);
    return MNEME_OK;
}

enum mneme_status mn_memory_check(const struct mneme_memory *memory, struct mneme_error *err)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    MN_TRY(mn_struct_take("memory", memory, sizeof m, &m, err));
    MN_TRY(mn_fields_check(&mn_memory_fields, &m, err));
    MN_TRY(mn_field_must("tenant_id", m.tenant_id, err));
    MN_TRY(mn_field_must("content", m.content, err));
    MN_TRY(check_type(m.type, err));
    MN_TRY(check_scope(&m, err));
    MN_TRY(check_window(m.valid_from_ms, m.valid_until_ms, err));
    if (!mn_empty(m.value) && mn_empty(m.memory_key))
        return mn_fail(err, MNEME_INVALID, "value: belongs beside a memory_key");
    if (!mn_empty(m.id) && mn_same(m.id, m.supersedes))
        return mn_fail(err, MNEME_INVALID, "supersedes: a memory cannot replace itself");
    return MNEME_OK;
}

enum mneme_status mn_memory_copy(const struct mneme_memory *memory, struct mn_arena *arena,
                                 struct mneme_memory *ret_memory, struct mneme_error *err)
{
    struct mneme_memory copy = MNEME_MEMORY_INIT;

    MN_TRY(mn_fields_copy(&mn_memory_fields, memory, arena, &copy, err));
    *ret_memory = copy;
    return MNEME_OK;
}

enum mneme_status mn_memory_hash(const char *content, struct mn_arena *arena, const char **ret_hash,
                                 struct mneme_error *err)
{
    char *squeezed = mn_text_squeeze(arena, mn_or_empty(content));
    char *hash = mn_arena_alloc(arena, MN_SHA256_HEX_BYTES);

    if (!squeezed || !hash || !mn_sha256_hex(squeezed, strlen(squeezed), hash))
        return mn_fail_memory(err);
    *ret_hash = hash;
    return MNEME_OK;
}

const char *mn_memory_value(const struct mneme_memory *memory, struct mn_arena *arena)
{
    const char *said = mn_empty(memory->value) ? memory->content : memory->value;

    return mn_text_form(arena, mn_or_empty(said));
}

bool mn_memory_same_row(const struct mneme_memory *a, const struct mneme_memory *b)
{
    return mn_fields_same(&mn_memory_fields, a, b);
}

/* ---- events, rules, checkpoints, edges, usage ---- */

enum mneme_status mn_event_check(const struct mneme_event *event, struct mneme_error *err)
{
    struct mneme_event e = MNEME_EVENT_INIT;

    MN_TRY(mn_struct_take("event", event, sizeof e, &e, err));
    MN_TRY(mn_fields_check(&mn_event_fields, &e, err));
    MN_TRY(mn_field_must("tenant_id", e.tenant_id, err));
    MN_TRY(mn_field_must("user_id", e.user_id, err));
    MN_TRY(mn_field_must("session_id", e.session_id, err));
    MN_TRY(mn_field_must("text", e.text, err));
    if (!mn_empty(e.role) && !is_one_of(ROLES, COUNT_OF(ROLES), e.role))
        return mn_fail(err, MNEME_INVALID,
                       "role: '%.64s' is none of user, assistant, tool_call, tool_result, feedback",
                       e.role);
    return MNEME_OK;
}

enum mneme_status mn_rule_check(const struct mneme_rule *rule, struct mneme_error *err)
{
    struct mneme_rule r = MNEME_RULE_INIT;

    MN_TRY(mn_struct_take("rule", rule, sizeof r, &r, err));
    MN_TRY(mn_fields_check(&mn_rule_fields, &r, err));
    MN_TRY(mn_field_must("tenant_id", r.tenant_id, err));
    MN_TRY(mn_field_must("memory_id", r.memory_id, err));
    MN_TRY(mn_field_must("trigger_type", mneme_trigger_name(r.trigger_type), err));
    if (r.trigger_type != MNEME_TRIGGER_ALWAYS)
        MN_TRY(mn_field_must("trigger_value", r.trigger_value, err));
    if (r.trigger_type == MNEME_TRIGGER_REGEX)
        MN_TRY(mn_rule_pattern_check(r.trigger_value, err));
    return MNEME_OK;
}

enum mneme_status mn_task_state_check(const struct mneme_task_state *state, struct mneme_error *err)
{
    struct mneme_task_state s = MNEME_TASK_STATE_INIT;

    MN_TRY(mn_struct_take("task_state", state, sizeof s, &s, err));
    MN_TRY(mn_fields_check(&mn_task_state_fields, &s, err));
    MN_TRY(mn_field_must("tenant_id", s.tenant_id, err));
    MN_TRY(mn_field_must("user_id", s.user_id, err));
    MN_TRY(mn_field_must("session_id", s.session_id, err));
    MN_TRY(mn_field_must("task_id", s.task_id, err));
    return mn_field_must("state", s.state, err);
}

enum mneme_status mn_edge_check(const struct mneme_edge *edge, struct mneme_error *err)
{
    struct mneme_edge e = MNEME_EDGE_INIT;

    MN_TRY(mn_struct_take("edge", edge, sizeof e, &e, err));
    MN_TRY(mn_fields_check(&mn_edge_fields, &e, err));
    MN_TRY(mn_field_must("tenant_id", e.tenant_id, err));
    MN_TRY(mn_field_must("source", e.source, err));
    MN_TRY(mn_field_must("relation", e.relation, err));
    MN_TRY(mn_field_must("target", e.target, err));
    if (!mn_empty(e.origin) && !is_one_of(ORIGINS, COUNT_OF(ORIGINS), e.origin))
        return mn_fail(err, MNEME_INVALID, "origin: '%.64s' is none of extracted, stated, inferred",
                       e.origin);
    return check_window(e.valid_from_ms, e.valid_until_ms, err);
}

enum mneme_status mn_usage_check(const struct mneme_usage *usage, struct mneme_error *err)
{
    if (!usage)
        return mn_fail(err, MNEME_INVALID, "usage: is NULL");
    MN_TRY(mn_fields_check(&mn_usage_key_fields, usage, err));
    MN_TRY(mn_fields_check(&mn_usage_fields, usage, err));
    MN_TRY(mn_field_must("tenant_id", usage->tenant_id, err));
    return mn_field_must("memory_id", usage->memory_id, err);
}

enum mneme_status mn_memory_adopt(const struct mneme_memory *memory,
                                  struct mneme_memory *ret_memory, struct mneme_error *err)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    MN_TRY(mn_struct_take("memory", memory, sizeof m, &m, err));
    *ret_memory = m;
    return MNEME_OK;
}

enum mneme_status mn_event_adopt(const struct mneme_event *event, struct mneme_event *ret_event,
                                 struct mneme_error *err)
{
    struct mneme_event e = MNEME_EVENT_INIT;

    MN_TRY(mn_struct_take("event", event, sizeof e, &e, err));
    *ret_event = e;
    return MNEME_OK;
}
