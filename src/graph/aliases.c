/*
 * aliases.c - edges read for their names alone.
 *
 * Most edges have no aliases and are passed over. An entity of many edges is read once with each;
 * what it adds the second time is there already.
 */
#include "graph/aliases.h"

#include <string.h>

#include "graph/graph.h"
#include "text/synonyms.h"

static enum mneme_status add_group(struct mn_arena *arena, const char *folded, const char *name,
                                   const char *const *others, size_t count, struct mn_terms *terms,
                                   struct mneme_error *err)
{
    const char **group = mn_arena_array(arena, const char *, count + 1);

    if (!group)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count + 1; i++) {
        const char *one = i ? others[i - 1] : name;

        group[i] = mn_text_fold(arena, one, strlen(one));
        if (!group[i])
            return mn_fail_memory(err);
    }
    return mn_synonyms_group(arena, folded, group, count + 1, terms, err);
}

enum mneme_status mn_graph_aliases(const struct mn_edges *edges, size_t edge_set_count,
                                 const char *folded, int64_t at_ms, struct mn_arena *arena,
                                 struct mn_terms *terms, struct mneme_error *err)
{
    for (size_t s = 0; s < edge_set_count; s++) {
        for (size_t i = 0; i < edges[s].count; i++) {
            const struct mneme_edge *edge = &edges[s].item[i];

            if (!mn_graph_edge_holds(edge, at_ms))
                continue;
            if (strcmp(edge->relation, MN_GRAPH_SAME_AS) == 0)
                MN_TRY(add_group(arena, folded, edge->source, &edge->target, 1, terms, err));
            if (edge->source_aliases.count)
                MN_TRY(add_group(arena, folded, edge->source, edge->source_aliases.item,
                                 edge->source_aliases.count, terms, err));
            if (edge->target_aliases.count)
                MN_TRY(add_group(arena, folded, edge->target, edge->target_aliases.item,
                                 edge->target_aliases.count, terms, err));
        }
    }
    return MNEME_OK;
}
