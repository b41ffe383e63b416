/*
 * classify.c - what kind of memory is it, when nobody said?
 *
 * A handful of cue words in both languages decide the type; the first row of the table that fires wins,
 * and a plain statement is a fact. A scope that is missing is the user's own, or the tenant's for a
 * shared row: never wider than asked.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/str.h"
#include "text/analyze.h"

struct cue {
    const char *type;
    const char *const *words; /* folded; NULL ends */
};

static const char *const preference_words[] = {
    "i prefer", "i like", "i'd rather", "my favourite", "my favorite", "i usually", "i always",
    "偏好", "喜欢", "习惯", "我一般", "我通常", "我总是", NULL
};
static const char *const constraint_words[] = {
    "must not", "must", "never", "always use", "do not", "don't", "only use", "is required",
    "必须", "禁止", "不得", "不要", "一律", "只能", "务必", "严禁", NULL
};
static const char *const decision_words[] = { "we decided", "decided to", "we chose", "agreed to",
                                              "we will use", "决定", "选定", "商定", "敲定", NULL };
static const char *const incident_words[] = { "crashed",  "outage",  "failed with", "root cause",
                                              "incident", "故障",    "崩溃",        "报错",
                                              "事故",     "根因",    NULL };
static const char *const procedure_words[] = { "steps:", "step 1", "how to", "first,", "步骤",
                                               "流程",   "先",     NULL };

static const struct cue cues[] = {
    { "user_preference", preference_words },   { "previous_decision", decision_words },
    { "project_constraint", constraint_words }, { "incident", incident_words },
    { "successful_procedure", procedure_words },
};

static bool any_word(const char *folded, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (mn_text_contains(folded, words[i]))
            return true;
    return false;
}

static const char *type_of(const struct mneme_memory *memory)
{
    const char *content = mn_or_empty(memory->content);
    MN_ARENA_AUTO arena = mn_arena_new(strlen(content) * 8 + 65536);
    char *folded = arena ? mn_text_fold(arena, content, strlen(content)) : NULL;

    for (size_t i = 0; folded && i < sizeof cues / sizeof *cues; i++)
        if (any_word(folded, cues[i].words))
            return cues[i].type;
    return "fact";
}

void mn_classify(struct mneme_memory *memory)
{
    if (mn_empty(memory->type))
        memory->type = type_of(memory);
    if (memory->scope_kind == MNEME_SCOPE_NONE) {
        memory->scope_kind = mn_empty(memory->user_id) ? MNEME_SCOPE_GLOBAL : MNEME_SCOPE_USER;
        memory->scope_id = mn_empty(memory->user_id) ? "" : memory->user_id;
    }
    if (memory->authority == MNEME_AUTHORITY_NONE)
        memory->authority = MNEME_EXPLICIT_USER;
}
