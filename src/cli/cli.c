/*
 * cli.c - the program mneme: one line a command.
 */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

struct entry {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
};

static const struct entry entries[] = {
    { "init", "make a store", cli_init },
    { "remember", "write one memory", cli_remember },
    { "observe", "append a turn or an action to a session", cli_observe },
    { "extract", "let the extractor read turns that wait, or list them", cli_extract },
    { "recall", "find what is worth telling the agent", cli_recall },
    { "explain", "show why an earlier recall chose what it chose", cli_explain },
    { "used", "report which memories of a recall were used", cli_used },
    { "alias", "say that names mean one thing, or list them", cli_alias },
    { "list", "list memories", cli_list },
    { "show", "show one memory", cli_show },
    { "edit", "change a memory", cli_edit },
    { "forget", "withdraw a memory (reversible)", cli_forget },
    { "confirm", "say that memories are right", cli_confirm },
    { "revoke", "withdraw memories for good", cli_revoke },
    { "clarify", "show open questions, or answer one", cli_clarify },
    { "archive", "move the turns of sessions out of the store, and back", cli_archive },
    { "sessions", "list the sessions of a user", cli_sessions },
    { "erase", "take out for good, with a receipt", cli_erase },
    { "audit", "who wrote, recalled, erased what; is that record whole", cli_audit },
    { "backup", "copy the whole store into a file, while it is used", cli_backup },
    { "restore", "make a store of a backup", cli_restore },
    { "rotate-key", "encrypt the store anew, under another key", cli_rotate_key },
    { "granularity", "which memories hold too much or too little", cli_granularity },
    { "maintain", "do what is due: decay, review, expiry, ended sessions", cli_maintain },
    { "health", "figures of each user, and what calls for somebody", cli_health },
    { "doctor", "look at the installation: store, key, model, disk", cli_doctor },
    { "reconcile", "hold what is derived against the rows", cli_reconcile },
    { "rebuild", "make what is derived anew from the rows", cli_rebuild },
    { "history", "show what a memory was before", cli_history },
    { "import", "load JSON Lines or a Markdown rule file", cli_import },
    { "export", "write what is remembered as JSON Lines", cli_export },
    { "eval", "run golden cases, or measure recall on a data set", cli_eval },
    { "bench", "measure the cost of a recall", cli_bench },
    { "calibrate", "write the profile of another embedding model", cli_calibrate },
};
#define ENTRY_COUNT (sizeof entries / sizeof *entries)

static void print_help(FILE *out)
{
    fprintf(out, "mneme " MNEME_VERSION " - the right memory for an agent, or none\n\n"
                 "usage: mneme COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        fprintf(out, "  %-10s %s\n", entries[i].name, entries[i].summary);
    fprintf(out, "\n'mneme COMMAND --help' tells the options of a command. The store is --store, else\n"
                 "$MNEME_STORE, else the data folder; who asks is --tenant and --user, else\n"
                 "$MNEME_TENANT and $MNEME_USER.\n");
}

/* What was printed must have arrived: a full disk or a closed pipe is no success. */
static int end(int code)
{
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    fprintf(stderr, "mneme: unavailable: writing the output failed\n");
    return code == CLI_OK ? CLI_UNAVAILABLE : code;
}

int main(int argc, char **argv)
{
    (void)signal(SIGXFSZ, SIG_IGN); /* a file at its limit is a write that fails, and is told */
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        puts(MNEME_VERSION);
        return CLI_OK;
    }
    for (size_t i = 0; i < ENTRY_COUNT; i++)
        if (!strcmp(argv[1], entries[i].name))
            return end(entries[i].run(argc, argv));
    fprintf(stderr, "mneme: no command '%s'. See 'mneme --help'.\n", argv[1]);
    return CLI_USAGE;
}
