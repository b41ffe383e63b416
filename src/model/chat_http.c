/*
 * chat_http.c - a language model somewhere else, by the chat call that OpenAI made common.
 *
 *     POST <url>/chat/completions  {"model", "messages": [system, user], "response_format", ...}
 *     -> {"choices": [{"message": {"content": "..."}}]}
 *
 * The schema is asked for by response_format. Services that do not know it, or the limit on tokens, or
 * the temperature, answer that they do not understand: then the bare call is made, and from then on.
 * What comes back is checked by whoever asked, either way.
 *
 * The lock is over the connection and over what the service understands.
 */
#include "model/chat.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/http_client.h"
#include "base/json.h"

#define ANSWER_BYTES_MAX ((size_t)1 << 20)
#define DATA_BYTES_MAX ((size_t)24576)
#define CALL "/chat/completions"

struct remote {
    struct mn_chat base;
    int timeout_ms;

    pthread_mutex_t lock; /* over all below */
    struct mn_http *http;
    bool bare; /* the service understands no more */
};

static void put_message(struct mn_json_writer *w, const char *role, const char *text)
{
    mn_json_open(w, '{');
    mn_json_field_text(w, "role", role);
    mn_json_field_text(w, "content", text);
    mn_json_close(w, '}');
}

static void put_format(struct mn_json_writer *w, const struct mn_chat_call *call)
{
    mn_json_field_integer(w, "temperature", 0);
    mn_json_field_integer(w, "max_tokens", (int64_t)call->tokens_max);
    mn_json_key(w, "response_format");
    mn_json_open(w, '{');
    mn_json_field_text(w, "type", "json_schema");
    mn_json_key(w, "json_schema");
    mn_json_open(w, '{');
    mn_json_field_text(w, "name", "answer");
    mn_json_field_bool(w, "strict", true);
    mn_json_key(w, "schema");
    mn_json_put_raw(w, call->schema);
    mn_json_close(w, '}');
    mn_json_close(w, '}');
}

static void render(const struct remote *remote, const struct mn_chat_call *call, bool bare,
                   struct mn_buf *out)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "model", remote->base.name);
    mn_json_key(&w, "messages");
    mn_json_open(&w, '[');
    put_message(&w, "system", call->task);
    put_message(&w, "user", call->data);
    mn_json_close(&w, ']');
    if (!bare)
        put_format(&w, call);
    mn_json_close(&w, '}');
}

/* choices[0].message.content: a text, or parts that have one. */
static enum mneme_status read_answer(const struct remote *remote, const struct mn_buf *body,
                                     struct mn_buf *out, struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    bool found = false;

    MN_TRY(mn_json_parse("answer of the model", body->at ? body->at : "", body->bytes, &doc, err));
    yyjson_val *choice =
        yyjson_arr_get(yyjson_obj_get(yyjson_doc_get_root(doc), "choices"), 0);
    yyjson_val *content = yyjson_obj_get(yyjson_obj_get(choice, "message"), "content");
    yyjson_arr_iter parts;

    if (yyjson_is_str(content)) {
        mn_buf_text(out, yyjson_get_str(content));
        found = true;
    } else if (yyjson_arr_iter_init(content, &parts)) {
        for (yyjson_val *part; (part = yyjson_arr_iter_next(&parts));) {
            mn_buf_text(out, yyjson_get_str(yyjson_obj_get(part, "text")));
            found = true;
        }
    }
    if (out->failed)
        return mn_fail_memory(err);
    if (!found)
        return mn_fail(err, MNEME_CORRUPT, "model: %s answered without choices[0].message.content",
                       remote->base.name);
    return MNEME_OK;
}

static enum mneme_status ask(struct remote *remote, const struct mn_chat_call *call, bool bare,
                             struct mn_buf *out, struct mneme_error *err)
{
    MN_BUF_AUTO request = { 0 };
    MN_BUF_AUTO body = { 0 };

    render(remote, call, bare, &request);
    if (request.failed)
        return mn_fail_memory(err);
    MN_TRY(mn_http_post(remote->http, request.at, request.bytes, remote->timeout_ms,
                        ANSWER_BYTES_MAX, &body, err));
    enum mneme_status status = read_answer(remote, &body, out, err);
    if (status == MNEME_INVALID) /* no JSON at all: not the request's fault */
        return mn_fail(err, MNEME_CORRUPT, "model: the answer of %s is no JSON",
                       remote->base.name);
    return status;
}

static enum mneme_status remote_answer(struct mn_chat *chat, const struct mn_chat_call *call,
                                       struct mn_buf *ret_text, struct mneme_error *err)
{
    struct remote *remote = (struct remote *)chat;
    enum mneme_status status;

    pthread_mutex_lock(&remote->lock);
    status = ask(remote, call, remote->bare, ret_text, err);
    if (status == MNEME_INVALID && !remote->bare) {
        status = ask(remote, call, true, ret_text, err);
        remote->bare = status == MNEME_OK;
    }
    pthread_mutex_unlock(&remote->lock);
    return status;
}

static void remote_release(struct mn_chat *chat)
{
    struct remote *remote = (struct remote *)chat;

    mn_http_free(remote->http);
    pthread_mutex_destroy(&remote->lock);
    free(remote);
}

static const struct mn_chat_ops REMOTE_OPS = { remote_answer, remote_release };

static void free_remote(struct remote **remote)
{
    if (*remote)
        remote_release(&(*remote)->base);
}

enum mneme_status mn_chat_http_new(const char *url, const char *key, const char *model,
                                   int timeout_ms, struct mn_chat **ret_chat,
                                   struct mneme_error *err)
{
    MN_CLEANUP(free_remote) struct remote *remote = NULL;
    MN_BUF_AUTO whole = { 0 };
    size_t bytes = strlen(url);

    if (strpbrk(mn_or_empty(key), "\r\n"))
        return mn_fail(err, MNEME_INVALID, "extractor_key: holds a line end");
    while (bytes > 0 && url[bytes - 1] == '/')
        bytes--;
    mn_buf_put(&whole, url, bytes);
    if (bytes < strlen(CALL) || strncmp(url + bytes - strlen(CALL), CALL, strlen(CALL)) != 0)
        mn_buf_text(&whole, CALL);
    remote = calloc(1, sizeof *remote);
    if (!remote || whole.failed) {
        free(remote);
        remote = NULL;
        return mn_fail_memory(err);
    }
    remote->base.ops = &REMOTE_OPS;
    remote->base.data_bytes_max = DATA_BYTES_MAX;
    (void)snprintf(remote->base.name, sizeof remote->base.name, "%s",
                   mn_empty(model) ? "default" : model);
    remote->timeout_ms = timeout_ms > 0 ? timeout_ms : MN_CHAT_TIMEOUT_MS;
    pthread_mutex_init(&remote->lock, NULL);
    MN_TRY(mn_http_new(whole.at, key, &remote->http, err));
    *ret_chat = &remote->base;
    remote = NULL;
    return MNEME_OK;
}
