/*
 * value.h - the short value behind a sentence's beginning, and parts of keys made of its words.
 */
#ifndef MN_REMEMBER_VALUE_H
#define MN_REMEMBER_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "remember/wording.h"

#define MN_VALUE_BYTES_MAX 48
#define MN_VALUE_WORDS_MAX 4

struct mn_value {
    size_t from, until; /* in the wording */
};

/* From `at` to the end of the clause, of the value ("but", "for", "now"), or of what must follow it
 * (`after`; NULL: nothing must). False where there is none, or it is too long. */
bool mn_value_find(const struct mn_wording *w, size_t at, const char *after,
                   struct mn_value *ret_value);
/* Does a value end at the blank that stands at `at`? */
bool mn_value_ends(const char *lower, size_t at);

/* Which of the words (NULL ends) it is; NULL: none. */
const char *mn_value_one_of(const struct mn_wording *w, struct mn_value value,
                            const char *const *words);

/* "Backend services" as part of a key: backend_services. NULL: too long, empty, or the arena full. */
const char *mn_key_part(struct mn_arena *arena, const char *at, size_t bytes);
/* What stands between `at` and the end of its clause, for whom: "for scripts"; NULL: nothing. */
const char *mn_key_context(struct mn_arena *arena, const struct mn_wording *w, size_t at);

#endif
