/*
 * walk.c - breadth first from the named entities.
 *
 * An entity is its folded name; aliases lead to the same entity. The frontier holds the best
 * confidence with which each entity was reached; depth is bounded, so the frontier is relaxed once per
 * depth over all edges instead of kept in a queue: edges of two partitions are few, and the result
 * does not depend on their order. An edge of confidence c reached with r gives its memories
 * r * c at the first hop and r * c * 0.8 at each later one.
 *
 * A memory that only a weak path brings is dropped later, by the floor (stage 9: 0.4).
 */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "text/analyze.h"

struct entity {
    const char *name; /* folded */
    double reached[MN_GRAPH_DEPTH_MAX + 1]; /* best confidence on arrival after so many hops; 0: not */
    size_t next;      /* in its bucket; SIZE_MAX ends */
};

struct link {
    size_t source;
    size_t target;
    const struct mneme_edge *edge;
};

struct graph {
    struct mn_arena *arena;
    size_t *bucket;
    size_t bucket_count; /* a power of two */
    struct {
        struct entity *item;
        size_t count;
        size_t room;
    } entities;
    struct {
        struct link *item;
        size_t count;
        size_t room;
    } links;
};

/* The entity of this folded name, made when it is not there; SIZE_MAX when the arena is full. */
static size_t entity_of(struct graph *g, const char *name)
{
    size_t slot = mn_hash64(name, strlen(name), 0) & (g->bucket_count - 1);

    for (size_t at = g->bucket[slot]; at != SIZE_MAX; at = g->entities.item[at].next)
        if (!strcmp(g->entities.item[at].name, name))
            return at;
    struct entity *made = mn_array_add(g->arena, &g->entities);
    if (!made)
        return SIZE_MAX;
    made->name = name;
    made->next = g->bucket[slot];
    g->bucket[slot] = g->entities.count - 1;
    return g->bucket[slot];
}

/* Marks the entity as named when the request holds its name or one of its aliases. */
static enum mneme_status name_entity(struct graph *g, size_t at, const struct mneme_list *aliases,
                                     const char *folded, struct mneme_error *err)
{
    if (g->entities.item[at].reached[0] > 0)
        return MNEME_OK;
    bool named = mn_text_contains(folded, g->entities.item[at].name);

    for (size_t i = 0; i < aliases->count && !named; i++) {
        const char *alias = mn_text_fold(g->arena, aliases->item[i], strlen(aliases->item[i]));

        if (!alias)
            return mn_fail_memory(err);
        named = alias[0] && mn_text_contains(folded, alias);
    }
    if (named)
        g->entities.item[at].reached[0] = 1.0;
    return MNEME_OK;
}

static enum mneme_status add_edge(struct graph *g, const struct mneme_edge *edge,
                                  const char *folded, struct mneme_error *err)
{
    char *source = mn_text_fold(g->arena, edge->source, strlen(edge->source));
    char *target = mn_text_fold(g->arena, edge->target, strlen(edge->target));

    if (!source || !target)
        return mn_fail_memory(err);
    if (!source[0] || !target[0])
        return MNEME_OK;
    size_t from = entity_of(g, source);
    size_t to = from == SIZE_MAX ? SIZE_MAX : entity_of(g, target);
    struct link *link = to == SIZE_MAX ? NULL : mn_array_add(g->arena, &g->links);

    if (!link)
        return mn_fail_memory(err);
    *link = (struct link){ from, to, edge };
    MN_TRY(name_entity(g, from, &edge->source_aliases, folded, err));
    return name_entity(g, to, &edge->target_aliases, folded, err);
}

bool mn_graph_edge_holds(const struct mneme_edge *edge, int64_t at_ms)
{
    return (!edge->valid_from_ms || edge->valid_from_ms <= at_ms) &&
           (!edge->valid_until_ms || at_ms < edge->valid_until_ms);
}

static enum mneme_status find_memory(struct mn_arena *arena, struct mn_graph_finds *finds,
                                     const char *memory_id, double confidence, unsigned depth,
                                     struct mneme_error *err)
{
    for (size_t i = 0; i < finds->count; i++) {
        struct mn_graph_find *f = &finds->item[i];

        if (!strcmp(f->memory_id, memory_id)) {
            if (confidence > f->path_confidence)
                *f = (struct mn_graph_find){ memory_id, confidence, depth };
            return MNEME_OK;
        }
    }
    struct mn_graph_find *f = mn_array_add(arena, finds);
    if (!f)
        return mn_fail_memory(err);
    *f = (struct mn_graph_find){ memory_id, confidence, depth };
    return MNEME_OK;
}

/* One more hop: entities reached after `depth` - 1 hops hand on along every edge that holds. */
static enum mneme_status hop(struct graph *g, unsigned depth, struct mn_graph_finds *finds,
                             struct mneme_error *err)
{
    for (size_t i = 0; i < g->links.count; i++) {
        const struct link *l = &g->links.item[i];
        struct entity *ends[2] = { &g->entities.item[l->source], &g->entities.item[l->target] };
        double best = 0;

        for (int e = 0; e < 2; e++) {
            double carried = ends[e]->reached[depth - 1] * l->edge->confidence *
                             (depth > 1 ? MN_GRAPH_HOP_FACTOR : 1.0);

            if (carried > ends[1 - e]->reached[depth])
                ends[1 - e]->reached[depth] = carried;
            if (carried > best)
                best = carried;
        }
        for (size_t p = 0; best > 0 && p < l->edge->provenance.count; p++)
            MN_TRY(find_memory(g->arena, finds, l->edge->provenance.item[p], best, depth, err));
    }
    return MNEME_OK;
}

static int by_confidence(const void *left, const void *right)
{
    const struct mn_graph_find *a = left, *b = right;

    if (a->path_confidence != b->path_confidence)
        return a->path_confidence < b->path_confidence ? 1 : -1;
    return strcmp(a->memory_id, b->memory_id);
}

enum mneme_status mn_graph_walk(const struct mn_edges *edges, size_t edge_set_count,
                                const char *folded, int64_t at_ms, struct mn_arena *arena,
                                struct mn_graph_finds *ret_finds, struct mneme_error *err)
{
    struct graph g = { .arena = arena, .bucket_count = 64 };
    struct mn_graph_finds finds = { 0 };
    size_t edge_count = 0;

    for (size_t s = 0; s < edge_set_count; s++)
        edge_count += edges[s].count;
    if (!edge_count) {
        *ret_finds = finds;
        return MNEME_OK;
    }
    while (g.bucket_count < edge_count * 2)
        g.bucket_count *= 2;
    g.bucket = mn_arena_array(arena, size_t, g.bucket_count);
    if (!g.bucket)
        return mn_fail_memory(err);
    memset(g.bucket, 0xff, g.bucket_count * sizeof *g.bucket);

    for (size_t s = 0; s < edge_set_count; s++)
        for (size_t i = 0; i < edges[s].count; i++)
            if (mn_graph_edge_holds(&edges[s].item[i], at_ms))
                MN_TRY(add_edge(&g, &edges[s].item[i], folded, err));
    for (unsigned depth = 1; depth <= MN_GRAPH_DEPTH_MAX; depth++)
        MN_TRY(hop(&g, depth, &finds, err));
    if (finds.count)
        qsort(finds.item, finds.count, sizeof *finds.item, by_confidence);
    if (finds.count > MN_GRAPH_MEMORIES_MAX)
        finds.count = MN_GRAPH_MEMORIES_MAX;
    *ret_finds = finds;
    return MNEME_OK;
}
