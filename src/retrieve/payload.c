/*
 * payload.c - finding what a request only carries.
 *
 * Taken out wherever it stands: fenced code, quoted text, JSON, lists and markup with both ends.
 * Taken out behind a colon or the first line: the rest, but only when what stands before announces
 * it (" translate into English:", "下面这段日志："), for most colons announce what matters ("Task:
 * ...", "加载我的偏好：技术回答我喜欢什么风格？"). A short question behind the colon is never
 * payload, unless it is to be translated or reworded. When nothing would be left, everything is
 * instruction.
 */
#include "retrieve/payload.h"

#include <string.h>

#include "text/cue.h"
#include "retrieve/self_contained.h"
#include "text/analyze.h"

#define SPANS_MAX 64
#define COLONS_MAX 3          /* later ones stand in the payload, or announce nothing */
#define QUESTION_BYTES_MAX 90 /* a longer text that ends with a question mark is a text */
#define WAYS_BYTES_MAX 80     /* of a clause that says how it is to be done */
#define WORK_PER_BYTE 8
#define HEAD_BYTES_MAX 1024 /* of what stands before a colon, the end is read */
/* What a request wants stands at its beginning or its end. */
#define INSTRUCTION_BEGIN_BYTES 2048
#define INSTRUCTION_END_BYTES 1024

struct span {
    size_t from;
    size_t until;
};
struct spans {
    struct span item[SPANS_MAX];
    size_t count;
    bool is_block;
};

/* A text in which closing ends are looked for. Each look ahead costs what it passes over, and what
 * may be spent is a multiple of the text: a thousand opening brackets are no thousand walks to its
 * end. */
struct search {
    const char *text;
    size_t bytes;
    size_t work_left;
};

/* Words that point at what follows. */
static const char *const ANNOUNCES[] = {
    "下面|以下|如下|下列|这段|这句|这篇|这条|该段|原文|正文",
    "following|below",
    "this > text|sentence|paragraph|passage|code|snippet|json|yaml|xml|csv|log|message|error|trace|"
    "list|table|data|email|mail|article|function|query|statement|output|stack trace",
    NULL,
};
/* ...and back at what went before. */
static const char *const POINTS_BACK[] = { "以上|上面|上述|上文|前面这", "above", NULL };

static const struct {
    const char *open;
    const char *close;
} QUOTES[] = {
    { "“", "”" }, { "「", "」" }, { "『", "』" }, { "«", "»" },
    { "‘", "’" }, { "\"", "\"" }, { "`", "`" },   { "'", "'" },
};
#define QUOTE_COUNT (sizeof QUOTES / sizeof *QUOTES)

