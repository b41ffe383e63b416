/*
 * excerpt.h - what stands for a long text: its best passage, and those around it.
 */
#ifndef MN_RETRIEVE_EXCERPT_H
#define MN_RETRIEVE_EXCERPT_H

#include "base/arena.h"
#include "base/err.h"
#include "retrieve/candidate.h"

/* How many passages its text has; 0: it is short. */
size_t mn_excerpt_passages(const struct mn_candidate *candidate);

/* The passage that is nearest to the request, the first where that is not known; of a short text all.
 * NULL: no memory. */
const char *mn_excerpt_best(const struct mn_candidate *candidate, struct mn_arena *arena);

/* Makes the passages first to last stand for the text, with a mark where something is left out; all of
 * them: the text itself. The candidate is as it was on failure. */
enum mneme_status mn_excerpt_show(struct mn_candidate *candidate, size_t first, size_t last,
                                  struct mn_arena *arena, struct mneme_error *err);

/* The best passage alone; a short text, or one that has a summary, stays whole. */
enum mneme_status mn_excerpt_begin(struct mn_candidate *candidate, struct mn_arena *arena,
                                   struct mneme_error *err);

#endif
