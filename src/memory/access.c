/*
 * access.c - isolation: who may see what, and when a memory holds.
 *
 * Two functions, each a list of questions in the words of the contract; the first "no" is the
 * reason. Reach comes before state, so that a row that is both another tenant's and expired is told
 * as another tenant's. Every id is compared whole, byte by byte: "team" does not open "team-2", and
 * NFC and NFD spellings of a name are two names.
 *
 * An absent id opens nothing. A row whose scope has no id, or none at all, is reached by nobody:
 * the checks of record.c let no such row in, and if one gets in, it must not fall open.
 */
#include "memory/access.h"

#include <string.h>

#include "base/str.h"
#include "memory/fields.h"

#define VERSION_DIGITS "0123456789"

enum mneme_status mn_access_make(const struct mneme_identity *identity, int64_t now_ms,
                                 int64_t as_of_ms, struct mn_access *ret_access,
                                 struct mneme_error *err)
{
    if (!identity)
        return mn_fail(err, MNEME_INVALID, "identity: is NULL");
    if (mn_empty(identity->tenant_id))
        return mn_fail(err, MNEME_INVALID,
                       "tenant_id: must be set: nothing is recalled without it");
    if (mn_empty(identity->user_id))
        return mn_fail(err, MNEME_INVALID, "user_id: must be set: nothing is recalled without it");
    MN_TRY(mn_fields_check(&mn_identity_fields, identity, err));

    *ret_access = (struct mn_access){
        .tenant = identity->tenant_id,
        .user = identity->user_id,
        .agent = mn_or_empty(identity->agent_id),
        .session = mn_or_empty(identity->session_id),
        .task = mn_or_empty(identity->task_id),
        .project = mn_or_empty(identity->project_id),
        .repository = mn_or_empty(identity->repository_id),
        .clearance = identity->clearance ? identity->clearance : MNEME_INTERNAL,
        .permissions = identity->permissions,
        .environment = identity->environment,
        .at_ms = as_of_ms ? as_of_ms : now_ms,
        .as_of_ms = as_of_ms,
    };
    return MNEME_OK;
}

const char *mn_access_scope_id(const struct mn_access *access, enum mneme_scope scope)
{
    switch (scope) {
    case MNEME_SCOPE_USER:
        return mn_or_empty(access->user);
    case MNEME_SCOPE_PROJECT:
        return mn_or_empty(access->project);
    case MNEME_SCOPE_REPO:
        return mn_or_empty(access->repository);
    case MNEME_SCOPE_TASK:
        return mn_or_empty(access->task);
    case MNEME_SCOPE_SESSION:
        return mn_or_empty(access->session);
    case MNEME_SCOPE_NONE:
    case MNEME_SCOPE_GLOBAL:
        break;
    }
    return "";
}

/* ---- does the identity reach the row? ---- */

static bool tenant_is_own(const struct mn_access *access, const struct mneme_memory *memory)
{
    return !mn_empty(memory->tenant_id) && mn_same(memory->tenant_id, access->tenant);
}

static bool owner_is_self_or_tenant(const struct mn_access *access,
                                    const struct mneme_memory *memory)
{
    return mn_empty(memory->user_id) || mn_same(memory->user_id, access->user);
}

static bool agent_is_any_or_own(const struct mn_access *access, const struct mneme_memory *memory)
{
    return mn_empty(memory->agent_id) || mn_same(memory->agent_id, access->agent);
}

static bool scope_is_open(const struct mn_access *access, const struct mneme_memory *memory)
{
    bool shared = mn_empty(memory->user_id);

    if (memory->scope_kind == MNEME_SCOPE_GLOBAL)
        return true;
    if (shared &&
        (memory->scope_kind == MNEME_SCOPE_USER || memory->scope_kind == MNEME_SCOPE_SESSION))
        return false; /* one user's scopes hold nothing that the tenant shares */
    return !mn_empty(memory->scope_id) &&
           mn_same(memory->scope_id, mn_access_scope_id(access, memory->scope_kind));
}

static bool permission_is_held(const struct mn_access *access, const struct mneme_memory *memory)
{
    if (mn_empty(memory->requires_permission))
        return true;
    for (size_t i = 0; i < access->permissions.count; i++) {
        if (mn_same(access->permissions.item[i], memory->requires_permission))
            return true;
    }
    return false;
}

