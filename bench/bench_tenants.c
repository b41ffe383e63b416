/*
 * bench_tenants.c - does a recall cost more when many others are in the store?
 *
 * usage: bench_tenants [REQUESTS]                                                           200
 *
 * Stores of 10, 100, 1,000 and 10,000 tenants, 100 memories each, in one process, asked by turns:
 * the same requests of as many different tenants as there are, up to ASKED of them. Their indexes
 * are built before. Prints the cost of a whole mneme_retrieve() for each store, without the
 * embedding, which is made before and found in a cache, and the first, cold recalls of the tenants
 * asked.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "eval/scratch.h"
#include "eval/synthetic.h"
#include "timing.h"

#define STORES 4
#define MEMORIES_OF_TENANT 100
#define RECORDS_AT_ONCE 200
#define ASKED 100 /* tenants; all their indexes together stay far below the default limit */
#define MEAN_TEXTS 16
#define STRUCTURED_SHARE 0.07
#define SEED UINT64_C(0x6d6e656d65)
#define NOW_MS INT64_C(1790000000000)
#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"

static const size_t store_tenants[STORES] = { 10, 100, 1000, 10000 };

struct bench {
    struct mn_scratch store[STORES];
    struct mn_synthetic source;
    struct mn_arena *arena;
    const char **request;
    size_t requests, dim;
    float *mean;
    double *cpu[STORES], *wall[STORES], *cold[STORES];
    size_t cold_count[STORES];
};

static void die(const char *why)
{
    fprintf(stderr, "bench_tenants: %s\n", why);
    raise(SIGTERM); /* its handler takes the temporary folders along */
    exit(1);
}

static void need(enum mneme_status status, const struct mneme_error *err)
{
    if (status != MNEME_OK)
        die(err->message);
}

static void *room(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);

    if (!at)
        die("out of memory");
    return at;
}

/* The mean of a few real vectors, around which made-up ones lie. */
static void find_mean(struct bench *b)
{
    struct mneme *handle = b->store[0].handle;
    struct mneme_error err;

    b->dim = mneme_model_dim(handle);
    b->mean = room(b->dim, sizeof(float));
    float *vector = room(b->dim, sizeof(float));
    for (size_t i = 0; i < MEAN_TEXTS; i++) {
        need(mneme_embed(handle, mn_synthetic_text(&b->source, i % 2, 20, b->arena), 0, vector,
                         b->dim, &err),
             &err);
        for (size_t j = 0; j < b->dim; j++)
            b->mean[j] += vector[j] / MEAN_TEXTS;
    }
    free(vector);
}

static void tenant_name(size_t tenant, char name[16])
{
    snprintf(name, 16, "tenant-%05u", (unsigned)tenant);
}

static void fill_tenant(struct bench *b, struct mn_scratch *store, size_t tenant)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct mneme_record record[MEMORIES_OF_TENANT];
    struct mneme_error err;
    char name[16];

    tenant_name(tenant, name);
    b->source.tenant_id = b->source.user_id = name;
    for (size_t i = 0; i < MEMORIES_OF_TENANT; i++) {
        float *vector = mn_arena_array(arena, float, b->dim + 1);

        need(mn_synthetic_next(&b->source, tenant * MEMORIES_OF_TENANT + i, arena, &record[i],
                               &err),
             &err);
        if (!vector)
            die("out of memory");
        mn_synthetic_vector(&b->source, b->mean, b->dim, vector);
        record[i].vector = vector;
        record[i].vector_dim = b->dim;
    }
    need(mn_scratch_load(store, record, MEMORIES_OF_TENANT, &err), &err);
}

/* The same request of the tenants that are asked: evenly spread over all. */
static struct lap ask(struct bench *b, size_t s, size_t request)
{
    struct mneme_request q = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    size_t asked = store_tenants[s] < ASKED ? store_tenants[s] : ASKED;
    struct mneme_error err;
    char name[16];

    tenant_name(request % asked * (store_tenants[s] / asked), name);
    q.identity.tenant_id = q.identity.user_id = name;
    q.identity.project_id = MN_SYNTHETIC_PROJECT;
    q.identity.repository_id = MN_SYNTHETIC_REPO;
    q.text = b->request[request];
    q.now_ms = NOW_MS;
    q.mode = MNEME_MODE_HYBRID;
    struct lap begun = lap_begin();
    need(mneme_retrieve(b->store[s].handle, &q, &answer, &err), &err);
    struct lap spent = lap_since(begun);
    mneme_answer_free(answer);
    return spent;
}

