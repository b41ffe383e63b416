/*
 * join.c - two memories that say the same, as one row.
 *
 * The older one keeps its id, its key and its place; whatever the younger says beyond it is added:
 * words, names, evidence, a stronger authority, a higher importance, sensitivity and risk. Where
 * both say something else of a field (a title, an end, a category), the younger speaks, unless it
 * has less authority: then only what the row leaves open is filled. Nothing a caller said is
 * dropped in silence because the words were known. Of two rewordings the fuller text has both; two
 * texts of one key and value are put side by side, until that gets long, and then the younger
 * speaks. The merge history stands in the provenance, as "merged:" and the hash of the text that
 * was taken in: the same repetition later adds nothing.
 *
 * Confidence grows by 0.1 for evidence that is independent: a source the row does not name yet. A
 * repetition without a source is no evidence; a rewording that is taken in for the first time is.
 */
#include "remember/draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "memory/record.h"
#include "memory/weight.h"
#include "text/compare.h"

#define SIDE_BY_SIDE_BYTES_MAX 600
#define CONFIRMED 0.1
#define SCRATCH_BYTES_MAX ((size_t)8 << 20)

double mn_join_surer(double confidence)
{
    return confidence + CONFIRMED > 1.0 ? 1.0 : confidence + CONFIRMED;
}

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

bool mn_join_may_set(const struct mneme_memory *row, const struct mneme_memory *draft)
{
    bool above = row->authority == MNEME_EXPLICIT_ADMIN || row->authority == MNEME_CONFIRMED_SYSTEM;

    return mn_authority_tier(draft->authority) >= mn_authority_tier(row->authority) &&
           (!above || draft->authority == row->authority ||
            draft->authority == MNEME_EXPLICIT_ADMIN);
}

/* over: also where something else stands. */
static void set(const char **field, const char *to, bool over, bool *grew)
{
    if (mn_empty(to) || mn_same(*field, to) || (!mn_empty(*field) && !over))
        return;
    *field = to;
    *grew = true;
}

static void set_time(int64_t *field, int64_t to_ms, bool over, bool *grew)
{
    if (!to_ms || *field == to_ms || !over)
        return;
    *field = to_ms;
    *grew = true;
}

/* The members of both objects; one that is in both is as the draft has it, where it may set that. */
static enum mneme_status join_attributes(struct mneme_memory *row, const struct mneme_memory *draft,
                                         bool over, struct mn_arena *arena, bool *grew,
                                         struct mneme_error *err)
{
    MN_JSON_AUTO there = NULL;
    MN_JSON_AUTO more = NULL;
    yyjson_mut_doc *both;
    yyjson_obj_iter member;
    char *written = NULL;
    size_t bytes = 0;
    bool made;

    if (mn_empty(draft->attributes) || mn_same(draft->attributes, "{}") ||
        mn_same(draft->attributes, row->attributes))
        return MNEME_OK;
    MN_TRY(mn_json_parse("attributes", row->attributes, strlen(row->attributes), &there, err));
    MN_TRY(mn_json_parse("attributes", draft->attributes, strlen(draft->attributes), &more, err));
    both = yyjson_doc_mut_copy(there, NULL);
    made = both != NULL;
    member = yyjson_obj_iter_with(yyjson_doc_get_root(more));
    for (yyjson_val *key; made && (key = yyjson_obj_iter_next(&member));) {
        yyjson_mut_val *root = yyjson_mut_doc_get_root(both);
        yyjson_mut_val *name = yyjson_val_mut_copy(both, key);
        yyjson_mut_val *value = yyjson_val_mut_copy(both, yyjson_obj_iter_get_val(key));

        if (!over && yyjson_obj_get(yyjson_doc_get_root(there), yyjson_get_str(key)))
            continue;
        made = name && value && yyjson_mut_obj_put(root, name, value);
    }
    if (made)
        written = yyjson_mut_write(both, YYJSON_WRITE_NOFLAG, &bytes);
    yyjson_mut_doc_free(both);
    const char *kept = !written                       ? NULL
                       : bytes > MNEME_JSON_BYTES_MAX ? draft->attributes
                                                      : mn_arena_copy(arena, written);
    free(written);
    if (!kept)
        return mn_fail_memory(err);
    set(&row->attributes, kept, bytes <= MNEME_JSON_BYTES_MAX || over, grew);
    return MNEME_OK;
}

