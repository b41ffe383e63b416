/*
 * partition_index.c - ids to rows, and the four parts kept in step.
 */
#include "search/partition_index.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"

#define ROOM_FIRST 32
#define GROWTH 8 /* room grows by an eighth */
#define SLOTS_FIRST 64
#define ROW_BITS 24
#define ROW_PART ((UINT32_C(1) << ROW_BITS) - 1)
#define DEAD_MIN 64  /* fewer are not worth a pass over everything */
#define DEAD_SHARE 4 /* squeezed out once they are a quarter of all rows */

/* Once there are twice as many rows as when postings were laid behind each other, they are again. */
#define LOOSE_MIN 256
#define LOOSE_GROWTH 2

_Static_assert(MN_TEXT_ROWS_MAX <= ROW_PART, "a row + 1 fits");

static uint64_t next_state(void)
{
    static _Atomic uint64_t last;

    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

bool mn_partition_index_init(struct mn_partition_index *index, const struct mn_vector_space *space,
                             const struct mn_scan *scan)
{
    memset(index, 0, sizeof *index);
    index->state = next_state();
    index->documents = mn_documents_new();
    if (!index->documents)
        return false;
    if (mn_vector_index_init(&index->vector, space, scan))
        return true;
    mn_documents_release(index->documents);
    index->documents = NULL;
    return false;
}

void mn_partition_index_release(struct mn_partition_index *index)
{
    mn_documents_release(index->documents);
    free(index->document);
    free(index->language);
    free(index->passage);
    free(index->slot);
    mn_text_index_release(&index->text);
    mn_vector_index_release(&index->vector);
    mn_visible_release(&index->visible);
    mn_session_table_release(&index->sessions);
    memset(index, 0, sizeof *index);
}

/* ---- ids ---- */

static uint64_t hash_of(const char *id)
{
    return mn_hash64(id, strlen(id), 0);
}

static const char *id_of(const struct mn_partition_index *index, size_t row)
{
    return mn_documents_id(index->documents, index->document[row]);
}

static size_t home_of(const struct mn_partition_index *index, uint64_t hash)
{
    return (size_t)hash & (index->slots - 1);
}

static uint32_t mark_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ~ROW_PART;
}

static size_t row_at(const struct mn_partition_index *index, size_t slot)
{
    return (index->slot[slot] & ROW_PART) - 1;
}

/* The slot of the id, or the free one where it belongs. */
static size_t slot_of(const struct mn_partition_index *index, const char *id, uint64_t hash)
{
    size_t at = home_of(index, hash);

    while (index->slot[at] && ((index->slot[at] & ~ROW_PART) != mark_of(hash) ||
                               strcmp(id_of(index, row_at(index, at)), id) != 0))
        at = (at + 1) & (index->slots - 1);
    return at;
}

static void slot_fill(struct mn_partition_index *index, const char *id, size_t row)
{
    uint64_t hash = hash_of(id);

    index->slot[slot_of(index, id, hash)] = ((uint32_t)row + 1) | mark_of(hash);
}

static void slots_refill(struct mn_partition_index *index)
{
    if (index->slots)
        memset(index->slot, 0, index->slots * sizeof *index->slot);
    for (size_t row = 0; row < index->count; row++)
        if (index->document[row] && mn_partition_index_item(index, row) == row)
            slot_fill(index, id_of(index, row), row);
}

/* Takes one out and moves those behind it back where a gap would hide them. */
static void slot_clear(struct mn_partition_index *index, size_t gap)
{
    size_t mask = index->slots - 1;

    for (size_t at = (gap + 1) & mask; index->slot[at]; at = (at + 1) & mask) {
        size_t home = home_of(index, hash_of(id_of(index, row_at(index, at))));

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            index->slot[gap] = index->slot[at];
            gap = at;
        }
    }
    index->slot[gap] = 0;
}

size_t mn_partition_index_find(const struct mn_partition_index *index, const char *id)
{
    if (!index->slots)
        return SIZE_MAX;
    size_t slot = slot_of(index, id, hash_of(id));
    return index->slot[slot] ? row_at(index, slot) : SIZE_MAX;
}

