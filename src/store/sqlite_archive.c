/*
 * sqlite_archive.c - turns that leave for the archive, and what is known of them while they are away.
 *
 * What is done there and what stands here can never be one step, so the name of a file is noted before
 * it is made, and its row outlives it: whatever is cut short, a later call finds the name and either
 * has the turns here, or removes the file. Turns leave in one commit, and only as they were copied: one
 * that was erased or changed meanwhile refuses the whole.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"

/* ---- steps ---- */

static enum mneme_status prepare(const struct mn_writing *w, const char *sql,
                                 const struct mn_archive_object *object, struct mn_stmt **ret_stmt,
                                 struct mneme_error *err)
{
    MN_TRY(mn_sqlite_prepare(w->db, sql, ret_stmt, err));
    mn_bind_text(*ret_stmt, ":tenant", object->partition.tenant);
    mn_bind_text(*ret_stmt, ":owner", object->partition.owner);
    mn_bind_text(*ret_stmt, ":object", object->object);
    return MNEME_OK;
}

static enum mneme_status begin(const struct mn_writing *w, const struct mn_archive_object *object,
                               struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVE_BEGIN, object, &stmt, err));
    mn_bind_text(stmt, ":session_id", object->session_id);
    mn_bind_integer(stmt, ":at_ms", w->commit->now_ms);
    return mn_sqlite_done(stmt, err);
}

/* It is whole there. */
static enum mneme_status fill(const struct mn_writing *w, const struct mn_archive_object *object,
                              struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVE_FILL, object, &stmt, err));
    mn_bind_integer(stmt, ":first_place", object->first_place);
    mn_bind_integer(stmt, ":last_place", object->last_place);
    mn_bind_integer(stmt, ":count", object->event_count);
    mn_bind_integer(stmt, ":bytes", object->bytes);
    mn_bind_text(stmt, ":digest", object->digest);
    mn_bind_integer(stmt, ":at_ms", w->commit->now_ms);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (mn_sqlite_changed(w->db) != 1)
        return mn_fail(err, MNEME_CONFLICT, "object: %s was given up meanwhile", object->object);
    return MNEME_OK;
}

/* Refused while turns stand in it: whatever its caller was told of the steps before, none is lost. */
static enum mneme_status doom(const struct mn_writing *w, const struct mn_archive_object *object,
                              const char *name, struct mneme_error *err)
{
    MN_STMT_AUTO keeps = NULL;
    MN_STMT_AUTO stmt = NULL;
    bool found = false;

    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVE_KEEPS, object, &keeps, err));
    mn_bind_text(keeps, ":object", name);
    MN_TRY(mn_sqlite_step(keeps, &found, err));
    if (found)
        return mn_fail(err, MNEME_CONFLICT, "object: %s has turns", name);
    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVE_DOOM, object, &stmt, err));
    mn_bind_text(stmt, ":object", name);
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status gone(const struct mn_writing *w, const struct mn_archive_object *object,
                              struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_ARCHIVE_GONE, &stmt, err));
    mn_bind_text(stmt, ":object", object->object);
    return mn_sqlite_done(stmt, err);
}

/* What is made of a turn goes with it: its vector, its mentions, how it was used. */
static enum mneme_status remove_made(const struct mn_writing *w, const struct mneme_event *event,
                                     struct mneme_error *err)
{
    /* usage first: it asks whether the turn is there */
    static const char *const sql[] = { SQL_SQLITE_ERASE_USAGE, SQL_SQLITE_ERASE_VECTORS,
                                       SQL_SQLITE_ERASE_MENTIONS, SQL_SQLITE_ERASE_INDEX_STATE };

    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
        MN_STMT_AUTO stmt = NULL;

        MN_TRY(mn_sqlite_prepare(w->db, sql[i], &stmt, err));
        mn_bind_text(stmt, ":tenant", event->tenant_id);
        mn_bind_text(stmt, ":owner", event->user_id);
        mn_bind_text(stmt, ":first", event->id);
        mn_bind_text(stmt, ":last", event->id);
        MN_TRY(mn_sqlite_done(stmt, err));
    }
    return MNEME_OK;
}

static enum mneme_status take_event(const struct mn_writing *w,
                                    const struct mn_archive_object *object,
                                    const struct mneme_event *event, struct mneme_error *err)
{
    MN_STMT_AUTO take = NULL;
    MN_STMT_AUTO put = NULL;
    struct mn_reader reader = { .arena = w->arena };
    bool found = false;

    MN_TRY(remove_made(w, event, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_ARCHIVE_TAKE_EVENT, &take, err));
    mn_bind_text(take, ":tenant", object->partition.tenant);
    mn_bind_text(take, ":owner", object->partition.owner);
    mn_bind_text(take, ":id", event->id);
    mn_bind_text(take, ":session_id", object->session_id);
    mn_bind_text(take, ":text", event->text);
    MN_TRY(mn_sqlite_step(take, &found, err));
    if (!found)
        return mn_fail(err, MNEME_CONFLICT, "events: %.200s is not as it was copied", event->id);
    reader.stmt = take;
    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVE_PUT_EVENT, object, &put, err));
    mn_bind_text(put, ":id", event->id);
    mn_bind_integer(put, ":withheld", mn_read_integer(&reader));
    MN_TRY(mn_read_end(&reader, err));
    MN_TRY(mn_sqlite_done(put, err));
    return mn_write_change(w, MN_CHANGE_EVENT, event->tenant_id, event->user_id, event->id, 1, err);
}

