/*
 * vector_signs.h - the signs of a group's rows, one behind the other, to sift many with.
 *
 * Rows of one group only, so that one set of tables serves a block; each place says which row it
 * is. A row that was removed stays until all are laid anew, and is passed over by the filter.
 */
#ifndef MN_SEARCH_VECTOR_SIGNS_H
#define MN_SEARCH_VECTOR_SIGNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/scan.h"

/* The next room of an array of rows: twice, and from 1024 on one in 32 more, at least 64. */
static inline size_t mn_vector_room_after(size_t room)
{
    return room < 64 ? 64 : room < 1024 ? 2 * room : room + 64 + room / 32 / 64 * 64;
}

struct mn_vector_signs {
    uint8_t *block; /* count / MN_SIFT_ROWS of them, rounded up */
    uint32_t *row;
    size_t count;
    size_t room; /* a multiple of MN_SIFT_ROWS */
};

void mn_vector_signs_release(struct mn_vector_signs *signs);

/* Room for one more. False when malloc fails; what is there stays. */
bool mn_vector_signs_reserve(struct mn_vector_signs *signs, size_t stride);
/* Adds a row; there must be room. Its scale and bias are set apart. */
void mn_vector_signs_add(struct mn_vector_signs *signs, size_t stride, uint32_t row,
                         const uint8_t *coarse);
void mn_vector_signs_place(struct mn_vector_signs *signs, size_t stride, size_t place, float scale,
                           float bias);
/* A scale as it stands there; mn_vector_signs_place() puts it back exactly. */
float mn_vector_signs_scale(const struct mn_vector_signs *signs, size_t stride, size_t place);
/* Takes out the places whose row's bit is not set in both, and counts the others' rows anew: by how
 * many are alive before them. */
void mn_vector_signs_compact(struct mn_vector_signs *signs, size_t stride, const uint64_t *alive,
                             const uint64_t *in_group);

/* The best of the rows whose bit is set in both: list->keep of them. */
void mn_vector_signs_sift(const struct mn_vector_signs *signs, const struct mn_scan *scan,
                          size_t stride, const struct mn_sift_request *request,
                          const uint64_t *allowed, const uint64_t *in_group,
                          struct mn_shortlist *list);

size_t mn_vector_signs_bytes(const struct mn_vector_signs *signs, size_t stride);

#endif
