/*
 * sqlite_uses.c - that a memory was used by an answer or a tool call, as its caller says.
 *
 * It stands with the trace of the recall that brought the memory, and goes with it: what erases a trace
 * needs to know nothing of uses. Beside the memory it is counted, and a confidence that had decayed is
 * the written one again.
 */
#include "sql/sqlite.gen.h"
#include "store/sqlite_write.h"

/* *ret_confidence: what is to stand beside the memory; negative: nothing. */
static enum mneme_status restored(const struct mn_writing *w, const struct mn_use_row *use,
                                  double *ret_confidence, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    double decayed = -1.0;
    bool found = false;

    *ret_confidence = -1.0;
    MN_TRY(mn_write_confidence(w, use->tenant, use->memory_id, &decayed, err));
    if (decayed < 0.0)
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_CONFIDENCE, &stmt, err));
    mn_bind_text(stmt, ":tenant", use->tenant);
    mn_bind_text(stmt, ":memory_id", use->memory_id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    reader.stmt = stmt;
    if (found)
        *ret_confidence = mn_read_real(&reader);
    return mn_read_end(&reader, err);
}

enum mneme_status mn_write_use(const struct mn_writing *w, const struct mn_use_row *use,
                               struct mn_written *ret_written, struct mneme_error *err)
{
    struct mneme_usage usage = { .tenant_id = use->tenant,
                                 .memory_id = use->memory_id,
                                 .last_accessed_at_ms = use->at_ms,
                                 .used_count = 1,
                                 .confidence_computed_at_ms = use->at_ms };
    struct mn_written beside;
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TRACE_USE, &stmt, err));
    mn_bind_text(stmt, ":tenant", use->tenant);
    mn_bind_text(stmt, ":trace_id", use->trace_id);
    mn_bind_text(stmt, ":id", use->memory_id);
    mn_bind_text(stmt, ":by", use->by);
    mn_bind_integer(stmt, ":at_ms", use->at_ms);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_written = (struct mn_written){ .unchanged = mn_sqlite_changed(w->db) == 0 };
    if (ret_written->unchanged)
        return MNEME_OK;
    MN_TRY(restored(w, use, &usage.confidence, err));
    return mn_write_usage(w, &usage, true, &beside, err);
}
