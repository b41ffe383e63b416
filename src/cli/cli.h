/*
 * cli.h - what the commands share: options, identity, the open store, output, exit codes.
 *
 * Every command is one table of options and one function. Errors go to standard error and say what to
 * do; what is asked for goes to standard output, for people or, with --json, for programs. Exit codes
 * are stable (docs/cli.md): 0 done, 1 a check failed, 2 bad usage or input, then one for each status.
 */
#ifndef MN_CLI_CLI_H
#define MN_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/mneme.h>

#include "cli/store_key.h"

enum {
    CLI_OK = 0,
    CLI_FAILED_CHECK = 1, /* eval: an expectation failed, or a leak */
    CLI_USAGE = 2,        /* also MNEME_INVALID */
    CLI_NOT_FOUND = 3,
    CLI_CONFLICT = 4,
    CLI_FORBIDDEN = 5,
    CLI_LIMIT = 6,
    CLI_UNAVAILABLE = 7,
    CLI_CORRUPT = 8
};

/* ---- options ---- */

#define CLI_LIST_MAX 64

struct cli_list {
    const char *item[CLI_LIST_MAX];
    size_t count;
};

enum cli_kind {
    CLI_FLAG,    /* int: 1 when given */
    CLI_TEXT,    /* const char *, never empty */
    CLI_CLEARS,  /* const char *: an empty one takes the field away */
    CLI_COUNT,   /* size_t, > 0 */
    CLI_INTEGER, /* int64_t */
    CLI_NUMBER,  /* double */
    CLI_TIME,    /* int64_t milliseconds */
    CLI_MANY     /* struct cli_list: may be given again; none of them empty */
};

struct cli_option {
    const char *name; /* without the dashes */
    enum cli_kind kind;
    const char *value; /* what stands for the value in the help; NULL for flags */
    const char *help;
    void *into;
};

/* The options that most commands take, in groups that a command adds to its own. */
struct cli_common {
    const char *store;
    const char *key_file;
    const char *key_command;
    const char *archive;
    const char *per_tenant; /* of init: the folder */
    const char *model;
    const char *model_profile;
    const char *tokenizer;
    const char *extractor;
    const char *extractor_model;
    const char *rerank;
    int json;

    const char *tenant;
    const char *user;
    const char *agent;
    const char *session;
    const char *task;
    const char *project;
    const char *repo;
    const char *locale;
    const char *timezone;
    const char *clearance;
    struct cli_list permissions;
    struct cli_list environment; /* NAME=VALUE */
    size_t own_given;            /* how many of the command's own options were given */

    const char *actor;
    const char *reason;
    int admin;
    int64_t now_ms;
};

enum {
    CLI_GROUP_STORE = 1,    /* --store --key-file --key-command --json */
    CLI_GROUP_MODEL = 2,    /* --model --model-profile --tokenizer --rerank */
    CLI_GROUP_OWNER = 4,    /* --tenant --user --agent */
    CLI_GROUP_PLACE = 8,    /* --session --task --project --repo */
    CLI_GROUP_WHO = 16,     /* --locale --timezone --clearance --permission --env */
    CLI_GROUP_CHANGE = 32,  /* --actor --reason --admin --now */
    CLI_GROUP_EXTRACTOR = 64, /* --extractor --extractor-model */
};

struct cli_command {
    const char *name;
    const char *arguments; /* "TEXT...", "" */
    size_t least, most;    /* how many of them */
    const char *wants;     /* what is said when there are fewer or more */
    const char *summary;   /* one line */
    const char *details;   /* further help, may be "" */
    unsigned groups;
    const struct cli_option *options; /* its own; may be NULL */
    size_t option_count;
    struct cli_common *common;
};

/*
 * Reads argv[2...] and counts the arguments that are no options; *ret_arguments points into argv.
 * False when the command is done: after --help with CLI_OK in *ret_code, after a message with
 * CLI_USAGE.
 */
bool cli_begin(const struct cli_command *command, int argc, char **argv, char ***ret_arguments,
               size_t *ret_count, int *ret_code);

enum cli_purpose {
    CLI_TO_READ,  /* read-only where it cannot be written: then no trace is kept */
    CLI_TO_WRITE,
    CLI_TO_CREATE /* the folder must be there; that of the default path is made */
};

/*
 * For commands about one user's own: reads the arguments as cli_begin() does, the identity, and opens
 * the store without a model, to read or to write. False when the command is done.
 */
bool cli_begin_owned(const struct cli_command *command, int argc, char **argv,
                     enum cli_purpose purpose, struct mneme_identity *ret_identity,
                     struct mneme **ret_handle, char ***ret_arguments, size_t *ret_count,
                     int *ret_code);

/* ---- running ---- */

