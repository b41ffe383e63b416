/*
 * type.c - the table of types.
 *
 * What can be looked up exactly (preferences, constraints, rules) is found by structure and never
 * by similarity; working state by its task; everything that is told in sentences by text and
 * vector. A graph or a rule may bring any type, the graph no task state.
 */
#include "memory/type.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define HALF_LIFE_OTHER_DAYS 90.0

#define FOUND_STRUCTURED (MN_FOUND_STRUCTURED | MN_FOUND_GRAPH | MN_FOUND_RULE)
#define FOUND_TASK (MN_FOUND_TASK | MN_FOUND_RULE)
#define FOUND_TOLD (MN_FOUND_TEXT | MN_FOUND_VECTOR | MN_FOUND_GRAPH | MN_FOUND_RULE)

#define ASKED_HYBRID (1U << MNEME_MODE_HYBRID)
#define ASKED_STRUCTURED (ASKED_HYBRID | 1U << MNEME_MODE_STRUCTURED_ONLY)
#define ASKED_EPISODIC (ASKED_HYBRID | 1U << MNEME_MODE_EPISODIC_ONLY)

static const struct mn_type TYPES[] = {
    { "user_preference", MN_KIND_SEMANTIC, MN_SECTION_PREFERENCES, 365, FOUND_STRUCTURED,
      ASKED_STRUCTURED },
    { "project_constraint", MN_KIND_SEMANTIC, MN_SECTION_CONSTRAINTS, 180, FOUND_STRUCTURED,
      ASKED_STRUCTURED },
    { "repository_rule", MN_KIND_SEMANTIC, MN_SECTION_CONSTRAINTS, 90, FOUND_STRUCTURED,
      ASKED_STRUCTURED },
    { "task_state", MN_KIND_WORKING, MN_SECTION_TASK_STATE, 2, FOUND_TASK, ASKED_STRUCTURED },
    { "previous_decision", MN_KIND_SEMANTIC, MN_SECTION_DECISIONS, 90, FOUND_TOLD, ASKED_EPISODIC },
    { "incident", MN_KIND_EPISODIC, MN_SECTION_INCIDENTS, 45, FOUND_TOLD, ASKED_EPISODIC },
    { "successful_procedure", MN_KIND_PROCEDURAL, MN_SECTION_PROCEDURES, 60, FOUND_TOLD,
      ASKED_EPISODIC },
    { "skill", MN_KIND_PROCEDURAL, MN_SECTION_PROCEDURES, 60, FOUND_TOLD, ASKED_EPISODIC },
    { "fact", MN_KIND_SEMANTIC, MN_SECTION_FACTS, 90, FOUND_TOLD, ASKED_HYBRID },
    { "event", MN_KIND_EPISODIC, MN_SECTION_EVENTS, 30, FOUND_TOLD, ASKED_EPISODIC },
    { "session_summary", MN_KIND_EPISODIC, MN_SECTION_EVENTS, 30, FOUND_TOLD, ASKED_EPISODIC },
};
#define TYPE_COUNT ((int)(sizeof TYPES / sizeof TYPES[0]))

static const struct mn_type OTHER = {
    "", MN_KIND_SEMANTIC, MN_SECTION_FACTS, HALF_LIFE_OTHER_DAYS, FOUND_TOLD, ASKED_HYBRID
};

static const char *const SECTIONS[MN_SECTION_COUNT] = {
    [MN_SECTION_CONSTRAINTS] = "constraints",
    [MN_SECTION_PREFERENCES] = "preferences",
    [MN_SECTION_TASK_STATE] = "task_state",
    [MN_SECTION_DECISIONS] = "decisions",
    [MN_SECTION_INCIDENTS] = "previous_incidents",
    [MN_SECTION_PROCEDURES] = "procedures",
    [MN_SECTION_FACTS] = "facts",
    [MN_SECTION_EVENTS] = "events",
};

const char *mn_section_name(enum mn_section section)
{
    return (unsigned)section < MN_SECTION_COUNT ? SECTIONS[section] : "";
}

int mn_type_find(const char *name)
{
    if (mn_empty(name))
        return MN_TYPE_NONE;
    for (int type = 0; type < TYPE_COUNT; type++) {
        const char *known = TYPES[type].name;

        if (known[0] == name[0] && known[1] == name[1] && known[2] == name[2] &&
            strcmp(known, name) == 0)
            return type;
    }
    return MN_TYPE_NONE;
}

const struct mn_type *mn_type_at(int type)
{
    return type >= 0 && type < TYPE_COUNT ? &TYPES[type] : &OTHER;
}

const struct mn_type *mn_type_of(const char *name)
{
    return mn_type_at(mn_type_find(name));
}

int mn_type_count(void)
{
    return TYPE_COUNT;
}

enum mneme_status mn_type_known(const char *field, const char *name, struct mneme_error *err)
{
    char known[256] = "";
    size_t used = 0;

    if (mn_type_find(name) != MN_TYPE_NONE)
        return MNEME_OK;
    for (int type = 0; type < TYPE_COUNT && used < sizeof known; type++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", type ? ", " : "",
                                 TYPES[type].name);
    return mn_fail(err, MNEME_INVALID, "%s: '%.64s' is not known; known are %s", field,
                   mn_or_empty(name), known);
}

mn_type_set mn_types_of_mode(enum mneme_mode mode)
{
    mn_type_set types = 0;

    for (int type = 0; type < TYPE_COUNT; type++) {
        if ((unsigned)mode <= MNEME_MODE_HYBRID && TYPES[type].modes & (1U << mode))
            types |= MN_TYPE_BIT(type);
    }
    return types;
}

mn_type_set mn_types_found_by(unsigned found_by)
{
    mn_type_set types = 0;

    for (int type = 0; type < TYPE_COUNT; type++) {
        if (TYPES[type].found_by & found_by)
            types |= MN_TYPE_BIT(type);
    }
    return types;
}
