/*
 * text_index.c - terms to rows, and rows back to terms.
 *
 * Postings are one word each, in order of row. What removes a row is the list of its own terms:
 * their document frequencies fall at once, so that statistics are exact, while its postings stay
 * behind the partition's bit for dead rows until they are squeezed out. The same list answers "what
 * does *this* row score" without touching a posting.
 *
 * Most terms have one or two rows: those postings stand in the term itself.
 */
#include "search/text_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FEW MN_TEXT_FEW
#define SLOTS_FIRST 1024
#define ROWS_FIRST 64
#define TERMS_MAX ((size_t)1 << 24)

static uint32_t *postings(struct mn_text_term *term)
{
    return term->room > FEW ? term->posting.many : term->posting.few;
}

/* ---- terms ---- */

static void slot_fill(struct mn_text_index *index, uint32_t term)
{
    size_t at = index->terms.item[term].hash & (index->terms.slots - 1);

    while (index->terms.slot[at])
        at = (at + 1) & (index->terms.slots - 1);
    index->terms.slot[at] = term + 1;
}

static bool term_room(struct mn_text_index *index)
{
    if (index->terms.count == index->terms.room) {
        size_t room = index->terms.room ? index->terms.room * 2 : SLOTS_FIRST / 2;
        void *grown = room <= TERMS_MAX
                          ? realloc(index->terms.item, room * sizeof index->terms.item[0])
                          : NULL;

        if (!grown)
            return false;
        index->terms.item = grown;
        grown = realloc(index->terms.alive, room * sizeof index->terms.alive[0]);
        if (!grown)
            return false;
        index->terms.alive = grown;
        index->terms.room = room;
    }
    if ((index->terms.count + 1) * 2 > index->terms.slots) {
        size_t slots = index->terms.slots ? index->terms.slots * 2 : SLOTS_FIRST;
        uint32_t *slot = calloc(slots, sizeof *slot);

        if (!slot)
            return false;
        free(index->terms.slot);
        index->terms.slot = slot;
        index->terms.slots = slots;
        for (uint32_t t = 0; t < index->terms.count; t++)
            slot_fill(index, t);
    }
    return true;
}

uint32_t mn_text_index_find(const struct mn_text_index *index, uint64_t hash)
{
    if (!index->terms.slots)
        return UINT32_MAX;
    for (size_t at = hash & (index->terms.slots - 1); index->terms.slot[at];
         at = (at + 1) & (index->terms.slots - 1)) {
        uint32_t term = index->terms.slot[at] - 1;

        if (index->terms.item[term].hash == hash)
            return term;
    }
    return UINT32_MAX;
}

/* The number of a term, given one when it is new; UINT32_MAX when malloc fails. */
static uint32_t term_of(struct mn_text_index *index, const struct mn_term *term)
{
    uint32_t number = mn_text_index_find(index, term->hash);

    if (number != UINT32_MAX)
        return number;
    number = (uint32_t)index->terms.count;
    if (!term_room(index) || !mn_dictionary_add(&index->dictionary, term, number))
        return UINT32_MAX;
    index->terms.item[number] = (struct mn_text_term){ .hash = term->hash, .room = FEW };
    index->terms.alive[number] = 0;
    index->terms.count++;
    slot_fill(index, number);
    return number;
}

static bool posting_add(struct mn_text_index *index, struct mn_text_term *term, size_t row,
                        uint8_t halves)
{
    if (term->count == term->room) {
        uint32_t room = term->room * 2;
        uint32_t *grown =
            realloc(term->room > FEW ? term->posting.many : NULL, room * sizeof *grown);

        if (!grown)
            return false;
        if (term->room == FEW)
            memcpy(grown, term->posting.few, sizeof term->posting.few);
        index->posting_bytes += (room - (term->room > FEW ? term->room : 0)) * sizeof *grown;
        term->posting.many = grown;
        term->room = room;
    }
    postings(term)[term->count++] = (uint32_t)row << 8 | halves;
    if (halves > term->halves_max)
        term->halves_max = halves;
    return true;
}

/* ---- rows ---- */

static bool row_room(struct mn_text_index *index)
{
    size_t room = index->room ? index->room * 2 : ROWS_FIRST;

    if (index->count < index->room)
        return true;
    if (index->count >= MN_TEXT_ROWS_MAX)
        return false;
    float *length = realloc(index->length, room * sizeof *length);
    if (!length)
        return false;
    index->length = length;
    uint32_t **forward = realloc(index->forward, room * sizeof *forward);
    if (!forward)
        return false;
    index->forward = forward;
    index->room = room;
    return true;
}

static size_t forward_bytes(const uint32_t *forward)
{
    return (1 + (size_t)forward[0]) * sizeof *forward;
}

