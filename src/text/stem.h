/*
 * stem.h - the stem of an English word.
 */
#ifndef MN_TEXT_STEM_H
#define MN_TEXT_STEM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct mn_stemmer {
    struct sb_stemmer *snowball; /* made for the first word that needs it */
    bool failed;                 /* no memory; the words came back whole */
};

/* The stem of a folded word, a slice of it or in the arena; the word itself where English has
 * nothing to say about it. */
struct mn_str mn_stemmer_stem(struct mn_stemmer *stemmer, struct mn_arena *arena,
                              struct mn_str word);
void mn_stemmer_release(struct mn_stemmer *stemmer);

#endif
