/*
 * document.c - packing and reading units.
 *
 * A document is: how many bytes follow, four bytes of bits, the id, the number of its frame (what
 * units of one kind have in common: names and enumerations), numbers, then texts, the long ones
 * last. Numbers have seven bits a byte; instants are told as distances from the creation; a share of
 * one hundred steps is one byte. A text is its length, its bytes and a NUL, so that it can be shown
 * as it lies there. A digest is 32 bytes and becomes text when it is read.
 *
 * Writing and reading name the fields in one order. A field that is forgotten here is missed by the
 * test, which walks the whole record.
 */
#include "search/document.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "search/blocks.h"

#define FRAME_TEXTS 9
#define NUMBER_BYTES_MAX 10
#define SLOTS_FIRST 16
#define USUAL_BYTES 4096 /* larger ones are packed in memory of their own */
#define HUNDRED 100
#define WHOLE_DOUBLE 255 /* in the place of hundredths: eight bytes follow */

/* What is there. */
enum {
    HAS_PARENT = 1 << 0, /* another than the id */
    HAS_MEMORY_ID = 1 << 1,
    HAS_CONFIDENCE = 1 << 2, /* of the unit, another than the memory's */
    HAS_SESSION = 1 << 3,
    HAS_SPEAKER = 1 << 4,
    HAS_ORDER = 1 << 5,
    HAS_FROM = 1 << 6,
    HAS_UNTIL = 1 << 7,
    HAS_EVENT_TIME = 1 << 8,
    HAS_UPDATED = 1 << 9, /* another instant than the creation */
    HAS_CONFIRMED = 1 << 10,
    HAS_VERSION = 1 << 11, /* other than 1 */
    HAS_REVISION = 1 << 12,
    HAS_KEY = 1 << 13,
    HAS_VALUE = 1 << 14,
    HAS_TITLE = 1 << 15,
    HAS_SUMMARY = 1 << 16,
    SUMMARY_IS_CONTENT = 1 << 17,
    HAS_SUPERSEDES = 1 << 18,
    HAS_ATTRIBUTES = 1 << 19,
    HAS_KEYWORDS = 1 << 20,
    HAS_SCENARIO = 1 << 21,
    HAS_ENTITIES = 1 << 22,
    HAS_PROVENANCE = 1 << 23,
    HAS_APPLIES_TO = 1 << 24,
    HAS_DIGEST = 1 << 25, /* content_hash as 32 bytes */
    HAS_HASH = 1 << 26,   /* content_hash as it is */
    HAS_CONTENT = 1 << 27
};

struct frame {
    uint32_t name[FRAME_TEXTS];
    uint8_t number[8];
};

struct mn_documents {
    atomic_size_t users;
    struct mn_blocks pool; /* documents, and the bytes of names */
    const char **name;
    size_t name_count, name_room;
    uint32_t *name_slot; /* hash table: number + 1; 0 is free */
    size_t name_slots;   /* a power of two */
    struct frame *frame;
    size_t frame_count, frame_room;
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

static uint64_t hash_frame(const struct frame *frame)
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
    return hash_name(d->name[number]);
}

static uint64_t hash_frame_at(const struct mn_documents *d, size_t number)
{
    return hash_frame(&d->frame[number]);
}

/* The number of a name, kept when it is new; UINT32_MAX when malloc fails. */
static uint32_t name_of(struct mn_documents *d, const char *text)
{
    const char *name = mn_or_empty(text);

    if (!slots_grow(&d->name_slot, &d->name_slots, d->name_count, hash_name_at, d))
        return UINT32_MAX;
    size_t at = hash_name(name) & (d->name_slots - 1);
    for (; d->name_slot[at]; at = (at + 1) & (d->name_slots - 1))
        if (!strcmp(d->name[d->name_slot[at] - 1], name))
            return d->name_slot[at] - 1;
    if (d->name_count == d->name_room && !grow(&d->name, &d->name_room, sizeof *d->name))
        return UINT32_MAX;
    size_t bytes = strlen(name) + 1;
    uint32_t address = mn_blocks_add(&d->pool, bytes);
    if (address == MN_BLOCKS_NOWHERE)
        return UINT32_MAX;
    d->name[d->name_count++] = memcpy(mn_blocks_at(&d->pool, address), name, bytes);
    d->name_slot[at] = (uint32_t)d->name_count;
    return d->name_slot[at] - 1;
}

