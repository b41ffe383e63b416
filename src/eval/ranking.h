/*
 * ranking.h - at which place the right memory comes, without access, budget or floor.
 *
 * Requests are lines of either shape:
 *   {id, kind, query, gold: [ids]}             over the memories of a golden folder
 *   {kind, query, positive, negatives: [...]}  over all passages of the file, each once
 */
#ifndef MN_EVAL_RANKING_H
#define MN_EVAL_RANKING_H

#include <stdio.h>

#include "eval/scratch.h"
#include "eval/tally.h"

struct mn_ranking_options {
    struct mn_eval_setup setup;
    const char *queries_path;
    const char *folder;   /* golden data; NULL: the queries bring their passages */
    const char *out_path; /* NULL; else a line {"id", "kind", "rank"} for each query */
    FILE *progress;       /* NULL: none */
};

struct mn_ranking_report {
    struct mn_arena *arena;
    size_t memories;
    const char *model_status; /* "" when the model works */
    /* acc@1, acc@5 and mrr; by kind, for "all", and for "across": request and the first right memory
     * are written one with Han characters, the other without. A memory that does not come has an
     * mrr of 0. */
    struct mn_tally tally;
};

/* Asked in mode hybrid, profile similarity, limits off, to the depth of the whole pool. */
enum mneme_status mn_ranking_run(const struct mn_ranking_options *options,
                                 struct mn_ranking_report *ret_report, struct mneme_error *err);
void mn_ranking_report_release(struct mn_ranking_report *report); /* for MN_CLEANUP */

#endif
