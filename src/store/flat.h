/*
 * flat.h - a row, or a list of ids, in one piece: all that it points to lies behind it, so that a
 * copy is one memcpy() and a walk over its pointers instead of some thirty small copies.
 */
#ifndef MN_STORE_FLAT_H
#define MN_STORE_FLAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "store/store.h"

struct mn_flat {
    size_t bytes;
    size_t pointer_count;
    const uint32_t *pointer; /* where in the piece a pointer into the piece lies */
    const void *at;          /* the struct mn_row, or the `const char *` of the ids */
};

/* Made by one malloc() with `extra` bytes before it for the owner, who frees that; NULL: no memory,
 * or more than 4 GiB. */
void *mn_flat_row(const struct mn_row *row, size_t extra, struct mn_flat *ret_flat);
void *mn_flat_ids(const char *const *ids, size_t count, size_t extra, struct mn_flat *ret_flat);

/* A copy of `at` in the arena; NULL: no memory. */
void *mn_flat_copy(const struct mn_flat *flat, struct mn_arena *arena);

#endif
