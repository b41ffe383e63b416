/*
 * archive_object.h - turns of one session as the bytes of a file, and back.
 *
 * Lines of JSON: whose they are, then each turn as it is exported. Compressed (zstd, with its checksum)
 * and sealed under a key that lies in the store: an encrypted store has no plaintext beside it, and an
 * archive without its store says nothing. A backup of the store has the key; whoever destroys the key
 * of the store has destroyed that of the archive.
 */
#ifndef MN_LIFECYCLE_ARCHIVE_OBJECT_H
#define MN_LIFECYCLE_ARCHIVE_OBJECT_H

#include "base/arena.h"
#include "base/seal.h"
#include "memory/partition.h"
#include "store/store.h"

#define MN_ARCHIVE_PLAIN_BYTES_MAX ((size_t)256 << 20)

/* What is in a file. */
struct mn_archive_content {
    struct mn_partition partition;
    const char *session_id;
    struct mn_events events;
};

/* name: of the file; under another one it cannot be opened. Appends. */
enum mneme_status mn_archive_encode(const struct mn_seal_key *key, const char *name,
                                    const struct mn_archive_content *content, struct mn_buf *out,
                                    struct mneme_error *err);
/* MNEME_CORRUPT: damaged, another file's, or under another key. */
enum mneme_status mn_archive_decode(const struct mn_seal_key *key, const char *name,
                                    const void *bytes, size_t count, struct mn_arena *arena,
                                    struct mn_archive_content *ret_content,
                                    struct mneme_error *err);

#endif
