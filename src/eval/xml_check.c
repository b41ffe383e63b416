/*
 * xml_check.c - a small strict reader of XML, for blocks that must not be forged.
 *
 * Written for the evaluation and from the recommendation alone (XML 1.0, fifth edition, without
 * document types), so that it cannot share a mistake with the code that writes the block.
 */
#include "eval/xml_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"

#define DEPTH_MAX 32

struct reader {
    const char *xml;
    size_t bytes;
    size_t at;
    struct mn_arena *arena;
    struct mneme_error *err;

    struct mn_str open[DEPTH_MAX]; /* names of the elements around */
    size_t depth;
    bool root_seen;
    bool in_memory; /* the text read belongs to the last of `found` */
    struct mn_buf own; /* of that memory */
    struct mn_buf all;
    struct mn_xml found;
};

static enum mneme_status wrong(struct reader *r, const char *what)
{
    return mn_fail(r->err, MNEME_INVALID, "%s at byte %zu", what, r->at);
}

static bool more(const struct reader *r)
{
    return r->at < r->bytes;
}

static bool next_is(const struct reader *r, const char *literal)
{
    size_t bytes = strlen(literal);

    return r->bytes - r->at >= bytes && !memcmp(r->xml + r->at, literal, bytes);
}

static bool eat(struct reader *r, const char *literal)
{
    if (!next_is(r, literal))
        return false;
    r->at += strlen(literal);
    return true;
}

static bool eat_blanks(struct reader *r)
{
    size_t from = r->at;

    while (more(r) && strchr(" \t\r\n", r->xml[r->at]))
        r->at++;
    return r->at > from;
}

static bool char_allowed(int32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

static bool name_byte(char c, bool first)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';

    return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

static struct mn_str read_name(struct reader *r)
{
    size_t from = r->at;

    while (more(r) && name_byte(r->xml[r->at], r->at == from))
        r->at++;
    return (struct mn_str){ r->xml + from, r->at - from };
}

/* "&amp;" and its like, behind the ampersand's place; added to `out`. */
static enum mneme_status read_reference(struct reader *r, struct mn_buf *out)
{
    static const struct { const char *name; char is; } named[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' },
    };
    char utf8[4];
    char *end;

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (eat(r, named[i].name)) {
            mn_buf_char(out, named[i].is);
            return MNEME_OK;
        }
    }
    if (!next_is(r, "&#"))
        return wrong(r, "an ampersand that begins no known reference");
    bool hex = next_is(r, "&#x");
    const char *digits = r->xml + r->at + (hex ? 3 : 2);
    unsigned long c = strchr("0123456789abcdefABCDEF", *digits) ? strtoul(digits, &end, hex ? 16 : 10)
                                                               : 0;
    if (!c || *end != ';' || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ||
        !char_allowed((int32_t)c))
        return wrong(r, "a reference to no character");
    mn_buf_put(out, utf8, mn_utf8_put((int32_t)c, utf8));
    r->at = (size_t)(end + 1 - r->xml);
    return MNEME_OK;
}

/* One character of text or of an attribute's value. */
static enum mneme_status read_char(struct reader *r, struct mn_buf *out)
{
    size_t from = r->at;

    if (r->xml[r->at] == '&')
        return read_reference(r, out);
    if (next_is(r, "]]>"))
        return wrong(r, "the end of a section that did not begin");
    int32_t c = mn_utf8_next(r->xml, r->bytes, &r->at);
    if (c < 0 || !char_allowed(c)) {
        r->at = from;
        return wrong(r, "a byte or character that XML forbids");
    }
    mn_buf_put(out, r->xml + from, r->at - from);
    return MNEME_OK;
}

static enum mneme_status read_value(struct reader *r, struct mn_buf *out)
{
    char quote = more(r) ? r->xml[r->at] : '\0';

    if (quote != '"' && quote != '\'')
        return wrong(r, "an attribute without quotes");
    for (r->at++; more(r) && r->xml[r->at] != quote;) {
        if (r->xml[r->at] == '<')
            return wrong(r, "a < in an attribute");
        MN_TRY(read_char(r, out));
    }
    if (!more(r))
        return wrong(r, "an attribute without an end");
    r->at++;
    return MNEME_OK;
}

static enum mneme_status begin_memory(struct reader *r)
{
    struct mn_xml_memory *memory = mn_array_add(r->arena, &r->found);

    if (!memory)
        return mn_fail_memory(r->err);
    memory->id = memory->text = memory->section = "";
    if (r->depth) {
        struct mn_str around = r->open[r->depth - 1];

        memory->section = mn_arena_copy_n(r->arena, around.at, around.bytes);
    }
    mn_buf_reset(&r->own);
    r->in_memory = true;
    return memory->section ? MNEME_OK : mn_fail_memory(r->err);
}

static enum mneme_status keep_attribute(struct reader *r, struct mn_str name, const char *value)
{
    mn_buf_text(&r->all, value);
    mn_buf_char(&r->all, ' ');
    if (!r->in_memory)
        return MNEME_OK;
    struct mn_xml_memory *memory = &r->found.item[r->found.count - 1];
    if (mn_str_equal(name, MN_STR("id")))
        memory->id = mn_arena_copy(r->arena, value);
    if (mn_str_equal(name, MN_STR("suspicious")))
        memory->suspicious = !strcmp(value, "true");
    return memory->id ? MNEME_OK : mn_fail_memory(r->err);
}

