/*
 * sqlite_around.c - what stands around memories: rules, checkpoints, edges, traces.
 *
 * Most partitions have no rule and no edge: that is known without a question (sqlite_now.c).
 */
#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"

enum mneme_status mn_sqlite_rules_active(struct mn_store *store, const struct mn_access *access,
                                         struct mn_arena *arena, struct mn_rules *ret_rules,
                                         struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mneme_rule *item;
        size_t count, room;
    } rules = { 0 };
    struct {
        const char **item;
        size_t count, room;
    } owners = { 0 };
    bool row = false;
    bool any = false;

    MN_TRY(mn_now_any(store, (struct mn_partition){ access->tenant, access->user }, MN_LIST_RULES,
                      &any, err));
    if (!any)
        MN_TRY(mn_now_any(store, (struct mn_partition){ access->tenant, "" }, MN_LIST_RULES, &any,
                          err));
    if (!any) {
        *ret_rules = (struct mn_rules){ 0 };
        return MNEME_OK;
    }
    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_RULES_ACTIVE, &stmt, err));
    mn_bind_access(stmt, access);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_rule *rule;
        const char **owner;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        rule = mn_array_add(arena, &rules);
        owner = mn_array_add(arena, &owners);
        if (!rule || !owner)
            return mn_fail_memory(err);
        mn_row_read_rule(&reader, rule, owner);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_rules = (struct mn_rules){ rules.item, owners.item, rules.count };
    return MNEME_OK;
}

enum mneme_status mn_sqlite_task_states(struct mn_store *store, const struct mn_access *access,
                                        struct mn_arena *arena, struct mn_task_states *ret_states,
                                        struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mneme_task_state *item;
        size_t count, room;
    } states = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_TASK_STATES_OF_TASK, &stmt, err));
    mn_bind_access(stmt, access);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_task_state *state;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        state = mn_array_add(arena, &states);
        if (!state)
            return mn_fail_memory(err);
        mn_row_read_task_state(&reader, state);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_states = (struct mn_task_states){ states.item, states.count, NULL };
    return MNEME_OK;
}

enum mneme_status mn_sqlite_edges(struct mn_store *store, struct mn_partition partition, bool past,
                                  struct mn_arena *arena, struct mn_edges *ret_edges,
                                  struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mneme_edge *item;
        size_t count, room;
    } edges = { 0 };
    bool row = false;
    bool stands = false;
    bool any = false;

    MN_TRY(mn_now_any(store, partition, MN_LIST_EDGES, &any, err));
    if (!any) {
        *ret_edges = (struct mn_edges){ 0 };
        return MNEME_OK;
    }
    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_EDGES_OF_PARTITION, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_integer(stmt, ":past", past);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_edge *edge;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        edge = mn_array_add(arena, &edges);
        if (!edge)
            return mn_fail_memory(err);
        mn_row_read_edge(&reader, edge);
        stands = mn_read_integer(&reader) != 0 || edge->provenance.count > 0;
        MN_TRY(mn_read_end(&reader, err));
        edges.count -= !stands;
    }
    *ret_edges = (struct mn_edges){ edges.item, edges.count };
    return MNEME_OK;
}

enum mneme_status mn_sqlite_trace_get(struct mn_store *store, const char *tenant,
                                      const char *trace_id, struct mn_arena *arena,
                                      const char **ret_json, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    const char *json;
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_TRACE_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", tenant);
    mn_bind_text(stmt, ":trace_id", trace_id);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    if (!row)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no trace %.200s", trace_id);
    reader.stmt = stmt;
    json = mn_read_text(&reader);
    MN_TRY(mn_read_end(&reader, err));
    *ret_json = json;
    return MNEME_OK;
}
