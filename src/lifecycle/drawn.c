/*
 * drawn.c - which turns of a session gave memories when they were said.
 *
 * The rules are asked again what they draw from a turn, and the store whether that is there with the
 * turn in its provenance. So no row has to be read but those of the same text or key.
 */
#include "lifecycle/drawn.h"

#include <string.h>

#include "base/hash.h"
#include "memory/record.h"
#include "remember/draft.h"
#include "remember/remember.h"

#define SCRATCH_BYTES_MAX ((size_t)64 << 20)

static bool names(const struct mneme_memory *memory, const char *id)
{
    for (size_t i = 0; i < memory->provenance.count; i++)
        if (mn_same(memory->provenance.item[i], id))
            return true;
    return false;
}

/* Is the draft there, drawn from this turn? */
static enum mneme_status is_there(struct mn_world *world, const struct mneme_event *turn,
                                  struct mneme_memory *draft, struct mn_arena *scratch,
                                  bool *ret_there, struct mneme_error *err)
{
    struct mneme_memory row;
    struct mn_alike_mark mark;
    struct mn_rows rows = { 0 };

    mn_classify(draft);
    draft->created_at_ms = turn->event_time_ms;
    MN_TRY(mn_describe(draft, scratch, err));
    if (mn_date_wants(draft, scratch))
        MN_TRY(mn_date(draft, "", scratch, err));
    MN_TRY(mn_memory_complete(draft, turn->event_time_ms, scratch, &row, err));
    MN_TRY(world->store->ops->memories_alike(world->store, &row, scratch, &rows, &mark, err));
    for (size_t i = 0; i < rows.count && !*ret_there; i++)
        *ret_there = names(&rows.item[i].memory, turn->id);
    return MNEME_OK;
}

enum mneme_status mn_turns_drawn(struct mn_world *world, const struct mn_session *session,
                                 const struct mn_events *turns, struct mn_arena *arena,
                                 const bool **ret_drawn, struct mneme_error *err)
{
    const struct mn_place place = { session->session_id, "", "", "", "" };
    bool *drawn = mn_arena_array(arena, bool, turns->count + 1);

    if (!drawn)
        return mn_fail_memory(err);
    for (size_t t = 0; t < turns->count; t++) {
        MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
        const struct mneme_event *turn = &turns->item[t];
        struct mn_drafts drafts = { 0 };

        if (!scratch)
            return mn_fail_memory(err);
        MN_TRY(mn_extract(turn, &place, turn->event_time_ms, scratch, &drafts, err));
        for (size_t i = 0; i < drafts.count && !drawn[t]; i++)
            MN_TRY(is_there(world, turn, &drafts.item[i], scratch, &drawn[t], err));
    }
    *ret_drawn = drawn;
    return MNEME_OK;
}