/* The enumeration stands in the order of the levels; "not given" is read as internal. */
static enum mneme_sensitivity level_of(enum mneme_sensitivity sensitivity)
{
    return sensitivity == MNEME_SENSITIVITY_NONE ? MNEME_INTERNAL : sensitivity;
}

static bool sensitivity_is_cleared(const struct mn_access *access,
                                   const struct mneme_memory *memory)
{
    return level_of(memory->sensitivity) <= level_of(access->clearance);
}

static const char *stated_value(const struct mn_access *access, const char *name)
{
    for (size_t i = 0; i < access->environment.count; i++) {
        if (mn_same(access->environment.item[i].name, name))
            return mn_or_empty(access->environment.item[i].value);
    }
    return "";
}

static bool environment_fits(const struct mn_access *access, const struct mneme_memory *memory)
{
    for (size_t i = 0; i < memory->applies_to.count; i++) {
        const struct mneme_pair *wanted = &memory->applies_to.item[i];
        const char *stated = stated_value(access, wanted->name);

        if (!mn_empty(stated) && !mn_environment_satisfies(stated, wanted->value))
            return false; /* what is not stated is unknown, not a mismatch */
    }
    return true;
}

static enum mn_reason why_not_reached(const struct mn_access *access,
                                      const struct mneme_memory *memory)
{
    if (!tenant_is_own(access, memory))
        return MN_REASON_OTHER_TENANT;
    if (!owner_is_self_or_tenant(access, memory))
        return MN_REASON_OTHER_USER;
    if (!agent_is_any_or_own(access, memory))
        return MN_REASON_OTHER_AGENT;
    if (!scope_is_open(access, memory))
        return MN_REASON_OUT_OF_SCOPE;
    if (!permission_is_held(access, memory))
        return MN_REASON_PERMISSION;
    if (!sensitivity_is_cleared(access, memory))
        return MN_REASON_SENSITIVITY;
    if (!environment_fits(access, memory))
        return MN_REASON_ENVIRONMENT;
    return MN_REASON_NONE;
}

bool mn_access_reaches(const struct mn_access *access, const struct mneme_memory *memory,
                       enum mn_reason *ret_reason)
{
    enum mn_reason reason = why_not_reached(access, memory);

    if (reason != MN_REASON_NONE)
        *ret_reason = reason;
    return reason == MN_REASON_NONE;
}

/* ---- does the row hold? ---- */

/* The status of now, whatever the instant asked for; only "superseded" is a matter of the past. */
static enum mn_reason why_out_of_force(const struct mn_access *access,
                                       const struct mneme_memory *memory)
{
    if (memory->authority == MNEME_AUTHORITY_REVOKED)
        return MN_REASON_REVOKED;
    switch (memory->status) {
    case MNEME_STATUS_NONE:
    case MNEME_ACTIVE:
        return MN_REASON_NONE;
    case MNEME_DEPRECATED:
        return MN_REASON_DEPRECATED;
    case MNEME_SUPERSEDED:
        return access->as_of_ms ? MN_REASON_NONE : MN_REASON_SUPERSEDED;
    case MNEME_REVOKED:
        return MN_REASON_REVOKED;
    case MNEME_DELETED:
        break;
    }
    return MN_REASON_DELETED; /* a status this version does not know as well */
}

static enum mn_reason why_out_of_time(const struct mn_access *access,
                                      const struct mneme_memory *memory)
{
    if (access->as_of_ms && memory->created_at_ms > access->as_of_ms)
        return MN_REASON_NOT_YET_VALID; /* it did not exist then */
    if (memory->valid_from_ms && access->at_ms < memory->valid_from_ms)
        return MN_REASON_NOT_YET_VALID;
    if (memory->valid_until_ms && access->at_ms >= memory->valid_until_ms)
        return MN_REASON_EXPIRED;
    return MN_REASON_NONE;
}

bool mn_access_holds(const struct mn_access *access, const struct mneme_memory *memory,
                     double confidence, enum mn_reason *ret_reason)
{
    enum mn_reason reason = why_out_of_force(access, memory);

    if (reason == MN_REASON_NONE)
        reason = why_out_of_time(access, memory);
    if (confidence < 0)
        confidence = memory->confidence;
    if (reason == MN_REASON_NONE && !(confidence >= MN_CONFIDENCE_MIN)) /* NaN as well */
        reason = MN_REASON_LOW_CONFIDENCE;

    if (reason != MN_REASON_NONE)
        *ret_reason = reason;
    return reason == MN_REASON_NONE;
}

