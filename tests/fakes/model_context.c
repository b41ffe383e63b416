/*
 * model_context.c - the turns around a turn, looked up anew for every figure. Meant to be read
 * beside context_signals.h; shares what reads a text with the engine it checks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "fakes/model_items.h"
#include "text/turn.h"

struct conversation {
    struct scored **turn;
    size_t count;
    size_t at; /* the turn in question */
};

static bool is_turn(const struct scored *s)
{
    return s->item->unit.is_event;
}

static bool of_session(const struct scored *a, const struct scored *b)
{
    return a == b ||
           (a->box == b->box && is_turn(a) && is_turn(b) && !mn_empty(a->item->unit.session_id) &&
            mn_same(a->item->unit.session_id, b->item->unit.session_id));
}

static struct conversation conversation_of(const struct pool *pool, const struct scored *one)
{
    struct conversation c = { .turn = must(calloc(pool->count, sizeof *c.turn)) };

    for (size_t i = 0; i < pool->count; i++) {
        struct scored *s = &pool->item[i];
        size_t at = c.count;

        if (!of_session(one, s))
            continue;
        for (; at && c.turn[at - 1]->item->unit.order > s->item->unit.order; at--)
            c.turn[at] = c.turn[at - 1];
        c.turn[at] = s;
        c.count++;
    }
    while (c.turn[c.at] != one)
        c.at++;
    return c;
}

/* ---- turns that come along ---- */

static bool by_words(const struct scored *s)
{
    return s->hit.text_rank > 0;
}

void model_context_around(struct pool *pool, const struct mn_query *query)
{
    double *brought = must(calloc(pool->count + 1, sizeof *brought));
    size_t rank = 0;

    for (size_t i = 0; query->around_k && i < pool->count; i++) {
        if (!by_words(&pool->item[i]))
            continue;
        rank++;
        if (!is_turn(&pool->item[i]))
            continue;
        struct conversation c = conversation_of(pool, &pool->item[i]);
        for (size_t j = 0; j < c.count; j++) {
            size_t away = j > c.at ? j - c.at : c.at - j;

            if (away >= 1 && away <= 3)
                brought[c.turn[j] - pool->item] += pool->item[i].hit.text / (double)away;
        }
        free(c.turn);
    }
    for (size_t n = 0; n < query->around_k; n++) {
        size_t best = pool->count;

        for (size_t i = 0; i < pool->count; i++)
            if (pool->item[i].seen_as_text && !by_words(&pool->item[i]) && brought[i] > 0 &&
                (best == pool->count || brought[i] > brought[best]))
                best = i;
        if (best == pool->count)
            break;
        pool->item[best].hit.text_rank = ++rank;
    }
    free(brought);
}

/* ---- what a request says ---- */

struct asking {
    const struct pool *pool;
    const struct mn_query *query;
    struct sought *sought;
    size_t count;
    const struct box *box;
    bool *is_word; /* by sought */
};

/* In how few rows it stands decides what is looked at; here all of it is. */
static bool is_there(const struct asking *a, size_t t)
{
    for (size_t i = 0; i < a->pool->count; i++)
        if (a->pool->item[i].box == a->box &&
            model_sought_in(a->pool, &a->sought[t], &a->pool->item[i]))
            return true;
    return false;
}

static bool names_speaker(const struct pool *pool, const struct box *box, uint64_t hash,
                          const char *speaker)
{
    for (size_t i = 0; i < pool->count; i++) {
        const char *name = pool->item[i].item->unit.speaker;
        struct mn_arena *arena = pool->item[i].item->arena;
        struct mn_terms terms = { 0 };

        if (pool->item[i].box != box || !is_turn(&pool->item[i]) || mn_empty(name) ||
            (speaker && strcmp(name, speaker)))
            continue;
        assert(mn_text_query_terms(arena, name, strlen(name), &terms, NULL) == MNEME_OK);
        for (size_t t = 0; t < terms.count; t++)
            if (terms.item[t].hash == hash && terms.item[t].kind == MN_TERM_WORD)
                return true;
    }
    return false;
}

