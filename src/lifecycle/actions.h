/*
 * actions.h - what a sentence says is done, and what is yet to be done. Pure.
 */
#ifndef MN_LIFECYCLE_ACTIONS_H
#define MN_LIFECYCLE_ACTIONS_H

#include <stdbool.h>

/* Of one folded sentence that asks nothing. */
bool mn_actions_pending(const char *folded);
bool mn_actions_done(const char *folded);

#endif
