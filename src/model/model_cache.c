/*
 * model_cache.c - vectors kept in an append-only file.
 *
 * A head of 16 bytes, then records of one size: key, vector, checksum. A record is written whole
 * under the file's lock, behind the last whole one, so that what a crash left half written is cut
 * off by the next writer and skipped by every reader. The checksum is read again with each vector
 * that is used: a damaged record is made anew, never believed.
 *
 * Codes of tokens have no size that is known before. They are cut into pieces of a vector's size,
 * each a record of its own, the first with the number of bytes in front.
 *
 * In RAM stand only key and place of each record; a vector is read from the file when it is asked
 * for (a microsecond, from the page cache, against milliseconds for the model).
 */
#include "model/model_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/str.h"

#define MAGIC "mnemevc1"
#define MAGIC_BYTES 8
#define HEAD_BYTES 16
#define KEY_BYTES 32
#define SUM_BYTES 8
#define TABLE_ROOM_MIN 1024 /* a power of two */

struct key {
    unsigned char at[KEY_BYTES];
};

struct slot {
    struct key key;
    uint64_t record; /* its number, counted from 1; 0: free */
};

struct cache {
    struct mn_model base;
    struct mn_model *inner;
    int file;
    bool writes;
    size_t record_bytes;

    pthread_mutex_t lock; /* over all below */
    struct slot *slot;
    size_t slot_room; /* a power of two */
    size_t slot_count;
    uint64_t read_count;   /* records of the file that were looked at */
    unsigned char *record; /* room for one */
    struct mn_model_cache_counts counts;
};

/* FNV-1a, 64 bits: stable between versions, and a microsecond for a vector. */
static uint64_t checksum(const unsigned char *bytes, size_t count)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static bool record_whole(const struct cache *cache)
{
    size_t body = cache->record_bytes - SUM_BYTES;
    uint64_t sum;

    memcpy(&sum, cache->record + body, sizeof sum);
    return sum == checksum(cache->record, body);
}

/* ---- keys ---- */

#define VECTOR_PIECE (-1) /* else the number of a piece of codes */

