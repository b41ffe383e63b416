/*
 * sqlite_row.c - the store's nouns as rows. The order of the reads is the order of the columns.
 */
#include "store/sqlite_row.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/str.h"
#include "memory/record.h"

void mn_row_read_memory(struct mn_reader *reader, struct mneme_memory *memory)
{
    memory->size = sizeof *memory;
    memory->tenant_id = mn_read_text(reader);
    memory->user_id = mn_read_text(reader);
    memory->id = mn_read_text(reader);
    memory->agent_id = mn_read_text(reader);
    memory->scope_kind = (enum mneme_scope)mn_read_integer(reader);
    memory->scope_id = mn_read_text(reader);
    memory->type = mn_read_text(reader);
    memory->memory_key = mn_read_text(reader);
    memory->value = mn_read_text(reader);
    memory->title = mn_read_text(reader);
    memory->content = mn_read_text(reader);
    memory->summary = mn_read_text(reader);
    memory->keywords = mn_read_list(reader);
    memory->usage_scenario = mn_read_list(reader);
    memory->entities = mn_read_list(reader);
    memory->category = mn_read_text(reader);
    memory->project = mn_read_text(reader);
    memory->module = mn_read_text(reader);
    memory->authority = (enum mneme_authority)mn_read_integer(reader);
    memory->confidence = mn_read_real(reader);
    memory->importance = mn_read_real(reader);
    memory->sensitivity = (enum mneme_sensitivity)mn_read_integer(reader);
    memory->requires_permission = mn_read_text(reader);
    memory->risk = (enum mneme_risk)mn_read_integer(reader);
    memory->applies_to = mn_read_pairs(reader);
    memory->valid_from_ms = mn_read_integer(reader);
    memory->valid_until_ms = mn_read_integer(reader);
    memory->event_time_ms = mn_read_integer(reader);
    memory->status = (enum mneme_memory_status)mn_read_integer(reader);
    memory->version = mn_read_integer(reader);
    memory->supersedes = mn_read_text(reader);
    memory->revision = mn_read_integer(reader);
    memory->content_hash = mn_read_text(reader);
    memory->provenance = mn_read_list(reader);
    memory->created_at_ms = mn_read_integer(reader);
    memory->updated_at_ms = mn_read_integer(reader);
    memory->confirmed_at_ms = mn_read_integer(reader);
    memory->attributes = mn_read_text(reader);
}

void mn_row_read(struct mn_reader *reader, struct mn_row *row, struct mneme_usage *ret_usage)
{
    bool has_usage;
    double usage_confidence;
    int64_t computed_at_ms;

    mn_row_read_memory(reader, &row->memory);
    has_usage = mn_read_integer(reader) != 0;
    row->last_accessed_at_ms = mn_read_integer(reader);
    row->access_count = mn_read_integer(reader);
    row->used_count = mn_read_integer(reader);
    usage_confidence = mn_read_real(reader);
    computed_at_ms = mn_read_integer(reader);
    row->confidence = mn_read_real(reader);
    mn_read_skip(reader); /* embed_hash */
    row->importance_base = mn_read_real(reader);
    if (ret_usage && has_usage) {
        *ret_usage = (struct mneme_usage){
            .tenant_id = row->memory.tenant_id,
            .memory_id = row->memory.id,
            .last_accessed_at_ms = row->last_accessed_at_ms,
            .access_count = row->access_count,
            .used_count = row->used_count,
            .confidence = usage_confidence,
            .confidence_computed_at_ms = computed_at_ms,
        };
    }
}

void mn_row_read_event(struct mn_reader *reader, struct mneme_event *event)
{
    event->size = sizeof *event;
    event->tenant_id = mn_read_text(reader);
    event->user_id = mn_read_text(reader);
    event->id = mn_read_text(reader);
    event->agent_id = mn_read_text(reader);
    event->session_id = mn_read_text(reader);
    event->order = mn_read_integer(reader);
    event->role = mn_read_text(reader);
    event->speaker = mn_read_text(reader);
    event->text = mn_read_text(reader);
    event->event_time_ms = mn_read_integer(reader);
    switch (mn_read_integer(reader)) {
    case 1:
        event->not_recallable = 0;
        break;
    case 2:
        event->not_recallable = MN_TURN_WITHHELD;
        break;
    default:
        event->not_recallable = 1;
    }
    event->attributes = mn_read_text(reader);
}

void mn_row_read_rule(struct mn_reader *reader, struct mneme_rule *rule, const char **ret_owner)
{
    rule->size = sizeof *rule;
    rule->tenant_id = mn_read_text(reader);
    *ret_owner = mn_read_text(reader);
    rule->id = mn_read_text(reader);
    rule->memory_id = mn_read_text(reader);
    rule->trigger_type = (enum mneme_trigger)mn_read_integer(reader);
    rule->trigger_value = mn_read_text(reader);
    rule->priority = mn_read_integer(reader);
    rule->disabled = mn_read_integer(reader) != 0;
}

void mn_row_read_task_state(struct mn_reader *reader, struct mneme_task_state *state)
{
    state->size = sizeof *state;
    state->tenant_id = mn_read_text(reader);
    state->user_id = mn_read_text(reader);
    state->session_id = mn_read_text(reader);
    state->task_id = mn_read_text(reader);
    state->state = mn_read_text(reader);
    state->updated_at_ms = mn_read_integer(reader);
}

