/*
 * fault.c - what went wrong, in the words of the command line.
 *
 * The library names its own fields, "scope_kind: ...", and a user has typed options. So the field that
 * a message begins with, and those named inside it, are shown as the options of the running command
 * that set them. Where the command has no such option, as for a field in a line of an import, the
 * field's name stays.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define NAME_BYTES_MAX 64

/* Of other fields the option is the name with dashes: valid_from, --valid-from. */
static const struct spelling {
    const char *field;
    const char *option;
    const char *environment; /* where the value comes from when the option is not given; NULL */
} spellings[] = {
    { "tenant_id", "tenant", "MNEME_TENANT" },
    { "tenant", "tenant", "MNEME_TENANT" },
    { "user_id", "user", "MNEME_USER" },
    { "user", "user", "MNEME_USER" },
    { "agent_id", "agent", "MNEME_AGENT" },
    { "session_id", "session", "MNEME_SESSION" },
    { "task_id", "task", "MNEME_TASK" },
    { "project_id", "project", "MNEME_PROJECT" },
    { "repository_id", "repo", "MNEME_REPO" },
    { "locale", "locale", "MNEME_LOCALE" },
    { "timezone", "timezone", "MNEME_TIMEZONE" },
    { "actor", "actor", "MNEME_ACTOR" },
    { "archive", "archive", "MNEME_ARCHIVE" },
    { "store", "store", "MNEME_STORE" },
    { "store_path", "store", "MNEME_STORE" },
    { "key", "key-file", "MNEME_KEY_FILE" },
    { "new_key", "new-key-file", "MNEME_NEW_KEY_FILE" },
    { "tenant_keys_path", "tenant-keys", NULL },
    { "model", "model", "MNEME_MODEL" },
    { "model_path", "model", "MNEME_MODEL" },
    { "profile_path", "model-profile", "MNEME_MODEL_PROFILE" },
    { "tokenizer", "tokenizer", "MNEME_TOKENIZER" },
    { "extractor", "extractor", "MNEME_EXTRACTOR" },
    { "permissions", "permission", NULL },
    { "environment", "env", NULL },
    { "scope_kind", "scope", NULL },
    { "memory_key", "key", NULL },
    { "keywords", "keyword", NULL },
    { "entities", "entity", NULL },
    { "project", "of-project", NULL },
    { "types_required", "type", NULL },
    { "types_excluded", "without-type", NULL },
    { "items_max", "items", NULL },
    { "tokens_max", "tokens", NULL },
    { "per_type_max", "per-type", NULL },
    { "rows_max", "limit", NULL },
    { "paths", "path", NULL },
    { "task_fields", "task-field", NULL },
    { "now_ms", "now", NULL },
};

/* What a refusal asks for, by the option that gives it. */
static const struct remedy {
    enum mneme_status status;
    const char *said;
    const char *option;
} remedies[] = {
    { MNEME_FORBIDDEN, "an admin grant", "admin" },
    { MNEME_FORBIDDEN, "by an administrator", "admin" },
    { MNEME_INVALID, "stored as secret", "allow-secrets" },
};

/* The running command's option that sets this field; false when it has none. */
static bool find_option(const char *field, size_t bytes, char option[NAME_BYTES_MAX],
                        const char **ret_environment)
{
    if (bytes >= NAME_BYTES_MAX)
        return false;
    *ret_environment = NULL;
    for (size_t i = 0; i < bytes; i++)
        option[i] = field[i] == '_' ? '-' : field[i];
    option[bytes] = '\0';
    for (size_t i = 0; i < COUNT_OF(spellings); i++)
        if (strlen(spellings[i].field) == bytes && !memcmp(spellings[i].field, field, bytes) &&
            cli_takes(spellings[i].option)) {
            strcpy(option, spellings[i].option);
            *ret_environment = spellings[i].environment;
            return true;
        }
    return cli_takes(option);
}

