/*
 * text_index.h - the full-text index of one partition: terms to rows, and rows to terms.
 */
#ifndef MN_SEARCH_TEXT_INDEX_H
#define MN_SEARCH_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/dictionary.h"
#include "search/blocks.h"
#include "search/text_document.h"

/* A posting holds 24 bits of row and 8 of frequency; a table holds row + 1 in as many. */
#define MN_TEXT_ROWS_MAX (((size_t)1 << 24) - 1)
#define MN_TEXT_TERMS_MAX ((size_t)1 << 24)
#define MN_TEXT_HALVES_MASK 255u

struct mn_text_term {
    uint64_t hash;
    uint32_t first; /* block of postings; of a single one the posting itself */
    uint32_t block; /* the last block; MN_BLOCKS_NOWHERE: none yet */
    uint32_t last;  /* row of the last posting */
    uint16_t used;  /* bytes of the last block */
    uint8_t room;   /* of the last block, in units of the pool */
    uint8_t halves_max; /* never falls; 0: no posting yet */
};

struct mn_text_index {
    struct {
        struct mn_text_term *item;
        uint32_t *alive; /* document frequency of each: apart, since all terms of a row ask for it */
        size_t count;
        size_t room;
        uint32_t *slot; /* hash table: term + 1; 0 is free */
        size_t slots;   /* a power of two */
    } terms;
    struct mn_dictionary dictionary;
    struct mn_blocks pool; /* postings and rows' terms, as text_index.c packs them */

    size_t count; /* rows, dead ones included */
    size_t room;
    float *length;     /* weighted number of terms; of a turn -1 - it */
    uint32_t *forward; /* a row's terms, as they follow */

    size_t alive[2]; /* rows: memories, turns */
    double length_sum[2];
};

/* Adds row `count`. False when malloc fails or a limit is reached: the index is then not whole and
 * must be released. */
bool mn_text_index_add(struct mn_text_index *index, const struct mn_text_document *document);
void mn_text_index_remove(struct mn_text_index *index, size_t row);
/* Rows that stay (row r becomes row_map[r], UINT32_MAX: leaves) and their terms as a new index, in
 * which each term's postings lie behind each other; false when malloc fails. */
bool mn_text_index_copy(const struct mn_text_index *index, const uint32_t *row_map,
                        struct mn_text_index *ret_copy);
size_t mn_text_index_bytes(const struct mn_text_index *index);
void mn_text_index_release(struct mn_text_index *index);

/* The term's number; UINT32_MAX when no row has had it. */
uint32_t mn_text_index_find(const struct mn_text_index *index, uint64_t hash);

/* ---- a term's rows ---- */

#define MN_TEXT_WALK_AT_ONCE 256

/* Postings, row << 8 | halves, rows ascending and dead ones' included, piece by piece. */
struct mn_text_walk {
    const struct mn_blocks *pool;
    const uint8_t *at;
    uint32_t next; /* block */
    uint32_t row;
    uint32_t single;
    bool has_single;
    uint32_t piece[MN_TEXT_WALK_AT_ONCE];
};
void mn_text_walk_begin(const struct mn_text_index *index, uint32_t term,
                        struct mn_text_walk *ret_walk);
/* Asks for a term's first postings ahead of that. */
void mn_text_walk_fetch(const struct mn_text_index *index, uint32_t term);
/* How many stand in walk->piece now; 0 at the end. */
size_t mn_text_walk_next(struct mn_text_walk *walk);

/* ---- a row's terms ---- */

#define MN_TEXT_HALVES_USUAL 2u

/* In order of their places. Only the low bits of the terms are needed to pass over nearly all. */
struct mn_text_forward {
    uint32_t count;
    const uint16_t *low; /* of the terms */
    const uint8_t *high; /* of them; NULL: zeros */
    const uint8_t *code; /* two bits each: their halves, or that these are in `rest` */
    const uint8_t *rest;
};

#define MN_TEXT_FORWARD_HIGH (UINT32_C(1) << 31) /* beside the count: there are high bits */

static inline struct mn_text_forward mn_text_forward_of(const struct mn_text_index *index,
                                                        size_t row)
{
    const uint32_t *head = mn_blocks_at(&index->pool, index->forward[row]);
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

/* Asks for a row's terms, so that they are there when they are read. */
static inline void mn_text_index_fetch(const struct mn_text_index *index, size_t row)
{
    const char *forward = mn_blocks_at(&index->pool, index->forward[row]);

    for (size_t i = 0; i < 128; i += 64) /* most have up to 60 */
        __builtin_prefetch(forward + i);
}

#endif
