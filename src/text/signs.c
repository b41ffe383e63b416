/*
 * signs.c - what a text says with marks instead of words.
 *
 * Words alone do not tell C from C++, A -> B from A <- B, 20 degrees from -20, or a tick from a
 * cross. Which marks carry meaning is said by exception: punctuation of prose (commas, quotation
 * marks, brackets, dashes, bullets, emphasis) may come and go, everything else counts. So a mark
 * nobody thought of keeps two texts apart, which costs a merge and never a memory.
 *
 * Some marks are both: a hyphen joins words and is a minus, an asterisk multiplies and emphasises.
 * Their neighbours decide. Inside a run of letters and digits (db-config, a/b, 10:00) nothing is
 * read: the run is compared whole (said.c).
 *
 * Case is no difference elsewhere. Here it is one where the same letters are
 * another word: the US and us, megabits and megabytes, milliwatts and megawatts.
 */
#include "text/signs.h"

#include <stdbool.h>
#include <string.h>

#include <unicode/uchar.h>

#include "text/letters.h"

#define WORDS_SHOUTED 3 /* so many words, all in capitals: then capitals say nothing */

#define CLOSING_KEPT 32 /* longer runs of marks are few in a text */

struct scan {
    const char *text;
    size_t bytes;
    size_t at;
    int32_t before; /* the character before `at`; 0 at the head */
    bool shouted;
    size_t emphasis_end; /* where marks of emphasis close that were opened; 0: none open */
    char open_quote;     /* " or ' that was opened; 0: none */
    bool related;        /* a sign was read that has sides: A -> B, x > y */
    char *mark, *cased;
    size_t mark_bytes, cased_bytes;
    size_t run_from, run_until; /* the run that was walked last: a long one is asked at each sign */
    /* By mark and length, where marks of emphasis close next; 0: not known, bytes: nowhere. */
    size_t closing[2][CLOSING_KEPT];
};

/* 0 behind the end. */
static int32_t peek(const struct scan *s, size_t at)
{
    return at < s->bytes ? mn_utf8_next(s->text, s->bytes, &at) : 0;
}

static bool starts(const struct scan *s, size_t at, const char *literal)
{
    return strncmp(s->text + at, literal, strlen(literal)) == 0; /* the text ends with NUL */
}

static bool is_word(int32_t c)
{
    return mn_letter_class(c) == MN_LETTER_WORD;
}

static bool is_han(int32_t c)
{
    return mn_letter_class(c) == MN_LETTER_PAIRED;
}