#define ATTRIBUTES_MAX 32

static enum mneme_status read_attributes(struct reader *r)
{
    struct mn_str seen[ATTRIBUTES_MAX];
    size_t count = 0;

    for (;;) {
        MN_BUF_AUTO value = { 0 };
        bool apart = eat_blanks(r);
        struct mn_str name;

        if (!more(r) || r->xml[r->at] == '>' || next_is(r, "/>"))
            return MNEME_OK;
        name = read_name(r);
        if (!apart || !name.bytes || count == ATTRIBUTES_MAX)
            return wrong(r, "no attribute");
        for (size_t i = 0; i < count; i++)
            if (mn_str_equal(seen[i], name))
                return wrong(r, "an attribute that stands twice");
        seen[count++] = name;
        eat_blanks(r);
        if (!eat(r, "="))
            return wrong(r, "an attribute without a value");
        eat_blanks(r);
        MN_TRY(read_value(r, &value));
        if (value.failed)
            return mn_fail_memory(r->err);
        MN_TRY(keep_attribute(r, name, mn_or_empty(value.at)));
    }
}

static enum mneme_status end_element(struct reader *r)
{
    if (mn_str_equal(r->open[--r->depth], MN_STR("memory")) && r->in_memory) {
        struct mn_xml_memory *memory = &r->found.item[r->found.count - 1];

        memory->text = mn_arena_copy(r->arena, r->own.at);
        r->in_memory = false;
        if (!memory->text || r->own.failed)
            return mn_fail_memory(r->err);
    }
    mn_buf_char(&r->all, ' ');
    return MNEME_OK;
}

static enum mneme_status read_start(struct reader *r)
{
    struct mn_str name;

    r->at++;
    name = read_name(r);
    if (!name.bytes)
        return wrong(r, "no name of an element");
    if (r->depth == 0 && r->root_seen)
        return wrong(r, "a second root");
    if (r->depth == DEPTH_MAX)
        return wrong(r, "elements too deep");
    if (mn_str_equal(name, MN_STR("memory"))) {
        if (r->in_memory)
            return wrong(r, "a memory inside a memory");
        MN_TRY(begin_memory(r));
    }
    r->root_seen = true;
    r->open[r->depth++] = name;
    MN_TRY(read_attributes(r));
    if (eat(r, "/>"))
        return end_element(r);
    return eat(r, ">") ? MNEME_OK : wrong(r, "an element's start without an end");
}

static enum mneme_status read_end(struct reader *r)
{
    struct mn_str name;

    r->at += 2;
    name = read_name(r);
    if (!r->depth || !mn_str_equal(name, r->open[r->depth - 1]))
        return wrong(r, "the end of an element that is not open");
    eat_blanks(r);
    if (!eat(r, ">"))
        return wrong(r, "an element's end without an end");
    return end_element(r);
}

static enum mneme_status read_comment(struct reader *r)
{
    r->at += 4;
    while (more(r) && !next_is(r, "--")) {
        MN_BUF_AUTO ignored = { 0 };

        if (r->xml[r->at] == '&' || r->xml[r->at] == '<')
            r->at++;
        else
            MN_TRY(read_char(r, &ignored));
    }
    return eat(r, "-->") ? MNEME_OK : wrong(r, "a comment without an end");
}

static enum mneme_status read_text(struct reader *r)
{
    MN_BUF_AUTO text = { 0 };

    while (more(r) && r->xml[r->at] != '<')
        MN_TRY(read_char(r, &text));
    if (!r->depth && text.bytes && strspn(text.at, " \t\r\n") != text.bytes)
        return wrong(r, "text outside the root");
    mn_buf_put(&r->all, text.at, text.bytes);
    if (r->in_memory)
        mn_buf_put(&r->own, text.at, text.bytes);
    return text.failed ? mn_fail_memory(r->err) : MNEME_OK;
}

static enum mneme_status read_all(struct reader *r)
{
    if (eat(r, "<?xml ")) {
        const char *end = strstr(r->xml, "?>");

        if (!end)
            return wrong(r, "a declaration without an end");
        r->at = (size_t)(end + 2 - r->xml);
    }
    while (more(r)) {
        if (next_is(r, "<!--"))
            MN_TRY(read_comment(r));
        else if (next_is(r, "</"))
            MN_TRY(read_end(r));
        else if (next_is(r, "<"))
            MN_TRY(read_start(r));
        else
            MN_TRY(read_text(r));
    }
    if (r->depth)
        return wrong(r, "an element that is not closed");
    return r->root_seen ? MNEME_OK : wrong(r, "no element");
}

enum mneme_status mn_xml_check(const char *xml, struct mn_arena *arena, struct mn_xml *ret_xml,
                               struct mneme_error *err)
{
    struct reader r = { .xml = xml, .bytes = strlen(xml), .arena = arena, .err = err };
    enum mneme_status status = r.bytes ? read_all(&r) : MNEME_OK;

    if (status == MNEME_OK) {
        r.found.text = mn_arena_copy(arena, r.all.at);
        if (!r.found.text || r.all.failed)
            status = mn_fail_memory(err);
    }
    if (status == MNEME_OK)
        *ret_xml = r.found;
    mn_buf_release(&r.own);
    mn_buf_release(&r.all);
    return status;
}
