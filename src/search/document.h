/*
 * document.h - a unit, packed.
 *
 * A unit as a struct is mostly pointers and figures that are the same for all. Packed, it is its
 * texts, a line of bits for what it has, and numbers in few bytes. Names that repeat (types, scopes,
 * sessions, speakers) stand in a table beside, and what units of one kind have in common in frames.
 */
#ifndef MN_SEARCH_DOCUMENT_H
#define MN_SEARCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "memory/unit.h"

#define MN_FRAME_NAMES 9 /* the tenant first, then the owner */

/* What units of one kind have in common. */
struct mn_document_frame {
    uint32_t name[MN_FRAME_NAMES]; /* numbers in the table */
    uint8_t number[8];             /* enumerations */
};

struct mn_document_tables {
    const char **name;
    size_t name_count, name_room;
    struct mn_document_frame *frame;
    size_t frame_count, frame_room;
};

/* The unit's name that stands i-th in its frame. */
const char **mn_frame_name(struct mn_unit *unit, size_t i);
void mn_frame_numbers(const struct mn_unit *unit, struct mn_document_frame *frame);

/* Enough for the unit packed. */
size_t mn_document_bytes_most(const struct mn_unit *unit);
struct mn_document_numbers {
    uint32_t frame;
    uint32_t session; /* names; where the unit has them */
    uint32_t speaker;
};
/* Without its vector. How many bytes it took. */
size_t mn_document_pack(const struct mn_unit *unit, const struct mn_document_numbers *numbers,
                        char *out);

/* The unit's texts are the document's and the tables'; strings never NULL; lists are in the arena.
 * False when the bytes are no document, or the arena is full. */
bool mn_document_read(const char *document, size_t bytes, const struct mn_document_tables *tables,
                      struct mn_arena *arena, struct mn_unit *ret_unit);
const char *mn_document_id(const char *document, size_t bytes);

#endif
