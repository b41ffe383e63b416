/*
 * array.c - room doubles. The next element is cleared each time, so that room nobody uses costs nothing.
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
    size_t total;
    unsigned char *old;
    unsigned char *grown;

    memcpy(&old, (const void *)item, sizeof old);
    if (count < *room) {
        memset(old + count * bytes, 0, bytes);
        return true;
    }
    if (__builtin_mul_overflow(*room, (size_t)2, &doubled))
        return false;
    if (doubled < ROOM_FIRST)
        doubled = ROOM_FIRST;
    if (__builtin_mul_overflow(doubled, bytes, &total))
        return false;
    grown = mn_arena_room(arena, total);
    if (!grown)
        return false;
    if (count)
        memcpy(grown, old, count * bytes);
    memset(grown + count * bytes, 0, bytes);
    memcpy((void *)item, &grown, sizeof grown);
    *room = doubled;
    return true;
}