/* The names of a unit that its frame has. */
static const char **framed(struct mn_unit *unit, size_t i)
{
    struct mneme_memory *m = &unit->memory;
    const char **const text[FRAME_TEXTS] = { &m->tenant_id, &m->user_id,  &m->agent_id,
                                             &m->scope_id,  &m->type,     &m->category,
                                             &m->project,   &m->module,   &m->requires_permission };

    return text[i];
}

/* The number of a unit's frame; UINT32_MAX when malloc fails. */
static uint32_t frame_of(struct mn_documents *d, struct mn_unit *unit)
{
    const struct mneme_memory *m = &unit->memory;
    struct frame frame = { .number = { (uint8_t)m->scope_kind, (uint8_t)m->authority,
                                       (uint8_t)m->sensitivity, (uint8_t)m->risk,
                                       (uint8_t)m->status, (uint8_t)unit->kind, unit->is_event } };

    for (size_t i = 0; i < FRAME_TEXTS; i++) {
        frame.name[i] = name_of(d, *framed(unit, i));
        if (frame.name[i] == UINT32_MAX)
            return UINT32_MAX;
    }
    if (!slots_grow(&d->frame_slot, &d->frame_slots, d->frame_count, hash_frame_at, d))
        return UINT32_MAX;
    size_t at = hash_frame(&frame) & (d->frame_slots - 1);
    for (; d->frame_slot[at]; at = (at + 1) & (d->frame_slots - 1))
        if (!memcmp(&d->frame[d->frame_slot[at] - 1], &frame, sizeof frame))
            return d->frame_slot[at] - 1;
    if (d->frame_count == d->frame_room && !grow(&d->frame, &d->frame_room, sizeof *d->frame))
        return UINT32_MAX;
    d->frame[d->frame_count++] = frame;
    d->frame_slot[at] = (uint32_t)d->frame_count;
    return d->frame_slot[at] - 1;
}

static void frame_read(const struct mn_documents *d, const struct frame *frame,
                       struct mn_unit *unit)
{
    struct mneme_memory *m = &unit->memory;

    for (size_t i = 0; i < FRAME_TEXTS; i++)
        *framed(unit, i) = d->name[frame->name[i]];
    m->scope_kind = (enum mneme_scope)frame->number[0];
    m->authority = (enum mneme_authority)frame->number[1];
    m->sensitivity = (enum mneme_sensitivity)frame->number[2];
    m->risk = (enum mneme_risk)frame->number[3];
    m->status = (enum mneme_memory_status)frame->number[4];
    unit->kind = (enum mn_unit_kind)frame->number[5];
    unit->is_event = frame->number[6];
}

/* ---- writing ---- */

struct writer {
    char *at;
};

static void put_number(struct writer *w, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *w->at++ = (char)(number | 0x80);
    *w->at++ = (char)number;
}

