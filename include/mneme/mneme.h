/*
 * mneme.h - the library: one handle on one store.
 *
 * The right memory, for the right user, in the right project, at the right time, within a token
 * budget, with an explanation of why it was chosen. Never anyone else's.
 *
 *     struct mneme_options options = MNEME_OPTIONS_INIT;
 *     struct mneme *handle = NULL;
 *     options.store_path = "agent.mneme";
 *     if (mneme_open(&options, &handle, &err) != MNEME_OK) ...
 *     mneme_remember(handle, ...); mneme_retrieve(handle, ...);
 *     mneme_close(handle);
 *
 * A handle may be shared by threads. The library starts none: what may wait (buffered traces and
 * usage, missing vectors) is done by mneme_run_due(), which the host calls when it is idle.
 */
#ifndef MNEME_MNEME_H
#define MNEME_MNEME_H

#include <mneme/admin.h>
#include <mneme/error.h>
#include <mneme/memory.h>
#include <mneme/remember.h>
#include <mneme/retrieve.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MNEME_VERSION "0.1.0"

struct mneme;

/*
 * Runs `task(argument)` somewhere and returns; `wait` blocks until all tasks given by this call are
 * done. Lent by the host; NULL members: tasks run at once on the calling thread.
 */
struct mneme_executor {
    void *context;
    void *(*start)(void *context, void (*task)(void *argument), void *argument);
    void (*wait)(void *context, void *started);
};

struct mneme_options {
    size_t size;
    const char *store_path; /* the SQLite file, or the folder of one whose tenants have files of their
                               own; made when missing and `create` is set */
    int create;
    int read_only;
    const void *key; /* optional passphrase of an encrypted store */
    size_t key_bytes;
    /* A GGUF, or the URL of a service with OpenAI's embeddings call ("http://127.0.0.1:8080/v1");
     * NULL, "" or "none": none. A broken one: see degraded. */
    const char *model_path;
    const char *profile_path; /* the model's profile as JSON; NULL: built in for the default model,
                                 required for a URL */
    const char *tokenizer;    /* "o200k" (default), "cl100k" or "estimate" */
    size_t index_bytes_max;   /* 0: 1 GiB for partition indexes */
    struct mneme_executor executor;
    const char *embedding_cache_path; /* a file to keep vectors in, by hash; NULL or "": none. An
                                         erasure empties it */
    const char *model_key; /* bearer token of a model at a URL; NULL or "": none */
    int trace_days; /* traces older than that are forgotten; 0: 30 */
    /* What draws memories from turns beside the rules, and from sessions instead of them: a GGUF, or the
     * URL of a service with OpenAI's chat call ("http://127.0.0.1:8080/v1"); NULL, "" or "none": the
     * rules alone. "elsewhere": another process has one, and sessions that end wait for it, an hour at
     * most. */
    const char *extractor_path;
    const char *extractor_model; /* its name at the service; NULL or "": "default" */
    const char *extractor_key;   /* bearer token of the service; NULL or "": none */
    int extractor_timeout_ms;    /* of one call; 0: 60,000 */
    /* A cross-encoder that orders the first of what was ranked: a GGUF with a classification head, or
     * the URL of a service with the rerank call ("http://127.0.0.1:8080/v1"). It is shown the request
     * and the texts. NULL, "" or "none": none. */
    const char *rerank_path;
    const char *rerank_key;   /* bearer token of a service; NULL or "": none */
    const char *rerank_model; /* the model's name there; NULL or "": not said */
    size_t rerank_count;      /* of the first so many; 0: 20, at most 100 */
    int rerank_timeout_ms;    /* then the order stays as it was; 0: 1000 */
    /* Where turns go that leave the store: a folder, or http(s)://HOST/BUCKET[/PREFIX] of a storage that
     * speaks S3; NULL or "": none. Its keys are needed for a URL; the region is "us-east-1" by default. */
    const char *archive;
    const char *archive_region;
    const char *archive_access_key;
    const char *archive_secret_key;
    const char *archive_session_token;
    int per_tenant; /* with `create`: a folder with a file for each tenant, each under a key of its own
                       when there is a key. One that is there is what it is */
    const char *tenant_keys_path; /* mneme_restore() of such a store with keys: the root.mneme that has
                                     them */
};
#define MNEME_OPTIONS_INIT                                                                         \
    {                                                                                              \
        .size = sizeof(struct mneme_options)                                                       \
    }

/*
 * MNEME_NOT_FOUND    no file there and `create` not set.
 * MNEME_CORRUPT      not a mneme store, damaged, or made by a newer version; nothing is touched.
 * MNEME_FORBIDDEN    the key is wrong or missing, or the folder cannot be written.
 * A model that cannot be loaded does not fail the call: recall goes on by the other sources, and
 * mneme_model_status() and every trace say so.
 */
MNEME_API enum mneme_status mneme_open(const struct mneme_options *options,
                                       struct mneme **ret_handle, struct mneme_error *err);
MNEME_API void mneme_close(struct mneme *handle); /* flushes traces and usage; accepts NULL */

/* What may wait: flush buffered traces and usage, finish an erasure that was cut short, embed what has
 * no vector yet, let the extractor read turns that are due (remember.h), forget old traces and changes
 * (docs/data-model.md; looked for every ten minutes), do pieces of the jobs that are due
 * (mneme_maintain(); looked for every minute).
 * pieces_max 0: only what was buffered or cut short. *ret_left (may be NULL): 1 when there is more. */
MNEME_API enum mneme_status mneme_run_due(struct mneme *handle, size_t pieces_max, size_t *ret_left,
                                          struct mneme_error *err);

/* "" when the model works; else one sentence on why there is none. Valid as long as the handle. */
MNEME_API const char *mneme_model_status(const struct mneme *handle);
/* The same of the extractor. */
MNEME_API const char *mneme_extractor_status(const struct mneme *handle);
/* "" when the cross-encoder was opened, or none is configured; else why there is none. One that is
 * a service is asked only by a recall, whose trace says how it went. */
MNEME_API const char *mneme_rerank_status(const struct mneme *handle);
/* Name of the model profile in force, "" without a model; and the dimension of its vectors. */
MNEME_API const char *mneme_model_name(const struct mneme *handle);
MNEME_API size_t mneme_model_dim(const struct mneme *handle);

/*
 * Embed one text as the store would (passage) or as a request. ret_vector: dim floats.
 * MNEME_UNAVAILABLE without a model.
 */
MNEME_API enum mneme_status mneme_embed(struct mneme *handle, const char *text, int is_request,
                                        float *ret_vector, size_t dim, struct mneme_error *err);

/*
 * What the model makes of each token of a text, in the run that makes its vector; begin, end and prefix
 * left out. `mneme calibrate` takes from it what late interaction needs.
 *
 * ret_states  room for states_max times mneme_model_dim() floats; the first tokens' states, one behind
 *             the other, are put there. *ret_count: how many.
 *
 * MNEME_INVALID      text is empty.
 * MNEME_UNAVAILABLE  no model, or one that gives vectors alone, as one at a URL does.
 */
MNEME_API enum mneme_status mneme_token_states(struct mneme *handle, const char *text,
                                               int is_request, float *ret_states,
                                               size_t states_max, size_t *ret_count,
                                               struct mneme_error *err);

/* Tokens of a text by the configured tokenizer. */
MNEME_API size_t mneme_token_count(struct mneme *handle, const char *text);

#ifdef __cplusplus
}
#endif

#endif
