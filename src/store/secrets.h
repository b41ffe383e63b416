/*
 * secrets.h - small secrets that a store keeps for others: the keys of tenants' files.
 *
 * They lie among the facts that the store keeps of itself, so they are encrypted when the store is,
 * and change its key with it. What is removed or replaced is overwritten in its page, and the log that
 * held it is merged and emptied before the call ends.
 */
#ifndef MN_STORE_SECRETS_H
#define MN_STORE_SECRETS_H

#include <stddef.h>

#include "store/store.h"

#define MN_SECRET_BYTES 128 /* of a value, with its end */

/* "" when there is none. */
enum mneme_status mn_secret_get(struct mn_store *store, const char *name,
                                char value[MN_SECRET_BYTES], struct mneme_error *err);
/* Put unless one is there; value is then what is there. */
enum mneme_status mn_secret_settle(struct mn_store *store, const char *name,
                                   char value[MN_SECRET_BYTES], struct mneme_error *err);
/* Puts in place of what is there; NULL removes. */
enum mneme_status mn_secret_put(struct mn_store *store, const char *name, const char *value,
                                struct mneme_error *err);

#endif
