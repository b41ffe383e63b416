/*
 * import.c - what others have written down, into the store.
 *
 * JSON Lines are mneme's own records, a line each; a Markdown rule file is one memory per rule, of
 * scope repo, said by the user, with its file (as its repository knows it) and line as the source. All
 * files of a call are read and checked as a whole and then committed in one piece, so that a bad line
 * leaves nothing behind; only what is beyond the limits below goes in several, and a failure then says
 * how many stayed. Importing again changes nothing: rows keep their ids, a row without one gets an id
 * made of what it says, and a rule that left its file is deprecated. With --json each row is
 * acknowledged by a line of its own, once it is durable. Vectors are made after the commit, with their
 * progress shown.
 */
#include "cli/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define LINES_BYTES_MAX ((size_t)16 << 30) /* of a file; and of what is noted of its lines */
#define RULES_BYTES_MAX ((size_t)16 << 20) /* of a Markdown file */
#define COMMIT_ROWS ((size_t)20000)
#define COMMIT_BYTES ((size_t)64 << 20)
#define EMBED_AT_ONCE 32

struct line {
    const char *path;
    struct mneme_parsed *parsed;
    struct mneme_record record;
    size_t number; /* in the file, from 1 */
    size_t bytes;
};

struct importing {
    struct mneme *handle;
    const struct cli_common *common;
    struct mneme_change change;
    struct mneme_memory defaults; /* tenant, user, agent for lines that name none */
    const char *path;   /* of the file being read */
    const char *source; /* what its rules call it */
    const char *repo;   /* of Markdown rules */

    struct mn_arena *arena;
    struct {
        struct line *item;
        size_t count;
        size_t room;
    } lines;

    size_t inserted, updated, unchanged, deprecated;
};

/* ---- gathering ---- */

static void release_lines(struct importing *in)
{
    for (size_t i = 0; i < in->lines.count; i++)
        mneme_parsed_free(in->lines.item[i].parsed);
    in->lines.count = 0;
}

/* An id made of what the row says, so that the same row is found again. */
static enum mneme_status derive_id(struct importing *in, const char *prefix,
                                   const char *const *parts, size_t count, const char **ret_id,
                                   struct mneme_error *err)
{
    MN_BUF_AUTO said = { 0 };
    char hash[MN_SHA256_HEX_BYTES];

    for (size_t i = 0; i < count; i++)
        mn_buf_printf(&said, "%zu:%s", strlen(mn_or_empty(parts[i])), mn_or_empty(parts[i]));
    if (said.failed || !mn_sha256_hex(said.at, said.bytes, hash))
        return mn_fail_memory(err);
    const char *id = mn_arena_printf(in->arena, "%s_%.24s", prefix, hash);
    if (!id)
        return mn_fail_memory(err);
    *ret_id = id;
    return MNEME_OK;
}

static enum mneme_status name_memory(struct importing *in, struct mneme_record *record,
                                     struct mneme_error *err)
{
    struct mneme_memory *m = mn_arena_one(in->arena, struct mneme_memory);

    if (!m)
        return mn_fail_memory(err);
    *m = *record->memory;
    const char *parts[] = { m->tenant_id, m->user_id,    m->agent_id, mneme_scope_name(m->scope_kind),
                            m->scope_id,  m->type,       m->memory_key, m->value,
                            m->title,     m->content };
    record->memory = m;
    return derive_id(in, "mem_import", parts, COUNT_OF(parts), &m->id, err);
}

static enum mneme_status name_event(struct importing *in, struct mneme_record *record,
                                    struct mneme_error *err)
{
    struct mneme_event *e = mn_arena_one(in->arena, struct mneme_event);
    char numbers[64];

    if (!e)
        return mn_fail_memory(err);
    *e = *record->event;
    snprintf(numbers, sizeof numbers, "%lld/%lld", (long long)e->order, (long long)e->event_time_ms);
    const char *parts[] = { e->tenant_id, e->user_id, e->session_id, e->role,
                            e->speaker,   e->text,    numbers };
    record->event = e;
    return derive_id(in, "evt_import", parts, COUNT_OF(parts), &e->id, err);
}

