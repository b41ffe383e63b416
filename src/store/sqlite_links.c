/*
 * sqlite_links.c - what stays, and names something that goes.
 *
 * Each kind is read once over the tenant and what has to change is noted, then changed: a table is
 * not written while it is read. A rule, a question or a trace that names an erased unit goes; an edge
 * loses the evidence, and goes too when it has none left; a checkpoint loses what was drawn from an
 * erased turn, and goes when that was all it said. Memories: sqlite_derived.c.
 */
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_erase.h"

struct link {
    const char *owner;
    const char *id;
    struct mneme_list provenance; /* what is left of it */
    const char *source;           /* of an edge */
    const char *target;
    int64_t seq; /* of a change */
    bool goes;
};
struct links {
    struct link *item;
    size_t count, room;
};

static enum mneme_status add_link(struct mn_arena *arena, struct links *links, struct link link,
                                  struct mneme_error *err)
{
    struct link *place = mn_array_add(arena, links);

    if (!place)
        return mn_fail_memory(err);
    *place = link;
    return MNEME_OK;
}

/* The entries that stay, in place. */
static struct mneme_list shorten(const struct mn_erasing *e, struct mneme_list list)
{
    const char **item = (const char **)(uintptr_t)list.item;
    size_t count = 0;

    for (size_t i = 0; i < list.count; i++)
        if (!mn_erasing_has(e, item[i], strlen(item[i])))
            item[count++] = item[i];
    return (struct mneme_list){ item, count };
}

static enum mneme_status begin(const struct mn_erasing *e, const char *sql, const char *owner,
                               struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_prepare(e->w->db, sql, ret_stmt, err));
    mn_bind_text(*ret_stmt, ":tenant", e->what->tenant_id);
    if (owner)
        mn_bind_text(*ret_stmt, ":owner", owner);
    return MNEME_OK;
}

/* A row named by (tenant, owner, id), taken out. owner NULL: the statement asks for none. */
static enum mneme_status remove_row(struct mn_erasing *e, const char *sql, const char *owner,
                                    const char *id, enum mn_erased_kind kind,
                                    struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(e, sql, owner, &stmt, err));
    mn_bind_text(stmt, ":id", id);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[kind]++;
    return MNEME_OK;
}

/* Of what goes and is no unit: its id goes from the log of changes as well, and the partition's
 * indexes are told without it. */
static enum mneme_status note_gone(struct mn_erasing *e, const struct link *link,
                                   struct mneme_error *err)
{
    const char *owner = mn_arena_copy(e->arena, link->owner);
    const char *id = mn_arena_copy(e->arena, link->id);

    if (!owner || !id)
        return mn_fail_memory(err);
    MN_TRY(mn_erasing_add_partition(e, owner, err));
    return mn_erasing_add(e, id, err);
}

/* ---- rules and questions ---- */

/* Rows of owner, id and what they name: an id, or with is_list a list of them. */
static enum mneme_status remove_naming(struct mn_erasing *e, const char *find_sql,
                                       const char *remove_sql, bool is_list,
                                       enum mn_erased_kind kind, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 30);
    MN_STMT_AUTO stmt = NULL;
    struct links found = { 0 };
    bool row = false;

    MN_TRY(begin(e, find_sql, NULL, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct link link = { 0 };

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        link.owner = mn_read_text(&reader);
        link.id = mn_read_text(&reader);
        if (is_list) {
            struct mneme_list list = mn_read_list(&reader);

            for (size_t i = 0; i < list.count; i++)
                link.goes = link.goes || mn_erasing_has(e, list.item[i], strlen(list.item[i]));
        } else {
            const char *named = mn_read_text(&reader);

            link.goes = mn_erasing_has(e, named, strlen(named));
        }
        MN_TRY(mn_read_end(&reader, err));
        if (link.goes)
            MN_TRY(add_link(arena, &found, link, err));
    }
    for (size_t i = 0; i < found.count; i++) {
        MN_TRY(remove_row(e, remove_sql, found.item[i].owner, found.item[i].id, kind, err));
        MN_TRY(note_gone(e, &found.item[i], err));
    }
    return MNEME_OK;
}

