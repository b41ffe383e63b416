/*
 * rank.c - stage 7: one score from many.
 *
 * Each source scores on its own scale, so relevance takes every signal between a null candidate (no
 * word shared; the mean cosine of unrelated texts) and the best of the request's own pool before
 * adding; what nobody in the pool has, or what this candidate cannot have, is left out and the
 * other weights grow to fill its place. The final score is a weighted sum of relevance, fit, scope,
 * authority, freshness and confidence, less what suspicion costs; the trace keeps every part, raw
 * and scaled. Scaled values compare candidates of one request only: the floor reads raw ones.
 *
 * At the end only the best plan->depth go on. The rows of one key go or stay together, because
 * stage 8 must see all answers to choose among them, and what a rule forces is never cut. Two dear
 * questions are asked late, of those only that may stay: what the labels add, and whether the text
 * gives orders to a model. What does is not believed, whoever wrote it, unless an administrator did
 * or the sentence forbids the very thing; it falls, and others may come up in its place.
 *
 * Considered: reciprocal ranks (Cormack, Clarke, Buettcher, SIGIR 2009). A weak list then counts as
 * much as a strong one: of BM25 and e5 it lost to BM25 alone on conversations.
 */
#include "retrieve/rank.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "memory/weight.h"
#include "retrieve/conversation.h"
#include "retrieve/key.h"
#include "retrieve/overlap.h"
#include "text/orders.h"

#define DAY_MS 86400000.0

/* ---- the figures ---- */

/* What relevance is made of. Turns of conversations have no metadata to speak of. */
static const struct relevance_weights {
    double vector, text, metadata, importance, rule;
} FACT = { 0.4, 0.3, 0.1, 0.1, 0.1 }, EVENT = { 0.5, 0.5, 0, 0, 0 },
  SIMILARITY = { 0.4, 0.3, 0, 0, 0 };

/*
 * How much of what vector and text weigh together is the text's. Where the best memory holds most of
 * the request's words, they are names and rare words, and text tells; where it holds few, the
 * memory that is meant says it otherwise, and a word in common misleads. At a coverage of 0.57 the
 * share is that of the table.
 */
#define TEXT_SHARE 0.2
#define TEXT_SHARE_COVERED 0.4 /* more, where all words are there */

/* What the final score is made of, by profile. */
static const struct final_weights {
    double relevance, task_fit, scope, authority, freshness, confidence, recency, importance;
} FINAL[] = {
    [MNEME_PROFILE_DEFAULT] = { 0.35, 0.20, 0.15, 0.15, 0.10, 0.05, 0, 0 },
    [MNEME_PROFILE_SIMILARITY] = { .relevance = 1 },
    [MNEME_PROFILE_BALANCED] = { .relevance = 0.5, .recency = 0.3, .importance = 0.2 },
    [MNEME_PROFILE_RECENCY] = { .relevance = 0.3, .recency = 0.5, .importance = 0.2 },
};

#define FIT_TYPE 0.5
#define FIT_OVERLAP 0.3
#define FIT_PLACE 0.2
#define SUSPICION 0.20
#define RECENCY_HALF_LIFE_DAYS 30.0
#define SCRATCH_BYTES_MAX ((size_t)8388608) /* to read one text in */
#define OUTSIDE_RANGE 0.25 /* factor of freshness of what is dated outside the range asked for */
#define OUT_OF_DATE 0.25   /* the same, of a turn whose memory was replaced, where no range is asked for */

double mn_rank_final(enum mneme_profile profile, const struct mn_parts *p)
{
    const struct final_weights *w =
        &FINAL[(size_t)profile < sizeof FINAL / sizeof FINAL[0] ? profile : MNEME_PROFILE_DEFAULT];
    double final = w->relevance * p->relevance + w->task_fit * p->task_fit + w->scope * p->scope +
                   w->authority * p->authority + w->freshness * p->freshness +
                   w->confidence * p->confidence + w->recency * p->recency +
                   w->importance * p->importance - p->conflict - p->suspicion;

    return final > 1 ? 1 : final;
}

