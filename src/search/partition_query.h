/*
 * partition_query.h - answers from one or two partition indexes that nobody changes meanwhile.
 */
#ifndef MN_SEARCH_PARTITION_QUERY_H
#define MN_SEARCH_PARTITION_QUERY_H

#include "search/partition_index.h"
#include "search/search.h"

#define MN_VIEWS_MAX 2

struct mn_views {
    const struct mn_partition_index *index[MN_VIEWS_MAX];
    bool shared[MN_VIEWS_MAX];
    size_t count;
};

/* As search.h says of top(), score(), context(), adjacent() and similarity(); ret_hits->partial is left
 * to the caller. */
enum mneme_status mn_views_top(const struct mn_views *views, const struct mn_query *query,
                               struct mn_arena *arena, struct mn_hits *ret_hits,
                               struct mneme_error *err);
enum mneme_status mn_views_score(const struct mn_views *views, const struct mn_query *query,
                                 const char *const *ids, size_t count, struct mn_arena *arena,
                                 struct mn_hits *ret_hits, struct mneme_error *err);
enum mneme_status mn_views_context(const struct mn_views *views, const struct mn_query *query,
                                   const char *const *ids, size_t count, struct mn_arena *arena,
                                   struct mn_contexts *ret_contexts, struct mneme_error *err);
enum mneme_status mn_views_adjacent(const struct mn_views *views, const struct mn_access *access,
                                    const char *const *ids, size_t count, struct mn_arena *arena,
                                    const struct mn_unit **ret,
                                    struct mneme_error *err); /* adjacent.c */
enum mneme_status mn_views_similarity(const struct mn_views *views, const char *const *ids,
                                      size_t count, float *ret, struct mneme_error *err);

#endif
