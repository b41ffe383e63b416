/*
 * sqlite_reconcile.c - what is derived, held against the rows it is derived from, and put right.
 *
 * A table of parts: each has a statement that finds what differs, or a walk of its own where a hash
 * has to be reckoned or a vector looked at, and what puts one row right. Finding reads one state and
 * locks nobody out. Repairing is one transaction, over the rows that were found and no others; each
 * is looked at again in it, since writers went on meanwhile. Where an index holds something of the
 * row, a change row tells it.
 */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "memory/record.h"
#include "sql/sqlite.gen.h"
#include "store/half.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"
#include "text/token_codes.h"
#include "text/passages.h"

#define ROW_BYTES_MAX ((size_t)64 << 20)
#define LENGTH_SLACK 0.01f /* of a vector of length 1, at half precision */

struct check {
    const struct mn_writing *w; /* also while reading: its connection and its arena */
    const char *profile, *tokens_profile;
    struct mn_arena *arena; /* of the result */
    struct mn_reconciled *out;
};

static enum mneme_status add(struct check *c, enum mn_derived part, const char *tenant,
                             const char *owner, const char *id, const char *profile,
                             struct mneme_error *err)
{
    struct mn_derived_row *row = mn_array_add(c->arena, &c->out->part[part].row);

    if (!row)
        return mn_fail_memory(err);
    *row = (struct mn_derived_row){ mn_arena_copy(c->arena, tenant), mn_arena_copy(c->arena, owner),
                                    mn_arena_copy(c->arena, id), mn_arena_copy(c->arena, profile) };
    c->out->part[part].differ++;
    return row->tenant && row->owner && row->id && row->profile ? MNEME_OK : mn_fail_memory(err);
}

/* ---- hashes ---- */

struct hashes {
    const char *content; /* of a memory; else "" */
    const char *embed;
    const char *tenant, *owner, *id;
    int64_t revision;
    bool differ; /* from those in the row */
};

/* The present row of CHECK_MEMORIES or CHECK_EVENTS. */
static enum mneme_status reckon(struct mn_stmt *stmt, bool events, struct mn_arena *arena,
                                struct hashes *ret_hashes, struct mneme_error *err)
{
    struct mn_reader reader = { .stmt = stmt, .arena = arena };
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct hashes h = { .content = "", .revision = 1 };
    const char *embed;

    if (events) {
        mn_row_read_event(&reader, &event);
        h.tenant = event.tenant_id, h.owner = event.user_id, h.id = event.id;
    } else {
        mn_row_read_memory(&reader, &memory);
        h.tenant = memory.tenant_id, h.owner = memory.user_id, h.id = memory.id;
        h.revision = memory.revision;
    }
    embed = mn_read_text(&reader);
    MN_TRY(mn_read_end(&reader, err));
    if (events) {
        MN_TRY(mn_row_event_embed_hash(&event, arena, &h.embed, err));
    } else {
        MN_TRY(mn_memory_hash(memory.content, arena, &h.content, err));
        MN_TRY(mn_row_embed_hash(&memory, "", arena, &h.embed, err));
        h.differ = strcmp(h.content, memory.content_hash) != 0;
    }
    h.differ = h.differ || strcmp(h.embed, embed) != 0;
    *ret_hashes = h;
    return MNEME_OK;
}

static enum mneme_status check_hashes(struct check *c, bool events, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(c->w->db, events ? SQL_SQLITE_CHECK_EVENTS : SQL_SQLITE_CHECK_MEMORIES,
                             &stmt, err));
    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new(ROW_BYTES_MAX);
        struct hashes h;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        MN_TRY(reckon(stmt, events, arena, &h, err));
        if (h.differ)
            MN_TRY(add(c, events ? MN_DERIVED_EVENT_HASH : MN_DERIVED_TEXT_HASH, h.tenant, h.owner,
                       h.id, "", err));
    }
}

static enum mneme_status check_memories(struct check *c, struct mneme_error *err)
{
    return check_hashes(c, false, err);
}

static enum mneme_status check_events(struct check *c, struct mneme_error *err)
{
    return check_hashes(c, true, err);
}

static void bind_row(struct mn_stmt *stmt, const struct mn_derived_row *row)
{
    mn_bind_text(stmt, ":tenant", row->tenant);
    mn_bind_text(stmt, ":owner", row->owner);
    mn_bind_text(stmt, ":id", row->id);
}

