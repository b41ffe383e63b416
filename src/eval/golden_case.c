/*
 * golden_case.c - one line of cases.jsonl becomes a request and what must come of it.
 */
#include <string.h>

#include "base/json.h"
#include "eval/golden_data.h"

/* Everything a function of this file needs; the line's objects live as long as the document. */
struct parse {
    struct mn_arena *arena;
    struct mneme_error *err;
};

static enum mneme_status text(struct parse *p, yyjson_val *object, const char *field,
                              const char **ret)
{
    return mn_json_text(object, field, MNEME_TEXT_BYTES_MAX, p->arena, ret, p->err);
}

static enum mneme_status texts(struct parse *p, yyjson_val *object, const char *field,
                               struct mneme_list *ret)
{
    return mn_json_texts(object, field, MNEME_LINE_BYTES_MAX, MNEME_TEXT_BYTES_MAX, p->arena,
                         &ret->item, &ret->count, p->err);
}

static enum mneme_status object_of(struct parse *p, yyjson_val *object, const char *field,
                                   yyjson_val **ret)
{
    yyjson_val *value = yyjson_obj_get(object, field);

    if (value && !yyjson_is_null(value) && !yyjson_is_obj(value))
        return mn_fail(p->err, MNEME_INVALID, "%s: is no object", field);
    *ret = yyjson_is_obj(value) ? value : NULL;
    return MNEME_OK;
}

static enum mneme_status pairs(struct parse *p, yyjson_val *object, const char *field,
                               struct mneme_pairs *ret)
{
    yyjson_val *value = NULL, *key;
    yyjson_obj_iter iter;
    size_t count = 0;

    MN_TRY(object_of(p, object, field, &value));
    struct mneme_pair *item = mn_arena_array(p->arena, struct mneme_pair, yyjson_obj_size(value) + 1);
    if (!item)
        return mn_fail_memory(p->err);
    iter = yyjson_obj_iter_with(value);
    while ((key = yyjson_obj_iter_next(&iter))) {
        item[count].name = mn_arena_copy(p->arena, yyjson_get_str(key));
        MN_TRY(text(p, value, yyjson_get_str(key), &item[count].value));
        if (!item[count].name || !item[count++].value)
            return mn_fail(p->err, MNEME_INVALID, "%s: %s has no text", field,
                           yyjson_get_str(key));
    }
    *ret = (struct mneme_pairs){ item, count };
    return MNEME_OK;
}

static enum mneme_status flag(struct parse *p, yyjson_val *object, const char *field, bool *ret)
{
    int value = 0;

    MN_TRY(mn_json_bool(object, field, &value, p->err));
    *ret = value != 0;
    return MNEME_OK;
}

static enum mneme_status mode(struct parse *p, yyjson_val *object, const char *field,
                              enum mneme_mode *ret)
{
    const char *name = NULL;

    MN_TRY(text(p, object, field, &name));
    if (!mn_empty(name) && mneme_mode_of(name) == MNEME_MODE_AUTO)
        return mn_fail(p->err, MNEME_INVALID, "%s: '%s' is no mode", field, name);
    if (!mn_empty(name))
        *ret = mneme_mode_of(name);
    return MNEME_OK;
}

/* ---- the request ---- */

static enum mneme_status read_identity(struct parse *p, yyjson_val *object,
                                       struct mneme_identity *identity)
{
    static const char *const known[] = {
        "tenant_id", "user_id", "agent_id", "session_id", "task_id", "project_id", "repository_id",
        "locale", "timezone", "clearance", "permissions", "environment", NULL };
    const char *clearance = NULL;

    MN_TRY(mn_json_only(object, known, p->err));
    MN_TRY(text(p, object, "tenant_id", &identity->tenant_id));
    MN_TRY(text(p, object, "user_id", &identity->user_id));
    MN_TRY(text(p, object, "agent_id", &identity->agent_id));
    MN_TRY(text(p, object, "session_id", &identity->session_id));
    MN_TRY(text(p, object, "task_id", &identity->task_id));
    MN_TRY(text(p, object, "project_id", &identity->project_id));
    MN_TRY(text(p, object, "repository_id", &identity->repository_id));
    MN_TRY(text(p, object, "locale", &identity->locale));
    MN_TRY(text(p, object, "timezone", &identity->timezone));
    MN_TRY(text(p, object, "clearance", &clearance));
    MN_TRY(texts(p, object, "permissions", &identity->permissions));
    MN_TRY(pairs(p, object, "environment", &identity->environment));
    if (!mn_empty(clearance)) {
        identity->clearance = mneme_sensitivity_of(clearance);
        if (identity->clearance == MNEME_SENSITIVITY_NONE)
            return mn_fail(p->err, MNEME_INVALID, "clearance: '%s' is no sensitivity", clearance);
    }
    return MNEME_OK;
}

static enum mneme_status read_budget(struct parse *p, yyjson_val *object,
                                     struct mneme_request *request)
{
    static const char *const known[] = { "max_items", "max_tokens", "max_per_type", NULL };
    yyjson_val *budget = NULL;
    int64_t items = 0, tokens = 0, per_type = 0;

