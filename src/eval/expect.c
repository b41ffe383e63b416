/*
 * expect.c - does the answer hold what the case expects?
 *
 * Each function reads one field of the case and answers NULL when it holds (also when the case does
 * not give it), else what was got instead. The last ones are asked of every case.
 */
#include "eval/expect.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "eval/hard_rules.h"

#define ITEMS_MAX 6 /* where the case gives no budget */
#define PART_TOLERANCE (0.002 + 1e-9) /* the limit itself holds */

/* ---- telling ---- */

/* Words joined by ", "; NULL while nothing was added. */
struct words {
    struct mn_buf text;
};

static void add(struct words *words, const char *word)
{
    if (words->text.bytes)
        mn_buf_text(&words->text, ", ");
    mn_buf_text(&words->text, word ? word : "(no memory to tell)");
}

static const char *finish(struct words *words, const struct mn_outcome *o, const char *before)
{
    const char *got = NULL;

    if (words->text.bytes || words->text.failed)
        got = mn_or_empty(mn_arena_printf(o->arena, "%s%s", before, mn_or_empty(words->text.at)));
    mn_buf_release(&words->text);
    return got;
}

static const char *all_ids(const struct mn_outcome *o)
{
    struct words words = { 0 };

    for (size_t i = 0; i < o->answer->item_count; i++)
        add(&words, o->ids[i]);
    const char *got = finish(&words, o, "");
    return got ? got : "nothing";
}

static bool shown(const struct mn_outcome *o, const char *id)
{
    return mn_outcome_at(o, id) < o->answer->item_count;
}

/* ---- what is in it ---- */

static const char *mode(const struct mn_outcome *o)
{
    if (o->c->expect.mode == MNEME_MODE_AUTO || o->answer->mode == o->c->expect.mode)
        return NULL;
    return mn_or_empty(mn_arena_printf(o->arena, "%s (%s)", mneme_mode_name(o->answer->mode),
                                       o->answer->mode_reason));
}

static const char *required(const struct mn_outcome *o)
{
    const struct mneme_list *ids = &o->c->expect.required;
    struct words missing = { 0 };

    for (size_t i = 0; i < ids->count; i++)
        if (!shown(o, ids->item[i]))
            add(&missing, mn_outcome_fate(o, ids->item[i]));
    return finish(&missing, o, "missing: ");
}

static const char *forbidden(const struct mn_outcome *o)
{
    const struct mneme_list *ids = &o->c->expect.forbidden;
    struct words there = { 0 };

    for (size_t i = 0; i < ids->count; i++) {
        if (shown(o, ids->item[i]))
            add(&there, ids->item[i]);
        else if (mn_outcome_tells(o, ids->item[i]))
            add(&there, mn_arena_printf(o->arena, "%s as text", ids->item[i]));
    }
    return finish(&there, o, "in the result: ");
}

/* Of two with one score the one that stands first. */
static bool outranks(const struct mn_outcome *o, size_t a, size_t b)
{
    if (a == o->answer->item_count)
        return false;
    double above = o->answer->item[a].score, below = o->answer->item[b].score;
    return above > below || (above >= below && a < b);
}

/* What is not there ranks below all that is; two that are not there say nothing. */
static const char *order(const struct mn_outcome *o)
{
    const struct mneme_list *ids = &o->c->expect.order;
    struct words wrong = { 0 };

    for (size_t i = 0; i < ids->count; i++) {
        for (size_t j = i + 1; j < ids->count; j++) {
            size_t a = mn_outcome_at(o, ids->item[i]), b = mn_outcome_at(o, ids->item[j]);

            if (b < o->answer->item_count && !outranks(o, a, b))
                add(&wrong, mn_arena_printf(o->arena, "%s above %s", ids->item[j], ids->item[i]));
        }
    }
    return finish(&wrong, o, "");
}

static const char *exactly(const struct mn_outcome *o)
{
    const struct mneme_list *ids = &o->c->expect.exactly;
    bool same = o->answer->item_count == ids->count;

    for (size_t i = 0; i < ids->count; i++)
        same = same && shown(o, ids->item[i]);
    return same || !o->c->expect.exactly_given ? NULL : all_ids(o);
}

static const char *empty(const struct mn_outcome *o)
{
    if (!o->c->expect.empty)
        return NULL;
    if (!o->answer->item_count && !mn_empty(o->answer->xml))
        return "a block without a memory";
    return o->answer->item_count ? all_ids(o) : NULL;
}

static const char *forbidden_text(const struct mn_outcome *o)
{
    const struct mneme_list *texts = &o->c->expect.forbidden_text;
    struct words there = { 0 };

    for (size_t i = 0; i < texts->count; i++)
        if (strstr(mn_or_empty(o->answer->xml), texts->item[i]))
            add(&there, texts->item[i]);
    return finish(&there, o, "in the block: ");
}

