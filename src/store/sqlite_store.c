/*
 * sqlite_store.c - the SQLite engine: one file, one writer, a few readers.
 *
 * Readers are opened when first needed and kept: with a key each costs the derivation of the
 * cipher's key (some 30 ms). A thread that finds all of them lent waits for one to come back; calls
 * are short.
 *
 * With each commit a reader forgets the pages it has read; the writer, whose commits they were, does
 * not. Who reads several times before it writes borrows the writer's connection, if nobody wants it;
 * who reads several times and does not write keeps one reader for all of it.
 */
#include "store/sqlite_store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sql/sqlite.gen.h"

#define CLOSE_WAIT_MS 1000

/* ---- the key ---- */

enum mneme_status mn_key_set(struct mn_key *key, const void *bytes, size_t count,
                             struct mneme_error *err)
{
    void *copy;

    if (count > MNEME_NAME_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "key: %zu bytes, at most %d", count, MNEME_NAME_BYTES_MAX);
    copy = count ? malloc(count) : NULL;
    if (count && !copy)
        return mn_fail_memory(err);
    if (count)
        memcpy(copy, bytes, count);
    mn_key_release(key);
    *key = (struct mn_key){ copy, count };
    return MNEME_OK;
}

void mn_key_release(struct mn_key *key)
{
    if (key->at)
        explicit_bzero(key->at, key->bytes);
    free(key->at);
    *key = (struct mn_key){ 0 };
}

enum mneme_status mn_store_key_copy(struct mn_sqlite_store *store, struct mn_key *ret_key,
                                    struct mneme_error *err)
{
    enum mneme_status status;

    (void)pthread_mutex_lock(&store->read_mutex);
    status = mn_key_set(ret_key, store->key.at, store->key.bytes, err);
    (void)pthread_mutex_unlock(&store->read_mutex);
    return status;
}

/* ---- the file ---- */

/* What is read or written otherwise would be another store's, or nobody's. */
static enum mneme_status check_place(const struct mn_file_guard *guard, const char *path,
                                     struct mneme_error *err)
{
    if (mn_file_guard_holds(guard, path))
        return MNEME_OK;
    return mn_fail(err, MNEME_FORBIDDEN,
                   "key: the file %s was replaced since this handle opened it, as a change of the "
                   "key does; open it again",
                   path);
}

bool mn_store_sqlite_replaced(struct mn_store *store)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    bool replaced;

    (void)pthread_mutex_lock(&self->read_mutex);
    replaced = !mn_file_guard_holds(&self->guard, self->path);
    (void)pthread_mutex_unlock(&self->read_mutex);
    return replaced;
}

/* ---- readers ---- */

/* With read_mutex held. NULL and *ret_may_open: the caller opens one, outside of the mutex. */
static struct mn_sqlite *take_idle(struct mn_sqlite_store *store, bool *ret_may_open)
{
    *ret_may_open = false;
    while (store->readers_idle == 0) {
        if (store->readers_open < MN_SQLITE_READERS_MAX) {
            store->readers_open++;
            store->readers_opening++;
            *ret_may_open = true;
            return NULL;
        }
        (void)pthread_cond_wait(&store->reader_back, &store->read_mutex);
    }
    return store->reader[--store->readers_idle];
}

static enum mneme_status borrow(struct mn_sqlite_store *store, struct mn_reading *reading,
                                struct mn_file_guard *ret_guard, struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    bool may_open;

    (void)pthread_mutex_lock(&store->read_mutex);
    reading->db = take_idle(store, &may_open);
    reading->generation = store->generation;
    *ret_guard = store->guard;
    (void)pthread_mutex_unlock(&store->read_mutex);
    if (!may_open)
        return MNEME_OK;
    status = check_place(ret_guard, store->path, err); /* else the key is not that file's */
    if (status == MNEME_OK)
        status = mn_sqlite_connect(store->path, store->read_mode, store->key.at, store->key.bytes,
                                   &reading->db, err);
    (void)pthread_mutex_lock(&store->read_mutex);
    store->readers_opening--;
    if (status != MNEME_OK)
        store->readers_open--;
    (void)pthread_cond_broadcast(&store->reader_back);
    (void)pthread_mutex_unlock(&store->read_mutex);
    return status;
}

