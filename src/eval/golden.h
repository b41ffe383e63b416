/*
 * golden.h - running a folder of golden cases.
 */
#ifndef MN_EVAL_GOLDEN_H
#define MN_EVAL_GOLDEN_H

#include <stdio.h>

#include "eval/metrics.h"
#include "eval/scratch.h"

struct mn_golden_failure {
    const char *case_id;
    const char *expectation;
    const char *got;
};

struct mn_golden_report {
    struct mn_arena *arena;
    size_t case_count;
    size_t passed;
    size_t leak_count;
    struct {
        struct mn_golden_failure *item;
        size_t count, room;
    } failed; /* in the order of the cases */
    struct mn_metrics metrics;
    const char *model_status; /* "" when the model works */
    const char *explanation;  /* of the one case asked for; "" else */
};

/*
 * Runs each case of the folder, or only `case_id` (NULL: all), in temporary stores. Progress goes to
 * `progress`, which may be NULL. A case that fails is part of the report; what cannot be read or
 * loaded fails the call.
 *
 * MNEME_NOT_FOUND  no such folder, file or case.
 * MNEME_INVALID    the data is wrong: file, line and field are named.
 */
enum mneme_status mn_golden_run(const char *folder, const struct mn_eval_setup *setup,
                                const char *case_id, FILE *progress,
                                struct mn_golden_report *ret_report, struct mneme_error *err);
void mn_golden_report_release(struct mn_golden_report *report); /* for MN_CLEANUP */

/* {"cases", "passed", "failed": [{"case_id", "expectation", "got"}], "metrics": {...}} */
void mn_golden_report_put(struct mn_json_writer *w, struct mn_golden_report *report);

#endif
