/*
 * phrases.h - words that say the same, the opposite, or how a sentence is meant.
 */
#ifndef MN_TEXT_PHRASES_H
#define MN_TEXT_PHRASES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* How a sentence is meant: what a text must have as often as another to be a rewording of it. */
enum mn_mark {
    MN_MARK_NONE = 0,
    MN_MARK_NOT,
    MN_MARK_EXCEPT, /* unless, 除了 */
    MN_MARK_FORMER, /* used to, 曾经 */
    MN_MARK_HEDGE,  /* maybe, it seems, 可能 */
    MN_MARK_PLAN,   /* plans to, 打算 */
    MN_MARK_ALIKE,  /* those before are counted so; must and may exclude each other */
    MN_MARK_MUST = MN_MARK_ALIKE,
    MN_MARK_MAY,
    MN_MARK_COUNT
};

struct mn_phrase {
    struct mn_str words; /* folded */
    const char *token;   /* what all of its synonyms become; NULL: it says nothing */
    enum mn_mark mark;
};

/* The longest phrase at the front of a folded text that stands at a word border; NULL: none. */
const struct mn_phrase *mn_phrase_at(const char *folded);

/* The common name of a stem's synonyms; the stem itself without any. */
struct mn_str mn_phrase_synonym(struct mn_str stem);

/* on/off, 上/下, 简/详; of stems and single characters. */
bool mn_phrase_opposite(struct mn_str a, struct mn_str b);

/* Has the stem or character an opposite at all? Most have none. */
bool mn_phrase_has_opposite(struct mn_str stem);

#endif
