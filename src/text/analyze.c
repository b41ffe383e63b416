/*
 * analyze.c - terms.
 *
 * Chinese is indexed by pairs of neighbouring characters, which need no dictionary and so cannot
 * disagree between a request and a text. Pairs that hold a particle, or only grammar, are left out:
 * they say nothing and are everywhere. Single characters stand beside the pairs at half weight, for
 * words of one character and for rewordings that keep a word's head. The same pairs serve kana,
 * Hangul, Thai and other scripts without spaces, there without single characters.
 *
 * Everything else is words of letters and digits: English stop words out, ASCII words stemmed. What
 * joins words without a space (. _ - / : + # @) makes an exact term of the whole beside its parts:
 * an error code or a file name is asked for as it is written. The pieces of a path or an address
 * between / and : are exact terms too where they are joined themselves, as is the whole of a
 * camelCase word, which is also a plain word, because people type github for GitHub.
 *
 * Considered: dictionary segmentation (ICU): 2.6 times slower, no better recall, and an upgrade of
 * the dictionary would silently change the index.
 */
#include "text/analyze.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "text/fold.h"
#include "text/framing.h"
#include "text/letters.h"
#include "text/stem.h"
#include "text/words.h"

#define ROOM_FIRST_MAX 256 /* terms */
#define HAN_WEIGHT 0.5f
#define DISTANCE_MAX 32

enum mn_language mn_text_language(const char *text, size_t bytes)
{
    size_t han = 0;
    size_t words = 0;   /* Latin */
    size_t foreign = 0; /* characters of other scripts */
    bool in_word = false;

    for (size_t at = 0; at < bytes;) {
        int32_t c = mn_utf8_next(text, bytes, &at);
        bool latin = (c >= 0 && c < 0x80 && mn_letter_latin((char)c)) ||
                     (c >= 0xc0 && c <= 0x24f && c != 0xd7 && c != 0xf7) ||
                     (c >= 0xff21 && c <= 0xff5a && mn_letter_latin((char)(c - 0xfee0)));

        if (latin)
            words += !in_word;
        else if (mn_letter_han(c))
            han++;
        else if (c > 0x24f && mn_letter_class(c) != MN_LETTER_NONE)
            foreign++;
        in_word = latin || (in_word && c == '\'');
    }
    if (foreign > han && foreign > 2 * words)
        return MN_LANGUAGE_OTHER;
    if (han > 0 && (han >= 2 * words || han >= 4))
        return MN_LANGUAGE_ZH;
    return words > 0 ? MN_LANGUAGE_EN : MN_LANGUAGE_OTHER;
}

/* ---- terms ---- */

struct analysis {
    struct mn_arena *arena;
    struct mn_terms *terms;
    const char *cased; /* normalised, case kept; parts of camelCase are seen here */
    const char *lower; /* the same bytes, ASCII letters lowered; terms point into it */
    size_t bytes;
    uint32_t position;
    struct mn_stemmer stemmer;
    bool failed;
};

static void add(struct analysis *a, struct mn_str text, enum mn_term_kind kind, uint32_t position)
{
    struct mn_term *term = mn_array_add(a->arena, a->terms);

    if (!term) {
        a->failed = true;
        return;
    }
    term->hash = mn_hash64(text.at, text.bytes, kind);
    term->weight = kind == MN_TERM_HAN ? HAN_WEIGHT : 1.0f;
    term->kind = kind;
    term->position = position;
    term->text = text;
}

static void add_word(struct analysis *a, struct mn_str word, uint32_t position)
{
    if (word.bytes > 0 && !mn_words_stop(word.at, word.bytes))
        add(a, mn_stemmer_stem(&a->stemmer, a->arena, word), MN_TERM_WORD, position);
}

/* Where the part of a camelCase word that begins at `from` ends: createdBy|Agent, NW|Path, OAuth2.
 */
