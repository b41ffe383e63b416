/*
 * hard_rules.h - what the contract says may never be shown, computed from the rows alone.
 *
 * Written in its own words and not from the engine's access rules: the evaluation would be blind to a
 * mistake that both share.
 */
#ifndef MN_EVAL_HARD_RULES_H
#define MN_EVAL_HARD_RULES_H

#include <stdbool.h>

#include "eval/golden_data.h"

/* name, showing it in spite of this is a leak, showing it in spite of this is stale */
#define MN_HARD_RULES(X)                                                                           \
    X(OTHER_TENANT, "other_tenant", true, false)                                                   \
    X(OTHER_USER, "other_user", true, false)                                                       \
    X(OTHER_AGENT, "other_agent", true, false)                                                     \
    X(OUT_OF_SCOPE, "out_of_scope", true, false)                                                   \
    X(PERMISSION, "permission", true, false)                                                       \
    X(SENSITIVITY, "sensitivity", true, false)                                                     \
    X(NOT_YET_VALID, "not_yet_valid", false, true)                                                 \
    X(EXPIRED, "expired", false, true)                                                             \
    X(REVOKED, "revoked", false, true)                                                             \
    X(DELETED, "deleted", false, true)                                                             \
    X(DEPRECATED, "deprecated", false, true)                                                       \
    X(SUPERSEDED, "superseded", false, true)                                                       \
    X(LOW_CONFIDENCE, "low_confidence", false, false)                                              \
    X(ENVIRONMENT, "environment", false, false)

enum mn_hard_rule {
#define MN_HARD_RULE(name, text, leak, stale) MN_HARD_##name,
    MN_HARD_RULES(MN_HARD_RULE)
#undef MN_HARD_RULE
        MN_HARD_COUNT
};

const char *mn_hard_name(enum mn_hard_rule rule);
bool mn_hard_is_leak(const char *reason); /* by its name; soft reasons are none */
bool mn_hard_is_stale(const char *reason);

/* A set of bits, 1 << rule: every rule that the row breaks for this case. 0: it may be shown. */
unsigned mn_hard_broken(const struct mn_golden *golden, const struct mn_golden_case *c,
                        const struct mneme_memory *memory);
unsigned mn_hard_broken_state(const struct mn_golden_case *c, const struct mneme_task_state *state);

/* Is the row in the store of this case? */
bool mn_golden_holds(const struct mn_golden_case *c, const char *memory_id);

#endif
