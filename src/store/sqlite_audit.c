/*
 * sqlite_audit.c - adding to the audit.
 *
 * The hash of an entry is an HMAC of the hash before it and of everything it says, under a secret
 * that lies in the store. Whoever changes, removes or moves an entry without that secret breaks the
 * chain; entries cut off its end show by the number that was given last. Whoever has the secret could
 * make a whole new chain: against that its end is noted elsewhere, as each receipt of an erasure does.
 *
 * A request gives one entry for each partition that it changed, with the digest of each row, so that
 * a large import costs little. Ids stay digests: who has an id can ask for it, and nobody can read it.
 */
#include "store/sqlite_audit.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/json.h"
#include "base/str.h"
#include "memory/record.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

#define BYTES_MAX ((size_t)256 << 20)

/* ---- the secret ---- */

void mn_audit_key_release(struct mn_audit_key *key)
{
    mn_hmac_free(key->hmac);
    key->hmac = NULL;
}

enum mneme_status mn_audit_key_read(struct mn_sqlite *db, struct mn_audit_key *ret_key,
                                    struct mneme_error *err)
{
    char secret[MN_SHA256_HEX_BYTES];

    MN_TRY(mn_sqlite_meta(db, MN_META_AUDIT_KEY, secret, sizeof secret, err));
    if (secret[0] == '\0')
        return MNEME_OK;
    ret_key->hmac = mn_hmac_new(secret, strlen(secret));
    return ret_key->hmac ? MNEME_OK : mn_fail_memory(err);
}

/* Made with the first entry. */
static enum mneme_status make_key(struct mn_sqlite *db, struct mneme_error *err)
{
    char secret[MN_SHA256_HEX_BYTES];
    unsigned char random[64];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    if (!mn_sha256_hex(random, sizeof random, secret))
        return mn_fail_memory(err);
    return mn_sqlite_meta_put(db, MN_META_AUDIT_KEY, secret, err);
}

/* ---- digests ---- */

bool mn_audit_digest(const struct mn_audit_key *key, const char *kind, const char *tenant,
                     const char *name, char digest[MN_AUDIT_DIGEST_BYTES])
{
    MN_BUF_AUTO whole = { 0 };
    char hex[MN_SHA256_HEX_BYTES];

    digest[0] = '\0';
    tenant = mn_or_empty(tenant);
    name = mn_or_empty(name);
    if (name[0] == '\0' && (tenant[0] == '\0' || strcmp(kind, MN_AUDIT_TENANT) != 0))
        return true;
    mn_buf_put(&whole, kind, strlen(kind) + 1);
    mn_buf_put(&whole, tenant, strlen(tenant) + 1);
    mn_buf_put(&whole, name, strlen(name));
    if (whole.failed || !mn_hmac_hex(key->hmac, whole.at, whole.bytes, hex))
        return false;
    memcpy(digest, hex, MN_AUDIT_DIGEST_BYTES - 1);
    digest[MN_AUDIT_DIGEST_BYTES - 1] = '\0';
    return true;
}

bool mn_audit_chain(const struct mn_audit_key *key, const char *before,
                    const struct mn_audit_entry *entry, char hash[MN_SHA256_HEX_BYTES])
{
    const char *parts[] = { before,       entry->tenant, entry->owner,
                            entry->actor, entry->action, entry->detail };
    MN_BUF_AUTO whole = { 0 };

    mn_buf_printf(&whole, "%lld %lld", (long long)entry->seq, (long long)entry->at_ms);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        mn_buf_char(&whole, '\0');
        mn_buf_text(&whole, parts[i]);
    }
    return !whole.failed && mn_hmac_hex(key->hmac, whole.at, whole.bytes, hash);
}

/* ---- adding ---- */

/* The end of the chain, while a request adds to it. */
struct chain {
    struct mn_sqlite *db;
    struct mn_known *known; /* the writer's; or else its own, for this once */
    struct mn_known own;
    struct mn_audit_key key; /* that which is known */
};

static void chain_release(struct chain *chain)
{
    mn_known_forget(&chain->own);
}
#define CHAIN_AUTO MN_CLEANUP(chain_release) struct chain

static enum mneme_status find_end(struct mn_sqlite *db, struct mn_audit_mark *ret_end,
                                  struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    struct mn_audit_mark end = { 0 };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_AUDIT_END, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    if (row) {
        size_t bytes = 0;
        const char *hash;

        reader.stmt = stmt;
        end.seq = mn_read_integer(&reader);
        hash = mn_read_bytes(&reader, &bytes);
        (void)snprintf(end.hash, sizeof end.hash, "%.*s", (int)bytes, mn_or_empty(hash));
    }
    *ret_end = end;
    return MNEME_OK;
}

