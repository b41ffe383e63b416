/*
 * wall.c - the first wall of rows that come out of the cache.
 *
 * Rows that are read once and kept (row_cache.h) are kept for every identity that reaches their
 * partition, so no query stands between them and the one who asks now. This does, line by line the
 * conditions of MEMORIES_*_PAST in sql/sqlite/memories.sql and those of the present instant. It is
 * written apart from access.c on purpose: what one of the two overlooks the other holds.
 */
#include "store/wall.h"

#include "base/str.h"

static bool is_open_to(const struct mn_access *access, const struct mneme_memory *memory)
{
    bool shared = mn_empty(memory->user_id);

    switch (memory->scope_kind) {
    case MNEME_SCOPE_GLOBAL:
        return mn_empty(memory->scope_id);
    case MNEME_SCOPE_USER:
        return !shared && mn_same(memory->scope_id, access->user);
    case MNEME_SCOPE_PROJECT:
        return !mn_empty(access->project) && mn_same(memory->scope_id, access->project);
    case MNEME_SCOPE_REPO:
        return !mn_empty(access->repository) && mn_same(memory->scope_id, access->repository);
    case MNEME_SCOPE_TASK:
        return !mn_empty(access->task) && mn_same(memory->scope_id, access->task);
    case MNEME_SCOPE_SESSION:
        return !shared && !mn_empty(access->session) &&
               mn_same(memory->scope_id, access->session);
    case MNEME_SCOPE_NONE:
        break;
    }
    return false;
}

static bool is_permitted(const struct mn_access *access, const char *permission)
{
    bool held = mn_empty(permission);

    for (size_t i = 0; i < access->permissions.count && !held; i++)
        held = mn_same(access->permissions.item[i], permission);
    return held;
}

bool mn_wall_passes(const struct mn_access *access, const struct mn_row *row)
{
    const struct mneme_memory *memory = &row->memory;

    return mn_same(memory->tenant_id, access->tenant) &&
           (mn_empty(memory->user_id) || mn_same(memory->user_id, access->user)) &&
           (mn_empty(memory->agent_id) || mn_same(memory->agent_id, access->agent)) &&
           is_open_to(access, memory) && memory->sensitivity <= access->clearance &&
           is_permitted(access, memory->requires_permission) && memory->status == MNEME_ACTIVE &&
           memory->authority != MNEME_AUTHORITY_REVOKED &&
           (memory->valid_from_ms == 0 || memory->valid_from_ms <= access->at_ms) &&
           (memory->valid_until_ms == 0 || memory->valid_until_ms > access->at_ms) &&
           row->confidence >= MN_CONFIDENCE_MIN;
}
