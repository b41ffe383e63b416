/*
 * doctor.c - the public call that looks at an installation: store, key, model, disk, clock.
 *
 * Each thing is looked at by itself, and a finding names what is wrong and its cure. What cannot be
 * looked at because the store does not open is left out. Nothing is written.
 */
#include "engine/handle.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/tenant_files.h"
#include "index/index.h"
#include "lifecycle/lifecycle.h"
#include "model/model.h"
#include "store/store.h"

#define VECTORS_MAX 1000
#define VECTORS_BYTES_MAX ((size_t)256 << 20)
#define STEMS_BYTES_MAX ((size_t)256 << 20)
#define FREE_BYTES_LEAST ((uint64_t)100 << 20)
#define FILES_LEAST 256
#define CLOCK_FIRST_MS INT64_C(1735689600000) /* 2025: before that it was not set */
#define CLOCK_SLACK_MS INT64_C(3600000)

struct visit {
    struct mn_buf *out;
    struct mn_json_writer w;
    const char *file; /* of a tenant, whose findings they are; "" */
    size_t files;     /* of tenants, that were looked into */
    size_t findings;
    size_t looked;
    struct mn_json_writer pending; /* what mends itself: no finding */
};

static void put(struct mn_json_writer *w, const char *file, const char *what, const char *cure,
                const char *format, va_list list)
{
    char text[600];

    (void)vsnprintf(text, sizeof text, format, list);
    mn_json_open(w, '{');
    mn_json_field_text(w, "what", what);
    if (!mn_empty(file))
        mn_json_field_text(w, "file", file);
    mn_json_field_text(w, "found", text);
    mn_json_field_text(w, "do", cure);
    mn_json_close(w, '}');
}

