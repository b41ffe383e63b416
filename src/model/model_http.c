/*
 * model_http.c - a model somewhere else, by the embeddings call that OpenAI made common.
 *
 *     POST <url>/embeddings  {"model": <name of the profile>, "input": [<text>]}
 *     -> {"data": [{"embedding": [...]}]}
 *
 * The profile's prefixes are put before the text here, since services know none, and what comes
 * back is scaled to length 1, since not all of them do that. Texts are cut by bytes, no token being
 * longer than BYTES_PER_TOKEN on average: the service cuts by its tokens.
 *
 * A service that is down or slow must not make every recall and every write wait. So what somebody
 * waits for has a short time, and after a failure the service is left alone for a while: meanwhile
 * every text fails at once with the same error, recall goes on by the other sources, and what is
 * written waits for its vector.
 *
 * The lock is over the connection, the failure and its time: one text at a time.
 */
#include "model/model.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/http_client.h"
#include "base/json.h"
#include "base/str.h"

#define AWAITED_TIMEOUT_MS 1000
#define UNAWAITED_TIMEOUT_MS 20000
#define LEFT_ALONE_MS 5000
#define BYTES_PER_TOKEN 8
#define BYTES_PER_NUMBER 64 /* of the answer, written out */
#define ANSWER_BYTES_MIN 65536

struct remote {
    struct mn_model base;

    pthread_mutex_t lock; /* over all below */
    struct mn_http *http;
    struct mneme_error failure;
    int64_t failed_at_us; /* 0: the last call went well */
};

static void render_call(const struct mn_model_profile *profile, enum mn_embed_kind kind,
                        const char *text, struct mn_buf *out)
{
    MN_BUF_AUTO whole = { 0 };
    struct mn_json_writer w = { .out = out };
    size_t bytes = mn_utf8_cut(text, strlen(text), profile->tokens_max * BYTES_PER_TOKEN);

    mn_buf_text(&whole, kind == MN_EMBED_REQUEST ? profile->request_prefix
                                                 : profile->passage_prefix);
    mn_buf_put(&whole, text, bytes);
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "model", profile->name);
    mn_json_key(&w, "input");
    mn_json_open(&w, '[');
    mn_json_put_str(&w, (struct mn_str){ whole.at ? whole.at : "", whole.bytes });
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    out->failed = out->failed || whole.failed;
}

/* data[0].embedding, scaled. */
static enum mneme_status read_answer(const struct mn_model_profile *profile,
                                     const struct mn_buf *answer, float *vector,
                                     struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    double squares = 0;

    MN_TRY(mn_json_parse("answer of the model", answer->at ? answer->at : "", answer->bytes, &doc,
                         err));
    yyjson_val *list = yyjson_obj_get(
        yyjson_arr_get(yyjson_obj_get(yyjson_doc_get_root(doc), "data"), 0), "embedding");
    if (!yyjson_is_arr(list))
        return mn_fail(err, MNEME_CORRUPT, "model: %s answered without data[0].embedding",
                       profile->name);
    if (yyjson_arr_size(list) != profile->dim)
        return mn_fail(err, MNEME_INVALID, "dim: the profile says %zu, %s answered with %zu",
                       profile->dim, profile->name, yyjson_arr_size(list));
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    for (size_t i = 0; i < profile->dim; i++) {
        double number = yyjson_get_num(yyjson_arr_iter_next(&iter));

        vector[i] = (float)number;
        squares += number * number;
    }
    if (!(squares > 0) || !isfinite(squares))
        return mn_fail(err, MNEME_CORRUPT, "model: %s answered with a vector of length %g",
                       profile->name, sqrt(squares));
    for (size_t i = 0; i < profile->dim; i++)
        vector[i] = (float)(vector[i] / sqrt(squares));
    return MNEME_OK;
}

