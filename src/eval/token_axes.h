/*
 * token_axes.h - the mean of many states of tokens, and the axes on which they differ most.
 */
#ifndef MN_EVAL_TOKEN_AXES_H
#define MN_EVAL_TOKEN_AXES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct mn_token_axes {
    size_t dim;
    size_t count;     /* states so far */
    double *sum;      /* dim */
    double *products; /* dim x dim, of every pair of a state's numbers */
};

enum mneme_status mn_token_axes_init(size_t dim, struct mn_arena *arena,
                                     struct mn_token_axes *ret_axes, struct mneme_error *err);
void mn_token_axes_add(struct mn_token_axes *axes, const float *states, size_t count);
/* ret_mean: dim numbers; ret_axes: `wanted` rows of dim, each of length 1 and square to the others, the
 * one along which the states are spread most first. wanted <= dim. */
enum mneme_status mn_token_axes_find(const struct mn_token_axes *axes, size_t wanted,
                                     struct mn_arena *arena, double *ret_mean, double *ret_axes,
                                     struct mneme_error *err);

#endif