static enum mneme_status mend_hashes(const struct check *c, bool events,
                                     const struct mn_derived_row *row, bool *ret_mended,
                                     struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ROW_BYTES_MAX);
    MN_STMT_AUTO get = NULL;
    MN_STMT_AUTO put = NULL;
    struct hashes h;
    bool there = false;

    MN_TRY(mn_sqlite_prepare(c->w->db, events ? SQL_SQLITE_CHECK_EVENT : SQL_SQLITE_CHECK_MEMORY,
                             &get, err));
    bind_row(get, row);
    MN_TRY(mn_sqlite_step(get, &there, err));
    if (!there)
        return MNEME_OK;
    MN_TRY(reckon(get, events, arena, &h, err));
    if (!h.differ)
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(c->w->db, events ? SQL_SQLITE_MEND_EVENT : SQL_SQLITE_MEND_MEMORY,
                             &put, err));
    bind_row(put, row);
    mn_bind_text(put, ":embed_hash", h.embed);
    if (!events)
        mn_bind_text(put, ":content_hash", h.content);
    MN_TRY(mn_sqlite_done(put, err));
    *ret_mended = true;
    return mn_write_change(c->w, events ? MN_CHANGE_EVENT : MN_CHANGE_MEMORY, row->tenant,
                           row->owner, row->id, h.revision, err);
}

static enum mneme_status mend_memory(const struct check *c, const struct mn_derived_row *row,
                                     bool *ret_mended, struct mneme_error *err)
{
    return mend_hashes(c, false, row, ret_mended, err);
}

static enum mneme_status mend_event(const struct check *c, const struct mn_derived_row *row,
                                    bool *ret_mended, struct mneme_error *err)
{
    return mend_hashes(c, true, row, ret_mended, err);
}

/* ---- vectors ---- */

static bool is_vector(const char *bytes, size_t dim)
{
    float length = 0;

    for (size_t i = 0; i < dim; i++) {
        float x;

        mn_half_unpack(bytes + 2 * i, 1, &x);
        length += x * x;
    }
    return isfinite(length) && fabsf(sqrtf(length) - 1.0f) <= LENGTH_SLACK;
}

/* Its profile is named after that of the vectors and its axes. */
static bool of_tokens(const char *profile)
{
    return strchr(profile, '.') != NULL;
}

/* One, or one behind the other: of a long text those of its passages as well. */
static bool are_vectors(const char *bytes, size_t count, int64_t dim)
{
    size_t each = dim > 0 ? (size_t)dim * 2 : 0;
    bool good = each && count && count % each == 0;

    for (size_t at = 0; good && at < count; at += each)
        good = is_vector(bytes + at, (size_t)dim);
    return good;
}

static enum mneme_status check_vectors(struct check *c, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(c->w->db, SQL_SQLITE_CHECK_VECTORS, &stmt, err));
    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new(ROW_BYTES_MAX);
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        const char *tenant, *owner, *unit, *profile;
        size_t bytes = 0;
        bool whole, of_unit;
        int64_t dim;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        tenant = mn_read_text(&reader);
        owner = mn_read_text(&reader);
        unit = mn_read_text(&reader);
        dim = mn_read_integer(&reader);
        const void *vector = mn_read_bytes(&reader, &bytes);
        of_unit = mn_read_integer(&reader) != 0;
        profile = mn_read_text(&reader);
        whole = of_tokens(profile) ? dim == MN_TOKEN_AXES && mn_token_codes_whole(vector, bytes)
                                   : vector && are_vectors(vector, bytes, dim);
        MN_TRY(mn_read_end(&reader, err));
        if (!whole || !of_unit)
            MN_TRY(add(c, MN_DERIVED_VECTOR, tenant, owner, unit, profile, err));
    }
}

static enum mneme_status mend_vector(const struct check *c, const struct mn_derived_row *row,
                                     bool *ret_mended, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(c->w->db, SQL_SQLITE_MEND_VECTOR, &stmt, err));
    bind_row(stmt, row);
    mn_bind_text(stmt, ":profile", row->profile);
    MN_TRY(mn_sqlite_done(stmt, err));
    *ret_mended = mn_sqlite_changed(c->w->db) > 0;
    /* The unit is looked at again, by the index and by who embeds. */
    return mn_write_change(c->w, MN_CHANGE_MEMORY, row->tenant, row->owner, row->id, 0, err);
}

