/*
 * import_rules.c - the rules of AGENTS.md, CLAUDE.md and their like.
 *
 * One memory per rule, of scope repo, said by the user, with its file (as its repository knows it) and
 * line as the source. Its id is made of the words, so that a rule that stands is left as it is; one
 * that left its file is deprecated. A document is read in the same way, and is no memory either:
 * what its paragraphs and items tell are facts, observed and not said, of the narrowest place that
 * is named.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define RULES_BYTES_MAX ((size_t)16 << 20)

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Two files of one name do not take each other's rules for their own; outside a repository, its name. */
const char *cli_import_source(const char *path, struct mn_arena *arena)
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

static const char *type_of(const struct cli_importing *in)
{
    return in->document ? "fact" : "repository_rule";
}

static enum mneme_scope scope_of(const struct cli_importing *in, const char **ret_id)
{
    const char *owner = mn_or_empty(in->defaults.user_id);
    bool of_project = mn_empty(in->repo) && !mn_empty(in->change.project_id);

    *ret_id = !mn_empty(in->repo) ? in->repo : of_project ? in->change.project_id : owner;
    if (!mn_empty(in->repo))
        return MNEME_SCOPE_REPO;
    return of_project ? MNEME_SCOPE_PROJECT : *owner ? MNEME_SCOPE_USER : MNEME_SCOPE_GLOBAL;
}

/* The rule as a JSON record, so that it enters by the same door as any other line. */
static enum mneme_status rule_json(struct cli_importing *in, const struct cli_rule_text *rule,
                                   const char *id, struct mn_buf *out, struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };
    const char *scope_id, *scope = mneme_scope_name(scope_of(in, &scope_id));
    const char *source =
        mn_arena_printf(in->arena, "file:%s#L%zu", in->source, rule->line);

    if (!source)
        return mn_fail_memory(err);
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", id);
    mn_json_field_text(&w, "scope_kind", scope);
    mn_json_field_text(&w, "scope_id", scope_id);
    mn_json_field_text(&w, "type", type_of(in));
    mn_json_field_text(&w, "title", rule->heading);
    mn_json_field_text(&w, "content", rule->text);
    mn_json_field_text(&w, "authority", in->document ? "tool_observation" : "explicit_user");
    mn_json_key(&w, "provenance");
    mn_json_open(&w, '[');
    mn_json_put_text(&w, source);
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* ---- what of the file stands ---- */

struct leaving {
    struct cli_importing *in;
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

    const char *prefix = l->in->document ? "mem_point_" : "mem_rule_";

    if (strncmp(m->id, prefix, strlen(prefix)) || !m->provenance.count ||
        strncmp(m->provenance.item[0], l->source, strlen(l->source)) || cli_import_gathered(l->in, m->id))
        return 0;
    id = mn_array_add(l->in->arena, &l->ids);
    if (id)
        *id = mn_arena_copy(l->in->arena, m->id);
    l->failed = !id || !*id;
    return l->failed;
}

/* Those of the file that are not among what was gathered. */
static enum mneme_status list_leaving(struct leaving *leaving, struct mneme_error *err)
{
    struct cli_importing *in = leaving->in;
    struct mneme_filter filter = MNEME_FILTER_INIT;

    leaving->source = mn_arena_printf(in->arena, "file:%s#", in->source);
    filter.tenant_id = in->defaults.tenant_id;
    filter.user_id = in->defaults.user_id;
    filter.with_shared = mn_empty(filter.user_id);
    filter.type = type_of(in);
    filter.scope_kind = scope_of(in, &filter.scope_id);
    if (!leaving->source)
        return mn_fail_memory(err);
    MN_TRY(mneme_list_memories(in->handle, &filter, find_leaving, leaving, err));
    return leaving->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* ---- rules ---- */

/* A rule said twice in a file is one. One that stands is left as it is, its line included. */
static enum mneme_status add_rule(struct cli_importing *in, const struct cli_rule_text *rule,
                                  struct mneme_error *err)
{
    const char *place;
    const char *prefix = in->document ? "mem_point" : "mem_rule";
    (void)scope_of(in, &place);
    const char *parts[] = { in->defaults.tenant_id, in->defaults.user_id, place,
                            in->source,             rule->heading,        rule->text };
    struct mneme_parsed *parsed = NULL, *there = NULL;
    MN_BUF_AUTO json = { 0 };
    struct mneme_error why;
    const char *id = NULL;

