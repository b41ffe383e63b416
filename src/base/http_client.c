/*
 * http_client.c - libcurl behind one function.
 *
 * Signals are not used for time limits (NOSIGNAL), because the process is the host's. Where a test
 * or an operator sets a proxy in the environment, libcurl heeds it.
 */
#include "base/http_client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

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

static bool set_up(struct mn_http *http, const char *url, const char *bearer)
{
    http->url = strdup(url);
    http->name = name_of(url);
    http->curl = curl_easy_init();
    return http->url && http->name && http->curl &&
           add_header(http, "Content-Type: application/json") && add_header(http, "Expect:") && add_bearer(http, bearer) &&
           curl_easy_setopt(http->curl, CURLOPT_URL, http->url) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK &&
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

enum mneme_status mn_http_new(const char *url, const char *bearer, struct mn_http **ret_http,
                              struct mneme_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct mn_http *http;

    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return refuse_url(url, err);
    if (strpbrk(mn_or_empty(bearer), "\r\n"))
        return mn_fail(err, MNEME_INVALID, "model_key: holds a line end");
    pthread_once(&once, start_curl);
    http = calloc(1, sizeof *http);
    if (!http || !set_up(http, url, bearer)) {
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

    if (code == 200)
        return MNEME_OK;
    return mn_fail(err, status, "%s answered with status %ld", http->name, code);
}

enum mneme_status mn_http_post(struct mn_http *http, const char *json, size_t bytes, int timeout_ms,
                               size_t answer_bytes_max, struct mn_buf *ret_answer,
                               struct mneme_error *err)
{
    MN_BUF_AUTO body = { 0 };
    struct answer answer = { .body = &body, .bytes_max = answer_bytes_max };
    long code = 0;
    CURLcode done;

    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, json);
    curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, &answer);
    done = curl_easy_perform(http->curl);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, NULL);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, NULL);
    if (answer.too_long)
        return mn_fail(err, MNEME_LIMIT, "%s answered with more than %zu bytes", http->name,
                       answer_bytes_max);
    if (body.failed || done == CURLE_OUT_OF_MEMORY)
        return mn_fail_memory(err);
    if (done == CURLE_OPERATION_TIMEDOUT)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s did not answer within %d ms", http->name,
                       timeout_ms);
    if (done != CURLE_OK)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s does not answer: %s", http->name,
                       curl_easy_strerror(done));
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &code);
    MN_TRY(judge_code(http, code, err));
    mn_buf_put(ret_answer, body.at, body.bytes);
    return ret_answer->failed ? mn_fail_memory(err) : MNEME_OK;
}