static bool is_digit(int32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(int32_t c)
{
    return c == ' ' || c == 0;
}

/* The character behind white space. */
static int32_t beyond(const struct scan *s, size_t at)
{
    return peek(s, at < s->bytes && s->text[at] == ' ' ? at + 1 : at);
}

/* The character before the one before, white space passed over: what "20" is in "20 MB". */
static bool behind_digit(const struct scan *s, size_t at)
{
    if (at > 0 && s->text[at - 1] == ' ')
        at--;
    return at > 0 && mn_letter_digit(s->text[at - 1]);
}

static void mark(struct scan *s, const char *sign)
{
    size_t bytes = strlen(sign);

    memcpy(s->mark + s->mark_bytes, sign, bytes);
    s->mark_bytes += bytes;
    s->related = s->related || strpbrk(sign, "<>");
}

static void mark_as_written(struct scan *s, size_t bytes)
{
    memcpy(s->mark + s->mark_bytes, s->text + s->at, bytes);
    s->mark_bytes += bytes;
    s->related = s->related || s->text[s->at] == '<' || s->text[s->at] == '>' ||
                 (bytes == 3 && peek(s, s->at) >= 0x2190 && peek(s, s->at) <= 0x21ff);
}

/* What stands behind a sign with sides goes along: words that move past it say something else. */
static void mark_side(struct scan *s)
{
    size_t at = s->at + strspn(s->text + s->at, " \"'`(");
    size_t end = at;

    s->related = false;
    while (mn_letter_plain(s->text[end]))
        s->mark[s->mark_bytes++] = mn_letter_to_lower(s->text[end++]);
    if (end == at && is_han(peek(s, at))) {
        (void)mn_utf8_next(s->text, s->bytes, &end);
        memcpy(s->mark + s->mark_bytes, s->text + at, end - at);
        s->mark_bytes += end - at;
    }
}

/* ---- words ---- */

/* An acronym that is another word in small letters. Emphasis (NOT, ALL, MUST) is none. */
static bool is_acronym(struct mn_str word)
{
    static const char *const ACRONYM[] = { "US", "IT", "WHO", "ME", "CAN", "AS" };

    for (size_t i = 0; i < sizeof ACRONYM / sizeof ACRONYM[0]; i++) {
        if (mn_str_equal(word, mn_str_of(ACRONYM[i])))
            return true;
    }
    return false;
}

/*
 * Bits: Mb, Gb, Mbps, mbps. All small (mb, gb), people mean bytes. M before a unit in its own case
 * is mega (MW, Mg); MG is shouted mg. M, G, S, T and B alone are others in small letters.
 */
static bool case_tells(struct mn_str unit)
{
    static const char *const MEGA[] = { "MW", "MV", "MA", "MJ",  "MN",  "MF",  "MS",
                                        "Mg", "Mm", "Ms", "Ml",  "Mt",  "MPa", "MWh",
                                        "Mw", "Mv", "Ma", "MeV", "MAh", "Mpa", "Mwh" };
    const char *at = unit.at;
    size_t bits = 1 + (unit.bytes > 2 && at[1] == 'i');

    if (unit.bytes == 1)
        return strchr("MGSTB", at[0]) != NULL;
    if (strchr("kKmMgGtTpP", at[0]) && unit.bytes > bits && at[bits] == 'b') {
        size_t rest = unit.bytes - bits - 1;

        return (rest == 0 && mn_letter_upper(at[0])) ||
               (rest == 2 && memcmp(at + bits + 1, "ps", 2) == 0);
    }
    for (size_t i = 0; i < sizeof MEGA / sizeof MEGA[0]; i++) {
        if (mn_str_equal(unit, mn_str_of(MEGA[i])))
            return true;
    }
    return false;
}

static void keep_case(struct scan *s, struct mn_str word)
{
    memcpy(s->cased + s->cased_bytes, word.at, word.bytes);
    s->cased_bytes += word.bytes;
    s->cased[s->cased_bytes++] = ' ';
}

static bool is_spelled(struct mn_str word, const char *lower)
{
    if (strlen(lower) != word.bytes)
        return false;
    for (size_t i = 0; i < word.bytes; i++) {
        if (mn_letter_to_lower(word.at[i]) != lower[i])
            return false;
    }
    return true;
}

/* A word of ASCII letters. Some say what a mark says. */
static void read_word(struct scan *s)
{
    struct mn_str word = { s->text + s->at, 0 };
    size_t behind;

    while (mn_letter_latin(word.at[word.bytes]))
        word.bytes++;
    behind = s->at + word.bytes;
    if ((is_spelled(word, "minus") || is_spelled(word, "negative")) && s->text[behind] == ' ' &&
        mn_letter_digit(s->text[behind + 1]))
        mark(s, "-");
    else if (is_spelled(word, "plus") && s->text[behind] == ' ' &&
             mn_letter_digit(s->text[behind + 1]))
        mark(s, "+");
    else if (is_spelled(word, "below") && starts(s, behind, " zero"))
        mark(s, "-");
    else if (is_spelled(word, "percent") || is_spelled(word, "pct") ||
             (is_spelled(word, "per") && starts(s, behind, " cent") &&
              !mn_letter_plain(s->text[behind + 5])))
        mark(s, "%");
    else if ((behind_digit(s, s->at) && case_tells(word)) || (!s->shouted && is_acronym(word)))
        keep_case(s, word);
    s->at = behind;
    s->before = word.at[word.bytes - 1];
}

static bool is_number(const struct scan *s, size_t at)
{
    static const char NUMERAL[] = "零一二三四五六七八九十百千万两";

    if (is_digit(beyond(s, at)))
        return true;
    for (size_t i = 0; i + 3 < sizeof NUMERAL; i += 3) {
        if (s->text[at] && strncmp(s->text + at, NUMERAL + i, 3) == 0)
            return true;
    }
    return false;
}

/* Chinese words that say what a mark says. Returns the bytes read. */
static size_t read_han(struct scan *s)
{
    if (starts(s, s->at, "零下")) {
        mark(s, "-");
        return 6;
    }
    if (starts(s, s->at, "百分之")) {
        mark(s, "%");
        return 9;
    }
    if (starts(s, s->at, "正负") && is_number(s, s->at + 6)) {
        mark(s, "±");
        return 6;
    }
    if (starts(s, s->at, "负") && is_number(s, s->at + 3))
        mark(s, "-");
    return 3;
}

/* ---- marks that are sometimes prose ---- */

/* How often the character at `at` is repeated. */
static size_t run_of(struct scan *s, size_t at)
{
    if (at < s->run_from || at >= s->run_until) {
        s->run_from = at;
        s->run_until = at + 1;
        while (s->text[s->run_until] == s->text[at])
            s->run_until++;
    }
    return s->run_until - at;
}

/* A hyphen, a minus, an option, a range, a dash, a bullet. `bytes` of it. */
static bool hyphen_tells(struct scan *s, size_t bytes)
{
    int32_t next = peek(s, s->at + bytes);
    bool digit_next = is_digit(next);

    if (is_digit(s->before) && digit_next)
        return bytes > 1; /* 5-10 is a run; 5–10 is none */
    if (next == '>' || next == '=' || s->before == '<')
        return true;
    if (is_word(s->before) && next == ' ') /* grade A- is; long- and short-term */
        return s->before < 0x80 && !mn_letter_lower((char)s->before);
    if (is_word(s->before) && next != '-')
        return !is_word(next) && !is_han(next); /* A- */
    if (next == '-') {                          /* --option, -->, i--; else a dash */
        int32_t last = peek(s, s->at + run_of(s, s->at));

        return is_word(s->before) ? !is_word(last) && last != ' ' : is_word(last) || last == '>';
    }
    if (is_han(s->before))
        return digit_next;
    if (next == ' ') /* "5 - 3", but no bullet at the head and no dash between words */
        return s->before == ' ' && s->at > 1 && is_digit(peek(s, s->at + bytes + 1));
    return is_word(next) || next == '.';
}

/* The first run of `count` such marks from `from` on that may close; bytes: there is none. */
static size_t find_closing(struct scan *s, char mark, size_t count, size_t from)
{
    for (size_t i = from; i < s->bytes; i++) {
        if (s->text[i] != mark || s->text[i - 1] == ' ')
            continue;
        if (run_of(s, i) == count && !is_word(peek(s, i + count)))
            return i;
        i += run_of(s, i) - 1;
    }
    return s->bytes;
}

/* What one that opens has found, the next one finds too, unless it stands behind that. */
static size_t closing_of(struct scan *s, char mark, size_t count, size_t from)
{
    size_t *kept = count < CLOSING_KEPT ? &s->closing[mark == '_'][count] : NULL;
    size_t found = kept && *kept >= from ? *kept : find_closing(s, mark, count, from);

    if (kept)
        *kept = found;
    return found;
}

/* *word*, **a few words**, _word_: the end of its closing marks. 0: no emphasis. */
static size_t emphasis(struct scan *s)
{
    size_t count = run_of(s, s->at);
    int32_t next = peek(s, s->at + count);
    size_t closing;

    if (is_word(s->before) || !(is_word(next) || is_han(next) || next == '`' || next == '"'))
        return 0;
    closing = closing_of(s, s->text[s->at], count, s->at + count + 1);
    return closing < s->bytes ? closing + count : 0;
}

/* Marks that emphasise or itemise. True when they are read as such. */
static bool read_emphasis(struct scan *s)
{
    size_t count = run_of(s, s->at);
    size_t end;

    if (s->emphasis_end == s->at + count) {
        s->emphasis_end = 0;
        s->at += count;
        return true;
    }
    if (s->at == 0 && peek(s, count) == ' ') /* a bullet */
        end = 1;
    else
        end = emphasis(s);
    if (end == 0)
        return false;
    if (end > 1)
        s->emphasis_end = end;
    s->before = ' ';
    s->at += count;
    return true;
}

/* 5" and 5' are inches and feet, unless a quotation closes there. */
static bool quote_tells(struct scan *s, char quote)
{
    int32_t next = peek(s, s->at + 1);

    if (s->open_quote == quote) {
        if (!is_word(next))
            s->open_quote = 0;
        return false;
    }
    if (is_digit(s->before))
        return !is_word(next);
    if (!is_word(s->before) && !is_space(next) && !s->open_quote)
        s->open_quote = quote;
    return false;
}

static bool is_operator(int32_t c)
{
    return c > 0 && c < 0x80 && strchr("=!<>+-*/&|^:~%", (char)c) != NULL;
}

/* Does this ASCII mark tell something where it stands? */
static bool ascii_tells(struct scan *s, char c)
{
    int32_t next = peek(s, s->at + 1);
    bool inside = is_word(s->before) && is_word(next);
    bool leads = !is_word(s->before) && !is_han(s->before) && is_word(next);

    if (inside && mn_letter_joins(c))
        return false;
    switch (c) {
    case '-':
        return hyphen_tells(s, 1);
    case '=': /* alone it says what "is" says */
        return is_operator(s->before) || is_operator(next);
    case '!':
        return next == '=' || leads;
    case '?':
        return s->before != '?';
    case '.': {
        if (s->before == '.' || is_word(s->before)) /* so that a run is walked once */
            return false;
        size_t count = run_of(s, s->at);
        int32_t last = peek(s, s->at + count);

        return count < 3 &&
               (last == '/' || (is_word(last) && s->before != ')' && s->before != '"'));
    }
    case ':':
        return is_space(s->before) && is_word(peek(s, s->at + run_of(s, s->at)));
    case '/':
        if (s->before == ' ' && next == ' ')
            return is_digit(peek(s, s->at + 2));
        return !is_word(s->before) && s->before != ':' && (is_word(next) || next == '/');
    case '@':
        return leads;
    case '~':
        return is_word(next) || next == '/' || is_operator(next);
    case '&':
        return next == '&' || s->before == '&' || leads;
    case '#': /* a heading is none */
        return is_word(s->before) || is_word(next);
    case '_':
        return is_word(s->before) || is_word(next);
    case '"':
    case '\'':
        return quote_tells(s, c);
    case ' ':
    case ',':
    case ';':
    case '`':
    case '(':
    case ')':
        return false;
    default:
        return true; /* + * < > % | \ ^ $ [ ] { } */
    }
}

/* ---- marks beyond ASCII ---- */

/* The common spelling of a sign; NULL: it has none but its own. */
static const char *spelling_of(int32_t c)
{
    static const struct {
        int32_t sign;
        const char *spelling;
    } SPELLING[] = { { 0x2190, "<-" }, { 0x2192, "->" }, { 0x2194, "<->" }, { 0x21d2, "=>" },
                     { 0x2212, "-" },  { 0x2217, "*" },  { 0x223c, "~" },   { 0x2260, "!=" },
                     { 0x2264, "<=" }, { 0x2265, ">=" }, { 0x2266, "<=" },  { 0x2267, ">=" },
                     { 0x2794, "->" }, { 0x279c, "->" }, { 0x27a1, "->" },  { 0x27f5, "<-" },
                     { 0x27f6, "->" }, { 0x2a7d, "<=" }, { 0x2a7e, ">=" },  { 0x2b05, "<-" },
                     { 0x301c, "~" },  { 0x61f, "?" },   { 0x66a, "%" } };

    for (size_t i = 0; i < sizeof SPELLING / sizeof SPELLING[0]; i++) {
        if (SPELLING[i].sign == c)
            return SPELLING[i].spelling;
    }
    return NULL;
}

static bool is_hyphen(int32_t c)
{
    return c >= 0x2010 && c <= 0x2013;
}

static bool is_symbol(int32_t c)
{
    if (c >= 0x2030 && c <= 0x2037) /* per mille, primes */
        return true;
    switch (u_charType(c)) {
    case U_MATH_SYMBOL:
    case U_CURRENCY_SYMBOL:
    case U_MODIFIER_SYMBOL:
    case U_OTHER_SYMBOL:
    case U_ENCLOSING_MARK:
    case U_PRIVATE_USE_CHAR:
    case U_UNASSIGNED: /* an emoji newer than the tables */
        return true;
    default:
        return false;
    }
}

static void read_beyond_ascii(struct scan *s, int32_t c, size_t bytes)
{
    const char *spelling = spelling_of(c);

    if (is_hyphen(c)) {
        int32_t next = peek(s, s->at + bytes);

        if (!(is_word(s->before) && is_word(next) && !is_digit(next)) && hyphen_tells(s, bytes))
            mark(s, "-");
    } else if (spelling) {
        if (spelling[0] != '~' || is_word(peek(s, s->at + bytes)))
            mark(s, spelling);
    } else if (is_symbol(c)) {
        mark_as_written(s, bytes);
    }
}

/* ---- the text ---- */

static void read_ascii(struct scan *s, char c)
{
    if (starts(s, s->at, "+/-")) {
        mark(s, "±");
        s->at += 3;
        s->before = '-';
        return;
    }
    if (starts(s, s->at, "[ ]")) { /* not done yet */
        mark(s, "[_]");
        s->at += 3;
        s->before = ']';
        return;
    }
    if ((c == '*' || c == '_') && read_emphasis(s))
        return;
    if (ascii_tells(s, c))
        mark_as_written(s, 1);
    s->before = c;
    s->at++;
}

static void read_text(struct scan *s)
{
    while (s->at < s->bytes) {
        char first = s->text[s->at];
        size_t behind = s->at;
        int32_t c;

        if (mn_letter_latin(first) && !(s->before < 0x80 && mn_letter_latin((char)s->before))) {
            read_word(s);
            continue;
        }
        if ((unsigned char)first < 0x80) {
            if (mn_letter_plain(first) || first == ' ') {
                s->before = first;
                s->at++;
            } else {
                read_ascii(s, first);
            }
            if (s->related && !is_operator(peek(s, s->at)))
                mark_side(s);
            continue;
        }
        c = mn_utf8_next(s->text, s->bytes, &behind);
        if (mn_letter_han(c) && behind - s->at == 3) {
            size_t read = read_han(s);

            s->at += read;
            s->before = c;
            continue;
        }
        if (mn_letter_class(c) == MN_LETTER_NONE)
            read_beyond_ascii(s, c, behind - s->at);
        s->at = behind;
        s->before = c;
        if (s->related)
            mark_side(s);
    }
}

static bool is_shouted(struct mn_str text)
{
    size_t words = 0;

    for (size_t i = 0; i < text.bytes; i++) {
        if (mn_letter_lower(text.at[i]))
            return false;
        words += mn_letter_upper(text.at[i]) && (i == 0 || !mn_letter_upper(text.at[i - 1]));
    }
    return words >= WORDS_SHOUTED;
}

struct mn_signs mn_signs_read(struct mn_arena *arena, struct mn_str cased)
{
    struct scan s = { .text = cased.at, .bytes = cased.bytes };

    /* no sign is longer than what it is read from, and no side is read twice; a word of case adds a
     * space */
    s.mark = mn_arena_alloc(arena, 2 * cased.bytes + 1);
    s.cased = mn_arena_alloc(arena, 2 * cased.bytes + 1);
    if (!s.mark || !s.cased)
        return (struct mn_signs){ NULL, NULL };
    s.shouted = is_shouted(cased);
    read_text(&s);
    s.mark[s.mark_bytes] = '\0';
    s.cased[s.cased_bytes] = '\0';
    return (struct mn_signs){ s.mark, s.cased };
}
