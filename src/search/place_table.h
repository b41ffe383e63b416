/*
 * place_table.h - where the indexes of partitions stand: found by name, counted, dropped when
 * unused.
 *
 * The table's lock is held for a moment, to find a place, count its users and note that it was
 * used; each place has a lock of its own. A place that leaves the table (dropped, evicted, broken)
 * is no longer found and is freed by its last user.
 */
#ifndef MN_SEARCH_PLACE_TABLE_H
#define MN_SEARCH_PLACE_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "memory/partition.h"
#include "search/partition_index.h"

enum mn_place_state {
    MN_PLACE_EMPTY = 0, /* never fed from the start, or broken by a failed allocation */
    MN_PLACE_BUILDING,
    MN_PLACE_LOADED
};

struct mn_place {
    /* under the table's lock */
    struct mn_place *next_in_bucket;
    struct mn_place *newer, *older; /* by last use */
    uint64_t hash;
    size_t users;
    size_t bytes;
    size_t units;
    size_t moved; /* units that came or left since it was last saved or loaded */
    bool listed;

    pthread_mutex_t feeding; /* one feeder at a time */
    pthread_rwlock_t lock;   /* of what follows */
    enum mn_place_state state;
    char *cursor; /* NULL before the first */
    struct mn_partition_index index;

    const char *owner; /* behind the tenant, in the same block; never changes */
    char tenant[];
};

struct mn_place_table {
    const struct mn_vector_space *space; /* lent, as is scan */
    const struct mn_scan *scan;
    size_t bytes_max;

    pthread_mutex_t lock;
    struct mn_place **bucket;
    size_t bucket_count; /* a power of two */
    struct mn_place *newest, *oldest;
    size_t places;
    size_t bytes;
    size_t units;
};

bool mn_place_table_init(struct mn_place_table *table, const struct mn_vector_space *space,
                         const struct mn_scan *scan, size_t bytes_max);
void mn_place_table_release(struct mn_place_table *table); /* nobody uses a place any more */

/* The partition's place, marked as used just now; NULL when there is none. */
struct mn_place *mn_place_acquire(struct mn_place_table *table, struct mn_partition partition);

/* The same, made when there is none; NULL when malloc fails. */
struct mn_place *mn_place_acquire_or_make(struct mn_place_table *table,
                                          struct mn_partition partition);

void mn_place_release(struct mn_place_table *table, struct mn_place *place);

/*
 * Instead of mn_place_release(), after a place was fed: notes its size, takes it off the table when
 * it broke, and lets others go, least recently used first, while together they hold more than
 * bytes_max. The two used last stay: a request needs its own partition and the shared one at once,
 * and would otherwise rebuild them in turn for ever. `moved`: units that came or left.
 */
void mn_place_settle(struct mn_place_table *table, struct mn_place *place, size_t bytes,
                     size_t units, size_t moved, bool broken);
/* It was saved or loaded: nothing has moved since. */
void mn_place_saved(struct mn_place_table *table, struct mn_place *place);
/* One that is worth saving, its names copied into the arena; false: none, or the arena is full. */
bool mn_place_due(struct mn_place_table *table, struct mn_arena *arena,
                  struct mn_partition *ret_partition);

void mn_place_drop(struct mn_place_table *table, struct mn_partition partition);

#endif
