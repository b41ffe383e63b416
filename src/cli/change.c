/*
 * change.c - init, remember, observe, edit, forget.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/acknowledge.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* What the new memory replaced; NULL where it replaced nothing. Free with mneme_parsed_free(). */
static struct mneme_parsed *replacing(struct mneme *handle, const struct mneme_identity *identity,
                                      const struct mneme_receipt *receipt)
{
    struct mneme_parsed *row = NULL;
    struct mneme_error ignored;

    if (receipt->outcome == MNEME_SUPERSEDES)
        mneme_get(handle, identity->tenant_id, identity->user_id, receipt->id, &row, &ignored);
    return row;
}

/* ---- init ---- */

int cli_init(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_option own[] = {
        { "per-tenant", CLI_TEXT, "FOLDER",
          "the store is this folder, with a file for each tenant", &common.per_tenant },
    };
    const struct cli_command command = {
        .name = "init",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments; say where with --store",
        .summary = "Makes an empty store, or checks the one that is there.",
        .details = "With a key (--key-file, --key-command, $MNEME_KEY) the store is encrypted; with "
                   "--per-tenant each tenant's file has a key of its own, kept under that one.",
        .groups = CLI_GROUP_STORE,
        .options = own,
        .option_count = 1,
        .common = &common,
    };
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    common.model = "none";
    if (common.per_tenant && common.store)
        return cli_usage("init", "--per-tenant goes without --store");
    if (common.per_tenant)
        common.store = common.per_tenant;
    if (cli_open(&common, CLI_TO_CREATE, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common.json) {
        MN_BUF_AUTO out = { 0 };
        struct mn_json_writer w = { .out = &out };

        mn_json_open(&w, '{');
        mn_json_field_text(&w, "store", cli_store_path(&common, &err));
        mn_json_close(&w, '}');
        puts(out.failed ? "" : out.at);
    } else {
        printf("store ready: %s\n", cli_store_path(&common, &err));
    }
    return CLI_OK;
}

/* ---- the fields of a memory, for remember and edit ---- */

struct fields {
    const char *id, *type, *scope, *scope_id, *key, *value, *title, *summary, *category, *project;
    const char *module, *authority, *sensitivity, *permission, *risk, *status, *supersedes;
    const char *attributes, *content;
    struct cli_list keywords, usage, entities, applies_to, provenance;
    double confidence, importance;
    int64_t valid_from_ms, valid_until_ms, event_time_ms, if_revision;
    int allow_secrets, shared;
    const char *request_id;
};

/* Of what writes once, however often it is sent. */
#define REQUEST_OPTION(into)                                                                       \
    { "request-id", CLI_TEXT, "KEY",                                                               \
      "the same key within seven days is answered as before, and writes nothing", &(into) }

/* `may_clear`: the kind of those that an empty text takes away, where there is a row to take
 * from. */
#define FIELD_OPTIONS(f, may_clear)                                                                \
    { "type", CLI_TEXT, "NAME", "user_preference, project_constraint, fact, ... (else by rules)",  \
      &(f).type },                                                                                 \
    { "scope", CLI_TEXT, "KIND", "global, user, project, repo, task or session", &(f).scope },     \
    { "scope-id", may_clear, "ID", "which project, repository, task or session", &(f).scope_id },  \
    { "key", may_clear, "KEY", "the decision it answers, e.g. project.backend_language",           \
      &(f).key },                                                                                  \
    { "value", may_clear, "TEXT", "what it says of the key", &(f).value },                         \
    { "title", may_clear, "TEXT", "a title", &(f).title },                                         \
    { "summary", may_clear, "TEXT", "a short form", &(f).summary },                                \
    { "keyword", CLI_MANY, "WORD", "may be repeated", &(f).keywords },                             \
    { "usage-scenario", CLI_MANY, "TEXT", "when it is of use; may be repeated", &(f).usage },      \
    { "entity", CLI_MANY, "NAME", "may be repeated", &(f).entities },                              \
    { "category", may_clear, "NAME", "a category", &(f).category },                                \
    { "of-project", may_clear, "NAME", "the project it is about (metadata)", &(f).project },       \
    { "module", may_clear, "NAME", "the module it is about (metadata)", &(f).module },             \
    { "authority", CLI_TEXT, "NAME", "explicit_user (default), tool_observation, ...",             \
      &(f).authority },                                                                            \
    { "confidence", CLI_NUMBER, "0..1", "how sure", &(f).confidence },                             \
    { "importance", CLI_NUMBER, "0..1", "how much it matters", &(f).importance },                  \
    { "sensitivity", CLI_TEXT, "LEVEL", "public, internal, confidential, secret",                  \
      &(f).sensitivity },                                                                          \
    { "requires-permission", may_clear, "NAME", "who recalls it must hold it", &(f).permission },  \
    { "risk", CLI_TEXT, "LEVEL", "normal or high", &(f).risk },                                    \
    { "applies-to", CLI_MANY, "NAME=WANTED", "e.g. python='>=3.12'; may be repeated",              \
      &(f).applies_to },                                                                           \
    { "valid-from", CLI_TIME, "TIME", "holds from then on", &(f).valid_from_ms },                  \
    { "valid-until", CLI_TIME, "TIME", "holds until then", &(f).valid_until_ms },                  \
    { "event-time", CLI_TIME, "TIME", "when it happened", &(f).event_time_ms },                    \
    { "supersedes", may_clear, "ID", "the memory it replaces", &(f).supersedes },                  \
    { "provenance", CLI_MANY, "ID", "what it came from; may be repeated", &(f).provenance },       \
    { "attributes", may_clear, "JSON", "an object of your own", &(f).attributes },                 \
    { "allow-secrets", CLI_FLAG, NULL, "store a text that holds a secret, as secret",              \
      &(f).allow_secrets }

#define SET_TEXT(memory, field, text)                                                              \
    do {                                                                                           \
        if (text)                                                                                  \
            (memory)->field = (text);                                                              \
    } while (0)
#define SET_LIST(memory, field, list)                                                              \
    do {                                                                                           \
        if ((list).count)                                                                          \
            (memory)->field = (struct mneme_list){ (list).item, (list).count };                    \
    } while (0)

static enum mneme_status set_applies_to(const struct cli_list *list, struct mneme_memory *memory,
                                        struct mneme_error *err)
{
    static struct mneme_pair pairs[CLI_LIST_MAX];

    for (size_t i = 0; i < list->count; i++) {
        char *text = strdup(list->item[i]); /* lives as long as the command */
        char *equals = text ? strchr(text, '=') : NULL;

        if (!text)
            return mn_fail_memory(err);
        if (!equals || equals == text) {
            free(text);
            return mn_fail(err, MNEME_INVALID, "applies_to: '%s' is not NAME=WANTED",
                           list->item[i]);
        }
        *equals = '\0';
        pairs[i] = (struct mneme_pair){ text, equals + 1 };
    }
    if (list->count)
        memory->applies_to = (struct mneme_pairs){ pairs, list->count };
    return MNEME_OK;
}

/* What was given on the command line goes into the memory; the rest stays as it is. */
static enum mneme_status apply_fields(const struct fields *f, struct mneme_memory *memory,
                                      struct mneme_error *err)
{
    int scope = memory->scope_kind, authority = memory->authority;
    int sensitivity = memory->sensitivity, status = memory->status, risk = memory->risk;

    MN_TRY(cli_pick(CLI_SCOPE, "scope", f->scope, &scope, err));
    MN_TRY(cli_pick(CLI_AUTHORITY, "authority", f->authority, &authority, err));
    MN_TRY(cli_pick(CLI_SENSITIVITY, "sensitivity", f->sensitivity, &sensitivity, err));
    MN_TRY(cli_pick(CLI_STATUS, "status", f->status, &status, err));
    MN_TRY(cli_pick(CLI_RISK, "risk", f->risk, &risk, err));
    memory->scope_kind = (enum mneme_scope)scope;
    memory->authority = (enum mneme_authority)authority;
    memory->sensitivity = (enum mneme_sensitivity)sensitivity;
    memory->status = (enum mneme_memory_status)status;
    memory->risk = (enum mneme_risk)risk;
    SET_TEXT(memory, id, f->id);
    SET_TEXT(memory, type, f->type);
    SET_TEXT(memory, scope_id, f->scope_id);
    SET_TEXT(memory, memory_key, f->key);
    SET_TEXT(memory, value, f->value);
    SET_TEXT(memory, title, f->title);
    SET_TEXT(memory, summary, f->summary);
    SET_TEXT(memory, content, f->content);
    SET_TEXT(memory, category, f->category);
    SET_TEXT(memory, project, f->project);
    SET_TEXT(memory, module, f->module);
    SET_TEXT(memory, requires_permission, f->permission);
    SET_TEXT(memory, supersedes, f->supersedes);
    SET_TEXT(memory, attributes, f->attributes);
    SET_LIST(memory, keywords, f->keywords);
    SET_LIST(memory, usage_scenario, f->usage);
    SET_LIST(memory, entities, f->entities);
    SET_LIST(memory, provenance, f->provenance);
    if (f->confidence < 0 || f->importance < 0) /* to the library these are none */
        return mn_fail(err, MNEME_INVALID, "%s: must be from 0 to 1",
                       f->confidence < 0 ? "confidence" : "importance");
    if (!isnan(f->confidence))
        memory->confidence = f->confidence;
    if (!isnan(f->importance))
        memory->importance = f->importance;
    if (f->valid_from_ms)
        memory->valid_from_ms = f->valid_from_ms;
    if (f->valid_until_ms)
        memory->valid_until_ms = f->valid_until_ms;
    if (f->event_time_ms)
        memory->event_time_ms = f->event_time_ms;
    return set_applies_to(&f->applies_to, memory, err);
}

/* ---- remember ---- */

/* A scope without an id takes the one that the place options name. */
static enum mneme_status derive_scope_id(const struct mneme_identity *identity,
                                         struct mneme_memory *memory, struct mneme_error *err)
{
    const char *const named[] = { [MNEME_SCOPE_PROJECT] = identity->project_id,
                                  [MNEME_SCOPE_REPO] = identity->repository_id,
                                  [MNEME_SCOPE_TASK] = identity->task_id,
                                  [MNEME_SCOPE_SESSION] = identity->session_id };
    const char *kind = mneme_scope_name(memory->scope_kind);

    if (!mn_empty(memory->scope_id) || memory->scope_kind < MNEME_SCOPE_PROJECT)
        return MNEME_OK;
    memory->scope_id = named[memory->scope_kind];
    if (mn_empty(memory->scope_id)) /* the option is named as the kind is */
        return mn_fail(err, MNEME_INVALID, "scope_id: say which %s, or name it with --%s", kind,
                       kind);
    return MNEME_OK;
}

static int remember(const struct cli_common *common, struct fields *f, char *text)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_identity identity;
    struct mneme_receipt receipt;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    f->content = text;
    if (cli_identity(common, &identity, &err) != MNEME_OK)
        return cli_fail(&err);
    memory.tenant_id = identity.tenant_id;
    memory.user_id = f->shared ? "" : identity.user_id;
    memory.agent_id = identity.agent_id;
    cli_change(common, &change);
    change.allow_secrets = f->allow_secrets;
    change.idempotency_key = f->request_id;
    if (apply_fields(f, &memory, &err) != MNEME_OK ||
        derive_scope_id(&identity, &memory, &err) != MNEME_OK)
        return cli_fail(&err);
    if (cli_open(common, CLI_TO_WRITE, &handle, &err) != MNEME_OK ||
        mneme_remember(handle, &memory, &change, &receipt, &err) != MNEME_OK)
        return cli_fail(&err);
    struct mneme_parsed *row = replacing(handle, &identity, &receipt);
    int code = cli_print_receipt(common, row ? mneme_parsed_record(row)->memory->supersedes : NULL,
                             &receipt);
    mneme_parsed_free(row);
    cli_catch_up(handle);
    return code;
}