static void read_asking(struct asking *a)
{
    size_t words = 0;

    for (size_t t = 0; t < a->count; t++) {
        a->is_word[t] =
            is_there(a, t) && !names_speaker(a->pool, a->box, a->sought[t].term->hash, NULL);
        words += a->is_word[t];
    }
    for (size_t t = 0; t < a->count && !words; t++)
        a->is_word[t] = is_there(a, t);
}

static double weight(const struct asking *a, size_t t)
{
    return a->sought[t].weight * a->sought[t].factor;
}

/* ---- windows ---- */

static double tf(const struct asking *a, size_t t, const struct scored *s, bool body)
{
    const struct word *word = model_sought_in(a->pool, &a->sought[t], s);

    if (!word)
        return 0;
    return word->tf - (body && a->sought[t].factor == 1 ? word->date_tf : 0);
}

/* From the turn to one side, as far as what stands there may be seen. */
static size_t reach_back(const struct conversation *c, size_t reach)
{
    size_t from = c->at;

    while (from && c->at - from < reach && c->turn[from - 1]->chosen)
        from--;
    return from;
}

static size_t reach_on(const struct conversation *c, size_t reach)
{
    size_t until = c->at + 1;

    while (until < c->count && until - c->at <= reach && c->turn[until]->chosen)
        until++;
    return until;
}

static double length_of(const struct scored *s, bool body)
{
    return body ? s->item->body_length : s->item->length;
}

/* Mean length of a window over all turns, if all were of one length. */
static double average(const struct asking *a, size_t reach, bool body)
{
    double lengths = 0, turns = 0, in_windows = 0;

    for (size_t i = 0; i < a->pool->count; i++) {
        const struct scored *s = &a->pool->item[i];

        if (s->box != a->box || !is_turn(s))
            continue;
        struct conversation c = conversation_of(a->pool, s);
        lengths += length_of(s, body);
        turns++;
        for (size_t j = 0; j < c.count; j++)
            in_windows += (j > c.at ? j - c.at : c.at - j) <= reach;
        free(c.turn);
    }
    return lengths / turns * in_windows / turns;
}

static double bm25(const struct asking *a, struct scored *const *turn, size_t count, bool body,
                   double length, double mean, double k1, double b)
{
    double sum = 0;

    for (size_t t = 0; t < a->count; t++) {
        double frequency = 0;

        for (size_t i = 0; i < count; i++)
            frequency += tf(a, t, turn[i], body);
        if (frequency > 0 && (!body || a->is_word[t]))
            sum += weight(a, t) * frequency * (k1 + 1) /
                   (frequency + k1 * (1 - b + b * (mean > 0 ? length / mean : 1)));
    }
    return sum;
}

static double window_bm25(const struct asking *a, const struct conversation *c, size_t reach,
                          bool body)
{
    size_t from = reach_back(c, reach), until = reach_on(c, reach);
    double length = 0;

    for (size_t i = from; i < until; i++)
        length += length_of(c->turn[i], body);
    return bm25(a, c->turn + from, until - from, body, length, average(a, reach, body), 0.9, 0.4);
}

static double session_bm25(const struct asking *a, const struct conversation *c)
{
    struct scored **seen = must(calloc(c->count + 1, sizeof(struct scored *)));
    double length = 0, sessions = 0, lengths = 0;
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++) {
        length += c->turn[i]->item->length;
        if (c->turn[i]->chosen)
            seen[count++] = c->turn[i];
    }
    for (size_t i = 0; i < a->pool->count; i++) {
        const struct scored *s = &a->pool->item[i];

        if (s->box != a->box || !is_turn(s))
            continue;
        struct conversation other = conversation_of(a->pool, s);
        sessions += other.at == 0;
        lengths += s->item->length;
        free(other.turn);
    }
    double score = bm25(a, seen, count, false, length, lengths / sessions, 1.2, 0.75);
    free(seen);
    return score;
}

