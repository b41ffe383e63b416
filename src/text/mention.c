/*
 * mention.c - what a text names.
 *
 * One pass over runs of letters and digits with what joins them. What a run looks like decides its
 * kind: digits and dots, a path, an inner capital, a capital at the front. A capital says nothing
 * at the head of an English sentence, but does between Chinese characters. Months, weekdays and
 * stop words are no names. Words that stand in quotation marks are found twice, as the quotation
 * and for themselves. Names in Chinese characters are not found: without a list they look like any
 * word.
 */
#include "text/mention.h"

#include <string.h>

#include <unicode/uchar.h>

#include "base/array.h"
#include "text/analyze.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/words.h"

#define QUOTED_BYTES_MAX 200
#define NAME_WORDS_MAX 4
#define UNIT_BYTES_MAX 3 /* 20mg, 4GB */

struct scan {
    const char *text;
    size_t bytes;
    struct mn_arena *arena;
    bool chinese; /* a capital says something at the head of a sentence, too */
    struct mn_mentions found;
    bool failed;
};

/* What a run of letters, digits and joiners is made of. */
struct look {
    size_t digits, letters, dots, joiners; /* joiners: all but hyphens between letters */
    size_t hyphens;
    bool first_upper;
    bool lower_after;  /* a lower-case letter somewhere behind the first */
    bool upper_inside; /* createdBy, NWPath, iOS */
    bool foreign;      /* letters beyond ASCII */
};

static void add(struct scan *s, enum mn_mention_kind kind, size_t from, size_t until)
{
    struct mn_mention *mention;

    if (from >= until)
        return;
    mention = mn_array_add(s->arena, &s->found);
    if (!mention) {
        s->failed = true;
        return;
    }
    mention->kind = kind;
    mention->text = (struct mn_str){ s->text + from, until - from };
}

static enum mn_letter_class class_at(const struct scan *s, size_t at, size_t *ret_behind)
{
    int32_t c;

    *ret_behind = at;
    if (at >= s->bytes)
        return MN_LETTER_NONE;
    c = mn_utf8_next(s->text, s->bytes, ret_behind);
    return c == '_' ? MN_LETTER_WORD : mn_letter_class(c);
}

/* ---- quotations ---- */

/* The closing mark of the opening one at `at`, NULL when there is none. */
static const char *closing_mark(const struct scan *s, size_t at)
{
    static const struct {
        const char *open, *close;
    } MARK[] = { { "\"", "\"" }, { "`", "`" },   { "“", "”" },   { "‘", "’" },
                 { "「", "」" }, { "『", "』" }, { "《", "》" }, { "«", "»" } };

    for (size_t i = 0; i < sizeof MARK / sizeof MARK[0]; i++) {
        if (s->text[at] == MARK[i].open[0] &&
            strncmp(s->text + at, MARK[i].open, strlen(MARK[i].open)) == 0)
            return MARK[i].close;
    }
    return NULL;
}

/* Adds the quotation that begins here; returns the bytes of its opening mark, 0 for none. */
static size_t quotation(struct scan *s, size_t at)
{
    const char *close = closing_mark(s, at);
    const char *end;
    size_t mark_bytes;
    size_t from;

    if (!close)
        return 0;
    mark_bytes = (unsigned char)s->text[at] < 0x80 ? 1 : strlen(close);
    if (mark_bytes == 1 && at > 0 && mn_letter_plain(s->text[at - 1]))
        return 0; /* 5" */
    from = at + mark_bytes;
    end = strstr(s->text + from, close);
    if (!end || (size_t)(end - s->text) - from > QUOTED_BYTES_MAX)
        return 0;
    add(s, MN_MENTION_QUOTED, from, (size_t)(end - s->text));
    return mark_bytes;
}

/* ---- runs ---- */

static size_t run_end(const struct scan *s, size_t at)
{
    size_t behind;

    for (;;) {
        size_t gap = at;

        while (class_at(s, at, &behind) == MN_LETTER_WORD)
            at = behind;
        gap = at;
        while (gap < s->bytes && mn_letter_joins(s->text[gap]))
            gap++;
        if (gap == at || class_at(s, gap, &behind) != MN_LETTER_WORD)
            return at;
        if (gap - at > 1 && !memchr(s->text + at, '/', gap - at) && s->text[at] != ':')
            return at;
        at = gap;
    }
}

static struct look look_at(const struct scan *s, size_t from, size_t until)
{
    struct look look = { 0 };
    int32_t before = 0;

