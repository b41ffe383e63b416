/*
 * blobs.h - a place for files that are written once: a folder, or a storage that speaks S3.
 *
 * Names are ours: lower-case letters, digits and one '/' between the store's name and the file's, so
 * that several stores can share a place. A file is durable when put returns.
 */
#ifndef MN_LIFECYCLE_BLOBS_H
#define MN_LIFECYCLE_BLOBS_H

#include <stddef.h>

#include <mneme/memory.h>

#include "base/arena.h"
#include "base/http_client.h"
#include "base/str.h"

#define MN_BLOB_BYTES_MAX ((size_t)256 << 20)

struct mn_blobs;

struct mn_blobs_ops {
    /* MNEME_UNAVAILABLE: the place does not answer, or is full. MNEME_FORBIDDEN: a wrong key. */
    enum mneme_status (*put)(struct mn_blobs *blobs, const char *name, const void *bytes,
                             size_t count, struct mneme_error *err);
    /* MNEME_NOT_FOUND. Appends. */
    enum mneme_status (*get)(struct mn_blobs *blobs, const char *name, struct mn_buf *ret_bytes,
                             struct mneme_error *err);
    /* One that is not there is removed. */
    enum mneme_status (*remove)(struct mn_blobs *blobs, const char *name, struct mneme_error *err);
    /* Names under the folder of a store, without it. */
    enum mneme_status (*list)(struct mn_blobs *blobs, const char *store, struct mn_arena *arena,
                              struct mneme_list *ret_names, struct mneme_error *err);
    void (*free)(struct mn_blobs *blobs);
};

/* Embedded first in each place's own struct. Safe from several threads. */
struct mn_blobs {
    const struct mn_blobs_ops *ops;
};

/* The folder is made with the first file. */
enum mneme_status mn_blobs_folder_new(const char *path, struct mn_blobs **ret_blobs,
                                      struct mneme_error *err);
/* url: http(s)://HOST[:PORT]/BUCKET[/PREFIX], the bucket in the path. Nothing is connected yet. */
enum mneme_status mn_blobs_s3_new(const char *url, const struct mn_http_signature *signature,
                                  struct mn_blobs **ret_blobs, struct mneme_error *err);
void mn_blobs_free(struct mn_blobs *blobs); /* accepts NULL */

#endif
