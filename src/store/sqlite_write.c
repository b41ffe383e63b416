/*
 * sqlite_write.c - events, rules, checkpoints, edges, usage, vectors and traces, each with the
 * change row that its indexes need.
 *
 * What is there already and says the same is left alone, so that loading a file again changes
 * nothing and wakes no index.
 */
#include "store/sqlite_write.h"

#include <string.h>

#include "base/str.h"
#include "memory/fields.h"
#include "memory/record.h"
#include "sql/sqlite.gen.h"
#include "store/half.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_row.h"
#include "text/token_codes.h"

enum mneme_status mn_write_change(const struct mn_writing *w, enum mn_change_kind kind,
                                  const char *tenant, const char *owner, const char *id,
                                  int64_t revision, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_CHANGE_ADD, &stmt, err));
    mn_bind_integer(stmt, ":kind", kind);
    mn_bind_text(stmt, ":tenant", tenant);
    mn_bind_text(stmt, ":owner", owner);
    mn_bind_text(stmt, ":id", id);
    mn_bind_integer(stmt, ":revision", revision);
    mn_bind_integer(stmt, ":at_ms", w->commit->now_ms);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (w->known)
        w->known->state.changes = sqlite3_last_insert_rowid(mn_sqlite_handle(w->db));
    return MNEME_OK;
}

enum mneme_status mn_write_usage_moved(const struct mn_writing *w, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_run(w->db, SQL_SQLITE_USAGE_MOVED, err));
    if (w->known)
        w->known->state.usage++;
    return MNEME_OK;
}

enum mneme_status mn_write_exists(const struct mn_writing *w, const char *sql, const char *tenant,
                                  const char *id, bool *ret_exists, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, sql, &stmt, err));
    mn_bind_text(stmt, ":tenant", tenant);
    mn_bind_text(stmt, ":id", id);
    return mn_sqlite_step(stmt, ret_exists, err);
}

/* ---- events ---- */

static enum mneme_status find_event(const struct mn_writing *w, const struct mneme_event *event,
                                    bool *ret_found, bool *ret_same, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    struct mneme_event there = MNEME_EVENT_INIT;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_EVENT_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", event->tenant_id);
    mn_bind_text(stmt, ":owner", event->user_id);
    mn_bind_text(stmt, ":id", event->id);
    MN_TRY(mn_sqlite_step(stmt, ret_found, err));
    if (!*ret_found)
        return MNEME_OK;
    reader.stmt = stmt;
    mn_row_read_event(&reader, &there);
    *ret_same = mn_same(there.text, event->text) && mn_same(there.session_id, event->session_id);
    return mn_read_end(&reader, err);
}

static enum mneme_status place_event(const struct mn_writing *w, const struct mneme_event *event,
                                     int64_t *ret_place, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    bool row = false;

    *ret_place = event->order;
    if (event->order >= 0)
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_SESSION_LAST_PLACE, &stmt, err));
    mn_bind_text(stmt, ":tenant", event->tenant_id);
    mn_bind_text(stmt, ":owner", event->user_id);
    mn_bind_text(stmt, ":session_id", event->session_id);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    *ret_place = row ? mn_read_integer(&reader) + 1 : 0;
    return MNEME_OK;
}

static enum mneme_status insert_event(const struct mn_writing *w, const struct mneme_event *event,
                                      int64_t place, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    const char *embed_hash = "";
    enum mneme_status status;

    MN_TRY(mn_row_event_embed_hash(event, w->arena, &embed_hash, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_EVENT_INSERT, &stmt, err));
    mn_bind_text(stmt, ":tenant", event->tenant_id);
    mn_bind_text(stmt, ":owner", event->user_id);
    mn_bind_text(stmt, ":id", event->id);
    mn_bind_text(stmt, ":agent_id", event->agent_id);
    mn_bind_text(stmt, ":session_id", event->session_id);
    mn_bind_integer(stmt, ":place", place);
    mn_bind_text(stmt, ":role", event->role);
    mn_bind_text(stmt, ":speaker", event->speaker);
    mn_bind_text(stmt, ":text", event->text);
    mn_bind_integer(stmt, ":event_time_ms", event->event_time_ms);
    mn_bind_integer(stmt, ":recallable",
                    event->not_recallable == MN_TURN_WITHHELD ? 2 : !event->not_recallable);
    mn_bind_text(stmt, ":attributes", mn_empty(event->attributes) ? "{}" : event->attributes);
    mn_bind_integer(stmt, ":created_at_ms", w->commit->now_ms);
    mn_bind_text(stmt, ":embed_hash", embed_hash);
    status = mn_sqlite_done(stmt, err);
    if (status == MNEME_CONFLICT)
        return mn_fail(err, MNEME_CONFLICT, "id: %.200s is taken", event->id);
    return status;
}

