/*
 * tenants.c - handing a call to the file of its tenant, with few of them open.
 *
 * A slot holds an open handle and how many calls are in it. A handle whose file another process has
 * replaced, as a new key does, is opened again before the next call. Handles are opened and closed
 * under the mutex: that takes milliseconds, their keys need no stretching.
 *
 * A file gets a new key in three steps: the new one is kept beside the old one, the file is changed
 * over, the old one is destroyed. Whoever finds two keys tries both and finishes it.
 */
#include "engine/tenants.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "engine/handle.h"
#include "engine/tenant_files.h"
#include "store/store.h"

#define STEMS_BYTES_MAX ((size_t)256 << 20)

struct slot {
    char stem[MN_TENANT_STEM_BYTES];
    struct mneme *handle; /* NULL: free */
    int lent;
    uint64_t used;
};

struct mn_tenants {
    char *folder;
    bool has_keys;
    struct mneme_options options; /* of a tenant's handle, but for path and key */
    struct mneme *front;
    struct mn_store *root;

    struct mneme *nobody; /* on the root, which has no row, for tenants that have no file */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t back;
    struct slot slot[MN_TENANTS_OPEN_MAX];
    uint64_t uses;
};

struct mn_store *mn_tenants_root(struct mneme *front)
{
    return front->tenants->root;
}

bool mn_tenants_have_keys(struct mneme *front)
{
    return front->tenants->has_keys;
}

/* ---- one tenant's handle ---- */

static enum mneme_status open_with(struct mn_tenants *self, const char *stem, bool make,
                                   const char *key, struct mneme **ret_handle,
                                   struct mneme_error *err)
{
    struct mneme_options options = self->options;
    MN_BUF_AUTO path = { 0 };

    MN_TRY(mn_tenant_path(self->folder, stem, &path, err));
    options.store_path = path.at;
    options.create = make;
    options.key = key[0] ? key : NULL;
    options.key_bytes = strlen(key);
    return mn_handle_open(&options, self->front, NULL, ret_handle, err);
}

/* The old key is destroyed. */
static enum mneme_status finish_new_key(struct mn_tenants *self, const char *stem,
                                        const char *key, struct mneme_error *err)
{
    char name[MN_SECRET_BYTES], next[MN_SECRET_BYTES];

    mn_tenant_key_name(stem, false, name);
    mn_tenant_key_name(stem, true, next);
    MN_TRY(mn_secret_put(self->root, name, key, err));
    return mn_secret_put(self->root, next, NULL, err);
}

static enum mneme_status key_of(struct mn_tenants *self, const char *stem, bool make,
                                char key[MN_SECRET_BYTES], struct mneme_error *err)
{
    char name[MN_SECRET_BYTES];

    mn_tenant_key_name(stem, false, name);
    MN_TRY(mn_secret_get(self->root, name, key, err));
    if (key[0])
        return MNEME_OK;
    if (!make)
        return mn_fail(err, MNEME_FORBIDDEN, "key: that of %s is not in %s/%s", stem, self->folder,
                       MN_TENANT_ROOT);
    MN_TRY(mn_tenant_key_make(key, err));
    return mn_secret_settle(self->root, name, key, err);
}

static enum mneme_status open_keyed(struct mn_tenants *self, const char *stem, bool make,
                                    char key[MN_SECRET_BYTES], struct mneme **ret_handle,
                                    struct mneme_error *err)
{
    char name[MN_SECRET_BYTES];
    enum mneme_status status;

    MN_TRY(key_of(self, stem, make, key, err));
    status = open_with(self, stem, make, key, ret_handle, err);
    if (status != MNEME_FORBIDDEN || self->options.read_only)
        return status;
    mn_tenant_key_name(stem, true, name);
    MN_TRY(mn_secret_get(self->root, name, key, err));
    if (!key[0])
        return status;
    MN_TRY(open_with(self, stem, false, key, ret_handle, err));
    status = finish_new_key(self, stem, key, err);
    if (status != MNEME_OK) {
        mneme_close(*ret_handle);
        *ret_handle = NULL;
    }
    return status;
}

