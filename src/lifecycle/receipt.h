/*
 * receipt.h - what is left of an erasure: a JSON text without any of the erased ones.
 *
 * Ids stand in it as they are, and digested; texts only digested, with the receipt's own salt and the
 * owner, so that equal texts of two owners have nothing in common. The seal, last in the text, is a
 * digest of everything before it under a secret of the store: whoever changes the receipt breaks it.
 */
#ifndef MN_LIFECYCLE_RECEIPT_H
#define MN_LIFECYCLE_RECEIPT_H

#include "base/arena.h"
#include "base/hash.h"
#include "store/store.h"

#define MN_RECEIPT_VERSION 1
#define MN_SALT_BYTES (MN_SHA256_HEX_BYTES - 1) /* hex digits, used as they are */

/* How the files were left. */
struct mn_scan {
    size_t bytes;   /* looked at */
    size_t things;  /* looked for */
    size_t found;   /* and no surviving row has it */
    bool compacted; /* the file was written anew */
    bool settled;   /* the log is merged, and nothing was found */
    char why[400];  /* it is not */
    bool key_destroyed; /* that of the file as it was: backups of it cannot be read */
};

/* The digest of an owner's text, or of one of its ids; `salted` has the receipt's salt as its key. */
bool mn_receipt_digest(struct mn_hmac *salted, const char *kind, const char *owner, struct mn_str text,
                       char hex[MN_SHA256_HEX_BYTES]);
/* Names the store without telling its secret. */
bool mn_receipt_store(const char *key, char hex[MN_SHA256_HEX_BYTES]);

/* A digest of one text of one owner. */
struct mn_text_digest {
    char hex[MN_SHA256_HEX_BYTES];
    const char *owner;
    bool kept; /* the same owner said it elsewhere too, and that stays */
};
struct mn_text_digests {
    struct mn_text_digest *item; /* sorted by hex, each once */
    size_t count;
};
/* The one of this hex, or NULL. */
struct mn_text_digest *mn_text_digest_find(const struct mn_text_digests *digests, const char *hex);
enum mneme_status mn_text_digests_make(const struct mn_erased *erased, struct mn_hmac *salted,
                                       struct mn_arena *arena, struct mn_text_digests *ret_digests,
                                       struct mneme_error *err);

enum mneme_status mn_receipt_print(const struct mneme_erasure *what, const struct mn_erased *erased,
                                   const struct mn_text_digests *digests, const struct mn_scan *scan,
                                   const char *salt, struct mn_hmac *salted, const char *key,
                                   struct mn_buf *ret_receipt, struct mneme_error *err);

/* A receipt, read. */
struct mn_receipt {
    const char *tenant;
    const char *salt;
    int64_t erased_at_ms;
    struct mneme_list owners;
    const char **ids; /* sorted */
    size_t id_count;
    struct mn_text_digests digests;
    struct mn_audit_mark audit;
};
/* Behind its seal. MNEME_INVALID, MNEME_FORBIDDEN: as mneme_erase_verify() says. */
enum mneme_status mn_receipt_read(const char *text, const char *key, struct mn_arena *arena,
                                  struct mn_receipt *ret_receipt, struct mneme_error *err);
/* Whose receipt it says it is, seal or no seal; in the arena. NULL: none, or no memory. */
const char *mn_receipt_tenant(const char *text, struct mn_arena *arena);
bool mn_receipt_has_id(const struct mn_receipt *receipt, struct mn_str id); /* as a whole */
bool mn_receipt_has_owner(const struct mn_receipt *receipt, const char *owner);

#endif
