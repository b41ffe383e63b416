/*
 * half.h - vectors at half precision (IEEE 754 binary16), as they lie in the store.
 *
 * Components of unit vectors keep 11 bits: an error below 0.0005 of each, and of a cosine less.
 */
#ifndef MN_STORE_HALF_H
#define MN_STORE_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rounds to nearest, ties to even. False when a component is no number or beyond 65504; then `to`
 * is not to be used. */
bool mn_half_pack(const float *from, size_t count, uint16_t *to);
/* `from` may stand at any address. */
void mn_half_unpack(const void *from, size_t count, float *to);

#endif