    for (size_t at = from; at < until;) {
        int32_t c = mn_utf8_next(s->text, until, &at);
        bool upper = c < 0x80 ? mn_letter_upper((char)c) : u_isupper(c);
        bool lower = c < 0x80 ? mn_letter_lower((char)c) : u_islower(c);

        if (c >= '0' && c <= '9')
            look.digits++;
        else if (c == '-')
            look.hyphens++;
        else if (c < 0x80 && mn_letter_joins((char)c))
            look.joiners++;
        else
            look.letters++;
        look.dots += c == '.';
        look.foreign = look.foreign || c >= 0x80;
        if (before == 0)
            look.first_upper = upper;
        else if (lower)
            look.lower_after = true;
        if (upper && before && before < 0x80 && mn_letter_lower((char)before))
            look.upper_inside = true;
        before = c;
    }
    return look;
}

/* NWPath: two capitals, then a lower-case letter that is no plural s. */
static bool capitals_then_lower(const char *run, size_t bytes)
{
    for (size_t i = 2; i < bytes; i++) {
        if (mn_letter_upper(run[i - 2]) && mn_letter_upper(run[i - 1]) && mn_letter_lower(run[i]))
            return !(run[i] == 's' && i + 1 == bytes);
    }
    return false;
}

/* Are the pieces between joiners no grammar, and not all single letters (e.g, w/o)? */
static bool pieces_have_content(const char *run, size_t bytes)
{
    char folded[16];
    size_t start = 0;
    size_t longest = 0;

    for (size_t i = 0; i <= bytes; i++) {
        size_t length = i - start;

        if (i < bytes && !mn_letter_joins(run[i]))
            continue;
        if (length > 0 && length <= sizeof folded) {
            for (size_t k = 0; k < length; k++)
                folded[k] = mn_letter_to_lower(run[start + k]);
            if (mn_words_stop(folded, length))
                return false;
        }
        longest = length > longest ? length : longest;
        start = i + 1;
    }
    return longest > 1 || (bytes > 3 && memchr(run, '/', bytes));
}

static bool is_version(const char *run, size_t bytes, const struct look *look)
{
    size_t at = run[0] == 'v' || run[0] == 'V';
    size_t dots = 0;

    if (bytes == at || !mn_letter_digit(run[at]))
        return false;
    while (at < bytes && (mn_letter_digit(run[at]) || run[at] == '.'))
        dots += run[at++] == '.';
    if (at < bytes && run[at] != '-' && run[at] != '+' && !mn_letter_latin(run[at]))
        return false;
    if (look->letters == 1 && at == bytes && !mn_letter_digit(run[0]))
        return true; /* v2, v3.1 */
    return dots >= 2 && !memchr(run, '/', bytes) && !memchr(run, ':', bytes);
}

static bool is_number(const char *run, size_t bytes, const struct look *look)
{
    size_t tail = 0;

    if (!mn_letter_digit(run[0]) || look->foreign)
        return false;
    if (look->letters == 0)
        return memchr(run, '_', bytes) == NULL && memchr(run, '@', bytes) == NULL;
    while (tail < bytes && mn_letter_latin(run[bytes - 1 - tail]))
        tail++;
    return tail == look->letters && tail <= UNIT_BYTES_MAX && look->joiners <= 1 &&
           look->hyphens == 0;
}

static bool is_identifier(const char *run, size_t bytes, const struct look *look)
{
    bool content = pieces_have_content(run, bytes);

    if (look->foreign)
        return look->joiners > 0 && content;
    if (look->digits > 0 && look->letters > 0)
        return true;
    if (memchr(run, '_', bytes))
        return look->letters > 1;
    if (look->joiners > 0)
        return content;
    if (look->hyphens > 0)
        return content && !look->first_upper;
    return look->upper_inside || capitals_then_lower(run, bytes);
}

/* ---- names ---- */

/* Does a sentence, a line or a quotation begin here? */
static bool at_head(const struct scan *s, size_t at)
{
    while (at > 0 && strchr(" \t\r*-(#>", s->text[at - 1]))
        at--;
    if (at == 0 || strchr(".!?:;\n\"'`", s->text[at - 1]))
        return true;
    if (at < 3)
        return false;
    for (const char *mark = "。！？：；“「『"; *mark; mark += 3) {
        if (memcmp(s->text + at - 3, mark, 3) == 0)
            return true;
    }
    return false;
}

static bool is_han_at(const struct scan *s, size_t at)
{
    return at < s->bytes && mn_letter_han(mn_utf8_next(s->text, s->bytes, &at));
}

/* Chinese before or behind, a space between at most. */
static bool beside_han(const struct scan *s, size_t from, size_t until)
{
    if (is_han_at(s, until) ||
        (until < s->bytes && s->text[until] == ' ' && is_han_at(s, until + 1)))
        return true;
    from -= from > 0 && s->text[from - 1] == ' ';
    return from >= 3 && is_han_at(s, from - 3);
}

