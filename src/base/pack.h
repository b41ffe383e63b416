/*
 * pack.h - bytes made short, and long again.
 *
 * Frames of Zstandard (RFC 8878) with their length and a checksum. Whoever has bytes in which some may lie
 * packed can look into them: what is packed is as readable as what is not, to whoever knows how.
 */
#ifndef MN_BASE_PACK_H
#define MN_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define MN_PACK_QUICK 1 /* levels of zstd; the first takes 0.3 ms for 100 KB */
#define MN_PACK_ONCE 6  /* written once, read hardly ever */

/* Appends to `out`. */
enum mneme_status mn_pack(int level, struct mn_str plain, struct mn_buf *out, struct mneme_error *err);

/* Are they packed, and how many are they when unpacked? As the bytes say, which may be damaged. */
bool mn_packed_says(struct mn_str packed, size_t *ret_bytes);

/* Fills the room, which is as large as they say. MNEME_CORRUPT: they are not what was packed, `what`
 * names them; MNEME_LIMIT: no memory. */
enum mneme_status mn_unpack(const char *what, struct mn_str packed, void *room, size_t bytes,
                            struct mneme_error *err);

/* A piece of what lies packed among bytes. */
typedef void (*mn_plain_fn)(void *context, const void *bytes, size_t count);

/* All that can be unpacked from these bytes alone, in pieces of 1 MiB at most: a frame that is cut is
 * given as far as its whole blocks go, for nobody can read the rest. Finding none is OK. */
enum mneme_status mn_unpack_among(struct mn_str bytes, mn_plain_fn piece, void *context,
                                  struct mneme_error *err);

#endif
