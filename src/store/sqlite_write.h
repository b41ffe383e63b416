/*
 * sqlite_write.h - one write of a commit request, kind by kind.
 *
 * Called inside the request's savepoint. What fails for the sake of the input leaves rows half
 * written; the caller undoes the request.
 */
#ifndef MN_STORE_SQLITE_WRITE_H
#define MN_STORE_SQLITE_WRITE_H

#include "store/sqlite_db.h"
#include "store/sqlite_known.h"
#include "store/store.h"

/* A request being written. */
struct mn_writing {
    struct mn_sqlite *db;
    const struct mn_commit *commit;
    struct mn_known *known; /* NULL: not a commit */
    struct mn_arena *arena; /* of one write: former rows, derived ids, hashes */
};

/* sqlite_turns.c: after the row is written. forgets: it was withdrawn for its own sake. */
enum mneme_status mn_write_turns(const struct mn_writing *w, const struct mneme_memory *memory,
                                 bool forgets, struct mneme_error *err);
/* task_id: as in mn_write. */
enum mneme_status mn_write_event(const struct mn_writing *w, const struct mneme_event *event,
                                 const char *task_id, struct mn_written *ret_written,
                                 struct mneme_error *err);
/* One that comes back from the archive: as it was, its session untouched. */
enum mneme_status mn_write_event_back(const struct mn_writing *w, const struct mneme_event *event,
                                      struct mneme_error *err);
/* sqlite_archive.c */
enum mneme_status mn_write_archive(const struct mn_writing *w, const struct mn_archive_row *row,
                                   struct mneme_error *err);
/* Is the turn in the archive? *ret_same: of this owner and session. */
enum mneme_status mn_archived_event(const struct mn_writing *w, const struct mneme_event *event,
                                    bool *ret_found, bool *ret_same, struct mneme_error *err);
enum mneme_status mn_write_task_state(const struct mn_writing *w,
                                      const struct mneme_task_state *state, int64_t expected,
                                      struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_edge(const struct mn_writing *w, const struct mneme_edge *edge,
                                struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_rule(const struct mn_writing *w, const struct mneme_rule *rule,
                                struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_usage(const struct mn_writing *w, const struct mneme_usage *usage,
                                 bool add, struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_vector(const struct mn_writing *w, const struct mn_vector_row *vector,
                                  struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_trace(const struct mn_writing *w, const struct mn_trace_row *trace,
                                 struct mn_written *ret_written, struct mneme_error *err);
/* sqlite_uses.c */
enum mneme_status mn_write_use(const struct mn_writing *w, const struct mn_use_row *use,
                               struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_clarification(const struct mn_writing *w,
                                         const struct mn_clarification *clarification,
                                         struct mn_written *ret_written, struct mneme_error *err);
/* sqlite_index.c */
enum mneme_status mn_write_index(const struct mn_writing *w, const struct mn_index_row *row,
                                 struct mneme_error *err);
/* Also clears what is too old. MNEME_CONFLICT when the request is there. */
enum mneme_status mn_write_request(const struct mn_writing *w, const struct mn_request_row *request,
                                   struct mneme_error *err);
/* sqlite_jobs.c */
enum mneme_status mn_write_job(const struct mn_writing *w, const struct mn_job_row *job,
                               struct mn_written *ret_written, struct mneme_error *err);
enum mneme_status mn_write_review(const struct mn_writing *w, const struct mn_review *review,
                                  struct mn_written *ret_written, struct mneme_error *err);
/* The row is another: what was computed from the former one holds no more. */
enum mneme_status mn_write_usage_reset(const struct mn_writing *w,
                                       const struct mneme_memory *former,
                                       const struct mneme_memory *memory,
                                       struct mneme_error *err);
/* The confidence that stands beside a memory; negative: none. */
enum mneme_status mn_write_confidence(const struct mn_writing *w, const char *tenant,
                                      const char *memory_id, double *ret_confidence,
                                      struct mneme_error *err);
/* sqlite_session.c */
enum mneme_status mn_write_session(const struct mn_writing *w, const struct mn_session_move *move,
                                   struct mneme_error *err);
/* MNEME_CONFLICT when the mark has moved. */
enum mneme_status mn_write_guard(const struct mn_writing *w, const struct mn_guard *guard,
                                 struct mneme_error *err);

/* sqlite_extract.c */
enum mneme_status mn_write_extraction(const struct mn_writing *w,
                                      const struct mn_extraction *extraction,
                                      struct mneme_error *err);

/* The change row of what was written. */
enum mneme_status mn_write_change(const struct mn_writing *w, enum mn_change_kind kind,
                                  const char *tenant, const char *owner, const char *id,
                                  int64_t revision, struct mneme_error *err);
/* That usage was written, which leaves no change. */
enum mneme_status mn_write_usage_moved(const struct mn_writing *w, struct mneme_error *err);
/* Is there a row for :tenant and :id? */
enum mneme_status mn_write_exists(const struct mn_writing *w, const char *sql, const char *tenant,
                                  const char *id, bool *ret_exists, struct mneme_error *err);

#endif
