/*
 * sqlite_tombstone.c - what was erased does not come back.
 *
 * A tombstone is the digest of a tenant and an id, nothing else: it tells whether an id was erased
 * to whoever has the id, and names nobody to whoever reads the file. Asked when a row is new, and of
 * the evidence a new row or edge is drawn from: a job that read its events before they were erased
 * comes too late with what it made of them. A store without tombstones pays one look into an empty
 * table.
 */
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_erase.h"

#define DOMAIN "mneme tombstone" /* so that the digest is of no other use */

static enum mneme_status digest(const char *tenant, const char *id, size_t id_bytes,
                                char hex[MN_SHA256_HEX_BYTES], struct mneme_error *err)
{
    MN_BUF_AUTO whole = { 0 };

    mn_buf_put(&whole, DOMAIN, sizeof DOMAIN);
    mn_buf_put(&whole, mn_or_empty(tenant), strlen(mn_or_empty(tenant)) + 1);
    mn_buf_put(&whole, id, id_bytes);
    if (whole.failed || !mn_sha256_hex(whole.at, whole.bytes, hex))
        return mn_fail_memory(err);
    return MNEME_OK;
}

enum mneme_status mn_tombstone_put(const struct mn_writing *w, enum mn_tombstone_kind kind,
                                   const char *tenant, const char *id, struct mneme_error *err)
{
    char hex[MN_SHA256_HEX_BYTES];
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(digest(tenant, id, strlen(id), hex, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TOMBSTONE_PUT, &stmt, err));
    mn_bind_integer(stmt, ":kind", kind);
    mn_bind_text(stmt, ":digest", hex);
    mn_bind_integer(stmt, ":at_ms", w->commit->now_ms);
    return mn_sqlite_done(stmt, err);
}

enum mneme_status mn_tombstone_since(const struct mn_writing *w, enum mn_tombstone_kind kind,
                                     const char *tenant, const char *id, int64_t since_ms,
                                     bool *ret_found, struct mneme_error *err)
{
    char hex[MN_SHA256_HEX_BYTES];
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(digest(tenant, id, strlen(id), hex, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TOMBSTONE_FIND, &stmt, err));
    mn_bind_integer(stmt, ":kind", kind);
    mn_bind_text(stmt, ":digest", hex);
    mn_bind_integer(stmt, ":since_ms", since_ms);
    return mn_sqlite_step(stmt, ret_found, err);
}

enum mneme_status mn_tombstone_find(const struct mn_writing *w, enum mn_tombstone_kind kind,
                                    const char *tenant, const char *id, bool *ret_found,
                                    struct mneme_error *err)
{
    return mn_tombstone_since(w, kind, tenant, id, 0, ret_found, err);
}

enum mneme_status mn_tombstone_any(const struct mn_writing *w, bool *ret_any,
                                   struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    if (w->known && w->known->no_tombstones) {
        *ret_any = false;
        return MNEME_OK;
    }
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TOMBSTONE_ANY, &stmt, err));
    MN_TRY(mn_sqlite_step(stmt, ret_any, err));
    if (w->known)
        w->known->no_tombstones = !*ret_any;
    return MNEME_OK;
}

enum mneme_status mn_tombstone_check(const struct mn_writing *w, const char *tenant, const char *id,
                                     struct mneme_list provenance, struct mneme_error *err)
{
    bool found = false;

    MN_TRY(mn_tombstone_any(w, &found, err));
    if (!found)
        return MNEME_OK;
    MN_TRY(mn_tombstone_find(w, MN_TOMBSTONE_UNIT, tenant, id, &found, err));
    if (found)
        return mn_fail(err, MNEME_CONFLICT, "id: %.200s was erased and cannot be written again", id);
    for (size_t i = 0; i < provenance.count; i++) {
        MN_TRY(mn_tombstone_find(w, MN_TOMBSTONE_UNIT, tenant, mn_or_empty(provenance.item[i]),
                                 &found, err));
        if (found)
            return mn_fail(err, MNEME_CONFLICT, "provenance: %.200s was erased meanwhile",
                           provenance.item[i]);
    }
    return MNEME_OK;
}

enum mneme_status mn_tombstone_among(const struct mn_writing *w, const char *tenant,
                                     struct mneme_list ids, bool *ret_erased,
                                     struct mneme_error *err)
{
    bool found = false;

    MN_TRY(mn_tombstone_any(w, &found, err));
    if (found)
        found = false;
    else
        ids.count = 0;
    for (size_t i = 0; i < ids.count && !found; i++)
        MN_TRY(mn_tombstone_find(w, MN_TOMBSTONE_UNIT, tenant, mn_or_empty(ids.item[i]), &found,
                                 err));
    *ret_erased = found;
    return MNEME_OK;
}

/* ---- traces ---- */

/* A unit, or a session that was erased after this instant. */
static enum mneme_status is_named(const struct mn_writing *w, const struct mn_trace_row *trace,
                                  struct mn_str string, bool *ret_found, struct mneme_error *err)
{
    char hex[MN_SHA256_HEX_BYTES];
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(digest(trace->tenant, string.at, string.bytes, hex, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_TOMBSTONE_NAMED, &stmt, err));
    mn_bind_text(stmt, ":digest", hex);
    mn_bind_integer(stmt, ":since_ms", trace->at_ms);
    return mn_sqlite_step(stmt, ret_found, err);
}

enum mneme_status mn_tombstone_covers(const struct mn_writing *w, const struct mn_trace_row *trace,
                                      bool *ret_covered, struct mneme_error *err)
{
    struct mn_str json = mn_str_of(trace->json);
    MN_BUF_AUTO room = { 0 };
    struct mn_str string;
    bool covered = false;
    size_t at = 0;

    MN_TRY(mn_tombstone_any(w, &covered, err));
    if (!covered) {
        *ret_covered = false;
        return MNEME_OK;
    }
    MN_TRY(mn_tombstone_since(w, MN_TOMBSTONE_USER, trace->tenant, trace->user, trace->at_ms,
                              &covered, err));
    if (!covered)
        MN_TRY(mn_tombstone_since(w, MN_TOMBSTONE_TENANT, trace->tenant, "", trace->at_ms, &covered,
                                  err));
    while (!covered && mn_json_next_string(json, &at, &room, &string))
        MN_TRY(is_named(w, trace, string, &covered, err));
    if (room.failed)
        return mn_fail_memory(err);
    *ret_covered = covered;
    return MNEME_OK;
}
