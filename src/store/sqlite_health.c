/*
 * sqlite_health.c - the figures of each user, and whether the file is whole.
 *
 * One pass over each table gives a row a user, and the users are known beforehand, in order: so no
 * table is gone through once a user. All of it is one state of the store.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"
#include "text/passages.h"

#define DAY_MS INT64_C(86400000)
#define LOOP_MS 60000 /* the same question within that again */

struct figures {
    struct mn_sqlite *db;
    const struct mn_partition *only;
    int64_t now_ms;
    const char *profile;
    struct mn_arena *arena;
    struct mn_health_users users;
};

static enum mneme_status begin(const struct figures *f, const char *sql, bool dated,
                               struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    MN_TRY(mn_sqlite_prepare(f->db, sql, ret_stmt, err));
    if (f->only->tenant)
        mn_bind_text(*ret_stmt, ":tenant", f->only->tenant);
    else
        mn_bind_null(*ret_stmt, ":tenant");
    if (f->only->owner)
        mn_bind_text(*ret_stmt, ":owner", f->only->owner);
    else
        mn_bind_null(*ret_stmt, ":owner");
    if (dated) {
        mn_bind_integer(*ret_stmt, ":now_ms", f->now_ms);
        mn_bind_integer(*ret_stmt, ":day_ms", DAY_MS);
    }
    return MNEME_OK;
}

static int compare_users(const void *key, const void *item)
{
    const struct mn_partition *a = key;
    const struct mn_health_user *b = item;
    int order = strcmp(a->tenant, b->partition.tenant);

    return order ? order : strcmp(a->owner, b->partition.owner);
}

static enum mneme_status find_users(struct figures *f, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(begin(f, SQL_SQLITE_HEALTH_USERS, false, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = f->arena };
        struct mn_health_user *user;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        user = mn_array_add(f->arena, &f->users);
        if (!user)
            return mn_fail_memory(err);
        user->partition.tenant = mn_read_text(&reader);
        user->partition.owner = mn_read_text(&reader);
        user->holds = mn_read_integer(&reader) != 0;
        MN_TRY(mn_read_end(&reader, err));
    }
}

/* Takes what one row of a statement, behind its tenant and owner, says of the user. */
typedef void (*take_fn)(struct mn_reader *reader, struct mn_health_user *user);

static void take_memories(struct mn_reader *r, struct mn_health_user *user)
{
    user->memories = mn_read_integer(r);
    user->active = mn_read_integer(r);
    user->stale = mn_read_integer(r);
    for (size_t i = 0; i < 3; i++)
        user->added[i] = mn_read_integer(r);
    user->updates_day += mn_read_integer(r);
    user->updates_week += mn_read_integer(r);
    user->old = mn_read_integer(r);
    user->never_recalled = mn_read_integer(r);
}

static void take_reported(struct mn_reader *r, struct mn_health_user *user)
{
    user->reported = mn_read_integer(r);
}

static void take_changed(struct mn_reader *r, struct mn_health_user *user)
{
    user->updates_day += mn_read_integer(r);
    user->updates_week += mn_read_integer(r);
}

static void take_duplicates(struct mn_reader *r, struct mn_health_user *user)
{
    user->duplicates = mn_read_integer(r);
}

static void take_questions(struct mn_reader *r, struct mn_health_user *user)
{
    user->questions = mn_read_integer(r);
}

static void take_vectors(struct mn_reader *r, struct mn_health_user *user)
{
    user->vectors_missing = mn_read_integer(r);
}

static enum mneme_status take_all(struct figures *f, struct mn_stmt *stmt, take_fn take,
                                  struct mneme_error *err)
{
    bool row = false;

    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 20);
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_partition key;
        struct mn_health_user *user;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        key.tenant = mn_read_text(&reader);
        key.owner = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        user = f->users.count ? bsearch(&key, f->users.item, f->users.count, sizeof *user,
                                        compare_users)
                              : NULL;
        if (user)
            take(&reader, user);
        MN_TRY(mn_read_end(&reader, err));
    }
}

static enum mneme_status take_from(struct figures *f, const char *sql, bool dated, take_fn take,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(begin(f, sql, dated, &stmt, err));
    return take_all(f, stmt, take, err);
}

static enum mneme_status take_missing(struct figures *f, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    if (!f->profile[0])
        return MNEME_OK;
    MN_TRY(begin(f, SQL_SQLITE_HEALTH_VECTORS, false, &stmt, err));
    mn_bind_text(stmt, ":profile", f->profile);
    mn_bind_integer(stmt, ":long_bytes", MN_PASSAGE_TEXT_BYTES_MAX);
    return take_all(f, stmt, take_vectors, err);
}

/* ---- recalls, in the order of users and instants ---- */

