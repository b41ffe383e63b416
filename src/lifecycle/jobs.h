/*
 * jobs.h - maintenance: what is due, done piece by piece.
 *
 * A job goes over the store in pieces. A piece reads, decides by pure rules and hands over one
 * transaction, in which the job's own row moves on too: killed anywhere, a piece is done or it is not,
 * and the next run goes on behind the last one that is. The row has a number; who read an older one
 * loses, so that two processes do no piece twice. When a job is due is in its row.
 *
 * A job whose work shows in the rows themselves (what has expired, which sessions have ended) is due
 * whenever there is some: to see that there is none costs a look at an index and writes nothing.
 */
#ifndef MN_LIFECYCLE_JOBS_H
#define MN_LIFECYCLE_JOBS_H

#include <stdbool.h>

#include <mneme/admin.h>

#include "base/arena.h"
#include "base/world.h"
#include "store/store.h"

/* One piece being made. */
struct mn_piece {
    struct mn_world *world;
    struct mn_arena *arena; /* of this piece */
    int64_t now_ms;
    struct mn_unit_place after; /* behind which memory it begins; the piece moves it on */
    bool ended;                 /* nothing is left behind it */
    bool more;                  /* something is, though there is nothing to write now */
    bool claimed;               /* others know that somebody is at it */
    bool claims;  /* it will take long: nothing was done yet, it is called again once they do */
    bool waits;   /* something is left for who does not answer */
    const char *note; /* what people should know of it; NULL: nothing */
    int64_t looked;
    /* Groups of rows, each with one place for its writes at least; those that somebody else was faster
     * with are left out. */
    struct {
        struct mn_commit *item;
        size_t count, room;
    } commits;
};

/* Appends a group of writes, which live in the piece's arena. */
enum mneme_status mn_piece_add(struct mn_piece *piece, const struct mn_write *writes, size_t count,
                               const char *reason, struct mneme_error *err);

struct mn_job {
    const char *name;
    const char *what;     /* in a sentence, for people */
    int64_t period_ms;    /* 0: due whenever there is something to do */
    enum mneme_status (*piece)(struct mn_piece *piece, struct mneme_error *err);
};

/* The table, ended by one without a name, in the order in which they are run. */
extern const struct mn_job mn_jobs[];

/* What is asked for; as mneme_maintain() says. */
struct mn_maintenance {
    const char *job; /* "": all */
    bool now;        /* also what is not due */
    size_t pieces_max;
    int64_t time_max_ms; /* 0: no limit; looked at between pieces */
    int64_t now_ms;
};

/* *ret_left: pieces are left. *ret_done: so many were done. `row` (may be NULL) is called once a job. */
enum mneme_status mn_maintain(struct mn_world *world, const struct mn_maintenance *want,
                              mneme_job_fn row, void *context, size_t *ret_done, bool *ret_left,
                              struct mneme_error *err);

/* The next active memories behind the piece's place, which moves on. */
enum mneme_status mn_piece_walk(struct mn_piece *piece, struct mn_rows *ret_rows,
                                struct mneme_error *err);

/* Pieces of jobs that walk over memories; memories.c, procedures.c. */
enum mneme_status mn_piece_deprecate(struct mn_piece *piece, struct mneme_error *err);
enum mneme_status mn_piece_decay(struct mn_piece *piece, struct mneme_error *err);
enum mneme_status mn_piece_review(struct mn_piece *piece, struct mneme_error *err);
enum mneme_status mn_piece_expire(struct mn_piece *piece, struct mneme_error *err);

#endif
