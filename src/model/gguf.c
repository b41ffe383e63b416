/*
 * gguf.c - the head of a GGUF file.
 *
 * Layout (little-endian; the GGUF specification in the ggml project): "GGUF", version u32, tensor
 * count u64, pair count u64, then pairs of a key (u64 length, bytes), a type u32 and a value; an
 * array is an item type u32, a count u64 and the items. Converters write the general and the
 * architecture's pairs before the tokenizer's, whose arrays are megabytes long: reading stops where
 * the first pages end.
 */
#include "model/gguf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/str.h"

#define HEAD_BYTES 65536
#define TAIL_BYTES 65536

enum gguf_type {
    GGUF_U8 = 0,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPE_COUNT
};

static const uint8_t TYPE_BYTES[GGUF_TYPE_COUNT] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

/* Reads forward; once it would pass the end it stays `ended` and gives zeros. */
struct reader {
    const unsigned char *at;
    size_t left;
    bool ended;
};

static uint64_t take(struct reader *r, size_t bytes)
{
    uint64_t value = 0;

    if (r->ended || bytes > r->left) {
        r->ended = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)r->at[i] << (8 * i);
    r->at += bytes;
    r->left -= bytes;
    return value;
}

static struct mn_str take_bytes(struct reader *r, uint64_t bytes)
{
    struct mn_str slice = { (const char *)r->at, (size_t)bytes };

    if (r->ended || bytes > r->left) {
        r->ended = true;
        return (struct mn_str){ "", 0 };
    }
    r->at += bytes;
    r->left -= (size_t)bytes;
    return slice;
}

static struct mn_str take_string(struct reader *r)
{
    return take_bytes(r, take(r, 8));
}

static void skip_value(struct reader *r, uint64_t type)
{
    uint64_t item_type, count;

    if (type == GGUF_STRING) {
        take_string(r);
    } else if (type == GGUF_ARRAY) {
        item_type = take(r, 4);
        count = take(r, 8);
        if (item_type >= GGUF_TYPE_COUNT || item_type == GGUF_ARRAY)
            r->ended = true;
        else if (item_type == GGUF_STRING)
            for (uint64_t i = 0; i < count && !r->ended; i++)
                take_string(r);
        else if (count > r->left) /* each item is a byte or more */
            r->ended = true;
        else
            take_bytes(r, count * TYPE_BYTES[item_type]);
    } else if (type < GGUF_TYPE_COUNT) {
        take(r, TYPE_BYTES[type]);
    } else {
        r->ended = true;
    }
}

static bool key_is(struct mn_str key, const char *architecture, const char *field)
{
    size_t bytes = strlen(architecture);

    return key.bytes > bytes && memcmp(key.at, architecture, bytes) == 0 && key.at[bytes] == '.' &&
           mn_str_equal((struct mn_str){ key.at + bytes + 1, key.bytes - bytes - 1 },
                        mn_str_of(field));
}

static void copy_string(struct mn_str value, char *out, size_t room)
{
    size_t bytes = mn_utf8_cut(value.at, value.bytes, room - 1);

    memcpy(out, value.at, bytes);
    out[bytes] = '\0';
}

static void read_pair(struct reader *r, struct mn_gguf_header *header)
{
    struct mn_str key = take_string(r);
    uint64_t type = take(r, 4);
    size_t *size = NULL;

    if (type == GGUF_STRING && mn_str_equal(key, MN_STR("general.architecture"))) {
        copy_string(take_string(r), header->architecture, sizeof(header->architecture));
        return;
    }
    if (type == GGUF_STRING && mn_str_equal(key, MN_STR("general.name"))) {
        copy_string(take_string(r), header->name, sizeof(header->name));
        return;
    }
    if (type != GGUF_U32) {
        skip_value(r, type);
        return;
    }
    if (key_is(key, header->architecture, "embedding_length_out") ||
        (key_is(key, header->architecture, "embedding_length") && header->dim == 0))
        size = &header->dim;
    else if (key_is(key, header->architecture, "context_length"))
        size = &header->tokens_max;

    if (size != NULL)
        *size = (size_t)take(r, 4);
    else if (mn_str_equal(key, MN_STR("general.file_type")))
        header->file_type = (long)take(r, 4);
    else
        skip_value(r, type);
}

/* The whole of `bytes` at `offset`, or false. */
static bool read_at(int file, unsigned char *out, size_t bytes, off_t offset)
{
    size_t done = 0;

    while (done < bytes) {
        ssize_t got = pread(file, out + done, bytes - done, offset + (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static enum mneme_status parse(const char *path, const unsigned char *head, size_t bytes,
                               struct mn_gguf_header *header, struct mneme_error *err)
{
    struct reader r = { head, bytes, false };
    uint64_t version, pairs;

    if (!mn_str_equal(take_bytes(&r, 4), MN_STR("GGUF")))
        return mn_fail(err, MNEME_CORRUPT, "model: %s is not a GGUF file", path);
    version = take(&r, 4);
    take(&r, 8); /* tensors */
    pairs = take(&r, 8);
    if (!r.ended && version != 2 && version != 3)
        return mn_fail(err, MNEME_CORRUPT, "model: %s has GGUF version %u, known are 2 and 3", path,
                       (unsigned)version);
    for (uint64_t i = 0; i < pairs && !r.ended; i++)
        read_pair(&r, header);
    if (header->dim == 0)
        return mn_fail(err, MNEME_CORRUPT, "model: %s is cut off, or no model that makes vectors",
                       path);
    return MNEME_OK;
}

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
}

static void free_pages(unsigned char **pages)
{
    free(*pages);
}

enum mneme_status mn_gguf_read(const char *path, struct mn_gguf_header *ret_header,
                               struct mneme_error *err)
{
    MN_CLEANUP(close_file) int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    MN_CLEANUP(free_pages) unsigned char *pages = NULL;
    struct mn_gguf_header header = { .file_type = -1 };
    struct stat info;
    size_t head_bytes, tail_bytes;
    char hex[MN_SHA256_HEX_BYTES];

    if (file < 0)
        return mn_fail(err,
                       errno == ENOENT || errno == ENOTDIR ? MNEME_NOT_FOUND : MNEME_UNAVAILABLE,
                       "model: cannot open %s: %s", path, strerror(errno));
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return mn_fail(err, MNEME_CORRUPT, "model: %s is not a file", path);
    head_bytes = info.st_size < HEAD_BYTES ? (size_t)info.st_size : HEAD_BYTES;
    tail_bytes = info.st_size < TAIL_BYTES ? (size_t)info.st_size : TAIL_BYTES;

    pages = malloc(HEAD_BYTES + TAIL_BYTES + sizeof(info.st_size));
    if (pages == NULL)
        return mn_fail_memory(err);
    if (!read_at(file, pages, head_bytes, 0) ||
        !read_at(file, pages + head_bytes, tail_bytes, info.st_size - (off_t)tail_bytes))
        return mn_fail(err, MNEME_UNAVAILABLE, "model: cannot read %s: %s", path, strerror(errno));
    MN_TRY(parse(path, pages, head_bytes, &header, err));

    memcpy(pages + head_bytes + tail_bytes, &info.st_size, sizeof(info.st_size));
    if (!mn_sha256_hex(pages, head_bytes + tail_bytes + sizeof(info.st_size), hex))
        return mn_fail_memory(err);
    copy_string((struct mn_str){ hex, 8 }, header.fingerprint, sizeof(header.fingerprint));
    *ret_header = header;
    return MNEME_OK;
}