bool mn_text_index_add(struct mn_text_index *index, const struct mn_text_document *document)
{
    size_t row = index->count;
    uint32_t *forward;

    if (!row_room(index))
        return false;
    forward = malloc((1 + document->count) * sizeof *forward);
    if (!forward)
        return false;
    forward[0] = (uint32_t)document->count;
    for (size_t i = 0; i < document->count; i++) {
        const struct mn_text_entry *entry = &document->item[i];
        uint32_t term = term_of(index, &entry->term);

        if (term == UINT32_MAX ||
            !posting_add(index, &index->terms.item[term], row, entry->halves)) {
            free(forward);
            return false;
        }
        index->terms.alive[term]++;
        forward[1 + i] = term << 8 | entry->halves;
    }
    index->forward[row] = forward;
    index->forward_bytes += forward_bytes(forward);
    index->length[row] = document->is_turn ? -document->length - 1 : document->length;
    index->alive[document->is_turn]++;
    index->length_sum[document->is_turn] += (double)document->length;
    index->count++;
    return true;
}

void mn_text_index_remove(struct mn_text_index *index, size_t row)
{
    uint32_t *forward = index->forward[row];
    bool is_turn = index->length[row] < 0;

    for (uint32_t i = 1; i <= forward[0]; i++)
        index->terms.alive[forward[i] >> 8]--;
    index->alive[is_turn]--;
    index->length_sum[is_turn] -= (double)(is_turn ? -index->length[row] - 1 : index->length[row]);
    index->forward_bytes -= forward_bytes(forward);
    free(forward);
    index->forward[row] = NULL;
}

static void compact_postings(struct mn_text_index *index, uint32_t number, const uint32_t *row_map)
{
    struct mn_text_term *term = &index->terms.item[number];
    uint32_t *posting = postings(term);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < term->count; i++) {
        uint32_t row = row_map[posting[i] >> 8];

        if (row != UINT32_MAX)
            posting[kept++] = row << 8 | (posting[i] & MN_TEXT_HALVES_MASK);
    }
    assert(kept == index->terms.alive[number]);
    term->count = kept;
    if (kept == 0 && term->room > FEW) {
        index->posting_bytes -= term->room * sizeof *posting;
        free(posting);
        term->room = FEW;
    }
}

void mn_text_index_compact(struct mn_text_index *index, const uint32_t *row_map, uint32_t *term_map)
{
    uint32_t kept = 0;
    size_t rows = 0;

    for (uint32_t t = 0; t < index->terms.count; t++) {
        compact_postings(index, t, row_map);
        term_map[t] = index->terms.alive[t] ? kept++ : UINT32_MAX;
    }
    for (uint32_t t = 0; t < index->terms.count; t++)
        if (term_map[t] != UINT32_MAX) {
            index->terms.item[term_map[t]] = index->terms.item[t];
            index->terms.alive[term_map[t]] = index->terms.alive[t];
        }
    mn_dictionary_compact(&index->dictionary, term_map);
    index->terms.count = kept;
    if (index->terms.slots)
        memset(index->terms.slot, 0, index->terms.slots * sizeof index->terms.slot[0]);
    for (uint32_t t = 0; t < kept; t++)
        slot_fill(index, t);

    for (size_t row = 0; row < index->count; row++) {
        uint32_t *forward = index->forward[row];

        if (row_map[row] == UINT32_MAX)
            continue;
        for (uint32_t i = 1; i <= forward[0]; i++) /* terms keep their order */
            forward[i] = term_map[forward[i] >> 8] << 8 | (forward[i] & MN_TEXT_HALVES_MASK);
        index->forward[rows] = forward;
        index->length[rows++] = index->length[row];
    }
    index->count = rows;
}

size_t mn_text_index_bytes(const struct mn_text_index *index)
{
    return index->terms.room * (sizeof index->terms.item[0] + sizeof index->terms.alive[0]) +
           index->terms.slots * sizeof index->terms.slot[0] +
           mn_dictionary_bytes(&index->dictionary) +
           index->room * (sizeof *index->length + sizeof *index->forward) + index->posting_bytes +
           index->forward_bytes;
}

void mn_text_index_release(struct mn_text_index *index)
{
    for (size_t t = 0; t < index->terms.count; t++)
        if (index->terms.item[t].room > FEW)
            free(index->terms.item[t].posting.many);
    for (size_t row = 0; row < index->count; row++)
        free(index->forward[row]);
    free(index->terms.item);
    free(index->terms.alive);
    free(index->terms.slot);
    mn_dictionary_release(&index->dictionary);
    free(index->length);
    free(index->forward);
    memset(index, 0, sizeof *index);
}
