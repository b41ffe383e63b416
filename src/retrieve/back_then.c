/*
 * back_then.c - what was at a time, told by something else that was then, or named and no more.
 *
 * "What else happened on the day I adopted Luna?" (text/then.h decides) names no day. One of the best
 * found that has half of the event's words tells when it was: by a date in its words, which a turn
 * means by the day it was said, or by the time of what it records. Then the index is asked for what
 * happened in that time, by the other words of the request, by its vector and however unlike:
 * at most MN_STEP_BRINGS_MAX candidates, which pass the same walls and stages as all others. They
 * are as near to the request as the memory that gave the day, one hop further, and the more so the
 * nearer they are themselves; the time lifts and lowers as one does that the request names.
 *
 * "What did I do last week?" names its time and nothing to be like, so that likeness brings little of
 * it: it is asked in the same way, and what comes counts by its own scores. So is "What happened?" with
 * the range given as a field.
 */
#include "retrieve/sources.h"

#include <string.h>

#include "graph/graph.h"
#include "text/then.h"

#define FIRST 8
#define OWN_SHARE (1 - MN_GRAPH_HOP_FACTOR)
#define INSTANT_MS 1

struct event {
    const struct mn_candidate *told_by;
    int64_t from_ms, until_ms; /* what was asked for beside it */
};

/* ---- when it was ---- */

/* "to 2026-05-07" behind a date: the end of the range. */
static int64_t end_of_range(const char *behind, int64_t said_ms, const char *zone, int64_t until_ms)
{
    static const char *const joins[] = { "to",  "until", "till", "through", "and", "-",
                                         "–", "~",     "至",  "到" };
    const char *at = behind + strspn(behind, " ");

    for (size_t i = 0; i < sizeof joins / sizeof joins[0]; i++)
        if (!strncmp(at, joins[i], strlen(joins[i]))) {
            at += strlen(joins[i]);
            at += strspn(at, " ");
            struct mn_when last = mn_when_find(at, said_ms, zone);
            return last.found && last.phrase.at == at && last.until_ms > until_ms ? last.until_ms
                                                                                  : until_ms;
        }
    return until_ms;
}

/* How well a memory tells when it was: by a date in its words, or by the time it has itself. */
enum told { TOLD_NOT = 0, TOLD_BY_TIME, TOLD_BY_WORDS };

/* When what the memory, or the turn, tells was. */
static enum mneme_status read_when(struct mn_sourcing *s, const struct mneme_memory *m,
                                   bool is_event, struct event *event, enum told *ret_told,
                                   struct mneme_error *err)
{
    const char *content = mn_or_empty(m->content);
    const char *folded = mn_text_fold(s->arena, content, strlen(content));
    int64_t said_ms = is_event && m->event_time_ms ? m->event_time_ms : m->created_at_ms;

    if (!folded)
        return mn_fail_memory(err);
    struct mn_when when = mn_when_find(folded, said_ms, s->plan->zone);
    bool dated = when.found && (when.said == MN_WHEN_ABSOLUTE ||
                                (is_event && when.said != MN_WHEN_OPEN) ||
                                (!m->event_time_ms && when.said == MN_WHEN_BARE));
    *ret_told = dated ? TOLD_BY_WORDS : m->event_time_ms ? TOLD_BY_TIME : TOLD_NOT;
    event->from_ms = dated ? when.from_ms : m->event_time_ms;
    event->until_ms = dated ? end_of_range(when.phrase.at + when.phrase.bytes, said_ms,
                                           s->plan->zone, when.until_ms)
                            : m->event_time_ms + INSTANT_MS;
    return MNEME_OK;
}

/* ---- which memory tells it ---- */

/* Words and pairs of characters; single characters say too little beside them. */
static size_t count_words(const struct mn_terms *terms)
{
    size_t count = 0;

    for (size_t i = 0; i < terms->count; i++)
        count += terms->item[i].kind != MN_TERM_HAN;
    return count;
}

static bool has_term(const struct mn_terms *terms, uint64_t hash)
{
    for (size_t i = 0; i < terms->count; i++)
        if (terms->item[i].hash == hash)
            return true;
    return false;
}