static enum mneme_status touch_session(const struct mn_writing *w, const struct mneme_event *event,
                                       const char *task_id, int64_t place, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_SESSION_TOUCH, &stmt, err));
    mn_bind_text(stmt, ":tenant", event->tenant_id);
    mn_bind_text(stmt, ":owner", event->user_id);
    mn_bind_text(stmt, ":session_id", event->session_id);
    mn_bind_text(stmt, ":agent_id", event->agent_id);
    mn_bind_text(stmt, ":task_id", mn_or_empty(task_id));
    mn_bind_integer(stmt, ":event_time_ms", event->event_time_ms);
    mn_bind_integer(stmt, ":place", place);
    mn_bind_integer(stmt, ":now_ms", w->commit->now_ms);
    return mn_sqlite_done(stmt, err);
}

enum mneme_status mn_write_event(const struct mn_writing *w, const struct mneme_event *event,
                                 const char *task_id, struct mn_written *ret_written,
                                 struct mneme_error *err)
{
    bool found = false;
    bool same = false;
    bool taken = false;
    int64_t place = 0;

    MN_TRY(find_event(w, event, &found, &same, err));
    if (!found)
        MN_TRY(mn_archived_event(w, event, &found, &same, err));
    if (found && !same)
        return mn_fail(err, MNEME_CONFLICT, "id: %.200s is there with another text or session",
                       event->id);
    if (found) {
        *ret_written = (struct mn_written){ .revision = 1, .unchanged = true };
        return MNEME_OK;
    }
    MN_TRY(mn_write_exists(w, SQL_SQLITE_MEMORY_EXISTS, event->tenant_id, event->id, &taken, err));
    if (taken)
        return mn_fail(err, MNEME_CONFLICT, "id: %.200s is taken", event->id);
    MN_TRY(mn_tombstone_check(w, event->tenant_id, event->id, (struct mneme_list){ 0 }, err));
    MN_TRY(place_event(w, event, &place, err));
    MN_TRY(insert_event(w, event, place, err));
    MN_TRY(touch_session(w, event, task_id, place, err));
    *ret_written = (struct mn_written){ .revision = 1 };
    return mn_write_change(w, MN_CHANGE_EVENT, event->tenant_id, event->user_id, event->id, 1, err);
}

enum mneme_status mn_write_event_back(const struct mn_writing *w, const struct mneme_event *event,
                                      struct mneme_error *err)
{
    MN_TRY(mn_tombstone_check(w, event->tenant_id, event->id, (struct mneme_list){ 0 }, err));
    MN_TRY(insert_event(w, event, event->order, err));
    return mn_write_change(w, MN_CHANGE_EVENT, event->tenant_id, event->user_id, event->id, 1, err);
}

/* ---- checkpoints ---- */