static void embed_requests(struct bench *b)
{
    float *vector = room(b->dim, sizeof(float));
    struct mneme_error err;

    b->request = room(b->requests, sizeof *b->request);
    for (size_t i = 0; i < b->requests; i++) {
        b->request[i] = mn_synthetic_request(&b->source, b->arena);
        if (!b->request[i])
            die("out of memory");
        need(mneme_embed(b->store[0].handle, b->request[i], 1, vector, b->dim, &err), &err);
    }
    free(vector);
}

static void measure(struct bench *b)
{
    for (size_t i = 0; i < b->requests; i++)
        for (size_t s = 0; s < STORES; s++) {
            struct lap spent = ask(b, s, i); /* of the first few tenants: cold */

            if (i < ASKED && i < store_tenants[s])
                b->cold[s][b->cold_count[s]++] = spent.cpu_us;
        }
    for (size_t i = 0; i < b->requests; i++)
        for (size_t s = 0; s < STORES; s++) {
            struct lap spent = ask(b, s, i);

            b->cpu[s][i] = spent.cpu_us;
            b->wall[s][i] = spent.wall_us;
        }
}

static void report(struct bench *b)
{
    double first = 0;

    for (size_t s = 0; s < STORES; s++) {
        double cpu_us = percentile(b->cpu[s], b->requests, 0.5);

        first = s ? first : cpu_us;
        printf("{\"tenants\": %zu, \"memories\": %zu, \"cpu_us\": [%.1f, %.1f], "
               "\"wall_us\": [%.1f, %.1f], \"cold_cpu_us\": %.1f, \"of_ten_tenants\": %.2f}\n",
               store_tenants[s], store_tenants[s] * MEMORIES_OF_TENANT, cpu_us,
               percentile(b->cpu[s], b->requests, 0.95), percentile(b->wall[s], b->requests, 0.5),
               percentile(b->wall[s], b->requests, 0.95),
               percentile(b->cold[s], b->cold_count[s], 0.5), cpu_us / first);
    }
}

static void run(struct bench *b, const char *cache_path)
{
    struct mn_eval_setup setup = { .model_path = MODEL, .cache_path = cache_path };
    struct mneme_error err;

    for (size_t s = 0; s < STORES; s++) {
        need(mn_scratch_open(&setup, &b->store[s], &err), &err);
        b->cpu[s] = room(b->requests, sizeof(double));
        b->wall[s] = room(b->requests, sizeof(double));
        b->cold[s] = room(ASKED, sizeof(double));
    }
    if (*mneme_model_status(b->store[0].handle))
        die(mneme_model_status(b->store[0].handle));
    find_mean(b);
    embed_requests(b);
    for (size_t s = 0; s < STORES; s++)
        for (size_t t = 0; t < store_tenants[s]; t++)
            fill_tenant(b, &b->store[s], t);
    measure(b);
    report(b);
    for (size_t s = 0; s < STORES; s++) {
        mn_scratch_close(&b->store[s]);
        free(b->cpu[s]);
        free(b->wall[s]);
        free(b->cold[s]);
    }
    free(b->mean);
    free(b->request);
}

int main(int argc, char **argv)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_SCRATCH_AUTO folder = { 0 };
    struct bench b = {
        .arena = arena,
        .source = { .random = SEED, .now_ms = NOW_MS, .structured_share = STRUCTURED_SHARE },
        .requests = argc > 1 ? strtoul(argv[1], NULL, 10) : 200
    };
    struct mn_eval_setup nothing = { .model_path = "none" };
    char path[sizeof folder.folder + 16];
    struct mneme_error err;

    if (b.requests < ASKED) {
        fprintf(stderr, "usage: bench_tenants [REQUESTS, at least %d]\n", ASKED);
        return 2;
    }
    mn_scratch_heed_signals();
    need(mn_scratch_open(&nothing, &folder, &err), &err);
    snprintf(path, sizeof path, "%s/vectors", folder.folder);
    run(&b, path);
    return 0;
}
