/*
 * array.c - room doubles.
 *
 * The pointer is read and written as bytes: behind `void **` stands some `struct x *`, and C lets
 * nobody look at one through the other.
 */
#include "base/array.h"

#include <string.h>

#define ROOM_FIRST ((size_t)8)

bool mn_array_grow(struct mn_arena *arena, void **item, size_t count, size_t *room, size_t bytes)
{
    size_t doubled;
    void *old;
    void *grown;

    if (count < *room)
        return true;
    if (__builtin_mul_overflow(*room, (size_t)2, &doubled))
        return false;
    if (doubled < ROOM_FIRST)
        doubled = ROOM_FIRST;
    grown = mn_arena_calloc(arena, doubled, bytes);
    if (!grown)
        return false;
    memcpy(&old, (const void *)item, sizeof old);
    if (count)
        memcpy(grown, old, count * bytes);
    memcpy((void *)item, &grown, sizeof grown);
    *room = doubled;
    return true;
}
