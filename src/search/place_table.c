/*
 * place_table.c - a hash table, and a list by last use through the same places.
 */
#include "search/place_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define BUCKETS_FIRST 64
#define PLACES_KEPT 2
/* Saved from here on: fewer are built in less time than anybody notices. */
#define DUE_UNITS 1000
#define DUE_SHARE 8 /* once an eighth has moved; until then that much is caught up */

/* ---- places ---- */

static uint64_t hash_of(struct mn_partition partition)
{
    return mn_hash64(partition.owner, strlen(partition.owner),
                     mn_hash64(partition.tenant, strlen(partition.tenant), 0));
}

static void place_free(struct mn_place *place)
{
    mn_partition_index_release(&place->index);
    free(place->cursor);
    pthread_rwlock_destroy(&place->lock);
    pthread_mutex_destroy(&place->feeding);
    free(place);
}

/* A waiting writer goes before new readers, or a busy partition could never be fed. */
static bool lock_init(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attributes;

    if (pthread_rwlockattr_init(&attributes))
        return false;
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    bool made = !pthread_rwlock_init(lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    return made;
}

static struct mn_place *place_new(const struct mn_place_table *table, struct mn_partition partition,
                                  uint64_t hash)
{
    size_t tenant_bytes = strlen(partition.tenant) + 1, owner_bytes = strlen(partition.owner) + 1;
    struct mn_place *place = calloc(1, sizeof *place + tenant_bytes + owner_bytes);

    if (!place)
        return NULL;
    if (!mn_partition_index_init(&place->index, table->space, table->scan)) {
        free(place);
        return NULL;
    }
    if (!lock_init(&place->lock) || pthread_mutex_init(&place->feeding, NULL)) {
        mn_partition_index_release(&place->index);
        free(place);
        return NULL;
    }
    place->hash = hash;
    memcpy(place->tenant, partition.tenant, tenant_bytes);
    memcpy(place->tenant + tenant_bytes, partition.owner, owner_bytes);
    place->owner = place->tenant + tenant_bytes;
    return place;
}

/* ---- the table; all under its lock ---- */

static struct mn_place **bucket_of(const struct mn_place_table *table, uint64_t hash)
{
    return &table->bucket[hash & (table->bucket_count - 1)];
}

static struct mn_place *table_find(const struct mn_place_table *table,
                                   struct mn_partition partition, uint64_t hash)
{
    struct mn_place *place = *bucket_of(table, hash);

    while (place && (place->hash != hash || strcmp(place->tenant, partition.tenant) ||
                     strcmp(place->owner, partition.owner)))
        place = place->next_in_bucket;
    return place;
}

static void use_unlink(struct mn_place_table *table, struct mn_place *place)
{
    if (place->newer)
        place->newer->older = place->older;
    else
        table->newest = place->older;
    if (place->older)
        place->older->newer = place->newer;
    else
        table->oldest = place->newer;
}

static void use_first(struct mn_place_table *table, struct mn_place *place)
{
    place->newer = NULL;
    place->older = table->newest;
    if (table->newest)
        table->newest->newer = place;
    else
        table->oldest = place;
    table->newest = place;
}

/* More buckets once places outnumber them; without memory for that chains get longer. */
static void table_grow(struct mn_place_table *table)
{
    size_t count = table->bucket_count * 2;
    struct mn_place **bucket = calloc(count, sizeof *bucket);

    if (!bucket)
        return;
    free(table->bucket);
    table->bucket = bucket;
    table->bucket_count = count;
    for (struct mn_place *place = table->newest; place; place = place->older) {
        struct mn_place **head = bucket_of(table, place->hash);

        place->next_in_bucket = *head;
        *head = place;
    }
}

static void table_add(struct mn_place_table *table, struct mn_place *place)
{
    struct mn_place **head = bucket_of(table, place->hash);

    place->next_in_bucket = *head;
    *head = place;
    place->listed = true;
    use_first(table, place);
    if (++table->places > table->bucket_count)
        table_grow(table);
}

/* Off the table. The last user frees it; without users the caller does. */
static void table_remove(struct mn_place_table *table, struct mn_place *place)
{
    struct mn_place **link = bucket_of(table, place->hash);

    while (*link != place)
        link = &(*link)->next_in_bucket;
    *link = place->next_in_bucket;
    use_unlink(table, place);
    place->listed = false;
    table->places--;
    table->bytes -= place->bytes;
    table->units -= place->units;
}

/* ---- holding a place ---- */

struct mn_place *mn_place_acquire(struct mn_place_table *table, struct mn_partition partition)
{
    uint64_t hash = hash_of(partition);

    pthread_mutex_lock(&table->lock);
    struct mn_place *place = table_find(table, partition, hash);
    if (place) {
        place->users++;
        use_unlink(table, place);
        use_first(table, place);
    }
    pthread_mutex_unlock(&table->lock);
    return place;
}

struct mn_place *mn_place_acquire_or_make(struct mn_place_table *table,
                                          struct mn_partition partition)
{
    struct mn_place *found = mn_place_acquire(table, partition);
    struct mn_place *made;

    if (found)
        return found;
    made = place_new(table, partition, hash_of(partition));
    if (!made)
        return NULL;
    pthread_mutex_lock(&table->lock);
    found = table_find(table, partition, made->hash);
    if (!found) { /* nobody was faster */
        found = made;
        made = NULL;
        table_add(table, found);
    }
    found->users++;
    pthread_mutex_unlock(&table->lock);
    if (made)
        place_free(made);
    return found;
}

void mn_place_release(struct mn_place_table *table, struct mn_place *place)
{
    pthread_mutex_lock(&table->lock);
    bool last = --place->users == 0 && !place->listed;
    pthread_mutex_unlock(&table->lock);
    if (last)
        place_free(place);
}

/* Takes places off the table until the rest fits; returns those to be freed, linked by `older`. */
static struct mn_place *evict(struct mn_place_table *table)
{
    struct mn_place *gone = NULL;

    while (table->bytes > table->bytes_max && table->places > PLACES_KEPT) {
        struct mn_place *place = table->oldest;

        table_remove(table, place);
        if (place->users == 0) {
            place->older = gone;
            gone = place;
        }
    }
    return gone;
}

void mn_place_settle(struct mn_place_table *table, struct mn_place *place, size_t bytes,
                     size_t units, size_t moved, bool broken)
{
    struct mn_place *gone;

    pthread_mutex_lock(&table->lock);
    if (place->listed) {
        table->bytes += bytes - place->bytes;
        table->units += units - place->units;
        place->bytes = bytes;
        place->units = units;
        place->moved += moved;
        if (broken)
            table_remove(table, place);
    }
    gone = evict(table);
    pthread_mutex_unlock(&table->lock);
    while (gone) {
        struct mn_place *next = gone->older;

        place_free(gone);
        gone = next;
    }
    mn_place_release(table, place);
}

void mn_place_saved(struct mn_place_table *table, struct mn_place *place)
{
    pthread_mutex_lock(&table->lock);
    place->moved = 0;
    pthread_mutex_unlock(&table->lock);
}

bool mn_place_due(struct mn_place_table *table, struct mn_arena *arena,
                  struct mn_partition *ret_partition)
{
    struct mn_partition found = { NULL, NULL };

    pthread_mutex_lock(&table->lock);
    for (struct mn_place *place = table->newest; place && !found.tenant; place = place->older)
        if (place->units >= DUE_UNITS && place->moved * DUE_SHARE >= place->units) {
            found.tenant = mn_arena_copy(arena, place->tenant);
            found.owner = mn_arena_copy(arena, place->owner);
            if (!found.tenant || !found.owner)
                break;
        }
    pthread_mutex_unlock(&table->lock);
    if (!found.tenant || !found.owner)
        return false;
    *ret_partition = found;
    return true;
}

void mn_place_drop(struct mn_place_table *table, struct mn_partition partition)
{
    uint64_t hash = hash_of(partition);

    pthread_mutex_lock(&table->lock);
    struct mn_place *place = table_find(table, partition, hash);
    if (place)
        table_remove(table, place);
    bool unused = place && place->users == 0;
    pthread_mutex_unlock(&table->lock);
    if (unused)
        place_free(place);
}

bool mn_place_table_init(struct mn_place_table *table, const struct mn_vector_space *space,
                         const struct mn_scan *scan, size_t bytes_max)
{
    memset(table, 0, sizeof *table);
    table->space = space;
    table->scan = scan;
    table->bytes_max = bytes_max;
    table->bucket_count = BUCKETS_FIRST;
    table->bucket = calloc(table->bucket_count, sizeof *table->bucket);
    if (!table->bucket)
        return false;
    if (pthread_mutex_init(&table->lock, NULL)) {
        free(table->bucket);
        return false;
    }
    return true;
}

void mn_place_table_release(struct mn_place_table *table)
{
    for (struct mn_place *place = table->newest, *older; place; place = older) {
        older = place->older;
        place_free(place);
    }
    free(table->bucket);
    pthread_mutex_destroy(&table->lock);
}
