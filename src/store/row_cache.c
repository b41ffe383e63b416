/*
 * row_cache.c - one table for everything, in the order of its last use.
 *
 * Four kinds of entries: rows and codes of tokens by tenant and id; lists by partition, kind and what
 * they list; and partitions. A partition has a number, which is part of the names of its lists: giving it another one
 * makes all of them unreachable at once, and they leave when they have grown old. Numbers are never
 * given twice, so a partition that left itself and comes back does not find lists of before.
 *
 * Considered: keeping, for each identity, the answers to its questions. They hold only until the
 * next row of it begins or ceases to be valid, and an agent has a new session id every hour.
 */
#include "store/row_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/str.h"
#include "store/flat.h"
#include "store/wall.h"

#define SLOTS_FIRST 1024
#define ENTRY_BYTES_MAX ((size_t)1 << 18) /* one that is larger would drive out too many */

enum kind { KIND_ROW = 0, KIND_PARTITION = 16 /* between them enum mn_list_kind */, KIND_CODES };

/* The name of an entry. */
struct name {
    unsigned kind;
    int64_t number; /* of a list: its partition's, and the scope */
    const char *a;
    const char *b;
};

struct entry {
    struct entry *next;  /* of its slot */
    struct entry *newer; /* used after it */
    struct entry *older;
    uint64_t hash;
    unsigned kind;
    bool whole;     /* a list */
    int64_t number; /* of a list as in its name; of a partition its own */
    size_t count;   /* ids of a list */
    size_t bytes;   /* all together */
    struct mn_flat flat;
    char *name; /* a, NUL, b, NUL; behind the entry */
};

struct mn_row_cache {
    pthread_mutex_t mutex;
    size_t bytes_max;
    size_t bytes;
    struct mn_row_state state;
    int64_t last_number;
    struct entry **slot;
    size_t slot_count;
    size_t count;
    struct entry *newest;
    struct entry *oldest;
};

/* ---- the table ---- */

static uint64_t hash_of(const struct name *name)
{
    uint64_t hash = mn_hash64(name->a, strlen(name->a), (uint64_t)name->number ^ name->kind);

    return mn_hash64(name->b, strlen(name->b), hash);
}

static bool has_name(const struct entry *e, const struct name *name)
{
    size_t bytes = strlen(name->a);

    return e->kind == name->kind && (e->kind == KIND_PARTITION || e->number == name->number) &&
           strcmp(e->name, name->a) == 0 && strcmp(e->name + bytes + 1, name->b) == 0;
}

static struct entry **place_of(const struct mn_row_cache *cache, const struct name *name,
                               uint64_t hash)
{
    struct entry **at = &cache->slot[hash & (cache->slot_count - 1)];

    while (*at && !((*at)->hash == hash && has_name(*at, name)))
        at = &(*at)->next;
    return at;
}

static void unlink_age(struct mn_row_cache *cache, struct entry *e)
{
    *(e->newer ? &e->newer->older : &cache->newest) = e->older;
    *(e->older ? &e->older->newer : &cache->oldest) = e->newer;
}

static void link_newest(struct mn_row_cache *cache, struct entry *e)
{
    e->newer = NULL;
    e->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = e;
    cache->newest = e;
}

/* The entry, now the newest; NULL. */
static struct entry *find(struct mn_row_cache *cache, const struct name *name)
{
    struct entry *e = *place_of(cache, name, hash_of(name));

    if (e && e != cache->newest) {
        unlink_age(cache, e);
        link_newest(cache, e);
    }
    return e;
}

static void drop(struct mn_row_cache *cache, struct entry *e)
{
    struct entry **at = &cache->slot[e->hash & (cache->slot_count - 1)];

    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    unlink_age(cache, e);
    cache->bytes -= e->bytes;
    cache->count--;
    free(e);
}

static void drop_all(struct mn_row_cache *cache)
{
    while (cache->oldest)
        drop(cache, cache->oldest);
}