/* ---- conflicts ---- */

static const char *value_of(const struct mn_golden *golden, const char *id)
{
    const struct mneme_memory *m = mn_golden_memory(golden, id);

    return !m ? "" : mn_empty(m->value) ? m->content : m->value;
}

/* Names all that the case knows to be rivals, at least two that do not say the same, and no row of
 * another key. */
static bool names_rivals(const struct mn_outcome *o, const struct mneme_conflict *conflict)
{
    const struct mneme_pairs *reasons = &o->c->expect.reasons;
    bool rivals = false;

    for (size_t i = 0; i < reasons->count; i++) {
        const struct mneme_memory *m = mn_golden_memory(o->golden, reasons->item[i].name);

        if (m && mn_same(m->memory_key, conflict->memory_key) &&
            mn_same(reasons->item[i].value, "clarify") && !mn_list_holds(&conflict->ids, m->id))
            return false;
    }
    for (size_t i = 0; i < conflict->ids.count; i++) {
        const struct mneme_memory *m = mn_golden_memory(o->golden, conflict->ids.item[i]);

        if (!m || !mn_same(m->memory_key, conflict->memory_key))
            return false;
        rivals |= !mn_same(value_of(o->golden, conflict->ids.item[i]),
                           value_of(o->golden, conflict->ids.item[0]));
    }
    return rivals;
}

static const char *clarify_keys(const struct mn_outcome *o)
{
    const struct mneme_list *keys = &o->c->expect.clarify_keys;
    struct words wrong = { 0 };

    for (size_t i = 0; i < keys->count; i++) {
        const struct mneme_conflict *conflict = mn_outcome_conflict(o, keys->item[i]);

        if (!conflict)
            add(&wrong, mn_arena_printf(o->arena, "%s is no conflict", keys->item[i]));
        else if (!conflict->needs_clarification || mn_empty(conflict->question))
            add(&wrong, mn_arena_printf(o->arena, "%s is not asked", keys->item[i]));
        else if (!names_rivals(o, conflict))
            add(&wrong, mn_arena_printf(o->arena, "%s does not name its rivals", keys->item[i]));
    }
    return finish(&wrong, o, "");
}

static const char *blocking_keys(const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;
    struct words wrong = { 0 };

    for (size_t i = 0; i < e->clarify_keys.count; i++) {
        const char *key = e->clarify_keys.item[i];
        const struct mneme_conflict *conflict = mn_outcome_conflict(o, key);

        if (conflict && !conflict->blocking != !mn_list_holds(&e->blocking_keys, key))
            add(&wrong, mn_arena_printf(o->arena, "%s is %s", key,
                                        conflict->blocking ? "blocking" : "not blocking"));
    }
    return finish(&wrong, o, "");
}

static const char *unasked_keys(const struct mn_outcome *o)
{
    const struct mneme_list *keys = &o->c->expect.unasked_keys;
    struct words asked = { 0 };

    for (size_t i = 0; i < keys->count; i++) {
        const struct mneme_conflict *conflict = mn_outcome_conflict(o, keys->item[i]);

        if (conflict && conflict->needs_clarification)
            add(&asked, keys->item[i]);
    }
    return finish(&asked, o, "asked: ");
}

static bool lost(const char *reason)
{
    return mn_same(reason, "conflict_loser") || mn_same(reason, "forced_rival");
}

static const char *conflict_keys(const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;
    struct words wrong = { 0 };

    for (size_t i = 0; i < e->conflict_keys.count; i++) {
        const char *key = e->conflict_keys.item[i];
        const struct mneme_conflict *conflict = mn_outcome_conflict(o, key);

        if (!conflict)
            add(&wrong, mn_arena_printf(o->arena, "%s is no conflict", key));
        else if (!conflict->withheld.count)
            add(&wrong, mn_arena_printf(o->arena, "%s names none withheld", key));
        for (size_t j = 0; conflict && j < e->reasons.count; j++) {
            const struct mneme_memory *m = mn_golden_memory(o->golden, e->reasons.item[j].name);

            if (m && mn_same(m->memory_key, key) && lost(e->reasons.item[j].value) &&
                !mn_list_holds(&conflict->withheld, m->id))
                add(&wrong, mn_arena_printf(o->arena, "%s is not said to be withheld", m->id));
        }
    }
    return finish(&wrong, o, "");
}

