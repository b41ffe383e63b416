/*
 * backup.c - backup and restore: the store as a whole, out and back.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

static const char *actor_of(const char *given)
{
    const char *actor = given ? given : getenv("MNEME_ACTOR");

    return mn_empty(actor) ? "cli" : actor;
}

static void print_done(const struct cli_common *common, const char *field, const char *path)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!common->json) {
        printf("%s: %s\n", field, path);
        return;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, field, path);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

int cli_backup(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const char *actor = NULL;
    const struct cli_option options[] = {
        { "actor", CLI_TEXT, "NAME", "who does it; goes into the audit ($MNEME_ACTOR)", &actor },
    };
    const struct cli_command command = {
        .name = "backup",
        .arguments = "FILE",
        .least = 1,
        .most = 1,
        .wants = "takes one argument: the file, which must not be there yet",
        .summary = "Copies the whole store into a file, in one state, while others use it.",
        .details = "The copy is a store under the same key, checked before it gets its name.",
        .groups = CLI_GROUP_STORE,
        .options = options,
        .option_count = 1,
        .common = &common,
    };
    CLI_HANDLE_AUTO handle = NULL;
    struct mneme_error err;
    char **arguments;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    common.model = "none";
    if (cli_open(&common, CLI_TO_READ, &handle, &err) != MNEME_OK ||
        mneme_backup(handle, arguments[0], actor_of(actor), &err) != MNEME_OK)
        return cli_fail(&err);
    print_done(&common, "backup", arguments[0]);
    return CLI_OK;
}

int cli_restore(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const char *actor = NULL;
    const struct cli_option own[] = {
        { "actor", CLI_TEXT, "NAME", "who does it; goes into the audit ($MNEME_ACTOR)", &actor },
    };
    const struct cli_command command = {
        .name = "restore",
        .arguments = "FILE",
        .least = 1,
        .most = 1,
        .wants = "takes one argument: the backup",
        .summary = "Makes a store of a backup, where there is none yet.",
        .details = "To replace a store, stop what uses it and move its files away first. What was "
                   "erased since the backup is back: erase it again (docs/operating.md).",
        .groups = CLI_GROUP_STORE,
        .options = own,
        .option_count = 1,
        .common = &common,
    };
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_error err;
    char **arguments;
    char *key = NULL;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    options.store_path = cli_store_path(&common, &err);
    if (!options.store_path || cli_read_key(&common, &key, &options.key_bytes, &err) != MNEME_OK)
        return cli_fail(&err);
    options.key = key;
    enum mneme_status status = mneme_restore(&options, arguments[0], actor_of(actor), &err);
    free(key);
    if (status != MNEME_OK)
        return cli_fail(&err);
    print_done(&common, "store", options.store_path);
    return CLI_OK;
}
