/*
 * rule.h - does a trigger fire?
 *
 * Pure. Keywords and entities are literals, compared folded; regular expressions are PCRE2 and take
 * steps, so that hostile ones cost bounded time. One that has taken all it was given has not fired,
 * and the caller is told. Where memory runs out the answer is yes: rather one rule too many is told
 * than the one missed that forbids.
 */
#ifndef MN_MEMORY_RULE_H
#define MN_MEMORY_RULE_H

#include <stdbool.h>

#include <mneme/retrieve.h>

#include "base/err.h"

#define MN_RULE_STEPS_MAX INT64_C(4000000) /* of all searches of a request together; about 0.1 s   \
                                            */

struct mn_rule_steps {
    int64_t left; /* for the searches to come */
    bool ran_out; /* the last search ended for want of steps: nobody knows whether it matches */
};

struct mn_trigger_input {
    const char *text;   /* the request as given */
    const char *folded; /* mn_text_fold of it */
    const char *intent;
    const struct mneme_signals *signals; /* tool, task_type, paths */
    struct mn_rule_steps *steps;         /* counted down by regular expressions */
};

bool mn_rule_fires(const struct mneme_rule *rule, const struct mn_trigger_input *input);

/* Compiles a pattern to see that it is one. MNEME_INVALID names trigger_value. */
enum mneme_status mn_rule_pattern_check(const char *pattern, struct mneme_error *err);

/* '*' any run without '/', '**' any run, '?' one character. */
bool mn_path_matches(const char *glob, const char *path);

#endif
