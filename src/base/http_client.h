/*
 * http_client.h - one JSON document to a URL, one back; and files of a storage that asks for signatures.
 *
 * For services the operator has configured: no redirects are followed, only http and https are
 * spoken, the answer has a limit, and every call ends within its time. A connection is kept for the
 * next call.
 */
#ifndef MN_BASE_HTTP_CLIENT_H
#define MN_BASE_HTTP_CLIENT_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct mn_http;

/* The URL of one call of a service: url with "/call" behind it, unless it ends so. */
void mn_http_join(const char *url, const char *call, struct mn_buf *out);

/* url: http:// or https://, else MNEME_INVALID; a user and a password in it are sent, and stand in
 * no message. bearer: sent as the token; NULL or "" for none.
 * Nothing is connected yet. */
enum mneme_status mn_http_new(const char *url, const char *bearer, struct mn_http **ret_http,
                              struct mneme_error *err);
void mn_http_free(struct mn_http *http); /* accepts NULL */

/*
 * POST. One call at a time on one handle. *ret_answer: the body of a 200, appended.
 *
 * MNEME_UNAVAILABLE  no connection, no whole answer within timeout_ms, 408, 429 or 5xx.
 * MNEME_FORBIDDEN    401 or 403.
 * MNEME_INVALID      any other status: the service does not understand.
 * MNEME_LIMIT        the answer is longer than answer_bytes_max, or no memory for it.
 */
enum mneme_status mn_http_post(struct mn_http *http, const char *json, size_t bytes, int timeout_ms,
                               size_t answer_bytes_max, struct mn_buf *ret_answer,
                               struct mneme_error *err);

/* What requests to an S3-compatible storage are signed with (AWS signature, version 4). */
struct mn_http_signature {
    const char *region;
    const char *access_key;
    const char *secret_key;
    const char *session_token; /* NULL or "": none */
};

/* As mn_http_new(). Keys stand in no message. */
enum mneme_status mn_http_new_signed(const char *url, const struct mn_http_signature *signature,
                                     struct mn_http **ret_http, struct mneme_error *err);

/*
 * GET, PUT or DELETE of url + path (which is encoded already). One call at a time on one handle.
 * *ret_code: 200 to 299, or 404; *ret_answer: the body, appended.
 * Fails as mn_http_post() does; MNEME_INVALID for any other status.
 */
enum mneme_status mn_http_send(struct mn_http *http, const char *method, const char *path,
                               const void *bytes, size_t count, int timeout_ms,
                               size_t answer_bytes_max, struct mn_buf *ret_answer, long *ret_code,
                               struct mneme_error *err);

#endif
