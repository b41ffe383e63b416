/*
 * options.c - the tables of options: parsing them and printing them.
 *
 * Long options only, as "--name value" or "--name=value"; "--" ends them. What a command takes stands
 * in its table, so that help and parsing cannot disagree.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct group {
    unsigned bit;
    struct cli_option option;
};

#define COMMON(field) ((void *)offsetof(struct cli_common, field))

/* `into` holds the offset in struct cli_common. */
static const struct group groups[] = {
    { CLI_GROUP_STORE, { "store", CLI_TEXT, "PATH",
        "the store ($MNEME_STORE; else the data folder)", COMMON(store) } },
    { CLI_GROUP_STORE, { "key-file", CLI_TEXT, "FILE",
        "the key of an encrypted store ($MNEME_KEY_FILE; the key itself $MNEME_KEY)",
        COMMON(key_file) } },
    { CLI_GROUP_STORE, { "key-command", CLI_TEXT, "COMMAND",
        "a command whose standard output is the key ($MNEME_KEY_COMMAND)", COMMON(key_command) } },
    { CLI_GROUP_STORE, { "archive", CLI_TEXT, "FOLDER|URL",
        "where archived turns are ($MNEME_ARCHIVE)", COMMON(archive) } },
    { CLI_GROUP_STORE, { "json", CLI_FLAG, NULL, "print JSON", COMMON(json) } },
    { CLI_GROUP_MODEL, { "model", CLI_TEXT, "PATH|URL|none",
        "the embedding model, a GGUF or a service ($MNEME_MODEL)", COMMON(model) } },
    { CLI_GROUP_MODEL, { "model-profile", CLI_TEXT, "FILE",
        "its profile, where it is not the default model", COMMON(model_profile) } },
    { CLI_GROUP_MODEL, { "tokenizer", CLI_TEXT, "NAME",
        "o200k (default), cl100k or estimate", COMMON(tokenizer) } },
    { CLI_GROUP_EXTRACTOR, { "extractor", CLI_TEXT, "PATH|URL|none",
        "the language model that reads turns ($MNEME_EXTRACTOR)", COMMON(extractor) } },
    { CLI_GROUP_EXTRACTOR, { "extractor-model", CLI_TEXT, "NAME",
        "its name at the service ($MNEME_EXTRACTOR_MODEL)", COMMON(extractor_model) } },
    { CLI_GROUP_MODEL, { "rerank", CLI_TEXT, "PATH|URL|none",
        "a cross-encoder, a GGUF or a service ($MNEME_RERANK); none by default", COMMON(rerank) } },
    { CLI_GROUP_OWNER, { "tenant", CLI_TEXT, "ID", "the tenant ($MNEME_TENANT)", COMMON(tenant) } },
    { CLI_GROUP_OWNER, { "user", CLI_TEXT, "ID", "the user ($MNEME_USER)", COMMON(user) } },
    { CLI_GROUP_OWNER, { "agent", CLI_TEXT, "ID", "the agent ($MNEME_AGENT)", COMMON(agent) } },
    { CLI_GROUP_PLACE, { "session", CLI_TEXT, "ID",
        "the session ($MNEME_SESSION)", COMMON(session) } },
    { CLI_GROUP_PLACE, { "task", CLI_TEXT, "ID", "the task ($MNEME_TASK)", COMMON(task) } },
    { CLI_GROUP_PLACE, { "project", CLI_TEXT, "ID",
        "the project ($MNEME_PROJECT)", COMMON(project) } },
    { CLI_GROUP_PLACE, { "repo", CLI_TEXT, "ID", "the repository ($MNEME_REPO)", COMMON(repo) } },
    { CLI_GROUP_WHO, { "locale", CLI_TEXT, "TAG", "e.g. zh-CN ($MNEME_LOCALE)", COMMON(locale) } },
    { CLI_GROUP_WHO, { "timezone", CLI_TEXT, "ZONE",
        "e.g. Asia/Shanghai ($MNEME_TIMEZONE)", COMMON(timezone) } },
    { CLI_GROUP_WHO, { "clearance", CLI_TEXT, "LEVEL",
        "public, internal (default), confidential, secret", COMMON(clearance) } },
    { CLI_GROUP_WHO, { "permission", CLI_MANY, "NAME",
        "a permission this call holds; may be repeated", COMMON(permissions) } },
    { CLI_GROUP_WHO, { "env", CLI_MANY, "NAME=VALUE",
        "what the environment is, e.g. python=3.12; may be repeated", COMMON(environment) } },
    { CLI_GROUP_CHANGE, { "actor", CLI_TEXT, "NAME",
        "who changes; goes into the history", COMMON(actor) } },
    { CLI_GROUP_CHANGE, { "reason", CLI_TEXT, "TEXT",
        "why; goes into the history", COMMON(reason) } },
    { CLI_GROUP_CHANGE, { "admin", CLI_FLAG, NULL,
        "write what needs an admin grant: shared rows, rules, an administrator's word",
        COMMON(admin) } },
    { CLI_GROUP_CHANGE, { "now", CLI_TIME, "TIME",
        "the instant of the change instead of the clock's", COMMON(now_ms) } },
};
#define GROUP_COUNT (sizeof groups / sizeof *groups)

