/*
 * rerank.c - what every reranker owes its callers, and the memory of what it said.
 *
 * One that failed is left alone for a while: meanwhile each call fails at once with the same error,
 * and what was ranked stays as it was. What comes back is checked here, so that a NaN cannot enter
 * an order.
 */
#include "model/rerank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define LEFT_ALONE_US INT64_C(5000000)
#define KEPT_CALLS 256

void mn_reranker_init(struct mn_reranker *reranker, const struct mn_reranker_ops *ops,
                      const char *name)
{
    *reranker = (struct mn_reranker){ .ops = ops };
    snprintf(reranker->name, sizeof reranker->name, "%s", name);
    pthread_mutex_init(&reranker->lock, NULL);
}

static enum mneme_status call(struct mn_reranker *reranker, const char *request,
                              const char *const *text, size_t count, int timeout_ms, double *score,
                              struct mneme_error *err)
{
    MN_TRY(reranker->ops->score(reranker, request, text, count, timeout_ms, score, err));
    for (size_t i = 0; i < count; i++)
        if (!isfinite(score[i]))
            return mn_fail(err, MNEME_CORRUPT, "rerank: %s gave a score that is no number",
                           reranker->name);
    return MNEME_OK;
}

static enum mneme_status call_or_wait(struct mn_reranker *reranker, const char *request,
                                      const char *const *text, size_t count, int timeout_ms,
                                      double *score, struct mneme_error *err)
{
    struct mneme_error failure = { 0 };

    if (reranker->failed_at_us &&
        mn_clock_monotonic_us() - reranker->failed_at_us < LEFT_ALONE_US) {
        if (err)
            *err = reranker->failure;
        return reranker->failure.status;
    }
    enum mneme_status status = call(reranker, request, text, count, timeout_ms, score, &failure);
    reranker->failed_at_us = 0;
    if (status == MNEME_OK)
        return MNEME_OK;
    if (status == MNEME_UNAVAILABLE || status == MNEME_FORBIDDEN) {
        reranker->failure = failure;
        reranker->failed_at_us = mn_clock_monotonic_us();
    }
    if (err)
        *err = failure;
    return status;
}

enum mneme_status mn_rerank(struct mn_reranker *reranker, const char *request,
                            const char *const *text, size_t count, int timeout_ms,
                            double *ret_score, struct mneme_error *err)
{
    double score[MN_RERANK_TEXTS_MAX];

    if (count == 0 || count > MN_RERANK_TEXTS_MAX)
        return mn_fail(err, MNEME_LIMIT, "rerank: %zu texts, possible are 1 to %d", count,
                       MN_RERANK_TEXTS_MAX);
    pthread_mutex_lock(&reranker->lock);
    enum mneme_status status =
        call_or_wait(reranker, request, text, count, timeout_ms, score, err);
    pthread_mutex_unlock(&reranker->lock);
    if (status == MNEME_OK)
        memcpy(ret_score, score, count * sizeof *score);
    return status;
}

void mn_reranker_free(struct mn_reranker *reranker)
{
    if (!reranker)
        return;
    pthread_mutex_destroy(&reranker->lock);
    reranker->ops->free(reranker);
}

/* ---- what was said before ---- */

struct kept {
    char digest[MN_SHA256_HEX_BYTES]; /* "": free */
    size_t count;
    double score[MN_RERANK_TEXTS_MAX];
};
struct mn_rerank_cache {
    pthread_mutex_t lock;
    size_t next; /* the oldest */
    struct kept call[KEPT_CALLS];
};

struct mn_rerank_cache *mn_rerank_cache_new(void)
{
    struct mn_rerank_cache *cache = calloc(1, sizeof *cache);

    if (cache)
        pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void mn_rerank_cache_free(struct mn_rerank_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

bool mn_rerank_cache_find(struct mn_rerank_cache *cache, const char *digest, size_t count,
                          double *ret_score)
{
    bool found = false;

    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < KEPT_CALLS && !found; i++) {
        const struct kept *kept = &cache->call[i];

        found = kept->count == count && !strcmp(kept->digest, digest);
        if (found)
            memcpy(ret_score, kept->score, count * sizeof *ret_score);
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void mn_rerank_cache_keep(struct mn_rerank_cache *cache, const char *digest, size_t count,
                          const double *score)
{
    pthread_mutex_lock(&cache->lock);
    struct kept *kept = &cache->call[cache->next];

    cache->next = (cache->next + 1) % KEPT_CALLS;
    snprintf(kept->digest, sizeof kept->digest, "%s", digest);
    kept->count = count;
    memcpy(kept->score, score, count * sizeof *score);
    pthread_mutex_unlock(&cache->lock);
}
