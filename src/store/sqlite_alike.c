/*
 * sqlite_alike.c - what a writer looks at before it adds a memory, and the questions it leaves open.
 *
 * Two writers that look at the same moment both find nothing, and would both insert. The mark that
 * is read with the look-alikes closes that gap: a guard among the writes has it compared again
 * inside the transaction, where nobody else writes, and refuses the request when it has moved.
 *
 * Rewordings have another text and often no key: the mark does not move for them. So the guard also
 * looks at the rows that were written since the index was asked for look-alikes. Most of them are told
 * apart by a glance or by their figures; what is left is compared as the writer would.
 *
 * And what a request with an idempotency key was answered, so that the same one again is answered
 * alike and writes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"
#include "text/compare.h"
#include "text/glance.h"
#include "text/letters.h"

#define GUARD_BYTES_MAX ((size_t)8 << 20)
#define FIGURES_MAX 16
#define REWORDED_LOOKS_MIN 0.5 /* light rewordings share .53 and more */

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

enum mneme_status mn_sqlite_memories_alike(struct mn_store *store, const struct mneme_memory *like,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mn_alike_mark *ret_mark, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_rows rows = { 0 };
    struct mn_alike_mark mark = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(read_mark(reading.db, mn_partition_of(like), like->content_hash, like->memory_key, arena,
                     &mark, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_MEMORIES_ALIKE, &stmt, err));
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
            break;
        MN_TRY(mn_row_add(stmt, arena, &rows, NULL, err));
    }
    *ret_rows = rows;
    *ret_mark = mark;
    return MNEME_OK;
}

/* The numbers of a text written in digits, in any order. */
struct figures {
    uint64_t hash[FIGURES_MAX];
    size_t count; /* more than there is room for: not all are here */
};

static struct figures figures_of(const char *text)
{
    struct figures f = { .count = 0 };

    while (*text) {
        size_t digits = 0;

        while (mn_letter_digit(text[digits]))
            digits++;
        if (digits) {
            if (f.count < FIGURES_MAX)
                f.hash[f.count] = mn_hash64(text, digits, 0);
            f.count++;
        }
        text += digits ? digits : 1;
    }
    return f;
}

/* Are all numbers of the one in the other? It may spell out what the other writes in digits. */
static bool within(const struct figures *a, const struct figures *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t k = 0;

        while (k < b->count && b->hash[k] != a->hash[i])
            k++;
        if (k == b->count)
            return false;
    }
    return true;
}

static bool may_count_the_same(const struct figures *a, const struct figures *b)
{
    return a->count > FIGURES_MAX || b->count > FIGURES_MAX || within(a, b) || within(b, a);
}

static enum mneme_status check_since(const struct mn_writing *w, const struct mn_guard *guard,
                                     struct mneme_error *err)
{
    const struct mneme_memory *like = guard->like;
    const char *number = strrchr(mn_or_empty(guard->position), ':');
    struct mn_glance own = mn_glance_at(like->content);
    struct figures own_figures = figures_of(like->content);
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORIES_SINCE, &stmt, err));
    mn_bind_text(stmt, ":tenant", guard->partition.tenant);
    mn_bind_text(stmt, ":owner", guard->partition.owner);
    mn_bind_integer(stmt, ":seq", number ? strtoll(number + 1, NULL, 10) : 0);
    mn_bind_text(stmt, ":agent_id", like->agent_id);
    mn_bind_integer(stmt, ":scope_kind", like->scope_kind);
    mn_bind_text(stmt, ":scope_id", like->scope_id);
    mn_bind_text(stmt, ":id", like->id);
    for (;;) {
        MN_ARENA_AUTO arena = NULL;
        struct mn_reader reader = { .stmt = stmt };
        const char *content;
        struct mn_glance glance;
        struct figures figures;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        arena = mn_arena_new(GUARD_BYTES_MAX);
        reader.arena = arena;
        content = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        glance = mn_glance_at(content);
        figures = figures_of(content);
        if (mn_glance_share(&own, &glance) >= REWORDED_LOOKS_MIN &&
            may_count_the_same(&own_figures, &figures) &&
            mn_text_likeness(arena, like->content, content) == MN_LIKENESS_REWORDED)
            return mn_fail(err, MNEME_CONFLICT, "revision: somebody wrote of the same meanwhile");
    }
}

enum mneme_status mn_write_guard(const struct mn_writing *w, const struct mn_guard *guard,
                                 struct mneme_error *err)
{
    struct mn_alike_mark now = { 0 };

    MN_TRY(read_mark(w->db, guard->partition, guard->content_hash, guard->memory_key, w->arena,
                     &now, err));
    if (now.rows != guard->mark.rows || now.revisions != guard->mark.revisions)
        return mn_fail(err, MNEME_CONFLICT, "revision: somebody wrote of the same meanwhile");
    return guard->like ? check_since(w, guard, err) : MNEME_OK;
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
