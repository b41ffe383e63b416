/*
 * parts.h - long turns as several events, cut where sentences end.
 */
#ifndef MN_REMEMBER_PARTS_H
#define MN_REMEMBER_PARTS_H

#include <stdbool.h>

#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"

/* Where the piece of the text that begins at `at` ends, at most bytes_max further: behind a sentence
 * where one ends in its second half, never inside a character. */
size_t mn_piece_end(const char *text, size_t bytes, size_t at, size_t bytes_max);

#define MN_TURN_WHOLE_BYTES_MAX 4096 /* longer ones are cut */
#define MN_TURN_PART_BYTES_MAX 1200

struct mn_turn_part {
    struct mneme_event event;
    size_t turn;   /* index of the turn that it is a part of */
    bool recalled; /* it is a piece of what a recall put into the turn */
};
struct mn_parts {
    struct mn_turn_part *item;
    size_t count, room;
    bool cut; /* there is a turn of more than one */
};

/*
 * The turns in their order, each as it is or as its parts. The first part has the turn's id (one is given
 * where it has none), the others the id with ".0002", ".0003" ...
 * What a recall put into a turn that is cut is cut apart, and not recallable.
 *
 * MNEME_LIMIT  a text is longer than MNEME_TURN_BYTES_MAX.
 */
enum mneme_status mn_parts_of(const struct mneme_event *turns, size_t count, int64_t now_ms,
                              struct mn_arena *arena, struct mn_parts *ret_parts,
                              struct mneme_error *err);

#endif
