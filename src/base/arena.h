/*
 * arena.h - RAM that is freed all at once.
 *
 * One arena per request, with a limit; what a signature puts "into arena" lives and dies with it.
 * Every allocation may return NULL (limit reached, or malloc failed): the caller answers with
 * mn_fail_memory(). A NULL arena is a full one, so that mn_arena_new() need not be checked apart.
 * Memory is zeroed and aligned for any type. Not safe between threads.
 */
#ifndef MN_BASE_ARENA_H
#define MN_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct mn_arena;

struct mn_arena *mn_arena_new(size_t bytes_max); /* NULL when malloc fails */
void mn_arena_free(struct mn_arena *arena);      /* accepts NULL */
void mn_arena_free_at(struct mn_arena **arena);  /* for MN_CLEANUP */
#define MN_ARENA_AUTO MN_CLEANUP(mn_arena_free_at) struct mn_arena *

void *mn_arena_alloc(struct mn_arena *arena, size_t bytes);
void *mn_arena_room(struct mn_arena *arena, size_t bytes); /* not zeroed: to be written whole */
/* Called with `what` when the arena is freed, the last one first; false when there is no room. */
bool mn_arena_at_end(struct mn_arena *arena, void (*end)(void *what), void *what);
size_t mn_arena_bytes(const struct mn_arena *arena); /* handed out so far */

#define mn_arena_array(arena, type, count) ((type *)mn_arena_calloc((arena), (count), sizeof(type)))
#define mn_arena_one(arena, type) ((type *)mn_arena_alloc((arena), sizeof(type)))
void *mn_arena_calloc(struct mn_arena *arena, size_t count, size_t bytes); /* checks overflow */

/* Copies end with NUL. A NULL text is copied as "". */
char *mn_arena_copy(struct mn_arena *arena, const char *text);
char *mn_arena_copy_n(struct mn_arena *arena, const char *text, size_t bytes);
char *mn_arena_printf(struct mn_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
