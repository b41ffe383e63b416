/*
 * text_forward.h - the terms of one row, packed, in order of their places.
 *
 * Sixteen bits a term, with eight more where the row has a term that came late, then two bits each
 * for the frequency, then the frequencies that two bits do not tell. Only the sixteen bits are read to
 * pass over nearly all.
 *
 * Considered: seven bits a byte. A tenth smaller, but scoring a row then mispredicts at every third
 * term.
 */
#ifndef MN_SEARCH_TEXT_FORWARD_H
#define MN_SEARCH_TEXT_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/blocks.h"

struct mn_text_forward {
    uint32_t count;
    const uint16_t *low; /* of the terms */
    const uint8_t *high; /* of them; NULL: zeros */
    const uint8_t *code; /* two bits each: their halves, or that these are in `rest` */
    const uint8_t *rest;
};

#define MN_TEXT_FORWARD_HIGH (UINT32_C(1) << 31) /* beside the count: there are high bits */

static inline struct mn_text_forward mn_text_forward_at(const struct mn_blocks *blocks,
                                                        uint32_t address)
{
    const uint32_t *head = mn_blocks_at(blocks, address);
    uint32_t count = *head & ~MN_TEXT_FORWARD_HIGH;
    const uint16_t *low = (const uint16_t *)(const void *)(head + 1);
    const uint8_t *behind = (const uint8_t *)(low + count);
    const uint8_t *high = *head & MN_TEXT_FORWARD_HIGH ? behind : NULL;
    const uint8_t *code = high ? behind + count : behind;

    return (struct mn_text_forward){ count, low, high, code, code + (count + 3) / 4 };
}

static inline uint32_t mn_text_forward_term(const struct mn_text_forward *f, uint32_t i)
{
    return f->low[i] | (f->high ? (uint32_t)f->high[i] << 16 : 0);
}

uint8_t mn_text_forward_halves(const struct mn_text_forward *f, uint32_t i);
/* Of all, in order. */
void mn_text_forward_all_halves(const struct mn_text_forward *f, uint8_t *ret_halves);
size_t mn_text_forward_bytes(const struct mn_text_forward *f);
/* Is this a row's terms, each below `terms` and none without halves? */
bool mn_text_forward_check(const void *bytes, size_t count, uint32_t terms);

/* A row's terms while they are packed. */
#define MN_TEXT_PACKING_AT_ONCE 256
struct mn_text_packing {
    uint32_t here_term[MN_TEXT_PACKING_AT_ONCE];
    uint8_t here_halves[MN_TEXT_PACKING_AT_ONCE];
    uint32_t *term; /* here, or malloc'd with the halves behind */
    uint8_t *halves;
    uint32_t count;
};
/* Room for so many; false when malloc fails. */
bool mn_text_packing_begin(struct mn_text_packing *packing, size_t terms);
void mn_text_packing_put(struct mn_text_packing *packing, uint32_t term, uint8_t halves);
/* The address of the row's terms; MN_BLOCKS_NOWHERE when malloc fails. */
uint32_t mn_text_packing_keep(const struct mn_text_packing *packing, struct mn_blocks *blocks);
void mn_text_packing_end(struct mn_text_packing *packing);

#endif
