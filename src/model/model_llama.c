/*
 * model_llama.c - a GGUF model in this process, by libllama (llama_runtime.h).
 *
 * Loading is put off. mn_model_llama_new() reads the first pages of the file (gguf.h) and refuses
 * a missing file, one that is no model, or a profile of another dimension, within milliseconds.
 * The load itself, about a second for a vocabulary of 250,000 pieces, happens with the first text:
 * a command that embeds nothing does not wait for it. Its outcome is kept: a file that turns out
 * damaged gives the same error for each later text, and recall goes on without vectors.
 *
 * The lock is here because what it protects is: the load state, the context and the token buffer.
 * One context runs on one thread; two threads a context cost ten times the CPU on a busy machine
 * (its workers spin), and hosts that want more embeddings at once open more models.
 *
 * libllama aborts the whole process on an input of more tokens than its batch. So texts are
 * tokenised first and cut to the smallest of batch, context, training length and profile, keeping
 * the end token that the model was trained to see. Text is never parsed for special tokens: "</s>"
 * in a memory is four characters, not an end.
 *
 * The context does not pool: one run gives the states of all tokens, and the vector is made of them
 * here, as the file or the profile says. So what late interaction wants costs no second run.
 *
 * Vectors of one build are the same, byte for byte, each time; other builds and processors differ
 * in the last bits.
 */
#include "model/model.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "model/gguf.h"
#include "model/llama_runtime.h"

#define BUILT_IN_MODEL "multilingual-e5-small"
#define BUILT_IN_FILE_TYPE 2 /* mostly Q4_0 */

struct llama {
    struct mn_model base;

    pthread_mutex_t lock; /* over all below */
    struct mn_llama_file file;
    enum llama_pooling_type pooling;
    int32_t tokens_max; /* of one run */
    struct mn_llama_tokens tokens;
    struct mn_llama_tokens prefix;
};

/* As the file says: a number behind its architecture's name. */
static enum llama_pooling_type pooling_of_file(const struct llama_model *model)
{
    char architecture[64], key[96], value[16];

    if (llama_model_meta_val_str(model, "general.architecture", architecture,
                                 sizeof(architecture)) < 0)
        return LLAMA_POOLING_TYPE_UNSPECIFIED;
    snprintf(key, sizeof(key), "%s.pooling_type", architecture);
    if (llama_model_meta_val_str(model, key, value, sizeof(value)) < 0)
        return LLAMA_POOLING_TYPE_UNSPECIFIED;
    return (enum llama_pooling_type)strtol(value, NULL, 10);
}

