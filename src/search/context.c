/*
 * context.c - frequencies gathered once, then windows over them.
 *
 * The rows that matter are the candidates and six turns to both sides of each, and the other turns of
 * their sessions. What columns or, of rarer terms, postings say of them is put into a small table, a
 * line for each row near a candidate and one for each session touched. All windows are then sums of
 * lines.
 *
 * The date in a turn's head is told from the same number in its body by the turn's day.
 */
#include "search/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/context_asked.h"

#define REACH 6
#define BESIDE 2
#define PAIR_GAP 8 /* terms */
#define RAREST 5
#define BEST 3
#define NOWHERE UINT8_MAX
#define NOBODY 0 /* among near */
#define TERMS MN_CONTEXT_TERMS_MAX
#define FETCH_AHEAD 4 /* rows, while one is scored */

_Static_assert(MN_ROW_NONE + 1 == 0, "no turn has the first session");
_Static_assert(TERMS <= 32, "a bit each in near.has and window.has");

/* A row that matters. */
struct near {
    uint32_t row;
    uint32_t before; /* the turns next to it, as near; NOBODY where none may be seen */
    uint32_t after;
    uint32_t has;    /* one bit a term: those it holds, and they are few */
    float vector;    /* F; NAN: none */
    float length;
    float head;
    bool beside;     /* within 2 of a candidate: its vector counts */
    bool placed;     /* its places are known */
};

/* A figure a term, of a row that matters. */
struct by_term {
    uint8_t of[TERMS];
};

struct touched {
    uint32_t session;
    uint32_t halves[TERMS];
    float best[BEST]; /* F, falling; NAN where there are fewer */
};

struct work {
    const struct mn_context_request *r;
    const struct mn_session_table *table;
    struct mn_context_asked asked;

    uint32_t *slot;         /* of a row: near; NOBODY is none */
    uint32_t *session_slot; /* of a session + 1: touched; the first is none */
    struct near *near;      /* the first is nobody */
    struct by_term *halves; /* of each near; set where `has` says so */
    struct by_term *place;  /* of the first occurrence; set where it is placed */
    size_t near_count;
    struct touched *touched;
    size_t touched_count;
    uint32_t *turn; /* rows of the sessions touched that may be seen */
    size_t turn_count;
    uint64_t *counts; /* one bit a row: it is one of these */

    float window3_length, window6_length, session_length, body_length; /* averages */
};

static void work_release(struct work *work)
{
    free(work->slot);
    free(work->near);
    free(work->halves);
    free(work->place);
    free(work->touched);
    free(work->turn);
    free(work->counts);
}
#define WORK_AUTO MN_CLEANUP(work_release) struct work

static const struct mn_session_turn *turn_of(const struct work *w, uint32_t row)
{
    return mn_session_turn_of(w->table, row);
}

/* ---- the rows ---- */

/* The row as near, made when it is none yet; NOBODY when there is no such row or it may not be seen. */
static uint32_t take_row(struct work *w, uint32_t row, bool beside)
{
    if (row == MN_ROW_NONE)
        return NOBODY;
    if (w->slot[row]) {
        w->near[w->slot[row]].beside |= beside;
        return w->slot[row];
    }
    if (!mn_visible_row(w->r->judged, row))
        return NOBODY;
    const struct mn_session_turn *turn = turn_of(w, row);
    uint32_t *session = &w->session_slot[w->table->session[row] + 1];

    w->slot[row] = (uint32_t)w->near_count;
    w->near[w->near_count++] = (struct near){ .row = row,
                                              .before = NOBODY,
                                              .after = NOBODY,
                                              .vector = NAN,
                                              .length = turn->length,
                                              .head = turn->head,
                                              .beside = beside };
    if (!*session) {
        *session = (uint32_t)w->touched_count;
        w->touched[w->touched_count++] =
            (struct touched){ .session = w->table->session[row], .best = { NAN, NAN, NAN } };
    }
    return w->slot[row];
}

static struct touched *session_of(const struct work *w, uint32_t row)
{
    return &w->touched[w->session_slot[w->table->session[row] + 1]];
}

/* The turns up to REACH away in one direction, each tied to the one before on the way. */
static void take_side(struct work *w, uint32_t row, bool back)
{
    uint32_t last = w->slot[row];

    for (int away = 1; away <= REACH && row != MN_ROW_NONE; away++) {
        row = back ? turn_of(w, row)->before : turn_of(w, row)->after;
        uint32_t near = take_row(w, row, away <= BESIDE);

        if (last != NOBODY && near != NOBODY) {
            w->near[back ? last : near].before = back ? near : last;
            w->near[back ? near : last].after = back ? last : near;
        }
        last = near;
    }
}

