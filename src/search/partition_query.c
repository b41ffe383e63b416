/*
 * partition_query.c - choose by estimate, score exactly, answer with documents.
 *
 * The order of work: who may be seen (bits), the best by vector for each language of rows, the best
 * by text, the union of both (picked.c); then every row of the union gets both scores from its own
 * terms and its own vector, and its document is held.
 */
#include "search/partition_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "search/around.h"
#include "search/context.h"
#include "search/picked.h"

#define FETCH_AHEAD 4 /* rows, while one is scored or copied */
#define RESCORED_MORE 16 /* rows scored exactly beside a quarter more than are wanted by vector */

/* What one call needs besides its answer. */
struct work {
    struct mn_picking of;
    const struct mn_query *query;

    struct mn_visible_request request;
    struct mn_visible_judged judged[MN_VIEWS_MAX];
    uint8_t *verdicts; /* of all views */
    uint64_t *bits;    /* of all views */
    uint64_t *text_bits[MN_VIEWS_MAX];
    uint64_t *vector_bits[MN_VIEWS_MAX];
    float *score;
    uint32_t *touched;
    uint64_t *among;
    uint64_t *key;
    struct mn_scored *scored; /* lists while searching */
};

static void work_release(struct work *work)
{
    free(work->verdicts);
    free(work->bits);
    free(work->score);
    free(work->touched);
    free(work->among);
    free(work->key);
    free(work->scored);
    free(work->of.item);
}
#define WORK_AUTO MN_CLEANUP(work_release) struct work

