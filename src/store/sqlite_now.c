/*
 * sqlite_now.c - memories as they stand, as an identity may see them.
 *
 * What a recall asks first: rows of some types, of some keys, those that supersede. The question is
 * put in two steps: which ids (a short walk over an index), and their rows. Both are kept between calls
 * (row_cache.h), for every identity alike, and each row is judged twice for this one: by the store's
 * own wall (wall.h) and by access.c.
 *
 * A call reads inside one transaction, whose state it asks first. When the cache stands at an earlier
 * one, the change rows between them say what has to leave: that is how another process's commit is
 * seen. When it stands at a later one, because another thread was quicker, this call does without it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "memory/weight.h"
#include "sql/sqlite.gen.h"
#include "store/row_cache.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/wall.h"

#define PAGE ((size_t)512)      /* ids of a list that are read at once, and kept */
#define CHANGES_AT_ONCE 256     /* more than so many: everything leaves */
#define IDS_BYTES_MAX ((size_t)1 << 20)
#define TOUCH_BYTES_MAX ((size_t)4 << 20)

/* One call. */
struct now {
    struct mn_reading reading;
    struct mn_row_cache *cache; /* NULL: it stands elsewhere */
    struct mn_row_state state;
    const struct mn_access *access;
    const struct mn_had_rows *had; /* of the listed ones; NULL: none */
    struct mn_arena *arena;
    struct mn_rows rows;
};

static void now_end(struct now *n)
{
    mn_reading_end(&n->reading);
}
#define NOW_AUTO MN_CLEANUP(now_end) struct now

/* ---- the state ---- */

enum mneme_status mn_now_state(struct mn_sqlite *db, struct mn_row_state *ret_state,
                               struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_ROW_STATE, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    ret_state->changes = row ? mn_read_integer(&reader) : 0;
    ret_state->usage = row ? mn_read_integer(&reader) : 0;
    return MNEME_OK;
}

/* What the changes touched; NULL: everything, perhaps. */
static struct mn_row_touch *touched(const struct mn_changes *changes, struct mn_arena *arena,
                                    size_t *ret_count)
{
    struct mn_row_touch *touch = mn_arena_array(arena, struct mn_row_touch, changes->count + 1);
    size_t count = 0;

    if (changes->too_old || changes->more)
        return NULL;
    for (size_t i = 0; touch && i < changes->count; i++) {
        const struct mn_change *c = &changes->item[i];

        if (c->kind == MN_CHANGE_ERASE)
            return NULL;
        if (c->kind == MN_CHANGE_MEMORY || c->kind == MN_CHANGE_RULE || c->kind == MN_CHANGE_EDGE)
            touch[count++] =
                (struct mn_row_touch){ c->partition.tenant, c->partition.owner, c->id };
        else if (c->kind == MN_CHANGE_EVENT || c->kind == MN_CHANGE_VECTOR)
            touch[count++] = (struct mn_row_touch){ c->partition.tenant, NULL, c->id };
    }
    *ret_count = count;
    return touch;
}

/* Moves the cache from its state to that of the reading. */
static enum mneme_status bring_up(struct mn_reading *reading, struct mn_row_state from,
                                  struct mn_row_state to, bool *ret_moved,
                                  struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(TOUCH_BYTES_MAX);
    struct mn_changes changes = { 0 };
    struct mn_row_touch *touch = NULL;
    size_t count = 0;
    int64_t seq;

    if (from.usage == to.usage) {
        MN_TRY(mn_changes_read(reading->db, NULL, from.changes, to.changes, CHANGES_AT_ONCE, arena,
                               &changes, &seq, err));
        touch = touched(&changes, arena, &count);
    }
    *ret_moved = mn_row_cache_move(reading->store->rows, from, to, touch, count);
    return MNEME_OK;
}

enum mneme_status mn_now_cache(struct mn_reading *reading, struct mn_row_state *ret_state,
                               struct mn_row_cache **ret_cache, struct mneme_error *err)
{
    struct mn_row_cache *cache = reading->store->rows;
    struct mn_row_state state, kept;
    bool moved = false;

