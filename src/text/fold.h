/*
 * fold.h - one spelling for what reads the same.
 */
#ifndef MN_TEXT_FOLD_H
#define MN_TEXT_FOLD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * As mn_text_fold() (analyze.h), but case stays, and a typographic apostrophe becomes '. The slice
 * is followed by NUL; .at is NULL when the arena is full.
 */
struct mn_str mn_fold_cased(struct mn_arena *arena, const char *text, size_t bytes);

/* The simplified form of a traditional Chinese character; any other as it is. */
int32_t mn_fold_han(int32_t code_point);

#endif
