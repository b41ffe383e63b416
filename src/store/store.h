/*
 * store.h - the truth.
 *
 * The contract of a canonical store. Engines: sqlite_store.c, and the failing fake of the tests;
 * later PostgreSQL. Three habits keep the engines exchangeable:
 *
 *   Writes are values (writes.h). A commit takes an array of requests, each a group of rows that stand or fall
 *   together, and answers one result each. The change row and the history are written inside; no
 * open transaction crosses this header. Changes are read by an opaque cursor. Reads are already
 * filtered: those that take `struct mn_access` return only rows that the identity reaches and that
 * hold (memory/access.h asked in SQL), from its own and the shared partition.
 *
 * Rows are returned in the arena, strings never NULL. Safe from several threads.
 */
#ifndef MN_STORE_STORE_H
#define MN_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/admin.h>
#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "memory/access.h"
#include "memory/partition.h"
#include "memory/type.h"
#include "memory/unit.h"
#include "store/condition.h"
#include "store/erased.h"
#include "store/rows.h"
#include "store/writes.h"

struct mn_store;

/* Rows that the caller has read already, of the same state, and that need not be read again. */
struct mn_had_rows {
    bool (*has)(const void *context, const char *id);
    const void *context;
};

struct mn_store_ops {
    /* All in one durable transaction, each request for itself. Fails as a whole only when nothing was
     * written, or with err->uncertain. */
    enum mneme_status (*commit)(struct mn_store *store, const struct mn_commit *commits,
                                size_t count, struct mn_commit_result *results,
                                struct mneme_error *err);

    /* Forgets what is older than it need be, in one transaction and at most about rows_max rows of
     * each kind; *ret_more: there is more of it. Changes go from the oldest on: a cursor before them
     * is then too old. */
    enum mneme_status (*prune)(struct mn_store *store, const struct mn_retention *keep,
                               size_t rows_max, bool *ret_more, struct mneme_error *err);

    /* Until reads_end() in the same thread its reads see one state, where that costs less than reading
     * one by one and keeps nobody waiting; else nothing changes. Meanwhile the thread writes nothing,
     * and waits for nobody who may write. */
    void (*reads_begin)(struct mn_store *store);
    /* The same for who will not write: one state of a reader lent for all of them, so that he waits for
     * nobody who reads. */
    void (*state_begin)(struct mn_store *store);
    void (*reads_end)(struct mn_store *store);

    /* The position behind the last committed change. */
    enum mneme_status (*position)(struct mn_store *store, struct mn_cursor *ret_cursor,
                                  struct mneme_error *err);
    /* Of one partition, or of all when `only` is NULL. With nothing left, `next` is the position.
     */
    enum mneme_status (*changes_after)(struct mn_store *store, const struct mn_partition *only,
                                       const struct mn_cursor *cursor, size_t limit,
                                       struct mn_arena *arena, struct mn_changes *ret_changes,
                                       struct mneme_error *err);

