/*
 * settle.c - confirm, revoke, clarify: what people decide about memories that are there.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/acknowledge.h"

/* ---- confirm and revoke: of each row that is named ---- */

typedef enum mneme_status (*settle_fn)(struct mneme *handle, const struct mneme_identity *identity,
                                       const char *id, struct mneme_change *change,
                                       struct mneme_receipt *ret_receipt, struct mneme_error *err);

static enum mneme_status confirm(struct mneme *handle, const struct mneme_identity *identity,
                                 const char *id, struct mneme_change *change,
                                 struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    return mneme_confirm(handle, identity->tenant_id, identity->user_id, id, change, ret_receipt,
                         err);
}

static enum mneme_status revoke(struct mneme *handle, const struct mneme_identity *identity,
                                const char *id, struct mneme_change *change,
                                struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct mneme_parsed *row = NULL;
    struct mneme_memory memory;

    MN_TRY(mneme_get(handle, identity->tenant_id, identity->user_id, id, &row, err));
    memory = *mneme_parsed_record(row)->memory;
    memory.status = MNEME_REVOKED;
    change->if_revision = memory.revision;
    if (mn_empty(change->reason))
        change->reason = "revoked";
    enum mneme_status status = mneme_edit(handle, &memory, change, ret_receipt, err);
    mneme_parsed_free(row);
    return status;
}

static int settle_all(const struct cli_command *command, settle_fn settle, int argc,
                      char **argv)
{
    struct cli_common *common = command->common;
    struct mneme_identity identity;
    struct mneme_receipt receipt;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **ids;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(command, argc, argv, CLI_TO_WRITE, &identity, &handle, &ids, &count, &code))
        return code;
    cli_change(common, &change);
    for (size_t i = 0; i < count; i++) {
        if (settle(handle, &identity, ids[i], &change, &receipt, &err) != MNEME_OK)
            return cli_fail(&err);
        cli_print_receipt(common, NULL, &receipt);
    }
    return CLI_OK;
}

int cli_confirm(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "confirm",
        .arguments = "ID...",
        .least = 1,
        .most = SIZE_MAX,
        .wants = "which memories are right?",
        .summary = "Says that memories are right: they grow surer and their age begins anew.",
        .details = "An inference that is confirmed no longer decays.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .common = &common,
    };

    return settle_all(&command, confirm, argc, argv);
}

int cli_revoke(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "revoke",
        .arguments = "ID...",
        .least = 1,
        .most = SIZE_MAX,
        .wants = "which memories must not be recalled any more?",
        .summary = "Withdraws memories for good, also from every past; only --admin brings one back.",
        .details = "'mneme forget' is the reversible way, 'mneme erase' leaves no copy.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .common = &common,
    };

    return settle_all(&command, revoke, argc, argv);
}

/* ---- clarify ---- */

struct questions {
    struct mneme *handle;
    const struct mneme_identity *identity;
    int json;
    size_t count;
};

static void print_rival(const struct questions *q, const char *id)
{
    struct mneme_parsed *row = NULL;
    struct mneme_error ignored;

    printf("    %s  ", id);
    if (mneme_get(q->handle, q->identity->tenant_id, q->identity->user_id, id, &row, &ignored) ==
        MNEME_OK) {
        const struct mneme_memory *m = mneme_parsed_record(row)->memory;

        printf("%s%s  ", mneme_authority_name(m->authority),
               m->status == MNEME_ACTIVE ? "" : " (not active)");
        cli_put(m->content, true);
    }
    printf("\n");
    mneme_parsed_free(row);
}

static int print_question(void *context, const struct mneme_clarification *open)
{
    struct questions *q = context;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    q->count++;
    if (!q->json) {
        printf("%s  ", open->id);
        cli_put(open->question, true);
        printf("%s\n", open->blocking ? "  (blocking)" : "");
        for (size_t i = 0; i < open->memory_ids.count; i++)
            print_rival(q, open->memory_ids.item[i]);
        return 0;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "id", open->id);
    mn_json_field_text(&w, "memory_key", open->memory_key);
    mn_json_field_text(&w, "question", open->question);
    mn_json_field_bool(&w, "blocking", open->blocking != 0);
    mn_json_field_time(&w, "created_at", open->created_at_ms);
    mn_json_key(&w, "memory_ids");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < open->memory_ids.count; i++)
        mn_json_put_text(&w, open->memory_ids.item[i]);
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
    return 0;
}

static int list_questions(const struct cli_common *common, struct mneme *handle,
                          const struct mneme_identity *identity)
{
    struct questions q = { handle, identity, common->json, 0 };
    struct mneme_error err;

    if (mneme_clarifications(handle, identity->tenant_id, identity->user_id, print_question, &q,
                             &err) != MNEME_OK)
        return cli_fail(&err);
    if (!common->json)
        printf("%zu open question%s\n", q.count, q.count == 1 ? "" : "s");
    return CLI_OK;
}

int cli_clarify(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const char *keep = NULL;
    const struct cli_option options[] = {
        { "keep", CLI_TEXT, "MEMORY", "the memory that holds; its rivals held until now", &keep },
    };
    const struct cli_command command = {
        .name = "clarify",
        .arguments = "[QUESTION]",
        .least = 0,
        .most = 1,
        .wants = "wants one question at most",
        .summary = "Shows the open questions, or answers one: QUESTION --keep MEMORY.",
        .details = "A question is open where memories answer one key differently and nobody could say\n"
                   "which holds.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_receipt receipt;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if ((count == 1) != !mn_empty(keep))
        return cli_usage("clarify", "an answer is QUESTION --keep MEMORY");
    common.model = "none";
    cli_change(&common, &change);
    if (cli_identity(&common, &identity, &err) != MNEME_OK ||
        cli_open(&common, count ? CLI_TO_WRITE : CLI_TO_READ, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    if (!count)
        return list_questions(&common, handle, &identity);
    if (mneme_clarify(handle, identity.tenant_id, identity.user_id, arguments[0], keep, &change,
                      &receipt, &err) != MNEME_OK)
        return cli_fail(&err);
    return cli_print_receipt(&common, NULL, &receipt);
}
