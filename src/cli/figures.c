/*
 * figures.c - health and doctor: figures with their alarms, and whether the installation is sound.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

static void tell_number(const char *name, yyjson_val *value)
{
    if (yyjson_is_null(value))
        printf("  %-18s -\n", name);
    else
        printf("  %-18s %.10g\n", name, yyjson_get_num(value));
}

static void tell_object(yyjson_val *object, const char *const *left_out)
{
    yyjson_obj_iter member = yyjson_obj_iter_with(object);

    for (yyjson_val *key; (key = yyjson_obj_iter_next(&member));) {
        bool out = false;

        for (size_t i = 0; left_out[i]; i++)
            out = out || !strcmp(yyjson_get_str(key), left_out[i]);
        if (!out)
            tell_number(yyjson_get_str(key), yyjson_obj_iter_get_val(key));
    }
}

static void tell_alarm(yyjson_val *alarm)
{
    printf("ALARM ");
    if (yyjson_obj_get(alarm, "tenant_id")) {
        cli_put(mn_json_text_of(alarm, "tenant_id"), true);
        if (yyjson_obj_get(alarm, "user_id")) {
            putchar('/');
            cli_put(mn_json_text_of(alarm, "user_id"), true);
        }
        putchar(' ');
    }
    printf("%s is %g, should be %s: %s\n", mn_json_text_of(alarm, "figure"),
           yyjson_get_num(yyjson_obj_get(alarm, "value")), mn_json_text_of(alarm, "goal"),
           mn_json_text_of(alarm, "do"));
}

static void tell_health(const char *report)
{
    static const char *const names[] = { "tenant_id", "user_id", NULL };
    MN_JSON_AUTO doc = yyjson_read(report, strlen(report), 0);
    yyjson_val *root = yyjson_doc_get_root(doc);
    yyjson_val *alarms = yyjson_obj_get(root, "alarms");
    size_t i, max;
    yyjson_val *item;

    puts("store");
    tell_object(yyjson_obj_get(root, "store"), names);
    yyjson_arr_foreach(yyjson_obj_get(root, "tenants"), i, max, item)
    {
        cli_put(mn_json_text_of(item, "tenant_id"), true);
        putchar('\n');
        tell_object(item, names);
    }
    yyjson_arr_foreach(yyjson_obj_get(root, "users"), i, max, item)
    {
        cli_put(mn_json_text_of(item, "tenant_id"), true);
        putchar('/');
        cli_put(mn_json_text_of(item, "user_id"), true);
        putchar('\n');
        tell_object(item, names);
    }
    yyjson_arr_foreach(alarms, i, max, item)
        tell_alarm(item);
    printf("%zu alarm%s\n", yyjson_arr_size(alarms), yyjson_arr_size(alarms) == 1 ? "" : "s");
}

int cli_health(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_health what = MNEME_HEALTH_INIT;
    const struct cli_option options[] = {
        { "tenant", CLI_TEXT, "ID", "of this tenant (with --user also $MNEME_TENANT); without, of all",
          &what.tenant_id },
        { "user", CLI_TEXT, "ID", "of this user of the tenant", &what.user_id },
        { "now", CLI_TIME, "TIME", "as if it were that time", &what.now_ms },
    };
    const struct cli_command command = {
        .name = "health",
        .arguments = "",
        .wants = "takes no arguments",
        .summary = "Figures of each tenant, of each user and of the store, and what calls for somebody.",
        .details = "A figure that cannot be known is '-', null in JSON. Exit code 1: an alarm stands. "
                   "docs/operating.md\nhas the limits.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    CLI_HANDLE_AUTO handle = NULL;
    struct mneme_error err;
    char **arguments;
    char *report = NULL;
    size_t count;
    int healthy = 0;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (!what.tenant_id && what.user_id)
        what.tenant_id = getenv("MNEME_TENANT");
    if (cli_open(&common, CLI_TO_READ, &handle, &err) != MNEME_OK ||
        mneme_health_report(handle, &what, &healthy, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common.json)
        puts(report);
    else
        tell_health(report);
    mneme_free(report);
    return healthy ? CLI_OK : CLI_FAILED_CHECK;
}

/* "WHAT of FILE: FOUND": of one tenant's file, where each has its own. */
static void tell_found(const char *before, yyjson_val *finding, const char *between,
                       const char *behind)
{
    const char *file = mn_json_text_of(finding, "file");

    printf("%s%s%s%s: ", before, mn_json_text_of(finding, "what"), *file ? " of " : "", file);
    cli_put(mn_json_text_of(finding, "found"), true);
    printf("%s%s%s\n", between, mn_json_text_of(finding, "do"), behind);
}

static void tell_doctor(const char *report, bool sound)
{
    MN_JSON_AUTO doc = yyjson_read(report, strlen(report), 0);
    yyjson_val *root = yyjson_doc_get_root(doc);
    size_t i, max;
    yyjson_val *finding;

    yyjson_arr_foreach(yyjson_obj_get(root, "findings"), i, max, finding)
        tell_found("", finding, ". Do: ", "");
    yyjson_arr_foreach(yyjson_obj_get(root, "pending"), i, max, finding)
        tell_found("pending, ", finding, " (", ")");
    printf("%s: %lld things looked at\n", sound ? "sound" : "NOT SOUND",
           mn_json_integer_of(root, "looked"));
}

int cli_doctor(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "doctor",
        .arguments = "",
        .wants = "takes no arguments",
        .summary = "Looks at the installation: store, key, model, disk, clock.",
        .details = "Each finding says what to do. Nothing is written. Exit code 1: something was found.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL,
        .common = &common,
    };
    struct mneme_options options;
    CLI_KEY_AUTO key = { 0 };
    struct mneme_error err;
    char **arguments;
    char *report = NULL;
    size_t count;
    int sound = 0;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    const char *key_path = common.key_file ? common.key_file : getenv("MNEME_KEY_FILE");
    if (cli_library(&common, &key, &options, &err) != MNEME_OK ||
        mneme_doctor(&options, key_path, &sound, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common.json)
        puts(report);
    else
        tell_doctor(report, sound != 0);
    mneme_free(report);
    return sound ? CLI_OK : CLI_FAILED_CHECK;
}
