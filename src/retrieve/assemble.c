/*
 * assemble.c - stage 10: the block for the prompt.
 *
 * Memories are data that once was anybody's text, so the frame must be one that no text can leave.
 * In XML every mark, quote and control character is escaped; what XML 1.0 cannot hold becomes
 * U+FFFD. In Markdown every sign that could open a heading, list, fence, link or quote is escaped,
 * and a memory is one list item whose lines all stand indented. JSON escapes by nature. The three
 * say the same in the same order: constraints first, events last, the caller's own knowledge apart.
 *
 * Turns next to a recalled one stand inside its element, in the order of the conversation: read with
 * it they say what it answers and what came of it, and they are no memories of their own.
 *
 * The frame is paid for in every prompt: one short note, no indentation, no empty sections.
 */
#include "retrieve/stages.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_number.h"
#include "text/recalled.h"

#define NOTE                                                                                       \
    MN_RECALLED_NOTE                                                                               \
    ". Order of precedence: system policy, the user's present "                                    \
    "request, project and repository constraints, confirmed preferences, task state, incidents "   \
    "and experience, inferred memories."

/* ---- what the block shows of a memory ---- */

enum mn_section mn_assemble_section(const struct mn_candidate *candidate)
{
    enum mn_section section = mn_type_of(candidate->memory->type)->section;

    return candidate->suspicious && section == MN_SECTION_CONSTRAINTS ? MN_SECTION_FACTS : section;
}

const char *mn_assemble_text(const struct mn_candidate *candidate)
{
    const struct mneme_memory *memory = candidate->memory;

    if (candidate->shortened && !mn_empty(memory->summary))
        return memory->summary;
    return candidate->excerpt ? candidate->excerpt : mn_or_empty(memory->content);
}

const char *mn_assemble_speaker(const struct mn_candidate *candidate, struct mn_arena *arena)
{
    const char *attributes = candidate->memory->attributes;
    const char *role = "";

    if (!candidate->is_event || !mn_empty(candidate->speaker) || mn_empty(attributes))
        return mn_or_empty(candidate->speaker);
    yyjson_doc *doc = yyjson_read(attributes, strlen(attributes), 0);
    const char *said = yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "role"));

    if (said)
        role = mn_arena_copy(arena, said);
    yyjson_doc_free(doc);
    return mn_or_empty(role);
}

/* What stands beside the text; empty strings are left out. */
struct facts {
    const char *id;
    const char *type;
    const char *scope;
    const char *authority;
    char confidence[MN_JSON_NUMBER_BYTES];
    char date[32]; /* of what happened: "2026-10-13" */
    const char *speaker;
    const char *replaced_by;
    bool suspicious;
};

static double in_range(double confidence)
{
    return confidence < 0.0 ? 0.0 : confidence > 1.0 ? 1.0 : confidence;
}

/* A day is enough to place an event, and what time it was costs tokens in each line. */
static void print_date(const struct mneme_memory *memory, char date[32])
{
    int64_t at_ms = memory->event_time_ms ? memory->event_time_ms : memory->created_at_ms;

    date[0] = 0;
    if (mn_type_of(memory->type)->kind != MN_KIND_EPISODIC || !at_ms)
        return;
    mn_time_print(at_ms, date, 32);
    char *time = strchr(date, 'T');
    if (time)
        *time = 0;
}

/* "repo:lunest-ios", "global". */
static const char *scope_of(const struct mneme_memory *memory, struct mn_arena *arena)
{
    const char *kind = mneme_scope_name(memory->scope_kind);

    if (mn_empty(memory->scope_id))
        return kind;
    char *scope = mn_arena_alloc(arena, strlen(kind) + strlen(memory->scope_id) + 2);
    if (scope)
        strcpy(stpcpy(stpcpy(scope, kind), ":"), memory->scope_id);
    return scope;
}

static enum mneme_status gather(const struct mn_candidate *c, struct mn_arena *arena,
                                struct facts *ret_facts, struct mneme_error *err)
{
    const struct mneme_memory *m = c->memory;
    struct facts facts = {
        .id = mn_or_empty(m->id),
        .type = mn_or_empty(m->type),
        .authority = mneme_authority_name(m->authority),
        .speaker = mn_or_empty(c->speaker),
        .replaced_by = mn_or_empty(c->replaced_by),
        .suspicious = c->suspicious,
    };

