/*
 * resolve.c - stage 8: one answer per key, or a question.
 *
 * The reading model must never be left to choose between contradicting memories. Inside one key the
 * strongest answer wins (who says it, how narrow, which confirmed version, ...) and the others stay
 * behind, in history and trace. A memory that a rule forces takes no part: what contradicts it is
 * withheld, however strong. A high-risk key that an administrator answers is contested only among
 * administrators' answers.
 *
 * Where the two best tie in what decides and cannot be trusted to be right, or the risk is high,
 * there is no answer: both are withheld and the user is asked, provided that the key bears on the
 * request. Two weak guesses about lunch are no reason to interrupt work on a seat map.
 *
 * The winner speaks for its key: a question often resembles the old answer in words and not the new
 * one, so that the winner takes over the best relevance of its group, and passes the floor where
 * any of them does. The same goes for a turn whose memory was replaced: what stands in its place is
 * told with it.
 */
#include "retrieve/stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "memory/record.h"
#include "memory/weight.h"
#include "retrieve/floor.h"
#include "retrieve/key.h"
#include "retrieve/question.h"
#include "retrieve/rank.h"

#define TRUSTED 0.8 /* of two tied answers one at least this sure may win */
#define CONFLICT 0.10
#define TIER_CONFIRMED 2

/* ---- strength ---- */

