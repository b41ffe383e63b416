/*
 * archive_files.c - the archive as sealed files, each with turns of one session.
 *
 * A file's name is noted in the store before it is made; its turns leave the store in the commit that
 * says it is whole. So whatever is cut short leaves a name that is known: a file that was being made is
 * given up after an hour, one that is to be removed is removed until it is gone. What is erased while
 * turns are copied refuses that commit; the file is removed and the copying begins anew.
 *
 * An empty file, made before the first one, tells the archive of this store from an empty place: that of
 * a disk that is not mounted, or another folder. A file that is not there counts as removed only beside it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/hash.h"
#include "lifecycle/archive.h"
#include "lifecycle/archive_object.h"
#include "lifecycle/blobs.h"

#define TEXT_BYTES_MAX ((size_t)16 << 20) /* of one file, about */
#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define ATTEMPTS_MAX 4
#define GIVEN_UP_MS INT64_C(3600000)
#define PURPOSE "mneme archive"
#define MARK ".store"

struct files {
    struct mn_archive base;
    struct mn_blobs *blobs;
};

/* One call: the place, the store, its name there and the key. */
struct call {
    struct mn_blobs *blobs;
    struct mn_world *world;
    struct mn_arena *arena;
    const char *store; /* "": no file was ever made */
    struct mn_seal_key key;
    int64_t now_ms;
};

static enum mneme_status begin_call(struct mn_archive *archive, struct mn_world *world,
                                    int64_t now_ms, bool make, struct mn_arena *arena,
                                    struct call *ret_call, struct mneme_error *err)
{
    struct call c = { .blobs = ((struct files *)archive)->blobs, .world = world, .arena = arena,
                      .now_ms = now_ms };
    const char *secret = "";

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->archive_secret(world->store, make, arena, &c.store, &secret, err));
    if (!mn_empty(secret))
        MN_TRY(mn_seal_key_derive(secret, PURPOSE, &c.key, err));
    *ret_call = c;
    return MNEME_OK;
}

/* ---- steps ---- */

static enum mneme_status step(const struct call *c, enum mn_archive_step step,
                              const struct mn_archive_object *object,
                              const struct mn_events *events, const char *former,
                              struct mneme_error *err)
{
    const struct mn_archive_row row = { step, object, events, former };
    const struct mn_write write = { .kind = MN_WRITE_ARCHIVE, .archive = &row };
    const struct mn_commit commit = { .write = &write,
                                      .count = 1,
                                      .actor = "archive",
                                      .reason = "",
                                      .now_ms = c->now_ms };
    struct mn_written written;

    return mn_store_commit_one(c->world->store, &commit, &written, err);
}

static const char *full_name(const struct call *c, const char *object)
{
    return mn_arena_printf(c->arena, "%s/%s", c->store, object);
}

static enum mneme_status find_mark(const struct call *c, bool *ret_found, struct mneme_error *err)
{
    const char *name = full_name(c, MARK);
    MN_BUF_AUTO bytes = { 0 };
    struct mneme_error why;

    if (!name)
        return mn_fail_memory(err);
    enum mneme_status status = c->blobs->ops->get(c->blobs, name, &bytes, &why);
    if (status != MNEME_OK && status != MNEME_NOT_FOUND) {
        if (err)
            *err = why;
        return status;
    }
    *ret_found = status == MNEME_OK;
    return MNEME_OK;
}

/* Refuses a place without the mark when files of the store must be there. The mark is older than each of
 * them: it is looked for again once they are known. */
static enum mneme_status check_mark(const struct call *c, bool *ret_found, struct mneme_error *err)
{
    struct mn_archive_objects objects = { 0 };

    MN_TRY(find_mark(c, ret_found, err));
    if (*ret_found)
        return MNEME_OK;
    MN_TRY(c->world->store->ops->archive_objects(c->world->store, NULL, NULL, c->arena, &objects,
                                                 err));
    if (objects.count)
        MN_TRY(find_mark(c, ret_found, err));
    if (objects.count && !*ret_found)
        return mn_fail(err, MNEME_UNAVAILABLE,
                       "archive: there is no %s/" MARK ": it is another archive than that of this "
                       "store, or its disk is not there", c->store);
    return MNEME_OK;
}

