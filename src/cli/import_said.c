/*
 * import_said.c - memories without an id are statements: they are remembered as if they were typed.
 *
 * Who writes a line {"content": ...} says something; he does not restore a row. So it is compared with
 * what is there and with the lines before it: the same is confirmed, other words of it are merged, another
 * value of a key supersedes or stays as a rival. Each is a write of its own, durable before it is
 * acknowledged, some milliseconds each; --as-rows loads such lines all at once and compares nothing. Where
 * a line came from stands in the provenance ("jsonl:HASH"), so that the file can be imported again.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

struct saying {
    struct cli_importing *in;
    struct cli_known known;
    size_t written; /* rows and statements so far */
};

/* *ret_sources, in the importing's arena: what the line gives, and where it came from. */
static enum mneme_status add_source(struct cli_importing *in, const struct mneme_memory *memory,
                                    const char *source, struct mneme_list *ret_sources,
                                    struct mneme_error *err)
{
    size_t count = memory->provenance.count;
    const char **item = mn_arena_array(in->arena, const char *, count + 1);

    if (!item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        item[i] = memory->provenance.item[i];
    if (count < MNEME_LIST_ITEMS_MAX)
        item[count++] = source;
    *ret_sources = (struct mneme_list){ item, count };
    return MNEME_OK;
}

static enum mneme_status say(struct saying *s, const struct cli_line *line, struct mneme_error *err)
{
    struct cli_importing *in = s->in;
    struct mneme_memory memory = *line->record.memory;
    const char *tenant = mn_or_empty(memory.tenant_id), *owner = mn_or_empty(memory.user_id);
    struct mneme_receipt receipt = { .outcome = MNEME_CONFIRMED };
    const char *hash = NULL, *there = NULL;

    MN_TRY(cli_import_name(in->arena, "line", &memory, &hash, err));
    const char *source =
        mn_arena_printf(in->arena, "%s:%s", cli_format_name(CLI_JSONL), hash);
    if (!source)
        return mn_fail_memory(err);
    MN_TRY(cli_known_find(&s->known, tenant, owner, source, &there, err));
    if (there) {
        snprintf(receipt.id, sizeof receipt.id, "%s", there);
    } else {
        MN_TRY(add_source(in, &memory, source, &memory.provenance, err));
        MN_TRY(mneme_remember(in->handle, &memory, &in->change, &receipt, err));
        MN_TRY(cli_known_add(&s->known, tenant, owner, source, receipt.id, err));
    }
    cli_import_count(in, &receipt);
    fflush(stdout);
    return MNEME_OK;
}

static enum mneme_status say_all(struct saying *s, struct mneme_error *err)
{
    struct mneme_error why;

    for (size_t i = 0; i < s->in->lines.count; i++) {
        const struct cli_line *line = &s->in->lines.item[i];

        if (!line->said)
            continue;
        enum mneme_status status = say(s, line, &why);
        if (status != MNEME_OK)
            return mn_fail(err, status, "%s line %zu: %s%s", line->path, line->number, why.message,
                           cli_import_stayed(s->in, s->written));
        s->written++;
    }
    return MNEME_OK;
}

enum mneme_status cli_import_said_check(struct cli_importing *in, struct mneme_error *err)
{
    struct mneme_error why;

    for (size_t i = 0; i < in->lines.count; i++) {
        const struct cli_line *line = &in->lines.item[i];
        enum mneme_status status =
            line->said ? mneme_remember_check(in->handle, line->record.memory, &in->change, &why)
                       : MNEME_OK;

        if (status != MNEME_OK)
            return mn_fail(err, status, "%s line %zu: %s", line->path, line->number, why.message);
    }
    return MNEME_OK;
}

enum mneme_status cli_import_said(struct cli_importing *in, struct mneme_error *err)
{
    struct saying s = { .in = in };
    bool any = false;

    for (size_t i = 0; i < in->lines.count; i++) {
        any = any || in->lines.item[i].said;
        s.written += !in->lines.item[i].said;
    }
    if (!any)
        return MNEME_OK;
    MN_TRY(cli_known_init(&s.known, in->handle, CLI_JSONL, err));
    enum mneme_status status = say_all(&s, err);
    cli_known_release(&s.known);
    return status;
}