static size_t camel_part(const char *word, size_t bytes, size_t from)
{
    size_t i = from + 1;

    if (mn_letter_upper(word[from])) {
        while (i < bytes && mn_letter_upper(word[i]))
            i++;
        if (i - from > 1 && i < bytes && mn_letter_lower(word[i])) {
            if (word[i] == 's' && (i + 1 == bytes || !mn_letter_lower(word[i + 1])))
                return i + 1; /* APIs */
            return i - 1;     /* the last capital begins the next part */
        }
    }
    while (i < bytes && !mn_letter_upper(word[i]))
        i++;
    return i;
}

/* A maximal run of letters and digits. */
static void add_run(struct analysis *a, size_t from, size_t until)
{
    struct mn_str word = { a->lower + from, until - from };
    uint32_t position = a->position++;
    size_t part;

    for (size_t i = from; i < until; i++) {
        if ((unsigned char)a->cased[i] >= 0x80) {
            char *folded = mn_text_fold(a->arena, a->cased + from, until - from);

            a->failed = a->failed || !folded;
            add_word(a, mn_str_of(folded), position);
            return;
        }
    }
    part = camel_part(a->cased + from, word.bytes, 0);
    if (part == word.bytes) {
        add_word(a, word, position);
        return;
    }
    add(a, word, MN_TERM_EXACT, position);
    add_word(a, word, position);
    for (size_t at = 0; at < word.bytes; at = part) {
        part = camel_part(a->cased + from, word.bytes, at);
        if (part - at > 1)
            add_word(a, (struct mn_str){ word.at + at, part - at }, position);
        if (part < word.bytes)
            position = a->position++;
    }
}

static size_t word_end(const struct analysis *a, size_t at)
{
    size_t start = at;

    while (at < a->bytes) {
        size_t behind = at;
        int32_t c = mn_utf8_next(a->cased, a->bytes, &behind);

        if (mn_letter_class(c) != MN_LETTER_WORD) {
            bool inside = c == '\'' && at > start && mn_letter_latin(a->cased[at - 1]) &&
                          behind < a->bytes && mn_letter_latin(a->cased[behind]);

            if (!inside)
                break;
        }
        at = behind;
    }
    return at;
}

/* The joiners between two words: one, or several of a path or an address; else 0. */
static size_t joiner_bytes(const struct analysis *a, size_t at, bool *ret_divides)
{
    size_t end = at;
    bool slash = false;
    bool colon = false;

    while (end < a->bytes && mn_letter_joins(a->cased[end])) {
        slash = slash || a->cased[end] == '/';
        colon = colon || a->cased[end] == ':';
        end++;
    }
    *ret_divides = slash || colon;
    if (end - at > 1 && !slash && !(end - at == 2 && memcmp(a->cased + at, "::", 2) == 0))
        return 0;
    if (end == at || word_end(a, end) == end)
        return 0;
    return end - at;
}

/* C++, C#, F#, g++: the marks belong to a short word. */
static size_t marks_bytes(const struct analysis *a, size_t from, size_t until)
{
    const char *at = a->cased + until;
    size_t left = a->bytes - until;

    if (until - from <= 3 && left >= 2 && at[0] == '+' && at[1] == '+')
        return 2;
    if (until - from == 1 && mn_letter_latin(a->cased[from]) && left >= 1 && at[0] == '#' &&
        (left == 1 || !mn_letter_plain(at[1])))
        return 1;
    return 0;
}

