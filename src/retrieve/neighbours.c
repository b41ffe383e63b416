/*
 * neighbours.c - behind stage 9: the turns next to those that were chosen.
 *
 * A turn is often half of what was said: an answer without its question, a plan without what came
 * of it. So the turn before and the one after it, of the same session, stand in its element while
 * tokens are left, the best event's first. They are context and no memories that were recalled:
 * they count neither as items nor by type, have no score, and nobody can be asked whether they
 * helped. The caller's own evidence goes before them, and what stands in the block makes no room
 * for them.
 *
 * Each passes the second wall like any candidate (memory/access.h), and the range of time that was
 * asked for. What gives orders to a model stays out, for nothing but its place speaks for it. Of a
 * long one the passage is shown that touches the event.
 *
 * Considered: making them items. They would take the places of memories that are near to the
 * request, and whoever counts what was recalled would count what was not.
 */
#include "retrieve/stages.h"

#include <string.h>

#include "retrieve/excerpt.h"
#include "search/search.h"
#include "text/orders.h"
#include "text/tokens.h"

#define FRAME_TOKENS 12 /* its marks, without the speaker: "<before speaker=\"\"></before>" */
#define SCRATCH_BYTES_MAX ((size_t)16 << 20)

struct placing {
    const struct mn_access *access;
    const struct mn_plan *plan;
    const struct mn_tokens *tokens;
    size_t tokens_max;
    size_t tokens_used; /* as far as sums tell */
    struct mn_arena *arena;
    struct mn_selection *selection;
    struct mn_trace *trace;
    struct {
        const struct mn_candidate **at; /* a field of an item */
        struct mn_candidate *event;
    } *placed; /* in their order */
    size_t placed_count;
};

static bool is_shown(const struct placing *p, const char *id)
{
    for (size_t i = 0; i < p->selection->count; i++) {
        const struct mn_candidate *c = &p->selection->item[i];

        if (mn_same(c->memory->id, id) || (c->before && mn_same(c->before->memory->id, id)) ||
            (c->after && mn_same(c->after->memory->id, id)))
            return true;
        for (size_t m = 0; m < c->merged_count; m++)
            if (mn_same(c->merged_from[m], id))
                return true;
    }
    return false;
}

static bool is_in_range(const struct mn_plan *plan, int64_t happened_ms)
{
    if (!plan->after_ms && !plan->before_ms)
        return true;
    return happened_ms && !(plan->after_ms && happened_ms < plan->after_ms) &&
           !(plan->before_ms && happened_ms >= plan->before_ms);
}

static bool may_stand(const struct placing *p, const struct mn_unit *unit)
{
    enum mn_reason reason = MN_REASON_NONE;

    if (!mn_access_allows(p->access, &unit->memory, unit->confidence, &reason)) {
        p->trace->first_wall_leaks += mn_reason_is_leak(reason);
        return false;
    }
    return !mn_empty(unit->memory.content) && is_in_range(p->plan, unit->memory.event_time_ms);
}

static bool gives_orders(const struct mn_candidate *c)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);

    return mn_text_orders(scratch, mn_assemble_text(c)) == MN_ORDERS_GIVEN ||
           mn_text_orders(scratch, c->speaker) == MN_ORDERS_GIVEN;
}

/* The unit as the block would show it. */
static enum mneme_status show(const struct placing *p, const struct mn_unit *unit, bool is_before,
                              struct mn_candidate **ret_neighbour, struct mneme_error *err)
{
    struct mn_candidate *c = mn_arena_one(p->arena, struct mn_candidate);

    if (!c)
        return mn_fail_memory(err);
    *c = (struct mn_candidate){ .memory = &unit->memory,
                                .confidence = unit->confidence,
                                .is_event = true,
                                .speaker = unit->speaker,
                                .session_id = unit->session_id,
                                .order = unit->order,
                                .similarity_at = SIZE_MAX };
    c->speaker = mn_assemble_speaker(c, p->arena);
    size_t passages = mn_excerpt_passages(c);
    if (passages)
        MN_TRY(mn_excerpt_show(c, is_before ? passages : 1, is_before ? passages : 1, p->arena,
                               err));
    *ret_neighbour = c;
    return MNEME_OK;
}

static size_t count(const struct placing *p, const char *text)
{
    return mn_tokens_count(p->tokens, text, strlen(text));
}

