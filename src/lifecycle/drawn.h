/*
 * drawn.h - which turns of a session gave memories when they were said.
 */
#ifndef MN_LIFECYCLE_DRAWN_H
#define MN_LIFECYCLE_DRAWN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/world.h"
#include "store/store.h"

/*
 * *ret_drawn: one for each turn. True where a memory is there that the rules would draw from the turn
 * and that names it as its evidence. What was merged under other words, or belongs to a repository or
 * project, may be missed.
 */
enum mneme_status mn_turns_drawn(struct mn_world *world, const struct mn_session *session,
                                 const struct mn_events *turns, struct mn_arena *arena,
                                 const bool **ret_drawn, struct mneme_error *err);

#endif
