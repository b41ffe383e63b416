/*
 * bench_vectors.c - the best by vector among vectors that a model made.
 *
 * usage: bench_vectors FILE [ROWS [K [ALLOWED]]]                              10000 50 100
 *
 * FILE is a cache of embeddings (model/model_cache.c; `mneme eval` leaves one). Codes of tokens have
 * records in it as well: what has not the length 1 is no vector, is counted and left out. 100 of the
 * vectors are requests, the others rows; where more rows are asked for, further ones are rows moved
 * by the difference of two others, which keeps the way they spread. ALLOWED per cent of the rows pass the
 * filter. A request is timed twice: among the others, right behind the reading of all vectors, and
 * in a loop of 2,000, where rows stay in the cache that fit in it. Recall is that of the true score
 * in floats; of equals each counts. Looking all rows through for it takes minutes at a million.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "search/vector_index.h"
#include "timing.h"

#define HEAD_BYTES 16
#define KEY_BYTES 32
#define SUM_BYTES 8
#define REQUESTS 100
#define LOOPS 2000
#define K_MAX 200
#define MOVED_BY 0.35f
#define OWN_SHARE 0.3f
#define PARTITION_K 20

struct setting {
    size_t dim, rows, k;
    float *request; /* REQUESTS of them */
    float *row;
    float *mean;     /* the model's, made of what the file holds */
    double *own_mean;
    struct mn_vector_space space;
    struct mn_vector_index index;
    uint64_t *allowed;
    float *room;
};

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_vectors: %s\n", what);
    exit(1);
}

static void *space_for(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);

    need(at, "out of memory");
    return at;
}

/* A vector as the cache keeps them: nothing else in it comes near this. */
static bool length_is_one(const float *vector, size_t dim)
{
    double squares = 0;

    for (size_t d = 0; d < dim; d++)
        squares += (double)vector[d] * (double)vector[d];
    return squares > 0.99 && squares < 1.01;
}

/* The file's vectors in an order of chance; *ret_count of them, of *ret_records. */
static float *read_vectors(const char *path, struct chance *chance, size_t *ret_dim,
                           size_t *ret_count, size_t *ret_records)
{
    unsigned char head[HEAD_BYTES];
    FILE *file = fopen(path, "rb");
    uint64_t dim;
    long end;

    need(file && fread(head, sizeof head, 1, file) == 1 && !fseek(file, 0, SEEK_END) &&
             (end = ftell(file)) > 0,
         "the file cannot be read");
    memcpy(&dim, head + 8, sizeof dim);
    need(!memcmp(head, "mnemevc1", 8) && dim >= 8 && dim <= MN_SCAN_STRIDE_MAX,
         "the file is no cache of embeddings");
    size_t bytes = dim * sizeof(float), record = KEY_BYTES + bytes + SUM_BYTES;
    size_t records = ((size_t)end - HEAD_BYTES) / record, count = 0;
    unsigned char *block = space_for(1, record);
    float *vector = space_for(records * dim + 1, sizeof *vector);
    float *read = space_for(dim, sizeof *read);

    need(!fseek(file, HEAD_BYTES, SEEK_SET), "the file cannot be read");
    for (size_t i = 0; i < records; i++) {
        need(fread(block, record, 1, file) == 1, "the file cannot be read");
        memcpy(read, block + KEY_BYTES, bytes);
        if (!length_is_one(read, dim))
            continue;
        size_t at = chance_next(chance) % (count + 1);
        memcpy(vector + count++ * dim, vector + at * dim, bytes);
        memcpy(vector + at * dim, read, bytes);
    }
    need(count > 2 * REQUESTS, "too few vectors");
    fclose(file);
    free(block);
    free(read);
    *ret_dim = dim;
    *ret_count = count;
    *ret_records = records;
    return vector;
}

static void make_rows(struct setting *s, const float *given, size_t count, struct chance *chance)
{
    for (size_t i = 0; i < s->rows; i++) {
        float *row = s->row + i * s->dim;

        memcpy(row, given + i % count * s->dim, s->dim * sizeof *row);
        if (i < count)
            continue;
        const float *a = given + chance_next(chance) % count * s->dim;
        const float *b = given + chance_next(chance) % count * s->dim;
        for (size_t d = 0; d < s->dim; d++)
            row[d] += MOVED_BY * (a[d] - b[d]);
        unit_length(row, s->dim);
    }
}

