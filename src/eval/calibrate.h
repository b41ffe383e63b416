/*
 * calibrate.h - a new embedding model's profile, from a small set of texts.
 *
 * The set is lines {lang, kind, text, topic}: lang "zh" or "en", the same things said in both; kind
 * "passage", "request" (a question that the passage of its topic answers; "query" means the same),
 * "statement" (talk that touches the topic) or "rewording" (the passage in other words). A text without
 * a topic counts for the means alone.
 *
 * Measured are: the mean vectors by language and kind; the mean likeness of a request and a passage
 * of another topic; the floors, in steps of 0.01 the highest that lose at most 2 % (one, where that
 * is less than one) of the requests, each with its passage in each language, or of the statements,
 * each with that of its own language, by raw relevance as a recall of all passages has it; and the
 * centred cosine that nominates a duplicate, the highest step that misses no rewording; and, of a
 * model that gives them, the mean of all states of tokens and the 128 axes along which they are
 * spread most. All else is taken from the profile that is given: name, dim, prefixes, pooling,
 * weights.
 */
#ifndef MN_EVAL_CALIBRATE_H
#define MN_EVAL_CALIBRATE_H

#include <stdio.h>

#include "eval/scratch.h"

struct mn_calibrate_options {
    struct mn_eval_setup setup; /* its profile_path is the profile that is completed; required */
    const char *texts_path;
    const char *out_path;
    FILE *progress; /* NULL: none */
};

/* Figures that were not measured, for want of such texts, are NaN. */
struct mn_calibrate_report {
    size_t texts;
    size_t token_states; /* that the axes of tokens are made of; 0: the model gives none */
    double mean_cosine; /* the least, of a new mean with that of the given profile; NaN without */
    double unrelated_mean, unrelated_spread;
    double floor_question, rejected_question; /* the share of requests without their topic below it */
    double floor_statement, rejected_statement;
    double duplicate_cosine;
    double base_unrelated_mean, base_floor_question, base_floor_statement, base_duplicate_cosine;
};

/*
 * Writes the whole profile to out_path when all is measured.
 *
 * MNEME_INVALID      no profile is given, or it is wrong; a line is; a language has no passage or no
 *                    request.
 * MNEME_UNAVAILABLE  the model does not answer.
 */
enum mneme_status mn_calibrate_run(const struct mn_calibrate_options *options,
                                   struct mn_calibrate_report *ret_report, struct mneme_error *err);

#endif