void mn_row_read_edge(struct mn_reader *reader, struct mneme_edge *edge)
{
    edge->size = sizeof *edge;
    edge->tenant_id = mn_read_text(reader);
    edge->user_id = mn_read_text(reader);
    edge->id = mn_read_text(reader);
    edge->source = mn_read_text(reader);
    edge->relation = mn_read_text(reader);
    edge->target = mn_read_text(reader);
    edge->source_aliases = mn_read_list(reader);
    edge->target_aliases = mn_read_list(reader);
    edge->origin = mn_read_text(reader);
    edge->confidence = mn_read_real(reader);
    edge->valid_from_ms = mn_read_integer(reader);
    edge->valid_until_ms = mn_read_integer(reader);
    edge->provenance = mn_read_list(reader);
}

enum mneme_status mn_row_add(struct mn_stmt *stmt, struct mn_arena *arena, struct mn_rows *rows,
                             struct mneme_usage *ret_usage, struct mneme_error *err)
{
    struct mn_reader reader = { .stmt = stmt, .arena = arena };
    struct mn_row *row = mn_array_add(arena, rows);

    if (!row)
        return mn_fail_memory(err);
    mn_row_read(&reader, row, ret_usage);
    return mn_read_end(&reader, err);
}

void mn_row_bind_memory(struct mn_stmt *stmt, const struct mneme_memory *memory, int64_t revision,
                        const char *embed_hash)
{
    mn_bind_text(stmt, ":tenant", memory->tenant_id);
    mn_bind_text(stmt, ":owner", memory->user_id);
    mn_bind_text(stmt, ":id", memory->id);
    mn_bind_text(stmt, ":agent_id", memory->agent_id);
    mn_bind_integer(stmt, ":scope_kind", memory->scope_kind);
    mn_bind_text(stmt, ":scope_id", memory->scope_id);
    mn_bind_text(stmt, ":type", memory->type);
    mn_bind_text(stmt, ":memory_key", memory->memory_key);
    mn_bind_text(stmt, ":value", memory->value);
    mn_bind_text(stmt, ":title", memory->title);
    mn_bind_text(stmt, ":content", memory->content);
    mn_bind_text(stmt, ":summary", memory->summary);
    mn_bind_list(stmt, ":keywords", memory->keywords);
    mn_bind_list(stmt, ":usage_scenario", memory->usage_scenario);
    mn_bind_list(stmt, ":entities", memory->entities);
    mn_bind_text(stmt, ":category", memory->category);
    mn_bind_text(stmt, ":project", memory->project);
    mn_bind_text(stmt, ":module", memory->module);
    mn_bind_integer(stmt, ":authority", memory->authority);
    mn_bind_real(stmt, ":confidence", memory->confidence);
    mn_bind_real(stmt, ":importance", memory->importance);
    mn_bind_integer(stmt, ":sensitivity", memory->sensitivity);
    mn_bind_text(stmt, ":requires_permission", memory->requires_permission);
    mn_bind_integer(stmt, ":risk", memory->risk);
    mn_bind_pairs(stmt, ":applies_to", memory->applies_to);
    mn_bind_integer(stmt, ":valid_from_ms", memory->valid_from_ms);
    mn_bind_integer(stmt, ":valid_until_ms", memory->valid_until_ms);
    mn_bind_integer(stmt, ":event_time_ms", memory->event_time_ms);
    mn_bind_integer(stmt, ":status", memory->status);
    mn_bind_integer(stmt, ":version", memory->version);
    mn_bind_text(stmt, ":supersedes", memory->supersedes);
    mn_bind_integer(stmt, ":revision", revision);
    mn_bind_text(stmt, ":content_hash", memory->content_hash);
    mn_bind_list(stmt, ":provenance", memory->provenance);
    mn_bind_integer(stmt, ":created_at_ms", memory->created_at_ms);
    mn_bind_integer(stmt, ":updated_at_ms", memory->updated_at_ms);
    mn_bind_integer(stmt, ":confirmed_at_ms", memory->confirmed_at_ms);
    mn_bind_text(stmt, ":attributes", mn_empty(memory->attributes) ? "{}" : memory->attributes);
    mn_bind_text(stmt, ":embed_hash", embed_hash);
}

enum mneme_status mn_row_embed_hash(const struct mneme_memory *memory, const char *speaker,
                                    struct mn_arena *arena, const char **ret_hash,
                                    struct mneme_error *err)
{
    const char *text = "";
    char *hash = mn_arena_alloc(arena, MN_SHA256_HEX_BYTES);

    MN_TRY(mn_memory_embed_text(memory, speaker, arena, &text, err));
    if (!hash || !mn_sha256_hex(text, strlen(text), hash))
        return mn_fail_memory(err);
    *ret_hash = hash;
    return MNEME_OK;
}

enum mneme_status mn_row_event_embed_hash(const struct mneme_event *event, struct mn_arena *arena,
                                          const char **ret_hash, struct mneme_error *err)
{
    struct mneme_memory memory;

    MN_TRY(mn_event_as_memory(event, arena, &memory, err));
    return mn_row_embed_hash(&memory, event->speaker, arena, ret_hash, err);
}
