/*
 * import.c - what others have written down, into the store.
 *
 * Three kinds of files, told by their ending or by what they hold. mneme's own records and the
 * rules of a Markdown file are read and checked over all files of the call and then committed as a
 * whole (import_rows.c); memories without an id are remembered behind them (import_said.c). Exports
 * of other programs follow, item by item: conversations become events of sessions, what other
 * memories hold is remembered (import_chat.c, import_facts.c). Importing again changes nothing.
 * Vectors are made at the end, with their progress shown.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/err.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define NOTES_BYTES_MAX ((size_t)16 << 30) /* of what is noted of rows that wait for their commit */
#define EMBED_AT_ONCE 32

/* A file of the call. Its stream stays open: standard input cannot be read twice. */
struct file {
    const char *path;
    enum cli_format format;
    struct cli_stream stream;
};

/* Vectors of what has none; without a model there is nothing to do. */
static void embed(struct cli_importing *in)
{
    struct mneme_error err;
    size_t left = 1, done = 0;

    while (left && !mneme_model_status(in->handle)[0]) {
        if (mneme_run_due(in->handle, EMBED_AT_ONCE, &left, &err) != MNEME_OK) {
            fprintf(stderr, "mneme: vectors come later (%s)\n", err.message);
            return;
        }
        done += EMBED_AT_ONCE;
        if (left && isatty(STDERR_FILENO))
            fprintf(stderr, "\rvectors: %zu", done);
    }
    if (done > EMBED_AT_ONCE && isatty(STDERR_FILENO))
        fprintf(stderr, "\r               \r");
}

/* ---- what is left ---- */

static const char *const LEFT_NAMES[CLI_LEFT_COUNT] = {
    [CLI_LEFT_MALFORMED] = "malformed", [CLI_LEFT_REFUSED] = "refused",
    [CLI_LEFT_SYSTEM] = "system",       [CLI_LEFT_HIDDEN] = "hidden",
    [CLI_LEFT_BRANCH] = "branch",       [CLI_LEFT_ATTACHMENT] = "attachment",
    [CLI_LEFT_EMPTY] = "empty",
};

void cli_import_leave(struct cli_importing *in, enum cli_left why, const struct cli_stream *s,
                      const char *where, const char *message)
{
    in->left[why]++;
    fprintf(stderr, "mneme: left out: %s item %zu (line %zu)%s%s: %s\n", s->path, s->item,
            s->item_line, *where ? ", " : "", where, message);
}

static size_t left_in_all(const struct cli_importing *in)
{
    size_t all = 0;

    for (size_t i = 0; i < CLI_LEFT_COUNT; i++)
        all += in->left[i];
    return all;
}

/* ---- what came of it ---- */

static void tell_rows(const struct cli_importing *in)
{
    printf("%zu new, %zu changed, %zu were there", in->inserted, in->updated, in->unchanged);
    if (in->deprecated)
        printf(", %zu left their file", in->deprecated);
    printf("\n");
}

static void tell_exports(const struct cli_importing *in)
{
    const char *before = "; left out: ";

    printf("%zu taken, %zu were there, %zu drawn", in->taken, in->there, in->drawn);
    for (size_t i = 0; i < CLI_LEFT_COUNT; i++) {
        if (!in->left[i])
            continue;
        printf("%s%zu %s", before, in->left[i], LEFT_NAMES[i]);
        before = ", ";
    }
    printf("\n");
}

static void print_exports(const struct cli_importing *in)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "taken", (int64_t)in->taken);
    mn_json_field_integer(&w, "there", (int64_t)in->there);
    mn_json_field_integer(&w, "drawn", (int64_t)in->drawn);
    mn_json_key(&w, "left");
    mn_json_open(&w, '{');
    for (size_t i = 0; i < CLI_LEFT_COUNT; i++)
        mn_json_field_integer(&w, LEFT_NAMES[i], (int64_t)in->left[i]);
    mn_json_close(&w, '}');
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

static void tell(const struct cli_importing *in, bool rows, bool exports)
{
    if (in->common->json && exports)
        print_exports(in);
    if (in->common->json)
        return;
    if (rows)
        tell_rows(in);
    if (exports)
        tell_exports(in);
}