static bool starts_with(const char *at, const char *prefix)
{
    return strncmp(at, prefix, strlen(prefix)) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* ---- what has both its ends ---- */

/* The next `mark` at or behind `from`, or NULL; NULL, too, when the work is spent. */
static const char *look_ahead(struct search *search, const char *from, const char *mark)
{
    const char *found = search->work_left ? strstr(from, mark) : NULL;
    size_t passed = found ? (size_t)(found - from) : search->bytes - (size_t)(from - search->text);

    search->work_left -= passed < search->work_left ? passed : search->work_left;
    return found;
}

static size_t fence_at(struct search *search, const char *at)
{
    if (!starts_with(at, "```"))
        return 0;
    const char *end = look_ahead(search, at + 3, "```");
    return end ? (size_t)(end + 3 - at) : strlen(at);
}

/* Bytes of the quotation that begins here, or 0. An apostrophe is none: it opens behind a blank
 * only, and closes before what is no letter. */
static size_t quote_at(struct search *search, const char *at)
{
    for (size_t i = 0; i < QUOTE_COUNT; i++) {
        const char *close = QUOTES[i].close;
        const char *inside = at + strlen(QUOTES[i].open);
        bool is_ascii = inside - at == 1;

        if (!starts_with(at, QUOTES[i].open))
            continue;
        if (is_ascii && at > search->text && is_letter(at[-1]))
            return 0;
        for (const char *end = inside; (end = look_ahead(search, end, close));
             end += strlen(close)) {
            if (end == inside)
                break;
            if (!is_ascii || !is_letter(end[1]))
                return (size_t)(end + strlen(close) - at);
        }
        return 0;
    }
    return 0;
}

/* JSON or a list: brackets that close again, with a colon, a comma or a quote in them. */
static size_t brackets_at(struct search *search, const char *at)
{
    size_t depth = 0;
    bool quoted = false;
    bool is_data = false;

    if (*at != '{' && *at != '[')
        return 0;
    for (const char *p = at; *p && search->work_left; p++, search->work_left--) {
        if (*p == '\\' && quoted && p[1]) {
            p++;
        } else if (*p == '"') {
            quoted = !quoted;
            is_data = true;
        } else if (!quoted && (*p == '{' || *p == '[')) {
            depth++;
        } else if (!quoted && (*p == '}' || *p == ']')) {
            if (--depth == 0)
                return is_data ? (size_t)(p + 1 - at) : 0;
        } else if (*p == ':' || *p == ',') {
            is_data = true;
        }
    }
    return 0;
}

/* Markup: from <name to the last </...> of the text. */
static size_t markup_at(struct search *search, const char *at)
{
    const char *last = NULL;

    if (*at != '<' || !(is_letter(at[1]) || at[1] == '?'))
        return 0;
    for (const char *end = at; (end = look_ahead(search, end, "</")); end += 2)
        last = end;
    last = last ? strchr(last, '>') : NULL;
    return last ? (size_t)(last + 1 - at) : 0;
}

static void find_enclosed(const char *text, struct spans *spans)
{
    struct search search = { .text = text, .bytes = strlen(text) };

    search.work_left = WORK_PER_BYTE * search.bytes;
    for (size_t at = 0; text[at] && spans->count < SPANS_MAX;) {
        size_t bytes = fence_at(&search, text + at);

        if (!bytes)
            bytes = brackets_at(&search, text + at);
        if (!bytes)
            bytes = markup_at(&search, text + at);
        spans->is_block = spans->is_block || bytes > 0;
        if (!bytes)
            bytes = quote_at(&search, text + at);
        if (!bytes) {
            at++;
            continue;
        }
        spans->item[spans->count++] = (struct span){ at, at + bytes };
        at += bytes;
    }
}

/* ---- what an announcement is followed by ---- */

/* The end of the span that holds `at`, or 0. */
static size_t span_end(const struct spans *spans, size_t at)
{
    for (size_t i = 0; i < spans->count; i++) {
        if (at >= spans->item[i].from && at < spans->item[i].until)
            return spans->item[i].until;
    }
    return 0;
}

/* text[from, until) without the spans, line ends made full stops; NULL when the arena is full. */
static char *keep_without(const char *text, size_t from, size_t until, const struct spans *spans,
                          struct mn_arena *arena, size_t *ret_bytes)
{
    char *kept = mn_arena_alloc(arena, 2 * (until - from) + 1);
    size_t bytes = 0;

    if (!kept)
        return NULL;
    for (size_t at = from; at < until;) {
        size_t end = span_end(spans, at);

        if (end) {
            kept[bytes++] = ' ';
            at = end;
        } else if (text[at] == '\n') {
            /* A line end parts clauses, and white space alone would not survive folding as one. */
            if (bytes && !is_blank(kept[bytes - 1]))
                kept[bytes++] = '.';
            kept[bytes++] = ' ';
            at++;
        } else {
            kept[bytes++] = text[at++];
        }
    }
    *ret_bytes = bytes;
    return kept;
}

/* The end of text[0, until), folded: what announces stands close before what it announces. */
static char *fold_head(const char *text, size_t from, size_t until, const struct spans *spans,
                       struct mn_arena *arena)
{
    size_t bytes = 0;
    char *kept;

    if (until - from > HEAD_BYTES_MAX)
        from = until - HEAD_BYTES_MAX;
    while (from < until && ((unsigned char)text[from] & 0xc0) == 0x80)
        from++;
    kept = keep_without(text, from, until, spans, arena, &bytes);
    return kept ? mn_text_fold(arena, kept, bytes) : NULL;
}

/* Bytes of the colon or dash that stands here, 0 for none: "10:30", "https://", "a::b", "C:\" and
 * "well-known" hold none. */
static size_t colon_at(const char *text, size_t at)
{
    if (starts_with(text + at, "：") || starts_with(text + at, "—"))
        return strlen("：");
    if (starts_with(text + at, " - "))
        return strlen(" - ");
    if (text[at] != ':' || at == 0)
        return 0;
    char next = text[at + 1];
    return text[at - 1] != ':' && next != ':' && next != '/' && next != '\\' && !is_letter(next)
               ? 1
               : 0;
}

static bool is_short_question(const char *text, size_t from)
{
    size_t end = strlen(text);

    while (end > from && is_blank(text[end - 1]))
        end--;
    return end - from <= QUESTION_BYTES_MAX &&
           ((end > from && text[end - 1] == '?') ||
            (end - from >= 3 && starts_with(text + end - 3, "？")));
}

/* Would the rest, from `from`, be payload to this head? */
static bool is_announced(const char *folded_head, const char *text, size_t from)
{
    struct mn_cue_text head = mn_cue_read(folded_head);

    if (!mn_self_contained_transforms(&head) && !mn_cue_any(&head, ANNOUNCES))
        return false;
    return !is_short_question(text, from) || mn_self_contained_rewords(&head);
}

static size_t skip_blanks(const char *text, size_t at)
{
    while (is_blank(text[at]))
        at++;
    return at;
}

/* Takes out the rest of the text from `from`; spans behind it are swallowed. */
static void take_rest(const char *text, size_t from, struct spans *spans)
{
    size_t kept = 0;

    for (size_t i = 0; i < spans->count; i++) {
        if (spans->item[i].from < from)
            spans->item[kept++] = spans->item[i];
    }
    if (kept == SPANS_MAX)
        kept--;
    spans->item[kept++] = (struct span){ from, strlen(text) };
    spans->count = kept;
    spans->is_block = true;
}

/* Does a clause between two colons say how it is to be done ("translate: the way I like it: ...")?
 * Then it belongs to the instruction; "translate: I like tea: ..." is a text. */
static enum mneme_status names_ways(const char *text, size_t from, struct mn_arena *arena,
                                    bool *ret_names, struct mneme_error *err)
{
    size_t until = from;

    while (text[until] && text[until] != '\n' && until - from < WAYS_BYTES_MAX &&
           !colon_at(text, until))
        until++;
    *ret_names = false;
    if (until == from || !colon_at(text, until))
        return MNEME_OK;
    const char *folded = mn_text_fold(arena, text + from, until - from);
    if (!folded)
        return mn_fail_memory(err);
    struct mn_cue_text cues = mn_cue_read(folded);
    *ret_names =
        mn_self_contained_own_ways(&cues) && !mn_cue_found(&cues, "^i|i'm|we|我喜欢|我习惯");
    return MNEME_OK;
}

static enum mneme_status find_behind_colon(const char *text, struct mn_arena *arena,
                                           struct spans *spans, bool *ret_taken,
                                           struct mneme_error *err)
{
    size_t colons = 0;

    for (size_t at = 0; text[at] && colons < COLONS_MAX;) {
        size_t end = span_end(spans, at);
        size_t colon = end ? 0 : colon_at(text, at);

        if (!colon) {
            at = end ? end : at + 1;
            continue;
        }
        colons++;
        size_t rest = skip_blanks(text, at + colon);
        char *head = fold_head(text, 0, at, spans, arena);
        if (!head)
            return mn_fail_memory(err);
        bool goes_on = false;
        MN_TRY(names_ways(text, rest, arena, &goes_on, err));
        if (text[rest] && !goes_on && is_announced(head, text, rest)) {
            /* What has both its ends is out already, and words behind it are the user's own. */
            if (span_end(spans, rest))
                spans->is_block = true;
            else
                take_rest(text, rest, spans);
            *ret_taken = true;
            return MNEME_OK;
        }
        at += colon;
    }
    return MNEME_OK;
}

/* "Translate into English" and a text from the next line on, or a text and "总结以上内容" behind
 * it. */
static enum mneme_status find_beside_line(const char *text, struct mn_arena *arena,
                                          struct spans *spans, struct mneme_error *err)
{
    size_t first = skip_blanks(text, 0);
    size_t first_end = first + strcspn(text + first, "\n");
    size_t end = strlen(text);

    while (end > first && is_blank(text[end - 1]))
        end--;
    if (first_end >= end)
        return MNEME_OK;
    char *head = fold_head(text, first, first_end, spans, arena);
    if (!head)
        return mn_fail_memory(err);
    size_t rest = skip_blanks(text, first_end);
    if (is_announced(head, text, rest)) {
        if (!span_end(spans, rest))
            take_rest(text, rest, spans);
        return MNEME_OK;
    }
    size_t last = end;
    while (text[last - 1] != '\n')
        last--;
    char *tail = fold_head(text, last, end, spans, arena);
    if (!tail)
        return mn_fail_memory(err);
    struct mn_cue_text cues = mn_cue_read(tail);
    if (mn_self_contained_transforms(&cues) && mn_cue_any(&cues, POINTS_BACK)) {
        spans->item[0] = (struct span){ 0, last };
        spans->count = 1;
        spans->is_block = true;
    }
    return MNEME_OK;
}

static bool has_words(const char *folded)
{
    size_t bytes = strlen(folded);

    for (size_t at = 0; at < bytes;) {
        if (mn_cue_is_word_character(mn_utf8_next(folded, bytes, &at)))
            return true;
    }
    return false;
}

/* The instruction, its fold and its cues, of the text without its spans. */
static enum mneme_status read_instruction(const char *text, const struct spans *spans,
                                          struct mn_arena *arena, struct mn_payload *payload,
                                          struct mneme_error *err)
{
    size_t bytes = 0;
    char *kept = keep_without(text, 0, strlen(text), spans, arena, &bytes);

    if (!kept)
        return mn_fail_memory(err);
    if (bytes > INSTRUCTION_BEGIN_BYTES + INSTRUCTION_END_BYTES) {
        size_t begin = mn_utf8_cut(kept, bytes, INSTRUCTION_BEGIN_BYTES);
        size_t end = bytes - INSTRUCTION_END_BYTES;

        while (end < bytes && ((unsigned char)kept[end] & 0xc0) == 0x80)
            end++;
        kept[begin] = ' ';
        memmove(kept + begin + 1, kept + end, bytes - end);
        bytes = begin + 1 + bytes - end;
    }
    payload->instruction = (struct mn_str){ kept, bytes };
    payload->folded = mn_text_fold(arena, kept, bytes);
    if (!payload->folded)
        return mn_fail_memory(err);
    payload->cues = mn_cue_read(payload->folded);
    return MNEME_OK;
}

enum mneme_status mn_payload_split(const char *text, struct mn_arena *arena,
                                   struct mn_payload *ret_payload, struct mneme_error *err)
{
    struct mn_payload payload = { 0 };
    struct spans spans = { .count = 0 };
    bool taken = false;

    find_enclosed(text, &spans);
    MN_TRY(find_behind_colon(text, arena, &spans, &taken, err));
    if (!taken)
        MN_TRY(find_beside_line(text, arena, &spans, err));
    MN_TRY(read_instruction(text, &spans, arena, &payload, err));
    if (!has_words(payload.folded)) {
        spans = (struct spans){ .count = 0 };
        MN_TRY(read_instruction(text, &spans, arena, &payload, err));
    }
    payload.found = spans.count > 0;
    payload.is_block = spans.is_block;
    *ret_payload = payload;
    return MNEME_OK;
}