/* ---- edges ---- */

static enum mneme_status check_edges(struct check *c, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(c->w->db, SQL_SQLITE_CHECK_EDGES, &stmt, err));
    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new(ROW_BYTES_MAX);
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        const char *tenant, *owner, *id;
        struct mneme_list evidence;
        bool erased = false;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        tenant = mn_read_text(&reader);
        owner = mn_read_text(&reader);
        id = mn_read_text(&reader);
        evidence = mn_read_list(&reader);
        MN_TRY(mn_read_end(&reader, err));
        MN_TRY(mn_tombstone_among(c->w, tenant, evidence, &erased, err));
        if (erased)
            MN_TRY(add(c, MN_DERIVED_EDGE, tenant, owner, id, "", err));
    }
}

/* ---- the parts ---- */

struct part {
    const char *count;
    const char *find; /* NULL: by a walk */
    enum mneme_status (*walk)(struct check *c, struct mneme_error *err);
    const char *mend[2]; /* NULL: by a function */
    enum mneme_status (*mend_one)(const struct check *c, const struct mn_derived_row *row,
                                  bool *ret_mended, struct mneme_error *err);
    enum mn_change_kind tells; /* 0: no index holds anything of it */
};

static const struct part parts[MN_DERIVED_COUNT] = {
    [MN_DERIVED_TEXT_HASH] = { .count = SQL_SQLITE_COUNT_MEMORIES,
                               .walk = check_memories,
                               .mend_one = mend_memory },
    [MN_DERIVED_EVENT_HASH] = { .count = SQL_SQLITE_COUNT_EVENTS,
                                .walk = check_events,
                                .mend_one = mend_event },
    [MN_DERIVED_VECTOR] = { .count = SQL_SQLITE_COUNT_VECTORS,
                            .walk = check_vectors,
                            .mend_one = mend_vector },
    [MN_DERIVED_LOST_VECTOR] = { .count = SQL_SQLITE_COUNT_UNITS,
                                 .find = SQL_SQLITE_CHECK_LOST_VECTORS,
                                 .mend = { SQL_SQLITE_MEND_LOST_VECTOR } },
    [MN_DERIVED_USAGE] = { .count = SQL_SQLITE_COUNT_USAGE,
                           .find = SQL_SQLITE_CHECK_USAGE,
                           .mend = { SQL_SQLITE_MEND_USAGE } },
    [MN_DERIVED_RULE] = { .count = SQL_SQLITE_COUNT_RULES,
                          .find = SQL_SQLITE_CHECK_RULES,
                          .mend = { SQL_SQLITE_MEND_RULE_OWNER, SQL_SQLITE_MEND_RULE },
                          .tells = MN_CHANGE_RULE },
    [MN_DERIVED_EDGE] = { .count = SQL_SQLITE_COUNT_EDGES,
                          .walk = check_edges,
                          .mend = { SQL_SQLITE_MEND_EDGE },
                          .tells = MN_CHANGE_EDGE },
    [MN_DERIVED_ENTITY] = { .count = SQL_SQLITE_COUNT_ENTITIES,
                            .find = SQL_SQLITE_CHECK_ENTITIES,
                            .mend = { SQL_SQLITE_MEND_ENTITY_MISSING, SQL_SQLITE_MEND_ENTITY } },
    [MN_DERIVED_MENTION] = { .count = SQL_SQLITE_COUNT_MENTIONS,
                             .find = SQL_SQLITE_CHECK_MENTIONS,
                             .mend = { SQL_SQLITE_MEND_MENTIONS } },
    [MN_DERIVED_SESSION] = { .count = SQL_SQLITE_COUNT_SESSIONS,
                             .find = SQL_SQLITE_CHECK_SESSIONS,
                             .mend = { SQL_SQLITE_MEND_SESSION } },
    [MN_DERIVED_QUESTION] = { .count = SQL_SQLITE_COUNT_QUESTIONS,
                              .find = SQL_SQLITE_CHECK_QUESTIONS,
                              .mend = { SQL_SQLITE_MEND_QUESTION } },
    [MN_DERIVED_REQUEST] = { .count = SQL_SQLITE_COUNT_REQUESTS,
                             .find = SQL_SQLITE_CHECK_REQUESTS,
                             .mend = { SQL_SQLITE_MEND_REQUEST } },
    [MN_DERIVED_INDEX_STATE] = { .count = SQL_SQLITE_COUNT_INDEX_STATE,
                                 .find = SQL_SQLITE_CHECK_INDEX_STATE,
                                 .mend = { SQL_SQLITE_MEND_INDEX_STATE } },
};

