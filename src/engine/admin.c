/*
 * admin.c - the public calls of an operator: erasing, checking that it was done, and the audit.
 */
#include "engine/handle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/receipt.h"
#include "store/store.h"

#define PATH_BYTES_MAX ((size_t)4000)
#define NOW_MAX_MS INT64_C(253402300799999) /* the last millisecond of the year 9999 */

static enum mneme_status check_text(const char *name, const char *text, bool must, size_t bytes_max,
                                    struct mneme_error *err)
{
    size_t bytes = strlen(mn_or_empty(text));

    if (must && bytes == 0)
        return mn_fail(err, MNEME_INVALID, "%s: must be set", name);
    if (!must && bytes > 0 && bytes_max == 0)
        return mn_fail(err, MNEME_INVALID, "%s: says less than the scope; leave it empty", name);
    if (bytes > bytes_max)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu bytes, at most %zu", name, bytes, bytes_max);
    if (!mn_utf8_valid(mn_or_empty(text), bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not UTF-8", name);
    return MNEME_OK;
}

/* Nothing is erased by an empty field: what is meant must be said. */
static enum mneme_status check_erasure(const struct mneme_erasure *what, struct mneme_error *err)
{
    bool one = what->scope == MNEME_ERASE_MEMORY || what->scope == MNEME_ERASE_SESSION;
    bool user = what->scope == MNEME_ERASE_USER;

    if (!one && !user && what->scope != MNEME_ERASE_TENANT)
        return mn_fail(err, MNEME_INVALID, "scope: say what to erase");
    MN_TRY(check_text("tenant_id", what->tenant_id, true, MNEME_ID_BYTES_MAX, err));
    MN_TRY(check_text("user_id", what->user_id, user, one || user ? MNEME_ID_BYTES_MAX : 0, err));
    MN_TRY(check_text("id", what->id, one, one ? MNEME_ID_BYTES_MAX : 0, err));
    MN_TRY(check_text("actor", what->actor, false, MNEME_NAME_BYTES_MAX, err));
    if (what->with_evidence && what->scope != MNEME_ERASE_MEMORY)
        return mn_fail(err, MNEME_INVALID, "with_evidence: is for one memory");
    if (what->now_ms < 0 || what->now_ms > NOW_MAX_MS)
        return mn_fail(err, MNEME_INVALID, "now_ms: is outside the years 1970 to 9999");
    return MNEME_OK;
}

static enum mneme_status erase_in(struct mneme *handle, const struct mneme_erasure *known,
                                  bool key_destroyed, struct mn_buf *receipt,
                                  struct mneme_error *err)
{
    /* Traces that wait may name what goes: written, they go with it. */
    if (!known->preview)
        MN_TRY(mn_journal_flush(handle->journal, &handle->world, err));
    MN_TRY(mn_erase(&handle->world, known, key_destroyed, receipt, err));
    /* Those of recalls that ran meanwhile: the store refuses what names an erased unit or user. */
    if (!known->preview)
        (void)mn_journal_flush(handle->journal, &handle->world, NULL);
    return MNEME_OK;
}

/* Of a whole tenant the key goes first: then no backup can be read, whatever becomes of the rest. */
static enum mneme_status erase_routed(struct mneme *front, const struct mneme_erasure *known,
                                      struct mn_buf *receipt, struct mneme_error *err)
{
    bool destroy = known->scope == MNEME_ERASE_TENANT && !known->preview &&
                   mn_tenants_have_keys(front);
    MN_ROUTE_AUTO route = { 0 };

    if (destroy)
        MN_TRY(mn_tenants_new_key(front, known->tenant_id, true, known->actor, err));
    MN_TRY(mn_route_begin(front, known->tenant_id, !known->preview, &route, err));
    return erase_in(route.handle, known, destroy, receipt, err);
}

enum mneme_status mneme_erase(struct mneme *handle, const struct mneme_erasure *what,
                              char **ret_receipt_json, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_receipt_json, "ret_receipt_json", err);
    struct mneme_erasure known = MNEME_ERASURE_INIT;
    MN_BUF_AUTO receipt = { 0 };

    MN_CHECK_SIZE(what, "erasure", err);
    memcpy(&known, what, what->size);
    MN_TRY(check_erasure(&known, err));
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    known.tenant_id = mn_or_empty(known.tenant_id);
    known.user_id = mn_or_empty(known.user_id);
    known.id = mn_or_empty(known.id);
    known.actor = mn_or_empty(known.actor);
    if (!known.now_ms)
        known.now_ms = handle->world.now_ms();
    MN_TRY(handle->tenants ? erase_routed(handle, &known, &receipt, err)
                           : erase_in(handle, &known, false, &receipt, err));
    *ret_receipt_json = receipt.at;
    receipt = (struct mn_buf){ 0 };
    return MNEME_OK;
}

static enum mneme_status verify_routed(struct mneme *front, const char *receipt_json,
                                       int *ret_clean, char **ret_report_json,
                                       struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(4096);
    MN_ROUTE_AUTO route = { 0 };
    const char *tenant = mn_receipt_tenant(receipt_json, arena);

    if (!tenant)
        return mn_fail(err, MNEME_INVALID, "receipt: names no tenant");
    MN_TRY(mn_route_begin(front, tenant, false, &route, err));
    return mneme_erase_verify(route.handle, receipt_json, ret_clean, ret_report_json, err);
}

enum mneme_status mneme_erase_verify(struct mneme *handle, const char *receipt_json, int *ret_clean,
                                     char **ret_report_json, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_clean, "ret_clean", err);
    MN_BUF_AUTO report = { 0 };
    bool clean = false;

