/*
 * dedupe.c - a draft beside what is there: is it new, the same, the same in other words, or the
 * opposite?
 *
 * What is alike lies in the draft's own partition, agent and scope; the same text elsewhere is
 * another memory. Inside, in this order:
 *
 *   the same text                  confirms what is there; US and us are not the same
 *   the same key and value, or a   merges into the older one; a nomination by the index counts for
 *   rewording                      nothing until the text rules agree (text/compare.h)
 *   the same key, another value    the draft supersedes what is there, by tier and then by time
 *   anything else                  is a memory of its own, however much it speaks of the same thing
 *
 * Superseding is refused, and both stay as rivals with a question, where it would be a guess: an
 * inference against an explicit statement, anyone's word against an administrator's, two equals of
 * one date, and two undated equals that are unsure or risky. That is where the reading side would
 * ask as well (retrieve/resolve.c): what is sure enough to answer with is sure enough to replace.
 * An undated statement is said now, and the order of commits decides between two of them.
 *
 * A dated draft that is older than what is there never becomes current: it enters as superseded.
 *
 * What is planned, a row that begins on a day to come, is no rival of what holds until then: the
 * draft ends where the plan begins. Whoever means to replace the plan itself names it.
 *
 * A draft is taken into a row only where the row can hold all it says (join.c). What is for other
 * readers or environments, begins before the row does or has ended, or replaces the row itself, is a
 * row of its own, whatever its words.
 */
#include "remember/draft.h"

#include <string.h>

#include "memory/record.h"
#include "memory/type.h"
#include "memory/weight.h"
#include "remember/preference.h"
#include "text/compare.h"
#include "text/glance.h"

#define TRUSTED 0.8 /* as in retrieve/resolve.c */
#define LOOKS_MIN 0.35 /* light rewordings share 0.53 and more, other sentences 0.07 to 0.39 */
#define SCRATCH_BYTES_MAX ((size_t)8 << 20)
#define MOMENT_MS (60 * INT64_C(1000))

struct deciding {
    const struct mneme_memory *draft;
    const char *value; /* of the draft; of one without a key nobody asks */
    struct mn_glance glance; /* at its text */
    int64_t said_at_ms;
    int64_t now_ms;
    struct mn_arena *scratch;
};

/* ---- the same? ---- */

static bool holds_now(const struct mneme_memory *row, int64_t now_ms)
{
    return row->status == MNEME_ACTIVE && (!row->valid_until_ms || row->valid_until_ms > now_ms);
}

static bool same_place(const struct mneme_memory *a, const struct mneme_memory *b)
{
    return mn_same(a->user_id, b->user_id) && mn_same(a->agent_id, b->agent_id) &&
           a->scope_kind == b->scope_kind && mn_same(a->scope_id, b->scope_id);
}

/* Two incidents in the same words on two days are two. */
static bool same_kind(const struct mneme_memory *a, const struct mneme_memory *b)
{
    return mn_same(a->type, b->type) && (mn_type_of(a->type)->kind != MN_KIND_EPISODIC ||
                                         a->event_time_ms == b->event_time_ms);
}

/*
 * Whoever may read the row may read what the draft says, and it applies where the draft does. A draft
 * that asks for a permission may close a row that asks for none.
 */
static bool same_readers(const struct mneme_memory *a, const struct mneme_memory *b)
{
    bool same = a->applies_to.count == b->applies_to.count &&
                (mn_same(a->requires_permission, b->requires_permission) ||
                 (mn_empty(b->requires_permission) && mn_join_may_set(b, a)));

    for (size_t i = 0; same && i < a->applies_to.count; i++)
        same = mn_same(a->applies_to.item[i].name, b->applies_to.item[i].name) &&
               mn_same(a->applies_to.item[i].value, b->applies_to.item[i].value);
    return same;
}

static bool same_key(const struct mneme_memory *a, const struct mneme_memory *b)
{
    return !mn_empty(a->memory_key) && mn_same(a->memory_key, b->memory_key);
}

static bool same_value(const struct deciding *d, const struct mneme_memory *row)
{
    const char *value = mn_memory_value(row, d->scratch);

    return d->value && value && strcmp(d->value, value) == 0;
}

static bool same_text(const struct mneme_memory *a, const struct mneme_memory *b)
{
    return mn_same(a->content_hash, b->content_hash) && mn_text_identical(a->content, b->content);
}

