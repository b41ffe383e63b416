/*
 * cost.c - import synthetic memories, ask, and take the time.
 *
 * Memories come with made-up vectors, so that nothing but requests is embedded; those vectors lie
 * around the mean of a few real ones, as the model's own would. Each request is embedded once, timed
 * by itself, and kept in a cache of embeddings; the recall that is timed then finds it there.
 *
 * That is timed twice, over different requests. Recalls one after the other, all embedded beforehand,
 * are what the engine costs. A recall right behind its embedding costs more: the model has just
 * driven the index out of the processor's caches. CPU time is that of the calling thread, on which
 * everything runs.
 */
#include "eval/cost.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "eval/synthetic.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define BATCH_BYTES_MAX ((size_t)64 << 20)
#define RECORDS_AT_ONCE 200
#define MEAN_TEXTS 16
#define VECTOR_DIM_MAX 4096
#define WARM_UP 20
#define STRUCTURED_SHARE 0.07
#define STRUCTURED_OF_USER 100.0 /* nobody states more preferences and rules, however long */
#define SEED UINT64_C(0x6d6e656d65) /* "mneme" */
#define NOW_MS INT64_C(1790000000000)

struct bench {
    const struct mn_bench_options *options;
    struct mn_bench_report *report;
    struct mn_scratch *store;
    struct mn_synthetic source;
    const char **tenant; /* names; the user has the same */
    const char **request;
    float mean[2][VECTOR_DIM_MAX]; /* English, Chinese */
};

/* ---- filling the store ---- */

/* The mean of a few real vectors of each language. */
static enum mneme_status find_means(struct bench *b, struct mneme_error *err)
{
    float vector[VECTOR_DIM_MAX];
    size_t dim = b->report->dim;

    for (size_t i = 0; i < 2 * MEAN_TEXTS && dim; i++) {
        const char *text = mn_synthetic_text(&b->source, i % 2, 20, b->report->arena);

        if (!text)
            return mn_fail_memory(err);
        MN_TRY(mneme_embed(b->store->handle, text, 0, vector, dim, err));
        for (size_t j = 0; j < dim; j++)
            b->mean[i % 2][j] += vector[j] / MEAN_TEXTS;
    }
    return MNEME_OK;
}

static bool is_chinese(const struct mneme_record *record)
{
    const char *text = record->memory ? record->memory->content : record->event->text;
    size_t wide = 0;

    for (const char *at = text; *at; at++)
        wide += (unsigned char)*at >= 0x80;
    return wide > strlen(text) / 2;
}

/* Records `from` and on, of one tenant. */
static enum mneme_status write_some(struct bench *b, size_t from, size_t count,
                                    struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(BATCH_BYTES_MAX);
    struct mneme_record records[RECORDS_AT_ONCE];
    size_t dim = b->report->dim;

    for (size_t i = 0; i < count; i++) {
        MN_TRY(mn_synthetic_next(&b->source, from + i, arena, &records[i], err));
        if (!dim)
            continue;
        float *vector = mn_arena_array(arena, float, dim);
        if (!vector)
            return mn_fail_memory(err);
        mn_synthetic_vector(&b->source, b->mean[is_chinese(&records[i])], dim, vector);
        records[i].vector = vector;
        records[i].vector_dim = dim;
    }
    return mn_scratch_load(b->store, records, count, err);
}

static void tell(const struct bench *b, const char *what, size_t done, size_t count)
{
    if (!b->options->progress)
        return;
    fprintf(b->options->progress, "\r%s %zu of %zu%s", what, done, count,
            done == count ? "\n" : "");
    fflush(b->options->progress);
}

static enum mneme_status import(struct bench *b, struct mneme_error *err)
{
    size_t done = 0;
    int64_t begun_us = mn_clock_monotonic_us();