    /* Canonical rows of these ids within the access's two partitions, whatever their state; absent
     * ids are absent. Not filtered further: the filter stage says why a row is refused. */
    enum mneme_status (*memories_get)(struct mn_store *store, const struct mn_access *access,
                                      const char *const *ids, size_t count, struct mn_arena *arena,
                                      struct mn_rows *ret_rows, struct mneme_error *err);
    /* Filtered. Of these types; past the limit by scope, then importance, then id. */
    enum mneme_status (*memories_structured)(struct mn_store *store, const struct mn_access *access,
                                             mn_type_set types, size_t limit,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err);
    /* Filtered. All rows of these keys; those that the caller has (NULL: none) may be left out. */
    enum mneme_status (*memories_by_key)(struct mn_store *store, const struct mn_access *access,
                                         const char *const *keys, size_t count,
                                         const struct mn_had_rows *had, struct mn_arena *arena,
                                         struct mn_rows *ret_rows, struct mneme_error *err);
    /* Filtered. Rows whose `supersedes` names one of these ids. */
    enum mneme_status (*memories_successors)(struct mn_store *store, const struct mn_access *access,
                                             const char *const *ids, size_t count,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err);
    /* Of these turns of the user those from which a memory was drawn that another one replaced: pairs
     * of the turn and of what stands in that place now. Not filtered. */
    enum mneme_status (*turns_replaced)(struct mn_store *store, const struct mn_access *access,
                                        const char *const *turns, size_t count,
                                        struct mn_arena *arena, struct mneme_list *ret_pairs,
                                        struct mneme_error *err);
    /* Rows of these ids as they stood at access->as_of_ms, from the history; a row that is not
     * older than its last change is the present one. */
    enum mneme_status (*memories_as_of)(struct mn_store *store, const struct mn_access *access,
                                        const char *const *ids, size_t count,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mneme_error *err);
    /* Filtered. Rows that have changed since access->as_of_ms, as they stood then; the last changed
     * first. */
    enum mneme_status (*memories_changed)(struct mn_store *store, const struct mn_access *access,
                                          size_t limit, struct mn_arena *arena,
                                          struct mn_rows *ret_rows, struct mneme_error *err);
    /* Of one owner, agent and scope, whatever else holds of them: the active rows of the same text
     * (content_hash) or key. *ret_mark: for a guard, read in the same instant. */
    enum mneme_status (*memories_alike)(struct mn_store *store, const struct mneme_memory *like,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mn_alike_mark *ret_mark, struct mneme_error *err);
    /* Of the last MN_REQUEST_KEPT_MS. MNEME_NOT_FOUND. */
    enum mneme_status (*request_get)(struct mn_store *store, struct mn_partition partition,
                                     const char *key, int64_t now_ms, struct mn_arena *arena,
                                     struct mn_request_row *ret_row, struct mneme_error *err);
    /* Open questions of one partition. */
    enum mneme_status (*clarifications)(struct mn_store *store, struct mn_partition partition,
                                        struct mn_arena *arena, struct mn_clarifications *ret_open,
                                        struct mneme_error *err);

    /* The session whose turns have waited longest for a model, and that no reader has; *ret_found:
     * there is one. */
    enum mneme_status (*extraction_due)(struct mn_store *store, int64_t now_ms,
                                        struct mn_arena *arena, struct mn_partition *ret_partition,
                                        const char **ret_session, bool *ret_found,
                                        struct mneme_error *err);
    /* Of one partition and session (NULL: any), due or not, in the order of the talk; at most
     * `limit`. */
    enum mneme_status (*extractions)(struct mn_store *store, struct mn_partition partition,
                                     const char *session, size_t limit, struct mn_arena *arena,
                                     struct mn_extractions *ret_rows, struct mneme_error *err);

    enum mneme_status (*rules_active)(struct mn_store *store, const struct mn_access *access,
                                      struct mn_arena *arena, struct mn_rules *ret_rules,
                                      struct mneme_error *err);
    /* Of the access's tenant, user and task; own session first, then newest; at most 32. */
    enum mneme_status (*task_states)(struct mn_store *store, const struct mn_access *access,
                                     struct mn_arena *arena, struct mn_task_states *ret_states,
                                     struct mneme_error *err);
    /* Turns of one session that are in the store, at most `limit` behind the place. */
    enum mneme_status (*session_events)(struct mn_store *store, struct mn_partition partition,
                                        const char *session_id, struct mn_event_place after,
                                        size_t limit, struct mn_arena *arena,
                                        struct mn_events *ret_events, struct mneme_error *err);
    /* A session, and its checkpoints. MNEME_NOT_FOUND. */
    enum mneme_status (*session_get)(struct mn_store *store, struct mn_partition partition,
                                     const char *session_id, struct mn_arena *arena,
                                     struct mn_session *ret_session,
                                     struct mn_task_states *ret_states, struct mneme_error *err);
    /* Of any partition, those that have waited longest first. */
    enum mneme_status (*sessions_wanted)(struct mn_store *store,
                                         const struct mn_session_wanted *wanted, size_t limit,
                                         struct mn_arena *arena, struct mn_sessions *ret_sessions,
                                         struct mneme_error *err);
    /* All that have ever run. */
    enum mneme_status (*jobs)(struct mn_store *store, struct mn_arena *arena,
                              struct mn_job_rows *ret_jobs, struct mneme_error *err);
    /* Active memories of any partition behind the place, in its order (is_event is not read). */
    enum mneme_status (*memories_after)(struct mn_store *store, const struct mn_unit_place *after,
                                        size_t limit, struct mn_arena *arena,
                                        struct mn_rows *ret_rows, struct mneme_error *err);
    /* Active memories of any partition whose validity has ended. */
    enum mneme_status (*memories_ended)(struct mn_store *store, int64_t now_ms, size_t limit,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mneme_error *err);
    /* All edges of one partition, valid or not: the walk judges. Their provenance names what of it
     * holds: neither forgotten, revoked nor replaced, or with `past` (of an earlier instant) not revoked;
     * an edge of which nothing holds any more is absent, until it does again. */
    enum mneme_status (*edges)(struct mn_store *store, struct mn_partition partition, bool past,
                               struct mn_arena *arena, struct mn_edges *ret_edges,
                               struct mneme_error *err);

