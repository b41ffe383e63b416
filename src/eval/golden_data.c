/*
 * golden_data.c - reading a folder of golden data.
 *
 * Rows go through the library's own parser, so that the data obeys the same rules as an import. What
 * only the data knows is looked up here: the tenant of a rule is its memory's, a checkpoint has a name.
 */
#include "eval/golden_data.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "eval/lines.h"

#define ARENA_BYTES_MAX ((size_t)512 << 20)

const struct mneme_memory *mn_golden_memory(const struct mn_golden *golden, const char *id)
{
    for (size_t i = 0; i < golden->memories.count; i++)
        if (mn_same(golden->memories.item[i]->id, id))
            return golden->memories.item[i];
    return NULL;
}

const struct mn_golden_state *mn_golden_state(const struct mn_golden *golden, const char *id)
{
    for (size_t i = 0; i < golden->states.count; i++)
        if (mn_same(golden->states.item[i].id, id))
            return &golden->states.item[i];
    return NULL;
}

bool mn_list_holds(const struct mneme_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (mn_same(list->item[i], text))
            return true;
    return false;
}

/* ---- rows ---- */

static enum mneme_status add_row(struct mn_golden *golden, struct mn_str line,
                                 const struct mneme_record **ret_record, struct mneme_error *err)
{
    struct mneme_parsed **row = mn_array_add(golden->arena, &golden->rows);

    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mneme_record_parse(line.at, line.bytes, NULL, row, err));
    *ret_record = mneme_parsed_record(*row);
    return MNEME_OK;
}

static enum mneme_status wanted(const struct mneme_record *record, enum mneme_record_kind kind,
                                const char *what, struct mneme_error *err)
{
    return record->kind == kind ? MNEME_OK
                                : mn_fail(err, MNEME_INVALID, "kind: this is no %s", what);
}

static enum mneme_status read_memory(void *context, struct mn_str line, struct mneme_error *err)
{
    struct mn_golden *golden = context;
    const struct mneme_record *record = NULL;

    MN_TRY(add_row(golden, line, &record, err));
    MN_TRY(wanted(record, MNEME_RECORD_MEMORY, "memory", err));
    if (mn_empty(record->memory->id) || mn_golden_memory(golden, record->memory->id))
        return mn_fail(err, MNEME_INVALID, "id: '%s' is %s", record->memory->id,
                       mn_empty(record->memory->id) ? "empty" : "given twice");
    const struct mneme_memory **memory = mn_array_add(golden->arena, &golden->memories);
    if (!memory)
        return mn_fail_memory(err);
    *memory = record->memory;
    return MNEME_OK;
}

static enum mneme_status read_rule(void *context, struct mn_str line, struct mneme_error *err)
{
    struct mn_golden *golden = context;
    const struct mneme_record *record = NULL;

    MN_TRY(add_row(golden, line, &record, err));
    MN_TRY(wanted(record, MNEME_RECORD_RULE, "rule", err));
    if (!mn_golden_memory(golden, record->rule->memory_id))
        return mn_fail(err, MNEME_INVALID, "memory_id: there is no memory %s",
                       record->rule->memory_id);
    return MNEME_OK;
}

static enum mneme_status read_state(void *context, struct mn_str line, struct mneme_error *err)
{
    struct mn_golden *golden = context;
    const struct mneme_record *record = NULL;
    MN_JSON_AUTO doc = NULL;
    const char *id = "";

    MN_TRY(add_row(golden, line, &record, err));
    MN_TRY(wanted(record, MNEME_RECORD_TASK_STATE, "task state", err));
    MN_TRY(mn_json_parse("task state", line.at, line.bytes, &doc, err));
    MN_TRY(mn_json_text(yyjson_doc_get_root(doc), "id", MNEME_ID_BYTES_MAX, golden->arena, &id,
                        err));
    if (mn_empty(id) || mn_golden_state(golden, id) || mn_golden_memory(golden, id))
        return mn_fail(err, MNEME_INVALID, "id: '%s' is %s", id,
                       mn_empty(id) ? "empty" : "given twice");
    struct mn_golden_state *state = mn_array_add(golden->arena, &golden->states);
    if (!state)
        return mn_fail_memory(err);
    *state = (struct mn_golden_state){ id, record->task_state };
    return MNEME_OK;
}

