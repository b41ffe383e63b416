/*
 * import_rows.c - rows of mneme's own: gathered over all files, then committed.
 *
 * They are read and checked as a whole and then committed in one piece, so that a bad line leaves
 * nothing behind; only what is beyond the limits below goes in several, and a failure then says how
 * many stayed. Rows keep their ids. What brings none, and nothing that only a row has, is a statement
 * (import_said.c); else, and for an event, the id is made of what it says, so that the same row is found
 * again. With --json each row is acknowledged by a line of its own, once it is durable.
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

enum mneme_status cli_import_name(struct mn_arena *arena, const char *prefix,
                                  const struct mneme_memory *m, const char **ret_id,
                                  struct mneme_error *err)
{
    const char *parts[] = { m->tenant_id, m->user_id,    m->agent_id, mneme_scope_name(m->scope_kind),
                            m->scope_id,  m->type,       m->memory_key, m->value,
                            m->title,     m->content };

    return cli_import_id(arena, prefix, parts, COUNT_OF(parts), ret_id, err);
}

/* *ret_before: how often the id was made before. */
static enum mneme_status note_made(struct cli_importing *in, const char *id, size_t *ret_before,
                                   struct mneme_error *err)
{
    struct cli_name *made = cli_names_add(&in->made, id);

    if (!made)
        return mn_fail_memory(err);
    *ret_before = made->count++;
    return MNEME_OK;
}

/* Beyond what can be said: how it was used, its vector, that it is no longer active. */
static bool is_row(const struct mneme_record *record)
{
    return record->usage || record->vector || record->memory->status > MNEME_ACTIVE ||
           record->memory->version > 1;
}

/* The same row twice is one. */
static enum mneme_status name_memory(struct cli_importing *in, struct cli_line *line,
                                     struct mneme_error *err)
{
    struct mneme_memory *m = mn_arena_one(in->arena, struct mneme_memory);
    size_t before = 0;

    if (!m)
        return mn_fail_memory(err);
    *m = *line->record.memory;
    line->record.memory = m;
    MN_TRY(cli_import_name(in->arena, "mem_import", m, &m->id, err));
    MN_TRY(note_made(in, m->id, &before, err));
    line->repeated = before > 0;
    return MNEME_OK;
}

/* The same turn twice is two, each found again by its number. */
static enum mneme_status name_event(struct cli_importing *in, struct mneme_record *record,
                                    struct mneme_error *err)
{
    struct mneme_event *e = mn_arena_one(in->arena, struct mneme_event);
    char numbers[96];
    size_t before = 0;

    if (!e)
        return mn_fail_memory(err);
    *e = *record->event;
    record->event = e;
    snprintf(numbers, sizeof numbers, "%lld/%lld", (long long)e->order, (long long)e->event_time_ms);
    const char *parts[] = { e->tenant_id, e->user_id, e->session_id, e->role,
                            e->speaker,   e->text,    numbers };
    MN_TRY(cli_import_id(in->arena, "evt_import", parts, COUNT_OF(parts), &e->id, err));
    MN_TRY(note_made(in, e->id, &before, err));
    if (!before)
        return MNEME_OK;
    snprintf(numbers, sizeof numbers, "%lld/%lld/%zu", (long long)e->order,
             (long long)e->event_time_ms, before);
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
    *line = (struct cli_line){ .path = in->path,
                               .parsed = parsed,
                               .record = *mneme_parsed_record(parsed),
                               .number = number,
                               .bytes = bytes };
    in->held_bytes += bytes;
    if (in->held_bytes > CLI_LINES_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s line %zu: more than %zu bytes of rows in one import",
                       in->path, number, CLI_LINES_BYTES_MAX);
    if (line->record.memory && mn_empty(line->record.memory->id)) {
        line->said = !in->as_rows && !is_row(&line->record);
        return line->said ? MNEME_OK : name_memory(in, line, err);
    }
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

/* A row that is there as it is was confirmed; one that takes the place of another superseded it. */
static const char *result_of(const struct mneme_receipt *receipt)
{
    switch (receipt->outcome) {
    case MNEME_UNCHANGED:
        return mneme_outcome_name(MNEME_CONFIRMED);
    case MNEME_UPDATED:
        return mneme_outcome_name(MNEME_SUPERSEDES);
    default:
        return mneme_outcome_name(receipt->outcome);
    }
}

void cli_import_acknowledge(const struct cli_importing *in, const struct mneme_receipt *receipt)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!in->common->json || !receipt->id[0])
        return;
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", receipt->id);
    mn_json_field_text(&w, "result", result_of(receipt));
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