/* What both say, in one text. */
static const char *both_say(const char *there, const char *draft, struct mn_arena *arena)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    const char *a = mn_text_squeeze(scratch, there);
    const char *b = mn_text_squeeze(scratch, draft);

    if (!a || !b)
        return NULL;
    enum mn_likeness likeness = mn_text_likeness(scratch, there, draft);
    if (likeness != MN_LIKENESS_RIVAL && strstr(a, b))
        return there;
    if (likeness != MN_LIKENESS_RIVAL && strstr(b, a))
        return draft;
    if (likeness == MN_LIKENESS_REWORDED)
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

/* What is said of the text: a field as the draft has it, where that may stand over the row's. */
static void join_fields(struct mneme_memory *row, const struct mneme_memory *draft, int64_t now_ms,
                        bool *grew)
{
    bool over = mn_join_may_set(row, draft);

    if (mn_empty(row->memory_key)) {
        set(&row->memory_key, draft->memory_key, true, grew);
        set(&row->value, draft->value, true, grew);
    }
    set(&row->title, draft->title, over, grew);
    set(&row->summary, draft->summary, over, grew);
    set(&row->category, draft->category, over, grew);
    set(&row->project, draft->project, over, grew);
    set(&row->module, draft->module, over, grew);
    set(&row->supersedes, draft->supersedes, over, grew);
    set(&row->requires_permission, draft->requires_permission, over, grew);
    set_time(&row->event_time_ms, draft->event_time_ms, over || !row->event_time_ms, grew);
    set_time(&row->confirmed_at_ms, draft->confirmed_at_ms,
             over && draft->confirmed_at_ms > row->confirmed_at_ms, grew);
    /* One that has begun may end the row; one that begins later says nothing of the time before. */
    set_time(&row->valid_until_ms, draft->valid_until_ms, over && draft->valid_from_ms <= now_ms,
             grew);
    *grew = *grew || draft->sensitivity > row->sensitivity || draft->risk > row->risk;
    if (draft->sensitivity > row->sensitivity)
        row->sensitivity = draft->sensitivity;
    if (draft->risk > row->risk)
        row->risk = draft->risk;
}

static void lift(double *share, double to, bool may, bool *grew)
{
    if (!may || to <= *share)
        return;
    *share = to;
    *grew = true;
}

/* Who says it, and how sure that makes it. evidence: from a source that the row does not name yet. */
static void join_authority(struct mneme_memory *row, const struct mneme_memory *draft,
                           const struct mneme_memory *given, bool evidence, int64_t now_ms,
                           bool *grew)
{
    bool over = mn_join_may_set(row, draft);
    bool stronger = mn_authority_tier(draft->authority) > mn_authority_tier(row->authority) ||
                    (over && draft->authority == MNEME_EXPLICIT_ADMIN &&
                     row->authority != MNEME_EXPLICIT_ADMIN);

    lift(&row->importance, given->importance, over, grew);
    lift(&row->confidence, stronger ? draft->confidence : given->confidence, over, grew);
    if (stronger)
        row->authority = draft->authority;
    if (evidence)
        row->confidence = mn_join_surer(row->confidence);
    if (row->authority == MNEME_MODEL_INFERENCE && !row->confirmed_at_ms && row->confidence > 0.9)
        row->confidence = 0.9;
    /* An inference that only inferences repeat stays unconfirmed. */
    if ((evidence || stronger) && draft->authority != MNEME_MODEL_INFERENCE)
        row->confirmed_at_ms = now_ms;
    *grew = *grew || stronger;
}

enum mneme_status mn_join(const struct mneme_memory *there, const struct mneme_memory *draft,
                          const struct mneme_memory *given, enum mn_act act, int64_t now_ms, struct mn_arena *arena,
                          struct mneme_memory *ret_row, bool *ret_new, struct mneme_error *err)
{
    struct mneme_memory row = *there;
    bool evidence = false;
    bool added = false;

    MN_TRY(unite(&row.provenance, draft->provenance, arena, &evidence, err));
    if (act == MN_ACT_MERGE)
        MN_TRY(join_texts(&row, draft, arena, &evidence, err));
    MN_TRY(unite(&row.keywords, draft->keywords, arena, &added, err));
    MN_TRY(unite(&row.usage_scenario, draft->usage_scenario, arena, &added, err));
    MN_TRY(unite(&row.entities, draft->entities, arena, &added, err));
    MN_TRY(join_attributes(&row, draft, mn_join_may_set(&row, draft), arena, &added, err));
    join_fields(&row, draft, now_ms, &added);
    join_authority(&row, draft, given ? given : draft, evidence, now_ms, &added);
    if (!mn_same(row.content, there->content) || row.valid_until_ms != there->valid_until_ms)
        row.updated_at_ms = now_ms;
    *ret_row = row;
    *ret_new = evidence || added;
    return MNEME_OK;
}