static size_t rows_most(const struct mn_views *views)
{
    size_t most = 1;

    for (size_t v = 0; v < views->count; v++)
        if (views->index[v]->count > most)
            most = views->index[v]->count;
    return most;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- the request, prepared ---- */

static enum mneme_status prepare_vector(const struct mn_views *views, const struct mn_query *query,
                                        struct mn_arena *arena, struct mn_query_kept *made,
                                        struct mneme_error *err)
{
    const struct mn_vector_space *space;

    if (!query->vector || !views->count)
        return MNEME_OK;
    space = views->index[0]->vector.space;
    size_t floats = mn_vector_request_floats(space);
    float *room = mn_arena_room(arena, (MN_VIEWS_MAX * floats + 1) * sizeof *room);
    if (!room)
        return mn_fail_memory(err);
    for (size_t v = 0; v < views->count; v++)
        if (!mn_vector_request_make(&views->index[v]->vector, query->vector, query->language,
                                    room + v * floats, &made->vector[v]))
            return MNEME_OK;
    made->has_vector = true;
    return MNEME_OK;
}

/* Of this request and these indexes, none of which has changed since? */
static bool still_holds(const struct mn_query_kept *kept, const struct mn_views *views,
                        const struct mn_query *query)
{
    bool holds = kept->terms == query->terms && kept->request_vector == query->vector &&
                 kept->view_count == views->count;

    for (size_t v = 0; v < views->count && holds; v++)
        holds = kept->index[v] == views->index[v] && kept->state[v] == views->index[v]->state;
    return holds;
}

static enum mneme_status prepare(struct work *work, struct mn_arena *arena, struct mneme_error *err)
{
    static const struct mn_terms none = { 0 };
    const struct mn_text_index *index[MN_VIEWS_MAX] = { NULL };
    const struct mn_views *views = work->of.views;
    const struct mn_query *query = work->query;

    work->of.prepared = query->kept ? *query->kept : NULL;
    if (work->of.prepared && still_holds(work->of.prepared, views, query))
        return MNEME_OK;
    struct mn_query_kept *made = mn_arena_one(arena, struct mn_query_kept);
    if (!made)
        return mn_fail_memory(err);
    made->terms = query->terms;
    made->request_vector = query->vector;
    made->view_count = views->count;
    for (size_t v = 0; v < views->count; v++) {
        index[v] = &views->index[v]->text;
        made->index[v] = views->index[v];
        made->state[v] = views->index[v]->state;
    }
    MN_TRY(mn_text_request_make(index, views->count, query->terms ? query->terms : &none, arena,
                                &made->text, err));
    MN_TRY(prepare_vector(views, query, arena, made, err));
    work->of.prepared = made;
    if (query->kept)
        *query->kept = made;
    return MNEME_OK;
}

/* Who may be seen, by classes of rows. */
static enum mneme_status judge(struct work *work, struct mneme_error *err)
{
    const struct mn_query *query = work->query;
    const struct mn_views *views = work->of.views;
    size_t count = 1;

    work->request = (struct mn_visible_request){ .access = query->access,
                                                 .text_types = query->text_types,
                                                 .vector_types = query->vector_types,
                                                 .after_ms = query->after_ms,
                                                 .before_ms = query->before_ms };
    for (size_t v = 0; v < views->count; v++)
        count += mn_visible_verdict_count(&views->index[v]->visible);
    uint8_t *next = work->verdicts = malloc(count);
    if (!next)
        return mn_fail_memory(err);
    for (size_t v = 0; v < views->count; v++) {
        work->judged[v] = mn_visible_judge(&views->index[v]->visible, &work->request, next);
        next += mn_visible_verdict_count(&views->index[v]->visible);
    }
    return MNEME_OK;
}

/* The same, of each row. */
static enum mneme_status find_visible(struct work *work, struct mneme_error *err)
{
    const struct mn_views *views = work->of.views;
    size_t words = 1;

    for (size_t v = 0; v < views->count; v++)
        words += 2 * mn_visible_words(&views->index[v]->visible);
    uint64_t *next = work->bits = malloc(words * sizeof *next);
    if (!next)
        return mn_fail_memory(err);
    for (size_t v = 0; v < views->count; v++) {
        size_t each = mn_visible_words(&views->index[v]->visible);

        work->text_bits[v] = next;
        work->vector_bits[v] = next + each;
        next += 2 * each;
        mn_visible_bits(&work->judged[v], work->text_bits[v], work->vector_bits[v]);
    }
    return MNEME_OK;
}

/* ---- choosing ---- */

/* Best first; of equals the own partition's, then the older row. */
static inline bool is_ahead(const struct mn_picked *a, const struct mn_picked *b)
{
    return a->order != b->order ? a->order > b->order : a->row < b->row;
}
MN_SORT_OF(sort_by_order, struct mn_picked, is_ahead)

/* Rows lie all over memory, and are known beforehand: what is asked for early need not be waited for. */
static void fetch_vector(const struct work *work, uint32_t row)
{
    const struct mn_vector_index *index = &work->of.views->index[mn_picked_view(row)]->vector;

    if (mn_vector_index_has(index, row & MN_ROW_MASK))
        mn_vector_index_fetch(index, row & MN_ROW_MASK);
}

static void fetch_terms(const struct work *work, uint32_t row)
{
    mn_text_index_fetch(&work->of.views->index[mn_picked_view(row)]->text, row & MN_ROW_MASK);
}

static void fetch_document(const struct work *work, uint32_t row)
{
    const struct mn_partition_index *index = work->of.views->index[mn_picked_view(row)];

    mn_documents_fetch(index->documents, index->document[row & MN_ROW_MASK]);
}

/* Turns that were not chosen but stand among those that were. Ranked behind them: picked[0] to
 * picked[count - 1] were chosen by text. */
static enum mneme_status choose_around(struct work *work, size_t count, struct mneme_error *err)
{
    struct mn_picked *picked = work->of.item + work->of.count - count;
    size_t rows = rows_most(work->of.views);
    struct mn_best best = { .item = work->scored,
                            .room = least_of(work->query->around_k, 2 * rows) };

    if (!best.room || !count)
        return MNEME_OK;
    MN_TRY(mn_around_offer(&work->of, picked, count, work->text_bits, &best, err));
    for (size_t i = 0; i < best.count; i++)
        picked[count + i] =
            (struct mn_picked){ .row = best.item[i].row, .order = (double)best.item[i].score };
    sort_by_order(picked + count, best.count, work->of.spare);
    for (size_t i = 0; i < best.count; i++)
        picked[count + i].text_rank = (uint32_t)(count + i) + 1;
    work->of.count += best.count;
    return MNEME_OK;
}

static enum mneme_status choose_by_text(struct work *work, struct mneme_error *err)
{
    size_t rows = rows_most(work->of.views), k = least_of(work->query->text_k, 2 * rows);
    struct mn_best best = { .room = k };
    struct mn_picked *picked = work->of.item + work->of.count;

    if (!k || !(work->of.prepared->text.weight_sum > 0))
        return MNEME_OK;
    work->score = calloc(rows, sizeof *work->score);
    work->touched = malloc((rows + 1) * sizeof *work->touched);
    work->among = calloc(rows / 64 + 1, sizeof *work->among);
    work->key = malloc(2 * k * sizeof *work->key);
    if (!work->score || !work->touched || !work->among || !work->key)
        return mn_fail_memory(err);
    best.item = work->scored;
    struct mn_text_room room = { work->score, work->touched, work->among, work->key };
    for (size_t v = 0; v < work->of.views->count; v++)
        mn_text_request_top(&work->of.prepared->text, v, work->text_bits[v], &room,
                            (uint32_t)v << MN_VIEW_BIT, &best);

    for (size_t i = 0; i < best.count; i++) {
        if (i + FETCH_AHEAD < best.count)
            fetch_terms(work, best.item[i + FETCH_AHEAD].row);
        picked[i] = (struct mn_picked){ .row = best.item[i].row };
        mn_picked_score_text(&work->of, &picked[i]);
        picked[i].order = picked[i].text.text;
    }
    sort_by_order(picked, best.count, work->of.spare);
    for (size_t i = 0; i < best.count; i++)
        picked[i].text_rank = (uint32_t)i + 1;
    work->of.count += best.count;
    return choose_around(work, best.count, err);
}

/* How many rows of each language are scored exactly. */
static size_t rescored(const struct mn_views *views, size_t k)
{
    return k ? least_of(k + k / 4 + RESCORED_MORE, 2 * rows_most(views)) : 0;
}

/* The k best of each language, ranked together: the constants make languages comparable. */
static void choose_by_vector(struct work *work)
{
    size_t k = work->query->vector_k, room = rescored(work->of.views, k);
    struct mn_best best[MN_LANGUAGE_COUNT];
    struct mn_picked *picked = work->of.item + work->of.count;
    size_t count = 0;

    if (!k || !work->of.prepared->has_vector)
        return;
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++)
        best[l] = (struct mn_best){ .item = work->scored + l * room, .room = room };
    for (size_t v = 0; v < work->of.views->count; v++)
        mn_vector_index_scan(&work->of.views->index[v]->vector, &work->of.prepared->vector[v],
                             work->vector_bits[v], (uint32_t)v << MN_VIEW_BIT, best);
    for (size_t l = 0; l < MN_LANGUAGE_COUNT; l++) {
        for (size_t i = 0; i < best[l].count; i++) {
            struct mn_picked *p = &picked[count + i];

            if (i + FETCH_AHEAD < best[l].count)
                fetch_vector(work, best[l].item[i + FETCH_AHEAD].row);
            *p = (struct mn_picked){ .row = best[l].item[i].row };
            mn_picked_score_vector(&work->of, p);
            p->order = p->vector;
        }
        sort_by_order(picked + count, best[l].count, work->of.spare);
        count += least_of(best[l].count, k);
    }
    sort_by_order(picked, count, work->of.spare);
    for (size_t i = 0; i < count; i++)
        picked[i].vector_rank = (uint32_t)i + 1;
    work->of.count += count;
}

