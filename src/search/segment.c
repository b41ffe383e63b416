/*
 * segment.c - head, checksum, and the parts in one order.
 *
 * The head says what the bytes are and how many; the checksum is over all of them and the head. How
 * text is analysed has no number that somebody could forget to raise: a sample is analysed and its
 * terms and cues are hashed, so that another analysis is another fingerprint.
 */
#include "search/segment.h"

#include <string.h>

#include "base/hash.h"
#include "search/packed.h"

#define MAGIC "mnsegmnt"
#define FORMAT 2
#define BYTE_ORDER_MARK UINT32_C(0x01020304)
#define ROW_BYTES_MIN 8 /* of a document and its terms */

struct head {
    char magic[8];
    uint32_t format;
    uint32_t byte_order;
    uint64_t analysis;
    uint64_t bytes; /* behind the head */
    uint64_t checksum;
};

/* What a sample of both languages becomes; 0 without memory. */
static uint64_t analysis_of_text(void)
{
    static const char *const text[] = {
        "Yesterday I deployed kubernetes-1.29.3 with Ann's HTTPServer to /etc/nginx in Berlin, why?",
        "我们昨天在上海的數據庫部署了 v3.1.2，错误码 E1042；为什么？",
        "running runners ran; naïve café; get_userName foo::bar 0x1F #42 2024-05-06 user@example.org"
    };
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    uint64_t hash = sizeof(struct mn_session_turn);

    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct mn_unit unit = { .id = "x",
                                .memory = MNEME_MEMORY_INIT,
                                .is_event = true,
                                .session_id = "s",
                                .speaker = "Ann 小王" };
        struct mn_text_document document;
        struct mn_session_entry entry;

        unit.memory.title = unit.memory.content = text[i];
        unit.memory.event_time_ms = INT64_C(1715000000000);
        if (mn_text_document_make(&unit, arena, &document, NULL) != MNEME_OK ||
            mn_session_entry_make(&unit, &document, arena, &entry, NULL) != MNEME_OK)
            return 0;
        for (size_t t = 0; t < document.count; t++) {
            hash = mn_hash64(&document.item[t].term.hash, sizeof(uint64_t), hash);
            hash += document.item[t].halves + ((uint64_t)document.item[t].term.kind << 8);
        }
        hash += (uint64_t)mn_text_document_language(&unit);
        hash = mn_hash64(&entry.turn.letters, sizeof entry.turn.letters, hash);
        hash = mn_hash64(&entry.turn.cues, sizeof entry.turn.cues, hash);
        hash = mn_hash64(&entry.speaker.hash, sizeof entry.speaker.hash, hash);
    }
    return hash | 1;
}

static uint64_t checksum(const struct head *head, const void *bytes, size_t count)
{
    struct head without = *head;

    without.checksum = 0;
    return mn_hash64(bytes, count, mn_hash64(&without, sizeof without, 0));
}

/* ---- saving ---- */

static void save_row(const struct mn_partition_index *index, size_t row, struct mn_buf *out)
{
    size_t bytes;
    const char *document = mn_documents_at(index->documents, index->document[row], &bytes);

    mn_packed_put_number(out, bytes);
    mn_buf_put(out, document, bytes);
    mn_buf_char(out, (char)index->language[row]);
    mn_text_index_save_row(&index->text, row, out);
    mn_session_table_save_row(&index->sessions, row, out);
}

void mn_segment_save(const struct mn_partition_index *index, const char *profile,
                     const char *cursor, struct mn_buf *out)
{
    struct head head = { .magic = MAGIC,
                         .format = FORMAT,
                         .byte_order = BYTE_ORDER_MARK,
                         .analysis = analysis_of_text() };
    size_t begin = out->bytes;

    out->failed |= !head.analysis;
    mn_buf_put(out, &head, sizeof head);
    mn_packed_put_text(out, profile);
    mn_packed_put_text(out, cursor);
    mn_documents_save_tables(index->documents, out);
    mn_session_table_save_speakers(&index->sessions, out);
    mn_text_index_save_terms(&index->text, out);
    mn_packed_put_number(out, index->count);
    for (size_t row = 0; row < index->count; row++)
        save_row(index, row, out);
    mn_vector_index_save(&index->vector, out);
    if (out->failed)
        return;
    head.bytes = out->bytes - begin - sizeof head;
    head.checksum = checksum(&head, out->at + begin + sizeof head, head.bytes);
    memcpy(out->at + begin, &head, sizeof head);
}

/* ---- loading ---- */

static bool check_head(const void *bytes, size_t count)
{
    struct head head;

    if (count < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    return !memcmp(head.magic, MAGIC, sizeof head.magic) && head.format == FORMAT &&
           head.byte_order == BYTE_ORDER_MARK && head.analysis == analysis_of_text() &&
           head.bytes == count - sizeof head &&
           head.checksum == checksum(&head, (const char *)bytes + sizeof head, head.bytes);
}

static bool load_row(struct mn_partition_index *index, struct mn_partition partition,
                     struct mn_packed *in, struct mn_arena *arena)
{
    size_t bytes = mn_packed_count(in, 1);
    const char *document = mn_packed_bytes(in, bytes);
    const char *language = mn_packed_bytes(in, 1);
    struct mn_unit unit;

    if (in->bad || (uint8_t)*language >= MN_LANGUAGE_COUNT)
        return false;
    uint32_t at = mn_documents_load(index->documents, document, bytes, arena, &unit);
    return at && *unit.id && !strcmp(unit.memory.tenant_id, partition.tenant) &&
           !strcmp(unit.memory.user_id, partition.owner) &&
           mn_visible_add(&index->visible, &unit) &&
           mn_text_index_load_row(&index->text, in, mn_text_document_kind(&unit)) &&
           mn_session_table_load_row(&index->sessions, &unit, in) &&
           mn_partition_index_load_row(index, &unit, at, (enum mn_language)*language);
}

static bool load_parts(struct mn_packed *in, struct mn_partition partition,
                       struct mn_partition_index *index)
{
    if (!mn_documents_load_tables(index->documents, in) ||
        !mn_session_table_load_speakers(&index->sessions, in) ||
        !mn_text_index_load_terms(&index->text, in))
        return false;
    size_t rows = mn_packed_count(in, ROW_BYTES_MIN);
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    for (size_t row = 0; row < rows; row++)
        if (!load_row(index, partition, in, arena))
            return false;
    return mn_text_index_load_end(&index->text) &&
           mn_vector_index_load(&index->vector, index->language, rows, in) && !in->bad &&
           in->at == in->end;
}

bool mn_segment_load(const void *bytes, size_t count, struct mn_partition partition,
                     const char *profile, struct mn_partition_index *index,
                     const char **ret_cursor)
{
    struct mn_packed in = { bytes, (const char *)bytes + count, false };

    if (!check_head(bytes, count))
        return false;
    in.at += sizeof(struct head);
    bool ours = !strcmp(mn_packed_text(&in), profile);
    const char *cursor = mn_packed_text(&in);
    if (in.bad || !ours || !load_parts(&in, partition, index))
        return false;
    index->packed = index->count;
    *ret_cursor = cursor;
    return true;
}
