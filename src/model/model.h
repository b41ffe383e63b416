/*
 * model.h - the neural model: what it can do, whichever runtime does it.
 *
 * A model turns texts into vectors and counts their tokens. Implementations: model_llama.c (a GGUF
 * in process), model_http.c (a service at a URL) and the failing fake of the tests, so the contract is
 * a table of functions. A model may be shared by threads: an implementation that cannot
 * run two calls at once lets them wait (one context and one thread per model).
 */
#ifndef MN_MODEL_MODEL_H
#define MN_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/profile.h"

/* A writer waits for an awaited passage as a recall does for its request; for the others nobody does. */
enum mn_embed_kind { MN_EMBED_REQUEST = 0, MN_EMBED_PASSAGE, MN_EMBED_PASSAGE_AWAITED };

struct mn_model;

struct mn_model_ops {
    /* One text, UTF-8, already folded: prefix, tokenise, cut to the model's limit, run, pool,
     * normalise to length 1. vector: profile->dim floats. */
    enum mneme_status (*embed)(struct mn_model *model, enum mn_embed_kind kind, const char *text,
                               float *vector, struct mneme_error *err);
    /* Tokens of the text by the model's own tokenizer: no prefix, no begin and end, no cutting. */
    enum mneme_status (*count_tokens)(struct mn_model *model, const char *text, size_t *ret_count,
                                      struct mneme_error *err);
    void (*free)(struct mn_model *model);
    /* As embed, and of the same run the codes of its tokens (text/token_codes.h), without begin, end
     * and prefix, put behind what `codes` holds. NULL: this runtime gives vectors alone. */
    enum mneme_status (*embed_tokens)(struct mn_model *model, enum mn_embed_kind kind,
                                      const char *text, float *vector, struct mn_buf *codes,
                                      struct mneme_error *err);
    /* The same tokens' states as the model makes them, profile->dim floats each. NULL likewise. */
    enum mneme_status (*token_states)(struct mn_model *model, enum mn_embed_kind kind,
                                      const char *text, struct mn_buf *states,
                                      struct mneme_error *err);
};

/* Embedded first in each implementation's own struct. */
struct mn_model {
    const struct mn_model_ops *ops;
    struct mn_model_profile profile; /* dim, prefixes, calibration; hash names vectors' origin */
};

/*
 * These fold the text by mn_text_fold first, so that both sides of every comparison are alike.
 * vector: profile.dim floats of length 1, untouched on failure. MNEME_CORRUPT: the model's weights
 * gave no vector of length 1. Else what the implementation answers.
 */
enum mneme_status mn_model_embed(struct mn_model *model, enum mn_embed_kind kind, const char *text,
                                 float *vector, struct mneme_error *err);
/* The same with the codes of tokens, empty before; they stay so where the model gives none. */
enum mneme_status mn_model_embed_tokens(struct mn_model *model, enum mn_embed_kind kind,
                                        const char *text, float *vector, struct mn_buf *codes,
                                        struct mneme_error *err);
/* Does it, and has its profile the axes? */
bool mn_model_gives_tokens(const struct mn_model *model);
/* States as the model makes them, for a calibration. MNEME_UNAVAILABLE: it gives none. */
enum mneme_status mn_model_token_states(struct mn_model *model, enum mn_embed_kind kind,
                                        const char *text, struct mn_buf *states,
                                        struct mneme_error *err);
/* For implementations: the code of one state. */
void mn_model_put_code(const struct mn_model_profile *profile, enum mn_embed_kind kind,
                       uint32_t token, const float *state, struct mn_buf *codes);
enum mneme_status mn_model_count_tokens(struct mn_model *model, const char *text, size_t *ret_count,
                                        struct mneme_error *err);
void mn_model_free(struct mn_model *model); /* accepts NULL */

/*
 * A GGUF by path. Only its first pages are read here; the load (0.2 to 1 s) happens at the first
 * text, and what fails then fails again, with the same error, for each later text.
 *
 * profile_json: the text of a profile. NULL: the built-in one for multilingual-e5-small; for any
 * other model a neutral one, without prefixes and with zero means, named after the file.
 *
 * MNEME_NOT_FOUND   no such file.
 * MNEME_CORRUPT     not a model this runtime can read; a file cut off behind its first pages is
 *                   found out at the first text.
 * MNEME_INVALID     the profile is wrong or does not fit the model; the field is named.
 * MNEME_UNAVAILABLE built without the runtime, the file cannot be read, or this processor lacks
 *                   what the runtime needs (AVX2, FMA, F16C).
 */
enum mneme_status mn_model_llama_new(const char *path, const char *profile_json,
                                     struct mn_model **ret_model, struct mneme_error *err);

/*
 * A service with the embeddings call of OpenAI: url up to and with its version ("https://host/v1"),
 * or with /embeddings. key: its bearer token, NULL or "" for none. Nothing is asked before the first
 * text.
 *
 * profile_json: required; its name is the model's name there.
 *
 * Embedding gives MNEME_UNAVAILABLE when the service does not answer in time (one second, where somebody
 * waits), and then at once for some seconds; MNEME_FORBIDDEN where the key is refused;
 * MNEME_INVALID where its vectors have another dimension; MNEME_CORRUPT where it answers with none.
 * Tokens cannot be counted: MNEME_UNAVAILABLE.
 *
 * MNEME_INVALID  no profile, or a wrong one; no URL.
 */
enum mneme_status mn_model_http_new(const char *url, const char *key, const char *profile_json,
                                    struct mn_model **ret_model, struct mneme_error *err);
bool mn_model_is_url(const char *path);

#endif
