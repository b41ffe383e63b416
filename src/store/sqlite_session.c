/*
 * sqlite_session.c - the turns of one session, in their order.
 */
#include "base/array.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"

enum mneme_status mn_sqlite_session_events(struct mn_store *store, struct mn_partition partition,
                                           const char *session_id, struct mn_event_place after,
                                           size_t limit, struct mn_arena *arena,
                                           struct mn_events *ret_events, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_events events = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_SESSION_EVENTS, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":session_id", session_id);
    mn_bind_integer(stmt, ":place", after.place);
    mn_bind_text(stmt, ":id", after.id);
    mn_bind_integer(stmt, ":limit", limit < INT64_MAX ? (int64_t)limit : -1);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_event *event;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        event = mn_array_add(arena, &events);
        if (!event)
            return mn_fail_memory(err);
        mn_row_read_event(&reader, event);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_events = events;
    return MNEME_OK;
}
