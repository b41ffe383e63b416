/*
 * filter.c - stage 5: the second wall.
 *
 * The store and the indexes filtered already. Here the same questions are asked again, of every
 * candidate, in code (memory/access.h), because a leak costs more than a millisecond: what this
 * wall catches for a reason of access is a fault of the first, counted, and must stay zero.
 *
 * A memory that another one names in `supersedes` is out, too, when that successor is of the same
 * tenant and owner, and the identity may see it at this instant. A row that is marked superseded is
 * out by its status, whoever may see its successor. Successors count even if they are themselves
 * replaced: the middle of a chain still hides its beginning.
 */
#include "retrieve/stages.h"

/* The successor that hides the memory, or NULL. */
static const struct mneme_memory *replaces(const struct mn_access *access,
                                           const struct mneme_memory *successor, double confidence,
                                           const struct mneme_memory *memory)
{
    enum mn_reason reason = MN_REASON_NONE;

    if (mn_empty(successor->supersedes) || successor == memory ||
        !mn_same(successor->supersedes, memory->id) || mn_same(successor->id, memory->id) ||
        !mn_same(successor->tenant_id, memory->tenant_id) ||
        !mn_same(successor->user_id, memory->user_id))
        return NULL;
    return mn_access_allows(access, successor, confidence, &reason) ? successor : NULL;
}

static const struct mneme_memory *find_successor(const struct mn_access *access,
                                                 const struct mneme_memory *const *successors,
                                                 size_t successor_count,
                                                 const struct mn_candidates *found,
                                                 size_t found_count,
                                                 const struct mneme_memory *memory)
{
    const struct mneme_memory *by = NULL;

    for (size_t i = 0; i < found_count && !by; i++)
        by = replaces(access, found->item[i].memory, found->item[i].confidence, memory);
    for (size_t i = 0; i < successor_count && !by; i++)
        by = replaces(access, successors[i], -1.0, memory);
    return by;
}

/* Types of a later version's configuration are facts to this one. */
static bool is_asked(const struct mn_plan *plan, const struct mneme_memory *memory)
{
    int type = mn_type_find(memory->type);

    if (type == MN_TYPE_NONE)
        type = mn_type_find("fact");
    return (plan->asked & MN_TYPE_BIT(type)) != 0;
}

static enum mn_reason judge(const struct mn_access *access, const struct mn_plan *plan,
                            const struct mn_candidate *c)
{
    enum mn_reason reason = MN_REASON_NONE;

    if (!mn_access_allows(access, c->memory, c->confidence, &reason))
        return reason;
    return c->forced || is_asked(plan, c->memory) ? MN_REASON_NONE : MN_REASON_MODE;
}

/* What was rejected stays readable behind, for it may replace a later one. */
static void swap(struct mn_candidate *a, struct mn_candidate *b)
{
    struct mn_candidate c = *a;

    *a = *b;
    *b = c;
}

void mn_filter_apply(const struct mn_access *access, const struct mn_plan *plan,
                     const struct mneme_memory *const *successors, size_t successor_count,
                     struct mn_candidates *found, struct mn_trace *trace)
{
    size_t found_count = found->count;
    size_t kept_count = 0;
    bool replacements = successor_count > 0;

    for (size_t i = 0; i < found_count; i++)
        replacements = replacements || !mn_empty(found->item[i].memory->supersedes);
    for (size_t i = 0; i < found_count; i++) {
        struct mn_candidate *c = &found->item[i];
        enum mn_reason reason = judge(access, plan, c);
        const struct mneme_memory *by = NULL;

        if (replacements && (reason == MN_REASON_NONE || reason == MN_REASON_MODE)) {
            by = find_successor(access, successors, successor_count, found, found_count, c->memory);
            if (by)
                reason = MN_REASON_SUPERSEDED;
        }
        if (reason == MN_REASON_NONE) {
            if (kept_count++ != i)
                swap(c, &found->item[kept_count - 1]);
            continue;
        }
        if (mn_reason_is_leak(reason))
            trace->first_wall_leaks++;
        mn_trace_reject(trace, c, MN_STAGE_FILTER, reason, by ? by->id : NULL);
    }
    found->count = kept_count;
    trace->eligible_count = kept_count;
}
