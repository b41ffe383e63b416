/*
 * aliases.h - what the entities that a request names are called besides.
 *
 * Pure. An entity has the name and the aliases that its edges give, and an edge whose relation is
 * MN_GRAPH_SAME_AS says that its two ends are one thing.
 */
#ifndef MN_GRAPH_ALIASES_H
#define MN_GRAPH_ALIASES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "store/store.h"
#include "text/analyze.h"

#define MN_GRAPH_SAME_AS "same_as"

/* Adds to the terms of the folded request what other names of its entities say (text/synonyms.h),
 * by edges that hold at the instant. */
enum mneme_status mn_graph_aliases(const struct mn_edges *edges, size_t edge_set_count,
                                 const char *folded, int64_t at_ms, struct mn_arena *arena,
                                 struct mn_terms *terms, struct mneme_error *err);

#endif