/* One of a file that is not the store's any more is closed, and one behind a failed read. */
static void give_back(struct mn_sqlite_store *store, struct mn_sqlite *db, int generation)
{
    (void)pthread_mutex_lock(&store->read_mutex);
    if (generation == store->generation && !mn_sqlite_is_spoiled(db)) {
        store->reader[store->readers_idle++] = db;
        db = NULL;
    } else {
        store->readers_open--;
    }
    (void)pthread_cond_signal(&store->reader_back);
    (void)pthread_mutex_unlock(&store->read_mutex);
    mn_sqlite_free(db);
}

/* What this thread reads meanwhile it reads there: a reader, or the writer with its mutex in hand. */
static _Thread_local struct mn_reading held;
static _Thread_local struct mn_row_state held_state;
static _Thread_local bool held_state_known;

static void hold(const struct mn_reading *reading)
{
    held = *reading;
    held.within = true;
    held_state_known = false;
}

enum mneme_status mn_reading_begin(struct mn_store *store, struct mn_reading *reading,
                                   struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    struct mn_reading begun = { .store = self };
    struct mn_file_guard guard;
    enum mneme_status status;

    if (held.store == self) {
        *reading = held;
        return MNEME_OK;
    }
    MN_TRY(borrow(self, &begun, &guard, err));
    status = check_place(&guard, self->path, err);
    if (status == MNEME_OK)
        status = mn_sqlite_run(begun.db, SQL_SQLITE_BEGIN_READ, err);
    if (status != MNEME_OK) {
        give_back(self, begun.db, begun.generation);
        return status;
    }
    *reading = begun;
    return MNEME_OK;
}

void mn_reading_end(struct mn_reading *reading)
{
    if (!reading->db)
        return;
    if (!reading->within) {
        (void)mn_sqlite_end(reading->db, MNEME_OK, NULL);
        give_back(reading->store, reading->db, reading->generation);
    }
    reading->db = NULL;
}

enum mneme_status mn_reading_state(const struct mn_reading *reading, struct mn_row_state *ret_state,
                                   struct mneme_error *err)
{
    if (!reading->within)
        return mn_now_state(reading->db, ret_state, err);
    if (!held_state_known &&
        !(held.is_writer && mn_known_state(&held.store->known, held.db, &held_state)))
        MN_TRY(mn_now_state(reading->db, &held_state, err));
    held_state_known = true;
    *ret_state = held_state;
    return MNEME_OK;
}

/* Nobody is waited for: who writes or is about to goes first. */
void mn_sqlite_reads_begin(struct mn_store *store)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;

    if (self->read_only || held.store || !mn_commit_queue_is_empty(&self->queue) ||
        pthread_mutex_trylock(&self->write_mutex) != 0)
        return;
    if (!mn_sqlite_is_spoiled(self->writer) && mn_file_guard_holds(&self->guard, self->path) &&
        mn_sqlite_run(self->writer, SQL_SQLITE_BEGIN_READ, NULL) == MNEME_OK)
        hold(&(struct mn_reading){ .store = self, .db = self->writer, .is_writer = true });
    else
        (void)pthread_mutex_unlock(&self->write_mutex);
}

/* Where none can be had, each read will say why. */
void mn_sqlite_state_begin(struct mn_store *store)
{
    struct mn_reading reading = { 0 };

    if (!held.store && mn_reading_begin(store, &reading, NULL) == MNEME_OK)
        hold(&reading);
}

void mn_sqlite_reads_end(struct mn_store *store)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;

    if (held.store != self)
        return;
    (void)mn_sqlite_end(held.db, MNEME_OK, NULL);
    if (held.is_writer)
        (void)pthread_mutex_unlock(&self->write_mutex);
    else
        give_back(self, held.db, held.generation);
    held = (struct mn_reading){ 0 };
}

/* ---- the writer ---- */

/* Behind a failed read the writer's connection is another one. */
static enum mneme_status settle_writer(struct mn_sqlite_store *store, struct mneme_error *err)
{
    struct mn_sqlite *writer = NULL;

    if (!mn_sqlite_is_spoiled(store->writer))
        return MNEME_OK;
    MN_TRY(mn_sqlite_connect(store->path, MN_SQLITE_WRITE, store->key.at, store->key.bytes, &writer,
                             err));
    mn_sqlite_free(store->writer);
    store->writer = writer;
    mn_known_forget(&store->known);
    return MNEME_OK;
}

enum mneme_status mn_turn_begin(struct mn_sqlite_store *store, struct mneme_error *err)
{
    enum mneme_status status;

