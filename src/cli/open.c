/*
 * open.c - what the options and the environment come to: the store, the model, who asks, what is read.
 */
#include "cli/archiving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

#define VECTORS_AFTER 8 /* about a tenth of a second of work */
#define TEXT_BYTES_MAX ((size_t)16 << 20) /* standard input; fields have less, told later */
#define DEFAULT_MODEL "models/multilingual-e5-small-q4_0.gguf"

static const char *from_environment(const char *value, const char *name)
{
    return value ? value : getenv(name);
}

/* $NAME/mneme/REST or $HOME/FALLBACK/mneme/REST into `path`; false when neither is set. */
static bool xdg_path(char *path, size_t bytes, const char *name, const char *fallback,
                     const char *rest)
{
    const char *base = getenv(name);
    const char *home = getenv("HOME");

    if (!mn_empty(base))
        return snprintf(path, bytes, "%s/mneme/%s", base, rest) < (int)bytes;
    return !mn_empty(home) &&
           snprintf(path, bytes, "%s/%s/mneme/%s", home, fallback, rest) < (int)bytes;
}

const char *cli_store_path(const struct cli_common *common, struct mneme_error *err)
{
    static char path[4096];
    const char *given = from_environment(common->store, "MNEME_STORE");

    if (!mn_empty(given))
        return given;
    if (xdg_path(path, sizeof path, "XDG_DATA_HOME", ".local/share", "store.mneme"))
        return path;
    mn_fail(err, MNEME_INVALID, "store: say where it is; $HOME is not set");
    return NULL;
}

const char *cli_model_path(const struct cli_common *common)
{
    static char path[4096];
    const char *given = from_environment(common->model, "MNEME_MODEL");
    const char *cache = getenv("MNEME_CACHE");

    if (given)
        return given;
    if (!mn_empty(cache)) {
        snprintf(path, sizeof path, "%s/%s", cache, DEFAULT_MODEL);
        if (!access(path, R_OK))
            return path;
    }
    if (xdg_path(path, sizeof path, "XDG_DATA_HOME", ".local/share", DEFAULT_MODEL) &&
        !access(path, R_OK))
        return path;
    if (xdg_path(path, sizeof path, "XDG_CACHE_HOME", ".cache", DEFAULT_MODEL) &&
        !access(path, R_OK))
        return path;
    return "";
}

/* Those of the default store are made; another's must be there, so that a typing error makes none. */
static enum mneme_status check_folder(const char *store, struct mneme_error *err)
{
    const char *slash = strrchr(store, '/');
    char folder[4096];
    struct stat about;

    if (!slash || slash == store)
        return MNEME_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - store), store);
    if (!stat(folder, &about) && S_ISDIR(about.st_mode))
        return MNEME_OK;
    return mn_fail(err, MNEME_INVALID, "store: there is no folder %s; make it first", folder);
}

/* The folder of the store and those above it, private to the user. */
static void make_folders(const char *store)
{
    char path[4096];

    snprintf(path, sizeof path, "%s", store);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700); /* what cannot be made shows when the store is opened */
        *slash = '/';
    }
}

enum mneme_status cli_read_key(const struct cli_common *common, struct cli_key *ret_key,
                               struct mneme_error *err)
{
    const struct cli_key_source source = { .file_option = "key_file",
                                           .command_option = "key_command",
                                           .file = common->key_file,
                                           .command = common->key_command,
                                           .text_variable = "MNEME_KEY",
                                           .file_variable = "MNEME_KEY_FILE",
                                           .command_variable = "MNEME_KEY_COMMAND" };

    return cli_key_get(&source, ret_key, err);
}

/* A key that is wrong stays wrong; a folder that cannot be written can still be read. */
static bool may_be_read(const struct mneme_error *err)
{
    return err->status == MNEME_FORBIDDEN && strcmp(err->field, "key") != 0;
}

/* A model that was given and does not load fails nothing, and is not passed over in silence. */
static void tell_model(const struct mneme *handle, const char *model)
{
    if (!mn_empty(model) && strcmp(model, "none") != 0 && mneme_model_status(handle)[0])
        cli_tell("without vectors", mneme_model_status(handle));
}

static bool is_none(const char *extractor)
{
    return mn_empty(extractor) || !strcmp(extractor, "none");
}