static enum mneme_status try_to_place(struct placing *p, struct mn_candidate *event,
                                      const struct mn_unit *unit, bool is_before,
                                      struct mneme_error *err)
{
    struct mn_candidate *c = NULL;

    if (!unit || is_shown(p, unit->id) || !may_stand(p, unit))
        return MNEME_OK;
    MN_TRY(show(p, unit, is_before, &c, err));
    c->tokens = FRAME_TOKENS + count(p, c->speaker) + count(p, mn_assemble_text(c));
    if (p->tokens_used + c->tokens > p->tokens_max || gives_orders(c))
        return MNEME_OK;
    const struct mn_candidate **at = is_before ? &event->before : &event->after;

    *at = c;
    p->placed[p->placed_count].at = at;
    p->placed[p->placed_count++].event = event;
    p->tokens_used += c->tokens;
    event->tokens += c->tokens;
    return MNEME_OK;
}

/* The block anew, without the last of them should the sum have been too small. */
static enum mneme_status build(struct placing *p, struct mneme_error *err)
{
    struct mn_selection *selection = p->selection;
    const char *xml = selection->xml;
    size_t tokens = selection->tokens_used;

    while (p->placed_count) {
        MN_TRY(mn_assemble_xml(selection->item, selection->count, &selection->evidence, p->arena,
                               &xml, err));
        tokens = count(p, xml);
        if (tokens <= p->tokens_max)
            break;
        p->placed_count--;
        const struct mn_candidate **at = p->placed[p->placed_count].at;

        p->placed[p->placed_count].event->tokens -= (*at)->tokens;
        *at = NULL;
        xml = selection->xml;
        tokens = selection->tokens_used;
    }
    selection->xml = xml;
    selection->tokens_used = tokens;
    return MNEME_OK;
}

enum mneme_status mn_neighbours_place(const struct mn_access *access, const struct mn_plan *plan,
                                      const struct mn_unit *const *unit, size_t tokens_max,
                                      const struct mn_tokens *tokens, struct mn_arena *arena,
                                      struct mn_selection *selection, struct mn_trace *trace,
                                      struct mneme_error *err)
{
    struct placing p = { .access = access,
                         .plan = plan,
                         .tokens = tokens,
                         .tokens_max = tokens_max,
                         .tokens_used = selection->tokens_used,
                         .arena = arena,
                         .selection = selection,
                         .trace = trace };

    p.placed = mn_arena_alloc(arena, (2 * selection->count + 1) * sizeof *p.placed);
    if (!p.placed)
        return mn_fail_memory(err);
    for (size_t i = 0; i < selection->count; i++) {
        struct mn_candidate *event = &selection->item[i];

        if (!event->is_event || event->suspicious)
            continue;
        MN_TRY(try_to_place(&p, event, unit[2 * i], true, err));
        MN_TRY(try_to_place(&p, event, unit[2 * i + 1], false, err));
    }
    return build(&p, err);
}

enum mneme_status mn_neighbours_add(struct mn_world *world, const struct mneme_request *request,
                                    const struct mn_access *access, const struct mn_plan *plan,
                                    struct mn_arena *arena, struct mn_selection *selection,
                                    struct mn_trace *trace, struct mneme_error *err)
{
    size_t tokens_max = mn_budget_tokens_max(request);
    const char **ids = mn_arena_array(arena, const char *, selection->count + 1);
    const struct mn_unit **unit =
        mn_arena_array(arena, const struct mn_unit *, 2 * selection->count + 1);
    struct mneme_error failed;
    bool any = false;

    if (!ids || !unit)
        return mn_fail_memory(err);
    for (size_t i = 0; i < selection->count; i++) {
        ids[i] = selection->item[i].memory->id;
        any = any || selection->item[i].is_event;
    }
    if (!any || request->without_limits || !world->search ||
        selection->tokens_used + FRAME_TOKENS >= tokens_max)
        return MNEME_OK;
    mn_error_clear(&failed);
    if (world->search->ops->adjacent(world->search, access, ids, selection->count, arena, unit,
                                     &failed) != MNEME_OK) {
        mn_trace_degraded(trace, "index: %s", failed.message);
        return MNEME_OK;
    }
    return mn_neighbours_place(access, plan, unit, tokens_max, world->tokens, arena, selection,
                               trace, err);
}
