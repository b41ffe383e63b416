/*
 * phrase.c - what a request quotes, held against the texts as they stand.
 *
 * Whoever puts words in quotation marks means these words in this order; lists of terms know neither
 * order nor neighbours. Of a candidate that holds the quotation, folded, half of what its words'
 * score lacks to 1 is added, and as much of its coverage, so that text weighs more against vectors
 * for the whole request (docs/decisions/0007). With several quotations each has its share. A turn of
 * a conversation is ordered by its signals: there the quotation counts as much as the best turn's
 * own words.
 *
 * Nothing is taken from those that do not hold it: a quotation is often a message that changes with
 * every occurrence.
 */
#include "retrieve/stages.h"

#include <string.h>

#include "base/array.h"

#define LEAN 0.5
#define PHRASES_MAX 8

static enum mneme_status read_phrases(const struct mn_plan *plan, struct mn_arena *arena,
                                      const char *phrase[PHRASES_MAX], size_t *ret_count,
                                      struct mneme_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->mentions.count && count < PHRASES_MAX; i++) {
        const struct mn_mention *mention = &plan->mentions.item[i];
        struct mn_terms terms = { 0 };

        if (mention->kind != MN_MENTION_QUOTED)
            continue;
        MN_TRY(mn_text_terms(arena, mention->text.at, mention->text.bytes, &terms, err));
        if (!terms.count)
            continue;
        phrase[count] = mn_text_fold(arena, mention->text.at, mention->text.bytes);
        if (!phrase[count++])
            return mn_fail_memory(err);
    }
    *ret_count = count;
    return MNEME_OK;
}

/* The share of the phrases that stand in title or content. */
static enum mneme_status share_held(const struct mneme_memory *memory,
                                    const char *const phrase[PHRASES_MAX], size_t count,
                                    struct mn_arena *arena, double *ret_share,
                                    struct mneme_error *err)
{
    const char *title = mn_or_empty(memory->title), *content = mn_or_empty(memory->content);
    const char *in_title = mn_text_fold(arena, title, strlen(title));
    const char *in_content = mn_text_fold(arena, content, strlen(content));
    size_t held = 0;

    if (!in_title || !in_content)
        return mn_fail_memory(err);
    for (size_t p = 0; p < count; p++)
        held += mn_text_contains(in_content, phrase[p]) || mn_text_contains(in_title, phrase[p]);
    *ret_share = (double)held / (double)count;
    return MNEME_OK;
}

static float best_turn(const struct mn_candidates *found)
{
    float best = 0;

    for (size_t i = 0; i < found->count; i++) {
        const struct mn_context *context = found->item[i].context;

        if (context && context->signal[MN_SIGNAL_TURN] > best)
            best = context->signal[MN_SIGNAL_TURN];
    }
    return best;
}

static enum mneme_status lean(struct mn_candidate *c, double share, float best,
                              struct mn_arena *arena, struct mneme_error *err)
{
    c->text += (1 - c->text) * LEAN * share;
    c->coverage += (1 - c->coverage) * LEAN * share;
    if (!c->context)
        return MNEME_OK;
    struct mn_context *context = mn_arena_one(arena, struct mn_context);

    if (!context)
        return mn_fail_memory(err);
    *context = *c->context;
    context->signal[MN_SIGNAL_TURN] += best * (float)share;
    c->context = context;
    return MNEME_OK;
}

enum mneme_status mn_phrase_lean(const struct mn_plan *plan, struct mn_arena *arena,
                                 struct mn_candidates *found, struct mn_trace *trace,
                                 struct mneme_error *err)
{
    const char *phrase[PHRASES_MAX];
    size_t count = 0, holders = 0;

    MN_TRY(read_phrases(plan, arena, phrase, &count, err));
    if (!count)
        return MNEME_OK;
    float best = best_turn(found);
    for (size_t i = 0; i < found->count; i++) {
        double share = 0;

        MN_TRY(share_held(found->item[i].memory, phrase, count, arena, &share, err));
        if (share > 0)
            MN_TRY(lean(&found->item[i], share, best, arena, err));
        holders += share > 0;
    }
    mn_trace_note(trace, "text: %zu of the candidates hold quoted words as they stand", holders);
    return MNEME_OK;
}
