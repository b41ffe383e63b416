/*
 * sqlite_extract.c - turns that a language model has still to read.
 *
 * A turn enters with its event, in one transaction: none is forgotten. Whoever reads it claims it first
 * for a while; of two that claim the same one is refused, and one that dies on the way leaves it to be
 * claimed again later.
 */
#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"

static void bind_turn(struct mn_stmt *stmt, const struct mneme_event *event)
{
    mn_bind_text(stmt, ":tenant", event->tenant_id);
    mn_bind_text(stmt, ":owner", event->user_id);
    mn_bind_text(stmt, ":id", event->id);
}

static enum mneme_status hurry(const struct mn_writing *w, const struct mn_extraction *x,
                               int64_t due_at_ms, size_t many, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_EXTRACTIONS_HURRY, &stmt, err));
    mn_bind_text(stmt, ":tenant", x->event.tenant_id);
    mn_bind_text(stmt, ":owner", x->event.user_id);
    mn_bind_text(stmt, ":session_id", x->event.session_id);
    mn_bind_integer(stmt, ":due_at_ms", due_at_ms);
    mn_bind_integer(stmt, ":many", (int64_t)many);
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status queue(const struct mn_writing *w, const struct mn_extraction *x,
                               struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_EXTRACTION_QUEUE, &stmt, err));
    bind_turn(stmt, &x->event);
    mn_bind_text(stmt, ":session_id", x->event.session_id);
    mn_bind_text(stmt, ":task_id", x->task_id);
    mn_bind_text(stmt, ":project_id", x->project_id);
    mn_bind_text(stmt, ":repository_id", x->repository_id);
    mn_bind_text(stmt, ":timezone", x->timezone);
    mn_bind_integer(stmt, ":due_at_ms", x->due_at_ms);
    mn_bind_integer(stmt, ":now_ms", x->queued_at_ms);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (x->due_at_ms <= x->queued_at_ms)
        return hurry(w, x, x->due_at_ms, 1, err);
    return hurry(w, x, x->queued_at_ms, x->together, err);
}

enum mneme_status mn_write_extraction(const struct mn_writing *w,
                                      const struct mn_extraction *extraction,
                                      struct mneme_error *err)
{
    static const char *const sql[] = { [MN_EXTRACTION_CLAIM] = SQL_SQLITE_EXTRACTION_CLAIM,
                                       [MN_EXTRACTION_FAIL] = SQL_SQLITE_EXTRACTION_FAIL,
                                       [MN_EXTRACTION_DONE] = SQL_SQLITE_EXTRACTION_DONE };
    MN_STMT_AUTO stmt = NULL;

    if (extraction->step == MN_EXTRACTION_QUEUE)
        return queue(w, extraction, err);
    if (extraction->step == MN_EXTRACTION_HURRY)
        return hurry(w, extraction, extraction->due_at_ms, 1, err);
    MN_TRY(mn_sqlite_prepare(w->db, sql[extraction->step], &stmt, err));
    bind_turn(stmt, &extraction->event);
    if (extraction->step == MN_EXTRACTION_CLAIM) {
        mn_bind_integer(stmt, ":claimed_ms", extraction->claimed_ms);
        mn_bind_integer(stmt, ":now_ms", w->commit->now_ms);
    } else if (extraction->step == MN_EXTRACTION_FAIL) {
        mn_bind_integer(stmt, ":due_at_ms", extraction->due_at_ms);
        mn_bind_text(stmt, ":reason", extraction->reason);
    }
    MN_TRY(mn_sqlite_done(stmt, err));
    if (extraction->step == MN_EXTRACTION_CLAIM && mn_sqlite_changed(w->db) == 0)
        return mn_fail(err, MNEME_CONFLICT, "revision: somebody reads the turn already");
    return MNEME_OK;
}

enum mneme_status mn_sqlite_extraction_due(struct mn_store *store, int64_t now_ms,
                                           struct mn_arena *arena,
                                           struct mn_partition *ret_partition,
                                           const char **ret_session, bool *ret_found,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    struct mn_partition partition;
    const char *session;
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_EXTRACTION_DUE, &stmt, err));
    mn_bind_integer(stmt, ":now_ms", now_ms);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    *ret_found = row;
    if (!row)
        return MNEME_OK;
    reader.stmt = stmt;
    partition.tenant = mn_read_text(&reader);
    partition.owner = mn_read_text(&reader);
    session = mn_read_text(&reader);
    MN_TRY(mn_read_end(&reader, err));
    *ret_partition = partition;
    *ret_session = session;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_extractions(struct mn_store *store, struct mn_partition partition,
                                        const char *session, size_t limit, struct mn_arena *arena,
                                        struct mn_extractions *ret_rows, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_extractions rows = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_EXTRACTIONS_OF, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    if (partition.owner)
        mn_bind_text(stmt, ":owner", partition.owner);
    else
        mn_bind_null(stmt, ":owner");
    if (session)
        mn_bind_text(stmt, ":session_id", session);
    else
        mn_bind_null(stmt, ":session_id");
    mn_bind_integer(stmt, ":limit", limit < INT64_MAX ? (int64_t)limit : -1);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_extraction *x;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        x = mn_array_add(arena, &rows);
        if (!x)
            return mn_fail_memory(err);
        x->task_id = mn_read_text(&reader);
        x->project_id = mn_read_text(&reader);
        x->repository_id = mn_read_text(&reader);
        x->timezone = mn_read_text(&reader);
        x->attempts = mn_read_integer(&reader);
        x->reason = mn_read_text(&reader);
        x->due_at_ms = mn_read_integer(&reader);
        x->queued_at_ms = mn_read_integer(&reader);
        x->claimed_ms = mn_read_integer(&reader);
        x->event = (struct mneme_event)MNEME_EVENT_INIT;
        mn_row_read_event(&reader, &x->event);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_rows = rows;
    return MNEME_OK;
}
