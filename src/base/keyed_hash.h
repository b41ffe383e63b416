/*
 * keyed_hash.h - a hash that nobody outside this process can aim at.
 *
 * For what is remembered of texts by their hash alone, where two texts with one hash would be a way in.
 */
#ifndef MN_BASE_KEYED_HASH_H
#define MN_BASE_KEYED_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Under a key that this process has drawn. False where the system gives no randomness. */
bool mn_hash_keyed(const void *bytes, size_t count, uint64_t *ret_hash);

/* The function itself: SipHash-2-4. */
uint64_t mn_siphash(const uint64_t key[2], const void *bytes, size_t count);

#endif
