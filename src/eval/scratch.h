/*
 * scratch.h - a store of one's own, in a temporary folder that is removed with it.
 */
#ifndef MN_EVAL_SCRATCH_H
#define MN_EVAL_SCRATCH_H

#include <mneme/mneme.h>

#include "base/err.h"

/* With what an evaluation opens its stores. All optional; NULL and "" mean the library's default. */
struct mn_eval_setup {
    const char *model_path; /* "none" or empty: text alone */
    const char *profile_path;
    const char *model_key; /* of a model at a URL */
    const char *rerank_path; /* a cross-encoder; with it come its key and its name */
    const char *rerank_key;
    const char *rerank_model;
    const char *tokenizer;
    const char *cache_path; /* where embeddings are kept between runs */
};

struct mn_scratch {
    char folder[512]; /* empty: none */
    struct mneme *handle;
};

/* Under $TMPDIR, else /tmp. On failure nothing is left behind. */
enum mneme_status mn_scratch_open(const struct mn_eval_setup *setup, struct mn_scratch *ret_scratch,
                                  struct mneme_error *err);
void mn_scratch_close(struct mn_scratch *scratch); /* accepts one that was never opened */
#define MN_SCRATCH_AUTO MN_CLEANUP(mn_scratch_close) struct mn_scratch

/* From now on a signal that ends the process (INT, TERM, HUP) takes the folders along. For programs,
 * which own their signals. */
void mn_scratch_heed_signals(void);

/* mneme_write in batches, as an administrator who may load whatever the data holds. */
enum mneme_status mn_scratch_load(struct mn_scratch *scratch, const struct mneme_record *records,
                                  size_t count, struct mneme_error *err);

#endif
