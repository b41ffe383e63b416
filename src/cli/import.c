/*
 * import.c - what others have written down, into the store.
 *
 * JSON Lines are mneme's own records, a line each; a Markdown rule file is one memory per rule, of
 * scope repo, said by the user, with its file and line as the source. Importing again changes nothing:
 * rows keep their ids, and a rule's id is made of where it stands and what it says. Rows are committed
 * in batches; a bad line is named, and nothing of its batch is written.
 */
#include "cli/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define BATCH_ROWS 200
#define BATCH_BYTES ((size_t)4 << 20)

struct importing {
    struct mneme *handle;
    const struct cli_common *common;
    const struct mneme_change *change;
    struct mneme_memory defaults; /* tenant, user, agent for lines that name none */
    const char *path;

    struct mneme_parsed *parsed[BATCH_ROWS];
    struct mneme_record record[BATCH_ROWS];
    size_t line[BATCH_ROWS];
    size_t count;
    size_t bytes;

    size_t inserted, updated, unchanged;
};

/* ---- batches ---- */

static void release_batch(struct importing *in)
{
    for (size_t i = 0; i < in->count; i++)
        mneme_parsed_free(in->parsed[i]);
    in->count = 0;
    in->bytes = 0;
}

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

/* Commits what is gathered; an error names the file and the line. */
static enum mneme_status flush(struct importing *in, struct mneme_error *err)
{
    struct mneme_receipt *receipts = calloc(BATCH_ROWS, sizeof *receipts);
    struct mneme_error why;
    size_t failed = 0;

    if (!receipts)
        return mn_fail_memory(err);
    enum mneme_status status = in->count ? mneme_write(in->handle, in->record, in->count,
                                                       in->change, receipts, &failed, &why)
                                         : MNEME_OK;
    for (size_t i = 0; status == MNEME_OK && i < in->count; i++)
        count_receipt(in, &receipts[i]);
    if (status != MNEME_OK)
        mn_fail(err, status, "%s line %zu: %s", in->path, in->line[failed], why.message);
    free(receipts);
    release_batch(in);
    return status;
}

static enum mneme_status add(struct importing *in, struct mneme_parsed *parsed, size_t line,
                             size_t bytes, struct mneme_error *err)
{
    in->parsed[in->count] = parsed;
    in->record[in->count] = *mneme_parsed_record(parsed);
    in->line[in->count] = line;
    in->count++;
    in->bytes += bytes;
    return in->count == BATCH_ROWS || in->bytes > BATCH_BYTES ? flush(in, err) : MNEME_OK;
}

/* ---- JSON Lines ---- */

static bool is_blank(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!strchr(" \t\r\n", text[i]))
            return false;
    return true;
}

static enum mneme_status import_json_lines(struct importing *in, const char *text, size_t bytes,
                                           struct mneme_error *err)
{
    size_t number = 0;

    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t line_bytes = end ? (size_t)(end - (text + at)) : bytes - at;
        struct mneme_parsed *parsed = NULL;
        struct mneme_error why;

        number++;
        if (!is_blank(text + at, line_bytes)) {
            enum mneme_status status = line_bytes > MNEME_LINE_BYTES_MAX
                                           ? mn_fail(&why, MNEME_LIMIT, "%zu bytes, at most %d",
                                                     line_bytes, MNEME_LINE_BYTES_MAX)
                                           : mneme_record_parse(text + at, line_bytes,
                                                                &in->defaults, &parsed, &why);

            if (status != MNEME_OK)
                return mn_fail(err, status, "%s line %zu: %s", in->path, number, why.message);
            MN_TRY(add(in, parsed, number, line_bytes, err));
        }
        at += line_bytes + 1;
    }
    return flush(in, err);
}

