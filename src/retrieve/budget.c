/*
 * budget.c - stage 9: what goes in.
 *
 * First the floor, then what rules force, then the rest by maximal marginal relevance (Carbonell
 * and Goldstein, SIGIR 1998): the next memory is the one that scores best after what it repeats of
 * those already chosen is taken off. A block that holds a constraint, a preference, the state of
 * the task, an incident and a procedure serves better than six alike preferences, so a memory whose
 * role is still open gets a small start, unless it is next to irrelevant; the caps of the type do
 * the rest.
 *
 * Forced memories come first and whole, past the caps on items and type, though they count. If they
 * alone exceed the tokens they go in alone, and the answer says so. Otherwise the block, counted as
 * it stands with its markup, never exceeds them: costs of elements are added up, and where the sum
 * comes near the limit the block itself is built and counted. A long text without a summary goes in
 * as its best passage; once all are chosen, passages beside those come in too, while there is room,
 * one for each in turn. What does not fit goes in as its summary, or makes room by shortening what
 * is less important than itself, or stays out; a smaller one further down may still fit. The
 * caller's own evidence takes what is left, best first: it has it anyway.
 *
 * Considered: choosing the set of best total score (a knapsack). It drops the best memory for two
 * middling ones, which is hard to explain and was not what anybody expected.
 */
#include "retrieve/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "retrieve/excerpt.h"
#include "text/glance.h"
#include "text/tokens.h"

#define ITEMS_MAX 6
#define TOKENS_MAX 700
#define PER_TYPE_MAX 3
#define LAMBDA 0.7
#define ROLE_START 0.05         /* in units of marginal relevance: 0.07 of final score */
#define ROLE_RELEVANCE_MIN 0.25 /* of the best relevance there is */
#define NEAR_TOKENS 12          /* sums of elements differ from the whole block by less */

static const struct mneme_list NO_EVIDENCE = { 0 };

/* How many of a section are missed when absent: of the preferences only explicit ones, of the task
 * state what is remembered of it and its checkpoint. */
static const size_t ROLE[MN_SECTION_COUNT] = {
    [MN_SECTION_CONSTRAINTS] = 2, [MN_SECTION_PREFERENCES] = 1, [MN_SECTION_TASK_STATE] = 2,
    [MN_SECTION_INCIDENTS] = 1,   [MN_SECTION_PROCEDURES] = 1,
};

/* One that passed the floor and waits. */
struct waiting {
    const struct mn_candidate *c;
    enum mn_section section;
    size_t type;    /* number; those of no known type share one */
    double nearest; /* similarity to the nearest chosen one */
    bool glanced;
    struct mn_glance glance;
    enum mn_reason fate; /* NONE: still waiting */
    bool chosen;
};

/* One that was shortened to make room, and what it cost before. */
struct shortening {
    struct mn_candidate *c;
    size_t tokens;
};

struct choosing {
    struct mn_budget budget;
    const struct mn_similarity *similarity;
    const struct mn_tokens *tokens;
    struct mn_arena *arena;
    struct waiting *waiting;
    size_t waiting_count;
    double best_relevance;
    struct shortening *undo;
    struct mn_candidate *chosen; /* forced ones first, then in the order of choice */
    size_t chosen_count;
    size_t forced_count;
    size_t *of_type;
    size_t of_section[MN_SECTION_COUNT];
    bool framed;
    size_t frame_tokens; /* of the block without sections */
    size_t section_tokens[MN_SECTION_COUNT]; /* of its marks; 0: not counted yet */
};

static size_t type_number(const struct mn_candidate *c)
{
    int type = mn_type_find(c->memory->type);

    return type == MN_TYPE_NONE ? (size_t)mn_type_count() : (size_t)type;
}

static double importance(const struct mn_candidate *c)
{
    return c->memory->importance < 0 ? 0.5 : c->memory->importance;
}

/* ---- what it costs ---- */

static size_t count_text(const struct choosing *ch, const char *text, size_t bytes)
{
    return mn_tokens_count(ch->tokens, text, bytes);
}

/* The block of `count` of the chosen and these pieces of evidence, and its tokens. */
static enum mneme_status build(const struct choosing *ch, size_t count,
                               const struct mneme_list *evidence, const char **ret_xml,
                               size_t *ret_tokens, struct mneme_error *err)
{
    MN_TRY(mn_assemble_xml(ch->chosen, count, evidence, ch->arena, ret_xml, err));
    *ret_tokens = count_text(ch, *ret_xml, strlen(*ret_xml));
    return MNEME_OK;
}

