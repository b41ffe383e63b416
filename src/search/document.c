/*
 * document.c - packing and reading one unit.
 *
 * A document is: four bytes of bits for what is there, the id, the number of its frame, of its
 * session and of its speaker, numbers, then texts, the long ones last. Instants are told as distances
 * from the creation; a share of one hundred steps is one byte. A digest is 32 bytes and becomes text
 * when it is read.
 *
 * Writing and reading name the fields in one order. A field that is forgotten here is missed by the
 * test, which walks the whole record.
 */
#include "search/document.h"

#include "base/hash.h"
#include "base/str.h"
#include "search/packed.h"

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

/* ---- frames ---- */

static const size_t FRAME_NAME_AT[MN_FRAME_NAMES] = {
    offsetof(struct mneme_memory, tenant_id), offsetof(struct mneme_memory, user_id),
    offsetof(struct mneme_memory, agent_id),  offsetof(struct mneme_memory, scope_id),
    offsetof(struct mneme_memory, type),      offsetof(struct mneme_memory, category),
    offsetof(struct mneme_memory, project),   offsetof(struct mneme_memory, module),
    offsetof(struct mneme_memory, requires_permission),
};

const char **mn_frame_name(struct mn_unit *unit, size_t i)
{
    return (const char **)(void *)((char *)&unit->memory + FRAME_NAME_AT[i]);
}

void mn_frame_numbers(const struct mn_unit *unit, struct mn_document_frame *frame)
{
    const struct mneme_memory *m = &unit->memory;
    const uint8_t number[sizeof frame->number] = { (uint8_t)m->scope_kind,  (uint8_t)m->authority,
                                                   (uint8_t)m->sensitivity, (uint8_t)m->risk,
                                                   (uint8_t)m->status,      (uint8_t)unit->kind,
                                                   unit->is_event };

    memcpy(frame->number, number, sizeof number);
}

/* ---- writing ---- */

struct writer {
    char *at;
};

static void put_number(struct writer *w, uint64_t number)
{
    w->at = mn_pack_number(w->at, number);
}

static void put_text(struct writer *w, const char *text)
{
    w->at = mn_pack_text(w->at, text);
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
    return strlen(mn_or_empty(text)) + 1 + MN_PACKED_NUMBER_BYTES_MAX;
}

static size_t list_bytes(const struct mneme_list *list)
{
    size_t bytes = MN_PACKED_NUMBER_BYTES_MAX;

    for (size_t i = 0; i < list->count; i++)
        bytes += text_bytes(list->item[i]);
    return bytes;
}