/* ---- what every candidate is measured with ---- */

struct ranking {
    const struct mneme_request *request;
    const struct mn_access *access;
    const struct mn_plan *plan;
    const struct mn_model_profile *profile;
    struct mn_overlap *overlap;
    struct mn_best best;
    bool any_text;   /* the text index answered: a coverage of 0 means that no word is shared */
    bool any_module; /* the request names a module, a category of somebody in the pool */
    bool any_category;
};

static bool stated(const char *name, const char *a, const char *b)
{
    return !mn_empty(name) && (mn_same(name, a) || mn_same(name, b));
}

/* Of the project or repository that the identity states? */
static bool of_stated_project(const struct ranking *r, const struct mneme_memory *m)
{
    return stated(m->project, r->access->project, r->access->repository) ||
           ((m->scope_kind == MNEME_SCOPE_PROJECT || m->scope_kind == MNEME_SCOPE_REPO) &&
            stated(m->scope_id, r->access->project, r->access->repository));
}

static double share_of_best(double value, double null, double best)
{
    if (best <= null || value <= null)
        return 0;
    return value >= best ? 1 : (value - null) / (best - null);
}

static double half_lives(double age_days, double half_life_days)
{
    return age_days <= 0 ? 1 : exp2(-age_days / half_life_days);
}

/* ---- the parts ---- */

/* Share of the plan's project, module and category that match; negative when the plan has none. */
static double metadata(const struct ranking *r, const struct mneme_memory *m, bool module,
                       bool category)
{
    bool project = !mn_empty(r->access->project) || !mn_empty(r->access->repository);
    int asked = project + r->any_module + r->any_category;

    if (!asked)
        return -1;
    return (double)((project && of_stated_project(r, m)) + module + category) / asked;
}

static double relevance(const struct ranking *r, struct mn_candidate *c, double metadata_share)
{
    const struct relevance_weights *w = c->is_event ? &EVENT : &FACT;
    double text = mn_rank_text(r->plan, r->profile, &r->best, c);
    double sum = 0;
    double weight = 0;

    if (r->request->profile == MNEME_PROFILE_SIMILARITY && !c->is_event)
        w = &SIMILARITY;
    double text_weight = w->text;
    double vector_weight = w->vector;
    if (r->best.any_vector && !c->is_event) {
        text_weight = (w->text + w->vector) * (TEXT_SHARE + TEXT_SHARE_COVERED * r->best.coverage);
        vector_weight = w->text + w->vector - text_weight;
    }
    if (r->best.any_vector && c->has_vector) {
        c->found[MN_SOURCE_VECTOR].scaled =
            share_of_best(c->vector, (double)r->profile->unrelated_mean, r->best.vector);
        sum += vector_weight * c->found[MN_SOURCE_VECTOR].scaled;
        weight += vector_weight;
    }
    if (r->best.text > 0 && !c->is_checkpoint) { /* no index holds a checkpoint */
        c->found[MN_SOURCE_TEXT].scaled = share_of_best(text, 0, r->best.text);
        sum += text_weight * c->found[MN_SOURCE_TEXT].scaled;
        weight += text_weight;
    }
    if (metadata_share >= 0) {
        sum += w->metadata * metadata_share;
        weight += w->metadata;
    }
    if (r->best.any_rule) {
        c->found[MN_SOURCE_RULE].scaled = c->forced;
        sum += w->rule * c->found[MN_SOURCE_RULE].scaled;
        weight += w->rule;
    }
    sum += w->importance * c->parts.importance;
    weight += w->importance;
    c->found[MN_SOURCE_GRAPH].scaled = c->path_confidence;
    return weight > 0 ? sum / weight : 0;
}