    if (store->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "the store was opened read only");
    (void)pthread_mutex_lock(&store->write_mutex);
    status = mn_lock_file_take(&store->lock, MN_SQLITE_WAIT_MS, err);
    if (status == MNEME_OK) {
        status = check_place(&store->guard, store->path, err);
        if (status == MNEME_OK)
            status = settle_writer(store, err);
        if (status != MNEME_OK)
            mn_lock_file_give(&store->lock);
    }
    if (status != MNEME_OK)
        (void)pthread_mutex_unlock(&store->write_mutex);
    return status;
}

void mn_turn_end(struct mn_sqlite_store *store)
{
    mn_lock_file_give(&store->lock);
    (void)pthread_mutex_unlock(&store->write_mutex);
}

/* ---- the handle ---- */

/* Closing the last connection of all merges the log into the file. Whoever has to wait for the turn
 * is not the last one, and leaves the log to who writes. */
static void close_writer(struct mn_sqlite_store *self)
{
    if (!self->writer)
        return;
    if (mn_lock_file_take(&self->lock, CLOSE_WAIT_MS, NULL) == MNEME_OK) {
        mn_sqlite_merge_at_close(self->writer);
        mn_file_guard_yield(&self->guard);
    }
    mn_sqlite_free(self->writer);
}

static void free_store(struct mn_store *store)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;

    if (!self)
        return;
    for (int i = 0; i < self->readers_idle; i++)
        mn_sqlite_free(self->reader[i]);
    close_writer(self);
    mn_file_guard_close(&self->guard);
    mn_lock_file_close(&self->lock);
    mn_known_forget(&self->known);
    mn_row_cache_free(self->rows);
    mn_commit_queue_release(&self->queue);
    (void)pthread_mutex_destroy(&self->write_mutex);
    (void)pthread_mutex_destroy(&self->read_mutex);
    (void)pthread_cond_destroy(&self->reader_back);
    mn_key_release(&self->key);
    free(self->path);
    free(self);
}

static void free_store_at(struct mn_sqlite_store **store)
{
    free_store(*store ? &(*store)->base : NULL);
}

static const struct mn_store_ops sqlite_ops = {
    .commit = mn_sqlite_commit,
    .prune = mn_sqlite_prune,
    .reads_begin = mn_sqlite_reads_begin,
    .state_begin = mn_sqlite_state_begin,
    .reads_end = mn_sqlite_reads_end,
    .position = mn_sqlite_position,
    .changes_after = mn_sqlite_changes_after,
    .memories_get = mn_sqlite_memories_get,
    .memories_structured = mn_sqlite_memories_structured,
    .memories_by_key = mn_sqlite_memories_by_key,
    .memories_successors = mn_sqlite_memories_successors,
    .turns_replaced = mn_sqlite_turns_replaced,
    .memories_as_of = mn_sqlite_memories_as_of,
    .memories_changed = mn_sqlite_memories_changed,
    .memories_alike = mn_sqlite_memories_alike,
    .request_get = mn_sqlite_request_get,
    .clarifications = mn_sqlite_clarifications,
    .extraction_due = mn_sqlite_extraction_due,
    .extractions = mn_sqlite_extractions,
    .rules_active = mn_sqlite_rules_active,
    .task_states = mn_sqlite_task_states,
    .session_events = mn_sqlite_session_events,
    .session_get = mn_sqlite_session_get,
    .sessions_wanted = mn_sqlite_sessions_wanted,
    .jobs = mn_sqlite_jobs,
    .memories_after = mn_sqlite_memories_after,
    .memories_ended = mn_sqlite_memories_ended,
    .edges = mn_sqlite_edges,
    .units_scan = mn_sqlite_units_scan,
    .units_get = mn_sqlite_units_get,
    .tokens_get = mn_sqlite_tokens_get,
    .units_without_vector = mn_sqlite_units_without_vector,
    .index_position = mn_sqlite_index_position,
    .index_failed = mn_sqlite_index_failed,
    .index_parked = mn_sqlite_index_parked,
    .segment_put = mn_sqlite_segment_put,
    .segment_get = mn_sqlite_segment_get,
    .history = mn_sqlite_history,
    .memories_line = mn_sqlite_memories_line,
    .memory_get = mn_sqlite_memory_get,
    .list = mn_sqlite_list,
    .trace_get = mn_sqlite_trace_get,
    .erase = mn_sqlite_erase,
    .erase_settle = mn_sqlite_erase_settle,
    .erase_key = mn_sqlite_erase_key,
    .bytes = mn_sqlite_bytes,
    .texts = mn_sqlite_texts,
    .reconcile = mn_sqlite_reconcile,
    .health = mn_sqlite_health,
    .check = mn_sqlite_check,
    .reindex = mn_sqlite_reindex,
    .keep_vectors = mn_sqlite_keep_vectors,
    .partitions = mn_sqlite_partitions,
    .backup = mn_sqlite_backup,
    .rekey = mn_sqlite_rekey,
    .archive_objects = mn_sqlite_archive_objects,
    .archive_waiting = mn_sqlite_archive_waiting,
    .archive_events = mn_sqlite_archive_events,
    .archive_secret = mn_sqlite_archive_secret,
    .audit_list = mn_sqlite_audit_list,
    .audit_verify = mn_sqlite_audit_verify,
    .free = free_store,
};