static void tell_extractor(const struct mneme *handle, const char *extractor)
{
    if (cli_takes("extractor") && !is_none(extractor) && mneme_extractor_status(handle)[0])
        cli_tell("by rules alone", mneme_extractor_status(handle));
}

static void tell_reranker(const struct mneme *handle)
{
    if (cli_takes("rerank") && mneme_rerank_status(handle)[0])
        cli_tell("in the order as ranked", mneme_rerank_status(handle));
}

enum mneme_status cli_library(const struct cli_common *common, struct cli_key *key,
                              struct mneme_options *ret_options, struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    options.store_path = cli_store_path(common, err);
    if (!options.store_path)
        return MNEME_INVALID;
    MN_TRY(cli_read_key(common, key, err));
    options.key = key->bytes ? key->text : NULL;
    options.key_bytes = key->bytes;
    options.model_path = cli_model_path(common);
    options.profile_path = from_environment(common->model_profile, "MNEME_MODEL_PROFILE");
    options.model_key = getenv("MNEME_MODEL_KEY");
    options.tokenizer = from_environment(common->tokenizer, "MNEME_TOKENIZER");
    if (cli_takes("extractor")) {
        options.extractor_path = from_environment(common->extractor, "MNEME_EXTRACTOR");
        options.extractor_model = from_environment(common->extractor_model, "MNEME_EXTRACTOR_MODEL");
        options.extractor_key = getenv("MNEME_EXTRACTOR_KEY");
    } else if (!is_none(getenv("MNEME_EXTRACTOR"))) {
        options.extractor_path = "elsewhere"; /* a command that does not wait for it */
    }
    options.rerank_path = from_environment(common->rerank, "MNEME_RERANK");
    options.rerank_key = getenv("MNEME_RERANK_KEY");
    options.rerank_model = getenv("MNEME_RERANK_MODEL");
    options.embedding_cache_path = getenv("MNEME_EMBEDDING_CACHE");
    MN_TRY(cli_archive_options(common, &options, err));
    *ret_options = options;
    return MNEME_OK;
}

enum mneme_status cli_open(const struct cli_common *common, enum cli_purpose purpose,
                           struct mneme **ret_handle, struct mneme_error *err)
{
    struct mneme_options options;
    CLI_KEY_AUTO key = { 0 };

    MN_TRY(cli_library(common, &key, &options, err));
    if (purpose == CLI_TO_CREATE && !mn_empty(from_environment(common->store, "MNEME_STORE")))
        MN_TRY(check_folder(options.store_path, err));
    else if (purpose == CLI_TO_CREATE)
        make_folders(options.store_path);
    options.create = purpose == CLI_TO_CREATE;
    options.per_tenant = common->per_tenant != NULL;
    enum mneme_status status = mneme_open(&options, ret_handle, err);
    if (purpose == CLI_TO_READ && status == MNEME_FORBIDDEN && may_be_read(err)) {
        options.read_only = 1;
        status = mneme_open(&options, ret_handle, err);
    }
    if (status == MNEME_OK)
        tell_model(*ret_handle, options.model_path);
    if (status == MNEME_OK)
        tell_extractor(*ret_handle, options.extractor_path);
    if (status == MNEME_OK)
        tell_reranker(*ret_handle);
    if (status == MNEME_NOT_FOUND)
        return mn_fail(err, MNEME_NOT_FOUND, "store: there is none at %s; make one with 'mneme init'",
                       options.store_path);
    return status;
}

void cli_catch_up(struct mneme *handle)
{
    struct mneme_error err;

    fflush(stdout);
    if (mneme_model_status(handle)[0])
        return;
    if (mneme_run_due(handle, VECTORS_AFTER, NULL, &err) != MNEME_OK &&
        err.status != MNEME_FORBIDDEN) /* a store that cannot be written stays as it is */
        fprintf(stderr, "mneme: vectors come later (%s)\n", err.message);
}

void cli_close(struct mneme **handle)
{
    mneme_close(*handle);
    *handle = NULL;
}

/* ---- who asks ---- */

enum mneme_status cli_require_tenant(const struct cli_common *common, struct mneme_error *err)
{
    if (mn_empty(from_environment(common->tenant, "MNEME_TENANT")))
        return mn_fail(err, MNEME_INVALID, "tenant: say whose memory it is");
    return MNEME_OK;
}

