/*
 * bench.c - mneme bench: what a recall costs on this machine.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "eval/cost.h"

#define COUNT_OF(array) (sizeof array / sizeof *array)

static int print(struct mn_bench_report *report, int json)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    struct mneme_error err;

    if (json)
        mn_bench_report_put(&w, report);
    else
        mn_bench_report_tell(&out, report);
    if (out.failed) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    printf("%s%s", out.at, json ? "\n" : "");
    return CLI_OK;
}

static int bench(const struct cli_common *common, struct mn_bench_options *options)
{
    MN_CLEANUP(mn_bench_report_release) struct mn_bench_report report = { 0 };
    struct mneme_error err;

    options->setup.model_path = cli_model_path(common);
    options->setup.profile_path = common->model_profile ? common->model_profile
                                                        : getenv("MNEME_MODEL_PROFILE");
    options->setup.tokenizer = common->tokenizer ? common->tokenizer : getenv("MNEME_TOKENIZER");
    options->progress = isatty(2) ? stderr : NULL;
    if (mn_bench_run(options, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    return print(&report, common->json);
}

int cli_bench(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mn_bench_options bench_options = { .memories = 10000, .tenants = 1, .requests = 200 };
    const struct cli_option options[] = {
        { "memories", CLI_COUNT, "N", "so many memories, in all tenants together (10000)",
          &bench_options.memories },
        { "tenants", CLI_COUNT, "N", "so many tenants of one user each (1)",
          &bench_options.tenants },
        { "requests", CLI_COUNT, "N", "so many requests are timed (200)",
          &bench_options.requests },
        { "json", CLI_FLAG, NULL, "print JSON", &common.json },
    };
    const struct cli_command command = {
        .name = "bench",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no argument",
        .summary = "Fills a temporary store with seeded memories and times recalls.",
        .details = "Percentiles of CPU and wall time of a whole recall with its trace, with and\n"
                   "without the embedding of the request. Memories have made-up vectors.",
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
    return bench(&common, &bench_options);
}
