/*
 * sqlite_supersedes.c - what a request's rows replace: followed when all its rows are there.
 *
 * A link must lead to a memory of the tenant; where the request may only link to its own
 * (mn_commit.own_links), to one of the same owner or one that all share, so that whether another
 * user has a memory of some id cannot be found out. And it must not lead back: two memories that
 * replace each other would both be out of force, and nobody would see why.
 *
 * A link to another owner's row means nothing to any reader, so only those of one owner make a chain.
 * A new row that is the only one with a link closes no circle but its own, since nothing leads to it
 * yet. Otherwise each chain is followed until it ends, or meets one that was followed before.
 */
#include "store/sqlite_supersedes.h"

#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"

#define BUCKETS 1024
#define FOLLOWING_BYTES_MAX ((size_t)64 << 20)

/* Who was met, and by which walk. */
struct met {
    const struct met *next;
    const char *owner;
    const char *id;
    size_t walk;
};

struct following {
    const struct mn_writing *w;
    struct mn_arena *arena;
    const struct met *bucket[BUCKETS];
};

static enum mneme_status leads_somewhere(const struct mn_writing *w,
                                         const struct mneme_memory *memory, bool *ret_own,
                                         struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    const char *owner = NULL;
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_OWNER, &stmt, err));
    mn_bind_text(stmt, ":tenant", memory->tenant_id);
    mn_bind_text(stmt, ":id", memory->supersedes);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    if (found) {
        reader.stmt = stmt;
        owner = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_own = found && mn_same(owner, memory->user_id);
    if (!found || (w->commit->own_links && !*ret_own && !mn_empty(owner)))
        return mn_fail(err, MNEME_INVALID, "supersedes: there is no memory %.200s",
                       memory->supersedes);
    return MNEME_OK;
}

/* *ret_met: NULL when this is the first time; then it is noted. */
static enum mneme_status meet(struct following *f, const char *owner, const char *id, size_t walk,
                              const struct met **ret_met, struct mneme_error *err)
{
    const struct met **bucket = &f->bucket[mn_hash64(id, strlen(id), 0) % BUCKETS];
    struct met *new;

    for (const struct met *m = *bucket; m; m = m->next) {
        if (mn_same(m->id, id) && mn_same(m->owner, owner)) {
            *ret_met = m;
            return MNEME_OK;
        }
    }
    new = mn_arena_one(f->arena, struct met);
    if (!new)
        return mn_fail_memory(err);
    *new = (struct met){ *bucket, owner, mn_arena_copy(f->arena, id), walk };
    if (!new->id)
        return mn_fail_memory(err);
    *bucket = new;
    *ret_met = NULL;
    return MNEME_OK;
}

/* What the row replaces inside its owner; "" when nothing, or when it is not there. */
static enum mneme_status next_of(struct following *f, const struct mneme_memory *memory,
                                 const char *id, const char **ret_next, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = f->arena };
    bool found = false;

    *ret_next = "";
    MN_TRY(mn_sqlite_prepare(f->w->db, SQL_SQLITE_MEMORY_REPLACES, &stmt, err));
    mn_bind_text(stmt, ":tenant", memory->tenant_id);
    mn_bind_text(stmt, ":owner", memory->user_id);
    mn_bind_text(stmt, ":id", id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    if (!found)
        return MNEME_OK;
    reader.stmt = stmt;
    *ret_next = mn_read_text(&reader);
    return mn_read_end(&reader, err);
}

static enum mneme_status follow(struct following *f, const struct mneme_memory *memory, size_t walk,
                                struct mneme_error *err)
{
    const struct met *met = NULL;

    for (const char *id = memory->id; !mn_empty(id);) {
        MN_TRY(meet(f, memory->user_id, id, walk, &met, err));
        if (met && met->walk == walk)
            return mn_fail(err, MNEME_INVALID,
                           "supersedes: %.200s leads back to %.200s: they would replace each other",
                           memory->supersedes, met->id);
        if (met)
            return MNEME_OK;
        MN_TRY(next_of(f, memory, id, &id, err));
    }
    return MNEME_OK;
}

enum mneme_status mn_write_links(struct mn_writing *w, const bool *link,
                                 const struct mn_written *written, size_t *ret_failed,
                                 struct mneme_error *err)
{
    MN_ARENA_AUTO arena = NULL;
    struct following f = { .w = w };
    size_t link_count = 0;

    for (size_t i = 0; i < w->commit->count; i++)
        link_count += link[i];
    if (!link_count)
        return MNEME_OK;
    arena = mn_arena_new(FOLLOWING_BYTES_MAX);
    if (!arena)
        return mn_fail_memory(err);
    f.arena = w->arena = arena;
    for (size_t i = 0; i < w->commit->count; i++) {
        const struct mneme_memory *memory = w->commit->write[i].memory;
        bool own = false;

        if (!link[i])
            continue;
        *ret_failed = i;
        MN_TRY(leads_somewhere(w, memory, &own, err));
        if (own && (link_count > 1 || written[i].replaced ||
                    mn_same(memory->supersedes, memory->id)))
            MN_TRY(follow(&f, memory, i, err));
    }
    return MNEME_OK;
}
