/*
 * dictionary.h - the spellings an index holds, to find the one that a mistyped word meant, or those
 * that begin with it.
 *
 * Words of Latin letters and identifiers only: a Chinese typo is another character, which the
 * single characters around it already make up for.
 */
#ifndef MN_SEARCH_DICTIONARY_H
#define MN_SEARCH_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "text/analyze.h"

#define MN_DICTIONARY_LETTERS_MIN 4  /* held from here on ... */
#define MN_DICTIONARY_LETTERS_MAX 64 /* ... to here; bytes */
#define MN_DICTIONARY_ASK_MIN 5      /* a shorter word is never taken for a typo */

struct mn_dictionary {
    struct {
        uint32_t *letters; /* which occur, one bit each (mod 32) */
        uint32_t *term;
        char *text; /* behind each other: all of this length */
        size_t count;
        size_t room;
    } of_length[MN_DICTIONARY_LETTERS_MAX + 1];
};

struct mn_packed;

struct mn_dictionary_match {
    uint32_t term;
    unsigned distance; /* edits; of what begins so: letters that are missing */
    struct mn_str text; /* in the dictionary */
};

/* Whether a request's term may be a typo of another: long enough, Latin, a word or an identifier.
 */
bool mn_dictionary_may_ask(const struct mn_term *term);

/* Adds the spelling of a new term if it is one that is held. False when malloc fails. */
bool mn_dictionary_add(struct mn_dictionary *dictionary, const struct mn_term *term,
                       uint32_t number);

/*
 * Spellings within one edit of the text, two from eight letters on, with the same digits and in
 * use; the nearest first, of equals by their bytes, at most `room`. A digit is never guessed:
 * another version is another thing.
 */
size_t mn_dictionary_find(const struct mn_dictionary *dictionary, struct mn_str text,
                          bool (*in_use)(const void *context, uint32_t term), const void *context,
                          struct mn_dictionary_match *ret_match, size_t room);

/*
 * Spellings that the text begins and that are in use; the shortest first, of equals by their bytes,
 * at most `room`. A number is not gone on with: version 3.1 is not 3.14.
 */
size_t mn_dictionary_begun(const struct mn_dictionary *dictionary, struct mn_str text,
                           bool (*in_use)(const void *context, uint32_t term), const void *context,
                           struct mn_dictionary_match *ret_match, size_t room);

/* The spellings of terms that stay, as a new dictionary: term t becomes map[t], UINT32_MAX leaves.
 * False when malloc fails. */
bool mn_dictionary_copy(const struct mn_dictionary *dictionary, const uint32_t *map,
                        struct mn_dictionary *ret_copy);

/* In a segment; loaded into a dictionary that is empty, of terms below `terms`. False: it is none,
 * or malloc fails. */
void mn_dictionary_save(const struct mn_dictionary *dictionary, struct mn_buf *out);
bool mn_dictionary_load(struct mn_dictionary *dictionary, struct mn_packed *in, uint32_t terms);

size_t mn_dictionary_bytes(const struct mn_dictionary *dictionary);
void mn_dictionary_release(struct mn_dictionary *dictionary);

#endif
