/*
 * metrics.c - the figures of an evaluation (docs/evaluation.md).
 *
 * Shares are taken over all cases together, not as a mean of means: a case with six memories weighs
 * more than one with one. What is useful is what a case requires, orders or lists exactly, so that
 * precision is a lower bound: a memory that no case names may be useful all the same.
 *
 * The baseline is an agent without memory: it returns nothing, asks nothing, adds nothing. It finds
 * none of what is required, but is right wherever nothing is.
 */
#include "eval/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "eval/hard_rules.h"

/* ---- samples ---- */

bool mn_samples_add(struct mn_arena *arena, struct mn_samples *samples, double value)
{
    double *place = mn_array_add(arena, samples);

    if (place)
        *place = value;
    return place != NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double mn_samples_percentile(struct mn_samples *samples, double share)
{
    size_t rank = (size_t)(share * (double)samples->count);

    if (!samples->count)
        return 0;
    qsort(samples->item, samples->count, sizeof *samples->item, by_value);
    rank += (double)rank < share * (double)samples->count; /* rounded up, counted from 1 */
    return samples->item[rank ? rank - 1 : 0];
}

/* ---- gathering ---- */

static bool useful(const struct mn_golden_expect *e, const char *id)
{
    if (mn_list_holds(&e->required, id) || mn_list_holds(&e->exactly, id) ||
        mn_list_holds(&e->order, id))
        return true;
    for (size_t i = 0; i < e->merged_count; i++)
        if (mn_same(e->merged[i].survivor, id))
            return true;
    return false;
}

static void add_found(struct mn_metrics *m, const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;

    for (size_t i = 0; i < e->required.count; i++) {
        m->useful_recall.whole++;
        m->useful_recall.part += mn_outcome_at(o, e->required.item[i]) < o->answer->item_count;
    }
    if (!e->required.count && !e->exactly.count)
        return;
    m->precision.whole += o->answer->item_count;
    for (size_t i = 0; i < o->answer->item_count; i++)
        m->precision.part += useful(e, o->ids[i]);
}

/* The key of a memory that must not be shown because another answer to its key holds; "". */
static const char *contested_key(const struct mn_outcome *o, const struct mneme_pair *reason)
{
    const struct mneme_memory *memory = mn_golden_memory(o->golden, reason->name);
    bool soft = mn_same(reason->value, "conflict_loser") || mn_same(reason->value, "forced_rival") ||
                mn_same(reason->value, "clarify");

    return memory && soft ? memory->memory_key : "";
}

static void add_conflicts(struct mn_metrics *m, const struct mn_outcome *o)
{
    const struct mneme_pairs *reasons = &o->c->expect.reasons;

    for (size_t i = 0; i < reasons->count; i++) {
        const char *key = contested_key(o, &reasons->item[i]);
        bool first = !mn_empty(key), wrong = false;

        for (size_t j = 0; j < i; j++)
            first = first && !mn_same(contested_key(o, &reasons->item[j]), key);
        for (size_t j = i; first && j < reasons->count; j++)
            wrong |= mn_same(contested_key(o, &reasons->item[j]), key) &&
                     mn_outcome_at(o, reasons->item[j].name) < o->answer->item_count;
        m->conflict_error.whole += first;
        m->conflict_error.part += wrong;
    }
}

static void add_clarifications(struct mn_metrics *m, const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;

    for (size_t i = 0; i < e->clarify_keys.count + e->unasked_keys.count; i++) {
        bool wanted = i < e->clarify_keys.count;
        const char *key = wanted ? e->clarify_keys.item[i]
                                 : e->unasked_keys.item[i - e->clarify_keys.count];
        const struct mneme_conflict *conflict = mn_outcome_conflict(o, key);

        m->clarification.whole++;
        m->clarification.part += (conflict && conflict->needs_clarification) == wanted;
        m->base_clarification.whole++;
        m->base_clarification.part += !wanted;
    }
}

static bool add_stages(struct mn_metrics *m, const struct mn_outcome *o)
{
    yyjson_val *key, *us;
    size_t at, max;

    yyjson_obj_foreach(yyjson_obj_get(o->trace, "stages_us"), at, max, key, us) {
        if (at == MN_METRIC_STAGES_MAX)
            break;
        if (at == m->stage_count)
            m->stage[m->stage_count++].name = mn_arena_copy(m->arena, yyjson_get_str(key));
        if (!m->stage[at].name ||
            !mn_samples_add(m->arena, &m->stage[at].us, yyjson_get_num(us)))
            return false;
    }
    return mn_samples_add(m->arena, &m->embed_us,
                          yyjson_get_num(yyjson_obj_get(o->trace, "embed_us")));
}

enum mneme_status mn_metrics_add(struct mn_metrics *metrics, const struct mn_outcome *outcome,
                                 bool passed, bool base_passed, size_t request_tokens,
                                 int64_t added_us, struct mneme_error *err)
{
    metrics->requests++;
    metrics->passed += passed;
    metrics->base_passed += base_passed;
    metrics->memories += outcome->answer->item_count;
    metrics->tokens += outcome->answer->tokens_used;
    metrics->request_tokens += request_tokens;
    metrics->stale.whole += outcome->answer->item_count;
    metrics->stale.part += mn_outcome_stale(outcome);
    metrics->leakage.whole++;
    metrics->leakage.part += mn_outcome_leaks(outcome);
    metrics->empty.whole += outcome->c->expect.empty;
    metrics->empty.part += outcome->c->expect.empty && !outcome->answer->item_count;
    add_found(metrics, outcome);
    add_conflicts(metrics, outcome);
    add_clarifications(metrics, outcome);
    if (!add_stages(metrics, outcome) ||
        !mn_samples_add(metrics->arena, &metrics->added_us, (double)added_us))
        return mn_fail_memory(err);
    return MNEME_OK;
}

/* ---- printing ---- */

static double mean(size_t sum, size_t count)
{
    return count ? (double)sum / (double)count : 0;
}

static void put_share(struct mn_json_writer *w, const char *key, struct mn_share share)
{
    mn_json_key(w, key);
    if (share.whole)
        mn_json_put_number(w, (double)share.part / (double)share.whole, 4);
    else
        mn_json_put_null(w);
}

void mn_samples_put_ms(struct mn_json_writer *w, const char *key, struct mn_samples *samples)
{
    mn_json_key(w, key);
    mn_json_open(w, '{');
    mn_json_field_number(w, "p50", mn_samples_percentile(samples, 0.50) / 1000, 3);
    mn_json_field_number(w, "p95", mn_samples_percentile(samples, 0.95) / 1000, 3);
    mn_json_field_number(w, "p99", mn_samples_percentile(samples, 0.99) / 1000, 3);
    mn_json_close(w, '}');
}

static void put_baseline(struct mn_json_writer *w, const struct mn_metrics *m)
{
    struct mn_share none_of_required = { 0, m->useful_recall.whole };
    struct mn_share all_of_empty = { m->empty.whole, m->empty.whole };

    mn_json_key(w, "baseline");
    mn_json_open(w, '{');
    mn_json_field_integer(w, "passed", (int64_t)m->base_passed);
    put_share(w, "useful_recall", none_of_required);
    put_share(w, "clarification_accuracy", m->base_clarification);
    put_share(w, "empty_retrieval_accuracy", all_of_empty);
    mn_json_field_number(w, "tokens_per_prompt", mean(m->request_tokens, m->requests), 1);
    mn_json_close(w, '}');
}

static double tokens_share(const struct mn_metrics *m)
{
    return mean(m->tokens, m->tokens + m->request_tokens);
}

void mn_metrics_put(struct mn_json_writer *w, struct mn_metrics *metrics)
{
    mn_json_open(w, '{');
    put_share(w, "precision_at_k", metrics->precision);
    put_share(w, "useful_recall", metrics->useful_recall);
    put_share(w, "stale_rate", metrics->stale);
    put_share(w, "conflict_error_rate", metrics->conflict_error);
    put_share(w, "clarification_accuracy", metrics->clarification);
    put_share(w, "leakage_rate", metrics->leakage);
    put_share(w, "empty_retrieval_accuracy", metrics->empty);
    mn_json_field_number(w, "memories_per_prompt", mean(metrics->memories, metrics->requests), 2);
    mn_json_field_number(w, "tokens_per_prompt", mean(metrics->tokens, metrics->requests), 1);
    mn_json_field_number(w, "prompt_share", tokens_share(metrics), 4);
    mn_json_field_number(w, "tokens_per_passed_case", mean(metrics->tokens, metrics->passed), 1);
    mn_json_key(w, "stages_ms");
    mn_json_open(w, '{');
    for (size_t i = 0; i < metrics->stage_count; i++)
        mn_samples_put_ms(w, metrics->stage[i].name, &metrics->stage[i].us);
    mn_samples_put_ms(w, "embed", &metrics->embed_us);
    mn_json_close(w, '}');
    mn_samples_put_ms(w, "added_ms", &metrics->added_us);
    put_baseline(w, metrics);
    mn_json_close(w, '}');
}

static void tell_share(struct mn_buf *out, const char *name, struct mn_share share,
                       const char *without)
{
    mn_buf_printf(out, "  %-26s", name);
    if (share.whole)
        mn_buf_printf(out, "%6.3f   %zu of %zu", (double)share.part / (double)share.whole,
                      share.part, share.whole);
    else
        mn_buf_text(out, "     -");
    if (without[0])
        mn_buf_printf(out, "   (without memory %s)", without);
    mn_buf_char(out, '\n');
}

static void tell_ms(struct mn_buf *out, const char *name, struct mn_samples *us)
{
    mn_buf_printf(out, "  %-26s%9.3f %9.3f %9.3f\n", name, mn_samples_percentile(us, 0.50) / 1000,
                  mn_samples_percentile(us, 0.95) / 1000, mn_samples_percentile(us, 0.99) / 1000);
}

void mn_metrics_tell(struct mn_buf *out, struct mn_metrics *metrics)
{
    char asks_nothing[32];

    snprintf(asks_nothing, sizeof asks_nothing, "%.3f",
             mean(metrics->base_clarification.part, metrics->base_clarification.whole));
    tell_share(out, "precision at k", metrics->precision, "");
    tell_share(out, "useful recall", metrics->useful_recall, "0");
    tell_share(out, "stale rate", metrics->stale, "0");
    tell_share(out, "conflict error rate", metrics->conflict_error, "");
    tell_share(out, "clarification accuracy", metrics->clarification,
               metrics->clarification.whole ? asks_nothing : "");
    tell_share(out, "leakage rate", metrics->leakage, "0");
    tell_share(out, "empty retrieval accuracy", metrics->empty, "1");
    mn_buf_printf(out, "  %-26s%6.2f\n", "memories per prompt",
                  mean(metrics->memories, metrics->requests));
    mn_buf_printf(out, "  %-26s%6.1f   (the requests alone %.1f)\n", "tokens per prompt",
                  mean(metrics->tokens, metrics->requests),
                  mean(metrics->request_tokens, metrics->requests));
    mn_buf_printf(out, "  %-26s%6.3f\n", "share of the prompt", tokens_share(metrics));
    mn_buf_printf(out, "  %-26s%6.1f\n", "tokens per passed case",
                  mean(metrics->tokens, metrics->passed));
    mn_buf_printf(out, "  %-26s%zu of %zu\n", "passed without memory", metrics->base_passed,
                  metrics->requests);
    mn_buf_printf(out, "  %-26s%9s %9s %9s\n", "milliseconds", "p50", "p95", "p99");
    for (size_t i = 0; i < metrics->stage_count; i++)
        tell_ms(out, metrics->stage[i].name, &metrics->stage[i].us);
    tell_ms(out, "embedding (in recall)", &metrics->embed_us);
    tell_ms(out, "added to the request", &metrics->added_us);
}
