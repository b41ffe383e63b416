/*
 * text_postings.h - the rows of one term, packed.
 */
#ifndef MN_SEARCH_TEXT_POSTINGS_H
#define MN_SEARCH_TEXT_POSTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/blocks.h"

#define MN_TEXT_HALVES_MASK 255u
#define MN_TEXT_HALVES_USUAL 2u

struct mn_text_term {
    uint64_t hash;
    uint32_t first; /* block of postings; of a single one the posting itself */
    uint32_t block; /* the last block; MN_BLOCKS_NOWHERE: none yet */
    uint32_t last;  /* row of the last posting */
    uint16_t used;  /* bytes of the last block */
    uint8_t room;   /* of the last block, in units of the pool */
    uint8_t halves_max; /* never falls; 0: no posting yet */
};

/* Adds a row behind the others. `have`: about how many there are. False when malloc fails. */
bool mn_text_term_add(struct mn_text_term *term, struct mn_blocks *blocks, uint32_t row,
                      uint8_t halves, size_t have);

/* A whole list on its way; room for five bytes a row. */
struct mn_text_list {
    uint8_t *at;
    size_t bytes, rows;
};
#define MN_TEXT_LIST_ROW_BYTES 5
void mn_text_list_begin(struct mn_text_list *list, struct mn_text_term *term);
void mn_text_list_add(struct mn_text_list *list, struct mn_text_term *term, uint32_t row,
                      uint8_t halves);
/* In as few blocks as it takes, without room behind. False when malloc fails. */
bool mn_text_list_keep(const struct mn_text_list *list, struct mn_text_term *term,
                       struct mn_blocks *blocks);

#define MN_TEXT_WALK_AT_ONCE 256

/* Postings, row << 8 | halves, rows ascending and dead ones' included, piece by piece. */
struct mn_text_walk {
    const struct mn_blocks *blocks;
    const uint8_t *at;
    uint32_t next; /* block */
    uint32_t row;
    uint32_t single;
    bool has_single;
    uint32_t piece[MN_TEXT_WALK_AT_ONCE];
};
void mn_text_walk_begin(const struct mn_blocks *blocks, const struct mn_text_term *term,
                        struct mn_text_walk *ret_walk);
/* Asks for a term's first postings ahead of that. */
void mn_text_walk_fetch(const struct mn_blocks *blocks, const struct mn_text_term *term);
/* How many stand in walk->piece now; 0 at the end. */
size_t mn_text_walk_next(struct mn_text_walk *walk);

#endif
