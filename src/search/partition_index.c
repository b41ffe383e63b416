/*
 * partition_index.c - ids to rows, and the four parts kept in step.
 */
#include "search/partition_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define ROWS_FIRST 64
#define DEAD_MIN 64  /* fewer are not worth a pass over everything */
#define DEAD_SHARE 4 /* squeezed out once they are a quarter of all rows */

bool mn_partition_index_init(struct mn_partition_index *index, const struct mn_vector_space *space,
                             const struct mn_scan *scan)
{
    memset(index, 0, sizeof *index);
    return mn_vector_index_init(&index->vector, space, scan);
}

void mn_partition_index_release(struct mn_partition_index *index)
{
    for (size_t row = 0; row < index->count; row++)
        mn_document_release(index->document[row]);
    free(index->document);
    free(index->language);
    free(index->slot);
    mn_text_index_release(&index->text);
    mn_vector_index_release(&index->vector);
    mn_visible_release(&index->visible);
    mn_session_table_release(&index->sessions);
    memset(index, 0, sizeof *index);
}

/* ---- ids ---- */

static uint32_t hash_of(const char *id)
{
    return (uint32_t)mn_hash64(id, strlen(id), 0);
}

static const char *id_at(const struct mn_partition_index *index, size_t slot)
{
    return index->document[index->slot[slot].row - 1]->unit.id;
}

/* The slot of the id, or the free one where it belongs. */
static struct mn_id_slot *slot_of(const struct mn_partition_index *index, const char *id,
                                  uint32_t hash)
{
    size_t at = hash & (index->slots - 1);

    while (index->slot[at].row &&
           (index->slot[at].hash != hash || strcmp(id_at(index, at), id) != 0))
        at = (at + 1) & (index->slots - 1);
    return &index->slot[at];
}

static void slot_fill(struct mn_partition_index *index, const char *id, size_t row)
{
    uint32_t hash = hash_of(id);

    *slot_of(index, id, hash) = (struct mn_id_slot){ (uint32_t)row + 1, hash };
}

static void slots_refill(struct mn_partition_index *index)
{
    memset(index->slot, 0, index->slots * sizeof *index->slot);
    for (size_t row = 0; row < index->count; row++)
        if (index->document[row])
            slot_fill(index, index->document[row]->unit.id, row);
}

/* Takes one out and moves those behind it back where a gap would hide them. */
static void slot_clear(struct mn_partition_index *index, size_t gap)
{
    size_t mask = index->slots - 1;

    for (size_t at = (gap + 1) & mask; index->slot[at].row; at = (at + 1) & mask) {
        size_t home = index->slot[at].hash & mask;

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            index->slot[gap] = index->slot[at];
            gap = at;
        }
    }
    index->slot[gap] = (struct mn_id_slot){ 0 };
}

size_t mn_partition_index_find(const struct mn_partition_index *index, const char *id)
{
    if (!index->slots)
        return SIZE_MAX;
    uint32_t row = slot_of(index, id, hash_of(id))->row;
    return row ? row - 1 : SIZE_MAX;
}

/* ---- rows ---- */

static bool row_room(struct mn_partition_index *index)
{
    if (index->count == index->room) {
        size_t room = index->room ? index->room * 2 : ROWS_FIRST;
        struct mn_document **document = realloc(index->document, room * sizeof *document);

        if (!document)
            return false;
        index->document = document;
        uint8_t *language = realloc(index->language, room);
        if (!language)
            return false;
        index->language = language;
        index->room = room;
    }
    if ((index->count + 1) * 2 > index->slots) {
        size_t slots = index->slots ? index->slots * 2 : 2 * ROWS_FIRST;
        struct mn_id_slot *slot = malloc(slots * sizeof *slot);

        if (!slot)
            return false;
        free(index->slot);
        index->slot = slot;
        index->slots = slots;
        slots_refill(index);
    }
    return true;
}

void mn_partition_index_drop(struct mn_partition_index *index, const char *id)
{
    size_t row = mn_partition_index_find(index, id);

    if (row == SIZE_MAX)
        return;
    slot_clear(index, (size_t)(slot_of(index, id, hash_of(id)) - index->slot));
    mn_text_index_remove(&index->text, row);
    mn_vector_index_remove(&index->vector, row);
    mn_visible_remove(&index->visible, row);
    mn_session_table_remove(&index->sessions, row);
    index->document_bytes -= index->document[row]->bytes;
    mn_document_release(index->document[row]);
    index->document[row] = NULL;
    index->dead++;
}

bool mn_partition_index_put(struct mn_partition_index *index, struct mn_prepared *prepared)
{
    size_t row = index->count;

    mn_partition_index_drop(index, prepared->document->unit.id);
    if (!row_room(index) || !mn_visible_add(&index->visible, prepared->unit) ||
        !mn_text_index_add(&index->text, &prepared->text) ||
        !mn_vector_index_add(&index->vector, prepared->unit->vector, prepared->language,
                             prepared->unit->is_event) ||
        !mn_session_table_add(&index->sessions, &prepared->session))
        return false;
    index->document[row] = prepared->document;
    index->document_bytes += prepared->document->bytes;
    index->language[row] = (uint8_t)prepared->language;
    index->count++;
    slot_fill(index, prepared->document->unit.id, row);
    prepared->document = NULL;
    return true;
}

/* Squeezes dead rows out, if there is memory for the two maps it takes; else another time. */
static void compact(struct mn_partition_index *index)
{
    uint32_t *row_map = malloc((index->count + index->text.terms.count + 1) * sizeof *row_map);
    uint32_t kept = 0;

    if (!row_map)
        return;
    for (size_t row = 0; row < index->count; row++) {
        row_map[row] = index->document[row] ? kept : UINT32_MAX;
        if (!index->document[row])
            continue;
        index->document[kept] = index->document[row];
        index->language[kept++] = index->language[row];
    }
    mn_text_index_compact(&index->text, row_map, row_map + index->count);
    mn_vector_index_compact(&index->vector, index->visible.alive);
    mn_visible_compact(&index->visible);
    mn_session_table_compact(&index->sessions, row_map);
    free(row_map);
    index->count = kept;
    index->dead = 0;
    slots_refill(index);
    assert(index->text.count == kept && index->vector.count == kept &&
           index->visible.count == kept && index->sessions.count == kept);
}

void mn_partition_index_settle(struct mn_partition_index *index)
{
    if (index->dead >= DEAD_MIN && index->dead * DEAD_SHARE >= index->count)
        compact(index);
    mn_vector_index_recentre(&index->vector);
}

size_t mn_partition_index_units(const struct mn_partition_index *index)
{
    return index->count - index->dead;
}

size_t mn_partition_index_bytes(const struct mn_partition_index *index)
{
    return sizeof *index + index->room * (sizeof *index->document + sizeof *index->language) +
           index->slots * sizeof *index->slot + index->document_bytes +
           mn_text_index_bytes(&index->text) + mn_vector_index_bytes(&index->vector) +
           mn_visible_bytes(&index->visible) + mn_session_table_bytes(&index->sessions);
}
