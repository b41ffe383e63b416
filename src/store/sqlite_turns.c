/*
 * sqlite_turns.c - turns leave recall with what was drawn from them, and come back with it.
 *
 * Somebody who forgets a memory does not want to be told it again in the words of the turn that it came
 * from. So a turn is withheld (recallable 2) when the last memory of its owner that names it in its
 * provenance is forgotten or revoked, and is back as soon as one that names it is neither. Where its owner
 * ordered to forget what it says, it is withheld as long as that order stands. A turn that was
 * kept as evidence only (recallable 0) stays that. Of a turn in the archive the store keeps whether it is
 * withheld, so that it comes back as what was drawn from it stands by then. What expires by itself, is split or is merged forgets
 * nothing. A turn that waits to be read by a language model waits no more: it would be drawn again.
 */
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_write.h"

struct turns {
    const char **item;
    size_t count, room;
};

/* Of a memory that is withdrawn; else of one that is not, or not any more. */
static enum mneme_status prepare(const struct mn_writing *w, const char *withhold,
                                 const char *give_back, const struct mneme_memory *memory,
                                 bool withdrawn, struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_prepare(w->db, withdrawn ? withhold : give_back, ret_stmt, err));
    mn_bind_text(*ret_stmt, ":tenant", memory->tenant_id);
    mn_bind_text(*ret_stmt, ":owner", memory->user_id);
    mn_bind_list(*ret_stmt, ":turns", memory->provenance);
    if (withdrawn)
        mn_bind_integer(*ret_stmt, ":ordered", mn_same(memory->category, MN_ORDERED));
    else
        mn_bind_text(*ret_stmt, ":order", MN_ORDERED);
    return MNEME_OK;
}

/* The turns that the statement changed. */
static enum mneme_status change_turns(const struct mn_writing *w, const struct mneme_memory *memory,
                                      bool withdrawn, struct turns *ret_turns,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(prepare(w, SQL_SQLITE_TURNS_WITHHOLD, SQL_SQLITE_TURNS_GIVE_BACK, memory, withdrawn, &stmt,
                   err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = w->arena };
        const char **turn;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        turn = mn_array_add(w->arena, ret_turns);
        if (!turn)
            return mn_fail_memory(err);
        *turn = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
}

static enum mneme_status change_archived(const struct mn_writing *w,
                                         const struct mneme_memory *memory, bool withdrawn,
                                         struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVED_WITHHOLD, SQL_SQLITE_ARCHIVED_GIVE_BACK, memory, withdrawn,
                   &stmt, err));
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status stop_reading(const struct mn_writing *w, const struct mneme_memory *memory,
                                      const char *turn, struct mneme_error *err)
{
    const struct mn_extraction done = { .step = MN_EXTRACTION_DONE,
                                        .event = { .tenant_id = memory->tenant_id,
                                                   .user_id = memory->user_id,
                                                   .id = turn } };

    return mn_write_extraction(w, &done, err);
}

enum mneme_status mn_write_turns(const struct mn_writing *w, const struct mneme_memory *memory,
                                 bool forgets, struct mneme_error *err)
{
    bool withdrawn = memory->status == MNEME_DELETED || memory->status == MNEME_REVOKED ||
                     memory->authority == MNEME_AUTHORITY_REVOKED;
    struct turns turns = { 0 };

    if (!memory->provenance.count || (withdrawn && !forgets))
        return MNEME_OK;
    MN_TRY(change_turns(w, memory, withdrawn, &turns, err));
    MN_TRY(change_archived(w, memory, withdrawn, err));
    for (size_t i = 0; i < turns.count; i++) {
        if (withdrawn)
            MN_TRY(stop_reading(w, memory, turns.item[i], err));
        MN_TRY(mn_write_change(w, MN_CHANGE_EVENT, memory->tenant_id, memory->user_id,
                               turns.item[i], 1, err));
    }
    return MNEME_OK;
}
