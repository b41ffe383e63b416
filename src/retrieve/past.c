/*
 * past.c - the words of another time.
 *
 * An index holds what memories say today. A request for the past asks for what they said then, and
 * for some that no index has any more. So the rows that have changed since, as they stood, go into
 * an index of their own, which lives as long as the request; a candidate that was reworded since
 * loses the scores of its present words. Rows that changed in nothing but their state keep theirs.
 *
 * There are no vectors of former words: they are found by text alone, a long text by its passages.
 */
#include "retrieve/sources.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "index/index.h"

#define CHANGED_MAX 4096 /* rows that are looked through, the last changed first */
#define INDEX_BYTES_MAX ((size_t)64 << 20)

static void free_search(struct mn_search **search)
{
    mn_search_free(*search);
}

/* Does the candidate say today what the row said then? */
static bool says_the_same(const struct mn_candidate *c, const struct mneme_memory *then)
{
    return mn_same(c->memory->content_hash, then->content_hash) &&
           mn_same(c->memory->title, then->title);
}

static void forget_scores(struct mn_candidate *c)
{
    c->text = 0;
    c->coverage = 0;
    c->passage = 0;
    c->has_vector = false;
    c->vector = 0;
    c->found[MN_SOURCE_TEXT] = c->found[MN_SOURCE_VECTOR] = (struct mn_finding){ 0 };
}

/* Units of the rows of this owner that said something else then, or are no candidates. */
static enum mneme_status reworded(struct mn_sourcing *s, const struct mn_rows *changed,
                                  const char *owner, struct mn_units *units,
                                  struct mneme_error *err)
{
    for (size_t i = 0; i < changed->count; i++) {
        const struct mn_row *row = &changed->item[i];
        struct mn_candidate *c = mn_pool_find(s->pool, row->memory.id);

        if (!mn_same(row->memory.user_id, owner) || (c && says_the_same(c, &row->memory)))
            continue;
        if (c)
            forget_scores(c);
        struct mn_unit *unit = mn_array_add(s->arena, units);
        if (!unit)
            return mn_fail_memory(err);
        *unit = (struct mn_unit){ .id = row->memory.id,
                                  .parent_id = row->memory.id,
                                  .memory = row->memory,
                                  .confidence = row->confidence,
                                  .session_id = "",
                                  .speaker = "" };
    }
    return MNEME_OK;
}

static enum mneme_status fill(struct mn_sourcing *s, const struct mn_rows *changed,
                              struct mn_search *search, struct mneme_error *err)
{
    const char *const owners[] = { s->access->user, "" };

    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        struct mn_partition partition = { s->access->tenant, owners[i] };
        struct mn_units items = { 0 }, units;

        MN_TRY(reworded(s, changed, owners[i], &items, err));
        MN_TRY(mn_index_add_passages(&items, s->arena, &units, err));
        MN_TRY(search->ops->apply(search, partition, true, units.item, units.count, NULL, 0, "then",
                                  err));
    }
    return MNEME_OK;
}

enum mneme_status mn_source_past(struct mn_sourcing *s, struct mneme_error *err)
{
    struct mn_trace_source *source = &s->trace->source[MN_SOURCE_TEXT];
    MN_CLEANUP(free_search) struct mn_search *search = NULL;
    struct mn_query query = mn_source_query(s);
    const struct mn_space no_vectors = { 0 };
    struct mn_rows changed = { 0 };
    struct mn_hits hits = { 0 };

    MN_TRY(s->world->store->ops->memories_changed(s->world->store, s->access, CHANGED_MAX, s->arena,
                                                  &changed, err));
    if (!changed.count)
        return MNEME_OK;
    if (changed.count == CHANGED_MAX)
        mn_trace_degraded(s->trace, "past: only the %d last changed rows were searched",
                          CHANGED_MAX);
    MN_TRY(mn_search_memory_new(&no_vectors, INDEX_BYTES_MAX, &search, err));
    MN_TRY(fill(s, &changed, search, err));
    query.vector = NULL;
    query.kept = NULL; /* another index */
    query.text_types = s->plan->asked;
    MN_TRY(search->ops->top(search, &query, s->arena, &hits, err));
    for (size_t i = 0; i < hits.count; i++) {
        struct mn_candidate *c = NULL;

        MN_TRY(mn_pool_add_hit(s->pool, &hits.item[i], &c, err));
        c->found[MN_SOURCE_TEXT] =
            (struct mn_finding){ .rank = source->count + hits.item[i].text_rank,
                                 .raw = hits.item[i].text };
    }
    source->count += hits.count;
    return MNEME_OK;
}
