/*
 * rotation.h - turns vectors so that no direction is special.
 *
 * A model puts much into few numbers of a vector, and few bits a number would be spent badly on
 * the others. Turned by a fixed rotation that mixes all numbers, every one tells about as much as
 * any other. Lengths and dot products stay what they are, so nothing is ever turned back.
 */
#ifndef MN_SEARCH_ROTATION_H
#define MN_SEARCH_ROTATION_H

#include <stddef.h>

#define MN_ROTATION_ROUNDS 4

/* Fills MN_ROTATION_ROUNDS * stride floats; stride a multiple of 64. The same on every machine. */
void mn_rotation_make(size_t stride, float *turn);

/* Turns `vector` in place, to the same bits on every machine. */
void mn_rotation_apply(const float *turn, size_t stride, float *vector);

#endif
