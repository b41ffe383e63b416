/*
 * wording.h - a sentence beside its lower-case twin.
 *
 * Rules read the twin, memories keep the text. Both have the same length, so that what is found in
 * the one can be cut out of the other.
 */
#ifndef MN_REMEMBER_WORDING_H
#define MN_REMEMBER_WORDING_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct mn_wording {
    const char *text;  /* trimmed, apostrophes plain */
    const char *lower; /* folded where that keeps the length, else lower-case ASCII */
    size_t bytes;
};

/* text is NULL when the arena is full. */
struct mn_wording mn_wording_of(struct mn_arena *arena, struct mn_str sentence);

/* Bytes of the first of these phrases (NULL ends) that stands at `at` of lower, whole words; 0. */
size_t mn_wording_any(const char *lower, size_t at, const char *const *phrases);

/* Does the text hold one of these (NULL ends), as mn_text_contains() says? */
bool mn_wording_holds(const char *lower, const char *const *words);

/* Does the dot at `at` end a short form ("Dr.", "e.g.") and no sentence? Of either case. */
bool mn_wording_abbreviates(const char *text, size_t at);

/* The next place behind `at` where a clause begins; the length when there is none. */
size_t mn_wording_clause(const char *lower, size_t at);

/* Where the clause that holds `at` ends: at its punctuation, or at the end. */
size_t mn_wording_end(const char *lower, size_t at);

/* Is there nothing from `at` on but punctuation, and words that say "now" or "any more"? */
bool mn_wording_is_all(const char *lower, size_t at);

#endif