/* The option of this name, its target made absolute; *ret_own: it stands in the command's own table. */
static bool find_option(const struct cli_command *command, const char *name, size_t bytes,
                        struct cli_option *ret_option, bool *ret_own)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (strlen(command->options[i].name) == bytes &&
            !memcmp(command->options[i].name, name, bytes)) {
            *ret_option = command->options[i];
            *ret_own = true;
            return true;
        }
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        const struct cli_option *o = &groups[i].option;

        if ((groups[i].bit & command->groups) && strlen(o->name) == bytes &&
            !memcmp(o->name, name, bytes)) {
            *ret_option = *o;
            ret_option->into = (char *)command->common + (size_t)o->into;
            *ret_own = false;
            return true;
        }
    }
    return false;
}

static const struct cli_command *running; /* lives as long as its function runs */

bool cli_takes(const char *name)
{
    struct cli_option option;
    bool own;

    return running && find_option(running, name, strlen(name), &option, &own);
}

int cli_usage(const char *command, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "mneme %s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nSee 'mneme %s --help'.\n", command);
    return CLI_USAGE;
}

static int set_option(const struct cli_command *command, const struct cli_option *option,
                      const char *value)
{
    struct mneme_error err;
    char *end = NULL;

    errno = 0;
    switch (option->kind) {
    case CLI_FLAG:
        *(int *)option->into = 1;
        return CLI_OK;
    case CLI_TEXT:
        if (!*value) /* a variable that is not set, mostly; it must not mean another store or user */
            return cli_usage(command->name, "--%s: is empty, wants %s", option->name,
                             option->value);
        *(const char **)option->into = value;
        return CLI_OK;
    case CLI_CLEARS:
        *(const char **)option->into = value;
        return CLI_OK;
    case CLI_COUNT: {
        unsigned long long number = strtoull(value, &end, 10);

        if (!*value || *end || errno || value[0] == '-' || !number || number > SIZE_MAX)
            return cli_usage(command->name, "--%s: '%s' is not a whole number above 0",
                             option->name, value);
        *(size_t *)option->into = (size_t)number;
        return CLI_OK;
    }
    case CLI_INTEGER: {
        long long number = strtoll(value, &end, 10);

        if (!*value || *end || errno)
            return cli_usage(command->name, "--%s: '%s' is not a whole number", option->name,
                             value);
        *(int64_t *)option->into = number;
        return CLI_OK;
    }
    case CLI_NUMBER: {
        double number = strtod(value, &end);

        if (!*value || *end || errno || number != number)
            return cli_usage(command->name, "--%s: '%s' is not a number", option->name, value);
        *(double *)option->into = number;
        return CLI_OK;
    }
    case CLI_TIME:
        if (mneme_time_parse(value, (int64_t *)option->into, &err) != MNEME_OK)
            return cli_usage(command->name, "--%s: %s", option->name, err.message);
        return CLI_OK;
    case CLI_MANY: {
        struct cli_list *list = option->into;

        if (!*value)
            return cli_usage(command->name, "--%s: is empty, wants %s", option->name,
                             option->value);
        if (list->count == CLI_LIST_MAX)
            return cli_usage(command->name, "--%s: at most %d times", option->name, CLI_LIST_MAX);
        list->item[list->count++] = value;
        return CLI_OK;
    }
    }
    return CLI_OK;
}

static void print_option(const struct cli_option *option)
{
    char left[64];

    snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %-24s  %s\n", left, option->help);
}

static void print_help(const struct cli_command *command)
{
    printf("mneme %s [OPTIONS]%s%s\n\n%s\n", command->name, command->arguments[0] ? " " : "",
           command->arguments, command->summary);
    if (command->details[0])
        printf("\n%s\n", command->details);
    printf("\nOptions\n");
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i]);
    for (size_t i = 0; i < GROUP_COUNT; i++)
        if (groups[i].bit & command->groups)
            print_option(&groups[i].option);
}

#define HELPED (-1)

/* CLI_OK; CLI_USAGE after a message; HELPED after --help. */
static int parse(const struct cli_command *command, int argc, char **argv, size_t *ret_count)
{
    size_t count = 0;
    bool options_end = false;

    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        struct cli_option option;
        bool own = false;

        if (options_end || word[0] != '-' || !strcmp(word, "-")) {
            argv[2 + count++] = argv[i];
            continue;
        }
        if (!strcmp(word, "--")) {
            options_end = true;
            continue;
        }
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            print_help(command);
            return HELPED;
        }
        const char *equals = strchr(word, '=');
        size_t bytes = equals ? (size_t)(equals - word) : strlen(word);
        if (word[1] != '-' || !find_option(command, word + 2, bytes - 2, &option, &own))
            return cli_usage(command->name, "no option %.*s", (int)bytes, word);
        if (option.kind == CLI_FLAG && equals)
            return cli_usage(command->name, "--%s takes no value", option.name);
        if (option.kind != CLI_FLAG && !equals && i + 1 == argc)
            return cli_usage(command->name, "--%s wants %s", option.name, option.value);
        const char *value = option.kind == CLI_FLAG ? NULL : equals ? equals + 1 : argv[++i];
        int code = set_option(command, &option, value);
        if (code != CLI_OK)
            return code;
        command->common->own_given += own;
    }
    *ret_count = count;
    return CLI_OK;
}

bool cli_begin(const struct cli_command *command, int argc, char **argv, char ***ret_arguments,
               size_t *ret_count, int *ret_code)
{
    size_t count = 0;

    running = command;
    int code = parse(command, argc, argv, &count);

    if (code == CLI_OK && (count < command->least || count > command->most))
        code = cli_usage(command->name, "%s", command->wants);
    *ret_code = code == HELPED ? CLI_OK : code;
    *ret_arguments = argv + 2;
    *ret_count = count;
    return code == CLI_OK;
}