/* ---- edges ---- */

static enum mneme_status find_edges(struct mn_erasing *e, struct mn_arena *arena,
                                    struct links *found, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_EDGES_NAMING, NULL, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct link link = { 0 };
        size_t evidence, gone;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        link.owner = mn_read_text(&reader);
        link.id = mn_read_text(&reader);
        link.provenance = mn_read_list(&reader);
        link.source = mn_read_text(&reader);
        link.target = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        mn_erasing_judge(e, link.provenance, &evidence, &gone);
        if (gone == 0)
            continue;
        link.goes = gone == evidence;
        link.provenance = shorten(e, link.provenance);
        MN_TRY(add_link(arena, found, link, err));
    }
}

static enum mneme_status shorten_edge(struct mn_erasing *e, const struct link *link,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_EDGE_SHORTEN, link->owner, &stmt, err));
    mn_bind_list(stmt, ":provenance", link->provenance);
    mn_bind_text(stmt, ":id", link->id);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_SHORTENED]++;
    return MNEME_OK;
}

/* Entities that no edge names any more. */
static enum mneme_status remove_entities(struct mn_erasing *e, const char *owner,
                                         struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_ENTITIES_ALONE, owner, &stmt, err));
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_ENTITY] += (size_t)mn_sqlite_changed(e->w->db);
    return MNEME_OK;
}

static enum mneme_status unlink_edges(struct mn_erasing *e, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 30);
    struct links found = { 0 };

    MN_TRY(find_edges(e, arena, &found, err));
    for (size_t i = 0; i < found.count; i++) {
        const struct link *link = &found.item[i];

        if (link->goes) {
            MN_TRY(mn_erasing_keep(e, link->owner, link->source, strlen(link->source), false, false,
                                   err));
            MN_TRY(mn_erasing_keep(e, link->owner, link->target, strlen(link->target), false, false,
                                   err));
            MN_TRY(remove_row(e, SQL_SQLITE_ERASE_EDGE, link->owner, link->id, MN_ERASED_EDGE, err));
            MN_TRY(note_gone(e, link, err));
        } else {
            MN_TRY(shorten_edge(e, link, err));
            MN_TRY(mn_write_change(e->w, MN_CHANGE_EDGE, e->what->tenant_id, link->owner, link->id,
                                   0, err));
        }
    }
    for (size_t i = 0; i < found.count; i++)
        if (found.item[i].goes)
            MN_TRY(remove_entities(e, found.item[i].owner, err));
    return MNEME_OK;
}

/* ---- checkpoints ---- */

static enum mneme_status find_drawn(struct mn_erasing *e, struct mn_arena *arena,
                                    struct links *found, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_CHECKPOINTS_DRAWN, NULL, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct link link = { 0 };
        struct mneme_list from;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        link.owner = mn_read_text(&reader);
        link.source = mn_read_text(&reader); /* its session */
        link.id = mn_read_text(&reader);
        from = mn_read_list(&reader);
        MN_TRY(mn_read_end(&reader, err));
        for (size_t i = 0; i < from.count && !link.goes; i++)
            link.goes = mn_erasing_has(e, from.item[i], strlen(from.item[i]));
        if (link.goes)
            MN_TRY(add_link(arena, found, link, err));
    }
}

