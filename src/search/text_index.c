/*
 * text_index.c - terms to rows, and rows back to terms.
 *
 * What removes a row is the list of its own terms: their document frequencies fall at once, so that
 * statistics are exact, while its postings stay behind the partition's bit for dead rows until the
 * index is copied without them. The same list answers "what does *this* row score" without touching
 * a posting.
 *
 * Both are packed, since together they are twice as large as the texts. A posting is how many rows
 * on, twice, plus 1 where the frequency is not the usual one and follows as a byte; seven bits a
 * byte, the highest says that there are more. Rows ascend, so that adding is writing at the end: of
 * a chain of blocks, each a quarter of what the term has by then, each with a zero behind its
 * postings: none begins with one. The one posting of a term that has one stands in the term. A row's
 * terms are sixteen bits each, with eight more where the row has a term that came late, then two bits
 * each for the frequency, then the frequencies that two bits do not tell.
 *
 * Considered: seven bits a byte for rows' terms as well. A tenth smaller, but scoring a row then
 * mispredicts at every third term.
 */
#include "search/text_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 256
#define ROOM_FIRST 32
#define GROWTH 8 /* room grows by an eighth */
#define POSTING_BYTES_MAX 5
#define BLOCK_BYTES_MIN 16 /* the number of the next one included */
#define BLOCK_BYTES_MAX 1020
#define BLOCK_SHARE 4
#define NEXT_BYTES sizeof(uint32_t)

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

