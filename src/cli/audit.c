/*
 * audit.c - audit: the record of who wrote, recalled and erased what, listed or checked.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

struct wish {
    const char *tenant, *user, *row; /* as given; only --user and --id look for $MNEME_TENANT */
    const char *noted;
};

/* A name, or what is left of it. */
static void put_name(const char *name, const char *digest)
{
    if (!mn_empty(name))
        cli_put(name, true);
    else if (digest[0])
        printf("(%.8s)", digest);
    else
        putchar('-');
}

static int print_entry(void *context, const struct mneme_audit_entry *e)
{
    const struct cli_common *common = context;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    char at[32];

    mneme_time_print(e->at_ms, at, sizeof at);
    if (!common->json) {
        printf("%lld  %s  %-10s  ", (long long)e->seq, at, e->action);
        put_name(e->tenant_id, e->tenant_digest);
        putchar('/');
        put_name(e->user_id, e->user_digest);
        fputs("  by ", stdout);
        put_name(e->actor, e->actor_digest);
        printf("  %s\n", e->detail);
        return 0;
    }
    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "seq", e->seq);
    mn_json_field_text(&w, "at", at);
    mn_json_field_text(&w, "action", e->action);
    mn_json_field_text(&w, "tenant_id", e->tenant_id);
    mn_json_field_text(&w, "user_id", e->user_id);
    mn_json_field_text(&w, "actor", e->actor);
    mn_json_field_text(&w, "tenant_digest", e->tenant_digest);
    mn_json_field_text(&w, "user_digest", e->user_digest);
    mn_json_field_text(&w, "actor_digest", e->actor_digest);
    mn_json_key(&w, "detail");
    mn_json_put_raw(&w, e->detail);
    mn_json_field_text(&w, "hash", e->hash);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
    return 0;
}

static int verify(const struct cli_common *common, const struct wish *wish)
{
    CLI_HANDLE_AUTO handle = NULL;
    struct mneme_error err;
    char *report = NULL;
    int sound = 0;

    if (cli_open(common, CLI_TO_READ, &handle, &err) != MNEME_OK ||
        mneme_audit_verify(handle, wish->noted, &sound, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common->json) {
        puts(report);
    } else {
        MN_JSON_AUTO doc = yyjson_read(report, strlen(report), 0);
        yyjson_val *root = yyjson_doc_get_root(doc);

        printf("%s: %lld entries\n", sound ? "sound" : "NOT SOUND",
               mn_json_integer_of(root, "entries"));
        if (sound && mn_json_text_of(root, "end")[0]) /* nothing was noted yet */
            printf("end: %s\n", mn_json_text_of(root, "end"));
        else if (!sound && !strcmp(mn_json_text_of(root, "fault"), "name"))
            printf("first fault: name, one beside the record is not that of its digest\n");
        else if (!sound)
            printf("first fault: %s, at entry %lld\n", mn_json_text_of(root, "fault"),
                   mn_json_integer_of(root, "at"));
    }
    mneme_free(report);
    return sound ? CLI_OK : CLI_FAILED_CHECK;
}

static int list(const struct cli_common *common, const struct wish *wish)
{
    const char *tenant = wish->tenant;
    CLI_HANDLE_AUTO handle = NULL;
    struct mneme_error err;

    if (!tenant && (wish->user || wish->row))
        tenant = getenv("MNEME_TENANT");
    enum mneme_status status = cli_open(common, CLI_TO_READ, &handle, &err);
    if (status == MNEME_OK)
        status = mneme_audit_list(handle, tenant, wish->user, wish->row, print_entry,
                                  (void *)common, &err);
    return status == MNEME_OK ? CLI_OK : cli_fail(&err);
}

int cli_audit(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct wish wish = { 0 };
    const struct cli_option options[] = {
        { "tenant", CLI_TEXT, "ID", "list: of this tenant; with --user or --id also $MNEME_TENANT",
          &wish.tenant },
        { "user", CLI_TEXT, "ID", "list: of this user of the tenant", &wish.user },
        { "id", CLI_TEXT, "ID", "list: about this memory, event, edge, task or session", &wish.row },
        { "noted", CLI_TEXT, "END", "verify: an end that an earlier check printed must be in it",
          &wish.noted },
    };
    const struct cli_command command = {
        .name = "audit",
        .arguments = "list|verify",
        .least = 1,
        .most = 1,
        .wants = "takes one of: list, verify",
        .summary = "Shows who wrote, recalled and erased what and when, or checks that this record is "
                   "whole.",
        .details = "Ids of rows are digests: who knows an id can ask for it with --id. Exit code 1: "
                   "not whole.",
        .groups = CLI_GROUP_STORE,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    char **arguments;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    common.model = "none";
    if (strcmp(arguments[0], "list") == 0)
        return list(&common, &wish);
    if (strcmp(arguments[0], "verify") == 0)
        return verify(&common, &wish);
    return cli_usage("audit", "'%s' is none of list, verify", arguments[0]);
}