struct asked {
    struct mn_partition of;
    const char *words;
    int64_t at_ms;
};

static enum mneme_status read_recall(struct figures *f, struct mn_stmt *stmt,
                                     struct mn_arena *arena, struct asked *last,
                                     struct mneme_error *err)
{
    struct mn_reader r = { .stmt = stmt, .arena = arena };
    struct asked now;
    struct mn_health_user *user;
    bool wanted, hit;
    int64_t us;

    now.of.tenant = mn_read_text(&r);
    now.of.owner = mn_read_text(&r);
    now.at_ms = mn_read_integer(&r);
    wanted = mn_read_integer(&r) != 0;
    hit = mn_read_integer(&r) != 0;
    us = mn_read_integer(&r);
    now.words = mn_read_text(&r);
    MN_TRY(mn_read_end(&r, err));
    user = f->users.count ? bsearch(&now.of, f->users.item, f->users.count, sizeof *user,
                                    compare_users)
                          : NULL;
    if (!user)
        return MNEME_OK;
    user->recalls++;
    user->recall_us += us;
    user->wanted += wanted;
    user->hits += wanted && hit;
    user->loops += wanted && last->words && strlen(now.words) > 2 &&
                   !strcmp(last->words, now.words) && !strcmp(last->of.tenant, now.of.tenant) &&
                   !strcmp(last->of.owner, now.of.owner) && now.at_ms - last->at_ms <= LOOP_MS;
    *last = now;
    return MNEME_OK;
}

static enum mneme_status take_recalls(struct figures *f, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)256 << 20);
    MN_STMT_AUTO stmt = NULL;
    struct asked last = { .words = NULL };
    bool row = false;

    MN_TRY(begin(f, SQL_SQLITE_HEALTH_RECALLS, true, &stmt, err));
    for (;;) {
        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        MN_TRY(read_recall(f, stmt, arena, &last, err));
    }
}

enum mneme_status mn_sqlite_health(struct mn_store *store, const struct mn_partition *only,
                                   const char *profile, int64_t now_ms, struct mn_arena *arena,
                                   struct mn_health_users *ret_users, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct figures f = { .only = only, .now_ms = now_ms, .profile = profile, .arena = arena };

    MN_TRY(mn_reading_begin(store, &reading, err));
    f.db = reading.db;
    f.users.path = mn_arena_copy(arena, reading.store->path);
    if (!f.users.path)
        return mn_fail_memory(err);
    MN_TRY(find_users(&f, err));
    MN_TRY(take_from(&f, SQL_SQLITE_HEALTH_MEMORIES, true, take_memories, err));
    MN_TRY(take_from(&f, SQL_SQLITE_HEALTH_CHANGED, true, take_changed, err));
    MN_TRY(take_from(&f, SQL_SQLITE_HEALTH_DUPLICATES, false, take_duplicates, err));
    MN_TRY(take_from(&f, SQL_SQLITE_HEALTH_QUESTIONS, false, take_questions, err));
    MN_TRY(take_from(&f, SQL_SQLITE_HEALTH_REPORTED, false, take_reported, err));
    MN_TRY(take_missing(&f, err));
    MN_TRY(take_recalls(&f, err));
    *ret_users = f.users;
    return MNEME_OK;
}

/* ---- the file ---- */

static enum mneme_status first_text(struct mn_sqlite *db, const char *sql, struct mn_arena *arena,
                                    const char **ret_text, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, sql, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    *ret_text = row ? mn_read_text(&reader) : "";
    return mn_read_end(&reader, err);
}

enum mneme_status mn_sqlite_check(struct mn_store *store, struct mn_arena *arena,
                                  struct mn_store_check *ret_check, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO last = NULL;
    struct mn_reader reader = { 0 };
    struct mn_store_check check = { 0 };
    char mark[32];
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    check.path = mn_arena_copy(arena, reading.store->path);
    if (!check.path)
        return mn_fail_memory(err);
    MN_TRY(first_text(reading.db, SQL_SQLITE_CHECK_WHOLE, arena, &check.whole, err));
    MN_TRY(first_text(reading.db, SQL_SQLITE_CHECK_REFERENCES, arena, &check.references, err));
    MN_TRY(mn_sqlite_meta(reading.db, MN_META_UNSETTLED, mark, sizeof mark, err));
    check.unsettled = mark[0] != '\0';
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_AUDIT_LAST_AT, &last, err));
    MN_TRY(mn_sqlite_step(last, &row, err));
    reader.stmt = last;
    check.last_at_ms = row ? mn_read_integer(&reader) : 0;
    if (!strcmp(check.whole, "ok"))
        check.whole = "";
    *ret_check = check;
    return MNEME_OK;
}
