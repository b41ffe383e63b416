/*
 * sqlite_alike.c - what a writer looks at before it adds a memory, and the questions it leaves open.
 *
 * Two writers that look at the same moment both find nothing, and would both insert. The mark that
 * is read with the look-alikes closes that gap: a guard among the writes has it compared again
 * inside the transaction, where nobody else writes, and refuses the request when it has moved.
 *
 * Rewordings have another text and often no key: the mark does not move for them. So the guard also
 * looks at the rows that were written since the index was asked for look-alikes.
 *
 * Both are asked of what this handle remembers having written (fresh_rows.h) where that reaches back to
 * the look and nobody else has written since; otherwise of the file.
 *
 * And what a request with an idempotency key was answered, so that the same one again is answered
 * alike and writes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"

#define GUARD_BYTES_MAX ((size_t)8 << 20)

static enum mneme_status read_mark(struct mn_sqlite *db, struct mn_partition partition,
                                   const char *content_hash, const char *memory_key,
                                   struct mn_arena *arena, struct mn_alike_mark *ret_mark,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_MEMORIES_ALIKE_MARK, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":content_hash", content_hash);
    mn_bind_text(stmt, ":memory_key", memory_key);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    ret_mark->rows = row ? mn_read_integer(&reader) : 0;
    ret_mark->revisions = row ? mn_read_integer(&reader) : 0;
    return mn_read_end(&reader, err);
}

static enum mneme_status read_alike(struct mn_sqlite *db, const struct mneme_memory *like,
                                    struct mn_arena *arena, struct mn_rows *rows,
                                    struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_MEMORIES_ALIKE, &stmt, err));
    mn_bind_text(stmt, ":tenant", like->tenant_id);
    mn_bind_text(stmt, ":owner", like->user_id);
    mn_bind_text(stmt, ":content_hash", like->content_hash);
    mn_bind_text(stmt, ":memory_key", like->memory_key);
    mn_bind_text(stmt, ":agent_id", like->agent_id);
    mn_bind_integer(stmt, ":scope_kind", like->scope_kind);
    mn_bind_text(stmt, ":scope_id", like->scope_id);
    for (;;) {
        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        MN_TRY(mn_row_add(stmt, arena, rows, NULL, err));
    }
}

enum mneme_status mn_sqlite_memories_alike(struct mn_store *store, const struct mneme_memory *like,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mn_alike_mark *ret_mark, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_rows rows = { 0 };
    struct mn_alike_mark mark = { 0 };
    struct mn_row_state state;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(read_mark(reading.db, mn_partition_of(like), like->content_hash, like->memory_key, arena,
                     &mark, err));
    MN_TRY(mn_reading_state(&reading, &state, err)); /* known to a writer whose reads have begun */
    mark.change = state.changes;
    if (mark.rows > 0) /* of any agent and scope */
        MN_TRY(read_alike(reading.db, like, arena, &rows, err));
    *ret_rows = rows;
    *ret_mark = mark;
    return MNEME_OK;
}

static enum mneme_status fail_moved(struct mneme_error *err)
{
    return mn_fail(err, MNEME_CONFLICT, "revision: somebody wrote of the same meanwhile");
}

/* ---- by what this handle wrote ---- */

static bool in_partition(const struct mn_fresh_row *row, struct mn_partition partition)
{
    return mn_same(row->owner, partition.owner) && mn_same(row->tenant, partition.tenant);
}

static enum mneme_status check_fresh_mark(const struct mn_fresh_rows *fresh,
                                          const struct mn_guard *guard, struct mneme_error *err)
{
    const struct mn_fresh_row *row;

    for (size_t i = 0; (row = mn_fresh_behind(fresh, guard->mark.change, i)); i++)
        if (in_partition(row, guard->partition) &&
            (mn_same(row->content_hash, guard->content_hash) ||
             (!mn_empty(row->memory_key) && mn_same(row->memory_key, guard->memory_key))))
            return fail_moved(err);
    return MNEME_OK;
}

