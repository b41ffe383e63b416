/*
 * letters.h - which characters make words.
 */
#ifndef MN_TEXT_LETTERS_H
#define MN_TEXT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool mn_letter_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool mn_letter_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool mn_letter_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool mn_letter_latin(char c) /* A-Z a-z */
{
    return mn_letter_upper(c) || mn_letter_lower(c);
}

static inline bool mn_letter_plain(char c) /* A-Z a-z 0-9 */
{
    return mn_letter_latin(c) || mn_letter_digit(c);
}

static inline bool mn_letter_word(char c) /* A-Z a-z 0-9 _ */
{
    return mn_letter_plain(c) || c == '_';
}

/* What joins words into an identifier: db-config.json, a/b, x::y. */
static inline bool mn_letter_joins(char c)
{
    return c == '.' || c == '_' || c == '-' || c == '/' || c == ':' || c == '+' || c == '#' ||
           c == '@';
}

static inline char mn_letter_to_lower(char c)
{
    return mn_letter_upper(c) ? (char)(c | 0x20) : c;
}

/* Chinese characters, also where Japanese uses them. */
static inline bool mn_letter_han(int32_t c)
{
    return (c >= 0x3400 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || c == 0x3005 ||
           c == 0x3007 || (c >= 0x20000 && c <= 0x323af);
}

/* Scripts whose words stand without spaces or carry their endings glued on: found by pairs. */
static inline bool mn_letter_paired(int32_t c)
{
    return mn_letter_han(c) || (c >= 0x3041 && c <= 0x30ff && c != 0x30fb) || /* kana */
           (c >= 0xac00 && c <= 0xd7a3) ||                                    /* Hangul */
           (c >= 0x0e01 && c <= 0x0eff) ||                                    /* Thai, Lao */
           (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17d3);      /* Burmese, Khmer */
}

enum mn_letter_class {
    MN_LETTER_NONE = 0, /* between words */
    MN_LETTER_WORD,     /* letters, digits, marks */
    MN_LETTER_PAIRED
};
enum mn_letter_class mn_letter_class(int32_t code_point); /* -1 is none */

/* Shows nothing: white space, controls, format characters, fillers, the empty braille cell. */
bool mn_letter_invisible(int32_t code_point);

#endif
