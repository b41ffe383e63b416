/*
 * orders_read.h - the two languages in which orders.c looks for orders.
 *
 * Each reader sets *given for an order, *harmless for one that is negated.
 */
#ifndef MN_TEXT_ORDERS_READ_H
#define MN_TEXT_ORDERS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "text/orders.h"

/* Folded text, look-alike letters replaced. False when the arena is full. */
bool mn_orders_english(struct mn_arena *arena, const char *folded, bool *given, bool *harmless);

/* Folded text without anything between its characters. */
void mn_orders_chinese(const char *closed, bool *given, bool *harmless);

/* Both, over the whole text: what mn_text_orders() says of a text that is worth reading. */
enum mn_orders mn_orders_read(struct mn_arena *arena, const char *text);

/*
 * Is the text worth reading? Most hold no verb of overriding, or nothing it could be about, and are
 * known by one look at their words as they are. Never false where mn_orders_read() would find
 * something.
 */
bool mn_orders_likely(const char *text);

/* orders_known.c: the finding in the text of this keyed hash; false where it is not known. */
bool mn_orders_known(uint64_t hash, enum mn_orders *ret_orders);
void mn_orders_know(uint64_t hash, enum mn_orders orders);

#define MN_ORDERS_WORD_BYTES_MAX 15 /* no English word of a list is longer */

/* What the two languages tell of a word, for mn_orders_likely(). */
enum { MN_ORDERS_HINT_VERB = 1, MN_ORDERS_HINT_OBJECT = 2 };
uint64_t mn_orders_english_lists(struct mn_str lower_word); /* 0: a word of no list */
bool mn_orders_english_may(uint64_t lists_seen);
unsigned mn_orders_chinese_pair(int32_t first, int32_t second); /* simplified; hints as bits */

#endif
