/*
 * index.h - from changes of the truth to what can be rebuilt.
 *
 * A partition index is a fold over the store's changes: built from canonical rows when it is first
 * used, then brought up by cursor before each search, so that a write committed by any process is
 * seen by the next one. Vectors are such a derived thing too: the embedding step fills in what has
 * none, behind the change log.
 */
#ifndef MN_INDEX_INDEX_H
#define MN_INDEX_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/world.h"
#include "memory/access.h"
#include "memory/partition.h"
#include "model/model.h"
#include "search/search.h"
#include "store/store.h"

/* Keeps two threads from building at once. One per handle. */
struct mn_index;
struct mn_index *mn_index_new(void); /* NULL: out of memory */
void mn_index_free(struct mn_index *index);

/*
 * Brings the access's own and shared partition up to the store's position. *ret_position: that
 * position, in the arena. Fails when the store or the index does; nothing is half applied.
 */
enum mneme_status mn_index_catch_up(struct mn_world *world, const struct mn_access *access,
                                    struct mn_arena *arena, const char **ret_position,
                                    struct mneme_error *err);

/* Is there nothing to catch up? *ret_position as above, then. False also where that cannot be told. */
bool mn_index_is_current(struct mn_world *world, const struct mn_access *access,
                         struct mn_arena *arena, const char **ret_position);

/* What is searched for these items: each, and behind a long one its passages. */
enum mneme_status mn_index_add_passages(const struct mn_units *items, struct mn_arena *arena,
                                        struct mn_units *ret_units, struct mneme_error *err);

/*
 * Embeds at most `limit` units that have no vector of the model's profile yet, and commits them.
 * *ret_done: how many. MNEME_OK and 0 without a model. What the model refuses is passed over and
 * tried again later (missing.c). Fails when the store does, or the model does not answer at all.
 */
enum mneme_status mn_index_embed_missing(struct mn_world *world, size_t limit, size_t *ret_done,
                                         struct mneme_error *err);
/* How many units the model has refused so often that they are left alone. */
enum mneme_status mn_index_parked(struct mn_world *world, size_t *ret_parked,
                                  struct mneme_error *err);
/* Which ones, at most `limit`. */
enum mneme_status mn_index_parked_units(struct mn_world *world, size_t limit,
                                        struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                        struct mneme_error *err);
/* Tries them once more, now; one that is refused again stays parked. *ret_tried: how many there were,
 * *ret_done: how many have a vector now. Fails when the store does, or the model does not answer. */
enum mneme_status mn_index_retry_parked(struct mn_world *world, size_t *ret_tried, size_t *ret_done,
                                        struct mneme_error *err);

/* Embeds every unit anew; the vectors that are there serve until theirs is replaced. *ret_done: how
 * many. What the model refuses is parked as by mn_index_embed_missing(). */
enum mneme_status mn_index_embed_again(struct mn_world *world, size_t *ret_done,
                                       struct mneme_error *err);
/* Vectors of other profiles than the model's go. MNEME_CONFLICT while its own are not all there. */
enum mneme_status mn_index_drop_other_models(struct mn_world *world, int64_t *ret_dropped,
                                             struct mneme_error *err);

/* Embeds those of these units of one partition that have no vector: what a writer waits for. A text
 * the model refuses is skipped, and the first such error returned when nothing else was done. */
enum mneme_status mn_index_embed_units(struct mn_world *world, struct mn_partition partition,
                                       const char *const *ids, size_t count,
                                       struct mneme_error *err);

/* A partition's index beside its rows. */
struct mn_index_compared {
    struct mn_partition partition;
    struct mn_digest index, rows;
};
struct mn_index_checked {
    struct mn_index_compared *item; /* those that differ */
    size_t count, room;
    size_t looked;   /* partitions that are loaded */
    size_t busy;     /* of them: written to all the while, so that nothing can be said */
    size_t repaired;
};
/* Holds the loaded partitions against the rows; those that differ are rebuilt with `repair`. */
enum mneme_status mn_index_reconcile(struct mn_world *world, bool repair, struct mn_arena *arena,
                                     struct mn_index_checked *ret_checked,
                                     struct mneme_error *err);
/* Builds a partition's index from its rows beside the live one, then puts it in its place. */
enum mneme_status mn_index_rebuild(struct mn_world *world, struct mn_partition partition,
                                   struct mneme_error *err);
/* All that are loaded. */
enum mneme_status mn_index_rebuild_all(struct mn_world *world, size_t *ret_partitions,
                                       struct mneme_error *err);

/* The profile whose vectors the index holds; "" without a model. */
const char *mn_index_profile(const struct mn_world *world);
/* The profile of the codes of tokens that are kept beside turns' vectors; "" where there are none. */
const char *mn_index_tokens_profile(const struct mn_world *world);

/*
 * Keeps the indexes of at most `limit` partitions in the store, those that were built or have changed
 * much since (search/segment.h). *ret_done: how many were tried; `limit` of them: there may be more.
 */
enum mneme_status mn_index_keep_segments(struct mn_world *world, size_t limit, size_t *ret_done,
                                         struct mneme_error *err);

#endif
