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
    while ((bytes = next_word(text, &at, &word)) > 0) {
        uint64_t random = hash_word(word, bytes) ^ fake->salt;

        for (int i = 0; i < VOTES_PER_WORD; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            vector[(random >> 33) % dim] += random >> 63 ? 1 : -1;
        }
    }
    for (size_t i = 0; i < dim; i++)
        squares += (double)vector[i] * vector[i];
    if (squares == 0)
        vector[0] = 1;
    else
        for (size_t i = 0; i < dim; i++)
            vector[i] = (float)(vector[i] / sqrt(squares));
    return MNEME_OK;
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

static const struct mn_model_ops FAKE_OPS = { fake_embed, fake_count, fake_free };

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
