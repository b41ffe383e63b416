/*
 * upkeep.c - the life cycle by hand: what is due, and what became of it.
 */
#include "cli/cli.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define AHEAD_MAX_MS INT64_C(86400000)

struct told {
    int json;
};

static const char *state_name(enum mneme_job_state state)
{
    switch (state) {
    case MNEME_JOB_DONE:
        return "done";
    case MNEME_JOB_LEFT:
        return "left";
    case MNEME_JOB_NOT_DUE:
        return "not due";
    case MNEME_JOB_HELD:
        return "held";
    case MNEME_JOB_FAILED:
        break;
    }
    return "failed";
}

static void print_job(void *context, const struct mneme_job *job)
{
    const struct told *told = context;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    char due[32];

    if (!told->json) {
        printf("%-10s %-8s looked at %lld, changed %lld", job->name, state_name(job->state),
               (long long)job->looked, (long long)job->changed);
        if (*job->file)
            printf("; of %s", job->file);
        if (job->due_at_ms)
            printf("; due %s", mneme_time_print(job->due_at_ms, due, sizeof due));
        printf("%s%s\n", job->message[0] ? "; " : "", job->message);
        return;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "job", job->name);
    mn_json_field_text(&w, "state", state_name(job->state));
    if (*job->file)
        mn_json_field_text(&w, "file", job->file);
    mn_json_field_integer(&w, "looked", job->looked);
    mn_json_field_integer(&w, "changed", job->changed);
    if (job->due_at_ms)
        mn_json_field_time(&w, "due_at", job->due_at_ms);
    if (job->ended_at_ms)
        mn_json_field_time(&w, "ended_at", job->ended_at_ms);
    if (job->message[0])
        mn_json_field_text(&w, "message", job->message);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

int cli_maintain(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    size_t seconds = 0;
    const struct cli_option options[] = {
        { "job", CLI_TEXT, "NAME", "this one alone", &what.job },
        { "all", CLI_FLAG, NULL, "also what is not due yet", &what.all },
        { "pieces", CLI_COUNT, "N", "at most so many pieces, each of some hundred rows",
          &what.pieces_max },
        { "seconds", CLI_COUNT, "N", "begin no piece after so long", &seconds },
        { "now", CLI_TIME, "TIME", "the instant to judge by instead of the clock's, at most a day ahead of it",
          &what.now_ms },
    };
    const struct cli_command command = {
        .name = "maintain",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments",
        .summary = "Does what is due: decay, review of importance, expiry, sessions that have ended.",
        .details = "Cut short anywhere, the next call goes on. Exit code 0 also when pieces are left. With\n"
                   "--extractor a language model draws from the sessions, and what it says must stand in\n"
                   "their turns.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_EXTRACTOR,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    CLI_HANDLE_AUTO handle = NULL;
    struct told told = { 0 };
    struct mneme_error err;
    char **arguments;
    size_t count;
    int left = 0;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (what.now_ms > mn_clock_now_ms() + AHEAD_MAX_MS) {
        mn_fail(&err, MNEME_INVALID,
                "now: is more than a day ahead of the clock; what ends or fades by it would be so for "
                "good");
        return cli_fail(&err);
    }
    common.model = "none"; /* vectors follow by themselves */
    what.time_max_ms = (int64_t)seconds * 1000;
    told.json = common.json;
    if (cli_open(&common, CLI_TO_WRITE, &handle, &err) != MNEME_OK ||
        mneme_maintain(handle, &what, print_job, &told, &left, &err) != MNEME_OK)
        return cli_fail(&err);
    if (left && !common.json)
        printf("there is more to do\n");
    return CLI_OK;
}
