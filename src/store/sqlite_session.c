/*
 * sqlite_session.c - sessions: their turns in their order, and how far they are drawn from.
 */
#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"

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

/* ---- the sessions themselves ---- */

static void read_session(struct mn_reader *reader, struct mn_session *session)
{
    session->partition.tenant = mn_read_text(reader);
    session->partition.owner = mn_read_text(reader);
    session->session_id = mn_read_text(reader);
    session->agent_id = mn_read_text(reader);
    session->first_event_ms = mn_read_integer(reader);
    session->last_event_ms = mn_read_integer(reader);
    session->last_place = mn_read_integer(reader);
    session->event_count = mn_read_integer(reader);
    session->recorded_at_ms = mn_read_integer(reader);
    session->ended = mn_read_integer(reader) != 0;
    session->compressed_place = mn_read_integer(reader);
    session->taken_place = mn_read_integer(reader);
    session->compressed_count = mn_read_integer(reader);
    session->task_id = mn_read_text(reader);
}

static enum mneme_status read_states(struct mn_sqlite *db, const struct mn_session *session,
                                     struct mn_arena *arena, struct mn_task_states *ret_states,
                                     struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mneme_task_state *item;
        size_t count, room;
    } states = { 0 };
    struct {
        int64_t *item;
        size_t count, room;
    } revisions = { 0 };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_TASK_STATES_OF_SESSION, &stmt, err));
    mn_bind_text(stmt, ":tenant", session->partition.tenant);
    mn_bind_text(stmt, ":owner", session->partition.owner);
    mn_bind_text(stmt, ":session_id", session->session_id);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mneme_task_state *state;
        int64_t *revision;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        state = mn_array_add(arena, &states);
        revision = mn_array_add(arena, &revisions);
        if (!state || !revision)
            return mn_fail_memory(err);
        mn_row_read_task_state(&reader, state);
        *revision = mn_read_integer(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_states = (struct mn_task_states){ states.item, states.count, revisions.item };
    return MNEME_OK;
}

enum mneme_status mn_sqlite_session_get(struct mn_store *store, struct mn_partition partition,
                                        const char *session_id, struct mn_arena *arena,
                                        struct mn_session *ret_session,
                                        struct mn_task_states *ret_states, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    struct mn_task_states states = { 0 };
    struct mn_session session = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_SESSION_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":session_id", session_id);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    if (!row)
        return mn_fail(err, MNEME_NOT_FOUND, "session_id: there is no session %.200s of this owner",
                       session_id);
    reader.stmt = stmt;
    read_session(&reader, &session);
    MN_TRY(mn_read_end(&reader, err));
    MN_TRY(read_states(reading.db, &session, arena, &states, err));
    *ret_session = session;
    *ret_states = states;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_sessions_wanted(struct mn_store *store,
                                            const struct mn_session_wanted *wanted, size_t limit,
                                            struct mn_arena *arena,
                                            struct mn_sessions *ret_sessions,
                                            struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_sessions sessions = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db,
                             wanted->kept ? SQL_SQLITE_SESSIONS_KEPT : SQL_SQLITE_SESSIONS_OPEN,
                             &stmt, err));
    if (!wanted->kept) {
        mn_bind_integer(stmt, ":idle_since_ms", wanted->idle_since_ms);
        mn_bind_integer(stmt, ":turns_max", wanted->turns_max);
    }
    mn_bind_integer(stmt, ":limit", (int64_t)limit);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_session *session;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        session = mn_array_add(arena, &sessions);
        if (!session)
            return mn_fail_memory(err);
        read_session(&reader, session);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_sessions = sessions;
    return MNEME_OK;
}

enum mneme_status mn_write_session(const struct mn_writing *w, const struct mn_session_move *move,
                                   struct mneme_error *err)
{
    const struct mn_session *was = move->was;
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_SESSION_MOVE, &stmt, err));
    mn_bind_text(stmt, ":tenant", was->partition.tenant);
    mn_bind_text(stmt, ":owner", was->partition.owner);
    mn_bind_text(stmt, ":session_id", was->session_id);
    mn_bind_integer(stmt, ":last_place", was->last_place);
    mn_bind_integer(stmt, ":was_compressed", was->compressed_place);
    mn_bind_integer(stmt, ":was_taken", was->taken_place);
    mn_bind_integer(stmt, ":ended", move->now.ended);
    mn_bind_integer(stmt, ":compressed_place", move->now.compressed_place);
    mn_bind_integer(stmt, ":taken_place", move->now.taken_place);
    mn_bind_integer(stmt, ":compressed_count", move->now.compressed_count);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (mn_sqlite_changed(w->db) == 0)
        return mn_fail(err, MNEME_CONFLICT, "session_id: %.200s has moved on", was->session_id);
    return MNEME_OK;
}
