/*
 * vector_code.h - a direction in twelve bits a number, and what is asked of it.
 *
 * A number is (k - 2047.5) step with k from 0 to 4095; step makes the largest one fit. The first
 * four bits of k stand apart from the other eight, and their first, the sign, once more by itself:
 * a search reads a twelfth of the whole for all rows, a third for some and the whole for few.
 *
 * Of fewer bits a dot product is estimated as <code, q> / <code, c>: right on average whatever was
 * rounded away.
 */
#ifndef MN_SEARCH_VECTOR_CODE_H
#define MN_SEARCH_VECTOR_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "search/scan.h"

/* Fills stride / 2 and stride bytes from a direction: a vector of length 1, or zeros. Returns step,
 * 0 for zeros. */
float mn_vector_code(const float *direction, size_t stride, uint8_t *coarse, uint8_t *rest);

/* What the code says. */
void mn_vector_decode(const uint8_t *coarse, const uint8_t *rest, size_t stride, float step,
                      float *to);

/* 1 / (2 <first four bits - 7.5, c>) and 1 / <signs, c>: what an estimate is multiplied by. */
void mn_vector_code_scales(const float *decoded, const uint8_t *coarse, size_t stride,
                           float *ret_coarse, float *ret_signs);

/* Sets the signs of one row, whose coarse code it is, in its block of MN_SIFT_ROWS. */
void mn_vector_code_signs(const uint8_t *coarse, size_t stride, size_t place, uint8_t *block);

/* ---- of a request ---- */

/* Bytes: to[i] = round(from[i] / scale). Returns the scale; 0 for a zero vector. */
float mn_vector_code_bytes(const float *from, size_t count, int8_t *to);
/* The same to eleven bits, each where dots() of scan.h wants it. */
float mn_vector_code_fine(const float *from, size_t stride, int16_t *to);
/* Tables to sift with: stride / 4 of MN_SIFT_TABLE bytes. */
void mn_vector_code_tables(const float *from, size_t stride, uint8_t *table, float *ret_step,
                           float *ret_base);

#endif
