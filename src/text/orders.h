/*
 * orders.h - text that tries to give orders to a model, and text that holds a secret.
 *
 * Pure. "Ignore all previous instructions" and "忽略安全检查" give orders; "never skip the safety
 * check" is negated and gives none. Spacing, width, case and invisible characters do not hide one.
 */
#ifndef MN_TEXT_ORDERS_H
#define MN_TEXT_ORDERS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum mn_orders {
    MN_ORDERS_NONE = 0,
    MN_ORDERS_NEGATED, /* noted in the trace, harmless */
    MN_ORDERS_GIVEN
};
enum mn_orders mn_text_orders(struct mn_arena *arena, const char *text);

/* What kind of secret ("aws access key", "private key", "password", "token", ...), or NULL. Spans
 * of high entropy alone are not enough: a hash of a commit is none. */
const char *mn_text_secret(const char *text);

#endif
