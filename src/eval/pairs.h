/*
 * pairs.h - are two texts one memory? What the engine makes of pairs whose answer is known.
 *
 * Lines {id, kind, label, a, b}; label "dup": in other words the same; "not": alike, but another
 * fact. Each pair belongs to a user of its own, and is tried in both ways in which two can become
 * one: b is remembered after a; and both are loaded as they are and asked for by the words of a.
 */
#ifndef MN_EVAL_PAIRS_H
#define MN_EVAL_PAIRS_H

#include <stdio.h>

#include "eval/scratch.h"
#include "eval/tally.h"

struct mn_pairs_options {
    struct mn_eval_setup setup;
    const char *pairs_path;
    const char *out_path; /* NULL; else a line {"id", "kind", "label", "written", "recalled"} for each */
    FILE *progress;       /* NULL: none */
};

struct mn_pairs_report {
    struct mn_arena *arena;
    const char *model_status; /* "" when the model works */
    /* Shares merged on writing, superseded on writing and merged in recall; by label, and by label
     * and kind ("dup light"). */
    struct mn_tally tally;
};

enum mneme_status mn_pairs_run(const struct mn_pairs_options *options,
                               struct mn_pairs_report *ret_report, struct mneme_error *err);
void mn_pairs_report_release(struct mn_pairs_report *report); /* for MN_CLEANUP */

#endif
