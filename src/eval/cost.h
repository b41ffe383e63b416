/*
 * cost.h - what a recall costs, on a store of synthetic memories.
 */
#ifndef MN_EVAL_COST_H
#define MN_EVAL_COST_H

#include <stdio.h>

#include "eval/metrics.h"
#include "eval/scratch.h"

struct mn_bench_options {
    struct mn_eval_setup setup; /* cache_path is not read: the bench has one of its own */
    size_t memories;            /* in all tenants together */
    size_t tenants;
    size_t requests;
    FILE *progress; /* NULL: none */
};

struct mn_bench_times {
    struct mn_samples cpu_us, wall_us;
};

struct mn_bench_report {
    struct mn_arena *arena;
    size_t memories, tenants, requests;
    size_t dim; /* 0: no model, text alone */
    double import_s;
    double cold_ms; /* the first recall: the index of its partition is built */
    struct mn_bench_times recall;        /* whole recalls in a row, their embeddings known */
    struct mn_bench_times embedding;     /* none without a model, nor the two below */
    struct mn_bench_times recall_behind; /* each right behind its embedding */
    struct mn_bench_times both;          /* that and its embedding together */
    struct {
        const char *name;
        struct mn_samples us;
    } stage[MN_METRIC_STAGES_MAX];
    size_t stage_count;
};

enum mneme_status mn_bench_run(const struct mn_bench_options *options,
                               struct mn_bench_report *ret_report, struct mneme_error *err);
void mn_bench_report_release(struct mn_bench_report *report); /* for MN_CLEANUP */

/* {"memories", "recall_cpu_ms": {"p50", "p95", "p99"}, "recall_wall_ms", "embed_cpu_ms",
 * "recall_behind_cpu_ms", "whole_cpu_ms", ...} */
void mn_bench_report_put(struct mn_json_writer *w, struct mn_bench_report *report);
void mn_bench_report_tell(struct mn_buf *out, struct mn_bench_report *report);

#endif
