/*
 * commit_touched.c - the writes of a group, each by the row that it makes stale.
 *
 * What row_cache.h learns to keep has its writes listed here.
 */
#include "store/commit_touched.h"

#include <stdlib.h>

#include "base/str.h"

/* False: it touches no row that may be kept. */
static bool touch_of(const struct mn_write *w, struct mn_row_touch *ret_touch)
{
    switch (w->kind) {
    case MN_WRITE_MEMORY:
        *ret_touch = (struct mn_row_touch){ w->memory->tenant_id, mn_or_empty(w->memory->user_id),
                                            w->memory->id };
        return true;
    case MN_WRITE_USAGE:
    case MN_WRITE_USAGE_ADD:
        *ret_touch = (struct mn_row_touch){ w->usage->tenant_id, NULL, w->usage->memory_id };
        return true;
    case MN_WRITE_REVIEW:
        *ret_touch = (struct mn_row_touch){ w->review->tenant, NULL, w->review->memory_id };
        return true;
    case MN_WRITE_USE:
        *ret_touch = (struct mn_row_touch){ w->use->tenant, NULL, w->use->memory_id };
        return true;
    case MN_WRITE_EDGE:
        *ret_touch =
            (struct mn_row_touch){ w->edge->tenant_id, mn_or_empty(w->edge->user_id), "" };
        return true;
    case MN_WRITE_EVENT:
        *ret_touch = (struct mn_row_touch){ w->event->tenant_id, NULL, w->event->id };
        return true;
    case MN_WRITE_VECTOR:
        *ret_touch = (struct mn_row_touch){ w->vector->partition.tenant, NULL,
                                            w->vector->unit_id };
        return true;
    default:
        return false;
    }
}

/* A rule's partition is that of its memory, which the write does not name. */
static bool has_rule(const struct mn_commit *commit)
{
    for (size_t i = 0; i < commit->count; i++)
        if (commit->write[i].kind == MN_WRITE_RULE)
            return true;
    return false;
}

void mn_commit_touched(struct mn_row_cache *rows, struct mn_row_state from, struct mn_row_state to,
                       const struct mn_commit_call *group)
{
    struct mn_row_touch *touched = NULL;
    size_t count = 0, room = 1;
    bool listed = true;

    for (const struct mn_commit_call *call = group; call; call = call->next)
        for (size_t c = 0; c < call->count; c++) {
            room += call->commits[c].count;
            listed = listed && !has_rule(&call->commits[c]);
        }
    touched = listed ? calloc(room, sizeof *touched) : NULL;
    for (const struct mn_commit_call *call = group; touched && call; call = call->next)
        for (size_t c = 0; c < call->count; c++)
            for (size_t i = 0; i < call->commits[c].count; i++)
                count += touch_of(&call->commits[c].write[i], &touched[count]);
    (void)mn_row_cache_move(rows, from, to, touched, count);
    free(touched);
}
