/*
 * test_search_fts5.c - the text index beside SQLite's FTS5 over the same terms.
 *
 * FTS5 is fed what our analysis made of each text, so that the two differ in their indexes alone. Random
 * partitions grow, change and shrink in both; then both are asked. Which rows have any of the request's
 * terms must agree, and for memories, whose k1 and b are FTS5's, so must the order for one term, and for
 * several the scores: FTS5's own of each term, with its idf taken out and ours put in.
 *
 * usage: test_search_fts5 [ROUNDS [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "search/search.h"
#include "search/text_document.h"

#define ROUNDS_QUICK 24
#define DOCUMENTS_MAX 240
#define REQUESTS 24 /* a round */
#define WORDS_MAX 24
#define TEXT_BYTES 1024

static int rounds = ROUNDS_QUICK;
static uint64_t seed = 20261130;

static size_t any(size_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed % below);
}

struct document {
    bool there, shared, hidden, is_turn;
    char id[16];
    char text[TEXT_BYTES];
};

struct both {
    struct mn_search *search;
    sqlite3 *db;
    struct document document[DOCUMENTS_MAX];
    size_t live;
    bool turns; /* some of the documents are */
};

/* ---- texts ---- */

/* One of many words, the first of them often. */
static void put_word(struct mn_buf *text)
{
    static const char *const plain[] = { "harbour", "crane", "tide", "ferry", "rope", "lantern",
                                         "quay", "pilot", "anchor", "cargo" };
    static const char *const exact[] = { "db-config.json", "exit_code", "createdByAgent", "v3.1.2",
                                         "E1042" };
    static const char *const han[] = { "港口", "起重机", "潮汐", "渡轮", "缆绳", "灯塔", "码头", "领航员" };
    size_t of = any(100);

    if (text->bytes)
        mn_buf_text(text, any(9) ? " " : ", ");
    if (of < 45)
        mn_buf_text(text, plain[any(1 + any(sizeof plain / sizeof *plain))]);
    else if (of < 60)
        mn_buf_text(text, exact[any(sizeof exact / sizeof *exact)]);
    else if (of < 80)
        mn_buf_text(text, han[any(sizeof han / sizeof *han)]);
    else
        mn_buf_printf(text, "lot%zu", any(300));
}

static void make_text(char *ret, size_t words_max)
{
    MN_BUF_AUTO text = { 0 };
    size_t words = 1 + any(words_max);

    for (size_t i = 0; i < words; i++)
        put_word(&text);
    assert_false(text.failed);
    assert_true(text.bytes < TEXT_BYTES);
    memcpy(ret, text.at, text.bytes + 1);
}

static struct mn_unit unit_of(const struct document *d)
{
    struct mn_unit unit = { .id = d->id,
                            .parent_id = d->id,
                            .memory = MNEME_MEMORY_INIT,
                            .confidence = 0.9 };

    unit.memory.id = d->id;
    unit.memory.tenant_id = "t";
    unit.memory.user_id = d->shared ? "" : "u";
    unit.memory.scope_kind = d->hidden ? MNEME_SCOPE_REPO : MNEME_SCOPE_GLOBAL;
    unit.memory.scope_id = d->hidden ? "elsewhere" : "";
    unit.memory.type = d->is_turn ? "event" : "fact";
    unit.memory.content = d->text;
    unit.memory.authority = MNEME_EXPLICIT_USER;
    unit.memory.created_at_ms = 1;
    unit.is_event = d->is_turn;
    unit.session_id = d->is_turn ? "s" : "";
    unit.speaker = "";
    return unit;
}

/* ---- feeding ---- */