static double freshness(const struct ranking *r, const struct mn_candidate *c,
                        const struct mn_type *type)
{
    const struct mneme_memory *m = c->memory;
    const struct mn_when *when = &r->plan->when;
    bool episodic = type->kind == MN_KIND_EPISODIC && m->event_time_ms;
    int64_t since_ms = episodic ? m->event_time_ms : m->updated_at_ms;
    double half_life_days = type->half_life_days;

    if (m->confirmed_at_ms > since_ms)
        since_ms = m->confirmed_at_ms;
    if (m->authority == MNEME_MODEL_INFERENCE && !m->confirmed_at_ms)
        half_life_days /= 2;
    double fresh = half_lives((double)(r->access->at_ms - since_ms) / DAY_MS, half_life_days);
    if (!when->found || !m->event_time_ms)
        return c->replaced_by ? fresh * OUT_OF_DATE : fresh;
    return m->event_time_ms >= when->from_ms && m->event_time_ms < when->until_ms
               ? 1
               : fresh * OUTSIDE_RANGE;
}

static double recency(const struct ranking *r, const struct mn_candidate *c)
{
    int64_t since_ms = c->last_accessed_at_ms ? c->last_accessed_at_ms : c->memory->created_at_ms;

    return half_lives((double)(r->access->at_ms - since_ms) / DAY_MS, RECENCY_HALF_LIFE_DAYS);
}

static bool of_tool(const struct ranking *r, const struct mneme_memory *m)
{
    const char *tool = r->request->signals.tool;

    for (size_t i = 0; i < m->keywords.count; i++)
        if (stated(tool, m->keywords.item[i], NULL))
            return true;
    for (size_t i = 0; i < m->entities.count; i++)
        if (stated(tool, m->entities.item[i], NULL))
            return true;
    return false;
}

/* All parts, but for what the labels add to task_fit. */
static enum mneme_status measure(const struct ranking *r, struct mn_candidate *c,
                                 struct mneme_error *err)
{
    const struct mneme_memory *m = c->memory;
    int type = mn_type_find(m->type);
    bool wanted = type != MN_TYPE_NONE && r->plan->wanted & MN_TYPE_BIT(type);
    bool module = false;
    bool category = false;

    MN_TRY(mn_overlap_names(r->overlap, m->module, &module, err));
    MN_TRY(mn_overlap_names(r->overlap, m->category, &category, err));
    bool place = module || of_stated_project(r, m) || of_tool(r, m);
    c->parts = (struct mn_parts){
        .task_fit = FIT_TYPE * wanted + FIT_PLACE * place,
        .scope = mn_scope_weight(m->scope_kind),
        .authority = mn_authority_weight(m->authority),
        .freshness = freshness(r, c, mn_type_at(type)),
        .confidence = c->confidence,
        .recency = recency(r, c),
        .importance = m->importance < 0 ? 0.5 : m->importance,
    };
    c->parts.relevance = relevance(r, c, metadata(r, m, module, category));
    c->parts.final = mn_rank_final(r->request->profile, &c->parts);
    c->overlap = 0;
    return MNEME_OK;
}

static enum mneme_status look_over(struct ranking *r, const struct mn_candidates *found,
                                   struct mneme_error *err)
{
    bool module = false;
    bool category = false;

    r->best = mn_best_of(r->plan, r->profile, found);
    for (size_t i = 0; i < found->count; i++) {
        r->any_text = r->any_text || found->item[i].coverage > 0;
        MN_TRY(mn_overlap_names(r->overlap, found->item[i].memory->module, &module, err));
        MN_TRY(mn_overlap_names(r->overlap, found->item[i].memory->category, &category, err));
        r->any_module = r->any_module || module;
        r->any_category = r->any_category || category;
    }
    return MNEME_OK;
}

/* ---- the labels ---- */

static inline bool is_more(const double *a, const double *b)
{
    return *a > *b;
}
MN_SORT_OF(sort_falling, double, is_more)

/* What is kept or cut as one: a key, or a candidate without one. */
static size_t unit_of(const size_t *group, size_t group_count, size_t i)
{
    return group[i] != MN_KEY_NONE ? group[i] : group_count + i;
}

/* *unit_best: the best final score of each unit, infinite where a rule forces it in. *ret_line:
 * that of the last unit within `depth`, or less than any. */
