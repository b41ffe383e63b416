/*
 * text_index.c - terms to rows, and rows back to terms.
 *
 * What removes a row is the list of its own terms: their document frequencies fall at once, so that
 * statistics are exact, while its postings stay behind the partition's bit for dead rows until the
 * index is copied without them. The same list answers "what does *this* row score" without touching
 * a posting.
 *
 * Both are packed (text_postings.h, text_forward.h), since together they are twice as large as the
 * texts. Terms that came early are the frequent ones and have the small numbers.
 */
#include "search/text_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/packed.h"

#define SLOTS_FIRST 256
#define ROOM_FIRST 32
#define GROWTH 8 /* room grows by an eighth */

static bool grow(void *column, size_t room, size_t bytes)
{
    void *grown = realloc(*(void **)column, room * bytes);

    if (!grown)
        return false;
    *(void **)column = grown;
    return true;
}

static size_t more_room(size_t room)
{
    return room + room / GROWTH + ROOM_FIRST;
}

/* ---- terms ---- */

static void slot_fill(struct mn_text_index *index, uint32_t term)
{
    size_t at = index->terms.item[term].hash & (index->terms.slots - 1);

    while (index->terms.slot[at])
        at = (at + 1) & (index->terms.slots - 1);
    index->terms.slot[at] = term + 1;
}

static bool terms_grow(struct mn_text_index *index, size_t room)
{
    if (room > MN_TEXT_TERMS_MAX || !grow(&index->terms.item, room, sizeof *index->terms.item) ||
        !grow(&index->terms.alive, room, sizeof *index->terms.alive) ||
        (index->terms.passages &&
         !grow(&index->terms.passages, room, sizeof *index->terms.passages)))
        return false;
    index->terms.room = room;
    return true;
}

/* The first passage: from here on they are counted. */
static bool passages_begin(struct mn_text_index *index)
{
    if (!index->terms.passages)
        index->terms.passages = calloc(index->terms.room + 1, sizeof *index->terms.passages);
    return index->terms.passages;
}

