/*
 * grain.h - memories that hold several things, and pieces that only make sense together.
 */
#ifndef MN_LIFECYCLE_GRAIN_H
#define MN_LIFECYCLE_GRAIN_H

#include <stdbool.h>

#include <mneme/admin.h>

#include "base/arena.h"
#include "base/world.h"
#include "store/store.h"

struct mn_grain {
    const struct mneme_memory *memory;
    const struct mneme_memory *into; /* of a piece: what it belongs to; NULL: the memory is too coarse */
    struct mneme_list parts; /* too coarse: what its sections say, none: it is long and has none; of a
                                piece the one text of both */
};
struct mn_grains {
    struct mn_grain *item;
    size_t count, room;
};

/*
 * Pure. memories: active ones of one owner. Too coarse is one with several titled sections (text/sections.h),
 * unless it is a procedure, whose steps belong together. A piece is a short text that begins by pointing
 * elsewhere ("It listens on port 8080", "另外还要…") and was written within ten minutes behind a text
 * of the same agent, scope and type that does not; neither answers a key. One that is searched by passage
 * (text/passages.h) and has no sections is told as it is: there is nothing to do about it.
 */
enum mneme_status mn_grain_find(const struct mneme_memory *memories, size_t count,
                                struct mn_arena *arena, struct mn_grains *ret_grains,
                                struct mneme_error *err);

/* As mneme_granularity() says. */
enum mneme_status mn_grain_report(struct mn_world *world, struct mn_partition partition, bool apply,
                                  const struct mneme_change *change, mneme_grain_fn row,
                                  void *context, struct mneme_error *err);

#endif
