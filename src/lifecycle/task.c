/*
 * task.c - closing a task.
 *
 * Its memories get an end, and nothing else changes of them: each holds at earlier instants, and leaves
 * the indexes with the job `expire`. All of them end in one group; one that somebody changed meanwhile is
 * read again.
 */
#include "lifecycle/task.h"

#include "base/array.h"
#include "base/str.h"
#include "memory/record.h"
#include "remember/remember.h"
#include "store/store.h"

#define ATTEMPTS_MAX 64
#define ROWS_BYTES_MAX ((size_t)256 << 20)

struct ending {
    int64_t now_ms;
    int admin;
    struct mn_arena *arena;
    struct {
        struct mneme_memory *item;
        size_t count, room;
    } rows;
    bool failed;
};

/* What ends sooner anyway stays, and so does what only an administrator may end. */
static int note_ending(void *context, const struct mneme_record *record)
{
    const struct mneme_memory *m = record->memory;
    struct ending *e = context;
    struct mneme_error ignored;
    struct mneme_memory *row;

    if ((m->valid_until_ms && m->valid_until_ms <= e->now_ms) ||
        mn_authorise(m, m, e->admin, &ignored) != MNEME_OK)
        return 0;
    row = mn_array_add(e->arena, &e->rows);
    e->failed = !row || mn_memory_copy(m, e->arena, row, &ignored) != MNEME_OK;
    return e->failed;
}

static enum mneme_status end_rows(struct mn_world *world, struct ending *e,
                                  const struct mneme_change *change, struct mneme_error *err)
{
    struct mn_write *writes = mn_arena_array(e->arena, struct mn_write, e->rows.count);
    struct mn_written *written = mn_arena_array(e->arena, struct mn_written, e->rows.count);
    const struct mn_commit commit = { .write = writes,
                                      .count = e->rows.count,
                                      .actor = mn_or_empty(change->actor),
                                      .reason = mn_empty(change->reason) ? "its task was closed"
                                                                         : change->reason,
                                      .now_ms = e->now_ms };

    if (!writes || !written)
        return mn_fail_memory(err);
    for (size_t i = 0; i < e->rows.count; i++) {
        struct mneme_memory *row = &e->rows.item[i];

        row->valid_until_ms = e->now_ms > row->valid_from_ms ? e->now_ms : row->valid_from_ms + 1;
        row->updated_at_ms = e->now_ms;
        writes[i] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                       .expected_revision = row->revision,
                                       .memory = row };
    }
    return mn_store_commit_one(world->store, &commit, written, err);
}

enum mneme_status mn_task_close(struct mn_world *world, struct mn_partition partition,
                                const char *task_id, const struct mneme_change *change,
                                size_t *ret_ended, struct mneme_error *err)
{
    enum mneme_status status = MNEME_CONFLICT;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    size_t ended = 0;

    filter.tenant_id = partition.tenant;
    filter.user_id = partition.owner;
    filter.with_shared = !*partition.owner;
    filter.scope_kind = MNEME_SCOPE_TASK;
    filter.scope_id = task_id;
    for (int i = 0; i < ATTEMPTS_MAX && status == MNEME_CONFLICT; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(ROWS_BYTES_MAX);
        struct ending e = { .now_ms = mn_change_now(world, change),
                            .admin = change->admin,
                            .arena = arena };

        MN_TRY(world->store->ops->list(world->store, &filter, true, note_ending, &e, err));
        if (e.failed)
            return mn_fail_memory(err);
        ended = e.rows.count;
        status = ended ? end_rows(world, &e, change, err) : MNEME_OK;
    }
    MN_TRY(status);
    *ret_ended = ended;
    return MNEME_OK;
}
