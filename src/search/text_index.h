/*
 * text_index.h - the full-text index of one partition: terms to rows, and rows to terms.
 */
#ifndef MN_SEARCH_TEXT_INDEX_H
#define MN_SEARCH_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fetch.h"
#include "base/str.h"
#include "search/dictionary.h"
#include "search/text_columns.h"
#include "search/text_document.h"
#include "search/text_forward.h"
#include "search/text_postings.h"

/* A posting holds 24 bits of row and 8 of frequency; a table holds row + 1 in as many. */
#define MN_TEXT_ROWS_MAX (((size_t)1 << 24) - 1)
#define MN_TEXT_TERMS_MAX ((size_t)1 << 24)

/* Length and kind of a row in one number: of a turn -1 - length, of a passage a base more, which no
 * length reaches and from which halves can still be told. */
#define MN_TEXT_PASSAGE_BASE 1048576.0f

static inline float mn_text_length_pack(enum mn_text_kind kind, float length)
{
    return kind == MN_TEXT_TURN ? -1 - length : kind ? length + MN_TEXT_PASSAGE_BASE : length;
}

static inline size_t mn_text_length_kind(float packed)
{
    return (size_t)(packed < 0) | (size_t)(packed >= MN_TEXT_PASSAGE_BASE) << 1;
}

static inline float mn_text_length_of(float packed)
{
    float length = packed < 0 ? -1 - packed : packed;

    return length >= MN_TEXT_PASSAGE_BASE ? length - MN_TEXT_PASSAGE_BASE : length;
}

struct mn_packed;

struct mn_text_index {
    struct {
        struct mn_text_term *item;
        uint32_t *alive; /* rows that have it: apart, since all terms of a row ask for it */
        uint32_t *passages; /* of these, those that are passages; NULL: there has been none */
        size_t count;
        size_t room;
        uint32_t *slot; /* hash table: term + 1; 0 is free */
        size_t slots;   /* a power of two */
    } terms;
    struct mn_dictionary dictionary;
    struct mn_blocks blocks; /* postings and rows' terms */
    struct mn_text_columns columns;

    size_t count; /* rows, dead ones included */
    size_t room;
    float *length;     /* weighted number of terms, as mn_text_length_pack() makes it */
    uint32_t *forward; /* a row's terms, as they follow */

    size_t alive[MN_TEXT_KINDS]; /* rows */
    double length_sum[MN_TEXT_KINDS];
};

/* Document frequency of a term and how many documents there are: a passage is part of one, which has the
 * term as well. So a long text makes none of its words common. */
static inline uint32_t mn_text_index_df(const struct mn_text_index *index, uint32_t term)
{
    uint32_t rows = index->terms.alive[term];
    uint32_t df = index->terms.passages ? rows - index->terms.passages[term] : rows;

    return df ? df : rows > 0;
}

static inline size_t mn_text_index_documents(const struct mn_text_index *index)
{
    return index->alive[MN_TEXT_MEMORY] + index->alive[MN_TEXT_TURN];
}

/* Adds row `count`. False when malloc fails or a limit is reached: the index is then not whole and
 * must be released. */
bool mn_text_index_add(struct mn_text_index *index, const struct mn_text_document *document);
void mn_text_index_remove(struct mn_text_index *index, size_t row);
/* Rows that stay (row r becomes row_map[r], UINT32_MAX: leaves) and their terms as a new index, in
 * which each term's postings lie behind each other; false when malloc fails. */
bool mn_text_index_copy(const struct mn_text_index *index, const uint32_t *row_map,
                        struct mn_text_index *ret_copy);
/* In a segment (segment.h): the terms, then row by row, of an index without dead rows. Loaded into
 * one that is empty, the end when all rows are there. False: they are none, or malloc fails. */
void mn_text_index_save_terms(const struct mn_text_index *index, struct mn_buf *out);
void mn_text_index_save_row(const struct mn_text_index *index, size_t row, struct mn_buf *out);
bool mn_text_index_load_terms(struct mn_text_index *index, struct mn_packed *in);
bool mn_text_index_load_row(struct mn_text_index *index, struct mn_packed *in,
                            enum mn_text_kind kind);
bool mn_text_index_load_end(struct mn_text_index *index);

size_t mn_text_index_bytes(const struct mn_text_index *index);
void mn_text_index_release(struct mn_text_index *index);

/* The term's number; UINT32_MAX when no row has had it. */
uint32_t mn_text_index_find(const struct mn_text_index *index, uint64_t hash);

static inline struct mn_text_forward mn_text_forward_of(const struct mn_text_index *index,
                                                        size_t row)
{
    return mn_text_forward_at(&index->blocks, index->forward[row]);
}

/* Asks for a row's terms, so that they are there when they are read. */
static inline void mn_text_index_fetch(const struct mn_text_index *index, size_t row)
{
    mn_fetch_bytes(mn_blocks_at(&index->blocks, index->forward[row]), 128); /* most have up to 60 */
}

#endif
