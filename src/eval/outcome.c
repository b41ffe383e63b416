/*
 * outcome.c - reading an answer in the data's own terms: ids, texts, fates.
 */
#include "eval/outcome.h"

#include <string.h>

#include "base/json.h"
#include "eval/hard_rules.h"

/* Short pieces of a checkpoint ("ok") stand in many texts; only longer ones tell something. */
#define TELLING_BYTES_MIN 12

/* ---- ids ---- */

/* A checkpoint is known by session and task, which its attributes name. */
static const char *checkpoint_id(const struct mn_golden *golden, const struct mneme_memory *item,
                                 struct mn_arena *arena)
{
    MN_JSON_AUTO doc = NULL;
    const char *session = "", *task = "";
    const char *attributes = mn_or_empty(item->attributes);

    if (mn_json_parse("attributes", attributes, strlen(attributes), &doc, NULL) != MNEME_OK)
        return item->id;
    yyjson_val *root = yyjson_doc_get_root(doc);
    mn_json_text(root, "session_id", MNEME_ID_BYTES_MAX, arena, &session, NULL);
    mn_json_text(root, "task_id", MNEME_ID_BYTES_MAX, arena, &task, NULL);
    for (size_t i = 0; i < golden->states.count; i++) {
        const struct mneme_task_state *row = golden->states.item[i].row;

        if (mn_same(row->tenant_id, item->tenant_id) && mn_same(row->user_id, item->user_id) &&
            mn_same(row->session_id, session) && mn_same(row->task_id, task))
            return golden->states.item[i].id;
    }
    return item->id;
}

static const char *data_id(const struct mn_golden *golden, const struct mneme_memory *item,
                           struct mn_arena *arena)
{
    if (mn_golden_memory(golden, item->id) || !mn_same(item->type, "task_state"))
        return item->id;
    return checkpoint_id(golden, item, arena);
}

size_t mn_outcome_at(const struct mn_outcome *outcome, const char *id)
{
    size_t at = 0;

    while (at < outcome->answer->item_count && !mn_same(outcome->ids[at], id))
        at++;
    return at;
}

/* ---- texts ---- */

static bool holds(const char *text, const char *part)
{
    return !mn_empty(part) && strstr(mn_or_empty(text), part) != NULL;
}

/* Does an item that is shown say these words itself? Then the words are its own. */
static bool item_says(const struct mn_outcome *outcome, const char *words)
{
    for (size_t i = 0; i < outcome->answer->item_count; i++) {
        const struct mneme_memory *m = outcome->answer->item[i].memory;

        if (holds(m->content, words) || holds(m->summary, words) || holds(m->title, words))
            return true;
    }
    return false;
}

static bool tells_words(const struct mn_outcome *outcome, const char *words)
{
    return holds(outcome->xml.text, words) && !item_says(outcome, words);
}

/* Any text of the checkpoint, however deep. */
static bool tells_value(const struct mn_outcome *outcome, yyjson_val *value)
{
    yyjson_val *inner;
    size_t at, max;
    yyjson_val *key;

    if (yyjson_is_str(value))
        return yyjson_get_len(value) >= TELLING_BYTES_MIN &&
               tells_words(outcome, yyjson_get_str(value));
    yyjson_arr_foreach(value, at, max, inner) {
        if (tells_value(outcome, inner))
            return true;
    }
    yyjson_obj_foreach(value, at, max, key, inner) {
        if (tells_value(outcome, inner))
            return true;
    }
    return false;
}

bool mn_outcome_tells(const struct mn_outcome *outcome, const char *id)
{
    const struct mneme_memory *memory = mn_golden_memory(outcome->golden, id);
    const struct mn_golden_state *state = mn_golden_state(outcome->golden, id);
    MN_JSON_AUTO doc = NULL;

    if (memory)
        return tells_words(outcome, memory->content);
    if (!state || mn_json_parse("state", state->row->state, strlen(state->row->state), &doc,
                                NULL) != MNEME_OK)
        return false;
    return tells_value(outcome, yyjson_doc_get_root(doc));
}

/* ---- the trace ---- */

/* The entry of this id in the list `name` of the trace. */
static yyjson_val *entry_of(const struct mn_outcome *outcome, const char *name, const char *id)
{
    yyjson_val *entry;
    size_t at, max;

    yyjson_arr_foreach(yyjson_obj_get(outcome->trace, name), at, max, entry) {
        if (yyjson_equals_str(yyjson_obj_get(entry, "id"), id))
            return entry;
    }
    return NULL;
}

/* Rejected ones that are not among the best stand as ids by reason. */
static const char *other_reason(const struct mn_outcome *outcome, const char *id)
{
    yyjson_val *reason, *ids, *one;
    size_t at, max, i, count;

    yyjson_obj_foreach(yyjson_obj_get(outcome->trace, "others"), at, max, reason, ids) {
        yyjson_arr_foreach(ids, i, count, one) {
            if (yyjson_equals_str(one, id))
                return yyjson_get_str(reason);
        }
    }
    return NULL;
}

