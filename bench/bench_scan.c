/*
 * bench_scan.c - the scan of vectors against what memory allows, and at a million rows.
 *
 * usage: bench_scan [DIM]                                                                  384
 *
 * First 50,000 rows that no cache holds, because something larger was read in between: the scan for
 * the best 50, by turns with a plain read of the four bits of all rows, which a scan without signs would
 * read, and with one of the signs, which this one reads of all rows (and four bits of those that are
 * left). Then a million rows: the scan, the
 * exact scores of what it chose, and how many of the true ten best are among them.
 *
 * Vectors lie in clusters around a common mean, with a falling spectrum, as those of sentences do;
 * requests lie in the same clusters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "search/vector_index.h"
#include "timing.h"

#define COLD_ROWS 50000
#define MANY_ROWS 1000000
#define ROWS_A_CLUSTER 50
#define WANTED 50
#define CHOSEN (WANTED + WANTED / 4 + 16) /* as many as a search scores exactly */
#define TIMES 41
#define REQUESTS 15
#define EVICT_BYTES ((size_t)192 << 20)

struct field {
    size_t dim, clusters;
    float *mean, *centre;
    struct chance chance;
};

static void *room(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);

    if (!at) {
        fprintf(stderr, "bench_scan: out of memory\n");
        exit(1);
    }
    return at;
}

static void make_field(struct field *field, size_t dim, size_t rows)
{
    *field = (struct field){ .dim = dim, .clusters = rows / ROWS_A_CLUSTER };
    field->chance.state = CHANCE_SEED;
    field->mean = room(dim, sizeof(float));
    field->centre = room(field->clusters * dim, sizeof(float));
    for (size_t i = 0; i < dim; i++)
        field->mean[i] = chance_normal(&field->chance) * 0.9f / sqrtf((float)dim);
    for (size_t i = 0; i < field->clusters * dim; i++)
        field->centre[i] = chance_normal(&field->chance) * 0.45f / sqrtf(3 + (float)(i % dim));
}

static void draw(struct field *field, float *vector)
{
    const float *centre =
        field->centre + chance_next(&field->chance) % field->clusters * field->dim;

    for (size_t i = 0; i < field->dim; i++)
        vector[i] =
            field->mean[i] + centre[i] + chance_normal(&field->chance) * 0.4f / sqrtf(3 + (float)i);
    unit_length(vector, field->dim);
}

static void release_field(struct field *field)
{
    free(field->mean);
    free(field->centre);
}

static bool fill(struct mn_vector_index *index, struct field *field, size_t rows, float *vector)
{
    for (size_t i = 0; i < rows; i++) {
        draw(field, vector);
        if (!mn_vector_index_add(index, vector, MN_LANGUAGE_EN, false))
            return false;
    }
    mn_vector_index_recentre(index);
    return true;
}

/* ---- asking ---- */

struct asking {
    const struct mn_vector_index *index;
    uint64_t *allowed;
    float *request_room;
    struct mn_vector_request request;
    struct mn_scored kept[MN_LANGUAGE_COUNT][CHOSEN];
    struct mn_best best[MN_LANGUAGE_COUNT];
};

static void prepare(struct asking *a, const float *vector)
{
    if (!mn_vector_request_make(a->index, vector, MN_LANGUAGE_EN, a->request_room, &a->request))
        exit(1);
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
        a->best[l] = (struct mn_best){ .item = a->kept[l], .room = CHOSEN };
}

static void scan(struct asking *a)
{
    mn_vector_index_scan(a->index, &a->request, a->allowed, 0, a->best);
}

static int best_first(const void *a, const void *b)
{
    const struct mn_scored *x = a, *y = b;

    return (x->score < y->score) - (x->score > y->score);
}

static void score(struct asking *a)
{
    struct mn_best *best = &a->best[MN_LANGUAGE_EN];
    float cosine;

    for (size_t i = 0; i < best->count; i++)
        mn_vector_index_exact(a->index, &a->request, best->item[i].row, &best->item[i].score,
                              &cosine);
    qsort(best->item, best->count, sizeof *best->item, best_first);
}

/* Of the ten best of all rows, the share among the ten best that were chosen. */
static double recall_of(struct asking *a)
{
    struct mn_scored ten[10];
    struct mn_best truth = { .item = ten, .room = 10 };
    size_t found = 0;

    for (size_t row = 0; row < a->index->count; row++) {
        float f, cosine;

        mn_vector_index_exact(a->index, &a->request, row, &f, &cosine);
        mn_best_offer(&truth, f, (uint32_t)row);
    }
    for (size_t i = 0; i < 10; i++)
        for (size_t j = 0; j < 10; j++)
            found += ten[i].row == a->best[MN_LANGUAGE_EN].item[j].row;
    return (double)found / 10;
}

static void init_asking(struct asking *a, const struct mn_vector_index *index)
{
    size_t words = (index->count + 63) / 64;

    memset(a, 0, sizeof *a);
    a->index = index;
    a->allowed = room(words, sizeof *a->allowed);
    memset(a->allowed, 255, words * sizeof *a->allowed);
    a->request_room = room(mn_vector_request_floats(index->space), sizeof(float));
}

static void release_asking(struct asking *a)
{
    free(a->allowed);
    free(a->request_room);
}

/* ---- reading ---- */

typedef uint64_t four __attribute__((vector_size(32), aligned(1), may_alias));

