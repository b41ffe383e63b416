/*
 * granularity.c - which memories hold too much, or too little to be understood.
 */
#include "cli/cli.h"

#include <stdio.h>

#include "base/json.h"
#include "base/str.h"

struct report {
    int json;
    size_t coarse, fine, long_ones;
};

static int print_grain(void *context, const struct mneme_grain *grain)
{
    struct report *report = context;
    bool is_long = mn_empty(grain->into) && !grain->parts.count;
    bool coarse = mn_empty(grain->into) && !is_long;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    report->coarse += coarse;
    report->fine += !coarse && !is_long;
    report->long_ones += is_long;
    if (!report->json) {
        printf("%s  %s%s%s\n", grain->id,
               is_long  ? "long, shown by passages"
               : coarse ? "too coarse"
                        : "a piece of ",
               grain->into,
               grain->done ? coarse ? ": split" : ": merged" : "");
        for (size_t i = 0; i < grain->parts.count; i++) {
            printf("    ");
            cli_put(grain->parts.item[i], true);
            printf("\n");
        }
        return 0;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", grain->id);
    mn_json_field_text(&w, "finding", is_long  ? "long"
                                     : coarse ? "coarse"
                                              : "fine");
    if (!coarse && !is_long)
        mn_json_field_text(&w, "into", grain->into);
    mn_json_key(&w, "parts");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < grain->parts.count; i++)
        mn_json_put_text(&w, grain->parts.item[i]);
    mn_json_close(&w, ']');
    mn_json_field_bool(&w, "done", grain->done != 0);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
    return 0;
}

int cli_granularity(int argc, char **argv)
{
    struct cli_common common = { 0 };
    int apply = 0;
    const struct cli_option options[] = {
        { "apply", CLI_FLAG, NULL, "split and merge them", &apply },
    };
    const struct cli_command command = {
        .name = "granularity",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments",
        .summary = "Tells which memories hold several titled things, are pieces of another, or are long.",
        .details = "With --apply they are split and merged; what that forgets can be brought back.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_change change;
    struct report report = { 0 };
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_WRITE, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    cli_change(&common, &change);
    report.json = common.json;
    if (mneme_granularity(handle, identity.tenant_id, identity.user_id, apply, &change, print_grain,
                          &report, &err) != MNEME_OK)
        return cli_fail(&err);
    if (!common.json)
        printf("%zu too coarse, %zu pieces, %zu long\n", report.coarse, report.fine,
               report.long_ones);
    return CLI_OK;
}