static enum mneme_status unlink_checkpoint(struct mn_erasing *e, const struct link *link,
                                           const char *sql, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(e, sql, link->owner, &stmt, err));
    mn_bind_text(stmt, ":session_id", link->source);
    mn_bind_text(stmt, ":id", link->id);
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status unlink_checkpoints(struct mn_erasing *e, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 30);
    struct links found = { 0 };

    MN_TRY(find_drawn(e, arena, &found, err));
    for (size_t i = 0; i < found.count; i++) {
        const struct link *link = &found.item[i];

        MN_TRY(unlink_checkpoint(e, link, SQL_SQLITE_ERASE_PENDING, err));
        MN_TRY(unlink_checkpoint(e, link, SQL_SQLITE_ERASE_CHECKPOINT_EMPTY, err));
        e->out->counts[MN_ERASED_TASK_STATE]++;
        MN_TRY(mn_write_change(e->w, MN_CHANGE_TASK_STATE, e->what->tenant_id, link->owner, link->id,
                               0, err));
    }
    return MNEME_OK;
}

/* ---- traces and changes ---- */

static bool names_erased(const struct mn_erasing *e, struct mn_str json)
{
    MN_BUF_AUTO room = { 0 };
    struct mn_str string;

    for (size_t at = 0; mn_json_next_string(json, &at, &room, &string);)
        if (mn_erasing_has(e, string.at, string.bytes))
            return true;
    return room.failed; /* one that cannot be read goes */
}

static enum mneme_status unlink_traces(struct mn_erasing *e, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 30);
    MN_STMT_AUTO stmt = NULL;
    struct links found = { 0 };
    bool row = false;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_TRACES_NAMING, NULL, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_reader second = { .stmt = stmt, .column = 1 };
        struct mn_str json;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        json.at = mn_read_bytes(&second, &json.bytes);
        if (!json.at || !names_erased(e, json))
            continue;
        MN_TRY(add_link(arena, &found, (struct link){ .id = mn_read_text(&reader) }, err));
        MN_TRY(mn_read_end(&reader, err));
    }
    for (size_t i = 0; i < found.count; i++)
        MN_TRY(remove_row(e, SQL_SQLITE_ERASE_TRACE, NULL, found.item[i].id, MN_ERASED_TRACE, err));
    return MNEME_OK;
}

/* Earlier changes of what goes: they hold its ids. */
static enum mneme_status unlink_changes(struct mn_erasing *e, const char *owner,
                                        struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 30);
    MN_STMT_AUTO stmt = NULL;
    struct links found = { 0 };
    bool row = false;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_CHANGES_NAMING, owner, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt };
        struct link link = { 0 };
        size_t bytes;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        link.seq = mn_read_integer(&reader);
        link.id = mn_read_bytes(&reader, &bytes);
        if (link.id && mn_erasing_has(e, link.id, bytes))
            MN_TRY(add_link(arena, &found, (struct link){ .seq = link.seq }, err));
    }
    for (size_t i = 0; i < found.count; i++) {
        MN_STMT_AUTO remove = NULL;

        MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_CHANGE, &remove, err));
        mn_bind_integer(remove, ":seq", found.item[i].seq);
        MN_TRY(mn_sqlite_done(remove, err));
        e->out->counts[MN_ERASED_CHANGE]++;
    }
    return MNEME_OK;
}

enum mneme_status mn_erasing_unlink(struct mn_erasing *e, struct mneme_error *err)
{
    if (e->what->scope == MNEME_ERASE_TENANT)
        return MNEME_OK; /* nothing of it is left */
    MN_TRY(remove_naming(e, SQL_SQLITE_ERASE_RULES_NAMING, SQL_SQLITE_ERASE_RULE, false,
                         MN_ERASED_RULE, err));
    MN_TRY(remove_naming(e, SQL_SQLITE_ERASE_CLARIFICATIONS_NAMING, SQL_SQLITE_ERASE_CLARIFICATION,
                         true, MN_ERASED_CLARIFICATION, err));
    MN_TRY(unlink_edges(e, err));
    MN_TRY(unlink_checkpoints(e, err));
    MN_TRY(mn_erasing_unlink_memories(e, err));
    MN_TRY(unlink_traces(e, err));
    for (size_t i = 0; i < e->out->partitions.count; i++)
        MN_TRY(unlink_changes(e, e->out->partitions.item[i].owner, err));
    return MNEME_OK;
}
