/*
 * import_formats.c - whose file is it?
 *
 * Told by what the first item holds, never by the file's name, which is conversations.json for two of
 * them. What tells nothing is not guessed at: the error lists what was seen.
 */
#include "cli/import.h"

#include <string.h>

#include "base/err.h"

static const char *const NAMES[] = {
    [CLI_AUTO] = "auto",     [CLI_JSONL] = "jsonl",   [CLI_MARKDOWN] = "markdown",
    [CLI_DOCUMENT] = "document",
    [CLI_OPENAI] = "openai", [CLI_CHATGPT] = "chatgpt", [CLI_CLAUDE] = "claude",
    [CLI_MEMORY_SERVER] = "memory-server", [CLI_MEM0] = "mem0",
};
#define NAME_COUNT (sizeof NAMES / sizeof *NAMES)

const char *cli_format_name(enum cli_format format)
{
    return NAMES[format];
}

enum mneme_status cli_format_of(const char *name, enum cli_format *ret_format,
                                struct mneme_error *err)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (mn_same(mn_empty(name) ? "auto" : name, NAMES[i])) {
            *ret_format = (enum cli_format)i;
            return MNEME_OK;
        }
    }
    return mn_fail(err, MNEME_INVALID,
                   "format: '%.64s' is none of auto, jsonl, markdown, document, openai, chatgpt, claude, "
                   "memory-server, mem0",
                   name);
}

static bool has(yyjson_val *object, const char *name)
{
    return yyjson_obj_get(object, name) != NULL;
}

static bool is_fact_of_mem0(yyjson_val *object)
{
    return yyjson_is_str(yyjson_obj_get(object, "memory")) && !has(object, "content");
}

static bool is_message(yyjson_val *object)
{
    yyjson_val *type = yyjson_obj_get(object, "type");

    return (has(object, "role") && !has(object, "text")) || yyjson_equals_str(type, "function_call") ||
           yyjson_equals_str(type, "function_call_output") || yyjson_equals_str(type, "reasoning");
}

static enum cli_format format_of_object(yyjson_val *o)
{
    yyjson_val *type = yyjson_obj_get(o, "type");
    yyjson_val *results = yyjson_obj_get(o, "results");

    if (yyjson_is_str(yyjson_obj_get(o, "kind")))
        return CLI_AUTO; /* mneme's own */
    if (has(o, "mapping"))
        return CLI_CHATGPT;
    if (has(o, "chat_messages"))
        return CLI_CLAUDE;
    if ((yyjson_equals_str(type, "entity") && has(o, "name")) ||
        (yyjson_equals_str(type, "relation") && has(o, "from")) ||
        (yyjson_is_arr(yyjson_obj_get(o, "entities")) && has(o, "relations") && !has(o, "content")))
        return CLI_MEMORY_SERVER;
    if (is_fact_of_mem0(o) || yyjson_is_arr(results) ||
        (yyjson_is_arr(yyjson_obj_get(o, "memories")) && !has(o, "content")))
        return CLI_MEM0;
    if (yyjson_is_arr(yyjson_obj_get(o, "messages")) || is_message(o))
        return CLI_OPENAI;
    return CLI_AUTO;
}

/* "a, b and 3 more", for a message. */
static const char *members_of(yyjson_val *object, char *out, size_t bytes)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    yyjson_val *key;
    size_t used = 0, shown = 0;

    out[0] = '\0';
    while ((key = yyjson_obj_iter_next(&iter)) && shown < 8) {
        int more = snprintf(out + used, bytes - used, "%s%.24s", shown ? ", " : "",
                            yyjson_get_str(key));

        if (more < 0 || (size_t)more >= bytes - used)
            break;
        used += (size_t)more;
        shown++;
    }
    if (yyjson_obj_size(object) > shown)
        snprintf(out + used, bytes - used, " and %zu more", yyjson_obj_size(object) - shown);
    return shown ? out : "nothing";
}

/* A record of mneme's own names its fields; its reader says which of them is wrong. */
static bool may_be_own(yyjson_val *o)
{
    static const char *const own[] = { "kind", "content", "text", "memory_id", "tenant_id", "type",
                                       "state", "source", "id" };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (has(o, own[i]))
            return true;
    return false;
}

static enum mneme_status format_of_item(const struct cli_stream *s, enum cli_format *ret_format,
                                        struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    struct mneme_error why;
    char members[200];

    enum mneme_status status = mn_json_parse_within("record", s->text.at, s->text.bytes,
                                                    CLI_ITEM_BYTES_MAX, &doc, &why);
    if (status == MNEME_LIMIT)
        return mn_fail(err, status, "%s line %zu: %s", s->path, s->item_line, why.message);
    if (status != MNEME_OK && s->list)
        return mn_fail(err, status,
                       "%s line %zu: the first item of a list tells no format (%s); name what it is "
                       "with --format",
                       s->path, s->item_line, why.message);
    if (status != MNEME_OK)
        return mn_fail(err, status,
                       "%s line %zu: %s; --format jsonl takes what it holds for mneme's own lines, and "
                       "other names for those of others",
                       s->path, s->item_line, why.message);
    yyjson_val *o = yyjson_doc_get_root(doc);
    enum cli_format format = format_of_object(o);
    if (format == CLI_AUTO && !s->list && may_be_own(o))
        format = CLI_JSONL;
    if (format == CLI_AUTO)
        return mn_fail(err, MNEME_INVALID,
                       "%s line %zu: an object with %s: no record of mneme, no message, and no item "
                       "of the exports that are known (--format names them)",
                       s->path, s->item_line, members_of(o, members, sizeof members));
    *ret_format = format;
    return MNEME_OK;
}

enum mneme_status cli_format_see(struct cli_stream *s, enum cli_format *ret_format,
                                 struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    enum cli_format format = CLI_JSONL;
    bool found = false;
    int c;

    cli_stream_skip_mark(s);
    while ((c = cli_stream_peek(s)) == ' ' || c == '\t' || c == '\r' || c == '\n')
        cli_stream_next(s);
    if (c == 'P' && s->held.bytes - s->at >= 4 && !memcmp(s->held.at + s->at, "PK\3\4", 4))
        return mn_fail(err, MNEME_INVALID,
                       "%s: a ZIP archive: unpack it and import the conversations.json in it", s->path);
    if (c == '{' || c == '[')
        status = cli_stream_item(s, &found, err);
    if (status != MNEME_OK && !s->list)
        status = MNEME_OK; /* a line that is cut short: the reader of lines names it */
    else if (status == MNEME_OK && found)
        status = format_of_item(s, &format, err);
    else if (status == MNEME_OK && s->list)
        status = mn_fail(err, MNEME_INVALID, "%s: an empty list; name what it is with --format",
                         s->path);
    MN_TRY(status);
    cli_stream_rewind(s);
    *ret_format = format;
    return MNEME_OK;
}
