/*
 * fake_store.c - each function of the table: fail, or hand on.
 */
#include "fakes/fake_store.h"

#include <pthread.h>
#include <stdlib.h>

struct fake_store {
    struct mn_store base;
    struct mn_store *real;
    pthread_mutex_t mutex;
    size_t calls;
    size_t failing;
    bool failing_on;
    enum mneme_status status;
};

#define REAL(store) (((struct fake_store *)(store))->real)

static enum mneme_status count(struct mn_store *store, struct mneme_error *err)
{
    struct fake_store *fake = (struct fake_store *)store;
    bool fails;

    (void)pthread_mutex_lock(&fake->mutex);
    fake->calls++;
    fails = fake->failing > 0 &&
            (fake->calls == fake->failing || (fake->failing_on && fake->calls > fake->failing));
    (void)pthread_mutex_unlock(&fake->mutex);
    return fails ? mn_fail(err, fake->status, "the store fails as it was told to") : MNEME_OK;
}

#define HAND_ON(name, ...)                                                                         \
    do {                                                                                           \
        MN_TRY(count(store, err));                                                                 \
        return REAL(store)->ops->name(REAL(store), __VA_ARGS__, err);                              \
    } while (0)

static enum mneme_status commit(struct mn_store *store, const struct mn_commit *commits,
                                size_t count_, struct mn_commit_result *results,
                                struct mneme_error *err)
{
    HAND_ON(commit, commits, count_, results);
}

static enum mneme_status prune(struct mn_store *store, const struct mn_retention *keep,
                               size_t rows_max, bool *ret_more, struct mneme_error *err)
{
    HAND_ON(prune, keep, rows_max, ret_more);
}

static void reads_begin(struct mn_store *store)
{
    REAL(store)->ops->reads_begin(REAL(store));
}

static void state_begin(struct mn_store *store)
{
    REAL(store)->ops->state_begin(REAL(store));
}

static void reads_end(struct mn_store *store)
{
    REAL(store)->ops->reads_end(REAL(store));
}

static enum mneme_status position(struct mn_store *store, struct mn_cursor *ret_cursor,
                                  struct mneme_error *err)
{
    HAND_ON(position, ret_cursor);
}

static enum mneme_status changes_after(struct mn_store *store, const struct mn_partition *only,
                                       const struct mn_cursor *cursor, size_t limit,
                                       struct mn_arena *arena, struct mn_changes *ret_changes,
                                       struct mneme_error *err)
{
    HAND_ON(changes_after, only, cursor, limit, arena, ret_changes);
}

static enum mneme_status memories_get(struct mn_store *store, const struct mn_access *access,
                                      const char *const *ids, size_t count_, struct mn_arena *arena,
                                      struct mn_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(memories_get, access, ids, count_, arena, ret_rows);
}

static enum mneme_status memories_structured(struct mn_store *store, const struct mn_access *access,
                                             mn_type_set types, size_t limit,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err)
{
    HAND_ON(memories_structured, access, types, limit, arena, ret_rows);
}

static enum mneme_status memories_by_key(struct mn_store *store, const struct mn_access *access,
                                         const char *const *keys, size_t count_,
                                         const struct mn_had_rows *had, struct mn_arena *arena,
                                         struct mn_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(memories_by_key, access, keys, count_, had, arena, ret_rows);
}

static enum mneme_status memories_successors(struct mn_store *store, const struct mn_access *access,
                                             const char *const *ids, size_t count_,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err)
{
    HAND_ON(memories_successors, access, ids, count_, arena, ret_rows);
}

static enum mneme_status turns_replaced(struct mn_store *store, const struct mn_access *access,
                                        const char *const *turns, size_t count_,
                                        struct mn_arena *arena, struct mneme_list *ret_pairs,
                                        struct mneme_error *err)
{
    HAND_ON(turns_replaced, access, turns, count_, arena, ret_pairs);
}

static enum mneme_status memories_as_of(struct mn_store *store, const struct mn_access *access,
                                        const char *const *ids, size_t count_,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mneme_error *err)
{
    HAND_ON(memories_as_of, access, ids, count_, arena, ret_rows);
}