/* A rule that names no tenant is of the one that is imported into, as other lines are. */
static enum mneme_status give_tenant(struct importing *in, struct mneme_record *record,
                                     struct mneme_error *err)
{
    struct mneme_rule *rule = mn_arena_one(in->arena, struct mneme_rule);

    if (!rule)
        return mn_fail_memory(err);
    *rule = *record->rule;
    rule->tenant_id = mn_or_empty(in->defaults.tenant_id);
    record->rule = rule;
    return MNEME_OK;
}

static const char *id_of(const struct mneme_record *record)
{
    return record->memory ? record->memory->id : record->event ? record->event->id : "";
}

/* The line is the importing's from now on, also when this fails. */
static enum mneme_status add(struct importing *in, struct mneme_parsed *parsed, size_t number,
                             size_t bytes, struct mneme_error *err)
{
    struct line *line = mn_array_add(in->arena, &in->lines);

    if (!line) {
        mneme_parsed_free(parsed);
        return mn_fail_memory(err);
    }
    *line = (struct line){ in->path, parsed, *mneme_parsed_record(parsed), number, bytes };
    if (line->record.memory && mn_empty(line->record.memory->id))
        return name_memory(in, &line->record, err);
    if (line->record.event && mn_empty(line->record.event->id))
        return name_event(in, &line->record, err);
    if (line->record.rule && mn_empty(line->record.rule->tenant_id))
        return give_tenant(in, &line->record, err);
    return MNEME_OK;
}

/* ---- writing ---- */

static void count_receipt(struct importing *in, const struct mneme_receipt *receipt)
{
    const char *result = "unchanged";

    if (receipt->outcome == MNEME_INSERTED) {
        in->inserted++;
        result = "inserted";
    } else if (receipt->outcome == MNEME_UPDATED) {
        in->updated++;
        result = "updated";
    } else {
        in->unchanged++;
    }
    if (in->common->json && receipt->id[0]) {
        MN_BUF_AUTO out = { 0 };
        struct mn_json_writer w = { .out = &out };

        mn_json_open(&w, '{');
        mn_json_field_text(&w, "id", receipt->id);
        mn_json_field_text(&w, "result", result);
        mn_json_close(&w, '}');
        puts(out.failed ? "" : out.at);
    }
}

/* What an error adds when rows before it are in the store already. */
static const char *stayed(struct importing *in, size_t count)
{
    const char *text =
        count ? mn_arena_printf(in->arena, "; the %zu rows before it were written", count) : "";

    return mn_or_empty(text);
}

/* Commits lines from..from+count together; an error names the file and the line. */
static enum mneme_status commit_lines(struct importing *in, size_t from, size_t count,
                                      struct mneme_error *err)
{
    struct mneme_record *records = calloc(count, sizeof *records);
    struct mneme_receipt *receipts = calloc(count, sizeof *receipts);
    struct mneme_error why;
    size_t failed = 0;

    if (!records || !receipts) {
        free(records);
        free(receipts);
        return mn_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++)
        records[i] = in->lines.item[from + i].record;
    enum mneme_status status =
        mneme_write(in->handle, records, count, &in->change, receipts, &failed, &why);
    for (size_t i = 0; status == MNEME_OK && i < count; i++)
        count_receipt(in, &receipts[i]);
    if (status != MNEME_OK)
        mn_fail(err, status, "%s line %zu: %s%s", in->lines.item[from + failed].path,
                in->lines.item[from + failed].number, why.message, stayed(in, from));
    free(records);
    free(receipts);
    return status;
}

static enum mneme_status write_lines(struct importing *in, struct mneme_error *err)
{
    for (size_t from = 0; from < in->lines.count;) {
        size_t count = 0, bytes = 0;

        while (from + count < in->lines.count && count < COMMIT_ROWS && bytes < COMMIT_BYTES)
            bytes += in->lines.item[from + count++].bytes;
        MN_TRY(commit_lines(in, from, count, err));
        from += count;
        fflush(stdout);
    }
    return MNEME_OK;
}

