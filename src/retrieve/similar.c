/*
 * similar.c - cosines among the best candidates, for merging (stage 6) and diversity (stage 9).
 *
 * Pairs grow with the square, so only those are compared that may reach an answer: the forced ones and
 * the best by raw relevance. Units without a vector, checkpoints among them, have no row.
 */
#include "retrieve/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"

double mn_similarity_of(const struct mn_similarity *similarity, const struct mn_candidate *a,
                        const struct mn_candidate *b)
{
    if (a->similarity_at >= similarity->count || b->similarity_at >= similarity->count)
        return (double)NAN;
    return (double)similarity->value[a->similarity_at * similarity->count + b->similarity_at];
}

static int by_raw(const void *left, const void *right)
{
    const struct mn_candidate *a = *(struct mn_candidate *const *)left;
    const struct mn_candidate *b = *(struct mn_candidate *const *)right;

    if (a->forced != b->forced)
        return a->forced ? -1 : 1;
    if (a->raw_relevance != b->raw_relevance)
        return a->raw_relevance < b->raw_relevance ? 1 : -1;
    return strcmp(a->memory->id, b->memory->id);
}

enum mneme_status mn_recall_similarity(struct mn_world *world, const struct mn_access *access,
                                       struct mn_candidates *found, size_t most,
                                       struct mn_arena *arena, struct mn_similarity *ret_similarity,
                                       struct mneme_error *err)
{
    struct mn_similarity similarity = { 0 };
    struct mn_candidate **best = mn_arena_array(arena, struct mn_candidate *, found->count + 1);
    size_t count = 0;

    if (!best)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++) {
        found->item[i].similarity_at = SIZE_MAX;
        if (!found->item[i].is_checkpoint && found->item[i].has_vector)
            best[count++] = &found->item[i];
    }
    if (count > 1) {
        qsort(best, count, sizeof *best, by_raw);
        if (count > most)
            count = most;
        const char **ids = mn_arena_array(arena, const char *, count);
        float *value = mn_arena_array(arena, float, count * count);
        if (!ids || !value)
            return mn_fail_memory(err);
        for (size_t i = 0; i < count; i++)
            ids[i] = best[i]->memory->id;
        MN_TRY(world->search->ops->similarity(world->search, access, ids, count, value, err));
        for (size_t i = 0; i < count; i++)
            best[i]->similarity_at = i;
        similarity = (struct mn_similarity){ count, value };
    }
    *ret_similarity = similarity;
    return MNEME_OK;
}
