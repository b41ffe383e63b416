/*
 * eval_quality.c - mneme eval ranking, abstain and pairs.
 */
#include "cli/eval_quality.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "eval/abstain.h"
#include "eval/pairs.h"
#include "eval/ranking.h"

static FILE *progress(void)
{
    return isatty(2) ? stderr : NULL;
}

static void tell_cost(struct mn_buf *out, const char *what, struct mn_samples *us)
{
    mn_buf_printf(out, "%s ms: p50 %.3f p95 %.3f\n", what, mn_samples_percentile(us, 0.50) / 1e3,
                  mn_samples_percentile(us, 0.95) / 1e3);
}

/* abstain: NULL where the cost is not taken. */
static int print(const struct mn_tally *tally, const char *model_status,
                 struct mn_abstain_report *abstain, int json)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    struct mneme_error err;

    if (model_status[0])
        fprintf(stderr, "mneme: without vectors, %s\n", model_status);
    if (json) {
        mn_json_open(&w, '{');
        mn_json_key(&w, "shares");
        mn_tally_put(&w, tally);
        if (abstain) {
            mn_samples_put_ms(&w, "recall_cpu_ms", &abstain->cpu_us);
            mn_samples_put_ms(&w, "deciding_ms", &abstain->deciding_us);
        }
        mn_json_close(&w, '}');
        mn_buf_char(&out, '\n');
    } else {
        mn_tally_tell(&out, tally);
        if (abstain) {
            tell_cost(&out, "whole recall, embedding cached, CPU", &abstain->cpu_us);
            tell_cost(&out, "deciding to say nothing", &abstain->deciding_us);
        }
    }
    if (out.failed) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    fputs(out.at, stdout);
    return CLI_OK;
}

static int ranking(const struct cli_quality *q)
{
    MN_CLEANUP(mn_ranking_report_release) struct mn_ranking_report report = { 0 };
    struct mn_ranking_options options = { .setup = q->setup,
                                          .queries_path = q->queries,
                                          .folder = q->memories,
                                          .out_path = q->out,
                                          .progress = progress() };
    struct mneme_error err;

    if (mn_ranking_run(&options, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    return print(&report.tally, report.model_status, NULL, q->json);
}

static int abstain(const struct cli_quality *q)
{
    MN_CLEANUP(mn_abstain_report_release) struct mn_abstain_report report = { 0 };
    struct mn_abstain_options options = { .setup = q->setup,
                                          .queries_path = q->queries,
                                          .folder = q->memories,
                                          .out_path = q->out,
                                          .progress = progress() };
    struct mneme_error err;

    if (!q->memories)
        return cli_usage("eval", "abstain wants --memories, a folder of golden data");
    if (mn_abstain_run(&options, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    return print(&report.tally, report.model_status, &report, q->json);
}

static int pairs(const struct cli_quality *q)
{
    MN_CLEANUP(mn_pairs_report_release) struct mn_pairs_report report = { 0 };
    struct mn_pairs_options options = { .setup = q->setup,
                                        .pairs_path = q->queries,
                                        .out_path = q->out,
                                        .progress = progress() };
    struct mneme_error err;

    if (mn_pairs_run(&options, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    return print(&report.tally, report.model_status, NULL, q->json);
}

bool cli_eval_quality(const char *what, const struct cli_quality *quality, int *ret_code)
{
    static const struct {
        const char *name;
        int (*run)(const struct cli_quality *quality);
    } PART[] = { { "ranking", ranking }, { "abstain", abstain }, { "pairs", pairs } };

    for (size_t i = 0; i < sizeof PART / sizeof *PART; i++) {
        if (strcmp(what, PART[i].name) != 0)
            continue;
        *ret_code = quality->queries ? PART[i].run(quality)
                                     : cli_usage("eval", "%s wants --queries", what);
        return true;
    }
    return false;
}