/* Where there is no memory for more slots, the old ones do. */
static void grow(struct mn_row_cache *cache)
{
    size_t count = cache->slot_count * 2;
    struct entry **slot = calloc(count, sizeof(struct entry *));

    if (!slot)
        return;
    free(cache->slot);
    cache->slot = slot;
    cache->slot_count = count;
    for (struct entry *e = cache->oldest; e; e = e->newer) {
        e->next = slot[e->hash & (count - 1)];
        slot[e->hash & (count - 1)] = e;
    }
}

/* ---- entries ---- */

static size_t name_bytes(const struct name *name)
{
    return strlen(name->a) + strlen(name->b) + 2;
}

/* Bytes before the flat piece of an entry of this name. */
static size_t head_bytes(const struct name *name)
{
    return sizeof(struct entry) + name_bytes(name);
}

/* Puts the entry that begins at `made` (NULL: none) into the table; NULL when it is not kept. */
static struct entry *insert(struct mn_row_cache *cache, void *made, const struct name *name,
                            const struct mn_flat *flat, size_t count, bool whole)
{
    struct entry *e = made;
    uint64_t hash = hash_of(name);
    struct entry *former = *place_of(cache, name, hash);

    if (!e)
        return NULL;
    if (former)
        drop(cache, former);
    *e = (struct entry){ .hash = hash,
                         .kind = name->kind,
                         .number = name->number,
                         .count = count,
                         .whole = whole,
                         .flat = *flat,
                         .bytes = head_bytes(name) + flat->bytes +
                                  flat->pointer_count * sizeof *flat->pointer };
    e->name = (char *)(e + 1);
    strcpy(stpcpy(e->name, name->a) + 1, name->b);
    if (e->bytes > ENTRY_BYTES_MAX || e->bytes > cache->bytes_max) {
        free(e);
        return NULL;
    }
    if (cache->count >= cache->slot_count)
        grow(cache);
    e->next = cache->slot[hash & (cache->slot_count - 1)];
    cache->slot[hash & (cache->slot_count - 1)] = e;
    link_newest(cache, e);
    cache->bytes += e->bytes;
    cache->count++;
    while (cache->bytes > cache->bytes_max)
        drop(cache, cache->oldest);
    return e;
}

static struct name partition_name(const char *tenant, const char *owner)
{
    return (struct name){ .kind = KIND_PARTITION, .a = tenant, .b = mn_or_empty(owner) };
}

static struct name row_name(const char *tenant, const char *id)
{
    return (struct name){ .kind = KIND_ROW, .a = tenant, .b = id };
}

static struct name codes_name(const char *tenant, const char *unit)
{
    return (struct name){ .kind = KIND_CODES, .a = tenant, .b = unit };
}

/* The name of a list; false when its partition is not known, and so no list of it. */
static bool list_name(struct mn_row_cache *cache, const struct mn_list_name *of,
                      struct name *ret_name)
{
    struct name partition = partition_name(of->partition.tenant, of->partition.owner);
    const struct entry *e = find(cache, &partition);

    if (!e)
        return false;
    *ret_name = (struct name){ .kind = (unsigned)of->kind,
                               .number = e->number * 16 + (int64_t)of->scope,
                               .a = mn_or_empty(of->a),
                               .b = mn_or_empty(of->b) };
    return true;
}

static bool same_state(struct mn_row_state a, struct mn_row_state b)
{
    return a.changes == b.changes && a.usage == b.usage;
}

/* ---- the life of a cache ---- */

struct mn_row_cache *mn_row_cache_new(size_t bytes_max)
{
    struct mn_row_cache *cache = calloc(1, sizeof *cache);

    if (!cache)
        return NULL;
    cache->slot = calloc(SLOTS_FIRST, sizeof(struct entry *));
    if (!cache->slot) {
        free(cache);
        return NULL;
    }
    cache->slot_count = SLOTS_FIRST;
    cache->bytes_max = bytes_max;
    cache->state = (struct mn_row_state){ -1, -1 };
    (void)pthread_mutex_init(&cache->mutex, NULL); /* default attributes: cannot fail */
    return cache;
}

void mn_row_cache_free(struct mn_row_cache *cache)
{
    if (!cache)
        return;
    drop_all(cache);
    (void)pthread_mutex_destroy(&cache->mutex);
    free(cache->slot);
    free(cache);
}

/* ---- states ---- */

