/*
 * sqlite_erase_find.c - what an erasure means: its units, each once, and the partitions they lie in.
 *
 * A memory, a session's, an owner's, the tenant's. Found before anything is deleted, and kept in a
 * set of ids, since everything that comes later asks whether it names one of them.
 */
#include "store/sqlite_erase.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "sql/sqlite.gen.h"

#define MERGED "merged:" /* in a provenance: what was taken in, no evidence */

/* ---- the set of ids ---- */

static size_t place_of(const char *id, size_t bytes, size_t room)
{
    return (size_t)mn_hash64(id, bytes, 0) & (room - 1);
}

static bool grow(struct mn_erasing *e)
{
    size_t room = e->slot_room ? e->slot_room * 4 : 1024;
    const char **slot = mn_arena_array(e->arena, const char *, room);

    if (!slot)
        return false;
    for (size_t i = 0; i < e->slot_room; i++) {
        size_t at;

        if (!e->slot[i])
            continue;
        at = place_of(e->slot[i], strlen(e->slot[i]), room);
        while (slot[at])
            at = (at + 1) & (room - 1);
        slot[at] = e->slot[i];
    }
    e->slot = slot;
    e->slot_room = room;
    return true;
}

bool mn_erasing_has(const struct mn_erasing *e, const char *id, size_t bytes)
{
    if (e->slot_room == 0)
        return false;
    for (size_t at = place_of(id, bytes, e->slot_room); e->slot[at]; at = (at + 1) & (e->slot_room - 1))
        if (strlen(e->slot[at]) == bytes && memcmp(e->slot[at], id, bytes) == 0)
            return true;
    return false;
}

enum mneme_status mn_erasing_add(struct mn_erasing *e, const char *id, struct mneme_error *err)
{
    size_t at;

    if (mn_erasing_has(e, id, strlen(id)))
        return MNEME_OK;
    if (e->slot_count * 2 >= e->slot_room && !grow(e))
        return mn_fail_memory(err);
    at = place_of(id, strlen(id), e->slot_room);
    while (e->slot[at])
        at = (at + 1) & (e->slot_room - 1);
    e->slot[at] = id;
    e->slot_count++;
    return MNEME_OK;
}

void mn_erasing_judge(const struct mn_erasing *e, struct mneme_list provenance, size_t *ret_evidence,
                      size_t *ret_gone)
{
    bool needs_all = false;

    *ret_evidence = 0;
    *ret_gone = 0;
    for (size_t i = 0; i < provenance.count; i++) {
        const char *entry = provenance.item[i];

        if (strncmp(entry, MERGED, sizeof MERGED - 1) == 0)
            continue;
        if (strncmp(entry, MN_SPLIT, sizeof MN_SPLIT - 1) == 0)
            continue; /* those that are meant were found by it */
        if (strcmp(entry, MN_NEEDS_ALL) == 0) {
            needs_all = true;
            continue;
        }
        ++*ret_evidence;
        *ret_gone += mn_erasing_has(e, entry, strlen(entry));
    }
    if (needs_all && *ret_gone > 0)
        *ret_gone = *ret_evidence;
}

/* ---- finding ---- */

enum mneme_status mn_erasing_add_partition(struct mn_erasing *e, const char *owner,
                                           struct mneme_error *err)
{
    struct mn_partition *partition;

    for (size_t i = e->out->partitions.count; i > 0; i--)
        if (strcmp(e->out->partitions.item[i - 1].owner, owner) == 0)
            return MNEME_OK;
    partition = mn_array_add(e->arena, &e->out->partitions);
    if (!partition)
        return mn_fail_memory(err);
    *partition = (struct mn_partition){ e->what->tenant_id, owner };
    return MNEME_OK;
}

enum mneme_status mn_erasing_add_item(struct mn_erasing *e, bool is_event, const char *owner,
                                      const char *id, struct mneme_error *err)
{
    struct mn_erased_item *item;

    if (mn_erasing_has(e, id, strlen(id)))
        return MNEME_OK;
    item = mn_array_add(e->arena, &e->out->items);
    if (!item)
        return mn_fail_memory(err);
    *item = (struct mn_erased_item){ is_event, owner, id };
    MN_TRY(mn_erasing_add_partition(e, owner, err));
    return mn_erasing_add(e, id, err);
}

/* The rows of one of the ERASE_FIND statements. id NULL: it asks for none. */
static enum mneme_status find(struct mn_erasing *e, const char *sql, const char *owner,
                              const char *id, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(e->w->db, sql, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":owner", owner);
    if (id)
        mn_bind_text(stmt, ":id", id);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = e->arena };
        const char *row_owner, *row_id;
        bool is_event;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        is_event = mn_read_integer(&reader) != 0;
        row_owner = mn_read_text(&reader);
        row_id = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        MN_TRY(mn_erasing_add_item(e, is_event, row_owner, row_id, err));
    }
}

static enum mneme_status find_tenant(struct mn_erasing *e, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_OWNERS, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = e->arena };
        const char *owner;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        owner = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        MN_TRY(mn_erasing_add_partition(e, owner, err));
        MN_TRY(find(e, SQL_SQLITE_ERASE_FIND_OWNER, owner, NULL, err));
    }
}

/* Nothing was found: is the session there, or was it erased before? */
static enum mneme_status check_found(struct mn_erasing *e, struct mneme_error *err)
{
    bool session = e->what->scope == MNEME_ERASE_SESSION;
    MN_STMT_AUTO stmt = NULL;
    bool known = e->out->items.count > 0;

    if (!known && session) {
        MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_SESSION_IS_THERE, &stmt, err));
        mn_bind_text(stmt, ":tenant", e->what->tenant_id);
        mn_bind_text(stmt, ":owner", e->what->user_id);
        mn_bind_text(stmt, ":id", e->what->id);
        MN_TRY(mn_sqlite_step(stmt, &known, err));
    }
    if (!known)
        MN_TRY(mn_tombstone_find(e->w, session ? MN_TOMBSTONE_SESSION : MN_TOMBSTONE_UNIT,
                                 e->what->tenant_id, e->what->id, &known, err));
    if (!known)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no %s %.200s of this owner",
                       session ? "session" : "memory", e->what->id);
    return MNEME_OK;
}

enum mneme_status mn_erasing_find(struct mn_erasing *e, struct mneme_error *err)
{
    const struct mneme_erasure *what = e->what;

    switch (what->scope) {
    case MNEME_ERASE_MEMORY:
        MN_TRY(find(e, SQL_SQLITE_ERASE_FIND_ONE, what->user_id, what->id, err));
        MN_TRY(find(e, SQL_SQLITE_ERASE_FIND_SPLIT, what->user_id, what->id, err));
        if (what->with_evidence)
            MN_TRY(find(e, SQL_SQLITE_ERASE_FIND_EVIDENCE, what->user_id, what->id, err));
        return check_found(e, err);
    case MNEME_ERASE_SESSION:
        MN_TRY(find(e, SQL_SQLITE_ERASE_FIND_SESSION, what->user_id, what->id, err));
        MN_TRY(check_found(e, err));
        return mn_erasing_add(e, what->id, err);
    case MNEME_ERASE_USER:
        MN_TRY(mn_erasing_add_partition(e, what->user_id, err));
        return find(e, SQL_SQLITE_ERASE_FIND_OWNER, what->user_id, NULL, err);
    case MNEME_ERASE_TENANT:
        return find_tenant(e, err);
    case MNEME_ERASE_NONE:
        break;
    }
    return mn_fail(err, MNEME_INVALID, "scope: %d says nothing of what to erase", what->scope);
}
