/*
 * seal.h - bytes that nobody reads or changes without the key.
 *
 * AES-256 in Galois counter mode (NIST SP 800-38D): 12 random bytes, what was sealed, 16 bytes that
 * prove it. The key is derived from a secret of the caller's (HKDF-SHA256, RFC 5869), so that one secret
 * may serve several purposes.
 */
#ifndef MN_BASE_SEAL_H
#define MN_BASE_SEAL_H

#include <stddef.h>

#include "base/str.h"

#define MN_SEAL_KEY_BYTES 32
#define MN_SEAL_MORE_BYTES 28 /* so many more than what was sealed */

struct mn_seal_key {
    unsigned char bytes[MN_SEAL_KEY_BYTES];
};

/* MNEME_LIMIT when there is no memory. */
enum mneme_status mn_seal_key_derive(const char *secret, const char *purpose,
                                     struct mn_seal_key *ret_key, struct mneme_error *err);

/* Appends to `out`. `name` is not in it, but only under the same name it can be opened. */
enum mneme_status mn_seal(const struct mn_seal_key *key, const char *name, const void *bytes,
                          size_t count, struct mn_buf *out, struct mneme_error *err);
/* MNEME_CORRUPT: other bytes, another name or another key. */
enum mneme_status mn_unseal(const struct mn_seal_key *key, const char *name, const void *bytes,
                            size_t count, struct mn_buf *out, struct mneme_error *err);

#endif