struct mn_row_state mn_row_cache_state(struct mn_row_cache *cache)
{
    struct mn_row_state state;

    (void)pthread_mutex_lock(&cache->mutex);
    state = cache->state;
    (void)pthread_mutex_unlock(&cache->mutex);
    return state;
}

static void drop_named(struct mn_row_cache *cache, struct name name)
{
    struct entry *e = *place_of(cache, &name, hash_of(&name));

    if (e)
        drop(cache, e);
}

static void drop_touched(struct mn_row_cache *cache, const struct mn_row_touch *touch)
{
    drop_named(cache, row_name(touch->tenant, touch->id));
    drop_named(cache, codes_name(touch->tenant, touch->id));
    if (!touch->owner)
        return;
    struct name partition = partition_name(touch->tenant, touch->owner);
    struct entry *e = *place_of(cache, &partition, hash_of(&partition));

    if (e)
        e->number = ++cache->last_number;
}

bool mn_row_cache_move(struct mn_row_cache *cache, struct mn_row_state from, struct mn_row_state to,
                       const struct mn_row_touch *touch, size_t count)
{
    bool moved;

    (void)pthread_mutex_lock(&cache->mutex);
    moved = same_state(cache->state, from);
    if (moved && !touch)
        drop_all(cache);
    for (size_t i = 0; moved && touch && i < count; i++)
        drop_touched(cache, &touch[i]);
    if (moved)
        cache->state = to;
    (void)pthread_mutex_unlock(&cache->mutex);
    return moved;
}

void mn_row_cache_forget(struct mn_row_cache *cache)
{
    (void)pthread_mutex_lock(&cache->mutex);
    drop_all(cache);
    cache->state = (struct mn_row_state){ -1, -1 };
    (void)pthread_mutex_unlock(&cache->mutex);
}

/* ---- rows ---- */

static bool may_have(const struct mn_access *access, bool filtered, const struct mn_row *row)
{
    enum mn_reason reason;

    if (!mn_empty(row->memory.user_id) && !mn_same(row->memory.user_id, access->user))
        return false;
    return !filtered || (mn_wall_passes(access, row) &&
                         mn_access_allows(access, &row->memory, row->confidence, &reason));
}

enum mneme_status mn_row_cache_take(struct mn_row_cache *cache, struct mn_row_state state,
                                    const struct mn_access *access, bool filtered, const char *id,
                                    struct mn_arena *arena, struct mn_rows *rows,
                                    enum mn_row_kept *ret_kept, struct mneme_error *err)
{
    struct name name = row_name(access->tenant, id);
    enum mn_row_kept kept = MN_ROW_UNKNOWN;
    const struct mn_row *copy = NULL;
    struct mn_row *added;