/* ---- the files ---- */

static bool is_own(enum cli_format format)
{
    return format == CLI_JSONL || format == CLI_MARKDOWN || format == CLI_DOCUMENT;
}

static bool is_prose(enum cli_format format)
{
    return format == CLI_MARKDOWN || format == CLI_DOCUMENT;
}

static bool is_chat(enum cli_format format)
{
    return format == CLI_OPENAI || format == CLI_CHATGPT || format == CLI_CLAUDE;
}

static bool ends_as_markdown(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && (!strcasecmp(dot, ".md") || !strcasecmp(dot, ".markdown"));
}

/* What the file is, and whether whose it is was said. */
static enum mneme_status look(const struct cli_importing *in, enum cli_format format,
                              struct file *file, struct mneme_error *err)
{
    file->format = format;
    if (format == CLI_AUTO && ends_as_markdown(file->path))
        file->format = CLI_MARKDOWN;
    if (!is_prose(file->format)) {
        MN_TRY(cli_stream_open(&file->stream, file->path, err));
        if (format == CLI_AUTO)
            MN_TRY(cli_format_see(&file->stream, &file->format, err));
        else
            cli_stream_rewind(&file->stream);
    }
    if (file->format == CLI_JSONL)
        return MNEME_OK;
    return in->common->admin && !is_chat(file->format) ? cli_require_tenant(in->common, err)
                                                       : cli_require_owner(in->common, err);
}

static enum mneme_status gather(struct cli_importing *in, struct file *file,
                                struct mneme_error *err)
{
    in->path = file->path;
    if (file->format == CLI_JSONL)
        return cli_import_lines(in, &file->stream, err);
    in->document = file->format == CLI_DOCUMENT;
    in->source = cli_import_source(file->path, in->arena);
    return in->source ? cli_import_rules(in, err) : mn_fail_memory(err);
}

static enum mneme_status finish(struct cli_importing *in, struct file *file,
                                struct mneme_error *err)
{
    in->path = file->path;
    in->source = cli_import_source(file->path, in->arena);
    if (!in->source)
        return mn_fail_memory(err);
    in->document = file->format == CLI_DOCUMENT;
    if (is_prose(file->format))
        return cli_import_leaving(in, err);
    if (is_chat(file->format))
        return cli_import_chats(in, file->format, &file->stream, err);
    return file->format == CLI_JSONL ? MNEME_OK
                                     : cli_import_facts(in, file->format, &file->stream, err);
}

/* Looks at all files and reads what is mneme's own, then writes what they say. */
static enum mneme_status import_files(struct cli_importing *in, enum cli_format format,
                                      struct file *files, size_t count, struct mneme_error *err)
{
    for (size_t i = 0; i < count; i++)
        MN_TRY(look(in, format, &files[i], err));
    for (size_t i = 0; i < count; i++)
        if (is_own(files[i].format))
            MN_TRY(gather(in, &files[i], err));
    MN_TRY(cli_import_commit(in, err));
    for (size_t i = 0; i < count; i++)
        MN_TRY(finish(in, &files[i], err));
    return MNEME_OK;
}

/* ---- the command ---- */

/* An administrator's lines without an owner are shared, whoever the environment says is working. */
static const char *default_owner(const struct cli_common *common,
                                 const struct mneme_identity *identity)
{
    return common->admin ? mn_or_empty(common->user) : identity->user_id;
}

static struct cli_importing importing_of(const struct cli_common *common,
                                         const struct mneme_change *change,
                                         const struct mneme_identity *identity)
{
    struct cli_importing in = { .common = common, .change = *change, .defaults = MNEME_MEMORY_INIT };

    in.defaults.tenant_id = identity->tenant_id;
    in.defaults.user_id = default_owner(common, identity);
    in.defaults.agent_id = identity->agent_id;
    in.owner_given = !mn_empty(common->user);
    in.session = common->session; /* not the environment's: a file's conversation is another */
    in.repo = identity->repository_id;
    in.change.without_embedding = 1;
    in.change.task_id = identity->task_id;
    in.change.project_id = identity->project_id;
    in.change.repository_id = identity->repository_id;
    return in;
}

