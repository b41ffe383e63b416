/*
 * conversation.h - turns of conversations among themselves: one figure from their signals.
 */
#ifndef MN_RETRIEVE_CONVERSATION_H
#define MN_RETRIEVE_CONVERSATION_H

#include "retrieve/candidate.h"

/* Sets `conversation` of every candidate with a context: 0 for one that nothing speaks for, 1 for
 * the best of the pool. */
void mn_conversation_score(struct mn_candidates *found);

#endif