    MN_TRY(object_of(p, object, "budget", &budget));
    if (!budget)
        return MNEME_OK;
    MN_TRY(mn_json_only(budget, known, p->err));
    MN_TRY(mn_json_integer(budget, "max_items", 1, INT32_MAX, &items, p->err));
    MN_TRY(mn_json_integer(budget, "max_tokens", 1, INT32_MAX, &tokens, p->err));
    MN_TRY(mn_json_integer(budget, "max_per_type", 1, INT32_MAX, &per_type, p->err));
    request->items_max = (size_t)items;
    request->tokens_max = (size_t)tokens;
    request->per_type_max = (size_t)per_type;
    return MNEME_OK;
}

static enum mneme_status read_signals(struct parse *p, yyjson_val *object,
                                      struct mneme_signals *signals)
{
    static const char *const known[] = { "tool", "paths", "task_type", NULL };
    yyjson_val *given = NULL;

    MN_TRY(object_of(p, object, "signals", &given));
    if (!given)
        return MNEME_OK;
    MN_TRY(mn_json_only(given, known, p->err));
    MN_TRY(text(p, given, "tool", &signals->tool));
    MN_TRY(text(p, given, "task_type", &signals->task_type));
    return texts(p, given, "paths", &signals->paths);
}

static enum mneme_status read_request(struct parse *p, yyjson_val *object,
                                      struct mn_golden_case *c)
{
    struct mneme_request *request = &c->request;
    yyjson_val *context = NULL;
    struct mneme_list candidates = { 0 };

    MN_TRY(text(p, object, "case_id", &c->id));
    MN_TRY(text(p, object, "request", &request->text));
    MN_TRY(object_of(p, object, "context", &context));
    if (mn_empty(c->id) || mn_empty(request->text) || !context)
        return mn_fail(p->err, MNEME_INVALID, "%s: is missing",
                       mn_empty(c->id) ? "case_id" : context ? "request" : "context");
    MN_TRY(read_identity(p, context, &request->identity));
    MN_TRY(mn_json_time(object, "now", &request->now_ms, p->err));
    MN_TRY(mn_json_time(object, "as_of", &request->as_of_ms, p->err));
    MN_TRY(text(p, object, "intent", &request->intent));
    MN_TRY(mode(p, object, "mode", &request->mode));
    MN_TRY(read_budget(p, object, request));
    MN_TRY(read_signals(p, object, &request->signals));
    MN_TRY(texts(p, object, "task_fields", &request->task_fields));
    MN_TRY(texts(p, object, "candidate_memory_ids", &candidates));
    c->candidates_given = yyjson_is_arr(yyjson_obj_get(object, "candidate_memory_ids"));
    c->candidates = candidates;
    return MNEME_OK;
}

/* ---- what must come of it ---- */

static enum mneme_status read_merged(struct parse *p, yyjson_val *object,
                                     struct mn_golden_expect *e)
{
    yyjson_val *merged = NULL, *key;
    yyjson_obj_iter iter;

    MN_TRY(object_of(p, object, "merged", &merged));
    e->merged = mn_arena_array(p->arena, struct mn_golden_merge, yyjson_obj_size(merged) + 1);
    if (!e->merged)
        return mn_fail_memory(p->err);
    iter = yyjson_obj_iter_with(merged);
    while ((key = yyjson_obj_iter_next(&iter))) {
        struct mn_golden_merge *m = &e->merged[e->merged_count++];

        m->survivor = mn_arena_copy(p->arena, yyjson_get_str(key));
        if (!m->survivor)
            return mn_fail_memory(p->err);
        MN_TRY(texts(p, merged, m->survivor, &m->merged));
    }
    return MNEME_OK;
}

/* The parts of one memory, behind those that are there. */
static enum mneme_status read_parts_of(struct parse *p, const char *id, yyjson_val *parts,
                                       struct mn_golden_expect *e)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(parts);
    yyjson_val *key;

    while ((key = yyjson_obj_iter_next(&iter))) {
        struct mn_golden_part *part = &e->part[e->part_count++];

        part->id = mn_arena_copy(p->arena, id);
        part->part = mn_arena_copy(p->arena, yyjson_get_str(key));
        if (!part->id || !part->part)
            return mn_fail_memory(p->err);
        MN_TRY(mn_json_number(parts, part->part, -1.0, 1.0, &part->value, p->err));
    }
    return MNEME_OK;
}

static enum mneme_status read_parts(struct parse *p, yyjson_val *object,
                                    struct mn_golden_expect *e)
{
    yyjson_val *all = NULL, *key;
    yyjson_obj_iter iter;
    size_t count = 1;

    MN_TRY(object_of(p, object, "score_parts", &all));
    iter = yyjson_obj_iter_with(all);
    while ((key = yyjson_obj_iter_next(&iter)))
        count += yyjson_obj_size(yyjson_obj_iter_get_val(key));
    e->part = mn_arena_array(p->arena, struct mn_golden_part, count);
    if (!e->part)
        return mn_fail_memory(p->err);
    iter = yyjson_obj_iter_with(all);
    while ((key = yyjson_obj_iter_next(&iter)))
        MN_TRY(read_parts_of(p, yyjson_get_str(key), yyjson_obj_iter_get_val(key), e));
    return MNEME_OK;
}

