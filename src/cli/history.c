/*
 * history.c - what a memory was, what it replaced, and what replaced it.
 *
 * The line of a key stands newest first: each memory with the time in which it held, and below it the
 * rows that it had before it was changed.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

struct past {
    struct mneme *handle;
    const struct mneme_identity *identity;
    int json;
    bool alone; /* it replaced nothing, and nothing replaced it */
    size_t versions, formers;
    enum mneme_status status;
    struct mneme_error err;
};

static enum mneme_status print_record(const char *name, const struct mneme_memory *memory,
                                      struct mn_json_writer *w, struct mneme_error *err)
{
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = memory };
    char *json = NULL;

    MN_TRY(mneme_record_print(&record, &json, err));
    mn_json_key(w, name);
    mn_json_put_raw(w, json);
    mneme_free(json);
    return MNEME_OK;
}

static int print_former(void *context, const struct mneme_memory *former, const char *actor,
                        const char *reason, int64_t changed_at_ms)
{
    struct past *past = context;
    const char *margin = past->alone ? "" : "  ";
    char when[32];

    past->formers++;
    if (past->json) {
        MN_BUF_AUTO out = { 0 };
        struct mn_json_writer w = { .out = &out };

        mn_json_open(&w, '{');
        mn_json_field_time(&w, "changed_at", changed_at_ms);
        mn_json_field_text(&w, "actor", actor);
        mn_json_field_text(&w, "reason", reason);
        past->status = print_record("former", former, &w, &past->err);
        mn_json_close(&w, '}');
        if (past->status == MNEME_OK)
            puts(out.failed ? "" : out.at);
        return past->status != MNEME_OK;
    }
    printf("%suntil %s  revision %lld  by %s%s%s\n%s    ", margin,
           mneme_time_print(changed_at_ms, when, sizeof when), (long long)former->revision,
           actor[0] ? actor : "?", reason[0] ? ": " : "", reason, margin);
    cli_put_short(former->content, 92);
    printf("\n");
    return 0;
}

/* When it held: from when it was said to, else from when it was written; until its end, or until it was
 * withdrawn. */
static void print_version(const struct mneme_memory *m)
{
    bool withdrawn = m->status == MNEME_DELETED || m->status == MNEME_REVOKED;
    int64_t until_ms = m->valid_until_ms || !withdrawn ? m->valid_until_ms : m->updated_at_ms;
    char from[32], until[32];

    printf("%s  %s  version %lld  from %s %s%s\n    ", m->id, mneme_memory_status_name(m->status),
           (long long)m->version,
           mneme_time_print(m->valid_from_ms ? m->valid_from_ms : m->created_at_ms, from,
                            sizeof from),
           until_ms ? "until " : "on",
           until_ms ? mneme_time_print(until_ms, until, sizeof until) : "");
    cli_put_short(m->content, 92);
    printf("\n");
}

static int print_line(void *context, const struct mneme_record *record)
{
    struct past *past = context;
    const struct mneme_memory *m = record->memory;

    if (past->json) {
        MN_BUF_AUTO out = { 0 };
        struct mn_json_writer w = { .out = &out };

        mn_json_open(&w, '{');
        past->status = print_record("memory", m, &w, &past->err);
        mn_json_close(&w, '}');
        if (past->status == MNEME_OK)
            puts(out.failed ? "" : out.at);
    } else if (!past->alone) {
        print_version(m);
    }
    if (past->status == MNEME_OK)
        past->status = mneme_history(past->handle, past->identity->tenant_id,
                                     past->identity->user_id, m->id, print_former, past, &past->err);
    return past->status != MNEME_OK;
}

static int count_version(void *context, const struct mneme_record *record)
{
    struct past *past = context;

    (void)record;
    past->versions++;
    return 0;
}

int cli_history(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "history",
        .arguments = "ID",
        .least = 1,
        .most = 1,
        .wants = "wants the id of one memory",
        .summary = "Shows what a memory was before, what it replaced and what replaced it, newest first.",
        .details = "With --json a line for each memory (`memory`), followed by its former rows (`former`).",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER,
        .common = &common,
    };
    struct mneme_identity identity;
    struct past past = { .identity = &identity };
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_READ, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    past.json = common.json;
    past.handle = handle;
    if (mneme_versions(handle, identity.tenant_id, identity.user_id, arguments[0], count_version,
                       &past, &err) != MNEME_OK)
        return cli_fail(&err);
    past.alone = past.versions < 2;
    if (mneme_versions(handle, identity.tenant_id, identity.user_id, arguments[0], print_line, &past,
                       &err) != MNEME_OK)
        return cli_fail(&err);
    if (past.status != MNEME_OK)
        return cli_fail(&past.err);
    if (past.alone && !past.formers && !common.json)
        printf("never changed\n");
    return CLI_OK;
}
