/*
 * pairs.c - one store, two users for each pair: who writes, and who finds both there.
 */
#include "eval/pairs.h"

#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "eval/lines.h"
#include "eval/progress.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define TENANT "pairs"

static const char *const COLUMNS[] = { "merged_written", "superseded", "merged_recalled", NULL };

struct pair {
    const char *id;
    const char *kind;
    const char *label;
    const char *a, *b;
};

struct pairing {
    const struct mn_pairs_options *options;
    struct mn_pairs_report *report;
    struct {
        struct pair *item;
        size_t count, room;
    } pairs;
    struct mn_scratch store;
};

static enum mneme_status read_pair(void *context, struct mn_str line, struct mneme_error *err)
{
    struct pairing *p = context;
    struct mn_arena *arena = p->report->arena;
    struct pair *pair = mn_array_add(arena, &p->pairs);
    MN_JSON_AUTO doc = NULL;

    if (!pair)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("pair", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(mn_json_text(root, "id", MNEME_ID_BYTES_MAX, arena, &pair->id, err));
    MN_TRY(mn_json_text(root, "kind", MNEME_NAME_BYTES_MAX, arena, &pair->kind, err));
    MN_TRY(mn_json_text(root, "label", MNEME_NAME_BYTES_MAX, arena, &pair->label, err));
    MN_TRY(mn_json_text(root, "a", MNEME_TEXT_BYTES_MAX, arena, &pair->a, err));
    MN_TRY(mn_json_text(root, "b", MNEME_TEXT_BYTES_MAX, arena, &pair->b, err));
    if (mn_empty(pair->a) || mn_empty(pair->b))
        return mn_fail(err, MNEME_INVALID, "%s: is empty", mn_empty(pair->a) ? "a" : "b");
    if (!mn_same(pair->label, "dup") && !mn_same(pair->label, "not"))
        return mn_fail(err, MNEME_INVALID, "label: \"%s\" is none of dup, not",
                       mn_or_empty(pair->label));
    return MNEME_OK;
}

static struct mneme_memory said_by(const char *user, const char *text)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = TENANT;
    m.user_id = user;
    m.scope_kind = MNEME_SCOPE_USER;
    m.scope_id = user;
    m.type = "fact";
    m.content = text;
    m.authority = MNEME_EXPLICIT_USER;
    return m;
}

/* ---- the two ways ---- */

static enum mneme_status write_both(struct pairing *p, const struct pair *pair, const char *user,
                                    enum mneme_outcome *ret_outcome, struct mneme_error *err)
{
    struct mneme_memory a = said_by(user, pair->a);
    struct mneme_memory b = said_by(user, pair->b);
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_receipt receipt;

    change.allow_secrets = 1;
    MN_TRY(mneme_remember(p->store.handle, &a, &change, &receipt, err));
    MN_TRY(mneme_remember(p->store.handle, &b, &change, &receipt, err));
    *ret_outcome = receipt.outcome;
    return MNEME_OK;
}

static enum mneme_status recall_both(struct pairing *p, const struct pair *pair, const char *user,
                                     bool *ret_merged, struct mneme_error *err)
{
    struct mneme_memory a = said_by(user, pair->a);
    struct mneme_memory b = said_by(user, pair->b);
    struct mneme_record records[2] = { { .kind = MNEME_RECORD_MEMORY, .memory = &a },
                                       { .kind = MNEME_RECORD_MEMORY, .memory = &b } };
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    a.id = mn_arena_printf(p->report->arena, "%s/a", user);
    b.id = mn_arena_printf(p->report->arena, "%s/b", user);
    if (!a.id || !b.id)
        return mn_fail_memory(err);
    MN_TRY(mn_scratch_load(&p->store, records, 2, err));
    request.identity.tenant_id = TENANT;
    request.identity.user_id = user;
    request.text = pair->a;
    request.mode = MNEME_MODE_HYBRID;
    request.without_limits = 1;
    MN_TRY(mneme_retrieve(p->store.handle, &request, &answer, err));
    *ret_merged = answer->item_count == 1 && answer->item[0].merged_from.count > 0;
    mneme_answer_free(answer);
    return MNEME_OK;
}

/* ---- all ---- */

static void put_line(struct mn_buf *out, const struct pair *pair, enum mneme_outcome outcome,
                     bool recalled)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", pair->id);
    mn_json_field_text(&w, "kind", pair->kind);
    mn_json_field_text(&w, "label", pair->label);
    mn_json_field_text(&w, "written", mneme_outcome_name(outcome));
    mn_json_field_bool(&w, "recalled", recalled);
    mn_json_field_text(&w, "a", pair->a);
    mn_json_field_text(&w, "b", pair->b);
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
}

static enum mneme_status try_pair(struct pairing *p, size_t at, struct mn_buf *out,
                                  struct mneme_error *err)
{
    const struct pair *pair = &p->pairs.item[at];
    struct mn_arena *arena = p->report->arena;
    const char *writer = mn_arena_printf(arena, "writer-%zu", at);
    const char *reader = mn_arena_printf(arena, "reader-%zu", at);
    const char *name = mn_arena_printf(arena, "%s %s", pair->label, mn_or_empty(pair->kind));
    enum mneme_outcome outcome = MNEME_INSERTED;
    bool recalled = false;

    if (!writer || !reader || !name)
        return mn_fail_memory(err);
    MN_TRY(write_both(p, pair, writer, &outcome, err));
    MN_TRY(recall_both(p, pair, reader, &recalled, err));
    put_line(out, pair, outcome, recalled);
    const double values[] = {
        outcome == MNEME_MERGED || outcome == MNEME_CONFIRMED || outcome == MNEME_UNCHANGED,
        outcome == MNEME_SUPERSEDES,
        recalled,
    };
    return mn_tally_add(&p->report->tally, pair->label, values) &&
                   mn_tally_add(&p->report->tally, name, values)
               ? MNEME_OK
               : mn_fail_memory(err);
}

static enum mneme_status run(struct pairing *p, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };

    MN_TRY(mn_lines_read(p->options->pairs_path, true, read_pair, p, err));
    MN_TRY(mn_scratch_open(&p->options->setup, &p->store, err));
    p->report->model_status =
        mn_arena_copy(p->report->arena, mneme_model_status(p->store.handle));
    if (!p->report->model_status)
        return mn_fail_memory(err);
    for (size_t i = 0; i < p->pairs.count; i++) {
        MN_TRY(try_pair(p, i, &out, err));
        mn_progress_tell(p->options->progress, "pairs", i + 1, p->pairs.count);
    }
    return p->options->out_path ? mn_lines_write(p->options->out_path, &out, err) : MNEME_OK;
}

enum mneme_status mn_pairs_run(const struct mn_pairs_options *options,
                               struct mn_pairs_report *ret_report, struct mneme_error *err)
{
    struct mn_pairs_report report = { .arena = mn_arena_new(ARENA_BYTES_MAX) };
    struct pairing p = { .options = options, .report = &report };
    enum mneme_status status;

    report.tally = (struct mn_tally){ .arena = report.arena, .column = COLUMNS };
    status = report.arena ? run(&p, err) : mn_fail_memory(err);
    mn_scratch_close(&p.store);
    if (status == MNEME_OK)
        *ret_report = report;
    else
        mn_pairs_report_release(&report);
    return status;
}

void mn_pairs_report_release(struct mn_pairs_report *report)
{
    mn_arena_free(report->arena);
    *report = (struct mn_pairs_report){ 0 };
}
