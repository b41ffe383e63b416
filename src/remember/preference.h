/*
 * preference.h - keys of what somebody prefers, likes, and does no longer.
 */
#ifndef MN_REMEMBER_PREFERENCE_H
#define MN_REMEMBER_PREFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "remember/draft.h"
#include "remember/wording.h"

/* Of a value that says that another holds no longer; what follows is that other value. */
#define MN_VALUE_DENIES "no longer "

/* "I prefer Go for scripts", "我喜欢深色主题", of the clause at `at`: user.programming_language.scripts,
 * go; user.preference.主题.theme, dark. */
bool mn_key_of_preference(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                          struct mn_keyed *ret_keyed);
/* "I no longer prefer dark mode", "我不再用 Go": the same key; "no longer dark", "no longer go". */
bool mn_key_of_denial(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                      struct mn_keyed *ret_keyed);
/* "I like tea", "我不再喜欢喝茶", where it is all that is said: user.likes.tea, yes; user.likes.喝茶, no. */
bool mn_key_of_liking(struct mn_arena *arena, const struct mn_wording *w,
                      struct mn_keyed *ret_keyed);

#endif
