/*
 * recent.c - requests that were embedded are not embedded again.
 *
 * An agent asks the same again: a turn is repeated, a page is loaded anew, a rule asks for its own words
 * each time. The embedding is the dearest step of a recall, so the vectors of the last 256 requests stay
 * in memory, where only their owner finds them: the key is a digest of the model, the tenant, the user and
 * the text. One common to all users would answer faster what somebody else has asked, and so tell by the
 * clock that he did. What users still share is the room: who asks much makes others' vectors leave, which
 * tells that there is traffic, as any load does, and nothing of its words. Texts are not kept, nor vectors
 * after an erasure of anything by anyone: a vector tells of its text.
 *
 * A file of vectors (model_cache.c) is for those who measure: it is common to all, and off by default.
 */
#include "model/recent.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct kept {
    char key[MN_SHA256_HEX_BYTES]; /* "": free */
    uint64_t asked;                /* when last, by the count of questions */
    size_t dim;
    size_t code_bytes;
    float *vector; /* and behind it the codes */
};

struct mn_recent {
    pthread_mutex_t lock;
    uint64_t count; /* of questions */
    struct kept request[MN_RECENT_REQUESTS];
};

struct mn_recent *mn_recent_new(void)
{
    struct mn_recent *recent = calloc(1, sizeof *recent);

    if (recent && pthread_mutex_init(&recent->lock, NULL)) {
        free(recent);
        return NULL;
    }
    return recent;
}

static size_t bytes_of(size_t dim, size_t code_bytes)
{
    return dim * sizeof(float) + code_bytes;
}

/* Leaves nothing of it behind in memory. */
static void forget(struct kept *kept)
{
    if (kept->vector)
        explicit_bzero(kept->vector, bytes_of(kept->dim, kept->code_bytes));
    free(kept->vector);
    *kept = (struct kept){ .vector = NULL };
}

static void clear(struct mn_recent *recent)
{
    for (size_t i = 0; i < MN_RECENT_REQUESTS; i++)
        forget(&recent->request[i]);
}

void mn_recent_clear(struct mn_recent *recent)
{
    if (!recent)
        return;
    pthread_mutex_lock(&recent->lock);
    clear(recent);
    pthread_mutex_unlock(&recent->lock);
}

void mn_recent_free(struct mn_recent *recent)
{
    if (!recent)
        return;
    clear(recent);
    pthread_mutex_destroy(&recent->lock);
    free(recent);
}

bool mn_recent_key(const struct mn_model_profile *profile, const char *tenant, const char *user,
                   const char *text, char ret_key[MN_SHA256_HEX_BYTES])
{
    MN_BUF_AUTO whole = { 0 };

    *ret_key = '\0';
    mn_buf_printf(&whole, "%s %zu:%s %zu:%s ", profile->hash, strlen(tenant), tenant,
                  strlen(user), user);
    mn_buf_text(&whole, text);
    return !whole.failed && mn_sha256_hex(whole.at, whole.bytes, ret_key);
}

/* NULL: it is not there. */
static struct kept *find(struct mn_recent *recent, const char *key)
{
    for (size_t i = 0; i < MN_RECENT_REQUESTS; i++)
        if (!strcmp(recent->request[i].key, key))
            return &recent->request[i];
    return NULL;
}

bool mn_recent_find(struct mn_recent *recent, const char *key, size_t dim, float *ret_vector,
                    struct mn_buf *ret_codes)
{
    bool found = false;

    if (!recent || !*key)
        return false;
    pthread_mutex_lock(&recent->lock);
    struct kept *kept = find(recent, key);
    if (kept && kept->dim == dim) {
        kept->asked = ++recent->count;
        mn_buf_put(ret_codes, kept->vector + dim, kept->code_bytes);
        found = !ret_codes->failed;
        if (found)
            memcpy(ret_vector, kept->vector, dim * sizeof *ret_vector);
    }
    pthread_mutex_unlock(&recent->lock);
    return found;
}

void mn_recent_keep(struct mn_recent *recent, const char *key, size_t dim, const float *vector,
                    struct mn_str codes)
{
    float *copy;

    if (!recent || !*key || !(copy = malloc(bytes_of(dim, codes.bytes))))
        return;
    memcpy(copy, vector, dim * sizeof *copy);
    if (codes.bytes)
        memcpy(copy + dim, codes.at, codes.bytes);
    pthread_mutex_lock(&recent->lock);
    struct kept *place = find(recent, key); /* another thread asked the same */
    if (!place) {
        place = &recent->request[0]; /* a free one was never asked */
        for (size_t i = 1; i < MN_RECENT_REQUESTS; i++)
            if (recent->request[i].asked < place->asked)
                place = &recent->request[i];
    }
    forget(place);
    *place = (struct kept){ .asked = ++recent->count,
                            .dim = dim,
                            .code_bytes = codes.bytes,
                            .vector = copy };
    memcpy(place->key, key, strlen(key) + 1);
    pthread_mutex_unlock(&recent->lock);
}
