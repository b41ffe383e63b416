/*
 * sentence.c - a turn as the sentences that its speaker says himself.
 *
 * What is no word of the speaker is quotations, code, quoted lines, and text that a recall put into
 * the prompt, which would otherwise feed on itself.
 */
#include "remember/sentence.h"

#include <string.h>

#include "text/recalled.h"

/* clang-format off */
static const char *const QUESTIONS[] = {
    "^what|why|how|when|where|who|which|whose > is|are|was|were|do|does|did|should|can|could|would|"
    "about|to|many|much|long|often|come",
    "^do you|did you|does it|does the|do i|do we|is it|is the|is there|are there|are you|was it|"
    "should i|should we|shall we|can i|can we|may i|have you|has the|isn't|aren't|don't you",
    "^什么|为什么|怎么|如何|哪里|哪个|谁|几|多少|是不是|有没有|能不能|可不可以|要不要|记不记得|你记得|你还记得|还记得", NULL,
};
/* At the head of a sentence; further on they are conditions: "from now on, if a test fails ...". */
static const char *const SUPPOSITIONS[] = {
    "if", "suppose", "supposing", "imagine", "assuming", "what if", "hypothetically", "let's say", "say i",
    "in case", "were i", "pretend", "假如", "如果", "要是", "假设", "万一", "假使", "倘若", "设想", "比如说", "比方说", NULL,
};
/* clang-format on */

/* ---- words of the speaker ---- */

/* Takes [from, until) out of the text. */
static void cut(char *text, size_t *bytes, size_t from, size_t until)
{
    memmove(text + from, text + until, *bytes - until + 1);
    *bytes -= until - from;
}

/* The text without what a recall put there; apostrophes plain, tabs blank. */
char *mn_own_text(struct mn_arena *arena, const char *given)
{
    const char *own = mn_recalled_without(arena, given);
    char *text = own ? mn_arena_copy(arena, own) : NULL;
    size_t bytes = text ? strlen(text) : 0;

    if (!text)
        return NULL;
    for (size_t i = 0; i + 2 < bytes; i++) {
        if (memcmp(text + i, "\xe2\x80\x99", 3) == 0) {
            text[i] = '\'';
            cut(text, &bytes, i + 1, i + 3);
        }
    }
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '\t' || text[i] == '\r')
            text[i] = ' ';
    return text;
}

static void blank(char *mask, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++)
        if (mask[i] != '\n')
            mask[i] = MN_QUOTED;
}

/* Of a pair that opens at `at`: the byte behind its close, within `reach` bytes; 0 without one. */
static size_t close_of(const char *mask, size_t at, const char *open, const char *close,
                       bool many_lines)
{
    size_t bytes = strlen(open);
    const char *found;
    const char *line;

    if (strncmp(mask + at, open, bytes) != 0)
        return 0;
    found = strstr(mask + at + bytes, close);
    line = strchr(mask + at, '\n');
    if (!found || (!many_lines && line && line < found))
        return 0;
    return (size_t)(found - mask) + strlen(close);
}

/* Quotations, code and quoted lines become MN_QUOTED. */
static void mask_quoted(char *mask)
{
    static const char *const pairs[][2] = { { "```", "```" }, { "`", "`" }, { "“", "”" },
                                            { "「", "」" },   { "『", "』" }, { "\"", "\"" },
                                            { "‘", "'" } };

    for (size_t at = 0; mask[at]; at++) {
        if (mask[at] == '>' && (at == 0 || mask[at - 1] == '\n')) {
            blank(mask, at, at + strcspn(mask + at, "\n"));
            continue;
        }
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            size_t end = close_of(mask, at, pairs[i][0], pairs[i][1], i == 0);

            if (end) {
                blank(mask, at, end);
                break;
            }
        }
    }
}

/* ---- sentences ---- */

/* Bytes of the sign that ends a sentence at `at`, or 0. */
static size_t stop_at(const char *mask, size_t at)
{
    static const char *const wide[] = { "。", "！", "？", "；", NULL };

    if (mask[at] == '\n' || mask[at] == ';')
        return 1;
    if (mask[at] == '.' && mask[at + 1] == ' ' && mn_wording_abbreviates(mask, at))
        return 0;
    if (mask[at] == '.' || mask[at] == '!' || mask[at] == '?')
        return !mask[at + 1] || strchr(" \n", mask[at + 1]) || mask[at] != '.' ? 1 : 0;
    for (size_t i = 0; wide[i]; i++)
        if (strncmp(mask + at, wide[i], strlen(wide[i])) == 0)
            return strlen(wide[i]);
    return 0;
}

static bool ends_with(const char *text, size_t bytes, const char *end)
{
    size_t n = strlen(end);

    return bytes >= n && memcmp(text + bytes - n, end, n) == 0;
}

static bool is_question(const struct mn_sentence *s)
{
    static const char *const tails[] = { "?", "？", "吗", "么", "呢", "吗。", "呢。", NULL };

    for (size_t i = 0; tails[i]; i++)
        if (ends_with(s->cue, s->w.bytes, tails[i]))
            return true;
    return mn_cue_any(&s->cues, QUESTIONS);
}

/* False when the arena is full. */
static bool read_sentence(struct mn_arena *scratch, const char *text, const char *mask,
                          size_t from, size_t until, struct mn_sentence *ret_sentence)
{
    struct mn_sentence s;

    while (from < until && text[from] == ' ')
        from++;
    while (until > from && text[until - 1] == ' ')
        until--;
    s.w = mn_wording_of(scratch, (struct mn_str){ text + from, until - from });
    if (!s.w.text)
        return false;
    s.cue = mn_arena_copy_n(scratch, s.w.lower, s.w.bytes);
    if (!s.cue)
        return false;
    for (size_t i = 0; i < s.w.bytes; i++)
        if (mask[from + i] == MN_QUOTED)
            s.cue[i] = MN_QUOTED;
    s.cues = mn_cue_read(s.cue);
    s.asks = is_question(&s);
    s.goes_on = false;
    s.from = from;
    s.until = until;
    *ret_sentence = s;
    return true;
}

bool mn_sentence_supposes(const struct mn_sentence *s, size_t at)
{
    return mn_wording_any(s->cue, at, SUPPOSITIONS) > 0;
}

bool mn_sentences_begin(struct mn_arena *arena, const char *text, struct mn_sentences *ret_sentences)
{
    char *own = mn_own_text(arena, text);
    char *mask = own ? mn_arena_copy(arena, own) : NULL;

    if (!mask)
        return false;
    mask_quoted(mask);
    *ret_sentences = (struct mn_sentences){ .arena = arena, .text = own, .mask = mask };
    return true;
}

bool mn_sentences_next(struct mn_sentences *all, struct mn_sentence *ret_sentence, bool *ret_more)
{
    const char *mask = all->mask;

    *ret_more = false;
    while (mask[all->at] || all->at > all->from) {
        size_t stop = mask[all->at] ? stop_at(mask, all->at) : 0;
        size_t from = all->from;

        if (mask[all->at] && !stop) {
            all->at++;
            continue;
        }
        all->at += stop;
        all->from = all->at;
        if (!read_sentence(all->arena, all->text, mask, from,
                           all->text[all->at - 1] == '\n' ? all->at - 1 : all->at, ret_sentence))
            return false;
        ret_sentence->goes_on = all->goes_on;
        if (!ret_sentence->w.bytes)
            continue;
        all->goes_on = stop && (mask[all->at - stop] == ';' ||
                                !strncmp(mask + all->at - stop, "；", strlen("；")));
        *ret_more = true;
        return true;
    }
    return true;
}