    (void)pthread_mutex_lock(&cache->mutex);
    const struct entry *e = same_state(cache->state, state) ? find(cache, &name) : NULL;
    if (e) {
        kept = may_have(access, filtered, e->flat.at) ? MN_ROW_TAKEN : MN_ROW_REFUSED;
        copy = kept == MN_ROW_TAKEN ? mn_flat_copy(&e->flat, arena) : NULL;
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    if (kept == MN_ROW_TAKEN) {
        added = copy ? mn_array_add(arena, rows) : NULL;
        if (!added)
            return mn_fail_memory(err);
        *added = *copy;
    }
    *ret_kept = kept;
    return MNEME_OK;
}

void mn_row_cache_keep(struct mn_row_cache *cache, struct mn_row_state state,
                       const struct mn_row *row)
{
    struct name name = row_name(row->memory.tenant_id, row->memory.id);
    struct mn_flat flat = { 0 };
    void *made = mn_flat_row(row, head_bytes(&name), &flat);

    (void)pthread_mutex_lock(&cache->mutex);
    if (same_state(cache->state, state)) {
        (void)insert(cache, made, &name, &flat, 1, true);
        made = NULL;
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    free(made);
}

/* ---- lists ---- */

enum mneme_status mn_row_cache_list(struct mn_row_cache *cache, struct mn_row_state state,
                                    const struct mn_list_name *of, struct mn_arena *arena,
                                    struct mn_list *ret_list, bool *ret_known,
                                    struct mneme_error *err)
{
    struct name name;
    const struct entry *e = NULL;
    struct mn_list list = { 0 };

    (void)pthread_mutex_lock(&cache->mutex);
    if (same_state(cache->state, state) && list_name(cache, of, &name))
        e = find(cache, &name);
    *ret_known = e != NULL;
    if (e) {
        list = (struct mn_list){ NULL, e->count, e->whole };
        if (e->count)
            list.item = mn_flat_copy(&e->flat, arena);
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    if (list.count && !list.item)
        return mn_fail_memory(err);
    *ret_list = list;
    return MNEME_OK;
}

/* With the mutex held: a number for the partition, if it has none. */
static void number_partition(struct mn_row_cache *cache, const struct mn_partition *partition)
{
    struct name name = partition_name(partition->tenant, partition->owner);

    if (find(cache, &name))
        return;
    struct entry *e =
        insert(cache, malloc(head_bytes(&name)), &name, &(struct mn_flat){ 0 }, 0, true);
    if (e)
        e->number = ++cache->last_number;
}

void mn_row_cache_keep_list(struct mn_row_cache *cache, struct mn_row_state state,
                            const struct mn_list_name *of, const struct mn_list *list)
{
    struct name name = { .a = mn_or_empty(of->a), .b = mn_or_empty(of->b) };
    struct mn_flat flat = { 0 };
    void *made = mn_flat_ids(list->item, list->count, head_bytes(&name), &flat);

    (void)pthread_mutex_lock(&cache->mutex);
    if (same_state(cache->state, state)) {
        number_partition(cache, &of->partition);
        if (list_name(cache, of, &name)) {
            (void)insert(cache, made, &name, &flat, list->count, list->whole);
            made = NULL;
        }
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    free(made);
}

/* ---- codes ---- */

/* An entry's piece: owner, NUL, profile, NUL, the codes. */
static size_t codes_head(const struct mn_codes_name *of)
{
    return strlen(mn_or_empty(of->partition.owner)) + strlen(of->profile) + 2;
}

static bool are_of(const struct entry *e, const struct mn_codes_name *of)
{
    const char *owner = mn_or_empty(of->partition.owner), *at = e->flat.at;

    return strcmp(at, owner) == 0 && strcmp(at + strlen(owner) + 1, of->profile) == 0;
}

enum mneme_status mn_row_cache_codes(struct mn_row_cache *cache, struct mn_row_state state,
                                     const struct mn_codes_name *of, struct mn_arena *arena,
                                     struct mn_str *ret_codes, bool *ret_known,
                                     struct mneme_error *err)
{
    struct name name = codes_name(of->partition.tenant, of->unit);
    struct mn_str codes = { NULL, 0 };
    bool known = false;

    (void)pthread_mutex_lock(&cache->mutex);
    const struct entry *e = same_state(cache->state, state) ? find(cache, &name) : NULL;
    if (e && are_of(e, of)) {
        known = true;
        codes.bytes = e->flat.bytes - codes_head(of);
        codes.at = mn_arena_copy_n(arena, (const char *)e->flat.at + codes_head(of), codes.bytes);
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    if (known && !codes.at)
        return mn_fail_memory(err);
    *ret_known = known;
    if (known)
        *ret_codes = codes;
    return MNEME_OK;
}

void mn_row_cache_keep_codes(struct mn_row_cache *cache, struct mn_row_state state,
                             const struct mn_codes_name *of, struct mn_str codes)
{
    struct name name = codes_name(of->partition.tenant, of->unit);
    size_t head = head_bytes(&name), bytes = codes_head(of) + codes.bytes;
    char *made = malloc(head + bytes);

    if (!made)
        return;
    char *at = stpcpy(stpcpy(made + head, mn_or_empty(of->partition.owner)) + 1, of->profile) + 1;
    memcpy(at, codes.at, codes.bytes);
    const struct mn_flat flat = { .bytes = bytes, .at = made + head };
    (void)pthread_mutex_lock(&cache->mutex);
    if (same_state(cache->state, state)) {
        (void)insert(cache, made, &name, &flat, 0, true);
        made = NULL;
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    free(made);
}