/* Evidence only it stays; whether it is withheld was decided while it was away. */
static enum mneme_status bring_back(const struct mn_writing *w,
                                    const struct mn_archive_object *object,
                                    const struct mneme_event *event, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    struct mneme_event back = *event;
    bool found = false;

    MN_TRY(prepare(w, SQL_SQLITE_ARCHIVE_BACK_EVENT, object, &stmt, err));
    mn_bind_text(stmt, ":id", event->id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    if (!found)
        return mn_fail(err, MNEME_CONFLICT, "events: %.200s is not in the archive any more",
                       event->id);
    reader.stmt = stmt;
    bool withheld = mn_read_integer(&reader) != 0;
    MN_TRY(mn_read_end(&reader, err));
    if (event->not_recallable != 1)
        back.not_recallable = withheld ? MN_TURN_WITHHELD : 0;
    return mn_write_event_back(w, &back, err);
}

static enum mneme_status anew(const struct mn_writing *w, const struct mn_archive_row *row,
                              struct mneme_error *err)
{
    static const char *const sql[] = { SQL_SQLITE_ARCHIVE_ANEW_CLAIM, SQL_SQLITE_ARCHIVE_ANEW_FREE,
                                       SQL_SQLITE_ARCHIVE_ANEW_TAKE };

    MN_TRY(fill(w, row->object, err));
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
        MN_STMT_AUTO stmt = NULL;

        MN_TRY(mn_sqlite_prepare(w->db, sql[i], &stmt, err));
        mn_bind_text(stmt, ":tenant", row->object->partition.tenant);
        mn_bind_text(stmt, ":owner", row->object->partition.owner);
        if (i != 1)
            mn_bind_text(stmt, ":object", row->object->object);
        if (i != 2)
            mn_bind_text(stmt, ":former", row->former);
        if (i == 0)
            mn_bind_integer(stmt, ":count", (int64_t)row->events->count);
        MN_TRY(mn_sqlite_done(stmt, err));
        if (mn_sqlite_changed(w->db) != 1)
            return mn_fail(err, MNEME_CONFLICT, "events: of %s others are left by now",
                           row->former);
    }
    return doom(w, row->object, row->former, err);
}

enum mneme_status mn_write_archive(const struct mn_writing *w, const struct mn_archive_row *row,
                                   struct mneme_error *err)
{
    switch (row->step) {
    case MN_ARCHIVE_BEGIN:
        return begin(w, row->object, err);
    case MN_ARCHIVE_TAKE:
        MN_TRY(fill(w, row->object, err));
        for (size_t i = 0; i < row->events->count; i++)
            MN_TRY(take_event(w, row->object, &row->events->item[i], err));
        return MNEME_OK;
    case MN_ARCHIVE_BACK:
        for (size_t i = 0; i < row->events->count; i++)
            MN_TRY(bring_back(w, row->object, &row->events->item[i], err));
        return doom(w, row->object, row->object->object, err);
    case MN_ARCHIVE_ANEW:
        return anew(w, row, err);
    case MN_ARCHIVE_DOOM:
        return doom(w, row->object, row->object->object, err);
    case MN_ARCHIVE_GONE:
        return gone(w, row->object, err);
    }
    return mn_fail(err, MNEME_INVALID, "step: %d is none of the archive's", row->step);
}

enum mneme_status mn_archived_event(const struct mn_writing *w, const struct mneme_event *event,
                                    bool *ret_found, bool *ret_same, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };
    bool found = false;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_ARCHIVED_EVENT_OF, &stmt, err));
    mn_bind_text(stmt, ":tenant", event->tenant_id);
    mn_bind_text(stmt, ":owner", event->user_id);
    mn_bind_text(stmt, ":id", event->id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    *ret_found = found;
    if (!found)
        return MNEME_OK;
    reader.stmt = stmt;
    bool own = mn_read_integer(&reader) != 0;
    *ret_same = mn_same(mn_read_text(&reader), event->session_id);
    MN_TRY(mn_read_end(&reader, err));
    return own ? MNEME_OK : mn_fail(err, MNEME_CONFLICT, "id: %.200s is taken", event->id);
}

/* ---- what is away ---- */

static void bind_or_any(struct mn_stmt *stmt, const char *name, const char *text)
{
    if (text)
        mn_bind_text(stmt, name, text);
    else
        mn_bind_null(stmt, name);
}

