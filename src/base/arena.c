/*
 * arena.c - chunks in a list, filled from the front.
 *
 * Chunks double from 4 KiB to 1 MiB; what is larger gets a chunk of its own, placed behind the one
 * being filled so that its room is not lost. A piece is cleared when it is handed out, unless it is
 * room for a copy: most of what a request takes is, and clearing it first would touch it twice.
 *
 * What is shared with others is held until the arena's end, which gives it back (mn_arena_at_end()).
 *
 * The limit counts what is handed out, each piece rounded up to the alignment. Under
 * AddressSanitizer a chunk's unused bytes are poisoned, so that running past a piece's end is seen.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

#define ALIGN alignof(max_align_t)
#define CHUNK_BYTES_FIRST ((size_t)4096)
#define CHUNK_BYTES_MAX ((size_t)1 << 20)

struct chunk {
    struct chunk *next;
    size_t bytes; /* of data */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

struct ending {
    struct ending *next; /* the one before it */
    void (*end)(void *what);
    void *what;
};

struct mn_arena {
    struct chunk *chunk; /* the one being filled, then all others */
    size_t chunk_bytes;  /* of the next one */
    size_t bytes;
    size_t bytes_max;
    struct ending *last;
};

struct mn_arena *mn_arena_new(size_t bytes_max)
{
    struct mn_arena *arena = calloc(1, sizeof *arena);

    if (!arena)
        return NULL;
    arena->chunk_bytes = CHUNK_BYTES_FIRST;
    arena->bytes_max = bytes_max;
    return arena;
}

void mn_arena_free(struct mn_arena *arena)
{
    struct chunk *next;

    if (!arena)
        return;
    for (const struct ending *e = arena->last; e; e = e->next)
        e->end(e->what);
    for (struct chunk *c = arena->chunk; c; c = next) {
        next = c->next;
        ASAN_UNPOISON_MEMORY_REGION(c->data, c->bytes);
        free(c);
    }
    free(arena);
}

void mn_arena_free_at(struct mn_arena **arena)
{
    mn_arena_free(*arena);
    *arena = NULL;
}

static struct chunk *chunk_new(size_t bytes)
{
    struct chunk *chunk = malloc(sizeof *chunk + bytes);

    if (!chunk)
        return NULL;
    *chunk = (struct chunk){ .bytes = bytes };
    ASAN_POISON_MEMORY_REGION(chunk->data, bytes);
    return chunk;
}

/* A chunk, in the list, with at least `bytes` left; NULL when malloc fails. */
static struct chunk *chunk_with(struct mn_arena *arena, size_t bytes)
{
    struct chunk *chunk = arena->chunk;

    if (chunk && chunk->bytes - chunk->used >= bytes)
        return chunk;
    if (chunk && bytes > arena->chunk_bytes / 2) {
        struct chunk *own = chunk_new(bytes);

        if (!own)
            return NULL;
        own->next = chunk->next;
        chunk->next = own;
        return own;
    }
    chunk = chunk_new(bytes > arena->chunk_bytes ? bytes : arena->chunk_bytes);
    if (!chunk)
        return NULL;
    if (arena->chunk_bytes < CHUNK_BYTES_MAX)
        arena->chunk_bytes *= 2;
    chunk->next = arena->chunk;
    arena->chunk = chunk;
    return chunk;
}

void *mn_arena_room(struct mn_arena *arena, size_t bytes)
{
    size_t rounded;
    struct chunk *chunk;
    void *at;

    if (!arena || bytes > SIZE_MAX / 2)
        return NULL;
    rounded = ((bytes ? bytes : 1) + ALIGN - 1) / ALIGN * ALIGN;
    if (rounded > arena->bytes_max - arena->bytes)
        return NULL;
    chunk = chunk_with(arena, rounded);
    if (!chunk)
        return NULL;
    at = chunk->data + chunk->used;
    chunk->used += rounded;
    arena->bytes += rounded;
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    return at;
}

void *mn_arena_alloc(struct mn_arena *arena, size_t bytes)
{
    void *at = mn_arena_room(arena, bytes);

    return at ? memset(at, 0, bytes) : NULL;
}

bool mn_arena_at_end(struct mn_arena *arena, void (*end)(void *what), void *what)
{
    struct ending *ending = mn_arena_room(arena, sizeof *ending);

    if (!ending)
        return false;
    *ending = (struct ending){ arena->last, end, what };
    arena->last = ending;
    return true;
}

size_t mn_arena_bytes(const struct mn_arena *arena)
{
    return arena ? arena->bytes : 0;
}

void *mn_arena_calloc(struct mn_arena *arena, size_t count, size_t bytes)
{
    size_t total;

    if (__builtin_mul_overflow(count, bytes, &total))
        return NULL;
    return mn_arena_alloc(arena, total);
}

char *mn_arena_copy(struct mn_arena *arena, const char *text)
{
    return mn_arena_copy_n(arena, text, text ? strlen(text) : 0);
}

char *mn_arena_copy_n(struct mn_arena *arena, const char *text, size_t bytes)
{
    char *copy;

    if (!text)
        bytes = 0;
    if (bytes == SIZE_MAX)
        return NULL;
    copy = mn_arena_room(arena, bytes + 1);
    if (!copy)
        return NULL;
    if (bytes)
        memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

char *mn_arena_printf(struct mn_arena *arena, const char *format, ...)
{
    va_list arguments;
    int bytes;
    char *text;

    va_start(arguments, format);
    bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (bytes < 0)
        return NULL;
    text = mn_arena_room(arena, (size_t)bytes + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    return text;
}