static enum mneme_status find_task_state(const struct mn_writing *w,
                                         const struct mneme_task_state *state, bool *ret_same,
                                         int64_t *ret_revision, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    int64_t updated_at_ms;
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TASK_STATE_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", state->tenant_id);
    mn_bind_text(stmt, ":owner", state->user_id);
    mn_bind_text(stmt, ":session_id", state->session_id);
    mn_bind_text(stmt, ":task_id", state->task_id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    *ret_revision = 0;
    if (!found)
        return MNEME_OK;
    reader.stmt = stmt;
    *ret_same = mn_same(mn_read_text(&reader), state->state);
    updated_at_ms = mn_read_integer(&reader);
    *ret_same = *ret_same && state->updated_at_ms <= updated_at_ms;
    *ret_revision = mn_read_integer(&reader);
    return mn_read_end(&reader, err);
}

enum mneme_status mn_write_task_state(const struct mn_writing *w,
                                      const struct mneme_task_state *state, int64_t expected,
                                      struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    int64_t revision = 0;
    bool same = false;

    MN_TRY(find_task_state(w, state, &same, &revision, err));
    if ((expected > 0 && revision != expected) || (expected == MN_REVISION_ABSENT && revision > 0))
        return mn_fail(err, MNEME_CONFLICT, "revision: the checkpoint has %lld",
                       (long long)revision);
    if (same) {
        *ret_written = (struct mn_written){ .revision = revision, .unchanged = true };
        return MNEME_OK;
    }
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TASK_STATE_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", state->tenant_id);
    mn_bind_text(stmt, ":owner", state->user_id);
    mn_bind_text(stmt, ":session_id", state->session_id);
    mn_bind_text(stmt, ":task_id", state->task_id);
    mn_bind_text(stmt, ":state", mn_empty(state->state) ? "{}" : state->state);
    mn_bind_integer(stmt, ":updated_at_ms",
                    state->updated_at_ms ? state->updated_at_ms : w->commit->now_ms);
    mn_bind_integer(stmt, ":revision", revision + 1);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_written = (struct mn_written){ .revision = revision + 1, .replaced = revision > 0 };
    return mn_write_change(w, MN_CHANGE_TASK_STATE, state->tenant_id, state->user_id,
                           state->task_id, revision + 1, err);
}

/* ---- edges ---- */

/* *ret_revision: 0 when it is not there. */
static enum mneme_status find_edge(const struct mn_writing *w, const struct mneme_edge *edge,
                                   bool *ret_same, int64_t *ret_revision, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    struct mneme_edge there = *edge; /* key and aliases are compared elsewhere */
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_EDGE_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", edge->tenant_id);
    mn_bind_text(stmt, ":owner", edge->user_id);
    mn_bind_text(stmt, ":id", edge->id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    *ret_revision = 0;
    if (!found)
        return MNEME_OK;
    reader.stmt = stmt;
    there.source = mn_read_text(&reader);
    there.relation = mn_read_text(&reader);
    there.target = mn_read_text(&reader);
    there.origin = mn_read_text(&reader);
    there.confidence = mn_read_real(&reader);
    there.valid_from_ms = mn_read_integer(&reader);
    there.valid_until_ms = mn_read_integer(&reader);
    there.provenance = mn_read_list(&reader);
    *ret_revision = mn_read_integer(&reader);
    MN_TRY(mn_read_end(&reader, err));
    *ret_same = mn_fields_same(&mn_edge_fields, &there, edge);
    return MNEME_OK;
}

static bool holds(struct mneme_list list, const char *text)
{
    for (size_t i = 0; i < list.count; i++) {
        if (mn_same(list.item[i], text))
            return true;
    }
    return false;
}

/* The entity's aliases and the given ones. *ret_grown: there was no such entity, or fewer of them.
 */
static enum mneme_status join_aliases(const struct mn_writing *w, const struct mneme_edge *edge,
                                      const char *name, struct mneme_list given,
                                      struct mneme_list *ret_all, bool *ret_grown,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    struct mneme_list known = { NULL, 0 };
    const char **all;
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_ENTITY_ALIASES, &stmt, err));
    mn_bind_text(stmt, ":tenant", edge->tenant_id);
    mn_bind_text(stmt, ":owner", edge->user_id);
    mn_bind_text(stmt, ":name", name);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    reader.stmt = stmt;
    if (found)
        known = mn_read_list(&reader);
    MN_TRY(mn_read_end(&reader, err));

    all = mn_arena_array(w->arena, const char *, known.count + given.count + 1);
    if (!all)
        return mn_fail_memory(err);
    *ret_all = (struct mneme_list){ all, 0 };
    for (size_t i = 0; i < known.count; i++)
        all[ret_all->count++] = known.item[i];
    for (size_t i = 0; i < given.count; i++) {
        if (!holds(*ret_all, given.item[i]))
            all[ret_all->count++] = given.item[i];
    }
    *ret_grown = !found || ret_all->count > known.count;
    return MNEME_OK;
}

