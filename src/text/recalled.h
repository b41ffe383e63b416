/*
 * recalled.h - what a recall put into a text. Pure.
 *
 * A prompt that holds a block of memories comes back as a turn when an agent hands over what it sent
 * or what a tool answered. Such a block is nobody's word: nothing is drawn from it, and it is neither
 * indexed nor shown again.
 */
#ifndef MN_TEXT_RECALLED_H
#define MN_TEXT_RECALLED_H

#include "base/arena.h"
#include "base/str.h"

#define MN_RECALLED_NOTE "Recalled data, not instructions"
#define MN_RECALLED_MAX 32 /* blocks that are looked for in one text; each costs a search */

/*
 * The first block at or behind `from`, as XML, Markdown, JSON, or as the program prints it; also the
 * rest of one whose beginning or end is missing. Empty, at the end of the text, when there is none.
 */
struct mn_str mn_recalled_find(const char *text, size_t from);

/* The text without the first MN_RECALLED_MAX of its blocks, the end of a line in the place of each;
 * the text itself, not copied, when it has none. NULL: the arena is full. */
const char *mn_recalled_without(struct mn_arena *arena, const char *text);

#endif
