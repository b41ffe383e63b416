/*
 * rerank_http.c - a cross-encoder somewhere else, by the call that several servers share.
 *
 *     POST <url>/rerank  {"model": ..., "query": ..., "documents": [...], "top_n": n}
 *     -> {"results": [{"index": 3, "relevance_score": 0.98}, ...]}
 *
 * Results come in any order, so they are put in their places by `index`: each text must have exactly
 * one, and a figure, or nothing of the answer is used.
 */
#include "model/rerank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/http_client.h"
#include "base/json.h"
#include "base/str.h"

#define ANSWER_BYTES_MIN 65536
#define TEXTS_PER_ANSWER 2 /* servers that send the texts back send each once, escaped */

struct remote {
    struct mn_reranker base;
    struct mn_http *http;
    char *model; /* "": not said */
};

static void render_call(const struct remote *remote, const char *request, const char *const *text,
                        size_t count, struct mn_buf *out)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    if (remote->model[0])
        mn_json_field_text(&w, "model", remote->model);
    mn_json_field_text(&w, "query", request);
    mn_json_key(&w, "documents");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < count; i++)
        mn_json_put_text(&w, text[i]);
    mn_json_close(&w, ']');
    mn_json_field_integer(&w, "top_n", (int64_t)count);
    mn_json_close(&w, '}');
}

static enum mneme_status read_answer(const struct mn_buf *answer, size_t count, double *score,
                                     struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;

    MN_TRY(mn_json_parse("answer of the reranker", answer->at ? answer->at : "", answer->bytes,
                         &doc, err));
    yyjson_val *results = yyjson_obj_get(yyjson_doc_get_root(doc), "results");
    if (!yyjson_is_arr(results) || yyjson_arr_size(results) != count)
        return mn_fail(err, MNEME_CORRUPT, "rerank: %zu results for %zu texts",
                       yyjson_arr_size(results), count);
    for (size_t i = 0; i < count; i++)
        score[i] = NAN;
    size_t at, size;
    yyjson_val *result;
    yyjson_arr_foreach(results, at, size, result) {
        yyjson_val *index = yyjson_obj_get(result, "index");
        yyjson_val *figure = yyjson_obj_get(result, "relevance_score");
        uint64_t i = yyjson_is_uint(index) ? yyjson_get_uint(index) : UINT64_MAX;

        if (i >= count || !isnan(score[i]) || !yyjson_is_num(figure))
            return mn_fail(err, MNEME_CORRUPT,
                           "rerank: result %zu has no relevance_score, or not an index of its own",
                           at);
        score[i] = yyjson_get_num(figure);
    }
    return MNEME_OK;
}

static enum mneme_status remote_score(struct mn_reranker *reranker, const char *request,
                                      const char *const *text, size_t count, int timeout_ms,
                                      double *score, struct mneme_error *err)
{
    struct remote *remote = (struct remote *)reranker;
    MN_BUF_AUTO body = { 0 };
    MN_BUF_AUTO answer = { 0 };

    render_call(remote, request, text, count, &body);
    if (body.failed)
        return mn_fail_memory(err);
    MN_TRY(mn_http_post(remote->http, body.at, body.bytes, timeout_ms,
                        ANSWER_BYTES_MIN + TEXTS_PER_ANSWER * body.bytes, &answer, err));
    return read_answer(&answer, count, score, err);
}

static void remote_free(struct mn_reranker *reranker)
{
    struct remote *remote = (struct remote *)reranker;

    mn_http_free(remote->http);
    free(remote->model);
    free(remote);
}

static const struct mn_reranker_ops REMOTE_OPS = { remote_score, remote_free };

static void free_remote(struct remote **remote)
{
    if (*remote)
        mn_reranker_free(&(*remote)->base);
}

enum mneme_status mn_reranker_http_new(const char *url, const char *key, const char *model,
                                       struct mn_reranker **ret_reranker, struct mneme_error *err)
{
    MN_CLEANUP(free_remote) struct remote *remote = calloc(1, sizeof *remote);
    MN_BUF_AUTO whole = { 0 };

    if (!remote)
        return mn_fail_memory(err);
    mn_reranker_init(&remote->base, &REMOTE_OPS, mn_empty(model) ? "rerank service" : model);
    remote->model = strdup(mn_or_empty(model));
    mn_http_join(url, "rerank", &whole);
    if (!remote->model || whole.failed)
        return mn_fail_memory(err);
    MN_TRY(mn_http_new(whole.at, key, &remote->http, err));
    *ret_reranker = &remote->base;
    remote = NULL;
    return MNEME_OK;
}
