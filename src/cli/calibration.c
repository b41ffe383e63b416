/*
 * calibration.c - mneme calibrate: the profile of another embedding model, from a small set of texts.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "eval/calibrate.h"

#define TEXTS_FEW 100
#define COUNT_OF(array) (sizeof array / sizeof *array)

static void put_line(struct mn_buf *out, const char *name, double measured, double base)
{
    if (isnan(measured))
        mn_buf_printf(out, "%-17s not measured: no such texts\n", name);
    else if (isnan(base))
        mn_buf_printf(out, "%-17s %.4g\n", name, measured);
    else
        mn_buf_printf(out, "%-17s %.4g (the given profile has %.4g)\n", name, measured, base);
}

static void tell(struct mn_buf *out, const struct mn_calibrate_report *r, const char *path)
{
    mn_buf_printf(out, "%zu texts\n", r->texts);
    put_line(out, "unrelated_mean", r->unrelated_mean, r->base_unrelated_mean);
    put_line(out, "  its spread", r->unrelated_spread, NAN);
    put_line(out, "floor_question", r->floor_question, r->base_floor_question);
    put_line(out, "  rejects", r->rejected_question, NAN);
    put_line(out, "floor_statement", r->floor_statement, r->base_floor_statement);
    put_line(out, "  rejects", r->rejected_statement, NAN);
    put_line(out, "duplicate_cosine", r->duplicate_cosine, r->base_duplicate_cosine);
    mn_buf_printf(out, "tokens: %zu states%s\n", r->token_states,
                  r->token_states ? ", 128 axes" : " are given, so that no axes are made");
    if (!isnan(r->mean_cosine))
        mn_buf_printf(out, "means: a cosine of %.4f or more with the given ones\n", r->mean_cosine);
    if (r->texts < TEXTS_FEW)
        mn_buf_printf(out, "floors of so few texts say little: measure them with mneme eval abstain\n");
    mn_buf_printf(out, "written: %s; it is used with --model-profile or $MNEME_MODEL_PROFILE\n", path);
}

static void put(struct mn_json_writer *w, const struct mn_calibrate_report *r)
{
    mn_json_open(w, '{');
    mn_json_field_integer(w, "texts", (int64_t)r->texts);
    mn_json_field_integer(w, "token_states", (int64_t)r->token_states);
    mn_json_field_number(w, "unrelated_mean", r->unrelated_mean, 4);
    mn_json_field_number(w, "unrelated_spread", r->unrelated_spread, 4);
    mn_json_field_number(w, "floor_question", r->floor_question, 2);
    mn_json_field_number(w, "rejected_question", r->rejected_question, 3);
    mn_json_field_number(w, "floor_statement", r->floor_statement, 2);
    mn_json_field_number(w, "rejected_statement", r->rejected_statement, 3);
    mn_json_field_number(w, "duplicate_cosine", r->duplicate_cosine, 2);
    mn_json_field_number(w, "mean_cosine", r->mean_cosine, 4);
    mn_json_close(w, '}');
    mn_buf_char(w->out, '\n');
}

static int print(const struct mn_calibrate_report *report, const char *path, int json)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    struct mneme_error err;

    if (json)
        put(&w, report);
    else
        tell(&out, report, path);
    if (out.failed) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    fputs(out.at, stdout);
    return CLI_OK;
}

int cli_calibrate(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mn_calibrate_options calibrate = { .progress = isatty(2) ? stderr : NULL };
    const struct cli_option options[] = {
        { "texts", CLI_TEXT, "FILE", "the set of texts (eval/calibration/texts.jsonl)",
          &calibrate.texts_path },
        { "out", CLI_TEXT, "PROFILE", "where the profile goes", &calibrate.out_path },
        { "json", CLI_FLAG, NULL, "print JSON", &common.json },
    };
    const struct cli_command command = {
        .name = "calibrate",
        .arguments = "",
        .summary = "Measures what recall must know of an embedding model, and writes its profile.",
        .details = "--model-profile names a profile that says at least name and dim, and the prefixes\n"
                   "that the model was trained with; the new one has all that it has. Means, floors and\n"
                   "the likeness of duplicates are measured (docs/evaluation.md).",
        .groups = CLI_GROUP_MODEL,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct mn_calibrate_report report;
    struct mneme_error err;
    char **arguments;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (!calibrate.texts_path || !calibrate.out_path)
        return cli_usage("calibrate", "wants --texts and --out");
    calibrate.setup.model_path = cli_model_path(&common);
    calibrate.setup.profile_path = common.model_profile ? common.model_profile
                                                        : getenv("MNEME_MODEL_PROFILE");
    calibrate.setup.model_key = getenv("MNEME_MODEL_KEY");
    calibrate.setup.tokenizer = common.tokenizer ? common.tokenizer : getenv("MNEME_TOKENIZER");
    calibrate.setup.cache_path = getenv("MNEME_EMBEDDING_CACHE");
    if (mn_calibrate_run(&calibrate, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    return print(&report, calibrate.out_path, common.json);
}