static void make_index(struct setting *s)
{
    struct mn_space given = { .dim = s->dim,
                              .own_mean_share = OWN_SHARE,
                              .partition_k = PARTITION_K };
    struct lap begun;

    given.request_mean[MN_LANGUAGE_EN] = given.passage_mean[MN_LANGUAGE_EN] = s->mean;
    need(mn_vector_space_make(&given, &s->space, NULL) == MNEME_OK &&
             mn_vector_index_init(&s->index, &s->space, mn_scan_here()),
         "out of memory");
    begun = lap_begin();
    for (size_t i = 0; i < s->rows; i++)
        need(mn_vector_index_add(&s->index, s->row + i * s->dim, MN_LANGUAGE_EN, false),
             "out of memory");
    double added_us = lap_since(begun).cpu_us;
    mn_vector_index_recentre(&s->index);
    s->room = space_for(mn_vector_request_floats(&s->space), sizeof(float));
    printf("\"rows\": %zu, \"kernel\": \"%s\", \"add_us\": %.1f, \"bytes\": %.0f, "
           "\"rescore_bytes\": %.0f, ",
           s->rows, s->index.scan->name, added_us / (double)s->rows,
           (double)(mn_vector_index_bytes(&s->index) - mn_vector_index_rest_bytes(&s->index)) /
               (double)s->rows,
           (double)mn_vector_index_rest_bytes(&s->index) / (double)s->rows);
}

static bool is_allowed(const struct setting *s, size_t row)
{
    return s->allowed[row / 64] >> (row % 64) & 1;
}

static int best_first(const void *a, const void *b)
{
    const struct mn_scored *x = a, *y = b;

    return (x->score < y->score) - (x->score > y->score);
}

/* As a search does it: a quarter and 16 more than are wanted are scored exactly. */
static size_t ask(struct setting *s, const float *vector, struct mn_scored *ret)
{
    struct mn_scored kept[MN_LANGUAGE_COUNT][K_MAX + K_MAX / 4 + 16];
    struct mn_best best[MN_LANGUAGE_COUNT];
    struct mn_vector_request request;
    float cosine;

    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
        best[l] = (struct mn_best){ .item = kept[l], .room = s->k + s->k / 4 + 16 };
    need(mn_vector_request_make(&s->index, vector, MN_LANGUAGE_EN, s->room, &request),
         "a request without direction");
    mn_vector_index_scan(&s->index, &request, s->allowed, 0, best);
    struct mn_scored *item = kept[MN_LANGUAGE_EN];
    size_t count = best[MN_LANGUAGE_EN].count;
    for (size_t i = 0; i < count; i++) {
        if (i + 4 < count)
            mn_vector_index_fetch(&s->index, item[i + 4].row);
        mn_vector_index_exact(&s->index, &request, item[i].row, &item[i].score, &cosine);
    }
    qsort(item, count, sizeof *item, best_first);
    count = count < s->k ? count : s->k;
    memcpy(ret, item, count * sizeof *ret);
    return count;
}

/* F by its formula (vector_index.h). */
static double true_score(const struct setting *s, const float *q, const float *p)
{
    double qq[2] = { 0 }, pp[2] = { 0 }, qp[2] = { 0 };

    for (size_t d = 0; d < s->dim; d++) {
        const double mean[2] = { s->own_mean[d], (double)s->mean[d] };

        for (size_t m = 0; m < 2; m++) {
            double a = (double)q[d] - mean[m], b = (double)p[d] - mean[m];

            qq[m] += a * a;
            pp[m] += b * b;
            qp[m] += a * b;
        }
    }
    return (double)OWN_SHARE * qp[0] / sqrt(qq[0] * pp[0]) +
           (double)(1 - OWN_SHARE) * qp[1] / sqrt(qq[1] * pp[1]);
}

struct found {
    double ten, all; /* shares */
    double error;    /* largest of a score */
};

