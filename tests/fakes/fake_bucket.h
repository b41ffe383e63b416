/*
 * fake_bucket.h - a storage on the loopback that keeps files in RAM and speaks as much S3 as is asked.
 *
 * It wants a signature (of the version, key and region it knows) and the digest of what is sent, which it
 * checks; the signature itself it cannot.
 */
#ifndef MN_TESTS_FAKE_BUCKET_H
#define MN_TESTS_FAKE_BUCKET_H

#include <stddef.h>

struct fake_bucket;

/* Listens on a free port of 127.0.0.1, on a thread of its own; NULL when that fails. */
struct fake_bucket *fake_bucket_new(const char *bucket, const char *access_key);
void fake_bucket_free(struct fake_bucket *bucket);
int fake_bucket_port(const struct fake_bucket *bucket);

/* From now on each request is answered so; 0: as it should be. */
void fake_bucket_fail(struct fake_bucket *bucket, int status);
size_t fake_bucket_files(struct fake_bucket *bucket);
/* Is this text in what is kept, or in any request so far? */
int fake_bucket_saw(struct fake_bucket *bucket, const char *text);

#endif
