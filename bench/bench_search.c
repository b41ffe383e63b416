/*
 * bench_search.c - what a search of one partition costs: CPU time of whole calls, without a model.
 *
 * usage: bench_search [UNITS [DIM [QUERIES]]]         10000 384 300
 *
 * Seeded texts, half Chinese, of about 35 terms, with words as rare as words are; vectors with a
 * large common mean and a falling spectrum, as sentence encoders make them. Requests are drawn
 * beside a unit: some of its words, its vector disturbed. The filter is a scope that part of the
 * units has. Recall is measured against all vectors, in double.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "search/search.h"

#define WORDS 20000
#define FEED_AT_ONCE 512
#define TOP 50
#define RECALLED 20 /* requests whose recall is looked at */

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double uniform(void)
{
    return (double)(next_random() >> 11) / 9007199254740992.0;
}

static float gauss(void)
{
    return (float)(sqrt(-2 * log(uniform() + 1e-12)) * cos(6.283185307 * uniform()));
}

static double cpu_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double percentile(double *value, size_t count, double share)
{
    qsort(value, count, sizeof *value, by_value);
    return value[(size_t)((double)(count - 1) * share)];
}

/* ---- data ---- */

/* Rank by Zipf's law, roughly: the n-th word is as likely as 1 / n. */
static size_t zipf(size_t count)
{
    return (size_t)(exp(uniform() * log((double)count + 1))) - 1;
}

static void put_word(struct mn_buf *buf, size_t word)
{
    static const char *const part[] = { "ba", "ke", "lo", "mi",  "nu",  "ra",  "se",  "to",
                                        "vi", "xo", "ze", "qua", "dri", "plo", "gre", "sta" };

    word += 256;
    for (; word; word /= 16)
        mn_buf_text(buf, part[word % 16]);
    mn_buf_char(buf, ' ');
}

static void put_han(struct mn_buf *buf, size_t word)
{
    char bytes[4];

    mn_buf_put(buf, bytes, mn_utf8_put((int32_t)(0x4e00 + word % 3000), bytes));
    mn_buf_put(buf, bytes, mn_utf8_put((int32_t)(0x4e00 + word * 7 % 2500), bytes));
}

static void put_text(struct mn_buf *buf, int han, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if (han)
            put_han(buf, zipf(WORDS));
        else
            put_word(buf, zipf(WORDS));
    }
}

static void unit_length(float *vector, size_t dim)
{
    double sum = 0;

    for (size_t i = 0; i < dim; i++)
        sum += (double)vector[i] * (double)vector[i];
    for (size_t i = 0; i < dim; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
}

static void make_vector(float *vector, const float *mean, size_t dim)
{
    for (size_t i = 0; i < dim; i++)
        vector[i] = mean[i] + gauss() * 0.6f / sqrtf(3 + (float)i);
    unit_length(vector, dim);
}

struct data {
    size_t count, dim;
    struct mn_unit *unit;
    float *vector;
    float *mean[2];
};

static void make_data(struct data *d, const char *const scopes[3])
{
    char id[32];

    d->unit = calloc(d->count, sizeof *d->unit);
    d->vector = malloc(d->count * d->dim * sizeof *d->vector);
    for (int l = 0; l < 2; l++) {
        d->mean[l] = calloc(d->dim, sizeof(float));
        for (size_t i = 0; i < d->dim; i++)
            d->mean[l][i] = gauss() / sqrtf((float)d->dim) * 0.9f;
    }
    for (size_t n = 0; n < d->count; n++) {
        struct mn_unit *u = &d->unit[n];
        struct mn_buf text = { 0 };
        int han = (int)(next_random() % 2);

        put_text(&text, han, han ? 12 : 30);
        make_vector(d->vector + n * d->dim, d->mean[han], d->dim);
        snprintf(id, sizeof id, "mem_%08zu", n);
        *u = (struct mn_unit){ .memory = MNEME_MEMORY_INIT, .confidence = 0.9 };
        u->id = u->parent_id = u->memory.id = strdup(id);
        u->memory.tenant_id = "t";
        u->memory.user_id = "u";
        u->memory.scope_kind = MNEME_SCOPE_REPO;
        /* one in a hundred, one in ten, the rest */
        u->memory.scope_id = scopes[n % 100 == 0 ? 0 : n % 10 == 0 ? 1 : 2];
        u->memory.type = "fact";
        u->memory.content = text.at;
        u->memory.authority = MNEME_EXPLICIT_USER;
        u->memory.created_at_ms = 1;
        u->vector = d->vector + n * d->dim;
        u->vector_dim = d->dim;
    }
}

/* ---- measuring ---- */

static void feed(struct mn_search *search, const struct data *d, bool tell)
{
    const struct mn_partition own = { "t", "u" }, shared = { "t", "" };
    double start = cpu_us();
    struct mn_search_stats stats;

    for (size_t at = 0; at < d->count; at += FEED_AT_ONCE) {
        size_t count = d->count - at < FEED_AT_ONCE ? d->count - at : FEED_AT_ONCE;

        search->ops->apply(search, own, at == 0, d->unit + at, count, NULL, 0,
                           at + count == d->count ? "1" : "", NULL);
    }
    double spent = cpu_us() - start;
    search->ops->apply(search, shared, true, NULL, 0, NULL, 0, "1", NULL);
    search->ops->stats(search, &stats);
    if (!tell)
        return;
    printf("%zu units of %zu dims: fed at %.0f units/s, %.0f bytes a unit\n", d->count, d->dim,
           (double)d->count / spent * 1e6, (double)stats.bytes / (double)d->count);
}

static size_t visible_rows(const struct data *d, const struct mn_access *access, size_t n)
{
    return !strcmp(d->unit[n].memory.scope_id, access->repository);
}

/* Share of the k nearest of each language that came, told by their F. */
static double recall_of(struct mn_search *search, const struct data *d,
                        const struct mn_query *query, const struct mn_hits *hits, size_t k)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    const char **ids = malloc(d->count * sizeof *ids);
    double *all = malloc(d->count * sizeof *all);
    struct mn_hits every;
    size_t count = 0, found = 0, wanted = 0;

    for (size_t n = 0; n < d->count; n++)
        if (visible_rows(d, query->access, n))
            ids[count++] = d->unit[n].id;
    search->ops->score(search, query, ids, count, arena, &every, NULL);
    for (enum mn_language l = 0; l < MN_LANGUAGE_COUNT; l++) {
        size_t of_language = 0;

        for (size_t i = 0; i < every.count; i++)
            if (every.item[i].language == l)
                all[of_language++] = -every.item[i].vector;
        if (!of_language)
            continue;
        qsort(all, of_language, sizeof *all, by_value);
        of_language = of_language < k ? of_language : k;
        wanted += of_language;
        for (size_t i = 0; i < hits->count; i++)
            found += hits->item[i].language == l && hits->item[i].vector_rank &&
                     -hits->item[i].vector <= all[of_language - 1];
    }
    free(ids);
    free(all);
    return (double)found / (double)wanted;
}