static int64_t confirmed_version(const struct mneme_memory *m)
{
    return mn_authority_tier(m->authority) == TIER_CONFIRMED || m->confirmed_at_ms ? m->version : 0;
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* What must tie for a question: tier, scope, confirmed version. */
static int compare_standing(const struct mneme_memory *a, const struct mneme_memory *b)
{
    int way = mn_authority_tier(a->authority) - mn_authority_tier(b->authority);

    if (!way)
        way = mn_scope_width(a->scope_kind) - mn_scope_width(b->scope_kind);
    if (!way)
        way = (confirmed_version(a) > confirmed_version(b)) -
              (confirmed_version(a) < confirmed_version(b));
    return way;
}

int mn_resolve_compare(const struct mn_candidate *a, const struct mn_candidate *b)
{
    int way = compare_standing(a->memory, b->memory);

    if (!way)
        way = order(mn_authority_weight(a->memory->authority),
                    mn_authority_weight(b->memory->authority));
    if (!way)
        way = order(a->confidence, b->confidence);
    if (!way)
        way = (a->memory->updated_at_ms > b->memory->updated_at_ms) -
              (a->memory->updated_at_ms < b->memory->updated_at_ms);
    return way ? way : strcmp(b->memory->id, a->memory->id);
}

static int by_strength(const void *left, const void *right)
{
    return mn_resolve_compare(*(const struct mn_candidate *const *)right,
                              *(const struct mn_candidate *const *)left);
}

/* ---- one key ---- */

struct resolving {
    const struct mneme_request *request;
    const struct mn_access *access;
    const struct mn_plan *plan;
    const struct mn_model_profile *profile;
    struct mn_arena *arena;
    struct mn_candidates *found;
    enum mn_reason *fate; /* by item: why it leaves; NONE stays */
    const char **by;
    struct mn_conflicts *conflicts;
    struct mn_trace *trace;
};

/* The answers to one key, strongest first. */
struct rows {
    struct mn_candidate **row;
    const char **value;
    size_t count;
    bool bears;           /* on the request */
    bool passes;          /* the floor */
    enum mn_reason below; /* why not, when it does not */
};

static void drop(struct resolving *r, const struct mn_candidate *c, enum mn_reason reason,
                 const struct mn_candidate *by)
{
    size_t i = (size_t)(c - r->found->item);

    r->fate[i] = reason;
    r->by[i] = by ? by->memory->id : NULL;
}

/* Everything of the key, what of it is withheld, and what is to be asked. */
static enum mneme_status report(struct resolving *r, const struct rows *rows,
                                struct mn_conflict *conflict, struct mneme_error *err)
{
    struct mn_conflict *made = mn_array_add(r->arena, r->conflicts);
    const char **ids = mn_arena_array(r->arena, const char *, rows->count);
    const char **withheld = mn_arena_array(r->arena, const char *, rows->count);

    if (!made || !ids || !withheld || (conflict->needs_clarification && !conflict->question))
        return mn_fail_memory(err);
    conflict->memory_key = mn_answer_of(rows->row[0])->memory_key;
    conflict->ids = ids;
    conflict->withheld = withheld;
    for (size_t i = 0; i < rows->count; i++) {
        enum mn_reason fate = r->fate[rows->row[i] - r->found->item];

        ids[conflict->id_count++] = rows->row[i]->memory->id;
        if (fate != MN_REASON_NONE && fate != MN_REASON_MERGED)
            withheld[conflict->withheld_count++] = rows->row[i]->memory->id;
    }
    if (!conflict->question)
        conflict->question = "";
    *made = *conflict;
    return MNEME_OK;
}

/* Of a key that a rule answers: the rest is withheld, and two rules that disagree are asked about.
 */
static enum mneme_status resolve_forced(struct resolving *r, const struct rows *rows,
                                        struct mneme_error *err)
{
    const struct mn_candidate **rival =
        mn_arena_array(r->arena, const struct mn_candidate *, rows->count);
    struct mn_conflict conflict = { 0 };
    const struct mn_candidate *strongest = NULL;
    size_t rival_count = 0;
    size_t withheld_count = 0;

    if (!rival)
        return mn_fail_memory(err);
    for (size_t i = 0; i < rows->count; i++) {
        bool repeats = false;

        if (!rows->row[i]->forced)
            continue;
        if (!strongest)
            strongest = rows->row[i];
        for (size_t j = 0; j < i && !repeats; j++)
            repeats = rows->row[j]->forced && strcmp(rows->value[i], rows->value[j]) == 0;
        if (!repeats)
            rival[rival_count++] = rows->row[i];
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct mn_candidate *same = NULL;

        if (rows->row[i]->forced)
            continue;
        for (size_t j = 0; j < rows->count && !same; j++)
            if (rows->row[j]->forced && strcmp(rows->value[i], rows->value[j]) == 0)
                same = rows->row[j];
        drop(r, rows->row[i], same ? MN_REASON_MERGED : MN_REASON_FORCED_RIVAL,
             same ? same : strongest);
        withheld_count += !same;
    }
    if (rival_count > 1) {
        for (size_t i = 0; i < rows->count; i++)
            if (rows->row[i]->forced)
                rows->row[i]->parts.conflict = CONFLICT;
        conflict.needs_clarification = true;
        conflict.blocking = true;
        conflict.question = mn_question(r->plan->language, rival, rival_count, r->arena);
    }
    return rival_count > 1 || withheld_count ? report(r, rows, &conflict, err) : MNEME_OK;
}

/* Nobody wins: what ties with the best is withheld for the user to decide, the rest lost to it. */
static enum mneme_status leave_open(struct resolving *r, const struct rows *rows,
                                    const struct mn_candidate *const *contest, size_t count,
                                    bool blocking, struct mneme_error *err)
{
    const struct mn_candidate **tied = mn_arena_array(r->arena, const struct mn_candidate *, count);
    struct mn_conflict conflict = { .needs_clarification = rows->bears,
                                    .blocking = rows->bears && blocking };
    size_t tied_count = 0;

    if (!tied)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (compare_standing(contest[i]->memory, contest[0]->memory) == 0)
            tied[tied_count++] = contest[i];
    for (size_t i = 0; i < rows->count; i++) {
        bool is_tied = false;

        for (size_t t = 0; t < tied_count && !is_tied; t++)
            is_tied = tied[t] == rows->row[i];
        drop(r, rows->row[i],
             !rows->passes ? rows->below
             : is_tied     ? MN_REASON_CLARIFY
                           : MN_REASON_CONFLICT_LOSER,
             is_tied || !rows->passes ? NULL : contest[0]);
    }
    if (!rows->bears)
        mn_trace_note(r->trace,
                      "the answers to %s are undecided and withheld; nothing is asked, "
                      "because the request is not about it",
                      mn_answer_of(rows->row[0])->memory_key);
    else
        conflict.question = mn_question(r->plan->language, tied, tied_count, r->arena);
    return rows->passes ? report(r, rows, &conflict, err) : MNEME_OK;
}

static enum mneme_status crown(struct resolving *r, const struct rows *rows,
                               struct mn_candidate *winner, const char *value,
                               struct mneme_error *err)
{
    struct mn_conflict conflict = { 0 };
    size_t loser_count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct mn_candidate *c = rows->row[i];
        bool same = strcmp(rows->value[i], value) == 0;

        if (c->parts.relevance > winner->parts.relevance)
            winner->parts.relevance = c->parts.relevance;
        if (c == winner)
            continue;
        drop(r, c, same ? MN_REASON_MERGED : MN_REASON_CONFLICT_LOSER, winner);
        loser_count += !same;
    }
    winner->key_passes = rows->passes;
    /* What nobody asked about is no conflict of this request: the trace has the losers. */
    return loser_count && rows->passes ? report(r, rows, &conflict, err) : MNEME_OK;
}

