/*
 * words.h - words and characters that carry grammar and no content.
 */
#ifndef MN_TEXT_WORDS_H
#define MN_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* English, folded, apostrophe as '. */
bool mn_words_stop(const char *word, size_t bytes);

enum mn_han {
    MN_HAN_CONTENT = 0,
    MN_HAN_FUNC,  /* grammar, though it may be part of a word: 上 in 上海 */
    MN_HAN_STRICT /* grammar, and next to never part of a content word: 的 */
};
enum mn_han mn_words_han(int32_t code_point); /* simplified */

#endif
