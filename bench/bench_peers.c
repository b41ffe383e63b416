/*
 * bench_peers.c - mneme's side of the comparison: loads what bench/peers/ wrote, and is asked.
 *
 * usage: bench_peers DATA [--without-store]
 *        bench_peers --mean
 *
 * --mean prints the mean of English passages in the default model's space, as JSON: made-up vectors
 * have to lie around it, as real ones do, or a store would take them all for near-duplicates.
 *
 * Speaks lines. First it tells what loading cost, as JSON; then each line on standard input is a
 * question, answered by a line of JSON with the cost of each request and the numbers of the items
 * found, best first:
 *
 *   KIND K GROUPS FIRST COUNT
 *
 *   KIND    vector: the index by vector; text: the index by words; recall: a whole
 *           mneme_retrieve() over a store, ranking, budget, block and trace included
 *   K       how many are wanted
 *   GROUPS  only items of group 1..GROUPS may be found: the filter
 *   FIRST, COUNT   the requests of the data that are asked
 *
 * So a comparison can ask one store and then the other, block by block, in one run. The index has
 * no means to take off (its F is then the plain cosine), so that all answer the same question. A
 * group is a type of memory, because a type is what every question can be limited to.
 *
 * DATA, in the machine's byte order: "mnbench1"; items, requests, dim, tenants as 4 bytes each; the
 * tenant of each item, then of each request, 4 bytes; the group of each item, 1 byte; vectors of
 * items, then of requests, floats; texts of items, then of requests, each ended by NUL.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/scratch.h"
#include "memory/type.h"
#include "model/model_cache.h"
#include "search/search.h"
#include "timing.h"

#define MAGIC "mnbench1"
#define FEED_AT_ONCE 512
#define WRITE_AT_ONCE 256
#define ID_BYTES 16
#define GROUPS 3
#define NOW_MS INT64_C(1790000000000)
#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"

static const char *const group_type[GROUPS] = { "incident", "previous_decision", "fact" };

struct data {
    char *bytes;
    uint32_t items, requests, dim, tenants;
    const uint32_t *tenant, *request_tenant;
    const uint8_t *group; /* 1..GROUPS */
    const float *vector, *request_vector;
    const char **text, **request_text;
    char (*id)[ID_BYTES];
    char (*tenant_id)[ID_BYTES];
};

struct asked {
    char kind[16];
    size_t k, groups, first, count;
};

struct found {
    struct lap cost;
    uint32_t *item;
    size_t count;
};

/* Ends by a signal, whose handler takes the temporary folders along. */
static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_peers: %s: %s\n", what, why);
    raise(SIGTERM);
    exit(1);
}

static void need(enum mneme_status status, const struct mneme_error *err)
{
    if (status != MNEME_OK)
        die("mneme", err->message);
}

static void *room(size_t count, size_t bytes)
{
    void *at = calloc(count + 1, bytes);

    if (!at)
        die("memory", "there is none");
    return at;
}

/* ---- data ---- */

static char *read_file(const char *path, size_t *ret_bytes)
{
    FILE *file = fopen(path, "rb");
    long bytes;

    if (!file || fseek(file, 0, SEEK_END) || (bytes = ftell(file)) < 0)
        die(path, strerror(errno));
    rewind(file);
    char *at = room((size_t)bytes, 1);
    if (fread(at, 1, (size_t)bytes, file) != (size_t)bytes)
        die(path, "cannot be read whole");
    fclose(file);
    *ret_bytes = (size_t)bytes;
    return at;
}

static const void *take(char **at, const char *end, size_t bytes)
{
    char *taken = *at;

    if ((size_t)(end - taken) < bytes)
        die("data", "the file ends too early");
    *at += bytes;
    return taken;
}

static const char **take_texts(char **at, const char *end, size_t count)
{
    const char **text = room(count, sizeof *text);

    for (size_t i = 0; i < count; i++)
        text[i] = take(at, end, strnlen(*at, (size_t)(end - *at)) + 1);
    return text;
}

