/*
 * observe.c - what is drawn from turns once they are stored.
 *
 * The events are committed before anything is drawn from them, each draft then goes the way of any
 * memory. A draft that fails is lost alone: its event is evidence and can be found, and says the
 * same.
 *
 * Where it orders to forget, that is done (forget.c), and told in the same way.
 *
 * A turn that says one thing twice makes one memory, and the caller is told of it once, when all of
 * the turn has been heard: as it stands then, with its day and whatever was merged.
 */
#include "remember/remember.h"

#include "base/array.h"
#include "base/str.h"
#include "remember/draft.h"

struct drawn {
    struct mneme_receipt *item;
    size_t count, room;
};

/* Of a memory that is there already the first receipt says what became of it. */
static void note(struct drawn *drawn, const struct mneme_receipt *receipt, struct mn_arena *arena)
{
    struct mneme_receipt *added;

    for (size_t i = 0; i < drawn->count; i++) {
        if (mn_same(drawn->item[i].id, receipt->id)) {
            drawn->item[i].revision = receipt->revision;
            return;
        }
    }
    added = mn_array_add(arena, drawn);
    if (added)
        *added = *receipt;
}

static void tell(struct mn_world *world, struct mn_partition partition, const struct drawn *drawn,
                 const struct mneme_change *change, struct mn_arena *arena)
{
    struct mneme_error ignored;
    struct mn_row row;

    for (size_t i = 0; change->drawn && i < drawn->count; i++)
        if (world->store->ops->memory_get(world->store, partition, drawn->item[i].id, arena, &row,
                                          &ignored) == MNEME_OK)
            change->drawn(change->drawn_context, &row.memory, &drawn->item[i]);
}

/* What is not clear is told as a question in place of a memory, and so is that it could not be done. */
static void forget(struct mn_world *world, const struct mneme_event *event,
                   const struct mn_place *place, const struct mn_called *called,
                   const struct mneme_change *change, struct mn_arena *arena, struct drawn *drawn)
{
    struct mn_forgotten forgotten = { 0 };
    struct mneme_memory question = MNEME_MEMORY_INIT;
    struct mneme_receipt unclear = { .outcome = MNEME_UNCLEAR };
    struct mneme_error failed;

    if (mn_remember_told_to_forget(world, event, called, place, change, arena, &forgotten,
                                   &failed) != MNEME_OK)
        forgotten.question = failed.message;
    for (size_t i = 0; i < forgotten.count; i++)
        note(drawn, &forgotten.item[i], arena);
    if (!forgotten.question || !change->drawn)
        return;
    question.tenant_id = event->tenant_id;
    question.user_id = event->user_id;
    question.content = forgotten.question;
    change->drawn(change->drawn_context, &question, &unclear);
}

static void draw(struct mn_world *world, const struct mneme_event *event, int64_t said_at_ms,
                 const struct mneme_change *change, struct mn_arena *arena, struct drawn *drawn)
{
    const struct mn_place place = { event->session_id, change->task_id, change->project_id,
                                    change->repository_id, change->timezone };
    int64_t now_ms = mn_change_now(world, change);
    struct mn_drafts drafts = { 0 };
    struct mneme_error ignored;

    if (mn_extract(event, &place, event->event_time_ms ? event->event_time_ms : now_ms, arena,
                   &drafts, &ignored) != MNEME_OK)
        return;
    for (size_t i = 0; i < drafts.count; i++) {
        struct mneme_receipt receipt;

        drafts.item[i].created_at_ms = said_at_ms;
        if (mn_remember(world, &drafts.item[i], change, arena, &receipt, &ignored) == MNEME_OK)
            note(drawn, &receipt, arena);
    }
    for (size_t i = 0; i < drafts.forget.count; i++)
        forget(world, event, &place, &drafts.forget.item[i], change, arena, drawn);
}

void mn_remember_turn(struct mn_world *world, const struct mneme_event *const *parts, size_t count,
                      int64_t said_at_ms, const struct mneme_change *change, struct mn_arena *arena)
{
    struct mneme_change own = *change;
    struct drawn drawn = { 0 };

    /* What a turn says is its speaker's, whoever stores it. */
    own.admin = own.allow_secrets = 0;
    own.if_revision = 0;
    own.idempotency_key = NULL; /* the turns' */
    for (size_t i = 0; i < count; i++)
        draw(world, parts[i], said_at_ms, &own, arena, &drawn);
    if (drawn.count)
        tell(world, (struct mn_partition){ parts[0]->tenant_id, parts[0]->user_id }, &drawn, change,
             arena);
}
