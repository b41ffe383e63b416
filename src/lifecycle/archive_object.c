/*
 * archive_object.c - encoding and decoding; nothing is fetched here.
 */
#include "lifecycle/archive_object.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "base/array.h"
#include "base/json.h"
#include "memory/record.h"

#define FORM "mneme archive 1\n"
#define FORM_BYTES (sizeof FORM - 1)
#define LEVEL 6 /* of zstd: written once, read hardly ever */

/* ---- lines ---- */

static enum mneme_status put_head(const struct mn_archive_content *content, struct mn_buf *out,
                                  struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "tenant", content->partition.tenant);
    mn_json_field_text(&w, "owner", content->partition.owner);
    mn_json_field_text(&w, "session", content->session_id);
    mn_json_field_integer(&w, "turns", (int64_t)content->events.count);
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status put_lines(const struct mn_archive_content *content, struct mn_buf *out,
                                   struct mneme_error *err)
{
    MN_TRY(put_head(content, out, err));
    for (size_t i = 0; i < content->events.count; i++) {
        const struct mneme_record record = { .kind = MNEME_RECORD_EVENT,
                                             .event = &content->events.item[i] };
        char *json = NULL;

        MN_TRY(mneme_record_print(&record, &json, err));
        mn_buf_text(out, json);
        mn_buf_char(out, '\n');
        mneme_free(json);
    }
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status read_head(const char *line, size_t bytes, struct mn_arena *arena,
                                   struct mn_archive_content *content, int64_t *ret_turns,
                                   struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;

    MN_TRY(mn_json_parse("archive", line, bytes, &doc, err));
    yyjson_val *head = yyjson_doc_get_root(doc);
    content->partition = (struct mn_partition){ "", "" };
    content->session_id = "";
    MN_TRY(mn_json_text(head, "tenant", MNEME_ID_BYTES_MAX, arena, &content->partition.tenant, err));
    MN_TRY(mn_json_text(head, "owner", MNEME_ID_BYTES_MAX, arena, &content->partition.owner, err));
    MN_TRY(mn_json_text(head, "session", MNEME_ID_BYTES_MAX, arena, &content->session_id, err));
    return mn_json_integer(head, "turns", 0, INT64_MAX, ret_turns, err);
}

static void free_parsed(void *parsed)
{
    mneme_parsed_free(parsed);
}

static enum mneme_status read_turn(const char *line, size_t bytes, struct mn_arena *arena,
                                   struct mn_archive_content *content, struct mneme_error *err)
{
    const struct mneme_memory none = MNEME_MEMORY_INIT;
    struct mneme_parsed *parsed = NULL;

    MN_TRY(mneme_record_parse(line, bytes, &none, &parsed, err));
    if (!mn_arena_at_end(arena, free_parsed, parsed)) {
        mneme_parsed_free(parsed);
        return mn_fail_memory(err);
    }
    const struct mneme_event *event = mneme_parsed_record(parsed)->event;
    struct mneme_event *turn = event ? mn_array_add(arena, &content->events) : NULL;
    if (!event)
        return mn_fail(err, MNEME_CORRUPT, "archive: a line is no turn");
    if (!turn)
        return mn_fail_memory(err);
    *turn = *event;
    return MNEME_OK;
}

static enum mneme_status read_lines(const struct mn_buf *plain, struct mn_arena *arena,
                                    struct mn_archive_content *content, struct mneme_error *err)
{
    int64_t turns = -1;

    for (size_t at = 0; at < plain->bytes;) {
        const char *line = plain->at + at;
        const char *end = memchr(line, '\n', plain->bytes - at);
        size_t bytes = end ? (size_t)(end - line) : plain->bytes - at;

        MN_TRY(turns < 0 ? read_head(line, bytes, arena, content, &turns, err)
                         : read_turn(line, bytes, arena, content, err));
        at += bytes + 1;
    }
    if (turns != (int64_t)content->events.count)
        return mn_fail(err, MNEME_CORRUPT, "archive: %zu turns where %lld were", content->events.count,
                       (long long)turns);
    return MNEME_OK;
}

/* ---- compressing ---- */

static enum mneme_status compress(const struct mn_buf *plain, struct mn_buf *out,
                                  struct mneme_error *err)
{
    size_t room = ZSTD_compressBound(plain->bytes);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    void *packed = malloc(room);
    size_t bytes = 0;

    if (context && packed) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        bytes = ZSTD_compress2(context, packed, room, plain->at, plain->bytes);
    }
    bool packs = context && packed && !ZSTD_isError(bytes);
    if (packs)
        mn_buf_put(out, packed, bytes);
    ZSTD_freeCCtx(context);
    free(packed);
    return packs && !out->failed ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status decompress(const struct mn_buf *packed, struct mn_buf *out,
                                    struct mneme_error *err)
{
    unsigned long long bytes = ZSTD_getFrameContentSize(packed->at, packed->bytes);

    if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
        bytes > MN_ARCHIVE_PLAIN_BYTES_MAX)
        return mn_fail(err, MNEME_CORRUPT, "archive: a file cannot be unpacked");
    char *plain = malloc((size_t)bytes + 1);
    if (!plain)
        return mn_fail_memory(err);
    size_t got = ZSTD_decompress(plain, (size_t)bytes, packed->at, packed->bytes);
    if (!ZSTD_isError(got))
        mn_buf_put(out, plain, got);
    free(plain);
    if (ZSTD_isError(got))
        return mn_fail(err, ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? MNEME_LIMIT
                                                                                   : MNEME_CORRUPT,
                       "archive: a file cannot be unpacked (%s)", ZSTD_getErrorName(got));
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* ---- the whole ---- */

enum mneme_status mn_archive_encode(const struct mn_seal_key *key, const char *name,
                                    const struct mn_archive_content *content, struct mn_buf *out,
                                    struct mneme_error *err)
{
    MN_BUF_AUTO plain = { 0 };
    MN_BUF_AUTO packed = { 0 };

    MN_TRY(put_lines(content, &plain, err));
    if (plain.bytes > MN_ARCHIVE_PLAIN_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "archive: %zu bytes of turns, at most %zu", plain.bytes,
                       MN_ARCHIVE_PLAIN_BYTES_MAX);
    MN_TRY(compress(&plain, &packed, err));
    mn_buf_put(out, FORM, FORM_BYTES);
    return mn_seal(key, name, packed.at, packed.bytes, out, err);
}

enum mneme_status mn_archive_decode(const struct mn_seal_key *key, const char *name,
                                    const void *bytes, size_t count, struct mn_arena *arena,
                                    struct mn_archive_content *ret_content,
                                    struct mneme_error *err)
{
    struct mn_archive_content content = { 0 };
    MN_BUF_AUTO packed = { 0 };
    MN_BUF_AUTO plain = { 0 };

    if (count < FORM_BYTES || memcmp(bytes, FORM, FORM_BYTES) != 0)
        return mn_fail(err, MNEME_CORRUPT, "archive: %.200s is no file of this form", name);
    MN_TRY(mn_unseal(key, name, (const char *)bytes + FORM_BYTES, count - FORM_BYTES, &packed, err));
    MN_TRY(decompress(&packed, &plain, err));
    MN_TRY(read_lines(&plain, arena, &content, err));
    *ret_content = content;
    return MNEME_OK;
}
