/*
 * orders_words.c - words, and on which lists they stand.
 *
 * Each word is looked up once in one table. Letters that stand apart are joined first and cut into
 * the words that matter, and so is what was run together; digits and marks are taken for letters
 * where a listed word results.
 */
#include "text/orders_words.h"

#include <pthread.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "text/letters.h"
#include "text/orders_read.h"

#define SPELLED_MIN 4 /* letters apart that make a word */
#define SLOTS 1024
#define BEGINNINGS 1024

/* ---- the lists ---- */

/* Built at the first look-up. */
static struct {
    pthread_once_t once;
    struct {
        struct mn_str word; /* .at NULL: empty */
        uint64_t lists;
    } slot[SLOTS];
    uint32_t lengths[BEGINNINGS]; /* by the first two characters: which lengths there are, as bits */
} table = { .once = PTHREAD_ONCE_INIT };

/* Most words are on no list and known by this: no listed one of their length begins as they do. */
static size_t beginning_of(struct mn_str word)
{
    unsigned second = word.bytes > 1 ? (unsigned char)word.at[1] & 31 : 0;

    return ((unsigned char)word.at[0] & 31U) << 5 | second;
}

static size_t slot_of(struct mn_str word)
{
    size_t slot = mn_hash64(word.at, word.bytes, 0) % SLOTS;

    while (table.slot[slot].word.at && !mn_str_equal(table.slot[slot].word, word))
        slot = (slot + 1) % SLOTS;
    return slot;
}

static void build(void)
{
    for (size_t i = 0; i < mn_orders_english_list_count; i++) {
        for (const char *at = mn_orders_english_list[i].words; *at;) {
            struct mn_str word = { at, strcspn(at, " ") };
            size_t slot = slot_of(word);

            table.slot[slot].word = word;
            table.slot[slot].lists |= mn_orders_english_list[i].list;
            table.lengths[beginning_of(word)] |= UINT32_C(1) << word.bytes;
            at += word.bytes;
            at += *at == ' ';
        }
    }
}

static uint64_t lists_of(struct mn_str word)
{
    if (word.bytes == 0 || word.bytes > MN_ORDERS_WORD_BYTES_MAX ||
        !(table.lengths[beginning_of(word)] >> word.bytes & 1))
        return 0;
    return table.slot[slot_of(word)].lists;
}

/* ---- one word ---- */

/* The letter that a digit or mark stands for, in two ways; '\0': it stands for none. */
static char stood_for(char c, size_t way)
{
    switch (c) {
    case '0':
        return 'o';
    case '1':
        return way == 0 ? 'i' : 'l';
    case '3':
        return 'e';
    case '4':
    case '@':
        return 'a';
    case '5':
    case '$':
        return 's';
    case '7':
        return 't';
    default:
        return '\0';
    }
}

/* 1gnore, pr0mpt, ru1es, $ystem: digits and marks for letters. False: no listed word results. */
static bool undisguise(struct mn_str word, char *out)
{
    if (word.bytes > MN_ORDERS_WORD_BYTES_MAX)
        return false;
    for (size_t way = 0; way < 2; way++) {
        size_t replaced = 0;

        for (size_t i = 0; i < word.bytes; i++) {
            char letter = mn_letter_lower(word.at[i]) ? '\0' : stood_for(word.at[i], way);

            out[i] = letter ? letter : word.at[i];
            replaced += letter != '\0';
        }
        if (replaced == 0 || replaced == word.bytes)
            return false;
        if (lists_of((struct mn_str){ out, word.bytes }) != 0)
            return true;
    }
    return false;
}

uint64_t mn_orders_english_lists(struct mn_str word)
{
    char plain[MN_ORDERS_WORD_BYTES_MAX];
    uint64_t lists;

    (void)pthread_once(&table.once, build);
    lists = lists_of(word);
    if (lists == 0 && undisguise(word, plain))
        lists = lists_of((struct mn_str){ plain, word.bytes });
    return lists;
}

/* ---- the words of a text ---- */

static void add(struct mn_orders_words *words, struct mn_str text)
{
    struct mn_orders_word *word = mn_array_add(words->arena, words);
    char plain[MN_ORDERS_WORD_BYTES_MAX];

    if (!word) {
        words->failed = true;
        return;
    }
    word->text = text;
    word->lists = lists_of(text);
    if (word->lists == 0 && undisguise(text, plain)) {
        word->text.at = mn_arena_copy_n(words->arena, plain, text.bytes);
        words->failed = words->failed || !word->text.at;
        word->lists = lists_of((struct mn_str){ plain, text.bytes });
    }
}

