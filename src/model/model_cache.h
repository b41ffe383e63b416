/*
 * model_cache.h - a model that remembers the vectors it made, in a file.
 *
 * Wraps any other model. A vector is kept by the hash of what the profile makes vectors of, of the
 * kind (request or passage) and of the folded text, so that one file may serve several profiles of
 * one dimension; no text is stored. Several processes may use one file: each sees what the others
 * appended before it appends itself.
 *
 * Nothing in the file says whose text a vector was made of, so nothing can be taken out alone: an
 * erasure empties it.
 */
#ifndef MN_MODEL_MODEL_CACHE_H
#define MN_MODEL_MODEL_CACHE_H

#include "model/model.h"

/*
 * Takes `inner` over on success: *ret_model frees it. The file is made when missing; one that cannot
 * be written is read only. What later goes wrong with the file costs time, never an answer.
 *
 * MNEME_CORRUPT      the file is no cache, or one of vectors of another dimension. Not touched.
 * MNEME_UNAVAILABLE  it can be neither made nor read.
 * MNEME_LIMIT        out of memory.
 */
enum mneme_status mn_model_cache_new(struct mn_model *inner, const char *path,
                                     struct mn_model **ret_model, struct mneme_error *err);

/*
 * Empties the file for every process that uses it. Nothing to do for a model that is no cache.
 * MNEME_UNAVAILABLE: it cannot be written.
 */
enum mneme_status mn_model_cache_clear(struct mn_model *model, struct mneme_error *err);
/* The same of a file that this process need not have opened: without a model there is no cache, but
 * its file may be there. MNEME_CORRUPT: it is no cache; not touched. */
enum mneme_status mn_model_cache_clear_file(const char *path, struct mneme_error *err);

/* Texts answered from the file, and those given to the inner model, since it was opened. */
struct mn_model_cache_counts {
    size_t found;
    size_t made;
};
struct mn_model_cache_counts mn_model_cache_counts(const struct mn_model *cache);

#endif
