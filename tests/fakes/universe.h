/*
 * universe.h - a small universe of memories and of those who ask, and an oracle that knows who may
 * see what.
 *
 * Exhaustive: 2 tenants; owners ann, bob and none; agents a1, a2 and none; every scope with 2 ids
 * (the same two ids in every kind, so that one kind mistaken for another shows); 4 sensitivities; a
 * permission needed or not; 5 statuses; windows that end, begin and lie around both instants, at
 * the limit and one past it; rows made before, at and after the past instant. Beyond the product:
 * rows revoked by authority and of low confidence. Asking: each user of each tenant with each
 * agent, five ways to have scopes open, 4 clearances, the permission or not, now and as of the
 * past.
 *
 *     for (size_t a = 0; a < universe_access_count(); a++) {
 *         struct mn_access access = universe_access(a);
 *         for (size_t m = 0; m < universe_memory_count(); m++) {
 *             struct universe_memory row;
 *             universe_memory(m, &row);
 *             ... must equal universe_allows(&access, &row.memory)
 *
 * Some rows are not well formed (a shared row in a user's scope): mn_memory_check() refuses them, a
 * store never holds them, and the oracle says that nobody sees them.
 */
#ifndef FAKES_UNIVERSE_H
#define FAKES_UNIVERSE_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/access.h"

#define UNIVERSE_NOW_MS 2000   /* the clock of every access */
#define UNIVERSE_AS_OF_MS 1000 /* the past instant some ask for */

struct universe_memory {
    struct mneme_memory memory; /* complete but for the hash; strings static, or those below */
    char id[16];
    char content[40];
};

size_t universe_memory_count(void);
/* Unique id "u-<index>", content "universe row <index>". */
void universe_memory(size_t index, struct universe_memory *ret_row);
size_t universe_memory_index(const char *id); /* back from the id */

size_t universe_access_count(void);
struct mn_access universe_access(size_t index);
/* The same as a caller would ask: what identify gets; *ret_as_of_ms 0 for the present. */
struct mneme_identity universe_identity(size_t index, int64_t *ret_as_of_ms);

/* The oracle: who may see what, in its own words. Knows only this universe's ids and its permission. */
bool universe_allows(const struct mn_access *access, const struct mneme_memory *memory);

#endif