static enum mneme_status memories_changed(struct mn_store *store, const struct mn_access *access,
                                          size_t limit, struct mn_arena *arena,
                                          struct mn_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(memories_changed, access, limit, arena, ret_rows);
}

static enum mneme_status memories_alike(struct mn_store *store, const struct mneme_memory *like,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mn_alike_mark *ret_mark, struct mneme_error *err)
{
    HAND_ON(memories_alike, like, arena, ret_rows, ret_mark);
}

static enum mneme_status request_get(struct mn_store *store, struct mn_partition partition,
                                     const char *key, int64_t now_ms, struct mn_arena *arena,
                                     struct mn_request_row *ret_row, struct mneme_error *err)
{
    HAND_ON(request_get, partition, key, now_ms, arena, ret_row);
}

static enum mneme_status clarifications(struct mn_store *store, struct mn_partition partition,
                                        struct mn_arena *arena, struct mn_clarifications *ret_open,
                                        struct mneme_error *err)
{
    HAND_ON(clarifications, partition, arena, ret_open);
}

static enum mneme_status extraction_due(struct mn_store *store, int64_t now_ms,
                                        struct mn_arena *arena, struct mn_partition *ret_partition,
                                        const char **ret_session, bool *ret_found,
                                        struct mneme_error *err)
{
    HAND_ON(extraction_due, now_ms, arena, ret_partition, ret_session, ret_found);
}

static enum mneme_status extractions(struct mn_store *store, struct mn_partition partition,
                                     const char *session, size_t limit, struct mn_arena *arena,
                                     struct mn_extractions *ret_rows, struct mneme_error *err)
{
    HAND_ON(extractions, partition, session, limit, arena, ret_rows);
}

static enum mneme_status rules_active(struct mn_store *store, const struct mn_access *access,
                                      struct mn_arena *arena, struct mn_rules *ret_rules,
                                      struct mneme_error *err)
{
    HAND_ON(rules_active, access, arena, ret_rules);
}

static enum mneme_status task_states(struct mn_store *store, const struct mn_access *access,
                                     struct mn_arena *arena, struct mn_task_states *ret_states,
                                     struct mneme_error *err)
{
    HAND_ON(task_states, access, arena, ret_states);
}

static enum mneme_status session_events(struct mn_store *store, struct mn_partition partition,
                                        const char *session_id, struct mn_event_place after,
                                        size_t limit, struct mn_arena *arena,
                                        struct mn_events *ret_events, struct mneme_error *err)
{
    HAND_ON(session_events, partition, session_id, after, limit, arena, ret_events);
}

static enum mneme_status session_get(struct mn_store *store, struct mn_partition partition,
                                     const char *session_id, struct mn_arena *arena,
                                     struct mn_session *ret_session,
                                     struct mn_task_states *ret_states, struct mneme_error *err)
{
    HAND_ON(session_get, partition, session_id, arena, ret_session, ret_states);
}

static enum mneme_status sessions_wanted(struct mn_store *store,
                                         const struct mn_session_wanted *wanted, size_t limit,
                                         struct mn_arena *arena, struct mn_sessions *ret_sessions,
                                         struct mneme_error *err)
{
    HAND_ON(sessions_wanted, wanted, limit, arena, ret_sessions);
}

static enum mneme_status jobs(struct mn_store *store, struct mn_arena *arena,
                              struct mn_job_rows *ret_jobs, struct mneme_error *err)
{
    HAND_ON(jobs, arena, ret_jobs);
}

static enum mneme_status memories_after(struct mn_store *store, const struct mn_unit_place *after,
                                        size_t limit, struct mn_arena *arena,
                                        struct mn_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(memories_after, after, limit, arena, ret_rows);
}

static enum mneme_status memories_ended(struct mn_store *store, int64_t now_ms, size_t limit,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mneme_error *err)
{
    HAND_ON(memories_ended, now_ms, limit, arena, ret_rows);
}

