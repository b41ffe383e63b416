/*
 * text_postings.c - a chain of blocks a term.
 *
 * A posting is how many rows on, twice, plus 1 where the frequency is not the usual one and follows
 * as a byte; seven bits a byte, the highest says that there are more. Rows ascend, so that adding is
 * writing at the end: of a chain of blocks, each a quarter of what the term has by then, each with a
 * zero behind its postings: none begins with one. The one posting of a term that has one stands in
 * the term. Lists that are known whole lie in one piece.
 */
#include "search/text_postings.h"

#include <assert.h>
#include <string.h>

#include "base/fetch.h"
#include "search/packed.h"

#define BLOCK_BYTES_MIN 16 /* the number of the next one included */
#define BLOCK_BYTES_MAX 1020
#define BLOCK_BYTES_PACKED 32768 /* of a list that is known whole */
#define BLOCK_SHARE 4
#define NEXT_BYTES sizeof(uint32_t)
#define FETCHED_BYTES 256 /* of a block that is read next */

/* ---- adding ---- */

static size_t put_posting(uint32_t rows_on, uint8_t halves, uint8_t *out)
{
    bool usual = halves == MN_TEXT_HALVES_USUAL;
    uint8_t *at = (uint8_t *)mn_pack_number((char *)out, rows_on << 1 | !usual);

    if (!usual)
        *at++ = halves;
    return (size_t)(at - out);
}

/* A block behind the last, larger the more there is. */
static bool block_add(struct mn_blocks *blocks, struct mn_text_term *term, size_t have)
{
    size_t bytes = have / BLOCK_SHARE / MN_BLOCKS_UNIT * MN_BLOCKS_UNIT;

    if (bytes < BLOCK_BYTES_MIN)
        bytes = BLOCK_BYTES_MIN;
    if (bytes > BLOCK_BYTES_MAX)
        bytes = BLOCK_BYTES_MAX;
    uint32_t block = mn_blocks_add(blocks, bytes);
    if (block == MN_BLOCKS_NOWHERE)
        return false;
    memset(mn_blocks_at(blocks, block), 0, bytes);
    if (term->block == MN_BLOCKS_NOWHERE)
        term->first = block;
    else
        memcpy(mn_blocks_at(blocks, term->block), &block, sizeof block);
    term->block = block;
    term->used = NEXT_BYTES;
    term->room = (uint8_t)(bytes / MN_BLOCKS_UNIT);
    return true;
}

static bool block_put(struct mn_blocks *blocks, struct mn_text_term *term, const uint8_t *posting,
                      size_t bytes, size_t have)
{
    size_t room = (size_t)term->room * MN_BLOCKS_UNIT;

    if ((term->block == MN_BLOCKS_NOWHERE || term->used + bytes >= room) &&
        !block_add(blocks, term, have))
        return false;
    memcpy((uint8_t *)mn_blocks_at(blocks, term->block) + term->used, posting, bytes);
    term->used = (uint16_t)(term->used + bytes);
    return true;
}

bool mn_text_term_add(struct mn_text_term *term, struct mn_blocks *blocks, uint32_t row,
                      uint8_t halves, size_t have)
{
    uint8_t packed[MN_TEXT_LIST_ROW_BYTES];

    assert(halves > 0);
    if (!term->halves_max) {
        term->first = row << 8 | halves;
    } else {
        if (term->block == MN_BLOCKS_NOWHERE) {
            uint32_t single = term->first;
            size_t bytes = put_posting((single >> 8) + 1, (uint8_t)single, packed);

            if (!block_put(blocks, term, packed, bytes, 0))
                return false;
        }
        size_t bytes = put_posting(row - term->last, halves, packed);
        if (!block_put(blocks, term, packed, bytes, have))
            return false;
    }
    term->last = row;
    if (halves > term->halves_max)
        term->halves_max = halves;
    return true;
}

/* ---- whole lists ---- */

void mn_text_list_begin(struct mn_text_list *list, struct mn_text_term *term)
{
    list->bytes = list->rows = 0;
    term->last = UINT32_MAX; /* the first posting says row + 1 */
}

void mn_text_list_add(struct mn_text_list *list, struct mn_text_term *term, uint32_t row,
                      uint8_t halves)
{
    term->first = row << 8 | halves; /* where it stays the only one */
    list->rows++;
    list->bytes += put_posting(row - term->last, halves, list->at + list->bytes);
    term->last = row;
    if (halves > term->halves_max)
        term->halves_max = halves;
}

