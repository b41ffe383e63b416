/*
 * names.c - enumerations and their names, both ways.
 */
#include "memory/names.h"

#include <stdio.h>
#include <string.h>

#include <mneme/remember.h>
#include <mneme/retrieve.h>

#include "base/str.h"

#define NAMES(table, ...)                                                                          \
    static const char *const table##_items[] = { "", __VA_ARGS__ };                                \
    const struct mn_names table = { table##_items, sizeof table##_items / sizeof table##_items[0] }

NAMES(mn_scope_names, "global", "user", "project", "repo", "task", "session");
NAMES(mn_authority_names, "explicit_user", "explicit_admin", "confirmed_system", "tool_observation",
      "model_inference", "revoked");
NAMES(mn_sensitivity_names, "public", "internal", "confidential", "secret");
NAMES(mn_memory_status_names, "active", "deprecated", "superseded", "revoked", "deleted");
NAMES(mn_risk_names, "normal", "high");
NAMES(mn_trigger_names, "intent", "task_type", "keyword", "regex", "tool", "path_glob", "entity",
      "always");

static const char *const OUTCOMES[] = { "",          "inserted", "confirmed",  "updated",
                                        "unchanged", "merged",   "superseded", "rival",
                                        "forgotten", "unclear" };

/* Of these the value 0 has a name as well. */
static const char *const MODES[] = { "auto", "none", "structured_only", "episodic_only", "hybrid" };
static const char *const PROFILES[] = { "default", "similarity", "balanced", "recency" };
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

const char *mn_names_at(const struct mn_names *names, unsigned value)
{
    return value < names->count ? names->item[value] : "";
}

unsigned mn_names_find(const struct mn_names *names, const char *name)
{
    for (unsigned value = 1; value < names->count; value++) {
        if (mn_same(names->item[value], name))
            return value;
    }
    return 0;
}

char *mn_names_list(const struct mn_names *names, char *buffer, size_t buffer_bytes)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (unsigned value = 1; value < names->count && used < buffer_bytes; value++)
        used += (size_t)snprintf(buffer + used, buffer_bytes - used, "%s%s", value > 1 ? ", " : "",
                                 names->item[value]);
    return buffer;
}

const char *mneme_scope_name(enum mneme_scope scope)
{
    return mn_names_at(&mn_scope_names, (unsigned)scope);
}

const char *mneme_authority_name(enum mneme_authority authority)
{
    return mn_names_at(&mn_authority_names, (unsigned)authority);
}

const char *mneme_sensitivity_name(enum mneme_sensitivity sensitivity)
{
    return mn_names_at(&mn_sensitivity_names, (unsigned)sensitivity);
}

const char *mneme_memory_status_name(enum mneme_memory_status status)
{
    return mn_names_at(&mn_memory_status_names, (unsigned)status);
}

const char *mneme_risk_name(enum mneme_risk risk)
{
    return mn_names_at(&mn_risk_names, (unsigned)risk);
}

const char *mneme_trigger_name(enum mneme_trigger trigger)
{
    return mn_names_at(&mn_trigger_names, (unsigned)trigger);
}

enum mneme_scope mneme_scope_of(const char *name)
{
    return (enum mneme_scope)mn_names_find(&mn_scope_names, name);
}

enum mneme_authority mneme_authority_of(const char *name)
{
    return (enum mneme_authority)mn_names_find(&mn_authority_names, name);
}

enum mneme_sensitivity mneme_sensitivity_of(const char *name)
{
    return (enum mneme_sensitivity)mn_names_find(&mn_sensitivity_names, name);
}

enum mneme_memory_status mneme_memory_status_of(const char *name)
{
    return (enum mneme_memory_status)mn_names_find(&mn_memory_status_names, name);
}

enum mneme_trigger mneme_trigger_of(const char *name)
{
    return (enum mneme_trigger)mn_names_find(&mn_trigger_names, name);
}

const char *mneme_mode_name(enum mneme_mode mode)
{
    return (size_t)mode < COUNT_OF(MODES) ? MODES[mode] : "";
}

enum mneme_mode mneme_mode_of(const char *name)
{
    for (size_t mode = 0; mode < COUNT_OF(MODES); mode++) {
        if (mn_same(MODES[mode], name))
            return (enum mneme_mode)mode;
    }
    return MNEME_MODE_AUTO;
}

const char *mneme_profile_name(enum mneme_profile profile)
{
    return (size_t)profile < COUNT_OF(PROFILES) ? PROFILES[profile] : "";
}

const char *mneme_outcome_name(enum mneme_outcome outcome)
{
    return (unsigned)outcome < COUNT_OF(OUTCOMES) ? OUTCOMES[outcome] : "";
}