static enum mneme_status find_line(const struct mn_candidates *found, const size_t *group,
                                   size_t group_count, size_t depth, struct mn_arena *arena,
                                   double **ret_unit_best, double *ret_line,
                                   struct mneme_error *err)
{
    size_t unit_count = group_count + found->count;
    double *best = mn_arena_array(arena, double, unit_count + 1);
    double *sorted = mn_arena_array(arena, double, 2 * unit_count + 1);
    size_t count = 0;

    if (!best || !sorted)
        return mn_fail_memory(err);
    for (size_t u = 0; u < unit_count; u++)
        best[u] = -INFINITY;
    for (size_t i = 0; i < found->count; i++) {
        const struct mn_candidate *c = &found->item[i];
        double *b = &best[unit_of(group, group_count, i)];

        *b = fmax(*b, c->forced ? INFINITY : c->parts.final);
    }
    for (size_t u = 0; u < unit_count; u++)
        if (isfinite(best[u]))
            sorted[count++] = best[u];
    sort_falling(sorted, count, sorted + unit_count);
    *ret_unit_best = best;
    *ret_line = count > depth ? sorted[depth ? depth - 1 : 0] : -INFINITY;
    return MNEME_OK;
}

/*
 * Adds the labels' share to task_fit. It is the dearest part and moves a final score by a few
 * hundredths at most, so that it is left out where that cannot bring a candidate over the cut.
 */
static enum mneme_status add_labels(const struct ranking *r, struct mn_candidates *found,
                                    struct mn_arena *arena, struct mneme_error *err)
{
    struct mn_parts most = { .task_fit = FIT_OVERLAP };
    double may_add = mn_rank_final(r->request->profile, &most);
    size_t *group = NULL;
    size_t group_count = 0;
    double *unit_best = NULL;
    double line = 0;

    MN_TRY(mn_key_groups(found, arena, &group, &group_count, err));
    MN_TRY(find_line(found, group, group_count, r->plan->depth, arena, &unit_best, &line, err));
    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];

        if (unit_best[unit_of(group, group_count, i)] + may_add < line ||
            (r->any_text && c->coverage <= 0)) /* the text index reads the labels too */
            continue;
        MN_TRY(mn_overlap_of(r->overlap, c->memory, &c->overlap, err));
        c->parts.task_fit += FIT_OVERLAP * c->overlap;
        c->parts.final = mn_rank_final(r->request->profile, &c->parts);
    }
    return MNEME_OK;
}

/* ---- order and cut ---- */

struct place {
    double final;
    const char *id;
    size_t at;
};

static inline bool is_ahead(const struct place *a, const struct place *b)
{
    return a->final != b->final ? a->final > b->final : strcmp(a->id, b->id) < 0;
}
MN_SORT_OF(sort_places, struct place, is_ahead)

enum mneme_status mn_rank_sort(struct mn_candidates *found, struct mn_arena *arena,
                               struct mneme_error *err)
{
    struct place *place = mn_arena_array(arena, struct place, 2 * found->count + 1);

    if (!place)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++)
        place[i] = (struct place){ found->item[i].parts.final, found->item[i].memory->id, i };
    sort_places(place, found->count, place + found->count);
    /* Each cycle of the new order is walked once: candidates are large, and so moved once. */
    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate first = found->item[i];
        size_t to = i;

        if (place[i].at == i)
            continue;
        while (place[to].at != i) {
            size_t from = place[to].at;

            found->item[to] = found->item[from];
            place[to].at = to;
            to = from;
        }
        found->item[to] = first;
        place[to].at = to;
    }
    return MNEME_OK;
}

/* Which of the sorted stay: the first `depth`, what shares a key with them, and what is forced. */
static enum mneme_status mark_staying(size_t depth, const struct mn_candidates *found,
                                      struct mn_arena *arena, bool **ret_stays,
                                      struct mneme_error *err)
{
    size_t *group = NULL;
    size_t group_count = 0;
    size_t counted = 0;

