/*
 * profile.h - everything that depends on which model made the vectors.
 *
 * Prefixes, pooling, the recipe of the embedded text, the per-language means that take the language
 * bias away, and the thresholds that read raw scores. One hash names all of it, and stands in every
 * trace; another names what a vector is made of, and is stored with each: vectors of two origins are
 * never compared, and a calibration taken anew embeds nothing anew.
 */
#ifndef MN_MODEL_PROFILE_H
#define MN_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "text/analyze.h"
#include "text/token_codes.h"

#define MN_VECTOR_DIM_MAX 4096

struct mn_model_profile {
    char name[64];          /* "multilingual-e5-small-q4_0" */
    char hash[17];          /* first 16 hex digits of the SHA-256 of the profile's canonical JSON */
    char vectors_hash[17];  /* the same of name, dim, prefixes, pooling, recipe and tokens_max */
    size_t dim;
    char request_prefix[32];
    char passage_prefix[32];
    char pooling[16];       /* "gguf": as the file says; "mean", "cls", "last" */
    char recipe[32];        /* text recipe: "title.content.usage.1" (memory/embed_text.h) */
    size_t tokens_max;      /* inputs are cut to this */

    /* Mean vectors per language of requests and passages; all zero when the profile has none. Index
     * by enum mn_language; MN_LANGUAGE_OTHER is the mean of the others. Each dim floats, owned;
     * NULL in the profile of no model. */
    float *request_mean[MN_LANGUAGE_COUNT];
    float *passage_mean[MN_LANGUAGE_COUNT];

    /* Calibration, over the raw relevance J = F + text_weight * X. The floors of the built-in profile
     * are the highest, in steps of 0.01, that lose at most 2 % of the requests of other sets than
     * those they are measured on (bench/RESULTS.md, "Quality"). */
    float text_weight;      /* 0.5 */
    float impute;           /* 0.7: share of the best same-language text score across languages */
    float floor_question;   /* 0.28 */
    float floor_statement;  /* 0.19 */
    float floor_text_only;  /* floor on X where there is no vector at all */
    float unrelated_mean;   /* mean centred similarity of unrelated texts: 0 */
    float duplicate_cosine; /* centred passage-passage cosine that nominates a duplicate: 0.80 */
    float partition_k;      /* 20: weight of the prior in a partition's own mean */
    float own_mean_share;   /* 0.3: F = share * A + (1 - share) * B */

    /* Of the states of tokens (text/token_codes.h): their mean, and for each of its dim numbers what
     * it adds to each of MN_TOKEN_AXES axes. Owned; NULL: states are not kept. */
    float *token_mean;
    float *token_axes;
    char tokens_hash[34]; /* vectors_hash, a dot, and a hash of these two; "" without them */
};

/* NULL json: the built-in profile of multilingual-e5-small. Allocates the means. */
enum mneme_status mn_model_profile_parse(const char *json, struct mn_model_profile *ret_profile,
                                         struct mneme_error *err);
void mn_model_profile_release(struct mn_model_profile *profile);

/* Same calibration, another name (cut to fit) and so another hash: for a sibling of the model. */
enum mneme_status mn_model_profile_rename(struct mn_model_profile *profile, const char *name,
                                          struct mneme_error *err);

/* A token's state, dim floats, on the profile's axes. */
void mn_model_profile_turn(const struct mn_model_profile *profile, const float *state,
                           float ret_turned[MN_TOKEN_AXES]);

/* The profile used when there is no model: dim 0, floors for text alone. */
void mn_model_profile_none(struct mn_model_profile *ret_profile);

#endif