static double measure(struct mn_search *search, const struct data *d, const char *scope,
                      size_t queries, size_t text_k, size_t vector_k, double ret_recall[2])
{
    struct mn_access access = { .tenant = "t",
                                .user = "u",
                                .agent = "",
                                .session = "",
                                .task = "",
                                .project = "",
                                .repository = scope,
                                .clearance = MNEME_INTERNAL,
                                .at_ms = 1000 };
    double *spent = malloc(queries * sizeof *spent);
    float *vector = malloc(d->dim * sizeof *vector);

    random_state = 4101842887655102017u;
    for (size_t q = 0; q < queries; q++) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        size_t near = next_random() % d->count;
        const char *content = d->unit[near].memory.content;
        struct mn_terms terms = { 0 };
        struct mn_hits hits;

        for (size_t i = 0; i < d->dim; i++)
            vector[i] = d->vector[near * d->dim + i] + gauss() * 0.02f;
        unit_length(vector, d->dim);
        mn_text_query_terms(arena, content, mn_utf8_cut(content, strlen(content), 48), &terms,
                            NULL);
        struct mn_query query = { .access = &access,
                                  .text_types = ~(mn_type_set)0,
                                  .vector_types = ~(mn_type_set)0,
                                  .terms = &terms,
                                  .language = mn_text_language(content, strlen(content)),
                                  .vector = vector_k ? vector : NULL,
                                  .text_k = text_k,
                                  .vector_k = vector_k };
        double start = cpu_us();
        search->ops->top(search, &query, arena, &hits, NULL);
        spent[q] = cpu_us() - start;
        for (int r = 0; ret_recall && q < RECALLED && r < 2; r++)
            ret_recall[r] += recall_of(search, d, &query, &hits, r ? TOP : 10) / RECALLED;
    }
    double p50 = percentile(spent, queries, 0.5);
    free(spent);
    free(vector);
    return p50;
}

int main(int argc, char **argv)
{
    struct data d = { .count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000,
                      .dim = argc > 2 ? strtoul(argv[2], NULL, 10) : 384 };
    size_t queries = argc > 3 ? strtoul(argv[3], NULL, 10) : 300;
    static const char *const share[3] = { "100 %", " 10 %", "  1 %" };
    struct mn_search *search;

    if (d.count == 0 || d.dim == 0 || queries < 50) {
        fprintf(stderr, "usage: bench_search [UNITS [DIM [QUERIES, at least 50]]]\n");
        return 2;
    }
    for (int s = 0; s < 3; s++) {
        /* the asked-for scope is "asked"; others are not open */
        const char *const scopes[3] = { "asked", s < 2 ? "asked" : "a", s < 1 ? "asked" : "b" };

        random_state = 88172645463325252u;
        make_data(&d, scopes);
        struct mn_space space = { .dim = d.dim, .own_mean_share = 0.3f, .partition_k = 20 };
        space.request_mean[MN_LANGUAGE_EN] = space.passage_mean[MN_LANGUAGE_EN] = d.mean[0];
        space.request_mean[MN_LANGUAGE_ZH] = space.passage_mean[MN_LANGUAGE_ZH] = d.mean[1];
        if (mn_search_memory_new(&space, SIZE_MAX, &search, NULL) != MNEME_OK)
            return 1;
        feed(search, &d, s == 0);
        double recall[2] = { 0 }, text, vector, both;

        text = measure(search, &d, "asked", queries, TOP, 0, NULL);
        vector = measure(search, &d, "asked", queries, 0, TOP, recall);
        both = measure(search, &d, "asked", queries, TOP, TOP, NULL);
        printf("  visible %s  top %d, CPU p50: text %7.1f us  vector %7.1f us  both %7.1f us  "
               "vector recall@10 %.3f @50 %.3f\n",
               share[s], TOP, text, vector, both, recall[0], recall[1]);
        mn_search_free(search);
        for (size_t n = 0; n < d.count; n++) {
            free((char *)(uintptr_t)d.unit[n].id);
            free((char *)(uintptr_t)d.unit[n].memory.content);
        }
        free(d.unit);
        free(d.vector);
        free(d.mean[0]);
        free(d.mean[1]);
    }
    return 0;
}
