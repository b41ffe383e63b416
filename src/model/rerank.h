/*
 * rerank.h - a cross-encoder: it reads the request and one text together and says how well they fit.
 *
 * Better than two vectors held against each other, and dearer: a run of a model for each pair. So it
 * is asked only for the first of what was ranked (retrieve/reorder.c), and only where the host has
 * configured one. Implementations: rerank_http.c (a service) and rerank_llama.c (a GGUF with a
 * classification head, in process).
 */
#ifndef MN_MODEL_RERANK_H
#define MN_MODEL_RERANK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MN_RERANK_TEXTS_MAX 100 /* of one call */

struct mn_reranker;

struct mn_reranker_ops {
    /* score[i]: how well text[i] fits the request, on a scale of its own; more is better. To be
     * done within timeout_ms, not counting what is loaded once. */
    enum mneme_status (*score)(struct mn_reranker *reranker, const char *request,
                               const char *const *text, size_t count, int timeout_ms, double *score,
                               struct mneme_error *err);
    void (*free)(struct mn_reranker *reranker);
};

/* Embedded first in each implementation's own struct, and begun with mn_reranker_init(). */
struct mn_reranker {
    const struct mn_reranker_ops *ops;
    char name[128]; /* names where scores come from: another name is another model */

    pthread_mutex_t lock; /* over all below, and over the call: one at a time */
    struct mneme_error failure;
    int64_t failed_at_us; /* 0: the last call went well */
};
void mn_reranker_init(struct mn_reranker *reranker, const struct mn_reranker_ops *ops,
                      const char *name);

/*
 * ret_score: count figures, finite, untouched on failure. count: 1 to MN_RERANK_TEXTS_MAX.
 *
 * MNEME_UNAVAILABLE  it does not answer in time, or did not some seconds ago: it is left alone for a
 *                    while, so that one that is down does not make every recall wait.
 * MNEME_FORBIDDEN    the service refuses the key.
 * MNEME_CORRUPT      it answered, but not with one figure for each text.
 */
enum mneme_status mn_rerank(struct mn_reranker *reranker, const char *request,
                            const char *const *text, size_t count, int timeout_ms,
                            double *ret_score, struct mneme_error *err);
void mn_reranker_free(struct mn_reranker *reranker); /* accepts NULL */

/*
 * A service: POST <url>/rerank {"model", "query", "documents", "top_n"} gives {"results": [{"index",
 * "relevance_score"}]}. url: up to and with its version, or with /rerank. key: a bearer token, model:
 * the model's name there; both NULL or "" for none. Nothing is asked before the first call.
 */
enum mneme_status mn_reranker_http_new(const char *url, const char *key, const char *model,
                                       struct mn_reranker **ret_reranker, struct mneme_error *err);

/*
 * A GGUF by path; it is loaded with the first call.
 *
 * MNEME_NOT_FOUND, MNEME_CORRUPT, MNEME_UNAVAILABLE  as mn_model_llama_new().
 * Found out at the first call, and again at each: MNEME_INVALID, it has no classification head, or
 * wants a prompt that only its service knows.
 */
enum mneme_status mn_reranker_llama_new(const char *path, struct mn_reranker **ret_reranker,
                                        struct mneme_error *err);

/*
 * Scores of earlier calls, in memory, by a digest that the caller makes of all they depend on. The
 * oldest leave. Holds digests and figures, no text.
 */
struct mn_rerank_cache;
struct mn_rerank_cache *mn_rerank_cache_new(void); /* NULL: out of memory */
void mn_rerank_cache_free(struct mn_rerank_cache *cache); /* accepts NULL */
bool mn_rerank_cache_find(struct mn_rerank_cache *cache, const char *digest, size_t count,
                          double *ret_score);
void mn_rerank_cache_keep(struct mn_rerank_cache *cache, const char *digest, size_t count,
                          const double *score);

#endif
