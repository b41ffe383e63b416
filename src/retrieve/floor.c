/*
 * floor.c - what is worth showing at all, however well it ranks.
 *
 * The best of nothing is still nothing: ranks and scaled scores say which candidate is best, never
 * whether it is good. So the floor reads what brought a candidate. A rule that fired, the state of
 * the task at hand, a constraint of the stated task, repository or project suffice by themselves.
 * What the request asks for by kind (only structured types are asked for, or what is known of the
 * user) qualifies as that kind; so does what happened in the time it names, where it names the kind as well ("incidents of last
 * month"). A preference, or a constraint wider than the project, qualifies when the plan wants its
 * type and some of its labels or words are met. What a graph brought needs a path of enough
 * confidence; what was at the time that a request means needs nothing else. Everything else must be
 * as close to the request as the model profile demands, on the raw scale.
 *
 * A text that gives orders has none of the privileges of a constraint: its likeness must carry it.
 */
#include "retrieve/floor.h"

#define PATH_MIN 0.4
#define PLAN_COVERAGE_MIN 0.1 /* of the request's words: one rare word, or several common ones */

enum pass {
    PASS_NOT = 0,
    PASS_NO_LIMITS,
    PASS_RULE,
    PASS_TASK,
    PASS_STATED,
    PASS_KIND,
    PASS_WAYS,
    PASS_PLAN,
    PASS_TIME,
    PASS_PATH,
    PASS_THEN,
    PASS_NAMED,
    PASS_CLOSE,
    PASS_WORDS,
    PASS_KEY
};

/* Each goes on with "it", the memory. */
static const char *const WHY[] = {
    [PASS_NO_LIMITS] = "comes in because limits are off",
    [PASS_RULE] = "is brought by a rule whose trigger fired",
    [PASS_TASK] = "resumes the task at hand",
    [PASS_STATED] = "binds the stated task, repository or project",
    [PASS_KIND] = "is of a kind that the request asks for",
    [PASS_WAYS] = "is one of the user's ways, which the request refers to",
    [PASS_PLAN] = "is of a type the request asks for and about what it names",
    [PASS_TIME] = "is of a type the request asks for and of the time it names",
    [PASS_PATH] = "is linked to what the request names",
    [PASS_THEN] = "happened in the time that the request means",
    [PASS_NAMED] = "is said of the one whom another memory names and the request means",
    [PASS_CLOSE] = "is close in meaning or words to the request",
    [PASS_WORDS] = "shares enough words with the request",
    [PASS_KEY] = "answers what another memory close to the request answers",
};

static bool is_narrow(enum mneme_scope scope)
{
    return scope == MNEME_SCOPE_TASK || scope == MNEME_SCOPE_SESSION || scope == MNEME_SCOPE_REPO ||
           scope == MNEME_SCOPE_PROJECT;
}

/* Is its scope the one the identity has open? */
static bool is_stated(const struct mn_access *access, const struct mneme_memory *m)
{
    return is_narrow(m->scope_kind) && !mn_empty(m->scope_id) &&
           mn_same(m->scope_id, mn_access_scope_id(access, m->scope_kind));
}

/* "What incidents did we have last month?" names a kind and a time, and nothing to be like. */
static bool is_of_time_and_kind(const struct mn_plan *plan, const struct mneme_memory *m,
                                int number)
{
    return plan->when.found && m->event_time_ms && number != MN_TYPE_NONE &&
           plan->wanted & MN_TYPE_BIT(number) && plan->when.from_ms <= m->event_time_ms &&
           m->event_time_ms < plan->when.until_ms;
}

/* "What do you know about me?" names nothing to be like: it means what the user's own memories say. */
static bool is_of_the_user(const struct mn_access *access, const struct mn_plan *plan,
                           const struct mneme_memory *m, int number)
{
    return plan->of_the_user && number != MN_TYPE_NONE && plan->wanted & MN_TYPE_BIT(number) &&
           mn_same(m->user_id, access->user) && !is_narrow(m->scope_kind);
}

