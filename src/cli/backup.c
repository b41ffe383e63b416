/*
 * backup.c - backup, restore, rotate-key: the store as a whole, out, back, and under another key.
 */
#include "cli/cli.h"

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

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
        mneme_backup(handle, arguments[0], cli_actor(actor), &err) != MNEME_OK)
        return cli_fail(&err);
    print_done(&common, "backup", arguments[0]);
    return CLI_OK;
}

int cli_restore(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const char *actor = NULL;
    const char *tenant_keys = NULL;
    const struct cli_option own[] = {
        { "tenant-keys", CLI_TEXT, "FILE",
          "of a store whose tenants have keys of their own: its root.mneme", &tenant_keys },
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
        .option_count = 2,
        .common = &common,
    };
    struct mneme_options options = MNEME_OPTIONS_INIT;
    CLI_KEY_AUTO key = { 0 };
    struct mneme_error err;
    char **arguments;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    options.store_path = cli_store_path(&common, &err);
    if (!options.store_path || cli_read_key(&common, &key, &err) != MNEME_OK)
        return cli_fail(&err);
    options.key = key.bytes ? key.text : NULL;
    options.key_bytes = key.bytes;
    options.tenant_keys_path = tenant_keys;
    if (mneme_restore(&options, arguments[0], cli_actor(actor), &err) != MNEME_OK)
        return cli_fail(&err);
    print_done(&common, "store", options.store_path);
    return CLI_OK;
}

int cli_rotate_key(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct cli_key_source source = { .file_option = "new_key_file",
                                     .command_option = "new_key_command",
                                     .text_variable = "MNEME_NEW_KEY",
                                     .file_variable = "MNEME_NEW_KEY_FILE",
                                     .command_variable = "MNEME_NEW_KEY_COMMAND" };
    const char *actor = NULL;
    const char *tenant = NULL;
    const struct cli_option own[] = {
        { "new-key-file", CLI_TEXT, "FILE",
          "the new key ($MNEME_NEW_KEY_FILE; the key itself $MNEME_NEW_KEY)", &source.file },
        { "new-key-command", CLI_TEXT, "COMMAND",
          "a command whose standard output is the new key ($MNEME_NEW_KEY_COMMAND)",
          &source.command },
        { "tenant", CLI_TEXT, "ID",
          "where tenants have files of their own: a new random key for this one's", &tenant },
        { "actor", CLI_TEXT, "NAME", "who does it; goes into the audit ($MNEME_ACTOR)", &actor },
    };
    const struct cli_command command = {
        .name = "rotate-key",
        .arguments = "",
        .wants = "takes no arguments",
        .summary = "Encrypts the whole store anew, under another key, while others read.",
        .details = "Killed on the way, the store opens with the old key or with the new one. What "
                   "else has the store open must open it again. A store without a key gets one. "
                   "Backups stay under the key that they were made with. Where tenants have files of "
                   "their own, the key guards their keys alone, and --tenant destroys one's: backups "
                   "of it can be read no more.",
        .groups = CLI_GROUP_STORE,
        .options = own,
        .option_count = sizeof own / sizeof *own,
        .common = &common,
    };
    CLI_HANDLE_AUTO handle = NULL;
    CLI_KEY_AUTO key = { 0 };
    struct mneme_error err;
    char **arguments;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    common.model = "none";
    if (!tenant && cli_key_get(&source, &key, &err) != MNEME_OK)
        return cli_fail(&err);
    if (!tenant && key.bytes == 0)
        return cli_usage("rotate-key", "say where the new key is: --new-key-file, "
                                       "--new-key-command or $MNEME_NEW_KEY");
    if (cli_open(&common, CLI_TO_WRITE, &handle, &err) != MNEME_OK ||
        (tenant ? mneme_rotate_tenant_key(handle, tenant, cli_actor(actor), &err)
                : mneme_rotate_key(handle, key.text, key.bytes, cli_actor(actor), &err)) != MNEME_OK)
        return cli_fail(&err);
    print_done(&common, "rotated", cli_store_path(&common, &err));
    return CLI_OK;
}