bool mn_access_allows(const struct mn_access *access, const struct mneme_memory *memory,
                      double confidence, enum mn_reason *ret_reason)
{
    return mn_access_reaches(access, memory, ret_reason) &&
           mn_access_holds(access, memory, confidence, ret_reason);
}

/* ---- environments and versions ---- */

static struct mn_str trimmed(struct mn_str text)
{
    while (text.bytes && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.bytes--;
    }
    while (text.bytes && (text.at[text.bytes - 1] == ' ' || text.at[text.bytes - 1] == '\t'))
        text.bytes--;
    return text;
}

/* The next run of digits without its leading zeros; empty at the end, so that 3.12 equals 3.12.0.
 */
static struct mn_str next_number(struct mn_str *version)
{
    struct mn_str digits = { "", 0 };
    bool found = false;

    while (version->bytes) {
        bool is_digit = strchr(VERSION_DIGITS, version->at[0]) != NULL;

        if (found && !is_digit)
            break;
        if (is_digit && !found)
            digits.at = version->at;
        found = found || is_digit;
        digits.bytes += is_digit;
        version->at++;
        version->bytes--;
    }
    while (digits.bytes && digits.at[0] == '0') {
        digits.at++;
        digits.bytes--;
    }
    return digits;
}

static bool has_digit(struct mn_str text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        if (strchr(VERSION_DIGITS, text.at[i]))
            return true;
    }
    return false;
}

/* Number by number, of any length: negative, 0, positive. */
static int compare_versions(struct mn_str a, struct mn_str b)
{
    while (a.bytes || b.bytes) {
        struct mn_str x = next_number(&a);
        struct mn_str y = next_number(&b);
        int order;

        if (x.bytes != y.bytes)
            return x.bytes < y.bytes ? -1 : 1;
        order = memcmp(x.at, y.at, x.bytes);
        if (order)
            return order;
    }
    return 0;
}

enum relation { AT_LEAST, AT_MOST, EQUAL, UNEQUAL, MORE, LESS, NAMED };

/* Takes ">=" and its like off the front; NAMED when there is none. */
static enum relation take_relation(struct mn_str *wanted)
{
    static const char *const SIGNS[] = { ">=", "<=", "==", "!=", ">", "<" }; /* longer ones first */

    for (int relation = AT_LEAST; relation < NAMED; relation++) {
        size_t bytes = strlen(SIGNS[relation]);

        if (wanted->bytes >= bytes && memcmp(wanted->at, SIGNS[relation], bytes) == 0) {
            *wanted = trimmed((struct mn_str){ wanted->at + bytes, wanted->bytes - bytes });
            return (enum relation)relation;
        }
    }
    return NAMED;
}

/* One constraint: "ios", ">=3.12", "!= 2". */
static bool satisfies_one(struct mn_str stated, struct mn_str wanted)
{
    enum relation relation = take_relation(&wanted);
    bool of_names =
        relation == NAMED || (!has_digit(wanted) && (relation == EQUAL || relation == UNEQUAL));
    int order = of_names ? !mn_str_alike(stated, wanted) : compare_versions(stated, wanted);

    switch (relation) {
    case AT_LEAST:
        return order >= 0;
    case AT_MOST:
        return order <= 0;
    case MORE:
        return order > 0;
    case LESS:
        return order < 0;
    case UNEQUAL:
        return order != 0;
    case EQUAL:
    case NAMED:
        break;
    }
    return order == 0;
}

bool mn_environment_satisfies(const char *stated, const char *wanted)
{
    struct mn_str have = trimmed(mn_str_of(stated));
    struct mn_str rest = mn_str_of(wanted);

    while (rest.bytes) {
        const char *comma = memchr(rest.at, ',', rest.bytes);
        size_t bytes = comma ? (size_t)(comma - rest.at) : rest.bytes;
        struct mn_str one = trimmed((struct mn_str){ rest.at, bytes });

        if (one.bytes && !satisfies_one(have, one))
            return false;
        rest.at += bytes + (comma != NULL);
        rest.bytes -= bytes + (comma != NULL);
    }
    return true;
}