    MN_TRY(mn_reading_state(reading, &state, err));
    do {
        kept = mn_row_cache_state(cache);
        moved = kept.changes == state.changes && kept.usage == state.usage;
        if (moved || kept.changes > state.changes || kept.usage > state.usage)
            break;
        MN_TRY(bring_up(reading, kept, state, &moved, err));
    } while (!moved);
    *ret_state = state;
    *ret_cache = moved ? cache : NULL;
    return MNEME_OK;
}

static enum mneme_status begin(struct mn_store *store, const struct mn_access *access,
                               struct mn_arena *arena, struct now *n, struct mneme_error *err)
{
    MN_TRY(mn_reading_begin(store, &n->reading, err));
    n->access = access;
    n->arena = arena;
    return mn_now_cache(&n->reading, &n->state, &n->cache, err);
}

/* ---- rows ---- */

/* Appends the row, if there is one that the identity reaches and, filtered, may have. */
static enum mneme_status take(struct now *n, const char *id, bool filtered, struct mneme_error *err)
{
    enum mn_row_kept kept = MN_ROW_UNKNOWN;
    const struct mn_row *row;
    enum mn_reason reason;
    bool found = false;

    if (n->cache)
        MN_TRY(mn_row_cache_take(n->cache, n->state, n->access, filtered, id, n->arena, &n->rows,
                                 &kept, err));
    if (kept != MN_ROW_UNKNOWN)
        return MNEME_OK;
    MN_TRY(mn_read_reachable(n->reading.db, n->access, id, n->arena, &n->rows, NULL, &found, err));
    if (!found)
        return MNEME_OK;
    row = &n->rows.item[n->rows.count - 1];
    if (n->cache)
        mn_row_cache_keep(n->cache, n->state, row);
    if (filtered && !(mn_wall_passes(n->access, row) &&
                      mn_access_allows(n->access, &row->memory, row->confidence, &reason)))
        n->rows.count--;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_memories_get(struct mn_store *store, const struct mn_access *access,
                                         const char *const *ids, size_t count,
                                         struct mn_arena *arena, struct mn_rows *ret_rows,
                                         struct mneme_error *err)
{
    NOW_AUTO n = { 0 };

    MN_TRY(begin(store, access, arena, &n, err));
    for (size_t i = 0; i < count; i++)
        MN_TRY(take(&n, ids[i], false, err));
    *ret_rows = n.rows;
    return MNEME_OK;
}

/* ---- lists of ids ---- */

static enum mneme_status prepare_list(struct mn_sqlite *db, const struct mn_list_name *name,
                                      struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    static const char *const sql[] = { [MN_LIST_SCOPE] = SQL_SQLITE_IDS_OF_SCOPE,
                                       [MN_LIST_KEY] = SQL_SQLITE_IDS_OF_KEY,
                                       [MN_LIST_LINKS] = SQL_SQLITE_LINKS_OF_PARTITION,
                                       [MN_LIST_TURNS] = SQL_SQLITE_TURNS_REPLACED,
                                       [MN_LIST_RULES] = SQL_SQLITE_RULE_OF_PARTITION,
                                       [MN_LIST_EDGES] = SQL_SQLITE_EDGE_OF_PARTITION };
    bool one_link = name->kind == MN_LIST_LINKS && !mn_empty(name->a);

    MN_TRY(mn_sqlite_prepare(db, one_link ? SQL_SQLITE_LINKS_TO : sql[name->kind], ret_stmt, err));
    mn_bind_text(*ret_stmt, ":tenant", name->partition.tenant);
    mn_bind_text(*ret_stmt, ":owner", name->partition.owner);
    if (name->kind == MN_LIST_SCOPE) {
        mn_bind_integer(*ret_stmt, ":scope_kind", name->scope);
        mn_bind_text(*ret_stmt, ":scope_id", name->a);
        mn_bind_text(*ret_stmt, ":type", name->b);
    } else if (name->kind == MN_LIST_KEY) {
        mn_bind_text(*ret_stmt, ":memory_key", name->a);
    } else if (name->kind == MN_LIST_TURNS) {
        mn_bind_text(*ret_stmt, ":turns", mn_or_empty(name->a));
    } else if (one_link) {
        mn_bind_text(*ret_stmt, ":id", name->a);
    }
    return MNEME_OK;
}

static enum mneme_status read_list(struct now *n, const struct mn_list_name *name, size_t offset,
                                   struct mn_list *ret_list, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    size_t width = name->kind == MN_LIST_LINKS || name->kind == MN_LIST_TURNS ? 2 : 1;
    struct {
        const char **item;
        size_t count, room;
    } ids = { 0 };
    bool row = true;

    MN_TRY(prepare_list(n->reading.db, name, &stmt, err));
    mn_bind_integer(stmt, ":limit", (int64_t)PAGE);
    mn_bind_integer(stmt, ":offset", (int64_t)offset);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = n->arena };

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        for (size_t i = 0; i < width; i++) {
            const char **id = mn_array_add(n->arena, &ids);

            if (!id)
                return mn_fail_memory(err);
            *id = mn_read_text(&reader);
        }
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_list = (struct mn_list){ ids.item, ids.count, ids.count < PAGE * width };
    return MNEME_OK;
}

