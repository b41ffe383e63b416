/*
 * bound.c - "estimate", the bound that needs no table of ranks.
 *
 * Byte-pair encoding never gives more tokens than bytes, and it goes on as long as two neighbours
 * are together a token. So where a pair of bytes is a token, its two bytes cannot both be left
 * alone, and the worst that can happen is alone, pair, alone, pair. The bound is the largest number
 * of pieces of one or two bytes under that rule (longer pieces only make it fewer), found in one
 * pass. Two more facts: the encodings cut numbers into threes, and each number of one to three
 * digits is a token.
 *
 * Which pairs are tokens is known here for lower-case letters, a space before a letter, runs of
 * spaces and of line ends, and the first two bytes of the commoner Chinese characters. A pair does
 * not count where the encodings may cut between its bytes: behind an apostrophe, and between the
 * last space of a run and what follows.
 *
 * A test compares every claim with the real tables. Considered: the mean of bytes per token, with a
 * margin; base64, rare characters and long identifiers exceed any margin worth having.
 */
#include "text/bound.h"

#include <stdint.h>
#include <string.h>

#include "text/letters.h"

bool mn_bound_pair(unsigned char a, unsigned char b)
{
    /* Bit n of a row: this lead byte, then 0x80 + n, is a token. */
    static const struct {
        unsigned char lead;
        uint64_t second;
    } ROW[] = {
        { 0xe2, UINT64_C(0x0000000073f20377) }, { 0xe3, UINT64_C(0x000000000000002f) },
        { 0xe4, UINT64_C(0xff00000000000000) }, { 0xe5, UINT64_C(0xff87e0bfb87bffeb) },
        { 0xe6, UINT64_C(0x1ffff02bfff6ff1b) }, { 0xe7, UINT64_C(0x7c36fff63e31c312) },
        { 0xe8, UINT64_C(0xe0ffe7ce0201bf8f) }, { 0xe9, UINT64_C(0x4800024f3ffc108f) },
        { 0xef, UINT64_C(0xf100000000000004) },
    };

    if (mn_letter_lower((char)a) && mn_letter_lower((char)b)) {
        if (strchr("jqxz", a) || strchr("jqxz", b))
            return false;
        return !((a == 'g' && b == 'k') || (a == 'w' && b == 'v') ||
                 (a == 'y' && (b == 'f' || b == 'v')));
    }
    if (a == ' ')
        return b == ' ' || mn_letter_latin((char)b);
    if (a == '\n')
        return b == '\n';
    if (b < 0x80 || b > 0xbf)
        return false;
    for (size_t i = 0; i < sizeof ROW / sizeof ROW[0]; i++) {
        if (ROW[i].lead == a)
            return ROW[i].second >> (b - 0x80) & 1;
    }
    return false;
}

/* Can text[at - 1] and text[at] not both be left alone? */
static bool bound_together(const unsigned char *text, size_t bytes, size_t at)
{
    for (size_t back = 1; back <= 3 && back <= at; back++) {
        if (text[at - back] == '\'')
            return false;
    }
    if (text[at - 1] == ' ' && text[at] == ' ' &&
        (at + 1 >= bytes || (text[at + 1] != ' ' && text[at + 1] != '\n')))
        return false;
    return mn_bound_pair(text[at - 1], text[at]);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t mn_bound_tokens(const char *text, size_t bytes)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t alone = 0;  /* most pieces of what was read, the last of one byte (0: it cannot be) */
    size_t paired = 0; /* the last of two, or a number, or nothing was read */
    size_t before = 0; /* most pieces without the last byte */
    bool fresh = true; /* no pair may begin before here */

    for (size_t at = 0; at < bytes;) {
        size_t most = larger(alone, paired);
        size_t start = at;

        while (at < bytes && mn_letter_digit(text[at]))
            at++;
        if (at > start) {
            bool beside = (start > 0 && s[start - 1] >= 0x80) || (at < bytes && s[at] >= 0x80);

            paired = most + (at - start + 2) / 3; /* foreign numerals beside it shift the threes */
            paired += beside && at - start > 1;
            alone = 0;
            fresh = true;
            continue;
        }
        if (fresh) {
            alone = most + 1;
            paired = 0;
        } else {
            size_t single = bound_together(s, bytes, at) ? paired : most;

            paired = before + 1;
            alone = single ? single + 1 : 0;
        }
        before = most;
        fresh = false;
        at++;
    }
    return larger(alone, paired);
}