void cli_import_count(struct cli_importing *in, const struct mneme_receipt *receipt)
{
    switch (receipt->outcome) {
    case MNEME_UPDATED:
    case MNEME_MERGED:
        in->updated++;
        break;
    case MNEME_UNCHANGED:
    case MNEME_CONFIRMED:
        in->unchanged++;
        break;
    default:
        in->inserted++;
    }
    cli_import_acknowledge(in, receipt);
}

const char *cli_import_stayed(struct cli_importing *in, size_t count)
{
    const char *text =
        count ? mn_arena_printf(in->arena, "; the %zu rows before it were written", count) : "";

    return mn_or_empty(text);
}

/* Rows to be committed together, and the line of each. */
struct piece {
    struct mneme_record *record;
    struct mneme_receipt *receipt;
    struct cli_line **line;
    size_t count, bytes;
};

static void piece_release(struct piece *p)
{
    free(p->record);
    free(p->receipt);
    free(p->line);
}

/* Commits the piece; an error names the file and the line. */
static enum mneme_status commit_piece(struct cli_importing *in, struct piece *p, size_t before,
                                      struct mneme_error *err)
{
    struct mneme_error why;
    size_t failed = 0;

    enum mneme_status status =
        mneme_write(in->handle, p->record, p->count, &in->change, p->receipt, &failed, &why);
    if (status != MNEME_OK)
        return mn_fail(err, status, "%s line %zu: %s%s", p->line[failed]->path,
                       p->line[failed]->number, why.message, cli_import_stayed(in, before));
    for (size_t i = 0; i < p->count; i++)
        cli_import_count(in, &p->receipt[i]);
    fflush(stdout);
    return MNEME_OK;
}

static enum mneme_status commit_rows(struct cli_importing *in, struct piece *p,
                                     struct mneme_error *err)
{
    size_t written = 0;

    for (size_t at = 0; at < in->lines.count; written += p->count) {
        p->count = p->bytes = 0;
        for (; at < in->lines.count && p->count < COMMIT_ROWS && p->bytes < COMMIT_BYTES; at++) {
            struct cli_line *line = &in->lines.item[at];

            if (line->said || line->repeated)
                continue;
            p->record[p->count] = line->record;
            p->line[p->count++] = line;
            p->bytes += line->bytes;
        }
        if (p->count)
            MN_TRY(commit_piece(in, p, written, err));
    }
    return MNEME_OK;
}

/* Rows first, each once; then what was said, in its order. */
enum mneme_status cli_import_commit(struct cli_importing *in, struct mneme_error *err)
{
    size_t room = in->lines.count < COMMIT_ROWS ? in->lines.count : COMMIT_ROWS;
    struct piece p = { .record = calloc(room + 1, sizeof *p.record),
                       .receipt = calloc(room + 1, sizeof *p.receipt),
                       .line = calloc(room + 1, sizeof(struct cli_line *)) };

    enum mneme_status status = cli_import_said_check(in, err);
    if (status == MNEME_OK)
        status = p.record && p.receipt && p.line ? commit_rows(in, &p, err)
                                                   : mn_fail_memory(err);
    piece_release(&p);
    MN_TRY(status);
    for (size_t i = 0; i < in->lines.count; i++) {
        const struct cli_line *line = &in->lines.item[i];
        struct mneme_receipt receipt = { .outcome = MNEME_CONFIRMED };

        if (!line->repeated)
            continue;
        snprintf(receipt.id, sizeof receipt.id, "%s", id_of(&line->record));
        cli_import_count(in, &receipt);
    }
    return cli_import_said(in, err);
}
