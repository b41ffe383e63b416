/*
 * alias.c - names of one thing: said, shown, and taken back.
 *
 * Two names of one thing are an edge `same_as` between them (docs/data-model.md), as an import may
 * bring it as well; what such an edge says ends with it. A name is compared as it is written, but
 * for its case.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define SAME_AS "same_as"
#define NAMES_BYTES_MAX ((size_t)16 << 20)

struct naming {
    const struct cli_common *common;
    const char *tenant, *user; /* user "": of the whole tenant */
    int64_t now_ms;
    size_t count;
    const char *name, *other; /* looked for */
    char *line;               /* of what was found */
    enum mneme_status status;
    struct mneme_error err;
};

static void tell(const struct naming *n, const char *name, const char *other, const char *result,
                 const char *user)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!n->common->json) {
        cli_put(name, true);
        printf(" = ");
        cli_put(other, true);
        printf("%s%s%s\n", *result ? "  " : "", result, *user ? "" : "  (of the whole tenant)");
        return;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "name", name);
    mn_json_field_text(&w, "alias", other);
    mn_json_field_text(&w, "user_id", user);
    if (*result)
        mn_json_field_text(&w, "result", result);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

/* ---- said ---- */

/* All of them or none. */
static enum mneme_status add(const struct naming *n, struct mneme *handle, char **names,
                             size_t count, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(NAMES_BYTES_MAX);
    struct mneme_edge *edges = mn_arena_array(arena, struct mneme_edge, count);
    struct mneme_record *records = mn_arena_array(arena, struct mneme_record, count);
    struct mneme_receipt *receipts = mn_arena_array(arena, struct mneme_receipt, count);
    struct mneme_change change;

    if (!edges || !records || !receipts)
        return mn_fail_memory(err);
    for (size_t i = 1; i < count; i++) {
        struct mneme_edge *edge = &edges[i - 1];

        if (!strcasecmp(names[0], names[i]))
            return mn_fail(err, MNEME_INVALID, "'%s' is the name itself", names[i]);
        *edge = (struct mneme_edge)MNEME_EDGE_INIT;
        edge->tenant_id = n->tenant;
        edge->user_id = n->user;
        edge->source = names[0];
        edge->relation = SAME_AS;
        edge->target = names[i];
        edge->origin = "stated";
        records[i - 1] = (struct mneme_record){ .kind = MNEME_RECORD_EDGE, .edge = edge };
    }
    cli_change(n->common, &change);
    MN_TRY(mneme_write(handle, records, count - 1, &change, receipts, NULL, err));
    for (size_t i = 1; i < count; i++)
        tell(n, names[0], names[i], mneme_outcome_name(receipts[i - 1].outcome), n->user);
    return MNEME_OK;
}

/* ---- shown ---- */

static bool has_ended(const struct naming *n, const struct mneme_edge *edge)
{
    return edge->valid_until_ms && edge->valid_until_ms <= n->now_ms;
}

static bool is_of(const struct naming *n, const char *one, const char *other)
{
    return (!strcasecmp(one, n->name) && !strcasecmp(other, n->other)) ||
           (!strcasecmp(one, n->other) && !strcasecmp(other, n->name));
}

static int show(void *context, const struct mneme_record *record)
{
    struct naming *n = context;
    const struct mneme_edge *edge = record->edge;

    if (record->kind != MNEME_RECORD_EDGE || has_ended(n, edge) ||
        (!*n->user && !mn_empty(edge->user_id)))
        return 0;
    if (!strcmp(edge->relation, SAME_AS)) {
        tell(n, edge->source, edge->target, "", mn_or_empty(edge->user_id));
        n->count++;
    }
    for (size_t i = 0; i < edge->source_aliases.count; i++, n->count++)
        tell(n, edge->source, edge->source_aliases.item[i], "", mn_or_empty(edge->user_id));
    for (size_t i = 0; i < edge->target_aliases.count; i++, n->count++)
        tell(n, edge->target, edge->target_aliases.item[i], "", mn_or_empty(edge->user_id));
    return 0;
}

static enum mneme_status each_edge(struct naming *n, struct mneme *handle, mneme_row_fn row,
                                   struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = n->tenant;
    filter.user_id = n->user;
    filter.with_shared = 1;
    filter.all_users = !*n->user; /* of which what is shared is picked */
    return mneme_export(handle, &filter, row, n, err);
}