/* A capitalised word or an acronym, and no word that has its capital for another reason. */
static bool may_be_name(const struct scan *s, size_t from, size_t until, const struct look *look)
{
    char folded[16];
    size_t bytes = until - from;

    if (!look->first_upper || look->letters < 2)
        return false;
    if (bytes > sizeof folded || look->foreign)
        return true;
    for (size_t i = 0; i < bytes; i++)
        folded[i] = mn_letter_to_lower(s->text[from + i]);
    return !mn_words_stop(folded, bytes) &&
           !mn_calendar_weekday((struct mn_str){ folded, bytes }) &&
           !mn_calendar_weekday((struct mn_str){ folded, bytes - (folded[bytes - 1] == 's') }) &&
           !(bytes > 3 && mn_calendar_month((struct mn_str){ folded, bytes })) &&
           !(bytes == 3 && mn_calendar_month((struct mn_str){ folded, bytes }) &&
             look->lower_after);
}

static bool plain_name(const struct scan *s, size_t from, size_t until, const struct look *look)
{
    return look->joiners == 0 && !is_identifier(s->text + from, until - from, look) &&
           may_be_name(s, from, until, look);
}

/* The name that begins with this word takes the capitalised words behind it. Returns its end. */
static size_t add_name(struct scan *s, size_t from, size_t until)
{
    for (int words = 1; words < NAME_WORDS_MAX; words++) {
        size_t next = until + 1;
        size_t end;
        struct look look;

        if (until >= s->bytes || s->text[until] != ' ')
            break;
        end = run_end(s, next);
        if (end == next)
            break;
        look = look_at(s, next, end);
        if (!plain_name(s, next, end, &look))
            break;
        until = end;
    }
    add(s, MN_MENTION_NAME, from, until);
    return until;
}

/* A leading / ~/ ./ . @ belongs to a path, a dot file, an account. */
static size_t with_lead(const struct scan *s, size_t from)
{
    size_t lead = from;
    size_t behind;

    while (lead > 0 && from - lead < 3 && strchr("/~.@", s->text[lead - 1]))
        lead--;
    if (lead == from || (lead > 0 && (strchr("/.<", s->text[lead - 1]) ||
                                      class_at(s, lead - 1, &behind) == MN_LETTER_WORD)))
        return from;
    return s->text[from - 1] == '~' ? from : lead;
}

/* Returns the end of what it looked at. */
static size_t run(struct scan *s, size_t from)
{
    size_t until = run_end(s, from);
    const char *at = s->text + from;
    size_t bytes = until - from;
    struct look look = look_at(s, from, until);
    size_t grouped = until;

    while (look.letters == 0 && look.joiners == 0 && look.hyphens == 0 && bytes <= 3 &&
           s->text[grouped] == ',' && run_end(s, grouped + 1) == grouped + 4 &&
           mn_letter_digit(s->text[grouped + 1]) && mn_letter_digit(s->text[grouped + 2]) &&
           mn_letter_digit(s->text[grouped + 3]))
        grouped += 4; /* 1,000 */
    if (is_version(at, bytes, &look))
        add(s, MN_MENTION_VERSION, from, until);
    else if (is_number(at, bytes, &look))
        add(s, MN_MENTION_NUMBER, from, grouped);
    else if (is_identifier(at, bytes, &look) ||
             (look.letters > 1 && with_lead(s, from) < from && strchr(".@", s->text[from - 1])))
        add(s, MN_MENTION_IDENTIFIER, with_lead(s, from), until);
    else if (look.joiners == 0 && may_be_name(s, from, until, &look) &&
             (!look.lower_after || s->chinese || !at_head(s, from) || beside_han(s, from, until)))
        return add_name(s, from, until);
    return grouped;
}

enum mneme_status mn_mention_find(struct mn_arena *arena, const char *text,
                                  struct mn_mentions *mentions, struct mneme_error *err)
{
    struct scan s = { .text = text, .bytes = strlen(text), .arena = arena, .found = *mentions };

    s.chinese = mn_text_language(text, s.bytes) == MN_LANGUAGE_ZH;
    for (size_t at = 0; at < s.bytes && !s.failed;) {
        size_t behind;
        size_t mark = quotation(&s, at);

        if (mark > 0)
            at += mark;
        else if (class_at(&s, at, &behind) == MN_LETTER_WORD)
            at = run(&s, at);
        else
            at = behind;
    }
    if (s.failed)
        return mn_fail_memory(err);
    *mentions = s.found;
    return MNEME_OK;
}