/* Vectors of what has none; without a model there is nothing to do. */
static void embed(struct importing *in)
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

/* The bytes of the mark that some editors put before a text. */
static size_t mark_bytes(const char *text, size_t bytes)
{
    return bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* ---- JSON Lines ---- */

static bool is_blank(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!strchr(" \t\r\n", text[i]))
            return false;
    return true;
}

static enum mneme_status read_json_lines(struct importing *in, const char *text, size_t bytes,
                                         struct mneme_error *err)
{
    size_t number = 0;

    for (size_t at = mark_bytes(text, bytes); at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t line_bytes = end ? (size_t)(end - (text + at)) : bytes - at;
        struct mneme_parsed *parsed = NULL;
        struct mneme_error why;

        number++;
        if (!is_blank(text + at, line_bytes)) {
            enum mneme_status status =
                mneme_record_parse(text + at, line_bytes, &in->defaults, &parsed, &why);

            if (status != MNEME_OK)
                return mn_fail(err, status, "%s line %zu: %s", in->path, number, why.message);
            MN_TRY(add(in, parsed, number, line_bytes, err));
        }
        at += line_bytes + 1;
    }
    return MNEME_OK;
}

/* ---- Markdown rule files ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/*
 * The file as its repository knows it, so that two of one name do not take each other's rules for
 * their own; outside a repository, its name. In the arena, NULL when that is full.
 */
static const char *source_of(const char *path, struct mn_arena *arena)
{
    char *whole = realpath(path, NULL);
    const char *source = base_name(path);

    for (size_t end = whole ? strlen(whole) : 0; end > 0; end--) {
        if (whole[end] != '/')
            continue;
        const char *git = mn_arena_printf(arena, "%.*s/.git", (int)end, whole);

        if (git && access(git, F_OK) == 0) {
            source = whole + end + 1;
            break;
        }
    }
    source = mn_arena_copy(arena, source);
    free(whole);
    return source;
}

/* The rule as a JSON record, so that it enters by the same door as any other line. */
static enum mneme_status rule_json(struct importing *in, const struct cli_rule_text *rule,
                                   const char *id, struct mn_buf *out, struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };
    const char *source =
        mn_arena_printf(in->arena, "file:%s#L%zu", in->source, rule->line);

    if (!source)
        return mn_fail_memory(err);
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", id);
    mn_json_field_text(&w, "scope_kind", "repo");
    mn_json_field_text(&w, "scope_id", in->repo);
    mn_json_field_text(&w, "type", "repository_rule");
    mn_json_field_text(&w, "title", rule->heading);
    mn_json_field_text(&w, "content", rule->text);
    mn_json_field_text(&w, "authority", "explicit_user");
    mn_json_key(&w, "provenance");
    mn_json_open(&w, '[');
    mn_json_put_text(&w, source);
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static bool gathered(const struct importing *in, const char *id)
{
    for (size_t i = 0; i < in->lines.count; i++)
        if (mn_same(id_of(&in->lines.item[i].record), id))
            return true;
    return false;
}

/* A rule said twice in a file is one. One that stands is left as it is, its line included. */
static enum mneme_status add_rule(struct importing *in, const struct cli_rule_text *rule,
                                  struct mneme_error *err)
{
    const char *parts[] = { in->defaults.tenant_id, in->defaults.user_id, in->repo,
                            in->source,             rule->heading,        rule->text };
    struct mneme_parsed *parsed = NULL, *there = NULL;
    MN_BUF_AUTO json = { 0 };
    struct mneme_error why;
    const char *id = NULL;

    MN_TRY(derive_id(in, "mem_rule", parts, COUNT_OF(parts), &id, err));
    if (gathered(in, id))
        return MNEME_OK;
    if (mneme_get(in->handle, in->defaults.tenant_id, in->defaults.user_id, id, &there, &why) ==
        MNEME_OK) {
        if (mneme_parsed_record(there)->memory->status == MNEME_ACTIVE)
            return add(in, there, rule->line, strlen(rule->text), err);
        mneme_parsed_free(there); /* it left the file once and is back */
    }
    MN_TRY(rule_json(in, rule, id, &json, err));
    enum mneme_status status =
        mneme_record_parse(json.at, json.bytes, &in->defaults, &parsed, &why);
    if (status != MNEME_OK)
        return mn_fail(err, status, "%s line %zu: %s", in->path, rule->line, why.message);
    return add(in, parsed, rule->line, json.bytes, err);
}