    for (size_t t = 0; t < b->options->tenants; t++) {
        size_t end = b->options->memories * (t + 1) / b->options->tenants;

        b->source.tenant_id = b->source.user_id = b->tenant[t];
        b->source.structured_share =
            fmin(STRUCTURED_SHARE, STRUCTURED_OF_USER / (double)(end - done + 1));
        while (done < end) {
            size_t some = end - done < RECORDS_AT_ONCE ? end - done : RECORDS_AT_ONCE;

            MN_TRY(write_some(b, done, some, err));
            done += some;
            tell(b, "memories", done, b->options->memories);
        }
    }
    b->report->import_s = (double)(mn_clock_monotonic_us() - begun_us) / 1e6;
    return MNEME_OK;
}

/* ---- asking ---- */

struct cost {
    int64_t cpu_us;
    int64_t wall_us;
};

static struct cost now(void)
{
    return (struct cost){ mn_clock_cpu_us(), mn_clock_monotonic_us() };
}

static struct cost since(struct cost begun)
{
    struct cost ended = now();

    return (struct cost){ ended.cpu_us - begun.cpu_us, ended.wall_us - begun.wall_us };
}

static bool keep_stages(struct mn_bench_report *report, const char *trace)
{
    MN_JSON_AUTO doc = NULL;
    yyjson_val *key, *us;
    size_t at, max;

    if (mn_json_parse("trace", trace, strlen(trace), &doc, NULL) != MNEME_OK)
        return false;
    yyjson_obj_foreach(yyjson_obj_get(yyjson_doc_get_root(doc), "stages_us"), at, max, key, us) {
        if (at == MN_METRIC_STAGES_MAX)
            break;
        if (at == report->stage_count)
            report->stage[report->stage_count++].name =
                mn_arena_copy(report->arena, yyjson_get_str(key));
        if (!report->stage[at].name ||
            !mn_samples_add(report->arena, &report->stage[at].us, yyjson_get_num(us)))
            return false;
    }
    return true;
}

/* Request number i, of one tenant after the other. keep: into the report's stages. */
static enum mneme_status ask(struct bench *b, size_t i, bool keep, struct cost *ret_cost,
                             struct mneme_error *err)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    const char *tenant = b->tenant[i % b->options->requests % b->options->tenants];

    request.identity.tenant_id = request.identity.user_id = tenant;
    request.identity.project_id = MN_SYNTHETIC_PROJECT;
    request.identity.repository_id = MN_SYNTHETIC_REPO;
    request.text = b->request[i];
    request.now_ms = NOW_MS;
    request.mode = MNEME_MODE_HYBRID; /* all sources: what costs most */
    struct cost begun = now();
    MN_TRY(mneme_retrieve(b->store->handle, &request, &answer, err));
    *ret_cost = since(begun);
    bool good = !keep || keep_stages(b->report, answer->trace);
    mneme_answer_free(answer);
    return good ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status embed(struct bench *b, size_t i, struct cost *ret_cost,
                               struct mneme_error *err)
{
    float vector[VECTOR_DIM_MAX];
    struct cost begun = now();

    *ret_cost = (struct cost){ 0, 0 };
    if (!b->report->dim)
        return MNEME_OK;
    MN_TRY(mneme_embed(b->store->handle, b->request[i], 1, vector, b->report->dim, err));
    *ret_cost = since(begun);
    return MNEME_OK;
}

static bool keep(struct mn_bench_report *r, struct mn_bench_times *times, struct cost cost)
{
    return mn_samples_add(r->arena, &times->cpu_us, (double)cost.cpu_us) &&
           mn_samples_add(r->arena, &times->wall_us, (double)cost.wall_us);
}

/* The first requests build the index of each tenant that is asked, and warm what can be warmed. */
static enum mneme_status warm_up(struct bench *b, struct mneme_error *err)
{
    size_t count = b->options->tenants > WARM_UP ? b->options->tenants : WARM_UP;
    struct cost cost;

    if (count > b->options->requests && b->options->tenants > b->options->requests)
        count = b->options->requests; /* no other tenant is asked */