    facts.scope = scope_of(m, arena);
    if (!facts.scope)
        return mn_fail_memory(err);
    mn_json_print_number(in_range(c->confidence), 2, facts.confidence);
    print_date(m, facts.date);
    *ret_facts = facts;
    return MNEME_OK;
}

static bool holds_section(const struct mn_candidate *item, size_t count, enum mn_section section)
{
    for (size_t i = 0; i < count; i++) {
        if (mn_assemble_section(&item[i]) == section)
            return true;
    }
    return false;
}

static enum mneme_status finish(struct mn_buf *out, struct mn_arena *arena, const char **ret_text,
                                struct mneme_error *err)
{
    const char *text =
        out->failed ? NULL : mn_arena_copy_n(arena, out->at ? out->at : "", out->bytes);

    if (!text)
        return mn_fail_memory(err);
    *ret_text = text;
    return MNEME_OK;
}

/* ---- XML ---- */

static bool is_xml_character(int32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff) ||
           (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
}

/* Leading characters of ASCII that XML holds as they are, wherever they stand. */
static size_t plain_xml_bytes(const char *text)
{
    size_t bytes = 0;

    for (;; bytes++) {
        unsigned char c = (unsigned char)text[bytes];

        if (c < ' ' || c >= 0x80 || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
            return bytes;
    }
}

/* In an attribute line ends and tabs are escaped as well: a reader would make blanks of them. */
static void put_xml(struct mn_buf *out, const char *text, bool in_attribute)
{
    size_t bytes = strlen(text);

    for (size_t at = 0; at < bytes;) {
        size_t plain = plain_xml_bytes(text + at);

        mn_buf_put(out, text + at, plain);
        at += plain;
        if (at == bytes)
            break;
        size_t from = at;
        int32_t c = mn_utf8_next(text, bytes, &at);

        if (c == '&')
            mn_buf_text(out, "&amp;");
        else if (c == '<')
            mn_buf_text(out, "&lt;");
        else if (c == '>')
            mn_buf_text(out, "&gt;");
        else if (c == '"')
            mn_buf_text(out, "&quot;");
        else if (c == '\'')
            mn_buf_text(out, "&apos;");
        else if (c == '\r' || (in_attribute && (c == '\n' || c == '\t')))
            mn_buf_printf(out, "&#%d;", (int)c);
        else if (c < 0 || !is_xml_character(c))
            mn_buf_text(out, "\xef\xbf\xbd");
        else
            mn_buf_put(out, text + from, at - from);
    }
}

static void put_attribute(struct mn_buf *out, const char *name, const char *value)
{
    if (!value[0])
        return;
    mn_buf_char(out, ' ');
    mn_buf_text(out, name);
    mn_buf_put(out, "=\"", 2);
    put_xml(out, value, true);
    mn_buf_char(out, '"');
}

/* It has no id and no line of its own: it is there to be read with the turn, and is no memory that
 * was recalled. */
static void put_xml_neighbour(struct mn_buf *out, const char *place, const struct mn_candidate *c)
{
    if (!c)
        return;
    mn_buf_printf(out, "<%s", place);
    put_attribute(out, "speaker", c->speaker);
    mn_buf_char(out, '>');
    put_xml(out, mn_assemble_text(c), false);
    mn_buf_printf(out, "</%s>", place);
}

static void put_xml_memory(struct mn_buf *out, const struct facts *facts,
                           const struct mn_candidate *c)
{
    mn_buf_text(out, "<memory");
    put_attribute(out, "id", facts->id);
    put_attribute(out, "type", facts->type);
    put_attribute(out, "scope", facts->scope);
    put_attribute(out, "authority", facts->authority);
    put_attribute(out, "confidence", facts->confidence);
    put_attribute(out, "date", facts->date);
    put_attribute(out, "speaker", facts->speaker);
    put_attribute(out, "replaced_by", facts->replaced_by);
    put_attribute(out, "suspicious", facts->suspicious ? "true" : "");
    mn_buf_char(out, '>');
    put_xml_neighbour(out, "before", c->before);
    put_xml(out, mn_assemble_text(c), false);
    put_xml_neighbour(out, "after", c->after);
    mn_buf_text(out, "</memory>\n");
}

enum mneme_status mn_assemble_element(const struct mn_candidate *item, struct mn_arena *arena,
                                      struct mn_buf *out, struct mneme_error *err)
{
    struct facts facts;

    MN_TRY(gather(item, arena, &facts, err));
    put_xml_memory(out, &facts, item);
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status put_xml_section(struct mn_buf *out, const struct mn_candidate *item,
                                         size_t count, enum mn_section section,
                                         struct mn_arena *arena, struct mneme_error *err)
{
    if (!holds_section(item, count, section))
        return MNEME_OK;
    mn_buf_printf(out, "<%s>\n", mn_section_name(section));
    for (size_t i = 0; i < count; i++)
        if (mn_assemble_section(&item[i]) == section)
            MN_TRY(mn_assemble_element(&item[i], arena, out, err));
    mn_buf_printf(out, "</%s>\n", mn_section_name(section));
    return MNEME_OK;
}

enum mneme_status mn_assemble_xml(const struct mn_candidate *item, size_t count,
                                  const struct mneme_list *evidence, struct mn_arena *arena,
                                  const char **ret_xml, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };

    if (!count && !evidence->count)
        return finish(&out, arena, ret_xml, err);
    mn_buf_text(&out, "<agent_memory>\n<note>" NOTE "</note>\n");
    for (int section = 0; section < MN_SECTION_COUNT; section++)
        MN_TRY(put_xml_section(&out, item, count, section, arena, err));
    if (evidence->count) {
        mn_buf_text(&out, "<knowledge>\n");
        for (size_t i = 0; i < evidence->count; i++) {
            mn_buf_text(&out, "<evidence>");
            put_xml(&out, evidence->item[i], false);
            mn_buf_text(&out, "</evidence>\n");
        }
        mn_buf_text(&out, "</knowledge>\n");
    }
    mn_buf_text(&out, "</agent_memory>");
    return finish(&out, arena, ret_xml, err);
}

/* ---- Markdown ---- */

/* Signs that mean something in the midst of a line. */
static bool is_markdown_sign(int32_t c)
{
    static const bool sign[0x80] = {
        ['\\'] = true, ['`'] = true, ['*'] = true, ['_'] = true, ['{'] = true, ['}'] = true,
        ['['] = true,  [']'] = true, ['<'] = true, ['>'] = true, ['#'] = true, ['|'] = true,
        ['~'] = true,  ['&'] = true, ['$'] = true, ['!'] = true,
    };

    return c > 0 && c < 0x80 && sign[c];
}

/* Leading characters of ASCII that mean nothing in the midst of a line. */
static size_t plain_markdown_bytes(const char *text)
{
    size_t bytes = 0;

    while (text[bytes] >= ' ' && text[bytes] < 0x7f && !is_markdown_sign(text[bytes]))
        bytes++;
    return bytes;
}

/* Does a list, a rule or an underlined heading open here, at the beginning of a line? */
static bool opens_block(const char *at)
{
    size_t digits = strspn(at, "0123456789");

    return *at == '-' || *at == '+' || *at == '=' || *at == ':' ||
           (digits > 0 && (at[digits] == '.' || at[digits] == ')'));
}

/* Lines stand indented below their item; empty ones are dropped, for they would end it. */
static void put_markdown(struct mn_buf *out, const char *text)
{
    size_t bytes = strlen(text);
    bool line_begins = true;
    bool any = false;

    for (size_t at = 0; at < bytes;) {
        size_t from = at;
        int32_t c = mn_utf8_next(text, bytes, &at);
        bool is_break = c == '\n' || c == '\r' || c == 0x0b || c == 0x0c || c == 0x85 ||
                        c == 0x2028 || c == 0x2029;

        if (is_break || (line_begins && (c == ' ' || c == '\t'))) {
            line_begins = true;
            continue;
        }
        if (line_begins && any)
            mn_buf_text(out, "\n  ");
        if (line_begins && opens_block(text + from)) {
            /* The sign that closes the marker is the one to escape: 1. becomes 1\. */
            size_t digits = strspn(text + from, "0123456789");

            mn_buf_put(out, text + from, digits);
            mn_buf_char(out, '\\');
            mn_buf_char(out, text[from + digits]);
            at = from + digits + 1;
        } else if (c < 0 || !is_xml_character(c)) {
            mn_buf_text(out, "\xef\xbf\xbd");
        } else {
            if (is_markdown_sign(c))
                mn_buf_char(out, '\\');
            mn_buf_put(out, c == '\t' ? " " : text + from, at - from);
        }
        line_begins = false;
        any = true;
        size_t plain = plain_markdown_bytes(text + at);
        mn_buf_put(out, text + at, plain);
        at += plain;
    }
}

/* One line, whatever the value holds. */
static void put_markdown_fact(struct mn_buf *out, const char *before, const char *value)
{
    if (!value[0])
        return;
    mn_buf_text(out, before);
    for (size_t at = 0, bytes = strlen(value); at < bytes;) {
        size_t plain = plain_markdown_bytes(value + at);

        mn_buf_put(out, value + at, plain);
        at += plain;
        if (at == bytes)
            break;
        size_t from = at;
        int32_t c = mn_utf8_next(value, bytes, &at);

        if (c < 0 || c < 0x20 || c == 0x85 || c == 0x2028 || c == 0x2029 || !is_xml_character(c)) {
            mn_buf_text(out, "\xef\xbf\xbd");
            continue;
        }
        if (is_markdown_sign(c))
            mn_buf_char(out, '\\');
        mn_buf_put(out, value + from, at - from);
    }
}

/* What others chose the words of, in quotes where it could be read as more than one word. */
static void put_markdown_name(struct mn_buf *out, const char *before, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:@+";
    size_t bytes = strlen(value);

    if (!bytes)
        return;
    if (strspn(value, plain) == bytes && value[bytes - 1] != ':') {
        put_markdown_fact(out, before, value);
        return;
    }
    mn_buf_text(out, before);
    mn_buf_char(out, '"');
    for (const char *from = value; *from;) {
        size_t run = strcspn(from, "\"");
        MN_BUF_AUTO part = { 0 };

        mn_buf_put(&part, from, run);
        if (part.bytes)
            put_markdown_fact(out, "", part.at);
        if (part.failed)
            out->failed = true;
        from += run;
        if (*from) {
            mn_buf_text(out, "''");
            from++;
        }
    }
    mn_buf_char(out, '"');
}

/* The mark cannot be forged: a star in a text is escaped. */
static void put_markdown_mark(struct mn_buf *out, const char *place, const char *speaker)
{
    mn_buf_printf(out, "\n  *%s", place);
    put_markdown_name(out, ", said by ", speaker);
    mn_buf_text(out, ":* ");
}

static void put_markdown_memory(struct mn_buf *out, const struct facts *facts,
                                const struct mn_candidate *c)
{
    put_markdown_name(out, "- id ", facts->id);
    put_markdown_fact(out, ", ", facts->type);
    put_markdown_name(out, ", ", facts->scope);
    put_markdown_fact(out, ", ", facts->authority);
    put_markdown_fact(out, ", confidence ", facts->confidence);
    put_markdown_fact(out, ", ", facts->date);
    put_markdown_name(out, ", said by ", facts->speaker);
    put_markdown_name(out, ", replaced by ", facts->replaced_by);
    put_markdown_fact(out, ", ", facts->suspicious ? "suspicious" : "");
    mn_buf_char(out, ':');
    if (c->before) {
        put_markdown_mark(out, "before", c->before->speaker);
        put_markdown(out, mn_assemble_text(c->before));
        put_markdown_mark(out, "then", "");
    } else {
        mn_buf_text(out, "\n  ");
    }
    put_markdown(out, mn_assemble_text(c));
    if (c->after) {
        put_markdown_mark(out, "after", c->after->speaker);
        put_markdown(out, mn_assemble_text(c->after));
    }
    mn_buf_char(out, '\n');
}

static void put_heading(struct mn_buf *out, const char *name)
{
    mn_buf_text(out, "\n### ");
    for (size_t i = 0; name[i]; i++)
        mn_buf_char(out, name[i] == '_' ? ' ' : name[i]);
    mn_buf_text(out, "\n\n");
}

enum mneme_status mn_assemble_markdown(const struct mn_candidate *item, size_t count,
                                       const struct mneme_list *evidence, struct mn_arena *arena,
                                       const char **ret_markdown, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };

    if (!count && !evidence->count)
        return finish(&out, arena, ret_markdown, err);
    mn_buf_text(&out, "## agent memory\n\n" NOTE "\n");
    for (int section = 0; section < MN_SECTION_COUNT; section++) {
        if (!holds_section(item, count, section))
            continue;
        put_heading(&out, mn_section_name(section));
        for (size_t i = 0; i < count; i++) {
            struct facts facts;

            if ((int)mn_assemble_section(&item[i]) != section)
                continue;
            MN_TRY(gather(&item[i], arena, &facts, err));
            put_markdown_memory(&out, &facts, &item[i]);
        }
    }
    if (evidence->count) {
        put_heading(&out, "knowledge");
        for (size_t i = 0; i < evidence->count; i++) {
            mn_buf_text(&out, "- ");
            put_markdown(&out, evidence->item[i]);
            mn_buf_char(&out, '\n');
        }
    }
    return finish(&out, arena, ret_markdown, err);
}