static bool term_room(struct mn_text_index *index)
{
    if (index->terms.count == index->terms.room &&
        !terms_grow(index, more_room(index->terms.room)))
        return false;
    if ((index->terms.count + 1) * 4 > index->terms.slots * 3) {
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

/* A new term, which is none of those there are; UINT32_MAX when malloc fails. */
static uint32_t term_add(struct mn_text_index *index, uint64_t hash)
{
    uint32_t number = (uint32_t)index->terms.count;

    if (!term_room(index))
        return UINT32_MAX;
    index->terms.item[number] = (struct mn_text_term){ .hash = hash };
    index->terms.alive[number] = 0;
    if (index->terms.passages)
        index->terms.passages[number] = 0;
    index->terms.count++;
    slot_fill(index, number);
    return number;
}

/* The number of a term, given one when it is new; UINT32_MAX when malloc fails. */
static uint32_t term_of(struct mn_text_index *index, const struct mn_term *term)
{
    uint32_t number = mn_text_index_find(index, term->hash);

    if (number != UINT32_MAX)
        return number;
    number = term_add(index, term->hash);
    if (number == UINT32_MAX || !mn_dictionary_add(&index->dictionary, term, number))
        return UINT32_MAX;
    return number;
}

/* ---- rows ---- */

static bool rows_grow(struct mn_text_index *index, size_t room)
{
    if (!grow(&index->length, room, sizeof *index->length) ||
        !grow(&index->forward, room, sizeof *index->forward) ||
        !mn_text_columns_grow(&index->columns, room))
        return false;
    index->room = room;
    return true;
}

static bool row_room(struct mn_text_index *index)
{
    return index->count < index->room ||
           (index->count < MN_TEXT_ROWS_MAX && rows_grow(index, more_room(index->room)));
}

static void count_row(struct mn_text_index *index, uint32_t forward, float length)
{
    size_t kind = mn_text_length_kind(length);

    index->forward[index->count] = forward;
    index->length[index->count++] = length;
    index->alive[kind]++;
    index->length_sum[kind] += (double)mn_text_length_of(length);
}

static bool end_row(struct mn_text_index *index, struct mn_text_packing *packing, float length,
                    bool good)
{
    uint32_t forward = good ? mn_text_packing_keep(packing, &index->blocks) : MN_BLOCKS_NOWHERE;

    mn_text_packing_end(packing);
    if (forward == MN_BLOCKS_NOWHERE)
        return false;
    count_row(index, forward, length);
    return true;
}

bool mn_text_index_add(struct mn_text_index *index, const struct mn_text_document *document)
{
    struct mn_text_packing packing;
    bool is_passage = document->kind == MN_TEXT_PASSAGE, good = true;

    if (!row_room(index) || (is_passage && !passages_begin(index)) ||
        !mn_text_packing_begin(&packing, document->count))
        return false;
    mn_text_columns_begin_row(&index->columns, index->count);
    for (size_t i = 0; good && i < document->count; i++) {
        uint32_t term = term_of(index, &document->item[i].term);
        uint8_t halves = document->item[i].halves;

        good = term != UINT32_MAX &&
               mn_text_term_add(&index->terms.item[term], &index->blocks, (uint32_t)index->count,
                                halves, index->terms.alive[term]);
        if (!good)
            break;
        index->terms.alive[term]++;
        if (is_passage)
            index->terms.passages[term]++;
        mn_text_packing_put(&packing, term, halves);
        mn_text_columns_put(&index->columns, index->count, term, halves);
    }
    return end_row(index, &packing,
                   mn_text_length_pack(document->kind, document->length), good);
}

void mn_text_index_remove(struct mn_text_index *index, size_t row)
{
    const struct mn_text_forward forward = mn_text_forward_of(index, row);
    size_t kind = mn_text_length_kind(index->length[row]);

    for (uint32_t i = 0; i < forward.count; i++) {
        uint32_t term = mn_text_forward_term(&forward, i);

        index->terms.alive[term]--;
        if (kind == MN_TEXT_PASSAGE)
            index->terms.passages[term]--;
    }
    index->alive[kind]--;
    index->length_sum[kind] -= (double)mn_text_length_of(index->length[row]);
}

/* ---- copying ---- */

/* The list of a term, without dead rows and with the rest renumbered. */
static void read_list(const struct mn_text_index *from, uint32_t number, const uint32_t *row_map,
                      struct mn_text_list *list, struct mn_text_term *term)
{
    struct mn_text_walk walk;
    size_t count;

    mn_text_list_begin(list, term);
    mn_text_walk_begin(&from->blocks, &from->terms.item[number], &walk);
    while ((count = mn_text_walk_next(&walk)) > 0)
        for (size_t i = 0; i < count; i++)
            if (row_map[walk.piece[i] >> 8] != UINT32_MAX)
                mn_text_list_add(list, term, row_map[walk.piece[i] >> 8], (uint8_t)walk.piece[i]);
}

static bool copy_terms(const struct mn_text_index *from, const uint32_t *row_map, uint32_t *map,
                       struct mn_text_list *list, struct mn_text_index *to)
{
    for (uint32_t t = 0; t < from->terms.count; t++) {
        map[t] = UINT32_MAX;
        if (!from->terms.alive[t])
            continue;
        map[t] = term_add(to, from->terms.item[t].hash);
        if (map[t] == UINT32_MAX)
            return false;
        struct mn_text_term *term = &to->terms.item[map[t]];
        to->terms.alive[map[t]] = from->terms.alive[t];
        if (to->terms.passages)
            to->terms.passages[map[t]] = from->terms.passages[t];
        read_list(from, t, row_map, list, term);
        if (!mn_text_list_keep(list, term, &to->blocks))
            return false;
    }
    return mn_dictionary_copy(&from->dictionary, map, &to->dictionary);
}

/* A row of `from` behind the rows of `to`. */
static bool copy_row(const struct mn_text_index *from, size_t row, const uint32_t *map,
                     struct mn_text_index *to)
{
    const struct mn_text_forward forward = mn_text_forward_of(from, row);
    struct mn_text_packing packing;

    if (!row_room(to) || !mn_text_packing_begin(&packing, forward.count))
        return false;
    for (uint32_t i = 0; i < forward.count; i++)
        packing.term[i] = map[mn_text_forward_term(&forward, i)];
    mn_text_forward_all_halves(&forward, packing.halves);
    packing.count = forward.count;
    return end_row(to, &packing, from->length[row], true);
}

/* As much as it takes and no more. */
static bool copy_room(const struct mn_text_index *from, struct mn_text_index *to)
{
    size_t terms = 1, rows = 1;

    for (size_t kind = 0; kind < MN_TEXT_KINDS; kind++)
        rows += from->alive[kind];
    for (size_t t = 0; t < from->terms.count; t++)
        terms += from->terms.alive[t] > 0;
    return terms_grow(to, terms) && rows_grow(to, rows) &&
           (!from->alive[MN_TEXT_PASSAGE] || passages_begin(to));
}

bool mn_text_index_copy(const struct mn_text_index *index, const uint32_t *row_map,
                        struct mn_text_index *ret_copy)
{
    struct mn_text_index copy = { 0 };
    uint32_t *map = malloc((index->terms.count + 1) * sizeof *map);
    struct mn_text_list list = { .at = malloc((index->count + 1) * MN_TEXT_LIST_ROW_BYTES) };
    bool good = map && list.at && copy_room(index, &copy) &&
                copy_terms(index, row_map, map, &list, &copy);

    for (size_t row = 0; good && row < index->count; row++)
        good = row_map[row] == UINT32_MAX || copy_row(index, row, map, &copy);
    free(map);
    free(list.at);
    if (good)
        *ret_copy = copy;
    else
        mn_text_index_release(&copy);
    return good;
}

/* ---- in a segment ---- */

void mn_text_index_save_terms(const struct mn_text_index *index, struct mn_buf *out)
{
    mn_packed_put_number(out, index->terms.count);
    for (size_t t = 0; t < index->terms.count; t++)
        mn_buf_put(out, &index->terms.item[t].hash, sizeof index->terms.item[t].hash);
    mn_dictionary_save(&index->dictionary, out);
}

void mn_text_index_save_row(const struct mn_text_index *index, size_t row, struct mn_buf *out)
{
    const struct mn_text_forward forward = mn_text_forward_of(index, row);
    size_t bytes = mn_text_forward_bytes(&forward);

    mn_buf_put(out, &index->length[row], sizeof index->length[row]);
    mn_packed_put_number(out, bytes);
    mn_buf_put(out, mn_blocks_at(&index->blocks, index->forward[row]), bytes);
}

bool mn_text_index_load_terms(struct mn_text_index *index, struct mn_packed *in)
{
    size_t terms = mn_packed_count(in, sizeof(uint64_t));

    for (size_t t = 0; t < terms; t++) {
        uint64_t hash;

        mn_packed_copy(in, &hash, sizeof hash);
        if (mn_text_index_find(index, hash) != UINT32_MAX || term_add(index, hash) == UINT32_MAX)
            return false;
    }
    return !in->bad && mn_dictionary_load(&index->dictionary, in, (uint32_t)terms);
}

bool mn_text_index_load_row(struct mn_text_index *index, struct mn_packed *in,
                            enum mn_text_kind kind)
{
    float length;

    mn_packed_copy(in, &length, sizeof length);
    size_t bytes = mn_packed_count(in, 1);
    const char *forward = mn_packed_bytes(in, bytes);
    if (!forward || !mn_text_forward_check(forward, bytes, (uint32_t)index->terms.count) ||
        !isfinite(length) || mn_text_length_kind(length) != kind ||
        mn_text_length_of(length) < 0 || !row_room(index) ||
        (kind == MN_TEXT_PASSAGE && !passages_begin(index)))
        return false;
    uint32_t address = mn_blocks_add(&index->blocks, bytes);
    if (address == MN_BLOCKS_NOWHERE)
        return false;
    memcpy(mn_blocks_at(&index->blocks, address), forward, bytes);
    count_row(index, address, length);
    return true;
}

/* All postings, and where each term's end among them; false: a row has a term twice. */
static bool gather_postings(const struct mn_text_index *index, size_t *begin, uint32_t *posting,
                            uint8_t *halves)
{
    for (size_t t = 0, sum = 0; t < index->terms.count; t++) {
        begin[t] = sum;
        sum += index->terms.alive[t];
    }
    for (size_t row = 0; row < index->count; row++) {
        const struct mn_text_forward forward = mn_text_forward_of(index, row);

        mn_text_forward_all_halves(&forward, halves);
        for (uint32_t i = 0; i < forward.count; i++) {
            uint32_t term = mn_text_forward_term(&forward, i);
            struct mn_text_term *last = &index->terms.item[term];

            if (last->last == (uint32_t)row + 1)
                return false;
            last->last = (uint32_t)row + 1;
            posting[begin[term]++] = (uint32_t)row << 8 | halves[i];
        }
    }
    return true;
}

bool mn_text_index_load_end(struct mn_text_index *index)
{
    size_t postings = 0, longest = 0;
    struct mn_text_list list = { .at = malloc((index->count + 1) * MN_TEXT_LIST_ROW_BYTES) };

    for (size_t row = 0; row < index->count; row++) {
        const struct mn_text_forward forward = mn_text_forward_of(index, row);
        bool is_passage = mn_text_length_kind(index->length[row]) == MN_TEXT_PASSAGE;

        for (uint32_t i = 0; i < forward.count; i++) {
            uint32_t term = mn_text_forward_term(&forward, i);

            index->terms.alive[term]++;
            if (is_passage)
                index->terms.passages[term]++;
        }
        postings += forward.count;
        longest = forward.count > longest ? forward.count : longest;
    }
    size_t *begin = malloc((index->terms.count + 1) * sizeof *begin);
    uint32_t *posting = malloc((postings + 1) * sizeof *posting);
    uint8_t *halves = malloc(longest + 1);
    bool good = list.at && begin && posting && halves &&
                gather_postings(index, begin, posting, halves);
    for (size_t t = 0, at = 0; good && t < index->terms.count; t++) {
        struct mn_text_term *term = &index->terms.item[t];

        mn_text_list_begin(&list, term);
        for (; at < begin[t]; at++)
            mn_text_list_add(&list, term, posting[at] >> 8, (uint8_t)posting[at]);
        good = list.rows > 0 && mn_text_list_keep(&list, term, &index->blocks);
    }
    if (good)
        mn_text_columns_choose(index);
    free(list.at);
    free(begin);
    free(posting);
    free(halves);
    return good;
}

size_t mn_text_index_bytes(const struct mn_text_index *index)
{
    size_t counts = index->terms.passages ? 2 : 1;

    return index->terms.room *
               (sizeof *index->terms.item + counts * sizeof *index->terms.alive) +
           index->terms.slots * sizeof *index->terms.slot +
           mn_dictionary_bytes(&index->dictionary) + mn_blocks_bytes(&index->blocks) +
           index->room * (sizeof *index->length + sizeof *index->forward) +
           mn_text_columns_bytes(&index->columns, index->room);
}

void mn_text_index_release(struct mn_text_index *index)
{
    free(index->terms.item);
    free(index->terms.alive);
    free(index->terms.passages);
    free(index->terms.slot);
    mn_dictionary_release(&index->dictionary);
    mn_blocks_release(&index->blocks);
    mn_text_columns_release(&index->columns);
    free(index->length);
    free(index->forward);
    memset(index, 0, sizeof *index);
}
