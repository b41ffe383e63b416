/*
 * token_likeness.c - the turns that lead, held against the request word by word.
 *
 * A vector says what a turn is about as a whole. The states of its tokens, which went into it, say
 * it word by word: for every word of the request the best likeness that any word of the turn has.
 * That is asked of the TURNS_MAX turns that lead by the other signals, since it has to be read from
 * the store, and of the turns around them as far as they are among those.
 *
 * A word counts the more the fewer of these turns hold it; how many of all turns do is kept
 * nowhere.
 *
 * A turn whose codes are not there (yet), or that is not among the leading, gets what turns of its
 * standing have: a line is laid through those that were measured, by their figure without this. So
 * it neither gains nor loses a place by it. Where less than half could be measured, nothing is
 * said.
 *
 * What fails here is left out: without it turns are ranked by the other signals.
 */
#include "retrieve/sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "index/index.h"
#include "retrieve/conversation.h"
#include "search/token_match.h"
#include "store/store.h"

#define TURNS_MAX 100
#define NEAR 1
#define AROUND 3

static const enum mn_signal SIGNAL[] = { MN_SIGNAL_TOKENS, MN_SIGNAL_TOKENS_1, MN_SIGNAL_TOKENS_3,
                                         MN_SIGNAL_TOKENS_SESSION };
#define SIGNALS (sizeof SIGNAL / sizeof *SIGNAL)

struct turn {
    struct mn_candidate *candidate;
    struct mn_str codes;
    float best[MN_TOKENS_REQUEST_MAX];
    bool has[MN_TOKENS_REQUEST_MAX];
};

struct likeness {
    struct mn_token_request request;
    float weight[MN_TOKENS_REQUEST_MAX];
    struct turn *turn;
    size_t count;
};

static int leading_first(const void *left, const void *right)
{
    const struct mn_candidate *a = *(struct mn_candidate *const *)left;
    const struct mn_candidate *b = *(struct mn_candidate *const *)right;

    if (a->conversation != b->conversation)
        return a->conversation < b->conversation ? 1 : -1;
    return strcmp(a->memory->id, b->memory->id);
}

static int by_place(const void *left, const void *right)
{
    const struct mn_candidate *a = ((const struct turn *)left)->candidate;
    const struct mn_candidate *b = ((const struct turn *)right)->candidate;

    if (a->shared != b->shared)
        return a->shared ? 1 : -1;
    int session = strcmp(a->session_id, b->session_id);

    if (session)
        return session;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->memory->id, b->memory->id);
}

static bool same_session(const struct turn *a, const struct turn *b)
{
    return a->candidate->shared == b->candidate->shared &&
           !strcmp(a->candidate->session_id, b->candidate->session_id);
}

/* ---- reading ---- */

/* Turns that have a vector of what they say now; *ret_count: how many lead. */
static enum mneme_status take_leading(struct mn_sourcing *s, struct likeness *l, size_t *ret_count,
                                      struct mneme_error *err)
{
    struct mn_candidates *found = &s->pool->found;
    struct mn_candidate **leading =
        mn_arena_array(s->arena, struct mn_candidate *, found->count + 1);
    size_t count = 0;

    if (!leading)
        return mn_fail_memory(err);
    mn_conversation_score(found);
    for (size_t i = 0; i < found->count; i++)
        if (found->item[i].context)
            leading[count++] = &found->item[i];
    qsort(leading, count, sizeof *leading, leading_first);
    count = count < TURNS_MAX ? count : TURNS_MAX;
    l->turn = mn_arena_array(s->arena, struct turn, count + 1);
    if (!l->turn)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (leading[i]->context->has_vector)
            l->turn[l->count++].candidate = leading[i];
    *ret_count = count;
    return MNEME_OK;
}

/* Codes of the turns of one partition, whose turns stand side by side; those without leave. */
static enum mneme_status read_codes(struct mn_sourcing *s, struct likeness *l, bool shared,
                                    struct mneme_error *err)
{
    const struct mn_partition partition = { s->access->tenant, shared ? "" : s->access->user };
    const char **ids = mn_arena_array(s->arena, const char *, l->count + 1);
    struct mn_str *codes = mn_arena_array(s->arena, struct mn_str, l->count + 1);
    size_t first = 0, count = 0;

    if (!ids || !codes)
        return mn_fail_memory(err);
    while (first < l->count && l->turn[first].candidate->shared != shared)
        first++;
    while (first + count < l->count && l->turn[first + count].candidate->shared == shared) {
        ids[count] = l->turn[first + count].candidate->memory->id;
        count++;
    }
    if (!count)
        return MNEME_OK;
    MN_TRY(s->world->store->ops->tokens_get(s->world->store, partition, ids, count,
                                            mn_index_profile(s->world),
                                            mn_index_tokens_profile(s->world), s->arena, codes,
                                            err));
    for (size_t i = 0; i < count; i++)
        l->turn[first + i].codes = codes[i];
    return MNEME_OK;
}

static void drop_without(struct likeness *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->count; i++)
        if (l->turn[i].codes.bytes &&
            mn_token_codes_whole(l->turn[i].codes.at, l->turn[i].codes.bytes))
            l->turn[kept++] = l->turn[i];
    l->count = kept;
}

/* ---- measuring ---- */

static void match_all(struct likeness *l)
{
    for (size_t i = 0; i < l->count; i++)
        mn_token_match(&l->request, l->turn[i].codes.at, l->turn[i].codes.bytes, l->turn[i].best,
                       l->turn[i].has);
}

