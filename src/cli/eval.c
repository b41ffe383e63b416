/*
 * eval.c - mneme eval: golden cases, recall on a data set, and what eval_quality.c adds.
 *
 * All work in temporary stores; no store of the user's is opened. Embeddings are kept in a file of
 * the cache folder, so that a second run does not wait for the model.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/eval_quality.h"
#include "eval/golden.h"
#include "eval/recall_set.h"

#define COUNT_OF(array) (sizeof array / sizeof *array)

struct wishes {
    const char *cache;
    const char *case_id;
    const char *items;
    const char *queries;
    const char *memories;
    const char *out;
    const char *signals;
    const char *profile;
    size_t depth;
};

/* ---- the cache of embeddings ---- */

/* $MNEME_CACHE/embeddings, else .../mneme/embeddings under the user's cache folder; made. */
static bool cache_folder(char *path, size_t bytes)
{
    const char *cache = getenv("MNEME_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = !mn_empty(cache)  ? snprintf(path, bytes, "%s/embeddings", cache)
                 : !mn_empty(xdg)  ? snprintf(path, bytes, "%s/mneme/embeddings", xdg)
                 : !mn_empty(home) ? snprintf(path, bytes, "%s/.cache/mneme/embeddings", home)
                                   : -1;

    if (length < 0 || (size_t)length >= bytes)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    return mkdir(path, 0755) == 0 || access(path, W_OK) == 0;
}

/* --cache, else $MNEME_EMBEDDING_CACHE, else a file named after the model; "" for none. */
static const char *cache_path(const struct wishes *w, const char *model)
{
    static char path[4096];
    char folder[3072];
    const char *given = w->cache ? w->cache : getenv("MNEME_EMBEDDING_CACHE");
    const char *slash = strrchr(model, '/');
    const char *name = slash ? slash + 1 : model;

    if (given)
        return strcmp(given, "none") ? given : "";
    if (mn_empty(model) || !strcmp(model, "none") || !cache_folder(folder, sizeof folder))
        return "";
    snprintf(path, sizeof path, "%s/%s.vectors", folder, name);
    return path;
}

static void make_setup(const struct cli_common *common, const struct wishes *w,
                       struct mn_eval_setup *ret_setup)
{
    *ret_setup = (struct mn_eval_setup){
        .model_path = cli_model_path(common),
        .profile_path = common->model_profile ? common->model_profile
                                              : getenv("MNEME_MODEL_PROFILE"),
        .model_key = getenv("MNEME_MODEL_KEY"),
        .rerank_path = common->rerank ? common->rerank : getenv("MNEME_RERANK"),
        .rerank_key = getenv("MNEME_RERANK_KEY"),
        .rerank_model = getenv("MNEME_RERANK_MODEL"),
        .tokenizer = common->tokenizer ? common->tokenizer : getenv("MNEME_TOKENIZER"),
    };
    ret_setup->cache_path = cache_path(w, ret_setup->model_path);
}

/* ---- golden cases ---- */

static int print_json(struct mn_golden_report *report)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    struct mneme_error err;

    mn_golden_report_put(&w, report);
    if (out.failed) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    puts(out.at);
    return CLI_OK;
}

static int print_people(struct mn_golden_report *report)
{
    MN_BUF_AUTO out = { 0 };
    struct mneme_error err;

    mn_buf_text(&out, report->explanation);
    for (size_t i = 0; i < report->failed.count; i++) {
        const struct mn_golden_failure *f = &report->failed.item[i];

        mn_buf_printf(&out, "FAILED %s %s: %s\n", f->case_id, f->expectation, f->got);
    }
    if (!report->explanation[0])
        mn_metrics_tell(&out, &report->metrics);
    mn_buf_printf(&out, "%zu of %zu cases passed, %zu leaks\n", report->passed,
                  report->case_count, report->leak_count);
    if (out.failed) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    fputs(out.at, stdout);
    return CLI_OK;
}

static int golden(const struct cli_common *common, const struct wishes *w, const char *folder)
{
    MN_CLEANUP(mn_golden_report_release) struct mn_golden_report report = { 0 };
    struct mn_eval_setup setup;
    struct mneme_error err;

    make_setup(common, w, &setup);
    if (mn_golden_run(folder, &setup, w->case_id, isatty(2) ? stderr : NULL, &report, &err) !=
        MNEME_OK)
        return cli_fail(&err);
    if (report.model_status[0])
        fprintf(stderr, "mneme: without vectors, %s\n", report.model_status);
    int code = common->json ? print_json(&report) : print_people(&report);
    if (code != CLI_OK)
        return code;
    return report.failed.count || report.leak_count ? CLI_FAILED_CHECK : CLI_OK;
}

