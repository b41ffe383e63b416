/*
 * rerank_llama.c - a cross-encoder in this process: a GGUF with a classification head, pooled by rank.
 *
 * Request and text are one input, in the order that these models were trained with: begin, request,
 * end, separator, text, end, each of the marks where the model's vocabulary wants it. The request
 * may have half of the room, the text has the rest; what is longer is cut.
 *
 * The time is looked at between two texts, so that it is exceeded by one at most. Loading, which
 * happens once, is not counted.
 */
#include "model/rerank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "model/gguf.h"
#include "model/llama_runtime.h"

#define TOKENS_MAX 512

struct ranker {
    struct mn_reranker base;

    /* Under the base's lock. */
    struct mn_llama_file file;
    int32_t tokens_max;
    struct mn_llama_tokens tokens; /* of one text */
    llama_token *input;            /* tokens_max of them */
};

static enum mneme_status load(void *owner, struct mneme_error *err)
{
    struct ranker *ranker = owner;
    MN_TRY(mn_llama_load(ranker->file.path, &ranker->file.model, err));
    if (llama_model_chat_template(ranker->file.model, "rerank") != NULL)
        return mn_fail(err, MNEME_INVALID,
                       "rerank: %s wants a prompt of its own; ask it through a service",
                       ranker->file.path);
    int32_t trained = llama_model_n_ctx_train(ranker->file.model);

    ranker->tokens_max = trained < TOKENS_MAX ? trained : TOKENS_MAX;
    ranker->file.vocab = llama_model_get_vocab(ranker->file.model);
    ranker->file.context = mn_llama_context_new(ranker->file.model, ranker->tokens_max,
                                                LLAMA_POOLING_TYPE_UNSPECIFIED);
    if (ranker->file.context == NULL)
        return mn_fail(err, MNEME_UNAVAILABLE, "rerank: %s cannot be run: %s", ranker->file.path,
                       mn_llama_complaint());
    if (llama_pooling_type(ranker->file.context) != LLAMA_POOLING_TYPE_RANK)
        return mn_fail(err, MNEME_INVALID, "rerank: %s is no reranker: its pooling is not rank",
                       ranker->file.path);
    ranker->input = malloc((size_t)ranker->tokens_max * sizeof *ranker->input);
    return ranker->input ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status load_once(struct ranker *ranker, struct mneme_error *err)
{
    return mn_llama_file_load_once(&ranker->file, load, ranker, err);
}

static void put(struct ranker *ranker, int32_t *count, llama_token token)
{
    if (token != LLAMA_TOKEN_NULL && *count < ranker->tokens_max)
        ranker->input[(*count)++] = token;
}

/* The text's tokens, up to so many of the whole input. */
static enum mneme_status put_text(struct ranker *ranker, const char *text, int32_t until,
                                  int32_t *count, struct mneme_error *err)
{
    int32_t token_count;

    MN_TRY(mn_llama_tokenise(ranker->file.vocab, text, strlen(text), false, &ranker->tokens,
                             &token_count, err));
    for (int32_t i = 0; i < token_count && *count < until; i++)
        put(ranker, count, ranker->tokens.at[i]);
    return MNEME_OK;
}

static enum mneme_status score_one(struct ranker *ranker, const char *request, const char *text,
                                   double *score, struct mneme_error *err)
{
    const struct llama_vocab *vocab = ranker->file.vocab;
    llama_token end = llama_vocab_eos(vocab);
    int32_t count = 0;

    if (end == LLAMA_TOKEN_NULL)
        end = llama_vocab_sep(vocab);
    if (llama_vocab_get_add_bos(vocab))
        put(ranker, &count, llama_vocab_bos(vocab));
    MN_TRY(put_text(ranker, request, ranker->tokens_max / 2, &count, err));
    if (llama_vocab_get_add_eos(vocab))
        put(ranker, &count, end);
    if (llama_vocab_get_add_sep(vocab))
        put(ranker, &count, llama_vocab_sep(vocab));
    MN_TRY(put_text(ranker, text, ranker->tokens_max - 1, &count, err));
    if (llama_vocab_get_add_eos(vocab))
        put(ranker, &count, end);
    else if (llama_vocab_get_add_sep(vocab))
        put(ranker, &count, llama_vocab_sep(vocab));
    const float *ranked = count ? mn_llama_run(ranker->file.context, ranker->input, count) : NULL;

    if (!ranked)
        return mn_fail(err, MNEME_UNAVAILABLE, "rerank: %s failed on %d tokens: %s",
                       ranker->base.name, (int)count, mn_llama_complaint());
    *score = (double)ranked[0];
    return MNEME_OK;
}

static enum mneme_status ranker_score(struct mn_reranker *reranker, const char *request,
                                      const char *const *text, size_t count, int timeout_ms,
                                      double *score, struct mneme_error *err)
{
    struct ranker *ranker = (struct ranker *)reranker;

    MN_TRY(load_once(ranker, err));
    int64_t end_us = mn_clock_monotonic_us() + timeout_ms * INT64_C(1000);

    for (size_t i = 0; i < count; i++) {
        if (mn_clock_monotonic_us() >= end_us)
            return mn_fail(err, MNEME_UNAVAILABLE,
                           "rerank: %s has read %zu of %zu texts in %d ms", reranker->name, i,
                           count, timeout_ms);
        MN_TRY(score_one(ranker, request, text[i], &score[i], err));
    }
    return MNEME_OK;
}

static void ranker_free(struct mn_reranker *reranker)
{
    struct ranker *ranker = (struct ranker *)reranker;

    mn_llama_file_release(&ranker->file);
    free(ranker->tokens.at);
    free(ranker->input);
    free(ranker);
}

static const struct mn_reranker_ops RANKER_OPS = { ranker_score, ranker_free };

enum mneme_status mn_reranker_llama_new(const char *path, struct mn_reranker **ret_reranker,
                                        struct mneme_error *err)
{
    const char *slash = strrchr(path, '/');
    struct mn_gguf_header header;
    char name[sizeof ((struct mn_reranker *)NULL)->name];

    MN_TRY(mn_llama_check_processor(err));
    MN_TRY(mn_gguf_read(path, &header, err));
    struct ranker *ranker = calloc(1, sizeof *ranker);
    if (!ranker)
        return mn_fail_memory(err);
    const char *file = slash ? slash + 1 : path;

    snprintf(name, sizeof name, "%.*s-%s",
             (int)mn_utf8_cut(file, strlen(file), sizeof name - sizeof header.fingerprint - 1), file,
             header.fingerprint);
    mn_reranker_init(&ranker->base, &RANKER_OPS, name);
    ranker->file.path = strdup(path);
    if (!ranker->file.path) {
        mn_reranker_free(&ranker->base);
        return mn_fail_memory(err);
    }
    *ret_reranker = &ranker->base;
    return MNEME_OK;
}
