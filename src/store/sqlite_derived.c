/*
 * sqlite_derived.c - memories that were drawn from what goes.
 *
 * One whose evidence goes entirely goes with it, and so does what was drawn from that one, until
 * nothing is added. One that owes it only a part goes back to what it said before: to its newest
 * former row that owes nothing to what goes, which may also be one that somebody stated without any
 * evidence. The former rows in between go. Where there is no such row, all its evidence came at once;
 * each piece stands for the whole, and the memory only loses the mention of it. A former row that
 * stood on erased evidence alone goes even where the memory itself has found other evidence since.
 */
#include <string.h>

#include "base/array.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_row.h"

#define BYTES_MAX ((size_t)1 << 30)
#define MERGED "merged:" /* in a provenance: the digest of a text that was taken in */

static enum mneme_status begin(const struct mn_erasing *e, const char *sql, const char *owner,
                               const char *id, struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_prepare(e->w->db, sql, ret_stmt, err));
    mn_bind_text(*ret_stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(*ret_stmt, ":owner", owner);
    mn_bind_text(*ret_stmt, ":id", id);
    return MNEME_OK;
}

static bool owes(const struct mn_erasing *e, struct mneme_list provenance)
{
    size_t evidence, gone;

    mn_erasing_judge(e, provenance, &evidence, &gone);
    return gone > 0;
}

/* The newest former row that owes nothing to what goes; *ret_revision 0: there is none. */
static enum mneme_status find_clean(const struct mn_erasing *e, const char *owner, const char *id,
                                    struct mn_arena *arena, struct mneme_memory *ret_row,
                                    int64_t *ret_revision, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    *ret_revision = 0;
    MN_TRY(begin(e, SQL_SQLITE_HISTORY_OF, owner, id, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_memory former = MNEME_MEMORY_INIT;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        mn_row_read_memory(&reader, &former);
        MN_TRY(mn_read_end(&reader, err));
        if (owes(e, former.provenance))
            continue;
        *ret_row = former;
        *ret_revision = former.revision;
        return MNEME_OK;
    }
}

/* ---- what goes too ---- */

static enum mneme_status find_derived_once(struct mn_erasing *e, bool *ret_more,
                                           struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    size_t before = e->out->items.count;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_DERIVED, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":order", MN_ORDERED);
    for (;;) {
        MN_ARENA_AUTO scratch = mn_arena_new(BYTES_MAX);
        struct mn_reader reader = { .stmt = stmt, .arena = scratch };
        struct mneme_memory former;
        const char *owner, *id;
        size_t evidence, gone;
        int64_t clean;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        owner = mn_read_text(&reader);
        id = mn_read_text(&reader);
        mn_erasing_judge(e, mn_read_list(&reader), &evidence, &gone);
        MN_TRY(mn_read_end(&reader, err));
        if (gone == 0 || gone < evidence || mn_erasing_has(e, id, strlen(id)))
            continue;
        MN_TRY(find_clean(e, owner, id, scratch, &former, &clean, err));
        if (clean)
            continue;
        owner = mn_arena_copy(e->arena, owner);
        id = mn_arena_copy(e->arena, id);
        if (!owner || !id)
            return mn_fail_memory(err);
        MN_TRY(mn_erasing_add_item(e, false, owner, id, err));
    }
    *ret_more = e->out->items.count > before;
    return MNEME_OK;
}

enum mneme_status mn_erasing_find_derived(struct mn_erasing *e, struct mneme_error *err)
{
    bool more = e->what->scope != MNEME_ERASE_TENANT && e->slot_count > 0;

    while (more)
        MN_TRY(find_derived_once(e, &more, err));
    return MNEME_OK;
}

/* ---- what stays ---- */

/* A memory or a former row of one, that names something. */
struct link {
    const char *owner;
    const char *id;
    struct mneme_list provenance; /* what is left of it */
    const char *supersedes;       /* "" when that goes */
    int64_t revision;
    int64_t former; /* of a memory that goes back: to this former row */
    bool is_history;
    bool goes;
};
struct links {
    struct link *item;
    size_t count, room;
};

/* The entries that stay, in place. without_merged: the marks of what was taken in leave as well. */
static struct mneme_list shorten(const struct mn_erasing *e, struct mneme_list list,
                                 bool without_merged)
{
    const char **item = (const char **)(uintptr_t)list.item;
    size_t count = 0;

    for (size_t i = 0; i < list.count; i++)
        if (!mn_erasing_has(e, item[i], strlen(item[i])) &&
            !(without_merged && strncmp(item[i], MERGED, sizeof MERGED - 1) == 0))
            item[count++] = item[i];
    return (struct mneme_list){ item, count };
}

/* What becomes of a row that owes something to what goes. */
static enum mneme_status judge(const struct mn_erasing *e, struct link *link,
                               struct mneme_list provenance, struct mn_arena *arena,
                               struct mneme_error *err)
{
    struct mneme_memory former;
    size_t evidence, gone;
    int64_t clean = 0;

    mn_erasing_judge(e, provenance, &evidence, &gone);
    if (gone > 0)
        MN_TRY(find_clean(e, link->owner, link->id, arena, &former, &clean, err));
    link->former = link->is_history ? 0 : clean;
    link->goes = link->is_history && gone > 0 && (gone == evidence || link->revision > clean) &&
                 (gone == evidence || clean > 0);
    link->provenance = shorten(e, provenance, link->former > 0);
    return MNEME_OK;
}