/* ---- recall on a set ---- */

static void print_recall(const struct mn_recall_report *r, const char *out, int json)
{
    if (json)
        printf("{\"items\":%zu,\"events\":%zu,\"queries\":%zu,\"unanswered\":%zu,"
               "\"load_s\":%.3f,\"ask_s\":%.3f}\n",
               r->items, r->events, r->queries, r->unanswered, r->load_s, r->ask_s);
    else
        printf("%zu items (%zu events) loaded in %.1f s, %zu queries asked in %.1f s, "
               "%zu without an answer\n%s\n",
               r->items, r->events, r->load_s, r->queries, r->ask_s, r->unanswered, out);
}

static int recall(const struct cli_common *common, const struct wishes *w)
{
    struct mn_recall_options options = {
        .items_path = w->items,
        .queries_path = w->queries,
        .out_path = w->out,
        .signals_path = w->signals,
        .depth = w->depth,
        .progress = stderr,
    };
    struct mn_recall_report report;
    struct mneme_error err;
    int profile = MNEME_PROFILE_SIMILARITY;

    if (!w->items || !w->queries || !w->out)
        return cli_usage("eval", "recall wants --items, --queries and --out");
    if (cli_pick(CLI_PROFILE, "profile", w->profile, &profile, &err) != MNEME_OK)
        return cli_fail(&err);
    options.profile = (enum mneme_profile)profile;
    make_setup(common, w, &options.setup);
    if (mn_recall_run(&options, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    print_recall(&report, w->out, common->json);
    return CLI_OK;
}

int cli_eval(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct wishes w = { .depth = 50, .profile = "similarity" };
    const struct cli_option options[] = {
        { "case", CLI_TEXT, "ID", "run one golden case and explain it", &w.case_id },
        { "items", CLI_TEXT, "FILE", "recall: what is to be found", &w.items },
        { "queries", CLI_TEXT, "FILE", "what is asked; pairs: the pairs", &w.queries },
        { "memories", CLI_TEXT, "FOLDER", "ranking, abstain: golden data to ask", &w.memories },
        { "out", CLI_TEXT, "RUN.jsonl", "where the answers go, a line each", &w.out },
        { "signals", CLI_TEXT, "FILE", "recall: what ranks each turn found, a line a query",
          &w.signals },
        { "depth", CLI_COUNT, "N", "recall: so many answers a query (50)", &w.depth },
        { "profile", CLI_TEXT, "NAME", "recall: similarity (default), default, balanced, recency",
          &w.profile },
        { "cache", CLI_TEXT, "FILE|none", "where embeddings are kept ($MNEME_EMBEDDING_CACHE)",
          &w.cache },
        { "json", CLI_FLAG, NULL, "print JSON", &common.json },
    };
    const struct cli_command command = {
        .name = "eval",
        .arguments = "FOLDER | recall | ranking | abstain | pairs",
        .least = 1,
        .most = 1,
        .wants = "wants a folder of golden cases, or recall, ranking, abstain or pairs",
        .summary = "Runs the golden cases of FOLDER, or measures one thing on a set.",
        .details = "FOLDER holds memories.jsonl, cases.jsonl and so on (eval/golden/README.md). Exit\n"
                   "status 1: an expectation failed, or something foreign was shown.\n"
                   "recall   writes a run file for a scorer\n"
                   "ranking  at which place the right memory comes\n"
                   "abstain  how often nothing is said where nothing is to be said\n"
                   "pairs    which pairs of texts become one memory\n"
                   "Everything happens in temporary stores (docs/evaluation.md).",
        .groups = CLI_GROUP_MODEL,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    mn_scratch_heed_signals();
    struct cli_quality quality = {
        .queries = w.queries, .memories = w.memories, .out = w.out, .json = common.json
    };
    make_setup(&common, &w, &quality.setup);
    if (cli_eval_quality(arguments[0], &quality, &code))
        return code;
    return strcmp(arguments[0], "recall") ? golden(&common, &w, arguments[0])
                                          : recall(&common, &w);
}
