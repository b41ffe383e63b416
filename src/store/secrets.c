/*
 * secrets.c - in the table meta of a SQLite store, each call a transaction of its own.
 */
#include "store/secrets.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

enum mneme_status mn_secret_get(struct mn_store *store, const char *name,
                                char value[MN_SECRET_BYTES], struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };

    MN_TRY(mn_reading_begin(store, &reading, err));
    return mn_sqlite_meta(reading.db, name, value, MN_SECRET_BYTES, err);
}

static enum mneme_status change(struct mn_sqlite *db, const char *name, const char *value,
                                struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    if (value)
        return mn_sqlite_meta_put(db, name, value, err);
    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_META_REMOVE, &stmt, err));
    mn_bind_text(stmt, ":name", name);
    return mn_sqlite_done(stmt, err);
}

/* unless_there: what is there stays, and is copied there. */
static enum mneme_status change_inside(struct mn_sqlite *db, const char *name, const char *value,
                                       char *unless_there, struct mneme_error *err)
{
    char there[MN_SECRET_BYTES] = "";

    if (unless_there)
        MN_TRY(mn_sqlite_meta(db, name, there, sizeof there, err));
    if (there[0])
        memcpy(unless_there, there, sizeof there);
    else
        MN_TRY(change(db, name, value, err));
    explicit_bzero(there, sizeof there);
    return MNEME_OK;
}

static enum mneme_status change_behind_lock(struct mn_sqlite *db, const char *name,
                                            const char *value, char *unless_there,
                                            struct mneme_error *err)
{
    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_WRITE, err));
    return mn_sqlite_end(db, change_inside(db, name, value, unless_there, err), err);
}

enum mneme_status mn_secret_settle(struct mn_store *store, const char *name,
                                   char value[MN_SECRET_BYTES], struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    enum mneme_status status;

    MN_TRY(mn_turn_begin(self, err));
    status = change_behind_lock(self->writer, name, value, value, err);
    mn_turn_end(self);
    return status;
}

enum mneme_status mn_secret_put(struct mn_store *store, const char *name, const char *value,
                                struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    enum mneme_status status;

    MN_TRY(mn_turn_begin(self, err));
    status = change_behind_lock(self->writer, name, value, NULL, err);
    if (status == MNEME_OK)
        status = mn_sqlite_merge_log(self->writer, err);
    mn_turn_end(self);
    return status;
}
