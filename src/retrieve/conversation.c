/*
 * conversation.c - one linear sum, its weights in one table.
 *
 * The weights are those of a study of two sets of conversations, LoCoMo (five of ten) and REALTALK,
 * fitted on both together: recipe A without vectors, B with those of the default model. The study is
 * no part of the project, and they were not fitted again on what this code computes; `mneme eval
 * recall` tells what they give. Weights fitted on one of the sets alone gave nothing on the other.
 *
 * Those for vectors and tokens are fitted on what this code computes, on LoCoMo's five alone, since
 * no other set of chats is at hand: "fitted on all" of `bench/weights` (docs/evaluation.md). Fitted
 * so on four, they bring nearly as much on the fifth (bench/RESULTS.md).
 *
 * Flags stay as they are. Text has a natural zero, no word found, and is divided by the best of the
 * pool. Cosines have none that the weights would know: they are taken between the least and the
 * best. Length and information are counted in standard deviations of the pool.
 *
 * What a turn's surroundings say orders turns, and says nothing of other memories. So the turns of
 * a pool share the relevance that they have by their own text and vectors, which is measured as
 * that of all memories is: as many turns as before stand above each fact, though not the same ones.
 *
 * Considered: trees and a small network over the same signals; no better at this size.
 */
#include "retrieve/conversation.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/sort.h"
#include "base/str.h"

enum scale {
    AS_IT_IS = 0,
    OF_BEST,    /* 0 stays 0, the best becomes 1 */
    OF_RANGE,   /* the least becomes 0, the best 1 */
    IN_SPREADS, /* away from the mean */
};

/* Of any turn of the pool; each has weights of its own. */
enum known { WORDS = 0, VECTORS, TOKENS, KNOWN_COUNT };

static const struct {
    const char *name;
    enum scale scale;
    double weight[KNOWN_COUNT]; /* A, B, and of vectors and tokens */
} WEIGHT[MN_SIGNAL_COUNT] = {
    [MN_SIGNAL_TURN] = { "turn", OF_BEST, { 2.39, 1.29, 0.51 } },
    [MN_SIGNAL_AROUND_3] = { "around_3", OF_BEST, { 1.32, 1.10, 0.68 } },
    [MN_SIGNAL_SESSION] = { "session", OF_BEST, { 1.02, 0.70, 0.42 } },
    [MN_SIGNAL_BODY_6] = { "body_6", OF_BEST, { 1.51, 1.26, 0.70 } },
    [MN_SIGNAL_COVERED_1] = { "covered_1", OF_BEST, { 0.19, 0.27, -0.34 } },
    [MN_SIGNAL_PAIRS_1] = { "pairs_1", OF_BEST, { 1.03, 0.75, 0.49 } },
    [MN_SIGNAL_ANSWERS] = { "answers", OF_BEST, { 1.10, 0.95, 1.17 } },
    [MN_SIGNAL_AFTER_QUESTION] = { "after_question", AS_IT_IS, { 0.33, 0.31, 0.29 } },
    [MN_SIGNAL_SPEAKER] = { "speaker", AS_IT_IS, { 1.31, 0.71, 0.78 } },
    [MN_SIGNAL_LETTERS] = { "letters", IN_SPREADS, { -0.28, -0.18, -0.30 } },
    [MN_SIGNAL_INFORMATION] = { "information", IN_SPREADS, { 0.50, 0.31, 0.45 } },
    [MN_SIGNAL_ASKS] = { "asks", AS_IT_IS, { -0.18, -0.16, -0.41 } },
    [MN_SIGNAL_ENDS_ASKING] = { "ends_asking", AS_IT_IS, { -0.37, -0.40, -0.50 } },
    [MN_SIGNAL_SELF] = { "self", AS_IT_IS, { 0.83, 0.91, 0.44 } },
    [MN_SIGNAL_NAMES] = { "names", AS_IT_IS, { 0.67, 0.54, 0.66 } },
    [MN_SIGNAL_EDGE] = { "edge", AS_IT_IS, { 0.63, 0.71, 0.65 } },
    [MN_SIGNAL_WHEN_RELATIVE] = { "when_relative", AS_IT_IS, { 0.75, 0.72, 0.59 } },
    [MN_SIGNAL_WHEN_TIME] = { "when_time", AS_IT_IS, { 1.18, 1.25, 1.97 } },
    [MN_SIGNAL_MANY_NUMBER] = { "many_number", AS_IT_IS, { 1.01, 0.88, 0.51 } },
    [MN_SIGNAL_DATE] = { "date", AS_IT_IS, { 2.61, 2.68, 2.83 } },
    [MN_SIGNAL_VECTOR] = { "vector", OF_RANGE, { 0, 3.37, 0.70 } },
    [MN_SIGNAL_VECTOR_SMOOTH] = { "vector_smooth", OF_RANGE, { 0, 1.37, 0.25 } },
    [MN_SIGNAL_VECTOR_SESSION] = { "vector_session", OF_RANGE, { 0, 1.05, 0.16 } },
    [MN_SIGNAL_TOKENS] = { "tokens", OF_RANGE, { 0, 0, 2.19 } },
    [MN_SIGNAL_TOKENS_1] = { "tokens_1", OF_RANGE, { 0, 0, 1.63 } },
    [MN_SIGNAL_TOKENS_3] = { "tokens_3", OF_RANGE, { 0, 0, 2.74 } },
    [MN_SIGNAL_TOKENS_SESSION] = { "tokens_session", OF_RANGE, { 0, 0, 1.44 } },
};

