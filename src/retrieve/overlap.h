/*
 * overlap.h - how much of a request a memory's labels name.
 */
#ifndef MN_RETRIEVE_OVERLAP_H
#define MN_RETRIEVE_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "retrieve/stages.h"

/* Which triples of bytes a text holds: says at once that a longer piece is not in it. */
struct mn_shape {
    uint64_t bits[8];
};

/* What is read of the request, prepared once; and room that is used again for each memory. */
struct mn_overlap {
    const struct mn_plan *plan;
    const struct mneme_signals *signals;
    struct mn_arena *arena;
    struct mn_str request; /* folded */
    struct mn_shape request_shape;
    struct mn_buf labels; /* of one memory; released by mn_overlap_release() */
    struct mn_shape labels_shape;
    const char **path; /* folded */
    size_t path_count;
    struct {
        const char *name; /* borrowed: must outlive this */
        bool named;
    } known[16]; /* modules and categories are few and asked about again and again */
    size_t known_count;
};
enum mneme_status mn_overlap_init(struct mn_overlap *overlap, const struct mn_plan *plan,
                                  const struct mneme_signals *signals, struct mn_arena *arena,
                                  struct mneme_error *err);
void mn_overlap_release(struct mn_overlap *overlap);
#define MN_OVERLAP_AUTO MN_CLEANUP(mn_overlap_release) struct mn_overlap

/* 0..1, over keywords, entities and usage_scenario. */
enum mneme_status mn_overlap_of(struct mn_overlap *overlap, const struct mneme_memory *memory,
                                double *ret_overlap, struct mneme_error *err);

/* Does the request, or one of the paths it touches, name this (a module, a category)? */
enum mneme_status mn_overlap_names(struct mn_overlap *overlap, const char *name, bool *ret_names,
                                   struct mneme_error *err);

#endif
