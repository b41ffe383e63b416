/*
 * trades.h - what people are by trade or title, which is not their name.
 *
 * Pure. "My sister is Chief Engineer", 我妹妹是医生.
 */
#ifndef MN_TEXT_TRADES_H
#define MN_TEXT_TRADES_H

#include <stdbool.h>

#include "base/str.h"

/* One word, in any case; a Chinese one also by how it ends: 护士, 程序员. */
bool mn_trade_known(struct mn_str word);
/* "Dr", "Mrs", "Professor": a name follows it. */
bool mn_trade_before_name(struct mn_str word);

#endif
