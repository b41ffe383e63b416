/*
 * universe.c - every combination by its number, and the oracle.
 *
 * The number is read like a clock: each dimension takes its digit off it. The oracle shares nothing
 * with access.c but the structs: it says each rule of access in one sentence.
 */
#include "fakes/universe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const char *const TENANTS[] = { "north", "south" };
static const char *const OWNERS[] = { "", "ann", "bob" };
static const char *const AGENTS[] = { "", "a1", "a2" };
static const char *const PERMISSIONS[] = { "", "billing.read" };
static const enum mneme_sensitivity LEVELS[] = { MNEME_PUBLIC, MNEME_INTERNAL, MNEME_CONFIDENTIAL,
                                                 MNEME_SECRET };

static const struct {
    enum mneme_scope kind;
    const char *id;
} SCOPES[] = {
    { MNEME_SCOPE_GLOBAL, "" },     { MNEME_SCOPE_USER, "ann" },    { MNEME_SCOPE_USER, "bob" },
    { MNEME_SCOPE_PROJECT, "one" }, { MNEME_SCOPE_PROJECT, "two" }, { MNEME_SCOPE_REPO, "one" },
    { MNEME_SCOPE_REPO, "two" },    { MNEME_SCOPE_TASK, "one" },    { MNEME_SCOPE_TASK, "two" },
    { MNEME_SCOPE_SESSION, "one" }, { MNEME_SCOPE_SESSION, "two" },
};

/* When the row was made, and its window; the instants asked about are 1000 (the past) and 2000. */
static const struct {
    int64_t created, from, until;
} LIVES[] = {
    { 400, 0, 0 },       /* always */
    { 400, 500, 1000 },  /* over when the past instant comes */
    { 400, 1000, 2000 }, /* begins at the past instant, over now */
    { 400, 1001, 2001 }, /* begins one past it, over one past now */
    { 400, 2001, 0 },    /* not yet now */
    { 1000, 0, 0 },      /* made at the past instant: existed */
    { 1001, 0, 0 },      /* made after it */
};

static const struct {
    enum mneme_memory_status status;
    enum mneme_authority authority;
    double confidence;
} STATES[] = {
    { MNEME_ACTIVE, MNEME_EXPLICIT_USER, 0.60 },
    { MNEME_DEPRECATED, MNEME_EXPLICIT_USER, 0.95 },
    { MNEME_SUPERSEDED, MNEME_EXPLICIT_USER, 0.95 },
    { MNEME_REVOKED, MNEME_EXPLICIT_USER, 0.95 },
    { MNEME_DELETED, MNEME_EXPLICIT_USER, 0.95 },
    /* beyond the product: */
    { MNEME_ACTIVE, MNEME_AUTHORITY_REVOKED, 0.95 },
    { MNEME_ACTIVE, MNEME_MODEL_INFERENCE, 0.59 },
};
#define STATES_IN_PRODUCT 5

/* Scopes an asker has open: project, repository, task, session. */
static const char *const OPEN[][4] = {
    { "", "", "", "" },          { "one", "one", "one", "one" }, { "two", "two", "two", "two" },
    { "one", "two", "", "one" }, { "", "one", "two", "" },
};

#define ROWS_OF_OWNERS (COUNT_OF(TENANTS) * COUNT_OF(OWNERS) * COUNT_OF(AGENTS) * COUNT_OF(SCOPES))
#define ROWS_IN_PRODUCT                                                                            \
    (ROWS_OF_OWNERS * COUNT_OF(LEVELS) * COUNT_OF(PERMISSIONS) * STATES_IN_PRODUCT *               \
     COUNT_OF(LIVES))

static size_t take_digit(size_t *number, size_t base)
{
    size_t digit = *number % base;

    *number /= base;
    return digit;
}

size_t universe_memory_count(void)
{
    return ROWS_IN_PRODUCT + ROWS_OF_OWNERS * (COUNT_OF(STATES) - STATES_IN_PRODUCT);
}

void universe_memory(size_t index, struct universe_memory *ret_row)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    size_t left = index < ROWS_IN_PRODUCT ? index : index - ROWS_IN_PRODUCT;
    size_t scope = take_digit(&left, COUNT_OF(SCOPES));
    size_t state = 0;
    size_t life = 0;

    (void)snprintf(ret_row->id, sizeof ret_row->id, "u-%05zu", index);
    (void)snprintf(ret_row->content, sizeof ret_row->content, "universe row %zu", index);
    m.id = ret_row->id;
    m.content = ret_row->content;
    m.tenant_id = TENANTS[take_digit(&left, COUNT_OF(TENANTS))];
    m.user_id = OWNERS[take_digit(&left, COUNT_OF(OWNERS))];
    m.agent_id = AGENTS[take_digit(&left, COUNT_OF(AGENTS))];
    m.scope_kind = SCOPES[scope].kind;
    m.scope_id = SCOPES[scope].id;
    m.sensitivity = MNEME_PUBLIC;
    m.requires_permission = "";
    if (index < ROWS_IN_PRODUCT) {
        m.sensitivity = LEVELS[take_digit(&left, COUNT_OF(LEVELS))];
        m.requires_permission = PERMISSIONS[take_digit(&left, COUNT_OF(PERMISSIONS))];
        state = take_digit(&left, STATES_IN_PRODUCT);
        life = left;
    } else {
        state = STATES_IN_PRODUCT + left;
    }
    m.status = STATES[state].status;
    m.authority = STATES[state].authority;
    m.confidence = STATES[state].confidence;
    m.created_at_ms = LIVES[life].created;
    m.updated_at_ms = LIVES[life].created;
    m.valid_from_ms = LIVES[life].from;
    m.valid_until_ms = LIVES[life].until;

    m.type = "fact";
    m.memory_key = m.value = m.title = m.summary = m.category = m.project = m.module = "";
    m.supersedes = m.content_hash = "";
    m.importance = 0.5;
    m.risk = MNEME_RISK_NORMAL;
    m.version = 1;
    m.revision = 1;
    m.attributes = "{}";
    ret_row->memory = m;
}

