/*
 * sweep.c - one pass over the bytes, whatever the number of things looked for.
 *
 * Bytes are cut into words and Han characters; anything that cannot stand in a text ends the
 * sequence. At every word the sequence that ends there is hashed and looked up. Things looked for as
 * they are are found by their last eight bytes: a table says which lengths end so, then the whole is
 * hashed. Both kinds share one table of hashes, each with a mark whether it was found.
 *
 * Considered: searching for the whole texts. A page that was split, or a record that goes on in
 * another page, tears them; sequences survive that, and show what is left of a text of which the
 * rest is gone.
 */
#include "lifecycle/sweep.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define WORD_WEIGHT 8
#define HAN_WEIGHT 5
#define SEQUENCE_WEIGHT 40 /* five words, eight Han characters */
#define TOKENS_MAX 8
#define BETWEEN_BYTES_MAX 16
#define TAIL_BYTES 8

#define PRIME_A UINT64_C(0x9e3779b97f4a7c15)
#define PRIME_B UINT64_C(0xd6e8feb86659fd93)

/* Of a thing the lowest bits; the rest of it is the hash. */
#define TAKEN UINT64_C(1) /* the slot is not free */
#define FOUND UINT64_C(2)
#define EXACT UINT64_C(4) /* as it is, no sequence */

struct tail {
    uint64_t bytes;
    size_t length; /* 0: free */
};

struct mn_sweep {
    uint64_t *thing;     /* hashes */
    uint8_t *thing_hint; /* eight bits a slot: may it be there? Small enough for the cache */
    size_t thing_room;   /* powers of two */
    size_t thing_count;
    struct tail *tail;
    uint8_t *tail_hint;
    size_t tail_room;
    size_t tail_count;
    size_t found;
    size_t found_exact; /* of these */
};

enum mode { ADD, LOOK, EXCUSE };

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= PRIME_A;
    x ^= x >> 29;
    x *= PRIME_B;
    return x ^ (x >> 32);
}

/* ---- the table of hashes ---- */

/* The room has eight bits a slot. */
static uint64_t hint_bit(uint64_t hash, size_t room)
{
    return (hash * PRIME_A >> 20) & (room * 8 - 1);
}

