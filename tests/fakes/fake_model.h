/*
 * fake_model.h - a model without a model: deterministic, instant, and it fails when told to.
 *
 * Texts that share words have near vectors, texts that share none have a cosine near 0; requests
 * and passages are treated alike and there is nothing to centre (zero means, profile "fake").
 */
#ifndef MN_TESTS_FAKE_MODEL_H
#define MN_TESTS_FAKE_MODEL_H

#include <stddef.h>

#include "model/model.h"

/* NULL when malloc fails. Free with mn_model_free(). dim 1..MN_VECTOR_DIM_MAX, 64 is a good one. */
struct mn_model *fake_model_new(size_t dim);
/* One of another name has another profile, and other vectors for the same texts. */
struct mn_model *fake_model_named(const char *name, size_t dim);

/* One that gives the codes of its words as well, each word's the same wherever it stands. */
struct mn_model *fake_model_with_tokens(size_t dim);

/* The next `calls` calls succeed, all after them fail with `status`; MNEME_OK: none fails. */
void fake_model_fail_after(struct mn_model *model, size_t calls, enum mneme_status status);

/* Calls of embed and count_tokens so far, failed ones too. */
size_t fake_model_calls(const struct mn_model *model);

#endif
