/*
 * fake_service.h - a service on the loopback that answers each request as it is told to.
 */
#ifndef MN_TESTS_FAKE_SERVICE_H
#define MN_TESTS_FAKE_SERVICE_H

#include <stddef.h>

#include "base/str.h"

struct fake_service;

/* Listens on a free port of 127.0.0.1, on a thread of its own; NULL when that fails. */
struct fake_service *fake_service_new(void);
void fake_service_free(struct fake_service *service); /* waits for the thread */

int fake_service_port(const struct fake_service *service);

/* From now on: this status and body, after so many milliseconds. The body is kept by pointer. */
void fake_service_answer(struct fake_service *service, int status, const char *body, int delay_ms);

/* From now on the body is chosen by the request, with status 200; called on the service's thread. */
void fake_service_choose(struct fake_service *service, const char *(*choose)(const char *request));
/* The next request alone gets this; then as before. */
void fake_service_once(struct fake_service *service, int status, const char *body);

/* The body of a chat service that answers with this text; it lives in `out`. */
const char *fake_service_chat(struct mn_buf *out, const char *content);

size_t fake_service_calls(struct fake_service *service); /* so far */

/* The last request, head and body, cut to fit. */
void fake_service_last(struct fake_service *service, char *text, size_t bytes);

#endif
