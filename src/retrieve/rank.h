/*
 * rank.h - what the files of stage 7 share with each other and with stage 8.
 */
#ifndef MN_RETRIEVE_RANK_H
#define MN_RETRIEVE_RANK_H

#include "retrieve/stages.h"

/* The best of the pool, by signal: what a signal is scaled by. 0 where there is none. */
struct mn_best {
    double vector;             /* F; only where above the mean of unrelated texts */
    double text;               /* X, with the imputed ones */
    double text_same_language; /* X of what is written in the request's language */
    double coverage;           /* of the same: the largest share of the request's words */
    bool any_vector;
    bool any_rule;
};
struct mn_best mn_best_of(const struct mn_plan *plan, const struct mn_model_profile *profile,
                          const struct mn_candidates *found);

/* X, imputed where the languages differ: a text signal that cannot exist is no sign of a bad match.
 */
double mn_rank_text(const struct mn_plan *plan, const struct mn_model_profile *profile,
                    const struct mn_best *best, const struct mn_candidate *candidate);

/* The parts in one number, by the request's profile; never above 1. */
double mn_rank_final(enum mneme_profile profile, const struct mn_parts *parts);

/* Best first by final score, ties by id. */
enum mneme_status mn_rank_sort(struct mn_candidates *found, struct mn_arena *arena,
                               struct mneme_error *err);

#endif
