/*
 * question.h - how the user is asked which of several memories holds.
 */
#ifndef MN_RETRIEVE_QUESTION_H
#define MN_RETRIEVE_QUESTION_H

#include "retrieve/candidate.h"

/* In the language given (Chinese, else English); names each rival's value, or the beginning of its
 * text. NULL when the arena is full. */
const char *mn_question(enum mn_language language, const struct mn_candidate *const *rivals,
                        size_t count, struct mn_arena *arena);

#endif