    /* For building an index: items (memories, and events as memories) of one partition with id >
     * after_id, in order of id; deleted and deprecated rows and not recallable events are absent.
     * profile: "" for no vectors. */
    enum mneme_status (*units_scan)(struct mn_store *store, struct mn_partition partition,
                                    const char *after_id, size_t limit, const char *profile,
                                    struct mn_arena *arena, struct mn_units *ret_units,
                                    struct mneme_error *err);
    /* The same for these ids; those that left the index are absent. */
    enum mneme_status (*units_get)(struct mn_store *store, struct mn_partition partition,
                                   const char *const *ids, size_t count, const char *profile,
                                   struct mn_arena *arena, struct mn_units *ret_units,
                                   struct mneme_error *err);
    /* Units of any partition that have no vector of this profile yet, or are long and have one alone,
     * at most `limit`, in order and behind the place. */
    enum mneme_status (*units_without_vector)(struct mn_store *store, const char *profile,
                                              const struct mn_unit_place *after, size_t limit,
                                              struct mn_arena *arena, struct mn_units *ret_units,
                                              struct mneme_error *err);
    /* Codes of the tokens of these units, for each id; .at NULL where there are none that were made
     * with its vector of `profile`. */
    enum mneme_status (*tokens_get)(struct mn_store *store, struct mn_partition partition,
                                    const char *const *ids, size_t count, const char *profile,
                                    const char *tokens_profile, struct mn_arena *arena,
                                    struct mn_str *ret_codes, struct mneme_error *err);
    /* How far the index has come, as MN_WRITE_INDEX said; "" when it has not begun. */
    enum mneme_status (*index_position)(struct mn_store *store, const char *index,
                                        struct mn_cursor *ret_cursor, struct mneme_error *err);
    /* Units that failed fewer than failures_max times and have waited for long enough since: a
     * minute after the first time, twice as long after each further one. At most `limit`.
     * *ret_parked: how many have failed as often as that. */
    enum mneme_status (*index_failed)(struct mn_store *store, const char *index,
                                      int64_t failures_max, int64_t now_ms, size_t limit,
                                      struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                      size_t *ret_parked, struct mneme_error *err);

    /* Those that have failed as often as that, in order, at most `limit`. */
    enum mneme_status (*index_parked)(struct mn_store *store, const char *index,
                                      int64_t failures_max, size_t limit, struct mn_arena *arena,
                                      struct mn_index_rows *ret_rows, struct mneme_error *err);
    /* The index of a partition as bytes, of one profile, in the place of what was kept before.
     * MNEME_CONFLICT: something was erased since the cursor, or it is not known whether. */
    enum mneme_status (*segment_put)(struct mn_store *store, const struct mn_segment_row *row,
                                     struct mneme_error *err);
    /* What was kept last, or bytes of two: their reader tells. MNEME_NOT_FOUND. */
    enum mneme_status (*segment_get)(struct mn_store *store, struct mn_partition partition,
                                     const char *profile, struct mn_arena *arena,
                                     struct mn_str *ret_bytes, struct mneme_error *err);