static double covered(const struct asking *a, const struct conversation *c)
{
    double all = 0, found = 0;

    for (size_t t = 0; t < a->count; t++) {
        double frequency = 0;

        for (size_t i = reach_back(c, 1); i < reach_on(c, 1); i++)
            frequency += tf(a, t, c->turn[i], true);
        all += a->is_word[t] ? weight(a, t) : 0;
        found += a->is_word[t] && frequency > 0 ? weight(a, t) : 0;
    }
    return all > 0 ? found / all : 0;
}

/* Ordinal of the first place of a term among the different terms of a turn; -1: not there. */
static int place(const struct asking *a, size_t t, const struct scored *s)
{
    int side = s->box == a->pool->item[0].box ? 0 : 1;

    for (size_t w = 0; w < s->item->word_count && w < 254; w++)
        for (size_t h = 0; h < a->sought[t].count[side]; h++)
            if (s->item->word[w].hash == a->sought[t].hash[side][h])
                return (int)w;
    return -1;
}

static bool follow(const struct asking *a, const struct conversation *c, size_t x, size_t y)
{
    size_t from = reach_back(c, 1), until = reach_on(c, 1);
    int before = 0;

    for (size_t i = from; i < until; i++) {
        int at = place(a, x, c->turn[i]), behind = before;

        for (size_t j = i; j < until; j++) {
            int other = place(a, y, c->turn[j]);

            if (at >= 0 && other >= 0 && behind + other > before + at &&
                behind + other - before - at <= 8)
                return true;
            behind += (int)c->turn[j]->item->word_count -
                      (int)(float)(c->turn[j]->item->length - c->turn[j]->item->body_length);
        }
        before += (int)c->turn[i]->item->word_count -
                  (int)(float)(c->turn[i]->item->length - c->turn[i]->item->body_length);
    }
    return false;
}

static double pairs(const struct asking *a, const struct conversation *c)
{
    size_t last = a->count;
    double sum = 0;

    for (size_t t = 0; t < a->count; t++) {
        double x = 0, y = 0;

        if (!a->is_word[t] || a->sought[t].term->kind == MN_TERM_HAN)
            continue;
        for (size_t i = reach_back(c, 1); last < a->count && i < reach_on(c, 1); i++) {
            x += tf(a, last, c->turn[i], true);
            y += tf(a, t, c->turn[i], true);
        }
        if (x > 0 && y > 0 && follow(a, c, last, t))
            sum += fmin(weight(a, last), weight(a, t));
        last = t;
    }
    return sum;
}

/* ---- one turn ---- */

static double information(const struct asking *a, const struct scored *s)
{
    double best[5] = { 0 }, rows = 0;

    for (size_t i = 0; i < a->pool->count; i++)
        rows += a->pool->item[i].box == a->box;
    for (size_t w = 0; w < s->item->word_count; w++) {
        double df = 0;

        for (size_t i = 0; i < a->pool->count; i++)
            df += a->pool->item[i].box == a->box &&
                  model_word_of(a->pool->item[i].item, s->item->word[w].hash);
        double idf = log(1 + (rows - df + 0.5) / (df + 0.5));
        for (size_t b = 0; b < 5; b++) {
            if (idf > best[b]) {
                double lower = best[b];

                best[b] = idf;
                idf = lower;
            }
        }
    }
    return best[0] + best[1] + best[2] + best[3] + best[4];
}