static void read_data(const char *path, struct data *d)
{
    size_t bytes;
    char *at = d->bytes = read_file(path, &bytes);
    const char *end = at + bytes;
    uint32_t head[4];

    if (memcmp(take(&at, end, strlen(MAGIC)), MAGIC, strlen(MAGIC)))
        die(path, "is no data of this benchmark");
    memcpy(head, take(&at, end, sizeof head), sizeof head);
    d->items = head[0], d->requests = head[1], d->dim = head[2], d->tenants = head[3];
    d->tenant = take(&at, end, d->items * sizeof *d->tenant);
    d->request_tenant = take(&at, end, d->requests * sizeof *d->tenant);
    d->group = take(&at, end, d->items);
    float *vectors = room((size_t)(d->items + d->requests) * d->dim, sizeof *vectors);
    memcpy(vectors, take(&at, end, (size_t)(d->items + d->requests) * d->dim * sizeof *vectors),
           (size_t)(d->items + d->requests) * d->dim * sizeof *vectors);
    d->vector = vectors;
    d->request_vector = vectors + (size_t)d->items * d->dim;
    d->text = take_texts(&at, end, d->items);
    d->request_text = take_texts(&at, end, d->requests);
    d->id = room(d->items, sizeof *d->id);
    d->tenant_id = room(d->tenants, sizeof *d->tenant_id);
    for (uint32_t i = 0; i < d->items; i++)
        snprintf(d->id[i], ID_BYTES, "m%u", i);
    for (uint32_t i = 0; i < d->tenants; i++)
        snprintf(d->tenant_id[i], ID_BYTES, "t%u", i);
}

static struct mneme_memory memory_of(const struct data *d, uint32_t i)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;

    memory.id = d->id[i];
    memory.tenant_id = memory.user_id = memory.scope_id = d->tenant_id[d->tenant[i]];
    memory.scope_kind = MNEME_SCOPE_USER;
    memory.type = group_type[d->group[i] - 1];
    memory.content = d->text[i];
    memory.authority = MNEME_EXPLICIT_USER;
    memory.confidence = 0.9;
    memory.created_at_ms = memory.updated_at_ms = NOW_MS - (int64_t)i * 1000;
    return memory;
}

/* ---- the index ---- */

/* Items of one tenant stand together in the data. */
static void feed_tenant(struct mn_search *search, const struct data *d, uint32_t from, uint32_t to)
{
    const char *tenant = d->tenant_id[d->tenant[from]];
    const struct mn_partition own = { tenant, tenant }, shared = { tenant, "" };
    struct mn_unit *unit = room(FEED_AT_ONCE, sizeof *unit);
    struct mneme_error err;

    for (uint32_t at = from; at < to; at += FEED_AT_ONCE) {
        uint32_t count = to - at < FEED_AT_ONCE ? to - at : FEED_AT_ONCE;

        for (uint32_t i = 0; i < count; i++)
            unit[i] = (struct mn_unit){ .id = d->id[at + i],
                                        .parent_id = d->id[at + i],
                                        .memory = memory_of(d, at + i),
                                        .confidence = 0.9,
                                        .vector = d->vector + (size_t)(at + i) * d->dim,
                                        .vector_dim = d->dim };
        need(search->ops->apply(search, own, at == from, unit, count, NULL, 0,
                                at + count == to ? "1" : "", &err),
             &err);
    }
    need(search->ops->apply(search, shared, true, NULL, 0, NULL, 0, "1", &err), &err);
    free(unit);
}

static struct mn_search *feed(const struct data *d)
{
    struct mn_space space = { .dim = d->dim };
    struct mn_search *search;
    struct mneme_error err;
    uint32_t from = 0;

    need(mn_search_memory_new(&space, SIZE_MAX, &search, &err), &err);
    for (uint32_t i = 1; i <= d->items; i++)
        if (i == d->items || d->tenant[i] != d->tenant[from]) {
            feed_tenant(search, d, from, i);
            from = i;
        }
    return search;
}

/* ---- the store ---- */

/* Gives the data's vectors for its requests, so that a cache of embeddings can be filled with them:
 * the store then finds each request's vector, and that its tokens have no codes, without a model's work. */
struct known_model {
    struct mn_model base;
    const float *next;
};

static enum mneme_status known_embed(struct mn_model *model, enum mn_embed_kind kind,
                                     const char *text, float *vector, struct mneme_error *err)
{
    const struct known_model *known = (const struct known_model *)(void *)model;

    (void)kind;
    (void)text;
    (void)err;
    memcpy(vector, known->next, model->profile.dim * sizeof *vector);
    return MNEME_OK;
}

static enum mneme_status known_embed_tokens(struct mn_model *model, enum mn_embed_kind kind,
                                            const char *text, float *vector, struct mn_buf *codes,
                                            struct mneme_error *err)
{
    (void)codes;
    return known_embed(model, kind, text, vector, err);
}

static void known_free(struct mn_model *model)
{
    mn_model_profile_release(&model->profile);
}

