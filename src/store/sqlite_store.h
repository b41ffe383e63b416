/*
 * sqlite_store.h - the SQLite engine from inside: its connections and the parts of its table.
 *
 * One connection writes, behind a mutex; a few read, each lent to one thread for one call. Writers
 * of other processes wait at the lock file (lock_file.h), readers never wait.
 */
#ifndef MN_STORE_SQLITE_STORE_H
#define MN_STORE_SQLITE_STORE_H

#include <pthread.h>

#include "store/commit_queue.h"
#include "store/file_locks.h"
#include "store/lock_file.h"
#include "store/row_cache.h"
#include "store/sqlite_db.h"
#include "store/sqlite_known.h"
#include "store/store.h"

#define MN_SQLITE_READERS_MAX 8
#define MN_SQLITE_WAITING_MAX 256  /* calls that wait for their commit; more wait for a place */
#define MN_SQLITE_GROUP_ROWS 1024  /* written in one transaction for several calls */
#define MN_SQLITE_ROW_BYTES_MAX ((size_t)16 << 20) /* of rows that are kept decoded, and codes */

/* A key of its own, wiped when it is let go. */
struct mn_key {
    void *at;
    size_t bytes; /* 0: none */
};
enum mneme_status mn_key_set(struct mn_key *key, const void *bytes, size_t count,
                             struct mneme_error *err);
void mn_key_release(struct mn_key *key);
#define MN_KEY_AUTO MN_CLEANUP(mn_key_release) struct mn_key

struct mn_sqlite_store {
    struct mn_store base;
    char *path;  /* absolute */
    char id[16]; /* of the file, from its making: part of cursors */
    bool read_only;
    enum mn_sqlite_mode read_mode;

    struct mn_commit_queue queue; /* of those who commit */
    pthread_mutex_t write_mutex;  /* guards writer, known and lock */
    struct mn_sqlite *writer;     /* NULL: read only */
    struct mn_known known;
    struct mn_lock_file lock;

    struct mn_row_cache *rows; /* guards itself */

    pthread_mutex_t read_mutex; /* guards what follows */
    pthread_cond_t reader_back;
    struct mn_sqlite *reader[MN_SQLITE_READERS_MAX]; /* those not lent */
    int readers_idle;
    int readers_open;
    int readers_opening; /* of them: with the key in hand */
    struct mn_key key;
    struct mn_file_guard guard;
    int generation; /* of the file: one more with each change of the key */
};

/* A reader, inside a transaction: all statements of one call see one state. */
struct mn_reading {
    struct mn_sqlite_store *store;
    struct mn_sqlite *db;
    int generation;
    bool within;    /* a held one: it begins and ends elsewhere */
    bool is_writer; /* its connection: with write_mutex in hand */
};
/* The state of the rows that a reading sees; of a held one it is asked once. */
enum mneme_status mn_reading_state(const struct mn_reading *reading, struct mn_row_state *ret_state,
                                   struct mneme_error *err);
enum mneme_status mn_reading_begin(struct mn_store *store, struct mn_reading *reading,
                                   struct mneme_error *err);
void mn_reading_end(struct mn_reading *reading); /* for MN_CLEANUP */
#define MN_READING_AUTO MN_CLEANUP(mn_reading_end) struct mn_reading

void mn_sqlite_reads_begin(struct mn_store *store);
void mn_sqlite_state_begin(struct mn_store *store);
void mn_sqlite_reads_end(struct mn_store *store);

/* The writer, behind the mutex and the lock file, until mn_turn_end(). MNEME_FORBIDDEN: read only, or
 * the file was replaced. */
enum mneme_status mn_turn_begin(struct mn_sqlite_store *store, struct mneme_error *err);
void mn_turn_end(struct mn_sqlite_store *store);
/* The key as it is now. */
enum mneme_status mn_store_key_copy(struct mn_sqlite_store *store, struct mn_key *ret_key,
                                    struct mneme_error *err);

/*
 * sqlite_open.c: brings the file at path into the present form (create: makes it when it is not
 * there) and gives a connection to it, for writing unless read_only; ret_mode is how further
 * readers connect. Where it fails, nothing in the folder was touched.
 */
enum mneme_status mn_sqlite_open(const struct mn_store_options *options, const char *path,
                                 struct mn_lock_file *lock, struct mn_sqlite **ret_db,
                                 enum mn_sqlite_mode *ret_mode, struct mneme_error *err);

