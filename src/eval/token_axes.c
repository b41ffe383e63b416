/*
 * token_axes.c - principal axes by orthogonal iteration.
 *
 * All wanted axes are turned by the spread at once and made square to each other again, until they
 * have come to rest or ROUNDS_MAX times: those that are still alike then have nearly the same
 * spread, and any two axes of their plane would do. Each is told with its largest number positive,
 * so that the same states give the same axes.
 */
#include "eval/token_axes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define ROUNDS_MAX 200
#define AT_REST 1e-9 /* what an axis' cosine with itself a round before lacks of 1 */

enum mneme_status mn_token_axes_init(size_t dim, struct mn_arena *arena,
                                     struct mn_token_axes *ret_axes, struct mneme_error *err)
{
    struct mn_token_axes axes = { .dim = dim };

    axes.sum = mn_arena_array(arena, double, dim);
    axes.products = mn_arena_array(arena, double, dim *dim);
    if (!axes.sum || !axes.products)
        return mn_fail_memory(err);
    *ret_axes = axes;
    return MNEME_OK;
}

void mn_token_axes_add(struct mn_token_axes *axes, const float *states, size_t count)
{
    size_t dim = axes->dim;

    for (size_t s = 0; s < count; s++) {
        const float *state = states + s * dim;

        for (size_t i = 0; i < dim; i++) {
            double one = (double)state[i];
            double *row = axes->products + i * dim;

            axes->sum[i] += one;
            for (size_t j = 0; j < dim; j++)
                row[j] += one * (double)state[j];
        }
    }
    axes->count += count;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Square to those before it, and of length 1; one that is nothing but them becomes the unit vector
 * that is least so. */
static void make_square(double *axes, size_t which, size_t dim)
{
    double *axis = axes + which * dim;

    for (size_t tries = 0; tries <= dim; tries++) {
        double length = sqrt(dot(axis, axis, dim));

        for (int twice = 0; twice < 2; twice++) {
            for (size_t before = 0; before < which; before++) {
                double share = dot(axis, axes + before * dim, dim);

                for (size_t i = 0; i < dim; i++)
                    axis[i] -= share * axes[before * dim + i];
            }
        }
        double left = sqrt(dot(axis, axis, dim));

        if (left > 1e-8 * length && left > 0) {
            for (size_t i = 0; i < dim; i++)
                axis[i] /= left;
            return;
        }
        memset(axis, 0, dim * sizeof *axis);
        axis[(which + tries) % dim] = 1;
    }
}

static void begin(double *axes, size_t wanted, size_t dim)
{
    uint64_t random = 1;

    for (size_t i = 0; i < wanted * dim; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        axes[i] = (double)(int32_t)(random >> 32) / INT32_MAX;
    }
    for (size_t a = 0; a < wanted; a++)
        make_square(axes, a, dim);
}

/* Once turned by the spread; returns what the axis that moved most lacks of its cosine. */
static double round_once(const double *spread, double *axes, double *turned, size_t wanted,
                         size_t dim)
{
    double most = 0;

    for (size_t a = 0; a < wanted; a++)
        for (size_t i = 0; i < dim; i++)
            turned[a * dim + i] = dot(spread + i * dim, axes + a * dim, dim);
    for (size_t a = 0; a < wanted; a++) {
        make_square(turned, a, dim);
        most = fmax(most, 1 - fabs(dot(turned + a * dim, axes + a * dim, dim)));
    }
    memcpy(axes, turned, wanted * dim * sizeof *axes);
    return most;
}

static void point_up(double *axis, size_t dim)
{
    size_t largest = 0;

    for (size_t i = 1; i < dim; i++)
        if (fabs(axis[i]) > fabs(axis[largest]))
            largest = i;
    if (axis[largest] >= 0)
        return;
    for (size_t i = 0; i < dim; i++)
        axis[i] = -axis[i];
}

enum mneme_status mn_token_axes_find(const struct mn_token_axes *axes, size_t wanted,
                                     struct mn_arena *arena, double *ret_mean, double *ret_axes,
                                     struct mneme_error *err)
{
    size_t dim = axes->dim;
    double *spread = mn_arena_array(arena, double, dim *dim);
    double *turned = mn_arena_array(arena, double, wanted *dim);

    if (!spread || !turned)
        return mn_fail_memory(err);
    if (axes->count == 0 || wanted > dim)
        return mn_fail(err, MNEME_INVALID, "texts: %zu axes of %zu states of %zu numbers", wanted,
                       axes->count, dim);
    for (size_t i = 0; i < dim; i++)
        ret_mean[i] = axes->sum[i] / (double)axes->count;
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++)
            spread[i * dim + j] =
                axes->products[i * dim + j] / (double)axes->count - ret_mean[i] * ret_mean[j];
    begin(ret_axes, wanted, dim);
    for (int i = 0; i < ROUNDS_MAX; i++)
        if (round_once(spread, ret_axes, turned, wanted, dim) < AT_REST)
            break;
    for (size_t a = 0; a < wanted; a++)
        point_up(ret_axes + a * dim, dim);
    return MNEME_OK;
}