    MN_TRY(mn_key_groups(found, arena, &group, &group_count, err));
    bool *group_stays = mn_arena_array(arena, bool, group_count + 1);
    bool *stays = mn_arena_array(arena, bool, found->count + 1);
    if (!group_stays || !stays)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++) /* a forced row takes its rivals along */
        if (found->item[i].forced && group[i] != MN_KEY_NONE)
            group_stays[group[i]] = true;
    for (size_t i = 0; i < found->count; i++) {
        stays[i] = found->item[i].forced || (group[i] != MN_KEY_NONE && group_stays[group[i]]);
        if (stays[i] || counted == depth)
            continue;
        stays[i] = true;
        counted++;
        if (group[i] != MN_KEY_NONE)
            group_stays[group[i]] = true;
    }
    *ret_stays = stays;
    return MNEME_OK;
}

/* Of every text that the block shows: names and ids stand in it as they are, too. */
static void read_orders(struct mn_candidate *c, struct mn_arena *scratch)
{
    const char *text[] = { c->memory->title, c->memory->content,  c->memory->summary,
                           c->memory->id,    c->memory->scope_id, c->speaker };
    enum mn_orders orders = MN_ORDERS_NONE;

    for (size_t i = 0; i < sizeof text / sizeof text[0] && orders != MN_ORDERS_GIVEN; i++) {
        enum mn_orders here = mn_empty(text[i]) ? MN_ORDERS_NONE : mn_text_orders(scratch, text[i]);

        if (here > orders)
            orders = here;
    }
    c->orders_read = true;
    c->suspicious = orders == MN_ORDERS_GIVEN && c->memory->authority != MNEME_EXPLICIT_ADMIN;
    c->orders_noted = orders != MN_ORDERS_NONE && !c->suspicious;
    c->parts.suspicion = c->suspicious ? SUSPICION : 0;
}

/* Reads those that would stay and were not read yet; true when one of them fell. */
static bool read_staying(const struct mneme_request *request, const bool *stays,
                         struct mn_candidates *found)
{
    bool any_fell = false;

    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];

        if (!stays[i] || c->orders_read)
            continue;
        MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
        read_orders(c, scratch);
        c->parts.final = mn_rank_final(request->profile, &c->parts);
        any_fell = any_fell || c->suspicious;
    }
    return any_fell;
}

static void cut(const bool *stays, struct mn_candidates *found, struct mn_trace *trace)
{
    size_t kept = 0;

    for (size_t i = 0; i < found->count; i++) {
        if (!stays[i])
            mn_trace_reject(trace, &found->item[i], MN_STAGE_RANK, MN_REASON_CUT, NULL);
        else if (kept++ != i)
            found->item[kept - 1] = found->item[i];
    }
    found->count = kept;
}

enum mneme_status mn_rank_apply(const struct mneme_request *request, const struct mn_access *access,
                                const struct mn_plan *plan, const struct mn_model_profile *profile,
                                struct mn_arena *arena, struct mn_candidates *found,
                                struct mn_trace *trace, struct mneme_error *err)
{
    MN_OVERLAP_AUTO overlap = { 0 };
    struct ranking r = {
        .request = request, .access = access, .plan = plan, .profile = profile, .overlap = &overlap
    };
    bool *stays = NULL;

    MN_TRY(mn_overlap_init(&overlap, plan, &request->signals, arena, err));
    MN_TRY(look_over(&r, found, err));
    for (size_t i = 0; i < found->count; i++)
        MN_TRY(measure(&r, &found->item[i], err));
    MN_TRY(mn_conversation_apply(found, arena, err));
    if (request->trace_signals)
        mn_conversation_tell(found, trace);
    for (size_t i = 0; i < found->count; i++)
        if (found->item[i].context)
            found->item[i].parts.final = mn_rank_final(request->profile, &found->item[i].parts);
    MN_TRY(add_labels(&r, found, arena, err));
    do {
        MN_TRY(mn_rank_sort(found, arena, err));
        MN_TRY(mark_staying(plan->depth, found, arena, &stays, err));
    } while (read_staying(request, stays, found));
    cut(stays, found, trace);
    trace->ranked_count = found->count;
    return MNEME_OK;
}