static enum mneme_status chain_begin(const struct mn_writing *w, struct chain *chain,
                                     struct mneme_error *err)
{
    struct mn_known *known = w->known ? w->known : &chain->own;

    chain->db = w->db;
    chain->known = known;
    chain->key.hmac = known->hmac;
    if (!known->hmac)
        MN_TRY(mn_audit_key_read(w->db, &chain->key, err));
    if (!chain->key.hmac) {
        MN_TRY(make_key(w->db, err));
        MN_TRY(mn_audit_key_read(w->db, &chain->key, err));
    }
    known->hmac = chain->key.hmac;
    if (!known->has_end)
        MN_TRY(find_end(w->db, &known->end, err));
    known->has_end = true;
    return MNEME_OK;
}

static enum mneme_status keep_name(struct chain *chain, const char *tenant, const char *name,
                                   const char *digest, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    if (digest[0] == '\0' || mn_known_has_name(chain->known, digest))
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(chain->db, SQL_SQLITE_AUDIT_NAME_KEEP, &stmt, err));
    mn_bind_text(stmt, ":tenant", tenant);
    mn_bind_text(stmt, ":name", name);
    mn_bind_text(stmt, ":digest", digest);
    MN_TRY(mn_sqlite_done(stmt, err));
    mn_known_add_name(chain->known, digest);
    return MNEME_OK;
}

/* Who did it to whom; with_names: so that it can be read. */
struct who {
    const char *tenant;
    const char *owner;
    const char *actor;
    bool with_names;
};

static enum mneme_status add(struct chain *chain, const struct who *who, int64_t at_ms,
                             const char *action, const char *detail, struct mneme_error *err)
{
    char tenant[MN_AUDIT_DIGEST_BYTES], owner[MN_AUDIT_DIGEST_BYTES], actor[MN_AUDIT_DIGEST_BYTES];
    char hash[MN_SHA256_HEX_BYTES];
    const struct mn_audit_entry entry = { .seq = chain->known->end.seq + 1,
                                          .at_ms = at_ms,
                                          .tenant = tenant,
                                          .owner = owner,
                                          .actor = actor,
                                          .action = action,
                                          .detail = detail };
    MN_STMT_AUTO stmt = NULL;

    if (!mn_audit_digest(&chain->key, MN_AUDIT_TENANT, who->tenant, "", tenant) ||
        !mn_audit_digest(&chain->key, MN_AUDIT_WHO, who->tenant, who->owner, owner) ||
        !mn_audit_digest(&chain->key, MN_AUDIT_WHO, who->tenant, who->actor, actor) ||
        !mn_audit_chain(&chain->key, chain->known->end.hash, &entry, hash))
        return mn_fail_memory(err);
    MN_TRY(mn_sqlite_prepare(chain->db, SQL_SQLITE_AUDIT_ADD, &stmt, err));
    mn_bind_integer(stmt, ":seq", entry.seq);
    mn_bind_integer(stmt, ":at_ms", at_ms);
    mn_bind_text(stmt, ":tenant", tenant);
    mn_bind_text(stmt, ":owner", owner);
    mn_bind_text(stmt, ":actor", actor);
    mn_bind_text(stmt, ":action", action);
    mn_bind_text(stmt, ":detail", detail);
    mn_bind_text(stmt, ":hash", hash);
    MN_TRY(mn_sqlite_done(stmt, err));
    chain->known->end.seq = entry.seq;
    memcpy(chain->known->end.hash, hash, sizeof hash);
    if (!who->with_names)
        return MNEME_OK;
    MN_TRY(keep_name(chain, who->tenant, "", tenant, err));
    MN_TRY(keep_name(chain, who->tenant, who->owner, owner, err));
    return keep_name(chain, who->tenant, who->actor, actor, err);
}

/* ---- what else was done ---- */

/* Names are kept unless the user or the tenant was erased since. */
static enum mneme_status may_name(const struct mn_writing *w, const struct mn_audit_note *note,
                                  bool *ret_may, struct mneme_error *err)
{
    bool erased = false;

    MN_TRY(mn_tombstone_since(w, MN_TOMBSTONE_USER, note->partition.tenant, note->partition.owner,
                              note->at_ms, &erased, err));
    if (!erased)
        MN_TRY(mn_tombstone_since(w, MN_TOMBSTONE_TENANT, note->partition.tenant, "", note->at_ms,
                                  &erased, err));
    *ret_may = !erased;
    return MNEME_OK;
}

