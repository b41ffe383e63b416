/*
 * fake_bucket.c - one connection after the other, each closed after its answer.
 */
#include "fakes/fake_bucket.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"
#include "fakes/loopback.h"

#define REQUEST_BYTES_MAX ((size_t)1 << 20)
#define FILES_MAX 16
#define PAGE 1 /* keys of one answer, so that lists go over several */

struct file {
    char key[256]; /* "": free */
    char *bytes;
    size_t count;
};

struct fake_bucket {
    int listener, port;
    pthread_t thread;
    char bucket[64], credential[128];

    pthread_mutex_t lock; /* over all below */
    bool ends;
    int failing;
    struct file file[FILES_MAX];
    char *seen; /* all requests, one behind the other */
    size_t seen_bytes;
};

/* Head, then as many bytes as it says follow; *ret_body points into text. */
static size_t read_request(int connection, char *text, char **ret_body)
{
    size_t bytes = 0, wanted = REQUEST_BYTES_MAX - 1;

    *ret_body = NULL;
    while (bytes < wanted) {
        ssize_t got = read(connection, text + bytes, wanted - bytes);

        if (got <= 0)
            break;
        bytes += (size_t)got;
        text[bytes] = '\0';
        char *end = *ret_body ? NULL : strstr(text, "\r\n\r\n");
        if (end) {
            char *length = strcasestr(text, "content-length:");

            *ret_body = end + 4;
            wanted = (size_t)(end + 4 - text) +
                     (length && length < end ? strtoul(length + 15, NULL, 10) : 0);
        }
    }
    return bytes;
}

static struct file *find(struct fake_bucket *b, const char *key)
{
    for (size_t i = 0; i < FILES_MAX; i++)
        if (strcmp(b->file[i].key, key) == 0)
            return &b->file[i];
    return NULL;
}

static void send_all(int connection, int status, const char *bytes, size_t count)
{
    char head[160];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %d X\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
                          count);

    if (send(connection, head, (size_t)length, MSG_NOSIGNAL) == length && count)
        (void)!send(connection, bytes, count, MSG_NOSIGNAL);
}

/* Is it signed with the key that is known, and is the body what was signed? */
static bool is_signed(const struct fake_bucket *b, const char *text, const char *body, size_t count)
{
    char digest[MN_SHA256_HEX_BYTES];
    const char *said = strcasestr(text, "x-amz-content-sha256: ");

    return strcasestr(text, b->credential) && strcasestr(text, "SignedHeaders=") && said &&
           mn_sha256_hex(body, count, digest) && strncmp(said + 22, digest, 64) == 0;
}

static void answer_list(struct fake_bucket *b, int connection, const char *query)
{
    const char *from = strstr(query, "prefix=");
    const char *token = strstr(query, "continuation-token=");
    char xml[4096], prefix[256] = "";
    size_t at = 0, skip = token ? strtoul(token + 19, NULL, 10) : 0, found = 0, given = 0;

    for (const char *p = from ? from + 7 : ""; *p && *p != ' ' && *p != '&' && at < 255; p++) {
        unsigned code = 0;

        if (*p == '%' && sscanf(p + 1, "%2x", &code) == 1)
            p += 2;
        prefix[at++] = (char)(code ? code : (unsigned char)*p);
    }
    at = (size_t)snprintf(xml, sizeof xml, "<?xml version=\"1.0\"?><ListBucketResult>");
    for (size_t i = 0; i < FILES_MAX; i++) {
        if (!b->file[i].key[0] || strncmp(b->file[i].key, prefix, strlen(prefix)) != 0)
            continue;
        if (found++ >= skip && given < PAGE) {
            at += (size_t)snprintf(xml + at, sizeof xml - at, "<Contents><Key>%s</Key></Contents>",
                                   b->file[i].key);
            given++;
        }
    }
    if (found > skip + given)
        at += (size_t)snprintf(xml + at, sizeof xml - at,
                               "<NextContinuationToken>%zu</NextContinuationToken>", skip + given);
    at += (size_t)snprintf(xml + at, sizeof xml - at, "</ListBucketResult>");
    send_all(connection, 200, xml, at);
}