static enum mneme_status measure_section(struct choosing *ch, enum mn_section section,
                                         struct mneme_error *err)
{
    const char *name = mn_section_name(section);

    if (ch->section_tokens[section])
        return MNEME_OK;
    const char *text = mn_arena_printf(ch->arena, "<%s>\n</%s>\n", name, name);
    if (!text)
        return mn_fail_memory(err);
    ch->section_tokens[section] = count_text(ch, text, strlen(text));
    return MNEME_OK;
}

/* The block around a memory, told by a block of it alone. */
static enum mneme_status measure_frame(struct choosing *ch, const struct mn_candidate *c,
                                       struct mneme_error *err)
{
    const char *xml = NULL;

    if (ch->framed)
        return MNEME_OK;
    MN_TRY(mn_assemble_xml(c, 1, &NO_EVIDENCE, ch->arena, &xml, err));
    size_t whole = count_text(ch, xml, strlen(xml));
    size_t parts = c->tokens + ch->section_tokens[mn_assemble_section(c)];
    ch->frame_tokens = whole > parts ? whole - parts : 0;
    ch->framed = true;
    return MNEME_OK;
}

/* Sets c->tokens: of its element. The first one tells the frame too. */
static enum mneme_status measure(struct choosing *ch, struct mn_candidate *c,
                                 struct mneme_error *err)
{
    MN_BUF_AUTO element = { 0 };

    MN_TRY(mn_assemble_element(c, ch->arena, &element, err));
    c->tokens = count_text(ch, element.at, element.bytes);
    MN_TRY(measure_section(ch, mn_assemble_section(c), err));
    return measure_frame(ch, c, err);
}

static size_t sum_tokens(const struct choosing *ch, size_t count)
{
    bool open[MN_SECTION_COUNT] = { false };
    size_t sum = count ? ch->frame_tokens : 0;

    for (size_t i = 0; i < count; i++) {
        enum mn_section section = mn_assemble_section(&ch->chosen[i]);

        sum += ch->chosen[i].tokens + (open[section] ? 0 : ch->section_tokens[section]);
        open[section] = true;
    }
    return sum;
}

/* Does the block of the first `count` chosen keep within the tokens? */
static enum mneme_status fits(const struct choosing *ch, size_t count, bool *ret_fits,
                              struct mneme_error *err)
{
    size_t sum = sum_tokens(ch, count);
    size_t exact = 0;
    const char *xml = NULL;

    if (sum + NEAR_TOKENS <= ch->budget.tokens_max || sum > ch->budget.tokens_max + NEAR_TOKENS) {
        *ret_fits = sum <= ch->budget.tokens_max;
        return MNEME_OK;
    }
    MN_TRY(build(ch, count, &NO_EVIDENCE, &xml, &exact, err));
    *ret_fits = exact <= ch->budget.tokens_max;
    return MNEME_OK;
}

/* ---- making room ---- */

static bool can_be_shortened(const struct mn_candidate *c)
{
    return !c->shortened && !mn_empty(c->memory->summary) &&
           strlen(c->memory->summary) < strlen(mn_assemble_text(c));
}

/* The least important of those that may be shortened for the last one, or NULL. */
static struct mn_candidate *next_to_shorten(const struct choosing *ch, size_t count)
{
    const struct mn_candidate *added = &ch->chosen[count - 1];
    struct mn_candidate *least = NULL;

    for (size_t i = ch->forced_count; i < count; i++) {
        struct mn_candidate *c = &ch->chosen[i];

        if (can_be_shortened(c) && (c == added || importance(c) < importance(added)) &&
            (!least || importance(c) < importance(least)))
            least = c;
    }
    return least;
}