static enum llama_pooling_type pooling_of(const struct mn_model_profile *profile,
                                          const struct llama_model *model)
{
    if (mn_same(profile->pooling, "mean"))
        return LLAMA_POOLING_TYPE_MEAN;
    if (mn_same(profile->pooling, "cls"))
        return LLAMA_POOLING_TYPE_CLS;
    if (mn_same(profile->pooling, "last"))
        return LLAMA_POOLING_TYPE_LAST;
    return pooling_of_file(model);
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static enum mneme_status make_context(struct llama *llama, struct mneme_error *err)
{
    int32_t tokens_max = (int32_t)llama->base.profile.tokens_max;

    tokens_max = smaller(tokens_max, llama_model_n_ctx_train(llama->file.model));
    llama->file.context =
        mn_llama_context_new(llama->file.model, tokens_max, LLAMA_POOLING_TYPE_NONE);
    if (llama->file.context == NULL)
        return mn_fail(err, MNEME_UNAVAILABLE, "model: %s cannot be run: %s", llama->file.path,
                       mn_llama_complaint());
    llama->pooling = pooling_of(&llama->base.profile, llama->file.model);
    if (llama->pooling != LLAMA_POOLING_TYPE_MEAN && llama->pooling != LLAMA_POOLING_TYPE_CLS &&
        llama->pooling != LLAMA_POOLING_TYPE_LAST)
        return mn_fail(err, MNEME_INVALID,
                       "pooling: %s does not say how; its profile must: mean, cls or last",
                       llama->file.path);
    tokens_max = smaller(tokens_max, (int32_t)llama_n_ubatch(llama->file.context));
    llama->tokens_max = smaller(tokens_max, (int32_t)llama_n_ctx(llama->file.context));
    return MNEME_OK;
}

static enum mneme_status load(void *owner, struct mneme_error *err)
{
    struct llama *llama = owner;
    int32_t dim;

    MN_TRY(mn_llama_load(llama->file.path, &llama->file.model, err));
    dim = llama_model_n_embd_out(llama->file.model);
    if (dim < 0 || (size_t)dim != llama->base.profile.dim)
        return mn_fail(err, MNEME_INVALID, "dim: the profile says %zu, the model has %d",
                       llama->base.profile.dim, (int)dim);
    llama->file.vocab = llama_model_get_vocab(llama->file.model);
    return make_context(llama, err);
}

static enum mneme_status load_once(struct llama *llama, struct mneme_error *err)
{
    return mn_llama_file_load_once(&llama->file, load, llama, err);
}

/* Into llama->tokens. */
static enum mneme_status tokenise(struct llama *llama, const char *text, size_t bytes, bool whole,
                                  int32_t *ret_count, struct mneme_error *err)
{
    return mn_llama_tokenise(llama->file.vocab, text, bytes, whole, &llama->tokens, ret_count, err);
}

static int32_t cut(const struct llama *llama, int32_t count)
{
    llama_token last;

    if (count <= llama->tokens_max)
        return count;
    last = llama->tokens.at[count - 1];
    if (llama_vocab_is_control(llama->file.vocab, last))
        llama->tokens.at[llama->tokens_max - 1] = last;
    return llama->tokens_max;
}

static void pool(const struct llama *llama, const float *state, int32_t count, float *vector)
{
    size_t dim = llama->base.profile.dim;
    double squares = 0;

    if (llama->pooling == LLAMA_POOLING_TYPE_LAST)
        state += (size_t)(count - 1) * dim;
    if (llama->pooling != LLAMA_POOLING_TYPE_MEAN)
        count = 1;
    for (size_t i = 0; i < dim; i++) {
        double sum = 0;

        for (int32_t t = 0; t < count; t++)
            sum += (double)state[(size_t)t * dim + i];
        vector[i] = (float)(sum / count);
        squares += (double)vector[i] * vector[i];
    }
    for (size_t i = 0; i < dim; i++)
        vector[i] = (float)(vector[i] / sqrt(squares));
}

/* What one run gives; each where it is asked for. */
struct made {
    enum mn_embed_kind kind;
    float *vector;         /* NULL: not wanted */
    struct mn_buf *codes;  /* NULL likewise */
    struct mn_buf *states; /* NULL likewise */
};

/* How many of the tokens are begin and prefix. */
static enum mneme_status count_prefix(struct llama *llama, enum mn_embed_kind kind, int32_t count,
                                      int32_t *ret_prefix, struct mneme_error *err)
{
    const struct mn_model_profile *profile = &llama->base.profile;
    const char *text =
        kind == MN_EMBED_REQUEST ? profile->request_prefix : profile->passage_prefix;
    int32_t same = 0, prefix = 0, begin = 0;

    while (begin < count &&
           llama_vocab_is_control(llama->file.vocab, llama->tokens.at[begin]))
        begin++;
    MN_TRY(mn_llama_tokenise(llama->file.vocab, text, strlen(text), false, &llama->prefix, &prefix,
                             err));
    while (same < prefix && begin + same < count &&
           llama->prefix.at[same] == llama->tokens.at[begin + same])
        same++;
    *ret_prefix = begin + same;
    return MNEME_OK;
}

static enum mneme_status keep_tokens(struct llama *llama, const float *state, int32_t count,
                                     const struct made *made, struct mneme_error *err)
{
    size_t dim = llama->base.profile.dim;
    int32_t left = made->kind == MN_EMBED_REQUEST ? MN_TOKENS_REQUEST_MAX : MN_TOKENS_PASSAGE_MAX;
    int32_t at = 0;

    MN_TRY(count_prefix(llama, made->kind, count, &at, err));
    for (; at < count && left > 0; at++) {
        llama_token token = llama->tokens.at[at];

        if (llama_vocab_is_control(llama->file.vocab, token))
            continue;
        left--;
        if (made->codes)
            mn_model_put_code(&llama->base.profile, made->kind, (uint32_t)token,
                              state + (size_t)at * dim, made->codes);
        if (made->states)
            mn_buf_put(made->states, state + (size_t)at * dim, dim * sizeof(float));
    }
    if ((made->codes && made->codes->failed) || (made->states && made->states->failed))
        return mn_fail_memory(err);
    return MNEME_OK;
}

static enum mneme_status run_locked(struct llama *llama, const struct mn_buf *text,
                                    const struct made *made, struct mneme_error *err)
{
    const float *state;
    int32_t count;

    MN_TRY(load_once(llama, err));
    MN_TRY(tokenise(llama, text->at, text->bytes, true, &count, err));
    if (count == 0)
        return mn_fail(err, MNEME_INVALID, "text: empty, and the model marks no beginning");
    count = cut(llama, count);
    state = mn_llama_run_states(llama->file.context, llama->tokens.at, count);
    if (state == NULL)
        return mn_fail(err, MNEME_UNAVAILABLE, "model: %s failed on a text of %d tokens: %s",
                       llama->base.profile.name, (int)count, mn_llama_complaint());
    if (made->vector)
        pool(llama, state, count, made->vector);
    return made->codes || made->states ? keep_tokens(llama, state, count, made, err) : MNEME_OK;
}

static enum mneme_status run(struct mn_model *model, const char *text, const struct made *made,
                             struct mneme_error *err)
{
    struct llama *llama = (struct llama *)model;
    MN_BUF_AUTO whole = { 0 };
    enum mneme_status status;

    mn_buf_text(&whole, made->kind == MN_EMBED_REQUEST ? model->profile.request_prefix
                                                       : model->profile.passage_prefix);
    mn_buf_text(&whole, text);
    if (whole.failed)
        return mn_fail_memory(err);
    pthread_mutex_lock(&llama->lock);
    status = run_locked(llama, &whole, made, err);
    pthread_mutex_unlock(&llama->lock);
    return status;
}

static enum mneme_status llama_embed(struct mn_model *model, enum mn_embed_kind kind,
                                     const char *text, float *vector, struct mneme_error *err)
{
    return run(model, text, &(struct made){ kind, vector, NULL, NULL }, err);
}

static enum mneme_status llama_embed_tokens(struct mn_model *model, enum mn_embed_kind kind,
                                            const char *text, float *vector, struct mn_buf *codes,
                                            struct mneme_error *err)
{
    return run(model, text, &(struct made){ kind, vector, codes, NULL }, err);
}

static enum mneme_status llama_token_states(struct mn_model *model, enum mn_embed_kind kind,
                                            const char *text, struct mn_buf *states,
                                            struct mneme_error *err)
{
    return run(model, text, &(struct made){ kind, NULL, NULL, states }, err);
}

static enum mneme_status llama_count(struct mn_model *model, const char *text, size_t *ret_count,
                                     struct mneme_error *err)
{
    struct llama *llama = (struct llama *)model;
    enum mneme_status status;
    int32_t count = 0;

    pthread_mutex_lock(&llama->lock);
    status = load_once(llama, err);
    if (status == MNEME_OK)
        status = tokenise(llama, text, strlen(text), false, &count, err);
    pthread_mutex_unlock(&llama->lock);
    if (status == MNEME_OK)
        *ret_count = (size_t)count;
    return status;
}

static void llama_release(struct mn_model *model)
{
    struct llama *llama = (struct llama *)model;

    mn_llama_file_release(&llama->file);
    free(llama->tokens.at);
    free(llama->prefix.at);
    pthread_mutex_destroy(&llama->lock);
    mn_model_profile_release(&model->profile);
    free(llama);
}

static const struct mn_model_ops LLAMA_OPS = { llama_embed, llama_count, llama_release,
                                               llama_embed_tokens, llama_token_states };

/* "Multilingual E5 Small" and "multilingual-e5-small" are one model: letters and digits decide. */
static bool is_built_in_model(const char *name)
{
    const char *expected = BUILT_IN_MODEL;

    for (;;) {
        name += strcspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        expected += *expected == '-';
        if (*name == '\0' || *expected == '\0')
            return *name == *expected;
        if ((*name | 0x20) != *expected) /* lower case; digits have that bit already */
            return false;
        name++;
        expected++;
    }
}

/* File name without folder and ending, and which file of that name: vectors of two differ. */
static void name_after_file(const char *path, const struct mn_gguf_header *header,
                            struct mn_buf *out)
{
    const char *slash = strrchr(path, '/');
    struct mn_str stem = mn_str_of(slash == NULL ? path : slash + 1);
    size_t room = sizeof(((struct mn_model_profile *)NULL)->name) - sizeof(header->fingerprint) - 1;

    if (stem.bytes > 5 && memcmp(stem.at + stem.bytes - 5, ".gguf", 5) == 0)
        stem.bytes -= 5;
    mn_buf_put(out, stem.at, mn_utf8_cut(stem.at, stem.bytes, room));
    mn_buf_printf(out, "-%s", header->fingerprint);
}

static enum mneme_status neutral_profile(const char *name, const struct mn_gguf_header *header,
                                         struct mn_model_profile *profile, struct mneme_error *err)
{
    MN_BUF_AUTO json = { 0 };
    struct mn_json_writer w = { .out = &json };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "name", name);
    mn_json_field_integer(&w, "dim", (int64_t)header->dim);
    if (header->tokens_max > 0 && header->tokens_max < 512)
        mn_json_field_integer(&w, "tokens_max", (int64_t)header->tokens_max);
    mn_json_close(&w, '}');
    if (json.failed)
        return mn_fail_memory(err);
    return mn_model_profile_parse(json.at, profile, err);
}