static enum mneme_status edges(struct mn_store *store, struct mn_partition partition, bool past,
                               struct mn_arena *arena, struct mn_edges *ret_edges,
                               struct mneme_error *err)
{
    HAND_ON(edges, partition, past, arena, ret_edges);
}

static enum mneme_status segment_put(struct mn_store *store, const struct mn_segment_row *row,
                                     struct mneme_error *err)
{
    HAND_ON(segment_put, row);
}

static enum mneme_status segment_get(struct mn_store *store, struct mn_partition partition,
                                     const char *profile, struct mn_arena *arena,
                                     struct mn_str *ret_bytes, struct mneme_error *err)
{
    HAND_ON(segment_get, partition, profile, arena, ret_bytes);
}

static enum mneme_status units_scan(struct mn_store *store, struct mn_partition partition,
                                    const char *after_id, size_t limit, const char *profile,
                                    struct mn_arena *arena, struct mn_units *ret_units,
                                    struct mneme_error *err)
{
    HAND_ON(units_scan, partition, after_id, limit, profile, arena, ret_units);
}

static enum mneme_status units_get(struct mn_store *store, struct mn_partition partition,
                                   const char *const *ids, size_t count_, const char *profile,
                                   struct mn_arena *arena, struct mn_units *ret_units,
                                   struct mneme_error *err)
{
    HAND_ON(units_get, partition, ids, count_, profile, arena, ret_units);
}

static enum mneme_status tokens_get(struct mn_store *store, struct mn_partition partition,
                                    const char *const *ids, size_t count_, const char *profile,
                                    const char *tokens_profile, struct mn_arena *arena,
                                    struct mn_str *ret_codes, struct mneme_error *err)
{
    HAND_ON(tokens_get, partition, ids, count_, profile, tokens_profile, arena, ret_codes);
}

static enum mneme_status units_without_vector(struct mn_store *store, const char *profile,
                                              const struct mn_unit_place *after, size_t limit,
                                              struct mn_arena *arena, struct mn_units *ret_units,
                                              struct mneme_error *err)
{
    HAND_ON(units_without_vector, profile, after, limit, arena, ret_units);
}

static enum mneme_status index_position(struct mn_store *store, const char *index,
                                        struct mn_cursor *ret_cursor, struct mneme_error *err)
{
    HAND_ON(index_position, index, ret_cursor);
}

static enum mneme_status index_failed(struct mn_store *store, const char *index,
                                      int64_t failures_max, int64_t now_ms, size_t limit,
                                      struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                      size_t *ret_parked, struct mneme_error *err)
{
    HAND_ON(index_failed, index, failures_max, now_ms, limit, arena, ret_rows, ret_parked);
}

static enum mneme_status history(struct mn_store *store, struct mn_partition partition,
                                 const char *memory_id, struct mn_arena *arena,
                                 struct mn_history_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(history, partition, memory_id, arena, ret_rows);
}

static enum mneme_status memories_line(struct mn_store *store, struct mn_partition partition,
                                       const char *memory_id, struct mn_arena *arena,
                                       struct mn_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(memories_line, partition, memory_id, arena, ret_rows);
}

static enum mneme_status memory_get(struct mn_store *store, struct mn_partition partition,
                                    const char *memory_id, struct mn_arena *arena,
                                    struct mn_row *ret_row, struct mneme_error *err)
{
    HAND_ON(memory_get, partition, memory_id, arena, ret_row);
}

static enum mneme_status list(struct mn_store *store, const struct mneme_filter *filter,
                              bool memories_only, mneme_row_fn row, void *context,
                              struct mneme_error *err)
{
    HAND_ON(list, filter, memories_only, row, context);
}

static enum mneme_status trace_get(struct mn_store *store, const char *tenant, const char *trace_id,
                                   struct mn_arena *arena, const char **ret_json,
                                   struct mneme_error *err)
{
    HAND_ON(trace_get, tenant, trace_id, arena, ret_json);
}