    if (mn_empty(receipt_json))
        return mn_fail(err, MNEME_INVALID, "receipt: is empty");
    if (handle->tenants)
        return verify_routed(handle, receipt_json, ret_clean, ret_report_json, err);
    if (!handle->read_only)
        MN_TRY(handle->world.store->ops->erase_settle(handle->world.store, MN_SETTLE_REST, err));
    MN_TRY(mn_erase_verify(&handle->world, receipt_json, &clean, &report, err));
    *ret_clean = clean;
    if (ret_report_json) {
        *ret_report_json = report.at;
        report = (struct mn_buf){ 0 };
    }
    return MNEME_OK;
}

/* ---- the store as a whole ---- */

enum mneme_status mneme_backup(struct mneme *handle, const char *path, const char *actor,
                               struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_TRY(check_text("file", path, true, PATH_BYTES_MAX, err));
    MN_TRY(check_text("actor", actor, false, MNEME_NAME_BYTES_MAX, err));
    if (handle->tenants)
        return mn_tenants_backup(handle, path, actor, err);
    if (!handle->read_only) {
        MN_TRY(mn_journal_flush(handle->journal, &handle->world, err));
        MN_TRY(mn_store_note(handle->world.store, "backup", mn_or_empty(actor),
                             handle->world.now_ms(), err));
    }
    return handle->world.store->ops->backup(handle->world.store, path, err);
}

enum mneme_status mneme_restore(const struct mneme_options *options, const char *backup_path,
                                const char *actor, struct mneme_error *err)
{
    struct mneme_options known = MNEME_OPTIONS_INIT;
    struct stat about;

    MN_CHECK_SIZE(options, "options", err);
    memcpy(&known, options, options->size);
    MN_TRY(check_text("store_path", known.store_path, true, PATH_BYTES_MAX, err));
    MN_TRY(check_text("file", backup_path, true, PATH_BYTES_MAX, err));
    MN_TRY(check_text("actor", actor, false, MNEME_NAME_BYTES_MAX, err));
    if (stat(backup_path, &about) == 0 && S_ISDIR(about.st_mode))
        return mn_tenants_restore(&known, backup_path, mn_or_empty(actor), err);
    const struct mn_store_options store = { .path = known.store_path,
                                            .key = known.key,
                                            .key_bytes = known.key_bytes };
    return mn_store_sqlite_restore(&store, backup_path, mn_or_empty(actor), mn_clock_now_ms(), err);
}