/* How many of the event's words the text has. */
static enum mneme_status count_shared(struct mn_sourcing *s, const struct mn_terms *event,
                                      const char *text, size_t *ret_count, struct mneme_error *err)
{
    struct mn_terms terms = { 0 };
    bool han_alone = !count_words(event);

    *ret_count = 0;
    MN_TRY(mn_text_terms(s->arena, text, strlen(text), &terms, err));
    for (size_t i = 0; i < event->count; i++)
        *ret_count += (han_alone || event->item[i].kind != MN_TERM_HAN) &&
                      has_term(&terms, event->item[i].hash);
    return MNEME_OK;
}

/* The range meant, by the one of the first that has most of the event's words and tells a day; of
 * equals by one whose words tell it: who says "the trip was fine" has come home. */
static enum mneme_status find_event(struct mn_sourcing *s, const struct mn_then *then,
                                    struct event *ret_event, struct mneme_error *err)
{
    struct mn_terms words = { 0 };
    struct mn_candidate *first[FIRST];
    const struct mneme_memory *said[FIRST];
    size_t count = mn_step_first(s, first, FIRST), most = 0;
    enum told best = TOLD_NOT;

    MN_TRY(mn_step_said(s, first, count, said, err));
    MN_TRY(mn_text_query_terms(s->arena, then->event.at, then->event.bytes, &words, err));
    size_t all = count_words(&words) ? count_words(&words) : words.count;
    for (size_t i = 0; i < count; i++) {
        struct event event = { .told_by = first[i] };
        size_t shared = 0;
        enum told told = TOLD_NOT;

        MN_TRY(count_shared(s, &words, mn_or_empty(said[i]->content), &shared, err));
        if (shared < most || 2 * shared < all)
            continue;
        MN_TRY(read_when(s, said[i], first[i]->is_event, &event, &told, err));
        if (!told || (shared == most && told <= best) ||
            !mn_then_range(then, event.from_ms, event.until_ms, s->plan->zone, &event.from_ms,
                           &event.until_ms))
            continue;
        most = shared;
        best = told;
        *ret_event = event;
    }
    return MNEME_OK;
}

/* ---- what was then ---- */

/* A turn of the agent's: what it answered tells nothing of the day, and stands beside the turn it
 * answers. */
static bool is_answer(const struct mn_hit *hit)
{
    return hit->unit->is_event && hit->unit->memory.authority == MNEME_MODEL_INFERENCE;
}

static bool is_in_list(const struct mn_hit *hit, int list)
{
    return list == 0 ? hit->text_rank != 0 : list == 1 ? hit->vector_rank != 0 : true;
}

/* told_by: NULL, the request names the time itself. */
static enum mneme_status add_hit(struct mn_sourcing *s, const struct mn_hit *hit,
                                 const struct mn_candidate *told_by, struct mn_trace_step *step,
                                 struct mneme_error *err)
{
    struct mn_candidate *c = NULL;

    MN_TRY(mn_pool_add_hit(s->pool, hit, &c, err));
    if (c->step == MN_STEP_TIME)
        return MNEME_OK;
    c->step = MN_STEP_TIME;
    step->count++;
    if (!told_by)
        return MNEME_OK;
    double vector = MN_GRAPH_HOP_FACTOR * told_by->vector + OWN_SHARE * hit->vector;
    double text = MN_GRAPH_HOP_FACTOR * told_by->text + OWN_SHARE * hit->text;
    if (c->has_vector && c->vector < vector)
        c->vector = vector;
    if (c->text < text)
        c->text = text;
    return MNEME_OK;
}

/* By the request's other words first, then by its vector, then the earliest. */
static enum mneme_status ask_again(struct mn_sourcing *s, const struct event *event,
                                   const char *rest, struct mn_trace_step *step,
                                   struct mneme_error *err)
{
    struct mn_candidate told_by = { 0 }; /* a copy: the pool moves when it grows */
    struct mn_query query = mn_source_query(s);
    struct mn_query_kept *kept = NULL;
    struct mn_terms terms = { 0 };
    struct mn_hits hits = { 0 };