static enum mneme_status erase(struct mn_store *store, const struct mneme_erasure *what,
                               struct mn_arena *arena, struct mn_erased *ret_erased,
                               struct mneme_error *err)
{
    HAND_ON(erase, what, arena, ret_erased);
}

static enum mneme_status erase_settle(struct mn_store *store, enum mn_settle step,
                                      struct mneme_error *err)
{
    HAND_ON(erase_settle, step);
}

static enum mneme_status erase_key(struct mn_store *store, struct mn_arena *arena,
                                   const char **ret_key, struct mneme_error *err)
{
    HAND_ON(erase_key, arena, ret_key);
}

static enum mneme_status bytes(struct mn_store *store, mn_bytes_fn piece, void *context,
                               struct mneme_error *err)
{
    HAND_ON(bytes, piece, context);
}

static enum mneme_status texts(struct mn_store *store, const char *tenant, mn_kept_fn text,
                               void *context, struct mneme_error *err)
{
    HAND_ON(texts, tenant, text, context);
}

static enum mneme_status rekey(struct mn_store *store, const void *key, size_t key_bytes,
                               const char *actor, int64_t now_ms, struct mneme_error *err)
{
    HAND_ON(rekey, key, key_bytes, actor, now_ms);
}

static enum mneme_status index_parked(struct mn_store *store, const char *index,
                                      int64_t failures_max, size_t limit, struct mn_arena *arena,
                                      struct mn_index_rows *ret_rows, struct mneme_error *err)
{
    HAND_ON(index_parked, index, failures_max, limit, arena, ret_rows);
}

static enum mneme_status reconcile(struct mn_store *store, const char *profile,
                                   const char *tokens_profile, bool repair, int64_t now_ms,
                                   struct mn_arena *arena,
                                   struct mn_reconciled *ret_reconciled, struct mneme_error *err)
{
    HAND_ON(reconcile, profile, tokens_profile, repair, now_ms, arena, ret_reconciled);
}

static enum mneme_status health(struct mn_store *store, const struct mn_partition *only,
                                const char *profile, int64_t now_ms, struct mn_arena *arena,
                                struct mn_health_users *ret_users, struct mneme_error *err)
{
    HAND_ON(health, only, profile, now_ms, arena, ret_users);
}

static enum mneme_status check(struct mn_store *store, struct mn_arena *arena,
                               struct mn_store_check *ret_check, struct mneme_error *err)
{
    HAND_ON(check, arena, ret_check);
}

static enum mneme_status reindex(struct mn_store *store, struct mneme_error *err)
{
    MN_TRY(count(store, err));
    return REAL(store)->ops->reindex(REAL(store), err);
}

static enum mneme_status keep_vectors(struct mn_store *store, const char *profile,
                                      const char *tokens_profile, int64_t *ret_dropped,
                                      struct mneme_error *err)
{
    HAND_ON(keep_vectors, profile, tokens_profile, ret_dropped);
}

static enum mneme_status partitions(struct mn_store *store, struct mn_arena *arena,
                                    struct mn_partitions *ret_partitions, struct mneme_error *err)
{
    HAND_ON(partitions, arena, ret_partitions);
}

static enum mneme_status archive_objects(struct mn_store *store, const struct mn_partition *only,
                                         const char *session_id, struct mn_arena *arena,
                                         struct mn_archive_objects *ret_objects,
                                         struct mneme_error *err)
{
    HAND_ON(archive_objects, only, session_id, arena, ret_objects);
}

static enum mneme_status archive_waiting(struct mn_store *store, struct mn_arena *arena,
                                         struct mn_archive_objects *ret_objects,
                                         struct mneme_error *err)
{
    HAND_ON(archive_waiting, arena, ret_objects);
}

static enum mneme_status archive_events(struct mn_store *store, struct mn_partition partition,
                                        const char *object, struct mn_events *events,
                                        struct mneme_error *err)
{
    HAND_ON(archive_events, partition, object, events);
}

static enum mneme_status archive_secret(struct mn_store *store, bool make, struct mn_arena *arena,
                                        const char **ret_name, const char **ret_key,
                                        struct mneme_error *err)
{
    HAND_ON(archive_secret, make, arena, ret_name, ret_key);
}