static bool speaks(const struct asking *a, const struct scored *s)
{
    const char *named = NULL;

    for (size_t i = 0; i < a->pool->count; i++) {
        const struct scored *other = &a->pool->item[i];
        bool is_named = false;

        if (other->box != a->box || !is_turn(other) || mn_empty(other->item->unit.speaker))
            continue;
        for (size_t t = 0; t < a->count; t++)
            is_named |=
                names_speaker(a->pool, a->box, a->sought[t].term->hash, other->item->unit.speaker);
        if (is_named && named && strcmp(named, other->item->unit.speaker))
            return false;
        if (is_named)
            named = other->item->unit.speaker;
    }
    return named && mn_same(named, s->item->unit.speaker);
}

static void read_alone(const struct asking *a, const struct conversation *c,
                       struct mn_context *context)
{
    static const struct mn_inquiry nothing = { 0 };
    const struct mn_inquiry *inquiry = a->query->inquiry ? a->query->inquiry : &nothing;
    const struct scored *s = c->turn[c->at];
    const char *text = mn_or_empty(s->item->unit.memory.content);
    struct mn_turn_cues cues = mn_turn_read(text, strlen(text));
    int64_t at_ms = s->item->unit.memory.event_time_ms;
    int year, month, day;
    size_t letters = 0;

    for (const char *at = text; *at; at++)
        letters += ((unsigned char)*at & 0xc0) != 0x80;
    mn_civil_from_days((int64_t)floor((double)at_ms / (double)MN_DAY_MS), &year, &month, &day);
    context->signal[MN_SIGNAL_SPEAKER] = speaks(a, s);
    context->signal[MN_SIGNAL_LETTERS] = (float)log(1 + (double)letters);
    context->signal[MN_SIGNAL_INFORMATION] = (float)information(a, s);
    context->signal[MN_SIGNAL_ASKS] = cues.asks;
    context->signal[MN_SIGNAL_ENDS_ASKING] = cues.asks_at_its_end;
    context->signal[MN_SIGNAL_SELF] = cues.of_self;
    context->signal[MN_SIGNAL_NAMES] = (float)cues.names / 3;
    context->signal[MN_SIGNAL_EDGE] = (float)((c->at == 0) + (c->at + 1 == c->count));
    context->signal[MN_SIGNAL_WHEN_RELATIVE] = inquiry->asks_when && cues.has_past_or_to_come;
    context->signal[MN_SIGNAL_WHEN_TIME] = inquiry->asks_when && cues.has_time;
    context->signal[MN_SIGNAL_MANY_NUMBER] = inquiry->asks_how_many && cues.has_number;
    context->signal[MN_SIGNAL_DATE] = at_ms ? mn_inquiry_fits_date(inquiry, year, month, day) : 0;
}

static void read_words(const struct asking *a, const struct conversation *c,
                       struct mn_context *context)
{
    context->signal[MN_SIGNAL_TURN] = (float)window_bm25(a, c, 0, false);
    context->signal[MN_SIGNAL_AROUND_3] = (float)window_bm25(a, c, 3, false);
    context->signal[MN_SIGNAL_SESSION] = (float)session_bm25(a, c);
    context->signal[MN_SIGNAL_BODY_6] = (float)window_bm25(a, c, 6, true);
    context->signal[MN_SIGNAL_COVERED_1] = (float)covered(a, c);
    context->signal[MN_SIGNAL_PAIRS_1] = (float)pairs(a, c);
    if (reach_back(c, 1) < c->at) {
        struct conversation before = { c->turn, c->count, c->at - 1 };
        const char *text = mn_or_empty(before.turn[before.at]->item->unit.memory.content);

        if (mn_turn_read(text, strlen(text)).asks) {
            context->signal[MN_SIGNAL_AFTER_QUESTION] = 1;
            context->signal[MN_SIGNAL_ANSWERS] = (float)window_bm25(a, &before, 0, true);
        }
    }
}

/* ---- vectors ---- */

static double vector(const struct conversation *c, size_t from, size_t until, size_t i)
{
    return i >= from && i < until && c->turn[i]->hit.has_vector ? c->turn[i]->hit.vector : 0;
}