static enum mneme_status read_objects(struct mn_stmt *stmt, struct mn_arena *arena,
                                      struct mn_archive_objects *ret_objects,
                                      struct mneme_error *err)
{
    struct mn_archive_objects objects = { 0 };
    bool row = false;

    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_archive_object *o;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        o = mn_array_add(arena, &objects);
        if (!o)
            return mn_fail_memory(err);
        o->partition.tenant = mn_read_text(&reader);
        o->partition.owner = mn_read_text(&reader);
        o->object = mn_read_text(&reader);
        o->session_id = mn_read_text(&reader);
        o->state = (enum mn_archive_state)mn_read_integer(&reader);
        o->first_place = mn_read_integer(&reader);
        o->last_place = mn_read_integer(&reader);
        o->event_count = mn_read_integer(&reader);
        o->bytes = mn_read_integer(&reader);
        o->digest = mn_read_text(&reader);
        o->at_ms = mn_read_integer(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_objects = objects;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_archive_objects(struct mn_store *store, const struct mn_partition *only,
                                            const char *session_id, struct mn_arena *arena,
                                            struct mn_archive_objects *ret_objects,
                                            struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_ARCHIVE_OBJECTS, &stmt, err));
    bind_or_any(stmt, ":tenant", only ? only->tenant : NULL);
    bind_or_any(stmt, ":owner", only ? only->owner : NULL);
    bind_or_any(stmt, ":session_id", session_id);
    return read_objects(stmt, arena, ret_objects, err);
}

enum mneme_status mn_sqlite_archive_waiting(struct mn_store *store, struct mn_arena *arena,
                                            struct mn_archive_objects *ret_objects,
                                            struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_ARCHIVE_WAITING, &stmt, err));
    return read_objects(stmt, arena, ret_objects, err);
}

enum mneme_status mn_sqlite_archive_events(struct mn_store *store, struct mn_partition partition,
                                           const char *object, struct mn_events *events,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    size_t kept = 0;

    MN_TRY(mn_reading_begin(store, &reading, err));
    for (size_t i = 0; i < events->count; i++) {
        MN_STMT_AUTO stmt = NULL;
        bool found = false;

        MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_ARCHIVE_HAS_EVENT, &stmt, err));
        mn_bind_text(stmt, ":tenant", partition.tenant);
        mn_bind_text(stmt, ":owner", partition.owner);
        mn_bind_text(stmt, ":object", object);
        mn_bind_text(stmt, ":id", events->item[i].id);
        MN_TRY(mn_sqlite_step(stmt, &found, err));
        if (found)
            events->item[kept++] = events->item[i];
    }
    events->count = kept;
    return MNEME_OK;
}

/* ---- the store's name there, and the key ---- */

static enum mneme_status make_secret(struct mn_sqlite *db, const char *name, size_t digits,
                                     struct mneme_error *err)
{
    char text[MN_SHA256_HEX_BYTES];
    unsigned char random[64];

    MN_TRY(mn_sqlite_meta(db, name, text, sizeof text, err));
    if (text[0])
        return MNEME_OK;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    if (!mn_sha256_hex(random, sizeof random, text))
        return mn_fail_memory(err);
    text[digits] = '\0';
    return mn_sqlite_meta_put(db, name, text, err);
}

static enum mneme_status make_secrets(struct mn_sqlite *db, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_WRITE, err));
    enum mneme_status status = make_secret(db, MN_META_ARCHIVE_NAME, 32, err);
    if (status == MNEME_OK)
        status = make_secret(db, MN_META_ARCHIVE_KEY, 64, err);
    return mn_sqlite_end(db, status, err);
}

static enum mneme_status read_secrets(struct mn_store *store, struct mn_arena *arena,
                                      const char **ret_name, const char **ret_key,
                                      struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    char name[MN_SHA256_HEX_BYTES], key[MN_SHA256_HEX_BYTES];

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_meta(reading.db, MN_META_ARCHIVE_NAME, name, sizeof name, err));
    MN_TRY(mn_sqlite_meta(reading.db, MN_META_ARCHIVE_KEY, key, sizeof key, err));
    const char *name_copy = mn_arena_copy(arena, name), *key_copy = mn_arena_copy(arena, key);
    if (!name_copy || !key_copy)
        return mn_fail_memory(err);
    *ret_name = name_copy;
    *ret_key = key_copy;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_archive_secret(struct mn_store *store, bool make, struct mn_arena *arena,
                                           const char **ret_name, const char **ret_key,
                                           struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;

    MN_TRY(read_secrets(store, arena, ret_name, ret_key, err));
    if (!mn_empty(*ret_key) || !make)
        return MNEME_OK;
    MN_TRY(mn_turn_begin(self, err));
    enum mneme_status status = make_secrets(self->writer, err);
    mn_turn_end(self);
    return status == MNEME_OK ? read_secrets(store, arena, ret_name, ret_key, err) : status;
}
