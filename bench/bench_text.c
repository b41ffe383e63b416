/*
 * bench_text.c - the best 50 by words: this index and SQLite's FTS5, by turns in one process.
 *
 * usage: bench_text [MEMORIES [REQUESTS]]                                              50000 200
 *
 * Both hold the same terms, because FTS5 is fed what mneme's own analysis made of each text, and
 * both are asked for the best 50 of any of the request's terms. FTS5 keeps its table in memory and
 * no copy of the text. Afterwards the scores of some requests are compared with those of an
 * exhaustive scorer, which passes over no row.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/synthetic.h"
#include "search/search.h"
#include "timing.h"

#define SEED UINT64_C(0x6d6e656d65)
#define FEED_AT_ONCE 512
#define TOP 50
#define CHECKED 50 /* requests whose scores are compared, after all times were taken */
#define ID_BYTES 24

struct bench {
    size_t count, requests;
    const char **text, **request;
    char (*id)[ID_BYTES];
    const char **ids;
    struct mn_search *search;
    sqlite3 *db;
    sqlite3_stmt *ask;
    struct mn_access access;
};

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_text: %s failed\n", what);
    exit(1);
}

/* ---- filling ---- */

static void make_texts(struct bench *b, struct mn_arena *arena)
{
    struct mn_synthetic source = { .random = SEED };

    b->text = mn_arena_array(arena, const char *, b->count);
    b->request = mn_arena_array(arena, const char *, b->requests);
    b->id = mn_arena_alloc(arena, b->count * sizeof *b->id);
    b->ids = mn_arena_array(arena, const char *, b->count);
    need(b->text && b->request && b->id && b->ids, "memory");
    for (size_t i = 0; i < b->count; i++) {
        snprintf(b->id[i], ID_BYTES, "m%zu", i);
        b->ids[i] = b->id[i];
        b->text[i] = mn_synthetic_text(&source, i % 2, 14 + i % 26, arena);
        need(b->text[i], "memory");
    }
    for (size_t i = 0; i < b->requests; i++)
        need((b->request[i] = mn_synthetic_request(&source, arena)), "memory");
}

static void feed_index(struct bench *b)
{
    const struct mn_partition own = { "t", "u" }, shared = { "t", "" };
    const struct mn_space space = { 0 };
    struct mn_unit unit[FEED_AT_ONCE];

    need(mn_search_memory_new(&space, SIZE_MAX, &b->search, NULL) == MNEME_OK, "index");
    for (size_t at = 0; at < b->count; at += FEED_AT_ONCE) {
        size_t some = b->count - at < FEED_AT_ONCE ? b->count - at : FEED_AT_ONCE;

        for (size_t i = 0; i < some; i++) {
            unit[i] = (struct mn_unit){ .id = b->id[at + i],
                                        .parent_id = b->id[at + i],
                                        .memory = MNEME_MEMORY_INIT,
                                        .confidence = 0.9 };
            unit[i].memory.id = b->id[at + i];
            unit[i].memory.tenant_id = "t";
            unit[i].memory.user_id = unit[i].memory.scope_id = "u";
            unit[i].memory.scope_kind = MNEME_SCOPE_USER;
            unit[i].memory.type = "fact";
            unit[i].memory.content = b->text[at + i];
            unit[i].memory.authority = MNEME_EXPLICIT_USER;
            unit[i].memory.created_at_ms = 1;
        }
        need(b->search->ops->apply(b->search, own, at == 0, unit, some, NULL, 0,
                                   at + some == b->count ? "1" : "", NULL) == MNEME_OK,
             "feeding");
    }
    need(b->search->ops->apply(b->search, shared, true, NULL, 0, NULL, 0, "1", NULL) == MNEME_OK,
         "feeding");
}

/* The terms of a text as words that FTS5 takes as they are. */
static void put_terms(const struct mn_terms *terms, const char *between, struct mn_buf *out)
{
    for (size_t i = 0; i < terms->count; i++)
        mn_buf_printf(out, "%s%016llx", i ? between : "", (unsigned long long)terms->item[i].hash);
}

