/*
 * unit.h - what an index holds: not memories but units.
 *
 * An item is a memory or an event as a whole. A long one has passages beside (text/passages.h), units
 * with the item as their parent: each is searched by its own words and its own vector, and what it
 * finds is the item.
 */
#ifndef MN_MEMORY_UNIT_H
#define MN_MEMORY_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/memory.h>

enum mn_unit_kind { MN_UNIT_ITEM = 0, MN_UNIT_PASSAGE };

struct mn_unit {
    enum mn_unit_kind kind;
    const char *id;             /* of an item: the memory's or event's id; of a passage no one's */
    const char *parent_id;      /* of an item: its own id */
    struct mneme_memory memory; /* the document; an event as the memory it may be recalled as. Of a
                                   passage: title and text of the passage alone */
    double confidence;          /* as usage has it, else the row's own */
    bool is_event;
    const char *session_id; /* events; else "" */
    int64_t order;
    const char *speaker;
    const float *vector; /* of the profile in force, made of the present text; or NULL */
    size_t vector_dim;
    size_t vector_count; /* of dim numbers each: of the item, then of its passages, all or none */
};
struct mn_units {
    struct mn_unit *item;
    size_t count;
    size_t room;
};

#endif
