/*
 * erasure.c - erase: for good, with a receipt; and a receipt checked.
 *
 * Who is meant must stand on the command line: an erasure never takes the user or the tenant from the
 * environment as its target, only as the place where a memory or a session lies. The file for the
 * receipt is made before anything is erased, since the receipt cannot be had twice.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define RECEIPT_BYTES_MAX ((size_t)256 << 20) /* an erasure has no more at hand */
#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

struct wish {
    const char *memory, *session, *user, *tenant; /* as given; not from the environment */
    const char *receipt, *verify, *actor;
    int yes, with_evidence;
};

static const char *or_environment(const char *given, const char *name)
{
    return given ? given : mn_or_empty(getenv(name));
}

/* ---- showing ---- */

/* "memories 3, events 12": of the object's counts those that are not 0. */
static void print_counts(yyjson_val *counts)
{
    yyjson_obj_iter iter;
    yyjson_val *name;
    bool first = true;

    if (!yyjson_obj_iter_init(counts, &iter))
        return;
    while ((name = yyjson_obj_iter_next(&iter))) {
        long long count = (long long)yyjson_get_sint(yyjson_obj_iter_get_val(name));

        if (count == 0)
            continue;
        printf("%s%s %lld", first ? "" : ", ", yyjson_get_str(name), count);
        first = false;
    }
    puts(first ? "nothing" : "");
}

static void put_member(struct mn_json_writer *w, yyjson_val *root, const char *name)
{
    char *json = yyjson_val_write(yyjson_obj_get(root, name), 0, NULL);

    mn_json_key(w, name);
    mn_json_put_raw(w, json ? json : "null");
    free(json);
}

static int print_done(const struct cli_common *common, const struct wish *wish, yyjson_val *root)
{
    yyjson_val *scan = yyjson_obj_get(root, "scan");
    bool clean = yyjson_get_bool(yyjson_obj_get(scan, "clean"));
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (common->json) {
        mn_json_open(&w, '{');
        mn_json_field_text(&w, "receipt", wish->receipt);
        put_member(&w, root, "what");
        put_member(&w, root, "counts");
        put_member(&w, root, "scan");
        mn_json_close(&w, '}');
        puts(out.failed ? "" : out.at);
    } else {
        printf("erased: ");
        print_counts(yyjson_obj_get(root, "counts"));
        if (clean)
            printf("the files hold nothing of it (%lld bytes looked through)\n",
                   mn_json_integer_of(scan, "bytes"));
        printf("receipt: %s\n", wish->receipt);
    }
    if (clean)
        return CLI_OK;
    fprintf(stderr, "mneme erase: not finished: %s; run it again\n", mn_json_text_of(scan, "why"));
    return CLI_UNAVAILABLE;
}

/* ---- the receipt's file ---- */

/* It gets its name when it is whole: who is killed before leaves FILE.part, and can run it again. */
static enum mneme_status make_file(const char *path, const char *part, int *ret_file,
                                   struct mneme_error *err)
{
    if (access(path, F_OK) == 0)
        return mn_fail(err, MNEME_CONFLICT, "receipt: %s is there already", path);
    *ret_file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*ret_file >= 0)
        return MNEME_OK;
    return mn_fail(err, MNEME_FORBIDDEN, "receipt: %s cannot be made (%s)", path, strerror(errno));
}

static bool give_name(const char *part, const char *path)
{
    return link(part, path) == 0 && unlink(part) == 0;
}

