/*
 * merge.c - stage 6: one candidate per canonical memory.
 *
 * Candidates are taken strongest first (stage 8's order, forced ones before all); each either says
 * what an earlier one says and is merged into it, or stands. What counts as the same:
 *
 *   1. the same key and the same value, in whatever words
 *   2. the same text once folded (content_hash), for the same section of the block; where only
 *      the case or the height of a sign tells two of them apart (US, us), it is not the same
 *   3. a supersedes link inside one owner
 *   4. a rewording inside one owner and scope. Cosines, or a glance where there are none, only
 *      nominate among the best; the text rules decide (text/compare.h).
 *
 * Rivals never merge: one key with two values, and texts that differ in a number, a name, a
 * negation. Because each rewording is held against the survivor itself and not against somebody
 * merged before, no chain of small changes can join what differs. Two keys are two questions, even
 * where one sentence answers both. A survivor without a key answers the key of what it took in, so
 * that stage 8 still sees who contradicts it.
 *
 * What happened has its time in what it says: two incidents in the same words on two days are two.
 * Turns of a conversation are evidence, and merge only where one speaker says the same words in one
 * session; counting evidence is worth more than the few tokens. A turn that memories among the
 * candidates were drawn from, and that says no more than they do, goes into the closest of them: the
 * block would show one thing twice. Checkpoints never merge.
 *
 * Cost: a sort, two tables, and for the nominated pairs at most LIKENESS_MAX comparisons of texts.
 */
#include "retrieve/stages.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/sort.h"
#include "memory/record.h"
#include "text/glance.h"
#include "retrieve/key.h"
#include "text/compare.h"

#define NOMINATED_MAX 64 /* of the candidates without a row in the similarity matrix */
#define LIKENESS_MAX 48  /* comparisons of texts, at some 70 us each; strongest ones first */
/* Light rewordings share 0.53 and more of their looks, full ones next to nothing more than other
 * sentences on the same thing (near_duplicates: 0.07 to 0.39). Where a vector nominates, looks need
 * only not speak against it. */
#define GLANCE_MIN 0.5
#define GLANCE_MIN_BESIDE_COSINE 0.35
#define SCRATCH_BYTES_MAX ((size_t)8388608)
/* Of a turn that a memory was drawn from, the looks that only the turn has: "please remember that" has
 * 19, the shortest clause with something to say comes on top of such words. */
#define TURN_MORE_MAX 22

#define NOT_YET SIZE_MAX

enum table { BY_ID = 0, BY_VALUE, BY_TEXT, TABLE_COUNT };

struct merging {
    const struct mn_similarity *similarity;
    double cosine_min;
    struct mn_candidate *item;
    size_t count;
    size_t *order; /* those that may merge at all, strongest first */
    size_t order_count;
    size_t *into;       /* by item: whom it was merged into, itself when it stands, or NOT_YET */
    size_t *group;      /* by item: number of the key it answers, also one taken over */
    const char **value; /* by item: where others answer the same key; else NULL */
    size_t *like[TABLE_COUNT];  /* by item: the first item of that id, value or text */
    size_t *first[TABLE_COUNT]; /* by such a first item: the strongest of them, or NOT_YET */
    size_t *newer;              /* by item: who supersedes it, whom it supersedes; or NOT_YET */
    size_t *older;
    size_t *drawn;            /* by item, a turn: the memory drawn from it that says it; or NOT_YET */
    bool *concerned;          /* by item: another may say the same */
    bool *nominated;          /* by item: among those that are compared by text */
    uint64_t *kin;            /* by item, of those: equal where owner, scope and occasion are */
    struct mn_glance *glance; /* by place in the order; empty until looked at */
    size_t *place;            /* by item: its place in the order */
    size_t *nominee;          /* nominated ones that stand */
    size_t nominee_count;
    size_t likeness_left;
    size_t *slot; /* the table being filled: item + 1 */
    size_t slot_count;
    const char **names; /* room for all merged ids */
};