static bool asked_for(const struct scored *s, const char *const *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (s->chosen && !strcmp(s->item->unit.id, ids[i]))
            return true;
    return false;
}

static void read_vectors(const struct conversation *c, const char *const *ids, size_t count,
                         struct mn_context *context)
{
    size_t from = reach_back(c, 2), until = reach_on(c, 2), at = c->at + 2;
    double sum = vector(c, from, until, c->at), best[3] = { -9, -9, -9 }, mean = 0;
    int known = 0;

    context->has_vector = c->turn[c->at]->hit.has_vector;
    context->signal[MN_SIGNAL_VECTOR] = (float)sum;
    for (size_t away = 1; away <= 2; away++)
        sum += ((at >= away + 2 ? vector(c, from, until, c->at - away) : 0) +
                vector(c, from, until, c->at + away)) /
               (double)(2 * away);
    context->signal[MN_SIGNAL_VECTOR_SMOOTH] = (float)sum;
    for (size_t i = 0; i < c->count; i++) {
        bool beside = false;
        double value = c->turn[i]->hit.vector;

        for (size_t j = i < 2 ? 0 : i - 2; j < c->count && j <= i + 2; j++)
            beside |= asked_for(c->turn[j], ids, count);
        if (!beside || !c->turn[i]->chosen || !c->turn[i]->hit.has_vector)
            continue;
        for (size_t b = 0; b < 3; b++) {
            if (value > best[b]) {
                double lower = best[b];

                best[b] = value;
                value = lower;
            }
        }
    }
    for (size_t b = 0; b < 3 && best[b] > -9; b++) {
        mean += best[b];
        known++;
    }
    context->signal[MN_SIGNAL_VECTOR_SESSION] = (float)(known ? mean / known : 0);
}

/* ---- the whole ---- */

void model_context_read(const struct pool *pool, const struct mn_query *query,
                        const char *const *ids, size_t count, struct mn_arena *arena,
                        struct mn_contexts *ret_contexts)
{
    size_t terms = query->terms ? query->terms->count : 0;
    struct asking a = { .pool = pool,
                        .query = query,
                        .sought = must(calloc(terms + 1, sizeof *a.sought)),
                        .is_word = must(calloc(terms + 1, sizeof *a.is_word)) };
    struct mn_contexts contexts = { 0 };

    a.count = model_seek(pool, query->terms, a.sought);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < pool->count; j++) {
            struct scored *s = &pool->item[j];

            if (strcmp(s->item->unit.id, ids[i]) || !s->chosen || !is_turn(s))
                continue;
            struct conversation c = conversation_of(pool, s);
            struct mn_context *context = must(mn_array_add(arena, &contexts));
            context->id = ids[i];
            a.box = s->box;
            read_asking(&a);
            read_alone(&a, &c, context);
            read_words(&a, &c, context);
            read_vectors(&c, ids, count, context);
            free(c.turn);
            break; /* the own partition's goes before the shared one's */
        }
    }
    free(a.sought);
    free(a.is_word);
    *ret_contexts = contexts;
}

void model_context_adjacent(const struct pool *pool, const char *id,
                            const struct mn_unit *ret_beside[2])
{
    ret_beside[0] = ret_beside[1] = NULL;
    for (size_t j = 0; j < pool->count; j++) {
        const struct scored *s = &pool->item[j];

        if (strcmp(s->item->unit.id, id))
            continue;
        struct conversation c = conversation_of(pool, s);
        if (is_turn(s) && c.at > 0 && c.turn[c.at - 1]->chosen)
            ret_beside[0] = &c.turn[c.at - 1]->item->unit;
        if (is_turn(s) && c.at + 1 < c.count && c.turn[c.at + 1]->chosen)
            ret_beside[1] = &c.turn[c.at + 1]->item->unit;
        free(c.turn);
        break; /* the own partition's goes before the shared one's */
    }
}