static enum mneme_status check_fresh(const struct mn_fresh_rows *fresh, const struct mn_guard *guard,
                                     int64_t change, struct mneme_error *err)
{
    const struct mneme_memory *like = guard->like;
    struct mn_fresh_row *row = mn_fresh_behind(fresh, change, 0);
    struct mn_look own;

    if (!row)
        return MNEME_OK;
    own = mn_look_at(like->content);
    for (size_t i = 0; (row = mn_fresh_behind(fresh, change, i)); i++) {
        if (row->status != MNEME_ACTIVE || !in_partition(row, guard->partition) ||
            !mn_same(row->agent, like->agent_id) || row->scope_kind != like->scope_kind ||
            !mn_same(row->scope_id, like->scope_id) || mn_same(row->id, like->id))
            continue;
        if (!row->looked)
            row->look = mn_look_at(row->content);
        row->looked = true;
        if (mn_look_rewords(&own, like->content, &row->look, row->content, GUARD_BYTES_MAX))
            return fail_moved(err);
    }
    return MNEME_OK;
}

/* ---- by the file ---- */

static enum mneme_status check_mark(const struct mn_writing *w, const struct mn_guard *guard,
                                    struct mneme_error *err)
{
    struct mn_alike_mark now = { 0 };

    MN_TRY(read_mark(w->db, guard->partition, guard->content_hash, guard->memory_key, w->arena,
                     &now, err));
    if (now.rows != guard->mark.rows || now.revisions != guard->mark.revisions)
        return fail_moved(err);
    return MNEME_OK;
}

static enum mneme_status check_since(const struct mn_writing *w, const struct mn_guard *guard,
                                     int64_t change, struct mneme_error *err)
{
    const struct mneme_memory *like = guard->like;
    struct mn_look own = mn_look_at(like->content);
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORIES_SINCE, &stmt, err));
    mn_bind_text(stmt, ":tenant", guard->partition.tenant);
    mn_bind_text(stmt, ":owner", guard->partition.owner);
    mn_bind_integer(stmt, ":seq", change);
    mn_bind_text(stmt, ":agent_id", like->agent_id);
    mn_bind_integer(stmt, ":scope_kind", like->scope_kind);
    mn_bind_text(stmt, ":scope_id", like->scope_id);
    mn_bind_text(stmt, ":id", like->id);
    for (;;) {
        MN_ARENA_AUTO arena = NULL;
        struct mn_reader reader = { .stmt = stmt };
        const char *content;
        struct mn_look look;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        arena = mn_arena_new(GUARD_BYTES_MAX);
        reader.arena = arena;
        content = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        look = mn_look_at(content);
        if (mn_look_rewords(&own, like->content, &look, content, GUARD_BYTES_MAX))
            return fail_moved(err);
    }
}

enum mneme_status mn_write_guard(const struct mn_writing *w, const struct mn_guard *guard,
                                 struct mneme_error *err)
{
    static const struct mn_fresh_rows none;
    const struct mn_fresh_rows *fresh = w->known ? &w->known->fresh : &none;
    const char *number = strrchr(mn_or_empty(guard->position), ':');
    int64_t change = number ? strtoll(number + 1, NULL, 10) : 0;

    if (mn_fresh_reaches(fresh, guard->mark.change))
        MN_TRY(check_fresh_mark(fresh, guard, err));
    else
        MN_TRY(check_mark(w, guard, err));
    if (!guard->like)
        return MNEME_OK;
    return mn_fresh_reaches(fresh, change) ? check_fresh(fresh, guard, change, err)
                                           : check_since(w, guard, change, err);
}