/* A page of the list; the first one is kept. */
static enum mneme_status list(struct now *n, const struct mn_list_name *name, size_t offset,
                              struct mn_list *ret_list, struct mneme_error *err)
{
    bool known = false;

    if (n->cache && offset == 0)
        MN_TRY(mn_row_cache_list(n->cache, n->state, name, n->arena, ret_list, &known, err));
    if (known)
        return MNEME_OK;
    MN_TRY(read_list(n, name, offset, ret_list, err));
    if (n->cache && offset == 0)
        mn_row_cache_keep_list(n->cache, n->state, name, ret_list);
    return MNEME_OK;
}

/* At most `limit` rows of a list of ids that the identity may have. */
static enum mneme_status take_list(struct now *n, const struct mn_list_name *name, size_t limit,
                                   struct mneme_error *err)
{
    size_t before = n->rows.count;
    struct mn_list page = { 0 };

    for (size_t offset = 0; !page.whole; offset += PAGE) {
        MN_TRY(list(n, name, offset, &page, err));
        for (size_t i = 0; i < page.count; i++) {
            if (n->rows.count - before >= limit)
                return MNEME_OK;
            if (n->had && n->had->has(n->had->context, page.item[i]))
                continue;
            MN_TRY(take(n, page.item[i], true, err));
        }
    }
    return MNEME_OK;
}

/* ---- structured ---- */

/* A scope of one user or session is not shared: only rows of the user himself stand there. */
static enum mneme_status take_scope(struct now *n, enum mneme_scope scope, struct mneme_list types,
                                    size_t limit, struct mneme_error *err)
{
    bool private = scope == MNEME_SCOPE_USER || scope == MNEME_SCOPE_SESSION;
    struct mn_list_name name = { .kind = MN_LIST_SCOPE,
                                 .scope = scope,
                                 .a = mn_access_scope_id(n->access, scope) };

    if (scope != MNEME_SCOPE_GLOBAL && mn_empty(name.a))
        return MNEME_OK;
    for (size_t i = 0; i < types.count; i++) {
        name.b = types.item[i];
        name.partition = (struct mn_partition){ n->access->tenant, n->access->user };
        MN_TRY(take_list(n, &name, limit, err));
        name.partition.owner = "";
        if (!private)
            MN_TRY(take_list(n, &name, limit, err));
    }
    return MNEME_OK;
}