enum mneme_status cli_require_owner(const struct cli_common *common, struct mneme_error *err)
{
    MN_TRY(cli_require_tenant(common, err));
    if (mn_empty(from_environment(common->user, "MNEME_USER")))
        return mn_fail(err, MNEME_INVALID, "user: say whose memory it is");
    return MNEME_OK;
}

static enum mneme_status split_environment(const struct cli_list *list, struct mneme_pair *pairs,
                                           struct mneme_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        char *text = strdup(list->item[i]); /* lives as long as the command */
        char *equals = text ? strchr(text, '=') : NULL;

        if (!text)
            return mn_fail_memory(err);
        if (!equals || equals == text) {
            free(text);
            return mn_fail(err, MNEME_INVALID, "env: '%s' is not NAME=VALUE", list->item[i]);
        }
        *equals = '\0';
        pairs[i] = (struct mneme_pair){ text, equals + 1 };
    }
    return MNEME_OK;
}

void cli_place(const struct cli_common *common, struct mneme_identity *ret_identity)
{
    *ret_identity = (struct mneme_identity){
        .tenant_id = from_environment(common->tenant, "MNEME_TENANT"),
        .user_id = from_environment(common->user, "MNEME_USER"),
        .agent_id = from_environment(common->agent, "MNEME_AGENT"),
        .session_id = from_environment(common->session, "MNEME_SESSION"),
        .task_id = from_environment(common->task, "MNEME_TASK"),
        .project_id = from_environment(common->project, "MNEME_PROJECT"),
        .repository_id = from_environment(common->repo, "MNEME_REPO"),
        .locale = from_environment(common->locale, "MNEME_LOCALE"),
        .timezone = from_environment(common->timezone, "MNEME_TIMEZONE"),
    };
}

enum mneme_status cli_identity(const struct cli_common *common, struct mneme_identity *ret_identity,
                               struct mneme_error *err)
{
    static struct mneme_pair pairs[CLI_LIST_MAX];
    struct mneme_identity identity;

    MN_TRY(cli_require_owner(common, err));
    cli_place(common, &identity);
    identity.permissions = (struct mneme_list){ common->permissions.item,
                                                common->permissions.count };
    identity.environment = (struct mneme_pairs){ pairs, common->environment.count };
    int clearance = identity.clearance;
    MN_TRY(cli_pick(CLI_SENSITIVITY, "clearance", common->clearance, &clearance, err));
    identity.clearance = (enum mneme_sensitivity)clearance;
    MN_TRY(split_environment(&common->environment, pairs, err));
    *ret_identity = identity;
    return MNEME_OK;
}

bool cli_begin_owned(const struct cli_command *command, int argc, char **argv,
                     enum cli_purpose purpose, struct mneme_identity *ret_identity,
                     struct mneme **ret_handle, char ***ret_arguments, size_t *ret_count,
                     int *ret_code)
{
    struct mneme_error err;

    if (!cli_begin(command, argc, argv, ret_arguments, ret_count, ret_code))
        return false;
    command->common->model = "none";
    if (cli_identity(command->common, ret_identity, &err) == MNEME_OK &&
        cli_open(command->common, purpose, ret_handle, &err) == MNEME_OK)
        return true;
    *ret_code = cli_fail(&err);
    return false;
}

const char *cli_actor(const char *given)
{
    const char *actor = from_environment(given, "MNEME_ACTOR");

    return mn_empty(actor) ? "cli" : actor;
}

void cli_change(const struct cli_common *common, struct mneme_change *ret_change)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.actor = cli_actor(common->actor);
    change.reason = common->reason;
    change.admin = common->admin;
    change.now_ms = common->now_ms;
    *ret_change = change;
}

/* ---- texts ---- */

void cli_put(const char *text, bool one_line)
{
    size_t bytes = strlen(text);

    for (size_t at = 0; at < bytes;) {
        size_t from = at;
        int32_t c = mn_utf8_next(text, bytes, &at);
        bool control = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
                       (c >= 0x2066 && c <= 0x2069);

        if (control && !(c == '\t' || (c == '\n' && !one_line)))
            fputs("\xef\xbf\xbd", stdout);
        else
            fwrite(text + from, 1, at - from, stdout);
    }
}