    enum mneme_status (*history)(struct mn_store *store, struct mn_partition partition,
                                 const char *memory_id, struct mn_arena *arena,
                                 struct mn_history_rows *ret_rows, struct mneme_error *err);
    /* The memory, what it replaced and what replaced it, of any state: of the partition, linked by
     * supersedes or former holders of the key in its place; what holds last first. Empty when it is not
     * there. */
    enum mneme_status (*memories_line)(struct mn_store *store, struct mn_partition partition,
                                       const char *memory_id, struct mn_arena *arena,
                                       struct mn_rows *ret_rows, struct mneme_error *err);
    /* One row by its full key, any state. MNEME_NOT_FOUND. */
    enum mneme_status (*memory_get)(struct mn_store *store, struct mn_partition partition,
                                    const char *memory_id, struct mn_arena *arena,
                                    struct mn_row *ret_row, struct mneme_error *err);
    /* Records of the filter, kind by kind (memories, events, rules, task states, edges), see
     * mneme_export(). Type, scope and status are asked of memories; what is shared is there only
     * with with_shared, also for all users. Calls `row` per record, no transaction being open. */
    enum mneme_status (*list)(struct mn_store *store, const struct mneme_filter *filter,
                              bool memories_only, mneme_row_fn row, void *context,
                              struct mneme_error *err);
    enum mneme_status (*trace_get)(struct mn_store *store, const char *tenant, const char *trace_id,
                                   struct mn_arena *arena, const char **ret_json,
                                   struct mneme_error *err);

    /*
     * Erases in one durable transaction: `what` as mneme_erase() says, now_ms set. Tombstones (digests
     * of ids) keep what is erased from being written again, also by a writer that has begun; each
     * partition that lost units has one change row MN_CHANGE_ERASE, its id empty: build it anew. With
     * what->preview all is undone. Not settled yet: see below.
     */
    enum mneme_status (*erase)(struct mn_store *store, const struct mneme_erasure *what,
                               struct mn_arena *arena, struct mn_erased *ret_erased,
                               struct mneme_error *err);
    /* MNEME_UNAVAILABLE: another process reads an older state; nothing is lost. */
    enum mneme_status (*erase_settle)(struct mn_store *store, enum mn_settle step,
                                      struct mneme_error *err);
    /* The secret that seals this store's receipts; "" before the first erasure. */
    enum mneme_status (*erase_key)(struct mn_store *store, struct mn_arena *arena,
                                   const char **ret_key, struct mneme_error *err);
    /* Every byte of the files, decrypted where the store is encrypted. */
    enum mneme_status (*bytes)(struct mn_store *store, mn_bytes_fn piece, void *context,
                               struct mneme_error *err);
    /* Every text there is; of one tenant, or of all when NULL. One state, no write between. */
    enum mneme_status (*texts)(struct mn_store *store, const char *tenant, mn_kept_fn text,
                               void *context, struct mneme_error *err);

    /* Compares what is derived with the rows it is derived from, in one state; then, with `repair`,
     * puts right what differs, in one durable transaction that looks at each row again. profile:
     * of the model in force, "" without one; tokens_profile: of its codes of tokens, "" likewise. */
    enum mneme_status (*reconcile)(struct mn_store *store, const char *profile,
                                   const char *tokens_profile, bool repair, int64_t now_ms,
                                   struct mn_arena *arena, struct mn_reconciled *ret_reconciled,
                                   struct mneme_error *err);
    /* only: a tenant and an owner, NULL for all. At most one pass over each table. */
    enum mneme_status (*health)(struct mn_store *store, const struct mn_partition *only,
                                const char *profile, int64_t now_ms, struct mn_arena *arena,
                                struct mn_health_users *ret_users, struct mneme_error *err);
    /* Reads the whole file. */
    enum mneme_status (*check)(struct mn_store *store, struct mn_arena *arena,
                               struct mn_store_check *ret_check, struct mneme_error *err);
    /* Builds the tables' own indexes anew, from the rows. */
    enum mneme_status (*reindex)(struct mn_store *store, struct mneme_error *err);
    /* Vectors of other profiles than these go, with what is kept of their indexes. */
    enum mneme_status (*keep_vectors)(struct mn_store *store, const char *profile,
                                      const char *tokens_profile, int64_t *ret_dropped,
                                      struct mneme_error *err);
    /* Those that have a memory or an event, in order. */
    enum mneme_status (*partitions)(struct mn_store *store, struct mn_arena *arena,
                                    struct mn_partitions *ret_partitions, struct mneme_error *err);

