/*
 * sqlite_prune.c - what need not be kept for ever: old changes, traces, answers to old requests.
 *
 * Changes leave in the order of their numbers and without a gap, whatever instants callers gave
 * them, so that a reader's cursor is either whole or too old. The last one stays.
 */
#include <stdio.h>

#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

static enum mneme_status one_number(struct mn_stmt *stmt, int64_t otherwise, int64_t *ret_number,
                                    struct mneme_error *err)
{
    struct mn_reader reader = { .stmt = stmt };
    bool row = false;

    MN_TRY(mn_sqlite_step(stmt, &row, err));
    *ret_number = row ? mn_read_integer(&reader) : otherwise;
    return MNEME_OK;
}

/* *ret_seq: what is before it goes. */
static enum mneme_status find_end(struct mn_sqlite *db, const struct mn_retention *keep,
                                  int64_t rows_max, int64_t *ret_seq, struct mneme_error *err)
{
    MN_STMT_AUTO first = NULL;
    MN_STMT_AUTO last = NULL;
    MN_STMT_AUTO young = NULL;
    int64_t first_seq, last_seq, end;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_CHANGES_FIRST_KEPT, &first, err));
    MN_TRY(one_number(first, 0, &first_seq, err));
    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_CHANGES_LAST, &last, err));
    MN_TRY(one_number(last, 0, &last_seq, err));
    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_CHANGES_FIRST_YOUNG, &young, err));
    mn_bind_integer(young, ":seq", last_seq - keep->changes_max);
    mn_bind_integer(young, ":oldest_ms", keep->now_ms - keep->changes_ms);
    MN_TRY(one_number(young, last_seq, &end, err));
    *ret_seq = end < first_seq + rows_max ? end : first_seq + rows_max;
    return MNEME_OK;
}

static enum mneme_status prune_changes(struct mn_sqlite *db, const struct mn_retention *keep,
                                       int64_t rows_max, bool *ret_more, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    int64_t end = 0;

    MN_TRY(find_end(db, keep, rows_max, &end, err));
    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_CHANGES_PRUNE, &stmt, err));
    mn_bind_integer(stmt, ":seq", end);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_more = *ret_more || mn_sqlite_changed(db) >= rows_max;
    return MNEME_OK;
}

/* oldest_id: NULL where the statement does not ask for it. */
static enum mneme_status prune_old(struct mn_sqlite *db, const char *sql, int64_t oldest_ms,
                                   const char *oldest_id, int64_t rows_max, bool *ret_more,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, sql, &stmt, err));
    mn_bind_integer(stmt, ":oldest_ms", oldest_ms);
    if (oldest_id)
        mn_bind_text(stmt, ":oldest_id", oldest_id);
    mn_bind_integer(stmt, ":limit", rows_max);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_more = *ret_more || mn_sqlite_changed(db) >= rows_max;
    return MNEME_OK;
}

/* A recall may have been asked as if it were another day; its id says when it was made. */
static enum mneme_status prune_traces(struct mn_sqlite *db, int64_t oldest_ms, int64_t rows_max,
                                      bool *ret_more, struct mneme_error *err)
{
    int64_t ms = oldest_ms > 0 ? oldest_ms : 0;
    char oldest_id[32];

    (void)snprintf(oldest_id, sizeof oldest_id, "trc_%08llx-%04llx", (unsigned long long)ms >> 16,
                   (unsigned long long)ms & 0xffff);
    return prune_old(db, SQL_SQLITE_TRACES_PRUNE_OLD, oldest_ms, oldest_id, rows_max, ret_more,
                     err);
}

static enum mneme_status prune_many(struct mn_sqlite *db, int64_t kept_max, int64_t rows_max,
                                    bool *ret_more, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_TRACES_PRUNE_MANY, &stmt, err));
    mn_bind_integer(stmt, ":limit", rows_max);
    mn_bind_integer(stmt, ":kept_max", kept_max);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_more = *ret_more || mn_sqlite_changed(db) >= rows_max;
    return MNEME_OK;
}

static enum mneme_status prune_all(struct mn_sqlite *db, const struct mn_retention *keep,
                                   int64_t rows_max, bool *ret_more, struct mneme_error *err)
{
    MN_TRY(prune_changes(db, keep, rows_max, ret_more, err));
    MN_TRY(prune_traces(db, keep->now_ms - keep->traces_ms, rows_max, ret_more, err));
    MN_TRY(prune_many(db, keep->traces_max, rows_max, ret_more, err));
    return prune_old(db, SQL_SQLITE_REQUESTS_PRUNE, keep->now_ms - MN_REQUEST_KEPT_MS, NULL,
                     rows_max, ret_more, err);
}

static enum mneme_status prune_behind_lock(struct mn_sqlite *db, const struct mn_retention *keep,
                                           int64_t rows_max, bool *ret_more,
                                           struct mneme_error *err)
{
    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_WRITE, err));
    return mn_sqlite_end(db, prune_all(db, keep, rows_max, ret_more, err), err);
}

enum mneme_status mn_sqlite_prune(struct mn_store *store, const struct mn_retention *keep,
                                  size_t rows_max, bool *ret_more, struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    enum mneme_status status;
    bool more = false;

    MN_TRY(mn_turn_begin(self, err));
    status = prune_behind_lock(self->writer, keep, (int64_t)rows_max, &more, err);
    mn_turn_end(self);
    if (status == MNEME_OK)
        *ret_more = more;
    return status;
}