static void set_hint(uint8_t *hint, size_t room, uint64_t hash)
{
    uint64_t bit = hint_bit(hash, room);

    hint[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

static bool has_hint(const uint8_t *hint, size_t room, uint64_t hash)
{
    uint64_t bit = hint_bit(hash, room);

    return hint[bit >> 3] & (1u << (bit & 7));
}

/* hash: as it is kept. The slot it is in, or the free one where it belongs. */
static uint64_t *find_thing(uint64_t *thing, size_t room, uint64_t hash)
{
    size_t at = (size_t)(hash >> 3) & (room - 1);

    while (thing[at] && (thing[at] | FOUND) != (hash | FOUND))
        at = (at + 1) & (room - 1);
    return &thing[at];
}

static bool grow_things(struct mn_sweep *sweep)
{
    size_t room = sweep->thing_room * 4;
    uint64_t *thing = calloc(room, sizeof *thing);
    uint8_t *hint = calloc(room, 1);

    if (!thing || !hint) {
        free(thing);
        free(hint);
        return false;
    }
    for (size_t i = 0; i < sweep->thing_room; i++)
        if (sweep->thing[i]) {
            *find_thing(thing, room, sweep->thing[i]) = sweep->thing[i];
            set_hint(hint, room, sweep->thing[i] & ~FOUND);
        }
    free(sweep->thing);
    free(sweep->thing_hint);
    sweep->thing = thing;
    sweep->thing_hint = hint;
    sweep->thing_room = room;
    return true;
}

/* False only when adding fails. */
static bool meet(struct mn_sweep *sweep, uint64_t hash, uint64_t exact, enum mode mode)
{
    uint64_t *thing;

    hash = (hash & ~(FOUND | EXACT)) | exact | TAKEN;
    if (mode == ADD) {
        if (2 * (sweep->thing_count + 1) > sweep->thing_room && !grow_things(sweep))
            return false;
        thing = find_thing(sweep->thing, sweep->thing_room, hash);
        sweep->thing_count += *thing == 0;
        *thing = hash;
        set_hint(sweep->thing_hint, sweep->thing_room, hash);
        return true;
    }
    if (!has_hint(sweep->thing_hint, sweep->thing_room, hash))
        return true;
    thing = find_thing(sweep->thing, sweep->thing_room, hash);
    if (*thing && !(*thing & FOUND) == (mode == LOOK)) {
        size_t step = mode == LOOK ? 1 : (size_t)-1;

        *thing ^= FOUND;
        sweep->found += step;
        sweep->found_exact += exact ? step : 0;
    }
    return true;
}

/* ---- sequences ---- */

struct sequence {
    uint64_t token[TOKENS_MAX]; /* a ring */
    uint8_t weight[TOKENS_MAX];
    size_t count;
    size_t between; /* bytes since the last token */
};

static bool put_token(struct mn_sweep *sweep, struct sequence *s, uint64_t token, uint8_t weight,
                      enum mode mode)
{
    uint64_t hash = PRIME_B;
    unsigned sum = 0;

    s->token[s->count % TOKENS_MAX] = token;
    s->weight[s->count % TOKENS_MAX] = weight;
    s->count++;
    s->between = 0;
    for (size_t back = 1; back <= s->count && back <= TOKENS_MAX; back++) {
        size_t at = (s->count - back) % TOKENS_MAX;

        hash = mix(hash ^ s->token[at]);
        sum += s->weight[at];
        if (sum >= SEQUENCE_WEIGHT)
            return meet(sweep, hash, 0, mode);
    }
    return true;
}

enum piece { PIECE_WORD, PIECE_HAN, PIECE_BETWEEN, PIECE_NONE };

static enum piece piece_of(int32_t c)
{
    if (c < 0)
        return PIECE_NONE;
    if (c < 0x80) {
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            return PIECE_WORD;
        return c >= ' ' && c != 0x7f ? PIECE_BETWEEN
               : c == '\n' || c == '\t' || c == '\r' ? PIECE_BETWEEN
                                                     : PIECE_NONE;
    }
    if ((c >= 0x3400 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || c >= 0x20000)
        return PIECE_HAN;
    if (c < 0xc0 || (c >= 0x2000 && c <= 0x206f) || (c >= 0x3000 && c <= 0x303f) ||
        (c >= 0xff00 && c <= 0xff0f) || (c >= 0xff1a && c <= 0xff20))
        return c < 0xa0 ? PIECE_NONE : PIECE_BETWEEN;
    return PIECE_WORD;
}

/* False: out of memory. */
static bool run_sequences(struct mn_sweep *sweep, const char *bytes, size_t count, enum mode mode)
{
    struct sequence s = { .count = 0 };
    uint64_t word = 0;
    bool in_word = false;

    for (size_t at = 0; at <= count;) {
        size_t from = at;
        int32_t c = -1;
        enum piece piece;

        if (at == count)
            at++; /* ends the last word */
        else if ((unsigned char)bytes[at] < 0x80)
            c = bytes[at++];
        else
            c = mn_utf8_next(bytes, count, &at);
        piece = piece_of(c);
        if (piece == PIECE_WORD) {
            word = (in_word ? word : PRIME_A) * PRIME_B + (uint64_t)c;
            in_word = true;
            continue;
        }
        if (in_word && !put_token(sweep, &s, word, WORD_WEIGHT, mode))
            return false;
        in_word = false;
        if (piece == PIECE_HAN) {
            if (!put_token(sweep, &s, (uint64_t)c * PRIME_A, HAN_WEIGHT, mode))
                return false;
        } else {
            s.between += at - from;
            if (piece == PIECE_NONE || s.between > BETWEEN_BYTES_MAX)
                s.count = 0;
        }
    }
    return true;
}

/* ---- as they are ---- */

static uint64_t tail_at(const char *end)
{
    uint64_t tail;

    memcpy(&tail, end - TAIL_BYTES, sizeof tail);
    return tail;
}

static struct tail *find_tail(struct tail *tail, size_t room, uint64_t bytes, size_t length)
{
    size_t at = (size_t)mix(bytes) & (room - 1);

    while (tail[at].length && (tail[at].bytes != bytes || tail[at].length != length))
        at = (at + 1) & (room - 1);
    return &tail[at];
}

static bool grow_tails(struct mn_sweep *sweep)
{
    size_t room = sweep->tail_room * 2;
    struct tail *tail = calloc(room, sizeof *tail);
    uint8_t *hint = calloc(room, 1);

    if (!tail || !hint) {
        free(tail);
        free(hint);
        return false;
    }
    for (size_t i = 0; i < sweep->tail_room; i++)
        if (sweep->tail[i].length) {
            *find_tail(tail, room, sweep->tail[i].bytes, sweep->tail[i].length) = sweep->tail[i];
            set_hint(hint, room, sweep->tail[i].bytes);
        }
    free(sweep->tail);
    free(sweep->tail_hint);
    sweep->tail = tail;
    sweep->tail_hint = hint;
    sweep->tail_room = room;
    return true;
}

bool mn_sweep_add_exact(struct mn_sweep *sweep, struct mn_str bytes)
{
    struct tail *place;
    uint64_t tail;

    if (bytes.bytes < MN_SWEEP_BYTES_MIN)
        return true;
    if (2 * (sweep->tail_count + 1) > sweep->tail_room && !grow_tails(sweep))
        return false;
    tail = tail_at(bytes.at + bytes.bytes);
    place = find_tail(sweep->tail, sweep->tail_room, tail, bytes.bytes);
    sweep->tail_count += place->length == 0;
    *place = (struct tail){ tail, bytes.bytes };
    set_hint(sweep->tail_hint, sweep->tail_room, tail);
    return meet(sweep, mn_hash64(bytes.at, bytes.bytes, PRIME_A), EXACT, ADD);
}

static void run_exact(struct mn_sweep *sweep, const char *bytes, size_t count, enum mode mode)
{
    if (sweep->tail_count == 0)
        return;
    for (size_t end = TAIL_BYTES; end <= count; end++) {
        uint64_t tail = tail_at(bytes + end);

        if (!has_hint(sweep->tail_hint, sweep->tail_room, tail))
            continue;
        for (size_t at = (size_t)mix(tail) & (sweep->tail_room - 1); sweep->tail[at].length;
             at = (at + 1) & (sweep->tail_room - 1)) {
            size_t length = sweep->tail[at].length;

            if (sweep->tail[at].bytes == tail && length <= end)
                (void)meet(sweep, mn_hash64(bytes + end - length, length, PRIME_A), EXACT, mode);
        }
    }
}

/* ---- the sweep ---- */

#define ROOM_MIN 1024

struct mn_sweep *mn_sweep_new(void)
{
    struct mn_sweep *sweep = calloc(1, sizeof *sweep);

    if (!sweep)
        return NULL;
    sweep->thing_room = ROOM_MIN;
    sweep->tail_room = ROOM_MIN;
    sweep->thing = calloc(ROOM_MIN, sizeof *sweep->thing);
    sweep->tail = calloc(ROOM_MIN, sizeof *sweep->tail);
    sweep->thing_hint = calloc(ROOM_MIN, 1);
    sweep->tail_hint = calloc(ROOM_MIN, 1);
    if (!sweep->thing || !sweep->tail || !sweep->thing_hint || !sweep->tail_hint) {
        mn_sweep_free(sweep);
        return NULL;
    }
    return sweep;
}

void mn_sweep_free(struct mn_sweep *sweep)
{
    if (!sweep)
        return;
    free(sweep->thing);
    free(sweep->thing_hint);
    free(sweep->tail);
    free(sweep->tail_hint);
    free(sweep);
}

void mn_sweep_free_at(struct mn_sweep **sweep)
{
    mn_sweep_free(*sweep);
    *sweep = NULL;
}

bool mn_sweep_add_text(struct mn_sweep *sweep, struct mn_str text)
{
    if (!run_sequences(sweep, text.at, text.bytes, ADD))
        return false;
    return mn_sweep_add_exact(sweep, text); /* in a row its ends touch other texts */
}

size_t mn_sweep_count(const struct mn_sweep *sweep)
{
    return sweep->thing_count;
}

/* Freed pages are zeros, and there are many of them. */
static bool is_zero(const char *bytes, size_t count)
{
    return count > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

void mn_sweep_look(struct mn_sweep *sweep, const void *bytes, size_t count)
{
    if (is_zero(bytes, count))
        return;
    (void)run_sequences(sweep, bytes, count, LOOK);
    run_exact(sweep, bytes, count, LOOK);
}

void mn_sweep_excuse(struct mn_sweep *sweep, const void *bytes, size_t count)
{
    if (sweep->found == 0)
        return;
    (void)run_sequences(sweep, bytes, count, EXCUSE);
    if (sweep->found_exact > 0)
        run_exact(sweep, bytes, count, EXCUSE);
}

void mn_sweep_excuse_kept(void *sweep, const struct mn_kept_text *kept)
{
    mn_sweep_excuse(sweep, kept->text.at, kept->text.bytes);
    mn_sweep_excuse(sweep, kept->tenant, strlen(kept->tenant));
    mn_sweep_excuse(sweep, kept->owner, strlen(kept->owner));
}

size_t mn_sweep_found(const struct mn_sweep *sweep)
{
    return sweep->found;
}

void mn_sweep_forget_found(struct mn_sweep *sweep)
{
    for (size_t i = 0; i < sweep->thing_room; i++)
        sweep->thing[i] &= ~FOUND;
    sweep->found = 0;
    sweep->found_exact = 0;
}
