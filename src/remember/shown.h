/*
 * shown.h - turns as a language model is shown them, and what it answers.
 *
 * A turn is data: a line of JSON under a number, with '<' escaped so that it can neither close anything
 * nor make special tokens. Recalled text is cut out of it first. A long one is shown in pieces.
 */
#ifndef MN_REMEMBER_SHOWN_H
#define MN_REMEMBER_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/world.h"
#include "remember/proposal.h"

/* What is asked of turns: a file of prompts/, its schema and its grammar. */
struct mn_prompt {
    const char *task;
    const char *schema;
    const char *grammar;
    const char *question;     /* behind the turns */
    const char *const *kinds; /* of the answer's proposals, ended by NULL */
    size_t tokens_max;        /* of the answer */
};

/* What of a turn is shown at once: all of it, if it is not long. */
struct mn_shown_piece {
    const struct mneme_event *event; /* borrowed */
    size_t turn;                     /* its number among the turns */
    const char *text;
};
struct mn_shown {
    struct mn_shown_piece *item;
    size_t count, room;
};

/* Appends the pieces of a turn, of at most bytes_max; none where all of it was recalled text. */
enum mneme_status mn_shown_add(struct mn_shown *shown, size_t turn, const struct mneme_event *event,
                               size_t bytes_max, struct mn_arena *arena, struct mneme_error *err);

/*
 * Asks world->chat about the pieces from `first` on, as many as it takes at once (at least one):
 * *ret_count. An answer that is none is asked for once more. The turn of a proposal is the place of its
 * piece behind `first`, counted from 1, and may be out of range.
 *
 * MNEME_CORRUPT and what the model fails with (model/chat.h).
 */
enum mneme_status mn_shown_ask(struct mn_world *world, const struct mn_prompt *prompt,
                               const struct mn_shown *shown, size_t first, struct mn_arena *arena,
                               size_t *ret_count, struct mn_proposals *ret_proposals,
                               struct mneme_error *err);

#endif