/* ---- what may stand for what ---- */

static bool same_owner(const struct mneme_memory *a, const struct mneme_memory *b)
{
    return mn_same(a->tenant_id, b->tenant_id) && mn_same(a->user_id, b->user_id);
}

static bool same_occasion(const struct mn_candidate *a, const struct mn_candidate *b)
{
    const struct mn_type *type = mn_type_of(a->memory->type);

    if (a->is_event != b->is_event)
        return false;
    if (a->is_event)
        return mn_same(a->session_id, b->session_id) && mn_same(a->speaker, b->speaker);
    return type->section == mn_type_of(b->memory->type)->section &&
           (type->kind != MN_KIND_EPISODIC || a->memory->event_time_ms == b->memory->event_time_ms);
}

/* What must be the same for one to be the other in other words, in one number. */
static uint64_t kin_of(const struct mn_candidate *c)
{
    const struct mneme_memory *m = c->memory;
    const char *const text[] = { m->tenant_id, m->user_id, m->scope_id };
    const struct mn_type *type = mn_type_of(m->type);
    int64_t event_ms = type->kind == MN_KIND_EPISODIC ? m->event_time_ms : 0;
    uint64_t kin = (uint64_t)m->scope_kind << 32 | (uint64_t)type->section;

    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        kin = mn_hash64(mn_or_empty(text[i]), strlen(mn_or_empty(text[i])), kin);
    return mn_hash64(&event_ms, sizeof event_ms, kin);
}

static bool same_value(const struct merging *m, size_t a, size_t b)
{
    return m->group[a] == m->group[b] && m->value[a] && m->value[b] &&
           strcmp(m->value[a], m->value[b]) == 0;
}

static bool keys_agree(const struct merging *m, size_t a, size_t b)
{
    return m->group[a] == MN_KEY_NONE || m->group[b] == MN_KEY_NONE || same_value(m, a, b);
}

/* ---- tables: who says the same ---- */

static const char *entry(const struct merging *m, enum table table, size_t i)
{
    return mn_or_empty(table == BY_ID      ? m->item[i].memory->id
                       : table == BY_VALUE ? m->value[i]
                                           : m->item[i].memory->content_hash);
}

static bool equal(const struct merging *m, enum table table, size_t a, size_t b)
{
    if (table == BY_VALUE)
        return same_value(m, a, b);
    return strcmp(entry(m, table, a), entry(m, table, b)) == 0 &&
           (table == BY_ID || (same_occasion(&m->item[a], &m->item[b]) &&
                               mn_text_identical(m->item[a].memory->content,
                                                 m->item[b].memory->content)));
}

/* Fills like[table], and marks whom it concerns. Items without an entry are like nobody. */
static void tabulate(struct merging *m, enum table table)
{
    memset(m->slot, 0, m->slot_count * sizeof *m->slot);
    for (size_t i = 0; i < m->count; i++) {
        const char *text = entry(m, table, i);
        size_t at = mn_hash64(text, strlen(text), table) & (m->slot_count - 1);

        m->like[table][i] = m->first[table][i] = NOT_YET;
        if (!text[0] || m->item[i].is_checkpoint)
            continue;
        while (m->slot[at] && !equal(m, table, m->slot[at] - 1, i))
            at = (at + 1) & (m->slot_count - 1);
        if (!m->slot[at])
            m->slot[at] = i + 1;
        m->like[table][i] = m->slot[at] - 1;
        if (m->like[table][i] != i)
            m->concerned[i] = m->concerned[m->like[table][i]] = true;
    }
}

/* The item of this id, or NOT_YET; of the table of ids. */
static size_t find_id(const struct merging *m, const char *id)
{
    size_t at = mn_hash64(id, strlen(id), BY_ID) & (m->slot_count - 1);

    while (m->slot[at] && !mn_same(m->item[m->slot[at] - 1].memory->id, id))
        at = (at + 1) & (m->slot_count - 1);
    return m->slot[at] ? m->slot[at] - 1 : NOT_YET;
}

