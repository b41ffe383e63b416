/*
 * partition.h - the unit of isolation: one tenant, one owner.
 *
 * The owner is the user, or "" for what the tenant shares. Every key of the store begins with it,
 * every index holds exactly one, and a request reaches two: its own and the shared one.
 */
#ifndef MN_MEMORY_PARTITION_H
#define MN_MEMORY_PARTITION_H

#include <mneme/memory.h>

struct mn_partition {
    const char *tenant;
    const char *owner;
};

/* Its own; both are borrowed. */
static inline struct mn_partition mn_partition_of(const struct mneme_memory *memory)
{
    return (struct mn_partition){ memory->tenant_id, memory->user_id };
}

#endif
