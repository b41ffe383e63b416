/*
 * sqlite_rekey.c - the store under another key.
 *
 * A file cannot be encrypted anew in its place while others read it, and half of it under one key is
 * lost. So with the turn in hand, when nobody can write, the log is merged, the file is copied under
 * the new key, the copy is checked, told of in its audit and synced, and then takes the file's name:
 * one step, before which the store opens with the old key and after which with the new one. Readers
 * go on in the old file until their call ends. Handles of other processes, which do not know the new
 * key, find the file replaced and say so.
 *
 * The log and its index have names of their own and would be taken for the new file's: they go just
 * before, when nothing is in them that the old file lacks.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "store/part_file.h"
#include "store/sqlite_store.h"

/* Under the new key, with its entry in the audit; a store that is closed. */
static enum mneme_status make_copy(struct mn_sqlite_store *self, const struct mn_key *key,
                                   const char *actor, int64_t now_ms, struct mn_part_file *part,
                                   struct mneme_error *err)
{
    const struct mn_store_options made = { .path = part->path.at,
                                           .key = key->at,
                                           .key_bytes = key->bytes };
    struct mn_store *store = NULL;
    enum mneme_status status;

    MN_TRY(mn_sqlite_copy(self->writer, part->path.at, self->key.at, self->key.bytes, key->at,
                          key->bytes, err));
    MN_TRY(mn_store_sqlite_open(&made, &store, err));
    status = mn_store_note(store, "rotate-key", actor, now_ms, err);
    mn_store_free(store);
    MN_TRY(status);
    return mn_part_file_sync(part, err);
}

static void remove_log(const char *path)
{
    static const char *const ends[] = { "-wal", "-shm" };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        MN_BUF_AUTO name = { 0 };

        mn_buf_printf(&name, "%s%s", path, ends[i]);
        if (!name.failed)
            (void)unlink(name.at);
    }
}

/* With read_mutex held: nobody opens a reader, and those that are lent go on in the old file. */
static enum mneme_status change_over(struct mn_sqlite_store *self, struct mn_key *key,
                                     struct mneme_error *err)
{
    struct mn_file_guard guard = { .fd = -1 };
    MN_SQLITE_AUTO writer = NULL;

    MN_TRY(mn_sqlite_connect(self->path, MN_SQLITE_WRITE, key->at, key->bytes, &writer, err));
    MN_TRY(mn_file_guard_open(self->path, &guard, err));
    while (self->readers_idle > 0) {
        mn_sqlite_free(self->reader[--self->readers_idle]);
        self->readers_open--;
    }
    mn_sqlite_free(self->writer);
    self->writer = writer;
    mn_known_forget(&self->known);
    writer = NULL;
    mn_file_guard_close(&self->guard);
    self->guard = guard;
    mn_key_release(&self->key);
    self->key = *key;
    *key = (struct mn_key){ 0 };
    self->generation++;
    return MNEME_OK;
}

static enum mneme_status replace(struct mn_sqlite_store *self, struct mn_key *key,
                                 struct mn_part_file *part, struct mneme_error *err)
{
    struct mneme_error why;
    enum mneme_status status;

    mn_error_clear(&why);
    (void)pthread_mutex_lock(&self->read_mutex);
    while (self->readers_opening > 0)
        (void)pthread_cond_wait(&self->reader_back, &self->read_mutex);
    remove_log(self->path);
    status = mn_part_file_replace(part, self->path, &why);
    if (!part->replaced) {
        if (err)
            *err = why;
    } else if (change_over(self, key, NULL) != MNEME_OK) {
        status = mn_fail(err, MNEME_UNAVAILABLE,
                         "key: it was changed, but the store cannot be opened under it just now; "
                         "open it again");
    } else if (status != MNEME_OK) { /* its folder was not synced */
        status = mn_fail(err, status,
                         "key: it was changed, but a power cut may bring the former file back: %.200s",
                         why.message);
    }
    (void)pthread_cond_broadcast(&self->reader_back);
    (void)pthread_mutex_unlock(&self->read_mutex);
    return status;
}

static bool is_own_key(const struct mn_sqlite_store *self, const struct mn_key *key)
{
    return self->key.bytes == key->bytes && memcmp(self->key.at, key->at, key->bytes) == 0;
}

enum mneme_status mn_sqlite_rekey(struct mn_store *store, const void *key, size_t key_bytes,
                                  const char *actor, int64_t now_ms, struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    MN_PART_FILE_AUTO part = { 0 };
    MN_KEY_AUTO wanted = { 0 };
    enum mneme_status status;

    MN_TRY(mn_key_set(&wanted, key, key_bytes, err));
    MN_TRY(mn_turn_begin(self, err));
    if (is_own_key(self, &wanted)) {
        mn_turn_end(self);
        return mn_fail(err, MNEME_INVALID, "new_key: is the key that the store has; nothing was changed");
    }
    status = mn_sqlite_merge_log(self->writer, err);
    if (status == MNEME_OK)
        status = mn_part_file_begin(self->path, &part, err);
    if (status == MNEME_OK)
        status = make_copy(self, &wanted, actor, now_ms, &part, err);
    if (status == MNEME_OK)
        status = replace(self, &wanted, &part, err);
    mn_turn_end(self);
    return status;
}