static enum mneme_status open_handle(struct mn_tenants *self, const char *stem, bool make,
                                     struct mneme **ret_handle, struct mneme_error *err)
{
    char key[MN_SECRET_BYTES] = "";
    struct mneme *handle = NULL;
    enum mneme_status status;

    status = self->has_keys ? open_keyed(self, stem, make, key, &handle, err)
                            : open_with(self, stem, make, key, &handle, err);
    explicit_bzero(key, sizeof key);
    if (status == MNEME_OK)
        *ret_handle = handle;
    return status;
}

/* ---- the slots, with the mutex held ---- */

static struct slot *find_slot(struct mn_tenants *self, const char *stem)
{
    for (size_t i = 0; i < MN_TENANTS_OPEN_MAX; i++)
        if (self->slot[i].handle && strcmp(self->slot[i].stem, stem) == 0)
            return &self->slot[i];
    return NULL;
}

static void empty_slot(struct slot *slot)
{
    mneme_close(slot->handle);
    *slot = (struct slot){ 0 };
}

/* A free one, or the one that nobody is in and that was used longest ago. NULL: none now. */
static struct slot *free_slot(struct mn_tenants *self)
{
    struct slot *oldest = NULL;

    for (size_t i = 0; i < MN_TENANTS_OPEN_MAX; i++) {
        struct slot *slot = &self->slot[i];

        if (!slot->handle)
            return slot;
        if (slot->lent == 0 && (!oldest || slot->used < oldest->used))
            oldest = slot;
    }
    if (oldest)
        empty_slot(oldest);
    return oldest;
}

static bool has_file(const struct mn_tenants *self, const char *stem)
{
    MN_BUF_AUTO path = { 0 };

    return mn_tenant_path(self->folder, stem, &path, NULL) == MNEME_OK &&
           access(path.at, F_OK) == 0;
}

static enum mneme_status fill_slot(struct mn_tenants *self, const char *stem, bool make,
                                   struct slot **ret_slot, struct mneme_error *err)
{
    struct slot *slot;

    while (!(slot = free_slot(self))) {
        (void)pthread_cond_wait(&self->back, &self->mutex);
        slot = find_slot(self, stem); /* another call may have opened it meanwhile */
        if (slot) {
            *ret_slot = slot;
            return MNEME_OK;
        }
    }
    MN_TRY(open_handle(self, stem, make, &slot->handle, err));
    (void)snprintf(slot->stem, sizeof slot->stem, "%s", stem);
    *ret_slot = slot;
    return MNEME_OK;
}

/* *ret_slot stays NULL for a tenant without a file, or with one that is being made, or whose making was
 * cut short: nothing is in it, and the next write makes it. */
static enum mneme_status take_slot(struct mn_tenants *self, const char *stem, bool make,
                                   struct slot **ret_slot, struct mneme_error *err)
{
    struct slot *slot = find_slot(self, stem);
    enum mneme_status status;
    struct mneme_error why;

    if (slot && slot->lent == 0 && mn_store_sqlite_replaced(slot->handle->world.store)) {
        empty_slot(slot);
        slot = NULL;
    }
    make = make && !self->options.read_only;
    if (!slot && !make && !has_file(self, stem))
        return MNEME_OK;
    if (!slot) {
        status = fill_slot(self, stem, make, &slot, &why);
        if (status == MNEME_NOT_FOUND && !make)
            return MNEME_OK;
        if (status != MNEME_OK && err)
            *err = why;
        MN_TRY(status);
    }
    slot->lent++;
    slot->used = ++self->uses;
    *ret_slot = slot;
    return MNEME_OK;
}

static enum mneme_status begin(struct mn_tenants *self, const char *stem, bool make,
                               struct mn_route *ret_route, struct mneme_error *err)
{
    struct slot *slot = NULL;
    enum mneme_status status;

    (void)pthread_mutex_lock(&self->mutex);
    status = take_slot(self, stem, make, &slot, err);
    (void)pthread_mutex_unlock(&self->mutex);
    if (status != MNEME_OK)
        return status;
    *ret_route = (struct mn_route){ self, slot ? slot->handle : self->nobody,
                                    slot ? (int)(slot - self->slot) : -1 };
    return MNEME_OK;
}

