/*
 * secret.h - how secret.c and secret_named.c read plain characters.
 */
#ifndef MN_TEXT_SECRET_H
#define MN_TEXT_SECRET_H

#include <stdbool.h>
#include <string.h>

#include "text/letters.h"

/* The kind of secret that the name at `at` names together with its value; NULL: none. */
const char *mn_secret_named(const char *text, const char *at);

static inline bool mn_secret_starts(const char *at, const char *literal)
{
    return strncmp(at, literal, strlen(literal)) == 0;
}

/* In any case; `lower` is in lower case. */
static inline bool mn_secret_says(const char *at, const char *lower)
{
    for (; *lower; at++, lower++) {
        if (mn_letter_to_lower(*at) != *lower)
            return false;
    }
    return true;
}

static inline bool mn_secret_key_byte(char c)
{
    return mn_letter_plain(c) || c == '_' || c == '-';
}

#endif
