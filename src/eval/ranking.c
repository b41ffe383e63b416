/*
 * ranking.c - one pool of texts, one list of requests, and the best place of what is right.
 */
#include "eval/ranking.h"

#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "eval/lines.h"
#include "eval/progress.h"
#include "eval/text_pool.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define GOLD_MAX 1024
#define REQUEST_HAN_MIN 2 /* fewer Han characters are a quotation */
#define PASSAGE_HAN_MIN 4

static const char *const COLUMNS[] = { "acc@1", "acc@5", "mrr", NULL };

struct query {
    const char *id;
    const char *kind;
    const char *text;
    struct mneme_list gold; /* ids in the pool */
    const char *gold_text;  /* of the first */
};

struct ranking {
    const struct mn_ranking_options *options;
    struct mn_arena *arena;
    struct mn_golden golden;
    struct {
        struct query *item;
        size_t count, room;
    } queries;
    struct {
        const char **item;
        size_t count, room;
    } passages; /* where the queries bring them */
};

/* ---- reading ---- */

static enum mneme_status add_passage(struct ranking *r, const char *text, size_t *ret_at,
                                     struct mneme_error *err)
{
    const char **passage;

    for (size_t i = 0; i < r->passages.count; i++) {
        if (!strcmp(r->passages.item[i], text)) {
            *ret_at = i;
            return MNEME_OK;
        }
    }
    passage = mn_array_add(r->arena, &r->passages);
    if (!passage)
        return mn_fail_memory(err);
    *passage = text;
    *ret_at = r->passages.count - 1;
    return MNEME_OK;
}

static enum mneme_status read_passages(struct ranking *r, yyjson_val *root, struct query *query,
                                       struct mneme_error *err)
{
    const char **id = mn_arena_array(r->arena, const char *, 1);
    struct mneme_list negatives = { 0 };
    size_t at = 0, ignored;

    if (!id)
        return mn_fail_memory(err);
    MN_TRY(mn_json_text(root, "positive", MNEME_TEXT_BYTES_MAX, r->arena, &query->gold_text, err));
    MN_TRY(mn_json_texts(root, "negatives", GOLD_MAX, MNEME_TEXT_BYTES_MAX, r->arena, &negatives.item,
                         &negatives.count, err));
    if (mn_empty(query->gold_text))
        return mn_fail(err, MNEME_INVALID, "positive: is empty");
    MN_TRY(add_passage(r, query->gold_text, &at, err));
    for (size_t i = 0; i < negatives.count; i++)
        MN_TRY(add_passage(r, negatives.item[i], &ignored, err));
    *id = mn_arena_printf(r->arena, "%zu", at);
    query->gold = (struct mneme_list){ id, 1 };
    return *id ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status read_gold(struct ranking *r, yyjson_val *root, struct query *query,
                                   struct mneme_error *err)
{
    MN_TRY(mn_json_texts(root, "gold", GOLD_MAX, MNEME_ID_BYTES_MAX, r->arena, &query->gold.item,
                         &query->gold.count, err));
    if (!query->gold.count)
        return mn_fail(err, MNEME_INVALID, "gold: names no memory");
    for (size_t i = 0; i < query->gold.count; i++)
        if (!mn_golden_memory(&r->golden, query->gold.item[i]))
            return mn_fail(err, MNEME_INVALID, "gold: there is no memory %s", query->gold.item[i]);
    query->gold_text = mn_golden_memory(&r->golden, query->gold.item[0])->content;
    return MNEME_OK;
}

static enum mneme_status read_query(void *context, struct mn_str line, struct mneme_error *err)
{
    struct ranking *r = context;
    struct query *query = mn_array_add(r->arena, &r->queries);
    MN_JSON_AUTO doc = NULL;

