/*
 * documents.h - what an index answers with, without asking the truth: the units of a partition.
 *
 * Shared: the index holds them, and so does every answer that shows one, for as long as the answer
 * lives. Added to by one thread at a time, while others may still read what they hold.
 */
#ifndef MN_SEARCH_DOCUMENTS_H
#define MN_SEARCH_DOCUMENTS_H

#include "base/str.h"
#include "search/document.h"

struct mn_documents;
struct mn_packed;

struct mn_documents *mn_documents_new(void); /* held once; NULL when malloc fails */
void mn_documents_release(struct mn_documents *documents); /* accepts NULL; the last one frees */
/* Holds them until the arena ends; false when it is full. */
bool mn_documents_hold(struct mn_documents *documents, struct mn_arena *arena);

/* The address of the new document, whose vector is not kept; 0 when malloc fails or 4 GB are
 * reached. */
uint32_t mn_documents_add(struct mn_documents *documents, const struct mn_unit *unit);

/* As mn_document_read(): false when the arena is full. */
bool mn_documents_read(const struct mn_documents *documents, uint32_t at, struct mn_arena *arena,
                       struct mn_unit *ret_unit);
const char *mn_documents_id(const struct mn_documents *documents, uint32_t at);
/* Asks for a document ahead of reading it. */
void mn_documents_fetch(const struct mn_documents *documents, uint32_t at);

size_t mn_documents_bytes(const struct mn_documents *documents);

/* ---- in a segment: segment.h ---- */

/* A document as it lies there. */
const char *mn_documents_at(const struct mn_documents *documents, uint32_t at, size_t *ret_bytes);
/* Names and frames; loaded into documents that are empty, before them. False: they are none, or
 * malloc fails. */
void mn_documents_save_tables(const struct mn_documents *documents, struct mn_buf *out);
bool mn_documents_load_tables(struct mn_documents *documents, struct mn_packed *in);
/* A document of those tables and its unit, as mn_documents_add() and _read() give them. */
uint32_t mn_documents_load(struct mn_documents *documents, const char *document, size_t bytes,
                           struct mn_arena *arena, struct mn_unit *ret_unit);

#endif