static void run(struct both *b, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(b->db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
}

/* A word that FTS5 takes as it is, for each time that the term is there. */
static void put_terms(const struct mn_terms *terms, struct mn_buf *out)
{
    for (size_t i = 0; i < terms->count; i++)
        mn_buf_printf(out, "%s%016llx", i ? " " : "", (unsigned long long)terms->item[i].hash);
}

static void put_document(const struct mn_unit *unit, struct mn_arena *arena, struct mn_buf *out)
{
    struct mn_text_document document;

    assert_int_equal(mn_text_document_make(unit, arena, &document, NULL), MNEME_OK);
    for (size_t i = 0; i < document.count; i++)
        mn_buf_printf(out, "%s%016llx", i ? " " : "",
                      (unsigned long long)document.item[i].term.hash);
}

static void tell_fts5(struct both *b, size_t at)
{
    const struct document *d = &b->document[at];
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_BUF_AUTO words = { 0 };
    struct mn_terms terms = { 0 };
    sqlite3_stmt *put = NULL;
    char sql[64];

    (void)snprintf(sql, sizeof sql, "DELETE FROM f WHERE rowid = %zu", at + 1);
    run(b, sql);
    if (!d->there)
        return;
    if (d->is_turn) { /* it is found by its speaker and its date as well */
        const struct mn_unit unit = unit_of(d);

        put_document(&unit, arena, &words);
    } else {
        assert_int_equal(mn_text_terms(arena, d->text, strlen(d->text), &terms, NULL), MNEME_OK);
        put_terms(&terms, &words);
    }
    assert_false(words.failed);
    assert_int_equal(sqlite3_prepare_v2(b->db, "INSERT INTO f(rowid, x) VALUES(?1, ?2)", -1, &put,
                                        NULL),
                     SQLITE_OK);
    sqlite3_bind_int64(put, 1, (sqlite3_int64)at + 1);
    sqlite3_bind_text(put, 2, words.at ? words.at : "", -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(put), SQLITE_DONE);
    sqlite3_finalize(put);
}

/* Some documents come, some are others, some go; of both partitions, in both indexes. */
static void change_some(struct both *b, bool first)
{
    bool touched[DOCUMENTS_MAX] = { false };

    for (size_t i = 0, most = 1 + any(DOCUMENTS_MAX); i < most; i++) {
        size_t at = any(DOCUMENTS_MAX);
        struct document *d = &b->document[at];
        bool is_new = !d->there;

        touched[at] = true;
        d->there = any(4) > 0;
        (void)snprintf(d->id, sizeof d->id, "d-%zu", at);
        if (is_new) { /* an id stays in its partition */
            d->shared = at % 3 == 0;
            d->is_turn = b->turns && any(3) == 0;
        }
        d->hidden = any(6) == 0;
        make_text(d->text, any(5) ? WORDS_MAX : 3);
    }
    for (int shared = 0; shared < 2; shared++) {
        static struct mn_unit unit[DOCUMENTS_MAX];
        static const char *dropped[DOCUMENTS_MAX];
        const struct mn_partition partition = { "t", shared ? "" : "u" };
        size_t units = 0, drops = 0;

        for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
            if (!touched[i] || b->document[i].shared != (shared == 1))
                continue;
            if (b->document[i].there)
                unit[units++] = unit_of(&b->document[i]);
            else
                dropped[drops++] = b->document[i].id;
        }
        assert_int_equal(b->search->ops->apply(b->search, partition, first, unit, units, dropped,
                                               drops, "1", NULL),
                         MNEME_OK);
    }
    b->live = 0;
    run(b, "BEGIN");
    for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
        if (touched[i])
            tell_fts5(b, i);
        b->live += b->document[i].there;
    }
    run(b, "COMMIT");
}

/* ---- what FTS5 says ---- */

struct answer {
    double bm25[DOCUMENTS_MAX]; /* of visible rows; NaN where it has none of the terms */
    size_t order[DOCUMENTS_MAX]; /* the visible ones, best first */
    size_t count;
    size_t rows; /* that have the term, visible or not */
};

static void ask_fts5(struct both *b, const char *words, struct answer *ret)
{
    sqlite3_stmt *ask = NULL;

    ret->count = ret->rows = 0;
    for (size_t i = 0; i < DOCUMENTS_MAX; i++)
        ret->bm25[i] = NAN;
    assert_int_equal(sqlite3_prepare_v2(b->db,
                                        "SELECT rowid, bm25(f) FROM f WHERE f MATCH ?1 "
                                        "ORDER BY bm25(f), rowid",
                                        -1, &ask, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(ask, 1, words, -1, SQLITE_STATIC);
    for (int step; (step = sqlite3_step(ask)) != SQLITE_DONE;) {
        size_t at;

        assert_int_equal(step, SQLITE_ROW);
        at = (size_t)sqlite3_column_int64(ask, 0) - 1;
        ret->rows++;
        if (b->document[at].hidden)
            continue;
        ret->bm25[at] = -sqlite3_column_double(ask, 1);
        ret->order[ret->count++] = at;
    }
    sqlite3_finalize(ask);
}

/* What of FTS5's score is its idf, and what it is here. */
static double idf_of(const struct both *b, size_t rows, bool fts5)
{
    double share = ((double)b->live - (double)rows + 0.5) / ((double)rows + 0.5);

    if (!fts5)
        return log(1 + share);
    return share > 1 ? log(share) : 1e-6; /* as it stands in its source: never below */
}

/* ---- comparing ---- */

static const struct mn_hit *hit_of(const struct mn_hits *hits, const char *id)
{
    for (size_t i = 0; i < hits->count; i++)
        if (!strcmp(hits->item[i].unit->id, id))
            return &hits->item[i];
    return NULL;
}

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-5 * (fabs(a) + fabs(b)) + 1e-12;
}

/* Same rows: all that have a term and may be seen, no other. */
static void compare_rows(const struct both *b, const struct answer *theirs,
                         const struct mn_hits *ours, const char *request)
{
    size_t found = 0;

    for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
        const struct document *d = &b->document[i];
        const struct mn_hit *hit = d->there ? hit_of(ours, d->id) : NULL;
        bool here = hit && hit->text > 0;

        if (here != !isnan(theirs->bm25[i]))
            fail_msg("\"%s\": %s \"%s\" is %s", request, d->id, d->text,
                     here ? "found here alone" : "found by FTS5 alone");
        found += here;
    }
    assert_int_equal(found, theirs->count);
}

