/*
 * sqlite_erase.c - one transaction after which nothing that was meant is there any more.
 *
 * First the units are found (sqlite_erase_find.c), then what was drawn from nothing else
 * (sqlite_derived.c). What a row said is copied out before it is deleted, for the scan of the files
 * that follows and for the receipt's digests. An owner or a tenant is taken out by ranges of the
 * keys, single units each by a range of one. Then everything left that names one of them
 * (sqlite_links.c), tombstones, and for each partition one change row that tells every index to build
 * it anew: an index that caught up by single ids would need those ids, and the log would keep them.
 *
 * The mark "erase_unsettled" is put in the same transaction and taken away when the log is merged
 * and the files were scanned: a crash in between leaves it, and the next call writes the whole file
 * anew, since nobody knows any more what to look for.
 */
#include "store/sqlite_erase.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/hash.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_audit.h"
#include "store/sqlite_store.h"

#define WRITE_BYTES_MAX ((size_t)256 << 20)

/* ---- copying out ---- */

/* A summary often is its content: what was just kept need not be kept again. */
static bool kept_already(const struct mn_erasing *e, const char *owner, const void *bytes,
                         size_t count)
{
    for (size_t i = e->out->texts.count; i > 0 && i + 4 > e->out->texts.count; i--) {
        const struct mn_erased_text *text = &e->out->texts.item[i - 1];

        if (text->text.bytes == count && memcmp(text->text.at, bytes, count) == 0 &&
            text->said && strcmp(text->owner, owner) == 0)
            return true;
    }
    return false;
}

enum mneme_status mn_erasing_keep(struct mn_erasing *e, const char *owner, const void *bytes,
                                  size_t count, bool said, bool is_vector, struct mneme_error *err)
{
    struct mn_erased_text *text;
    char *copy;

    if (count == 0 || (!said && !is_vector && count <= 2) /* [] and {} */ ||
        kept_already(e, owner, bytes, count))
        return MNEME_OK;
    copy = mn_arena_copy_n(e->arena, bytes, count);
    text = copy ? mn_array_add(e->arena, &e->out->texts) : NULL;
    if (!text)
        return mn_fail_memory(err);
    *text = (struct mn_erased_text){ { copy, count }, owner, said, is_vector };
    return MNEME_OK;
}

/* A range of keys of one owner; last NULL: to the end. */
struct span {
    const char *owner;
    const char *first;
    const char *last;
};

static void bind_span(struct mn_stmt *stmt, const struct mn_erasing *e, const struct span *span)
{
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":owner", span->owner);
    mn_bind_text(stmt, ":first", span->first);
    if (span->last)
        mn_bind_text(stmt, ":last", span->last);
    else
        mn_bind_blob(stmt, ":last", "", 0); /* behind every text */
}

enum mneme_status mn_erasing_keep_rows(struct mn_erasing *e, struct mn_stmt *stmt,
                                       const char *owner, size_t said, bool is_vector,
                                       struct mneme_error *err)
{
    bool row = false;

    for (;;) {
        struct mn_reader reader = { .stmt = stmt };

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        for (size_t i = 0; i < mn_stmt_columns(stmt); i++) {
            size_t count;
            const void *bytes = mn_read_bytes(&reader, &count);

            MN_TRY(mn_erasing_keep(e, owner, bytes, count, i < said, is_vector, err));
        }
    }
}

static enum mneme_status keep_span(struct mn_erasing *e, const struct span *span, bool is_event,
                                   struct mneme_error *err)
{
    static const struct {
        const char *sql;
        size_t said;
        bool of_memory, of_event;
    } source[] = {
        { SQL_SQLITE_ERASE_MEMORY_TEXTS, 4, true, false },
        { SQL_SQLITE_ERASE_HISTORY_TEXTS, 4, true, false },
        { SQL_SQLITE_ERASE_EVENT_TEXTS, 1, false, true },
        { SQL_SQLITE_ERASE_VECTOR_TEXTS, 0, true, true },
    };
    bool whole = span->last == NULL;