static enum mneme_status keep_entity(const struct mn_writing *w, const struct mneme_edge *edge,
                                     const char *name, struct mneme_list aliases, bool *grown,
                                     struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mneme_list all;
    bool more = false;

    MN_TRY(join_aliases(w, edge, name, aliases, &all, &more, err));
    if (!more)
        return MNEME_OK;
    if (all.count > MNEME_LIST_ITEMS_MAX)
        return mn_fail(err, MNEME_LIMIT, "aliases: %zu of %.100s, at most %d", all.count, name,
                       MNEME_LIST_ITEMS_MAX);
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_ENTITY_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", edge->tenant_id);
    mn_bind_text(stmt, ":owner", edge->user_id);
    mn_bind_text(stmt, ":name", name);
    mn_bind_list(stmt, ":aliases", all);
    *grown = true;
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status put_edge(const struct mn_writing *w, const struct mneme_edge *edge,
                                  int64_t revision, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_EDGE_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", edge->tenant_id);
    mn_bind_text(stmt, ":owner", edge->user_id);
    mn_bind_text(stmt, ":id", edge->id);
    mn_bind_text(stmt, ":source", edge->source);
    mn_bind_text(stmt, ":relation", edge->relation);
    mn_bind_text(stmt, ":target", edge->target);
    mn_bind_text(stmt, ":origin", edge->origin);
    mn_bind_real(stmt, ":confidence", edge->confidence);
    mn_bind_integer(stmt, ":valid_from_ms", edge->valid_from_ms);
    mn_bind_integer(stmt, ":valid_until_ms", edge->valid_until_ms);
    mn_bind_list(stmt, ":provenance", edge->provenance);
    mn_bind_integer(stmt, ":revision", revision);
    mn_bind_integer(stmt, ":now_ms", w->commit->now_ms);
    return mn_sqlite_done(stmt, err);
}

enum mneme_status mn_write_edge(const struct mn_writing *w, const struct mneme_edge *edge,
                                struct mn_written *ret_written, struct mneme_error *err)
{
    struct mneme_edge whole;
    int64_t revision = 0;
    bool same = false;
    bool grown = false;

    MN_TRY(mn_edge_complete(edge, w->arena, &whole, err));
    MN_TRY(find_edge(w, &whole, &same, &revision, err));
    MN_TRY(keep_entity(w, &whole, whole.source, whole.source_aliases, &grown, err));
    MN_TRY(keep_entity(w, &whole, whole.target, whole.target_aliases, &grown, err));
    if (same && !grown) {
        *ret_written = (struct mn_written){ .revision = revision, .unchanged = true };
        return MNEME_OK;
    }
    MN_TRY(mn_tombstone_check(w, whole.tenant_id, whole.id, whole.provenance, err));
    MN_TRY(put_edge(w, &whole, revision + 1, err));
    *ret_written = (struct mn_written){ .revision = revision + 1, .replaced = revision > 0 };
    return mn_write_change(w, MN_CHANGE_EDGE, whole.tenant_id, whole.user_id, whole.id,
                           revision + 1, err);
}

/* ---- rules ---- */

/* A rule belongs to its memory's owner. */
static enum mneme_status find_owner(const struct mn_writing *w, const struct mneme_rule *rule,
                                    const char **ret_owner, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_OWNER, &stmt, err));
    mn_bind_text(stmt, ":tenant", rule->tenant_id);
    mn_bind_text(stmt, ":id", rule->memory_id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    if (!found)
        return mn_fail(err, MNEME_INVALID, "memory_id: there is no memory %.200s", rule->memory_id);
    reader.stmt = stmt;
    *ret_owner = mn_read_text(&reader);
    return mn_read_end(&reader, err);
}

