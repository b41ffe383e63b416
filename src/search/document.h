/*
 * document.h - a unit as one block of memory: what an index answers with, without asking the truth.
 *
 * One allocation a unit, so that it is freed by one call and copied by one memcpy.
 */
#ifndef MN_SEARCH_DOCUMENT_H
#define MN_SEARCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "memory/unit.h"

struct mn_document {
    size_t bytes;        /* of the whole block */
    struct mn_unit unit; /* strings never NULL; vector NULL: it lives in the vector index */
};

/* NULL when malloc fails. Free with free(). */
struct mn_document *mn_document_new(const struct mn_unit *unit);

/* The unit with all it points to in the arena; false when the arena is full. */
bool mn_document_copy(const struct mn_document *document, struct mn_arena *arena,
                      struct mn_unit *ret_unit);

#endif
