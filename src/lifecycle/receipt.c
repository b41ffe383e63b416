/*
 * receipt.c - receipts printed and read.
 *
 * A receipt is read in one way only: the seal is checked over the text as it stands, and what follows
 * may trust it. It can be large, an entry for each erased row; so it is one line of JSON and no limit
 * of an import's line holds for it.
 */
#include "lifecycle/receipt.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define SEAL ",\"seal\":\""

bool mn_receipt_digest(struct mn_hmac *salted, const char *kind, const char *owner, struct mn_str text,
                       char hex[MN_SHA256_HEX_BYTES])
{
    MN_BUF_AUTO whole = { 0 };

    mn_buf_put(&whole, kind, strlen(kind) + 1);
    mn_buf_put(&whole, owner, strlen(owner) + 1);
    mn_buf_put(&whole, text.at, text.bytes);
    return !whole.failed && mn_hmac_hex(salted, whole.at, whole.bytes, hex);
}

static bool digest_under(const char *key, const void *bytes, size_t count,
                         char hex[MN_SHA256_HEX_BYTES])
{
    MN_HMAC_AUTO hmac = mn_hmac_new(key, strlen(key));

    return mn_hmac_hex(hmac, bytes, count, hex);
}

bool mn_receipt_store(const char *key, char hex[MN_SHA256_HEX_BYTES])
{
    static const char name[] = "mneme store";

    if (!digest_under(key, name, sizeof name, hex))
        return false;
    hex[32] = '\0';
    return true;
}

/* ---- digests of texts ---- */

static int compare_digests(const void *a, const void *b)
{
    return strcmp(((const struct mn_text_digest *)a)->hex, ((const struct mn_text_digest *)b)->hex);
}

static void sort_digests(struct mn_text_digests *digests)
{
    size_t kept = 0;

    if (digests->count == 0)
        return;
    qsort(digests->item, digests->count, sizeof *digests->item, compare_digests);
    for (size_t i = 0; i < digests->count; i++)
        if (i == 0 || strcmp(digests->item[i].hex, digests->item[kept - 1].hex) != 0)
            digests->item[kept++] = digests->item[i];
    digests->count = kept;
}

struct mn_text_digest *mn_text_digest_find(const struct mn_text_digests *digests, const char *hex)
{
    struct mn_text_digest key;

    if (digests->count == 0)
        return NULL;
    memcpy(key.hex, hex, sizeof key.hex);
    return bsearch(&key, digests->item, digests->count, sizeof key, compare_digests);
}

enum mneme_status mn_text_digests_make(const struct mn_erased *erased, struct mn_hmac *salted,
                                       struct mn_arena *arena, struct mn_text_digests *ret_digests,
                                       struct mneme_error *err)
{
    struct mn_text_digests digests = { 0 };

    digests.item = mn_arena_array(arena, struct mn_text_digest, erased->texts.count + 1);
    if (!digests.item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < erased->texts.count; i++) {
        const struct mn_erased_text *text = &erased->texts.item[i];
        struct mn_text_digest *digest = &digests.item[digests.count];

        if (!text->said)
            continue;
        digest->owner = text->owner;
        if (!mn_receipt_digest(salted, "text", text->owner, text->text, digest->hex))
            return mn_fail_memory(err);
        digests.count++;
    }
    sort_digests(&digests);
    *ret_digests = digests;
    return MNEME_OK;
}

/* ---- printing ---- */

static const char *scope_name(enum mneme_erase_scope scope)
{
    static const char *const names[] = { [MNEME_ERASE_NONE] = "",
                                         [MNEME_ERASE_MEMORY] = "memory",
                                         [MNEME_ERASE_SESSION] = "session",
                                         [MNEME_ERASE_USER] = "user",
                                         [MNEME_ERASE_TENANT] = "tenant" };

    return names[scope];
}

static void put_what(struct mn_json_writer *w, const struct mneme_erasure *what)
{
    mn_json_key(w, "what");
    mn_json_open(w, '{');
    mn_json_field_text(w, "scope", scope_name(what->scope));
    mn_json_field_text(w, "tenant_id", what->tenant_id);
    if (what->scope != MNEME_ERASE_TENANT)
        mn_json_field_text(w, "user_id", what->user_id);
    if (what->scope == MNEME_ERASE_MEMORY || what->scope == MNEME_ERASE_SESSION)
        mn_json_field_text(w, "id", what->id);
    mn_json_close(w, '}');
}