/* From the narrowest scopes outwards, until there are enough. */
enum mneme_status mn_now_structured(struct mn_store *store, const struct mn_access *access,
                                    struct mneme_list types, size_t limit, struct mn_arena *arena,
                                    struct mn_rows *ret_rows, struct mneme_error *err)
{
    static const enum mneme_scope outwards[] = { MNEME_SCOPE_TASK, MNEME_SCOPE_SESSION,
                                                 MNEME_SCOPE_REPO, MNEME_SCOPE_PROJECT,
                                                 MNEME_SCOPE_USER, MNEME_SCOPE_GLOBAL };
    NOW_AUTO n = { 0 };
    size_t narrower = 0; /* rows of scopes narrower than the one being read */

    MN_TRY(begin(store, access, arena, &n, err));
    for (size_t i = 0; i < sizeof outwards / sizeof *outwards; i++) {
        if (i > 0 && mn_scope_width(outwards[i]) < mn_scope_width(outwards[i - 1]))
            narrower = n.rows.count;
        if (narrower >= limit)
            break;
        MN_TRY(take_scope(&n, outwards[i], types, limit - narrower, err));
    }
    *ret_rows = n.rows;
    return MNEME_OK;
}

/* ---- by key, by link ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The texts of the list in order, each once, none of them empty. */
static enum mneme_status sort_texts(struct mneme_list *texts, struct mn_arena *arena,
                                    struct mneme_error *err)
{
    const char **item = mn_arena_array(arena, const char *, texts->count + 1);
    size_t count = 0;
    size_t kept = 0;

    if (!item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < texts->count; i++) {
        if (!mn_empty(texts->item[i]))
            item[count++] = texts->item[i];
    }
    if (count > 1)
        qsort(item, count, sizeof *item, compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(item[i], item[i - 1]) != 0)
            item[kept++] = item[i];
    }
    *texts = (struct mneme_list){ item, kept };
    return MNEME_OK;
}

enum mneme_status mn_now_by_key(struct mn_store *store, const struct mn_access *access,
                                struct mneme_list keys, const struct mn_had_rows *had,
                                struct mn_arena *arena, struct mn_rows *ret_rows,
                                struct mneme_error *err)
{
    NOW_AUTO n = { .had = had };

    MN_TRY(sort_texts(&keys, arena, err));
    MN_TRY(begin(store, access, arena, &n, err));
    for (size_t i = 0; i < keys.count; i++) {
        struct mn_list_name name = { .kind = MN_LIST_KEY,
                                     .partition = { access->tenant, access->user },
                                     .a = keys.item[i] };

        MN_TRY(take_list(&n, &name, SIZE_MAX, err));
        name.partition.owner = "";
        if (!mn_empty(access->user))
            MN_TRY(take_list(&n, &name, SIZE_MAX, err));
    }
    *ret_rows = n.rows;
    return MNEME_OK;
}

/* Those of these links that lead to an asked id. `ids` is sorted. */
static enum mneme_status take_links(struct now *n, const struct mn_list *links,
                                    struct mneme_list ids, struct mneme_error *err)
{
    for (size_t i = 0; i + 1 < links->count; i += 2) {
        if (bsearch(&links->item[i], ids.item, ids.count, sizeof *ids.item, compare_texts))
            MN_TRY(take(n, links->item[i + 1], true, err));
    }
    return MNEME_OK;
}

/* A partition has few links, and mostly none: all are kept. Of more than a page each id is asked. */
static enum mneme_status take_successors(struct now *n, const char *owner, struct mneme_list ids,
                                         struct mneme_error *err)
{
    struct mn_list_name name = { .kind = MN_LIST_LINKS,
                                 .partition = { n->access->tenant, owner } };
    struct mn_list links = { 0 };

    MN_TRY(list(n, &name, 0, &links, err));
    if (links.count == 0)
        return MNEME_OK;
    MN_TRY(sort_texts(&ids, n->arena, err));
    if (links.whole)
        return take_links(n, &links, ids, err);
    for (size_t i = 0; i < ids.count; i++) {
        name.a = ids.item[i];
        links.whole = false;
        for (size_t offset = 0; !links.whole; offset += PAGE) {
            MN_TRY(read_list(n, &name, offset, &links, err));
            MN_TRY(take_links(n, &links, ids, err));
        }
    }
    return MNEME_OK;
}