static void fill_cache(const struct data *d, const char *path)
{
    static const struct mn_model_ops ops = { .embed = known_embed,
                                             .embed_tokens = known_embed_tokens,
                                             .free = known_free };
    struct known_model known = { .base.ops = &ops };
    float *vector = room(d->dim, sizeof *vector);
    MN_BUF_AUTO no_codes = { 0 };
    struct mn_model *cache;
    struct mneme_error err;

    need(mn_model_profile_parse(NULL, &known.base.profile, &err), &err);
    if (known.base.profile.dim != d->dim)
        die("data", "a store needs vectors of the default model's length");
    need(mn_model_cache_new(&known.base, path, &cache, &err), &err);
    for (uint32_t i = 0; i < d->requests; i++) {
        known.next = d->request_vector + (size_t)i * d->dim;
        need(mn_model_embed_tokens(cache, MN_EMBED_REQUEST, d->request_text[i], vector, &no_codes,
                                   &err),
             &err);
    }
    mn_model_free(cache);
    free(vector);
}

static void fill_store(const struct data *d, struct mn_scratch *store)
{
    struct mneme_record record[WRITE_AT_ONCE];
    struct mneme_memory memory[WRITE_AT_ONCE];
    struct mneme_error err;

    for (uint32_t at = 0; at < d->items; at += WRITE_AT_ONCE) {
        uint32_t count = d->items - at < WRITE_AT_ONCE ? d->items - at : WRITE_AT_ONCE;

        for (uint32_t i = 0; i < count; i++) {
            memory[i] = memory_of(d, at + i);
            record[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY,
                                               .memory = &memory[i],
                                               .vector = d->vector + (size_t)(at + i) * d->dim,
                                               .vector_dim = d->dim };
        }
        need(mn_scratch_load(store, record, count, &err), &err);
    }
}

static void open_store(const struct data *d, const char *cache_path, struct mn_scratch *ret_store)
{
    struct mn_eval_setup setup = { .model_path = MODEL, .cache_path = cache_path };
    struct mneme_error err;

    need(mn_scratch_open(&setup, ret_store, &err), &err);
    if (*mneme_model_status(ret_store->handle))
        die("model", mneme_model_status(ret_store->handle));
    fill_store(d, ret_store);
}

/* ---- asking ---- */

static int by_rank(const void *a, const void *b)
{
    const struct mn_hit *x = a, *y = b;
    size_t i = x->vector_rank ? x->vector_rank : x->text_rank;
    size_t j = y->vector_rank ? y->vector_rank : y->text_rank;

    return (i > j) - (i < j);
}

static uint32_t item_of(const char *id)
{
    return (uint32_t)strtoul(id + 1, NULL, 10);
}

static void ask_index(struct mn_search *search, const struct data *d, const struct asked *asked,
                      size_t request, struct found *found)
{
    MN_ARENA_AUTO arena = NULL;
    const char *tenant = d->tenant_id[d->request_tenant[request]];
    const char *text = d->request_text[request];
    struct mn_access access = { .tenant = tenant,
                                .user = tenant,
                                .agent = "",
                                .session = "",
                                .task = "",
                                .project = "",
                                .repository = "",
                                .clearance = MNEME_INTERNAL,
                                .at_ms = NOW_MS };
    bool by_text = !strcmp(asked->kind, "text");
    struct mn_terms terms = { 0 };
    struct mn_query query = { .access = &access, .terms = &terms };
    struct mn_hits hits;
    struct mneme_error err;
    struct lap begun = lap_begin();

    arena = mn_arena_new(SIZE_MAX);
    for (size_t g = 0; g < asked->groups; g++)
        query.text_types |= MN_TYPE_BIT(mn_type_find(group_type[g]));
    query.vector_types = query.text_types;
    query.language = mn_text_language(text, strlen(text));
    if (by_text) {
        need(mn_text_query_terms(arena, text, strlen(text), &terms, &err), &err);
        query.text_k = asked->k;
    } else {
        query.vector = d->request_vector + request * d->dim;
        query.vector_k = asked->k;
    }
    need(search->ops->top(search, &query, arena, &hits, &err), &err);
    qsort(hits.item, hits.count, sizeof *hits.item, by_rank);
    found->cost = lap_since(begun);
    found->item = room(hits.count, sizeof *found->item);
    for (size_t i = 0; i < hits.count; i++)
        found->item[found->count++] = item_of(hits.item[i].unit->id);
}