/* What needs no likeness: by what it is and whose. */
static enum pass by_nature(const struct mn_access *access, const struct mn_plan *plan,
                           const struct mn_candidate *c)
{
    const struct mneme_memory *m = c->memory;
    int number = mn_type_find(m->type);
    const struct mn_type *type = mn_type_at(number);

    if (c->is_checkpoint || (type->section == MN_SECTION_TASK_STATE &&
                             m->scope_kind == MNEME_SCOPE_TASK && is_stated(access, m)))
        return PASS_TASK;
    if (c->suspicious)
        return PASS_NOT;
    if (is_of_time_and_kind(plan, m, number))
        return PASS_TIME;
    if (is_of_the_user(access, plan, m, number))
        return PASS_KIND;
    if (!(type->found_by & MN_FOUND_STRUCTURED))
        return PASS_NOT;
    if (type->section == MN_SECTION_CONSTRAINTS && is_stated(access, m))
        return PASS_STATED;
    if (plan->own_ways && type->section == MN_SECTION_PREFERENCES)
        return PASS_WAYS;
    if (number != MN_TYPE_NONE && plan->wanted & MN_TYPE_BIT(number) &&
        (c->overlap > 0 || c->coverage >= PLAN_COVERAGE_MIN))
        return PASS_PLAN;
    return PASS_NOT;
}

double mn_floor_of(const struct mn_plan *plan, const struct mn_model_profile *profile,
                   const struct mn_candidate *candidate)
{
    if (!candidate->has_vector)
        return profile->floor_text_only;
    return plan->is_statement ? profile->floor_statement : profile->floor_question;
}

static enum pass by_likeness(const struct mn_plan *plan, const struct mn_model_profile *profile,
                             const struct mn_candidate *c)
{
    float floor = (float)mn_floor_of(plan, profile, c);

    if (c->path_confidence >= PATH_MIN)
        return PASS_PATH;
    if ((float)(c->has_vector ? c->raw_relevance : c->text) < floor)
        return PASS_NOT;
    if (c->step == MN_STEP_NAME)
        return PASS_NAMED;
    return c->has_vector ? PASS_CLOSE : PASS_WORDS;
}

/* Structured types alone are asked for: then they are asked for as such. */
static bool of_kind_asked_for(const struct mn_plan *plan, const struct mn_candidate *c)
{
    return plan->asked && !(plan->asked & mn_types_found_by(MN_FOUND_TEXT | MN_FOUND_VECTOR)) &&
           !c->suspicious && mn_type_of(c->memory->type)->found_by & MN_FOUND_STRUCTURED;
}

static enum pass pass_of(const struct mneme_request *request, const struct mn_access *access,
                         const struct mn_plan *plan, const struct mn_model_profile *profile,
                         const struct mn_candidate *c)
{
    enum pass pass = PASS_NOT;

    if (c->forced)
        return PASS_RULE;
    if (c->step == MN_STEP_TIME && !c->suspicious)
        return PASS_THEN;
    pass = by_nature(access, plan, c);
    if (!pass)
        pass = by_likeness(plan, profile, c);
    if (!pass && of_kind_asked_for(plan, c))
        pass = PASS_KIND;
    if (!pass && c->key_passes)
        pass = PASS_KEY;
    if (!pass && request->without_limits)
        pass = PASS_NO_LIMITS;
    return pass;
}

static bool only_by_graph(const struct mn_candidate *c)
{
    bool other = c->by_key;

    for (int source = 0; source < MN_SOURCE_COUNT; source++)
        other = other || (source != MN_SOURCE_GRAPH && c->found[source].rank);
    return c->found[MN_SOURCE_GRAPH].rank && !other;
}

bool mn_floor_passes(const struct mneme_request *request, const struct mn_access *access,
                     const struct mn_plan *plan, const struct mn_model_profile *profile,
                     const struct mn_candidate *candidate, enum mn_reason *ret_reason,
                     const char **ret_why)
{
    enum pass pass = pass_of(request, access, plan, profile, candidate);

    if (pass && ret_why)
        *ret_why = WHY[pass];
    if (!pass && ret_reason)
        *ret_reason = only_by_graph(candidate) ? MN_REASON_PATH : MN_REASON_FLOOR;
    return pass != PASS_NOT;
}

bool mn_floor_bears(const struct mneme_request *request, const struct mn_access *access,
                    const struct mn_plan *plan, const struct mn_model_profile *profile,
                    const struct mn_candidate *candidate)
{
    enum pass pass = pass_of(request, access, plan, profile, candidate);

    return pass != PASS_NOT && pass != PASS_KIND && pass != PASS_WAYS && pass != PASS_NO_LIMITS;
}
