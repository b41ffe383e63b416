/*
 * vector_space.c - copies the profile's means, so that the index borrows nothing.
 */
#include "search/vector_space.h"

#include <stdlib.h>
#include <string.h>

#include "search/rotation.h"
#include "search/scan.h"

static void fill_means(float *mean[MN_LANGUAGE_COUNT], const float *const given[MN_LANGUAGE_COUNT],
                       size_t dim)
{
    size_t known = 0;

    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        if (!given[l])
            continue;
        memcpy(mean[l], given[l], dim * sizeof(float));
        known++;
    }
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        if (given[l] || !known)
            continue;
        for (size_t other = 0; other < MN_LANGUAGE_COUNT; other++)
            for (size_t i = 0; given[other] && i < dim; i++)
                mean[l][i] += given[other][i] / (float)known;
    }
}

enum mneme_status mn_vector_space_make(const struct mn_space *space,
                                       struct mn_vector_space *ret_space, struct mneme_error *err)
{
    struct mn_vector_space made = { .dim = space->dim,
                                    .own_mean_share = space->own_mean_share,
                                    .partition_k = space->partition_k };

    if (space->dim > MN_SCAN_STRIDE_MAX)
        return mn_fail(err, MNEME_LIMIT, "dim: vectors of %zu numbers, at most %d", space->dim,
                       MN_SCAN_STRIDE_MAX);
    made.stride = (space->dim + MN_SCAN_PAD - 1) / MN_SCAN_PAD * MN_SCAN_PAD;
    if (made.stride) {
        made.block = calloc((2 * MN_LANGUAGE_COUNT + MN_ROTATION_ROUNDS) * made.stride,
                            sizeof(float));
        if (!made.block)
            return mn_fail_memory(err);
        float *turn = made.block + 2 * MN_LANGUAGE_COUNT * made.stride;
        for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
            made.request_mean[l] = made.block + l * made.stride;
            made.passage_mean[l] = made.block + (MN_LANGUAGE_COUNT + l) * made.stride;
        }
        fill_means(made.request_mean, space->request_mean, made.dim);
        fill_means(made.passage_mean, space->passage_mean, made.dim);
        mn_rotation_make(made.stride, turn);
        for (size_t m = 0; m < 2 * MN_LANGUAGE_COUNT; m++)
            mn_rotation_apply(turn, made.stride, made.block + m * made.stride);
        made.turn = turn;
    }
    *ret_space = made;
    return MNEME_OK;
}

void mn_vector_space_release(struct mn_vector_space *space)
{
    free(space->block);
    memset(space, 0, sizeof *space);
}