static enum mneme_status find(struct check *c, enum mn_derived part, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(c->w->db, parts[part].find, &stmt, err));
    if (part == MN_DERIVED_LOST_VECTOR) {
        mn_bind_text(stmt, ":profile", c->profile);
        mn_bind_text(stmt, ":tokens", c->tokens_profile);
        mn_bind_integer(stmt, ":long_bytes", MN_PASSAGE_TEXT_BYTES_MAX);
    }
    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new(ROW_BYTES_MAX);
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        const char *tenant, *owner, *id;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        tenant = mn_read_text(&reader);
        owner = mn_read_text(&reader);
        id = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
        MN_TRY(add(c, part, tenant, owner, id, "", err));
    }
}

static enum mneme_status check_all(struct check *c, struct mneme_error *err)
{
    for (size_t i = 0; i < MN_DERIVED_COUNT; i++) {
        MN_TRY(mn_sqlite_integer(c->w->db, parts[i].count, &c->out->part[i].rows, err));
        MN_TRY(parts[i].walk ? parts[i].walk(c, err) : find(c, (enum mn_derived)i, err));
    }
    return MNEME_OK;
}

/* ---- putting right ---- */

static enum mneme_status mend_by_sql(const struct check *c, enum mn_derived part,
                                     const struct mn_derived_row *row, bool *ret_mended,
                                     struct mneme_error *err)
{
    for (size_t i = 0; i < 2 && parts[part].mend[i]; i++) {
        MN_STMT_AUTO stmt = NULL;

        MN_TRY(mn_sqlite_prepare(c->w->db, parts[part].mend[i], &stmt, err));
        if (part == MN_DERIVED_LOST_VECTOR) {
            mn_bind_text(stmt, ":profile", c->profile);
            mn_bind_text(stmt, ":tokens", c->tokens_profile);
        } else {
            mn_bind_text(stmt, ":tenant", row->tenant);
            if (part != MN_DERIVED_USAGE && part != MN_DERIVED_RULE)
                mn_bind_text(stmt, ":owner", row->owner);
            mn_bind_text(stmt, ":id", row->id);
        }
        if (part == MN_DERIVED_QUESTION)
            mn_bind_integer(stmt, ":now_ms", c->w->commit->now_ms);
        MN_TRY(mn_sqlite_done(stmt, err));
        *ret_mended = *ret_mended || mn_sqlite_changed(c->w->db) > 0;
    }
    if (*ret_mended && parts[part].tells)
        return mn_write_change(c->w, parts[part].tells, row->tenant, row->owner, row->id, 0, err);
    return MNEME_OK;
}

static enum mneme_status mend_all(const struct check *c, struct mneme_error *err)
{
    for (size_t i = 0; i < MN_DERIVED_COUNT; i++) {
        for (size_t k = 0; k < c->out->part[i].row.count; k++) {
            const struct mn_derived_row *row = &c->out->part[i].row.item[k];
            bool mended = false;

            MN_TRY(parts[i].mend_one ? parts[i].mend_one(c, row, &mended, err)
                                     : mend_by_sql(c, (enum mn_derived)i, row, &mended, err));
            /* One position is taken back for all the vectors behind it. */
            c->out->part[i].repaired += mended || (i == MN_DERIVED_LOST_VECTOR && k > 0);
        }
    }
    return MNEME_OK;
}

typedef enum mneme_status (*change_fn)(const struct check *c, struct mneme_error *err);

static enum mneme_status in_transaction(const struct check *c, change_fn change,
                                        struct mneme_error *err)
{
    MN_TRY(mn_sqlite_run(c->w->db, SQL_SQLITE_BEGIN_WRITE, err));
    return mn_sqlite_end(c->w->db, change(c, err), err);
}

static enum mneme_status mend_in_transaction(const struct check *c, struct mneme_error *err)
{
    return in_transaction(c, mend_all, err);
}

