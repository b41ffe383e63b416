/*
 * turn.h - what can be told of a turn of a conversation before anybody asks for it.
 *
 * Pure. A turn that tells of the speaker's own life, with names and times, is what questions are
 * about; a turn that asks back or agrees seldom is. English and Chinese.
 */
#ifndef MN_TEXT_TURN_H
#define MN_TEXT_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MN_TURN_NAMES_MAX 3

/* One byte: an index holds one a turn. */
struct mn_turn_cues {
    bool asks : 1;                /* holds a question mark */
    bool asks_at_its_end : 1;     /* and nothing but quotation marks behind it */
    bool of_self : 1;             /* I, my, we, our; 我 */
    bool has_time : 1;            /* a month, a weekday, a year, "last", "recently", 昨天, 三月 */
    bool has_past_or_to_come : 1; /* counted from the day of the turn: "yesterday", "two years ago" */
    bool has_number : 1;
    uint8_t names : 2; /* capitalised words within sentences, 0..MN_TURN_NAMES_MAX */
};

struct mn_turn_cues mn_turn_read(const char *text, size_t bytes);

#endif