/* ---- taken back ---- */

/* Nobody writes while an export goes on: the edge is kept as its line. */
static int find(void *context, const struct mneme_record *record)
{
    struct naming *n = context;

    if (record->kind != MNEME_RECORD_EDGE || strcmp(record->edge->relation, SAME_AS) != 0 ||
        !mn_same(mn_or_empty(record->edge->user_id), n->user) || has_ended(n, record->edge) ||
        !is_of(n, record->edge->source, record->edge->target))
        return 0;
    n->status = mneme_record_print(record, &n->line, &n->err);
    return 1;
}

static enum mneme_status end_found(const struct naming *n, struct mneme *handle,
                                   struct mneme_error *err)
{
    struct mneme_parsed *parsed = NULL;

    MN_TRY(mneme_record_parse(n->line, strlen(n->line), NULL, &parsed, err));
    struct mneme_edge edge = *mneme_parsed_record(parsed)->edge;
    const struct mneme_record record = { .kind = MNEME_RECORD_EDGE, .edge = &edge };
    struct mneme_change change;
    edge.valid_until_ms = n->now_ms;
    cli_change(n->common, &change);
    enum mneme_status status = mneme_write(handle, &record, 1, &change, NULL, NULL, err);
    if (status == MNEME_OK)
        tell(n, edge.source, edge.target, "ended", n->user);
    mneme_parsed_free(parsed);
    return status;
}

/* It may have been said both ways round. */
static enum mneme_status end_pair(struct naming *n, struct mneme *handle, size_t *ret_ended,
                                  struct mneme_error *err)
{
    for (*ret_ended = 0;; ++*ret_ended) {
        MN_TRY(each_edge(n, handle, find, err));
        if (n->status != MNEME_OK) {
            *err = n->err;
            return n->status;
        }
        if (!n->line)
            return MNEME_OK;
        enum mneme_status status = end_found(n, handle, err);
        mneme_free(n->line);
        n->line = NULL;
        MN_TRY(status);
    }
}

static enum mneme_status end_all(struct naming *n, struct mneme *handle, char **names, size_t count,
                                 struct mneme_error *err)
{
    n->name = names[0];
    for (size_t i = 1; i < count; i++) {
        size_t ended = 0;

        n->other = names[i];
        MN_TRY(end_pair(n, handle, &ended, err));
        if (!ended)
            return mn_fail(err, MNEME_NOT_FOUND, "nothing says that %s is %s", names[0], names[i]);
    }
    return MNEME_OK;
}

/* ---- the command ---- */

int cli_alias(int argc, char **argv)
{
    struct cli_common common = { 0 };
    int shared = 0, end = 0;
    const struct cli_option options[] = {
        { "end", CLI_FLAG, NULL, "these are names of one thing no longer", &end },
        { "shared", CLI_FLAG, NULL, "of the whole tenant, not of the user (with --admin)", &shared },
    };
    const struct cli_command command = {
        .name = "alias",
        .arguments = "[NAME ALIAS...]",
        .least = 0,
        .most = SIZE_MAX,
        .wants = "",
        .summary = "Says that names mean one thing: a recall with one finds texts with another.",
        .details = "Without names those that are known are listed. A speaker is found by an alias as well.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    enum mneme_status status;
    char **names;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &names, &count, &code))
        return code;
    if (count == 1 || (end && !count))
        return cli_usage("alias", "wants a name and another of the same thing");
    common.model = "none";
    if (cli_identity(&common, &identity, &err) != MNEME_OK ||
        cli_open(&common, count ? CLI_TO_WRITE : CLI_TO_READ, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    struct naming n = { .common = &common,
                        .tenant = identity.tenant_id,
                        .user = shared ? "" : identity.user_id,
                        .now_ms = common.now_ms ? common.now_ms : mn_clock_now_ms() };
    status = end     ? end_all(&n, handle, names, count, &err)
             : count ? add(&n, handle, names, count, &err)
                     : each_edge(&n, handle, show, &err);
    if (status != MNEME_OK)
        return cli_fail(&err);
    if (!count && !common.json)
        printf("%zu alias%s\n", n.count, n.count == 1 ? "" : "es");
    return CLI_OK;
}