enum mneme_status mn_route_begin(struct mneme *front, const char *tenant, bool make,
                                 struct mn_route *ret_route, struct mneme_error *err)
{
    char stem[MN_TENANT_STEM_BYTES];

    if (mn_empty(tenant) || strlen(tenant) > MNEME_ID_BYTES_MAX) {
        *ret_route = (struct mn_route){ front->tenants, front->tenants->nobody, -1 };
        return MNEME_OK;
    }
    if (!mn_tenant_stem(tenant, stem))
        return mn_fail_memory(err);
    return begin(front->tenants, stem, make, ret_route, err);
}

void mn_route_end(struct mn_route *route)
{
    struct mn_tenants *self = route->tenants;

    if (!self || route->slot < 0)
        return;
    (void)pthread_mutex_lock(&self->mutex);
    self->slot[route->slot].lent--;
    (void)pthread_cond_broadcast(&self->back);
    (void)pthread_mutex_unlock(&self->mutex);
    route->slot = -1;
}

/* ---- all of them ---- */

static bool is_open(struct mn_tenants *self, const char *stem)
{
    bool found;

    (void)pthread_mutex_lock(&self->mutex);
    found = find_slot(self, stem) != NULL;
    (void)pthread_mutex_unlock(&self->mutex);
    return found;
}

enum mneme_status mn_tenants_each(struct mneme *front, bool open_ones, mn_tenant_fn call,
                                  void *context, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(STEMS_BYTES_MAX);
    const char **stems = NULL;
    size_t count = 0;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(mn_tenant_stems(front->tenants->folder, arena, &stems, &count, err));
    for (size_t i = 0; i < count; i++) {
        MN_ROUTE_AUTO route = { 0 };

        if (open_ones && !is_open(front->tenants, stems[i]))
            continue;
        MN_TRY(begin(front->tenants, stems[i], false, &route, err));
        if (route.slot >= 0)
            MN_TRY(call(context, route.handle, stems[i], err));
    }
    return MNEME_OK;
}

/* ---- opening and closing ---- */

bool mn_tenants_wanted(const struct mneme_options *options)
{
    struct stat about;

    if (mn_empty(options->store_path))
        return false;
    if (stat(options->store_path, &about) == 0)
        return S_ISDIR(about.st_mode);
    return options->per_tenant && options->create;
}

static enum mneme_status make_folder(const struct mneme_options *options, struct mneme_error *err)
{
    struct stat about;

    if (!options->create || options->read_only || stat(options->store_path, &about) == 0)
        return MNEME_OK;
    if (mkdir(options->store_path, 0700) == 0 ||
        (errno == EEXIST && stat(options->store_path, &about) == 0 && S_ISDIR(about.st_mode)))
        return MNEME_OK; /* another process may have been faster */
    return mn_fail(err, MNEME_FORBIDDEN, "the folder %s cannot be made (%s)", options->store_path,
                   strerror(errno));
}

/* The root says what the folder is: where it is missing, any folder would be taken for a store. */
static enum mneme_status open_root(struct mn_tenants *self, const struct mneme_options *options,
                                   struct mneme_error *err)
{
    MN_BUF_AUTO path = { 0 };
    struct mneme_options nobody = self->options;
    struct mn_store_options root = { .create = options->create && options->per_tenant,
                                     .read_only = options->read_only,
                                     .key = options->key,
                                     .key_bytes = options->key_bytes };

    mn_buf_printf(&path, "%s/%s", self->folder, MN_TENANT_ROOT);
    if (path.failed)
        return mn_fail_memory(err);
    if (!root.create && access(path.at, F_OK) != 0)
        return mn_fail(err, MNEME_NOT_FOUND,
                       "there is no store at %s: it is a folder without a %s", self->folder,
                       MN_TENANT_ROOT);
    root.path = path.at;
    MN_TRY(mn_store_sqlite_open(&root, &self->root, err));
    nobody.store_path = path.at;
    return mn_handle_open(&nobody, self->front, self->root, &self->nobody, err);
}