/* The strongest item that says the same, which may be `i` itself. */
static size_t strongest_like(struct merging *m, enum table table, size_t i)
{
    size_t *first = m->like[table][i] == NOT_YET ? NULL : &m->first[table][m->like[table][i]];

    if (first && *first == NOT_YET)
        *first = i;
    return first ? *first : i;
}

/* ---- the four ways to be the same; each gives a standing item, or `i` itself ---- */

static size_t same_value_or_text(struct merging *m, size_t i)
{
    size_t by_value = strongest_like(m, BY_VALUE, i);
    size_t by_text = strongest_like(m, BY_TEXT, i);

    if (by_value != i)
        return m->into[by_value];
    if (by_text != i && keys_agree(m, m->into[by_text], i))
        return m->into[by_text];
    return i;
}

static size_t same_chain(const struct merging *m, size_t i)
{
    const size_t linked[] = { m->newer[i], m->older[i] };

    for (size_t l = 0; l < 2; l++) {
        size_t standing = linked[l] == NOT_YET ? NOT_YET : m->into[linked[l]];

        if (standing != NOT_YET && keys_agree(m, standing, i))
            return standing;
    }
    return i;
}

static const struct mn_glance *glance_at(struct merging *m, size_t i)
{
    struct mn_glance *glance = &m->glance[m->place[i]];

    if (!glance->count)
        *glance = mn_glance_at(m->item[i].memory->content);
    return glance;
}

static bool looks_alike(struct merging *m, size_t a, size_t b)
{
    double cosine = mn_similarity_of(m->similarity, &m->item[a], &m->item[b]);
    double glance_min = isnan(cosine) ? GLANCE_MIN : GLANCE_MIN_BESIDE_COSINE;

    return (isnan(cosine) || cosine >= m->cosine_min) &&
           mn_glance_may_share(glance_at(m, a), glance_at(m, b), glance_min) &&
           mn_glance_share(glance_at(m, a), glance_at(m, b)) >= glance_min;
}

static bool says_the_same(struct merging *m, size_t a, size_t b)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    enum mn_likeness likeness =
        mn_text_likeness(scratch, m->item[a].memory->content, m->item[b].memory->content);

    m->likeness_left--;
    return likeness == MN_LIKENESS_IDENTICAL || likeness == MN_LIKENESS_REWORDED;
}

static size_t same_in_other_words(struct merging *m, size_t i)
{
    const struct mneme_memory *memory = m->item[i].memory;

    if (!m->nominated[i])
        return i;
    for (size_t n = 0; n < m->nominee_count && m->likeness_left; n++) {
        size_t other = m->nominee[n];
        const struct mneme_memory *standing = m->item[other].memory;

        if (m->kin[i] != m->kin[other])
            continue;
        if (same_owner(memory, standing) && memory->scope_kind == standing->scope_kind &&
            mn_same(memory->scope_id, standing->scope_id) && keys_agree(m, other, i) &&
            same_occasion(&m->item[i], &m->item[other]) && looks_alike(m, i, other) &&
            says_the_same(m, other, i))
            return other;
    }
    m->nominee[m->nominee_count++] = i;
    return i;
}

/* ---- preparing ---- */

typedef const struct mn_candidate *candidate;

static inline bool is_stronger(const candidate *a, const candidate *b)
{
    return (*a)->forced != (*b)->forced ? (*a)->forced : mn_resolve_compare(*b, *a) < 0;
}
MN_SORT_OF(sort_by_strength, candidate, is_stronger)

static inline bool is_likelier(const candidate *a, const candidate *b)
{
    return (*a)->raw_relevance != (*b)->raw_relevance
               ? (*a)->raw_relevance > (*b)->raw_relevance
               : strcmp((*a)->memory->id, (*b)->memory->id) < 0;
}
MN_SORT_OF(sort_by_likeness, candidate, is_likelier)

