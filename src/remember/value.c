/*
 * value.c - where a value ends, by the words behind it.
 */
#include "remember/value.h"

#include <string.h>

#include "text/letters.h"

/* What a value does not go beyond. */
/* clang-format off */
static const char *const value_ends[] = {
    "but", "because", "since", "so", "and", "now", "these days", "nowadays", "instead", "anymore",
    "again", "from now on", "at the moment", "for", "please", "as", "with", "over", "to", "rather",
    "more than", "when", "not", "last", "this", "next", "yesterday", "today", "in", "where", "which",
    "who", "写", "来写", "做", "来做", "语言", NULL,
};
/* The same right behind a Latin letter. */
static const char *const han_ends[] = { "写", "来写", "做", "来做", "语言", NULL };
/* clang-format on */

bool mn_value_ends(const char *lower, size_t at)
{
    return (lower[at] == ' ' && mn_wording_any(lower, at + 1, value_ends) > 0) ||
           (at > 0 && mn_letter_plain(lower[at - 1]) && mn_wording_any(lower, at, han_ends) > 0);
}

bool mn_value_find(const struct mn_wording *w, size_t at, const char *after,
                   struct mn_value *ret_value)
{
    static const char *const particles[] = { "了", "吧", "啦", "呢", "哦", "噢", "的", NULL };
    size_t end = mn_wording_end(w->lower, at);
    size_t words = 1;

    while (w->lower[at] == ' ')
        at++;
    if (after) {
        const char *found = strstr(w->lower + at, after);

        if (!found || (size_t)(found - w->lower) > end)
            return false;
        end = (size_t)(found - w->lower);
    }
    for (size_t i = at; i < end; i++) {
        if (mn_value_ends(w->lower, i))
            end = i;
        else
            words += w->lower[i] == ' ';
    }
    while (end > at && w->lower[end - 1] == ' ')
        end--, words--;
    for (bool cut = true; cut && end > at + 3;) {
        cut = false;
        for (size_t i = 0; particles[i] && !cut; i++)
            cut = memcmp(w->lower + end - 3, particles[i], 3) == 0;
        end -= cut ? 3 : 0;
    }
    *ret_value = (struct mn_value){ at, end };
    return end > at && end - at <= MN_VALUE_BYTES_MAX && words <= MN_VALUE_WORDS_MAX;
}

const char *mn_value_one_of(const struct mn_wording *w, struct mn_value v,
                            const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (strlen(words[i]) == v.until - v.from &&
            strncmp(w->lower + v.from, words[i], v.until - v.from) == 0)
            return words[i];
    return NULL;
}

const char *mn_key_part(struct mn_arena *arena, const char *at, size_t bytes)
{
    char *part;

    while (bytes && *at == ' ')
        at++, bytes--;
    while (bytes && at[bytes - 1] == ' ')
        bytes--;
    part = bytes && bytes <= MN_VALUE_BYTES_MAX ? mn_arena_copy_n(arena, at, bytes) : NULL;
    for (size_t i = 0; part && part[i]; i++)
        part[i] = part[i] == ' ' ? '_' : part[i];
    return part;
}

const char *mn_key_context(struct mn_arena *arena, const struct mn_wording *w, size_t at)
{
    static const char *const fors[] = { "for", "when", "in", "with", "写", "来写", "做", "来做", NULL };
    size_t bytes;

    while (w->lower[at] == ' ')
        at++;
    bytes = mn_wording_any(w->lower, at, fors);
    return bytes ? mn_key_part(arena, w->lower + at + bytes,
                               mn_wording_end(w->lower, at) - at - bytes)
                 : NULL;
}
