/*
 * commit_touched.h - which of the rows that are kept decoded a commit has made stale.
 */
#ifndef MN_STORE_COMMIT_TOUCHED_H
#define MN_STORE_COMMIT_TOUCHED_H

#include "store/commit_queue.h"
#include "store/row_cache.h"

/* The group brought the store from one state to the other. Of what is kept only that leaves which was
 * written: the next reader need not ask what it was. Where that cannot be listed all leave. */
void mn_commit_touched(struct mn_row_cache *rows, struct mn_row_state from, struct mn_row_state to,
                       const struct mn_commit_call *group);

#endif
