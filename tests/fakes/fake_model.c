/*
 * fake_model.c - each word votes for a few coordinates, chosen by its hash; the sum is normalised.
 *
 * A word is a run of ASCII letters and digits, or one other code point (so that Chinese texts share
 * words too). An empty text gets the first axis. A lock guards the counters, because the real model
 * may be shared by threads.
 */
#include "fakes/fake_model.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define VOTES_PER_WORD 8

struct fake {
    struct mn_model base;
    pthread_mutex_t lock;
    size_t calls;
    size_t calls_left; /* before the first failure, where fail_status is not OK */
    enum mneme_status fail_status;
    uint64_t salt; /* of the name */
};

static enum mneme_status count_call(struct mn_model *model, struct mneme_error *err)
{
    struct fake *fake = (struct fake *)model;
    enum mneme_status status = MNEME_OK;

    pthread_mutex_lock(&fake->lock);
    fake->calls++;
    if (fake->fail_status != MNEME_OK && fake->calls_left == 0)
        status = fake->fail_status;
    else if (fake->calls_left > 0)
        fake->calls_left--;
    pthread_mutex_unlock(&fake->lock);
    return status == MNEME_OK ? MNEME_OK : mn_fail(err, status, "model: the fake was told to fail");
}

/* The bytes of the next word, *at behind it; 0 at the end. */
static size_t next_word(const char *text, size_t *at, const char **word)
{
    size_t bytes = strlen(text);

    while (*at < bytes && (unsigned char)text[*at] < 0x80 && !isalnum((unsigned char)text[*at]))
        (*at)++;
    *word = text + *at;
    if (*at < bytes && (unsigned char)text[*at] >= 0x80)
        mn_utf8_next(text, bytes, at);
    else
        while (*at < bytes && isalnum((unsigned char)text[*at]))
            (*at)++;
    return (size_t)(text + *at - *word);
}

