/*
 * eval_quality.h - the parts of mneme eval that print shares by kind.
 */
#ifndef MN_CLI_EVAL_QUALITY_H
#define MN_CLI_EVAL_QUALITY_H

#include "cli/cli.h"
#include "eval/scratch.h"

struct cli_quality {
    struct mn_eval_setup setup;
    const char *queries;  /* the lines; required */
    const char *memories; /* a golden folder; abstain requires it */
    const char *out;      /* NULL: none */
    int json;
};

/* "ranking", "abstain", "pairs" -> true, with the exit code. */
bool cli_eval_quality(const char *what, const struct cli_quality *quality, int *ret_code);

#endif