static void compare(const struct setting *s, const float *q, const struct mn_scored *ours,
                    size_t count, struct found *found)
{
    struct mn_scored item[K_MAX];
    struct mn_best truth = { .item = item, .room = s->k };
    size_t ten = 0, all = 0;

    for (size_t i = 0; i < s->rows; i++)
        if (is_allowed(s, i))
            mn_best_offer(&truth, (float)true_score(s, q, s->row + i * s->dim), (uint32_t)i);
    qsort(item, truth.count, sizeof *item, best_first);
    for (size_t i = 0; i < count; i++) {
        double score = true_score(s, q, s->row + ours[i].row * s->dim);

        found->error = fmax(found->error, fabs(score - (double)ours[i].score));
        ten += i < 10 && (float)score >= item[truth.count < 10 ? truth.count - 1 : 9].score;
        all += (float)score >= item[truth.count - 1].score;
    }
    found->ten += (double)ten / (double)(truth.count < 10 ? truth.count : 10) / REQUESTS;
    found->all += (double)all / (double)truth.count / REQUESTS;
}

static void measure(struct setting *s)
{
    struct mn_scored item[K_MAX];
    struct found found = { 0 };
    double cold[REQUESTS];
    struct lap begun = lap_begin();

    for (size_t i = 0; i < LOOPS && lap_since(begun).cpu_us < 3e6; i++)
        ask(s, s->request + i % REQUESTS * s->dim, item);
    begun = lap_begin();
    size_t loops = 0;
    for (; loops < LOOPS && lap_since(begun).cpu_us < 3e6; loops++)
        ask(s, s->request + loops % REQUESTS * s->dim, item);
    double warm = lap_since(begun).cpu_us / (double)loops;

    for (size_t i = 0; i < REQUESTS; i++) {
        const float *q = s->request + i * s->dim;

        begun = lap_begin();
        size_t count = ask(s, q, item);
        cold[i] = lap_since(begun).cpu_us;
        compare(s, q, item, count, &found);
    }
    printf("\"k\": %zu, \"loop_us\": %.1f, \"cold_us\": %.1f, \"cold_p95_us\": %.1f, "
           "\"recall_at_10\": %.4f, \"recall_at_k\": %.4f, \"largest_error\": %.5f}\n",
           s->k, warm, percentile(cold, REQUESTS, 0.5), percentile(cold, REQUESTS, 0.95),
           found.ten, found.all, found.error);
}

int main(int argc, char **argv)
{
    struct setting s = { .rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000,
                         .k = argc > 3 ? strtoul(argv[3], NULL, 10) : 50 };
    size_t percent = argc > 4 ? strtoul(argv[4], NULL, 10) : 100, count, records;
    struct chance chance = { CHANCE_SEED };

    if (argc < 2 || !s.rows || !s.k || s.k > K_MAX || !percent || percent > 100) {
        fprintf(stderr, "usage: bench_vectors FILE [ROWS [K, 1 to %d [ALLOWED, 1 to 100]]]\n",
                K_MAX);
        return 2;
    }
    s.request = read_vectors(argv[1], &chance, &s.dim, &count, &records);
    printf("{\"vectors\": %zu, \"left_out\": %zu, ", count, records - count);
    const float *given = s.request + REQUESTS * s.dim;
    count -= REQUESTS;
    s.row = space_for(s.rows * s.dim, sizeof(float));
    s.mean = space_for(s.dim, sizeof(float));
    s.own_mean = space_for(s.dim, sizeof(double));
    s.allowed = space_for(s.rows / 64 + 1, sizeof(uint64_t));
    make_rows(&s, given, count, &chance);
    for (size_t i = 0; i < count * s.dim; i++)
        s.mean[i % s.dim] += given[i] / (float)count;
    for (size_t i = 0; i < s.rows * s.dim; i++)
        s.own_mean[i % s.dim] += (double)s.row[i];
    for (size_t d = 0; d < s.dim; d++)
        s.own_mean[d] = (s.own_mean[d] + PARTITION_K * (double)s.mean[d]) /
                        ((double)s.rows + PARTITION_K);
    for (size_t i = 0; i < s.rows; i++)
        s.allowed[i / 64] |= (uint64_t)(chance_next(&chance) % 100 < percent) << (i % 64);
    make_index(&s);
    measure(&s);
    mn_vector_index_release(&s.index);
    mn_vector_space_release(&s.space);
    free(s.request);
    free(s.row);
    free(s.mean);
    free(s.own_mean);
    free(s.allowed);
    free(s.room);
    return 0;
}
