/*
 * visible.c - columns over rows, judged in one pass.
 *
 * An event time filter asks for rows that happened inside it: a row without an event time is
 * outside. Types that the table does not know are judged as facts, as memory/type.h does.
 */
#include "search/visible.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"

enum { STATE_HOLDS = 1, STATE_HELD = 2 }; /* now; and in the past, where superseded says nothing */
enum { FOR_TEXT = 1, FOR_VECTOR = 2 };

#define ROWS_FIRST 64
#define SLOTS_FIRST 16

/* ---- classes ---- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return mn_hash64(mn_or_empty(text), strlen(mn_or_empty(text)), seed);
}

static uint64_t class_hash(const struct mneme_memory *memory)
{
    uint64_t hash = ((uint64_t)memory->scope_kind << 8) + (uint64_t)memory->sensitivity;

    hash = hash_text(memory->agent_id, hash);
    hash = hash_text(memory->scope_id, hash);
    hash = hash_text(memory->requires_permission, hash);
    for (size_t i = 0; i < memory->applies_to.count; i++) {
        hash = hash_text(memory->applies_to.item[i].name, hash);
        hash = hash_text(memory->applies_to.item[i].value, hash);
    }
    return hash;
}

static bool class_equal(const struct mneme_memory *a, const struct mneme_memory *b)
{
    if (a->scope_kind != b->scope_kind || a->sensitivity != b->sensitivity ||
        a->applies_to.count != b->applies_to.count || !mn_same(a->agent_id, b->agent_id) ||
        !mn_same(a->scope_id, b->scope_id) ||
        !mn_same(a->requires_permission, b->requires_permission) ||
        !mn_same(a->tenant_id, b->tenant_id) || !mn_same(a->user_id, b->user_id))
        return false;
    for (size_t i = 0; i < a->applies_to.count; i++)
        if (!mn_same(a->applies_to.item[i].name, b->applies_to.item[i].name) ||
            !mn_same(a->applies_to.item[i].value, b->applies_to.item[i].value))
            return false;
    return true;
}

/* A row that has the class's fields and nothing else. */
static struct mn_document *class_document(const struct mneme_memory *memory)
{
    struct mn_unit unit = { .memory = MNEME_MEMORY_INIT };

    unit.memory.tenant_id = memory->tenant_id;
    unit.memory.user_id = memory->user_id;
    unit.memory.agent_id = memory->agent_id;
    unit.memory.scope_kind = memory->scope_kind;
    unit.memory.scope_id = memory->scope_id;
    unit.memory.sensitivity = memory->sensitivity;
    unit.memory.requires_permission = memory->requires_permission;
    unit.memory.applies_to = memory->applies_to;
    return mn_document_new(&unit);
}

static void slot_fill(struct mn_visible *v, uint32_t class)
{
    size_t at = v->classes.item[class].hash & (v->classes.slots - 1);

    while (v->classes.slot[at])
        at = (at + 1) & (v->classes.slots - 1);
    v->classes.slot[at] = class + 1;
}

static void slots_refill(struct mn_visible *v)
{
    if (v->classes.slots)
        memset(v->classes.slot, 0, v->classes.slots * sizeof v->classes.slot[0]);
    for (uint32_t c = 0; c < v->classes.count; c++)
        slot_fill(v, c);
}

static bool class_room(struct mn_visible *v)
{
    if (v->classes.count == v->classes.room) {
        size_t room = v->classes.room ? v->classes.room * 2 : SLOTS_FIRST / 2;
        void *grown = realloc(v->classes.item, room * sizeof v->classes.item[0]);

        if (!grown)
            return false;
        v->classes.item = grown;
        v->classes.room = room;
    }
    if ((v->classes.count + 1) * 2 > v->classes.slots) {
        size_t slots = v->classes.slots ? v->classes.slots * 2 : SLOTS_FIRST;
        uint32_t *slot = calloc(slots, sizeof *slot);

        if (!slot)
            return false;
        free(v->classes.slot);
        v->classes.slot = slot;
        v->classes.slots = slots;
        slots_refill(v);
    }
    return true;
}

/* The class of a row, made when it is the first of its kind; UINT32_MAX when malloc fails. */
static uint32_t class_of(struct mn_visible *v, const struct mneme_memory *memory)
{
    uint64_t hash = class_hash(memory);

    if (!class_room(v))
        return UINT32_MAX;
    for (size_t at = hash & (v->classes.slots - 1); v->classes.slot[at];
         at = (at + 1) & (v->classes.slots - 1)) {
        uint32_t class = v->classes.slot[at] - 1;

        if (v->classes.item[class].hash == hash &&
            class_equal(&v->classes.item[class].document->unit.memory, memory))
            return class;
    }
    struct mn_document *document = class_document(memory);
    if (!document)
        return UINT32_MAX;
    uint32_t class = (uint32_t)v->classes.count++;
    v->classes.item[class] = (struct mn_visible_class){ .document = document, .hash = hash };
    v->classes.bytes += document->bytes;
    slot_fill(v, class);
    return class;
}

