/*
 * partition_index.h - the index of one partition: one row a unit, in four parts that count rows
 * alike.
 *
 * What is searched as text, what is searched as vector, what decides who may see it, what stands
 * next to it in its session; and the documents themselves. A changed unit is a new row; the old one
 * dies at once for every reader and its place is squeezed out later. Locking is its owner's business
 * (search_memory.c).
 */
#ifndef MN_SEARCH_PARTITION_INDEX_H
#define MN_SEARCH_PARTITION_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/documents.h"
#include "search/session_table.h"
#include "search/text_index.h"
#include "search/vector_index.h"
#include "search/visible.h"

struct mn_partition_index {
    uint64_t state; /* another number after each change, and no other index has had it */
    size_t count;   /* rows, dead ones included */
    size_t room;
    size_t dead;
    size_t packed; /* rows when it was squeezed last */
    struct mn_documents *documents;
    uint32_t *document; /* where in them; 0: dead */
    uint8_t *language;  /* enum mn_language */

    /* Hash table over ids: row + 1, 0 is free, and above its 24 bits a part of the hash, so that
     * another's id is seldom looked at: it lies in a document far away. */
    uint32_t *slot;
    size_t slots; /* a power of two */

    struct mn_text_index text;
    struct mn_vector_index vector;
    struct mn_visible visible;
    struct mn_session_table sessions;
};

/* A unit made ready outside any lock. */
struct mn_prepared {
    struct mn_text_document text;
    struct mn_session_entry session;
    enum mn_language language;
    const struct mn_unit *unit; /* lent */
};

bool mn_partition_index_init(struct mn_partition_index *index, const struct mn_vector_space *space,
                             const struct mn_scan *scan);
void mn_partition_index_release(struct mn_partition_index *index);

/* The row of an id; SIZE_MAX when it is not there. */
size_t mn_partition_index_find(const struct mn_partition_index *index, const char *id);

/* Adds the unit or replaces the one of its id. False when malloc fails or a limit is reached: the
 * index is then not whole and must be released. */
bool mn_partition_index_put(struct mn_partition_index *index, const struct mn_prepared *prepared);

/* A row whose parts were loaded from a segment: its id and place. False when the id is there or
 * malloc fails. */
bool mn_partition_index_load_row(struct mn_partition_index *index, const char *id,
                                 uint32_t document, enum mn_language language);

/* Takes the unit out if it is there. Cannot fail. */
void mn_partition_index_drop(struct mn_partition_index *index, const char *id);

/* After a batch of changes: means made anew, dead rows squeezed out where they are many, and, unless
 * more is to come at once, slack where there is much of it. */
void mn_partition_index_settle(struct mn_partition_index *index, bool complete);

/* Squeezes dead rows out; false when there is no memory for it. */
bool mn_partition_index_compact(struct mn_partition_index *index);

size_t mn_partition_index_units(const struct mn_partition_index *index);
size_t mn_partition_index_bytes(const struct mn_partition_index *index);

#endif
