/*
 * text_index.h - the full-text index of one partition: terms to rows, and rows to terms.
 */
#ifndef MN_SEARCH_TEXT_INDEX_H
#define MN_SEARCH_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/dictionary.h"
#include "search/text_document.h"

#define MN_TEXT_ROWS_MAX ((size_t)1 << 24) /* a posting holds 24 bits of row, 8 of frequency */
#define MN_TEXT_FEW 2                      /* postings that stand in the term itself */
#define MN_TEXT_HALVES_MASK 255u

struct mn_text_term {
    uint64_t hash;
    union {
        uint32_t few[MN_TEXT_FEW];
        uint32_t *many;
    } posting;      /* row << 8 | halves, rows ascending; few while room is so */
    uint32_t count; /* dead rows' included */
    uint32_t room;
    uint8_t halves_max; /* never falls */
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

    size_t count; /* rows, dead ones included */
    size_t room;
    float *length;      /* weighted number of terms; of a turn -1 - it */
    uint32_t **forward; /* a row's terms: how many, then term << 8 | halves, as they follow */

    size_t alive[2]; /* rows: memories, turns */
    double length_sum[2];
    size_t posting_bytes;
    size_t forward_bytes;
};

/* Adds row `count`. False when malloc fails or a limit is reached: the index is then not whole and
 * must be released. */
bool mn_text_index_add(struct mn_text_index *index, const struct mn_text_document *document);
void mn_text_index_remove(struct mn_text_index *index, size_t row);
/* Squeezes out dead rows (row r becomes row_map[r], UINT32_MAX: dead) and terms that no row has.
 * term_map: room for terms.count numbers. */
void mn_text_index_compact(struct mn_text_index *index, const uint32_t *row_map,
                           uint32_t *term_map);
size_t mn_text_index_bytes(const struct mn_text_index *index);
void mn_text_index_release(struct mn_text_index *index);

/* The term's number; UINT32_MAX when no row has had it. */
uint32_t mn_text_index_find(const struct mn_text_index *index, uint64_t hash);

/* Asks for a row's terms, so that they are there when they are read. */
static inline void mn_text_index_fetch(const struct mn_text_index *index, size_t row)
{
    const char *forward = (const char *)index->forward[row];

    for (size_t i = 0; i < 192; i += 64) /* most have up to 47 */
        __builtin_prefetch(forward + i);
}

static inline const uint32_t *mn_text_postings(const struct mn_text_term *term)
{
    return term->room > MN_TEXT_FEW ? term->posting.many : term->posting.few;
}

#endif