    /* One state of the whole store as a file at path, where none may be; see mneme_backup(). */
    enum mneme_status (*backup)(struct mn_store *store, const char *path, struct mneme_error *err);
    /* See mneme_rotate_key(). The entry in the audit is there exactly if the new key is in force. */
    enum mneme_status (*rekey)(struct mn_store *store, const void *key, size_t key_bytes,
                               const char *actor, int64_t now_ms, struct mneme_error *err);

    /* Files of the archive, by partition and session; NULL: of any. Owner and session are then those
     * that are left, "" of what is doomed. */
    enum mneme_status (*archive_objects)(struct mn_store *store, const struct mn_partition *only,
                                         const char *session_id, struct mn_arena *arena,
                                         struct mn_archive_objects *ret_objects,
                                         struct mneme_error *err);
    /* Those of any partition that are not whole. */
    enum mneme_status (*archive_waiting)(struct mn_store *store, struct mn_arena *arena,
                                         struct mn_archive_objects *ret_objects,
                                         struct mneme_error *err);
    /* Leaves of the turns of one of them those that were not erased. */
    enum mneme_status (*archive_events)(struct mn_store *store, struct mn_partition partition,
                                        const char *object, struct mn_events *events,
                                        struct mneme_error *err);
    /* This store's name in an archive, and the key of its files, 32 and 64 hex digits: both are made
     * when `make` says so and there are none; "" otherwise. */
    enum mneme_status (*archive_secret)(struct mn_store *store, bool make, struct mn_arena *arena,
                                        const char **ret_name, const char **ret_key,
                                        struct mneme_error *err);

    /* Entries of the audit, in their order. */
    enum mneme_status (*audit_list)(struct mn_store *store, const struct mn_audit_filter *filter,
                                    mn_audit_fn entry, void *context, struct mneme_error *err);
    /* Is the chain whole, and is the noted mark (NULL, or seq 0: none) in it? */
    enum mneme_status (*audit_verify)(struct mn_store *store, const struct mn_audit_mark *noted,
                                      struct mn_audit_state *ret_state, struct mneme_error *err);
    void (*free)(struct mn_store *store);
};

/* Embedded first in each engine's own struct. */
struct mn_store {
    const struct mn_store_ops *ops;
};

struct mn_store_options {
    const char *path;
    bool create;
    bool read_only;
    const void *key;
    size_t key_bytes;
};

/* As mneme_open() says. */
enum mneme_status mn_store_sqlite_open(const struct mn_store_options *options,
                                       struct mn_store **ret_store, struct mneme_error *err);
/* Its file was replaced since it was opened: only opening it again helps. */
bool mn_store_sqlite_replaced(struct mn_store *store);
/*
 * Commits one group alone; its own failure is the call's. ret_written: room for commit->count. Who
 * needs to know which write failed, or hands over several groups, asks ops->commit himself.
 */
enum mneme_status mn_store_commit_one(struct mn_store *store, const struct mn_commit *commit,
                                      struct mn_written *ret_written, struct mneme_error *err);
/* Puts into the audit what was done to the store as a whole. */
enum mneme_status mn_store_note(struct mn_store *store, const char *action, const char *actor,
                                int64_t now_ms, struct mneme_error *err);
/* And that so much of it could not be done. */
enum mneme_status mn_store_note_lost(struct mn_store *store, const char *action, const char *actor,
                                     int64_t lost, int64_t now_ms, struct mneme_error *err);
void mn_store_free(struct mn_store *store); /* accepts NULL */
/* As mneme_restore() says; of options path and key are read. */
enum mneme_status mn_store_sqlite_restore(const struct mn_store_options *options,
                                          const char *backup_path, const char *actor,
                                          int64_t now_ms, struct mneme_error *err);

#endif
