/*
 * pieces.c - the two expressions, and what they find in ASCII without them.
 *
 * The encodings define their pieces by a regular expression (PCRE2, compiled to machine code; the
 * match data belongs to the walk, so that the rest is shared freely). Neither looks behind where a
 * piece begins, so that each piece may be found in its own way: one that is told by ASCII alone, with
 * what stands behind it, is found by hand, any other by the expression.
 *
 * By hand, in the expressions' own order: a letter's run, with the character before it unless that
 * ends a line; up to three digits; other signs, with a space before and line ends behind; white space.
 */
#include "text/pieces.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "text/letters.h"

static const char O200K[] =
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
static const char CL100K[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

struct mn_pieces {
    pcre2_code *expression;
    bool is_o200k;
};

struct mn_pieces *mn_pieces_new(const char *name)
{
    struct mn_pieces *pieces = calloc(1, sizeof *pieces);
    int code;
    PCRE2_SIZE offset;

    if (!pieces)
        return NULL;
    pieces->is_o200k = strcmp(name, "o200k") == 0;
    pieces->expression =
        pcre2_compile((PCRE2_SPTR)(pieces->is_o200k ? O200K : CL100K), PCRE2_ZERO_TERMINATED,
                      PCRE2_UTF | PCRE2_UCP, &code, &offset, NULL);
    if (!pieces->expression) { /* the expression is ours and compiles: there was no memory */
        free(pieces);
        return NULL;
    }
    (void)pcre2_jit_compile(pieces->expression, PCRE2_JIT_COMPLETE); /* without it: slower */
    return pieces;
}

void mn_pieces_free(struct mn_pieces *pieces)
{
    if (!pieces)
        return;
    pcre2_code_free(pieces->expression);
    free(pieces);
}

void mn_pieces_begin(const struct mn_pieces *pieces, const char *text, size_t bytes,
                     struct mn_pieces_walk *ret_walk)
{
    *ret_walk = (struct mn_pieces_walk){ .pieces = pieces, .text = text, .bytes = bytes };
}

void mn_pieces_end(struct mn_pieces_walk *walk)
{
    pcre2_match_data_free(walk->match);
    walk->match = NULL;
}

/* ---- by the expression ---- */

size_t mn_pieces_next_by_expression(struct mn_pieces_walk *walk, size_t at)
{
    if (!walk->match)
        walk->match = pcre2_match_data_create(1, NULL);
    if (!walk->match)
        return at;
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(walk->match);
    int found = pcre2_match(walk->pieces->expression, (PCRE2_SPTR)walk->text, walk->bytes, at,
                            PCRE2_NO_UTF_CHECK, walk->match, NULL);

    /* The expressions match all text, each piece where the last one ended; what is left was a limit. */
    return found < 0 || bounds[0] != at ? at : bounds[1];
}

/* ---- by hand ---- */

enum { END = 0, BEYOND = 0x80 }; /* what at() says where there is no ASCII character */

/* The character there, BEYOND where it is none of ASCII, END behind the last (and of a NUL: then the
 * expression is asked, as it is beyond ASCII). */
static unsigned char at(const struct mn_pieces_walk *w, size_t i)
{
    return i < w->bytes ? (unsigned char)w->text[i] : END;
}

static bool is_open(const struct mn_pieces_walk *w, size_t i)
{
    return at(w, i) >= BEYOND || (at(w, i) == END && i < w->bytes);
}

static bool is_letter(unsigned char c)
{
    return mn_letter_latin((char)c);
}

static bool is_digit(unsigned char c)
{
    return mn_letter_digit((char)c);
}

static bool is_break(unsigned char c)
{
    return c == '\r' || c == '\n';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_sign(unsigned char c)
{
    return c != END && c < BEYOND && !is_letter(c) && !is_digit(c) && !is_space(c);
}

/* 's, 't, 're, 've, 'm, 'll, 'd: its bytes, 0 where none stands there. *open: beyond ASCII may. */
static size_t contraction(const struct mn_pieces_walk *w, size_t i, bool *open)
{
    if (at(w, i) != '\'')
        return 0;
    *open = is_open(w, i + 1);
    char first = mn_letter_to_lower((char)at(w, i + 1));
    char second = mn_letter_to_lower((char)at(w, i + 2));
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return 2;
    return (second == 'e' && (first == 'r' || first == 'v')) || (second == 'l' && first == 'l') ? 3
                                                                                               : 0;
}

/* Letters from i on, none of them beyond ASCII; 0: not told here. */
static size_t letters(const struct mn_pieces_walk *w, size_t i)
{
    bool open = false;

    if (!w->pieces->is_o200k) {
        while (is_letter(at(w, i)))
            i++;
        return is_open(w, i) ? 0 : i;
    }
    while (mn_letter_upper((char)at(w, i)))
        i++;
    while (mn_letter_lower((char)at(w, i)))
        i++;
    if (is_open(w, i))
        return 0;
    i += contraction(w, i, &open);
    return open ? 0 : i;
}

static size_t digits(const struct mn_pieces_walk *w, size_t i)
{
    size_t most = i + 3;

    while (i < most && is_digit(at(w, i)))
        i++;
    return i < most && is_open(w, i) ? 0 : i;
}

static size_t signs(const struct mn_pieces_walk *w, size_t i)
{
    while (is_sign(at(w, i)))
        i++;
    if (is_open(w, i))
        return 0;
    while (is_break(at(w, i)) || (w->pieces->is_o200k && at(w, i) == '/'))
        i++;
    return i;
}

/* To behind the last line end of the run; else all of it where the text ends; else all but the space
 * that belongs to what follows. */
static size_t spaces(const struct mn_pieces_walk *w, size_t from)
{
    size_t i = from, behind_break = 0;

    for (; is_space(at(w, i)); i++)
        if (is_break(at(w, i)))
            behind_break = i + 1;
    if (is_open(w, i))
        return 0;
    if (behind_break)
        return behind_break;
    return i == w->bytes || i == from + 1 ? i : i - 1;
}

/* 0: not told by ASCII alone. */
static size_t by_hand(const struct mn_pieces_walk *w, size_t i)
{
    unsigned char first = at(w, i), second = at(w, i + 1);
    bool open = false;

    if (is_open(w, i))
        return 0;
    if (!w->pieces->is_o200k && first == '\'') {
        size_t bytes = contraction(w, i, &open);

        if (open || bytes)
            return open ? 0 : i + bytes;
    }
    if (is_letter(first))
        return letters(w, i);
    if (is_digit(first))
        return digits(w, i);
    if (is_open(w, i + 1))
        return 0;
    if (is_letter(second) && !is_break(first))
        return letters(w, i + 1);
    if (first == ' ' && is_sign(second))
        return signs(w, i + 1);
    return is_space(first) ? spaces(w, i) : signs(w, i);
}

size_t mn_pieces_next(struct mn_pieces_walk *walk, size_t from)
{
    size_t end = by_hand(walk, from);

    return end ? end : mn_pieces_next_by_expression(walk, from);
}
