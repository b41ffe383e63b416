/*
 * attribute.h - keys of what a thing is, where it is and how much of it there is.
 */
#ifndef MN_REMEMBER_ATTRIBUTE_H
#define MN_REMEMBER_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "remember/draft.h"
#include "remember/wording.h"

/* Such keys begin so; they say nothing of the user. */
#define MN_KEY_ATTRIBUTE "fact."

/* "The office is in Berlin", API 限额是 100, where it is all that is said: fact.office.place, Berlin;
 * fact.api_限额.number, 100. */
bool mn_key_of_attribute(struct mn_arena *arena, const struct mn_wording *w,
                         struct mn_keyed *ret_keyed);

/* ---- its two readers ---- */

struct mn_attribute {
    struct mn_str of;   /* the thing, in lower case */
    const char *kind;   /* "place", "time": values of two kinds hold side by side */
    const char *value;
    struct mn_str when; /* for whom or when it holds: "per user"; empty: always */
    bool denied;        /* it holds no longer */
};

/* Of the clause [at, end). */
bool mn_attribute_english(struct mn_arena *arena, const struct mn_wording *w, size_t at, size_t end,
                          struct mn_attribute *ret_attribute);
bool mn_attribute_chinese(struct mn_arena *arena, const struct mn_wording *w, size_t at, size_t end,
                          struct mn_attribute *ret_attribute);

/* Bytes of the number at `at`: 100, 1,000, 2.5, 9:00, 2026-03-05, v2.1; not of 3rd. 0: none. */
size_t mn_attribute_number(const char *lower, size_t at, size_t end);
/*
 * The kind of what is counted in `unit` (a word, "" is bare): time, size, money. *ret_unit is its one
 * spelling. A word that is no measure is its own kind: "requests" is request.
 */
const char *mn_attribute_unit(struct mn_arena *arena, struct mn_str unit, const char **ret_unit);

#endif
