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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/error.h>
#include <mneme/memory.h>

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

/* A turn in a file. `unknown`: no row of the store names the file. True: it has to go. */
struct mn_archived_turn {
    struct mn_partition partition;
    const char *session_id;
    const struct mneme_event *event;
    bool unknown;
};
typedef bool (*mn_archived_fn)(void *context, const struct mn_archived_turn *turn);

struct mn_archive_ops {
    /* Moves at most about events_max turns of the span out of the store, the first ones first.
     * *ret_taken: how many left it; 0: none of the span is there any more.
     * MNEME_UNAVAILABLE: the archive does not answer; the turns stay and are handed over again later. */
    enum mneme_status (*take)(struct mn_archive *archive, struct mn_world *world,
                              const struct mn_archive_span *span, size_t events_max,
                              int64_t now_ms, size_t *ret_taken, struct mneme_error *err);
    /* Brings all turns of a session back into the store. *ret_back: how many. */
    enum mneme_status (*restore)(struct mn_archive *archive, struct mn_world *world,
                                 struct mn_partition partition, const char *session_id,
                                 int64_t now_ms, size_t *ret_back, struct mneme_error *err);
    /* Puts in order what an erasure, or a call that was cut short, has left: files are removed, or made
     * anew without what was erased. *ret_left: how many still wait; the error is the first one's. */
    enum mneme_status (*settle)(struct mn_archive *archive, struct mn_world *world, int64_t now_ms,
                                size_t *ret_left, struct mneme_error *err);
    /* Shows turns as they are in the archive: of the files that wait to be removed or made anew (only
     * NULL), or of all others that hold a partition's. Those that no row of the store names are shown
     * too, and removed when `turn` says so and removing is allowed. */
    enum mneme_status (*show)(struct mn_archive *archive, struct mn_world *world,
                              const struct mn_partition *only, bool may_remove, mn_archived_fn turn,
                              void *context, struct mneme_error *err);
    void (*free)(struct mn_archive *archive);
};

/* Embedded first in each archive's own struct. */
struct mn_archive {
    const struct mn_archive_ops *ops;
};

struct mn_blobs;
/* The archive of sealed files in a place, which is its own from now on, also when this fails. */
enum mneme_status mn_archive_files_new(struct mn_blobs *blobs, struct mn_archive **ret_archive,
                                       struct mneme_error *err);
void mn_archive_free(struct mn_archive *archive); /* accepts NULL */

#endif