static void weigh_words(struct likeness *l)
{
    double sum = 0;

    for (size_t t = 0; t < l->request.count; t++) {
        double held = 0, all = (double)l->count;

        for (size_t i = 0; i < l->count; i++)
            held += l->turn[i].has[t];
        l->weight[t] = (float)log(1 + (all - held + 0.5) / (held + 0.5));
        sum += (double)l->weight[t];
    }
    for (size_t t = 0; t < l->request.count; t++)
        l->weight[t] = (float)((double)l->weight[t] / sum);
}

static float sum_of(const struct likeness *l, const float *best)
{
    float sum = 0;

    for (size_t t = 0; t < l->request.count; t++)
        sum += l->weight[t] * best[t];
    return sum;
}

static void raise_by(const struct likeness *l, const struct turn *turn, float *best)
{
    for (size_t t = 0; t < l->request.count; t++)
        best[t] = fmaxf(best[t], turn->best[t]);
}

/* The best of the turns from `first` to `end` whose place is at most `reach` away. */
static float best_within(const struct likeness *l, size_t at, size_t first, size_t end,
                         int64_t reach)
{
    int64_t order = l->turn[at].candidate->order;
    float best[MN_TOKENS_REQUEST_MAX] = { 0 };

    for (size_t i = at; i > first && order - l->turn[i - 1].candidate->order <= reach; i--)
        raise_by(l, &l->turn[i - 1], best);
    for (size_t i = at; i < end && l->turn[i].candidate->order - order <= reach; i++)
        raise_by(l, &l->turn[i], best);
    return sum_of(l, best);
}

/* One session's, which stand side by side in their order. */
static void measure_session(const struct likeness *l, size_t first, size_t end)
{
    float best[MN_TOKENS_REQUEST_MAX] = { 0 };

    for (size_t i = first; i < end; i++)
        raise_by(l, &l->turn[i], best);
    for (size_t i = first; i < end; i++) {
        float *signal = l->turn[i].candidate->context->signal;

        signal[MN_SIGNAL_TOKENS] = sum_of(l, l->turn[i].best);
        signal[MN_SIGNAL_TOKENS_1] = best_within(l, i, first, end, NEAR);
        signal[MN_SIGNAL_TOKENS_3] = best_within(l, i, first, end, AROUND);
        signal[MN_SIGNAL_TOKENS_SESSION] = sum_of(l, best);
        l->turn[i].candidate->context->has_tokens = true;
    }
}

static void measure_all(const struct likeness *l)
{
    for (size_t first = 0, end; first < l->count; first = end) {
        for (end = first + 1; end < l->count && same_session(&l->turn[first], &l->turn[end]);)
            end++;
        measure_session(l, first, end);
    }
}

/* ---- those that were not measured ---- */

struct line {
    double at, mean, slope, least, most;
};

static struct line line_of(const struct likeness *l, enum mn_signal signal)
{
    struct line line = { 0, 0, 0, INFINITY, -INFINITY };
    double squares = 0, products = 0, count = (double)l->count;

    for (size_t i = 0; i < l->count; i++) {
        double value = (double)l->turn[i].candidate->context->signal[signal];

        line.at += l->turn[i].candidate->conversation / count;
        line.mean += value / count;
        line.least = fmin(line.least, value);
        line.most = fmax(line.most, value);
    }
    for (size_t i = 0; i < l->count; i++) {
        const struct mn_candidate *c = l->turn[i].candidate;
        double away = c->conversation - line.at;

        squares += away * away;
        products += away * ((double)c->context->signal[signal] - line.mean);
    }
    line.slope = squares > 1e-12 ? products / squares : 0;
    return line;
}

static void impute(const struct likeness *l, struct mn_candidates *found)
{
    for (size_t k = 0; k < SIGNALS; k++) {
        struct line line = line_of(l, SIGNAL[k]);

        for (size_t i = 0; i < found->count; i++) {
            struct mn_candidate *c = &found->item[i];
            double value = line.mean + line.slope * (c->conversation - line.at);

            if (c->context && !c->context->has_tokens)
                c->context->signal[SIGNAL[k]] =
                    (float)fmin(fmax(value, line.least), line.most);
        }
    }
}

enum mneme_status mn_source_token_likeness(struct mn_sourcing *s, struct mneme_error *err)
{
    struct likeness l = { .count = 0 };
    size_t leading = 0;

    if (!s->codes.bytes)
        return MNEME_OK;
    int64_t begun_us = mn_clock_monotonic_us();
    MN_TRY(take_leading(s, &l, &leading, err));
    if (!leading)
        return MNEME_OK;
    qsort(l.turn, l.count, sizeof *l.turn, by_place);
    MN_TRY(read_codes(s, &l, false, err));
    MN_TRY(read_codes(s, &l, true, err));
    drop_without(&l);
    s->trace->tokens.turns = leading;
    s->trace->tokens.measured = l.count;
    if (2 * l.count >= leading) {
        MN_TRY(mn_token_request_make(s->codes.at, s->codes.bytes, s->arena, &l.request, err));
        match_all(&l);
        weigh_words(&l);
        measure_all(&l);
        impute(&l, &s->pool->found);
    }
    s->trace->tokens.us = mn_clock_monotonic_us() - begun_us;
    return MNEME_OK;
}
