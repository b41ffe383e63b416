/*
 * graph.h - from what a request names to the memories linked with it.
 *
 * Edges join entities; a memory hangs on the edges that name it in their provenance. The walk starts
 * at the entities named in the request and goes breadth first along edges that hold at the instant.
 * Pure: edges are handed in, already those of the identity's own and shared partition.
 */
#ifndef MN_GRAPH_GRAPH_H
#define MN_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "store/store.h"

#define MN_GRAPH_DEPTH_MAX 3
#define MN_GRAPH_MEMORIES_MAX 20
#define MN_GRAPH_HOP_FACTOR 0.8 /* for each hop after the first */

/* Is the edge valid at the instant? */
bool mn_graph_edge_holds(const struct mneme_edge *edge, int64_t at_ms);

struct mn_graph_find {
    const char *memory_id;
    double path_confidence; /* the best path's: product of its edges' confidences and hop factors */
    unsigned depth;         /* 1: on an edge of a named entity */
};
struct mn_graph_finds {
    struct mn_graph_find *item;
    size_t count;
    size_t room;
};

/*
 * edges: of any number of partitions, one after the other. folded: mn_text_fold of the request.
 * Finds are ordered by path confidence, then id.
 */
enum mneme_status mn_graph_walk(const struct mn_edges *edges, size_t edge_set_count,
                                const char *folded, int64_t at_ms, struct mn_arena *arena,
                                struct mn_graph_finds *ret_finds, struct mneme_error *err);

#endif
