/*
 * abstain.h - how often nothing is said where nothing is to be said, and where something is.
 *
 * The memories of a golden folder stand in one user's store (eval/text_pool.h). Requests that deserve
 * nothing are lines {id, kind, query}; those that deserve something are the folder's own cases with
 * required memories, but those of mode none, which only a rule could answer. Both are asked the way
 * an agent asks: gate, floor and budget as they are.
 */
#ifndef MN_EVAL_ABSTAIN_H
#define MN_EVAL_ABSTAIN_H

#include <stdio.h>

#include "eval/metrics.h"
#include "eval/scratch.h"
#include "eval/tally.h"

struct mn_abstain_options {
    struct mn_eval_setup setup;
    const char *queries_path;
    const char *folder;
    const char *out_path; /* NULL; else a line {"id", "kind", "query", "items", "mode"} for each */
    FILE *progress;       /* NULL: none */
};

struct mn_abstain_report {
    struct mn_arena *arena;
    size_t memories;
    const char *model_status; /* "" when the model works */
    /* Share with an empty answer: of all lines as "rejected", of each kind, and of the cases as
     * "cases" (false ones). */
    struct mn_tally tally;
    struct mn_samples cpu_us; /* of each request when it is asked again, its embedding cached */
    /* What deciding takes of that, of each with an empty answer: the stage that asks whether memory is
     * needed, and the one that held what was found against the floor and chose nothing. By the trace,
     * so by the wall; neither waits for anything. */
    struct mn_samples deciding_us;
};

enum mneme_status mn_abstain_run(const struct mn_abstain_options *options,
                                 struct mn_abstain_report *ret_report, struct mneme_error *err);
void mn_abstain_report_release(struct mn_abstain_report *report); /* for MN_CLEANUP */

#endif
