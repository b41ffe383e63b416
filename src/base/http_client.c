/*
 * http_client.c - libcurl behind a few functions.
 *
 * Signals are not used for time limits (NOSIGNAL), because the process is the host's. Where a test
 * or an operator sets a proxy in the environment, libcurl heeds it.
 */
#include "base/http_client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "base/hash.h"

struct mn_http {
    CURL *curl;
    struct curl_slist *headers;
    char *url;
    char *name; /* the URL for messages: without a user and a password */
};

struct answer {
    struct mn_buf *body;
    size_t bytes_max;
    bool too_long;
};

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static size_t take(char *bytes, size_t size, size_t count, void *context)
{
    struct answer *answer = context;

    if (size * count > answer->bytes_max - answer->body->bytes) {
        answer->too_long = true;
        return 0;
    }
    mn_buf_put(answer->body, bytes, size * count);
    return answer->body->failed ? 0 : size * count;
}

static bool add_header(struct mn_http *http, const char *line)
{
    struct curl_slist *longer = curl_slist_append(http->headers, line);

    if (longer)
        http->headers = longer;
    return longer != NULL;
}

static bool add_bearer(struct mn_http *http, const char *bearer)
{
    MN_BUF_AUTO line = { 0 };

    if (mn_empty(bearer))
        return true;
    mn_buf_printf(&line, "Authorization: Bearer %s", bearer);
    return !line.failed && add_header(http, line.at);
}

/* scheme://user:password@host/path without user and password; NULL when malloc fails. */
static char *name_of(const char *url)
{
    const char *colon = strstr(url, "://");
    const char *start = colon ? colon + 3 : url;
    size_t bytes = strcspn(start, "/?#");
    MN_BUF_AUTO name = { 0 };
    size_t host = bytes;

    while (host > 0 && start[host - 1] != '@')
        host--;
    mn_buf_put(&name, url, (size_t)(start - url));
    mn_buf_text(&name, start + host);
    return name.failed ? NULL : strdup(mn_or_empty(name.at));
}

static enum mneme_status refuse_url(const char *url, struct mneme_error *err)
{
    char *name = name_of(url);

    if (!name)
        return mn_fail_memory(err);
    mn_fail(err, MNEME_INVALID, "url: %s is neither http:// nor https://", name);
    free(name);
    return MNEME_INVALID;
}

static bool set_up(struct mn_http *http, const char *url)
{
    http->url = strdup(url);
    http->name = name_of(url);
    http->curl = curl_easy_init();
    return http->url && http->name && http->curl && add_header(http, "Expect:") &&
           curl_easy_setopt(http->curl, CURLOPT_URL, http->url) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_WRITEFUNCTION, take) == CURLE_OK;
}

void mn_http_join(const char *url, const char *call, struct mn_buf *out)
{
    size_t bytes = strlen(url), call_bytes = strlen(call);

    mn_buf_text(out, url);
    if (bytes > call_bytes && url[bytes - call_bytes - 1] == '/' &&
        !strcmp(url + bytes - call_bytes, call))
        return;
    if (!bytes || url[bytes - 1] != '/')
        mn_buf_char(out, '/');
    mn_buf_text(out, call);
}

/* A handle for the URL, without headers. A scheme's case does not matter (RFC 3986). */
static enum mneme_status open_url(const char *url, struct mn_http **ret_http,
                                  struct mneme_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct mn_http *http;

    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return refuse_url(url, err);
    pthread_once(&once, start_curl);
    http = calloc(1, sizeof *http);
    if (!http || !set_up(http, url)) {
        mn_http_free(http);
        return mn_fail_memory(err);
    }
    *ret_http = http;
    return MNEME_OK;
}

enum mneme_status mn_http_new(const char *url, const char *bearer, struct mn_http **ret_http,
                              struct mneme_error *err)
{
    struct mn_http *http = NULL;

    if (strpbrk(mn_or_empty(bearer), "\r\n"))
        return mn_fail(err, MNEME_INVALID, "model_key: holds a line end");
    MN_TRY(open_url(url, &http, err));
    if (!add_header(http, "Content-Type: application/json") || !add_bearer(http, bearer) ||
        curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers) != CURLE_OK) {
        mn_http_free(http);
        return mn_fail_memory(err);
    }
    *ret_http = http;
    return MNEME_OK;
}

static bool sign(struct mn_http *http, const struct mn_http_signature *signature)
{
    MN_BUF_AUTO provider = { 0 };
    MN_BUF_AUTO token = { 0 };

    mn_buf_printf(&provider, "aws:amz:%s:s3", signature->region);
    mn_buf_printf(&token, "x-amz-security-token: %s", mn_or_empty(signature->session_token));
    return !provider.failed && !token.failed &&
           (mn_empty(signature->session_token) || add_header(http, token.at)) &&
           add_header(http, "Content-Type: application/octet-stream") &&
           curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_AWS_SIGV4, provider.at) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_USERNAME, signature->access_key) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_PASSWORD, signature->secret_key) == CURLE_OK;
}

enum mneme_status mn_http_new_signed(const char *url, const struct mn_http_signature *signature,
                                     struct mn_http **ret_http, struct mneme_error *err)
{
    struct mn_http *http = NULL;

