/*
 * documents.c - names and frames by their hashes, documents by their addresses.
 */
#include "search/documents.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fetch.h"
#include "base/hash.h"
#include "base/str.h"
#include "search/blocks.h"
#include "search/packed.h"

#define SLOTS_FIRST 16
#define USUAL_BYTES 4096 /* larger ones are packed in memory of their own */
#define LENGTH_BYTES_MAX 5
#define FETCHED_BYTES 128

struct mn_documents {
    atomic_size_t users;
    struct mn_blocks blocks; /* documents, their lengths before them, and the bytes of names */
    struct mn_document_tables tables;
    uint32_t *name_slot; /* hash table: number + 1; 0 is free */
    size_t name_slots;   /* a power of two */
    uint32_t *frame_slot;
    size_t frame_slots;
};

/* ---- names and frames ---- */

static bool grow(void *column, size_t *room, size_t bytes)
{
    size_t more = *room + *room / 4 + 8;
    void *grown = realloc(*(void **)column, more * bytes);

    if (!grown)
        return false;
    *(void **)column = grown;
    *room = more;
    return true;
}

static uint64_t hash_name(const char *name)
{
    return mn_hash64(name, strlen(name), 0);
}

static uint64_t hash_frame(const struct mn_document_frame *frame)
{
    return mn_hash64(frame, sizeof *frame, 0);
}

/* Room for one more; the table is filled anew by `hash` of each number. */
static bool slots_grow(uint32_t **slot, size_t *slots, size_t count,
                       uint64_t (*hash)(const struct mn_documents *d, size_t number),
                       const struct mn_documents *d)
{
    size_t more = *slots ? *slots * 2 : SLOTS_FIRST;
    uint32_t *grown;

    if ((count + 1) * 4 <= *slots * 3)
        return true;
    grown = calloc(more, sizeof *grown);
    if (!grown)
        return false;
    free(*slot);
    *slot = grown;
    *slots = more;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash(d, i) & (more - 1);

        while (grown[at])
            at = (at + 1) & (more - 1);
        grown[at] = (uint32_t)i + 1;
    }
    return true;
}

static uint64_t hash_name_at(const struct mn_documents *d, size_t number)
{
    return hash_name(d->tables.name[number]);
}

static uint64_t hash_frame_at(const struct mn_documents *d, size_t number)
{
    return hash_frame(&d->tables.frame[number]);
}

/* The number of a name, kept when it is new; UINT32_MAX when malloc fails. */
static uint32_t name_of(struct mn_documents *d, const char *text)
{
    const char *name = mn_or_empty(text);

    if (!slots_grow(&d->name_slot, &d->name_slots, d->tables.name_count, hash_name_at, d))
        return UINT32_MAX;
    size_t at = hash_name(name) & (d->name_slots - 1);
    for (; d->name_slot[at]; at = (at + 1) & (d->name_slots - 1))
        if (!strcmp(d->tables.name[d->name_slot[at] - 1], name))
            return d->name_slot[at] - 1;
    if (d->tables.name_count == d->tables.name_room &&
        !grow(&d->tables.name, &d->tables.name_room, sizeof *d->tables.name))
        return UINT32_MAX;
    size_t bytes = strlen(name) + 1;
    uint32_t address = mn_blocks_add(&d->blocks, bytes);
    if (address == MN_BLOCKS_NOWHERE)
        return UINT32_MAX;
    d->tables.name[d->tables.name_count++] = memcpy(mn_blocks_at(&d->blocks, address), name, bytes);
    d->name_slot[at] = (uint32_t)d->tables.name_count;
    return d->name_slot[at] - 1;
}

/* The number of a frame, kept when it is new; UINT32_MAX when malloc fails. */
static uint32_t keep_frame(struct mn_documents *d, const struct mn_document_frame *frame)
{
    struct mn_document_tables *t = &d->tables;

    if (!slots_grow(&d->frame_slot, &d->frame_slots, t->frame_count, hash_frame_at, d))
        return UINT32_MAX;
    size_t at = hash_frame(frame) & (d->frame_slots - 1);
    for (; d->frame_slot[at]; at = (at + 1) & (d->frame_slots - 1))
        if (!memcmp(&t->frame[d->frame_slot[at] - 1], frame, sizeof *frame))
            return d->frame_slot[at] - 1;
    if (t->frame_count == t->frame_room && !grow(&t->frame, &t->frame_room, sizeof *t->frame))
        return UINT32_MAX;
    t->frame[t->frame_count++] = *frame;
    d->frame_slot[at] = (uint32_t)t->frame_count;
    return d->frame_slot[at] - 1;
}

static uint32_t frame_of(struct mn_documents *d, struct mn_unit *unit)
{
    struct mn_document_frame frame = { 0 };

    mn_frame_numbers(unit, &frame);
    for (size_t i = 0; i < MN_FRAME_NAMES; i++) {
        frame.name[i] = name_of(d, *mn_frame_name(unit, i));
        if (frame.name[i] == UINT32_MAX)
            return UINT32_MAX;
    }
    return keep_frame(d, &frame);
}

/* ---- documents ---- */

