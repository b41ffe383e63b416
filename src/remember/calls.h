/*
 * calls.h - which words of a sentence call for a memory, and where what is to be kept begins.
 *
 * Pure. One sentence at a time; how sentences belong together is trigger.c's.
 */
#ifndef MN_REMEMBER_CALLS_H
#define MN_REMEMBER_CALLS_H

#include "remember/draft.h"
#include "remember/sentence.h"

struct mn_heard {
    enum mn_call call;
    size_t from; /* of the sentence's bytes: what is said, behind openings and "no, that's wrong" */
    bool bare;   /* says only that something was wrong: what is right stands in the next sentence */
};

/* A sentence that asks nothing. user: else an assistant's, which only reports. */
struct mn_heard mn_call_of(const struct mn_sentence *sentence, bool user, struct mn_arena *scratch);

/* May it be what is right, behind a sentence that said that something was wrong? */
bool mn_call_states(const struct mn_sentence *sentence);

/* Behind signs and blanks; behind what people say before they say what they want. */
size_t mn_call_marks(const char *cue, size_t at);
size_t mn_call_openings(const char *cue, size_t at);

#endif
