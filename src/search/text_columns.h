/*
 * text_columns.h - of the few terms that most rows have, how often each row has them: half a byte a row.
 *
 * Their postings are most of what a request would read, and are asked for few rows of which each is
 * known by number. A column tells of one row without reading those before it. The postings stay: who
 * wants all rows of a term reads these.
 */
#ifndef MN_SEARCH_TEXT_COLUMNS_H
#define MN_SEARCH_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MN_TEXT_COLUMNS_MAX 24
#define MN_TEXT_COLUMN_MORE 15u /* halves: as many, or more, which the row's own terms tell */

struct mn_text_index;

struct mn_text_columns {
    uint32_t term[MN_TEXT_COLUMNS_MAX];
    /* By row, dead ones included, the first of two in the low half; 0: the row lacks the term. */
    uint8_t *halves[MN_TEXT_COLUMNS_MAX];
    size_t count;
    size_t chosen_at; /* rows there were when it was last looked which terms have one; 0: never */
};

/* Looks which terms have a column, where there are many more rows than at the last time. What malloc
 * fails for has none. */
void mn_text_columns_choose(struct mn_text_index *index);
/* Room for so many rows; false when malloc fails. */
bool mn_text_columns_grow(struct mn_text_columns *columns, size_t room);
/* A new row, the last of all: begun, then told each of its terms. */
void mn_text_columns_begin_row(struct mn_text_columns *columns, size_t row);
void mn_text_columns_put(struct mn_text_columns *columns, size_t row, uint32_t term,
                         uint8_t halves);
/* A term's column; NULL: it has none. */
const uint8_t *mn_text_columns_of(const struct mn_text_columns *columns, uint32_t term);
/* What the row's own terms say, which has the term. */
uint8_t mn_text_columns_more(const struct mn_text_index *index, uint32_t term, size_t row);
/* Of columns with room for so many rows. */
size_t mn_text_columns_bytes(const struct mn_text_columns *columns, size_t room);
void mn_text_columns_release(struct mn_text_columns *columns);

/* How often a row has the term that the column is of. */
static inline uint8_t mn_text_column_halves(const struct mn_text_index *index,
                                            const uint8_t *column, uint32_t term, size_t row)
{
    uint8_t halves = column[row / 2] >> row % 2 * 4 & 15;

    return halves < MN_TEXT_COLUMN_MORE ? halves : mn_text_columns_more(index, term, row);
}

#endif
