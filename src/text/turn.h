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

struct mn_turn_cues {
    bool asks;                /* holds a question mark */
    bool asks_at_its_end;     /* and nothing but quotation marks behind it */
    bool of_self;             /* I, my, we, our; 我 */
    bool has_time;            /* a month, a weekday, a year, "last", "recently", 昨天, 三月 */
    bool has_past_or_to_come; /* counted from the day of the turn: "yesterday", "two years ago" */
    bool has_number;
    uint8_t names; /* capitalised words within sentences, 0..MN_TURN_NAMES_MAX */
};

struct mn_turn_cues mn_turn_read(const char *text, size_t bytes);

#endif
