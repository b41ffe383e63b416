/*
 * units.c - from an item to the units that are searched: itself, and its passages when it is long.
 *
 * Passages are no rows of the store. They follow from the text, and their vectors lie in the row of
 * the item's, behind it: so whatever erases, moves, checks or makes anew an item's vector does it for
 * its passages too. The item's own vector may be there before theirs are.
 *
 * A passage says its own text under the item's title. Keywords, entities and scenarios are the item's:
 * repeated in each passage they would make all of them alike.
 */
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "index/index.h"
#include "index/state.h"
#include "text/passages.h"

size_t mn_index_passage_count(const struct mn_unit *item)
{
    return mn_text_passage_count(strlen(mn_or_empty(item->memory.content)));
}

bool mn_index_lacks_vectors(const struct mn_unit *item)
{
    return !item->vector || item->vector_count != 1 + mn_index_passage_count(item);
}

enum mneme_status mn_index_passage(const struct mn_unit *item, size_t number,
                                   struct mn_arena *arena, struct mn_unit *ret_passage,
                                   struct mneme_error *err)
{
    static const struct mneme_list none = { 0 };
    const char *text = item->memory.content;
    struct mn_passage place = mn_text_passage(text, strlen(text), number);
    struct mn_unit passage = *item;

    passage.kind = MN_UNIT_PASSAGE;
    passage.id = mn_arena_printf(arena, "%s#%zu", item->id, number);
    passage.memory.content = mn_arena_copy_n(arena, text + place.from, place.bytes);
    if (!passage.id || !passage.memory.content)
        return mn_fail_memory(err);
    passage.memory.summary = "";
    passage.memory.keywords = passage.memory.usage_scenario = passage.memory.entities = none;
    passage.memory.provenance = none;
    passage.memory.attributes = "";
    passage.vector = mn_index_lacks_vectors(item) ? NULL : item->vector + number * item->vector_dim;
    passage.vector_count = passage.vector ? 1 : 0;
    *ret_passage = passage;
    return MNEME_OK;
}

enum mneme_status mn_index_add_passages(const struct mn_units *items, struct mn_arena *arena,
                                        struct mn_units *ret_units, struct mneme_error *err)
{
    struct mn_units units = { 0 };
    size_t passages = 0;

    for (size_t i = 0; i < items->count; i++)
        passages += mn_index_passage_count(&items->item[i]);
    if (!passages) {
        *ret_units = *items;
        return MNEME_OK;
    }
    units.room = items->count + passages;
    units.item = mn_arena_array(arena, struct mn_unit, units.room);
    if (!units.item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < items->count; i++) {
        const struct mn_unit *item = &items->item[i];
        size_t count = mn_index_passage_count(item);

        units.item[units.count++] = *item;
        for (size_t number = 1; number <= count; number++)
            MN_TRY(mn_index_passage(item, number, arena, &units.item[units.count++], err));
    }
    *ret_units = units;
    return MNEME_OK;
}
