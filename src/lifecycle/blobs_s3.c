/*
 * blobs_s3.c - files in a bucket of a storage that speaks S3: PUT, GET, DELETE, ListObjectsV2.
 *
 * The bucket stands in the path, as all of them understand. Requests are signed; what is sent is
 * covered by the signature. Of the list's XML only the keys are read, which are names of ours and hold
 * nothing that XML would write otherwise.
 */
#include "lifecycle/blobs.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define TIMEOUT_MS 60000
#define LIST_BYTES_MAX ((size_t)8 << 20) /* of one page, at most 1,000 keys */

struct bucket {
    struct mn_blobs base;
    struct mn_http *http; /* of scheme://host[:port] */
    char *path;           /* "/BUCKET[/PREFIX]", without an end '/' */
    pthread_mutex_t mutex; /* one request at a time */
};

static enum mneme_status send(struct bucket *b, const char *method, const char *path,
                              const void *bytes, size_t count, size_t answer_bytes_max,
                              struct mn_buf *ret_answer, long *ret_code, struct mneme_error *err)
{
    (void)pthread_mutex_lock(&b->mutex);
    enum mneme_status status = mn_http_send(b->http, method, path, bytes, count, TIMEOUT_MS,
                                            answer_bytes_max, ret_answer, ret_code, err);
    (void)pthread_mutex_unlock(&b->mutex);
    return status;
}

static enum mneme_status path_of(const struct bucket *b, const char *name, struct mn_buf *ret_path,
                                 struct mneme_error *err)
{
    mn_buf_printf(ret_path, "%s/%s", b->path, name);
    return ret_path->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* A file that is not there is an answer; to anything else it says that there is no bucket. */
static enum mneme_status no_bucket(const struct bucket *b, struct mneme_error *err)
{
    return mn_fail(err, MNEME_UNAVAILABLE, "archive: the storage knows no bucket at %.300s", b->path);
}

static enum mneme_status put(struct mn_blobs *blobs, const char *name, const void *bytes,
                             size_t count, struct mneme_error *err)
{
    struct bucket *b = (struct bucket *)blobs;
    MN_BUF_AUTO path = { 0 };
    MN_BUF_AUTO answer = { 0 };
    long code = 0;

    MN_TRY(path_of(b, name, &path, err));
    MN_TRY(send(b, "PUT", path.at, bytes, count, LIST_BYTES_MAX, &answer, &code, err));
    return code == 404 ? no_bucket(b, err) : MNEME_OK;
}

static enum mneme_status get(struct mn_blobs *blobs, const char *name, struct mn_buf *ret_bytes,
                             struct mneme_error *err)
{
    struct bucket *b = (struct bucket *)blobs;
    MN_BUF_AUTO path = { 0 };
    MN_BUF_AUTO answer = { 0 };
    long code = 0;

    MN_TRY(path_of(b, name, &path, err));
    MN_TRY(send(b, "GET", path.at, NULL, 0, MN_BLOB_BYTES_MAX, &answer, &code, err));
    if (code == 404)
        return mn_fail(err, MNEME_NOT_FOUND, "archive: there is no %.200s", name);
    mn_buf_put(ret_bytes, answer.at, answer.bytes);
    return ret_bytes->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status remove_file(struct mn_blobs *blobs, const char *name,
                                     struct mneme_error *err)
{
    struct bucket *b = (struct bucket *)blobs;
    MN_BUF_AUTO path = { 0 };
    MN_BUF_AUTO answer = { 0 };
    long code = 0;

    MN_TRY(path_of(b, name, &path, err));
    return send(b, "DELETE", path.at, NULL, 0, LIST_BYTES_MAX, &answer, &code, err);
}

/* ---- the list ---- */

static void put_encoded(struct mn_buf *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];

        if (isalnum(c) || strchr("-._~", c))
            mn_buf_char(out, (char)c);
        else
            mn_buf_printf(out, "%%%02X", c);
    }
}

/* The text of the next element of this name from *at on; false when there is none. */
static bool next_element(const char **at, const char *name, struct mn_str *ret_text)
{
    char open[64], close[64];

    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    const char *from = strstr(*at, open);
    const char *to = from ? strstr(from, close) : NULL;
    if (!to)
        return false;
    from += strlen(open);
    *ret_text = (struct mn_str){ from, (size_t)(to - from) };
    *at = to;
    return true;
}

struct names {
    const char **item;
    size_t count, room;
};

/* bucket/prefix -> what keys begin with: all of the path behind the bucket, and the store's name. */
static const char *key_prefix(const struct bucket *b, const char *store, struct mn_arena *arena)
{
    const char *slash = strchr(b->path + 1, '/');

    return mn_arena_printf(arena, "%s%s%s/", slash ? slash + 1 : "", slash ? "/" : "", store);
}

