/*
 * cue.c - word patterns: found by trying.
 *
 * A request is a line or two and a cue three groups, so plain search with backtracking is cheap;
 * the gaps are bounded, so it cannot run away. Nearly every cue of the tables is absent from nearly
 * every text: a set of the three-byte beginnings that occur, made once, says so without a search.
 * Considered: regular expressions. They would do, but neither border nor clause start has a short
 * form there that holds for Chinese and English alike, and a table of them is not read aloud.
 */
#include "text/cue.h"

#include <string.h>

#include "base/str.h"

/* What people say before they say what they want. Longer ones first. */
/* clang-format off */
static const char *const OPENINGS[] = {
    "i would like you to", "i'd like you to", "i want you to", "i need you to",
    "would you please", "could you please", "can you please", "would you mind", "would you",
    "could you", "can you", "will you", "can we", "could we", "let's", "let us", "help me to",
    "help me", "please", "kindly", "pls", "okay", "ok", "now", "then", "and", "so", "also",
    "just", "quickly", "first", "hello", "hey", "hi", "你能不能", "你可不可以", "能不能", "可不可以", "你可以",
    "麻烦你", "请问", "麻烦", "帮我", "帮忙", "给我", "替我", "可否", "能否", "可以", "请你", "请", "帮", "你能", "你", "现在",
    "然后", "并且", "并", "再", "先", "那", "好的", "你好", "好", "嗨", "我想要", "我想", "我要", "我需要", "咱们", "我们",
    NULL,
};
/* clang-format on */

static bool is_ascii_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool mn_cue_is_word_character(int c)
{
    if (c < 0x80)
        return c > 0 && is_ascii_word((char)c) && c != '_';
    return !(c < 0xc0 || c == 0xd7 || c == 0xf7 || /* Latin-1 signs */
             (c >= 0x2000 && c <= 0x2bff) ||       /* punctuation, arrows, symbols */
             (c >= 0x2e00 && c <= 0x2e7f) ||       /* more punctuation */
             (c >= 0x3000 && c <= 0x303f) ||       /* CJK punctuation */
             c == 0x30fb || c == 0x30fc ||         /* middle dot, long mark */
             (c >= 0xe000 && c <= 0xf8ff) ||       /* private use */
             (c >= 0xfe00 && c <= 0xfe6f) ||       /* variation selectors, small forms */
             (c >= 0xff00 && c <= 0xff0f) || (c >= 0xff5b && c <= 0xff65) || c == 0xfffd ||
             (c >= 0x1f000 && c <= 0x1faff) || c >= 0xe0000);
}

size_t mn_cue_word_at(const char *folded, const char *at, const char *word, size_t word_bytes)
{
    bool open_end = word_bytes > 1 && word[word_bytes - 1] == '*';

    if (open_end)
        word_bytes--;
    if (!word_bytes || strncmp(at, word, word_bytes) != 0)
        return 0;
    if (is_ascii_word(word[0]) && at > folded && is_ascii_word(at[-1]))
        return 0;
    if (!open_end && is_ascii_word(word[word_bytes - 1]) && is_ascii_word(at[word_bytes]))
        return 0;
    return word_bytes;
}

/* Behind the polite opening that stands at `at`; `at` itself without one. */
static const char *skip_opening(const char *folded, const char *at)
{
    for (size_t i = 0; OPENINGS[i]; i++) {
        size_t bytes = mn_cue_literal_at(folded, at, OPENINGS[i]);

        if (bytes)
            return at + bytes;
    }
    return at;
}

static const char *skip_signs(const char *at)
{
    size_t left = strlen(at);

    for (size_t i = 0; i < left;) {
        size_t next = i;

        if (mn_cue_is_word_character(mn_utf8_next(at, left, &next)))
            return at + i;
        i = next;
    }
    return at + left;
}

/* ---- the text made ready ---- */

static unsigned slot_of(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;

    return (b[0] * 131u + b[1] * 31u + b[2] * 7u + (b[0] ^ b[2])) & 1023u;
}

/* Words of less than three bytes have no slot: they are always looked for. */
static bool may_occur(const struct mn_cue_text *text, const char *word, size_t bytes)
{
    unsigned slot;

    if (bytes < 3 || word[2] == '*')
        return true;
    slot = slot_of(word);
    return (text->seen[slot >> 6] >> (slot & 63)) & 1;
}

/* What ends an alternative, or says that it has no three bytes to be told by. */
static const bool ENDS[256] = { ['\0'] = true, ['|'] = true, ['>'] = true };
static const bool SHORTENS[256] = { ['\0'] = true, ['|'] = true, ['>'] = true,
                                    ['$'] = true,  ['*'] = true, [' '] = true };

/* The same of an alternative whose end is not known yet. */
static bool may_begin(const struct mn_cue_text *text, const char *alternative)
{
    const unsigned char *b = (const unsigned char *)alternative;
    unsigned slot;

    if (SHORTENS[b[0]] || SHORTENS[b[1]] || SHORTENS[b[2]])
        return true;
    slot = slot_of(alternative);
    return (text->seen[slot >> 6] >> (slot & 63)) & 1;
}

