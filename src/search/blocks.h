/*
 * blocks.h - bytes that stay where they are, known by a number of 32 bits.
 *
 * An index holds tens of thousands of small things: postings, terms of rows, documents. One malloc
 * each costs 16 bytes and a pointer 8; here a thing costs what it is, rounded up to four. Blocks are
 * added, never moved and never freed alone: who wants room back copies what is alive into new
 * ones. Slack is a sixteenth at most, or one chunk.
 *
 * A reader may look at MN_BLOCKS_BEHIND bytes behind any block: they are there, whatever they are.
 */
#ifndef MN_SEARCH_BLOCKS_H
#define MN_SEARCH_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define MN_BLOCKS_UNIT 4u /* bytes; addresses count these */
#define MN_BLOCKS_CHUNK_BITS 18
/* At most, but for one block that is larger. */
#define MN_BLOCKS_CHUNK_BYTES ((size_t)MN_BLOCKS_UNIT << MN_BLOCKS_CHUNK_BITS)
#define MN_BLOCKS_NOWHERE 0u
#define MN_BLOCKS_BEHIND 8

struct mn_blocks {
    char **chunk;
    size_t count;
    size_t used;  /* of the last chunk */
    size_t bytes; /* of the last chunk */
    size_t all;   /* bytes of all chunks */
};

/* A block of so many bytes; MN_BLOCKS_NOWHERE when malloc fails or 4 GB are reached. */
uint32_t mn_blocks_add(struct mn_blocks *blocks, size_t bytes);

static inline void *mn_blocks_at(const struct mn_blocks *blocks, uint32_t address)
{
    size_t offset = address & ((UINT32_C(1) << MN_BLOCKS_CHUNK_BITS) - 1);

    return blocks->chunk[address >> MN_BLOCKS_CHUNK_BITS] + offset * MN_BLOCKS_UNIT;
}

size_t mn_blocks_bytes(const struct mn_blocks *blocks);
void mn_blocks_release(struct mn_blocks *blocks); /* usable again */

#endif