/* Adds the candidate behind the chosen, shortening what must be; false when nothing helps. */
static enum mneme_status try_to_add(struct choosing *ch, const struct mn_candidate *c,
                                    bool *ret_added, struct mneme_error *err)
{
    size_t count = ch->chosen_count + 1;
    size_t undo_count = 0;
    struct mn_candidate *shorten = NULL;
    bool fit = false;

    ch->chosen[count - 1] = *c;
    ch->chosen[count - 1].speaker = mn_assemble_speaker(c, ch->arena);
    MN_TRY(mn_excerpt_begin(&ch->chosen[count - 1], ch->arena, err));
    MN_TRY(measure(ch, &ch->chosen[count - 1], err));
    MN_TRY(fits(ch, count, &fit, err));
    while (!fit && (shorten = next_to_shorten(ch, count))) {
        ch->undo[undo_count++] = (struct shortening){ shorten, shorten->tokens };
        shorten->shortened = true;
        MN_TRY(measure(ch, shorten, err));
        MN_TRY(fits(ch, count, &fit, err));
    }
    while (!fit && undo_count) {
        ch->undo[--undo_count].c->shortened = false;
        ch->undo[undo_count].c->tokens = ch->undo[undo_count].tokens;
    }
    ch->chosen_count += fit;
    *ret_added = fit;
    return MNEME_OK;
}

/* ---- choosing ---- */

static const struct mn_glance *glance_at(struct waiting *w)
{
    if (!w->glanced)
        w->glance = mn_glance_at(w->c->memory->content);
    w->glanced = true;
    return &w->glance;
}

static double similarity(const struct choosing *ch, struct waiting *a, struct waiting *b)
{
    double cosine = mn_similarity_of(ch->similarity, a->c, b->c);

    if (isnan(cosine))
        cosine = mn_glance_share(glance_at(a), glance_at(b));
    return cosine < 0 ? 0 : cosine > 1 ? 1 : cosine;
}

static double redundancy(const struct waiting *w)
{
    return (1 - LAMBDA) * w->nearest;
}

static double marginal(const struct choosing *ch, const struct waiting *w)
{
    const struct mn_candidate *c = w->c;
    bool open = ch->of_section[w->section] < ROLE[w->section];
    bool fills = w->section == MN_SECTION_TASK_STATE ||
                 c->parts.relevance >= ROLE_RELEVANCE_MIN * ch->best_relevance;

    if (w->section == MN_SECTION_PREFERENCES && c->memory->authority != MNEME_EXPLICIT_USER &&
        c->memory->authority != MNEME_EXPLICIT_ADMIN)
        fills = false;
    return LAMBDA * c->parts.final - redundancy(w) + (open && fills ? ROLE_START : 0);
}

/* The best that may still go in; NULL when nobody may. Those of a full type leave. */
static struct waiting *best_waiting(struct choosing *ch)
{
    struct waiting *best = NULL;
    double best_value = 0;

    for (size_t i = 0; i < ch->waiting_count; i++) {
        struct waiting *w = &ch->waiting[i];

        if (w->chosen || w->fate != MN_REASON_NONE)
            continue;
        if (ch->of_type[w->type] >= ch->budget.per_type_max) {
            w->fate = MN_REASON_TYPE_CAP;
            continue;
        }
        double value = marginal(ch, w);
        if (!best || value > best_value ||
            (value == best_value && importance(w->c) > importance(best->c))) {
            best = w;
            best_value = value;
        }
    }
    return best;
}

static enum mneme_status choose(struct choosing *ch, struct mneme_error *err)
{
    struct waiting *w = NULL;

    while (ch->chosen_count < ch->budget.items_max && (w = best_waiting(ch))) {
        bool added = false;

        MN_TRY(try_to_add(ch, w->c, &added, err));
        if (!added) {
            w->fate = MN_REASON_BUDGET;
            continue;
        }
        w->chosen = true;
        ch->chosen[ch->chosen_count - 1].parts.redundancy = redundancy(w);
        ch->of_type[w->type]++;
        ch->of_section[w->section]++;
        for (size_t i = 0; i < ch->waiting_count; i++) {
            struct waiting *other = &ch->waiting[i];

            if (other->chosen || other->fate != MN_REASON_NONE)
                continue;
            double near = similarity(ch, w, other);
            if (near > other->nearest)
                other->nearest = near;
        }
    }
    return MNEME_OK;
}

/* ---- more of long texts ---- */

/* Shows one passage more of it, or leaves it as it is. */
static enum mneme_status widen(struct choosing *ch, struct mn_candidate *c, size_t first,
                               size_t last, bool *ret_wider, struct mneme_error *err)
{
    const struct mn_candidate before = *c;

    MN_TRY(mn_excerpt_show(c, first, last, ch->arena, err));
    MN_TRY(measure(ch, c, err));
    MN_TRY(fits(ch, ch->chosen_count, ret_wider, err));
    if (!*ret_wider)
        *c = before;
    return MNEME_OK;
}