    for (size_t i = 0; i < sizeof source / sizeof *source; i++) {
        MN_STMT_AUTO stmt = NULL;

        if (!whole && !(is_event ? source[i].of_event : source[i].of_memory))
            continue;
        MN_TRY(mn_sqlite_prepare(e->w->db, source[i].sql, &stmt, err));
        bind_span(stmt, e, span);
        MN_TRY(mn_erasing_keep_rows(e, stmt, span->owner, source[i].said, source[i].said == 0,
                                    err));
    }
    return MNEME_OK;
}

/* ---- deleting ---- */

static enum mneme_status remove_span(struct mn_erasing *e, const char *sql, const struct span *span,
                                     size_t *count, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(e->w->db, sql, &stmt, err));
    bind_span(stmt, e, span);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (count)
        *count += (size_t)mn_sqlite_changed(e->w->db);
    return MNEME_OK;
}

static enum mneme_status remove_units(struct mn_erasing *e, const struct span *span, bool is_event,
                                      struct mneme_error *err)
{
    size_t *counts = e->out->counts;

    MN_TRY(keep_span(e, span, is_event, err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_USAGE, span, &counts[MN_ERASED_USAGE], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_MEMORIES, span, &counts[MN_ERASED_MEMORY], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_HISTORY, span, &counts[MN_ERASED_HISTORY], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_EVENTS, span, &counts[MN_ERASED_EVENT], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_ARCHIVED, span, &counts[MN_ERASED_ARCHIVED], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_VECTORS, span, &counts[MN_ERASED_VECTOR], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_MENTIONS, span, &counts[MN_ERASED_MENTION], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_REQUESTS, span, &counts[MN_ERASED_REQUEST], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_EXTRACTIONS, span, &counts[MN_ERASED_EXTRACTION], err));
    return remove_span(e, SQL_SQLITE_ERASE_INDEX_STATE, span, NULL, err);
}

static enum mneme_status remove_sessions(struct mn_erasing *e, const struct span *span,
                                         struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_TASK_STATE_TEXTS, &stmt, err));
    bind_span(stmt, e, span);
    MN_TRY(mn_erasing_keep_rows(e, stmt, span->owner, 1, false, err));
    mn_stmt_reset_at(&stmt);
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_TASK_CHANGES, span,
                       &e->out->counts[MN_ERASED_CHANGE], err));
    MN_TRY(remove_span(e, SQL_SQLITE_ERASE_SESSIONS, span, &e->out->counts[MN_ERASED_SESSION], err));
    return remove_span(e, SQL_SQLITE_ERASE_TASK_STATES, span,
                       &e->out->counts[MN_ERASED_TASK_STATE], err);
}

/* A statement about one owner as a whole. */
static enum mneme_status run_owner(struct mn_erasing *e, const char *sql, const char *owner,
                                   size_t *count, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(e->w->db, sql, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":owner", owner);
    MN_TRY(mn_sqlite_done(stmt, err));
    if (count)
        *count += (size_t)mn_sqlite_changed(e->w->db);
    return MNEME_OK;
}