/* Its length first. */
static uint32_t keep(struct mn_documents *d, const char *document, size_t bytes)
{
    char length[MN_PACKED_NUMBER_BYTES_MAX];
    size_t length_bytes = (size_t)(mn_pack_number(length, bytes) - length);
    uint32_t at = bytes <= UINT32_MAX ? mn_blocks_add(&d->blocks, length_bytes + bytes)
                                      : MN_BLOCKS_NOWHERE;

    if (at == MN_BLOCKS_NOWHERE)
        return at;
    char *to = mn_blocks_at(&d->blocks, at);
    memcpy(to, length, length_bytes);
    memcpy(to + length_bytes, document, bytes);
    return at;
}

uint32_t mn_documents_add(struct mn_documents *d, const struct mn_unit *given)
{
    struct mn_unit unit = *given;
    struct mn_document_numbers numbers = { .frame = frame_of(d, &unit) };
    size_t most = mn_document_bytes_most(&unit);
    char usual[USUAL_BYTES];

    if (!mn_empty(unit.session_id))
        numbers.session = name_of(d, unit.session_id);
    if (!mn_empty(unit.speaker))
        numbers.speaker = name_of(d, unit.speaker);
    if (numbers.frame == UINT32_MAX || numbers.session == UINT32_MAX ||
        numbers.speaker == UINT32_MAX)
        return MN_BLOCKS_NOWHERE;
    char *document = most <= sizeof usual ? usual : malloc(most);
    if (!document)
        return MN_BLOCKS_NOWHERE;
    uint32_t at = keep(d, document, mn_document_pack(&unit, &numbers, document));
    if (document != usual)
        free(document);
    return at;
}

const char *mn_documents_at(const struct mn_documents *d, uint32_t at, size_t *ret_bytes)
{
    const char *length = mn_blocks_at(&d->blocks, at);
    struct mn_packed packed = { length, length + LENGTH_BYTES_MAX, false };

    *ret_bytes = (size_t)mn_packed_number(&packed);
    return packed.at;
}

bool mn_documents_read(const struct mn_documents *d, uint32_t at, struct mn_arena *arena,
                       struct mn_unit *ret_unit)
{
    size_t bytes;
    const char *document = mn_documents_at(d, at, &bytes);

    return mn_document_read(document, bytes, &d->tables, arena, ret_unit);
}

const char *mn_documents_id(const struct mn_documents *d, uint32_t at)
{
    size_t bytes;
    const char *document = mn_documents_at(d, at, &bytes);

    return mn_document_id(document, bytes);
}

void mn_documents_fetch(const struct mn_documents *d, uint32_t at)
{
    mn_fetch_bytes(mn_blocks_at(&d->blocks, at), FETCHED_BYTES);
}

/* ---- in a segment ---- */

void mn_documents_save_tables(const struct mn_documents *d, struct mn_buf *out)
{
    const struct mn_document_tables *t = &d->tables;

    mn_packed_put_number(out, t->name_count);
    for (size_t i = 0; i < t->name_count; i++)
        mn_packed_put_text(out, t->name[i]);
    mn_packed_put_number(out, t->frame_count);
    mn_buf_put(out, t->frame, t->frame_count * sizeof *t->frame);
}

bool mn_documents_load_tables(struct mn_documents *d, struct mn_packed *in)
{
    size_t names = mn_packed_count(in, 2);

    for (uint32_t i = 0; i < names && !in->bad; i++)
        if (name_of(d, mn_packed_text(in)) != i) /* there twice, or no memory */
            return false;
    size_t frames = mn_packed_count(in, sizeof(struct mn_document_frame));
    for (uint32_t i = 0; i < frames && !in->bad; i++) {
        struct mn_document_frame frame;

        mn_packed_copy(in, &frame, sizeof frame);
        for (size_t n = 0; n < MN_FRAME_NAMES; n++)
            if (frame.name[n] >= names)
                return false;
        if (keep_frame(d, &frame) != i)
            return false;
    }
    return !in->bad;
}

uint32_t mn_documents_load(struct mn_documents *d, const char *document, size_t bytes,
                           struct mn_arena *arena, struct mn_unit *ret_unit)
{
    if (!mn_document_read(document, bytes, &d->tables, arena, ret_unit))
        return MN_BLOCKS_NOWHERE;
    return keep(d, document, bytes);
}

/* ---- the whole ---- */

struct mn_documents *mn_documents_new(void)
{
    struct mn_documents *d = calloc(1, sizeof *d);

    if (d)
        atomic_init(&d->users, 1);
    return d;
}

void mn_documents_release(struct mn_documents *d)
{
    if (!d || atomic_fetch_sub_explicit(&d->users, 1, memory_order_acq_rel) != 1)
        return;
    mn_blocks_release(&d->blocks);
    free(d->tables.name);
    free(d->tables.frame);
    free(d->name_slot);
    free(d->frame_slot);
    free(d);
}

static void release(void *documents)
{
    mn_documents_release(documents);
}

bool mn_documents_hold(struct mn_documents *d, struct mn_arena *arena)
{
    if (!mn_arena_at_end(arena, release, d))
        return false;
    atomic_fetch_add_explicit(&d->users, 1, memory_order_relaxed);
    return true;
}

size_t mn_documents_bytes(const struct mn_documents *d)
{
    return sizeof *d + mn_blocks_bytes(&d->blocks) + d->tables.name_room * sizeof *d->tables.name +
           d->tables.frame_room * sizeof *d->tables.frame +
           (d->name_slots + d->frame_slots) * sizeof *d->name_slot;
}