static enum mneme_status find_links(struct mn_erasing *e, struct mn_arena *arena,
                                    struct links *found, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_LINKS_NAMING, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_list provenance;
        struct link link = { 0 };
        struct link *place;
        bool superseding;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        link.owner = mn_read_text(&reader);
        link.id = mn_read_text(&reader);
        provenance = mn_read_list(&reader);
        link.supersedes = mn_read_text(&reader);
        link.is_history = mn_read_integer(&reader) != 0;
        link.revision = mn_read_integer(&reader);
        MN_TRY(mn_read_end(&reader, err));
        superseding = mn_erasing_has(e, link.supersedes, strlen(link.supersedes));
        if (!owes(e, provenance) && !superseding)
            continue;
        MN_TRY(judge(e, &link, provenance, arena, err));
        link.supersedes = superseding ? "" : link.supersedes;
        place = mn_array_add(arena, found);
        if (!place)
            return mn_fail_memory(err);
        *place = link;
    }
}

static enum mneme_status keep_texts(struct mn_erasing *e, const char *sql, const struct link *link,
                                    size_t said, struct mneme_error *err)
{
    const char *owner = mn_arena_copy(e->arena, link->owner);
    MN_STMT_AUTO stmt = NULL;

    if (!owner)
        return mn_fail_memory(err);
    MN_TRY(mn_sqlite_prepare(e->w->db, sql, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":owner", link->owner);
    if (link->is_history) {
        mn_bind_text(stmt, ":id", link->id);
        mn_bind_integer(stmt, ":revision", link->revision);
    } else {
        mn_bind_text(stmt, ":first", link->id);
        mn_bind_text(stmt, ":last", link->id);
    }
    return mn_erasing_keep_rows(e, stmt, owner, said, said == 0, err);
}

static enum mneme_status change_memory(struct mn_erasing *e, const struct link *link,
                                       struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_LINKS_SHORTEN, link->owner, link->id, &stmt, err));
    mn_bind_list(stmt, ":provenance", link->provenance);
    mn_bind_text(stmt, ":supersedes", link->supersedes);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_SHORTENED]++;
    return mn_write_change(e->w, MN_CHANGE_MEMORY, e->what->tenant_id, link->owner, link->id,
                           link->revision + 1, err);
}

static enum mneme_status change_former(struct mn_erasing *e, const struct link *link,
                                       struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(e, SQL_SQLITE_ERASE_HISTORY_SHORTEN, link->owner, link->id, &stmt, err));
    mn_bind_list(stmt, ":provenance", link->provenance);
    mn_bind_text(stmt, ":supersedes", link->supersedes);
    mn_bind_integer(stmt, ":revision", link->revision);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_SHORTENED]++;
    return MNEME_OK;
}

static enum mneme_status remove_former(struct mn_erasing *e, const struct link *link,
                                       struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(keep_texts(e, SQL_SQLITE_ERASE_HISTORY_ROW_TEXTS, link, 4, err));
    MN_TRY(begin(e, SQL_SQLITE_ERASE_HISTORY_ROW, link->owner, link->id, &stmt, err));
    mn_bind_integer(stmt, ":revision", link->revision);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_HISTORY]++;
    return MNEME_OK;
}

/* Vectors of the text that goes. */
static enum mneme_status remove_vectors(struct mn_erasing *e, const struct link *link,
                                        struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(keep_texts(e, SQL_SQLITE_ERASE_VECTOR_TEXTS, link, 0, err));
    MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_VECTORS, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":owner", link->owner);
    mn_bind_text(stmt, ":first", link->id);
    mn_bind_text(stmt, ":last", link->id);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_VECTOR] += (size_t)mn_sqlite_changed(e->w->db);
    return MNEME_OK;
}

static enum mneme_status go_back(struct mn_erasing *e, const struct link *link,
                                 struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(BYTES_MAX);
    struct mneme_memory former = MNEME_MEMORY_INIT;
    const char *embed_hash = "";
    MN_STMT_AUTO stmt = NULL;
    int64_t revision;

    MN_TRY(find_clean(e, link->owner, link->id, arena, &former, &revision, err));
    MN_TRY(mn_row_embed_hash(&former, "", arena, &embed_hash, err));
    MN_TRY(keep_texts(e, SQL_SQLITE_ERASE_MEMORY_TEXTS, link, 4, err));
    MN_TRY(remove_vectors(e, link, err));
    MN_TRY(begin(e, SQL_SQLITE_ERASE_GO_BACK, link->owner, link->id, &stmt, err));
    mn_bind_integer(stmt, ":former", link->former);
    mn_bind_list(stmt, ":provenance", link->provenance);
    mn_bind_text(stmt, ":supersedes", link->supersedes);
    mn_bind_text(stmt, ":embed_hash", embed_hash);
    MN_TRY(mn_sqlite_done(stmt, err));
    e->out->counts[MN_ERASED_TAKEN_BACK]++;
    return mn_write_change(e->w, MN_CHANGE_MEMORY, e->what->tenant_id, link->owner, link->id,
                           link->revision + 1, err);
}

enum mneme_status mn_erasing_unlink_memories(struct mn_erasing *e, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(BYTES_MAX);
    struct links found = { 0 };

    MN_TRY(find_links(e, arena, &found, err));
    /* memories first: they go back to former rows as those are */
    for (size_t i = 0; i < found.count; i++)
        if (!found.item[i].is_history)
            MN_TRY(found.item[i].former ? go_back(e, &found.item[i], err)
                                        : change_memory(e, &found.item[i], err));
    for (size_t i = 0; i < found.count; i++)
        if (found.item[i].is_history)
            MN_TRY(found.item[i].goes ? remove_former(e, &found.item[i], err)
                                      : change_former(e, &found.item[i], err));
    return MNEME_OK;
}
