/*
 * vector_space.h - the model's space as an index needs it: means for every language, rows padded
 * and turned (rotation.h).
 */
#ifndef MN_SEARCH_VECTOR_SPACE_H
#define MN_SEARCH_VECTOR_SPACE_H

#include <stddef.h>

#include "base/err.h"
#include "search/search.h"

struct mn_vector_space {
    size_t dim;    /* 0: no vectors */
    size_t stride; /* dim padded to MN_SCAN_PAD */
    const float *turn; /* what mn_rotation_apply() needs */
    /* stride floats each, turned; zeros where the profile has none for any language. A language
     * without means of its own has the mean of the others'. */
    float *request_mean[MN_LANGUAGE_COUNT];
    float *passage_mean[MN_LANGUAGE_COUNT];
    float own_mean_share;
    float partition_k;
    float *block; /* what the pointers point into; owned */
};

enum mneme_status mn_vector_space_make(const struct mn_space *space,
                                       struct mn_vector_space *ret_space, struct mneme_error *err);
void mn_vector_space_release(struct mn_vector_space *space);

#endif
