/*
 * import_rows.c - rows of mneme's own: gathered over all files, then committed.
 *
 * They are read and checked as a whole and then committed in one piece, so that a bad line leaves
 * nothing behind; only what is beyond the limits below goes in several, and a failure then says how
 * many stayed. Rows keep their ids; a row without one gets an id made of what it says, so that the same
 * row is found again. With --json each row is acknowledged by a line of its own, once it is durable.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define COMMIT_ROWS ((size_t)20000)
#define COMMIT_BYTES ((size_t)64 << 20)

/* ---- gathering ---- */

void cli_import_release(struct cli_importing *in)
{
    for (size_t i = 0; i < in->lines.count; i++)
        mneme_parsed_free(in->lines.item[i].parsed);
    in->lines.count = 0;
}

enum mneme_status cli_import_id(struct mn_arena *arena, const char *prefix,
                                const char *const *parts, size_t count, const char **ret_id,
                                struct mneme_error *err)
{
    MN_BUF_AUTO said = { 0 };
    char hash[MN_SHA256_HEX_BYTES];

    for (size_t i = 0; i < count; i++)
        mn_buf_printf(&said, "%zu:%s", strlen(mn_or_empty(parts[i])), mn_or_empty(parts[i]));
    if (said.failed || !mn_sha256_hex(said.at, said.bytes, hash))
        return mn_fail_memory(err);
    const char *id = mn_arena_printf(arena, "%s_%.24s", prefix, hash);
    if (!id)
        return mn_fail_memory(err);
    *ret_id = id;
    return MNEME_OK;
}

static enum mneme_status name_memory(struct cli_importing *in, struct mneme_record *record,
                                     struct mneme_error *err)
{
    struct mneme_memory *m = mn_arena_one(in->arena, struct mneme_memory);

    if (!m)
        return mn_fail_memory(err);
    *m = *record->memory;
    const char *parts[] = { m->tenant_id, m->user_id,    m->agent_id, mneme_scope_name(m->scope_kind),
                            m->scope_id,  m->type,       m->memory_key, m->value,
                            m->title,     m->content };
    record->memory = m;
    return cli_import_id(in->arena, "mem_import", parts, COUNT_OF(parts), &m->id, err);
}

static enum mneme_status name_event(struct cli_importing *in, struct mneme_record *record,
                                    struct mneme_error *err)
{
    struct mneme_event *e = mn_arena_one(in->arena, struct mneme_event);
    char numbers[64];

    if (!e)
        return mn_fail_memory(err);
    *e = *record->event;
    snprintf(numbers, sizeof numbers, "%lld/%lld", (long long)e->order, (long long)e->event_time_ms);
    const char *parts[] = { e->tenant_id, e->user_id, e->session_id, e->role,
                            e->speaker,   e->text,    numbers };
    record->event = e;
    return cli_import_id(in->arena, "evt_import", parts, COUNT_OF(parts), &e->id, err);
}

/* A rule that names no tenant is of the one that is imported into, as other lines are. */
static enum mneme_status give_tenant(struct cli_importing *in, struct mneme_record *record,
                                     struct mneme_error *err)
{
    struct mneme_rule *rule = mn_arena_one(in->arena, struct mneme_rule);

    if (!rule)
        return mn_fail_memory(err);
    *rule = *record->rule;
    rule->tenant_id = mn_or_empty(in->defaults.tenant_id);
    record->rule = rule;
    return MNEME_OK;
}

static const char *id_of(const struct mneme_record *record)
{
    return record->memory ? record->memory->id : record->event ? record->event->id : "";
}

enum mneme_status cli_import_add(struct cli_importing *in, struct mneme_parsed *parsed,
                                 size_t number, size_t bytes, struct mneme_error *err)
{
    struct cli_line *line = mn_array_add(in->arena, &in->lines);

    if (!line) {
        mneme_parsed_free(parsed);
        return mn_fail_memory(err);
    }
    *line = (struct cli_line){ in->path, parsed, *mneme_parsed_record(parsed), number, bytes };
    in->held_bytes += bytes;
    if (in->held_bytes > CLI_LINES_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s line %zu: more than %zu bytes of rows in one import",
                       in->path, number, CLI_LINES_BYTES_MAX);
    if (line->record.memory && mn_empty(line->record.memory->id))
        return name_memory(in, &line->record, err);
    if (line->record.event && mn_empty(line->record.event->id))
        return name_event(in, &line->record, err);
    if (line->record.rule && mn_empty(line->record.rule->tenant_id))
        return give_tenant(in, &line->record, err);
    return MNEME_OK;
}

bool cli_import_gathered(const struct cli_importing *in, const char *id)
{
    for (size_t i = 0; i < in->lines.count; i++)
        if (mn_same(id_of(&in->lines.item[i].record), id))
            return true;
    return false;
}

/* ---- writing ---- */

void cli_import_acknowledge(const struct cli_importing *in, const struct mneme_receipt *receipt)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!in->common->json || !receipt->id[0])
        return;
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", receipt->id);
    mn_json_field_text(&w, "result", mneme_outcome_name(receipt->outcome));
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

static void count_receipt(struct cli_importing *in, const struct mneme_receipt *receipt)
{
    if (receipt->outcome == MNEME_INSERTED)
        in->inserted++;
    else if (receipt->outcome == MNEME_UPDATED)
        in->updated++;
    else
        in->unchanged++;
    cli_import_acknowledge(in, receipt);
}

/* What an error adds when rows before it are in the store already. */
static const char *stayed(struct cli_importing *in, size_t count)
{
    const char *text =
        count ? mn_arena_printf(in->arena, "; the %zu rows before it were written", count) : "";

    return mn_or_empty(text);
}

/* Commits lines from..from+count together; an error names the file and the line. */
static enum mneme_status commit_lines(struct cli_importing *in, size_t from, size_t count,
                                      struct mneme_error *err)
{
    struct mneme_record *records = calloc(count, sizeof *records);
    struct mneme_receipt *receipts = calloc(count, sizeof *receipts);
    struct mneme_error why;
    size_t failed = 0;

    if (!records || !receipts) {
        free(records);
        free(receipts);
        return mn_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++)
        records[i] = in->lines.item[from + i].record;
    enum mneme_status status =
        mneme_write(in->handle, records, count, &in->change, receipts, &failed, &why);
    for (size_t i = 0; status == MNEME_OK && i < count; i++)
        count_receipt(in, &receipts[i]);
    if (status != MNEME_OK)
        mn_fail(err, status, "%s line %zu: %s%s", in->lines.item[from + failed].path,
                in->lines.item[from + failed].number, why.message, stayed(in, from));
    free(records);
    free(receipts);
    return status;
}

enum mneme_status cli_import_commit(struct cli_importing *in, struct mneme_error *err)
{
    for (size_t from = 0; from < in->lines.count;) {
        size_t count = 0, bytes = 0;

        while (from + count < in->lines.count && count < COMMIT_ROWS && bytes < COMMIT_BYTES)
            bytes += in->lines.item[from + count++].bytes;
        MN_TRY(commit_lines(in, from, count, err));
        from += count;
        fflush(stdout);
    }
    return MNEME_OK;
}