static int run(const struct cli_common *common, enum cli_format format,
               const struct mneme_change *change, const struct mneme_identity *identity,
               bool as_rows, struct file *files, size_t count)
{
    MN_ARENA_AUTO arena = mn_arena_new(NOTES_BYTES_MAX);
    struct cli_importing in = importing_of(common, change, identity);
    bool rows = false, exports = false;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    if (cli_open(common, CLI_TO_WRITE, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    in.handle = handle;
    in.arena = in.made.arena = arena;
    in.as_rows = as_rows;
    enum mneme_status status = import_files(&in, format, files, count, &err);
    cli_import_release(&in);
    for (size_t i = 0; i < count; i++) {
        rows = rows || is_own(files[i].format);
        exports = exports || !is_own(files[i].format);
    }
    if (status != MNEME_OK && !(in.taken + in.there + in.drawn + left_in_all(&in)))
        return cli_fail(&err);
    if (status == MNEME_OK && !change->without_embedding)
        embed(&in);
    tell(&in, rows, exports);
    if (status != MNEME_OK)
        return cli_fail(&err);
    return in.left[CLI_LEFT_MALFORMED] + in.left[CLI_LEFT_REFUSED] ? CLI_FAILED_CHECK : CLI_OK;
}

int cli_import(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_identity identity = { 0 };
    struct mneme_change change;
    const char *name = NULL;
    int allow_secrets = 0, without_embedding = 0, without_drafts = 0, as_rows = 0;
    const struct cli_option options[] = {
        { "format", CLI_TEXT, "NAME",
          "auto, jsonl, markdown, document, openai, chatgpt, claude, memory-server or mem0", &name },
        { "no-drafts", CLI_FLAG, NULL, "draw no memories from conversations", &without_drafts },
        { "as-rows", CLI_FLAG, NULL, "load lines without an id as they are: fast, and compared with nothing",
          &as_rows },
        { "allow-secrets", CLI_FLAG, NULL, "store texts that hold a secret, as secret",
          &allow_secrets },
        { "without-embedding", CLI_FLAG, NULL, "do not wait for vectors; they come later",
          &without_embedding },
    };
    const struct cli_command command = {
        .name = "import",
        .arguments = "FILE...",
        .least = 1,
        .most = SIZE_MAX,
        .wants = "which file?",
        .summary = "Loads mneme's JSON Lines, rules of AGENTS.md and their like, and exports of others.",
        .details =
            "--tenant and --user are for lines that name none, and for Markdown, which also\n"
            "wants --repo. With --admin and without --user such lines are shared, whatever\n"
            "$MNEME_USER says. '-' is standard input. Importing again changes nothing.\n"
            "A memory without an id is remembered as if it were typed: confirmed, merged,\n"
            "superseded or a rival of what is there; other rows are loaded as they are.\n"
            "--format document: what the paragraphs and items of a Markdown file tell, as facts\n"
            "of the repository, the project or the user, each with its line as the source.\n"
            "Known exports: OpenAI's message lists (--session names theirs), ChatGPT's and\n"
            "Claude's conversations.json, the memory server's lines, mem0's memories. What of\n"
            "them is broken is named and left out, and the exit code is then 1.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_OWNER | CLI_GROUP_PLACE |
                  CLI_GROUP_CHANGE,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    enum cli_format format = CLI_AUTO;
    struct mneme_error err;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (cli_format_of(name, &format, &err) != MNEME_OK)
        return cli_fail(&err);
    cli_place(&common, &identity);
    cli_change(&common, &change);
    change.allow_secrets = allow_secrets;
    change.without_embedding = without_embedding;
    change.without_drafts = without_drafts;
    struct file *files = calloc(count, sizeof *files);
    if (!files) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    for (size_t i = 0; i < count; i++)
        files[i].path = arguments[i];
    code = run(&common, format, &change, &identity, as_rows != 0, files, count);
    for (size_t i = 0; i < count; i++)
        cli_stream_close(&files[i].stream);
    free(files);
    return code;
}