/* The row holds as long as the draft does, from the draft's beginning on, and may yet end with it. */
static bool same_time(const struct deciding *d, const struct mneme_memory *row)
{
    const struct mneme_memory *draft = d->draft;
    int64_t from_ms = draft->valid_from_ms ? draft->valid_from_ms : d->now_ms;

    return holds_now(draft, d->now_ms) && holds_now(row, d->now_ms) &&
           row->valid_from_ms <= from_ms &&
           (!row->valid_until_ms || row->valid_until_ms > from_ms);
}

/* A row replaces one other at most, and never itself. */
static bool same_successor(const struct mneme_memory *draft, const struct mneme_memory *row)
{
    return mn_empty(draft->supersedes) ||
           (!mn_same(draft->supersedes, row->id) &&
            (mn_empty(row->supersedes) || mn_same(draft->supersedes, row->supersedes)));
}

/* The rules of text take some 50 us; a look at both tells most of those that are about other things. */
static bool looks_alike(const struct deciding *d, const struct mneme_memory *row)
{
    struct mn_glance glance = mn_glance_at(row->content);

    return mn_glance_share(&d->glance, &glance) >= LOOKS_MIN;
}

/* close: its vector says that it may be the same, so that a look need not. */
static enum mn_act act_of(const struct deciding *d, const struct mneme_memory *row, bool close)
{
    const struct mneme_memory *draft = d->draft;
    bool one_key = same_key(draft, row);
    bool keys_agree = one_key || mn_empty(draft->memory_key) || mn_empty(row->memory_key);

    if (!same_place(draft, row) || !same_time(d, row) || !same_readers(draft, row) ||
        !same_successor(draft, row) || !keys_agree)
        return MN_ACT_INSERT;
    if (one_key && same_value(d, row))
        return same_text(draft, row) ? MN_ACT_CONFIRM : MN_ACT_MERGE;
    if (!same_kind(draft, row) || (one_key && (!mn_empty(draft->value) || !mn_empty(row->value))))
        return MN_ACT_INSERT;
    if (same_text(draft, row))
        return mn_empty(row->memory_key) && !mn_empty(draft->memory_key) ? MN_ACT_MERGE
                                                                         : MN_ACT_CONFIRM;
    return (close || looks_alike(d, row)) && mn_text_likeness(d->scratch, draft->content, row->content) ==
                                      MN_LIKENESS_REWORDED
               ? MN_ACT_MERGE
               : MN_ACT_INSERT;
}

/* The best of both lists: confirming before merging, older before younger. */
static void find_same(const struct deciding *d, const struct mn_rows *rows, bool close,
                      struct mn_verdict *verdict)
{
    for (size_t i = 0; rows && i < rows->count; i++) {
        const struct mn_row *row = &rows->item[i];
        enum mn_act act = act_of(d, &row->memory, close);

        if (act == MN_ACT_INSERT)
            continue;
        if (verdict->act == MN_ACT_INSERT || act < verdict->act ||
            (act == verdict->act &&
             row->memory.created_at_ms < verdict->into->memory.created_at_ms)) {
            verdict->act = act;
            verdict->into = row;
        }
    }
}

/* ---- the opposite? ---- */

enum way { OVER = 1, UNDER, OPEN };

/* When it was said or became so. */
static int64_t dated(const struct mneme_memory *row)
{
    return row->event_time_ms && !mn_key_is_schedule(row->memory_key) ? row->event_time_ms
           : row->valid_from_ms ? row->valid_from_ms
                                : row->updated_at_ms;
}

static enum way way_of(const struct deciding *d, const struct mn_row *there)
{
    const struct mneme_memory *draft = d->draft;
    const struct mneme_memory *row = &there->memory;
    int tier = mn_authority_tier(draft->authority) - mn_authority_tier(row->authority);

    if (row->authority == MNEME_EXPLICIT_ADMIN && draft->authority != MNEME_EXPLICIT_ADMIN)
        return OPEN;
    if (tier != 0)
        return tier > 0 ? OVER : OPEN;
    if (mn_same(draft->supersedes, row->id))
        return OVER;
    if (d->said_at_ms)
        return d->said_at_ms > dated(row)   ? OVER
               : d->said_at_ms < dated(row) ? UNDER
                                            : OPEN;
    if (draft->risk == MNEME_RISK_HIGH || row->risk == MNEME_RISK_HIGH)
        return OPEN;
    return draft->confidence < TRUSTED && there->confidence < TRUSTED ? OPEN : OVER;
}

/* Does the row begin after the draft, and was it written so? The row that another clock, or the same
 * one at the same moment, dated a little later is no plan. */