static void find(struct visit *v, const char *what, const char *cure, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void find(struct visit *v, const char *what, const char *cure, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    put(&v->w, v->file, what, cure, format, list);
    va_end(list);
    v->findings++;
}

static void await(struct visit *v, const char *what, const char *cure, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void await(struct visit *v, const char *what, const char *cure, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    put(&v->pending, v->file, what, cure, format, list);
    va_end(list);
}

/* ---- the store ---- */

static enum mneme_status check_file(struct visit *v, struct mn_store *store, int64_t now_ms,
                                    struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    struct mn_store_check check = { 0 };

    v->looked += 4;
    MN_TRY(store->ops->check(store, arena, &check, err));
    if (check.whole[0])
        find(v, "store", "stop what uses it, keep the file, restore the last backup (mneme restore)",
             "the file is damaged: %.300s", check.whole);
    if (check.references[0])
        find(v, "store", "restore the last backup (mneme restore)", "rows refer to nothing: %.200s",
             check.references);
    if (check.unsettled)
        find(v, "erasure", "mneme erase --verify RECEIPT, or any mneme_run_due(), finishes it",
             "an erasure was cut short: bytes of it may still be in the file");
    if (check.last_at_ms > now_ms + CLOCK_SLACK_MS || now_ms < CLOCK_FIRST_MS)
        find(v, "clock", "set the clock (a time service), then write again",
             "the clock says less than the last entry of the audit, or was never set");
    return MNEME_OK;
}

static enum mneme_status check_audit(struct visit *v, struct mn_store *store,
                                     struct mneme_error *err)
{
    struct mn_audit_state state = { 0 };
    const struct mn_audit_mark none = { 0 };

    v->looked++;
    MN_TRY(store->ops->audit_verify(store, &none, &state, err));
    if (state.fault != MN_AUDIT_SOUND)
        find(v, "audit", "mneme audit verify tells where; compare with the last backup",
             state.fault == MN_AUDIT_NAME ? "a name in it is not the one of its digest"
                                          : "the chain is broken at entry %lld",
             (long long)state.seq);
    return MNEME_OK;
}

/* Those that wait are made in passing; those that were refused too often, health tells of. */
static enum mneme_status check_vectors(struct visit *v, struct mneme *handle,
                                       struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(VECTORS_BYTES_MAX);
    const struct mn_unit_place first = { false, "", "", "" };
    struct mn_world *world = &handle->world;
    struct mn_units lacking = { 0 };
    size_t parked = 0;

    if (!world->model)
        return MNEME_OK;
    MN_TRY(world->store->ops->units_without_vector(world->store, mn_index_profile(world), &first,
                                                   VECTORS_MAX, arena, &lacking, err));
    MN_TRY(mn_index_parked(world, &parked, err));
    if (lacking.count > parked)
        await(v, "vectors",
              "commands with the model make some each, mneme reconcile --repair all of them",
              "%zu%s texts wait for vectors, theirs or those of their passages",
              lacking.count - parked, lacking.count == VECTORS_MAX ? " or more" : "");
    return MNEME_OK;
}

static enum mneme_status check_derived(struct visit *v, struct mneme *handle,
                                       struct mneme_error *err)
{
    const struct mneme_reconciliation look = { .size = sizeof look,
                                               .now_ms = handle->world.now_ms() };
    MN_BUF_AUTO report = { 0 };
    bool clean = true;

    v->looked++;
    MN_TRY(mn_reconcile(&handle->world, &look, &clean, &report, err));
    if (!clean)
        find(v, "derived", "mneme reconcile --repair", "what is derived does not agree with the rows");
    return check_vectors(v, handle, err);
}

static enum mneme_status check_rows(struct visit *v, struct mneme *handle, struct mneme_error *err)
{
    MN_TRY(check_file(v, handle->world.store, handle->world.now_ms(), err));
    MN_TRY(check_audit(v, handle->world.store, err));
    return check_derived(v, handle, err);
}

static enum mneme_status check_tenant(void *context, struct mneme *inner, const char *stem,
                                      struct mneme_error *err)
{
    struct visit *v = context;

    v->file = stem;
    v->files++;
    return check_rows(v, inner, err);
}

/* The file with the keys, which has no rows, and each tenant's; one that does not open is a finding. */
static enum mneme_status check_tenants(struct visit *v, struct mneme *handle, const char *folder,
                                       struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(STEMS_BYTES_MAX);
    struct mn_store *root = mn_tenants_root(handle);
    const char **stems = NULL;
    size_t count = 0;
    struct mneme_error why = { 0 };
    enum mneme_status status;

    MN_TRY(check_file(v, root, handle->world.now_ms(), err));
    MN_TRY(check_audit(v, root, err));
    status = mn_tenants_each(handle, false, check_tenant, v, &why);
    v->file = "";
    if (status != MNEME_OK)
        find(v, "store", "restore the last backup (mneme restore)", "a tenant's file: %.400s",
             why.message);
    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(mn_tenant_stems(folder, arena, &stems, &count, err));
    if (status == MNEME_OK && count > v->files)
        find(v, "store", "the next write for such a tenant makes its file; had it one, restore the last backup",
             "%zu files of tenants hold no store: their making was interrupted", count - v->files);
    return MNEME_OK;
}

static void check_model(struct visit *v, struct mneme *handle, const char *model_path)
{
    float vector[MN_VECTOR_DIM_MAX];
    struct mneme_error err;

    v->looked++;
    if (mn_empty(model_path) || !strcmp(model_path, "none"))
        return;
    if (!handle->world.model)
        find(v, "model", "set it up again, or give another with --model", "%.400s",
             handle->model_status);
    else if (mn_model_embed(handle->world.model, MN_EMBED_REQUEST, "is anybody there?", vector,
                            &err) != MNEME_OK)
        find(v, "model", "set it up again, start its service, or give another with --model",
             "%.400s", err.message);
}

static enum mneme_status check_store(struct visit *v, const struct mneme_options *options,
                                     struct mneme_error *err)
{
    struct mneme_options look = *options;
    struct mneme *handle = NULL;
    struct mneme_error why;
    enum mneme_status status;

    look.create = 0;
    look.read_only = 1;
    v->looked++;
    if (mneme_open(&look, &handle, &why) == MNEME_FORBIDDEN && !strcmp(why.field, "version")) {
        await(v, "version", "any command that writes does it, such as mneme maintain; it is looked into "
                            "after that", "%.400s", why.message + strlen("version: "));
        return MNEME_OK;
    }
    if (!handle) {
        find(v, "store", why.status == MNEME_NOT_FOUND   ? "mneme init makes one, or say where it is"
                         : why.status == MNEME_FORBIDDEN ? "give the key, or run as its owner"
                                                         : "restore the last backup (mneme restore)",
             "does not open: %.400s", why.message);
        return MNEME_OK;
    }
    status = handle->tenants ? check_tenants(v, handle, look.store_path, err) : check_rows(v, handle, err);
    check_model(v, handle, options->model_path);
    mneme_close(handle);
    return status;
}

/* ---- files, disk, process ---- */

static void check_mode(struct visit *v, const char *what, const char *path)
{
    struct stat about;

    if (mn_empty(path) || stat(path, &about) != 0)
        return;
    v->looked++;
    if (about.st_mode & 077)
        find(v, what, S_ISDIR(about.st_mode) ? "chmod 700 it" : "chmod 600 it", "%.300s can be read by others (mode %o)", path,
             (unsigned)(about.st_mode & 0777));
}

static void check_room(struct visit *v, const char *folder, const char *store_path)
{
    struct statvfs disk;
    struct stat about = { 0 };
    uint64_t wanted, room;

    if (statvfs(folder, &disk) != 0)
        return;
    v->looked++;
    (void)stat(store_path, &about);
    wanted = (uint64_t)about.st_size * 2 > FREE_BYTES_LEAST ? (uint64_t)about.st_size * 2
                                                            : FREE_BYTES_LEAST;
    room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (room < wanted)
        find(v, "disk", "make room: writing a store anew needs twice its size",
             "%llu MiB are free, %llu MiB are wanted", (unsigned long long)(room >> 20),
             (unsigned long long)(wanted >> 20));
}

/* What a backup, a restore or a change of key left that was killed. */
static void check_leftovers(struct visit *v, const char *folder)
{
    DIR *files = opendir(folder);
    struct dirent *file;

    if (!files)
        return;
    v->looked++;
    while ((file = readdir(files)))
        if (strstr(file->d_name, ".part-"))
            find(v, "leftover", "remove it when no backup, restore or rotate-key runs",
                 "%.200s is half of a file", file->d_name);
    (void)closedir(files);
}

static void check_files(struct visit *v)
{
    struct rlimit limit;

    v->looked++;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES_LEAST)
        find(v, "descriptors", "ulimit -n 1024", "a process may open %llu files, %d are wanted",
             (unsigned long long)limit.rlim_cur, FILES_LEAST);
}

static enum mneme_status check_place(struct visit *v, const char *store_path,
                                     struct mneme_error *err)
{
    MN_BUF_AUTO folder = { 0 };
    const char *name = strrchr(store_path, '/');

    mn_buf_put(&folder, store_path, name ? (size_t)(name - store_path) + 1 : 0);
    mn_buf_text(&folder, ".");
    if (folder.failed)
        return mn_fail_memory(err);
    check_room(v, folder.at, store_path);
    check_leftovers(v, folder.at);
    return MNEME_OK;
}

enum mneme_status mneme_doctor(const struct mneme_options *options, const char *key_path,
                               int *ret_sound, char **ret_report_json, struct mneme_error *err)
{
    struct mneme_options known = MNEME_OPTIONS_INIT;
    MN_BUF_AUTO out = { 0 };
    MN_BUF_AUTO pending = { 0 };
    struct visit v = {
        .out = &out, .w = { .out = &out }, .file = "", .pending = { .out = &pending }
    };

    MN_CHECK_SIZE(options, "options", err);
    MN_CHECK_GIVEN(ret_sound, "ret_sound", err);
    memcpy(&known, options, options->size);
    if (mn_empty(known.store_path))
        return mn_fail(err, MNEME_INVALID, "store_path: is empty");
    mn_json_open(&v.w, '{');
    mn_json_key(&v.w, "findings");
    mn_json_open(&v.w, '[');
    mn_json_open(&v.pending, '[');
    MN_TRY(check_store(&v, &known, err));
    check_mode(&v, "store", known.store_path);
    check_mode(&v, "key", key_path);
    MN_TRY(check_place(&v, known.store_path, err));
    check_files(&v);
    mn_json_close(&v.w, ']');
    mn_json_close(&v.pending, ']');
    mn_json_key(&v.w, "pending");
    mn_json_put_raw(&v.w, pending.failed ? "" : pending.at);
    mn_json_field_integer(&v.w, "looked", (int64_t)v.looked);
    mn_json_field_bool(&v.w, "sound", v.findings == 0);
    mn_json_close(&v.w, '}');
    if (out.failed || pending.failed)
        return mn_fail_memory(err);
    *ret_sound = v.findings == 0;
    if (ret_report_json) {
        *ret_report_json = out.at;
        out = (struct mn_buf){ 0 };
    }
    return MNEME_OK;
}