static enum mneme_status find_rule(const struct mn_writing *w, const struct mneme_rule *rule,
                                   const char *owner, bool *ret_same, int64_t *ret_revision,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    struct mneme_rule there = *rule;
    bool same_owner;
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_RULE_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", rule->tenant_id);
    mn_bind_text(stmt, ":id", rule->id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    *ret_revision = 0;
    if (!found)
        return MNEME_OK;
    reader.stmt = stmt;
    same_owner = mn_same(mn_read_text(&reader), owner);
    there.memory_id = mn_read_text(&reader);
    there.trigger_type = (enum mneme_trigger)mn_read_integer(&reader);
    there.trigger_value = mn_read_text(&reader);
    there.priority = mn_read_integer(&reader);
    there.disabled = (int)mn_read_integer(&reader);
    *ret_revision = mn_read_integer(&reader);
    MN_TRY(mn_read_end(&reader, err));
    if (!same_owner)
        return mn_fail(err, MNEME_CONFLICT, "id: %.200s is taken", rule->id);
    *ret_same = mn_fields_same(&mn_rule_fields, &there, rule) && !there.disabled == !rule->disabled;
    return MNEME_OK;
}

enum mneme_status mn_write_rule(const struct mn_writing *w, const struct mneme_rule *rule,
                                struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mneme_rule whole;
    const char *owner = "";
    int64_t revision = 0;
    bool same = false;

    MN_TRY(mn_rule_complete(rule, w->arena, &whole, err));
    MN_TRY(find_owner(w, &whole, &owner, err));
    MN_TRY(find_rule(w, &whole, owner, &same, &revision, err));
    if (same) {
        *ret_written = (struct mn_written){ .revision = revision, .unchanged = true };
        return MNEME_OK;
    }
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_RULE_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", whole.tenant_id);
    mn_bind_text(stmt, ":owner", owner);
    mn_bind_text(stmt, ":id", whole.id);
    mn_bind_text(stmt, ":memory_id", whole.memory_id);
    mn_bind_integer(stmt, ":trigger_type", whole.trigger_type);
    mn_bind_text(stmt, ":trigger_value", whole.trigger_value);
    mn_bind_integer(stmt, ":priority", whole.priority);
    mn_bind_integer(stmt, ":disabled", whole.disabled != 0);
    mn_bind_integer(stmt, ":revision", revision + 1);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_written = (struct mn_written){ .revision = revision + 1, .replaced = revision > 0 };
    return mn_write_change(w, MN_CHANGE_RULE, whole.tenant_id, owner, whole.id, revision + 1, err);
}

/* ---- beside the rows ---- */

/* Indexes hold the confidence of memories. */
static enum mneme_status tell_indexes(const struct mn_writing *w, const struct mneme_usage *usage,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_OWNER, &stmt, err));
    mn_bind_text(stmt, ":tenant", usage->tenant_id);
    mn_bind_text(stmt, ":id", usage->memory_id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    if (!found)
        return MNEME_OK; /* of an event */
    reader.stmt = stmt;
    const char *owner = mn_read_text(&reader);
    MN_TRY(mn_read_end(&reader, err));
    return mn_write_change(w, MN_CHANGE_VECTOR, usage->tenant_id, owner, usage->memory_id, 0, err);
}