/*
 * Another quantisation of the built-in model keeps its calibration (their vectors have a cosine of
 * about 0.98) under a name of its own, since vectors of the two should not be mixed.
 */
static enum mneme_status choose_profile(const char *path, const struct mn_gguf_header *header,
                                        const char *json, struct mn_model_profile *profile,
                                        struct mneme_error *err)
{
    MN_BUF_AUTO name = { 0 };

    if (json != NULL)
        return mn_model_profile_parse(json, profile, err);
    name_after_file(path, header, &name);
    if (name.failed)
        return mn_fail_memory(err);
    if (!is_built_in_model(header->name))
        return neutral_profile(name.at, header, profile, err);
    MN_TRY(mn_model_profile_parse(NULL, profile, err));
    if (header->file_type == BUILT_IN_FILE_TYPE)
        return MNEME_OK;
    return mn_model_profile_rename(profile, name.at, err);
}

static void free_model(struct llama **llama)
{
    if (*llama != NULL)
        llama_release(&(*llama)->base);
}

enum mneme_status mn_model_llama_new(const char *path, const char *profile_json,
                                     struct mn_model **ret_model, struct mneme_error *err)
{
    MN_CLEANUP(free_model) struct llama *llama = NULL;
    struct mn_gguf_header header;

    MN_TRY(mn_llama_check_processor(err));
    MN_TRY(mn_gguf_read(path, &header, err));
    llama = calloc(1, sizeof(*llama));
    if (llama == NULL)
        return mn_fail_memory(err);
    llama->base.ops = &LLAMA_OPS;
    pthread_mutex_init(&llama->lock, NULL);
    llama->file.path = strdup(path);
    if (llama->file.path == NULL)
        return mn_fail_memory(err);
    MN_TRY(choose_profile(path, &header, profile_json, &llama->base.profile, err));
    if (llama->base.profile.dim != header.dim)
        return mn_fail(err, MNEME_INVALID, "dim: the profile says %zu, the model has %zu",
                       llama->base.profile.dim, header.dim);
    *ret_model = &llama->base;
    llama = NULL;
    return MNEME_OK;
}