/* Whole minutes, which floats tell apart for thirty years. */
static float minutes_before(const struct mn_visible *visible, size_t row, int64_t after_ms)
{
    return -(float)((visible->event_time[row] - after_ms) / 60000);
}

/* What happened in the time asked for, the earliest first, however unlike: no rank. Rows that may be
 * seen have an event time then. */
static void choose_by_date(struct work *work)
{
    const struct mn_query *query = work->query;
    struct mn_best best = { .item = work->scored,
                            .room = least_of(query->dated_k, 2 * rows_most(work->of.views)) };

    if (!best.room || (!query->after_ms && !query->before_ms))
        return;
    for (size_t v = 0; v < work->of.views->count; v++) {
        const struct mn_partition_index *index = work->of.views->index[v];

        for (size_t row = 0; row < index->count; row++) {
            uint32_t at = (uint32_t)row | (uint32_t)v << MN_VIEW_BIT;

            if (work->text_bits[v][row / 64] >> (row % 64) & 1 &&
                mn_picked_item(&work->of, at) == row)
                mn_best_offer(&best, minutes_before(&index->visible, row, query->after_ms), at);
        }
    }
    for (size_t i = 0; i < best.count; i++)
        work->of.item[work->of.count++] = (struct mn_picked){ .row = best.item[i].row };
}

/* ---- answering ---- */

/* False when the arena is full. */
static bool fill_hit(const struct work *work, struct mn_picked *picked, struct mn_arena *arena,
                     struct mn_unit *unit, struct mn_hit *hit)
{
    size_t v = mn_picked_view(picked->row), row = picked->row & MN_ROW_MASK;
    const struct mn_partition_index *index = work->of.views->index[v];