static enum mneme_status take_rows(struct work *w, const uint32_t *rows, size_t count,
                                   struct mneme_error *err)
{
    size_t most = count * (2 * REACH + 1);

    if (most > w->table->turns)
        most = w->table->turns;
    w->slot = calloc(w->table->count + w->table->sessions.count + 2, sizeof *w->slot);
    w->near = malloc((most + 1) * sizeof *w->near);
    w->halves = malloc((most + 1) * sizeof *w->halves);
    w->place = malloc((most + 1) * sizeof *w->place);
    w->touched = malloc((most + 1) * sizeof *w->touched);
    if (!w->slot || !w->near || !w->halves || !w->place || !w->touched)
        return mn_fail_memory(err);
    w->session_slot = w->slot + w->table->count;
    w->near[NOBODY] = (struct near){ .vector = NAN };
    w->touched[0] = (struct touched){ .best = { NAN, NAN, NAN } };
    w->near_count = w->touched_count = 1;
    for (size_t i = 0; i < count; i++) {
        take_row(w, rows[i], true);
        take_side(w, rows[i], true);
        take_side(w, rows[i], false);
    }
    return MNEME_OK;
}

/* The turns that count in the sums of the sessions touched, and one bit for each. */
static enum mneme_status take_sessions(struct work *w, struct mneme_error *err)
{
    const struct mn_session_table *table = w->table;
    size_t most = 0;

    for (size_t i = 1; i < w->touched_count; i++)
        most += table->sessions.item[w->touched[i].session].turns;
    w->turn = malloc((most + 1) * sizeof *w->turn);
    w->counts = calloc(table->count / 64 + 1, sizeof *w->counts);
    if (!w->turn || !w->counts)
        return mn_fail_memory(err);
    for (size_t i = 1; i < w->touched_count; i++) {
        uint32_t row = table->sessions.item[w->touched[i].session].last;

        for (; row != MN_ROW_NONE; row = turn_of(w, row)->before) {
            if (!mn_visible_row(w->r->judged, row))
                continue;
            w->turn[w->turn_count++] = row;
            w->counts[row / 64] |= UINT64_C(1) << row % 64;
        }
    }
    return MNEME_OK;
}

/* A term that a turn which counts has so often. */
static void count_term(struct work *w, size_t t, uint32_t row, uint8_t halves)
{
    uint32_t near = w->slot[row];

    session_of(w, row)->halves[t] += halves;
    w->halves[near].of[t] = halves;
    w->near[near].has |= UINT32_C(1) << t;
}

/* A column is asked for the turns that count. */
static void read_column(struct work *w, size_t t)
{
    const struct mn_text_asked *asked = w->asked.term[t].as;

    for (size_t i = 0; i < w->turn_count; i++) {
        uint8_t halves = mn_text_column_halves(&w->r->index->text, asked->column, asked->term[0],
                                               w->turn[i]);

        if (halves)
            count_term(w, t, w->turn[i], halves);
    }
}

/* Of postings nearly all are passed over. */
static void read_postings(struct work *w)
{
    for (size_t t = 0; t < w->asked.term_count; t++) {
        struct mn_text_asked_walk walk;
        const uint32_t *posting;
        size_t count;

        if (w->asked.term[t].as->column) {
            read_column(w, t);
            continue;
        }
        mn_text_asked_begin(&w->r->index->text, w->asked.term[t].as, &walk);
        while ((count = mn_text_asked_next(&walk, &posting)) > 0)
            for (size_t i = 0; i < count; i++)
                if (w->counts[posting[i] >> 14] >> (posting[i] >> 8 & 63) & 1)
                    count_term(w, t, posting[i] >> 8, posting[i] & MN_TEXT_HALVES_MASK);
    }
}

/* ---- vectors ---- */

static void keep_best(struct touched *session, float value)
{
    for (size_t i = 0; i < BEST && !isnan(value); i++) {
        if (isnan(session->best[i]) || value > session->best[i]) {
            float lower = session->best[i];

            session->best[i] = value;
            value = lower;
        }
    }
}