/* The version of the store in `db`, 0 where none was made; `path` is its name in messages. */
enum mneme_status mn_sqlite_check_version(struct mn_sqlite *db, const char *path,
                                          int64_t *ret_version, struct mneme_error *err);

/* For a name without a store: MNEME_CONFLICT when a log of an older one is there. */
enum mneme_status mn_sqlite_check_beside(const char *path, struct mneme_error *err);
/* Names in meta: an erasure that is not settled yet; the secret that seals receipts. */
#define MN_META_UNSETTLED "erase_unsettled"
#define MN_META_RECEIPT_KEY "receipt_key"
#define MN_META_ARCHIVE_NAME "archive_name"
#define MN_META_ARCHIVE_KEY "archive_key"
/* The first column of the first row that a statement without parameters gives; 0: no row. */
enum mneme_status mn_sqlite_integer(struct mn_sqlite *db, const char *sql, int64_t *ret_value,
                                    struct mneme_error *err);
/* A row of the table meta into text; "" when it is not there. */
enum mneme_status mn_sqlite_meta(struct mn_sqlite *db, const char *name, char *text,
                                 size_t text_bytes, struct mneme_error *err);
enum mneme_status mn_sqlite_meta_put(struct mn_sqlite *db, const char *name, const char *value,
                                     struct mneme_error *err);

/* The engine's functions, as store.h says; one file a noun. */

/* sqlite_commit.c */
enum mneme_status mn_sqlite_commit(struct mn_store *store, const struct mn_commit *commits,
                                   size_t count, struct mn_commit_result *results,
                                   struct mneme_error *err);
/* sqlite_changes.c */
/* Changes after `seq`, `last` being the last one; into *changes, which is empty. *ret_seq: the last
 * one read. */
enum mneme_status mn_changes_read(struct mn_sqlite *db, const struct mn_partition *only, int64_t seq,
                                  int64_t last, size_t limit, struct mn_arena *arena,
                                  struct mn_changes *changes, int64_t *ret_seq,
                                  struct mneme_error *err);
void mn_cursor_print(const struct mn_sqlite_store *store, int64_t seq, struct mn_cursor *ret_cursor);
enum mneme_status mn_sqlite_position(struct mn_store *store, struct mn_cursor *ret_cursor,
                                     struct mneme_error *err);
enum mneme_status mn_sqlite_changes_after(struct mn_store *store, const struct mn_partition *only,
                                          const struct mn_cursor *cursor, size_t limit,
                                          struct mn_arena *arena, struct mn_changes *ret_changes,
                                          struct mneme_error *err);
/* The number of a cursor, and whether what came right after it is no longer in the log or the cursor
 * is none of this store's. */
enum mneme_status mn_changes_since(const struct mn_sqlite_store *store, struct mn_sqlite *db,
                                   const char *cursor, int64_t *ret_seq, bool *ret_gap,
                                   struct mneme_error *err);
/* sqlite_segments.c */
enum mneme_status mn_sqlite_segment_put(struct mn_store *store, const struct mn_segment_row *row,
                                        struct mneme_error *err);
enum mneme_status mn_sqlite_segment_get(struct mn_store *store, struct mn_partition partition,
                                        const char *profile, struct mn_arena *arena,
                                        struct mn_str *ret_bytes, struct mneme_error *err);
/* sqlite_prune.c */
enum mneme_status mn_sqlite_prune(struct mn_store *store, const struct mn_retention *keep,
                                  size_t rows_max, bool *ret_more, struct mneme_error *err);
/* sqlite_now.c */
/* The state of the rows that the connection, inside a transaction, sees. */
enum mneme_status mn_now_state(struct mn_sqlite *db, struct mn_row_state *ret_state,
                               struct mneme_error *err);
/* What is kept of the state that the reading sees, brought up to it; *ret_cache NULL: it stands
 * elsewhere, and this reading does without. */
enum mneme_status mn_now_cache(struct mn_reading *reading, struct mn_row_state *ret_state,
                               struct mn_row_cache **ret_cache, struct mneme_error *err);