/* scaled = (raw - zero) / unit */
struct measure {
    double zero, unit;
};

/* Of all turns, for each signal. */
struct spread {
    double least, best, sum, squares;
};

static struct measure measure_of(enum scale scale, const struct spread *spread, double count)
{
    double mean = count > 0 ? spread->sum / count : 0;

    switch (scale) {
    case AS_IT_IS:
        break;
    case OF_BEST:
        return (struct measure){ 0, spread->best };
    case OF_RANGE:
        return (struct measure){ spread->least, spread->best - spread->least };
    case IN_SPREADS:
        return (struct measure){
            mean, count > 0 ? sqrt(fmax(spread->squares / count - mean * mean, 0)) : 0
        };
    }
    return (struct measure){ 0, 1 };
}

/* Turn by turn: what one says lies together. */
static void measure_all(const struct mn_candidates *found, struct measure measure[MN_SIGNAL_COUNT])
{
    struct spread spread[MN_SIGNAL_COUNT];
    double count = 0;

    for (int s = 0; s < MN_SIGNAL_COUNT; s++)
        spread[s] = (struct spread){ .least = INFINITY, .best = -INFINITY };
    for (size_t i = 0; i < found->count; i++) {
        const struct mn_context *context = found->item[i].context;

        if (!context)
            continue;
        for (int s = 0; s < MN_SIGNAL_COUNT; s++) {
            double value = (double)context->signal[s];

            spread[s].least = value < spread[s].least ? value : spread[s].least;
            spread[s].best = value > spread[s].best ? value : spread[s].best;
            spread[s].sum += value;
            spread[s].squares += value * value;
        }
        count++;
    }
    for (int s = 0; s < MN_SIGNAL_COUNT; s++)
        measure[s] = measure_of(WEIGHT[s].scale, &spread[s], count);
}

/* 0 where all are alike. */
static double scaled(const struct measure *measure, float raw)
{
    return measure->unit > 1e-9 ? ((double)raw - measure->zero) / measure->unit : 0;
}

/* What is known of any of them. */
static enum known known_of(const struct mn_candidates *found)
{
    enum known known = WORDS;

    for (size_t i = 0; i < found->count; i++) {
        const struct mn_context *context = found->item[i].context;

        if (context && context->has_tokens)
            return TOKENS;
        if (context && context->has_vector)
            known = VECTORS;
    }
    return known;
}

