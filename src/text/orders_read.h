/*
 * orders_read.h - the two languages in which orders.c looks for orders.
 *
 * Each reader sets *given for an order, *harmless for one that is negated.
 */
#ifndef MN_TEXT_ORDERS_READ_H
#define MN_TEXT_ORDERS_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Folded text, look-alike letters replaced. False when the arena is full. */
bool mn_orders_english(struct mn_arena *arena, const char *folded, bool *given, bool *harmless);

/* Folded text without anything between its characters. */
void mn_orders_chinese(const char *closed, bool *given, bool *harmless);

#endif