/* ---- the calls ---- */

static enum mneme_status look(struct mn_store *store, struct check *c, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_ARENA_AUTO scratch = mn_arena_new(ROW_BYTES_MAX);
    const struct mn_commit none = { .actor = "" };
    struct mn_writing w = { .commit = &none, .arena = scratch };

    MN_TRY(mn_reading_begin(store, &reading, err));
    w.db = reading.db;
    c->w = &w;
    return check_all(c, err);
}

/* With the writer, while nobody else writes. */
static enum mneme_status in_turn(struct mn_store *store, struct check *c, int64_t now_ms,
                                 change_fn what, struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    MN_ARENA_AUTO scratch = mn_arena_new(ROW_BYTES_MAX);
    const struct mn_commit commit = { .actor = "", .now_ms = now_ms };
    struct mn_writing w = { .commit = &commit, .arena = scratch };
    enum mneme_status status;

    MN_TRY(mn_turn_begin(self, err));
    w.db = self->writer;
    c->w = &w;
    status = what(c, err);
    mn_known_forget(&self->known);
    mn_row_cache_forget(self->rows);
    mn_turn_end(self);
    return status;
}

static bool all_clean(const struct mn_reconciled *found)
{
    for (size_t i = 0; i < MN_DERIVED_COUNT; i++)
        if (found->part[i].differ > 0)
            return false;
    return true;
}

enum mneme_status mn_sqlite_reconcile(struct mn_store *store, const char *profile,
                                      const char *tokens_profile, bool repair, int64_t now_ms,
                                      struct mn_arena *arena,
                                      struct mn_reconciled *ret_reconciled, struct mneme_error *err)
{
    struct mn_reconciled found = { 0 };
    struct check c = { .profile = profile,
                       .tokens_profile = tokens_profile,
                       .arena = arena,
                       .out = &found };

    MN_TRY(look(store, &c, err));
    if (repair && !all_clean(&found))
        MN_TRY(in_turn(store, &c, now_ms, mend_in_transaction, err));
    *ret_reconciled = found;
    return MNEME_OK;
}

static enum mneme_status reindex(const struct check *c, struct mneme_error *err)
{
    return mn_sqlite_run(c->w->db, SQL_SQLITE_REINDEX, err);
}

enum mneme_status mn_sqlite_reindex(struct mn_store *store, struct mneme_error *err)
{
    struct check c = { 0 };

    return in_turn(store, &c, 0, reindex, err);
}

static enum mneme_status drop_others(const struct check *c, struct mneme_error *err)
{
    static const char *const sql[] = { SQL_SQLITE_INDEX_STATE_KEEP, SQL_SQLITE_VECTORS_KEEP };

    for (size_t i = 0; i < 2; i++) {
        MN_STMT_AUTO stmt = NULL;

        MN_TRY(mn_sqlite_prepare(c->w->db, sql[i], &stmt, err));
        mn_bind_text(stmt, ":profile", c->profile);
        mn_bind_text(stmt, ":tokens", c->tokens_profile);
        MN_TRY(mn_sqlite_done(stmt, err));
        c->out->part[MN_DERIVED_VECTOR].repaired = mn_sqlite_changed(c->w->db);
    }
    return MNEME_OK;
}

static enum mneme_status drop_in_transaction(const struct check *c, struct mneme_error *err)
{
    return in_transaction(c, drop_others, err);
}

enum mneme_status mn_sqlite_keep_vectors(struct mn_store *store, const char *profile,
                                         const char *tokens_profile, int64_t *ret_dropped,
                                         struct mneme_error *err)
{
    struct mn_reconciled dropped = { 0 };
    struct check c = { .profile = profile, .tokens_profile = tokens_profile, .out = &dropped };

    MN_TRY(in_turn(store, &c, 0, drop_in_transaction, err));
    *ret_dropped = dropped.part[MN_DERIVED_VECTOR].repaired;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_partitions(struct mn_store *store, struct mn_arena *arena,
                                       struct mn_partitions *ret_partitions,
                                       struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_partitions found = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_PARTITIONS, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_partition *partition;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        partition = mn_array_add(arena, &found);
        if (!partition)
            return mn_fail_memory(err);
        partition->tenant = mn_read_text(&reader);
        partition->owner = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    *ret_partitions = found;
    return MNEME_OK;
}
