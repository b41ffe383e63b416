/*
 * document.h - a unit as one block of memory: what an index answers with, without asking the truth.
 *
 * One allocation a unit, never changed, and shared: the index holds it, and so does every answer
 * that shows it, for as long as the answer lives. A request sees hundreds and tells of a few; copying
 * them all took longer than scoring them.
 */
#ifndef MN_SEARCH_DOCUMENT_H
#define MN_SEARCH_DOCUMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "memory/unit.h"

struct mn_document {
    size_t bytes;        /* of the whole block */
    atomic_size_t users;
    struct mn_unit unit; /* strings never NULL; vector NULL: it lives in the vector index */
};

/* Held once; NULL when malloc fails. */
struct mn_document *mn_document_new(const struct mn_unit *unit);
void mn_document_release(struct mn_document *document); /* accepts NULL; the last one frees it */

/* Documents held until the arena ends. */
struct mn_documents_held {
    size_t count;
    size_t room;
    struct mn_document *item[];
};
/* Room to hold `room` documents; NULL when the arena is full. */
struct mn_documents_held *mn_documents_held_new(struct mn_arena *arena, size_t room);
/* Holds one more, of somebody who holds it now. */
const struct mn_unit *mn_document_hold(struct mn_documents_held *held,
                                       struct mn_document *document);

#endif
