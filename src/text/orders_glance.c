/*
 * orders_glance.c - could a text give orders to a model at all?
 *
 * Reading one costs microseconds (orders.c), and every memory that might be shown is read, while
 * nearly none gives orders. So the words are looked at first as they stand, without folding: no
 * verb of overriding, or nothing that it could be about, and there is no order. Whatever folding
 * could turn into other words (full-width letters, accents, other alphabets, invisible characters,
 * letters that stand apart) is worth reading without further thought; it is rare in honest text.
 */
#include "text/orders_read.h"

#include <string.h>

#include "text/fold.h"
#include "text/letters.h"

#define SINGLES_MAX 3 /* more letters that stand apart may spell a word */

struct glance {
    uint64_t seen;   /* lists of the English words */
    unsigned hints;  /* of the Chinese pairs */
    int32_t before;  /* the Chinese character that a pair may begin with; 0: none */
    size_t singles;  /* letters that stood apart in a row */
    uint64_t tail;   /* the last eight Latin letters, whatever parts them */
    bool object;     /* which ended in prompt, token, apikey or dan: what Chinese orders name */
    bool suspicious; /* could be another text once folded */
};

static void add_letter(struct glance *g, char lower)
{
    g->tail = g->tail << 8 | (unsigned char)lower;
    if (lower == 't')
        g->object = g->object || (g->tail & 0xffffffffffff) == 0x70726f6d7074;
    else if (lower == 'n')
        g->object = g->object || (g->tail & 0xffffffffff) == 0x746f6b656e ||
                    (g->tail & 0xffffff) == 0x64616e;
    else if (lower == 'y')
        g->object = g->object || (g->tail & 0xffffffffffff) == 0x6170696b6579;
}

/* A word of letters and digits, or with marks for letters. Returns its bytes. A longer one than any
 * that is listed may be several run together, which have no digits: an id is none. */
static size_t glance_word(struct glance *g, const char *at)
{
    char lower[MN_ORDERS_WORD_BYTES_MAX];
    bool digits = false, marks = false;
    size_t bytes = 0;

    for (;; bytes++) {
        char c = mn_letter_to_lower(at[bytes]);

        if (!mn_letter_lower(c)) {
            bool digit = mn_letter_digit(c), mark = c == '@' || c == '$';

            if (!digit && !mark)
                break;
            digits |= digit;
            marks |= mark;
        }
        if (bytes < sizeof lower)
            lower[bytes] = c;
        add_letter(g, c);
    }
    g->before = 0;
    g->singles = bytes == 1 && mn_letter_latin(at[0]) ? g->singles + 1 : 0;
    if (bytes > sizeof lower && digits && !marks)
        return bytes;
    if (bytes > sizeof lower || g->singles > SINGLES_MAX)
        g->suspicious = true;
    else if (bytes > 1)
        g->seen |= mn_orders_english_lists((struct mn_str){ lower, bytes });
    return bytes;
}

/* Marks that orders.c takes out between Chinese characters. */
static bool closes_up(char c)
{
    return c == ' ' || (c && strchr("\"'*_-|/~.+#`^\t\r\n\v\f", c));
}

/* What folding makes of a character is letters, or nothing. */
static bool folds_into_words(int32_t c)
{
    if (c < 0x300)
        return c != 0xa0 && c != 0xa7 && c != 0xa9 && c != 0xab && c != 0xac && c != 0xae &&
               c != 0xb0 && c != 0xb1 && c != 0xb6 && c != 0xb7 && c != 0xbb && c != 0xd7 &&
               c != 0xf7;
    if (c >= 0x2010 && c <= 0x2027) /* dashes, quotation marks */
        return false;
    if (c >= 0x20a0 && c <= 0x20cf) /* currencies */
        return c == 0x20a8;
    if (c >= 0x2190 && c <= 0x245f) /* arrows, operators */
        return false;
    if (c >= 0x2500 && c <= 0x2bff) /* boxes, symbols, emoji */
        return false;
    if (c >= 0x3001 && c <= 0x30ff) /* Chinese marks, kana */
        return false;
    if ((c >= 0x3400 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7a3)) /* Han, Hangul */
        return false;
    if (c >= 0xff01 && c <= 0xff20) /* full-width marks */
        return c >= 0xff10 && c <= 0xff19;
    if (c >= 0x1f300 && c <= 0x1faff) /* emoji */
        return false;
    return !(c >= 0x20000 && c <= 0x2f7ff);
}

static void glance_beyond_ascii(struct glance *g, int32_t c)
{
    g->singles = 0;
    if (c < 0 || folds_into_words(c)) {
        g->suspicious = true;
    } else if (mn_letter_han(c)) {
        int32_t simplified = mn_fold_han(c);

        if (g->before)
            g->hints |= mn_orders_chinese_pair(g->before, simplified);
        g->before = simplified;
    } else if (c != 0xb7 && !(c >= 0x2018 && c <= 0x201d) && c != 0xa0 && c != 0x3000 &&
               !(c >= 0xff01 && c <= 0xff5e)) {
        g->before = 0;
    }
}

static void glance_mark(struct glance *g, const char *at)
{
    /* a control mark of a chat template: <|, <<, <start_of_turn>, [inst] */
    if ((at[0] == '<' && at[1] != '\0' && strchr("|<sS", at[1])) ||
        (at[0] == '[' && (at[1] == 'i' || at[1] == 'I')))
        g->suspicious = true;
    if ((unsigned char)*at < 0x20 && !closes_up(*at))
        g->suspicious = true; /* folding drops it, and joins what it parts */
    else if (!closes_up(*at))
        g->before = 0;
}

bool mn_orders_likely(const char *text)
{
    struct glance g = { 0 };

    for (const char *at = text; *at && !g.suspicious;) {
        if (mn_letter_plain(*at) || *at == '@' || *at == '$') {
            at += glance_word(&g, at);
        } else if ((unsigned char)*at < 0x80) {
            g.suspicious = *at == 0x7f;
            glance_mark(&g, at++);
        } else {
            size_t bytes = 0;

            glance_beyond_ascii(&g, mn_utf8_next(at, strnlen(at, 4), &bytes));
            at += bytes;
        }
    }
    return g.suspicious || mn_orders_english_may(g.seen) ||
           ((g.hints & MN_ORDERS_HINT_VERB) && ((g.hints & MN_ORDERS_HINT_OBJECT) || g.object));
}