static const char *merged(const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;
    struct words wrong = { 0 };

    for (size_t i = 0; i < e->merged_count; i++) {
        const struct mn_golden_merge *m = &e->merged[i];
        size_t at = mn_outcome_at(o, m->survivor);

        if (at == o->answer->item_count) {
            add(&wrong, mn_outcome_fate(o, m->survivor));
            continue;
        }
        const struct mneme_list *from = &o->answer->item[at].merged_from;
        for (size_t j = 0; j < m->merged.count; j++)
            if (!mn_list_holds(from, m->merged.item[j]))
                add(&wrong, mn_arena_printf(o->arena, "%s did not take in %s", m->survivor,
                                            m->merged.item[j]));
        for (size_t j = 0; j < from->count; j++)
            if (!mn_list_holds(&m->merged, from->item[j]) && !mn_same(from->item[j], m->survivor))
                add(&wrong,
                    mn_arena_printf(o->arena, "%s took in %s", m->survivor, from->item[j]));
    }
    return finish(&wrong, o, "");
}

/* ---- orders in texts ---- */

static const struct mn_xml_memory *element_of(const struct mn_outcome *o, size_t item)
{
    for (size_t i = 0; i < o->xml.count; i++)
        if (mn_same(o->xml.item[i].id, o->answer->item[item].memory->id))
            return &o->xml.item[i];
    return NULL;
}

/* In the result, but not flagged as is `wanted`, in the item or in the block. */
static const char *flags(const struct mn_outcome *o, const struct mneme_list *ids, bool flagged)
{
    struct words wrong = { 0 };

    for (size_t i = 0; i < ids->count; i++) {
        size_t at = mn_outcome_at(o, ids->item[i]);

        if (at == o->answer->item_count)
            continue;
        const struct mn_xml_memory *element = element_of(o, at);
        if ((o->answer->item[at].suspicious != 0) != flagged ||
            (element && element->suspicious != flagged))
            add(&wrong, ids->item[i]);
    }
    return finish(&wrong, o, flagged ? "not flagged: " : "flagged: ");
}

static const char *suspicious(const struct mn_outcome *o)
{
    return flags(o, &o->c->expect.suspicious, true);
}

static const char *plain(const struct mn_outcome *o)
{
    return flags(o, &o->c->expect.plain, false);
}

static const char *outside_constraints(const struct mn_outcome *o)
{
    const struct mneme_list *ids = &o->c->expect.outside_constraints;
    struct words inside = { 0 };

    for (size_t i = 0; i < ids->count; i++) {
        size_t at = mn_outcome_at(o, ids->item[i]);
        const struct mn_xml_memory *element =
            at < o->answer->item_count ? element_of(o, at) : NULL;

        if (element && mn_same(element->section, "constraints"))
            add(&inside, ids->item[i]);
    }
    return finish(&inside, o, "in constraints: ");
}

/* ---- numbers ---- */

static const char *max_prompt_tokens(const struct mn_outcome *o)
{
    int64_t most = o->c->expect.max_prompt_tokens;

    if (most < 0 || o->answer->tokens_used <= (size_t)most)
        return NULL;
    return mn_or_empty(mn_arena_printf(o->arena, "%zu", o->answer->tokens_used));
}

static const char *score_parts(const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;
    struct words wrong = { 0 };

    for (size_t i = 0; i < e->part_count; i++) {
        const struct mn_golden_part *part = &e->part[i];
        double value = 0;

        if (!mn_outcome_part(o, part->id, part->part, &value))
            add(&wrong, mn_outcome_fate(o, part->id));
        else if (fabs(value - part->value) > PART_TOLERANCE)
            add(&wrong, mn_arena_printf(o->arena, "%s %s %.4f", part->id, part->part, value));
    }
    return finish(&wrong, o, "");
}

static const char *budget_exceeded(const struct mn_outcome *o)
{
    return o->c->expect.budget_exceeded && !o->answer->budget_exceeded ? "not said" : NULL;
}

static const char *max_items(const struct mn_outcome *o)
{
    int64_t most = o->c->expect.max_items;

    if (most < 0 || o->answer->item_count <= (size_t)most)
        return NULL;
    return mn_or_empty(mn_arena_printf(o->arena, "%zu", o->answer->item_count));
}

static const char *max_of_type(const struct mn_outcome *o)
{
    const struct mn_golden_expect *e = &o->c->expect;
    struct words wrong = { 0 };

    for (size_t i = 0; i < e->bound_count; i++) {
        size_t count = 0;

        for (size_t j = 0; j < o->answer->item_count; j++)
            count += mn_same(o->answer->item[j].memory->type, e->bound[i].type);
        if (count > e->bound[i].most)
            add(&wrong, mn_arena_printf(o->arena, "%zu of %s", count, e->bound[i].type));
    }
    return finish(&wrong, o, "");
}

