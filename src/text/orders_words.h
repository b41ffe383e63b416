/*
 * orders_words.h - the words of an English text as orders_en.c asks for them: by the lists on which
 * they stand, however they are disguised.
 */
#ifndef MN_TEXT_ORDERS_WORDS_H
#define MN_TEXT_ORDERS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* In orders_en.c, which alone knows what a list means. */
struct mn_orders_list {
    uint64_t list; /* one bit */
    const char *words; /* a space between them */
};
extern const struct mn_orders_list mn_orders_english_list[];
extern const size_t mn_orders_english_list_count;

struct mn_orders_word {
    struct mn_str text; /* "." and "," are marks */
    uint64_t lists;
};

struct mn_orders_words {
    struct mn_orders_word *item;
    size_t count, room;
    struct mn_arena *arena;
    bool failed; /* the arena is full */
};

/* Into words that are empty. text: folded, look-alike letters replaced. */
void mn_orders_words_read(const char *text, struct mn_orders_words *words);

#endif