/* Words with what joins them: parts, exact segments, the exact whole. Returns the end. */
static size_t add_joined(struct analysis *a, size_t from)
{
    uint32_t position = a->position;
    uint32_t segment_position = position;
    size_t segment = from;
    bool segment_joined = false;
    bool joined = false;
    size_t at = from;

    for (;;) {
        size_t until = word_end(a, at);
        size_t marks = marks_bytes(a, at, until);
        bool divides;
        size_t gap;

        add_run(a, at, until);
        if (marks > 0) {
            add(a, (struct mn_str){ a->lower + at, until + marks - at }, MN_TERM_EXACT,
                a->position - 1);
            at = until + marks;
            break;
        }
        gap = joiner_bytes(a, until, &divides);
        at = until;
        if (gap == 0)
            break;
        if (divides) {
            if (segment_joined)
                add(a, (struct mn_str){ a->lower + segment, until - segment }, MN_TERM_EXACT,
                    segment_position);
            segment = until + gap;
            segment_position = a->position;
        }
        segment_joined = !divides;
        joined = true;
        at = until + gap;
    }
    if (joined && segment != from && segment_joined)
        add(a, (struct mn_str){ a->lower + segment, at - segment }, MN_TERM_EXACT,
            segment_position);
    if (joined)
        add(a, (struct mn_str){ a->lower + from, at - from }, MN_TERM_EXACT, position);
    return at;
}

static enum mn_han han_class(int32_t c)
{
    return mn_letter_han(c) ? mn_words_han(c) : MN_HAN_CONTENT;
}

/* A run of a script without spaces, by pairs. Returns the end. */
static size_t add_paired(struct analysis *a, size_t from)
{
    enum mn_han before = MN_HAN_STRICT;
    size_t before_at = from;
    size_t at = from;

    while (at < a->bytes) {
        size_t behind = at;
        int32_t c = mn_utf8_next(a->cased, a->bytes, &behind);
        enum mn_han now;

        if (c < 0x80 || mn_letter_class(c) != MN_LETTER_PAIRED)
            break;
        now = han_class(c);
        if (at > from && before != MN_HAN_STRICT && now != MN_HAN_STRICT &&
            (before == MN_HAN_CONTENT || now == MN_HAN_CONTENT))
            add(a, (struct mn_str){ a->lower + before_at, behind - before_at }, MN_TERM_WORD,
                a->position - 1);
        if (mn_letter_han(c) && now == MN_HAN_CONTENT)
            add(a, (struct mn_str){ a->lower + at, behind - at }, MN_TERM_HAN, a->position);
        a->position++;
        before = now;
        before_at = at;
        at = behind;
    }
    if (before_at == from && at > from && before == MN_HAN_CONTENT) {
        size_t first = from;

        if (!mn_letter_han(mn_utf8_next(a->cased, a->bytes, &first)))
            add(a, (struct mn_str){ a->lower + from, at - from }, MN_TERM_WORD, a->position - 1);
    }
    return at;
}

/* conf*, not **conf** and not a*b. */
static bool is_starred(const struct analysis *a, size_t from, size_t until)
{
    size_t behind = until + 1;

    return until < a->bytes && a->cased[until] == '*' && (from == 0 || a->cased[from - 1] != '*') &&
           (behind == a->bytes || (a->cased[behind] != '*' && word_end(a, behind) == behind));
}

/* Of the terms from the `first` on, those at the end of what was read. */
static void mark_beginnings(struct analysis *a, size_t first, size_t until)
{
    const char *end = a->lower + until;

    for (size_t i = first; i < a->terms->count; i++) {
        struct mn_term *term = &a->terms->item[i];

        term->begins = term->kind == MN_TERM_EXACT ? term->text.at + term->text.bytes == end
                                                   : term->position + 1 == a->position;
    }
}

static void analyze(struct analysis *a)
{
    for (size_t at = 0; at < a->bytes && !a->failed;) {
        size_t behind = at;
        int32_t c = mn_utf8_next(a->cased, a->bytes, &behind);

        switch (mn_letter_class(c)) {
        case MN_LETTER_WORD: {
            size_t first = a->terms->count, from = at;

            at = add_joined(a, from);
            if (is_starred(a, from, at))
                mark_beginnings(a, first, at);
            break;
        }
        case MN_LETTER_PAIRED:
            at = add_paired(a, at);
            break;
        default:
            at = behind;
            break;
        }
    }
}

