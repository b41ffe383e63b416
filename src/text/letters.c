/*
 * letters.c - the classes beyond ASCII come from ICU.
 */
#include "text/letters.h"

#include <unicode/uchar.h>

enum mn_letter_class mn_letter_class(int32_t code_point)
{
    if (code_point < 0x80)
        return code_point >= 0 && mn_letter_plain((char)code_point) ? MN_LETTER_WORD
                                                                    : MN_LETTER_NONE;
    if (mn_letter_paired(code_point))
        return MN_LETTER_PAIRED;
    if ((code_point >= 0x2000 && code_point <= 0x206f) ||
        (code_point >= 0x3000 && code_point <= 0x303f))
        return MN_LETTER_NONE; /* punctuation, the commonest of the rest */
    if (u_isalnum(code_point))
        return MN_LETTER_WORD;
    switch (u_charType(code_point)) {
    case U_NON_SPACING_MARK:
    case U_COMBINING_SPACING_MARK:
        return MN_LETTER_WORD;
    default:
        return MN_LETTER_NONE;
    }
}

bool mn_letter_invisible(int32_t code_point)
{
    if (code_point < 0x80)
        return (code_point >= 0 && code_point <= ' ') || code_point == 0x7f;
    if (mn_letter_han(code_point) || (code_point >= 0x3001 && code_point <= 0x30ff))
        return false; /* the commonest of the rest */
    switch (code_point) {
    case 0x2800:  /* braille without a dot */
    case 0x1d159: /* a note without a head */
        return true;
    default:
        break;
    }
    if (u_isUWhiteSpace(code_point) || u_charType(code_point) == U_CONTROL_CHAR ||
        u_hasBinaryProperty(code_point, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
        return true;
    return code_point >= 0xfff9 && code_point <= 0xfffb; /* marks of ruby text */
}