static enum mneme_status add_note(struct chain *chain, const struct mn_commit *commit,
                                  const struct mn_audit_note *note, struct mneme_error *err)
{
    const struct mn_writing w = { .db = chain->db, .commit = commit };
    struct who who = { note->partition.tenant, note->partition.owner, note->actor, true };
    MN_BUF_AUTO detail = { 0 };
    struct mn_json_writer json = { .out = &detail };
    char digest[MN_AUDIT_DIGEST_BYTES];

    MN_TRY(may_name(&w, note, &who.with_names, err));
    mn_json_open(&json, '{');
    if (!mn_empty(note->trace_id))
        mn_json_field_text(&json, "trace", note->trace_id);
    if (note->lost > 0)
        mn_json_field_integer(&json, "lost", note->lost);
    if (note->ids.count > 0) {
        mn_json_key(&json, "rows");
        mn_json_open(&json, '[');
        for (size_t i = 0; i < note->ids.count; i++) {
            if (!mn_audit_digest(&chain->key, MN_AUDIT_ROW, who.tenant, note->ids.item[i], digest))
                return mn_fail_memory(err);
            mn_json_put_text(&json, digest);
        }
        mn_json_close(&json, ']');
    }
    mn_json_close(&json, '}');
    if (detail.failed)
        return mn_fail_memory(err);
    return add(chain, &who, note->at_ms, note->action, detail.at, err);
}

static enum mneme_status forget_names(const struct mn_erasing *e, struct mneme_error *err)
{
    bool user = e->what->scope == MNEME_ERASE_USER;
    MN_STMT_AUTO stmt = NULL;

    if (!user && e->what->scope != MNEME_ERASE_TENANT)
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(e->w->db,
                             user ? SQL_SQLITE_AUDIT_NAME_FORGET : SQL_SQLITE_AUDIT_NAMES_FORGET,
                             &stmt, err));
    mn_bind_text(stmt, ":tenant", e->what->tenant_id);
    if (user)
        mn_bind_text(stmt, ":owner", e->what->user_id);
    return mn_sqlite_done(stmt, err);
}

static void put_counts(struct mn_json_writer *w, const struct mn_erased *erased)
{
    mn_json_field_integer(w, "memories", (int64_t)erased->counts[MN_ERASED_MEMORY]);
    mn_json_field_integer(w, "events", (int64_t)erased->counts[MN_ERASED_EVENT]);
    mn_json_field_integer(w, "history", (int64_t)erased->counts[MN_ERASED_HISTORY]);
}

enum mneme_status mn_audit_erased(const struct mn_erasing *e, struct mn_audit_mark *ret_mark,
                                  struct mneme_error *err)
{
    static const char *const scopes[] = { "", "memory", "session", "user", "tenant" };
    const struct mneme_erasure *what = e->what;
    bool all = what->scope == MNEME_ERASE_USER || what->scope == MNEME_ERASE_TENANT;
    const struct who who = { what->tenant_id, what->user_id, what->actor, !all };
    char digest[MN_AUDIT_DIGEST_BYTES];
    MN_BUF_AUTO detail = { 0 };
    struct mn_json_writer json = { .out = &detail };
    CHAIN_AUTO chain = { 0 };

    MN_TRY(chain_begin(e->w, &chain, err));
    if (!mn_audit_digest(&chain.key, MN_AUDIT_ROW, what->tenant_id, what->id, digest))
        return mn_fail_memory(err);
    mn_json_open(&json, '{');
    mn_json_field_text(&json, "scope", scopes[what->scope]);
    if (digest[0])
        mn_json_field_text(&json, "row", digest);
    put_counts(&json, e->out);
    mn_json_close(&json, '}');
    if (detail.failed)
        return mn_fail_memory(err);
    MN_TRY(add(&chain, &who, what->now_ms, "erase", detail.at, err));
    MN_TRY(forget_names(e, err));
    *ret_mark = chain.known->end;
    return MNEME_OK;
}

/* ---- what a request wrote ---- */

/* A row that was written; id NULL: of a kind that is no one's doing. */
struct row {
    const char *kind;
    const char *tenant;
    const char *owner;
    const char *id;
    const char *how; /* "new", "changed", "forgotten" */
};

static enum mneme_status rule_owner(struct mn_sqlite *db, const struct mneme_rule *rule,
                                    struct mn_arena *arena, const char **ret_owner,
                                    struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    bool found = false;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_MEMORY_OWNER, &stmt, err));
    mn_bind_text(stmt, ":tenant", rule->tenant_id);
    mn_bind_text(stmt, ":id", rule->memory_id);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    reader.stmt = stmt;
    *ret_owner = found ? mn_read_text(&reader) : "";
    return mn_read_end(&reader, err);
}

static enum mneme_status row_of(struct mn_sqlite *db, const struct mn_write *write,
                                const struct mn_written *written, struct mn_arena *arena,
                                struct row *ret_row, struct mneme_error *err)
{
    const char *how = written->replaced ? "changed" : "new";
    const char *owner = "";
    struct mneme_edge edge;