    MN_TRY(cli_import_id(in->arena, prefix, parts, COUNT_OF(parts), &id, err));
    if (cli_import_gathered(in, id))
        return MNEME_OK;
    if (mneme_get(in->handle, in->defaults.tenant_id, in->defaults.user_id, id, &there, &why) ==
        MNEME_OK) {
        if (mneme_parsed_record(there)->memory->status == MNEME_ACTIVE)
            return cli_import_add(in, there, rule->line, strlen(rule->text), err);
        mneme_parsed_free(there); /* it left the file once and is back */
    }
    MN_TRY(rule_json(in, rule, id, &json, err));
    enum mneme_status status =
        mneme_record_parse(json.at, json.bytes, &in->defaults, &parsed, &why);
    if (status != MNEME_OK)
        return mn_fail(err, status, "%s line %zu: %s", in->path, rule->line, why.message);
    return cli_import_add(in, parsed, rule->line, json.bytes, err);
}

static enum mneme_status read_rules(struct cli_importing *in, const char *text, size_t bytes,
                                    struct mneme_error *err)
{
    struct cli_rule_texts rules = { 0 };
    struct leaving leaving = { .in = in };

    if (mn_empty(in->repo) && !in->document)
        return mn_fail(err, MNEME_INVALID,
                       "repo: the rules of %s belong to a repository; name it with --repo",
                       in->path);
    if (!mn_utf8_valid(text, bytes) || memchr(text, 0, bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not UTF-8 text", in->path);
    size_t mark = bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* of some editors */
    MN_TRY(cli_markdown_rules(text + mark, bytes - mark, in->arena, &rules, err));
    if (!rules.count) /* all of it left a file that held some */
        MN_TRY(list_leaving(&leaving, err));
    if (!rules.count && !leaving.ids.count)
        return mn_fail(err, MNEME_INVALID, "%s: holds no rules (list items or paragraphs)",
                       in->path);
    for (size_t i = 0; i < rules.count; i++)
        MN_TRY(add_rule(in, &rules.item[i], err));
    return MNEME_OK;
}

enum mneme_status cli_import_rules(struct cli_importing *in, struct mneme_error *err)
{
    size_t bytes = 0;
    char *text = cli_read_file(in->path, RULES_BYTES_MAX, 0, &bytes, err);

    if (!text)
        return err->status;
    enum mneme_status status = read_rules(in, text, bytes, err);
    free(text);
    return status;
}

/* ---- rules that left their file ---- */

static enum mneme_status deprecate(struct cli_importing *in, const char *id, struct mneme_error *err)
{
    struct mneme_parsed *row = NULL;
    struct mneme_receipt receipt;
    struct mneme_change change = in->change;
    struct mneme_memory memory;

    MN_TRY(mneme_get(in->handle, in->defaults.tenant_id, in->defaults.user_id, id, &row, err));
    memory = *mneme_parsed_record(row)->memory;
    memory.status = MNEME_DEPRECATED;
    change.if_revision = memory.revision;
    change.reason = in->document ? "it left its document" : "the rule left its file";
    enum mneme_status status = mneme_edit(in->handle, &memory, &change, &receipt, err);
    mneme_parsed_free(row);
    in->deprecated += status == MNEME_OK;
    return status;
}

enum mneme_status cli_import_leaving(struct cli_importing *in, struct mneme_error *err)
{
    struct leaving leaving = { .in = in };

    MN_TRY(list_leaving(&leaving, err));
    for (size_t i = 0; i < leaving.ids.count; i++)
        MN_TRY(deprecate(in, leaving.ids.item[i], err));
    return MNEME_OK;
}