static void put_counts(struct mn_json_writer *w, const struct mn_erased *erased)
{
    static const char *const names[MN_ERASED_KIND_COUNT] = {
        [MN_ERASED_MEMORY] = "memories",       [MN_ERASED_EVENT] = "events",
        [MN_ERASED_HISTORY] = "history",       [MN_ERASED_VECTOR] = "vectors",
        [MN_ERASED_USAGE] = "usage",           [MN_ERASED_MENTION] = "mentions",
        [MN_ERASED_SESSION] = "sessions",      [MN_ERASED_TASK_STATE] = "task_states",
        [MN_ERASED_RULE] = "rules",            [MN_ERASED_EDGE] = "edges",
        [MN_ERASED_ENTITY] = "entities",       [MN_ERASED_CLARIFICATION] = "clarifications",
        [MN_ERASED_TRACE] = "traces",          [MN_ERASED_CHANGE] = "changes",
        [MN_ERASED_REQUEST] = "requests",       [MN_ERASED_EXTRACTION] = "extractions",
        [MN_ERASED_ARCHIVED] = "archived",
        [MN_ERASED_SHORTENED] = "provenance_shortened",
        [MN_ERASED_TAKEN_BACK] = "taken_back",
    };

    mn_json_key(w, "counts");
    mn_json_open(w, '{');
    for (size_t i = 0; i < MN_ERASED_KIND_COUNT; i++)
        mn_json_field_integer(w, names[i], (int64_t)erased->counts[i]);
    mn_json_close(w, '}');
}

/* The ids of one owner, as they are or digested. */
static bool put_ids(struct mn_json_writer *w, const char *key, const struct mn_erased *erased,
                    const char *owner, struct mn_hmac *salted)
{
    char hex[MN_SHA256_HEX_BYTES];

    mn_json_key(w, key);
    mn_json_open(w, '[');
    for (size_t i = 0; i < erased->items.count; i++) {
        const struct mn_erased_item *item = &erased->items.item[i];

        if (strcmp(item->owner, owner) != 0)
            continue;
        if (salted && !mn_receipt_digest(salted, "id", owner, mn_str_of(item->id), hex))
            return false;
        mn_json_put_text(w, salted ? hex : item->id);
    }
    mn_json_close(w, ']');
    return true;
}

