/*
 * key.h - which candidates answer the same key.
 *
 * Inside retrieve/ only. Merging, ranking and resolving all look at the rows of one key together.
 */
#ifndef MN_RETRIEVE_KEY_H
#define MN_RETRIEVE_KEY_H

#include "base/arena.h"
#include "retrieve/candidate.h"

/* The row whose key and value the candidate answers with: its own, or one merged into it. */
const struct mneme_memory *mn_answer_of(const struct mn_candidate *candidate);

#define MN_KEY_NONE SIZE_MAX

/* *ret_group[i]: number of the key of item i, from 0 in the order of first sight, MN_KEY_NONE
 * without a key. *ret_count: how many keys. Both in the arena. */
enum mneme_status mn_key_groups(const struct mn_candidates *found, struct mn_arena *arena,
                                size_t **ret_group, size_t *ret_count, struct mneme_error *err);

/* Keys, each once. Empty: zeroed. */
struct mn_key_set {
    const char **slot; /* open addressing; NULL: free */
    size_t slot_count, count;
};
/* *ret_added: it was not in the set. The key lives as long as the arena. */
enum mneme_status mn_key_set_add(struct mn_key_set *set, struct mn_arena *arena, const char *key,
                                 bool *ret_added, struct mneme_error *err);

#endif