/* In no order of their own; structured ones at most `limit` of each scope, owner and type. */
enum mneme_status mn_now_structured(struct mn_store *store, const struct mn_access *access,
                                    struct mneme_list types, size_t limit, struct mn_arena *arena,
                                    struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_now_by_key(struct mn_store *store, const struct mn_access *access,
                                struct mneme_list keys, const struct mn_had_rows *had,
                                struct mn_arena *arena, struct mn_rows *ret_rows,
                                struct mneme_error *err);
enum mneme_status mn_now_successors(struct mn_store *store, const struct mn_access *access,
                                    struct mneme_list ids, struct mn_arena *arena,
                                    struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_sqlite_turns_replaced(struct mn_store *store, const struct mn_access *access,
                                           const char *const *turns, size_t count,
                                           struct mn_arena *arena, struct mneme_list *ret_pairs,
                                           struct mneme_error *err);
/* Has the partition any rule, any edge? As it is known from before, where nothing was written since. */
enum mneme_status mn_now_any(struct mn_store *store, struct mn_partition partition,
                             enum mn_list_kind kind, bool *ret_any, struct mneme_error *err);
enum mneme_status mn_sqlite_memories_get(struct mn_store *store, const struct mn_access *access,
                                         const char *const *ids, size_t count,
                                         struct mn_arena *arena, struct mn_rows *ret_rows,
                                         struct mneme_error *err);
/* sqlite_read.c */
/* The row, appended, if it is in the access's own partition, else in the shared one; ret_usage as
 * mn_row_add() has it. */
enum mneme_status mn_read_reachable(struct mn_sqlite *db, const struct mn_access *access,
                                    const char *id, struct mn_arena *arena, struct mn_rows *rows,
                                    struct mneme_usage *ret_usage, bool *ret_found,
                                    struct mneme_error *err);
enum mneme_status mn_sqlite_memories_structured(struct mn_store *store,
                                                const struct mn_access *access, mn_type_set types,
                                                size_t limit, struct mn_arena *arena,
                                                struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_sqlite_memories_by_key(struct mn_store *store, const struct mn_access *access,
                                            const char *const *keys, size_t count,
                                            const struct mn_had_rows *had, struct mn_arena *arena,
                                            struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_sqlite_memories_successors(struct mn_store *store,
                                                const struct mn_access *access,
                                                const char *const *ids, size_t count,
                                                struct mn_arena *arena, struct mn_rows *ret_rows,
                                                struct mneme_error *err);
enum mneme_status mn_sqlite_memories_changed(struct mn_store *store, const struct mn_access *access,
                                             size_t limit, struct mn_arena *arena,
                                             struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_sqlite_memories_as_of(struct mn_store *store, const struct mn_access *access,
                                           const char *const *ids, size_t count,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err);
enum mneme_status mn_sqlite_memories_line(struct mn_store *store, struct mn_partition partition,
                                          const char *memory_id, struct mn_arena *arena,
                                          struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_sqlite_memory_get(struct mn_store *store, struct mn_partition partition,
                                       const char *memory_id, struct mn_arena *arena,
                                       struct mn_row *ret_row, struct mneme_error *err);
enum mneme_status mn_sqlite_history(struct mn_store *store, struct mn_partition partition,
                                    const char *memory_id, struct mn_arena *arena,
                                    struct mn_history_rows *ret_rows, struct mneme_error *err);
/* sqlite_archive.c */
enum mneme_status mn_sqlite_archive_objects(struct mn_store *store, const struct mn_partition *only,
                                            const char *session_id, struct mn_arena *arena,
                                            struct mn_archive_objects *ret_objects,
                                            struct mneme_error *err);
enum mneme_status mn_sqlite_archive_waiting(struct mn_store *store, struct mn_arena *arena,
                                            struct mn_archive_objects *ret_objects,
                                            struct mneme_error *err);
enum mneme_status mn_sqlite_archive_events(struct mn_store *store, struct mn_partition partition,
                                           const char *object, struct mn_events *events,
                                           struct mneme_error *err);
enum mneme_status mn_sqlite_archive_secret(struct mn_store *store, bool make, struct mn_arena *arena,
                                           const char **ret_name, const char **ret_key,
                                           struct mneme_error *err);
/* sqlite_alike.c */
enum mneme_status mn_sqlite_memories_alike(struct mn_store *store, const struct mneme_memory *like,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mn_alike_mark *ret_mark, struct mneme_error *err);
enum mneme_status mn_sqlite_request_get(struct mn_store *store, struct mn_partition partition,
                                        const char *key, int64_t now_ms, struct mn_arena *arena,
                                        struct mn_request_row *ret_row, struct mneme_error *err);
enum mneme_status mn_sqlite_clarifications(struct mn_store *store, struct mn_partition partition,
                                           struct mn_arena *arena,
                                           struct mn_clarifications *ret_open,
                                           struct mneme_error *err);
/* sqlite_extract.c */
enum mneme_status mn_sqlite_extraction_due(struct mn_store *store, int64_t now_ms,
                                           struct mn_arena *arena,
                                           struct mn_partition *ret_partition,
                                           const char **ret_session, bool *ret_found,
                                           struct mneme_error *err);
enum mneme_status mn_sqlite_extractions(struct mn_store *store, struct mn_partition partition,
                                        const char *session, size_t limit, struct mn_arena *arena,
                                        struct mn_extractions *ret_rows, struct mneme_error *err);
/* sqlite_around.c */
enum mneme_status mn_sqlite_rules_active(struct mn_store *store, const struct mn_access *access,
                                         struct mn_arena *arena, struct mn_rules *ret_rules,
                                         struct mneme_error *err);
enum mneme_status mn_sqlite_task_states(struct mn_store *store, const struct mn_access *access,
                                        struct mn_arena *arena, struct mn_task_states *ret_states,
                                        struct mneme_error *err);
enum mneme_status mn_sqlite_edges(struct mn_store *store, struct mn_partition partition, bool past,
                                  struct mn_arena *arena, struct mn_edges *ret_edges,
                                  struct mneme_error *err);
enum mneme_status mn_sqlite_trace_get(struct mn_store *store, const char *tenant,
                                      const char *trace_id, struct mn_arena *arena,
                                      const char **ret_json, struct mneme_error *err);
/* sqlite_session.c */
enum mneme_status mn_sqlite_session_events(struct mn_store *store, struct mn_partition partition,
                                           const char *session_id, struct mn_event_place after,
                                           size_t limit, struct mn_arena *arena,
                                           struct mn_events *ret_events, struct mneme_error *err);
enum mneme_status mn_sqlite_session_get(struct mn_store *store, struct mn_partition partition,
                                        const char *session_id, struct mn_arena *arena,
                                        struct mn_session *ret_session,
                                        struct mn_task_states *ret_states,
                                        struct mneme_error *err);
enum mneme_status mn_sqlite_sessions_wanted(struct mn_store *store,
                                            const struct mn_session_wanted *wanted, size_t limit,
                                            struct mn_arena *arena,
                                            struct mn_sessions *ret_sessions,
                                            struct mneme_error *err);
/* sqlite_jobs.c */
enum mneme_status mn_sqlite_jobs(struct mn_store *store, struct mn_arena *arena,
                                 struct mn_job_rows *ret_jobs, struct mneme_error *err);
enum mneme_status mn_sqlite_memories_after(struct mn_store *store,
                                           const struct mn_unit_place *after, size_t limit,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err);
enum mneme_status mn_sqlite_memories_ended(struct mn_store *store, int64_t now_ms, size_t limit,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err);
/* sqlite_units.c */
enum mneme_status mn_sqlite_units_scan(struct mn_store *store, struct mn_partition partition,
                                       const char *after_id, size_t limit, const char *profile,
                                       struct mn_arena *arena, struct mn_units *ret_units,
                                       struct mneme_error *err);
enum mneme_status mn_sqlite_units_get(struct mn_store *store, struct mn_partition partition,
                                      const char *const *ids, size_t count, const char *profile,
                                      struct mn_arena *arena, struct mn_units *ret_units,
                                      struct mneme_error *err);
enum mneme_status mn_sqlite_units_without_vector(struct mn_store *store, const char *profile,
                                                 const struct mn_unit_place *after, size_t limit,
                                                 struct mn_arena *arena, struct mn_units *ret_units,
                                                 struct mneme_error *err);
enum mneme_status mn_sqlite_tokens_get(struct mn_store *store, struct mn_partition partition,
                                       const char *const *ids, size_t count, const char *profile,
                                       const char *tokens_profile, struct mn_arena *arena,
                                       struct mn_str *ret_codes, struct mneme_error *err);
/* sqlite_index.c */
enum mneme_status mn_sqlite_index_position(struct mn_store *store, const char *index,
                                           struct mn_cursor *ret_cursor, struct mneme_error *err);
enum mneme_status mn_sqlite_index_failed(struct mn_store *store, const char *index,
                                         int64_t failures_max, int64_t now_ms, size_t limit,
                                         struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                         size_t *ret_parked, struct mneme_error *err);
enum mneme_status mn_sqlite_index_parked(struct mn_store *store, const char *index,
                                         int64_t failures_max, size_t limit,
                                         struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                         struct mneme_error *err);
/* sqlite_reconcile.c */
enum mneme_status mn_sqlite_reconcile(struct mn_store *store, const char *profile,
                                      const char *tokens_profile, bool repair, int64_t now_ms,
                                      struct mn_arena *arena,
                                      struct mn_reconciled *ret_reconciled,
                                      struct mneme_error *err);
enum mneme_status mn_sqlite_reindex(struct mn_store *store, struct mneme_error *err);
enum mneme_status mn_sqlite_keep_vectors(struct mn_store *store, const char *profile,
                                         const char *tokens_profile, int64_t *ret_dropped,
                                         struct mneme_error *err);
enum mneme_status mn_sqlite_partitions(struct mn_store *store, struct mn_arena *arena,
                                       struct mn_partitions *ret_partitions,
                                       struct mneme_error *err);
/* sqlite_health.c */
enum mneme_status mn_sqlite_health(struct mn_store *store, const struct mn_partition *only,
                                   const char *profile, int64_t now_ms, struct mn_arena *arena,
                                   struct mn_health_users *ret_users, struct mneme_error *err);
enum mneme_status mn_sqlite_check(struct mn_store *store, struct mn_arena *arena,
                                  struct mn_store_check *ret_check, struct mneme_error *err);
/* sqlite_list.c */
enum mneme_status mn_sqlite_list(struct mn_store *store, const struct mneme_filter *filter,
                                 bool memories_only, mneme_row_fn row, void *context,
                                 struct mneme_error *err);
/* sqlite_erase.c */
enum mneme_status mn_sqlite_erase(struct mn_store *store, const struct mneme_erasure *what,
                                  struct mn_arena *arena, struct mn_erased *ret_erased,
                                  struct mneme_error *err);
/* sqlite_sweep.c */
/* With the turn in hand. MNEME_UNAVAILABLE: somebody reads an older state. */
enum mneme_status mn_sqlite_merge_log(struct mn_sqlite *db, struct mneme_error *err);
enum mneme_status mn_sqlite_erase_settle(struct mn_store *store, enum mn_settle step,
                                         struct mneme_error *err);
enum mneme_status mn_sqlite_erase_key(struct mn_store *store, struct mn_arena *arena,
                                      const char **ret_key, struct mneme_error *err);
enum mneme_status mn_sqlite_bytes(struct mn_store *store, mn_bytes_fn piece, void *context,
                                  struct mneme_error *err);
enum mneme_status mn_sqlite_texts(struct mn_store *store, const char *tenant, mn_kept_fn text,
                                  void *context, struct mneme_error *err);
/* sqlite_rekey.c */
enum mneme_status mn_sqlite_rekey(struct mn_store *store, const void *key, size_t key_bytes,
                                  const char *actor, int64_t now_ms, struct mneme_error *err);
/* sqlite_backup.c */
/* Into an empty file, which then is a store that is closed: under the key, or the new one if there is
 * one. */
enum mneme_status mn_sqlite_copy(struct mn_sqlite *from, const char *path, const void *key,
                                 size_t key_bytes, const void *new_key, size_t new_key_bytes,
                                 struct mneme_error *err);
enum mneme_status mn_sqlite_backup(struct mn_store *store, const char *path,
                                   struct mneme_error *err);
/* sqlite_audit_read.c */
enum mneme_status mn_sqlite_audit_list(struct mn_store *store, const struct mn_audit_filter *filter,
                                       mn_audit_fn entry, void *context, struct mneme_error *err);
enum mneme_status mn_sqlite_audit_verify(struct mn_store *store, const struct mn_audit_mark *noted,
                                         struct mn_audit_state *ret_state,
                                         struct mneme_error *err);

#endif
