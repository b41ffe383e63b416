/*
 * markdown.c - the rules of a Markdown rule file.
 *
 * Not a Markdown parser: a line reader that knows what rule files are made of. A list item at the outer
 * level is a rule, with its continuation lines and nested items; a paragraph is one too. What is not
 * prose (fences, tables, comments, front matter, images) is no rule.
 */
#include "cli/import.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"

#define HEADINGS_MAX 6

struct reader {
    struct mn_arena *arena;
    struct cli_rule_texts rules;
    const char *headings[HEADINGS_MAX];
    struct mn_buf text; /* of the rule being read */
    size_t line;        /* where it began */
    bool in_item;
    size_t item_indent;
    bool after_blank;
    const char *skip_until; /* inside a fence, a comment or front matter: what ends it */
};

static const char *trim(struct mn_arena *arena, const char *text, size_t bytes)
{
    while (bytes && isspace((unsigned char)text[0]))
        text++, bytes--;
    while (bytes && isspace((unsigned char)text[bytes - 1]))
        bytes--;
    return mn_arena_copy_n(arena, text, bytes);
}

static const char *heading_path(struct reader *r)
{
    struct mn_buf path = { 0 };

    /* The first heading is the file's title where there are deeper ones. */
    for (int level = 0; level < HEADINGS_MAX; level++)
        if (r->headings[level])
            mn_buf_printf(&path, "%s%s", path.bytes ? " / " : "", r->headings[level]);
    const char *copy = path.failed ? NULL : mn_arena_copy(r->arena, path.at);
    mn_buf_release(&path);
    return copy;
}

static enum mneme_status end_rule(struct reader *r, struct mneme_error *err)
{
    const char *text;

    if (r->text.failed)
        return mn_fail_memory(err);
    if (!r->text.bytes)
        return MNEME_OK;
    text = trim(r->arena, r->text.at, r->text.bytes);
    mn_buf_reset(&r->text);
    r->in_item = false;
    if (!text)
        return mn_fail_memory(err);
    if (!text[0])
        return MNEME_OK;
    struct cli_rule_text *rule = mn_array_add(r->arena, &r->rules);
    const char *heading = rule ? heading_path(r) : NULL;
    if (!heading)
        return mn_fail_memory(err);
    *rule = (struct cli_rule_text){ heading, text, r->line };
    return MNEME_OK;
}

/* Bytes of the list marker behind the indent ("- ", "* ", "12. ", "- [x] "), 0 for none. */
static size_t marker_bytes(const char *at, size_t bytes)
{
    size_t n = 0;

    if (bytes > 1 && strchr("-*+", at[0]) && at[1] == ' ') {
        n = 2;
    } else {
        while (n < bytes && n < 9 && isdigit((unsigned char)at[n]))
            n++;
        if (!n || n + 1 >= bytes || !strchr(".)", at[n]) || at[n + 1] != ' ')
            return 0;
        n += 2;
    }
    if (bytes > n + 3 && at[n] == '[' && at[n + 2] == ']' && at[n + 3] == ' ')
        n += 4;
    return n;
}

static enum mneme_status read_heading(struct reader *r, const char *at, size_t bytes,
                                      struct mneme_error *err)
{
    size_t level = 0;

    MN_TRY(end_rule(r, err));
    while (level < bytes && at[level] == '#')
        level++;
    while (bytes > level && (at[bytes - 1] == '#' || isspace((unsigned char)at[bytes - 1])))
        bytes--;
    const char *title = trim(r->arena, at + level, bytes - level);
    if (!title)
        return mn_fail_memory(err);
    r->headings[level - 1] = title[0] ? title : NULL;
    for (size_t deeper = level; deeper < HEADINGS_MAX; deeper++)
        r->headings[deeper] = NULL;
    return MNEME_OK;
}

static bool starts(const char *at, size_t bytes, const char *with)
{
    return bytes >= strlen(with) && !memcmp(at, with, strlen(with));
}

static bool is_heading(const char *at, size_t bytes)
{
    size_t level = 0;

    while (level < bytes && at[level] == '#')
        level++;
    return level >= 1 && level <= HEADINGS_MAX && level < bytes && at[level] == ' ';
}

/* Begins to skip when the line opens something that is no prose. */
static bool opens_skip(struct reader *r, const char *at, size_t bytes, size_t number)
{
    if (starts(at, bytes, "```") || starts(at, bytes, "~~~")) {
        r->skip_until = at[0] == '`' ? "```" : "~~~";
        return true;
    }
    if (starts(at, bytes, "<!--")) {
        if (!memmem(at, bytes, "-->", 3))
            r->skip_until = "-->";
        return true;
    }
    if (number == 1 && starts(at, bytes, "---")) {
        r->skip_until = "---";
        return true;
    }
    return false;
}

static bool ends_skip(const char *until, const char *at, size_t bytes)
{
    return !strcmp(until, "-->") ? memmem(at, bytes, "-->", 3) != NULL : starts(at, bytes, until);
}

static enum mneme_status read_line(struct reader *r, const char *line, size_t bytes, size_t number,
                                   struct mneme_error *err)
{
    size_t indent = 0;

    while (bytes && strchr("\r\n", line[bytes - 1]))
        bytes--;
    while (indent < bytes && (line[indent] == ' ' || line[indent] == '\t'))
        indent++;
    const char *at = line + indent;
    size_t left = bytes - indent;

    if (r->skip_until) {
        if (ends_skip(r->skip_until, at, left))
            r->skip_until = NULL;
        return MNEME_OK;
    }
    if (opens_skip(r, at, left, number))
        return MNEME_OK;
    if (!left) {
        r->after_blank = true;
        return r->in_item ? MNEME_OK : end_rule(r, err);
    }
    bool after_blank = r->after_blank;
    r->after_blank = false;
    if (!indent && is_heading(at, left))
        return read_heading(r, at, left, err);
    if (at[0] == '|' || starts(at, left, "![") || starts(at, left, "---") ||
        starts(at, left, "==="))
        return end_rule(r, err);

    size_t marker = marker_bytes(at, left);
    bool outer_item = marker && (!r->in_item || indent <= r->item_indent);
    /* Behind a blank line only what is indented still belongs to the item. */
    if (outer_item || (r->in_item && after_blank && indent <= r->item_indent))
        MN_TRY(end_rule(r, err));
    if (!r->text.bytes)
        r->line = number;
    if (outer_item) {
        r->in_item = true;
        r->item_indent = indent;
    } else if (r->text.bytes) {
        mn_buf_char(&r->text, marker ? '\n' : ' ');
    }
    mn_buf_put(&r->text, at + (outer_item ? marker : 0), left - (outer_item ? marker : 0));
    return MNEME_OK;
}

enum mneme_status cli_markdown_rules(const char *text, size_t bytes, struct mn_arena *arena,
                                     struct cli_rule_texts *ret_rules, struct mneme_error *err)
{
    struct reader r = { .arena = arena };
    enum mneme_status status = MNEME_OK;
    size_t number = 0;

    for (size_t at = 0; at < bytes && status == MNEME_OK;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t line_bytes = end ? (size_t)(end - (text + at)) + 1 : bytes - at;

        status = read_line(&r, text + at, line_bytes, ++number, err);
        at += line_bytes;
    }
    if (status == MNEME_OK)
        status = end_rule(&r, err);
    mn_buf_release(&r.text);
    if (status == MNEME_OK)
        *ret_rules = r.rules;
    return status;
}