void cli_put_short(const char *text, size_t columns)
{
    size_t at = 0, bytes = strcspn(text, "\r\n"), width = 0;

    while (at < bytes) {
        size_t next = at;
        int32_t c = mn_utf8_next(text, bytes, &next);

        width += c >= 0x1100 ? 2 : 1;
        if (width > columns)
            break;
        at = next;
    }
    MN_BUF_AUTO line = { 0 };
    mn_buf_put(&line, text, at);
    mn_buf_text(&line, at < strlen(text) ? "…" : "");
    cli_put(line.failed || !line.at ? "" : line.at, true);
}

struct bounds {
    size_t bytes_max, line_max;
    size_t lines, line_bytes; /* that ended, and those of the line that has not */
};

/* False when a line has become too long. */
static bool count_lines(struct bounds *b, const char *chunk, size_t bytes)
{
    if (!b->line_max)
        return true;
    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(chunk + at, '\n', bytes - at);
        size_t more = end ? (size_t)(end - (chunk + at)) : bytes - at;

        b->line_bytes += more;
        if (b->line_bytes > b->line_max)
            return false;
        if (end) {
            b->lines++;
            b->line_bytes = 0;
        }
        at += more + 1;
    }
    return true;
}

static enum mneme_status read_within(FILE *file, const char *path, struct bounds *b,
                                     struct mn_buf *text, struct mneme_error *err)
{
    char chunk[65536];

    for (;;) {
        size_t left = b->bytes_max + 1 - text->bytes;

        size_t got = fread(chunk, 1, left < sizeof chunk ? left : sizeof chunk, file);

        if (!got)
            break;
        if (!count_lines(b, chunk, got))
            return mn_fail(err, MNEME_LIMIT, "%s line %zu: more than %zu bytes", path, b->lines + 1,
                           b->line_max);
        mn_buf_put(text, chunk, got);
        if (text->failed)
            return mn_fail_memory(err);
        if (text->bytes > b->bytes_max)
            return mn_fail(err, MNEME_LIMIT, "%s has more than %zu bytes", path, b->bytes_max);
    }
    if (ferror(file))
        return mn_fail(err, MNEME_UNAVAILABLE, "reading %s failed", path);
    return MNEME_OK;
}

char *cli_read_file(const char *path, size_t bytes_max, size_t line_max, size_t *ret_bytes,
                    struct mneme_error *err)
{
    struct bounds bounds = { .bytes_max = bytes_max, .line_max = line_max };
    struct stat about;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    struct mn_buf text = { 0 };

    if (!file) {
        mn_fail(err, MNEME_NOT_FOUND, "cannot read %s", path);
        return NULL;
    }
    if (!fstat(fileno(file), &about) && S_ISDIR(about.st_mode)) {
        fclose(file);
        mn_fail(err, MNEME_INVALID, "%s is a folder, not a file", path);
        return NULL;
    }
    enum mneme_status status = read_within(file, path, &bounds, &text, err);
    if (file != stdin)
        fclose(file);
    if (status != MNEME_OK) {
        mn_buf_release(&text);
        return NULL;
    }
    if (ret_bytes)
        *ret_bytes = text.bytes;
    char *owned = text.at ? text.at : strdup("");
    if (!owned)
        mn_fail_memory(err);
    return owned;
}

char *cli_text(char **arguments, size_t count, struct mneme_error *err)
{
    struct mn_buf text = { 0 };

    if (count == 1 && !strcmp(arguments[0], "-")) {
        size_t bytes = 0;
        char *read = cli_read_file("-", TEXT_BYTES_MAX, 0, &bytes, err);

        if (read && strlen(read) != bytes) {
            free(read);
            mn_fail(err, MNEME_INVALID, "text: holds a NUL byte");
            return NULL;
        }
        while (read && bytes && strchr("\r\n", read[bytes - 1]))
            read[--bytes] = '\0';
        return read;
    }
    for (size_t i = 0; i < count; i++) {
        if (i)
            mn_buf_char(&text, ' ');
        mn_buf_text(&text, arguments[i]);
    }
    char *owned = text.failed ? NULL : text.at ? text.at : strdup("");
    if (!owned) {
        mn_buf_release(&text);
        mn_fail_memory(err);
    }
    return owned;
}