    if (strpbrk(mn_or_empty(signature->session_token), "\r\n"))
        return mn_fail(err, MNEME_INVALID, "session_token: holds a line end");
    MN_TRY(open_url(url, &http, err));
    if (!sign(http, signature)) {
        mn_http_free(http);
        return mn_fail_memory(err);
    }
    *ret_http = http;
    return MNEME_OK;
}

void mn_http_free(struct mn_http *http)
{
    if (!http)
        return;
    if (http->curl)
        curl_easy_cleanup(http->curl);
    curl_slist_free_all(http->headers);
    free(http->url);
    free(http->name);
    free(http);
}

static enum mneme_status judge_code(const struct mn_http *http, long code, struct mneme_error *err)
{
    enum mneme_status status = code == 408 || code == 429 || code >= 500 ? MNEME_UNAVAILABLE
                               : code == 401 || code == 403              ? MNEME_FORBIDDEN
                                                                         : MNEME_INVALID;

    return mn_fail(err, status, "%s answered with status %ld", http->name, code);
}

/* The request that is set up. */
static enum mneme_status perform(struct mn_http *http, int timeout_ms, size_t answer_bytes_max,
                                 struct mn_buf *body, long *ret_code, struct mneme_error *err)
{
    struct answer answer = { .body = body, .bytes_max = answer_bytes_max };
    CURLcode done;

    curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, &answer);
    done = curl_easy_perform(http->curl);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, NULL);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, NULL);
    if (answer.too_long)
        return mn_fail(err, MNEME_LIMIT, "%s answered with more than %zu bytes", http->name,
                       answer_bytes_max);
    if (body->failed || done == CURLE_OUT_OF_MEMORY)
        return mn_fail_memory(err);
    if (done == CURLE_OPERATION_TIMEDOUT)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s did not answer within %d ms", http->name,
                       timeout_ms);
    if (done != CURLE_OK)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s does not answer: %s", http->name,
                       curl_easy_strerror(done));
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, ret_code);
    return MNEME_OK;
}

static enum mneme_status hand_over(const struct mn_buf *body, struct mn_buf *ret_answer,
                                   struct mneme_error *err)
{
    mn_buf_put(ret_answer, body->at, body->bytes);
    return ret_answer->failed ? mn_fail_memory(err) : MNEME_OK;
}

enum mneme_status mn_http_post(struct mn_http *http, const char *json, size_t bytes, int timeout_ms,
                               size_t answer_bytes_max, struct mn_buf *ret_answer,
                               struct mneme_error *err)
{
    MN_BUF_AUTO body = { 0 };
    long code = 0;

    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, json);
    MN_TRY(perform(http, timeout_ms, answer_bytes_max, &body, &code, err));
    return code == 200 ? hand_over(&body, ret_answer, err) : judge_code(http, code, err);
}

static void free_headers(struct curl_slist **headers)
{
    curl_slist_free_all(*headers);
}

/* The handle's own headers and the digest of what is sent, which storages want to see. */
static bool set_headers(struct mn_http *http, const void *bytes, size_t count,
                        struct curl_slist **ret_headers)
{
    char digest[MN_SHA256_HEX_BYTES];
    MN_BUF_AUTO line = { 0 };
    MN_CLEANUP(free_headers) struct curl_slist *headers = NULL;

    if (!mn_sha256_hex(bytes, count, digest))
        return false;
    mn_buf_printf(&line, "x-amz-content-sha256: %s", digest);
    headers = line.failed ? NULL : curl_slist_append(NULL, line.at);
    for (const struct curl_slist *own = http->headers; headers && own; own = own->next)
        if (!curl_slist_append(headers, own->data))
            return false;
    if (!headers || curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers) != CURLE_OK)
        return false;
    *ret_headers = headers;
    headers = NULL;
    return true;
}

/* What is sent is handed over as fields, so that the signature covers it. */
static bool set_request(struct mn_http *http, const char *url, const char *method, const void *bytes,
                        size_t count, struct curl_slist **ret_headers)
{
    bool put = strcmp(method, "PUT") == 0;

    if (!set_headers(http, put ? bytes : "", put ? count : 0, ret_headers))
        return false;

    curl_easy_setopt(http->curl, CURLOPT_CUSTOMREQUEST, NULL);
    curl_easy_setopt(http->curl, CURLOPT_HTTPGET, 1L);
    if (put) {
        curl_easy_setopt(http->curl, CURLOPT_POST, 1L);
        curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
        curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, bytes);
    }
    return curl_easy_setopt(http->curl, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK;
}

enum mneme_status mn_http_send(struct mn_http *http, const char *method, const char *path,
                               const void *bytes, size_t count, int timeout_ms,
                               size_t answer_bytes_max, struct mn_buf *ret_answer, long *ret_code,
                               struct mneme_error *err)
{
    MN_BUF_AUTO url = { 0 };
    MN_BUF_AUTO body = { 0 };
    MN_CLEANUP(free_headers) struct curl_slist *headers = NULL;
    long code = 0;

    mn_buf_printf(&url, "%s%s", http->url, path);
    if (url.failed || !set_request(http, url.at, method, bytes, count, &headers))
        return mn_fail_memory(err);
    MN_TRY(perform(http, timeout_ms, answer_bytes_max, &body, &code, err));
    if ((code < 200 || code > 299) && code != 404)
        return judge_code(http, code, err);
    MN_TRY(hand_over(&body, ret_answer, err));
    *ret_code = code;
    return MNEME_OK;
}
