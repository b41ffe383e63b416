/*
 * compare.h - do two texts say the same, or the opposite?
 *
 * Pure. A vector only nominates; these rules decide.
 */
#ifndef MN_TEXT_COMPARE_H
#define MN_TEXT_COMPARE_H

#include <stdbool.h>

#include "base/arena.h"

enum mn_likeness {
    MN_LIKENESS_NONE = 0,  /* about different things, or too different to say */
    MN_LIKENESS_IDENTICAL, /* equal once folded and without white space */
    MN_LIKENESS_REWORDED,  /* nothing is left over on both sides; same numbers, names, negations,
                              identifiers, signs in the same order */
    MN_LIKENESS_RIVAL      /* alike, but a number, negation, identifier, name, sign or opposite
                              differs; also where only a case or a raised digit differs that
                              tells: US and us, 5² and 52 */
};

/* MN_LIKENESS_NONE also when the arena is full: never a merge by accident. */
enum mn_likeness mn_text_likeness(struct mn_arena *arena, const char *a, const char *b);

/*
 * The folded text without white space and invisible characters: what content_hash is taken over. No
 * sign is dropped. Case is, and so is width and height (5² is 52): texts with one hash are rivals
 * all the same where only the case of US, it, Mb or mW differs; mn_text_form() tells.
 */
char *mn_text_squeeze(struct mn_arena *arena, const char *text);

/*
 * The squeezed text, and behind it the cases and heights that tell: equal for two texts exactly
 * where they are MN_LIKENESS_IDENTICAL. NULL when the arena is full.
 */
const char *mn_text_form(struct mn_arena *arena, const char *text);

/* Are the two identical? Of texts with equal bytes nothing is looked at. */
bool mn_text_identical(const char *a, const char *b);

#endif
