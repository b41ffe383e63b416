/*
 * procedures.c - procedures whose environment has changed are deprecated.
 *
 * What an environment is now is remembered like anything else, by the keys environment.NAME in the scope
 * it holds in: "this repository runs on Python 3.13", environment.python, 3.13. A procedure says what it
 * applies to ({"python": ">=3.12"}). The narrowest memory that an identity in the procedure's own place
 * would see decides; what nobody has said is unknown, and no mismatch. Deprecated, a procedure is out of
 * every index and can be brought back by hand.
 */
#include <string.h>

#include "lifecycle/jobs.h"
#include "memory/access.h"
#include "memory/type.h"
#include "memory/weight.h"

/* An identity that stands where the memory holds. */
static struct mn_access access_beside(const struct mneme_memory *memory, int64_t now_ms)
{
    const char *scope = memory->scope_id;

    return (struct mn_access){
        .tenant = memory->tenant_id,
        .user = memory->user_id,
        .agent = memory->agent_id,
        .session = memory->scope_kind == MNEME_SCOPE_SESSION ? scope : "",
        .task = memory->scope_kind == MNEME_SCOPE_TASK ? scope : "",
        .project = memory->scope_kind == MNEME_SCOPE_PROJECT ? scope : memory->project,
        .repository = memory->scope_kind == MNEME_SCOPE_REPO ? scope : "",
        .clearance = MNEME_SECRET,
        .at_ms = now_ms,
    };
}

/* Narrower first, then the later one. */
static bool decides(const struct mneme_memory *a, const struct mneme_memory *b)
{
    int wide_a = mn_scope_width(a->scope_kind);
    int wide_b = mn_scope_width(b->scope_kind);

    return wide_a != wide_b ? wide_a > wide_b : a->updated_at_ms > b->updated_at_ms;
}

static enum mneme_status judge(struct mn_piece *piece, const struct mneme_memory *memory,
                               const char **ret_reason, struct mneme_error *err)
{
    const struct mn_access access = access_beside(memory, piece->now_ms);

    *ret_reason = NULL;
    for (size_t i = 0; i < memory->applies_to.count; i++) {
        const struct mneme_pair *wanted = &memory->applies_to.item[i];
        const char *key = mn_arena_printf(piece->arena, "environment.%s", wanted->name);
        const struct mneme_memory *now = NULL;
        struct mn_rows rows = { 0 };

        if (!key)
            return mn_fail_memory(err);
        MN_TRY(piece->world->store->ops->memories_by_key(piece->world->store, &access, &key, 1, NULL,
                                                         piece->arena, &rows, err));
        for (size_t r = 0; r < rows.count; r++)
            if (!mn_empty(rows.item[r].memory.value) && (!now || decides(&rows.item[r].memory, now)))
                now = &rows.item[r].memory;
        if (!now || mn_environment_satisfies(now->value, wanted->value))
            continue;
        *ret_reason = mn_arena_printf(piece->arena, "made for %.100s %.100s, which is %.100s now",
                                      wanted->name, wanted->value, now->value);
        return *ret_reason ? MNEME_OK : mn_fail_memory(err);
    }
    return MNEME_OK;
}

static enum mneme_status deprecate(struct mn_piece *piece, const struct mneme_memory *memory,
                                   const char *reason, struct mneme_error *err)
{
    struct mneme_memory *row = mn_arena_one(piece->arena, struct mneme_memory);
    struct mn_write *write = mn_arena_one(piece->arena, struct mn_write);

    if (!row || !write)
        return mn_fail_memory(err);
    *row = *memory;
    row->status = MNEME_DEPRECATED;
    row->updated_at_ms = piece->now_ms;
    *write = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                .expected_revision = memory->revision,
                                .memory = row };
    return mn_piece_add(piece, write, 1, reason, err);
}

enum mneme_status mn_piece_deprecate(struct mn_piece *piece, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };

    MN_TRY(mn_piece_walk(piece, &rows, err));
    for (size_t i = 0; i < rows.count; i++) {
        const struct mneme_memory *memory = &rows.item[i].memory;
        const char *reason = NULL;

        if (mn_type_of(memory->type)->kind != MN_KIND_PROCEDURAL || !memory->applies_to.count)
            continue;
        MN_TRY(judge(piece, memory, &reason, err));
        if (reason)
            MN_TRY(deprecate(piece, memory, reason, err));
    }
    return MNEME_OK;
}
