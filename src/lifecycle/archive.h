/*
 * archive.h - where the raw turns of a session go once it is compressed.
 *
 * Session compression (compress.c) draws what is worth keeping from the turns of a session that has
 * ended and commits it. Then it hands the turns over, by this table and nothing else; without an archive
 * (world->archive is NULL) they stay where they are.
 *
 * What `take` has to hold to, since it alone touches both places:
 *
 *   A turn leaves the store only when it is durable in the archive. Killed anywhere, each turn is in at
 *   least one of both, and the same call made again ends in the same state.
 *   What is erased while it runs is in neither when it is over: turns leave the store in a commit that
 *   looks whether they are still there, and what was copied of one that is not is removed again.
 *   With the turns go their vectors and postings; a change row each tells the indexes. The session's row
 *   stays, and so do the ids of its turns: they are provenance of memories, and an erasure by session,
 *   by memory with its evidence, or by user has to find them and the archive's copies.
 */
#ifndef MN_LIFECYCLE_ARCHIVE_H
#define MN_LIFECYCLE_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include <mneme/error.h>

#include "base/world.h"
#include "memory/partition.h"

struct mn_archive;

/* Turns of one session that were compressed: those of a place up to last_place that are in the store.
 * Turns that come later are another span. */
struct mn_archive_span {
    struct mn_partition partition;
    const char *session_id;
    int64_t last_place;
};

struct mn_archive_ops {
    /* Moves at most about events_max turns of the span out of the store, the first ones first.
     * *ret_taken: how many left it; 0: none of the span is there any more.
     * MNEME_UNAVAILABLE: the archive does not answer; the turns stay and are handed over again later. */
    enum mneme_status (*take)(struct mn_archive *archive, struct mn_world *world,
                              const struct mn_archive_span *span, size_t events_max,
                              int64_t now_ms, size_t *ret_taken, struct mneme_error *err);
    void (*free)(struct mn_archive *archive);
};

/* Embedded first in each archive's own struct. */
struct mn_archive {
    const struct mn_archive_ops *ops;
};

void mn_archive_free(struct mn_archive *archive); /* accepts NULL */

#endif
