/*
 * metrics.h - figures over many cases (docs/evaluation.md): gathered case by case, printed once.
 *
 * A share of nothing is not 0: it is printed as null.
 */
#ifndef MN_EVAL_METRICS_H
#define MN_EVAL_METRICS_H

#include "base/arena.h"
#include "base/json.h"
#include "eval/outcome.h"

/* part of whole, over all cases together */
struct mn_share {
    size_t part;
    size_t whole;
};

/* Durations, to be asked for percentiles. Sorted by the asking. */
struct mn_samples {
    double *item;
    size_t count, room;
};

#define MN_METRIC_STAGES_MAX 16

struct mn_metrics {
    struct mn_arena *arena; /* for the samples */
    size_t requests;
    struct mn_share precision;     /* useful of returned, in cases that name what is useful */
    struct mn_share useful_recall; /* required found of required */
    struct mn_share stale;         /* of the returned */
    struct mn_share conflict_error; /* keys answered wrongly, of those in conflict */
    struct mn_share clarification; /* asked or not asked as expected */
    struct mn_share leakage;       /* requests that showed something foreign */
    struct mn_share empty;         /* nothing returned where nothing should be */
    struct mn_share base_clarification; /* the same for an agent without memory, which asks nothing */
    size_t base_passed;            /* cases that an empty answer would pass */
    size_t memories;
    size_t tokens;         /* of the blocks */
    size_t request_tokens; /* of the requests themselves */
    size_t passed;
    struct {
        const char *name;
        struct mn_samples us;
    } stage[MN_METRIC_STAGES_MAX];
    size_t stage_count;
    struct mn_samples embed_us;
    struct mn_samples added_us; /* wall time of the whole call */
};

/* MNEME_LIMIT: out of memory. passed: every expectation held. */
enum mneme_status mn_metrics_add(struct mn_metrics *metrics, const struct mn_outcome *outcome,
                                 bool passed, bool base_passed, size_t request_tokens,
                                 int64_t added_us, struct mneme_error *err);

bool mn_samples_add(struct mn_arena *arena, struct mn_samples *samples, double value);
/* Nearest rank: the smallest sample that `share` of all are not above. 0 without samples. */
double mn_samples_percentile(struct mn_samples *samples, double share);

/* An object {"p50", "p95", "p99"} of samples in microseconds, printed in milliseconds. */
void mn_samples_put_ms(struct mn_json_writer *w, const char *key, struct mn_samples *samples);
void mn_metrics_put(struct mn_json_writer *w, struct mn_metrics *metrics);
/* For people, a line each. */
void mn_metrics_tell(struct mn_buf *out, struct mn_metrics *metrics);

#endif