static enum mneme_status call(struct remote *remote, enum mn_embed_kind kind,
                              const struct mn_buf *body, float *vector, struct mneme_error *err)
{
    const struct mn_model_profile *profile = &remote->base.profile;
    MN_BUF_AUTO answer = { 0 };

    MN_TRY(mn_http_post(remote->http, body->at, body->bytes,
                        kind == MN_EMBED_PASSAGE ? UNAWAITED_TIMEOUT_MS : AWAITED_TIMEOUT_MS,
                        ANSWER_BYTES_MIN + profile->dim * BYTES_PER_NUMBER, &answer, err));
    return read_answer(profile, &answer, vector, err);
}

static enum mneme_status call_or_wait(struct remote *remote, enum mn_embed_kind kind,
                                      const struct mn_buf *body, float *vector,
                                      struct mneme_error *err)
{
    struct mneme_error failure = { 0 };
    int64_t now_us = mn_clock_monotonic_us();
    enum mneme_status status;

    if (remote->failed_at_us && now_us - remote->failed_at_us < LEFT_ALONE_MS * INT64_C(1000)) {
        if (err)
            *err = remote->failure;
        return remote->failure.status;
    }
    status = call(remote, kind, body, vector, &failure);
    remote->failed_at_us = 0;
    if (status == MNEME_OK)
        return MNEME_OK;
    if (status == MNEME_UNAVAILABLE || status == MNEME_FORBIDDEN) {
        remote->failure = failure;
        remote->failed_at_us = mn_clock_monotonic_us();
    }
    if (err)
        *err = failure;
    return status;
}

static enum mneme_status remote_embed(struct mn_model *model, enum mn_embed_kind kind,
                                      const char *text, float *vector, struct mneme_error *err)
{
    struct remote *remote = (struct remote *)model;
    MN_BUF_AUTO body = { 0 };
    enum mneme_status status;

    render_call(&model->profile, kind, text, &body);
    if (body.failed)
        return mn_fail_memory(err);
    pthread_mutex_lock(&remote->lock);
    status = call_or_wait(remote, kind, &body, vector, err);
    pthread_mutex_unlock(&remote->lock);
    return status;
}

static enum mneme_status remote_count(struct mn_model *model, const char *text, size_t *ret_count,
                                      struct mneme_error *err)
{
    (void)text;
    (void)ret_count;
    return mn_fail(err, MNEME_UNAVAILABLE, "model: %s is at a URL, and its tokens are not known here",
                   model->profile.name);
}

static void remote_release(struct mn_model *model)
{
    struct remote *remote = (struct remote *)model;

    mn_http_free(remote->http);
    pthread_mutex_destroy(&remote->lock);
    mn_model_profile_release(&model->profile);
    free(remote);
}

static const struct mn_model_ops REMOTE_OPS = { remote_embed, remote_count, remote_release, NULL, NULL };

static void free_remote(struct remote **remote)
{
    if (*remote)
        remote_release(&(*remote)->base);
}

bool mn_model_is_url(const char *path)
{
    return strstr(path, "://") != NULL; /* one of another scheme is refused, by a name without a password */
}

enum mneme_status mn_model_http_new(const char *url, const char *key, const char *profile_json,
                                    struct mn_model **ret_model, struct mneme_error *err)
{
    MN_CLEANUP(free_remote) struct remote *remote = NULL;
    MN_BUF_AUTO whole = { 0 };

    if (!profile_json)
        return mn_fail(err, MNEME_INVALID,
                       "profile_path: a model at a URL needs a profile with its name and dim");
    mn_http_join(url, "embeddings", &whole);
    remote = calloc(1, sizeof *remote);
    if (!remote || whole.failed) {
        free(remote);
        remote = NULL;
        return mn_fail_memory(err);
    }
    remote->base.ops = &REMOTE_OPS;
    pthread_mutex_init(&remote->lock, NULL);
    MN_TRY(mn_model_profile_parse(profile_json, &remote->base.profile, err));
    MN_TRY(mn_http_new(whole.at, key, &remote->http, err));
    *ret_model = &remote->base;
    remote = NULL;
    return MNEME_OK;
}