static enum mneme_status read_markdown(struct importing *in, const char *text, size_t bytes,
                                       struct mneme_error *err)
{
    struct cli_rule_texts rules = { 0 };

    if (mn_empty(in->repo))
        return mn_fail(err, MNEME_INVALID,
                       "repo: the rules of %s belong to a repository; name it with --repo",
                       in->path);
    if (!mn_utf8_valid(text, bytes) || memchr(text, 0, bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not UTF-8 text", in->path);
    size_t mark = mark_bytes(text, bytes);
    MN_TRY(cli_markdown_rules(text + mark, bytes - mark, in->arena, &rules, err));
    if (!rules.count)
        return mn_fail(err, MNEME_INVALID, "%s: holds no rules (list items or paragraphs)",
                       in->path);
    for (size_t i = 0; i < rules.count; i++)
        MN_TRY(add_rule(in, &rules.item[i], err));
    return MNEME_OK;
}

/* ---- rules that left their file ---- */

struct leaving {
    struct importing *in;
    const char *source; /* "file:AGENTS.md#" */
    struct {
        const char **item;
        size_t count;
        size_t room;
    } ids;
    bool failed;
};

static int find_leaving(void *context, const struct mneme_record *record)
{
    struct leaving *l = context;
    const struct mneme_memory *m = record->memory;
    const char **id;

    if (strncmp(m->id, "mem_rule_", 9) || !m->provenance.count ||
        strncmp(m->provenance.item[0], l->source, strlen(l->source)) || gathered(l->in, m->id))
        return 0;
    id = mn_array_add(l->in->arena, &l->ids);
    if (id)
        *id = mn_arena_copy(l->in->arena, m->id);
    l->failed = !id || !*id;
    return l->failed;
}

static enum mneme_status deprecate(struct importing *in, const char *id, struct mneme_error *err)
{
    struct mneme_parsed *row = NULL;
    struct mneme_receipt receipt;
    struct mneme_change change = in->change;
    struct mneme_memory memory;

    MN_TRY(mneme_get(in->handle, in->defaults.tenant_id, in->defaults.user_id, id, &row, err));
    memory = *mneme_parsed_record(row)->memory;
    memory.status = MNEME_DEPRECATED;
    change.if_revision = memory.revision;
    change.reason = "the rule left its file";
    enum mneme_status status = mneme_edit(in->handle, &memory, &change, &receipt, err);
    mneme_parsed_free(row);
    in->deprecated += status == MNEME_OK;
    return status;
}

static enum mneme_status deprecate_leaving(struct importing *in, struct mneme_error *err)
{
    struct leaving leaving = { .in = in };
    struct mneme_filter filter = MNEME_FILTER_INIT;

    leaving.source = mn_arena_printf(in->arena, "file:%s#", in->source);
    filter.tenant_id = in->defaults.tenant_id;
    filter.user_id = in->defaults.user_id;
    filter.with_shared = mn_empty(filter.user_id);
    filter.type = "repository_rule";
    filter.scope_kind = MNEME_SCOPE_REPO;
    filter.scope_id = in->repo;
    if (!leaving.source)
        return mn_fail_memory(err);
    MN_TRY(mneme_list_memories(in->handle, &filter, find_leaving, &leaving, err));
    if (leaving.failed)
        return mn_fail_memory(err);
    for (size_t i = 0; i < leaving.ids.count; i++)
        MN_TRY(deprecate(in, leaving.ids.item[i], err));
    return MNEME_OK;
}

/* ---- the command ---- */

static bool is_markdown(const char *path, const char *format)
{
    const char *dot = strrchr(path, '.');

    if (!mn_empty(format))
        return mn_same(format, "markdown");
    return dot && (!strcasecmp(dot, ".md") || !strcasecmp(dot, ".markdown"));
}

static enum mneme_status read_file(struct importing *in, bool markdown, struct mneme_error *err)
{
    size_t bytes = 0;
    char *text = cli_read_file(in->path, markdown ? RULES_BYTES_MAX : LINES_BYTES_MAX,
                               markdown ? 0 : MNEME_LINE_BYTES_MAX, &bytes, err);

    if (!text)
        return err->status;
    enum mneme_status status = markdown ? read_markdown(in, text, bytes, err)
                                        : read_json_lines(in, text, bytes, err);
    free(text);
    return status;
}

/* Reads all files, then writes what they say. */
static enum mneme_status import_files(struct importing *in, const char *format, char **paths,
                                      size_t count, struct mneme_error *err)
{
    for (int writing = 0; writing < 2; writing++) {
        if (writing)
            MN_TRY(write_lines(in, err));
        for (size_t i = 0; i < count; i++) {
            bool markdown = is_markdown(paths[i], format);

            in->path = paths[i];
            in->source = source_of(paths[i], in->arena);
            if (!in->source)
                return mn_fail_memory(err);
            if (!writing)
                MN_TRY(read_file(in, markdown, err));
            else if (markdown)
                MN_TRY(deprecate_leaving(in, err));
        }
    }
    return MNEME_OK;
}

/* An administrator's lines without an owner are shared, whoever the environment says is working. */
static const char *default_owner(const struct cli_common *common,
                                 const struct mneme_identity *identity)
{
    return common->admin ? mn_or_empty(common->user) : identity->user_id;
}

static int run(const struct cli_common *common, const char *format,
               const struct mneme_change *change, const struct mneme_identity *identity,
               char **paths, size_t count)
{
    MN_ARENA_AUTO arena = mn_arena_new(LINES_BYTES_MAX);
    struct importing in = { .common = common, .change = *change, .defaults = MNEME_MEMORY_INIT };
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    in.defaults.tenant_id = identity->tenant_id;
    in.defaults.user_id = default_owner(common, identity);
    in.repo = identity->repository_id;
    in.change.without_embedding = 1;
    if (cli_open(common, CLI_TO_WRITE, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    in.handle = handle;
    in.arena = arena;
    enum mneme_status status = import_files(&in, format, paths, count, &err);
    release_lines(&in);
    if (status != MNEME_OK)
        return cli_fail(&err);
    if (!change->without_embedding)
        embed(&in);
    if (!common->json && in.deprecated)
        printf("%zu new, %zu changed, %zu were there, %zu left their file\n", in.inserted, in.updated,
               in.unchanged, in.deprecated);
    else if (!common->json)
        printf("%zu new, %zu changed, %zu were there\n", in.inserted, in.updated, in.unchanged);
    return CLI_OK;
}

int cli_import(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_identity identity = { 0 };
    struct mneme_change change;
    const char *format = NULL;
    int allow_secrets = 0, without_embedding = 0;
    const struct cli_option options[] = {
        { "format", CLI_TEXT, "NAME", "jsonl or markdown (else by the file's ending)", &format },
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
        .summary = "Loads mneme's JSON Lines, or the rules of AGENTS.md, CLAUDE.md and their like.",
        .details = "--tenant and --user are for lines that name none, and for Markdown, which also\n"
                   "wants --repo. With --admin and without --user such lines are shared, whatever\n"
                   "$MNEME_USER says. '-' is standard input. Importing again changes nothing.",
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
    if (!mn_empty(format) && !mn_same(format, "jsonl") && !mn_same(format, "markdown"))
        return cli_usage("import", "--format: '%s' is neither jsonl nor markdown", format);
    cli_place(&common, &identity);
    cli_change(&common, &change);
    change.allow_secrets = allow_secrets;
    change.without_embedding = without_embedding;
    for (size_t i = 0; i < count; i++)
        if (is_markdown(arguments[i], format) &&
            (common.admin ? cli_require_tenant : cli_require_owner)(&common, &err) != MNEME_OK)
            return cli_fail(&err);
    return run(&common, format, &change, &identity, arguments, count);
}
