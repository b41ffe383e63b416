/*
 * array.h - growing arrays in an arena.
 *
 *     struct { struct mn_candidate *item; size_t count, room; } found = {0};
 *     struct mn_candidate *c = mn_array_add(arena, &found);
 *
 * Growth copies into the arena; the old room is left to it. NULL when the arena is full.
 */
#ifndef MN_BASE_ARRAY_H
#define MN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Makes room for one more of `bytes` each, and clears it; false when the arena is full. */
bool mn_array_grow(struct mn_arena *arena, void **item, size_t count, size_t *room, size_t bytes);

/* The new last element, zeroed, or NULL. */
#define mn_array_add(arena, array)                                                                 \
    (mn_array_grow((arena), (void **)&(array)->item, (array)->count, &(array)->room,               \
                   sizeof *(array)->item)                                                          \
         ? &(array)->item[(array)->count++]                                                        \
         : NULL)

#endif
