/*
 * fetch.h - asking for memory ahead of reading it.
 *
 * A compiler that sees a function do nothing but ask takes it for one without effect and leaves its
 * calls out (gcc 12 does): mn_fetch() tells it otherwise, and so does all that calls it.
 */
#ifndef MN_BASE_FETCH_H
#define MN_BASE_FETCH_H

#include <stddef.h>

#define MN_FETCH_LINE 64 /* bytes that come at once */

/* The line that holds this byte; anything may stand there, and nothing may. */
static inline void mn_fetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

/* All lines of so many bytes. */
static inline void mn_fetch_bytes(const void *from, size_t bytes)
{
    const char *at = from;

    for (size_t i = 0; i < bytes; i += MN_FETCH_LINE)
        mn_fetch(at + i);
    mn_fetch(at + bytes - 1);
}

#endif