enum mneme_status mn_tenants_open(struct mneme *front, const struct mneme_options *options,
                                  struct mn_tenants **ret_tenants, struct mneme_error *err)
{
    struct mn_tenants *self = calloc(1, sizeof *self);
    enum mneme_status status;

    if (!self)
        return mn_fail_memory(err);
    (void)pthread_mutex_init(&self->mutex, NULL); /* default attributes: cannot fail */
    (void)pthread_cond_init(&self->back, NULL);
    self->front = front;
    self->has_keys = options->key != NULL;
    self->options = *options;
    self->options.store_path = NULL;
    self->options.key = NULL;
    self->options.key_bytes = 0;
    self->options.per_tenant = 0;
    self->options.embedding_cache_path = NULL;
    self->options.index_bytes_max = options->index_bytes_max / MN_TENANTS_OPEN_MAX;
    status = make_folder(options, err);
    if (status == MNEME_OK && !(self->folder = realpath(options->store_path, NULL)))
        status = mn_fail(err, MNEME_NOT_FOUND, "there is no store at %s", options->store_path);
    if (status == MNEME_OK)
        status = open_root(self, options, err);
    if (status != MNEME_OK) {
        mn_tenants_free(self);
        return status;
    }
    *ret_tenants = self;
    return MNEME_OK;
}

void mn_tenants_free(struct mn_tenants *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < MN_TENANTS_OPEN_MAX; i++)
        mneme_close(self->slot[i].handle);
    mneme_close(self->nobody);
    mn_store_free(self->root);
    (void)pthread_mutex_destroy(&self->mutex);
    (void)pthread_cond_destroy(&self->back);
    free(self->folder);
    free(self);
}

/* ---- keys ---- */

static enum mneme_status change_key(struct mn_tenants *self, struct mneme *inner, const char *stem,
                                    const char *actor, struct mneme_error *err)
{
    char next[MN_SECRET_BYTES], key[MN_SECRET_BYTES];
    enum mneme_status status;

    mn_tenant_key_name(stem, true, next);
    MN_TRY(mn_tenant_key_make(key, err));
    status = mn_secret_put(self->root, next, key, err);
    if (status == MNEME_OK)
        status = mneme_rotate_key(inner, key, strlen(key), actor, err);
    if (status == MNEME_OK)
        status = finish_new_key(self, stem, key, err);
    explicit_bzero(key, sizeof key);
    return status;
}

enum mneme_status mn_tenants_new_key(struct mneme *front, const char *tenant, bool make,
                                     const char *actor, struct mneme_error *err)
{
    MN_ROUTE_AUTO route = { 0 };
    char stem[MN_TENANT_STEM_BYTES];

    if (!front->tenants->has_keys)
        return mn_fail(err, MNEME_INVALID, "key: the store has none");
    MN_TRY(mn_route_begin(front, tenant, make, &route, err));
    if (route.slot < 0)
        return mn_fail(err, MNEME_NOT_FOUND, "tenant_id: nothing is known of %.200s", tenant);
    if (!mn_tenant_stem(tenant, stem))
        return mn_fail_memory(err);
    return change_key(front->tenants, route.handle, stem, actor, err);
}

enum mneme_status mn_tenants_rekey(struct mneme *front, const void *key, size_t key_bytes,
                                   const char *actor, struct mneme_error *err)
{
    struct mn_tenants *self = front->tenants;

    if (!self->has_keys)
        return mn_fail(err, MNEME_INVALID,
                       "key: the store has none, and its tenants' files cannot get any; import them "
                       "into one that has");
    return self->root->ops->rekey(self->root, key, key_bytes, mn_or_empty(actor),
                                  mn_clock_now_ms(), err);
}

/* ---- out and back ---- */

struct copying {
    struct mn_tenants *tenants;
    const char *folder;
    const char *actor;
};

static enum mneme_status copy_out(void *context, struct mneme *inner, const char *stem,
                                  struct mneme_error *err)
{
    const struct copying *copying = context;
    MN_BUF_AUTO path = { 0 };

    MN_TRY(mn_tenant_path(copying->folder, stem, &path, err));
    return mneme_backup(inner, path.at, copying->actor, err);
}

