/*
 * receipt_check.c - a receipt held against the store as it is now.
 *
 * Four questions: is one of the ids there, is a text of those owners there that was written before
 * the erasure, do the files' bytes hold an id that no row has, and does the audit tell of the erasure
 * (a store that was put back from before it does not). What an owner has said again since
 * is theirs to say, and only counted.
 */
#include <string.h>

#include "base/json.h"
#include "lifecycle/archive.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/receipt.h"
#include "lifecycle/sweep.h"

#define NAMED_MAX 20 /* ids told in the report */

struct check {
    const struct mn_receipt *receipt;
    struct mn_hmac *salted;
    struct mn_sweep *ids; /* as bytes, in the files */
    const char *named[NAMED_MAX];
    size_t ids_found;
    size_t traces_found; /* that name one */
    size_t texts_found;
    size_t texts_again;
    size_t texts_looked_at;
    size_t bytes;
    size_t archived_looked_at; /* turns */
    size_t archived_found;
    bool archive_seen; /* there is none, or it was looked at */
    bool in_audit;
    bool failed;
};

static void check_id(struct check *c, const char *id)
{
    if (!mn_receipt_has_id(c->receipt, mn_str_of(id)))
        return;
    for (size_t i = 0; i < c->ids_found && i < NAMED_MAX; i++)
        if (strcmp(c->named[i], id) == 0)
            return;
    for (size_t i = 0; c->ids_found < NAMED_MAX && i < c->receipt->id_count; i++)
        if (strcmp(c->receipt->ids[i], id) == 0)
            c->named[c->ids_found] = c->receipt->ids[i];
    c->ids_found++;
}

/* Ids stand in a trace as whole strings; part of another id is none. */
static void check_trace(struct check *c, struct mn_str json)
{
    MN_BUF_AUTO room = { 0 };
    struct mn_str string;
    bool named = false;

    for (size_t at = 0; !named && mn_json_next_string(json, &at, &room, &string);)
        named = mn_receipt_has_id(c->receipt, string);
    c->traces_found += named;
    c->failed = c->failed || room.failed;
}

static void check_kept(void *context, const struct mn_kept_text *kept)
{
    struct check *c = context;
    char hex[MN_SHA256_HEX_BYTES];

    check_id(c, kept->id);
    if (kept->kind == MN_KEPT_TRACE)
        check_trace(c, kept->text);
    if (!kept->said || !mn_receipt_has_owner(c->receipt, kept->owner))
        return;
    c->texts_looked_at++;
    if (!mn_receipt_digest(c->salted, "text", kept->owner, kept->text, hex))
        c->failed = true;
    else if (mn_text_digest_find(&c->receipt->digests, hex))
        *(kept->created_at_ms > c->receipt->erased_at_ms ? &c->texts_again : &c->texts_found) += 1;
}

static void look_at_bytes(void *context, const char *part, const void *bytes, size_t count)
{
    struct check *c = context;

    (void)part;
    c->bytes += count;
    mn_sweep_look(c->ids, bytes, count);
}

static enum mneme_status look_around(struct mn_world *world, struct check *c,
                                     struct mneme_error *err)
{
    struct mn_store *store = world->store;

    for (size_t i = 0; i < c->receipt->id_count; i++)
        if (!mn_sweep_add_exact(c->ids, mn_str_of(c->receipt->ids[i])))
            return mn_fail_memory(err);
    MN_TRY(store->ops->texts(store, c->receipt->tenant, check_kept, c, err));
    if (c->failed)
        return mn_fail_memory(err);
    MN_TRY(store->ops->bytes(store, look_at_bytes, c, err));
    if (mn_sweep_found(c->ids) > 0)
        MN_TRY(store->ops->texts(store, NULL, mn_sweep_excuse_kept, c->ids, err));
    return MNEME_OK;
}

static bool check_archived(void *context, const struct mn_archived_turn *turn)
{
    struct check *c = context;

    c->archived_looked_at++;
    c->archived_found += mn_receipt_has_id(c->receipt, mn_str_of(turn->event->id));
    return false;
}

/* Turns of those owners that are in the archive, or wait to be removed from it. One that does not answer
 * was not seen: then nothing is clean. */
