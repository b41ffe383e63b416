/*
 * turns.h - for tests of what is drawn from turns: a turn of Ann's, said on a Monday.
 */
#ifndef MN_UNIT_TURNS_H
#define MN_UNIT_TURNS_H

#include "remember/draft.h"

#define TURN_SAID INT64_C(1791190800000) /* 2026-10-05, a Monday, 09:00 UTC */

/* What calls for a memory in it, and what is drawn from it at a place (NULL: the session s1 alone). A
 * failure of either fails the test. */
struct mn_calls turn_heard(struct mn_arena *arena, const char *text, const char *role);
struct mn_drafts turn_drawn(struct mn_arena *arena, const char *text, const char *role,
                            const struct mn_place *place);

const char *turn_call_name(enum mn_call call); /* for messages */

#endif