/* The longest listed word at the front of joined letters; 0 for none. */
static size_t listed_front(struct mn_str letters)
{
    size_t most = MN_ORDERS_WORD_BYTES_MAX;
    size_t taken = letters.bytes < most ? letters.bytes : most;

    while (taken > 2 && !lists_of((struct mn_str){ letters.at, taken }))
        taken--;
    return taken > 2 ? taken : 0;
}

/* Letters that stood apart, joined: cut into the words that matter here, the rest letter by letter.
 */
static void add_spelled(struct mn_orders_words *words, struct mn_str letters)
{
    while (letters.bytes > 0) {
        size_t taken = listed_front(letters);

        if (taken == 0)
            taken = 1;
        add(words, (struct mn_str){ letters.at, taken });
        letters.at += taken;
        letters.bytes -= taken;
    }
}

/* ignorepreviousinstructions: nothing but listed words. */
static bool run_together(struct mn_str word)
{
    if (word.bytes <= MN_ORDERS_WORD_BYTES_MAX)
        return false;
    while (word.bytes > 0) {
        size_t taken = listed_front(word);

        if (taken == 0)
            return false;
        word.at += taken;
        word.bytes -= taken;
    }
    return true;
}

static bool in_word(const char *at)
{
    return mn_letter_plain(*at) || ((*at == '@' || *at == '$') && mn_letter_plain(at[1]));
}

static size_t word_bytes(const char *at)
{
    size_t bytes = 0;

    while (in_word(at + bytes) ||
           (bytes > 0 && (at[bytes] == '\'' || at[bytes] == '-') && mn_letter_plain(at[bytes + 1])))
        bytes++;
    return bytes;
}

/* A word as it is, or in its parts where only these are listed: ignore-previous-instructions. */
static void add_parts(struct mn_orders_words *words, struct mn_str word)
{
    const char *hyphen = memchr(word.at, '-', word.bytes);

    if (run_together(word)) {
        add_spelled(words, word);
    } else if (!hyphen || lists_of(word) != 0) {
        add(words, word);
    } else {
        size_t head = (size_t)(hyphen - word.at);

        if (head > 0)
            add_parts(words, (struct mn_str){ word.at, head });
        add_parts(words, (struct mn_str){ hyphen + 1, word.bytes - head - 1 });
    }
}

/* Letters that stand alone, each with one mark or space behind it: how many, and the bytes read. */
static size_t spelled(const char *at, char *letters, size_t *ret_bytes)
{
    size_t count = 0;
    size_t i = 0;

    while (mn_letter_latin(at[i]) && !mn_letter_plain(at[i + 1])) {
        letters[count++] = at[i++];
        *ret_bytes = i;
        if (at[i] == '\0' || !strchr(" .-_*+|/~", at[i]) || !mn_letter_latin(at[i + 1]))
            break;
        i++;
    }
    return count;
}

static bool is_mark(const char *at)
{
    return strchr("!?;", *at) != NULL || (*at == '.' && !mn_letter_plain(at[1])) ||
           (unsigned char)*at >= 0x80;
}

void mn_orders_words_read(const char *text, struct mn_orders_words *words)
{
    char *letters = mn_arena_alloc(words->arena, strlen(text) + 1);

    (void)pthread_once(&table.once, build);
    words->failed = !letters;
    for (const char *at = text; *at && !words->failed;) {
        size_t bytes = word_bytes(at);
        size_t read = 0;
        size_t count = bytes > 0 && !mn_letter_plain(at[1]) ? spelled(at, letters, &read) : 0;

        if (count >= SPELLED_MIN) {
            add_spelled(words, (struct mn_str){ letters, count });
            letters += count;
            at += read;
        } else if (bytes > 0) {
            add_parts(words, (struct mn_str){ at, bytes });
            at += bytes;
        } else {
            if (*at == ',')
                add(words, MN_STR(","));
            else if (is_mark(at) &&
                     (words->count == 0 || words->item[words->count - 1].text.at[0] != '.'))
                add(words, MN_STR("."));
            at++;
        }
    }
}