static enum mneme_status read_bounds(struct parse *p, yyjson_val *object,
                                     struct mn_golden_expect *e)
{
    yyjson_val *bounds = NULL, *key;
    yyjson_obj_iter iter;

    MN_TRY(object_of(p, object, "max_of_type", &bounds));
    e->bound = mn_arena_array(p->arena, struct mn_golden_bound, yyjson_obj_size(bounds) + 1);
    if (!e->bound)
        return mn_fail_memory(p->err);
    iter = yyjson_obj_iter_with(bounds);
    while ((key = yyjson_obj_iter_next(&iter))) {
        struct mn_golden_bound *bound = &e->bound[e->bound_count++];
        int64_t most = 0;

        bound->type = mn_arena_copy(p->arena, yyjson_get_str(key));
        if (!bound->type)
            return mn_fail_memory(p->err);
        MN_TRY(mn_json_integer(bounds, bound->type, 0, INT32_MAX, &most, p->err));
        bound->most = (size_t)most;
    }
    return MNEME_OK;
}

/* `flat`: beside the request, with the evaluator's own two names. */
static enum mneme_status read_expect(struct parse *p, yyjson_val *object, bool flat,
                                     struct mn_golden_expect *e)
{
    e->max_prompt_tokens = e->max_items = -1;
    MN_TRY(mode(p, object, flat ? "expected_mode" : "mode", &e->mode));
    MN_TRY(texts(p, object, flat ? "expected_clarification" : "clarify_keys", &e->clarify_keys));
    MN_TRY(texts(p, object, "required_memory_ids", &e->required));
    MN_TRY(texts(p, object, "forbidden_memory_ids", &e->forbidden));
    MN_TRY(pairs(p, object, "forbidden_reasons", &e->reasons));
    MN_TRY(texts(p, object, "order", &e->order));
    MN_TRY(texts(p, object, "exactly", &e->exactly));
    e->exactly_given = yyjson_is_arr(yyjson_obj_get(object, "exactly"));
    MN_TRY(flag(p, object, "empty", &e->empty));
    MN_TRY(texts(p, object, "blocking_keys", &e->blocking_keys));
    MN_TRY(texts(p, object, "unasked_keys", &e->unasked_keys));
    MN_TRY(texts(p, object, "conflict_keys", &e->conflict_keys));
    MN_TRY(read_merged(p, object, e));
    MN_TRY(mn_json_integer(object, "max_prompt_tokens", 0, INT32_MAX, &e->max_prompt_tokens,
                           p->err));
    MN_TRY(texts(p, object, "suspicious_ids", &e->suspicious));
    MN_TRY(texts(p, object, "plain_ids", &e->plain));
    MN_TRY(texts(p, object, "outside_constraints", &e->outside_constraints));
    MN_TRY(read_parts(p, object, e));
    MN_TRY(texts(p, object, "forbidden_text", &e->forbidden_text));
    MN_TRY(flag(p, object, "budget_exceeded", &e->budget_exceeded));
    MN_TRY(mn_json_integer(object, "max_items", 0, INT32_MAX, &e->max_items, p->err));
    return read_bounds(p, object, e);
}

#define REQUEST_FIELDS                                                                             \
    "case_id", "title", "tags", "request", "context", "now", "as_of", "intent", "mode", "budget",   \
        "signals", "task_fields", "candidate_memory_ids", "why"
#define EXPECT_FIELDS                                                                              \
    "required_memory_ids", "forbidden_memory_ids", "forbidden_reasons", "order", "exactly",         \
        "empty", "blocking_keys", "unasked_keys", "conflict_keys", "merged", "max_prompt_tokens",   \
        "suspicious_ids", "plain_ids", "outside_constraints", "score_parts", "forbidden_text",      \
        "budget_exceeded", "max_items", "max_of_type"

enum mneme_status mn_golden_case_parse(struct mn_str line, struct mn_arena *arena,
                                       struct mn_golden_case *ret_case, struct mneme_error *err)
{
    static const char *const full[] = { REQUEST_FIELDS, "expect", NULL };
    static const char *const inner[] = { EXPECT_FIELDS, "mode", "clarify_keys", NULL };
    static const char *const flat[] = { REQUEST_FIELDS, EXPECT_FIELDS, "expected_mode",
                                        "expected_clarification", NULL };
    struct parse p = { arena, err };
    struct mn_golden_case c = { .request = MNEME_REQUEST_INIT };
    yyjson_val *expect = NULL;
    MN_JSON_AUTO doc = NULL;

    MN_TRY(mn_json_parse("case", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(object_of(&p, root, "expect", &expect));
    MN_TRY(mn_json_only(root, expect ? full : flat, err));
    if (expect)
        MN_TRY(mn_json_only(expect, inner, err));
    MN_TRY(read_request(&p, root, &c));
    MN_TRY(read_expect(&p, expect ? expect : root, !expect, &c.expect));
    *ret_case = c;
    return MNEME_OK;
}