/* Behind what is shown first, then before it: a text goes on. */
static enum mneme_status widen_in_turn(struct choosing *ch, struct mneme_error *err)
{
    bool any = true;

    while (any) {
        any = false;
        for (size_t i = ch->forced_count; i < ch->chosen_count; i++) {
            struct mn_candidate *c = &ch->chosen[i];
            size_t first = c->excerpt_first, last = c->excerpt_last;
            bool wider = false;

            if (!c->excerpt || c->shortened)
                continue;
            if (last < mn_excerpt_passages(c))
                MN_TRY(widen(ch, c, first, last + 1, &wider, err));
            if (!wider && first > 1)
                MN_TRY(widen(ch, c, first - 1, last, &wider, err));
            any = any || wider;
        }
    }
    return MNEME_OK;
}

/* ---- who comes to be chosen ---- */

static int by_priority(const void *left, const void *right)
{
    const struct mn_candidate *a = left;
    const struct mn_candidate *b = right;

    if (a->rule_priority != b->rule_priority)
        return a->rule_priority < b->rule_priority ? 1 : -1;
    if (a->parts.final != b->parts.final)
        return a->parts.final < b->parts.final ? 1 : -1;
    return strcmp(a->memory->id, b->memory->id);
}

static int by_final(const void *left, const void *right)
{
    const struct mn_candidate *a = left;
    const struct mn_candidate *b = right;

    if (a->parts.final != b->parts.final)
        return a->parts.final < b->parts.final ? 1 : -1;
    return strcmp(a->memory->id, b->memory->id);
}

/* Parts the found into the forced and the waiting; what does not pass the floor leaves. */
static void part(struct choosing *ch, struct mn_candidates *found,
                 const struct mneme_request *request, const struct mn_access *access,
                 const struct mn_plan *plan, const struct mn_model_profile *profile,
                 struct mn_trace *trace)
{
    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];
        enum mn_reason reason = MN_REASON_NONE;
        enum mn_section section = mn_assemble_section(c);

        c->section_name = mn_section_name(section);
        if (!mn_floor_passes(request, access, plan, profile, c, &reason, &c->why)) {
            mn_trace_reject(trace, c, MN_STAGE_BUDGET, reason, NULL);
        } else if (c->forced) {
            ch->chosen[ch->chosen_count++] = *c;
            ch->of_type[type_number(c)]++;
            ch->of_section[section]++;
        } else {
            ch->waiting[ch->waiting_count++] =
                (struct waiting){ .c = c, .section = section, .type = type_number(c) };
            if (c->parts.relevance > ch->best_relevance)
                ch->best_relevance = c->parts.relevance;
        }
    }
    ch->forced_count = ch->chosen_count;
    qsort(ch->chosen, ch->chosen_count, sizeof *ch->chosen, by_priority);
}

static enum mneme_status begin(struct choosing *ch, size_t found_count, struct mneme_error *err)
{
    ch->waiting = mn_arena_array(ch->arena, struct waiting, found_count + 1);
    ch->chosen = mn_arena_array(ch->arena, struct mn_candidate, found_count + 1);
    ch->of_type = mn_arena_array(ch->arena, size_t, (size_t)mn_type_count() + 1);
    ch->undo = mn_arena_array(ch->arena, struct shortening, found_count + 1);
    return ch->waiting && ch->chosen && ch->of_type && ch->undo ? MNEME_OK : mn_fail_memory(err);
}

/* ---- the block ---- */

/* The most pieces of evidence, from the first on, that keep the block within the tokens. */
static enum mneme_status add_evidence(const struct choosing *ch, const struct mneme_list *evidence,
                                      struct mn_selection *selection, struct mn_trace *trace,
                                      struct mneme_error *err)
{
    size_t fit = 0;
    size_t beyond = evidence->count + 1;