/* F of the rows that count. */
static void reach_vectors(struct work *w)
{
    const struct mn_vector_index *index = &w->r->index->vector;
    float cosine;

    for (size_t i = 1; i < w->near_count; i++) {
        const struct near *ahead = &w->near[i + FETCH_AHEAD];

        if (i + FETCH_AHEAD < w->near_count && ahead->beside &&
            mn_vector_index_has(index, ahead->row))
            mn_vector_index_fetch(index, ahead->row);
        if (w->near[i].beside && mn_vector_index_has(index, w->near[i].row))
            mn_vector_index_exact(index, w->r->vector, w->near[i].row, &w->near[i].vector, &cosine);
    }
    for (size_t i = 1; i < w->near_count; i++)
        keep_best(session_of(w, w->near[i].row), w->near[i].vector);
}

/* 0: there is none. */
static float vector_of(const struct work *w, uint32_t near)
{
    return isnan(w->near[near].vector) ? 0 : w->near[near].vector;
}

/* The neighbour in one direction that may be seen; NOBODY where there is none. */
static uint32_t step(const struct work *w, uint32_t near, bool back)
{
    return back ? w->near[near].before : w->near[near].after;
}

static float session_vector(const struct work *w, uint32_t row)
{
    const struct touched *session = session_of(w, row);
    float sum = 0, count = 0;

    for (size_t i = 0; i < BEST && !isnan(session->best[i]); i++) {
        sum += session->best[i];
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static void read_vectors(const struct work *w, uint32_t near, struct mn_context *context)
{
    float sum = vector_of(w, near);

    context->has_vector = !isnan(w->near[near].vector);
    context->signal[MN_SIGNAL_VECTOR] = sum;
    for (int back = 0; back < 2; back++) {
        uint32_t first = step(w, near, back), second = step(w, first, back);

        sum += 0.5f * vector_of(w, first) + 0.25f * vector_of(w, second);
    }
    context->signal[MN_SIGNAL_VECTOR_SMOOTH] = sum;
    context->signal[MN_SIGNAL_VECTOR_SESSION] = session_vector(w, w->near[near].row);
}

/* ---- windows ---- */

/* What several turns hold together. */
struct window {
    uint32_t has; /* one bit a term */
    uint32_t whole[TERMS]; /* halves */
    uint32_t body[TERMS];
    float length, body_length;
};

/* Halves of a term that stand in a turn's head as its date, where the month is a number too in
 * Chinese. */
static uint32_t in_head(const struct work *w, const struct mn_context_term *term, uint32_t row)
{
    const struct mn_session_turn *turn = turn_of(w, row);
    bool chinese = w->r->index->language[row] == MN_LANGUAGE_ZH;

    if (!turn->month)
        return 0;
    if (!term->number)
        return !chinese && term->month == turn->month ? 2 : 0;
    return 2 * (uint32_t)((term->number == turn->day) + (term->number == turn->year) +
                          (chinese && term->number == turn->month));
}

static void add_turn(const struct work *w, uint32_t near, struct window *window)
{
    const struct near *turn = &w->near[near];
    const uint8_t *halves = w->halves[near].of;

    for (uint32_t left = turn->has; left; left &= left - 1) {
        size_t t = (size_t)__builtin_ctz(left);
        uint32_t head = in_head(w, &w->asked.term[t], turn->row);

        window->whole[t] += halves[t];
        window->body[t] += halves[t] > head ? halves[t] - head : 0;
    }
    window->has |= turn->has;
    window->length += turn->length;
    window->body_length += turn->length - turn->head;
}

/* `has`: one bit a term, at least those whose halves are not 0. */
static float bm25(const struct work *w, uint32_t has, const uint32_t *halves, bool words_only,
                  float length, float average, float k1, float b)
{
    float norm = k1 * (1 - b + b * (average > 0 ? length / average : 1)), sum = 0;

    for (; has; has &= has - 1) {
        size_t t = (size_t)__builtin_ctz(has);
        float tf = (float)halves[t] / 2;

        if (halves[t] && (w->asked.term[t].is_word || !words_only))
            sum += w->asked.term[t].weight * tf * (k1 + 1) / (tf + norm);
    }
    return sum;
}

#define K1 0.9f
#define B 0.4f
#define SESSION_K1 1.2f
#define SESSION_B 0.75f

static float covered(const struct work *w, const struct window *window)
{
    double found = 0;

    for (size_t t = 0; t < w->asked.term_count; t++)
        found += w->asked.term[t].is_word && window->body[t] ? (double)w->asked.term[t].weight : 0;
    return w->asked.words_weight > 0 ? (float)(found / w->asked.words_weight) : 0;
}

/* ---- pairs ---- */

static void find_places(struct work *w, uint32_t near)
{
    const struct mn_text_forward forward =
        mn_text_forward_of(&w->r->index->text, w->near[near].row);
    const bool *filter = w->r->text->filter[w->r->which]; /* nearly all are passed over */
    uint8_t *place = w->place[near].of;
    struct {
        uint32_t term;
        uint8_t asked;
    } sought[TERMS * MN_TEXT_SPELLINGS_MAX];
    size_t count = 0;

    w->near[near].placed = true;
    memset(place, NOWHERE, TERMS);
    for (uint32_t left = w->near[near].has; left; left &= left - 1) {
        size_t t = (size_t)__builtin_ctz(left);

        for (size_t s = 0; s < w->asked.term[t].as->term_count; s++) {
            sought[count].term = w->asked.term[t].as->term[s];
            sought[count++].asked = (uint8_t)t;
        }
    }
    for (uint32_t i = 0; i < forward.count && i + 1 < NOWHERE; i++)
        for (size_t s = 0; filter[forward.low[i] % MN_TEXT_FILTER_PLACES] && s < count; s++)
            if (sought[s].term == mn_text_forward_term(&forward, i) &&
                place[sought[s].asked] == NOWHERE)
                place[sought[s].asked] = (uint8_t)i;
}

/* Do the two follow each other closely somewhere in these turns? Within a turn the first place of
 * each counts; the end of a turn runs on into the next. */
static bool follow(struct work *w, const uint32_t around[3], size_t a, size_t b)
{
    const uint32_t both = UINT32_C(1) << a | UINT32_C(1) << b;
    int places_a[3], places_b[3], offset = 0;

    for (size_t i = 0; i < 3; i++) {
        places_a[i] = places_b[i] = -1;
        if (around[i] == NOBODY)
            continue;
        const struct near *near = &w->near[around[i]];
        if (near->has & both) {
            if (!near->placed)
                find_places(w, around[i]);
            const uint8_t *place = w->place[around[i]].of; /* NOWHERE of what it has not */

            if (place[a] != NOWHERE)
                places_a[i] = offset + place[a];
            if (place[b] != NOWHERE)
                places_b[i] = offset + place[b];
        }
        offset += (int)mn_text_forward_of(&w->r->index->text, near->row).count - (int)near->head;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            if (places_a[i] >= 0 && places_b[j] > places_a[i] &&
                places_b[j] - places_a[i] <= PAIR_GAP)
                return true;
    return false;
}

static float pairs(struct work *w, const uint32_t around[3], const struct window *window)
{
    float sum = 0;

    for (size_t i = 1; i < w->asked.order_count; i++) {
        size_t a = w->asked.order[i - 1], b = w->asked.order[i];

        if (window->body[a] && window->body[b] && follow(w, around, a, b))
            sum += fminf(w->asked.term[a].weight, w->asked.term[b].weight);
    }
    return sum;
}

/* ---- the turn by itself ---- */

/* Sum of the highest idf among its terms: of the rarest. */
static float information(const struct work *w, uint32_t row)
{
    const struct mn_text_index *text = &w->r->index->text;
    double rows = (double)mn_text_index_documents(text);
    const struct mn_text_forward forward = mn_text_forward_of(text, row);
    uint32_t rarest[RAREST];
    size_t count = 0;
    double product = 1;

    for (uint32_t i = 0; i < forward.count; i++) {
        uint32_t df = mn_text_index_df(text, mn_text_forward_term(&forward, i));
        size_t at = count < RAREST ? count++ : RAREST;

        if (at == RAREST && df >= rarest[RAREST - 1])
            continue;
        at = at == RAREST ? RAREST - 1 : at;
        for (; at && rarest[at - 1] > df; at--)
            rarest[at] = rarest[at - 1];
        rarest[at] = df;
    }
    for (size_t i = 0; i < count; i++)
        product *= 1 + (rows - (double)rarest[i] + 0.5) / ((double)rarest[i] + 0.5);
    return (float)log(product);
}

static void read_alone(const struct work *w, uint32_t row, float *signal)
{
    const struct mn_session_turn *turn = turn_of(w, row);
    const struct mn_inquiry *inquiry = w->r->inquiry;
    const struct mn_turn_cues *cues = &turn->cues;

    signal[MN_SIGNAL_SPEAKER] =
        w->asked.speaker != MN_SPEAKER_NONE && turn->speaker == w->asked.speaker;
    signal[MN_SIGNAL_LETTERS] = turn->letters;
    signal[MN_SIGNAL_INFORMATION] = information(w, row);
    signal[MN_SIGNAL_ASKS] = cues->asks;
    signal[MN_SIGNAL_ENDS_ASKING] = cues->asks_at_its_end;
    signal[MN_SIGNAL_SELF] = cues->of_self;
    signal[MN_SIGNAL_NAMES] = (float)cues->names / MN_TURN_NAMES_MAX;
    signal[MN_SIGNAL_EDGE] = (float)((turn->before == MN_ROW_NONE) + (turn->after == MN_ROW_NONE));
    signal[MN_SIGNAL_WHEN_RELATIVE] = inquiry->asks_when && cues->has_past_or_to_come;
    signal[MN_SIGNAL_WHEN_TIME] = inquiry->asks_when && cues->has_time;
    signal[MN_SIGNAL_MANY_NUMBER] = inquiry->asks_how_many && cues->has_number;
    signal[MN_SIGNAL_DATE] =
        turn->month ? mn_inquiry_fits_date(inquiry, turn->year, turn->month, turn->day) : 0;
}

/* ---- the whole ---- */

/* The windows grow from the turn to both sides; a signal is read when its window is complete. */
static void read_windows(struct work *w, uint32_t near, float *signal)
{
    uint32_t around[3] = { step(w, near, true), near, step(w, near, false) };
    uint32_t before = near, after = near;
    struct window window = { 0 };

    add_turn(w, near, &window);
    signal[MN_SIGNAL_TURN] = bm25(w, window.has, window.whole, false, window.length,
                                  (float)(w->table->length_sum / (double)w->table->turns), K1, B);
    for (int reach = 1; reach <= REACH; reach++) {
        before = step(w, before, true);
        after = step(w, after, false);
        if (before != NOBODY)
            add_turn(w, before, &window);
        if (after != NOBODY)
            add_turn(w, after, &window);
        if (reach == 1) {
            signal[MN_SIGNAL_COVERED_1] = covered(w, &window);
            signal[MN_SIGNAL_PAIRS_1] = pairs(w, around, &window);
        } else if (reach == 3) {
            signal[MN_SIGNAL_AROUND_3] =
                bm25(w, window.has, window.whole, false, window.length, w->window3_length, K1, B);
        }
    }
    signal[MN_SIGNAL_BODY_6] =
        bm25(w, window.has, window.body, true, window.body_length, w->window6_length, K1, B);
    if (around[0] != NOBODY && turn_of(w, w->near[around[0]].row)->cues.asks) {
        struct window asking = { 0 };

        add_turn(w, around[0], &asking);
        signal[MN_SIGNAL_AFTER_QUESTION] = 1;
        signal[MN_SIGNAL_ANSWERS] =
            bm25(w, asking.has, asking.body, true, asking.body_length, w->body_length, K1, B);
    }
}

static float read_session(const struct work *w, uint32_t row)
{
    uint32_t session = w->table->session[row];

    return bm25(w, UINT32_MAX, session_of(w, row)->halves, false,
                (float)w->table->sessions.item[session].length, w->session_length, SESSION_K1,
                SESSION_B);
}

static void find_averages(struct work *w)
{
    double turns = (double)w->table->turns, length = w->table->length_sum;
    double body = length - w->table->head_sum;

    w->window3_length = (float)(length / turns * (double)w->table->window3_turns / turns);
    w->window6_length = (float)(body / turns * (double)w->table->window6_turns / turns);
    w->session_length = (float)(length / (double)w->table->live_sessions);
    w->body_length = (float)(body / turns);
}

enum mneme_status mn_context_read(const struct mn_context_request *request, const uint32_t *rows,
                                  size_t count, struct mn_context *const *item,
                                  struct mneme_error *err)
{
    WORK_AUTO w = { .r = request, .table = &request->index->sessions };

    if (!count)
        return MNEME_OK;
    MN_TRY(take_rows(&w, rows, count, err));
    MN_TRY(take_sessions(&w, err));
    w.asked = mn_context_asked_read(request);
    find_averages(&w);
    read_postings(&w);
    if (request->vector)
        reach_vectors(&w);
    for (size_t i = 0; i < count; i++) {
        if (i + FETCH_AHEAD < count)
            mn_text_index_fetch(&request->index->text, rows[i + FETCH_AHEAD]);
        read_alone(&w, rows[i], item[i]->signal);
        read_windows(&w, w.slot[rows[i]], item[i]->signal);
        item[i]->signal[MN_SIGNAL_SESSION] = read_session(&w, rows[i]);
        if (request->vector)
            read_vectors(&w, w.slot[rows[i]], item[i]);
    }
    return MNEME_OK;
}