static void ask_store(struct mneme *handle, const struct data *d, const struct asked *asked,
                      size_t request, struct found *found)
{
    struct mneme_request q = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    q.identity.tenant_id = q.identity.user_id = d->tenant_id[d->request_tenant[request]];
    q.text = d->request_text[request];
    q.now_ms = NOW_MS;
    q.mode = MNEME_MODE_HYBRID;
    q.items_max = q.per_type_max = asked->k;
    q.tokens_max = 200 * asked->k;
    if (asked->groups < GROUPS)
        q.types_required = (struct mneme_list){ group_type, asked->groups };
    struct lap begun = lap_begin();
    need(mneme_retrieve(handle, &q, &answer, &err), &err);
    found->cost = lap_since(begun);
    found->item = room(answer->item_count, sizeof *found->item);
    for (size_t i = 0; i < answer->item_count; i++)
        found->item[found->count++] = item_of(answer->item[i].memory->id);
    mneme_answer_free(answer);
}

static void print_found(const struct found *found, size_t count)
{
    for (int wall = 0; wall < 2; wall++) {
        printf("%s\"%s\": [", wall ? ", " : "{", wall ? "wall_us" : "cpu_us");
        for (size_t i = 0; i < count; i++)
            printf("%s%.2f", i ? ", " : "", wall ? found[i].cost.wall_us : found[i].cost.cpu_us);
        printf("]");
    }
    printf(", \"items\": [");
    for (size_t i = 0; i < count; i++) {
        printf("%s[", i ? ", " : "");
        for (size_t j = 0; j < found[i].count; j++)
            printf("%s%u", j ? ", " : "", found[i].item[j]);
        printf("]");
    }
    printf("]}\n");
    fflush(stdout);
}

static void answer_line(const struct data *d, struct mn_search *search, struct mneme *handle,
                        const char *line)
{
    struct asked asked;
    bool whole;

    if (sscanf(line, "%15s %zu %zu %zu %zu", asked.kind, &asked.k, &asked.groups, &asked.first,
               &asked.count) != 5 ||
        asked.groups < 1 || asked.groups > GROUPS || asked.first + asked.count > d->requests)
        die("question", line);
    whole = !strcmp(asked.kind, "recall");
    if (whole ? !handle : strcmp(asked.kind, "text") && strcmp(asked.kind, "vector"))
        die("question", line);
    struct found *found = room(asked.count, sizeof *found);
    for (size_t i = 0; i < asked.count; i++) {
        if (whole)
            ask_store(handle, d, &asked, asked.first + i, &found[i]);
        else
            ask_index(search, d, &asked, asked.first + i, &found[i]);
    }
    print_found(found, asked.count);
    for (size_t i = 0; i < asked.count; i++)
        free(found[i].item);
    free(found);
}

static void load_and_answer(const struct data *d, bool with_store)
{
    struct mn_scratch folder = { 0 }, store = { 0 };
    struct mn_eval_setup nothing = { .model_path = "none" };
    struct mn_search_stats stats;
    struct mneme_error err;
    char path[sizeof folder.folder + 16], line[128];
    struct lap begun = lap_begin();
    struct mn_search *search = feed(d);
    struct lap fed = lap_since(begun), written = { 0, 0 };

    if (with_store) {
        need(mn_scratch_open(&nothing, &folder, &err), &err); /* a folder for the cache */
        snprintf(path, sizeof path, "%s/vectors", folder.folder);
        fill_cache(d, path);
        begun = lap_begin();
        open_store(d, path, &store);
        written = lap_since(begun);
    }
    search->ops->stats(search, &stats);
    printf("{\"index_s\": %.3f, \"index_bytes\": %zu, \"store_s\": %.3f}\n", fed.wall_us / 1e6,
           stats.bytes, written.wall_us / 1e6);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin))
        answer_line(d, search, store.handle, line);
    mn_search_free(search);
    mn_scratch_close(&store);
    mn_scratch_close(&folder);
}

static int print_mean(void)
{
    struct mn_model_profile profile;
    struct mneme_error err;

    need(mn_model_profile_parse(NULL, &profile, &err), &err);
    for (size_t i = 0; i < profile.dim; i++)
        printf("%s%.6g", i ? ", " : "[", (double)profile.passage_mean[MN_LANGUAGE_EN][i]);
    printf("]\n");
    mn_model_profile_release(&profile);
    return 0;
}

int main(int argc, char **argv)
{
    struct data d = { 0 };
    bool with_store = argc == 2;

    if (argc == 2 && !strcmp(argv[1], "--mean"))
        return print_mean();

    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "--without-store"))) {
        fprintf(stderr, "usage: bench_peers DATA [--without-store] | --mean\n");
        return 2;
    }
    mn_scratch_heed_signals();
    read_data(argv[1], &d);
    load_and_answer(&d, with_store);
    free(d.bytes);
    free((void *)(uintptr_t)d.vector);
    free(d.text);
    free(d.request_text);
    free(d.id);
    free(d.tenant_id);
    return 0;
}
