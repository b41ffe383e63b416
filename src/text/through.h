/*
 * through.h - somebody a request speaks of only through another: "Tom's sister", 汤姆的姐姐.
 *
 * Pure. English and Chinese, by a table of relations between people (and their firms and teams).
 * All texts are as mn_fold_cased() leaves them.
 */
#ifndef MN_TEXT_THROUGH_H
#define MN_TEXT_THROUGH_H

#include <stdbool.h>

#include "base/str.h"

#define MN_THROUGH_RELATIONS_MAX 3

struct mn_through {
    struct mn_str phrase; /* what a name can stand for: "Tom's younger sister", without its 's */
    struct mn_str anchor; /* "Tom"; empty where it is the speaker: my, 我, the user's */
    struct mn_str relation[MN_THROUGH_RELATIONS_MAX]; /* "sister"; of "Tom's sister's husband" both */
    size_t relation_count;
    struct mn_str first; /* the phrase of the first of them: "Tom's sister" */
};

/* Does the request ask something of somebody it names so? Not where it only asks who that is through
 * one relation, nor through his, her, their: whom these mean is not known here. The first such
 * phrase counts. */
bool mn_through_asked(struct mn_str request, struct mn_through *ret_through);

/* The first of several relations, as if it were the only one. */
struct mn_through mn_through_first(const struct mn_through *through);

/* What the text calls who is meant: "Tom's sister is Ann", "Ann is Tom's sister", 汤姆的姐姐叫小安;
 * of a husband or a wife also by the other one's.
 * `speaker` of it, "" unknown, is meant by its my and 我. False: it does not say. */
bool mn_through_named(struct mn_str text, const char *speaker, const struct mn_through *through,
                      struct mn_str *ret_name);

#endif
