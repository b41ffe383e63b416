/*
 * document.h - what an index answers with, without asking the truth: units, packed.
 *
 * A unit as a struct is mostly pointers and figures that are the same for all. Packed, it is its
 * texts, a line of bits for what it has, and numbers in few bytes; names that repeat (types, scopes,
 * sessions, speakers) are kept once. Documents are shared: the index holds them, and so does every
 * answer that shows one, for as long as the answer lives. Added to by one thread at a time, while
 * others may still read what they hold.
 */
#ifndef MN_SEARCH_DOCUMENT_H
#define MN_SEARCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "memory/unit.h"

struct mn_documents;

struct mn_documents *mn_documents_new(void); /* held once; NULL when malloc fails */
void mn_documents_release(struct mn_documents *documents); /* accepts NULL; the last one frees */
/* Holds them until the arena ends; false when it is full. */
bool mn_documents_hold(struct mn_documents *documents, struct mn_arena *arena);

/* The address of the new document, whose vector is not kept; 0 when malloc fails or 4 GB are
 * reached. */
uint32_t mn_documents_add(struct mn_documents *documents, const struct mn_unit *unit);
/* Its texts are the document's; strings never NULL. The lists are in the arena: false when it is
 * full. */
bool mn_documents_read(const struct mn_documents *documents, uint32_t at, struct mn_arena *arena,
                       struct mn_unit *ret_unit);
const char *mn_documents_id(const struct mn_documents *documents, uint32_t at);
/* Asks for a document ahead of reading it. */
void mn_documents_fetch(const struct mn_documents *documents, uint32_t at);

size_t mn_documents_bytes(const struct mn_documents *documents);

#endif
