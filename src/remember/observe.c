/*
 * observe.c - what is drawn from turns once they are stored.
 *
 * The events are committed before anything is drawn from them, each draft then goes the way of any
 * memory. A draft that fails is lost alone: its event is evidence and can be found, and says the
 * same.
 */
#include "remember/remember.h"

#include "base/str.h"
#include "remember/draft.h"

void mn_remember_drafts(struct mn_world *world, const struct mneme_event *event, int64_t said_at_ms,
                        const struct mneme_change *change, struct mn_arena *arena)
{
    const struct mn_place place = { event->session_id, change->task_id, change->project_id,
                                    change->repository_id, change->timezone };
    int64_t now_ms = mn_change_now(world, change);
    struct mneme_change own = *change;
    struct mn_drafts drafts = { 0 };
    struct mneme_error ignored;

    /* What a turn says is its speaker's, whoever stores it. */
    own.admin = own.allow_secrets = 0;
    own.if_revision = 0;
    own.idempotency_key = NULL; /* the turns' */
    if (mn_extract(event, &place, event->event_time_ms ? event->event_time_ms : now_ms, arena,
                   &drafts, &ignored) != MNEME_OK)
        return;
    for (size_t i = 0; i < drafts.count; i++) {
        struct mneme_receipt receipt;

        drafts.item[i].created_at_ms = said_at_ms;
        if (mn_remember(world, &drafts.item[i], &own, arena, &receipt, &ignored) == MNEME_OK &&
            change->drawn)
            change->drawn(change->drawn_context, &drafts.item[i], &receipt);
    }
}
