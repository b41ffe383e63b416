/*
 * visible.c - columns over rows, judged in one pass.
 *
 * An event time filter asks for rows that happened inside it: a row without an event time is
 * outside. Types that the table does not know are judged as facts, as memory/type.h does.
 */
#include "search/visible.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/str.h"

enum { STATE_HOLDS = 1, STATE_HELD = 2 }; /* now; and in the past, where superseded says nothing */

#define ROWS_FIRST 64
#define GROWTH 8 /* room grows by an eighth */
#define SLOTS_FIRST 16

/* ---- classes ---- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return mn_hash64(mn_or_empty(text), strlen(mn_or_empty(text)), seed);
}

static uint64_t class_hash(const struct mneme_memory *memory, uint8_t type, uint8_t state)
{
    uint64_t hash = ((uint64_t)memory->scope_kind << 8) + (uint64_t)memory->sensitivity +
                    ((uint64_t)type << 16) + ((uint64_t)state << 24);

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

static size_t text_bytes(const char *text)
{
    return strlen(mn_or_empty(text)) + 1;
}

static const char *put_text(char **end, const char *text)
{
    char *copy = memcpy(*end, mn_or_empty(text), text_bytes(text));

    *end += text_bytes(text);
    return copy;
}

/* The class's fields and nothing else, in one block. */
static bool class_make(const struct mneme_memory *memory, struct mn_visible_class *ret_class)
{
    const struct mneme_pairs *pairs = &memory->applies_to;
    size_t pair_bytes = pairs->count * sizeof *pairs->item;
    size_t bytes = sizeof *memory + pair_bytes + text_bytes(memory->tenant_id) +
                   text_bytes(memory->user_id) + text_bytes(memory->agent_id) +
                   text_bytes(memory->scope_id) + text_bytes(memory->requires_permission);

    for (size_t i = 0; i < pairs->count; i++)
        bytes += text_bytes(pairs->item[i].name) + text_bytes(pairs->item[i].value);
    struct mneme_memory *copy = malloc(bytes);
    if (!copy)
        return false;
    struct mneme_pair *pair = (struct mneme_pair *)(void *)(copy + 1);
    char *end = (char *)pair + pair_bytes;
    *copy = (struct mneme_memory)MNEME_MEMORY_INIT;
    copy->tenant_id = put_text(&end, memory->tenant_id);
    copy->user_id = put_text(&end, memory->user_id);
    copy->agent_id = put_text(&end, memory->agent_id);
    copy->scope_kind = memory->scope_kind;
    copy->scope_id = put_text(&end, memory->scope_id);
    copy->sensitivity = memory->sensitivity;
    copy->requires_permission = put_text(&end, memory->requires_permission);
    for (size_t i = 0; i < pairs->count; i++) {
        pair[i].name = put_text(&end, pairs->item[i].name);
        pair[i].value = put_text(&end, pairs->item[i].value);
    }
    copy->applies_to = (struct mneme_pairs){ pair, pairs->count };
    *ret_class = (struct mn_visible_class){ .memory = copy, .bytes = bytes };
    return true;
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
static uint32_t class_of(struct mn_visible *v, const struct mneme_memory *memory, uint8_t type,
                         uint8_t state)
{
    uint64_t hash = class_hash(memory, type, state);

    if (!class_room(v))
        return UINT32_MAX;
    for (size_t at = hash & (v->classes.slots - 1); v->classes.slot[at];
         at = (at + 1) & (v->classes.slots - 1)) {
        const struct mn_visible_class *known = &v->classes.item[v->classes.slot[at] - 1];

        if (known->hash == hash && known->type == type && known->state == state &&
            class_equal(known->memory, memory))
            return v->classes.slot[at] - 1;
    }
    uint32_t class = (uint32_t)v->classes.count;
    struct mn_visible_class *made = &v->classes.item[class];
    if (!class_make(memory, made))
        return UINT32_MAX;
    made->hash = hash;
    made->type = type;
    made->state = state;
    v->classes.bytes += made->bytes;
    v->classes.count++;
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

/* A column that few rows have a value in: there is none before the first. */
static bool grow_sparse(int64_t **column, size_t room)
{
    return !*column || grow(column, room, sizeof **column);
}

static bool row_room(struct mn_visible *v)
{
    size_t room = (v->room + v->room / GROWTH + ROWS_FIRST) / 64 * 64;

    if (v->count < v->room)
        return true;
    /* A column that has grown before another fails is merely larger than said. */
    if (!grow(&v->alive, room / 64, sizeof *v->alive) ||
        !grow(&v->class_of, room, sizeof *v->class_of) ||
        !grow(&v->created_at, room, sizeof *v->created_at) ||
        !grow_sparse(&v->valid_from, room) || !grow_sparse(&v->valid_until, room) ||
        !grow_sparse(&v->event_time, room))
        return false;
    v->room = room;
    return true;
}

/* Row `count` gets its value; the rows before a column's first one are told that they have none. */
static bool put_sparse(const struct mn_visible *v, int64_t **column, int64_t value, int64_t none)
{
    if (!*column) {
        if (value == none)
            return true;
        *column = malloc(v->room * sizeof **column);
        if (!*column)
            return false;
        for (size_t row = 0; row < v->count; row++)
            (*column)[row] = none;
    }
    (*column)[v->count] = value;
    return true;
}

static int64_t sparse_at(const int64_t *column, size_t row, int64_t none)
{
    return column ? column[row] : none;
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
    int64_t from = memory->valid_from_ms ? memory->valid_from_ms : INT64_MIN;
    int64_t until = memory->valid_until_ms ? memory->valid_until_ms : INT64_MAX;
    uint32_t class = class_of(v, memory, type_of(memory->type), state_of(unit));
    if (class == UINT32_MAX || !put_sparse(v, &v->valid_from, from, INT64_MIN) ||
        !put_sparse(v, &v->valid_until, until, INT64_MAX) ||
        !put_sparse(v, &v->event_time, memory->event_time_ms, 0))
        return false;

    v->classes.item[class].rows++;
    v->class_of[row] = class;
    v->created_at[row] = memory->created_at_ms;
    if (row % 64 == 0)
        v->alive[row / 64] = 0;
    v->alive[row / 64] |= UINT64_C(1) << (row % 64);
    if (row == 0) {
        v->latest_from = INT64_MIN;
        v->earliest_until = INT64_MAX;
    }
    if (from > v->latest_from)
        v->latest_from = from;
    if (until < v->earliest_until)
        v->earliest_until = until;
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
            v->classes.bytes -= class->bytes;
            free(class->memory);
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

static void move_sparse(int64_t *column, size_t from, size_t to)
{
    if (column)
        column[to] = column[from];
}

void mn_visible_compact(struct mn_visible *v)
{
    size_t kept = 0;

    for (size_t row = 0; row < v->count; row++) {
        if (!mn_visible_alive(v, row))
            continue;
        v->class_of[kept] = v->class_of[row];
        v->created_at[kept] = v->created_at[row];
        move_sparse(v->valid_from, row, kept);
        move_sparse(v->valid_until, row, kept);
        move_sparse(v->event_time, row, kept);
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

static bool in_window(const struct mn_visible *v, const struct mn_visible_request *request,
                      size_t row)
{
    const struct mn_access *access = request->access;
    int64_t happened = sparse_at(v->event_time, row, 0);

    if (sparse_at(v->valid_from, row, INT64_MIN) > access->at_ms ||
        sparse_at(v->valid_until, row, INT64_MAX) <= access->at_ms)
        return false;
    if (access->as_of_ms && v->created_at[row] > access->as_of_ms)
        return false;
    if ((request->after_ms || request->before_ms) && !happened)
        return false;
    return !(request->after_ms && happened < request->after_ms) &&
           !(request->before_ms && happened >= request->before_ms);
}

size_t mn_visible_verdict_count(const struct mn_visible *v)
{
    return v->classes.count + 1;
}

static uint8_t verdict_of(const struct mn_visible_request *request,
                          const struct mn_visible_class *class)
{
    const struct mn_access *access = request->access;
    uint8_t state = access->as_of_ms ? STATE_HELD : STATE_HOLDS;
    enum mn_reason reason;

    if (!class->rows || !(class->state & state) ||
        !mn_access_reaches(access, class->memory, &reason))
        return 0;
    return (uint8_t)(MN_VISIBLE_AS_ANY |
                     (request->text_types >> class->type & 1 ? MN_VISIBLE_AS_TEXT : 0) |
                     (request->vector_types >> class->type & 1 ? MN_VISIBLE_AS_VECTOR : 0));
}

struct mn_visible_judged mn_visible_judge(const struct mn_visible *v,
                                          const struct mn_visible_request *request,
                                          uint8_t *verdict)
{
    const struct mn_access *access = request->access;

    for (size_t c = 0; c < v->classes.count; c++)
        verdict[c] = verdict_of(request, &v->classes.item[c]);
    return (struct mn_visible_judged){
        .visible = v,
        .request = request,
        .verdict = verdict,
        .timed = request->after_ms || request->before_ms || access->as_of_ms ||
                 v->latest_from > access->at_ms || v->earliest_until <= access->at_ms,
    };
}

/* Are all 64 of one class? Rows that were written together often are. */
static bool is_uniform(const uint32_t class[64])
{
    uint32_t other = 0;

    for (size_t i = 0; i < 64; i++)
        other |= class[i] ^ class[0];
    return !other;
}

/* One bit for each of the rows from `first` on, as their classes are judged. */
static void judge_rows(const struct mn_visible_judged *judged, size_t first, size_t rows,
                       uint64_t *ret_text, uint64_t *ret_vector)
{
    const uint32_t *class = judged->visible->class_of + first;
    uint8_t as[64] = { 0 };

    *ret_text = *ret_vector = 0;
    if (rows == 64 && is_uniform(class)) {
        *ret_text = judged->verdict[class[0]] & MN_VISIBLE_AS_TEXT ? UINT64_MAX : 0;
        *ret_vector = judged->verdict[class[0]] & MN_VISIBLE_AS_VECTOR ? UINT64_MAX : 0;
        return;
    }
    for (size_t i = 0; i < rows; i++)
        as[i] = judged->verdict[class[i]];
    for (unsigned i = 0; i < 64; i += 8) {
        *ret_text |= mn_bits_gather(as + i, 0) << i;
        *ret_vector |= mn_bits_gather(as + i, 1) << i;
    }
}

void mn_visible_bits(const struct mn_visible_judged *judged, uint64_t *text_bits,
                     uint64_t *vector_bits)
{
    const struct mn_visible *v = judged->visible;

    for (size_t w = 0; w < mn_visible_words(v); w++) {
        size_t first = w * 64;
        size_t rows = v->count - first < 64 ? v->count - first : 64;
        uint64_t text, vector;

        judge_rows(judged, first, rows, &text, &vector);
        uint64_t bits = (text | vector) & v->alive[w];
        for (uint64_t left = judged->timed ? bits : 0; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);

            if (!in_window(v, judged->request, first + i))
                bits &= ~(UINT64_C(1) << i);
        }
        text_bits[w] = text & bits;
        vector_bits[w] = vector & bits;
    }
}

bool mn_visible_row(const struct mn_visible_judged *judged, size_t row)
{
    const struct mn_visible *v = judged->visible;

    return mn_visible_alive(v, row) && judged->verdict[v->class_of[row]] & MN_VISIBLE_AS_ANY &&
           (!judged->timed || in_window(v, judged->request, row));
}

size_t mn_visible_bytes(const struct mn_visible *v)
{
    size_t instants =
        1 + (v->valid_from != NULL) + (v->valid_until != NULL) + (v->event_time != NULL);
    size_t row = sizeof *v->class_of + instants * sizeof(int64_t);

    return v->room * row + v->room / 8 + v->classes.room * sizeof v->classes.item[0] +
           v->classes.slots * sizeof v->classes.slot[0] + v->classes.bytes;
}

void mn_visible_release(struct mn_visible *v)
{
    for (size_t c = 0; c < v->classes.count; c++)
        free(v->classes.item[c].memory);
    free(v->classes.item);
    free(v->classes.slot);
    free(v->alive);
    free(v->class_of);
    free(v->valid_from);
    free(v->valid_until);
    free(v->created_at);
    free(v->event_time);
    memset(v, 0, sizeof *v);
}