size_t mn_document_bytes_most(const struct mn_unit *unit)
{
    const struct mneme_memory *m = &unit->memory;
    const char *const text[] = { unit->id, unit->parent_id, m->id,      m->memory_key,
                                 m->value, m->title,        m->content, m->summary,
                                 m->supersedes, m->content_hash, m->attributes };
    size_t bytes = sizeof(uint32_t) + 20 * MN_PACKED_NUMBER_BYTES_MAX;

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

size_t mn_document_pack(const struct mn_unit *unit, const struct mn_document_numbers *numbers,
                        char *out)
{
    uint32_t has = bits_of(unit);
    struct writer w = { out };

    memcpy(w.at, &has, sizeof has);
    w.at += sizeof has;
    put_text(&w, mn_or_empty(unit->id));
    put_number(&w, numbers->frame);
    if (has & HAS_SESSION)
        put_number(&w, numbers->session);
    if (has & HAS_SPEAKER)
        put_number(&w, numbers->speaker);
    put_numbers(&w, unit, has);
    put_texts(&w, unit, has);
    return (size_t)(w.at - out);
}

/* ---- reading ---- */

struct reader {
    struct mn_packed packed;
    struct mn_arena *arena;
};

static int64_t get_signed(struct reader *r)
{
    uint64_t number = mn_packed_number(&r->packed);

    return (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

static int64_t get_from(struct reader *r, int64_t from)
{
    return (int64_t)((uint64_t)from + (uint64_t)get_signed(r));
}

static double get_share(struct reader *r)
{
    const char *byte = mn_packed_bytes(&r->packed, 1);
    double share = 0;

    if (byte && (uint8_t)*byte <= HUNDRED)
        return (double)(uint8_t)*byte / HUNDRED;
    byte = mn_packed_bytes(&r->packed, sizeof share);
    if (byte)
        memcpy(&share, byte, sizeof share);
    return share;
}

static const char *get_text(struct reader *r)
{
    return mn_packed_text(&r->packed);
}

static struct mneme_list get_list(struct reader *r)
{
    size_t count = mn_packed_count(&r->packed, 2);
    const char **item = mn_arena_room(r->arena, count * sizeof *item + 1);

    if (!item) {
        r->packed.bad = true;
        return (struct mneme_list){ 0 };
    }
    for (size_t i = 0; i < count; i++)
        item[i] = get_text(r);
    return (struct mneme_list){ item, count };
}

static struct mneme_pairs get_pairs(struct reader *r)
{
    size_t count = mn_packed_count(&r->packed, 2);
    struct mneme_pair *item = mn_arena_room(r->arena, count * sizeof *item + 1);

    if (!item) {
        r->packed.bad = true;
        return (struct mneme_pairs){ 0 };
    }
    for (size_t i = 0; i < count; i++) {
        item[i].name = get_text(r);
        item[i].value = get_text(r);
    }
    return (struct mneme_pairs){ item, count };
}

#define BEHIND(high)                                                                               \
    { high, '0' }, { high, '1' }, { high, '2' }, { high, '3' }, { high, '4' }, { high, '5' },      \
        { high, '6' }, { high, '7' }, { high, '8' }, { high, '9' }, { high, 'a' }, { high, 'b' },  \
        { high, 'c' }, { high, 'd' }, { high, 'e' }, { high, 'f' }
static const char HEX_OF[256][2] = { BEHIND('0'), BEHIND('1'), BEHIND('2'), BEHIND('3'),
                                     BEHIND('4'), BEHIND('5'), BEHIND('6'), BEHIND('7'),
                                     BEHIND('8'), BEHIND('9'), BEHIND('a'), BEHIND('b'),
                                     BEHIND('c'), BEHIND('d'), BEHIND('e'), BEHIND('f') };

static const char *get_digest(struct reader *r)
{
    const char *bytes = mn_packed_bytes(&r->packed, (MN_SHA256_HEX_BYTES - 1) / 2);
    char *text = mn_arena_room(r->arena, MN_SHA256_HEX_BYTES);

    if (!bytes || !text) {
        r->packed.bad = true;
        return "";
    }
    for (size_t i = 0; i < (MN_SHA256_HEX_BYTES - 1) / 2; i++)
        memcpy(text + 2 * i, HEX_OF[(uint8_t)bytes[i]], 2);
    text[MN_SHA256_HEX_BYTES - 1] = 0;
    return text;
}

static const char *get_name(struct reader *r, const struct mn_document_tables *t)
{
    uint64_t number = mn_packed_number(&r->packed);

    if (number < t->name_count)
        return t->name[number];
    r->packed.bad = true;
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

static void read_frame(const struct mn_document_tables *t, const struct mn_document_frame *frame,
                       struct mn_unit *unit)
{
    struct mneme_memory *m = &unit->memory;

    for (size_t i = 0; i < MN_FRAME_NAMES; i++)
        *mn_frame_name(unit, i) = t->name[frame->name[i]];
    m->scope_kind = (enum mneme_scope)frame->number[0];
    m->authority = (enum mneme_authority)frame->number[1];
    m->sensitivity = (enum mneme_sensitivity)frame->number[2];
    m->risk = (enum mneme_risk)frame->number[3];
    m->status = (enum mneme_memory_status)frame->number[4];
    unit->kind = (enum mn_unit_kind)frame->number[5];
    unit->is_event = frame->number[6];
}

bool mn_document_read(const char *document, size_t bytes, const struct mn_document_tables *t,
                      struct mn_arena *arena, struct mn_unit *ret_unit)
{
    struct reader r = { { document, document + bytes, false }, arena };
    uint32_t has;

    mn_packed_copy(&r.packed, &has, sizeof has);
    ret_unit->vector = NULL;
    ret_unit->vector_dim = 0;
    ret_unit->memory.size = sizeof ret_unit->memory;
    ret_unit->id = get_text(&r);
    uint64_t frame = mn_packed_number(&r.packed);
    if (frame >= t->frame_count)
        return false;
    read_frame(t, &t->frame[frame], ret_unit);
    ret_unit->session_id = has & HAS_SESSION ? get_name(&r, t) : "";
    ret_unit->speaker = has & HAS_SPEAKER ? get_name(&r, t) : "";
    get_numbers(&r, has, ret_unit);
    get_texts(&r, has, ret_unit);
    return !r.packed.bad && r.packed.at == r.packed.end;
}

const char *mn_document_id(const char *document, size_t bytes)
{
    struct mn_packed packed = { document, document + bytes, false };

    (void)mn_packed_bytes(&packed, sizeof(uint32_t));
    return mn_packed_text(&packed);
}