static enum mneme_status read_edge(void *context, struct mn_str line, struct mneme_error *err)
{
    struct mn_golden *golden = context;
    const struct mneme_record *record = NULL;

    MN_TRY(add_row(golden, line, &record, err));
    return wanted(record, MNEME_RECORD_EDGE, "edge", err);
}

/* ---- cases ---- */

static enum mneme_status check_known(const struct mn_golden *golden, const char *field,
                                     const struct mneme_list *ids, struct mneme_error *err)
{
    for (size_t i = 0; i < ids->count; i++)
        if (!mn_golden_memory(golden, ids->item[i]) && !mn_golden_state(golden, ids->item[i]))
            return mn_fail(err, MNEME_INVALID, "%s: there is no %s", field, ids->item[i]);
    return MNEME_OK;
}

static enum mneme_status check_case(const struct mn_golden *golden,
                                    const struct mn_golden_case *c, struct mneme_error *err)
{
    const struct mn_golden_expect *e = &c->expect;

    MN_TRY(check_known(golden, "candidate_memory_ids", &c->candidates, err));
    MN_TRY(check_known(golden, "required_memory_ids", &e->required, err));
    MN_TRY(check_known(golden, "forbidden_memory_ids", &e->forbidden, err));
    MN_TRY(check_known(golden, "order", &e->order, err));
    MN_TRY(check_known(golden, "exactly", &e->exactly, err));
    for (size_t i = 0; i < e->merged_count; i++) {
        struct mneme_list survivor = { &e->merged[i].survivor, 1 };

        MN_TRY(check_known(golden, "merged", &survivor, err));
        MN_TRY(check_known(golden, "merged", &e->merged[i].merged, err));
    }
    for (size_t i = 0; i + 1 < golden->cases.count; i++)
        if (mn_same(golden->cases.item[i].id, c->id))
            return mn_fail(err, MNEME_INVALID, "case_id: '%s' is given twice", c->id);
    return MNEME_OK;
}

static enum mneme_status read_case(void *context, struct mn_str line, struct mneme_error *err)
{
    struct mn_golden *golden = context;
    struct mn_golden_case *c = mn_array_add(golden->arena, &golden->cases);

    if (!c)
        return mn_fail_memory(err);
    MN_TRY(mn_golden_case_parse(line, golden->arena, c, err));
    return check_case(golden, c, err);
}

/* ---- the folder ---- */

static enum mneme_status read_files(const char *folder, struct mn_golden *golden,
                                    struct mneme_error *err)
{
    static const struct {
        const char *name;
        bool must_exist;
        mn_line_fn read;
    } files[] = {
        { "memories.jsonl", true, read_memory },
        { "rules.jsonl", false, read_rule },
        { "task_states.jsonl", false, read_state },
        { "edges.jsonl", false, read_edge },
        { "cases.jsonl", true, read_case },
    };

    golden->arena = mn_arena_new(ARENA_BYTES_MAX);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = mn_arena_printf(golden->arena, "%s/%s", folder, files[i].name);

        if (!path)
            return mn_fail_memory(err);
        MN_TRY(mn_lines_read(path, files[i].must_exist, files[i].read, golden, err));
    }
    return MNEME_OK;
}

enum mneme_status mn_golden_read(const char *folder, struct mn_golden *ret_golden,
                                 struct mneme_error *err)
{
    struct mn_golden golden = { 0 };
    enum mneme_status status = read_files(folder, &golden, err);

    if (status == MNEME_OK)
        *ret_golden = golden;
    else
        mn_golden_release(&golden);
    return status;
}

void mn_golden_release(struct mn_golden *golden)
{
    for (size_t i = 0; i < golden->rows.count; i++)
        mneme_parsed_free(golden->rows.item[i]);
    mn_arena_free(golden->arena);
    *golden = (struct mn_golden){ 0 };
}
