/*
 * reason.h - the one table of reasons why something is not in an answer.
 *
 * The names are part of the trace's contract (docs/trace.md) and of the golden cases.
 */
#ifndef MN_MEMORY_REASON_H
#define MN_MEMORY_REASON_H

#include <stdbool.h>

/* name, text for people, leak: showing a memory in spite of this reason is a leak */
#define MN_REASONS(X)                                                                              \
    X(NONE, "", "", false)                                                                         \
    X(OTHER_TENANT, "other_tenant", "belongs to another tenant", true)                             \
    X(OTHER_USER, "other_user", "belongs to another user", true)                                   \
    X(OTHER_AGENT, "other_agent", "is another agent's", true)                                      \
    X(OUT_OF_SCOPE, "out_of_scope", "is of another project, repository, task or session", true)    \
    X(PERMISSION, "permission", "needs a permission that this call does not hold", true)           \
    X(SENSITIVITY, "sensitivity", "is above the clearance", true)                                  \
    X(NOT_YET_VALID, "not_yet_valid", "is not valid yet", false)                                   \
    X(EXPIRED, "expired", "is no longer valid", false)                                             \
    X(REVOKED, "revoked", "was revoked", false)                                                    \
    X(DELETED, "deleted", "was deleted", false)                                                    \
    X(DEPRECATED, "deprecated", "is deprecated", false)                                            \
    X(SUPERSEDED, "superseded", "was replaced by a newer version", false)                          \
    X(LOW_CONFIDENCE, "low_confidence", "has a confidence below 0.60", false)                      \
    X(ENVIRONMENT, "environment", "is for another environment or version", false)                  \
    X(MODE, "mode", "is of a type this mode does not ask for", false)                              \
    X(MERGED, "merged", "says what another chosen memory says", false)                             \
    X(CONFLICT_LOSER, "conflict_loser", "lost to another answer to the same key", false)           \
    X(FORCED_RIVAL, "forced_rival", "contradicts a rule in force", false)                          \
    X(CLARIFY, "clarify", "contradicts another memory; the user has to say which holds", false)    \
    X(FLOOR, "floor", "is not close enough to the request", false)                                 \
    X(PATH, "path", "is linked too weakly to what the request names", false)                       \
    X(CUT, "cut", "ranked behind those kept for ranking", false)                                   \
    X(TYPE_CAP, "type_cap", "enough of its type are in the answer", false)                         \
    X(BUDGET, "budget", "no room was left", false)                                                 \
    X(STALE_INDEX, "stale_index", "the index held an old version of it", false)

enum mn_reason {
#define MN_REASON_ENUM(name, text, words, leak) MN_REASON_##name,
    MN_REASONS(MN_REASON_ENUM)
#undef MN_REASON_ENUM
        MN_REASON_COUNT
};

const char *mn_reason_name(enum mn_reason reason);
const char *mn_reason_words(enum mn_reason reason); /* completes "This memory ..." */
bool mn_reason_is_leak(enum mn_reason reason);

#endif