enum mneme_status mneme_rotate_key(struct mneme *handle, const void *key, size_t key_bytes,
                                   const char *actor, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_TRY(check_text("actor", actor, false, MNEME_NAME_BYTES_MAX, err));
    if (!key || key_bytes == 0)
        return mn_fail(err, MNEME_INVALID, "new_key: is empty");
    if (key_bytes > MNEME_NAME_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "new_key: %zu bytes, at most %d", key_bytes,
                       MNEME_NAME_BYTES_MAX);
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (handle->tenants)
        return mn_tenants_rekey(handle, key, key_bytes, actor, err);
    MN_TRY(mn_journal_flush(handle->journal, &handle->world, err));
    return handle->world.store->ops->rekey(handle->world.store, key, key_bytes,
                                           mn_or_empty(actor), handle->world.now_ms(), err);
}

enum mneme_status mneme_rotate_tenant_key(struct mneme *handle, const char *tenant_id,
                                          const char *actor, struct mneme_error *err)
{
    MN_TRY(check_text("tenant_id", tenant_id, true, MNEME_ID_BYTES_MAX, err));
    MN_TRY(check_text("actor", actor, false, MNEME_NAME_BYTES_MAX, err));
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (!handle->tenants)
        return mn_fail(err, MNEME_INVALID, "tenant_id: all tenants are in one file here");
    return mn_tenants_new_key(handle, tenant_id, false, mn_or_empty(actor), err);
}

/* ---- the audit ---- */

struct listing {
    mneme_audit_fn row;
    void *context;
    bool stopped;
};

static bool give_entry(void *context, const struct mn_audit_entry *e)
{
    struct listing *listing = context;
    const struct mneme_audit_entry entry = { .seq = e->seq,
                                             .at_ms = e->at_ms,
                                             .tenant_id = e->tenant_name,
                                             .user_id = e->owner_name,
                                             .actor = e->actor_name,
                                             .tenant_digest = e->tenant,
                                             .user_digest = e->owner,
                                             .actor_digest = e->actor,
                                             .action = e->action,
                                             .detail = e->detail,
                                             .hash = e->hash };

    listing->stopped = listing->row(listing->context, &entry) != 0;
    return !listing->stopped;
}

static enum mneme_status list_of(void *context, struct mneme *inner, const char *stem,
                                 struct mneme_error *err)
{
    const struct mn_audit_filter all = { "", "", "" };
    struct listing *listing = context;
    struct mn_store *store = inner->world.store;

    (void)stem;
    return listing->stopped ? MNEME_OK
                            : store->ops->audit_list(store, &all, give_entry, listing, err);
}

/* What was done to the store as a whole, then tenant by tenant; each has a chain of its own. */
static enum mneme_status list_all(struct mneme *front, const struct mn_audit_filter *filter,
                                  struct listing *listing, struct mneme_error *err)
{
    struct mn_store *root = mn_tenants_root(front);

    MN_TRY(root->ops->audit_list(root, filter, give_entry, listing, err));
    return mn_tenants_each(front, false, list_of, listing, err);
}

enum mneme_status mneme_audit_list(struct mneme *handle, const char *tenant_id, const char *user_id,
                                   const char *row_id, mneme_audit_fn row, void *context,
                                   struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    const struct mn_audit_filter filter = { mn_or_empty(tenant_id), mn_or_empty(user_id),
                                            mn_or_empty(row_id) };
    struct listing listing = { row, context, false };

    if (!row)
        return mn_fail(err, MNEME_INVALID, "row: is NULL");
    if (mn_empty(tenant_id) && (!mn_empty(user_id) || !mn_empty(row_id)))
        return mn_fail(err, MNEME_INVALID, "tenant_id: whose user or row is it?");
    if (handle->tenants && mn_empty(tenant_id))
        return list_all(handle, &filter, &listing, err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_audit_list(inner, tenant_id, user_id, row_id, row, context, err));
    return handle->world.store->ops->audit_list(handle->world.store, &filter, give_entry, &listing,
                                                err);
}

