/*
 * text_columns.c - the terms that most rows have, of those that an eighth have, each in a column.
 *
 * Which terms do is looked at again when there are a quarter more rows. A term keeps its column until
 * only a sixteenth has it, and gives it up to another only when a quarter more rows have that, so that
 * none comes and goes.
 */
#include "search/text_columns.h"

#include <stdlib.h>
#include <string.h>

#include "search/best.h"
#include "search/text_index.h"

#define ROWS_MIN 32
#define MORE_ROWS 4 /* a quarter */
#define SHARE 8
#define SHARE_KEPT 16
#define KEPT_FOR 1.25f /* a term that has a column counts as so many times as frequent */

const uint8_t *mn_text_columns_of(const struct mn_text_columns *columns, uint32_t term)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->term[c] == term)
            return columns->halves[c];
    return NULL;
}

uint8_t mn_text_columns_more(const struct mn_text_index *index, uint32_t term, size_t row)
{
    const struct mn_text_forward forward = mn_text_forward_of(index, row);
    uint32_t i = 0;

    while (mn_text_forward_term(&forward, i) != term)
        i++;
    return mn_text_forward_halves(&forward, i);
}

/* ---- choosing ---- */

static void set(uint8_t *column, size_t row, uint8_t halves)
{
    uint8_t code = halves < MN_TEXT_COLUMN_MORE ? halves : MN_TEXT_COLUMN_MORE;

    column[row / 2] |= (uint8_t)(code << row % 2 * 4);
}

static size_t bytes_of(size_t rows)
{
    return (rows + 1) / 2;
}

/* The terms that are to have a column. */
static size_t commonest(const struct mn_text_index *index, struct mn_scored *ret_term)
{
    struct mn_best best = { .item = ret_term, .room = MN_TEXT_COLUMNS_MAX };

    for (uint32_t t = 0; t < index->terms.count; t++) {
        size_t rows = index->terms.alive[t];

        if (rows * SHARE_KEPT < index->count)
            continue;
        if (mn_text_columns_of(&index->columns, t))
            mn_best_offer(&best, (float)rows * KEPT_FOR, t);
        else if (rows * SHARE >= index->count)
            mn_best_offer(&best, (float)rows, t);
    }
    return best.count;
}

static bool is_among(uint32_t term, const struct mn_scored *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i].row == term)
            return true;
    return false;
}

static void drop_others(struct mn_text_columns *columns, const struct mn_scored *chosen,
                        size_t count)
{
    size_t kept = 0;

    for (size_t c = 0; c < columns->count; c++) {
        if (!is_among(columns->term[c], chosen, count)) {
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
    uint8_t *halves = calloc(bytes_of(index->room), sizeof *halves);
    struct mn_text_walk walk;
    size_t count;

    if (!halves)
        return;
    mn_text_walk_begin(&index->blocks, &index->terms.item[term], &walk);
    while ((count = mn_text_walk_next(&walk)) > 0)
        for (size_t i = 0; i < count; i++)
            set(halves, walk.piece[i] >> 8, walk.piece[i] & MN_TEXT_HALVES_MASK);
    columns->term[columns->count] = term;
    columns->halves[columns->count++] = halves;
}

void mn_text_columns_choose(struct mn_text_index *index)
{
    struct mn_text_columns *columns = &index->columns;
    struct mn_scored chosen[MN_TEXT_COLUMNS_MAX];

    if (index->count < ROWS_MIN ||
        index->count < columns->chosen_at + columns->chosen_at / MORE_ROWS)
        return;
    columns->chosen_at = index->count;
    size_t count = commonest(index, chosen);
    drop_others(columns, chosen, count);
    for (size_t i = 0; i < count; i++)
        if (!mn_text_columns_of(columns, chosen[i].row))
            add_column(index, chosen[i].row);
}

/* ---- rows ---- */

bool mn_text_columns_grow(struct mn_text_columns *columns, size_t room)
{
    for (size_t c = 0; c < columns->count; c++) {
        uint8_t *grown = realloc(columns->halves[c], bytes_of(room));

        if (!grown)
            return false;
        columns->halves[c] = grown;
    }
    return true;
}

void mn_text_columns_begin_row(struct mn_text_columns *columns, size_t row)
{
    for (size_t c = 0; row % 2 == 0 && c < columns->count; c++)
        columns->halves[c][row / 2] = 0; /* the next one's half as well */
}

void mn_text_columns_put(struct mn_text_columns *columns, size_t row, uint32_t term, uint8_t halves)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->term[c] == term)
            set(columns->halves[c], row, halves);
}

size_t mn_text_columns_bytes(const struct mn_text_columns *columns, size_t room)
{
    return columns->count * bytes_of(room);
}

void mn_text_columns_release(struct mn_text_columns *columns)
{
    for (size_t c = 0; c < columns->count; c++)
        free(columns->halves[c]);
    memset(columns, 0, sizeof *columns);
}
