/*
 * flat.c - laid out twice: once to measure, once to write.
 *
 * The pieces of a row are those that the table of fields names (memory/fields.h), so that a field
 * that is added there is copied here.
 */
#include "store/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "memory/fields.h"

#define ALIGN sizeof(void *)

struct layout {
    unsigned char *at; /* NULL: measuring */
    size_t bytes;
    uint32_t *pointer;
    size_t pointer_count;
};

/* Room for `bytes`; its place in the piece. */
static size_t take(struct layout *l, size_t bytes, size_t align)
{
    size_t place = (l->bytes + align - 1) / align * align;

    l->bytes = place + bytes;
    return place;
}

/* At `from` in the piece lies a pointer to `to` in it. */
static void point(struct layout *l, size_t from, size_t to)
{
    if (l->at) {
        const void *target = l->at + to;

        memcpy(l->at + from, &target, sizeof target);
        l->pointer[l->pointer_count] = (uint32_t)from;
    }
    l->pointer_count++;
}

static void put_text(struct layout *l, size_t from, const char *text)
{
    size_t bytes = strlen(mn_or_empty(text)) + 1;
    size_t to = take(l, bytes, 1);

    if (l->at)
        memcpy(l->at + to, mn_or_empty(text), bytes);
    point(l, from, to);
}

/* `count` pointers in a row, and what they point to. */
static size_t put_texts(struct layout *l, const char *const *text, size_t count)
{
    size_t to = take(l, count * sizeof *text, ALIGN);

    for (size_t i = 0; i < count; i++)
        put_text(l, to + i * sizeof *text, text[i]);
    return to;
}

static void put_field(struct layout *l, const struct mn_field *field, const void *memory)
{
    size_t from = offsetof(struct mn_row, memory) + field->offset;
    const void *place = (const unsigned char *)memory + field->offset;

    switch (field->kind) {
    case MN_FIELD_ID:
    case MN_FIELD_TEXT:
    case MN_FIELD_HASH:
    case MN_FIELD_OBJECT:
        put_text(l, from, *(const char *const *)place);
        break;
    case MN_FIELD_LIST: {
        const struct mneme_list *list = place;

        if (list->count)
            point(l, from + offsetof(struct mneme_list, item),
                  put_texts(l, list->item, list->count));
        break;
    }
    case MN_FIELD_PAIRS: {
        const struct mneme_pairs *pairs = place;

        /* A pair is its name and its value: two texts in a row. */
        if (pairs->count)
            point(l, from + offsetof(struct mneme_pairs, item),
                  put_texts(l, &pairs->item[0].name, 2 * pairs->count));
        break;
    }
    default:
        break; /* numbers came along with the row */
    }
}

static void put_row(struct layout *l, const void *record, size_t count)
{
    const struct mn_row *row = record;

    (void)count;
    (void)take(l, sizeof *row, ALIGN);
    if (l->at)
        memcpy(l->at, row, sizeof *row);
    for (size_t i = 0; i < mn_memory_fields.count; i++)
        put_field(l, &mn_memory_fields.item[i], &row->memory);
}

static void put_ids(struct layout *l, const void *record, size_t count)
{
    (void)put_texts(l, record, count);
}

static void *make(void (*put)(struct layout *l, const void *record, size_t count),
                  const void *record, size_t count, size_t extra, struct mn_flat *ret_flat)
{
    struct layout l = { 0 };
    unsigned char *made;

    put(&l, record, count);
    if (l.bytes > UINT32_MAX)
        return NULL;
    extra = (extra + ALIGN - 1) / ALIGN * ALIGN;
    made = malloc(extra + (l.bytes + ALIGN - 1) / ALIGN * ALIGN +
                  l.pointer_count * sizeof *l.pointer);
    if (!made)
        return NULL;
    l.at = made + extra;
    l.pointer = (uint32_t *)(void *)(l.at + (l.bytes + ALIGN - 1) / ALIGN * ALIGN);
    l.bytes = l.pointer_count = 0;
    put(&l, record, count);
    *ret_flat = (struct mn_flat){ l.bytes, l.pointer_count, l.pointer, l.at };
    return made;
}

void *mn_flat_row(const struct mn_row *row, size_t extra, struct mn_flat *ret_flat)
{
    return make(put_row, row, 1, extra, ret_flat);
}

void *mn_flat_ids(const char *const *ids, size_t count, size_t extra, struct mn_flat *ret_flat)
{
    return make(put_ids, ids, count, extra, ret_flat);
}

void *mn_flat_copy(const struct mn_flat *flat, struct mn_arena *arena)
{
    unsigned char *copy = mn_arena_room(arena, flat->bytes);

    if (!copy)
        return NULL;
    memcpy(copy, flat->at, flat->bytes);
    for (size_t i = 0; i < flat->pointer_count; i++) {
        const unsigned char *former;
        const void *now;

        memcpy(&former, copy + flat->pointer[i], sizeof former);
        now = copy + (former - (const unsigned char *)flat->at);
        memcpy(copy + flat->pointer[i], &now, sizeof now);
    }
    return copy;
}