/* The absolute path, links resolved; of a file that is not there yet, that of its folder. */
static enum mneme_status resolve(const char *path, char **ret_path, struct mneme_error *err)
{
    MN_BUF_AUTO whole = { 0 };
    const char *name = strrchr(path, '/');
    char *folder;
    char *real = realpath(path, NULL);
    int why = errno;

    if (real) {
        *ret_path = real;
        return MNEME_OK;
    }
    name = name ? name + 1 : path;
    mn_buf_put(&whole, path, (size_t)(name - path));
    mn_buf_text(&whole, ".");
    if (whole.failed)
        return mn_fail_memory(err);
    if (why != ENOENT || *name == '\0' || strlen(name) > NAME_MAX)
        return mn_fail(err, why == EACCES ? MNEME_FORBIDDEN : MNEME_NOT_FOUND,
                       "there is no store at %s (%s)", path, strerror(why));
    folder = realpath(whole.at, NULL);
    if (!folder)
        return mn_fail(err, errno == EACCES ? MNEME_FORBIDDEN : MNEME_NOT_FOUND,
                       "there is no folder for a store at %s (%s)", path, strerror(errno));
    mn_buf_reset(&whole);
    mn_buf_printf(&whole, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    free(folder);
    if (whole.failed)
        return mn_fail_memory(err);
    *ret_path = whole.at;
    whole = (struct mn_buf){ 0 };
    return MNEME_OK;
}

/* Between the opening of the one and of the other the file may be replaced. */
static enum mneme_status guard_file(struct mn_sqlite_store *self, struct mn_sqlite *db,
                                    struct mneme_error *err)
{
    int moved = 0;

    MN_TRY(mn_file_guard_open(self->path, &self->guard, err));
    (void)sqlite3_file_control(mn_sqlite_handle(db), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved || !mn_file_guard_holds(&self->guard, self->path))
        return mn_fail(err, MNEME_UNAVAILABLE, "the store at %s is being replaced; try again",
                       self->path);
    return MNEME_OK;
}

enum mneme_status mn_store_sqlite_open(const struct mn_store_options *options,
                                       struct mn_store **ret_store, struct mneme_error *err)
{
    MN_CLEANUP(free_store_at) struct mn_sqlite_store *self = calloc(1, sizeof *self);
    struct mn_store_options known = *options;
    struct mn_sqlite *db = NULL;

    if (!self)
        return mn_fail_memory(err);
    self->base.ops = &sqlite_ops;
    self->lock.fd = -1;
    self->guard.fd = -1;
    mn_file_locks_begin();
    mn_commit_queue_init(&self->queue, MN_SQLITE_WAITING_MAX);
    (void)pthread_mutex_init(&self->write_mutex, NULL); /* default attributes: cannot fail */
    (void)pthread_mutex_init(&self->read_mutex, NULL);
    (void)pthread_cond_init(&self->reader_back, NULL);

    self->rows = mn_row_cache_new(MN_SQLITE_ROW_BYTES_MAX);
    if (!self->rows)
        return mn_fail_memory(err);
    if (mn_empty(options->path))
        return mn_fail(err, MNEME_INVALID, "store_path: must be set");
    if (options->key)
        MN_TRY(mn_key_set(&self->key, options->key, options->key_bytes, err));
    self->read_only = options->read_only;
    known.key = self->key.at;
    known.key_bytes = self->key.bytes;
    MN_TRY(resolve(options->path, &self->path, err));
    MN_TRY(mn_sqlite_open(&known, self->path, &self->lock, &db, &self->read_mode, err));
    if (options->read_only) {
        self->reader[self->readers_idle++] = db;
        self->readers_open = 1;
    } else {
        self->writer = db;
    }
    if (self->read_mode != MN_SQLITE_IMMUTABLE)
        MN_TRY(guard_file(self, db, err));
    MN_TRY(mn_sqlite_meta(db, "store_id", self->id, sizeof self->id, err));
    *ret_store = &self->base;
    self = NULL;
    return MNEME_OK;
}
