/*
 * said.c - words under their common names.
 *
 * Chinese characters one by one, Latin words by their stems, synonyms by the first of them,
 * numerals of both languages as digits, identifiers whole. Negations, hedges and the like are
 * counted and leave no token (phrases.c), so that "not allowed" and "forbidden" read alike.
 */
#include "text/said.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "text/analyze.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/mention.h"
#include "text/stem.h"
#include "text/words.h"

struct names {
    struct mn_str *item;
    size_t count, room;
};

struct reader {
    struct mn_arena *arena;
    struct mn_stemmer stemmer;
    struct names names; /* words of the names of both texts, folded */
    bool failed;
};

/* ---- names ---- */

/* The words of what both texts name. A name at the head of one is found by the other. */
static void collect_names(struct reader *r, const char *cased)
{
    struct mn_mentions mentions = { 0 };

    if (mn_mention_find(r->arena, cased, &mentions, NULL) != MNEME_OK) {
        r->failed = true;
        return;
    }
    for (size_t i = 0; i < mentions.count; i++) {
        const struct mn_mention *m = &mentions.item[i];
        struct mn_str *name;
        char *folded;

        if (m->kind != MN_MENTION_NAME && m->kind != MN_MENTION_IDENTIFIER)
            continue;
        folded = mn_text_fold(r->arena, m->text.at, m->text.bytes);
        for (char *word = folded ? strtok_r(folded, " ", &folded) : NULL; word;
             word = strtok_r(NULL, " ", &folded)) {
            name = mn_array_add(r->arena, &r->names);
            if (!name) {
                r->failed = true;
                return;
            }
            *name = mn_str_of(word);
        }
    }
}

static bool is_name(const struct reader *r, struct mn_str word)
{
    for (size_t i = 0; i < r->names.count; i++) {
        if (mn_str_equal(r->names.item[i], word))
            return true;
    }
    return false;
}

/* ---- reading ---- */

static void add(struct reader *r, struct mn_said *side, struct mn_str text, enum mn_said_role role)
{
    struct mn_said_token *token;

    if (text.bytes == 0)
        return;
    token = mn_array_add(r->arena, side);
    if (!token) {
        r->failed = true;
        return;
    }
    token->text = text;
    token->hash = mn_hash64(text.at, text.bytes, 0);
    token->role = role;
}

static void add_number(struct reader *r, struct mn_said *side, const char *prefix, int number)
{
    char *text = mn_arena_printf(r->arena, "%s%d", prefix, number);

    r->failed = r->failed || !text;
    add(r, side, mn_str_of(text), MN_SAID_NUMBER);
}

static bool starts(const char *at, const char *literal)
{
    return *at == *literal && strncmp(at, literal, strlen(literal)) == 0;
}

/* One of these characters (3 bytes each) at `at`? */
static bool one_of(const char *at, const char *characters)
{
    for (const char *c = characters; *c; c += 3) {
        if (strncmp(at, c, 3) == 0)
            return true;
    }
    return false;
}

/* 周三, 星期日. Returns the bytes read. */
static size_t read_weekday(struct reader *r, struct mn_said *side, const char *at)
{
    static const char DAY[] = "一二三四五六日天";
    size_t unit = starts(at, "周") ? 3 : starts(at, "星期") || starts(at, "礼拜") ? 6 : 0;

    if (unit == 0 || !one_of(at + unit, DAY) || starts(at + unit + 3, "次"))
        return 0;
    for (int i = 0; i < 8; i++) {
        if (strncmp(at + unit, DAY + (size_t)3 * (size_t)i, 3) == 0)
            add_number(r, side, "周", i < 7 ? i + 1 : 7);
    }
    return unit + 3;
}

/*
 * Chinese numerals that count something; 一 in 一律 or 统一 does not. Returns the bytes read.
 */
static size_t read_han_number(struct reader *r, struct mn_said *side, const char *text,
                              const char *at)
{
    static const char UNIT[] =
        "天日周月年号点时小分秒次楼层倍元块岁期级章节度米版页行列步项遍轮组台份"
        "名位条件个人张套只支";
    static const char UNIT_OF_ONE[] = "天日周月年号点时小分秒次楼层倍元块岁期级章";
    const char *end = at;
    int number;
    bool ordinal = at - text >= 3 && starts(at - 3, "第");

    if ((unsigned char)*at < 0x80 || !mn_calendar_number(&end, &number))
        return 0;
    if (end - at > 3 || ordinal || one_of(end, starts(at, "一") ? UNIT_OF_ONE : UNIT)) {
        add_number(r, side, "", number);
        return (size_t)(end - at);
    }
    return 0;
}

/* ---- Latin words and what joins them ---- */

static bool in_word(char c)
{
    return mn_letter_plain(c) || c == '\'' || (unsigned char)c >= 0x80;
}

