/*
 * sqlite_audit.h - the audit's chain, inside the transaction that it tells of.
 */
#ifndef MN_STORE_SQLITE_AUDIT_H
#define MN_STORE_SQLITE_AUDIT_H

#include "base/hash.h"
#include "store/sqlite_db.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_write.h"

#define MN_META_AUDIT_KEY "audit_key" /* the secret of the digests and of the chain */
#define MN_AUDIT_DIGEST_BYTES 33      /* 32 hex digits of an HMAC, and NUL */

/* Digests of names and ids under the store's secret. */
struct mn_audit_key {
    struct mn_hmac *hmac; /* NULL: there is no secret yet, and so no entry */
};
void mn_audit_key_release(struct mn_audit_key *key); /* for MN_CLEANUP */
#define MN_AUDIT_KEY_AUTO MN_CLEANUP(mn_audit_key_release) struct mn_audit_key
enum mneme_status mn_audit_key_read(struct mn_sqlite *db, struct mn_audit_key *ret_key,
                                    struct mneme_error *err);
/* Of the tenant itself, or of an owner or an actor in it; "" of what is empty. */
bool mn_audit_digest(const struct mn_audit_key *key, const char *kind, const char *tenant,
                     const char *name, char digest[MN_AUDIT_DIGEST_BYTES]);
#define MN_AUDIT_TENANT "tenant"
#define MN_AUDIT_WHO "who"
#define MN_AUDIT_ROW "row" /* the id of a memory, an event, a rule, an edge, a task, a session */

/* The hash of an entry that follows one of hash `before` ("" for the first). */
bool mn_audit_chain(const struct mn_audit_key *key, const char *before,
                    const struct mn_audit_entry *entry, char hash[MN_SHA256_HEX_BYTES]);

/* What a request has written; nothing for one that wrote nothing new. */
enum mneme_status mn_audit_written(const struct mn_writing *w, const struct mn_written *written,
                                   struct mneme_error *err);
/* What is erased; names of the erased are forgotten. *ret_mark: the new end. */
enum mneme_status mn_audit_erased(const struct mn_erasing *e, struct mn_audit_mark *ret_mark,
                                  struct mneme_error *err);

#endif