static bool term_room(struct mn_text_index *index)
{
    if (index->terms.count == index->terms.room) {
        size_t room = more_room(index->terms.room);

        if (room > MN_TEXT_TERMS_MAX || !grow(&index->terms.item, room, sizeof *index->terms.item) ||
            !grow(&index->terms.alive, room, sizeof *index->terms.alive))
            return false;
        index->terms.room = room;
    }
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

/* ---- postings ---- */

static size_t put_posting(uint32_t rows_on, uint8_t halves, uint8_t *out)
{
    uint32_t code = rows_on << 1 | (halves != MN_TEXT_HALVES_USUAL);
    size_t bytes = 0;

    for (; code >= 0x80; code >>= 7)
        out[bytes++] = (uint8_t)(code | 0x80);
    out[bytes++] = (uint8_t)code;
    if (halves != MN_TEXT_HALVES_USUAL)
        out[bytes++] = halves;
    return bytes;
}

/* A block behind the last, larger the more there is. */
static bool block_add(struct mn_text_index *index, struct mn_text_term *term, size_t have)
{
    size_t bytes = have / BLOCK_SHARE / MN_BLOCKS_UNIT * MN_BLOCKS_UNIT;

    if (bytes < BLOCK_BYTES_MIN)
        bytes = BLOCK_BYTES_MIN;
    if (bytes > BLOCK_BYTES_MAX)
        bytes = BLOCK_BYTES_MAX;
    uint32_t block = mn_blocks_add(&index->pool, bytes);
    if (block == MN_BLOCKS_NOWHERE)
        return false;
    memset(mn_blocks_at(&index->pool, block), 0, bytes);
    if (term->block == MN_BLOCKS_NOWHERE)
        term->first = block;
    else
        memcpy(mn_blocks_at(&index->pool, term->block), &block, sizeof block);
    term->block = block;
    term->used = NEXT_BYTES;
    term->room = (uint8_t)(bytes / MN_BLOCKS_UNIT);
    return true;
}

static bool block_put(struct mn_text_index *index, struct mn_text_term *term, const uint8_t *posting,
                      size_t bytes, size_t have)
{
    size_t room = (size_t)term->room * MN_BLOCKS_UNIT;

    if ((term->block == MN_BLOCKS_NOWHERE || term->used + bytes >= room) &&
        !block_add(index, term, have))
        return false;
    memcpy((uint8_t *)mn_blocks_at(&index->pool, term->block) + term->used, posting, bytes);
    term->used = (uint16_t)(term->used + bytes);
    return true;
}

static bool posting_add(struct mn_text_index *index, uint32_t number, size_t row, uint8_t halves)
{
    struct mn_text_term *term = &index->terms.item[number];
    uint8_t packed[POSTING_BYTES_MAX];

    if (!term->halves_max) {
        term->first = (uint32_t)row << 8 | halves;
    } else {
        if (term->block == MN_BLOCKS_NOWHERE) {
            uint32_t single = term->first;
            size_t bytes = put_posting((single >> 8) + 1, (uint8_t)single, packed);

            if (!block_put(index, term, packed, bytes, 0))
                return false;
        }
        /* Dead rows have left `alive` and not the list: it may say less than there is. */
        size_t bytes = put_posting((uint32_t)row - term->last, halves, packed);
        if (!block_put(index, term, packed, bytes, index->terms.alive[number]))
            return false;
    }
    term->last = (uint32_t)row;
    if (halves > term->halves_max)
        term->halves_max = halves;
    return true;
}

static void fetch_block(const struct mn_blocks *pool, uint32_t block)
{
    const char *bytes = mn_blocks_at(pool, block);

    for (size_t i = 0; i < 256; i += 64)
        __builtin_prefetch(bytes + i);
}

void mn_text_walk_fetch(const struct mn_text_index *index, uint32_t number)
{
    const struct mn_text_term *term = &index->terms.item[number];

    if (term->block != MN_BLOCKS_NOWHERE)
        fetch_block(&index->pool, term->first);
}

void mn_text_walk_begin(const struct mn_text_index *index, uint32_t number,
                        struct mn_text_walk *ret_walk)
{
    const struct mn_text_term *term = &index->terms.item[number];

    ret_walk->pool = &index->pool;
    ret_walk->at = NULL;
    ret_walk->next = term->block == MN_BLOCKS_NOWHERE ? MN_BLOCKS_NOWHERE : term->first;
    ret_walk->row = UINT32_MAX; /* the first posting says row + 1 */
    ret_walk->single = term->block == MN_BLOCKS_NOWHERE ? term->first : 0;
    ret_walk->has_single = term->block == MN_BLOCKS_NOWHERE && term->halves_max;
}

/* To the next block; false at the end of the list. */
static bool enter_block(struct mn_text_walk *walk)
{
    if (walk->next == MN_BLOCKS_NOWHERE)
        return false;
    const uint8_t *block = mn_blocks_at(walk->pool, walk->next);
    memcpy(&walk->next, block, NEXT_BYTES);
    walk->at = block + NEXT_BYTES;
    if (walk->next != MN_BLOCKS_NOWHERE)
        fetch_block(walk->pool, walk->next);
    return true;
}

size_t mn_text_walk_next(struct mn_text_walk *walk)
{
    const uint8_t *at = walk->at;
    uint32_t row = walk->row;
    size_t count = 0;

    if (walk->has_single) {
        walk->has_single = false;
        walk->piece[0] = walk->single;
        return 1;
    }
    while (count < MN_TEXT_WALK_AT_ONCE) {
        if (!at || !*at) {
            if (!enter_block(walk))
                break;
            at = walk->at;
            continue;
        }
        uint32_t code = *at++, halves = MN_TEXT_HALVES_USUAL;
        if (code >= 0x80) {
            unsigned shift = 7;

            code &= 0x7f;
            for (; *at >= 0x80; shift += 7)
                code |= (uint32_t)(*at++ & 0x7f) << shift;
            code |= (uint32_t)*at++ << shift;
        }
        if (code & 1)
            halves = *at++;
        row += code >> 1;
        walk->piece[count++] = row << 8 | halves;
    }
    walk->at = at;
    walk->row = row;
    return count;
}

/* ---- rows ---- */

static bool row_room(struct mn_text_index *index)
{
    size_t room = more_room(index->room);

    if (index->count < index->room)
        return true;
    if (index->count >= MN_TEXT_ROWS_MAX || !grow(&index->length, room, sizeof *index->length) ||
        !grow(&index->forward, room, sizeof *index->forward))
        return false;
    index->room = room;
    return true;
}

/* A row's terms while they are packed. */
#define PACKED_AT_ONCE 256

struct packing {
    uint32_t here_term[PACKED_AT_ONCE];
    uint8_t here_halves[PACKED_AT_ONCE];
    uint32_t *term; /* here, or malloc'd with the halves behind */
    uint8_t *halves;
    uint32_t count;
};

static bool packing_begin(struct packing *p, size_t terms)
{
    p->count = 0;
    p->term = p->here_term;
    p->halves = p->here_halves;
    if (terms <= PACKED_AT_ONCE)
        return true;
    p->term = malloc(terms * (sizeof *p->term + sizeof *p->halves));
    p->halves = (uint8_t *)(p->term + terms);
    return p->term;
}

static void packing_put(struct packing *p, uint32_t term, uint8_t halves)
{
    p->term[p->count] = term;
    p->halves[p->count++] = halves;
}

enum { CODE_USUAL = 0, CODE_TWICE = 1, CODE_KEYWORD = 2, CODE_REST = 3 };

static const uint8_t HALVES_OF_CODE[] = {
    [CODE_USUAL] = MN_TEXT_HALVES_USUAL, [CODE_TWICE] = 4, [CODE_KEYWORD] = 3
};

static unsigned code_of(uint8_t halves)
{
    unsigned code = 0;

    while (code < CODE_REST && HALVES_OF_CODE[code] != halves)
        code++;
    return code;
}

static unsigned code_at(const uint8_t *codes, uint32_t i)
{
    return codes[i / 4] >> (i % 4 * 2) & 3;
}

uint8_t mn_text_forward_halves(const struct mn_text_forward *f, uint32_t i)
{
    unsigned code = code_at(f->code, i);
    size_t before = 0;

    if (code != CODE_REST)
        return HALVES_OF_CODE[code];
    for (uint32_t b = 0; b < i; b++)
        before += code_at(f->code, b) == CODE_REST;
    return f->rest[before];
}

/* Into the pool; MN_BLOCKS_NOWHERE when malloc fails. */
static uint32_t packing_keep(const struct packing *p, struct mn_text_index *index)
{
    uint32_t head = p->count;
    size_t rest = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        rest += code_of(p->halves[i]) == CODE_REST;
        if (p->term[i] > UINT16_MAX)
            head |= MN_TEXT_FORWARD_HIGH;
    }
    size_t bytes = sizeof head + p->count * (head & MN_TEXT_FORWARD_HIGH ? 3 : sizeof(uint16_t)) +
                   (p->count + 3) / 4 + rest;
    uint32_t address = mn_blocks_add(&index->pool, bytes);
    if (address == MN_BLOCKS_NOWHERE)
        return address;
    uint8_t *at = mn_blocks_at(&index->pool, address);
    memset(at, 0, bytes);
    memcpy(at, &head, sizeof head);
    uint16_t *low = (uint16_t *)(void *)(at + sizeof head);
    uint8_t *high = (uint8_t *)(low + p->count);
    uint8_t *code = head & MN_TEXT_FORWARD_HIGH ? high + p->count : high;
    uint8_t *other = code + (p->count + 3) / 4;
    for (uint32_t i = 0; i < p->count; i++) {
        unsigned how = code_of(p->halves[i]);

        low[i] = (uint16_t)p->term[i];
        if (code != high)
            high[i] = (uint8_t)(p->term[i] >> 16);
        code[i / 4] |= (uint8_t)(how << (i % 4 * 2));
        if (how == CODE_REST)
            *other++ = p->halves[i];
    }
    return address;
}