static enum mneme_status add_keys(const char *xml, const char *prefix, struct mn_arena *arena,
                                  struct names *names, struct mneme_error *err)
{
    struct mn_str key;

    while (next_element(&xml, "Key", &key)) {
        size_t skip = strlen(prefix);

        if (key.bytes <= skip || memcmp(key.at, prefix, skip) != 0)
            continue;
        const char **name = mn_array_add(arena, names);
        if (!name || !(*name = mn_arena_copy_n(arena, key.at + skip, key.bytes - skip)))
            return mn_fail_memory(err);
    }
    return MNEME_OK;
}

/* Parameters stand in the order of their names, as the signature reads them. */
static enum mneme_status page_path(const struct bucket *b, const char *prefix, struct mn_str token,
                                   struct mn_buf *out, struct mneme_error *err)
{
    mn_buf_put(out, b->path, 1 + strcspn(b->path + 1, "/"));
    mn_buf_char(out, '?');
    if (token.bytes) {
        mn_buf_text(out, "continuation-token=");
        put_encoded(out, token.at, token.bytes);
        mn_buf_char(out, '&');
    }
    mn_buf_text(out, "list-type=2&prefix=");
    put_encoded(out, prefix, strlen(prefix));
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status list(struct mn_blobs *blobs, const char *store, struct mn_arena *arena,
                              struct mneme_list *ret_names, struct mneme_error *err)
{
    struct bucket *b = (struct bucket *)blobs;
    const char *prefix = key_prefix(b, store, arena);
    struct names names = { 0 };
    struct mn_str token = { "", 0 };

    if (!prefix)
        return mn_fail_memory(err);
    do {
        MN_BUF_AUTO path = { 0 };
        MN_BUF_AUTO xml = { 0 };
        struct mn_str next = { "", 0 };
        long code = 0;

        MN_TRY(page_path(b, prefix, token, &path, err));
        MN_TRY(send(b, "GET", path.at, NULL, 0, LIST_BYTES_MAX, &xml, &code, err));
        if (code == 404)
            return no_bucket(b, err);
        const char *at = mn_or_empty(xml.at);
        if (!strstr(at, "<ListBucketResult"))
            return mn_fail(err, MNEME_UNAVAILABLE, "archive: the storage's list cannot be read");
        MN_TRY(add_keys(at, prefix, arena, &names, err));
        (void)next_element(&at, "NextContinuationToken", &next);
        token = (struct mn_str){ mn_arena_copy_n(arena, next.at, next.bytes), next.bytes };
        if (!token.at)
            return mn_fail_memory(err);
    } while (token.bytes);
    *ret_names = (struct mneme_list){ names.item, names.count };
    return MNEME_OK;
}

static void free_bucket(struct mn_blobs *blobs)
{
    struct bucket *b = (struct bucket *)blobs;

    mn_http_free(b->http);
    (void)pthread_mutex_destroy(&b->mutex);
    free(b->path);
    free(b);
}

static const struct mn_blobs_ops ops = {
    .put = put,
    .get = get,
    .remove = remove_file,
    .list = list,
    .free = free_bucket,
};

enum mneme_status mn_blobs_s3_new(const char *url, const struct mn_http_signature *signature,
                                  struct mn_blobs **ret_blobs, struct mneme_error *err)
{
    const char *host = strstr(url, "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;
    MN_BUF_AUTO base = { 0 };
    size_t bytes = path ? strlen(path) : 0;

    while (bytes && path[bytes - 1] == '/')
        bytes--;
    if (bytes < 2 || strpbrk(path, "?#"))
        return mn_fail(err, MNEME_INVALID, "archive: the URL names no bucket in its path");
    if (mn_empty(signature->access_key) || mn_empty(signature->secret_key))
        return mn_fail(err, MNEME_FORBIDDEN, "archive: the storage's access key and secret are missing");
    struct bucket *b = calloc(1, sizeof *b);
    if (!b)
        return mn_fail_memory(err);
    b->base.ops = &ops;
    (void)pthread_mutex_init(&b->mutex, NULL);
    mn_buf_put(&base, url, (size_t)(path - url));
    b->path = strndup(path, bytes);
    enum mneme_status status = base.failed || !b->path
                                   ? mn_fail_memory(err)
                                   : mn_http_new_signed(base.at, signature, &b->http, err);
    if (status != MNEME_OK) {
        free_bucket(&b->base);
        return status;
    }
    *ret_blobs = &b->base;
    return MNEME_OK;
}