    *ret_row = (struct row){ 0 };
    if (written->unchanged)
        return MNEME_OK;
    switch (write->kind) {
    case MN_WRITE_MEMORY:
        if (write->memory->status == MNEME_DELETED)
            how = "forgotten";
        *ret_row = (struct row){ "memory", write->memory->tenant_id, write->memory->user_id,
                                 write->memory->id, how };
        break;
    case MN_WRITE_EVENT:
        *ret_row = (struct row){ "event", write->event->tenant_id, write->event->user_id,
                                 write->event->id, how };
        break;
    case MN_WRITE_TASK_STATE:
        *ret_row = (struct row){ "task_state", write->task_state->tenant_id,
                                 write->task_state->user_id, write->task_state->task_id, how };
        break;
    case MN_WRITE_EDGE:
        MN_TRY(mn_edge_complete(write->edge, arena, &edge, err));
        *ret_row = (struct row){ "edge", edge.tenant_id, edge.user_id, edge.id, how };
        break;
    case MN_WRITE_RULE:
        MN_TRY(rule_owner(db, write->rule, arena, &owner, err));
        *ret_row = (struct row){ "rule", write->rule->tenant_id, owner, write->rule->memory_id,
                                 how };
        break;
    default: /* made from rows, or beside them */
        break;
    }
    ret_row->tenant = mn_or_empty(ret_row->tenant);
    ret_row->owner = mn_or_empty(ret_row->owner);
    return MNEME_OK;
}

/* "how":["kind:digest",...] of all rows of the partition; false: no memory. */
static bool put_rows(struct chain *chain, struct mn_json_writer *w, const char *how,
                     const struct row *first, const struct row *end)
{
    bool open = false;

    for (const struct row *row = first; row < end; row++) {
        char text[64 + MN_AUDIT_DIGEST_BYTES], digest[MN_AUDIT_DIGEST_BYTES];

        if (!row->id || strcmp(row->how, how) != 0 || strcmp(row->tenant, first->tenant) != 0 ||
            strcmp(row->owner, first->owner) != 0)
            continue;
        if (!mn_audit_digest(&chain->key, MN_AUDIT_ROW, row->tenant, row->id, digest))
            return false;
        if (!open) {
            mn_json_key(w, how);
            mn_json_open(w, '[');
            open = true;
        }
        (void)snprintf(text, sizeof text, "%s:%s", row->kind, digest);
        mn_json_put_text(w, text);
    }
    if (open)
        mn_json_close(w, ']');
    return true;
}

/* One entry for the partition of the first row; all rows of it are then done. */
static enum mneme_status add_rows(struct chain *chain, const struct mn_commit *commit,
                                  struct row *first, struct row *end, struct mneme_error *err)
{
    const struct row of = *first;
    MN_BUF_AUTO detail = { 0 };
    struct mn_json_writer w = { .out = &detail };
    bool made;

    mn_json_open(&w, '{');
    made = put_rows(chain, &w, "new", first, end) && put_rows(chain, &w, "changed", first, end) &&
           put_rows(chain, &w, "forgotten", first, end);
    mn_json_close(&w, '}');
    if (!made || detail.failed)
        return mn_fail_memory(err);
    for (struct row *row = first; row < end; row++)
        if (row->id && strcmp(row->tenant, of.tenant) == 0 && strcmp(row->owner, of.owner) == 0)
            row->id = NULL;
    return add(chain, &(struct who){ of.tenant, of.owner, commit->actor, true }, commit->now_ms,
               "write", detail.at, err);
}

enum mneme_status mn_audit_written(const struct mn_writing *w, const struct mn_written *written,
                                   struct mneme_error *err)
{
    const struct mn_commit *commit = w->commit;
    MN_ARENA_AUTO arena = mn_arena_new(BYTES_MAX);
    struct row *rows = mn_arena_array(arena, struct row, commit->count + 1);
    CHAIN_AUTO chain = { 0 };
    bool any = false;

    if (!rows)
        return mn_fail_memory(err);
    for (size_t i = 0; i < commit->count; i++) {
        MN_TRY(row_of(w->db, &commit->write[i], &written[i], arena, &rows[i], err));
        any = any || rows[i].id || commit->write[i].kind == MN_WRITE_AUDIT;
    }
    if (!any)
        return MNEME_OK;
    MN_TRY(chain_begin(w, &chain, err));
    for (size_t i = 0; i < commit->count; i++) {
        if (rows[i].id)
            MN_TRY(add_rows(&chain, commit, &rows[i], rows + commit->count, err));
        if (commit->write[i].kind == MN_WRITE_AUDIT)
            MN_TRY(add_note(&chain, commit, commit->write[i].audit, err));
    }
    return MNEME_OK;
}
