/*
 * sqlite_jobs.c - what the jobs of maintenance stand on: when each is due, the memories they walk
 * over, and what they compute beside a memory.
 */
#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"

/* ---- jobs ---- */

enum mneme_status mn_sqlite_jobs(struct mn_store *store, struct mn_arena *arena,
                                 struct mn_job_rows *ret_jobs, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_job_rows jobs = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_JOBS_ALL, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_job_row *job;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        job = mn_array_add(arena, &jobs);
        if (!job)
            return mn_fail_memory(err);
        job->name = mn_read_text(&reader);
        job->revision = mn_read_integer(&reader);
        job->due_at_ms = mn_read_integer(&reader);
        job->begun_at_ms = mn_read_integer(&reader);
        job->busy_until_ms = mn_read_integer(&reader);
        job->ended_at_ms = mn_read_integer(&reader);
        job->looked = mn_read_integer(&reader);
        job->changed = mn_read_integer(&reader);
        job->tenant = mn_read_text(&reader);
        job->owner = mn_read_text(&reader);
        job->id = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_jobs = jobs;
    return MNEME_OK;
}

enum mneme_status mn_write_job(const struct mn_writing *w, const struct mn_job_row *job,
                               struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, job->revision ? SQL_SQLITE_JOB_MOVE : SQL_SQLITE_JOB_INSERT,
                             &stmt, err));
    mn_bind_text(stmt, ":name", job->name);
    if (job->revision)
        mn_bind_integer(stmt, ":revision", job->revision);
    mn_bind_integer(stmt, ":due_at_ms", job->due_at_ms);
    mn_bind_integer(stmt, ":begun_at_ms", job->begun_at_ms);
    mn_bind_integer(stmt, ":busy_until_ms", job->busy_until_ms);
    mn_bind_integer(stmt, ":ended_at_ms", job->ended_at_ms);
    mn_bind_integer(stmt, ":looked", job->looked);
    mn_bind_integer(stmt, ":changed", job->changed);
    mn_bind_text(stmt, ":tenant", job->tenant);
    mn_bind_text(stmt, ":owner", job->owner);
    mn_bind_text(stmt, ":id", job->id);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (mn_sqlite_changed(w->db) == 0)
        return mn_fail(err, MNEME_CONFLICT, "revision: somebody else is at the job %.100s",
                       job->name);
    *ret_written = (struct mn_written){ .revision = job->revision + 1,
                                        .replaced = job->revision > 0 };
    return MNEME_OK;
}

/* ---- walks ---- */

static enum mneme_status read_rows(struct mn_stmt *stmt, struct mn_arena *arena,
                                   struct mn_rows *ret_rows, struct mneme_error *err)
{
    struct mn_rows rows = { 0 };
    bool row = false;

    for (;;) {
        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        MN_TRY(mn_row_add(stmt, arena, &rows, NULL, err));
    }
    *ret_rows = rows;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_memories_after(struct mn_store *store,
                                           const struct mn_unit_place *after, size_t limit,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_MEMORIES_AFTER, &stmt, err));
    mn_bind_text(stmt, ":tenant", after->tenant);
    mn_bind_text(stmt, ":owner", after->owner);
    mn_bind_text(stmt, ":id", after->id);
    mn_bind_integer(stmt, ":limit", (int64_t)limit);
    return read_rows(stmt, arena, ret_rows, err);
}

enum mneme_status mn_sqlite_memories_ended(struct mn_store *store, int64_t now_ms, size_t limit,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_MEMORIES_ENDED, &stmt, err));
    mn_bind_integer(stmt, ":now_ms", now_ms);
    mn_bind_integer(stmt, ":limit", (int64_t)limit);
    return read_rows(stmt, arena, ret_rows, err);
}

/* ---- beside a memory ---- */

enum mneme_status mn_write_review(const struct mn_writing *w, const struct mn_review *review,
                                  struct mn_written *ret_written, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_USAGE_REVIEW, &stmt, err));
    mn_bind_text(stmt, ":tenant", review->tenant);
    mn_bind_text(stmt, ":memory_id", review->memory_id);
    mn_bind_real(stmt, ":importance_base", review->importance_base);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_written = (struct mn_written){ .unchanged = mn_sqlite_changed(w->db) == 0 };
    return mn_write_usage_moved(w, err);
}

enum mneme_status mn_write_usage_reset(const struct mn_writing *w,
                                       const struct mneme_memory *former,
                                       const struct mneme_memory *memory, struct mneme_error *err)
{
    bool confidence = former->confidence != memory->confidence ||
                      former->confirmed_at_ms != memory->confirmed_at_ms ||
                      former->updated_at_ms != memory->updated_at_ms ||
                      former->authority != memory->authority;
    bool importance = former->importance != memory->importance;
    MN_STMT_AUTO stmt = NULL;

    if (!confidence && !importance)
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_USAGE_RESET, &stmt, err));
    mn_bind_text(stmt, ":tenant", memory->tenant_id);
    mn_bind_text(stmt, ":memory_id", memory->id);
    mn_bind_integer(stmt, ":confidence", confidence);
    mn_bind_integer(stmt, ":importance", importance);
    MN_TRY(mn_sqlite_done(stmt, err));
    return mn_sqlite_changed(w->db) > 0 ? mn_write_usage_moved(w, err)
                                        : MNEME_OK;
}

enum mneme_status mn_write_confidence(const struct mn_writing *w, const char *tenant,
                                      const char *memory_id, double *ret_confidence,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_USAGE_CONFIDENCE, &stmt, err));
    mn_bind_text(stmt, ":tenant", tenant);
    mn_bind_text(stmt, ":memory_id", memory_id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    reader.stmt = stmt;
    *ret_confidence = found ? mn_read_real(&reader) : -1.0;
    return MNEME_OK;
}