/* Of a key without a forced answer. */
static enum mneme_status resolve_free(struct resolving *r, const struct rows *rows,
                                      struct mneme_error *err)
{
    struct mn_candidate **contest = mn_arena_array(r->arena, struct mn_candidate *, rows->count);
    const struct mn_candidate **distinct =
        mn_arena_array(r->arena, const struct mn_candidate *, rows->count);
    const char **value = mn_arena_array(r->arena, const char *, rows->count);
    bool admins_only = false;
    size_t count = 0;
    size_t distinct_count = 0;

    if (!contest || !distinct || !value)
        return mn_fail_memory(err);
    for (size_t i = 0; i < rows->count; i++)
        admins_only = admins_only || (rows->row[i]->memory->authority == MNEME_EXPLICIT_ADMIN &&
                                      rows->row[i]->memory->risk == MNEME_RISK_HIGH);
    for (size_t i = 0; i < rows->count; i++) {
        bool repeats = false;

        if (admins_only && rows->row[i]->memory->authority != MNEME_EXPLICIT_ADMIN)
            continue;
        for (size_t d = 0; d < distinct_count && !repeats; d++)
            repeats = strcmp(value[d], rows->value[i]) == 0;
        if (!repeats) {
            value[distinct_count] = rows->value[i];
            distinct[distinct_count++] = rows->row[i];
        }
        contest[count++] = rows->row[i];
    }
    if (distinct_count > 1 && compare_standing(distinct[0]->memory, distinct[1]->memory) == 0) {
        bool high = distinct[0]->memory->risk == MNEME_RISK_HIGH ||
                    distinct[1]->memory->risk == MNEME_RISK_HIGH;

        if (high || (distinct[0]->confidence < TRUSTED && distinct[1]->confidence < TRUSTED))
            return leave_open(r, rows, distinct, distinct_count, high, err);
    }
    return crown(r, rows, contest[0], value[0], err);
}

static enum mneme_status resolve_key(struct resolving *r, struct rows *rows,
                                     struct mneme_error *err)
{
    bool any_forced = false;

    qsort(rows->row, rows->count, sizeof(struct mn_candidate *), by_strength);
    rows->value = mn_arena_array(r->arena, const char *, rows->count);
    if (!rows->value)
        return mn_fail_memory(err);
    for (size_t i = 0; i < rows->count; i++) {
        const struct mn_candidate *c = rows->row[i];

        rows->value[i] = mn_memory_value(mn_answer_of(c), r->arena);
        if (!rows->value[i])
            return mn_fail_memory(err);
        any_forced = any_forced || c->forced;
        rows->passes =
            mn_floor_passes(r->request, r->access, r->plan, r->profile, c, &rows->below, NULL) ||
            rows->passes;
        rows->bears = rows->bears || mn_floor_bears(r->request, r->access, r->plan, r->profile, c);
    }
    return any_forced ? resolve_forced(r, rows, err) : resolve_free(r, rows, err);
}

