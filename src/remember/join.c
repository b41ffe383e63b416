/*
 * join.c - two memories that say the same, as one row.
 *
 * The older one keeps its id, its key and its place; whatever the younger says beyond it is added:
 * words, names, evidence, a stronger authority, a higher importance and sensitivity. Of two
 * rewordings the fuller text has both; two texts of one key and value are put side by side, until
 * that gets long, and then the younger speaks. The merge history stands in the provenance, as
 * "merged:" and the hash of the text that was taken in: the same repetition later adds nothing.
 *
 * Confidence grows by 0.1 for evidence that is independent: a source the row does not name yet. A
 * repetition without a source is no evidence; a rewording that is taken in for the first time is.
 */
#include "remember/draft.h"

#include <string.h>

#include "memory/record.h"
#include "memory/weight.h"
#include "text/compare.h"

#define SIDE_BY_SIDE_BYTES_MAX 600
#define CONFIRMED 0.1
#define SCRATCH_BYTES_MAX ((size_t)8 << 20)

static bool list_has(const struct mneme_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (mn_same(list->item[i], text))
            return true;
    return false;
}

/* Both lists, each entry once, the first ones first, as far as a list reaches. */
static enum mneme_status unite(struct mneme_list *list, struct mneme_list more,
                               struct mn_arena *arena, bool *grew, struct mneme_error *err)
{
    const char **all = mn_arena_array(arena, const char *, list->count + more.count + 1);
    struct mneme_list united = { all, 0 };

    if (!all)
        return mn_fail_memory(err);
    for (size_t i = 0; i < list->count; i++)
        all[united.count++] = list->item[i];
    for (size_t i = 0; i < more.count && united.count < MNEME_LIST_ITEMS_MAX; i++)
        if (!list_has(&united, more.item[i]))
            all[united.count++] = more.item[i];
    if (united.count > list->count)
        *grew = true;
    *list = united;
    return MNEME_OK;
}

static void fill(const char **field, const char *from, bool *grew)
{
    if (!mn_empty(*field) || mn_empty(from))
        return;
    *field = from;
    *grew = true;
}

/* What both say, in one text. */
static const char *both_say(const char *there, const char *draft, struct mn_arena *arena)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    const char *a = mn_text_squeeze(scratch, there);
    const char *b = mn_text_squeeze(scratch, draft);

    if (!a || !b)
        return NULL;
    if (strstr(a, b))
        return there;
    if (strstr(b, a))
        return draft;
    if (mn_text_likeness(scratch, there, draft) == MN_LIKENESS_REWORDED)
        return strlen(b) > strlen(a) ? draft : there;
    if (strlen(there) + strlen(draft) + 1 > SIDE_BY_SIDE_BYTES_MAX)
        return draft;
    return mn_arena_printf(arena, "%s %s", there, draft);
}

static enum mneme_status join_texts(struct mneme_memory *row, const struct mneme_memory *draft,
                                    struct mn_arena *arena, bool *grew, struct mneme_error *err)
{
    const char *content = both_say(row->content, draft->content, arena);
    const char *taken_in;
    const char *mark;

    if (!content)
        return mn_fail_memory(err);
    taken_in = content == draft->content ? row->content_hash : draft->content_hash;
    if (strcmp(content, row->content) != 0) {
        row->content = content;
        row->summary = mn_empty(draft->summary) ? row->summary : draft->summary;
        MN_TRY(mn_memory_hash(content, arena, &row->content_hash, err));
        *grew = true;
    }
    mark = mn_arena_printf(arena, "merged:%s", taken_in);
    if (!mark)
        return mn_fail_memory(err);
    return unite(&row->provenance, (struct mneme_list){ &mark, 1 }, arena, grew, err);
}

enum mneme_status mn_join(const struct mneme_memory *there, const struct mneme_memory *draft,
                          enum mn_act act, int64_t now_ms, struct mn_arena *arena,
                          struct mneme_memory *ret_row, bool *ret_new, struct mneme_error *err)
{
    struct mneme_memory row = *there;
    bool evidence = false;
    bool added = false;
    bool stronger =
        mn_authority_tier(draft->authority) > mn_authority_tier(there->authority);

    MN_TRY(unite(&row.provenance, draft->provenance, arena, &evidence, err));
    if (act == MN_ACT_MERGE)
        MN_TRY(join_texts(&row, draft, arena, &evidence, err));
    if (act == MN_ACT_MERGE) {
        MN_TRY(unite(&row.keywords, draft->keywords, arena, &added, err));
        MN_TRY(unite(&row.usage_scenario, draft->usage_scenario, arena, &added, err));
        MN_TRY(unite(&row.entities, draft->entities, arena, &added, err));
    }
    if (mn_empty(row.memory_key)) {
        fill(&row.memory_key, draft->memory_key, &added);
        fill(&row.value, draft->value, &added);
    }
    fill(&row.title, draft->title, &added);
    fill(&row.summary, draft->summary, &added);
    if (stronger) {
        row.authority = draft->authority;
        row.confidence = draft->confidence > row.confidence ? draft->confidence : row.confidence;
    }
    if (draft->sensitivity > row.sensitivity) {
        row.sensitivity = draft->sensitivity;
        added = true;
    }
    if (draft->importance > row.importance && (evidence || stronger))
        row.importance = draft->importance;
    if (evidence) {
        row.confidence = row.confidence + CONFIRMED > 1.0 ? 1.0 : row.confidence + CONFIRMED;
        if (row.authority == MNEME_MODEL_INFERENCE && !row.confirmed_at_ms && row.confidence > 0.9)
            row.confidence = 0.9;
    }
    /* An inference that only inferences repeat stays unconfirmed. */
    if ((evidence || stronger) && draft->authority != MNEME_MODEL_INFERENCE)
        row.confirmed_at_ms = now_ms;
    if (mn_same(row.content, there->content))
        row.updated_at_ms = there->updated_at_ms;
    else
        row.updated_at_ms = now_ms;
    *ret_row = row;
    *ret_new = evidence || added || stronger;
    return MNEME_OK;
}
