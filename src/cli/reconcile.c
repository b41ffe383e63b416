/*
 * reconcile.c - reconcile and rebuild: what is derived, compared with the rows and made anew.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define EMBED_AT_ONCE 64

static void tell_row(yyjson_val *row)
{
    printf("    ");
    cli_put(mn_json_text_of(row, "tenant_id"), true);
    putchar('/');
    cli_put(mn_json_text_of(row, "user_id"), true);
    putchar('/');
    cli_put(mn_json_text_of(row, "id"), true);
    putchar('\n');
}

static void tell_part(yyjson_val *part)
{
    long long differ = mn_json_integer_of(part, "differ");
    size_t i, max;
    yyjson_val *row;

    if (!differ)
        return;
    printf("%s: %lld of %lld differ, %lld repaired\n", mn_json_text_of(part, "part"), differ,
           mn_json_integer_of(part, "rows"), mn_json_integer_of(part, "repaired"));
    yyjson_arr_foreach(yyjson_obj_get(part, "examples"), i, max, row)
        tell_row(row);
}

static void tell_parked(yyjson_val *root)
{
    long long parked = mn_json_integer_of(root, "parked");
    size_t i, max;
    yyjson_val *unit;

    if (yyjson_obj_get(root, "retried"))
        printf("tried again: %lld, embedded now: %lld\n", mn_json_integer_of(root, "retried"),
               mn_json_integer_of(root, "embedded"));
    if (!parked)
        return;
    printf("parked: %lld without a vector, since the model refused them; they are found by their "
           "words. 'mneme reconcile --retry-parked' tries them again\n",
           parked);
    yyjson_arr_foreach(yyjson_obj_get(root, "parked_units"), i, max, unit)
        tell_row(unit);
}

static void tell(const char *report, bool clean)
{
    MN_JSON_AUTO doc = yyjson_read(report, strlen(report), 0);
    yyjson_val *root = yyjson_doc_get_root(doc);
    size_t i, max;
    yyjson_val *part;

    yyjson_arr_foreach(yyjson_obj_get(root, "parts"), i, max, part)
        tell_part(part);
    tell_parked(root);
    printf(clean ? "clean\n" : "NOT CLEAN: 'mneme reconcile --repair' puts it right\n");
}

/* All that has no vector, however long it takes. */
static enum mneme_status embed_all(struct mneme *handle, struct mneme_error *err)
{
    size_t left = 1;

    while (left && !mneme_model_status(handle)[0])
        MN_TRY(mneme_run_due(handle, EMBED_AT_ONCE, &left, err));
    return MNEME_OK;
}

int cli_reconcile(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_reconciliation how = MNEME_RECONCILIATION_INIT;
    const char *actor = NULL;
    const struct cli_option options[] = {
        { "repair", CLI_FLAG, NULL, "put right what differs", &how.repair },
        { "retry-parked", CLI_FLAG, NULL, "try texts again that the model refused too often",
          &how.retry_parked },
        { "actor", CLI_TEXT, "NAME", "who does it; goes into the audit ($MNEME_ACTOR)", &actor },
    };
    const struct cli_command command = {
        .name = "reconcile",
        .arguments = "",
        .wants = "takes no arguments",
        .summary = "Holds what is derived against the rows it is derived from.",
        .details = "Exit code 1: something differs, and was not repaired. With a model, vectors that "
                   "were lost are\nmade again by --repair.",
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
    int clean = 0;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    how.actor = cli_actor(actor);
    if (cli_open(&common, how.repair || how.retry_parked ? CLI_TO_WRITE : CLI_TO_READ, &handle,
                 &err) != MNEME_OK ||
        mneme_reconcile(handle, &how, &clean, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common.json)
        puts(report);
    else
        tell(report, clean != 0);
    mneme_free(report);
    if (how.repair && embed_all(handle, &err) != MNEME_OK)
        return cli_fail(&err);
    return clean ? CLI_OK : CLI_FAILED_CHECK;
}

int cli_rebuild(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_rebuilding how = MNEME_REBUILDING_INIT;
    const char *actor = NULL;
    const struct cli_option options[] = {
        { "with-vectors", CLI_FLAG, NULL, "embed every text again; the former vector serves until then",
          &how.with_vectors },
        { "drop-other-models", CLI_FLAG, NULL, "vectors of models that are not in force go",
          &how.drop_other_models },
        { "actor", CLI_TEXT, "NAME", "who does it; goes into the audit ($MNEME_ACTOR)", &actor },
    };
    const struct cli_command command = {
        .name = "rebuild",
        .arguments = "",
        .wants = "takes no arguments",
        .summary = "Makes what is derived anew from the rows, while others use the store.",
        .details = "",
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
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    how.actor = cli_actor(actor);
    if (cli_open(&common, CLI_TO_WRITE, &handle, &err) != MNEME_OK ||
        mneme_rebuild(handle, &how, &report, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common.json) {
        puts(report);
    } else {
        MN_JSON_AUTO doc = yyjson_read(report, strlen(report), 0);
        yyjson_val *root = yyjson_doc_get_root(doc);

        printf("rebuilt: %lld repaired, %lld embedded, %lld vectors of other models dropped\n",
               mn_json_integer_of(root, "repaired"), mn_json_integer_of(root, "embedded"),
               mn_json_integer_of(root, "dropped_vectors"));
    }
    mneme_free(report);
    return embed_all(handle, &err) == MNEME_OK ? CLI_OK : cli_fail(&err);
}
