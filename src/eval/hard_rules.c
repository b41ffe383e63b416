/*
 * hard_rules.c - the hard rules, a second time and apart.
 */
#include "eval/hard_rules.h"

#include <string.h>

#include "base/str.h"

#define CONFIDENCE_MIN 0.60
#define NUMBERS_MAX 8

struct rule {
    const char *name;
    bool leak;
    bool stale;
};

static const struct rule rules[] = {
#define MN_HARD_ROW(name, text, leak, stale) { text, leak, stale },
    MN_HARD_RULES(MN_HARD_ROW)
#undef MN_HARD_ROW
};

const char *mn_hard_name(enum mn_hard_rule rule)
{
    return rules[rule].name;
}

bool mn_hard_is_leak(const char *reason)
{
    for (size_t i = 0; i < MN_HARD_COUNT; i++)
        if (mn_same(rules[i].name, reason))
            return rules[i].leak;
    return false;
}

bool mn_hard_is_stale(const char *reason)
{
    for (size_t i = 0; i < MN_HARD_COUNT; i++)
        if (mn_same(rules[i].name, reason))
            return rules[i].stale;
    return false;
}

bool mn_golden_holds(const struct mn_golden_case *c, const char *memory_id)
{
    return !c->candidates_given || mn_list_holds(&c->candidates, memory_id);
}

/* ---- environment ---- */

/* The runs of digits as numbers: "17.2" -> 17, 2. Missing ones count as 0. */
static void read_numbers(struct mn_str text, long numbers[NUMBERS_MAX])
{
    size_t count = 0;

    memset(numbers, 0, NUMBERS_MAX * sizeof *numbers);
    for (size_t i = 0; i < text.bytes && count < NUMBERS_MAX;) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            i++;
            continue;
        }
        while (i < text.bytes && text.at[i] >= '0' && text.at[i] <= '9')
            numbers[count] = numbers[count] * 10 + (text.at[i++] - '0');
        count++;
    }
}