static char *lowered(struct mn_arena *arena, struct mn_str cased)
{
    char *lower = cased.at ? mn_arena_copy_n(arena, cased.at, cased.bytes) : NULL;

    for (size_t i = 0; lower && i < cased.bytes; i++)
        lower[i] = mn_letter_to_lower(lower[i]);
    return lower;
}

static enum mneme_status add_terms(struct mn_arena *arena, struct mn_str cased,
                                   struct mn_terms *terms, struct mneme_error *err)
{
    struct mn_terms made = *terms;
    struct analysis a = { .arena = arena, .terms = &made };
    char *lower = lowered(arena, cased);

    if (!lower)
        return mn_fail_memory(err);
    if (made.room == 0) {
        size_t room = cased.bytes / 4 + 4;

        made.room = room < ROOM_FIRST_MAX ? room : ROOM_FIRST_MAX;
        made.item = mn_arena_array(arena, struct mn_term, made.room);
        if (!made.item)
            return mn_fail_memory(err);
    }
    a.cased = cased.at;
    a.lower = lower;
    a.bytes = cased.bytes;
    analyze(&a);
    mn_stemmer_release(&a.stemmer);
    if (a.failed || a.stemmer.failed)
        return mn_fail_memory(err);
    *terms = made;
    return MNEME_OK;
}

enum mneme_status mn_text_terms(struct mn_arena *arena, const char *text, size_t bytes,
                                struct mn_terms *terms, struct mneme_error *err)
{
    return add_terms(arena, mn_fold_cased(arena, text, bytes), terms, err);
}

/* The text without its frame ("tell me about"); .at NULL when it has none, or the arena is full. */
static struct mn_str unframed(struct mn_arena *arena, struct mn_str cased)
{
    char *lower = lowered(arena, cased);
    char *bare = NULL;

    if (lower && mn_framing_blank(lower))
        bare = mn_arena_copy_n(arena, cased.at, cased.bytes);
    for (size_t i = 0; bare && i < cased.bytes; i++)
        bare[i] = lower[i] == ' ' ? ' ' : bare[i];
    return (struct mn_str){ bare, bare ? cased.bytes : 0 };
}

/* Keeps the first of equal hashes, in place. False when the arena is full. */
static bool keep_first(struct mn_arena *arena, struct mn_terms *terms)
{
    size_t slots = 16;
    uint64_t *seen;
    size_t kept = 0;

    while (slots < terms->count * 2)
        slots *= 2;
    seen = mn_arena_array(arena, uint64_t, slots); /* 0: empty */
    if (!seen)
        return false;
    for (size_t i = 0; i < terms->count; i++) {
        uint64_t hash = terms->item[i].hash ? terms->item[i].hash : 1;
        size_t slot = hash & (slots - 1);

        while (seen[slot] && seen[slot] != hash)
            slot = (slot + 1) & (slots - 1);
        if (seen[slot])
            continue;
        seen[slot] = hash;
        terms->item[kept++] = terms->item[i];
    }
    terms->count = kept;
    return true;
}

enum mneme_status mn_text_query_terms(struct mn_arena *arena, const char *text, size_t bytes,
                                      struct mn_terms *terms, struct mneme_error *err)
{
    struct mn_str cased = mn_fold_cased(arena, text, bytes);
    struct mn_str bare = unframed(arena, cased);
    struct mn_terms made = *terms;

    if (bare.at)
        MN_TRY(add_terms(arena, bare, &made, err));
    if (made.count == terms->count)
        MN_TRY(add_terms(arena, cased, &made, err));
    if (!keep_first(arena, &made))
        return mn_fail_memory(err);
    *terms = made;
    return MNEME_OK;
}

/* ---- comparing ---- */