    if (event->told_by)
        told_by = *event->told_by;
    MN_TRY(mn_text_query_terms(s->arena, rest, strlen(rest), &terms, err));
    query.terms = &terms;
    query.kept = &kept;
    query.after_ms = event->from_ms > query.after_ms ? event->from_ms : query.after_ms;
    if (!query.before_ms || event->until_ms < query.before_ms)
        query.before_ms = event->until_ms;
    query.text_k = query.vector_k = MN_STEP_BRINGS_MAX / 2;
    query.dated_k = 2 * MN_STEP_BRINGS_MAX; /* half of a chat are answers */
    query.around_k = 0;
    MN_TRY(s->world->search->ops->top(s->world->search, &query, s->arena, &hits, err));
    for (int list = 0; list < 3; list++)
        for (size_t i = 0; i < hits.count && step->count < MN_STEP_BRINGS_MAX; i++)
            if (is_in_list(&hits.item[i], list) && !is_answer(&hits.item[i]))
                MN_TRY(add_hit(s, &hits.item[i], event->told_by ? &told_by : NULL, step, err));
    return MNEME_OK;
}

/* Of a request that names a time, or brings it, and asks what happened in it. */
static enum mneme_status step_to_named(struct mn_sourcing *s, struct mneme_error *err)
{
    const struct mn_plan *plan = s->plan;
    struct mn_str before = mn_str_of(plan->time_text), behind = { "", 0 };
    struct event event = { .from_ms = plan->after_ms, .until_ms = plan->before_ms };

    if (plan->when.found) {
        before.bytes = (size_t)(plan->when.phrase.at - before.at);
        behind = mn_str_of(plan->when.phrase.at + plan->when.phrase.bytes);
        event.from_ms = plan->when.from_ms;
        event.until_ms = plan->when.until_ms;
    } else if (!event.until_ms) {
        event.until_ms = s->access->at_ms + INSTANT_MS;
    }
    if (!mn_then_open(before, behind))
        return MNEME_OK;
    s->trace->second.fired = true;
    struct mn_trace_step *step = mn_step_told(s, MN_STEP_TIME, "");
    if (!step)
        return MNEME_OK;
    step->from_ms = event.from_ms;
    step->until_ms = event.until_ms;
    return ask_again(s, &event, s->plan->search_text, step, err);
}

enum mneme_status mn_source_back_then(struct mn_sourcing *s, struct mn_str request,
                                      struct mneme_error *err)
{
    struct event event = { 0 };
    struct mn_then then;

    if (s->plan->is_statement)
        return MNEME_OK;
    if (!mn_then_asked(request, &then))
        return s->plan->when.found || s->plan->after_ms || s->plan->before_ms
                   ? step_to_named(s, err)
                   : MNEME_OK;
    const char *rest =
        mn_arena_printf(s->arena, "%.*s%s", (int)(then.phrase.at - request.at), request.at,
                        then.phrase.at + then.phrase.bytes);
    const char *folded = rest ? mn_text_fold(s->arena, rest, strlen(rest)) : NULL;
    if (!folded)
        return mn_fail_memory(err);
    MN_TRY(mn_source_zone(s, err));
    if (mn_when_find(folded, s->access->at_ms, s->plan->zone).found)
        return MNEME_OK; /* it names a time besides */
    s->trace->second.fired = true;
    MN_TRY(find_event(s, &then, &event, err));
    struct mn_trace_step *step =
        event.told_by ? mn_step_told(s, MN_STEP_TIME, event.told_by->memory->id) : NULL;
    if (!step)
        return MNEME_OK;
    step->from_ms = event.from_ms;
    step->until_ms = event.until_ms;
    s->plan->when = (struct mn_when){ .found = true,
                                      .said = MN_WHEN_ABSOLUTE,
                                      .from_ms = event.from_ms,
                                      .until_ms = event.until_ms };
    return ask_again(s, &event, rest, step, err);
}