/* ---- rows ---- */

static bool grow(void *column, size_t room, size_t bytes)
{
    void *grown = realloc(*(void **)column, room * bytes);

    if (!grown)
        return false;
    *(void **)column = grown;
    return true;
}

static bool row_room(struct mn_visible *v)
{
    size_t room = v->room ? v->room * 2 : ROWS_FIRST;

    if (v->count < v->room)
        return true;
    /* A column that has grown before another fails is merely larger than said. */
    if (!grow(&v->alive, room / 64, sizeof *v->alive) ||
        !grow(&v->class_of, room, sizeof *v->class_of) || !grow(&v->type, room, sizeof *v->type) ||
        !grow(&v->state, room, sizeof *v->state) ||
        !grow(&v->valid_from, room, sizeof *v->valid_from) ||
        !grow(&v->valid_until, room, sizeof *v->valid_until) ||
        !grow(&v->created_at, room, sizeof *v->created_at) ||
        !grow(&v->event_time, room, sizeof *v->event_time))
        return false;
    v->room = room;
    return true;
}

/* What the row's state says by itself: everything mn_access_holds() asks but instants. */
static uint8_t state_of(const struct mn_unit *unit)
{
    struct mneme_memory timeless = unit->memory;
    struct mn_access present = { .at_ms = 1 };
    struct mn_access past = { .at_ms = 1, .as_of_ms = 1 };
    enum mn_reason reason;

    timeless.valid_from_ms = 0;
    timeless.valid_until_ms = 0;
    timeless.created_at_ms = 0;
    return (
        uint8_t)((mn_access_holds(&present, &timeless, unit->confidence, &reason) ? STATE_HOLDS
                                                                                  : 0) |
                 (mn_access_holds(&past, &timeless, unit->confidence, &reason) ? STATE_HELD : 0));
}

static uint8_t type_of(const char *name)
{
    int type = mn_type_find(name);

    if (type == MN_TYPE_NONE)
        type = mn_type_find("fact");
    return (uint8_t)type;
}

bool mn_visible_add(struct mn_visible *v, const struct mn_unit *unit)
{
    const struct mneme_memory *memory = &unit->memory;
    size_t row = v->count;

    if (!row_room(v))
        return false;
    uint32_t class = class_of(v, memory);
    if (class == UINT32_MAX)
        return false;

    v->classes.item[class].rows++;
    v->class_of[row] = class;
    v->type[row] = type_of(memory->type);
    v->state[row] = state_of(unit);
    v->valid_from[row] = memory->valid_from_ms ? memory->valid_from_ms : INT64_MIN;
    v->valid_until[row] = memory->valid_until_ms ? memory->valid_until_ms : INT64_MAX;
    v->created_at[row] = memory->created_at_ms;
    v->event_time[row] = memory->event_time_ms;
    if (row % 64 == 0)
        v->alive[row / 64] = 0;
    v->alive[row / 64] |= UINT64_C(1) << (row % 64);
    if (row == 0) {
        v->latest_from = INT64_MIN;
        v->earliest_until = INT64_MAX;
    }
    if (v->valid_from[row] > v->latest_from)
        v->latest_from = v->valid_from[row];
    if (v->valid_until[row] < v->earliest_until)
        v->earliest_until = v->valid_until[row];
    v->count++;
    return true;
}

bool mn_visible_alive(const struct mn_visible *v, size_t row)
{
    return v->alive[row / 64] >> (row % 64) & 1;
}

void mn_visible_remove(struct mn_visible *v, size_t row)
{
    v->alive[row / 64] &= ~(UINT64_C(1) << (row % 64));
    v->classes.item[v->class_of[row]].rows--;
}

static void compact_classes(struct mn_visible *v)
{
    uint32_t kept = 0;

    for (uint32_t c = 0; c < v->classes.count; c++) {
        struct mn_visible_class *class = &v->classes.item[c];

        if (class->rows) {
            class->moved = kept++;
        } else {
            v->classes.bytes -= class->document->bytes;
            free(class->document);
        }
    }
    for (size_t row = 0; row < v->count; row++) /* dead rows are gone already */
        v->class_of[row] = v->classes.item[v->class_of[row]].moved;
    for (uint32_t c = 0; c < v->classes.count; c++)
        if (v->classes.item[c].rows)
            v->classes.item[v->classes.item[c].moved] = v->classes.item[c];
    v->classes.count = kept;
    slots_refill(v);
}

