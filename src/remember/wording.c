/*
 * wording.c - a sentence beside its lower-case twin.
 */
#include "remember/wording.h"

#include <string.h>

#include "text/cue.h"
#include "text/analyze.h"
#include "text/letters.h"

#define APOSTROPHE "\xe2\x80\x99"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct mn_wording mn_wording_of(struct mn_arena *arena, struct mn_str sentence)
{
    char *text = mn_arena_alloc(arena, sentence.bytes + 1);
    char *lower;
    char *folded;
    size_t bytes = 0;

    if (!text)
        return (struct mn_wording){ NULL, NULL, 0 };
    while (sentence.bytes && is_space(sentence.at[0]))
        sentence.at++, sentence.bytes--;
    while (sentence.bytes && is_space(sentence.at[sentence.bytes - 1]))
        sentence.bytes--;
    for (size_t i = 0; i < sentence.bytes; i++) {
        if (sentence.bytes - i >= 3 && memcmp(sentence.at + i, APOSTROPHE, 3) == 0) {
            text[bytes++] = '\'';
            i += 2;
        } else {
            text[bytes++] = is_space(sentence.at[i]) ? ' ' : sentence.at[i];
        }
    }
    text[bytes] = '\0';
    folded = mn_text_fold(arena, text, bytes);
    lower = mn_arena_copy_n(arena, text, bytes);
    if (!folded || !lower)
        return (struct mn_wording){ NULL, NULL, 0 };
    for (size_t i = 0; i < bytes; i++)
        lower[i] = mn_letter_to_lower(lower[i]);
    return (struct mn_wording){ text, strlen(folded) == bytes ? folded : lower, bytes };
}

size_t mn_wording_any(const char *lower, size_t at, const char *const *phrases)
{
    for (size_t i = 0; phrases[i]; i++) {
        size_t bytes = mn_cue_literal_at(lower, lower + at, phrases[i]);

        if (bytes)
            return bytes;
    }
    return 0;
}

bool mn_wording_abbreviates(const char *text, size_t at)
{
    static const char *const SHORT[] = { "dr", "mr", "mrs", "ms", "prof", "vs", "e.g", "i.e", NULL };

    for (size_t i = 0; SHORT[i]; i++) {
        size_t bytes = strlen(SHORT[i]), same = 0;

        if (at < bytes || (at > bytes && mn_letter_plain(text[at - bytes - 1])))
            continue;
        while (same < bytes && mn_letter_to_lower(text[at - bytes + same]) == SHORT[i][same])
            same++;
        if (same == bytes)
            return true;
    }
    return false;
}

/* Bytes of the punctuation that parts clauses, at `at`; a dot only before a space or the end. */
static size_t mark_at(const char *lower, size_t at)
{
    static const char wide[][4] = { "，", "。", "；", "！", "？", "：", "、", "（", "）", "…", "—" };

    switch (lower[at]) {
    case ';':
    case '!':
    case '?':
    case '(':
    case ')':
        return 1;
    case ',':
    case ':':
        return !mn_letter_digit(lower[at + 1]) && !mn_letter_joins(lower[at + 1]);
    case '.':
        return !lower[at + 1] || (lower[at + 1] == ' ' && !mn_wording_abbreviates(lower, at));
    default:
        break;
    }
    if ((unsigned char)lower[at] < 0xe2) /* none of the wide ones begins lower */
        return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(lower + at, wide[i], 3) == 0)
            return 3;
    return 0;
}

bool mn_wording_holds(const char *lower, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (mn_text_contains(lower, words[i]))
            return true;
    return false;
}

size_t mn_wording_clause(const char *lower, size_t at)
{
    size_t bytes = 0;

    while (lower[at] && !(bytes = mark_at(lower, at)))
        at++;
    at += bytes;
    while (lower[at] == ' ' || mark_at(lower, at))
        at += lower[at] == ' ' ? 1 : mark_at(lower, at);
    return at;
}

size_t mn_wording_end(const char *lower, size_t at)
{
    while (lower[at] && !mark_at(lower, at))
        at++;
    return at;
}

bool mn_wording_is_all(const char *lower, size_t at)
{
    static const char *const idle[] = { "now", "anymore", "any more", "any longer", "these days",
                                        "nowadays", "语言", "了", "啦", "吧", "呢", "的", NULL };
    size_t bytes;

    for (; lower[at]; at += bytes) {
        bytes = lower[at] == ' ' ? 1 : mark_at(lower, at);
        if (!bytes)
            bytes = mn_wording_any(lower, at, idle);
        if (!bytes)
            return false;
    }
    return true;
}