void mn_conversation_tell(const struct mn_candidates *found, struct mn_trace *trace)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    struct measure measure[MN_SIGNAL_COUNT];
    enum known known = known_of(found);

    measure_all(found, measure);
    mn_json_open(&w, '{');
    mn_json_key(&w, "names");
    mn_json_open(&w, '[');
    for (int s = 0; s < MN_SIGNAL_COUNT; s++)
        mn_json_put_text(&w, WEIGHT[s].name);
    mn_json_close(&w, ']');
    mn_json_key(&w, "weights");
    mn_json_open(&w, '[');
    for (int s = 0; s < MN_SIGNAL_COUNT; s++)
        mn_json_put_number(&w, WEIGHT[s].weight[known], 2);
    mn_json_close(&w, ']');
    mn_json_key(&w, "turns");
    mn_json_open(&w, '{');
    for (size_t i = 0; i < found->count; i++) {
        const struct mn_candidate *c = &found->item[i];

        if (!c->context)
            continue;
        mn_json_key(&w, c->memory->id);
        mn_json_open(&w, '[');
        for (int s = 0; s < MN_SIGNAL_COUNT; s++)
            mn_json_put_number(&w, scaled(&measure[s], c->context->signal[s]), 5);
        mn_json_close(&w, ']');
    }
    mn_json_close(&w, '}');
    mn_json_close(&w, '}');
    trace->signals = out.failed ? NULL : mn_arena_copy_n(trace->arena, out.at, out.bytes);
    if (!trace->signals)
        trace->truncated = true;
}

void mn_conversation_score(struct mn_candidates *found)
{
    struct measure measure[MN_SIGNAL_COUNT];
    enum known known = known_of(found);
    double best = 0;

    measure_all(found, measure);
    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];

        c->conversation = 0;
        for (int s = 0; c->context && s < MN_SIGNAL_COUNT; s++)
            c->conversation +=
                WEIGHT[s].weight[known] * scaled(&measure[s], c->context->signal[s]);
    }
    for (size_t i = 0; i < found->count; i++)
        best = fmax(best, found->item[i].conversation);
    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];

        c->conversation = best > 0 && c->conversation > 0 ? c->conversation / best : 0;
    }
}

/* ---- among all memories ---- */

/* Equal relevance, as of all turns that hold no word, is parted by this much of the figure. */
#define PARTED 0.001

struct standing {
    double conversation;
    double relevance;
    const char *id;
    size_t at;
};

static inline bool is_more_relevant(const struct standing *a, const struct standing *b)
{
    return a->relevance > b->relevance;
}
MN_SORT_OF(sort_by_relevance, struct standing, is_more_relevant)

static inline bool is_ahead(const struct standing *a, const struct standing *b)
{
    return a->conversation != b->conversation ? a->conversation > b->conversation
                                              : strcmp(a->id, b->id) < 0;
}
MN_SORT_OF(sort_by_conversation, struct standing, is_ahead)

enum mneme_status mn_conversation_apply(struct mn_candidates *found, struct mn_arena *arena,
                                        struct mneme_error *err)
{
    struct standing *turn = mn_arena_array(arena, struct standing, 2 * found->count + 1);
    double *relevance = mn_arena_array(arena, double, found->count + 1);
    size_t count = 0;

    if (!turn || !relevance)
        return mn_fail_memory(err);
    mn_conversation_score(found);
    for (size_t i = 0; i < found->count; i++) {
        const struct mn_candidate *c = &found->item[i];

        if (c->context)
            turn[count++] =
                (struct standing){ c->conversation, c->parts.relevance, c->memory->id, i };
    }
    sort_by_relevance(turn, count, turn + found->count);
    for (size_t i = 0; i < count; i++)
        relevance[i] = turn[i].relevance;
    sort_by_conversation(turn, count, turn + found->count);
    for (size_t i = 0; i < count; i++)
        found->item[turn[i].at].parts.relevance =
            (1 - PARTED) * relevance[i] + PARTED * turn[i].conversation;
    return MNEME_OK;
}