/* ---- JSON ---- */

static void put_fact(struct mn_json_writer *w, const char *name, const char *value)
{
    if (value[0])
        mn_json_field_text(w, name, value);
}

static void put_json_neighbour(struct mn_json_writer *w, const char *place,
                               const struct mn_candidate *c)
{
    if (!c)
        return;
    mn_json_key(w, place);
    mn_json_open(w, '{');
    put_fact(w, "speaker", c->speaker);
    mn_json_field_text(w, "text", mn_assemble_text(c));
    mn_json_close(w, '}');
}

static void put_json_memory(struct mn_json_writer *w, const struct facts *facts,
                            const struct mn_candidate *c)
{
    mn_json_open(w, '{');
    put_fact(w, "id", facts->id);
    put_fact(w, "type", facts->type);
    put_fact(w, "scope", facts->scope);
    put_fact(w, "authority", facts->authority);
    mn_json_field_number(w, "confidence", c->confidence, 2);
    put_fact(w, "date", facts->date);
    put_fact(w, "speaker", facts->speaker);
    put_fact(w, "replaced_by", facts->replaced_by);
    if (facts->suspicious)
        mn_json_field_bool(w, "suspicious", true);
    put_json_neighbour(w, "before", c->before);
    mn_json_field_text(w, "text", mn_assemble_text(c));
    put_json_neighbour(w, "after", c->after);
    mn_json_close(w, '}');
}

enum mneme_status mn_assemble_json(const struct mn_candidate *item, size_t count,
                                   const struct mneme_list *evidence, struct mn_arena *arena,
                                   const char **ret_json, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    if (count || evidence->count)
        mn_json_field_text(&w, "note", NOTE);
    for (int section = 0; section < MN_SECTION_COUNT; section++) {
        if (!holds_section(item, count, section))
            continue;
        mn_json_key(&w, mn_section_name(section));
        mn_json_open(&w, '[');
        for (size_t i = 0; i < count; i++) {
            struct facts facts;

            if ((int)mn_assemble_section(&item[i]) != section)
                continue;
            MN_TRY(gather(&item[i], arena, &facts, err));
            put_json_memory(&w, &facts, &item[i]);
        }
        mn_json_close(&w, ']');
    }
    if (evidence->count) {
        mn_json_key(&w, "knowledge");
        mn_json_open(&w, '[');
        for (size_t i = 0; i < evidence->count; i++)
            mn_json_put_text(&w, evidence->item[i]);
        mn_json_close(&w, ']');
    }
    mn_json_close(&w, '}');
    return finish(&out, arena, ret_json, err);
}