static void compare_order(const struct both *b, const struct answer *theirs,
                          const struct mn_hits *ours, const char *request)
{
    for (size_t i = 1; i < theirs->count; i++) {
        double before = hit_of(ours, b->document[theirs->order[i - 1]].id)->bm25;
        double after = hit_of(ours, b->document[theirs->order[i]].id)->bm25;

        if (before < after && !same(before, after))
            fail_msg("\"%s\": place %zu has %.9g, the one behind it %.9g", request, i, before, after);
    }
}

static void compare_scores(struct both *b, const struct mn_terms *terms, const struct mn_hits *ours,
                           const char *request)
{
    static struct answer one;
    double sum[DOCUMENTS_MAX] = { 0 }, covered[DOCUMENTS_MAX] = { 0 }, all = 0;

    for (size_t t = 0; t < terms->count; t++) {
        char word[20];

        (void)snprintf(word, sizeof word, "%016llx", (unsigned long long)terms->item[t].hash);
        ask_fts5(b, word, &one);
        double idf = idf_of(b, one.rows, false) * terms->item[t].weight;

        all += idf;
        for (size_t i = 0; i < DOCUMENTS_MAX; i++) {
            if (isnan(one.bm25[i]))
                continue;
            sum[i] += one.bm25[i] / idf_of(b, one.rows, true) * idf;
            covered[i] += idf;
        }
    }
    assert_true(same(ours->term_weight_sum, all));
    for (size_t i = 0; i < ours->count; i++) {
        size_t at = (size_t)atoi(ours->item[i].unit->id + 2);

        if (!same(ours->item[i].bm25, sum[at]) || !same(ours->item[i].coverage, covered[at] / all))
            fail_msg("\"%s\": %s has %.9g and %.9g, by FTS5 %.9g and %.9g", request,
                     ours->item[i].unit->id, ours->item[i].bm25, ours->item[i].coverage, sum[at],
                     covered[at] / all);
    }
}

/* Words that are nowhere may stand for others that are: of that FTS5 knows nothing. */
static void leave_unknown(struct both *b, struct mn_terms *terms)
{
    static struct answer one;
    size_t kept = 0;

    for (size_t t = 0; t < terms->count; t++) {
        char word[20];

        (void)snprintf(word, sizeof word, "%016llx", (unsigned long long)terms->item[t].hash);
        ask_fts5(b, word, &one);
        if (one.rows)
            terms->item[kept++] = terms->item[t];
    }
    terms->count = kept;
}

static void compare_one(struct both *b, size_t words_max)
{
    const struct mn_access access = { .tenant = "t",
                                      .user = "u",
                                      .agent = "",
                                      .session = "",
                                      .task = "",
                                      .project = "",
                                      .repository = "",
                                      .clearance = MNEME_INTERNAL,
                                      .at_ms = 1000 };
    static struct answer theirs;
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_BUF_AUTO words = { 0 };
    struct mn_terms terms = { 0 };
    struct mn_hits ours = { 0 };
    char request[TEXT_BYTES];

    make_text(request, words_max);
    assert_int_equal(mn_text_query_terms(arena, request, strlen(request), &terms, NULL), MNEME_OK);
    leave_unknown(b, &terms);
    if (!terms.count)
        return;
    for (size_t i = 0; i < terms.count; i++)
        mn_buf_printf(&words, "%s%016llx", i ? " OR " : "",
                      (unsigned long long)terms.item[i].hash);
    assert_false(words.failed);
    ask_fts5(b, words.at, &theirs);
    const struct mn_query query = { .access = &access,
                                    .text_types = ~(mn_type_set)0,
                                    .terms = &terms,
                                    .language = mn_text_language(request, strlen(request)),
                                    .text_k = DOCUMENTS_MAX };
    assert_int_equal(b->search->ops->top(b->search, &query, arena, &ours, NULL), MNEME_OK);
    compare_rows(b, &theirs, &ours, request);
    if (b->turns)
        return;
    if (terms.count == 1)
        compare_order(b, &theirs, &ours, request);
    compare_scores(b, &terms, &ours, request);
}

static void compare_partitions(bool turns)
{
    struct both *b = calloc(1, sizeof *b);
    const struct mn_space space = { 0 };

    assert_non_null(b);
    b->turns = turns;
    assert_int_equal(mn_search_memory_new(&space, SIZE_MAX, &b->search, NULL), MNEME_OK);
    assert_int_equal(sqlite3_open(":memory:", &b->db), SQLITE_OK);
    run(b, "CREATE VIRTUAL TABLE f USING fts5(x, tokenize='ascii')");
    for (int round = 0; round < rounds; round++) {
        change_some(b, round == 0);
        for (int i = 0; i < REQUESTS; i++)
            compare_one(b, i % 3 ? 6 : 1);
    }
    sqlite3_close(b->db);
    mn_search_free(b->search);
    free(b);
}

static void memories_are_found_ordered_and_scored_as_fts5_does(void **state)
{
    (void)state;
    compare_partitions(false);
}

static void turns_among_them_are_found_as_fts5_does(void **state)
{
    (void)state;
    compare_partitions(true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_are_found_ordered_and_scored_as_fts5_does),
        cmocka_unit_test(turns_among_them_are_found_as_fts5_does),
    };

    if (argc > 1)
        rounds = atoi(argv[1]);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10) | 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