    mn_picked_score_text(&work->of, picked);
    mn_picked_score_vector(&work->of, picked);
    bool has_vector = !isnan(picked->vector);
    *hit = (struct mn_hit){ .unit = unit,
                            .shared = work->of.views->shared[v],
                            .language = (enum mn_language)index->language[row],
                            .text = picked->text.text,
                            .bm25 = picked->text.bm25,
                            .coverage = picked->text.coverage,
                            .has_vector = has_vector,
                            .vector = has_vector ? picked->vector : 0,
                            .cosine = picked->cosine,
                            .text_rank = picked->text_rank,
                            .vector_rank = picked->vector_rank,
                            .passage = picked->passage };
    return mn_documents_read(index->documents, index->document[row], arena, unit);
}

static bool hold_documents(const struct work *work, struct mn_arena *arena)
{
    for (size_t v = 0; v < work->of.views->count; v++)
        if (!mn_documents_hold(work->of.views->index[v]->documents, arena))
            return false;
    return true;
}

static enum mneme_status answer(const struct work *work, struct mn_arena *arena,
                                struct mn_hits *ret_hits, struct mneme_error *err)
{
    struct mn_hits hits = { .count = work->of.count,
                            .room = work->of.count,
                            .term_weight_sum = work->of.prepared->text.weight_sum };
    struct mn_unit *unit = NULL;

    if (hits.count) {
        hits.item = mn_arena_room(arena, hits.count * sizeof *hits.item);
        unit = mn_arena_room(arena, hits.count * sizeof *unit);
        if (!hits.item || !unit || !hold_documents(work, arena))
            return mn_fail_memory(err);
    }
    for (size_t i = 0; i < hits.count; i++) {
        const struct mn_picked *ahead = &work->of.item[i + FETCH_AHEAD];

        if (i + FETCH_AHEAD < hits.count) {
            fetch_document(work, ahead->row);
            if (!ahead->has_text)
                fetch_terms(work, ahead->row);
            if (!ahead->has_vector && work->of.prepared->has_vector)
                fetch_vector(work, ahead->row);
        }
        if (!fill_hit(work, &work->of.item[i], arena, &unit[i], &hits.item[i]))
            return mn_fail_memory(err);
    }
    *ret_hits = hits;
    return MNEME_OK;
}

/* Those of the ids that may be seen, of any type, without a rank. There is room for all. */
static void choose_named(struct work *work, const char *const *ids, size_t count)
{
    const struct mn_views *views = work->of.views;

    for (size_t i = 0; i < count; i++) {
        uint32_t row;

        if (mn_picked_find(views, ids[i], &row) &&
            mn_visible_row(&work->judged[mn_picked_view(row)], row & MN_ROW_MASK))
            work->of.item[work->of.count++] = (struct mn_picked){ .row = row };
    }
}

static enum mneme_status make_room(struct mn_picking *of, size_t count, struct mneme_error *err)
{
    of->item = malloc(2 * (count + 1) * sizeof *of->item);
    if (!of->item)
        return mn_fail_memory(err);
    of->spare = of->item + count + 1;
    return MNEME_OK;
}

enum mneme_status mn_views_top(const struct mn_views *views, const struct mn_query *query,
                               struct mn_arena *arena, struct mn_hits *ret_hits,
                               struct mneme_error *err)
{
    WORK_AUTO work = { .of = { .views = views }, .query = query };
    size_t text_room = least_of(query->text_k, 2 * rows_most(views));
    size_t vector_room = MN_LANGUAGE_COUNT * rescored(views, query->vector_k);
    size_t around_room = least_of(query->around_k, 2 * rows_most(views));
    size_t dated_room = least_of(query->dated_k, 2 * rows_most(views));

    MN_TRY(prepare(&work, arena, err));
    if (!views->count)
        return answer(&work, arena, ret_hits, err);
    size_t room = text_room + around_room + vector_room + dated_room;
    work.scored = malloc((room + 1) * sizeof *work.scored);
    if (!work.scored)
        return mn_fail_memory(err);
    MN_TRY(make_room(&work.of, room + query->also_count, err));
    MN_TRY(judge(&work, err));
    MN_TRY(find_visible(&work, err));
    choose_by_vector(&work);
    MN_TRY(choose_by_text(&work, err));
    choose_by_date(&work);
    choose_named(&work, query->also, query->also_count);
    mn_picking_unite(&work.of);
    return answer(&work, arena, ret_hits, err);
}