    MN_TRY(embed(b, 0, &cost, err)); /* the model is loaded here, and not counted */
    for (size_t i = 0; i < count; i++) {
        MN_TRY(ask(b, i % b->options->requests, false, &cost, err));
        if (i == 0)
            b->report->cold_ms = (double)cost.wall_us / 1e3;
    }
    return MNEME_OK;
}

/* Requests `from` and on, each embedded and then asked. */
static enum mneme_status measure_both(struct bench *b, size_t from, struct mneme_error *err)
{
    struct mn_bench_report *r = b->report;

    for (size_t i = from; i < from + b->options->requests && r->dim; i++) {
        struct cost recall, embedding;

        MN_TRY(embed(b, i, &embedding, err));
        MN_TRY(ask(b, i, false, &recall, err));
        struct cost both = { recall.cpu_us + embedding.cpu_us,
                             recall.wall_us + embedding.wall_us };
        if (!keep(r, &r->embedding, embedding) || !keep(r, &r->recall_behind, recall) ||
            !keep(r, &r->both, both))
            return mn_fail_memory(err);
        tell(b, "requests with their embedding", i - from + 1, b->options->requests);
    }
    return MNEME_OK;
}

/* Requests `from` and on, all of them embedded, then all asked. */
static enum mneme_status measure_recall(struct bench *b, size_t from, struct mneme_error *err)
{
    struct cost cost;

    for (size_t i = from; i < from + b->options->requests; i++)
        MN_TRY(embed(b, i, &cost, err));
    for (size_t i = from; i < from + b->options->requests; i++) {
        MN_TRY(ask(b, i, true, &cost, err));
        if (!keep(b->report, &b->report->recall, cost))
            return mn_fail_memory(err);
        tell(b, "requests", i - from + 1, b->options->requests);
    }
    return MNEME_OK;
}

static enum mneme_status measure(struct bench *b, struct mneme_error *err)
{
    MN_TRY(warm_up(b, err));
    MN_TRY(measure_both(b, b->options->requests, err));
    return measure_recall(b, 2 * b->options->requests, err);
}

/* ---- the whole ---- */

static enum mneme_status prepare(struct bench *b, struct mneme_error *err)
{
    size_t requests = 3 * b->options->requests; /* to warm up, and for each of two series */
    struct mn_bench_report *report = b->report;

    b->tenant = mn_arena_array(report->arena, const char *, b->options->tenants);
    b->request = mn_arena_array(report->arena, const char *, requests);
    if (!b->tenant || !b->request)
        return mn_fail_memory(err);
    for (size_t i = 0; i < b->options->tenants; i++)
        if (!(b->tenant[i] = mn_arena_printf(report->arena, "tenant-%zu", i)))
            return mn_fail_memory(err);
    b->source = (struct mn_synthetic){ .random = SEED, .now_ms = NOW_MS };
    report->memories = b->options->memories;
    report->tenants = b->options->tenants;
    report->requests = b->options->requests;
    report->dim = mneme_model_dim(b->store->handle);
    if (report->dim > VECTOR_DIM_MAX)
        return mn_fail(err, MNEME_LIMIT, "model: vectors of %zu numbers, at most %d", report->dim,
                       VECTOR_DIM_MAX);
    MN_TRY(find_means(b, err));
    for (size_t i = 0; i < requests; i++)
        if (!(b->request[i] = mn_synthetic_request(&b->source, report->arena)))
            return mn_fail_memory(err);
    return MNEME_OK;
}

/* The cache of embeddings has a temporary folder of its own. */
static enum mneme_status run(struct bench *b, struct mneme_error *err)
{
    MN_SCRATCH_AUTO cache = { 0 };
    MN_SCRATCH_AUTO store = { 0 };
    struct mn_eval_setup setup = { .model_path = "none" };
    char path[sizeof cache.folder + 16];

    MN_TRY(mn_scratch_open(&setup, &cache, err));
    snprintf(path, sizeof path, "%s/vectors", cache.folder);
    setup = b->options->setup;
    setup.cache_path = path;
    MN_TRY(mn_scratch_open(&setup, &store, err));
    b->store = &store;
    MN_TRY(prepare(b, err));
    MN_TRY(import(b, err));
    return measure(b, err);
}