static void feed_fts5(struct bench *b)
{
    sqlite3_stmt *put;

    need(sqlite3_open(":memory:", &b->db) == SQLITE_OK, "open");
    need(sqlite3_exec(b->db,
                      "CREATE VIRTUAL TABLE f USING fts5(x, content='', tokenize='ascii');"
                      "BEGIN",
                      NULL, NULL, NULL) == SQLITE_OK,
         "table");
    need(sqlite3_prepare_v2(b->db, "INSERT INTO f(rowid, x) VALUES(?1, ?2)", -1, &put, NULL) ==
             SQLITE_OK,
         "statement");
    for (size_t i = 0; i < b->count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
        MN_BUF_AUTO words = { 0 };
        struct mn_terms terms = { 0 };

        need(mn_text_terms(arena, b->text[i], strlen(b->text[i]), &terms, NULL) == MNEME_OK,
             "terms");
        put_terms(&terms, " ", &words);
        sqlite3_bind_int64(put, 1, (sqlite3_int64)i + 1);
        sqlite3_bind_text(put, 2, words.at, (int)words.bytes, SQLITE_STATIC);
        need(sqlite3_step(put) == SQLITE_DONE, "insert");
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    need(sqlite3_exec(b->db, "COMMIT; INSERT INTO f(f) VALUES('optimize')", NULL, NULL, NULL) ==
             SQLITE_OK,
         "commit");
    need(sqlite3_prepare_v2(b->db, "SELECT rowid FROM f WHERE f MATCH ?1 ORDER BY rank LIMIT ?2",
                            -1, &b->ask, NULL) == SQLITE_OK,
         "statement");
}

/* ---- asking ---- */

static struct mn_query query_of(const struct bench *b, const struct mn_terms *terms,
                                const char *text)
{
    return (struct mn_query){ .access = &b->access,
                              .text_types = ~(mn_type_set)0,
                              .terms = terms,
                              .language = mn_text_language(text, strlen(text)),
                              .text_k = TOP };
}

static int higher_first(const void *a, const void *b)
{
    const struct mn_hit *x = a, *y = b;

    return (x->text < y->text) - (x->text > y->text);
}

/* The same best scores, in order, as when every row is scored. */
static bool is_exact(const struct bench *b, const struct mn_query *query,
                     const struct mn_hits *hits)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct mn_hits all;

    need(b->search->ops->score(b->search, query, b->ids, b->count, arena, &all, NULL) == MNEME_OK,
         "scoring");
    qsort(all.item, all.count, sizeof *all.item, higher_first);
    for (size_t i = 0; i < hits->count; i++)
        if (fabs(hits->item[i].text - all.item[i].text) > 1e-9)
            return false;
    return hits->count == TOP || hits->count == all.count || !(all.item[hits->count].text > 0);
}

static double ask_index(struct bench *b, const char *text, bool *ret_exact)
{
    MN_ARENA_AUTO arena = NULL;
    struct mn_terms terms = { 0 };
    struct mn_hits hits;
    struct lap begun = lap_begin();

    arena = mn_arena_new(SIZE_MAX);
    need(mn_text_query_terms(arena, text, strlen(text), &terms, NULL) == MNEME_OK, "terms");
    struct mn_query query = query_of(b, &terms, text);
    need(b->search->ops->top(b->search, &query, arena, &hits, NULL) == MNEME_OK, "search");
    qsort(hits.item, hits.count, sizeof *hits.item, higher_first);
    double spent = lap_since(begun).cpu_us;
    if (ret_exact)
        *ret_exact = is_exact(b, &query, &hits);
    return spent;
}

/* The words were made before: FTS5 is timed without its analysis of the request. */
static double ask_fts5(struct bench *b, const char *text)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_BUF_AUTO words = { 0 };
    struct mn_terms terms = { 0 };
    int count = 0;

    need(mn_text_query_terms(arena, text, strlen(text), &terms, NULL) == MNEME_OK, "terms");
    put_terms(&terms, " OR ", &words);
    struct lap begun = lap_begin();
    sqlite3_bind_text(b->ask, 1, words.at, (int)words.bytes, SQLITE_STATIC);
    sqlite3_bind_int(b->ask, 2, TOP);
    while (sqlite3_step(b->ask) == SQLITE_ROW)
        count += sqlite3_column_int64(b->ask, 0) > 0;
    sqlite3_reset(b->ask);
    double spent = lap_since(begun).cpu_us;
    need(count > 0, "FTS5's search");
    return spent;
}

static void measure(struct bench *b)
{
    double *ours = calloc(b->requests, sizeof *ours), *theirs = calloc(b->requests, sizeof *ours);
    size_t exact = 0, checked = b->requests < CHECKED ? b->requests : CHECKED;

    need(ours && theirs, "memory");
    for (size_t i = 0; i < b->requests; i++) {
        theirs[i] = ask_fts5(b, b->request[i]);
        ours[i] = ask_index(b, b->request[i], NULL);
    }
    for (size_t i = 0; i < checked; i++) {
        bool is_right;

        ask_index(b, b->request[i], &is_right);
        exact += is_right;
    }
    double our_p95 = percentile(ours, b->requests, 0.95),
           their_p95 = percentile(theirs, b->requests, 0.95);
    double our_p50 = percentile(ours, b->requests, 0.5),
           their_p50 = percentile(theirs, b->requests, 0.5);
    printf("{\"memories\": %zu, \"requests\": %zu, \"top\": %d, \"mneme_us\": [%.1f, %.1f], "
           "\"fts5_us\": [%.1f, %.1f], \"ratio_p50\": %.1f, \"ratio_p95\": %.1f, "
           "\"scores_exact\": \"%zu of %zu\"}\n",
           b->count, b->requests, TOP, our_p50, our_p95, their_p50, their_p95, their_p50 / our_p50,
           their_p95 / our_p95, exact, checked);
    free(ours);
    free(theirs);
}

int main(int argc, char **argv)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct bench b = { .count = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000,
                       .requests = argc > 2 ? strtoul(argv[2], NULL, 10) : 200,
                       .access = { .tenant = "t",
                                   .user = "u",
                                   .agent = "",
                                   .session = "",
                                   .task = "",
                                   .project = "",
                                   .repository = "",
                                   .clearance = MNEME_INTERNAL,
                                   .at_ms = 1000 } };

    if (b.count < TOP || b.requests < 1) {
        fprintf(stderr, "usage: bench_text [MEMORIES, at least %d [REQUESTS]]\n", TOP);
        return 2;
    }
    make_texts(&b, arena);
    feed_index(&b);
    feed_fts5(&b);
    measure(&b);
    sqlite3_finalize(b.ask);
    sqlite3_close(b.db);
    mn_search_free(b.search);
    return 0;
}
