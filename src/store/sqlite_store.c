/*
 * sqlite_store.c - the SQLite engine: one file, one writer, a few readers.
 *
 * Readers are opened when first needed and kept: with a key each costs the derivation of the
 * cipher's key (some 30 ms). A thread that finds all of them lent waits for one to come back; calls
 * are short.
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

/* ---- readers ---- */

/* With read_mutex held. NULL and *ret_may_open: the caller opens one, outside of the mutex. */
static struct mn_sqlite *take_idle(struct mn_sqlite_store *store, bool *ret_may_open)
{
    *ret_may_open = false;
    while (store->readers_idle == 0) {
        if (store->readers_open < MN_SQLITE_READERS_MAX) {
            store->readers_open++;
            *ret_may_open = true;
            return NULL;
        }
        (void)pthread_cond_wait(&store->reader_back, &store->read_mutex);
    }
    return store->reader[--store->readers_idle];
}

static enum mneme_status borrow(struct mn_sqlite_store *store, struct mn_sqlite **ret_db,
                                struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    bool may_open;

    (void)pthread_mutex_lock(&store->read_mutex);
    *ret_db = take_idle(store, &may_open);
    (void)pthread_mutex_unlock(&store->read_mutex);
    if (may_open)
        status = mn_sqlite_connect(store->path, store->read_mode, store->key, store->key_bytes,
                                   ret_db, err);
    if (status != MNEME_OK) {
        (void)pthread_mutex_lock(&store->read_mutex);
        store->readers_open--;
        (void)pthread_cond_signal(&store->reader_back);
        (void)pthread_mutex_unlock(&store->read_mutex);
    }
    return status;
}

static void give_back(struct mn_sqlite_store *store, struct mn_sqlite *db)
{
    (void)pthread_mutex_lock(&store->read_mutex);
    store->reader[store->readers_idle++] = db;
    (void)pthread_cond_signal(&store->reader_back);
    (void)pthread_mutex_unlock(&store->read_mutex);
}

enum mneme_status mn_reading_begin(struct mn_store *store, struct mn_reading *reading,
                                   struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    struct mn_sqlite *db = NULL;
    enum mneme_status status;

    MN_TRY(borrow(self, &db, err));
    status = mn_sqlite_run(db, SQL_SQLITE_BEGIN_READ, err);
    if (status != MNEME_OK) {
        give_back(self, db);
        return status;
    }
    reading->store = self;
    reading->db = db;
    return MNEME_OK;
}

void mn_reading_end(struct mn_reading *reading)
{
    if (!reading->db)
        return;
    if (mn_sqlite_run(reading->db, SQL_SQLITE_COMMIT, NULL) != MNEME_OK)
        (void)mn_sqlite_run(reading->db, SQL_SQLITE_ROLLBACK, NULL);
    give_back(reading->store, reading->db);
    reading->db = NULL;
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
    mn_row_cache_free(self->rows);
    mn_commit_queue_release(&self->queue);
    (void)pthread_mutex_destroy(&self->write_mutex);
    (void)pthread_mutex_destroy(&self->read_mutex);
    (void)pthread_cond_destroy(&self->reader_back);
    if (self->key)
        explicit_bzero(self->key, self->key_bytes);
    free(self->key);
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
    .position = mn_sqlite_position,
    .changes_after = mn_sqlite_changes_after,
    .memories_get = mn_sqlite_memories_get,
    .memories_structured = mn_sqlite_memories_structured,
    .memories_by_key = mn_sqlite_memories_by_key,
    .memories_successors = mn_sqlite_memories_successors,
    .memories_as_of = mn_sqlite_memories_as_of,
    .memories_changed = mn_sqlite_memories_changed,
    .memories_alike = mn_sqlite_memories_alike,
    .request_get = mn_sqlite_request_get,
    .clarifications = mn_sqlite_clarifications,
    .rules_active = mn_sqlite_rules_active,
    .task_states = mn_sqlite_task_states,
    .session_events = mn_sqlite_session_events,
    .edges = mn_sqlite_edges,
    .units_scan = mn_sqlite_units_scan,
    .units_get = mn_sqlite_units_get,
    .units_without_vector = mn_sqlite_units_without_vector,
    .index_position = mn_sqlite_index_position,
    .index_failed = mn_sqlite_index_failed,
    .history = mn_sqlite_history,
    .memory_get = mn_sqlite_memory_get,
    .list = mn_sqlite_list,
    .trace_get = mn_sqlite_trace_get,
    .erase = mn_sqlite_erase,
    .erase_settle = mn_sqlite_erase_settle,
    .erase_key = mn_sqlite_erase_key,
    .bytes = mn_sqlite_bytes,
    .texts = mn_sqlite_texts,
    .backup = mn_sqlite_backup,
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

static enum mneme_status keep_key(struct mn_sqlite_store *self,
                                  const struct mn_store_options *options, struct mneme_error *err)
{
    if (!options->key || options->key_bytes == 0)
        return MNEME_OK;
    if (options->key_bytes > MNEME_NAME_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "key: %zu bytes, at most %d", options->key_bytes,
                       MNEME_NAME_BYTES_MAX);
    self->key = malloc(options->key_bytes);
    if (!self->key)
        return mn_fail_memory(err);
    memcpy(self->key, options->key, options->key_bytes);
    self->key_bytes = options->key_bytes;
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
    MN_TRY(keep_key(self, options, err));
    known.key = self->key;
    known.key_bytes = self->key_bytes;
    MN_TRY(resolve(options->path, &self->path, err));
    MN_TRY(mn_sqlite_open(&known, self->path, &self->lock, &db, &self->read_mode, err));
    if (options->read_only) {
        self->reader[self->readers_idle++] = db;
        self->readers_open = 1;
    } else {
        self->writer = db;
    }
    if (self->read_mode != MN_SQLITE_IMMUTABLE)
        MN_TRY(mn_file_guard_open(self->path, &self->guard, err));
    MN_TRY(mn_sqlite_meta(db, "store_id", self->id, sizeof self->id, err));
    *ret_store = &self->base;
    self = NULL;
    return MNEME_OK;
}
