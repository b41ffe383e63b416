/*
 * recalled.c - what a recall put into a text.
 *
 * Every rendering is known by what no person writes: the element, the note under its heading or
 * behind its name, the answer's trace id, the line that counts what was found. XML ends with its
 * element, JSON with its brace, lists and prose with the first line that is none of theirs, so that
 * what a user says behind the block is his own again. A block whose end is missing goes on to the end
 * of the text, one whose beginning is missing begins with it: a long turn is cut somewhere, and half a
 * block speaks as little for its sender as a whole one.
 *
 * Most texts hold nothing of the kind; a search for three words says so.
 */
#include "text/recalled.h"

#include <stdbool.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define HEADING "## agent memory"
#define TRACE "trc_"
#define COUNTED " tokens"

/* ---- elements ---- */

static const struct {
    const char *open, *close, *memory;
} ELEMENTS[] = {
    { "<agent_memory", "</agent_memory>", "<memory " },
    { "&lt;agent_memory", "&lt;/agent_memory&gt;", "&lt;memory " },
    { "\\u003cagent_memory", "\\u003c/agent_memory\\u003e", "\\u003cmemory " },
};
#define ELEMENT_COUNT (sizeof ELEMENTS / sizeof *ELEMENTS)

static struct mn_str between(const char *from, const char *until)
{
    return (struct mn_str){ from, (size_t)(until - from) };
}

static struct mn_str earlier(struct mn_str a, struct mn_str b)
{
    return b.at && (!a.at || b.at < a.at) ? b : a;
}

static bool holds(const char *from, const char *until, const char *sign)
{
    return from < until && memmem(from, (size_t)(until - from), sign, strlen(sign)) != NULL;
}

static struct mn_str find_element(const char *text)
{
    struct mn_str found = { NULL, 0 };

    for (size_t i = 0; i < ELEMENT_COUNT; i++) {
        const char *open = strstr(text, ELEMENTS[i].open);
        const char *close = strstr(text, ELEMENTS[i].close);
        const char *from = open && (!close || open < close) ? open : text;
        const char *until = close ? close + strlen(ELEMENTS[i].close) : text + strlen(text);

        /* Somebody may speak of the element; only a block has others in it. */
        if ((open && close && from == open) ||
            holds(from + (open != NULL), close ? close : until, ELEMENTS[i].memory))
            found = earlier(found, between(from, until));
    }
    return found;
}

/* ---- objects ---- */

/* Behind the brace that closes the one at `at`; the end of the text when none does. */
static const char *object_end(const char *at)
{
    size_t depth = 0;
    bool quoted = false;

    for (; *at; at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '{')
            depth++;
        else if (!quoted && *at == '}' && --depth == 0)
            return at + 1;
    }
    return at;
}

/* Before blanks; back over one name of a field. NULL: another sign stands there. */
static const char *back_over(const char *text, const char *at, const char *literal)
{
    size_t bytes = strlen(literal);

    while (at > text && strchr(BLANKS, at[-1]))
        at--;
    return (size_t)(at - text) >= bytes && !memcmp(at - bytes, literal, bytes) ? at - bytes : NULL;
}

/* The object whose first field is `name`, with a value that begins at `value`. */
static struct mn_str object_of(const char *text, const char *value, const char *name)
{
    const char *at = value ? back_over(text, value, ":") : NULL;

    at = at ? back_over(text, at, name) : NULL;
    at = at ? back_over(text, at, "{") : NULL;
    return at ? between(at, object_end(at)) : (struct mn_str){ NULL, 0 };
}

static struct mn_str find_object(const char *text)
{
    struct mn_str found = { NULL, 0 };

    for (const char *at = text; !found.at && (at = strstr(at, "\"" MN_RECALLED_NOTE)); at++)
        found = object_of(text, at, "\"note\"");
    for (const char *at = text; (at = strstr(at, "\"" TRACE)) && (!found.at || at < found.at); at++) {
        struct mn_str answer = object_of(text, at, "\"trace_id\"");

        if (answer.at)
            return earlier(found, answer);
    }
    return found;
}

/* ---- lines ---- */

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\n' || !line[strspn(line, " \t\r")];
}

