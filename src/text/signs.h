/*
 * signs.h - what a text says with marks instead of words.
 */
#ifndef MN_TEXT_SIGNS_H
#define MN_TEXT_SIGNS_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Two texts with other signs do not say the same, however alike their words. Both strings are in
 * the arena, NULL when it is full.
 *
 * mark   operators, minus, percent, arrows, emoji and other symbols, in order, one spelling each:
 *        "−5" and "零下5" hold "-", "≥" and ">=" hold ">=". Punctuation of prose is left out.
 * cased  words that case alone tells apart: the US from us, Mb from MB, mW from MW
 */
struct mn_signs {
    const char *mark;
    const char *cased;
};

/* `cased` as mn_fold_cased() makes it (fold.h). */
struct mn_signs mn_signs_read(struct mn_arena *arena, struct mn_str cased);

#endif
