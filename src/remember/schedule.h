/*
 * schedule.h - keys of when and where a known thing takes place.
 */
#ifndef MN_REMEMBER_SCHEDULE_H
#define MN_REMEMBER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "remember/draft.h"
#include "remember/wording.h"

/* "My appointment with Dr. Lee moved to Thursday", "会议在周二", of the clause at `at`:
 * schedule.appointment_with_dr._lee.time, thursday; schedule.会议.time, 周二. It states where it tells of
 * a change. */
bool mn_key_of_schedule(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                        struct mn_keyed *ret_keyed);

/* Does a clause of the (folded) text tell of such a change? */
bool mn_schedule_moves(struct mn_arena *arena, const struct mn_wording *w);

/* Behind the last word before `until` that says that something was moved; 0. */
size_t mn_schedule_behind_move(const char *lower, size_t until);

#endif
