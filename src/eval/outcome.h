/*
 * outcome.h - what came of one golden case, in the data's own terms.
 */
#ifndef MN_EVAL_OUTCOME_H
#define MN_EVAL_OUTCOME_H

#include <yyjson.h>

#include "eval/golden_data.h"
#include "eval/xml_check.h"

struct mn_outcome {
    const struct mn_golden *golden;
    const struct mn_golden_case *c;
    const struct mneme_answer *answer;
    const struct mneme_answer *again; /* of the second run */
    const char **ids;  /* of the items, best first; a checkpoint by its name in the data */
    struct mn_xml xml;
    const char *xml_fault; /* NULL: well-formed */
    yyjson_val *trace;
    struct mn_arena *arena;
};

/* Lives in the arena and as long as both answers; the trace is parsed into *ret_trace, which the
 * caller frees after use. */
enum mneme_status mn_outcome_make(const struct mn_golden *golden, const struct mn_golden_case *c,
                                  const struct mneme_answer *answer,
                                  const struct mneme_answer *again, struct mn_arena *arena,
                                  yyjson_doc **ret_trace, struct mn_outcome *ret_outcome,
                                  struct mneme_error *err);

/* Position of the id among the items; item_count when it is not there. */
size_t mn_outcome_at(const struct mn_outcome *outcome, const char *id);

/* Does the block say what this memory or checkpoint says, without one that says it being shown? */
bool mn_outcome_tells(const struct mn_outcome *outcome, const char *id);

/* For people: "missing: floor at budget", "missing: was no candidate". */
const char *mn_outcome_fate(const struct mn_outcome *outcome, const char *id);

/* A part of the score of a selected or rejected memory; false where the trace has none. */
bool mn_outcome_part(const struct mn_outcome *outcome, const char *id, const char *part,
                     double *ret_value);

const struct mneme_conflict *mn_outcome_conflict(const struct mn_outcome *outcome, const char *key);

/* Was something shown that this identity may not see? *ret_stale: items that held no longer. */
bool mn_outcome_leaks(const struct mn_outcome *outcome);
size_t mn_outcome_stale(const struct mn_outcome *outcome);

#endif