static bool key_of(const struct mn_model_profile *profile, enum mn_embed_kind kind, int piece,
                   const char *text, struct key *ret_key)
{
    MN_BUF_AUTO whole = { 0 };
    char hex[MN_SHA256_HEX_BYTES];

    mn_buf_text(&whole, piece < 0 ? profile->vectors_hash : profile->tokens_hash);
    if (piece >= 0)
        mn_buf_printf(&whole, "#%d", piece);
    mn_buf_char(&whole, kind == MN_EMBED_REQUEST ? '?' : '.');
    mn_buf_text(&whole, text);
    if (whole.failed || !mn_sha256_hex(whole.at, whole.bytes, hex))
        return false;
    for (size_t i = 0; i < KEY_BYTES; i++) {
        const char pair[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

        ret_key->at[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return true;
}

/* The slot of this key, or the free one where it belongs. Keys are digests: any bytes spread. */
static struct slot *find_slot(struct slot *slot, size_t room, const struct key *key)
{
    uint64_t hash;

    memcpy(&hash, key->at, sizeof hash);
    for (size_t i = hash & (room - 1);; i = (i + 1) & (room - 1))
        if (!slot[i].record || !memcmp(&slot[i].key, key, sizeof *key))
            return &slot[i];
}

static bool grow(struct cache *cache)
{
    size_t room = cache->slot_room ? cache->slot_room * 2 : TABLE_ROOM_MIN;
    struct slot *grown = calloc(room, sizeof *grown);

    if (!grown)
        return false;
    for (size_t i = 0; i < cache->slot_room; i++)
        if (cache->slot[i].record)
            *find_slot(grown, room, &cache->slot[i].key) = cache->slot[i];
    free(cache->slot);
    cache->slot = grown;
    cache->slot_room = room;
    return true;
}

/* The later record of a key holds: an earlier one was found damaged. */
static bool note_record(struct cache *cache, const struct key *key, uint64_t record)
{
    if (2 * (cache->slot_count + 1) > cache->slot_room && !grow(cache))
        return false;
    struct slot *slot = find_slot(cache->slot, cache->slot_room, key);

    cache->slot_count += slot->record == 0;
    *slot = (struct slot){ *key, record };
    return true;
}

/* ---- the file ---- */

static bool read_at(int file, void *bytes, size_t count, off_t at)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = pread(file, (char *)bytes + done, count - done, at + (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_at(int file, const void *bytes, size_t count, off_t at)
{
    for (size_t done = 0; done < count;) {
        ssize_t put = pwrite(file, (const char *)bytes + done, count - done, at + (off_t)done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static off_t place_of(const struct cache *cache, uint64_t record)
{
    return (off_t)(HEAD_BYTES + (record - 1) * cache->record_bytes);
}

static bool read_record(struct cache *cache, uint64_t number)
{
    return read_at(cache->file, cache->record, cache->record_bytes, place_of(cache, number));
}

/* Whole records of the file; false when it cannot be told. */
static bool count_records(const struct cache *cache, uint64_t *ret_count)
{
    struct stat about;

    if (fstat(cache->file, &about) || about.st_size < HEAD_BYTES)
        return false;
    *ret_count = ((uint64_t)about.st_size - HEAD_BYTES) / cache->record_bytes;
    return true;
}

static void forget_records(struct cache *cache)
{
    if (cache->slot)
        memset(cache->slot, 0, cache->slot_room * sizeof *cache->slot);
    cache->slot_count = 0;
    cache->read_count = 0;
}

/* Looks at what was appended since. Records that are not whole keep their place and count as none. A
 * file with fewer of them was emptied. */
static bool catch_up(struct cache *cache)
{
    uint64_t count;

    if (!count_records(cache, &count))
        return false;
    if (count < cache->read_count)
        forget_records(cache);
    while (cache->read_count < count) {
        uint64_t next = cache->read_count + 1;
        struct key key;

        if (!read_record(cache, next))
            return false;
        memcpy(&key, cache->record, sizeof key);
        if (record_whole(cache) && !note_record(cache, &key, next))
            return false;
        cache->read_count = next;
    }
    return true;
}

static void make_record(struct cache *cache, const struct key *key, const void *vector)
{
    size_t body = cache->record_bytes - SUM_BYTES;
    uint64_t sum;

    memcpy(cache->record, key, sizeof *key);
    memcpy(cache->record + sizeof *key, vector, body - sizeof *key);
    sum = checksum(cache->record, body);
    memcpy(cache->record + body, &sum, sizeof sum);
}

/* Behind the last whole record; over the half one that a crash may have left. */
static void append(struct cache *cache, const struct key *key, const void *vector)
{
    if (!cache->writes || flock(cache->file, LOCK_EX))
        return;
    if (catch_up(cache)) {
        uint64_t next = cache->read_count + 1;

        make_record(cache, key, vector);
        cache->writes = write_at(cache->file, cache->record, cache->record_bytes,
                                 place_of(cache, next)) &&
                        note_record(cache, key, next);
        cache->read_count += cache->writes;
    }
    flock(cache->file, LOCK_UN);
}

static bool look_up(struct cache *cache, const struct key *key, void *vector)
{
    const struct slot *slot =
        cache->slot_room ? find_slot(cache->slot, cache->slot_room, key) : NULL;

    if (!slot || !slot->record || !read_record(cache, slot->record) || !record_whole(cache) ||
        memcmp(cache->record, key, sizeof *key))
        return false;
    memcpy(vector, cache->record + KEY_BYTES, cache->record_bytes - KEY_BYTES - SUM_BYTES);
    return true;
}

/* ---- the model ---- */

/* What a broken model made is refused by the caller; kept, it would outlive the repair. */
static bool length_is_one(const float *vector, size_t dim)
{
    double squares = 0;

    for (size_t i = 0; i < dim; i++)
        squares += (double)vector[i] * vector[i];
    return squares > 0.99 && squares < 1.01;
}

static enum mneme_status cache_embed(struct mn_model *model, enum mn_embed_kind kind,
                                     const char *text, float *vector, struct mneme_error *err)
{
    struct cache *cache = (struct cache *)model;
    struct key key;

    if (!key_of(&model->profile, kind, VECTOR_PIECE, text, &key))
        return mn_fail_memory(err);
    pthread_mutex_lock(&cache->lock);
    bool found = look_up(cache, &key, vector);
    cache->counts.found += found;
    pthread_mutex_unlock(&cache->lock);
    if (found)
        return MNEME_OK;

    MN_TRY(cache->inner->ops->embed(cache->inner, kind, text, vector, err));
    pthread_mutex_lock(&cache->lock);
    cache->counts.made++;
    if (length_is_one(vector, model->profile.dim))
        append(cache, &key, vector);
    pthread_mutex_unlock(&cache->lock);
    return MNEME_OK;
}

/* ---- codes of tokens ---- */

#define CODES_HEAD sizeof(uint32_t) /* how many bytes there are */
#define CODES_BYTES_MAX (MN_TOKENS_PASSAGE_MAX * MN_TOKEN_REQUEST_BYTES)

static size_t piece_bytes(const struct cache *cache)
{
    return cache->record_bytes - KEY_BYTES - SUM_BYTES;
}

/* Behind what is in `codes`. */
static bool look_up_codes(struct cache *cache, enum mn_embed_kind kind, const char *text,
                          struct mn_buf *codes)
{
    size_t room = piece_bytes(cache), wanted = CODES_HEAD;
    MN_BUF_AUTO whole = { 0 };
    struct key key;

    for (int piece = 0; whole.bytes < wanted; piece++) {
        float bytes[MN_VECTOR_DIM_MAX];
        uint32_t count;

        if (!key_of(&cache->base.profile, kind, piece, text, &key) || !look_up(cache, &key, bytes))
            return false;
        mn_buf_put(&whole, bytes, room);
        if (whole.failed)
            return false;
        if (piece > 0)
            continue;
        memcpy(&count, whole.at, sizeof count);
        if (count > CODES_BYTES_MAX)
            return false;
        wanted += count;
    }
    mn_buf_put(codes, whole.at + CODES_HEAD, wanted - CODES_HEAD);
    return true;
}

static void append_codes(struct cache *cache, enum mn_embed_kind kind, const char *text,
                         const struct mn_buf *codes)
{
    size_t room = piece_bytes(cache);
    uint32_t count = (uint32_t)codes->bytes;
    MN_BUF_AUTO whole = { 0 };
    struct key key;

    mn_buf_put(&whole, &count, sizeof count);
    mn_buf_put(&whole, codes->at, codes->bytes);
    while (!whole.failed && whole.bytes % room)
        mn_buf_char(&whole, '\0');
    for (size_t at = 0; !whole.failed && at < whole.bytes; at += room)
        if (key_of(&cache->base.profile, kind, (int)(at / room), text, &key))
            append(cache, &key, whole.at + at);
}

static enum mneme_status cache_embed_tokens(struct mn_model *model, enum mn_embed_kind kind,
                                            const char *text, float *vector, struct mn_buf *codes,
                                            struct mneme_error *err)
{
    struct cache *cache = (struct cache *)model;
    struct key key;

    if (!key_of(&model->profile, kind, VECTOR_PIECE, text, &key))
        return mn_fail_memory(err);
    pthread_mutex_lock(&cache->lock);
    bool has_vector = look_up(cache, &key, vector);
    bool found = has_vector && look_up_codes(cache, kind, text, codes);
    cache->counts.found += found;
    pthread_mutex_unlock(&cache->lock);
    if (codes->failed)
        return mn_fail_memory(err);
    if (found)
        return MNEME_OK;

    MN_TRY(cache->inner->ops->embed_tokens(cache->inner, kind, text, vector, codes, err));
    pthread_mutex_lock(&cache->lock);
    cache->counts.made++;
    if (length_is_one(vector, model->profile.dim)) {
        if (!has_vector)
            append(cache, &key, vector);
        append_codes(cache, kind, text, codes);
    }
    pthread_mutex_unlock(&cache->lock);
    return MNEME_OK;
}

static enum mneme_status cache_token_states(struct mn_model *model, enum mn_embed_kind kind,
                                            const char *text, struct mn_buf *states,
                                            struct mneme_error *err)
{
    struct cache *cache = (struct cache *)model;

    return cache->inner->ops->token_states(cache->inner, kind, text, states, err);
}

static enum mneme_status cache_count(struct mn_model *model, const char *text, size_t *ret_count,
                                     struct mneme_error *err)
{
    struct cache *cache = (struct cache *)model;

    return cache->inner->ops->count_tokens(cache->inner, text, ret_count, err);
}

static void cache_release(struct cache *cache)
{
    if (cache->file >= 0)
        close(cache->file);
    pthread_mutex_destroy(&cache->lock);
    free(cache->slot);
    free(cache->record);
    free(cache);
}

static void cache_free(struct mn_model *model)
{
    struct cache *cache = (struct cache *)model;

    mn_model_free(cache->inner); /* the profile's means are its */
    cache_release(cache);
}

/* As much as the model behind it gives. */
static const struct mn_model_ops CACHE_OPS = { cache_embed, cache_count, cache_free, NULL, NULL };
static const struct mn_model_ops CACHE_TOKENS_OPS = { cache_embed, cache_count, cache_free,
                                                      cache_embed_tokens, cache_token_states };

/* Zeros first: what a file no longer reaches may stay on the disk for long. */
static bool empty_file(int file)
{
    static const unsigned char zeros[65536];
    struct stat about;

    if (fstat(file, &about))
        return false;
    for (off_t at = HEAD_BYTES; at < about.st_size; at += (off_t)sizeof zeros) {
        size_t left = (size_t)(about.st_size - at);

        if (!write_at(file, zeros, left < sizeof zeros ? left : sizeof zeros, at))
            return false;
    }
    return fdatasync(file) == 0 && (about.st_size <= HEAD_BYTES || ftruncate(file, HEAD_BYTES) == 0) &&
           fsync(file) == 0;
}

enum mneme_status mn_model_cache_clear(struct mn_model *model, struct mneme_error *err)
{
    struct cache *cache = (struct cache *)model;
    bool emptied = false;

    if (model->ops->free != cache_free)
        return MNEME_OK;
    pthread_mutex_lock(&cache->lock);
    if (cache->writes && flock(cache->file, LOCK_EX) == 0) {
        emptied = empty_file(cache->file);
        forget_records(cache);
        flock(cache->file, LOCK_UN);
    }
    pthread_mutex_unlock(&cache->lock);
    if (!emptied)
        return mn_fail(err, MNEME_UNAVAILABLE, "the file of cached vectors cannot be emptied");
    return MNEME_OK;
}

static enum mneme_status clear_opened(int file, const char *path, struct mneme_error *err)
{
    unsigned char head[MAGIC_BYTES];
    struct stat about;

    if (flock(file, LOCK_EX) || fstat(file, &about))
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s: %s", path,
                       strerror(errno));
    if (about.st_size == 0)
        return MNEME_OK;
    if (about.st_size < HEAD_BYTES || !read_at(file, head, sizeof head, 0) ||
        memcmp(head, MAGIC, sizeof head))
        return mn_fail(err, MNEME_CORRUPT, "embedding_cache_path: %s is no cache of vectors", path);
    if (!empty_file(file))
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s cannot be emptied", path);
    return MNEME_OK;
}

enum mneme_status mn_model_cache_clear_file(const char *path, struct mneme_error *err)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    enum mneme_status status;

    if (file < 0 && errno == ENOENT)
        return MNEME_OK;
    if (file < 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s: %s", path,
                       strerror(errno));
    status = clear_opened(file, path, err);
    (void)close(file); /* and its lock */
    return status;
}

struct mn_model_cache_counts mn_model_cache_counts(const struct mn_model *cache)
{
    struct cache *own = (struct cache *)cache;

    pthread_mutex_lock(&own->lock);
    struct mn_model_cache_counts counts = own->counts;
    pthread_mutex_unlock(&own->lock);
    return counts;
}

/* ---- opening ---- */

static enum mneme_status open_file(struct cache *cache, const char *path, struct mneme_error *err)
{
    cache->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    cache->writes = cache->file >= 0;
    if (cache->file < 0)
        cache->file = open(path, O_RDONLY | O_CLOEXEC);
    if (cache->file < 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s: %s", path,
                       strerror(errno));
    return MNEME_OK;
}

/* The head of a new file is written; that of an old one has to fit. Under the file's lock. */
static enum mneme_status check_head(struct cache *cache, const char *path, struct mneme_error *err)
{
    uint32_t dim = (uint32_t)cache->base.profile.dim;
    unsigned char wanted[HEAD_BYTES] = MAGIC;
    unsigned char head[HEAD_BYTES];
    struct stat about;

    memcpy(wanted + MAGIC_BYTES, &dim, sizeof dim);
    if (fstat(cache->file, &about))
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s: %s", path,
                       strerror(errno));
    if (about.st_size == 0) {
        if (cache->writes && write_at(cache->file, wanted, sizeof wanted, 0))
            return MNEME_OK;
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s cannot be written", path);
    }
    if (about.st_size < HEAD_BYTES || !read_at(cache->file, head, sizeof head, 0) ||
        memcmp(head, wanted, MAGIC_BYTES))
        return mn_fail(err, MNEME_CORRUPT, "embedding_cache_path: %s is no cache of vectors", path);
    if (memcmp(head, wanted, sizeof head))
        return mn_fail(err, MNEME_CORRUPT,
                       "embedding_cache_path: %s holds vectors of another dimension than %u", path,
                       (unsigned)dim);
    return MNEME_OK;
}

static enum mneme_status open_cache(struct cache *cache, const char *path, struct mneme_error *err)
{
    cache->record = malloc(cache->record_bytes);
    if (!cache->record)
        return mn_fail_memory(err);
    MN_TRY(open_file(cache, path, err));
    if (flock(cache->file, LOCK_EX))
        return mn_fail(err, MNEME_UNAVAILABLE, "embedding_cache_path: %s cannot be locked: %s",
                       path, strerror(errno));
    enum mneme_status status = check_head(cache, path, err);
    flock(cache->file, LOCK_UN);
    MN_TRY(status);
    if (!catch_up(cache))
        return mn_fail_memory(err);
    return MNEME_OK;
}

enum mneme_status mn_model_cache_new(struct mn_model *inner, const char *path,
                                     struct mn_model **ret_model, struct mneme_error *err)
{
    struct cache *cache = calloc(1, sizeof *cache);

    if (!cache)
        return mn_fail_memory(err);
    cache->base.ops = inner->ops->embed_tokens ? &CACHE_TOKENS_OPS : &CACHE_OPS;
    cache->base.profile = inner->profile; /* borrowed from inner, which lives as long */
    cache->inner = inner;
    cache->file = -1;
    cache->record_bytes = KEY_BYTES + inner->profile.dim * sizeof(float) + SUM_BYTES;
    pthread_mutex_init(&cache->lock, NULL);
    enum mneme_status status = open_cache(cache, path, err);
    if (status != MNEME_OK) {
        cache_release(cache);
        return status;
    }
    *ret_model = &cache->base;
    return MNEME_OK;
}