/* A statement about the tenant as a whole. */
static enum mneme_status run_tenant(struct mn_erasing *e, const char *sql, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(e->w->db, sql, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status keep_questions(struct mn_erasing *e, const char *owner,
                                        struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(e->w->db, SQL_SQLITE_ERASE_CLARIFICATION_TEXTS, &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    mn_bind_text(stmt, ":owner", owner);
    return mn_erasing_keep_rows(e, stmt, owner, 2, false, err);
}

static enum mneme_status remove_owner(struct mn_erasing *e, const char *owner,
                                      struct mneme_error *err)
{
    static const struct {
        const char *sql;
        enum mn_erased_kind kind;
    } rest[] = {
        { SQL_SQLITE_ERASE_RULES, MN_ERASED_RULE },
        { SQL_SQLITE_ERASE_ENTITIES, MN_ERASED_ENTITY },
        { SQL_SQLITE_ERASE_EDGES, MN_ERASED_EDGE },
        { SQL_SQLITE_ERASE_CLARIFICATIONS, MN_ERASED_CLARIFICATION },
        { SQL_SQLITE_ERASE_TRACES, MN_ERASED_TRACE },
        { SQL_SQLITE_ERASE_CHANGES, MN_ERASED_CHANGE },
    };
    const struct span all = { owner, "", NULL };

    MN_TRY(remove_units(e, &all, false, err));
    MN_TRY(remove_sessions(e, &all, err));
    MN_TRY(keep_questions(e, owner, err));
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        MN_TRY(run_owner(e, rest[i].sql, owner, &e->out->counts[rest[i].kind], err));
    return MNEME_OK;
}

static enum mneme_status remove_all(struct mn_erasing *e, struct mneme_error *err)
{
    const struct mneme_erasure *what = e->what;

    if (what->scope == MNEME_ERASE_TENANT) {
        for (size_t i = 0; i < e->out->partitions.count; i++)
            MN_TRY(remove_owner(e, e->out->partitions.item[i].owner, err));
        return run_tenant(e, SQL_SQLITE_ERASE_API_KEYS, err);
    }
    if (what->scope == MNEME_ERASE_USER)
        MN_TRY(remove_owner(e, what->user_id, err));
    for (size_t i = 0; i < e->out->items.count; i++) {
        const struct mn_erased_item *item = &e->out->items.item[i];
        const struct span one = { item->owner, item->id, item->id };

        if (what->scope != MNEME_ERASE_USER || strcmp(item->owner, what->user_id) != 0)
            MN_TRY(remove_units(e, &one, item->is_event, err));
    }
    if (what->scope == MNEME_ERASE_SESSION)
        MN_TRY(remove_sessions(e, &(struct span){ what->user_id, what->id, what->id }, err));
    if (what->scope == MNEME_ERASE_MEMORY &&
        e->out->counts[MN_ERASED_EVENT] + e->out->counts[MN_ERASED_ARCHIVED] > 0) {
        MN_TRY(run_owner(e, SQL_SQLITE_ERASE_SESSIONS_RECOUNT, what->user_id, NULL, err));
        MN_TRY(run_owner(e, SQL_SQLITE_ERASE_SESSIONS_EMPTY, what->user_id,
                         &e->out->counts[MN_ERASED_SESSION], err));
    }
    return MNEME_OK;
}

/* ---- what stays behind ---- */

/* The mark, and with the first erasure the key that seals receipts. */
static enum mneme_status put_marks(struct mn_erasing *e, struct mneme_error *err)
{
    char text[MN_SHA256_HEX_BYTES];
    unsigned char random[64];

    MN_TRY(mn_sqlite_meta(e->w->db, MN_META_UNSETTLED, text, sizeof text, err));
    e->out->cut_short = text[0] != '\0';
    (void)snprintf(text, sizeof text, "%lld", (long long)e->w->commit->now_ms);
    MN_TRY(mn_sqlite_meta_put(e->w->db, MN_META_UNSETTLED, text, err));
    MN_TRY(mn_sqlite_meta(e->w->db, MN_META_RECEIPT_KEY, text, sizeof text, err));
    if (text[0] != '\0')
        return MNEME_OK;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    if (!mn_sha256_hex(random, sizeof random, text))
        return mn_fail_memory(err);
    return mn_sqlite_meta_put(e->w->db, MN_META_RECEIPT_KEY, text, err);
}

static enum mneme_status put_tombstones(struct mn_erasing *e, struct mneme_error *err)
{
    const struct mneme_erasure *what = e->what;

    for (size_t i = 0; i < e->out->items.count; i++)
        MN_TRY(mn_tombstone_put(e->w, MN_TOMBSTONE_UNIT, what->tenant_id,
                                e->out->items.item[i].id, err));
    if (what->scope == MNEME_ERASE_SESSION)
        MN_TRY(mn_tombstone_put(e->w, MN_TOMBSTONE_SESSION, what->tenant_id, what->id, err));
    if (what->scope == MNEME_ERASE_USER)
        MN_TRY(mn_tombstone_put(e->w, MN_TOMBSTONE_USER, what->tenant_id, what->user_id, err));
    if (what->scope == MNEME_ERASE_TENANT)
        MN_TRY(mn_tombstone_put(e->w, MN_TOMBSTONE_TENANT, what->tenant_id, "", err));
    for (size_t i = 0; i < e->out->partitions.count; i++) {
        const char *owner = e->out->partitions.item[i].owner;

        MN_TRY(run_owner(e, SQL_SQLITE_ERASE_SEGMENTS, owner, NULL, err));
        MN_TRY(mn_write_change(e->w, MN_CHANGE_ERASE, what->tenant_id, owner, "", 0, err));
    }
    return put_marks(e, err);
}

/* Files of the archive that have lost turns; they are put in order there later (lifecycle/archive.h). */
static enum mneme_status doom_archived(struct mn_erasing *e, struct mneme_error *err)
{
    MN_TRY(run_tenant(e, SQL_SQLITE_ERASE_ARCHIVE_DOOM, err));
    MN_TRY(run_tenant(e, SQL_SQLITE_ERASE_ARCHIVE_SHORTEN, err));
    if (e->what->scope != MNEME_ERASE_TENANT)
        return MNEME_OK;
    return run_tenant(e, SQL_SQLITE_ERASE_ARCHIVED_OWNERLESS, err);
}

static enum mneme_status erase_inside(struct mn_erasing *e, struct mneme_error *err)
{
    MN_TRY(mn_erasing_find(e, err));
    MN_TRY(mn_erasing_find_derived(e, err));
    MN_TRY(remove_all(e, err));
    MN_TRY(mn_sqlite_run(e->w->db, SQL_SQLITE_ERASE_JOB_PLACES, err));
    MN_TRY(doom_archived(e, err));
    MN_TRY(mn_erasing_unlink(e, err));
    MN_TRY(put_tombstones(e, err));
    return mn_audit_erased(e, &e->out->audit, err);
}

static enum mneme_status erase_behind_lock(struct mn_sqlite *db, struct mn_erasing *e,
                                           struct mneme_error *err)
{
    enum mneme_status status;

    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_WRITE, err));
    status = erase_inside(e, err);
    if (status == MNEME_OK && !e->what->preview)
        status = mn_sqlite_keep(db, err);
    if (!sqlite3_get_autocommit(mn_sqlite_handle(db)))
        (void)mn_sqlite_run(db, SQL_SQLITE_ROLLBACK, NULL);
    return status;
}

enum mneme_status mn_sqlite_erase(struct mn_store *store, const struct mneme_erasure *what,
                                  struct mn_arena *arena, struct mn_erased *ret_erased,
                                  struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    MN_ARENA_AUTO scratch = mn_arena_new(WRITE_BYTES_MAX);
    const struct mn_commit commit = { .actor = what->actor, .now_ms = what->now_ms };
    struct mn_writing w = { .commit = &commit, .arena = scratch };
    struct mn_erased erased = { 0 };
    struct mn_erasing e = { .w = &w, .what = what, .arena = arena, .out = &erased };
    enum mneme_status status;

    MN_TRY(mn_turn_begin(self, err));
    w.db = self->writer;
    status = erase_behind_lock(self->writer, &e, err);
    mn_known_forget(&self->known);
    mn_row_cache_forget(self->rows); /* whatever came of it: texts may be kept there */
    mn_turn_end(self);
    if (status == MNEME_OK)
        *ret_erased = erased;
    return status;
}