static void packing_release(struct packing *p)
{
    if (p->term != p->here_term)
        free(p->term);
}

static void count_row(struct mn_text_index *index, uint32_t forward, float length)
{
    bool is_turn = length < 0;

    index->forward[index->count] = forward;
    index->length[index->count++] = length;
    index->alive[is_turn]++;
    index->length_sum[is_turn] += (double)(is_turn ? -length - 1 : length);
}

/* Notes that the row to come has the term. */
static bool put_term(struct mn_text_index *index, struct packing *packing, uint32_t term,
                     uint8_t halves)
{
    if (term == UINT32_MAX || !posting_add(index, term, index->count, halves))
        return false;
    index->terms.alive[term]++;
    packing_put(packing, term, halves);
    return true;
}

static bool end_row(struct mn_text_index *index, struct packing *packing, float length, bool good)
{
    uint32_t forward = good ? packing_keep(packing, index) : MN_BLOCKS_NOWHERE;

    packing_release(packing);
    if (forward == MN_BLOCKS_NOWHERE)
        return false;
    count_row(index, forward, length);
    return true;
}

bool mn_text_index_add(struct mn_text_index *index, const struct mn_text_document *document)
{
    struct packing packing;
    bool good = true;

    if (!row_room(index) || !packing_begin(&packing, document->count))
        return false;
    for (size_t i = 0; good && i < document->count; i++)
        good = put_term(index, &packing, term_of(index, &document->item[i].term),
                        document->item[i].halves);
    return end_row(index, &packing,
                   document->is_turn ? -document->length - 1 : document->length, good);
}

void mn_text_index_remove(struct mn_text_index *index, size_t row)
{
    const struct mn_text_forward forward = mn_text_forward_of(index, row);
    bool is_turn = index->length[row] < 0;

    for (uint32_t i = 0; i < forward.count; i++)
        index->terms.alive[mn_text_forward_term(&forward, i)]--;
    index->alive[is_turn]--;
    index->length_sum[is_turn] -= (double)(is_turn ? -index->length[row] - 1 : index->length[row]);
}

/* ---- copying ---- */

#define BLOCK_BYTES_PACKED 32768 /* of a list that is known whole */

