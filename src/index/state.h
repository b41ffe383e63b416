/*
 * state.h - struct mn_index from inside.
 */
#ifndef MN_INDEX_STATE_H
#define MN_INDEX_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/world.h"
#include "memory/partition.h"
#include "memory/unit.h"
#include "store/store.h"

/* The walk over all units that a profile without vectors begins with. */
struct mn_walk {
    struct mn_arena *arena; /* of the place; NULL: no walk is on */
    struct mn_unit_place after;
    struct mn_cursor start; /* what changes behind it is not the walk's */
    bool for_tokens;        /* over turns, for the codes of their tokens */
};

struct mn_index {
    pthread_mutex_t building;
    pthread_mutex_t embedding; /* guards the walk */
    struct mn_walk walk;
};

/* apply.c: units were erased, and nothing may say which: what is left is read anew. */
bool mn_index_holds_erasure(const struct mn_changes *changes);
/* apply.c: ids among the changes that the index holds something of, each once. */
enum mneme_status mn_index_changed_units(const struct mn_changes *changes, struct mn_arena *arena,
                                         const char ***ret_ids, size_t *ret_count,
                                         struct mneme_error *err);

/* embed.c: embeds them and commits the vectors. `index` (may be NULL): what the model refuses is
 * counted there; then only the model's own fault fails the call. *ret_done: how many. */
enum mneme_status mn_embed_units(struct mn_world *world, const struct mn_units *units,
                                 const char *index, struct mn_arena *arena, size_t *ret_done,
                                 struct mneme_error *err);

/* units.c: how many passages an item has, and one of them, from 1 on. */
size_t mn_index_passage_count(const struct mn_unit *item);
enum mneme_status mn_index_passage(const struct mn_unit *item, size_t number,
                                   struct mn_arena *arena, struct mn_unit *ret_passage,
                                   struct mneme_error *err);
/* Its own vector, or one of its passages'. */
bool mn_index_lacks_vectors(const struct mn_unit *item);
/* segments.c: loads what was kept of the partition. Whatever the failure: build it. */
enum mneme_status mn_index_load_segment(struct mn_world *world, struct mn_partition partition,
                                        struct mneme_error *err);

#endif
