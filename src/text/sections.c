/*
 * sections.c - titles, line by line.
 */
#include "text/sections.h"

#include <stdbool.h>

static struct mn_str trimmed(struct mn_str text)
{
    while (text.bytes && strchr(" \t\r\n", text.at[0])) {
        text.at++;
        text.bytes--;
    }
    while (text.bytes && strchr(" \t\r\n", text.at[text.bytes - 1]))
        text.bytes--;
    return text;
}

/* Of a line that is a title: its words. */
static bool read_title(struct mn_str line, struct mn_str *ret_title)
{
    static const char open[] = "【", close[] = "】";
    size_t signs = 0;

    line = trimmed(line);
    while (signs < line.bytes && line.at[signs] == '#')
        signs++;
    if (signs > 0 && signs <= 6 && signs < line.bytes && line.at[signs] == ' ') {
        *ret_title = trimmed((struct mn_str){ line.at + signs, line.bytes - signs });
        return ret_title->bytes > 0;
    }
    if (line.bytes <= sizeof open + sizeof close - 2 || memcmp(line.at, open, sizeof open - 1) ||
        memcmp(line.at + line.bytes - (sizeof close - 1), close, sizeof close - 1))
        return false;
    *ret_title = (struct mn_str){ line.at + sizeof open - 1,
                                  line.bytes - (sizeof open - 1) - (sizeof close - 1) };
    return true;
}

/* Ends the section at work; one without a body says nothing. */
static void end(struct mn_titled *section, const char *until, size_t *count)
{
    section->body.bytes = (size_t)(until - section->body.at);
    section->body = trimmed(section->body);
    *count += section->body.bytes > 0;
}

size_t mn_text_sections(const char *text, struct mn_titled ret_sections[MN_SECTIONS_MAX])
{
    struct mn_titled *section = ret_sections;
    size_t count = 0;
    size_t titles = 0;
    bool code = false;

    *section = (struct mn_titled){ { "", 0 }, { text, 0 } };
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        const struct mn_str line = { text, bytes };
        const char *next = text + bytes + (text[bytes] == '\n');
        struct mn_str title;

        if (bytes >= 3 && !memcmp(text, "```", 3))
            code = !code;
        if (!code && read_title(line, &title) && count + 1 < MN_SECTIONS_MAX) {
            end(section, text, &count);
            section = &ret_sections[count];
            *section = (struct mn_titled){ title, { next, 0 } };
        }
        text = next;
    }
    end(section, text, &count);
    for (size_t i = 0; i < count; i++)
        titles += ret_sections[i].title.bytes > 0;
    return titles >= 2 ? count : 0;
}
