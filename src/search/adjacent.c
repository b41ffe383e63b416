/*
 * adjacent.c - which turns stand next to one.
 *
 * The session table links the rows. Of so few the documents are read at once, and the access is
 * asked of each by itself: bits of all rows would cost more than the whole answer.
 */
#include "memory/access.h"
#include "search/picked.h"

/* The document of a row that the access allows; NULL for any other. */
static enum mneme_status read_unit(const struct mn_partition_index *index,
                                   const struct mn_access *access, uint32_t row,
                                   struct mn_arena *arena, const struct mn_unit **ret_unit,
                                   struct mneme_error *err)
{
    enum mn_reason reason = MN_REASON_NONE;
    struct mn_unit *unit;

    *ret_unit = NULL;
    if (row == MN_ROW_NONE)
        return MNEME_OK;
    unit = mn_arena_one(arena, struct mn_unit);
    if (!unit || !mn_documents_read(index->documents, index->document[row], arena, unit))
        return mn_fail_memory(err);
    if (mn_access_allows(access, &unit->memory, unit->confidence, &reason))
        *ret_unit = unit;
    return MNEME_OK;
}

enum mneme_status mn_views_adjacent(const struct mn_views *views, const struct mn_access *access,
                                    const char *const *ids, size_t count, struct mn_arena *arena,
                                    const struct mn_unit **ret, struct mneme_error *err)
{
    for (size_t v = 0; v < views->count; v++)
        if (!mn_documents_hold(views->index[v]->documents, arena))
            return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint32_t found;

        ret[2 * i] = ret[2 * i + 1] = NULL;
        if (!mn_picked_find(views, ids[i], &found))
            continue;
        const struct mn_partition_index *index = views->index[mn_picked_view(found)];
        if (!mn_session_table_is_turn(&index->sessions, found & MN_ROW_MASK))
            continue;
        const struct mn_session_turn *turn =
            mn_session_turn_of(&index->sessions, found & MN_ROW_MASK);
        MN_TRY(read_unit(index, access, turn->before, arena, &ret[2 * i], err));
        MN_TRY(read_unit(index, access, turn->after, arena, &ret[2 * i + 1], err));
    }
    return MNEME_OK;
}