/* Letters and digits with single joiners between; stops before Chinese. */
static size_t run_bytes(const char *at)
{
    size_t end = 0;

    for (size_t i = 0; at[i];) {
        size_t behind = i;
        int32_t c = mn_utf8_next(at, i + strnlen(at + i, 4), &behind);

        if (mn_letter_class(c) == MN_LETTER_WORD || (c == '\'' && end == i && end > 0))
            end = behind;
        else if (!(c < 0x80 && c >= 0 && mn_letter_joins((char)c)))
            break;
        i = behind;
    }
    while (end > 0 && at[end - 1] == '\'')
        end--;
    return end;
}

/* Is the run an identifier: a path, a file, a code? Hyphenated words are words. */
static bool is_code(struct mn_str run)
{
    size_t digits = 0;
    size_t letters = 0;
    size_t marks = 0; /* that no ordinary word holds */
    size_t slashes = 0;

    for (size_t i = 0; i < run.bytes; i++) {
        char c = run.at[i];

        digits += mn_letter_digit(c);
        letters += !mn_letter_digit(c) && in_word(c) && c != '\'';
        marks += c != '\0' && strchr("._:+#@", c) != NULL;
        slashes += c == '/';
    }
    if (letters == 0)
        return false;
    if (marks > 0 || slashes > 1)
        return true;
    return digits > 0 && letters > 0 && !mn_letter_digit(run.at[0]);
}

static bool number_word(struct mn_str word, const char *behind, int *ret_number)
{
    static const struct {
        const char *word;
        int number;
    } NUMBER[] = { { "two", 2 },       { "three", 3 },     { "four", 4 },      { "five", 5 },
                   { "six", 6 },       { "seven", 7 },     { "eight", 8 },     { "nine", 9 },
                   { "ten", 10 },      { "eleven", 11 },   { "twelve", 12 },   { "thirteen", 13 },
                   { "fourteen", 14 }, { "fifteen", 15 },  { "sixteen", 16 },  { "seventeen", 17 },
                   { "eighteen", 18 }, { "nineteen", 19 }, { "twenty", 20 },   { "thirty", 30 },
                   { "forty", 40 },    { "fifty", 50 },    { "sixty", 60 },    { "seventy", 70 },
                   { "eighty", 80 },   { "ninety", 90 },   { "hundred", 100 }, { "thousand", 1000 },
                   { "once", 1 },      { "twice", 2 } };
    static const char *const COUNTED[] = { " hour", " day",  " week",    " month", " year",
                                           " time", " item", " percent", " minute" };

    for (size_t i = 0; i < sizeof NUMBER / sizeof NUMBER[0]; i++) {
        if (mn_str_equal(word, mn_str_of(NUMBER[i].word))) {
            *ret_number = NUMBER[i].number;
            return true;
        }
    }
    if (!mn_str_equal(word, MN_STR("one")))
        return false;
    *ret_number = 1; /* "one day", "at one."; "one of them" counts nothing */
    for (size_t i = 0; i < sizeof COUNTED / sizeof COUNTED[0]; i++) {
        if (starts(behind, COUNTED[i]))
            return true;
    }
    return *behind == '\0' || *behind == '.' || *behind == ',';
}

static void read_word(struct reader *r, struct mn_said *side, struct mn_str word)
{
    int number;

    if (word.bytes > 2 && memcmp(word.at + word.bytes - 2, "'s", 2) == 0)
        word.bytes -= 2;
    if (is_name(r, word)) {
        add(r, side, word, MN_SAID_NAME);
    } else if (number_word(word, word.at + word.bytes, &number)) {
        add_number(r, side, "", number);
    } else if (mn_calendar_weekday(word) || (word.bytes > 3 && mn_calendar_month(word))) {
        add(r, side, word, MN_SAID_NUMBER);
    } else if (mn_words_stop(word.at, word.bytes)) {
        add(r, side, word, MN_SAID_FUNCTION);
    } else {
        add(r, side, mn_phrase_synonym(mn_stemmer_stem(&r->stemmer, r->arena, word)),
            MN_SAID_CONTENT);
    }
}

