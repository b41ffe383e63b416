/*
 * blocks.c - chunks that grow with what is there, up to a megabyte.
 *
 * A block larger than that has a chunk of its own. The first unit of the first chunk is nobody's, so
 * that no block has the address 0.
 */
#include "search/blocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS_MAX ((size_t)1 << (32 - MN_BLOCKS_CHUNK_BITS))
#define CHUNK_FIRST 2048
#define GROWTH 16 /* a new chunk is a sixteenth of what is there */

static size_t chunk_bytes(const struct mn_blocks *blocks, size_t needed)
{
    size_t bytes = blocks->all / GROWTH;

    if (bytes < CHUNK_FIRST)
        bytes = CHUNK_FIRST;
    if (bytes > MN_BLOCKS_CHUNK_BYTES)
        bytes = MN_BLOCKS_CHUNK_BYTES;
    bytes -= bytes % MN_BLOCKS_UNIT;
    return needed > bytes ? needed : bytes;
}

static bool add_chunk(struct mn_blocks *blocks, size_t needed)
{
    if (blocks->count == CHUNKS_MAX)
        return false;
    if ((blocks->count & (blocks->count - 1)) == 0) { /* room is the next power of two */
        size_t room = blocks->count ? 2 * blocks->count : 1;
        char **grown = realloc(blocks->chunk, room * sizeof *grown);

        if (!grown)
            return false;
        blocks->chunk = grown;
    }
    size_t first = blocks->count ? 0 : MN_BLOCKS_UNIT;
    size_t bytes = chunk_bytes(blocks, needed + first);
    char *chunk = malloc(bytes + MN_BLOCKS_BEHIND);

    if (!chunk)
        return false;
    blocks->chunk[blocks->count++] = chunk;
    blocks->used = first;
    blocks->bytes = bytes;
    blocks->all += bytes;
    return true;
}

uint32_t mn_blocks_add(struct mn_blocks *blocks, size_t bytes)
{
    bytes = (bytes + MN_BLOCKS_UNIT - 1) / MN_BLOCKS_UNIT * MN_BLOCKS_UNIT;
    if ((!blocks->count || bytes > blocks->bytes - blocks->used) && !add_chunk(blocks, bytes))
        return MN_BLOCKS_NOWHERE;
    size_t chunk = blocks->count - 1;
    uint32_t address = (uint32_t)(chunk << MN_BLOCKS_CHUNK_BITS | blocks->used / MN_BLOCKS_UNIT);

    blocks->used += bytes;
    return address;
}

size_t mn_blocks_bytes(const struct mn_blocks *blocks)
{
    size_t room = 1;

    while (room < blocks->count)
        room *= 2;
    return blocks->all + (blocks->count ? room * sizeof *blocks->chunk : 0);
}

void mn_blocks_release(struct mn_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        free(blocks->chunk[i]);
    free(blocks->chunk);
    memset(blocks, 0, sizeof *blocks);
}
