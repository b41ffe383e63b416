/*
 * candidates.h - candidates for the pure stages, as literals.
 */
#ifndef FAKES_CANDIDATES_H
#define FAKES_CANDIDATES_H

#include <stdint.h>

#include "retrieve/candidate.h"

#define DAY_MS INT64_C(86400000)
#define NOW_MS (INT64_C(20000) * DAY_MS)

/* Ann's, stated by her today; every string set. */
static inline struct mneme_memory a_memory(const char *id, const char *type, const char *content)
{
    return (struct mneme_memory){
        .size = sizeof(struct mneme_memory),
        .id = id,
        .tenant_id = "t",
        .user_id = "ann",
        .agent_id = "",
        .scope_kind = MNEME_SCOPE_USER,
        .scope_id = "ann",
        .type = type,
        .memory_key = "",
        .value = "",
        .title = "",
        .content = content,
        .summary = "",
        .category = "",
        .project = "",
        .module = "",
        .authority = MNEME_EXPLICIT_USER,
        .confidence = 0.9,
        .importance = 0.5,
        .sensitivity = MNEME_INTERNAL,
        .requires_permission = "",
        .risk = MNEME_RISK_NORMAL,
        .status = MNEME_ACTIVE,
        .version = 1,
        .supersedes = "",
        .content_hash = "",
        .created_at_ms = NOW_MS,
        .updated_at_ms = NOW_MS,
        .attributes = "{}",
    };
}

static inline struct mneme_memory an_answer(const char *id, const char *key, const char *value,
                                            const char *content)
{
    struct mneme_memory memory = a_memory(id, "user_preference", content);

    memory.memory_key = key;
    memory.value = value;
    return memory;
}

static inline struct mn_candidate a_candidate(const struct mneme_memory *memory)
{
    return (struct mn_candidate){
        .memory = memory,
        .confidence = memory->confidence,
        .speaker = "",
        .session_id = "",
        .language = MN_LANGUAGE_EN,
        .similarity_at = SIZE_MAX,
    };
}

#endif