static enum mneme_status put_mark(const struct call *c, struct mneme_error *err)
{
    const char *name = full_name(c, MARK);
    bool found = false;

    if (!name)
        return mn_fail_memory(err);
    MN_TRY(check_mark(c, &found, err));
    enum mneme_status status =
        found ? MNEME_OK : c->blobs->ops->put(c->blobs, name, "", 0, err);
    return status == MNEME_NOT_FOUND ? MNEME_UNAVAILABLE : status;
}

static enum mneme_status make_name(const struct call *c, const char **ret_object,
                                   struct mneme_error *err)
{
    unsigned char random[32];
    char hex[MN_SHA256_HEX_BYTES];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    if (!mn_sha256_hex(random, sizeof random, hex))
        return mn_fail_memory(err);
    *ret_object = mn_arena_copy_n(c->arena, hex, 32);
    return *ret_object ? MNEME_OK : mn_fail_memory(err);
}

/* Out of the archive, then out of the store. */
static enum mneme_status remove_doomed(const struct call *c, const struct mn_archive_object *object,
                                       struct mneme_error *err)
{
    const char *name = full_name(c, object->object);

    if (!name)
        return mn_fail_memory(err);
    MN_TRY(c->blobs->ops->remove(c->blobs, name, err));
    return step(c, MN_ARCHIVE_GONE, object, NULL, NULL, err);
}

static enum mneme_status fetch_named(const struct call *c, const char *object,
                                     struct mn_arena *arena, struct mn_archive_content *ret_content,
                                     struct mneme_error *err)
{
    const char *name = full_name(c, object);
    MN_BUF_AUTO bytes = { 0 };

    if (!name)
        return mn_fail_memory(err);
    MN_TRY(c->blobs->ops->get(c->blobs, name, &bytes, err));
    return mn_archive_decode(&c->key, name, bytes.at, bytes.bytes, arena, ret_content, err);
}

/* As the store knows it: the digest too, so that an older file of the same name is told. */
static enum mneme_status fetch(const struct call *c, const struct mn_archive_object *object,
                               struct mn_arena *arena, struct mn_archive_content *ret_content,
                               struct mneme_error *err)
{
    const char *name = full_name(c, object->object);
    char digest[MN_SHA256_HEX_BYTES];
    MN_BUF_AUTO bytes = { 0 };

    if (!name)
        return mn_fail_memory(err);
    MN_TRY(c->blobs->ops->get(c->blobs, name, &bytes, err));
    if (!mn_sha256_hex(bytes.at, bytes.bytes, digest))
        return mn_fail_memory(err);
    if (object->digest[0] && strcmp(object->digest, digest) != 0)
        return mn_fail(err, MNEME_CORRUPT, "archive: %s is not what was put there", name);
    return mn_archive_decode(&c->key, name, bytes.at, bytes.bytes, arena, ret_content, err);
}

/* Notes the name, then makes the file; *ret_object says what a later step has to know of it. A file that
 * could not be made is doomed. */
static enum mneme_status make_file(const struct call *c, const struct mn_archive_content *content,
                                   struct mn_archive_object *ret_object, struct mneme_error *err)
{
    struct mn_archive_object o = { .partition = content->partition,
                                   .session_id = content->session_id,
                                   .event_count = (int64_t)content->events.count };
    char *digest = mn_arena_alloc(c->arena, MN_SHA256_HEX_BYTES);
    MN_BUF_AUTO bytes = { 0 };
    struct mneme_error ignored;

