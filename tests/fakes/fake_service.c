/*
 * fake_service.c - one connection after the other, each closed after its answer.
 */
#include "fakes/fake_service.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "fakes/loopback.h"

#define REQUEST_BYTES_MAX 65536

struct fake_service {
    int listener;
    int port;
    pthread_t thread;

    pthread_mutex_t lock; /* over all below */
    bool ends;
    int status;
    const char *body;
    int delay_ms;
    const char *(*choose)(const char *request); /* NULL: as above */
    int once_status; /* 0: as above */
    const char *once_body;
    size_t calls;
    char last[REQUEST_BYTES_MAX];
};

/* Head, then as many bytes as it says follow. */
static size_t read_request(int connection, char *text)
{
    size_t bytes = 0, wanted = REQUEST_BYTES_MAX - 1;

    while (bytes < wanted) {
        ssize_t got = read(connection, text + bytes, wanted - bytes);

        if (got <= 0)
            break;
        bytes += (size_t)got;
        text[bytes] = '\0';
        char *end = strstr(text, "\r\n\r\n");
        char *length = strcasestr(text, "content-length:");
        if (end && length) {
            size_t whole = (size_t)(end + 4 - text) + strtoul(length + 15, NULL, 10);

            wanted = whole < wanted ? whole : wanted;
        }
    }
    return bytes;
}

static void answer(struct fake_service *service, int connection, char *request)
{
    char head[256];

    pthread_mutex_lock(&service->lock);
    int status = service->status, delay_ms = service->delay_ms;
    const char *body = service->body;
    if (service->choose) {
        status = 200;
        body = service->choose(request);
    }
    if (service->once_status) {
        status = service->once_status;
        body = service->once_body;
        service->once_status = 0;
    }
    service->calls++;
    memcpy(service->last, request, REQUEST_BYTES_MAX);
    pthread_mutex_unlock(&service->lock);

    struct timespec delay = { delay_ms / 1000, delay_ms % 1000 * 1000000L };
    nanosleep(&delay, NULL);
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                          status, strlen(body));
    if (send(connection, head, (size_t)length, MSG_NOSIGNAL) == length)
        (void)!send(connection, body, strlen(body), MSG_NOSIGNAL);
}

static void *serve(void *argument)
{
    struct fake_service *service = argument;
    char *request = calloc(1, REQUEST_BYTES_MAX);

    for (;;) {
        int connection = accept(service->listener, NULL, NULL);

        pthread_mutex_lock(&service->lock);
        bool ends = service->ends;
        pthread_mutex_unlock(&service->lock);
        if (ends || connection < 0 || !request) {
            if (connection >= 0)
                close(connection);
            break;
        }
        memset(request, 0, REQUEST_BYTES_MAX);
        if (read_request(connection, request))
            answer(service, connection, request);
        close(connection);
    }
    free(request);
    return NULL;
}

struct fake_service *fake_service_new(void)
{
    struct fake_service *service = calloc(1, sizeof *service);

    if (!service)
        return NULL;
    service->body = "";
    service->status = 500;
    pthread_mutex_init(&service->lock, NULL);
    service->listener = loopback_listen(&service->port);
    if (service->listener < 0 || pthread_create(&service->thread, NULL, serve, service) != 0) {
        if (service->listener >= 0)
            close(service->listener);
        free(service);
        return NULL;
    }
    return service;
}

void fake_service_free(struct fake_service *service)
{
    pthread_mutex_lock(&service->lock);
    service->ends = true;
    pthread_mutex_unlock(&service->lock);
    shutdown(service->listener, SHUT_RDWR);
    pthread_join(service->thread, NULL);
    close(service->listener);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

int fake_service_port(const struct fake_service *service)
{
    return service->port;
}

void fake_service_answer(struct fake_service *service, int status, const char *body, int delay_ms)
{
    pthread_mutex_lock(&service->lock);
    service->status = status;
    service->body = body;
    service->delay_ms = delay_ms;
    pthread_mutex_unlock(&service->lock);
}

void fake_service_choose(struct fake_service *service, const char *(*choose)(const char *request))
{
    pthread_mutex_lock(&service->lock);
    service->choose = choose;
    pthread_mutex_unlock(&service->lock);
}

void fake_service_once(struct fake_service *service, int status, const char *body)
{
    pthread_mutex_lock(&service->lock);
    service->once_status = status;
    service->once_body = body;
    pthread_mutex_unlock(&service->lock);
}

const char *fake_service_chat(struct mn_buf *out, const char *content)
{
    struct mn_json_writer w = { .out = out };

    mn_buf_reset(out);
    mn_buf_text(out, "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":");
    mn_json_put_text(&w, content);
    mn_buf_text(out, "},\"finish_reason\":\"stop\"}]}");
    return out->at;
}

size_t fake_service_calls(struct fake_service *service)
{
    pthread_mutex_lock(&service->lock);
    size_t calls = service->calls;
    pthread_mutex_unlock(&service->lock);
    return calls;
}

void fake_service_last(struct fake_service *service, char *text, size_t bytes)
{
    pthread_mutex_lock(&service->lock);
    snprintf(text, bytes, "%s", service->last);
    pthread_mutex_unlock(&service->lock);
}
