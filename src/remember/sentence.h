/*
 * sentence.h - a turn as the sentences that its speaker says himself.
 *
 * Pure. Beside the words of a sentence stands the same with everything quoted blanked: that is what
 * rules read.
 */
#ifndef MN_REMEMBER_SENTENCE_H
#define MN_REMEMBER_SENTENCE_H

#include <stdbool.h>

#include "remember/wording.h"
#include "text/cue.h"

#define MN_QUOTED '\x01' /* stands for each byte that is no word of the speaker */

struct mn_sentence {
    struct mn_wording w;
    char *cue; /* w.lower with what is quoted blanked */
    struct mn_cue_text cues;
    bool asks;
    bool goes_on;       /* stands behind a semicolon: the rest of what was begun before it */
    size_t from, until; /* in the text of mn_sentences; w.text begins at `from` */
};

/* Does it suppose ("if", "假如") at this place of its cue? */
bool mn_sentence_supposes(const struct mn_sentence *sentence, size_t at);

struct mn_sentences {
    struct mn_arena *arena;
    const char *text; /* the speaker's own */
    const char *mask; /* with what is quoted blanked */
    size_t from, at;
    bool goes_on; /* the next one */
};

/* False when the arena is full. */
bool mn_sentences_begin(struct mn_arena *arena, const char *text, struct mn_sentences *ret_sentences);
bool mn_sentences_next(struct mn_sentences *all, struct mn_sentence *ret_sentence, bool *ret_more);

/* The text without what a recall put there; apostrophes plain, tabs blank. NULL: the arena is full. */
char *mn_own_text(struct mn_arena *arena, const char *given);

#endif