bool mn_text_contains(const char *folded_text, const char *folded_needle)
{
    size_t bytes = strlen(folded_needle);

    if (bytes == 0)
        return false;
    for (const char *at = folded_text; (at = strstr(at, folded_needle)) != NULL; at++) {
        bool begins = at == folded_text || !mn_letter_word(at[0]) || !mn_letter_word(at[-1]);
        bool ends = !mn_letter_word(at[bytes - 1]) || !mn_letter_word(at[bytes]);

        if (begins && ends)
            return true;
    }
    return false;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * Of up to 64 letters: a whole column of the table at once, one bit a letter of `a`, which says where
 * the distance rises or falls on the way down (Hyyroe, 2003, with neighbours that change places).
 */
static unsigned short_distance(struct mn_str a, struct mn_str b)
{
    uint64_t at[256]; /* where in `a` a letter stands; set for those of both */
    uint64_t rises = UINT64_MAX, falls = 0, same = 0, before = 0;
    unsigned distance = (unsigned)a.bytes;

    for (size_t j = 0; j < b.bytes; j++)
        at[(unsigned char)b.at[j]] = 0;
    for (size_t i = 0; i < a.bytes; i++)
        at[(unsigned char)a.at[i]] = 0;
    for (size_t i = 0; i < a.bytes; i++)
        at[(unsigned char)a.at[i]] |= UINT64_C(1) << i;
    for (size_t j = 0; j < b.bytes; j++) {
        uint64_t here = at[(unsigned char)b.at[j]];
        uint64_t swapped = ((~same & here) << 1) & before;

        same = (((here & rises) + rises) ^ rises) | here | falls | swapped;
        uint64_t right_rises = falls | ~(same | rises), right_falls = same & rises;
        distance += (unsigned)(right_rises >> (a.bytes - 1) & 1);
        distance -= (unsigned)(right_falls >> (a.bytes - 1) & 1);
        right_rises = right_rises << 1 | 1;
        right_falls <<= 1;
        rises = right_falls | ~(same | right_rises);
        falls = right_rises & same;
        before = here;
    }
    return distance;
}

/*
 * Of longer ones: only a band of max on either side of the diagonal can hold a distance <= max. Column k of a row
 * stands for b's position i + k - max; a row keeps its place against the one before it shifted
 * by 1.
 */
static unsigned long_distance(struct mn_str a, struct mn_str b, unsigned max)
{
    unsigned rows[3][2 * DISTANCE_MAX + 3];
    unsigned *before2 = rows[0];
    unsigned *before = rows[1];
    unsigned *now = rows[2];
    unsigned width = 2 * max + 1;

    for (unsigned k = 0; k < width; k++)
        before[k] = before2[k] = k >= max ? k - max : max + 1;
    before[width] = max + 1;
    for (size_t i = 1; i <= a.bytes; i++) {
        unsigned best = max + 1;
        unsigned *spare = before2;

        for (unsigned k = 0; k < width; k++) {
            size_t j = i + k - max;
            unsigned d = max + 1;

            now[k] = d;
            if (i + k < max || j > b.bytes)
                continue;
            if (j == 0) {
                now[k] = i <= max ? (unsigned)i : max + 1;
                best = smaller(best, now[k]);
                continue;
            }
            d = smaller(d, before[k] + (a.at[i - 1] != b.at[j - 1]));
            d = smaller(d, before[k + 1] + 1);
            if (k > 0)
                d = smaller(d, now[k - 1] + 1);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                d = smaller(d, before2[k] + 1);
            now[k] = d;
            best = smaller(best, d);
        }
        now[width] = max + 1;
        if (best > max)
            return max + 1;
        before2 = before;
        before = now;
        now = spare;
    }
    return before[b.bytes + max - a.bytes];
}

unsigned mn_text_distance(struct mn_str a, struct mn_str b, unsigned max)
{
    size_t gap = a.bytes > b.bytes ? a.bytes - b.bytes : b.bytes - a.bytes;

    assert(max <= DISTANCE_MAX);
    if (gap > max)
        return max + 1;
    if (!a.bytes || a.bytes > 64)
        return long_distance(a, b, max);
    unsigned distance = short_distance(a, b);
    return distance > max ? max + 1 : distance;
}