/* The id a trace knows it by: a checkpoint is "checkpoint:<session>/<task>". */
static const char *trace_id(const struct mn_outcome *outcome, const char *id)
{
    const struct mn_golden_state *state = mn_golden_state(outcome->golden, id);

    if (!state)
        return id;
    return mn_or_empty(mn_arena_printf(outcome->arena, "checkpoint:%s/%s", state->row->session_id,
                                       state->row->task_id));
}

const char *mn_outcome_fate(const struct mn_outcome *outcome, const char *named)
{
    const char *id = trace_id(outcome, named);
    yyjson_val *entry = entry_of(outcome, "rejected", id);
    const char *other = other_reason(outcome, id);
    const char *fate;

    if (entry)
        fate = mn_arena_printf(outcome->arena, "%s (%s at %s, score %.3f)", id,
                               yyjson_get_str(yyjson_obj_get(entry, "reason")),
                               yyjson_get_str(yyjson_obj_get(entry, "stage")),
                               yyjson_get_num(yyjson_obj_get(entry, "score")));
    else
        fate = mn_arena_printf(outcome->arena, "%s (%s)", id, other ? other : "was no candidate");
    return mn_or_empty(fate);
}

bool mn_outcome_part(const struct mn_outcome *outcome, const char *id, const char *part,
                     double *ret_value)
{
    yyjson_val *entry = entry_of(outcome, "selected", id);

    if (!entry)
        entry = entry_of(outcome, "rejected", id);
    yyjson_val *value = yyjson_obj_get(yyjson_obj_get(entry, "parts"), part);
    if (!yyjson_is_num(value))
        return false;
    *ret_value = yyjson_get_num(value);
    return true;
}

const struct mneme_conflict *mn_outcome_conflict(const struct mn_outcome *outcome, const char *key)
{
    for (size_t i = 0; i < outcome->answer->conflict_count; i++)
        if (mn_same(outcome->answer->conflict[i].memory_key, key))
            return &outcome->answer->conflict[i];
    return NULL;
}

/* ---- leaks and stale ones ---- */

/* The rules that what is shown under this id breaks. */
static unsigned broken_by(const struct mn_outcome *outcome, const char *id)
{
    const struct mneme_memory *memory = mn_golden_memory(outcome->golden, id);
    const struct mn_golden_state *state = mn_golden_state(outcome->golden, id);

    return memory  ? mn_hard_broken(outcome->golden, outcome->c, memory)
           : state ? mn_hard_broken_state(outcome->c, state->row)
                   : 0;
}

bool mn_outcome_leaks(const struct mn_outcome *outcome)
{
    const struct mn_golden_expect *e = &outcome->c->expect;

    for (size_t i = 0; i < outcome->answer->item_count; i++) {
        unsigned broken = broken_by(outcome, outcome->ids[i]);

        for (int rule = 0; rule < MN_HARD_COUNT; rule++)
            if ((broken & 1u << rule) && mn_hard_is_leak(mn_hard_name((enum mn_hard_rule)rule)))
                return true;
    }
    for (size_t i = 0; i < e->reasons.count; i++)
        if (mn_hard_is_leak(e->reasons.item[i].value) &&
            (mn_outcome_at(outcome, e->reasons.item[i].name) < outcome->answer->item_count ||
             mn_outcome_tells(outcome, e->reasons.item[i].name)))
            return true;
    return false;
}

size_t mn_outcome_stale(const struct mn_outcome *outcome)
{
    size_t count = 0;

    for (size_t i = 0; i < outcome->answer->item_count; i++) {
        unsigned broken = broken_by(outcome, outcome->ids[i]);
        bool stale = false;

        for (int rule = 0; rule < MN_HARD_COUNT; rule++)
            stale |= (broken & 1u << rule) &&
                     mn_hard_is_stale(mn_hard_name((enum mn_hard_rule)rule));
        count += stale;
    }
    return count;
}

/* ---- making ---- */

enum mneme_status mn_outcome_make(const struct mn_golden *golden, const struct mn_golden_case *c,
                                  const struct mneme_answer *answer,
                                  const struct mneme_answer *again, struct mn_arena *arena,
                                  yyjson_doc **ret_trace, struct mn_outcome *ret_outcome,
                                  struct mneme_error *err)
{
    struct mn_outcome o = { golden, c, answer, again, .arena = arena };
    const char *trace = mn_or_empty(answer->trace);
    struct mneme_error why;
    yyjson_doc *doc = NULL;

    o.ids = mn_arena_array(arena, const char *, answer->item_count + 1);
    if (!o.ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < answer->item_count; i++)
        o.ids[i] = data_id(golden, answer->item[i].memory, arena);
    enum mneme_status status = mn_xml_check(mn_or_empty(answer->xml), arena, &o.xml, &why);
    if (status == MNEME_INVALID)
        o.xml_fault = mn_or_empty(mn_arena_copy(arena, why.message));
    else if (status != MNEME_OK)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("trace", trace, strlen(trace), &doc, err));
    o.trace = yyjson_doc_get_root(doc);
    *ret_trace = doc;
    *ret_outcome = o;
    return MNEME_OK;
}