/* ---- rows ---- */

static bool row_room(struct mn_partition_index *index)
{
    if (index->count == index->room) {
        size_t room = index->room + index->room / GROWTH + ROOM_FIRST;
        uint32_t *document = realloc(index->document, room * sizeof *document);

        if (!document)
            return false;
        index->document = document;
        uint8_t *language = realloc(index->language, room);
        if (!language)
            return false;
        index->language = language;
        if (index->passage) {
            uint8_t *passage = realloc(index->passage, room);

            if (!passage)
                return false;
            index->passage = passage;
        }
        index->room = room;
    }
    if ((index->count + 1) * 4 > index->slots * 3) {
        size_t slots = index->slots ? index->slots * 2 : SLOTS_FIRST;
        uint32_t *slot = malloc(slots * sizeof *slot);

        if (!slot)
            return false;
        free(index->slot);
        index->slot = slot;
        index->slots = slots;
        slots_refill(index);
    }
    return true;
}

static void kill_row(struct mn_partition_index *index, size_t row)
{
    mn_text_index_remove(&index->text, row);
    mn_vector_index_remove(&index->vector, row);
    mn_visible_remove(&index->visible, row);
    mn_session_table_remove(&index->sessions, row);
    index->document[row] = 0;
    index->dead++;
    index->state = next_state();
}

void mn_partition_index_drop(struct mn_partition_index *index, const char *id)
{
    size_t row = mn_partition_index_find(index, id);

    if (row == SIZE_MAX)
        return;
    slot_clear(index, slot_of(index, id, hash_of(id)));
    for (size_t count = mn_partition_index_passages(index, row) + 1; count-- > 0;)
        kill_row(index, row + count);
}

/* Does the passage belong behind the last row? *ret_number: which one of its item it is. */
static bool place_passage(struct mn_partition_index *index, const struct mn_unit *unit,
                          uint8_t *ret_number)
{
    size_t last = index->count - 1;

    if (!index->count || !index->document[last] ||
        strcmp(id_of(index, mn_partition_index_item(index, last)), unit->parent_id) != 0)
        return false;
    *ret_number = index->passage ? (uint8_t)(index->passage[last] + 1) : 1;
    if (!*ret_number)
        return false;
    if (!index->passage)
        index->passage = calloc(index->room, sizeof *index->passage);
    return index->passage;
}

/* The row's place and how it is found. */
static void end_row(struct mn_partition_index *index, const char *id, uint32_t document,
                    enum mn_language language, uint8_t passage)
{
    size_t row = index->count++;

    index->document[row] = document;
    index->language[row] = (uint8_t)language;
    if (index->passage)
        index->passage[row] = passage;
    if (!passage)
        slot_fill(index, id, row);
}

/* What the index keeps of a passage: its words and its vector are elsewhere. */
static struct mn_unit without_text(const struct mn_unit *unit)
{
    struct mn_unit bare = *unit;

    bare.memory.title = bare.memory.content = "";
    return bare;
}

bool mn_partition_index_put(struct mn_partition_index *index, const struct mn_prepared *prepared)
{
    const struct mn_unit *unit = prepared->unit;
    bool is_passage = unit->kind == MN_UNIT_PASSAGE;
    struct mn_unit bare;
    uint8_t number = 0;

    if (!is_passage)
        mn_partition_index_drop(index, unit->id);
    if (!row_room(index) || (is_passage && !place_passage(index, unit, &number)))
        return false;
    if (is_passage)
        bare = without_text(unit);
    uint32_t document = mn_documents_add(index->documents, is_passage ? &bare : unit);
    if (!document || !mn_visible_add(&index->visible, unit) ||
        !mn_text_index_add(&index->text, &prepared->text) ||
        !mn_vector_index_add(&index->vector, unit->vector, prepared->language, unit->is_event) ||
        !mn_session_table_add(&index->sessions, &prepared->session))
        return false;
    end_row(index, unit->id, document, prepared->language, number);
    index->state = next_state();
    return true;
}