    MN_TRY(make_name(c, &o.object, err));
    const char *name = full_name(c, o.object);
    if (!name || !digest)
        return mn_fail_memory(err);
    MN_TRY(mn_archive_encode(&c->key, name, content, &bytes, err));
    if (!mn_sha256_hex(bytes.at, bytes.bytes, digest))
        return mn_fail_memory(err);
    o.digest = digest;
    o.bytes = (int64_t)bytes.bytes;
    o.first_place = content->events.item[0].order;
    o.last_place = content->events.item[content->events.count - 1].order;
    MN_TRY(step(c, MN_ARCHIVE_BEGIN, &o, NULL, NULL, err));
    enum mneme_status status = c->blobs->ops->put(c->blobs, name, bytes.at, bytes.bytes, err);
    if (status != MNEME_OK) {
        (void)step(c, MN_ARCHIVE_DOOM, &o, NULL, NULL, &ignored);
        return status == MNEME_NOT_FOUND ? MNEME_UNAVAILABLE : status;
    }
    *ret_object = o;
    return MNEME_OK;
}

/* ---- taking ---- */

static enum mneme_status next_turns(const struct call *c, const struct mn_archive_span *span,
                                    size_t events_max, struct mn_archive_content *ret_content,
                                    struct mneme_error *err)
{
    struct mn_store *store = c->world->store;
    struct mn_archive_content content = { span->partition, span->session_id, { 0 } };
    size_t bytes = 0, count = 0;

    MN_TRY(store->ops->session_events(store, span->partition, span->session_id,
                                      (struct mn_event_place){ -1, "" }, events_max, c->arena,
                                      &content.events, err));
    while (count < content.events.count && content.events.item[count].order <= span->last_place &&
           (count == 0 || bytes < TEXT_BYTES_MAX))
        bytes += strlen(content.events.item[count++].text);
    content.events.count = count;
    *ret_content = content;
    return MNEME_OK;
}

static enum mneme_status take_once(const struct call *c, const struct mn_archive_span *span,
                                   size_t events_max, size_t *ret_taken, struct mneme_error *err)
{
    struct mn_archive_content content;
    struct mn_archive_object object;
    struct mneme_error ignored;

    MN_TRY(next_turns(c, span, events_max, &content, err));
    if (!content.events.count) {
        *ret_taken = 0;
        return MNEME_OK;
    }
    MN_TRY(put_mark(c, err));
    MN_TRY(make_file(c, &content, &object, err));
    enum mneme_status status =
        step(c, MN_ARCHIVE_TAKE, &object, &content.events, NULL, err);
    /* What may have been committed is left to settle(); nothing is removed that the store holds whole. */
    if (status != MNEME_OK && !(err && err->uncertain) &&
        step(c, MN_ARCHIVE_DOOM, &object, NULL, NULL, &ignored) == MNEME_OK)
        (void)remove_doomed(c, &object, &ignored);
    MN_TRY(status);
    *ret_taken = content.events.count;
    return MNEME_OK;
}

static enum mneme_status take(struct mn_archive *archive, struct mn_world *world,
                              const struct mn_archive_span *span, size_t events_max, int64_t now_ms,
                              size_t *ret_taken, struct mneme_error *err)
{
    enum mneme_status status = MNEME_CONFLICT;
    struct mneme_error own = { 0 };

    for (int i = 0; i < ATTEMPTS_MAX && status == MNEME_CONFLICT; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        struct call c;

        MN_TRY(begin_call(archive, world, now_ms, true, arena, &c, err));
        status = take_once(&c, span, events_max ? events_max : 1, ret_taken, &own);
    }
    if (status != MNEME_OK && err)
        *err = own;
    return status;
}

/* ---- putting in order ---- */

/* The turns of a file that were not erased. */
static enum mneme_status keep_left(const struct call *c, const struct mn_archive_object *object,
                                   struct mn_archive_content *content, struct mneme_error *err)
{
    return c->world->store->ops->archive_events(c->world->store, object->partition, object->object,
                                                &content->events, err);
}

static enum mneme_status make_anew(const struct call *c, const struct mn_archive_object *object,
                                   struct mneme_error *err)
{
    struct mn_archive_content content;
    struct mn_archive_object made;

