/*
 * sqlite_audit_read.c - the audit read, with the names that are still known, and its chain checked.
 *
 * Names are few (tenants, users, agents), so all of them are read first. An entry is matched by
 * digests: the one of the id that is asked for is made here, and looked for as it stands.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_audit.h"
#include "store/sqlite_store.h"

#define NAMES_BYTES_MAX ((size_t)256 << 20)
#define ENTRY_BYTES_MAX ((size_t)256 << 20)

struct name {
    const char *tenant;
    const char *name;
    const char *digest;
};
struct names {
    struct name *item; /* in the order of the table */
    size_t count, room;
};

static enum mneme_status read_names(struct mn_sqlite *db, struct mn_arena *arena,
                                    struct names *names, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_AUDIT_NAMES, &stmt, err));
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct name *name;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        name = mn_array_add(arena, names);
        if (!name)
            return mn_fail_memory(err);
        name->tenant = mn_read_text(&reader);
        name->name = mn_read_text(&reader);
        name->digest = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
}

/* of_tenant: the tenant's own name is meant. */
static const char *name_of(const struct names *names, const char *digest, bool of_tenant)
{
    for (size_t i = 0; digest[0] && i < names->count; i++)
        if (strcmp(names->item[i].digest, digest) == 0)
            return of_tenant ? names->item[i].tenant : names->item[i].name;
    return "";
}

/* ---- reading ---- */

static enum mneme_status read_entry(struct mn_stmt *stmt, struct mn_arena *arena,
                                    struct mn_audit_entry *ret_entry, struct mneme_error *err)
{
    struct mn_reader reader = { .stmt = stmt, .arena = arena };

    *ret_entry = (struct mn_audit_entry){ .tenant_name = "", .owner_name = "", .actor_name = "" };
    ret_entry->seq = mn_read_integer(&reader);
    ret_entry->at_ms = mn_read_integer(&reader);
    ret_entry->tenant = mn_read_text(&reader);
    ret_entry->owner = mn_read_text(&reader);
    ret_entry->actor = mn_read_text(&reader);
    ret_entry->action = mn_read_text(&reader);
    ret_entry->detail = mn_read_text(&reader);
    ret_entry->hash = mn_read_text(&reader);
    return mn_read_end(&reader, err);
}

/* The digests of what is asked for; "": any. */
struct wanted {
    char tenant[MN_AUDIT_DIGEST_BYTES];
    char owner[MN_AUDIT_DIGEST_BYTES];
    char row[MN_AUDIT_DIGEST_BYTES];
};

static bool make_wanted(const struct mn_audit_key *key, const struct mn_audit_filter *filter,
                        struct wanted *wanted)
{
    return mn_audit_digest(key, MN_AUDIT_TENANT, filter->tenant, "", wanted->tenant) &&
           mn_audit_digest(key, MN_AUDIT_WHO, filter->tenant, filter->owner, wanted->owner) &&
           mn_audit_digest(key, MN_AUDIT_ROW, filter->tenant, filter->row_id, wanted->row);
}

static bool is_wanted(const struct wanted *wanted, const struct mn_audit_entry *entry)
{
    return (wanted->tenant[0] == '\0' || strcmp(wanted->tenant, entry->tenant) == 0) &&
           (wanted->owner[0] == '\0' || strcmp(wanted->owner, entry->owner) == 0) &&
           (wanted->row[0] == '\0' || strstr(entry->detail, wanted->row) != NULL);
}

enum mneme_status mn_sqlite_audit_list(struct mn_store *store, const struct mn_audit_filter *filter,
                                       mn_audit_fn give, void *context, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(NAMES_BYTES_MAX);
    MN_READING_AUTO reading = { 0 };
    MN_AUDIT_KEY_AUTO key = { 0 };
    struct wanted wanted = { 0 };
    struct names names = { 0 };
    MN_STMT_AUTO stmt = NULL;
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_audit_key_read(reading.db, &key, err));
    if (!key.hmac)
        return MNEME_OK;
    if (!make_wanted(&key, filter, &wanted))
        return mn_fail_memory(err);
    MN_TRY(read_names(reading.db, arena, &names, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_AUDIT_ALL, &stmt, err));
    mn_bind_integer(stmt, ":after", 0);
    for (;;) {
        MN_ARENA_AUTO scratch = mn_arena_new(ENTRY_BYTES_MAX);
        struct mn_audit_entry entry;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        MN_TRY(read_entry(stmt, scratch, &entry, err));
        if (!is_wanted(&wanted, &entry))
            continue;
        entry.tenant_name = name_of(&names, entry.tenant, true);
        entry.owner_name = name_of(&names, entry.owner, false);
        entry.actor_name = name_of(&names, entry.actor, false);
        if (!give(context, &entry))
            return MNEME_OK;
    }
}

