/*
 * rule.h - does a trigger fire?
 *
 * Pure. Keywords and entities are literals, compared folded; regular expressions are PCRE2 with match
 * limits, so that a hostile one costs bounded time and then counts as not fired. Where memory runs
 * out the answer is yes: rather one rule too many is told than the one missed that forbids.
 */
#ifndef MN_MEMORY_RULE_H
#define MN_MEMORY_RULE_H

#include <stdbool.h>

#include <mneme/retrieve.h>

#include "base/err.h"

struct mn_trigger_input {
    const char *text;   /* the request as given */
    const char *folded; /* mn_text_fold of it */
    const char *intent;
    const struct mneme_signals *signals; /* tool, task_type, paths */
};

bool mn_rule_fires(const struct mneme_rule *rule, const struct mn_trigger_input *input);

/* Compiles a pattern to see that it is one. MNEME_INVALID names trigger_value. */
enum mneme_status mn_rule_pattern_check(const char *pattern, struct mneme_error *err);

/* '*' any run without '/', '**' any run, '?' one character. */
bool mn_path_matches(const char *glob, const char *path);

#endif
