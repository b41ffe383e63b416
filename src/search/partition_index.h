/*
 * partition_index.h - the index of one partition: one row a unit, in four parts that count rows
 * alike.
 *
 * What is searched as text, what is searched as vector, what decides who may see it, what stands
 * next to it in its session; and the documents themselves. A changed unit is a new row; the old one
 * dies at once for every reader and its place is squeezed out later. Locking is its owner's business
 * (search_memory.c).
 *
 * Passages stand right behind their item and come and go with it: they are found by counting, and no
 * id leads to them. Their documents hold no text, since nobody is shown a passage without its item.
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
    uint8_t *passage;   /* which one of the item before it a row is, from 1 on; 0: an item. NULL: there
                           has been none */

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

/* Adds the item or replaces the one of its id, or adds a passage behind its item or the one before it.
 * False when malloc fails or a limit is reached: the index is then not whole and must be released. */
bool mn_partition_index_put(struct mn_partition_index *index, const struct mn_prepared *prepared);

/* A row whose parts were loaded from a segment: its id and place. False when the id is there, a
 * passage stands behind something else, or malloc fails. */
bool mn_partition_index_load_row(struct mn_partition_index *index, const struct mn_unit *unit,
                                 uint32_t document, enum mn_language language);

/* Takes the item out if it is there, with its passages. Cannot fail. */
void mn_partition_index_drop(struct mn_partition_index *index, const char *id);

/* How many passages stand behind an item's row. */
static inline size_t mn_partition_index_passages(const struct mn_partition_index *index, size_t row)
{
    size_t count = 0;

    while (index->passage && row + count + 1 < index->count &&
           index->passage[row + count + 1] == count + 1)
        count++;
    return count;
}

/* The row of the item that a row is, or is a passage of. */
static inline size_t mn_partition_index_item(const struct mn_partition_index *index, size_t row)
{
    return index->passage ? row - index->passage[row] : row;
}

/* After a batch of changes: means made anew, dead rows squeezed out where they are many, and, unless
 * more is to come at once, slack where there is much of it. */
void mn_partition_index_settle(struct mn_partition_index *index, bool complete);

/* Squeezes dead rows out; false when there is no memory for it. */
bool mn_partition_index_compact(struct mn_partition_index *index);

size_t mn_partition_index_units(const struct mn_partition_index *index);
size_t mn_partition_index_bytes(const struct mn_partition_index *index);

#endif