    MN_TRY(fetch(c, object, c->arena, &content, err));
    MN_TRY(keep_left(c, object, &content, err));
    if (!content.events.count) { /* meanwhile they were erased as well */
        MN_TRY(step(c, MN_ARCHIVE_DOOM, object, NULL, NULL, err));
        return remove_doomed(c, object, err);
    }
    MN_TRY(make_file(c, &content, &made, err));
    enum mneme_status status =
        step(c, MN_ARCHIVE_ANEW, &made, &content.events, object->object, err);
    if (status != MNEME_OK) {
        struct mneme_error ignored;

        (void)step(c, MN_ARCHIVE_DOOM, &made, NULL, NULL, &ignored);
        return status;
    }
    return remove_doomed(c, object, err);
}

static enum mneme_status settle_one(const struct call *c, const struct mn_archive_object *object,
                                    bool *ret_waits, struct mneme_error *err)
{
    *ret_waits = true;
    if (object->state == MN_ARCHIVE_MAKING && c->now_ms - object->at_ms < GIVEN_UP_MS) {
        *ret_waits = false; /* somebody may be at it */
        return MNEME_OK;
    }
    if (object->state == MN_ARCHIVE_MAKING)
        MN_TRY(step(c, MN_ARCHIVE_DOOM, object, NULL, NULL, err));
    MN_TRY(object->state == MN_ARCHIVE_SHORTEN ? make_anew(c, object, err)
                                               : remove_doomed(c, object, err));
    *ret_waits = false;
    return MNEME_OK;
}

static enum mneme_status settle(struct mn_archive *archive, struct mn_world *world, int64_t now_ms,
                                size_t *ret_left, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_archive_objects objects = { 0 };
    enum mneme_status first = MNEME_OK;
    bool found = false;
    size_t left = 0;
    struct call c;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->archive_waiting(world->store, arena, &objects, err));
    if (objects.count) {
        MN_TRY(begin_call(archive, world, now_ms, false, arena, &c, err));
        MN_TRY(check_mark(&c, &found, err));
    }
    for (size_t i = 0; i < objects.count; i++) {
        struct mneme_error why;
        bool waits = false;
        enum mneme_status status = settle_one(&c, &objects.item[i], &waits, &why);

        left += waits;
        if (status != MNEME_OK && first == MNEME_OK) {
            first = status;
            if (err)
                *err = why;
        }
    }
    *ret_left = left;
    return first;
}

/* ---- bringing back ---- */

static enum mneme_status bring_back(const struct call *c, const struct mn_archive_object *object,
                                    size_t *back, struct mneme_error *err)
{
    struct mn_archive_content content;
    struct mneme_error ignored;

    MN_TRY(fetch(c, object, c->arena, &content, err));
    MN_TRY(keep_left(c, object, &content, err));
    MN_TRY(step(c, MN_ARCHIVE_BACK, object, &content.events, NULL, err));
    *back += content.events.count;
    (void)remove_doomed(c, object, &ignored); /* else settle() does it */
    return MNEME_OK;
}

static enum mneme_status restore(struct mn_archive *archive, struct mn_world *world,
                                 struct mn_partition partition, const char *session_id,
                                 int64_t now_ms, size_t *ret_back, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_archive_objects objects = { 0 };
    size_t back = 0;
    struct call c;

    MN_TRY(begin_call(archive, world, now_ms, false, arena, &c, err));
    MN_TRY(world->store->ops->archive_objects(world->store, &partition, session_id, arena, &objects,
                                              err));
    for (size_t i = 0; i < objects.count; i++) {
        if (objects.item[i].state != MN_ARCHIVE_MAKING)
            MN_TRY(bring_back(&c, &objects.item[i], &back, err));
    }
    *ret_back = back;
    return MNEME_OK;
}

/* ---- showing ---- */

struct showing {
    const struct call *c;
    mn_archived_fn turn;
    void *context;
};

/* *ret_goes: one of its turns has to. */
static void show_content(const struct showing *s, const struct mn_archive_content *content,
                         bool unknown, bool *ret_goes)
{
    *ret_goes = false;
    for (size_t i = 0; i < content->events.count; i++) {
        const struct mn_archived_turn turn = { content->partition, content->session_id,
                                               &content->events.item[i], unknown };

        *ret_goes = s->turn(s->context, &turn) || *ret_goes;
    }
}