/* Those the similarity matrix knows, and the best of those that no vector stands for. */
static void nominate(struct merging *m, candidate *pointer)
{
    size_t count = 0;

    for (size_t i = 0; i < m->count; i++) {
        const struct mn_candidate *c = &m->item[i];

        if (c->is_event || c->is_checkpoint)
            continue;
        m->nominated[i] = c->similarity_at < m->similarity->count;
        if (!c->has_vector)
            pointer[count++] = c;
    }
    sort_by_likeness(pointer, count, pointer + m->count);
    for (size_t n = 0; n < count && n < NOMINATED_MAX; n++)
        m->nominated[pointer[n] - m->item] = true;
    for (size_t i = 0; i < m->count; i++) {
        m->concerned[i] = m->concerned[i] || m->nominated[i];
        m->kin[i] = m->nominated[i] ? kin_of(&m->item[i]) : 0;
    }
}

/* What the keys that several answer are answered with. */
static enum mneme_status read_values(struct merging *m, struct mn_arena *arena, size_t *answers,
                                     struct mneme_error *err)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->group[i] != MN_KEY_NONE)
            answers[m->group[i]]++;
    for (size_t i = 0; i < m->count; i++) {
        if (m->group[i] == MN_KEY_NONE || answers[m->group[i]] < 2)
            continue;
        m->value[i] = mn_memory_value(m->item[i].memory, arena);
        if (!m->value[i])
            return mn_fail_memory(err);
    }
    return MNEME_OK;
}

static void follow_links(struct merging *m)
{
    bool any = false;

    for (size_t i = 0; i < m->count; i++) {
        m->newer[i] = m->older[i] = NOT_YET;
        any = any || !mn_empty(m->item[i].memory->supersedes);
    }
    if (!any)
        return;
    tabulate(m, BY_ID);
    for (size_t i = 0; i < m->count; i++) {
        const char *supersedes = m->item[i].memory->supersedes;
        size_t other = mn_empty(supersedes) ? NOT_YET : find_id(m, supersedes);

        if (other == NOT_YET || other == i || !same_owner(m->item[i].memory, m->item[other].memory))
            continue;
        m->older[i] = other;
        m->newer[other] = i;
        m->concerned[i] = m->concerned[other] = true;
    }
}

/* The turn that the id in a provenance names, of the same owner; or NOT_YET. */
static size_t turn_of(const struct merging *m, size_t memory, const char *id)
{
    size_t turn = find_id(m, id);

    return turn != NOT_YET && m->item[turn].is_event && !m->item[turn].forced &&
                   same_owner(m->item[turn].memory, m->item[memory].memory)
               ? turn
               : NOT_YET;
}

static bool says_no_more(const char *turn, const struct mn_glance *told)
{
    struct mn_glance glance = mn_glance_at(turn);
    unsigned more = 0;

    for (size_t w = 0; w < MN_GLANCE_WORDS; w++)
        more += mn_bits_count(glance.bits[w] & ~told->bits[w]);
    return strlen(turn) <= MN_GLANCE_BYTES_MAX && more <= TURN_MORE_MAX && more < glance.count;
}

/* Which turns are told by what was drawn from them? All that was drawn from one counts together. */
static enum mneme_status follow_evidence(struct merging *m, struct mn_arena *arena,
                                         struct mneme_error *err)
{
    struct mn_glance *told = NULL;

