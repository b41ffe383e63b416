/*
 * conversation.h - turns of conversations among themselves: one figure from their signals.
 */
#ifndef MN_RETRIEVE_CONVERSATION_H
#define MN_RETRIEVE_CONVERSATION_H

#include "base/arena.h"
#include "base/err.h"
#include "retrieve/candidate.h"
#include "retrieve/trace.h"

/* Sets `conversation` of every candidate with a context: 0 for one that nothing speaks for, 1 for
 * the best of the pool. */
void mn_conversation_score(struct mn_candidates *found);

/* The same, and hands the relevance that those candidates have by themselves out among them anew,
 * the highest to the one with the highest `conversation`. */
enum mneme_status mn_conversation_apply(struct mn_candidates *found, struct mn_arena *arena,
                                        struct mneme_error *err);

/* Writes every signal of every candidate with a context, scaled, into trace->signals. */
void mn_conversation_tell(const struct mn_candidates *found, struct mn_trace *trace);

#endif