static uint64_t hash_word(const char *word, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)word[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void vote(uint64_t random, float *vector, size_t dim)
{
    for (int i = 0; i < VOTES_PER_WORD; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        vector[(random >> 33) % dim] += random >> 63 ? 1 : -1;
    }
}

static enum mneme_status fake_embed(struct mn_model *model, enum mn_embed_kind kind,
                                    const char *text, float *vector, struct mneme_error *err)
{
    const struct fake *fake = (const struct fake *)model;
    size_t dim = model->profile.dim;
    size_t at = 0, bytes;
    const char *word;
    double squares = 0;

    (void)kind;
    MN_TRY(count_call(model, err));
    memset(vector, 0, dim * sizeof(float));
    while ((bytes = next_word(text, &at, &word)) > 0)
        vote(hash_word(word, bytes) ^ fake->salt, vector, dim);
    for (size_t i = 0; i < dim; i++)
        squares += (double)vector[i] * vector[i];
    if (squares == 0)
        vector[0] = 1;
    else
        for (size_t i = 0; i < dim; i++)
            vector[i] = (float)(vector[i] / sqrt(squares));
    return MNEME_OK;
}

static enum mneme_status fake_states(struct mn_model *model, enum mn_embed_kind kind,
                                     const char *text, struct mn_buf *states, struct mn_buf *codes,
                                     struct mneme_error *err)
{
    size_t left = kind == MN_EMBED_REQUEST ? MN_TOKENS_REQUEST_MAX : MN_TOKENS_PASSAGE_MAX;
    size_t at = 0, bytes;
    const char *word;

    while (left-- > 0 && (bytes = next_word(text, &at, &word)) > 0) {
        uint64_t hash = hash_word(word, bytes);
        float state[MN_VECTOR_DIM_MAX] = { 0 };

        vote(hash, state, model->profile.dim);
        if (states)
            mn_buf_put(states, state, model->profile.dim * sizeof *state);
        if (codes)
            mn_model_put_code(&model->profile, kind, (uint32_t)hash, state, codes);
    }
    return (states && states->failed) || (codes && codes->failed) ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status fake_embed_tokens(struct mn_model *model, enum mn_embed_kind kind,
                                           const char *text, float *vector, struct mn_buf *codes,
                                           struct mneme_error *err)
{
    MN_TRY(fake_embed(model, kind, text, vector, err));
    return fake_states(model, kind, text, NULL, codes, err);
}

static enum mneme_status fake_token_states(struct mn_model *model, enum mn_embed_kind kind,
                                           const char *text, struct mn_buf *states,
                                           struct mneme_error *err)
{
    MN_TRY(count_call(model, err));
    return fake_states(model, kind, text, states, NULL, err);
}

static enum mneme_status fake_count(struct mn_model *model, const char *text, size_t *ret_count,
                                    struct mneme_error *err)
{
    size_t at = 0, count = 0;
    const char *word;

    MN_TRY(count_call(model, err));
    while (next_word(text, &at, &word) > 0)
        count++;
    *ret_count = count;
    return MNEME_OK;
}

static void fake_free(struct mn_model *model)
{
    struct fake *fake = (struct fake *)model;

    pthread_mutex_destroy(&fake->lock);
    mn_model_profile_release(&model->profile);
    free(fake);
}

static const struct mn_model_ops FAKE_OPS = { fake_embed, fake_count, fake_free, NULL, NULL };
static const struct mn_model_ops FAKE_TOKENS_OPS = { fake_embed, fake_count, fake_free,
                                                     fake_embed_tokens, fake_token_states };

struct mn_model *fake_model_new(size_t dim)
{
    return fake_model_named("fake", dim);
}

struct mn_model *fake_model_named(const char *name, size_t dim)
{
    struct fake *fake = calloc(1, sizeof(*fake));
    char json[96];

    if (fake == NULL)
        return NULL;
    if (strcmp(name, "fake") != 0)
        fake->salt = hash_word(name, strlen(name));
    snprintf(json, sizeof(json), "{\"name\": \"%.40s\", \"dim\": %zu}", name, dim);
    if (mn_model_profile_parse(json, &fake->base.profile, NULL) != MNEME_OK) {
        free(fake);
        return NULL;
    }
    fake->base.ops = &FAKE_OPS;
    pthread_mutex_init(&fake->lock, NULL);
    return &fake->base;
}

/* Each axis is one of the numbers. */
static void put_profile(struct mn_buf *json, size_t dim)
{
    mn_buf_printf(json, "{\"name\": \"fake\", \"dim\": %zu, \"tokens\": {\"mean\": [0", dim);
    for (size_t i = 1; i < dim; i++)
        mn_buf_text(json, ",0");
    mn_buf_text(json, "], \"axes\": [");
    for (size_t a = 0; a < MN_TOKEN_AXES; a++) {
        mn_buf_text(json, a ? ",[" : "[");
        for (size_t i = 0; i < dim; i++)
            mn_buf_printf(json, "%s%d", i ? "," : "", i == a % dim ? 127 : 0);
        mn_buf_char(json, ']');
    }
    mn_buf_text(json, "]}}");
}

struct mn_model *fake_model_with_tokens(size_t dim)
{
    struct mn_model *model = fake_model_new(dim);
    struct mn_model_profile profile;
    MN_BUF_AUTO json = { 0 };

    put_profile(&json, dim);
    if (!model || json.failed || mn_model_profile_parse(json.at, &profile, NULL) != MNEME_OK) {
        mn_model_free(model);
        return NULL;
    }
    mn_model_profile_release(&model->profile);
    model->profile = profile;
    model->ops = &FAKE_TOKENS_OPS;
    return model;
}

void fake_model_fail_after(struct mn_model *model, size_t calls, enum mneme_status status)
{
    struct fake *fake = (struct fake *)model;

    pthread_mutex_lock(&fake->lock);
    fake->calls_left = calls;
    fake->fail_status = status;
    pthread_mutex_unlock(&fake->lock);
}

size_t fake_model_calls(const struct mn_model *model)
{
    struct fake *fake = (struct fake *)(uintptr_t)model;
    size_t calls;

    pthread_mutex_lock(&fake->lock);
    calls = fake->calls;
    pthread_mutex_unlock(&fake->lock);
    return calls;
}