/* The field at the head, "keywords[3]: ..."; what of the message it took. */
static size_t put_head(struct mn_buf *out, const struct mneme_error *err)
{
    size_t bytes = strcspn(err->field, "[");
    char option[NAME_BYTES_MAX];
    const char *environment;

    if (!bytes || strncmp(err->message, err->field, bytes) != 0 ||
        !find_option(err->field, bytes, option, &environment))
        return 0;
    mn_buf_printf(out, "--%s", option);
    if (environment)
        mn_buf_printf(out, " or $%s", environment);
    return bytes;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The rest, with the names of fields in it (they have an underscore) as options; quoted text stays. */
static void put_rest(struct mn_buf *out, const char *text)
{
    bool quoted = false;
    char before = ' ';

    while (*text) {
        size_t bytes = 0;
        char option[NAME_BYTES_MAX];
        const char *environment;

        while (is_word(text[bytes]))
            bytes++;
        if (!bytes) {
            if (*text == '\'') /* not the one of "administrator's" */
                quoted = !quoted && !is_word(before);
            before = *text;
            mn_buf_char(out, *text++);
            continue;
        }
        if (!quoted && memchr(text, '_', bytes) && find_option(text, bytes, option, &environment))
            mn_buf_printf(out, "--%s", option);
        else
            mn_buf_put(out, text, bytes);
        before = text[bytes - 1];
        text += bytes;
    }
}

void cli_tell(const char *what, const char *message)
{
    MN_BUF_AUTO said = { 0 };

    put_rest(&said, message);
    fprintf(stderr, "mneme: %s, %s\n", what, said.failed || !said.at ? message : said.at);
}

int cli_fail(const struct mneme_error *err)
{
    static const int codes[] = { [MNEME_OK] = CLI_OK,
                                 [MNEME_INVALID] = CLI_USAGE,
                                 [MNEME_NOT_FOUND] = CLI_NOT_FOUND,
                                 [MNEME_CONFLICT] = CLI_CONFLICT,
                                 [MNEME_FORBIDDEN] = CLI_FORBIDDEN,
                                 [MNEME_LIMIT] = CLI_LIMIT,
                                 [MNEME_UNAVAILABLE] = CLI_UNAVAILABLE,
                                 [MNEME_CORRUPT] = CLI_CORRUPT };
    MN_BUF_AUTO said = { 0 };

    if (err->field[0])
        put_rest(&said, err->message + put_head(&said, err));
    else
        mn_buf_text(&said, err->message); /* of a file and a line, where fields are fields */
    for (size_t i = 0; i < COUNT_OF(remedies); i++)
        if (remedies[i].status == err->status && strstr(err->message, remedies[i].said) &&
            cli_takes(remedies[i].option))
            mn_buf_printf(&said, "; give --%s", remedies[i].option);
    fprintf(stderr, "mneme: %s: %s\n", mneme_status_name(err->status),
            said.failed || !said.at ? err->message : said.at);
    return codes[err->status];
}

/* ---- one of a few names ---- */

/* "" where there is none: before the first where it has the value 1, and after the last. */
static const char *name_at(enum cli_choice choice, int value)
{
    static const char *const consistencies[] = { "mixed", "candidate", "read_model" };
    static const char *const formats[] = { "xml", "markdown", "json" };

    switch (choice) {
    case CLI_SCOPE:
        return mneme_scope_name((enum mneme_scope)value);
    case CLI_AUTHORITY:
        return mneme_authority_name((enum mneme_authority)value);
    case CLI_SENSITIVITY:
        return mneme_sensitivity_name((enum mneme_sensitivity)value);
    case CLI_STATUS:
        return mneme_memory_status_name((enum mneme_memory_status)value);
    case CLI_RISK:
        return mneme_risk_name((enum mneme_risk)value);
    case CLI_MODE:
        return mneme_mode_name((enum mneme_mode)value);
    case CLI_PROFILE:
        return mneme_profile_name((enum mneme_profile)value);
    case CLI_CONSISTENCY:
        return (size_t)value < COUNT_OF(consistencies) ? consistencies[value] : "";
    case CLI_FORMAT:
        return (size_t)value < COUNT_OF(formats) ? formats[value] : "";
    }
    return "";
}

enum mneme_status cli_pick(enum cli_choice choice, const char *field, const char *text,
                           int *changed, struct mneme_error *err)
{
    int first = name_at(choice, 0)[0] ? 0 : 1;
    char list[256] = "";
    size_t used = 0;

    if (mn_empty(text))
        return MNEME_OK;
    for (int value = first; name_at(choice, value)[0]; value++) {
        if (mn_same(text, name_at(choice, value))) {
            *changed = value;
            return MNEME_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     value > first ? ", " : "", name_at(choice, value));
    }
    return mn_fail(err, MNEME_INVALID, "%s: '%.80s' is none of %s", field, text, list);
}
