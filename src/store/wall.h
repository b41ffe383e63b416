/*
 * wall.h - the store's own question about a row, in C: what sql/sqlite/memories.sql asks of rows that
 * SQL reads for an identity. It and memory/access.h must each do alone.
 */
#ifndef MN_STORE_WALL_H
#define MN_STORE_WALL_H

#include <stdbool.h>

#include "memory/access.h"
#include "store/store.h"

/* For the present: access->as_of_ms is 0. The environment is left to access.c. */
bool mn_wall_passes(const struct mn_access *access, const struct mn_row *row);

#endif