static void answer(struct fake_bucket *b, int connection, char *text, const char *body, size_t count)
{
    char method[16] = "", path[512] = "", root[80];
    struct file *file;

    (void)sscanf(text, "%15s %511s", method, path);
    (void)snprintf(root, sizeof root, "/%s", b->bucket);
    if (b->failing || !is_signed(b, text, body, count)) {
        send_all(connection, b->failing ? b->failing : 403, "", 0);
        return;
    }
    if (strncmp(path, root, strlen(root)) != 0) {
        send_all(connection, 404, "", 0);
        return;
    }
    if (path[strlen(root)] == '?') {
        answer_list(b, connection, path);
        return;
    }
    const char *key = path + strlen(root) + 1;
    file = find(b, key);
    if (strcmp(method, "PUT") == 0 && (file || (file = find(b, "")))) {
        free(file->bytes);
        file->bytes = malloc(count + 1);
        if (file->bytes)
            memcpy(file->bytes, body, count);
        file->count = count;
        (void)snprintf(file->key, sizeof file->key, "%s", key);
        send_all(connection, 200, "", 0);
    } else if (strcmp(method, "GET") == 0) {
        send_all(connection, file ? 200 : 404, file ? file->bytes : "", file ? file->count : 0);
    } else {
        if (file)
            file->key[0] = '\0';
        send_all(connection, 204, "", 0);
    }
}

static void note(struct fake_bucket *b, const char *text, size_t bytes)
{
    char *more = realloc(b->seen, b->seen_bytes + bytes);

    if (!more)
        return;
    memcpy(more + b->seen_bytes, text, bytes);
    b->seen = more;
    b->seen_bytes += bytes;
}

static void *serve(void *argument)
{
    struct fake_bucket *b = argument;
    char *text = calloc(1, REQUEST_BYTES_MAX);

    for (;;) {
        int connection = accept(b->listener, NULL, NULL);
        char *body = NULL;

        pthread_mutex_lock(&b->lock);
        bool ends = b->ends || connection < 0 || !text;
        pthread_mutex_unlock(&b->lock);
        if (ends) {
            if (connection >= 0)
                close(connection);
            break;
        }
        size_t bytes = read_request(connection, text, &body);
        pthread_mutex_lock(&b->lock);
        if (body) {
            note(b, text, bytes);
            answer(b, connection, text, body, bytes - (size_t)(body - text));
        }
        pthread_mutex_unlock(&b->lock);
        close(connection);
    }
    free(text);
    return NULL;
}

struct fake_bucket *fake_bucket_new(const char *bucket, const char *access_key)
{
    struct fake_bucket *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    (void)snprintf(b->bucket, sizeof b->bucket, "%s", bucket);
    (void)snprintf(b->credential, sizeof b->credential,
                   "Authorization: AWS4-HMAC-SHA256 Credential=%s/", access_key);
    pthread_mutex_init(&b->lock, NULL);
    b->listener = loopback_listen(&b->port);
    if (b->listener < 0 || pthread_create(&b->thread, NULL, serve, b) != 0) {
        if (b->listener >= 0)
            close(b->listener);
        free(b);
        return NULL;
    }
    return b;
}

void fake_bucket_free(struct fake_bucket *b)
{
    pthread_mutex_lock(&b->lock);
    b->ends = true;
    pthread_mutex_unlock(&b->lock);
    shutdown(b->listener, SHUT_RDWR);
    pthread_join(b->thread, NULL);
    close(b->listener);
    for (size_t i = 0; i < FILES_MAX; i++)
        free(b->file[i].bytes);
    free(b->seen);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

int fake_bucket_port(const struct fake_bucket *b)
{
    return b->port;
}

void fake_bucket_fail(struct fake_bucket *b, int status)
{
    pthread_mutex_lock(&b->lock);
    b->failing = status;
    pthread_mutex_unlock(&b->lock);
}

size_t fake_bucket_files(struct fake_bucket *b)
{
    size_t count = 0;

    pthread_mutex_lock(&b->lock);
    for (size_t i = 0; i < FILES_MAX; i++)
        count += b->file[i].key[0] != '\0';
    pthread_mutex_unlock(&b->lock);
    return count;
}

int fake_bucket_saw(struct fake_bucket *b, const char *text)
{
    pthread_mutex_lock(&b->lock);
    int saw = b->seen && memmem(b->seen, b->seen_bytes, text, strlen(text)) != NULL;
    pthread_mutex_unlock(&b->lock);
    return saw;
}