static bool put_owners(struct mn_json_writer *w, const struct mn_erased *erased,
                       const struct mn_text_digests *digests, struct mn_hmac *salted)
{
    mn_json_key(w, "owners");
    mn_json_open(w, '[');
    for (size_t p = 0; p < erased->partitions.count; p++) {
        const char *owner = erased->partitions.item[p].owner;

        mn_json_open(w, '{');
        mn_json_field_text(w, "user_id", owner);
        if (!put_ids(w, "ids", erased, owner, NULL) ||
            !put_ids(w, "id_digests", erased, owner, salted))
            return false;
        mn_json_key(w, "text_digests");
        mn_json_open(w, '[');
        for (size_t i = 0; i < digests->count; i++)
            if (!digests->item[i].kept && strcmp(digests->item[i].owner, owner) == 0)
                mn_json_put_text(w, digests->item[i].hex);
        mn_json_close(w, ']');
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
    return true;
}

static void put_scan(struct mn_json_writer *w, const struct mn_scan *scan)
{
    mn_json_key(w, "scan");
    mn_json_open(w, '{');
    mn_json_field_bool(w, "clean", scan->settled);
    mn_json_field_integer(w, "bytes", (int64_t)scan->bytes);
    mn_json_field_integer(w, "looked_for", (int64_t)scan->things);
    mn_json_field_integer(w, "found", (int64_t)scan->found);
    mn_json_field_bool(w, "file_written_anew", scan->compacted);
    if (scan->why[0])
        mn_json_field_text(w, "why", scan->why);
    mn_json_close(w, '}');
}

/* Where the audit tells of it. */
static void put_audit(struct mn_json_writer *w, const struct mn_audit_mark *mark)
{
    mn_json_key(w, "audit");
    mn_json_open(w, '{');
    mn_json_field_integer(w, "seq", mark->seq);
    mn_json_field_text(w, "hash", mark->hash);
    mn_json_close(w, '}');
}

static enum mneme_status put_seal(struct mn_buf *out, const char *key, struct mneme_error *err)
{
    char hex[MN_SHA256_HEX_BYTES];

    if (out->failed || !digest_under(key, out->at, out->bytes, hex))
        return mn_fail_memory(err);
    mn_buf_printf(out, SEAL "%s\"}", hex);
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

enum mneme_status mn_receipt_print(const struct mneme_erasure *what, const struct mn_erased *erased,
                                   const struct mn_text_digests *digests, const struct mn_scan *scan,
                                   const char *salt, struct mn_hmac *salted, const char *key,
                                   struct mn_buf *ret_receipt, struct mneme_error *err)
{
    struct mn_json_writer w = { .out = ret_receipt };
    char store[MN_SHA256_HEX_BYTES];

    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "erasure_receipt", MN_RECEIPT_VERSION);
    mn_json_field_time(&w, "erased_at", what->now_ms);
    if (what->actor[0])
        mn_json_field_text(&w, "actor", what->actor);
    put_what(&w, what);
    put_counts(&w, erased);
    if (what->preview) {
        mn_json_field_bool(&w, "preview", true);
        mn_json_close(&w, '}');
        return ret_receipt->failed ? mn_fail_memory(err) : MNEME_OK;
    }
    if (!mn_receipt_store(key, store))
        return mn_fail_memory(err);
    mn_json_field_text(&w, "store", store);
    mn_json_field_text(&w, "salt", salt);
    if (!put_owners(&w, erased, digests, salted))
        return mn_fail_memory(err);
    put_scan(&w, scan);
    if (scan->key_destroyed)
        mn_json_field_bool(&w, "key_destroyed", true);
    put_audit(&w, &erased->audit);
    return put_seal(ret_receipt, key, err); /* which also closes the object */
}

/* ---- reading ---- */

const char *mn_receipt_tenant(const char *text, struct mn_arena *arena)
{
    MN_JSON_AUTO doc = yyjson_read(text, strlen(text), 0);
    yyjson_val *what = yyjson_obj_get(yyjson_doc_get_root(doc), "what");
    const char *tenant = yyjson_get_str(yyjson_obj_get(what, "tenant_id"));

    return tenant ? mn_arena_copy(arena, tenant) : NULL;
}

/* The text up to its seal, when that holds. */
static enum mneme_status check_seal(const char *text, const char *key, struct mneme_error *err)
{
    char hex[MN_SHA256_HEX_BYTES];
    const char *seal = NULL;

    for (const char *at = strstr(text, SEAL); at; at = strstr(at + 1, SEAL))
        seal = at;
    if (!seal)
        return mn_fail(err, MNEME_INVALID, "receipt: has no seal");
    if (!digest_under(key, text, (size_t)(seal - text), hex))
        return mn_fail_memory(err);
    if (strncmp(seal + sizeof SEAL - 1, hex, sizeof hex - 1) != 0 ||
        strncmp(seal + sizeof SEAL - 1 + sizeof hex - 1, "\"}", 2) != 0)
        return mn_fail(err, MNEME_INVALID, "receipt: was changed, its seal does not hold");
    return MNEME_OK;
}

static enum mneme_status wrong(struct mneme_error *err)
{
    return mn_fail(err, MNEME_INVALID, "receipt: is no receipt of an erasure");
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum mneme_status read_ids(yyjson_val *list, struct mn_arena *arena,
                                  struct mn_receipt *receipt, struct mneme_error *err)
{
    yyjson_arr_iter iter;
    yyjson_val *value;

    if (!yyjson_arr_iter_init(list, &iter))
        return yyjson_is_arr(list) ? MNEME_OK : wrong(err);
    while ((value = yyjson_arr_iter_next(&iter))) {
        const char *id = mn_arena_copy(arena, yyjson_get_str(value));

        if (!id)
            return mn_fail_memory(err);
        receipt->ids[receipt->id_count++] = id;
    }
    return MNEME_OK;
}

static enum mneme_status read_digests(yyjson_val *list, const char *owner,
                                      struct mn_receipt *receipt, struct mneme_error *err)
{
    yyjson_arr_iter iter;
    yyjson_val *value;

    if (!yyjson_arr_iter_init(list, &iter))
        return yyjson_is_arr(list) ? MNEME_OK : wrong(err);
    while ((value = yyjson_arr_iter_next(&iter))) {
        struct mn_text_digest *digest = &receipt->digests.item[receipt->digests.count++];

        if (yyjson_get_len(value) != sizeof digest->hex - 1)
            return wrong(err);
        memcpy(digest->hex, yyjson_get_str(value), sizeof digest->hex);
        digest->owner = owner;
    }
    return MNEME_OK;
}

static enum mneme_status read_owners(yyjson_val *list, struct mn_arena *arena,
                                     struct mn_receipt *receipt, struct mneme_error *err)
{
    size_t count = yyjson_arr_size(list);
    const char **owners = mn_arena_array(arena, const char *, count + 1);
    size_t ids = 0, texts = 0;

    for (size_t i = 0; i < count; i++) {
        ids += yyjson_arr_size(yyjson_obj_get(yyjson_arr_get(list, i), "ids"));
        texts += yyjson_arr_size(yyjson_obj_get(yyjson_arr_get(list, i), "text_digests"));
    }
    receipt->ids = mn_arena_array(arena, const char *, ids + 1);
    receipt->digests.item = mn_arena_array(arena, struct mn_text_digest, texts + 1);
    if (!owners || !receipt->ids || !receipt->digests.item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        yyjson_val *one = yyjson_arr_get(list, i);

        owners[i] = mn_arena_copy(arena, yyjson_get_str(yyjson_obj_get(one, "user_id")));
        if (!owners[i])
            return mn_fail_memory(err);
        MN_TRY(read_ids(yyjson_obj_get(one, "ids"), arena, receipt, err));
        MN_TRY(read_digests(yyjson_obj_get(one, "text_digests"), owners[i], receipt, err));
    }
    receipt->owners = (struct mneme_list){ owners, count };
    if (receipt->id_count > 0)
        qsort(receipt->ids, receipt->id_count, sizeof *receipt->ids, compare_texts);
    sort_digests(&receipt->digests);
    return MNEME_OK;
}

/* Receipts of the first version have none. */
static enum mneme_status read_audit(yyjson_val *audit, struct mn_audit_mark *ret_mark,
                                    struct mneme_error *err)
{
    yyjson_val *hash = yyjson_obj_get(audit, "hash");

    *ret_mark = (struct mn_audit_mark){ 0 };
    if (!audit)
        return MNEME_OK;
    if (yyjson_get_len(hash) != sizeof ret_mark->hash - 1)
        return wrong(err);
    ret_mark->seq = yyjson_get_sint(yyjson_obj_get(audit, "seq"));
    memcpy(ret_mark->hash, yyjson_get_str(hash), sizeof ret_mark->hash);
    return MNEME_OK;
}

/* Of which store, before the seal: another one cannot know whether it was changed. */
static enum mneme_status check_store(yyjson_val *root, const char *key, struct mneme_error *err)
{
    const char *store = yyjson_get_str(yyjson_obj_get(root, "store"));
    char own[MN_SHA256_HEX_BYTES];

    if (!store)
        return wrong(err);
    if (!mn_receipt_store(key, own))
        return mn_fail_memory(err);
    if (strcmp(store, own) != 0)
        return mn_fail(err, MNEME_FORBIDDEN, "receipt: is of another store");
    return MNEME_OK;
}

enum mneme_status mn_receipt_read(const char *text, const char *key, struct mn_arena *arena,
                                  struct mn_receipt *ret_receipt, struct mneme_error *err)
{
    MN_JSON_AUTO doc = yyjson_read(text, strlen(text), 0);
    yyjson_val *root = yyjson_doc_get_root(doc);
    struct mn_receipt receipt = { 0 };
    const char *at;

    if (yyjson_get_int(yyjson_obj_get(root, "erasure_receipt")) != MN_RECEIPT_VERSION)
        return wrong(err);
    MN_TRY(check_store(root, key, err));
    MN_TRY(check_seal(text, key, err));
    at = yyjson_get_str(yyjson_obj_get(root, "erased_at"));
    receipt.salt = mn_arena_copy(arena, yyjson_get_str(yyjson_obj_get(root, "salt")));
    receipt.tenant = mn_arena_copy(
        arena, yyjson_get_str(yyjson_obj_get(yyjson_obj_get(root, "what"), "tenant_id")));
    if (!receipt.salt || !receipt.tenant)
        return mn_fail_memory(err);
    if (!at || !receipt.tenant[0] || mneme_time_parse(at, &receipt.erased_at_ms, NULL) != MNEME_OK)
        return wrong(err);
    MN_TRY(read_owners(yyjson_obj_get(root, "owners"), arena, &receipt, err));
    MN_TRY(read_audit(yyjson_obj_get(root, "audit"), &receipt.audit, err));
    *ret_receipt = receipt;
    return MNEME_OK;
}

static int compare_id(const void *key, const void *item)
{
    const struct mn_str *id = key;
    const char *other = *(const char *const *)item;
    int order = strncmp(id->at, other, id->bytes);

    return order || !other[id->bytes] ? order : -1;
}

bool mn_receipt_has_id(const struct mn_receipt *receipt, struct mn_str id)
{
    return receipt->id_count > 0 && bsearch(&id, receipt->ids, receipt->id_count,
                                            sizeof *receipt->ids, compare_id) != NULL;
}

bool mn_receipt_has_owner(const struct mn_receipt *receipt, const char *owner)
{
    for (size_t i = 0; i < receipt->owners.count; i++)
        if (strcmp(receipt->owners.item[i], owner) == 0)
            return true;
    return false;
}
