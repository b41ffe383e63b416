/*
 * text_columns.c - a term has a column while an eighth of the rows have it.
 *
 * Which terms do is looked at again when there are a quarter more rows. A term keeps its column until
 * only a sixteenth has it, so that none comes and goes.
 */
#include "search/text_columns.h"

#include <stdlib.h>
#include <string.h>

#include "search/text_index.h"

#define ROWS_MIN 32
#define MORE_ROWS 4 /* a quarter */
#define SHARE 8
#define SHARE_KEPT 16

const uint8_t *mn_text_columns_of(const struct mn_text_columns *columns, uint32_t term)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->term[c] == term)
            return columns->halves[c];
    return NULL;
}

/* ---- choosing ---- */

static void drop_rare(struct mn_text_index *index)
{
    struct mn_text_columns *columns = &index->columns;
    size_t kept = 0;

    for (size_t c = 0; c < columns->count; c++) {
        if ((size_t)index->terms.alive[columns->term[c]] * SHARE_KEPT < index->count) {
            free(columns->halves[c]);
            continue;
        }
        columns->term[kept] = columns->term[c];
        columns->halves[kept++] = columns->halves[c];
    }
    columns->count = kept;
}

static void add_column(struct mn_text_index *index, uint32_t term)
{
    struct mn_text_columns *columns = &index->columns;
    uint8_t *halves = calloc(index->room, sizeof *halves);
    struct mn_text_walk walk;
    size_t count;

    if (!halves)
        return;
    mn_text_walk_begin(&index->blocks, &index->terms.item[term], &walk);
    while ((count = mn_text_walk_next(&walk)) > 0)
        for (size_t i = 0; i < count; i++)
            halves[walk.piece[i] >> 8] = walk.piece[i] & MN_TEXT_HALVES_MASK;
    columns->term[columns->count] = term;
    columns->halves[columns->count++] = halves;
}

void mn_text_columns_choose(struct mn_text_index *index)
{
    struct mn_text_columns *columns = &index->columns;

    if (index->count < ROWS_MIN ||
        index->count < columns->chosen_at + columns->chosen_at / MORE_ROWS)
        return;
    columns->chosen_at = index->count;
    drop_rare(index);
    for (uint32_t t = 0; t < index->terms.count && columns->count < MN_TEXT_COLUMNS_MAX; t++)
        if ((size_t)index->terms.alive[t] * SHARE >= index->count &&
            !mn_text_columns_of(columns, t))
            add_column(index, t);
}

/* ---- rows ---- */

bool mn_text_columns_grow(struct mn_text_columns *columns, size_t room)
{
    for (size_t c = 0; c < columns->count; c++) {
        uint8_t *grown = realloc(columns->halves[c], room);

        if (!grown)
            return false;
        columns->halves[c] = grown;
    }
    return true;
}

void mn_text_columns_begin_row(struct mn_text_columns *columns, size_t row)
{
    for (size_t c = 0; c < columns->count; c++)
        columns->halves[c][row] = 0;
}

void mn_text_columns_put(struct mn_text_columns *columns, size_t row, uint32_t term, uint8_t halves)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->term[c] == term)
            columns->halves[c][row] = halves;
}

void mn_text_columns_release(struct mn_text_columns *columns)
{
    for (size_t c = 0; c < columns->count; c++)
        free(columns->halves[c]);
    memset(columns, 0, sizeof *columns);
}