/* ---- checking ---- */

static void find_fault(struct mn_audit_state *state, enum mn_audit_fault fault, int64_t seq)
{
    if (state->fault != MN_AUDIT_SOUND)
        return;
    state->fault = fault;
    state->seq = seq;
}

/* The entry against the chain before it; from a wrong one on, each follows from what stands there. */
static enum mneme_status check_entry(const struct mn_audit_key *key,
                                     const struct mn_audit_entry *entry,
                                     struct mn_audit_state *state, struct mneme_error *err)
{
    char hash[MN_SHA256_HEX_BYTES];

    if (!mn_audit_chain(key, state->end.hash, entry, hash))
        return mn_fail_memory(err);
    if (entry->seq != state->end.seq + 1)
        find_fault(state, MN_AUDIT_MISSING, state->end.seq + 1);
    else if (strcmp(hash, entry->hash) != 0)
        find_fault(state, MN_AUDIT_CHANGED, entry->seq);
    state->count++;
    state->end.seq = entry->seq;
    (void)snprintf(state->end.hash, sizeof state->end.hash, "%s", entry->hash);
    return MNEME_OK;
}

static enum mneme_status check_all(struct mn_sqlite *db, const struct mn_audit_key *key,
                                   const struct mn_audit_mark *noted, struct mn_audit_state *state,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool met = !noted || noted->seq == 0;
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_AUDIT_ALL, &stmt, err));
    mn_bind_integer(stmt, ":after", 0);
    for (;;) {
        MN_ARENA_AUTO scratch = mn_arena_new(ENTRY_BYTES_MAX);
        struct mn_audit_entry entry;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        MN_TRY(read_entry(stmt, scratch, &entry, err));
        MN_TRY(check_entry(key, &entry, state, err));
        met = met || (entry.seq == noted->seq && strcmp(entry.hash, noted->hash) == 0);
    }
    if (!met)
        find_fault(state, MN_AUDIT_OTHER, noted->seq);
    return MNEME_OK;
}

/* Each name against its digest: who changed one would be read as another. */
static enum mneme_status check_names(struct mn_sqlite *db, const struct mn_audit_key *key,
                                     struct mn_audit_state *state, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(NAMES_BYTES_MAX);
    struct names names = { 0 };

    MN_TRY(read_names(db, arena, &names, err));
    for (size_t i = 0; i < names.count; i++) {
        const struct name *n = &names.item[i];
        char digest[MN_AUDIT_DIGEST_BYTES];

        if (!mn_audit_digest(key, n->name[0] ? MN_AUDIT_WHO : MN_AUDIT_TENANT, n->tenant, n->name,
                             digest))
            return mn_fail_memory(err);
        if (strcmp(digest, n->digest) != 0)
            find_fault(state, MN_AUDIT_NAME, 0);
    }
    return MNEME_OK;
}

enum mneme_status mn_sqlite_audit_verify(struct mn_store *store, const struct mn_audit_mark *noted,
                                         struct mn_audit_state *ret_state, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_AUDIT_KEY_AUTO key = { 0 };
    struct mn_audit_state state = { 0 };
    int64_t last = 0;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_audit_key_read(reading.db, &key, err));
    MN_TRY(mn_sqlite_integer(reading.db, SQL_SQLITE_AUDIT_LAST_GIVEN, &last, err));
    if (key.hmac)
        MN_TRY(check_all(reading.db, &key, noted, &state, err));
    else if (noted && noted->seq > 0)
        find_fault(&state, MN_AUDIT_OTHER, noted->seq);
    if (state.end.seq < last || (key.hmac && state.count == 0))
        find_fault(&state, MN_AUDIT_CUT, state.end.seq + 1);
    if (key.hmac)
        MN_TRY(check_names(reading.db, &key, &state, err));
    *ret_state = state;
    return MNEME_OK;
}
