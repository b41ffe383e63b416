/*
 * show.c - list, show, export.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* ---- one row, for people ---- */

static void print_row(const struct mneme_memory *m)
{
    printf("%s  %s  %s%s%s%s%s\n    ", m->id, m->type, mneme_scope_name(m->scope_kind),
           m->scope_id[0] ? " " : "", m->scope_id, m->status == MNEME_ACTIVE ? "" : "  ",
           m->status == MNEME_ACTIVE ? "" : mneme_memory_status_name(m->status));
    cli_put_short(m->content, 92);
    printf("\n");
}

/* ---- list and export ---- */

struct listing {
    int json;
    FILE *out;
    size_t count;
    enum mneme_status status;
    struct mneme_error err;
};

static int write_record(void *context, const struct mneme_record *record)
{
    struct listing *l = context;
    char *json = NULL;

    l->count++;
    if (!l->json) {
        print_row(record->memory);
        return 0;
    }
    l->status = mneme_record_print(record, &json, &l->err);
    if (l->status != MNEME_OK)
        return 1;
    if (fprintf(l->out, "%s\n", json) < 0)
        l->status = mn_fail(&l->err, MNEME_UNAVAILABLE, "writing failed: no room, or a closed pipe");
    mneme_free(json);
    return l->status != MNEME_OK;
}

struct selection {
    const char *type, *scope, *scope_id, *status;
    int all_users, with_shared, all_statuses;
    size_t rows_max;
};

#define SELECTION_OPTIONS(s)                                                                       \
    { "all-users", CLI_FLAG, NULL, "every owner of the tenant", &(s).all_users },                  \
    { "with-shared", CLI_FLAG, NULL, "what the tenant shares, too", &(s).with_shared }

static enum mneme_status make_filter(const struct cli_common *common, const struct selection *s,
                                     struct mneme_filter *ret_filter, struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    int scope = 0, status = 0;

    MN_TRY(cli_require_tenant(common, err));
    filter.tenant_id = common->tenant ? common->tenant : getenv("MNEME_TENANT");
    filter.user_id = common->user ? common->user : getenv("MNEME_USER");
    filter.all_users = s->all_users;
    filter.with_shared = s->with_shared;
    filter.with_all_statuses = s->all_statuses;
    filter.type = s->type;
    filter.scope_id = s->scope_id;
    filter.rows_max = s->rows_max;
    MN_TRY(cli_pick(CLI_SCOPE, "scope", s->scope, &scope, err));
    MN_TRY(cli_pick(CLI_STATUS, "status", s->status, &status, err));
    filter.scope_kind = (enum mneme_scope)scope;
    filter.status = (enum mneme_memory_status)status;
    *ret_filter = filter;
    return MNEME_OK;
}

int cli_list(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct selection s = { 0 };
    const struct cli_option options[] = {
        { "type", CLI_TEXT, "NAME", "of this type", &s.type },
        { "scope", CLI_TEXT, "KIND", "of this kind of scope", &s.scope },
        { "scope-id", CLI_TEXT, "ID", "of this project, repository, task or session",
          &s.scope_id },
        { "status", CLI_TEXT, "NAME", "of this status (default: active)", &s.status },
        { "all-statuses", CLI_FLAG, NULL, "deleted, revoked and replaced ones, too",
          &s.all_statuses },
        { "limit", CLI_COUNT, "N", "at most so many", &s.rows_max },
        SELECTION_OPTIONS(s),
    };
    const struct cli_command command = {
        .name = "list",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments",
        .summary = "Lists memories; with --json one record a line.",
        .details = "",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct listing listing = { .out = stdout };
    struct mneme_filter filter;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    common.model = "none";
    listing.json = common.json;
    if (make_filter(&common, &s, &filter, &err) != MNEME_OK ||
        cli_open(&common, CLI_TO_READ, &handle, &err) != MNEME_OK ||
        mneme_list_memories(handle, &filter, write_record, &listing, &err) != MNEME_OK)
        return cli_fail(&err);
    if (listing.status != MNEME_OK)
        return cli_fail(&listing.err);
    if (!common.json)
        printf("%zu memor%s\n", listing.count, listing.count == 1 ? "y" : "ies");
    return CLI_OK;
}

int cli_export(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct selection s = { .all_statuses = 1 };
    const char *path = NULL;
    const struct cli_option options[] = {
        { "out", CLI_TEXT, "FILE", "where to (default: standard output)", &path },
        SELECTION_OPTIONS(s),
    };
    const struct cli_command command = {
        .name = "export",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments; say where to with --out",
        .summary = "Writes everything of a user, or of a tenant, as JSON Lines that import reads.",
        .details = "Memories of every status with their usage, events, rules, task states, edges.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct listing listing = { .json = 1, .out = stdout };
    struct mneme_filter filter;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    common.model = "none";
    if (make_filter(&common, &s, &filter, &err) != MNEME_OK ||
        cli_open(&common, CLI_TO_READ, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    if (path && !(listing.out = fopen(path, "wb"))) {
        mn_fail(&err, MNEME_UNAVAILABLE, "out: cannot write %s", path);
        return cli_fail(&err);
    }
    enum mneme_status status = mneme_export(handle, &filter, write_record, &listing, &err);
    if (path && fclose(listing.out) && listing.status == MNEME_OK)
        listing.status = mn_fail(&listing.err, MNEME_UNAVAILABLE, "out: writing %s failed", path);
    if (status != MNEME_OK)
        return cli_fail(&err);
    if (listing.status != MNEME_OK)
        return cli_fail(&listing.err);
    if (path)
        fprintf(stderr, "%zu records to %s\n", listing.count, path);
    return CLI_OK;
}

/* ---- show ---- */

static int print_json(const struct mneme_record *record)
{
    struct mneme_error err;
    char *json = NULL;

    if (mneme_record_print(record, &json, &err) != MNEME_OK)
        return cli_fail(&err);
    puts(json);
    mneme_free(json);
    return CLI_OK;
}

/* "name  value" a line, from the record's own JSON, so that nothing is left out. */
static int print_fields(const struct mneme_record *record)
{
    struct mneme_error err;
    char *json = NULL;
    MN_JSON_AUTO doc = NULL;

    if (mneme_record_print(record, &json, &err) != MNEME_OK)
        return cli_fail(&err);
    enum mneme_status status = mn_json_parse("record", json, strlen(json), &doc, &err);
    mneme_free(json);
    if (status != MNEME_OK)
        return cli_fail(&err);
    size_t at, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(yyjson_doc_get_root(doc), at, count, key, value)
    {
        if (yyjson_is_str(value)) {
            printf("%-20s ", yyjson_get_str(key));
            cli_put(yyjson_get_str(value), false);
            printf("\n");
        } else {
            char *text = yyjson_val_write(value, 0, NULL);

            printf("%-20s %s\n", yyjson_get_str(key), mn_or_empty(text));
            free(text);
        }
    }
    return CLI_OK;
}

int cli_show(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "show",
        .arguments = "ID",
        .least = 1,
        .most = 1,
        .wants = "wants the id of one memory",
        .summary = "Shows one memory with all its fields.",
        .details = "",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_parsed *row = NULL;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_READ, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    if (mneme_get(handle, identity.tenant_id, identity.user_id, arguments[0], &row, &err) !=
        MNEME_OK)
        return cli_fail(&err);
    code = common.json ? print_json(mneme_parsed_record(row))
                       : print_fields(mneme_parsed_record(row));
    mneme_parsed_free(row);
    return code;
}
