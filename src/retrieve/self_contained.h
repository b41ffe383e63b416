/*
 * self_contained.h - requests that hold all they need: a transformation with what is to be
 * transformed, a calculation with its expression, a question about the syntax of a public language.
 *
 * Pure; all texts without their payload.
 */
#ifndef MN_RETRIEVE_SELF_CONTAINED_H
#define MN_RETRIEVE_SELF_CONTAINED_H

#include <stdbool.h>

#include "text/cue.h"
#include "retrieve/payload.h"

/* Does it ask to transform something: translate, summarise, convert, sort, count ...? */
bool mn_self_contained_transforms(const struct mn_cue_text *text);

/* Does it ask for the same in other words or another language? A question is a text then. */
bool mn_self_contained_rewords(const struct mn_cue_text *text);

struct mn_self_contained {
    const char
        *intent; /* "transform", "calculate", "syntax_question"; "" when memory may be needed */
    const char *reason; /* a few words for the trace */
};
struct mn_self_contained mn_self_contained_find(const struct mn_payload *payload);

/* Does it refer to the user's ways: "in my usual style", "按我的习惯"? */
bool mn_self_contained_own_ways(const struct mn_cue_text *cues);

#endif