/* ---- Markdown rule files ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The rule as a JSON record, so that it enters by the same door as any other line. */
static enum mneme_status rule_json(const struct importing *in, const char *repo,
                                   const struct cli_rule_text *rule, struct mn_buf *out,
                                   struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };
    MN_BUF_AUTO named = { 0 };
    MN_BUF_AUTO source = { 0 };
    char hash[MN_SHA256_HEX_BYTES];
    char id[64];

    mn_buf_printf(&named, "%s\n%s\n%s\n%s\n%s\n%s", mn_or_empty(in->defaults.tenant_id),
                  mn_or_empty(in->defaults.user_id), repo, base_name(in->path), rule->heading,
                  rule->text);
    mn_buf_printf(&source, "file:%s#L%zu", base_name(in->path), rule->line);
    if (named.failed || source.failed || !mn_sha256_hex(named.at, named.bytes, hash))
        return mn_fail_memory(err);
    snprintf(id, sizeof id, "mem_rule_%.24s", hash);
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", id);
    mn_json_field_text(&w, "scope_kind", "repo");
    mn_json_field_text(&w, "scope_id", repo);
    mn_json_field_text(&w, "type", "repository_rule");
    mn_json_field_text(&w, "title", rule->heading);
    mn_json_field_text(&w, "content", rule->text);
    mn_json_field_text(&w, "authority", "explicit_user");
    mn_json_key(&w, "provenance");
    mn_json_open(&w, '[');
    mn_json_put_text(&w, source.at);
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* A rule that stands is left alone: its instants are those of its first import. */
static enum mneme_status add_rule(struct importing *in, const char *repo,
                                  const struct cli_rule_text *rule, struct mneme_error *err)
{
    struct mneme_parsed *parsed = NULL, *there = NULL;
    MN_BUF_AUTO json = { 0 };
    struct mneme_error why;

    MN_TRY(rule_json(in, repo, rule, &json, err));
    enum mneme_status status =
        mneme_record_parse(json.at, json.bytes, &in->defaults, &parsed, &why);
    if (status != MNEME_OK)
        return mn_fail(err, status, "%s line %zu: %s", in->path, rule->line, why.message);
    if (mneme_get(in->handle, in->defaults.tenant_id, in->defaults.user_id,
                  mneme_parsed_record(parsed)->memory->id, &there, &why) == MNEME_OK) {
        mneme_parsed_free(there);
        mneme_parsed_free(parsed);
        in->unchanged++;
        return MNEME_OK;
    }
    return add(in, parsed, rule->line, json.bytes, err);
}

static enum mneme_status import_markdown(struct importing *in, const char *repo, const char *text,
                                         size_t bytes, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(bytes * 16 + (1 << 20));
    struct cli_rule_texts rules = { 0 };

    if (mn_empty(repo))
        return mn_fail(err, MNEME_INVALID,
                       "repo: the rules of %s belong to a repository; name it with --repo",
                       in->path);
    if (!mn_utf8_valid(text, bytes) || memchr(text, 0, bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not UTF-8 text", in->path);
    MN_TRY(cli_markdown_rules(text, bytes, arena, &rules, err));
    if (!rules.count)
        return mn_fail(err, MNEME_INVALID, "%s: holds no rules (list items or paragraphs)",
                       in->path);
    for (size_t i = 0; i < rules.count; i++)
        MN_TRY(add_rule(in, repo, &rules.item[i], err));
    return flush(in, err);
}

/* ---- the command ---- */

static bool is_markdown(const char *path, const char *format)
{
    const char *dot = strrchr(path, '.');

    if (!mn_empty(format))
        return mn_same(format, "markdown");
    return dot && (!strcasecmp(dot, ".md") || !strcasecmp(dot, ".markdown"));
}

static enum mneme_status import_file(struct importing *in, const char *format,
                                     const struct mneme_identity *identity, struct mneme_error *err)
{
    size_t bytes = 0;
    char *text = cli_read_file(in->path, &bytes, err);

    if (!text)
        return err->status;
    enum mneme_status status =
        is_markdown(in->path, format)
            ? import_markdown(in, identity->repository_id, text, bytes, err)
            : import_json_lines(in, text, bytes, err);
    release_batch(in);
    free(text);
    return status;
}

static int run(const struct cli_common *common, const char *format,
               const struct mneme_change *change, const struct mneme_identity *identity,
               char **paths, size_t count)
{
    struct importing in = { .common = common, .change = change, .defaults = MNEME_MEMORY_INIT };
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    in.defaults.tenant_id = identity->tenant_id;
    in.defaults.user_id = identity->user_id;
    if (cli_open(common, 0, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    in.handle = handle;
    for (size_t i = 0; i < count; i++) {
        in.path = paths[i];
        if (import_file(&in, format, identity, &err) != MNEME_OK)
            return cli_fail(&err);
    }
    if (!common->json)
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
        .summary = "Loads mneme's JSON Lines, or the rules of AGENTS.md, CLAUDE.md and their like.",
        .details = "--tenant and --user are for lines that name none, and for Markdown, which also\n"
                   "wants --repo. '-' is standard input. Importing again changes nothing.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_OWNER | CLI_GROUP_PLACE |
                  CLI_GROUP_CHANGE,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct mneme_error err;
    char **arguments;
    size_t count;

    int code = cli_parse(&command, argc, argv, &arguments, &count);
    if (code)
        return code < 0 ? CLI_OK : code;
    if (!count)
        return cli_usage("import", "which file?");
    if (!mn_empty(format) && !mn_same(format, "jsonl") && !mn_same(format, "markdown"))
        return cli_usage("import", "--format: '%s' is neither jsonl nor markdown", format);
    cli_place(&common, &identity);
    cli_change(&common, &change);
    change.allow_secrets = allow_secrets;
    change.without_embedding = without_embedding;
    for (size_t i = 0; i < count; i++)
        if (is_markdown(arguments[i], format) && cli_require_owner(&common, &err) != MNEME_OK)
            return cli_fail(&err);
    return run(&common, format, &change, &identity, arguments, count);
}