/* Adds all up: nothing but loads, as wide as the compiler can. */
#if defined(__x86_64__)
__attribute__((target("avx2")))
#endif
static uint64_t
read_all(const void *bytes, size_t count)
{
    const four *at = bytes;
    four sum[4] = { { 0 } };

    for (size_t i = 0; i + 4 <= count / sizeof *at; i += 4) {
        __builtin_prefetch((const char *)(at + i) + 4608);
        __builtin_prefetch((const char *)(at + i) + 4672);
        for (size_t j = 0; j < 4; j++)
            sum[j] += at[i + j];
    }
    four all = sum[0] + sum[1] + sum[2] + sum[3];
    return all[0] + all[1] + all[2] + all[3];
}

/* The signs of all groups as they lie, with the rows they stand for. */
static uint64_t read_signs(const struct mn_vector_index *index, size_t *ret_bytes)
{
    uint64_t sum = 0;

    *ret_bytes = 0;
    for (size_t g = 0; g < MN_VECTOR_GROUPS; g++) {
        const struct mn_vector_signs *signs = &index->signs[g];
        size_t blocks = (signs->count + MN_SIFT_ROWS - 1) / MN_SIFT_ROWS;
        size_t bytes = blocks * mn_sift_block_bytes(index->space->stride);

        if (!signs->count)
            continue;
        sum += read_all(signs->block, bytes) +
               read_all(signs->row, signs->count * sizeof *signs->row);
        *ret_bytes += bytes + signs->count * sizeof *signs->row;
    }
    return sum;
}

static void evict(char *other)
{
    for (size_t i = 0; i < EVICT_BYTES; i += 64)
        other[i]++;
}

static void measure_cold(struct asking *a, struct field *field, float *vector)
{
    const struct mn_vector_index *index = a->index;
    size_t code_bytes = index->count * mn_scan_row_bytes(index->space->stride);
    char *other = room(EVICT_BYTES, 1);
    double scanned[TIMES], read[TIMES], signs[TIMES];
    volatile uint64_t sum = 0;
    size_t sign_bytes = 0;

    for (size_t t = 0; t < TIMES; t++) {
        struct lap begun;

        draw(field, vector);
        prepare(a, vector);
        evict(other);
        begun = lap_begin();
        scan(a);
        scanned[t] = lap_since(begun).cpu_us;
        evict(other);
        begun = lap_begin();
        sum += read_all(index->coarse, code_bytes);
        read[t] = lap_since(begun).cpu_us;
        evict(other);
        begun = lap_begin();
        sum += read_signs(index, &sign_bytes);
        signs[t] = lap_since(begun).cpu_us;
    }
    double scan_us = percentile(scanned, TIMES, 0.5), read_us = percentile(read, TIMES, 0.5);
    double signs_us = percentile(signs, TIMES, 0.5);
    printf("{\"rows\": %zu, \"kernel\": \"%s\", \"scan_us\": %.1f, \"four_bits\": %zu, "
           "\"four_bits_us\": %.1f, \"ratio_to_four_bits\": %.2f, \"signs\": %zu, "
           "\"signs_us\": %.1f, \"ratio_to_signs\": %.2f}\n",
           index->count, index->scan->name, scan_us,
           code_bytes, read_us, scan_us / read_us, sign_bytes,
           signs_us, scan_us / signs_us);
    free(other);
}

static void measure_many(struct asking *a, struct field *field, float *vector)
{
    double scanned[REQUESTS], whole[REQUESTS], recall = 0;

    for (size_t t = 0; t < REQUESTS; t++) {
        struct lap begun;

        draw(field, vector);
        begun = lap_begin();
        prepare(a, vector);
        scan(a);
        scanned[t] = lap_since(begun).cpu_us;
        score(a);
        whole[t] = lap_since(begun).cpu_us;
        recall += recall_of(a) / REQUESTS;
    }
    printf("{\"rows\": %zu, \"kernel\": \"%s\", \"scan_us\": %.0f, \"with_exact_us\": %.0f, "
           "\"p95_us\": %.0f, \"recall_at_10\": %.3f}\n",
           a->index->count, a->index->scan->name, percentile(scanned, REQUESTS, 0.5),
           percentile(whole, REQUESTS, 0.5), percentile(whole, REQUESTS, 0.95), recall);
}

static void measure(size_t rows, size_t dim, bool cold)
{
    struct mn_space given = { .dim = dim, .own_mean_share = 0.3f, .partition_k = 20 };
    struct mn_vector_space space;
    struct mn_vector_index index;
    struct field field;
    struct asking *a = room(1, sizeof *a);
    float *vector = room(dim, sizeof *vector);

    make_field(&field, dim, rows);
    given.request_mean[MN_LANGUAGE_EN] = given.passage_mean[MN_LANGUAGE_EN] = field.mean;
    if (mn_vector_space_make(&given, &space, NULL) != MNEME_OK ||
        !mn_vector_index_init(&index, &space, mn_scan_here()) ||
        !fill(&index, &field, rows, vector))
        exit(1);
    init_asking(a, &index);
    if (cold)
        measure_cold(a, &field, vector);
    else
        measure_many(a, &field, vector);
    fflush(stdout);
    release_asking(a);
    mn_vector_index_release(&index);
    mn_vector_space_release(&space);
    release_field(&field);
    free(vector);
    free(a);
}

int main(int argc, char **argv)
{
    size_t dim = argc > 1 ? strtoul(argv[1], NULL, 10) : 384;

    if (dim < 8 || dim > 4096) {
        fprintf(stderr, "usage: bench_scan [DIM, 8 to 4096]\n");
        return 2;
    }
    measure(COLD_ROWS, dim, true);
    measure(MANY_ROWS, dim, false);
    return 0;
}
