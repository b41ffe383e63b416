/*
 * key.c - candidates by the key they answer, through a small table of open addresses.
 *
 * Keys are compared exactly: case counts.
 */
#include "retrieve/key.h"

#include <string.h>

#include "base/hash.h"
#include "base/str.h"

#define SET_SLOTS_FIRST 256

const struct mneme_memory *mn_answer_of(const struct mn_candidate *candidate)
{
    return candidate->answer ? candidate->answer : candidate->memory;
}

enum mneme_status mn_key_groups(const struct mn_candidates *found, struct mn_arena *arena,
                                size_t **ret_group, size_t *ret_count, struct mneme_error *err)
{
    size_t slot_count = 16;

    while (slot_count < found->count * 2)
        slot_count *= 2;
    size_t *group = mn_arena_array(arena, size_t, found->count + 1);
    size_t *slot = mn_arena_array(arena, size_t, slot_count); /* item + 1 that began the group */
    size_t count = 0;

    if (!group || !slot)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++) {
        const char *key = mn_answer_of(&found->item[i])->memory_key;

        group[i] = MN_KEY_NONE;
        if (mn_empty(key))
            continue;
        size_t at = mn_hash64(key, strlen(key), 0) & (slot_count - 1);
        while (slot[at] && strcmp(mn_answer_of(&found->item[slot[at] - 1])->memory_key, key) != 0)
            at = (at + 1) & (slot_count - 1);
        if (slot[at]) {
            group[i] = group[slot[at] - 1];
        } else {
            slot[at] = i + 1;
            group[i] = count++;
        }
    }
    *ret_group = group;
    *ret_count = count;
    return MNEME_OK;
}

static const char **place_of(const struct mn_key_set *set, const char *key)
{
    size_t at = mn_hash64(key, strlen(key), 0) & (set->slot_count - 1);

    while (set->slot[at] && strcmp(set->slot[at], key) != 0)
        at = (at + 1) & (set->slot_count - 1);
    return &set->slot[at];
}

static bool grow_set(struct mn_key_set *set, struct mn_arena *arena)
{
    struct mn_key_set grown = { .slot_count = set->slot_count ? set->slot_count * 2
                                                              : SET_SLOTS_FIRST,
                                .count = set->count };

    grown.slot = mn_arena_array(arena, const char *, grown.slot_count);
    if (!grown.slot)
        return false;
    for (size_t i = 0; i < set->slot_count; i++)
        if (set->slot[i])
            *place_of(&grown, set->slot[i]) = set->slot[i];
    *set = grown;
    return true;
}

enum mneme_status mn_key_set_add(struct mn_key_set *set, struct mn_arena *arena, const char *key,
                                 bool *ret_added, struct mneme_error *err)
{
    if (2 * (set->count + 1) > set->slot_count && !grow_set(set, arena))
        return mn_fail_memory(err);
    const char **place = place_of(set, key);
    *ret_added = *place == NULL;
    if (*ret_added) {
        *place = key;
        set->count++;
    }
    return MNEME_OK;
}
