/*
 * excerpt.c - a long text by its passages.
 *
 * It serves as the summary of a text that has none: what the request is nearest to says more of a long
 * text than its beginning does. Marked by an ellipsis where something is left out, so that nobody takes
 * a part for the whole.
 */
#include "retrieve/excerpt.h"

#include <string.h>

#include "base/str.h"
#include "text/passages.h"

#define MARK "…"

static size_t best_of(const struct mn_candidate *c, size_t count)
{
    return c->passage >= 1 && c->passage <= count ? c->passage : 1;
}

size_t mn_excerpt_passages(const struct mn_candidate *c)
{
    return mn_text_passage_count(strlen(mn_or_empty(c->memory->content)));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Passages first to last, without the blanks around them. */
static struct mn_str cut(const char *text, size_t first, size_t last)
{
    size_t bytes = strlen(text);
    struct mn_passage end = mn_text_passage(text, bytes, last);
    size_t from = mn_text_passage(text, bytes, first).from, until = end.from + end.bytes;

    while (from < until && is_blank(text[from]))
        from++;
    while (until > from && is_blank(text[until - 1]))
        until--;
    return (struct mn_str){ text + from, until - from };
}

const char *mn_excerpt_best(const struct mn_candidate *c, struct mn_arena *arena)
{
    size_t count = mn_excerpt_passages(c);

    if (!count)
        return mn_or_empty(c->memory->content);
    struct mn_str text = cut(c->memory->content, best_of(c, count), best_of(c, count));
    return mn_arena_copy_n(arena, text.at, text.bytes);
}

enum mneme_status mn_excerpt_show(struct mn_candidate *c, size_t first, size_t last,
                                  struct mn_arena *arena, struct mneme_error *err)
{
    size_t count = mn_excerpt_passages(c);
    const char *excerpt = NULL;

    if (first > 1 || last < count) {
        struct mn_str text = cut(c->memory->content, first, last);

        excerpt = mn_arena_printf(arena, "%s%.*s%s", first > 1 ? MARK " " : "", (int)text.bytes,
                                  text.at, last < count ? " " MARK : "");
        if (!excerpt)
            return mn_fail_memory(err);
    }
    c->excerpt = excerpt;
    c->excerpt_first = first;
    c->excerpt_last = last;
    return MNEME_OK;
}

enum mneme_status mn_excerpt_begin(struct mn_candidate *c, struct mn_arena *arena,
                                   struct mneme_error *err)
{
    size_t count = mn_excerpt_passages(c);

    if (!count || !mn_empty(c->memory->summary))
        return MNEME_OK;
    return mn_excerpt_show(c, best_of(c, count), best_of(c, count), arena, err);
}
