/*
 * summary_asked.h - the lines of a session, found by a language model.
 */
#ifndef MN_LIFECYCLE_SUMMARY_ASKED_H
#define MN_LIFECYCLE_SUMMARY_ASKED_H

#include "lifecycle/compress.h"

/* The prompt, its schema and its grammar are prompts/summarise-1.*. */
#define MN_SUMMARY_PROMPT_NAME "summarise-1"

/* Asks world->chat, and fails with what that fails with. No memory at all where no line holds. */
extern const struct mn_summarise mn_summarise_asked;

#endif