/* ---- of every case ---- */

static const char *xml(const struct mn_outcome *o)
{
    return o->xml_fault;
}

static size_t elements_of(const struct mn_outcome *o, const char *id)
{
    size_t count = 0;

    for (size_t i = 0; i < o->xml.count; i++)
        count += mn_same(o->xml.item[i].id, id);
    return count;
}

static const char *one_element_per_item(const struct mn_outcome *o)
{
    struct words wrong = { 0 };

    if (o->xml_fault)
        return NULL;
    if (o->xml.count != o->answer->item_count)
        add(&wrong, mn_arena_printf(o->arena, "%zu elements for %zu items", o->xml.count,
                                    o->answer->item_count));
    for (size_t i = 0; i < o->answer->item_count; i++)
        if (elements_of(o, o->answer->item[i].memory->id) != 1)
            add(&wrong, mn_arena_printf(o->arena, "%zu elements of %s",
                                        elements_of(o, o->answer->item[i].memory->id), o->ids[i]));
    return finish(&wrong, o, "");
}

/* Or the forced ones alone, where they are as many or more. */
static const char *items_within_budget(const struct mn_outcome *o)
{
    size_t most = o->c->request.items_max ? o->c->request.items_max : ITEMS_MAX;
    size_t forced = 0;

    for (size_t i = 0; i < o->answer->item_count; i++)
        forced += o->answer->item[i].forced != 0;
    if (o->answer->item_count <= most || o->answer->item_count == forced)
        return NULL;
    return mn_or_empty(mn_arena_printf(o->arena, "%zu items, %zu of them forced, at most %zu",
                                       o->answer->item_count, forced, most));
}

static void add_broken(const struct mn_outcome *o, const char *id, unsigned broken,
                       struct words *wrong)
{
    for (int rule = 0; rule < MN_HARD_COUNT; rule++)
        if (broken & 1u << rule)
            add(wrong, mn_arena_printf(o->arena, "%s is %s", id,
                                       mn_hard_name((enum mn_hard_rule)rule)));
}

static const char *hard_rules(const struct mn_outcome *o)
{
    struct words wrong = { 0 };

    for (size_t i = 0; i < o->answer->item_count; i++) {
        const char *id = o->ids[i];
        const struct mneme_memory *memory = mn_golden_memory(o->golden, id);
        const struct mn_golden_state *state = mn_golden_state(o->golden, id);

        if (memory)
            add_broken(o, id, mn_hard_broken(o->golden, o->c, memory), &wrong);
        else if (state)
            add_broken(o, id, mn_hard_broken_state(o->c, state->row), &wrong);
        else
            add(&wrong, mn_arena_printf(o->arena, "%s is not in the data", id));
        if (memory && !mn_golden_holds(o->c, id))
            add(&wrong, mn_arena_printf(o->arena, "%s is not in the store", id));
    }
    return finish(&wrong, o, "");
}

static const char *repeatable(const struct mn_outcome *o)
{
    const struct mneme_answer *a = o->answer, *b = o->again;

    if (a->mode != b->mode || a->item_count != b->item_count ||
        a->tokens_used != b->tokens_used || a->conflict_count != b->conflict_count ||
        !mn_same(a->xml, b->xml))
        return "another answer to the same request";
    for (size_t i = 0; i < a->item_count; i++)
        if (!mn_same(a->item[i].memory->id, b->item[i].memory->id) ||
            a->item[i].score < b->item[i].score || a->item[i].score > b->item[i].score)
            return "other items or scores for the same request";
    return NULL;
}

const struct mn_expectation mn_expectations[] = {
    { "mode", mode },
    { "required_memory_ids", required },
    { "forbidden_memory_ids", forbidden },
    { "order", order },
    { "exactly", exactly },
    { "empty", empty },
    { "clarify_keys", clarify_keys },
    { "blocking_keys", blocking_keys },
    { "unasked_keys", unasked_keys },
    { "conflict_keys", conflict_keys },
    { "merged", merged },
    { "max_prompt_tokens", max_prompt_tokens },
    { "suspicious_ids", suspicious },
    { "plain_ids", plain },
    { "outside_constraints", outside_constraints },
    { "score_parts", score_parts },
    { "forbidden_text", forbidden_text },
    { "budget_exceeded", budget_exceeded },
    { "max_items", max_items },
    { "max_of_type", max_of_type },
    { "xml", xml },
    { "one_element_per_item", one_element_per_item },
    { "items_within_budget", items_within_budget },
    { "hard_rules", hard_rules },
    { "repeatable", repeatable },
};
const size_t mn_expectation_count = sizeof mn_expectations / sizeof *mn_expectations;
