/*
 * unread.c - turns that the extractor has still to read: which, and reading them now.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

static int print_waiting(void *context, const struct mneme_extraction *x)
{
    const struct cli_common *common = context;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    char due[32];

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "event_id", x->event_id);
    mn_json_field_text(&w, "user_id", x->user_id);
    mn_json_field_text(&w, "session_id", x->session_id);
    mn_json_field_text(&w, "state", x->state);
    mn_json_field_integer(&w, "attempts", x->attempts);
    mn_json_field_text(&w, "reason", x->reason);
    mn_json_field_time(&w, "due_at", x->due_at_ms);
    mn_json_field_time(&w, "queued_at", x->queued_at_ms);
    mn_json_close(&w, '}');
    if (common->json) {
        puts(out.failed ? "" : out.at);
        return 0;
    }
    cli_put(x->event_id, true);
    fputs("  session ", stdout);
    cli_put(x->session_id, true);
    printf("  %s", x->state);
    if (x->attempts)
        printf(" %lld time%s: ", (long long)x->attempts, x->attempts == 1 ? "" : "s");
    cli_put(x->reason, true);
    if (x->due_at_ms)
        printf("; due %s\n", mn_time_print(x->due_at_ms, due, sizeof due));
    else
        puts("; left alone until 'mneme extract'");
    return 0;
}

static void print_read(const struct cli_common *common, const struct mneme_read *read)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "turns", (int64_t)read->turns);
    mn_json_field_integer(&w, "failed", (int64_t)read->failed);
    mn_json_field_integer(&w, "proposed", (int64_t)read->proposed);
    mn_json_field_integer(&w, "unsupported", (int64_t)read->unsupported);
    mn_json_field_integer(&w, "written", (int64_t)read->written);
    mn_json_field_text(&w, "reason", read->first_failure.message);
    mn_json_close(&w, '}');
    if (common->json)
        puts(out.failed ? "" : out.at);
    else
        printf("%zu turn%s read, %zu memories proposed, %zu not borne out, %zu written\n",
               read->turns, read->turns == 1 ? "" : "s", read->proposed, read->unsupported,
               read->written);
}

static enum mneme_status tenant_alone(const struct cli_common *common,
                                      struct mneme_identity *ret_identity, struct mneme_error *err)
{
    struct mneme_identity identity = { 0 };

    MN_TRY(cli_require_tenant(common, err));
    cli_place(common, &identity);
    identity.user_id = identity.session_id = NULL;
    *ret_identity = identity;
    return MNEME_OK;
}

int cli_extract(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_read read = MNEME_READ_INIT;
    int list = 0, all_users = 0;
    const struct cli_option options[] = {
        { "list", CLI_FLAG, NULL, "show what waits, and why; read nothing", &list },
        { "all-users", CLI_FLAG, NULL, "of every user of the tenant", &all_users },
    };
    const struct cli_command command = {
        .name = "extract",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments",
        .summary = "Lets the extractor read the turns of a user, of --session or of --all-users, that wait.",
        .details = "Those that failed are tried again. Its key, where it is a service, is\n"
                   "$MNEME_EXTRACTOR_KEY.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_EXTRACTOR | CLI_GROUP_OWNER |
                  CLI_GROUP_PLACE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (all_users && (common.user || common.session))
        return cli_usage("extract", "--all-users goes without --%s", common.user ? "user" : "session");
    if ((all_users ? tenant_alone(&common, &identity, &err)
                   : cli_identity(&common, &identity, &err)) != MNEME_OK ||
        cli_open(&common, list ? CLI_TO_READ : CLI_TO_WRITE, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    enum mneme_status status =
        list ? mneme_extractions(handle, identity.tenant_id, identity.user_id, identity.session_id,
                                 print_waiting, &common, &err)
             : mneme_extract(handle, identity.tenant_id, identity.user_id, identity.session_id,
                             &read, &err);
    if (status != MNEME_OK)
        return cli_fail(&err);
    if (list)
        return CLI_OK;
    print_read(&common, &read);
    return read.failed ? cli_fail(&read.first_failure) : CLI_OK;
}