static bool is_planned(const struct deciding *d, const struct mneme_memory *row)
{
    int64_t moment_over_ms = row->valid_from_ms - MOMENT_MS;
    int64_t begins_ms = d->draft->valid_from_ms ? d->draft->valid_from_ms
                        : d->said_at_ms         ? d->said_at_ms
                                                : d->now_ms;

    return moment_over_ms > row->created_at_ms && moment_over_ms > begins_ms &&
           !mn_same(d->draft->supersedes, row->id);
}

static void add_ended(struct mn_verdict *verdict, const struct mn_row *row)
{
    size_t at = verdict->ended_count++;

    for (; at > 0 && verdict->ended[at - 1]->memory.updated_at_ms < row->memory.updated_at_ms; at--)
        verdict->ended[at] = verdict->ended[at - 1];
    verdict->ended[at] = row;
}

/* "no longer dark" beside "light": both hold. */
static bool denies_another(const struct mneme_memory *draft, const struct mneme_memory *row)
{
    const size_t bytes = strlen(MN_VALUE_DENIES);
    const char *denies = mn_or_empty(draft->value), *value = mn_or_empty(row->value);

    return value[0] && strncmp(denies, MN_VALUE_DENIES, bytes) == 0 &&
           strncmp(value, MN_VALUE_DENIES, bytes) != 0 && strcmp(denies + bytes, value) != 0;
}

static void find_rivals(const struct deciding *d, const struct mn_rows *rows,
                        struct mn_verdict *verdict)
{
    int64_t past_until_ms = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct mn_row *row = &rows->item[i];

        if (!same_key(d->draft, &row->memory) || !same_place(d->draft, &row->memory) ||
            !holds_now(&row->memory, d->now_ms) || same_value(d, &row->memory) ||
            row == verdict->into)
            continue;
        if (denies_another(d->draft, &row->memory)) {
            verdict->keyless = true;
            continue;
        }
        if (is_planned(d, &row->memory)) {
            if (!verdict->planned_ms || row->memory.valid_from_ms < verdict->planned_ms)
                verdict->planned_ms = row->memory.valid_from_ms;
            continue;
        }
        switch (way_of(d, row)) {
        case OVER:
            add_ended(verdict, row);
            break;
        case OPEN:
            verdict->rival[verdict->rival_count++] = row;
            break;
        case UNDER:
            if (!past_until_ms || dated(&row->memory) < past_until_ms)
                past_until_ms = dated(&row->memory);
            break;
        }
    }
    if (!past_until_ms)
        return;
    verdict->ended_count = verdict->rival_count = 0;
    if (verdict->act == MN_ACT_INSERT) {
        verdict->act = MN_ACT_PAST;
        verdict->past_until_ms = past_until_ms;
    }
}

enum mneme_status mn_dedupe(const struct mneme_memory *draft, const struct mn_rows *alike,
                            const struct mn_rows *near, const struct mn_rows *close,
                            int64_t said_at_ms, int64_t now_ms, bool keeps_id,
                            struct mn_arena *arena, struct mn_verdict *ret_verdict,
                            struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct mn_verdict verdict = {
        .act = MN_ACT_INSERT,
        .ended = mn_arena_array(arena, const struct mn_row *, alike->count + 1),
        .rival = mn_arena_array(arena, const struct mn_row *, alike->count + 1),
    };
    struct deciding d = {
        .draft = draft,
        .value = mn_empty(draft->memory_key) ? "" : mn_memory_value(draft, scratch),
        .glance = mn_glance_at(draft->content),
        .said_at_ms = said_at_ms,
        .now_ms = now_ms,
        .scratch = scratch,
    };

    if (!scratch || !verdict.ended || !verdict.rival || !d.value)
        return mn_fail_memory(err);
    if (!keeps_id) {
        find_same(&d, alike, false, &verdict);
        if (verdict.act == MN_ACT_INSERT)
            find_same(&d, near, false, &verdict);
        if (verdict.act == MN_ACT_INSERT)
            find_same(&d, close, true, &verdict);
    }
    /* A repetition says nothing new of rivals, unless it says it with more authority. */
    if (!verdict.into || mn_authority_tier(draft->authority) >
                             mn_authority_tier(verdict.into->memory.authority))
        find_rivals(&d, alike, &verdict);
    if (verdict.into)
        verdict.rival_count = 0;
    *ret_verdict = verdict;
    return MNEME_OK;
}