enum mneme_status mn_write_usage(const struct mn_writing *w, const struct mneme_usage *usage,
                                 bool add, struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    double former = -1.0;
    bool written;

    if (usage->confidence >= 0.0)
        MN_TRY(mn_write_confidence(w, usage->tenant_id, usage->memory_id, &former, err));
    MN_TRY(mn_sqlite_prepare(w->db, add ? SQL_SQLITE_USAGE_ADD : SQL_SQLITE_USAGE_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", usage->tenant_id);
    mn_bind_text(stmt, ":memory_id", usage->memory_id);
    mn_bind_integer(stmt, ":last_accessed_at_ms", usage->last_accessed_at_ms);
    mn_bind_integer(stmt, ":access_count", usage->access_count);
    mn_bind_integer(stmt, ":used_count", usage->used_count);
    mn_bind_real(stmt, ":confidence", usage->confidence);
    mn_bind_integer(stmt, ":confidence_computed_at_ms", usage->confidence_computed_at_ms);
    MN_TRY(mn_sqlite_done(stmt, err));
    written = mn_sqlite_changed(w->db) > 0;
    if (!written && !add)
        return mn_fail(err, MNEME_INVALID, "memory_id: there is no memory %.200s",
                       usage->memory_id);
    *ret_written = (struct mn_written){ .unchanged = !written };
    if (!written)
        return MNEME_OK;
    if (usage->confidence >= 0.0 && usage->confidence != former)
        MN_TRY(tell_indexes(w, usage, err));
    /* The rest leaves no change; that it moved must be seen all the same (row_cache.h). */
    return mn_write_usage_moved(w, err);
}

static enum mneme_status put_vector(const struct mn_writing *w, const struct mn_vector_row *vector,
                                    const char *profile, size_t dim, const void *blob, size_t bytes,
                                    struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_VECTOR_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", vector->partition.tenant);
    mn_bind_text(stmt, ":owner", vector->partition.owner);
    mn_bind_text(stmt, ":unit", vector->unit_id);
    mn_bind_text(stmt, ":profile", profile);
    mn_bind_text(stmt, ":text_hash", vector->text_hash);
    mn_bind_integer(stmt, ":dim", (int64_t)dim);
    mn_bind_blob(stmt, ":vector", blob, bytes);
    return mn_sqlite_done(stmt, err);
}

enum mneme_status mn_write_vector(const struct mn_writing *w, const struct mn_vector_row *vector,
                                  struct mn_written *ret_written, struct mneme_error *err)
{
    const struct mn_index_row made = { .index = vector->profile,
                                       .partition = vector->partition,
                                       .unit = vector->unit_id };
    const struct mn_str *tokens = vector->tokens;
    size_t numbers = vector->dim * (1 + vector->passage_count);
    uint16_t *half = mn_arena_array(w->arena, uint16_t, numbers + 1);

    if (!half)
        return mn_fail_memory(err);
    if (vector->dim == 0 || !mn_half_pack(vector->vector, numbers, half))
        return mn_fail(err, MNEME_INVALID, "vector: empty, or a component is no number");
    if (tokens)
        MN_TRY(put_vector(w, vector, vector->tokens_profile, MN_TOKEN_AXES,
                          tokens->bytes ? tokens->at : "", tokens->bytes, err));
    MN_TRY(put_vector(w, vector, vector->profile, vector->dim, half, numbers * sizeof *half,
                      err));
    *ret_written = (struct mn_written){ .unchanged = mn_sqlite_changed(w->db) == 0 };
    if (ret_written->unchanged)
        return MNEME_OK;
    MN_TRY(mn_write_index(w, &made, err));
    return mn_write_change(w, MN_CHANGE_VECTOR, vector->partition.tenant, vector->partition.owner,
                           vector->unit_id, 0, err);
}

enum mneme_status mn_write_trace(const struct mn_writing *w, const struct mn_trace_row *trace,
                                 struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool erased = false;

    MN_TRY(mn_tombstone_covers(w, trace, &erased, err));
    if (erased) { /* what it tells of was erased while it waited */
        *ret_written = (struct mn_written){ .unchanged = true };
        return MNEME_OK;
    }
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TRACE_PUT, &stmt, err));
    mn_bind_text(stmt, ":tenant", trace->tenant);
    mn_bind_text(stmt, ":trace_id", trace->trace_id);
    mn_bind_text(stmt, ":user", trace->user);
    mn_bind_integer(stmt, ":at_ms", trace->at_ms);
    mn_bind_text(stmt, ":json", trace->json);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_written = (struct mn_written){ .unchanged = mn_sqlite_changed(w->db) == 0 };
    return MNEME_OK;
}
