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

struct mn_through {
    struct mn_str phrase; /* what a name can stand for: "Tom's younger sister", without its 's */
    struct mn_str anchor; /* "Tom"; empty where it is the speaker: my, 我, the user's */
    struct mn_str relation; /* "sister" */
};

/* Does the request ask something of somebody it names so? Not where it only asks who that is, nor
 * through his, her, their: whom these mean is not known here. The first such relation counts. */
bool mn_through_asked(struct mn_str request, struct mn_through *ret_through);

/* What the text calls who is meant: "Tom's sister is Ann", "Ann is Tom's sister", 汤姆的姐姐叫小安.
 * `speaker` of it, "" unknown, is meant by its my and 我. False: it does not say. */
bool mn_through_named(struct mn_str text, const char *speaker, const struct mn_through *through,
                      struct mn_str *ret_name);

#endif