    if (!query)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("query", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(mn_json_text(root, "id", MNEME_ID_BYTES_MAX, r->arena, &query->id, err));
    MN_TRY(mn_json_text(root, "kind", MNEME_NAME_BYTES_MAX, r->arena, &query->kind, err));
    MN_TRY(mn_json_text(root, "query", MNEME_TEXT_BYTES_MAX, r->arena, &query->text, err));
    if (mn_empty(query->text))
        return mn_fail(err, MNEME_INVALID, "query: is empty");
    return r->options->folder ? read_gold(r, root, query, err) : read_passages(r, root, query, err);
}

/* ---- asking ---- */

static bool holds_han(const char *text, size_t least)
{
    size_t count = 0;

    for (size_t at = 0, bytes = strlen(text); at < bytes;) {
        int32_t c = mn_utf8_next(text, bytes, &at);

        if (c < 0)
            break;
        count += c >= 0x4E00 && c <= 0x9FFF;
    }
    return count >= least;
}

static bool is_across(const struct query *query)
{
    return holds_han(query->text, REQUEST_HAN_MIN) != holds_han(query->gold_text, PASSAGE_HAN_MIN);
}

static enum mneme_status ask(const struct mn_text_pool *pool, size_t depth,
                             const struct query *query, size_t *ret_rank, struct mneme_error *err)
{
    struct mneme_request request = mn_text_pool_request(pool, query->text);
    struct mneme_answer *answer = NULL;
    size_t best = 0;

    request.mode = MNEME_MODE_HYBRID;
    request.profile = MNEME_PROFILE_SIMILARITY;
    request.depth = request.items_max = depth;
    request.without_limits = 1;
    MN_TRY(mneme_retrieve(pool->store.handle, &request, &answer, err));
    for (size_t i = 0; i < query->gold.count; i++) {
        size_t rank = mn_text_pool_rank(answer, query->gold.item[i]);

        if (rank && (!best || rank < best))
            best = rank;
    }
    mneme_answer_free(answer);
    *ret_rank = best;
    return MNEME_OK;
}

static bool count(struct mn_tally *tally, const struct query *query, size_t rank)
{
    const double values[] = { rank == 1, rank >= 1 && rank <= 5, rank ? 1.0 / (double)rank : 0 };

    return mn_tally_add(tally, "all", values) &&
           (!is_across(query) || mn_tally_add(tally, "across", values)) &&
           (mn_empty(query->kind) || mn_tally_add(tally, query->kind, values));
}

static void put_line(struct mn_buf *out, const struct query *query, size_t rank)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", query->id);
    mn_json_field_text(&w, "kind", query->kind);
    mn_json_field_text(&w, "query", query->text);
    mn_json_field_integer(&w, "rank", (int64_t)rank);
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
}

static enum mneme_status ask_all(struct ranking *r, const struct mn_text_pool *pool,
                                 struct mn_ranking_report *report, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };

    for (size_t i = 0; i < r->queries.count; i++) {
        const struct query *query = &r->queries.item[i];
        size_t rank = 0;

        MN_TRY(ask(pool, report->memories, query, &rank, err));
        put_line(&out, query, rank);
        if (!count(&report->tally, query, rank))
            return mn_fail_memory(err);
        mn_progress_tell(r->options->progress, "queries", i + 1, r->queries.count);
    }
    return r->options->out_path ? mn_lines_write(r->options->out_path, &out, err) : MNEME_OK;
}

static enum mneme_status run(struct ranking *r, struct mn_ranking_report *report,
                             struct mneme_error *err)
{
    MN_TEXT_POOL_AUTO pool = { 0 };
    const struct mn_ranking_options *options = r->options;

    if (options->folder)
        MN_TRY(mn_golden_read(options->folder, &r->golden, err));
    MN_TRY(mn_lines_read(options->queries_path, true, read_query, r, err));
    report->memories = options->folder ? r->golden.memories.count : r->passages.count;
    if (options->folder)
        MN_TRY(mn_text_pool_open_golden(&r->golden, &options->setup, &pool, err));
    else
        MN_TRY(mn_text_pool_open_texts(r->passages.item, r->passages.count, &options->setup, &pool,
                                       err));
    report->model_status = mn_arena_copy(r->arena, pool.model_status);
    if (!report->model_status)
        return mn_fail_memory(err);
    return ask_all(r, &pool, report, err);
}

enum mneme_status mn_ranking_run(const struct mn_ranking_options *options,
                                 struct mn_ranking_report *ret_report, struct mneme_error *err)
{
    struct mn_ranking_report report = { .arena = mn_arena_new(ARENA_BYTES_MAX) };
    struct ranking r = { .options = options, .arena = report.arena };
    enum mneme_status status;

    report.tally = (struct mn_tally){ .arena = report.arena, .column = COLUMNS };
    status = report.arena ? run(&r, &report, err) : mn_fail_memory(err);
    mn_golden_release(&r.golden);
    if (status == MNEME_OK)
        *ret_report = report;
    else
        mn_ranking_report_release(&report);
    return status;
}

void mn_ranking_report_release(struct mn_ranking_report *report)
{
    mn_arena_free(report->arena);
    *report = (struct mn_ranking_report){ 0 };
}
