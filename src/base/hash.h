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

/* HMAC-SHA256 with one key, for many contents; one thread at a time. */
struct mn_hmac;
struct mn_hmac *mn_hmac_new(const void *key, size_t key_bytes); /* NULL: no memory */
void mn_hmac_free(struct mn_hmac *hmac);                        /* accepts NULL */
void mn_hmac_free_at(struct mn_hmac **hmac);                    /* for MN_CLEANUP */
#define MN_HMAC_AUTO MN_CLEANUP(mn_hmac_free_at) struct mn_hmac *
/* As mn_sha256_hex(). A NULL hmac fails. */
bool mn_hmac_hex(struct mn_hmac *hmac, const void *bytes, size_t count,
                 char hex[MN_SHA256_HEX_BYTES]) __attribute__((warn_unused_result));

#endif