static enum mneme_status show_known(const struct showing *s,
                                    const struct mn_archive_objects *objects,
                                    struct mneme_error *err)
{
    for (size_t i = 0; i < objects->count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        const struct mn_archive_object *o = &objects->item[i];
        struct mn_archive_content content;
        bool goes;

        if (o->state == MN_ARCHIVE_MAKING)
            continue;
        enum mneme_status status = fetch(s->c, o, arena, &content, err);
        if (status == MNEME_NOT_FOUND && o->state != MN_ARCHIVE_WHOLE)
            continue; /* removed already, or never made */
        MN_TRY(status);
        show_content(s, &content, false, &goes);
    }
    return MNEME_OK;
}

static bool is_known(const struct mn_archive_objects *objects, const char *name)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(objects->item[i].object, name) == 0)
            return true;
    return false;
}

/* Files that no row names: the store was put back from a backup that is older than they are. */
static enum mneme_status show_unknown(const struct showing *s, const struct mn_partition *only,
                                      bool may_remove, struct mneme_error *err)
{
    const struct call *c = s->c;
    struct mn_archive_objects all = { 0 };
    struct mneme_list names = { 0 };

    MN_TRY(c->world->store->ops->archive_objects(c->world->store, NULL, NULL, c->arena, &all, err));
    MN_TRY(c->blobs->ops->list(c->blobs, c->store, c->arena, &names, err));
    for (size_t i = 0; i < names.count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        struct mn_archive_content content;
        bool goes = false;

        if (is_known(&all, names.item[i]) || strcmp(names.item[i], MARK) == 0)
            continue;
        enum mneme_status status = fetch_named(c, names.item[i], arena, &content, err);
        if (status == MNEME_NOT_FOUND || status == MNEME_CORRUPT)
            continue; /* gone meanwhile, or nothing that can be read */
        MN_TRY(status);
        if (strcmp(content.partition.tenant, only->tenant) == 0 &&
            strcmp(content.partition.owner, only->owner) == 0)
            show_content(s, &content, true, &goes);
        const char *name = goes && may_remove ? full_name(c, names.item[i]) : "";
        if (!name)
            return mn_fail_memory(err);
        if (*name)
            MN_TRY(c->blobs->ops->remove(c->blobs, name, err));
    }
    return MNEME_OK;
}

static enum mneme_status show(struct mn_archive *archive, struct mn_world *world,
                              const struct mn_partition *only, bool may_remove, mn_archived_fn turn,
                              void *context, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_archive_objects objects = { 0 };
    struct call c;
    const struct showing s = { &c, turn, context };
    bool found = false;

    MN_TRY(begin_call(archive, world, 0, false, arena, &c, err));
    if (mn_empty(c.store))
        return MNEME_OK;
    MN_TRY(check_mark(&c, &found, err));
    if (!only) {
        MN_TRY(world->store->ops->archive_waiting(world->store, arena, &objects, err));
        return show_known(&s, &objects, err);
    }
    MN_TRY(world->store->ops->archive_objects(world->store, only, NULL, arena, &objects, err));
    MN_TRY(show_known(&s, &objects, err));
    return show_unknown(&s, only, may_remove, err);
}

/* ---- its making ---- */

static void free_files(struct mn_archive *archive)
{
    struct files *files = (struct files *)archive;

    mn_blobs_free(files->blobs);
    free(files);
}

static const struct mn_archive_ops ops = {
    .take = take,
    .restore = restore,
    .settle = settle,
    .show = show,
    .free = free_files,
};

enum mneme_status mn_archive_files_new(struct mn_blobs *blobs, struct mn_archive **ret_archive,
                                       struct mneme_error *err)
{
    struct files *files = calloc(1, sizeof *files);

    if (!files) {
        mn_blobs_free(blobs);
        return mn_fail_memory(err);
    }
    files->base.ops = &ops;
    files->blobs = blobs;
    *ret_archive = &files->base;
    return MNEME_OK;
}
