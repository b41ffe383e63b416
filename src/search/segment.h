/*
 * segment.h - the index of a partition as bytes, to be loaded instead of built anew.
 *
 * What took time to find out is in it: packed documents, the terms of rows, what is told of turns,
 * vectors as they are searched. Posting lists, tables and columns are made again from these. Never
 * needed: who cannot use a segment builds from the store's rows.
 *
 * Its bytes are trusted by nobody: a segment whose format, analysis of text, vectors' profile or
 * partition is another, or whose checksum does not fit, is none; and whatever the bytes are, loading
 * them reads nothing outside and leaves either a whole index or none.
 */
#ifndef MN_SEARCH_SEGMENT_H
#define MN_SEARCH_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "memory/partition.h"
#include "search/partition_index.h"

/* Of an index without dead rows. Fails as the buffer does. */
void mn_segment_save(const struct mn_partition_index *index, const char *profile,
                     const char *cursor, struct mn_buf *out);

/* Into an index that is empty. *ret_cursor: in the bytes. False: another's or damaged bytes, or no
 * memory; the index must then be released. */
bool mn_segment_load(const void *bytes, size_t count, struct mn_partition partition,
                     const char *profile, struct mn_partition_index *index,
                     const char **ret_cursor);

#endif