/* ---- all keys ---- */

/* Items sorted by key: row[] holds those of group g from start[g] to start[g + 1]. */
static enum mneme_status gather(const struct resolving *r, struct mn_candidate ***ret_row,
                                size_t **ret_start, size_t *ret_count, struct mneme_error *err)
{
    const struct mn_candidates *found = r->found;
    size_t *group = NULL;
    size_t count = 0;

    MN_TRY(mn_key_groups(found, r->arena, &group, &count, err));
    size_t *start = mn_arena_array(r->arena, size_t, count + 2);
    struct mn_candidate **row = mn_arena_array(r->arena, struct mn_candidate *, found->count + 1);
    if (!start || !row)
        return mn_fail_memory(err);
    for (size_t i = 0; i < found->count; i++)
        if (group[i] != MN_KEY_NONE)
            start[group[i] + 2]++;
    for (size_t g = 2; g < count + 2; g++)
        start[g] += start[g - 1];
    for (size_t i = 0; i < found->count; i++)
        if (group[i] != MN_KEY_NONE)
            row[start[group[i] + 1]++] = &found->item[i];
    *ret_row = row;
    *ret_start = start;
    *ret_count = count;
    return MNEME_OK;
}

static enum mneme_status leave(struct resolving *r, struct mneme_error *err)
{
    struct mn_candidates *found = r->found;
    size_t kept = 0;

    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];

        if (r->fate[i] != MN_REASON_NONE) {
            mn_trace_reject(r->trace, c, MN_STAGE_RESOLVE, r->fate[i], r->by[i]);
            continue;
        }
        c->parts.final = mn_rank_final(r->request->profile, &c->parts);
        if (kept++ != i)
            found->item[kept - 1] = *c;
    }
    found->count = kept;
    return mn_rank_sort(found, r->arena, err);
}

/* ---- turns ---- */

/* Where a turn is shown, what stands in the place of what it told is shown beside it. */
static void speak_for_turns(const struct resolving *r)
{
    for (size_t i = 0; i < r->found->count; i++) {
        const struct mn_candidate *turn = &r->found->item[i];

        if (!turn->replaced_by ||
            !mn_floor_passes(r->request, r->access, r->plan, r->profile, turn, NULL, NULL))
            continue;
        for (size_t j = 0; j < r->found->count; j++)
            if (mn_same(r->found->item[j].memory->id, turn->replaced_by))
                r->found->item[j].key_passes = true;
    }
}

enum mneme_status mn_resolve_apply(const struct mneme_request *request,
                                   const struct mn_access *access, const struct mn_plan *plan,
                                   const struct mn_model_profile *profile, struct mn_arena *arena,
                                   struct mn_candidates *found, struct mn_conflicts *ret_conflicts,
                                   struct mn_trace *trace, struct mneme_error *err)
{
    struct mn_conflicts conflicts = { 0 };
    struct resolving r = {
        .request = request,
        .access = access,
        .plan = plan,
        .profile = profile,
        .arena = arena,
        .found = found,
        .fate = mn_arena_array(arena, enum mn_reason, found->count + 1),
        .by = mn_arena_array(arena, const char *, found->count + 1),
        .conflicts = &conflicts,
        .trace = trace,
    };
    struct mn_candidate **row = NULL;
    size_t *start = NULL;
    size_t count = 0;

    if (!r.fate || !r.by)
        return mn_fail_memory(err);
    MN_TRY(gather(&r, &row, &start, &count, err));
    for (size_t g = 0; g < count; g++) {
        struct rows rows = { .row = row + start[g], .count = start[g + 1] - start[g] };

        if (rows.count > 1)
            MN_TRY(resolve_key(&r, &rows, err));
    }
    speak_for_turns(&r);
    MN_TRY(leave(&r, err));
    *ret_conflicts = conflicts;
    return MNEME_OK;
}
