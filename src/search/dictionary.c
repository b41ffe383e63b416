/*
 * dictionary.c - spellings by length, each with the set of its letters.
 *
 * Within d edits lengths differ by at most d and letter sets by at most 2 d bits (a replaced letter
 * takes one away and brings one), so that nearly all spellings are passed over by one comparison of
 * bits, and the edit distance is computed for a handful.
 *
 * Considered: an index of all spellings with one or two letters left out. Constant time, but some
 * fifty entries a word; the walk over a dictionary of 30,000 takes 50 to 120 microseconds, and is
 * made only for words that occur nowhere.
 */
#include "search/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "search/packed.h"

#define EDITS_TWO_FROM 8 /* letters */
#define ENTRIES_FIRST 8
#define GROWTH 8 /* room grows by an eighth */

static unsigned edits_allowed(size_t bytes)
{
    return bytes >= EDITS_TWO_FROM ? 2 : 1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Latin blocks end at U+024F: C9 8F in UTF-8. */
static bool is_latin(struct mn_str text)
{
    for (size_t i = 0; i < text.bytes; i++)
        if ((unsigned char)text.at[i] > 0xC9)
            return false;
    return true;
}

static bool has_digit(struct mn_str text)
{
    for (size_t i = 0; i < text.bytes; i++)
        if (is_digit(text.at[i]))
            return true;
    return false;
}

static bool is_held(const struct mn_term *term)
{
    return term->kind != MN_TERM_HAN && term->text.bytes >= MN_DICTIONARY_LETTERS_MIN &&
           term->text.bytes <= MN_DICTIONARY_LETTERS_MAX && is_latin(term->text);
}

bool mn_dictionary_may_ask(const struct mn_term *term)
{
    return is_held(term) && term->text.bytes >= MN_DICTIONARY_ASK_MIN &&
           (term->kind == MN_TERM_EXACT || !has_digit(term->text));
}

static uint32_t letters_of(struct mn_str text)
{
    uint32_t letters = 0;

    for (size_t i = 0; i < text.bytes; i++)
        letters |= UINT32_C(1) << ((unsigned char)text.at[i] & 31);
    return letters;
}

static bool grow(void *column, size_t room, size_t bytes)
{
    void *grown = realloc(*(void **)column, room * bytes);

    if (!grown)
        return false;
    *(void **)column = grown;
    return true;
}

static bool add(struct mn_dictionary *d, struct mn_str text, uint32_t letters, uint32_t number)
{
    size_t bytes = text.bytes, count = d->of_length[bytes].count;

    if (count == d->of_length[bytes].room) {
        size_t room = count + count / GROWTH + ENTRIES_FIRST;

        if (!grow(&d->of_length[bytes].letters, room, sizeof(uint32_t)) ||
            !grow(&d->of_length[bytes].term, room, sizeof(uint32_t)) ||
            !grow(&d->of_length[bytes].text, room, bytes))
            return false;
        d->of_length[bytes].room = room;
    }
    d->of_length[bytes].letters[count] = letters;
    d->of_length[bytes].term[count] = number;
    memcpy(d->of_length[bytes].text + count * bytes, text.at, bytes);
    d->of_length[bytes].count++;
    return true;
}

bool mn_dictionary_add(struct mn_dictionary *d, const struct mn_term *term, uint32_t number)
{
    return !is_held(term) || add(d, term->text, letters_of(term->text), number);
}

static bool same_digits(struct mn_str a, struct mn_str b)
{
    size_t i = 0, j = 0;

    for (;;) {
        while (i < a.bytes && !is_digit(a.at[i]))
            i++;
        while (j < b.bytes && !is_digit(b.at[j]))
            j++;
        if (i == a.bytes || j == b.bytes)
            return i == a.bytes && j == b.bytes;
        if (a.at[i++] != b.at[j++])
            return false;
    }
}

static bool farther(const struct mn_dictionary_match *a, const struct mn_dictionary_match *b)
{
    size_t bytes = a->text.bytes < b->text.bytes ? a->text.bytes : b->text.bytes;

    if (a->distance != b->distance)
        return a->distance > b->distance;
    int order = memcmp(a->text.at, b->text.at, bytes);
    return order ? order > 0 : a->text.bytes > b->text.bytes;
}

/* Keeps the matches in order; the last falls out when there is no room. */
static void keep(struct mn_dictionary_match *match, size_t *count, size_t room,
                 struct mn_dictionary_match found)
{
    size_t at = *count;

    while (at > 0 && farther(&match[at - 1], &found))
        at--;
    if (at >= room)
        return;
    size_t behind = (*count < room ? *count : room - 1) - at;
    memmove(&match[at + 1], &match[at], behind * sizeof *match);
    match[at] = found;
    if (*count < room)
        ++*count;
}

/* At most two bits an edit? Each step takes the lowest bit away. */
static inline bool differ_little(uint32_t a, uint32_t b, unsigned edits)
{
    uint32_t bits = a ^ b;

    bits &= bits - 1;
    bits &= bits - 1;
    if (edits > 1) {
        bits &= bits - 1;
        bits &= bits - 1;
    }
    return !bits;
}

size_t mn_dictionary_find(const struct mn_dictionary *d, struct mn_str text,
                          bool (*in_use)(const void *context, uint32_t term), const void *context,
                          struct mn_dictionary_match *ret_match, size_t room)
{
    unsigned edits = edits_allowed(text.bytes);
    uint32_t letters = letters_of(text);
    size_t from = text.bytes > edits ? text.bytes - edits : 0, count = 0;

    for (size_t bytes = from; bytes <= text.bytes + edits && bytes <= MN_DICTIONARY_LETTERS_MAX;
         bytes++) {
        const uint32_t *letters_held = d->of_length[bytes].letters;

        for (size_t i = 0; i < d->of_length[bytes].count; i++) {
            if (!differ_little(letters_held[i], letters, edits))
                continue;
            struct mn_str held = { d->of_length[bytes].text + i * bytes, bytes };
            uint32_t term = d->of_length[bytes].term[i];
            unsigned distance = mn_text_distance(text, held, edits);

            if (distance <= edits && same_digits(text, held) && in_use(context, term))
                keep(ret_match, &count, room,
                     (struct mn_dictionary_match){ term, distance, held });
        }
    }
    return count;
}

size_t mn_dictionary_begun(const struct mn_dictionary *d, struct mn_str text,
                           bool (*in_use)(const void *context, uint32_t term), const void *context,
                           struct mn_dictionary_match *ret_match, size_t room)
{
    size_t count = 0;

    for (size_t bytes = text.bytes + 1; bytes <= MN_DICTIONARY_LETTERS_MAX; bytes++) {
        for (size_t i = 0; i < d->of_length[bytes].count; i++) {
            struct mn_str held = { d->of_length[bytes].text + i * bytes, bytes };
            uint32_t term = d->of_length[bytes].term[i];
            unsigned missing = (unsigned)(bytes - text.bytes);

            if (memcmp(held.at, text.at, text.bytes) != 0 ||
                (is_digit(held.at[text.bytes]) && is_digit(held.at[text.bytes - 1])))
                continue;
            if (in_use(context, term))
                keep(ret_match, &count, room, (struct mn_dictionary_match){ term, missing, held });
        }
        if (count == room)
            break; /* longer ones stand behind */
    }
    return count;
}

bool mn_dictionary_copy(const struct mn_dictionary *d, const uint32_t *map,
                        struct mn_dictionary *ret_copy)
{
    struct mn_dictionary copy = { 0 };

    for (size_t l = 0; l <= MN_DICTIONARY_LETTERS_MAX; l++) {
        for (size_t i = 0; i < d->of_length[l].count; i++) {
            uint32_t term = map[d->of_length[l].term[i]];
            struct mn_str text = { d->of_length[l].text + i * l, l };

            if (term == UINT32_MAX || add(&copy, text, d->of_length[l].letters[i], term))
                continue;
            mn_dictionary_release(&copy);
            return false;
        }
    }
    *ret_copy = copy;
    return true;
}

void mn_dictionary_save(const struct mn_dictionary *d, struct mn_buf *out)
{
    for (size_t l = MN_DICTIONARY_LETTERS_MIN; l <= MN_DICTIONARY_LETTERS_MAX; l++) {
        mn_packed_put_number(out, d->of_length[l].count);
        mn_buf_put(out, d->of_length[l].text, d->of_length[l].count * l);
        mn_buf_put(out, d->of_length[l].term, d->of_length[l].count * sizeof(uint32_t));
    }
}

bool mn_dictionary_load(struct mn_dictionary *d, struct mn_packed *in, uint32_t terms)
{
    for (size_t l = MN_DICTIONARY_LETTERS_MIN; l <= MN_DICTIONARY_LETTERS_MAX; l++) {
        size_t count = mn_packed_count(in, l + sizeof(uint32_t));
        const char *text = mn_packed_bytes(in, count * l);

        for (size_t i = 0; i < count; i++) {
            struct mn_str one = { text + i * l, l };
            uint32_t term;

            mn_packed_copy(in, &term, sizeof term);
            if (in->bad || term >= terms || !add(d, one, letters_of(one), term))
                return false;
        }
    }
    return !in->bad;
}

size_t mn_dictionary_bytes(const struct mn_dictionary *d)
{
    size_t bytes = 0;

    for (size_t l = 0; l <= MN_DICTIONARY_LETTERS_MAX; l++)
        bytes += d->of_length[l].room * (2 * sizeof(uint32_t) + l);
    return bytes;
}

void mn_dictionary_release(struct mn_dictionary *d)
{
    for (size_t l = 0; l <= MN_DICTIONARY_LETTERS_MAX; l++) {
        free(d->of_length[l].letters);
        free(d->of_length[l].term);
        free(d->of_length[l].text);
    }
    memset(d, 0, sizeof *d);
}