enum mneme_status mn_now_successors(struct mn_store *store, const struct mn_access *access,
                                    struct mneme_list ids, struct mn_arena *arena,
                                    struct mn_rows *ret_rows, struct mneme_error *err)
{
    NOW_AUTO n = { 0 };

    MN_TRY(begin(store, access, arena, &n, err));
    MN_TRY(take_successors(&n, access->user, ids, err));
    if (!mn_empty(access->user))
        MN_TRY(take_successors(&n, "", ids, err));
    *ret_rows = n.rows;
    return MNEME_OK;
}

/* ---- turns ---- */

struct pairs {
    const char **item;
    size_t count, room;
};

/* Those whose turn is an asked one. `turns` is sorted. */
static enum mneme_status add_pairs(struct now *n, const struct mn_list *list,
                                   struct mneme_list turns, struct pairs *pairs,
                                   struct mneme_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!bsearch(&list->item[i - i % 2], turns.item, turns.count, sizeof *turns.item,
                     compare_texts))
            continue;
        const char **added = mn_array_add(n->arena, pairs);
        if (!added)
            return mn_fail_memory(err);
        *added = list->item[i];
    }
    return MNEME_OK;
}

/* The asked turns as the statement wants them. */
static enum mneme_status list_turns(struct now *n, struct mneme_list turns, const char **ret_json,
                                    struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '[');
    for (size_t i = 0; i < turns.count; i++)
        mn_json_put_text(&w, turns.item[i]);
    mn_json_close(&w, ']');
    *ret_json = out.failed ? NULL : mn_arena_copy(n->arena, out.at);
    return *ret_json ? MNEME_OK : mn_fail_memory(err);
}

/* Few memories replace another one, and all pairs of a partition are kept. Of more than a page only
 * those of the asked turns are read. */
enum mneme_status mn_sqlite_turns_replaced(struct mn_store *store, const struct mn_access *access,
                                           const char *const *turns, size_t count,
                                           struct mn_arena *arena, struct mneme_list *ret_pairs,
                                           struct mneme_error *err)
{
    struct mn_list_name name = { .kind = MN_LIST_TURNS,
                                 .partition = { access->tenant, access->user } };
    struct mneme_list asked = { turns, count };
    struct pairs pairs = { 0 };
    struct mn_list list_of = { 0 };
    NOW_AUTO n = { 0 };

    MN_TRY(begin(store, access, arena, &n, err));
    MN_TRY(list(&n, &name, 0, &list_of, err));
    if (list_of.count)
        MN_TRY(sort_texts(&asked, arena, err));
    if (list_of.whole) {
        MN_TRY(add_pairs(&n, &list_of, asked, &pairs, err));
    } else {
        MN_TRY(list_turns(&n, asked, &name.a, err));
        for (size_t offset = 0; !list_of.whole; offset += PAGE) {
            MN_TRY(read_list(&n, &name, offset, &list_of, err));
            MN_TRY(add_pairs(&n, &list_of, asked, &pairs, err));
        }
    }
    *ret_pairs = (struct mneme_list){ pairs.item, pairs.count };
    return MNEME_OK;
}

/* ---- are there any? ---- */

enum mneme_status mn_now_any(struct mn_store *store, struct mn_partition partition,
                             enum mn_list_kind kind, bool *ret_any, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(IDS_BYTES_MAX);
    struct mn_access access = { .tenant = partition.tenant, .user = partition.owner };
    struct mn_list_name name = { .kind = kind, .partition = partition };
    struct mn_list ids = { 0 };
    NOW_AUTO n = { 0 };

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(begin(store, &access, arena, &n, err));
    MN_TRY(list(&n, &name, 0, &ids, err));
    *ret_any = ids.count > 0;
    return MNEME_OK;
}