int cli_remember(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct fields f = { .confidence = NAN, .importance = NAN };
    const struct cli_option options[] = {
        { "id", CLI_TEXT, "ID", "an id of your own", &f.id },
        FIELD_OPTIONS(f, CLI_TEXT),
        REQUEST_OPTION(f.request_id),
        { "shared", CLI_FLAG, NULL, "of the whole tenant, not of the user (with --admin)",
          &f.shared },
    };
    const struct cli_command command = {
        .name = "remember",
        .arguments = "TEXT...",
        .least = 1,
        .most = SIZE_MAX,
        .wants = "what is to be remembered?",
        .summary = "Writes one memory. '-' reads the text from standard input.",
        .details = "What is not given is derived by rules. What the same owner and scope hold already is\n"
                   "confirmed or merged; another value of a key supersedes it, or stays as a rival.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_OWNER | CLI_GROUP_PLACE |
                  CLI_GROUP_CHANGE,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct mneme_error err;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    char *text = cli_text(arguments, count, &err);
    if (!text)
        return cli_fail(&err);
    code = remember(&common, &f, text);
    free(text);
    return code;
}

/* ---- observe ---- */

static void note_replaced(struct mneme *handle, const struct mneme_identity *identity,
                          struct cli_drawn *drawn)
{
    for (size_t i = 0; i < drawn->count; i++) {
        struct mneme_parsed *row = replacing(handle, identity, &drawn->receipt[i]);

        if (row)
            drawn->supersedes[i] = strdup(mneme_parsed_record(row)->memory->supersedes);
        mneme_parsed_free(row);
    }
}

/* ---- what became of a turn that was to be read at once ---- */

struct unread {
    const char *id; /* of the turn; its parts begin with it */
    struct mneme_error why; /* status 0: all of it was read */
};

static int note_unread(void *context, const struct mneme_extraction *x)
{
    struct unread *unread = context;
    size_t bytes = strlen(unread->id);

    if (strncmp(x->event_id, unread->id, bytes) != 0 || !strchr(".", x->event_id[bytes]))
        return 0;
    mn_fail(&unread->why, MNEME_UNAVAILABLE,
            "extractor: the turn is kept, but was not read (%s); it is tried again, or now by 'mneme "
            "extract'",
            mn_empty(x->reason) ? "it waits" : x->reason);
    return 1;
}

/* The turn is there whatever this says: the code tells that nothing was drawn by the extractor yet. */
static int tell_unread(struct mneme *handle, const struct mneme_event *event,
                       const struct mneme_receipt *receipt)
{
    struct unread unread = { .id = receipt->id };
    struct mneme_error err;

    if (mneme_extractions(handle, event->tenant_id, event->user_id, event->session_id, note_unread,
                          &unread, &err) != MNEME_OK)
        return cli_fail(&err);
    return unread.why.status == MNEME_OK ? CLI_OK : cli_fail(&unread.why);
}

struct observing {
    int without_drafts;
    int extract_now;
    int allow_secrets;
    const char *request_id;
};

static int observe(const struct cli_common *common, struct mneme_event *event,
                   const struct observing *how)
{
    MN_CLEANUP(cli_drawn_release) struct cli_drawn drawn = { .count = 0 };
    struct mneme_identity identity;
    struct mneme_receipt receipt;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    if (cli_identity(common, &identity, &err) != MNEME_OK)
        return cli_fail(&err);
    event->tenant_id = identity.tenant_id;
    event->user_id = identity.user_id;
    event->agent_id = identity.agent_id;
    event->session_id = identity.session_id;
    cli_change(common, &change);
    change.without_drafts = how->without_drafts;
    change.extract_now = how->extract_now;
    change.allow_secrets = how->allow_secrets;
    change.idempotency_key = how->request_id;
    change.drawn = cli_note_drawn;
    change.drawn_context = &drawn;
    change.task_id = identity.task_id;
    change.project_id = identity.project_id;
    change.repository_id = identity.repository_id;
    change.timezone = identity.timezone;
    if (cli_open(common, CLI_TO_WRITE, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    if (how->extract_now && mneme_extractor_status(handle)[0]) {
        mn_fail(&err, MNEME_UNAVAILABLE, "%s", mneme_extractor_status(handle));
        return cli_fail(&err);
    }
    if (mneme_observe(handle, event, 1, &change, &receipt, &err) != MNEME_OK)
        return cli_fail(&err);
    note_replaced(handle, &identity, &drawn);
    cli_print_observed(common, &receipt, &drawn);
    if (mneme_extractor_status(handle)[0]) /* else it would be waited for here */
        cli_catch_up(handle);
    return how->extract_now ? tell_unread(handle, event, &receipt) : CLI_OK;
}

int cli_observe(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_event event = MNEME_EVENT_INIT;
    struct observing how = { 0 };
    const struct cli_option options[] = {
        { "id", CLI_TEXT, "ID", "an id of your own", &event.id },
        { "role", CLI_TEXT, "ROLE", "user (default), assistant, tool_call, tool_result, feedback",
          &event.role },
        { "speaker", CLI_TEXT, "NAME", "who speaks", &event.speaker },
        { "event-time", CLI_TIME, "TIME", "when it was said", &event.event_time_ms },
        { "not-recallable", CLI_FLAG, NULL, "keep it as evidence only", &event.not_recallable },
        { "no-drafts", CLI_FLAG, NULL, "draw no memories from it", &how.without_drafts },
        { "allow-secrets", CLI_FLAG, NULL, "keep a turn that holds a secret, as evidence only",
          &how.allow_secrets },
        { "extract", CLI_FLAG, NULL, "wait until the extractor has read it", &how.extract_now },
        REQUEST_OPTION(how.request_id),
    };
    const struct cli_command command = {
        .name = "observe",
        .arguments = "TEXT...",
        .least = 1,
        .most = SIZE_MAX,
        .wants = "what was said?",
        .summary = "Appends a turn or an action to a session. '-' reads it from standard input.",
        .details = "Memories are drawn by rules from what calls for one: 'remember ...', 'from now on\n"
                   "...', corrections, decisions, ends, recoveries, feedback. With --extractor a\n"
                   "language model reads the turn too, later: 'mneme extract'. Exit code 7 with --extract:\n"
                   "the turn is kept, and could not be read now.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_EXTRACTOR | CLI_GROUP_OWNER |
                  CLI_GROUP_PLACE | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct mneme_error err;
    char **arguments;
    size_t count;

    event.role = "user";
    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    char *text = cli_text(arguments, count, &err);
    if (!text)
        return cli_fail(&err);
    event.text = text;
    code = observe(&common, &event, &how);
    free(text);
    return code;
}

/* ---- edit ---- */

static int edit(const struct cli_common *common, struct fields *f, const char *id)
{
    struct mneme_identity identity;
    struct mneme_parsed *former = NULL;
    struct mneme_receipt receipt;
    struct mneme_change change;
    struct mneme_memory memory;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    if (cli_identity(common, &identity, &err) != MNEME_OK ||
        cli_open(common, CLI_TO_WRITE, &handle, &err) != MNEME_OK ||
        mneme_get(handle, identity.tenant_id, identity.user_id, id, &former, &err) != MNEME_OK)
        return cli_fail(&err);
    cli_change(common, &change);
    change.if_revision = f->if_revision;
    change.allow_secrets = f->allow_secrets;
    change.idempotency_key = f->request_id;
    memory = *mneme_parsed_record(former)->memory;
    if (f->content && strcmp(f->content, memory.content) != 0) {
        memory.summary = ""; /* what was said of the old text is not true of the new one */
        memory.value = "";
    }
    enum mneme_status status = apply_fields(f, &memory, &err);
    if (status == MNEME_OK)
        status = mneme_edit(handle, &memory, &change, &receipt, &err);
    mneme_parsed_free(former);
    if (status != MNEME_OK)
        return cli_fail(&err);
    int code = cli_print_receipt(common, NULL, &receipt);
    cli_catch_up(handle);
    return code;
}

int cli_edit(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct fields f = { .confidence = NAN, .importance = NAN };
    const struct cli_option options[] = {
        { "content", CLI_TEXT, "TEXT", "the new text", &f.content },
        { "status", CLI_TEXT, "NAME", "active, deprecated, superseded, revoked, deleted",
          &f.status },
        { "if-revision", CLI_INTEGER, "N", "only if the row still has this revision",
          &f.if_revision },
        REQUEST_OPTION(f.request_id),
        FIELD_OPTIONS(f, CLI_CLEARS),
    };
    const struct cli_command command = {
        .name = "edit",
        .arguments = "ID",
        .least = 1,
        .most = 1,
        .wants = "wants the id of one memory; a new text stands behind --content",
        .summary = "Changes the fields that are given; the former row goes into the history.",
        .details = "",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (common.own_given ==
        (size_t)(f.if_revision != 0) + (size_t)f.allow_secrets + (f.request_id != NULL))
        return cli_usage("edit", "nothing to change: give a field, such as --content");
    return edit(&common, &f, arguments[0]);
}

/* ---- forget ---- */

int cli_forget(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "forget",
        .arguments = "ID",
        .least = 1,
        .most = 1,
        .wants = "wants the id of one memory",
        .summary = "Withdraws a memory: it leaves every recall, and 'mneme edit --status active' "
                   "brings it back.",
        .details = "Edges that stand on it alone go with it, and so do turns that nothing else was drawn from.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_receipt receipt;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_WRITE, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    cli_change(&common, &change);
    if (mneme_forget(handle, identity.tenant_id, identity.user_id, arguments[0], &change, &receipt,
                     &err) != MNEME_OK)
        return cli_fail(&err);
    return cli_print_receipt(&common, NULL, &receipt);
}