enum mneme_status mn_views_score(const struct mn_views *views, const struct mn_query *query,
                                 const char *const *ids, size_t count, struct mn_arena *arena,
                                 struct mn_hits *ret_hits, struct mneme_error *err)
{
    WORK_AUTO work = { .of = { .views = views }, .query = query };

    MN_TRY(prepare(&work, arena, err));
    MN_TRY(judge(&work, err));
    MN_TRY(make_room(&work.of, count, err));
    choose_named(&work, ids, count);
    mn_picking_unite(&work.of);
    return answer(&work, arena, ret_hits, err);
}

/* The turns of one view: its rows, and where their signals go. */
struct asked_turns {
    uint32_t *row;
    struct mn_context **item;
    size_t count;
};

static enum mneme_status read_contexts(const struct work *work, size_t v,
                                       const struct asked_turns *turns, struct mneme_error *err)
{
    static const struct mn_inquiry nothing = { 0 };
    static const struct mn_terms none = { 0 };
    const struct mn_query *query = work->query;
    const struct mn_context_request request = {
        .index = work->of.views->index[v],
        .text = &work->of.prepared->text,
        .which = v,
        .terms = query->terms ? query->terms : &none,
        .vector = work->of.prepared->has_vector ? &work->of.prepared->vector[v] : NULL,
        .judged = &work->judged[v],
        .inquiry = query->inquiry ? query->inquiry : &nothing,
    };

    return mn_context_read(&request, turns->row, turns->count, turns->item, err);
}

enum mneme_status mn_views_context(const struct mn_views *views, const struct mn_query *query,
                                   const char *const *ids, size_t count, struct mn_arena *arena,
                                   struct mn_contexts *ret_contexts, struct mneme_error *err)
{
    WORK_AUTO work = { .of = { .views = views }, .query = query };
    struct mn_contexts contexts = { .room = count + 1 };
    struct asked_turns turns[MN_VIEWS_MAX] = { { 0 } };

    MN_TRY(prepare(&work, arena, err));
    MN_TRY(judge(&work, err));
    contexts.item = mn_arena_array(arena, struct mn_context, contexts.room);
    if (!contexts.item)
        return mn_fail_memory(err);
    for (size_t v = 0; v < views->count; v++) {
        turns[v].row = mn_arena_array(arena, uint32_t, count + 1);
        turns[v].item = mn_arena_array(arena, struct mn_context *, count + 1);
        if (!turns[v].row || !turns[v].item)
            return mn_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t found;

        if (!mn_picked_find(views, ids[i], &found))
            continue;
        size_t v = mn_picked_view(found), row = found & MN_ROW_MASK;
        if (!mn_session_table_is_turn(&views->index[v]->sessions, row) ||
            !mn_visible_row(&work.judged[v], row))
            continue;
        turns[v].row[turns[v].count] = (uint32_t)row;
        turns[v].item[turns[v].count++] = &contexts.item[contexts.count];
        contexts.item[contexts.count++].id = ids[i];
    }
    for (size_t v = 0; v < views->count; v++)
        MN_TRY(read_contexts(&work, v, &turns[v], err));
    *ret_contexts = contexts;
    return MNEME_OK;
}

enum mneme_status mn_views_similarity(const struct mn_views *views, const char *const *ids,
                                      size_t count, float *ret, struct mneme_error *err)
{
    size_t stride = views->count ? views->index[0]->vector.space->stride : 0;
    const struct mn_scan *scan = views->count ? views->index[0]->vector.scan : &mn_scan_plain;
    float *centred = malloc((count * stride + 1) * sizeof *centred);
    bool *has = calloc(count + 1, sizeof *has);

    if (!centred || !has) {
        free(centred);
        free(has);
        return mn_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t row;

        if (!mn_picked_find(views, ids[i], &row))
            continue;
        const struct mn_vector_index *index = &views->index[mn_picked_view(row)]->vector;
        has[i] = mn_vector_index_has(index, row & MN_ROW_MASK);
        if (has[i])
            mn_vector_index_centred(index, row & MN_ROW_MASK, centred + i * stride);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            ret[i * count + j] = ret[j * count + i] =
                has[i] && has[j] ? scan->dot(centred + i * stride, centred + j * stride, stride)
                                 : NAN;
    free(centred);
    free(has);
    return MNEME_OK;
}