enum mneme_status mn_tenants_backup(struct mneme *front, const char *path, const char *actor,
                                    struct mneme_error *err)
{
    MN_PART_FOLDER_AUTO part = { 0 };
    struct copying copying = { front->tenants, NULL, actor };

    MN_TRY(mn_part_folder_begin(path, &part, err));
    copying.folder = part.path.at;
    if (!front->read_only)
        MN_TRY(mn_store_note(front->tenants->root, "backup", mn_or_empty(actor),
                             mn_clock_now_ms(), err));
    MN_TRY(mn_tenants_each(front, false, copy_out, &copying, err));
    return mn_part_folder_keep(&part, path, err);
}

/* A root for the folder: the one that has the keys, or a new one. */
static enum mneme_status restore_root(const struct mneme_options *options, const char *folder,
                                      const char *actor, struct mn_store **ret_root,
                                      struct mneme_error *err)
{
    MN_BUF_AUTO path = { 0 };
    struct mn_store_options root = { .key = options->key, .key_bytes = options->key_bytes };

    mn_buf_printf(&path, "%s/%s", folder, MN_TENANT_ROOT);
    if (path.failed)
        return mn_fail_memory(err);
    root.path = path.at;
    if (!mn_empty(options->tenant_keys_path))
        MN_TRY(mn_store_sqlite_restore(&root, options->tenant_keys_path, actor, mn_clock_now_ms(),
                                       err));
    else if (options->key)
        return mn_fail(err, MNEME_INVALID,
                       "tenant_keys_path: a backup has no keys; say which %s has them",
                       MN_TENANT_ROOT);
    root.create = mn_empty(options->tenant_keys_path);
    return mn_store_sqlite_open(&root, ret_root, err);
}

/* *lost: what no key opens any more is left out. */
static enum mneme_status restore_one(struct mn_store *root, bool has_keys, const char *folder,
                                     const char *backup, const char *stem, const char *actor,
                                     int64_t *lost, struct mneme_error *err)
{
    MN_BUF_AUTO from = { 0 };
    MN_BUF_AUTO to = { 0 };
    char name[MN_SECRET_BYTES], key[MN_SECRET_BYTES] = "";
    struct mn_store_options options = { 0 };
    enum mneme_status status = MNEME_OK;

    MN_TRY(mn_tenant_path(backup, stem, &from, err));
    MN_TRY(mn_tenant_path(folder, stem, &to, err));
    mn_tenant_key_name(stem, false, name);
    if (has_keys)
        MN_TRY(mn_secret_get(root, name, key, err));
    options.path = to.at;
    options.key = key[0] ? key : NULL;
    options.key_bytes = strlen(key);
    status = mn_store_sqlite_restore(&options, from.at, actor, mn_clock_now_ms(), err);
    explicit_bzero(key, sizeof key);
    if (status != MNEME_FORBIDDEN || !has_keys)
        return status;
    ++*lost;
    return MNEME_OK;
}

static enum mneme_status restore_all(struct mn_store *root, const struct mneme_options *options,
                                     const char *folder, const char *backup, const char *actor,
                                     struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(STEMS_BYTES_MAX);
    const char **stems = NULL;
    size_t count = 0;
    int64_t lost = 0;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(mn_tenant_stems(backup, arena, &stems, &count, err));
    for (size_t i = 0; i < count; i++)
        MN_TRY(restore_one(root, options->key != NULL, folder, backup, stems[i], actor, &lost,
                           err));
    return mn_store_note_lost(root, "restore", actor, lost, mn_clock_now_ms(), err);
}

enum mneme_status mn_tenants_restore(const struct mneme_options *options, const char *backup_path,
                                     const char *actor, struct mneme_error *err)
{
    MN_PART_FOLDER_AUTO part = { 0 };
    struct mn_store *root = NULL;
    enum mneme_status status;

    MN_TRY(mn_part_folder_begin(options->store_path, &part, err));
    MN_TRY(restore_root(options, part.path.at, actor, &root, err));
    status = restore_all(root, options, part.path.at, backup_path, actor, err);
    mn_store_free(root);
    MN_TRY(status);
    return mn_part_folder_keep(&part, options->store_path, err);
}
