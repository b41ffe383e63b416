/*
 * said.h - a text taken apart into what it says.
 */
#ifndef MN_TEXT_SAID_H
#define MN_TEXT_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "text/phrases.h"

#define MN_SAID_TOKENS_MAX 400

enum mn_said_role {
    MN_SAID_CONTENT = 0,
    MN_SAID_NUMBER, /* also weekdays */
    MN_SAID_NAME,   /* identifiers as well */
    MN_SAID_FUNCTION
};

struct mn_said_token {
    struct mn_str text;
    uint64_t hash;
    enum mn_said_role role;
    bool paired;    /* has its like in the other text */
    size_t partner; /* where */
};

struct mn_said {
    struct mn_said_token *item;
    size_t count, room;
    unsigned mark[MN_MARK_COUNT];
};

/*
 * Reads two texts side by side: what one names is a name in the other, too, and each token is
 * paired with its like. Cased and folded as fold.h and analyze.h do. False when a text has more
 * than MN_SAID_TOKENS_MAX tokens or the arena is full.
 */
bool mn_said_read(struct mn_arena *arena, struct mn_str cased_a, struct mn_str cased_b,
                  struct mn_said *ret_a, struct mn_said *ret_b);

#endif