/* Behind the lines from `at` on that begin with one of these, and blank ones between them. */
static const char *skip_lines(const char *at, const char *const *begins)
{
    const char *end = at;

    while (*at) {
        bool ours = false;

        for (size_t i = 0; begins[i] && !ours; i++)
            ours = !strncmp(at, begins[i], strlen(begins[i]));
        if (!ours && !is_blank(at))
            break;
        at = next_line(at);
        end = ours ? at : end;
    }
    return end;
}

/* A heading and the note under it, or the note alone, at the beginning of a line. */
static struct mn_str find_list(const char *text)
{
    static const char *const begins[] = { "### ", "- ", "  ", "\t", NULL };

    for (const char *note = text; (note = strstr(note, MN_RECALLED_NOTE)); note++) {
        const char *from = note;
        const char *heading;

        while (from > text && (from[-1] == ' ' || from[-1] == '\t'))
            from--;
        if (from > text && from[-1] != '\n')
            continue;
        heading = back_over(text, from, HEADING);
        return between(heading && (heading == text || heading[-1] == '\n') ? heading : from,
                       skip_lines(next_line(note), begins));
    }
    return (struct mn_str){ NULL, 0 };
}

/* Either of them as a text inside of JSON: between the quotes of that text. */
static struct mn_str find_quoted(const char *text)
{
    for (const char *note = text; (note = strstr(note, MN_RECALLED_NOTE)); note++) {
        const char *from = note;
        const char *until = note;

        if (note - text < 3 || note[-2] != '\\' || (note[-1] != 'n' && note[-1] != '"'))
            continue;
        while (from > text && !(from[-1] == '"' && (from - 1 == text || from[-2] != '\\')))
            from--;
        while (*until && *until != '"')
            until += *until == '\\' && until[1] ? 2 : 1;
        return between(from, until);
    }
    return (struct mn_str){ NULL, 0 };
}

/* "mode hybrid (in doubt), 2 memories, 90 tokens" with what stands indented under it; and the line with
 * the trace at the end of all. */
static struct mn_str find_printed(const char *text)
{
    static const char *const begins[] = { "  ", "conflicts", NULL };

    for (const char *line = text; *line; line = next_line(line)) {
        const char *end = line + strcspn(line, "\n");

        if (!strncmp(line, "trace " TRACE, sizeof "trace " TRACE - 1))
            return between(line, next_line(line));
        if (!strncmp(line, "mode ", 5) && holds(line, end, " memor") &&
            holds(line, end, COUNTED))
            return between(line, skip_lines(next_line(line), begins));
    }
    return (struct mn_str){ NULL, 0 };
}

/* ---- all of them ---- */

struct mn_str mn_recalled_find(const char *text, size_t from)
{
    struct mn_str found = { NULL, 0 };

    text += from;
    bool noted = strstr(text, MN_RECALLED_NOTE) != NULL;
    bool traced = strstr(text, TRACE) != NULL;
    if (noted || traced)
        found = find_object(text);
    if (noted)
        found = earlier(found, earlier(find_list(text), find_quoted(text)));
    if (traced)
        found = earlier(found, find_printed(text));
    if (strstr(text, "agent_memory"))
        found = earlier(found, find_element(text));
    return found.at ? found : (struct mn_str){ text + strlen(text), 0 };
}

const char *mn_recalled_without(struct mn_arena *arena, const char *text)
{
    struct mn_str block = mn_recalled_find(text, 0);
    char *own;
    size_t bytes = 0;
    size_t count = 0;

    if (!block.bytes)
        return text;
    own = mn_arena_alloc(arena, strlen(text) + 1);
    if (!own)
        return NULL;
    for (const char *at = text;; block = mn_recalled_find(at, 0)) {
        size_t kept = count++ < MN_RECALLED_MAX ? (size_t)(block.at - at) : strlen(at);

        memcpy(own + bytes, at, kept);
        bytes += kept;
        if (!at[kept])
            break;
        while (bytes && strchr(BLANKS, own[bytes - 1]))
            bytes--;
        own[bytes++] = '\n'; /* what it parted stays parted */
        at = block.at + block.bytes;
        at += strspn(at, BLANKS);
    }
    while (bytes && strchr(BLANKS, own[bytes - 1]))
        bytes--;
    own[bytes] = '\0';
    return own + strspn(own, BLANKS);
}
