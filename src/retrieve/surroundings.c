/*
 * surroundings.c - what the turns around each conversational candidate say for it.
 *
 * Asked once the candidates are known, in one call: the windows of many of them overlap.
 */
#include "retrieve/sources.h"

enum mneme_status mn_source_surroundings(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_query query = mn_source_query(s);
    struct mn_candidates *found = &s->pool->found;
    const char **ids = mn_arena_array(s->arena, const char *, found->count + 1);
    struct mn_contexts contexts = { 0 };
    size_t id_count = 0;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++)
        if (found->item[i].is_event)
            ids[id_count++] = found->item[i].memory->id;
    if (!id_count)
        return MNEME_OK;
    MN_TRY(s->world->search->ops->context(s->world->search, &query, ids, id_count, s->arena,
                                          &contexts, err));
    /* Both are in the order of the candidates. */
    for (size_t i = 0, next = 0; i < found->count && next < contexts.count; i++)
        if (found->item[i].memory->id == contexts.item[next].id)
            found->item[i].context = &contexts.item[next++];
    return MNEME_OK;
}
