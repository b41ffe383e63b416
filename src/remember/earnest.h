/*
 * earnest.h - does the speaker mean what a sentence says?
 */
#ifndef MN_REMEMBER_EARNEST_H
#define MN_REMEMBER_EARNEST_H

#include <stdbool.h>

#include "remember/sentence.h"

/* A task that carries its text ("translate: ...", "write an email saying ..."), or a line of a
 * transcript ("User: ..."). *ret_rest: so is all that stands behind the sentence. */
bool mn_earnest_carries(const struct mn_sentence *s, bool *ret_rest);

/* "Just kidding", "haha". *ret_bare: it says nothing else, and takes back what was said before it. */
bool mn_earnest_jokes(const struct mn_sentence *s, bool *ret_bare);

/* It tells of what did not happen: wishes, dreams, doubts, "we almost decided". */
bool mn_earnest_unreal(const struct mn_sentence *s);

/* Somebody else says it: "my boss says: ...", 文档里说…. */
bool mn_earnest_hearsay(const struct mn_sentence *s);

#endif