/* Bytes of whole postings that fit into one block. */
static size_t piece_of(const struct mn_text_list *list, size_t from)
{
    size_t at = from, whole = from;

    while (at < list->bytes) {
        uint8_t first = list->at[at];

        while (list->at[at] >= 0x80)
            at++;
        at += 1 + (first & 1);
        if (at - from > BLOCK_BYTES_PACKED)
            break;
        whole = at;
    }
    return whole - from;
}

bool mn_text_list_keep(const struct mn_text_list *list, struct mn_text_term *term,
                       struct mn_blocks *blocks)
{
    if (list->rows == 1)
        return true;
    for (size_t at = 0; at < list->bytes;) {
        size_t bytes = piece_of(list, at);
        uint32_t block = mn_blocks_add(blocks, NEXT_BYTES + bytes + 1);

        if (block == MN_BLOCKS_NOWHERE)
            return false;
        uint8_t *to = mn_blocks_at(blocks, block);
        memset(to, 0, NEXT_BYTES);
        memcpy(to + NEXT_BYTES, list->at + at, bytes);
        to[NEXT_BYTES + bytes] = 0;
        if (at == 0)
            term->first = block;
        else
            memcpy(mn_blocks_at(blocks, term->block), &block, sizeof block);
        term->block = block;
        term->room = 0;
        at += bytes;
    }
    return true;
}

/* ---- reading ---- */

static void fetch_block(const struct mn_blocks *blocks, uint32_t block)
{
    mn_fetch_bytes(mn_blocks_at(blocks, block), FETCHED_BYTES);
}

void mn_text_walk_fetch(const struct mn_blocks *blocks, const struct mn_text_term *term)
{
    if (term->block != MN_BLOCKS_NOWHERE)
        fetch_block(blocks, term->first);
}

void mn_text_walk_begin(const struct mn_blocks *blocks, const struct mn_text_term *term,
                        struct mn_text_walk *ret_walk)
{
    ret_walk->blocks = blocks;
    ret_walk->at = NULL;
    ret_walk->next = term->block == MN_BLOCKS_NOWHERE ? MN_BLOCKS_NOWHERE : term->first;
    ret_walk->row = UINT32_MAX; /* the first posting says row + 1 */
    ret_walk->single = term->block == MN_BLOCKS_NOWHERE ? term->first : 0;
    ret_walk->has_single = term->block == MN_BLOCKS_NOWHERE && term->halves_max;
}

/* To the next block; false at the end of the list. */
static bool enter_block(struct mn_text_walk *walk)
{
    if (walk->next == MN_BLOCKS_NOWHERE)
        return false;
    const uint8_t *block = mn_blocks_at(walk->blocks, walk->next);
    memcpy(&walk->next, block, NEXT_BYTES);
    walk->at = block + NEXT_BYTES;
    if (walk->next != MN_BLOCKS_NOWHERE)
        fetch_block(walk->blocks, walk->next);
    return true;
}

/* Eight postings of one byte each, of the usual frequency, as those of a long list are mostly. */
static bool are_short(const uint8_t *at)
{
    uint64_t eight;

    memcpy(&eight, at, sizeof eight);
    return !(eight & UINT64_C(0x8181818181818181)) && /* no second byte, no halves */
           !((eight - UINT64_C(0x0101010101010101)) & UINT64_C(0x8080808080808080)); /* no end */
}
_Static_assert(sizeof(uint64_t) <= MN_BLOCKS_BEHIND, "eight bytes are there at a block's end, too");

size_t mn_text_walk_next(struct mn_text_walk *walk)
{
    const uint8_t *at = walk->at;
    uint32_t row = walk->row;
    size_t count = 0;

    if (walk->has_single) {
        walk->has_single = false;
        walk->piece[0] = walk->single;
        return 1;
    }
    while (count < MN_TEXT_WALK_AT_ONCE) {
        if (!at || !*at) {
            if (!enter_block(walk))
                break;
            at = walk->at;
            continue;
        }
        if (count + 8 <= MN_TEXT_WALK_AT_ONCE && are_short(at)) {
            for (size_t i = 0; i < 8; i++) {
                row += *at++ >> 1;
                walk->piece[count++] = row << 8 | MN_TEXT_HALVES_USUAL;
            }
            continue;
        }
        uint32_t code = *at++, halves = MN_TEXT_HALVES_USUAL;
        if (code >= 0x80) {
            unsigned shift = 7;

            code &= 0x7f;
            for (; *at >= 0x80; shift += 7)
                code |= (uint32_t)(*at++ & 0x7f) << shift;
            code |= (uint32_t)*at++ << shift;
        }
        if (code & 1)
            halves = *at++;
        row += code >> 1;
        walk->piece[count++] = row << 8 | halves;
    }
    walk->at = at;
    walk->row = row;
    return count;
}