static bool write_file(int file, const char *text)
{
    size_t bytes = strlen(text);

    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(file, text + done, bytes - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return fsync(file) == 0;
}

/* ---- erase ---- */

static enum mneme_status set_erasure(const struct wish *wish, struct mneme_erasure *what,
                                     struct mneme_error *err)
{
    if (wish->memory && wish->session)
        return mn_fail(err, MNEME_INVALID, "memory: not together with a session");
    what->tenant_id = or_environment(wish->tenant, "MNEME_TENANT");
    what->with_evidence = wish->with_evidence;
    what->actor = cli_actor(wish->actor);
    if (wish->memory || wish->session) {
        what->scope = wish->memory ? MNEME_ERASE_MEMORY : MNEME_ERASE_SESSION;
        what->id = wish->memory ? wish->memory : wish->session;
        what->user_id = or_environment(wish->user, "MNEME_USER");
    } else if (wish->user) {
        what->scope = MNEME_ERASE_USER;
        what->user_id = wish->user;
    } else if (wish->tenant) {
        what->scope = MNEME_ERASE_TENANT;
    } else {
        return mn_fail(err, MNEME_INVALID, "scope: say what to erase with --memory, --session, "
                                           "--user or --tenant");
    }
    return MNEME_OK;
}

static int preview(const struct cli_common *common, struct mneme *handle,
                   struct mneme_erasure *what)
{
    struct mneme_error err;
    char *receipt = NULL;

    what->preview = 1;
    if (mneme_erase(handle, what, &receipt, &err) != MNEME_OK)
        return cli_fail(&err);
    if (common->json) {
        puts(receipt);
    } else {
        MN_JSON_AUTO doc = yyjson_read(receipt, strlen(receipt), 0);

        printf("would be erased: ");
        print_counts(yyjson_obj_get(yyjson_doc_get_root(doc), "counts"));
    }
    mneme_free(receipt);
    fprintf(stderr, "mneme erase: nothing was erased; say --yes and --receipt FILE\n");
    return CLI_OK;
}

static int erase(const struct cli_common *common, const struct wish *wish, struct mneme *handle,
                 const struct mneme_erasure *what)
{
    struct mneme_error err;
    char *receipt = NULL;
    MN_BUF_AUTO part = { 0 };
    int file = -1;

    mn_buf_printf(&part, "%s.part", wish->receipt);
    if (part.failed) {
        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    if (make_file(wish->receipt, part.at, &file, &err) != MNEME_OK)
        return cli_fail(&err);
    if (mneme_erase(handle, what, &receipt, &err) != MNEME_OK) {
        close(file);
        unlink(part.at);
        return cli_fail(&err);
    }
    bool written = write_file(file, receipt);
    written = close(file) == 0 && written && give_name(part.at, wish->receipt);
    int code = CLI_UNAVAILABLE;
    if (written) {
        MN_JSON_AUTO doc = yyjson_read(receipt, strlen(receipt), 0);

        code = print_done(common, wish, yyjson_doc_get_root(doc));
    } else {
        puts(receipt); /* it cannot be made again */
        fprintf(stderr, "mneme erase: %s cannot be written; the receipt is on standard output\n",
                wish->receipt);
    }
    mneme_free(receipt);
    return code;
}

/* ---- verify ---- */

/* What was found of it, and where. */
static void tell_unclean(yyjson_val *root)
{
    static const struct {
        const char *figure, *means;
    } found[] = {
        { "ids_found", "ids are in rows again: the store, or what was imported, is from before" },
        { "texts_found", "texts are in rows that are older than the erasure" },
        { "ids_in_traces", "traces name one of the ids" },
        { "ids_in_bytes", "ids are in the files' bytes: run the erasure again" },
        { "archived_found", "turns are in the archive: run mneme maintain with --archive" },
    };

    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (mn_json_integer_of(root, found[i].figure))
            printf("  %lld %s\n", mn_json_integer_of(root, found[i].figure), found[i].means);
    if (!yyjson_get_bool(yyjson_obj_get(root, "archive_seen")))
        printf("  the archive was not looked into: give --archive\n");
    if (!yyjson_get_bool(yyjson_obj_get(root, "in_audit")))
        printf("  the audit does not tell of it: the store is one from before the erasure\n");
}

static int verify(const struct cli_common *common, const char *path)
{
    CLI_HANDLE_AUTO handle = NULL;
    struct mneme_error err;
    size_t bytes = 0;
    char *receipt = cli_read_file(path, RECEIPT_BYTES_MAX, 0, &bytes, &err);
    char *report = NULL;
    int clean = 0;

    if (!receipt)
        return cli_fail(&err);
    while (bytes && strchr("\r\n", receipt[bytes - 1]))
        receipt[--bytes] = '\0';
    enum mneme_status status = cli_open(common, CLI_TO_READ, &handle, &err);
    if (status == MNEME_OK)
        status = mneme_erase_verify(handle, receipt, &clean, &report, &err);
    free(receipt);
    if (status != MNEME_OK)
        return cli_fail(&err);
    if (common->json) {
        puts(report);
    } else {
        MN_JSON_AUTO doc = yyjson_read(report, strlen(report), 0);
        yyjson_val *root = yyjson_doc_get_root(doc);

        printf("%s: %lld ids and %lld texts, %lld bytes looked through\n",
               clean ? "clean" : "NOT CLEAN", mn_json_integer_of(root, "ids"),
               mn_json_integer_of(root, "texts"), mn_json_integer_of(root, "bytes_looked_at"));
        if (!clean)
            tell_unclean(root);
    }
    mneme_free(report);
    return clean ? CLI_OK : CLI_FAILED_CHECK;
}

/* ---- the command ---- */

static int run(const struct cli_common *common, const struct wish *wish)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    if (wish->verify)
        return verify(common, wish->verify);
    if (set_erasure(wish, &what, &err) != MNEME_OK)
        return cli_fail(&err);
    if (wish->yes && !wish->receipt)
        return cli_usage("erase", "where to put the receipt? --receipt FILE");
    if (cli_open(common, CLI_TO_WRITE, &handle, &err) != MNEME_OK)
        return cli_fail(&err);
    return wish->yes ? erase(common, wish, handle, &what) : preview(common, handle, &what);
}

int cli_erase(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct wish wish = { 0 };
    const struct cli_option options[] = {
        { "memory", CLI_TEXT, "ID", "one memory or event of the user", &wish.memory },
        { "session", CLI_TEXT, "ID", "a session of the user, with its events", &wish.session },
        { "user", CLI_TEXT, "ID", "all of this user; with --memory or --session: whose",
          &wish.user },
        { "tenant", CLI_TEXT, "ID", "all of this tenant; with the others: where", &wish.tenant },
        { "with-evidence", CLI_FLAG, NULL, "with --memory: the events it was drawn from, too",
          &wish.with_evidence },
        { "yes", CLI_FLAG, NULL, "do it; without, only what would go is shown", &wish.yes },
        { "receipt", CLI_TEXT, "FILE", "where the receipt goes; must not be there yet",
          &wish.receipt },
        { "verify", CLI_TEXT, "FILE", "check a receipt against the store", &wish.verify },
        { "actor", CLI_TEXT, "NAME", "who erases ($MNEME_ACTOR)", &wish.actor },
    };
    const struct cli_command command = {
        .name = "erase",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments; say what to erase with --memory, --session, --user or "
                 "--tenant",
        .summary = "Erases for good: rows, history, events, vectors, traces, and the bytes in the "
                   "files.",
        .details = "What was drawn from erased evidence alone goes too. There is no way back; "
                   "'mneme forget' has one.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    char **arguments;
    size_t count;
    int code = CLI_OK;

    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    return run(&common, &wish);
}