size_t universe_memory_index(const char *id)
{
    return (size_t)strtoul(id + strlen("u-"), NULL, 10);
}

/* ---- who asks ---- */

size_t universe_access_count(void)
{
    return COUNT_OF(TENANTS) * (COUNT_OF(OWNERS) - 1) * COUNT_OF(AGENTS) * COUNT_OF(OPEN) *
           COUNT_OF(LEVELS) * COUNT_OF(PERMISSIONS) * 2;
}

struct mneme_identity universe_identity(size_t index, int64_t *ret_as_of_ms)
{
    struct mneme_identity who = { 0 };
    size_t left = index;
    size_t open;

    who.tenant_id = TENANTS[take_digit(&left, COUNT_OF(TENANTS))];
    who.user_id = OWNERS[1 + take_digit(&left, COUNT_OF(OWNERS) - 1)];
    who.agent_id = AGENTS[take_digit(&left, COUNT_OF(AGENTS))];
    open = take_digit(&left, COUNT_OF(OPEN));
    who.project_id = OPEN[open][0];
    who.repository_id = OPEN[open][1];
    who.task_id = OPEN[open][2];
    who.session_id = OPEN[open][3];
    who.clearance = LEVELS[take_digit(&left, COUNT_OF(LEVELS))];
    if (take_digit(&left, COUNT_OF(PERMISSIONS)))
        who.permissions = (struct mneme_list){ &PERMISSIONS[1], 1 };
    *ret_as_of_ms = left ? UNIVERSE_AS_OF_MS : 0;
    return who;
}

struct mn_access universe_access(size_t index)
{
    int64_t as_of_ms;
    struct mneme_identity who = universe_identity(index, &as_of_ms);

    return (struct mn_access){
        .tenant = who.tenant_id,
        .user = who.user_id,
        .agent = who.agent_id,
        .session = who.session_id,
        .task = who.task_id,
        .project = who.project_id,
        .repository = who.repository_id,
        .clearance = who.clearance,
        .permissions = who.permissions,
        .at_ms = as_of_ms ? as_of_ms : UNIVERSE_NOW_MS,
        .as_of_ms = as_of_ms,
    };
}

/* ---- the oracle ---- */

static bool is(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* "global, user:<user>, and session/task/repo/project for the ids given"; "user_id empty: shared
 * inside the tenant (scopes global, project, repo, task)". */
static bool is_in_scope(const struct mn_access *who, const struct mneme_memory *m)
{
    bool shared = is(m->user_id, "");

    return m->scope_kind == MNEME_SCOPE_GLOBAL ||
           (m->scope_kind == MNEME_SCOPE_USER && !shared && is(m->scope_id, who->user)) ||
           (m->scope_kind == MNEME_SCOPE_SESSION && !shared && is(m->scope_id, who->session)) ||
           (m->scope_kind == MNEME_SCOPE_PROJECT && is(m->scope_id, who->project)) ||
           (m->scope_kind == MNEME_SCOPE_REPO && is(m->scope_id, who->repository)) ||
           (m->scope_kind == MNEME_SCOPE_TASK && is(m->scope_id, who->task));
}

/* "valid at t when from <= t < until"; "as_of asks the past: validity and history at that time;
 * revocation, erasure, clearance and permissions as of now". */
static bool is_in_time(int64_t past, int64_t t, const struct mneme_memory *m)
{
    return (m->valid_from_ms == 0 || m->valid_from_ms <= t) &&
           (m->valid_until_ms == 0 || t < m->valid_until_ms) &&
           (past == 0 || m->created_at_ms <= past);
}

/* "revoked is never recalled"; a row marked superseded "stays out", except from the past's view. */
static bool is_in_force(int64_t past, const struct mneme_memory *m)
{
    return m->authority != MNEME_AUTHORITY_REVOKED &&
           (m->status == MNEME_ACTIVE || (m->status == MNEME_SUPERSEDED && past != 0));
}

bool universe_allows(const struct mn_access *access, const struct mneme_memory *memory)
{
    const struct mneme_memory *m = memory;

    return is(m->tenant_id, access->tenant) &&
           (is(m->user_id, "") || is(m->user_id, access->user)) &&
           (is(m->agent_id, "") || is(m->agent_id, access->agent)) && /* "agent_id empty: any" */
           is_in_scope(access, m) &&
           (is(m->requires_permission, "") || access->permissions.count > 0) &&
           (int)m->sensitivity <= (int)access->clearance && m->confidence >= 0.60 &&
           is_in_force(access->as_of_ms, m) && is_in_time(access->as_of_ms, access->at_ms, m);
}