static enum mneme_status look_in_archive(struct mn_world *world, struct check *c,
                                         struct mn_arena *arena, struct mneme_error *err)
{
    struct mn_archive *archive = world->archive;
    struct mn_archive_objects objects = { 0 };
    enum mneme_status status = MNEME_OK;
    struct mneme_error why;

    if (!archive || !archive->ops->show) {
        MN_TRY(world->store->ops->archive_objects(world->store, NULL, NULL, arena, &objects, err));
        c->archive_seen = objects.count == 0;
        return MNEME_OK;
    }
    status = archive->ops->show(archive, world, NULL, false, check_archived, c, &why);
    for (size_t i = 0; i < c->receipt->owners.count && status == MNEME_OK; i++) {
        const struct mn_partition only = { c->receipt->tenant, c->receipt->owners.item[i] };

        status = archive->ops->show(archive, world, &only, false, check_archived, c, &why);
    }
    c->archive_seen = status == MNEME_OK;
    if (status == MNEME_LIMIT) {
        if (err)
            *err = why;
        return status;
    }
    return MNEME_OK;
}

static enum mneme_status report(const struct check *c, bool clean, struct mn_buf *out,
                                struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_bool(&w, "clean", clean);
    mn_json_field_integer(&w, "ids", (int64_t)c->receipt->id_count);
    mn_json_field_integer(&w, "ids_found", (int64_t)c->ids_found);
    mn_json_key(&w, "found");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < c->ids_found && i < NAMED_MAX; i++)
        mn_json_put_text(&w, c->named[i]);
    mn_json_close(&w, ']');
    mn_json_field_integer(&w, "ids_in_traces", (int64_t)c->traces_found);
    mn_json_field_integer(&w, "ids_in_bytes", (int64_t)mn_sweep_found(c->ids));
    mn_json_field_bool(&w, "archive_seen", c->archive_seen);
    mn_json_field_integer(&w, "archived_found", (int64_t)c->archived_found);
    mn_json_field_integer(&w, "archived_looked_at", (int64_t)c->archived_looked_at);
    mn_json_field_bool(&w, "in_audit", c->in_audit);
    mn_json_field_integer(&w, "texts", (int64_t)c->receipt->digests.count);
    mn_json_field_integer(&w, "texts_found", (int64_t)c->texts_found);
    mn_json_field_integer(&w, "texts_said_again", (int64_t)c->texts_again);
    mn_json_field_integer(&w, "texts_looked_at", (int64_t)c->texts_looked_at);
    mn_json_field_integer(&w, "bytes_looked_at", (int64_t)c->bytes);
    mn_json_close(&w, '}');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status look_in_audit(struct mn_world *world, struct check *c,
                                       struct mneme_error *err)
{
    struct mn_audit_state state = { 0 };

    MN_TRY(world->store->ops->audit_verify(world->store, &c->receipt->audit, &state, err));
    c->in_audit = state.fault == MN_AUDIT_SOUND;
    return MNEME_OK;
}

enum mneme_status mn_erase_verify(struct mn_world *world, const char *receipt_text, bool *ret_clean,
                                  struct mn_buf *ret_report, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)4 << 30);
    MN_SWEEP_AUTO ids = mn_sweep_new();
    MN_HMAC_AUTO salted = NULL;
    struct mn_receipt receipt;
    struct check c = { .receipt = &receipt, .ids = ids };
    const char *key = "";
    bool clean;

    if (!arena || !ids)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->erase_key(world->store, arena, &key, err));
    MN_TRY(mn_receipt_read(receipt_text, key, arena, &receipt, err));
    salted = mn_hmac_new(receipt.salt, strlen(receipt.salt));
    if (!salted)
        return mn_fail_memory(err);
    c.salted = salted;
    MN_TRY(look_around(world, &c, err));
    MN_TRY(look_in_archive(world, &c, arena, err));
    MN_TRY(look_in_audit(world, &c, err));
    clean = c.in_audit && c.archive_seen &&
            c.ids_found + c.texts_found + c.archived_found + c.traces_found + mn_sweep_found(ids) ==
                0;
    MN_TRY(report(&c, clean, ret_report, err));
    *ret_clean = clean;
    return MNEME_OK;
}