    for (size_t i = 0; i < m->count; i++)
        m->drawn[i] = NOT_YET;
    for (size_t i = 0; i < m->count; i++) {
        const struct mneme_memory *memory = m->item[i].memory;
        struct mn_glance glance = { 0 };

        if (m->item[i].is_event || m->item[i].is_checkpoint || !memory->provenance.count)
            continue;
        if (!told) {
            told = mn_arena_array(arena, struct mn_glance, m->count);
            if (!told)
                return mn_fail_memory(err);
            tabulate(m, BY_ID);
        }
        glance = mn_glance_at(memory->content);
        for (size_t p = 0; p < memory->provenance.count; p++) {
            size_t turn = turn_of(m, i, memory->provenance.item[p]);

            if (turn == NOT_YET)
                continue;
            for (size_t w = 0; w < MN_GLANCE_WORDS; w++)
                told[turn].bits[w] |= glance.bits[w];
            if (m->drawn[turn] == NOT_YET ||
                m->item[i].raw_relevance > m->item[m->drawn[turn]].raw_relevance)
                m->drawn[turn] = i;
        }
    }
    for (size_t i = 0; i < m->count; i++) {
        if (m->drawn[i] != NOT_YET && !says_no_more(m->item[i].memory->content, &told[i]))
            m->drawn[i] = NOT_YET;
        if (m->drawn[i] != NOT_YET)
            m->concerned[i] = m->concerned[m->drawn[i]] = true;
    }
    return MNEME_OK;
}

/* Those concerned, strongest first; all others stand. */
static enum mneme_status put_in_order(struct merging *m, candidate *pointer,
                                      struct mn_arena *arena, struct mneme_error *err)
{
    for (size_t i = 0; i < m->count; i++) {
        m->into[i] = m->concerned[i] ? NOT_YET : i;
        if (m->concerned[i])
            pointer[m->order_count++] = &m->item[i];
    }
    sort_by_strength(pointer, m->order_count, pointer + m->count);
    m->glance = mn_arena_array(arena, struct mn_glance, m->order_count + 1);
    if (!m->glance)
        return mn_fail_memory(err);
    for (size_t p = 0; p < m->order_count; p++) {
        m->order[p] = (size_t)(pointer[p] - m->item);
        m->place[m->order[p]] = p;
    }
    return MNEME_OK;
}

static enum mneme_status prepare(struct merging *m, struct mn_arena *arena, struct mneme_error *err)
{
    candidate *pointer = mn_arena_array(arena, candidate, 2 * m->count);
    size_t *numbers = mn_arena_array(arena, size_t, m->count * (7 + 2 * TABLE_COUNT));
    size_t key_count = 0;

    for (m->slot_count = 16; m->slot_count < m->count * 2;)
        m->slot_count *= 2;
    MN_TRY(mn_key_groups(&(struct mn_candidates){ m->item, m->count, m->count }, arena, &m->group,
                         &key_count, err));
    m->value = mn_arena_array(arena, const char *, m->count);
    m->concerned = mn_arena_array(arena, bool, m->count);
    m->nominated = mn_arena_array(arena, bool, m->count);
    m->kin = mn_arena_array(arena, uint64_t, m->count);
    m->slot = mn_arena_array(arena, size_t, m->slot_count);
    m->names = mn_arena_array(arena, const char *, m->count);
    size_t *answers = mn_arena_array(arena, size_t, key_count + 1);
    if (!pointer || !numbers || !m->value || !m->concerned || !m->nominated || !m->kin ||
        !m->slot || !m->names || !answers)
        return mn_fail_memory(err);
    size_t **const array[] = { &m->order, &m->into,  &m->newer,  &m->older,
                               &m->place, &m->nominee, &m->drawn };
    for (size_t a = 0; a < sizeof array / sizeof array[0]; a++, numbers += m->count)
        *array[a] = numbers;
    for (size_t t = 0; t < TABLE_COUNT; t++, numbers += 2 * m->count) {
        m->like[t] = numbers;
        m->first[t] = numbers + m->count;
    }
    MN_TRY(read_values(m, arena, answers, err));
    tabulate(m, BY_VALUE);
    tabulate(m, BY_TEXT);
    follow_links(m);
    MN_TRY(follow_evidence(m, arena, err));
    nominate(m, pointer);
    return put_in_order(m, pointer, arena, err);
}

/* ---- taking in ---- */