/* Is this a place where a clause begins? `at` stands behind white space and signs. */
static bool begins_clause(const char *folded, const char *at)
{
    /* All but the first two are ASCII where the text is folded. */
    static const char *const MARK[] = { "。", "、", "，", "；", "：", "！", "？" };
    const char *before = at;

    while (before > folded && before[-1] == ' ')
        before--;
    if (before == folded)
        return true;
    if (strchr(".,;:!?()-", before[-1]))
        return true;
    for (size_t i = 0; i < sizeof MARK / sizeof MARK[0]; i++)
        if (before - folded >= 3 && memcmp(before - 3, MARK[i], 3) == 0)
            return true;
    return (before - folded >= 4 && memcmp(before - 4, " and", 4) == 0) ||
           (before - folded >= 5 && memcmp(before - 5, " then", 5) == 0);
}

static void add_start(struct mn_cue_text *text, const char *at)
{
    if (text->start_count < MN_CUE_STARTS_MAX)
        text->start[text->start_count++] = at;
}

struct mn_cue_text mn_cue_read(const char *folded)
{
    struct mn_cue_text text = { .folded = folded, .bytes = strlen(folded) };

    for (size_t at = 0; at + 2 < text.bytes; at++) {
        unsigned slot = slot_of(folded + at);

        text.seen[slot >> 6] |= UINT64_C(1) << (slot & 63);
    }
    for (const char *at = folded; *at && text.start_count < MN_CUE_STARTS_MAX; at++) {
        if (*at == ' ' || ((unsigned char)*at & 0xc0) == 0x80 || !begins_clause(folded, at))
            continue;
        /* At the clause, and behind each polite opening: "could you", "please". */
        add_start(&text, at);
        for (const char *behind = skip_opening(folded, at), *last = at; behind != last;
             behind = skip_opening(folded, last)) {
            last = behind;
            while (*last == ' ' || *last == ',')
                last++;
            add_start(&text, last);
        }
    }
    return text;
}

/* ---- searching ---- */

/* The end of the alternative that begins at `cue`. */
static const char *end_of(const char *cue)
{
    while (!ENDS[(unsigned char)*cue])
        cue++;
    return cue;
}

/* The end of the group that it is one of. */
static const char *end_of_group(const char *cue)
{
    while (*cue && *cue != '>')
        cue++;
    return cue;
}

/* Where a byte comes next, at `at` or behind it, and at most `reach` behind `from`; NULL: nowhere. */
static const char *next_of(const struct mn_cue_text *text, const char *at, const char *from,
                           size_t reach, char byte)
{
    size_t left = text->bytes - (size_t)(at - text->folded), gone = (size_t)(at - from);

    if (*at == byte && gone <= reach && left)
        return at;
    if (gone > reach)
        return NULL;
    return memchr(at, byte, left < reach - gone + 1 ? left : reach - gone + 1);
}

/* Does what follows hold the remaining groups? `reach`: how far ahead the first of them may begin.
 */
static bool groups_follow(const struct mn_cue_text *text, const char *from, size_t reach,
                          const char *cue)
{
    const char *next = NULL;

    for (const char *alternative = cue; alternative; alternative = next) {
        while (*alternative == ' ')
            alternative++;
        bool may = may_begin(text, alternative), at_end = false;
        const char *end = end_of(alternative);

        next = *end == '|' ? end + 1 : NULL;
        if (!may)
            continue;
        while (end > alternative && end[-1] == ' ')
            end--;
        if (end > alternative && end[-1] == '$') {
            at_end = true;
            end--;
        }
        if (end > alternative && !may_occur(text, alternative, (size_t)(end - alternative)))
            continue;
        for (const char *at = from; end > alternative; at++) {
            size_t bytes;

            at = next_of(text, at, from, reach, *alternative);
            if (!at)
                break;
            bytes = mn_cue_word_at(text->folded, at, alternative, (size_t)(end - alternative));
            if (!bytes || (at_end && *skip_signs(at + bytes)))
                continue;
            const char *group_end = end_of_group(end);
            if (!*group_end)
                return true;
            bool far = group_end[1] == '>';
            if (groups_follow(text, at + bytes, far ? strlen(at) : MN_CUE_NEAR,
                              group_end + (far ? 2 : 1)))
                return true;
        }
    }
    return false;
}

bool mn_cue_found(const struct mn_cue_text *text, const char *cue)
{
    if (cue[0] != '^')
        return groups_follow(text, text->folded, text->bytes, cue);
    for (size_t i = 0; i < text->start_count; i++) {
        if (groups_follow(text, text->start[i], 0, cue + 1))
            return true;
    }
    return false;
}

bool mn_cue_any(const struct mn_cue_text *text, const char *const *cues)
{
    for (size_t i = 0; cues[i]; i++) {
        if (mn_cue_found(text, cues[i]))
            return true;
    }
    return false;
}