/* Does the running command take an option of this name? */
bool cli_takes(const char *name);

/* Prints the error, its fields named as the options that set them; the exit code of its status. */
int cli_fail(const struct mneme_error *err);
/* Says on stderr what goes on without what a message names, in the same words. */
void cli_tell(const char *what, const char *message);
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens the store of --store, $MNEME_STORE or the data folder. */
enum mneme_status cli_open(const struct cli_common *common, enum cli_purpose purpose,
                           struct mneme **ret_handle, struct mneme_error *err);
/* What the options and the environment say of store, key and model; it borrows of `key`. */
enum mneme_status cli_library(const struct cli_common *common, struct cli_key *key,
                              struct mneme_options *ret_options, struct mneme_error *err);
/* The key of the options or the environment; of no bytes without one. */
enum mneme_status cli_read_key(const struct cli_common *common, struct cli_key *ret_key,
                               struct mneme_error *err);
void cli_close(struct mneme **handle); /* for cleanup */

/* After the answer is out: vectors for some of what was stored without one, so that it is found by its
 * meaning next time. A few a command, since its caller waits for the program to end. */
void cli_catch_up(struct mneme *handle);
#define CLI_HANDLE_AUTO __attribute__((cleanup(cli_close))) struct mneme *

/*
 * Text for a terminal: control characters (escape sequences among them) are shown as U+FFFD, line ends
 * too when one_line.
 */
void cli_put(const char *text, bool one_line);
/* The first line of a text, at most `columns` wide; wide characters count two. */
void cli_put_short(const char *text, size_t columns);

/* The store's path as it was found; valid until the process ends. NULL after a message. */
const char *cli_store_path(const struct cli_common *common, struct mneme_error *err);

/* The model of --model or $MNEME_MODEL, else the default one where set-up put it; "" for none. */
const char *cli_model_path(const struct cli_common *common);

/* Tenant, user, agent, session ... as the options and the environment say; any may be missing. */
void cli_place(const struct cli_common *common, struct mneme_identity *ret_identity);
/* The whole identity; without a tenant or a user it is refused. */
enum mneme_status cli_identity(const struct cli_common *common, struct mneme_identity *ret_identity,
                               struct mneme_error *err);
/* Who does it: as given, else $MNEME_ACTOR, else the program. */
const char *cli_actor(const char *given);
void cli_change(const struct cli_common *common, struct mneme_change *ret_change);
enum mneme_status cli_require_tenant(const struct cli_common *common, struct mneme_error *err);
enum mneme_status cli_require_owner(const struct cli_common *common, struct mneme_error *err);

/* The arguments joined by blanks, or standard input when the only one is "-". free() it. */
char *cli_text(char **arguments, size_t count, struct mneme_error *err);
/* A whole file, "-" for standard input; free() it. NULL: *err says why. Some have no end: no more
 * is read than shows that it has over `bytes_max` bytes, or a line over `line_max` (0: no limit). */
char *cli_read_file(const char *path, size_t bytes_max, size_t line_max, size_t *ret_bytes,
                    struct mneme_error *err);

/* ---- one of a few names ---- */

enum cli_choice {
    CLI_SCOPE,
    CLI_AUTHORITY,
    CLI_SENSITIVITY,
    CLI_STATUS,
    CLI_RISK,
    CLI_MODE,
    CLI_PROFILE,
    CLI_CONSISTENCY,
    CLI_FORMAT /* of the block: 0 xml, 1 markdown, 2 json */
};

/* The value of the name `text`; left as it is when none is given. A wrong one is told all names. */
enum mneme_status cli_pick(enum cli_choice choice, const char *field, const char *text,
                           int *changed, struct mneme_error *err);

/* ---- the commands ---- */

int cli_init(int argc, char **argv);
int cli_remember(int argc, char **argv);
int cli_observe(int argc, char **argv);
int cli_extract(int argc, char **argv);
int cli_recall(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_alias(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_edit(int argc, char **argv);
int cli_forget(int argc, char **argv);
int cli_used(int argc, char **argv);
int cli_confirm(int argc, char **argv);
int cli_revoke(int argc, char **argv);
int cli_clarify(int argc, char **argv);
int cli_sessions(int argc, char **argv);
int cli_erase(int argc, char **argv);
int cli_archive(int argc, char **argv);
int cli_audit(int argc, char **argv);
int cli_backup(int argc, char **argv);
int cli_restore(int argc, char **argv);
int cli_rotate_key(int argc, char **argv);
int cli_granularity(int argc, char **argv);
int cli_maintain(int argc, char **argv);
int cli_reconcile(int argc, char **argv);
int cli_rebuild(int argc, char **argv);
int cli_health(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_history(int argc, char **argv);
int cli_import(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_eval(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_calibrate(int argc, char **argv);

#endif