    while (fit + 1 < beyond) {
        size_t half = fit + (beyond - fit) / 2;
        struct mneme_list some = { evidence->item, half };
        const char *xml = NULL;
        size_t tokens = 0;

        MN_TRY(build(ch, ch->chosen_count, &some, &xml, &tokens, err));
        if (tokens <= ch->budget.tokens_max) {
            fit = half;
            selection->xml = xml;
            selection->tokens_used = tokens;
        } else {
            beyond = half;
        }
    }
    selection->evidence = (struct mneme_list){ evidence->item, fit };
    if (fit < evidence->count)
        mn_trace_note(trace, "evidence: %zu of %zu pieces had no room", evidence->count - fit,
                      evidence->count);
    return MNEME_OK;
}

static enum mneme_status finish(struct choosing *ch, const struct mneme_list *evidence,
                                struct mn_selection *selection, struct mn_trace *trace,
                                struct mneme_error *err)
{
    size_t tokens = 0;
    const char *xml = "";

    qsort(ch->chosen + ch->forced_count, ch->chosen_count - ch->forced_count, sizeof *ch->chosen,
          by_final);
    MN_TRY(build(ch, ch->chosen_count, &NO_EVIDENCE, &xml, &tokens, err));
    /* Sums tell the whole to within NEAR_TOKENS; should one ever not, the limit holds all the same.
     */
    while (tokens > ch->budget.tokens_max && ch->chosen_count > ch->forced_count) {
        mn_trace_reject(trace, &ch->chosen[--ch->chosen_count], MN_STAGE_BUDGET, MN_REASON_BUDGET,
                        NULL);
        MN_TRY(build(ch, ch->chosen_count, &NO_EVIDENCE, &xml, &tokens, err));
    }
    selection->item = ch->chosen;
    selection->count = ch->chosen_count;
    selection->xml = xml;
    selection->tokens_used = tokens;
    selection->budget_exceeded = tokens > ch->budget.tokens_max;
    return add_evidence(ch, evidence, selection, trace, err);
}

static size_t or_default(size_t given, size_t usual)
{
    return given ? given : usual;
}

size_t mn_budget_tokens_max(const struct mneme_request *request)
{
    return or_default(request->tokens_max, TOKENS_MAX);
}

enum mneme_status mn_budget_choose(const struct mneme_request *request,
                                   const struct mn_access *access, const struct mn_plan *plan,
                                   const struct mn_model_profile *profile,
                                   const struct mn_similarity *similarity_matrix,
                                   const struct mn_tokens *tokens, struct mn_arena *arena,
                                   struct mn_candidates *found, struct mn_selection *ret_selection,
                                   struct mn_trace *trace, struct mneme_error *err)
{
    struct choosing ch = {
        .budget = { or_default(request->items_max, ITEMS_MAX),
                    mn_budget_tokens_max(request),
                    or_default(request->per_type_max, PER_TYPE_MAX), request->without_limits },
        .similarity = similarity_matrix,
        .tokens = tokens,
        .arena = arena,
    };
    struct mn_selection selection = { .xml = "" };
    bool forced_fit = false;

    if (ch.budget.without_limits) {
        for (size_t i = 0; i < found->count; i++) {
            found->item[i].section_name = mn_section_name(mn_assemble_section(&found->item[i]));
            mn_floor_passes(request, access, plan, profile, &found->item[i], NULL,
                            &found->item[i].why);
        }
        *ret_selection = (struct mn_selection){
            .item = found->item, .count = found->count, .xml = "", .evidence = request->evidence
        };
        return MNEME_OK;
    }
    MN_TRY(begin(&ch, found->count, err));
    part(&ch, found, request, access, plan, profile, trace);
    for (size_t i = 0; i < ch.forced_count; i++)
        MN_TRY(measure(&ch, &ch.chosen[i], err));
    MN_TRY(fits(&ch, ch.forced_count, &forced_fit, err));
    if (forced_fit)
        MN_TRY(choose(&ch, err));
    MN_TRY(widen_in_turn(&ch, err));
    for (size_t i = 0; i < ch.waiting_count; i++) {
        const struct waiting *w = &ch.waiting[i];
        bool full = ch.of_type[w->type] >= ch.budget.per_type_max;

        if (!w->chosen)
            mn_trace_reject(trace, w->c, MN_STAGE_BUDGET,
                            w->fate != MN_REASON_NONE ? w->fate
                            : full                    ? MN_REASON_TYPE_CAP
                                                      : MN_REASON_BUDGET,
                            NULL);
    }
    MN_TRY(finish(&ch, &request->evidence, &selection, trace, err));
    *ret_selection = selection;
    return MNEME_OK;
}
