/*
 * bound.h - at most how many tokens a text can cost.
 */
#ifndef MN_TEXT_BOUND_H
#define MN_TEXT_BOUND_H

#include <stdbool.h>
#include <stddef.h>

/* Never less than what o200k or cl100k count, for any bytes; about 2.5 times that for English and
 * 3 times for Chinese. */
size_t mn_bound_tokens(const char *text, size_t bytes);

/* True for pairs of bytes that are one token in both vocabularies; false is always safe. */
bool mn_bound_pair(unsigned char a, unsigned char b);

#endif
