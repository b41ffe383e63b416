/*
 * units.h - a request of Ann's and a unit that it may see, for tests of an index.
 */
#ifndef MN_TESTS_UNITS_H
#define MN_TESTS_UNITS_H

#include "memory/access.h"
#include "memory/partition.h"
#include "memory/unit.h"

static inline struct mn_access ann_access(void)
{
    return (struct mn_access){ .tenant = "t",
                               .user = "ann",
                               .agent = "",
                               .session = "",
                               .task = "",
                               .project = "",
                               .repository = "",
                               .clearance = MNEME_INTERNAL,
                               .at_ms = 1000 };
}

/* An active fact without a vector. */
static inline struct mn_unit a_unit(struct mn_partition partition, const char *id,
                                    const char *content)
{
    struct mn_unit u = { .id = id,
                         .parent_id = id,
                         .memory = MNEME_MEMORY_INIT,
                         .confidence = 0.9,
                         .session_id = "",
                         .speaker = "" };

    u.memory.id = id;
    u.memory.tenant_id = partition.tenant;
    u.memory.user_id = partition.owner;
    u.memory.scope_kind = MNEME_SCOPE_GLOBAL;
    u.memory.type = "fact";
    u.memory.content = content;
    u.memory.confidence = 0.9;
    u.memory.sensitivity = MNEME_INTERNAL;
    u.memory.status = MNEME_ACTIVE;
    u.memory.created_at_ms = 1;
    return u;
}

#endif