/* 30, 3.12, 1,000, 10:00, 20mg (a number and a word), 3rd. Returns the bytes read. */
static size_t read_digits(struct reader *r, struct mn_said *side, struct mn_str run)
{
    char *number = mn_arena_copy_n(r->arena, run.at, run.bytes);
    size_t kept = 0;
    size_t end = 0;

    if (!number) {
        r->failed = true;
        return run.bytes;
    }
    while (end < run.bytes && !mn_letter_latin(run.at[end]))
        number[kept++] = run.at[end++];
    if (end == run.bytes) { /* 1,000: the run ended at the comma */
        while (run.at[end] == ',' && mn_letter_digit(run.at[end + 1]) &&
               mn_letter_digit(run.at[end + 2]) && mn_letter_digit(run.at[end + 3]) &&
               !mn_letter_digit(run.at[end + 4])) {
            number = mn_arena_printf(r->arena, "%.*s%.3s", (int)kept, number, run.at + end + 1);
            if (!number) {
                r->failed = true;
                return run.bytes;
            }
            kept += 3;
            end += 4;
        }
        run.bytes = end;
    }
    add(r, side, (struct mn_str){ number, kept }, MN_SAID_NUMBER);
    if (end < run.bytes) {
        struct mn_str unit = { run.at + end, run.bytes - end };

        if (!mn_str_equal(unit, MN_STR("st")) && !mn_str_equal(unit, MN_STR("nd")) &&
            !mn_str_equal(unit, MN_STR("rd")) && !mn_str_equal(unit, MN_STR("th")))
            add(r, side, unit, MN_SAID_CONTENT);
    }
    return run.bytes;
}

static size_t read_run(struct reader *r, struct mn_said *side, const char *at)
{
    struct mn_str run = { at, run_bytes(at) };
    size_t start = 0;

    if (is_name(r, run) || is_code(run)) {
        add(r, side, run, MN_SAID_NAME);
        return run.bytes;
    }
    if (mn_letter_digit(at[0]))
        return read_digits(r, side, run);
    for (size_t i = 0; i <= run.bytes; i++) {
        if (i < run.bytes && !mn_letter_joins(run.at[i]))
            continue;
        if (i > start)
            read_word(r, side, (struct mn_str){ run.at + start, i - start });
        start = i + 1;
    }
    return run.bytes;
}

/* ---- whole texts ---- */

/* One token, or a character that is none; returns the bytes read. */
static size_t read_at(struct reader *r, struct mn_said *side, const char *text, const char *at)
{
    bool inside = at > text && in_word(at[-1]) && (unsigned char)at[-1] < 0x80;
    const struct mn_phrase *phrase;
    size_t behind = 0;
    size_t read;
    int32_t c;

    read = read_weekday(r, side, at);
    if (read == 0)
        read = read_han_number(r, side, text, at);
    if (read > 0)
        return read;
    phrase = inside ? NULL : mn_phrase_at(at);
    /* a phrase may be the beginning of a longer identifier */
    if (phrase && !((unsigned char)*at < 0x80 && run_bytes(at) > phrase->words.bytes)) {
        side->mark[phrase->mark]++;
        if (phrase->token)
            add(r, side, mn_str_of(phrase->token), MN_SAID_CONTENT);
        return phrase->words.bytes;
    }
    c = mn_utf8_next(at, strnlen(at, 4), &behind);
    switch (mn_letter_class(c)) {
    case MN_LETTER_WORD:
        return read_run(r, side, at);
    case MN_LETTER_PAIRED:
        if (!starts(at, "的") && !starts(at, "了"))
            add(r, side, (struct mn_str){ at, behind },
                mn_letter_han(c) && mn_words_han(c) != MN_HAN_CONTENT ? MN_SAID_FUNCTION
                                                                      : MN_SAID_CONTENT);
        return behind;
    default:
        return behind;
    }
}

static bool read_side(struct reader *r, const char *folded, struct mn_said *side)
{
    for (const char *at = folded; *at && !r->failed && side->count <= MN_SAID_TOKENS_MAX;)
        at += read_at(r, side, folded, at);
    return !r->failed && !r->stemmer.failed && side->count <= MN_SAID_TOKENS_MAX;
}

static void pair_up(struct mn_said *a, struct mn_said *b)
{
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < b->count; k++) {
            if (!b->item[k].paired && a->item[i].hash == b->item[k].hash &&
                mn_str_equal(a->item[i].text, b->item[k].text)) {
                a->item[i].paired = b->item[k].paired = true;
                a->item[i].partner = k;
                b->item[k].partner = i;
                break;
            }
        }
    }
}

bool mn_said_read(struct mn_arena *arena, struct mn_str cased_a, struct mn_str cased_b,
                  struct mn_said *ret_a, struct mn_said *ret_b)
{
    struct reader r = { .arena = arena };
    const char *folded_a = mn_text_fold(arena, cased_a.at, cased_a.bytes);
    const char *folded_b = mn_text_fold(arena, cased_b.at, cased_b.bytes);
    bool read;

    if (!folded_a || !folded_b)
        return false;
    collect_names(&r, cased_a.at);
    collect_names(&r, cased_b.at);
    read = read_side(&r, folded_a, ret_a) && read_side(&r, folded_b, ret_b);
    mn_stemmer_release(&r.stemmer);
    if (read)
        pair_up(ret_a, ret_b);
    return read;
}