enum mneme_status mn_bench_run(const struct mn_bench_options *options,
                               struct mn_bench_report *ret_report, struct mneme_error *err)
{
    struct mn_bench_report report = { .arena = mn_arena_new(ARENA_BYTES_MAX) };
    struct bench *b = mn_arena_one(report.arena, struct bench);
    enum mneme_status status;

    if (!b) {
        mn_arena_free(report.arena);
        return mn_fail_memory(err);
    }
    b->options = options;
    b->report = &report;
    status = run(b, err);
    if (status == MNEME_OK)
        *ret_report = report;
    else
        mn_bench_report_release(&report);
    return status;
}

void mn_bench_report_release(struct mn_bench_report *report)
{
    mn_arena_free(report->arena);
    *report = (struct mn_bench_report){ 0 };
}

/* ---- printing ---- */

static void put_times(struct mn_json_writer *w, const char *what, struct mn_bench_times *times)
{
    char name[32];

    snprintf(name, sizeof name, "%s_cpu_ms", what);
    mn_samples_put_ms(w, name, &times->cpu_us);
    snprintf(name, sizeof name, "%s_wall_ms", what);
    mn_samples_put_ms(w, name, &times->wall_us);
}

void mn_bench_report_put(struct mn_json_writer *w, struct mn_bench_report *report)
{
    mn_json_open(w, '{');
    mn_json_field_integer(w, "memories", (int64_t)report->memories);
    mn_json_field_integer(w, "tenants", (int64_t)report->tenants);
    mn_json_field_integer(w, "requests", (int64_t)report->requests);
    mn_json_field_integer(w, "dim", (int64_t)report->dim);
    mn_json_field_number(w, "import_s", report->import_s, 3);
    mn_json_field_number(w, "cold_ms", report->cold_ms, 3);
    put_times(w, "recall", &report->recall);
    put_times(w, "embed", &report->embedding);
    put_times(w, "recall_behind", &report->recall_behind);
    put_times(w, "whole", &report->both);
    mn_json_key(w, "stages_ms");
    mn_json_open(w, '{');
    for (size_t i = 0; i < report->stage_count; i++)
        mn_samples_put_ms(w, report->stage[i].name, &report->stage[i].us);
    mn_json_close(w, '}');
    mn_json_close(w, '}');
}

static void tell_line(struct mn_buf *out, const char *name, struct mn_samples *us)
{
    mn_buf_printf(out, "  %-28s%9.3f %9.3f %9.3f\n", name, mn_samples_percentile(us, 0.50) / 1e3,
                  mn_samples_percentile(us, 0.95) / 1e3, mn_samples_percentile(us, 0.99) / 1e3);
}

void mn_bench_report_tell(struct mn_buf *out, struct mn_bench_report *report)
{
    mn_buf_printf(out, "%zu memories of %zu tenants, %zu requests%s\n", report->memories,
                  report->tenants, report->requests,
                  report->dim ? "" : " (no model: text alone)");
    mn_buf_printf(out, "  import %.1f s, first recall %.1f ms\n", report->import_s,
                  report->cold_ms);
    mn_buf_printf(out, "  %-28s%9s %9s %9s\n", "milliseconds", "p50", "p95", "p99");
    tell_line(out, "recall, CPU", &report->recall.cpu_us);
    tell_line(out, "recall, wall", &report->recall.wall_us);
    if (report->dim) {
        tell_line(out, "embedding, CPU", &report->embedding.cpu_us);
        tell_line(out, "embedding, wall", &report->embedding.wall_us);
        tell_line(out, "recall behind it, CPU", &report->recall_behind.cpu_us);
        tell_line(out, "both, CPU", &report->both.cpu_us);
        tell_line(out, "both, wall", &report->both.wall_us);
    }
    for (size_t i = 0; i < report->stage_count; i++)
        tell_line(out, report->stage[i].name, &report->stage[i].us);
}