/* Postings on their way, with room for the longest list. */
struct list {
    uint8_t *at;
    size_t bytes;
};

/* The list of a term, without dead rows and with the rest renumbered. */
static void read_list(const struct mn_text_index *from, uint32_t number, const uint32_t *row_map,
                      struct list *list, struct mn_text_term *term)
{
    struct mn_text_walk walk;
    size_t count;

    list->bytes = 0;
    term->last = UINT32_MAX; /* the first posting says row + 1 */
    mn_text_walk_begin(from, number, &walk);
    while ((count = mn_text_walk_next(&walk)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint32_t row = row_map[walk.piece[i] >> 8];
            uint8_t halves = (uint8_t)walk.piece[i];

            if (row == UINT32_MAX)
                continue;
            term->first = row << 8 | halves;
            list->bytes += put_posting(row - term->last, halves, list->at + list->bytes);
            term->last = row;
            if (halves > term->halves_max)
                term->halves_max = halves;
        }
    }
}

/* Bytes of whole postings that fit into one block. */
static size_t piece_of(const struct list *list, size_t from)
{
    size_t at = from, whole = from;

    while (at < list->bytes) {
        uint8_t first = list->at[at];

        while (list->at[at] >= 0x80)
            at++;
        at += 1 + (first & 1);
        if (at - from > BLOCK_BYTES_PACKED)
            break;
        whole = at;
    }
    return whole - from;
}

/* As few blocks as it takes, without room behind. */
static bool keep_list(struct mn_text_index *index, struct mn_text_term *term,
                      const struct list *list)
{
    for (size_t at = 0; at < list->bytes;) {
        size_t bytes = piece_of(list, at);
        uint32_t block = mn_blocks_add(&index->pool, NEXT_BYTES + bytes + 1);

        if (block == MN_BLOCKS_NOWHERE)
            return false;
        uint8_t *to = mn_blocks_at(&index->pool, block);
        memset(to, 0, NEXT_BYTES);
        memcpy(to + NEXT_BYTES, list->at + at, bytes);
        to[NEXT_BYTES + bytes] = 0;
        if (at == 0)
            term->first = block;
        else
            memcpy(mn_blocks_at(&index->pool, term->block), &block, sizeof block);
        term->block = block;
        term->room = 0;
        at += bytes;
    }
    return true;
}

static bool copy_terms(const struct mn_text_index *from, const uint32_t *row_map, uint32_t *map,
                       struct list *list, struct mn_text_index *to)
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
        read_list(from, t, row_map, list, term);
        if (from->terms.alive[t] > 1 && !keep_list(to, term, list))
            return false;
    }
    return mn_dictionary_copy(&from->dictionary, map, &to->dictionary);
}

/* A row of `from` behind the rows of `to`. */
static bool copy_row(const struct mn_text_index *from, size_t row, const uint32_t *map,
                     struct mn_text_index *to)
{
    const struct mn_text_forward forward = mn_text_forward_of(from, row);
    const uint8_t *rest = forward.rest;
    struct packing packing;

    if (!row_room(to) || !packing_begin(&packing, forward.count))
        return false;
    for (uint32_t i = 0; i < forward.count; i++) {
        unsigned code = code_at(forward.code, i);

        packing_put(&packing, map[mn_text_forward_term(&forward, i)],
                    code == CODE_REST ? *rest++ : HALVES_OF_CODE[code]);
    }
    return end_row(to, &packing, from->length[row], true);
}

bool mn_text_index_copy(const struct mn_text_index *index, const uint32_t *row_map,
                        struct mn_text_index *ret_copy)
{
    struct mn_text_index copy = { 0 };
    uint32_t *map = malloc((index->terms.count + 1) * sizeof *map);
    struct list list = { malloc((index->count + 1) * POSTING_BYTES_MAX), 0 };
    bool good = map && list.at && copy_terms(index, row_map, map, &list, &copy);

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

size_t mn_text_index_bytes(const struct mn_text_index *index)
{
    return index->terms.room * (sizeof *index->terms.item + sizeof *index->terms.alive) +
           index->terms.slots * sizeof *index->terms.slot +
           mn_dictionary_bytes(&index->dictionary) + mn_blocks_bytes(&index->pool) +
           index->room * (sizeof *index->length + sizeof *index->forward);
}

void mn_text_index_release(struct mn_text_index *index)
{
    free(index->terms.item);
    free(index->terms.alive);
    free(index->terms.slot);
    mn_dictionary_release(&index->dictionary);
    mn_blocks_release(&index->pool);
    free(index->length);
    free(index->forward);
    memset(index, 0, sizeof *index);
}
