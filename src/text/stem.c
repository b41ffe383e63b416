/*
 * stem.c - Snowball's English stemmer, and a short memory of what it said.
 *
 * Stemming is two thirds of analysing an English text (300 ns a word), and words come again: each
 * thread keeps the last few hundred. What is kept is how many bytes of the word stay and what comes
 * behind them, so that most stems are slices of the word itself.
 */
#include "text/stem.h"

#include <string.h>

#include <libstemmer.h>

#include "base/hash.h"
#include "text/letters.h"

#define STEM_BYTES 24 /* longer words are no English */
#define STEMS_RECENT 1024

static bool all_latin(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!mn_letter_latin(text[i]) && text[i] != '\'')
            return false;
    }
    return true;
}

/* What a stem is: the first `kept` bytes of the word, then `more`. */
struct stem {
    char word[STEM_BYTES];
    unsigned char word_bytes; /* 0: empty */
    unsigned char kept;
    unsigned char more_bytes;
    char more[5];
};

/* Stemming is two thirds of the work, and the words of a store repeat: the last ones are kept. */
static _Thread_local struct stem recent[STEMS_RECENT];

static bool snowball(struct mn_stemmer *stemmer, struct mn_str word, struct stem *ret_stem)
{
    struct stem made = { .word_bytes = (unsigned char)word.bytes };
    const sb_symbol *stemmed = NULL;
    size_t bytes;
    size_t kept = 0;

    if (!stemmer->snowball)
        stemmer->snowball = sb_stemmer_new("english", NULL);
    if (stemmer->snowball)
        stemmed = sb_stemmer_stem(stemmer->snowball, (const sb_symbol *)word.at, (int)word.bytes);
    if (!stemmed)
        return false;
    bytes = (size_t)sb_stemmer_length(stemmer->snowball);
    while (kept < bytes && kept < word.bytes && stemmed[kept] == (sb_symbol)word.at[kept])
        kept++;
    if (bytes - kept > sizeof made.more) {
        kept = word.bytes; /* English has no such ending; the word stays whole */
        bytes = kept;
    }
    memcpy(made.word, word.at, word.bytes);
    made.kept = (unsigned char)kept;
    made.more_bytes = (unsigned char)(bytes - kept);
    if (bytes > kept)
        memcpy(made.more, stemmed + kept, bytes - kept);
    *ret_stem = made;
    return true;
}

struct mn_str mn_stemmer_stem(struct mn_stemmer *stemmer, struct mn_arena *arena,
                              struct mn_str word)
{
    struct stem *entry;
    char *copy;

    if (word.bytes < 3 || word.bytes > STEM_BYTES || !all_latin(word.at, word.bytes))
        return word;
    entry = &recent[mn_hash64(word.at, word.bytes, 0) % STEMS_RECENT];
    if ((entry->word_bytes != word.bytes || memcmp(entry->word, word.at, word.bytes) != 0) &&
        !snowball(stemmer, word, entry)) {
        stemmer->failed = true;
        return word;
    }
    if (entry->more_bytes == 0)
        return (struct mn_str){ word.at, entry->kept };
    copy = mn_arena_alloc(arena, (size_t)entry->kept + entry->more_bytes + 1);
    if (!copy) {
        stemmer->failed = true;
        return word;
    }
    memcpy(copy, word.at, entry->kept);
    memcpy(copy + entry->kept, entry->more, entry->more_bytes);
    return (struct mn_str){ copy, (size_t)entry->kept + entry->more_bytes };
}

void mn_stemmer_release(struct mn_stemmer *stemmer)
{
    if (stemmer->snowball)
        sb_stemmer_delete(stemmer->snowball);
    stemmer->snowball = NULL;
}
