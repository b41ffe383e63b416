/*
 * bench_cold.c - the first answer from a store that was just opened.
 *
 * usage: bench_cold [MEMORIES [TIMES]]                                                   10000 7
 *
 * A store of one user, half facts, half turns of sessions, is written, closed, and opened again as
 * often as asked; each time one request is answered. The first time its index is built from the
 * rows, and kept when the store is closed; all other times it is loaded. The file is in the system's
 * cache, the request's embedding in the cache of embeddings: what is timed is mneme's own work. A
 * second request on the same handle shows what a warm one costs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "eval/scratch.h"
#include "eval/synthetic.h"
#include "timing.h"

#define RECORDS_AT_ONCE 200
#define MEAN_TEXTS 16
#define STRUCTURED 100.0 /* preferences and rules that one user states */
#define SEED UINT64_C(0x6d6e656d65)
#define NOW_MS INT64_C(1790000000000)
#define NAME "ann"
#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"

struct bench {
    struct mn_scratch store;
    struct mn_synthetic source;
    struct mn_arena *arena;
    size_t memories, times, dim;
    const char *request[2];
};

static void die(const char *why)
{
    fprintf(stderr, "bench_cold: %s\n", why);
    raise(SIGTERM); /* its handler takes the temporary folders along */
    exit(1);
}

static void need(enum mneme_status status, const struct mneme_error *err)
{
    if (status != MNEME_OK)
        die(err->message);
}

static void fill(struct bench *b, const float *mean)
{
    struct mneme_record record[RECORDS_AT_ONCE];
    struct mneme_error err;

    for (size_t at = 0; at < b->memories; at += RECORDS_AT_ONCE) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        size_t left = b->memories - at;
        size_t some = left < RECORDS_AT_ONCE ? left : RECORDS_AT_ONCE;

        for (size_t i = 0; i < some; i++) {
            float *vector = mn_arena_array(arena, float, b->dim + 1);

            if (!vector)
                die("out of memory");
            need(mn_synthetic_next(&b->source, at + i, arena, &record[i], &err), &err);
            mn_synthetic_vector(&b->source, mean, b->dim, vector);
            record[i].vector = vector;
            record[i].vector_dim = b->dim;
        }
        need(mn_scratch_load(&b->store, record, some, &err), &err);
    }
}

/* Writes the store and embeds the requests, so that the cache has them. */
static void prepare(struct bench *b)
{
    struct mneme *handle = b->store.handle;
    struct mneme_error err;

    b->dim = mneme_model_dim(handle);
    float *mean = mn_arena_array(b->arena, float, b->dim + 1);
    float *vector = mn_arena_array(b->arena, float, b->dim + 1);
    if (!mean || !vector)
        die("out of memory");
    for (size_t i = 0; i < MEAN_TEXTS; i++) {
        need(mneme_embed(handle, mn_synthetic_text(&b->source, i % 2, 20, b->arena), 0, vector,
                         b->dim, &err),
             &err);
        for (size_t j = 0; j < b->dim; j++)
            mean[j] += vector[j] / MEAN_TEXTS;
    }
    for (size_t i = 0; i < 2; i++) {
        b->request[i] = mn_synthetic_request(&b->source, b->arena);
        need(mneme_embed(handle, b->request[i], 1, vector, b->dim, &err), &err);
    }
    fill(b, mean);
    mneme_close(handle);
    b->store.handle = NULL;
}

static struct lap ask(struct bench *b, const char *text)
{
    struct mneme_request q = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    q.identity.tenant_id = q.identity.user_id = NAME;
    q.identity.project_id = MN_SYNTHETIC_PROJECT;
    q.identity.repository_id = MN_SYNTHETIC_REPO;
    q.text = text;
    q.now_ms = NOW_MS;
    q.mode = MNEME_MODE_HYBRID;
    struct lap begun = lap_begin();
    need(mneme_retrieve(b->store.handle, &q, &answer, &err), &err);
    struct lap spent = lap_since(begun);
    mneme_answer_free(answer);
    return spent;
}

static void measure(struct bench *b, const char *cache_path)
{
    char path[sizeof b->store.folder + 16];
    struct mneme_options options = MNEME_OPTIONS_INIT;
    double *value[5];
    struct mneme_error err;

    snprintf(path, sizeof path, "%s/store.mneme", b->store.folder);
    options.store_path = path;
    options.model_path = MODEL;
    options.embedding_cache_path = cache_path;
    for (size_t i = 0; i < 5; i++)
        if (!(value[i] = mn_arena_array(b->arena, double, b->times)))
            die("out of memory");
    double built_ms = 0;
    for (size_t n = 0; n <= b->times; n++) {
        size_t t = n ? n - 1 : 0;
        struct lap begun = lap_begin();

        need(mneme_open(&options, &b->store.handle, &err), &err);
        value[0][t] = lap_since(begun).wall_us;
        struct lap first = ask(b, b->request[0]), second = ask(b, b->request[1]);
        value[1][t] = first.cpu_us, value[2][t] = first.wall_us;
        value[3][t] = second.cpu_us, value[4][t] = second.wall_us;
        if (n == 0)
            built_ms = first.cpu_us / 1e3;
        mneme_close(b->store.handle);
        b->store.handle = NULL;
    }
    printf("{\"memories\": %zu, \"times\": %zu, \"open_ms\": %.2f, \"built_cpu_ms\": %.2f, "
           "\"first_cpu_ms\": %.2f, "
           "\"first_wall_ms\": %.2f, \"second_cpu_ms\": %.2f, \"second_wall_ms\": %.2f}\n",
           b->memories, b->times, percentile(value[0], b->times, 0.5) / 1e3, built_ms,
           percentile(value[1], b->times, 0.5) / 1e3, percentile(value[2], b->times, 0.5) / 1e3,
           percentile(value[3], b->times, 0.5) / 1e3, percentile(value[4], b->times, 0.5) / 1e3);
}

int main(int argc, char **argv)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_SCRATCH_AUTO folder = { 0 };
    struct mn_eval_setup nothing = { .model_path = "none" }, setup = { .model_path = MODEL };
    struct bench b = { .arena = arena,
                       .memories = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000,
                       .times = argc > 2 ? strtoul(argv[2], NULL, 10) : 7 };
    char path[sizeof folder.folder + 16];
    struct mneme_error err;

    if (!b.memories || !b.times) {
        fprintf(stderr, "usage: bench_cold [MEMORIES [TIMES]]\n");
        return 2;
    }
    b.source =
        (struct mn_synthetic){ .random = SEED,
                               .now_ms = NOW_MS,
                               .tenant_id = NAME,
                               .user_id = NAME,
                               .structured_share = STRUCTURED / ((double)b.memories + STRUCTURED) };
    mn_scratch_heed_signals();
    need(mn_scratch_open(&nothing, &folder, &err), &err);
    snprintf(path, sizeof path, "%s/vectors", folder.folder);
    setup.cache_path = path;
    need(mn_scratch_open(&setup, &b.store, &err), &err);
    if (*mneme_model_status(b.store.handle))
        die(mneme_model_status(b.store.handle));
    prepare(&b);
    measure(&b, path);
    mn_scratch_close(&b.store);
    return 0;
}
