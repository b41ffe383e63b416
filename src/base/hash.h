/*
 * hash.h - a fast hash for tables, a strong one for contents.
 */
#ifndef MN_BASE_HASH_H
#define MN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 bits, well mixed, seeded; for tables in RAM only (not stable between versions). */
uint64_t mn_hash64(const void *bytes, size_t count, uint64_t seed);

#define MN_SHA256_HEX_BYTES 65
/* Lower-case hex and NUL. False, and hex empty, when the digest cannot be set up (no memory). */
bool mn_sha256_hex(const void *bytes, size_t count, char hex[MN_SHA256_HEX_BYTES])
    __attribute__((warn_unused_result));

/* HMAC-SHA256 with this key; otherwise the same. */
bool mn_hmac_sha256_hex(const void *key, size_t key_bytes, const void *bytes, size_t count,
                        char hex[MN_SHA256_HEX_BYTES]) __attribute__((warn_unused_result));

#endif