static void take_scores(struct mn_candidate *into, const struct mn_candidate *c)
{
    for (int source = 0; source < MN_SOURCE_COUNT; source++) {
        const struct mn_finding *found = &c->found[source];

        if (found->rank && (!into->found[source].rank || found->rank < into->found[source].rank))
            into->found[source] = *found;
    }
    if (c->text > into->text) {
        into->text = c->text;
        into->coverage = c->coverage;
    }
    if (c->has_vector && (!into->has_vector || c->vector > into->vector)) {
        into->has_vector = true;
        into->vector = c->vector;
    }
    if (c->raw_relevance > into->raw_relevance)
        into->raw_relevance = c->raw_relevance;
    if (c->path_confidence > into->path_confidence)
        into->path_confidence = c->path_confidence;
    if (c->forced && c->rule_priority > into->rule_priority)
        into->rule_priority = c->rule_priority;
    into->by_key = into->by_key && c->by_key;
}

static void take_in(struct merging *m, size_t survivor, size_t i)
{
    struct mn_candidate *into = &m->item[survivor];

    take_scores(into, &m->item[i]);
    into->merged_count++;
    m->into[i] = survivor;
    if (m->group[survivor] != MN_KEY_NONE || m->group[i] == MN_KEY_NONE)
        return;
    into->answer = m->item[i].memory;
    m->group[survivor] = m->group[i];
    m->value[survivor] = m->value[i];
}

/* Turns that still stand go into what was drawn from them, with those that went into them. */
static void take_in_evidence(struct merging *m)
{
    for (size_t p = 0; p < m->order_count; p++) {
        size_t turn = m->order[p];
        size_t survivor = m->drawn[turn] == NOT_YET ? NOT_YET : m->into[m->drawn[turn]];

        if (survivor == NOT_YET || m->into[turn] != turn)
            continue;
        take_in(m, survivor, turn);
        for (size_t i = 0; i < m->count; i++) {
            if (m->into[i] != turn)
                continue;
            m->into[i] = survivor;
            m->item[survivor].merged_count++;
        }
        m->item[turn].merged_count = 0;
    }
}

/* Ids of all that went into each survivor, one list behind the other in m->names. */
static void name_merged(struct merging *m)
{
    const char **next = m->names;

    for (size_t i = 0; i < m->count; i++) {
        m->item[i].merged_from = m->item[i].merged_count ? next : NULL;
        next += m->item[i].merged_count;
        m->item[i].merged_count = 0;
    }
    for (size_t p = 0; p < m->order_count; p++) {
        size_t i = m->order[p];
        struct mn_candidate *into = &m->item[m->into[i]];

        if (m->into[i] != i)
            into->merged_from[into->merged_count++] = m->item[i].memory->id;
    }
}

enum mneme_status mn_merge_apply(const struct mn_similarity *similarity,
                                 const struct mn_model_profile *profile, struct mn_arena *arena,
                                 struct mn_candidates *found, struct mn_trace *trace,
                                 struct mneme_error *err)
{
    struct merging m = {
        .similarity = similarity,
        .cosine_min = (double)profile->duplicate_cosine,
        .item = found->item,
        .count = found->count,
        .likeness_left = LIKENESS_MAX,
    };
    size_t kept = 0;

    if (found->count)
        MN_TRY(prepare(&m, arena, err));
    for (size_t p = 0; p < m.order_count; p++) {
        size_t i = m.order[p];
        size_t survivor = same_value_or_text(&m, i);

        if (survivor == i)
            survivor = same_chain(&m, i);
        if (survivor == i)
            survivor = same_in_other_words(&m, i);
        if (survivor == i)
            m.into[i] = i;
        else
            take_in(&m, survivor, i);
    }
    take_in_evidence(&m);
    name_merged(&m);
    for (size_t i = 0; i < m.count; i++) {
        if (m.into[i] != i)
            mn_trace_reject(trace, &m.item[i], MN_STAGE_MERGE, MN_REASON_MERGED,
                            m.item[m.into[i]].memory->id);
    }
    for (size_t i = 0; i < m.count; i++) {
        if (m.into[i] == i && kept++ != i)
            found->item[kept - 1] = m.item[i];
    }
    found->count = kept;
    trace->deduplicated_count = kept;
    return MNEME_OK;
}