static enum mneme_status backup(struct mn_store *store, const char *path, struct mneme_error *err)
{
    HAND_ON(backup, path);
}

static enum mneme_status audit_list(struct mn_store *store, const struct mn_audit_filter *filter,
                                    mn_audit_fn entry, void *context, struct mneme_error *err)
{
    HAND_ON(audit_list, filter, entry, context);
}

static enum mneme_status audit_verify(struct mn_store *store, const struct mn_audit_mark *noted,
                                      struct mn_audit_state *ret_state, struct mneme_error *err)
{
    HAND_ON(audit_verify, noted, ret_state);
}

static void free_fake(struct mn_store *store)
{
    struct fake_store *fake = (struct fake_store *)store;

    mn_store_free(fake->real);
    (void)pthread_mutex_destroy(&fake->mutex);
    free(fake);
}

static const struct mn_store_ops fake_ops = {
    .commit = commit,
    .prune = prune,
    .reads_begin = reads_begin,
    .state_begin = state_begin,
    .reads_end = reads_end,
    .position = position,
    .changes_after = changes_after,
    .memories_get = memories_get,
    .memories_structured = memories_structured,
    .memories_by_key = memories_by_key,
    .memories_successors = memories_successors,
    .turns_replaced = turns_replaced,
    .memories_as_of = memories_as_of,
    .memories_changed = memories_changed,
    .memories_alike = memories_alike,
    .request_get = request_get,
    .clarifications = clarifications,
    .extraction_due = extraction_due,
    .extractions = extractions,
    .rules_active = rules_active,
    .task_states = task_states,
    .session_events = session_events,
    .session_get = session_get,
    .sessions_wanted = sessions_wanted,
    .jobs = jobs,
    .memories_after = memories_after,
    .memories_ended = memories_ended,
    .edges = edges,
    .units_scan = units_scan,
    .segment_put = segment_put,
    .segment_get = segment_get,
    .units_get = units_get,
    .tokens_get = tokens_get,
    .units_without_vector = units_without_vector,
    .index_position = index_position,
    .index_failed = index_failed,
    .index_parked = index_parked,
    .history = history,
    .memories_line = memories_line,
    .memory_get = memory_get,
    .list = list,
    .trace_get = trace_get,
    .erase = erase,
    .erase_settle = erase_settle,
    .erase_key = erase_key,
    .bytes = bytes,
    .texts = texts,
    .reconcile = reconcile,
    .health = health,
    .check = check,
    .reindex = reindex,
    .keep_vectors = keep_vectors,
    .partitions = partitions,
    .backup = backup,
    .rekey = rekey,
    .archive_objects = archive_objects,
    .archive_waiting = archive_waiting,
    .archive_events = archive_events,
    .archive_secret = archive_secret,
    .audit_list = audit_list,
    .audit_verify = audit_verify,
    .free = free_fake,
};

struct mn_store *fake_store_new(struct mn_store *real)
{
    struct fake_store *fake = calloc(1, sizeof *fake);

    if (!fake)
        return NULL;
    fake->base.ops = &fake_ops;
    fake->real = real;
    (void)pthread_mutex_init(&fake->mutex, NULL);
    return &fake->base;
}

static void tell(struct mn_store *store, size_t call, bool on, enum mneme_status status)
{
    struct fake_store *fake = (struct fake_store *)store;

    (void)pthread_mutex_lock(&fake->mutex);
    fake->calls = 0;
    fake->failing = call;
    fake->failing_on = on;
    fake->status = status;
    (void)pthread_mutex_unlock(&fake->mutex);
}

void fake_store_fail(struct mn_store *store, size_t call, enum mneme_status status)
{
    tell(store, call, false, status);
}

void fake_store_fail_from(struct mn_store *store, size_t call, enum mneme_status status)
{
    tell(store, call, true, status);
}

size_t fake_store_calls(const struct mn_store *store)
{
    return ((const struct fake_store *)store)->calls;
}