static int compare_versions(struct mn_str a, struct mn_str b)
{
    long one[NUMBERS_MAX], other[NUMBERS_MAX];

    read_numbers(a, one);
    read_numbers(b, other);
    for (size_t i = 0; i < NUMBERS_MAX; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

static struct mn_str trim(struct mn_str text)
{
    while (text.bytes && strchr(" \t", text.at[0]))
        text = (struct mn_str){ text.at + 1, text.bytes - 1 };
    while (text.bytes && strchr(" \t", text.at[text.bytes - 1]))
        text.bytes--;
    return text;
}

/* One part of a constraint: ">=3.12", or a word. */
static bool part_holds(struct mn_str have, struct mn_str part)
{
    static const struct { const char *sign; bool less, equal, more; } signs[] = {
        { ">=", false, true, true }, { "<=", true, true, false }, { "==", false, true, false },
        { "!=", true, false, true }, { ">", false, false, true }, { "<", true, false, false },
    };

    part = trim(part);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t bytes = strlen(signs[i].sign);

        if (part.bytes < bytes || memcmp(part.at, signs[i].sign, bytes))
            continue;
        int order = compare_versions(have, (struct mn_str){ part.at + bytes, part.bytes - bytes });
        return order < 0 ? signs[i].less : order > 0 ? signs[i].more : signs[i].equal;
    }
    return mn_str_alike(have, part);
}

static bool constraint_holds(const char *have, const char *wanted)
{
    for (const char *at = wanted;; at++) {
        size_t bytes = strcspn(at, ",");

        if (!part_holds(mn_str_of(have), (struct mn_str){ at, bytes }))
            return false;
        at += bytes;
        if (!*at)
            return true;
    }
}

/* What the identity does not state is unknown, not a mismatch. */
static bool environment_fits(const struct mneme_pairs *stated, const struct mneme_pairs *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        for (size_t j = 0; j < stated->count; j++)
            if (mn_same(stated->item[j].name, wanted->item[i].name) &&
                !constraint_holds(stated->item[j].value, wanted->item[i].value))
                return false;
    return true;
}

/* ---- the rules ---- */

static unsigned bit(bool broken, enum mn_hard_rule rule)
{
    return broken ? 1u << rule : 0;
}

static bool in_scope(const struct mneme_identity *who, const struct mneme_memory *m)
{
    switch (m->scope_kind) {
    case MNEME_SCOPE_USER:
        return mn_same(m->scope_id, who->user_id);
    case MNEME_SCOPE_PROJECT:
        return !mn_empty(m->scope_id) && mn_same(m->scope_id, who->project_id);
    case MNEME_SCOPE_REPO:
        return !mn_empty(m->scope_id) && mn_same(m->scope_id, who->repository_id);
    case MNEME_SCOPE_TASK:
        return !mn_empty(m->scope_id) && mn_same(m->scope_id, who->task_id);
    case MNEME_SCOPE_SESSION:
        return !mn_empty(m->scope_id) && mn_same(m->scope_id, who->session_id);
    case MNEME_SCOPE_NONE:
    case MNEME_SCOPE_GLOBAL:
        break;
    }
    return true;
}

static int level(enum mneme_sensitivity sensitivity)
{
    return sensitivity == MNEME_SENSITIVITY_NONE ? MNEME_INTERNAL : (int)sensitivity;
}

/* All but being replaced by another row. */
static unsigned broken_alone(const struct mn_golden_case *c, const struct mneme_memory *m)
{
    const struct mneme_identity *who = &c->request.identity;
    int64_t as_of_ms = c->request.as_of_ms;
    int64_t at_ms = as_of_ms ? as_of_ms : c->request.now_ms;
    bool made_later = as_of_ms && m->created_at_ms > as_of_ms;

    return bit(!mn_same(m->tenant_id, who->tenant_id), MN_HARD_OTHER_TENANT) |
           bit(!mn_empty(m->user_id) && !mn_same(m->user_id, who->user_id), MN_HARD_OTHER_USER) |
           bit(!mn_empty(m->agent_id) && !mn_same(m->agent_id, who->agent_id),
               MN_HARD_OTHER_AGENT) |
           bit(!in_scope(who, m), MN_HARD_OUT_OF_SCOPE) |
           bit(!mn_empty(m->requires_permission) &&
                   !mn_list_holds(&who->permissions, m->requires_permission),
               MN_HARD_PERMISSION) |
           bit(level(m->sensitivity) > level(who->clearance), MN_HARD_SENSITIVITY) |
           bit(made_later || (m->valid_from_ms && m->valid_from_ms > at_ms),
               MN_HARD_NOT_YET_VALID) |
           bit(m->valid_until_ms && m->valid_until_ms <= at_ms, MN_HARD_EXPIRED) |
           bit(m->status == MNEME_REVOKED || m->authority == MNEME_AUTHORITY_REVOKED,
               MN_HARD_REVOKED) |
           bit(m->status == MNEME_DELETED, MN_HARD_DELETED) |
           bit(m->status == MNEME_DEPRECATED, MN_HARD_DEPRECATED) |
           bit(m->status == MNEME_SUPERSEDED && !as_of_ms, MN_HARD_SUPERSEDED) |
           bit(m->confidence >= 0 && m->confidence < CONFIDENCE_MIN, MN_HARD_LOW_CONFIDENCE) |
           bit(!environment_fits(&who->environment, &m->applies_to), MN_HARD_ENVIRONMENT);
}

unsigned mn_hard_broken(const struct mn_golden *golden, const struct mn_golden_case *c,
                        const struct mneme_memory *memory)
{
    unsigned broken = broken_alone(c, memory);

    for (size_t i = 0; i < golden->memories.count; i++) {
        const struct mneme_memory *other = golden->memories.item[i];

        if (!mn_empty(other->supersedes) && mn_same(other->supersedes, memory->id) &&
            mn_same(other->tenant_id, memory->tenant_id) &&
            mn_same(other->user_id, memory->user_id) && mn_golden_holds(c, other->id) &&
            !broken_alone(c, other))
            broken |= 1u << MN_HARD_SUPERSEDED;
    }
    return broken;
}

unsigned mn_hard_broken_state(const struct mn_golden_case *c, const struct mneme_task_state *state)
{
    const struct mneme_identity *who = &c->request.identity;

    return bit(!mn_same(state->tenant_id, who->tenant_id), MN_HARD_OTHER_TENANT) |
           bit(!mn_same(state->user_id, who->user_id), MN_HARD_OTHER_USER) |
           bit(!mn_same(state->task_id, who->task_id), MN_HARD_OUT_OF_SCOPE);
}
