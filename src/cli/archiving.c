/*
 * archiving.c - turns out of the store, and back.
 *
 * The archive is a folder, or a bucket: s3://BUCKET/PREFIX at the service of $MNEME_S3_URL (else that
 * of the region), or the whole URL. Keys are read from the environment, as other programs read theirs,
 * and never from the command line, which everybody can see.
 */
#include "cli/archiving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/sessions.h"

#define SESSIONS_BYTES_MAX ((size_t)1 << 30)
#define DAYS_MAX 36500

/* ---- where it is ---- */

/* s3://BUCKET/PREFIX as a URL whose path begins with the bucket; valid until the process ends. */
static const char *bucket_url(const char *bucket, const char *region)
{
    static struct mn_buf url;
    const char *service = getenv("MNEME_S3_URL");

    mn_buf_reset(&url);
    if (mn_empty(service))
        mn_buf_printf(&url, "https://s3.%s.amazonaws.com/%s",
                      mn_empty(region) ? "us-east-1" : region, bucket);
    else
        mn_buf_printf(&url, "%s%s%s", service, service[strlen(service) - 1] == '/' ? "" : "/",
                      bucket);
    return url.failed ? NULL : url.at;
}

enum mneme_status cli_archive_options(const struct cli_common *common,
                                      struct mneme_options *options, struct mneme_error *err)
{
    const char *archive = mn_empty(common->archive) ? getenv("MNEME_ARCHIVE") : common->archive;

    options->archive_region = getenv("AWS_REGION");
    options->archive_access_key = getenv("AWS_ACCESS_KEY_ID");
    options->archive_secret_key = getenv("AWS_SECRET_ACCESS_KEY");
    options->archive_session_token = getenv("AWS_SESSION_TOKEN");
    if (archive && !strncmp(archive, "s3://", 5)) {
        archive = bucket_url(archive + 5, options->archive_region);
        if (!archive)
            return mn_fail_memory(err);
    }
    options->archive = archive;
    return MNEME_OK;
}

/* ---- the command ---- */

static void tell(const struct cli_common *common, const char *session, const char *what,
                 size_t turns)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!common->json) {
        cli_put(session, true);
        printf("  %s: %zu turn%s\n", what, turns, turns == 1 ? "" : "s");
        return;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", session);
    mn_json_field_text(&w, "result", what);
    mn_json_field_integer(&w, "turns", (int64_t)turns);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

struct files {
    const struct cli_common *common;
    size_t count;
};

static int print_file(void *context, const struct mneme_archived *file)
{
    struct files *files = context;
    const struct cli_common *common = files->common;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    char at[32];

    files->count++;
    if (!common->json) {
        cli_put(*file->session_id ? file->session_id : "-", true);
        printf("  %s  %lld turn%s  %lld bytes  %s  %s\n", file->state, (long long)file->turns,
               file->turns == 1 ? "" : "s", (long long)file->bytes,
               mn_time_print(file->at_ms, at, sizeof at), file->object);
        return 0;
    }
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", file->session_id);
    mn_json_field_text(&w, "state", file->state);
    mn_json_field_integer(&w, "turns", file->turns);
    mn_json_field_integer(&w, "bytes", file->bytes);
    mn_json_field_time(&w, "at", file->at_ms);
    mn_json_field_text(&w, "object", file->object);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
    return 0;
}

/* These sessions; none: those of which nothing was heard since. */
struct wanted {
    char **session;
    size_t count;
    int64_t before_ms;
};

static enum mneme_status archive_one(struct mneme *handle, const struct cli_common *common,
                                     const struct mneme_identity *identity, const char *session,
                                     struct mneme_error *err)
{
    size_t turns = 0;

    MN_TRY(mneme_archive_session(handle, identity->tenant_id, identity->user_id, session, &turns,
                                 err));
    tell(common, session, "archived", turns);
    return MNEME_OK;
}

static enum mneme_status archive(struct mneme *handle, const struct cli_common *common,
                                 const struct mneme_identity *identity, const struct wanted *wanted,
                                 struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(SESSIONS_BYTES_MAX);
    struct cli_sessions sessions = { 0 };
    size_t silent = 0;

    for (size_t i = 0; i < wanted->count; i++)
        MN_TRY(archive_one(handle, common, identity, wanted->session[i], err));
    if (wanted->count)
        return MNEME_OK;
    MN_TRY(cli_sessions_read(handle, identity, arena, &sessions, err));
    for (size_t i = 0; i < sessions.count; i++) {
        if (sessions.item[i].last_ms >= wanted->before_ms)
            continue;
        silent++;
        MN_TRY(archive_one(handle, common, identity, sessions.item[i].id, err));
    }
    if (!silent && !common->json)
        printf("no session has been silent for so long\n");
    return MNEME_OK;
}

static enum mneme_status list_files(struct mneme *handle, const struct cli_common *common,
                                    const struct mneme_identity *identity, struct mneme_error *err)
{
    struct files files = { common, 0 };

    MN_TRY(mneme_archive_list(handle, identity->tenant_id, identity->user_id, print_file, &files,
                              err));
    if (!common->json)
        printf("%zu file%s\n", files.count, files.count == 1 ? "" : "s");
    return MNEME_OK;
}

static enum mneme_status run(struct mneme *handle, struct cli_common *common,
                             const struct mneme_identity *identity, const struct wanted *wanted,
                             int list, const char *restore, struct mneme_error *err)
{
    size_t turns = 0;

    if (list)
        return list_files(handle, common, identity, err);
    if (!restore)
        return archive(handle, common, identity, wanted, err);
    MN_TRY(mneme_archive_restore(handle, identity->tenant_id, identity->user_id, restore, &turns,
                                 err));
    tell(common, restore, "restored", turns);
    return MNEME_OK;
}

int cli_archive(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const char *restore = NULL;
    size_t days = 30;
    int list = 0;
    const struct cli_option options[] = {
        { "list", CLI_FLAG, NULL, "show what is in the archive, and what waits for it", &list },
        { "restore", CLI_TEXT, "SESSION", "bring its turns back into the store", &restore },
        { "idle-days", CLI_COUNT, "N", "without a session: those silent for so long (30)", &days },
    };
    const struct cli_command command = {
        .name = "archive",
        .arguments = "[SESSION...]",
        .least = 0,
        .most = SIZE_MAX,
        .wants = "",
        .summary = "Moves the turns of sessions that are over out of the store, and back.",
        .details =
            "The archive is a folder or s3://BUCKET/PREFIX (docs/operating.md). Turns in it are\n"
            "not recalled; the memories drawn from them are. An erasure reaches them there.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_WRITE, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    if (days > DAYS_MAX)
        return cli_usage("archive", "--idle-days: %zu, at most %d", days, DAYS_MAX);
    if ((list != 0) + (restore != NULL) + (count != 0) > 1)
        return cli_usage("archive", "name sessions, or --restore one, or --list");
    cli_change(&common, &change);
    const struct wanted wanted = {
        arguments, count,
        (change.now_ms ? change.now_ms : mn_clock_now_ms()) - (int64_t)days * MN_DAY_MS
    };
    if (run(handle, &common, &identity, &wanted, list, restore, &err) != MNEME_OK)
        return cli_fail(&err);
    return CLI_OK;
}
