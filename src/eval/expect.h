/*
 * expect.h - the expectations of eval/golden/README.md, one small function each.
 */
#ifndef MN_EVAL_EXPECT_H
#define MN_EVAL_EXPECT_H

#include "eval/outcome.h"

/* What was got, for people, in the outcome's arena; NULL when the expectation holds. */
typedef const char *(*mn_expect_fn)(const struct mn_outcome *outcome);

struct mn_expectation {
    const char *name; /* of the field in the case, or of the check made for every case */
    mn_expect_fn got;
};

extern const struct mn_expectation mn_expectations[];
extern const size_t mn_expectation_count;

#endif