/* Small where it is near 0, whatever its sign. */
static void put_signed(struct writer *w, int64_t number)
{
    put_number(w, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

static void put_from(struct writer *w, int64_t instant, int64_t from)
{
    put_signed(w, (int64_t)((uint64_t)instant - (uint64_t)from));
}

static void put_share(struct writer *w, double share)
{
    int step = share >= 0 && share <= 1 ? (int)(share * HUNDRED + 0.5) : -1;
    double again = (double)step / HUNDRED;

    if (step >= 0 && !memcmp(&again, &share, sizeof share)) {
        *w->at++ = (char)step;
        return;
    }
    *w->at++ = (char)WHOLE_DOUBLE;
    memcpy(w->at, &share, sizeof share);
    w->at += sizeof share;
}

static void put_text(struct writer *w, const char *text)
{
    size_t bytes = strlen(text);

    put_number(w, bytes);
    memcpy(w->at, text, bytes + 1);
    w->at += bytes + 1;
}

static void put_list(struct writer *w, const struct mneme_list *list)
{
    put_number(w, list->count);
    for (size_t i = 0; i < list->count; i++)
        put_text(w, mn_or_empty(list->item[i]));
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_digest(const char *text)
{
    size_t bytes = 0;

    while (hex_digit(text[bytes]) >= 0)
        bytes++;
    return bytes == MN_SHA256_HEX_BYTES - 1 && !text[bytes];
}

static void put_digest(struct writer *w, const char *text)
{
    for (; *text; text += 2)
        *w->at++ = (char)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
}

static size_t text_bytes(const char *text)
{
    return strlen(mn_or_empty(text)) + 1 + NUMBER_BYTES_MAX;
}

static size_t list_bytes(const struct mneme_list *list)
{
    size_t bytes = NUMBER_BYTES_MAX;

    for (size_t i = 0; i < list->count; i++)
        bytes += text_bytes(list->item[i]);
    return bytes;
}

/* Enough for the document packed. */
static size_t bytes_most(const struct mn_unit *unit)
{
    const struct mneme_memory *m = &unit->memory;
    const char *const text[] = { unit->id, unit->parent_id, m->id,      m->memory_key,
                                 m->value, m->title,        m->content, m->summary,
                                 m->supersedes, m->content_hash, m->attributes };
    size_t bytes = sizeof(uint32_t) + 20 * NUMBER_BYTES_MAX;

    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        bytes += text_bytes(text[i]);
    for (size_t i = 0; i < m->applies_to.count; i++)
        bytes += text_bytes(m->applies_to.item[i].name) + text_bytes(m->applies_to.item[i].value);
    return bytes + list_bytes(&m->keywords) + list_bytes(&m->usage_scenario) +
           list_bytes(&m->entities) + list_bytes(&m->provenance);
}

static uint32_t bit_if(bool there, uint32_t bit)
{
    return there ? bit : 0;
}

static uint32_t bits_of(const struct mn_unit *unit)
{
    const struct mneme_memory *m = &unit->memory;
    bool same_summary = !mn_empty(m->summary) && mn_same(m->summary, m->content);
    bool digest = is_digest(mn_or_empty(m->content_hash));

    return bit_if(!mn_same(unit->parent_id, unit->id), HAS_PARENT) |
           bit_if(!mn_same(m->id, unit->id), HAS_MEMORY_ID) |
           bit_if(memcmp(&unit->confidence, &m->confidence, sizeof(double)) != 0, HAS_CONFIDENCE) |
           bit_if(!mn_empty(unit->session_id), HAS_SESSION) |
           bit_if(!mn_empty(unit->speaker), HAS_SPEAKER) | bit_if(unit->order, HAS_ORDER) |
           bit_if(m->valid_from_ms, HAS_FROM) | bit_if(m->valid_until_ms, HAS_UNTIL) |
           bit_if(m->event_time_ms, HAS_EVENT_TIME) |
           bit_if(m->updated_at_ms != m->created_at_ms, HAS_UPDATED) |
           bit_if(m->confirmed_at_ms, HAS_CONFIRMED) | bit_if(m->version != 1, HAS_VERSION) |
           bit_if(m->revision != 1, HAS_REVISION) | bit_if(!mn_empty(m->memory_key), HAS_KEY) |
           bit_if(!mn_empty(m->value), HAS_VALUE) | bit_if(!mn_empty(m->title), HAS_TITLE) |
           bit_if(!mn_empty(m->summary) && !same_summary, HAS_SUMMARY) |
           bit_if(same_summary, SUMMARY_IS_CONTENT) |
           bit_if(!mn_empty(m->supersedes), HAS_SUPERSEDES) |
           bit_if(!mn_empty(m->attributes), HAS_ATTRIBUTES) |
           bit_if(m->keywords.count, HAS_KEYWORDS) | bit_if(m->usage_scenario.count, HAS_SCENARIO) |
           bit_if(m->entities.count, HAS_ENTITIES) |
           bit_if(m->provenance.count, HAS_PROVENANCE) |
           bit_if(m->applies_to.count, HAS_APPLIES_TO) | bit_if(digest, HAS_DIGEST) |
           bit_if(!digest && !mn_empty(m->content_hash), HAS_HASH) |
           bit_if(!mn_empty(m->content), HAS_CONTENT);
}

static void put_numbers(struct writer *w, const struct mn_unit *unit, uint32_t has)
{
    const struct mneme_memory *m = &unit->memory;
    int64_t made = m->created_at_ms;

    put_share(w, m->confidence);
    put_share(w, m->importance);
    if (has & HAS_CONFIDENCE)
        put_share(w, unit->confidence);
    put_signed(w, made);
    if (has & HAS_FROM)
        put_from(w, m->valid_from_ms, made);
    if (has & HAS_UNTIL)
        put_from(w, m->valid_until_ms, made);
    if (has & HAS_EVENT_TIME)
        put_from(w, m->event_time_ms, made);
    if (has & HAS_UPDATED)
        put_from(w, m->updated_at_ms, made);
    if (has & HAS_CONFIRMED)
        put_from(w, m->confirmed_at_ms, made);
    if (has & HAS_VERSION)
        put_signed(w, m->version);
    if (has & HAS_REVISION)
        put_signed(w, m->revision);
    if (has & HAS_ORDER)
        put_signed(w, unit->order);
}

static void put_texts(struct writer *w, const struct mn_unit *unit, uint32_t has)
{
    const struct mneme_memory *m = &unit->memory;

    if (has & HAS_PARENT)
        put_text(w, mn_or_empty(unit->parent_id));
    if (has & HAS_MEMORY_ID)
        put_text(w, mn_or_empty(m->id));
    if (has & HAS_KEY)
        put_text(w, m->memory_key);
    if (has & HAS_TITLE)
        put_text(w, m->title);
    if (has & HAS_SUPERSEDES)
        put_text(w, m->supersedes);
    if (has & HAS_DIGEST)
        put_digest(w, m->content_hash);
    if (has & HAS_HASH)
        put_text(w, m->content_hash);
    if (has & HAS_KEYWORDS)
        put_list(w, &m->keywords);
    if (has & HAS_SCENARIO)
        put_list(w, &m->usage_scenario);
    if (has & HAS_ENTITIES)
        put_list(w, &m->entities);
    if (has & HAS_PROVENANCE)
        put_list(w, &m->provenance);
    if (has & HAS_APPLIES_TO) {
        put_number(w, m->applies_to.count);
        for (size_t i = 0; i < m->applies_to.count; i++) {
            put_text(w, mn_or_empty(m->applies_to.item[i].name));
            put_text(w, mn_or_empty(m->applies_to.item[i].value));
        }
    }
    if (has & HAS_VALUE)
        put_text(w, m->value);
    if (has & HAS_CONTENT)
        put_text(w, m->content);
    if (has & HAS_SUMMARY)
        put_text(w, m->summary);
    if (has & HAS_ATTRIBUTES)
        put_text(w, m->attributes);
}

static void put_document(struct writer *w, const struct mn_unit *unit, uint32_t has,
                         uint32_t frame, uint32_t session, uint32_t speaker)
{
    memcpy(w->at, &has, sizeof has);
    w->at += sizeof has;
    put_text(w, mn_or_empty(unit->id));
    put_number(w, frame);
    if (has & HAS_SESSION)
        put_number(w, session);
    if (has & HAS_SPEAKER)
        put_number(w, speaker);
    put_numbers(w, unit, has);
    put_texts(w, unit, has);
}

/* Into the pool, its length first. */
static uint32_t keep(struct mn_documents *d, const char *document, size_t bytes)
{
    char length[NUMBER_BYTES_MAX];
    struct writer w = { length };

    put_number(&w, bytes);
    size_t length_bytes = (size_t)(w.at - length);
    uint32_t at = bytes <= UINT32_MAX ? mn_blocks_add(&d->pool, length_bytes + bytes)
                                      : MN_BLOCKS_NOWHERE;
    if (at == MN_BLOCKS_NOWHERE)
        return at;
    char *to = mn_blocks_at(&d->pool, at);
    memcpy(to, length, length_bytes);
    memcpy(to + length_bytes, document, bytes);
    return at;
}

uint32_t mn_documents_add(struct mn_documents *d, const struct mn_unit *given)
{
    struct mn_unit unit = *given;
    uint32_t has = bits_of(&unit), frame = frame_of(d, &unit);
    uint32_t session = has & HAS_SESSION ? name_of(d, unit.session_id) : 0;
    uint32_t speaker = has & HAS_SPEAKER ? name_of(d, unit.speaker) : 0;
    char usual[USUAL_BYTES];
    size_t most = bytes_most(&unit);

    if (frame == UINT32_MAX || session == UINT32_MAX || speaker == UINT32_MAX)
        return MN_BLOCKS_NOWHERE;
    char *document = most <= sizeof usual ? usual : malloc(most);
    if (!document)
        return MN_BLOCKS_NOWHERE;
    struct writer w = { document };
    put_document(&w, &unit, has, frame, session, speaker);
    uint32_t at = keep(d, document, (size_t)(w.at - document));
    if (document != usual)
        free(document);
    return at;
}

/* ---- reading ---- */

/* Nothing is read behind the end; what does not fit makes the reading bad, and reads as nothing. */
struct reader {
    const char *at;
    const char *end;
    struct mn_arena *arena;
    bool bad;
};

static uint64_t get_number(struct reader *r)
{
    uint64_t number = 0;

    for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
        uint8_t byte = (uint8_t)*r->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    r->bad = true;
    return 0;
}

static int64_t get_signed(struct reader *r)
{
    uint64_t number = get_number(r);

    return (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

static int64_t get_from(struct reader *r, int64_t from)
{
    return (int64_t)((uint64_t)from + (uint64_t)get_signed(r));
}

/* So many bytes; NULL when there are fewer. */
static const char *get_bytes(struct reader *r, uint64_t bytes)
{
    const char *at = r->at;

    if (bytes > (size_t)(r->end - r->at)) {
        r->bad = true;
        return NULL;
    }
    r->at += bytes;
    return at;
}

static double get_share(struct reader *r)
{
    const char *byte = get_bytes(r, 1);
    double share = 0;

    if (byte && (uint8_t)*byte <= HUNDRED)
        return (double)(uint8_t)*byte / HUNDRED;
    byte = get_bytes(r, sizeof share);
    if (byte)
        memcpy(&share, byte, sizeof share);
    return share;
}

static const char *get_text(struct reader *r)
{
    uint64_t bytes = get_number(r);
    const char *text = bytes < SIZE_MAX ? get_bytes(r, bytes + 1) : NULL;

    if (text && text[bytes])
        r->bad = true;
    return text && !r->bad ? text : "";
}

/* How many items follow: each has two bytes at least. */
static size_t get_count(struct reader *r)
{
    uint64_t count = get_number(r);

    if (count > (size_t)(r->end - r->at) / 2) {
        r->bad = true;
        return 0;
    }
    return (size_t)count;
}

static struct mneme_list get_list(struct reader *r)
{
    size_t count = get_count(r);
    const char **item = mn_arena_room(r->arena, count * sizeof *item + 1);

    if (!item) {
        r->bad = true;
        return (struct mneme_list){ 0 };
    }
    for (size_t i = 0; i < count; i++)
        item[i] = get_text(r);
    return (struct mneme_list){ item, count };
}

static struct mneme_pairs get_pairs(struct reader *r)
{
    size_t count = get_count(r);
    struct mneme_pair *item = mn_arena_room(r->arena, count * sizeof *item + 1);

    if (!item) {
        r->bad = true;
        return (struct mneme_pairs){ 0 };
    }
    for (size_t i = 0; i < count; i++) {
        item[i].name = get_text(r);
        item[i].value = get_text(r);
    }
    return (struct mneme_pairs){ item, count };
}

static const char *get_digest(struct reader *r)
{
    static const char digits[] = "0123456789abcdef";
    const char *bytes = get_bytes(r, (MN_SHA256_HEX_BYTES - 1) / 2);
    char *text = mn_arena_room(r->arena, MN_SHA256_HEX_BYTES);

    if (!bytes || !text) {
        r->bad = true;
        return "";
    }
    for (size_t i = 0; i < (MN_SHA256_HEX_BYTES - 1) / 2; i++) {
        text[2 * i] = digits[(uint8_t)bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    text[MN_SHA256_HEX_BYTES - 1] = 0;
    return text;
}

static const char *get_name(struct reader *r, const struct mn_documents *d)
{
    uint64_t number = get_number(r);

    if (number < d->name_count)
        return d->name[number];
    r->bad = true;
    return "";
}

static void get_numbers(struct reader *r, uint32_t has, struct mn_unit *unit)
{
    struct mneme_memory *m = &unit->memory;

    m->confidence = get_share(r);
    m->importance = get_share(r);
    unit->confidence = has & HAS_CONFIDENCE ? get_share(r) : m->confidence;
    int64_t made = m->created_at_ms = get_signed(r);
    m->valid_from_ms = has & HAS_FROM ? get_from(r, made) : 0;
    m->valid_until_ms = has & HAS_UNTIL ? get_from(r, made) : 0;
    m->event_time_ms = has & HAS_EVENT_TIME ? get_from(r, made) : 0;
    m->updated_at_ms = has & HAS_UPDATED ? get_from(r, made) : made;
    m->confirmed_at_ms = has & HAS_CONFIRMED ? get_from(r, made) : 0;
    m->version = has & HAS_VERSION ? get_signed(r) : 1;
    m->revision = has & HAS_REVISION ? get_signed(r) : 1;
    unit->order = has & HAS_ORDER ? get_signed(r) : 0;
}

static void get_texts(struct reader *r, uint32_t has, struct mn_unit *unit)
{
    static const struct mneme_list no_list = { 0 };
    static const struct mneme_pairs no_pairs = { 0 };
    struct mneme_memory *m = &unit->memory;

    unit->parent_id = has & HAS_PARENT ? get_text(r) : unit->id;
    m->id = has & HAS_MEMORY_ID ? get_text(r) : unit->id;
    m->memory_key = has & HAS_KEY ? get_text(r) : "";
    m->title = has & HAS_TITLE ? get_text(r) : "";
    m->supersedes = has & HAS_SUPERSEDES ? get_text(r) : "";
    m->content_hash = has & HAS_DIGEST ? get_digest(r) : "";
    if (has & HAS_HASH)
        m->content_hash = get_text(r);
    m->keywords = has & HAS_KEYWORDS ? get_list(r) : no_list;
    m->usage_scenario = has & HAS_SCENARIO ? get_list(r) : no_list;
    m->entities = has & HAS_ENTITIES ? get_list(r) : no_list;
    m->provenance = has & HAS_PROVENANCE ? get_list(r) : no_list;
    m->applies_to = has & HAS_APPLIES_TO ? get_pairs(r) : no_pairs;
    m->value = has & HAS_VALUE ? get_text(r) : "";
    m->content = has & HAS_CONTENT ? get_text(r) : "";
    m->summary = has & HAS_SUMMARY ? get_text(r) : has & SUMMARY_IS_CONTENT ? m->content : "";
    m->attributes = has & HAS_ATTRIBUTES ? get_text(r) : "";
}

static void get_unit(struct reader *r, const struct mn_documents *d, struct mn_unit *unit)
{
    const char *bits = get_bytes(r, sizeof(uint32_t));
    uint32_t has = 0;

    if (bits)
        memcpy(&has, bits, sizeof has);
    unit->vector = NULL;
    unit->vector_dim = 0;
    unit->memory.size = sizeof unit->memory;
    unit->id = get_text(r);
    uint64_t frame = get_number(r);
    if (frame >= d->frame_count) {
        r->bad = true;
        return;
    }
    frame_read(d, &d->frame[frame], unit);
    unit->session_id = has & HAS_SESSION ? get_name(r, d) : "";
    unit->speaker = has & HAS_SPEAKER ? get_name(r, d) : "";
    get_numbers(r, has, unit);
    get_texts(r, has, unit);
}

static struct reader reader_at(const struct mn_documents *d, uint32_t at, struct mn_arena *arena)
{
    const char *document = mn_blocks_at(&d->pool, at);
    struct reader r = { document, document + sizeof(uint32_t), arena, false };
    uint64_t bytes = get_number(&r);

    r.end = r.at + bytes;
    return r;
}

bool mn_documents_read(const struct mn_documents *d, uint32_t at, struct mn_arena *arena,
                       struct mn_unit *ret_unit)
{
    struct reader r = reader_at(d, at, arena);

    get_unit(&r, d, ret_unit);
    return !r.bad;
}

const char *mn_documents_id(const struct mn_documents *d, uint32_t at)
{
    struct reader r = reader_at(d, at, NULL);

    r.at += sizeof(uint32_t);
    return get_text(&r);
}

void mn_documents_fetch(const struct mn_documents *d, uint32_t at)
{
    const char *document = mn_blocks_at(&d->pool, at);

    __builtin_prefetch(document);
    __builtin_prefetch(document + 64);
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
    mn_blocks_release(&d->pool);
    free(d->name);
    free(d->name_slot);
    free(d->frame);
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
    return sizeof *d + mn_blocks_bytes(&d->pool) + d->name_room * sizeof *d->name +
           d->frame_room * sizeof *d->frame +
           (d->name_slots + d->frame_slots) * sizeof *d->name_slot;
}
