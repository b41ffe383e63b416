/*
 * text_columns.h - of the few terms that many rows have, how often each row has them: a byte a row.
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

struct mn_text_index;

struct mn_text_columns {
    uint32_t term[MN_TEXT_COLUMNS_MAX];
    uint8_t *halves[MN_TEXT_COLUMNS_MAX]; /* by row, dead ones included; 0: the row lacks the term */
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
void mn_text_columns_release(struct mn_text_columns *columns);

#endif