/* "SEQ:HASH" */
static enum mneme_status read_mark(const char *noted, struct mn_audit_mark *ret_mark,
                                   struct mneme_error *err)
{
    struct mn_audit_mark mark = { 0 };
    char *end = NULL;

    if (!noted) {
        *ret_mark = mark;
        return MNEME_OK;
    }
    mark.seq = strtoll(noted, &end, 10);
    if (mark.seq < 1 || *end != ':' || strlen(end + 1) != sizeof mark.hash - 1)
        return mn_fail(err, MNEME_INVALID, "noted: is not NUMBER:HASH, as a check prints it");
    memcpy(mark.hash, end + 1, sizeof mark.hash);
    *ret_mark = mark;
    return MNEME_OK;
}

static enum mneme_status print_state(const struct mn_audit_state *state, struct mn_buf *out,
                                     struct mneme_error *err)
{
    static const char *const faults[] = { [MN_AUDIT_CHANGED] = "changed",
                                          [MN_AUDIT_MISSING] = "missing",
                                          [MN_AUDIT_CUT] = "cut",
                                          [MN_AUDIT_OTHER] = "other",
                                          [MN_AUDIT_NAME] = "name" };
    struct mn_json_writer w = { .out = out };
    MN_BUF_AUTO end = { 0 };

    mn_buf_printf(&end, "%lld:%s", (long long)state->end.seq, state->end.hash);
    mn_json_open(&w, '{');
    mn_json_field_bool(&w, "sound", state->fault == MN_AUDIT_SOUND);
    mn_json_field_integer(&w, "entries", state->count);
    mn_json_field_text(&w, "end", state->end.seq ? end.at : "");
    if (state->fault != MN_AUDIT_SOUND) {
        mn_json_field_text(&w, "fault", faults[state->fault]);
        mn_json_field_integer(&w, "at", state->seq);
    }
    mn_json_close(&w, '}');
    return out->failed || end.failed ? mn_fail_memory(err) : MNEME_OK;
}

/* The first fault of any chain; entries of all. */
static enum mneme_status verify_of(void *context, struct mneme *inner, const char *stem,
                                   struct mneme_error *err)
{
    struct mn_audit_state *all = context;
    struct mn_audit_state state = { 0 };
    struct mn_store *store = inner->world.store;

    (void)stem;
    MN_TRY(store->ops->audit_verify(store, NULL, &state, err));
    all->count += state.count;
    if (all->fault == MN_AUDIT_SOUND && state.fault != MN_AUDIT_SOUND) {
        all->fault = state.fault;
        all->seq = state.seq;
    }
    return MNEME_OK;
}

/* A mark is one of the chain of the store as a whole, and so is the end. */
static enum mneme_status verify_chains(struct mneme *front, const struct mn_audit_mark *mark,
                                       struct mn_audit_state *ret_state, struct mneme_error *err)
{
    struct mn_store *root = mn_tenants_root(front);
    struct mn_audit_state state = { 0 };

    MN_TRY(root->ops->audit_verify(root, mark, &state, err));
    MN_TRY(mn_tenants_each(front, false, verify_of, &state, err));
    *ret_state = state;
    return MNEME_OK;
}

enum mneme_status mneme_audit_verify(struct mneme *handle, const char *noted, int *ret_sound,
                                     char **ret_report_json, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_sound, "ret_sound", err);
    struct mn_audit_state state = { 0 };
    struct mn_audit_mark mark;
    MN_BUF_AUTO report = { 0 };

    MN_TRY(read_mark(noted, &mark, err));
    MN_TRY(handle->tenants
               ? verify_chains(handle, &mark, &state, err)
               : handle->world.store->ops->audit_verify(handle->world.store, &mark, &state, err));
    MN_TRY(print_state(&state, &report, err));
    *ret_sound = state.fault == MN_AUDIT_SOUND;
    if (ret_report_json) {
        *ret_report_json = report.at;
        report = (struct mn_buf){ 0 };
    }
    return MNEME_OK;
}