enum mneme_status mn_write_clarification(const struct mn_writing *w,
                                         const struct mn_clarification *c,
                                         struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool erased = false;

    if (!c->resolved)
        MN_TRY(mn_tombstone_among(w, c->partition.tenant, c->memory_ids, &erased, err));
    if (erased) { /* one of the rivals was erased meanwhile: nothing is left to ask */
        *ret_written = (struct mn_written){ .unchanged = true };
        return MNEME_OK;
    }
    MN_TRY(mn_sqlite_prepare(w->db,
                             c->resolved ? SQL_SQLITE_CLARIFICATIONS_RESOLVE
                                         : SQL_SQLITE_CLARIFICATION_PUT,
                             &stmt, err));
    mn_bind_text(stmt, ":tenant", c->partition.tenant);
    mn_bind_text(stmt, ":owner", c->partition.owner);
    mn_bind_text(stmt, ":memory_key", c->memory_key);
    mn_bind_integer(stmt, ":now_ms", w->commit->now_ms);
    if (!c->resolved) {
        mn_bind_text(stmt, ":id", c->id);
        mn_bind_list(stmt, ":memory_ids", c->memory_ids);
        mn_bind_text(stmt, ":question", c->question);
        mn_bind_integer(stmt, ":blocking", c->blocking);
    }
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_written = (struct mn_written){ .unchanged = mn_sqlite_changed(w->db) == 0 };
    return MNEME_OK;
}

enum mneme_status mn_sqlite_clarifications(struct mn_store *store, struct mn_partition partition,
                                           struct mn_arena *arena,
                                           struct mn_clarifications *ret_open,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mn_clarification *item;
        size_t count, room;
    } open = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_CLARIFICATIONS_OPEN, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_clarification *c;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        c = mn_array_add(arena, &open);
        if (!c)
            return mn_fail_memory(err);
        c->partition.tenant = mn_read_text(&reader);
        c->partition.owner = mn_read_text(&reader);
        c->id = mn_read_text(&reader);
        c->memory_key = mn_read_text(&reader);
        c->memory_ids = mn_read_list(&reader);
        c->question = mn_read_text(&reader);
        c->blocking = mn_read_integer(&reader) != 0;
        c->created_at_ms = mn_read_integer(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_open = (struct mn_clarifications){ open.item, open.count };
    return MNEME_OK;
}

/* ---- requests ---- */

enum mneme_status mn_sqlite_request_get(struct mn_store *store, struct mn_partition partition,
                                        const char *key, int64_t now_ms, struct mn_arena *arena,
                                        struct mn_request_row *ret_row, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    struct mn_request_row found = { .partition = partition, .key = key };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_REQUEST_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":key", key);
    mn_bind_integer(stmt, ":oldest_ms", now_ms - MN_REQUEST_KEPT_MS);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    if (!row)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no request %.200s", key);
    reader.stmt = stmt;
    found.outcome = (int)mn_read_integer(&reader);
    found.id = mn_read_text(&reader);
    found.revision = mn_read_integer(&reader);
    MN_TRY(mn_read_end(&reader, err));
    *ret_row = found;
    return MNEME_OK;
}

enum mneme_status mn_write_request(const struct mn_writing *w, const struct mn_request_row *request,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO clear = NULL;
    MN_STMT_AUTO put = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_REQUESTS_CLEAR, &clear, err));
    mn_bind_text(clear, ":tenant", request->partition.tenant);
    mn_bind_text(clear, ":owner", request->partition.owner);
    mn_bind_integer(clear, ":oldest_ms", w->commit->now_ms - MN_REQUEST_KEPT_MS);
    MN_TRY(mn_sqlite_done(clear, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_REQUEST_PUT, &put, err));
    mn_bind_text(put, ":tenant", request->partition.tenant);
    mn_bind_text(put, ":owner", request->partition.owner);
    mn_bind_text(put, ":key", request->key);
    mn_bind_integer(put, ":outcome", request->outcome);
    mn_bind_text(put, ":id", request->id);
    mn_bind_integer(put, ":revision", request->revision);
    mn_bind_integer(put, ":now_ms", w->commit->now_ms);
    MN_TRY(mn_sqlite_done(put, err));
    if (mn_sqlite_changed(w->db) == 0)
        return mn_fail(err, MNEME_CONFLICT, "revision: the request was made already");
    return MNEME_OK;
}