bool mn_partition_index_load_row(struct mn_partition_index *index, const struct mn_unit *unit,
                                 uint32_t document, enum mn_language language)
{
    bool is_passage = unit->kind == MN_UNIT_PASSAGE;
    uint8_t number = 0;

    if ((!is_passage && mn_partition_index_find(index, unit->id) != SIZE_MAX) || !row_room(index) ||
        (is_passage && !place_passage(index, unit, &number)))
        return false;
    end_row(index, unit->id, document, language, number);
    return true;
}

/* ---- squeezing dead rows out ---- */

/* What is made anew for the rows that are alive. */
struct living {
    struct mn_documents *documents;
    uint32_t *document; /* by row, as it was */
    struct mn_text_index text;
    uint32_t *row_map;
};

static void living_release(struct living *living)
{
    mn_documents_release(living->documents);
    free(living->document);
    mn_text_index_release(&living->text);
    free(living->row_map);
}
#define LIVING_AUTO MN_CLEANUP(living_release) struct living

static bool copy_document(const struct mn_partition_index *index, size_t row, struct living *living)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct mn_unit unit;

    if (!mn_documents_read(index->documents, index->document[row], arena, &unit))
        return false;
    living->document[row] = mn_documents_add(living->documents, &unit);
    return living->document[row];
}

static bool living_make(const struct mn_partition_index *index, struct living *living)
{
    uint32_t kept = 0;

    living->documents = mn_documents_new();
    living->document = calloc(index->count + 1, sizeof *living->document);
    living->row_map = malloc((index->count + 1) * sizeof *living->row_map);
    if (!living->documents || !living->document || !living->row_map)
        return false;
    for (size_t row = 0; row < index->count; row++) {
        living->row_map[row] = index->document[row] ? kept++ : UINT32_MAX;
        if (index->document[row] && !copy_document(index, row, living))
            return false;
    }
    return mn_text_index_copy(&index->text, living->row_map, &living->text);
}

bool mn_partition_index_compact(struct mn_partition_index *index)
{
    LIVING_AUTO living = { 0 };
    size_t kept = 0;

    if (!living_make(index, &living))
        return false;
    struct mn_text_index text = index->text;
    struct mn_documents *documents = index->documents;
    index->text = living.text;
    index->documents = living.documents;
    living.text = text; /* the old ones leave */
    living.documents = documents;
    for (size_t row = 0; row < index->count; row++) {
        if (!living.document[row])
            continue;
        index->document[kept] = living.document[row];
        if (index->passage)
            index->passage[kept] = index->passage[row];
        index->language[kept++] = index->language[row];
    }
    mn_vector_index_compact(&index->vector, index->visible.alive);
    mn_visible_compact(&index->visible);
    mn_session_table_compact(&index->sessions, living.row_map);
    index->count = index->packed = kept;
    index->dead = 0;
    index->state = next_state();
    slots_refill(index);
    assert(index->text.count == kept && index->vector.count == kept &&
           index->visible.count == kept && index->sessions.count == kept);
    return true;
}

void mn_partition_index_settle(struct mn_partition_index *index, bool complete)
{
    bool is_sparse = index->dead >= DEAD_MIN && index->dead * DEAD_SHARE >= index->count;
    bool is_loose = complete && index->count >= LOOSE_MIN + LOOSE_GROWTH * index->packed;

    if (is_sparse || is_loose)
        (void)mn_partition_index_compact(index); /* else another time */
    mn_text_columns_choose(&index->text);
    mn_vector_index_recentre(&index->vector);
    index->state = next_state();
}

size_t mn_partition_index_units(const struct mn_partition_index *index)
{
    return index->count - index->dead;
}

size_t mn_partition_index_bytes(const struct mn_partition_index *index)
{
    return sizeof *index + index->room * (sizeof *index->document + sizeof *index->language) +
           (index->passage ? index->room : 0) +
           index->slots * sizeof *index->slot + mn_documents_bytes(index->documents) +
           mn_text_index_bytes(&index->text) + mn_vector_index_bytes(&index->vector) +
           mn_visible_bytes(&index->visible) + mn_session_table_bytes(&index->sessions);
}