void mn_visible_compact(struct mn_visible *v)
{
    size_t kept = 0;

    for (size_t row = 0; row < v->count; row++) {
        if (!mn_visible_alive(v, row))
            continue;
        v->class_of[kept] = v->class_of[row];
        v->type[kept] = v->type[row];
        v->state[kept] = v->state[row];
        v->valid_from[kept] = v->valid_from[row];
        v->valid_until[kept] = v->valid_until[row];
        v->created_at[kept] = v->created_at[row];
        v->event_time[kept] = v->event_time[row];
        kept++;
    }
    v->count = kept;
    for (size_t w = 0; w < mn_visible_words(v); w++)
        v->alive[w] = ~UINT64_C(0);
    if (kept % 64)
        v->alive[kept / 64] = (UINT64_C(1) << (kept % 64)) - 1;
    compact_classes(v);
}

/* ---- a request ---- */

size_t mn_visible_scratch_bytes(const struct mn_visible *v)
{
    return v->classes.count + 1;
}

static bool in_window(const struct mn_visible *v, const struct mn_visible_request *request,
                      size_t row)
{
    const struct mn_access *access = request->access;
    int64_t happened = v->event_time[row];

    if (v->valid_from[row] > access->at_ms || v->valid_until[row] <= access->at_ms)
        return false;
    if (access->as_of_ms && v->created_at[row] > access->as_of_ms)
        return false;
    if ((request->after_ms || request->before_ms) && !happened)
        return false;
    return !(request->after_ms && happened < request->after_ms) &&
           !(request->before_ms && happened >= request->before_ms);
}

static void judge_classes(const struct mn_visible *v, const struct mn_access *access,
                          uint8_t *reached)
{
    enum mn_reason reason;

    for (size_t c = 0; c < v->classes.count; c++) {
        const struct mn_visible_class *class = &v->classes.item[c];

        reached[c] =
            class->rows && mn_access_reaches(access, &class->document->unit.memory, &reason);
    }
}

void mn_visible_bits(const struct mn_visible *v, const struct mn_visible_request *request,
                     uint8_t *scratch, uint64_t *text_bits, uint64_t *vector_bits)
{
    const struct mn_access *access = request->access;
    uint8_t state = access->as_of_ms ? STATE_HELD : STATE_HOLDS;
    bool timed = request->after_ms || request->before_ms || access->as_of_ms ||
                 v->latest_from > access->at_ms || v->earliest_until <= access->at_ms;
    uint8_t wanted[256] = { 0 }; /* by type */

    for (int t = 0; t < mn_type_count(); t++)
        wanted[t] = (uint8_t)((request->text_types >> t & 1 ? FOR_TEXT : 0) |
                              (request->vector_types >> t & 1 ? FOR_VECTOR : 0));
    judge_classes(v, access, scratch);

    for (size_t w = 0; w < mn_visible_words(v); w++) {
        size_t first = w * 64;
        size_t rows = v->count - first < 64 ? v->count - first : 64;
        uint64_t text = 0, vector = 0;

        for (size_t i = 0; i < rows; i++) {
            size_t row = first + i;
            unsigned seen = scratch[v->class_of[row]] & ((v->state[row] & state) != 0);
            unsigned as = wanted[v->type[row]] & (0U - seen);

            text |= (uint64_t)(as & FOR_TEXT) << i;
            vector |= (uint64_t)(as >> 1) << i;
        }
        uint64_t bits = (text | vector) & v->alive[w];
        for (uint64_t left = timed ? bits : 0; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);

            if (!in_window(v, request, first + i))
                bits &= ~(UINT64_C(1) << i);
        }
        text_bits[w] = text & bits;
        vector_bits[w] = vector & bits;
    }
}

bool mn_visible_row(const struct mn_visible *v, const struct mn_visible_request *request,
                    size_t row)
{
    const struct mn_access *access = request->access;
    uint8_t state = access->as_of_ms ? STATE_HELD : STATE_HOLDS;
    enum mn_reason reason;

    return mn_visible_alive(v, row) && v->state[row] & state && in_window(v, request, row) &&
           mn_access_reaches(access, &v->classes.item[v->class_of[row]].document->unit.memory,
                             &reason);
}

size_t mn_visible_bytes(const struct mn_visible *v)
{
    size_t row = sizeof *v->class_of + sizeof *v->type + sizeof *v->state + 4 * sizeof(int64_t);

    return v->room * row + v->room / 8 + v->classes.room * sizeof v->classes.item[0] +
           v->classes.slots * sizeof v->classes.slot[0] + v->classes.bytes;
}

void mn_visible_release(struct mn_visible *v)
{
    for (size_t c = 0; c < v->classes.count; c++)
        free(v->classes.item[c].document);
    free(v->classes.item);
    free(v->classes.slot);
    free(v->alive);
    free(v->class_of);
    free(v->type);
    free(v->state);
    free(v->valid_from);
    free(v->valid_until);
    free(v->created_at);
    free(v->event_time);
    memset(v, 0, sizeof *v);
}
